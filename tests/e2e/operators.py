#!/usr/bin/env python3
"""Several operators on one network: none sees or touches what is another's. Operator 1 has players, money, users, webhooks and pools whose names and amounts are
recognisable. Then whoever belongs to operator 2 (its key, a user of each role, a player) asks every route of the description of the interface for them: each is
refused, or answered with nothing of operator 1 in it, and nothing of operator 1 changes."""
import collections
import hashlib
import json
import os
import re
import subprocess
import time
import urllib.request

import staff
from lib_play import RULES, SECOND_KEY, Person, Socket, force, good, operator, second_key
from lib_stack import BIN, ROOT, eventually, read_text, run
from openapi import ROUTES, Described, unlike

place = None
KEY_2 = "a key of the second operator, who is curious"
KEY_3 = "a key of the third operator, who is curious, too"
ROLES = ("viewer", "support", "finance", "jackpots", "administrator")
NUMBER, OTHER_NUMBER, ROUNDS = 7310117, 8420228, 4  # players of operators 1 and 2; how many rounds the first one has played
POOLS = (1, 2, 4)  # operator 2 takes no part in any of these; 2 is a set
STOPPED = "mystery-elves"
OPERATIONS = {(method, route): operation for method, _, route, operation in ROUTES}
SILENT = 10  # the last digits of a withdrawal that the payment stub never settles
WORD = "planted"  # in each text of operator 1
SOON = int(time.time() + 3600) * 10**6

SECRETS = {}  # what no answer to operator 2 may hold: text -> what it is
THINGS = {}  # operator 1's objects, by the name of their parameter in a path
KEYS = {}  # the Idempotency-Keys that operator 1 has used
WHO = {}  # those of operator 2, by name: functions that ask
COUNTS, FAULTS, ASKED = collections.Counter(), [], []
CELLS = collections.defaultdict(set)  # (method, route) -> who has asked for what is another operator's

# Every route of the gateway and of notifications, as their tables have them: (method, path with {} for each parameter).
TABLE = [found for path in ("services/gateway/adapters/routes.c", "services/notifications/main.c")
         for found in re.findall(r'\{ EDGE_(GET|POST),\s*"([^"]+)"', read_text(f"{ROOT}/{path}"))]
# Routes that no cell of the matrix asks, and why nothing of another operator can be had there.
EXEMPT = {
    ("POST", "/v1/operator/logout"): "ends the session that asks, and names nobody",
    ("POST", "/v1/operator/confirm"): "compares the password of whoever asks, and names nobody",
    ("POST", "/v1/operator/password"): "changes the password of whoever asks, and names nobody",
    ("POST", "/v1/operator/totp"): "sets the second factor of whoever asks, and names nobody",
    ("POST", "/v1/crashes"): "counts an error of a page, and names nobody",
    ("POST", "/v1/demo/sessions"): "lets anybody play with play money as operator 1's player, by design; a live installation answers 404 no_demo",
    ("GET", "/v1/events/stream"): "an answer without an end, of the same frames as the WebSocket's: test_events",
}


# ---- what operator 1 has ----

def jackpotctl_user(name, roles, number):
    """A user with a session, who has chosen a password."""
    printed = subprocess.run([f"{BIN}/jackpotctl", "user", "add", name, "--roles", roles, "--operator", str(number)], env={**place.environment, **place.stack},
                             capture_output=True, text=True, timeout=60, check=True).stdout
    user = staff.User(name, printed.split()[-1], number)
    user.login()
    assert user.ask("POST", "/v1/operator/password", {"password": user.password, "new_password": f"password of {name}"}).status == 200
    user.password = f"password of {name}"
    return user


def plant(what, text):
    assert len(str(text)) >= 7, f"{text}: too short to be recognised"
    SECRETS[str(text)] = what


def by_key(path, body, status=200):
    """What operator 1's back end asks for; the key is kept, so that another operator may use it, too."""
    KEYS[path] = (os.urandom(8).hex(), body)
    answer = staff.answered(lambda: operator(place, path, body, KEYS[path][0]))
    if answer.status == 202:  # more than one may book alone
        answer = second_key(place, lambda: operator(place, f"/amounts/{answer.json['id']}/approve", {"reason": WORD}, operator_key=SECOND_KEY))
    return good(answer, path, status).json


def plant_player():
    person = place.one = Person(place, number=NUMBER)
    plant("a player", NUMBER)
    plant("a player's name", person.name)
    own, reason = f"/players/{NUMBER}", f"{WORD} reason of the back end"
    eventually("the account", lambda: operator(place, own, None, method="GET").status == 200, 20)
    by_key(f"{own}/notes", {"text": f"{WORD} note"})
    amounts = iter(range(41737311, 41737391))

    def money():
        amount = next(amounts)
        plant("an amount", amount)
        return {"amount_minor": amount, "currency": "EUR", "reason": reason}
    by_key(f"{own}/deposits", money())
    by_key(f"{own}/corrections", money())
    THINGS["grant"] = by_key(f"{own}/grants", money())["id"]
    hold = {**money(), "amount_minor": 31737300 + SILENT}
    plant("a withdrawal", hold["amount_minor"])
    THINGS["withdrawal"] = by_key(f"{own}/withdrawals", hold)["id"]
    THINGS["amount"] = good(staff.answered(lambda: operator(place, f"{own}/deposits", money())), "an amount that waits", 202).json["id"]
    limit = money()
    by_key(f"{own}/limits", {"limit": "loss", "period": "month", **limit})
    THINGS["spins"] = by_key(f"{own}/bonus-spins", {"game": "bewitched", "currency": "EUR", "coin_minor": 1, "lines": 15, "coins": 1, "spins": 5, "expires_us": SOON, "reason": reason})["id"]
    THINGS["request"] = os.urandom(16).hex()  # to pseudonymise them, as it waits after it was asked for
    place.sql("insert into gateway.pseudonym (operator, id, content, player, reason, status, asked_key, asked_by)"
              f" values (1, '\\x{THINGS['request']}', '\\x{THINGS['request']}', {person.id}, '{reason}', 'waiting', 'x', 'operator-1 {WORD}')", writer=True)
    for kind in ("grant", "withdrawal", "spins", "amount", "request"):
        plant(f"the id of a {kind}", THINGS[kind])


