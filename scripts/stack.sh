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
    [ -f "$RUN/foreign-CARILLON_PG_DSN" ] || unset CARILLON_PG_DSN CARILLON_PG_RO_DSN CARILLON_PG_ARCHIVE_DSN CARILLON_PG_ADMIN_DSN
    [ -f "$RUN/foreign-CARILLON_REDIS" ] || unset CARILLON_REDIS CARILLON_REDIS_LOGIN
    [ -f "$RUN/foreign-CARILLON_KAFKA" ] || unset CARILLON_KAFKA CARILLON_KAFKA_LOGIN
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

# KAFKA=none starts no broker. Everything else works as usual, and the same data can be played with Kafka later. The choice is made when the
# servers start, and holds until they stop.
settle_kafka() {
    case ${KAFKA:-} in
    none)
        [ ! -f "$RUN/foreign-CARILLON_KAFKA" ] || [ "$CARILLON_KAFKA" = none ] || die "KAFKA=none, but CARILLON_KAFKA names a server: found '$CARILLON_KAFKA', expected nothing"
        touch "$RUN/kafka-none"
        say 'KAFKA=none: no broker. Bets, jackpots and money work, and Postgres keeps everything. Missing: the events of a player in their other'
        say '  windows, and dead letters (the log has them). Winners and counters come from Postgres and Redis, up to some seconds later.'
        ;;
    '') rm -f "$RUN/kafka-none" ;;
    *) die "KAFKA: found '$KAFKA', expected the word none, or no KAFKA at all" ;;
    esac
}
without_kafka() { [ -f "$RUN/kafka-none" ] || [ "${CARILLON_KAFKA:-}" = none ]; }

settle_ports() {
    [ -n "${CARILLON_PG_DSN:-}" ] || port_settle PG_PORT "${CARILLON_PG_PORT:-}" ''
    [ -n "${CARILLON_REDIS:-}" ] || port_settle REDIS_PORT "${CARILLON_REDIS_PORT:-}" ''
    if [ -z "${CARILLON_KAFKA:-}" ] && ! without_kafka; then
        port_settle KAFKA_PORT "${CARILLON_KAFKA_PORT:-}" ''
        port_settle KAFKA_CONTROLLER_PORT '' ''
    fi
}

