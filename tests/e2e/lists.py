#!/usr/bin/env python3
"""The lists of operators, each in the same way: every GET route of the operator's side is a row of docs/lists.md, and is what that row says. A list is walked to
its end with pages of one and two rows, while rows are added, and gives each row once; as CSV it has the same rows; a cursor that is forged, or is of something
else, is refused; an answer that has not changed is 304."""
import base64
import csv
import io
import json
import os
import re
import time
import urllib.parse

import staff
from lib_play import GAME, RULES, Person, force, good
from lib_stack import ROOT, eventually, read_text, run
from openapi import HTTP, Described

place = None
ROUTES = sorted(set(re.findall(r'\{ EDGE_GET,\s*"(/v1/operator[^"]*)"', read_text(f"{ROOT}/services/gateway/adapters/routes.c"))))
ROWS = {path.replace("..", "/v1/operators/{op}"): kind for path, kind in re.findall(r"^\| `GET ([^`]+)` \| ([a-z ]+) \|", read_text(f"{ROOT}/docs/lists.md"), re.M)}
KINDS = {re.sub(r"\{\w+\}", "{}", path): (path, kind) for path, kind in ROWS.items()}
# What changes by itself: when something was used last, what a provider was asked, a signature that is still to be made.
MOVES = {"seen_us", "used_us", "last_us", "provider", "alarms", "stuck", "signature", "signer", "current", "waiting", "oldest_us"}
ENDED = f"?from_us=1&to_us={time.time_ns() // 1000}"  # without it, these answer for a time until now
QUERIES = {"/v1/operators/{}/games/{}": ENDED, "/v1/operators/{}/pools/{}/history": ENDED, "/v1/operators/{}/series": ENDED, "/v1/operators/{}/reports": "?period=year"}
UNTIL_NOW = ("/v1/operators/{}/pools/{}/forecast",)  # and has no such parameters
SILENT = 10  # the last digits of a withdrawal that the payment stub never settles
PATHS = {}  # by the pattern of a route: the path that is asked
ADDED = {}  # by the pattern of a list: how a row is added to it


# ---- who asks, and what there is ----

def ask(path, headers=None):
    return staff.answered(lambda: place.http("GET", path, headers={"Cookie": place.user.cookie, **(headers or {})}))


def with_query(path, **query):
    return path + ("&" if "?" in path else "?") + urllib.parse.urlencode({name: value for name, value in query.items() if value is not None})


def read(path, **query):
    return good(ask(with_query(path, **query)), f"{path} {query}")


def insert(table, **values):
    place.sql(f"insert into {table} ({', '.join(values)}) values ({', '.join(str(value) for value in values.values())})", writer=True)


def some(n=16):
    return f"'\\x{os.urandom(n).hex()}'"


def void(i):
    insert("wallet.void", player=place.one.id, round=10**6 + i, shard=0, seq=10**6 + i, move=i, game=1, currency=978, stake_returned=100, win_taken=0, receivable=0, pending_taken=0,
           time=f"now() - {i} * interval '1 day'")


def asked(i):
    return {"operator": 1, "id": some(), "content": some(), "reason": f"'=reason {i}, \"quoted\"'", "status": "'waiting'", "asked_key": some(), "asked_by": "'operator-1'"}


def round_of_somebody(script, path, settled):
    """A new player's; waits until the list has it as it will stay."""
    person = Person(place, deposit=1000)
    force(place, person.name, script)
    person.bet_through(1, 15, 1)
    eventually(f"the round in {path}", lambda: any(row["player"] == person.name and settled(row) for row in read(f"/v1/operators/1{path}").json["rounds"]), 60)