def plant_play():
    person = place.one
    force(place, person.name, *[RULES.stops()] * ROUNDS)
    for _ in range(ROUNDS):
        person.refresh()
        person.bet_through(coin=100, lines=15, coins=3)
    THINGS["round"] = person.told[-1]["round"]
    eventually("a void", lambda: operator(place, f"/players/{NUMBER}/voids", {"game": "bewitched", "round": person.told[0]["round"], "reason": f"{WORD} void"}, "void").status == 200, 20)
    THINGS["letter"] = 1
    THINGS["void"] = os.urandom(16).hex()
    place.sql("insert into gateway.void_request (operator, id, content, player, game, round, reason, awards, status, asked_key, asked_by) values "
              f"(1, '\\x{THINGS['void']}', '\\x00', {(1 << 48) + NUMBER}, 'bewitched', {THINGS['round']}, '{WORD} void', 1, 'waiting', '\\x00', 'operator-1')", writer=True)
    plant("the id of a void that waits", THINGS["void"])
    plant("a balance", eventually("the balance", lambda: person.refresh()["balance_minor"], 20))
    THINGS["day"] = operator(place, "/reports", None, method="GET").json["gaming_day"]["today"]
    eventually("the bets in the report", lambda: ROUNDS in [game["rounds"] for game in report(1)["totals"]], 40)


def report(number):
    return operator(place, f"/reports/life/{THINGS['day']}", None, method="GET", operator_key=KEY_2 if number == 2 else None, number=number).json


def plant_users():
    maude = place.maude = jackpotctl_user(f"{WORD}-maude", "support,finance,jackpots,administrator", 1)
    THINGS["user"] = maude.name
    THINGS["session"] = maude.ask("GET", "/v1/operator/sessions").json["sessions"][0]["id"]
    plant("a user's session", THINGS["session"])
    made = good(maude.of("/webhooks", {"url": f"https://{WORD}.invalid/hook", "kinds": "hit", "reason": f"{WORD} hook"}), "a webhook").json
    THINGS["webhook"] = made["id"]
    plant("a webhook's secret", made["secret"])
    backend = good(maude.of("/keys", {"name": f"{WORD} back end", "scopes": "read", "reason": f"{WORD} key"}), "a key").json
    THINGS["key"] = backend["id"]
    plant("a back end's key", backend["key"])
    plant("the id of a back end's key", backend["id"])
    event = good(maude.of(f"/webhooks/{made['id']}", {"action": "test", "reason": f"{WORD} test"}), "an event").json["event"]
    place.sql(f"update gateway.webhook_delivery set dead = now(), answer = '{WORD} answer'", writer=True)
    plant("an event", event)
    asked = good(maude.of("/fx-rates", {"currency": "NOK", "rate": "0.087531", "reason": f"{WORD} rate"}), "a rate", 202).json
    THINGS["rate"] = asked["id"]
    plant("a rate that waits", "0.087531")
    eventually("a rate", lambda: maude.of("/fx-rates", {"currency": "SEK", "rate": "0.0876", "reason": f"{WORD} rate"}).status == 200, 20)
    adjust = {"action": "adjust", "parameters": {"currency": "EUR", "coin_minor": 20, "delta_minor": 7654321}, "reason": f"{WORD} adjust"}
    THINGS["action"] = good(maude.of("/pools/1/actions", adjust), "an action", 202).json["id"]
    plant("the amount of an action that waits", 7654321)
    for pool, parameters in ((1, {"currency": "EUR", "coin_minor": 20, "seed_minor": 40100}), (2, {"level": "spades", "seed_minor": 1200000}), (4, {"currency": "EUR", "coin_minor": 20, "seed_minor": 40100})):
        eventually("a change", lambda p=pool, q=parameters: maude.of(f"/pools/{p}/actions", {"action": "parameters", "parameters": q, "reason": f"{WORD} terms"}).status in (200, 409), 20)
    good(maude.of("/offer", {"games": "all", "reason": f"{WORD} offer"}), "an offer")
    place.sql(f"insert into engine.stopped_game (game, reason) select number, '{WORD} stop' from carillon.game where id = '{STOPPED}' limit 1", writer=True)


def plant_books():
    """The pools to the last digit, as operator 1 sees them."""
    for pool in (1, 4):
        plant_figures(good(operator(place, f"/pools/{pool}", None, method="GET"), "a pool").json)
    plant_figures(place.http("GET", "/v1/operator/status", token=place.operator_key()).json["pools"])


