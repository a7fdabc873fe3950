CREATE TABLE "former_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"created_by" uuid NOT NULL
);
--> statement-breakpoint
ALTER TABLE "former_keys" ADD CONSTRAINT "former_keys_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "former_keys_account" ON "former_keys" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "former_keys_created_by" ON "former_keys" USING btree ("created_by");