#!/usr/bin/env python3
"""Accidents under load, on the real servers: kill -9 of every service, of Kafka, Postgres and Redis at random moments, sometimes two at once or one more
during a recovery; of all processes at once, as when the machine's power fails; processes frozen for longer than their lease; instances killed for good, so that another must take over; Redis emptied; the network
to Kafka and Postgres cut, for all and for one service alone; the disk full; a stored state of a player, or a figure of a pool, spoiled. Then everything is proven: the ledger, the pools' identities, each
player's own record of what he was told, and that nobody is stuck. Times from the accident until every shard books rounds again are printed and
written to build/bench/chaos.json; it fails if anything was lost, doubled or stuck, or if a process died by a fault of its own.

    chaos.py [--kills=N] [--seed=N] [--players=N] [--only=ACCIDENT]

As root it lives in a network namespace of its own and on a small file system of its own, which it cuts and fills; without, these two kinds of
accidents are left out, and said so."""
import argparse
import json
import os
import random
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "e2e"))
from lib_frames import deaths_in  # noqa: E402
from lib_play import Person, Refused  # noqa: E402
from lib_stack import BIN, ROOT, Installation, eventually  # noqa: E402

SERVICES = ("gateway", "spin-engine", "wallet", "progressive-pool", "jackpot-cards", "notifications", "payments")
SHARDED = ("spin-engine", "wallet", "progressive-pool", "jackpot-cards")
GOALS = {"service": 2.0, "kafka": 1.0, "postgres": 5.0, "takeover": 5.0, "all at once": 4.0}  # medians, seconds
# "service": started again under its name; "kafka": no bet notices; "all at once": from the start of the installation; all figures are until every shard books rounds again, of a takeover also until the other holds all shards.
# The demo definition's jackpots are most frequent at the largest bet of the smallest coin, so that hits are among what is killed.
PLAY = {"think_time": 20, "coin_minor": 1, "lines": 15, "coins": 10, "timeout": 2000}
DISK_MB = 3000
WHOLE_S = 90  # play must be whole again by then, whatever happened
HARM_S = 2.0  # for so long it is watched how others play, before something is spoiled and while it is out of work
OWN = 980000  # numbers of players from here on are not those of the load


def root():
    return os.geteuid() == 0


def run_quietly(*command):
    return subprocess.run(command, check=False, capture_output=True, text=True)


