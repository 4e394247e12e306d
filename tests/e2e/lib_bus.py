"""What services say to each other, by hand: each kind of message that proto/bus.proto knows, with contents that would have an effect; who may send it to whom;
and somebody who holds the keys of one service and says any of it to anybody."""
import os
import re
import subprocess
import time

from lib_patience import time_out
from lib_raw import envelope, field
from lib_stack import BIN, eventually, read_text

EUR, GAME = 978, b"bewitched"
SPIN = {1: "open an account", 2: "read a state", 3: "bet", 4: "step", 5: "collect", 6: "gamble", 7: "halve", 8: "change settings", 9: "void a round", 10: "resolve a round", 11: "replay a round"}
OUTSIDE = {20: "deposit", 21: "withdraw at once", 22: "correct a balance", 23: "grant bonus funds", 25: "block a player", 26: "grant bonus spins", 27: "end bonus spins", 28: "request a withdrawal",
           29: "settle a withdrawal as paid", 30: "give a withdrawal back", 31: "take bonus funds back", 32: "change a player's limit", 39: "book what no build knows"}
JACKPOT = {3: "pick a card", 4: "order as an operator", 10: "transfer a pool's money", 11: "confirm a transfer", 12: "claim a jackpot", 20: "order what no build knows"}
PLAIN = {2: "tell of a booked row", 3: "answer a player", 4: "request rows again", 5: "answer a pick", 6: "hint at a payout", 10: "answer an operator", 12: "ask for totals", 13: "tell totals",
         20: "tell of a quarantine", 30: "say what no build knows"}
SETTLE = {OUTSIDE[29], OUTSIDE[30]}
OPERATE = {JACKPOT[3], JACKPOT[4]}
# Said here once more, so that a row too many in libcommon/service/permit.c fails.
MAY = {
    ("gateway", "spin-engine"): set(SPIN.values()), ("gateway", "wallet"): set(OUTSIDE.values()), ("gateway", "progressive-pool"): OPERATE, ("gateway", "jackpot-cards"): OPERATE,
    ("gateway", "payments"): {PLAIN[6]}, ("spin-engine", "spin-engine"): {SPIN[10]}, ("spin-engine", "wallet"): {"propose a win"}, ("spin-engine", "gateway"): {PLAIN[3], PLAIN[20]},
    ("notifications", "wallet"): {PLAIN[4]}, ("payments", "wallet"): SETTLE, ("progressive-pool", "wallet"): {"pay a jackpot", PLAIN[12]}, ("jackpot-cards", "wallet"): {"pay a jackpot", PLAIN[12]},
    ("progressive-pool", "progressive-pool"): {JACKPOT[10], JACKPOT[11]}, ("progressive-pool", "gateway"): {PLAIN[10], PLAIN[20]}, ("jackpot-cards", "gateway"): {PLAIN[5], PLAIN[10], PLAIN[20]},
    ("wallet", "gateway"): {PLAIN[2], PLAIN[20]}, ("wallet", "spin-engine"): {PLAIN[2], PLAIN[20]}, ("wallet", "progressive-pool"): {JACKPOT[12], PLAIN[13]},
    ("wallet", "jackpot-cards"): {JACKPOT[12], PLAIN[13]},
}


def command(kind, shard, body):
    return field(11, field(1, kind) + field(2, shard) + field(3, body))


