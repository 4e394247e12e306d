#!/usr/bin/env python3
"""make.py [YYYY-MM-DD]: plays an installation full of unfinished things by the services of this tree, packs it into tests/older/<day>.tar.xz, and tells in
its story what was open for whom and what became of it when this version itself brought it to its end. tests/e2e/older.py asks the same of every later version."""
import hashlib
import os
import shutil
import subprocess
import sys
import time
from datetime import datetime, timezone
from fractions import Fraction

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e"))

from lib_dated import Dated, dumped, files, pack, unpacked  # noqa: E402
from lib_games import GAMES  # noqa: E402
from lib_play import RULES, Person, force, pool_action  # noqa: E402
from lib_stack import ROOT, eventually  # noqa: E402
from lib_unfinished import (SECOND_KEY, asked, bet_after, card_round, cards_id, closed, end_of, histories, pick_card, returned, state_of, view,  # noqa: E402
                            waiting_actions, whole_round, withdrawal)

DAY_S = 86400
LATER_S = 1800  # from the last move of the story to the first one of a later version
LOSS = RULES.stops()
VIALS = RULES.stops(bonuses=3)
JACKPOT = [*VIALS, 0]  # the first of the vials' weights, at any bet
WINTER = 31
POOL = {"pool": "winter", "contribution_ppm": 20000, "base_coin_eur_minor": 1000, "games": ["bewitched"],
        "rows": {"EUR": {"row_rate_nano": 1000000000, "seeds": [{"coin": 20, "seed": 5000}]}}}
SILENT = 10  # the last digits of a withdrawal on which the provider's stub never says anything
place = None
people = []


def player(what, game, bet, currency="EUR", deposit=500000, **about):
    """bet: coin, lines and coins, also of the bet after the end."""
    person = Person(place, currency=currency, game=game, deposit=deposit)
    eventually("the deposit", lambda: person.refresh()["balance_minor"] == 100000 + deposit, 5)
    person.about = {"what": what, "number": person.number, "game": game, "currency": currency, "bet": bet, **about}
    people.append(person)
    return person


def bet(person, script=None, **more):
    """Keeps what was promised for the round, so that it can be proved when it closes."""
    if script is not None:
        force(place, person.name, script)
    nonce = os.urandom(16).hex()
    person.about["open"] = {"number": person.expect, "secret_hash": person.state["secret_hash"], "nonce": nonce}
    person.through("/v1/rounds", person.bet_body(*person.about["bet"], nonce=nonce, **more))
    return person.round


# ---- the day before ----

def day_before():
    """Rounds of a day that is closed afterwards, drawn by nothing but the stream."""
    for game, bet_of, currency in (("bewitched", (5, 15, 1), "EUR"), ("mystic-gem", (10, 40, 1), "SEK")):
        person = player("history", game, bet_of, currency)
        person.about["proofs"] = []
        for _ in range(8):
            bet(person)
            round_ = closed(person)
            person.about["proofs"].append({**person.about.pop("open"), "round": round_})


def next_day(began):
    place.stop()
    place.set_clock(began)
    place.start()
    eventually("the day before to be closed", lambda: place.sql(
        "select count(*) filter (where state = 'closed') > 0 and count(*) filter (where state = 'open' and day < (now() at time zone 'UTC')::date) = 0 from wallet.leaf")
        == [["t"]], 60)
    people[:] = [returned(place, person.about) for person in people]  # their sessions are over


# ---- what stays open ----

def rounds_open():
    picks = player("vials, one of three picked", "bewitched", (2, 5, 1))
    picks.setting(witch=1)
    bet(picks, [*VIALS, RULES.vial_value("money", 15, {"lines": 5, "coins": 1})])
    picks.act("pick", choice=4)

    amid = player("free spins, vials in the first of them", "bewitched", (1, 1, 2))
    bet(amid, [*RULES.stops(scatters=2), 9, *VIALS, RULES.vial_value("money", 300, {"lines": 1, "coins": 2}), *LOSS, *LOSS])
    amid.act("next")
    assert amid.round["next"] == "pick" and amid.round["phases"][-1]["kind"] == "free_spin", amid.round
    amid.act("pick", choice=0)

    free = player("free spins that have not begun", "mona-lisa", (1, 25, 1))
    easels = GAMES["mona-lisa"].script(lambda w: sum("easel" in c for c in w) == 3 and w[0].count("jewel") < 2 and not any("diadem" in c for c in w), seed="easels")
    bet(free, easels)
    assert free.round["next"] == "next", free.round

    hold = player("the win of a hold and win to double up", "mystery-elves", (10, 10, 1), gambles=1)
    rules = GAMES["mystery-elves"]
    parcels = rules.script(lambda w: sum(c.count("parcel") for c in w) == 6, seed="parcels 6")
    about = rules.definition["hold_and_win"]
    mystery = sum(v["weight"] for v in about["values"])
    bet(hold, [*parcels, 0, 0, mystery, mystery + about["mystery"]["weight"], 0, 0])
    assert hold.round["next"] == "gamble", hold.round


