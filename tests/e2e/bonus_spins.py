#!/usr/bin/env python3
"""Bonus spins of an operator on one installation: granted once, played for nothing, never twice, whatever dies in between; the pools hear nothing of them,
and a jackpot hit in one is paid. Ends with the ledger's proof, and with proof that the proof can fail."""
import json
import os
import subprocess
import threading
import time

from lib_deal import Deal
from lib_patience import time_out
from lib_play import RULES, Person, force, operator
from lib_stack import BIN, Installation, eventually, run

GEM, BEWITCHED = "mystic-gem", "bewitched"
BET = {"coin_minor": 2, "lines": 5, "coins": 1}  # of bewitched
LOSS = RULES.stops()
WIN = RULES.stops(win=True, bet=BET)
JACKPOT = [*RULES.stops(bonuses=3), 0]  # the first of the vials' weights, at any bet
GEM_WIN = Deal(GEM).stops("base", {}, {"wild": 1}, {}, {"wild": 1})  # with two wild reels
HOUR = 3600
place = None


def grant(game=BEWITCHED, spins=3, seconds=HOUR, **change):
    bet = BET if game == BEWITCHED else {"coin_minor": 2, "lines": 40, "coins": 1}
    return {"game": game, "currency": "EUR", **bet, "spins": spins, "expires_us": int((time.time() + seconds) * 1e6), **change}


def give_grant(person, key=None, **change):
    """The id of bonus spins that the player has been told of."""
    answer = person.operator("bonus-spins", grant(**change), key, status=200)
    eventually("the grant in the state", lambda: left(person, answer.json["id"]) is not None, 5)
    return answer.json["id"]


def left(person, grant_id):
    return next((g["left"] for g in person.refresh()["bonus_spins"] if g["id"] == grant_id), None)


def granted(person):
    answer = operator(place, f"/players/{person.number}/bonus-spins", None, method="GET")
    assert answer.status == 200, answer
    return {g["id"]: g for g in answer.json["bonus_spins"]}


def spin(person, grant_id, key=None, status=200, **more):
    body = {"game": person.game, "expect": person.expect, "bonus_spin": grant_id, "nonce": os.urandom(16).hex(), **more}
    return person.ask("POST", "/v1/rounds", body, key, status)


def totals():
    """T of the progressive and of the set of cards, once all stakes are known."""
    return place.sql("select (select t_e18 from pool.pool where pool = 1), (select t_e18 from cards.card_set where pool = 2)")[0]


