#!/usr/bin/env python3
"""The simulator against the exact figures, every game and mode: the tables of docs/simulation.md.

    simulate-table.py [--rounds N] [--seed N] [--threads N] [--results FILE] [--slotmath FILE]

Each row is a run of N rounds (10^9, some minutes) and is appended to FILE as a line of JSON as soon
as it is there; rows that are in FILE already are not run again, so it can be stopped and taken up,
and what FILE holds of other seeds is summed up in a table of its own. Markdown goes to stdout,
progress to stderr. Exit 1 if a mean lies outside its own 99.9 % interval, or a frequency far off.
"""

import argparse
import json
import math
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GAMES = os.path.join(ROOT, "services/spin-engine/games")
Z_999 = 3.2905267314919255  # of the normal distribution, two-sided
Z_999_RATE = 4.5  # of frequencies: there are dozens of them, and one in 150,000 is this far off


def rows_wanted(definitions):
    """[(game, mode, mode in the exact answer, options of simulate)], base modes first."""
    rows = []
    for definition in definitions:
        bet = definition["bet"]
        game = definition["id"]
        for mode in definition["modes"]:
            classes = {p["bets"] for p in mode["published_rtp"]}
            if "max" in classes:
                rows.append((game, mode["id"], mode["id"] + "_below_max",
                             ["--lines", str(bet["lines"]["max"]), "--coins", str(bet["coins"]["max"] - 1)]))
                rows.append((game, mode["id"], mode["id"] + "_max",
                             ["--lines", str(bet["lines"]["max"]), "--coins", str(bet["coins"]["max"])]))
            elif definition["potions"]:
                steps = len(definition["potions"]["features"])
                rows += [(game, mode["id"], mode["id"], ["--level", str(n)]) for n in range(steps - 1, -1, -1)]
            else:
                rows.append((game, mode["id"], mode["id"], []))
    return sorted(rows, key=lambda row: row[1] != "base")


def run(arguments, *command):
    done = subprocess.run([arguments.slotmath, *command, "--json", "--games", GAMES],
                          stdout=subprocess.PIPE, check=False)
    if not done.stdout:
        sys.exit(f"slotmath {' '.join(command)}: exit {done.returncode}, nothing said")
    return json.loads(done.stdout)


