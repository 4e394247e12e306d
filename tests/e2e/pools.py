#!/usr/bin/env python3
"""Pools in operators' hands, over HTTP on real servers: pauses, pools made while everything runs, several games and operators on one pool, money that
moves from a retired pool to others while processes die, and the same of sets of Jackpot Cards. The ledger proves itself at every step."""
import hashlib
import os
import time
from fractions import Fraction

from lib_play import RULES, SECOND_KEY, Person, Refused, approve, force, good, operator, pool_action
from lib_stack import Installation, eventually, read_text, run

SHARDS = 4
MASK = (1 << 64) - 1
place = None


def shard_of(number):
    """shard_of_pool: the finaliser of SplitMix64, then the high bits of a product."""
    x = number + 0x9E3779B97F4A7C15 & MASK
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    x ^= x >> 31
    return x * SHARDS >> 64


# A new pool on another shard than Mona Lisa's, so that two processes may hold them.
NEW = next(n for n in range(30, 60) if shard_of(n) != shard_of(4))
NEXT = NEW + 1
JACKPOT = {"pool": "winter", "contribution_ppm": 20000, "base_coin_eur_minor": 1000, "games": ["bewitched", "mystic-gem"],
           "rows": {"EUR": {"row_rate_nano": 1000000000, "seeds": [{"coin": 20, "seed": 5000}, {"coin": 100, "seed": 25000}]},
                    "SEK": {"row_rate_nano": 90000000, "seeds": [{"coin": 200, "seed": 50000}]}}}
LOSS = RULES.stops()
BONUS, VIAL = RULES.stops(bonuses=3), 0  # three bonus symbols; the first of the vials' weights is the jackpot
KEY_2 = "the second operator's key, which nobody guesses"


def ask(pool, action, parameters=None, key=None, number=1, status=200, second=False):
    """What an operator asks; with `second`, and approved by another key."""
    answer = pool_action(place, pool, action, parameters, key, approved=second, operator_key=KEY_2 if number == 2 else None, number=number)
    assert answer.status == status, answer
    return answer.json


def asked_of(path):
    return good(place.http("GET", path, token=place.operator_key()), path).json


def actions(pool, number=1):
    return asked_of(f"/v1/operators/{number}/pools/{pool}/actions")["actions"]


def transfers(pool):
    return asked_of(f"/v1/operators/1/pools/{pool}/transfers")["transfers"]


def books(pool):
    names = "t_e18, jp_pool_e27, jp_reserve_e27, jp_seed_e27, house_seed_e27, paid_e27, received_e27, sent_e27"
    row = place.sql(f"select {names}, state from pool.pool where pool = {pool}")[0]
    return {**{n.strip(): int(v) for n, v in zip(names.split(","), row)}, "state": row[-1]}


def row_value(pool, currency, coin):
    """Of a row, exactly: seed, what has accrued, carry."""
    return int(place.sql(f"select seed_minor * unit_e27 + (p.t_e18 - w_e18) * share_nano + r_e27 from pool.row r join pool.pool p using (pool) "
                         f"where pool = {pool} and currency = {currency} and coin_minor = {coin}")[0][0])


def shown(pool):
    return next((p for p in asked_of("/v1/jackpots")["pools"] if p["pool"] == pool), None)


def paid_bet(person, coins=1):
    """A bet of so many euros (Mystic Gem: four each), played to its end; its stake. Bewitched's win nothing: this is about stakes."""
    coin, lines = (100, 1) if person.game == "bewitched" else (10, 40)
    if person.game == "bewitched":
        force(place, person.name, LOSS)
    person.bet(coin=coin, lines=lines, coins=coins)
    finish(person)
    return coin * lines * coins


def finish(person):
    while person.round and not person.round["closed"]:
        person.watch() if person.round["next"] in ("pick", "next") else person.act("collect")


class Second(Person):
    """A player of operator 2."""

    def __init__(self, number):
        self.place, self.game, self.number = place, "bewitched", number
        operator(place, "/players", {"player": number, "currency": "EUR"}, operator_key=KEY_2, number=2)
        answer = operator(place, "/sessions", {"player": number}, operator_key=KEY_2, number=2)
        assert answer.status == 200, answer
        self.token, self.name, self.id = answer.json["token"], answer.json["player"], (2 << 48) | number
        self.told, self.promises = [], {}
        operator(place, f"/players/{number}/deposits", {"amount_minor": 1000000, "currency": "EUR"}, operator_key=KEY_2, number=2)
        self.state = self.place.http("GET", "/v1/state?game=bewitched", token=self.token).json


