-- Control's role may lack the right to create and drop tables. These functions do it with the rights of their owner, and only
-- for partitions of the ledger. Nobody else may call them: see docs/operate/database-roles.md.
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
-- `pg_temp` comes last: a caller's temporary table must not stand for a table of this schema.
DO $$
BEGIN
  EXECUTE format('ALTER FUNCTION "add_ledger_month"(timestamptz) SECURITY DEFINER SET search_path = %I, pg_temp', current_schema());
  EXECUTE format('ALTER FUNCTION "drop_ledger_month"(timestamptz) SECURITY DEFINER SET search_path = %I, pg_temp', current_schema());
END
$$;
--> statement-breakpoint
REVOKE EXECUTE ON FUNCTION "add_ledger_month"(timestamptz), "drop_ledger_month"(timestamptz) FROM PUBLIC;
