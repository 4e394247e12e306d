#!/usr/bin/env bash
# setup.sh [SET] [--quiet | --missing]: finds what Carillon needs and this machine lacks, says what it is about to install, and installs it
# as root or through sudo; else prints the one command to run. With everything in place it asks no network and takes no time. Debian 12.
# SET is what it is for: run (also when none is named), build, clang, test, bench, chaos, pictures, access, browsers, rng, format, tidy, compose, monitor,
# schemas. --missing: only says which packages are, on one line, and installs nothing.
set -eu
. "$(dirname "$0")/lib.sh"
purpose=run
quiet=0
only_say=0
for arg in "$@"; do
    case $arg in
    run | build | clang | test | bench | chaos | pictures | access | browsers | rng | format | tidy | compose | monitor | schemas) purpose=$arg ;;
    --quiet) quiet=1 ;;
    --missing) only_say=1 ;;
    *) die "found '$arg', expected run, build, clang, test, bench, chaos, pictures, access, browsers, rng, format, tidy, compose, monitor, schemas, --quiet or --missing" ;;
    esac
done

# What each is made of: groups of the list below.
case $purpose in
build | rng | tidy | clang) groups="build $purpose" ;;
format) groups=format ;;
run) groups='build servers pages' ;;
bench) groups='build servers pages bench' ;;
chaos) groups='build servers pages bench chaos' ;;
pictures) groups='build servers pages test pictures' ;;
access) groups='build servers pages test access' ;;
browsers) groups='build servers pages test browsers' ;;
test) groups='build servers pages clang format tidy test' ;;
compose) groups='pages compose' ;;
monitor) groups=monitor ;;
schemas) groups=schemas ;;
esac
[[ " $groups " != *' pages '* ]] || [ "${KAFKA:-}" = none ] || groups+=' kafka'
# Only root cuts networks and fills disks; without, those accidents are left out.
[ "$purpose" != chaos ] || [ "$EUID" = 0 ] || groups=${groups/ chaos/}

# What proves that a package is there: a command, a file, or the package's own entry.
# group | package | proof; a proof with a slash is a file (a pattern), one without is a command
needs() {
    cat <<'LIST'
build | gcc | gcc
build | libc6-dev | /usr/include/stdio.h
build | make | make
build | pkg-config | pkg-config
build | protobuf-c-compiler | protoc-c
build | protobuf-compiler | protoc
build | librdkafka-dev | /usr/include/librdkafka/rdkafka.h
build | libhiredis-dev | /usr/include/hiredis/hiredis.h
build | libpq-dev | /usr/include/postgresql/libpq-fe.h
build | libprotobuf-c-dev | /usr/include/protobuf-c/protobuf-c.h
build | libnanomsg-dev | /usr/include/nanomsg/nn.h
build | libcmocka-dev | /usr/include/cmocka.h
build | libwebsockets-dev | /usr/include/libwebsockets.h
build | libjansson-dev | /usr/include/jansson.h
build | zlib1g-dev | /usr/include/zlib.h
build | libjwt-dev | /usr/include/jwt.h
build | libsodium-dev | /usr/include/sodium.h
build | libgmp-dev | /usr/include/*/gmp.h
build | libssl-dev | /usr/include/openssl/ssl.h
build | libcurl4-openssl-dev | /usr/include/*/curl/curl.h
build | python3 | python3
build | ccache | ccache
servers | postgresql-15 | /usr/lib/postgresql/15/bin/postgres
servers | redis-server | redis-server
servers | redis-tools | redis-cli
servers | python3 | python3
servers | util-linux | setpriv
kafka | openjdk-17-jre-headless | java
pages | clang | clang
pages | lld | wasm-ld
pages | wasi-libc | /usr/include/wasm32-wasi/stdio.h
pages | libclang-rt-dev-wasm32 | /usr/lib/llvm-*/lib/clang/*/lib/wasi/libclang_rt.builtins-wasm32.a
clang | clang | clang
clang | lld | ld.lld
clang | libclang-rt-14-dev | /usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a
test | chromium | chromium
test | nodejs | node
test | python3-jsonschema | /usr/lib/python3/dist-packages/jsonschema/__init__.py
test | curl | curl
test | git | git
test | procps | pgrep
bench | procps | pgrep
bench | nginx | /usr/sbin/nginx
bench | libnginx-mod-nchan | /usr/lib/nginx/modules/ngx_nchan_module.so
chaos | iptables | iptables
chaos | iproute2 | ip
chaos | util-linux | unshare
chaos | mount | mount
chaos | e2fsprogs | mkfs.ext4
access | nginx | /usr/sbin/nginx
access | openssl | openssl
pictures | webp | img2webp
browsers | firefox-esr | firefox-esr
browsers | webkit2gtk-driver | WebKitWebDriver
browsers | xvfb | Xvfb
rng | dieharder | dieharder
format | clang-format | clang-format
format | git | git
tidy | clang-tidy | clang-tidy
monitor | prometheus | prometheus
monitor | prometheus-alertmanager | prometheus-alertmanager
monitor | curl | curl
schemas | python3 | python3
schemas | python3-venv | /usr/lib/python3*/ensurepip/__init__.py
compose | docker.io | docker
compose | docker-compose | docker-compose
compose | debootstrap | debootstrap
compose | python3 | python3
LIST
    # An engine that runs elsewhere needs none here.
    [ -n "${DOCKER_HOST:-}" ] || echo 'compose | docker.io | dockerd'
    "$ROOT/scripts/kafka-jars.sh" present || echo 'kafka | maven | mvn'
    # Debian's npm is large: asked for only while the pages' modules have not been fetched.
    compgen -G "$CARILLON_CACHE/npm/*/stamp" >/dev/null || echo 'pages | npm | npm'
}

