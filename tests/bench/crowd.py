#!/usr/bin/env python3
"""Ten thousand players who are connected at the same time, each with a bet every five seconds, on an installation of its own: how long until all are in, how
long the longest pause without a settled round was, and what a bet took. Prints the figures and writes build/bench/crowd.json. What the players were told is
compared with the ledger, as always; times are not asserted.

    crowd.py [--players=N] [--every=SECONDS] [--seconds=N] [--short]"""
import argparse
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
from lib_stack import ROOT, Installation  # noqa: E402

KEPT = ("entered", "entered_ms", "rounds_settled", "rounds_per_s", "p50_ms", "p99_ms", "max_gap_ms", "retries", "unanswered", "conflicts", "rounds_compared",
        "client_cpu_share", "client_cpu_us", "seconds")


def measure(options):
    crowd = Installation("crowd", kind="demo")
    crowd.environment["CARILLON_CROWD"] = str(options.players)
    with crowd as place:
        players = place.players(players=options.players, seconds=options.seconds, rate=max(options.players // options.every, 1), timeout=10000, subscribers=1)
        record = players.finish(stop=False, timeout=options.seconds + 300)
        proof = place.verify(60, "--sample", "200")
    return {**{name: record[name] for name in KEPT}, "players": options.players, "every_s": options.every, "ledger_ok": proof["ledger_ok"], "pools_ok": proof["pools_ok"]}


def table(result):
    print(f"players connected          {result['entered']:>10} of {result['players']}, the last one in after {result['entered_ms'] / 1000:.1f} s (goal 10)")
    print(f"a bet each {result['every_s']} s             {result['rounds_per_s']:>10.0f} rounds/s for {result['seconds']:.0f} s, p50 {result['p50_ms']:.1f} ms, p99 {result['p99_ms']:.1f} ms")
    print(f"longest pause              {result['max_gap_ms']:>10} ms without a settled round")
    print(f"asked again                {result['retries']:>10}, {result['unanswered']} without an answer in time")
    print(f"the players took           {100 * result['client_cpu_share']:>10.1f} % of the machine, {result['client_cpu_us']:.0f} us a round")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", type=int, default=10000)
    parser.add_argument("--every", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=300)
    parser.add_argument("--short", action="store_true", help="2,000 players for 20 s")
    options = parser.parse_args()
    if options.short:
        options.players, options.seconds = 2000, 20
    result = measure(options)
    table(result)
    os.makedirs(f"{ROOT}/build/bench", exist_ok=True)
    with open(f"{ROOT}/build/bench/crowd.json", "w", encoding="utf-8") as file:
        json.dump(result, file, indent=1)
        file.write("\n")
    print("written: build/bench/crowd.json")


if __name__ == "__main__":
    main()
