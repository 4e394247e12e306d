#!/usr/bin/env python3
"""Keys of back ends, from outside: made, listed, replaced and ended by jackpotctl and by route; limited to scopes, to amounts, to pools; ended by time. What a key
may not do is 403 scope_exceeded, has a line in the audit log, and books nothing. What each scope opens is written here a second time."""
import functools
import hashlib
import json
import os
import re
import subprocess
import time

import staff
from lib_play import GAME, RULES, Person, approve, force, operator
from lib_stack import BIN, eventually, run
from openapi import ROUTES, Described

place = None
LOSS = RULES.stops()
KEYS = {}  # text of a key by its name


def jackpotctl(*words, status=0):
    done = subprocess.run([f"{BIN}/jackpotctl", "key", *words], env={**place.environment, **place.stack}, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == status, (words, done)
    return done.stdout if status < 2 else done.stderr


def listed():
    return {key["name"]: key for key in json.loads(jackpotctl("list", "--json"))["keys"]}


def ask(name, path, body=None, method="POST", key=None):
    return operator(place, path, body, key, method, operator_key=KEYS.get(name, name))


def taken(name):
    """All gateways read the keys once a second."""
    eventually(f"the key {name} to be taken", lambda: ask(name, "/fx-rates", method="GET").status == 200, 30)


def refused(name):
    eventually(f"the key {name} to be refused", lambda: ask(name, "/fx-rates", method="GET").status == 401, 30)


def make(name, *limits):
    KEYS[name] = jackpotctl("add", name, *limits).split()[-1]
    assert re.fullmatch("[0-9a-f]{64}", KEYS[name])
    taken(name)


def exceeds(answer, where, found, expected):
    error = answer.error
    assert answer.status == 403 and error["code"] == "scope_exceeded", answer
    assert (error["where"], error["found"], error["expected"]) == (where, found, expected), error


def rows(person):
    return int(place.sql(f"select count(*) from wallet.journal where player = {person.id}")[0][0])


def audited(name, subject, status):
    digits = listed()[name]["id"]
    eventually(f"a line of {name}", lambda: place.sql(
        f"select 1 from gateway.audit where actor like 'operator-1 key {digits} from %' and action = 'scope exceeded' and subject = '{subject}' and status = {status}"), 30)


def test_keys_are_made_listed_and_ended():
    make("till")
    assert jackpotctl("add", "till", status=1) == "the operator has a key till already; nothing was changed\n"
    make("desk", "--read-only", "--amounts", "EUR:50000,SEK:600000", "--pools", "1,2", "--days", "30")
    key = listed()["desk"]
    assert (key["state"], key["read_only"], key["amounts"], key["pools"]) == ("active", True, "EUR:50000,SEK:600000", "1,2") and key["expires"], key
    assert re.search(rf"{key['id']} desk +active +reads only; up to EUR:50000,SEK:600000; pools 1,2;\n +until 20", jackpotctl("list")), jackpotctl("list")
    key = listed()["till"]
    assert (key["read_only"], key["amounts"], key["pools"], key["expires"]) == (False, None, None, None), key
    assert re.search(rf"{key['id']} till +active +no limits;\n", jackpotctl("list"))
    path = f"{place.data}/till.key"
    jackpotctl("add", "in a file", "--key-file", path)
    with open(path, encoding="ascii") as file:
        KEYS["in a file"] = file.read().strip()
    assert os.stat(path).st_mode & 0o777 == 0o600
    taken("in a file")
    assert "--key-file: found" in jackpotctl("add", "another", "--key-file", path, status=2)
    for option, value in (("--amounts", "EUR"), ("--amounts", "QQQ:5"), ("--amounts", "EUR:5,EUR:6"), ("--pools", "0"), ("--pools", "1,"), ("--days", "0"), ("--operator", "0")):
        assert f"{option}: found '{value}', expected " in jackpotctl("add", "wrong", option, value, status=2)
    jackpotctl("end", key["id"])
    refused("till")
    assert listed()["till"]["state"] == "ended"
    jackpotctl("end", key["id"], status=1)
    taken("in a file")
    make("till")  # the name is free again
    found = place.sql("select action, subject, content->>'name' from gateway.audit where actor = 'jackpotctl' and content->>'name' = 'till' order by id")
    assert [row[0] for row in found] == ["key created", "key ended", "key created"] and found[0][1] == f"key {key['id']}", found


@functools.cache
def keeper():
    """The first administrator, whom no key can make."""
    path = f"{place.data}/keeper.password"
    with open(path, "w", encoding="utf8") as file:
        file.write("password of keeper\n")
    subprocess.run([f"{BIN}/jackpotctl", "user", "add", "keeper", "--roles", "administrator", "--password-file", path], env={**place.environment, **place.stack}, timeout=60, check=True,
                   capture_output=True)
    user = staff.User("keeper", "password of keeper")
    user.login()
    return user


def by_route(body, path="", status=200):
    """By an administrator, as the console does."""
    answer = keeper().of(f"/keys{path}", {"reason": "a test", **body})
    assert answer.status == status, (body, answer)
    return answer.json if status == 200 else answer.error


def shown(name):
    return [key for key in operator(place, "/keys", None, method="GET").json["keys"] if key["name"] == name]


def test_keys_by_route():
    """Made, shown once, used, replaced with an overlap, ended later and at once; each with its reason in the audit log."""
    made = by_route({"name": "web shop", "scopes": "read,money", "amounts": "EUR:50000,JPY:7", "days": 30})
    assert re.fullmatch("[0-9a-f]{64}", made["key"]) and made["name"] == "web shop", made
    [key] = shown("web shop")
    assert (key["id"], key["state"], key["scopes"], key["unlimited"], key["amounts"], key["pools"]) == (made["id"], "active", ["read", "money"], False, "EUR:50000,JPY:7", None), key
    assert key["created_by"] == "operator-1 keeper" and not key["in_file"] and not key["ended_us"] and abs(key["expires_us"] / 1e6 - time.time() - 30 * 86400) < 3600, key
    assert made["key"] not in operator(place, "/keys", None, method="GET").raw.decode() and key["used_us"] == 0
    KEYS["web shop"] = made["key"]
    taken("web shop")
    eventually("when it was used", lambda: shown("web shop")[0]["used_us"] > 0, 60)
    [file] = shown("operator-1.key")
    assert file["in_file"] and file["unlimited"] and file["scopes"] == ["read", "players", "money", "pools"], file
    assert by_route({"name": "web shop", "scopes": "all"}, status=409)["code"] == "key_exists"
    # Replaced: both are good, the second has the limits of the first and a month of its own.
    fresh = by_route({"action": "rotate", "keep_s": 3600}, f"/{made['id']}")
    KEYS["fresh"] = fresh["key"]
    taken("fresh")
    taken("web shop")
    pair = {key["id"]: key for key in shown("web shop")}
    old, new = pair[made["id"]], pair[fresh["id"]]
    assert old["successor"] == fresh["id"] and old["expires_us"] / 1e6 < time.time() + 3700 and old["state"] == "active", old
    assert all(new[name] == key[name] for name in ("scopes", "amounts", "pools", "unlimited")) and not new["successor"], new
    assert abs(new["expires_us"] - new["created_us"] - (key["expires_us"] - key["created_us"])) < 1e6, new
    assert by_route({"action": "rotate"}, f"/{made['id']}", 409)["code"] == "key_rotated"
    exceeds(ask("fresh", "/players", {"player": 1, "currency": "EUR"}), "scope", "read,money", "players")
    # Ended: the first at once, the second by time.
    by_route({"action": "revoke"}, f"/{made['id']}")
    refused("web shop")
    by_route({"action": "expire", "keep_s": 0}, f"/{fresh['id']}")
    refused("fresh")
    assert {key["id"]: key["state"] for key in shown("web shop")} == {made["id"]: "ended", fresh["id"]: "expired"}
    for action in ("rotate", "expire", "revoke"):
        assert by_route({"action": action}, f"/{made['id']}", 404)["code"] == "key_unknown"
        assert by_route({"action": action}, f"/{file['id']}", 409)["code"] == "key_in_file"
    lines = [["key created", f"key {made['id']}", "200", "a test"], ["key rotated", f"key {made['id']}", "200", "a test"], ["key ended", f"key {made['id']}", "404", "a test"],
             ["key expires", f"key {fresh['id']}", "200", "a test"]]
    select = "select action, subject, status, content->>'reason' from gateway.audit where actor like 'operator-1 keeper from %' and action like 'key %'"
    eventually("the lines", lambda: all(line in place.sql(select) for line in lines), 30)
    assert made["key"] not in str(place.sql("select content from gateway.audit")) and place.sql(f"select 1 from gateway.audit where content::text like '%{fresh['key']}%'") == []


def test_keys_by_route_that_cannot_be():
    for body in ({"scopes": "read"}, {"name": "", "scopes": "read"}, {"name": "x" * 65, "scopes": "read"}, {"name": "x"}, {"name": "x", "scopes": "king"}, {"name": "x", "scopes": "read,read"},
                 {"name": "x", "scopes": "read,"}, {"name": "x", "scopes": "read", "amounts": "EUR:5"}, {"name": "x", "scopes": "money", "amounts": "EUR"}, {"name": "x", "scopes": "money", "pools": "1"},
                 {"name": "x", "scopes": "pools", "pools": "0"}, {"name": "x", "scopes": "read", "days": 0}, {"name": "x", "scopes": "read", "reason": ""}):
        assert by_route(body, status=400)["code"] in ("field_range", "field_missing"), body
    assert by_route({"action": "end"}, "/00000000", 400) and by_route({"action": "revoke"}, "/0000000", 400) and by_route({"action": "revoke"}, "/00000000", 404)["code"] == "key_unknown"
    free = 20 - len([key for key in operator(place, "/keys", None, method="GET").json["keys"] if key["state"] == "active" and not key["in_file"]])
    many = [by_route({"name": f"many {n}", "scopes": "read"}) for n in range(free)]
    assert by_route({"name": "one more", "scopes": "read"}, status=409)["code"] == "keys_full"
    assert by_route({"action": "rotate"}, f"/{many[0]['id']}", 409)["code"] == "keys_full"
    for one in many:
        by_route({"action": "revoke"}, f"/{one['id']}")


def test_replaced_by_jackpotctl():
    make("nightly", "--scopes", "read,pools", "--pools", "2")
    key = listed()["nightly"]
    assert key["scopes"] == "read,pools" and re.search(rf"{key['id']} nightly +active +scopes read,pools; pools 2;\n", jackpotctl("list")), key
    assert "--scopes: found 'read;pools', expected " in jackpotctl("add", "wrong", "--scopes", "read;pools", status=2)
    told = jackpotctl("rotate", key["id"])
    KEYS["nightly 2"] = re.search("[0-9a-f]{64}", told)[0]
    taken("nightly 2")
    taken("nightly")
    exceeds(ask("nightly 2", "/pools/1/actions", {"action": "pause", "reason": "x"}), "pool", "pool 1", "pool 2")
    assert "replaces" in jackpotctl("rotate", key["id"], status=1) and "no key" in jackpotctl("rotate", "00000000", status=1)
    jackpotctl("end", key["id"])
    refused("nightly")
    assert listed()["nightly"]["state"] == "active"  # the new one is the last of this name
    jackpotctl("end", listed()["nightly"]["id"])


def test_a_key_and_its_successor_are_one_asker():
    """Whoever holds both cannot approve what they asked for."""
    make("pair")
    KEYS["pair 2"] = re.search("[0-9a-f]{64}", jackpotctl("rotate", listed()["pair"]["id"]))[0]
    taken("pair 2")
    KEYS["pair 3"] = re.search("[0-9a-f]{64}", jackpotctl("rotate", hashlib.sha256(KEYS["pair 2"].encode()).hexdigest()[:8]))[0]
    taken("pair 3")
    waits = ask("pair", "/pools/1/actions", {"action": "adjust", "reason": "x", "parameters": {"currency": "EUR", "coin_minor": 1, "delta_minor": 1}})
    assert waits.status == 202, waits
    for name in ("pair", "pair 2", "pair 3"):
        assert approve(place, 1, waits.json["id"], KEYS[name]).error["code"] == "same_approver", name
        refusal = ask(name, f"/pools/1/actions/{waits.json['id']}/refuse", {"reason": "x"})
        assert refusal.error["code"] == "same_approver", refusal
    assert operator(place, f"/pools/1/actions/{waits.json['id']}/refuse", {"reason": "x"}).status == 200


def test_a_key_that_only_reads():
    """It reads every route that keys read, and each other one refuses it before it looks at anything else."""
    make("reader", "--read-only")
    person, n = Person(place), 0
    for path in ("/players?limit=1", f"/players/{person.number}/withdrawals", "/pools/1", "/pools/1/actions", "/audit?limit=1", "/voids", "/users"):
        eventually(path, lambda p=path: ask("reader", p, method="GET").status == 200, 30)
    for method, _, route, operation in ROUTES:
        if method != "POST" or not operation["security"] or "operator" not in operation["security"][0] or route.startswith("/v1/operator/"):
            continue
        path = re.sub(r"\{(\w+)\}", "1", route)
        answer = place.http("POST", path, {} if "requestBody" in operation else None, token=KEYS["reader"], key=os.urandom(8).hex())
        error = answer.error
        assert answer.status == 403 and error["code"] == "scope_exceeded", (route, answer)
        assert (error["where"], error["found"]) in (("scope", "read"), ("Authorization", "users"), ("Authorization", "letters")), (route, error)
        n += 1
    assert n > 20
    audited("reader", "/v1/operators/{}/players/{}/deposits", 403)


# What each scope opens, by route: the first row that fits. "": only a key without limits.
OPENS = [(re.compile(rf"{method} /v1/operators/1{pattern}"), scope) for method, pattern, scope in (
    ("GET", ".*", "read"),
    ("POST", "/(users|user-sessions|keys|webhooks|dead-letters).*", ""),
    ("POST", "/(players|sessions)", "players"),
    ("POST", "/players/1/(limits|block|notes|bonus-spins.*)", "players"),
    ("POST", "/players/1/(deposits|withdrawals.*|corrections|grants.*|voids.*|pseudonymise.*)", "money"),
    ("POST", "/(amounts/.*|fx-rates.*|gaming-day)", "money"),
    ("POST", "/(offer|pools/.*|games/.*)", "pools"),
)]


def test_each_scope_at_each_route():
    """A key of one scope: refused for want of the scope that the refusal names, or not for that."""
    cells = 0
    for scope in ("read", "players", "money", "pools"):
        made = by_route({"name": f"only {scope}", "scopes": scope})
        eventually(f"the key of {scope}", lambda key=made["key"]: place.http("GET", "/v1/operator/status", token=key).status in (200, 403), 60)
        for method, _, route, operation in ROUTES:
            if not operation["security"] or "operator" not in operation["security"][0] or "{operator}" not in route:
                continue
            path = re.sub(r"\{(\w+)\}", "1", route)
            opens = next((name for pattern, name in OPENS if pattern.fullmatch(f"{method} {path}")), None)
            assert opens is not None, f"{method} {path}: no row above says which scope opens it"
            answer = staff.answered(lambda m=method, p=path, o=operation: place.http(m, p, {} if "requestBody" in o else None, token=made["key"], key=os.urandom(8).hex()))
            if opens == scope:
                assert answer.error.get("code") != "scope_exceeded" and answer.status < 500 and answer.status != 401, (scope, method, path, answer)
            elif opens:
                exceeds(answer, "scope", scope, opens)
            else:
                exceeds(answer, "Authorization", "letters" if "/dead-letters/" in path else "users", "a key without limits")
            cells += 1
    print(f"        {cells} cells of scope and route")
    assert cells > 150


def test_bonus_spins_are_money():
    """Who cares for players gives no money away without that scope, too."""
    made = {name: by_route({"name": f"spins {name}", "scopes": scopes, **more}) for name, scopes, more in (("none", "players", {}), ("some", "players,money", {"amounts": "EUR:100"}))}
    for one in made.values():
        eventually("the key", lambda key=one["key"]: ask(key, "/players", {}).status == 400, 30)
    person = Person(place)
    spins = {"game": GAME, "currency": "EUR", "coin_minor": 1, "lines": 15, "coins": 1, "spins": 7, "expires_us": int((time.time() + 3600) * 1e6)}
    exceeds(ask(made["none"]["key"], f"/players/{person.number}/bonus-spins", spins), "scope", "players", "money")
    exceeds(ask(made["some"]["key"], f"/players/{person.number}/bonus-spins", spins), "amount_minor", "105 EUR", "at most 100 EUR")
    assert ask(made["some"]["key"], f"/players/{person.number}/bonus-spins", {**spins, "spins": 6}).status == 200
    assert ask(made["none"]["key"], f"/players/{person.number}/block", {"blocked": False, "reason": "x"}).status == 200


def test_a_key_of_amounts():
    make("cashier", "--amounts", "EUR:5000")
    person = Person(place)
    before = rows(person)
    for what, amount, more in (("deposits", 5001, {}), ("withdrawals", 5001, {}), ("grants", 10**15, {}), ("corrections", 5001, {"reason": "x"}), ("corrections", -5001, {"reason": "x"}),
                               (f"grants/{'00' * 16}/back", 5001, {"reason": "x"})):
        exceeds(ask("cashier", f"/players/{person.number}/{what}", {"amount_minor": amount, "currency": "EUR", **more}), "amount_minor", f"{amount} EUR", "at most 5000 EUR")
    exceeds(ask("cashier", f"/players/{person.number}/deposits", {"amount_minor": 1, "currency": "SEK"}), "amount_minor", "1 SEK", "an amount in EUR")
    spins = {"game": GAME, "currency": "EUR", "coin_minor": 10, "lines": 15, "coins": 2, "spins": 17, "expires_us": int((time.time() + 3600) * 1e6)}
    exceeds(ask("cashier", f"/players/{person.number}/bonus-spins", spins), "amount_minor", "5100 EUR", "at most 5000 EUR")
    exceeds(ask("cashier", f"/players/{person.number}/voids", {"game": GAME, "round": 1, "reason": "x"}), "Authorization", "void", "a key without limits")
    exceeds(ask("cashier", "/fx-rates", {"currency": "SEK", "rate": "0.09"}), "Authorization", "rates", "a key without limits")
    assert rows(person) == before, "a refused request has booked something"
    audited("cashier", f"1-{person.number}", 403)
    deposit = {"amount_minor": 5000, "currency": "EUR"}
    assert ask("cashier", f"/players/{person.number}/deposits", deposit, key="limit-1").status == 200
    assert ask("cashier", f"/players/{person.number}/deposits", {**deposit, "amount_minor": 5001}, key="limit-1").status == 403
    assert ask("cashier", f"/players/{person.number}/corrections", {**deposit, "amount_minor": -5000, "reason": "x"}).status == 200
    assert ask("cashier", f"/players/{person.number}/bonus-spins", {**spins, "spins": 16}).status == 200
    assert rows(person) == before + 3
    # What another key has booked is decided by its amount: here before its age is looked at.
    holds = {amount: person.operator("withdrawals", {"amount_minor": amount, "currency": "EUR"}, status=200).json["id"] for amount in (4910, 5110)}  # the provider is silent
    decision = {"decision": "release", "reason": "x"}
    eventually("the hold", lambda: ask("cashier", f"/players/{person.number}/withdrawals/{holds[5110]}", method="GET").status == 200, 30)
    exceeds(ask("cashier", f"/players/{person.number}/withdrawals/{holds[5110]}/decisions", decision), "amount_minor", "5110 EUR", "at most 5000 EUR")
    assert ask("cashier", f"/players/{person.number}/withdrawals/{holds[4910]}/decisions", decision).error["code"] == "withdrawal_young"


def test_a_key_of_amounts_at_pools():
    act = lambda action, **parameters: ask("cashier", "/pools/1/actions", {"action": action, "reason": "a test", **({"parameters": parameters} if parameters else {})})
    row = {"currency": "EUR", "coin_minor": 1}
    exceeds(act("adjust", **row, delta_minor=5001), "parameters.delta_minor", "5001 EUR", "at most 5000 EUR")
    exceeds(act("adjust", **row, delta_minor=-5001), "parameters.delta_minor", "-5001 EUR", "at most 5000 EUR")
    for action, parameters in (("adjust", {**row, "delta_minor": "1"}), ("retire", {"rest": {"pool": 2}}), ("parameters", {**row, "seed_minor": 1}), ("weights", {"weights": [1, 1, 1, 1]})):
        exceeds(act(action, **parameters), "action", action, "pause, resume, take_part, or adjust with delta_minor")
    asked = act("adjust", **row, delta_minor=5000)
    assert asked.status == 202, asked
    exceeds(ask("cashier", f"/pools/1/actions/{asked.json['id']}/approve"), "action", "approve", "pause, resume, take_part, or adjust with delta_minor")
    assert ask("till", f"/pools/1/actions/{asked.json['id']}/approve").status == 200
    assert act("pause").status == 200 and act("resume").status == 200
    audited("cashier", "pool 1", 403)


def status_pools(key, ready):
    """The pools of the status by number, when every gateway has read them."""
    def asked():
        answer = place.http("GET", "/v1/operator/status", token=key)
        pools = {pool["pool"]: pool for pool in answer.json["pools"]} if answer.status == 200 else {}
        return pools if ready(pools) else None
    return eventually("the books in the status", asked, 60)


def test_a_key_of_pools():
    make("jackpots", "--pools", "2")
    for path, method, body in (("/pools/1", "GET", None), ("/pools/1/actions", "GET", None), ("/pools/1/transfers", "GET", None), ("/pools/1/history", "GET", None), ("/pools/1/forecast", "GET", None), ("/pools/1/actions/00/approve", "POST", None),
                               ("/pools/1/actions", "POST", {"action": "pause", "reason": "a test"})):
        exceeds(ask("jackpots", path, body, method), "pool", "pool 1", "pool 2")
    assert ask("jackpots", "/pools/2/actions", method="GET").status == 200
    exceeds(ask("jackpots", "/pools/2/actions", {"action": "retire", "reason": "a test", "parameters": {"rest": {"pool": 1}}}), "pool", "pool 1", "pool 2")
    exceeds(ask("jackpots", "/pools/2/actions", {"action": "retire", "reason": "a test", "parameters": {"rest": {"pool": 2}, "rows": [{"to": {"pool": 70000}}]}}), "pool", "pool 70000", "pool 2")
    assert not place.sql("select 1 from gateway.pool_request where action = 3"), "a refused action waits"
    assert ask("jackpots", "/pools/2/actions", {"action": "pause", "reason": "a test"}).status == 200
    assert ask("jackpots", "/pools/2/actions", {"action": "resume", "reason": "a test"}).status == 200
    audited("jackpots", "pool 1", 403)
    books, all_books = (status_pools(KEYS[name], lambda pools: any("jp_pool_e27" in pool for pool in pools.values())) for name in ("jackpots", "till"))
    assert len(books) > 1 and books.keys() == all_books.keys() and all("jp_pool_e27" in pool for pool in all_books.values()), (books, all_books)
    for pool, shown in books.items():
        assert shown.keys() == (all_books[pool].keys() if pool == 2 else {"pool", "id", "kind", "status"}), shown
    person = Person(place)
    assert ask("jackpots", f"/players/{person.number}/deposits", {"amount_minor": 10**6, "currency": "EUR"}).status == 200  # it says nothing of money


def test_no_key_makes_users():
    """Whoever holds a key would be a second person by the users that it makes, resets or gives roles."""
    for name in ("jackpots", "cashier"):
        exceeds(ask(name, "/users", {"name": "eve", "roles": "finance"}), "Authorization", "users", "a key without limits")
        assert ask(name, "/users", method="GET").status == 200
    assert keeper().of("/users", {"name": "finn", "roles": "viewer"}).status == 200
    rows_before = place.sql("select name, password, roles from gateway.staff order by name")
    for path, body in (("/users", {"name": "eve", "roles": "viewer"}), ("/users/finn", {"action": "reset", "reason": "a test"}),
                       ("/users/finn", {"action": "roles", "roles": "finance", "reason": "a test"})):
        answer = ask("till", path, body)
        assert answer.status == 403 and answer.error["code"] == "not_permitted" and answer.error["found"] == "the key of a back end", answer
    assert place.sql("select name, password, roles from gateway.staff order by name") == rows_before
    for action in ("disable", "enable", "end-sessions"):
        assert ask("till", "/users/finn", {"action": action, "reason": "a test"}).status == 200
    for subject, action in (("user eve", "user created"), ("user finn", "user reset"), ("user finn", "user roles")):
        eventually("the line", lambda s=subject, a=action: place.sql(f"select 1 from gateway.audit where subject = '{s}' and action = '{a}' and status = 403"), 60)


def test_a_key_ends_by_itself():
    make("guest", "--days", "1")
    place.sql("update gateway.operator_key set expires = now() where note = 'guest'", writer=True)
    refused("guest")
    assert listed()["guest"]["state"] == "expired"


def test_limits_that_cannot_be_read():
    """Such a key is refused, and no other one."""
    for name, limits in (("odd", "QQQ:5"), ("even", "EUR:5")):
        KEYS[name] = f"a key that is {name}, written by hand"
        place.sql("insert into gateway.operator_key (operator, digest, note, amounts) values (1, sha256('" + KEYS[name] + f"'), '{name}', '{limits}')", writer=True)
    taken("even")
    assert ask("odd", "/fx-rates", method="GET").status == 401
    place.sql("update gateway.operator_key set revoked = now() where note in ('odd', 'even')", writer=True)
    refused("even")


def test_play_goes_on():
    person = Person(place, deposit=1000)
    force(place, person.name, LOSS)
    person.bet(coin=1, lines=15, coins=1)
    place.verify()


if __name__ == "__main__":
    with Described("keys") as place:
        staff.place = place
        run(*[f for name, f in list(globals().items()) if name.startswith("test_")])
