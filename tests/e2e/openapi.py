#!/usr/bin/env python3
"""The answers of a running installation against the description of the interface (services/gateway/openapi.py, services/notifications/asyncapi.py): every
answer to this test, good or bad, has the shape that its route promises, and no route but those named below goes without a good one."""
import glob
import json
import os
import re
import subprocess
import sys
import time

import jsonschema

from lib_play import GAME, RULES, SECOND_KEY, Person, Socket, force, operator, pool_action, second_key
from lib_stack import ROOT, Installation, eventually, run


def printed(path):
    return json.loads(subprocess.run([sys.executable, f"{ROOT}/{path}"], capture_output=True, text=True, check=True).stdout)


HTTP, SOCKET = printed("services/gateway/openapi.py"), printed("services/notifications/asyncapi.py")
FRAMES = json.loads(json.dumps([message["payload"] for message in SOCKET["components"]["messages"].values()]).replace("openapi.json#", "#"))
ROUTES = [(method.upper(), re.compile(re.sub(r"\{[^}]*\}", "[^/]+", path)), path, operation) for path, methods in HTTP["paths"].items() for method, operation in methods.items()]
# Good answers of these take more than one test can do beside others: approvals.py, cards.py, cash.py, dead_letters.py, definitions.py, keys.py, staff.py and
# webhooks.py ask for them.
ELSEWHERE = {("GET", "/v1/cards/{card}"), ("POST", "/v1/cards/{card}/picks"), ("GET", "/v1/events/stream"), ("GET", "/v1/events/latest"), ("POST", "/v1/operators/{operator}/games/{game}/start"), ("POST", "/v1/operators/{operator}/games/{game}/stop"),
             ("POST", "/v1/operators/{operator}/players/{player}/withdrawals/{withdrawal}/decisions"),
             ("POST", "/v1/operators/{operator}/players/{player}/withdrawals/{withdrawal}/approve")} | {
    (method, path) for method, _, path, _ in ROUTES if re.search(r"/v1/operator/(?!status)|/users|/user-sessions|/keys|/webhooks/|/webhooks$|/audit|/players/\{player\}$|/operators/\{operator\}/players$|/amounts/|/refuse$|/dead-letters/", path)}


def unlike(schema, value):
    """Why a value is not of that schema, or nothing. References are into the HTTP document, from either."""
    validator = jsonschema.Draft202012Validator({"components": HTTP["components"], **schema})
    return [f"{'.'.join(str(p) for p in error.absolute_path)}: {error.message[:200]}" for error in validator.iter_errors(value)]


class Described(Installation):
    """Each answer is compared with what its route promises."""

    def __init__(self, name, **more):
        super().__init__(name, **more)
        self.answered = set()

    def http(self, method, path, *rest, **more):
        answer = super().http(method, path, *rest, **more)
        bare = path.split("?")[0]
        found = [(route, operation) for verb, pattern, route, operation in ROUTES if verb == method and pattern.fullmatch(bare)]
        if found and answer.status != 304:
            route, operation = found[0]
            self.compare(f"{method} {path}", operation["responses"], answer)
            if answer.status < 300:
                self.answered.add((method, route))
        elif answer.status >= 400:
            self.compare(f"{method} {path}", {"default": {"$ref": "#/components/responses/Problem"}}, answer)
        return answer

    @staticmethod
    def compare(asked, responses, answer):
        promised = responses.get(str(answer.status))
        assert promised or answer.status >= 400, f"{asked}: {answer.status} is not described"
        content = (promised or HTTP["components"]["responses"]["Problem"])["content"]
        media = answer.headers["Content-Type"].split(";")[0]
        if media == "text/plain" and asked.startswith("GET /readyz"):
            return
        assert media in content, f"{asked}: {answer.status} is {media}, described as {sorted(content)}"
        if media.endswith("json"):
            faults = unlike(content[media]["schema"], answer.json)
            assert not faults, f"{asked}: {answer.status} {answer.raw[:600]!r}: {faults[:5]}"
        if answer.status >= 400:
            body = answer.json
            assert body["status"] == answer.status and body["type"] == f"/docs/#error-{body['error']['code']}" and body["detail"] == body["error"]["message"], body
            assert [row for row in HTTP["x-problems"] if row["code"] == body["error"]["code"] and answer.status in row["statuses"]], \
                f"{asked}: code {body['error']['code']} with {answer.status} is not listed"


