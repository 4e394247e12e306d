#!/usr/bin/env python3
"""The way of a request through all services (docs/tracing.md): a sampled one leaves a line at each hop, another one none; whose trace is none gets a new one."""
import glob
import json
import os
import re
import subprocess
import time

from lib_play import RULES, Person, force
from lib_stack import ROOT, Installation, read_text, run, wait_until

place = None
# Of a bet, in order; what notifications logs comes by Kafka, when it comes.
HOPS = ["gateway.command.sent", "engine.command.received", "engine.move.proposed", "wallet.row.booked", "engine.verdict.received", "engine.reply.sent",
        "gateway.request.answered"]
LAST, REPEATED = "notifications.row.received", "gateway.command.repeated"
HEADER = re.compile(r"00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-0[01]")


def lines(trace):
    """Of the services' logs, in order of time."""
    found = []
    for path in glob.glob(f"{place.data}/log/*.log"):
        for line in read_text(path).splitlines():
            if f'"trace":"{trace}"' in line:
                found.append(json.loads(line))
    return sorted(found, key=lambda line: line["time"])


def way(trace):
    return [line["event"] for line in lines(trace) if "event" in line]


def hops(trace):
    return [event for event in way(trace) if event in (*HOPS, LAST, REPEATED)]


def header(trace, flags="01"):
    return {"traceparent": f"00-{trace}-{os.urandom(8).hex()}-{flags}"}


def whole(trace):
    """A gateway writes its last line behind the answer; notifications writes one when Kafka has brought the row."""
    return {LAST, HOPS[-1]} <= set(way(trace))


def bet_once(person, headers):
    """A bet that is closed at once, with these headers; its answer. None: a busy machine has not answered in time."""
    force(place, person.name, RULES.stops())
    answer = place.http("POST", "/v1/rounds", person.bet_body(), token=person.token, key=os.urandom(8).hex(), headers=headers)
    if answer.status in (503, 504):
        return person.refresh() and None
    assert answer.status == 200, answer
    person.state = {**person.state, **answer.json}
    return answer


def bet(person, headers):
    return wait_until("a bet", lambda: bet_once(person, headers), 60)


def sampled_bet(person):
    """The trace of a bet whose whole way is in the logs. A fact that notifications missed at its start comes again, without a trace: then the next bet is it."""
    def attempt():
        trace = os.urandom(16).hex()
        answer = bet_once(person, header(trace))
        end = time.monotonic() + 20
        while answer and not whole(trace) and time.monotonic() < end:
            time.sleep(0.05)
        return answer and whole(trace) and (trace, answer)
    trace, answer = wait_until("a bet that notifications has heard of", attempt, 60)
    assert answer.headers["X-Request-Id"] == trace, answer.headers
    return trace


def test_a_sampled_spin_is_followed():
    person = Person(place, deposit=1000)
    trace = sampled_bet(person)
    found = lines(trace)
    assert [event for event in way(trace) if event not in (LAST, REPEATED)] == HOPS, found
    assert way(trace).count(LAST) == 1 and way(trace).index(LAST) > way(trace).index("wallet.row.booked"), found
    assert {line["player"] for line in found} == {person.name} and {line["level"] for line in found} == {"info"}, found
    booked = found[way(trace).index("wallet.row.booked")]
    round_ = person.round["round"]
    assert (booked["service"], booked["round"], booked["move"]) == ("wallet", round_, round_), booked
    [[seq, stake]] = place.sql(f"select seq, stake from wallet.journal where player = {person.id} and kind = 2 and round = {round_}")
    assert booked["seq"] == int(seq) and int(stake) == person.round["stake_minor"], (booked, seq, stake)
    assert all(line["seq"] == int(seq) for line in found if line["event"] in ("engine.verdict.received", LAST)), found
    assert all(line["round"] == round_ for line in found if line["event"] not in ("gateway.command.sent", "engine.command.received")), found


