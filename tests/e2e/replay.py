#!/usr/bin/env python3
"""A pool's whole life again from its recorded inputs: bets, jackpots, operators, rates, transfers and deaths on the real stack, the state kept at several
moments, and `jackpotctl pool replay` that finds each of them again; then somebody tampers, and it is found and named."""
import json
import os
import subprocess
import time

from lib_patience import let_time_pass, time_out, unchanged
from lib_play import RULES, Person, force, good, operator, pool_action
from lib_stack import BIN, Installation, eventually, read_text, run

LOSS = RULES.stops()
JACKPOT = [*RULES.stops(bonuses=3), 0]
POOL, WINTER = 1, 40
moments = []  # (time, what the operator was shown then)
place = None


def ask(pool, action, parameters=None, status=200):
    key = os.urandom(8).hex()
    return eventually(action, lambda: good(pool_action(place, pool, action, parameters, key), action, status), 20).json  # the pool may have died before


def view(pool=POOL):
    return good(place.http("GET", f"/v1/operators/1/pools/{pool}", token=place.operator_key()), f"pool {pool}").json


def replay(pool=POOL, at=None, status=0):
    command = [f"{BIN}/jackpotctl", "pool", "replay", str(pool), "--json", *(["--at", at] if at else [])]
    done = subprocess.run(command, env={**place.environment, **place.stack}, capture_output=True, text=True, timeout=time_out(30), check=False)
    assert done.returncode == status, (done.returncode, done.stdout[:2000], done.stderr)
    return json.loads(done.stdout)


def same(shown, made):
    names = ("status", "hits", "t")
    assert [shown[n] for n in names] == [made[n] for n in names], (shown, made)
    assert all(made["books"][account] == amount for account, amount in shown["books"].items()), (shown["books"], made["books"])
    known = ("currency", "coin_minor", "seed_minor", "row_rate", "share", "w", "r", "value_minor", "hits", "next")
    rows = [sorted(({n: row[n] for n in known} for row in of["rows"]), key=lambda r: (r["currency"], r["coin_minor"])) for of in (shown, made)]
    assert rows[0] == rows[1], rows


def remember(whole=True):
    """Once nothing is on its way any more: the state, and the time. Where nothing was folded the pool's sums are those of the whole journal."""
    if whole:
        eventually("the pool to have heard of every stake", lambda: place.sql(
            f"select (select coalesce(sum(total), 0) from pool.vector where pool = {POOL}) = (select coalesce(sum(stake), 0) from wallet.journal where kind = 2 and refusal = 0"
            f" and tallies && (select array_agg(id) from pool.tally where pool = {POOL}))") == [["t"]], 10)

    shown = unchanged("the pool", view, 1.2, 15)
    moments.append((place.sql("select clock_timestamp()")[0][0], shown))
    let_time_pass(0.05, "all that follows is later than this moment")


def hit(person, coin=20):
    force(place, person.name, JACKPOT)
    person.bet_through(coin, 15, 10)
    person.watch()
    eventually("the award", lambda: place.sql(f"select count(*) from wallet.claim where player = {person.id} and closed_seq is null") == [["0"]], 10)


def bets(person, n, coin=50):
    force(place, person.name, *[LOSS] * n)
    for _ in range(n):
        person.bet_through(coin, 15, 10)


