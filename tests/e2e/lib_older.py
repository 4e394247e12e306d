"""An installation of the first release, with rows as its services wrote them, brought up to this one by scripts/migrate.sh: in a database of its own, by a
copy of the script beside the migrations of then. No row may be lost or changed, and what newer migrations derive from them is looked at."""
import glob
import json
import os
import shutil
import subprocess

from lib_patience import time_out
from lib_stack import BIN, PSQL, ROOT

FIRST = ("0001_", "services/wallet/migrations/0002_", "services/jackpot-cards/migrations/0002_")
ONE, TWO = (1 << 48) + 1000, (1 << 48) + 1001
DIGEST = "decode(repeat('{:02x}', 32), 'hex')"

COLUMNS = "release stake win_balance win_pending forfeit amount balance_after pending_after".split()


def row(shard, seq, player, kind, time, prev, currency=978, move=0, round_=0, refusal=0, claims=0, tallies="{}", outside=None, request=None, last_move=None, **money):
    amounts = ", ".join(str(money.get(name, 0)) for name in COLUMNS)
    outside, request = (f"decode('{i:032x}', 'hex')" if i else "null" for i in (outside, request))
    last = "null" if last_move is None else last_move
    return (f"({shard}, {seq}, {player}, {kind}, {move}, {round_}, {1 if move else 0}, 0, {refusal}, {currency}, {amounts}, {prev}, {claims}, '{tallies}', {request}, {outside}, "
            f"decode('aa{seq:02x}', 'hex'), {last}, timestamptz '{time}+00')")


# Shard 0: a batch over midnight, one after a clock that went back, a day without rows; each kind that a later migration looks for. Shard 1: bonus spins.
ROWS = [
    row(0, 1, ONE, 1, "2026-03-01 10:00:00", 0),
    row(0, 2, ONE, 20, "2026-03-01 10:00:00", 1, amount=100000, balance_after=100000, outside=1, last_move=0),
    row(0, 3, ONE, 2, "2026-03-01 23:59:59.9", 2, move=1, round_=1, stake=500, win_balance=200, balance_after=99700, tallies="{7}", request=11),
    row(0, 4, ONE, 2, "2026-03-02 00:00:00.2", 3, move=2, round_=2, stake=500, balance_after=99200, tallies="{7}", request=12),
    row(0, 5, ONE, 23, "2026-03-02 09:00:00", 4, amount=2000, balance_after=101200, outside=2, last_move=2),
    row(0, 6, ONE, 23, "2026-03-02 09:00:00.1", 5, amount=3000, balance_after=101200, refusal=3, outside=3, last_move=2),
    row(0, 7, ONE, 2, "2026-03-02 09:00:01", 6, move=3, round_=3, stake=2500, win_pending=400, balance_after=98700, pending_after=400, claims=1, tallies="{7}", request=13),
    row(0, 8, ONE, 7, "2026-03-01 22:00:00", 7, move=4, round_=1, stake=200, win_balance=500, balance_after=99000, request=14),
    row(0, 9, ONE, 21, "2026-03-04 08:00:00", 8, amount=-9000, balance_after=90000, outside=4, last_move=4),
    row(1, 1, TWO, 1, "2026-03-03 12:00:00", 0, currency=752),
    row(1, 2, TWO, 26, "2026-03-03 12:00:01", 1, currency=752, outside=5, last_move=0),
    row(1, 3, TWO, 2, "2026-03-03 12:00:02", 2, currency=752, move=1, round_=1, win_balance=70, balance_after=70, outside=5, request=15),
]
BATCHES = [(0, 1, 1, 2, "2026-03-01 10:00:00"), (0, 2, 3, 4, "2026-03-01 23:59:59.9"), (0, 3, 5, 7, "2026-03-02 09:00:00"), (0, 4, 8, 8, "2026-03-01 22:00:00"),
           (0, 5, 9, 9, "2026-03-04 08:00:00"), (1, 1, 1, 3, "2026-03-03 12:00:00")]