def settled(pool):
    """T is what the journal's bets in euros say of the pool, to the last digit; gives it."""
    due = "coalesce((select sum(j.stake::numeric * t.ppm) from wallet.journal j, unnest(j.tallies) k(id) join pool.tally t using (id) " \
          f"where t.pool = {pool}), 0) * 10000000000"
    eventually(f"T of pool {pool}", lambda: place.sql(f"select t_e18 = {due} from pool.pool where pool = {pool}")[0][0] == "t", 10)
    return books(pool)["t_e18"]


def contribution(minor, ppm):
    return minor * ppm * 10 ** 10


def test_two_operators_feed_one_pool():
    keys = ",".join(f"({n}, '\\x{hashlib.sha256(key.encode()).hexdigest()}')" for n, key in ((1, SECOND_KEY), (2, KEY_2)))
    place.sql(f"insert into gateway.operator_key (operator, digest) values {keys}", writer=True)
    eventually("both gateways' knowledge of the keys", lambda: all(place.http("GET", f"/v1/operators/{n}/pools/1/actions", token=key).status != 401
                                                                   for n, key in ((1, SECOND_KEY), (2, KEY_2)) for _ in range(12)), 10)
    place.one, place.two = Person(place, deposit=1000000), Second(2)
    before = settled(1)
    paid_bet(place.one)
    paid_bet(place.two, 2)
    assert settled(1) == before + contribution(300, 5000)


def test_both_operators_win_the_same_pool():
    hits = int(place.sql("select hits from pool.pool where pool = 1")[0][0])
    for person in (place.one, place.two):
        force(place, person.name, [*BONUS, VIAL])
        person.bet(coin=100)
        person.awarded()
        finish(person)
        assert person.round["jackpots"][0]["booked"], person.round
    place.house_seed = books(1)["house_seed_e27"]
    rows = place.sql(f"select player >> 48 from pool.hit where pool = 1 and hit > {hits} order by hit")
    assert [row[0] for row in rows] == ["1", "2"], rows
    place.verify()


def history(pool, query="", status=200):
    answer = place.http("GET", f"/v1/operators/1/pools/{pool}/history{query}", token=place.operator_key())
    assert answer.status == status, (pool, query, answer)
    return answer.json


def test_what_was_shown_over_time():
    """Each row's newest value is the one of the pool's exact state; hits are there with what they paid; pages together are the whole."""
    def newest(pool):
        return {(r["currency"], r.get("coin_minor") or r["level"]): r["points"][-1]["value_minor"] for r in history(pool)["rows"] if r["points"]}

    def now(pool):
        return {(r["currency"], r["coin_minor"]): r["value_minor"] for r in asked_of(f"/v1/operators/1/pools/{pool}")["rows"]}

    eventually("the newest values", lambda: newest(1) == now(1) or None, 60)
    levels = next(p for p in asked_of("/v1/jackpots")["pools"] if p["pool"] == 2)["rows"]
    assert sorted(newest(2)) == [("EUR", level) for level in (1, 2, 3, 4)] == sorted((r["currency"], r["level"]) for r in levels)
    found = history(1)
    assert found["step"] == "minute" and found["to_us"] - found["from_us"] >= 86400 * 10**6 and found["next_us"] is None, found
    for row in found["rows"]:
        times = [point["time_us"] for point in row["points"]]
        assert times == sorted(set(times)) and found["from_us"] <= times[0] and times[-1] <= found["to_us"], row
    told = [(h["hit"], h["currency"], h["coin_minor"], h["value_minor"], h["next_value_minor"], h["paid_minor"], h["paid_currency"]) for h in found["hits"]]
    hits = [tuple(map(int, row)) for row in place.sql("select hit, coin_minor, paid_minor, next_value_minor from pool.hit where pool = 1 order by hit")]
    assert len(hits) >= 2 and told == [(hit, "EUR", coin, paid, after, paid, "EUR") for hit, coin, paid, after in hits], (told, hits)
    assert history(1, "?step=day")["rows"][0]["points"][-1]["value_minor"] == found["rows"][0]["points"][-1]["value_minor"]
    start, end, pages = found["to_us"] - 9 * 60 * 10**6, found["to_us"], []
    while start is not None:
        pages.append(history(1, f"?from_us={start}&to_us={end}&limit=4"))
        start = pages[-1]["next_us"]
    assert len(pages) == 3 and [h for page in pages for h in page["hits"]] == [h for h in found["hits"] if pages[0]["from_us"] <= h["time_us"] < end], pages
    for wrong in ("step=week", "steps=1", "from_us=5&to_us=4", "from_us=x", "limit=2001", "limit=0"):
        history(1, f"?{wrong}", 400)
    assert history(999, status=404)["error"]["code"] == "pool_unknown"


