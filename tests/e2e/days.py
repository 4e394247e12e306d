#!/usr/bin/env python3
"""The journal over several days on one installation: play goes on while the days go by (the wallet's day is shifted, by a setting that only installations for tests
take; nothing else is), days are closed, archived and dropped, and history, replay, idempotency and the ledger's proof keep working. Each refusal is
seen: a changed row, a changed file, a clock that goes back."""
import gzip
import json
import os
import re
import subprocess

from lib_patience import stays, time_out
from lib_play import RULES, Person, force
from lib_stack import BIN, PSQL, Installation, clear_of_midnight, eventually, read_text, run

BET = {"coin_minor": 2, "lines": 5, "coins": 1}
LOSS = RULES.stops()
WIN = RULES.stops(win=True, bet=BET)
place = None
person = None
first_round = None
first_void = None
kept_round = None  # of the first day, too
won_round = None  # of the first day; its win was collected on the second


def day_set(shift):
    """The wallet alone is started anew, so many days ahead."""
    place.deaths.allow("wallet-1", [70], "a clock that is far ahead of the database's, or behind its last row, is refused")
    place.change(f"WALLET_DAY_SHIFT={shift}", "wallet-1")
    eventually("its shards", lambda: place.sql("select count(*) from carillon.shard where service = 'wallet' and owner = 'wallet-1' and lease_until > now()")[0][0] == "4", 60)


def leaves(state):
    return {(int(shard), day) for shard, day in place.sql(f"select shard, day from wallet.leaf where state = '{state}'")}


def closed_all_but(newest):
    return eventually(f"only days from {newest} on open", lambda: not [leaf for leaf in leaves("open") if leaf[1] < newest], 50)


def days():
    return sorted(day for day, in place.sql("select distinct day from wallet.leaf"))


def load(seconds):
    place.players(players=12, seconds=seconds, first_player=5001, gamble=1, subscribers=0).finish(stop=False)


def close(*options, status=0):
    done = subprocess.run([f"{BIN}/jackpotctl", "ledger", "close", *options], cwd=place.data, env={**place.environment, **place.stack}, capture_output=True, text=True,
                          timeout=time_out(30), check=False)
    assert done.returncode == status, (done.returncode, done.stdout[-2000:], done.stderr[-2000:])
    return done.stdout + done.stderr


def lost_bet():
    force(place, person.name, LOSS)
    answer = person.bet_through(2, 5)
    if not answer.json["round"]["closed"]:
        person.through(f"/v1/rounds/{person.round['round']}/actions", person.action_body("collect"))
    return answer.json["round"]["round"]


def pages(path, member):
    """All pages of the player's history, and what the last one says."""
    found, before = [], ""
    while True:
        answer = person.ask("GET", f"{path}?limit=200{before}").json
        found += answer[member]
        if answer["next"] is None:
            return found, answer.get("archived", False)
        before = f"&before={answer['next']}"


def test_days_roll_over():
    """Three days of play; each is closed once it is over, with its index and its digest."""
    global person, first_round, kept_round, won_round
    person = Person(place, deposit=10000)
    person.deposited = person.operator("deposits", {"amount_minor": 77, "currency": "EUR"}, "kept-for-ever").json
    person.refresh()
    first_round, kept_round = lost_bet(), lost_bet()
    force(place, person.name, WIN)
    won_round = person.bet(2, 5).json["round"]["round"]
    load(2)
    while int(place.sql("select sum(stake) from wallet.journal")[0][0]) < 10000:  # enough for pools to get whole cents of it
        load(1)
    for shift in (1, 2):
        day_set(shift)
        lost_bet()
        load(1)
        closed_all_but(days()[-1])
    assert len(days()) == 3, days()
    for shard, day in leaves("closed"):
        name = f"journal_{shard}_{day.replace('-', '')}"
        assert place.sql(f"select count(*) from pg_indexes where indexname = '{name}_player'") == [["1"]], name
        assert place.sql(f"""select l.rows = (select count(*) from wallet.{name}) and l.head = b.digest and l.last_seq = b.last_seq from wallet.leaf l
            join wallet.batch b on b.shard = l.shard and b.batch = l.last_batch where l.shard = {shard} and l.day = '{day}'""") == [["t"]], name
    assert place.sql("select count(*) from wallet.journal where prev_day < day")[0][0] != "0"
    # Leaves of the next seven days are there.
    assert int(place.sql("""select count(*) from pg_class c join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'wallet' where c.relname ~ '^journal_0_[0-9]{8}$'
        and substring(c.relname from 11)::date > (select max(day) from wallet.leaf)""")[0][0]) >= 7
    place.verify()


