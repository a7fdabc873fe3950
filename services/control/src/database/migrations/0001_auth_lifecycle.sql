CREATE TABLE "password_resets" (
	"token_hash" text PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sweeps" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"page" integer,
	"finished_at" timestamp (3) with time zone,
	"lease_ends_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "sweeps_one_row" CHECK ("sweeps"."one")
);
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "checked_at" timestamp (3) with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "password_set_at" timestamp(6) with time zone;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "deletion_started_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "deleted_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "password_resets_user" ON "password_resets" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "password_resets_ends" ON "password_resets" USING btree ("ends_at");--> statement-breakpoint
CREATE INDEX "users_synced" ON "users" USING btree ("synced_at","id") WHERE "users"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "users_deletions" ON "users" USING btree ("deletion_started_at") WHERE "users"."deletion_started_at" is not null and "users"."deleted_at" is null;