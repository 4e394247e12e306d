#!/bin/bash
# kafka.sh: the same single node as on one machine, listening to the other containers under the name KAFKA_HOST.
set -eu
host=${KAFKA_HOST:-kafka}
sed -e 's|^listeners=.*|listeners=PLAINTEXT://0.0.0.0:9092,CONTROLLER://127.0.0.1:9093|' -e "s|^advertised.listeners=.*|advertised.listeners=PLAINTEXT://$host:9092|" \
	-e 's|@CONTROLLER@|9093|g' -e 's|@DATA@|/data/log|g' /kafka/kafka.properties >/tmp/server.properties
java=(java -Xms256m -Xmx512m -XX:+UseSerialGC -Djava.awt.headless=true -Dlog4j2.configurationFile=/kafka/log4j2.properties -cp '/kafka/jars/*')
if [ ! -f /data/log/meta.properties ]; then
	rm -rf /data/log
	"${java[@]}" kafka.tools.StorageTool format -t CarillonContainersAA0 -c /tmp/server.properties
fi
exec "${java[@]}" kafka.Kafka /tmp/server.properties