def adders():
    """Each adds row `i` to a list, in the way that is least trouble."""
    one, webhook = place.one, place.webhook
    own = f"/v1/operators/1/players/{one.number}"
    return {
        "/v1/operators/{}/players": lambda i: Person(place),
        "/v1/operators/{}/players/{}/voids": void,
        "/v1/operators/{}/voids": lambda i: void(i + 100),
        "/v1/operators/{}/voids/requests": lambda i: insert("gateway.void_request", **asked(i), player=one.id, game="'bewitched'", round=i, awards=1),
        "/v1/operators/{}/players/{}/bonus-spins": lambda i: insert("wallet.spin_grant", id=some(), shard=0, player=one.id, game=1, currency=978, coin_minor=1, lines=15, coins=1, spins=5, used=0,
                                                                    expires="now() + interval '1 day'", given_seq=10**6 + i),
        "/v1/operators/{}/pools/{}/actions": lambda i: insert("gateway.pool_request", **asked(i), pool=1, action=1, parameters="''"),
        "/v1/operators/{}/approvals": lambda i: insert("gateway.pool_request", **asked(i), pool=1, action=1, parameters="''"),
        "/v1/operators/{}/pools/{}/transfers": lambda i: insert("pool.transfer_out", pool=1, number=10**6 + i, from_currency=978, from_coin_minor=1, to_pool=4, to_currency=0, to_coin_minor=0,
                                                                amount_e27="1" + 27 * "0", action=some(), booked="now()"),
        "/v1/operators/{}/fx-rates": lambda i: insert("carillon.fx_rate", currency=578, rate_nano=87000000 + i, valid_from=f"now() - {i} * interval '1 hour'"),
        "/v1/operator/sessions": lambda i: insert("gateway.staff_session", digest=some(32), staff="(select id from gateway.staff where name = 'lister')", csrf="'x'", peer="'127.0.0.1'", expires="now() + interval '1 day'"),
        "/v1/operators/{}/user-sessions": lambda i: insert("gateway.staff_session", digest=some(32), staff="(select id from gateway.staff where name = 'lister')", csrf="'x'", peer="'127.0.0.1'", expires="now() + interval '1 day'"),
        "/v1/operators/{}/users": lambda i: insert("gateway.staff", operator=1, name=f"'lists-{time.time_ns()}'", password="'none'", roles=1, created_by="'a test'"),
        "/v1/operators/{}/keys": lambda i: insert("gateway.operator_key", operator=1, digest=some(32), note=f"'@key {i}'"),
        "/v1/operators/{}/webhooks/{}/dead": lambda i: insert("gateway.webhook_delivery", webhook=webhook, event=f"'event {time.time_ns()}'", kind="'test'", subject="''", body="'{\"n\": 1}'", dead="now()"),
        "/v1/operators/{}/webhooks/{}/waiting": lambda i: insert("gateway.webhook_delivery", webhook=webhook, event=f"'event {time.time_ns()}'", kind="'test'", subject="''", body="'{\"n\": 1}'", next="now() + interval '1 day'"),
        "/v1/operators/{}/webhooks/{}/sent": lambda i: insert("gateway.webhook_sent", webhook=webhook, position=f"(select coalesce(max(position), 0) + 1 from gateway.webhook_sent where webhook = {webhook})", number=i,
                                                              event=f"'event {time.time_ns()}'", kind="'test'", subject="''", created="now()", attempts=1, answer="'200'"),
        "/v1/operators/{}/audit": lambda i: insert("gateway.audit", operator=1, actor="'-a test'", action=f"'{'-1+1' if i == 1 else f'nothing {i}'}'", subject="'lists'", request_id="'none'", content="'{\"n\": [1, \"two\"]}'", status=200),
        "/v1/operators/{}/reports": lambda i: insert("gateway.report", operator=1, period="'year'", day=f"date '{1950 + i}-01-01'", content="'{}'", digest="sha256('{}')"),
        "/v1/operators/{}/dead-letters": lambda i: insert("gateway.dead_letter", digest=some(32), service="'wallet'", instance="'wallet-1'", topic="'wallet.commands'", partition=0, position=-1, reason=f"'=reason {i}'",
                                                   bytes=1, what="'deposit'", player=one.id, pool=0, why_not="'newer'", written="now()"),
        "/v1/operators/{}/players/{}/notes": lambda i: insert("gateway.note", operator=1, player=one.id, key=some(), content=some(), author="'a test'", note=f"'=note {i}'"),
        "/v1/operators/{}/players/{}/sessions": lambda i: insert("gateway.session", session=some(), player=one.id, began="now()", expires="now() + interval '1 hour'"),
        "/v1/operators/{}/players/{}/history": lambda i: one.deposit(1000 + i),
        "/v1/operators/{}/players/{}/withdrawals": lambda i: staff.answered(lambda: place.http("POST", f"{own}/withdrawals", {"amount_minor": 1000 + 100 * i + SILENT, "currency": "EUR"},
                                                                                               token=place.operator_key(), key=f"hold-{i}")),
        "/v1/operators/{}/withdrawals": lambda i: None,  # those of the player
        "/v1/operators/{}/postings": lambda i: one.deposit(3000 + i),
        "/v1/operators/{}/rounds": lambda i: round_of_somebody(RULES.stops(), "/rounds", lambda row: not row["open"]),
        "/v1/operators/{}/unfinished/rounds": lambda i: round_of_somebody([*RULES.stops(bonuses=3), 0], "/unfinished/rounds", lambda row: row["stake_minor"] is not None),
    }


