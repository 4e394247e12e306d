#!/usr/bin/env bash
# server.sh postgres|redis|kafka: becomes that server (exec), in the foreground, on the ports of run/ports, with its data under
# CARILLON_DATA. What a first start has to prepare is prepared here, so that the supervisor can start it again at any time. Where
# CARILLON_PREPARED names a folder made by scripts/prepare.sh, a first start copies what is in it; CARILLON_KAFKA_JAVA are further options
# of Kafka's virtual machine.
set -eu
. "$(dirname "$0")/lib.sh"
cd "$CARILLON_DATA"

# Postgres refuses to run as root. Its own system user comes with the package; a folder which that user cannot reach (a project
# below /root, say) is replaced by one in /var/tmp.
postgres_place() {
    PG_DATA=$CARILLON_DATA/pg
    AS=()
    [ "$EUID" = 0 ] || { mkdir -p "$PG_DATA" && chmod 700 "$PG_DATA" && return; }
    PG_USER=postgres
    getent passwd postgres >/dev/null || PG_USER=nobody
    AS=(setpriv --reuid "$PG_USER" --regid "$(id -g "$PG_USER")" --clear-groups --bounding-set=-all --inh-caps=-all --pdeathsig INT)
    # The folder itself is ours to open (not to read: each thing in it has its own rights); those above it are not.
    chmod a+x "$CARILLON_DATA"
    if ! "${AS[@]}" test -x "$CARILLON_DATA"; then
        PG_DATA=/var/tmp/carillon-pg-$(printf '%s' "$CARILLON_DATA" | sha256sum | cut -c1-12)
        say "$CARILLON_DATA cannot be reached by the user $PG_USER: Postgres keeps its data in $PG_DATA"
    fi
    mkdir -p "$PG_DATA"
    chmod 700 "$PG_DATA"
    [ "$(stat -c %U "$PG_DATA")" = "$PG_USER" ] || chown -R "$PG_USER" "$PG_DATA"
}

# Who may connect, written at each start, also of a cluster that an earlier version made: everybody by password, but the administrator alone by the socket,
# which is in the cluster's own folder (0700): who starts the stack, by their name in the system.
postgres_admits() {
    local user
    printf '%s\n' 'local all postgres peer map=carillon' 'host all postgres all reject' 'host all all 127.0.0.1/32 scram-sha-256' | postgres_put pg_hba.conf
    for user in root "${PG_USER:-$(id -un)}"; do echo "carillon $user postgres"; done | sort -u | postgres_put pg_ident.conf
}
# Root writes nothing into a folder of another user's: there may be a link.
postgres_put() { (cd "$PG_DATA" && "${AS[@]}" sh -c 'umask 022 && rm -f "$1.new" && cat >"$1.new" && mv -T "$1.new" "$1"' sh "$1"); }

# A postmaster that was killed may not be gone yet, and Postgres refuses to start as long as its number is taken. A process that has no program any more is
# at its end, or waits for its parent to hear of that.
postgres_gone() {
    local old
    old=$(sed -n 1p "$PG_DATA/data/postmaster.pid" 2>/dev/null) || return 0
    for _ in {1..200}; do
        [ -n "$old" ] && [ -d "/proc/$old" ] && ! readlink "/proc/$old/exe" >/dev/null 2>&1 || break
        sleep 0.1
    done
}

postgres() {
    postgres_place
    [ "${1:-}" = place ] && { echo "$PG_DATA"; exit; }
    local port options buffers
    port=$(port_get PG_PORT)
    # initdb is not one step: done in a folder beside and renamed, or a start that is interrupted leaves half a cluster.
    if [ ! -f "$PG_DATA/data/PG_VERSION" ]; then
        mkdir -p "$PG_DATA"
        rm -rf "$PG_DATA/data.new"
        if [ -d "${CARILLON_PREPARED:-}/pg" ]; then
            cp -a "$CARILLON_PREPARED/pg" "$PG_DATA/data.new"
        else
            (cd "$PG_DATA" && "${AS[@]}" "$PG_BIN/initdb" -D "$PG_DATA/data.new" -U postgres -E UTF8 --locale=C.UTF-8 --auth-local=peer --auth-host=reject --no-instructions)
        fi
        mv -T "$PG_DATA/data.new" "$PG_DATA/data"
    fi
    postgres_admits
    # A sixteenth of the memory, 128 to 1024 MB: with a million players each round changes another page of accounts.
    buffers=$(awk '$1 == "MemTotal:" { mb = int($2 / 16384); if (mb < 128) mb = 128; if (mb > 1024) mb = 1024; print mb }' /proc/meminfo 2>/dev/null) || buffers=256
    # WAL files are kept to be used again: to make one is 16 MB more to sync, within somebody's commit.
    # A statement over all of the journal holds a lock for each leaf: shards x days kept.
    options=(-c listen_addresses=127.0.0.1 -c port="$port" -c unix_socket_directories=. -c unix_socket_permissions=0700
        -c hba_file="$PG_DATA/pg_hba.conf" -c ident_file="$PG_DATA/pg_ident.conf" -c password_encryption=scram-sha-256 -c fsync=on -c max_connections=100
        -c max_locks_per_transaction=1024 -c shared_buffers="$buffers"MB -c max_wal_size=2GB -c min_wal_size=2GB -c checkpoint_timeout=2min -c wal_compression=lz4 -c max_wal_senders=0
        -c wal_level=minimal -c timezone=UTC -c log_timezone=UTC -c log_checkpoints=off -c jit=off)
    postgres_gone
    cd "$PG_DATA"
    exec "${AS[@]}" "$PG_BIN/postgres" -D "$PG_DATA/data" "${options[@]}"
}

