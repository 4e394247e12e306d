#!/usr/bin/env python3
"""A person's way through the public API on one installation, with scripted draws: money to the last minor unit, jackpots to the last 10^-27 of a euro,
every promise checked again by arithmetic that shares nothing with the services. Ends with the ledger's proof, and with proof that the proof can fail."""
import hashlib
import json
import os
import signal
import subprocess
import threading
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

from lib_play import GAME, RULES, Person, Socket, force, gamble_cards, good, operator
from lib_raw import envelope, field, raw
from lib_rules import Progressive, Stream, stream_key, suit_is_red
from lib_stack import BIN, Installation, eventually, read_text, run

EUR, SEK = 978, 752
LOSS = RULES.stops()
BONUS = RULES.stops(bonuses=3)
WITH_BATTLE = RULES.stops(scatters=2, bonuses=3)
ONE_LINE = {"coin_minor": 1, "lines": 1, "coins": 1}
WIN = RULES.stops(win=True, bet=ONE_LINE)
JACKPOT = 0  # the first of the vials' weights, at any bet
place = None
model = None  # what the pool must be; None before the first test


def rows_of(name, pool=1):
    return place.sql(f"select {name} from pool.row where pool = {pool} order by currency, coin_minor")


def pool_model():
    rows = {}
    for currency, about in RULES.definition["jackpot"]["rows"].items():
        for seed in about["seeds"]:
            rows[(currency, seed["coin"])] = (seed["seed"], Fraction(about["row_rate_nano"], 10 ** 9))
    return Progressive(rows)


def holds(json, value):
    """Whether a value of this JSON is the given one, at any depth."""
    inside = json.values() if isinstance(json, dict) else json if isinstance(json, list) else ()
    return json == value or any(holds(member, value) for member in inside)


def counters(pool):
    """As anybody may ask. A gateway that started before the pools has them in its list two seconds later."""
    def listed():
        answer = good(place.http("GET", "/v1/jackpots"), "/v1/jackpots")
        assert answer.headers["ETag"], answer
        return next((p for p in answer.json["pools"] if p["pool"] == pool), None)

    return eventually(f"pool {pool} among the counters", listed, 5)


def shown():
    """(currency, coin) -> minor units, as anybody may ask."""
    pool = counters(1)
    return {(row["currency"], row["coin_minor"]): row["value_minor"] for row in pool["rows"]}


def pool_settled():
    """Waits until the pool has heard of every stake, and compares all of it with the model; then what is shown."""
    t = int(model.t * 10 ** 18)
    eventually(f"T = {float(model.t)}", lambda: int(place.sql("select t_e18 from pool.pool where pool = 1")[0][0]) == t, 5)
    row = place.sql("select t_e18, jp_pool_e27, jp_reserve_e27, jp_seed_e27, house_seed_e27, paid_e27 from pool.pool where pool = 1")[0]
    expected = [model.t * 10 ** 18] + [x * 10 ** 27 for x in (model.pool(), model.reserve, model.seeds(), model.house_seed, model.paid)]
    assert [int(v) for v in row] == expected, (row, [int(e) for e in expected])
    wanted = {key: model.shown(key) for key in model.rows}
    eventually("the counters shown", lambda: shown() == wanted, 5)


def bet_for_model(person, lines=1, coins=1, coin=1, script=(), **more):
    """A scripted bet that the model follows; the currency's rate where the tally was opened."""
    force(place, person.name, list(script) or LOSS)
    answer = person.bet(coin, lines, coins, **more)
    model.bet(coin * lines * coins, Fraction(1) if person.state["currency"] == "EUR" else Fraction(875, 10000))
    return answer


# ---- the jackpots' arithmetic ------------------------------------------------------------------------------------------------

def test_vectors_hold_for_the_model():
    p = Progressive({("EUR", c): (2000 * c, Fraction(1)) for c in (1, 2, 5, 10, 20, 50, 100)})
    assert (p.shown(("EUR", 1)), p.shown(("EUR", 20)), p.shown(("EUR", 100)), p.seeds()) == (2000, 40000, 200000, 3760)
    p.bet(10000000)
    assert (p.t, p.shown(("EUR", 1)), p.shown(("EUR", 20)), p.pool(), p.reserve) == (500, 2050, 41000, 94, 406)
    assert (p.hit(("EUR", 20)), p.pool(), p.reserve, p.shown(("EUR", 100))) == (41000, 84, 6, 205000)
    p.bet(30000)
    assert (p.hit(("EUR", 20)), p.pool(), p.reserve) == (40003, Fraction("84.252"), 0)
    assert (p.hit(("EUR", 1)), p.pool(), p.value(("EUR", 1))) == (2050, Fraction("83.752"), Fraction("20.0015"))
    p.bet(1)
    assert p.reserve == Fraction("0.0000406")
    p.bet(3000)
    assert [p.hit(("EUR", 20)), p.hit(("EUR", 20))] == [40000, 40000] and p.rows[("EUR", 20)]["r"] == Fraction("0.003001")
    assert (p.pool(), p.paid, p.house_seed) == (Fraction("83.7802094"), Fraction("1630.53"), Fraction("4972.6601594"))


def test_v0_every_row_begins_at_its_seed():
    global model
    model = pool_model()
    pool_settled()
    values = shown()
    assert (values[("EUR", 1)], values[("EUR", 20)], values[("EUR", 100)]) == (2000, 40000, 200000)
    cards = counters(2)
    assert [row["level"] for row in cards["rows"]] == [1, 2, 3, 4], cards


