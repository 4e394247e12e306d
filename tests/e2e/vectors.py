#!/usr/bin/env python3
"""The progressive's worked vectors, V0 to V9 of docs/progressive.md, through the public API on the real stack: Bewitched and Mona Lisa with the rows of
their live definitions, bets over HTTP, jackpots by scripted draws. Every figure is exact: minor units as players see them (GET /v1/jackpots), decimals of
a euro as their operator does (GET /v1/operators/1/pools/{pool}).

Bets of 100,000 EUR are many bets at the games' largest stake (150 EUR, 250 EUR) by several players at once, and one smaller. The vectors speak of EUR
rows alone at first, and of one SEK row later: so the installation begins with the live definitions without SEK, and Bewitched's is replaced by one with a
SEK row while the installation runs. Wins that the vectors tell apart from bets are bonus spins of the operator, which contribute nothing."""
import json
import os
import re
import time
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

from lib_games import Game
from lib_play import Person, force, good
from lib_raw import envelope, field, raw
from lib_rules import Rules
from lib_stack import ROOT, Installation, eventually, read_text, run

LIVE = f"{ROOT}/services/spin-engine/games"
BEWITCHED, MONA_LISA = 1, 4  # pools
RULES = Rules(f"{LIVE}/bewitched/definition.json")  # not the demonstration's
LOSS = RULES.stops()
JACKPOT = [*RULES.stops(bonuses=3), 0]  # the first of the vials' weights
place = None
claims = {}  # step -> (player, move) of its hit


def definition(game, currencies):
    """The live definition with these currencies only: {code: coins}, None: all of its coins."""
    with open(f"{LIVE}/{game}/definition.json", encoding="utf-8") as file:
        d = json.load(file)
    d["bet"]["currencies"] = {c: about for c, about in d["bet"]["currencies"].items() if c in currencies}
    d["jackpot"]["rows"] = {c: about for c, about in d["jackpot"]["rows"].items() if c in currencies}
    if d["gamble"]:
        d["gamble"]["stake_max"] = {c: most for c, most in d["gamble"]["stake_max"].items() if c in currencies}
    for code, coins in currencies.items():
        if coins:
            bets, rows = d["bet"]["currencies"][code], d["jackpot"]["rows"][code]
            bets.update(coins=coins, stake_min=min(coins), stake_max=max(coins) * 150)
            rows["seeds"] = [seed for seed in rows["seeds"] if seed["coin"] in coins]
    return d


def write(game, d):
    path = f"{place.data}/games/{game}"
    os.makedirs(path, exist_ok=True)
    with open(f"{path}/new", "w", encoding="utf-8") as file:
        json.dump(d, file)
    os.replace(f"{path}/new", f"{path}/definition.json")


# ---- what is told ----

def asked(path, token=None):
    return good(place.http("GET", path, token=token), path).json


def view(pool=BEWITCHED):
    return asked(f"/v1/operators/1/pools/{pool}", place.operator_key())


def row(of, coin, currency="EUR"):
    return next(r for r in of["rows"] if (r["currency"], r["coin_minor"]) == (currency, coin))


def settled(t, pool=BEWITCHED):
    """The pool as its operator sees it, once it has heard of every bet."""
    return eventually(f"T = {t}", lambda: next((v for v in [view(pool)] if Decimal(v["t"]) == Decimal(t)), None), 10)


def books(of, **expected):
    found = {name: of["books"][name] for name in expected}
    assert {k: Decimal(v) for k, v in found.items()} == {k: Decimal(v) for k, v in expected.items()}, (found, expected)
    b = {k: Decimal(v) for k, v in of["books"].items()}
    assert b["contributions"] + b["house_seed"] == b["jp_pool"] + b["jp_reserve"] + b["jp_seed"] + b["paid"], b


def shows(pool=BEWITCHED, currency="EUR", **values):
    """As anybody may ask: coin value -> minor units, c20=41000."""
    wanted = {int(coin[1:]): minor for coin, minor in values.items()}

    def told():
        pools = asked("/v1/jackpots")["pools"]
        rows = {r["coin_minor"]: r["value_minor"] for r in next(p for p in pools if p["pool"] == pool)["rows"] if r["currency"] == currency}
        return {coin: rows.get(coin) for coin in wanted} == wanted
    eventually(f"the counters {values}", told, 5)


