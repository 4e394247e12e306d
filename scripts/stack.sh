#!/usr/bin/env bash
# stack.sh start|stop|status|env: Postgres, Redis and Kafka of one data folder (CARILLON_DATA), private to it, on 127.0.0.1.
# They run under a carillon-supervisor of their own, which starts a server again if it dies. Servers whose addresses are in
# the environment (CARILLON_PG_DSN, CARILLON_REDIS, CARILLON_KAFKA) are used as they are and never started or stopped.
set -eu
. "$(dirname "$0")/lib.sh"

# A shell that has read run/stack.env gives us our own addresses back: that is no server of somebody else.
foreign() {
    local value=${!1:-}
    [ -n "$value" ] && [ "$value" != "$(env_kept "$1")" ] || { [ -n "$value" ] && [ -f "$RUN/foreign-$1" ]; }
}

note_foreign() {
    local name
    for name in CARILLON_PG_DSN CARILLON_REDIS CARILLON_KAFKA; do
        if foreign "$name"; then touch "$RUN/foreign-$name"; else rm -f "$RUN/foreign-$name"; fi
    done
    [ -f "$RUN/foreign-CARILLON_PG_DSN" ] || unset CARILLON_PG_DSN CARILLON_PG_RO_DSN
    [ -f "$RUN/foreign-CARILLON_REDIS" ] || unset CARILLON_REDIS
    [ -f "$RUN/foreign-CARILLON_KAFKA" ] || unset CARILLON_KAFKA
}

settle_shards() {
    local kept
    kept=$(env_kept CARILLON_SHARDS)
    export CARILLON_SHARDS=${CARILLON_SHARDS:-${kept:-4}}
    [[ $CARILLON_SHARDS =~ ^[0-9]{1,4}$ ]] && [ "$CARILLON_SHARDS" -ge 1 ] && [ "$CARILLON_SHARDS" -le 256 ] ||
        die "CARILLON_SHARDS: found '$CARILLON_SHARDS', expected a number from 1 to 256"
    [ -z "$kept" ] || [ "$kept" = "$CARILLON_SHARDS" ] ||
        die "CARILLON_SHARDS: found $CARILLON_SHARDS, expected $kept: the number of shards of $CARILLON_DATA never changes"
}

# The broker in memory forgets what Postgres would still refer to, so both begin empty, in a folder that is marked for it.
settle_embedded() {
    if [ "${KAFKA:-}" != embedded ]; then
        [ ! -f "$RUN/embedded" ] ||
            die "$CARILLON_DATA was made for KAFKA=embedded, which keeps nothing: choose another CARILLON_DATA, or remove it"
        return
    fi
    [ -f "$RUN/embedded" ] || [ ! -d "$CARILLON_DATA/pg" ] ||
        die "KAFKA=embedded keeps nothing, and $CARILLON_DATA holds an installation: choose another CARILLON_DATA"
    rm -rf "$("$ROOT/scripts/server.sh" postgres place)" "$CARILLON_DATA"/{pg,redis,kafka,log} "$RUN/kafka-embedded"
    touch "$RUN/embedded"
    say "**********************************************************************************"
    say "*  KAFKA=embedded: a broker in memory. NOTHING IS KEPT: each start begins empty.  *"
    say "**********************************************************************************"
}

settle_ports() {
    [ -n "${CARILLON_PG_DSN:-}" ] || port_settle PG_PORT "${CARILLON_PG_PORT:-}" ''
    [ -n "${CARILLON_REDIS:-}" ] || port_settle REDIS_PORT "${CARILLON_REDIS_PORT:-}" ''
    if [ -z "${CARILLON_KAFKA:-}" ] && [ "${KAFKA:-}" != embedded ]; then
        port_settle KAFKA_PORT "${CARILLON_KAFKA_PORT:-}" ''
        port_settle KAFKA_CONTROLLER_PORT '' ''
    fi
}

