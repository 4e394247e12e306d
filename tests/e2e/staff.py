#!/usr/bin/env python3
"""Users of the operator's side: login, second factor, roles, sessions, locks, four eyes, and the audit log, from outside. The matrix of roles and routes comes
from the description of the interface; what each role may do is written here a second time."""
import base64
import hashlib
import hmac
import json
import os
import re
import socket
import struct
import subprocess
import time

from lib_patience import let_time_pass, time_out
from lib_play import Person, operator
from lib_stack import BIN, eventually, read_text, run
from openapi import ROUTES, Described

place = None
HOUSE = {}  # users by name

# Who may do what, by route: the first row that fits. Everybody may what is their own.
MAY = [(rf"{method} {pattern}", set(roles.split())) for method, pattern, roles in (
    ("GET", "/v1/operator/session", "viewer support finance jackpots administrator"),
    ("POST", "/v1/operator/(logout|confirm|password|totp)", "viewer support finance jackpots administrator"),
    ("(GET|POST)", "/v1/operator/sessions.*", "viewer support finance jackpots administrator"),
    ("(GET|POST)", ".*/user-sessions.*", "administrator"),
    ("GET", "/v1/operator/status", "viewer support finance jackpots administrator"),
    ("GET", "/v1/operator/proof", "viewer support finance jackpots administrator"),
    ("GET", ".*/[0-9]+/(rounds|unfinished/rounds)", "support finance"),
    ("GET", ".*/(audit|ledger|unfinished|postings)", "viewer finance jackpots administrator"),
    ("(GET|POST)", ".*/users.*", "administrator"),
    ("(GET|POST)", ".*/keys.*", "administrator"),
    ("(GET|POST)", ".*/dead-letters.*", "jackpots administrator"),
    ("GET", ".*/webhooks", "viewer support finance jackpots administrator"),
    ("(GET|POST)", ".*/webhooks.*", "administrator"),
    ("POST", ".*/(players|sessions)", ""),
    ("GET", "/v1/operators/1/withdrawals", "finance administrator"),
    ("GET", ".*/players.*", "support finance"),
    ("POST", ".*/(limits|block|bonus-spins.*)", "support"),
    ("POST", ".*/notes", "support finance"),
    ("POST", ".*/(deposits|withdrawals.*|corrections|grants.*|voids.*|pseudonymise.*)", "finance"),
    ("GET", ".*/voids/requests", "finance"),
    ("POST", ".*/amounts/.*", "finance"),
    ("POST", ".*/fx-rates.*", "finance"),
    ("POST", ".*/pools/.*", "jackpots"),
    ("POST", ".*/(offer|games/.*)", "jackpots administrator"),
    ("POST", ".*/gaming-day", "finance"),
    ("GET", ".*/(pools/.*|games|games/.*|offer|fx-rates|approvals|voids|series|reports.*)", "viewer support finance jackpots administrator"),
)]


def answered(ask):
    """The answer; one that says that it cannot be given now is asked for again."""
    return eventually("an answer", lambda: next((a for a in [ask()] if a.status not in (503, 504)), None), 20)


class User:
    def __init__(self, name, password, number=1):
        self.name, self.password, self.number, self.cookie, self.csrf = name, password, number, None, None

    def login(self, password=None, code=None, status=200):
        body = {"operator": self.number, "name": self.name, "password": password or self.password, **({"code": code} if code else {})}
        answer = answered(lambda: place.http("POST", "/v1/operator/login", body))
        assert answer.status == status, answer
        if status == 200:
            text = answer.headers["Set-Cookie"]
            assert "HttpOnly" in text and "SameSite=Strict" in text, text
            self.cookie = text.split(";")[0]
            self.csrf = self.ask("GET", "/v1/operator/session").json["csrf"]
        return answer

    def ask(self, method, path, body=None, key=None, csrf=True):
        headers = {"Cookie": f"other=1; {self.cookie}"}
        if csrf and self.csrf:
            headers["X-CSRF-Token"] = self.csrf
        key = key or (os.urandom(8).hex() if method == "POST" else None)
        return answered(lambda: place.http(method, path, body, key=key, headers=headers))

    def of(self, path, body=None, method="POST", **more):
        return self.ask(method, f"/v1/operators/{self.number}{path}", body, **more)


