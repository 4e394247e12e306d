#!/usr/bin/env bash
# kafka-jars.sh fetch: brings the jars of Apache Kafka that deploy/kafka/pom.xml names into CARILLON_CACHE, once, and checks each
# against deploy/kafka/jars.sha256.   archive: prints where the archive of its classes is.   present: are they there?   record: writes that list anew, after a change of version.
set -eu
. "$(dirname "$0")/lib.sh"
list=$ROOT/deploy/kafka/jars.sha256
place=$CARILLON_CACHE/kafka

# The stamp is the digest of the list that the jars were checked against, so that a start need not read 54 MB again.
present() { [ -f "$place/stamp" ] && [ "$(cat "$place/stamp")" = "$(sha256sum <"$list")" ]; }

copy_jars() {
    rm -rf "$place/new"
    mkdir -p "$place/new"
    mvn -q -B -ntp -f "$ROOT/deploy/kafka/pom.xml" -Dmaven.repo.local="$place/m2" \
        org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies \
        -DincludeScope=runtime -DoutputDirectory="$place/new"
}

check_jars() {
    local found expected
    (cd "$place/new" && sha256sum --quiet --strict -c "$list") || return 1
    found=$(find "$place/new" -type f | wc -l)
    expected=$(wc -l <"$list")
    [ "$found" = "$expected" ] || { say "found $found jars, expected $expected"; return 1; }
}

# A broker starts a second sooner from an archive of its classes: made once for this Java, by a broker that starts and stops.
archive_name() {
    local java
    java=$(readlink -f "$(command -v java)")
    echo "$place/classes-$( (echo "$java"; stat -c %Y "$java"; cat "$list" "$ROOT/deploy/local/kafka.properties") | sha256sum | cut -c1-12).jsa"
}

make_archive() {
    local new=$place/archive.new pid
    rm -rf "$new"
    mkdir -p "$new"
    local secret
    secret=$(random_key)
    (umask 077 && kafka_properties "$1" "$2" "$new/data" "$secret" >"$new/server.properties" && echo "broker $secret" >"$new/broker.login" &&
        echo "carillon_admin $(random_key)" >"$new/admin.login")
    local java=(java -Xms256m -Xmx512m -XX:+UseSerialGC -Djava.awt.headless=true "-Dlog4j2.configurationFile=$ROOT/deploy/local/log4j2.properties"
        -cp "$place/jars/*")
    "${java[@]}" kafka.tools.StorageTool format -t CarillonLocalStackAAA0 -c "$new/server.properties"
    "${java[@]}" -XX:ArchiveClassesAtExit="$new/classes.jsa" kafka.Kafka "$new/server.properties" >"$new/log" 2>&1 &
    pid=$!
    wait_for 30 'the broker' bash -c "</dev/tcp/127.0.0.1/$1" || true
    # What a log-in needs is in it, too, where that can be tried.
    [ ! -x "$BIN/kafka-topics" ] || "$BIN/kafka-topics" --brokers="127.0.0.1:$1" --login="$new/admin.login" --controller="127.0.0.1:$2" \
        --controller-login="$new/broker.login" --wait=10 || true
    sleep 1
    kill "$pid"
    wait "$pid" || true
    [ -s "$new/classes.jsa" ] && rm -f "$place"/classes-*.jsa && mv "$new/classes.jsa" "$(archive_name)"
    rm -rf "$new"
}

# One that cannot be made is not tried again: an empty file stands for it.
archive() {
    local port
    port=$(pick_port)
    with_dots "preparing Apache Kafka for quick starts" make_archive "$port" "$(pick_port "$port")" ||
        { : >"$(archive_name)" && say "Kafka's class archive could not be made: Kafka starts a little slower"; }
}

cannot() {
    say "Apache Kafka could not be fetched (see above). It comes from Maven's central repository: is there a network?"
    say "Once fetched it is kept in $place. Without it: make run KAFKA=none runs without Kafka."
    exit 1
}

case ${1:-} in
present) present ;;
fetch)
    present && [ -f "$(archive_name)" ] && exit 0
    mkdir -p "$place"
    exec 9>"$place/lock"
    flock 9 # two starts at once fetch it once
    if present; then
        [ -f "$(archive_name)" ] || archive
        exit 0
    fi
    command -v mvn >/dev/null || die "found no mvn (Maven), expected it to be installed; scripts/setup.sh installs it"
    with_dots "fetching Apache Kafka (54 MB)" copy_jars || cannot
    with_dots "checking Apache Kafka" check_jars ||
        die "the fetched files differ from deploy/kafka/jars.sha256 (see above); nothing was installed"
    rm -rf "$place/jars" "$place/m2"
    mv "$place/new" "$place/jars"
    sha256sum <"$list" >"$place/stamp"
    archive
    ;;
archive) archive_name ;;
record)
    with_dots "fetching Apache Kafka" copy_jars
    (cd "$place/new" && sha256sum -- *.jar) >"$list"
    ;;
*) die "found '${1:-}', expected fetch, present, archive or record" ;;
esac
