ALTER TABLE "password_resets" ADD COLUMN "email" text;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "proved_email" text;--> statement-breakpoint
-- Whoever has a row proved the address that it has, or an operator confirmed it.
UPDATE "users" SET "proved_email" = lower("email") WHERE "deleted_at" is null;