def jackpotctl(*words, status=0):
    done = subprocess.run([f"{BIN}/jackpotctl", "user", *words], env={**place.environment, **place.stack}, capture_output=True, text=True, timeout=time_out(30), check=False)
    assert done.returncode == status, (words, done)
    return done.stdout


def code_of(secret, step):
    digest = hmac.new(bytes.fromhex(secret), struct.pack(">Q", step), hashlib.sha1).digest()
    at = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[at:at + 4])[0] & 0x7fffffff) % 1000000:06}"


def test_first_administrator():
    printed = jackpotctl("add", "root", "--roles", "administrator")
    first = User("root", printed.split()[-1])
    jackpotctl("add", "root", "--roles", "administrator", status=1)
    jackpotctl("add", "x", "--roles", "king", status=2)
    first.login(password="another password", status=401)
    User("nobody", "some password").login(status=401)
    first.login()
    assert first.of("/users", method="GET").error["code"] == "password_change"  # set by somebody else
    assert first.ask("POST", "/v1/operator/password", {"password": "wrong password", "new_password": "a longer password"}).error["code"] == "password_wrong"
    assert first.ask("POST", "/v1/operator/password", {"password": first.password, "new_password": "short"}).status == 400
    assert first.ask("POST", "/v1/operator/password", {"password": first.password, "new_password": "a longer password"}).status == 200
    first.password = "a longer password"
    assert first.of("/users", method="GET").json["users"][0]["name"] == "root"
    assert "root" in jackpotctl("list")
    assert json.loads(jackpotctl("list", "--json")) == {"users": [{"name": "root", "state": "active", "login": "password", "roles": ["administrator"]}]}
    HOUSE["root"] = first


def test_users_of_each_role():
    for role in ("viewer", "support", "finance", "jackpots", "administrator"):
        answer = HOUSE["root"].of("/users", {"name": f"a-{role}", "roles": role})
        assert answer.status == 200, answer
        user = HOUSE[role] = User(f"a-{role}", answer.json["password"])
        user.login()
        assert user.ask("POST", "/v1/operator/password", {"password": user.password, "new_password": f"password of {role}"}).status == 200
        user.password = f"password of {role}"
        assert user.ask("GET", "/v1/operator/session").json["roles"] == [role]
    assert HOUSE["root"].of("/users", {"name": "a-viewer", "roles": "viewer"}).error["code"] == "user_exists"
    for body in ({"name": "B", "roles": "viewer"}, {"name": ".b", "roles": "viewer"}, {"name": "b", "roles": "viewer,"}, {"name": "b", "roles": ""}, {"name": "b"}, {"name": "b", "roles": "administrator,finance"}):
        assert HOUSE["root"].of("/users", body).status == 400, body


def test_roles_and_routes():
    """Each role at each route: refused for want of a permission, or not for that."""
    cells = 0
    for method, _, route, operation in ROUTES:
        if not operation["security"] or "operator" not in operation["security"][0] or route.endswith("/logout"):
            continue
        path = re.sub(r"\{(\w+)\}", "1", route)
        may = next((roles for pattern, roles in MAY if re.fullmatch(pattern, f"{method} {path}")), None)
        assert may is not None, f"{method} {path}: no row above says who may"
        for role in ("viewer", "support", "finance", "jackpots", "administrator"):
            answer = HOUSE[role].ask(method, path, {} if "requestBody" in operation else None)
            assert (answer.error.get("code") == "not_permitted") == (role not in may), (role, method, path, answer)
            assert answer.status < 500, (role, method, path, answer)
            cells += 1
    print(f"        {cells} cells of role and route")
    assert cells > 150
    answer = place.http("GET", "/v1/operator/session", token=place.operator_key())
    assert answer.error["code"] == "not_permitted", answer  # a key is nobody's session


def denied(*texts):
    """Lines of the log that hold these texts, about requests that somebody may not send."""
    log = read_text(f"{place.data}/log/gateway-1.log")
    return [line for line in log.splitlines() if '"message":"denied: ' in line and all(text in line for text in texts)]


