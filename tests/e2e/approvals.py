#!/usr/bin/env python3
"""What waits for a second person, from outside: amounts above what one user or key books alone are asked for, approved or refused by another one, and booked once,
whatever dies between."""
import functools
import json
import os
import subprocess
import threading
import time

import staff
from lib_play import GAME, SECOND_KEY, Person, operator, second_key
from lib_stack import BIN, eventually, run
from openapi import Described

place = None
LARGE = 1000001  # just above what is booked alone
REASON = {"reason": "a test"}
USERS = {}


def user(name, roles):
    """A user of operator 1 with a session."""
    if name not in USERS:
        path = f"{place.data}/{name}.password"
        with open(path, "w", encoding="utf8") as file:
            file.write(f"password of {name}\n")
        subprocess.run([f"{BIN}/jackpotctl", "user", "add", name, "--roles", roles, "--password-file", path], env={**place.environment, **place.stack}, timeout=60, check=True,
                       capture_output=True)
        staff.place = place
        USERS[name] = staff.User(name, f"password of {name}")
        USERS[name].login()
    return USERS[name]


def asked(person, what="deposits", amount=LARGE, key=None, **more):
    """The answer to a request of the back end."""
    body = {"amount_minor": amount, "currency": "EUR", **REASON}
    return staff.answered(lambda: operator(place, f"/players/{person.number}/{what}", body, key or os.urandom(8).hex(), **more))


def decided(name, word="approve", key=SECOND_KEY):
    ask = lambda: operator(place, f"/amounts/{name}/{word}", REASON, operator_key=key)  # noqa: E731
    return second_key(place, ask) if key == SECOND_KEY else staff.answered(ask)


def waits(answer):
    assert answer.status == 202 and answer.json["status"] == "waiting" and answer.json["expires_us"] > time.time() * 1e6, answer
    return answer.json["id"]


def rows(person):
    """Amounts that were booked, without those of play and the first one: the play money of a demo account."""
    return [int(amount) for [amount] in place.sql(f"select amount from wallet.journal where player = {person.id} and kind in (20, 22, 23) and refusal = 0 order by seq offset 1")]


def status(name):
    return place.sql(f"select status from gateway.amount_request where id = '\\x{name}'")[0][0]


def audited(name):
    return [tuple(row) for row in place.sql("select action, status, content->>'status', coalesce(content->>'asked_by', ''), coalesce(content->>'decided_by', '') from gateway.audit"
                                            f" where content->>'id' = '{name}' order by id")]


def test_what_one_may_book_alone():
    person = Person(place)
    staff.place = place
    assert asked(person, amount=LARGE - 1).status == 200 and asked(person, "corrections", 1 - LARGE).status == 200
    assert asked(person, "withdrawals", LARGE - 1).status == 402
    assert rows(person) == [LARGE - 1, 1 - LARGE]


def test_a_large_amount_needs_two():
    person, key = Person(place), os.urandom(8).hex()
    name = waits(asked(person, key=key))
    assert asked(person, key=key).json["id"] == name and asked(person, amount=LARGE + 1, key=key).error["code"] == "other_content"
    assert decided(name, key=None).error["code"] == "same_approver" and decided("0" * 32).error["code"] == "approval_unknown" and decided("xy").status == 400
    assert rows(person) == []
    done = decided(name)
    assert done.status == 200 and done.json["status"] == "booked" and done.json["balance_minor"] == person.balance + LARGE, done
    assert decided(name).json == done.json and decided(name, "refuse").error["code"] == "approval_decided"
    again = asked(person, key=key)
    assert again.status == 200 and again.json["id"] == name and again.json["seq"] == done.json["seq"], again
    assert rows(person) == [LARGE]
    eventually("the note of the booking", lambda: status(name) == "booked", 60)
    eventually("the lines", lambda: len(audited(name)) >= 5, 60)
    lines = audited(name)
    assert [line[:3] for line in lines[:5]] == [("deposit", "202", "waiting"), ("deposit", "422", "waiting"), ("deposit approval", "403", "waiting"), ("deposit approval", "200", "approved"),
                                                ("deposit", "200", "booked")], lines
    assert all(line[3].startswith("operator-1 key ") for line in lines[:5]) and lines[3][4].startswith("operator-1 key ") and lines[3][3] != lines[3][4], lines