def gambles_open():
    plain = lambda w: not any(s in c for c in w for s in ("parcel", "wild", "compass", "bottle", "bell"))
    for game, what, gambles in (("mystic-gem", "a win to double up", 3), ("mystery-elves", "a win to double up, half of it taken", 0)):
        person = player(what, game, (2, GAMES[game].lines_max, 1), gambles=gambles)
        for attempt in range(60):
            bet(person, GAMES[game].script(plain, seed=f"gamble {attempt}"))
            if person.round["next"] == "gamble":
                break
        if not gambles:
            person.act("halve")
        assert person.round["next"] == "gamble" and person.state["pending_minor"] > 0, person.round


def play_under_way():
    auto = player("autoplay, three of five left", "bewitched", (1, 1, 1))
    identity = os.urandom(16).hex()
    auto.setting(autoplay={"id": identity, "spins": 5, "loss_limit_minor": 1000, "single_win_minor": -1, "stop_on_jackpot": False})
    for _ in range(2):
        bet(auto, LOSS, autoplay=identity)
    del auto.about["open"]

    potions = player("potions carried, at two stakes", "witch-feature", (1, 50, 1))
    colours = ("red", "blue", "green")
    for colour, coin in (("red", 1), ("blue", 1), ("green", 2)):
        potions.about["bet"] = (coin, 50, 1)
        bet(potions, GAMES["witch-feature"].script(lambda w, c=colour: [s for r in w for s in r if s in colours] == [c] and sum("cauldron" in r for r in w) < 2,
                                                   seed=colour, tries=2000000))
        closed(potions)
    potions.about["bet"] = (1, 50, 1)
    del potions.about["open"]
    assert [sum(c["potions"]) for c in potions.refresh()["carried"]] == [2, 1], potions.state["carried"]

    gift = player("bonus spins, two of three left", "bewitched", (2, 5, 1))
    given = asked(place, f"/players/{gift.number}/bonus-spins", {"game": "bewitched", "currency": "EUR", "coin_minor": 2, "lines": 5, "coins": 1, "spins": 3,
                                                                "expires_us": int((place.now() + 30 * DAY_S) * 1e6)}, "POST")["id"]
    eventually("the gift", lambda: gift.refresh()["bonus_spins"], 5)
    force(place, gift.name, LOSS)
    gift.ask("POST", "/v1/rounds", {"game": "bewitched", "expect": gift.expect, "bonus_spin": given, "nonce": os.urandom(16).hex()})


def limits_set():
    careful = player("a loss limit, 5 of 50 left, a higher one tomorrow", "bewitched", (2, 5, 1))
    path = f"/players/{careful.number}/limits"
    asked(place, path, {"limit": "loss", "period": "day", "amount_minor": 50, "currency": "EUR"}, "POST")
    for _ in range(4):
        bet(careful, LOSS)
    careful.about["bet"] = (1, 5, 1)
    bet(careful, LOSS)
    careful.about["bet"] = (2, 5, 1)
    del careful.about["open"]
    asked(place, path, {"limit": "loss", "period": "day", "amount_minor": 500, "currency": "EUR"}, "POST")
    away = player("excluded for two days", "bewitched", (2, 5, 1))
    asked(place, f"/players/{away.number}/limits", {"limit": "exclusion", "until_s": int(place.now()) + 2 * DAY_S, "currency": "EUR"}, "POST")
    eventually("the limits in Postgres", lambda: all(asked(place, f"/players/{p.number}/limits")["limits"] for p in (careful, away)), 10)
    time.sleep(1.1)  # they are at most a second old
    for person in (careful, away):
        person.about["limits"] = asked(place, f"/players/{person.number}/limits")["limits"]


