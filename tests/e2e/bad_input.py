#!/usr/bin/env python3
"""Whatever is wrong gets a clear error - what, where, found, expected - and changes nothing: every field of every request, the requests themselves, live
events, messages that cannot be read, every setting of every service, every argument of every program and script. As tables."""
import itertools
import json
import os
import re
import socket
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

from lib_patience import time_out
from lib_play import GAME, RULES, Person, Socket, force
from lib_raw import SENDERS
from lib_stack import BIN, ROOT, Installation, eventually, run

MISSING = object()
HUGE = 10 ** 30
place = None
person = None


def ledger():
    """What must not change, once the pool has heard of all that was staked."""
    eventually("the pool to have heard of every stake", lambda: place.sql(
        "select (select coalesce(sum(total), 0) from pool.vector where pool = 1) = (select coalesce(sum(stake), 0) from wallet.journal where tallies <> '{}')")[0][0] == "t", 5)
    return place.sql("select count(*), max(seq), sum(balance_after) from wallet.journal"), place.sql("select pool, t_e18, hits from pool.pool order by pool"), \
        {k: v for k, v in person.refresh().items() if k not in ("secret_hash", "balance_seq")}


def broken(answer, statuses, where=None, complete=True, too_long=False):
    """Is this a proper refusal? Of a number that no reader of JSON takes, it is told by line and column, not by its field."""
    error = answer.error
    problems = []
    if answer.status not in statuses:
        problems.append(f"status {answer.status}, expected {statuses}")
    for field in ("code", "message", *(("where", "found", "expected") if complete else ())):
        if not isinstance(error.get(field), str) or not error[field]:
            problems.append(f"no {field}")
    if where is not None and where not in str(error.get("where")) and not (too_long and error.get("where") == "body" and "integer" in error.get("found", "")):
        problems.append(f"where is {error.get('where')}, expected {where}")
    return problems


def with_value(body, path, value):
    """A copy of the body with one field, by its path, replaced or gone."""
    copy = json.loads(json.dumps(body))
    at = copy
    for name in path[:-1]:
        at = at[name]
    if value is MISSING:
        at.pop(path[-1])
    else:
        at[path[-1]] = value
    return copy


NOT_INT = ["1", 1.5, True, None, [], {}, HUGE, -HUGE, ""]
NOT_TEXT = [1, 1.5, True, None, [], {}, HUGE]
NOT_BOOL = ["true", 1, 0, None, [], {}]
NOT_OBJECT = ["x", 1, None, [], True]


def refused_each(table):
    """Rows: (name, method, path, valid body, who's key, fields); a field is (path, required, wrong types, values out of range[, statuses])."""
    faults, cases = [], 0
    for name, path, body, token, fields in table:
        before = ledger()
        asked = []
        for field, required, types, ranges, *statuses in fields:
            wanted = statuses[0] if statuses else (400,)
            for value in types:
                asked.append((with_value(body, field, value), field, (400,), value))
            for value in ranges:
                asked.append((with_value(body, field, value), field, wanted, value))
            if required:
                asked.append((with_value(body, field, MISSING), field, (400,), "missing"))
        asked.append(({**body, "unknown": 1}, ("body",), (400,), "an unknown field"))
        for other in ([], "text", 1, None, [body]):
            asked.append((other, ("body",), (400,), other))
        for sent, field, statuses, value in asked:
            answer = place.http("POST", path, raw=json.dumps(sent).encode(), token=next(token) if isinstance(token, itertools.cycle) else token, key=os.urandom(8).hex())
            cases += 1
            problems = broken(answer, statuses, field[-1], too_long=isinstance(value, int) and abs(value) >= 2 ** 63)
            if problems:
                faults.append(f"{name} {'.'.join(field)} = {str(value)[:40]}: {'; '.join(problems)}: {answer!r}")
        after = ledger()
        if after != before:
            faults.append(f"{name}: something changed: {before} {after}")
    assert not faults, f"{len(faults)} of {cases} cases:\n" + "\n".join(faults[:60])
    print(f"note: {cases} requests refused")


def tokens():
    """Of several players, so that none asks too often."""
    return itertools.cycle([Person(place).token for _ in range(6)])


def test_fields_of_a_players_requests():
    body = person.bet_body(autoplay="00" * 16)
    setting = {"game": GAME, "expect": person.expect, "autoplay": {"id": "00" * 16, "spins": 10, "loss_limit_minor": 100, "single_win_minor": 100, "stop_on_jackpot": True}}
    game = (("game",), True, NOT_TEXT, ["", "x" * 40, "Bewitched", "no game", "nothing-here"], (400, 404))
    expect = (("expect",), True, NOT_INT, [0, -1, 2 ** 63, 2 ** 64])
    # A round that waits for a pick, for the actions.
    bettor = Person(place)
    force(place, bettor.name, [*RULES.stops(bonuses=3), RULES.vial_value("money", 15, {"lines": 1, "coins": 1})])
    bettor.bet()
    action = bettor.action_body("pick", choice=0)
    actions = f"/v1/rounds/{bettor.round['round']}/actions"
    refused_each([
        ("bet", "/v1/rounds", {k: v for k, v in body.items() if k != "autoplay"}, tokens(), [
            game, expect,
            (("bet",), True, NOT_OBJECT, []),
            (("bet", "coin_minor"), True, NOT_INT, [0, -1, 3, 101, 2 ** 63, 2 ** 62]),
            (("bet", "lines"), True, NOT_INT, [0, -1, 16, 2 ** 32 + 1, 2 ** 63]),
            (("bet", "coins"), True, NOT_INT, [0, -1, 11, 2 ** 32 + 1, 2 ** 63]),
            (("nonce",), True, NOT_TEXT, ["", "00", "00" * 15, "00" * 33, "0" * 33, "zz" * 16, "AA" * 16, "00" * 5000]),
            (("autoplay",), False, [1, True, [], {}], ["", "00" * 15, "00" * 17, "zz" * 16]),
        ]),
        ("action", actions, action, bettor.token, [
            game, expect,
            (("action",), True, NOT_TEXT, ["", "jump", "PICK", "pick "]),
            (("cursor",), True, NOT_INT, [-1, 2 ** 32, 2 ** 63]),
            (("choice",), True, NOT_INT, [-1, 9, 256, 2 ** 32]),
        ]),
        ("witch", "/v1/settings", {"game": GAME, "expect": person.expect, "witch": 1}, tokens(), [game, expect, (("witch",), False, NOT_INT, [-1, 2, 256, 2 ** 32])]),
        ("autoplay", "/v1/settings", setting, tokens(), [
            game, expect,
            (("autoplay",), False, NOT_OBJECT, []),
            (("autoplay", "id"), True, NOT_TEXT, ["", "00", "zz" * 16, "00" * 17]),
            (("autoplay", "spins"), True, NOT_INT, [-1, 2 ** 32, 2 ** 63]),
            (("autoplay", "loss_limit_minor"), False, NOT_INT, [-2, 2 ** 63]),
            (("autoplay", "single_win_minor"), False, NOT_INT, [-2, 2 ** 63]),
            (("autoplay", "stop_on_jackpot"), False, NOT_BOOL, []),
        ]),
        ("session", "/v1/demo/sessions", {"player": person.number, "currency": "EUR"}, None, [
            (("player",), False, NOT_INT, [0, -1, 2 ** 48, 2 ** 63]),
            (("currency",), False, NOT_TEXT, ["", "XXX", "eur", "EURO", "EU R", "x" * 4000]),
        ]),
    ])


