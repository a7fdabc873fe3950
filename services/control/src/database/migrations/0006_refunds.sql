CREATE TABLE "refunds" (
	"id" text PRIMARY KEY NOT NULL,
	"customer_id" text NOT NULL,
	"invoice_id" text,
	"amount" bigint NOT NULL,
	"currency" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "invoice_sweeps" ADD COLUMN "refunds_read_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "purpose" text;--> statement-breakpoint
CREATE INDEX "refunds_at" ON "refunds" USING btree ("at");--> statement-breakpoint
-- additive: the next copy reads the invoices of a year again, and so learns their purpose
UPDATE "invoice_sweeps" SET "finished_at" = NULL, "page" = 1;
