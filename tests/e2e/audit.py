#!/usr/bin/env python3
"""The audit log: each change says what was before it, what is after it and the reason; pages by time, answer and text, as JSON and as CSV."""
import csv
import io
import json
import os
import subprocess
import urllib.parse

import staff
from lib_patience import during
from lib_play import SECOND_KEY, Person, good, operator, second_key
from lib_sql import Session
from lib_stack import BIN, Installation, eventually, run

place = None
KEPT = {}
WHY = {"reason": 'because of "this"'}
OLD = 1767225600000000  # 2026-01-01, before all that is written here


def asked(path, body=None, status=200, **more):
    key = os.urandom(8).hex()
    return good(staff.answered(lambda: operator(place, path, body, key, **more)), f"{path} {body}", status).json


def audit(expected=200, **query):
    answer = staff.answered(lambda: place.http("GET", f"/v1/operators/1/audit?{urllib.parse.urlencode(query)}", token=place.operator_key()))
    return good(answer, f"{query}", expected)


def line(action, subject, fits=lambda content: True, **query):
    """The newest line of an action on a subject whose content fits, once it is there: it is written when the answer is known, so the client may have it before."""
    seen = []

    def found():
        seen[:] = [row for row in audit(action=action, subject=subject, limit=500, **query).json["rows"] if (row["action"], row["subject"]) == (action, subject)]
        return next((row for row in seen if fits(row["content"])), None)
    try:
        return eventually(f"the line {action}, {subject}", found, 60)
    except AssertionError as error:
        raise AssertionError(f"{error}; there are {[row['content'] for row in seen]}") from error


def changed(action, subject, before, after, **more):
    """The line of a change that was done says both, and the reason; `more`: other members of it."""
    expected = {"reason": WHY["reason"], **more}

    def fits(content):
        sides = all(all(content.get(side, {}).get(name) == value for name, value in expects.items()) for side, expects in (("before", before), ("after", after)))
        return sides and all(content.get(name) == value for name, value in expected.items())
    return line(action, subject, fits, status="200")["content"]


def test_games():
    asked("/games/bewitched/stop", WHY)
    changed("stop", "game bewitched", {"stopped_by_operator": False}, {"stopped_by_operator": True, "reason": WHY["reason"]})
    asked("/games/bewitched/stop", {"reason": "again"}, 409)
    content = line("stop", "game bewitched", status="409")["content"]
    assert content["before"] == content["after"] and content["before"]["reason"] == WHY["reason"] and content["reason"] == "again", content
    asked("/games/bewitched/start", WHY)
    changed("start", "game bewitched", {"stopped_by_operator": True, "stopped_by_engine": False, "reason": WHY["reason"]}, {"stopped_by_operator": False, "stopped_by_engine": False})


def test_settings():
    """The gaming day, the offer and a rate."""
    asked("/gaming-day", {"zone": "Europe/Stockholm", "start_hour": 6, "from_day": "2099-01-01", **WHY})
    changed("gaming-day", "2099-01-01", {"zone": "UTC", "start_hour": 0}, {"zone": "Europe/Stockholm", "start_hour": 6})
    asked("/gaming-day", {"zone": "Asia/Kathmandu", "start_hour": 5, "from_day": "2099-06-01", **WHY})
    changed("gaming-day", "2099-06-01", {"zone": "Europe/Stockholm", "start_hour": 6}, {"zone": "Asia/Kathmandu", "start_hour": 5})
    asked("/gaming-day", {"zone": "Mars/Olympus", "start_hour": 5, "from_day": "2099-07-01", **WHY}, 400)
    assert "before" not in line("gaming-day", "2099-07-01")["content"]
    asked("/gaming-day", {"zone": "Pacific/Pago_Pago", "start_hour": 0, "from_day": "2099-08-01", **WHY})
    refused = asked("/gaming-day", {"zone": "Pacific/Kiritimati", "start_hour": 0, "from_day": "2099-08-02", **WHY}, 400)
    assert refused["error"]["where"] == "start_hour", refused
    assert line("gaming-day", "2099-08-02")["status"] == 400
    assert place.sql("select count(*) from gateway.gaming_day where valid_from = '2099-08-02'") == [["0"]], "nothing was written"
    asked("/offer", {"currencies": "EUR", **WHY})
    changed("offer", "operator 1", {"currencies": "all", "games": "all"}, {"currencies": "EUR", "games": "all"})
    asked("/offer", {"currencies": "all", **WHY})
    [[before]] = place.sql("select rate_nano from carillon.fx_rate where currency = 752 order by valid_from desc limit 1")
    rate = int(before) + 1000
    asked("/fx-rates", {"currency": "SEK", "rate": f"0.{rate:09d}", **WHY})
    changed("fx-rate", "currency 752", {"rate_nano": int(before)}, {"rate_nano": rate})


