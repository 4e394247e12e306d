#!/usr/bin/env bash
# setup.sh [test] [--quiet]: finds what Carillon needs and this machine lacks, says what it is about to install, and installs it as
# root or through sudo; else prints the one command to run. `test` also brings what only the tests need. With everything in place it
# asks no network and takes no time. Debian 12.
set -eu
. "$(dirname "$0")/lib.sh"
for_tests=0
quiet=0
for arg in "$@"; do
    case $arg in
    test) for_tests=1 ;;
    --quiet) quiet=1 ;;
    *) die "found '$arg', expected test or --quiet" ;;
    esac
done

# What proves that a package is there: a command, a file, or the package's own entry.
# package | proof; a proof with a slash is a file (a pattern), one without is a command
needs() {
    cat <<'LIST'
gcc | gcc
libc6-dev | /usr/include/stdio.h
make | make
pkg-config | pkg-config
protobuf-c-compiler | protoc-c
protobuf-compiler | protoc
librdkafka-dev | /usr/include/librdkafka/rdkafka.h
libhiredis-dev | /usr/include/hiredis/hiredis.h
libpq-dev | /usr/include/postgresql/libpq-fe.h
libprotobuf-c-dev | /usr/include/protobuf-c/protobuf-c.h
libnanomsg-dev | /usr/include/nanomsg/nn.h
libcmocka-dev | /usr/include/cmocka.h
libwebsockets-dev | /usr/include/libwebsockets.h
libjansson-dev | /usr/include/jansson.h
zlib1g-dev | /usr/include/zlib.h
libjwt-dev | /usr/include/jwt.h
libsodium-dev | /usr/include/sodium.h
libgmp-dev | /usr/include/*/gmp.h
libssl-dev | /usr/include/openssl/ssl.h
libcurl4-openssl-dev | /usr/include/*/curl/curl.h
postgresql-15 | /usr/lib/postgresql/15/bin/postgres
redis-server | redis-server
redis-tools | redis-cli
python3 | python3
util-linux | setpriv
LIST
    [ "${KAFKA:-}" = embedded ] || cat <<'LIST'
openjdk-17-jre-headless | java
LIST
    [ "${KAFKA:-}" = embedded ] || "$ROOT/scripts/kafka-jars.sh" present || echo 'maven | mvn'
    # Debian's npm is large: asked for only while the pages' modules have not been fetched.
    [ -f "$CARILLON_CACHE/npm/stamp" ] || echo 'npm | npm'
    [ "$for_tests" = 0 ] || cat <<'LIST'
clang | clang
libclang-rt-14-dev | /usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a
chromium | chromium
nodejs | node
python3-jsonschema | /usr/lib/python3/dist-packages/jsonschema/__init__.py
LIST
}

there() {
    case $1 in
    /*) compgen -G "$1" >/dev/null ;;
    *) command -v "$1" >/dev/null ;;
    esac
}

missing() {
    local package proof
    needs | while IFS='|' read -r package proof; do
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
apt-get install -q -y --no-install-recommends -o Dpkg::Options::=--force-confold $*
SCRIPT
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        bash -c "$1"
    else
        sudo -n bash -c "$1"
    fi
}

[ "$(. /etc/os-release 2>/dev/null && echo "${ID:-}${VERSION_ID:-}")" = debian12 ] || [ "$quiet" = 1 ] ||
    say 'setup.sh: this is not Debian 12; the names of packages below are those of Debian 12'
packages=$(missing | sort -u | paste -sd' ')
if [ -n "$packages" ]; then
    say "missing: $packages"
    if [ "$(id -u)" != 0 ] && ! sudo -n true 2>/dev/null; then
        say 'Neither root nor sudo without a password: install it with this one command, then start again:'
        say "  su -c 'apt-get update && apt-get install -y --no-install-recommends $packages'"
        exit 1
    fi
    say 'installing it from Debian by apt-get; the servers among it are not started, and no database is made'
    with_dots 'installing' as_root "$(install_script "$packages")" ||
        die 'the installation failed (see above); nothing else was changed'
    still=$(missing | sort -u | paste -sd' ')
    [ -z "$still" ] || die "installed, and still not found: $still"
fi
if [ "${KAFKA:-}" != embedded ]; then "$ROOT/scripts/kafka-jars.sh" fetch; fi
"$ROOT/scripts/web.sh" modules >/dev/null
[ "$quiet" = 1 ] || say 'everything is there'
