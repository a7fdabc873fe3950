ALTER TABLE "requests" ADD COLUMN "margin_nanos" bigint;--> statement-breakpoint
ALTER TABLE "ledger" ADD COLUMN "margin_nanos" bigint DEFAULT 0 NOT NULL;