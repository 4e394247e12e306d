"""The exact figures of slotmath against plain loops in another language.

    verify.py random [COUNT] [SEED]   small definitions with random features, every mode and figure
    verify.py games [--all-modes]     the full cycle of the base game of every shipped definition

Ends with "N passed, N failed". Exact means exact: fractions are compared, not decimals.
"""

import json
import multiprocessing
import os
import random
import subprocess
import sys
import tempfile
import time
from fractions import Fraction

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import evaluator  # noqa: E402
import pruned  # noqa: E402
import random_games  # noqa: E402

SLOTMATH = "build/bin/slotmath"
GAMES = "services/spin-engine/games"
BATCH = 50
PARTS = ("lines", "scatter", "free_spins", "hold_and_win")


def slotmath(*arguments):
    run = subprocess.run([SLOTMATH, *arguments], capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1) or not run.stdout:
        raise RuntimeError(f"slotmath {' '.join(arguments)}: exit {run.returncode}: {run.stderr.strip()}")
    return json.loads(run.stdout)


def distribution(mode):
    return {Fraction(row["x"]): Fraction(row["probability"]) for row in mode["distribution"]}


def differences(said, own):
    """What slotmath says of a mode that the loops do not."""
    parts = {p["source"]: Fraction(p["rtp_exact"]) for p in said["parts"]}
    for name in PARTS:
        if parts.pop(name, Fraction(0)) != own[name]:
            yield f"{name}: found {[p for p in said['parts'] if p['source'] == name]}, expected {own[name]}"
    if parts:
        yield f"parts: found {sorted(parts)} too, expected {PARTS}"
    if Fraction(said["rtp_exact"]) != own["rtp"]:
        yield f"rtp: found {said['rtp_exact']}, expected {own['rtp']}"
    if distribution(said) != own["distribution"]:
        yield "distribution of the paid spin: differs"


def plain_against_pruned(definition):
    """The two evaluators of this folder against each other."""
    game = evaluator.Game(definition)
    lines = len(definition["lines"])
    columns = [game.columns("base", r) for r in range(1, game.reels + 1)]
    counted = game.scatters
    cycle = pruned.Cycle(game, columns, lines, counted).result
    own = {}
    for weight, window, _ in evaluator.windows(game, columns):
        key = (game.line_coins(window, lines), tuple(game.count(window, s) for s in counted), 0)
        own[key] = own.get(key, 0) + weight
    return [] if cycle == own else ["pruned cycle: differs from the plain one"]


def random_batch(task):
    """Faults of BATCH random definitions: [(id, text)]."""
    first, count, seed = task
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        games = {}
        for number in range(first, first + count):
            definition = random_games.random_game(random.Random(f"{seed}/{number}"), number)
            games[definition["id"]] = definition
            os.mkdir(f"{folder}/{definition['id']}")
            with open(f"{folder}/{definition['id']}/definition.json", "w", encoding="utf-8") as file:
                json.dump(definition, file)
        try:
            answers = slotmath("rtp", "--all", "--json", "--distribution", "--games", folder)
        except RuntimeError as error:
            return [(f"{first}..", str(error))]
        for answer in answers:
            definition = games.pop(answer["game"])
            faults += [(answer["game"], f) for f in plain_against_pruned(definition)]
            for mode in answer["modes"]:
                own = evaluator.figures(definition, mode["mode"])
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


def game_cycle(game, mode, lines, progressive):
    """{(coins, counts of scatters and bonus symbols, jackpots): weight} and the symbols counted."""
    hold = (game.d.get("hold_and_win") or {}).get("symbol")
    counted = game.scatters + ([hold] if hold else [])
    rule = game.d.get("progressive_symbols") if progressive else None
    together = {}
    for weight, bought in evaluator.positions(game, mode):
        columns = [game.columns(mode["strips"], r, r in bought) for r in range(1, game.reels + 1)]
        cycle = pruned.Cycle(game, columns, lines, counted, None, rule and rule["symbol"]).result
        for key, n in cycle.items():
            together[key] = together.get(key, 0) + n * weight
    return together, counted


def base_figures(definition, mode, progressive):
    game = evaluator.Game(definition)
    lines = definition["bet"]["lines"]["max"]
    cycle, counted = game_cycle(game, mode, lines, progressive)
    stake = Fraction(lines * mode["price_hundredths"], 100)
    paying = [s for s in game.scatters if not (game.battle and game.battle["symbol"] == s)]
    whole, coins_sum, scatter_sum, wins = 0, 0, 0, {}
    for (coins, counts, _), weight in cycle.items():
        if not evaluator.keeps(game, mode["guarantee"], (coins,), counts[-1] if counts else 0):
            continue
        times = sum(game.pays[s].get(min(n, game.reels), 0) for s, n in zip(counted, counts) if s in paying)
        whole += weight
        coins_sum += weight * coins
        scatter_sum += weight * times
        x = (coins + times * lines) / stake
        wins[x] = wins.get(x, 0) + weight
    return {
        "lines": Fraction(coins_sum, whole) / stake,
        "scatter": Fraction(scatter_sum, whole) * lines / stake,
        "distribution": {x: Fraction(n, whole) for x, n in wins.items()},
    }


def game_mode(task):
    game_id, answer, mode_id = task
    with open(f"{GAMES}/{game_id}/definition.json", encoding="utf-8") as file:
        definition = json.load(file)
    mode = next(m for m in definition["modes"] if m["id"] == mode_id)
    progressive = answer["mode"].endswith("_max") and not answer["mode"].endswith("_below_max")
    own = base_figures(definition, mode, progressive)
    parts = {p["source"]: Fraction(p["rtp_exact"]) for p in answer["parts"]}
    faults = []
    for name in ("lines", "scatter"):
        if parts.get(name, Fraction(0)) != own[name]:
            faults.append(f"{name}: found {parts.get(name)}, expected {own[name]}")
    if distribution(answer) != own["distribution"]:
        faults.append("distribution of the paid spin: differs")
    return f"{game_id} {answer['mode']}", faults, len(own["distribution"])


def run_games(all_modes):
    tasks = []
    for answer in slotmath("rtp", "--all", "--json", "--distribution", "--games", GAMES):
        for mode in answer["modes"]:
            base = mode["mode"] == "base" or mode["mode"].startswith("base_")
            if base or all_modes:
                tasks.append((answer["game"], mode, "base" if base else mode["mode"]))
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
    else:
        print(f"verify.py: found '{what}', expected random [COUNT] [SEED], or games [--all-modes]", file=sys.stderr)
        return 2
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