def operators_requests():
    """A pool made and paused, terms that wait for the second key, cards that begin with every stake of ten crowns at Bewitched."""
    digest = hashlib.sha256(SECOND_KEY.encode()).hexdigest()
    place.sql(f"insert into gateway.operator_key (operator, digest) values (1, '\\x{digest}')", writer=True)
    for pool, action, parameters in ((2, "odds", {"currency": "SEK", "in": 1, "of": 1000, "game": "bewitched", "operator": 1}), (WINTER, "create", POOL)):
        answer = pool_action(place, pool, action, parameters, approved=False)
        assert answer.status == 200, answer
    feeder = player("a feeder of the pool that is paused", "bewitched", (100, 10, 1))

    def fed():
        bet(feeder, LOSS)
        return float(view(place, WINTER)["t"]) > 0
    eventually("the new pool to be fed", fed, 20, 0.5)
    del feeder.about["open"]
    assert pool_action(place, WINTER, "pause").status == 200
    eventually("the pause", lambda: view(place, WINTER)["status"] == "paused", 15)
    answer = pool_action(place, 1, "adjust", {"currency": "EUR", "coin_minor": 100, "delta_minor": 7}, approved=False)
    assert answer.status == 202, answer


# ---- what is on its way, with services that are away ----

def away(name):
    place.hold(name)
    place.kill(name)


def back(name):
    place.release(name)
    eventually(f"{name} to run", lambda: place.running(name), 10)


def withdrawals_held():
    def withdraw(person, amount, end):
        hold = asked(place, f"/players/{person.number}/withdrawals", {"amount_minor": amount, "currency": "EUR"}, "POST")["id"]
        person.about["withdrawals"] = [*person.about.get("withdrawals", []), {"id": hold, "amount_minor": amount, "end": end}]
        return hold
    person = player("three withdrawals", "bewitched", (1, 1, 1))
    silent = withdraw(person, 1000 + SILENT, "released")  # by hand, since the provider says nothing
    eventually("a question", lambda: withdrawal(place, person.number, silent)["provider"]["asks"] >= 1, 20)
    away("payment-stub")
    away_now = withdraw(person, 2000, "paid")
    eventually("a question", lambda: withdrawal(place, person.number, away_now)["provider"]["asks"] >= 1, 20)
    away("payments-1")
    withdraw(person, 3000, "paid")  # of which payments has never heard


def cards_open():
    turned = player("cards, two turned up", "bewitched", (1000, 1, 1), "SEK")
    waiting = player("cards that the cards' service has not heard of", "bewitched", (1000, 1, 1), "SEK")
    for person in (turned, waiting):
        if person is waiting:
            away("jackpot-cards-1")
        bet(person, LOSS)
        round_ = person.round
        assert round_["closed"] and person.state["cards"], round_
        if person is turned:
            card_round(person, cards_id(person))
            for n in (1, 2):
                pick_card(person, cards_id(person), n)
            person.about["card_round"] = card_round(person, cards_id(person))


def jackpots_open():
    """One is priced while the wallet is away; two are booked while the pools' service is."""
    on_its_way = player("a jackpot that is priced and not booked, behind three vials", "bewitched", (100, 15, 10))
    waiting = player("a jackpot that is not priced, behind two vials", "bewitched", (50, 15, 10))
    lines = player("a jackpot of the lines that is not priced", "mona-lisa", (100, 25, 10))
    away("progressive-pool-1")
    bet(on_its_way, JACKPOT)
    away("wallet-1")
    back("progressive-pool-1")
    eventually("the price", lambda: place.sql("select count(*) from pool.hit") == [["1"]], 30)
    away("progressive-pool-1")
    away("kafka")  # which has the award, and loses it
    shutil.rmtree(f"{place.data}/kafka/data")
    back("kafka")
    eventually("Kafka's topics", lambda: subprocess.run([f"{ROOT}/scripts/topics.sh"], env=place.environment, capture_output=True, check=False).returncode == 0, 40)
    back("wallet-1")
    eventually("its shards", lambda: place.sql("select count(*) = 4 from carillon.shard where service = 'wallet' and owner = 'wallet-1' and lease_until > now()") == [["t"]], 20)
    bet(waiting, JACKPOT)
    waiting.act("pick", choice=8)
    row = GAMES["mona-lisa"].lines[0]
    bet(lines, GAMES["mona-lisa"].script([lambda c, r=r: c[r] == "diadem" and "easel" not in c and c.count("jewel") < 2 for r in row], seed="diadems"))
    assert lines.round["jackpots"] and not lines.round["jackpots"][0]["booked"], lines.round
    claims = place.sql("select player & 65535, move, kind, pool, closed_seq from wallet.claim order by 1")
    assert [claim[2:] for claim in claims] == [["2", "2", ""], ["2", "2", ""], ["1", "1", ""], ["1", "1", ""], ["1", "4", ""]], claims
    for person, pool in ((on_its_way, 1), (waiting, 1), (lines, 4)):
        person.about["claim"] = {"pool": pool, "coin_minor": person.about["bet"][0]}


