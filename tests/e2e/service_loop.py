#!/usr/bin/env python3
"""The service loop on real Postgres and Kafka, by the echo service (libcommon/service/test/echo_service.c): leases, shares, takeovers, drains, messages
that kill, servers that die, topics that lost their tail; and an installation of the first release, whose rows newer migrations carry over. After each test every command has exactly one row. Prints how long things took."""
import os
import random
import signal
import statistics
import subprocess
import time

import lib_older
from lib_patience import let_time_pass, stays, time_out
from lib_stack import ROOT, Installation, eventually, read_text, run

ECHO = f"{ROOT}/build/test/libcommon/service/test_service"
SHARDS = 4


class Loop(Installation):
    """Servers only, no services; echo services are this test's own children and restarted by it."""

    def start(self, scale=None):
        self.script("make", "-s", "build/test/libcommon/service/test_service")
        self.script(f"{ROOT}/scripts/stack.sh", "start")
        self.script(f"{ROOT}/scripts/migrate.sh")
        self.script(f"{ROOT}/scripts/topics.sh")
        with open(f"{self.data}/echo.conf", "w", encoding="utf-8") as file:
            file.write("service echo 1\nservice echo-two 1\n")
        self.script("env", f"CARILLON_SERVICES_CONF={self.data}/echo.conf", f"{ROOT}/scripts/bus-keys.sh", "make")
        self.stack = dict(line.split("=", 1) for line in read_text(f"{self.data}/run/stack.env").splitlines() if "=" in line)
        self.sent = [0] * SHARDS
        self.echoes = {}
        os.makedirs(f"{self.data}/log", exist_ok=True)
        self.sql("create schema echo; create table echo.row (shard int, at bigint, text text, primary key (shard, at))", writer=True)

    def stop(self):
        for name in list(getattr(self, "echoes", {})):
            self.end(name, signal.SIGKILL)
        self.script(f"{ROOT}/scripts/stack.sh", "stop")

    def echo(self, name, **more):
        environment = {**self.environment, **self.stack, "CARILLON_INSTANCE": name, **more}
        with open(f"{self.data}/log/{name}.log", "ab") as log:
            self.echoes[name] = subprocess.Popen([ECHO, "run"], cwd=self.data, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        return self.echoes[name]

    def end(self, name, number=signal.SIGTERM, timeout=time_out(30)):
        process = self.echoes.pop(name)
        if process.poll() is None:
            process.send_signal(number)
        return process.wait(timeout)

    def log(self, name):
        return read_text(f"{self.data}/log/{name}.log")

    def produce(self, count, text="hello", first=0, last=SHARDS - 1):
        subprocess.run([ECHO, "produce", str(first), str(last), str(count), text], env={**self.environment, **self.stack}, check=True, timeout=time_out(30))
        for shard in range(first, last + 1):
            self.sent[shard] += count

    def inspect(self):
        done = subprocess.run([ECHO, "inspect"], env={**self.environment, **self.stack}, check=True, timeout=time_out(30), capture_output=True, text=True)
        return done.stdout.splitlines()

    def owners(self):
        return {int(s): o for s, o in self.sql("select shard, coalesce(owner, '') from carillon.shard where service = 'echo' and lease_until > now()")}

    def held(self, name):
        return sum(1 for owner in self.owners().values() if owner == name)

    def rows(self):
        return int(self.sql("select count(*) from echo.row where shard < 1000")[0][0])

    def settled(self, skipped=0, seconds=20):
        eventually(f"{sum(self.sent) - skipped} rows, found {self.rows()}", lambda: self.rows() >= sum(self.sent) - skipped, seconds, 0.02)
        assert self.rows() == sum(self.sent) - skipped, f"found {self.rows()} rows, expected {sum(self.sent) - skipped}"


place = None


def clean_start(*names, **more):
    """Ends what runs, starts these, and waits until they hold all shards among them."""
    for name in list(place.echoes):
        place.end(name)
    for name in names:
        place.echo(name, **more)
    if names:
        eventually("all shards are held", lambda: len(place.owners()) == SHARDS and set(place.owners().values()) == set(names), 10)


def test_single_instance_takes_all():
    began = time.monotonic()
    place.echo("echo-1")
    eventually("all shards", lambda: place.held("echo-1") == SHARDS, 10, 0.01)
    print(f"measured: first instance holds all shards {1000 * (time.monotonic() - began):.0f} ms after exec")
    place.produce(1000)
    place.settled()


def test_facts_are_read_to_their_end_before_commands():
    clean_start()
    facts = 30000
    subprocess.run([ECHO, "produce", "0", "3", str(facts), "fact"], env={**place.environment, **place.stack}, check=True, timeout=time_out(30))
    place.produce(200)
    environment = {**place.environment, **place.stack, "CARILLON_INSTANCE": "two-1"}
    expected = [[str(SHARDS * facts), str(sum(place.sent))]]

    def handled():
        return place.sql("select count(*) filter (where shard between 1000 and 1999), count(*) filter (where shard >= 2000) from echo.row")

    for _ in range(2):  # the second time the positions are there, and nothing is read twice
        with open(f"{place.data}/log/two-1.log", "ab") as log:
            process = subprocess.Popen([ECHO, "run-two"], cwd=place.data, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        eventually("its shards", lambda: place.sql("select count(*) from carillon.shard where service = 'echo-two' and owner = 'two-1' and lease_until > now()") == [[str(SHARDS)]], 20)
        eventually("all facts and commands", lambda: handled() == expected, 20)
        stays("nothing is handled twice", lambda: handled() == expected, 0.5)
        process.terminate()
        assert process.wait(time_out(30)) == 0
    first = [line for line in place.log("two-1").splitlines() if "first command after" in line]
    assert len(first) == SHARDS and all(f"after {facts} facts" in line for line in first), first


def test_new_instances_get_a_share():
    clean_start("echo-1")
    began = time.monotonic()
    place.echo("echo-2")
    eventually("two and two", lambda: (place.held("echo-1"), place.held("echo-2")) == (2, 2), 5, 0.01)
    print(f"measured: second instance has its share after {1000 * (time.monotonic() - began):.0f} ms")
    began = time.monotonic()
    place.echo("echo-3")
    eventually("each has one", lambda: min(place.held(f"echo-{i}") for i in (1, 2, 3)) >= 1 and len(place.owners()) == SHARDS, 5, 0.01)
    print(f"measured: third instance has its share after {1000 * (time.monotonic() - began):.0f} ms")
    place.produce(500)
    place.settled()


def test_drain_hands_over_at_once():
    clean_start("echo-1", "echo-2")
    began = time.monotonic()
    assert place.end("echo-1") == 0
    eventually("the other holds all", lambda: place.held("echo-2") == SHARDS, 5, 0.01)
    print(f"measured: handed over {1000 * (time.monotonic() - began):.0f} ms after SIGTERM")
    place.produce(100)
    place.settled()
    assert not place.sql("select name from carillon.instance where name = 'echo-1'")


def test_restarted_takes_its_own_shards():
    clean_start("echo-1")
    took = []
    for _ in range(5):
        place.produce(200)
        place.end("echo-1", signal.SIGKILL)
        place.produce(1)
        began = time.monotonic()
        place.echo("echo-1")
        place.settled()
        took.append(1000 * (time.monotonic() - began))
    print(f"measured: settled after kill -9 and restart, median {statistics.median(took):.0f} ms of {[round(t) for t in took]}")


def test_killed_instance_is_taken_over():
    took = []
    for _ in range(3):
        clean_start("echo-1", "echo-2")
        place.end("echo-1", signal.SIGKILL)
        began = time.monotonic()
        place.produce(50)
        place.settled()
        took.append(1000 * (time.monotonic() - began))
    print(f"measured: taken over after kill -9, median {statistics.median(took):.0f} ms of {[round(t) for t in took]}")


def test_stopped_owner_is_fenced():
    clean_start("echo-1", "echo-2")
    frozen = place.echoes["echo-1"]
    frozen.send_signal(signal.SIGSTOP)
    place.produce(100)
    place.settled()
    frozen.send_signal(signal.SIGCONT)
    assert frozen.wait(time_out(30)) == 70, "a zombie must end with status 70"
    place.echoes.pop("echo-1")
    place.produce(10)
    place.settled()


def sleeper():
    """echo-1, stopped under load until its lease has run out. Who is stopped inside a transaction loses his connection, as he should: then once more."""
    def states():
        return place.sql("select state from pg_stat_activity where application_name = 'echo-1'", writer=True)

    while True:
        clean_start("echo-1")
        frozen = place.echoes["echo-1"]
        place.produce(200)
        frozen.send_signal(signal.SIGSTOP)
        eventually("the end of the lease", lambda: not place.owners(), 5)
        # Postgres ends an idle transaction after 2 s: then its connection is gone.
        if eventually("the end of its transaction", lambda: (state := states()) in ([["idle"]], []) and [state], 5)[0]:
            return frozen
        place.end("echo-1", signal.SIGKILL)


def test_stopped_owner_resumes_untaken():
    """Its lease has run out and its row is gone, but not its epoch: it goes on as before."""
    frozen = sleeper()
    epochs = place.sql("select shard, epoch from carillon.shard where service = 'echo' order by shard")
    place.sql("delete from carillon.instance where name = 'echo-1'", writer=True)
    place.produce(100)
    frozen.send_signal(signal.SIGCONT)
    place.settled()
    eventually("its row and its lease", lambda: place.held("echo-1") == SHARDS and place.sql("select name from carillon.instance where name = 'echo-1'"), 5)
    assert frozen.poll() is None and place.sql("select shard, epoch from carillon.shard where service = 'echo' order by shard") == epochs


def test_slow_start_keeps_its_shards():
    clean_start()
    place.echo("echo-1", ECHO_OPEN_MS="1200")
    place.echo("echo-2", ECHO_OPEN_MS="1200")
    eventually("two and two", lambda: (place.held("echo-1"), place.held("echo-2")) == (2, 2), 25)
    place.produce(100)
    place.settled()
    assert all(process.poll() is None for process in place.echoes.values())


def test_kills_under_load_lose_and_double_nothing():
    clean_start("echo-1", "echo-2")
    random.seed(7)
    for _ in range(8):
        place.produce(2000)
        name = random.choice(("echo-1", "echo-2"))
        let_time_pass(random.random() * 0.3, "it is killed at a moment of chance")
        place.end(name, signal.SIGKILL)
        let_time_pass(0.05, "the other one notices at a moment of chance")
        place.echo(name)
    place.settled()


def test_postgres_killed_under_load():
    clean_start("echo-1")
    place.produce(3000)
    began = time.monotonic()
    place.kill("postgres")
    assert place.echoes.pop("echo-1").wait(time_out(30)) == 70, "a service whose Postgres is gone must end"
    place.produce(5)
    place.echo("echo-1")
    eventually("Postgres answers", lambda: attempt(place.rows), 20)
    place.settled()
    print(f"measured: settled {1000 * (time.monotonic() - began):.0f} ms after kill -9 of Postgres")


def attempt(ask):
    try:
        return ask() + 1
    except AssertionError:
        return None


def test_kafka_killed_under_load():
    clean_start("echo-1")
    process = place.echoes["echo-1"]
    place.produce(3000)
    place.kill("kafka")
    began = time.monotonic()
    place.produce(20)
    place.settled()
    print(f"measured: settled {1000 * (time.monotonic() - began):.0f} ms after kill -9 of Kafka")
    assert process.poll() is None, "a service lives through an outage of Kafka"


def test_unreadable_goes_to_dead_letters():
    clean_start("echo-1")
    before = len(place.inspect())
    place.produce(1, "bad", 2, 2)
    place.sent[2] -= 1
    place.produce(10)
    place.settled()
    lines = eventually("the letter", lambda: place.inspect() if len(place.inspect()) > before else None, 5)
    letters = [line for line in lines if line.startswith("letter jackpot.feed 2")]
    assert letters[-1].endswith("text: found 'bad 0', expected something good"), lines


def test_waiting_message_holds_back_its_partition_only():
    clean_start("echo-1")
    began = time.monotonic()
    place.produce(1, "wait", 1, 1)
    place.produce(50)
    place.settled()
    assert time.monotonic() - began > 0.5, "the message waits as long as that"
    texts = [t for (t,) in place.sql("select text from echo.row where shard = 1 order by at desc limit 51")]
    assert texts[-1] == "wait 0", texts


def test_message_that_kills_is_skipped_after_three_deaths():
    clean_start("echo-1")
    place.produce(20)
    place.settled()
    before = len([line for line in place.inspect() if line.startswith("letter")])
    place.produce(7, "before", 3, 3)
    place.produce(1, "kill", 3, 3)
    place.sent[3] -= 1
    place.produce(7, "after", 3, 3)
    deaths = []

    def skipped():
        if place.echoes["echo-1"].poll() is not None:
            deaths.append(place.echoes.pop("echo-1").returncode)
            place.echo("echo-1")
        return place.rows() >= sum(place.sent)
    eventually("all rows but that of the message that kills", skipped, 60, 0.02)
    place.settled()
    letters = eventually("the letter", lambda: found if len(found := [line for line in place.inspect() if line.startswith("letter")]) > before else None, 5)
    assert len(letters) == before + 1 and letters[-1].endswith("killed the process three times"), letters
    print(f"measured: a message that kills was skipped after {len(deaths)} deaths")
    place.produce(10)
    place.settled()


def test_long_backlog_is_tried_alone_only_at_its_beginning():
    """Accidents in a row look like a message that kills. What kills is near the beginning, and the rest of the backlog goes in batches."""
    clean_start()
    place.sql("update carillon.shard set deaths = 3 where service = 'echo' and shard = 2", writer=True)
    place.produce(20000, "backlog", 2, 2)
    place.produce(10)
    began = time.monotonic()
    place.echo("echo-1")
    place.settled()
    print(f"measured: a backlog of 20,000 after three accidents is worked off in {time.monotonic() - began:.1f} s")
    log = place.log("echo-1")
    assert "shard 2: taken 4 times without progress" in log or "shard 2: taken 3 times without progress" in log, log[-2000:]
    assert "shard 2: past the messages that killed the process" in log, log[-2000:]


def test_truncated_topic_resumes_at_its_end():
    clean_start("echo-1")
    place.produce(10)
    place.settled()
    place.end("echo-1")
    ahead = 1000000
    place.sql(f"update carillon.shard set offset_1 = {ahead} where service = 'echo' and shard = 0", writer=True)
    place.echo("echo-1")
    eventually("all shards", lambda: place.held("echo-1") == SHARDS, 10)
    eventually("a warning", lambda: f"offset {ahead} does not exist" in place.log("echo-1"), 5)
    place.produce(10)
    place.settled()


def test_wrong_installation_is_refused():
    for setting, value, text in (("CARILLON_KIND", "live", "the installation's kind"),
                                 ("CARILLON_SHARDS", "5", "the installation's number")):
        process = place.echo("echo-9", **{setting: value})
        assert process.wait(time_out(30)) == 70
        place.echoes.pop("echo-9")
        assert text in place.log("echo-9"), place.log("echo-9")


def test_older_installation_upgrades():
    lib_older.carried_over(place)


def test_health_and_metrics():
    clean_start("echo-1")
    address = place.sql("select health from carillon.instance where name = 'echo-1'")[0][0]
    for path, expected in (("healthz", "ok"), ("readyz", "ok"), ("metrics", "carillon_commits_total"), ("nothing", "expected /healthz")):
        curl = ["curl", "-s", f"http://{address}/{path}"]
        eventually(f"{expected} at {path}", lambda: expected in subprocess.run(curl, capture_output=True, text=True, timeout=time_out(30), check=False).stdout, 3)


def links(seconds):
    """What links of so many seconds count, whose servers die soon after they have begun; and how long Postgres was away."""
    process = subprocess.Popen([ECHO, "links", str(seconds)], env={**place.environment, **place.stack}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    let_time_pass(1.5, "the servers answer for a while before they die")
    place.kill("redis")
    began = place.kill("postgres")
    eventually("Postgres answers", lambda: attempt(place.rows), 20)
    away = time.monotonic() - began
    words = process.communicate(timeout=time_out(60))[0].split()
    print(f"measured: {words}, Postgres was away for {away:.1f} s")
    counts = dict(zip(words[::2], map(int, words[1::2])))
    assert process.returncode == 0, process.returncode
    assert counts["pg_good"] + counts["pg_failed"] == counts["asked"] == counts["redis_good"] + counts["redis_failed"], counts
    return counts, away


def test_links_survive_server_deaths():
    clean_start()
    for seconds in (9, 36, 120):  # a busy machine starts Postgres slowly: little is left of the time to show that it is there again
        counts, away = links(seconds)
        if away < seconds / 4 and min(counts["pg_good"], counts["redis_good"]) > 40:
            break
    assert counts["pg_good"] > 40 and counts["pg_failed"] > 0 and counts["redis_good"] > 40, counts


if __name__ == "__main__":
    with Loop("loop") as place:
        try:
            run(*[f for name, f in list(globals().items()) if name.startswith("test_")])
        except SystemExit as status:
            if status.code:
                for name in sorted(os.listdir(f"{place.data}/log")):
                    print(f"--- end of log/{name}\n" + "\n".join(read_text(f"{place.data}/log/{name}").splitlines()[-15:]))
            code = status.code
    raise SystemExit(code)
