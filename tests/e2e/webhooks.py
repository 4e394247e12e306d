#!/usr/bin/env python3
"""Webhooks: what happens is told to operators' addresses that are slow, wrong, down or redirect; signed, in order for each subject, at least once though a gateway is
killed between the answer and its mark; dead events are listed and sent again; other operators see nothing of it. The receiver checks signatures with the
example of the documentation."""
import collections
import hashlib
import http.server
import json
import subprocess
import sys
import threading

from lib_patience import time_out
from lib_play import RULES, Person, force, good, operator
from lib_sql import Session
from lib_stack import BIN, ROOT, Installation, eventually, run

sys.path.append(f"{ROOT}/docs/example-webhook")
from check import check  # pylint: disable=wrong-import-position

LARGE = 2  # minor units: any win
KINDS = "hit,large_win,payout,limit,game"
LOSS, BONUS = RULES.stops(), RULES.stops(bonuses=3)
OTHER_KEY = "a key of the second operator, a long one"
place = receiver = None
secrets = {}  # by key id, as a receiver keeps them


class Receiver:
    """Takes events; each path behaves as `does` says: a status, or a function that gives one."""

    def __init__(self):
        self.does, self.got, self.bad = {}, collections.defaultdict(list), []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                try:
                    event = check(self.headers, body, secrets)
                    outer.got[self.path].append({**event, "attempt": int(self.headers["Carillon-Attempt"]), "signature": self.headers["Carillon-Signature"],
                                                 "time": self.headers["Carillon-Time"], "raw": body})
                    status = outer.does.get(self.path, 200)
                    status = status({**event, "hung_up": self.hung_up}) if callable(status) else status
                except Exception as error:  # pylint: disable=broad-except
                    outer.bad.append((self.path, repr(error)))
                    status = 400
                try:
                    self.send_response(status)
                    if status == 302:
                        self.send_header("Location", f"{outer.url}/trap")
                    length = 10**7 if self.path == "/long" else 0
                    self.send_header("Content-Length", str(length))
                    self.end_headers()
                    for _ in range(length // 10**5):
                        self.wfile.write(b"x" * 10**5)
                except OSError:
                    pass  # the sender has gone
            do_GET = do_POST

            def hung_up(self):
                """Returns when the sender has closed the connection."""
                self.connection.settimeout(time_out(15))
                assert self.connection.recv(1) == b"", "the sender goes on"

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def ids(self, path):
        """Of the events of a path, in the order in which each came first."""
        return list(dict.fromkeys(event["id"] for event in self.got[path]))


class Place(Installation):
    def start(self, scale=None):
        self.environment.update(KAFKA="none", CARILLON_WEBHOOK_INTERNAL="1", CARILLON_WEBHOOK_TIMEOUT_MS="2000", CARILLON_WEBHOOK_RETRY_MS="50", CARILLON_LARGE_WINS=f"EUR={LARGE}")
        super().start(scale)


def make(path, kinds=KINDS, number=1, status=200):
    answer = operator(place, "/webhooks", {"url": receiver.url + path, "kinds": kinds, "reason": "a test"}, number=number, operator_key=None if number == 1 else OTHER_KEY)
    good(answer, path, status)
    if status == 200:
        secrets[answer.json["key"]] = answer.json["secret"]
        return answer.json["id"]
    return answer


def act(hook, action, status=200, number=1, **more):
    answer = operator(place, f"/webhooks/{hook}", {"action": action, "reason": "a test", **more}, number=number, operator_key=None if number == 1 else OTHER_KEY)
    return good(answer, f"{action} {hook}", status)


def listed(number=1):
    key = None if number == 1 else OTHER_KEY
    return {hook["id"]: hook for hook in good(operator(place, "/webhooks", None, method="GET", number=number, operator_key=key), "list").json["webhooks"]}


def events(path, kind):
    return [event for event in receiver.got[path] if event["kind"] == kind]


def come(path, kind, n=1):
    """Each once, in the order in which they came first: what a loaded machine has answered too late comes again."""
    eventually(f"{n} {kind} at {path}", lambda: len({e["id"] for e in events(path, kind)}) >= n, 40)
    first = {}
    for event in events(path, kind):
        first.setdefault(event["id"], event)
    return list(first.values())


def test_addresses_and_kinds():
    place.sql(f"insert into gateway.operator_key (operator, digest) values (2, '\\x{hashlib.sha256(OTHER_KEY.encode()).hexdigest()}')", writer=True)
    eventually("the second operator", lambda: operator(place, "/webhooks", None, method="GET", number=2, operator_key=OTHER_KEY).status == 200, 20)
    for url in ("http://casino.example/hook", "ftp://127.0.0.1/", "https://", "https://user@casino.example/", "https://casino.example/#x", "casino.example"):
        assert operator(place, "/webhooks", {"url": url, "kinds": "hit", "reason": "a test"}).error["where"] == "url", url
    for kinds in ("all", "hit,hit", "hit,", ","):
        assert operator(place, "/webhooks", {"url": receiver.url, "kinds": kinds, "reason": "a test"}).error["where"] == "kinds", kinds
    assert listed() == {}
    place.hook = make("/good")
    place.other = make("/other", number=2)
    hook = listed()[place.hook]
    assert (hook["url"], hook["kinds"], hook["version"], hook["waiting"], hook["dead"]) == (f"{receiver.url}/good", KINDS, 1, 0, 0), hook
    assert "secret" not in hook and place.sql(f"select count(*) from gateway.webhook w where w::text like '%{secrets[f'{place.hook}.1']}%'") == [["0"]]
    assert [row[0] for row in place.sql("select content->>'url' from gateway.audit where action = 'webhook created' and operator = 1 and status = 200")] == [f"{receiver.url}/good"]


def test_a_repeat_makes_no_second_one():
    """The same key with the same content: the same answer, also when the webhook has another secret by now; with other content: 422, and nothing is done."""
    body = {"url": receiver.url + "/once", "kinds": "hit", "reason": "a test"}

    def asked(key, number=1, **change):
        return operator(place, "/webhooks", {**body, **change}, key, number=number, operator_key=None if number == 1 else OTHER_KEY)

    before = len(listed())
    first = good(asked("once"), "a webhook").json
    assert good(asked("once"), "again").json == first and len(listed()) == before + 1
    for change in ({"url": receiver.url + "/twice"}, {"kinds": "payout"}, {"reason": "another"}):
        answer = asked("once", **change)
        assert (answer.status, answer.error["code"], answer.error["where"]) == (422, "other_content", "Idempotency-Key"), answer
    assert asked("with a space").error["where"] == "Idempotency-Key"
    act(first["id"], "rotate", keep_s=0)
    assert good(asked("once"), "after a rotation").json == first and len(listed()) == before + 1
    assert place.sql(f"select count(*) from gateway.audit where action = 'webhook created' and subject = 'webhook {first['id']}'") == [["1"]]
    other = good(asked("once", number=2), "the same key of another operator").json
    second = good(asked("twice"), "another key").json
    third = good(place.http("POST", "/v1/operators/1/webhooks", body, token=place.operator_key()), "no key").json
    assert len({one["id"] for one in (first, second, third, other)}) == 4, (first, second, third, other)
    for one, number in ((first, 1), (second, 1), (third, 1), (other, 2)):
        act(one["id"], "end", number=number)
    assert good(asked("once"), "after its end").json == first and len(listed()) == before


def test_button():
    name = act(place.hook, "test").json["event"]
    [event] = come("/good", "test")
    assert (event["id"], event["subject"], event["operator"], event["data"]) == (name, "test", 1, {}), event
    eventually("the outcome", lambda: listed()[place.hook]["sent"] == 1, 20)
    assert (listed()[place.hook]["last_good"], listed()[place.hook]["last_answer"]) == (True, "200")


def test_what_is_told():
    person = Person(place, deposit=10000000)
    force(place, person.name, [*BONUS, 0])  # a jackpot by the vials
    person.bet(coin=20, lines=15, coins=10)
    [hit] = come("/good", "hit")
    row = place.sql(f"select pool, hit, paid_minor from pool.hit where player = {person.id}")[0]
    assert [str(hit["data"][name]) for name in ("pool", "hit", "amount_minor")] == row and hit["data"]["player"] == person.name and hit["data"]["currency"] == "EUR", hit
    assert (hit["id"], hit["subject"]) == (f"hit-{row[0]}-{row[1]}", f"pool:{row[0]}"), hit
    hold = person.operator("withdrawals", {"amount_minor": 1000, "currency": "EUR"}, status=200).json["id"]
    [payout] = come("/good", "payout")
    assert payout["data"] == {"player": person.name, "currency": "EUR", "withdrawal": hold, "outcome": "paid", "amount_minor": 1000}, payout
    limited = Person(place)
    good(operator(place, f"/players/{limited.number}/limits", {"limit": "deposit", "period": "day", "amount_minor": 100, "currency": "EUR"}), "limit")
    for _ in range(3):
        assert limited.operator("deposits", {"amount_minor": 500, "currency": "EUR"}).status in (403, 409)
    place.sql("insert into wallet.switch (game, reason) values (3, 'a test')", writer=True)
    [stopped] = come("/good", "game")
    assert (stopped["data"]["state"], stopped["data"]["by"], stopped["data"]["reason"]) == ("stopped", "operator", "a test"), stopped
    place.sql("delete from wallet.switch", writer=True)
    assert come("/good", "game", 2)[-1]["data"]["state"] == "started"
    [limit] = come("/good", "limit")
    assert limit["data"] == {"player": limited.name, "currency": "EUR", "limit": "deposit"}, limit
    # The stops of the game are everybody's; the rest is the first operator's alone.
    assert len(come("/other", "game", 2)) >= 2 and {event["kind"] for event in receiver.got["/other"]} == {"game"} and receiver.got["/other"][0]["operator"] == 2
    assert receiver.bad == []


def test_large_wins():
    people, bet = [Person(place, deposit=10000) for _ in range(3)], {"coin_minor": 2, "lines": 15, "coins": 1}
    for seed, person in enumerate(people):
        force(place, person.name, LOSS, RULES.stops(win=True, bet=bet, seed=seed))
        for _ in range(2):
            person.bet(coin=2, lines=15)
    rows = place.sql(f"select player, round, stake, win_balance + win_pending from wallet.journal where player in ({', '.join(str(p.id) for p in people)}) and kind = 2 and refusal = 0")
    large = {(row[0], int(row[1])): (int(row[2]), int(row[3])) for row in rows if int(row[3]) >= LARGE}
    assert len(rows) == 6 and len(large) == 3, rows
    names = {person.name: str(person.id) for person in people}

    def told():
        return {(names[e["data"]["player"]], e["data"]["round"]): (e["data"]["stake_minor"], e["data"]["win_minor"]) for e in events("/good", "large_win") if e["data"]["player"] in names}
    eventually("the large wins", lambda: len(told()) >= 3, 40)
    assert told() == large, (told(), large)


def test_sealing_has_a_lock_of_its_own():
    """Webhooks go on while reports are sealed, and reports are sealed while webhooks are written."""
    holder = Session(place.stack["CARILLON_PG_DSN"])
    try:
        holder.ask("select pg_advisory_lock(7284, 0)")
        person, bet = Person(place, deposit=10000), {"coin_minor": 2, "lines": 15, "coins": 1}
        force(place, person.name, RULES.stops(win=True, bet=bet))
        person.bet(coin=2, lines=15)
        eventually("the large win", lambda: person.name in [event["data"]["player"] for event in events("/good", "large_win")], 60)
        holder.ask("select pg_advisory_unlock(7284, 0)")
        holder.ask("select pg_advisory_lock(7282, 0)")
        sealing = """select array_to_string(array(select l.classid from pg_locks l where l.locktype = 'advisory' and l.pid = pg_backend_pid() and s.days = 0), ' ')
            from gateway.report_seal('{}', 2000000000) s"""
        eventually("the lock of sealing", lambda: "7284" in place.sql(sealing, writer=True)[0][0].split(), 60)
    finally:
        holder.end()


def withdrawals(n, people):
    """In turn; ends when all are paid. Gives the ids by player, in order."""
    made = {person.name: [] for person in people}
    for _ in range(n):
        for person in people:
            hold = person.operator("withdrawals", {"amount_minor": 1000, "currency": "EUR"}, status=200).json["id"]
            eventually("the withdrawal", lambda hold=hold: place.sql(f"select settled_kind from wallet.hold where id = '\\x{hold}'") == [["29"]], 40)
            made[person.name].append(hold)
    return made


def test_receivers_that_fail():
    """Slow, wrong, redirecting, talkative and down: what they refuse comes again, in the order of each player, and holds up nobody else."""
    failed = collections.Counter()

    def twice(event):
        failed[event["id"]] += 1
        if failed[event["id"]] < 3:
            return 500
        return 204

    def slow(event):
        failed["slow" + event["id"]] += 1
        if failed["slow" + event["id"]] == 1:
            event["hung_up"]()  # the gateway does not wait for ever
        return 200

    receiver.does.update({"/wrong": twice, "/slow": slow, "/moved": 302})
    hooks = {path: make(path, "payout") for path in ("/wrong", "/slow", "/moved", "/long")}
    down = operator(place, "/webhooks", {"url": "http://127.0.0.1:9/", "kinds": "payout", "reason": "a test"}).json["id"]
    people = [Person(place) for _ in range(2)]
    made = withdrawals(3, people)
    for path in ("/good", "/wrong", "/slow", "/long"):
        eventually(f"all at {path}", lambda path=path: sum(e["data"]["player"] in made for e in {e["id"]: e for e in events(path, "payout")}.values()) == 6, 60)
        for name, holds in made.items():
            of = [event for event in events(path, "payout") if event["data"]["player"] == name]
            assert list(dict.fromkeys(event["data"]["withdrawal"] for event in of)) == holds, (path, of)
            numbers = list(dict.fromkeys(event["number"] for event in of))  # by when each came first: a thread of the receiver may come late with an old try
            assert numbers == sorted(numbers), (path, of)
            assert len({(event["id"], event["raw"]) for event in of}) == 3, "the same event has the same bytes"
    eventually("three tries of each at /wrong", lambda: all(len([e for e in events("/wrong", "payout") if e["id"] == name]) >= 3 for name in receiver.ids("/wrong")), 60)
    eventually("the one that is down", lambda: listed()[down]["last_us"] > 0, 20)
    eventually("the redirection", lambda: listed()[hooks["/moved"]]["last_answer"] == "302", 60)  # a busy machine may answer an attempt too late
    assert receiver.got["/trap"] == [], receiver.got["/trap"]
    assert not listed()[down]["last_good"] and listed()[down]["waiting"] == 6 and listed()[down]["sent"] == 0, listed()
    for hook in (*hooks.values(), down):
        act(hook, "end")
    assert set(listed()) == {place.hook} and receiver.bad == []


def test_gateway_killed_between_answer_and_mark():
    killed = threading.Event()

    def kill(_):
        if not killed.is_set():
            killed.set()
            place.kill("gateway-1")  # the receiver has the event, and nobody knows
        return 200

    receiver.does["/held"] = kill
    hook = make("/held", "payout")
    person = Person(place)
    before = place.pid("gateway-1")
    first = withdrawals(1, [person])[person.name]
    eventually("the kill", killed.is_set, 20)
    eventually("the gateway", lambda: place.pid("gateway-1") not in (0, before) and place.http("GET", "/readyz", timeout=2).status == 200, 40)
    second = withdrawals(1, [person])[person.name]
    eventually("both", lambda: len(receiver.ids("/held")) == 2, 60)
    eventually("the marks", lambda: listed()[hook]["waiting"] == 0, 30)
    came = [event["data"]["withdrawal"] for event in receiver.got["/held"]]
    assert came.count(first[0]) >= 2 and list(dict.fromkeys(came)) == [*first, *second], came
    act(hook, "end")


def test_secrets_rotate():
    hook = make("/rotated", "payout")
    answer = act(hook, "rotate", keep_s=600).json
    assert answer["key"] == f"{hook}.2" and answer["secret"] != secrets[f"{hook}.1"]
    act(hook, "test")  # checked with the old secret: the receiver does not have the new one yet
    [event] = come("/rotated", "test")
    assert event["signature"].startswith(f"{hook}.2=") and f",{hook}.1=" in event["signature"], event
    assert act(hook, "rotate", status=409).error["code"] == "webhook_rotating"
    secrets[answer["key"]] = answer["secret"]
    eventually("its mark", lambda: listed()[hook]["waiting"] == 0, 30)  # or it may come once more, with the secret that is not known yet
    newest = act(hook, "rotate", keep_s=0).json
    secrets[newest["key"]] = newest["secret"]
    act(hook, "test")
    assert come("/rotated", "test", 2)[-1]["signature"].split("=")[0] == f"{hook}.3"
    for change in ({"Carillon-Time": str(int(event["time"]) - 301)}, {"Carillon-Time": "1"}, {"Carillon-Signature": ""}):
        try:
            check({"Carillon-Time": event["time"], "Carillon-Signature": event["signature"], **change}, event["raw"], secrets)
        except ValueError:
            continue
        raise AssertionError(change)
    act(hook, "end")


def jackpotctl(*words, status=0):
    done = subprocess.run([f"{BIN}/jackpotctl", "webhooks", *words], env={**place.environment, **place.stack}, capture_output=True, text=True, timeout=time_out(30), check=False)
    assert done.returncode == status, (words, done)
    return done.stdout


def dead_of(hook):
    return good(operator(place, f"/webhooks/{hook}/dead", None, method="GET"), "dead").json["events"]


def test_dead_events_are_sent_again():
    receiver.does["/dead"] = 503
    hook = make("/dead", "payout")
    person = Person(place)
    holds = withdrawals(2, [person])[person.name]
    eventually("both and an attempt", lambda: listed()[hook]["waiting"] == 2 and receiver.got["/dead"], 40)
    place.sql(f"update gateway.webhook_delivery set since = now() - interval '4 days' where webhook = {hook}", writer=True)
    eventually("both to be given up", lambda: len(dead_of(hook)) == 2, 60, 0.3)
    dead = dead_of(hook)
    assert [one["body"]["data"]["withdrawal"] for one in dead] == holds, dead
    assert all(one["answer"] in ("503", "Timeout was reached") for one in dead), dead  # a busy machine may answer too late
    assert dead[0]["event"] in jackpotctl("dead", str(hook))
    assert sorted(one["event"] for one in json.loads(jackpotctl("dead", str(hook), "--json"))["events"]) == sorted(one["event"] for one in dead)
    assert {one["id"]: one["dead"] for one in json.loads(jackpotctl("list", "--json"))["webhooks"]}[str(hook)] == "2"
    eventually("the metrics", lambda: place.metric("gateway-1", "carillon_webhook_dead") == 2, 20)
    assert place.metric("gateway-1", "carillon_webhook_failed_total") >= 2 and "2 dead" in jackpotctl("list")
    # Another operator has no such webhook.
    assert listed(2).keys() == {place.other}
    assert operator(place, f"/webhooks/{hook}/dead", None, method="GET", number=2, operator_key=OTHER_KEY).error["code"] == "webhook_unknown"
    for action in ("test", "change", "rotate", "end"):
        act(hook, action, status=404, number=2)
    resend = {"event": "all", "reason": "a test"}
    assert operator(place, f"/webhooks/{hook}/dead", resend, number=2, operator_key=OTHER_KEY).error["code"] == "webhook_unknown"
    assert operator(place, f"/webhooks/{hook}/dead", resend, operator_key=OTHER_KEY).error["code"] == "other_operator"
    receiver.does["/dead"] = 200
    before = len(receiver.got["/dead"])
    assert operator(place, f"/webhooks/{hook}/dead", {"event": dead[1]["event"], "reason": "a test"}).json == {"events": 1}
    eventually("the second", lambda: holds[1] in [e["data"]["withdrawal"] for e in receiver.got["/dead"][before:]], 40)
    assert "1 event" in jackpotctl("resend", str(hook), "all")
    eventually("the first", lambda: holds[0] in [e["data"]["withdrawal"] for e in receiver.got["/dead"][before:]], 40)
    assert "test-" in jackpotctl("test", str(hook))
    come("/dead", "test")
    eventually("nothing left", lambda: (listed()[hook]["waiting"], listed()[hook]["dead"]) == (0, 0), 30)
    jackpotctl("test", "9999", status=1)
    assert receiver.bad == []


if __name__ == "__main__":
    receiver = Receiver()
    with Place("webhooks") as place:
        run(*[test for name, test in list(globals().items()) if name.startswith("test_")])