def bets_of_100000():
    """99,970.00 in losing bets of nine players at once; the 30.00 that are missing are the winner's own."""
    players = [Person(place, deposit=74 * 15000) for _ in range(9)]
    for person in players:
        force(place, person.name, *[LOSS] * 74)
    with ThreadPoolExecutor(len(players)) as threads:
        for done in [threads.submit(lambda p: [p.bet(100, 15, 10) for _ in range(74)], person) for person in players]:
            assert all(answer.json["round"]["win_minor"] == 0 for answer in done.result())
    for _ in range(9 * 74):
        model.bet(15000)
    bet_for_model(players[0], 7, 10, 100)
    return players


def hit(person, lines=15, coins=10, coin=20):
    """A jackpot by the vials. Gives what was paid; nothing of it is told before the picks."""
    key = ("EUR", coin)
    before = person.balance
    answer = bet_for_model(person, lines, coins, coin, [*BONUS, JACKPOT]).json
    paid = model.hit(key)
    stake = coin * lines * coins
    assert answer["round"]["next"] == "pick" and not answer["round"].get("jackpots"), answer
    assert answer["balance_minor"] == before - stake, "the balance tells of a jackpot that its winner has not seen"
    claim = eventually("the award", lambda: place.sql(f"select paid_minor from wallet.claim where player = {person.id} and move = {answer['round']['round']} and closed_seq > 0"), 5)
    assert int(claim[0][0]) == paid, (claim, paid)
    person.awarded()
    assert person.refresh()["balance_minor"] == before - stake, "not even now"
    listed = person.ask("GET", "/v1/rounds?limit=1", keep=False).json["rounds"][0]
    assert (listed["win_minor"], listed["balance_after_minor"], listed["closed"]) == (0, before - stake, False), listed
    replay = place.http("GET", f"/v1/rounds/{answer['round']['round']}", token=person.token)
    assert b'"jackpot"' not in replay.raw and not holds(replay.json, paid), replay.raw
    person.watch()
    assert person.round["jackpots"] == [{"index": 1, "pool": 1, "paid_minor": paid, "booked": True}], person.round
    assert person.round["phases"][-1]["outcome"] == "jackpot" and person.round["closed"]
    assert person.balance == before - stake + paid
    listed = person.ask("GET", "/v1/rounds?limit=1", keep=False).json["rounds"][0]
    assert (listed["win_minor"], listed["balance_after_minor"], listed["closed"]) == (paid, person.balance, True), listed
    pool_settled()
    return paid


def test_v1_v2_bets_of_100000_then_a_hit():
    players = bets_of_100000()
    assert model.t == Fraction("499.85")
    pool_settled()
    assert hit(players[0]) == 41000
    values = shown()
    assert (model.t, values[("EUR", 1)], values[("EUR", 100)]) == (500, 2050, 205000), "the other rows are untouched"
    assert values[("EUR", 20)] == 40000


def test_v3_next_winner_gets_the_seed_and_his_share_of_the_bets_in_between():
    other = Person(place, deposit=100000)
    for _ in range(9):
        bet_for_model(other, 15, 10, 20)
    assert hit(Person(place)) == 40003


def test_v4_v5_smallest_bet_wins_at_the_smallest_coin():
    assert hit(Person(place), 1, 1, 1) == 2050
    assert model.rows[("EUR", 1)]["r"] == Fraction("0.00150005"), "what the floor left is carried"


def test_v7_two_hits_in_one_round():
    person = Person(place)
    before, first = person.balance, int(place.sql("select count(*) from pool.hit")[0][0])
    answer = bet_for_model(person, 15, 10, 20, [*WITH_BATTLE, 9, JACKPOT, *BONUS, JACKPOT, *LOSS, *LOSS]).json
    assert [model.hit(("EUR", 20)), model.hit(("EUR", 20))] == [40000, 40000]
    person.awarded()
    phases = person.watch()
    assert [p["kind"] for p in phases] == ["spin", "battle", "bonus", "free_spin", "bonus", "free_spin", "free_spin"], [p["kind"] for p in phases]
    assert [j["paid_minor"] for j in person.round["jackpots"]] == [40000, 40000], person.round["jackpots"]
    assert person.balance == before - 3000 + 3000 + 2 * 40000, "the stake, the scatters' pay, two jackpots"
    hits = place.sql(f"select hit, index, paid_minor from pool.hit where player = {person.id} and move = {answer['round']['round']} order by hit")
    assert hits == [[str(first + 1), "1", "40000"], [str(first + 2), "2", "40000"]], hits
    pool_settled()
    assert model.t == Fraction("501.65005") and model.rows[("EUR", 20)]["r"] == Fraction("0.003001")


def test_v8_crowns_feed_and_win_their_own_row():
    person = Person(place, currency="SEK", deposit=30000)
    before = person.balance
    bet_for_model(person, 15, 10, 20, [*BONUS, JACKPOT])
    paid = model.hit(("SEK", 20))
    person.awarded()
    person.watch()
    assert (person.round["jackpots"][0]["paid_minor"], person.balance) == (paid, before - 3000 + paid), (person.state, before, paid)
    pool_settled()


