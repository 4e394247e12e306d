#!/usr/bin/env python3
"""Dead letters, from outside: what a service cannot read is kept once and listed; it is sent again to the service that could not read it where that is safe, or
settled; what a service invents about others is not sent."""
import json
import os
import subprocess

import staff
from lib_bus import Target
from lib_play import Person, operator
from lib_raw import deposit, envelope, field, letter, raw
from lib_stack import BIN, eventually, run
from openapi import Described
from staff import User, answered

place = None
REASON = {"reason": "a test"}


class Impatient(Described):
    """Who gets no answer is soon told so; large letters of a test are few."""

    def start(self, scale=None):
        self.environment.update(GATEWAY_WAIT_MS="1500")
        super().start(scale)


def written(payload, found, topic="wallet.commands", sender="wallet"):
    """A letter of that service, as the list has it. The reason is its name."""
    raw(place, "dead.letters", letter(topic, payload, found), [0], sender)
    return seen(found)


def letters(status="all"):
    return answered(lambda: operator(place, f"/dead-letters?status={status}&limit=200", None, method="GET")).json


def named(found, status="all"):
    return next((one for one in letters(status)["letters"] if one["found"] == found), None)


def seen(found):
    return eventually(f"the letter '{found}'", lambda: named(found), 60)


def act(one, what, key=None, reason="a test"):
    key = key or os.urandom(8).hex()
    return answered(lambda: operator(place, f"/dead-letters/{one['id']}/{what}", {"reason": reason}, key))


def outcome(found):
    """Of a letter that is being sent again."""
    return eventually(f"what came of '{found}'", lambda: next((one for one in [named(found)] if one["status"] != "sending"), None), 60)


def deposits(person):
    return [int(amount) for [amount] in place.sql(f"select amount from wallet.journal where player = {person.id} and kind = 20 and refusal = 0 order by seq offset 1")]


def audited(one):
    return [(action, int(status), reason) for action, status, reason in place.sql(f"select action, status, content->>'reason' from gateway.audit where subject = 'dead letter {one['id']}' order by id")]