def test_fields_of_an_operators_requests():
    key, base = place.operator_key(), f"/v1/operators/1/players/{person.number}"
    money = {"amount_minor": 100, "currency": "EUR", "reason": "a test"}
    amount = (("amount_minor",), True, NOT_INT, [0, -1, 10 ** 15 + 1, 2 ** 63])
    currency = (("currency",), True, NOT_TEXT, ["", "XXX", "eur", "EURO", "x" * 4000])
    reason = (("reason",), False, NOT_TEXT, ["", "x" * 201, "a\nb", "paid \u202eton\u202c", "\u2066a\u2069"])
    refused_each([
        ("players", "/v1/operators/1/players", {"player": 500, "currency": "EUR"}, key, [(("player",), True, NOT_INT, [0, -1, 2 ** 48, 2 ** 63]), currency]),
        ("sessions", "/v1/operators/1/sessions", {"player": person.number}, key, [(("player",), True, NOT_INT, [0, -1, 2 ** 48, 2 ** 63])]),
        ("deposits", f"{base}/deposits", money, key, [amount, currency, reason]),
        ("withdrawals", f"{base}/withdrawals", money, key, [amount, currency, reason]),
        ("grants", f"{base}/grants", money, key, [amount, currency, reason]),
        ("corrections", f"{base}/corrections", money, key, [
            (("amount_minor",), True, NOT_INT, [0, 10 ** 15 + 1, -10 ** 15 - 1, 2 ** 63], (400, 422)), currency, (("reason",), True, NOT_TEXT, ["", "x" * 201, "a\nb"])]),
        ("bonus spins", f"{base}/bonus-spins", {"game": GAME, "currency": "EUR", "coin_minor": 1, "lines": 15, "coins": 1, "spins": 5, "expires_us": 10 ** 15 * 9, "reason": "a test"}, key, [
            (("game",), True, NOT_TEXT, ["", "x" * 40, "Bewitched", "nothing-here"], (400, 404)), currency, reason,
            (("coin_minor",), True, NOT_INT, [0, -1, 3, 2 ** 62, 2 ** 63]), (("lines",), True, NOT_INT, [0, -1, 16, 1001, 2 ** 63]),
            (("coins",), True, NOT_INT, [0, -1, 11, 1001, 2 ** 63]), (("spins",), True, NOT_INT, [0, -1, 10001, 2 ** 32, 2 ** 63]),
            (("expires_us",), True, NOT_INT, [0, -1, 2 ** 53, 2 ** 63])]),
        ("end of bonus spins", f"{base}/bonus-spins/{'00' * 16}/end", {"reason": "a test"}, key, [(("reason",), True, NOT_TEXT, ["", "x" * 201, "a\nb"])]),
        ("note", f"{base}/notes", {"text": "a test"}, key, [(("text",), True, NOT_TEXT, ["", "x" * 2001, "a\tb", "a\rb", "a\x00b", "paid \u202eton", "\u2067a\u2069"])]),
        ("decision", f"{base}/withdrawals/{'00' * 16}/decisions", {"decision": "release", "force": True, "reason": "a test"}, key, [
            (("decision",), True, NOT_TEXT, ["", "pay", "x" * 4000]), (("force",), False, NOT_BOOL, []), (("reason",), True, NOT_TEXT, ["", "x" * 201, "a\nb"])]),
        ("grant taken back", f"{base}/grants/{'00' * 16}/back", {"amount_minor": 1, "currency": "EUR", "reason": "a test"}, key, [
            amount, currency, (("reason",), True, NOT_TEXT, ["", "x" * 201, "a\nb"])]),
        ("limits", f"{base}/limits", {"limit": "loss", "period": "day", "amount_minor": 10 ** 12, "currency": "EUR", "reason": "a test"}, key, [
            (("limit",), True, NOT_TEXT, ["", "win"]), (("period",), True, NOT_TEXT, ["", "year"]),
            (("amount_minor",), True, NOT_INT, [-2, 10 ** 15 + 1, 2 ** 63]), currency, reason]),
        ("voids", f"{base}/voids", {"game": GAME, "round": 10 ** 15, "reason": "a test", "award": False}, key, [
            (("game",), True, NOT_TEXT, ["", "x" * 40, "Bewitched", "nothing-here"], (400, 404)), (("round",), True, NOT_INT, [0, -1, 2 ** 53, 2 ** 63]),
            (("reason",), True, NOT_TEXT, ["", "x" * 81, "a\nb"]), (("award",), False, NOT_BOOL, [])]),
        ("start", f"/v1/operators/1/games/{GAME}/start", {"reason": "a test"}, key, [(("reason",), True, NOT_TEXT, ["", "x" * 201, "a\nb"])]),
        ("offer", "/v1/operators/1/offer", {"games": "all", "currencies": "all", "reason": "a test"}, key, [
            (("games",), False, NOT_TEXT, ["", "x" * 40, "Bewitched", "nothing-here", "all,bewitched", "bewitched,", "bewitched,bewitched", "x" * 1000]),
            (("currencies",), False, NOT_TEXT, ["", "XXX", "eur", "EUR, SEK", "EUR,EUR", "all,EUR", "x" * 1000]), (("reason",), True, NOT_TEXT, ["", "x" * 201, "a\nb"])]),
        ("block", f"{base}/block", {"blocked": True, "reason": "a test"}, key, [(("blocked",), True, NOT_BOOL, []), (("reason",), True, NOT_TEXT, ["", "x" * 201])]),
    ])


