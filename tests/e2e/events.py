#!/usr/bin/env python3
"""Live events, from outside and by raw frames: one payload by WebSocket, event stream and polling; compression; resume at another instance; clients who do
not read; draining. Two instances of notifications, with short times and small queues."""
import base64
import json
import os
import signal
import socket
import struct
import urllib.error
import urllib.request
import zlib

from lib_play import RULES, Person, force
from lib_raw import envelope, field, raw
from lib_stack import Installation, eventually, run

SETTINGS = "NOTIFICATIONS_PING_S=2 NOTIFICATIONS_QUEUE_MAX=4 NOTIFICATIONS_SEND_BYTES=4096"
POOL, SHARD = 77, 0  # nobody's: its hits are only told
EUR = 978
DEFLATE = {"Sec-WebSocket-Extensions": "permessage-deflate; client_max_window_bits"}
place = None
told = 0  # hits of POOL
winner = None  # of all of them


def with_settings():
    """Both instances anew."""
    place.renew({f"notifications-{i}": SETTINGS for i in (1, 2)})
    for node in (1, 2):
        ready(node)


def ready(node):
    eventually(f"instance {node}", lambda: get(node, "/readyz")[0] == 200, 20)


def port(node):
    return int(place.ports[f"EVENTS_PORT_{node}"])


def get(node, path, **headers):
    """Status, headers, body; status 0 where nobody listens."""
    request = urllib.request.Request(f"http://127.0.0.1:{port(node)}{path}", headers={name.replace("_", "-"): value for name, value in headers.items()})
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()
    except OSError:
        return 0, {}, b""


def metric(node, name):
    return place.metric(f"notifications-{node}", name)


def hit():
    """A winner that only notifications hears of."""
    global told
    told += 1
    claim = field(4, 100) + field(5, EUR) + field(7, winner.id)
    raw(place, "jackpot.facts", envelope(told) + field(2, POOL) + field(3, field(1, told) + field(2, claim) + field(3, 5000 + told)), [SHARD])
    return told


