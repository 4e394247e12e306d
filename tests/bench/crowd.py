#!/usr/bin/env python3
"""Ten thousand players who are connected at the same time, on an installation of its own. First each has a bet every five seconds: how long until all are in,
what the first bet and every bet took, the longest pause without a settled round, and the gateway's memory. Then they play without a pause, far beyond what the
machine can do, beside a thousand who do: how much is still settled, and how long anybody waits for an answer. Prints the figures and writes
build/bench/crowd.json. What the players were told is compared with the ledger, as always; times are not asserted.

    crowd.py [--players=N] [--every=SECONDS] [--seconds=N] [--beyond=N] [--warm-up=N] [--short | --try]"""
import time

from lib_bench import bench_options, installation, result_write
from lib_stack import read_text

KEPT = ("entered", "entered_ms", "first_p50_ms", "first_p99_ms", "rounds_settled", "rounds_per_s", "p50_ms", "p99_ms", "wait_max_ms", "max_gap_ms", "retries",
        "later", "later_by", "unanswered", "conflicts", "rounds_compared", "client_cpu_share", "client_cpu_us", "seconds")
COMPARING_S = 600


def gateway_bytes(place):
    return int(next(line.split()[1] for line in read_text(f"/proc/{place.pid('gateway-1')}/status").splitlines() if line.startswith("VmRSS"))) * 1024


def play(place, seconds, first, **options):
    """The record, how long comparing took, and the gateway's memory a player while all play."""
    before = gateway_bytes(place)
    players = place.players(seconds=seconds, first_player=first, timeout=10000, subscribers=1, **options)
    time.sleep(seconds * 0.9)
    memory = (gateway_bytes(place) - before) / options["players"]
    began = time.monotonic()
    record = players.finish(stop=False, timeout=seconds + COMPARING_S)
    return {**{name: record[name] for name in KEPT}, "gateway_bytes": round(memory), "comparing_s": round(time.monotonic() - began - seconds * 0.1, 1)}


def measure(options):
    with installation(options, "crowd", CARILLON_CROWD=str(options.players)) as place:
        few = min(options.players, 1000)
        play(place, options.warm_up, 1, players=few, rate=1000)
        calm = play(place, options.seconds, 100001, players=options.players, rate=max(options.players // options.every, 1))
        most = play(place, options.beyond, 200001, players=few)
        beyond = play(place, options.beyond, 300001, players=options.players)
        proof = place.verify(60, "--sample", "200")
    return {"calm": calm, "most": most, "beyond": beyond, "share": beyond["rounds_per_s"] / most["rounds_per_s"], "players": options.players,
            "every_s": options.every, "ledger_ok": proof["ledger_ok"], "pools_ok": proof["pools_ok"]}


def table(result):
    calm, most, beyond = result["calm"], result["most"], result["beyond"]
    print(f"players connected          {calm['entered']:>10} of {result['players']}, the last one in after {calm['entered_ms'] / 1000:.1f} s (goal 10)")
    print(f"  their first bet          {calm['first_p50_ms']:>10.1f} ms p50, {calm['first_p99_ms']:.1f} ms p99 (goal 1,000)")
    print(f"a bet each {result['every_s']} s             {calm['rounds_per_s']:>10.0f} rounds/s for {calm['seconds']:.0f} s, p50 {calm['p50_ms']:.1f} ms (goal 5), "
          f"p99 {calm['p99_ms']:.1f} ms (goal 25)")
    print(f"  longest wait             {calm['wait_max_ms']:>10} ms for an answer, {calm['max_gap_ms']} ms without a settled round")
    print(f"  asked again              {calm['retries']:>10}: {calm['later']} told to come back {calm['later_by'] or ''}, {calm['unanswered']} without an answer in time")
    print(f"  gateway                  {calm['gateway_bytes']:>10} bytes a player (goal 8,192)")
    print(f"without a pause            {beyond['rounds_per_s']:>10.0f} rounds/s, {100 * result['share']:.0f} % of the {most['rounds_per_s']:.0f} of 1,000 players (goal 90)")
    print(f"  longest wait             {beyond['wait_max_ms']:>10} ms for an answer (goal 2,000); told to come back {beyond['later']} times, "
          f"{beyond['unanswered']} without an answer in time")
    print(f"compared with the ledger   {calm['rounds_compared'] + most['rounds_compared'] + beyond['rounds_compared']:>10} rounds, "
          f"in {calm['comparing_s']:.0f}, {most['comparing_s']:.0f} and {beyond['comparing_s']:.0f} s")
    print(f"the players took           {100 * calm['client_cpu_share']:>10.1f} % of the machine, {calm['client_cpu_us']:.0f} us a round; without a pause "
          f"{100 * beyond['client_cpu_share']:.1f} %")


def main():
    # beyond: seconds without a pause
    options = bench_options(__doc__, players=(10000, 10000, 200), every=(5, 5, 1), seconds=(300, 20, 2), beyond=(30, 10, 1), warm_up=(40, 8, 1))
    print(f"about {options.warm_up + options.seconds + 2 * options.beyond + 60} s, and the time to compare what {options.players} players were told", flush=True)
    result = measure(options)
    table(result)
    result_write(options, "crowd", result)


if __name__ == "__main__":
    main()