def closes():
    """shard -> (closes, the last day that is closed whole)"""
    return {shard: (int(n), day) for shard, n, day in place.sql("select shard, max(number), max(day) from wallet.close_run group by 1")}


def closed_until(day):
    shards = {row[0] for row in place.sql("select distinct shard from wallet.batch")}
    eventually(f"closes until {day}", lambda: {s for s, (_, d) in closes().items() if d == day} == shards, 15)


def test_each_day_is_closed_into_the_pools():
    """What its stakes accrued moves when a day is over, up to its last row, once."""
    today = place.sql("select max(day) from wallet.leaf")[0][0]
    closed_until(place.sql(f"select date '{today}' - 1")[0][0])
    before = closes()
    assert int(place.sql("select sum(moved_minor) from wallet.close")[0][0]) > 0
    cuts = place.sql("select r.shard from wallet.close_run r where r.seq <> coalesce((select max(b.last_seq) from wallet.batch b where b.shard = r.shard and b.day <= r.day), 0)")
    assert cuts == [], cuts
    place.kill("wallet-1")
    lost_bet()
    stays(f"no further close than {before}", lambda: closes() == before, 1)


def test_history_over_days():
    rows, archived = pages("/v1/journal", "rows")
    assert not archived and rows[-1]["kind"] == "open", rows[-1]
    rounds, archived = pages("/v1/rounds", "rounds")
    assert not archived and [r["round"] for r in rounds][-1] == first_round
    assert person.ask("GET", f"/v1/rounds/{first_round}").json["replay"]
    entries, archived = pages("/v1/history", "entries")
    assert not archived and [e["kind"] for e in entries[-4:]] == ["round", "deposit", "deposit", "deposit"], entries[-4:]
    assert [e["round"] for e in entries if e["kind"] == "round"] == [r["round"] for r in rounds]
    for newer, older in zip(entries, entries[1:]):
        assert newer["balance_before_minor"] == older["balance_after_minor"] is not None, (newer, older)
    # What a page of a closed day shows is in its index.
    kept = place.sql("select count(*) from pg_indexes where schemaname = 'wallet' and indexname ~ '^journal_.*_player$' and indexdef !~ 'INCLUDE .*balance_after.*outside_id'")
    assert kept == [["0"]], kept


def filtered(**query):
    """All entries by these filters, and how often the search stopped at its bound."""
    found, stops, before = [], 0, ""
    while True:
        answer = person.ask("GET", "/v1/history?limit=3&" + "&".join(f"{k}={v}" for k, v in query.items()) + before).json
        found += answer["entries"]
        stops += "searched_until_us" in answer
        if answer["next"] is None:
            return found, stops
        before = f"&before={answer['next']}"


def test_history_by_filters():
    """Each filter finds what the whole list has of it, over closed days and the open one."""
    entries, _ = pages("/v1/history", "entries")
    cases = [({"wins": "true"}, lambda e: e["kind"] == "round" and e["win_minor"] > 0), ({"kind": "money"}, lambda e: e["kind"] == "deposit"),
             ({"kind": "round", "game": "bewitched"}, lambda e: e["kind"] == "round"), ({"game": "mona-lisa"}, lambda e: False)]
    times = sorted(e["time_us"] for e in entries)
    # Of the first day alone, where the search begins in the closed day; and of all: the times of rows are not shifted as their days are.
    for low, high in ((times[0], times[2]), (times[1], times[1]), (times[1], times[-1] + 3 * 86400 * 10**6)):
        cases.append(({"from_us": low, "to_us": high}, lambda e, low=low, high=high: low <= e["time_us"] <= high))
    for query, wanted in cases:
        found, _ = filtered(**query)
        assert [e["seq"] for e in found] == [e["seq"] for e in entries if wanted(e)], (query, found)