there() {
    case $1 in
    /*) compgen -G "$1" >/dev/null ;;
    *) command -v "$1" >/dev/null ;;
    esac
}

missing() {
    local group package proof
    needs | while IFS='|' read -r group package proof; do
        [[ " $groups " == *" ${group// /} "* ]] || continue
        package=${package// /}
        proof=${proof# }
        there "$proof" || echo "$package"
    done
}

# Packages of servers start them, or make a database, when they are installed. We run our own: a policy says no to every start while
# the installation lasts (an older policy is put back), and Postgres is told not to make its default cluster.
install_script() {
    cat <<SCRIPT
set -eu
export DEBIAN_FRONTEND=noninteractive
policy=/usr/sbin/policy-rc.d
[ ! -e \$policy ] || mv \$policy \$policy.carillon-kept
put_back() { rm -f \$policy; [ ! -e \$policy.carillon-kept ] || mv \$policy.carillon-kept \$policy; }
trap put_back EXIT
printf '#!/bin/sh\nexit 101\n' >\$policy
chmod 755 \$policy
if [ ! -e /usr/lib/postgresql/15/bin/postgres ]; then
    mkdir -p /etc/postgresql-common
    [ -e /etc/postgresql-common/createcluster.conf ] || echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf
fi
apt-get update -q
apt-get install -q -y --no-install-recommends -o Dpkg::Options::=--force-confold -o DPkg::Lock::Timeout=600 $*
SCRIPT
}

as_root() {
    if [ "$EUID" = 0 ]; then
        bash -c "$1"
    else
        sudo -n bash -c "$1"
    fi
}

[ "$(. /etc/os-release 2>/dev/null && echo "${ID:-}${VERSION_ID:-}")" = debian12 ] || [ "$quiet" = 1 ] ||
    say 'setup.sh: this is not Debian 12; the names of packages below are those of Debian 12'
packages=$(missing | sort -u | paste -sd' ')
if [ "$only_say" = 1 ]; then
    echo "$packages"
    exit 0
fi
if [ -n "$packages" ]; then
    say "missing: $packages"
    if [ "$EUID" != 0 ] && ! sudo -n true 2>/dev/null; then
        say 'This needs root, or sudo without a password. Install the packages with this command, then start again:'
        say "  su -c 'apt-get update && apt-get install -y --no-install-recommends $packages'"
        exit 1
    fi
    [[ " $packages " != *' ccache '* ]] || say "ccache keeps compiled objects in ${CARILLON_CCACHE:-${XDG_CACHE_HOME:-${HOME:-}/.cache}/carillon/ccache} (at most 3 GB; CARILLON_CCACHE=none: none)"
    say 'installing the packages from Debian with apt-get; no server is started and no database is created'
    with_dots 'installing' as_root "$(install_script "$packages")" ||
        die 'the installation failed (see above); nothing else was changed'
    still=$(missing | sort -u | paste -sd' ')
    [ -z "$still" ] || die "these were installed but cannot be found: $still"
fi
if [[ " $groups " == *' kafka '* ]]; then "$ROOT/scripts/kafka-jars.sh" fetch; fi
if [[ " $groups " == *' pages '* ]]; then "$ROOT/scripts/web.sh" modules >/dev/null; fi
[ "$quiet" = 1 ] || say 'everything needed is installed'
