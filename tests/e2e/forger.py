#!/usr/bin/env python3
"""A process without the keys that speaks nanomsg or Kafka to the services changes nothing; nor does a recorded parcel that is sent again, at once or after a
restart; nor a service that says with its own keys what it may not. Keys change under play, and nothing is lost by it. After each test the books are in
order, and play goes on."""
import os
import re
import socket
import struct
import subprocess
import threading
import time

from lib_bus import reasons
from lib_patience import let_time_pass, time_out
from lib_play import RULES, Person, force
from lib_raw import envelope, field, raw
from lib_stack import ROOT, Installation, eventually, run

POOL = 1
EUR = 978
LOSS = RULES.stops()
place = None
person = None


# ---- what is seen ----

def booked():
    return place.sql("select count(*), coalesce(sum(seq), 0) from wallet.journal")[0]


def refused(service, name="carillon_bus_refused_total"):
    """reason -> count, of an instance of the service."""
    instance = eventually(f"{service} to be there", lambda: place.sql(f"select name from carillon.instance where service = '{service}' and heartbeat > now() - interval '3 s'"), 20)[0][0]
    return reasons(place, instance, name)


def more(service, reason, least, before, name="carillon_bus_refused_total"):
    eventually(f"{service} to count {least} as {reason}", lambda: refused(service, name).get(reason, 0) >= before.get(reason, 0) + least, 5)


def bet():
    """One that wins nothing and opens nothing, through whatever restarts."""
    force(place, person.name, LOSS, LOSS)  # an engine that dies has had its script
    person.bet_through(1, 5, 1)


def plays_on():
    eventually("the engine", person.refresh, 20)
    bet()
    place.verify(20, "--sample", "50")


# ---- nanomsg, by hand ----

HELLO = b"\0SP\0" + struct.pack(">HH", 80, 0)  # PUSH
PULL = b"\0SP\0" + struct.pack(">HH", 81, 0)


def exactly(stream, n):
    data = b""
    while len(data) < n:
        some = stream.recv(n - len(data))
        if not some:
            raise ConnectionError("the other end has gone")
        data += some
    return data


def address(instance):
    return f"{place.data}/nn/{instance.rsplit('-', 1)[0]}/{instance}"


def push(instance, *messages):
    """As a PUSH socket does; returns when the receiver has read all and closed the connection."""
    with socket.socket(socket.AF_UNIX) as stream:
        stream.connect(address(instance))
        stream.sendall(HELLO)
        assert exactly(stream, 8)[:4] == b"\0SP\0"
        for message in messages:
            stream.sendall(b"\1" + struct.pack(">Q", len(message)) + message)
        stream.shutdown(socket.SHUT_WR)
        stream.settimeout(time_out(15))
        try:
            assert stream.recv(1) == b"", "the receiver answers a PUSH socket"
        except ConnectionError:
            pass  # it has closed the connection


class Recorder:
    """Stands at an instance's address, keeps what comes and passes it on."""

    def __init__(self, instance):
        self.path, self.real, self.parcels = address(instance), address(instance) + "r", []
        os.rename(self.path, self.real)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        about = os.stat(self.real)  # open to the same
        os.chmod(self.path, about.st_mode & 0o777)
        os.chown(self.path, about.st_uid, about.st_gid)
        self.listener.listen(16)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                stream = self.listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=self.carry, args=(stream,), daemon=True).start()

    def carry(self, stream):
        with stream, socket.socket(socket.AF_UNIX) as onward:
            try:
                onward.connect(self.real)
                stream.sendall(PULL)
                onward.sendall(exactly(stream, 8))
                exactly(onward, 8)
                while True:
                    head = exactly(stream, 9)
                    parcel = exactly(stream, struct.unpack(">Q", head[1:])[0])
                    onward.sendall(head + parcel)
                    self.parcels.append(parcel)
            except OSError:
                pass

    def end(self):
        self.listener.close()
        os.unlink(self.path)
        os.rename(self.real, self.path)