def prices():
    """What the waiting claims are worth: seed, share and carry of their rows, and T as the journal has it, by fractions."""
    for person in people:
        claim = person.about.get("claim")
        if not claim:
            continue
        coin, pool = claim["coin_minor"], claim["pool"]
        hit = place.sql(f"select paid_minor from pool.hit where player = {person.id}")
        t = Fraction(place.sql("select sum(j.stake::numeric * t.ppm * t.rate_nano) from wallet.journal j, unnest(j.tallies) k(id) join pool.tally t using (id) "
                               f"where j.kind = 2 and j.refusal = 0 and t.pool = {pool}")[0][0]) / (100 * 10 ** 6 * 10 ** 9)
        seed, share, w, r = place.sql(f"select seed_minor, share_nano, w_e18, r_e27 from pool.row where pool = {pool} and currency = 978 and coin_minor = {coin}")[0]
        value = Fraction(int(seed), 100) + (t - Fraction(int(w), 10 ** 18)) * Fraction(int(share), 10 ** 9) + Fraction(int(r), 10 ** 27)
        claim["paid_minor"] = int(hit[0][0]) if hit else int(value * 100)
        print(f"note: {person.about['what']}: {claim}")


# ---- the story ----

def story_of(stopped_s):
    return {"stopped_s": stopped_s, "later_s": LATER_S, "players": [person.about for person in people],
            "paused": [WINTER], "waiting_actions": {"1": waiting_actions(place, 1)}, "pools": {str(p): view(place, p) for p in (1, 4, WINTER)}}


def played(began):
    day_before()
    next_day(began)
    for part in (operators_requests, rounds_open, gambles_open, play_under_way, limits_set, withdrawals_held, cards_open, jackpots_open):
        part()
    for person in people:
        person.about["state"] = state_of(person)
        person.about["history"] = histories(person)
        if person.about.get("open"):
            person.about["open"]["round"] = whole_round(person, person.about["open"]["number"])
    return story_of(int(place.now()))


def packed(story, path):
    place.servers()
    prices()
    contents = {"dump.sql": dumped(place).encode()}
    for name in files(place):
        with open(f"{place.data}/{name}", "rb") as file:
            contents[f"data/{name}"] = file.read()
    for game in GAMES.values():
        with open(game.path, "rb") as file:
            contents[f"definitions/{game.id}.json"] = file.read()
    pack(path, story, contents)


def ended(path):
    """This version takes it out again and brings it to its end: so ended what was open."""
    story, contents = unpacked(path)
    with Dated("older-end", story["stopped_s"] + LATER_S, contents) as with_end:
        back_again = [returned(with_end, about) for about in story["players"]]
        for person in back_again:
            person.about["end"] = end_of(person)
        for person in back_again:
            person.about["after"] = bet_after(person)
        with_end.verify()
    pack(path, story, contents)


def main():
    global place
    day = sys.argv[1] if len(sys.argv) > 1 else datetime.now(timezone.utc).strftime("%Y-%m-%d")
    began = int(datetime.strptime(f"{day} 12:00 +0000", "%Y-%m-%d %H:%M %z").timestamp())
    path = f"{HERE}/{day}.tar.xz"
    with Dated("older-made", began - DAY_S) as place:
        story = played(began)
        place.stop()
        packed(story, path)
    ended(path)
    print(f"{path}: {os.path.getsize(path)} bytes, {len(story['players'])} players")


if __name__ == "__main__":
    main()
