#!/usr/bin/env bash
# compose-test.sh [--keep]: builds the images, starts the whole stack in containers with every service scaled to two, plays for 30 s from a container,
# proves the ledger, writes build/compose/summary.json and removes everything but the images. Needs root: it runs a Docker engine of its own under
# CARILLON_DATA/docker (unless DOCKER_HOST names another), with its own network rules off: containers talk to each other and to 127.0.0.1 only.
set -eu
. "$(dirname "$0")/lib.sh"
seconds=30
players=50
keep=0
for arg in "$@"; do
    case $arg in
    --keep) keep=1 ;;
    *) die "found '$arg', expected --keep" ;;
    esac
done
place=$CARILLON_DATA/docker
own=
log=$ROOT/build/compose
mkdir -p "$log"

engine_answers() { docker info >/dev/null 2>&1; }

start_engine() {
    if [ -n "${DOCKER_HOST:-}" ]; then
        engine_answers || die "no Docker engine answers at DOCKER_HOST=$DOCKER_HOST; start it, or run this as root without DOCKER_HOST: the script then starts a Docker engine of its own"
        return
    fi
    [ "$EUID" = 0 ] || die "starting a Docker engine needs root; run this as root, or set DOCKER_HOST to an engine that is running"
    mkdir -p "$place"
    export DOCKER_HOST=unix://$place/docker.sock
    dockerd --data-root "$place/data" --exec-root "$place/exec" --pidfile "$place/dockerd.pid" -H "$DOCKER_HOST" \
        --bridge=none --iptables=false --ip-forward=false --ip-masq=false >"$place/dockerd.log" 2>&1 &
    own=$!
    wait_for 60 'the Docker engine' engine_answers || die "the Docker engine did not start; see $place/dockerd.log, or set DOCKER_HOST to an engine that is running"
}

# The base image, where there is none: Debian's own minimal system from the mirror that this machine's apt uses.
base_image() {
    docker image inspect debian:12-slim >/dev/null 2>&1 && return
    local root=$place/base mirror
    mirror=$(apt-get indextargets --format '$(SITE)' | head -n 1)
    rm -rf "$root"
    with_dots 'making the base image debian:12-slim with debootstrap' debootstrap --variant=minbase --include=ca-certificates bookworm "$root" "$mirror"
    tar -C "$root" --exclude='./var/lib/apt/lists/*' --exclude='./var/cache/apt/archives/*' --exclude='./proc/*' --exclude='./sys/*' --exclude='./dev/*' -c . |
        docker import - debian:12-slim >/dev/null
    rm -rf "$root"
}

compose() { docker-compose -p carillon-test -f "$ROOT/deploy/compose.yaml" --project-directory "$ROOT/deploy" "$@"; }

build_images() {
    local target
    "$ROOT/scripts/kafka-jars.sh" fetch
    "$ROOT/scripts/web.sh"
    rm -rf "$ROOT/build/kafka-jars"
    cp -r "$CARILLON_CACHE/kafka/jars" "$ROOT/build/kafka-jars"
    for target in postgres redis kafka tools wallet spin-engine progressive-pool jackpot-cards payments notifications gateway; do
        with_dots "image carillon/$target" docker build -q --network host -f "$ROOT/deploy/Dockerfile" --target "$target" -t "carillon/$target" "$ROOT"
    done
}

clean_up() {
    local code=$?
    trap - EXIT INT TERM
    if [ "$keep" = 0 ]; then
        compose logs --no-color >"$log/containers.log" 2>&1 || true
        compose down -v --remove-orphans >>"$log/compose.log" 2>&1 || true
        if [ -n "$own" ]; then
            kill "$own" 2>/dev/null || true
            wait "$own" 2>/dev/null || true
            # The engine leaves its network namespace mounted, and the folder could not be removed.
            umount "$place/exec/netns/default" 2>/dev/null || true
        fi
    else
        say "kept: DOCKER_HOST=$DOCKER_HOST"
    fi
    exit "$code"
}

all_ready() {
    local n
    n=$(docker ps -q --filter label=com.docker.compose.project=carillon-test --filter health=healthy | wc -l)
    [ "$n" -ge 15 ] # three servers and six services twice
}

tools() {
    local dsn='host=postgres dbname=carillon user=carillon_ro passfile=/data/keys/ro/pgpass'
    docker run --rm --network carillon-test_default --user 0 --volume "$CARILLON_SECRETS/keys:/data/keys:ro" --volume carillon-test_heads:/data/heads:ro --volume carillon-test_heads-copy:/data/heads-copy:ro --volume "$log:/out" \
        -e CARILLON_PG_DSN="$dsn" -e CARILLON_PG_RO_DSN="$dsn" "$@"
}

"$ROOT/scripts/setup.sh" compose --quiet
trap clean_up EXIT
trap 'exit 130' INT TERM
start_engine
base_image
build_images
export CARILLON_SECRETS=$place/secrets
rm -rf "$CARILLON_SECRETS"
"$ROOT/scripts/keys.sh" containers "$CARILLON_SECRETS"
export CARILLON_EVENTS_URL=ws://notifications:8081/v1/events CARILLON_HTTP_PORTS=18080-18099 CARILLON_EVENTS_PORTS=18100-18119
compose down -v --remove-orphans >"$log/compose.log" 2>&1 || true
scales=()
for service in wallet spin-engine progressive-pool jackpot-cards payments notifications gateway; do scales+=(--scale "$service=2"); done
with_dots 'starting the containers' compose up -d "${scales[@]}"
wait_for 120 'every container to be healthy' all_ready || { docker ps -a >&2; die 'not every container became healthy; see build/compose/containers.log'; }
chmod 777 "$log"
say "playing $seconds s with $players players in containers"
code=0
tools carillon/tools players --url=http://gateway:8080 --events=ws://notifications:8081/v1/events --players=$players --seconds=$seconds --think-time=100 \
    --operator-key=/data/keys/gateway/operator-1.key --record=/out/players.json --quiet || code=$?
sleep 2
tools carillon/tools jackpotctl ledger verify --json >"$log/verify.json" || code=1
python3 - "$log" "$code" <<'PY' || code=1
import json, sys
folder, code = sys.argv[1], int(sys.argv[2])
record, proof = (json.load(open(f"{folder}/{name}.json")) for name in ("players", "verify"))
summary = {name: record.get(name, 0) for name in ("rounds_settled", "rounds_refused", "jackpot_hits")}
summary.update(ledger_ok=bool(proof.get("ledger_ok")), pools_ok=bool(proof.get("pools_ok")), p50_ms=record["p50_ms"], p99_ms=record["p99_ms"],
               errors=record.get("errors_n", 0) + record.get("mismatches_n", 0))
json.dump(summary, open(f"{folder}/summary.json", "w"))
print(json.dumps(summary))
sys.exit(0 if code == 0 and summary["rounds_settled"] > 0 and summary["ledger_ok"] and summary["pools_ok"] and not summary["errors"] else 1)
PY
[ "$code" = 0 ] && say 'All is well in containers. Summary: build/compose/summary.json' || say 'Not all is well: build/compose/'
exit "$code"
