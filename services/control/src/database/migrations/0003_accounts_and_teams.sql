CREATE TABLE "invitations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"email" text NOT NULL,
	"token_hash" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "invitations_token_hash_unique" UNIQUE("token_hash")
);
--> statement-breakpoint
CREATE TABLE "members" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"joined_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "plan_writes" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"intended" text NOT NULL,
	"ours" jsonb NOT NULL,
	"revision" integer NOT NULL,
	"pending" boolean NOT NULL,
	"lease_ends_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "accounts" DROP CONSTRAINT "accounts_status";--> statement-breakpoint
ALTER TABLE "accounts" drop column "status";--> statement-breakpoint
ALTER TABLE "users" ALTER COLUMN "plan" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "suspensions" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "status" text GENERATED ALWAYS AS (case when suspensions = '{}' then 'active' else 'suspended' end) STORED NOT NULL;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "own_cap_nanos" bigint;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "subscription_status" text;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "members" ADD CONSTRAINT "members_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "members" ADD CONSTRAINT "members_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "plan_writes" ADD CONSTRAINT "plan_writes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "invitations_account_email" ON "invitations" USING btree ("account_id","email");--> statement-breakpoint
CREATE INDEX "members_account" ON "members" USING btree ("account_id","joined_at");--> statement-breakpoint
CREATE INDEX "plan_writes_pending" ON "plan_writes" USING btree ("user_id") WHERE "plan_writes"."pending";--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_suspensions" CHECK ("accounts"."suspensions" <@ array['identity', 'team', 'deleted']);--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_own_cap" CHECK ("accounts"."own_cap_nanos" >= 0);--> statement-breakpoint
-- Records in Redis were written without the own cap: a new epoch projects all of them again.
INSERT INTO "projection" ("epoch") SELECT 1 WHERE EXISTS (SELECT 1 FROM "accounts") ON CONFLICT ("one") DO UPDATE SET "epoch" = "projection"."epoch" + 1;