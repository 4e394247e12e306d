#!/bin/sh
# entry.sh SERVICE: names this instance after its container and becomes the service.
set -eu
service=$1
address=$(hostname -i | cut -d' ' -f1)
: "${CARILLON_INSTANCE:=$service-$(hostname)}" "${CARILLON_NN_URL:=tcp://$address:7100}" "${CARILLON_HEALTH:=0.0.0.0:9100}"
login=${CARILLON_KEYS:-/data/keys}/$service/kafka
if [ -r "$login" ]; then : "${CARILLON_KAFKA_LOGIN:=$login}" && export CARILLON_KAFKA_LOGIN; fi
export CARILLON_INSTANCE CARILLON_NN_URL CARILLON_HEALTH
exec "/usr/local/bin/carillon-$service"