def plant_figures(value):
    """Exact figures: texts of digits. Those that are whole cents may be public."""
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        plant_figures(one)
    if isinstance(value, dict):
        for name, text in value.items():
            if isinstance(text, str) and re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", text) and len(text.replace(".", "").strip("-0")) >= 5 and len(text) >= 7:
                SECRETS[text] = f"the {name} of a pool"


# ---- operator 2, and what it may not find ----

def found_in(answer, asked):
    """What is operator 1's in an answer, other than what was asked with."""
    text = answer.raw.decode() + "".join(f"\n{name}: {value}" for name, value in answer.headers.items())
    faults = [f"{what}: {secret}" for secret, what in SECRETS.items() if secret not in asked and re.search(rf"(?<![0-9A-Za-z.]){re.escape(secret)}(?![0-9A-Za-z])", text)]
    return faults + ([f"the word {WORD}"] if WORD in text and WORD not in asked else [])


def count(kind, who, method, path, body, may_answer):
    """One cell of the matrix: asks, and looks at the answer."""
    answer = staff.answered(lambda: WHO[who](method, path, body))
    CELLS[method, row_of(method, path)].add(who)
    ASKED.append(f"{path} {json.dumps(body)}")
    found = found_in(answer, "".join(ASKED if path.endswith("/audit") else ASKED[-1:]))  # the log tells operator 2 what it tried itself
    COUNTS[kind, answer.status] += 1
    for wrong, why in ((found, f"holds {found}"), (answer.status >= 500 or answer.status in (400, 422, 429), "says nothing of whose it is"), (answer.status < 400 and not may_answer, "is no refusal")):
        if wrong:
            FAULTS.append(f"{kind}: {who} {method} {path} {body}: {answer!r} {why}")
    return answer


def row_of(method, path):
    """The row of the table that the gateway takes this request by: the first one that fits."""
    bare = path.split("?")[0]
    return next(pattern for verb, pattern in TABLE if verb == method and re.fullmatch(pattern.replace("{}", "[^/]+"), bare))


def rows_of(select, writer=False):
    return place.sql(f"select md5(coalesce(string_agg(t::text, ',' order by t::text), '')), count(*) from ({select}) t", writer=writer)


WATCHED = {
    "accounts": "select player, balance, last_move, last_seq, blocked from wallet.account where player >> 48 = 1", "rows": "select shard, seq, kind from wallet.journal where player >> 48 = 1",
    "limits": "select * from wallet.player_limit where player >> 48 = 1", "grants": "select * from wallet.spin_grant where player >> 48 = 1", "holds": "select * from wallet.hold where player >> 48 = 1",
    "voids": "select * from wallet.void where player >> 48 = 1", "decisions": "select * from gateway.decision", "forced draws": "select * from engine.forced_draw where player >> 48 = 1",
    "requests": "select * from gateway.pool_request where operator = 1", "amounts": "select * from gateway.amount_request where operator = 1", "requests of voids": "select * from gateway.void_request where operator = 1", "actions": "select * from pool.operator_action where actor like 'operator-1%'",
    "actions on sets": "select * from cards.operator_action where actor like 'operator-1%'", "parts": "select * from pool.participation where operator <> 2",
    "parts of sets": "select * from cards.participation where operator <> 2", "odds": "select * from cards.odds", "weights": "select * from cards.weights", "pools": "select pool, state, hits from pool.pool",
    "sets": "select pool, state from cards.card_set", "made": "select * from pool.made", "rates asked for": "select * from gateway.fx_request", "rates": "select * from carillon.fx_rate",
    "starts": "select * from gateway.game_start", "stops": "select * from engine.stopped_game", "days": "select * from gateway.gaming_day where operator = 1",
    "audit": "select * from gateway.audit where operator = 1", "keys": "select operator, digest, note, expires, revoked, scopes, successor from gateway.operator_key where operator = 1", "sessions ended": "select * from gateway.revoked where player >> 48 = 1",
    "players": "select * from gateway.player where player >> 48 = 1", "offer": "select * from gateway.offer where operator = 1",
    "notes": "select * from gateway.note where operator = 1", "pseudonyms": "select * from gateway.pseudonym where operator = 1"}
WATCHED_INSIDE = {
    "users": "select name, password, roles, disabled, locked_until, totp from gateway.staff where operator = 1",
    "sessions": "select s.staff, s.ended from gateway.staff_session s join gateway.staff u on u.id = s.staff where u.operator = 1",
    "webhooks": "select id, url, kinds, version, ended from gateway.webhook where operator = 1",
    "events": "select d.id, d.dead from gateway.webhook_delivery d join gateway.webhook h on h.id = d.webhook where h.operator = 1"}


def watched():
    return {**{name: rows_of(select) for name, select in WATCHED.items()}, **{name: rows_of(select, writer=True) for name, select in WATCHED_INSIDE.items()}}


def watched_of(number):
    """The same of another operator, whose users' own tries are in its audit log."""
    found = {}
    for name, select in {**WATCHED, **WATCHED_INSIDE}.items():
        select = re.sub(r"\boperator <> 2\b", f"operator = {number}", re.sub(r"(player >> 48 = |operator = |operator-)1\b", rf"\g<1>{number}", select))
        found[name] = rows_of(select + (f" and actor not like 'operator-{number} %'" if name == "audit" else ""), writer=name in WATCHED_INSIDE)
    return found


