#!/usr/bin/env python3
"""A day of 10^7 rounds (--short: 10^6) in the journal: what it costs to add them up as the gateways do, how long the day's report, a month's and a series take then,
and how long a partition takes to be made again. Rows are made by SQL: 4 shards, 5 games, players who play for 20 minutes each. Prints a table and writes
build/bench/report.json; a goal that is missed is marked.

    report.py [--short]"""
import argparse
import json
import os
import time

from lib_database import ROOT, Server

GOAL_S = 5
SHARDS, STEP = 4, 4000
DAY = "2026-11-20"
FILL = """
create function fill(of_shard integer, n bigint) returns void language plpgsql as $$
begin
	perform wallet.leaves_make(of_shard, date '{day}', 0);
	insert into wallet.leaf (shard, day, first_seq, first_batch, before) values (of_shard, '{day}', 1, 1, '\\x00');
	insert into wallet.journal (shard, seq, player, kind, move, round, game, mode, refusal, currency, release, stake, win_balance, win_pending, forfeit, amount, balance_after,
		pending_after, prev_seq, claims, tallies, request_id, record, time, day)
	select of_shard, i, (1::bigint << 48) + 4 * (1 + i / (n / 72) * 75 + i % 75) + of_shard, case when i % 8 = 7 then 6 else 2 end, i, i, 1 + i / 3 % 5, 0, 0, 978,
		case when i % 8 = 7 then 60 else 0 end, case when i % 8 = 7 then 0 else 100 end, case when i % 8 <> 7 and i % 5 = 0 then 380 else 0 end,
		case when i % 8 = 6 then 60 else 0 end, 0, 0, 100000, case when i % 8 = 6 then 60 else 0 end, 0, 0,
		case when i % 8 = 7 then '{{}}'::integer[] else array[1 + (i / 3 % 5)::integer, 11 + (i / 3 % 5)::integer] end, decode(repeat('ab', 16), 'hex'), decode(repeat('cd', 160), 'hex'),
		timestamptz '{day} 00:00+00' + i * interval '86399 seconds' / n, '{day}' from generate_series(1, n) i;
	insert into wallet.batch (shard, batch, first_seq, last_seq, checkpoint, epoch, digest, sums, time, day)
	select of_shard, b, (b - 1) * 100 + 1, least(b * 100, n), 0, 1, '\\x00', '[]', timestamptz '{day} 23:59+00', '{day}' from generate_series(1, (n + 99) / 100) b;
end $$;
insert into pool.tally (id, pool, game, currency, rate_nano, ppm) select g, 1, g, 978, 1000000000, 5000 from generate_series(3, 5) g on conflict do nothing;
insert into pool.tally (id, pool, game, currency, rate_nano, ppm) select g + 10, 3, g, 978, 1000000000, 4000 from generate_series(1, 5) g;
""".format(day=DAY)


class Table:
    def __init__(self, server):
        self.server, self.result = server, {}

    def timed(self, name, text, goal=None, per=None):
        cpu, began = self.server.cpu(), time.monotonic()
        answer = self.server.sql("day", text)
        seconds, cpu = time.monotonic() - began, self.server.cpu() - cpu
        self.result[name] = {"s": seconds, "cpu_s": cpu}
        each = "" if per is None else f", {cpu / per * 1e6:.1f} us of CPU a row"
        print(f"{name:44} {seconds:9.2f} s  CPU {cpu:8.2f} s{each}{'' if goal is None or seconds <= goal else f'   above the goal of {goal} s'}", flush=True)
        return answer


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true")
    rounds = 10**6 if parser.parse_args().short else 10**7
    rows = rounds * 8 // 7 // SHARDS
    with Server("report") as server:
        server.database("day")
        table = Table(server)
        server.sql("day", FILL)
        for shard in range(SHARDS):
            table.timed(f"{rows:,} rows of shard {shard} made", f"select fill({shard}, {rows})")
        server.sql("day", "insert into carillon.installation (kind, shards) values ('demo', 4) on conflict do nothing; vacuum analyze wallet.batch")
        # A step a statement, as the gateways ask: by one connection.
        table.timed("added up", f"do $$ begin loop exit when (gateway.rollup_steps({STEP})).rows = 0; commit; end loop; end $$", per=rows * SHARDS)
        report = "select length(gateway.report_make(1, '{}', '{}', '{{}}', 'provisional')::text)"
        for period in ("day", "month", "life"):
            table.timed(f"report, {period}", report.format(period, DAY), GOAL_S)
        for step in ("minute", "hour", "day"):
            table.timed(f"series by {step}", f"select length(gateway.series(1, '{step}', '{DAY}', '{DAY} 23:59', true, 0, 0, 2000, '{{}}')::text)", GOAL_S)
        table.timed("one partition made again", f"select * from gateway.rollup_rebuild('wallet.journal_0_{DAY.replace('-', '')}', 0, '{DAY}')", per=rows)
        counted = server.sql("day", "select sum(rounds) from gateway.rollup_quarter").strip()
        table.result.update(rounds=int(counted), rows=rows * SHARDS, goal_s=GOAL_S)
        print(f"{int(counted):,} rounds counted; the sums take {server.sql('day', WEIGHT).strip()} of {server.sql('day', JOURNAL).strip()} of the journal")
    os.makedirs(f"{ROOT}/build/bench", exist_ok=True)
    with open(f"{ROOT}/build/bench/report.json", "w", encoding="utf-8") as file:
        json.dump(table.result, file, indent=1)


WEIGHT = "select pg_size_pretty(sum(pg_total_relation_size(oid))) from pg_class where relnamespace = 'gateway'::regnamespace and relkind = 'r' and relname like 'rollup%'"
JOURNAL = "select pg_size_pretty(sum(pg_total_relation_size(oid))) from pg_class where relnamespace = 'wallet'::regnamespace and relkind = 'r' and relname like 'journal%'"

if __name__ == "__main__":
    main()
