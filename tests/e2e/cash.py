#!/usr/bin/env python3
"""Money to the outside on one installation: withdrawals held, paid or given back, with a provider that is late, silent, double-tongued or wrong, while
the services die; bonus funds taken back. Ends with the ledger's proof, and with the provider's own books beside ours."""
import itertools
import json
import re
import socket
import struct
import subprocess
import threading
import time
import urllib.request

from lib_patience import let_time_pass, stays, time_out
from lib_play import RULES, SECOND_KEY, Person, Refused, force, good, operator, second_key
from lib_raw import field
from lib_stack import BIN, PSQL, Installation, clear_of_midnight, eventually, run

# The last two digits of an amount say how the stub behaves (tests/support/payment-stub).
ANSWERS, REFUSES, SLOW, BUSY, LATE, LATE_NO, TWICE, TURNS, TURNS_NO, OTHER, SILENT, MUTE, GARBAGE = range(13)
PAID = {ANSWERS, SLOW, BUSY, LATE, TWICE, TURNS, OTHER, GARBAGE}
LOSS = RULES.stops()
BET = {"coin_minor": 2, "lines": 5, "coins": 1}
WIN = RULES.stops(win=True, bet=BET)
place = None
asked = []  # (person, id, amount) of all
by_bank = []  # captured by hand before the provider was asked


class Till(Installation):
    """Questions to the provider are given up soon, and what is stuck is old soon."""

    def start(self, scale=None):
        self.environment.update(CARILLON_PAYMENTS_MS="400", CARILLON_PAYMENTS_PENDING_MS="3000", CARILLON_DECIDE_AFTER_S="4")
        super().start(scale)


def withdraw(person, amount, key=None):
    answer = person.operator("withdrawals", {"amount_minor": amount, "currency": "EUR"}, key, status=200)
    assert answer.json["state"] == "held" and len(answer.json["id"]) == 32, answer
    asked.append((person, answer.json["id"], amount))
    return answer.json["id"]


def shown(person, hold):
    return good(operator(place, f"/players/{person.number}/withdrawals/{hold}", None, method="GET"), hold).json


def settled(person, hold, state, seconds=20):
    eventually(f"{hold} to be {state}", lambda: shown(person, hold)["state"] == state, seconds, 0.1)
    return shown(person, hold)


def kinds(person):
    return [row[0] for row in place.sql(f"select kind from wallet.journal where player = {person.id} and refusal = 0 and kind >= 28 order by seq")]


def provider():
    with urllib.request.urlopen(f"http://127.0.0.1:{place.ports['PAYMENT_PORT']}/v1/payouts", timeout=60) as answer:
        return {p["id"]: p for p in json.load(answer)["payouts"]}


def alarms(hold):
    return [row[0] for row in place.sql(f"select kind from payments.alarm where payout = '\\x{hold}' order by id")]


def call(hold):
    """Anybody may say that the provider has news."""
    assert place.http("POST", "/v1/payments/calls", {"id": hold}).status == 200


def test_withdrawal_is_held_then_paid():
    person = Person(place)
    first = withdraw(person, 1000, "w-1")
    answer = operator(place, f"/players/{person.number}/withdrawals", {"amount_minor": 1000, "currency": "EUR"}, "w-1")
    assert answer.status == 200 and answer.json["id"] == first and answer.json["balance_minor"] == 99000, answer
    assert operator(place, f"/players/{person.number}/withdrawals", {"amount_minor": 1100, "currency": "EUR"}, "w-1").status == 422
    assert operator(place, f"/players/{person.number}/withdrawals", {"amount_minor": 99100, "currency": "EUR"}).status == 402
    told = settled(person, first, "paid")
    assert (told["amount_minor"], told["provider"]["outcome"], told["alarms"]) == (1000, "paid", []), told
    assert person.refresh()["balance_minor"] == 99000 and kinds(person) == ["28", "29"]
    listed = operator(place, f"/players/{person.number}/withdrawals", None, method="GET").json["withdrawals"]
    assert [w["id"] for w in listed] == [first], listed
    assert operator(place, f"/players/{Person(place).number}/withdrawals/{first}", None, method="GET").status == 404


def test_every_kind_of_provider():
    """All at once, and the services killed in between."""
    people = {how: Person(place) for how in range(13)}
    holds = {how: withdraw(people[how], 1000 + how) for how in people}
    for victim in ("payments-1", "wallet-1", "payments-1"):
        let_time_pass(0.4, "it is killed at a moment of chance, while payouts are under way")
        eventually(f"{victim} to run", lambda victim=victim: place.kill(victim), 10)
    for how, hold in holds.items():
        if how in PAID:
            settled(people[how], hold, "paid")
            assert kinds(people[how]) == ["28", "29"]
        elif how in (REFUSES, LATE_NO, TURNS_NO):
            settled(people[how], hold, "released")
            assert kinds(people[how]) == ["28", "30"]
            eventually("the engine to hear of it", lambda p=people[how]: p.refresh()["balance_minor"] == 100000, 5)
    for how in (SILENT, MUTE):
        told = shown(people[how], holds[how])
        assert (told["state"], told["provider"]["outcome"]) == ("held", "unknown") and told["provider"]["asks"] >= 1, told
        assert people[how].refresh()["balance_minor"] == 100000 - 1000 - how, "an unknown outcome is never guessed"
    assert "other_content" in alarms(holds[OTHER])
    for how in (TURNS, TURNS_NO):  # asked once more, it says otherwise: an alarm, and nothing else
        eventually("the alarm", lambda h=holds[how]: "contradicted" in alarms(h) or call(h), 10, 0.5)
        told = shown(people[how], holds[how])
        assert told["state"] == ("paid" if how == TURNS else "released") and told["alarms"][0]["kind"] == "contradicted", told
    for how in set(people) - {OTHER, TURNS, TURNS_NO}:
        assert alarms(holds[how]) == [], (how, alarms(holds[how]))
    hand(people, holds)


