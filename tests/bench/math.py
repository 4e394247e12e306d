#!/usr/bin/env python3
"""How fast the mathematics is, on one thread: complete rounds and base spins of the simulator, full cycles, the optimiser's evaluations, rounds of the
server's core, exact returns; beside a plain C loop and the bare generator in the same run. Prints a table and writes build/bench/math.json. Each figure is
the median of several passes with its lowest and highest, by CPU time (neighbours on the machine hardly change it) and by the wall's clock. Nothing is
asserted: goals that are missed are marked.

    math.py [--passes=N] [--slice-ms=N] [--short | --try]"""
import glob
import json
import os
import platform
import statistics
import subprocess
import sys
import time

from lib_bench import ROOT, bench_options, result_write

BIN = f"{ROOT}/build/bin"
GAMES = f"{ROOT}/services/spin-engine/games"

GOALS = {"complete_rounds": 20e6, "base_spins_avx512": 170e6, "base_spins_scalar": 85e6, "full_cycle_ms": 70, "optimiser": 1e5, "round_play_us": 1, "exact_rtp_ms": 100}


def spread(values):
    return {"min": min(values), "median": statistics.median(values), "max": max(values)}


def rate(figure):
    """Items a second."""
    items = figure["items_of_a_unit"] * figure["units"]
    return {**spread([items / s for s in figure["cpu_s"]]), "by_wall": spread([items / s for s in figure["wall_s"]])}


def duration(figure, scale):
    """Of one unit, in seconds times `scale`."""
    return {**spread([scale * s / figure["units"] for s in figure["cpu_s"]]), "by_wall": spread([scale * s / figure["units"] for s in figure["wall_s"]])}


def measure(options):
    command = [f"{BIN}/math-bench", f"--games={GAMES}", f"--passes={options.passes}", f"--slice-ms={options.slice_ms}"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"math-bench ended with {done.returncode}")
    return json.loads(done.stdout)


def process_ms(command):
    """CPU and wall of a process from its start to its end."""
    began = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return 1000 * (usage.ru_utime + usage.ru_stime), 1000 * (time.monotonic() - began)


def exact_returns(passes):
    """`slotmath rtp GAME --json`, the whole process: loading, proving the bands, every figure of every mode."""
    games = sorted(os.path.basename(os.path.dirname(path)) for path in glob.glob(f"{GAMES}/*/definition.json"))
    taken = {game: [] for game in games}
    for number in range(passes):
        for game in games:
            taken[game].append(process_ms([f"{BIN}/slotmath", "rtp", game, "--games", GAMES, "--json"]))
        print(f"exact returns, pass {number + 1} of {passes}", file=sys.stderr)
    return {game: {**spread([t[0] for t in pairs]), "by_wall": spread([t[1] for t in pairs])} for game, pairs in taken.items()}


def first_line(path, starts):
    try:
        with open(path, encoding="utf-8") as file:
            return next((line.strip() for line in file if line.startswith(starts)), "")
    except OSError:
        return ""


def machine(measured):
    return {"cpu": first_line("/proc/cpuinfo", "model name").split(":")[-1].strip() or platform.machine(), "cores": os.cpu_count(), "avx512": measured["avx512"],
            "kernel": platform.release(), "compiler": measured["compiler"], "flags": first_line(f"{ROOT}/build/flags", ""),
            "load_average": os.getloadavg()}


def gather(measured, returns):
    """By the names of the goals: what -> game -> mode or path."""
    result = {"machine": machine(measured), "passes": measured["passes"], "slice_ms": measured["slice_ms"], "exact_rtp_ms": returns}
    by_game = {"line_evaluations": "optimiser_evaluations_per_s", "plain_spins": "plain_spins_per_s", "plain_scan": "plain_scan_combinations_per_s"}
    served = {"round_play": "round_play_us", "round_phases": "round_play_without_digest_us"}
    for figure in measured["figures"]:
        what, game = figure["what"], figure["game"]
        if what == "chacha20_words":
            result.setdefault("chacha20_words_per_s", {})[figure["path"]] = rate(figure)
        elif what == "server_draws":
            result["server_draws_per_s"] = rate(figure)
        elif what == "stream_begin":
            result["round_stream_us"] = duration(figure, 1e6)
        elif what in by_game:
            result.setdefault(by_game[what], {})[game] = rate(figure)
        elif what in served:
            result.setdefault(served[what], {}).setdefault(game, {})[figure["mode"]] = duration(figure, 1e6)
        elif what == "full_cycle":
            result.setdefault("full_cycle_scan", {})[game] = {
                "combinations": figure["items_of_a_unit"], "ms": duration(figure, 1e3), "combinations_per_s": rate(figure)}
        elif what == "base_spins":
            result.setdefault("base_spins_per_s", {}).setdefault(game, {})[figure["path"]] = rate(figure)
        else:
            result.setdefault("complete_rounds_per_s", {}).setdefault(game, {}).setdefault(figure["mode"], {})[figure["path"]] = rate(figure)
    return result


