CREATE TABLE "adjustments" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"month" timestamp (3) with time zone NOT NULL,
	"nanos" bigint NOT NULL,
	"reason" text NOT NULL,
	"actor_id" uuid NOT NULL,
	"at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "operator_acts" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "operator_acts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"actor_id" uuid NOT NULL,
	"account_id" uuid,
	"action" text NOT NULL,
	"subject" text,
	"reason" text NOT NULL,
	"detail" jsonb NOT NULL,
	"ip" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "invoice_sweeps" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"page" integer,
	"finished_at" timestamp (3) with time zone,
	"lease_ends_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "invoice_sweeps_one_row" CHECK ("invoice_sweeps"."one")
);
--> statement-breakpoint
CREATE TABLE "invoices" (
	"id" text PRIMARY KEY NOT NULL,
	"customer_id" text NOT NULL,
	"amount" bigint NOT NULL,
	"currency" text NOT NULL,
	"paid_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "accounts" DROP CONSTRAINT "accounts_suspensions";--> statement-breakpoint
ALTER TABLE "catalogs" ALTER COLUMN "json" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "override_plan" text;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "override_plan_ends_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "plan_in_force" text GENERATED ALWAYS AS (coalesce(override_plan, plan)) STORED NOT NULL;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "override_limits" jsonb;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "override_limits_end_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "catalogs" ADD COLUMN "yaml" text;--> statement-breakpoint
ALTER TABLE "catalogs" ADD COLUMN "operator_id" uuid;--> statement-breakpoint
ALTER TABLE "catalogs" ADD COLUMN "reason" text;--> statement-breakpoint
ALTER TABLE "ledger" ADD COLUMN "upstream" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "is_operator" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "adjustments_account" ON "adjustments" USING btree ("account_id","month");--> statement-breakpoint
CREATE INDEX "operator_acts_at" ON "operator_acts" USING btree ("at","id");--> statement-breakpoint
CREATE INDEX "operator_acts_account" ON "operator_acts" USING btree ("account_id","at","id");--> statement-breakpoint
CREATE INDEX "invoices_paid_at" ON "invoices" USING btree ("paid_at");--> statement-breakpoint
CREATE INDEX "invoices_customer" ON "invoices" USING btree ("customer_id");--> statement-breakpoint
CREATE INDEX "accounts_override_ends" ON "accounts" USING btree (least("override_plan_ends_at", "override_limits_end_at")) WHERE "accounts"."override_plan_ends_at" is not null or "accounts"."override_limits_end_at" is not null;--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_suspensions" CHECK ("accounts"."suspensions" <@ array['identity', 'team', 'deleted', 'operator']);