def test_pools():
    """Done at once, and by two."""
    asked("/pools/1/actions", {"action": "pause", **WHY})
    content = line("pool: pause", "pool 1", status="200")["content"]
    assert content["reason"] == WHY["reason"] and content["done"] and content["before"] != content["after"], content
    asked("/pools/1/actions", {"action": "resume", **WHY})
    waits = asked("/pools/1/actions", {"action": "adjust", "parameters": {"coin_minor": 1, "currency": "EUR", "delta_minor": 100}, **WHY}, 202)
    content = line("pool: adjust", "pool 1", status="202")["content"]
    assert content["reason"] == WHY["reason"] and content["parameters"]["delta_minor"] == 100 and content["id"] == waits["id"], content
    second_key(place, lambda: operator(place, f"/pools/1/actions/{waits['id']}/refuse", {"reason": "not so"}, operator_key=SECOND_KEY))
    content = line("pool: adjust refusal", "pool 1", status="200")["content"]
    assert content["reason"] == "not so" and content["parameters"]["delta_minor"] == 100, content


def test_webhooks():
    made = asked("/webhooks", {"url": "https://casino.invalid/one", "kinds": "hit", **WHY})["id"]
    subject = f"webhook {made}"
    asked(f"/webhooks/{made}", {"action": "change", "kinds": "hit,game", **WHY})
    changed("webhook changed", subject, {"url": "https://casino.invalid/one", "kinds": "hit"}, {"url": "https://casino.invalid/one", "kinds": "hit,game"})
    asked(f"/webhooks/{made}", {"action": "change", "url": "https://casino.invalid/two", **WHY})
    changed("webhook changed", subject, {"url": "https://casino.invalid/one", "kinds": "hit,game"}, {"url": "https://casino.invalid/two", "kinds": "hit,game"})
    asked(f"/webhooks/{made}", {"action": "rotate", "keep_s": 0, **WHY})
    changed("webhook rotated", subject, {"secret_version": 1}, {"secret_version": 2})
    asked(f"/webhooks/{made}", {"action": "end", **WHY})
    changed("webhook ended", subject, {"state": "active"}, {"state": "ended"})
    asked(f"/webhooks/{made}", {"action": "end", **WHY}, 404)
    assert "before" not in line("webhook ended", subject, status="404")["content"]


def test_keys():
    made = KEPT["root"].of("/keys", {"name": "till", "scopes": "read", "days": 30, **WHY}).json["id"]
    subject, ends = f"key {made}", int(place.sql(f"select (extract(epoch from expires) * 1000000)::bigint from gateway.operator_key where left(encode(digest, 'hex'), 8) = '{made}'")[0][0])
    KEPT["root"].of(f"/keys/{made}", {"action": "rotate", "keep_s": 3600, **WHY})
    content = line("key rotated", subject)["content"]
    assert content["before"] == {"state": "active", "expires_us": ends} and content["after"]["state"] == "active" and content["after"]["expires_us"] < ends, content
    KEPT["root"].of(f"/keys/{made}", {"action": "expire", "keep_s": 1800, **WHY})
    assert changed("key expires", subject, content["after"], {"state": "active"})["after"]["expires_us"] < content["after"]["expires_us"]
    KEPT["root"].of(f"/keys/{made}", {"action": "revoke", **WHY})
    changed("key ended", subject, {"state": "active"}, {"state": "ended"})
    # By jackpotctl, which asks for no reason.
    ids = []
    for words in (("add", "by-hand", "--days", "3"), ("rotate",), ("end",)):
        done = subprocess.run([f"{BIN}/jackpotctl", "key", words[0], *(words[1:] or ids[-1:]), "--json"], env={**place.environment, **place.stack}, timeout=60, check=True, capture_output=True, text=True)
        ids.append(json.loads(done.stdout).get("id", ""))
    content = line("key rotated", f"key {ids[0]}")["content"]
    assert content["successor"] == ids[1] and content["after"]["expires_us"] < content["before"]["expires_us"], content
    content = line("key ended", f"key {ids[1]}")["content"]
    assert content["before"] == {**content["after"], "state": "active"} and content["after"]["state"] == "ended", content


