#!/usr/bin/env python3
"""fair.py: a round's file is judged alike by whoever checks it. Thousands of rounds of all five games, as the engine shows them (tests/fair/fair-rounds),
are checked by `slotmath replay` and by the page's WebAssembly module in node: both find every screen, draw, win, gamble card and draw of Jackpot Cards as
the engine showed it, and their reports are the same bytes. Then single digits of files are changed, and each change is found. Needs the programs built.
The last line is "N passed, N failed"."""
import json
import os
import random
import subprocess
import sys

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
ROUNDS = 4000
CHANGED_ROUNDS = 150
GAMES = "services/spin-engine/games"
# Members that no draw depends on, or that only the player or the pool can know; `below` and `threshold` come from the set's odds, not from the round.
FREE = {"round", "picks", "next", "picks_left", "picked", "pending_minor", "gamble_attempts_left", "jackpots", "autoplay_id", "bonus_spin", "collected_minor", "claim", "meaning of cards", "currency", "carried_stake", "below of cards", "carillon_round"}
counts = [0, 0]


def check(good, what):
    counts[0 if good else 1] += 1
    if not good:
        print(f"FAILED: {what}")


def run(command, text=None, status=(0,)):
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode not in status:
        raise SystemExit(f"{command}: {done.returncode}\n{done.stdout[-500:]}\n{done.stderr[-2000:]}")
    return done.stdout.splitlines()


def rounds(seed, *demo):
    return run(["build/bin/fair-rounds", str(seed), str(ROUNDS), *demo])


def by_module(lines, *demo):
    return run(["node", "--no-warnings", "tests/tools/fair.mjs", "build/fairness.wasm", GAMES, *demo], "\n".join(lines))


def by_slotmath(lines, status=(0, 1)):
    return run(["build/slotmath", "replay", "--each", "-"], "\n".join(lines), status)


def test_three_agree():
    lines = rounds(20261123)
    module, slotmath = by_module(lines), by_slotmath(lines, (0,))
    check(len(lines) > 0.95 * ROUNDS and len(module) == len(slotmath) == len(lines), f"{len(lines)} rounds, {len(module)} and {len(slotmath)} reports")
    check(module == slotmath, "the module and slotmath differ")
    reports = [json.loads(line) for line in module]
    bad = [(i, [c for c in r.get("checks", []) if c["state"] == "differs"], r.get("error")) for i, r in enumerate(reports) if not r.get("agrees")]
    check(not bad, f"rounds that do not agree with the engine: {bad[:3]}")
    files = [json.loads(line)["answer"]["round"] for line in lines]
    phases = {p["kind"] for r in files for p in r["phases"]}
    check({"spin", "free_spin", "battle", "bonus", "sticky_spin", "hold_respin", "hold_end", "potion_respin", "explosion"} <= phases, f"phases met: {sorted(phases)}")
    check(len({r["game"] for r in files}) == 5 and len({(r["game"], r["bet"]["mode"]) for r in files}) >= 10, "games and modes")
    states = {(c["what"], c["state"]) for r in reports for c in r["checks"]}
    check({(w, "agrees") for w in ("definition", "secret", "result", "screens", "amounts", "gambles", "cards")} <= states, f"checks met: {sorted(states)}")
    print(f"measured: {len(lines)} rounds, {sum(len(r['phases']) for r in files)} phases, {sum(len(r['gambles']) for r in files)} gambles, "
          f"{sum(bool(r['cards']) and r['cards']['triggered'] for r in files)} starts of Jackpot Cards: engine, slotmath and module agree")
    return lines


def demo_agrees():
    """The demo definitions have more features and jackpots in a round."""
    lines = [line for i, line in enumerate(rounds(7, "--demo")) if i % 5 == 0 or '"what":"jackpot"' in line]
    reports = [json.loads(line) for line in by_module(lines, "--demo")]
    check(all(r.get("agrees") for r in reports), f"demo: {[r.get('error') or r['checks'] for r in reports if not r.get('agrees')][:2]}")
    check(any(r["jackpot_hits"] for r in reports), "demo: no jackpot met")


def definition_of(game):
    with open(f"{GAMES}/{game}/definition.json", encoding="utf-8") as file:
        return json.load(file)


def leaves(value, path=()):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from leaves(inner, (*path, i))
    elif value is not None:
        yield path, value


