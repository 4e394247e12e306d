#!/usr/bin/env python3
"""Rounds a second over the bus and spins a second through HTTP, on an installation of its own, beside pgbench's TPC-B with 8 clients on a Postgres of the
same settings; CPU microseconds a round by process. Each turn measures all of them one after the other, and a figure is the median of the turns: a neighbour
on the machine disturbs all alike. Prints a table and writes build/bench/e2e.json. Nothing is asserted.

What goes through HTTP is counted while all players play: not their coming, nor the comparing with the ledger at the end.

A broker that has just begun spends its first minute on compiling itself: that is measured too, as "fresh", and then the broker is kept busy until it is warm.

    e2e.py [--turns=N] [--seconds=N] [--warm-up=N] [--bus-players=N] [--short | --try]

In build/bench/e2e.json:
    ratio, http_ratio           rounds a second over the bus, and through HTTP as fast as answers come (200 players), for each transaction a second of TPC-B
    http_ratio_1000             the same of 1,000 players
    p50_ms, p99_ms              through HTTP at 1,000 spins a second
    half_p50_ms, half_p99_ms    at half of what HTTP gave as fast as it could
    cpu_us_spin                 CPU microseconds of all servers and services for a spin at 1,000 a second; the players' own are client_cpu_us_spin
    client_cpu_share            of the machine's processors, what the players took at the highest rate"""
import json
import statistics
import subprocess

from lib_bench import bench_options, installation, result_write
from lib_database import PG_BIN, tpc_b
from lib_spins import cpu_a_round, cpu_of_all, http
from lib_stack import BIN, PSQL


def pgbench(place, seconds):
    admin, dsn = place.stack["CARILLON_PG_ADMIN_DSN"], place.stack["CARILLON_PG_DSN"].replace("dbname=carillon", "dbname=pgbench")
    subprocess.run([PSQL, "-d", admin, "-Xqc", "create database pgbench owner carillon"], check=True)
    subprocess.run([f"{PG_BIN}/pgbench", "-i", "-s", "10", "-q", dsn], check=True, capture_output=True)
    tps = tpc_b(dsn, seconds)
    subprocess.run([PSQL, "-d", admin, "-Xqc", "drop database pgbench"], check=True)
    return tps


