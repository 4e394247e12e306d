#!/bin/bash
# postgres.sh: makes the cluster at the first start, and at each start the roles, with the passwords of the secret; then becomes the server. From the
# network everybody comes by password, and the administrator not at all.
set -eu
bin=/usr/lib/postgresql/15/bin
roles=/secrets/roles.sql
[ -r "$roles" ] || { echo "$roles: found no readable file, expected the roles (scripts/keys.sh containers makes it)" >&2; exit 1; }
if [ ! -f /data/pg/PG_VERSION ]; then
	rm -rf /data/pg.new
	"$bin/initdb" -D /data/pg.new -U postgres -E UTF8 --locale=C.UTF-8 --auth-local=peer --auth-host=scram-sha-256 --no-instructions
	mv /data/pg.new /data/pg
fi
printf '%s\n' 'local all postgres peer' 'host all postgres all reject' 'host all all all scram-sha-256' >/data/pg/pg_hba.conf
"$bin/pg_ctl" -D /data/pg -w -t 120 -o "-c listen_addresses= -c unix_socket_directories=/tmp -c unix_socket_permissions=0700" start
"$bin/psql" -h /tmp -U postgres -d postgres -Xq -v ON_ERROR_STOP=1 -f "$roles"
"$bin/pg_ctl" -D /data/pg -w -m fast stop
exec "$bin/postgres" -D /data/pg -c listen_addresses='*' -c unix_socket_directories=/tmp -c unix_socket_permissions=0700 -c password_encryption=scram-sha-256 -c max_connections=200 \
	-c max_locks_per_transaction=1024 -c shared_buffers=256MB -c max_wal_size=2GB -c min_wal_size=2GB -c checkpoint_timeout=2min -c wal_compression=lz4 -c timezone=UTC -c jit=off