# ---- what is done ----

def bets(players, n, coin, lines, coins, script):
    """n bets each, at once."""
    for person in players:
        force(place, person.name, *[script] * n)
    with ThreadPoolExecutor(len(players)) as threads:
        for done in [threads.submit(lambda p: [p.bet(coin, lines, coins) for _ in range(n)], person) for person in players]:
            wins = [answer.json["round"]["win_minor"] for answer in done.result()]
            assert not any(wins), wins


def bet(person, coin, lines, coins, script=None):
    force(place, person.name, script or LOSS)
    return person.bet(coin, lines, coins).json


def bonus_spin(person, coin, currency="EUR"):
    """A jackpot at that coin value in a bonus spin; gives what was paid, and its move."""
    before = person.balance
    answer = person.operator("bonus-spins", {"game": "bewitched", "currency": currency, "coin_minor": coin, "lines": 15, "coins": 10, "spins": 1,
                                             "expires_us": int((time.time() + 600) * 1e6)}, status=200)
    eventually("the gift", lambda: any(g["id"] == answer.json["id"] for g in person.refresh()["bonus_spins"]), 5)
    force(place, person.name, JACKPOT)
    person.ask("POST", "/v1/rounds", {"game": "bewitched", "expect": person.expect, "bonus_spin": answer.json["id"], "nonce": os.urandom(16).hex()})
    return won(person, before)


def won(person, before):
    """Watches to the end; the jackpots paid, in their order, are what the balance shows."""
    move = person.round["round"]
    person.awarded()
    phases = person.watch()
    done = person.round
    paid = [j["paid_minor"] for j in done["jackpots"]]
    assert all(j["booked"] for j in done["jackpots"]), done
    other = sum(p["win_minor"] for p in phases)  # of scatters
    if done["next"] == "gamble":
        person.act("collect")
    assert person.refresh()["balance_minor"] == before - done["stake_minor"] + sum(paid) + other, (done, before)
    return paid, move


# ---- the vectors ----

def test_v0_seeds():
    of = settled("0")
    assert [r["coin_minor"] for r in of["rows"]] == [1, 2, 5, 10, 20, 50, 100] and {r["currency"] for r in of["rows"]} == {"EUR"}, of["rows"]
    assert [row(of, c)["value"] for c in (1, 20, 100)] == ["20", "400", "2000"], of["rows"]
    assert Decimal(of["share"]) == Decimal("0.188"), of["share"]
    books(of, jp_seed="3760", house_seed="3760", jp_pool="0", jp_reserve="0", paid="0", contributions="0")
    shows(c1=2000, c20=40000, c100=200000)


def test_unknown_pool_is_rejected():
    for number, status in (("99", 404), ("0", 400), ("x", 400), ("65536", 400), ("2", 404)):
        answer = place.http("GET", f"/v1/operators/1/pools/{number}", token=place.operator_key())
        assert answer.status == status and answer.error["where"] == "pool", answer
    for number, token, status in ((1, None, 401), (2, place.operator_key(), 403)):
        answer = place.http("GET", f"/v1/operators/{number}/pools/1", token=token)
        assert answer.status == status, answer


def test_v1_bets_of_100000():
    players = [Person(place, deposit=75 * 15000) for _ in range(9)]
    bets(players, 74, 100, 15, 10, LOSS)  # 99,900.00 in 666 bets
    bet(players[0], 100, 10, 10)
    of = settled("500")
    assert [row(of, c)["value"] for c in (1, 20, 100)] == ["20.5", "410", "2050"], of["rows"]
    books(of, jp_pool="94", jp_reserve="406", contributions="500")
    shows(c1=2050, c20=41000, c100=205000)


def test_v2_a_wins_at_20_cents():
    person = Person(place)
    paid, move = bonus_spin(person, 20)
    assert paid == [41000], paid
    claims["V2"] = (person.id, move)
    of = settled("500")
    books(of, jp_pool="84", jp_reserve="6", paid="410", house_seed="3760")
    assert [row(of, c)["value"] for c in (1, 20, 100)] == ["20.5", "400", "2050"] and row(of, 20)["w"] == "500", ("the other rows are untouched", of["rows"])
    shows(c1=2050, c20=40000, c100=205000)


