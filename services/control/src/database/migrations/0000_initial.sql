CREATE SEQUENCE "public"."changes" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
CREATE TABLE "accounts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"owner_id" uuid NOT NULL,
	"plan" text NOT NULL,
	"status" text NOT NULL,
	"shard" text NOT NULL,
	"version" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "accounts_status" CHECK ("accounts"."status" in ('active', 'suspended'))
);
--> statement-breakpoint
CREATE TABLE "catalogs" (
	"version" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "catalogs_version_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"sha256" text NOT NULL,
	"json" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "keys" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"created_by" uuid,
	"label" text NOT NULL,
	"scope" text NOT NULL,
	"prefix" text NOT NULL,
	"digest" text NOT NULL,
	"status" text NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"models" jsonb,
	"account_shard" text NOT NULL,
	"secret_shard" text NOT NULL,
	"version" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"revoked_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone,
	CONSTRAINT "keys_digest_unique" UNIQUE("digest"),
	CONSTRAINT "keys_status" CHECK (("keys"."status" = 'revoked') = ("keys"."revoked_at" is not null))
);
--> statement-breakpoint
CREATE TABLE "projection" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"epoch" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "projection_one_row" CHECK ("projection"."one")
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"token_hash" text PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"idle_ends_at" timestamp (3) with time zone NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "shards" (
	"name" text PRIMARY KEY NOT NULL,
	"version" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" uuid PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"name" text NOT NULL,
	"plan" text NOT NULL,
	"synced_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "keys" ADD CONSTRAINT "keys_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "keys" ADD CONSTRAINT "keys_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "accounts_shard_version" ON "accounts" USING btree ("shard","version");--> statement-breakpoint
CREATE INDEX "keys_account" ON "keys" USING btree ("account_id","created_at","id");--> statement-breakpoint
CREATE INDEX "keys_created_by" ON "keys" USING btree ("created_by");--> statement-breakpoint
CREATE INDEX "keys_account_shard_version" ON "keys" USING btree ("account_shard","version");--> statement-breakpoint
CREATE INDEX "keys_secret_shard_version" ON "keys" USING btree ("secret_shard","version");--> statement-breakpoint
CREATE INDEX "sessions_user" ON "sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "sessions_idle_ends" ON "sessions" USING btree ("idle_ends_at");