OUTSIDE = [(1, 0, 2, ONE), (2, 0, 5, ONE), (3, 0, 6, ONE), (4, 0, 9, ONE), (5, 1, 2, TWO)]
# A set of cards with a level and its first win. What the levels have of T is 5 x 10^26: in the set that has had more, a share was changed.
CARD_SET = f"""
insert into cards.card_set values ({{pool}}, 'cards', 2, {{t}}, {{contributions}}, 0, 0, 0, 0, 0, 1, 1, '2026-03-01+00');
insert into cards.level values ({{pool}}, 1, 978, 2, 1000, 1000000000, 250000000, 10000000000000000000000000, 0, 0, 1, null, null, null, '2026-03-01+00');
insert into cards.round values ({{pool}}, 1, {ONE}, {{move}}, 0, 978, 2500, 0, 7, '2026-03-02+00', '2026-03-02+00', '2026-03-03+00', 1, '\\x01', '\\x02', '{{{{9,4,2,1}}}}', '{{{{0,5,7}}}}',
    '{{{{1,1,1}}}}', true, 1, 1, 1000, '\\x03', false, '2026-03-02+00');
insert into cards.hit values ({{pool}}, 1, 1, 1, {ONE}, {{move}}, 0, 978, 2, 1000000000, 1000, 10000, 10000, 0, 10000, 10000, 0, 10000, 5, 0, 3, 2, 1000, 1000, '2026-03-02+00');
"""
# 1 % of 35.00 EUR on a seed of 200.00 EUR.
OLDER = f"""
create table wallet.journal_0 partition of wallet.journal for values in (0);
create table wallet.journal_1 partition of wallet.journal for values in (1);
insert into wallet.journal (shard, seq, player, kind, move, round, game, mode, refusal, currency, {", ".join(COLUMNS)}, prev_seq, claims, tallies, request_id, outside_id,
    record, last_move, time) values {", ".join(ROWS)};
insert into wallet.batch values {", ".join(f"({s}, {b}, {f}, {l}, {f - 1}, 3, {DIGEST.format(16 * s + b)}, '[]', timestamptz '{t}+00')" for s, b, f, l, t in BATCHES)};
insert into wallet.house_leg values (0, 1, 978, 'PLAYER', 100000), (0, 1, 978, 'CASH', -100000), (0, 2, 978, 'PLAYER', -800), (0, 2, 978, 'HOUSE', 800);
insert into wallet.account values ({ONE}, 0, 978, 90000, 4, 9, false, '{{1,3,400}}', '2026-03-01 10:00+00'), ({TWO}, 1, 752, 70, 1, 3, true, '{{}}', '2026-03-03 12:00+00');
insert into wallet.outside values {", ".join(f"(decode('{i:032x}', 'hex'), decode('{i:02x}', 'hex'), {s}, {q}, {p})" for i, s, q, p in OUTSIDE)};
insert into wallet.claim values ({ONE}, 3, 0, 0, 1, 1, 978, 20, 2500, 7, '2026-03-02 09:00:01+00');
insert into wallet.tally_total values (0, 7, 3500, 9);
insert into wallet.spin_grant values (decode('{5:032x}', 'hex'), 1, {TWO}, 1, 752, 10, 5, 1, 20, 1, '2026-04-01+00', 2, null);
insert into wallet.switch values (3, 'under repair', 'somebody', '2026-03-01+00');
insert into pool.tally values (7, 1, 1, 978, 1000000000, 10000, '2026-02-28+00', null);
insert into pool.pool values (1, 'bewitched', 1, 'live', 350000000000000000, 350000000000000000000000000, 350000000000000000000000000, 0, 200000000000000000000000000000,
    200000000000000000000000000000, 0, 0, 5, 9, '2026-03-04+00');
insert into pool.row values (1, 978, 20, 2, 20000, 1000000000, 1000000000, 10000000000000000000000000, 0, 0, 0, 30000, 1000000000, 1000000000, 20000, 1000000000, 1000000000);
insert into pool.vector values (1, 0, 7, 3500, 7, 1);
insert into pool.operator_action values ('\\x01', 1, 2, 'anna', '', 'more of it', '{{}}', true, '', '{{}}', '{{}}', 8, '2026-03-02+00');
{"".join(CARD_SET.format(pool=pool, t=2 * 10 ** 18, contributions=c * 10 ** 26, move=pool) for pool, c in ((1000, 5), (1001, 7)))}
insert into payments.payout values (decode('{4:032x}', 'hex'), 0, {ONE}, 978, 9000, 0, 0, 0, 3, 'p-1', '2026-03-04+00', '2026-03-04+00');
insert into cards.waiting_claim values ({ONE}, 3, 1, 1000, 978, 2500, 0, 7, '2026-03-02 09:00:01+00');
insert into engine.player values ({ONE}, 0, 4, '\\x0102');
insert into engine.game_state values ({ONE}, 1, 0, 4, 2, 3, '2026-03-02 09:00:01+00', '\\x0304');
insert into engine.stopped_game values (9, 'past its bounds', '2026-03-02+00');
insert into gateway.audit (operator, actor, action, subject, request_id, content, status) values (1, 'anna', 'deposit', '1-1000', 'r1', '{{"amount_minor": 100000}}', 200);
insert into carillon.fx_rate values (826, 1170000000, '2026-03-01+00');
insert into carillon.shard (service, shard, epoch, owner, offset_1) values ('wallet', 0, 7, 'wallet-1', 12), ('wallet', 1, 3, null, 4);
insert into carillon.instance (name, service, nn_url, pid) values ('wallet-1', 'wallet', 'tcp://127.0.0.1:1', 4711);
"""
# A copy of each table, and then of each the rows that only one of the two has, in the columns of then.
KEEP = """do $$ declare t record; begin
    create schema kept;
    for t in select n.nspname, c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relkind in ('r', 'p') and not c.relispartition
        and n.nspname in ('carillon', 'wallet', 'pool', 'cards', 'engine', 'payments', 'gateway') and (n.nspname, c.relname) <> ('carillon', 'migration')
    loop execute format('create table kept.%I as table %I.%I', t.nspname || '.' || t.relname, t.nspname, t.relname); end loop; end $$"""
