#!/usr/bin/env bash
# keys.sh [make | containers [FOLDER]]: the keys of an installation, in keys/ of CARILLON_DATA, and who may read them: what deploy/local/services.conf lists, the keys of the bus,
# and, where root starts the services as users of their own (lib.sh), the owner of each folder. Makes what is missing and nothing else; files of an earlier
# version are moved to the folder of their service. Runs at each start.
# containers: the same in FOLDER (deploy/secrets), with the passwords of all roles, for deploy/compose.yaml, which gives each container the folder of its own
# service as a secret. The users there are those of the images, from 10001 on. Only root can give them their files.
set -eu
[ "${1:-}" != containers ] || export CARILLON_DATA=${2:-deploy/secrets}
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
        own "$file" "${path%/*}"
        mv -T "$file" "$keys/$path"
    done
    for file in "$keys"/operator-*.key; do [ ! -f "$file" ] || { own "$file" gateway && mv -T "$file" "$keys/gateway/${file##*/}"; }; done
    for path in "${SERVICES[@]}"; do
        for file in "$CARILLON_DATA/hand/$path"-[0-9]*.hand; do [ ! -f "$file" ] || { own_folder "$CARILLON_DATA/hand/$path" "$path" && mv -T "$file" "$CARILLON_DATA/hand/$path/${file##*/}"; }; done
    done
}

make_missing() {
    local path number token
    sed -n 's/^key  *//p' "$table" | while read -r path number; do
        [ -s "$keys/$path" ] && continue
        own_folder "$keys/${path%/*}" "${path%/*}"
        echo "${number:+$number }$(random_key 32)" | key_put "$keys/$path"
    done
    # Who only checks tokens has keys that make none: they follow from the gateway's.
    own_folder "$keys/notifications" notifications
    token=$(own_cat "$keys/gateway/token.key")
    token=$(token_checks <<<"$token")
    [ -f "$keys/notifications/token.key" ] && [ "$(own_cat "$keys/notifications/token.key")" = "$token" ] || key_put "$keys/notifications/token.key" <<<"$token"
}

own_keys() {
    local name
    own_folder "$keys"
    for name in "${SERVICES[@]}"; do own_folder "$keys/$name" "$name"; done
}

# What else each service has of its own: the socket to which others send, its commands in hand; the wallet its heads.
own_state() {
    local name
    for name in hand nn; do own_folder "$CARILLON_DATA/$name"; done
    for name in "${SERVICES[@]}"; do
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
    own_keys
}

# Postgres and Redis are users of their images, whose numbers nobody knows here: they read what is in their own container, and FOLDER is root's alone.
for_containers() {
    local name
    [ "$EUID" = 0 ] || die "found the user $(id -un), expected root, which can give each service its own files"
    umask 077
    mkdir -p -m 700 "$CARILLON_DATA" "$RUN" "$keys/postgres" "$keys/redis"
    echo 'own 10000' >"$RUN/users"
    "$ROOT/scripts/roles.sh" sql >"$keys/postgres/roles.sql"
    "$ROOT/scripts/roles.sh" redis >"$keys/redis/users.acl"
    chmod 755 "$keys/postgres" "$keys/redis"
    chmod 644 "$keys/postgres/roles.sql" "$keys/redis/users.acl"
    # init tells Kafka the passwords of all; its administrator's own stays with Kafka.
    for name in "${KAFKA_USERS[@]:1}"; do mkdir -p "$keys/kafka/$name" && own_cat "$keys/$name/kafka" | key_put "$keys/kafka/$name/kafka"; done
    make_keys
    own_folder "$keys/owner" init
    own_folder "$keys/kafka" init
    say "the secrets of the containers are in $CARILLON_DATA: keep a copy of $keys"
}

case ${1:-make} in
make) make_keys; own_state ;;
containers) for_containers ;;
*) die "found '$1', expected make or containers [FOLDER]" ;;
esac
