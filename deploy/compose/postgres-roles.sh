#!/bin/sh
# Makes the two roles of docs/operate/database-roles.md: one migrates, and control's reads and writes rows. PostgreSQL's image runs this
# once, when it makes the database.
set -eu
psql --quiet --no-psqlrc --set ON_ERROR_STOP=1 --username postgres --dbname "$POSTGRES_DB" <<'SQL'
-- Read by psql, because arguments of a process are visible to others.
\getenv owner_password DATABASE_OWNER_PASSWORD
\getenv control_password DATABASE_CONTROL_PASSWORD
create role tollgate_owner login password :'owner_password';
create role tollgate_control login password :'control_password';

grant usage, create on schema public to tollgate_owner;
grant usage on schema public to tollgate_control;

-- For everything that migrations create, now and in later releases.
alter default privileges for role tollgate_owner in schema public
  grant select, insert, update, delete on tables to tollgate_control;
alter default privileges for role tollgate_owner in schema public
  grant usage on sequences to tollgate_control;
alter default privileges for role tollgate_owner in schema public
  grant execute on functions to tollgate_control;
SQL
