#!/usr/bin/env python3
"""Where a spin's time goes: CPU microseconds a spin at a steady rate through HTTP, by process, by thread and by Postgres' backend, with the switches between
threads (each is a wake-up that somebody waited for), and what the services count: turns, commits, parcels, messages, requests; Postgres' transactions and
WAL. These hardly depend on who else uses the machine, so they are what to look at before latencies. Prints tables and writes build/bench/profile.json.

    profile.py [--rate=N] [--players=N] [--seconds=N] [--warm-up=N] [--short | --try]"""
import json
import os
import re
import time
import urllib.request

from lib_bench import bench_options, installation, result_write
from lib_spins import settled_at
from lib_stack import read_text

TICKS = os.sysconf("SC_CLK_TCK")


def thread(pid, tid):
    """Name, CPU seconds by the scheduler's clock, and times that it was put aside."""
    place = f"/proc/{pid}/task/{tid}"
    switches = sum(int(n) for n in re.findall(r"ctxt_switches:\s+(\d+)", read_text(f"{place}/status")))
    return read_text(f"{place}/comm").strip(), int(read_text(f"{place}/schedstat").split()[0]) / 1e9, switches


def processes(place):
    """name -> pids; Postgres' by what their client is called."""
    found = {name: [row[1]] for which in ("supervisor", "stack") for name, row in place.status(which).items() if row[0] == "running" and name != "postgres"}
    found["postgres: itself"] = [place.pid("postgres")]
    for pid, name in place.sql("select pid, coalesce(nullif(application_name, ''), backend_type) from pg_stat_activity where pid <> pg_backend_pid()"):
        found.setdefault(f"postgres: {re.sub(r'-[0-9]+$', '', name)}", []).append(int(pid))
    return found


def snapshot(place, found):
    threads = {}
    for name, pids in found.items():
        for pid in pids:
            try:
                for tid in os.listdir(f"/proc/{pid}/task"):
                    threads[(name, pid, tid)] = thread(pid, tid)
            except (OSError, IndexError):
                pass
    counters = {}
    for name, address in place.sql("select name, health from carillon.instance"):
        with urllib.request.urlopen(f"http://{address}/metrics", timeout=5) as answer:
            for key, value in re.findall(r"^(\w+(?:\{[^}]*\})?) (\d+)$", answer.read().decode(), re.M):
                if "_total" in key or key.endswith("_count"):
                    counters[(re.sub(r"-[0-9]+$", "", name), key)] = counters.get((re.sub(r"-[0-9]+$", "", name), key), 0) + int(value)
    for key, value in zip(("commits", "rows read", "rows written"), place.sql(
            "select xact_commit, tup_fetched + tup_returned, tup_inserted + tup_updated from pg_stat_database where datname = current_database()")[0]):
        counters[("postgres", key)] = int(value)
    for key, value in zip(("WAL records", "WAL bytes", "WAL syncs"), place.sql("select wal_records, wal_bytes, wal_sync from pg_stat_wal")[0]):
        counters[("postgres", key)] = int(value)
    return threads, counters


def play(place, options, seconds):
    return place.players(players=options.players, seconds=seconds, warm_up=options.warm_up, rate=options.rate, game="bewitched", gamble=0, subscribers=1)


def measure(place, options):
    players = play(place, options, options.warm_up + options.seconds + 4)
    time.sleep(options.warm_up)
    found = processes(place)
    before, began = snapshot(place, found), time.time()
    time.sleep(options.seconds)
    after, ended = snapshot(place, found), time.time()
    record = players.finish(stop=False, timeout=120)
    rounds, took = settled_at(record, ended) - settled_at(record, began), ended - began
    rows = {}
    for (name, pid, tid), (comm, cpu, switches) in after[0].items():
        old = before[0].get((name, pid, tid), (comm, 0, 0))
        label = re.sub(r"-[0-9]+$", "", name)
        row = rows.setdefault(label, {}).setdefault("it" if name.startswith("postgres") else comm, [0, 0])
        row[0] += 1e6 * (cpu - old[1]) / rounds
        row[1] += (switches - old[2]) / rounds
    counted = {key: (value - before[1].get(key, 0)) / rounds for key, value in after[1].items()}
    return {"rounds_per_s": rounds / took, "p50_ms": record["p50_ms"], "p99_ms": record["p99_ms"], "client_cpu_us": record["client_cpu_us"],
            "cpu_us_spin": sum(row[0] for threads in rows.values() for row in threads.values()),
            "threads": rows, "counted": [[*key, value] for key, value in sorted(counted.items()) if value >= 0.01]}


def table(result):
    print(f"{result['rounds_per_s']:.0f} spins/s, p50 {result['p50_ms']:.1f} ms, p99 {result['p99_ms']:.1f} ms, {result['cpu_us_spin']:.0f} us of CPU a spin, "
          f"the players {result['client_cpu_us']:.0f} more")
    print(f"{'':<44} us a spin   switches")
    order = sorted(result["threads"].items(), key=lambda item: -sum(row[0] for row in item[1].values()))
    for name, threads in order:
        print(f"{name:<44} {sum(row[0] for row in threads.values()):>9.1f} {sum(row[1] for row in threads.values()):>10.2f}")
        for comm, row in sorted(threads.items(), key=lambda item: -item[1][0]):
            if len(threads) > 1 and row[0] >= 1:
                print(f"    {comm:<40} {row[0]:>9.1f} {row[1]:>10.2f}")
    print(f"{'counted':<70} a spin")
    for name, key, value in result["counted"]:
        print(f"{name:<20} {key:<50} {value:>8.2f}")


def main():
    options = bench_options(__doc__, rate=(1000, 1000, 200), players=(200, 200, 50), seconds=(20, 8, 2), warm_up=(30, 8, 1))
    print(f"about {options.seconds + options.warm_up + 30} s", flush=True)
    with installation(options, "profile") as place:
        result = measure(place, options)
    table(result)
    result_write(options, "profile", json.loads(json.dumps(result)))


if __name__ == "__main__":
    main()
