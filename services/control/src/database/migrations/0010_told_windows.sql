CREATE TABLE "told_windows" (
	"id" bigint PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"window" integer NOT NULL,
	"percent" integer NOT NULL,
	"spent_nanos" bigint NOT NULL
);
--> statement-breakpoint
CREATE INDEX "told_windows_account" ON "told_windows" USING btree ("account_id");