#!/usr/bin/env bash
# services.sh [SCALE]: writes run/supervisor.conf, the set-up of carillon-supervisor with SCALE instances (default 1) of each service
# in deploy/local/services.conf, and makes the keys that are missing. Needs run/stack.env. The public port is CARILLON_HTTP_PORT
# (default 8080, or a free one if that is taken). CARILLON_CARD_SETS names another folder of sets of Jackpot Cards than the project's own,
# CARILLON_CARD_EXPIRE_S the seconds after which an abandoned card round is played by the house (432000), CARILLON_GAMES another folder of
# games, CARILLON_BET_GAP_MS the smallest time between two bets of a player (0: none), CARILLON_FX_MAX_AGE_S the age at which an exchange rate is too old (0: never). CARILLON_PAYMENTS_URL is the payment provider (a stub of
# one, but on a live installation), CARILLON_PAYMENTS_MS the time-out of a question to it, CARILLON_PAYMENTS_PENDING_MS the pause after
# "pending", CARILLON_PAYMENTS_REVIEW above what a withdrawal waits for an operator (PAYMENTS_REVIEW_ABOVE), CARILLON_DECIDE_AFTER_S the age from which a
# withdrawal may be decided by hand. CARILLON_CROWD is how many simulated players will come from this machine: the limit of demo sessions from one
# address, which is against strangers, lets them in at once. CARILLON_FRAMES names the sites that may show the games in a frame
# (GATEWAY_FRAMES). CARILLON_WEBHOOK_INTERNAL=1 lets webhooks go to internal addresses; CARILLON_WEBHOOK_TIMEOUT_MS, _RETRY_MS and _GIVE_UP_S, and CARILLON_LARGE_WINS, are those of the gateway.
set -eu
. "$(dirname "$0")/lib.sh"
scale=${1:-1}
[[ $scale =~ ^[0-9]{1,2}$ ]] && [ "$scale" -ge 1 ] && [ "$scale" -le 16 ] || die "SCALE: found '$scale', expected a number from 1 to 16"
load_env || die "the stack of $CARILLON_DATA was never started: run scripts/stack.sh start first"
kind=${CARILLON_KIND:-demo}
crowd=${CARILLON_CROWD:-0}
[[ $crowd =~ ^[0-9]{1,6}$ ]] || die "CARILLON_CROWD: found '$crowd', expected a number of players"
table=$ROOT/deploy/local/services.conf

# foreign_login redis|kafka FILE: a copy for each service of the login to a server that is not ours: the services' users cannot read the file itself.
foreign_login() {
    local name file=$2
    [ -f "$RUN/foreign-CARILLON_${1^^}" ] || file=''
    [ -z "$file" ] || [ -r "$file" ] || die "CARILLON_${1^^}_LOGIN: found no file '$file' to read, expected one with user and password"
    for name in "${SERVICES[@]}"; do
        if [ -n "$file" ]; then key_put "$CARILLON_DATA/keys/$name/$1-foreign" <"$file"; else rm -f "$CARILLON_DATA/keys/$name/$1-foreign"; fi
    done
}