def test_every_kind():
    person = Person(place)
    spins = {"game": GAME, "currency": "EUR", "coin_minor": 100, "lines": 15, "coins": 7, "spins": 100, "expires_us": int((time.time() + 3600) * 1e6), **REASON}
    for what in ("deposits", "grants", "corrections"):
        assert decided(waits(asked(person, what))).status == 200
    assert decided(waits(asked(person, "corrections", -LARGE))).json["balance_minor"] == person.balance + 2 * LARGE
    assert rows(person) == [LARGE, LARGE, LARGE, -LARGE]
    key = os.urandom(8).hex()
    name = waits(staff.answered(lambda: operator(place, f"/players/{person.number}/bonus-spins", spins, key)))
    assert place.sql(f"select count(*) from wallet.spin_grant where player = {person.id}") == [["0"]]
    assert decided(name).status == 200
    again = staff.answered(lambda: operator(place, f"/players/{person.number}/bonus-spins", spins, key))
    assert again.status == 200 and again.json["id"] == name, again
    assert place.sql(f"select spins from wallet.spin_grant where player = {person.id}") == [["100"]]
    sek = {"amount_minor": 10000001, "currency": "SEK", **REASON}
    waits(staff.answered(lambda: operator(place, f"/players/{Person(place, currency='SEK').number}/deposits", sek)))
    waits(staff.answered(lambda: operator(place, f"/players/{person.number}/deposits", {**sek, "amount_minor": 3500001, "currency": "KWD"})))  # as much as 10,000 euros are worth, about


PAID, SILENT = LARGE + 99, LARGE + 9  # the provider pays an amount that ends so, or never answers (tests/support/payment-stub)


def holds(person):
    """The states of a player's withdrawals, as the wallet has them."""
    return {name: kind for name, kind in place.sql(f"select encode(id, 'hex'), settled_kind from wallet.hold where player = {person.id} and kind = 28")}


def test_a_large_withdrawal_needs_two():
    """The money stays with the player until another one agrees, and is paid then."""
    person, key = Person(place, deposit=LARGE - 1), os.urandom(8).hex()
    before = person.balance
    refused, name = waits(asked(person, "withdrawals", PAID)), waits(asked(person, "withdrawals", PAID, key=key))
    assert decided(refused, "refuse").json["status"] == "refused" and decided(name, key=None).error["code"] == "same_approver"
    assert holds(person) == {} and person.refresh()["balance_minor"] == before
    assert decided(name).json["balance_minor"] == before - PAID and decided(refused).error["code"] == "approval_decided"
    again = asked(person, "withdrawals", PAID, key=key)
    assert again.status == 200 and (again.json["id"], again.json["state"]) == (name, "held"), again
    eventually("the provider to pay", lambda: holds(person) == {name: "29"}, 60)
    assert person.refresh()["balance_minor"] == before - PAID
    poor = waits(asked(Person(place, deposit=100), "withdrawals", PAID))
    assert decided(poor).error["code"] == "insufficient_funds"


def held(person):
    """A withdrawal of which the provider never says anything, old enough to be decided by hand."""
    hold = waits(asked(person, "withdrawals", SILENT))
    assert decided(hold).status == 200
    eventually("the question to the provider", lambda: place.sql(f"select asked from payments.payout where id = '\\x{hold}'") == [["t"]], 60)
    eventually("it to be old enough", lambda: by_hand(person, hold, "capture").error.get("code") == "payment_asked", 60)
    return hold


def by_hand(person, hold, decision, key=None, reader=None, **more):
    body = {"decision": decision, **REASON, **more}
    return staff.answered(lambda: operator(place, f"/players/{person.number}/withdrawals/{hold}/decisions", body, key or os.urandom(8).hex(), operator_key=reader))