def test_what_is_open_to_all():
    for path in ("/v1/config", "/v1/games", "/v1/jackpots", "/v1/winners?limit=5", "/healthz", "/readyz"):
        assert place.http("GET", path).status == 200, path
    assert place.http("GET", "/metrics").status == 404, "metrics are on the inside port alone"
    assert "carillon_http_requests_total" in place.metrics("gateway-1")
    place.answered.add(("GET", "/metrics"))
    for game in place.http("GET", "/v1/games").json["games"]:
        assert place.http("GET", f"/v1/games/{game['id']}").status == 200
        assert place.http("GET", f"/v1/definitions/{game['math_version']}").status == 200
    assert place.http("GET", f"/v1/definitions/{'00' * 32}").status == 404
    assert place.http("GET", "/v1/games/none").status == 404
    assert place.http("POST", "/v1/payments/calls", {"id": "00" * 16}).status in (200, 404)
    crash = {"page": "player", "kind": "TypeError", "file": "operator/reports.js", "line": 33, "column": 14}
    assert place.http("POST", "/v1/crashes", crash).status == 200
    for wrong in ({"page": "other"}, {"kind": "of a person: 17"}, {"file": "https://elsewhere"}, {"line": -1}, {"message": "what somebody typed"}):
        assert place.http("POST", "/v1/crashes", {**crash, **wrong}).status == 400, wrong


def test_play():
    games = [os.path.basename(os.path.dirname(path)) for path in glob.glob(f"{ROOT}/services/spin-engine/games/*/definition.json")]
    for game in games:
        person = Person(place, game=game, deposit=10000000)
        rules = place.http("GET", f"/v1/games/{game}").json
        coin = next(c for c in rules["currencies"] if c["currency"] == "EUR")["coins_minor"][0]
        for _ in range(12):
            person.bet(coin=coin, lines=rules["lines_max"], coins=rules["coins_max"])
            person.watch()
            if person.round and person.round["next"] == "gamble":
                person.act("gamble", choice=0)
            if person.state.get("cards"):
                break
        round_ = person.told[0]["round"]
        person.refresh()
        for path in ("/v1/rounds?limit=5", f"/v1/rounds/{round_}", "/v1/journal?limit=20", "/v1/history?limit=20", "/v1/history?kind=money", "/v1/cards", f"/v1/state?game={game}&round={round_}&from=0"):
            assert place.http("GET", path, token=person.token).status == 200, path


def test_settings_and_refusals():
    person = Person(place, deposit=100000)
    for path in ("/v1/journal", "/v1/rounds", "/v1/history"):  # a row that is nobody's, or somebody else's
        for before in (1, 2, 10**12):
            answer = place.http("GET", f"{path}?before={before}", token=person.token)
            assert answer.status in (200, 400), (path, before, answer)
    person.setting(witch=1)
    person.setting(autoplay={"id": "ab" * 16, "spins": 3})
    person.setting(autoplay={"spins": 0})
    for body in (None, {}, {"game": GAME}, {**person.bet_body(), "expect": 999}, {**person.bet_body(), "bet": {"coin_minor": 3, "lines": 1, "coins": 1}},
                 {**person.bet_body(), "game": "none"}, person.bet_body(coin=200, lines=15, coins=10)):
        assert place.http("POST", "/v1/rounds", body, token=person.token, key=os.urandom(4).hex()).status >= 400 or body == person.bet_body(coin=200, lines=15, coins=10), body
    for path, status in (("/v1/cards/1-2-3", 400), ("/v1/rounds/999999", 404), ("/v1/state?game=none", 404), ("/v1/journal?limit=0", 400), ("/v1/history?kind=x", 400), ("/v1/nothing", 404)):
        assert place.http("GET", path, token=person.token).status in (status, 400, 404), path
    place.http("POST", f"/v1/cards/{person.number}/picks", {"pick": 1, "position": 0}, token=person.token)


