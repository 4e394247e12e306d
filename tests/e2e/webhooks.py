#!/usr/bin/env python3
"""Webhooks: events are sent to operators' addresses that are slow, wrong, down or redirect; signed, at least once though a gateway is killed between the answer and its
mark. The first attempts of a subject's events are in order, and one that fails does not hold back the next. Events that wait, were sent or are dead are listed; dead
ones are sent again, waiting ones skipped; other operators see nothing of it. No statement reads all dead events. The receiver checks signatures
with the example of the documentation."""
import collections
import hashlib
import http.server
import json
import re
import subprocess
import sys
import threading
import urllib.parse

from lib_patience import time_out
from lib_play import RULES, Person, force, good, operator
from lib_sql import Session
from lib_stack import BIN, PSQL, ROOT, Installation, eventually, read_text, run

sys.path.append(f"{ROOT}/docs/example-webhook")
from check import check  # pylint: disable=wrong-import-position

LARGE = 2  # minor units: any win
KINDS = "hit,large_win,payout,limit,game"
LOSS, BONUS = RULES.stops(), RULES.stops(bonuses=3)
OTHER_KEY = "a key of the second operator, a long one"
place = receiver = None
secrets = {}  # by key id, as a receiver keeps them


class Receiver:
    """Takes events; each path behaves as `does` says: a status, (status, Retry-After), or a function that gives one."""

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
                    status, later = status if isinstance(status, tuple) else (status, None)
                except Exception as error:  # pylint: disable=broad-except
                    outer.bad.append((self.path, repr(error)))
                    status, later = 400, None
                try:
                    self.send_response(status)
                    if later is not None:
                        self.send_header("Retry-After", str(later))
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
    """Slow, wrong, redirecting, talkative and down: what they refuse comes again, each event's first attempt in the order of its player, and holds up nobody else."""
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


def jackpotctl(*words, status=0, environment=()):
    done = subprocess.run([f"{BIN}/jackpotctl", "webhooks", *words], env={**place.environment, **place.stack, **dict(environment)}, capture_output=True, text=True, timeout=time_out(30), check=False)
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


def events_of(hook, state, **query):
    return good(operator(place, f"/webhooks/{hook}/{state}?{urllib.parse.urlencode(query)}", None, method="GET"), state).json["events"]


def test_an_event_that_fails_holds_back_nobody():
    """The receiver never accepts the first event of a player: the later ones come, in the order of their numbers, and the first goes on being tried."""
    refused = []

    def picky(event):
        refused[:] = refused or [event["id"]]
        return 400 if event["id"] in refused else 200

    receiver.does["/picky"] = picky
    hook = make("/picky", "payout")
    person = Person(place)
    holds = withdrawals(3, [person])[person.name]
    eventually("the later two", lambda: listed()[hook]["sent"] == 2, 40)
    assert [event["data"]["withdrawal"] for event in come("/picky", "payout", 3)] == holds
    eventually("three tries of the first", lambda: [e["id"] for e in receiver.got["/picky"]].count(refused[0]) >= 3, 40)
    [waiting] = events_of(hook, "waiting")
    assert (waiting["event"], waiting["body"]["data"]["withdrawal"], waiting["kind"]) == (refused[0], holds[0], "payout") and waiting["attempts"] >= 2, waiting
    sent = events_of(hook, "sent")
    assert [one["event"] for one in sent] == [e["id"] for e in reversed(come("/picky", "payout", 3)[1:])] and {one["answer"] for one in sent} == {"200"}, sent
    assert all(one["attempts"] >= 1 and one["sent_us"] >= one["created_us"] > 0 and "body" not in one for one in sent) and waiting["number"] < min(one["number"] for one in sent), sent
    # A page each, by the cursor.
    first = good(operator(place, f"/webhooks/{hook}/sent?limit=1", None, method="GET"), "a page").json
    assert first["events"] == sent[:1] and events_of(hook, "sent", limit=1, cursor=first["next_cursor"]) == sent[1:]
    skipped_and_sent_again(hook, refused[0], person)
    act(hook, "end")


