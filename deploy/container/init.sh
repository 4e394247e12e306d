#!/bin/bash
# init.sh: what an installation needs before its services start: keys, migrations, topics, and the users of Kafka. May run again at any time.
set -eu
keys=/data/keys
mkdir -p "$keys"
chmod 700 "$keys"
sed -n 's/^key  *//p' /carillon/deploy/local/services.conf | while read -r key; do
	[ -s "$keys/$key" ] && continue
	(umask 077 && od -An -v -tx1 -N32 /dev/urandom | tr -d ' \n' >"$keys/$key.new" && echo >>"$keys/$key.new")
	mv "$keys/$key.new" "$keys/$key"
done
CARILLON_KEYS=$keys /carillon/scripts/bus-keys.sh make
/carillon/scripts/migrate.sh
for name in $(kafka-topics --grants | cut -d' ' -f1 | sort -u); do
	[ -s "$keys/$name/kafka" ] && continue
	mkdir -p -m 700 "$keys/$name"
	(umask 077 && echo "carillon_${name//-/_} $(od -An -v -tx1 -N24 /dev/urandom | tr -d ' \n')" >"$keys/$name/kafka.new")
	mv "$keys/$name/kafka.new" "$keys/$name/kafka"
done
CARILLON_KAFKA_LOGIN=/admin/kafka /carillon/scripts/topics.sh --wait=60 --keys="$keys"
echo 'keys, migrations and topics are in place'
