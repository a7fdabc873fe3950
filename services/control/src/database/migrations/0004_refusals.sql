CREATE TABLE "open_refusals" (
	"account_id" uuid NOT NULL,
	"key_id" text NOT NULL,
	"code" text NOT NULL,
	"since" timestamp (3) with time zone NOT NULL,
	"last_at" timestamp (3) with time zone NOT NULL,
	"count" bigint NOT NULL,
	"model" text,
	"smallest" jsonb,
	"ended_at" timestamp (3) with time zone,
	"told_at" timestamp (3) with time zone,
	CONSTRAINT "open_refusals_account_id_key_id_code_pk" PRIMARY KEY("account_id","key_id","code")
);
--> statement-breakpoint
CREATE TABLE "refusals" (
	"account_id" uuid NOT NULL,
	"hour" timestamp (3) with time zone NOT NULL,
	"key_id" text NOT NULL,
	"code" text NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "refusals_account_id_hour_key_id_code_pk" PRIMARY KEY("account_id","hour","key_id","code")
);
--> statement-breakpoint
ALTER TABLE "requests" ADD COLUMN "refused" jsonb;--> statement-breakpoint
CREATE INDEX "open_refusals_last" ON "open_refusals" USING btree ("last_at");--> statement-breakpoint
CREATE INDEX "refusals_hour" ON "refusals" USING btree ("hour");