def skipped_and_sent_again(hook, event, person):
    """Who skips has a line in the audit log; the event is then dead, and can be sent again."""
    why = {"reason": "they do not want it"}
    assert operator(place, f"/webhooks/{hook}/waiting", {"event": event, **why}, number=2, operator_key=OTHER_KEY).error["code"] == "webhook_unknown"
    assert good(operator(place, f"/webhooks/{hook}/waiting", {"event": "another", **why}), "another").json == {"events": 0}
    assert good(operator(place, f"/webhooks/{hook}/waiting", {"event": event, **why}), "skip").json == {"events": 1}
    assert events_of(hook, "waiting") == [] and (listed()[hook]["waiting"], listed()[hook]["dead"]) == (0, 1)
    [dead] = dead_of(hook)
    assert (dead["event"], dead["skipped_by"], dead["subject"]) == (event, "operator-1", f"player:{person.name}"), dead
    lines = eventually("the line", lambda: place.sql(f"""select content->>'event', content->>'reason', status from gateway.audit
        where action = 'webhook events skipped' and subject = 'webhook {hook}' and operator = 1 order by id desc limit 1"""), 20)
    assert lines == [[event, why["reason"], "200"]], lines
    eventually("no alarm about what somebody has skipped", lambda: place.metric("gateway-1", "carillon_webhook_dead") == 0, 20)
    receiver.does["/picky"] = 200
    before = len(receiver.got["/picky"])
    assert operator(place, f"/webhooks/{hook}/dead", {"event": event, **why}).json == {"events": 1}
    eventually("the first", lambda: event in [e["id"] for e in receiver.got["/picky"][before:]], 40)
    eventually("nothing left", lambda: (listed()[hook]["waiting"], listed()[hook]["dead"], listed()[hook]["sent"]) == (0, 0, 3), 30)
    assert events_of(hook, "sent")[0]["event"] == event
    receiver.does["/picky"] = 503
    withdrawals(2, [person])
    eventually("two that wait", lambda: len(events_of(hook, "waiting")) == 2, 30)
    key = {"JACKPOTCTL_GATEWAY": place.url, "JACKPOTCTL_KEY": f"{place.data}/keys/gateway/operator-1.key"}
    assert [len(json.loads(jackpotctl(state, str(hook), "--json", environment=key))["events"]) for state in ("waiting", "sent")] == [2, 3]
    assert json.loads(jackpotctl("skip", str(hook), "all", "--reason", "a test", "--json", environment=key))["events"] == 2
    assert events_of(hook, "waiting") == [] and [one["skipped_by"] for one in dead_of(hook)] == ["operator-1"] * 2


def test_retry_after():
    """The webhook rests for as long as the receiver wants, at most an hour; a change tries again at once."""
    receiver.does["/later"] = 429, 1200
    hook = make("/later", "payout")
    withdrawals(2, [Person(place)])

    def rests(attempts):
        """Seconds from the answer to the next attempt: of the webhook, and of the event that was tried."""
        rows = place.sql(f"""select round(extract(epoch from h.rests_until - h.last_time)), bool_and(d.next >= h.rests_until) from gateway.webhook h
            join gateway.webhook_delivery d on d.webhook = h.id and d.attempts = {attempts} where h.id = {hook} group by h.id""")
        return rows and rows[0]
    assert eventually("an attempt", lambda: rests(1), 40) == ["1200", "t"]
    assert listed()[hook]["waiting"] == 2
    receiver.does["/later"] = 503, 7200
    act(hook, "change", kinds="payout,hit")
    eventually("the bound", lambda: place.sql(f"select round(extract(epoch from rests_until - last_time)) from gateway.webhook where id = {hook}") == [["3600"]], 40)
    receiver.does["/later"] = 200
    place.sql(f"update gateway.webhook_delivery set next = now() where webhook = {hook}", writer=True)
    act(hook, "change", kinds="payout")
    eventually("both", lambda: listed()[hook]["sent"] == 2, 40)
    act(hook, "end")