def test_counters_fall_only_at_hits():
    url = place.http("GET", "/v1/config").json["events_url"]
    winner, watcher = Person(place), Person(place)
    public = Socket(url, {"subscribe": ["jackpots", "winners"]})
    private = Socket(url, {"subscribe": ["player"], "token": winner.token})
    snapshot = public.until(lambda e: e["type"] == "snapshot" and e["channel"] == "jackpots")
    assert {r["currency"] for p in snapshot["pools"] for r in p["rows"]} >= {"EUR", "SEK"}
    stream = urllib.request.urlopen(url.replace("ws", "http", 1).replace("/events", "/events/stream?channels=winners"), timeout=40)
    versions = {(p["pool"], r["currency"], r.get("coin_minor"), r.get("level")): r for p in snapshot["pools"] for r in p["rows"]}
    bet_for_model(watcher, 15, 10, 100)
    paid = hit(winner, 15, 1, 50)
    news = public.until(lambda e: e["type"] == "winner" and e["paid_minor"] == paid)
    assert (news["coin_minor"], news["currency"], news["pool"]) == (50, "EUR", 1) and str(winner.number) not in news["player"], news
    for line in stream:
        if b'"winner"' in line and str(paid).encode() in line:
            break
    stream.close()
    public.until(lambda e: e["type"] == "counters" and any(r["value_minor"] == model.shown(("EUR", 50)) for p in e["pools"] for r in p["rows"] if r.get("coin_minor") == 50))
    for event in public.seen:
        for pool in event.get("pools", []):
            for row in pool["rows"]:
                key = (pool["pool"], row["currency"], row.get("coin_minor"), row.get("level"))
                old = versions.get(key, row)
                assert row["version"] >= old["version"] and (row["value_minor"] >= old["value_minor"] or row["hits"] > old["hits"]), (old, row)
                versions[key] = row
    award = private.until(lambda e: e["type"] == "award")
    assert (award["paid_minor"], award["round"], award["index"]) == (paid, winner.round["round"], 1), award
    private.until(lambda e: e["type"] == "balance" and e["balance_minor"] == winner.balance)
    first = eventually("the winners' list", lambda: next((w for w in place.http("GET", "/v1/winners?limit=1").json["winners"] if w["paid_minor"] == paid), None), 5)
    assert str(winner.number) not in json.dumps(first["player"]), first
    public.close()
    private.close()


def test_missed_events_are_sent_on_resume():
    url = place.http("GET", "/v1/config").json["events_url"]
    first = Socket(url, {"subscribe": ["winners"]})
    position = first.until(lambda e: e["type"] == "snapshot")
    first.close()
    paid = hit(Person(place), 1, 1, 10)
    second = Socket(url, {"subscribe": ["winners"], "resume": {"winners": {"epoch": position["epoch"], "offset": position["offset"]}}})
    assert second.next()["recovered"] is True
    assert second.until(lambda e: e["type"] == "winner")["paid_minor"] == paid
    third = Socket(url, {"subscribe": ["winners"], "resume": {"winners": {"epoch": "of another world", "offset": "1"}}})
    assert third.next()["recovered"] is False
    third.until(lambda e: e["type"] == "snapshot")
    for each in (second, third):
        each.close()


def own_events(person, **resume):
    url = place.http("GET", "/v1/config").json["events_url"]
    return Socket(url, {"subscribe": ["player"], "token": person.token, **({"resume": {"player": resume}} if resume else {})})


def bet_told(person, *sockets):
    """A bet, and the balance that each connection is told first."""
    bet_for_model(person)
    return [socket.until(lambda e: e["type"] == "balance") for socket in sockets]


def test_balances_never_go_back():
    person = Person(place)
    socket = own_events(person)
    [old], [last] = bet_told(person, socket), bet_told(person, socket)
    socket.close()
    assert last["seq"] > old["seq"]
    before = place.pid("notifications-1")
    place.kill("notifications-1")
    eventually("notifications", lambda: place.pid("notifications-1") not in (0, before), 20)

    def back():
        try:
            return own_events(person)
        except (OSError, AssertionError):
            return None
    eventually("its door", back, 20).close()
    fresh, again, ahead = own_events(person), own_events(person, epoch=last["epoch"], offset=last["offset"]), own_events(person, epoch="1", offset=str(2**62))
    for socket in (again, ahead):
        assert socket.next()["recovered"] is False
    # The wallet sends rows again when somebody asks for them: so do we, with the old one.
    [[shard]] = place.sql(f"select distinct shard from wallet.journal where player = {person.id}")
    raw(place, "wallet.facts", envelope(old["seq"]) + field(2, int(shard)) + field(3, person.id) + field(4, 2) + field(5, 1) + field(16, old["balance_minor"]) + field(23, 1),
        [int(shard)])
    told = bet_told(person, fresh, again)
    assert all(event["balance_minor"] == person.balance and event["seq"] > last["seq"] for event in told), (old, last, told)
    bet_told(person, fresh)
    ahead.send({"subscribe": ["jackpots"]})
    ahead.until(lambda e: e["type"] == "snapshot")
    assert all(event["type"] != "balance" for event in ahead.seen), ahead.seen
    for socket in (fresh, again, ahead):
        socket.close()


# ---- sessions, moves, windows ------------------------------------------------------------------------------------------------

def journal_of(person):
    rows = [r for r in person.ask("GET", "/v1/journal?limit=100", keep=False).json["rows"]]
    return rows[::-1]


def test_demo_money_comes_once():
    person = Person(place)
    assert person.balance == 100000 and person.session["player"] == f"1-{person.number}"
    again = Person(place, number=person.number)
    assert again.balance == 100000 and again.expect == person.expect == 1
    assert [r["kind"] for r in journal_of(person)] == ["open", "deposit"]
    state = person.refresh()
    assert {k: state[k] for k in ("player", "currency", "balance_minor", "pending_minor", "expect")} == {
        "player": person.name, "currency": "EUR", "balance_minor": 100000, "pending_minor": 0, "expect": 1}
    assert state["round"] is None and len(bytes.fromhex(state["secret_hash"])) == 32