quoted() { local v=${1//\\/\\\\}; printf '"%s"' "${v//\"/\\\"}"; }

write_set_up() {
    local env
    env="CARILLON_DATA=$(quoted "$CARILLON_DATA") CARILLON_CACHE=$(quoted "$CARILLON_CACHE") CARILLON_SHARDS=$CARILLON_SHARDS"
    [ -z "${CARILLON_PREPARED:-}" ] || env+=" CARILLON_PREPARED=$(quoted "$CARILLON_PREPARED")"
    [ -z "${CARILLON_KAFKA_JAVA:-}" ] || env+=" CARILLON_KAFKA_JAVA=$(quoted "$CARILLON_KAFKA_JAVA")"
    {
        echo "# Written by scripts/stack.sh at each start."
        # SIGINT is Postgres's fast shutdown: SIGTERM would wait for the last client.
        [ -n "${CARILLON_PG_DSN:-}" ] ||
            echo "postgres order=2 signal=INT grace_ms=30000 backoff_ms=200 $env : $(quoted "$ROOT/scripts/server.sh") postgres"
        [ -n "${CARILLON_REDIS:-}" ] ||
            echo "redis order=2 grace_ms=10000 backoff_ms=200 $env : $(quoted "$ROOT/scripts/server.sh") redis"
        [ -n "${CARILLON_KAFKA:-}" ] || without_kafka ||
            echo "kafka order=1 grace_ms=20000 backoff_ms=500 $env : $(quoted "$ROOT/scripts/server.sh") kafka"
    } >"$RUN/stack.conf"
}

# The addresses for whoever sits at this installation: the owner of the tables, who reads all, who archives. The services have their own (services.sh).
write_env() {
    local ro
    ro=$(pg_dsn ro)
    : "${CARILLON_PG_DSN:=$(pg_dsn owner)}"
    : "${CARILLON_REDIS:=127.0.0.1:$(port_get REDIS_PORT)}"
    if [ -z "${CARILLON_KAFKA:-}" ]; then
        CARILLON_KAFKA=127.0.0.1:$(port_get KAFKA_PORT)
        ! without_kafka || CARILLON_KAFKA=none
    fi
    cat >"$RUN/stack.env.new" <<ENV
CARILLON_PG_DSN=$CARILLON_PG_DSN
CARILLON_PG_RO_DSN=$ro
CARILLON_PG_ARCHIVE_DSN=$(pg_dsn archiver)
$([ -f "$RUN/foreign-CARILLON_PG_DSN" ] || echo "CARILLON_PG_ADMIN_DSN=$(admin_dsn carillon)")
CARILLON_PG_ROLES=${CARILLON_PG_ROLES:-$(env_kept CARILLON_PG_ROLES)}
CARILLON_REDIS_LOGIN=${CARILLON_REDIS_LOGIN:-$([ ! -f "$RUN/foreign-CARILLON_REDIS" ] || env_kept CARILLON_REDIS_LOGIN)}
CARILLON_REDIS=$CARILLON_REDIS
CARILLON_KAFKA=$CARILLON_KAFKA
CARILLON_KAFKA_LOGIN=$(kafka_login)
CARILLON_SHARDS=$CARILLON_SHARDS
ENV
    mv "$RUN/stack.env.new" "$RUN/stack.env"
}

# The administrator connects by the socket in the cluster's folder. Its path may have 107 bytes: a longer one is reached from within the folder.
cluster= # its folder, once it was asked for
find_cluster() {
    local place
    [ -n "$cluster" ] || { place=$("$ROOT/scripts/server.sh" postgres place) && cluster=$place/data; }
}
admin_dsn() {
    local folder
    find_cluster
    folder=$cluster
    [ ${#folder} -le 80 ] || folder=/proc/self/cwd
    echo "host='${folder//\'/\\\'}' port=$(port_get PG_PORT) dbname=$1 user=postgres"
}
as_admin() {
    find_cluster || return
    (cd "$cluster" && exec "$PG_BIN/psql" -d "$(admin_dsn postgres)" -Xq "$@")
}

postgres_answers() {
    if [ -n "${CARILLON_PG_DSN:-}" ]; then
        "$PG_BIN/psql" -d "$CARILLON_PG_DSN" -XAtqc 'select 1'
    else
        as_admin -Atc 'select 1'
    fi
}
redis_answers() { [ "$(redis_as_admin ping)" = PONG ]; }
kafka_answers() {
    ! without_kafka || return 0
    "$BIN/kafka-topics" --only-wait --wait=10 --brokers="${CARILLON_KAFKA:-127.0.0.1:$(port_get KAFKA_PORT)}" --login="$(kafka_login)"
}

supervisor_runs() { alive "$RUN/stack.pid" 'carillon-supervisor.*stack.conf'; }
# Does the supervisor of the servers run, or has it none to run?
supervised() { ! grep -q ' : ' "$RUN/stack.conf" || supervisor_runs; }

# Given up early when the supervisor has started it in vain several times, with the reason from its log, or does not run any more.
wait_for_server() {
    local name=$1 end
    end=$(($(now_ms) + 180000))
    until "${name}_answers" >/dev/null 2>&1; do
        supervised || return 1
        if [ "$(now_ms)" -gt "$end" ] || awk -v n="$name" '$1 == n && $4 > 5 { bad = 1 } END { exit !bad }' "$RUN/stack.status" 2>/dev/null; then
            say "$name does not answer; the end of $CARILLON_DATA/log/$name.log:"
            tail -n 12 "$CARILLON_DATA/log/$name.log" >&2 2>/dev/null || "${name}_answers" >&2 || true
            return 1
        fi
        sleep 0.05
    done
}

make_database() {
    local text
    text=$("$ROOT/scripts/roles.sh" sql) && as_admin -v ON_ERROR_STOP=1 <<<"$text"
}

# Starts the servers where they do not run, and waits for those that are named.
start_servers() {
    local server failed=0 pids=()
    supervised || start_supervisor stack || return
    for server in "$@"; do
        wait_for_server "$server" 9>&- &
        pids+=($!)
    done
    for server in "${pids[@]}"; do wait "$server" || failed=1; done
    return $failed
}

start() {
    local servers=(postgres redis kafka)
    mkdir -p "$RUN"
    [ -d "$CARILLON_DATA/run" ] && [ -w "$CARILLON_DATA/run" ] || die "CARILLON_DATA: $CARILLON_DATA cannot be written"
    exec 9>"$RUN/stack.lock"
    flock -w 120 9 || die "another start or stop of $CARILLON_DATA is still running after 120 s"
    note_foreign
    settle_users
    settle_shards
    if ! supervisor_runs; then
        [ -x "$BIN/carillon-supervisor" ] && [ -x "$BIN/kafka-topics" ] ||
            with_dots 'building the supervisor' make -s build/bin/carillon-supervisor build/bin/kafka-topics
        settle_kafka
        [ -n "${CARILLON_KAFKA:-}" ] || without_kafka || "$ROOT/scripts/kafka-jars.sh" fetch
        settle_ports
        write_set_up
    fi
    # A Kafka that has started before makes its topics anew by itself (server.sh), and no service waits for it.
    [ -n "${CARILLON_KAFKA:-}" ] || [ ! -f "$CARILLON_DATA/kafka/data/meta.properties" ] || [ ! -f "$RUN/stack.env" ] || servers=(postgres redis)
    # A supervisor that was killed just now may still seem to run, and then it ends: started again, once.
    start_servers "${servers[@]}" || { ! supervised && start_servers "${servers[@]}"; } || { stop_supervisor stack; die 'the stack did not start'; }
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
    for server in postgres redis kafka; do
        if [ "$server" = kafka ] && without_kafka; then
            echo 'kafka is not part of this installation (KAFKA=none)'
        elif "${server}_answers" >/dev/null 2>&1; then echo "$server answers"; else echo "$server does not answer"; bad=1; fi
    done
    return "$bad"
}

# In a form for eval.
show_env() {
    local name
    load_env || die "nothing was ever started in $CARILLON_DATA"
    for name in CARILLON_DATA CARILLON_PG_DSN CARILLON_PG_RO_DSN CARILLON_PG_ARCHIVE_DSN CARILLON_REDIS CARILLON_KAFKA CARILLON_KAFKA_LOGIN CARILLON_SHARDS; do
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
