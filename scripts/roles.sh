#!/usr/bin/env bash
# roles.sh keys | sql | redis | dsn NAME | rotate NAME..: who may do what in the database, in Redis and in Kafka.
# Each service is carillon_<service> and may do what its grants.sql says; carillon owns the tables and migrates, and no service is the owner; carillon_ro
# reads all, carillon_reports what reports need, carillon_archiver archives finished days. NAME is a service, owner, ro, reports or archiver; its password
# is in keys/NAME/pgpass, in libpq's own format, and user and password of those that use Redis or Kafka in keys/NAME/redis and keys/NAME/kafka.
# What each may do in Kafka is in tools/kafka-topics/topics.h; scripts/topics.sh makes its users.
# keys: makes the passwords that are missing. sql: prints what makes the roles and sets their passwords, for the administrator of a database that is not
# ours: scripts/roles.sh sql | psql -d postgres; start the stack with CARILLON_PG_ROLES=1 then. redis: prints the users of Redis, an ACL file. dsn: the
# address for NAME. rotate: new passwords, in force at once: a connection that is open stays.
set -eu -o pipefail
. "$(dirname "$0")/lib.sh"

role_of() { if [ "$1" = owner ]; then echo carillon; else echo "carillon_${1//-/_}"; fi; }
# checked FILE PASSWORD: a service may write its own file, and what is in it comes to where root's word counts.
checked() { [[ $2 =~ ^[0-9a-f]{48}$ ]] || die "keys/$1: found another password than 48 hexadecimal digits, expected one as scripts/roles.sh makes it: delete the file, and start again"; }
known() { case " ${PG_ROLES[*]} " in *" $1 "*) ;; *) die "NAME: found '$1', expected one of ${PG_ROLES[*]}" ;; esac; }

# password_make NAME: into its file, whole or not at all.
password_make() {
    local folder=$CARILLON_DATA/keys/$1
    mkdir -p -m 700 "$folder"
    echo "*:*:*:$(role_of "$1"):$(random_key)" | key_put "$folder/pgpass"
}

# login_make NAME redis|kafka: a name of its own for the user, and a password.
login_make() {
    local folder=$CARILLON_DATA/keys/$1
    mkdir -p -m 700 "$folder"
    echo "carillon_${1//-/_} $(random_key)" | key_put "$folder/$2"
}

# What each service uses of Redis, and no more: the jackpot services write the counters, the gateway sessions, notifications lost connections.
redis_rights() {
    case $1 in
    admin) echo '~* &* +@all' ;;
    gateway) echo '%R~carillon:counters:* ~carillon:session:* %R~carillon:dropped +hgetall +get +set +zscore +zrevrangebyscore' ;;
    notifications) echo '%R~carillon:counters:* %R~carillon:session:* ~carillon:dropped +hgetall +get +zadd +zremrangebyscore' ;;
    progressive-pool | jackpot-cards) echo '~carillon:counters:* +multi +exec +del +hset' ;;
    esac
}
redis_hash() {
    local password
    password=$(own_cat "$CARILLON_DATA/keys/$1/redis" | cut -d' ' -f2) && checked "$1/redis" "$password"
    printf %s "$password" | sha256sum | cut -d' ' -f1
}

print_redis() {
    local name hash
    make_keys
    # Nobody can log in as this user, but Redis replays its own log by its rights, and leaves out each transaction that these forbid.
    echo 'user default off resetpass ~* &* +@all'
    for name in "${REDIS_USERS[@]}"; do
        hash=$(redis_hash "$name")
        echo "user carillon_${name//-/_} on #$hash resetchannels $(redis_rights "$name")"
    done
}

password_of() { own_cat "$CARILLON_DATA/keys/$1/pgpass" | cut -d: -f5; }

