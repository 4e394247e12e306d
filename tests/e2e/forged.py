#!/usr/bin/env python3
"""Wins that were never drawn. Whoever owns the database writes rows and makes all that is summed, chained and hashed from them anew, so that the books balance;
whoever reaches the bus sends the wallet a proposal of his own. Each time the proof must name the row, by the point that replays it. Honest play, with all
that follows a bet, must replay; so must what came after a proof."""
import glob
import json
import os
import shutil
import signal
import subprocess

from lib_forgeries import Forgeries
from lib_play import RULES, Person, fields, force
from lib_raw import envelope, field, raw, varint
from lib_sql import Session
from lib_stack import BIN, ROOT, Installation, clear_of_midnight, eventually, read_text, run

BET = {"coin_minor": 2, "lines": 5, "coins": 1}  # of bewitched
LOSS, WIN = RULES.stops(), RULES.stops(win=True, bet=BET)
JACKPOT = [*RULES.stops(bonuses=3), 0]  # the first of the vials' weights, at any bet
TABLES = ("journal", "batch", "house_leg", "account", "claim", "leaf")
place = person = watcher = session = last = None
table = Forgeries()


# ---- records, field by field ----

def packed(parts):
    return b"".join(varint(n << 3 | kind) + (varint(value) if kind == 0 else varint(len(value)) + value) for n, kind, value in parts)


def edited(data, path, change):
    """The message with the value at the path changed; a field that is not there is 0."""
    parts = fields(data)
    at = next((i for i in reversed(range(len(parts))) if parts[i][0] == path[0]), None)
    if at is None:
        parts.append([path[0], 0, 0])
        parts.sort(key=lambda part: part[0])
        at = next(i for i, part in enumerate(parts) if part[0] == path[0])
    parts[at][2] = edited(parts[at][2], path[1:], change) if len(path) > 1 else change(parts[at][2])
    parts[at][1] = 2 if isinstance(parts[at][2], bytes) else 0
    return packed(parts)


# Where a record has what is forged (proto/record.proto).
ROUND = {"salt": 4, "key": 5, "nonce": 6, "math_version": 7, "digest": 8, "coin_minor": 9, "lines": 10, "win_base_lines": 13, "win_feature": 14, "credited": 16, "claims": 19,
         "forced": 29, "stake": 31, "before": 32, "cards_threshold": 34, "cards_value": 35, "bonus": 40}
PARTS = {"next_salt": (3,), "collected": (5,), "carried": (7, 8), "gamble.card": (7, 5, 28, 4), "gamble.won": (7, 5, 28, 5), **{name: (7, 5, n) for name, n in ROUND.items()}}


def flip(value):
    return bytes([value[0] ^ 1]) + value[1:]


def more(amount):
    return lambda value: value + amount


# ---- the owner of the database ----

