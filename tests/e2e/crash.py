#!/usr/bin/env python3
"""kill -9 under load: each service, Kafka, Postgres; Redis flushed; each instance of two taken over by the other, a third joining. After each, every
client's record equals the ledger and the ledger proves itself. Times from the kill to the next booked round are printed, never asserted. With
CARILLON_TEST_LONG set (`make test-long`) services and servers are killed twice. And a process that dies by a fault of its own leaves its calls in the
log."""
import itertools
import os
import re
import signal
import statistics
import time

from lib_frames import deaths, frames_named
from lib_stack import Installation, eventually, read_text, run

SERVICES = ("gateway-1", "spin-engine-1", "wallet-1", "progressive-pool-1", "jackpot-cards-1", "notifications-1")
# The maximum bet at the smallest coin: the demo definition's jackpots are most frequent there, so that hits are among what is killed.
PLAYERS = {"players": 20, "think_time": 100, "seconds": 600, "coin_minor": 1, "lines": 15, "coins": 10}
TIMES_EACH = 2 if "CARILLON_TEST_LONG" in os.environ else 1
place = None


def every_shard_after(place, mark):
    """Seconds from the mark until each shard has booked a bet again; None while one has not. Rounds already on their way when the process died may still
    be booked in the first moments, so that the measure begins a little later and asks for all shards, not for any."""
    rows = place.sql(f"""select count(*), max(first) from (select shard, extract(epoch from min(time)) - {mark} as first from wallet.journal
                         where kind = 2 and refusal = 0 and time > to_timestamp({mark + 0.03}) group by shard) s""")
    return float(rows[0][1]) if rows[0][0] == place.stack["CARILLON_SHARDS"] else None


def answers(place):
    try:
        place.sql("select 1")
        return True
    except AssertionError:
        return False


def flowing(place):
    eventually("rounds being booked", lambda: answers(place) and int(place.sql(
        "select count(*) from wallet.journal where kind = 2 and refusal = 0 and time > now() - interval '1 s'")[0][0]) > 5, 60)


def kill_and_measure(place, name):
    flowing(place)
    eventually(f"{name} to run", lambda: place.running(name), 20)  # play goes on without some that were just killed
    mark = time.time()
    place.kill(name)
    return eventually(f"a round of every shard after the kill of {name}", lambda: answers(place) and every_shard_after(place, mark), 60)


def report(what, seconds):
    print(f"measured: {what}: play whole again after {statistics.median(seconds):.2f} s median, {max(seconds):.2f} s worst of {len(seconds)}", flush=True)


firsts = itertools.count(1, 1000)


def players_join():
    return place.players(first_player=next(firsts), **PLAYERS)


def test_kill_each_service_under_load():
    players = players_join()
    for name in SERVICES:
        report(f"kill -9 of {name}", [kill_and_measure(place, name) for _ in range(TIMES_EACH)])
    flowing(place)
    print("measured: players", {k: v for k, v in players.finish().items() if k not in ("timeline", "errors", "mismatches")})
    place.verify()


def test_kill_each_server_under_load():
    players = players_join()
    for name in ("kafka", "postgres"):
        report(f"kill -9 of {name}", [kill_and_measure(place, name) for _ in range(TIMES_EACH)])
    flowing(place)
    place.redis("flushall")
    eventually("counters rebuilt in Redis", lambda: place.redis("keys", "carillon:counters:*").strip(), 20)
    report("kill -9 of redis", [kill_and_measure(place, "redis")])
    flowing(place)
    players.finish()
    place.verify()


def owners(place, service):
    return dict((shard, owner) for shard, owner in place.sql(
        f"select shard, owner from carillon.shard where service = '{service}' and lease_until > now()"))


def spread(place, service, instances):
    """Every shard has an owner, and every instance holds its share."""
    held = owners(place, service)
    counts = [list(held.values()).count(f"{service}-{i}") for i in range(1, instances + 1)]
    most = -(-len(held) // instances)
    return len(held) == 4 and max(counts) <= most and sum(1 for c in counts if c) >= min(instances, 2) and counts


SHARDED = ("wallet", "spin-engine", "progressive-pool", "jackpot-cards")


def take_over(place, name):
    """Kills an instance for good; seconds until play is whole again, and until the other holds all shards of a sharded service."""
    service = name.rsplit("-", 1)[0]
    if service in SHARDED:
        eventually(f"two instances of {service} sharing the shards", lambda: spread(place, service, 2), 20)
    place.hold(name)
    began = time.monotonic()
    whole = kill_and_measure(place, name)
    if service in SHARDED:
        eventually(f"all shards of {service} with the other", lambda: len(owners(place, service)) == 4 and name not in owners(place, service).values(), 20)
        print(f"measured: {name} killed for good: all its shards with the other after {time.monotonic() - began:.2f} s", flush=True)
    place.release(name)
    return whole


def test_takeover_by_another_instance():
    place.start(scale=2)
    players = players_join()
    for service in SHARDED:
        report(f"takeover of {service}", [take_over(place, f"{service}-{i}") for i in (1, 2)])
    for name in ("gateway-2", "notifications-1"):
        report(f"takeover from {name}", [take_over(place, name)])
    place.start(scale=3)  # a third of each joins under load
    for service in ("wallet", "spin-engine"):
        eventually(f"three instances of {service} sharing the shards", lambda s=service: spread(place, s, 3), 30)
    flowing(place)
    players.finish()
    place.verify()


HANGS = ("spin-engine-1", "wallet-1", "progressive-pool-1", "jackpot-cards-1", "payments-1")


def test_a_frozen_postgres_ends_who_waits_for_it():
    """A service that holds shards does not wait for ever: it ends, starts again, and goes on when Postgres does."""
    eventually("all to run", lambda: all(place.pid(name) for name in HANGS), 20)
    before = {name: place.pid(name) for name in HANGS}
    with place.frozen_postgres():
        eventually("the end of those who wait", lambda: all(place.pid(name) != before[name] for name in HANGS), 20)
    for name in HANGS:
        assert re.search(r"^not back after (4|10) s of (a turn|taking shards): the process ends$", read_text(f"{place.data}/log/{name}.log"), re.M), name
    players = players_join()
    mark = time.time()
    eventually("a round of every shard after it", lambda: answers(place) and every_shard_after(place, mark), 60)
    flowing(place)
    players.finish()
    place.verify()


def test_a_crash_leaves_its_calls_in_the_log():
    for name, call in (("wallet-1", " service_main at service.c:"), ("gateway-1", " main at main.c:")):
        before = eventually(f"{name} to run", lambda n=name: place.pid(n), 20)
        place.kill(name, signal.SIGSEGV)
        eventually(f"{name} to be started again", lambda n=name, b=before: place.pid(n) not in (0, b), 20)
        log = read_text(f"{place.data}/log/{name}.log")
        assert deaths(log) == [("SIGSEGV", f"carillon-{name[:-2]}"[:15])], deaths(log)
        assert call in frames_named(log), frames_named(log)[-3000:]


if __name__ == "__main__":
    with Installation("crash") as place:
        try:
            run(test_kill_each_service_under_load, test_kill_each_server_under_load, test_takeover_by_another_instance,
                test_a_frozen_postgres_ends_who_waits_for_it, test_a_crash_leaves_its_calls_in_the_log)
        except SystemExit as status:
            if status.code:
                raise
