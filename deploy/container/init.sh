#!/bin/bash
# init.sh: what an installation needs before its services start: migrations, topics, and the users of Kafka (/secrets/NAME/kafka). May run again at any time.
set -eu
/carillon/scripts/migrate.sh
CARILLON_KAFKA_LOGIN=/admin/kafka /carillon/scripts/topics.sh --wait=60 --keys=/secrets
echo 'migrations, topics and users are in place'
