#!/usr/bin/env bash
# bus-keys.sh [make | list | rotate [SECONDS] | drop]: the keys by which services seal what they say to each other, and sign what they tell Kafka, in
# SERVICE/bus.keys of CARILLON_KEYS (default: keys/ of CARILLON_DATA). A line a key: SENDER RECEIVER NUMBER HEX SINCE; each pair of services has its own, in the
# folders of these two alone.
# make: what is missing, and nothing else. rotate: a new key for each pair, which seals from SECONDS (default 10) from now on, when every instance has read
# it; a key that was followed before is left out, so that a pair holds two. drop: leaves out every key that has been followed. Services read the file again
# within a second; nothing stops. Events signed by a key that is left out are refused (no_key): rotate again, or drop, once they have been read.
set -eu -o pipefail
. "$(dirname "$0")/lib.sh"
keys=${CARILLON_KEYS:-$CARILLON_DATA/keys}
table=${CARILLON_SERVICES_CONF:-$ROOT/deploy/local/services.conf}
services=$(sed -n 's/^service  *\([a-z-]*\) *.*/\1/p' "$table")
[ -n "$services" ] || die "$table: found no service, expected at least one"

# A service may write its own file: of that only what is its own counts.
all() {
    local service
    for service in $services; do
        [ ! -f "$keys/$service/bus.keys" ] || own_cat "$keys/$service/bus.keys" | awk -v s="$service" '$1 == s || $2 == s' || exit 1
    done | sort -u
}

# From all keys on stdin, to the folders of both: whole files, each in one step.
put() {
    local lines service
    lines=$(cat)
    # Not in the folder of a service, which could have put a link there.
    for service in $services; do
        mkdir -p -m 700 "$keys/$service"
        chmod 700 "$keys/$service"
        rm -f "$keys/.$service.bus.keys.new"
        (umask 077 && awk -v s="$service" '$1 == s || $2 == s' <<<"$lines" >"$keys/.$service.bus.keys.new")
        # The owner of the folder reads it: it may be a user of the service's own.
        [ "$EUID" != 0 ] || chown --reference="$keys/$service" "$keys/.$service.bus.keys.new"
    done
    # All at once, as far as that goes: who seals with a new key is not to be ahead of who opens.
    for service in $services; do
        if [ -f "$keys/$service/bus.keys" ] && [ "$(own_cat "$keys/$service/bus.keys")" = "$(<"$keys/.$service.bus.keys.new")" ]; then
            rm -f "$keys/.$service.bus.keys.new"
        else
            mv -T "$keys/.$service.bus.keys.new" "$keys/$service/bus.keys"
        fi
    done
}

pairs() { for a in $services; do for b in $services; do echo "$a $b"; done; done; }
# Random keys, a line each.
fresh() { od -An -v -tx1 -w32 -N$((32 * $1)) /dev/urandom | tr -d ' '; }

# add SINCE: a key for each pair on stdin ("SENDER RECEIVER NUMBER").
add() {
    local wanted
    wanted=$(cat)
    [ -n "$wanted" ] || return 0
    paste -d' ' <(echo "$wanted") <(fresh "$(wc -l <<<"$wanted")") | sed "s/\$/ $1/"
}

make() {
    local kept
    mkdir -p -m 700 "$keys"
    kept=$(all)
    { [ -z "$kept" ] || echo "$kept"; awk 'NR == FNR { if (NF) have[$1 " " $2] = 1; next } !(($1 " " $2) in have) { print $1, $2, 1 }' <(echo "$kept") <(pairs) | add 0; } | put
}

# The newest key of each pair and what came right before it: keep N of them.
newest() { sort -k1,2 -k5,5nr -k3,3nr | awk -v n="$1" '{ p = $1 " " $2; c = p == last ? c + 1 : 1; last = p; if (c <= n) print }'; }

rotate() {
    local seconds=$1 kept
    [[ $seconds =~ ^[0-9]{1,6}$ ]] || die "SECONDS: found '$seconds', expected a whole number of seconds"
    kept=$(all | newest 1)
    [ -n "$kept" ] || die "$keys: found no keys of the bus; to make them, run scripts/bus-keys.sh make"
    awk -v now="$(date +%s)" '$5 > now { exit 1 }' <<<"$kept" || die "found a key whose SINCE is in the future, expected none: wait until it seals (bus-keys.sh list shows when)"
    { echo "$kept"; awk '{ print $1, $2, $3 % 65535 + 1 }' <<<"$kept" | add $(($(date +%s) + seconds)); } | put
    say "the new keys of the bus start to seal in $seconds s"
}

drop() {
    local kept
    kept=$(all | newest 1)
    awk -v now="$(date +%s)" '$5 > now { exit 1 }' <<<"$kept" || die "found a key whose SINCE is in the future, expected none: wait until it seals (bus-keys.sh list shows when)"
    echo "$kept" | put
    say "deleted the keys that newer keys have replaced"
}

case ${1:-list} in
make) make ;;
list) all | sort -k1,2 -k3,3n | awk '{ printf "%s to %s: key %s seals since %s\n", $1, $2, $3, $5 == 0 ? "the first start" : strftime("%Y-%m-%d %H:%M:%S", $5) }' ;;
rotate) rotate "${2:-10}" ;;
drop) drop ;;
*) die "found '$1', expected make, list, rotate [SECONDS] or drop" ;;
esac
