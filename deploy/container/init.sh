#!/bin/bash
# init.sh: what an installation needs before its services start: migrations and topics. May run again at any time.
set -eu
/carillon/scripts/migrate.sh
/carillon/scripts/topics.sh --wait=60
echo 'migrations and topics are in place'
