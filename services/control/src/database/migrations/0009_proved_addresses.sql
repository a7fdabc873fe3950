CREATE TABLE "known_browsers" (
	"token_hash" text NOT NULL,
	"user_id" uuid NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "known_browsers_token_hash_user_id_pk" PRIMARY KEY("token_hash","user_id")
);
--> statement-breakpoint
CREATE TABLE "unproved_users" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"is_confirmed" boolean NOT NULL,
	"link_hash" text,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "unproved_users_link_hash_unique" UNIQUE("link_hash")
);
--> statement-breakpoint
ALTER TABLE "known_browsers" ADD CONSTRAINT "known_browsers_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "known_browsers_user" ON "known_browsers" USING btree ("user_id","ends_at");--> statement-breakpoint
CREATE INDEX "known_browsers_ends" ON "known_browsers" USING btree ("ends_at");--> statement-breakpoint
CREATE INDEX "unproved_users_email" ON "unproved_users" USING btree ("email");--> statement-breakpoint
CREATE INDEX "unproved_users_at" ON "unproved_users" USING btree ("at");