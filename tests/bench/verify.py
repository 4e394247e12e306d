#!/usr/bin/env python3
"""What a proof of the whole ledger costs: rounds are played over the bus until so many are booked, and then `jackpotctl ledger verify` proves all of them,
every draw replayed. Prints its time, rounds a second, memory and CPU by process, and what `--since-last` costs once it has a mark: for the rounds of a minute
of play, beside what those rounds themselves cost. Writes build/bench/verify.json. Nothing is asserted but that the ledger is in order.

    verify.py [--rounds=N] [--players=N] [--minute=SECONDS] [--short | --try]"""
import json
import os
import subprocess
import time

from e2e import bus
from lib_bench import bench_options, installation, result_write
from lib_spins import cpu_of_all
from lib_stack import BIN

PASS_S = 60  # of play; then the rounds are counted


def booked(place):
    """Rounds: what Postgres knows of closed and open days."""
    return int(place.sql("select count(*) from wallet.journal where kind = 2 and refusal = 0")[0][0])


def proof(place, *options):
    """Wall and CPU seconds, and the most memory that one of its processes had."""
    before, began = cpu_of_all(place), time.monotonic()
    child = subprocess.Popen([f"{BIN}/jackpotctl", "ledger", "verify", "--json", *options], cwd=place.data, env={**place.environment, **place.stack},
                             stdout=subprocess.PIPE, text=True)
    said = child.stdout.read()
    _, status, used = os.wait4(child.pid, 0)
    wall = time.monotonic() - began
    after = cpu_of_all(place)
    if status != 0:
        raise SystemExit(f"ledger verify: status {status}\n{said[:3000]}")
    replay = json.loads(said)["replay"]
    return {"rounds": replay["rounds"], "wall_s": wall, "own_cpu_s": used.ru_utime + used.ru_stime, "memory_kb": used.ru_maxrss,
            "postgres_cpu_s": after["postgres"] - before["postgres"]}


def told(name, one):
    rounds, cpu = one["rounds"], one["own_cpu_s"] + one["postgres_cpu_s"]
    print(f"{name:<24} {rounds:>10,} rounds in {one['wall_s']:>7.1f} s: {rounds / one['wall_s']:>9,.0f} a second; CPU {one['own_cpu_s']:.1f} s and Postgres "
          f"{one['postgres_cpu_s']:.1f} s, {1e6 * cpu / max(rounds, 1):.1f} us a round; at most {one['memory_kb'] / 1024:.0f} MB a process", flush=True)


def main():
    options = bench_options(__doc__, rounds=(10000000, 200000, 100), players=(4000, 4000, 100), minute=(60, 10, 1))
    with installation(options, "bench-verify") as place:
        rounds, play = 0, None
        while rounds < options.rounds:
            play = bus(place, min(PASS_S, options.minute), options.players)
            rounds = booked(place)
            print(f"played: {rounds:,} of {options.rounds:,} rounds, {play['rounds_per_s']:,.0f} a second", flush=True)
        place.verify(60, "--sample", "1")  # awards on their way are paid
        whole = proof(place)
        told("all", whole)
        first = proof(place, "--since-last")
        told("--since-last, the first", first)
        play = bus(place, options.minute, options.players)
        place.verify(60, "--sample", "1")
        part = proof(place, "--since-last")
        told("--since-last, a minute", part)
        play_us = sum(play["cpu_us"].values())
        share = (part["own_cpu_s"] + part["postgres_cpu_s"]) * 1e6 / max(part["rounds"], 1) / play_us
        print(f"a round costs {play_us:.0f} us of CPU over the bus; its proof {100 * share:.1f} % of that (goal 3)")
        result_write(options, "verify", {"whole": whole, "first": first, "since_last": part, "play_cpu_us": play_us, "share": share, "players": options.players})


if __name__ == "__main__":
    main()