REMAKE = """
update wallet.batch b set sums = (select coalesce(jsonb_agg(jsonb_build_array(game, mode, currency, kind, n, refused, release, stake, won, pending, forfeit, amount)), '[]')
  from (select game, mode, currency, kind, count(*) n, count(*) filter (where refusal <> 0) refused, coalesce(sum(release) filter (where refusal = 0), 0) release,
    coalesce(sum(stake) filter (where refusal = 0), 0) stake, coalesce(sum(win_balance) filter (where refusal = 0), 0) won,
    coalesce(sum(win_pending) filter (where refusal = 0), 0) pending, coalesce(sum(forfeit) filter (where refusal = 0), 0) forfeit,
    coalesce(sum(amount) filter (where refusal = 0), 0) amount from wallet.journal j where j.shard = b.shard and j.seq between b.first_seq and b.last_seq group by 1, 2, 3, 4) s);
delete from wallet.house_leg where close is null;
insert into wallet.house_leg (shard, batch, currency, account, amount) select p.shard, b.batch, p.currency, p.account, sum(p.amount) from wallet.posting p
  join wallet.batch b on b.shard = p.shard and p.seq between b.first_seq and b.last_seq where p.close is null group by 1, 2, 3, 4 having sum(p.amount) <> 0;
update wallet.account a set balance = j.balance_after from wallet.journal j where j.shard = a.shard and j.seq = a.last_seq;
do $$ declare b record; before bytea; of_shard integer := -1;
begin
  for b in select * from wallet.batch order by shard, batch loop
    if b.shard <> of_shard then before := decode(repeat('00', 32), 'hex'); of_shard := b.shard; end if;
    select sha256(before || coalesce(string_agg(int8send(seq) || int8send(player) || int8send(kind) || int8send(move) || int8send(round) || int8send(game) || int8send(mode) || int8send(refusal)
      || int8send(currency) || int8send(release) || int8send(stake) || int8send(win_balance) || int8send(win_pending) || int8send(forfeit) || int8send(amount)
      || int8send(balance_after) || int8send(pending_after) || int8send(prev_seq) || int8send(claims) || int8send(coalesce(last_move, move)) || timestamptz_send(time)
      || int4send(length(array_to_string(tallies, ','))) || convert_to(array_to_string(tallies, ','), 'UTF8') || int4send(coalesce(length(request_id), 0)) || coalesce(request_id, '')
      || int4send(coalesce(length(outside_id), 0)) || coalesce(outside_id, '') || int4send(coalesce(length(record), 0)) || coalesce(record, ''), ''::bytea order by seq), ''))
      into before from wallet.journal where shard = b.shard and seq between b.first_seq and b.last_seq;
    update wallet.batch set digest = before where shard = b.shard and batch = b.batch;
  end loop;
end $$"""


def tamper(sql):
    """As the owner of the whole cluster, whom no reference between tables stops."""
    global session
    if session is None:
        session = Session(place.stack["CARILLON_PG_ADMIN_DSN"])
        session.ask("set session_replication_role = replica")
    return session.ask(sql)


def row_of(kind, which="", order="seq"):
    """(shard, seq, record) of an accepted move of the person."""
    rows = tamper(f"select shard, seq, encode(record, 'hex') from wallet.journal where player = {person.id} and kind = {kind} and refusal = 0 {which} order by {order} limit 1")
    assert rows, (kind, which)
    return rows[0][0], rows[0][1], bytes.fromhex(rows[0][2])


def named_by(broken, row):
    """The points that name the row, the replay first; and what that one says."""
    named = {point: next((b for b in breaches if f"{b['where']},".startswith(f"{row},")), None) for point, breaches in broken.items()}
    points = sorted((point for point in named if named[point]), reverse=True)
    return points, points and "{where}: found {found}, expected {expected}".format(**named[points[0]])


def forged(name, row, changes=(), record=(), won=0, sql="", alone=True, named=None, books=True, point=14, how=""):
    """Changes a row and its record, what was won with every later balance, makes the books anew (but for `books`: they cannot be), and proves. The point names
    the row, or `named`, which follows it. `alone`: nothing else finds it. `how`: for the table, if it is not the columns that are changed."""
    shard, seq, bytes_ = row
    for part, change in record:
        bytes_ = edited(bytes_, PARTS[part], change)
    columns = ", ".join([*changes, f"record = '\\x{bytes_.hex()}'"] + ([f"win_balance = win_balance + {won}"] if won else []))
    tamper(f"update wallet.journal set {columns} where shard = {shard} and seq = {seq}")
    if won:
        tamper(f"update wallet.journal set balance_after = balance_after + {won} where player = {person.id} and seq >= {seq}")
    if sql:
        tamper(sql)
    if books:
        tamper(REMAKE)
    try:
        status, broken, _ = place.prove()
        points, said = named_by(broken, f"shard {shard}, seq {named or seq}")
        assert status == 1 and point in points, (name, seq, named, broken)
        assert not alone or set(broken) == {point}, (name, broken)
        columns = [change.split(" = ")[0] for change in changes] + (["win_balance"] if won else [])
        table.note(points, name, how or ", ".join([*columns, *(f"record.{part}" for part, _ in record)]), said)
    finally:
        tamper("; ".join(f"delete from wallet.{one}; insert into wallet.{one} select * from kept.{one}" for one in TABLES))


# ---- the tests ----