def test_bet_lost_and_bet_won():
    person = Person(place)
    bet_for_model(person, 15, 2, 5)
    assert (person.balance, person.round["win_minor"], person.round["closed"], person.round["next"]) == (99850, 0, True, "bet")
    answer = bet_for_model(person, script=WIN).json
    win = sum(RULES.line_wins(RULES.window(WIN), ONE_LINE, 1))
    assert (answer["round"]["win_minor"], answer["pending_minor"], answer["balance_minor"]) == (win, win, 99849), answer
    item = answer["round"]["phases"][0]["wins"][0]
    assert (item["what"], item["line"], item["amount_minor"]) == ("line", 1, win)
    done = person.act("collect").json
    assert (done["balance_minor"], done["pending_minor"], done["round"]["closed"]) == (99849 + win, 0, True)
    rows = journal_of(person)
    assert [r["kind"] for r in rows] == ["open", "deposit", "bet", "bet", "collect"]
    assert [r["balance_after_minor"] for r in rows] == [0, 100000, 99850, 99849, 99849 + win]


def test_same_key_twice_is_one_move():
    person = Person(place)
    force(place, person.name, LOSS)
    body = person.bet_body(5)
    first = person.ask("POST", "/v1/rounds", body, "the-key")
    again = person.ask("POST", "/v1/rounds", body, "the-key")
    assert first.json == again.json
    model.bet(5)
    other = person.ask("POST", "/v1/rounds", {**body, "bet": {**body["bet"], "coin_minor": 10}}, "the-key", status=422)
    assert other.error["code"] and other.error["where"] == "Idempotency-Key", other
    assert [r["kind"] for r in journal_of(person)] == ["open", "deposit", "bet"]
    assert person.refresh()["balance_minor"] == 99995


def test_wrong_expect_returns_current():
    person = Person(place)
    bet_for_model(person)
    promise = person.state["secret_hash"]
    for expect in (1, 7):
        answer = person.ask("POST", "/v1/rounds", {**person.bet_body(), "expect": expect}, status=409)
        assert (answer.json["expect"], answer.json["secret_hash"], answer.json["balance_minor"]) == (2, promise, 99999), answer
        assert answer.error["where"] == "expect" and answer.error["found"] == str(expect) and answer.error["expected"] == "2", answer
    assert [r["kind"] for r in journal_of(person)] == ["open", "deposit", "bet"]


def test_two_windows():
    left = Person(place)
    right = Person(place, number=left.number)
    bet_for_model(left)
    refused = right.bet(status=409)
    assert refused.json["expect"] == 2 and right.expect == 2
    bet_for_model(right)
    left.refresh()
    force(place, left.name, *[LOSS] * 12)
    for _ in range(6):  # at the same moment: one of them moves
        barrier, answers = threading.Barrier(2), []

        def click(person):
            body = person.bet_body()
            barrier.wait()
            answers.append(place.http("POST", "/v1/rounds", body, token=person.token, key=os.urandom(8).hex()))

        right.state["expect"] = left.expect
        threads = [threading.Thread(target=click, args=(p,)) for p in (left, right)]
        [t.start() for t in threads]
        [t.join() for t in threads]
        assert sorted(a.status for a in answers) == [200, 409], answers
        model.bet(1)
        assert left.refresh()["expect"] == max(a.json["expect"] for a in answers)
    assert left.balance == 100000 - 8


def test_a_lost_reply_is_never_a_second_bet():
    left = Person(place)
    right = Person(place, number=left.number)
    force(place, left.name, LOSS, LOSS)
    body = left.bet_body(5)
    place.http("POST", "/v1/rounds", body, token=left.token, key="lost")  # what was answered is never read
    right.refresh()
    right.bet(1)
    model.bet(5)
    model.bet(1)

    def told(body, status=409):
        answer = eventually("an answer", lambda: (a := place.http("POST", "/v1/rounds", body, token=left.token, key="lost")).status not in (503, 504) and a, 30)
        assert answer.status == status, answer
        return answer

    def already_done():
        for expect in (1, 3, 9):  # as it was sent, as the conflict told, and a number nobody has
            answer = told({**body, "expect": expect})
            assert (answer.error["code"], answer.error["where"], answer.error["found"]) == ("already_done", "Idempotency-Key", "1"), answer
            assert answer.error["message"] and answer.json["round"] is None, answer
            assert {k: answer.json[k] for k in ("expect", "secret_hash", "balance_minor")} == {k: right.state[k] for k in ("expect", "secret_hash", "balance_minor")}, answer
        assert told({**body, "expect": 3, "bet": {**body["bet"], "coin_minor": 10}}, 422).error["where"] == "Idempotency-Key"

    already_done()
    place.kill("spin-engine-1")  # whoever plays on knows it too
    already_done()
    assert [r["kind"] for r in journal_of(left)] == ["open", "deposit", "bet", "bet"]
    assert left.refresh()["balance_minor"] == 100000 - 5 - 1
    bet_for_model(left, key="another")