def added(pattern, i):
    """Adds row `i`; says why it could not."""
    try:
        ADDED[pattern](i)
    except Exception as error:  # noqa: BLE001 - all that cannot be added is told together
        return f"{pattern}: {error!r}"
    return None


def test_each_route_is_in_the_table():
    assert len(ROUTES) > 30, "the table of routes is not read any more"
    assert set(KINDS) == set(ROUTES), f"not in docs/lists.md: {sorted(set(ROUTES) - set(KINDS))}; in it, and no route: {sorted(set(KINDS) - set(ROUTES))}"
    described = {re.sub(r"\{\w+\}", "{}", path): operation["get"] for path, operation in HTTP["paths"].items() if "get" in operation}
    for pattern, (_, kind) in KINDS.items():
        takes = {parameter["name"] for parameter in described[pattern].get("parameters", []) if parameter["in"] == "query"}
        wanted = {"list": {"limit", "cursor", "format"}, "short list": {"format"}, "times": {"limit", "from_us", "to_us"}, "document": set(), "stream": set()}[kind]
        assert wanted <= takes and (kind == "list") == ("cursor" in takes), (pattern, kind, takes)
        assert ("304" in described[pattern]["responses"]) == (kind != "stream"), pattern


def test_what_there_is():
    """Three rows or more of each list."""
    printed = staff.jackpotctl("add", "lister", "--roles", "support,finance,jackpots,administrator")
    user = place.user = staff.User("lister", printed.split()[-1])
    user.login()
    assert user.ask("POST", "/v1/operator/password", {"password": user.password, "new_password": "password of lister"}).status == 200
    one = place.one = Person(place, deposit=1000000)
    one.bet(1, 15, 1)
    insert("gateway.webhook", operator=1, url="'https://lists.invalid/hook'", kinds="'{hit}'", salt="gen_random_uuid()", created_by="'a test'")
    place.webhook = read("/v1/operators/1/webhooks").json["webhooks"][0]["id"]
    place.sql("insert into engine.stopped_game (game, reason) select number, '=a stop' from carillon.game where id = 'mystery-elves' limit 1", writer=True)
    for i, (limit, more) in enumerate((("loss", {"period": "day", "amount_minor": 10**6}), ("wager", {"period": "week", "amount_minor": 10**7}), ("time", {"seconds": 36000}))):
        answer = staff.answered(lambda body={"limit": limit, "currency": "EUR", **more}, n=i: place.http("POST", f"/v1/operators/1/players/{one.number}/limits", body, token=place.operator_key(), key=f"limit-{n}"))
        assert answer.status == 200, answer
    hold = good(staff.answered(lambda: place.http("POST", f"/v1/operators/1/players/{one.number}/withdrawals", {"amount_minor": 5000 + SILENT, "currency": "EUR"}, token=place.operator_key(), key="a-hold")), "a hold").json["id"]
    ADDED.update(adders())
    here = {"{op}": 1, "{n}": one.number, "{pool}": 1, "{round}": one.told[0]["round"], "{period}": "day", "{day}": time.strftime("%Y-%m-%d", time.gmtime())}
    for pattern, (path, _) in KINDS.items():
        if pattern.endswith("/withdrawals/{}"):
            here["{id}"] = hold
        elif "{id}" in path:
            here["{id}"] = GAME if "/games/" in path else place.webhook
        PATHS[pattern] = re.sub(r"\{\w+\}", lambda name: str(here[name[0]]), path) + QUERIES.get(pattern, "")
    faults = [fault for i in range(3) for pattern in ADDED for fault in [added(pattern, i)] if fault]
    assert not faults, "\n".join(dict.fromkeys(faults))
    for pattern, (_, kind) in KINDS.items():
        if kind == "list":
            eventually(f"rows of {pattern}", lambda p=pattern: len(rows_of(read(PATHS[p]).json)) >= 3, 60)


