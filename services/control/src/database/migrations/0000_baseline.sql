CREATE SEQUENCE "public"."changes" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
CREATE TABLE "accounts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"owner_id" uuid NOT NULL,
	"plan" text NOT NULL,
	"shard" text NOT NULL,
	"version" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"suspensions" text[] DEFAULT '{}' NOT NULL,
	"status" text GENERATED ALWAYS AS (case when suspensions = '{}' then 'active' else 'suspended' end) STORED NOT NULL,
	"own_cap_nanos" bigint,
	"subscription_status" text,
	"key_changes_until" timestamp (3) with time zone,
	"override_plan" text,
	"override_plan_ends_at" timestamp (3) with time zone,
	"plan_in_force" text GENERATED ALWAYS AS (coalesce(override_plan, plan)) STORED NOT NULL,
	"override_limits" jsonb,
	"override_limits_end_at" timestamp (3) with time zone,
	"setup_dismissed_at" timestamp (3) with time zone,
	CONSTRAINT "accounts_suspensions" CHECK ("accounts"."suspensions" <@ array['identity', 'team', 'deleted', 'operator']),
	CONSTRAINT "accounts_own_cap" CHECK ("accounts"."own_cap_nanos" >= 0)
);
--> statement-breakpoint
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
CREATE TABLE "audit_log" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "audit_log_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account_id" uuid NOT NULL,
	"actor_id" uuid,
	"action" text NOT NULL,
	"subject" text,
	"detail" jsonb NOT NULL,
	"ip" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
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
CREATE TABLE "catalogs" (
	"version" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "catalogs_version_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"sha256" text NOT NULL,
	"json" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"yaml" text,
	"operator_id" uuid,
	"reason" text
);
--> statement-breakpoint
CREATE TABLE "events" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid,
	"type" text NOT NULL,
	"data" jsonb NOT NULL,
	"once" text,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "events_once_unique" UNIQUE("once")
);
--> statement-breakpoint
CREATE TABLE "former_secrets" (
	"digest" text PRIMARY KEY NOT NULL,
	"key_id" text NOT NULL,
	"account_id" uuid NOT NULL,
	"scope" text NOT NULL,
	"secret_shard" text NOT NULL,
	"version" bigint NOT NULL,
	"dies_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"account_id" uuid NOT NULL,
	"hash" text NOT NULL,
	"key_id" text NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "idempotency_keys_account_id_hash_pk" PRIMARY KEY("account_id","hash")
);
--> statement-breakpoint
CREATE TABLE "keys" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"created_by" uuid,
	"label" text NOT NULL,
	"scope" text NOT NULL,
	"prefix" text NOT NULL,
	"digest" text NOT NULL,
	"status" text NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"models" jsonb,
	"account_shard" text NOT NULL,
	"secret_shard" text NOT NULL,
	"version" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"revoked_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone,
	"previous_digest" text,
	"previous_until" timestamp (3) with time zone,
	"monthly_budget_nanos" bigint,
	"requests_per_minute" integer,
	"metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"cut_streams" boolean DEFAULT false NOT NULL,
	"session_id" uuid,
	"thresholds" integer[],
	"paused" boolean DEFAULT false NOT NULL,
	CONSTRAINT "keys_digest_unique" UNIQUE("digest"),
	CONSTRAINT "keys_status" CHECK (("keys"."status" = 'revoked') = ("keys"."revoked_at" is not null)),
	CONSTRAINT "keys_previous" CHECK (("keys"."previous_digest" is null) = ("keys"."previous_until" is null))
);
--> statement-breakpoint
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
CREATE TABLE "projection" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"epoch" integer DEFAULT 0 NOT NULL,
	"ledger_epoch" integer DEFAULT 0 NOT NULL,
	"ledger_closed_before" timestamp (3) with time zone,
	"ledger_folded_before" timestamp (3) with time zone,
	CONSTRAINT "projection_one_row" CHECK ("projection"."one")
);
--> statement-breakpoint
CREATE TABLE "shards" (
	"name" text PRIMARY KEY NOT NULL,
	"version" bigint NOT NULL,
	"purged" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "recovery_codes" (
	"user_id" uuid NOT NULL,
	"code_hash" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone,
	CONSTRAINT "recovery_codes_user_id_code_hash_pk" PRIMARY KEY("user_id","code_hash")
);
--> statement-breakpoint
CREATE TABLE "request_exporter" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"replica" uuid NOT NULL,
	"lease_ends_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "request_exporter_one_row" CHECK ("request_exporter"."one")
);
--> statement-breakpoint
CREATE TABLE "request_exports" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "request_exports_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"stored_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"count" integer NOT NULL,
	"receipts" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "request_log" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"skipped" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "request_log_one_row" CHECK ("request_log"."one")
);
--> statement-breakpoint
CREATE TABLE "request_rates" (
	"id" bigint PRIMARY KEY NOT NULL,
	"rates" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "requests" (
	"at" timestamp (3) with time zone NOT NULL,
	"id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"cost_nanos" bigint NOT NULL,
	"held_nanos" bigint NOT NULL,
	"rates_id" bigint,
	"prompt_tokens" integer NOT NULL,
	"cached_tokens" integer NOT NULL,
	"completion_tokens" integer NOT NULL,
	"reasoning_tokens" integer NOT NULL,
	"held_tokens" integer NOT NULL,
	"granted_tokens" integer,
	"first_byte_ms" integer,
	"duration_ms" integer,
	"count" integer NOT NULL,
	"cache_write_tokens" integer,
	"long_cache_write_tokens" integer,
	"audio_input_tokens" integer,
	"image_input_tokens" integer,
	"audio_output_tokens" integer,
	"image_output_tokens" integer,
	"tool_calls" integer,
	"rank" smallint NOT NULL,
	"attempts" smallint NOT NULL,
	"status" smallint,
	"is_stream" boolean NOT NULL,
	"is_estimated" boolean NOT NULL,
	"client_gone" boolean NOT NULL,
	"key_id" text NOT NULL,
	"endpoint" text NOT NULL,
	"model" text,
	"answered_model" text,
	"upstream" text,
	"code" text,
	"tier" text,
	"address" text,
	"failed_attempts" jsonb,
	CONSTRAINT "requests_id_at_pk" PRIMARY KEY("id","at")
) PARTITION BY RANGE ("at");
--> statement-breakpoint
CREATE TABLE "known_browsers" (
	"token_hash" text NOT NULL,
	"user_id" uuid NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "known_browsers_token_hash_user_id_pk" PRIMARY KEY("token_hash","user_id")
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"token_hash" text PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"idle_ends_at" timestamp (3) with time zone NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL,
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"browser" text,
	"last_used_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"is_recovered" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "invitations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"email" text NOT NULL,
	"token_hash" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "invitations_token_hash_unique" UNIQUE("token_hash")
);
--> statement-breakpoint
CREATE TABLE "members" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"joined_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ledger" (
	"account_id" uuid NOT NULL,
	"hour" timestamp (3) with time zone NOT NULL,
	"run" text NOT NULL,
	"key_id" text NOT NULL,
	"model" text NOT NULL,
	"requests" bigint DEFAULT 0 NOT NULL,
	"errors" bigint DEFAULT 0 NOT NULL,
	"prompt_tokens" bigint DEFAULT 0 NOT NULL,
	"cached_tokens" bigint DEFAULT 0 NOT NULL,
	"completion_tokens" bigint DEFAULT 0 NOT NULL,
	"cost_nanos" bigint DEFAULT 0 NOT NULL,
	"revision" bigint NOT NULL,
	"estimated_requests" bigint DEFAULT 0 NOT NULL,
	"estimated_nanos" bigint DEFAULT 0 NOT NULL,
	"reasoning_tokens" bigint DEFAULT 0 NOT NULL,
	"upstream" text DEFAULT '' NOT NULL,
	"cache_write_tokens" bigint DEFAULT 0 NOT NULL,
	"long_cache_write_tokens" bigint DEFAULT 0 NOT NULL,
	"audio_input_tokens" bigint DEFAULT 0 NOT NULL,
	"image_input_tokens" bigint DEFAULT 0 NOT NULL,
	"audio_output_tokens" bigint DEFAULT 0 NOT NULL,
	"image_output_tokens" bigint DEFAULT 0 NOT NULL,
	"tool_calls" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "ledger_account_id_hour_run_key_id_model_pk" PRIMARY KEY("account_id","hour","run","key_id","model")
) PARTITION BY RANGE ("hour");
--> statement-breakpoint
CREATE TABLE "password_resets" (
	"token_hash" text PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL,
	"email" text
);
--> statement-breakpoint
CREATE TABLE "plan_writes" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"intended" text NOT NULL,
	"ours" jsonb NOT NULL,
	"revision" integer NOT NULL,
	"pending" boolean NOT NULL,
	"lease_ends_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "sweeps" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"page" integer,
	"finished_at" timestamp (3) with time zone,
	"lease_ends_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "sweeps_one_row" CHECK ("sweeps"."one")
);
--> statement-breakpoint
CREATE TABLE "unproved_users" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"is_confirmed" boolean NOT NULL,
	"link_hash" text,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "unproved_users_link_hash_unique" UNIQUE("link_hash")
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" uuid PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"name" text NOT NULL,
	"plan" text,
	"synced_at" timestamp (3) with time zone NOT NULL,
	"checked_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"password_set_at" timestamp(6) with time zone,
	"deletion_started_at" timestamp (3) with time zone,
	"deleted_at" timestamp (3) with time zone,
	"due_at" timestamp (3) with time zone,
	"due_marks" integer DEFAULT 0 NOT NULL,
	"proved_email" text,
	"is_operator" boolean DEFAULT false NOT NULL,
	"has_password" boolean DEFAULT true NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhook_attempts" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "webhook_attempts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"delivery_id" uuid NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"duration_ms" integer NOT NULL,
	"status" integer,
	"error" text
);
--> statement-breakpoint
CREATE TABLE "webhook_deliveries" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"endpoint_id" uuid NOT NULL,
	"event_id" uuid NOT NULL,
	"status" text NOT NULL,
	"due_at" timestamp (3) with time zone,
	"retries" integer DEFAULT 0 NOT NULL,
	"is_single" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "webhook_deliveries_pending" CHECK (("webhook_deliveries"."status" = 'pending') = ("webhook_deliveries"."due_at" is not null))
);
--> statement-breakpoint
CREATE TABLE "webhook_endpoints" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid,
	"url" text NOT NULL,
	"description" text NOT NULL,
	"event_types" jsonb,
	"secret" text NOT NULL,
	"previous_secret" text,
	"previous_secret_until" timestamp (3) with time zone,
	"disabled_reason" text,
	"disabled_at" timestamp (3) with time zone,
	"failing_since" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"is_quick" boolean DEFAULT false NOT NULL,
	CONSTRAINT "webhook_endpoints_disabled" CHECK (("webhook_endpoints"."disabled_reason" is null) = ("webhook_endpoints"."disabled_at" is null)),
	CONSTRAINT "webhook_endpoints_previous" CHECK (("webhook_endpoints"."previous_secret" is null) = ("webhook_endpoints"."previous_secret_until" is null))
);
--> statement-breakpoint
ALTER TABLE "customers" ADD CONSTRAINT "customers_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "former_secrets" ADD CONSTRAINT "former_secrets_key_id_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."keys"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "keys" ADD CONSTRAINT "keys_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "keys" ADD CONSTRAINT "keys_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recovery_codes" ADD CONSTRAINT "recovery_codes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "known_browsers" ADD CONSTRAINT "known_browsers_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "members" ADD CONSTRAINT "members_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "members" ADD CONSTRAINT "members_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "plan_writes" ADD CONSTRAINT "plan_writes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_attempts" ADD CONSTRAINT "webhook_attempts_delivery_id_webhook_deliveries_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "public"."webhook_deliveries"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_endpoint_id_webhook_endpoints_id_fk" FOREIGN KEY ("endpoint_id") REFERENCES "public"."webhook_endpoints"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_event_id_events_id_fk" FOREIGN KEY ("event_id") REFERENCES "public"."events"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "accounts_shard_version" ON "accounts" USING btree ("shard","version");--> statement-breakpoint
CREATE INDEX "accounts_override_ends" ON "accounts" USING btree (least("override_plan_ends_at", "override_limits_end_at")) WHERE "accounts"."override_plan_ends_at" is not null or "accounts"."override_limits_end_at" is not null;--> statement-breakpoint
CREATE INDEX "adjustments_account" ON "adjustments" USING btree ("account_id","month");--> statement-breakpoint
CREATE INDEX "operator_acts_at" ON "operator_acts" USING btree ("at","id");--> statement-breakpoint
CREATE INDEX "operator_acts_account" ON "operator_acts" USING btree ("account_id","at","id");--> statement-breakpoint
CREATE INDEX "audit_log_account" ON "audit_log" USING btree ("account_id","at","id");--> statement-breakpoint
CREATE INDEX "audit_log_at" ON "audit_log" USING btree ("at");--> statement-breakpoint
CREATE INDEX "audit_log_action" ON "audit_log" USING btree ("account_id","action","at","id");--> statement-breakpoint
CREATE INDEX "audit_log_actor" ON "audit_log" USING btree ("account_id","actor_id","at","id") WHERE "audit_log"."actor_id" is not null;--> statement-breakpoint
CREATE INDEX "audit_log_subject" ON "audit_log" USING btree ("account_id","subject","at","id") WHERE "audit_log"."subject" is not null;--> statement-breakpoint
CREATE INDEX "billing_events_at" ON "billing_events" USING btree ("at");--> statement-breakpoint
CREATE INDEX "customers_due" ON "customers" USING btree ("due_at") WHERE "customers"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "invoices_paid_at" ON "invoices" USING btree ("paid_at");--> statement-breakpoint
CREATE INDEX "invoices_customer" ON "invoices" USING btree ("customer_id");--> statement-breakpoint
CREATE INDEX "events_account" ON "events" USING btree ("account_id","at","id") WHERE "events"."account_id" is not null;--> statement-breakpoint
CREATE INDEX "events_operators" ON "events" USING btree ("at","id") WHERE "events"."account_id" is null;--> statement-breakpoint
CREATE INDEX "events_at" ON "events" USING btree ("at");--> statement-breakpoint
CREATE INDEX "former_secrets_shard_version" ON "former_secrets" USING btree ("secret_shard","version");--> statement-breakpoint
CREATE INDEX "former_secrets_key" ON "former_secrets" USING btree ("key_id","version");--> statement-breakpoint
CREATE INDEX "former_secrets_dies" ON "former_secrets" USING btree ("dies_at");--> statement-breakpoint
CREATE INDEX "idempotency_keys_ends" ON "idempotency_keys" USING btree ("ends_at");--> statement-breakpoint
CREATE INDEX "keys_account" ON "keys" USING btree ("account_id","created_at","id");--> statement-breakpoint
CREATE INDEX "keys_created_by" ON "keys" USING btree ("created_by");--> statement-breakpoint
CREATE INDEX "keys_account_shard_version" ON "keys" USING btree ("account_shard","version");--> statement-breakpoint
CREATE INDEX "keys_secret_shard_version" ON "keys" USING btree ("secret_shard","version");--> statement-breakpoint
CREATE INDEX "keys_revoked" ON "keys" USING btree ("revoked_at") WHERE "keys"."revoked_at" is not null;--> statement-breakpoint
CREATE INDEX "keys_expires" ON "keys" USING btree ("expires_at") WHERE "keys"."expires_at" is not null;--> statement-breakpoint
CREATE INDEX "keys_previous_until" ON "keys" USING btree ("previous_until") WHERE "keys"."previous_until" is not null;--> statement-breakpoint
CREATE INDEX "keys_tokens" ON "keys" USING btree ("expires_at") WHERE "keys"."session_id" is not null;--> statement-breakpoint
CREATE INDEX "keys_metadata" ON "keys" USING gin ("metadata" jsonb_path_ops);--> statement-breakpoint
CREATE UNIQUE INDEX "mails_collecting" ON "mails" USING btree ("recipient","kind") WHERE "mails"."state" = 'collecting';--> statement-breakpoint
CREATE INDEX "mails_due" ON "mails" USING btree ("due_at") WHERE "mails"."ended_at" is null;--> statement-breakpoint
CREATE INDEX "mails_ended" ON "mails" USING btree ("ended_at") WHERE "mails"."ended_at" is not null;--> statement-breakpoint
CREATE INDEX "mails_account" ON "mails" USING btree ("account_id");--> statement-breakpoint
CREATE UNIQUE INDEX "unsubscribe_links_recipient" ON "unsubscribe_links" USING btree ("recipient","kind");--> statement-breakpoint
CREATE INDEX "spend_checks_due" ON "spend_checks" USING btree ("due_at");--> statement-breakpoint
CREATE INDEX "told_budgets_month" ON "told_budgets" USING btree ("month");--> statement-breakpoint
CREATE INDEX "requests_account" ON "requests" USING btree ("account_id","at");--> statement-breakpoint
CREATE INDEX "requests_key" ON "requests" USING btree ("key_id","at");--> statement-breakpoint
CREATE INDEX "requests_failed" ON "requests" USING btree ("account_id","at") WHERE "requests"."code" is not null or "requests"."status" >= 400;--> statement-breakpoint
CREATE INDEX "requests_key_failed" ON "requests" USING btree ("key_id","at") WHERE "requests"."code" is not null or "requests"."status" >= 400;--> statement-breakpoint
CREATE INDEX "requests_address" ON "requests" USING btree ("account_id") WHERE "requests"."address" is not null;--> statement-breakpoint
CREATE INDEX "requests_at" ON "requests" USING brin ("at");--> statement-breakpoint
CREATE INDEX "known_browsers_user" ON "known_browsers" USING btree ("user_id","ends_at");--> statement-breakpoint
CREATE INDEX "known_browsers_ends" ON "known_browsers" USING btree ("ends_at");--> statement-breakpoint
CREATE INDEX "sessions_user" ON "sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "sessions_idle_ends" ON "sessions" USING btree ("idle_ends_at");--> statement-breakpoint
CREATE UNIQUE INDEX "invitations_account_email" ON "invitations" USING btree ("account_id","email");--> statement-breakpoint
CREATE INDEX "members_account" ON "members" USING btree ("account_id","joined_at");--> statement-breakpoint
CREATE INDEX "ledger_hour" ON "ledger" USING brin ("hour");--> statement-breakpoint
CREATE INDEX "password_resets_user" ON "password_resets" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "password_resets_ends" ON "password_resets" USING btree ("ends_at");--> statement-breakpoint
CREATE INDEX "plan_writes_pending" ON "plan_writes" USING btree ("user_id") WHERE "plan_writes"."pending";--> statement-breakpoint
CREATE INDEX "unproved_users_email" ON "unproved_users" USING btree ("email");--> statement-breakpoint
CREATE INDEX "unproved_users_at" ON "unproved_users" USING btree ("at");--> statement-breakpoint
CREATE INDEX "users_due" ON "users" USING btree ("due_at") WHERE "users"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "users_synced" ON "users" USING btree ("synced_at","id") WHERE "users"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "users_deletions" ON "users" USING btree ("deletion_started_at") WHERE "users"."deletion_started_at" is not null and "users"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "webhook_attempts_delivery" ON "webhook_attempts" USING btree ("delivery_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_deliveries_event" ON "webhook_deliveries" USING btree ("event_id","endpoint_id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_endpoint" ON "webhook_deliveries" USING btree ("endpoint_id","created_at","id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_waiting" ON "webhook_deliveries" USING btree ("endpoint_id","due_at") WHERE "webhook_deliveries"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries" USING btree ("due_at") WHERE "webhook_deliveries"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_created" ON "webhook_deliveries" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "webhook_endpoints_account" ON "webhook_endpoints" USING btree ("account_id","created_at");--> statement-breakpoint
-- A row whose version its shard does not know would look, once projected, like a change that this database has lost: it
-- would be taken for restored, and everything projected anew, again and again. So such a row cannot be committed.
CREATE FUNCTION "insist_on_recorded_change"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  shard_column text;
  shard text;
BEGIN
  FOREACH shard_column IN ARRAY TG_ARGV LOOP
    shard := to_jsonb(NEW) ->> shard_column;
    IF NOT EXISTS (SELECT FROM "shards" WHERE "name" = shard AND "version" >= NEW."version") THEN
      RAISE EXCEPTION 'change % of % is not recorded for its shard %', NEW."version", TG_TABLE_NAME, shard;
    END IF;
  END LOOP;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER "accounts_recorded_change" AFTER INSERT OR UPDATE OF "version" ON "accounts"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "insist_on_recorded_change"('shard');
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER "keys_recorded_change" AFTER INSERT OR UPDATE OF "version" ON "keys"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "insist_on_recorded_change"('account_shard', 'secret_shard');
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER "former_secrets_recorded_change" AFTER INSERT OR UPDATE OF "version" ON "former_secrets"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "insist_on_recorded_change"('secret_shard');
--> statement-breakpoint
-- Makes the partition of the month (UTC) that a time is in, unless it is there.
-- Attaching a table keeps out no reader and no writer, which creating it as a partition would.
CREATE FUNCTION "add_ledger_month"("of" timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  first timestamptz := date_trunc('month', "of", 'UTC');
  next timestamptz := date_trunc('month', first + interval '40 days', 'UTC');
  part text := 'ledger_' || to_char(first AT TIME ZONE 'UTC', 'YYYY_MM');
BEGIN
  IF to_regclass(part) IS NOT NULL THEN
    RETURN;
  END IF;
  PERFORM pg_advisory_xact_lock(7012846613);
  IF to_regclass(part) IS NOT NULL THEN
    RETURN;
  END IF;
  EXECUTE format('CREATE TABLE %I (LIKE "ledger" INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', part);
  EXECUTE format('ALTER TABLE "ledger" ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', part, first, next);
END
$$;
--> statement-breakpoint
-- Drops the partition of the month (UTC) that a time is in. Returns false if there is none, or if it is not closed.
CREATE FUNCTION "drop_ledger_month"("of" timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  first timestamptz := date_trunc('month', "of", 'UTC');
  next timestamptz := date_trunc('month', first + interval '40 days', 'UTC');
  part text := 'ledger_' || to_char(first AT TIME ZONE 'UTC', 'YYYY_MM');
BEGIN
  -- Usage of hours that are not closed could still be copied.
  IF next <= (SELECT max("ledger_closed_before") FROM "projection") AND to_regclass(part) IS NOT NULL THEN
    EXECUTE format('DROP TABLE %I', part);
    RETURN true;
  END IF;
  RETURN false;
END
$$;
--> statement-breakpoint
SELECT "add_ledger_month"(now());
--> statement-breakpoint
-- Makes the partition of the day (UTC) that a time is in, unless it is there.
-- Attaching a table keeps out no reader and no writer, which creating it as a partition would.
CREATE FUNCTION "add_request_day"("of" timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  first timestamptz := date_trunc('day', "of", 'UTC');
  next timestamptz := first + interval '24 hours';
  part text := 'requests_' || to_char(first AT TIME ZONE 'UTC', 'YYYY_MM_DD');
BEGIN
  IF to_regclass(part) IS NOT NULL THEN
    RETURN;
  END IF;
  PERFORM pg_advisory_xact_lock(7012846615);
  IF to_regclass(part) IS NOT NULL THEN
    RETURN;
  END IF;
  EXECUTE format('CREATE TABLE %I (LIKE "requests" INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', part);
  EXECUTE format('ALTER TABLE "requests" ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', part, first, next);
END
$$;
--> statement-breakpoint
-- Drops the partition of the day (UTC) that a time is in. Returns false if there is none.
CREATE FUNCTION "drop_request_day"("of" timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  part text := 'requests_' || to_char("of" AT TIME ZONE 'UTC', 'YYYY_MM_DD');
BEGIN
  IF to_regclass(part) IS NULL THEN
    RETURN false;
  END IF;
  EXECUTE format('DROP TABLE %I', part);
  RETURN true;
END
$$;
--> statement-breakpoint
-- Control's role may lack the right to create and drop tables. These functions do it with the rights of their owner, and only
-- for partitions. Nobody else may call them: see docs/operate/database-roles.md. `pg_temp` comes last, because a caller's
-- temporary table must not stand for a table of this schema.
DO $$
DECLARE
  partition_function text;
BEGIN
  FOREACH partition_function IN ARRAY ARRAY['add_ledger_month', 'drop_ledger_month', 'add_request_day', 'drop_request_day'] LOOP
    EXECUTE format('ALTER FUNCTION %I(timestamptz) SECURITY DEFINER SET search_path = %I, pg_temp', partition_function, current_schema());
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %I(timestamptz) FROM PUBLIC', partition_function);
  END LOOP;
END
$$;