class Raw:
    """A WebSocket, frame by frame."""

    def __init__(self, node, subscribe=None, small=False, **headers):
        self.socket = socket.socket()
        if small:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        self.socket.settimeout(20)
        self.socket.connect(("127.0.0.1", port(node)))
        lines = {"Host": f"127.0.0.1:{port(node)}", "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
                 "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(), **headers}
        self.socket.sendall(("GET /v1/events HTTP/1.1\r\n" + "".join(f"{n}: {v}\r\n" for n, v in lines.items()) + "\r\n").encode())
        self.buffer, self.seen = b"", []
        while b"\r\n\r\n" not in self.buffer:
            self.buffer += self.more()
        self.head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        if subscribe:
            self.send(json.dumps(subscribe).encode())

    def more(self):
        got = self.socket.recv(65536)
        assert got, ("closed", self.buffer, self.seen[-3:])
        return got

    def bytes(self, n):
        while len(self.buffer) < n:
            self.buffer += self.more()
        taken, self.buffer = self.buffer[:n], self.buffer[n:]
        return taken

    def send(self, data, first=0x81):
        length = bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + struct.pack(">H", len(data))
        self.socket.sendall(bytes([first]) + length + b"\0\0\0\0" + data)

    def frame(self):
        """First byte and payload."""
        first, second = self.bytes(2)
        assert second < 128, "a server does not mask"
        length = struct.unpack(">H", self.bytes(2))[0] if second == 126 else struct.unpack(">Q", self.bytes(8))[0] if second == 127 else second
        return first, self.bytes(length)

    def next(self):
        """The next event as text; (code, reason) when the server closes. Pings are answered."""
        while True:
            first, data = self.frame()
            if first == 0x89:
                self.send(data, 0x8a)
            elif first == 0x88:
                return struct.unpack(">H", data[:2])[0], data[2:].decode()
            elif first & 0x0f == 1:
                text = zlib.decompressobj(-15).decompress(data + b"\0\0\xff\xff") if first & 0x40 else data
                self.seen.append(json.loads(text))
                return text.decode()

    def until(self, kind):
        while True:
            text = self.next()
            assert isinstance(text, str), (text, self.seen[-3:])
            if json.loads(text)["type"] == kind:
                return text

    def until_hit(self, number):
        while True:
            event = self.until("winner")
            if json.loads(event)["hit"] == number:
                return event

    def ended(self):
        """(code, reason)"""
        while True:
            event = self.next()
            if isinstance(event, tuple):
                return event

    def close(self):
        self.socket.close()


class Stream:
    """Server-sent events, line by line."""

    def __init__(self, node, channels, **headers):
        request = urllib.request.Request(f"http://127.0.0.1:{port(node)}/v1/events/stream?channels={channels}", headers=headers)
        self.answer = urllib.request.urlopen(request, timeout=20)

    def until(self, start):
        for line in self.answer:
            if line.decode().startswith(start):
                return line.decode().rstrip("\n")
        raise AssertionError(f"the stream ended before '{start}'")

    def until_data(self, kind):
        self.until(f"event: {kind}")
        return self.until("data: ")[6:]


def position(event):
    return {name: json.loads(event)[name] for name in ("epoch", "offset")}


def test_one_payload_for_all():
    plain, packed = Raw(1, {"subscribe": ["jackpots", "winners"]}), Raw(1, {"subscribe": ["jackpots", "winners"]}, **DEFLATE)
    assert b"permessage-deflate; server_no_context_takeover; client_no_context_takeover" in packed.head and b"permessage-deflate" not in plain.head
    stream = Stream(1, "jackpots,winners")
    first = json.loads(plain.until("snapshot"))
    levels = {(p["id"], r["currency"], r.get("coin_minor"), r.get("level")) for p in first["pools"] for r in p["rows"]}
    asked = {(p["id"], r["currency"], r.get("coin_minor"), r.get("level")) for p in place.http("GET", "/v1/jackpots").json["pools"] for r in p["rows"]}
    assert levels == asked, "all levels at once"
    for each in (plain, packed):
        each.until("snapshot")
    stream.until_data("snapshot")
    stream.until_data("snapshot")
    number = hit()
    texts = [plain.until_hit(number), packed.until_hit(number), stream.until_data("winner")]
    assert len(set(texts)) == 1 and json.loads(texts[0])["hit"] == number, texts
    status, head, body = get(1, "/v1/events/latest?channels=winners", Last_Event_ID="/".join(position(first_winners(plain)).values()))
    kinds = [frame["type"] for frame in json.loads(body)["frames"]]
    assert status == 200 and kinds == ["recovered", "winner"] and json.loads(texts[0]) in json.loads(body)["frames"], (status, body)
    for each in (plain, packed, stream.answer):
        each.close()


def first_winners(client):
    return json.dumps(next(event for event in client.seen if event["type"] == "snapshot" and event["channel"] == "winners"))


def test_polling_with_etag():
    status, head, body = get(1, "/v1/events/latest?channels=winners,jackpots")
    assert status == 200 and [(f["type"], f["channel"]) for f in json.loads(body)["frames"]] == [("snapshot", "jackpots"), ("snapshot", "winners")], body
    number = hit()
    eventually("another ETag", lambda: get(1, "/v1/events/latest", If_None_Match=head["ETag"])[0] == 200, 10)
    status, head, body = get(1, "/v1/events/latest?channels=winners")
    assert json.loads(body)["frames"][0]["winners"][-1]["hit"] == number, body

    def unchanged():
        _, now, _ = get(1, "/v1/events/latest")
        return get(1, "/v1/events/latest", If_None_Match=now["ETag"])[0] == 304
    eventually("304 while nothing changes", unchanged, 20)
    for query, code in (("channels=player", 401), ("channels=nothing", 400), ("what=1", 400), ("channels=", 400)):
        assert get(1, f"/v1/events/latest?{query}")[0] == code, query
    token = Person(place).token
    assert get(1, "/v1/events/latest?channels=player", Authorization=f"Bearer {token}")[0] == 400


def test_frames_of_clients():
    client = Raw(1, **DEFLATE)
    text = json.dumps({"subscribe": ["winners"]}).encode()
    pack = zlib.compressobj(9, zlib.DEFLATED, -15)
    client.send((pack.compress(text) + pack.flush(zlib.Z_SYNC_FLUSH))[:-4], 0xc1)
    client.until("snapshot")
    client.send(b"here", 0x89)
    while client.frame() != (0x8a, b"here"):  # its own pings come in between
        pass
    pack = zlib.compressobj(9, zlib.DEFLATED, -15)
    client.send((pack.compress(b" " * 100000) + pack.flush(zlib.Z_SYNC_FLUSH))[:-4], 0xc1)
    assert client.ended()[0] == 1009, "a small message that is large"
    client = Raw(1)
    half = len(text) // 2
    client.send(text[:half], 0x01)
    client.send(b"", 0x89)
    client.send(text[half:], 0x80)
    client.until("snapshot")
    client.send(struct.pack(">H", 1001), 0x88)
    assert client.ended() == (1001, "")
    for first, data, code in ((0x82, b"x", 1003), (0x81, b"\xff", 1007), (0x80, b"x", 1002), (0x81, b"x" * 4097, 1009), (0xc1, b"x", 1002), (0x83, b"", 1002)):
        client = Raw(1)
        client.send(data, first)
        assert client.ended()[0] == code, (first, code)
        client.close()
    refused = Raw(1, Origin="http://elsewhere.example")
    assert refused.head.startswith(b"HTTP/1.1 403"), refused.head
    assert Raw(1, Upgrade="h2c").head.startswith(b"HTTP/1.1 426")


def test_resume_at_another_instance():
    first = Raw(1, {"subscribe": ["winners"]})
    at = position(first.until_hit(hit()))
    hits = [hit(), hit()]
    first.until_hit(hits[-1])
    client = Raw(2, {"subscribe": ["winners"], "resume": {"winners": at}})
    assert json.loads(client.until("recovered"))["recovered"] is True
    hits.append(hit())
    assert [json.loads(client.until("winner"))["hit"] for _ in hits] == hits, "in order, each once"
    for epoch, offset in ((at["epoch"], f"{POOL}:{told + 1000}"), ("1", at["offset"]), (at["epoch"], "nonsense")):
        resume = {"epoch": epoch, "offset": offset}
        other = Raw(2, {"subscribe": ["winners"], "resume": {"winners": resume}})
        assert json.loads(other.until("recovered"))["recovered"] is False, resume
        assert json.loads(other.until("snapshot"))["winners"][-1]["hit"] == told
        other.close()
    first.close()
    client.close()


def test_who_does_not_read():
    stuck, reader = Raw(1, {"subscribe": ["winners"]}, small=True), Raw(1, {"subscribe": ["winners"]})
    first = hit()  # so that both are behind all earlier ones
    for each in (stuck, reader):
        at = position(each.until_hit(first))
    slow = 'carillon_notifications_closed_total{why="slow"}'
    before, missed = metric(1, slow), []
    while metric(1, slow) == before:
        assert len(missed) < 400, "the queue of a client is bounded"
        for _ in range(5):
            missed.append(hit())
            for each in (stuck, reader):
                each.send(b"", 0x8a)  # both are there, however long a hit takes; one of them does not read
        reader.until_hit(missed[-1])
    code, _ = stuck.ended()
    assert code == 4002
    got = [event["hit"] for event in stuck.seen if event["type"] == "winner" and event["hit"] > first]
    assert got == missed[:len(got)], ("what it has has no hole", got, missed)
    at = next(({name: event[name] for name in ("epoch", "offset")} for event in reversed(stuck.seen) if event["type"] == "winner"), at)
    again = Raw(1, {"subscribe": ["winners"], "resume": {"winners": at}})
    assert json.loads(again.until("recovered"))["recovered"] is True
    assert [json.loads(again.until("winner"))["hit"] for _ in missed[len(got):]] == missed[len(got):]
    assert [e["hit"] for e in reader.seen if e["type"] == "winner" and e["hit"] > first] == missed
    eventually("an empty queue", lambda: metric(1, "carillon_notifications_queued_bytes") == 0, 20)
    for each in (stuck, reader, again):
        each.close()


def test_silence_is_broken():
    before = metric(1, 'carillon_notifications_closed_total{why="half_open"}')
    stream, client = Stream(1, "winners"), Raw(1, {"subscribe": ["winners"]})
    client.until("snapshot")
    assert client.frame()[0] == 0x89
    stream.until(": ping")
    eventually("the end of who does not answer", lambda: metric(1, 'carillon_notifications_closed_total{why="half_open"}') > before, 20)
    assert client.ended()[0] == 1008
    stream.answer.close()


def test_real_winner_is_masked():
    client, person = Raw(2, {"subscribe": ["winners"]}), Person(place)
    client.until("snapshot")
    force(place, person.name, [*RULES.stops(bonuses=3), 0])
    person.bet()
    person.awarded()
    person.watch()
    news = {"pool": POOL}
    while news["pool"] == POOL:  # of earlier tests
        news = json.loads(client.until("winner"))
    assert news["paid_minor"] == person.round["jackpots"][0]["paid_minor"] and str(person.number) not in news["player"], news
    client.close()


def test_draining():
    client, stream = Raw(1, {"subscribe": ["winners"]}), Stream(1, "winners")
    at = position(client.until("snapshot"))
    stream.until("event: snapshot")
    before = place.pid("notifications-1")
    place.kill("notifications-1", signal.SIGTERM)
    code, reason = client.ended()
    assert code == 4003 and 100 <= json.loads(reason)["retry_ms"] < 3100, (code, reason)
    assert 100 <= int(stream.until("retry: ")[7:]) < 3100
    assert stream.answer.read() in (b"", b"\n"), "and then it ends"
    missed = hit()
    other = Raw(2, {"subscribe": ["winners"], "resume": {"winners": at}})
    assert json.loads(other.until("recovered"))["recovered"] is True and other.until_hit(missed)
    eventually("its successor", lambda: place.pid("notifications-1") not in (0, before), 20)
    ready(1)
    back = Raw(1, {"subscribe": ["winners"], "resume": {"winners": at}})
    assert json.loads(back.until("recovered"))["recovered"] is True and back.until_hit(missed)
    for each in (client, other, back):
        each.close()


if __name__ == "__main__":
    with Installation("events", scale=2) as place:
        with_settings()
        winner = Person(place)
        run(test_one_payload_for_all, test_polling_with_etag, test_frames_of_clients, test_resume_at_another_instance, test_who_does_not_read,
            test_silence_is_broken, test_real_winner_is_masked, test_draining)
