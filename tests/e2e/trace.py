#!/usr/bin/env python3
"""The way of a request through all services (docs/tracing.md): a sampled one leaves a line at each hop, another one none; whose trace is none gets a new one.
jackpotctl trace prints the way and the rows of the round."""
import glob
import json
import os
import re
import subprocess

from lib_patience import comes, time_out
from lib_play import RULES, Person, force
from lib_stack import BIN, ROOT, Installation, eventually, read_text, run

place = None
private = set()  # tokens, keys, nonces that were sent
# Of a bet, in order; what notifications logs comes by Kafka, when it comes.
HOPS = ["gateway.command.sent", "engine.command.received", "engine.move.proposed", "wallet.row.booked", "engine.verdict.received", "engine.reply.sent",
        "gateway.request.answered"]
LAST, REPEATED = "notifications.row.received", "gateway.command.repeated"
WIN = RULES.stops(win=True, bet={"coin_minor": 1, "lines": 1, "coins": 1})
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


def first_hops(found):
    """In order; a command that is sent again, where the machine is busy, comes more than once."""
    return list(dict.fromkeys(line["event"] for line in found if line["event"] in HOPS))


def header(trace, flags="01"):
    return {"traceparent": f"00-{trace}-{os.urandom(8).hex()}-{flags}"}


def whole(trace):
    """A gateway writes its last line behind the answer; notifications writes one when Kafka has brought the row."""
    return {LAST, HOPS[-1]} <= set(way(trace))


def bet_once(person, headers, script=None):
    """A bet that is closed at once, with these headers; its answer. None: a busy machine has not answered in time."""
    force(place, person.name, script or RULES.stops())
    body, key = person.bet_body(), os.urandom(8).hex()
    private.update({person.token, body["nonce"], key})
    answer = place.http("POST", "/v1/rounds", body, token=person.token, key=key, headers=headers)
    if answer.status in (503, 504):
        return person.refresh() and None
    if answer.status == 409 and person.refresh() and person.round:  # one that had no answer in time was a win, and is open
        open_round = person.round["round"]
        place.http("POST", f"/v1/rounds/{open_round}/actions", person.action_body("collect"), token=person.token, key=os.urandom(8).hex())
        return None
    assert answer.status == 200, answer
    person.state = {**person.state, **answer.json}
    return answer


def bet(person, headers):
    return eventually("a bet", lambda: bet_once(person, headers), 60)


def sampled_bet(person, script=None):
    """The trace of a bet whose whole way is in the logs. A fact that notifications missed at its start comes again, without a trace: then the next bet is it."""
    def attempt():
        trace = os.urandom(16).hex()
        answer = bet_once(person, header(trace), script)
        return answer and comes("its whole way in the logs", lambda: whole(trace), 5) and (trace, answer)
    trace, answer = eventually("a bet that notifications has heard of", attempt, 60)
    assert answer.headers["X-Request-Id"] == trace, answer.headers
    return trace


def test_a_sampled_spin_is_followed():
    person = Person(place, deposit=1000)
    trace = sampled_bet(person)
    found = lines(trace)
    assert first_hops(found) == HOPS, found
    assert way(trace).count(LAST) == 1 and way(trace).index(LAST) > way(trace).index("wallet.row.booked"), found
    assert {line["player"] for line in found if line["event"] in HOPS} == {person.name}, found
    booked = found[way(trace).index("wallet.row.booked")]
    round_ = person.round["round"]
    assert (booked["service"], booked["round"], booked["move"]) == ("wallet", round_, round_), booked
    [[seq, stake]] = place.sql(f"select seq, stake from wallet.journal where player = {person.id} and kind = 2 and round = {round_}")
    assert booked["seq"] == int(seq) and int(stake) == person.round["stake_minor"], (booked, seq, stake)
    assert all(line["seq"] == int(seq) for line in found if line["event"] in ("engine.verdict.received", LAST)), found
    assert all(line["round"] == round_ for line in found if line["event"] in HOPS[2:] and "round" in line), found


def jackpotctl(*arguments, given=None):
    """Its status and its output, in which there is no secret."""
    done = subprocess.run([f"{BIN}/jackpotctl", "trace", *arguments], env={**place.environment, **place.stack}, cwd=place.data, input=given, capture_output=True, text=True,
                          timeout=time_out(60), check=False)
    keys = {word for path in glob.glob(f"{place.data}/keys/**", recursive=True) if os.path.isfile(path) for word in re.findall(r"[\w+/=-]{24,}", read_text(path))}
    assert keys and not [secret for secret in keys | private if secret in done.stdout + done.stderr], "a secret is in the output"
    return done.returncode, done.stdout, done.stderr


def printed(*arguments, status=0, given=None):
    """The JSON document."""
    code, text, errors = jackpotctl(*arguments, "--json", given=given)
    assert code == status, (arguments, code, errors)
    return json.loads(text)