class Target:
    """A player and a pool, about whom everything is said."""

    def __init__(self, place, person, pool):
        self.person, self.player, self.pool = person, person.id, pool
        self.shards = int(place.sql("select shards from carillon.installation")[0][0])
        self.shard = self.shard_of(person.id)
        self.seq = int(place.sql(f"select max(seq) from wallet.journal where shard = {self.shard}")[0][0])

    def shard_of(self, id_):
        """As libcommon/base/ids.c spreads them."""
        whole = (1 << 64) - 1
        x = id_ + 0x9E3779B97F4A7C15 & whole
        x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & whole
        x = (x ^ x >> 27) * 0x94D049BB133111EB & whole
        return (x ^ x >> 31) * self.shards >> 64

    def spin(self, kind, more=b""):
        return command(1, self.shard, envelope() + field(2, self.player) + field(3, kind) + field(4, self.person.expect) + field(5, os.urandom(16)) + field(6, os.urandom(16)) + field(7, 1)
                       + field(10, GAME) + more)

    def bet(self):
        return self.spin(3, field(12, field(1, 1) + field(2, 5) + field(3, 1)) + field(13, os.urandom(16)))

    def wallet(self, number, body):
        return command(2, self.shard, envelope() + field(2, self.player) + field(number, body))

    def outside(self, kind, amount=100000, more=b""):
        no_money = kind in (26, 27)
        return self.wallet(4, field(1, kind) + field(2, os.urandom(16)) + field(3, os.urandom(16)) + (b"" if no_money else field(4, amount)) + field(5, EUR) + field(7, b"nobody") + more)

    def proposal(self, move, won=5000, record=b"x"):
        return self.wallet(3, field(1, move) + field(2, move) + field(3, 1) + field(4, 2) + field(8, 10) + field(9, won) + field(12, b"\1") + field(15, os.urandom(16)) + field(16, record))

    def award(self, move, index=1, paid=100000, pool=None, hit=1):
        return self.wallet(5, field(1, move) + field(2, index) + field(3, pool or self.pool) + field(4, paid) + field(5, EUR) + field(6, hit))

    def feed(self, more):
        return envelope(self.seq) + field(2, self.pool) + field(3, self.shard) + more

    def claim(self, move, kind=1):
        claimed = field(1, 1) + field(2, self.pool) + field(3, kind) + field(4, 1) + field(5, EUR) + field(6, 5) + field(7, self.player) + field(8, move) + field(9, time.time_ns() // 1000)
        return self.jackpot(12, self.feed(field(5, claimed)))

    def jackpot(self, number, body):
        return command(3, self.shard_of(self.pool), envelope() + field(2, self.pool) + field(number, body))

    def operator(self, action, parameters=b"{}"):
        return self.jackpot(4, field(1, action) + field(2, b"nobody") + field(3, b"nobody else") + field(4, b"a try") + field(5, os.urandom(16)) + field(6, parameters))

    def fact(self, balance=9_000_000_000):
        return envelope(self.seq + 1000) + field(2, self.shard) + field(3, self.player) + field(4, 20) + field(9, EUR) + field(15, balance) + field(16, balance) + field(23, self.person.expect - 1)

    def plain(self, number, body):
        return field(1, field(1, 1) + field(2, 1) + field(6, b"test")) + field(number, body)

    def messages(self):
        """what -> the message, of each kind that there is."""
        limit, spins = field(10, 4), field(8, field(1, 1) + field(2, 1) + field(3, 5) + field(4, 1) + field(5, 10) + field(6, (1 << 50) + 1))
        more = {26: spins, 27: field(8, field(7, os.urandom(16))), 29: field(9, os.urandom(16)), 30: field(9, os.urandom(16)), 31: field(9, os.urandom(16)), 32: limit}
        said = {what: self.bet() if kind == 3 else self.spin(kind) for kind, what in SPIN.items()}
        said.update({what: self.outside(kind, more=more.get(kind, b"")) for kind, what in OUTSIDE.items()})
        said.update({"propose a win": self.proposal(self.person.expect), "pay a jackpot": self.award(self.person.expect - 1)})
        transfer = field(1, 2) + field(2, 1) + field(3, self.pool)
        said.update({JACKPOT[3]: self.jackpot(3, field(1, self.player) + field(2, 1) + field(3, 1) + field(5, 1)), JACKPOT[4]: self.operator(1), JACKPOT[10]: self.jackpot(10, transfer),
                     JACKPOT[11]: self.jackpot(11, transfer), JACKPOT[12]: self.claim(self.person.expect - 1), JACKPOT[20]: self.jackpot(20, transfer)})
        bodies = {2: self.fact(), 3: field(1, 1), 4: field(1, self.shard), 5: field(1, 1) + field(2, self.player), 6: field(1, os.urandom(16)), 10: field(1, 1) + field(2, self.pool),
                  12: field(1, self.pool) + field(2, self.shard) + field(3, 1), 13: field(1, 1) + field(2, self.feed(field(4, field(1, 1) + field(2, 1 << 40)))),
                  20: field(1, 2) + field(2, os.urandom(16)) + field(3, self.player), 30: field(1, 1)}
        said.update({what: self.plain(number, bodies[number]) for number, what in PLAIN.items()})
        return said


class Insider:
    """Holds the keys of a service and its password of the database, no more, and is listed as an instance of it."""

    def __init__(self, place, service):
        self.place, self.service = place, service
        role = f"carillon_{service.replace('-', '_')}"
        dsn = f"host=127.0.0.1 port={place.ports['PG_PORT']} dbname=carillon user={role} passfile=keys/{service}/pgpass"
        self.process = subprocess.Popen([f"{BIN}/bus-try", service], cwd=place.data, env={"PATH": os.environ["PATH"], "CARILLON_PG_DSN": dsn}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()
        assert self.url.startswith("ipc://"), f"{service}: bus-try has ended"

    def __enter__(self):
        return self

    def __exit__(self, *rest):
        self.process.stdin.close()
        assert self.process.wait(time_out(30)) == 0

    def send(self, *pairs, times=1):
        """(service, message) of each; to its first instance, so often. Back when all have been given to the socket."""
        self.process.stdin.write("".join(f"ipc://nn/{to}/{to}-1 {message.hex()} {times}\n" for to, message in pairs))
        self.process.stdin.flush()
        for _ in pairs:
            assert self.process.stdout.readline() == "sent\n", self.service

    def heard(self, services):
        """Back once each has refused a message of ours, by name: then it lists us, and what we send arrives. But for DEAF."""
        services = [to for to in services if to != DEAF]
        before, probes = {to: refused(self.place, to) for to in services}, dict.fromkeys(services, 0)

        def named():
            missing = [to for to in services if f"{self.service} at {self.url} sent " not in read_text(f"{self.place.data}/log/{to}-1.log")]
            self.send(*((to, PROBE) for to in missing))
            for to in missing:
                probes[to] += 1
            return not missing
        eventually(f"all to refuse {self.service}", named, 60, 0.3)
        for to in services:
            eventually(f"{to} to count", lambda to=to: self.counted(to, before[to], probes[to]), 60)

    def counted(self, to, before, n):
        """The counts, once n more than before have been refused; None: not yet."""
        now = refused(self.place, to)
        return now if sum(now.values()) - sum(before.values()) >= n else None


DEAF = "notifications"  # lists only owners of the wallet's shards, when it sends to them, and opens no other parcel
PROBE = field(1, field(1, 1)) + field(31, b"")  # a kind that nobody has


def reasons(place, instance, name):
    """reason -> count."""
    return {reason: int(float(n)) for reason, n in re.findall(rf'^{name}{{.*?reason="(\w+)"}} (\S+)$', place.metrics(instance), re.M)}


def refused(place, service, name="carillon_bus_refused_total"):
    """reason -> count, of the service's first instance."""
    return reasons(place, f"{service}-1", name)