def test_what_nobody_may_is_logged():
    """Each with who, where and what, at most ten a second; the others are counted."""
    for ask, texts in ((lambda: HOUSE["viewer"].of("/players/1/deposits", {"amount_minor": 1, "currency": "EUR"}), ("operator-1 a-viewer from 127.0.0.1 at POST /v1/operators/{}/players/{}/deposits: not_permitted [",)),
                       (lambda: place.http("GET", "/v1/operators/2/players/1/limits", token=place.operator_key()), ("operator-1 key ", " at GET /v1/operators/{}/players/{}/limits: other_operator [")),
                       (lambda: HOUSE["finance"].of("/players/1/deposits", {"amount_minor": 1, "currency": "EUR"}, csrf=False), ("operator-1 a-finance", ": csrf [")),
                       (lambda: place.http("GET", "/v1/operator/session", token=place.operator_key()), ("operator-1 key ", "at GET /v1/operator/session: not_permitted ["))):
        before = len(denied(*texts))
        assert eventually("a line", lambda a=ask, t=texts, b=before: a().status == 403 and len(denied(*t)) > b, 60, pause=1), texts
    request = f"GET /v1/operators/1/users HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {HOUSE['viewer'].cookie}\r\n\r\n".encode()

    def many():
        with socket.create_connection(place.url.split("//")[1].split(":"), timeout=60) as one:
            one.sendall(40 * request)
            one.shutdown(socket.SHUT_WR)
            while one.recv(65536):
                pass
        return denied(" more in the last second")
    eventually("a number", many, 60, pause=0.5)


def test_csrf_and_other_operators():
    finance = HOUSE["finance"]
    for csrf in (False, True):
        good, finance.csrf = finance.csrf, "another" if csrf else finance.csrf
        answer = finance.of("/players/1/deposits", {"amount_minor": 1, "currency": "EUR"}, csrf=csrf)
        finance.csrf = good
        assert answer.error["code"] == "csrf", answer
    assert finance.ask("GET", "/v1/operators/2/players").error["code"] == "other_operator"
    assert place.http("GET", "/v1/operators/1/users", headers={"Cookie": "carillon_staff=abc"}).status == 401
    assert place.http("GET", "/v1/operators/1/users").status == 401


def test_cookie_belongs_to_its_host():
    """By https its name and attributes bind it to the host; another site of the domain cannot set it. On the machine itself there is no https."""
    user = HOUSE["viewer"]
    body, there = {"operator": 1, "name": user.name, "password": user.password}, {"Host": "console.example"}
    text = answered(lambda: place.http("POST", "/v1/operator/login", body, headers=there)).headers["Set-Cookie"]
    assert re.fullmatch("__Host-carillon_staff=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict; Max-Age=[0-9]+; Secure", text), text
    cookie = text.split(";")[0]
    for host, sent, status in (({}, cookie, 401), (there, cookie.removeprefix("__Host-"), 401), (there, user.cookie, 401), (there, cookie, 200)):
        answer = answered(lambda h=host, s=sent: place.http("GET", "/v1/operator/session", headers={"Cookie": s, **h}))
        assert answer.status == status, (host, sent, answer)


def test_money_by_a_user_is_named():
    person = Person(place)
    finance = HOUSE["finance"]
    answer = finance.of(f"/players/{person.number}/deposits", {"amount_minor": 12300, "currency": "EUR", "reason": "by hand"})
    assert answer.status == 200, answer
    eventually("the balance", lambda: HOUSE["support"].of(f"/players/{person.number}", method="GET").json.get("balance_minor", 0) >= 12300, 20)
    found = HOUSE["support"].of(f"/players/{person.number}", method="GET").json
    assert found["player"] == f"1-{person.number}" and found["currency"] == "EUR"
    listed = HOUSE["support"].of(f"/players?number={str(person.number)[:3]}", method="GET").json["players"]
    assert any(one["player"] == f"1-{person.number}" for one in listed)
    assert HOUSE["support"].of("/players/281474976710655", method="GET").error["code"] == "player_unknown"
    actor = json.loads(place.sql(f"select convert_from(record, 'UTF8') from wallet.journal where kind = 20 and amount = 12300 and player = {(1 << 48) + person.number}")[0][0])["actor"]
    assert actor == "operator-1 a-finance", actor
    path = f"/audit?actor=a-finance&action=deposit&subject=1-{person.number}"
    rows = eventually("the line", lambda: HOUSE["viewer"].of(path, method="GET").json["rows"], 20)
    assert rows[0]["status"] == 200 and rows[0]["subject"] == f"1-{person.number}", rows[0]


