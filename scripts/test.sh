#!/usr/bin/env bash
# test.sh [all | long | unit [NAME]... | threads | fuzz [SECONDS] | format | tidy [ROOMS] | purity | layers | fatals | log-events | links | rules | definitions | setup | openapi | monitoring | words | currencies | waits | slotmath | jackpotctl | math | simulator
# | e2e [NAME]... | flakes RUNS [NAME]... | benches [NAME]...]: the tests. `long` fuzzes and simulates for longer, kills more often, takes the pages' pictures,
# runs every bench in its smallest form and reads the tree with clang-tidy.
# Each part prints its own count; the last line sums them up as "N passed, N failed". End-to-end tests start servers of their own, in folders and on
# ports of their own.
set -u
. "$(dirname "$0")/lib.sh"
passed=0
failed=0
broken=() # names, printed again at the end
flaky=()  # end-to-end tests that failed and then passed
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1:abort_on_error=0} UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
# A version manager's python3 is a script that looks for the real one at each of some hundred starts: looked for once.
python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null) || python=
[ -z "$python" ] || [ "$python" = "$(command -v python3)" ] || PATH=${python%/*}:$PATH
export TSAN_OPTIONS=${TSAN_OPTIONS:-halt_on_error=1:second_deadlock_stack=1}
jobs=$(nproc)

# count PASSED FAILED WHAT
count() {
    passed=$((passed + $1))
    failed=$((failed + $2))
    [ "$2" = 0 ] || broken+=("$3")
    printf '%-60s %s passed, %s failed\n' "$3" "$1" "$2"
}

# lanes N DO TELL ITEM...: N of `DO ITEM` at a time, in the background; TELL ITEM in the order of the items, as soon as they have ended.
lanes() {
    local n=$1 do=$2 tell=$3 at=0 next=0 mark ended
    shift 3
    local items=("$@")
    mark=$(mktemp -d)
    while [ "$at" -lt "${#items[@]}" ]; do
        ended=$(find "$mark" -type f | wc -l)
        while [ "$next" -lt "${#items[@]}" ] && [ $((next - ended)) -lt "$n" ]; do
            {
                "$do" "${items[$next]}"
                : >"$mark/$next"
            } &
            next=$((next + 1))
        done
        while [ -e "$mark/$at" ]; do
            "$tell" "${items[$at]}"
            at=$((at + 1))
        done
        sleep 0.1
    done
    rm -rf "$mark"
}

# ---- unit tests: cmocka programs, under ASan and UBSan ----------------------------------------------------------------------------
still= # what a program is run by
unit_run() {
    local code=0
    [ -x "$1" ] || return
    # shellcheck disable=SC2086
    timeout --kill-after=5 400 $still "$1" >"$1.log" 2>&1 || code=$?
    echo "$code" >"$1.status"
}
unit_tell() {
    local program=$1 log=$1.log name=${1#build/} total good code
    name=${name/#asan\/test\//}
    [ -x "$program" ] || { count 0 1 "$name (not built)"; return; }
    code=$(cat "$program.status")
    total=$(sed -n 's/^\[==========\] Running \([0-9]*\) test(s).*/\1/p' "$log" | awk '{ n += $1 } END { print n + 0 }')
    good=$(grep -c '^\[       OK \]' "$log")
    # What this machine's processor cannot do is skipped, and is no failure.
    total=$((total - $(sed -n 's/^\[  SKIPPED \] \([0-9]*\) test(s), listed below.*/\1/p' "$log" | awk '{ n += $1 } END { print n + 0 }')))
    # A program that ends badly without a failed test (a leak, a crash after the last one) counts as one failure.
    if [ "$code" != 0 ] && [ "$good" -ge "$total" ]; then total=$((good + 1)); fi
    count "$good" $((total - good)) "$name"
    if [ "$code" != 0 ] || [ "$total" -gt "$good" ]; then grep -v '^\[ RUN\|^\[       OK' "$log" | tail -n 40; fi
}