def test_unfinished_round_blocks_bets():
    person = Person(place)
    bet_for_model(person, script=[*BONUS, RULES.vial_value("money", 20, ONE_LINE)])
    answer = person.bet(status=409)
    assert answer.error["code"] == "feature_open" and answer.json["round"]["next"] == "pick", answer
    for action in ("collect", "gamble"):
        refused = person.act(action, choice=0 if action == "gamble" else None, status=409)
        assert refused.error["code"] in ("feature_open", "no_win_to_gamble"), refused
    assert person.act("next", status=409).error["code"] == "pick_needed"
    person.watch()
    assert person.balance == 100000 - 1 + 20


# ---- features ----------------------------------------------------------------------------------------------------------------

def test_battle_and_free_spins():
    person = Person(place)
    bet = {"coin_minor": 1, "lines": 1, "coins": 2}
    answer = bet_for_model(person, coins=2, script=[*RULES.stops(scatters=2), 9, *WIN, *LOSS, *LOSS]).json
    assert [p["kind"] for p in answer["round"]["phases"]] == ["spin", "battle"] and answer["round"]["next"] == "next"
    assert answer["round"]["phases"][1]["free_spins_awarded"] == 3
    phases = person.watch()
    win = 2 * sum(RULES.line_wins(RULES.window(WIN), bet, 1))
    assert [p["kind"] for p in phases] == ["spin", "battle"] + 3 * ["free_spin"]
    assert [p["win_minor"] for p in phases] == [0, 2, win, 0, 0], "line wins are doubled, the scatters' pay is not"
    assert [p["free_spins_left"] for p in phases[2:]] == [2, 1, 0]
    assert person.balance == 100000 - 2 + 2 + win and person.round["closed"], "wins of a feature cannot be doubled up"


def test_picks_choose_vials_not_outcomes():
    for picks in ((0, 1, 2), (8, 4, 6)):
        person = Person(place)
        bet_for_model(person, script=[*BONUS, RULES.vial_value("money", 300, ONE_LINE)])
        cursor = person.round["cursor"]
        assert person.act("pick", choice=9, status=400).error["where"] == "choice"
        for left, choice in zip((2, 1), picks):
            person.act("pick", choice=choice)
            assert (person.round["picks_left"], person.round["cursor"], person.round["win_minor"]) == (left, cursor, 0), person.round
        person.act("pick", choice=picks[1])
        assert person.round["picks_left"] == 1, "a vial can be picked once"
        person.act("pick", choice=picks[2])
        bonus = person.round["phases"][-1]
        assert (bonus["kind"], bonus["outcome"], bonus["outcome_value"], bonus["win_minor"]) == ("bonus", "money", 300, 300), bonus
        assert bytes.fromhex(bonus["picks"]) == bytes(picks) and person.balance == 100000 - 1 + 300


def test_free_spins_of_the_pick_bonus():
    person = Person(place)
    bet_for_model(person, script=[*BONUS, RULES.vial_value("free_spins", 15, ONE_LINE)])
    while person.round["next"] == "pick" and person.round["cursor"] == 1:
        person.act("pick", choice=3 - person.round["picks_left"])
    assert person.round["phases"][-1]["free_spins_awarded"] == 15 and person.round["next"] == "next"
    phases = person.watch()
    assert sum(p["kind"] == "free_spin" for p in phases) >= 15
    if person.round["next"] == "gamble":
        person.act("collect")
    for _ in person.round["jackpots"]:  # should the stream have drawn any
        model.hit(("EUR", 1))
    replay = person.ask("GET", f"/v1/rounds/{person.round['round']}", keep=False).json
    assert replay["replay"] is True


def winning_round(person):
    """A win on the table, with the cards that the next guesses will turn up: the house's key is at hand here."""
    nonce = os.urandom(16).hex()
    secret = person.next_secret()
    assert hashlib.sha256(secret).hexdigest() == person.state["secret_hash"], "the promise is of another secret"
    bet_for_model(person, script=WIN, nonce=nonce)
    assert person.round["next"] == "gamble" and person.round["gamble_attempts_left"] == 5, person.round
    return [int(not suit_is_red(card)) for card in gamble_cards(secret, bytes.fromhex(nonce), 6)]


def test_gamble_lost():
    person = Person(place)
    right = winning_round(person)
    assert person.act("gamble", choice=2, status=400).error["where"] == "choice"
    assert person.act("halve", status=409).error["code"] == "halve_not_offered"
    answer = person.act("gamble", choice=1 - right[0]).json
    assert (answer["pending_minor"], answer["balance_minor"], answer["round"]["closed"], answer["round"]["win_minor"]) == (0, 99999, True, 0), answer
    assert answer["round"]["gambles"][0]["won"] is False
    for action in ("gamble", "collect"):
        assert person.act(action, choice=0 if action == "gamble" else None, status=409).error["code"] == "round_closed"
    assert [r["kind"] for r in journal_of(person)][-1] == "gamble" and journal_of(person)[-1]["forfeit_minor"] > 0


def test_gamble_won_to_the_limit_of_attempts():
    person = Person(place)
    right = winning_round(person)
    win = person.state["pending_minor"]
    for attempt in range(1, 6):
        person.act("gamble", choice=right[attempt - 1])
        step = person.round["gambles"][-1]
        assert (step["attempt"], step["won"], step["pending_minor"]) == (attempt, True, win * 2 ** attempt), step
    assert person.round["closed"] and person.balance == 99999 + 32 * win and person.state["pending_minor"] == 0, "the fifth win is collected"
    assert person.act("gamble", choice=0, status=409).error["code"] == "round_closed"