def results_of(arguments):
    if not os.path.exists(arguments.results):
        return []
    with open(arguments.results, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def simulate(arguments, rows, exact):
    """{row: what the simulator said}, from the file or by playing."""
    known = {}
    for one in results_of(arguments):
        known[json.dumps([one["key"], one["math_version"]])] = one["result"]
    found = {}
    for game, mode, name, options in rows:
        key = [game, mode, options, arguments.rounds, arguments.seed]
        version = exact[game]["math_version"]
        text = json.dumps([key, version])
        if text not in known:
            print(f"{game} {name} {' '.join(options)}", file=sys.stderr, flush=True)
            answer = run(arguments, "simulate", game, "--mode", mode, "--rounds", str(arguments.rounds),
                         "--threads", str(arguments.threads), "--seed", str(arguments.seed), *options)
            known[text] = answer["modes"][0]
            with open(arguments.results, "a", encoding="utf-8") as file:
                file.write(json.dumps({"key": key, "math_version": version, "result": known[text]}) + "\n")
        found[(game, name, tuple(options))] = known[text]
    return found


def sigma_of(rate, exact, rounds):
    """How many standard errors a simulated frequency is away from the exact one."""
    error = math.sqrt(exact * (1 - exact) / rounds)
    return (rate - exact) / error if error else (0.0 if rate == exact else math.inf)


def title(name, options):
    level = options[options.index("--level") + 1] if "--level" in options else None
    return f"{name}, from level {int(level) + 1}" if level else name


def starts_low(figures, options):
    """Only the return is compared then: until all is unlocked, which is soon, features come differently."""
    levels = [state for state in figures.get("states", []) if state["state"].startswith("level ") and "," not in state["state"]]
    return "--level" in options and int(options[options.index("--level") + 1]) + 1 < len(levels)


def main_table(found, exact, faults):
    print("| game | mode | rounds | mean | 99.9 % interval | exact | standard errors | hit rate | exact "
          "| standard errors | M rounds/s |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for (game, name, options), said in found.items():
        figures = exact[game][name]
        low, high = said["interval_999"]
        mean, rtp, hit = said["mean"], float(figures["rtp"]), float(figures["hit_rate"])
        away = (mean - rtp) / ((high - low) / 2 / Z_999)
        hit_away = sigma_of(said["hit_rate"], hit, said["rounds"])
        if abs(away) > Z_999:
            faults.append(f"{game} {title(name, options)}: mean {away:+.2f} standard errors from the exact return")
        if abs(hit_away) > Z_999_RATE and not starts_low(figures, options):
            faults.append(f"{game} {title(name, options)}: hit rate {hit_away:+.2f} standard errors from the exact one")
        print(f"| {game} | {title(name, options)} | {said['rounds']:.0e} | {100 * mean:.5f} | {100 * low:.5f} to "
              f"{100 * high:.5f} | {100 * rtp:.5f} | {away:+.2f} | {100 * said['hit_rate']:.4f} | {100 * hit:.4f} "
              f"| {hit_away:+.2f} | {said['rounds_per_second'] / 1e6:.1f} |")


def feature_table(found, exact, faults):
    print("| game | mode | feature | one in, simulated | exact | standard errors |")
    print("|---|---|---|---|---|---|")
    for (game, name, options), said in found.items():
        if starts_low(exact[game][name], options):
            continue
        counted = {f["name"]: f["count"] for f in said["features"]}
        for feature in exact[game][name]["features"]:
            p = 1 / float(feature["one_in"])
            count = counted.get(feature["name"], 0)
            away = sigma_of(count / said["rounds"], p, said["rounds"]) if p < 1 else 0.0
            if abs(away) > Z_999_RATE:
                faults.append(f"{game} {title(name, options)}: {feature['name']} {away:+.2f} standard errors off")
            shown = said["rounds"] / count if count else math.inf
            print(f"| {game} | {title(name, options)} | {feature['name']} | {shown:.3f} "
                  f"| {float(feature['one_in']):.3f} | {away:+.2f} |")


def part_table(found, exact):
    print("| game | mode | source | simulated | exact | difference |")
    print("|---|---|---|---|---|---|")
    for (game, name, options), said in found.items():
        if starts_low(exact[game][name], options):
            continue
        shown = {p["source"]: p["rtp"] for p in said["parts"]}
        for part in exact[game][name]["parts"]:
            own, rtp = shown.pop(part["source"], 0.0), float(part["rtp"])
            print(f"| {game} | {title(name, options)} | {part['source']} | {100 * own:.5f} | {100 * rtp:.5f} "
                  f"| {100 * (own - rtp):+.5f} |")
        for source, rtp in shown.items():
            print(f"| {game} | {title(name, options)} | {source} | {100 * rtp:.5f} | none | |")


def deviation(said):
    """(mean - exact return, standard error)"""
    low, high = said["interval_999"]
    return said["mean"] - said["exact"], (high - low) / 2 / Z_999


def seeds_table(arguments, rows, exact, faults):
    """All runs of this many rounds that FILE holds, whatever their seed."""
    known = results_of(arguments)
    print("| game | mode | seeds | rounds in all | standard errors, each seed | all together |")
    print("|---|---|---|---|---|---|")
    for game, mode, name, options in rows:
        runs = {one["key"][4]: deviation(one["result"]) for one in known
                if one["key"][:4] == [game, mode, options, arguments.rounds]
                and one["math_version"] == exact[game]["math_version"]}
        together = sum(d for d, _ in runs.values()) / math.sqrt(sum(e * e for _, e in runs.values()))
        if abs(together) > Z_999:
            faults.append(f"{game} {title(name, options)}: {together:+.2f} standard errors over {len(runs)} seeds")
        each = ", ".join(f"{d / e:+.2f}" for _, (d, e) in sorted(runs.items()))
        print(f"| {game} | {title(name, options)} | {', '.join(str(seed) for seed in sorted(runs))} "
              f"| {len(runs) * arguments.rounds:.0e} | {each} | {together:+.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=10 ** 9)
    parser.add_argument("--seed", type=int, default=20261121)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--results", default=os.path.join(ROOT, "build/simulate-table.jsonl"))
    parser.add_argument("--slotmath", default=os.path.join(ROOT, "build/bin/slotmath"))
    arguments = parser.parse_args()
    definitions = []
    for game in sorted(os.listdir(GAMES)):
        path = os.path.join(GAMES, game, "definition.json")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                definitions.append(json.load(file))
    exact = {}  # {game: {"math_version", and each mode's figures}}
    for answer in run(arguments, "rtp", "--all"):
        exact[answer["game"]] = {"math_version": answer["math_version"],
                                 **{mode["mode"]: mode for mode in answer["modes"]}}
    rows = rows_wanted(definitions)
    found = simulate(arguments, rows, exact)
    faults = []
    print(f"Seed {arguments.seed}. All figures but the rates are per cent of the price.\n")
    main_table(found, exact, faults)
    print("\n## Frequencies\n")
    feature_table(found, exact, faults)
    print("\n## Where the wins come from\n")
    part_table(found, exact)
    print("\n## All seeds that were tried\n")
    seeds_table(arguments, rows, exact, faults)
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