def moves_by_paid_bets_alone(before):
    """Paid bets of others in both games move T by just their own contributions: whatever came before them in the feed has been counted, too."""
    bewitched, gem = Person(place, game=BEWITCHED), Person(place, game=GEM)
    force(place, bewitched.name, LOSS)
    force(place, gem.name, GEM_WIN)
    bewitched.bet(1, 1)
    gem.bet(2, 40)
    euro = 10 ** 18
    wanted = [1 * euro // 100 * 5 // 1000, (1 + 80) * euro // 100]  # of the set both games feed the whole stake
    eventually("T to move by the paid bets alone", lambda: [int(now) - int(then) for now, then in zip(totals(), before)] == wanted, 5)


def test_bonus_spins_are_granted_once():
    person = Person(place, game=GEM)
    body = grant(GEM, reason="welcome")
    first = operator(place, f"/players/{person.number}/bonus-spins", body, "grant-1")
    again = operator(place, f"/players/{person.number}/bonus-spins", body, "grant-1")
    assert (first.status, again.status) == (200, 200) and first.json == again.json, (first, again)
    for change in ({"spins": 4}, {"coin_minor": 5}, {"expires_us": body["expires_us"] + 1}):
        assert operator(place, f"/players/{person.number}/bonus-spins", {**body, **change}, "grant-1").status == 422
    other = Person(place, game=GEM)
    assert operator(place, f"/players/{other.number}/bonus-spins", body, "grant-1").status == 422, "an id is the operator's: one grant, whoever it is for"
    kept = granted(person)
    assert list(kept) == [first.json["id"]] and kept[first.json["id"]]["left"] == 3 and not granted(other), kept
    eventually("the grant in the state", lambda: left(person, first.json["id"]) == 3, 5)
    told = person.state["bonus_spins"][0]
    assert {k: told[k] for k in ("game", "left", "spins", "coin_minor", "lines", "coins")} == {"game": GEM, "left": 3, "spins": 3, "coin_minor": 2, "lines": 40, "coins": 1}, told
    assert int(place.sql(f"select count(*) from wallet.journal where player = {person.id} and kind = 26 and refusal = 0 and amount = 0")[0][0]) == 1


def test_invalid_bonus_spins_are_rejected():
    person = Person(place)
    cases = (  # change, status, where
        ({"game": "no-such-game"}, 404, "game"), ({"currency": "JPY"}, 400, "currency"), ({"currency": "XXX"}, 400, "currency"), ({"currency": "SEK"}, 400, "coin_minor"),
        ({"coin_minor": 3}, 400, "coin_minor"), ({"lines": 16}, 400, "lines"), ({"coins": 11}, 400, "coins"), ({"spins": 0}, 400, "spins"), ({"spins": 10001}, 400, "spins"),
        ({"expires_us": 1000}, 409, None), ({"mode": "base"}, 400, "body"),
    )
    for change, status, where in cases:
        answer = operator(place, f"/players/{person.number}/bonus-spins", grant(**change))
        assert answer.status == status and (where is None or answer.error["where"] == where), (change, answer)
    assert operator(place, f"/players/{person.number}/bonus-spins", grant(), operator_key="wrong").status == 401
    assert operator(place, "/players/99999999/bonus-spins", grant()).status == 404
    for _ in range(8):
        person.operator("bonus-spins", grant(), status=200)
    assert person.operator("bonus-spins", grant()).status == 409, "no more than eight that are not over"


def test_bonus_spins_cost_nothing():
    """RULE mystic-gem 7.1, 7.2, 7.4, and that the cards' set hears nothing of them."""
    person = Person(place, game=GEM)
    before, balance = totals(), person.balance
    grant_id = give_grant(person, game=GEM)
    won = 0
    force(place, person.name, *[GEM_WIN] * 3)
    for n in (2, 1, 0):
        answer = spin(person, grant_id)
        shown = answer.json["round"]
        assert shown["bonus_spin"] and shown["stake_minor"] == 0 and shown["bet"]["mode"] == "base", shown
        assert {k: shown["bet"][k] for k in ("coin_minor", "lines", "coins")} == {"coin_minor": 2, "lines": 40, "coins": 1}, shown
        if not shown["closed"]:
            person.act("collect")
        won += shown["win_minor"]
        assert person.balance == balance + won, (person.balance, balance, won)
        assert left(person, grant_id) == (n or None)
    assert spin(person, grant_id, status=409).error["code"] == "bonus_spin_unknown"
    moves_by_paid_bets_alone(before)
    rounds = person.ask("GET", "/v1/rounds").json["rounds"]
    assert [(r["stake_minor"], r["bonus_spin"]) for r in rounds] == [(0, True)] * 3, rounds
    replayed = person.ask("GET", f"/v1/rounds/{rounds[0]['round']}").json
    assert replayed["round"]["bonus_spin"] and replayed["rows"][0]["bonus_spin"], replayed
    assert (granted(person)[grant_id]["used"], granted(person)[grant_id]["left"]) == (3, 0)


def test_wins_are_the_players():
    person = Person(place)
    grant_id = give_grant(person, spins=2)
    balance = person.balance
    force(place, person.name, WIN, WIN, LOSS)
    win = spin(person, grant_id).json["round"]["win_minor"]
    assert win > 0 and person.balance == balance and person.state["pending_minor"] == win, person.state
    person.act("collect")
    assert person.balance == balance + win
    spin(person, grant_id)
    answer = person.bet(2, 5)  # collects it first
    assert answer.json["round"]["collected_minor"] == win and not answer.json["round"]["bonus_spin"], answer


def test_refused_bonus_spins():
    person = Person(place)
    grant_id, other = give_grant(person), give_grant(person, game=GEM)
    expect = person.expect
    assert spin(person, grant_id, status=400, bet=BET).error["where"] == "bet"
    assert person.ask("POST", "/v1/rounds", {"game": BEWITCHED, "expect": expect, "nonce": "00" * 16}, status=400).error["where"] == "bet"
    assert spin(person, grant_id, status=409, autoplay="00" * 16).error["code"] == "bonus_spin_autoplay"
    assert spin(person, other, status=409).error["code"] == "bonus_spin_other_game"
    assert spin(person, "00" * 16, status=409).error["code"] == "bonus_spin_unknown"
    assert spin(Person(place), grant_id, status=409).error["code"] == "bonus_spin_unknown", "another player's"
    assert spin(person, grant_id[2:], status=400).error["where"] == "bonus_spin"
    assert person.refresh()["expect"] == expect and left(person, grant_id) == 3, "nothing was spent"


def test_expired_and_ended():
    person = Person(place)
    short, long = give_grant(person, seconds=8), give_grant(person)
    ended = operator(place, f"/players/{person.number}/bonus-spins/{long}/end", {"reason": "a test"}, "end-1")
    assert ended.status == 200, ended
    assert operator(place, f"/players/{person.number}/bonus-spins/{long}/end", {"reason": "a test"}, "end-1").json == ended.json
    assert operator(place, f"/players/{person.number}/bonus-spins/{long}/end", {"reason": "another"}, "end-1").status == 422
    assert operator(place, f"/players/{person.number}/bonus-spins/{long}/end", {"reason": "a test"}).status == 409
    assert operator(place, f"/players/{person.number}/bonus-spins/{'00' * 16}/end", {"reason": "a test"}).status == 409
    eventually("the end in the state", lambda: left(person, long) is None, 5)
    assert spin(person, long, status=409).error["code"] == "bonus_spin_unknown"
    eventually("the time to pass", lambda: left(person, short) is None, 5)
    assert spin(person, short, status=409).error["code"] == "bonus_spin_expired"
    assert [(g["left"], g["ended"]) for g in granted(person).values()] == [(0, True), (0, False)]


def test_bonus_spin_is_never_used_twice():
    """Two windows ask for the last one at the same moment; and a request that is sent again."""
    person = Person(place)
    grant_id = give_grant(person, spins=1)
    force(place, person.name, LOSS, LOSS)
    answers = []
    body = {"game": BEWITCHED, "expect": person.expect, "bonus_spin": grant_id, "nonce": "11" * 16}
    threads = [threading.Thread(target=lambda k=key: answers.append((k, place.http("POST", "/v1/rounds", body, token=person.token, key=k)))) for key in ("a", "b")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(a.status for _, a in answers) == [200, 409], answers
    first, good = next((k, a) for k, a in answers if a.status == 200)
    again = place.http("POST", "/v1/rounds", body, token=person.token, key=first)
    assert again.status == 200 and again.json["round"]["round"] == good.json["round"]["round"], again
    assert place.http("POST", "/v1/rounds", {**body, "nonce": "22" * 16}, token=person.token, key=first).status == 422
    assert granted(person)[grant_id]["used"] == 1


def patient(ask, seconds=20):
    """Until the answer is one that says something: the client's own way over a death."""
    return eventually("an answer that is not 503 or 504", lambda: (lambda answer: answer if answer.status not in (503, 504) else None)(ask()), seconds)


def test_crashes_between_bonus_spins():
    person = Person(place)
    grant_id = give_grant(person, spins=6)
    force(place, person.name, *[LOSS] * 12)  # an engine that dies has had its script
    for n, victims in enumerate((("wallet-1",), ("spin-engine-1",), ("wallet-1", "spin-engine-1"), ("spin-engine-1", "wallet-1"))):
        key = f"death-{n}"
        body = {"game": BEWITCHED, "expect": person.expect, "bonus_spin": grant_id, "nonce": os.urandom(16).hex()}
        killer = threading.Timer(0.003 * n, lambda names=victims: [place.kill(name) for name in names])
        killer.start()
        answer = patient(lambda b=body, k=key: place.http("POST", "/v1/rounds", b, token=person.token, key=k))
        killer.join()
        assert answer.status == 200, answer
        again = patient(lambda b=body, k=key: place.http("POST", "/v1/rounds", b, token=person.token, key=k))
        assert again.json["round"]["round"] == answer.json["round"]["round"], again
        eventually("the services to be back", lambda: patient(lambda: place.http("GET", f"/v1/state?game={BEWITCHED}", token=person.token)).status == 200, 20)
        assert left(person, grant_id) == 5 - n, (n, person.state["bonus_spins"])
    assert granted(person)[grant_id]["used"] == 4
    spin(person, grant_id)
    spin(person, grant_id)
    assert spin(person, grant_id, status=409).error["code"] == "bonus_spin_unknown"
    assert place.sql(f"select used from wallet.spin_grant where id = '\\x{grant_id}'") == [["6"]]


def test_rows_that_are_read_again_grant_nothing():
    """The engine's positions are put back to the beginning: all it has stored is newer, and a grant that was used up does not come back."""
    person = Person(place)
    grant_id, kept = give_grant(person, spins=1), give_grant(person, spins=2)
    force(place, person.name, LOSS, LOSS)
    spin(person, grant_id)
    spin(person, kept)
    assert [left(person, one) for one in (grant_id, kept)] == [None, 1]
    eventually("the checkpoint", lambda: place.sql(f"select last_move from engine.player where player = {person.id}") == [[str(person.expect - 1)]], 20)
    place.hold("spin-engine-1")
    place.kill("spin-engine-1")
    eventually("the end of its last commit", lambda: place.sql("select pid from pg_stat_activity where application_name = 'spin-engine-1'") == [], 20)
    rows = place.sql("update carillon.shard set offset_1 = 0, seq_1 = 0 where service = 'spin-engine' and seq_1 > 0 returning shard", writer=True)
    assert rows, "no position was put back"
    place.release("spin-engine-1")
    eventually("the engine", lambda: patient(lambda: place.http("GET", f"/v1/state?game={BEWITCHED}", token=person.token)).status == 200, 20)
    assert [left(person, one) for one in (grant_id, kept)] == [None, 1], person.state["bonus_spins"]
    spin(person, kept)
    assert [left(person, one) for one in (grant_id, kept)] == [None, None], person.state["bonus_spins"]


def test_a_jackpot_without_a_contribution():
    """V4 of the progressive's arithmetic: paid by its row, T as before."""
    person = Person(place)
    grant_id, before = give_grant(person, coin_minor=20), totals()
    t, value, seed = place.sql("select p.t_e18, r.w_e18, r.seed_minor from pool.pool p join pool.row r using (pool) where pool = 1 and currency = 978 and coin_minor = 20")[0]
    balance = person.balance
    force(place, person.name, JACKPOT)
    spin(person, grant_id)
    person.awarded()
    person.watch()
    jackpots = person.round["jackpots"]
    assert len(jackpots) == 1 and jackpots[0]["booked"], person.round
    paid = jackpots[0]["paid_minor"]
    assert paid == int(seed) + (int(t) - int(value)) * 20 // 1000 // 10 ** 16, (paid, seed, t, value)
    if not person.round["closed"]:
        person.act("collect")
    assert person.balance == balance + person.round["win_minor"] + paid, (person.balance, balance, person.round)
    claim = place.sql(f"select kind, coin_minor, stake_minor, paid_minor from wallet.claim where player = {person.id}")
    assert claim == [["1", "20", "0", str(paid)]], claim
    moves_by_paid_bets_alone(before)


def broken():
    done = subprocess.run([f"{BIN}/jackpotctl", "ledger", "verify", "--json"], cwd=place.data, env={**place.environment, **place.stack}, capture_output=True, text=True, timeout=time_out(30), check=False)
    return [p["point"] for p in json.loads(done.stdout)["points"] if not p["ok"]]


def test_the_books():
    place.verify()
    grant_id, used = place.sql("select encode(id, 'hex'), used from wallet.spin_grant where used > 1 and used < spins limit 1")[0] if place.sql(
        "select 1 from wallet.spin_grant where used > 1 and used < spins") else place.sql("select encode(id, 'hex'), used from wallet.spin_grant where used > 1 limit 1")[0]
    row = f"where outside_id = '\\x{grant_id}' and kind = 2 and refusal = 0"
    kept = f"where id = '\\x{grant_id}'"
    cases = (
        (f"update wallet.spin_grant set used = used - 1 {kept}", f"update wallet.spin_grant set used = used + 1 {kept}"),
        (f"update wallet.spin_grant set expires = expires - interval '1 day' {kept}", f"update wallet.spin_grant set expires = expires + interval '1 day' {kept}"),
        (f"update wallet.spin_grant set given_seq = given_seq + 100000 {kept}", f"update wallet.spin_grant set given_seq = given_seq - 100000 {kept}"),
        (f"update wallet.journal set tallies = array[1] {row}", f"update wallet.journal set tallies = '{{}}' {row}"),
        (f"update wallet.journal set outside_id = '\\x00' {row}", f"update wallet.journal set outside_id = '\\x{grant_id}' where outside_id = '\\x00'"),
    )
    for tamper, undo in cases:
        place.sql(tamper, writer=True)
        assert 11 in broken(), tamper
        place.sql(undo, writer=True)
    assert broken() == [], used


if __name__ == "__main__":
    with Installation("bonus", kafka=False) as place:
        try:
            run(*[f for name, f in list(globals().items()) if name.startswith("test_")])
        except SystemExit as status:
            if status.code:
                raise
