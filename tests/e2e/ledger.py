#!/usr/bin/env python3
"""What the console's interface tells of the ledger: the last proof with each identity, the accounts, the days, corrections, unfinished rounds; that what was
forged or is old is told as such; and that no operator sees figures of all play who may not."""
import collections
import hashlib
import json
import os
import urllib.parse

from lib_outage import JACKPOT
from lib_play import RULES, Person, force, good, operator
from lib_stack import eventually, run
from openapi import Described

place = None
CODES = {978: "EUR", 752: "SEK"}
SECOND = "a key of the second operator, who takes part in nothing"


def proof():
    answer = place.http("GET", "/v1/operator/proof", token=place.operator_key())
    assert answer.status == 200, answer
    return answer.json


def ledger(number=1, key=None):
    answer = operator(place, "/ledger", None, method="GET", number=number, operator_key=key)
    assert answer.status == 200, answer
    return answer.json


def content():
    return json.loads(place.sql("select content from gateway.proof order by id desc limit 1")[0][0])


def note(change):
    """Adds a row, as anybody can who may write the table."""
    text = json.dumps({**content(), **change}).replace("'", "''")
    place.sql(f"select gateway.proof_note('{text}', null, null)", writer=True)


def sums():
    """The accounts, added up from all legs."""
    return {(int(currency), account): amount for currency, account, amount in place.sql("select currency, account, sum(amount) from wallet.house_leg group by 1, 2")}


def shown_sums():
    codes = {"EUR": 978, "SEK": 752}
    return {(codes[row["currency"]], row["account"]): row["amount_minor"] for row in ledger()["accounts"]}


def play():
    person = Person(place, deposit=100000)
    for _ in range(3):
        force(place, person.name, RULES.stops())
        person.bet_through(coin=1, lines=15, coins=1)
    return person


def test_before_the_first_proof():
    shown = eventually("what the gateway knows of proofs", lambda: next((p for p in [proof()] if p["state"] == "none"), None), 60)
    assert shown == {**shown, "signed": None, "time_us": 0, "held_us": 0, "age_max_s": 93600}
    shown = ledger()
    assert shown["points"] == [] and shown["accounts"] == [] and not any(day["proven"] for day in shown["days"]), shown


def test_a_proof_without_a_key():
    person = play()
    person.operator("corrections", {"amount_minor": -55, "currency": "EUR", "reason": "a scratched coin"}, status=200)
    found = place.verify(60)
    shown = proof()
    assert (shown["state"], shown["signed"]) == ("good", "no") and shown["held_us"] == shown["time_us"] > 0, shown
    points = ledger()["points"]
    assert [(p["point"], p["holds"], p["held_checked"]) for p in points] == [(p["point"], True, p["checked"]) for p in found["points"]], points
    assert all(p["held_us"] == shown["held_us"] and p["held_rows"] == found["rows"] for p in points), points
    assert shown_sums() == sums()
    entries = eventually("the correction", lambda: [e for e in ledger()["entries"] if e["reason"] == "a scratched coin"], 60)
    assert (entries[0]["kind"], entries[0]["player"], entries[0]["amount_minor"], entries[0]["currency"], entries[0]["actor"]) == ("correction", person.name, -55, "EUR", "operator-1"), entries


def test_a_part_carries_on():
    """What a proof leaves out keeps when it last held; it makes nothing whole."""
    before = {p["point"]: p for p in ledger()["points"]}
    held = proof()["held_us"]
    play()
    place.verify(60, "--no-replay")
    shown = proof()
    assert shown["held_us"] == held < shown["time_us"] and shown["state"] == "good", shown
    points = {p["point"]: p for p in ledger()["points"]}
    assert points[14]["holds"] is None and points[14]["why_not"] and points[14]["held_us"] == before[14]["held_us"], points[14]
    assert points[2]["holds"] and points[2]["held_us"] > before[2]["held_us"] and points[2]["held_rows"] > before[2]["held_rows"], points[2]


