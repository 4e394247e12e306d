#!/usr/bin/env python3
"""What the operator's side reads does not grow with the tables: the rows that Postgres has read are counted, with many planted ones."""
import time

from lib_play import RULES, Person, force, good, operator
from lib_stack import Installation, eventually, run

place = None
MANY = 200_000
NOWHERE = 1000  # a shard that no wallet serves


def rows_read(table):
    """By sequential scans and from indexes, as far as the backends have reported."""
    return int(place.sql(f"""select seq_tup_read + (select coalesce(sum(idx_tup_read), 0) from pg_stat_all_indexes i where i.relid = t.relid)
        from pg_stat_all_tables t where relid = '{table}'::regclass""")[0][0])


def status():
    return place.http("GET", "/v1/operator/status", token=place.operator_key())


def search(digits, **more):
    query = "".join(f"&{name}={value}" for name, value in more.items())
    return good(operator(place, f"/players?number={digits}{query}", None, method="GET"), f"players of {digits}").json


def other_status(before):
    """The next one that was read; backends report what they have read while they work."""
    return eventually("another status", lambda: next((s.json for s in [status()] if s.status == 200 and s.json["time_us"] > before["time_us"]), None), 60)


def plant(table, columns, values):
    place.sql(f"insert into {table} ({columns}) select {values} from generate_series(1, {MANY}) n", writer=True)
    place.sql(f"analyze {table}", writer=True)


def test_status_reads_a_few_rows_a_shard():
    seen = eventually("a status with the deposit", lambda: next((s.json for s in [status()] if s.status == 200 and s.json["journal"]), None), 60)
    assert seen["players"] < 1000 and not seen["players_estimated"], seen
    shards = {j["shard"]: j["batch"] for j in seen["journal"]}
    plant("wallet.batch", "shard, batch, first_seq, last_seq, checkpoint, epoch, digest, sums, time, day", f"{NOWHERE}, n, n, n, 0, 1, sha256('a test'), '[]', now(), current_date")
    plant("wallet.account", "player, shard, currency, balance, last_move, last_seq, last_day, blocked, pendings",
          f"(1::bigint << 48) + 7000000 + n, {NOWHERE}, 978, 0, 0, 0, current_date, false, '{{}}'")
    tables = ("wallet.batch", "wallet.account", "wallet.claim")

    def ten_read_few():
        """Whether ten statuses read few rows; a query that began before still has the old plan."""
        nonlocal seen
        before = [rows_read(table) for table in tables]
        for _ in range(10):
            seen = other_status(seen)
        return all(rows_read(table) - b < MANY for table, b in zip(tables, before))

    eventually("ten statuses that read few rows", ten_read_few, 60)
    assert seen["players_estimated"] and MANY * 0.9 < seen["players"] < MANY * 1.1, seen["players"]
    assert all(batch <= next(j["batch"] for j in seen["journal"] if j["shard"] == shard) for shard, batch in shards.items()), (shards, seen["journal"])


def test_a_search_for_players_reads_its_matches():
    """The accounts that the test before has planted: 7000001 to 7200000."""
    before = rows_read("wallet.account")
    for i in range(20):
        found = [p["player"] for p in search(f"719999{i % 10}")["players"]]
        assert found == [f"1-719999{i % 10}"], found
    seen = status().json
    for _ in range(3):
        seen = other_status(seen)
    assert rows_read("wallet.account") - before < 10 * MANY, "20 searches read all accounts"


def test_a_search_for_players_is_in_order():
    found, cursor = [], {}
    while True:
        page = search("70000", limit=7, **cursor)
        found += [p["player"] for p in page["players"]]
        cursor = {"cursor": page["next_cursor"]}
        if page["next_cursor"] is None:
            break
    assert found == [f"1-{n}" for n in range(7000001, 7000100)], found
    assert search("70000", after=7000097)["players"][0]["player"] == "1-7000098"
    assert search("8")["players"] == [] and search(2**48 - 1)["players"] == []
    everybody = [p["player"] for p in good(operator(place, "/players?limit=500", None, method="GET"), "players").json["players"]]
    assert len(everybody) == 500 and everybody == sorted(everybody, key=lambda player: int(player.split("-")[1]))


def listed(**query):
    return operator(place, "/players?" + "&".join(f"{name}={value}" for name, value in query.items()), None, method="GET")


def walked(**query):
    """All players of a search, and on how many pages."""
    found, pages, cursor = [], 0, {}
    while True:
        page = good(listed(**query, **cursor), f"{query}").json
        found, pages, cursor = found + page["players"], pages + 1, {"cursor": page["next_cursor"]}
        if page["next_cursor"] is None:
            return found, pages


def numbers_of(**query):
    return [int(p["player"].split("-")[1]) for p in walked(**query)[0]]


