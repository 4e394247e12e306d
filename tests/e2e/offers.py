#!/usr/bin/env python3
"""What an operator offers its players: a game or a currency that is taken away is refused where something would begin, and nowhere else; nothing that is open,
booked or asked for before is held back; no other operator notices. By the route, by jackpotctl, on the console and in the lobby."""
import hashlib
import itertools
import json
import os
import subprocess
import time

import lib_desk as console
import lib_pages as pages
import staff
from lib_play import RULES, SECOND_KEY, Person, force, good, operator, second_key
from lib_stack import BIN, eventually, run
from openapi import Described

place = None
KEY_2 = "a key of the second operator, who offers everything"
OTHER_NUMBER = 8420228
WHY = {"reason": "a test of the offer"}
WIN = RULES.stops(win=True, bet={"coin_minor": 1, "lines": 15, "coins": 1})
KEPT = {}
PROBES = itertools.count(990000)  # numbers of players that tell whether an account is opened


def asked(path, body=None, method="POST", key=None, **whose):
    return staff.answered(lambda: operator(place, path, body, key, method, **whose))


def offer(**lists):
    """Sets operator 1's offer, and waits until the gateway has read it."""
    now = good(asked("/offer", {**lists, **WHY}), "the offer").json
    games, status = set(now["games"] or names()), 201 if now["currencies"] is None or "EUR" in now["currencies"] else 403
    eventually("the gateway to read the games", lambda: names(KEPT["looker"].token) == games, 60)
    eventually("the gateway to read the currencies", lambda: asked("/players", {"player": next(PROBES), "currency": "EUR"}).status == status, 60)
    return now


def names(token=None):
    return {game["id"] for game in good(staff.answered(lambda: place.http("GET", "/v1/games", token=token)), "the games").json["games"]}


def refused(answer, code, where, found, status=403):
    error = answer.error
    assert answer.status == status and (error["code"], error["where"], error["found"]) == (code, where, found) and error["expected"], answer


def approved(name):
    return second_key(place, lambda: operator(place, f"/amounts/{name}/approve", WHY, operator_key=SECOND_KEY))


def token_2():
    return good(asked("/sessions", {"player": OTHER_NUMBER}, number=2, operator_key=KEY_2), "a token").json["token"]


def test_all_is_offered_at_first():
    place.sql(f"insert into gateway.operator_key (operator, digest) values (2, '\\x{hashlib.sha256(KEY_2.encode()).hexdigest()}')", writer=True)
    eventually("the key", lambda: operator(place, "/players", None, method="GET", operator_key=KEY_2, number=2).status == 200, 60)
    for number, key in ((1, None), (2, KEY_2)):
        now = good(asked("/offer", method="GET", number=number, operator_key=key), "an offer").json
        assert now == {"games": None, "currencies": None, "changed_us": 0, "changed_by": "", "reason": ""}, now
    good(asked("/players", {"player": OTHER_NUMBER, "currency": "EUR"}, number=2, operator_key=KEY_2), "a player", 201)
    KEPT["looker"] = Person(place)
    assert names() == names(KEPT["looker"].token) == names(token_2()) and len(names()) == 5


def test_what_an_offer_may_be():
    for body, where in (({}, "body"), ({"games": "chess"}, "games"), ({"games": "bewitched,bewitched"}, "games"), ({"games": "all,bewitched"}, "games"), ({"games": "bewitched,"}, "games"),
                        ({"currencies": "XXX"}, "currencies"), ({"currencies": "EUR,EUR"}, "currencies"), ({"currencies": "eur"}, "currencies")):
        answer = asked("/offer", {**body, **WHY})
        assert answer.status == 400 and answer.error["where"] == where and answer.error["found"] and answer.error["expected"], (body, answer)
    assert asked("/offer", {"games": "bewitched"}).status == 400, "without a reason"
    assert place.sql("select count(*) from gateway.audit where action = 'offer'") == [["0"]]
    assert asked("/offer", {"games": "bewitched", **WHY}, number=2).error["code"] == "other_operator"


def card_player():
    """A round that won nothing has begun Jackpot Cards: nothing is pending, and no bet is taken until they are played."""
    person = Person(place, currency="SEK", deposit=1000000)
    force(place, person.name, RULES.stops())
    person.bet_through(coin=1000, lines=1, coins=1)
    while not person.round["closed"]:
        person.act("collect")
    assert person.state["cards"] and person.state["pending_minor"] == 0, person.state
    return person


