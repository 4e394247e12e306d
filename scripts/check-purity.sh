#!/usr/bin/env bash
# check-purity.sh: the cores and libcommon/base know no I/O, no clock, no allocation and no other service. Two looks at each: what its
# files include, and which symbols its objects take from elsewhere (so that nothing gets in through a header of our own).
set -eu
. "$(dirname "$0")/lib.sh"

# Headers that bring no I/O by themselves; <stdio.h> is for snprintf, which the symbols below hold to that.
headers='assert|errno|inttypes|limits|stdalign|stdarg|stdbool|stddef|stdint|stdio|stdlib|string|sodium/crypto_[a-z0-9_]+|sodium/utils|openssl/(crypto|sha)'
symbols='^(mem(cpy|move|set|cmp|chr)|str(n?cmp|n?len|r?chr|spn|cspn|str|n?cpy|toll?|toull?)|__(memcpy|memmove|memset|strcpy|strncpy|snprintf|vsnprintf)_chk|v?snprintf|bsearch|abort|__assert_fail|__stack_chk_fail|__errno_location|__ctype_b_loc|__(u?div|u?mod|u?divmod|mulo)ti[34]|crypto_(stream|hash|auth|verify)_[a-z0-9_]+|sodium_(memzero|memcmp|bin2hex|hex2bin)|SHA256_(Init|Update|Final)|OPENSSL_cleanse|_GLOBAL_OFFSET_TABLE_)$'

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

# Includes outside the list; of our own only base, and of services only the same core.
wrong_includes() {
    local own=$1
    grep -nE '^[[:space:]]*#[[:space:]]*include' "$own"/*.c "$own"/*.h 2>/dev/null |
        grep -vE "<($headers)\.h>" | grep -vE "\"(libcommon/base|$own)/[a-z0-9_]+\.h\"" || true
}

# Symbols that neither the folder itself, nor base, nor the list has.
wrong_symbols() {
    nm -u "$1"/*.o | awk '$1 == "U" { print $2 }' | sort -u |
        grep -vxF -f <(nm --defined-only "$1"/*.o build/obj/libcommon/base/*.o | awk 'NF == 3 { print $3 }' | sort -u) |
        grep -vE "$symbols" || true
}

for folder in libcommon/base services/*/core; do
    compgen -G "$folder/*.c" >/dev/null || continue
    verdict "$folder includes what a core may not know" "$(wrong_includes "$folder")"
    objects=$(for c in "$folder"/*.c libcommon/base/*.c; do echo "build/obj/${c%.c}.o"; done | sort -u)
    # shellcheck disable=SC2086
    if make -s $objects; then
        verdict "$folder calls what a core may not call" "$(wrong_symbols "build/obj/$folder")"
    else
        verdict "$folder" 'does not compile'
    fi
done
# One service never includes another; tools may use the engine's core and its loader of definitions.
for service in services/*/; do
    service=${service%/}
    wrong=$(grep -rnE '^[[:space:]]*#[[:space:]]*include "services/' "$service" --include='*.[ch]' | grep -v "include \"$service/" || true)
    verdict "$service includes another service" "$wrong"
done
verdict 'libcommon includes a service or a tool' \
    "$(grep -rnE '^[[:space:]]*#[[:space:]]*include "(services|tools)/' libcommon --include='*.[ch]' || true)"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
