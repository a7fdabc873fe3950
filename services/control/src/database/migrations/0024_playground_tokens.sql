ALTER TABLE "keys" ADD COLUMN "session_id" uuid;--> statement-breakpoint
CREATE INDEX "keys_tokens" ON "keys" USING btree ("expires_at") WHERE "keys"."session_id" is not null;