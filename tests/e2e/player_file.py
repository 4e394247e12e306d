#!/usr/bin/env python3
"""What an operator keeps and gives away about a player: notes, added by those who may and never changed, the export of all that is held about them, and what is
removed of it when two have agreed; through the interface, in the console and by jackpotctl."""
import hashlib
import http.client
import json
import os
import socket
import subprocess
import threading
import time

import lib_desk as console
import lib_pages as pages
import staff
from lib_play import GAME, RULES, SECOND_KEY, Person, force, operator, second_key
from lib_stack import BIN, eventually, run
from openapi import Described

place = None
STAFF = {}  # users with one role each, by role


def user(role):
    """A user with this role and a session."""
    if role not in STAFF:
        console.add(f"a-{role}", role)
        STAFF[role] = staff.User(f"a-{role}", f"password of a-{role}")
        STAFF[role].login()
    return STAFF[role]


def account(**more):
    """A player whose account everybody can read by now."""
    person = Person(place, **more)
    eventually("the account", lambda: operator(place, f"/players/{person.number}", None, method="GET").status == 200, 20)
    return person


def audited(person, action):
    return place.sql(f"select actor, content, status from gateway.audit where subject = '{person.name}' and action = '{action}' order by id")


# ---- notes ----

def listed(person, query="", who=None):
    path = f"/players/{person.number}/notes{query}"
    answer = staff.answered(lambda: who.of(path, method="GET") if who else operator(place, path, None, method="GET"))
    assert answer.status == 200, answer
    return answer.json


def test_notes_are_added_once():
    person, ella = account(), user("support")
    path, body = f"/players/{person.number}/notes", {"text": "They called: <b>the</b> deposit is late.\nWe \u2013 asked the bank. \U0001f4de"}
    first = ella.of(path, body, key="note-1")
    assert first.status == 200 and first.json["text"] == body["text"] and first.json["author"] == "operator-1 a-support", first
    assert ella.of(path, body, key="note-1").json == first.json, "the same key again"
    assert user("finance").of(path, {"text": "Another."}, key="note-1").error["code"] == "other_content"
    other = account()
    assert ella.of(f"/players/{other.number}/notes", body, key="note-1").error["code"] == "other_content", "a key is the operator's: one note, whoever it is about"
    second = staff.answered(lambda: operator(place, path, {"text": "x" * 2000}))
    assert second.status == 200 and second.json["author"].startswith("operator-1 key "), second
    assert listed(person) == {"notes": [second.json, first.json], "next_cursor": None} and listed(other)["notes"] == []
    lines = audited(person, "note")
    assert [line[2] for line in lines] == ["200", "200"] and lines[0][0].startswith("operator-1 a-support from 127."), lines
    assert [sorted(json.loads(line[1])) for line in lines] == [["bytes", "note"]] * 2 and "bank" not in str(lines), lines
    log = "".join(open(f"{place.data}/log/{name}", encoding="utf8", errors="replace").read() for name in os.listdir(f"{place.data}/log") if name.startswith(("gateway", "postgres")))
    assert "asked the bank" not in log, "the text is in a log"


def test_notes_page_by_page():
    person = account()
    for n in range(5):
        assert staff.answered(lambda n=n: operator(place, f"/players/{person.number}/notes", {"text": f"note {n}"})).status == 200
    one = listed(person, "?limit=2")
    two = listed(person, f"?limit=2&cursor={one['next_cursor']}")
    three = listed(person, f"?limit=2&cursor={two['next_cursor']}")
    assert [note["text"] for page in (one, two, three) for note in page["notes"]] == [f"note {n}" for n in (4, 3, 2, 1, 0)] and not three["next_cursor"]
    for query in ("?limit=0", "?limit=201", "?cursor=x", "?before=1", "?other=1"):
        assert operator(place, f"/players/{person.number}/notes{query}", None, method="GET").status == 400, query


def test_wrong_notes_are_refused():
    person = account()
    path = f"/players/{person.number}/notes"
    for text in ("", "x" * 2001, "\u20ac" * 667, "a\tb", "a\u0000b", 1, None):
        answer = operator(place, path, {"text": text})
        assert answer.status == 400 and answer.error["where"] == "text", (text, answer)
    assert place.http("POST", f"/v1/operators/1{path}", {"text": "no key"}, token=place.operator_key()).error["where"] == "Idempotency-Key"
    assert operator(place, "/players/99999999/notes", {"text": "nobody"}).error["code"] == "player_unknown"
    assert listed(person)["notes"] == [] and audited(person, "note") == []