def deposit():
    """A wallet's command, as the gateway sends it."""
    outside = field(1, 20) + field(2, os.urandom(16)) + field(3, os.urandom(16)) + field(4, 100000) + field(5, EUR) + field(7, b"nobody")
    return envelope() + field(2, person.id) + field(4, outside)


def shard():
    return int(place.sql(f"select shard from wallet.journal where player = {person.id} limit 1")[0][0])


# ---- tests ----

def test_without_keys_nothing_is_heard():
    plays_on()
    before, was = booked(), refused("wallet")
    command = field(11, field(1, 2) + field(2, shard()) + field(3, deposit()))
    plain = struct.pack("<I", len(command)) + command
    boots = {name: int(boot) for name, boot in place.sql("select name, boot from carillon.instance")}
    assert all(boot > 0 for boot in boots.values()), boots
    # Whoever reads carillon.instance knows all of a head; the key is missing.
    head = struct.pack("<BBHQQQQ", 1, 0, 1, boots["gateway-1"], boots["wallet-1"], 1 << 40, time.time_ns() // 1000) + os.urandom(16)
    push("wallet-1", b"", b"x", plain, os.urandom(300), head + plain + bytes(16), head + os.urandom(200))
    more("wallet", "malformed", 3, was)
    more("wallet", "forged", 2, was)
    for instance in ("spin-engine-1", "progressive-pool-1", "jackpot-cards-1", "payments-1", "gateway-1", "notifications-1"):
        push(instance, plain, os.urandom(300))
    assert booked() == before
    plays_on()


def test_a_recorded_parcel_is_worth_nothing():
    recorder = Recorder("wallet-1")
    try:
        place.kill("spin-engine-1")  # who starts connects to the recorder
        for _ in range(6):
            bet()
        eventually("proposals on their way", lambda: len(recorder.parcels) >= 6, 10)
    finally:
        recorder.end()
    before, was = booked(), refused("wallet")
    push("wallet-1", *recorder.parcels, *recorder.parcels)
    more("wallet", "replayed", len(recorder.parcels), was)  # of the second copies nobody can say that they were lost
    assert booked() == before
    # Again after the receiver's end, and after the sender's.
    for victim in ("wallet-1", "spin-engine-1"):
        place.kill(victim)
        bet()
        before, was = booked(), refused("wallet")
        push("wallet-1", *recorder.parcels)
        more("wallet", "receiver", len(recorder.parcels), was)
        assert booked() == before
    plays_on()


def test_a_service_says_only_what_it_may():
    before, was = booked(), refused("wallet")
    for sender in ("spin-engine", "payments", "notifications", "progressive-pool", "jackpot-cards", "wallet"):
        raw(place, "wallet.commands", deposit(), [shard()], sender)
    more("wallet", "forbidden", 6, was)
    was = refused("wallet")
    proposal = field(1, 1 << 20) + field(2, 1 << 20) + field(3, 1) + field(4, 2) + field(8, 10) + field(9, 5000) + field(15, os.urandom(16)) + field(16, b"x")
    award = field(1, 1) + field(2, 1) + field(3, POOL) + field(4, 100000) + field(5, EUR) + field(6, 1)
    raw(place, "wallet.commands", envelope() + field(2, person.id) + field(3, proposal), [shard()], "gateway")
    raw(place, "wallet.commands", envelope() + field(2, person.id) + field(5, award), [shard()], "gateway")
    more("wallet", "forbidden", 2, was)
    assert booked() == before
    # The same message is accepted from a service that may send it.
    raw(place, "wallet.commands", deposit(), [shard()], "gateway")
    eventually("the deposit", lambda: booked() != before, 10)
    plays_on()


def test_events_without_a_mac_go_nowhere():
    name = "carillon_events_refused_total"
    plays_on()
    was = {service: refused(service, name) for service in ("spin-engine", "progressive-pool", "notifications")}
    seq = int(place.sql(f"select max(seq) from wallet.journal where shard = {shard()}")[0][0])
    fact = envelope(seq + 1) + field(2, shard()) + field(3, person.id) + field(4, 20) + field(16, 9_000_000_000) + field(23, 1)
    feed = envelope(1 << 30) + field(2, POOL) + field(3, shard()) + field(4, field(1, 1) + field(2, 1 << 50))
    hit = envelope(1 << 30) + field(2, POOL) + field(3, field(1, 1 << 30) + field(2, field(4, 100) + field(5, EUR) + field(7, person.id)) + field(3, 9_000_000))
    winners = place.http("GET", "/v1/jackpots").json
    for topic, message in (("wallet.facts", fact), ("jackpot.feed", feed), ("jackpot.facts", hit)):
        for partition in range(4):
            # Without keys; and by the wallet's with another partition's message would be refused alike (test_event_mac.c).
            subprocess.run([f"{ROOT}/build/bin/kafka-raw", "send", topic, str(partition)], input=message.hex(), text=True, check=True, timeout=time_out(30),
                           env={**place.environment, **place.stack}, cwd=place.data)
    for service in was:
        more(service, "unsigned", 4, was[service], name)
    # A reader cannot write: its keys are not those of the topic's writer.
    done = subprocess.run([f"{ROOT}/build/bin/kafka-raw", "send", "wallet.facts", "0", "spin-engine"], input=fact.hex(), text=True, check=False, timeout=time_out(30),
                          env={**place.environment, **place.stack}, cwd=place.data, capture_output=True)
    assert done.returncode != 0 and "may not write" in done.stdout + done.stderr, done
    person.refresh()
    assert person.balance < 1_000_000_000
    assert {p["id"] for p in place.http("GET", "/v1/jackpots").json["pools"]} == {p["id"] for p in winners["pools"]}
    # The last message of each partition is forged: who starts now passes over it.
    for victim in ("spin-engine-1", "progressive-pool-1", "wallet-1"):
        place.kill(victim)
    plays_on()


def test_keys_change_under_play():
    def keys(*arguments):
        return place.script(f"{ROOT}/scripts/bus-keys.sh", *arguments).stdout

    def numbers():
        return set(re.findall(r"key (\d+) seals", keys("list")))

    before = {service: refused(service) for service in ("wallet", "spin-engine", "gateway")}
    assert numbers() == {"1"}
    players = place.players(players=20, think_time=100, seconds=60, coin_minor=1, lines=15, coins=10)
    start = players.settled()
    eventually("bets", lambda: players.settled() > start + 50, 20)
    keys("rotate", "5")
    assert numbers() == {"1", "2"}
    let_time_pass(8, "the other keys seal from five seconds on; then messages under the old ones are read")
    keys("drop")
    assert numbers() == {"2"}
    booked_before = players.settled()
    eventually("bets without the old keys", lambda: players.settled() > booked_before + 50, 20)
    players.finish()
    for service, was in before.items():
        now = refused(service)
        assert all(now.get(reason, 0) == was.get(reason, 0) for reason in ("no_key", "forged", "replayed", "forbidden")), (service, was, now)
    plays_on()


def test_a_folder_that_others_may_read_stops_a_service():
    place.deaths.allow("payments-1", [70], "it refuses its keys")
    place.hold("payments-1")
    try:
        os.chmod(f"{place.data}/keys/payments", 0o755)
        place.kill("payments-1")
        place.release("payments-1")
        eventually("the reason", lambda: "found mode 755, expected 700" in open(f"{place.data}/log/payments-1.log", encoding="utf-8").read(), 10)
    finally:
        os.chmod(f"{place.data}/keys/payments", 0o700)
    eventually("payments", lambda: place.status()["payments-1"][0] == "running", 10)


if __name__ == "__main__":
    with Installation("forger") as place:
        person = Person(place, deposit=100000)
        run(test_without_keys_nothing_is_heard, test_a_recorded_parcel_is_worth_nothing, test_a_service_says_only_what_it_may,
            test_events_without_a_mac_go_nowhere, test_keys_change_under_play, test_a_folder_that_others_may_read_stops_a_service)