def unchanged(what):
    """The cells so far were right, and changed nothing of operator 1."""
    before, place.before = place.before, watched()
    changed = [name for name, rows in place.before.items() if rows != before[name]]
    faults, FAULTS[:] = FAULTS[:] + [f"after {what}: {changed} of operator 1 changed"] * bool(changed), []
    assert not faults, "\n".join(faults)


def test_what_operator_1_has():
    place.sql(f"insert into gateway.operator_key (operator, digest) values (2, '\\x{hashlib.sha256(KEY_2.encode()).hexdigest()}')", writer=True)
    eventually("the key", lambda: operator(place, "/players", None, method="GET", operator_key=KEY_2, number=2).status == 200, 20)
    for step in (plant_player, plant_play, plant_users):
        step()


def test_operator_2():
    WHO["key"] = lambda method, path, body: place.http(method, path, body, token=KEY_2, key=os.urandom(8).hex() if method == "POST" else None)
    for role in ROLES:
        WHO[role] = jackpotctl_user(f"two-{role}", role, 2).ask
    for path, body, status in (("/players", {"player": OTHER_NUMBER, "currency": "EUR"}, 201), (f"/players/{OTHER_NUMBER}/deposits", {"amount_minor": 100000, "currency": "EUR"}, 200)):
        good(staff.answered(lambda p=path, b=body: operator(place, p, b, operator_key=KEY_2, number=2)), path, status)
    WHO["player"] = lambda method, path, body: place.http(method, path, body, token=token(), key=os.urandom(8).hex() if method == "POST" else None)
    for pool in POOLS:
        body = {"action": "take_part", "parameters": {"takes_part": False}, "reason": "another network"}
        eventually("no part", lambda p=pool, b=body: WHO["key"]("POST", f"/v1/operators/2/pools/{p}/actions", b).status == 200, 20)
    for pool in POOLS:  # the gateway reads it once a second
        eventually("the gateway to know of it", lambda p=pool: WHO["key"]("GET", f"/v1/operators/2/pools/{p}/transfers", None).status == 403, 20)
    plant_books()
    place.before = watched()
    print(f"        {len(SECRETS)} recognisable texts and amounts of operator 1")


def token():
    """A new one each time: a cell may end the session."""
    return good(operator(place, "/sessions", {"player": OTHER_NUMBER}, operator_key=KEY_2, number=2), "a token").json["token"]


# ---- the matrix ----

def body_of(route):
    """A body that the route accepts, about operator 1's objects."""
    reason, money = {"reason": "curiosity"}, {"amount_minor": 100, "currency": "EUR", "reason": "curiosity"}
    bodies = {
        "account": {"player": NUMBER, "currency": "EUR"}, "session": {"player": NUMBER}, "money": money, "correction": money, "back": money, "block": {"blocked": True, **reason}, "reason": reason, "note": {"text": "curiosity"},
        "bonus": {"game": "bewitched", "currency": "EUR", "coin_minor": 1, "lines": 15, "coins": 1, "spins": 5, "expires_us": SOON, **reason}, "void": {"game": "bewitched", "round": THINGS["round"], **reason},
        "offer": {"games": "bewitched", "currencies": "EUR", **reason}, "gaming_day": {"zone": "Europe/Stockholm", "start_hour": 6, "from_day": "2999-01-01", **reason}, "pool_action": {"action": "pause", **reason}, "decision": {"decision": "release", "force": True, **reason},
        "limit": {"limit": "loss", "period": "day", "amount_minor": 1, "currency": "EUR"}, "webhook": {"url": "https://two.invalid/hook", "kinds": "hit", **reason},
        "key": {"name": "newcomer", "scopes": "all", **reason}, "key_action": {"action": "revoke", **reason},
        "webhook_action": {"action": "end", **reason}, "webhook_events": {"event": "all", **reason}, "staff": {"name": "newcomer", "roles": "viewer"}, "staff_action": {"action": "reset", **reason},
        "fx": {"currency": "SEK", "rate": "0.0877", **reason}, "round": {"game": "bewitched", "expect": place.one.expect, "bonus_spin": THINGS["spins"], "nonce": os.urandom(16).hex()},
        "action": {"game": "bewitched", "expect": place.one.expect, "action": "collect"}, "settings": {"game": "bewitched", "expect": place.one.expect, "witch": 1}, "pick": {"pick": 1, "position": 0},
        "own_limit": {"name": "loss", "period": "day", "limit": 100000}, "own_session": {"reality_check_s": 60}, "confirm": {"password": "password of two"},
        "password": {"password": "password of two", "new_password": "password of three"}, "totp": {}}
    content = OPERATIONS[route].get("requestBody", {}).get("content", {})
    names = [media["schema"]["$ref"].rsplit("body_", 1)[1] for media in content.values()]
    assert not set(names) - set(bodies), f"{route}: no body above for {names}"
    return bodies[names[0]] if names else None


def path_of(route, number=1, **change):
    """The path with operator 1's objects; the number is the operator's."""
    things = {"operator": number, "player": NUMBER, "period": "life", "game": STOPPED, "pool": 1, "card": f"{THINGS['round']}-1", **THINGS, **change}
    if "bonus-spins" in route:
        things["grant"] = THINGS["spins"]
    return re.sub(r"\{(\w+)\}", lambda name: str(things[name[1]]), route)


def routes_of(kind):
    found = [(method, route) for method, _, route, operation in ROUTES if kind in (operation["security"] or [{}])[0]]
    assert len(found) > 12, found
    return found


