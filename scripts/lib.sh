# Sourced by the other scripts: where things are, and how they talk to the person at the terminal.
# shellcheck shell=bash

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT" || exit 1
absolute() { case $1 in /*) printf '%s' "$1" ;; *) printf '%s/%s' "$ROOT" "$1" ;; esac; }
CARILLON_DATA=$(absolute "${CARILLON_DATA:-var}")
CARILLON_CACHE=$(absolute "${CARILLON_CACHE:-.cache}")
export CARILLON_DATA CARILLON_CACHE
BIN=$(absolute "${CARILLON_BIN:-build/bin}")
RUN=$CARILLON_DATA/run
PG_BIN=${CARILLON_PG_BIN:-/usr/lib/postgresql/15/bin}
SERVICES=(wallet spin-engine progressive-pool jackpot-cards payments notifications gateway)
PG_ROLES=(owner ro reports archiver "${SERVICES[@]}") # each with keys/NAME/pgpass (scripts/roles.sh)
REDIS_USERS=(admin gateway notifications progressive-pool jackpot-cards) # each with keys/NAME/redis
KAFKA_USERS=(admin wallet spin-engine progressive-pool jackpot-cards payments notifications gateway) # each with keys/NAME/kafka; kafka-topics --grants says what each may do
UNIX_USERS=("${SERVICES[@]}" redis kafka payment-stub prometheus alertmanager watch init) # in this order for ever: the place is the number

say() { printf '%s\n' "$*" >&2; }
die() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }
now_ms() { local t=${EPOCHREALTIME/[.,]/}; echo $((t / 1000)); }

# alive PIDFILE NAME: is the process of this file running, and is it the program that we think it is?
alive() {
    local pid
    [ -s "$1" ] && read -r pid <"$1" && [ -r "/proc/$pid/cmdline" ] && tr '\0' ' ' <"/proc/$pid/cmdline" | grep -q -e "$2"
}

# with_dots TEXT COMMAND...: runs a command, its output in a log, and shows progress if it takes longer than 2 s.
with_dots() {
    local text=$1 log start status last=0
    shift
    log=$(mktemp)
    start=$(now_ms)
    "$@" >"$log" 2>&1 &
    local pid=$!
    while kill -0 "$pid" 2>/dev/null; do
        sleep 0.1
        local s=$((($(now_ms) - start) / 1000))
        if [ "$s" -ge 2 ] && [ "$s" != "$last" ]; then
            last=$s
            if [ -t 2 ]; then
                printf '\r%s ... %d s ' "$text" "$s" >&2
            elif [ "$s" = 2 ] || [ $((s % 15)) = 0 ]; then
                say "$text ... $s s"
            fi
        fi
    done
    status=0
    wait "$pid" || status=$?
    [ "$last" = 0 ] || { [ -t 2 ] && printf '\r\033[K' >&2; }
    if [ "$status" != 0 ]; then
        say "$text: failed"
        tail -n 40 "$log" >&2
    fi
    rm -f "$log"
    return "$status"
}

# port_free PORT...: can each be bound on 127.0.0.1 at this moment?
port_free() {
    python3 -ISc 'import socket, sys
for p in sys.argv[1:]:
    s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); s.bind(("127.0.0.1", int(p)))' "$@" 2>/dev/null
}

# port_claim PORT: true if no other start has picked it in the last ten minutes: its server may not be listening yet. Where nothing can be noted, true.
port_claim() {
    local claims=/tmp/carillon-ports-$UID
    mkdir -p "$claims" 2>/dev/null && [ -O "$claims" ] && [ -w "$claims" ] || return 0
    find "$claims" -type f -mmin +10 -delete 2>/dev/null || true
    (set -o noclobber && : >"$claims/$1") 2>/dev/null
}

# pick_port [NOT]: a free port, not that one, that no other name of run/ports has (its server may not be listening yet), at random below the range
# from which the kernel takes ports for outgoing connections, so that a port which is free now is likely to be free at the
# next start too. No other installation that starts at this moment picks the same one.
pick_port() {
    local port
    while port=$((20000 + (RANDOM << 15 | RANDOM) % 12000)); do
        if [ "$port" != "${1:-}" ] && ! port_named "$port" && port_free "$port" && port_claim "$port"; then
            echo "$port"
            return
        fi
    done
}

# value_in FILE NAME: prints the value of the last line NAME=value in the file, or nothing if the file has no such line.
value_in() {
    local line value=''
    [ -f "$1" ] || return 0
    while IFS= read -r line; do [[ $line != "$2="* ]] || value=${line#*=}; done <"$1"
    [ -z "$value" ] || printf '%s\n' "$value"
}

# port_named PORT: does a name of run/ports have it?
port_named() { [ -f "$RUN/ports" ] && grep -q "=$1\$" "$RUN/ports"; }

# A port of run/ports: the file has lines NAME=number.
port_get() { value_in "$RUN/ports" "$1"; }
port_set() {
    mkdir -p "$RUN"
    { [ ! -f "$RUN/ports" ] || grep -v "^$1=" "$RUN/ports" || true; echo "$1=$2"; } >"$RUN/ports.new"
    mv "$RUN/ports.new" "$RUN/ports"
}

# port_settle NAME GIVEN WANTED: writes a usable port into run/ports: the given one (an error if it is taken), else the one of
# last time, else WANTED (may be empty), else any free one.
port_settle() {
    local name=$1 given=$2 wanted=$3 kept
    kept=$(port_get "$name")
    if [ -n "$given" ]; then
        [[ $given =~ ^[0-9]+$ ]] && [ "$given" -ge 1 ] && [ "$given" -le 65535 ] ||
            die "port of $name: found '$given', expected a number from 1 to 65535"
        port_free "$given" || die "port of $name: $given is taken by another program; expected a free one"
        port_set "$name" "$given"
    elif [ -n "$kept" ] && port_free "$kept"; then
        :
    elif [ -n "$wanted" ] && port_free "$wanted"; then
        port_set "$name" "$wanted"
    else
        port_set "$name" "$(pick_port)"
        [ -z "$kept$wanted" ] || say "port ${kept:-$wanted} of $name is taken by another program: using $(port_get "$name")"
    fi
}

# wait_for SECONDS WHAT COMMAND...: until the command succeeds.
wait_for() {
    local limit=$1 what=$2 end
    shift 2
    end=$(($(now_ms) + limit * 1000))
    until "$@" >/dev/null 2>&1; do
        [ "$(now_ms)" -lt "$end" ] || return 1
        sleep 0.05
    done
}

# load_env: takes run/stack.env (lines NAME=value, values with blanks) into the environment.
load_env() {
    local line
    [ -f "$RUN/stack.env" ] || return 1
    while IFS= read -r line; do
        [[ $line =~ ^[A-Z_]+= ]] && export "${line?}"
    done <"$RUN/stack.env"
}

# The value that run/stack.env had for a name, or nothing.
env_kept() { value_in "$RUN/stack.env" "$1"; }

# pg_dsn NAME [FOLDER]: where a role of the database connects, with its password in FOLDER (default: the installation's keys/). A database that is not ours
# is used by the address given, unless CARILLON_PG_ROLES=1 says that its administrator has made the roles.
pg_dsn() {
    local user=carillon_${1//-/_} file=${2:-$CARILLON_DATA/keys}/$1/pgpass
    [ "$1" != owner ] || user=carillon
    if [ ! -f "$RUN/foreign-CARILLON_PG_DSN" ]; then
        printf 'host=127.0.0.1 port=%s dbname=carillon ' "$(port_get PG_PORT)"
    elif [ "${CARILLON_PG_ROLES:-$(env_kept CARILLON_PG_ROLES)}" = 1 ]; then
        printf '%s ' "$CARILLON_PG_DSN"
    elif [ "$1" = ro ]; then
        printf '%s' "${CARILLON_PG_RO_DSN:-$CARILLON_PG_DSN}"
        return
    else
        printf '%s' "$CARILLON_PG_DSN"
        return
    fi
    file=${file//\\/\\\\}
    printf "user=%s passfile='%s'" "$user" "${file//\'/\\\'}"
}

# The file with the user and password of Kafka's administrator; of one that is not ours, what CARILLON_KAFKA_LOGIN names, or nothing.
kafka_login() {
    if [ -f "$RUN/foreign-CARILLON_KAFKA" ]; then echo "${CARILLON_KAFKA_LOGIN:-$(env_kept CARILLON_KAFKA_LOGIN)}"; else echo "$CARILLON_DATA/keys/admin/kafka"; fi
}

# kafka_properties PORT CONTROLLER_PORT DATA SECRET: the configuration of a broker. No program is told the secret on its command line.
kafka_properties() {
    local text
    text=$(<"$ROOT/deploy/local/kafka.properties")
    text=${text//@PORT@/$1}
    text=${text//@CONTROLLER@/$2}
    text=${text//@DATA@/$3}
    printf '%s\n' "${text//@SECRET@/$4}"
}

# random_key [BYTES]: so many random bytes (24) in hex.
random_key() { od -An -v -tx1 -N"${1:-24}" /dev/urandom | tr -d ' \n'; }

# token_checks: of the keys of tokens on stdin, the keys that only check (libcommon/edge/token.h, token_checking_key). What is no key stays as it is.
token_checks() {
    local number hex since
    while read -r number hex since; do
        [ -n "$hex" ] || { hex=$number number=''; }
        [[ ! $hex =~ ^[0-9a-fA-F]{64}$ ]] || hex=$(printf '%s checks tokens' "${hex,,}" | sha256sum | cut -d' ' -f1)
        echo "${number:+$number }$hex${since:+ $since}"
    done
}

# redis_as_admin WORD..: a command to Redis, as the user who may do all; to one that is not ours as CARILLON_REDIS_LOGIN says.
redis_as_admin() {
    local address=${CARILLON_REDIS:-127.0.0.1:$(port_get REDIS_PORT)} file=$CARILLON_DATA/keys/admin/redis user password
    [ ! -f "$RUN/foreign-CARILLON_REDIS" ] || file=${CARILLON_REDIS_LOGIN:-}
    if [ -n "$file" ]; then
        read -r user password <"$file"
        local -x REDISCLI_AUTH=$password # everybody may read a command line
    fi
    redis-cli ${user:+--user "$user"} --no-auth-warning -h "${address%:*}" -p "${address##*:}" "$@"
}

# ---- users of the system ----
# Where root starts the stack, each service and server runs as a user of its own: a number, which needs no entry in /etc/passwd. CARILLON_UID_BASE (61000) is
# the group of them all, and the users follow it; CARILLON_UID_BASE + 100 + N is the group of those that may send to the Nth. Give each
# installation on a machine another base, or they share their users. With CARILLON_USERS=one all run as whoever starts them; so they do if that is not root.

# settle_users: decides, at each start; run/users holds "own BASE", or "one" and why.
settle_users() {
    local base=${CARILLON_UID_BASE:-61000} mode='' user
    [[ $base =~ ^[0-9]{1,9}$ ]] && [ "$base" -ge 1000 ] || die "CARILLON_UID_BASE: found '$base', expected a number from 1000 to 999999999"
    case ${CARILLON_USERS:-own} in
    own) ;;
    one) mode='one CARILLON_USERS=one' ;;
    *) die "CARILLON_USERS: found '$CARILLON_USERS', expected own or one" ;;
    esac
    [ "$EUID" = 0 ] || mode='one only root can start them as users of their own'
    [ -n "$mode" ] || setpriv --reuid $((base + 1)) --regid $((base + 1)) --groups "$base" --bounding-set=-all true 2>/dev/null ||
        mode="one root cannot become the user $((base + 1)) on this machine"
    if [ -z "$mode" ]; then
        mode="own $base"
        user=$(awk -F: -v base="$base" '$3 >= base && $3 <= base + 200 { print $1; exit }' /etc/passwd)
        [ -z "$user" ] || die "CARILLON_UID_BASE: found the user $user between $base and $((base + 200)), expected none: choose another number"
    fi
    echo "$mode" >"$RUN/users.new"
    mv "$RUN/users.new" "$RUN/users"
}
# What follows is asked for hundreds of times at a start, so it starts no program.
users_mode() { [ -f "$RUN/users" ] && read -r mode base <"$RUN/users"; }
own_users() { local mode='' base; [ "$EUID" = 0 ] && users_mode && [ "$mode" = own ]; }
users_base() { local mode base=''; users_mode; echo "$base"; }

# user_place NAME: 1 for the first of UNIX_USERS.
user_place() {
    local at
    for at in "${!UNIX_USERS[@]}"; do [ "${UNIX_USERS[at]}" != "$1" ] || { echo $((at + 1)); return; }; done
    die "user: found '$1', expected one of ${UNIX_USERS[*]}"
}
user_of() { local mode base place; users_mode; place=$(user_place "$1") && echo $((base + place)); }
group_to() { if own_users; then echo $(($(users_base) + 100 + $(user_place "$1"))); else id -g; fi; }

# as_user NAME: the words in front of a command that becomes that user without any power; none where all are one user.
as_user() {
    own_users || return 0
    echo "setpriv --reuid $(user_of "$1") --regid $(user_of "$1") --groups $(users_base) --bounding-set=-all --inh-caps=-all --no-new-privs --pdeathsig TERM"
}

# user_words NAME [TO..]: the same for the supervisor, in the groups of those to whom it sends.
user_words() {
    local name=$1 to
    shift
    own_users || return 0
    printf 'user=%s group=%s ' "$(user_of "$name")" "$(users_base)"
    for to in "$@"; do printf 'group=%s ' "$(group_to "$to")"; done
    printf 'HOME=/ '
}

# own PATH NAME [GROUP]: gives it to that user, with all in it. Links are not followed.
own() {
    [ "$EUID" = 0 ] || return 0
    local user=0 group
    ! own_users || user=$(user_of "$2")
    group=${3:-$user}
    PATH=/usr/sbin:/usr/bin:/sbin:/bin find -P "$1" \( ! -uid "$user" -o ! -gid "$group" \) -execdir chown -h "$user:$group" {} + ||
        die "$1: found a file that cannot be given to the user $user, expected one that can; lsattr shows whether it may only be added to (chattr -a changes that)"
}

# own_folder FOLDER [NAME]: makes it, for that user alone; without a name for root, and for all of our users to pass.
own_folder() {
    mkdir -p "$1"
    if [ -n "${2:-}" ]; then
        own "$1" "$2"
        chmod 700 "$1"
    elif own_users; then
        chown "0:$(users_base)" "$1"
        chmod 710 "$1"
    else
        chmod 700 "$1"
    fi
}

# key_put FILE: what is on stdin, whole or not at all, for the owner of its folder alone. It is written in the folder above: the folder itself belongs to a
# service, which could have put a link there.
key_put() {
    local folder=${1%/*} new
    new=${folder%/*}/.${folder##*/}.${1##*/}.new
    rm -f "$new"
    (umask 077 && set -o noclobber && cat >"$new")
    [ "$EUID" != 0 ] || chown --reference="$folder" "$new"
    mv -T "$new" "$1"
}