def named(name):
    """The withdrawals that the audit log names of a request."""
    return place.sql(f"select distinct coalesce(content->>'withdrawal', '') from gateway.audit where content->>'id' = '{name}'")


@functools.cache
def cashier():
    """A key that acts alone up to its amounts."""
    text = subprocess.run([f"{BIN}/jackpotctl", "key", "add", "cashier", "--amounts", "EUR:5000000"], env={**place.environment, **place.stack}, capture_output=True, text=True,
                          timeout=60, check=True).stdout.split()[-1]
    eventually("the key", lambda: operator(place, "/fx-rates", None, method="GET", operator_key=text).status == 200, 60)
    return text


def decisions(hold):
    return place.sql(f"select kind, actor from gateway.decision where hold = '\\x{hold}'")


def test_a_large_decision_needs_two():
    """A withdrawal that the provider never answers is given back, or kept, when another one agrees."""
    for word, kind in (("release", "30"), ("capture", "29")):
        person, key = Person(place, deposit=LARGE - 1), os.urandom(8).hex()
        before, hold = person.balance, held(person)
        answer = by_hand(person, hold, word, key, force=True)
        name = waits(answer)
        assert answer.json["withdrawal"] == hold, answer
        assert by_hand(person, hold, word, key, force=True).json["id"] == name and by_hand(person, hold, word, key).error["code"] == "other_content"
        assert by_hand(person, hold, "capture", force=True).error["code"] == "decision_waiting"
        assert by_hand(person, hold, "capture", force=True, reader=cashier()).error["code"] == "decision_waiting" and decisions(hold) == []
        entry = eventually("the list", lambda: listed(SECOND_KEY)[0].get(name), 60)
        assert (entry["kind"], entry["action"], entry["player"], entry["amount_minor"]) == ("amount", f"withdrawal {word}d by hand, forced", person.name, SILENT), entry
        assert entry["withdrawal"] == hold and named(name) == [[hold]], entry
        assert hold not in listed(SECOND_KEY)[0], "it is listed twice"
        assert decided(name, key=None).error["code"] == "same_approver" and decisions(hold) == []
        assert decided(name, "refuse").json["status"] == "refused" and by_hand(person, hold, word, key, force=True).error["code"] == "approval_refused"
        eventually("it to be listed again", lambda: [listed(SECOND_KEY)[0].get(hold, {}).get(of) for of in ("kind", "withdrawal")] == ["withdrawal", hold], 60)
        assert decisions(hold) == [] and holds(person) == {hold: "0"}
        name = waits(by_hand(person, hold, word, force=True))
        done = decided(name)
        assert done.status == 200 and done.json["balance_minor"] == (before if word == "release" else before - SILENT), done
        [[found, actor]] = decisions(hold)
        assert found == kind and ", approved by operator-1 key " in actor, actor
        eventually("the note of the booking", lambda: status(name) == "booked", 60)
        assert decided(name).json == done.json and holds(person) == {hold: kind}
        assert by_hand(person, hold, word, force=True).error["code"] == "settled"


def test_an_approval_comes_after_the_question():
    """A decision waited that may not be taken any more: the provider has been asked to pay meanwhile."""
    person = Person(place, deposit=LARGE - 1)
    place.hold("payments-1")
    place.kill("payments-1")
    hold = waits(asked(person, "withdrawals", SILENT))
    assert decided(hold).status == 200
    name = eventually("it to be old enough", lambda: next((a for a in [by_hand(person, hold, "release")] if a.status == 202), None), 60).json["id"]
    place.release("payments-1")
    eventually("the question to the provider", lambda: place.sql(f"select asked from payments.payout where id = '\\x{hold}'") == [["t"]], 60)
    refusal = decided(name).error
    assert refusal["code"] == "payment_asked" and "or refuse it" in refusal["message"] and decisions(hold) == [] and status(name) == "waiting", refusal
    assert decided(name, "refuse").status == 200 and holds(person) == {hold: "0"}