def test_secrets_in_addresses():
    """Whoever may only read sees an address without its query, in the list, as CSV and in the audit log, in lines of versions before, too."""
    secret = "s3cret-in-the-address"
    made = good(operator(place, "/webhooks", {"url": f"https://casino.invalid/hook?token={secret}", "kinds": "hit", "reason": "a test"}), "a webhook").json
    place.sql(f"""insert into gateway.audit (operator, actor, action, subject, request_id, content, status) values (1, 'operator-1', 'webhook changed', 'webhook {made["id"]}', 'old',
        '{{"url": "https://anna:{secret}@casino.invalid/?{secret}", "before": {{"url": "https://casino.invalid/?{secret}", "kinds": "hit"}}, "after": {{"url": "https://b:{secret}@casino.invalid/"}}}}', 200)""",
              writer=True)
    act(made["id"], "change", url=f"https://casino.invalid/other?token={secret}2")
    reader = good(operator(place, "/keys", {"name": "reads", "scopes": "read", "reason": "a test"}), "a key").json["key"]
    shown = "https://casino.invalid/other?.."
    for path in ("/webhooks", "/webhooks?format=csv", "/audit?action=webhook&limit=500", "/audit?action=webhook&limit=500&format=csv"):
        answer = eventually("the key", lambda p=path: next((a for a in [operator(place, p, None, method="GET", operator_key=reader)] if a.status != 401), None), 30)
        assert answer.status == 200 and secret not in answer.raw.decode(), (path, answer)
        assert "audit" in path or shown in answer.raw.decode(), (path, answer)
    assert listed()[made["id"]]["url"] == f"https://casino.invalid/other?token={secret}2", "who may change it sees it whole"

    def lines():
        rows = good(operator(place, f"/audit?subject=webhook+{made['id']}&limit=500", None, method="GET"), "audit").json["rows"]
        return {(row["action"], row["request_id"] == "old"): row["content"] for row in rows}
    eventually("the lines", lambda: len(lines()) == 3, 20)
    assert lines()[("webhook changed", True)] == {"url": "https://..@casino.invalid/?..", "before": {"url": "https://casino.invalid/?..", "kinds": "hit"}, "after": {"url": "https://..@casino.invalid/"}}
    assert (lines()[("webhook changed", False)]["before"]["url"], lines()[("webhook changed", False)]["after"]["url"]) == ("https://casino.invalid/hook?..", shown)
    assert place.sql(f"select count(*) from gateway.audit where subject = 'webhook {made['id']}' and request_id <> 'old' and content::text like '%{secret}%'") == [["0"]]
    assert secret not in read_text(f"{place.data}/log/gateway-1.log")
    act(made["id"], "end")


def test_shares():
    """Of 32 deliveries that a gateway can send, one operator's slow receivers get eight, four of a webhook, and one of a subject."""
    session = Session(place.stack["CARILLON_PG_DSN"])
    try:
        session.ask("begin")
        session.ask("""insert into gateway.webhook (operator, url, kinds, salt, created_by, last_time)
            select 100 + n / 10, 'https://casino.invalid/', '{hit}', gen_random_uuid(), 'shares', case when n < 20 then now() - interval '1 day' end from generate_series(0, 22) n""")
        session.ask("""insert into gateway.webhook_delivery (webhook, event, kind, subject, body) select h.id, 'e' || n, 'hit', 's' || n / 2, '{}'
            from gateway.webhook h, generate_series(0, 19) n where h.created_by = 'shares'""")
        taken = session.ask("""select h.operator, count(*), max(count(*)) over (partition by h.operator) from gateway.webhook_take('shares', 60, 32) t
            join gateway.webhook h on h.id = t.webhook where h.created_by = 'shares' group by h.operator, h.id""")
        by_operator = collections.Counter()
        for number, n, most in taken:
            assert int(n) <= int(most) <= 4, taken
            by_operator[number] += int(n)
        assert by_operator == {"100": 8, "101": 8, "102": 8}, taken
        assert session.ask("select count(*) from (select from gateway.webhook_delivery where taken_by = 'shares' group by webhook, subject having count(*) > 1) x") == [["0"]]
        assert session.ask("select count(*) from gateway.webhook_take('shares', 60, 32) t join gateway.webhook h on h.id = t.webhook where h.created_by = 'shares'") == [["0"]]
        # The first of one subject fails: the next of it goes out; the first waits for its time.
        session.ask("""create temporary table one as select d.id, d.webhook, d.subject, d.event from gateway.webhook_delivery d where d.taken_by = 'shares' order by d.id limit 1""")
        session.ask("select gateway.webhook_outcome(o.id, 'shares', false, '500', 3600000, 259200, 0) from one o")
        session.ask("""update gateway.webhook_delivery d set taken_until = null, taken_by = null, next = now() + interval '1 hour'
            from one o where d.webhook = o.webhook and d.subject <> o.subject""")
        session.ask("update gateway.webhook h set rests_until = now() + interval '1 hour' from one o where h.id <> o.webhook")
        assert session.ask("select t.event = 'e1', t.attempts from gateway.webhook_take('shares', 60, 32) t join one o on o.webhook = t.webhook") == [["t", "0"]]
    finally:
        session.end()


