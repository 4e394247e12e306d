#!/usr/bin/env python3
"""A day of 10^7 rounds in the journal, at the end of a year of sums and of daily closes: what it costs to add the rows up as the gateways do, how long the reports
of the day, of its month, of the year and of everything take then, how long series and CSV, and how long it takes to make the sums again from the journal. Rows are
made by SQL: 4 shards, 5 games, each player plays for 20 minutes; wins of 200 stakes, jackpots, voids, corrections, refusals and money that waits are among them.
The earlier days have the sums of this one. Prints a table and writes build/bench/report.json; what misses its goal is marked. It ends with an error if the sums are
not those of the journal, if making them again changes them, or if a report then differs by a byte.

    report.py [--rounds=N] [--days=N] [--short | --try]

--days: with sums before that day, at least 29. Takes 1.1 kB of disk a round, and 3 GB."""
import os
import signal
import sys
import threading
import time

from lib_bench import bench_options, result_write
from lib_database import Server

GOAL_S = 5
SHARDS, STEP = 4, 4000
DAY = "2026-11-30"  # of a month that is full
MONTH_BEFORE = 29
LEAF = f"wallet.journal_%d_{DAY.replace('-', '')}"
# One row in eight collects what the row before it has won, but in five of 40,000 rows: a void, a correction, a jackpot, a refused bet, and one that is missing.
FILL = """
create function fill(of_shard integer, n bigint) returns void language plpgsql as $$
begin
	perform wallet.leaves_make(of_shard, date '{day}', 0);
	insert into wallet.leaf (shard, day, first_seq, first_batch, before) values (of_shard, '{day}', 1, 1, '\\x00');
	insert into wallet.journal (shard, seq, player, kind, move, round, game, mode, refusal, currency, release, stake, win_balance, win_pending, forfeit, amount, balance_after,
		pending_after, prev_seq, claims, tallies, request_id, record, time, day)
	select of_shard, i, (1::bigint << 48) + 4 * (1 + i / (n / 72) * 75 + i % 75) + of_shard, kind, i, i, 1 + i / 3 % 5, 0, case when kind = 2 and i % 8 = 7 then 1 else 0 end, 978,
		case kind when 6 then 60 else 0 end, case when kind in (2, 7) then 100 else 0 end, case when kind <> 2 or i % 8 = 7 then 0 when i % 2000 = 5 then 20000 when i % 5 = 0 then 380 else 0 end,
		case when i % 8 = 6 then 60 else 0 end, 0, case kind when 22 then 125 when 24 then 5000 else 0 end, 100000, case when i % 8 = 6 then 60 else 0 end, 0, 0,
		case when kind = 2 then array[1 + (i / 3 % 5)::integer, 11 + (i / 3 % 5)::integer] else '{{}}'::integer[] end, decode(repeat('ab', 16), 'hex'),
		case kind when 22 then convert_to('{{"actor":"a bench","reason":"a rounding"}}', 'UTF8') else decode(repeat('cd', 160), 'hex') end,
		timestamptz '{day} 00:00+00' + i * interval '86399 seconds' / n, '{day}'
	from (select i, case when i % 8 <> 7 then 2 else coalesce((array[7, 22, 24, 2, 2])[1 + i / 8 % 5000], 6) end as kind from generate_series(1, n) i) r;
	insert into wallet.claim (player, move, index, shard, pool, kind, currency, coin_minor, stake_minor, opened_seq, opened, closed_seq, paid_minor, hit)
	select player, move, 0, shard, 1, 1, 978, 1, 100, seq - 1, time, seq, amount, seq from wallet.journal where shard = of_shard and kind = 24;
	insert into wallet.batch (shard, batch, first_seq, last_seq, checkpoint, epoch, digest, sums, time, day)
	select of_shard, b, (b - 1) * 100 + 1, least(b * 100, n), 0, 1, '\\x00', '[]', timestamptz '{day} 23:59+00', '{day}' from generate_series(1, (n + 99) / 100) b;
	insert into wallet.close_run (shard, number, day, request, batch, seq, time)
	select of_shard, {before} + 1 - d, date '{day}' - d, 0, 0, 0, timestamptz '{day} 00:05+00' - (d - 1) * interval '1 day' from generate_series(1, {before}) d;
	insert into wallet.close (shard, number, pool, currency, accrued_nano, carried_nano, moved_minor, carry_nano) select of_shard, d, 3, 978, 0, 0, 0, 0 from generate_series(1, {before}) d;
	insert into wallet.close_tally (shard, number, tally, pool, currency, share_nano, total_before, total)
	select of_shard, d, t, 3, 978, 4000000 + d, 100 * d, 100 * d + 100 from generate_series(1, {before}) d, generate_series(11, 15) t;
end $$;
insert into pool.tally (id, pool, game, currency, rate_nano, ppm) select g, 1, g, 978, 1000000000, 5000 from generate_series(2, 5) g
	on conflict (id) do update set pool = excluded.pool, game = excluded.game, ppm = excluded.ppm;
insert into cards.card_set (pool, id, shard, t_e18, contributions_e27, jp_pool_e27, jp_reserve_e27, jp_seed_e27, house_seed_e27, paid_e27, version, fact_seq)
	values (3, 'cards', 0, 0, 0, 0, 0, 0, 0, 0, 1, 0);
insert into pool.tally (id, pool, game, currency, rate_nano, ppm) select g + 10, 3, g, 978, 1000000000, 1000000 from generate_series(1, 5) g;
insert into carillon.installation (kind, shards) values ('demo', 4) on conflict do nothing;
"""
ADD = f"""
do $$
declare
	step record;
begin
	loop
		select * into step from gateway.rollup_steps({STEP});
		if step.trouble is not null then
			raise exception 'adding up: %', step.trouble;
		end if;
		exit when step.rows = 0;
		commit;
	end loop;
end $$"""
# The year before: days with the same sums, and those of the month with the same players.
HISTORY = """
do $$
begin
	execute (select format('insert into gateway.rollup_quarter (operator, time, shard, day, %1$s) select operator, time - d * interval ''1 day'', shard, day - d, %1$s
		from gateway.rollup_quarter, generate_series(1, {before}) d', string_agg(attname, ', ')) from pg_attribute
		where attrelid = 'gateway.rollup_quarter'::regclass and attnum > 0 and attname <> all ('{{operator,time,shard,day}}'));
end $$;
insert into gateway.rollup_tally select operator, time - d * interval '1 day', shard, day - d, tally, stakes from gateway.rollup_tally, generate_series(1, {before}) d;
insert into gateway.rollup_player select operator, time - d * interval '1 day', player, game, shard, day - d, currency from gateway.rollup_player, generate_series(1, {month}) d;
insert into gateway.rollup_notable select shard, seq + d * 1000000000::bigint, day - d, operator, time - d * interval '1 day', player, kind, game, round, currency, pool, stake, win, amount, note
	from gateway.rollup_notable, generate_series(1, {month}) d;
"""
# Read in another way than the sums are made: from all rows at once.
COLUMNS = {"rounds": "count(*) filter (where kind = 2 and refusal = 0)", "refused": "count(*) filter (where kind = 2 and refusal <> 0)", "stakes": "sum(stake) filter (where kind = 2 and refusal = 0)",
           "wins": "sum(win_balance + win_pending - forfeit) filter (where kind between 2 and 6 and refusal = 0)", "pending": "sum(win_pending - release - forfeit)",
           "jackpots": "count(*) filter (where kind = 24)", "jackpots_paid": "sum(amount) filter (where kind = 24)", "voids": "count(*) filter (where kind = 7)",
           "corrections": "sum(amount) filter (where kind = 22)"}