def test_limits_and_session():
    person = Person(place)
    for method, path, body, status in (("GET", "/v1/limits", None, 200), ("POST", "/v1/limits", {"name": "wager", "period": "day", "limit": 1}, 200),
                                       ("POST", "/v1/limits", {"name": "wager", "limit": 1}, 400), ("POST", "/v1/limits", {"name": "time", "limit": 60}, 200),
                                       ("POST", "/v1/rounds", person.bet_body(coin=2), 403), ("POST", "/v1/limits", {"name": "break", "limit": 60}, 200),
                                       ("GET", "/v1/session", None, 200), ("POST", "/v1/session", {"reality_check_s": 600}, 200),
                                       ("POST", "/v1/session", {"reality_check_s": 1}, 400), ("POST", "/v1/logout", None, 200), ("GET", "/v1/session", None, 401)):
        answer = place.http(method, path, body, token=person.token, key=os.urandom(4).hex() if method == "POST" else None)
        assert answer.status == status, (method, path, body, answer)


def test_each_route_refuses_strangers():
    """Without a token or a key, and with a wrong method or body: a problem each time."""
    for method, _, route, operation in ROUTES:
        path = re.sub(r"\{(\w+)\}", lambda name: "1", route)
        if operation["security"]:
            assert place.http(method, path, {} if "requestBody" in operation else None).status in (400, 401), (method, path)
        if "requestBody" in operation:
            assert place.http(method, path, raw=b"{", headers={"Content-Type": "application/json"}).status >= 400
            assert place.http(method, path, raw=b"{}", headers={"Content-Type": "text/plain"}).status == 415
            assert place.http(method, path, raw=b"{" + b" " * 20000, headers={"Content-Type": "application/json"}).status == 413
    assert place.http("POST", "/v1/games", {}).status == 405


def test_operators():
    assert operator(place, "/players", {"player": 900001, "currency": "EUR"}).status == 201
    assert operator(place, "/sessions", {"player": 900001}).status == 200
    person = Person(place, deposit=100000)
    reason = {"reason": "a test"}
    money = {"amount_minor": 500, "currency": "EUR", **reason}
    hold = person.operator("withdrawals", money, status=200).json["id"]
    person.operator("corrections", {**money, "amount_minor": -1}, status=200)
    grant = person.operator("grants", money, status=200).json["id"]
    person.operator(f"grants/{grant}/back", money, status=200)
    person.operator("limits", {"limit": "loss", "period": "day", "amount_minor": 100000, "currency": "EUR"}, status=200)
    person.operator("limits", {"limit": "time", "seconds": 3600, "currency": "EUR"}, status=200)
    spins = {"game": GAME, "currency": "EUR", "coin_minor": 1, "lines": 15, "coins": 1, "spins": 5, "expires_us": int((time.time() + 3600) * 1e6), **reason}
    ended = person.operator("bonus-spins", spins, status=200).json["id"]
    person.operator(f"bonus-spins/{ended}/end", reason, status=200)
    person.operator("block", {"blocked": True, **reason}, status=200)
    person.operator("block", {"blocked": False, **reason}, status=200)
    eventually("a note", lambda: operator(place, f"/players/{person.number}/notes", {"text": "a test"}, f"note-{person.number}").status == 200, 10)
    number = person.bet(1, 15, 1).json["round"]["round"]
    for path in ("withdrawals", f"withdrawals/{hold}", "limits", "bonus-spins", "voids", "notes", "sessions", "export", "history", f"rounds/{number}"):
        eventually(path, lambda p=path: operator(place, f"/players/{person.number}/{p}", None, method="GET").status == 200, 10)
    for path in ("/withdrawals", "/withdrawals?state=stuck&limit=1&format=csv", "/ledger", "/unfinished", "/unfinished/rounds", "/rounds", "/postings", "/postings?account=CASH&limit=1&format=csv"):
        assert operator(place, path, None, method="GET").status == 200, path
    assert operator(place, f"/players/{person.number}/withdrawals/{'00' * 16}/decisions", {"decision": "release", **reason}).status == 404
    assert operator(place, f"/games/{GAME}/start", reason).status == 409
    assert operator(place, f"/games/{GAME}", None, method="GET").status == 200 and operator(place, "/games/chess", None, method="GET").status == 404
    assert operator(place, "/offer", {"games": "all", **reason}).status == operator(place, "/offer", None, method="GET").status == 200
    assert operator(place, "/offer", reason).status == operator(place, "/offer", {"games": "chess", **reason}).status == 400
    assert place.http("GET", "/v1/operator/status", token=place.operator_key()).status == 200
    assert place.http("POST", "/v1/payments/calls", {"id": hold}).status == 200


