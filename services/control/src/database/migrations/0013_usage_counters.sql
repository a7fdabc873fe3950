ALTER TABLE "ledger" ALTER COLUMN "requests" SET DEFAULT 0;--> statement-breakpoint
ALTER TABLE "ledger" ALTER COLUMN "errors" SET DEFAULT 0;--> statement-breakpoint
ALTER TABLE "ledger" ALTER COLUMN "prompt_tokens" SET DEFAULT 0;--> statement-breakpoint
ALTER TABLE "ledger" ALTER COLUMN "cached_tokens" SET DEFAULT 0;--> statement-breakpoint
ALTER TABLE "ledger" ALTER COLUMN "completion_tokens" SET DEFAULT 0;--> statement-breakpoint
ALTER TABLE "ledger" ALTER COLUMN "cost_nanos" SET DEFAULT 0;--> statement-breakpoint
ALTER TABLE "ledger" ADD COLUMN "reasoning_tokens" bigint DEFAULT 0 NOT NULL;