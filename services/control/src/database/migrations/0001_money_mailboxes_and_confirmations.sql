CREATE TABLE "former_customers" (
	"customer_id" text PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL
);
--> statement-breakpoint
CREATE TABLE "pending_acts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"action" text NOT NULL,
	"account_id" uuid NOT NULL,
	"body" jsonb NOT NULL,
	"detail" jsonb NOT NULL,
	"reason" text NOT NULL,
	"asked_by" uuid NOT NULL,
	"asked_at" timestamp (3) with time zone NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL,
	"outcome" text,
	"decided_by" uuid,
	"decided_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "mailbox" text;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "closed_month" integer;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "closed_nanos" bigint;--> statement-breakpoint
ALTER TABLE "customers" ADD COLUMN "lease_ends_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "tax" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "confirmed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "code_confirmed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "operator_roles" text;--> statement-breakpoint
ALTER TABLE "former_customers" ADD CONSTRAINT "former_customers_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "former_customers_account" ON "former_customers" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "accounts_mailbox" ON "accounts" USING btree ("mailbox") WHERE "accounts"."mailbox" is not null;--> statement-breakpoint
CREATE INDEX "pending_acts_ends" ON "pending_acts" USING btree ("ends_at");--> statement-breakpoint
-- additive: the next copy reads the invoices of a year again, and so learns their tax
UPDATE "invoice_sweeps" SET "finished_at" = NULL, "page" = 1;