def test_since_the_last():
    """Sums are carried on, and are those of all legs; the days up to the mark are proven; the row is signed."""
    for _ in range(3):
        play()
        found = place.verify(60, "--since-last")
        shown = proof()
        assert (shown["state"], shown["signed"]) == ("good", "good") and shown["held_us"] == shown["time_us"], shown
        whole = ledger()
        assert whole["proof"]["mark"] == found["mark"] and whole["proof"]["since"] == found["since"], whole["proof"]
        assert shown_sums() == sums(), (shown_sums(), sums())
    assert found["since"] > 0 and all(p["held_rows"] == found["rows"] + found["since"] for p in whole["points"]), found
    assert os.stat(f"{place.data}/keys/gateway/ledger-verify.pub").st_mode & 0o777 == 0o600
    kinds = place.sql("select distinct length(signature), length(signer) from gateway.proof where signature is not null")
    assert kinds == [["64", "32"]], kinds


def test_forged_and_old_proofs_are_told():
    note({"seconds": 0.25})
    assert (proof()["state"], proof()["signed"]) == ("unsigned", "no") and ledger()["points"] == [] and ledger()["accounts"] == [], proof()
    place.sql("insert into gateway.proof (content, signature, signer) select content, signature, signer from gateway.proof where signature is not null order by id desc limit 1", writer=True)
    assert (proof()["state"], proof()["signed"]) == ("good", "good"), proof()  # the same proof once more: its time is in what is signed
    place.sql("insert into gateway.proof (content, signature, signer) select replace(content, '\"rows\":', '\"rows\":1'), signature, signer from gateway.proof where signature is not null order by id desc limit 1", writer=True)
    assert (proof()["state"], proof()["signed"]) == ("unsigned", "wrong"), proof()
    place.verify(60, "--since-last")
    assert (proof()["state"], proof()["signed"]) == ("good", "good"), proof()
    os.rename(f"{place.data}/keys/gateway/ledger-verify.pub", f"{place.data}/ledger-verify.pub")
    assert (proof()["state"], proof()["signed"]) == ("good", "unknown"), proof()
    for change, state in (({"broken": True, "holds": False}, "broken"), ({"broken": False, "holds": True, "proven": {"time_us": 1, "rows": 1, "shards": []}}, "old"), ({"proven": None}, "none")):
        note(change)
        assert proof()["state"] == state, (change, proof())
    os.rename(f"{place.data}/ledger-verify.pub", f"{place.data}/keys/gateway/ledger-verify.pub")
    place.verify(60)  # in whole, as an unsigned row says nothing of what was before
    assert (proof()["state"], proof()["signed"]) == ("good", "good") and shown_sums() == sums(), proof()


def test_unfinished_rounds():
    person = Person(place, deposit=10000)
    force(place, person.name, RULES.stops(win=True, bet={"coin_minor": 1, "lines": 15, "coins": 1}))
    person.bet(coin=1, lines=15, coins=1)
    wins = lambda: operator(place, "/unfinished", None, method="GET")
    assert wins().status == 200
    pending = lambda: place.sql("select sum(cardinality(pendings) / 3) from wallet.account where cardinality(pendings) > 0 group by currency order by currency")
    eventually("the rounds", lambda: pending() and [[str(row["rounds"])] for row in wins().json["unfinished"]] == pending(), 60)


def walked(limit=500, **filters):
    """All postings that these filters choose, page by page."""
    lines, query = [], {name: value for name, value in filters.items() if value is not None}
    more = {}
    while True:
        path = f"/v1/operators/1/postings?{urllib.parse.urlencode({**query, 'limit': limit, **more})}"
        page = good(eventually("a page", lambda p=path: next((a for a in [place.http("GET", p, token=place.operator_key())] if a.status not in (503, 504)), None), 60), path).json
        lines += page["postings"]
        if page["next_cursor"] is None:
            return lines
        more = {"cursor": page["next_cursor"]}


def row_of(line):
    return line["shard"], line["seq"], line["close"]