def cards_played(person):
    """The cards are picked to the third of a suit, and paid."""
    card = f"{person.state['cards']['move']}-{person.state['cards']['index']}"
    for n in range(1, 10):
        answer = eventually("the card round", lambda n=n: next((a for a in [place.http("POST", f"/v1/cards/{card}/picks", {"pick": n, "position": n}, token=person.token)] if a.status == 200), None), 60)
        if answer.json["card_round"]["won"]:
            break
    eventually("the payment", lambda: person.refresh()["cards"] is None, 60)


def test_a_game_is_taken_away():
    """New rounds are refused; a round that is open is played on and collected; a bet that was begun is answered again."""
    watcher, winner, other = (Person(place, deposit=100000) for _ in range(3))
    dealt = card_player()
    force(place, watcher.name, [*RULES.stops(bonuses=3), 0])
    force(place, winner.name, WIN)
    force(place, other.name, *[RULES.stops()] * 900)
    for person in (watcher, winner):
        person.bet_through(coin=1, lines=15, coins=1)
    assert watcher.round["next"] == "pick" and winner.round["next"] == "gamble", (watcher.round, winner.round)
    body, key = other.bet_body(), os.urandom(8).hex()
    booked = other.through("/v1/rounds", body, key).json["round"]["round"]
    grant = {"game": "bewitched", "currency": "EUR", "coin_minor": 1, "lines": 15, "coins": 1, "spins": 5, "expires_us": int((time.time() + 3600) * 1e6), **WHY}
    spins_key = os.urandom(8).hex()
    spins = good(asked(f"/players/{other.number}/bonus-spins", grant, key=spins_key), "bonus spins").json["id"]
    many = {**grant, "coin_minor": 100, "coins": 7, "spins": 100}
    waits = good(asked(f"/players/{other.number}/bonus-spins", many), "bonus spins that wait", 202).json["id"]
    assert offer(games="mona-lisa,mystic-gem") == {"games": ["mona-lisa", "mystic-gem"], "currencies": None}
    other.refresh()
    for more in (other.bet_body(), {**other.bet_body(), "bonus_spin": spins}):
        if "bonus_spin" in more:
            del more["bet"]
        answer = staff.answered(lambda b=more: place.http("POST", "/v1/rounds", b, token=other.token, key=os.urandom(8).hex()))
        refused(answer, "game_not_offered", "game", "bewitched")
        assert answer.error["expected"] == "one of mona-lisa,mystic-gem" and answer.json["expect"] == other.expect and answer.json["balance_minor"] == other.balance, answer
    again = staff.answered(lambda: place.http("POST", "/v1/rounds", body, token=other.token, key=key))
    assert again.status == 200 and again.json["round"]["round"] == booked, ("a bet that was begun", again)
    refused(asked(f"/players/{other.number}/bonus-spins", grant), "game_not_offered", "game", "bewitched")
    assert asked(f"/players/{other.number}/bonus-spins", grant, key=spins_key).json["id"] == spins, "what was given is answered as before"
    refused(approved(waits), "game_not_offered", "game", "bewitched")
    assert place.sql(f"select status, game from gateway.amount_request where id = '\\x{waits}'") == [["waiting", "bewitched"]]
    eventually("the game of a win in the list", lambda: names(winner.token) == {"mona-lisa", "mystic-gem", "bewitched"}, 60)
    before = winner.balance
    pending = winner.state["pending_minor"]
    winner.act("collect")
    assert winner.balance == before + pending > before, (winner.state, pending)
    eventually("a list without it", lambda: names(winner.token) == {"mona-lisa", "mystic-gem"}, 60)
    everything = {"mona-lisa", "mystic-gem", "bewitched"}
    assert names(watcher.token) == everything and names(dealt.token) == everything, "a feature and Jackpot Cards are open, without a win to collect"
    cards_played(dealt)
    eventually("a list without its cards", lambda: names(dealt.token) == {"mona-lisa", "mystic-gem"}, 60)
    watcher.watch()
    if watcher.round and watcher.round["next"] == "gamble":
        watcher.act("collect")
    eventually("nothing that is open", lambda: watcher.refresh()["pending_minor"] == 0 and names(watcher.token) == {"mona-lisa", "mystic-gem"}, 60)
    elsewhere = Person(place, deposit=10000, game="mona-lisa")
    rules = place.http("GET", "/v1/games/mona-lisa").json
    elsewhere.bet_through(coin=next(c for c in rules["currencies"] if c["currency"] == "EUR")["coins_minor"][0], lines=rules["lines_max"], coins=rules["coins_min"])
    assert names() == names(token_2()) and len(names()) == 5, "neither those without a token nor another operator's players notice"
    for path in ("/v1/games/bewitched", f"/v1/rounds/{booked}", "/v1/history"):
        assert staff.answered(lambda p=path: place.http("GET", p, token=other.token)).status == 200, path
    assert offer(games="all")["games"] is None
    assert approved(waits).status == 200 and place.sql(f"select spins from wallet.spin_grant where player = {other.id} and spins = 100") == [["100"]]
    eventually("play", lambda: other.refresh() and place.http("POST", "/v1/rounds", other.bet_body(), token=other.token, key=os.urandom(8).hex()).status == 200, 60)


