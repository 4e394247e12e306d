#!/usr/bin/env bash
# check-purity.sh: what is pure knows no I/O, no clock and no allocation. Two looks at each pure room: which system headers its files
# include, and which symbols its objects take from elsewhere (so that nothing gets in through a header of our own). Which of our rooms
# may include which is another question: scripts/check-layers.py.
set -eu
. "$(dirname "$0")/lib.sh"

# Headers that bring no I/O by themselves; <stdio.h> is for snprintf, which the symbols below hold to that.
headers='assert|errno|inttypes|limits|stdalign|stdarg|stdbool|stddef|stdint|stdio|stdlib|string|sodium/crypto_[a-z0-9_]+|sodium/utils|openssl/(crypto|sha)'
symbols='^(mem(cpy|move|set|cmp|chr)|str(n?cmp|n?len|r?chr|spn|cspn|str|n?cpy|toll?|toull?)|__(memcpy|memmove|memset|strcpy|strncpy|snprintf|vsnprintf)_chk|v?snprintf|bsearch|abort|__assert_fail|__stack_chk_fail|__errno_location|__ctype_b_loc|__(u?div|u?mod|u?divmod|mulo)ti[34]|crypto_(stream|hash|auth|verify)_[a-z0-9_]+|sodium_(memzero|memcmp|bin2hex|hex2bin)|SHA256_(Init|Update|Final)|OPENSSL_cleanse|_GLOBAL_OFFSET_TABLE_)$'

# The pure rooms; a room may use the symbols of those before it in the list.
rooms() {
    echo "base libcommon/base/*.c"
    echo "jackpot libcommon/jackpot/*.c"
    echo "game libcommon/game/core/*.c libcommon/game/features/*/rule*.c"
    for core in services/*/core; do echo "$core $core/*.c"; done
}

passed=0
failed=0
verdict() {
    if [ -z "$2" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf '%s:\n%s\n' "$1" "$2" | head -n 40
    fi
}

wrong_headers() {
    grep -nHE '^[[:space:]]*#[[:space:]]*include <' "$@" | grep -vE "<($headers)\.h>" || true
}

# Symbols that neither the room itself, nor a pure room before it, nor the list has.
wrong_symbols() {
    nm -u "$@" | awk '$1 == "U" { print $2 }' | sort -u |
        grep -vxF -f <(nm --defined-only "${known[@]}" "$@" | awk 'NF == 3 { print $3 }' | sort -u) | grep -vE "$symbols" || true
}

known=() # objects of base, jackpot and game
while read -r room files; do
    # shellcheck disable=SC2206
    sources=($files)
    objects=("${sources[@]/#/build/obj/}")
    objects=("${objects[@]/%.c/.o}")
    [[ $room != */* ]] || room=${room#services/}
    verdict "$room includes what is not pure" "$(wrong_headers "${sources[@]}")"
    if make -s "${objects[@]}"; then
        verdict "$room calls what is not pure" "$(wrong_symbols "${objects[@]}")"
    else
        verdict "$room" 'does not compile'
    fi
    [[ ${files} == services/* ]] || known+=("${objects[@]}")
done < <(rooms)
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