def test_postings_come_to_the_totals():
    """From each account to the rows that make it: over all pages its amounts are those of all legs. A jackpot names the round that won it."""
    lucky = Person(place, deposit=10000)
    force(place, lucky.name, JACKPOT)
    lucky.bet_through(1, 15, 10)
    won = lucky.round["round"]
    lucky.watch()
    lucky.awarded()
    lucky.operator("grants", {"amount_minor": 700, "currency": "EUR", "reason": "a gift"}, status=200)
    request = int(place.sql("insert into wallet.close_request (reason) values ('a test') returning id", writer=True)[0][0])
    eventually("a close of each shard", lambda: place.sql(f"select count(distinct shard) = (select shards from carillon.installation) from wallet.close_run where request >= {request}") == [["t"]], 60)

    def whole():
        lines, come_to = walked(), collections.Counter()
        for line in lines:
            come_to[line["currency"], line["account"]] += line["amount_minor"]
        legs = {(CODES[currency], account): int(amount) for (currency, account), amount in sums().items() if int(amount)}
        return lines if {name: amount for name, amount in come_to.items() if amount} == legs else None
    lines = eventually("the sums of all postings", whole, 60)
    assert {line["account"] for line in lines} >= {"PLAYER", "HOUSE", "CASH", "PROMO", "JACKPOT:1"} and any(line["close"] for line in lines), lines[:3]
    rows = collections.defaultdict(int)
    for line in lines:
        rows[row_of(line)] += line["amount_minor"]
    assert not any(rows.values()), rows
    assert [line["day"] for line in lines] == sorted((line["day"] for line in lines), reverse=True) and len({(*row_of(line), line["leg"]) for line in lines}) == len(lines)
    [award] = [line for line in lines if line["kind"] == "jackpot" and line["account"] == "PLAYER" and line["player"] == lucky.name]
    assert (award["round"], award["game"]) == (won, "bewitched"), award
    for filters in ({"account": "CASH"}, {"account": "JACKPOT:1", "currency": "EUR"}, {"day": lines[0]["day"], "account": "HOUSE"}, {"day": "2020-01-01"}, {"currency": "SEK"}):
        expected = [line for line in lines if all(line[name] == value for name, value in filters.items())]
        assert walked(**filters) == expected and walked(limit=3, **filters) == expected, filters
    own = walked(player=lucky.number)
    key = lambda line: (-line["seq"], line["leg"])
    assert own == sorted((line for line in lines if line["player"] == lucky.name), key=key) and walked(limit=1, player=lucky.number) == own, own
    assert walked(player=lucky.number, account="PROMO") == [line for line in own if line["account"] == "PROMO"] != []
    table = place.http("GET", f"/v1/operators/1/postings?player={lucky.number}&format=csv", token=place.operator_key()).raw.decode().splitlines()
    assert table[0].startswith("day,shard,seq,leg,close,time_us,player,kind,round") and len(table) == len(own) + 1, table
    for wrong in ("account=HOUSES", "account=JACKPOT:0", "day=yesterday", f"day=2026-01-01&player={lucky.number}", "player=0", "currency=XXX"):
        assert place.http("GET", f"/v1/operators/1/postings?{wrong}", token=place.operator_key()).status == 400, wrong
    assert walked(player=999999999) == []


def test_another_operator():
    """It sees whether the ledger holds, and no figure of all play."""
    place.sql(f"insert into gateway.operator_key (operator, digest) values (2, '\\x{hashlib.sha256(SECOND.encode()).hexdigest()}')", writer=True)
    eventually("the key", lambda: operator(place, "/ledger", None, method="GET", operator_key=SECOND, number=2).status == 200, 30)
    shown = ledger(2, SECOND)
    assert shown["accounts"] is None and shown["entries"] == [] and shown["proof"]["rows"] is None and all(day["rows"] is None for day in shown["days"]), shown
    assert shown["points"] and all(p["holds"] and p["held_rows"] is None and p["held_checked"] is None for p in shown["points"]), shown["points"]
    assert operator(place, "/unfinished", None, method="GET", operator_key=SECOND, number=2).json == {"unfinished": []}
    assert operator(place, "/postings", None, method="GET", operator_key=SECOND, number=2).json == {"postings": [], "next_cursor": None}  # nor of a daily close
    place.verify()


if __name__ == "__main__":
    with Described("ledger", kafka=False) as place:
        run(*[f for name, f in list(globals().items()) if name.startswith("test_")])
