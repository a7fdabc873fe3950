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
CREATE INDEX "events_account" ON "events" USING btree ("account_id","at","id") WHERE "events"."account_id" is not null;--> statement-breakpoint
CREATE INDEX "events_operators" ON "events" USING btree ("at","id") WHERE "events"."account_id" is null;--> statement-breakpoint
CREATE INDEX "events_at" ON "events" USING btree ("at");