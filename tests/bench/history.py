#!/usr/bin/env python3
"""What a page of a player's history costs Postgres: blocks and milliseconds of a page of 50 rows, of a closed day and of today, read row by row by the account's
chain (before) and as the gateway reads it (after), in one run over the same rows. The rows are a shard's: random players, each row in its chain. Prints a table
and writes build/bench/history.json. Nothing is asserted but that both read the same rows.

    history.py [--rows=N] [--players=N] [--pages=N] [--vacuum-s=N] [--short | --try]

--rows: of each of the two days; --vacuum-s: how long it may wait for autovacuum's turn at the closed day."""
import json
import random
import statistics
import time

from lib_bench import bench_options, result_write
from lib_database import Server

SHARD = 1
DATABASE = "history"
CLOSED, TODAY = "2026-05-01", "2026-05-02"
PAGE = 50
RECORD_BYTES = 300
SEED = 20260501

# One row a round, of random players; each knows the row of its account before it. A tenth wins, a hundredth of the rows is outside money.
ROWS = """
insert into wallet.journal (shard, seq, player, kind, move, round, game, mode, refusal, currency, release, stake, win_balance, win_pending, forfeit, amount,
	balance_after, pending_after, prev_seq, prev_day, claims, tallies, record, last_move, time, day)
select {shard}, seq, player, case when seq %% 100 = 0 then 20 else 2 end, row_number() over w, row_number() over w, 1, 0, 0, 978, 0,
	case when seq %% 100 = 0 then 0 else 20 end, case when seq %% 10 = 1 then 50 else 0 end, 0, 0, case when seq %% 100 = 0 then 1000 else 0 end, 100000, 0,
	coalesce(lag(seq) over w, 0), case when lag(seq) over w is null then null when lag(seq) over w <= {first} then date '{closed}' else date '{today}' end,
	0, '{{1,2}}', decode(repeat('5a', {record}), 'hex'), null, case when seq <= {first} then timestamptz '{closed} UTC' else timestamptz '{today} UTC' end
	+ seq %% {first} * interval '1 second' * 86000 / {first}, case when seq <= {first} then date '{closed}' else date '{today}' end
from (select seq, 281474976710656 + 1 + floor(random() * {players})::bigint as player from generate_series(1, 2 * {first}) seq) r
window w as (partition by player order by seq) order by seq"""

BEFORE = "select * from gateway.rows_back({player}, {shard}, {seq}, {page}, 0)"
AFTER = "select * from wallet.history_rows({player}, {shard}, {seq}, {page}, 0)"


def fill(server, rows, players):
    """Two days of a shard: the first closed as the wallet closes it, the second open."""
    server.database(DATABASE)
    values = dict(shard=SHARD, first=rows, players=players, record=RECORD_BYTES, closed=CLOSED, today=TODAY)
    server.sql(DATABASE, f"select setseed(0.5); select wallet.leaves_make({SHARD}, '{CLOSED}', 1)")
    server.sql(DATABASE, "set work_mem = '512MB'; select setseed(0.5);" + ROWS.replace("%%", "%").format(**values))
    server.sql(DATABASE, f"""
insert into wallet.batch (shard, batch, first_seq, last_seq, checkpoint, epoch, digest, sums, time, day)
	select {SHARD}, d, (d - 1) * {rows} + 1, d * {rows}, d * {rows}, 1, decode(repeat('00', 32), 'hex'), '[]', now(), date '{CLOSED}' + d - 1 from generate_series(1, 2) d;
insert into wallet.leaf (shard, day, first_seq, first_batch, before)
	select {SHARD}, date '{CLOSED}' + d - 1, (d - 1) * {rows} + 1, d, decode(repeat('00', 32), 'hex') from generate_series(1, 2) d;
insert into wallet.account (player, shard, currency, balance, last_move, last_seq, last_day, blocked, pendings)
	select distinct on (player) player, shard, 978, 100000, move, seq, day, false, '{{}}' from wallet.journal order by player, seq desc""".replace("{{}}", "{}"))
    began = time.monotonic()
    server.sql(DATABASE, f"select wallet.leaf_close({SHARD}, '{CLOSED}')")
    return time.monotonic() - began