def test_bodies_are_good():
    """A refusal below is for whose it is, and not for a body that nobody may send."""
    for method, _, route, operation in ROUTES:
        if operation["security"] and "requestBody" in operation:
            faults = unlike(operation["requestBody"]["content"]["application/json"]["schema"], body_of((method, route)))
            assert not faults, (method, route, faults)


def test_paths_of_operator_1():
    """Another operator's path is refused whole."""
    for who in ("key", *ROLES):
        for method, route in routes_of("operator"):
            if "{operator}" not in route:
                continue
            answer = count("operator 1's path", who, method, path_of(route), body_of((method, route)), False)
            assert answer.status == 403 and answer.error["code"] == "other_operator", (who, method, route, answer)
        unchanged(f"{who} at operator 1's path")


# What a new object of operator 2 itself answers: there is nothing of operator 1 to ask for.
OWN = {("POST", f"/v1/operators/{{operator}}/{name}") for name in ("players", "sessions", "users", "keys", "webhooks", "gaming-day", "offer")}


def test_objects_of_operator_1():
    """Operator 1's objects under operator 2's own path, and under a player of its own."""
    for who in ("key", *ROLES):
        for method, route in routes_of("operator"):
            if "{operator}" not in route or (method, route) in OWN:
                continue
            body = body_of((method, route))
            for pool in POOLS if "{pool}" in route else POOLS[:1]:
                count("operator 1's objects", who, method, path_of(route, 2, pool=pool), body, method == "GET")
            if "{player}" in route and route.count("{") > 2:
                count("operator 1's objects", who, method, path_of(route, 2, player=OTHER_NUMBER), body, False)
        for path in ("session", "sessions", "status", "proof"):
            count("operator 1's objects", who, "GET", f"/v1/operator/{path}", None, True)
        count("operator 1's objects", who, "POST", f"/v1/operator/sessions/{THINGS['session']}", None, False)
        unchanged(f"{who} with operator 1's objects")


def test_every_operator_at_every_path():
    """Whoever belongs to one operator, at each path of each other one: also those of operator 1, who acts for all on pools, at the paths of the others. The refusal
    is for whose path it is, before roles and confirmations are looked at; nothing of any operator changes."""
    place.sql(f"insert into gateway.operator_key (operator, digest) values (3, '\\x{hashlib.sha256(KEY_3.encode()).hexdigest()}')", writer=True)
    eventually("the key", lambda: operator(place, "/players", None, method="GET", operator_key=KEY_3, number=3).status == 200, 60)
    WHO["key of operator 3"] = lambda method, path, body: place.http(method, path, body, token=KEY_3, key=os.urandom(8).hex() if method == "POST" else None)
    WHO["user of operator 3"] = jackpotctl_user("three-all", ",".join(ROLES[1:]), 3).ask
    WHO["key of operator 1"] = lambda method, path, body: place.http(method, path, body, token=place.operator_key(), key=os.urandom(8).hex() if method == "POST" else None)
    WHO["user of operator 1"] = place.maude.ask
    before = {number: watched_of(number) for number in (2, 3)}
    assert all(before[number][name][0][1] != "0" for number in (2, 3) for name in ("keys", "users", "sessions")), before
    for own, whos in ((1, ("key of operator 1", "user of operator 1")), (2, ("key", *ROLES)), (3, ("key of operator 3", "user of operator 3"))):
        for other in {1, 2, 3} - {own, *([1] if own == 2 else [])}:  # operator 2 at those of operator 1: test_paths_of_operator_1
            for who in whos:
                for method, route in routes_of("operator"):
                    if "{operator}" not in route:
                        continue
                    answer = count(f"operator {own} at paths of operator {other}", who, method, path_of(route, other), body_of((method, route)), False)
                    assert answer.status == 403 and answer.error["code"] == "other_operator", (who, method, route, answer)
        after = {number: watched_of(number) for number in (2, 3)}
        changed = [(number, name) for number in after for name, rows in after[number].items() if rows != before[number][name]]
        assert not changed, f"operator {own} changed something of others: {changed}"
    unchanged("every operator at every path")


def test_routes_without_an_operator():
    """What is open to all, and a login: with each credential of operator 2, and with none."""
    WHO["nobody"] = place.http
    digest = place.http("GET", "/v1/games").json["games"][0]["math_version"]
    login = {"operator": 2, "name": place.maude.name, "password": place.maude.password}
    for who in ("key", *ROLES, "player", "nobody"):
        for path in ("config", "games", f"games/{STOPPED}", f"definitions/{digest}", "jackpots", "winners"):
            count("open to all", who, "GET", f"/v1/{path}", None, True)
        count("open to all", who, "POST", "/v1/payments/calls", {"id": THINGS["withdrawal"]}, True)
    answer = count("a login", "nobody", "POST", "/v1/operator/login", login, False)
    assert answer.status == 401, ("a user of operator 1 is none of operator 2", answer)
    base = place.http("GET", "/v1/config").json["events_url"].replace("ws://", "http://").rsplit("/v1/", 1)[0]
    with urllib.request.urlopen(f"{base}/v1/events/latest?channels=jackpots,winners", timeout=60) as latest:
        text = latest.read().decode()
    assert not [secret for secret in SECRETS if re.search(rf"(?<![0-9A-Za-z.]){re.escape(secret)}(?![0-9A-Za-z])", text)] and WORD not in text, text
    CELLS["GET", "/v1/events/latest"].add("nobody")
    unchanged("what is open to all")