def test_refused():
    person, key = Person(place), os.urandom(8).hex()
    name = waits(asked(person, key=key))
    assert decided(name, "refuse", key=None).error["code"] == "same_approver"
    answer = decided(name, "refuse")
    assert answer.status == 200 and answer.json["status"] == "refused" and decided(name, "refuse").json == answer.json, answer
    assert decided(name).error["code"] == "approval_decided" and asked(person, key=key).error["code"] == "approval_refused"
    assert rows(person) == [] and audited(name)[-1][:3] == ("deposit refusal", "200", "refused"), audited(name)


def test_nobody_came_in_time():
    person, key = Person(place), os.urandom(8).hex()
    name = waits(asked(person, key=key))
    place.sql(f"update gateway.amount_request set expires = now() where id = '\\x{name}'", writer=True)
    assert decided(name).error["code"] == "approval_expired" and asked(person, key=key).error["code"] == "approval_expired"
    assert rows(person) == [] and status(name) == "waiting"


def test_the_wallet_has_the_last_word():
    person = Person(place, deposit=100)
    name = waits(asked(person, "corrections", -LARGE))
    answer = decided(name)
    assert answer.status == 402 and answer.error["code"] == "insufficient_funds", answer
    eventually("the note of the refusal", lambda: status(name) == "failed", 60)
    assert rows(person) == [100] and audited(name)[-1][:3] == ("correction", "402", "failed"), audited(name)


def test_a_key_with_amounts():
    """It acts alone up to its amounts, and approves nothing."""
    text = cashier()
    person, key = Person(place), os.urandom(8).hex()
    assert asked(person, amount=5000000, operator_key=text).status == 200
    assert asked(person, amount=5000001, operator_key=text).error["code"] == "scope_exceeded"
    name = waits(asked(person, key=key))
    answer = decided(name, key=text)
    assert answer.status == 403 and answer.error["code"] == "scope_exceeded", answer
    # What the key may book alone needs no approval any more; both together are one booking.
    assert asked(person, key=key, operator_key=text).status == 202 and decided(name).status == 200 and asked(person, key=key, operator_key=text).status == 200
    assert rows(person) == [5000000, LARGE]


def test_people():
    """Who cares for players gives bonus spins; who moves money approves them."""
    person = Person(place)
    ella, frank = user("ella", "support"), user("frank", "finance")
    spins = {"game": GAME, "currency": "EUR", "coin_minor": 100, "lines": 15, "coins": 7, "spins": 100, "expires_us": int((time.time() + 3600) * 1e6), **REASON}
    name = waits(ella.of(f"/players/{person.number}/bonus-spins", spins))
    assert ella.of(f"/amounts/{name}/approve", REASON).error["code"] == "not_permitted"
    assert frank.of(f"/amounts/{name}/approve", {}).status == 400
    assert frank.of(f"/amounts/{name}/approve", REASON).json["status"] == "booked"
    name = waits(frank.of(f"/players/{person.number}/deposits", {"amount_minor": LARGE, "currency": "EUR", **REASON}))
    assert frank.of(f"/amounts/{name}/approve", REASON).error["code"] == "same_approver"
    assert user("fiona", "finance").of(f"/amounts/{name}/approve", REASON).status == 200
    [[record]] = place.sql(f"select convert_from(record, 'UTF8') from wallet.journal where kind = 20 and player = {person.id} order by seq desc limit 1")
    assert json.loads(record)["actor"] == "operator-1 frank", record
    eventually("the line", lambda: audited(name)[-1] == ("deposit", "200", "booked", "operator-1 frank", "operator-1 fiona"), 60)


SUM = 10000000  # what one user books alone within 24 hours