# named [NAME]...: of the programs that standard input lists, those with these names, or all.
named() { tr ' ' '\n' | if [ $# = 0 ]; then cat; else grep -E "/($(IFS='|' && echo "$*"))\$"; fi; }

# unit [NAME]...: all unit tests, or those of these names, such as test_permit.
unit() {
    local whole checked
    whole=$(make -s list-whole-tests | named "$@")
    checked=$(make -s SAN=1 list-tests | named "$@")
    [ -n "$whole$checked" ] || die "found '$*', expected names of unit tests, such as test_permit"
    # shellcheck disable=SC2086
    with_dots 'building the unit tests with ASan and UBSan' make -s -k -j"$jobs" SAN=1 ${checked:-lib} || count 0 1 'build of the unit tests'
    # shellcheck disable=SC2086
    with_dots 'building the tests that try all their cases, without sanitizers' make -s -k -j"$jobs" ${whole:-lib} || count 0 1 'build of the whole tests'
    # shellcheck disable=SC2086
    lanes "$jobs" unit_run unit_tell $whole $checked
}

# ---- what has threads of our own, under TSan ------------------------------------------------------------------------------------
threads() {
    with_dots 'building the tests with threads under TSan' make -s -k -j"$jobs" TSAN=1 thread-tests || count 0 1 'build under TSan'
    # Where the kernel lays programs out with more randomness than this TSan knows, it refuses to start.
    ! setarch -R true 2>/dev/null || still='setarch -R'
    # shellcheck disable=SC2046
    lanes 1 unit_run unit_tell $(make -s TSAN=1 list-thread-tests)
    still=
}

# ---- fuzzers: so many seconds in all, one on each processor -----------------------------------------------------------------------
# cpu_ms PID: the processor time that it has had.
cpu_ms() { awk -v hz="$(getconf CLK_TCK)" '{ print int(($14 + $15) * 1000 / hz) }' "/proc/$1/stat" 2>/dev/null; }

# Seconds are of processor time: on a busy machine a fuzzer tries as much as on one that is idle. SIGUSR1 asks it to end well.
fuzz_run() {
    local program=$1 corpus=$1.corpus seeds pid used code=0
    [ -x "$program" ] || return
    mkdir -p "$corpus"
    # Seeds kept in the repository lie beside the fuzzer, in test/corpus/<name>/.
    seeds=$(dirname "${program#build/asan/fuzz/}")/test/corpus/$(basename "$program")
    [ -d "$seeds" ] || seeds=
    # shellcheck disable=SC2086
    "$program" -max_total_time=$((each * 40)) -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$program-" \
        "$corpus" $seeds >"$program.log" 2>&1 &
    pid=$!
    while used=$(cpu_ms "$pid") && [ "${used:-0}" -lt $((each * 1000)) ]; do sleep 0.2; done
    kill -USR1 "$pid" 2>/dev/null
    wait "$pid" || code=$?
    echo "$code" >"$program.status"
}
fuzz_tell() {
    local program=$1
    [ -x "$program" ] || { count 0 1 "${program#build/} (not built)"; return; }
    if [ "$(cat "$program.status")" = 0 ]; then
        count 1 0 "${program#build/} ($(sed -n 's/^stat::number_of_executed_units: //p' "$program.log") runs in $each s)"
    else
        count 0 1 "${program#build/}"
        tail -n 30 "$program.log"
    fi
}

fuzz() {
    local total=${1:-60} list each
    with_dots 'building the fuzzers' make -s -k -j"$jobs" SAN=1 fuzzers || count 0 1 'build of the fuzzers'
    list=$(make -s SAN=1 list-fuzzers)
    [ -n "$list" ] || return 0
    each=$((total * jobs / $(wc -w <<<"$list")))
    [ "$each" -ge 1 ] || each=1
    # shellcheck disable=SC2086
    lanes "$jobs" fuzz_run fuzz_tell $list
}

# ---- parts that print their own count -------------------------------------------------------------------------------------------
counted() {
    local what=$1 log line code=0
    shift
    log=build/test-$(basename "$what").log
    mkdir -p build
    "$@" >"$log" 2>&1 || code=$?
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1)
    if [ -z "$line" ]; then
        count 0 1 "$what (no count; status $code)"
    elif [ "$code" != 0 ] && [[ $line == *" 0 failed"* ]]; then
        count "${line%% *}" 1 "$what (status $code)"
    else
        count "${line%% *}" "$(sed 's/.*passed, \([0-9]*\) failed.*/\1/' <<<"$line")" "$what"
    fi
    if [ "$code" != 0 ] || [[ $line != *" 0 failed"* ]]; then
        tail -n 60 "$log"
        mapfile -t -O "${#broken[@]}" broken < <("$ROOT/scripts/e2e.py" failures "$log")
    else
        grep -E '^(measured|note):? ' "$log"
    fi
}

# The exact figures against plain loops in another language.
math() {
    with_dots 'building slotmath' make -s -k -j"$jobs" build/bin/slotmath || count 0 1 'build of slotmath'
    counted math timeout --kill-after=5 1200 python3 tests/math/verify.py ci
}

# Each test has servers of its own and mostly waits, so several run at a time, in the background, while the other parts take what they leave.
e2e_log=build/test/e2e.log
e2e_begin() {
    local long=()
    with_dots 'building' make -s -k -j"$jobs" all || count 0 1 'build'
    [ -z "${CARILLON_TEST_LONG:-}" ] || long=(--long)
    mkdir -p build/test
    "$ROOT/scripts/e2e.py" run "${long[@]}" "$@" >"$e2e_log" 2>&1 &
    e2e_pid=$!
}

# Prints what they say as they end, and takes their count.
e2e_tells() {
    local line code=0
    tail -n +1 -f --pid="$e2e_pid" "$e2e_log"
    wait "$e2e_pid" || code=$?
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$e2e_log" | tail -n 1)
    [ -n "$line" ] || { count 0 1 "tests/e2e (no count; status $code)"; return; }
    mapfile -t -O "${#broken[@]}" broken < <(sed -n 's/^failed: //p' "$e2e_log")
    mapfile -t flaky < <(sed -n 's/^flaky: //p' "$e2e_log")
    passed=$((passed + ${line%% *})) failed=$((failed + $(sed 's/.*passed, \([0-9]*\) failed.*/\1/' <<<"$line")))
}

e2e() {
    e2e_begin "$@"
    e2e_tells
}

# flakes RUNS [NAME]...: the end-to-end tests again and again beside two programs that only take processor time.
flakes() {
    local runs=${1:-20}
    [[ $runs =~ ^[0-9]{1,4}$ ]] && [ "$runs" -ge 1 ] || die "RUNS: found '$runs', expected a number from 1 to 9999"
    with_dots 'building' make -s -j"$jobs" all || die 'the build failed (see above)'
    exec "$ROOT/scripts/e2e.py" flakes --runs="$runs" --lanes="${LANES:-6}" "${@:2}"
}

# Every bench, or those of these names, in its smallest form: does it start, measure, prove and end?
benches() {
    with_dots 'building' make -s -k -j"$jobs" all || count 0 1 'build'
    counted benches timeout --kill-after=60 14400 python3 tests/bench/_try.py "$@"
    grep '^ok ' build/test-benches.log
}

# The mathematics' tool as people call it, and as its page says.
slotmath() {
    with_dots 'building slotmath' make -s -j"$jobs" build/slotmath || count 0 1 'build of slotmath'
    counted slotmath timeout --kill-after=5 900 python3 tests/tools/slotmath.py
    with_dots "building the programs that check rounds" make -s -j"$jobs" build/fairness.wasm build/bin/fair-rounds || count 0 1 "build of fair-rounds"
    counted fair timeout --kill-after=5 300 python3 tests/tools/fair.py
    counted walk timeout --kill-after=5 900 python3 tests/tools/walk.py
}

# The ledger's tool: its table of commands, and everything that is made of it.
jackpotctl() {
    with_dots 'building jackpotctl' make -s -j"$jobs" build/bin/jackpotctl || count 0 1 'build of jackpotctl'
    counted jackpotctl timeout --kill-after=5 300 python3 tests/tools/jackpotctl.py
}

# The services with faults on fake servers, and the mistakes that must be found that way (docs/simulator.md). A named schedule may miss its point by chance, so
# those have seeds with which they come to it; worlds of chance have new ones every time.
sim_seconds=20
simulator() {
    local log=build/test-simulator.log
    with_dots 'building the simulator' make -s -j"$jobs" sim-parts || count 0 1 'build of the simulator'
    if timeout --kill-after=5 $((sim_seconds * 20 + 200)) build/bin/sim --sos=build/sim --schedules=1795478339000 --seconds="$sim_seconds" >"$log" 2>&1; then
        count 1 0 "simulator: $(grep -E '^sim: ' "$log" | tail -n 1)"
    else
        count 0 1 "simulator: $(grep -m 1 'FOUND' "$log" | cut -c 1-250)"
        tail -n 60 "$log"
    fi
    counted mutations timeout --kill-after=5 1200 python3 tests/sim/mutations.py
}

# ---- what is read, not run --------------------------------------------------------------------------------------------------------
format() {
    mkdir -p build
    if make -s format-check >build/test-format.log 2>&1; then
        count 1 0 'format: clang-format finds nothing to change'
    else
        count 0 1 'format (make format changes what is listed)'
        grep -h 'error:' build/test-format.log | head -n 20
    fi
}
tidy() {
    counted "tidy $1" make -s tidy ROOMS="$1"
}
checks() {
    format
    counted purity "$ROOT/scripts/check-purity.sh"
    counted layers "$ROOT/scripts/check-layers.py"
    counted fatals "$ROOT/scripts/check-fatals.py"
    counted log-events "$ROOT/scripts/check-events.py"
    counted links "$ROOT/scripts/check-links.py"
    counted rules "$ROOT/scripts/check-rules.sh"
    counted definitions python3 tests/definitions/schema.py
    counted setup python3 tests/tools/setup.py
    counted openapi python3 tests/tools/openapi.py
    counted watched python3 tests/tools/monitoring.py
    counted words python3 tests/tools/words.py
    counted currencies python3 tests/tools/currencies.py
    counted waits python3 tests/tools/waits.py
    counted runner python3 tests/tools/runner.py
}

# The seconds that each part may take in `make test` on two processors that have nothing else to do; printed beside those it took. 180 of the 720 are kept free.
budget() {
    case $1 in
    setup) echo 20 ;;
    checks) echo 60 ;;
    unit) echo 120 ;;
    threads) echo 30 ;;
    fuzz*) echo 30 ;;
    slotmath) echo 40 ;;
    jackpotctl) echo 10 ;;
    math) echo 40 ;;
    simulator) echo 70 ;;
    e2e_tells) echo 120 ;;
    *) echo 0 ;;
    esac
}