def test_audit_pages():
    viewer, before, seen = HOUSE["viewer"], "", []
    while True:
        page = viewer.of(f"/audit?limit=7{before}", method="GET").json
        seen += [row["id"] for row in page["rows"]]
        if not page["next"]:
            break
        before = f"&before={page['next']}"
    assert seen == sorted(set(seen), reverse=True) and len(seen) > 14, seen
    assert viewer.of("/audit?action=no+such+action", method="GET").json == {"rows": [], "next": 0, "next_cursor": None}
    for wrong in ("limit=0", "actor=", f"subject={'x' * 200}"):
        assert viewer.of(f"/audit?{wrong}", method="GET").status == 400, wrong
    rows = viewer.of("/audit?action=user+created", method="GET").json["rows"]
    assert rows and all(row["actor"].startswith("operator-1 root from 127.") for row in rows if "a-" in row["subject"]), rows


def test_four_eyes():
    """Of two users one asks and the other one approves; a user and a key are two as well."""
    second = HOUSE["root"].of("/users", {"name": "second", "roles": "jackpots"}).json["password"]
    other = User("second", second)
    other.login()
    other.ask("POST", "/v1/operator/password", {"password": second, "new_password": "password of second"})
    ask = HOUSE["jackpots"].of("/pools/1/actions", {"action": "adjust", "parameters": {"currency": "EUR", "coin_minor": 1, "delta_minor": 1}, "reason": "a test"})
    assert ask.status in (200, 202) and ask.json["status"] == "waiting", ask
    path = f"/pools/1/actions/{ask.json['id']}/approve"
    assert HOUSE["jackpots"].of(path).error["code"] == "same_approver"
    assert other.of(path).status == 200
    row = place.sql("select actor, second from pool.operator_action where actor like '%a-jackpots%'")[-1]
    assert list(row) == ["operator-1 a-jackpots", "operator-1 second"], row


# Argon2id of "password1234".
MUCH_USED = "$argon2id$v=19$m=65536,t=2,p=1$pQSmOV0ZABTwdIudD7S51Q$xIKuWouas/f2nL4neHmD+2o0xf7YlG+Ll5Eh17Q2YU8"


def test_a_much_used_password_is_changed_first():
    """Chosen before it was refused. The change ends the user's other sessions."""
    HOUSE["root"].of("/users", {"name": "weak", "roles": "viewer"})
    place.sql(f"update gateway.staff set password = '{MUCH_USED}', must_change = false where name = 'weak'", writer=True)
    user, elsewhere = User("weak", "password1234"), User("weak", "password1234")
    for one in (elsewhere, user):
        one.login()
    eventually("the question", lambda: user.of("/voids", method="GET").error.get("code") == "password_change", 60)
    for fresh in ("Password1234", "elevenchars", "            ", "x" * 129):
        answer = user.ask("POST", "/v1/operator/password", {"password": user.password, "new_password": fresh})
        assert (answer.status, answer.error["where"]) == (400, "new_password") and fresh not in answer.raw.decode(), answer
    assert user.ask("POST", "/v1/operator/password", {"password": user.password, "new_password": "🦁" * 12}).status == 200
    assert eventually("the right", lambda: user.of("/voids", method="GET").status == 200, 60)
    eventually("the end elsewhere", lambda: elsewhere.of("/voids", method="GET").status == 401, 60)
    user.login(password="🦁" * 12)


