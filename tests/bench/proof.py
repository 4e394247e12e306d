#!/usr/bin/env python3
"""How many rounds `carillon-spin-engine --verify` replays in a second of one core, for each shipped game: decoder, keys, state machine, comparison and
verdicts, on moves that the bench plays before. Each figure is the median of several passes with its lowest and highest, by CPU time. Prints a table and
writes build/bench/proof.json. Nothing is asserted but that each row is in order; a goal that is missed is marked.

    proof.py [--passes=N] [--bets=N] [--short | --try]"""
import json
import os
import statistics
import subprocess

from lib_bench import ROOT, bench_options, result_write

GAMES = f"{ROOT}/services/spin-engine/games"
GOAL = 300000


def one(game, bets):
    done = subprocess.run([f"{ROOT}/build/bin/proof-bench", game, str(bets)], cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode != 0:
        raise SystemExit(f"proof-bench {game}: status {done.returncode}\n{done.stderr[-2000:]}")
    return json.loads(done.stdout)


def main():
    options = bench_options(__doc__, passes=(5, 2, 1), bets=(100000, 20000, 2000))
    passes, bets = options.passes, options.bets
    result = {"goal": GOAL, "bets": bets, "rounds_a_second": {}}
    print(f"{'game':16} {'rounds a second of one core':>30}")
    for game in sorted(os.listdir(GAMES)):
        if not os.path.exists(f"{GAMES}/{game}/definition.json"):
            continue
        rates = [line["rounds"] / line["cpu_s"] for line in (one(game, bets) for _ in range(passes))]
        median = statistics.median(rates)
        result["rounds_a_second"][game] = {"min": min(rates), "median": median, "max": max(rates)}
        print(f"{game:16} {median:12,.0f} ({min(rates):,.0f} to {max(rates):,.0f}){'' if median >= GOAL else f'   below the goal of {GOAL:,}'}")
    result_write(options, "proof", result)


if __name__ == "__main__":
    main()