def test_players_by_state_currency_and_last_play():
    base, hour = 7_000_000, 3600 * 10**6
    now = time.time_ns() // 1000
    sets = {"blocked": [base + n for n in (1, 150_000, 199_999)], "excluded": [base + n for n in (2, 100_000, 199_999)], "SEK": [base + n for n in (3, 100_000, 150_000)]}
    ids = {name: ",".join(str((1 << 48) + n) for n in numbers) for name, numbers in sets.items()}
    place.sql(f"update wallet.account set blocked = true where player in ({ids['blocked']})", writer=True)
    place.sql(f"update wallet.account set currency = 752 where player in ({ids['SEK']})", writer=True)
    # Of three limits 11: one holds, one has begun to hold, one holds still although its end waits; and two that are over.
    for player, value, later, from_us in ((sets["excluded"][0], "s + 86400", -1, 0), (sets["excluded"][1], 1, "s + 86400", "(s - 60) * 1000000"), (sets["excluded"][2], "s + 86400", 1, "(s + 60) * 1000000"),
                                          (base + 4, "s - 60", -1, 0), (base + 5, "s + 86400", 1, "(s - 60) * 1000000")):
        state = f"array(select case i when 31 then {value} when 32 then {later} when 33 then {from_us} else -1 end from generate_series(1, 47) i)"
        place.sql(f"insert into wallet.player_limit (player, shard, state) select {(1 << 48) + player}, {NOWHERE}, {state} from (select extract(epoch from now())::bigint as s) t", writer=True)
    for player, hours in ((base + 1, 100), (base + 1, 5), (base + 100_000, 50), (base + 199_999, 1)):
        place.sql(f"""insert into gateway.rollup_player (operator, time, player, game, shard, day, currency)
            values (1, to_timestamp({(now - hours * hour) // 10**6}), {(1 << 48) + player}, 1, {NOWHERE}, current_date, 978)""", writer=True)
    sets["excluded"] = [n for n in sets["excluded"] if n not in sets["blocked"]]  # blocked comes before excluded
    assert numbers_of(number=7, state="blocked", limit=2) == sets["blocked"]
    found, pages = walked(number=7, state="excluded")
    assert [int(p["player"].split("-")[1]) for p in found] == sets["excluded"] and {p["state"] for p in found} == {"excluded"}, found
    assert pages >= MANY // 10_000, f"{pages} pages: one reads more than 10,000 accounts"
    assert numbers_of(number=7, currency="SEK") == sets["SEK"] and numbers_of(number=7, currency="SEK", state="active") == [base + 3]
    assert numbers_of(number=7, played_from_us=now - 60 * hour) == [base + 1, base + 100_000, base + 199_999]
    assert numbers_of(number=7, played_from_us=now - 60 * hour, played_before_us=now - 4 * hour) == [base + 1, base + 100_000]
    assert numbers_of(number=7, played_before_us=now - 4 * hour, state="blocked") == [base + 1, base + 150_000], "who never played is before every time"
    assert numbers_of(number=7, played_from_us=now - 60 * hour, state="excluded", currency="SEK") == [base + 100_000]
    assert numbers_of(number=70, state="active", after=base + 99_990, played_before_us=now, limit=500) == [n for n in range(base + 99_991, base + 100_000)]
    first = good(listed(number=7, state="blocked", format="csv"), "as CSV")
    lines = first.raw.decode().splitlines()
    assert lines[0].endswith(",state,played_us") and [line.split(",")[0] for line in lines[1:]] == [f'"1-{base + 1}"'] and first.headers["X-Next-Cursor"], lines
    for name, value in (("state", "open"), ("currency", "XXX"), ("played_from_us", 0), ("played_before_us", "today")):
        assert listed(**{name: value}).error["where"] == name, name
    page = good(listed(number=7, state="blocked"), "a page").json
    assert listed(number=7, state="excluded", cursor=page["next_cursor"]).error["where"] == "cursor"


