ALTER TABLE "requests" ADD COLUMN "audio_seconds" integer;--> statement-breakpoint
ALTER TABLE "ledger" ADD COLUMN "audio_seconds" bigint DEFAULT 0 NOT NULL;