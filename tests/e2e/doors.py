#!/usr/bin/env python3
"""Clients that only take: a crowd of silent connections, of half-open handshakes, a flood of requests, clients that do not read, and a gateway without
descriptors. Old clients go on meanwhile, new ones are served, and nothing spins. Connections come from many addresses of 127.0.0.0/8.

`doors.py [CONNECTIONS [FILE]] [TEST]...`: 2,000 unless said otherwise; `make bench BENCH=doors` takes 10,000. FILE: where the figures go, as JSON."""
import http.client
import json
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import threading
import time

from lib_patience import during, let_time_pass, time_out
from lib_play import Person, Socket
from lib_stack import BIN, ROOT, Installation, eventually, read_text, run

CROWD = int(sys.argv.pop(1)) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 2000
FIGURES = sys.argv.pop(1) if len(sys.argv) > 1 and sys.argv[1].endswith(".json") else None
LONG = CROWD > 5000
SPINS_S = 0.1  # between the bets of an old client
GOAL_S = 2  # after an attack, until a new client is served: printed, not demanded
ROOM = CROWD // 2  # connections that a server takes: half the crowd
DOORS = "{0}_UNLIMITED=127.0.0.1 {0}_ADDRESS_RATE_PER_S=500 {0}_NETWORK_RATE_PER_S=5000 {0}_CONNECTIONS_MAX=%d {0}_HALF_OPEN_MAX=%d " \
        "{0}_ADDRESS_CONNECTIONS=%d {0}_NETWORK_CONNECTIONS=0 {0}_ARRIVAL_S=5 {0}_HOSTS=127.0.0.1" % (ROOM, ROOM // 2, CROWD // 40)
SETTINGS = {"gateway-1": DOORS.format("GATEWAY"), "notifications-1": DOORS.format("NOTIFICATIONS") + " NOTIFICATIONS_SUBSCRIBE_S=3"}
place = None
old = None  # the clients that were there before
measured = {}
sent = []  # right credentials


def crowd_of(count):
    """So many, or as many as this process may have open."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 300
    if count > most:
        print(f"note: {most} connections instead of {count}: the limit of open files")
    return min(count, most)


def with_settings():
    place.renew(SETTINGS)
    eventually("the gateway", lambda: place.http("GET", "/readyz", timeout=2).status == 200, 20)
    eventually("notifications", lambda: served(port("notifications-1"), "/readyz"), 20)


def port(name):
    return int(place.ports["HTTP_PORT" if name.startswith("gateway") else "EVENTS_PORT_1"])


def status_kb(name, field):
    return int(re.search(rf"^{field}:\s+(\d+) kB", read_text(f"/proc/{place.pid(name)}/status"), re.M).group(1))


def cpu_s(name):
    fields = read_text(f"/proc/{place.pid(name)}/stat").rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def served(to, path="/healthz"):
    """A new client's first request; how long it took."""
    began = time.monotonic()
    connection = http.client.HTTPConnection("127.0.0.1", to, timeout=60)
    try:
        connection.request("GET", path)
        assert connection.getresponse().status == 200
    finally:
        connection.close()
    return max(time.monotonic() - began, 1e-6)


class OldClients:
    """One player who bets all the time on a connection that is kept, and one who listens."""

    def __init__(self):
        self.person = Person(place, deposit=100000)
        self.connection = http.client.HTTPConnection("127.0.0.1", port("gateway-1"), timeout=60)
        self.events = Socket(f"ws://127.0.0.1:{port('notifications-1')}/v1/events", {"subscribe": ["jackpots"]}, timeout=60)
        self.times, self.faults, self.frames, self.stop = [], [], 0, threading.Event()
        self.threads = [threading.Thread(target=self.play), threading.Thread(target=self.listen)]
        for thread in self.threads:
            thread.start()

    def bet(self):
        body = self.person.bet_body()
        began = time.monotonic()
        self.connection.request("POST", "/v1/rounds", json.dumps(body), {"Content-Type": "application/json", "Authorization": f"Bearer {self.person.token}",
                                                                        "Idempotency-Key": os.urandom(8).hex()})
        answer = self.connection.getresponse()
        state = json.loads(answer.read())
        self.times.append(time.monotonic() - began)
        assert answer.status == 200 or answer.status == 409, (answer.status, state)
        self.person.state = {**self.person.state, **{k: v for k, v in state.items() if k != "error"}}

    def step(self):
        """A bet, or what the open round asks for, by the same connection."""
        state = self.person.state
        if (state.get("round") or {}).get("open", False) or state.get("pending_minor"):
            self.connection.request("GET", f"/v1/state?game={self.person.game}", headers={"Authorization": f"Bearer {self.person.token}"})
            answer = self.connection.getresponse()
            self.person.state = {**state, **json.loads(answer.read())}
        self.bet()

    def play(self):
        while not self.stop.wait(SPINS_S):
            try:
                self.step()
            except Exception as error:  # noqa: BLE001 - told by check()
                self.faults.append(f"bet {len(self.times)}: {error!r}")
                return

    def listen(self):
        try:
            while not self.stop.is_set():
                if self.events.next() is None:
                    self.faults.append(f"the listener was closed with {self.events.close_code}")
                    return
                self.frames += 1
        except OSError as error:
            if not self.stop.is_set():
                self.faults.append(f"the listener: {error!r}")

    def check(self):
        assert not self.faults, self.faults

    def end(self):
        self.stop.set()
        self.events.socket.shutdown(socket.SHUT_RDWR)
        for thread in self.threads:
            thread.join()


class Crowd:
    """Connections from many addresses, opened without waiting."""

    def __init__(self, to, count, first=b""):
        self.to, self.first, self.sockets, self.refused = to, first, [], 0
        for i in range(count):
            self.open(i)

    def open(self, i):
        one = socket.socket()
        one.setblocking(False)
        try:
            one.bind((f"127.{10 + i % 7}.{i // 50 % 250}.{1 + i % 50}", 0))
            one.connect_ex(("127.0.0.1", self.to))
        except OSError:
            self.refused += 1
            one.close()
            return
        self.sockets.append(one)

    def send(self, data):
        for one in self.sockets:
            try:
                one.send(data)
            except OSError:
                self.refused += 1

    def close(self):
        for one in self.sockets:
            one.close()
        self.sockets = []


def breathe(_):
    let_time_pass(0.2, "between new clients")


def under_attack(name, to, crowd, seconds, each):
    """New clients come while the crowd does `each`; afterwards they are served again. Tells the longest wait of both."""
    waits, spins, opened = [], len(old.times), len(crowd.sockets)

    def turn():
        each(crowd)
        try:
            waits.append(served(to))
        except (OSError, http.client.HTTPException, AssertionError):
            waits.append(float("inf"))
        return len(old.times) > spins or old.faults
    for _ in during(seconds, "the crowd goes on"):
        turn()
    eventually("a bet of the old client during the attack", lambda: len(old.times) > spins or old.faults or turn(), 10)  # it may be slow
    crowd.close()
    began = time.monotonic()
    eventually("a new client after the attack", lambda: served(to), 60)
    after = time.monotonic() - began
    times = sorted(old.times[spins:])
    assert times, "the old client did not play"
    old.check()
    missed = sum(wait == float("inf") for wait in waits)
    longest = max((wait for wait in waits if wait != float("inf")), default=float("inf"))
    measured[name] = {"connections": opened, "old_p50_ms": round(times[len(times) // 2] * 1000, 1), "old_max_ms": round(times[-1] * 1000, 1), "old_spins": len(times),
                      "new_asked": len(waits), "new_missed": missed, "new_max_ms": round(longest * 1000, 1), "after_ms": round(after * 1000, 1), "after_goal_ms": GOAL_S * 1000}
    print(f"measured: {name}: {measured[name]}")
    print(f"measured: {name}: a new client was served {after:.2f} s after the end (goal: {GOAL_S} s)")
    return missed


def test_silent_connections():
    """Slowloris: a head that never ends, by a few bytes at a time."""
    shed = place.metric("gateway-1", "carillon_http_connections_shed_total")
    crowd = Crowd(port("gateway-1"), crowd_of(CROWD))
    crowd.send(b"GET / HTTP/1.1\r\nHost: x\r\n")
    assert under_attack("slow heads", port("gateway-1"), crowd, 8 if LONG else 3, lambda crowd: (crowd.send(b"X-A: b\r\n"), breathe(crowd))) == 0
    assert place.metric("gateway-1", "carillon_http_connections_shed_total") > shed, "nobody had to make room"
    assert place.metric("gateway-1", "carillon_http_half_open") <= ROOM // 2


def test_half_open_handshakes():
    """WebSocket handshakes that stop in the middle, and others that never subscribe."""
    to = port("notifications-1")
    crowd = Crowd(to, crowd_of(CROWD))
    half = b"GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    crowd.send(half)
    for one in crowd.sockets[::4]:
        try:
            one.send(b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
        except OSError:
            pass
    assert under_attack("half handshakes", to, crowd, 6 if LONG else 3, breathe) == 0


def test_flood_of_requests():
    """Each address asks as fast as it can: what is too much gets 429, the old client plays on."""
    limited = place.metric("gateway-1", "carillon_http_requests_limited_total")
    crowd = Crowd(port("gateway-1"), crowd_of(CROWD if LONG else CROWD // 10))
    request = b"GET /v1/jackpots HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"

    flooder = os.fork()
    if flooder == 0:  # a process of its own: it must not slow the clients that are measured
        for _ in during(20, "the flood"):
            crowd.send(request * 20)
            for one in crowd.sockets:
                try:
                    one.recv(1 << 16)
                except OSError:
                    pass
        os._exit(0)
    try:
        under_attack("flood of requests", port("gateway-1"), crowd, 5 if LONG else 3, breathe)
    finally:
        os.kill(flooder, signal.SIGKILL)
        os.waitpid(flooder, 0)
    one = socket.socket()
    one.bind(("127.99.1.1", 0))
    one.connect(("127.0.0.1", port("gateway-1")))
    one.settimeout(10)
    one.sendall(request * 3000)
    got = b""
    while b" 429 " not in got:
        more = one.recv(1 << 16)
        assert more, "closed before a request was too many"
        got = got[-20:] + more
    one.close()
    assert place.metric("gateway-1", "carillon_http_requests_limited_total") > limited


def test_one_address_has_its_share():
    many = []
    for _ in range(CROWD // 40 + 20):
        one = socket.socket()
        one.bind(("127.98.1.1", 0))
        one.connect(("127.0.0.1", port("gateway-1")))
        many.append(one)
    closed = 0
    for one in many:
        one.settimeout(10)
        try:
            one.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            closed += one.recv(4096) == b""
        except OSError:
            closed += 1
    for one in many:
        one.close()
    assert closed == 20, closed
    assert served(port("gateway-1"))


def ask_from(address, method, path, token=None, body=None, name="gateway-1"):
    """(status, the error's code, Retry-After) of a request from an address of this machine."""
    connection = http.client.HTTPConnection("127.0.0.1", port(name), timeout=30, source_address=(address, 0))
    headers = {**({"Authorization": f"Bearer {token}"} if token else {}), **({"Content-Type": "application/json"} if body else {})}
    try:
        connection.request(method, path, body and json.dumps(body), headers)
        answer = connection.getresponse()
        content = json.loads(answer.read())
    finally:
        connection.close()
    return answer.status, content.get("error", {}).get("code"), int(answer.getheader("Retry-After") or 0)


def wrong_until_slowed(ask):
    """Wrong credentials one after the other: how many were looked at, and the wait that the address was told."""
    for i in range(200):
        status, code, wait_s = ask(i)
        if status == 429:
            assert code == "too_many_wrong" and wait_s > 0, (code, wait_s)
            return i, wait_s
        assert status == 401, (i, status, code)
    raise AssertionError("200 wrong credentials, and the address was never slowed")


KEYS, STATE, LOGIN = "/v1/operators/1/fx-rates", "/v1/state?game=bewitched", "/v1/operator/login"
WRONG = "carillon_gateway_wrong_credentials_total"
SLOW = "must wait"


def test_wrong_credentials_slow_their_address():
    """Keys, tokens and log-ins: an address that guesses must wait, ever longer. Its neighbours never do, nor do its right tokens and keys."""
    key, token = place.operator_key(), Person(place).token
    password = subprocess.run([f"{BIN}/jackpotctl", "user", "add", "doors", "--roles", "viewer"], env={**place.environment, **place.stack}, capture_output=True,
                              text=True, timeout=time_out(30), check=True).stdout.split()[-1]
    before = {kind: place.metric("gateway-1", f'{WRONG}{{kind="{kind}"}}') for kind in ("key", "token", "login")}
    refused = place.metric("gateway-1", "carillon_gateway_tries_refused_total")
    right = {"operator": 1, "name": "doors", "password": password}
    sent.extend((key, token, password))
    forged = token[:-6] + ("AAAAAA" if token[-6:] != "AAAAAA" else "BBBBBB")
    for net, kind, ask in ((1, "key", lambda at, i: ask_from(at, "GET", KEYS, f"guess{i:059}")),
                           (2, "token", lambda at, i: ask_from(at, "GET", STATE, forged)),
                           (3, "login", lambda at, i: ask_from(at, "POST", LOGIN, body={**right, "name": f"nobody{i}"}))):
        guesser, neighbour = f"127.96.{net}.1", f"127.96.{net}.2"
        looked_at, wait_s = wrong_until_slowed(lambda i: ask(guesser, i))
        assert looked_at >= 10 and wait_s <= 10, (kind, looked_at, wait_s)
        assert place.metric("gateway-1", f'{WRONG}{{kind="{kind}"}}') == before[kind] + looked_at, kind
        # On a slow machine the wait may end before it is seen: the next one is twice as long.
        eventually(f"a right log-in to be refused after {kind}s", lambda: (
            wrong_until_slowed(lambda i: ask(guesser, i)), ask_from(guesser, "POST", LOGIN, None, right)[:2] == (429, "too_many_wrong"))[1], 60)
        wrong_until_slowed(lambda i: ask(guesser, i))
        for shared in (("GET", KEYS, key), ("GET", STATE, token)):
            assert ask_from(guesser, *shared)[0] == 200, (kind, shared[1])
        assert ask_from(guesser, "GET", "/v1/jackpots")[0] == 200, "without a credential"
        for free in (("GET", KEYS, key), ("GET", STATE, token), ("POST", LOGIN, None, right)):
            assert ask_from(neighbour, *free)[0] == 200, (kind, free[1])
    assert place.metric("gateway-1", "carillon_gateway_tries_refused_total") >= refused + 3


def wrong_log(name, *with_all):
    """The messages of a service about wrong credentials that hold these texts."""
    messages = [json.loads(line)["message"] for line in read_text(f"{place.data}/log/{name}.log").splitlines() if "wrong credentials" in line]
    return "\n".join(one for one in messages if all(text in one for text in with_all))


def gateway_log(*with_all):
    return wrong_log("gateway-1", *with_all)


def closed_with(address, token):
    """The close code for a subscription with this token; 0: it is served."""
    events = Socket(f"ws://127.0.0.1:{port('notifications-1')}/v1/events", {"subscribe": ["jackpots", "player"], "token": token}, timeout=60, source=address)
    try:
        return events.close_code if events.next() is None else 0
    finally:
        events.close()


def test_wrong_tokens_for_events():
    """The WebSocket and the stream count, log and slow them as the gateway does. A token that was ended and a missing one are no guesses."""
    name, counted, stream = "notifications-1", 'carillon_notifications_wrong_credentials_total{kind="token"}', "/v1/events/stream?channels=player"
    person, ended, latest = Person(place), Person(place).token, "/v1/events/latest?channels=player"
    forged = person.token[:-6] + ("AAAAAA" if person.token[-6:] != "AAAAAA" else "BBBBBB")
    sent.extend((person.token, forged))
    assert place.http("POST", "/v1/logout", token=ended).status == 200
    eventually("the end of a session", lambda: closed_with("127.96.7.9", ended) == 4005, 30)
    before, refused = place.metric(name, counted), place.metric(name, "carillon_notifications_tries_refused_total")
    for _ in range(12):
        assert closed_with("127.96.7.1", ended) == 4005 and closed_with("127.96.7.1", "") == 4001
        assert ask_from("127.96.7.1", "GET", stream, ended, name=name)[0] == 401 and ask_from("127.96.7.1", "GET", stream, name=name)[0] == 401
    assert place.metric(name, counted) == before and not wrong_log(name, "127.96.7.1"), wrong_log(name)

    looked_at = next(i for i in range(200) if closed_with("127.96.8.1", forged) != 4001)
    assert looked_at >= 10 and place.metric(name, counted) == before + looked_at, (looked_at, place.metric(name, counted), before)
    assert wrong_log(name, "a token from 127.96.8.1 at /v1/events", SLOW), wrong_log(name)
    for address, path in (("127.96.9.1", stream), ("127.96.10.1", latest)):
        looked_at, wait_s = wrong_until_slowed(lambda _, at=address, path=path: ask_from(at, "GET", path, forged, name=name))
        assert looked_at >= 10 and wait_s <= 10, (path, looked_at, wait_s)
    # On a slow machine the wait may end before it is seen: the next one is twice as long.
    eventually("a wrong token to be closed with 1008", lambda: closed_with("127.96.9.1", forged) == 1008, 60)
    assert closed_with("127.96.9.1", person.token) == 0 and closed_with("127.96.9.2", forged) == 4001
    assert closed_with("127.96.9.1", "") == 4001, "a missing token is no guess"
    assert place.metric(name, "carillon_notifications_tries_refused_total") >= refused + 4
    text = read_text(f"{place.data}/log/{name}.log")
    assert not [one for one in sent if one in text], "the log has a credential"


def test_waits_grow_and_end():
    address = "127.96.4.1"
    for wait_s in (10, 20):
        wrong_until_slowed(lambda i: ask_from(address, "GET", KEYS, f"guess{i:059}"))
        assert f"{SLOW} {wait_s} s" in gateway_log(address), gateway_log(address)
        eventually("the end of the wait", lambda: ask_from(address, "GET", KEYS, "one more guess")[0] == 401, 60, pause=0.5)


def test_what_was_right_once_is_no_guess():
    """A page may send a token whose session was ended; networks without limits are told, but never slowed."""
    token, address = Person(place).token, "127.96.5.1"
    assert ask_from(address, "POST", "/v1/logout", token)[0] == 200
    for _ in range(25):
        assert ask_from(address, "GET", STATE, token)[:2] == (401, "logged_out")
        assert ask_from(address, "GET", STATE)[:2] == (401, "token_missing")
        assert place.http("GET", KEYS, token="an unlisted guess").status == 401
    assert not gateway_log(address) and place.http("GET", KEYS, token=place.operator_key()).status == 200


def test_wrong_credentials_are_logged():
    """Each, or how many more there were; with the address, and never what was sent."""
    def told():
        return len(gateway_log(" from 127.").splitlines()) + sum(int(n) for n in re.findall(r"(\d+) more in", gateway_log("more in")))
    eventually("a line with the address", lambda: place.http("GET", KEYS, token="an unlisted guess").status == 401 and gateway_log("a key from 127.0.0.1 at /v1/operators/{}/fx-rates"), 20,
               pause=0.5)
    eventually("a line of each", lambda: told() == place.metric("gateway-1", WRONG), 20)
    text = read_text(f"{place.data}/log/gateway-1.log")
    assert not [one for one in ("guess", *sent) if one in text], "the log has a credential"


def test_clients_that_do_not_read():
    """What waits for them is bounded, and given back when they have gone."""
    pages = [os.path.join(folder, name) for folder, _, names in os.walk(f"{ROOT}/build/web") for name in names]
    page = os.path.relpath(max(pages, key=os.path.getsize), f"{ROOT}/build/web")
    before = status_kb("gateway-1", "VmRSS")
    crowd = Crowd(port("gateway-1"), 0)
    for i in range(400 if LONG else 150):
        one = socket.socket()
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        one.bind((f"127.97.{i // 20}.{1 + i % 20}", 0))
        one.connect(("127.0.0.1", port("gateway-1")))
        one.sendall(f"GET /{page} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        crowd.sockets.append(one)
    peak = max(status_kb("gateway-1", "VmRSS") for _ in during(1, "answers fill the buffers", 0.1))
    assert under_attack("no reading", port("gateway-1"), crowd, 1, breathe) == 0
    eventually("memory given back", lambda: status_kb("gateway-1", "VmRSS") < before + max((peak - before) // 3, 4096), 15)
    measured["memory_kb"] = {"before": before, "peak": peak, "after": status_kb("gateway-1", "VmRSS")}
    print(f"measured: memory of {400 if LONG else 150} clients that do not read: {measured['memory_kb']}")


def open_files(pid, soft=None, hard=None):
    """How many files the process may have open, or sets that. Not every root may change the limits of another user's process: done as that user."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        ids = {line.split()[0]: line.split()[1] for line in file if line.startswith(("Uid:", "Gid:"))}
    user = [] if int(ids["Uid:"]) == os.getuid() else ["setpriv", "--reuid", ids["Uid:"], "--regid", ids["Gid:"], "--clear-groups"]
    words = ["--nofile", "--output=SOFT,HARD", "--noheadings", "--raw"] if soft is None else [f"--nofile={soft}:{hard}"]
    done = subprocess.run([*user, "prlimit", f"--pid={pid}", *words], capture_output=True, text=True, timeout=time_out(30), check=True)
    return [int(word) for word in done.stdout.split()]


def test_without_descriptors():
    """The limit of open files is reached while a crowd connects: the loop does not spin, the old client plays on, and new ones are served again."""
    name = "gateway-1"
    pid = place.pid(name)
    limit = open_files(pid)
    taken = {int(fd) for fd in os.listdir(f"/proc/{pid}/fd")}
    # New descriptors have the lowest free numbers, and earlier tests leave gaps: twenty are free below the limit.
    free = [fd for fd in range(len(taken) + 20) if fd not in taken][:20]
    open_files(pid, free[-1] + 1, limit[1])
    cpu, began = cpu_s(name), time.monotonic()
    crowd = Crowd(port(name), crowd_of(CROWD if LONG else CROWD // 4))
    try:
        eventually("accept to fail", lambda: "cannot accept a connection" in read_text(f"{place.data}/log/{name}.log"), 10)
        let_time_pass(2, "failures of accept are counted by the second")
    finally:
        open_files(pid, *limit)
    took = time.monotonic() - began
    measured["cpu_without_descriptors"] = round((cpu_s(name) - cpu) / took, 3)
    failures = place.metric(name, "carillon_http_accept_failures_total")
    print(f"measured: without descriptors for {took:.1f} s: {failures} failures of accept, {measured['cpu_without_descriptors']} of a processor")
    assert failures <= took * 50 + 2, failures
    under_attack("after that", port(name), crowd, 1, breathe)
    assert place.pid(name) == pid, "the gateway was restarted"


def test_old_clients_noticed_nothing():
    eventually("frames", lambda: old.frames > 0, 10)
    old.check()
    old.end()
    for name in ("gateway-1", "notifications-1"):
        assert place.status()[name][2] <= 1, place.status()[name]


def main():
    global place, old
    need = CROWD + 500
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(need, hard)), hard))
    with Installation("doors") as place:
        with_settings()
        old = OldClients()
        try:
            run(test_silent_connections, test_half_open_handshakes, test_flood_of_requests, test_one_address_has_its_share,
                test_wrong_credentials_slow_their_address, test_waits_grow_and_end, test_what_was_right_once_is_no_guess, test_wrong_tokens_for_events, test_wrong_credentials_are_logged,
                test_clients_that_do_not_read, test_without_descriptors, test_old_clients_noticed_nothing)
        finally:
            old.stop.set()
            if FIGURES:
                with open(FIGURES, "w", encoding="utf-8") as file:
                    json.dump(measured, file, indent=1)


if __name__ == "__main__":
    main()