def play():
    """Losses, wins that are collected, gambled and taken by the next bet, a jackpot, and a game with potions."""
    global person, watcher
    person = Person(place, deposit=1000000)
    force(place, person.name, LOSS, LOSS, WIN, LOSS, WIN, WIN, JACKPOT, LOSS)
    for _ in range(3):
        person.bet(2, 5, 1)
    person.act("collect")
    person.bet(2, 5, 1)
    person.bet(2, 5, 1)
    person.act("gamble", choice=0)
    person.bet(2, 5, 1)
    person.bet(2, 5, 1)
    person.watch()
    if not person.round["closed"]:
        person.act("collect")
    person.bet(2, 5, 1)
    watcher = Person(place, deposit=1000000, game="witch-feature")
    for _ in range(12):
        watcher.bet(1, 50, 1)
        watcher.watch()


def test_honest_play_replays():
    clear_of_midnight(240)  # until the services stop: a second day has digests that no forger here makes anew
    play()
    first = place.in_order("--since-last", "--state", "old.json")
    assert first["replay"]["done"] and first["replay"]["rounds"] == 20 and first["replay"]["scripted"] == 8, first["replay"]
    watcher.bet(1, 50, 1)
    watcher.watch()
    watcher.bet(1, 50, 1)
    watcher.watch()
    new = place.in_order("--since-last", "--state", "old.json")
    assert new["replay"]["rounds"] == 2 and new["replay"]["skipped"] == 0, new["replay"]
    sample = place.in_order("--sample", "1", "--seed", "7")["replay"]
    assert sample["sample"] == 1 and sample["rounds"] in (8, 14), sample
    day = place.sql("select max(day) from wallet.leaf")[0][0]
    assert place.in_order("--day", day)["replay"]["rounds"] > 0
    assert place.in_order("--no-replay")["replay"]["why_not"] == "--no-replay was given"
    for wrong, text in (("--day", "yesterday"), ("--sample", "some"), ("--sample", "0"), ("--seed", "x"), ("--engine", "/nowhere")):
        done = subprocess.run([f"{BIN}/jackpotctl", "ledger", "verify", wrong, text], cwd=place.data, env={**place.environment, **place.stack}, capture_output=True, text=True,
                              timeout=60, check=False)
        assert done.returncode == 2 and done.stderr, (wrong, done)


def test_without_the_key_it_says_so():
    environment = {**place.environment, **place.stack, "CARILLON_KEYS": "/nowhere"}
    done = subprocess.run([f"{BIN}/jackpotctl", "ledger", "verify", "--json"], cwd=place.data, env=environment, capture_output=True, text=True, timeout=60, check=False)
    report = json.loads(done.stdout)
    assert done.returncode == 0 and not report["replay"]["done"] and "no key" in report["replay"]["why_not"], report["replay"]
    assert [p["point"] for p in report["points"] if p["point"] < 15] == list(range(1, 14)), report["points"]


def reconcile(lines, *options):
    path = f"{place.data}/deposits.csv"
    with open(path, "w", encoding="utf-8") as file:
        file.write("".join(f"{line}\n" for line in lines))
    done = subprocess.run([f"{BIN}/jackpotctl", "reconcile", path, *options], cwd=place.data, env={**place.environment, **place.stack}, capture_output=True, text=True, timeout=60,
                          check=False)
    return done.returncode, done.stdout, done.stderr


