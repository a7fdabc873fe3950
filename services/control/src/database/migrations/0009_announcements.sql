CREATE TABLE "announcements" (
	"id" uuid PRIMARY KEY NOT NULL,
	"level" text NOT NULL,
	"title" text NOT NULL,
	"text" text NOT NULL,
	"starts_at" timestamp (3) with time zone NOT NULL,
	"ends_at" timestamp (3) with time zone,
	CONSTRAINT "announcements_times" CHECK ("announcements"."ends_at" > "announcements"."starts_at")
);
--> statement-breakpoint
CREATE INDEX "announcements_starts" ON "announcements" USING btree ("starts_at","id");