def test_v3_bets_of_300_and_b_wins():
    other, winner = Person(place, deposit=100000), Person(place)
    for _ in range(9):
        bet(other, 20, 15, 10)
    settled("501.35")  # he may be of another shard, whose totals come by themselves
    before = winner.balance
    bet(winner, 20, 15, 10, JACKPOT)  # the tenth bet of 30 contributes before it is evaluated
    paid, _ = won(winner, before)
    assert paid == [40003], paid
    of = settled("501.5")
    books(of, jp_pool="84.252", jp_reserve="0", house_seed=Decimal(3760) + Decimal("392.782"), contributions="501.5")
    assert (row(of, 20)["value"], row(of, 20)["r"]) == ("400", "0"), row(of, 20)


def test_v4_a_bonus_spin_wins_at_a_cent():
    of = settled("501.5")
    assert row(of, 1)["value"] == "20.5015", row(of, 1)
    paid, _ = bonus_spin(Person(place), 1)
    assert paid == [2050], paid
    of = settled("501.5")
    assert (row(of, 1)["r"], row(of, 1)["value"]) == ("0.0015", "20.0015"), row(of, 1)
    books(of, jp_pool="83.752", jp_reserve="0", house_seed=Decimal("4152.782") + 20, contributions="501.5")
    shows(c1=2000)


def test_v5_one_bet_of_a_cent():
    bet(Person(place), 1, 1, 1)
    of = settled("501.50005")
    books(of, jp_pool="83.7520094", jp_reserve="0.0000406")


def test_v6_mona_lisa():
    game = Game("mona-lisa")
    scatter, jewel = game.kinds.index("scatter"), "jewel"

    def loses(columns):
        window = [[game.symbols.index(s) for s in column] for column in columns]
        lines = [[window[reel][line[reel]] for reel in range(game.reels)] for line in game.lines]
        return (sum(column.count(scatter) for column in window) < 3 and columns[0].count(jewel) < 2 and
                all(game.line_pay(line, None) == 0 and len(set(line)) > 1 for line in lines))
    of = settled("0", MONA_LISA)
    assert [row(of, c)["value"] for c in (1, 20, 100)] == ["500", "10000", "50000"], of["rows"]
    bets([Person(place, game="mona-lisa", deposit=50 * 25000) for _ in range(8)], 50, 100, 25, 10, game.script(loses))
    of = settled("500", MONA_LISA)
    assert [row(of, c)["value"] for c in (1, 20, 100)] == ["500.5", "10010", "50050"], of["rows"]
    books(of, jp_seed="94000", house_seed="94000", jp_pool="94", jp_reserve="406")
    shows(MONA_LISA, c1=50050, c20=1001000, c100=5005000)
    settled("501.50005")  # the other pool heard nothing of it


def test_v7_two_hits_in_one_round():
    person = Person(place)
    outcomes = RULES.definition["battle"]["outcomes"]["2"]
    free = next(o for o in outcomes if o["free_spins"])
    draw = sum(o["weight"] for o in outcomes[:outcomes.index(free)])
    script = [*RULES.stops(scatters=2, bonuses=3), draw, 0, *JACKPOT, *LOSS * (free["free_spins"] - 1)]
    before = person.balance
    bet(person, 20, 15, 10, script)
    paid, move = won(person, before)
    assert paid == [40000, 40000], paid
    hits = place.sql(f"select index, paid_minor, carry_e27, from_reserve_e27, from_house_e27, t_e18 from pool.hit where player = {person.id} and move = {move} order by hit")
    e27 = 10 ** 27
    wanted = [[i, 40000, Decimal("0.003001") * e27, Decimal(reserve) * e27, Decimal(house) * e27, Decimal("501.65005") * 10 ** 18]
              for i, reserve, house in ((1, "0.1218406", "399.8781594"), (2, "0", "400"))]
    assert [[Decimal(x) for x in hit] for hit in hits] == wanted, hits
    of = settled("501.65005")
    assert row(of, 20)["r"] == "0.003001", row(of, 20)
    books(of, jp_pool="83.7802094", paid="1630.53", house_seed="4972.6601594", jp_reserve="0")