def test_confirm():
    finance = HOUSE["finance"]
    place.sql("update gateway.staff_session set confirmed = now() - interval '1 hour' where staff = (select id from gateway.staff where name = 'a-finance')", writer=True)
    body = {"amount_minor": 1, "currency": "EUR", "reason": "x"}
    eventually("the question", lambda: finance.of("/players/1/corrections", body).error.get("code") == "confirm_needed", 20)
    assert finance.of("/players?limit=1", method="GET").status == 200
    assert finance.ask("POST", "/v1/operator/confirm", {"password": "wrong"}).error["code"] == "password_wrong"
    assert finance.ask("POST", "/v1/operator/confirm", {"password": finance.password}).status == 200
    assert finance.of("/players/1/corrections", body).error.get("code") != "confirm_needed"


def test_second_factor():
    user = HOUSE["viewer"]
    offer = user.ask("POST", "/v1/operator/totp", {})
    if offer.error.get("code") == "confirm_needed":
        user.ask("POST", "/v1/operator/confirm", {"password": user.password})
        offer = user.ask("POST", "/v1/operator/totp", {})
    secret = offer.json["secret"]
    assert base64.b32decode(offer.json["base32"]).hex() == secret and offer.json["base32"] in offer.json["uri"]
    step = int(time.time()) // 30
    wrong = next(code for code in map("{:06}".format, range(10)) if code not in [code_of(secret, step + n) for n in range(-3, 10)])
    assert user.ask("POST", "/v1/operator/totp", {"secret": secret, "code": wrong}).status == 400
    codes = user.ask("POST", "/v1/operator/totp", {"secret": secret, "code": code_of(secret, step)}).json["recovery_codes"]
    assert len(codes) == 10 and all(re.fullmatch("[A-HJ-NP-Z2-9]{24}", one) for one in codes), codes
    user.login(status=401)  # the code is asked for
    assert user.login(status=401).error["code"] == "code_needed"
    place.sql("update gateway.staff set locked_until = now() + interval '1 hour' where name = 'a-viewer'", writer=True)
    assert user.login(status=401).error["code"] == "login_locked"  # not a word of whether the password is right
    place.sql("update gateway.staff set locked_until = null where name = 'a-viewer'", writer=True)
    assert user.login(code=code_of(secret, step), status=401).error["code"] == "login_refused"  # used above
    user.login(code=code_of(secret, step + 1))
    user.login(code=code_of(secret, step + 1), status=401)  # a code is good once
    user.login(code=codes[3])
    user.login(code=codes[3], status=401)
    user.login(code=codes[4])


def test_no_user_fills_the_place_of_all():
    viewer = User("crowd", HOUSE["root"].of("/users", {"name": "crowd", "roles": "viewer"}).json["password"])
    for _ in range(9):
        viewer.login()
    assert int(place.sql("select count(*) from gateway.staff_session s join gateway.staff u on u.id = s.staff where u.name = 'crowd' and s.ended is null", writer=True)[0][0]) <= 8
    assert place.sql("select count(*) from gateway.staff")[0][0] == "0"  # whoever may read all does not read passwords


def test_lock():
    user = HOUSE["support"]
    codes = [user.login(password="wrong password", status=401).error["code"] for _ in range(3)]
    assert codes == ["login_refused", "login_refused", "login_locked"], codes
    assert user.login(status=401).error["code"] == "login_locked"
    assert user.of("/players?limit=1", method="GET").status == 200  # who was in stays in: a stranger ends no session
    listed = {one["name"]: one for one in HOUSE["root"].of("/users", method="GET").json["users"]}
    assert listed["a-support"]["locked_until_us"] > time.time() * 1e6
    assert HOUSE["root"].of("/users/a-support", {"action": "enable", "reason": "known by voice"}).status == 200
    user.login()