def test_acting_for_operator_1():
    """What may name an operator in its parameters names none but one's own."""
    for pool in POOLS:
        for action, parameters in (("take_part", {"takes_part": False, "operator": 1}), ("take_part", {"takes_part": False, "operator": 0}), ("odds", {"currency": "EUR", "in": 1, "of": 2, "operator": 2}),
                                   ("weights", {"weights": [1, 0, 0, 0], "operator": 2}), ("pause", {}), ("retire", {"rest": {"pool": 4}})):
            answer = WHO["key"]("POST", f"/v1/operators/2/pools/{pool}/actions", {"action": action, "parameters": parameters, "reason": "curiosity"})
            assert answer.status in (400, 403) and not found_in(answer, str(parameters)), (pool, action, answer)
            COUNTS["another operator in parameters", answer.status] += 1
    unchanged("actions in another's name")


def test_a_player_of_operator_2():
    """Operator 1's rounds, card rounds and grants, for a player of another operator."""
    for method, route in routes_of("player"):
        names = "{" in route or route == "/v1/rounds"  # of a round, of a card round, of a grant
        answer = count("player of operator 2", "player", method, path_of(route), body_of((method, route)), not names or (method, route) == ("GET", "/v1/rounds"))
        assert answer.status != 401, (method, route, answer)
    for path in (f"/v1/state?game=bewitched&round={THINGS['round']}&from=0", f"/v1/rounds?before={10**12}", f"/v1/journal?before={10**12}", "/v1/history?kind=money"):
        count("player of operator 2", "player", "GET", path, None, True)
    unchanged("the player")


def test_credentials_of_another_kind():
    """A player's token opens no operator's route, and a key or a session no player's."""
    for method, route in routes_of("operator"):
        for number in (1, 2):
            answer = count("token at operators' routes", "player", method, path_of(route, number), body_of((method, route)), False)
            assert answer.status == 401, (method, route, answer)
    for method, route in routes_of("player"):
        for who in ("key", *ROLES):
            answer = count("key or session at players' routes", who, method, path_of(route), body_of((method, route)), False)
            assert answer.status == 401, (who, method, route, answer)
    unchanged("credentials of another kind")


def test_no_route_is_left_out():
    """Each row of the tables of routes has its cells, or is exempt for the reason that stands beside it: a new route fails here until it has either."""
    described = {(method, re.sub(r"\{\w+\}", "{}", route)): next(iter((operation["security"] or [{}])[0]), "all") for method, _, route, operation in ROUTES}
    needed = {"operator": {"key", *ROLES, "player"}, "player": {"key", *ROLES, "player"}, "all": {"nobody"}}
    assert len(TABLE) > 90 and len(TABLE) == len(set(TABLE)), len(TABLE)
    assert not set(EXEMPT) - set(TABLE), f"exempt, and no route: {set(EXEMPT) - set(TABLE)}"
    left = []
    for row in TABLE:
        kind = described.get(row, "all")
        missing = needed[kind] - CELLS[row]
        if missing and row not in EXEMPT:
            left.append(f"{' '.join(row)} ({kind}) was not asked by {sorted(missing)}")
        if not missing and row in EXEMPT:
            left.append(f"{' '.join(row)} is exempt and was asked")
    assert not left, "\n".join(left)
    for row, why in EXEMPT.items():
        print(f"        exempt: {' '.join(row)}: {why}")


def test_the_same_idempotency_key():
    """A key that operator 1 has used is a new one of operator 2: no answer of operator 1 comes back."""
    for path, (key, body) in KEYS.items():
        if path.endswith(("/limits", "/withdrawals", "/bonus-spins", "/notes")):
            continue
        own = {**body, "amount_minor": 100, "reason": "mine"}
        answer = good(operator(place, path.replace(str(NUMBER), str(OTHER_NUMBER)), own, key, operator_key=KEY_2, number=2), path)
        assert not found_in(answer, ""), (path, answer)
        COUNTS["operator 1's Idempotency-Keys", answer.status] += 1
    unchanged("the same keys")


def test_events():
    """Operator 2's player hears of public events and of their own alone."""
    client = Socket(place.http("GET", "/v1/config").json["events_url"], {"subscribe": ["jackpots", "winners", "player"], "token": token(), "game": "bewitched"})
    client.until(lambda event: event["type"] == "snapshot" and event["channel"] == "jackpots")
    place.one.deposit(43737377)
    plant("a deposit", 43737377)
    good(operator(place, f"/players/{OTHER_NUMBER}/deposits", {"amount_minor": 77, "currency": "EUR"}, operator_key=KEY_2, number=2), "a deposit")
    client.until(lambda event: event["type"] == "balance" and event["balance_minor"] % 100 == 77)
    texts = json.dumps(client.seen)
    client.close()
    assert not [secret for secret in SECRETS if re.search(rf"(?<![0-9A-Za-z.]){re.escape(secret)}(?![0-9A-Za-z])", texts)] and WORD not in texts, texts
    place.before = watched()


def of_two(path, method="GET", body=None, status=200):
    return good(staff.answered(lambda: WHO["key"](method, f"/v1/operators/2{path}", body)), path, status).json


def status_of(ask):
    return good(staff.answered(ask), "the status").json