def add_sek():
    """A new version of the game goes live: SEK at one coin value, which has a row of its own; each service that reads definitions takes it up."""
    write("bewitched", definition("bewitched", {"EUR": None, "SEK": [20]}))
    pids = {name: place.pid(name) for name in ("progressive-pool-1", "jackpot-cards-1", "spin-engine-1")}
    for name in pids:
        place.kill(name)
    eventually("the services", lambda: all(place.pid(name) not in (0, pid) for name, pid in pids.items()), 10)
    eventually("the row", lambda: any(r["currency"] == "SEK" for r in view()["rows"]), 15)


def test_v8_a_sek_row_while_it_runs():
    early = Person(place, currency="SEK")
    add_sek()
    eventually("the definition to be announced", lambda: place.sql("select count(*) from carillon.game where number = 1") == [["2"]], 15, 0.01)
    gift = early.operator("bonus-spins", {"game": "bewitched", "currency": "SEK", "coin_minor": 20, "lines": 15, "coins": 10, "spins": 1,
                                          "expires_us": int((time.time() + 600) * 1e6)})
    assert gift.status == 200, ("what is announced is known to every gateway", gift)
    of = view()
    assert (row(of, 20, "SEK")["share"], row(of, 20, "SEK")["row_rate"], row(of, 20, "SEK")["value"], row(of, 20, "SEK")["w"]) == ("0.0018", "0.09", "36", "501.65005"), row(of, 20, "SEK")
    assert Decimal(of["share"]) == Decimal("0.1898"), of["share"]
    books(of, jp_seed=3760 + 36)
    players = [Person(place, currency="SEK", deposit=38 * 3000) for _ in range(9)]
    eventually("play in SEK", lambda: place.sql("select count(*) from pool.tally where game = 1 and currency = 752 and closed is null") == [["2"]], 5)
    eventually("the wallet to know its tallies", lambda: len(re.findall(r"tally \d+: pool \d+, game 1, currency 752", read_text(f"{place.data}/log/wallet-1.log"))) >= 2, 5)
    bets(players, 37, 20, 15, 10, LOSS)  # 9,990.00 SEK in 333 bets
    bet(players[0], 20, 5, 10)
    of = settled("506.02505")
    sek = row(of, 20, "SEK")
    assert (sek["value"], sek["value_minor"]) == ("36.007875", 40008), sek  # 400.0875 SEK at .09
    books(of, jp_pool=Decimal("83.7802094") + Decimal("0.830375"), jp_reserve="3.544625")
    shows(currency="SEK", c20=40008)
    paid, _ = bonus_spin(players[1], 20, "SEK")
    assert paid == [40008], paid
    of = settled("506.02505")
    assert row(of, 20, "SEK")["r"] == "0.000675", row(of, 20, "SEK")
    books(of, paid=Decimal("1630.53") + Decimal("36.0072"))


def test_v9_a_claim_delivered_five_times():
    player, move = claims["V2"]
    shard, seq, coin, stake = place.sql(f"select shard, opened_seq, coin_minor, stake_minor from wallet.claim where player = {player} and move = {move}")[0]

    def state():
        of = view()
        return of["t"], of["books"], of["rows"], of["hits"], place.sql(f"select shard, seq, amount, balance_after from wallet.journal where player = {player} order by seq")
    before = state()
    claim = field(1, 1) + field(2, BEWITCHED) + field(3, 1) + field(4, int(coin)) + field(5, 978) + field(6, int(stake)) + field(7, player) + field(8, int(move)) + field(9, 1)
    feed = envelope(int(seq)) + field(2, BEWITCHED) + (field(3, int(shard)) if int(shard) else b"") + field(5, claim)
    resent = place.metric("progressive-pool-1", "carillon_pool_awards_resent_total")
    for _ in range(5):
        raw(place, "jackpot.feed", feed)
    eventually("five more awards", lambda: place.metric("progressive-pool-1", "carillon_pool_awards_resent_total") == resent + 5, 10)
    eventually("the wallet's answer to them", lambda: place.metric("wallet-1", "carillon_wallet_award_repeats_total") >= 5, 10)
    after = state()
    assert after == before, (before, after)
    paid = place.sql(f"select paid_minor from wallet.claim where player = {player} and move = {move}")
    assert paid == [["41000"]], paid
    assert sum(int(r[2]) == 41000 for r in before[4]) == 1, ("paid once", before[4])


