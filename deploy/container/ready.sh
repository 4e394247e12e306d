#!/bin/bash
# ready.sh: is the service in this container ready? Asks its health port.
port=${CARILLON_HEALTH:-0.0.0.0:9100}
exec 3<>"/dev/tcp/127.0.0.1/${port##*:}" || exit 1
printf 'GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >&3
read -r -t 2 _ status _ <&3
[ "$status" = 200 ]