class Disk:
    """A file system of its own on a loop device, so that it can be full while the machine's is not."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="carillon-chaos-disk-")
        os.chmod(self.folder, 0o711)  # the users of the services and of Postgres pass through it
        self.image, self.mount = f"{self.folder}/image", f"{self.folder}/disk"
        os.mkdir(self.mount)
        with open(self.image, "wb") as file:
            file.truncate(DISK_MB << 20)
        for command in (("mkfs.ext4", "-q", "-m", "0", self.image), ("mount", "-o", "loop", self.image, self.mount)):
            done = run_quietly(*command)
            if done.returncode != 0:
                raise SystemExit(f"{' '.join(command)}: {done.stderr.strip()}")

    def fill(self):
        free = os.statvfs(self.mount)
        with open(f"{self.mount}/filler", "wb") as file:
            try:
                os.posix_fallocate(file.fileno(), 0, free.f_bavail * free.f_frsize)
            except OSError:
                pass  # somebody was quicker: then it is full all the same

    def empty(self):
        os.unlink(f"{self.mount}/filler")

    def close(self):
        run_quietly("umount", "-l", self.mount)
        shutil.rmtree(self.folder, ignore_errors=True)


class Till(threading.Thread):
    """Withdrawals all the while, over the operator's API, from accounts of their own, to a provider that is slow, silent, double-tongued or refuses; each is
    asked for by one key until it is answered. What was told is kept, and must be so in the end."""

    FIRST, ACCOUNTS, FUNDS = 990001, 8, 10000000
    BEHAVIOURS = (0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 9)  # last two digits of an amount: how tests/support/payment-stub behaves

    def __init__(self, place, seed):
        super().__init__(daemon=True)
        self.place, self.random, self.ended = place, random.Random(seed), threading.Event()
        self.told, self.key, self.fault = {}, place.operator_key(), None

    def ask(self, method, path, body=None, key=None):
        """Again and again with the same key, until there is an answer that is one."""
        while True:
            try:
                answer = self.place.http(method, f"/v1/operators/1{path}", body, token=self.key, key=key, timeout=5)
                if answer.status < 500 and answer.status != 429:
                    return answer
            except OSError:
                pass
            time.sleep(0.2)

    def open(self):
        for n in range(self.FIRST, self.FIRST + self.ACCOUNTS):
            self.ask("POST", "/players", {"player": n, "currency": "EUR"})
            for part in range(10):  # each is small enough to be booked alone
                answer = self.ask("POST", f"/players/{n}/deposits", {"amount_minor": self.FUNDS // 10, "currency": "EUR"}, f"fund-{n}-{part}")
                assert answer.status == 200, answer

    def run(self):
        for i in range(1 << 30):
            if self.ended.wait(self.random.uniform(0.1, 0.6)):
                return
            n = self.random.randrange(self.FIRST, self.FIRST + self.ACCOUNTS)
            amount = 100 * self.random.randint(1, 20) + self.random.choice(self.BEHAVIOURS)
            answers = [self.ask("POST", f"/players/{n}/withdrawals", {"amount_minor": amount, "currency": "EUR"}, f"chaos-{i}")
                       for _ in range(self.random.choice((1, 1, 2)))]
            if any(a.status != 200 or a.json["id"] != answers[0].json["id"] for a in answers):
                self.fault = f"withdrawal chaos-{i} of {n}: {answers}"
                return
            self.told[answers[0].json["id"]] = (n, amount)

    def settle(self):
        """Every one told is paid or given back, once, and the balances are what is left."""
        self.ended.set()
        self.join(60)
        assert self.fault is None and not self.is_alive(), self.fault
        left = {n: self.FUNDS for n in range(self.FIRST, self.FIRST + self.ACCOUNTS)}
        states = {}
        for hold, (n, amount) in self.told.items():
            shown = eventually(f"withdrawal {hold} to be settled", lambda h=hold, p=n: (lambda a: a if a["state"] in ("paid", "released") else None)(
                self.ask("GET", f"/players/{p}/withdrawals/{h}").json), 90)
            states[shown["state"]] = states.get(shown["state"], 0) + 1
            left[n] -= amount if shown["state"] == "paid" else 0
        for n, minor in left.items():
            eventually(f"the balance of {n} to be {minor}", lambda p=n, m=minor: self.place.sql(
                f"select balance from wallet.account where player = {(1 << 48) + p}") == [[str(m)]], 20)
        return states


class Chaos:
    def __init__(self, place, options, disk):
        self.place, self.disk, self.random = place, disk, random.Random(options.seed)
        self.kills = self.left = 0
        self.times = {}
        self.counts = {}
        self.harms = []
        self.goal, self.only = options.kills, options.only
        self.began = self.told = time.monotonic()

    # ---- looking ----

    def answers(self):
        try:
            return bool(self.place.sql("select 1"))
        except (AssertionError, subprocess.TimeoutExpired):
            return False

    def ask(self, text):
        """None while Postgres is away."""
        try:
            return self.place.sql(text)
        except (AssertionError, subprocess.TimeoutExpired):
            return None

    def flowing(self):
        eventually("rounds in every shard", lambda: (self.ask(
            "select count(distinct shard) from wallet.journal where kind = 2 and refusal = 0 and time > now() - interval '1.5 s'") or [["0"]])[0][0]
            == self.place.stack["CARILLON_SHARDS"], WHOLE_S)

    def whole_after(self, mark):
        """Seconds from the mark until each shard has booked a bet again. What was on its way may still be booked in the first moments, so the measure begins
        a little later, and asks for all shards."""
        def look():
            rows = self.ask(f"""select count(*), max(first) from (select shard, extract(epoch from min(time)) - {mark} as first from wallet.journal
                                where kind = 2 and refusal = 0 and time > to_timestamp({mark + 0.03}) group by shard) s""")
            return rows and float(rows[0][1]) if rows and rows[0][0] == self.place.stack["CARILLON_SHARDS"] else None
        return eventually("a round of every shard", look, WHOLE_S)

    def note(self, kind, seconds):
        self.times.setdefault(kind, []).append(seconds)
        if time.monotonic() > self.told + 10:
            self.told = time.monotonic()
            print(f"{self.kills} of {self.goal} kills, {time.monotonic() - self.began:.0f} s, {self.place_rounds()} rounds booked", flush=True)

    def redis_answers(self):
        try:
            return self.place.redis("ping")
        except subprocess.CalledProcessError:
            return False

    def kafka_answers(self):
        try:
            socket.create_connection(("127.0.0.1", int(self.place.ports["KAFKA_PORT"])), timeout=1).close()
            return True
        except OSError:
            return False

    def place_rounds(self):
        rows = self.ask("select coalesce(sum(last_seq), 0) from (select max(last_seq) as last_seq from wallet.batch group by shard) b")
        return rows[0][0] if rows else "?"

    def owners(self, service):
        """Of the shards of a service, by lease."""
        return {row[0] for row in self.ask(f"select owner from carillon.shard where service = '{service}' and lease_until > now()") or []}

    def all_with_other(self, service, name):
        rows = self.ask(f"select count(*) from carillon.shard where service = '{service}' and lease_until > now() and owner <> '{name}'")
        return rows and rows[0][0] == self.place.stack["CARILLON_SHARDS"]

    # ---- accidents ----

    def kill(self, name):
        try:
            self.place.kill(name)
        except (ProcessLookupError, AssertionError):
            return False  # it is dead already, of an accident before
        self.kills += 1
        return True

    def instance(self, service):
        return f"{service}-{self.random.randint(1, 2)}"

    def any_program(self):
        return self.random.choice([self.instance(s) for s in SERVICES] + ["kafka", "postgres", "redis"])

    def one_kill(self, name, *kinds):
        mark = time.time()
        if self.kill(name):
            seconds = self.whole_after(mark)
            for kind in kinds:
                self.note(kind, seconds)

    def kill_service(self):
        service = self.random.choice(SERVICES)
        self.one_kill(self.instance(service), "service", f"service: {service}")

    def kill_kafka(self):
        self.one_kill("kafka", "kafka")

    def stop_beside_kafka(self):
        """A service ends in order while Kafka goes or comes: nothing that still connects may outlive what it uses."""
        eventually("Kafka to take connections", self.kafka_answers, WHOLE_S)  # an accident before may have been its end
        mark = time.time()
        if not self.kill("kafka"):
            return
        for _ in range(3):
            time.sleep(self.random.uniform(0, 2))
            try:
                self.place.kill(self.instance(self.random.choice(SERVICES)), signal.SIGTERM)
            except (ProcessLookupError, AssertionError):
                pass  # it ends already
        self.note("stopped beside Kafka", self.whole_after(mark))

    def kill_postgres(self):
        self.one_kill("postgres", "postgres")

    def kill_redis(self):
        self.one_kill("redis", "redis")

    def kill_several(self):
        """Two to four at once, or shortly after one another: a recovery is hit by the next accident."""
        mark = time.time()
        for _ in range(self.random.randint(2, 4)):
            self.kill(self.any_program())
            time.sleep(self.random.choice((0, 0.05, 0.3, 1.0)))
        self.note("several", self.whole_after(mark))

    def kill_all(self):
        """Supervisors, servers and services; then the installation is started as people do."""
        self.place.kill_everything()
        self.kills += 1
        mark = time.time()
        self.place.start()
        self.note("all at once", self.whole_after(mark))

    def takeover(self):
        """One instance of two goes for good: the other takes its shards."""
        service = self.random.choice(SHARDED)
        name = self.instance(service)
        eventually(f"{name} to hold shards", lambda: name in self.owners(service), 20)
        self.place.hold(name)
        mark = time.time()
        try:
            if self.kill(name):
                held = eventually("the other to hold all", lambda: self.all_with_other(service, name) and time.time() - mark, 20)
                self.note("takeover", max(held, self.whole_after(mark)))
        finally:
            self.place.release(name)
        eventually(f"{name} to come back", lambda: self.place.status()[name][0] == "running", 20)

    def freeze(self):
        """Longer than the lease: when it goes on, its shards are another's; whatever it still says must not count."""
        name = self.instance(self.random.choice(SHARDED))
        try:
            pid = self.place.running(name)
            os.kill(pid, signal.SIGSTOP)
            time.sleep(self.random.uniform(2.5, 4))
            mark = time.time()
            os.kill(pid, signal.SIGCONT)
        except ProcessLookupError:
            return
        self.note("frozen", self.whole_after(mark))

    def freeze_postgres(self):
        """Longer than any service waits for an answer: those that hold shards end, and wait for it anew."""
        eventually("Postgres", self.answers, 20)
        with self.place.frozen_postgres():
            time.sleep(self.random.uniform(1, 8))
            mark = time.time()
        self.note("postgres frozen", self.whole_after(mark))

    def flush_redis(self):
        eventually("Redis", self.redis_answers, 20)  # an accident before may have been its end
        mark = time.time()
        self.place.redis("flushall")
        self.note("redis emptied", self.whole_after(mark))
        eventually("counters rebuilt in Redis", lambda: self.place.redis("keys", "carillon:counters:*").strip(), 10)

    def cut(self, rules, kind):
        self.place.deaths.allow(".*", range(1, 128), "who waits for a server that is cut off ends after a deadline")
        for rule in rules:
            run_quietly("iptables", "-A", *rule)
        time.sleep(self.random.uniform(1, 8))
        for rule in rules:
            run_quietly("iptables", "-D", *rule)
        self.note(kind, self.whole_after(time.time()))

    def cut_port(self, name, what):
        port = self.place.ports[name]
        self.cut([("INPUT", "-p", "tcp", side, port, "-j", "DROP") for side in ("--dport", "--sport")], what)

    def cut_server(self):
        self.cut_port(self.random.choice(("KAFKA_PORT", "REDIS_PORT")), "network cut to Kafka or Redis")

    def cut_postgres(self):
        self.cut_port("PG_PORT", "network cut to Postgres")

    def cut_one(self):
        """One service alone, by the ports of its connections; those it opens meanwhile get through, as by another route."""
        name, server = self.instance(self.random.choice(SHARDED)), self.place.ports[self.random.choice(("KAFKA_PORT", "PG_PORT"))]
        listed = run_quietly("ss", "-tnpH").stdout
        own = [match.group(1) for line in listed.splitlines() if f"pid={self.place.pid(name)}," in line
               for match in [re.search(rf":(\d+)\s+\S+:{server}\s", line)] if match]
        self.cut([("INPUT", "-p", "tcp", a, port, b, server, "-j", "DROP") for port in own for a, b in (("--dport", "--sport"), ("--sport", "--dport"))],
                 "network cut for one service")

    def fill_disk(self):
        self.disk.fill()
        time.sleep(self.random.uniform(3, 6))
        self.disk.empty()
        self.note("disk full", self.whole_after(time.time()))

    # ---- what is stored cannot be read ----

    def silence(self, since, until):
        """The longest time in which one of the load's players had no row booked. None while Postgres is away."""
        rows = self.ask(f"""select player, extract(epoch from time) from wallet.journal where time between to_timestamp({since}) and to_timestamp({until})
                            and player & ((1::bigint << 48) - 1) < {OWN} order by time""")
        last, longest = {}, 0.0
        for player, at in rows or []:
            longest, last[player] = max(longest, float(at) - last.get(player, since)), float(at)
        return None if rows is None else max([longest, *(until - at for at in last.values())])

    def watch_others(self):
        """While nothing else happens."""
        since = time.time()
        time.sleep(HARM_S)
        return eventually("what was booked", lambda: self.silence(since, since + HARM_S), WHOLE_S)

    def spoil(self, service, statement):
        """While no instance of the service runs: what is in memory would be written over it."""
        names = [f"{service}-{n}" for n in (1, 2)]
        for name in names:
            self.place.hold(name)
        for name in names:
            self.kill(name)
        eventually("the end of their commits", lambda: self.ask(f"select pid from pg_stat_activity where application_name in ('{names[0]}', '{names[1]}')") == [], WHOLE_S)
        self.place.sql(statement, writer=True)
        mark = time.time()
        for name in names:
            self.place.release(name)
        return mark

    def listed(self):
        done = subprocess.run([f"{BIN}/jackpotctl", "quarantine", "list", "--json"], env={**self.place.environment, **self.place.stack}, cwd=self.place.data,
                              capture_output=True, text=True, timeout=60, check=False)
        found = json.loads(done.stdout) if done.returncode < 2 else None
        return found and {row["player"] for row in found["quarantined"]} | {f"pool:{row['pool']}" for row in found["pools"]}

    def out_of_work(self, what, service, spoilt, mended, touch):
        """Spoiled, found, watched, hit by another accident, put right, released."""
        ordinary = self.watch_others()
        mark = self.spoil(service, spoilt)
        eventually(f"{what} in quarantine", lambda: touch() or what in (self.listed() or ()), WHOLE_S)
        self.note("unreadable", self.whole_after(mark))
        self.harms.append(max(0.0, self.watch_others() - ordinary))
        mark = time.time()
        if self.kill(self.instance(self.random.choice(("gateway", "wallet", "notifications", service)))):
            self.note("several", self.whole_after(mark))
        assert what in eventually("the list", self.listed, WHOLE_S), f"{what} has left the quarantine by itself"
        self.place.sql(mended, writer=True)
        eventually(f"{what} at work again", lambda: self.released(what), WHOLE_S)

    def released(self, what):
        subprocess.run([f"{BIN}/jackpotctl", "quarantine", "release", what], env={**self.place.environment, **self.place.stack}, cwd=self.place.data,
                       capture_output=True, timeout=60, check=False)
        return self.listed() == set()

    def poison_player(self):
        """What the engine has stored about one player."""
        person = Person(self.place, number=OWN + self.counts["poison"], deposit=10000)
        person.bet_through()
        person.watch()
        moved = person.expect - 1
        eventually("the checkpoint", lambda: self.ask(f"select last_move from engine.player where player = {person.id}") == [[str(moved)]], WHOLE_S)
        [[state]] = self.place.sql(f"select encode(state, 'hex') from engine.player where player = {person.id}")
        where = f"where player = {person.id} returning player"

        def touch():
            """An engine reads the state of a player who asks for something."""
            try:
                person.refresh()
            except (Refused, OSError):
                pass
        self.out_of_work(str(person.id), "spin-engine", f"update engine.player set state = '\\xffff' {where}",
                         f"update engine.player set state = decode('{state}', 'hex') {where}", touch)
        eventually("the player's state", lambda: person.refresh(), WHOLE_S)
        person.bet_through()

    def poison_pool(self):
        """A figure of the pool that is won most often: its jackpots wait."""
        turned = "update pool.row set r_e27 = -1 - r_e27 where pool = 1 returning pool"
        self.out_of_work("pool:1", "progressive-pool", turned, turned, lambda: None)

    def poison(self):
        """Something stored cannot be read: a player's state and a pool's figure in turn."""
        (self.poison_player if self.counts["poison"] % 2 else self.poison_pool)()

    # ---- the whole ----

    def choices(self):
        """Accidents with their weights."""
        weights = {self.kill_service: 60, self.kill_kafka: 5, self.stop_beside_kafka: 3, self.kill_postgres: 7, self.freeze_postgres: 2, self.kill_redis: 3, self.kill_several: 8, self.takeover: 8, self.freeze: 3,
                   self.flush_redis: 2, self.kill_all: 2, self.poison: 3}
        if self.disk:
            weights.update({self.cut_server: 2, self.cut_postgres: 1, self.cut_one: 3, self.fill_disk: 1})
        chosen = {a: w for a, w in weights.items() if self.only in (None, a.__name__)}
        if not chosen:
            raise SystemExit(f"--only: found {self.only}, expected one of {', '.join(a.__name__ for a in weights)}")
        return list(chosen), list(chosen.values())

    def nobody_crashed(self):
        """We kill by SIGKILL and SIGTERM alone."""
        crashed = deaths_in(f"{self.place.data}/log")
        assert not crashed, f"a process died by a fault of its own:\n{crashed}"

    def run(self):
        accidents, weights = self.choices()
        # Each kind once for certain, in an order of the seed; then by weight until there were enough kills.
        first = self.random.sample(accidents, len(accidents))
        if self.poison in first:
            first.append(self.poison)  # once of a player, once of a pool
        while (sum(self.counts.values()) if self.only else self.kills) < self.goal or first:
            accident = first.pop() if first else self.random.choices(accidents, weights)[0]
            self.flowing()
            time.sleep(self.random.uniform(0, 0.7))
            self.counts[accident.__name__] = self.counts.get(accident.__name__, 0) + 1
            accident()
            self.nobody_crashed()
        self.flowing()