def test_pool_replays_at_every_moment():
    one, two, swede = Person(place, deposit=10000000), Person(place, deposit=10000000), Person(place, currency="SEK", deposit=10000000)
    remember()
    bets(one, 8)
    bets(swede, 5, 1000)
    hit(two)
    hit(one, 50)
    remember()
    # Operators: terms that wait and come into force by a win, an adjustment, a pause.
    ask(POOL, "parameters", {"currency": "EUR", "coin_minor": 20, "seed_minor": 41000})
    ask(POOL, "adjust", {"currency": "EUR", "coin_minor": 100, "delta_minor": 250})
    remember()
    assert any(row["next"] for row in moments[-1][1]["rows"])
    hit(two)
    place.kill("progressive-pool-1")
    bets(one, 5)
    # Another rate, and a pool that is made, fed, and retired into this one.
    operator(place, "/fx-rates", {"currency": "SEK", "rate": "0.0900000001"[:11]})
    ask(WINTER, "create", {"pool": "winter", "contribution_ppm": 20000, "base_coin_eur_minor": 1000, "games": ["bewitched"],
                           "rows": {"EUR": {"row_rate_nano": 1000000000, "seeds": [{"coin": 20, "seed": 5000}]}}})
    eventually("its tallies", lambda: int(place.sql(f"select count(*) from pool.tally where pool = {WINTER} and closed is null")[0][0]) > 0, 5)
    eventually("the wallet to know them", lambda: all(f"tally {tally}: pool {WINTER}" in read_text(f"{place.data}/log/wallet-1.log") for tally, in place.sql(
        f"select id from pool.tally where pool = {WINTER} and closed is null")), 10)
    bets(one, 4)
    bets(swede, 4, 1000)
    remember()
    ask(WINTER, "pause")
    eventually("the pause", lambda: view(WINTER)["status"] == "paused", 15)
    before = place.pid("progressive-pool-1")
    place.kill("progressive-pool-1")
    eventually("another process of the pool", lambda: place.pid("progressive-pool-1") not in (0, before), 10)
    retire = {"rest": {"pool": POOL}, "rows": [{"currency": "EUR", "coin_minor": 20, "to": {"pool": POOL, "currency": "EUR", "coin_minor": 20}}]}
    answer = eventually("the retirement", lambda: next((a for a in [pool_action(place, WINTER, "retire", retire, key="the-end")] if a.status == 200), None), 10)
    assert answer.json["done"], answer
    eventually("the money", lambda: place.sql(f"select count(*) filter (where booked is null), count(*) from pool.transfer_out where pool = {WINTER}")[0][0] == "0"
               and view(WINTER)["status"] == "retired", 15)
    hit(one)
    remember()
    made = replay()
    same(view(), made)
    assert made["ok"] and made["difference"] is None and made["hits"] == 4 and made["books"]["received"] != "0", made
    ended = replay(WINTER)
    assert ended["status"] == "retired" and ended["books"]["sent"] == made["books"]["received"] and not ended["rows"], ended
    kinds = {k for k, in place.sql("select distinct kind from pool.event")}
    assert kinds >= {"begin", "totals", "launch", "hit", "terms", "adjust", "state", "send", "receive"} and "snapshot" not in kinds, kinds