def decide(person, hold, decision, key=None, **more):
    return operator(place, f"/players/{person.number}/withdrawals/{hold}/decisions", {"decision": decision, "reason": "the provider was asked by phone", **more}, key)


def hand(people, holds):
    """What is stuck is decided by hand, with a reason; a provider that knows better is an alarm."""
    young = withdraw(people[SILENT], 2000 + SILENT)
    assert decide(people[SILENT], young, "release").error["code"] == "withdrawal_young"
    for bad in ("refund", ""):
        assert decide(people[SILENT], holds[SILENT], bad).status == 400
    assert decide(people[MUTE], holds[SILENT], "release").status == 404
    eventually("them to be old enough", lambda: decide(people[SILENT], holds[SILENT], "release", "hand-1").error.get("code") == "payment_asked", 15, 0.3)
    assert decide(people[SILENT], holds[SILENT], "capture", force=False).error["code"] == "payment_asked"
    assert shown(people[SILENT], holds[SILENT])["state"] == "held", "the provider may have paid it"
    first = decide(people[SILENT], holds[SILENT], "release", "hand-1", force=True)
    assert first.status == 200, first
    assert decide(people[SILENT], holds[SILENT], "release", "hand-1").json == first.json, "told again"
    assert decide(people[SILENT], holds[SILENT], "capture", "hand-1").status == 422
    assert decide(people[SILENT], holds[SILENT], "capture").error["code"] == "settled"
    assert kinds(people[SILENT]) == ["28", "28", "30"]
    assert decide(people[MUTE], holds[MUTE], "release", force=True).status == 200
    eventually("the provider's word", lambda: alarms(holds[MUTE]) == ["by_hand"], 15)
    assert shown(people[MUTE], holds[MUTE])["provider"]["outcome"] == "paid"
    assert kinds(people[MUTE]) == ["28", "30"], "an alarm has no effect"
    told = place.sql("select action, content->>'refusal', status from gateway.audit where action like 'withdrawal %by hand%' order by id")
    assert ["withdrawal released by hand, forced", "0", "200"] in told and any(row[2] == "409" for row in told), told
    reason = place.sql(f"select convert_from(record, 'UTF8')::json->>'reason' from wallet.journal where player = {people[MUTE].id} and kind = 30")
    assert reason == [["the provider was asked by phone"]], reason


def queue(query="", status=200, **more):
    return good(operator(place, f"/withdrawals?{query}", None, method="GET", **more), query, status)


def queue_pages(limit, query=""):
    """All entries, page by page."""
    found, after = [], ""
    while True:
        page = queue(f"limit={limit}{query}{after}").json
        found += page["withdrawals"]
        assert len(page["withdrawals"]) == limit or page["next"] == "", page
        if not page["next"]:
            return found
        after = f"&after={page['next']}"


def test_queue_of_all_players():
    """What is not settled, of all players, oldest first, each once however it is paged; what is decided leaves it."""
    people = [Person(place) for _ in range(5)]
    holds = [withdraw(person, 5000 + 100 * n + SILENT) for n, person in enumerate(people)]
    eventually("them to be listed", lambda: set(holds) <= {w["id"] for w in queue_pages(500)}, 20)
    for limit_ in (1, 2, 500):
        found = queue_pages(limit_)
        assert [w["id"] for w in found if w["id"] in holds] == holds, found
        assert [w["booked_us"] for w in found] == sorted(w["booked_us"] for w in found) and len({w["id"] for w in found}) == len(found), found
    entries = {w["id"]: w for w in found}
    for person, hold in zip(people, holds):
        entry = entries[hold]
        assert (entry["player"], entry["state"], entry["currency"], entry["provider"]["outcome"]) == (person.name, "held", "EUR", "unknown"), entry
        assert {**shown(person, hold), "provider": {}} == {**{k: v for k, v in entry.items() if k not in ("player", "stuck")}, "provider": {}}
    eventually("them to be stuck", lambda: set(holds) <= {w["id"] for w in queue_pages(2, "&state=stuck")}, 20)
    assert all(w["stuck"] for w in queue("state=stuck&limit=500").json["withdrawals"])
    answer = queue("state=stuck&limit=500&format=csv")
    lines = answer.raw.decode().split("\r\n")
    assert lines[0] == "player,id,amount_minor,currency,booked_us,stuck,outcome,review,asks,reference,alarms" and lines[-1] == "" and "X-Next" not in answer.headers, lines
    assert [line.split(",")[:5] for line in lines if holds[1] in line] == [[f'"{people[1].name}"', f'"{holds[1]}"', "5110", '"EUR"', str(entries[holds[1]]["booked_us"])]], lines
    answer = queue("limit=1&format=csv")
    assert re.fullmatch(r"[0-9]+-[0-9a-f]{32}", answer.headers["X-Next"]) and "attachment" in answer.headers["Content-Disposition"]
    assert decide(people[0], holds[0], "release", force=True).status == 200
    eventually("it to leave the list", lambda: holds[0] not in {w["id"] for w in queue_pages(500)}, 20)
    for wrong in ("after=x", "after=1-zz", f"after=-{'00' * 16}", "limit=0", "limit=501", "state=paid", "format=xml", "player=1"):
        queue(wrong, status=400)
    other = "a key of another operator, who has no players"
    place.sql(f"insert into gateway.operator_key (operator, digest) values (2, sha256('{other}'))", writer=True)
    eventually("the key", lambda: operator(place, "/withdrawals", None, method="GET", operator_key=other, number=2).status != 401, 20)
    assert queue(operator_key=other, number=2).json == {"withdrawals": [], "next": "", "next_cursor": None}
    assert queue("format=csv", operator_key=other, number=2).raw == b""
    assert queue(status=403, operator_key=other).error["code"] == "other_operator"


