#!/bin/bash
# kafka.sh: the same single node as on one machine, listening to the other containers under the name KAFKA_HOST. It makes the administrator's password, which
# only init may read besides (a volume of its own), and tells Kafka by its controller's listener, which no other container reaches.
set -eu
host=${KAFKA_HOST:-kafka}
random_key() { od -An -v -tx1 -N24 /dev/urandom | tr -d ' \n'; }
secret=$(random_key)
text=$(</kafka/kafka.properties)
text=${text//@CONTROLLER@/9093}
text=${text//@DATA@//data/log}
text=${text//@SECRET@/$secret}
text=${text//listeners=CLIENT:\/\/127.0.0.1:@PORT@/listeners=CLIENT://0.0.0.0:9092}
text=${text//advertised.listeners=CLIENT:\/\/0.0.0.0:9092/advertised.listeners=CLIENT://$host:9092}
rm -f /tmp/server.properties /tmp/broker.login
(umask 077 && printf '%s\n' "$text" >/tmp/server.properties && echo "broker $secret" >/tmp/broker.login)
# The folder hands its group on to the file.
if [ ! -s /admin/kafka ]; then
	(umask 027 && echo "carillon_admin $(random_key)" >/admin/kafka.new)
	mv /admin/kafka.new /admin/kafka
fi
java=(java -Xms256m -Xmx512m -XX:+UseSerialGC -Djava.awt.headless=true -Dlog4j2.configurationFile=/kafka/log4j2.properties -cp '/kafka/jars/*')
if [ ! -f /data/log/meta.properties ]; then
	rm -rf /data/log
	"${java[@]}" kafka.tools.StorageTool format -t CarillonContainersAA0 -c /tmp/server.properties
fi
kafka-topics --brokers=127.0.0.1:9092 --login=/admin/kafka --controller=127.0.0.1:9093 --controller-login=/tmp/broker.login --wait=120 --only-wait &
exec "${java[@]}" kafka.Kafka /tmp/server.properties
