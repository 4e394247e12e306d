#!/usr/bin/env bash
# tidy.sh all|pure FLAGS...: clang-tidy with .clang-tidy, one file to each processor at a time, over all libraries, services and tools, or over the
# pure rooms alone. A file that is clean leaves build/tidy/FILE.ok with the digest of what was read: it is read again when that changes.
# Behind `make tidy`, which knows the flags. The last line is "N passed, N failed"; one test a file.
set -eu
. "$(dirname "$0")/lib.sh"
rooms=$1
shift

sources() {
    case $rooms in
    all) find libcommon services tools -name '*.c' -not -path '*/test/*' ;;
    pure) ls libcommon/base/*.c libcommon/jackpot/*.c libcommon/game/core/*.c libcommon/game/features/*/rule*.c services/*/core/*.c ;;
    *) die "found '$rooms', expected all or pure" ;;
    esac | LC_ALL=C sort
}

# What clang-tidy reads: the file with all that it includes, comments too (NOLINT is one), the checks, itself.
digest() {
    { echo "$version $*"; cat .clang-tidy "$file"; "${CC:-gcc}" -E -CC -P "$@" "$file"; } | sha256sum | cut -d' ' -f1
}

tidy() {
    local file=$1 ok=build/tidy/$1.ok now
    shift
    now=$(digest "$@")
    [ ! -f "$ok" ] || [ "$(cat "$ok")" != "$now" ] || { echo "ok $file"; return; }
    mkdir -p "$(dirname "$ok")"
    if clang-tidy --quiet "$file" -- "$@" >"$ok.log" 2>&1; then
        echo "$now" >"$ok"
        rm -f "$ok.log"
        echo "ok $file"
    else
        { echo "FAILED $file"; cat "$ok.log"; } | sed '/warnings generated\.$/d'
    fi
}

version=$(clang-tidy --version | sha256sum)
export -f tidy digest
export version
mkdir -p build/tidy
log=$(mktemp)
# shellcheck disable=SC2016
sources | xargs -d '\n' -P "$(nproc)" -I{} bash -c 'tidy "$@"' tidy {} "$@" >"$log"
grep -v '^ok ' "$log" || true
passed=$(grep -c '^ok ' "$log" || true)
failed=$(grep -c '^FAILED ' "$log" || true)
rm -f "$log"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