def test_users():
    root = KEPT["root"]
    assert root.of("/users", {"name": "una", "roles": "viewer"}).status == 200
    assert line("user created", "user una")["content"] == {"roles": ["viewer"]}
    for action, did, before, after in (("roles", "user roles", {"roles": ["viewer"]}, {"roles": ["support", "finance"]}), ("disable", "user disabled", {"state": "active"}, {"state": "disabled"}),
                                       ("enable", "user enabled", {"state": "disabled"}, {"state": "active"}),
                                       ("reset", "user reset", {"state": "active", "second_factor": False}, {"state": "active", "second_factor": False, "password": "to be changed"}),
                                       ("end-sessions", "user sessions ended", {"sessions": 0}, {"sessions": 0})):
        good(root.of("/users/una", {"action": action, **({"roles": "support,finance"} if action == "roles" else {}), **WHY}), action)
        changed(did, "user una", before, after)
    place.sql("update gateway.staff set locked_until = now() + interval '1 hour' where name = 'una'", writer=True)
    good(root.of("/users/una", {"action": "enable", **WHY}), "enable")
    changed("user enabled", "user una", {"state": "locked"}, {"state": "active"})
    subprocess.run([f"{BIN}/jackpotctl", "user", "roles", "una", "--roles", "jackpots", "--reason", WHY["reason"]], env={**place.environment, **place.stack}, timeout=60, check=True, capture_output=True)
    assert line("user roles", "user una")["actor"] == "jackpotctl"
    changed("user roles", "user una", {"roles": ["support", "finance"]}, {"roles": ["jackpots"]})


def test_players():
    """A limit, a block and money name their reason; what held before a limit is in the player's journal, not here."""
    person = Person(place)
    own = f"/players/{person.number}"
    asked(f"{own}/limits", {"limit": "loss", "period": "week", "amount_minor": 5000, "currency": "EUR", **WHY})
    content = line("limit", person.name)["content"]
    assert {**content, "after": {**content["after"], "from_us": 0}} == {"limit": "loss", "period": "week", "currency": "EUR", "after": {"amount_minor": 5000, "from_us": 0}, "refusal": 0, **WHY}, content
    asked(f"{own}/deposits", {"amount_minor": 1234, "currency": "EUR", **WHY})
    assert line("deposit", person.name)["content"]["reason"] == WHY["reason"]
    asked(f"{own}/block", {"blocked": True, **WHY})
    assert line("block", person.name)["content"]["reason"] == WHY["reason"]


def planted():
    """Lines of long ago, of which one was written after a later one, as a transaction does that takes its time."""
    for second, status, actor in ((1, 200, "old one"), (3, 403, "old two"), (2, 200, "old one"), (4, 503, "old two"), (5, 202, "old one")):
        place.sql("insert into gateway.audit (time, operator, actor, action, subject, request_id, content, status) values "
                  f"(timestamptz 'epoch' + {OLD + second * 1000000} * interval '1 microsecond', 1, '{actor}', 'planted', 's{second}', 'none', '{{}}', {status})", writer=True)


def subjects(**query):
    return [row["subject"] for row in audit(**query).json["rows"]]