def test_provider_outage():
    person = Person(place)
    place.hold("payment-stub")
    place.kill("payment-stub")
    hold = withdraw(person, 3000)
    eventually("questions", lambda: shown(person, hold)["provider"]["asks"] >= 1, 10)
    place.kill("payments-1")
    place.release("payment-stub")
    settled(person, hold, "paid")
    assert kinds(person) == ["28", "29"]


def outside(kind, hold, amount, reason, name=bytes(range(16))):
    """An Outside of wallet.proto as the gateway packs a decision."""
    return b"".join(field(n, value) for n, value in (
        (1, kind), (2, name), (3, bytes(16)), (4, amount), (5, 978), (6, reason.encode()), (7, b"operator-1"), (9, bytes.fromhex(hold))))


def test_decision_before_payment_request():
    """What was decided by hand while nobody had asked the provider is never asked, also when whoever was to tell the wallet has died over it."""
    people = [Person(place) for _ in range(4)]
    place.hold("payments-1")
    place.kill("payments-1")
    given, taken, lost, other = [withdraw(person, 4000) for person in people]
    eventually("them to be old enough", lambda: decide(people[0], given, "release", "given-back").status == 200, 15, 0.3)
    eventually("them to be old enough", lambda: decide(people[1], taken, "capture", "taken").status == 200, 5, 0.3)
    told = place.sql(f"select gateway.decide('\\x{lost}', '\\x{bytes(range(16)).hex()}', 30, false, '\\x{outside(30, lost, 4000, 'a test').hex()}', 'operator-1', '')", writer=True)
    assert told == [["tell"]] and shown(people[2], lost)["state"] == "held", told
    assert decide(people[2], lost, "capture").error["code"] == "decided", "the first decision stands"
    place.release("payments-1")
    settled(people[3], other, "paid")
    settled(people[2], lost, "released")
    assert [kinds(person) for person in people] == [["28", "30"], ["28", "29"], ["28", "30"], ["28", "29"]]
    known = provider()
    assert [hold in known for hold in (given, taken, lost, other)] == [False, False, False, True], "what was given back was asked for"
    by_bank.append(taken)


def approve(person, hold, key=None, **body):
    return operator(place, f"/players/{person.number}/withdrawals/{hold}/approve", body or {"reason": "a well-known player"}, key)


def waits(person, hold):
    eventually("it to wait", lambda: shown(person, hold)["review"] == "waiting", 60)


def test_large_withdrawals_wait_for_an_operator():
    """Above the setting the provider hears of a withdrawal after an approval, or never; parts of a large amount count together."""
    place.change("PAYMENTS_REVIEW_ABOVE=EUR=5000", "payments-1")
    person, other = Person(place), Person(place)
    small, more, large = withdraw(person, 3000), withdraw(person, 2500), withdraw(other, 9000)
    assert settled(person, small, "paid", 60)["review"] == "none"
    waits(person, more)
    waits(other, large)
    place.kill("payments-1")
    eventually("both in the list", lambda: {more, large} <= {w["id"] for w in operator(place, "/withdrawals", None, method="GET").json["withdrawals"] if w["review"] == "waiting"}, 60)
    eventually("both among the approvals", lambda: {more, large} <= {a["id"] for a in operator(place, "/approvals", None, method="GET").json["approvals"] if a["action"] == "withdrawal to approve"}, 60)
    assert approve(person, small).error["code"] == "review_not_waiting" and approve(other, more).error["code"] == "withdrawal_unknown" and approve(person, "xy").status == 400
    assert operator(place, f"/players/{person.number}/withdrawals/{more}/approve", {}).status == 400
    assert decide(other, large, "capture").error["code"] == "withdrawal_young"
    eventually("it to be given back", lambda: decide(other, large, "release", "large-back").status == 200, 60, 0.3)
    settled(other, large, "released", 60)
    assert approve(other, large).error["code"] == "review_not_waiting"
    assert not {more, large} & set(provider()), "the provider was asked"
    assert approve(person, more).json == approve(person, more).json == {"id": more, "review": "approved"}
    assert settled(person, more, "paid", 60)["review"] == "approved" and kinds(person) == ["28", "28", "29", "29"] and kinds(other) == ["28", "30"]
    said = place.sql(f"select status, content->>'amount_minor', content->>'reason' from gateway.audit where action = 'withdrawal approval' and content->>'withdrawal' = '{more}'")
    assert said == [["200", "2500", "a well-known player"]], said
    place.change("PAYMENTS_REVIEW_ABOVE=", "payments-1")


def payments_url(url):
    """Payments alone is started anew, with this provider. Returns the one it had."""
    known = re.search(r" PAYMENTS_URL=(\S*)", place.configuration()).group(1)
    place.configure(re.sub(r" PAYMENTS_URL=\S*", f" PAYMENTS_URL={url}", place.configuration()), ["payments-1"])
    return known


def test_decisions_without_a_provider():
    """They are carried out by payments all the same, also when whoever was to tell the wallet has died over it."""
    person = Person(place)
    url = payments_url("")
    assert url.startswith("http"), url
    hold = withdraw(person, 4200)
    eventually("it to be known", lambda: place.sql(f"select asked from payments.payout where id = '\\x{hold}'") == [["f"]], 10)
    name = bytes.fromhex(hold)[::-1]
    told = place.sql(f"select gateway.decide('\\x{hold}', '\\x{name.hex()}', 30, false, '\\x{outside(30, hold, 4200, 'a test', name).hex()}', 'operator-1', '')", writer=True)
    assert told == [["tell"]], told
    settled(person, hold, "released")
    assert kinds(person) == ["28", "30"] and alarms(hold) == []
    assert payments_url(url) == "" and hold not in provider()