def test_combinations_that_make_no_sense():
    expect = person.expect
    before, faults = ledger(), []
    for body in ({"witch": 1, "autoplay": {"id": "00" * 16, "spins": 1}}, {}):
        faults += broken(person.place.http("POST", "/v1/settings", {"game": GAME, "expect": expect, **body}, token=person.token, key="a"), (400,), "body")
    both = person.bet_body(bonus_spin="00" * 16)
    for body in (both, {k: v for k, v in both.items() if k not in ("bet", "bonus_spin")}):
        faults += broken(person.place.http("POST", "/v1/rounds", body, token=person.token, key="c"), (400,), "bet")
    for action, missing in (("pick", "choice"), ("pick", "cursor"), ("next", "cursor"), ("gamble", "choice")):
        body = {"game": GAME, "expect": expect, "action": action, "cursor": 0, "choice": 0}
        body.pop(missing)
        faults += broken(person.place.http("POST", "/v1/rounds/1/actions", body, token=person.token, key="b"), (400,), missing)
    base = f"/v1/operators/1/players/{person.number}"
    for path, status in ((f"{base}/deposits", (404, 409)), ("/v1/operators/1/players/888888/deposits", (404,))):
        faults += broken(place.http("POST", path, {"amount_minor": 1, "currency": "SEK"}, token=place.operator_key(), key=os.urandom(4).hex()), status, complete=False)
    assert not faults, faults
    assert ledger()[1:] == before[1:], "a refused deposit leaves a row, and nothing else"


def test_keys_tokens_and_paths():
    bet, base = person.bet_body(), f"/v1/operators/1/players/{person.number}"
    money, operator = {"amount_minor": 1, "currency": "EUR"}, place.operator_key()
    token = person.token
    tampered = token[:-6] + ("AAAAAA" if token[-6:] != "AAAAAA" else "BBBBBB")
    none = "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0." + token.split(".")[1] + "."
    others, before, faults, cases = tokens(), ledger(), [], 0
    table = [("POST", "/v1/rounds", bet, token, key, (400,)) for key in (None, "", "x" * 65, "a b", "a\tb", "ü")]
    table += [("POST", f"{base}/{what}", money, operator, None, (400,)) for what in ("deposits", "withdrawals", "grants", "corrections", "bonus-spins", "limits", "voids")]
    table += [("POST", f"{base}/notes", {"text": "x"}, operator, key, (400,)) for key in (None, "", "x" * 65, "a b")]
    table += [("GET", f"{base}/withdrawals/{hold}", None, operator, None, (400, 404)) for hold in ("x", "00", "zz" * 16, "AA" * 16, "0" * 31, "00" * 17, "00" * 16)]
    table += [("POST", f"{base}/voids/{void}/approve", None, operator, None, (400, 404)) for void in ("x", "00", "zz" * 16, "AA" * 16, "0" * 31, "00" * 17, "00" * 16)]
    table += [("POST", "/v1/payments/calls", {"id": hold}, None, None, (400, 404)) for hold in ("x", "", "zz" * 16, "AA" * 16, "00" * 17, "00" * 16)]
    table += [("POST", f"{base}/bonus-spins/{gift}/end", {"reason": "x"}, operator, "k", (400,)) for gift in ("x", "00", "zz" * 16, "AA" * 16, "0" * 31, "00" * 17)]
    for wrong in (None, "", "x", tampered, none, operator, token + "x", "x" * 900):
        table += [(method, path, body, wrong, "k", (401,)) for method, path, body in (
            ("GET", f"/v1/state?game={GAME}", None), ("POST", "/v1/rounds", bet), ("POST", "/v1/rounds/1/actions", person.action_body("collect")),
            ("POST", "/v1/settings", {"game": GAME, "expect": 1, "witch": 0}), ("GET", "/v1/rounds", None), ("GET", "/v1/rounds/1", None), ("GET", "/v1/journal", None), ("GET", "/v1/history", None))]
    for wrong in (None, "", "x", token, operator[:-1], operator[:-1] + ("0" if operator[-1] != "0" else "1"), operator + "0", operator.upper() + "!"):
        table += [(method, path, body, wrong, "k", (401,)) for method, path, body in (
            ("POST", "/v1/operators/1/players", {"player": 600, "currency": "EUR"}), ("POST", "/v1/operators/1/sessions", {"player": person.number}),
            ("POST", f"{base}/deposits", money), ("POST", f"{base}/withdrawals", money), ("POST", f"{base}/corrections", {**money, "reason": "x"}),
            ("POST", f"{base}/grants", money), ("POST", f"{base}/block", {"blocked": True, "reason": "x"}), ("GET", "/v1/operator/status", None),
            ("POST", f"{base}/bonus-spins", {}), ("GET", f"{base}/bonus-spins", None), ("POST", f"{base}/bonus-spins/{'00' * 16}/end", {"reason": "x"}),
            ("GET", f"{base}/withdrawals", None), ("GET", f"{base}/withdrawals/{'00' * 16}", None), ("POST", f"{base}/withdrawals/{'00' * 16}/decisions", {"decision": "release", "reason": "x"}),
            ("POST", f"{base}/grants/{'00' * 16}/back", {**money, "reason": "x"}), ("POST", f"{base}/limits", {"limit": "time", "seconds": 5, "currency": "EUR"}), ("GET", f"{base}/limits", None),
            ("POST", f"{base}/notes", {"text": "x"}), ("GET", f"{base}/notes", None), ("GET", f"{base}/export", None),
            ("POST", f"{base}/voids", {"game": GAME, "round": 1, "reason": "x"}), ("GET", f"{base}/voids", None), ("GET", "/v1/operators/1/voids", None),
            ("POST", f"/v1/operators/1/games/{GAME}/start", {"reason": "x"}))]
    for op in ("0", "2", "-1", "x", "32768", str(HUGE)):
        table.append(("POST", f"/v1/operators/{op}/sessions", {"player": person.number}, operator, "k", (400, 401, 403, 404)))
    for number in ("0", "-1", "x", "1.5", "01", str(2 ** 48), str(HUGE)):
        table.append(("POST", f"/v1/operators/1/players/{number}/deposits", money, operator, "k", (400, 404)))
        table.append(("GET", f"/v1/rounds/{number if number != str(2 ** 48) else HUGE}", None, token, None, (400, 404)))
        table.append(("POST", f"/v1/rounds/{number if number != str(2 ** 48) else HUGE}/actions", {"game": GAME, "expect": 1, "action": "collect"}, token, "k", (400, 404, 409)))
    for query in ("limit=0", "limit=-1", "limit=x", "limit=1.5", "limit=100000", f"limit={HUGE}", "limit=", "before=x", "before=-1", f"before={HUGE}", "nothing=1", "limit=1&limit=x"):
        table += [("GET", f"{path}?{query}", None, token, None, (400,)) for path in ("/v1/rounds", "/v1/journal", "/v1/history")]
    table += [("GET", f"/v1/history?{query}", None, token, None, (400, 404)) for query in ("kind=", "kind=bet", "kind=moneys", "wins=false", "game=nothing", "from_us=0", "to_us=x", f"to_us={HUGE}",
                                                                                         "from_us=-1", "kind=money&kind=money")]
    table += [("POST", f"/v1/logout?{query}", None, token, None, (400,)) for query in ("all=false", "all=", "every=true", "all=true&all=true")]
    table += [("GET", f"/v1/winners?limit={limit}", None, None, None, (400,)) for limit in ("0", "-1", "x", "100000")]
    table += [("GET", f"/v1/state{query}", None, token, None, (400, 404)) for query in ("?game=nothing", "?game=", "?game=Bewitched", "?game=" + "x" * 200, "?other=1")]
    table += [("GET", path, None, None, None, (404,)) for path in ("/v1/games/nothing", "/v1/nothing", "/v2/state", "/nothing.html", "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/vendor/")]
    table += [("POST", "/v1/state", {}, token, "k", (404, 405)), ("GET", "/v1/demo/sessions", None, None, None, (404, 405)), ("PUT", "/v1/rounds", bet, token, "k", (405,)),
              ("DELETE", "/v1/rounds/1", None, token, None, (405,)), ("PATCH", "/v1/settings", {}, token, "k", (405,))]
    for method, path, body, who, key, statuses in table:
        try:
            answer = place.http(method, path, body, token=next(others) if who == token else who, headers={"Idempotency-Key": key.encode().decode("latin1")} if key is not None else None)
        except ValueError:  # the client itself refuses to send this
            continue
        cases += 1
        problems = broken(answer, statuses, complete=False)
        if problems:
            faults.append(f"{method} {path} with token {str(who)[:20]}, key {key}: {'; '.join(problems)}: {answer!r}")
    assert not faults, f"{len(faults)} of {cases} cases:\n" + "\n".join(faults[:60])
    assert ledger() == before
    print(f"note: {cases} requests refused")