def test_a_currency_is_taken_away():
    """No new account and nothing paid in; play, corrections and withdrawals go on, and what was booked before is answered as before."""
    person = Person(place, deposit=100000)
    force(place, person.name, *[RULES.stops()] * 900)
    own, money = f"/players/{person.number}", {"amount_minor": 1000, "currency": "EUR", **WHY}
    keys = {what: os.urandom(8).hex() for what in ("deposits", "grants")}
    first = {what: good(asked(f"{own}/{what}", money, key=key), what).json for what, key in keys.items()}
    large = {**money, "amount_minor": 20000000}
    waits = good(asked(f"{own}/deposits", large), "a deposit that waits", 202).json["id"]
    failed_key = os.urandom(8).hex()
    failed = good(asked(f"{own}/deposits", large, key=failed_key), "a deposit that fails", 202).json["id"]
    place.sql(f"update gateway.amount_request set status = 'failed', refusal = 1, decided_key = '\\x00', decided_by = 'a test' where id = '\\x{failed}'", writer=True)
    assert offer(currencies="SEK,DKK", games="all") == {"games": None, "currencies": ["SEK", "DKK"]}
    for what in ("deposits", "grants"):
        refused(asked(f"{own}/{what}", money), "currency_not_accepted", "currency", "EUR")
        assert asked(f"{own}/{what}", money, key=keys[what]).json == first[what], "booked before"
    refused(asked(f"{own}/deposits", large, key=failed_key), "currency_not_accepted", "currency", "EUR")
    assert asked(f"{own}/deposits", money).error["expected"] == "one of SEK,DKK"
    refused(asked("/players", {"player": 989001, "currency": "EUR"}), "currency_not_accepted", "currency", "EUR")
    refused(staff.answered(lambda: place.http("POST", "/v1/demo/sessions", {"currency": "EUR"})), "currency_not_accepted", "currency", "EUR")
    good(asked("/players", {"player": 989001, "currency": "SEK"}), "another currency", 201)
    good(asked("/players", {"player": person.number, "currency": "EUR"}), "an account that is there", 201)
    refused(approved(waits), "currency_not_accepted", "currency", "EUR")
    person.refresh()
    person.bet_through()
    hold = good(asked(f"{own}/withdrawals", money), "a withdrawal").json
    assert hold["state"] == "held", hold
    good(asked(f"{own}/corrections", money), "a correction")
    good(asked(f"{own}/grants/{first['grants']['id']}/back", {**money, "amount_minor": 400}), "a grant taken back")
    good(asked("/players", {"player": 989002, "currency": "EUR"}, number=2, operator_key=KEY_2), "another operator's player", 201)
    good(asked("/players/989002/deposits", money, number=2, operator_key=KEY_2), "another operator's deposit")
    offer(currencies="all")
    answer = approved(waits)
    assert answer.status == 200 and answer.json["status"] == "booked", answer
    good(asked(f"{own}/deposits", money), "a deposit")


def test_each_change_is_in_the_log():
    rows = place.sql("select content->'before'->>'games', content->'after'->>'games', content->'before'->>'currencies', content->'after'->>'currencies', content->>'reason', status "
                     "from gateway.audit where action = 'offer' and operator = 1 order by id")
    assert rows[:2] == [["all", "mona-lisa,mystic-gem", "all", "all", WHY["reason"], "200"], ["mona-lisa,mystic-gem", "all", "all", "all", WHY["reason"], "200"]], rows
    assert place.sql("select count(*) from gateway.audit where action = 'offer' and operator <> 1") == [["0"]]
    tries = place.sql("select action, content->>'status' from gateway.audit where status = 403 and content->>'status' like '%not%' order by id")
    assert ["deposit", "currency_not_accepted"] in tries and ["grant", "currency_not_accepted"] in tries and ["bonus spins", "game_not_offered"] in tries, tries
    now = good(asked("/offer", method="GET"), "the offer").json
    assert now["changed_by"] == "operator-1" and now["reason"] == WHY["reason"] and now["changed_us"] > 0, now