def forecast(pool, query="", status=200):
    answer = place.http("GET", f"/v1/operators/1/pools/{pool}/forecast{query}", token=place.operator_key())
    assert answer.status == status, (pool, query, answer)
    return answer.json


def test_when_it_may_be_won_next():
    """Against the same computed here: the chance of the definition, what was bet, what was fed. Before an hour was watched nothing is told."""
    games = "select number from carillon.game where id = 'bewitched'"
    bets = int(place.sql(f"select count(*) from wallet.journal where kind = 2 and refusal = 0 and game in ({games})")[0][0])
    counted = f"select coalesce(sum(rounds), 0) from gateway.bet_mix where game in ({games})"
    eventually("the bets", lambda: int(place.sql(counted)[0][0]) >= bets > 0 or None, 60)
    eventually("the sums", lambda: place.sql("select count(*) from (select distinct on (shard) shard, last_seq from wallet.batch order by shard, batch desc) b"
                                             " left join gateway.rollup_at a using (shard) where a.seq is distinct from b.last_seq") == [["0"]], 60)
    eventually("the exact figures", lambda: place.sql("select count(*) from carillon.game left join gateway.par using (math_version) where sheet is null") == [["0"]], 240)
    early = [row for pool in (1, 2) for row in forecast(pool)["rows"]]
    assert {row["status"] for row in early} == {"too_little"}, early
    [[game, tally, set_tally]] = place.sql("select g.number, t.id, s.id from carillon.game g join pool.tally t on t.game = g.number and t.pool = 1 join pool.tally s on s.game = g.number and s.pool = 2"
                                           " where g.id = 'bewitched' and t.currency = 978 and s.currency = 978 order by t.id desc, s.id desc limit 1")
    rounds, stakes = 100000, 100000 * 20 * 15 * 10
    place.sql(f"""insert into gateway.bet_mix select date_bin('15 minutes', now() - interval '150 minutes', timestamptz 'epoch'), {game}, 'base', 978, 20, 15, 10, {rounds};
        insert into gateway.rollup_tally (operator, time, shard, day, tally, stakes)
        select 1, date_bin('15 minutes', now() - interval '150 minutes', timestamptz 'epoch'), 0, '2000-01-01', t, {stakes} from unnest(array[{tally}, {set_tally}]) t""", writer=True)
    found = eventually("a forecast", lambda: next((f for f in [forecast(1)] if "known" in {row["status"] for row in f["rows"]}), None), 60)
    [chance] = [c for c in found["chances"] if c["mode_id"] == "base"]
    assert chance["game"] == "bewitched" and chance["of"] == "coins", found
    row = next(r for r in found["rows"] if (r["currency"], r["coin_minor"]) == ("EUR", 20))
    assert row["status"] == "known" and row["rounds"] >= rounds, row
    hits = sum(int(n) * (Fraction(chance["base_exact"]) + int(lines) * int(coins) * Fraction(chance["chance_exact"])) for n, lines, coins in
               place.sql(f"select rounds, lines, coins from gateway.bet_mix where game = {game} and currency = 978 and coin_minor = 20"))
    watched = Fraction(found["to_us"] - found["from_us"], 10**6)
    assert 9000 <= watched < 14000 and abs(Fraction(row["hits_expected"]) - hits) < Fraction(1, 10**9), (row, hits)
    [[fed, share, unit]] = place.sql("select (select sum(y.stakes) from gateway.rollup_tally y join pool.tally t on t.id = y.tally where t.pool = 1 and t.currency = 978)"
                                     " * 5000 * 10000000000, share_nano, unit_e27 from pool.row where pool = 1 and currency = 978 and coin_minor = 20")
    value = Fraction(row_value(1, 978, 20))
    for name, factor in (("mean", Fraction(1)), ("low", Fraction(51293294, 10**9)), ("median", Fraction(693147181, 10**9)), ("high", Fraction(2995732274, 10**9))):
        assert abs(row["next"][f"{name}_s"] - factor * watched / hits) <= 1, (name, row, watched, hits)
        assert abs(row["next"][f"value_{name}_minor"] - (value + factor * int(fed) * int(share) / hits) // int(unit)) <= 1, (name, row)
    assert {r["status"] for r in found["rows"] if r["currency"] == "SEK"} == {"not_played"}, found
    levels = forecast(2)["rows"]
    assert [r["status"] for r in levels] == ["known"] * 4 and [r["rounds"] for r in levels] == [None] * 4, levels
    # The odds of tests/e2e/sets: 1 in 10^10 for a cent; weights 900 to 1.
    odds = [Fraction(r["hits_expected"]) for r in levels]
    assert abs(odds[0] - 900 * odds[3]) < Fraction(1, 10**6) and abs(sum(odds) - Fraction(stakes, 10**10)) < Fraction(stakes, 10**12), levels
    for wrong in ("hours=0", "hours=169", "hour=1", "hours=x"):
        forecast(1, f"?{wrong}", 400)
    assert forecast(999, status=404)["error"]["code"] == "pool_unknown"


def test_commands_are_recorded_once():
    key, seven = os.urandom(8).hex(), {"currency": "EUR", "coin_minor": 20, "delta_minor": 7}
    asked = ask(1, "adjust", seven, key=key, status=202)
    assert asked["status"] == "waiting" and asked == ask(1, "adjust", seven, key=key, status=202), asked
    assert ask(1, "adjust", {**seven, "delta_minor": 8}, key=key, status=422)["error"]["code"] == "other_content"
    assert [a["status"] for a in actions(1)] == ["waiting"] and books(1)["house_seed_e27"] == place.house_seed, "nothing is done by one"
    assert approve(place, 1, asked["id"], None).json["error"]["code"] == "same_approver" and approve(place, 1, "0" * 32).status == 404
    assert approve(place, 1, asked["id"], KEY_2).status == 403 and approve(place, 4, asked["id"]).status == 404
    first = approve(place, 1, asked["id"]).json
    assert first["done"] and first == approve(place, 1, asked["id"]).json == ask(1, "adjust", seven, key=key), first
    assert int(first["after"]["r_e27"]) - int(first["before"]["r_e27"]) == 7 * 10 ** 25, first
    assert "coin" in ask(1, "adjust", {**seven, "coin_minor": 3}, second=True, status=409)["error"]["message"]
    assert ask(999, "pause", status=404)["error"]["code"] == "pool_unknown"
    assert ask(1, "pause", number=2, status=403)["error"]["code"] == "not_pool_operator"
    listed = actions(1)
    assert [a["status"] for a in listed] == ["refused", "done"] and listed[1]["before"] == first["before"] and listed[0]["refusal"], listed
    assert listed[1]["actor"] != listed[1]["second"] and all(n.startswith("operator-1 key ") for n in (listed[1]["actor"], listed[1]["second"])), listed
    key = os.urandom(8).hex()
    once = ask(1, "parameters", {"currency": "EUR", "coin_minor": 20, "seed_minor": 40100}, key=key)
    assert once == ask(1, "parameters", {"currency": "EUR", "coin_minor": 20, "seed_minor": 40100}, key=key)
    assert ask(1, "parameters", {"currency": "EUR", "coin_minor": 20, "seed_minor": 40200}, key=key, status=422)["error"]["code"] == "other_content"
    assert ask(4, "parameters", {"currency": "EUR", "coin_minor": 20, "seed_minor": 40100}, key=key, status=422)["error"]["code"] == "other_content"
    assert not [a for a in actions(4) if a["id"] == once["id"]], "an id is of one pool"
    audited = place.sql("select action, status, count(*) from gateway.audit where action like 'pool: adjust%' group by 1, 2 order by 1, 2")
    assert ["pool: adjust", "200", "3"] in audited and ["pool: adjust approval", "403", "1"] in audited, audited
    place.verify()


def test_an_approved_action_outlives_its_gateway():
    """The gateway dies between an approval and the action: it is done, once, though nobody asks again."""
    asked = ask(1, "adjust", {"currency": "EUR", "coin_minor": 20, "delta_minor": 3}, status=202)
    owners, gateways = ([name for name in place.status() if name.startswith(service)] for service in ("progressive-pool-", "gateway-"))
    for name in owners:
        place.hold(name)
        place.kill(name)
    answer = approve(place, 1, asked["id"])
    assert answer.status in (503, 504), answer
    for name in gateways:
        place.kill(name)
    for name in owners:
        place.release(name)
    found = f"select action, second, before::json->>'r_e27', after::json->>'r_e27' from pool.operator_action where done and id = '\\x{asked['id']}'"
    _, second, before, after = eventually("the action", lambda: place.sql(found), 60)[0]
    assert int(after) - int(before) == 3 * 10 ** 25 and second.startswith("operator-1 key "), (second, before, after)
    eventually("the gateway", lambda: [a["status"] for a in actions(1) if a["id"] == asked["id"]] == ["done"], 60)
    place.verify()


def test_pool_is_created_under_load():
    wrong = {**JACKPOT, "rows": {"EUR": {"row_rate_nano": 1000000000, "seeds": [{"coin": 1000, "seed": 1}, {"coin": 1, "seed": 1}]}}}
    assert "at most 1" in ask(NEW, "create", wrong, status=409)["error"]["message"]
    assert "game" in ask(NEW, "create", {**JACKPOT, "games": ["none"]}, status=409)["error"]["message"]
    assert "unused" in ask(4, "create", JACKPOT, status=409)["error"]["message"]
    assert place.sql(f"select count(*) from pool.pool where pool = {NEW}") == [["0"]] and len(actions(NEW)) == 2
    made = ask(NEW, "create", JACKPOT)
    began = time.monotonic()
    seeds = (50 + 250) * 10 ** 27 + 500 * 9 * 10 ** 25
    assert int(made["after"]["jp_seed_e27"]) == seeds and books(NEW)["house_seed_e27"] == seeds, made
    eventually("the new pool's display", lambda: len((shown(NEW) or {"rows": []})["rows"]) == 3, 10)
    print(f"measured: a new pool is shown after {time.monotonic() - began:.1f} s")
    eventually("its tallies", lambda: int(place.sql(f"select count(*) from pool.tally where pool = {NEW}")[0][0]) == 4, 10)
    eventually("the wallet's knowledge", lambda: fed(place.one, NEW), 10)


def fed(person, pool):
    """A bet: does it feed the pool?"""
    paid_bet(person)
    row = place.sql(f"select t.pool from wallet.journal j, unnest(j.tallies) k(id) join pool.tally t using (id) where j.player = {person.id} and j.kind = 2 "
                    f"and j.round = {person.round['round']} and t.pool = {pool}")
    if row:
        settled(pool)
    return bool(row)


def test_games_and_operators_feed_the_new_pool():
    for person in (Person(place, deposit=1000000, game="mystic-gem"), place.two):
        eventually("each wallet's knowledge", lambda p=person: fed(p, NEW), 10)
    assert fed(place.one, 1)
    ask(NEW, "take_part", {"takes_part": False}, number=2)
    eventually("the operator's switch", lambda: not fed(place.two, NEW), 10)
    assert fed(place.one, NEW) and fed(place.two, 1), "others, and other pools, go on"
    # Without a game's own jackpot it is another game: it is not played.
    done = ask(1, "take_part", {"takes_part": False}, number=2)
    assert done["before"]["takes_part"] and not done["after"]["takes_part"], done
    eventually("the operator's game to stop", lambda: stopped(place.two), 10)
    ask(1, "take_part", {"takes_part": True}, number=2)
    eventually("the operator's game", lambda: not stopped(place.two), 10)


def stopped(person):
    person.refresh()
    try:
        paid_bet(person)
    except Refused as refused:
        assert refused.answer.status == 403, refused
        return True
    return False


def holder(pool):
    return place.sql(f"select owner from carillon.shard where service = 'progressive-pool' and shard = {shard_of(pool)}")[0][0]


def arrived():
    """The operator's status knows it, too."""
    status = asked_of("/v1/operator/status")
    return next(p for p in status["pools"] if p["pool"] == NEW)["in_transit_e27"] == "0" and (status["reconciliation"] or {}).get("holds")


def test_a_retired_pool_moves_all_its_money():
    """Killed at both ends in the middle: nothing is lost, doubled or stuck, and what is in transit is on the books."""
    to_row = {"pool": 4, "currency": "EUR", "coin_minor": 20}
    retire = {"rows": [{"currency": "EUR", "coin_minor": 100, "to": to_row}], "rest": {"pool": 4}}
    eventually("the pause", lambda: books(NEW)["state"] == "paused", 15)
    assert not fed(place.one, NEW) and fed(place.one, 1), "a pool that is only fed stops no game"
    asked = ask(NEW, "retire", retire, status=202)
    assert asked["status"] == "waiting" and books(NEW)["state"] == "paused", asked
    for wrong, why in (({**retire, "rest": {"pool": NEW}}, "other than"), ({**retire, "rest": {"pool": 77}}, "existing pool"),
                       ({"rest": {"pool": 4, "currency": "EUR", "coin_minor": 3}}, "existing row"), ({}, "rest")):
        assert why in ask(NEW, "retire", wrong, status=409, second=True)["error"]["message"], why
    before, mona = books(NEW), books(4)
    named, target = row_value(NEW, 978, 100), row_value(4, 978, 20)
    total = before["jp_pool_e27"] + before["jp_reserve_e27"] + before["jp_seed_e27"]
    place.kill(holder(4))
    done = eventually("the approval", lambda: next((a for a in [approve(place, NEW, asked["id"])] if a.status not in (503, 504)), None), 20).json
    assert done["after"]["status"] == "retired" and int(done["after"]["sent_e27"]) == total, done
    open_now = [t for t in transfers(NEW) if t["booked"] is None]
    place.kill(holder(NEW))
    on_the_way = sum(int(t["amount_e27"]) for t in open_now)
    print(f"note: {len(open_now)} of {len(transfers(NEW))} transfers were in transit when the second process was killed")
    assert books(NEW)["sent_e27"] == total
    # Two questions, and a transfer may be booked between them.
    eventually("all of it, received or under way", lambda: books(4)["received_e27"] + sum(int(t["amount_e27"]) for t in transfers(4) if t["booked"] is None) == total, 5)
    place.verify(patience=0.1)
    assert on_the_way <= total
    eventually("all transfers", lambda: all(t["booked"] for t in transfers(4)), 20)
    eventually("all acknowledgements", lambda: int(place.sql("select count(*) from pool.transfer_out where booked is null")[0][0]) == 0, 20)
    after, now = books(NEW), books(4)
    assert after["jp_pool_e27"] == after["jp_reserve_e27"] == after["jp_seed_e27"] == 0 and after["state"] == "retired", after
    assert now["received_e27"] == total and row_value(4, 978, 20) == target + named, (now, target, named)
    assert now["jp_reserve_e27"] == mona["jp_reserve_e27"] + total - named, (mona, now)
    eventually("the status", arrived, 15)
    assert "retired" in ask(1, "retire", {"rest": {"pool": NEW}}, second=True, status=409)["error"]["message"]
    place.verify()


def test_late_contributions_follow():
    """A wallet that has not heard of the end still feeds the pool: what arrives goes where the rest has gone."""
    before, n = books(NEW), len(transfers(NEW))
    eventually("a stake that feeds the retired pool", unheard, 10)
    eventually("its way to the rest", lambda: len(transfers(NEW)) > n and all(t["booked"] for t in transfers(NEW)), 15)
    after = books(NEW)
    late = (after["t_e18"] - before["t_e18"]) * 10 ** 9
    assert late > 0 and after["sent_e27"] == before["sent_e27"] + late and after["jp_reserve_e27"] == 0 and after["state"] == "retired", (before, after)
    assert all(t["to"] == {"pool": 4} for t in transfers(NEW)[:len(transfers(NEW)) - n]), transfers(NEW)
    place.verify()


def unheard():
    """A stake whose wallet may read that the retired pool is live: does it feed it? The service, which knows better, soon writes over that: so it is written for each stake."""
    place.sql(f"update pool.pool set state = 'live' where pool = {NEW}", writer=True)
    return fed(place.one, NEW)


def late_stake():
    """One that a wallet counts into the retired pool because it has not heard of its end."""
    eventually("a stake that feeds the retired pool", unheard, 10)
    eventually("the service's own word", lambda: books(NEW)["state"] == "retired", 5)


def test_late_contributions_go_to_the_last_successor():
    """The rest is named again, a pool that is retired in its turn: they pass it by. In a circle, which only retirements of the same moment make, they stay."""
    ask(NEXT, "create", {**JACKPOT, "pool": "next", "games": ["mystic-gem"]})
    ask(NEW, "retire", {"rest": {"pool": NEXT}}, second=True)
    ask(NEXT, "pause")
    eventually("the pause", lambda: books(NEXT)["state"] == "paused", 15)
    ask(NEXT, "retire", {"rest": {"pool": 4}}, second=True)
    assert f"money of this pool is passed on: {NEXT} -> 4" in ask(1, "retire", {"rest": {"pool": NEXT}}, second=True, status=409)["error"]["message"]
    eventually("its money's arrival", lambda: all(t["booked"] for t in transfers(NEXT)), 15)
    n = len(transfers(NEW))
    late_stake()
    eventually("its way to the last", lambda: len(transfers(NEW)) > n and all(t["booked"] for t in transfers(NEW)), 15)
    assert transfers(NEW)[0]["to"] == {"pool": 4}, transfers(NEW)
    place.sql(f"update pool.pool set rest_pool = {NEW} where pool = {NEXT}", writer=True)
    n, before = len(transfers(NEW)), books(NEW)
    late_stake()
    log = f"{place.data}/log/{holder(NEW)}.log"
    eventually("the alarm", lambda: f"ALARM pool {NEW} is retired, and its money would go to pool {NEXT}, but" in read_text(log), 5)
    assert len(transfers(NEW)) == n and books(NEW)["jp_reserve_e27"] == (books(NEW)["t_e18"] - before["t_e18"]) * 10 ** 9 > 0, books(NEW)
    ask(NEW, "retire", {"rest": {"pool": 4}}, second=True)
    eventually("its way out", lambda: len(transfers(NEW)) > n and all(t["booked"] for t in transfers(NEW)) and books(NEW)["jp_reserve_e27"] == 0, 15)
    place.verify()


def test_proof_finds_changed_transfer():
    """Tampered with in a transaction that is rolled back would prove nothing: changed, found, changed back."""
    place.sql(f"update pool.transfer_in set amount_e27 = amount_e27 + 1 where from_pool = {NEW} and number = 1", writer=True)
    try:
        place.verify(patience=0)
        raise RuntimeError("nothing was found")
    except AssertionError as found:
        assert f"transfer 1 of pool {NEW}" in str(found), found
    place.sql(f"update pool.transfer_in set amount_e27 = amount_e27 - 1 where from_pool = {NEW} and number = 1", writer=True)
    place.verify()


# ---- sets of Jackpot Cards ----

def level(name, column):
    number = ["clubs", "diamonds", "hearts", "spades"].index(name) + 1
    return int(place.sql(f"select {column} from cards.level where pool = 2 and level = {number}")[0][0])


def begins(person):
    """A bet, played to its end: the id of the cards that begin, if they do."""
    paid_bet(person)
    if person.round["next"] != "cards":
        return None
    claim = person.round["cards"]["claim"]
    return f"{claim['move']}-{claim['index']}"


def play_cards(person, card_id):
    """Picks until three of a suit are up, and waits for the payment. Who has only just begun may not know the round yet."""
    def picked(n):
        try:
            return person.ask("POST", f"/v1/cards/{card_id}/picks", {"pick": n, "position": n - 1}, keep=False).json["card_round"]
        except Refused as refused:
            if n > 1 or refused.answer.status != 404:
                raise
        return None
    for n in range(1, 10):
        answer = eventually(f"pick {n}", lambda n=n: picked(n), 10)
        if answer["won"]:
            eventually("the award", lambda: person.ask("GET", f"/v1/cards/{card_id}", keep=False).json["card_round"]["booked"], 10)
            eventually("the end of the cards", lambda: person.refresh()["cards"] is None, 10)
            return answer
    raise AssertionError("nine picks and nothing won")


def test_a_live_pool_is_not_retired():
    assert "paused" in ask(NEW, "retire", {"rest": {"pool": 4}}, second=True, status=409)["error"]["message"]
    ask(NEW, "pause")  # which takes its time; others are tested meanwhile


def test_sets_of_cards_take_commands():
    """Odds for one operator in one game; weights and terms that do not touch what is open; a switch for each operator; a pause."""
    ask(2, "odds", {"currency": "EUR", "in": 1, "of": 100, "game": "bewitched", "operator": 1})
    opened = eventually("cards at the new odds", lambda: begins(place.one), 15)
    assert begins(place.two) is None, "the odds are of the other operator's players"
    eventually("the open round", lambda: place.sql(f"select 1 from cards.round where player = {place.one.id}"), 10)
    ask(2, "weights", {"weights": [0, 0, 0, 1], "game": "bewitched", "operator": 1})
    before = place.sql(f"select array_to_string(weights, ',') from cards.round where player = {place.one.id}")
    assert before == [["900,90,9,1"]], "an open round keeps its weights"
    play_cards(place.one, opened)
    changed = ask(2, "parameters", {"level": "spades", "seed_minor": 1200000, "wager_ppm": 400})
    assert changed["after"]["next_seed_minor"] == 1200000 and changed["after"]["seed_minor"] == 1000000, changed
    assert "do not rise" in ask(2, "parameters", {"level": "clubs", "seed_minor": 90000000}, status=409)["error"]["message"]
    adjusted = ask(2, "adjust", {"level": "spades", "delta_minor": 12}, second=True)
    assert int(adjusted["after"]["r_e27"]) - int(adjusted["before"]["r_e27"]) == 12 * 10 ** 25, adjusted
    place.kill(place.sql(f"select owner from carillon.shard where service = 'jackpot-cards' and shard = {shard_of(2)}")[0][0])
    opened = begins(place.one)
    assert opened and level("spades", "next_seed_minor") == 1200000, "an operator's terms outlive a restart"
    won = play_cards(place.one, opened)
    assert won["suit"] == "spades" and won["paid_minor"] >= 1000012, won
    assert level("spades", "seed_minor") == 1200000 and level("spades", "share_nano") == 400000, "the next win brought the new terms"
    ask(2, "take_part", {"takes_part": False, "game": "bewitched"})
    eventually("the switch", lambda: not feeds_cards(place.one), 10)
    ask(2, "take_part", {"takes_part": True, "game": "bewitched"})
    ask(2, "pause")
    eventually("the wallet's knowledge of the pause", lambda: not feeds_cards(place.one), 10)
    eventually("the engine's", lambda: not begun_and_played(place.one), 10)
    assert begins(place.one) is None and not feeds_cards(place.one), "a paused set begins nothing and accrues nothing"
    eventually("the pause's display", lambda: shown(2)["status"] == "paused", 10)
    ask(2, "resume")
    ask(2, "odds", {"currency": "EUR", "in": 1, "of": 10000000000, "game": "bewitched", "operator": 1})
    eventually("the odds as players see them", lambda: published() == {"1": {"EUR": {"in": 1, "of": 10000000000}}}, 15)
    assert [a["action"] for a in actions(2)[:3]] == ["odds", "resume", "pause"], actions(2)
    place.verify()


def published():
    return place.http("GET", "/v1/games/bewitched").json["cards"].get("odds_by_operator")


def begun_and_played(person):
    """A bet: did cards begin with it? Then they are played."""
    opened = begins(person)
    if opened:
        play_cards(person, opened)
    return opened


def feeds_cards(person):
    """A bet, and the cards if they begin: did it feed the set?"""
    opened = begins(person)
    bet = person.round["round"]
    if opened:
        play_cards(person, opened)
    return place.sql(f"select 1 from wallet.journal j, unnest(j.tallies) k(id) join pool.tally t using (id) where j.player = {person.id} and j.kind = 2 "
                     f"and j.round = {bet} and t.pool = 2") != []


def test_pools():
    global place
    with Installation("pools", scale=2, kafka=False) as place:
        for part in (test_two_operators_feed_one_pool, test_both_operators_win_the_same_pool, test_what_was_shown_over_time, test_when_it_may_be_won_next, test_commands_are_recorded_once,
                     test_an_approved_action_outlives_its_gateway, test_pool_is_created_under_load, test_games_and_operators_feed_the_new_pool, test_a_live_pool_is_not_retired, test_sets_of_cards_take_commands,
                     test_a_retired_pool_moves_all_its_money, test_late_contributions_follow, test_late_contributions_go_to_the_last_successor, test_proof_finds_changed_transfer):
            began = time.monotonic()
            part()
            print(f"        {part.__name__[5:]} ({time.monotonic() - began:.1f} s)", flush=True)


if __name__ == "__main__":
    run(test_pools)