def test_a_player_has_played():
    """What the rollups say, once they have read the bet."""
    player = place.people[0]
    path = f"/players/{player.number}"
    seen = eventually("the last play", lambda: next((p for p in [good(operator(place, path, None, method="GET"), path).json] if p["played_us"]), None), 120)
    assert seen["state"] == "active" and seen["played_us"] % (900 * 10**6) == 0 and abs(time.time_ns() // 1000 - seen["played_us"]) < 3 * 3600 * 10**6, seen
    assert player.number in numbers_of(number=player.number, played_from_us=seen["played_us"]) and player.number not in numbers_of(number=player.number, played_before_us=seen["played_us"])
    good(operator(place, f"{path}/block", {"blocked": True, "reason": "a test"}, key="a-block"), "a block")
    eventually("the state", lambda: player.number in numbers_of(number=player.number, state="blocked"), 60)


def test_what_was_not_collected_is_added_up_once():
    """Until the end of the last day that was sealed it is kept; only the time since then is added up. In a time to come, so that no day of it is sealed."""
    numbers = [row[0] for row in place.sql("""select attname from pg_attribute where attrelid = 'gateway.rollup_quarter'::regclass and attnum > 0
        and attname not in ('operator', 'time', 'shard', 'day', 'game', 'mode', 'currency', 'opened', 'pending')""")]
    plant("gateway.rollup_quarter", "operator, time, shard, day, game, mode, currency, opened, pending, " + ", ".join(numbers),
          f"8, timestamptz '2090-01-01' + n * interval '15 minutes', {NOWHERE}, '2090-01-01', n % 3 + 1, 0, 978, (n % 7 - 3), n % 1000, " + ", ".join("0" for _ in numbers))
    moments = [f"timestamptz '2090-01-01' + {n} * interval '15 minutes'" for n in (MANY - 400, MANY - 100, MANY + 1)]

    def asked(query):
        """What the session has read counts at once."""
        answer = place.sql(query, writer=True)
        place.sql("select pg_stat_force_next_flush()", writer=True)
        return answer

    def unfinished():
        return [asked(f"select gateway.report_unfinished(8, {moment}, '{{}}')") for moment in moments]

    try:
        before = unfinished()
        asked(f"select gateway.unfinished_keep(8, {moments[0]})")
        started = rows_read("gateway.rollup_quarter")
        assert unfinished() == before and before[0] != before[1] != before[2]
        assert rows_read("gateway.rollup_quarter") - started < MANY // 10
    finally:
        for one in ("rollup_quarter", "unfinished_kept"):
            place.sql(f"delete from gateway.{one} where operator = 8", writer=True)


def identities():
    """Of the status; nothing where it has not been read yet."""
    checks = (status().json or {}).get("reconciliation") or {"checks": []}
    return next((check for check in checks["checks"] if check["name"] == "identities"), {"holds": None, "checked_us": 0, "found": ""})


def checked_again(n=1):
    """The check after n more."""
    for _ in range(n):
        before = identities()["checked_us"]
        eventually("another check", lambda before=before: identities()["checked_us"] > before, 60)
    return identities()


def test_hits_are_added_up_once():
    """A check reads the new hits and some of the old ones; a hit that was changed is found when its turn comes. The hits are those of a pool that nobody serves."""
    n, zeros = 10_000, [row[0] for row in place.sql("""select attname from pg_attribute where attrelid = 'pool.hit'::regclass and attnum > 0 and not attisdropped
        and attnotnull and not atthasdef and attname not in ('pool', 'hit', 'player', 'move', 'index', 'cost_e27', 'claimed')""")]
    insert = f"insert into pool.hit (pool, hit, player, move, index, cost_e27, claimed, {', '.join(zeros)}) select 900, n, 1, n, 0, 1, now(), {', '.join('0' for _ in zeros)}"

    def wrong(text):
        """The check has failed, and says so."""
        found = identities()
        return found["holds"] is False and text in found["found"]

    eventually("the check", lambda: identities()["holds"], 60)
    place.sql(f"""with p as (insert into pool.pool select (jsonb_populate_record(p, jsonb_build_object('pool', 900, 'id', 'planted', 'hits', p.hits + {n}, 'paid_e27', p.paid_e27 + {n},
            'house_seed_e27', p.house_seed_e27 + {n}))).* from pool.pool p where pool = 1 and hits = 0),
        r as (insert into pool.row select (jsonb_populate_record(r, '{{"pool": 900}}')).* from pool.row r where pool = 1)
        {insert} from generate_series(1, {n}) n""", writer=True)
    try:
        assert checked_again(2)["holds"], identities()

        def three_read_few():
            """Not what the check before them has read: backends report that while they work."""
            before = rows_read("pool.hit")
            return checked_again(3)["holds"] and rows_read("pool.hit") - before < n

        eventually("three checks that do not read all hits", three_read_few, 120)
        place.sql("update pool.hit set cost_e27 = 2 where pool = 900 and hit = 5", writer=True)
        eventually("that it is found", lambda: wrong(f"pool 900: {n} hits, paid {n}; the hits say {n}, {n + 1}"), 240)
        place.sql("update pool.hit set cost_e27 = 1 where pool = 900 and hit = 5", writer=True)
        eventually("that it is in order again", lambda: identities()["holds"], 240)
        place.sql(f"{insert} from generate_series({n + 1}, {n + 1}) n", writer=True)
        eventually("the hit that the pool does not know", lambda: wrong(f"pool 900: {n} hits, paid {n}; the hits say {n + 1}, {n + 1}"), 60)
        place.sql("update pool.pool set hits = hits + 1, paid_e27 = paid_e27 + 1, house_seed_e27 = house_seed_e27 + 1 where pool = 900", writer=True)
        eventually("that the pool knows it", lambda: identities()["holds"], 60)
        place.kill("gateway-1")
        eventually("the check of another gateway", lambda: identities()["holds"], 60)
    finally:
        for table in ("hit", "row", "pool"):
            place.sql(f"delete from pool.{table} where pool = 900", writer=True)


if __name__ == "__main__":
    with Installation("many_rows", kafka=False) as place:
        place.people = [Person(place, deposit=1000)]
        force(place, place.people[0].name, RULES.stops())
        place.people[0].bet(1, 15, 1)
        try:
            run(*[f for name, f in list(globals().items()) if name.startswith("test_")])
        finally:
            for one in ("wallet.batch", "wallet.account", "wallet.player_limit", "gateway.rollup_player"):
                place.sql(f"delete from {one} where shard = {NOWHERE}", writer=True)
