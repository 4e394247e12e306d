"""A person's play for the end-to-end tests: a player at the public HTTP API who keeps what he was told, scripts for the draws of an installation for
tests, and a WebSocket client of standard Python."""
import base64
import hashlib
import itertools
import json
import os
import re
import socket
import struct

from lib_rules import Rules, mac, stream_key, Stream
from lib_stack import ROOT, eventually

GAME = "bewitched"
RULES = Rules(f"{ROOT}/services/spin-engine/games/bewitched/definition.demo.json")
numbers = itertools.count(1000)  # of players: one test's must not meet another's


def player_id(text):
    operator, number = text.split("-")
    return int(operator) << 48 | int(number)


def force(place, player, *scripts):
    """Each script is for one bet of the player, in order; what a script leaves open the stream draws."""
    values = ",".join(f"({player_id(player)}, array{list(script)}::integer[])" for script in scripts)
    place.sql(f"insert into engine.forced_draw (player, script) values {values}", writer=True)


def checking(keys):
    """Of the lines of a gateway's token.key, those of notifications: the keys that only check (libcommon/edge/token.h)."""
    return re.sub(r"\b[0-9a-fA-F]{64}\b", lambda key: hashlib.sha256(f"{key.group().lower()} checks tokens".encode()).hexdigest(), keys)


class Refused(AssertionError):
    def __init__(self, answer, asked=""):
        super().__init__(f"{asked}: {answer!r}")
        self.answer = answer


def good(answer, asked, status=200):
    """The answer, which must have that status; one that a service could not give just now is waited for by eventually()."""
    if answer.status != status:
        raise Refused(answer, asked)
    return answer


