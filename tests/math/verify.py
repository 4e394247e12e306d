"""The exact figures of slotmath against plain loops in another language.

    verify.py random [COUNT] [SEED]   small definitions with random features, every mode and figure
    verify.py games [--all-modes]     every shipped definition: the full cycle, all features, each state
    verify.py file DEFINITION         every mode of a definition of your own (at its band, as slotmath rtp wants it)
    verify.py ci                      the games' base modes and 400 random definitions of a new seed

Compared are the parts of the return, the distribution of the paid spin's wins, how often features
come, and what the states of potions return. Exact means exact: fractions are compared, not
decimals. Ends with "N passed, N failed".
"""

import json
import multiprocessing
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from fractions import Fraction

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import evaluator  # noqa: E402
import figures  # noqa: E402
import pruned  # noqa: E402
import random_games  # noqa: E402

SLOTMATH = "build/bin/slotmath"
GAMES = "services/spin-engine/games"
BATCH = 50


def slotmath(*arguments):
    run = subprocess.run([SLOTMATH, *arguments], capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1) or not run.stdout:
        raise RuntimeError(f"slotmath {' '.join(arguments)}: exit {run.returncode}: {run.stderr.strip()}")
    return json.loads(run.stdout)


def distribution(mode):
    return {Fraction(row["x"]): Fraction(row["probability"]) for row in mode["distribution"]}


def near(decimals, exact):
    """A figure that is printed with 12 decimals."""
    return abs(Fraction(decimals) - exact) <= Fraction(1, 10 ** 12)


def differences(said, own):
    """What slotmath says of a mode that the loops do not."""
    parts = {p["source"]: Fraction(p["rtp_exact"]) for p in said["parts"]}
    for name in sorted(set(parts) | set(own["parts"])):
        if parts.get(name, 0) != own["parts"].get(name, 0):
            yield f"{name}: found {parts.get(name)}, expected {own['parts'].get(name)}"
    if Fraction(said["rtp_exact"]) != own["rtp"]:
        yield f"rtp: found {said['rtp_exact']}, expected {own['rtp']}"
    if distribution(said) != own["distribution"]:
        yield "distribution of the paid spin: differs"
    features = {f["name"]: f["one_in"] for f in said["features"]}
    for name, p in own["frequencies"].items():
        if name not in features or not near(features[name], 1 / p):
            yield f"one in, {name}: found {features.get(name)}, expected {float(1 / p):.12f}"
    states = {s["state"]: s["rtp"] for s in said.get("states", [])}
    for name in sorted(set(states) | set(own["states"])):
        if name not in states or name not in own["states"] or not near(states[name], own["states"][name]):
            yield f"{name}: found {states.get(name)}, expected {float(own['states'].get(name, 0)):.12f}"


def plain_against_pruned(definition):
    """The evaluators of this folder against each other."""
    game = evaluator.Game(definition)
    rule = game.progressive if game.progressive and game.progressive["where"] == "line" else None
    asked = (game, game.all_columns("base"), len(definition["lines"]), game.scatters, None, rule)
    plain, faults = evaluator.plain_cycle(*asked), []
    if pruned.cycle(*asked) != plain:
        faults.append("pruned cycle: differs from the plain one")
    if not rule:
        coins = Fraction(sum(weight * key[0] for key, weight in plain.items()), sum(plain.values()))
        if pruned.expected_coins(*asked[:3]) != coins:
            faults.append("coins line by line: differ from the plain ones")
    return faults


def written(folder, seed, number, attempt):
    """A definition in its folder. The first attempt's dice are the number's alone."""
    dice = f"{seed}/{number}/{attempt}" if attempt else f"{seed}/{number}"
    definition = random_games.random_game(random.Random(dice), number)
    os.makedirs(f"{folder}/{definition['id']}", exist_ok=True)
    with open(f"{folder}/{definition['id']}/definition.json", "w", encoding="utf-8") as file:
        json.dump(definition, file)
    return definition