FAR = "9000000000000000000"
# Each statement that a gateway runs by itself or for a request, in an order in which each has rows to read.
RUN = ("select rows, trouble from gateway.webhook_step('{}', '{}', 4000)", "select waiting, dead from gateway.webhook_state()",
       "select gateway.webhook_outcome(%(taken)s, 'plans', false, '500', 1000, 1, 0)", "select gateway.webhook_outcome(%(second)s, 'plans', true, '200', 1000, 259200, 0)",
       "update gateway.webhook set rests_until = now() where id = %(hook)s", "select count(*) from gateway.webhook_take('plans', 60, 32)",
       "select id, waiting, dead from gateway.webhook_list(0)", "select count(*) from gateway.webhook_given_up(1, %(hook)s, 0, 50)",
       "select count(*) from gateway.webhook_given_up(1, %(hook)s, %(taken)s + 200000, 50)", "select count(*) from gateway.webhook_dead(1, %(hook)s, %(taken)s + 200000, 50)",
       "select count(*) from gateway.webhook_waiting(1, %(hook)s, 'epoch', 0, 50)", "select count(*) from gateway.webhook_waiting(1, %(hook)s, now() - interval '1 minute', 0, 50)",
       f"select count(*) from gateway.webhook_accepted(1, %(hook)s, {FAR}, 50)", "select count(*) from gateway.webhook_accepted(1, %(hook)s, 5000, 50)",
       "select gateway.webhook_resend(1, %(hook)s, 'all')", "select gateway.webhook_resend(1, %(hook)s, 'plan-200000')", "select gateway.webhook_skip(1, %(hook)s, 'all', 'plans')",
       "select gateway.webhook_skip(1, %(hook)s, 'plan-15000', 'plans')", "select gateway.webhook_end(1, %(hook)s)", "select gateway.webhook_purge()",
       "update gateway.webhook set ended = now() where ended is null", "select id from gateway.webhook_new(1, 'https://casino.invalid/', '{hit}', 'plans')")
NODE_ROWS_MAX = 10000


def plans_of(hook):
    """The plans of all statements that the functions of RUN execute, as auto_explain writes them: [{"Query Text", "Plan"}]. All of it is rolled back."""
    taken, second = (row[0] for row in place.sql(f"select id from gateway.webhook_delivery where webhook = {hook} and taken_by = 'plans' order by id"))
    done = subprocess.run([PSQL, "-d", place.stack["CARILLON_PG_ADMIN_DSN"], "-Xq", "-v", "ON_ERROR_STOP=1"], text=True, capture_output=True, timeout=120, check=False, input=f"""
        load 'auto_explain'; set auto_explain.log_min_duration = 0; set auto_explain.log_nested_statements = on; set auto_explain.log_analyze = on; set auto_explain.log_timing = off;
        set auto_explain.log_format = json; set auto_explain.log_level = 'notice'; set client_min_messages = 'notice';
        begin; select pg_advisory_xact_lock(7282, 0); update gateway.webhook set rests_until = now() where id = {hook};
        """ + ";\n".join(statement % {"hook": hook, "taken": taken, "second": second} for statement in RUN) + "; rollback;")
    assert done.returncode == 0 and "ERROR" not in done.stderr, done.stderr[-3000:]
    decoder = json.JSONDecoder(strict=False)
    return [decoder.raw_decode(done.stderr, found.end())[0] for found in re.finditer(r"duration: [0-9.]+ ms  plan:\s*", done.stderr)]


