CREATE TABLE "served_hours" (
	"hour" timestamp (3) with time zone NOT NULL,
	"model" text NOT NULL,
	"successes" bigint NOT NULL,
	"failures" bigint NOT NULL,
	CONSTRAINT "served_hours_hour_model_pk" PRIMARY KEY("hour","model")
);