redis() {
    mkdir -p redis
    chmod 700 redis
    local acl text
    acl=$("$ROOT/scripts/roles.sh" redis)
    key_put "$CARILLON_DATA/redis/users.acl" <<<"$acl"
    text=$(cat <<CONF
dir redis
aclfile users.acl
bind 127.0.0.1
port $(port_get REDIS_PORT)
daemonize no
databases 1
# Sessions should outlive a restart; everything else here can be rebuilt from Postgres.
appendonly yes
appendfsync everysec
save ""
maxmemory 512mb
maxmemory-policy volatile-lru
CONF
    )
    key_put "$CARILLON_DATA/redis/redis.conf" <<<"$text"
    own redis redis
    # shellcheck disable=SC2046
    exec $(as_user redis) redis-server - <<<"$text" # by its name it would be looked for from the root folder on
}

# Java looks for every file from the root folder on, so what its user cannot reach that way is copied into the data folder. Where the data folder cannot be
# reached either, as below /root, Kafka is root's, but without a capability; where it needs one to get there, as below a closed /home/NAME, with that one alone.
kafka_place() {
    jars=$CARILLON_CACHE/kafka/jars
    log4j=$ROOT/deploy/local/log4j2.properties
    AS=()
    own_users || return 0
    read -ra AS < <(as_user kafka)
    chmod a+x "$CARILLON_DATA"
    if ! "${AS[@]}" test -x "$CARILLON_DATA"; then
        AS=(setpriv --clear-groups --bounding-set=-all --inh-caps=-all --no-new-privs)
        # Not even root passes a folder of another user's that is closed to all, without this one.
        "${AS[@]}" test -x "$CARILLON_DATA" || AS=(setpriv --clear-groups --bounding-set=-all,+dac_read_search --inh-caps=-all --no-new-privs)
        say "$CARILLON_DATA cannot be reached by the user $(user_of kafka): Kafka runs as root, with ${AS[2]}"
        chown 0:0 kafka
        return
    fi
    reachable "$jars" || { code_copy "$jars" && jars=$CARILLON_DATA/code/jars; }
    reachable "$log4j" || { code_copy "$log4j" && log4j=$CARILLON_DATA/code/log4j2.properties; }
    own kafka kafka
}

kafka() {
    local port controller java archive secret settle=()
    port=$(port_get KAFKA_PORT)
    controller=$(port_get KAFKA_CONTROLLER_PORT)
    mkdir -p kafka
    chmod 700 kafka
    "$ROOT/scripts/roles.sh" keys
    kafka_place
    secret=$(random_key)
    kafka_properties "$port" "$controller" kafka/data "$secret" | key_put "$CARILLON_DATA/kafka/server.properties"
    echo "broker $secret" | key_put "$RUN/broker.login" # the broker itself never reads it
    rm -f kafka/broker.login                            # of an earlier version
    # The broker's own advice is G1 and a larger heap; a single node that batches well needs neither, and starts sooner without.
    java=(java -Xms256m -Xmx512m -XX:+UseSerialGC -XX:TieredStopAtLevel=4 -Xshare:auto -Djava.awt.headless=true
        "-Dlog4j2.configurationFile=$log4j")
    archive=$("$ROOT/scripts/kafka-jars.sh" archive)
    [ ! -s "$archive" ] || java+=(-XX:SharedArchiveFile="$archive")
    # shellcheck disable=SC2206
    java+=(${CARILLON_KAFKA_JAVA:-} -cp "$jars/*")
    if [ ! -f kafka/data/meta.properties ] && [ -d "${CARILLON_PREPARED:-}/kafka" ]; then
        rm -rf kafka/data kafka/data.new
        cp -a "$CARILLON_PREPARED/kafka" kafka/data.new
        mv -T kafka/data.new kafka/data
    elif [ ! -f kafka/data/meta.properties ]; then
        rm -rf kafka/data
        "${AS[@]}" "${java[@]}" kafka.tools.StorageTool format -t CarillonLocalStackAAA0 -c kafka/server.properties
    fi
    # A disk that was full can cost a single node its own metadata, and with it every topic and user, and its data may have been deleted, or be of a version
    # without users: all are made again. What the topics held is only what the services tell each other, and say again. At the first start of all there is
    # the administrator alone, and run.sh makes the others.
    if [ -x "$BIN/kafka-topics" ]; then
        settle=(--only-wait)
        [ ! -f "$RUN/stack.env" ] || settle=(--keys=keys --partitions="$CARILLON_SHARDS")
        # A broker on a busy machine may be late with an answer. $$ is its process.
        for _ in 1 2 3 4 5; do
            "$BIN/kafka-topics" --brokers="127.0.0.1:$port" --login=keys/admin/kafka --controller="127.0.0.1:$controller" --controller-login=run/broker.login \
                --wait=60 "${settle[@]}" >/dev/null && break
            sleep 2
            kill -0 $$ 2>/dev/null || break
        done &
    fi
    # What is left of topics lost that way: a broker that is killed before it has deleted them reads them all at its next start.
    [ "${#AS[@]}" = 0 ] || chown -R --reference=kafka kafka
    "${AS[@]}" rm -rf kafka/data/*-stray
    exec "${AS[@]}" "${java[@]}" kafka.Kafka kafka/server.properties
}

case ${1:-} in
postgres | redis | kafka) "$@" ;;
*) die "found '${1:-}', expected postgres, redis or kafka" ;;
esac