def test_status_of_services_alone():
    """Whoever does not act on pools sees that the services run, and no figure of everybody's play."""
    two, one = (status_of(lambda key=key: place.http("GET", "/v1/operator/status", token=key)) for key in (KEY_2, place.operator_key()))
    assert two.keys() == one.keys() - {"players", "players_estimated"} and {name for shard in two["journal"] for name in shard} == {"shard", "age_ms"}, two
    assert len(two["shards"]) == len(one["shards"]) and two["shards"][0].keys() == one["shards"][0].keys() - {"offset_1", "seq_1", "offset_2", "seq_2"}, two["shards"][0]
    assert [i["name"] for i in two["instances"]] == [i["name"] for i in one["instances"]]
    shown = eventually("reconciliation", lambda: status_of(lambda: place.http("GET", "/v1/operator/status", token=KEY_2))["reconciliation"], 20)
    whole = status_of(lambda: place.http("GET", "/v1/operator/status", token=place.operator_key()))["reconciliation"]
    assert shown["holds"] and shown.keys() == whole.keys() - {"claims_open", "hits_paid"}, (shown, whole)
    assert [pool.keys() for pool in two["pools"] if pool["pool"] in POOLS] == [{"pool", "id", "kind", "status"}] * len(POOLS), two["pools"]
    assert all("jp_pool_e27" in pool for pool in one["pools"])


def test_the_audit_log_is_ones_own():
    for row in of_two("/audit?limit=500")["rows"]:
        assert (row["actor"].startswith("operator-2 ") or row["actor"] == "jackpotctl" and row["subject"].startswith("user two-")) and WORD not in json.dumps(row["content"]), row


def test_nothing_was_played():
    """What operator 2 has in sums is its own: nothing."""
    assert of_two("/voids")["voids"] == [] and of_two("/series?step=hour")["points"] == []
    one, two = report(1), report(2)
    assert two["hits"] == two["large_wins"] == two["unfinished"] == [], two
    assert not any(row[name] for row in two["totals"] + two["games"] for name in ("rounds", "stakes_minor", "wins_minor", "jackpots", "voids")), two
    assert [row["rounds"] for row in one["totals"]] == [ROUNDS] and one["adjustments"] != [], one


def test_pools_without_and_with_a_part():
    for pool in (1, 4):
        assert of_two(f"/pools/{pool}", status=403)["error"]["code"] == of_two(f"/pools/{pool}/transfers", status=403)["error"]["code"] == "no_part"
        assert of_two(f"/pools/{pool}/forecast", status=403)["error"]["code"] == "no_part"
        assert not any("player" in hit for hit in of_two(f"/pools/{pool}/history")["hits"])
    for pool in POOLS:
        assert [(a["action"], a["actor"].split(" ")[0]) for a in of_two(f"/pools/{pool}/actions")["actions"]] == [("take_part", "operator-2")], pool
    assert of_two("/pools/999", status=404)["error"]["code"] == "pool_unknown"
    assert {pool["pool"] for pool in place.http("GET", "/v1/jackpots").json["pools"]} >= set(POOLS), "what all may see"
    for pool in POOLS:
        of_two(f"/pools/{pool}/actions", "POST", {"action": "take_part", "parameters": {"takes_part": True}, "reason": "the same network"})
    eventually("a part", lambda: WHO["key"]("GET", "/v1/operators/2/pools/1", None).status == 200, 20)
    assert of_two("/pools/1")["books"] == good(operator(place, "/pools/1", None, method="GET"), "a pool").json["books"], "who takes part sees the books"
    of_two("/pools/1/transfers")
    of_two("/pools/1/forecast")
    for pool in POOLS:
        actions = eventually("what others did", lambda p=pool: [a for a in of_two(f"/pools/{p}/actions")["actions"] if a["action"] == "parameters"], 20)
        assert [(a["actor"], a["second"], a["reason"], a["status"]) for a in actions] == [("operator-1", "", "", "done")], actions
        assert WORD not in str(of_two(f"/pools/{pool}/actions")) and "7654321" not in str(of_two(f"/pools/{pool}/actions")), "who it was, and why, and what waits, is operator 1's"
    books = eventually("the books", lambda: [p for p in status_of(lambda: place.http("GET", "/v1/operator/status", token=KEY_2))["pools"] if p["pool"] == 2 and "jp_pool_e27" in p], 20)
    assert books, "of a set, too"


def test_rates_without_names():
    """The rates are everybody's; who set them, and what waits, is not."""
    rates = of_two("/fx-rates")
    assert rates["waiting"] == [] and "operator-1" in {rate["asked_by"] for rate in rates["rates"]} and WORD not in str(rates), rates
    mine = good(operator(place, "/fx-rates", None, method="GET"), "rates").json
    assert [one["rate"] for one in mine["waiting"]] == ["0.087531"] and f"operator-1 {WORD}-maude" in str(mine["rates"]), mine


def test_a_stopped_game():
    """It is stopped for all, so those who act for all start it again."""
    for who in ("key", "administrator", "jackpots"):
        for game in (STOPPED, "all"):
            answer = WHO[who]("POST", f"/v1/operators/2/games/{game}/start", {"reason": "curiosity"})
            assert answer.status == 403 and answer.error["code"] == "not_pool_operator", (who, game, answer)
    assert operator(place, f"/games/{STOPPED}/start", {"reason": "it was looked into"}).status == 200


