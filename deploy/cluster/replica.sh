#!/bin/sh
# Starts PostgreSQL as a standby of the server in PRIMARY. The first start copies the data of this server.
set -eu

if [ ! -s "$PGDATA/PG_VERSION" ]; then
  connection="host=$PRIMARY user=replicator passfile=/run/secrets/replication_pgpass application_name=replica"
  connection="$connection sslmode=verify-full sslrootcert=/run/secrets/database_ca"
  rm -rf "$PGDATA.copy"
  pg_basebackup --pgdata="$PGDATA.copy" --dbname="$connection" --checkpoint=fast --write-recovery-conf
  # After a promotion, commits must not wait for a standby of the same name.
  sed -i '/^synchronous_standby_names/d' "$PGDATA.copy/postgresql.auto.conf"
  mv "$PGDATA.copy" "$PGDATA"
fi
exec postgres "$@"