def test_series_and_reports():
    """What test_play has played is in them."""
    def ask(path):
        answer = operator(place, path, None, method="GET")
        assert answer.status == 200, (path, answer)
        return answer

    eventually("points", lambda: ask("/series?step=minute&by=game").json["points"], 15)
    day = ask("/reports").json["gaming_day"]["today"]
    for path in ("/series?step=day", "/series?format=csv", f"/reports/day/{day}", f"/reports/life/{day}", f"/reports/month/{day}?format=csv&list=returns"):
        ask(path)
    for path in ("/series?step=week", "/reports/day/2027-02-30", "/reports/day/2999-01-01", "/reports?before=x"):
        assert operator(place, path, None, method="GET").status in (400, 404), path
    assert operator(place, "/gaming-day", {"zone": "Asia/Tokyo", "start_hour": 5, "from_day": "2999-01-01", "reason": "a test"}).status == 200
    assert operator(place, "/gaming-day", {"zone": "Asia/Nowhere", "start_hour": 5, "from_day": "2999-01-01", "reason": "a test"}).status == 400


def test_a_void():
    person = Person(place, deposit=100000)
    person.bet(coin=1, lines=15, coins=1)
    round_ = person.told[0]["round"]
    eventually("the void", lambda: operator(place, f"/players/{person.number}/voids", {"game": GAME, "round": round_, "reason": "a test"}, f"void-{round_}").status == 200, 10)
    eventually("the list", lambda: operator(place, f"/players/{person.number}/voids", None, method="GET").json["voids"], 10)
    assert operator(place, "/voids", None, method="GET").status == 200
    assert operator(place, "/voids/requests", None, method="GET").status == 200
    assert operator(place, "/dead-letters?status=all&limit=5", None, method="GET").status == 200
    assert operator(place, f"/players/{person.number}/voids/{'00' * 16}/approve", None).status == 404


def test_a_void_of_two():
    """It names the round's jackpot."""
    person = Person(place, deposit=100000)
    force(place, person.name, [*RULES.stops(bonuses=3), 0], RULES.stops())
    person.bet(1, 15, 1)
    path, order = f"/players/{person.number}/voids", {"game": "bewitched", "round": person.told[0]["round"], "reason": "a test", "award": True}
    waiting = eventually("the request", lambda: next((a for a in [operator(place, path, order)] if a.status == 202), None), 60)
    second_key(place)
    eventually("the void", lambda: operator(place, f"{path}/{waiting.json['id']}/approve", None, operator_key=SECOND_KEY).status == 200, 60)
    assert operator(place, "/voids/requests", None, method="GET").json["requests"]


