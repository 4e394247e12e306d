#!/usr/bin/env python3
"""All five games in every mode over the public API of one installation: natural rounds, each amount recomputed from what was told, replayed by the service
and by slotmath from its proof; then every staged feature, what is carried over a crash, what is refused, and the jackpot that the lines win."""
import hashlib
import json
import os
import random
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

from lib_games import GAMES, IDS
from lib_play import Person, Refused, Socket, force, good
from lib_rules import Progressive
from lib_stack import BIN, ROOT, Installation, eventually, run

ROUNDS = {"base": 40}  # of each mode; of a bought one 20
REPLAYS = 3  # of each mode, by slotmath: those with the most phases
place = None
played = {}  # (game, mode) -> rounds, for slotmath
saved = []  # (math version, hash promised, what GET /v1/rounds/{round} answered), for the judges of a file
kinds = {}  # (game, kind of phase) -> how many were checked
lock = threading.Lock()


def sit(game, coin=1, deposit=None, **more):
    """A person at a game with money for hundreds of its dearest bets."""
    deposit = 2000000 if deposit is None else deposit
    person = Person(place, game=game, deposit=deposit, **more)
    eventually("the engine to hear of the deposit", lambda: person.refresh()["balance_minor"] == 100000 + deposit, 5, 0.02)
    person.lines, person.coin, person.promised = GAMES[game].lines_max, coin, {}
    return person


def bet(person, mode=None, script=None, coin=None, coins=1, lines=None, **more):
    if script is not None:
        force(place, person.name, script)
    person.promised[person.expect] = person.state["secret_hash"]
    person.nonce = os.urandom(16).hex()
    answer = person.bet(coin or person.coin, lines or person.lines, coins, mode=mode, nonce=person.nonce, **more).json
    booked(person)
    return answer


def booked(person):
    """Vials hide what was won until it is paid; what the lines win is told at once, and may be on its way yet."""
    if person.round["next"] == "pick" or not all(j["booked"] for j in person.round["jackpots"]):
        person.awarded()


def finish(person, gamble=0):
    """To the end of the open round, with so many gambles where there are any; the phases."""
    phases = person.watch()
    booked(person)
    while person.round["next"] == "gamble" and not person.round["closed"]:
        before, pending, steps = person.balance, person.round["pending_minor"], len(person.round["gambles"])
        if steps >= gamble or person.round["gamble_attempts_left"] == 0:
            person.act("collect")
            assert person.balance == before + pending, (before, pending, person.state)
            break
        person.act("gamble", choice=steps % 2)
        step = person.round["gambles"][-1]
        assert (step["attempt"], step["stake_minor"], step["guess"]) == (steps + 1, pending, steps % 2), (step, pending)
        check_card(person.game, step)
        ended = person.round["closed"]
        assert person.balance == before + (2 * pending if step["won"] and ended else 0), (before, person.state)
        assert step["won"] or ended, person.round
    return phases


