CREATE TABLE "mails" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid,
	"recipient" text NOT NULL,
	"kind" text NOT NULL,
	"notices" jsonb NOT NULL,
	"count" integer NOT NULL,
	"state" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"lease_ends_at" timestamp (3) with time zone,
	"failure" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "muted_mails" (
	"recipient" text NOT NULL,
	"kind" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "muted_mails_recipient_kind_pk" PRIMARY KEY("recipient","kind")
);
--> statement-breakpoint
CREATE TABLE "unsubscribe_links" (
	"token" text PRIMARY KEY NOT NULL,
	"recipient" text NOT NULL,
	"kind" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "failing_upstreams" (
	"upstream" text PRIMARY KEY NOT NULL,
	"since" timestamp (3) with time zone NOT NULL,
	"seen_at" timestamp (3) with time zone NOT NULL,
	"is_told" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "failovers" (
	"minute" timestamp (3) with time zone NOT NULL,
	"model" text NOT NULL,
	"from_upstream" text NOT NULL,
	"to_upstream" text NOT NULL,
	"requests" integer NOT NULL,
	CONSTRAINT "failovers_minute_model_from_upstream_to_upstream_pk" PRIMARY KEY("minute","model","from_upstream","to_upstream")
);
--> statement-breakpoint
CREATE TABLE "notice_settings" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"thresholds" integer[],
	"key_thresholds" integer[]
);
--> statement-breakpoint
CREATE TABLE "notice_sweeps" (
	"name" text PRIMARY KEY NOT NULL,
	"until" timestamp (3) with time zone NOT NULL,
	"until_id" text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE TABLE "seen_events" (
	"user_id" uuid NOT NULL,
	"feed" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"event_id" uuid NOT NULL,
	CONSTRAINT "seen_events_user_id_feed_pk" PRIMARY KEY("user_id","feed")
);
--> statement-breakpoint
CREATE TABLE "spend_checks" (
	"account_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"key_id" text DEFAULT '' NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"lease_ends_at" timestamp (3) with time zone,
	CONSTRAINT "spend_checks_account_id_kind_key_id_pk" PRIMARY KEY("account_id","kind","key_id")
);
--> statement-breakpoint
CREATE TABLE "told_budgets" (
	"account_id" uuid NOT NULL,
	"key_id" text DEFAULT '' NOT NULL,
	"month" timestamp (3) with time zone NOT NULL,
	"percent" integer NOT NULL,
	"spent_nanos" bigint NOT NULL,
	CONSTRAINT "told_budgets_account_id_key_id_month_pk" PRIMARY KEY("account_id","key_id","month")
);
--> statement-breakpoint
CREATE UNIQUE INDEX "mails_collecting" ON "mails" USING btree ("recipient","kind") WHERE "mails"."state" = 'collecting';--> statement-breakpoint
CREATE INDEX "mails_due" ON "mails" USING btree ("due_at") WHERE "mails"."ended_at" is null;--> statement-breakpoint
CREATE INDEX "mails_ended" ON "mails" USING btree ("ended_at") WHERE "mails"."ended_at" is not null;--> statement-breakpoint
CREATE INDEX "mails_account" ON "mails" USING btree ("account_id");--> statement-breakpoint
CREATE UNIQUE INDEX "unsubscribe_links_recipient" ON "unsubscribe_links" USING btree ("recipient","kind");--> statement-breakpoint
CREATE INDEX "spend_checks_due" ON "spend_checks" USING btree ("due_at");--> statement-breakpoint
CREATE INDEX "told_budgets_month" ON "told_budgets" USING btree ("month");--> statement-breakpoint
CREATE INDEX "keys_expires" ON "keys" USING btree ("expires_at") WHERE "keys"."expires_at" is not null;--> statement-breakpoint
CREATE INDEX "keys_previous_until" ON "keys" USING btree ("previous_until") WHERE "keys"."previous_until" is not null;