def test_next_bet_collects_first():
    person = Person(place)
    winning_round(person)
    win = person.state["pending_minor"]
    bet_for_model(person)
    assert person.round["collected_minor"] == win and person.balance == 100000 - 2 + win and person.state["pending_minor"] == 0
    assert [r["kind"] for r in journal_of(person)][-2:] == ["bet", "bet"], "in the same row"


def test_witch_follows_the_player():
    person = Person(place)
    assert person.setting(witch=1).json["witch"] == 1
    assert person.refresh()["witch"] == 1
    assert person.setting(witch=2, status=400).error["where"] == "witch"
    bet_for_model(person)
    assert person.state["witch"] == 1 and Person(place, number=person.number).refresh()["witch"] == 1


def start_autoplay(person, spins=10, loss=-1, single=-1, jackpot=False, status=200):
    settings = {"id": os.urandom(16).hex(), "spins": spins, "loss_limit_minor": loss, "single_win_minor": single, "stop_on_jackpot": jackpot}
    person.setting(autoplay=settings, status=status)
    return settings["id"]


def test_autoplay_is_enforced():
    person = Person(place)
    assert person.bet(autoplay="00" * 16, status=409).error["code"] == "autoplay_unknown_id"
    name = start_autoplay(person, 2)
    assert person.state["autoplay"]["spins"] == 2
    bet_for_model(person, autoplay=name)
    assert person.state["autoplay"]["spins"] == 1
    bet_for_model(person, autoplay=name)
    assert person.bet(autoplay=name, status=409).error["code"] == "autoplay_stopped", "the count"
    cases = (("loss limit", dict(loss=1), [LOSS, LOSS]), ("single win", dict(single=1), [WIN]), ("feature", {}, [[*RULES.stops(scatters=2), 9, *LOSS, *LOSS, *LOSS]]),
             ("jackpot", dict(jackpot=True), [[*BONUS, JACKPOT]]))
    for what, settings, scripts in cases:
        name = start_autoplay(person, 10, **settings)
        for script in scripts:
            bet_for_model(person, autoplay=name, script=script)
        if what == "jackpot":
            model.hit(("EUR", 1))
        person.watch()
        if person.round["next"] == "gamble":
            person.act("collect")
        assert person.bet(autoplay=name, status=409).error["code"] == "autoplay_stopped", what
    name = start_autoplay(person, 10)
    bet_for_model(person, autoplay=name, script=WIN)
    assert person.act("gamble", choice=0, status=409).error["code"] == "autoplay_runs"
    person.setting(autoplay={"id": name, "spins": 0, "loss_limit_minor": -1, "single_win_minor": -1, "stop_on_jackpot": False})
    assert not person.state["autoplay"]
    assert person.refresh()["round"]["next"] == "gamble", "a win of an autospin may be doubled once autoplay has stopped"
    person.act("collect")


# ---- operators ---------------------------------------------------------------------------------------------------------------

def test_operator_opens_and_moves_money():
    number = 777001
    opened = operator(place, "/players", {"player": number, "currency": "EUR"})
    assert opened.status == 201 and opened.json == {"player": f"1-{number}", "currency": "EUR", "balance_minor": 0}, opened
    assert operator(place, "/players", {"player": number, "currency": "SEK"}).status == 409
    base = f"/players/{number}"
    first = operator(place, f"{base}/deposits", {"amount_minor": 5000, "currency": "EUR"}, "deposit-1")
    assert first.status in (200, 201) and first.json["balance_minor"] == 5000, first
    for amount, path, body in ((4000, "withdrawals", {"amount_minor": 1000, "currency": "EUR"}), (3900, "corrections", {"amount_minor": -100, "currency": "EUR", "reason": "a test"}),
                               (4150, "grants", {"amount_minor": 250, "currency": "EUR"})):
        answer = operator(place, f"{base}/{path}", body, f"{path}-1")
        assert answer.status in (200, 201) and answer.json["balance_minor"] == amount, answer
    again = operator(place, f"{base}/deposits", {"amount_minor": 5000, "currency": "EUR"}, "deposit-1")
    assert (again.json["seq"], again.json["id"]) == (first.json["seq"], first.json["id"]), "the same deposit, for ever"
    assert operator(place, f"{base}/deposits", {"amount_minor": 5001, "currency": "EUR"}, "deposit-1").status == 422
    assert operator(place, f"{base}/withdrawals", {"amount_minor": 4151, "currency": "EUR"}).status == 402
    assert operator(place, f"{base}/deposits", {"amount_minor": 1, "currency": "SEK"}).status in (404, 409)
    session = operator(place, "/sessions", {"player": number})
    assert session.status == 200
    rows = place.http("GET", "/v1/journal?limit=50", token=session.json["token"]).json["rows"][::-1]
    assert [r["kind"] for r in rows if r["refusal"] == "none" and r["kind"] != "capture"] == ["open", "deposit", "hold", "correction", "grant"], rows
    assert rows[-1]["balance_after_minor"] == 4150
    for bad in ("00" * 32, ""):
        assert operator(place, "/sessions", {"player": number}, operator_key=bad or "x").status == 401
    assert operator(place, "/sessions", {"player": number}, number=2).status in (401, 403, 404)
    assert operator(place, "/sessions", {"player": 777999}).status == 404