def test_money_from_outside_is_followed():
    person = Person(place)

    def deposited():
        trace = os.urandom(16).hex()
        answer = place.http("POST", f"/v1/operators/1/players/{person.number}/deposits", {"currency": "EUR", "amount_minor": 700}, token=place.operator_key(),
                            key=os.urandom(8).hex(), headers=header(trace))
        return answer.status in (200, 201) and trace
    trace = wait_until("a deposit", deposited, 60)
    few = [HOPS[0], "wallet.row.booked", HOPS[-1]]
    wait_until("its last hop", lambda: HOPS[-1] in way(trace), 60)
    assert [event for event in way(trace) if event in few] == few, lines(trace)
    seqs = {line["seq"] for line in lines(trace) if "seq" in line}
    assert len(seqs) == 1 and [str(seqs.pop())] in place.sql(f"select seq from wallet.journal where player = {person.id} and kind = 20"), lines(trace)


def test_what_is_not_sampled_leaves_no_line():
    """Nor do headers that are not valid: a new trace begins, which the answer names."""
    person = Person(place, deposit=1000)
    trace = os.urandom(16).hex()
    told = [trace, bet(person, header(trace, "00")).headers["X-Request-Id"], bet(person, {}).headers["X-Request-Id"]]
    assert told[0] == told[1], told
    for wrong in (f"00-{trace}-{'0' * 16}-01", f"00-{trace.upper()}-{'1' * 16}-01", f"00-{trace}-{'1' * 16}-01-more", f"ff-{trace}-{'1' * 16}-01", "01"):
        answer = bet(person, {"traceparent": wrong})
        assert re.fullmatch("[0-9a-f]{32}", answer.headers["X-Request-Id"]) and answer.headers["X-Request-Id"] not in told, (wrong, told)
        told.append(answer.headers["X-Request-Id"])
    named = bet(person, {"X-Request-Id": "of.the-client", **header(trace, "00")})
    assert named.headers["X-Request-Id"] == "of.the-client", named.headers
    sampled_bet(person)  # all hops of the earlier ones are over
    assert not [event for one in told for event in hops(one)], told


PAGE = """
const sent = [];
globalThis.location = { search: process.argv[2] };
globalThis.fetch = async (path, { headers }) => {
    sent.push(headers.traceparent);
    return { ok: sent.length > 2, status: sent.length > 2 ? 200 : 503, json: async () => ({}) };
};
const { get, post } = await import(process.argv[1]);
await post("/v1/rounds", {}, "token"); // answered 503 twice
await get("/v1/state", "token");
console.log(JSON.stringify(sent));
"""


def test_the_page_begins_a_trace():
    """Each request has its own; the retries of a request share it."""
    for search, flags in (("", "00"), ("?trace=1", "01"), ("?trace=0", "00")):
        done = subprocess.run(["node", "--input-type=module", "-e", PAGE, f"{ROOT}/services/gateway/web/api.js", search], capture_output=True, text=True, timeout=240,
                              check=False)
        assert done.returncode == 0 and done.stdout, done.stderr[-2000:]
        sent = json.loads(done.stdout)
        assert len(sent) == 4 and all(HEADER.fullmatch(one) and one.endswith(flags) for one in sent), sent
        traces, parents = [one.split("-")[1] for one in sent], [one.split("-")[2] for one in sent]
        assert traces[0] == traces[1] == traces[2] != traces[3] and len(set(parents)) == 4, sent


def test_the_setting_decides():
    """None are followed: the gateway takes the flag away, so the other services say nothing either."""
    person = Person(place, deposit=1000)
    place.change("GATEWAY_TRACES_PER_S=0", "gateway-1")
    wait_until("the gateway", lambda: person.refresh()["expect"], 60)
    trace = os.urandom(16).hex()
    assert bet(person, header(trace)).headers["X-Request-Id"] == trace
    place.change("GATEWAY_TRACES_PER_S=1000", "gateway-1")
    wait_until("the gateway", lambda: person.refresh()["expect"], 60)
    sampled_bet(person)
    assert not hops(trace), lines(trace)


if __name__ == "__main__":
    with Installation("trace") as place:
        run(test_a_sampled_spin_is_followed, test_money_from_outside_is_followed, test_what_is_not_sampled_leaves_no_line, test_the_page_begins_a_trace,
            test_the_setting_decides)