def raw_http(data, wait=True):
    """What a server answers to these very bytes."""
    host, port = place.url.split("://")[1].split(":")
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR) if not wait else None
        answer = b""
        try:
            while b"\r\n\r\n" not in answer or wait is None:
                more = connection.recv(65536)
                if not more:
                    break
                answer += more
        except OSError:
            pass
        return answer


def test_non_json_bodies():
    good = json.dumps(person.bet_body()).encode()
    token = Person(place).token
    before, faults = ledger(), []
    bodies = (b"", b"{", b"}", b"{\"game\":", good[:-1], good + b"x", good + good, b"\xff\xfe" + good, good.replace(b"bewitched", b"bew\xffitched"), b"nothing", b"'x'", b"{'game':1}",
              b"[" * 8000, b"{\"a\":" * 2000 + b"1" + b"}" * 2000, good[:-1] + b",\"game\":\"bewitched\"}", b"{\"game\":\"\\u0000\"}", b"\0", good.replace(b"1", b"NaN", 1), b"1e999", b"{\"expect\":1e999}",
              good[:-1] + b",}")
    for body in bodies:
        answer = place.http("POST", "/v1/rounds", raw=body, token=token, key="k")
        problems = broken(answer, (400,), complete=False)
        if problems:
            faults.append(f"{body[:60]!r}: {problems}: {answer!r}")
    for kind in ("text/plain", "application/x-www-form-urlencoded", "application/jsonx", "multipart/form-data", ""):
        answer = place.http("POST", "/v1/rounds", raw=good, token=token, key="k", headers={"Content-Type": kind})
        if broken(answer, (415,), complete=False):
            faults.append(f"Content-Type {kind}: {answer!r}")
    for size in (16 * 1024 + 1, 100000):
        answer = place.http("POST", "/v1/rounds", raw=good + b" " * (size - len(good)), token=token, key="k")
        if broken(answer, (413,), complete=False):
            faults.append(f"{size} bytes: {answer!r}")
    assert not faults, "\n".join(faults)
    assert ledger() == before


def test_non_http_bytes():
    before = ledger()
    host = place.url.split("://")[1].encode()
    head = b"Host: " + host + b"\r\n"
    table = ((b"nonsense\r\n\r\n", (400, 0, 405)), (b"\0\0\0\0\r\n\r\n", (400, 0, 405)), (b"GET /" + b"a" * 5000 + b" HTTP/1.1\r\n" + head + b"\r\n", (414, 400, 0)),
             (b"GET / HTTP/1.1\r\n" + head + b"X: " + b"a" * 60000 + b"\r\n\r\n", (431, 400, 0)), (b"POST /v1/rounds HTTP/1.1\r\n" + head + b"Content-Length: -1\r\n\r\n", (400, 411, 413, 0, 415)),
             (b"POST /v1/rounds HTTP/1.1\r\n" + head + b"Content-Type: application/json\r\nContent-Length: 99999999999999999999\r\n\r\n", (400, 411, 413, 0)),
             (b"POST /v1/rounds HTTP/1.1\r\n" + head + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", (400, 0, 411, 415, 401, 501)), (b"GET / HTTP/9.9\r\n" + head + b"\r\n", (400, 505, 0, 200)))
    for sent, statuses in table:
        answer = raw_http(sent)
        status = int(answer.split()[1]) if answer.startswith(b"HTTP/") else 0
        assert status in statuses, (sent[:80], answer[:300])
    assert place.http("GET", "/healthz").status == 200 and ledger() == before


def spoken(data, least=1):
    """What the server answers to these very bytes, once it has said all: (status, fields, content) of each answer. The connection is half closed by us last."""
    host, port = place.url.split("://")[1].split(":")
    with socket.create_connection((host, int(port)), timeout=time_out(10)) as connection:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    found = []
    head_only = data.startswith(b"HEAD ")
    while answer:
        head, answer = answer.split(b"\r\n\r\n", 1)
        first, *lines = head.decode().split("\r\n")
        fields = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in lines)}
        length = 0 if head_only else int(fields.get("content-length", 0))
        found.append((int(first.split()[1]), fields, answer[:length]))
        answer = answer[length:]
    assert len(found) >= least, (data, found)
    return found


