#!/usr/bin/env python3
"""A new definition is announced while the installation runs. Whoever has not taken it yet says "not yet" and never "no": the gateway takes what is announced before it refuses
anything, an engine that still plays the one before answers 503, and the same request is taken once the engine has been started again."""
import hashlib
import json
import os
import re
import time

from lib_play import Person, force, good, operator
from lib_rules import Rules
from lib_stack import ROOT, Installation, eventually, read_text, run

LIVE = f"{ROOT}/services/spin-engine/games"
LOSS = Rules(f"{LIVE}/bewitched/definition.json").stops()
COINS = [10, 20, 50, 100, 200]  # of SEK, announced one after the other
place = None
kept = {}  # what one test leaves to the next


def definition(sek, version):
    """Bewitched as it is live, in EUR and at these coin values of SEK."""
    with open(f"{LIVE}/bewitched/definition.json", encoding="utf-8") as file:
        d = json.load(file)
    d["version"] = version
    if sek:
        d["bet"]["currencies"]["SEK"].update(coins=sek, stake_min=min(sek), stake_max=max(sek) * 150)
        rows = d["jackpot"]["rows"]["SEK"]
        rows["seeds"] = [seed for seed in rows["seeds"] if seed["coin"] in sek]
    else:
        for of in (d["bet"]["currencies"], d["jackpot"]["rows"], (d["gamble"] or {}).get("stake_max", {})):
            of.pop("SEK", None)
    return d


def write(d):
    path = f"{place.data}/games/{d['id']}"
    os.makedirs(path, exist_ok=True)
    with open(f"{path}/new", "w", encoding="utf-8") as file:
        json.dump(d, file)
    os.replace(f"{path}/new", f"{path}/definition.json")