class Person:
    """Plays one game with the numbers and keys that the API asks for; every answer is the new state."""

    def __init__(self, place, currency="EUR", number=None, deposit=0, game=GAME):
        self.place, self.game, self.number = place, game, number or next(numbers)
        asked = {"player": self.number, "currency": currency}  # has one effect, however often it is asked for
        answer = eventually("a session", lambda: good(place.http("POST", "/v1/demo/sessions", asked), f"a session {asked}"), 20)
        self.session = answer.json
        self.token, self.name = answer.json["token"], answer.json["player"]
        self.id = player_id(self.name)
        self.state = answer.json["state"]
        self.told = []  # rounds as the answers gave them
        self.promises = {self.expect: self.state["secret_hash"]}
        if deposit:
            self.deposit(deposit)

    @property
    def expect(self):
        return self.state["expect"]

    @property
    def balance(self):
        return self.state["balance_minor"]

    @property
    def round(self):
        return self.state.get("round")

    def ask(self, method, path, body=None, key=None, status=200, keep=True):
        answer = self.place.http(method, path, body, token=self.token, key=key or os.urandom(8).hex() if method == "POST" else None)
        if keep and isinstance(answer.json, dict) and answer.json.get("expect") is not None and answer.status != 422:
            self.state = {**self.state, **{k: v for k, v in answer.json.items() if k != "error"}}
            self.promises[self.expect] = self.state["secret_hash"]
        good(answer, f"{method} {path} {body}", status)
        if answer.status == 200 and isinstance(answer.json, dict) and answer.json.get("round"):
            self.told.append(answer.json["round"])
        return answer

    def refresh(self):
        return self.ask("GET", f"/v1/state?game={self.game}").json

    def bet_body(self, coin=1, lines=1, coins=1, nonce=None, mode=None, **more):
        return {"game": self.game, "expect": self.expect, "bet": {"coin_minor": coin, "lines": lines, "coins": coins, **({"mode": mode} if mode else {})},
                "nonce": nonce or os.urandom(16).hex(), **more}

    def bet(self, coin=1, lines=1, coins=1, key=None, status=200, **more):
        return self.ask("POST", "/v1/rounds", self.bet_body(coin, lines, coins, **more), key, status)

    def action_body(self, action, cursor=None, choice=None, expect=None):
        body = {"game": self.game, "expect": self.expect if expect is None else expect, "action": action}
        if action in ("pick", "next"):
            body["cursor"] = self.round["cursor"] if cursor is None else cursor
        if choice is not None:
            body["choice"] = choice
        return body

    def act(self, action, choice=None, key=None, status=200, **more):
        return self.ask("POST", f"/v1/rounds/{self.round['round']}/actions", self.action_body(action, choice=choice, **more), key, status)

    def awarded(self):
        """Pools have paid what the open round won, and the engine knows: an answer that tells of a jackpot waits one second for that, no longer."""
        def known():
            left, last = self.place.sql("select count(*) filter (where closed_seq is null), coalesce(max(closed_seq), 0) from wallet.claim"
                                        f" where player = {self.id} and move = {self.round['round']} and kind = 1")[0]
            return left == "0" and int(self.refresh()["balance_seq"]) >= int(last)
        eventually("the awards", known, 20)

    def setting(self, status=200, **change):
        return self.ask("POST", "/v1/settings", {"game": self.game, "expect": self.expect, **change}, status=status)

    def through(self, path, body, key=None, seconds=20):
        """The same request, by the same key, until it is answered: what it asks for is done once, whoever died over it."""
        key = key or os.urandom(8).hex()
        return eventually("an answer", lambda: self.ask("POST", path, body, key), seconds, 0.2)

    def bet_through(self, coin=1, lines=1, coins=1, **more):
        return self.through("/v1/rounds", self.bet_body(coin, lines, coins, **more))

    def watch(self):
        """Through the feature, to its end; the phases in order."""
        phases = {phase["index"]: phase for phase in self.told_whole()}
        picks = itertools.cycle(range(9))
        while self.round and self.round["next"] in ("pick", "next"):
            self.act("pick", choice=next(picks)) if self.round["next"] == "pick" else self.act("next")
            for phase in self.round["phases"]:
                phases[phase["index"]] = phase
        return [phases[i] for i in sorted(phases)]

    def told_whole(self):
        """The phases of the round at hand, those of further pages among them."""
        round_ = self.round
        phases = list(round_["phases"])
        while round_["phase_from"] + len(phases) < round_["cursor"]:
            phases += self.page(round_["phase_from"] + len(phases))
        return phases

    def page(self, from_):
        """A page of the round at hand, from that phase on."""
        path = f"/v1/state?game={self.game}&round={self.round['round']}&from={from_}"
        return good(self.place.http("GET", path, token=self.token), path).json["round"]["phases"]

    def operator(self, what, body, key=None, status=None):
        answer = operator(self.place, f"/players/{self.number}/{what}", body, key)
        return good(answer, f"{what} {body}", status) if status else answer

    def deposit(self, amount, key=None):
        key, body = key or os.urandom(8).hex(), {"amount_minor": amount, "currency": self.state["currency"]}
        answer = eventually("the deposit", lambda: next((a for a in [self.operator("deposits", body, key)] if a.status not in (503, 504)), None), 20)
        if answer.status == 202:  # more than one may book alone
            good(second_key(self.place, lambda: operator(self.place, f"/amounts/{answer.json['id']}/approve", {"reason": "a test"}, operator_key=SECOND_KEY)), "an approval")
            answer = good(self.operator("deposits", body, key), "the deposit", 200)
        assert answer.status in (200, 201), answer
        self.state["balance_minor"] = answer.json["balance_minor"]
        return answer.json

    # ---- the house's secrets, which this test may read from the folder ----

    def next_secret(self, key=None):
        """The secret of the next move: HMAC(service key, player, move, salt), the salt from the last move's record. `key` in place of the service's."""
        record = self.place.sql(f"select encode(record, 'hex') from wallet.journal where player = {self.id} and kind between 1 and 8 order by move desc limit 1")[0][0]
        fields = protobuf(bytes.fromhex(record))
        keys = dict(line.split() for line in open(f"{self.place.data}/keys/spin-engine/spin-engine.key", encoding="ascii"))
        return mac(key or bytes.fromhex(keys[str(fields[4])]), struct.pack(">QQ", self.id, self.expect), fields[3])


def operator(place, path, body, key=None, method="POST", operator_key=None, number=1):
    return place.http(method, f"/v1/operators/{number}{path}", body, token=operator_key or place.operator_key(), key=key or os.urandom(8).hex())


SECOND_KEY = "another key of the first operator, whose holder approves"


def second_key(place, ask=None):
    """What the second key gets for an answer; it is made where it is needed first. Without a question it is only made."""
    digest = hashlib.sha256(SECOND_KEY.encode()).hexdigest()
    place.sql(f"insert into gateway.operator_key (operator, digest) values (1, '\\x{digest}') on conflict do nothing", writer=True)
    return ask and eventually("the second key", lambda: next((a for a in [ask()] if a.status not in (401, 503, 504)), None), 60)


