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
	CONSTRAINT "requests_id_at_pk" PRIMARY KEY("id","at")
) PARTITION BY RANGE ("at");
--> statement-breakpoint
CREATE INDEX "requests_account" ON "requests" USING btree ("account_id","at");--> statement-breakpoint
CREATE INDEX "requests_key" ON "requests" USING btree ("key_id","at");--> statement-breakpoint
CREATE INDEX "requests_failed" ON "requests" USING btree ("account_id","at") WHERE "requests"."code" is not null or "requests"."status" >= 400;--> statement-breakpoint
CREATE INDEX "requests_address" ON "requests" USING btree ("account_id") WHERE "requests"."address" is not null;--> statement-breakpoint
CREATE INDEX "requests_at" ON "requests" USING brin ("at");--> statement-breakpoint
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
-- Control's role may lack the right to create and drop tables: see docs/operate/database-roles.md. `pg_temp` comes last, because
-- a caller's temporary table must not stand for a table of this schema.
-- additive: the functions are new
DO $$
BEGIN
  EXECUTE format('ALTER FUNCTION "add_request_day"(timestamptz) SECURITY DEFINER SET search_path = %I, pg_temp', current_schema());
  EXECUTE format('ALTER FUNCTION "drop_request_day"(timestamptz) SECURITY DEFINER SET search_path = %I, pg_temp', current_schema());
END
$$;
--> statement-breakpoint
-- additive: the functions are new
REVOKE EXECUTE ON FUNCTION "add_request_day"(timestamptz), "drop_request_day"(timestamptz) FROM PUBLIC;
