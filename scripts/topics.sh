#!/usr/bin/env bash
# topics.sh: makes the topics that are missing, with one partition a shard, and checks the others. The table of topics is in
# tools/kafka-topics/topics.h.
set -eu
. "$(dirname "$0")/lib.sh"
load_env || [ -n "${CARILLON_KAFKA:-}" ] || die "no address of Kafka: run scripts/stack.sh start first, or set CARILLON_KAFKA"
[ "${CARILLON_KAFKA:-}" != none ] || exit 0 # without Kafka there are no topics
[ -x "$BIN/kafka-topics" ] || make -s build/bin/kafka-topics
exec "$BIN/kafka-topics" "$@"