# What RFC 9110 and 9112 ask of a server: the section, the bytes, and the statuses of the answers. All else that a server may do is in libcommon/edge/test.
H = b"Host: x\r\n"
CONFORMANCE = [
    ("9112 2.2, an empty line before the request", b"\r\nGET /healthz HTTP/1.1\r\n" + H + b"\r\n", [200]),
    ("9112 2.2, a bare CR", b"GET /healthz HTTP/1.1\r\nHost: x\rA: b\r\n\r\n", [400]),
    ("9112 2.2, white space before the first field", b"GET /healthz HTTP/1.1\r\n " + H + b"\r\n", [400]),
    ("9112 2.3, a later minor version is not known", b"GET /healthz HTTP/1.2\r\n" + H + b"\r\n", [400]),
    ("9112 3.2, no Host", b"GET /healthz HTTP/1.1\r\n\r\n", [400]),
    ("9112 3.2, two Hosts", b"GET /healthz HTTP/1.1\r\n" + H + H + b"\r\n", [400]),
    ("9112 3.2, no Host in HTTP/1.0", b"GET /healthz HTTP/1.0\r\n\r\n", [200]),
    ("9112 3.2.1, origin-form with a query", b"GET /v1/winners?limit=1 HTTP/1.1\r\n" + H + b"\r\n", [200]),
    ("9112 3.2.2, absolute-form", b"GET http://elsewhere.example:81/healthz HTTP/1.1\r\n" + H + b"\r\n", [200]),
    ("9112 3.2.2, absolute-form of TLS, behind a proxy", b"GET HTTPS://elsewhere.example/v1/winners?limit=1 HTTP/1.1\r\n" + H + b"\r\n", [200]),
    ("9112 3.2.2, absolute-form without a path", b"GET http://elsewhere.example HTTP/1.1\r\n" + H + b"\r\n", [200]),
    ("9112 3.2.2, absolute-form needs Host too", b"GET http://x/healthz HTTP/1.1\r\n\r\n", [400]),
    ("9112 3.2.3, authority-form is for proxies", b"CONNECT x:443 HTTP/1.1\r\n" + H + b"\r\n", [400]),
    ("9112 3.2.4, asterisk-form", b"OPTIONS * HTTP/1.1\r\n" + H + b"\r\n", [405]),
    ("9112 3, a long target", b"GET /" + b"a" * 3000 + b" HTTP/1.1\r\n" + H + b"\r\n", [414]),
    ("9112 5.1, white space before the colon", b"GET /healthz HTTP/1.1\r\n" + H + b"A : b\r\n\r\n", [400]),
    ("9112 5.2, a folded line", b"GET /healthz HTTP/1.1\r\n" + H + b"A: b\r\n c\r\n\r\n", [400]),
    ("9112 6.1, a transfer coding is refused: lengths are in digits alone", b"POST /v1/rounds HTTP/1.1\r\n" + H + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\n" + H + b"\r\n", [411]),
    ("9112 6.3, two lengths", b"POST /v1/rounds HTTP/1.1\r\n" + H + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", [411]),
    ("9112 6.3, the same length twice", b"POST /v1/nothing HTTP/1.1\r\n" + H + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", [404]),
    ("9112 9.3, two requests at once", (b"GET /healthz HTTP/1.1\r\n" + H + b"\r\n") * 2, [200, 200]),
    ("9112 9.6, close ends the connection", b"GET /healthz HTTP/1.1\r\n" + H + b"Connection: close\r\n\r\nGET /healthz HTTP/1.1\r\n" + H + b"\r\n", [200]),
    ("9112 9.3, HTTP/1.0 ends after one", b"GET /healthz HTTP/1.0\r\n\r\nGET /healthz HTTP/1.0\r\n\r\n", [200]),
    ("9110 9.3.2, HEAD", b"HEAD /healthz HTTP/1.1\r\n" + H + b"\r\n", [200]),
    ("9110 9.1, a method in small letters is another", b"get /healthz HTTP/1.1\r\n" + H + b"\r\n", [405]),
    ("9110 10.1.1, the content may come", b"POST /v1/crashes HTTP/1.1\r\n" + H + b"Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}", [100, 400]),
    ("9110 10.1.1, refused before the content comes", b"POST /v1/nothing HTTP/1.1\r\n" + H + b"Expect: 100-continue\r\nContent-Length: 2\r\n\r\n", [404]),
    ("9110 15.5.12, no length", b"POST /v1/rounds HTTP/1.1\r\n" + H + b"\r\n", [411]),
    ("9110 15.5.16, another type", b"POST /v1/rounds HTTP/1.1\r\n" + H + b"Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}", [415]),
    ("6585 5, large fields", b"GET /healthz HTTP/1.1\r\n" + H + b"A: " + b"a" * 9000 + b"\r\n\r\n", [431]),
]


def test_http_conformance():
    faults = []
    for name, data, statuses in CONFORMANCE:
        found = spoken(data)
        if [status for status, _, _ in found] != statuses:
            faults.append(f"{name}: found {[status for status, _, _ in found]}, expected {statuses}")
        for status, fields, content in found:
            if status > 100 and "date" not in fields:
                faults.append(f"{name}: no Date (9110 6.6.1)")
            if content and "content-type" not in fields:
                faults.append(f"{name}: no Content-Type (9110 8.3)")
            if status == 405 and "allow" not in fields:
                faults.append(f"{name}: no Allow (9110 15.5.6)")
    (_, head, content), = spoken(b"HEAD /healthz HTTP/1.1\r\n" + H + b"\r\n")
    (_, got, whole), = spoken(b"GET /healthz HTTP/1.1\r\n" + H + b"\r\n")
    for fields in (head, got):  # these differ from answer to answer
        del fields["date"], fields["x-request-id"]
    if content or head != got:
        faults.append(f"9110 9.3.2: HEAD answers {head} and {content!r}, GET {got}")
    (_, tagged, _), = spoken(b"GET /v1/winners?limit=1 HTTP/1.1\r\n" + H + b"\r\n")
    for tag in (tagged["etag"], "W/" + tagged["etag"], f'"other", {tagged["etag"]}', "*"):
        (status, fields, content), = spoken(b"GET /v1/winners?limit=1 HTTP/1.1\r\n" + H + b"If-None-Match: " + tag.encode() + b"\r\n\r\n")
        if (status, content) != (304, b"") or "etag" not in fields:
            faults.append(f"9110 13.1.2: If-None-Match: {tag}: found {status} {fields}")
    assert whole == b"ok\n" and not faults, "\n".join(faults)


# ---- live events -------------------------------------------------------------------------------------------------------------

def test_subscriptions():
    url = place.http("GET", "/v1/config").json["events_url"]
    good = {"subscribe": ["jackpots"]}
    faults = []
    table = [({}, "subscribe"), ({"subscribe": []}, "subscribe"), ({"subscribe": "jackpots"}, "subscribe"), ({"subscribe": ["nothing"]}, "subscribe"), ({"subscribe": [1]}, "subscribe"),
             ({"subscribe": ["jackpots"] * 4}, "subscribe"), ({**good, "unknown": 1}, "message"), ({**good, "token": 1}, "token"), ({**good, "token": "x" * 600}, "token"), ({**good, "game": 1}, "game"), ({**good, "game": "Bewitched"}, "game"), ({**good, "game": "x" * 32}, "game"),
             ({**good, "resume": 1}, "resume"), ({**good, "resume": {"winners": 1}}, "resume"), ({**good, "resume": {"nothing": {"epoch": "a", "offset": "1"}}}, "resume"),
             ({**good, "resume": {"winners": {"epoch": 1, "offset": "1"}}}, "resume"), ("nonsense", "message"), ("[]", "message"), ("", "message"), ("{" * 500, "message"),
             ('{"subscribe":["jackpots"],"subscribe":["winners"]}', "message"), (b"\xff\xff", None)]
    for _ in range(20):  # more than are connected: who was never let in is not counted out
        try:
            Socket(url, good, origin="http://elsewhere.example")
            faults.append("a page of another origin was let in")
        except (AssertionError, ConnectionError):
            pass
    for sent, where in table:
        client = Socket(url, sent)
        event = client.next()
        if where and (event is None or event.get("type") != "error" or event.get("where") != where or not event.get("found") or not event.get("expected")):
            faults.append((sent, event, client.close_code))
        elif event is not None:  # and a right one is still welcome
            client.send(good)
            if client.next()["type"] != "snapshot":
                faults.append((sent, "not forgiven", client.seen))
        client.close()
    for token in (None, "x", place.operator_key(), person.token[:-4] + "AAAA"):
        client = Socket(url, {"subscribe": ["player"], **({"token": token} if token else {})})
        while client.next():
            pass
        if client.close_code != 4001:
            faults.append((token, client.close_code))
        client.close()
    client = Socket(url, {**good, "token": "x" * 5000})
    while client.next():
        pass
    assert client.close_code in (1008, 1009), client.close_code
    client = Socket(url, good)
    assert client.next()["type"] == "snapshot", "the service goes on"
    client.close()
    assert not faults, faults


# ---- messages that cannot be read ---------------------------------------------------------------------------------------------

def metric(name, service):
    return sum(place.metric(instance, name) for instance, in place.sql(f"select name from carillon.instance where service = '{service}' and heartbeat > now() - interval '3 s'"))


def kafka_raw(*arguments, data=b""):
    return subprocess.run([f"{BIN}/kafka-raw", *arguments], input=data.hex().encode(), env={**place.environment, **place.stack}, cwd=place.data, capture_output=True, timeout=120, check=True).stdout.decode()


ENVELOPE_LATER = bytes.fromhex("0a020863")  # schema 99
NO_ENVELOPE = bytes.fromhex("1001")
POISON = (b"", b"\xff" * 16, os.urandom(200), bytes.fromhex("0a02"), ENVELOPE_LATER, NO_ENVELOPE, b"\x0a\x00")
CONSUMERS = {"spin.commands": "spin-engine", "wallet.commands": "wallet", "wallet.facts": "spin-engine", "jackpot.feed": "progressive-pool", "jackpot.commands": "progressive-pool"}

# The bus takes these only where it can read what they are: nobody may send what it cannot tell.
AT_THE_BUS = ("wallet.commands", "jackpot.commands")


def test_bad_messages_on_every_topic():
    for topic, service in CONSUMERS.items():
        before = ledger()
        letters = len(kafka_raw("letters").splitlines())
        counted, refused = eventually("the metrics", lambda s=service: (metric("carillon_dead_letters_total", s), metric("carillon_bus_refused_total", s)), 60)
        restarts = place.restarts()
        sent = [0]

        def send_again(payloads):
            """Now and then: what goes to a service itself may be lost while connections open, and an asker asks again."""
            if time.monotonic() < sent[0] + 5:
                return
            for payload in payloads:
                kafka_raw("send", topic, str(POISON.index(payload) % 4), SENDERS.get(topic, "gateway"), data=payload)
            sent[0] = time.monotonic()

        def fresh():
            rows = [line.split("\t") for line in kafka_raw("letters").splitlines()[letters:]]
            return [row for row in rows if row[0] == topic]

        if topic in AT_THE_BUS:
            eventually(f"refusals of {topic}", lambda: send_again(POISON) or metric("carillon_bus_refused_total", service) >= refused + len(POISON), 20, 0.2)
            assert not fresh(), "it has not come as far as the service"
        else:
            def missing():
                found = {bytes.fromhex(row[4]) for row in fresh()}
                return [payload for payload in POISON if payload not in found]
            eventually(f"dead letters of {topic}", lambda: send_again(missing()) or not missing(), 20, 0.2)
            assert all(len(row[3]) > 10 for row in fresh()), "a letter without a reason"
            eventually("the metric", lambda: metric("carillon_dead_letters_total", service) >= counted + len(POISON), 20)
        assert place.restarts() == restarts, "somebody died of it"
        assert ledger() == before, topic
        force(place, person.name, RULES.stops())
        person.refresh()
        person.bet()


def test_bad_messages_on_fact_topics():
    counted = metric("carillon_notifications_unreadable_total", "notifications")
    for payload in POISON:
        kafka_raw("send", "jackpot.facts", "0", "progressive-pool", data=payload)
    eventually("the metric", lambda: metric("carillon_notifications_unreadable_total", "notifications") >= counted + len(POISON), 5)
    restarts = place.restarts()
    url = place.http("GET", "/v1/config").json["events_url"]
    client = Socket(url, {"subscribe": ["jackpots", "winners"]})
    client.until(lambda e: e["type"] == "snapshot")
    winner = Person(place)
    force(place, winner.name, [*RULES.stops(bonuses=3), 0])
    winner.bet()
    winner.awarded()
    winner.watch()
    paid = winner.round["jackpots"][0]["paid_minor"]
    assert client.until(lambda e: e["type"] == "winner")["paid_minor"] == paid
    client.close()
    assert place.restarts() == restarts


def test_books_balance_after_bad_input():
    place.verify()


# ---- settings and arguments ----------------------------------------------------------------------------------------------------

def help_table(binary):
    """Name -> (type, least, most, required), as the program itself says."""
    text = subprocess.run([binary, "--help"], env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, timeout=60, check=True).stdout
    table = {}
    for name, kind, low, high, rest in re.findall(r"^  ([A-Z_]+)\s+(text|whole number|true or false)(?: (-?\d+)\.\.(-?\d+))?, (.*)$", text, re.M):
        table[name] = (kind, int(low or 0), int(high or 0), rest == "required")
    return table


def test_settings_of_every_service():
    good = {"PATH": os.environ["PATH"], "CARILLON_PG_DSN": "host=127.0.0.1 port=1", "CARILLON_PG_RO_DSN": "host=127.0.0.1 port=1", "CARILLON_REDIS": "127.0.0.1:1", "CARILLON_KAFKA": "127.0.0.1:1"}
    faults, cases = [], 0
    services = [name for name in sorted(os.listdir(BIN)) if name.startswith("carillon-") and name not in ("carillon-supervisor", "carillon-watch")]
    assert len(services) == 7, services
    for service in services:
        table = help_table(f"{BIN}/{service}")
        prefix = service.removeprefix("carillon-").replace("-", "_").upper() + "_"
        given = {**good, **{name: "x" for name, row in table.items() if row[3] and name not in good}}
        tries = [({**given, "CARILLON_NOTHING": "1"}, "CARILLON_NOTHING", "expected"), ({**given, prefix + "NOTHING": "1"}, prefix + "NOTHING", "expected")]
        for name, (kind, least, most, must) in table.items():
            wrong = []
            if kind == "whole number":
                wrong = ["x", "", "1.5", "1x", " 1", str(HUGE), str(least - 1), str(most + 1), "0x10"]
            elif kind == "true or false":
                wrong = ["2", "yes", "", "TRUE"]
            elif kind == "text":
                wrong = ["x" * 5000] + ([""] if must else [])
            tries += [({**given, name: value}, name, "expected") for value in wrong]
            if must:
                tries.append(({k: v for k, v in given.items() if k != name}, name, "expected"))
        for name, value in (("CARILLON_KIND", "real"), ("CARILLON_LOG", "loud"), ("CARILLON_INSTANCE", "a b"), ("CARILLON_INSTANCE", "-x"), ("CARILLON_INSTANCE", "x" * 60), ("CARILLON_NN_URL", "http://x"),
                            ("CARILLON_HEALTH", "nothing"), ("CARILLON_HEALTH", "127.0.0.1:x"), ("CARILLON_HEALTH", "127.0.0.1:99999999")):
            tries.append(({**given, name: value}, name, "found"))
        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(4) as threads:
            ends = list(threads.map(lambda row: subprocess.run([f"{BIN}/{service}"], env=row[0], cwd=folder, capture_output=True, text=True, timeout=60, check=False), tries))
        cases += len(tries)
        for (environment, name, word), done in zip(tries, ends):
            if done.returncode != 2 or name not in done.stderr or word not in done.stderr:
                faults.append(f"{service} {name}={environment.get(name, 'missing')[:40]}: status {done.returncode}: {done.stderr[:200]}")
        done = subprocess.run([f"{BIN}/{service}", "argument"], env=given, capture_output=True, text=True, timeout=60, check=False)
        if done.returncode != 2 or "argument" not in done.stderr:
            faults.append(f"{service} argument: {done.returncode} {done.stderr[:200]}")
    assert not faults, f"{len(faults)} of {cases} cases:\n" + "\n".join(faults[:40])
    print(f"note: {cases} settings refused")


def test_arguments_of_every_program():
    nowhere = "host=127.0.0.1 port=1 connect_timeout=2"
    url = "--url=http://127.0.0.1:1"
    numbers = [(name, value) for name in ("players", "first-player", "seconds", "warm-up", "rounds", "rate", "think-time", "read-back", "coin-minor", "lines", "coins", "gamble", "seed", "operator", "subscribers", "timeout")
               for value in ("", "x", "-1", "1.5", str(HUGE))]
    table = [("jackpotctl", arguments, "expected") for arguments in ((), ("nothing",), ("ledger",), ("ledger", "nothing"), ("ledger", "verify", "more"), ("ledger", "verify", "--nothing"),
                                                                    ("ledger", "verify", "--dsn"), ("ledger", "verify"), ("status",))]
    table += [("jackpotctl", ("ledger", *arguments), "expected") for arguments in (("close-day",), ("close-day", "--now"), ("verify", "--state"), ("verify", "--heads"))]
    table += [("jackpotctl", ("ledger", "verify", "--dsn", nowhere), "Postgres"), ("jackpotctl", ("status", "--dsn", "nonsense"), "Postgres")]
    table += [("players", (url, f"--{name}={value}"), f"--{name}: found") for name, value in numbers]
    table += [("players", arguments, "expected") for arguments in ((), ("--url=ftp://x",), (url, "more"), (url, "--events=nothing"), (url, "--game="), (url, "--currency=" + "x" * 300))]
    table += [("players", (url, "--nothing"), "--nothing"), ("players", (url, "--operator-key=/nowhere"), "/nowhere"), ("players", ("--url",), "missing")]
    table += [("carillon-supervisor", arguments, "") for arguments in ((), ("--nothing",), ("a", "b"), ("--dir=/nowhere/at/all", "x"))]
    table += [("kafka-topics", (f"--{name}={value}",), f"--{name}") for name in ("partitions", "replication", "wait") for value in ("", "x", "0", "-1", "1.5", str(HUGE))]
    table += [("kafka-topics", ("--nothing",), ""), ("kafka-topics", ("--user=nobody",), "--user"), ("kafka-topics", ("--brokers=x:1", "--keys=keys"), "--login"),
              ("kafka-topics", ("--brokers=x:1", "--login=x", "--controller=x:1"), "--controller-login"), ("kafka-topics", ("--brokers=x:1", "--user=wallet"), "--keys"),
              ("kafka-try", (), "usage")]
    table += [("kafka-raw", arguments, "expected") for arguments in ((), ("nothing",), ("send",), ("send", "nothing", "0"), ("send", "dead.letters", "x"), ("send", "dead.letters", "-1"), ("letters", "more"), ("letters",))]
    faults = []
    for name, arguments, text in table:
        done = subprocess.run([f"{BIN}/{name}", *arguments], env={"PATH": os.environ["PATH"]}, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
        if done.returncode != 2 or text not in done.stderr or not done.stderr:
            faults.append(f"{name} {' '.join(arguments)[:80]}: status {done.returncode}: {done.stderr[:200]}")
    assert not faults, f"{len(faults)} of {len(table)} cases:\n" + "\n".join(faults)
    print(f"note: {len(table)} arguments refused")


def test_supervisor_configs():
    lines = ("a", "a :", "a b : c", "a order=x : c", "a order=-1 : c", "a order=100 : c", "a signal=KILL : c", "a grace_ms= : c", "a backoff_ms=1.5 : c", "a nothing=1 : c", "-a : c", "a/b : c",
             "x" * 200 + " : c", "a : \"c", "a : c\na : d", "a X=\"\\n\" : c", "a : " + "x" * 70000, "\0 : c")
    for line in lines:
        with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
            file.write(line + "\n")
            file.flush()
            done = subprocess.run([f"{BIN}/carillon-supervisor", "--check", file.name], capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 1 and "line " in done.stderr and "expected" in done.stderr or "found" in done.stderr, (line[:80], done)


def test_arguments_and_settings_of_the_scripts():
    faults = []
    table = [("run.sh", arguments, {}, text) for arguments, text in (
        (("--nothing",), "--nothing"), (("--seconds=x",), "SECONDS"), (("--seconds=-1",), "SECONDS"), ((f"--seconds={HUGE}",), "SECONDS"), (("--players=0",), "PLAYERS"), (("--players=100001",), "PLAYERS"),
        (("--scale=0",), "SCALE"), (("--scale=17",), "SCALE"), (("--scale=",), "SCALE"), (("--kafka=other",), "KAFKA"))]
    table += [("run.sh", ("--status",), {}, "nothing was ever started"), ("stack.sh", (), {}, "start, stop, status or env"), ("stack.sh", ("nothing",), {}, "nothing"), ("stack.sh", ("status",), {}, "nothing was ever started"),
              ("stack.sh", ("env",), {}, "nothing was ever started"), ("stack.sh", ("start",), {"CARILLON_SHARDS": "0"}, "CARILLON_SHARDS"), ("stack.sh", ("start",), {"CARILLON_SHARDS": "x"}, "CARILLON_SHARDS"),
              ("stack.sh", ("start",), {"CARILLON_SHARDS": "257"}, "CARILLON_SHARDS"), ("stack.sh", ("start",), {"CARILLON_PG_PORT": "x"}, "PG_PORT"), ("stack.sh", ("start",), {"CARILLON_REDIS_PORT": "70000"}, "REDIS_PORT"),
              ("stack.sh", ("start",), {"CARILLON_USERS": "two"}, "found 'two', expected own or one"), ("stack.sh", ("start",), {"CARILLON_UID_BASE": "0"}, "CARILLON_UID_BASE"),
              ("stack.sh", ("start",), {"CARILLON_UID_BASE": "x"}, "CARILLON_UID_BASE"), ("keys.sh", ("containers", "/proc/nothing"), {}, "nothing" if os.getuid() == 0 else "expected root"),
              ("services.sh", ("x",), {}, "SCALE"), ("services.sh", ("1",), {}, "never started"), ("migrate.sh", (), {}, "no address"), ("migrate.sh", (), {"CARILLON_PG_DSN": "x", "CARILLON_KIND": "real"}, "CARILLON_KIND"),
              ("topics.sh", (), {}, "no address"), ("server.sh", ("nothing",), {}, "nothing"), ("setup.sh", ("nothing",), {}, "nothing"), ("test.sh", ("nothing",), {}, "nothing"), ("test.sh", ("fuzz", "x"), {}, "SECONDS"),
              ("web.sh", ("nothing",), {}, "nothing"), ("kafka-jars.sh", ("nothing",), {}, "nothing"), ("bench.sh", ("nothing",), {}, "BENCH"), ("keys.sh", ("nothing",), {}, "nothing"), ("compose-test.sh", ("nothing",), {}, "nothing")]
    for name, arguments, settings, text in table:
        with tempfile.TemporaryDirectory(dir=place.data) as folder:
            environment = {k: v for k, v in place.environment.items() if not k.startswith("CARILLON_") or k == "CARILLON_CACHE"}
            done = subprocess.run([f"{ROOT}/scripts/{name}", *arguments], env={**environment, "CARILLON_DATA": f"{folder}/data" if name != "server.sh" else folder, **settings}, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=60, check=False)
        if done.returncode == 0 or text not in done.stderr + done.stdout or not (done.stderr + done.stdout).strip():
            faults.append(f"{name} {' '.join(arguments)} {settings}: status {done.returncode}: {(done.stdout + done.stderr)[-300:]}")
    for name, value in (("CARILLON_KIND", "live"), ("CARILLON_SHARDS", "5")):
        done = subprocess.run([f"{ROOT}/scripts/{'migrate.sh' if name == 'CARILLON_KIND' else 'stack.sh'}", *(() if name == "CARILLON_KIND" else ("start",))],
                              env={**place.environment, name: value}, capture_output=True, text=True, timeout=60, check=False)
        if done.returncode == 0 or name not in done.stderr:
            faults.append(f"{name}={value} on this installation: {done.returncode} {done.stderr[-300:]}")
    assert not faults, "\n".join(faults)


if __name__ == "__main__":
    with Installation("bad") as place:
        person = Person(place)
        try:
            run(*[f for name, f in list(globals().items()) if name.startswith("test_")])
        except SystemExit as status:
            if status.code:
                raise
