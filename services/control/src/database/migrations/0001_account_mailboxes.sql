ALTER TABLE "accounts" ADD COLUMN "mailbox" text;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "closed_month" integer;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "closed_nanos" bigint;--> statement-breakpoint
CREATE INDEX "accounts_mailbox" ON "accounts" USING btree ("mailbox") WHERE "accounts"."mailbox" is not null;