#!/usr/bin/env python3
"""How many rounds `carillon-spin-engine --verify` replays in a second of one core, for each shipped game: decoder, keys, state machine, comparison and
verdicts, on moves that the bench plays before. Each figure is the median of several passes with its lowest and highest, by CPU time. Prints a table and
writes build/bench/proof.json. Nothing is asserted but that each row is in order; a goal that is missed is marked.

    proof.py [--passes=N] [--short]"""
import argparse
import json
import os
import statistics
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GAMES = f"{ROOT}/services/spin-engine/games"
GOAL = 300000


def one(game, bets):
    done = subprocess.run([f"{ROOT}/build/bin/proof-bench", game, str(bets)], cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode != 0:
        raise SystemExit(f"proof-bench {game}: status {done.returncode}\n{done.stderr[-2000:]}")
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passes", type=int, default=5)
    parser.add_argument("--short", action="store_true")
    options = parser.parse_args()
    passes, bets = (2, 20000) if options.short else (options.passes, 100000)
    result = {"goal": GOAL, "bets": bets, "rounds_a_second": {}}
    print(f"{'game':16} {'rounds a second of one core':>30}")
    for game in sorted(os.listdir(GAMES)):
        if not os.path.exists(f"{GAMES}/{game}/definition.json"):
            continue
        rates = [line["rounds"] / line["cpu_s"] for line in (one(game, bets) for _ in range(passes))]
        median = statistics.median(rates)
        result["rounds_a_second"][game] = {"min": min(rates), "median": median, "max": max(rates)}
        print(f"{game:16} {median:12,.0f} ({min(rates):,.0f} to {max(rates):,.0f}){'' if median >= GOAL else f'   below the goal of {GOAL:,}'}")
    os.makedirs(f"{ROOT}/build/bench", exist_ok=True)
    with open(f"{ROOT}/build/bench/proof.json", "w", encoding="utf-8") as file:
        json.dump(result, file, indent=1)


if __name__ == "__main__":
    main()