def name_of(answer):
    """The member that has the rows."""
    names = ("withdrawals", "limits", "voids", "requests", "stopped", "bonus_spins", "actions", "transfers", "rates", "approvals", "unfinished", "sessions", "users", "keys", "rows", "reports", "webhooks",
             "events", "players", "entries", "notes", "letters", "postings", "rounds")
    return next(name for name in names if isinstance(answer.get(name), list))


def rows_of(answer):
    return answer[name_of(answer)]


def lists(*kinds):
    return [pattern for pattern, (_, kind) in KINDS.items() if kind in (kinds or ("list",))]


def still(row):
    return json.dumps({name: value for name, value in row.items() if name not in MOVES}, sort_keys=True)


# ---- the cursor ----

def walk(path, limit, between=None):
    """All rows, page by page; `between` is called after each of the first pages."""
    rows, cursor = [], None
    for n in range(1000):
        answer = read(path, limit=limit, cursor=cursor).json
        rows += rows_of(answer)
        cursor = answer["next_cursor"]
        if between and n < 2:
            between()
        if cursor is None:
            return rows
    raise AssertionError(f"{path}: no end after 1000 pages")


def test_each_list_is_walked_to_its_end():
    for pattern in lists():
        path = PATHS[pattern]
        for limit in (1, 2):
            def same(p=path, n=limit):  # rows of other parts of the installation may come between
                return [still(row) for row in walk(p, n)] == [still(row) for row in rows_of(read(p).json)]
            eventually(f"the rows of {path} by {limit}", same, 60)
        rows = [still(row) for row in walk(path, 2)]
        assert len(set(rows)) == len(rows) >= 3, (path, rows)


def test_pages_have_at_most_so_many_rows():
    for pattern in lists():
        if not pattern.endswith(("/keys", "/history")):
            assert len(rows_of(read(PATHS[pattern], limit=1).json)) == 1 and len(rows_of(read(PATHS[pattern], limit=2).json)) == 2, pattern
    keys = read(PATHS["/v1/operators/{}/keys"], limit=1).json["keys"]
    assert [key["in_file"] for key in keys].count(False) == 1 and keys[0]["in_file"], keys


def test_rows_that_come_meanwhile():
    """Each row that was there at the beginning is seen once."""
    for pattern in lists():
        before, n = [still(row) for row in rows_of(read(PATHS[pattern]).json)], iter(range(10, 20))
        seen = [still(row) for row in walk(PATHS[pattern], 1, lambda p=pattern, i=n: ADDED[p](next(i)))]
        assert len(set(seen)) == len(seen) and not set(before) - set(seen), (pattern, before, seen)


def refused(path, cursor, **query):
    answer = ask(with_query(path, limit=1, cursor=cursor, **query))
    assert answer.status == 400 and answer.error["code"] == "field_range" and answer.error["where"] == "cursor" and "next_cursor" in answer.error["expected"], (path, cursor, query, answer)


