#!/usr/bin/env bash
# rng-test.sh [SEED]: the generator's raw and scaled outputs through our battery, and through dieharder where it can be installed. Minutes, not
# part of `make test`. What was found stays in build/rng/; docs/rng.md reports a run. The last line is "N passed, N failed".
set -u
. "$(dirname "$0")/lib.sh"
seed=${1:-1}
[[ $seed =~ ^[0-9]{1,18}$ ]] || die "SEED: found '$seed', expected a whole number"
"$ROOT/scripts/setup.sh" build --quiet || exit 1
"$ROOT/scripts/setup.sh" rng --quiet || say 'continuing without dieharder'
with_dots 'building' make -s -j"$(nproc)" build/bin/rng-battery build/bin/slotmath || exit 1
mkdir -p build/rng
say "our battery: raw and scaled outputs, 100 streams each (some seconds)"
build/bin/rng-battery "$seed" | tee build/rng/battery.txt
read -r passed _ failed _ < <(tail -n 1 build/rng/battery.txt)

# One test of dieharder on the raw stream, from its beginning. A test that says nothing has failed.
dieharder_test() {
    # shellcheck disable=SC2086
    build/bin/slotmath rng --raw --seed "$seed" 2>/dev/null | dieharder -g 200 $1 2>&1 | grep -E 'PASSED|WEAK|FAILED' ||
        echo "dieharder $1: no result: FAILED"
}

if command -v dieharder >/dev/null; then
    say "dieharder on the raw stream (five to fifteen minutes)"
    # Diehard: birthdays, operm5, ranks, bitstream, count the ones, parking lot, minimum distance, spheres, squeeze, runs, craps, gcd.
    # STS: monobit, runs, serial. RGB: bits of 8, minimum distance in 3 dimensions, permutations, Kolmogorov-Smirnov. Bytes; DAB: cosine
    # transform, fill tree, monobit 2. Left out: what dieharder itself calls suspect (opso, oqso, dna) or not to be used (sums), and
    # lagged sums, a minute and more for each of 33 lags.
    : >build/rng/dieharder.txt
    for test in 0 1 2 3 4 8 9 10 11 12 13 15 16 17 100 101 102 '200 -n 8' '201 -n 3' 202 204 205 206 207 208 209; do
        dieharder_test "-d $test" | tee -a build/rng/dieharder.txt
    done
    # WEAK is p below 0.005 or above 0.995: one result in a hundred of a perfect generator.
    good=$(grep -cE 'PASSED|WEAK' build/rng/dieharder.txt)
    bad=$(grep -c FAILED build/rng/dieharder.txt)
    say "dieharder: $(grep -c WEAK build/rng/dieharder.txt) weak of $((good + bad)) (one in a hundred is to be expected)"
    passed=$((passed + good))
    failed=$((failed + bad))
else
    say 'dieharder is not installed: skipped (scripts/setup.sh rng)'
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