def approve(place, pool, name, key=SECOND_KEY):
    """Another key of the operator says yes to what waits for it."""
    return operator(place, f"/pools/{pool}/actions/{name}/approve", None, operator_key=key)


def pool_action(place, pool, action, parameters=None, key=None, approved=True, **whose):
    """What an operator asks of a pool; where it needs two, the second one approves. The second key is made where it is needed first."""
    body = {"action": action, "reason": "a test", **({"parameters": parameters} if parameters is not None else {})}
    answer = operator(place, f"/pools/{pool}/actions", body, key, **whose)
    if answer.status != 202 or not approved:
        return answer
    return second_key(place, lambda: approve(place, pool, answer.json["id"]))


def gamble_cards(secret, nonce, n):
    stream = Stream(stream_key(secret, nonce, "gamble"))
    suits = [("clubs", "diamonds", "hearts", "spades").index(s) for s in RULES.definition["gamble"]["suits"]]
    drawn = [stream.below(len(suits) * 13) for _ in range(n)]
    return [suits[d // 13] * 13 + d % 13 for d in drawn]


def fields(data):
    """[number, wire type, value] in order."""
    found, at = [], 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        tag = number()
        if tag & 7 == 0:
            found.append([tag >> 3, 0, number()])
        else:
            assert tag & 7 == 2, f"wire type {tag & 7}"
            length = number()
            found.append([tag >> 3, 2, bytes(data[at:at + length])])
            at += length
    return found


def protobuf(data):
    """Last value of each field: numbers, and bytes of anything longer."""
    return {number: value for number, _, value in fields(data)}


# ---- live events ----

class Socket:
    """A WebSocket: JSON text frames both ways; the close code when it has been closed."""

    def __init__(self, url, subscribe=None, timeout=40, origin=None, source=None):
        rest = url.split("://", 1)[1]
        host, path = rest.split("/", 1)
        name, port = host.rsplit(":", 1)
        self.socket = socket.create_connection((name, int(port)), timeout=timeout, source_address=source and (source, 0))
        key = base64.b64encode(os.urandom(16)).decode()
        page = f"Origin: {origin}\r\n" if origin else ""
        self.socket.sendall((f"GET /{path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
                             f"{page}Sec-WebSocket-Version: 13\r\n\r\n").encode())
        self.buffer, self.close_code, self.seen = b"", None, []
        while b"\r\n\r\n" not in self.buffer:
            more = self.socket.recv(4096)
            assert more, f"closed instead of an upgrade: {self.buffer}"
            self.buffer += more
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        assert head.startswith(b"HTTP/1.1 101"), head
        accept = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest())
        assert accept.lower() in head.lower(), head
        if subscribe is not None:
            self.send(subscribe)

    def send(self, value, opcode=1):
        data = value if isinstance(value, bytes) else (value if isinstance(value, str) else json.dumps(value)).encode()
        mask = os.urandom(4)
        length = bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + struct.pack(">H", len(data)) if len(data) < 65536 else b"\xff" + struct.pack(">Q", len(data))
        self.socket.sendall(bytes([0x80 | opcode]) + length + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(data)))

    def bytes(self, n):
        while len(self.buffer) < n:
            more = self.socket.recv(65536)
            if not more:
                raise ConnectionError("closed")
            self.buffer += more
        taken, self.buffer = self.buffer[:n], self.buffer[n:]
        return taken

    def next(self):
        """The next event, or None when the server has closed."""
        text = b""
        while True:
            try:
                first, second = self.bytes(2)
                length = second & 127
                if length == 126:
                    length = struct.unpack(">H", self.bytes(2))[0]
                elif length == 127:
                    length = struct.unpack(">Q", self.bytes(8))[0]
                data = self.bytes(length)
            except ConnectionError:
                return None
            opcode = first & 15
            if opcode == 8:
                self.close_code = struct.unpack(">H", data[:2])[0] if len(data) >= 2 else 1005
                return None
            if opcode == 9:
                self.send(data, 10)
            elif opcode in (0, 1):
                text += data
                if first & 0x80:
                    event = json.loads(text)
                    self.seen.append(event)
                    return event

    def until(self, wanted):
        while True:
            event = self.next()
            assert event is not None, f"closed with {self.close_code}; seen {self.seen[-5:]}"
            if wanted(event):
                return event

    def close(self):
        self.socket.close()