# cpu_note: cpu_s becomes the processor seconds of what this shell has waited for. Not by $(..), whose shell has waited for nothing.
cpu_note() {
    times >build/test/times
    cpu_s=$(tail -n 1 build/test/times | awk '{ split($1, u, /[ms]/); split($2, s, /[ms]/); print int(u[1] * 60 + u[2] + s[1] * 60 + s[2]) }')
}

# all FUZZ_SECONDS SIM_SECONDS [PART]...: what `make test` runs, and the parts named. Tests on servers wait more than they work. They run in the background from
# the moment at which there is something to start, and all else takes the processors' time that they leave; at the end they are waited for.
all() {
    local part began used allowed cpu_s
    sim_seconds=$2
    e2e_begin
    printf -- '---- build: %s s of 60\n' "$SECONDS"
    renice -n 10 -p $$ >/dev/null
    for part in checks unit threads "fuzz $1" slotmath jackpotctl math simulator "${@:3}" e2e_tells; do
        cpu_note
        began=$SECONDS used=$cpu_s allowed=$(budget "$part")
        $part
        cpu_note
        printf -- '---- %s: %s s of %s, %s s of CPU\n' "$part" $((SECONDS - began)) "$allowed" $((cpu_s - used))
    done
    echo "---- all: $SECONDS s of 540"
}