# own_cat FILE: what is in it, read as the user who owns its folder: a service may have put a link there, to what it may not read itself, or a pipe.
own_cat() {
    (
        as=()
        cd "${1%/*}" || exit 1
        user=$(stat -c %u .)
        [ "$EUID" != 0 ] || [ "$user" = 0 ] || as=(setpriv --reuid "$user" --regid "$user" --clear-groups --bounding-set=-all --inh-caps=-all --no-new-privs)
        exec "${as[@]}" timeout 10 head -c 1000000 -- "${1##*/}" </dev/null
    ) || die "$1: found a file that the owner of its folder cannot read, expected one that it can"
}

# reachable PATH: can the users of the services read it, and all in it, from the data folder?
reachable() { [ -z "$(cd "$CARILLON_DATA" && $(as_user wallet) find -L "$1" \( ! -readable -o -type d ! -executable \) -print -quit 2>&1)" ]; }

# code_copy PATH: in code/ of the data folder, for all to read.
code_copy() {
    mkdir -p "$CARILLON_DATA/code"
    rm -rf "${CARILLON_DATA:?}/code/$(basename "$1")"
    cp -rL "$1" "$CARILLON_DATA/code/"
    chmod -R u=rwX,go=rX "$CARILLON_DATA/code"
}

# reach PATH: how the users of the services come to it, with the data folder as their current one: as it is; relative, which leads past folders that are closed
# to them, such as /root; else a copy in code/ of the data folder. Where all are one user, as it is.
reach() {
    local path
    own_users || { printf '%s' "$1"; return; }
    for path in "$1" "$(realpath -s --relative-to="$CARILLON_DATA" "$1")" "code/$(basename "$1")"; do
        [ "$path" != "code/$(basename "$1")" ] || code_copy "$1"
        ! reachable "$path" || { printf '%s' "$path"; return; }
    done
    die "$1: found a file that the services' users cannot read, also as a copy in $CARILLON_DATA/code; expected one that they can"
}