def test_ends():
    """Logout, disabling, another password, and time end sessions."""
    user, root = HOUSE["support"], HOUSE["root"]
    older = user.cookie
    user.login()
    assert user.ask("POST", "/v1/operator/logout").status == 200
    assert user.of("/players?limit=1", method="GET").status == 401
    user.cookie = older
    assert user.of("/players?limit=1", method="GET").status == 200
    assert root.of("/users/a-support", {"action": "roles", "roles": "viewer,support", "reason": "more"}).json["roles"] == ["viewer", "support"]
    eventually("the role", lambda: user.of("/audit?limit=1", method="GET").status == 200, 20)
    assert root.of("/users/a-support", {"action": "disable", "reason": "left"}).status == 200
    eventually("the end", lambda: user.of("/players?limit=1", method="GET").status == 401, 20)
    user.login(status=401)
    for action in ("disable", "roles", "reset"):
        assert root.of("/users/root", {"action": action, "roles": "viewer", "reason": "x"}).error["code"] == "own_user"
    assert root.of("/users/nobody", {"action": "enable", "reason": "x"}).error["code"] == "user_unknown"
    place.sql("update gateway.staff_session set expires = now() where staff = (select id from gateway.staff where name = 'a-jackpots')", writer=True)
    eventually("the time is over", lambda: HOUSE["jackpots"].ask("GET", "/v1/operator/session").status == 401, 20)
    reset = root.of("/users/a-finance", {"action": "reset", "reason": "forgotten"}).json["password"]
    eventually("the end", lambda: HOUSE["finance"].ask("GET", "/v1/operator/session").status == 401, 20)
    assert User("a-finance", reset).login().status == 200
    assert len(jackpotctl("reset", "root").split()) > 5


