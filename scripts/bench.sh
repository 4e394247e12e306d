#!/usr/bin/env bash
# bench.sh NAME [--short | --try] [OPTION]...: builds and runs the measurement tests/bench/NAME.py; its results are in build/bench/NAME.json.
# bench.sh --list: the names.
set -eu
. "$(dirname "$0")/lib.sh"
benches=$(find tests/bench -name '[a-z]*.py' ! -name 'lib*' -printf '%f\n' | sed 's/\.py$//; s/^http_edge$/http/' | sort)
if [ "${1:-}" = --list ]; then
    echo "$benches"
    exit
fi
name=${1:-e2e}
file=tests/bench/$name.py
[ "$name" != http ] || file=tests/bench/http_edge.py # http.py would hide Python's own
if ! grep -qx -e "$name" <<<"$benches"; then
    die "BENCH: found '$name', expected one of: ${benches//$'\n'/ }"
fi
targets=all
if [ "$name" = math ]; then # no broker and no pages
    targets='build/bin/math-bench build/bin/slotmath'
    export KAFKA=none
elif [ "$name" = broadcast ] || [ "$name" = http ]; then
    targets=build/bin/$name-bench
    export KAFKA=none
elif [ "$name" = seal ]; then # no servers
    targets='build/bin/seal-bench'
    export KAFKA=none
elif [ "$name" = proof ]; then # no servers
    targets='build/bin/proof-bench'
    export KAFKA=none
elif [ "$name" = report ]; then # the database alone
    targets='build/bin/carillon-supervisor build/bin/kafka-topics'
    export KAFKA=none
elif [ "$name" = wallet ] || [ "$name" = cost ]; then # no pages, and no broker to speak of
    targets='build/bin/wallet-bench build/bin/jackpotctl build/bin/carillon-supervisor build/bin/kafka-topics'
    export KAFKA=none
fi
"$ROOT/scripts/setup.sh" bench --quiet
# shellcheck disable=SC2086
with_dots 'building' make -s -j"$(nproc)" $targets
mkdir -p build/bench
shift || true
exec python3 "$file" "$@"