def test_a_back_end_reconciles_its_deposits():
    person.deposit(700)
    lines = [",".join(row) for row in place.sql("select encode(outside_id, 'hex'), (player >> 48) || '-' || (player & 281474976710655), 'EUR', amount from wallet.journal"
                                                " where kind = 20 and refusal = 0 and player >> 48 = 1 order by time")]
    assert reconcile(lines)[0] == 0, reconcile(lines)
    id_ = lines[-1].split(",")[0]
    for wrong in (lines[:-1], [*lines[:-1], lines[-1] + "0"], [*lines, lines[-1]], [*lines[:-1], lines[-1].replace("EUR", "SEK")]):
        status, out, _ = reconcile(wrong)
        assert status == 1 and f"deposit {id_}: found " in out and "1 differences" in out, (wrong[-1], status, out)
        told = json.loads(reconcile(wrong, "--json")[1])
        assert not told["agrees"] and [one["where"] for one in told["differences"]] == [f"deposit {id_}"] and told["listed"] == len(wrong), told
    unbooked = "00" * 16
    assert "nothing, because it is not booked" in reconcile([*lines, f"{unbooked},1-5,EUR,100"])[1]
    assert reconcile(lines[-1:], "--day", "2001-01-01")[0] == 0  # nothing booked then has to be listed
    for wrong in ("", "what", f"{unbooked},1-5,XXQ,100", f"{unbooked},1-5,EUR,1e3", f"{unbooked},none,EUR,100", f"{lines[0]}\n{unbooked},2-5,EUR,100"):
        status, _, error = reconcile([wrong])
        assert status == 2 and "expected id,player,currency,amount_minor" in error, (wrong, status, error)
        assert ("found no deposit," in error) == (wrong == "") and ("found '" in error) == (wrong != ""), (wrong, error)


def win_of(victim):
    """(shard, move, record) of a win of 5000 that follows a lost bet of 10, and was not drawn."""
    force(place, victim.name, LOSS)
    victim.bet(2, 5, 1)
    shard, move, record = place.sql(f"select shard, move, encode(record, 'hex') from wallet.journal where player = {victim.id} and kind = 2")[0]
    forged_move = int(move) + 1
    record = edited(edited(bytes.fromhex(record), (7, 6), lambda _: forged_move), (7, 5, 1), lambda _: forged_move)
    record = edited(edited(record, (7, 5, 2), lambda _: forged_move), PARTS["win_base_lines"], lambda _: 5000)
    return shard, forged_move, edited(record, PARTS["credited"], lambda _: 5000)


def test_a_proposal_of_somebody_else():
    """The wallet books what it is sent: chain, sums and heads are its own, and only a replay can tell."""
    victim = Person(place, deposit=1000)
    shard, forged_move, record = win_of(victim)
    proposal = field(1, forged_move) + field(2, forged_move) + field(3, 1) + field(4, 2) + field(8, 10) + field(9, 5000) + field(12, varint(1)) + field(15, os.urandom(16)) + field(16, record)
    command = envelope() + field(2, victim.id) + field(3, proposal)

    def booked():
        """Sent as an asker does, until it is booked: what is sent may be lost, and what comes again is booked once."""
        raw(place, "wallet.commands", command, [int(shard)], "spin-engine")
        return place.sql(f"select seq from wallet.journal where player = {victim.id} and move = {forged_move}"
                         " and refusal = 0")
    seq = eventually("the forged row", booked, 20, pause=0.5)[0][0]

    def alone():
        """Nothing else is broken, once all that is on its way to the pools has come there."""
        status, broken, _ = place.prove()
        assert status == 1 and any(b["where"] == f"shard {shard}, seq {seq}" for b in broken[14]), broken
        return broken if set(broken) == {14} else None
    broken = eventually("a proof that finds nothing else", alone, 20, pause=0.3)
    points, said = named_by(broken, f"shard {shard}, seq {seq}")
    table.note(points, "a proposal of somebody else", "sent on the bus, booked by the wallet", said)
    global last
    last = (shard, seq)
    stop_and_keep()


def stop_and_keep():
    """Services stopped, and all tables kept as they are; who owns the database alone cannot sign heads, so here both places have lost them."""
    supervisor = int(read_text(f"{place.data}/run/supervisor.pid"))
    os.kill(supervisor, signal.SIGTERM)
    eventually("the services to stop", lambda: not os.path.exists(f"/proc/{supervisor}"), 30)
    for folder in ("heads", "heads-copy"):
        os.rename(f"{place.data}/{folder}", f"{place.data}/{folder}.lost")
    tamper("create schema kept; " + "; ".join(f"create table kept.{table} as select * from wallet.{table}" for table in TABLES))


