#!/usr/bin/env python3
"""Services that end in order (SIGTERM) under load, one of two of each: the other is told that the shards are free, takes them, and whoever waits for an answer
is told and asks there. Every request is answered, every client's record equals the ledger, and the ledger proves itself. Times are printed, never asserted."""
import signal
import time

from crash import SHARDED, answers, flowing, owners, spread
from lib_play import RULES, Person, force
from lib_stack import Installation, eventually, run

PLAYERS = {"players": 20, "think_time": 20, "seconds": 600, "coin_minor": 1, "lines": 15, "coins": 10}
ASKERS = ("gateway-1", "gateway-2", "spin-engine-1", "spin-engine-2")
INSTANCES = {f"{service}-{i}" for service in ("gateway", *SHARDED) for i in (1, 2)}
place = None


def told(name):
    """How often Postgres has told this instance that owners have changed."""
    return place.metric(name, "carillon_owners_told_total")


def whole():
    """Two instances of each service are there, and share the shards."""
    eventually("Postgres", lambda: answers(place), 30)
    eventually("all instances", lambda: INSTANCES <= {name for name, in place.sql(
        "select name from carillon.instance where heartbeat > now() - interval '2 s'")}, 30)
    for service in SHARDED:
        eventually(f"two instances of {service} sharing the shards", lambda s=service: spread(place, s, 2), 30)


def drain(name):
    """The instance ends for good; the others of its service hold all its shards after so many seconds, and all who ask it have been told."""
    service, number = name.rsplit("-", 1)
    other = f"{service}-{3 - int(number)}"
    whole()
    listeners = [listener for listener in {other, *ASKERS} if listener != name]
    before = {listener: told(listener) for listener in listeners}
    place.hold(name)
    began = place.kill(name, signal.SIGTERM)
    eventually(f"all shards of {service} with {other}", lambda: set(owners(place, service).values()) == {other} and len(owners(place, service)) == 4, 20, 0.005)
    took = time.monotonic() - began
    for listener in listeners:
        eventually(f"{listener} to be told", lambda who=listener: told(who) > before[who], 20)
    flowing(place)
    place.release(name)
    return took


def test_drained_services_are_passed_by():
    players = place.players(**PLAYERS)
    flowing(place)
    for service in SHARDED:
        took = [drain(f"{service}-{i}") for i in (1, 2)]
        print(f"measured: {service}: all shards with the other {', '.join(f'{1000 * t:.0f}' for t in took)} ms after SIGTERM", flush=True)
    whole()
    record = players.finish()
    print("measured: players", {k: v for k, v in record.items() if k not in ("timeline", "errors", "mismatches")})
    place.verify()


def test_request_is_carried_to_the_next_owner():
    """One bet after the other while the engine and the wallet of its player end: each is answered and booked once."""
    person = Person(place)
    force(place, person.name, *[RULES.stops()] * 2000)
    shard = place.sql(f"select shard from wallet.journal where player = {person.id} limit 1")[0][0]
    for service in ("wallet", "spin-engine"):
        whole()
        name = owners(place, service)[shard]
        place.hold(name)
        place.kill(name, signal.SIGTERM)
        longest, bets = 0, 0
        while bets < 20 or owners(place, service).get(shard) in (None, name):
            began = time.monotonic()
            person.through("/v1/rounds", person.bet_body(), key=f"{service}-{bets}")
            longest, bets = max(longest, time.monotonic() - began), bets + 1
        print(f"measured: {name} ends: {bets} bets, the longest answered after {1000 * longest:.0f} ms", flush=True)
        place.release(name)
    moves = place.sql(f"select move, count(*) from wallet.journal where player = {person.id} and kind = 2 group by move having count(*) > 1")
    rounds = int(place.sql(f"select count(*) from wallet.journal where player = {person.id} and kind = 2 and refusal = 0")[0][0])
    assert not moves and rounds == len(person.told), f"found {rounds} bets in the journal, {moves} more than once, expected {len(person.told)}"
    place.verify()


def test_told_again_after_postgres_died():
    """Who has lost the connection on which it is told listens on the next one."""
    before = place.restarts()
    place.kill("postgres")
    eventually("the sharded services to start again", lambda: all(place.restarts()[f"{s}-{i}"] > before[f"{s}-{i}"] for s in SHARDED for i in (1, 2)), 60)
    whole()
    players = place.players(first_player=2001, **PLAYERS)
    flowing(place)
    drain("wallet-1")
    drain("spin-engine-1")
    players.finish()
    place.verify()


if __name__ == "__main__":
    with Installation("drain", scale=2) as place:
        run(test_drained_services_are_passed_by, test_request_is_carried_to_the_next_owner, test_told_again_after_postgres_died)