def test_a_cursor_is_of_one_list():
    cursors = {pattern: read(PATHS[pattern], limit=1).json["next_cursor"] for pattern in lists()}
    for pattern, cursor in cursors.items():
        path = PATHS[pattern]
        sealed = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        forged = [base64.urlsafe_b64encode(bytes(text)).decode().rstrip("=") for text in (
            bytes([sealed[0] ^ 1]) + sealed[1:], sealed[:-1] + bytes([sealed[-1] ^ 1]), sealed + b"1", sealed[:-1], sealed[:16], bytes(16) + sealed[16:], b"\0" + sealed)]
        for wrong in ("", "x", "1", cursor + "A", cursor + "=", "%ff", "../..", 400 * "A", *forged, *(other for name, other in cursors.items() if name != pattern)):
            refused(path, wrong)
    other = Person(place, deposit=1000)
    eventually("the account", lambda: ask(f"/v1/operators/1/players/{other.number}").status == 200, 60)
    for pattern, cursor in cursors.items():
        if "/players/{}/" in pattern:
            refused(PATHS[pattern].replace(f"/players/{place.one.number}/", f"/players/{other.number}/"), cursor)
    for pattern, filters in (("/v1/operators/{}/audit", {"action": "nothing"}), ("/v1/operators/{}/players", {"number": 1}), ("/v1/operators/{}/players/{}/history", {"kind": "deposit"}),
                             ("/v1/operators/{}/withdrawals", {"state": "held"}), ("/v1/operators/{}/fx-rates", {"currency": "NOK"})):
        refused(PATHS[pattern], cursors[pattern], **filters)
        own = read(PATHS[pattern], limit=1, **filters).json
        assert own["next_cursor"], (pattern, filters)
        read(PATHS[pattern], limit=1, cursor=own["next_cursor"], **filters)
        refused(PATHS[pattern], own["next_cursor"])
    for pattern in lists("short list"):
        assert ask(with_query(PATHS[pattern], cursor="x")).error["code"] == "field_unknown", pattern
    second = "a key of another operator, who has no rows"
    place.sql(f"insert into gateway.operator_key (operator, digest) values (2, sha256('{second}'))", writer=True)
    theirs = PATHS["/v1/operators/{}/audit"].replace("/operators/1/", "/operators/2/")
    answer = eventually("the key", lambda: next((a for a in [place.http("GET", with_query(theirs, cursor=cursors["/v1/operators/{}/audit"]), token=second)] if a.status not in (401, 503)), None), 60)
    assert answer.status == 400 and answer.error["where"] == "cursor", answer


# ---- CSV ----

def text_of(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (dict, list)):
        value = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return "" if value is None else f"'{value}" if isinstance(value, str) and re.match(r"[=+@\t\r]|-(?![0-9]+(\.[0-9]+)?\Z)", value) else str(value)


def cell(row, column):
    for name in column.split("."):
        row = row.get(name) if isinstance(row, dict) else None
    return text_of(row)


def members(row, columns, above=""):
    """The members that a table must have a column for."""
    for name, value in row.items():
        if isinstance(value, dict) and any(column.startswith(f"{above}{name}.") for column in columns):
            yield from members(value, columns, f"{above}{name}.")
        elif value is not None or above == "":
            yield f"{above}{name}"


def table_pages(path, limit):
    """The columns and all rows, page by page."""
    rows, cursor, columns = [], None, None
    for _ in range(1000):
        answer = read(path, format="csv", limit=limit, cursor=cursor)
        assert answer.headers["Content-Type"] == "text/csv; charset=utf-8" and answer.headers["Content-Disposition"].startswith("attachment; filename="), (path, answer.headers)
        text = answer.raw.decode()
        if text == "" and columns and path == PATHS["/v1/operators/{}/withdrawals"]:  # of a page without rows, the database makes none
            return columns, rows
        assert text.endswith("\r\n") and "\n" not in text.replace("\r\n", ""), (path, text)
        found = list(csv.reader(io.StringIO(text, newline="")))
        assert columns in (None, found[0]) and all(len(line) == len(found[0]) for line in found), (path, text)
        columns = found[0]
        rows += [dict(zip(columns, line)) for line in found[1:]]
        cursor = answer.headers["X-Next-Cursor"]
        if cursor is None:
            return columns, rows
    raise AssertionError(f"{path}: no end after 1000 pages")


