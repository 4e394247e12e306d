#!/usr/bin/env bash
# migrate.sh: applies the migrations that the database has not seen, each in a transaction of its own, all in one session that
# holds a lock, and writes at the first time what the installation is: CARILLON_KIND (default demo) and CARILLON_SHARDS.
# A migration that was edited after it was applied is refused: its digest is kept in carillon.migration.
set -eu
. "$(dirname "$0")/lib.sh"
load_env || [ -n "${CARILLON_PG_DSN:-}" ] || die "no address of Postgres: run scripts/stack.sh start first, or set CARILLON_PG_DSN"
kind=${CARILLON_KIND:-demo}
case $kind in live | demo | test) ;; *) die "CARILLON_KIND: found '$kind', expected live, demo or test" ;; esac

# What others refer to comes first: the cards' tallies are rows of the pool's table, and the wallet reads them.
files() {
    local folder seen=' '
    for folder in libcommon/io services/progressive-pool services/jackpot-cards services/wallet services/spin-engine services/*; do
        case $seen in *" $folder "*) continue ;; esac
        seen+="$folder "
        find "$folder/migrations" -maxdepth 1 -name '*.sql' 2>/dev/null | LC_ALL=C sort
    done
}

script() {
    local file digest list=()
    mapfile -t list < <(files)
    cat <<'SQL'
set client_min_messages = warning;
set lock_timeout = '120s';
select pg_advisory_lock(7241905) \g /dev/null
reset lock_timeout;
create schema if not exists carillon;
create table if not exists carillon.migration (
    name text primary key,
    digest text not null,
    applied timestamptz not null default now()
);
comment on table carillon.migration is 'Which migrations were applied, by file, with the SHA-256 of what was applied.';
SQL
    while read -r digest file; do
        cat <<SQL
select count(*) = 0 as missing, coalesce(max(digest), '$digest') <> '$digest' as edited
  from carillon.migration where name = '$file' \gset
\if :edited
do \$\$ begin raise exception 'migration $file was edited after it was applied: found digest $digest, expected the one in carillon.migration'; end \$\$;
\endif
\if :missing
\echo '  applying $file'
begin;
\i '$file'
insert into carillon.migration (name, digest) values ('$file', '$digest');
commit;
\endif
SQL
    done < <(sha256sum "${list[@]}")
    cat <<SQL
select exists (select from pg_tables where schemaname = 'carillon' and tablename = 'installation') as known \gset
\if :known
insert into carillon.installation (kind, shards) select '$kind', ${CARILLON_SHARDS:-4} where not exists (select from carillon.installation);
select kind <> '$kind' as other_kind, kind as is_kind, shards <> ${CARILLON_SHARDS:-4} as other_shards from carillon.installation \gset
\if :other_kind
do \$\$ begin raise exception 'CARILLON_KIND: found $kind, expected %, the kind in carillon.installation, which never changes', (select kind from carillon.installation); end \$\$;
\endif
\if :other_shards
do \$\$ begin raise exception 'CARILLON_SHARDS: found ${CARILLON_SHARDS:-4}, expected %, the number in carillon.installation, which never changes', (select shards from carillon.installation); end \$\$;
\endif
\endif
SQL
    grants
}

# What the roles may do is taken away and given again as the grants.sql say, in one transaction: what was granted by hand does not stay. A database without
# the roles (scripts/roles.sh) has one user for all.
grants() {
    local file services
    services=$(printf 'carillon_%s, ' "${SERVICES[@]//-/_}")
    cat <<SQL
select count(*) = 1 as roles from pg_roles where rolname = 'carillon_archiver' \gset
\if :roles
\set services '${services%, }'
begin;
select format('revoke all on %s %I.%I from %I', case when kind = 'S' then 'sequence' else 'table' end, nspname, relname, rolname) from (
	select distinct c.relkind as kind, n.nspname, c.relname, r.rolname from pg_class c join pg_namespace n on n.oid = c.relnamespace,
		lateral (select (aclexplode(c.relacl)).grantee union select (aclexplode(a.attacl)).grantee from pg_attribute a where a.attrelid = c.oid and a.attacl is not null) g
		join pg_roles r on r.oid = g.grantee
	where n.nspname in (select nspname from pg_namespace where nspowner = current_user::regrole) and r.rolname like 'carillon\_%') g \gexec
select format('revoke all on all functions in schema %I from public, carillon_ro, carillon_archiver, carillon_reports, %s', nspname, :'services')
	from pg_namespace where nspowner = current_user::regrole \gexec
select format('revoke all on schema %I from public, carillon_ro, carillon_archiver, carillon_reports, %s', nspname, :'services')
	from pg_namespace where nspowner = current_user::regrole \gexec
SQL
    for file in libcommon/io/grants.sql services/*/grants.sql; do [ ! -f "$file" ] || echo "\i '$file'"; done
    printf 'commit;\n\\endif\n'
}

script | "$PG_BIN/psql" -d "$CARILLON_PG_DSN" -Xq -v ON_ERROR_STOP=1 -f - || die "stopped at the error above; the database has every migration that was finished before it"