def counters(pool=BEWITCHED):
    """What Redis holds of the pool: field -> value, the times left out; None where it is no hash."""
    told = place.redis("HGETALL", f"carillon:counters:{pool}").splitlines()
    if len(told) % 2 or any("," not in value for value in told[1::2]):
        return None
    hash_ = dict(zip(told[::2], told[1::2]))
    return {f: ",".join(v.split(",")[:-1] if f == "meta" else [*v.split(",")[:2], *v.split(",")[4:]]) for f, v in hash_.items()}


def test_counters_in_redis_heal():
    """Redis is no truth: whatever becomes of the counters there, they are what the pool says again within about a second, and nobody dies of it."""
    key, right = f"carillon:counters:{BEWITCHED}", counters()
    shown = {r["coin_minor"]: r["value_minor"] for r in view()["rows"] if r["currency"] == "EUR"}
    assert right["978:20"].split(",")[0] == str(shown[20]) and len(right) == len(view()["rows"]) + 1, (right, shown)
    restarts = {name: about[2] for name, about in place.status().items()}
    slowest = 0.0
    for words in (("HSET", key, "978:20", "1,1,1,1,1"), ("HSET", key, "978:20", "nonsense", "meta", "nonsense"), ("HSET", key, "978:20", "-5,,9999999999999999999999,x"),
                  ("HSET", key, "978:3", "7,7,7,7,7", "banana:1", "1,2,3,4,5"), ("HSET", key, "978:20", f"1,1,{10 ** 15},{int(time.time() * 1e6)},1"), ("HDEL", key, "978:20", "meta"), ("SET", key, "a text"), ("DEL", key), ("FLUSHALL",)):
        place.redis(*words)
        began = time.monotonic()
        eventually(f"the counters after {' '.join(words)}", lambda: counters() == right, 3, 0.02)
        slowest = max(slowest, time.monotonic() - began)
        pools = place.http("GET", "/v1/jackpots")
        assert pools.status == 200, pools
        shows(c1=shown[1], c20=shown[20], c100=shown[100])
    # Nor does a gateway keep for good what it read meanwhile: neither a row that is none, nor a version that the pool never had.
    def listed():
        pools = asked("/v1/jackpots")["pools"]
        rows = next(p for p in pools if p["pool"] == BEWITCHED)["rows"]
        return sorted(r["coin_minor"] for r in rows if r["currency"] == "EUR") == sorted(shown) and all(shown[r["coin_minor"]] == r["value_minor"] for r in rows if r["currency"] == "EUR")
    eventually("no row but the pool's", listed, 6)
    print(f"measured: counters in Redis are right again after at most {slowest:.2f} s")
    assert {name: about[2] for name, about in place.status().items()} == restarts, place.status()


def test_books_balance():
    place.verify()


if __name__ == "__main__":
    place = Installation("vectors")
    place.environment["CARILLON_GAMES"] = f"{place.data}/games"
    os.makedirs(f"{place.data}/sets")  # cards that no bet of these begins by chance, or a run in a thousand would have some
    with open(f"{ROOT}/tests/e2e/sets/cards.json", encoding="utf-8") as theirs, open(f"{place.data}/sets/cards.json", "w", encoding="utf-8") as ours:
        ours.write(theirs.read().replace('"of": 10000000000 ', '"of": 1000000000000 '))
    place.environment["CARILLON_CARD_SETS"] = f"{place.data}/sets"
    for name in ("bewitched", "mona-lisa"):
        write(name, definition(name, {"EUR": None}))
    began = time.monotonic()
    with place:
        try:
            run(*[f for name, f in list(globals().items()) if name.startswith("test_")])
        except SystemExit as status:
            print(f"measured: V0 to V9 in {time.monotonic() - began:.0f} s, the start of the servers included")
            if status.code:
                raise