quoted() { local v=${1//\\/\\\\}; printf '"%s"' "${v//\"/\\\"}"; }

write_set_up() {
    local env
    env="CARILLON_DATA=$(quoted "$CARILLON_DATA") CARILLON_CACHE=$(quoted "$CARILLON_CACHE") CARILLON_SHARDS=$CARILLON_SHARDS KAFKA=${KAFKA:-}"
    [ -z "${CARILLON_PREPARED:-}" ] || env+=" CARILLON_PREPARED=$(quoted "$CARILLON_PREPARED")"
    [ -z "${CARILLON_KAFKA_JAVA:-}" ] || env+=" CARILLON_KAFKA_JAVA=$(quoted "$CARILLON_KAFKA_JAVA")"
    {
        echo "# Written by scripts/stack.sh at each start."
        # SIGINT is Postgres's fast shutdown: SIGTERM would wait for the last client.
        [ -n "${CARILLON_PG_DSN:-}" ] ||
            echo "postgres order=2 signal=INT grace_ms=30000 backoff_ms=200 $env : $(quoted "$ROOT/scripts/server.sh") postgres"
        [ -n "${CARILLON_REDIS:-}" ] ||
            echo "redis order=2 grace_ms=10000 backoff_ms=200 $env : $(quoted "$ROOT/scripts/server.sh") redis"
        [ -n "${CARILLON_KAFKA:-}" ] ||
            echo "kafka order=1 grace_ms=20000 backoff_ms=500 $env : $(quoted "$ROOT/scripts/server.sh") kafka"
    } >"$RUN/stack.conf"
}

write_env() {
    local ro
    : "${CARILLON_PG_DSN:=host=127.0.0.1 port=$(port_get PG_PORT) dbname=carillon user=carillon}"
    ro=${CARILLON_PG_RO_DSN:-$CARILLON_PG_DSN}
    [ -f "$RUN/foreign-CARILLON_PG_DSN" ] || ro="host=127.0.0.1 port=$(port_get PG_PORT) dbname=carillon user=carillon_ro"
    : "${CARILLON_REDIS:=127.0.0.1:$(port_get REDIS_PORT)}"
    if [ -z "${CARILLON_KAFKA:-}" ]; then
        CARILLON_KAFKA=127.0.0.1:$(port_get KAFKA_PORT)
        [ "${KAFKA:-}" != embedded ] || CARILLON_KAFKA=$(cat "$RUN/kafka-embedded")
    fi
    cat >"$RUN/stack.env.new" <<ENV
CARILLON_PG_DSN=$CARILLON_PG_DSN
CARILLON_PG_RO_DSN=$ro
CARILLON_REDIS=$CARILLON_REDIS
CARILLON_KAFKA=$CARILLON_KAFKA
CARILLON_SHARDS=$CARILLON_SHARDS
ENV
    mv "$RUN/stack.env.new" "$RUN/stack.env"
}

postgres_answers() {
    if [ -n "${CARILLON_PG_DSN:-}" ]; then
        "$PG_BIN/psql" -d "$CARILLON_PG_DSN" -XAtqc 'select 1'
    else
        "$PG_BIN/psql" -h 127.0.0.1 -p "$(port_get PG_PORT)" -U postgres -d postgres -XAtqc 'select 1'
    fi
}
redis_answers() {
    local address=${CARILLON_REDIS:-127.0.0.1:$(port_get REDIS_PORT)}
    [ "$(redis-cli -h "${address%:*}" -p "${address##*:}" ping)" = PONG ]
}
kafka_answers() {
    local address=${CARILLON_KAFKA:-127.0.0.1:$(port_get KAFKA_PORT)}
    if [ -z "${CARILLON_KAFKA:-}" ] && [ "${KAFKA:-}" = embedded ]; then
        [ -s "$RUN/kafka-embedded" ] || return 1
        address=$(cat "$RUN/kafka-embedded")
    fi
    "$BIN/kafka-topics" --only-wait --wait=1 --brokers="$address"
}

# Given up early when the supervisor has started it in vain several times, with the reason from its log.
wait_for_server() {
    local name=$1 end
    end=$(($(now_ms) + 180000))
    until "${name}_answers" >/dev/null 2>&1; do
        if [ "$(now_ms)" -gt "$end" ] || awk -v n="$name" '$1 == n && $4 > 5 { bad = 1 } END { exit !bad }' "$RUN/stack.status" 2>/dev/null; then
            say "$name does not answer; the end of $CARILLON_DATA/log/$name.log:"
            tail -n 12 "$CARILLON_DATA/log/$name.log" >&2 2>/dev/null || "${name}_answers" >&2 || true
            return 1
        fi
        sleep 0.05
    done
}

# Trust on the loopback address only: whoever may run programs on this machine may reach the data anyhow.
make_database() {
    "$PG_BIN/psql" -h 127.0.0.1 -p "$(port_get PG_PORT)" -U postgres -d postgres -Xq -v ON_ERROR_STOP=1 <<'SQL'
select 'create role carillon login' where not exists (select from pg_roles where rolname = 'carillon') \gexec
select 'create role carillon_ro login in role pg_read_all_data' where not exists (select from pg_roles where rolname = 'carillon_ro') \gexec
select 'create database carillon owner carillon' where not exists (select from pg_database where datname = 'carillon') \gexec
alter role carillon_ro set default_transaction_read_only = on;
SQL
}

start() {
    local server failed=0 pids=()
    mkdir -p "$RUN"
    [ -d "$CARILLON_DATA/run" ] && [ -w "$CARILLON_DATA/run" ] || die "CARILLON_DATA: $CARILLON_DATA cannot be written"
    exec 9>"$RUN/stack.lock"
    flock -w 120 9 || die "another start or stop of $CARILLON_DATA is still running after 120 s"
    note_foreign
    settle_shards
    if ! alive "$RUN/stack.pid" 'carillon-supervisor.*stack.conf'; then
        [ -x "$BIN/carillon-supervisor" ] && [ -x "$BIN/kafka-topics" ] && [ -x "$BIN/kafka-embedded" ] ||
            with_dots 'building the supervisor' make -s build/bin/carillon-supervisor build/bin/kafka-topics build/bin/kafka-embedded
        [ -n "${CARILLON_KAFKA:-}" ] || [ "${KAFKA:-}" = embedded ] || "$ROOT/scripts/kafka-jars.sh" fetch
        settle_embedded
        settle_ports
        write_set_up
        grep -q ' : ' "$RUN/stack.conf" && start_supervisor stack
    fi
    for server in postgres redis kafka; do
        wait_for_server "$server" 9>&- &
        pids+=($!)
    done
    for server in "${pids[@]}"; do wait "$server" || failed=1; done
    [ "$failed" = 0 ] || { stop_supervisor stack; die 'the stack did not start'; }
    [ -n "${CARILLON_PG_DSN:-}" ] || make_database
    write_env
}

stop() {
    [ -d "$RUN" ] || return 0
    exec 9>"$RUN/stack.lock"
    flock -w 120 9 || die "another start or stop of $CARILLON_DATA is still running after 120 s"
    stop_supervisor supervisor
    stop_supervisor stack
}

status() {
    local server bad=0
    load_env || die "nothing was ever started in $CARILLON_DATA"
    [ ! -f "$RUN/embedded" ] || KAFKA=embedded
    for server in postgres redis kafka; do
        if "${server}_answers" >/dev/null 2>&1; then echo "$server answers"; else echo "$server does not answer"; bad=1; fi
    done
    return "$bad"
}

# In a form for eval.
show_env() {
    local name
    load_env || die "nothing was ever started in $CARILLON_DATA"
    for name in CARILLON_DATA CARILLON_PG_DSN CARILLON_PG_RO_DSN CARILLON_REDIS CARILLON_KAFKA CARILLON_SHARDS; do
        printf 'export %s=%q\n' "$name" "${!name}"
    done
}

case ${1:-} in
start) start ;;
stop) stop ;;
status) status ;;
env) show_env ;;
*) die "found '${1:-}', expected start, stop, status or env" ;;
esac
