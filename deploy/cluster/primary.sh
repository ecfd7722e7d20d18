#!/bin/sh
# Runs once, when the primary creates its data: creates the users and the database, and turns on synchronous replication.
set -eu

psql --no-psqlrc --set=ON_ERROR_STOP=1 --username=postgres --dbname=postgres <<'SQL'
\set password `cat /run/secrets/database_password`
\set replication_password `cut -d: -f5 /run/secrets/replication_pgpass`
CREATE ROLE postern LOGIN PASSWORD :'password';
CREATE ROLE replicator LOGIN REPLICATION PASSWORD :'replication_password';
CREATE DATABASE postern OWNER postern ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0;
-- This takes effect at the next start. Otherwise, commits in this script would wait for a standby that does not exist yet.
ALTER SYSTEM SET synchronous_standby_names = 'replica';
SQL