EQUAL = [f"select {', '.join(COLUMNS.values())}, count(distinct player) filter (where kind = 2 and refusal = 0) from wallet.journal where day = '{DAY}'",
         *(f"select {', '.join(f'sum({name})' for name in COLUMNS)}, (select count(distinct player) from gateway.rollup_player where day = '{DAY}') from gateway.{table} where day = '{DAY}'"
           for table in ("rollup_minute", "rollup_quarter"))]
REPORT = f"gateway.report_make(1, '{{}}', '{DAY}', '{{{{}}}}', 'provisional')"
LISTS = ("totals", "games", "returns", "jackpots", "unfinished", "hits", "large_wins", "adjustments")
SERIES = "gateway.series(1, '{}', timestamptz '{} +00', timestamptz '" + DAY + " 24:00+00', true, 0, 0, 2000, '{{}}')"
WEIGHT = "select pg_size_pretty(sum(pg_total_relation_size(oid))) from pg_class where relnamespace = '{}'::regnamespace and relkind = 'r' and relname like '{}%'"


class Memory(threading.Thread):
    """The largest memory of one process of Postgres, without what they share."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.server, self.most = server, 0

    def run(self):
        while True:
            self.most = max([self.most, *(self.own(pid) for pid in self.server.children())])
            time.sleep(0.5)

    @staticmethod
    def own(pid):
        try:
            with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
                return next((int(line.split()[1]) for line in file if line.startswith("RssAnon")), 0)
        except OSError:
            return 0


class Table:
    def __init__(self, server):
        self.server, self.result, self.memory = server, {}, Memory(server)
        self.memory.start()
        print(f"{'':44} {'seconds':>9} {'CPU':>9} {'memory':>9} {'files':>9} {'load':>6}")

    def temporary(self):
        return int(self.server.sql("postgres", "select temp_bytes from pg_stat_database where datname = 'day'"))

    def ended(self, before):
        """Waits for the end of the session, whose CPU is counted then, but not long for what else has begun."""
        end = time.monotonic() + 5
        while time.monotonic() < end and set(self.server.children()) - before:
            time.sleep(0.1)

    def timed(self, name, text, goal=None, per=None):
        before = set(self.server.children())
        cpu, files, began, self.memory.most = self.server.cpu(), self.temporary(), time.monotonic(), 0
        answer = self.server.sql("day", text).strip()
        seconds = time.monotonic() - began
        self.ended(before)
        cpu = self.server.cpu() - cpu
        files = self.temporary() - files
        self.result[name] = {"s": seconds, "cpu_s": cpu, "memory_mb": self.memory.most / 1024, "files_mb": files / 2**20, "load": os.getloadavg()[0]}
        each = "" if per is None else f"  {cpu / per * 1e6:.1f} us of CPU a row"
        print(f"{name:44} {seconds:7.2f} s {cpu:7.2f} s {self.memory.most / 1024:6.0f} MB {files / 2**20:6.0f} MB {os.getloadavg()[0]:6.1f}{each}"
              f"{'' if goal is None or seconds <= goal else f'  above the goal of {goal} s'}", flush=True)
        return answer


def filled(server, table, rows, days):
    server.sql("day", FILL.format(day=DAY, before=days))
    for shard in range(SHARDS):
        table.timed(f"{rows:,} rows of shard {shard} made", f"select fill({shard}, {rows})")
    # As autovacuum does while a day is played.
    table.timed("vacuum, statistics", "vacuum analyze")


def added(server, table, rows):
    table.timed("added up", ADD, per=rows * SHARDS)
    short = server.sql("day", f"select count(*) from generate_series(0, {SHARDS - 1}) s left join gateway.rollup_at a on a.shard = s where a.seq is distinct from {rows}").strip()
    if short != "0":
        raise SystemExit(f"added up: found {short} shards of which rows are left, expected none")
    equal(server)


def equal(server):
    journal, *sums = (server.sql("day", text).strip() for text in EQUAL)
    if sums != [journal] * len(sums):
        raise SystemExit(f"the sums {sums} are not those of the journal, {journal}")
    print(f"the sums by minute and by quarter are those of the journal: {', '.join(COLUMNS)}, players: {journal}")


def read(server, table):
    """Reports, series and CSV; the texts of the reports."""
    made = {}
    for period in ("day", "month", "year", "life"):
        made[period] = table.timed(f"report, {period}", f"select {REPORT.format(period)}", GOAL_S if period == "day" else None)
    again = table.timed("report, day, again", f"select {REPORT.format('day')}", GOAL_S)
    if again != made["day"]:
        raise SystemExit("the report of the day differs when it is made again")
    table.timed("CSV of all lists of the day's report, kept", f"create table kept as select {REPORT.format('day')}::text as content; "
                + "select " + ", ".join(f"length(gateway.csv(content::json->'{name}'))" for name in LISTS) + " from kept; drop table kept")
    for step, begins in (("minute", DAY), ("hour", DAY), ("day", DAY[:-2] + "01")):
        table.timed(f"series by {step}{', of the month' if step == 'day' else ''}", f"select {SERIES.format(step, begins)}", GOAL_S)
        table.timed("the same as CSV", f"select gateway.csv({SERIES.format(step, begins)}->'points')", GOAL_S)
    return made


def rebuilt(server, table, rows, made):
    for shard in range(SHARDS):
        differs = table.timed(f"sums of shard {shard} made again", f"select differs from gateway.rollup_rebuild('{LEAF % shard}', {shard}, '{DAY}')", per=rows)
        if differs != "f":
            raise SystemExit(f"shard {shard}: the sums differ from those made again from the journal")
    equal(server)
    for period, text in made.items():
        if server.sql("day", f"select {REPORT.format(period)}").strip() != text:
            raise SystemExit(f"the report of the {period} differs from the one before the sums were made again")
    print(f"made again, the sums are the same, and the reports ({', '.join(made)}) are the same to the byte")


def main():
    options = bench_options(__doc__, rounds=(10**7, 10**6, 10**4), days=(364, 364, MONTH_BEFORE))
    rows = options.rounds * 8 // 7 // SHARDS + 1
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by SIGTERM"))
    with Server("report") as server:
        server.database("day")
        table = Table(server)
        filled(server, table, rows, options.days)
        added(server, table, rows)
        weight = server.sql("day", WEIGHT.format("gateway", "rollup")).strip(), server.sql("day", WEIGHT.format("wallet", "journal")).strip()
        table.timed(f"sums of {options.days} days before", HISTORY.format(before=options.days, month=MONTH_BEFORE))
        table.timed("vacuum, statistics of the sums", "vacuum analyze gateway.rollup_quarter, gateway.rollup_tally, gateway.rollup_player, gateway.rollup_notable, gateway.rollup_minute")
        made = read(server, table)
        rebuilt(server, table, rows, made)
        counted = int(server.sql("day", f"select sum(rounds) from gateway.rollup_quarter where day = '{DAY}'"))
        table.result.update(rounds=counted, rows=rows * SHARDS, goal_s=GOAL_S, report_bytes={period: len(text) for period, text in made.items()}, weight=weight)
        print(f"{counted:,} rounds; the day's sums take {weight[0]}, its journal {weight[1]}; the day's report has {len(made['day']):,} bytes")
    result_write(options, "report", table.result)


if __name__ == "__main__":
    main()