def test_who_may_write_notes():
    person = account()
    path = f"/players/{person.number}/notes"
    for role in ("viewer", "support", "finance", "jackpots", "administrator"):
        may = role in ("support", "finance")
        assert user(role).of(path, {"text": f"by {role}"}).status == (200 if may else 403), role
        assert user(role).of(path, method="GET").status == (200 if may else 403), role
    assert [note["text"] for note in listed(person)["notes"]] == ["by finance", "by support"]


def test_no_service_can_change_a_note():
    grants = place.sql("select privilege_type from information_schema.role_table_grants where table_schema = 'gateway' and table_name = 'note' and grantee = 'carillon_gateway'", writer=True)
    assert sorted(grants) == [["INSERT"], ["SELECT"]], grants


def test_notes_in_the_console():
    person = account()
    page = pages.Page("console", "/operator/")
    console.inside(page, "a-support")
    pages.browser.ask("problems")  # that it had no session
    console.go(page, f"players/{person.number}")
    page.see("/There is no note yet/.test(document.querySelector('#notes')?.innerText)")
    console.do(page, "Add a note", {"text": "x" * 2001}, reason=None)
    console.send(page)
    page.see("/has 2001 bytes/.test(document.querySelector('dialog [role=alert]')?.innerText)")
    page.fill(selector="dialog [name=text]", value="<i>Called</i> twice.\nAnd wrote.")
    console.send(page)
    console.done(page)
    page.see("document.querySelectorAll('[data-table=notes] tbody tr').length === 1")
    assert "<i>Called</i> twice.\nAnd wrote." in page.text(selector="[data-table=notes] .note")
    assert [note["text"] for note in listed(person)["notes"]] == ["<i>Called</i> twice.\nAnd wrote."]
    staff.answered(lambda: operator(place, f"/players/{person.number}/notes", {"text": "longword" * 200}))
    page.see("document.querySelectorAll('[data-table=notes] tbody tr').length === 2")
    for width in (1280, 390, 320):
        page.size(width=width, height=844)
        assert page.evaluate(code="document.documentElement.scrollWidth <= innerWidth"), width
        assert width > 760 or page.evaluate(code="document.querySelector('#notes header button').getBoundingClientRect().height >= 44"), width
    page.size(width=1280, height=900)
    console.out(page)
    found = pages.browser.ask("problems")
    assert not found, found


# ---- the export ----

DEPOSITS = 120  # more entries than one page of the export


def exported(person, who=None):
    path = f"/players/{person.number}/export"
    ask = lambda: who.of(path, method="GET") if who else operator(place, path, None, method="GET")  # noqa: E731
    answer = eventually("a place", lambda: next((a for a in [staff.answered(ask)] if a.status != 429), None), 60)
    assert answer.status == 200 and answer.raw.endswith(b'"complete":true}'), answer
    return answer.json


def whole_history(person):
    """Page by page, as the console reads it."""
    entries, before = [], ""
    while before is not None:
        answer = operator(place, f"/players/{person.number}/history?limit=200{before and f'&before={before}'}", None, method="GET")
        assert answer.status == 200, answer
        entries, before = entries + answer.json["entries"], answer.json["next"]
    return entries


def named(entries):
    return [(entry["kind"], entry["seq"], entry["round"], entry["amount_minor"]) for entry in entries]