def jackpotctl(*words, status=0):
    done = subprocess.run([f"{BIN}/jackpotctl", "dead", *words], env={**place.environment, **place.stack}, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == status, (words, done)
    return done.stdout


def test_what_a_service_cannot_read_is_listed():
    """A command of a later version: the wallet writes the letter itself, and cannot read it again either."""
    person = Person(place)
    assert letters() == {"letters": [], "waiting": 0, "next_cursor": None}
    raw(place, "wallet.commands", deposit(person, 500, schema=99), [Target(place, person, 1).shard])
    found = "envelope.schema: found 99, expected 1"
    one = seen(found)
    assert (one["service"], one["topic"], one["offset"], one["status"], one["sendable"], one["why_not"]) == ("wallet", "wallet.commands", -1, "waiting", True, None), one
    assert (one["what"], one["player"], one["amount_minor"], one["currency"], one["pool"]) == ("deposit", person.name, 500, "EUR", None), one
    assert one["instance"].startswith("wallet-") and one["bytes"] > 40 and letters()["waiting"] >= 1
    known = {row["id"] for row in letters()["letters"]}
    assert act(one, "send").json["status"] == "sending"
    again = eventually("no answer", lambda: next((row for row in letters()["letters"] if row["id"] == one["id"] and row["status"] != "sending"), None), 60)
    assert (again["status"], again["outcome"], again["act"]) == ("waiting", "no answer", "send"), again
    eventually("another letter", lambda: {row["id"] for row in letters()["letters"]} - known, 60)
    for row in letters("open")["letters"]:
        if row["status"] == "waiting":
            assert act(row, "settle").json["status"] == "settled"
    assert deposits(person) == []


def test_one_is_sent_again():
    """It takes effect once, whatever is repeated; who repeats the request gets the same answer."""
    person, id_, key = Person(place), os.urandom(16), os.urandom(8).hex()
    one = written(deposit(person, 1234, id_), "sent again")
    sent = act(one, "send", key)
    assert sent.status == 200 and sent.json["status"] == "sending" and sent.json["act_by"] == "operator-1", sent
    assert outcome("sent again")["outcome"] == "done" and deposits(person) == [1234]
    assert act(one, "send", key).json["status"] == "sent" and act(one, "send", key, "another").error["code"] == "other_content"
    assert act(one, "send").error["code"] == "letter_done" and act(one, "settle", key).error["code"] == "other_content"
    other = written(deposit(person, 1234, id_), "the same booking")
    assert act(other, "send", key).error["code"] == "other_content", "the key stands for another letter"
    assert act(other, "send").status == 200
    assert outcome("the same booking")["outcome"] == "done" and deposits(person) == [1234], "booked before: the wallet gives that answer"
    assert audited(one)[0] == ("dead letter: send", 200, "a test") and audited(one)[1:] == [("dead letter: send", 409, "a test")]
    changed = written(deposit(person, 9999, id_), "another amount")
    assert act(changed, "send").status == 200
    assert outcome("another amount")["outcome"] in ("done", "refused: other_content") and deposits(person) == [1234]
    assert place.sql(f"select count(*) from gateway.dead_letter where status = 'sent' and player = {person.id}") == [["3"]]


def test_a_refusal_is_an_answer():
    written(field(1, field(1, 1)) + field(2, (1 << 48) + 999999999) + field(4, field(1, 20) + field(2, os.urandom(16)) + field(3, bytes(16)) + field(4, 5) + field(5, 978)), "nobody")
    assert act(seen("nobody"), "send").status == 200
    one = outcome("nobody")
    assert (one["status"], one["outcome"]) == ("sent", "refused: account_unknown"), one
    assert act(one, "settle").json["status"] == "settled" and act(one, "settle").error["code"] == "letter_done"


def test_what_is_not_sent_again():
    """Each kind with the reason; no bytes of these are kept."""
    person = Person(place)
    command = field(2, person.id)
    kinds = (("spin.commands", command + field(3, 3), "spin-engine", "player"), ("wallet.commands", command + field(3, field(1, 1)), "wallet", "sender"),
             ("wallet.commands", command + field(4, field(1, 25) + field(2, bytes(16))), "wallet", "newer"), ("wallet.facts", b"", "spin-engine", "fact"),
             ("jackpot.feed", envelope(), "jackpot-cards", "fact"), ("wallet.commands", deposit(person, 5), "progressive-pool", "writer"), ("wallet.commands", deposit(person, 5)[:-1], "wallet", "unreadable"),
             ("jackpot.commands", field(2, 1) + field(4, field(1, 1)), "progressive-pool", "newer"), ("nonsense", b"\xff", "payments", "unreadable"))
    for number, (topic, payload, sender, why_not) in enumerate(kinds):
        one = written(payload, f"kind {number}", topic, sender)
        assert (one["service"], one["sendable"], one["why_not"]) == (sender, False, why_not), one
        refused = act(one, "send")
        assert refused.status == 409 and refused.error["code"] == "letter_not_sent" and refused.error["found"] == why_not, refused
        assert audited(one) == [("dead letter: send", 409, "a test")]
        assert act(one, "settle").status == 200
    assert place.sql("select count(*) from gateway.dead_letter where reason like 'kind %' and payload is not null") == [["0"]]
    assert deposits(person) == []


def test_a_booking_moves_money():
    """Who may tend letters alone sends no booking again; who may move money, too, does. The player's operator sees both."""
    person, users = Person(place), []
    for name, roles in (("tends", "jackpots"), ("moves", "jackpots,finance")):
        path = f"{place.data}/{name}.password"
        with open(path, "w", encoding="utf8") as file:
            file.write(f"password of {name}\n")
        subprocess.run([f"{BIN}/jackpotctl", "user", "add", name, "--roles", roles, "--password-file", path, "--operator", "1"], env={**place.environment, **place.stack}, timeout=60, check=True,
                       capture_output=True)
        users.append(User(name, f"password of {name}"))
        users[-1].login()
    one = written(deposit(person, 321), "a booking")
    refused = users[0].of(f"/dead-letters/{one['id']}/send", REASON)
    assert refused.status == 403 and (refused.error["code"], refused.error["expected"]) == ("not_permitted", "money"), refused
    assert named("a booking")["status"] == "waiting" and audited(one) == [("dead letter: send", 403, "a test")]
    sent = users[1].of(f"/dead-letters/{one['id']}/send", REASON)
    assert sent.status == 200 and outcome("a booking")["outcome"] == "done" and deposits(person) == [321], sent
    assert place.sql(f"select status, why_not from gateway.dead_letter where id = {one['id']} and payload is null") == [["sent", "done"]]
    other = written(field(2, (2 << 48) + 7) + field(4, field(1, 20) + field(2, os.urandom(16)) + field(4, 5) + field(5, 978)), "of another operator")
    assert users[0].of(f"/dead-letters/{other['id']}/settle", REASON).status == 200
    assert place.sql(f"select operator from gateway.audit where subject = 'dead letter {other['id']}' order by operator") == [["1"], ["2"]]
    assert place.sql(f"select status, why_not from gateway.dead_letter where id = {other['id']} and payload is null") == [["settled", "done"]]


def test_an_old_letter_is_not_sent():
    person = Person(place)
    one = written(deposit(person, 654), "old")
    place.sql(f"update gateway.dead_letter set written = now() - interval '8 days' where id = {one['id']}", writer=True)
    assert (named("old")["sendable"], named("old")["why_not"]) == (False, "old"), named("old")
    refused = act(one, "send")
    assert refused.status == 409 and (refused.error["code"], refused.error["found"]) == ("letter_not_sent", "old"), refused
    assert "is not sent again: old" in jackpotctl("list", status=1)
    assert "is not sent again (old)" in jackpotctl("send", str(one["id"]), "--reason", "by hand", status=1)
    assert act(one, "settle").status == 200 and deposits(person) == []


def test_a_row_that_is_refused_is_skipped():
    """The next letter is kept."""
    place.sql("alter table gateway.dead_letter add constraint tested check (reason <> 'unkept')", writer=True)
    raw(place, "dead.letters", letter("wallet.facts", b"", "unkept"), [0], "wallet")
    act(written(b"", "after the refused one", "wallet.facts"), "settle")
    assert named("unkept") is None
    place.sql("alter table gateway.dead_letter drop constraint tested", writer=True)


def test_a_letter_of_nobody_is_not_kept():
    message = letter("wallet.commands", deposit(Person(place), 5), "of nobody")
    subprocess.run([f"{BIN}/kafka-raw", "send", "dead.letters", "0"], input=message.hex(), text=True, check=True, timeout=120, env={**place.environment, **place.stack}, cwd=place.data)
    written(b"", "after it", "wallet.facts")
    assert named("of nobody") is None
    act(seen("after it"), "settle")


def test_text_of_a_service_is_plain():
    """Neither a terminal nor a page is told more than letters."""
    raw(place, "dead.letters", field(1, field(1, 1) + field(6, b"\xff\x1b[2J")) + field(2, b"wallet.facts") + field(5, b"\x1b[31m<b>\xc3\x28"), [0], "wallet")
    one = seen("?[31m<b>?(")
    assert one["instance"] == "??[2J", one
    act(one, "settle")


def test_every_gateway_keeps_it_once():
    one = written(deposit(Person(place), 77), "once")
    place.kill("gateway-1")  # it reads the topic again
    raw(place, "dead.letters", letter("wallet.facts", b"", "after that"), [0], "wallet")
    eventually("the next letter", lambda: place.sql("select 1 from gateway.dead_letter where reason = 'after that'"), 60)
    assert place.sql("select id from gateway.dead_letter where reason = 'once'") == [[str(one["id"])]]
    for found in ("once", "after that"):
        assert act(seen(found), "settle").status == 200


def test_a_gateway_that_died_leaves_it_to_another():
    person = Person(place)
    one = written(deposit(person, 88), "left")
    place.sql(f"update gateway.dead_letter set status = 'sending', told = now() - interval '1 hour' where id = {one['id']}", writer=True)
    assert outcome("left")["outcome"] == "done" and deposits(person) == [88]


def test_wrong_requests():
    one = written(b"", "wrong requests", "wallet.facts")
    assert act({"id": 999999999}, "settle").error["code"] == "letter_unknown" and act({"id": "x"}, "settle").status == 400 and act({"id": 0}, "send").status == 400
    assert operator(place, f"/dead-letters/{one['id']}/settle", {}).status == 400 and operator(place, f"/dead-letters/{one['id']}/settle", {"reason": ""}).status == 400
    assert operator(place, "/dead-letters?status=dead", None, method="GET").status == 400 and operator(place, "/dead-letters?limit=0", None, method="GET").status == 400
    without = place.http("POST", f"/v1/operators/1/dead-letters/{one['id']}/settle", REASON, token=place.operator_key())
    assert without.status == 400 and named("wrong requests")["status"] == "waiting", without
    act(one, "settle")


def test_from_a_terminal():
    person = Person(place)
    for row in letters("open")["letters"]:  # of the first test, written late
        assert act(row, "settle").status == 200
    assert jackpotctl("list") == "no message waits\n" and json.loads(jackpotctl("list", "--json")) == {"letters": []}
    one, two = written(deposit(person, 4400), "from a terminal"), written(b"", "to be settled", "wallet.facts", "spin-engine")
    text = jackpotctl("list", status=1)
    assert f"{one['id']} waiting" in text and f"deposit of {person.name}" in text and "may be sent again" in text and "is not sent again: fact" in text, text
    assert [row["id"] for row in json.loads(jackpotctl("list", "--json", status=1))["letters"]] == [str(one["id"]), str(two["id"])]
    assert "is sent again" in jackpotctl("send", str(one["id"]), "--reason", "by hand")
    assert outcome("from a terminal")["outcome"] == "done" and deposits(person) == [4400]
    assert "already" in jackpotctl("send", str(one["id"]), "--reason", "by hand", status=1)
    assert "is not sent again (fact)" in jackpotctl("send", str(two["id"]), "--reason", "by hand", status=1)
    assert "is settled" in jackpotctl("settle", str(two["id"]), "--reason", "by hand")
    assert "no letter 999999" in jackpotctl("settle", "999999", "--reason", "by hand", status=1)
    jackpotctl("settle", "x", "--reason", "by hand", status=1)
    jackpotctl("settle", str(two["id"]), status=2)
    assert audited(two)[-1] == ("dead letter: settle", 200, "by hand")
    place.verify()


if __name__ == "__main__":
    with Impatient("dead-letters") as place:
        staff.place = place
        run(test_what_a_service_cannot_read_is_listed, test_one_is_sent_again, test_a_refusal_is_an_answer, test_what_is_not_sent_again, test_a_booking_moves_money,
            test_an_old_letter_is_not_sent, test_a_row_that_is_refused_is_skipped, test_a_letter_of_nobody_is_not_kept,
            test_text_of_a_service_is_plain, test_every_gateway_keeps_it_once, test_a_gateway_that_died_leaves_it_to_another, test_wrong_requests, test_from_a_terminal)
