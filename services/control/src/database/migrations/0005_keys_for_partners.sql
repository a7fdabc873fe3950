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
ALTER TABLE "keys" ADD COLUMN "previous_digest" text;--> statement-breakpoint
ALTER TABLE "keys" ADD COLUMN "previous_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "keys" ADD COLUMN "monthly_budget_nanos" bigint;--> statement-breakpoint
ALTER TABLE "keys" ADD COLUMN "requests_per_minute" integer;--> statement-breakpoint
ALTER TABLE "keys" ADD COLUMN "metadata" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "former_secrets" ADD CONSTRAINT "former_secrets_key_id_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."keys"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "former_secrets_shard_version" ON "former_secrets" USING btree ("secret_shard","version");--> statement-breakpoint
CREATE INDEX "former_secrets_key" ON "former_secrets" USING btree ("key_id");--> statement-breakpoint
CREATE INDEX "idempotency_keys_ends" ON "idempotency_keys" USING btree ("ends_at");--> statement-breakpoint
CREATE INDEX "keys_metadata" ON "keys" USING gin ("metadata" jsonb_path_ops);--> statement-breakpoint
ALTER TABLE "keys" ADD CONSTRAINT "keys_previous" CHECK (("keys"."previous_digest" is null) = ("keys"."previous_until" is null));--> statement-breakpoint
CREATE CONSTRAINT TRIGGER "former_secrets_recorded_change" AFTER INSERT OR UPDATE OF "version" ON "former_secrets"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "insist_on_recorded_change"('secret_shard');
--> statement-breakpoint
-- Records have members now that those in Redis lack: a new epoch voids these, and everything is projected anew.
INSERT INTO "projection" ("epoch") SELECT 1 WHERE EXISTS (SELECT FROM "shards") ON CONFLICT ("one") DO UPDATE SET "epoch" = "projection"."epoch" + 1;
