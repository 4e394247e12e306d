#!/usr/bin/env bash
# monitor.sh start|stop|status: carillon-watch, Prometheus and Alertmanager for the installation of CARILLON_DATA, which must have been started. They run
# under a carillon-supervisor of their own, on ports of run/ports, with their data in monitoring/ of the data folder. CARILLON_ALERTS_URL is the webhook
# that gets the alerts; CARILLON_MONITORING another folder of rules and configurations than deploy/monitoring; CARILLON_WATCH_MS the pause
# between two readings of carillon-watch (5000); CARILLON_WATCH_DISKS more paths whose file systems it looks at, separated by blanks. A start that finds them
# running takes new rules and configurations in.
set -eu
. "$(dirname "$0")/lib.sh"
place=$CARILLON_DATA/monitoring

running() { alive "$RUN/monitor.pid" 'carillon-supervisor.*monitor.conf'; }

# Each file is written beside and renamed: Prometheus reads targets while they are written.
target() { printf '[{"targets": ["127.0.0.1:%s"], "labels": {"instance": "%s"}}]\n' "$(port_get "$2")" "$3" >"$place/targets/$1.json.new" && mv "$place/targets/$1.json.new" "$place/targets/$1.json"; }

write_configurations() {
    local from=${CARILLON_MONITORING:-$ROOT/deploy/monitoring}
    own_folder "$place"
    mkdir -p "$place/rules" "$place/targets"
    own_folder "$place/prometheus" prometheus
    own_folder "$place/alertmanager" alertmanager
    rm -f "$place"/rules/*.yml
    cp "$from"/rules/*.yml "$place/rules/"
    cp "$from/prometheus.yml" "$place/prometheus.yml"
    awk -v url="${CARILLON_ALERTS_URL:-}" '/- url: / && url != "" { sub(/url: .*/, "url: " url) } { print }' "$from/alertmanager.yml" >"$place/alertmanager.yml"
    promtool check config "$place/prometheus.yml" >"$place/check.log" 2>&1 || { cat "$place/check.log" >&2; die 'the rules are wrong'; }
    amtool check-config "$place/alertmanager.yml" >"$place/check.log" 2>&1 || { cat "$place/check.log" >&2; die "$from/alertmanager.yml is wrong"; }
    target watch WATCH_PORT watch
    target alertmanager ALERTMANAGER_PORT alertmanager
    [ -s "$place/targets/services.json" ] || echo '[]' >"$place/targets/services.json"
}

write_set_up() {
    local disks dsn disk
    disks="--disk=$CARILLON_DATA"
    for disk in ${CARILLON_WATCH_DISKS:-}; do disks+=" \"--disk=$disk\""; done
    [ -f "$RUN/foreign-CARILLON_PG_DSN" ] || disks+=" --disk=$("$ROOT/scripts/server.sh" postgres place)"
    dsn=${CARILLON_PG_RO_DSN//\\/\\\\}
    {
        echo '# Written by scripts/monitor.sh at each start.'
        echo "watch order=1 grace_ms=2000 backoff_ms=1000 CARILLON_PG_RO_DSN=\"${dsn//\"/\\\"}\" : \"$BIN/carillon-watch\" --listen=127.0.0.1:$(port_get WATCH_PORT)" \
            "--targets=monitoring/targets/services.json --heads=heads --keys=keys $disks --redis=$CARILLON_REDIS --kafka=$CARILLON_KAFKA --every-ms=${CARILLON_WATCH_MS:-5000}"
        echo "prometheus order=1 grace_ms=10000 backoff_ms=1000 $(user_words prometheus): prometheus --config.file=monitoring/prometheus.yml --storage.tsdb.path=monitoring/prometheus" \
            "--storage.tsdb.retention.time=30d --rules.alert.resend-delay=15s --web.listen-address=127.0.0.1:$(port_get PROMETHEUS_PORT)"
        echo "alertmanager order=1 grace_ms=5000 backoff_ms=1000 $(user_words alertmanager): prometheus-alertmanager --config.file=monitoring/alertmanager.yml --storage.path=monitoring/alertmanager" \
            "--web.listen-address=127.0.0.1:$(port_get ALERTMANAGER_PORT) --cluster.listen-address="
    } >"$RUN/monitor.conf.new"
    "$BIN/carillon-supervisor" --check "$RUN/monitor.conf.new"
    mv "$RUN/monitor.conf.new" "$RUN/monitor.conf"
}

answers() { curl -fso /dev/null "http://127.0.0.1:$(port_get "$1")/-/ready"; }
watch_answers() { curl -fso /dev/null "http://127.0.0.1:$(port_get WATCH_PORT)/readyz"; }

# What is running goes on, and reads its configuration again.
reload() {
    local pid
    for pid in $(awk '$1 == "prometheus" || $1 == "alertmanager" { print $3 }' "$RUN/monitor.status"); do
        [ "$pid" = 0 ] || kill -HUP "$pid"
    done
}

start() {
    local name
    load_env || die "the stack of $CARILLON_DATA was never started: make run, or scripts/run.sh --start"
    "$ROOT/scripts/setup.sh" monitor --quiet
    mkdir -p "$RUN/hold"
    if running; then
        write_configurations
        reload
    else
        for name in WATCH_PORT PROMETHEUS_PORT ALERTMANAGER_PORT; do port_settle "$name" '' ''; done
        write_configurations
        write_set_up
        start_supervisor monitor
    fi
    wait_for 60 carillon-watch watch_answers || die "carillon-watch does not answer; see $CARILLON_DATA/log/watch.log"
    wait_for 60 Prometheus answers PROMETHEUS_PORT || die "Prometheus does not answer; see $CARILLON_DATA/log/prometheus.log"
    wait_for 60 Alertmanager answers ALERTMANAGER_PORT || die "Alertmanager does not answer; see $CARILLON_DATA/log/alertmanager.log"
    say "Prometheus: http://127.0.0.1:$(port_get PROMETHEUS_PORT)/  Alertmanager: http://127.0.0.1:$(port_get ALERTMANAGER_PORT)/"
}

status() {
    running || { echo 'the monitoring is not running'; return 1; }
    awk -F '\t' '{ printf "%-22s %-8s pid %-7s restarts %s %s\n", $1, $2, $3, $4, $5 } $2 != "running" { bad = 1 } END { exit bad }' "$RUN/monitor.status"
}

case ${1:-} in
start) start ;;
stop) stop_supervisor monitor ;;
status) status ;;
*) die "found '${1:-}', expected start, stop or status" ;;
esac