def void(round_, key=None):
    return person.operator("voids", {"game": "bewitched", "round": round_, "reason": "a reel was stuck"}, key)


def told_again():
    """By the key it was voided by."""
    again = void(first_round, "void-first")
    assert again.status == 200 and again.json == first_void.json, again


def test_rounds_of_closed_days_are_voided():
    """By the index of their day; what the next bet brought stands in another one."""
    global first_void
    for round_, key, taken in ((first_round, "void-first", 0), (won_round, "void-won", 10)):
        answer = void(round_, key)
        first_void = first_void or answer
        person.voided_on = days()[-1]
        assert answer.status == 200, answer
        assert [answer.json[f"{name}_minor"] for name in ("stake_returned", "win_taken", "receivable", "pending_taken")] == [10, taken, 0, 0], answer
        assert void(round_).error["code"] == "void"
    person.refresh()
    assert void(10 ** 9).error["code"] == "no_round"
    # What is known of a void is read by its leaf: with a year of days a query that goes through all of them comes too late.
    leaf = place.sql("select max(relname) from pg_class where relname ~ '^journal_0_[0-9]{8}$' and relkind = 'r'")[0][0]
    with subprocess.Popen([PSQL, "-d", place.stack["CARILLON_PG_DSN"], "-Xqc", f"begin; lock table wallet.{leaf} in access exclusive mode; select pg_sleep(20)"],
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as locker:
        eventually("the lock", lambda: place.sql(f"select count(*) from pg_locks where relation = 'wallet.{leaf}'::regclass and mode = 'AccessExclusiveLock' and granted")
                   == [["1"]], 10)
        try:
            told_again()
        finally:
            locker.terminate()
            eventually("its end", lambda: place.sql("select pg_terminate_backend(pid) from pg_locks where relation = "
                       f"'wallet.{leaf}'::regclass and mode = 'AccessExclusiveLock'", writer=True) == [], 10)
    place.verify()


def test_clock_goes_back():
    """Rows go on in the last day: days never fall, and nothing is booked into one that is closed."""
    closed = {leaf: rows for *leaf, rows in [tuple(r) for r in place.sql("select shard, day, rows from wallet.leaf where state = 'closed'")] for leaf in [tuple(leaf)]}
    day_set(0)
    lost_bet()
    load(2)
    assert len(days()) == 3, days()
    assert place.sql("select count(*) from (select day, lag(day) over (partition by shard order by seq) as before from wallet.journal) j where day < before") == [["0"]]
    for (shard, day), rows in closed.items():
        assert place.sql(f"select count(*) from wallet.journal where shard = {shard} and day = '{day}'") == [[rows]]
    place.verify()


def test_archive_is_proven():
    """A row that was changed is not exported; then all are, and each file is as its digest says."""
    day = days()[0]
    shard, seq = place.sql(f"select shard, max(seq) from wallet.journal where day = '{day}' group by shard order by shard limit 1")[0]
    row = f"where shard = {shard} and seq = {seq} and day = '{day}'"
    place.sql(f"update wallet.journal set round = round + 1 {row}", writer=True)
    assert "differs from the stored head" in close(status=1)
    place.sql(f"update wallet.journal set round = round - 1 {row}", writer=True)
    out = close()
    assert out.count("archived and proven") == len(leaves("archived")) > 0 and not leaves("closed"), out
    assert close() == ""  # again: nothing is left to do
    told = json.loads(close("--json"))
    assert told["archived"] == told["dropped"] == [] and [one["partitions"] for one in told["waiting"]] == ["0"], told
    for path, in place.sql("select archive from wallet.leaf where state = 'archived'"):
        assert path.startswith(f"{place.data}/archive/") and os.path.getsize(path) > 0
    place.verify()


def test_a_bad_file_keeps_its_day():
    path = place.sql("select archive from wallet.leaf where state = 'archived' order by shard, day limit 1")[0][0]
    with open(path, "rb") as file:
        good = file.read()
    for bad in (good[:-20], good[:200] + b"\0" + good[201:], b""):
        with open(path, "wb") as file:
            file.write(bad)
        close("--retain", "1", status=1)
        assert not leaves("dropped")
    with open(path, "wb") as file:
        file.write(good)


def test_days_that_the_rules_promise_are_kept():
    """RULE mystic-gem 8.5: on an installation that is not for tests, 30 days."""
    kept = leaves("archived")
    for kind in ("live", "demo"):
        place.sql(f"update carillon.installation set kind = '{kind}'", writer=True)
        try:
            for few in ("1", "29"):
                assert f"found '{few}', expected 30 days or more" in close("--retain", few, status=2)
            close("--retain", "30")
        finally:
            place.sql("update carillon.installation set kind = 'test'", writer=True)
    assert leaves("archived") == kept and not leaves("dropped")


def test_dropped_days():
    """The oldest day goes. What it was stands: balances, sums, ids for ever; what is gone is said to be in the archive."""
    newest, oldest = days()[-1], days()[0]
    balance = person.refresh()["balance_minor"]
    out = close("--retain", "1")
    assert {day for _, day in leaves("dropped")} == {oldest}, leaves("dropped")
    assert out.count("dropped,") == len(leaves("dropped"))
    assert place.sql(f"select count(*) from pg_class where relname like 'journal_%_{oldest.replace('-', '')}'") == [["0"]]
    report = place.verify()
    assert report["since"] > 0, report
    rows, archived = pages("/v1/journal", "rows")
    assert archived and rows[-1]["kind"] != "open", rows[-1]
    rounds, archived = pages("/v1/rounds", "rounds")
    assert archived and first_round not in [r["round"] for r in rounds]
    assert person.ask("GET", f"/v1/rounds/{first_round}", status=404, keep=False).error["code"] == "archived"
    for round_, code in ((kept_round, "archived"), (first_round, "void")):
        answer = void(round_)
        assert answer.error.get("code") == code, answer
    assert person.ask("GET", f"/v1/rounds/{rounds[-1]['round']}").json["replay"]
    # The same deposit as on the first day, whose row was carried over: the same answer, and no money.
    again = person.operator("deposits", {"amount_minor": 77, "currency": "EUR"}, "kept-for-ever")
    assert again.status == 200 and again.json["seq"] == person.deposited["seq"], again
    assert person.refresh()["balance_minor"] == balance
    assert days()[-1] == newest


def test_close_resumes_after_kill():
    place.kill("wallet-1")
    lost_bet()
    load(2)
    day_set(3)
    lost_bet()
    closed_all_but(days()[-1])
    close("--retain", "1")
    assert len({day for _, day in leaves("dropped")}) == 2, leaves("dropped")
    place.verify()


def proof(*options):
    return subprocess.run([f"{BIN}/jackpotctl", "ledger", "verify", *options], cwd=place.data, env={**place.environment, **place.stack}, capture_output=True, text=True,
                          timeout=time_out(30), check=False)


def test_carried_rows_are_proven_by_the_archive():
    """What a later move builds on is the row of the archived day: a forged one is named, also if the file was forged with it."""
    archive = f"{place.data}/archive"
    carried = int(place.sql("select count(*) from wallet.carried")[0][0])
    report = place.verify(20, "--archive", archive)
    assert report["archive"] == {"days": len(leaves("dropped")), "carried": carried, "not_compared": 0} and carried > 0, report
    assert place.verify()["archive"]["not_compared"] == carried
    shard, seq, day = place.sql("select shard, seq, day from wallet.carried where kind between 2 and 6 and refusal = 0 and record is not null order by seq desc limit 1")[0]
    where = f"where shard = {shard} and seq = {seq}"
    named = f"wallet.carried: shard {shard}, seq {seq}, day {day}: found "
    state = f"update wallet.carried set record = set_byte(record, length(record) - 1, get_byte(record, length(record) - 1) # 1) {where}"  # twice: as before
    for change, undo, said in (
        (state, state, f"{named}record "),
        (f"update wallet.carried set pending_after = pending_after + 5 {where}", f"update wallet.carried set pending_after = pending_after - 5 {where}", f"{named}pending_after "),
        (f"update wallet.carried set day = day + 900 {where}", f"update wallet.carried set day = day - 900 {where}", f"shard {shard}, seq {seq}: found "),
    ):
        place.sql(change, writer=True)
        done = proof("--archive", archive)
        place.sql(undo, writer=True)
        assert done.returncode == 1 and said in done.stdout, (change, done.stdout, done.stderr)
    path = f"{archive}/journal_{shard}_{day.replace('-', '')}.copy.gz"
    with open(path, "rb") as file:
        good = file.read()
    record = bytes.fromhex(place.sql(f"select encode(record, 'hex') from wallet.carried {where}")[0][0])
    forged = gzip.decompress(good).replace(record, record[:-1] + bytes([record[-1] ^ 1]))
    place.sql(state, writer=True)
    try:
        for bad, status, said in ((gzip.compress(forged), 1, f"archived day {day} of shard {shard}, batch "), (good[:-30], 2, path), (b"", 2, path), (None, 2, path)):
            if bad is None:
                os.unlink(path)
            else:
                with open(path, "wb") as file:
                    file.write(bad)
            done = proof("--archive", archive)
            assert done.returncode == status and said in done.stdout + done.stderr, (status, done.stdout, done.stderr)
    finally:
        with open(path, "wb") as file:
            file.write(good)
        place.sql(state, writer=True)
    place.verify(20, "--archive", archive)


def test_proof_covers_partitions():
    """What the proof says of leaves can fail."""
    leaf = place.sql("select shard, day from wallet.leaf where state = 'open' order by shard limit 1")[0]
    where = f"where shard = {leaf[0]} and day = '{leaf[1]}'"
    row = place.sql(f"select seq from wallet.journal {where} and prev_seq > 0 order by seq desc limit 1")[0][0]
    cases = [
        (f"update wallet.leaf set before = sha256(before) {where}", "update wallet.leaf l set before = (select digest from wallet.batch b where b.shard = l.shard and "
         f"b.batch = l.first_batch - 1) {where}", f"partition of shard {leaf[0]}, day {leaf[1]}"),
        (f"update wallet.leaf set first_seq = first_seq + 1 {where}", f"update wallet.leaf set first_seq = first_seq - 1 {where}", f"shard {leaf[0]}, day {leaf[1]}"),
        (f"update wallet.batch set day = day - 9 {where}", f"update wallet.batch set day = day + 9 where shard = {leaf[0]} and day = date '{leaf[1]}' - 9", "batch"),
        (f"update wallet.journal set prev_day = prev_day - 30 {where} and seq = {row}", f"update wallet.journal set prev_day = prev_day + 30 {where} and seq = {row}",
         f"shard {leaf[0]}, seq {row}"),
    ]
    place.verify()  # the last accounts are written
    for change, undo, named in cases:
        place.sql(change, writer=True)
        done = subprocess.run([f"{BIN}/jackpotctl", "ledger", "verify"], cwd=place.data, env={**place.environment, **place.stack}, capture_output=True, text=True, timeout=time_out(30),
                              check=False)
        place.sql(undo, writer=True)
        assert done.returncode == 1 and named in done.stdout, (change, done.stdout)
    place.verify()


def shift_now():
    return int(re.search(r"WALLET_DAY_SHIFT=(\d+)", read_text(f"{place.data}/run/supervisor.conf")).group(1))


def test_days_without_service_are_closed_together():
    before = closes()
    shift = shift_now() + 5
    day_set(shift)
    closed_until(place.sql(f"select (now() at time zone 'UTC')::date + {shift - 1}")[0][0])
    assert {s: n for s, (n, _) in closes().items() if s in before} == {s: n + 1 for s, (n, _) in before.items()}, (closes(), before)
    lost_bet()
    closed_all_but(days()[-1])
    told = json.loads(close("--retain", "1", "--json"))
    assert {one["day"] for one in told["dropped"]} <= {day for _, day in leaves("dropped")} and told["dropped"] and told["archived"], told
    assert person.voided_on in {day for _, day in leaves("dropped")}, leaves("dropped")
    assert void(first_round, "void-first").error["code"] == "void", "it stays void, whatever became of its row"
    place.verify()


# A clock that goes 400 days ahead as soon as a file is there; of the realtime clock alone.
CLOCK = """#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *now)
{
	long status = syscall(SYS_clock_gettime, clock, now);
	if (clock == CLOCK_REALTIME && access(getenv("CLOCK_AHEAD"), F_OK) == 0)
		now->tv_sec += 400 * 86400;
	return (int)status;
}
"""


def test_wrong_clock():
    """It begins no day, neither in a wallet that runs nor in one that starts; once it is right again all goes on."""
    ahead, library, conf = f"{place.data}/clock-ahead", f"{place.data}/clock.so", f"{place.data}/run/supervisor.conf"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-x", "c", "-", "-o", library], input=CLOCK, text=True, check=True)
    text = read_text(conf)
    with open(conf, "w", encoding="utf-8") as file:
        file.write(re.sub(r"^(wallet-1 .*?) : ", rf"\1 LD_PRELOAD={library} CLOCK_AHEAD={ahead} : ", text, flags=re.M))
    day_set(shift_now() + 1)
    lost_bet()
    began = place.sql("select max(day), count(*) from wallet.leaf"), place.sql("select max(day) from wallet.close_run")
    before = place.status()["wallet-1"][2]
    with open(ahead, "w", encoding="utf-8"):
        pass
    eventually("two ends", lambda: place.status()["wallet-1"][2] >= before + 2, 15)
    assert (place.sql("select max(day), count(*) from wallet.leaf"), place.sql("select max(day) from wallet.close_run")) == began
    told = [line for line in read_text(f"{place.data}/log/wallet-1.log").splitlines() if "expected at most a day ahead of Postgres" in line]
    assert len(told) >= 2, told
    os.unlink(ahead)
    lost_bet()
    assert place.sql("select max(day), count(*) from wallet.leaf")[0][0] == began[0][0][0]
    place.verify()


def closers(where):
    return int(place.sql(f"select count(*) from pg_stat_activity where application_name = 'carillon-leaf' and {where}")[0][0])


def test_a_closer_outlives_its_wallet():
    """Over midnight a closer hangs, and its wallet goes; the next one's clock is behind midnight, but it books nothing into the day that was over for the one before."""
    lost_bet()
    today, shift = days()[-1], shift_now()
    rows = place.sql(f"select count(*) from wallet.journal where day <= '{today}'")
    with subprocess.Popen([PSQL, "-d", place.stack["CARILLON_PG_DSN"], "-Xq"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as locker:
        locker.stdin.write(f"begin;\nselect 1 from wallet.leaf where day = '{today}' for update;\n")
        locker.stdin.flush()
        day_set(shift + 1)
        closed_until(today)
        eventually("a closer that hangs", lambda: closers("wait_event_type = 'Lock'") > 0, 10)
        day_set(shift)
        lost_bet()
        assert closers("wait_event_type = 'Lock'") > 0
    eventually("its end", lambda: closers("wait_event_type = 'Lock'") == 0, 10)
    lost_bet()
    assert place.sql(f"select count(*) from wallet.journal where day <= '{today}'") == rows, (today, days())
    closed_all_but(days()[-1])
    place.verify()


if __name__ == "__main__":
    clear_of_midnight(300)
    with Installation("days", kafka=False) as place:
        try:
            run(test_days_roll_over, test_each_day_is_closed_into_the_pools, test_history_over_days, test_history_by_filters, test_rounds_of_closed_days_are_voided,
                test_clock_goes_back, test_archive_is_proven, test_a_bad_file_keeps_its_day, test_dropped_days, test_close_resumes_after_kill, test_carried_rows_are_proven_by_the_archive,
                test_proof_covers_partitions, test_days_without_service_are_closed_together,
                test_a_closer_outlives_its_wallet, test_wrong_clock)
        except SystemExit as status:
            if status.code:
                raise