def settled(server, wait_s):
    """Autovacuum's turn at the closed day, as on any server. True: its index is read alone."""
    end = time.monotonic() + wait_s
    leaf = f"wallet.journal_{SHARD}_{CLOSED.replace('-', '')}"
    while time.monotonic() < end:
        if server.sql(DATABASE, f"select relallvisible >= relpages and relpages > 0 from pg_class where oid = '{leaf}'::regclass").strip() == "t":
            return True
        time.sleep(1)
    return False


def cost(server, sql):
    """Blocks that the statement touched, found or read, and its milliseconds, after it has been planned once."""
    text = server.sql(DATABASE, f"{sql.join(['select count(*) from (', ') s'])}; explain (analyze, buffers, format json) {sql}")
    plan = json.loads(text[text.index("["):])[0]
    return plan["Plan"]["Shared Hit Blocks"] + plan["Plan"]["Shared Read Blocks"], plan["Execution Time"]


def pages_of(server, day, n):
    """Rows of accounts from which there are enough rows of the day to fill a page."""
    text = server.sql(DATABASE, f"select player, max(seq), count(*) from wallet.journal where day = '{day}' group by player having count(*) > {PAGE} order by player limit 100000")
    return random.Random(SEED).sample([line.split("\t")[:2] for line in text.splitlines()], n)


def measured(server, day, how, pages):
    found = [cost(server, how.format(player=player, shard=SHARD, seq=seq, page=PAGE)) for player, seq in pages]
    blocks, times = zip(*found)
    return {"blocks": statistics.median(blocks), "blocks_most": max(blocks), "blocks_a_row": statistics.median(blocks) / PAGE, "ms": statistics.median(times),
            "ms_p99": sorted(times)[int(len(times) * 0.99)], "day": day}


def same_rows(server, pages):
    columns = "seq, kind, move, round, game, refusal, release, stake, win_balance, win_pending, forfeit, amount, balance_after, pending_after, prev_seq, claims, time"
    for player, seq in pages:
        both = [server.sql(DATABASE, f"select {columns} from ({how.format(player=player, shard=SHARD, seq=seq, page=PAGE)}) s") for how in (BEFORE, AFTER)]
        if both[0] != both[1] or len(both[0].splitlines()) != PAGE:
            raise SystemExit(f"player {player}, row {seq}: found other rows than by the chain")


def table(result):
    print(f"{result['rows']} rows a day, {result['players']} players; the day closed in {result['close_s']:.1f} s, "
          f"{result['index_bytes'] / result['rows']:.0f} bytes of index a row, {result['heap_bytes'] / result['rows']:.0f} of rows")
    print(f"{'page of 50 rows':<32} {'blocks':>8} {'most':>6} {'a row':>6} {'ms':>8} {'p99':>8}")
    for name, line in result["pages"].items():
        print(f"{name:<32} {line['blocks']:>8.0f} {line['blocks_most']:>6.0f} {line['blocks_a_row']:>6.1f} {line['ms']:>8.2f} {line['ms_p99']:>8.2f}")
    print("asked: a closed day 20 blocks and 3 ms, today 2 blocks a row")


def main():
    options = bench_options(__doc__, rows=(10000000, 200000, 10000), players=(20000, 1000, 50), pages=(50, 50, 12), vacuum_s=(600, 600, 0))
    with Server("bench-history") as server:
        close_s = fill(server, options.rows, options.players)
        if not settled(server, options.vacuum_s):
            print("autovacuum has not been at the closed day: its rows are looked at")
        closed, today = pages_of(server, CLOSED, options.pages), pages_of(server, TODAY, options.pages)
        same_rows(server, closed[:10] + today[:10])
        leaf = f"wallet.journal_{SHARD}_{CLOSED.replace('-', '')}"
        sizes = server.sql(DATABASE, f"select pg_relation_size('{leaf}'), pg_relation_size('{leaf}_player')").split()
        result = {"rows": options.rows, "players": options.players, "close_s": close_s, "heap_bytes": int(sizes[0]), "index_bytes": int(sizes[1]), "pages": {
            "closed day, by the chain": measured(server, CLOSED, BEFORE, closed), "closed day, in its index": measured(server, CLOSED, AFTER, closed),
            "today, by the chain, whole rows": measured(server, TODAY, BEFORE, today), "today, by the chain": measured(server, TODAY, AFTER, today)}}
    table(result)
    result_write(options, "history", result)


if __name__ == "__main__":
    main()