def test_a_jackpot_is_not_taken_back():
    """Its money is that of all, so only those who act for all name it in a void or approve one that does."""
    voids = f"/v1/operators/2/players/{NUMBER}/voids"
    for path, body in ((voids, {"game": "bewitched", "round": 1, "reason": "curiosity", "award": True}), (f"{voids}/{'00' * 16}/approve", None)):
        answer = WHO["key"]("POST", path, body)
        assert answer.status == 403 and answer.error["code"] == "not_pool_operator", (path, answer)


def stops(number=1):
    """game -> its stop, as an operator is told."""
    answer = good(staff.answered(lambda: operator(place, "/games", None, method="GET", operator_key=KEY_2 if number == 2 else None, number=number)), "the stops")
    return {stop["game"]: stop for stop in answer.json["stopped"]}


def takes_bets(person):
    """None: it cannot be said yet."""
    person.refresh()
    answer = place.http("POST", "/v1/rounds", person.bet_body(), token=person.token, key=os.urandom(8).hex())
    if answer.status == 200 or answer.error["code"] == "game_stopped":
        return answer.status == 200
    assert answer.error["code"] in ("blocked", "no_owner", "no_answer", "not_available"), answer  # blocked: the wallet has read the stop before the engine
    return None


def test_an_operator_stops_a_game():
    """For all, with a reason: bets are refused and open rounds finished, until it is started again."""
    open_, other = Person(place, deposit=10000), Person(place, deposit=10000)
    force(place, open_.name, [*RULES.stops(bonuses=3), 0])
    force(place, other.name, *[RULES.stops()] * 900)
    open_.bet_through(coin=1, lines=15, coins=1)
    assert open_.round["next"] == "pick", open_.round
    for who in ("key", "administrator", "jackpots"):
        answer = WHO[who]("POST", "/v1/operators/2/games/bewitched/stop", {"reason": "curiosity"})
        assert answer.status == 403 and answer.error["code"] == "not_pool_operator", (who, answer)
    assert takes_bets(other) and stops() == {}
    for game in ("bewitched", "all"):
        reason = {"reason": "it is looked into"}
        assert staff.answered(lambda g=game: operator(place, f"/games/{g}/stop", reason)).json == {"game": game, "stopped": True}
        assert operator(place, f"/games/{game}/stop", reason).error["code"] == "stopped_already"
        mine, theirs = eventually("the list", lambda g=game: stops().get(g), 60), stops(2)[game]
        assert (mine["by"], mine["reason"], mine["actor"]) == ("operator", "it is looked into", "operator-1") and mine["since_us"] == theirs["since_us"], mine
        assert (theirs["by"], theirs["reason"], theirs["actor"]) == ("operator", "", ""), theirs
        eventually("the stop", lambda: takes_bets(other) is False, 60)
        step = open_.round["next"]
        open_.act(step, choice=len(open_.round["picked"]) // 2 if step == "pick" else None)
        assert operator(place, f"/games/{game}/start", {"reason": "it was looked into"}).json == {"game": game, "was": "it is looked into"}
        assert operator(place, f"/games/{game}/start", {"reason": "again"}).error["code"] == "not_stopped"
        eventually("play", lambda: takes_bets(other), 60)
    lines = place.sql("select action, status, content->>'reason' from gateway.audit where subject = 'game bewitched' and action in ('stop', 'start') and operator = 1 order by id")
    assert lines == [["stop", "200", "it is looked into"], ["stop", "409", "it is looked into"], ["start", "200", "it was looked into"], ["start", "409", "again"]], lines
    assert operator(place, "/games/nothing-here/stop", {"reason": "x"}).status == 404 and operator(place, "/games/bewitched/stop", {}).status == 400


def test_jackpotctl_stops_a_game():
    def ctl(*words, status=0):
        done = subprocess.run([f"{BIN}/jackpotctl", "game", *words], env={**place.environment, **place.stack}, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == status, (words, done)
        return done.stdout
    assert ctl("list") == "no game is stopped\n"
    assert ctl("stop", "bewitched", "--reason", "by hand") == "bewitched is stopped; open rounds can be finished\n"
    ctl("stop", "bewitched", "--reason", "again", status=1)
    ctl("stop", "nothing-here", "--reason", "x", status=1)
    ctl("stop", "bewitched", status=2)
    assert "bewitched is stopped by the operator since 20" in ctl("list", status=1)
    assert json.loads(ctl("list", "--json", status=1))["stopped"][0]["reason"] == "by hand"
    assert eventually("the list", lambda: stops().get("bewitched"), 60)["actor"] == "jackpotctl"
    assert ctl("start", "bewitched", "--reason", "done") == "bewitched takes bets again; it was stopped: by hand\n"
    ctl("start", "bewitched", "--reason", "again", status=1)
    assert ctl("list") == "no game is stopped\n"


if __name__ == "__main__":
    with Described("operators") as place:
        staff.place = place
        try:
            run(*[test for name, test in list(globals().items()) if name.startswith("test_")])
        finally:
            for kind in dict.fromkeys(kind for kind, _ in COUNTS):
                statuses = {status: n for (one, status), n in sorted(COUNTS.items()) if one == kind}
                print(f"note: {kind}: {sum(statuses.values())} cells: {', '.join(f'{n} with {status}' for status, n in statuses.items())}")
            refused = sum(n for (_, status), n in COUNTS.items() if status >= 400)
            print(f"note: {sum(COUNTS.values())} cells, {refused} refused, the others answered with nothing of operator 1")
