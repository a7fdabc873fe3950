ALTER TABLE "ledger" ADD COLUMN "estimated_requests" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "ledger" ADD COLUMN "estimated_nanos" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "projection" ADD COLUMN "ledger_epoch" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
-- Accounts in Redis need a spend now, which they get with their record: a new epoch has everything projected anew.
INSERT INTO "projection" ("epoch") SELECT 1 WHERE EXISTS (SELECT FROM "shards") ON CONFLICT ("one") DO UPDATE SET "epoch" = "projection"."epoch" + 1;