def test_jackpotctl_prints_the_way():
    person = Person(place, deposit=1000)
    trace = sampled_bet(person, WIN)
    round_ = person.round["round"]
    name = f"{person.name}/{round_}"
    told = printed(trace)
    assert told["traces"] == [trace] and not told["more"], told
    assert first_hops(told["lines"]) == HOPS, told["lines"]
    owner = {"gateway": "gateway", "engine": "spin-engine", "wallet": "wallet"}
    assert all(line["service"] == owner[line["event"].split(".")[0]] for line in told["lines"] if line["event"] in HOPS), told["lines"]
    offsets = [line["offset_us"] for line in told["lines"]]
    assert offsets[0] == 0 and offsets == sorted(offsets), offsets
    [ledger] = told["ledger"]
    [row] = ledger["rows"]
    [booked] = place.sql(f"select seq, round, stake, win_pending, balance_after from wallet.journal where player = {person.id} and kind = 2 and round = {round_}")
    assert ledger["of"] == name and row["kind"] == "bet" and [row[column] for column in ("seq", "round", "stake", "win_pending", "balance_after")] == booked, (ledger, booked)
    assert printed(name) == told, "a round's name and its trace lead to the same"
    code, text, _ = jackpotctl(trace)
    at = [text.index(event) for event in HOPS]
    assert code == 0 and at == sorted(at) and f"trace {trace}" in text and f"rows of {name}" in text, text
    # of containers
    logs = "".join(f"wallet-1  | {line}\n" for path in glob.glob(f"{place.data}/log/*.log") for line in read_text(path).splitlines())
    piped = printed(trace, "--logs", "-", given=logs)
    assert piped["ledger"] == told["ledger"] and sorted(map(json.dumps, piped["lines"])) == sorted(map(json.dumps, told["lines"])), piped
    # The win is collected by a further request, with a trace of its own.
    key, second = os.urandom(8).hex(), os.urandom(16).hex()
    private.add(key)
    eventually("the collect", lambda: place.http("POST", f"/v1/rounds/{round_}/actions", person.action_body("collect"), token=person.token, key=key,
                                                 headers=header(second)).status == 200, 60)
    eventually("its last hop", lambda: HOPS[-1] in way(second), 60)
    whole_round = printed(name)
    assert set(whole_round["traces"]) == {trace, second}, whole_round
    assert [row["kind"] for row in whole_round["ledger"][0]["rows"]] == ["bet", "collect"] and len(whole_round["lines"]) > len(told["lines"]), whole_round


def test_jackpotctl_says_what_is_not_there():
    person = Person(place, deposit=1000)
    bet(person, {})
    told = printed(f"{person.name}/{person.round['round']}")
    assert told["lines"] == [] and [row["kind"] for row in told["ledger"][0]["rows"]] == ["bet"], told
    assert "no line of the logs" in jackpotctl(f"{person.name}/{person.round['round']}")[1]
    for unknown in (os.urandom(16).hex(), f"{person.name}/99999999", "1-99999999/1"):
        assert printed(unknown, status=1)["lines"] == [] and jackpotctl(unknown)[0] == 1, unknown
    for wrong in ("x", person.name, os.urandom(15).hex(), f"{person.name}/x"):
        code, text, errors = jackpotctl(wrong)
        assert code == 2 and not text and f"found '{wrong}', expected a trace of 32 hexadecimal digits, or a round such as 1-17/42" in errors, (wrong, text, errors)
    code, text, errors = jackpotctl(os.urandom(16).hex(), "--logs", "/no/such/folder")
    assert code == 2 and not text and "/no/such/folder" in errors, (text, errors)


def test_money_from_outside_is_followed():
    person = Person(place)

    def deposited():
        trace = os.urandom(16).hex()
        answer = place.http("POST", f"/v1/operators/1/players/{person.number}/deposits", {"currency": "EUR", "amount_minor": 700}, token=place.operator_key(),
                            key=os.urandom(8).hex(), headers=header(trace))
        return answer.status in (200, 201) and trace
    trace = eventually("a deposit", deposited, 60)
    few = [HOPS[0], "wallet.row.booked", HOPS[-1]]
    eventually("its last hop", lambda: HOPS[-1] in way(trace), 60)
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
        done = subprocess.run(["node", "--input-type=module", "-e", PAGE, f"{ROOT}/services/gateway/web/api.js", search], capture_output=True, text=True, timeout=time_out(60),
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
    eventually("the gateway", lambda: person.refresh()["expect"], 60)
    trace = os.urandom(16).hex()
    assert bet(person, header(trace)).headers["X-Request-Id"] == trace
    place.change("GATEWAY_TRACES_PER_S=1000", "gateway-1")
    eventually("the gateway", lambda: person.refresh()["expect"], 60)
    sampled_bet(person)
    assert not hops(trace), lines(trace)


if __name__ == "__main__":
    with Installation("trace") as place:
        place.change("GATEWAY_TRACES_PER_S=1000", "gateway-1")
        run(test_a_sampled_spin_is_followed, test_jackpotctl_prints_the_way, test_jackpotctl_says_what_is_not_there, test_money_from_outside_is_followed,
            test_what_is_not_sampled_leaves_no_line, test_the_page_begins_a_trace, test_the_setting_decides)