COMPARISONS = """select c.relname, format('select ''lost'', k.*::text from (select %2$s from kept.%1$I except all select %2$s from %1$s) k union all
        select ''added'', k.*::text from (select %2$s from %1$s except all select %2$s from kept.%1$I) k', c.relname, string_agg(quote_ident(a.attname), ', '))
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 where c.relnamespace = 'kept'::regnamespace group by c.relname order by 1"""


class Older:
    def __init__(self, place):
        self.dsn = place.stack["CARILLON_PG_DSN"].replace("dbname=carillon", "dbname=older")
        self.tree = f"{place.data}/older"  # also its CARILLON_DATA, which has no servers of its own
        self.environment = {**place.environment, "CARILLON_DATA": self.tree, "CARILLON_PG_DSN": self.dsn, "CARILLON_PG_RO_DSN": self.dsn}
        self.run(PSQL, "-d", place.stack["CARILLON_PG_ADMIN_DSN"].replace("dbname=carillon", "dbname=postgres"), "-Xc",
                 "create database older owner carillon")
        for path in [f"{ROOT}/scripts/{name}" for name in ("lib.sh", "migrate.sh")] + glob.glob(f"{ROOT}/libcommon/io/migrations/*") + glob.glob(f"{ROOT}/services/*/migrations/*"):
            name = os.path.relpath(path, ROOT)
            if name.startswith("scripts/") or any(first in name for first in FIRST):
                os.makedirs(os.path.dirname(f"{self.tree}/{name}"), exist_ok=True)
                shutil.copy(path, f"{self.tree}/{name}")

    def run(self, *command):
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=time_out(30), check=False)
        assert done.returncode == 0, (command, done.stdout[-2000:], done.stderr[-3000:])
        return done.stdout

    def migrate(self, root):
        """The migrations that it applied."""
        return [line.split()[1] for line in self.run(f"{root}/scripts/migrate.sh").splitlines() if line.startswith("  applying ")]

    def sql(self, text):
        return [line.split("|") for line in self.run(PSQL, "-d", self.dsn, "-XAtq", "-v", "ON_ERROR_STOP=1", "-c", text).splitlines()]

    def same(self):
        """Tables whose rows were compared, column by column of the older ones."""
        compared = 0
        for table, query in self.sql(COMPARISONS.replace("\n", " ")):
            differences = self.sql(query)
            assert not differences, (table, differences[:5])
            compared += self.sql(f'select count(*) > 0 from kept."{table}"') == [["t"]]
        return compared


