#!/usr/bin/env bash
# run.sh [--seconds=N] [--players=N] [--scale=N] [--kafka=none] [--monitor]: everything in the foreground: sets up what is missing, builds,
# starts servers and services, plays with simulated players, stops all in order and sums up. Behind `make run`.
# --monitor: Prometheus and Alertmanager too (scripts/monitor.sh).
# run.sh --start [--scale=N] [--built] [--monitor]: the same up to ready services, in the background, no players; --built: everything is there and built.
# run.sh --stop   --status
set -eu
. "$(dirname "$0")/lib.sh"
began=$(now_ms)
seconds=0
players=${PLAYERS:-50} # at most as many as a gateway serves, which is 20000 connections
scale=1
action=run
built=0
monitor=0

number() {
    [[ $2 =~ ^[0-9]{1,7}$ ]] && [ "$2" -ge "$3" ] && [ "$2" -le "$4" ] || die "$1: found '$2', expected a number from $3 to $4"
}

for arg in "$@"; do
    case $arg in
    --seconds=*) seconds=${arg#*=}; number SECONDS "$seconds" 0 1000000 ;;
    --players=*) players=${arg#*=}; number PLAYERS "$players" 1 19900 ;;
    --scale=*) scale=${arg#*=}; number SCALE "$scale" 1 16 ;;
    --kafka=none) export KAFKA=none ;;
    --kafka=*) die "KAFKA: found '${arg#*=}', expected the word none, or no KAFKA at all" ;;
    --built) built=1 ;;
    --monitor) monitor=1 ;;
    --start | --stop | --status) action=${arg#--} ;;
    *) die "found '$arg', expected --seconds=, --players=, --scale=, --kafka=none, --built, --monitor, --start, --stop or --status" ;;
    esac
done

# A player is a connection: an open file in the players' process, and one in the gateway's.
enough_files() {
    local hard
    hard=$(ulimit -Hn)
    [ "$hard" = unlimited ] || [ $((players + 256)) -le "$hard" ] ||
        die "PLAYERS: $players players need $((players + 256)) open files, and a process may open $hard here (ulimit -Hn): raise that, or choose at most $((hard - 256)) players"
}

build() {
    make -s -j"$(nproc)" all
}

# A demo installation has a user of the console, whose password is in a file. A live one has none until somebody is added.
console_user() {
    local file=$CARILLON_DATA/keys/console.password
    [ "$CARILLON_KIND" = demo ] && [ ! -f "$file" ] || return 0
    load_env
    "$BIN/jackpotctl" user add admin --roles support,finance,jackpots,administrator --password-file "$file" >/dev/null || rm -f "$file"
}

services_running() { alive "$RUN/supervisor.pid" 'carillon-supervisor.*supervisor.conf'; }

start_all() {
    export CARILLON_KIND=${CARILLON_KIND:-demo}
    [ "$built" = 1 ] || {
        "$ROOT/scripts/setup.sh" --quiet
        with_dots 'building' build
    }
    # Of a Kafka that starts again nobody waits for the topics, unless its first start was interrupted.
    local had_kafka=0 services
    [ -n "${CARILLON_KAFKA:-}" ] || [ ! -f "$CARILLON_DATA/kafka/data/meta.properties" ] || [ ! -f "$RUN/stack.env" ] || had_kafka=1
    "$ROOT/scripts/stack.sh" start
    # Neither needs the other, and one waits for the database while the other works with files.
    "$ROOT/scripts/services.sh" "$scale" &
    services=$!
    "$ROOT/scripts/migrate.sh" || { wait "$services"; return 1; }
    wait "$services"
    console_user
    [ "$had_kafka" = 1 ] || "$ROOT/scripts/topics.sh"
    if services_running; then
        kill -HUP "$(cat "$RUN/supervisor.pid")"
    else
        start_supervisor supervisor
    fi
    [ "$monitor" = 0 ] || "$ROOT/scripts/monitor.sh" start
    python3 "$ROOT/scripts/play.py" ready --data="$CARILLON_DATA" --bin="$BIN" --kind="$CARILLON_KIND" --began-ms="$began"
}

# In order: whoever plays in the foreground ends first and sums up, then the services, the servers last.
stop_all() {
    stop_supervisor monitor
    stop_supervisor supervisor
    "$ROOT/scripts/stack.sh" stop
}

stop_from_outside() {
    local pid
    if alive "$RUN/run.pid" run.sh; then
        read -r pid <"$RUN/run.pid"
        kill -TERM "$pid"
        wait_for 90 'the run in the foreground' gone "$pid" && return
    fi
    stop_all
}

status() {
    [ -d "$RUN" ] || { echo "nothing was ever started in $CARILLON_DATA"; return 1; }
    local bad=0
    "$ROOT/scripts/stack.sh" status || bad=1
    if services_running; then
        awk -F '\t' '{ printf "%-22s %-8s pid %-7s restarts %s %s\n", $1, $2, $3, $4, $5 } $2 != "running" { bad = 1 } END { exit bad }' \
            "$RUN/supervisor.status" || bad=1
        echo "pages: http://127.0.0.1:$(port_get HTTP_PORT)/ and /operator/"
    else
        echo 'the services are not running'
        bad=1
    fi
    return "$bad"
}

run() {
    local code=0 player
    enough_files
    export CARILLON_CROWD=$players
    mkdir -p "$RUN"
    alive "$RUN/run.pid" run.sh && die "already running in $CARILLON_DATA (make stop ends it; CARILLON_DATA=folder starts another)"
    echo $$ >"$RUN/run.pid"
    trap 'stop_all; rm -f "$RUN/run.pid"' EXIT
    # Signals are for play.py, which ends the play and sums up; before that, they end this script through its EXIT trap.
    trap 'exit 130' INT TERM HUP
    start_all
    trap '' INT HUP
    python3 "$ROOT/scripts/play.py" play --data="$CARILLON_DATA" --bin="$BIN" --kind="$CARILLON_KIND" --began-ms="$began" \
        --seconds="$seconds" --players="$players" --summary="$ROOT/build/run/summary.json" &
    player=$!
    trap 'kill -TERM "$player" 2>/dev/null' TERM
    # A trapped signal ends `wait` early: wait until the player is really gone.
    while :; do
        code=0
        wait "$player" || code=$?
        kill -0 "$player" 2>/dev/null || break
    done
    trap '' INT TERM HUP
    say 'stopping'
    stop_all
    rm -f "$RUN/run.pid"
    trap - EXIT
    if [ "$code" = 0 ]; then
        say "All is well. Summary: build/run/summary.json. The money is kept in $CARILLON_DATA: make run continues with it."
    else
        say "Not all is well (see above). Logs: $CARILLON_DATA/log/. Summary: build/run/summary.json."
    fi
    return "$code"
}

case $action in
run) run ;;
start) start_all ;;
stop) stop_from_outside ;;
status) status ;;
esac
