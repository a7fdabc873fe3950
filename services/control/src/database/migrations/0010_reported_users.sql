ALTER TABLE "users" ADD COLUMN "due_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "due_marks" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "users_due" ON "users" USING btree ("due_at") WHERE "users"."due_at" is not null;