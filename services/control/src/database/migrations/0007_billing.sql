CREATE TABLE "billing_events" (
	"id" text PRIMARY KEY NOT NULL,
	"type" text NOT NULL,
	"customer_id" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "billing_sweeps" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"page" integer,
	"finished_at" timestamp (3) with time zone,
	"lease_ends_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "billing_sweeps_one_row" CHECK ("billing_sweeps"."one")
);
--> statement-breakpoint
CREATE TABLE "customers" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"customer_id" text NOT NULL,
	"plan" text NOT NULL,
	"subscription_id" text,
	"price_id" text,
	"is_past_due" boolean NOT NULL,
	"renews_at" timestamp (3) with time zone,
	"cancel_at" timestamp (3) with time zone,
	"read_at" timestamp (3) with time zone,
	"due_at" timestamp (3) with time zone,
	"marks" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "customers_customer_id_unique" UNIQUE("customer_id")
);
--> statement-breakpoint
ALTER TABLE "customers" ADD CONSTRAINT "customers_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "billing_events_at" ON "billing_events" USING btree ("at");--> statement-breakpoint
CREATE INDEX "customers_due" ON "customers" USING btree ("due_at") WHERE "customers"."due_at" is not null;