def nobody_is_stuck(place, players):
    """Everyone who played bets again, and no claim, award or hold waits."""
    mark = place.sql("select clock_timestamp()")[0][0]
    again = place.players(players=players, seconds=600, **PLAY)
    betting = f"select count(distinct player) from wallet.journal where kind = 2 and refusal = 0 and time > '{mark}'"
    eventually("a bet of each player", lambda: int(place.sql(betting)[0][0]) == players, 60)
    again.finish()
    eventually("all jackpots to be paid", lambda: place.sql("select count(*) from wallet.claim where closed_seq is null") == [["0"]], 30)


def summary(chaos, record, proof):
    kinds = {kind: {"n": len(t), "median_s": round(statistics.median(t), 3), "worst_s": round(max(t), 3)} for kind, t in sorted(chaos.times.items())}
    return {"kills": chaos.kills, "accidents": chaos.counts, "seconds": round(time.monotonic() - chaos.began, 1), "recovery": kinds,
            "goals_median_s": GOALS, "harm_to_others_s": {"n": len(chaos.harms), "worst": round(max(chaos.harms, default=0), 3)}, "players": {k: v for k, v in record.items() if isinstance(v, (int, float))},
            "ledger": {k: proof[k] for k in ("ledger_ok", "pools_ok", "rows", "rounds", "hits")}}