def test_wins():
    lost, open_win = row_of(2, "and win_balance + win_pending = 0"), row_of(2, "and win_pending > 0")
    forged("a win raised", lost, won=500)
    forged("a win and its record raised", lost, won=500, record=[("win_base_lines", more(500)), ("credited", more(500))])
    forged("a win, its record and the digest", lost, won=500, record=[("win_base_lines", more(500)), ("credited", more(500)), ("digest", flip)])
    forged("a pending win raised", open_win, ["win_pending = win_pending + 500", "pending_after = pending_after + 500"], alone=False)
    forged("a stake lowered", lost, ["stake = stake - 1"], [("stake", more(-1))], alone=False)
    forged("a smaller bet", lost, [], [("coin_minor", more(-1))])
    forged("a bet on more lines", lost, [], [("lines", more(1))])
    forged("a win of a feature that did not start", lost, won=500, record=[("win_feature", more(500)), ("credited", more(500))])
    forged("a bet that cost nothing", lost, ["stake = 0"], [("stake", lambda _: 0), ("bonus", lambda _: 1)], alone=False)


def test_rows():
    """Rows that were added, taken out, and given to others, with moves, balances and chain made to fit."""
    lost = row_of(2, "and win_balance + win_pending = 0")
    shard, seq, _ = lost
    last_seq = int(tamper(f"select max(seq) from wallet.journal where shard = {shard}")[0][0])
    more_of_it = f"""insert into wallet.journal select (jsonb_populate_record(j, jsonb_build_object('seq', {last_seq + 1}, 'move', a.last_move + 1, 'round', a.last_move + 1, 'last_move', null,
  'prev_seq', a.last_seq, 'win_balance', 5000, 'balance_after', a.balance - j.stake + 5000, 'pending_after', 0, 'time', (select max(time) from wallet.journal)))).*
  from wallet.journal j join wallet.account a using (player) where j.shard = {shard} and j.seq = {seq};
update wallet.account set last_move = last_move + 1, last_seq = {last_seq + 1} where player = {person.id};
update wallet.batch set last_seq = {last_seq + 1} where shard = {shard} and last_seq = {last_seq}"""
    forged("a round that nobody played", lost, sql=more_of_it, alone=False, named=last_seq + 1, how="a row added")
    forged("a bet refused afterwards", lost, ["refusal = 4"], alone=False, point=2)
    forged("a bet given to somebody else", lost, [f"player = {watcher.id}"], alone=False)
    forged("a bet given to another game", lost, ["game = 5"], alone=False)
    following = tamper(f"select min(seq) from wallet.journal where player = {person.id} and seq > {seq}")[0][0]
    forged("a bet taken out", lost, sql=f"delete from wallet.journal where shard = {shard} and seq = {seq}", alone=False, named=following, point=1, how="the row deleted")


def test_draws():
    row = row_of(2, "and win_balance + win_pending = 0")
    forged("other stops", row, record=[("forced", lambda value: bytes([value[0] + 1]) + value[1:])])
    forged("another salt", row, record=[("salt", flip)])
    forged("another definition", row, record=[("math_version", flip)])
    forged("another digest", row, record=[("digest", flip)])
    forged("another key of the draws", row, record=[("key", more(1))])
    forged("another number for Jackpot Cards", row, record=[("cards_value", more(1))])
    forged("another secret for the next move", row, record=[("next_salt", flip)], named=tamper(f"select min(seq) from wallet.journal where player = {person.id} and seq > {row[1]}")[0][0])
    forged("an installation that takes no scripts", row, sql="update carillon.installation set kind = 'demo'", how="carillon.installation.kind")
    tamper("update carillon.installation set kind = 'test'")


def test_claims():
    lost, won = row_of(2, "and win_balance + win_pending = 0"), row_of(2, "and claims > 0")
    player, move = person.id, tamper(f"select move from wallet.journal where shard = {lost[0]} and seq = {lost[1]}")[0][0]
    forged("a claim added", lost, ["claims = 1"], [("claims", lambda _: 1)], alone=False,
           sql=f"insert into wallet.claim (player, move, index, shard, pool, kind, currency, coin_minor, stake_minor, opened_seq, opened) values ({player}, {move}, 1, {lost[0]}, 1, 1, 978, 2, 10, {lost[1]}, now())")
    forged("a claim dropped", won, ["claims = 0"], [("claims", lambda _: 0)], alone=False, books=False, sql=f"delete from wallet.claim where player = {player} and opened_seq = {won[1]}")


