#!/usr/bin/env python3
"""Play outlives Kafka. First an installation without any (KAFKA=none); then the same one with Kafka, which is stopped under a fixed rate of bets: nobody is
refused, hits are paid, every service starts anew meanwhile, counters and news say that they are old; afterwards the ledger, the pools, each player's
record and the news of each winner agree, and Kafka has every fact. Then again with Kafka's data deleted. With CARILLON_TEST_LONG each outage lasts 60 s.
Rates and times are printed, never asserted; `make bench BENCH=outage` measures them at 1,000 bets a second."""
import os
import urllib.request

from lib_outage import Outage, shown
from lib_play import Person
from lib_stack import ROOT, Installation, eventually, run

AWAY_S = 60 if "CARILLON_TEST_LONG" in os.environ else 6
RESTARTED = ("spin-engine-1", "wallet-1", "progressive-pool-1", "jackpot-cards-1", "payments-1", "notifications-1", "gateway-1")
place = None
kafka = None


def test_play_without_any_kafka():
    assert place.stack["CARILLON_KAFKA"] == "none" and "kafka" not in place.status("stack"), place.status("stack")
    players = kafka.crowd(4)
    print(f"measured: without Kafka a hit is paid after {kafka.hit_is_paid(Person(place, deposit=10000)):.2f} s", flush=True)
    print("measured: without Kafka", shown(players.finish(stop=False)))
    eventually("the pool to hear of stakes", lambda: kafka.pool_t() > 0, 20)
    eventually("the events to be late", kafka.events_are_late, 20)
    place.verify()


def test_the_same_installation_goes_on_with_kafka():
    place.script(f"{ROOT}/scripts/run.sh", "--stop")
    del place.environment["KAFKA"]
    place.start()
    assert place.stack["CARILLON_KAFKA"] != "none"
    print("measured: with Kafka", shown(kafka.crowd(3).finish(stop=False)), f"all in Kafka and told {kafka.caught_up():.1f} s later")


def outage():
    person = Person(place, deposit=10000)
    kafka.stop_kafka()
    mark, counted = place.sql("select clock_timestamp()")[0][0], kafka.pool_t()
    players = kafka.crowd(AWAY_S)
    took = kafka.hit_is_paid(person)
    during = players.finish(stop=False)
    print(f"measured: while Kafka is away {shown(during)}, a hit paid after {took:.2f} s", flush=True)
    assert during["rounds_refused"] == 0, shown(during)
    booked = int(place.sql(f"select count(*) from wallet.journal where time > '{mark}' and kind = 2")[0][0])
    assert booked >= during["rounds_settled"] > 0, (booked, shown(during))
    eventually("the pool to hear of stakes", lambda: kafka.pool_t() > counted, 20)

    def events_alone():
        """A busy machine may hold up the rest, too, but not for long: of what Kafka carries the age only grows."""
        ages = (kafka.events_are_late() or {}).get("age_ms")
        return ages and ages["jackpots"] < 5000 and ages["winners"] < 5000
    eventually("the events alone to be late", events_alone, 20)


def back(emptied):
    answered = kafka.start_kafka(emptied)
    print(f"measured: Kafka answers {answered:.1f} s after its start; all facts in it and all events told {kafka.caught_up():.1f} s later", flush=True)
    print("measured: after", shown(kafka.crowd(3).finish(stop=False)))
    place.verify()


def test_an_outage_and_every_service_starts_anew():
    outage()
    players = kafka.crowd(600, rate=0, think_time=100)
    for name in RESTARTED:
        eventually("bets", lambda: players.live().get("settled", 0) > 0, 20)
        place.kill(name)
        eventually(f"{name} to be ready", lambda n=name: ready(n), 20)
        settled = players.live().get("settled", 0)
        eventually(f"bets after the start of {name}", lambda s=settled: players.live().get("settled", 0) > s + 50, 20)
    print(f"measured: every service started anew, a hit is paid after {kafka.hit_is_paid(Person(place, deposit=10000)):.2f} s", flush=True)
    players.finish()
    back(False)


def ready(name):
    rows = place.sql(f"select health from carillon.instance where name = '{name}' and pid = {place.pid(name)} and heartbeat > now() - interval '2 s'")
    if not rows:
        return False
    with urllib.request.urlopen(f"http://{rows[0][0]}/readyz", timeout=2) as answer:
        return answer.status == 200


def test_an_outage_that_empties_kafka():
    outage()
    back(True)


def main():
    global place, kafka
    place = Installation("outage")
    place.environment["KAFKA"] = "none"
    kafka = Outage(place, players=30, rate=100)
    with place:
        run(test_play_without_any_kafka, test_the_same_installation_goes_on_with_kafka, test_an_outage_and_every_service_starts_anew,
            test_an_outage_that_empties_kafka)


if __name__ == "__main__":
    main()