def test_any_point_in_time():
    assert len({json.dumps(shown) for _, shown in moments}) == len(moments) == 5
    for at, shown in moments:
        same(shown, replay(at=at))
    before = place.sql("select min(time) - interval '1 second' from pool.event where pool = 1")[0][0]
    done = subprocess.run([f"{BIN}/jackpotctl", "pool", "replay", "1", "--at", before], env={**place.environment, **place.stack}, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "found no event" in done.stderr, done
    events = int(place.sql("select count(*) from pool.event where pool = 1")[0][0])
    began = time.monotonic()
    assert replay()["events"] == events
    print(f"measured: replay of {events} events and their journal: {time.monotonic() - began:.2f} s")
    # In the words of people.
    text = subprocess.run([f"{BIN}/jackpotctl", "pool", "replay", "1"], env={**place.environment, **place.stack}, capture_output=True, text=True, check=True).stdout
    assert f"{events} events, 4 hits, all as recorded" in text and "row EUR 20: shows" in text, text


def test_tampering_is_found_and_named():
    """Each change alone, then taken back."""
    last = place.sql("select max(event) from pool.event where pool = 1")[0][0]
    totals = place.sql("select event from pool.event where pool = 1 and cardinality(totals) > 0 order by event limit 1 offset 1")[0][0]
    launch = place.sql("select event from pool.event where pool = 1 and kind = 'launch' order by event limit 1")[0][0]
    again = place.sql("""select e.event from pool.event e where e.pool = 1 and exists (select from pool.event l, unnest(l.shards, l.tallies) t(shard, tally)
        where l.pool = 1 and l.event > e.event and l.kind = 'totals' and (t.shard, t.tally) = (e.shards[1], e.tallies[1])) order by e.event limit 1""")[0][0]
    event = "update pool.event set {} where pool = 1 and event = " + totals
    fed = place.sql("select shard, seq from wallet.journal where kind = 2 and refusal = 0 and tallies && (select array_agg(id) from pool.tally where pool = 1) limit 1")[0]
    cases = [
        (event.format("totals[1] = totals[1] + 1"), f"pool.event 1, {totals} (totals)"),
        (event.format("t_e18 = t_e18 + 1"), f"pool.event 1, {totals} (totals)"),
        (event.format("jp_reserve_e27 = jp_reserve_e27 + 1"), f"pool.event 1, {totals} (totals), jp_reserve_e27"),
        (f"update pool.event set seqs[1] = seqs[1] + 1000000 where pool = 1 and event = {again}", "(totals), shard "),  # found at the next total of it
        (f"delete from pool.event where pool = 1 and event = {totals}", "pool.event 1, number"),
        (f"delete from pool.event where pool = 1 and event = {last}", ""),
        (f"update pool.event set seed_minor = seed_minor + 1 where pool = 1 and event = {launch}", f"pool.event 1, {launch} (launch)"),
        ("update pool.event set amount_e27 = amount_e27 + 1 where pool = 1 and kind = 'adjust'", "(adjust)"),
        ("update pool.hit set paid_minor = paid_minor + 1 where pool = 1 and hit = 2", "pool.hit 1, 2, paid_minor"),
        ("update pool.hit set carry_e27 = carry_e27 + 1, value_e27 = value_e27 + 1 where pool = 1 and hit = 3", "pool.hit 1, 3, value_e27"),
        ("delete from pool.hit where pool = 1 and hit = 4", "pool.hit 1, 4"),
        ("update pool.row set r_e27 = r_e27 + 1 where pool = 1 and currency = 978 and coin_minor = 50", "pool.row 1, row 978:50 r"),
        ("update pool.row set w_e18 = w_e18 + 1 where pool = 1 and currency = 752 and coin_minor = 20", "pool.row 1, row 752:20 W"),
        ("update pool.pool set house_seed_e27 = house_seed_e27 + 1 where pool = 1", "house_seed"),
        ("update pool.vector set total = total - 1 where pool = 1 and tally = (select min(tally) from pool.vector where pool = 1)", "pool.vector, shard"),
        ("update pool.tally set rate_nano = rate_nano + 1 where pool = 1 and currency = 752", "pool.event 1, "),
        (f"update wallet.journal set stake = stake + 1 where shard = {fed[0]} and seq = {fed[1]}", "the wallet's journal"),
        ("delete from pool.operator_action where pool = 1 and action = 4", "pool.operator_action, event"),
    ]
    dsn, psql = place.stack["CARILLON_PG_DSN"], os.path.join(os.environ.get("CARILLON_PG_BIN", "/usr/lib/postgresql/15/bin"), "psql")
    for name in ("progressive-pool", "wallet", "jackpot-cards"):  # nobody writes beside us
        place.hold(f"{name}-1")
        place.kill(f"{name}-1")
    # Rows are only added: the table says so itself, until somebody takes that away.
    refused = subprocess.run([psql, "-d", dsn, "-Xqc", cases[0][0]], capture_output=True, text=True, check=False)
    assert "rows are only added" in refused.stderr, refused
    refused = subprocess.run([psql, "-d", dsn, "-Xqc", f"delete from pool.event where pool = 1 and event = {last}"], capture_output=True, text=True, check=False)
    assert "rows are only added, or folded" in refused.stderr, refused
    place.sql("alter table pool.event disable trigger user", writer=True)
    for statement, where in cases:
        if statement.startswith("delete from "):  # kept beside, and put back
            table, condition = statement[12:].split(" where ", 1)
            do = f"create table public.kept as select * from {table} where {condition}; {statement}"
            undo = f"insert into {table} select * from public.kept; drop table public.kept"
        else:
            do, undo = statement, statement.replace(" + 1", " +- 1").replace(" - 1", " + 1").replace(" +- 1", " - 1")
        changed = subprocess.run([psql, "-d", dsn, "-XAtc", do], capture_output=True, text=True, check=False)
        assert changed.returncode == 0 and changed.stdout.splitlines()[-1].split()[1] != "0", (statement, changed)
        made = replay(status=1)
        print(f"        {made['difference']['where']}: found {made['difference']['found']}, expected {made['difference']['expected']}")
        assert not made["ok"] and where in made["difference"]["where"], (statement, made["difference"])
        assert ("seqs[1] = " in statement) == ("went back; restored from a backup? (its incarnation is 1)" in made["difference"]["expected"]), made
        place.sql(undo, writer=True)
    was = place.sql(f"select state from pool.event where pool = 1 and event = {totals}")[0][0]
    place.sql(event.format("state = 'odd'"), writer=True)
    found = replay(status=1)["difference"]
    assert (found["where"], found["found"], found["expected"]) == (f"pool.event 1, {totals} (totals)", "odd", "a known state of the pool"), found
    place.sql(event.format(f"state = '{was}'"), writer=True)
    place.sql("alter table pool.event enable trigger user", writer=True)
    assert replay()["ok"]


def fold(*options, status=0):
    done = subprocess.run([f"{BIN}/jackpotctl", "pool", "fold", "1", *options], env={**place.environment, **place.stack}, capture_output=True, text=True, timeout=time_out(30), check=False)
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


def altered(table, statement):
    place.sql(f"alter table {table} disable trigger user; {statement}; alter table {table} enable trigger user", writer=True)


def test_old_events_are_folded():
    """What happened days ago leaves for a file; every moment after it is made again as before, what came before it is said to be in the file."""
    before, events = replay(), [int(e) for e, in place.sql("select event from pool.event where pool = 1 order by event")]
    assert "found nothing" in fold(status=2) and "nothing to fold: --retain keeps every event" in fold("--retain", "1")
    assert json.loads(fold("--retain", "1", "--json")) == {"pool": "1", "events": "0", "first": None, "last": None, "file": None}
    last = int(place.sql(f"select max(event) from pool.event where pool = 1 and time <= '{moments[2][0]}'")[0][0])
    altered("pool.event", f"update pool.event set time = time - interval '3 days' where pool = 1 and event <= {last}")
    # Nothing goes that is not as it was recorded.
    altered("pool.event", f"update pool.event set jp_reserve_e27 = jp_reserve_e27 + 1 where pool = 1 and event = {last - 1}")
    assert f"pool.event 1, {last - 1}" in fold("--retain", "1", status=1)
    altered("pool.event", f"update pool.event set jp_reserve_e27 = jp_reserve_e27 - 1 where pool = 1 and event = {last - 1}")
    said = json.loads(fold("--retain", "1", "--json"))
    assert (said["events"], said["first"], said["last"]) == (str(last), "1", str(last)) and os.path.exists(said["file"]), said
    assert [int(e) for e, in place.sql("select event from pool.event where pool = 1 order by event")] == events[last:]
    made = replay()
    assert made.pop("folded") == last and before.pop("folded") == 0 and made == before, (before, made)
    for at, shown in moments[3:]:
        same(shown, replay(at=at))
    path = place.sql("select archive from pool.event_fold")[0][0]
    early = place.sql("select time - interval '1 second' from pool.event_fold")[0][0]
    done = subprocess.run([f"{BIN}/jackpotctl", "pool", "replay", "1", "--at", early], env={**place.environment, **place.stack}, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and f"only in {path}" in done.stderr, done
    psql = os.path.join(os.environ.get("CARILLON_PG_BIN", "/usr/lib/postgresql/15/bin"), "psql")
    read = ("create temp table x (like pool.event)", f"\\copy x from program 'gunzip -c {path}' (format binary)", "select count(*), max(event) from x")
    done = subprocess.run([psql, "-d", place.stack["CARILLON_PG_DSN"], "-XAtq", *(word for line in read for word in ("-c", line))], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == f"{last}|{last}", done
    # The state that is begun with is held against everything else.
    for change in ("totals[1] = totals[1] + 1", "t_e18 = t_e18 + 1", "jp_pool_e27 = jp_pool_e27 + 1", "event = event + 1"):
        altered("pool.event_fold", f"update pool.event_fold set {change}")
        assert not replay(status=1)["ok"], change
        altered("pool.event_fold", f"update pool.event_fold set {change.replace(' + 1', ' - 1')}")
    assert replay()["ok"]


def test_pool_continues_after_fold():
    """Folded again, up to the last event but one, the service takes the pool over and writes on; the next fold is the pool whole again."""
    altered("pool.event", "update pool.event set time = time - interval '3 days' where pool = 1")
    last = int(place.sql("select max(event) from pool.event where pool = 1")[0][0])
    assert f"to {last - 1}) folded" in fold("--retain", "1") and replay()["folded"] == last - 1
    for name in ("progressive-pool", "wallet", "jackpot-cards"):
        place.release(f"{name}-1")
    person = Person(place, deposit=10000000)
    bets(person, 3)
    eventually("events of the new owner", lambda: int(place.sql("select max(event) from pool.event where pool = 1")[0][0]) > last, 20)
    remember(whole=False)
    made = replay()
    same(view(), made)
    assert made["events"] > last and place.sql("select count(*) from pool.event where kind = 'snapshot'") == [["0"]]
    place.verify()


if __name__ == "__main__":
    with Installation("replay", kafka=False) as place:
        try:
            run(*[f for name, f in list(globals().items()) if name.startswith("test_")])
        except SystemExit as status:
            if status.code:
                raise