def table(result):
    print(f"{result['kills']} kills and other accidents in {result['seconds']:.0f} s: {result['accidents']}")
    print("until every shard booked rounds again      n   median     worst     goal")
    for kind, row in result["recovery"].items():
        goal = f"{GOALS[kind]:.0f} s" if kind in GOALS else ""
        print(f"  {kind:<36} {row['n']:>5} {row['median_s']:>6.2f} s {row['worst_s']:>7.2f} s {goal:>8}")
    harm = result["harm_to_others_s"]
    if harm["n"] > 0:
        print(f"longest harm to others by something that cannot be read, {harm['n']} times: {harm['worst']:.2f} s beyond the ordinary (goal: none)")
    players, ledger = result["players"], result["ledger"]
    print(f"players: {players['rounds_settled']} rounds, {players['rows_compared']} rows told and compared, {players['mismatches_n']} differ, {players['errors_n']} errors")
    print(f"withdrawals: {result['withdrawals']}")
    print(f"ledger: {ledger['rows']} rows, {ledger['hits']} hits, in order: {ledger['ledger_ok'] and ledger['pools_ok']}")


def play(options, disk):
    place = Installation("chaos", scale=2)
    # Odds at which cards are on the table whenever something dies; a provider that is asked again soon.
    place.environment.update(CARILLON_CARD_SETS=f"{HERE}/sets", CARILLON_PAYMENTS_MS="400", CARILLON_PAYMENTS_PENDING_MS="3000")
    os.environ["CARILLON_TEST_BUILT"] = "1"  # `make chaos` has built all
    with place:
        till = Till(place, options.seed)
        till.open()
        till.start()
        players = place.players(players=options.players, seconds=100000, seed=options.seed, **PLAY)
        chaos = Chaos(place, options, disk)
        chaos.run()
        record = players.finish(timeout=300)
        nobody_is_stuck(place, options.players)
        withdrawals = till.settle()
        chaos.nobody_crashed()
        result = summary(chaos, record, place.verify(60)) | {"withdrawals": withdrawals}
    table(result)
    os.makedirs(f"{ROOT}/build/bench", exist_ok=True)
    with open(f"{ROOT}/build/bench/chaos.json", "w", encoding="utf-8") as file:
        json.dump(result, file, indent=1)
        file.write("\n")
    print("nothing lost, doubled or stuck. Written: build/bench/chaos.json")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--players", type=int, default=20)
    parser.add_argument("--only", help="one kind of accident, by its name; it happens --kills times")
    parser.add_argument("--seed", type=int, default=None, help="of what happens when; printed when not given")
    options = parser.parse_args()
    if options.seed is None:
        options.seed = random.SystemRandom().randrange(1 << 31)
    if not root():
        print("not root: no network is cut and no disk filled")
        play(options, None)
        return
    if os.environ.get("CARILLON_CHAOS_NET") != "own":
        os.environ["CARILLON_CHAOS_NET"] = "own"
        os.execvp("unshare", ["unshare", "--net", sys.executable, os.path.abspath(__file__), f"--kills={options.kills}", f"--players={options.players}",
                              f"--seed={options.seed}", *([f"--only={options.only}"] if options.only else [])])
    run_quietly("ip", "link", "set", "lo", "up")
    print(f"seed {options.seed}", flush=True)
    disk = Disk()
    os.environ["CARILLON_TEST_TMP"] = disk.mount
    try:
        play(options, disk)
    except BaseException:
        kept = tempfile.mkdtemp(prefix="carillon-chaos-log-")
        run_quietly("bash", "-c", f"cp -r {disk.mount}/*/log {disk.mount}/*/run {kept}")
        print(f"logs are kept: {kept}")
        raise
    finally:
        disk.close()


if __name__ == "__main__":
    main()
