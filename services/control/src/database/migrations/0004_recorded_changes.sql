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