def bus(place, seconds, players):
    process = subprocess.Popen([f"{BIN}/bus-bench", f"--pg={place.stack['CARILLON_PG_DSN']}", f"--players={players}", f"--seconds={seconds}",
                                f"--shards={place.stack['CARILLON_SHARDS']}"], cwd=place.data, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    before = after = {}
    noise = []
    for line in process.stderr:
        if line.strip() == "measuring":
            before = cpu_of_all(place)
        elif line.strip() == "measured":
            after = cpu_of_all(place)
        else:
            noise.append(line)
    out = process.stdout.read()
    if process.wait() != 0:
        raise SystemExit("bus-bench failed:\n" + "".join(noise[-20:]))
    result = json.loads(out)
    result["cpu_us"] = cpu_a_round(before, after, result["settled"])
    return result


def table(result):
    fresh = result["fresh"]
    print(f"medians of {result['turns']} turns of {result['seconds']} s each")
    print(f"pgbench TPC-B, 8 clients        {result['pgbench_tps']:>10.0f} transactions/s ({', '.join(f'{tps:.0f}' for tps in result['pgbench_all'])})")
    print(f"over the bus                    {result['rounds_per_s']:>10.0f} rounds/s, p50 {result['bus_p50_ms']:.1f} ms, p99 {result['bus_p99_ms']:.1f} ms, ratio {result['ratio']:.2f} (goal 12)")
    print(f"  with a fresh broker           {fresh['rounds_per_s']:>10.0f} rounds/s, ratio {fresh['ratio']:.2f}, of its CPU {fresh['kafka_us']:.1f} us a round")
    print(f"through HTTP, as fast as it can {result['http_spins_per_s']:>10.0f} spins/s, p50 {result['http_max_p50_ms']:.1f} ms, p99 {result['http_max_p99_ms']:.1f} ms, ratio {result['http_ratio']:.2f} (goal 3.5)")
    print(f"  with 1,000 players            {result['http_1000_players_spins_per_s']:>10.0f} spins/s, ratio {result['http_ratio_1000']:.2f} (goal 5)")
    print(f"  at half of that               {result['half_spins_per_s']:>10.0f} spins/s, p50 {result['half_p50_ms']:.1f} ms (goal 8), p99 {result['half_p99_ms']:.1f} ms (goal 40)")
    print(f"  1,000/s asked                 {result['http_1000_spins_per_s']:>10.0f} spins/s, p50 {result['p50_ms']:.1f} ms (goal 3), p99 {result['p99_ms']:.1f} ms (goal 15), {result['cpu_us_spin']:.0f} us of CPU a spin (goal 800)")
    print(f"  of the machine for the players    {100 * result['client_cpu_share']:>5.1f} % at the highest rate (goal 10), {result['client_cpu_us_spin']:.0f} us a spin at 1,000/s")
    print("CPU microseconds a round         over the bus    through HTTP at 1,000/s")
    for name in sorted(result["cpu_us_bus"], key=lambda n: -result["cpu_us_bus"][n]):
        print(f"  {name:<28} {result['cpu_us_bus'][name]:>10.1f} {result['cpu_us_http'].get(name, 0):>15.1f}")


def median(rows, *names):
    """Of a figure of all turns; by process where the figure is a dictionary."""
    for name in names:
        rows = [row[name] for row in rows]
    if isinstance(rows[0], dict):
        return {name: round(statistics.median(row.get(name, 0) for row in rows), 1) for name in rows[0]}
    return statistics.median(rows)


def turn(place, options, tps):
    """tps: the TPC-B before. What stands between two of them is compared with the mean of both."""
    over_bus = bus(place, options.seconds, options.bus_players)
    between = pgbench(place, options.seconds)
    most = http(place, options.seconds, 0)
    many = http(place, options.seconds, 0, 1000)
    after = pgbench(place, options.seconds)
    calm = http(place, options.seconds, 1000)
    half = http(place, options.seconds, max(int(most["rounds_per_s"] / 2), 1))
    return {"tps": [between, after], "bus": over_bus, "most": most, "many": many, "calm": calm, "half": half, "ratio": 2 * over_bus["rounds_per_s"] / (tps + between),
            "http_ratio": 2 * most["rounds_per_s"] / (between + after), "http_ratio_1000": 2 * many["rounds_per_s"] / (between + after)}


def measure(place, options):
    first = pgbench(place, options.seconds)
    fresh = bus(place, options.seconds, options.bus_players)
    if options.warm_up:
        bus(place, options.warm_up, options.bus_players)
        http(place, options.warm_up // 2 or 1, 1000)
    tps = [first, pgbench(place, options.seconds)]
    turns = []
    for _ in range(options.turns):
        turns.append(turn(place, options, tps[-1]))
        tps += turns[-1]["tps"]
        print(f"turn {len(turns)}: TPC-B {tps[-2]:.0f}, over the bus {turns[-1]['bus']['rounds_per_s']:.0f}, through HTTP {turns[-1]['most']['rounds_per_s']:.0f}", flush=True)
    return {"ratio": median(turns, "ratio"), "http_ratio": median(turns, "http_ratio"), "http_ratio_1000": median(turns, "http_ratio_1000"),
            "http_1000_players_spins_per_s": median(turns, "many", "rounds_per_s"),
            "p50_ms": median(turns, "calm", "p50_ms"), "p99_ms": median(turns, "calm", "p99_ms"),
            "half_p50_ms": median(turns, "half", "p50_ms"), "half_p99_ms": median(turns, "half", "p99_ms"), "half_spins_per_s": median(turns, "half", "rounds_per_s"),
            "cpu_us_spin": round(statistics.median(sum(t["calm"]["cpu_us"].values()) for t in turns), 1), "client_cpu_us_spin": median(turns, "calm", "client_cpu_us"),
            "client_cpu_share": median(turns, "most", "client_cpu_share"),
            "rounds_per_s": median(turns, "bus", "rounds_per_s"), "http_spins_per_s": median(turns, "most", "rounds_per_s"),
            "bus_p50_ms": median(turns, "bus", "p50_ms"), "bus_p99_ms": median(turns, "bus", "p99_ms"),
            "http_1000_spins_per_s": median(turns, "calm", "rounds_per_s"), "http_max_p50_ms": median(turns, "most", "p50_ms"), "http_max_p99_ms": median(turns, "most", "p99_ms"),
            "pgbench_tps": statistics.median(tps), "pgbench_all": tps, "turns": options.turns, "seconds": options.seconds,
            "fresh": {"rounds_per_s": fresh["rounds_per_s"], "ratio": 2 * fresh["rounds_per_s"] / (tps[0] + tps[1]), "kafka_us": fresh["cpu_us"]["kafka"]},
            "cpu_us_bus": median(turns, "bus", "cpu_us"), "cpu_us_http": median(turns, "calm", "cpu_us"), "all": turns}


def main():
    options = bench_options(__doc__, turns=(5, 1, 1), seconds=(8, 4, 1), warm_up=(40, 6, 0), bus_players=(4000, 4000, 200))
    print(f"about {options.turns * (8 * options.seconds + 60) + 2 * options.warm_up + 60} s", flush=True)
    with installation(options, "bench") as place:
        result = measure(place, options)
        table(result)
        result_write(options, "e2e", result)
        place.verify(60, "--sample", "200")  # millions of rounds: all of them would be replayed for minutes
    print("the ledger is in order")


if __name__ == "__main__":
    main()