# What each service has of its own, and who it is.
settle_in() {
    mkdir -p "$RUN/hold"
    rm -f "$RUN"/hold/*
    "$ROOT/scripts/keys.sh" make
    foreign_login redis "${CARILLON_REDIS_LOGIN:-}"
    foreign_login kafka "${CARILLON_KAFKA_LOGIN:-}"
    own_folder "$CARILLON_DATA/payment-stub" payment-stub
    [ ! -f "$RUN/payment-stub.json" ] || { own "$RUN/payment-stub.json" payment-stub && mv -T "$RUN/payment-stub.json" "$CARILLON_DATA/payment-stub/state.json"; }
    if own_users; then
        chmod a+x "$CARILLON_DATA"
        say "each service runs as a user of its own, from $(user_of "${SERVICES[0]}") on"
    else
        say "all services run as the user $(id -un): $(cut -d' ' -f2- "$RUN/users")"
    fi
}

# Ports stay those of last time while our own services hold them (a set-up written anew while they run). Tests start several
# installations at the same moment: theirs is a random port at once, lest two see 8080 free.
settle_ports() {
    local i wanted=8080
    [ "$kind" != test ] || wanted=''
    alive "$RUN/supervisor.pid" 'carillon-supervisor.*supervisor.conf' && [ -n "$(port_get HTTP_PORT)" ] ||
        port_settle HTTP_PORT "${CARILLON_HTTP_PORT:-}" "$wanted"
    ! with_stub || { alive "$RUN/supervisor.pid" 'carillon-supervisor.*supervisor.conf' && [ -n "$(port_get PAYMENT_PORT)" ]; } ||
        port_settle PAYMENT_PORT '' ''
    for i in $(seq 1 "$scale"); do
        alive "$RUN/supervisor.pid" 'carillon-supervisor.*supervisor.conf' && [ -n "$(port_get "EVENTS_PORT_$i")" ] ||
            port_settle "EVENTS_PORT_$i" '' ''
    done
}

# A payment provider that pays nothing stands in for a real one, never where money is real.
with_stub() { [ -z "${CARILLON_PAYMENTS_URL:-}" ] && [ "$kind" != live ] && [ -x "$BIN/payment-stub" ]; }
payments_url() {
    if with_stub; then echo "http://127.0.0.1:$(port_get PAYMENT_PORT)"; else echo "${CARILLON_PAYMENTS_URL:-}"; fi
}

# common SERVICE: what every service is told. It reaches the database as a role of its own.
common() {
    local name dsn file
    dsn=$(pg_dsn "$1" keys)
    printf 'CARILLON_PG_DSN="%s" CARILLON_PG_RO_DSN="%s" ' "$dsn" "$dsn"
    for name in redis kafka; do
        file=keys/$1/$name
        [ ! -f "$RUN/foreign-CARILLON_${name^^}" ] || file+=-foreign
        [ ! -s "$CARILLON_DATA/$file" ] || printf 'CARILLON_%s_LOGIN=%s ' "${name^^}" "$file"
    done
    for name in CARILLON_REDIS CARILLON_KAFKA CARILLON_SHARDS; do
        printf '%s="%s" ' "$name" "${!name}"
    done
    printf 'CARILLON_KIND=%s CARILLON_KEYS=keys CARILLON_HAND=hand/%s CARILLON_GAMES="%s" CARILLON_LOG=%s' "$kind" "$1" "$games" "${CARILLON_LOG:-info}"
    [ -z "${CARILLON_BET_GAP_MS:-}" ] || printf ' CARILLON_BET_GAP_MS=%s' "$CARILLON_BET_GAP_MS"
    [ -z "${CARILLON_FX_MAX_AGE_S:-}" ] || printf ' CARILLON_FX_MAX_AGE_S=%s' "$CARILLON_FX_MAX_AGE_S"
}

# line SERVICE ORDER INDEX SETTINGS SENDS
line() {
    local settings=$4
    settings=${settings//@HTTP_PORT@/$(port_get HTTP_PORT)}
    settings=${settings//@EVENTS_PORT@/$(port_get "EVENTS_PORT_$3")}
    settings=${settings//@EVENTS_PORT_1@/$(port_get EVENTS_PORT_1)}
    settings=${settings//@ROOT@/$ROOT}
    settings=${settings//@WEB@/$web}
    settings=${settings//@CARD_SETS@/$sets}
    settings=${settings//@FRAMES@/${CARILLON_FRAMES:-}}
    settings=${settings//@CARD_EXPIRE_S@/${CARILLON_CARD_EXPIRE_S:-432000}}
    settings=${settings//@DECIDE_AFTER_S@/${CARILLON_DECIDE_AFTER_S:-300}}
    settings=${settings//@WEBHOOK_INTERNAL@/${CARILLON_WEBHOOK_INTERNAL:-0}}
    settings=${settings//@WEBHOOK_TIMEOUT_MS@/${CARILLON_WEBHOOK_TIMEOUT_MS:-10000}}
    settings=${settings//@WEBHOOK_RETRY_MS@/${CARILLON_WEBHOOK_RETRY_MS:-5000}}
    settings=${settings//@WEBHOOK_GIVE_UP_S@/${CARILLON_WEBHOOK_GIVE_UP_S:-259200}}
    settings=${settings//@SESSIONS_PER_S@/$((crowd > 2000 ? crowd / 10 + 1 : 200))} # ten times as many at once
    settings=${settings//@PAYMENTS_URL@/$(payments_url)}
    settings=${settings//@PAYMENTS_MS@/${CARILLON_PAYMENTS_MS:-5000}}
    settings=${settings//@PAYMENTS_PENDING_MS@/${CARILLON_PAYMENTS_PENDING_MS:-30000}}
    settings=${settings//@PAYMENTS_REVIEW@/${CARILLON_PAYMENTS_REVIEW:-}}
    settings=${settings//@INDEX@/$3}
    settings=${settings//@TEST@/$([ "$kind" = test ] && echo 1 || echo 0)}
    [ "$1" != gateway ] || [ -z "${CARILLON_LARGE_WINS:-}" ] || settings+=" GATEWAY_LARGE_WINS=$CARILLON_LARGE_WINS"
    # shellcheck disable=SC2086
    echo "$1-$3 order=$2 grace_ms=10000 backoff_ms=400 $(user_words "$1" $5)CARILLON_INSTANCE=$1-$3 CARILLON_HEALTH=127.0.0.1:0" \
        "CARILLON_NN_URL=ipc://nn/$1/$1-$3 $(common "$1")$settings : \"$(reach "$BIN/carillon-$1")\""
}

# A service that this build does not have is left out, and said.
write_set_up() {
    local name='' order='' settings='' sends='' word a b i games web sets
    games=$(reach "${CARILLON_GAMES:-$ROOT/services/spin-engine/games}")
    sets=$(reach "${CARILLON_CARD_SETS:-$ROOT/services/jackpot-cards/sets}")
    web=$(reach "$ROOT/build/web")
    {
        echo "# Written by scripts/services.sh from deploy/local/services.conf."
        { grep -v '^ *#' "$table"; echo 'service end 0'; } | while read -r word a b; do
            case $word in
            '' | key) ;;
            service)
                if [ -n "$name" ] && [ -x "$BIN/carillon-$name" ]; then
                    for i in $(seq 1 "$scale"); do line "$name" "$order" "$i" "$settings" "$sends"; done
                elif [ -n "$name" ]; then
                    say "services.sh: build/bin/carillon-$name was not built: left out"
                fi
                name=$a order=$b settings='' sends=''
                ;;
            sends) sends="$a $b" ;;
            *=*) settings+=" $word${a:+ $a}${b:+ $b}" ;;
            *) die "$table: found '$word', expected key, service, sends or a setting" ;;
            esac
        done
        ! with_stub ||
            echo "payment-stub order=6 grace_ms=2000 backoff_ms=400 $(user_words payment-stub) : \"$(reach "$BIN/payment-stub")\" --listen=127.0.0.1:$(port_get PAYMENT_PORT)" \
                "--callback=http://127.0.0.1:$(port_get HTTP_PORT)/v1/payments/calls --state=payment-stub/state.json"
    } >"$RUN/supervisor.conf.new"
    "$BIN/carillon-supervisor" --check "$RUN/supervisor.conf.new"
    mv "$RUN/supervisor.conf.new" "$RUN/supervisor.conf"
}

settle_in
settle_ports
write_set_up