def check_card(game, step):
    """A joker shows on wins only; any other card is of the guessed colour exactly when it won."""
    rules = GAMES[game].definition["gamble"]
    if step["card"] == 52:
        assert rules["jokers"] and step["won"], step
        return
    suit = ("clubs", "diamonds", "hearts", "spades")[step["card"] // 13]
    assert suit in rules["suits"] and step["won"] == ((suit in ("diamonds", "hearts")) == (step["guess"] == 0)), step


def whole(person, **options):
    """A round from bet to end, its money checked to the last minor unit; (round, phases)."""
    gamble = options.pop("gamble", 0)
    before = person.balance
    bet(person, **options)
    phases = finish(person, gamble)
    round_ = person.round
    assert round_["closed"] and round_["next"] == "bet", round_
    GAMES[person.game].check_round(round_, phases)
    paid = sum(j["paid_minor"] for j in round_["jackpots"])
    assert person.balance == before - round_["stake_minor"] + round_["win_minor"] + paid, (before, person.balance, round_)
    with lock:
        for phase in phases:
            kinds[(person.game, phase["kind"])] = kinds.get((person.game, phase["kind"]), 0) + 1
    return round_, phases


# ---- natural rounds ----------------------------------------------------------------------------------------------------------

def natural(game, mode, currency="EUR"):
    """Rounds of one mode with nothing forced, at all coin values, and that the history agrees with all of them."""
    rules, choice = GAMES[game], random.Random(f"{game} {mode} {currency}")
    person = sit(game, currency=currency, deposit=20000000)
    coins = [c for c in rules.coins(currency) if mode == "base" or rules.price(mode, c * rules.lines_max) <= (rules.definition["bet"]["currencies"][currency]["price_max"] or 0)]
    rounds = []
    for i in range(ROUNDS.get(mode, 20) if currency == "EUR" else 5):
        coin = coins[i % 3] if i % 5 else choice.choice(coins)
        lines = choice.randint(rules.definition["bet"]["lines"]["min"], rules.lines_max) if i % 3 == 0 else rules.lines_max
        round_, phases = whole(person, mode=mode if i % 2 or mode != "base" else None, coin=coin, lines=lines, gamble=i % 4,
                               coins=choice.randint(1, rules.coins_max) if i % 4 == 0 else 1)
        assert round_["bet"]["mode"] == mode and round_["game"] == game, round_
        rounds.append((round_, phases, person.nonce))
    history(person, rounds)
    with lock:
        played[(game, mode, currency)] = rounds


def history(person, rounds):
    """The list of rounds, and the service's own replay of the longest: the same screens, the secret that was promised."""
    listed = {row["round"]: row for row in person.ask("GET", "/v1/rounds?limit=100", keep=False).json["rounds"]}
    for round_, _, _ in rounds:
        row = listed[round_["round"]]
        assert (row["game"], row["stake_minor"], row["win_minor"], row["closed"]) == (person.game, round_["stake_minor"],
                round_["win_minor"] + sum(j["paid_minor"] for j in round_["jackpots"]), True), (row, round_)
        assert row["balance_after_minor"] == row["balance_before_minor"] - row["stake_minor"] + row["win_minor"], row
    for round_, phases, nonce in sorted(rounds, key=lambda r: -len(r[1]))[:5]:
        answer = person.ask("GET", f"/v1/rounds/{round_['round']}", keep=False)
        again = answer.json["round"]
        with lock:
            saved.append((round_["math_version"], person.promised[round_["round"]], answer.raw.decode()))
        assert again["phases"] == phases, (again["phases"], phases)
        assert {k: again[k] for k in ("bet", "stake_minor", "win_minor", "result_digest", "before")} == {k: round_[k] for k in ("bet", "stake_minor", "win_minor", "result_digest", "before")}
        assert hashlib.sha256(bytes.fromhex(again["secret"])).hexdigest() == person.promised[round_["round"]], "not the secret that was promised"
        assert again["client_nonce"] == nonce


def test_every_mode_of_every_game():
    with ThreadPoolExecutor(4) as threads:
        jobs = [threads.submit(natural, game, mode) for game in IDS for mode in GAMES[game].modes]
        jobs += [threads.submit(natural, game, "base", "SEK") for game in IDS]
        for job in jobs:
            job.result()
    rounds = sum(len(r) for r in played.values())
    assert len(played) == sum(len(g.modes) for g in GAMES.values()) + len(IDS), played.keys()
    print(f"measured: {rounds} natural rounds of {len(played)} modes, {sum(kinds.values())} phases recomputed")


def proof_of(person_state, round_, nonce, promised):
    game = GAMES[round_["game"]]
    before = round_["before"]
    state = {"potions": before["potions"], "unlocked": len(before["unlocked"]) - 1} if before else None
    return {"game": game.path, "math_version": round_["math_version"], "bet": {**{k: round_["bet"][k] for k in ("coin_minor", "lines", "coins", "mode")}, "currency": person_state},
            **({"state": state} if state else {}), "secret": round_["secret"], "nonce": nonce, "digest": round_["result_digest"], "secret_hash": promised}


def slotmath(proof, name):
    path = f"{place.data}/{name}.json"
    with open(path, "w", encoding="utf-8") as file:
        json.dump(proof, file)
    done = subprocess.run([f"{BIN}/slotmath", "replay", path, "--json"], capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr


def replayed(key, at, round_, phases, nonce):
    """The round again by slotmath, from what was disclosed of it alone."""
    promised = hashlib.sha256(bytes.fromhex(round_["secret"])).hexdigest()
    code, out, error = slotmath(proof_of(key[2], round_, nonce, promised), f"proof-{'-'.join(key)}-{at}")
    assert code == 0, (out, error)
    told = json.loads(out)
    assert told["agrees"] and [check["state"] for check in told["checks"]][:3] == ["agrees"] * 3, told["checks"]
    assert told["stake"] == round_["stake_minor"] and told["win"] == sum(p["win_minor"] for p in phases), (told["win"], round_)
    for mine, theirs in zip(phases, told["phases"], strict=True):
        # The pool prices a jackpot, which this short form of the file does not tell.
        other = [name for name in theirs if name != "wins" and mine[name] != theirs[name]]
        assert not other, (other, mine, theirs)
        assert [w for w in mine["wins"] if w["what"] != "jackpot"] == [w for w in theirs["wins"] if w["what"] != "jackpot"], (mine, theirs)


def test_slotmath_replays_what_was_disclosed():
    jobs = [(key, at, *rounds[at]) for key, rounds in played.items() for at in sorted(range(len(rounds)), key=lambda i: -len(rounds[i][1]))[:REPLAYS if key[2] == "EUR" else 1]]
    with ThreadPoolExecutor(2) as threads:
        for job in [threads.submit(replayed, *job) for job in jobs]:
            job.result()
    print(f"measured: {len(jobs)} rounds replayed by slotmath")
    round_, _, nonce = played[("mystic-gem", "base", "EUR")][0]
    promised = hashlib.sha256(bytes.fromhex(round_["secret"])).hexdigest()
    good = proof_of("EUR", round_, nonce, promised)
    for name, change in {"digest": {"digest": "00" * 32}, "secret": {"secret_hash": "11" * 32}, "version": {"math_version": "22" * 32},
                         "nonce": {"nonce": "33" * 16}, "bet": {"bet": {**good["bet"], "mode": "wild_1"}}}.items():
        code, out, _ = slotmath({**good, **change}, f"wrong-{name}")
        assert code == 1, (name, code, out)


def test_saved_rounds_agree_with_their_definitions():
    """What the fairness page saves: the gateway's own answers. The page's module and slotmath find all of it as it was shown."""
    texts = {}
    for version in {version for version, _, _ in saved}:
        told = place.http("GET", f"/v1/definitions/{version}")
        assert told.status == 200 and hashlib.sha256(told.raw).hexdigest() == version, (version, told.status)
        texts[version] = told.raw.decode()
    lines = "\n".join(f'{{"carillon_round":1,"promised":"{promised}","answer":{answer.strip()},"definition":{texts[version]}}}' for version, promised, answer in saved)
    module = subprocess.run(["node", "--no-warnings", f"{ROOT}/tests/tools/fair.mjs", f"{ROOT}/build/fairness.wasm", f"{ROOT}/services/spin-engine/games"],
                            input=lines, capture_output=True, text=True, timeout=120, check=True).stdout
    tool = subprocess.run([f"{BIN}/slotmath", "replay", "--each", "-"], input=lines, capture_output=True, text=True, timeout=120, check=False)
    assert tool.returncode == 0 and tool.stdout == module, (tool.returncode, tool.stderr)
    states = {(check["what"], check["state"]) for line in module.splitlines() for check in json.loads(line)["checks"]}
    assert {state for _, state in states} == {"agrees", "none"} and ("screens", "agrees") in states, states
    print(f"measured: {len(saved)} saved rounds judged alike by the page's module and slotmath")


def test_definitions_are_known_by_their_digest():
    for digest, status, code in (("00" * 32, 404, "definition_unknown"), ("0" * 63, 400, "field_range"), ("G" * 64, 400, "field_range")):
        told = place.http("GET", f"/v1/definitions/{digest}")
        assert (told.status, told.json["error"]["code"]) == (status, code), (digest, told.raw)


# ---- what players are told of the games -----------------------------------------------------------------------------------------

DISCLOSED = {"/cards/odds"}  # of Jackpot Cards: players are to be told. RULE mystic-gem 6.12


def secret_words(value, where=""):
    if isinstance(value, dict):
        for name, member in value.items():
            if "weight" in name or name == "odds" or (name == "strips" and not isinstance(member, str)):
                if f"{where}/{name}" in DISCLOSED:
                    continue
                yield f"{where}/{name}"
            yield from secret_words(member, f"{where}/{name}")
    elif isinstance(value, list):
        for member in value:
            yield from secret_words(member, where)


def test_games_hide_their_weights():
    listed = place.http("GET", "/v1/games").json["games"]
    assert {g["id"] for g in listed} == set(IDS), listed
    for game, rules in GAMES.items():
        told = place.http("GET", f"/v1/games/{game}").json
        assert not list(secret_words(told)), list(secret_words(told))
        assert [(m["id"], m["price_hundredths"]) for m in told["modes"]] == [(m["id"], m["price_hundredths"]) for m in rules.definition["modes"]], told["modes"]
        for feature in ("battle", "free_spins", "sticky_respins", "hold_and_win", "potions", "progressive_symbols", "gamble", "expanding_wild"):
            assert (told[feature] is None) == (rules.definition[feature] is None), (game, feature)


# ---- staged moves -----------------------------------------------------------------------------------------------------------

def refused(status, code, ask, *arguments, **options):
    """What is refused with that code; the error. Neither the number nor the money moves."""
    try:
        ask(*arguments, status=200, **options)
    except Refused as error:
        answer = error.answer
        assert (answer.status, answer.error.get("code")) == (status, code), (status, code, answer)
        return answer.error
    raise AssertionError(f"accepted, expected {status} {code}")


def test_bewitched_witch_vials_and_free_spins():
    rules, person = GAMES["bewitched"], sit("bewitched")
    assert person.setting(witch=1).json["witch"] == 1 and person.refresh()["witch"] == 1
    refused(400, "bad_witch", person.setting, witch=2)
    stops = rules.script(lambda w: sum("wizard" in c for c in w) == 3 and sum("battle" in c for c in w) == 0, seed="vials")
    vials = rules.definition["vials"]["outcomes"]
    y, total = rules.lines_max, rules.lines_max * person.coin
    before, at = person.balance, 0
    for outcome in vials:
        if (outcome["kind"], outcome["value"]) == ("free_spins", 15):
            break
        at += outcome["weight"] + outcome["weight_per_coin"] * y
    bet(person, script=[*stops, at])
    assert person.round["next"] == "pick" and person.round["picks_left"] == 3 and len(person.round["phases"]) == 1, person.round
    assert person.balance == before - total, "nothing is told of the outcome"
    refused(409, "pick_needed", person.act, "next")
    refused(400, "bad_choice", person.act, "pick", choice=9)
    refused(409, "feature_open", person.bet, 1, 15, 1)
    refused(409, "feature_open", person.act, "collect")
    assert person.round["picked"] == "", person.round
    for left, choice, picked in ((2, 4, "04"), (2, 4, "04"), (1, 0, "0400")):  # the same vial twice is one pick
        person.act("pick", choice=choice)
        assert (person.round["next"], person.round["picks_left"], person.round["picked"]) == ("pick", left, picked), person.round
    person.act("pick", choice=8)
    bonus = person.round["phases"][-1]
    assert (bonus["kind"], bonus["outcome"], bonus["outcome_value"], bonus["picks"], bonus["free_spins_left"]) == ("bonus", "free_spins", 15, "040008", 15), bonus
    assert person.round["next"] == "next", "free spins are started by the player"
    refused(409, "feature_open", person.bet, 1, 15, 1)
    phases = finish(person)
    whole_round = place.http("GET", f"/v1/rounds/{person.round['round']}", token=person.token).json["round"]
    rules.check_round(whole_round, whole_round["phases"])
    spins = [p for p in whole_round["phases"] if p["kind"] == "free_spin"]
    assert len(spins) >= 15 and all(p["multiplier"] == 2 for p in spins) and phases[-1] == whole_round["phases"][-1]
    assert [p["index"] for p in whole_round["phases"]] == list(range(len(whole_round["phases"])))
    money = next(i for i, o in enumerate(vials) if o["kind"] == "money")
    at = sum(o["weight"] + o["weight_per_coin"] * y for o in vials[:money])
    round_, phases = whole(person, script=[*stops, at])
    assert phases[-1]["win_minor"] == vials[money]["value"] * total, phases
    assert person.setting(witch=0).json["witch"] == 0
    assert person.ask("GET", f"/v1/rounds/{whole_round['round']}").json["witch"] == 1, "the witch of then"
    fight = rules.script(lambda w: sum("battle" in c for c in w) == 3 and sum("wizard" in c for c in w) == 0, seed="battle")
    for value, spins in ((0, 0), (1, 8)):
        round_, phases = whole(person, script=[*fight, value])
        assert phases[1]["kind"] == "battle" and phases[1]["free_spins_awarded"] == spins and len(bytes.fromhex(phases[1]["feature_cells"])) == 3, phases[1]
        assert phases[1]["win_minor"] == 5 * total and sum(p["kind"] == "free_spin" for p in phases) >= spins


def test_mystery_elves_hold_and_win():
    rules, person = GAMES["mystery-elves"], sit("mystery-elves", coin=10)
    hold = rules.definition["hold_and_win"]
    carried = sum(v["weight"] for v in hold["values"])
    mystery, multiplier = carried, carried + hold["mystery"]["weight"]
    wanted = lambda n: rules.script(lambda w: sum(c.count("parcel") for c in w) == n, seed=f"parcels {n}")
    round_, phases = whole(person, script=[*wanted(5), 0, 0, mystery, multiplier, 0])
    assert [p["kind"] for p in phases] == ["spin"] and [l["kind"] for l in phases[0]["loads"]] == ["value", "value", "mystery", "multiplier", "value"], phases
    assert all(l["award"] == "" and l["own"] == 0 for l in phases[0]["loads"]), "nothing is resolved before the end"
    round_, phases = whole(person, script=[*wanted(6), 0, 0, mystery, multiplier, 0, multiplier])
    assert [p["kind"] for p in phases[1:]] == ["hold_respin"] * (len(phases) - 2) + ["hold_end"] and len(phases) >= 5, [p["kind"] for p in phases]
    for before, after in zip(phases, phases[1:]):
        held = set(bytes.fromhex(after["held"]))
        assert held == {l["cell"] for l in before["loads"]} and (after["kind"] == "hold_end" or not held & set(bytes.fromhex(after["landed"]))), (before, after)
    end = phases[-1]
    assert all((l["x"] in (2, 3, 4, 5) and l["own"] > 0) if l["kind"] == "multiplier" else True for l in end["loads"]), end["loads"]
    factors = [l["x"] for l in end["loads"] if l["kind"] == "multiplier"]
    for load in end["loads"]:
        if load["kind"] == "mystery":
            assert load["award"] in ("mini", "minor", "major", "grand") and load["own"] > 0, load
            assert load["award"] != "grand" or max(factors) < 3, "GRAND never with x3, x4 or x5"
            assert any(w["name"] == load["award_name"] for w in end["wins"]), end["wins"]


def test_mona_lisa_free_spins_and_sticky_spins():
    rules, person = GAMES["mona-lisa"], sit("mona-lisa")
    jewels = lambda c: c.count("jewel") >= 2
    quiet = lambda c: "easel" not in c and "diadem" not in c
    sticky = rules.script([lambda c: jewels(c) and quiet(c), quiet, quiet, quiet, quiet], seed="jewels")
    before = person.balance
    bet(person, script=sticky)
    assert (person.round["next"], len(person.round["phases"])) == ("next", 1) and person.balance == before - 25, person.round
    phases = finish(person)
    assert [p["kind"] for p in phases[:3]] == ["spin", "sticky_spin", "sticky_spin"] and [p["respins_left"] for p in phases[1:3]] == [1, 0], phases
    for spin in phases[1:3]:
        window, held = bytes.fromhex(spin["window"]), set(bytes.fromhex(spin["held"]))
        assert {0, 1, 2} <= held and all(window[c] == bytes.fromhex(phases[0]["window"])[c] for c in held if c < 3), spin
    rules.check_round(person.round, phases)
    free = rules.script(lambda w: sum("easel" in c for c in w) == 3 and not jewels(w[0]) and not any("diadem" in c for c in w), seed="easels")
    round_, phases = whole(person, script=free)
    spins = [p for p in phases if p["kind"] == "free_spin"]
    assert phases[0]["free_spins_awarded"] == 10 and len(spins) >= 10 and spins[-1]["free_spins_left"] == 0, phases
    both = rules.script([lambda c: jewels(c) and "easel" in c, lambda c: "easel" in c, lambda c: "easel" in c, quiet, quiet], seed="both") if any(
        jewels(rules.column("base", 0, s)) and "easel" in rules.column("base", 0, s) for s in range(len(rules.strip("base", 0)[0]))) else rules.script(
        lambda w: sum("easel" in c for c in w) == 3 and jewels(w[0]), seed="both")
    round_, phases = whole(person, script=both)
    order = [p["kind"] for p in phases]
    assert order[:3] == ["spin", "sticky_spin", "sticky_spin"] and order.count("free_spin") >= 10, "sticky spins come before free spins"


def test_gambles():
    for game, halve in (("mystic-gem", False), ("mystery-elves", True)):
        rules, person = GAMES[game], sit(game)
        plain = lambda w: not any(s in c for c in w for s in ("parcel", "wild", "compass", "bottle", "bell"))
        for attempt in range(40):
            script = rules.script(plain, seed=f"gamble {attempt}")
            before = person.balance
            bet(person, script=script)
            if person.round["next"] != "gamble":
                continue
            pending, stake = person.round["pending_minor"], person.round["stake_minor"]
            assert pending == person.round["win_minor"] > 0 and person.balance == before - stake and person.state["pending_minor"] == pending
            if halve:
                person.act("halve")
                assert person.balance == before - stake + pending // 2 and person.round["pending_minor"] == pending - pending // 2, "the odd cent stays in the game"
            else:
                refused(409, "halve_not_offered", person.act, "halve")
            finish(person, gamble=10)
            assert person.round["closed"] and person.state["pending_minor"] == 0, person.round
            break
        else:
            raise AssertionError(f"{game}: no small win was found")
        refused(409, "round_closed", person.act, "gamble", choice=0)
    for game in ("mona-lisa", "witch-feature"):
        person = sit(game)
        for _ in range(30):
            round_, _ = whole(person)
            assert round_["gamble_attempts_left"] == 0 and round_["pending_minor"] == 0
            if round_["win_minor"]:
                break


# ---- potions ----------------------------------------------------------------------------------------------------------------

def unlock_script(colours, reel=1):
    """A spin that shows these potions from the left and no free spins."""
    rules = GAMES["witch-feature"]
    potions = ("red", "blue", "green")
    shown = lambda w: [s for c in w for s in c if s in potions]
    return rules.script(lambda w: shown(w) == list(colours) and sum("cauldron" in c for c in w) < 2, seed=" ".join(colours), tries=2000000)


def carried(person):
    return {c["stake_minor"]: (c["potions"], c["unlocked"]) for c in person.state["carried"]}


def test_carried_state_survives_a_crash():
    person = sit("witch-feature")
    assert person.state["carried"] == []
    whole(person, script=unlock_script(["red"]))
    whole(person, script=unlock_script(["blue"]), coin=2)
    expected = {50: ([1, 0, 0], ["high_symbols"]), 100: ([0, 1, 0], ["high_symbols"])}
    assert carried(person) == expected, person.state["carried"]
    place.kill("spin-engine-1")
    again = eventually("the engine to come back", lambda: next((a for a in [place.http("GET", "/v1/state?game=witch-feature", token=person.token)] if a.status == 200), None), 20)
    person.state = {**person.state, **again.json}
    assert carried(person) == expected, "nothing is lost by kill -9"
    round_, phases = whole(person, script=unlock_script(["blue"]))
    assert carried(person)[50] == ([1, 1, 0], ["high_symbols"]) and carried(person)[100] == expected[100]
    round_, phases = whole(person, script=unlock_script(["green"]))
    assert round_["before"] == {"stake_minor": 50, "potions": [1, 1, 0], "unlocked": ["high_symbols"]}, round_["before"]
    assert phases[0]["features"] == ["high_symbols"] and phases[0]["potion_colours"].count("03") == 1, phases[0]
    assert [p["kind"] for p in phases] == ["spin", "potion_respin"] and phases[1]["features"] == ["high_symbols"] and phases[1]["strips"] == "high", phases
    assert carried(person)[50] == ([0, 0, 0], ["high_symbols", "random_wilds"]) and carried(person)[100] == expected[100], "unlocked for this bet value alone"
    whole(person, script=unlock_script(["red"]))
    whole(person, script=unlock_script(["blue"]))
    round_, phases = whole(person, script=unlock_script(["blue"]))
    assert phases[0]["features"] == ["random_wilds"] and bytes.fromhex(phases[1]["covered"]), phases
    assert carried(person)[50][1] == ["high_symbols", "random_wilds", "multiplier"]
    for colour in ("red", "green"):
        whole(person, script=unlock_script([colour]))
    round_, phases = whole(person, script=unlock_script(["green"]))
    respins = [p for p in phases if p["kind"] == "potion_respin"]
    assert phases[0]["features"] == ["multiplier"] and respins[-1]["win_minor"] > 0 and all(p["win_minor"] == 0 for p in respins[:-1]), "respins until a win"
    assert len({p["multiplier"] for p in respins}) == 1 and respins[0]["multiplier"] in (2, 3, 5, 8, 10)
    for colour in ("blue", "green"):
        whole(person, script=unlock_script([colour]))
    round_, phases = whole(person, script=unlock_script(["blue"]))
    assert phases[0]["features"] == ["mega_wild"] and len(bytes.fromhex(phases[1]["covered"])) in (4, 8, 9), phases
    for colour in ("red", "red"):
        whole(person, script=unlock_script([colour]), coin=2)
    assert 100 not in carried(person), "1 blue of the start and 2 red: complete, opens nothing, and nothing is left to carry"


def test_a_void_gives_back_potions_and_unlocks():
    """RULE witch-feature 1.5"""
    person = sit("witch-feature")
    for colour in ("red", "blue"):
        whole(person, script=unlock_script([colour]))
    collected = carried(person)
    balance = person.balance
    round_, _ = whole(person, script=unlock_script(["green"]))
    assert carried(person)[50] == ([0, 0, 0], ["high_symbols", "random_wilds"]), person.state["carried"]
    person.operator("voids", {"game": "witch-feature", "round": round_["round"], "reason": "a test"})
    person.refresh()
    assert carried(person) == collected == {50: ([1, 1, 0], ["high_symbols"])} and person.balance == balance, person.state
    round_, phases = whole(person, script=unlock_script(["green"]))
    assert phases[0]["features"] == ["high_symbols"] and round_["before"]["potions"] == [1, 1, 0], "as if it had not been played"


def test_explosion_and_free_spins_of_witch_feature():
    rules, person = GAMES["witch-feature"], sit("witch-feature")
    whole(person, script=unlock_script(["red"]))
    whole(person, script=unlock_script(["red"]))
    round_, phases = whole(person, script=[*unlock_script(["red"]), 0])
    assert phases[0]["explodes"] and phases[1]["kind"] == "explosion", phases
    covered, window = bytes.fromhex(phases[1]["covered"]), bytes.fromhex(phases[1]["window"])
    assert len(covered) >= 3 and len({window[c] for c in covered}) == 1, "all marks are one symbol"
    assert carried(person).get(50, ([0, 0, 0], 0))[0] == [0, 0, 0]
    for i, colour in enumerate(("green", "green", "green")):
        last = rules.definition["potions"]["explosion"]["odds"]["of"] - 1
        round_, phases = whole(person, script=[*unlock_script([colour]), *([last] if i == 2 else [])])
    assert len(phases) == 1 and not phases[0]["explodes"], phases
    free = rules.script(lambda w: "cauldron" in w[0] and "cauldron" in w[4] and not any(s in c for c in w for s in ("red", "blue", "green")), seed="cauldrons")
    round_, phases = whole(person, script=free)
    spins = [p for p in phases if p["kind"] == "free_spin"]
    assert phases[0]["free_spins_awarded"] == 10 and len(spins) >= 10, phases
    assert spins[-1]["free_spins_left"] == 0


def test_a_long_round_is_told_whole_in_pages():
    """More phases than an answer holds, and nobody who must start one: the paid spin comes first, and no phase is left out."""
    rules, person = GAMES["witch-feature"], sit("witch-feature")
    potions = ("red", "blue", "green")
    first = rules.script(lambda w: "cauldron" in w[0] and "cauldron" in w[4] and not any(s in c for c in w for s in potions), seed="cauldrons")
    again = [*rules.script(lambda w: "cauldron" in w[0] and "cauldron" in w[4], name="free", seed="again"), rules.definition["potions"]["free_spins"]["odds"]["of"] - 1]
    for _ in range(40):  # 40 free spins for certain, and what they bring
        bet(person, script=[*first, *again, *again, *again])
        round_ = person.round
        if round_["cursor"] > 64:
            break
    assert round_["cursor"] > 64 and round_["closed"], round_["cursor"]
    assert round_["phase_from"] == 0 and [p["index"] for p in round_["phases"]] == list(range(64)) and round_["phases"][0]["kind"] == "spin"
    phases = person.told_whole()
    rules.check_round(round_, phases)
    assert len(phases) == round_["cursor"], (len(phases), round_["cursor"])
    replay = person.ask("GET", f"/v1/rounds/{round_['round']}").json["round"]["phases"]
    assert [(p["kind"], p["window"], p["win_minor"]) for p in replay] == [(p["kind"], p["window"], p["win_minor"]) for p in phases][:len(replay)]
    assert person.page(round_["cursor"]) == [] and person.page(round_["cursor"] - 1) == phases[-1:]
    for query, where in (("round=0", "round"), ("round=x", "round"), (f"round={round_['round']}&from=-1", "from"), ("from=1e3", "from")):
        answer = place.http("GET", f"/v1/state?game=witch-feature&{query}", token=person.token)
        assert (answer.status, answer.error["where"]) == (400, where), answer


def test_who_comes_back_is_given_the_last_round_and_the_last_cards():
    """RULE witch-feature 8.1, 8.3; RULE mystic-gem 4.8; RULE bewitched 5.8"""
    person = sit("witch-feature")
    state = lambda game: person.ask("GET", f"/v1/state?game={game}").json
    assert "last_round" not in state("witch-feature") and state("witch-feature")["gamble_cards"] == []
    round_, phases = whole(person)
    back = state("witch-feature")
    assert back["round"] is None and back["last_round"]["round"] == round_["round"] and back["last_round"]["closed"], back
    assert back["last_round"]["phases"] == phases[-64:] and back["last_round"]["win_minor"] == round_["win_minor"]
    assert "last_round" not in state("mystic-gem"), "of the game asked for"
    late = place.http("POST", "/v1/rounds", {**person.bet_body(1, 50, 1), "expect": person.expect - 1}, token=person.token, key=os.urandom(8).hex())
    assert late.status == 409 and state("witch-feature")["last_round"] == back["last_round"], "what changed nothing"
    player, seen = sit("mystic-gem"), []
    for _ in range(200):
        bet(player)
        steps = 0
        while player.round["next"] == "gamble" and not player.round["closed"] and steps < 3:
            player.act("gamble", choice=0)
            steps += 1
            seen.insert(0, player.round["gambles"][-1]["card"])
            assert player.state["gamble_cards"] == seen[:5], (player.state["gamble_cards"], seen)
        if player.round["next"] == "gamble" and not player.round["closed"]:
            player.act("collect")
        if len(seen) > 5:
            break
    assert len(seen) > 5 and player.refresh()["gamble_cards"] == seen[:5]


def test_hold_and_win_is_sold_at_every_bet_for_one_spin():
    """RULE mystery-elves 4.1, 4.5"""
    for currency, coin in (("EUR", 1000), ("SEK", 10000)):
        person = sit("mystery-elves", coin=coin, deposit=200 * coin * 70, currency=currency)
        round_, _ = whole(person, mode="hold")
        assert round_["stake_minor"] == 700 * coin, round_
    rules, person = GAMES["mystery-elves"], sit("mystery-elves")
    quiet = rules.script(lambda w: not any(s in c for c in w for s in ("parcel", "bell", "wild")), seed="quiet")  # a feature would end autoplay
    auto = autoplay(person, spins=3)
    refused(409, "autoplay_one_spin", bet, person, mode="hold", autoplay=auto)
    assert bet(person, script=quiet, autoplay=auto)["autoplay"]["spins"] == 2


# ---- refusals ---------------------------------------------------------------------------------------------------------------

def test_refused_bets_say_what_was_found_and_expected():
    rows = (  # game, mode, coin, lines, coins, code, where, found, expected
        ("mystic-gem", "wild_4", 1, 40, 1, "mode_not_offered", "bet.mode", "wild_4", "one of base, wild_1, wild_2, wild_3, wild_1_sure, wild_2_sure"),
        ("mystic-gem", "wild_3", 100, 40, 1, "price_above_maximum", "bet.mode", "286000", "1..250000"),
        ("mystic-gem", None, 4, 40, 1, "coin_not_selectable", "bet.coin_minor", "4", "one of 1, 2, 3, 5, 10, 20, 25, 50, 75, 100, 125"),
        ("mystic-gem", "wild_1", 1, 39, 1, "lines_out_of_range", "bet.lines", "39", "40"),
        ("mystic-gem", None, 1, 40, 2, "coins_out_of_range", "bet.coins", "2", "1"),
        ("mystery-elves", "wild_1", 1, 10, 1, "mode_not_offered", "bet.mode", "wild_1", "one of base, hold"),
        ("mona-lisa", "hold", 1, 25, 1, "mode_not_offered", "bet.mode", "hold", "one of base"),
        ("mona-lisa", None, 1, 26, 1, "lines_out_of_range", "bet.lines", "26", "1..25"),
        ("mona-lisa", None, 100, 25, 11, "coins_out_of_range", "bet.coins", "11", "1..10"),
        ("witch-feature", None, 1, 49, 1, "lines_out_of_range", "bet.lines", "49", "50"),
        ("bewitched", None, 1, 15, 11, "coins_out_of_range", "bet.coins", "11", "1..10"),
    )
    for game, mode, coin, lines, coins, code, where, found, expected in rows:
        person = sit(game)
        expect, balance = person.expect, person.balance
        error = refused(400, code, person.bet, coin, lines, coins, mode=mode)
        assert (error["where"], error["found"], error["expected"]) == (where, found, expected), error
        state = person.refresh()
        assert (state["expect"], state["balance_minor"], state["round"]) == (expect, balance, None), state
        assert whole(person)[0]["round"] == expect, "the number was not spent"


def test_a_bought_mode_costs_its_price_or_nothing():
    for game, mode in (("mystic-gem", "wild_3"), ("mystery-elves", "hold")):
        rules = GAMES[game]
        price = rules.price(mode, rules.lines_max)
        person = sit(game, deposit=0)
        taken = person.operator("withdrawals", {"amount_minor": person.balance - (price - 1), "currency": "EUR"}).json
        assert taken["balance_minor"] == price - 1, taken
        answer = person.ask("POST", "/v1/rounds", person.bet_body(1, rules.lines_max, 1, mode=mode), status=402)
        assert answer.error["code"] == "insufficient_funds" and answer.json["smallest_bet_minor"] == rules.lines_max, answer
        assert person.refresh()["balance_minor"] == price - 1
        person.deposit(1)
        round_, _ = whole(person, mode=mode)
        assert round_["stake_minor"] == price and person.balance == round_["win_minor"], round_


# ---- autoplay ---------------------------------------------------------------------------------------------------------------

def autoplay(person, **more):
    identity = os.urandom(16).hex()
    person.setting(autoplay={"id": identity, "spins": 5, **more})
    return identity


def test_autoplay_stops_on_a_feature_where_it_is_asked_to():
    rules, person = GAMES["witch-feature"], sit("witch-feature")
    quiet = rules.script(lambda w: sum("cauldron" in c for c in w) < 2 and not any(s in c for c in w for s in ("red", "blue", "green")), seed="quiet")
    free = rules.script(lambda w: "cauldron" in w[0] and "cauldron" in w[4] and not any(s in c for c in w for s in ("red", "blue", "green")), seed="cauldrons")
    identity = autoplay(person, stop_on_feature=True)
    assert person.state["autoplay"]["stop_on_feature"] is True and person.state["autoplay"]["spins"] == 5, person.state["autoplay"]
    bet(person, script=quiet, autoplay=identity)
    assert person.state["autoplay"]["spins"] == 4, person.state["autoplay"]
    bet(person, script=free, autoplay=identity)
    assert person.state["autoplay"] is None, "a feature came"
    refused(409, "autoplay_stopped", person.bet, 1, 50, 1, autoplay=identity)
    identity = autoplay(person)
    bet(person, script=free, autoplay=identity)
    assert person.state["autoplay"]["spins"] == 4, "nobody asked for it to stop"
    for game in ("bewitched", "mystic-gem", "mystery-elves", "mona-lisa"):
        refused(409, "autoplay_feature_stop_not_offered", sit(game).setting, autoplay={"id": os.urandom(16).hex(), "spins": 5, "stop_on_feature": True})


# ---- the jackpot of the lines ---------------------------------------------------------------------------------------------------

def mona_lisa_pool():
    rows = {}
    jackpot = GAMES["mona-lisa"].definition["jackpot"]
    for currency, about in jackpot["rows"].items():
        for seed in about["seeds"]:
            rows[(currency, seed["coin"])] = (seed["seed"], Fraction(about["row_rate_nano"], 10 ** 9))
    return Progressive(rows, jackpot["contribution_ppm"], Fraction(jackpot["base_coin_eur_minor"], 100))


def shown(currency, coin):
    pool = next(p for p in good(place.http("GET", "/v1/jackpots"), "jackpots").json["pools"] if p["pool"] == 4)
    return next(r["value_minor"] for r in pool["rows"] if (r["currency"], r["coin_minor"]) == (currency, coin))


def test_line_jackpot_is_claimed_and_paid():
    """First of all tests at this game: its pool begins at the seeds."""
    rules, person, pool = GAMES["mona-lisa"], sit("mona-lisa"), mona_lisa_pool()
    line = rules.lines[0]
    crowns = [lambda c, row=row: c[row] == "diadem" and "easel" not in c and c.count("jewel") < 2 for row in line]
    stops = rules.script(crowns, seed="diadems")
    value = eventually("the pool", lambda: shown("EUR", 1), 10)
    assert value == pool.shown(("EUR", 1)) == 50000, value
    for coins in (9, 10):
        before = person.balance
        answer = bet(person, script=stops, coins=coins)
        pool.bet(25 * coins)
        round_, phases = person.round, finish(person)
        rules.check_round(person.round, phases)
        if coins == 9:
            assert round_["jackpots"] == [] and max(w["amount_minor"] for w in phases[0]["wins"]) >= 1000 * 9, "below the largest bet they pay the paytable"
            assert person.balance == before - 225 + person.round["win_minor"]
            continue
        paid = pool.hit(("EUR", 1))
        assert [(j["index"], j["pool"], j["paid_minor"], j["booked"]) for j in person.round["jackpots"]] == [(1, 4, paid, True)], (person.round["jackpots"], paid)
        crowned = [w for w in phases[0]["wins"] if w["what"] == "jackpot"]
        assert [(w["line"], w["count"], w["amount_minor"], w["name"]) for w in crowned] == [(1, 5, paid, "mona-lisa")] and phases[0]["claim_index"] == 1, crowned
        assert person.balance == before - 250 + person.round["win_minor"] + paid and answer["round"]["closed"], person.state
    assert place.sql(f"select pool, kind, paid_minor, closed_seq is not null from wallet.claim where player = {person.id}")[0][2] == str(paid)
    eventually("the row's next jackpot", lambda: shown("EUR", 1) == pool.shown(("EUR", 1)), 5)
    identity = autoplay(person, stop_on_jackpot=True)
    bet(person, script=stops, coins=10, autoplay=identity)
    assert person.state["autoplay"] is None and len(person.round["jackpots"]) == 1, person.state


def test_pools_have_one_name_over_websocket_and_http():
    """What docs/contracts.md says under "Games, pools, numbers"; the list of games says whose they are."""
    by_http = {pool["pool"]: pool["id"] for pool in place.http("GET", "/v1/jackpots").json["pools"]}
    assert by_http == {1: "bewitched", 2: "cards", 4: "mona-lisa"}, by_http
    client = Socket(place.http("GET", "/v1/config").json["events_url"], {"subscribe": ["jackpots"]})
    client.until(lambda e: {pool["pool"]: pool["id"] for pool in e.get("pools", [])} == by_http)
    client.close()
    owners = {game.get("pool"): game["name"] for game in place.http("GET", "/v1/games").json["games"]}
    assert {by_http[n] for n in (1, 4)} <= set(owners), owners


def test_books_balance():
    report = place.verify()
    hits = int(place.sql("select count(*) from pool.hit")[0][0])  # two of the lines, and what natural vials brought
    assert report["ledger_ok"] and report["pools_ok"] and report["hits"] == hits >= 2, report
    seen = {kind for _, kind in kinds}
    assert seen == {"spin", "battle", "bonus", "free_spin", "sticky_spin", "hold_respin", "hold_end", "potion_respin", "explosion"}, seen


if __name__ == "__main__":
    tests = [test_line_jackpot_is_claimed_and_paid, *[f for name, f in list(globals().items()) if name.startswith("test_") and "jackpot" not in name]]
    with Installation("games", kafka=False) as place:
        try:
            run(*tests)
        except SystemExit as status:
            if status.code:
                raise