def test_the_same_rows_as_a_table():
    for pattern in lists("list", "short list"):
        path, limit = PATHS[pattern], 2 if pattern in lists() else None

        def same(path=path, limit=limit, pattern=pattern):
            columns, table = table_pages(path, limit)
            rows = rows_of(read(path).json)
            if pattern == "/v1/operators/{}/withdrawals":  # it has columns of its own
                return [line["id"] for line in table] == [row["id"] for row in rows]
            for row in rows:
                assert not [name for name in members(row, columns) if name not in columns and row.get(name, "") is not None], (path, columns, row)
            fixed = [column for column in columns if column.split(".")[0] not in MOVES]
            return [[line[column] for column in fixed] for line in table] == [[cell(row, column) for column in fixed] for row in rows]
        eventually(f"the table of {path}", same, 60)


def test_a_table_holds_no_formula():
    for path, column, text in ((PATHS["/v1/operators/{}/audit"], "actor", "'-a test"), (PATHS["/v1/operators/{}/audit"], "action", "'-1+1"), (PATHS["/v1/operators/{}/voids/requests"], "reason", '\'=reason 1, "quoted"'), (PATHS["/v1/operators/{}/keys"], "name", "'@key 1")):
        assert text in {line[column] for line in table_pages(path, 100)[1]}, (path, column)
    assert b'"\'=reason 1, ""quoted"""' in read(PATHS["/v1/operators/{}/voids/requests"], format="csv").raw
    made = place.sql("select gateway.csv('[{\"a\":\"-1+1\",\"b\":\"-1.50\",\"c\":\"-x\",\"d\":\"-1.\",\"e\":-2}]') = e'a,b,c,d,e\\r\\n\"''-1+1\",\"-1.50\",\"''-x\",\"''-1.\",-2\\r\\n'")
    assert made == [["t"]], made


def test_a_table_without_rows_has_its_columns():
    other = Person(place)
    text = read(f"/v1/operators/1/players/{other.number}/voids", format="csv").raw.decode()
    assert text == "round,game,currency,seq,move,stake_returned_minor,win_taken_minor,receivable_minor,pending_taken_minor,time_us,awards_minor\r\n", text
    assert ask(with_query(PATHS["/v1/operators/{}/voids"], format="xml")).status == 400


# ---- the ETag ----

def unchanged(path):
    """304 to its ETag; what the answer says may change between two questions, so this is asked again. The first one's tag does not fit another answer."""
    first = read(path)
    tag = first.headers["ETag"]
    assert re.fullmatch('"[0-9a-f]{32}"', tag) and first.headers["Cache-Control"] == "no-store", (path, first.headers)
    again = ask(path, {"If-None-Match": f'"other", {tag}'})
    assert again.status in (200, 304) and ask(path, {"If-None-Match": '"other"'}).status == 200, (path, again)
    return again.status == 304 and again.raw == b"" and again.headers["ETag"] == tag


def test_what_has_not_changed_is_not_sent():
    for pattern, (_, kind) in KINDS.items():
        path = PATHS[pattern]
        if kind == "stream":
            assert not read(path).headers["ETag"], path
        elif pattern not in UNTIL_NOW:
            eventually(f"304 of {path}", lambda p=path: unchanged(p), 60)
        else:
            assert read(path).headers["ETag"] != read(path).headers["ETag"], path
        if kind in ("list", "short list"):
            eventually(f"304 of the table of {path}", lambda p=path: unchanged(with_query(p, format="csv")), 60)


def test_what_has_changed_is_sent():
    for pattern in lists():
        if pattern != "/v1/operators/{}/withdrawals":
            tag = read(PATHS[pattern]).headers["ETag"]
            ADDED[pattern](30)
            eventually(f"a new row of {pattern}", lambda p=pattern, t=tag: ask(PATHS[p], {"If-None-Match": t}).status == 200, 60)


if __name__ == "__main__":
    with Described("lists", kafka=False) as place:
        staff.place = place
        run(*[test for name, test in list(globals().items()) if name.startswith("test_")])
