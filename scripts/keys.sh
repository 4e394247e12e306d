#!/usr/bin/env bash
# keys.sh [make]: the keys of an installation, in keys/ of CARILLON_DATA, and who may read them: what deploy/local/services.conf lists, the keys of the bus,
# and, where root starts the services as users of their own (lib.sh), the owner of each folder. Makes what is missing and nothing else; files of an earlier
# version are moved to the folder of their service. Runs at each start, and before containers are started the first time (deploy/compose.yaml).
set -eu
. "$(dirname "$0")/lib.sh"
table=$ROOT/deploy/local/services.conf
keys=$CARILLON_DATA/keys

# Earlier versions had one folder for all: keys/token.key, hand/wallet-1.hand.
move_older() {
    local path file
    sed -n 's/^key  *\([^ ]*\).*/\1/p' "$table" | while read -r path; do
        file=$keys/${path#*/}
        [ -f "$file" ] && [ ! -e "$keys/$path" ] || continue
        own_folder "$keys/${path%/*}" "${path%/*}"
        mv "$file" "$keys/$path"
    done
    for file in "$keys"/operator-*.key; do [ ! -f "$file" ] || mv "$file" "$keys/gateway/"; done
    for path in "${SERVICES[@]}"; do
        for file in "$CARILLON_DATA/hand/$path"-[0-9]*.hand; do [ ! -f "$file" ] || { own_folder "$CARILLON_DATA/hand/$path" "$path" && mv "$file" "$CARILLON_DATA/hand/$path/"; }; done
    done
}

make_missing() {
    local path number
    sed -n 's/^key  *//p' "$table" | while read -r path number; do
        [ -s "$keys/$path" ] && continue
        own_folder "$keys/${path%/*}" "${path%/*}"
        echo "${number:+$number }$(od -An -v -tx1 -N32 /dev/urandom | tr -d ' \n')" | key_put "$keys/$path"
    done
    # Both sign and check tokens: the gateway's is the one that counts.
    own_folder "$keys/notifications" notifications
    cmp -s "$keys/gateway/token.key" "$keys/notifications/token.key" || key_put "$keys/notifications/token.key" <"$keys/gateway/token.key"
}

# What each service has of its own: keys, the socket to which others send, its commands in hand.
own_all() {
    local name
    own_folder "$keys"
    for name in hand nn; do own_folder "$CARILLON_DATA/$name"; done
    for name in "${SERVICES[@]}"; do
        own_folder "$keys/$name" "$name"
        own_folder "$CARILLON_DATA/hand/$name" "$name"
        mkdir -p "$CARILLON_DATA/nn/$name"
        own "$CARILLON_DATA/nn/$name" "$name" "$(group_to "$name")"
        chmod "$(own_users && echo 2710 || echo 0700)" "$CARILLON_DATA/nn/$name"
    done
    for name in heads heads-copy; do own_folder "$CARILLON_DATA/$name" wallet; done
}

make_keys() {
    mkdir -p -m 700 "$keys"
    move_older
    make_missing
    "$ROOT/scripts/bus-keys.sh" make
    own_all
}

case ${1:-make} in
make) make_keys ;;
*) die "found '$1', expected make" ;;
esac