def test_block_is_a_switch():
    person = Person(place)
    assert person.operator("block", {"blocked": True, "reason": "a test"}, status=200).json["blocked"] is True
    assert person.bet(status=403).error["code"] == "blocked"
    person.refresh()
    assert person.balance == 100000
    person.operator("block", {"blocked": False, "reason": "it is over"}, status=200)
    force(place, person.name, *[LOSS] * 400)  # a bet that is refused spends its script
    eventually("the engine to hear of it", lambda: place.http("POST", "/v1/rounds", person.bet_body(), token=person.token, key=os.urandom(8).hex()).status == 200, 5)
    model.bet(1)


def test_insufficient_funds_spends_number():
    person = Person(place)
    person.operator("withdrawals", {"amount_minor": 100000 - 5, "currency": "EUR"})
    person.refresh()
    expect, promise = person.expect, person.state["secret_hash"]
    answer = person.bet(10, status=402)
    assert answer.json["smallest_bet_minor"] == 1 and answer.json["expect"] == expect + 1 and answer.json["secret_hash"] != promise, answer
    assert answer.json["balance_minor"] == 5 and answer.error["code"] == "insufficient_funds"
    last = [r for r in journal_of(person) if r["kind"] != "capture"][-1]  # of the withdrawal, which comes when it has been paid out
    assert (last["kind"], last["refusal"], last["balance_after_minor"]) == ("bet", "funds", 5), last
    bet_for_model(person)
    assert person.balance == 4


# ---- what can be proved afterwards -------------------------------------------------------------------------------------------

def same_phase(told, derived):
    if "window" in derived:
        assert list(bytes.fromhex(told["window"])) == derived["window"], (told, derived)
        stops = bytes.fromhex(told["stops"])
        assert [stops[i] << 8 | stops[i + 1] for i in range(0, len(stops), 2)] == derived["stops"]
    for field in ("kind", "win_minor", "outcome"):
        assert (told.get(field) or None) == (derived.get(field) or None), (field, told, derived)
    assert (told.get("free_spins_awarded") or 0) == derived["free_spins_awarded"]


def test_history_and_replay_match_replies():
    person = Person(place, deposit=1000000)
    nonces, told, promises = {}, {}, {}
    for i in range(40):
        nonce = os.urandom(16 + i % 17).hex()
        promise = person.state["secret_hash"]
        lines, coins = 1 + i % 15, 1 + i % 10
        person.bet(5, lines, coins, nonce=nonce)
        model.bet(5 * lines * coins)
        number = person.round["round"]
        if person.round["next"] in ("pick", "next"):
            person.awarded()
        phases = person.watch()
        if person.round["next"] == "gamble":
            person.act("gamble", choice=i % 2) if i % 3 == 0 else person.act("collect")
            while person.round["next"] == "gamble":
                person.act("collect")
        for phase in phases:
            if phase.get("outcome") == "jackpot":
                model.hit(("EUR", 5))
        nonces[number], told[number], promises[number] = nonce, (phases, person.round, person.balance), promise
    listed, before = [], ""
    while True:
        page = person.ask("GET", f"/v1/rounds?limit=7{before}", keep=False).json
        listed += page["rounds"]
        if not page["next"]:
            break
        before = f"&before={page['next']}"
    assert [r["round"] for r in listed] == sorted(told, reverse=True), [r["round"] for r in listed]
    for row in listed:
        phases, last, balance = told[row["round"]]
        replay = person.ask("GET", f"/v1/rounds/{row['round']}", keep=False).json
        round_ = replay["round"]
        assert replay["replay"] is True and row["closed"] and round_["closed"]
        assert [{k: v for k, v in p.items()} for p in round_["phases"]] == phases[-len(round_["phases"]):], (round_["phases"], phases)
        assert (row["stake_minor"], row["win_minor"]) == (round_["stake_minor"], round_["win_minor"] + sum(j["paid_minor"] for j in round_["jackpots"])), (row, round_)
        assert row["balance_after_minor"] == balance and row["balance_before_minor"] == balance + row["stake_minor"] - row["win_minor"], (row, balance)
        assert (round_.get("gambles") or []) == (last.get("gambles") or [])
        secret = bytes.fromhex(round_["secret"])
        assert hashlib.sha256(secret).hexdigest() == promises[row["round"]], "the secret is not what was promised"
        assert round_["client_nonce"] == nonces[row["round"]] and round_["math_version"] == place.http("GET", f"/v1/games/{GAME}").json["math_version"]
        derived = RULES.play(round_["bet"], Stream(stream_key(secret, bytes.fromhex(nonces[row["round"]]), "game")))
        assert len(derived) == len(phases)
        for mine, theirs in zip(derived, phases):
            same_phase(theirs, mine)
        for step, card in zip(round_.get("gambles") or [], gamble_cards(secret, bytes.fromhex(nonces[row["round"]]), 5)):
            assert step["card"] == card and step["won"] == (suit_is_red(card) == (step["guess"] == 0))


def test_players_see_only_their_rounds():
    person, other = Person(place), Person(place)
    bet_for_model(person)
    number = person.round["round"]
    assert place.http("GET", f"/v1/rounds/{number}", token=other.token).status == 404
    assert place.http("POST", f"/v1/rounds/{number}/actions", person.action_body("collect"), token=other.token, key="k").status in (404, 409)
    assert place.http("GET", f"/v1/rounds/{number}").status == 401


# ---- the proof, and that it can fail ------------------------------------------------------------------------------------------