def announce(d):
    """As an engine on another host does that was started with it."""
    text = json.dumps(d, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    digest = hashlib.sha256(text.encode()).hexdigest()
    place.sql(f"insert into carillon.game (number, id, math_version, demo, definition) values ({d['number']}, '{d['id']}', '\\x{digest}', false, $${text}$$)", writer=True)


def give(person, **bet):
    return person.operator("bonus-spins", {"game": "bewitched", "currency": person.state["currency"], "lines": 15, "coins": 1, "spins": 1,
                                           "expires_us": int((time.time() + 600) * 1e6), **bet})


def behind(answer):
    assert (answer.status, answer.error.get("code"), answer.headers["Retry-After"]) == (503, "definition_behind", "1"), answer


def test_the_gateway_takes_what_is_announced_before_it_refuses():
    person = Person(place, currency="SEK")
    for n, coin in enumerate(COINS):
        answer = give(person, coin_minor=coin)
        assert (answer.status, answer.error["where"]) == (400, "currency" if n == 0 else "coin_minor"), answer
        announce(definition(COINS[:n + 1], 100 + n))
        answer = give(person, coin_minor=coin)
        assert answer.status == 200, (coin, answer)


def test_announced_game_is_served():
    with open(f"{LIVE}/mona-lisa/definition.json", encoding="utf-8") as file:
        d = json.load(file)
    person = Person(place)
    for number in range(51, 56):
        name = f"game-{number}"
        answer = place.http("GET", f"/v1/games/{name}")
        assert (answer.status, answer.error["code"]) == (404, "game_unknown"), answer
        kept[name] = {**d, "id": name, "number": number, "cards": {"set": "cards", "set_number": 2, "eligible": False}}
        announce(kept[name])
        assert place.http("GET", f"/v1/games/{name}").json["number"] == number
        behind(place.http("GET", f"/v1/state?game={name}", token=person.token))  # the engine's no


def test_outdated_engine_answers_not_yet():
    sek, eur = Person(place, currency="SEK"), Person(place)
    kept["sek"], kept["key"], kept["body"] = sek, os.urandom(8).hex(), sek.bet_body(COINS[0])
    for _ in range(2):
        behind(sek.ask("POST", "/v1/rounds", kept["body"], kept["key"], 503))
    behind(eur.bet(3, status=503))
    behind(eur.setting(503, witch=200))
    assert place.sql(f"select count(*) from wallet.journal where player in ({sek.id}, {eur.id}) and move > 0") == [["0"]], "no number is spent"
    force(place, eur.name, LOSS)
    eur.bet(2)  # what both definitions take is played


def create(key, games):
    body = {"action": "create", "reason": "a test", "parameters": {"pool": "made", "contribution_ppm": 1000, "base_coin_eur_minor": 100, "games": games,
            "rows": {"EUR": {"row_rate_nano": 10 ** 9, "seeds": [{"coin": 10, "seed": 500}]}}}}
    return operator(place, "/pools/77/actions", body, key)


def lower(key):
    body = {"action": "parameters", "reason": "a test", "parameters": {"currency": "SEK", "coin_minor": COINS[0], "seed_minor": 10000}}
    return operator(place, "/pools/1/actions", body, key)


def weights(key):
    return operator(place, "/pools/2/actions", {"action": "weights", "reason": "a test", "parameters": {"game": "game-51", "weights": [1, 1, 1, 1]}}, key)


def looks(pool):
    return (place.http("GET", f"/v1/operators/1/pools/{pool}", token=place.operator_key()),
            operator(place, f"/pools/{pool}/actions", {"action": "pause", "reason": "a test"}))


def test_outdated_pools_answer_not_yet():
    for _ in range(2):
        behind(create("made", ["bewitched", "game-51"]))
        behind(lower("lower"))
        behind(weights("weights"))
    assert place.sql("select count(*) from pool.operator_action") == [["0"]], "a no is kept, a not yet is none"
    refused = create("none", ["bewitched", "none"])
    assert (refused.status, refused.error["code"]) == (409, "refused"), refused
    assert [(a.status, a.error["code"]) for a in looks(99)] == [(404, "pool_unknown")] * 2
    of = kept["game-51"]
    announce({**of, "id": "game-99", "number": 99, "jackpot": {**of["jackpot"], "pool_number": 99}})
    for answer in looks(99):
        behind(answer)
    assert [(a.status, a.error["code"]) for a in looks(9)] == [(404, "pool_unknown")] * 2


def restart(*names):
    pids = {name: place.pid(name) for name in names}
    for name in names:
        place.kill(name)
    eventually(f"{names}", lambda: all(place.pid(name) not in (0, pid) for name, pid in pids.items()), 10)


def test_request_succeeds_after_update():
    write(definition(COINS, 100 + len(COINS) - 1))
    write(kept["game-51"])
    restart("progressive-pool-1", "jackpot-cards-1")
    eventually("the wallet to know the tallies", lambda: len(re.findall(r"tally \d+: pool \d+, game 1, currency 752", read_text(f"{place.data}/log/wallet-1.log"))) >= 2, 15)
    for what, ask in (("made", lambda key: create(key, ["bewitched", "game-51"])), ("lower", lower), ("weights", weights)):
        eventually(what, lambda ask=ask, what=what: good(ask(what), what), 5)
    sek = kept["sek"]
    behind(sek.ask("POST", "/v1/rounds", kept["body"], kept["key"], 503))  # pools ahead of the engine are nothing to it
    restart("spin-engine-1")
    force(place, sek.name, LOSS)
    sek.through("/v1/rounds", kept["body"], kept["key"])
    assert place.sql(f"select count(*), sum(stake) from wallet.journal where player = {sek.id} and move > 0") == [["1", str(COINS[0])]]
    assert place.sql("select count(*) from carillon.game where number = 1") == [[str(len(COINS) + 1)]], "the announced one is the one that is played"


def test_only_current_definition_refuses():
    sek, eur = Person(place, currency="SEK"), Person(place)
    assert eur.bet(3, status=400).error["code"] == "coin_not_selectable"
    assert sek.bet(11, status=400).error["code"] == "coin_not_selectable"
    assert give(sek, coin_minor=11).error["where"] == "coin_minor"
    assert operator(place, f"/players/{eur.number}/bonus-spins", {"game": "none", "currency": "EUR", "coin_minor": 1, "lines": 1, "coins": 1, "spins": 1,
                                                                  "expires_us": int((time.time() + 600) * 1e6)}).error["code"] == "game_unknown"


def test_books_balance():
    place.verify()


if __name__ == "__main__":
    place = Installation("definitions", kafka=False)
    place.environment["CARILLON_GAMES"] = f"{place.data}/games"
    write(definition([], 99))
    with place:
        try:
            run(*[f for name, f in list(globals().items()) if name.startswith("test_")])
        except SystemExit as status:
            if status.code:
                raise
