#!/usr/bin/env bash
# token-key.sh [list | rotate [SECONDS] | drop NUMBER]: the keys that sign players' tokens, in gateway/token.key of CARILLON_KEYS (default: keys/ of
# CARILLON_DATA), and in notifications/token.key those that check them (libcommon/edge/token.h).
# rotate: adds a key that signs from SECONDS (default 10) from now on, when every gateway and every instance of notifications has read it; keys whose last
# token has expired are left out (CARILLON_TOKEN_LIFE_S, default 2592000, the longest GATEWAY_SESSION_S). drop: removes a key at once, and so ends every
# session of its tokens. Services read the file again within a second. Nobody but the file's owner may read it.
set -eu
. "$(dirname "$0")/lib.sh"
folder=${CARILLON_KEYS:-$CARILLON_DATA/keys}
file=$folder/gateway/token.key
life=${CARILLON_TOKEN_LIFE_S:-2592000}
[ -s "$file" ] || die "$file: found nothing, expected a token key"
text=$(own_cat "$file")

# The keys as "NUMBER HEX SINCE": a file of one key has its digits alone, which are key 0.
keys() { sed -E '/^[[:space:]]*$/d; s/^([0-9a-fA-F]{64})[[:space:]]*$/0 \1 0/' <<<"$text"; }
# put [ADDED]: writes the keys of its input, of which ADDED are new (default: none).
put() {
    local lines n
    lines=$(cat)
    n=$(grep -c . <<<"$lines" || true)
    [ "$n" -ge 1 ] || die "found no other key, expected one that signs instead: rotate first"
    [ "${1:-0}" = 0 ] || [ "$n" -le 8 ] || die "found $((n - $1)) keys, expected at most $((8 - $1)) before another is added: drop one first"
    # First for who only checks: a token is never ahead of its key.
    [ ! -d "$folder/notifications" ] || key_put "$folder/notifications/token.key" < <(token_checks <<<"$lines")
    key_put "$file" <<<"$lines"
}

rotate() {
    local seconds=$1 now number=0 n hex since
    [[ $seconds =~ ^[0-9]{1,6}$ ]] || die "SECONDS: found '$seconds', expected a whole number of seconds"
    now=$(date +%s)
    while read -r n hex since; do
        [[ $n =~ ^[0-9]{1,5}$ ]] || die "$file: found the number '$n', expected at most five digits"
        [ "$n" -lt "$number" ] || number=$((10#$n + 1))
    done < <(keys)
    hex=$(random_key 32)
    {
        # A key is superseded when the next one begins to sign; a token of it lives that long at most.
        keys | sort -n -k3,3 | awk -v now="$now" -v life="$life" -v last="$((now + seconds))" '
            NR > 1 && $3 + life >= now { print line } { line = $0 } END { if (last + life >= now) print line }'
        echo "$number $hex $((now + seconds))"
    } | put 1
    say "token key $number starts to sign in $seconds s"
}

drop() {
    keys | grep -q "^$1 " || die "NUMBER: found '$1', expected the number of a key: $(keys | cut -d' ' -f1 | tr '\n' ' ')"
    keys | grep -v "^$1 " | put
    say "token key $1 is deleted: the sessions whose tokens it signed have ended"
}

case ${1:-list} in
list) keys | awk '{ printf "key %s signs since %s\n", $1, $3 == 0 ? "the first start" : strftime("%Y-%m-%d %H:%M:%S", $3) }' ;;
rotate) rotate "${2:-10}" ;;
drop) drop "${2:-}" ;;
*) die "found '$1', expected list, rotate [SECONDS] or drop NUMBER" ;;
esac
