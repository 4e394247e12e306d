#!/usr/bin/env bash
# topics.sh: makes the topics that are missing, with one partition a shard, and checks the others; of a Kafka of our own also the users of the services, with
# the passwords in keys/NAME/kafka, and what each may do. The tables of topics and grants are in tools/kafka-topics/topics.h (kafka-topics --grants).
set -eu
. "$(dirname "$0")/lib.sh"
load_env || [ -n "${CARILLON_KAFKA:-}" ] || die "no address of Kafka: run scripts/stack.sh start first, or set CARILLON_KAFKA"
[ "${CARILLON_KAFKA:-}" != none ] || exit 0 # without Kafka there are no topics
[ -x "$BIN/kafka-topics" ] || make -s build/bin/kafka-topics
own=()
if [ -f "$RUN/stack.env" ] && [ ! -f "$RUN/foreign-CARILLON_KAFKA" ]; then own=(--login="$(kafka_login)" --keys="$CARILLON_DATA/keys"); fi
exec "$BIN/kafka-topics" "${own[@]}" "$@"
