#!/usr/bin/env bash
# rng-test.sh [SEED]: the generator's raw and scaled outputs through our battery, and through dieharder where it is installed. Minutes, not
# part of `make test`. The last line is "N passed, N failed".
set -u
. "$(dirname "$0")/lib.sh"
seed=${1:-1}
with_dots 'building' make -s -j"$(nproc)" build/bin/rng-battery build/bin/slotmath || exit 1
mkdir -p build/rng
say "our battery: raw and scaled outputs, 100 streams each (about two minutes)"
build/bin/rng-battery "$seed" | tee build/rng/battery.txt
read -r passed _ failed _ < <(tail -n 1 build/rng/battery.txt)
if command -v dieharder >/dev/null; then
    say "dieharder on the raw stream (about ten minutes)"
    # Birthdays, operm5, ranks, bitstream, count the ones, parking lot, spheres, runs; STS monobit, runs, serial; distributions of bits.
    for test in 0 1 2 3 4 8 9 10 11 12 13 15 16 100 101 102; do
        build/bin/slotmath rng --raw --seed "$seed" 2>/dev/null | dieharder -g 200 -d "$test" | grep -E 'PASSED|WEAK|FAILED' | tee -a build/rng/dieharder.new
    done
    mv build/rng/dieharder.new build/rng/dieharder.txt
    # WEAK is p below 0.005 or above 0.995: one result in a hundred of a perfect generator.
    good=$(grep -cE 'PASSED|WEAK' build/rng/dieharder.txt)
    bad=$(grep -c FAILED build/rng/dieharder.txt)
    say "dieharder: $(grep -c WEAK build/rng/dieharder.txt) weak of $((good + bad)) (one in a hundred is to be expected)"
    passed=$((passed + good))
    failed=$((failed + bad))
else
    say 'dieharder is not installed: skipped (apt-get install dieharder)'
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
