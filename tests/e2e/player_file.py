#!/usr/bin/env python3
"""What an operator keeps and gives away about a player: notes, added by those who may and never changed, through the interface and in the console."""
import json
import os

import console
import lib_pages as pages
import staff
from lib_play import Person, operator
from lib_stack import run, wait_until
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
    assert listed(person) == {"notes": [second.json, first.json], "next": 0} and listed(other)["notes"] == []
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
    two = listed(person, f"?limit=2&before={one['next']}")
    three = listed(person, f"?limit=2&before={two['next']}")
    assert [note["text"] for page in (one, two, three) for note in page["notes"]] == [f"note {n}" for n in (4, 3, 2, 1, 0)] and three["next"] == 0
    for query in ("?limit=0", "?limit=201", "?before=x", "?before=0", "?other=1"):
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


if __name__ == "__main__":
    place = console.place = staff.place = Described("player_file")
    with pages.browsing(place):
        run(*[f for name, f in list(globals().items()) if name.startswith("test_")])
