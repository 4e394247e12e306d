#!/usr/bin/env python3
"""Kafka away for a minute at a fixed rate of bets, on a whole stack, once with its data kept and once with it deleted: latencies before, meanwhile and
afterwards, refusals, how soon a jackpot is paid, and how long Kafka and the clients take to catch up. Each player's record is compared with the ledger,
each jackpot with the news, and the ledger is proven. Prints a table and writes build/bench/outage.json.

    outage.py [--rate=N] [--players=N] [--seconds=N] [--short | --try]"""
from lib_bench import bench_options, installation, result_write
from lib_outage import Outage, shown
from lib_play import Person


def outage(place, options, kafka, emptied):
    person = Person(place, deposit=100000)
    before = shown(kafka.crowd(options.seconds // 2).finish(stop=False, timeout=300))
    kafka.stop_kafka()
    players = kafka.crowd(options.seconds)
    paid = [kafka.hit_is_paid(person) for _ in range(3)]
    during = shown(players.finish(stop=False, timeout=300))
    # Bets go on while Kafka catches up.
    players = kafka.crowd(options.seconds // 2)
    answered = kafka.start_kafka(emptied)
    caught_up = kafka.caught_up(playing=True)
    after = shown(players.finish(stop=False, timeout=300))
    return {"before": before, "during": during, "after": after, "hit_paid_s": paid, "kafka_answers_s": answered, "caught_up_s": caught_up}


def table(name, row):
    print(f"{name}:        bets   refused   jackpots     p50       p99   asked again")
    for part in ("before", "during", "after"):
        of = row[part]
        print(f"  {part:<10} {of['rounds_settled']:>9} {of['rounds_refused']:>9} {of['jackpot_hits']:>10} {of['p50_ms']:>7.1f} ms {of['p99_ms']:>6.1f} ms {of['retries']:>8}")
    print(f"  a jackpot is paid after {max(row['hit_paid_s']):.2f} s; Kafka answers after {row['kafka_answers_s']:.1f} s; caught up {row['caught_up_s']:.1f} s later", flush=True)


def main():
    options = bench_options(__doc__, rate=(1000, 300, 100), players=(200, 200, 50), seconds=(60, 10, 4), warm_up=(5, 5, 1))
    result = {"rate": options.rate, "players": options.players, "seconds": options.seconds}
    with installation(options, "outage", kind="test", may_end=("kafka",)) as place:
        kafka = Outage(place, options.players, options.rate)
        kafka.crowd(options.warm_up).finish(stop=False)  # warms up
        for name, emptied in (("kept", False), ("emptied", True)):
            result[name] = outage(place, options, kafka, emptied)
            table(f"Kafka's data {name}", result[name])
        proof = place.verify(60)
        result["ledger"] = {k: proof[k] for k in ("ledger_ok", "pools_ok", "rows", "hits")}
    print(f"ledger: {result['ledger']}")
    result_write(options, "outage", result)


if __name__ == "__main__":
    main()
