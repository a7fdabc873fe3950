ALTER TABLE "keys" ADD COLUMN "tokens_per_minute" integer;--> statement-breakpoint
ALTER TABLE "keys" ADD COLUMN "concurrent_requests" integer;