part=${1:-all}
[ $# = 0 ] || shift
# What those need that make calls by themselves.
case $part in
all | long | flakes)
    "$ROOT/scripts/setup.sh" test --quiet || exit 1
    [ "$part" != long ] || "$ROOT/scripts/setup.sh" bench --quiet || exit 1
    ;;
benches) "$ROOT/scripts/setup.sh" bench --quiet || exit 1 ;;
threads) "$ROOT/scripts/setup.sh" build --quiet || exit 1 ;;
unit | fuzz)
    [ "$part" = unit ] || [[ ${1:-60} =~ ^[0-9]{1,6}$ ]] || die "SECONDS: found '$1', expected a number"
    "$ROOT/scripts/setup.sh" clang --quiet || exit 1
    ;;
esac
case $part in
all) all 24 20 ;;
long)
    export CARILLON_TEST_PICTURES=1 CARILLON_TEST_LONG=1
    all 600 300 benches 'tidy all'
    ;;
unit) unit "$@" ;;
threads) threads ;;
fuzz) fuzz "$@" ;;
format) format ;;
tidy) tidy "${1:-all}" ;;
purity) counted purity "$ROOT/scripts/check-purity.sh" ;;
layers) counted layers "$ROOT/scripts/check-layers.py" ;;
fatals) counted fatals "$ROOT/scripts/check-fatals.py" ;;
log-events) counted log-events "$ROOT/scripts/check-events.py" ;;
links) counted links "$ROOT/scripts/check-links.py" ;;
rules) counted rules "$ROOT/scripts/check-rules.sh" ;;
definitions) counted definitions python3 tests/definitions/schema.py ;;
setup) counted setup python3 tests/tools/setup.py ;;
openapi) counted openapi python3 tests/tools/openapi.py ;;
monitoring) counted watched python3 tests/tools/monitoring.py ;;
words) counted words python3 tests/tools/words.py ;;
currencies) counted currencies python3 tests/tools/currencies.py ;;
waits) counted waits python3 tests/tools/waits.py ;;
slotmath) slotmath ;;
jackpotctl) jackpotctl ;;
math) math ;;
simulator) simulator ;;
e2e) e2e "$@" ;;
benches) benches "$@" ;;
flakes) flakes "$@" ;;
*) die "found '$part', expected all, long, unit, threads, fuzz, format, tidy, purity, layers, fatals, log-events, links, rules, definitions, setup, openapi, monitoring, words, currencies, waits, slotmath, jackpotctl, math, simulator, e2e, flakes or benches" ;;
esac
[ "${#broken[@]}" = 0 ] || printf 'failed: %s\n' "${broken[@]}"
[ "${#flaky[@]}" = 0 ] || printf 'flaky: %s\n' "${flaky[@]}"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
