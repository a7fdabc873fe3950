-- additive: only the wider one below replaces it
ALTER TABLE "accounts" DROP CONSTRAINT "accounts_suspensions";--> statement-breakpoint
CREATE INDEX "accounts_waiting" ON "accounts" USING btree ("created_at") WHERE 'approval' = any ("accounts"."suspensions");--> statement-breakpoint
-- additive: it allows all that the one before allowed
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_suspensions" CHECK ("accounts"."suspensions" <@ array['identity', 'team', 'deleted', 'operator', 'approval']);