def derived(older):
    """What newer migrations made of the rows."""
    found = older.sql("select seq, day, coalesce(prev_day::text, '') from wallet.journal where shard = 0 order by seq")
    days = {1: 1, 2: 1, 3: 1, 4: 1, 5: 2, 6: 2, 7: 2, 8: 2, 9: 4}  # of the batch's first row, and never falling
    assert found == [[str(seq), f"2026-03-0{day}", f"2026-03-0{days[seq - 1]}" if seq > 1 else ""] for seq, day in days.items()], found
    assert older.sql("select day, count(*) from wallet.batch group by day order by day") == [["2026-03-01", "2"], ["2026-03-02", "2"], ["2026-03-03", "1"], ["2026-03-04", "1"]]
    assert older.sql("select player, last_day from wallet.account order by player") == [[str(ONE), "2026-03-04"], [str(TWO), "2026-03-03"]]
    leaves = older.sql("select shard, day, state, first_seq, first_batch, encode(before, 'hex') from wallet.leaf order by shard, day")
    assert leaves == [[s, f"2026-03-0{d}", "open", q, b, before * 32] for s, d, q, b, before in (
        ("0", 1, "1", "1", "00"), ("0", 2, "5", "3", "02"), ("0", 4, "9", "5", "04"), ("1", 3, "1", "1", "00"))], leaves
    assert older.sql(f"select seq from wallet.rows_back({ONE}, 0, 9, 100, 0)") == [[str(seq)] for seq in range(9, 0, -1)]
    # Of a day that is closed and of one that is open alike; round 3 is the last one.
    for closed in range(3):
        made = older.sql("begin;" + "".join(f"do $$ begin perform wallet.leaf_close(0, '2026-03-0{day + 1}'); end $$;" for day in range(closed))
                         + f"select n, r.* from generate_series(0, 9) n, wallet.round_brought({ONE}, 0, n, 1, 9, 100) r where r.bets > 0 order by n; rollback")
        assert made == [["1", "500", "200", "1", "t", "f"], ["2", "500", "0", "1", "t", "f"], ["3", "2500", "0", "1", "f", "f"]], (closed, made)
    assert older.sql(f"select too_many from wallet.round_brought({ONE}, 0, 1, 1, 9, 3)") == [["t"]]
    assert older.sql("select count(*) from wallet.entry where not carried") == [[str(len(ROWS))]]
    holds = older.sql("select encode(id, 'hex'), shard, player, kind, currency, amount, settled, settled_kind, booked_seq, booked at time zone 'UTC' from wallet.hold")
    assert holds == [[f"{2:032x}", "0", str(ONE), "23", "978", "2000", "0", "0", "5", "2026-03-02 09:00:00"]], holds
    voids = older.sql("select player, round, shard, seq, move, game, currency, stake_returned, win_taken, receivable, pending_taken from wallet.void")
    assert voids == [[str(ONE), "1", "0", "8", "4", "1", "978", "500", "200", "0", "0"]], voids
    assert older.sql("select seq, sum(amount) from wallet.posting group by shard, seq having sum(amount) <> 0") == []
    assert older.sql("select currency, account, amount from wallet.total order by account") == [["978", "CASH", "-100000"], ["978", "HOUSE", "800"], ["978", "PLAYER", "99200"]]
    sets = older.sql("""select pool, state, defined_seed_minor is null, launch_share_nano, shares_t_e18, shares_e27, shares_since is null, coalesce(h.next_share_nano, 0)
        from cards.card_set join cards.level using (pool) join cards.hit h using (pool) order by pool""")
    assert sets == [["1000", "live", "t", "250000000", "0", "0", "t", "250000000"], ["1001", "live", "t", "250000000", str(2 * 10 ** 18), str(7 * 10 ** 26), "f", "0"]], sets
    # Nobody can say any more that the provider was not asked.
    assert older.sql("select asked from payments.payout") == [["t"]]
    assert older.sql("select column_default from information_schema.columns where (table_schema, table_name, column_name) = ('payments', 'payout', 'asked')") == [["true"]]
    assert older.sql("select count(*) from carillon.fx_rate where request is null and recorded is not null") == [["3"]]
    made = json.loads(older.run(f"{BIN}/jackpotctl", "pool", "replay", "1", "--json"))
    assert made["ok"] and made["rows"][0]["next"]["seed_minor"] == 30000 and made["books"]["received"] == made["books"]["sent"] == "0", made


def carried_over(place):
    older = Older(place)
    first = older.migrate(older.tree)
    assert "services/wallet/migrations/0002_spins.sql" in first and all(any(name in file for name in FIRST) for file in first), first
    older.sql(OLDER)
    older.sql(KEEP)
    newer = older.migrate(ROOT)
    assert not set(newer) & set(first) and "services/wallet/migrations/0007_rows.sql" in newer, newer
    assert older.migrate(ROOT) == []
    assert older.same() >= 20
    derived(older)
