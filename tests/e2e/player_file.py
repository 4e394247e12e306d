#!/usr/bin/env python3
"""What an operator keeps and gives away about a player: notes, added by those who may and never changed, and the export of all that is held about them;
through the interface, in the console and by jackpotctl."""
import hashlib
import json
import os
import socket
import subprocess
import time

import console
import lib_pages as pages
import staff
from lib_play import GAME, RULES, Person, force, operator
from lib_stack import BIN, run, wait_until
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
    wait_until("the account", lambda: operator(place, f"/players/{person.number}", None, method="GET").status == 200, 20)
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
    answer = wait_until("a place", lambda: next((a for a in [staff.answered(ask)] if a.status != 429), None), 60)
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
    wait_until("the award", lambda: place.sql(f"select 1 from wallet.journal where kind = 24 and player = {person.id}"), 20)
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
    wait_until("a void", lambda: operator(place, f"/players/{person.number}/voids", {"game": GAME, "round": round_, **reason}, f"void-{person.number}").status == 200, 20)
    assert place.http("POST", "/v1/logout", None, token=person.token, key=os.urandom(8).hex()).status == 200
    return person


def test_an_export_has_everything():
    person = place.lived = lived()
    first = wait_until("what is up to a second behind", lambda: next((e for e in [exported(person)] if e["account"] == operator(place, f"/players/{person.number}", None, method="GET").json
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
    lines = wait_until("the lines", lambda: next((rows for rows in [audited(person, "export")] if len(rows) == 2), None), 20)
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
    wait_until("the other operator's key", lambda: of_other("/players", method="GET").status == 200, 60)
    assert of_other("/players", {"player": 1, "currency": "EUR"}).status == 201
    wait_until("the other operator's account", lambda: of_other("/players/1", method="GET").status == 200, 60)
    readers = [wait_until("a place", lambda: slow_reader(person), 60) for _ in range(2)]
    refusal = staff.answered(lambda: operator(place, f"/players/{again.number}/export", None, method="GET"))
    assert (refusal.status, refusal.error["code"]) == (429, "too_many_exports") and int(refusal.headers["Retry-After"]) > 0, refusal
    answer = of_other("/players/1/export", method="GET")
    assert answer.status == 200 and answer.json["complete"] is True and answer.json["account"]["player"] == "2-1", answer
    for one in readers:
        one.close()
    wait_until("a place again", lambda: operator(place, f"/players/{again.number}/export", None, method="GET").status == 200, 60)


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


if __name__ == "__main__":
    place = console.place = staff.place = Described("player_file")
    with pages.browsing(place):
        run(*[f for name, f in list(globals().items()) if name.startswith("test_")])