def nodes_of(plan):
    yield plan
    for below in plan.get("Plans", ()):
        yield from nodes_of(below)


def rows_read(node):
    """The rows that a node returns or filters, in all its loops. A bitmap of an index may count entries of dead rows."""
    return sum(value for name, value in node.items() if name == "Actual Rows" or name.startswith("Rows Removed by ")) * node.get("Actual Loops", 0)


def plans_are_bounded(hook):
    plans = plans_of(hook)
    for start in ("delete from gateway.webhook_delivery", "select array(select d.id", "select d.id, d.subject", "with first_rows"):
        assert any(plan["Query Text"].strip().startswith(start) for plan in plans), (start, [plan["Query Text"][:80] for plan in plans])
    for plan in plans:
        for node in nodes_of(plan["Plan"]):
            assert rows_read(node) <= NODE_ROWS_MAX, (rows_read(node), plan["Query Text"], node)
            assert (node["Node Type"], node.get("Relation Name")) not in {("Seq Scan", "webhook_delivery"), ("Seq Scan", "webhook_sent")}, (plan["Query Text"], node)


def test_plans_with_many_dead_events():
    """With 200,000 dead events and 20,000 waiting ones of a webhook, all the sent ones that are kept, and 12 webhooks that have ended, no node of a plan reads more than 10,000 rows; with
    statistics of before these rows, and with those of now."""
    place.sql("alter table gateway.webhook_delivery set (autovacuum_enabled = false)", writer=True)
    place.sql("analyze gateway.webhook_delivery", writer=True)
    place.sql("""insert into gateway.webhook (operator, url, kinds, salt, created_by, ended)
        select 1, 'https://casino.invalid/', '{hit}', gen_random_uuid(), 'plans', now() from generate_series(1, 12)""", writer=True)
    [[hook]] = place.sql("""insert into gateway.webhook (operator, url, kinds, salt, created_by, sent, failures, rests_until) values
        (1, 'https://casino.invalid/', '{hit}', gen_random_uuid(), 'plans', 10000, 9, now() + interval '1 hour') returning id""", writer=True)
    place.sql(f"""insert into gateway.webhook_delivery (webhook, event, kind, subject, body, dead, since, taken_by, taken_until)
        select {hook}, 'plan-' || n, 'hit', 'pool:' || n % 7, '{{}}', case when n > 20000 then now() - interval '1 day' end, now() - interval '1 hour', case when n < 3 then 'plans' end,
            case when n < 3 then now() + interval '1 hour' end from generate_series(1, 220000) n""", writer=True)
    place.sql(f"""insert into gateway.webhook_sent (webhook, position, number, event, kind, subject, created, attempts, answer)
        select {hook}, n, n, 'sent-' || n, 'hit', 'pool:1', now(), 1, '200' from generate_series(1, 10000) n""", writer=True)
    plans_are_bounded(hook)
    place.sql("analyze gateway.webhook_delivery", writer=True)
    plans_are_bounded(hook)
    assert (listed()[int(hook)]["waiting"], listed()[int(hook)]["dead"]) == (10000, 10000)
    everything = {"event": "all", "reason": "a test"}
    assert good(operator(place, f"/webhooks/{hook}/dead", everything), "resend").json == {"events": 2000}
    assert good(operator(place, f"/webhooks/{hook}/waiting", everything), "skip").json == {"events": 2000}
    place.sql(f"delete from gateway.webhook_delivery where webhook = {hook} and id % 20 > 0", writer=True)  # the rest takes several steps, too
    good(operator(place, f"/webhooks/{hook}", {"action": "end", "reason": "a test"}), "end")
    for table in ("webhook_delivery", "webhook_sent"):
        eventually("its events to go", lambda table=table: place.sql(f"select count(*) from gateway.{table} where webhook = {hook}") == [["0"]], 120)
    place.sql(f"update gateway.webhook set ended = now() - interval '2 minutes' where id = {hook}", writer=True)
    eventually("the end of it", lambda: place.sql(f"select cleared from gateway.webhook where id = {hook}") == [["t"]], 20)


if __name__ == "__main__":
    receiver = Receiver()
    with Place("webhooks") as place:
        run(*[test for name, test in list(globals().items()) if name.startswith("test_")])
