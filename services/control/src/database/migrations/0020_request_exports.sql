CREATE TABLE "request_exporter" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"replica" uuid NOT NULL,
	"lease_ends_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "request_exporter_one_row" CHECK ("request_exporter"."one")
);
--> statement-breakpoint
CREATE TABLE "request_exports" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "request_exports_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"stored_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"count" integer NOT NULL,
	"receipts" "bytea" NOT NULL
);