def test_what_a_user_books_alone_adds_up():
    """Many amounts below the limit are a large one: above the sum the next waits. A repeat counts once, a back end's key has no sum."""
    person, sam, fred, key = Person(place), user("sam", "finance"), user("fred", "finance"), os.urandom(8).hex()
    book = lambda who, amount, what="deposits", key=None: who.of(f"/players/{person.number}/{what}", {"amount_minor": amount, "currency": "EUR", **REASON}, key=key)  # noqa: E731
    amounts = [LARGE - 1] * 8
    assert [book(sam, amount).status for amount in amounts] == [200] * 8 and book(sam, 1 - LARGE, "corrections").status == 200
    assert book(sam, LARGE - 2, key=key).status == 200 and book(sam, LARGE - 2, key=key).status == 200, "a repeat"
    assert book(sam, 1).status == 200, "to the cent"
    name = waits(book(sam, 1))
    assert book(sam, LARGE - 2, key=key).status == 200, "what is booked is answered as before"
    waits(book(sam, -1, "corrections"))
    assert book(fred, LARGE - 1).status == 200 and [asked(person).status for _ in range(1)] == [202]
    assert [asked(person, amount=LARGE - 1).status for _ in range(SUM // (LARGE - 1) + 1)] == [200] * 11, "a back end's key"
    done = fred.of(f"/amounts/{name}/approve", REASON)
    assert done.status == 200 and done.json["status"] == "booked", done
    place.sql(f"update gateway.amount_alone set time = time - interval '24 hours' where id = (select id from gateway.amount_alone where amount_minor = {LARGE - 2} limit 1)", writer=True)
    assert book(sam, LARGE - 2).status == 200, "a day later"
    waits(book(sam, 1))


def test_a_sum_at_once():
    """Requests that come together, in transactions of their own, do not pass by each other."""
    person, rita, answers = Person(place), user("rita", "finance"), []
    body = {"amount_minor": LARGE - 1, "currency": "EUR", **REASON}
    people = [threading.Thread(target=lambda: answers.append(rita.of(f"/players/{person.number}/deposits", body).status)) for _ in range(16)]
    for one in people:
        one.start()
    for one in people:
        one.join()
    assert sorted(answers) == [200] * 10 + [202] * 6, answers
    assert sum(rows(person)) == SUM


def test_approved_and_not_booked():
    """A gateway died after an approval, before the wallet knew of it: another gateway tells the wallet, once."""
    person, key = Person(place), os.urandom(8).hex()
    name = waits(asked(person, key=key))
    place.sql(f"select http from gateway.amount_decide(1, '\\x{name}', true, '\\x00', 'operator-1 nobody', 'operator-1 nobody', '', 'a test')", writer=True)
    place.kill("gateway-1")
    eventually("the booking", lambda: rows(person) == [LARGE], 60)
    eventually("its note", lambda: status(name) == "booked", 60)
    assert asked(person, key=key).status == 200 and decided(name).status == 200
    assert rows(person) == [LARGE]


def test_what_was_booked_before_anybody_was_asked():
    """A repeat of a deposit from before the limit gets its old answer, not a second question."""
    person, key = Person(place), os.urandom(8).hex()
    first = asked(person, amount=777, key=key)
    body = {"amount_minor": LARGE, "currency": "EUR", **REASON}
    other = staff.answered(lambda: operator(place, f"/players/{person.number}/deposits", body, key))
    assert other.error["code"] == "other_content" and first.status == 200, other  # the wallet's word: the id is taken
    assert place.sql(f"select count(*) from gateway.amount_request where player = {person.id}") == [["0"]] and rows(person) == [777]


def pool_asks(key=None):
    adjust = {"action": "adjust", "parameters": {"currency": "EUR", "coin_minor": 1, "delta_minor": 5}, **REASON}
    return staff.answered(lambda: operator(place, "/pools/1/actions", adjust, key or os.urandom(8).hex()))


def rate_asks(key=None):
    return staff.answered(lambda: operator(place, "/fx-rates", {"currency": "KWD", "rate": "3.1", **REASON}, key or os.urandom(8).hex()))


def listed(reader=None):
    """id -> entry, as a key or a user sees it, and the number that they may decide."""
    answer = staff.answered(lambda: operator(place, "/approvals", None, method="GET", operator_key=reader) if reader is None or isinstance(reader, str)
                            else reader.of("/approvals", method="GET"))
    assert answer.status == 200, answer
    return {entry["id"]: entry for entry in answer.json["approvals"]}, answer.json["waiting"]


def test_the_list():
    """Who may decide sees what waits, and everybody what they asked for."""
    person = Person(place, deposit=100)
    amount, pool, rate = waits(asked(person)), pool_asks().json["id"], rate_asks().json["id"]
    spins = {"game": GAME, "currency": "EUR", "coin_minor": 100, "lines": 15, "coins": 7, "spins": 100, "expires_us": int((time.time() + 3600) * 1e6), **REASON}
    given = waits(user("ella", "support").of(f"/players/{person.number}/bonus-spins", spins))
    mine, _ = eventually("the list", lambda: next((found for found in [listed()] if {amount, pool, rate, given} <= set(found[0])
                                                   and found[0][amount]["balance_minor"] == person.balance), None), 60)  # which is up to a second behind
    assert [mine[name]["mine"] for name in (amount, pool, rate, given)] == [True, True, True, False], mine
    entry = mine[amount]
    assert (entry["kind"], entry["action"], entry["player"], entry["amount_minor"], entry["currency"]) == ("amount", "deposit", person.name, LARGE, "EUR"), entry
    assert (mine[pool]["pool"], mine[pool]["action"], mine[pool]["parameters"]["delta_minor"], mine[rate]["rate"], mine[rate]["before_rate"]) == (1, "adjust", 5, "3.1", None), mine
    assert mine[given]["action"] == "bonus spins" and mine[given]["amount_minor"] == 1050000 and mine[given]["asked_by"] == "operator-1 ella", mine[given]
    others, count = second_key(place, lambda: operator(place, "/approvals", None, method="GET", operator_key=SECOND_KEY)) and listed(SECOND_KEY)
    assert not any(others[name]["mine"] for name in (amount, pool, rate, given)) and count == len(others)
    for name, roles, sees in (("ella", "support", {given}), ("frank", "finance", {amount, rate, given}), ("jack", "jackpots", {pool}), ("vera", "viewer", set())):
        found, count = listed(user(name, roles))
        assert {amount, pool, rate, given} & set(found) == sees and count == sum(not entry["mine"] for entry in found.values()), (name, found)


def test_actions_and_rates_are_refused():
    """By another one, with a reason; what was refused is never done."""
    for ask, path, unknown in ((pool_asks, "/pools/1/actions", "action_unknown"), (rate_asks, "/fx-rates", "rate_unknown")):
        key = os.urandom(8).hex()
        name = ask(key).json["id"]

        def say(word, who=SECOND_KEY, which=name, path=path):
            body = REASON if word == "refuse" else None
            say_it = lambda: operator(place, f"{path}/{which}/{word}", body, operator_key=who)  # noqa: E731
            return second_key(place, say_it) if who == SECOND_KEY else staff.answered(say_it)
        assert say("refuse", None).error["code"] == "same_approver" and say("refuse", which="0" * 32).error["code"] == unknown
        assert say("refuse").json["status"] == "refused" and say("refuse").json["status"] == "refused"
        assert say("approve").error["code"] == "approval_decided" and ask(key).error["code"] == "approval_refused"
        eventually("it to be off the list", lambda: name not in listed(SECOND_KEY)[0], 60)
        eventually("the lines", lambda: place.sql(f"select count(*) from gateway.audit where content->>'id' = '{name}' and action like '%refusal' and status = 200"
                                                  " and content->>'reason' = 'a test'") != [["0"]], 60)
        name = ask().json["id"]
        assert say("approve", which=name).status == 200 and say("refuse", which=name).error["code"] == "approval_decided"
    assert place.sql("select count(*) from carillon.fx_rate where currency = 414") == [["1"]]
    refused = [action for action in operator(place, "/pools/1/actions", None, method="GET").json["actions"] if action["status"] == "refused"]
    assert len(refused) == 1 and refused[0]["second"].startswith("operator-1 key "), refused


def test_the_books():
    place.verify()


if __name__ == "__main__":
    place = Described("approvals", kafka=False)
    place.environment.update(CARILLON_DECIDE_AFTER_S="1")
    with place:
        run(*[f for name, f in list(globals().items()) if name.startswith("test_")])
