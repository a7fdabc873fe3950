DROP INDEX "former_secrets_key";--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "key_changes_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "projection" ADD COLUMN "ledger_closed_before" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "projection" ADD COLUMN "ledger_folded_before" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "shards" ADD COLUMN "purged" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "former_secrets_dies" ON "former_secrets" USING btree ("dies_at");--> statement-breakpoint
CREATE INDEX "keys_revoked" ON "keys" USING btree ("revoked_at") WHERE "keys"."revoked_at" is not null;--> statement-breakpoint
CREATE INDEX "former_secrets_key" ON "former_secrets" USING btree ("key_id","version");--> statement-breakpoint
-- The ledger, partitioned by month.
ALTER TABLE "ledger" RENAME TO "ledger_in_one";--> statement-breakpoint
ALTER TABLE "ledger_in_one" RENAME CONSTRAINT "ledger_account_id_hour_run_key_id_model_pk" TO "ledger_in_one_pk";--> statement-breakpoint
CREATE TABLE "ledger" (
	LIKE "ledger_in_one" INCLUDING DEFAULTS,
	CONSTRAINT "ledger_account_id_hour_run_key_id_model_pk" PRIMARY KEY("account_id","hour","run","key_id","model")
) PARTITION BY RANGE ("hour");
--> statement-breakpoint
CREATE INDEX "ledger_hour" ON "ledger" USING brin ("hour");--> statement-breakpoint
-- Makes the partition of the month (UTC) that a time is in, unless it is there.
-- Attaching a table keeps out no reader and no writer, which creating it as a partition would.
CREATE FUNCTION "add_ledger_month"("of" timestamptz) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
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
SELECT "add_ledger_month"("month") FROM (
  SELECT DISTINCT date_trunc('month', "hour", 'UTC') AS "month" FROM "ledger_in_one"
  UNION SELECT now()
) AS "months";
--> statement-breakpoint
INSERT INTO "ledger" SELECT * FROM "ledger_in_one";--> statement-breakpoint
DROP TABLE "ledger_in_one";