def answered(folder, games, seed):
    """What slotmath says of all of them. The loader refuses rounds that may get very long, by a bound that only it
    knows; such a definition is drawn anew. Any other refusal is a fault."""
    attempt = 0
    while True:
        try:
            return slotmath("rtp", "--all", "--json", "--distribution", "--games", folder)
        except RuntimeError as error:
            long = re.search(r"random-(\d+)/definition.json: .* free spins won per free spin", str(error))
            if not long:
                raise
            attempt += 1
            games[f"random-{long[1]}"] = written(folder, seed, int(long[1]), attempt)


def random_batch(task):
    """Faults of BATCH random definitions: [(id, text)]."""
    first, count, seed = task
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        games = {f"random-{number}": written(folder, seed, number, 0) for number in range(first, first + count)}
        try:
            answers = answered(folder, games, seed)
        except RuntimeError as error:
            return [(f"{first}..", str(error))]
        for answer in answers:
            definition = games.pop(answer["game"])
            faults += [(answer["game"], f) for f in plain_against_pruned(definition)]
            for mode in answer["modes"]:
                own = figures.figures(definition, mode["mode"])
                faults += [(answer["game"], f"{mode['mode']}: {d}") for d in differences(mode, own)]
        faults += [(game, "not answered") for game in games]
    return faults


def run_random(count, seed):
    print(f"{count} random definitions, seed {seed}")
    tasks = [(first, min(BATCH, count - first), seed) for first in range(0, count, BATCH)]
    faults, done, shown = [], 0, time.monotonic()
    with multiprocessing.Pool() as pool:
        for task, found in zip(tasks, pool.imap(random_batch, tasks)):
            faults += found
            done += task[1]
            if time.monotonic() - shown > 5:
                shown = time.monotonic()
                print(f"  {done} of {count}", flush=True)
    for game, text in faults[:20]:
        print(f"{game}: {text} (seed {seed})")
    bad = len({game for game, _ in faults})
    return count - bad, bad


# ---- the shipped games ----


def game_mode(task):
    path, game_id, answer, mode_id = task
    with open(path, encoding="utf-8") as file:
        definition = json.load(file)
    coins = definition["bet"]["coins"]["max"] - answer["mode"].endswith("_below_max")
    own = figures.figures(definition, mode_id, None, coins, pruned.cycle)
    return f"{game_id} {answer['mode']}", list(differences(answer, own)), len(own["distribution"])


def run_games(all_modes):
    tasks = []
    for answer in slotmath("rtp", "--all", "--json", "--distribution", "--games", GAMES):
        for mode in answer["modes"]:
            base = mode["mode"] == "base" or mode["mode"].startswith("base_")
            if base or all_modes:
                path = f"{GAMES}/{answer['game']}/definition.json"
                tasks.append((path, answer["game"], mode, "base" if base else mode["mode"]))
    return run_modes(tasks)


def run_file(path):
    answer = slotmath("rtp", path, "--json", "--distribution")
    base = [mode["mode"] == "base" or mode["mode"].startswith("base_") for mode in answer["modes"]]
    return run_modes([(path, answer["game"], mode, "base" if b else mode["mode"]) for mode, b in zip(answer["modes"], base)])


def run_modes(tasks):
    passed = failed = 0
    with multiprocessing.Pool() as pool:
        for name, faults, rows in pool.imap(game_mode, tasks):
            print(f"  {name}: {'; '.join(faults) if faults else f'the same to the last digit, {rows} different wins'}",
                  flush=True)
            passed, failed = passed + (not faults), failed + bool(faults)
    return passed, failed


def main(arguments):
    what = arguments[0] if arguments else ""
    if what == "random":
        passed, failed = run_random(int(arguments[1]) if len(arguments) > 1 else 10000,
                                    int(arguments[2]) if len(arguments) > 2 else 20220617)
    elif what == "games":
        passed, failed = run_games("--all-modes" in arguments)
    elif what == "file" and len(arguments) == 2:
        passed, failed = run_file(arguments[1])
    elif what == "ci":
        seed = int.from_bytes(os.urandom(4), "big")
        print(f"note: random definitions of seed {seed}")
        passed, failed = (a + b for a, b in zip(run_games(False), run_random(400, seed)))
    else:
        print(f"verify.py: found '{what}', expected random [COUNT] [SEED], games [--all-modes], "
              "file DEFINITION or ci", file=sys.stderr)
        return 2
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