def test_a_player_is_pseudonymised():
    person, reason = Person(place), {"reason": "a test"}
    path = f"/players/{person.number}"
    person.operator("corrections", {"amount_minor": -person.balance, "currency": "EUR", **reason}, status=200)
    person.operator("block", {"blocked": True, **reason}, status=200)
    waiting = eventually("the request", lambda: next((a for a in [operator(place, f"{path}/pseudonymise", reason)] if a.status == 202), None), 60)
    approval = f"{path}/pseudonymise/{waiting.json['id']}/approve"
    done = second_key(place, lambda: operator(place, approval, reason, operator_key=SECOND_KEY))
    assert done.status == 200 and done.json["status"] == "done", done


def test_pools_and_rates():
    assert pool_action(place, 1, "pause").status == 200
    assert pool_action(place, 1, "adjust", {"currency": "EUR", "coin_minor": 1, "delta_minor": 1}).status == 200
    assert pool_action(place, 1, "resume").status == 200
    for path in ("/pools/1", "/pools/1/actions?limit=5", "/pools/1/transfers?limit=5", "/pools/1/history", "/pools/1/history?step=day&limit=5", "/pools/1/forecast", "/pools/2/forecast?hours=1"):
        assert operator(place, path, None, method="GET").status == 200, path
    waiting = operator(place, "/fx-rates", {"currency": "NOK", "rate": "0.0875"})
    assert waiting.status in (200, 202), waiting
    if waiting.status == 202:
        assert operator(place, f"/fx-rates/{waiting.json['id']}/approve", None, operator_key=SECOND_KEY).status == 200
    assert operator(place, "/fx-rates?limit=5", None, method="GET").status == 200
    assert operator(place, "/approvals", None, method="GET").status == 200
    assert operator(place, "/games", None, method="GET").status == 200


def frame_faults(event):
    """A frame is like the message of its type and channel."""
    faults = [unlike(frame, event) for frame in FRAMES if frame["properties"].get("type", {}).get("const") == event.get("type")]
    return None if any(not f for f in faults) else faults or [f"no message of type {event.get('type')}"]


def test_frames_of_the_websocket():
    person = Person(place, deposit=100000)
    url = place.http("GET", "/v1/config").json["events_url"]
    client = Socket(url, {"subscribe": ["jackpots", "winners", "player"], "token": person.token, "game": GAME})
    person.deposit(1000)  # no bet: the wallet may still know the pool as paused
    client.until(lambda event: event["type"] == "balance")
    client.until(lambda event: event["type"] == "counters")
    wrong = Socket(url, {"subscribe": ["nothing"]})
    wrong.until(lambda event: event["type"] == "error")
    for event in client.seen + wrong.seen:
        assert not frame_faults(event), (event, frame_faults(event))


def test_the_page():
    """Served from here alone, and what it shows is the description itself."""
    script = re.search(r'src="(/a\.[0-9a-f]{12}\.a/docs/docs\.js)"', place.http("GET", "/docs/").raw.decode())
    assert script, "the page does not load its script from the folder that browsers keep"
    for name, document in (("openapi", HTTP), ("asyncapi", SOCKET)):
        assert place.http("GET", f"/docs/{name}.json").json == document
    answer = place.http("GET", script[1])
    assert answer.status == 200 and "immutable" in answer.headers["Cache-Control"] and "default-src 'none'" in answer.headers["Content-Security-Policy"] and b"http" + b"s://" not in answer.raw


def test_every_route_was_answered():
    left = {(method, route) for method, _, route, _ in ROUTES} - place.answered - ELSEWHERE
    assert not left, f"no good answer was seen of {sorted(left)}"


if __name__ == "__main__":
    with Described("openapi") as place:
        try:
            run(test_what_is_open_to_all, test_play, test_settings_and_refusals, test_limits_and_session, test_each_route_refuses_strangers, test_operators, test_series_and_reports, test_a_void, test_a_void_of_two,
                test_a_player_is_pseudonymised, test_pools_and_rates, test_frames_of_the_websocket, test_the_page, test_every_route_was_answered)
        except SystemExit as status:
            if status.code:
                raise