def test_slow_decision():
    """Its lock, however long somebody has it, lets nothing be asked and ends nobody."""
    person = Person(place)
    payments = place.pid("payments-1")
    place.hold("payments-1")
    place.kill("payments-1")
    hold, other = withdraw(person, 4300), withdraw(person, 4400)
    with subprocess.Popen([PSQL, "-d", place.stack["CARILLON_PG_DSN"], "-Xq"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as decider:
        decider.stdin.write(f"begin;\nselect pg_advisory_xact_lock(hashtextextended('withdrawal {hold}', 0));\n")
        decider.stdin.flush()
        eventually("the lock", lambda: place.sql("select count(*) from pg_locks where locktype = 'advisory' and objsubid = 1 and granted and pid in "
                   "(select pid from pg_stat_activity where application_name = 'psql')", writer=True)[0][0] != "0", 10)
        place.release("payments-1")
        settled(person, other, "paid")
        stays("the payout is not asked for, longer than a service waits for a lock",
              lambda: place.sql(f"select asked from payments.payout where id = '\\x{hold}'") == [["f"]], 0.5)
        assert place.pid("payments-1") != payments
        payments = place.pid("payments-1")
        assert hold not in provider()
        decider.stdin.write("rollback;\n")
        decider.stdin.close()
    settled(person, hold, "paid")
    assert place.pid("payments-1") == payments


def test_bonus_funds():
    person = Person(place)
    grant = person.operator("grants", {"amount_minor": 500, "currency": "EUR"}, "grant-1", status=200).json["id"]
    path = f"/players/{person.number}/grants/{grant}/back"
    back = {"amount_minor": 300, "currency": "EUR", "reason": "not wagered"}
    first = operator(place, path, back, "back-1")
    assert first.status == 200 and first.json["balance_minor"] == 100200, first
    assert operator(place, path, back, "back-1").json == first.json
    assert operator(place, path, {**back, "amount_minor": 200}, "back-1").status == 422
    assert operator(place, path, {**back, "amount_minor": 201}).error["code"] == "amount"
    assert operator(place, path, {**back, "amount_minor": 200}).json["balance_minor"] == 100000
    assert operator(place, path, {**back, "amount_minor": 1}).error["code"] == "settled"
    assert operator(place, f"/players/{person.number}/grants/{'00' * 16}/back", back).error["code"] == "settled"
    assert place.sql(f"select settled, settled_kind from wallet.hold where id = '\\x{grant}'") == [["500", "31"]]


def limit(person, key=None, status=200, **body):
    answer = operator(place, f"/players/{person.number}/limits", {"currency": "EUR", **body}, key)
    assert answer.status == status, answer
    return answer.json


def limits(person):
    answer = good(operator(place, f"/players/{person.number}/limits", None, method="GET"), f"limits of {person.number}")
    return {(one["limit"], one.get("period")): one for one in answer.json["limits"]}


def refused(person, code, **bet):
    try:
        person.bet_through(**bet)
    except Refused as refusal:
        assert (refusal.answer.status, refusal.answer.error["code"]) == (403, code), refusal.answer
    else:
        raise AssertionError(f"a bet that {code} forbids was taken")


def lost(person):
    """From the rows since the first limit was set."""
    first = f"(select min(seq) from wallet.journal where player = {person.id} and kind = 32)"
    return [int(n) for n in place.sql(
        "select coalesce(sum(stake - win_balance - release), 0), coalesce(sum(stake), 0) from wallet.journal "
        f"where player = {person.id} and kind between 2 and 7 and refusal = 0 and seq > {first}")[0]]


def test_limits_of_loss_and_stakes():
    clear_of_midnight(60)
    person = Person(place)
    force(place, person.name, *[LOSS] * 20)
    person.bet(2, 5)
    told = limit(person, "limit-1", limit="loss", period="day", amount_minor=50)
    assert limit(person, "limit-1", limit="loss", period="day", amount_minor=50) == told, "told again"
    limit(person, "limit-1", 422, limit="loss", period="day", amount_minor=60)
    limit(person, limit="wager", period="month", amount_minor=60)
    for n in range(4):
        person.bet_through(2, 5)
        if n == 1:
            place.kill("wallet-1")
    patient(person)
    refused(person, "limit_loss", coin=2, lines=10)
    person.bet(2, 5)  # to the cent
    refused(person, "limit_loss", coin=1)
    assert lost(person) == [50, 50]
    later = limit(person, limit="loss", period="day", amount_minor=500)
    assert later["from_us"] > (time.time() + 86000) * 1e6, later
    refused(person, "limit_loss", coin=1)
    eventually("the limits in Postgres", lambda: "next_from_us" in limits(person).get(("loss", "day"), {}), 5)
    shown_limits = limits(person)
    assert {k: shown_limits[("loss", "day")][k] for k in ("amount_minor", "next_amount_minor", "next_from_us")} == {
        "amount_minor": 50, "next_amount_minor": 500, "next_from_us": later["from_us"]}, shown_limits
    assert shown_limits[("loss", "day")]["used_minor"] == 50, shown_limits
    assert shown_limits[("wager", "month")]["used_minor"] == 50, shown_limits
    limit(person, limit="loss", period="day", amount_minor=40)
    assert "next_from_us" not in eventually("the lower limit", lambda: limits(person)[("loss", "day")]["amount_minor"] == 40 and limits(person)[("loss", "day")], 5)
    place.kill("wallet-1")
    patient(person)
    refused(person, "limit_loss", coin=1)
    assert person.refresh()["balance_minor"] == 100000 - 60
    journal = [row["refusal"] for row in place.http("GET", "/v1/journal?limit=50", token=person.token).json["rows"] if row["kind"] == "bet"]
    assert "limit_loss" in journal, journal


def test_limits_of_stakes_time_deposits_and_play():
    clear_of_midnight(60)
    person = Person(place)
    force(place, person.name, *[LOSS] * 20)
    limit(person, limit="wager", period="week", amount_minor=20)
    person.bet(2, 5)
    person.bet(2, 5)
    refused(person, "limit_wager", coin=1)
    person = Person(place)
    force(place, person.name, *[LOSS] * 20)
    limit(person, limit="time", seconds=1)
    person.bet(1)
    let_time_pass(1.1, "the limit is one second")
    refused(person, "limit_time", coin=1)
    person = Person(place)
    limit(person, limit="deposit", period="day", amount_minor=500)
    person.operator("deposits", {"amount_minor": 400, "currency": "EUR"}, status=200)
    for amount, status in ((101, 403), (100, 200), (1, 403)):
        assert person.operator("deposits", {"amount_minor": amount, "currency": "EUR"}).status == status, amount
    until = int(time.time()) + 15
    limit(person, limit="exclusion", until_s=until)
    assert limit(person, status=409, limit="exclusion", until_s=until - 1)["error"]["code"] == "limit", "never shortened"
    refused(person, "excluded", coin=1)
    assert person.operator("deposits", {"amount_minor": 1, "currency": "EUR"}).error["code"] == "excluded"
    withdraw(person, 1000)
    eventually("its end", lambda: time.time() > until + 0.05, 10)
    person.refresh()
    person.bet(1)


def void(person, round_, key=None, reason="a reel was stuck", **more):
    return operator(place, f"/players/{person.number}/voids", {"game": "bewitched", "round": round_, "reason": reason, **more}, key)


def void_through(*arguments, **more):
    return eventually("an answer", lambda: next((a for a in [void(*arguments, **more)] if a.status not in (503, 504)), None), 30)


def voided(person, round_, **expected):
    answer = void(person, round_)
    assert answer.status == 200, answer
    assert {k: answer.json[f"{k}_minor"] for k in expected} == expected, (answer, expected)
    before = person.balance
    assert person.refresh()["balance_minor"] == before + expected["stake_returned"] - expected["win_taken"], (person.state, expected)


def test_rounds_that_are_voided():
    person = Person(place)
    feature = [*RULES.stops(bonuses=3), RULES.vial_value("money", 15, {"lines": 5, "coins": 1})]
    force(place, person.name, LOSS, WIN, WIN, WIN, LOSS, feature, LOSS)
    lost_round = person.bet(2, 5).json["round"]["round"]
    voided(person, lost_round, stake_returned=10, win_taken=0, receivable=0, pending_taken=0)
    round_ = person.bet(2, 5).json["round"]
    won = round_["pending_minor"]
    assert won == 10 and round_["next"] == "gamble", round_
    voided(person, round_["round"], stake_returned=10, win_taken=0, receivable=0, pending_taken=won)
    assert person.refresh()["pending_minor"] == 0
    first = person.bet(2, 5).json["round"]["round"]
    person.act("collect")
    second = person.bet(2, 5).json["round"]["round"]
    voided(person, first, stake_returned=10, win_taken=won, receivable=0, pending_taken=0)
    assert person.refresh()["pending_minor"] == won, "of the round that is open nothing was taken"
    person.bet(2, 5)  # collects it
    assert person.balance == 100000 - 20 + won, person.state
    rich = person.bet(2, 5).json["round"]["round"]
    person.watch()
    person.bet(2, 5)
    withdraw(person, person.balance - 5)
    eventually("the engine to hear of it", lambda: person.refresh()["balance_minor"] == 5, 5)
    voided(person, rich, stake_returned=10, win_taken=15, receivable=135, pending_taken=0)
    voided(person, second, stake_returned=10, win_taken=10, receivable=0, pending_taken=0)
    for round_, status in ((first, 409), (second, 409), (rich, 409), (lost_round, 409), (99999, 404)):
        answer = void(person, round_)
        assert (answer.status, answer.error["code"]) == (status, "void" if status == 409 else "no_round"), answer
    assert void(Person(place), first).status == 404
    assert person.refresh()["balance_minor"] == 0
    listed = operator(place, f"/players/{person.number}/voids", None, method="GET").json["voids"]
    assert len(listed) == 5 and listed[0]["round"] == second, listed
    report = operator(place, "/voids", None, method="GET").json["voids"]
    assert sum(row["rounds"] for row in report) == 5 and {row["win"] for row in report} == {"lost", "to 10 stakes", "above 10 stakes"}, report
    assert sum(row["receivable_minor"] for row in report) == 135, report


def test_void_waits_for_the_jackpot():
    """A round whose claim is open is not voided, and nothing is booked; when the jackpot is paid it is, and the award stays."""
    person = Person(place)
    force(place, person.name, [*RULES.stops(bonuses=3), 0], LOSS)
    place.hold("progressive-pool-1")
    place.kill("progressive-pool-1")
    hit = person.bet(2, 5).json["round"]["round"]
    rows = person_rows(person)
    answer = void(person, hit, "early")
    assert (answer.status, answer.error["code"]) == (409, "claim_open") and answer.headers["Retry-After"], answer
    assert person_rows(person) == rows, "nothing was booked"
    place.release("progressive-pool-1")
    paid = eventually("the award", lambda: place.sql(f"select paid_minor from wallet.claim where player = {person.id} and move = {hit} and closed_seq > 0"), 20)
    eventually("the void", lambda: void(person, hit, "early").status == 200, 10)
    assert int(place.sql(f"select amount from wallet.journal where player = {person.id} and kind = 24 and refusal = 0")[0][0]) == int(paid[0][0]), "the award stays"


def approve_void(person, name, key=SECOND_KEY):
    return operator(place, f"/players/{person.number}/voids/{name}/approve", None, operator_key=key)


def approved_through(person, name):
    return eventually("an answer", lambda: next((a for a in [approve_void(person, name)] if a.status not in (401, 503, 504)), None), 60)


def void_requests():
    return {r["id"]: r for r in operator(place, "/voids/requests", None, method="GET").json["requests"]}


def won_jackpot(person):
    """A round that has won the jackpot, and what that paid."""
    force(place, person.name, [*RULES.stops(bonuses=3), 0], LOSS)
    hit = person.bet(2, 5).json["round"]["round"]
    person.watch()
    paid = eventually("the award", lambda: place.sql(f"select paid_minor from wallet.claim where player = {person.id} and move = {hit} and closed_seq > 0"), 60)
    return hit, int(paid[0][0])


def test_a_void_that_names_the_jackpot():
    """It waits for another key; then the jackpot is taken back with the rest, once, by one row. What the pool has recorded stays."""
    second_key(place)
    person = Person(place)
    force(place, person.name, LOSS)
    lost_round = person.bet_through(2, 5).json["round"]["round"]
    assert void(person, lost_round, award=True).error["code"] == "no_award"
    person.before = person.refresh()["balance_minor"]
    hit, paid = won_jackpot(person)
    pool = place.sql("select hit, paid_minor from pool.hit where pool = 1 order by hit")
    rows = person_rows(person)
    asked = eventually("the request", lambda: next((a for a in [void(person, hit, "award", award=True)] if a.status == 202), None), 60)
    assert (asked.json["status"], asked.json["round"], asked.json["awards_minor"], asked.json["approved_by"]) == ("waiting", hit, paid, ""), asked
    assert void(person, hit, "award", award=True).json == asked.json, "the same key: the same request"
    assert void(person, hit, "award", award=True, reason="another").status == 422
    name = asked.json["id"]
    assert void_requests()[name] == asked.json
    assert approve_void(person, name, None).error["code"] == "same_approver"
    assert approve_void(person, "00" * 16, None).error["code"] == "void_unknown"
    assert approve_void(Person(place), name, None).error["code"] == "void_unknown", "another player's"
    assert void(person, hit, "award").error["code"] == "other_content", "the key waits as a request that names the jackpot"
    less = void_through(person, hit, "less", award=True).json["id"]
    place.sql(f"update gateway.void_request set awards = awards - 1 where id = '\\x{less}'", writer=True)
    assert approved_through(person, less).error["code"] == "awards_changed", "approved was another sum"
    eventually("the note of the refusal", lambda: void_requests()[less]["outcome"] == "awards_changed", 60)
    assert person_rows(person) == rows, "nothing was booked"
    later = f"select player, move + 1000 + n, index, shard, pool, kind, currency, coin_minor, stake_minor, opened_seq, opened, closed_seq, paid_minor, hit from wallet.claim, generate_series(1, 1001) n where player = {person.id}"
    place.sql(f"insert into wallet.claim {later}", writer=True)
    assert void(person, hit, "many", award=True).error["code"] == "claims_later"
    place.sql(f"delete from wallet.claim where player = {person.id} and move > {hit}", writer=True)
    answer = taken_back(person, hit, paid, name)
    again = void_through(person, hit, "award", award=True)
    assert again.status == 200 and again.json == answer.json, (answer, again)
    assert approve_void(person, name, None).error["code"] == "same_approver", "nor afterwards"
    assert void_requests()[name]["status"] == "approved"
    eventually("the note of the void", lambda: void_requests()[name]["outcome"] == "voided", 60)
    assert void(person, hit, award=True).error["code"] == "void"
    assert place.sql("select hit, paid_minor from pool.hit where pool = 1 order by hit") == pool, "the hit stays"
    assert place.sql(f"select sum(amount) from wallet.journal where player = {person.id} and kind = 24 and refusal = 0") == [[str(paid)]], "so does its award's row"


def taken_back(person, hit, paid, name):
    """A jackpot is taken back once, however often it is approved."""
    answer = approved_through(person, name)
    patient(person)
    again = approved_through(person, name)
    assert (answer.status, answer.json["awards_minor"], answer.json["stake_returned_minor"]) == (200, paid, 10), answer
    assert answer.json["win_taken_minor"] + answer.json["receivable_minor"] >= paid and again.json == answer.json, (answer, again)
    taken_once(person, hit)
    eventually("the log", lambda: place.sql(f"select count(*) from gateway.audit where action = 'void approval' and status = 200 and content->>'id' = '{name}'") == [["1"]], 60)
    return answer


def taken_once(person, hit):
    assert person.refresh()["balance_minor"] == person.before, person.state
    taken = place.sql(f"select count(*) from wallet.journal where player = {person.id} and kind = 7 and refusal = 0 and round = {hit}")
    assert taken == [["1"]], taken


def refuse_void(person, name, key=SECOND_KEY, reason="it was paid rightly"):
    ask = lambda: operator(place, f"/players/{person.number}/voids/{name}/refuse", {"reason": reason}, operator_key=key)  # noqa: E731
    return second_key(place, ask) if key == SECOND_KEY else eventually("an answer", lambda: next((a for a in [ask()] if a.status not in (503, 504)), None), 60)


def waiting_voids(person, key=SECOND_KEY):
    """Those of the list of all that waits."""
    listed = second_key(place, lambda: operator(place, "/approvals", None, method="GET", operator_key=key)).json["approvals"]
    return {one["id"]: one for one in listed if one["kind"] == "void" and one["player"] == person.name}


def test_a_void_that_is_refused():
    """It is in the list of all that waits; what was refused is not carried out, and may be asked for anew."""
    person = Person(place)
    person.before = person.balance
    hit, paid = won_jackpot(person)
    eventually("the account", lambda: place.sql(f"select 1 from wallet.account where player = {person.id}"), 60)
    asked = eventually("the request", lambda: next((a for a in [void(person, hit, "no", award=True)] if a.status == 202), None), 60)
    name, rows = asked.json["id"], person_rows(person)
    one = eventually("the list", lambda: waiting_voids(person).get(name), 60)
    assert (one["action"], one["currency"], one["amount_minor"], one["parameters"], one["mine"], one["reason"]) == ("void", "EUR", paid, {"game": "bewitched", "round": hit}, False, "a reel was stuck"), one
    assert waiting_voids(person, place.operator_key())[name]["mine"]
    assert refuse_void(person, name, None).error["code"] == "same_approver" and refuse_void(person, "00" * 16).error["code"] == "void_unknown"
    assert refuse_void(Person(place), name).error["code"] == "void_unknown" and refuse_void(person, "xy").status == 400 and refuse_void(person, name, reason="").status == 400
    refused = refuse_void(person, name)
    assert (refused.status, refused.json["status"], refused.json["id"]) == (200, "refused", name), refused
    assert refuse_void(person, name).json == refused.json and approved_through(person, name).error["code"] == "approval_decided"
    assert void(person, hit, "no", award=True).error["code"] == "approval_refused" and name not in waiting_voids(person)
    assert person_rows(person) == rows, "nothing was booked"
    audited = place.sql(f"select status, content->>'reason' from gateway.audit where action = 'void refusal' and content->>'id' = '{name}' order by id")
    assert audited == [["403", "it was paid rightly"], ["200", "it was paid rightly"]], audited
    again = void_through(person, hit, "yes", award=True)
    assert again.status == 202 and again.json["id"] != name, again
    taken_back(person, hit, paid, again.json["id"])
    assert refuse_void(person, again.json["id"]).error["code"] == "approval_decided"


def hang_up(person, name, pause):
    """Approves, and does not wait for the answer. True: it is approved."""
    with socket.create_connection(place.url.split("//")[1].split(":")) as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        one.sendall(f"POST /v1/operators/1/players/{person.number}/voids/{name}/approve HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\nAuthorization: Bearer {SECOND_KEY}\r\n\r\n".encode())
        let_time_pass(pause, "the client leaves at a moment of chance")
    return place.sql(f"select 1 from gateway.void_request where id = '\\x{name}' and status = 'approved'")


def test_a_void_whose_approver_has_gone():
    """What was approved is carried out although nobody waits for the answer: the client leaves as soon as the request has just been read."""
    second_key(place, lambda: operator(place, "/approvals", None, method="GET", operator_key=SECOND_KEY))
    for _ in range(4):
        person, tries = Person(place), itertools.count()
        hit, _ = won_jackpot(person)
        asked = eventually("the request", lambda p=person, h=hit: next((a for a in [void(p, h, f"gone-{p.name}", award=True)] if a.status == 202), None), 60)
        eventually("the approval", lambda p=person, name=asked.json["id"], n=tries: hang_up(p, name, 0.001 * next(n)), 60, 0.05)
        eventually("the void", lambda p=person, h=hit: place.sql(f"select 1 from wallet.void where player = {p.id} and round = {h}"), 60)
        patient(person)


def test_an_approved_void_outlives_its_gateway():
    """The gateway dies between an approval and the void: the void is carried out, once, though nobody asks again. It had been refused before, and approved anew."""
    second_key(place)
    person = Person(place)
    person.before = person.balance
    hit, _ = won_jackpot(person)
    name = eventually("the request", lambda: next((a for a in [void(person, hit, "outlives", award=True)] if a.status == 202), None), 60).json["id"]
    place.sql(f"update gateway.void_request set awards = awards - 1 where id = '\\x{name}'", writer=True)
    assert approved_through(person, name).error["code"] == "awards_changed"
    eventually("the note of the refusal", lambda: void_outcome(name) == "awards_changed", 60)
    place.sql(f"update gateway.void_request set awards = awards + 1 where id = '\\x{name}'", writer=True)
    place.hold("spin-engine-1")
    place.kill("spin-engine-1")
    eventually("the approval", lambda: approve_void(person, name).status == 504, 60)
    assert void_outcome(name) == "" and not place.sql(f"select 1 from wallet.void where player = {person.id}")
    place.kill("gateway-1")
    place.release("spin-engine-1")
    eventually("the note of the void", lambda: void_outcome(name) == "voided", 60)
    assert place.sql(f"select round from wallet.void where player = {person.id}") == [[str(hit)]]
    eventually("the list", lambda: {r["id"]: r["outcome"] for r in operator(place, "/voids/requests", None, method="GET").json.get("requests", [])}.get(name) == "voided", 60)
    audited = place.sql(f"select status, content->>'outcome', actor from gateway.audit where action = 'void' and content->>'id' = '{name}' and content ? 'outcome' order by id")
    assert [row[:2] for row in audited] == [["200", "voided"]] and ", approved by operator-1 key " in audited[0][2], audited
    patient(person)
    taken_once(person, hit)


def void_outcome(name):
    return place.sql(f"select coalesce(outcome, '') from gateway.void_request where id = '\\x{name}'")[0][0]


def test_a_jackpot_is_taken_back_through_crashes():
    """Each victim dies while the jackpot of another player is taken back."""
    for victim in ("spin-engine-1", "wallet-1", "spin-engine-1"):
        person = Person(place)
        person.before = person.balance
        hit, paid = won_jackpot(person)
        asked = eventually("the request", lambda p=person, h=hit: next((a for a in [void(p, h, f"crash-{p.name}", award=True)] if a.status == 202), None), 60)
        killer = threading.Timer(0.003, place.kill, [victim])
        killer.start()
        taken_back(person, hit, paid, asked.json["id"])
        killer.join()
        patient(person)


def test_a_jackpot_that_was_withdrawn_is_owed():
    """The round before the last one; what the balance does not cover is a receivable."""
    person = Person(place)
    hit, paid = won_jackpot(person)
    person.bet_through(2, 5)
    patient(person)
    withdraw(person, person.refresh()["balance_minor"] - 15)
    asked = eventually("the request", lambda: next((a for a in [void(person, hit, "owed", award=True)] if a.status == 202), None), 60)
    answer = approved_through(person, asked.json["id"])
    assert (answer.status, answer.json["awards_minor"], answer.json["win_taken_minor"]) == (200, paid, 25), answer
    assert answer.json["receivable_minor"] >= paid - 25, answer
    assert person.refresh()["balance_minor"] == 0


def test_repeated_void():
    person = Person(place)
    force(place, person.name, *[LOSS] * 24)
    rounds = [person.bet(2, 5).json["round"]["round"] for _ in range(3)]
    for n, victim in enumerate(("wallet-1", "spin-engine-1", "wallet-1")):
        killer = threading.Timer(0.004 * n, place.kill, [victim])
        killer.start()
        answer = void_through(person, rounds[n], f"v-{n}")
        killer.join()
        patient(person)
        again = void_through(person, rounds[n], f"v-{n}")
        assert answer.status == 200 and again.json == answer.json, (answer, again)
        assert void_through(person, rounds[n], f"v-{n}", reason="another").status == 422
    patient(person)
    assert person.balance == 100000 and len(operator(place, f"/players/{person.number}/voids", None, method="GET").json["voids"]) == 3
    fresh = person.bet_through(2, 5).json["round"]["round"]
    again = void_through(person, rounds[2], "v-2")
    assert again.status == 200 and again.json == answer.json, again
    for _ in range(18):  # more requests than the engine remembers of a player
        person.bet(2, 5)
    rows = person_rows(person)
    again = void(person, rounds[2], "v-2")
    assert again.status == 200 and again.json == answer.json, again
    assert void(person, rounds[2], "v-2", reason="another").status == 422
    assert void(person, fresh, "v-2").status == 422, "the key has voided another round"
    assert void(person, rounds[2], "v-9").error["code"] == "void"
    assert person_rows(person) == rows, "nothing was booked, and nothing refused"


def person_rows(person):
    return place.sql(f"select count(*) from wallet.journal where player = {person.id}")


def test_a_game_is_started_again():
    person = Person(place)
    force(place, person.name, *[LOSS] * 900)  # one for each question of the waits
    place.sql("insert into engine.stopped_game (game, reason) values (1, 'a round exceeded its proven bounds')", writer=True)
    eventually("the stop", lambda: stopped(person), 5)
    assert operator(place, "/games/all/start", {"reason": "x"}).error["code"] == "not_stopped"
    assert operator(place, "/games/bewitched/start", {"reason": "the definition was looked into"}).status == 200
    eventually("play", lambda: not stopped(person), 5)
    assert operator(place, "/games/bewitched/start", {"reason": "x"}).error["code"] == "not_stopped"
    assert place.sql("select operator, reason from gateway.game_start") == [["1", "the definition was looked into"]]


def stopped(person):
    person.refresh()
    answer = place.http("POST", "/v1/rounds", person.bet_body(), token=person.token, key=f"{time.monotonic()}")
    assert answer.status == 200 or answer.error["code"] == "game_stopped", answer
    return answer.status != 200


def patient(person):
    eventually("the services to be back", lambda: place.http("GET", "/v1/state?game=bewitched", token=person.token).status == 200, 20)
    person.refresh()


def broken():
    done = subprocess.run([f"{BIN}/jackpotctl", "ledger", "verify", "--json"], cwd=place.data, env={**place.environment, **place.stack}, capture_output=True, text=True, timeout=time_out(30), check=False)
    return [p["point"] for p in json.loads(done.stdout)["points"] if not p["ok"]]


def test_the_books():
    """Ours, and the provider's beside them: what was captured was paid, once, and what was released was not, but for the alarms."""
    place.verify()
    paid = {k: p["amount_minor"] for k, p in provider().items() if p["status"] == "paid"}
    captured = dict((row[0], int(row[1])) for row in place.sql("select encode(id, 'hex'), amount from wallet.hold where settled_kind = 29"))
    assert all(paid.get(k) == amount for k, amount in captured.items() if k not in by_bank), (paid, captured)
    by_hand = {row[0] for row in place.sql("select encode(payout, 'hex') from payments.alarm where kind = 'by_hand'")}
    assert set(paid) - set(captured) == by_hand, (set(paid) - set(captured), by_hand)
    legs = dict((row[0], int(row[1])) for row in place.sql("select account, sum(amount) from wallet.house_leg where account in ('WITHDRAWAL', 'PROMO') group by 1"))
    held = int(place.sql("select coalesce(sum(amount), 0) from wallet.hold where kind = 28 and settled_kind = 0")[0][0])
    assert (legs.get("WITHDRAWAL", 0), legs.get("PROMO", 0)) == (held, 0), legs
    # Rows of every kind as double entry: each sums to zero, all of them to the legs of the batches.
    assert place.sql("select shard, seq, close from wallet.posting group by 1, 2, 3 having sum(amount) <> 0") == []
    postings = place.sql("select shard, currency, account, sum(amount) from wallet.posting group by 1, 2, 3 having sum(amount) <> 0 order by 1, 2, 3")
    assert postings == place.sql("select shard, currency, account, amount from wallet.total where amount <> 0 order by 1, 2, 3"), postings
    hold = next(iter(captured))
    for tamper, undo in (
        (f"update wallet.hold set settled_kind = 30 where id = '\\x{hold}'", f"update wallet.hold set settled_kind = 29 where id = '\\x{hold}'"),
        (f"update wallet.hold set amount = amount + 1, settled = settled + 1 where id = '\\x{hold}'", f"update wallet.hold set amount = amount - 1, settled = settled - 1 where id = '\\x{hold}'"),
        (f"update wallet.journal set request_id = '\\x00' where request_id = '\\x{hold}'", f"update wallet.journal set request_id = '\\x{hold}' where request_id = '\\x00'"),
    ):
        place.sql(tamper, writer=True)
        assert 12 in broken(), tamper
        place.sql(undo, writer=True)
    assert broken() == []


if __name__ == "__main__":
    with Till("cash", kafka=False) as place:
        try:
            run(*[f for name, f in list(globals().items()) if name.startswith("test_")])
        except SystemExit as status:
            if status.code:
                raise
