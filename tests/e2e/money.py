#!/usr/bin/env python3
"""Money over the bus, without HTTP in between: bus-bench plays on real servers while operators and accidents do what they can. After each test the
ledger proves itself."""
import contextlib
import glob
import os
import subprocess

from lib_patience import time_out
from lib_raw import SENDERS, field
from lib_stack import BIN, ROOT, Installation, eventually, read_text, run

SERVICES = ("wallet", "spin-engine", "progressive-pool", "jackpot-cards", "notifications")
TOOLS = ("carillon-supervisor", "bus-bench", "jackpotctl", "kafka-raw", "kafka-topics")
PAUSE, RESUME = 1, 2
SHARDS = 4


class Bus(Installation):
    """Servers and the services behind the gateway; it plays no part here and may be missing."""

    def start(self, scale=None):
        self.script("make", "-s", *[f"build/bin/carillon-{name}" for name in SERVICES], *[f"build/bin/{name}" for name in TOOLS])
        self.script(f"{ROOT}/scripts/stack.sh", "start")
        self.script(f"{ROOT}/scripts/migrate.sh")
        self.script(f"{ROOT}/scripts/topics.sh")
        self.script(f"{ROOT}/scripts/services.sh", str(scale or self.scale))
        self.script("bash", "-c", f". {ROOT}/scripts/lib.sh && start_supervisor supervisor")
        with open(f"{self.data}/run/stack.env", encoding="utf-8") as file:
            self.stack = dict(line.strip().split("=", 1) for line in file if "=" in line)
        eventually("all shards", lambda: int(self.sql("select count(*) from carillon.shard where lease_until > now() and service <> 'payments'")[0][0]) == 4 * SHARDS, 20)

    def bench(self, seconds, players=20, first=50000000, currency="EUR"):
        command = [f"{BIN}/bus-bench", f"--pg={self.stack['CARILLON_PG_DSN']}", f"--players={players}", f"--first-player={first}",
                   "--warm-up=0", f"--seconds={seconds}", f"--currency={currency}"]
        return subprocess.Popen(command, cwd=self.data, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    @contextlib.contextmanager
    def betting(self, **more):
        """The bench in the background, for as long as its block needs it; only the end of the block ends it."""
        bench = self.bench(300, **more)
        try:
            yield
            assert bench.poll() is None, bench.stdout.read()
        finally:
            bench.kill()
            bench.communicate()

    def bets(self, since):
        return int(self.sql(f"select count(*) from wallet.journal where kind = 2 and refusal = 0 and time > '{since}'")[0][0])

    def now(self):
        return self.sql("select clock_timestamp()")[0][0]

    def raw(self, topic, partition, message):
        subprocess.run([f"{BIN}/kafka-raw", "send", topic, str(partition), SENDERS.get(topic, "gateway")], input=message.hex(), text=True, check=True, timeout=time_out(30),
                       env={**self.environment, **self.stack}, cwd=self.data)

    def operator(self, pool, action):
        """An operator's command, to each partition: who does not hold the pool does not heed it."""
        inner = field(1, action) + field(2, b"tester") + field(4, b"a test") + field(5, os.urandom(16))
        command = field(1, field(1, 1) + field(2, 1) + field(6, b"test")) + field(2, pool) + field(4, inner)
        for shard in range(SHARDS):
            self.raw("jackpot.commands", shard, command)

    def log(self, name):
        return read_text(f"{self.data}/log/{name}.log")

    def state_of(self, pool):
        return self.sql(f"select state from pool.pool where pool = {pool}")[0][0]


place = None


def test_a_set_of_cards_has_books_of_its_own():
    bench = place.bench(3)
    assert bench.wait(time_out(30)) == 0, bench.stdout.read()
    eventually("the set's wagers", lambda: int(place.sql("select t_e18 from cards.card_set where pool = 2")[0][0]) > 0, 10)
    books = int(place.sql("select (select count(*) from pool.pool) + (select count(*) from cards.card_set)")[0][0])
    assert next(p for p in place.verify()["points"] if p["point"] == 7)["checked"] == books > 1


def test_no_bet_is_booked_while_the_pool_is_paused():
    bench = place.bench(8)
    eventually("bets", lambda: int(place.sql("select count(*) from wallet.journal where kind = 2")[0][0]) > 50, 20)
    place.operator(1, PAUSE)
    eventually("the pause", lambda: place.state_of(1) == "paused", 20)
    paused = place.now()
    assert bench.wait(time_out(30)) == 0, bench.stdout.read()
    assert place.bets(paused) == 0, "a claim could still come of one of them, and find its row removed"
    place.operator(1, RESUME)
    eventually("the end of the pause", lambda: place.state_of(1) == "live", 20)
    resumed = place.now()
    with place.betting():
        eventually("bets", lambda: place.bets(resumed) > 0, 20)
    place.verify()


def lose_tails(nbytes):
    """Kafka dies and comes back without the last bytes of each partition, as after a power cut: it drops the torn batches at the end."""
    place.hold("kafka")
    place.kill("kafka")
    eventually("the end of Kafka", lambda: not os.path.exists(f"/proc/{place.pid('kafka')}") or place.status("stack")["kafka"][0] != "running", 5)
    for path in glob.glob(f"{place.data}/kafka/data/*.*-*/*.log"):
        os.truncate(path, max(0, os.path.getsize(path) - nbytes))
    place.release("kafka")


def kafka_answers():
    login = f"{place.data}/keys/admin/kafka"
    return subprocess.run([f"{BIN}/kafka-topics", "--only-wait", "--wait=1", f"--brokers={place.stack['CARILLON_KAFKA']}", f"--login={login}"], capture_output=True, check=False).returncode == 0


def players_betting(since):
    return int(place.sql(f"select count(distinct player) from wallet.journal where kind = 2 and refusal = 0 and time > '{since}'")[0][0])


def test_kafka_loses_its_tail_on_every_topic():
    """What was booked stays booked, nobody plays from an older state or is stuck, whoever died of it comes back."""
    players = 20
    for nbytes in (300, 5000):
        for accident in (True, False):
            began = place.now()
            bench = place.bench(60, players, 51000000)
            try:
                eventually("bets of each player", lambda: players_betting(began) == players and place.bets(began) > 150, 60)
                if accident:
                    lose_tails(nbytes)
                    eventually("Kafka", kafka_answers, 30)
            finally:  # its producer dies of the accident, as a gateway's would, sooner or later
                bench.kill()
                bench.wait()
    place.verify(60)


def dead_letters(reason):
    return sum(reason in place.log(f"{name}-1") for name in ("progressive-pool", "jackpot-cards"))


def test_forged_incarnation_is_dead_lettered():
    """One message with a huge incarnation: if it were believed, every true one would be from before a restore."""
    for pool in (1, 2):
        for shard in range(SHARDS):
            feed = field(1, field(1, 1) + field(2, 2000000000) + field(3, 1) + field(6, b"test")) + field(2, pool) + field(3, shard)
            for partition in range(SHARDS):
                place.raw("jackpot.feed", partition, feed)
    eventually("dead letters", lambda: dead_letters("envelope.incarnation: found 2000000000, expected at most 1") == 2, 10)
    before = place.sql("select (select t_e18 from pool.pool where pool = 1), (select t_e18 from cards.card_set where pool = 2)")[0]
    bench = place.bench(3, first=52000000)
    assert bench.wait(time_out(30)) == 0, bench.stdout.read()
    eventually("T of both to follow", lambda: all(int(a) > int(b) for a, b in zip(place.sql(
        "select (select t_e18 from pool.pool where pool = 1), (select t_e18 from cards.card_set where pool = 2)")[0], before)), 10)
    place.verify()


def test_closed_tallies_are_folded():
    """The wallet counts at most 1,024 tallies at once; there may be any number that are closed and recorded."""
    assert place.bench(3, first=53000000, currency="SEK").wait(time_out(30)) == 0
    folded = eventually("a recorded tally", lambda: place.sql(
        "select id from pool.tally where pool = 1 and currency = 752 and closed is null and id in (select tally from pool.vector)"), 10)[0][0]
    place.sql("insert into pool.tally (id, pool, game, currency, rate_nano, ppm, closed) select nextval('pool.tally_id'), 9999, 1, 978, n, 5000,"
              " now() - interval '1 hour' from generate_series(1, 1500) n", writer=True)
    place.sql("insert into carillon.fx_rate (currency, rate_nano) values (752, 88000000)", writer=True)
    with place.betting(first=53000000, currency="SEK"):
        place.kill("progressive-pool-1")  # it opens tallies when it starts
        eventually("a tally for the new rate", lambda: place.sql(f"select 1 from pool.tally where id = {folded} and closed is not null"), 20)
        opened = place.sql("select id from pool.tally where pool = 1 and currency = 752 and closed is null")[0][0]
        eventually("the wallet to count into it", lambda: f"tally {opened}: pool 1" in place.log("wallet-1"), 20)
        place.sql(f"update pool.tally set closed = closed - interval '2 minutes' where id = {folded}", writer=True)
        eventually("the fold", lambda: f"tally {folded}: folded" in place.log("wallet-1"), 20)
        place.kill("wallet-1")
        again = place.now()
        eventually("bets after the wallet's return", lambda: place.bets(again) > 100, 20)
    place.verify()


def test_tally_limit_keeps_old_rate():
    """A pool can count so many tallies (256), closed ones included: who changes rates daily gets there. Then it goes on with the rate it has."""
    place.sql("insert into pool.tally (id, pool, game, currency, rate_nano, ppm, closed) select nextval('pool.tally_id'), 1, 1, 752, 87500000 + n, 5000, now()"
              " from generate_series(1, 256 - (select count(*)::integer from pool.tally where pool = 1)) n", writer=True)
    before = place.sql("select * from pool.tally order by id")
    taken = place.log("progressive-pool-1").count(": taken, epoch")
    place.kill("progressive-pool-1")  # one that has not read these would open the next
    eventually("a pool that knows them", lambda: place.log("progressive-pool-1").count(": taken, epoch") >= taken + 4, 20)
    place.sql("insert into carillon.fx_rate (currency, rate_nano) values (752, 91000000)", writer=True)
    for _ in range(2):  # what it cannot do now it could not do after a restart either
        told = place.log("progressive-pool-1").count("ALARM pool 1")
        place.kill("progressive-pool-1")
        eventually("the alarm", lambda: place.log("progressive-pool-1").count("ALARM pool 1") > told, 10)
    now = place.now()
    with place.betting():
        eventually("bets", lambda: place.bets(now) > 0, 20)
        eventually("T to follow", lambda: int(place.sql(f"select count(*) from pool.pool where pool = 1 and updated > '{now}'")[0][0]) == 1, 10)
    assert [row for row in place.sql("select * from pool.tally where pool = 1 order by id")] == [row for row in before if row[1] == "1"]
    place.verify()


if __name__ == "__main__":
    with Bus("money") as place:
        try:
            run(*[f for name, f in list(globals().items()) if name.startswith("test_")])
        except SystemExit as status:
            if status.code:
                raise