def test_a_client_that_has_gone_is_named():
    """The line of the audit log has the user and the request also where the client hangs up before the answer."""
    user, number = HOUSE["administrator"], 7
    user.login()
    for n in range(number):
        body = json.dumps({"action": "end-sessions", "reason": f"gone {n}"}).encode()
        with socket.create_connection(place.url.split("//")[1].split(":")) as one:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            one.sendall((f"POST /v1/operators/1/users/second HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {user.cookie}\r\nX-CSRF-Token: {user.csrf}\r\n"
                         f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n").encode() + body)
            let_time_pass(0.002 * n, "the client leaves at a moment of chance")
    eventually("the lines", lambda: len(place.sql("select 1 from gateway.audit where content->>'reason' like 'gone %' and actor like 'operator-1 a-administrator from 127%'")) == number, 20)


def test_sessions():
    """Each user sees and ends their own sessions; an administrator those of all, with a reason."""
    root = HOUSE["administrator"]
    root.login()
    anna = User("sessions-a", root.of("/users", {"name": "sessions-a", "roles": "viewer"}).json["password"])
    other = User("sessions-b", root.of("/users", {"name": "sessions-b", "roles": "viewer"}).json["password"])
    browsers = []
    for agent in ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "curl/8", "x" * 900):
        body = {"operator": 1, "name": anna.name, "password": anna.password}
        answer = answered(lambda a=agent, b=body: place.http("POST", "/v1/operator/login", b, headers={"User-Agent": a}))
        one = User(anna.name, anna.password)
        one.cookie = answer.headers["Set-Cookie"].split(";")[0]
        one.csrf = one.ask("GET", "/v1/operator/session").json["csrf"]
        browsers.append(one)
    other.login()
    listed = browsers[0].ask("GET", "/v1/operator/sessions").json["sessions"]
    assert len(listed) == 3 and all(row["user"] == anna.name and row["address"].startswith("127.") and row["expires_us"] > time.time() * 1e6 >= row["seen_us"] >= row["began_us"] > 0 for row in listed), listed
    own = {row["agent"][:11]: row for row in listed}
    assert set(own) == {"Mozilla/5.0", "curl/8", "x" * 11} and len(own["x" * 11]["agent"]) == 200, own
    assert [row["current"] for row in listed] == [row["agent"].startswith("Mozilla") for row in listed]
    for id_ in (listed[0]["id"][:15], "none", "ALL"):
        assert browsers[0].ask("POST", f"/v1/operator/sessions/{id_}").status == 400, id_
    others = next(row for row in root.of("/user-sessions", method="GET").json["sessions"] if row["user"] == other.name)
    assert browsers[0].ask("POST", f"/v1/operator/sessions/{others['id']}").error["code"] == "session_unknown"  # somebody else's
    assert browsers[0].ask("POST", f"/v1/operator/sessions/{own['curl/8']['id']}").json == {"ended": 1}
    assert browsers[0].ask("POST", f"/v1/operator/sessions/{own['curl/8']['id']}").status == 404
    eventually("the end", lambda: browsers[1].ask("GET", "/v1/operator/session").status == 401, 20)
    assert browsers[0].ask("POST", "/v1/operator/sessions/others").json == {"ended": 1} and browsers[0].ask("POST", "/v1/operator/sessions/others").json == {"ended": 0}
    eventually("the end", lambda: browsers[2].ask("GET", "/v1/operator/session").status == 401, 20)
    assert browsers[0].ask("GET", "/v1/operator/session").status == 200
    answer = browsers[0].ask("POST", "/v1/operator/sessions/all")
    assert answer.json == {"ended": 1} and "Max-Age=0" in answer.headers["Set-Cookie"], answer
    eventually("the end", lambda: browsers[0].ask("GET", "/v1/operator/session").status == 401, 20)
    assert other.ask("GET", "/v1/operator/session").status == 200
    # The administrator.
    listed = root.of("/user-sessions", method="GET").json["sessions"]
    assert [row["user"] for row in listed if row["current"]] == [root.name] and not [row for row in listed if row["user"] == anna.name], listed
    assert root.of(f"/user-sessions/{others['id']}", {}).status == 400 and root.of("/user-sessions/all", {"reason": "x"}).status == 400
    assert root.of(f"/user-sessions/{others['id']}", {"reason": "a lost laptop"}).json == {"ended": 1}
    assert root.of(f"/user-sessions/{others['id']}", {"reason": "again"}).error["code"] == "session_unknown"
    eventually("the end", lambda: other.ask("GET", "/v1/operator/session").status == 401, 20)
    other.login()
    assert root.of("/user-sessions/others", {"reason": "an incident"}).json["ended"] >= 1
    eventually("the end", lambda: other.ask("GET", "/v1/operator/session").status == 401, 20)
    assert [row["user"] for row in root.of("/user-sessions", method="GET").json["sessions"]] == [root.name]
    lines = place.sql("select actor, action, subject, status, content->>'reason' from gateway.audit where action like 'session%' order by id")
    for line in (["a lost laptop", "session ended", "user sessions-b", "200"], ["an incident", "sessions ended", "all users", "200"]):
        assert any(row[0].startswith(f"operator-1 {root.name} from 127.") and [row[4], *row[1:4]] == line for row in lines), (line, lines)
    assert [row[1:4] for row in lines if row[0].startswith("operator-1 sessions-a from")][-1] == ["sessions ended", "user sessions-a", "200"], lines


def test_another_gateway():
    """A session that begins at one gateway is known at the others at once."""
    place.start(scale=2)
    user = HOUSE["administrator"]
    for _ in range(20):
        user.login()
        assert user.ask("GET", "/v1/operator/session").status == 200
        assert place.http("GET", "/v1/operator/session", headers={"Cookie": user.cookie, "Connection": "close"}).status == 200
    assert operator(place, "/users", None, method="GET").status == 200


def test_a_second_factor_may_be_required():
    user = HOUSE["administrator"]
    place.change("GATEWAY_STAFF_SECOND_FACTOR=1", "gateway-1", "gateway-2")

    def ready():
        try:
            return all(place.http("GET", "/readyz", timeout=2).status == 200 for _ in range(4))
        except OSError:
            return False
    eventually("the gateways", ready, 60)
    user.login()
    assert user.of("/users", method="GET").error["code"] == "factor_needed"
    assert user.ask("GET", "/v1/operator/session").json["second_factor_needed"] is True
    assert operator(place, "/users", None, method="GET").status == 200  # a key is nobody
    secret = user.ask("POST", "/v1/operator/totp", {}).json["secret"]
    assert user.ask("POST", "/v1/operator/totp", {"secret": secret, "code": code_of(secret, int(time.time()) // 30)}).status == 200
    eventually("the right", lambda: user.of("/users", method="GET").status == 200, 60)
    eventually("the other gateway", lambda: user.ask("GET", "/v1/operator/session").json["second_factor_needed"] is False, 60)


if __name__ == "__main__":
    with Described("staff", kafka=False) as place:
        run(*[f for name, f in list(globals().items()) if name.startswith("test_")])