# start_supervisor NAME: run/NAME.conf, in the background, away from this terminal, with nothing of our environment but what every
# program needs: services refuse a variable that they do not know. CARILLON_LOG_MB is the size, in megabytes, from which a log moves away (64).
start_supervisor() {
    local mb=${CARILLON_LOG_MB:-64}
    [[ $mb =~ ^[0-9]{1,6}$ ]] && [ "$mb" -ge 1 ] || die "CARILLON_LOG_MB: found '$mb', expected a number from 1 to 999999"
    mkdir -p "$CARILLON_DATA/log"
    [ "$EUID" != 0 ] || chmod 700 "$CARILLON_DATA/log" "$RUN" # they are passed their logs, open
    rm -f "$RUN/$1.pid" # of one that was killed
    (cd "$CARILLON_DATA" && exec setsid env -i PATH="$PATH" HOME="${HOME:-/}" LANG=C.UTF-8 "$BIN/carillon-supervisor" --log-bytes=$((10#$mb * 1048576)) "run/$1.conf" </dev/null >>"log/$1.log" 2>&1 9>&-) &
    disown
    wait_for 30 "$1" test -s "$RUN/$1.pid" || { tail -n 5 "$CARILLON_DATA/log/$1.log" >&2; return 1; }
}

gone() { ! kill -0 "$1"; }

# stop_supervisor NAME: asks it to stop all in order, and waits until it has.
stop_supervisor() {
    local pid
    alive "$RUN/$1.pid" "carillon-supervisor.*$1.conf" || { rm -f "$RUN/$1.pid"; return 0; }
    read -r pid <"$RUN/$1.pid"
    kill -TERM "$pid" 2>/dev/null || return 0
    wait_for 60 "$1" gone "$pid" || { say "$1 did not stop within 60 s: killed"; kill -KILL "$pid"; }
}
