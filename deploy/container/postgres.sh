#!/bin/bash
# postgres.sh: makes the cluster at the first start, with both roles and the database, and becomes the server.
set -eu
bin=/usr/lib/postgresql/15/bin
: "${CARILLON_PG_PASSWORD:?expected the password of the roles carillon and carillon_ro}"
if [ ! -f /data/pg/PG_VERSION ]; then
	rm -rf /data/pg.new
	"$bin/initdb" -D /data/pg.new -U postgres -E UTF8 --locale=C.UTF-8 --auth-local=peer --auth-host=scram-sha-256 --no-instructions
	printf 'host all carillon,carillon_ro 0.0.0.0/0 scram-sha-256\nhost all carillon,carillon_ro ::/0 scram-sha-256\n' >>/data/pg.new/pg_hba.conf
	"$bin/pg_ctl" -D /data/pg.new -w -o "-c listen_addresses= -c unix_socket_directories=/tmp" start
	"$bin/psql" -h /tmp -U postgres -d postgres -Xq -v ON_ERROR_STOP=1 -v password="$CARILLON_PG_PASSWORD" <<'SQL'
create role carillon login password :'password';
create role carillon_ro login password :'password';
grant pg_read_all_data to carillon_ro;
create database carillon owner carillon;
SQL
	"$bin/pg_ctl" -D /data/pg.new -w -m fast stop
	mv /data/pg.new /data/pg
fi
exec "$bin/postgres" -D /data/pg -c listen_addresses='*' -c unix_socket_directories=/tmp -c max_connections=200 -c max_locks_per_transaction=1024 -c shared_buffers=256MB \
	-c max_wal_size=2GB -c min_wal_size=2GB -c checkpoint_timeout=2min -c wal_compression=lz4 -c timezone=UTC -c jit=off
