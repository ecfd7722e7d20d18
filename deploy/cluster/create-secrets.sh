#!/bin/sh
# Creates the passwords of the cluster, and a certificate for its PostgreSQL servers with its own CA, in the folder secrets/.
# Run it once as root, in the folder of compose.yaml. It overwrites no files.
set -eu

# The users in the containers of Postern and PostgreSQL.
postern=65532
postgres=70

umask 077
mkdir secrets
cd secrets

password() { openssl rand -hex 24; }
printf %s "$(password)" >admin-password
printf %s "$(password)" >database-password
printf %s "$(password)" >superuser-password
printf '*:*:*:replicator:%s\n' "$(password)" >replication-pgpass

key='-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes'
# shellcheck disable=SC2086
openssl req -x509 -days 3650 -subj '/CN=Postern database CA' $key -keyout ca-key.pem -out database-ca.pem
# shellcheck disable=SC2086
openssl req -subj /CN=primary -addext subjectAltName=DNS:primary,DNS:replica $key \
  -keyout database-key.pem -out database.csr
openssl x509 -req -in database.csr -days 3650 -copy_extensions copy -CA database-ca.pem -CAkey ca-key.pem \
  -out database.pem 2>/dev/null
# Without the key, no one can sign another certificate with this CA.
rm ca-key.pem database.csr

chown "$postern" admin-password
chown "$postern:$postgres" database-password
chown "$postgres" superuser-password replication-pgpass database-key.pem
chmod 440 database-password
chmod 444 database-ca.pem database.pem
chmod 711 .
