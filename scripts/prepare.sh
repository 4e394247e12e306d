#!/usr/bin/env bash
# prepare.sh: the data of a stack that was never played on, as a first start makes it: a database with all migrations, Kafka's topics. Made once
# under build/prepared/ and again when what it is made from has changed; prints its folder, for CARILLON_PREPARED. The tests start some twenty
# stacks from it. CARILLON_KIND (default demo) and CARILLON_SHARDS (4) are part of it.
set -eu
. "$(dirname "$0")/lib.sh"
export CARILLON_KIND=${CARILLON_KIND:-demo} CARILLON_SHARDS=${CARILLON_SHARDS:-4}
[ -x "$BIN/carillon-supervisor" ] && [ -x "$BIN/kafka-topics" ] ||
    with_dots 'building the supervisor' make -s build/bin/carillon-supervisor build/bin/kafka-topics

made_from() {
    echo "$CARILLON_KIND $CARILLON_SHARDS $(id -u) $("$PG_BIN/postgres" --version)"
    { find libcommon services -path '*/migrations/*.sql' -o -name grants.sql; ls scripts/{prepare,stack,server,migrate,topics,roles}.sh deploy/local/kafka.properties tools/kafka-topics/topics.h; } | LC_ALL=C sort | xargs sha256sum
}

# In a data folder of its own.
make_it() {
    CARILLON_DATA=$(mktemp -d "${CARILLON_TEST_TMP:-/tmp}/carillon-prepare-XXXXXX")
    export CARILLON_DATA
    trap '"$ROOT/scripts/stack.sh" stop >&2; rm -rf "$CARILLON_DATA"' EXIT
    unset CARILLON_PREPARED CARILLON_PG_DSN CARILLON_PG_RO_DSN CARILLON_PG_ARCHIVE_DSN CARILLON_PG_ADMIN_DSN CARILLON_REDIS CARILLON_KAFKA KAFKA
    "$ROOT/scripts/stack.sh" start >&2
    "$ROOT/scripts/migrate.sh" >&2
    "$ROOT/scripts/topics.sh" >&2
    "$ROOT/scripts/stack.sh" stop >&2
    local pg
    pg=$("$ROOT/scripts/server.sh" postgres place)
    rm -rf "$1.new"
    mkdir -p "$1.new"
    mv "$pg/data" "$1.new/pg"
    mv "$CARILLON_DATA/kafka/data" "$1.new/kafka"
    [ "$pg" = "$CARILLON_DATA/pg" ] || rm -rf "$pg"
    mv "$1.new" "$1"
}

folder=$ROOT/build/prepared/$CARILLON_KIND-$(made_from | sha256sum | cut -c1-12)
mkdir -p "$ROOT/build/prepared"
exec 8>"$ROOT/build/prepared/lock"
flock -w 300 8 || die 'another prepare.sh is still running after 300 s'
if [ ! -d "$folder" ]; then
    find "$ROOT/build/prepared" -mindepth 1 -maxdepth 1 -type d -name "$CARILLON_KIND-*" -exec rm -rf {} +
    (make_it "$folder") 8>&-
fi
echo "$folder"