def is_free(path, whole):
    names = [p for p in path if isinstance(p, str)]
    if any(name in FREE for name in names if name not in ("round",)) or names[-1] == "round":
        return True
    if "before" in names and names[-1] in ("stake_minor", "unlocked") or "cards" in names and names[-1] in ("below", "meaning"):
        return True
    return names[-1] == "guess" and whole["answer"]["round"]["gambles"][path[path.index("gambles") + 1]]["card"] == 52  # a joker fits either guess


def changed(value, draw):
    """Another value of the same kind: one digit, letter or flag is not the same."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if not value:
        return "00"
    at = draw.randrange(len(value))
    return value[:at] + ("1" if value[at] == "0" else "0") + value[at + 1:]


def put(whole, path, value):
    for step in path[:-1]:
        whole = whole[step]
    whole[path[-1]] = value


def test_changes_are_found(lines):
    draw = random.Random(5)
    interesting = sorted(lines, key=lambda line: (line.count('"kind":'), line.count('"card":')), reverse=True)[:CHANGED_ROUNDS // 2]
    made, told = [], []
    for line in interesting + draw.sample(lines, CHANGED_ROUNDS // 2):
        whole = json.loads(line)
        paths = [(path, value) for path, value in leaves(whole) if not is_free(path, whole)]
        whole["definition"] = definition_of(whole["answer"]["round"]["game"])
        for path, value in draw.sample(paths, min(len(paths), 40)):
            put(whole, path, changed(value, draw))
            made.append(json.dumps(whole, separators=(",", ":")))
            told.append("/".join(map(str, path)))
            put(whole, path, value)
    reports = [json.loads(line) for line in by_module(made)]
    missed = [told[i] for i, r in enumerate(reports) if r.get("agrees") is not False and "error" not in r]
    check(len(made) > 4000 and not missed, f"changes that nobody found: {missed[:10]} of {len(made)}")
    same = [i for i, r in enumerate(reports) if "error" not in r][:1500]
    check([json.loads(line) for line in by_slotmath([made[i] for i in same])] == [reports[i] for i in same], "the module and slotmath judge changes differently")
    print(f"measured: {len(made)} changed files, each found")


def test_phases_taken_out(lines):
    for line in [line for line in lines if line.count('"kind":"free_spin"') > 3][:20]:
        whole = json.loads(line)
        phases = whole["answer"]["round"]["phases"]
        for cut in (phases[1:], phases[:-1], phases[:2] + phases[3:], []):
            whole["answer"]["round"]["phases"] = cut
            report = json.loads(by_module([json.dumps(whole)])[0])
            check(report["agrees"] is False, "a phase was taken out and nobody saw it")


def test_wrong_files(lines):
    """Each names what it found, in both."""
    good = json.loads(lines[0])
    bare = {"carillon_round": 1, "promised": None, "answer": {"currency": "EUR"}}
    open_round = json.loads(lines[0])
    open_round["answer"]["round"]["closed"] = False
    short = json.loads(lines[0])
    short["answer"]["round"]["secret"] = "abcd"
    twice = lines[0].replace('"promised"', '"carillon_round":2,"promised"', 1)
    unknown = json.loads(lines[0])
    unknown["answer"]["round"]["bet"]["mode"] = "free"
    for text, words in ((twice, "an earlier member has it"), (json.dumps(bare), "/answer/round"), (json.dumps(open_round), "an open round"), (json.dumps(short), "/answer/round/secret"),
                        (json.dumps(unknown), "bet"), (lines[0][:500], "expected a round's file"), ('{"definition":{"format":1},"game":"x"}', "currency")):
        game = '' if '"game":' in text else '"game":"bewitched",'
        report = json.loads(by_module([text.replace("{", "{" + game, 1) if game else text])[0])
        check(words in report.get("error", ""), f"module: {words}: {report.get('error')}")
        done = subprocess.run(["build/slotmath", "replay", "-"], input=text, capture_output=True, text=True, timeout=60, check=False)
        check(done.returncode == 2 and done.stderr.startswith("slotmath: PROOF"), f"slotmath: {words}: {done.stderr}")
    altered = {**good, "definition": definition_of(good["answer"]["round"]["game"])}
    altered["definition"]["version"] += 1
    report = json.loads(by_module([json.dumps(altered)])[0])
    check([c["what"] for c in report["checks"] if c["state"] == "differs"] == ["definition"], f"another definition: {report['checks']}")


def main():
    lines = test_three_agree()
    demo_agrees()
    test_changes_are_found(lines)
    test_phases_taken_out(lines)
    test_wrong_files(lines)
    print(f"{counts[0]} passed, {counts[1]} failed")
    return 1 if counts[1] else 0


sys.exit(main())
