#!/usr/bin/env python3
"""What the operator's side reads does not grow with the tables: the rows that Postgres has read are counted, with many planted ones."""
from lib_play import Person, good, operator
from lib_stack import Installation, run, wait_until

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
    return wait_until("another status", lambda: next((s.json for s in [status()] if s.status == 200 and s.json["time_us"] > before["time_us"]), None), 60)


def plant(table, columns, values):
    place.sql(f"insert into {table} ({columns}) select {values} from generate_series(1, {MANY}) n", writer=True)
    place.sql(f"analyze {table}", writer=True)


def test_status_reads_a_few_rows_a_shard():
    seen = wait_until("a status with the deposit", lambda: next((s.json for s in [status()] if s.status == 200 and s.json["journal"]), None), 60)
    assert seen["players"] < 1000 and not seen["players_estimated"], seen
    shards = {j["shard"]: j["batch"] for j in seen["journal"]}
    plant("wallet.batch", "shard, batch, first_seq, last_seq, checkpoint, epoch, digest, sums, time, day", f"{NOWHERE}, n, n, n, 0, 1, sha256('a test'), '[]', now(), current_date")
    plant("wallet.account", "player, shard, currency, balance, last_move, last_seq, last_day, blocked, pendings",
          f"(1::bigint << 48) + 7000000 + n, {NOWHERE}, 978, 0, 0, 0, current_date, false, '{{}}'")
    tables = ("wallet.batch", "wallet.account", "wallet.claim")

    def ten_read_few():
        """Not what is still being read with the plans of before."""
        nonlocal seen
        before = [rows_read(table) for table in tables]
        for _ in range(10):
            seen = other_status(seen)
        return all(rows_read(table) - b < MANY for table, b in zip(tables, before))

    wait_until("ten statuses that read few rows", ten_read_few, 60)
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


if __name__ == "__main__":
    with Installation("many_rows", kafka=False) as place:
        Person(place, deposit=1000)
        try:
            run(*[f for name, f in list(globals().items()) if name.startswith("test_")])
        finally:
            for one in ("wallet.batch", "wallet.account"):
                place.sql(f"delete from {one} where shard = {NOWHERE}", writer=True)