def lived():
    """A player about whom there is something in every part."""
    person, ella, reason = account(deposit=100000), user("support"), {"reason": "a test"}
    for n in range(DEPOSITS):
        person.deposit(100 + n)
    force(place, person.name, [*RULES.stops(bonuses=3), 0], RULES.stops(), RULES.stops())
    person.bet(1, 15, 1)
    assert exported(person)["jackpots"] == [], "the player has not seen it"
    while person.round and person.round["next"] == "pick":
        person.act("pick", choice=len(person.round["picked"]) // 2)
    eventually("the award", lambda: place.sql(f"select 1 from wallet.journal where kind = 24 and player = {person.id}"), 20)
    person.refresh()
    person.bet_through(coin=1, lines=15, coins=1)
    person.operator("limits", {"limit": "wager", "period": "day", "amount_minor": 90000, "currency": "EUR"}, status=200)
    person.operator("limits", {"limit": "wager", "period": "day", "amount_minor": 80000, "currency": "EUR"}, status=200)
    person.operator("block", {"blocked": True, **reason}, status=200)
    person.operator("block", {"blocked": False, **reason}, status=200)
    person.operator("withdrawals", {"amount_minor": 510, "currency": "EUR", **reason}, status=200)  # the stub never answers
    person.operator("grants", {"amount_minor": 700, "currency": "EUR", **reason}, status=200)
    person.operator("bonus-spins", {"game": GAME, "currency": "EUR", "coin_minor": 1, "lines": 15, "coins": 1, "spins": 5, "expires_us": int((time.time() + 3600) * 1e6), **reason}, status=200)
    assert ella.of(f"/players/{person.number}/notes", {"text": "Asked for all\ntheir data."}).status == 200
    assert place.http("POST", "/v1/session", {"reality_check_s": 600}, token=person.token, key=os.urandom(8).hex()).status == 200
    round_ = person.told[-1]["round"]
    eventually("a void", lambda: operator(place, f"/players/{person.number}/voids", {"game": GAME, "round": round_, **reason}, f"void-{person.number}").status == 200, 20)
    assert place.http("POST", "/v1/logout", None, token=person.token, key=os.urandom(8).hex()).status == 200
    return person


def test_an_export_has_everything():
    person = place.lived = lived()
    first = eventually("what is up to a second behind", lambda: next((e for e in [exported(person)] if e["account"] == operator(place, f"/players/{person.number}", None, method="GET").json
                       and e["bonus_spins"] and e["withdrawals"] and e["voids"] and [limit for limit in e["limits"] if limit["amount_minor"] == 80000]), None), 20)
    assert first["history_archived"] is False
    assert named(first["history"]) == named(whole_history(person)) and len(first["history"]) > DEPOSITS
    assert {"round", "jackpot", "deposit", "withdrawal", "grant", "bonus_spins", "void"} <= {entry["kind"] for entry in first["history"]}
    played = [entry for entry in first["history"] if entry["kind"] == "round"]
    assert len(played) == 2 and all({"stake_minor", "win_minor", "closed"} <= set(entry) for entry in played), played
    assert first["settings"] == [{"pause": None, "pause_s": None, "pause_until_s": None, "reality_check_s": 600}]
    assert [(row["limit"], row["period"], row["amount_minor"]) for row in first["limits"]] == [("wager", "day", 80000)], first["limits"]
    history = [(row["limit"], row.get("amount_minor", row.get("blocked"))) for row in first["limit_history"]]
    assert history == [("block", False), ("block", True), ("wager", 80000), ("wager", 90000)], first["limit_history"]
    booked = [(row["kind"], row["amount_minor"], row["reason"]) for row in first["bookings"]]
    assert booked[:2] == [("grant", 700, "a test"), ("hold", -510, "a test")] and len(booked) >= DEPOSITS + 3, booked
    assert {row["reason"] for row in first["limit_history"] if row["limit"] == "block"} == {"a test"}
    assert [row["amount_minor"] for row in first["withdrawals"]] == [510] and [row["amount_minor"] for row in first["bonus_funds"]] == [700]
    assert [(row["game"], row["spins"], row["used"]) for row in first["bonus_spins"]] == [(GAME, 5, 0)]
    won = [entry["amount_minor"] for entry in first["history"] if entry["kind"] == "jackpot"]
    assert [row["paid_minor"] for row in first["jackpots"]] == won and len(won) == 1, first["jackpots"]
    assert len(first["voids"]) == 1 and len(first["sessions"]) == 1 and [note["text"] for note in first["notes"]] == ["Asked for all\ntheir data."]
    assert {"note", "limit", "block", "withdrawal", "grant", "export"} <= {row["action"] for row in first["actions"]}, first["actions"]
    assert "operator-1 a-support" not in json.dumps(first["actions"])


def test_an_export_is_audited_and_for_few():
    person = account()
    path = f"/players/{person.number}/export"
    for role in ("viewer", "support", "finance", "jackpots", "administrator"):
        assert user(role).of(path, method="GET").status == (200 if role in ("support", "finance") else 403), role
    lines = eventually("the lines", lambda: next((rows for rows in [audited(person, "export")] if len(rows) == 2), None), 20)
    assert lines[0][0].startswith("operator-1 a-support from 127.") and [line[2] for line in lines] == ["200", "200"], lines
    assert operator(place, "/players/99999999/export", None, method="GET").error["code"] == "player_unknown"
    assert operator(place, f"{path}?x=1", None, method="GET").status == 400


def test_clients_that_leave():
    """More of them than may be served at once: each leaves its place."""
    person = place.lived
    host, port = place.url.removeprefix("http://").split(":")
    for _ in range(8):
        with socket.create_connection((host, int(port)), timeout=60) as client:
            client.sendall(f"GET /v1/operators/1/players/{person.number}/export HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {place.operator_key()}\r\n\r\n".encode())
            assert client.recv(12).startswith(b"HTTP/1.1")
    assert exported(person)["complete"] is True


OTHER_KEY = "a key of the second operator, who exports a player while the first one's clients read slowly"


def slow_reader(person):
    """A client that has the head of its document, which is too large for the sockets, and reads nothing more."""
    host, port = place.url.removeprefix("http://").split(":")
    one = socket.socket()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    one.settimeout(60)
    one.connect((host, int(port)))
    one.sendall(f"GET /v1/operators/1/players/{person.number}/export HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {place.operator_key()}\r\n\r\n".encode())
    if one.recv(12) == b"HTTP/1.1 200":
        return one
    one.close()
    return None


def of_other(path, body=None, method="POST"):
    return staff.answered(lambda: operator(place, path, body, method=method, operator_key=OTHER_KEY, number=2))


def test_slow_readers_leave_room_for_others():
    """They take the places of their own operator only, until they leave."""
    person, again = account(), account()
    place.sql("insert into gateway.note (operator, player, key, content, author, note) select 1, "
              f"{person.id}, decode(md5('slow' || n), 'hex'), decode(md5('slow' || n), 'hex'), 'a test', repeat('x', 2000) from generate_series(1, 20000) n", writer=True)
    place.sql(f"insert into gateway.operator_key (operator, digest) values (2, '\\x{hashlib.sha256(OTHER_KEY.encode()).hexdigest()}')", writer=True)
    eventually("the other operator's key", lambda: of_other("/players", method="GET").status == 200, 60)
    assert of_other("/players", {"player": 1, "currency": "EUR"}).status == 201
    eventually("the other operator's account", lambda: of_other("/players/1", method="GET").status == 200, 60)
    readers = [eventually("a place", lambda: slow_reader(person), 60) for _ in range(2)]
    refusal = staff.answered(lambda: operator(place, f"/players/{again.number}/export", None, method="GET"))
    assert (refusal.status, refusal.error["code"]) == (429, "too_many_exports") and int(refusal.headers["Retry-After"]) > 0, refusal
    answer = of_other("/players/1/export", method="GET")
    assert answer.status == 200 and answer.json["complete"] is True and answer.json["account"]["player"] == "2-1", answer
    for one in readers:
        one.close()
    eventually("a place again", lambda: operator(place, f"/players/{again.number}/export", None, method="GET").status == 200, 60)


def jackpotctl(*words, status=0):
    done = subprocess.run([f"{BIN}/jackpotctl", "player", "export", *words], env={**place.environment, **place.stack}, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == status, (words, done)
    return json.loads(done.stdout) if status == 0 else done.stderr


def test_an_export_by_jackpotctl():
    person = place.lived
    theirs, ours = exported(person), jackpotctl(person.name)
    for part in set(theirs) - {"time_us", "account", "history", "history_archived", "actions"}:
        assert ours[part] == theirs[part], part
    assert set(ours) == set(theirs) - {"history", "history_archived"} | {"rows"}
    assert ours["account"]["balance_minor"] == theirs["account"]["balance_minor"] and ours["account"]["currency"] == "EUR"
    [[rows]] = place.sql(f"select count(*) from wallet.journal where player = {person.id}")
    assert len(ours["rows"]) == int(rows) and sum(row["kind"] == "deposit" for row in ours["rows"]) > DEPOSITS
    assert any(line[0] == "jackpotctl" for line in audited(person, "export"))
    assert "has no account" in jackpotctl("1-99999999", status=1) and "such as 1-17" in jackpotctl("seventeen", status=2)


def test_an_export_in_the_console():
    person = place.lived
    page = pages.Page("console", "/operator/")
    console.inside(page, "a-support")
    pages.browser.ask("problems")  # that it had no session
    console.go(page, f"players/{person.number}")
    page.see("document.querySelector('button[name=export]')")
    page.evaluate(code="{ window.saved = null; const make = URL.createObjectURL.bind(URL); URL.createObjectURL = (blob) => { blob.text().then((text) => { window.saved = text; }); return make(blob); }; }")
    page.press("button[name=export]")
    page.see("/Saved/.test(document.querySelector('main').innerText) && window.saved")
    saved = json.loads(page.evaluate(code="window.saved"))
    assert saved["account"]["player"] == person.name and saved["complete"] is True and len(saved["history"]) > DEPOSITS
    page.size(width=320, height=844)
    assert page.evaluate(code="document.documentElement.scrollWidth <= innerWidth && document.querySelector('button[name=export]').getBoundingClientRect().height >= 44")
    page.size(width=1280, height=900)
    console.out(page)
    found = pages.browser.ask("problems")
    assert not found, found


# ---- a player is pseudonymised ----

WHO = "Maria of Elm Street"  # what people have typed
LARGE = 1000001  # just above what one books alone


def second():
    """Another user who may decide, and their session."""
    if "second" not in STAFF:
        console.add("b-finance", "finance")
        STAFF["second"] = staff.User("b-finance", "password of b-finance")
        STAFF["second"].login()
    return STAFF["second"]


def emptied(person):
    """The money taken off the account, in parts that one books alone, and the player blocked."""
    while person.balance > 0:
        part = min(person.balance, LARGE - 1)
        answer = staff.answered(lambda p=part: operator(place, f"/players/{person.number}/corrections", {"amount_minor": -p, "currency": "EUR", "reason": "paid out by hand"}))
        assert answer.status == 200, answer
        person.state["balance_minor"] = answer.json["balance_minor"]
    blocked(person)
    return person


def blocked(person, is_=True):
    assert staff.answered(lambda: operator(place, f"/players/{person.number}/block", {"blocked": is_, "reason": "they leave"})).status == 200


def wants(person, key=None, who=None, reason="they asked for it"):
    """The answer to a request to pseudonymise; an account that has just moved is asked about again."""
    key = key or os.urandom(8).hex()

    def ask():
        answer = (who or user("finance")).of(f"/players/{person.number}/pseudonymise", {"reason": reason}, key=key)
        return None if answer.error.get("where") == "account" else answer
    return eventually("an account that rests", ask, 60)


def waits(answer):
    assert answer.status == 202 and answer.json["status"] == "waiting" and answer.json["decided_us"] == 0, answer
    return answer.json["id"]


def decided(person, name, word="approve", who=None):
    def ask():
        answer = (who or second()).of(f"/players/{person.number}/pseudonymise/{name}/{word}", {"reason": "agreed"})
        return None if answer.error.get("where") == "account" else answer
    return eventually("an account that rests", ask, 60)


def left(answer, what):
    assert answer.status == 409 and answer.error["code"] == "player_not_settled" and answer.error["where"] == what, (what, answer)


def insert(table, **columns):
    return place.sql(f"insert into {table} ({', '.join(columns)}) values ({', '.join(str(value) for value in columns.values())}) returning 1", writer=True)


def some(n=16):
    return f"'\\x{os.urandom(n).hex()}'"


def test_what_must_be_settled_before():
    """Each thing that is open or waits is named, and nothing is done; the request that waits is looked at again when it is approved."""
    person, own = account(), {"amount_minor": 100, "currency": "EUR", "reason": "a test"}
    path = f"/players/{person.number}"
    left(wants(person), "block")
    blocked(person)
    left(wants(person), "balance")
    emptied(person)
    amount = operator(place, f"{path}/deposits", {**own, "amount_minor": LARGE})
    assert amount.status == 202, amount
    left(wants(person), "amount")
    assert second_key(place, lambda: operator(place, f"/amounts/{amount.json['id']}/refuse", {"reason": "a test"}, operator_key=SECOND_KEY)).status == 200
    spins = {"game": GAME, "currency": "EUR", "coin_minor": 1, "lines": 15, "coins": 1, "spins": 5, "expires_us": int((time.time() + 3600) * 1e6), "reason": "a test"}
    given = staff.answered(lambda: operator(place, f"{path}/bonus-spins", spins))
    assert given.status == 200, given
    left(wants(person), "bonus_spins")
    assert staff.answered(lambda: operator(place, f"{path}/bonus-spins/{given.json['id']}/end", {"reason": "a test"})).status == 200
    insert("gateway.void_request", operator=1, id=some(), content=some(), player=person.id, game="'bewitched'", round=1, reason="'a test'", awards=1, status="'waiting'", asked_key=some(), asked_by="'a test'")
    left(wants(person), "void")
    place.sql(f"update gateway.void_request set status = 'refused', approved_key = 'x' where player = {person.id}", writer=True)
    insert("gateway.dead_letter", digest=some(32), service="'wallet'", instance="'wallet-1'", topic="'wallet.commands'", partition=0, position=-1, reason="'a test'", bytes=1, what="'deposit'",
           player=person.id, pool=0, why_not="'newer'", written="now()")
    left(wants(person), "dead_letter")
    place.sql(f"update gateway.dead_letter set status = 'settled', act_reason = 'a test' where player = {person.id}", writer=True)
    name = waits(wants(person))
    left(wants(person), "request")
    person.deposit(10)
    left(decided(person, name), "balance")
    assert staff.answered(lambda: operator(place, f"{path}/withdrawals", {**own, "amount_minor": 10})).status == 200  # the stub never answers
    left(decided(person, name), "withdrawal")
    assert place.sql(f"select status from gateway.pseudonym where player = {person.id}") == [["waiting"]]
    assert decided(person, name, "refuse").json["status"] == "refused"
    other = account()
    force(place, other.name, RULES.stops(win=True))
    other.bet(1, 15, 1)
    assert other.state["pending_minor"] > 0, other.state
    left(wants(emptied(other)), "pending")


def test_who_may_pseudonymise():
    person = emptied(account())
    path = f"/players/{person.number}/pseudonymise"
    for role in ("viewer", "support", "jackpots", "administrator"):
        for end in ("", f"/{'0' * 32}/approve", f"/{'0' * 32}/refuse"):
            assert user(role).of(path + end, {"reason": "a test"}).error["code"] == "not_permitted", (role, end)
    assert wants(person, who=user("finance"), reason="").status == 400
    assert place.http("POST", f"/v1/operators/1{path}", {"reason": "no key"}, token=place.operator_key()).error["where"] == "Idempotency-Key"
    assert operator(place, "/players/99999999/pseudonymise", {"reason": "nobody"}).error["code"] == "player_unknown"
    key = os.urandom(8).hex()
    name = waits(wants(person, key))
    assert decided(person, name, who=user("finance")).error["code"] == "same_approver"
    assert decided(person, "0" * 32).error["code"] == "approval_unknown" and decided(person, "xy").error["where"] == "id"
    assert decided(account(), name).error["code"] == "approval_unknown"
    entry = eventually("the entry", lambda: next((one for one in second().of("/approvals", method="GET").json["approvals"] if one["id"] == name), None), 60)
    assert (entry["kind"], entry["action"], entry["player"], entry["amount_minor"], entry["mine"]) == ("pseudonym", "pseudonymise", person.name, None, False), entry
    assert [one["id"] for one in user("jackpots").of("/approvals", method="GET").json["approvals"] if one["kind"] == "pseudonym"] == []
    refused = decided(person, name, "refuse")
    assert refused.status == 200 and refused.json["status"] == "refused" and decided(person, name, "refuse").json == refused.json
    assert decided(person, name).error["code"] == "approval_decided" and wants(person, key).error["code"] == "approval_refused"
    assert [line[2] for line in audited(person, "pseudonymise refusal")] == ["200"] and [line[2] for line in audited(person, "pseudonymise approval")] == ["403"]
    assert operator(place, f"/players/{person.number}/notes", {"text": "still here"}).status == 200


def typed_about(person):
    """What people have typed about a player, and what the player chose, wherever it is kept outside the ledger and the audit log."""
    own = f"/players/{person.number}"
    assert user("support").of(f"{own}/notes", {"text": f"{WHO} called."}, key=f"typed-{person.number}").status == 200
    assert place.http("POST", "/v1/session", {"reality_check_s": 600}, token=person.token, key=os.urandom(8).hex()).status == 200
    for word in ("refuse", "approve"):
        body, key = {"amount_minor": LARGE, "currency": "EUR", "reason": WHO}, os.urandom(8).hex()
        asked = staff.answered(lambda b=body, k=key: operator(place, f"{own}/deposits", b, k))
        assert asked.status == 202, asked
        answer = second_key(place, lambda i=asked.json["id"], w=word: operator(place, f"/amounts/{i}/{w}", {"reason": WHO}, operator_key=SECOND_KEY))
        assert answer.status == 200, answer
    eventually("the note of the booking", lambda: place.sql(f"select 1 from gateway.amount_request where player = {person.id} and status = 'booked'"), 60)
    person.state["balance_minor"] = answer.json["balance_minor"]
    insert("gateway.void_request", operator=1, id=some(), content=some(), player=person.id, game="'bewitched'", round=1, reason=f"'{WHO}'", awards=1, status="'refused'", asked_key=some(), asked_by="'a test'",
           approved_key=some(), approved_by="'a test'", approved="now()")
    insert("gateway.dead_letter", digest=some(32), service="'wallet'", instance="'wallet-1'", topic="'wallet.commands'", partition=0, position=-1, reason="'a test'", bytes=1, what="'deposit'",
           player=person.id, pool=0, why_not="'done'", written="now()", status="'settled'", act="'settle'", act_key=some(), act_by="'a test'", act_reason=f"'{WHO}'", acted="now()")
    [[hook]] = place.sql("insert into gateway.webhook (operator, url, kinds, salt, created_by) values (1, 'https://x.example', '{game}', gen_random_uuid(), 'a test') returning id", writer=True)
    insert("gateway.webhook_delivery", webhook=hook, event=f"'event {person.name}'", kind="'limit'", subject=f"'player:{person.name}'", body=f"'{json.dumps({'player': person.name})}'", dead="now()")
    return key, body


STAYS = ("audit", "rollup_notable", "report")  # what is only added to, or follows from the ledger


def kept(text):
    """The tables of the gateway that hold a text, also in bytes."""
    tables = [name for [name] in place.sql("select tablename from pg_tables where schemaname = 'gateway' order by 1", writer=True) if name not in STAYS]
    assert {"note", "amount_request", "void_request", "dead_letter", "decision"} <= set(tables), tables
    return [name for name in tables if place.sql(f"select 1 from gateway.{name} t where t::text like '%{text}%' or t::text like '%{text.encode().hex()}%' limit 1", writer=True)]


def journal(upto=None):
    """The last row of each shard, and a digest of all rows up to these."""
    upto = upto or place.sql("select shard, max(seq) from wallet.journal group by 1 order by 1")
    rows = " or ".join(f"(shard = {shard} and seq <= {seq})" for shard, seq in upto)
    return upto, place.sql(f"select count(*), md5(string_agg(md5(j::text), '' order by shard, seq)) from wallet.journal j where {rows}")


def test_a_player_is_pseudonymised():
    """What people typed goes, also what they add between request and approval; the rows of the ledger stay as they are, to the byte."""
    person = account()
    old_key, old_body = typed_about(person)
    own, path = f"/players/{person.number}", f"/players/{person.number}/deposits"
    emptied(person)
    key = os.urandom(8).hex()
    name = waits(wants(person, key))
    assert wants(person, key).json["id"] == name and wants(person, key, reason="another").error["code"] == "other_content"
    assert user("support").of(f"{own}/notes", {"text": f"{WHO} called again."}).status == 200
    assert sorted(kept(WHO)) == ["amount_request", "dead_letter", "note", "void_request"]
    upto, digest = journal()
    done = decided(person, name)
    assert done.status == 200 and done.json["status"] == "done" and done.json["decided_by"] == "operator-1 b-finance", done
    assert done.json["removed"] == {"notes": 2, "requests": 3, "dead_letters": 1, "dead_events": 1}, done
    assert kept(WHO) == [] and kept(f"player:{person.name}") == []
    assert journal(upto)[1] == digest
    assert decided(person, name).json == done.json and wants(person, key).json == done.json
    assert decided(person, name, "refuse").error["code"] == "approval_decided" and wants(person).error["code"] == "player_pseudonymised"
    assert [line[2] for line in audited(person, "pseudonymise approval")] == ["200"]
    notes = listed(person)["notes"]
    assert [(note["text"], note["removed_by"]) for note in notes] == 2 * [("[removed]", "operator-1 a-finance, approved by operator-1 b-finance")] and all(note["removed_us"] for note in notes), notes
    file = eventually("the export", lambda: next((one for one in [exported(person)] if one["account"]["pseudonymised_us"]), None), 60)
    assert [note["text"] for note in file["notes"]] == 2 * ["[removed]"] and {one["reason"] for one in file["requests"]} == {"[removed]"} and file["settings"] == [], file
    assert jackpotctl(person.name)["account"]["pseudonymised_us"] == file["account"]["pseudonymised_us"]
    # No session, no deposit, no bet, no note.
    eventually("the end of the session", lambda: place.http("GET", f"/v1/state?game={GAME}", token=person.token).status == 401, 60)
    for what, body in (("/sessions", {"player": person.number}), (path, {**old_body, "amount_minor": 10}), (path, {**old_body, "amount_minor": LARGE}), (f"{own}/grants", old_body),
                       (f"{own}/notes", {"text": "another"}), (f"{own}/block", {"blocked": False, "reason": "a test"})):
        assert staff.answered(lambda w=what, b=body: operator(place, w, b)).error["code"] == "player_pseudonymised", what
    assert staff.answered(lambda: operator(place, path, old_body, old_key)).error["code"] == "player_pseudonymised", "its command was removed"
    assert user("support").of(f"{own}/notes", {"text": f"{WHO} called."}, key=f"typed-{person.number}").error["code"] == "player_pseudonymised"
    assert place.http("POST", "/v1/demo/sessions", {"player": person.number, "currency": "EUR"}).error["code"] == "player_pseudonymised"
    assert journal(upto)[1] == digest
    place.verify()


def test_a_gateway_that_dies_has_done_all_or_nothing():
    """The approval is asked for again, and what was to go has gone once."""
    person = account()
    assert user("support").of(f"/players/{person.number}/notes", {"text": "Gone with the gateway."}).status == 200
    name = waits(wants(emptied(person)))
    second()
    tries = []
    asking = threading.Thread(target=lambda: tries.append(attempt(person, name)))
    asking.start()
    place.kill("gateway-1")
    asking.join()
    done = eventually("an answer", lambda: next((a for a in [attempt(person, name)] if a and a.status == 200), None), 120)
    assert done.json["status"] == "done" and done.json["removed"]["notes"] == 1, (done, tries)
    assert [line[2] for line in audited(person, "pseudonymise approval")] == ["200"]
    assert kept("Gone with the gateway") == []


def attempt(person, name):
    """One try; None: there was no answer."""
    try:
        return place.http("POST", f"/v1/operators/1/players/{person.number}/pseudonymise/{name}/approve", {"reason": "agreed"}, headers={"Cookie": second().cookie, "X-CSRF-Token": second().csrf})
    except (OSError, http.client.HTTPException):
        return None


def test_a_player_is_pseudonymised_in_the_console():
    """A user without the permission has no button. Users who have it are told what must be settled first, and two of them do it."""
    person = account()
    assert user("support").of(f"/players/{person.number}/notes", {"text": WHO}).status == 200
    second()
    page = pages.Page("console", "/operator/")
    console.inside(page, "a-support")
    pages.browser.ask("problems")  # that it had no session
    console.go(page, f"players/{person.number}")
    page.see("document.querySelector('button[name=export]') && document.querySelector('#notes .note')")
    assert page.evaluate(code="![...document.querySelectorAll('main button')].some((one) => one.innerText.includes('Pseudonymise'))")
    console.out(page)
    console.inside(page, "a-finance")
    console.go(page, f"players/{person.number}")
    console.do(page, "Pseudonymise", reason="they asked for it")
    page.see("/ledger stays as it is/.test(document.querySelector('dialog .what')?.innerText)")
    console.send(page)
    page.see("/not settled yet.*in block/.test(document.querySelector('dialog [role=alert]')?.innerText)")
    page.press("dialog button[aria-label=Close]")
    page.see("!document.querySelector('dialog')")
    pages.browser.ask("problems")  # that it was refused
    emptied(person)
    eventually("an account that rests", lambda: place.sql(f"select gateway.player_left({person.id}) is null", writer=True) == [["t"]], 60)
    console.do(page, "Pseudonymise", reason="they asked for it")
    console.send(page)
    page.see("/second person/.test(document.querySelector('dialog')?.innerText)")
    page.press("dialog button.main")
    console.out(page)
    console.inside(page, "b-finance")
    row = f"[...document.querySelectorAll('[data-table=approvals] tbody tr')].find((row) => row.innerText.includes('{person.name}'))"
    console.go(page, "approvals")
    page.see(f"/Pseudonymise the player/.test({row}?.innerText)")
    page.evaluate(code=f"[...{row}.querySelectorAll('button')].find((one) => one.innerText === 'Approve').click()")
    page.see("/operator-1 a-finance asks.*they asked for it/.test(document.querySelector('dialog[open] .what')?.innerText)")
    page.fill(selector="dialog [name=reason]", value="agreed")
    console.send(page)
    console.done(page)
    page.see(f"!{row}")
    console.go(page, f"players/{person.number}")
    page.see("/pseudonymised/.test(document.querySelector('main .tiles')?.innerText) && /removed .* by operator-1 a-finance/.test(document.querySelector('[data-table=notes]')?.innerText)")
    assert WHO not in page.text(selector="main")
    console.out(page)
    found = pages.browser.ask("problems")
    assert not found, found


if __name__ == "__main__":
    place = console.place = staff.place = Described("player_file")
    place.environment.update(GATEWAY_STAFF_CONFIRM_S="3000")
    with pages.browsing(place):
        run(*[f for name, f in list(globals().items()) if name.startswith("test_")])