def test_books_balance():
    pool_settled()
    report = place.verify()
    assert report["ledger_ok"] and report["pools_ok"] and report["hits"] == int(place.sql("select count(*) from pool.hit")[0][0]) >= 9, report
    dealt = place.sql("select count(*) from cards.round")[0][0] != "0"  # whether a bet began a card round is the draws' to say
    assert all(point["checked"] > 0 for point in report["points"] if dealt or point["point"] != 15), report
    for person in place.sql("select player, sum(case when refusal <> 0 then 0 when kind between 2 and 7 then release - stake + win_balance when (kind between 20 and 24 or kind in (28, 30, 31)) then amount else 0 end) from wallet.journal group by 1"):
        last = place.sql(f"select balance_after from wallet.journal where player = {person[0]} order by seq desc limit 1")[0]
        assert last[0] == person[1]


def stop_services():
    supervisor = int(read_text(f"{place.data}/run/supervisor.pid"))
    os.kill(supervisor, signal.SIGTERM)
    eventually("the services to stop", lambda: not os.path.exists(f"/proc/{supervisor}"), 30)


def broken_points():
    done = subprocess.run([f"{BIN}/jackpotctl", "ledger", "verify", "--json"], cwd=place.data, env={**place.environment, **place.stack}, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, {p["point"]: p["breaches"] for p in json.loads(done.stdout)["points"] if not p["ok"]}


def test_tampering_is_named():
    stop_services()
    shard, seq, player, batch = place.sql("select j.shard, j.seq, j.player, b.batch from wallet.journal j join wallet.batch b on b.shard = j.shard and j.seq between b.first_seq and b.last_seq"
                                          " where j.kind = 2 and j.refusal = 0 order by j.seq desc limit 1")[0]
    row, here = f"where shard = {shard} and seq = {seq}", f"shard {shard}, seq {seq}"
    claim_player, move = place.sql("select player, move from wallet.claim order by opened limit 1")[0]
    claim = f"where player = {claim_player} and move = {move} and index = 1"
    leg_shard, leg_batch, leg_account = place.sql("select shard, batch, account from wallet.house_leg order by shard, batch, account limit 1")[0]
    one_leg = f"where shard = {leg_shard} and batch = {leg_batch} and account = '{leg_account}'"
    tally = place.sql("select id from pool.tally where pool = 1 and currency = 978 and closed is null")[0][0]  # numbered as the pools happened to come up
    total, vector = f"where shard = 0 and tally = {tally}", f"where pool = 1 and shard = 1 and tally = {tally}"
    cases = (  # point, tampering, undoing, what must be named
        (1, f"update wallet.journal set move = move + 5 {row}", f"update wallet.journal set move = move - 5 {row}", here),
        (2, f"update wallet.journal set balance_after = balance_after + 1 {row}", f"update wallet.journal set balance_after = balance_after - 1 {row}", here),
        (2, f"update wallet.journal set win_balance = win_balance + 1 {row}", f"update wallet.journal set win_balance = win_balance - 1 {row}", here),
        (2, f"update wallet.journal set pending_after = pending_after + 1 {row}", f"update wallet.journal set pending_after = pending_after - 1 {row}", here),
        (3, f"update wallet.journal set stake = stake + 1 {row}", f"update wallet.journal set stake = stake - 1 {row}", f"shard {shard}, batch {batch}"),
        (4, f"update wallet.house_leg set amount = amount + 1 {one_leg}", f"update wallet.house_leg set amount = amount - 1 {one_leg}", f"shard {leg_shard}, batch {leg_batch}"),
        (5, f"update wallet.tally_total set total = total + 1 {total}", f"update wallet.tally_total set total = total - 1 {total}", f"shard 0, tally {tally}"),
        (6, f"update pool.vector set total = total + 1 {vector}", f"update pool.vector set total = total - 1 {vector}", f"pool 1, shard 1, tally {tally}"),
        (6, "update pool.pool set t_e18 = t_e18 + 1 where pool = 1", "update pool.pool set t_e18 = t_e18 - 1 where pool = 1", "pool 1"),
        (7, "update pool.pool set jp_reserve_e27 = jp_reserve_e27 + 1 where pool = 1", "update pool.pool set jp_reserve_e27 = jp_reserve_e27 - 1 where pool = 1", "pool 1"),
        (7, "update pool.row set r_e27 = r_e27 + 1 where pool = 1 and currency = 978 and coin_minor = 20", "update pool.row set r_e27 = r_e27 - 1 where pool = 1 and currency = 978 and coin_minor = 20", "pool 1"),
        (8, f"update wallet.claim set paid_minor = paid_minor + 1 {claim}", f"update wallet.claim set paid_minor = paid_minor - 1 {claim}", f"player {claim_player}, move {move}"),
        (8, f"update pool.hit set player = player + 1 {claim}", f"update pool.hit set player = player - 1 where player = {int(claim_player) + 1} and move = {move} and index = 1", f"player {claim_player}, move {move}"),
        (10, f"update wallet.journal set record = record || '\\x00' {row}", f"update wallet.journal set record = substring(record for length(record) - 1) {row}", f"shard {shard}, batch {batch}"),
    )
    for point, tamper, undo, named in cases:
        place.sql(tamper, writer=True)
        code, broken = broken_points()
        assert code == 1 and point in broken, (point, tamper, broken)
        assert any(named in breach["where"] and breach["found"] != breach["expected"] for breach in broken[point]), (point, named, broken[point])
        place.sql(undo, writer=True)
    assert broken_points() == (0, {})


if __name__ == "__main__":
    with Installation("journey") as place:
        try:
            run(*[f for name, f in list(globals().items()) if name.startswith("test_")])
        except SystemExit as status:
            if status.code:
                raise