def test_jackpotctl_sets_an_offer():
    def ctl(*words, status=0):
        done = subprocess.run([f"{BIN}/jackpotctl", "offer", *words], env={**place.environment, **place.stack}, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == status, (words, done)
        return done.stdout + done.stderr
    assert ctl("games", "mona-lisa", "--operator", "2", "--reason", "by hand") == "operator 2 offers games: mona-lisa; currencies: all\n"
    assert ctl("currencies", "EUR,XBT", "--operator", "2", "--reason", "by hand") == "operator 2 offers games: mona-lisa; currencies: EUR,XBT\n"
    assert "no game is called chess" in ctl("games", "chess", "--operator", "2", "--reason", "x", status=1)
    assert "found 'eur'" in ctl("currencies", "eur", "--operator", "2", "--reason", "x", status=2)
    ctl("games", "mona-lisa", status=2)
    shown = json.loads(ctl("list", "--json"))["offers"]
    assert [one["currencies"] for one in shown if one["operator"] == "2"] == ["EUR,XBT"], shown
    assert "operator 2 offers games: mona-lisa; currencies: EUR,XBT; since 20" in ctl("list")
    eventually("the gateway to read it", lambda: names(token_2()) == {"mona-lisa"}, 60)
    assert len(names(Person(place).token)) == 5
    ctl("games", "all", "--operator", "2", "--reason", "done")
    ctl("currencies", "all", "--operator", "2", "--reason", "done")
    eventually("the gateway to read it", lambda: len(names(token_2())) == 5, 60)


def test_the_console_and_the_lobby():
    """An administrator takes a game away; the screen says so, and a player's lobby shows it no longer, nor may they play it by its address."""
    console.place = place
    console.add("anna", "administrator")
    console.add("vera", "viewer")
    visitor = pages.Page("visitor", "/")
    visitor.see("document.querySelectorAll('#games .gametile').length === 5")
    visitor.press("#login")
    visitor.see("document.querySelector('#player') && document.querySelectorAll('#games .gametile').length === 5")
    desk = pages.Page("desk", "/operator/")
    console.inside(desk, "anna")
    console.go(desk, "games")
    desk.see("/Games: all. Currencies: all/.test(document.querySelector('#offer').innerText)")
    console.do(desk, "Change the offer", {"games": "mona-lisa, mystic-gem", "currencies": "eur,sek"}, reason="fewer for a while")
    desk.see("/Open rounds can be finished/.test(document.querySelector('dialog .what').innerText)")
    desk.picture("offer")
    console.send(desk)
    console.done(desk)
    desk.see("/Games: mona-lisa, mystic-gem. Currencies: EUR, SEK/.test(document.querySelector('#offer').innerText) && /fewer for a while/.test(document.querySelector('#offer').innerText)")
    row = "[...document.querySelectorAll('[data-table=games] tbody tr')].find((row) => row.innerText.includes('bewitched'))"
    desk.see(f"/not offered/.test({row}.innerText)")
    desk.picture("offered")
    person = KEPT["looker"]
    eventually("the gateway to read it", lambda: len(names(person.token)) == 2, 60)
    visitor.press("#games [data-game=mona-lisa]")
    visitor.see("document.querySelector('#play')?.dataset.game === 'mona-lisa'")
    visitor.evaluate(code="location.hash = ''")
    visitor.see("document.querySelectorAll('#games .gametile').length === 2 && document.querySelector('#games [data-game=mystic-gem]')")
    visitor.picture("lobby")
    visitor.evaluate(code="location.hash = 'bewitched'")
    visitor.see(f"document.querySelector('#play')?.dataset.game === 'bewitched' && {pages.READY}")
    visitor.press("#spin")
    visitor.see("/not offered here/.test(document.querySelector('#message')?.innerText)")
    visitor.picture("refused")
    pages.browser.ask("problems")  # the 403 itself
    console.out(desk)
    console.inside(desk, "vera")
    console.go(desk, "games")
    desk.see("/mona-lisa, mystic-gem/.test(document.querySelector('#offer').innerText)")
    assert "Change the offer" not in desk.text(selector="main"), "who may not act sees no button"
    offer(games="all", currencies="all")
    found = pages.browser.ask("problems")
    assert not found, found


if __name__ == "__main__":
    place = Described("offers", kafka=False)
    pages.card_sets(place)
    staff.place = place
    with pages.browsing(place):
        run(*[test for name, test in list(globals().items()) if name.startswith("test_")])