class Table:
    """Rows of text; remembers which goals were missed."""

    def __init__(self):
        self.missed = []

    def head(self, text, unit):
        print(f"\n{text:<46} {unit:>10}   lowest  highest  by wall")

    def row(self, name, figure, scale=1, goal=None, most=False):
        verdict = ""
        if goal is not None:
            good = figure["median"] <= goal if most else figure["median"] >= goal
            verdict = "" if good else "  MISSED"
            if not good:
                self.missed.append(name)
        values = [figure["median"], figure["min"], figure["max"], figure["by_wall"]["median"]]
        print(f"  {name:<44} " + f"{values[0] / scale:>10.3g} " + " ".join(f"{v / scale:>8.3g}" for v in values[1:]) + verdict)


def ratios(result):
    """Against the plain C loop of the same game in the same run."""
    found = {}
    for game, plain in result["plain_spins_per_s"].items():
        scan = result["full_cycle_scan"][game]["combinations_per_s"]["median"]
        found[game] = {"base_spins_" + path: figure["median"] / plain["median"] for path, figure in result["base_spins_per_s"][game].items()}
        found[game]["full_cycle_scan"] = scan / result["plain_scan_combinations_per_s"][game]["median"]
    return found


def table(result):
    rows = Table()
    rows.head("complete rounds, every feature (goal 20 in base modes)", "M/s")
    for game, modes in result["complete_rounds_per_s"].items():
        for mode, paths in modes.items():
            for path, figure in paths.items():
                rows.row(f"{game} {mode}, {path}", figure, 1e6, GOALS["complete_rounds"] if mode == "base" else None)
    rows.head("base spins totalled (goal 170 avx512, 85 scalar)", "M/s")
    for game, paths in result["base_spins_per_s"].items():
        for path, figure in paths.items():
            rows.row(f"{game}, {path}", figure, 1e6, GOALS[f"base_spins_{path}"])
    rows.head("full cycle with distribution (goal 70 at 10^8)", "ms")
    for game, scan in result["full_cycle_scan"].items():
        rows.row(f"{game}, {scan['combinations']:.3g} combinations", scan["ms"], 1, GOALS["full_cycle_ms"] * max(scan["combinations"] / 1e8, 1), True)
    rows.head("optimiser, a change and its line return (goal 0.1)", "M/s")
    for game, figure in result["optimiser_evaluations_per_s"].items():
        rows.row(game, figure, 1e6, GOALS["optimiser"])
    rows.head("round_play with full result (goal 1)", "us")
    for game, modes in result["round_play_us"].items():
        for mode, figure in modes.items():
            rows.row(f"{game} {mode}", figure, 1, GOALS["round_play_us"], True)
            rows.row("  of it without sums and digest", result["round_play_without_digest_us"][game][mode])
    rows.row("beside it: a stream from its key, first draw", result["round_stream_us"])
    rows.head("slotmath rtp GAME --json, the process (goal 100)", "ms")
    for game, figure in result["exact_rtp_ms"].items():
        rows.row(game, figure, 1, GOALS["exact_rtp_ms"], True)
    rows.head("for comparison", "M/s")
    for game in result["plain_spins_per_s"]:
        rows.row(f"plain C loop, spins of {game}", result["plain_spins_per_s"][game], 1e6)
        rows.row(f"plain C loop, scan of {game}", result["plain_scan_combinations_per_s"][game], 1e6)
    for path, figure in result["chacha20_words_per_s"].items():
        rows.row(f"ChaCha20 in large pieces, words, {path}", figure, 1e6)
    rows.row("the server's rng_below", result["server_draws_per_s"], 1e6)
    for game, found in result["ratios_to_plain_loop"].items():
        print(f"\nTimes the plain loop, {game}: " + ", ".join(f"{name} {value:.3g}" for name, value in found.items()))
    return rows.missed


def main():
    options = bench_options(__doc__, passes=(7, 3, 1), slice_ms=(100, 30, 2))
    measured = measure(options)
    result = gather(measured, exact_returns(options.passes))
    result["goals"] = GOALS
    result["ratios_to_plain_loop"] = ratios(result)
    facts = result["machine"]
    print(f"{facts['cpu']}, {facts['cores']} cores, AVX-512 {'yes' if facts['avx512'] else 'no'}, compiler {facts['compiler']}, "
          f"load {facts['load_average'][0]:.1f}; one thread, median of {result['passes']} passes by CPU time")
    result["missed"] = table(result)
    result_write(options, "math", result)


if __name__ == "__main__":
    main()
