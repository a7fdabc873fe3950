CREATE SEQUENCE "public"."budget_ids" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
CREATE TABLE "former_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"created_by" uuid NOT NULL
);
--> statement-breakpoint
CREATE TABLE "told_windows" (
	"id" bigint PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"window" integer NOT NULL,
	"percent" integer NOT NULL,
	"spent_nanos" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "budget_counts" (
	"id" bigint PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"key_id" text,
	"field" text NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ledger_totals" (
	"account_id" uuid NOT NULL,
	"key_id" text NOT NULL,
	"model" text NOT NULL,
	"cost_nanos" bigint NOT NULL,
	CONSTRAINT "ledger_totals_account_id_key_id_model_pk" PRIMARY KEY("account_id","key_id","model")
);
--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "budgets" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "keys" ADD COLUMN "addresses" jsonb;--> statement-breakpoint
ALTER TABLE "keys" ADD COLUMN "budgets" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "keys" ADD COLUMN "exhausted_model" text;--> statement-breakpoint
ALTER TABLE "former_keys" ADD CONSTRAINT "former_keys_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "former_keys_account" ON "former_keys" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "former_keys_created_by" ON "former_keys" USING btree ("created_by");--> statement-breakpoint
CREATE INDEX "told_windows_account" ON "told_windows" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "budget_counts_account" ON "budget_counts" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "budget_counts_due" ON "budget_counts" USING btree ("due_at");--> statement-breakpoint
CREATE INDEX "keys_budgets" ON "keys" USING btree ("account_id") WHERE "keys"."budgets" <> '[]';