def test_filters():
    planted()
    between = {"from_us": OLD, "to_us": OLD + 10**9}
    for query, expected in (({}, "s5 s4 s3 s2 s1"), ({"from_us": OLD + 2 * 10**6, "to_us": OLD + 4 * 10**6}, "s4 s3 s2"), ({"status": "done"}, "s5 s2 s1"), ({"status": "refused"}, "s4 s3"),
                            ({"status": "403"}, "s3"), ({"status": "404"}, ""), ({"actor": "old two", "status": "503"}, "s4"), ({"subject": "s2"}, "s2"), ({"action": "lante"}, "s5 s4 s3 s2 s1"),
                            ({"from_us": OLD + 5 * 10**6 + 1}, ""), ({"to_us": OLD + 10**6}, "s1")):
        assert subjects(**{**between, **query}) == expected.split(), (query, subjects(**{**between, **query}))
    for limit in (1, 2):
        for query in ({}, {"status": "done"}):
            seen, more = [], {}
            while True:
                page = audit(**between, **query, limit=limit, **more)
                table = list(csv.DictReader(io.StringIO(audit(**between, **query, limit=limit, **more, format="csv").raw.decode())))
                assert [row["subject"] for row in table] == [row["subject"] for row in page.json["rows"]], table
                seen += [row["subject"] for row in page.json["rows"]]
                if page.json["next_cursor"] is None:
                    break
                more = {"cursor": page.json["next_cursor"]}
            assert seen == subjects(**between, **query), (limit, query, seen)
    [newest] = audit(**between, limit=1).json["rows"]
    assert subjects(**between, before=newest["id"]) == ["s4", "s3", "s2", "s1"]
    for wrong in ({"status": "good"}, {"status": "99"}, {"from_us": OLD, "to_us": OLD - 1}, {"from_us": "yesterday"}, {"status": ""}):
        assert audit(400, **wrong).error["code"] == "field_range", wrong
    cursor = audit(**between, limit=1).json["next_cursor"]
    assert audit(400, **{**between, "to_us": OLD + 10**8}, limit=1, cursor=cursor).error["where"] == "cursor"
    out = subprocess.run([f"{BIN}/jackpotctl", "audit", "--from", "2026-01-01T00:00:02", "--to", "2026-01-01T00:00:04", "--status", "refused", "--json"],
                         env={**place.environment, **place.stack, "JACKPOTCTL_GATEWAY": place.url}, timeout=60, check=True, capture_output=True, text=True).stdout
    assert [row["subject"] for row in json.loads(out)["rows"]] == ["s4", "s3"], out


def test_a_locked_table_leaves_no_backends_behind():
    """What the gateway gave up waiting for is cancelled in Postgres, too."""
    backends = lambda: int(place.sql("select count(*) from pg_stat_activity where usename = 'carillon_gateway'")[0][0])  # noqa: E731
    before, most = backends(), 0
    holder = Session(place.stack["CARILLON_PG_DSN"])
    try:
        holder.ask("begin")
        holder.ask("lock table gateway.staff_session in access exclusive mode")
        for _ in during(12, "the table is locked", pause=0.2):
            most = max(most, backends())
    finally:
        holder.end()
    assert most <= before + 4, f"{most} backends of the gateway, {before} before: those of one round of its connections may still be ending"
    eventually("the sessions to be read again", lambda: KEPT["root"].ask("GET", "/v1/operator/sessions").status == 200, 20)


def main():
    global place
    place = Installation("audit", kafka=False)
    with place:
        staff.place = place
        second_key(place)
        printed = subprocess.run([f"{BIN}/jackpotctl", "user", "add", "root", "--roles", "administrator"], env={**place.environment, **place.stack}, timeout=60, check=True,
                                 capture_output=True, text=True).stdout
        KEPT["root"] = staff.User("root", printed.split()[-1])
        KEPT["root"].login()
        good(KEPT["root"].ask("POST", "/v1/operator/password", {"password": KEPT["root"].password, "new_password": "a longer password"}), "a password")
        run(*[test for name, test in list(globals().items()) if name.startswith("test_")])


if __name__ == "__main__":
    main()