# Servers that start at the same moment do so one after the other.
make_keys() {
    local name lock
    mkdir -p "$RUN"
    exec {lock}>"$RUN/keys.lock"
    flock -w 60 "$lock" || die "another scripts/roles.sh keys of $CARILLON_DATA is still running after 60 s"
    [ -d "$CARILLON_DATA/keys" ] || own_folder "$CARILLON_DATA/keys"
    for name in "${PG_ROLES[@]}"; do [ -s "$CARILLON_DATA/keys/$name/pgpass" ] || password_make "$name"; done
    for name in "${REDIS_USERS[@]}"; do [ -s "$CARILLON_DATA/keys/$name/redis" ] || login_make "$name" redis; done
    for name in "${KAFKA_USERS[@]}"; do [ -s "$CARILLON_DATA/keys/$name/kafka" ] || login_make "$name" kafka; done
    exec {lock}>&-
}

# No role but the administrator's may make others, or pass row security.
role_sql() {
    local role password
    role=$(role_of "$1")
    password=$(password_of "$1")
    checked "$1/pgpass" "$password"
    cat <<SQL
select 'create role $role' where not exists (select from pg_roles where rolname = '$role') \gexec
alter role $role login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password '$password';
SQL
}

print_sql() {
    local name
    echo "select set_config('log_min_error_statement', 'panic', false), set_config('client_min_messages', 'warning', false) from pg_roles where rolname = current_user and rolsuper \g /dev/null"
    for name in "${PG_ROLES[@]}"; do role_sql "$name"; done
    cat <<'SQL'
grant pg_read_all_data to carillon_ro, carillon_archiver;
grant pg_read_all_stats to carillon_ro;
alter role carillon_ro set default_transaction_read_only = on;
alter role carillon_reports set default_transaction_read_only = on;
select 'create database carillon owner carillon' where not exists (select from pg_database where datname = 'carillon') \gexec
revoke all on database carillon from public;
SQL
    for name in "${PG_ROLES[@]}"; do echo "grant connect on database carillon to $(role_of "$name");"; done
}

rotate() {
    local name
    load_env || die 'the stack was never started: run scripts/stack.sh start first'
    for name in "$@"; do known "$name"; done
    [ -n "${CARILLON_PG_ADMIN_DSN:-}" ] || die "CARILLON_PG_ADMIN_DSN is not set: give the output of scripts/roles.sh sql to the database's administrator"
    for name in "$@"; do
        password_make "$name"
        role_sql "$name" |
            "$PG_BIN/psql" -d "$CARILLON_PG_ADMIN_DSN" -Xq -v ON_ERROR_STOP=1 || die "the new password of $name is in its file, not in the database: run this again"
        rotate_redis "$name"
        rotate_kafka "$name"
        say "$name: a new password is in force; open connections stay, new ones use it"
    done
}

# An installation that uses a Redis of its own.
rotate_redis() {
    local hash
    [ ! -f "$RUN/foreign-CARILLON_REDIS" ] && [ -s "$CARILLON_DATA/keys/$1/redis" ] || return 0
    login_make "$1" redis
    hash=$(redis_hash "$1")
    [ "$(redis_as_admin acl setuser "carillon_${1//-/_}" resetpass "#$hash")" = OK ] ||
        die "the new password of $1 for Redis is in its file, not in Redis: run this again"
    print_redis | key_put "$CARILLON_DATA/redis/users.acl"
}

# An installation that uses a Kafka of its own. Without one there is nothing but the file; its next start sets the password.
rotate_kafka() {
    [ ! -f "$RUN/foreign-CARILLON_KAFKA" ] && [ -s "$CARILLON_DATA/keys/$1/kafka" ] || return 0
    login_make "$1" kafka
    [ "$CARILLON_KAFKA" != none ] || return 0
    "$BIN/kafka-topics" --brokers="$CARILLON_KAFKA" --login="$(kafka_login)" --keys="$CARILLON_DATA/keys" --user="$1" ||
        die "the new password of $1 for Kafka is in its file, not in Kafka: run this again"
}

case ${1:-} in
keys) make_keys ;;
sql) make_keys; print_sql ;;
redis) print_redis ;;
dsn) known "${2:-}"; load_env || die 'the stack was never started: run scripts/stack.sh start first'; pg_dsn "$2"; echo ;;
rotate) shift; [ $# -gt 0 ] || set -- "${PG_ROLES[@]}"; rotate "$@" ;;
*) die "found '${1:-}', expected keys, sql, redis, dsn NAME or rotate NAME.." ;;
esac