def test_odds_of_cards():
    """The number drawn is the one that the key gives; with the odds of a forger any number begins the cards."""
    row = row_of(2, "and win_balance + win_pending = 0")
    forged("odds of Jackpot Cards raised", row, record=[("cards_threshold", more(int(tamper(f"select stake from wallet.journal where shard = {row[0]} and seq = {row[1]}")[0][0])))])


def test_odds_of_another_time():
    """Odds that were in force before the person played, and not any more: the version is in the history, the draw is of a later time."""
    row, found = row_of(2, "and win_balance + win_pending = 0"), lambda: {b["where"] for b in place.prove()[1].get(14, [])}
    before = found()
    tamper("update cards.set_odds set since = since - interval '1 day'")
    tamper("insert into cards.set_odds select pool, currency, 0, 2 * odds_in, odds_of, digest, since - interval '1 day' from cards.set_odds where number = 1")
    assert found() == before, "the history alone breaks nothing"
    forged("odds of Jackpot Cards of another time", row, record=[("cards_threshold", lambda value: 2 * value)])


def test_gambles_and_collects():
    gamble, collect = row_of(4), row_of(6)
    forged("a gamble turned", gamble, record=[("gamble.won", lambda value: 1 - value)])
    forged("another card", gamble, record=[("gamble.card", lambda value: value ^ 1)])
    forged("collected twice", collect, record=[("collected", more(100))], won=100)


def test_a_definition_of_the_owners_own():
    """Who owns the database may add a definition to carillon.game, in which each window wins, and rows that replay with it. Against a folder of their own
    definitions an auditor finds each row of any other."""
    shipped, own = f"{ROOT}/services/spin-engine/games", f"{place.data}/definitions"
    known = set(place.prove()[1].get(14, []) and [b["where"] for b in place.prove()[1][14]])
    assert {b["where"] for b in place.prove("--definitions", shipped)[1].get(14, [])} == known, "the shipped definitions are those of the rows"
    shutil.copytree(shipped, own)
    for path in glob.glob(f"{own}/bewitched/definition*.json"):
        with open(path, encoding="utf-8") as file:
            definition = json.load(file)
        definition["version"] += 1000
        with open(path, "w", encoding="utf-8") as file:
            json.dump(definition, file)
    status, broken, _ = place.prove("--definitions", own)
    rows = tamper(f"select shard, seq from wallet.journal where player = {person.id} and kind = 2 and refusal = 0")
    named = {b["where"] for b in broken[14]}
    assert status == 1 and set(broken) == {14} and named - known and rows, broken
    assert {f"shard {shard}, seq {seq}" for shard, seq in rows[:3]} & named, (rows, sorted(named)[:20])
    table.note([14], "a definition that the folder does not have", "carillon.game", broken[14][0]["found"])
    done = subprocess.run([f"{BIN}/jackpotctl", "ledger", "verify", "--definitions", "/nowhere"], cwd=place.data, env={**place.environment, **place.stack}, capture_output=True,
                          text=True, timeout=60, check=False)
    assert done.returncode == 2 and "/nowhere" in done.stderr, done


def test_states():
    global person
    mine, person = person, watcher
    try:
        row = row_of(2)
        forged("another nonce", row, record=[("nonce", flip)])
        forged("one more potion before the round", row, record=[("before", lambda value: value + 1)])
        forged("one more potion after it", row, record=[("carried", lambda value: flip(value) if value else b"\x32\x01")])
    finally:
        person = mine


def test_restored_books_are_in_order():
    """But for the proposal that the wallet has booked."""
    broken = place.prove()[1]
    assert set(broken) == {14} and [b["where"] for b in broken[14]] == ["shard {}, seq {}".format(*last)], broken


def test_the_table():
    """What was forged, by kind, and which points named the row."""
    table.show(20)


if __name__ == "__main__":
    with Installation("forged", kafka=False) as place:
        try:
            run(*[f for name, f in list(globals().items()) if name.startswith("test_")])
        except SystemExit as status:
            if status.code:
                raise
