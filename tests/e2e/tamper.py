#!/usr/bin/env python3
"""Proof that the ledger's proof can fail: a small ledger is played, closed and proven; then rows are changed behind the services' backs, one case after the
other. Each must be found by its own point and named with its row, from scratch and by the proof of what is new; undone, all must be in order again."""
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile

from lib_forgeries import Forgeries
from lib_patience import let_time_pass
from lib_play import RULES, SECOND_KEY, Person, force, operator, pool_action, second_key
from lib_stack import BIN, PSQL, Installation, eventually, read_text, run

BEWITCHED = "bewitched"
PUBLIC = "wallet-heads.pub"
BET = {"coin_minor": 2, "lines": 5, "coins": 1}  # of bewitched
LOSS = RULES.stops()
JACKPOT = [*RULES.stops(bonuses=3), 0]  # the first of the vials' weights, at any bet
place = None
table = Forgeries()


def sets_folder():
    """Cards that begin with every stake of ten crowns, on one level, and practically never with euros."""
    folder = tempfile.mkdtemp(prefix="carillon-sets-", dir=os.environ.get("CARILLON_TEST_TMP", "/tmp"))
    levels = [{"suit": s, "seed_eur_minor": [500, 1000, 2000, 4000][i], "wager_ppm": [2500, 1500, 700, 300][i], "weight": [1, 0, 0, 0][i]}
              for i, s in enumerate(["clubs", "diamonds", "hearts", "spades"])]
    with open(f"{folder}/cards.json", "w", encoding="utf-8") as file:
        json.dump({"set": "cards", "set_number": 2, "levels": levels, "odds": {"EUR": {"in": 1, "of": 1000000000}, "SEK": {"in": 1, "of": 1000}}}, file)
    return folder


class Ledger(Installation):
    def __init__(self):
        super().__init__("tamper", kafka=False)
        self.sets = sets_folder()
        self.environment.update(CARILLON_CARD_SETS=self.sets)

    def __exit__(self, *rest):
        super().__exit__(*rest)
        shutil.rmtree(self.sets, ignore_errors=True)


def close_day(*options):
    def closed():
        done = subprocess.run([f"{BIN}/jackpotctl", "ledger", "close-day", "--now", *options], cwd=place.data, env={**place.environment, **place.stack},
                              capture_output=True, text=True, timeout=60, check=False)
        assert not options or json.loads(done.stdout)["closed"] == (done.returncode == 0), done
        assert done.returncode == 0 and (options or "closed: " in done.stdout) or "has not closed the day yet" in done.stderr, (done.stdout, done.stderr)
        return done.returncode == 0
    eventually("the close", closed, 20)


def finish(person):
    while person.round and not person.round["closed"]:
        person.watch() if person.round["next"] in ("pick", "next") else person.act("collect")


def card_round(person):
    """One round of Jackpot Cards, to its payment."""
    force(place, person.name, LOSS)
    person.bet(1000, 1, 1)
    finish(person)
    claim = person.state["cards"]
    card_id = f"{claim['move']}-{claim['index']}"
    eventually("the card round", lambda: any(r["id"] == card_id for r in person.ask("GET", "/v1/cards", keep=False).json["rounds"]), 20)
    for n in range(1, 10):
        if person.ask("POST", f"/v1/cards/{card_id}/picks", {"pick": n, "position": n - 1}, keep=False).json["card_round"]["won"]:
            break
    eventually("the award", lambda: place.sql(f"select 1 from wallet.claim where player = {person.id} and move = {claim['move']} and closed_seq is not null"), 20)


def voided_rounds(person):
    """Two rounds that won the jackpot: the void of the first leaves it, that of the second takes it back."""
    for award in (False, True):
        force(place, person.name, JACKPOT)
        hit = person.bet(2, 5, 1).json["round"]["round"]
        finish(person)
        eventually("the award", lambda h=hit: place.sql(f"select 1 from wallet.claim where player = {person.id} and move = {h} and closed_seq is not null"), 60)
        body = {"game": BEWITCHED, "round": hit, "reason": "a test", "award": award}
        told = eventually("the void", lambda b=body: next((a for a in [person.operator("voids", b, f"void-{b['award']}")] if a.status in (200, 202)), None), 60)
        if award:
            told = second_key(place, lambda t=told: operator(place, f"/players/{person.number}/voids/{t.json['id']}/approve", None, operator_key=SECOND_KEY))
        assert told.status == 200 and (told.json["awards_minor"] > 0) == award, told
        person.refresh()


def spins_of(person, spins, used):
    body = {"game": BEWITCHED, "currency": "EUR", **BET, "spins": spins, "expires_us": 4000000000000000}
    gift = person.operator("bonus-spins", body, status=200).json["id"]
    eventually("the gift in the state", lambda: any(g["id"] == gift for g in person.refresh()["bonus_spins"]), 20)
    for _ in range(used):
        force(place, person.name, LOSS)
        person.ask("POST", "/v1/rounds", {"game": BEWITCHED, "expect": person.expect, "bonus_spin": gift, "nonce": os.urandom(16).hex()})
    return gift


def play(people):
    """Something of everything: bets in two currencies, a jackpot, cards, bonus spins, pending money, deposits, withdrawals, refusals."""
    for person in people[:3]:
        force(place, person.name, LOSS, LOSS, LOSS)
        for _ in range(3):
            person.bet(2, 5, 1)
    force(place, people[0].name, JACKPOT)
    people[0].bet(2, 5, 1)
    finish(people[0])
    people[1].deposit(500)
    people[1].operator("withdrawals", {"amount_minor": 100, "currency": people[1].state["currency"]})
    people[3].operator("withdrawals", {"amount_minor": 9999999, "currency": people[3].state["currency"]}, status=402)
    spins_of(people[0], 3, 2)
    force(place, people[2].name, RULES.stops(win=True, bet=BET))
    people[2].bet(2, 5, 1)
    card_round(people[3])


def stop_services():
    supervisor = int(read_text(f"{place.data}/run/supervisor.pid"))
    os.kill(supervisor, signal.SIGTERM)
    eventually("the services to stop", lambda: not os.path.exists(f"/proc/{supervisor}"), 30)


def people_made():
    return [Person(place, currency=currency, deposit=1000000) for currency in ("EUR", "EUR", "EUR", "SEK")]


def test_a_ledger_is_played_and_proven():
    """Twice, so that there is something that was proven before, and something new; each part with a close, whatever dies in it."""
    people = people_made()
    play(people)
    close_day()
    first = place.in_order("--since-last", "--state", "old.json")
    assert first["since"] == 0 and first["rows"] > 20, first
    killed_while_closing()
    for person in people:
        person.deposit(100)  # taken by every wallet again
    lost_bet(people[0])
    pool_action(place, 2, "parameters", {"level": "clubs", "wager_ppm": 2600})
    voided_rounds(Person(place, deposit=1000000))
    play(people)
    lost_bet(people[0])  # accrues by the share that has come into force
    close_day("--json")
    place.in_order()  # what is on its way arrives before all stop
    hits = int(place.sql("select (select count(*) from pool.hit) + (select count(*) from cards.hit)")[0][0])
    stop_services()
    new = place.in_order("--since-last", "--state", copy_of_state())
    assert new["since"] == first["rows"] and new["rows"] > 10 and new["heads"] > 0, new
    whole = place.in_order()
    assert whole["rows"] == new["rows"] + first["rows"] and whole["hits"] == hits == 6, (whole, hits)
    for report in (new, whole):
        assert [p["point"] for p in report["points"] if p["checked"] == 0] == [], report


def test_the_journal_is_double_entry():
    """Each row's legs, expanded from the row itself, sum to zero, and all of them to the legs of the batches."""
    rows = "select shard, seq, close, currency, account, amount from wallet.posting"
    assert place.sql(f"select shard, seq, close, sum(amount), count(*) from ({rows}) p group by 1, 2, 3 having sum(amount) <> 0 or count(*) < 2 or count(distinct currency) > 1") == []
    moved = "kind between 2 and 7 and win_balance + win_pending + forfeit <> stake or kind between 2 and 7 and release <> 0 or kind between 20 and 24 and amount <> 0"
    assert place.sql(f"select shard, seq from wallet.journal where refusal = 0 and ({moved}) except select shard, seq from wallet.posting where close is null") == []
    postings = place.sql("select shard, currency, account, sum(amount) from wallet.posting group by 1, 2, 3 having sum(amount) <> 0 order by 1, 2, 3")
    assert postings == place.sql("select shard, currency, account, amount from wallet.total where amount <> 0 order by 1, 2, 3") and len(postings) > 8, postings
    assert {row[2] for row in postings} >= {"PLAYER", "HOUSE", "CASH", "JACKPOT:1", "JACKPOT:2"}, postings


def lost_bet(person):
    """Through the start of a wallet that was killed."""
    force(place, person.name, LOSS)
    person.bet_through(2, 5, 1)


def killed_while_closing():
    """Asked to close and killed at once, again and again: each request is answered, by one close a shard at most."""
    for pause in (0, 0.1, 0.2, 0.4):
        lost_bet(people_made()[0])
        request = int(place.sql("insert into wallet.close_request (reason) values ('a test') returning id", writer=True)[0][0])
        let_time_pass(pause, "it is killed at a moment of chance")
        place.kill("wallet-1")
        eventually("the closes", lambda: place.sql(f"select shard from wallet.batch except select shard from wallet.close_run where request >= {request}") == [], 20)
    assert place.sql("select shard, request from wallet.close_run where request > 0 group by 1, 2 having count(*) > 1") == []


def copy_of_state():
    """A proof moves its state on: each one gets a copy of the old one, and forgets that it knew a newer one."""
    last = f"{place.data}/keys/ledger-verify.last"
    if os.path.exists(last):
        os.unlink(last)
    shutil.copy(f"{place.data}/old.json", f"{place.data}/state.json")
    return "state.json"


def one(sql):
    rows = tamper(sql)
    assert rows, sql
    return rows[0]


class Session:
    """One psql for all that is asked and changed here: as the owner of the whole cluster, whom no reference between tables stops."""

    def __init__(self):
        dsn = place.stack["CARILLON_PG_ADMIN_DSN"]
        self.psql = subprocess.Popen([PSQL, "-d", dsn, "-XAtq", "-F", "\t"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.ask("set session_replication_role = replica")

    def ask(self, sql):
        self.psql.stdin.write(f"{sql};\n\\echo --answered\n")
        self.psql.stdin.flush()
        lines = [line.rstrip("\n") for line in iter(self.psql.stdout.readline, "--answered\n")]
        assert not any("ERROR:" in line for line in lines), (sql, lines)
        return [line.split("\t") for line in lines]


session = None


def tamper(sql):
    global session
    session = session or Session()
    return session.ask(sql)


class Tampering:
    """Rows of a table changed by SQL, and put back as they were."""

    def __init__(self, table, where, change, back=None):
        self.table, self.where, self.change, self.back = table, where, change, back or where
        self.kept = "public.kept_" + table.replace(".", "_")  # two tables may be changed at once

    def kind(self):
        return self.table, "a row deleted" if self.change == "delete" else ", ".join(re.findall(r"(?:^|, )(\w+)(?:\[\d\])? = ", self.change)) + " changed"

    def do(self):
        verb = "delete from" if self.change == "delete" else "update"
        change = "" if self.change == "delete" else f"set {self.change}"
        rows = tamper(f"drop table if exists {self.kept}; create table {self.kept} as select * from {self.table} where {self.where}; {verb} {self.table} {change} where {self.where}; select count(*) from {self.kept}")
        assert rows != [["0"]], f"nothing to change: {self.table} where {self.where}"

    def undo(self):
        tamper(f"delete from {self.table} where {self.back}; insert into {self.table} select * from {self.kept}; drop table {self.kept}")


class Rewriting:
    """A row of the last batch of a shard, and the digest of the batch made anew: a chain that is whole in itself."""

    def __init__(self, shard, batch, before, after):
        self.shard, self.batch, self.before, self.after = shard, batch, before, after

    def kind(self):
        return "wallet.journal and wallet.batch", "rewritten with a new chain"

    def do(self):
        self.digest = one(f"select encode(digest, 'hex') from wallet.batch where shard = {self.shard} and batch = {self.batch}")[0]
        tamper(self.before)
        made = next(b["expected"] for b in place.prove()[1][10] if b["where"] == f"shard {self.shard}, batch {self.batch}").split(",")[0]
        tamper(f"update wallet.batch set digest = '\\x{made}' where shard = {self.shard} and batch = {self.batch}")

    def undo(self):
        tamper(f"{self.after}; update wallet.batch set digest = '\\x{self.digest}' where shard = {self.shard} and batch = {self.batch}")


class Heads:
    """The file of the heads, or another one beside them, changed."""

    def __init__(self, change, name="wallet-1.heads"):
        self.change, self.name, self.path = change, name, f"{place.data}/heads/{name}"

    def kind(self):
        return f"heads/{self.name}", "lines changed"

    def do(self):
        self.text = read_text(self.path)
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(self.change(self.text))

    def undo(self):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(self.text)


def found(tampering, point, named, options):
    code, broken, _ = place.prove(*options)
    assert code == 1 and point in broken, (tampering.__dict__, point, options, broken)
    says = [breach for breach in broken[point] if named in breach["where"] and breach["found"] != breach["expected"]]
    assert says, (tampering.__dict__, named, options, broken[point])
    table.note([point], *tampering.kind(), f"{says[0]['where']}: found {says[0]['found']}")


def check(point, named, tampering, new=False):
    """Found by the point and named, from scratch; `new`: also by the proof of what is new."""
    tampering.do()
    try:
        found(tampering, point, named, ())
        if new:
            found(tampering, point, named, ("--since-last", "--state", copy_of_state()))
    finally:
        tampering.undo()


def last_bet():
    """The newest accepted bet that fed a tally, with its total written, and left something with the house: of the part that is new."""
    return one("select j.shard, j.seq, j.player, b.batch, j.tallies[1], j.game from wallet.journal j join wallet.batch b on b.shard = j.shard and j.seq between b.first_seq and b.last_seq"
               " join wallet.house_leg l on l.shard = b.shard and l.batch = b.batch and l.account = 'HOUSE' and l.close is null"
               " join wallet.tally_total t on t.shard = j.shard and t.tally = j.tallies[1] and t.seq >= j.seq"
               " where j.kind = 2 and j.refusal = 0 and j.stake > 0 order by j.time desc limit 1")


def test_1_moves():
    shard, seq, player, *_ = last_bet()
    row, named = f"shard = {shard} and seq = {seq}", f"shard {shard}, seq {seq}"
    check(1, named, Tampering("wallet.journal", row, "move = move + 5"), new=True)
    check(1, named, Tampering("wallet.journal", row, f"player = {int(player) + 7777777}"))
    shard, seq = one("select shard, seq from wallet.journal j where seq < (select max(seq) from wallet.journal n where n.shard = j.shard) order by time desc limit 1")
    check(1, f"shard {shard}", Tampering("wallet.journal", f"shard = {shard} and seq = {seq}", "delete"), new=True)


def test_2_balances():
    shard, seq, player, *_ = last_bet()
    row, named = f"shard = {shard} and seq = {seq}", f"shard {shard}, seq {seq}"
    check(2, named, Tampering("wallet.journal", row, "balance_after = balance_after + 1"), new=True)
    check(2, named, Tampering("wallet.journal", row, "win_balance = win_balance + 1"))
    check(2, named, Tampering("wallet.journal", row, "pending_after = pending_after + 1"), new=True)
    check(2, named, Tampering("wallet.journal", row, "prev_seq = prev_seq - 1"))
    check(2, f"account of player {player}", Tampering("wallet.account", f"player = {player}", "balance = balance + 1"), new=True)


def test_3_batches():
    shard, seq, _, batch, *_ = last_bet()
    row, of = f"shard = {shard} and seq = {seq}", f"shard = {shard} and batch = {batch}"
    check(3, f"shard {shard}, batch {batch}", Tampering("wallet.journal", row, "stake = stake + 1"), new=True)
    check(3, f"shard {shard}, batch {batch}", Tampering("wallet.batch", of, "first_seq = first_seq - 1"), new=True)
    check(3, f"shard {shard}, batch {batch}", Tampering("wallet.batch", of, "sums = jsonb_set(sums, '{0,4}', '7')"))
    check(3, f"shard {shard}", Tampering("wallet.batch", of, "delete"))


def test_4_double_entry():
    shard, _, _, batch, *_ = last_bet()
    leg = f"shard = {shard} and batch = {batch} and account = 'HOUSE' and close is null"
    check(4, f"shard {shard}, batch {batch}, currency", Tampering("wallet.house_leg", leg, "amount = amount + 1"), new=True)
    check(4, f"shard {shard}, batch {batch}, currency", Tampering("wallet.house_leg", leg, "delete"))
    # Balanced, but not what the rows say.
    check(4, f"shard {shard}, batch {batch}, currency", Tampering("wallet.house_leg", leg, "account = 'PROMO'", f"shard = {shard} and batch = {batch} and account = 'PROMO'"))
    shard, batch, pool = one("select c.shard, b.batch, c.pool from wallet.claim c join wallet.batch b on b.shard = c.shard and c.closed_seq between b.first_seq and b.last_seq order by c.opened desc limit 1")
    leg = f"shard = {shard} and batch = {batch} and close is null and account = 'JACKPOT:"
    check(4, f"JACKPOT:{pool}", Tampering("wallet.house_leg", f"{leg}{pool}'", "account = 'JACKPOT:77'", f"{leg}77'"))


def test_5_tallies():
    shard, seq, _, _, tally, _ = last_bet()
    row, total = f"shard = {shard} and seq = {seq}", f"shard = {shard} and tally = {tally}"
    check(5, f"shard {shard}, tally {tally}", Tampering("wallet.tally_total", total, "total = total + 1"), new=True)
    check(5, f"shard {shard}, tally {tally}", Tampering("wallet.tally_total", total, "delete"))
    check(5, f"({shard},{seq})", Tampering("wallet.journal", row, "tallies = '{4711}'"))
    check(5, f"shard {shard}, tally {tally}", Tampering("wallet.journal", row, "tallies = '{}'"), new=True)


def test_6_totals_of_pools():
    shard, seq, _, _, tally, _ = last_bet()
    schema, pool = one(f"select case when exists (select from pool.vector where tally = {tally}) then 'pool' else 'cards' end, pool from pool.tally where id = {tally}")
    of = f"pool = {pool} and shard = {shard} and tally = {tally}"
    check(6, f"pool {pool}, shard {shard}, tally {tally}", Tampering(f"{schema}.vector", of, "total = total + 1"), new=True)
    check(6, f"pool {pool}", Tampering(f"{schema}.vector", of, "delete"))
    check(6, "pool 1", Tampering("pool.pool", "pool = 1", "t_e18 = t_e18 + 1"), new=True)
    check(6, "pool 2", Tampering("cards.card_set", "pool = 2", "t_e18 = t_e18 + 1"))
    check(6, f"pool {pool}", Tampering("pool.tally", f"id = {tally}", "rate_nano = rate_nano + 1"))


def test_7_identities():
    """Of all, each time: no part of them is ever old."""
    for column in ("contributions_e27", "jp_pool_e27", "jp_reserve_e27", "jp_seed_e27", "house_seed_e27", "paid_e27"):
        check(7, "pool 1", Tampering("pool.pool", "pool = 1", f"{column} = {column} + 1"))
    check(7, "pool 2", Tampering("cards.card_set", "pool = 2", "jp_pool_e27 = jp_pool_e27 + 1"))
    check(7, "pool 1", Tampering("pool.row", "pool = 1 and currency = 978 and coin_minor = 2", "r_e27 = r_e27 + 1"))
    check(7, "pool 2", Tampering("cards.level", "pool = 2 and level = 1", "seed_minor = seed_minor + 1"))
    check(7, "pool 1", Tampering("pool.hit", "pool = 1 and hit = 2", "delete"))
    check(7, "set 2, hit 2", Tampering("cards.hit", "pool = 2 and hit = 2", "carry_e27 = carry_e27 + 1"))


def test_8_claims():
    player, move, shard, opened, closed = one("select player, move, shard, opened_seq, closed_seq from wallet.claim where kind = 1 order by opened desc limit 1")
    claim, named = f"player = {player} and move = {move}", f"player {player}, move {move}"
    check(8, named, Tampering("wallet.claim", claim, "paid_minor = paid_minor + 1"), new=True)
    check(8, f"shard {shard}, seq {opened}", Tampering("wallet.claim", claim, "delete"))
    check(8, f"shard {shard}, seq {closed}", Tampering("wallet.claim", claim, "closed_seq = null"), new=True)
    check(8, named, Tampering("pool.hit", claim, f"player = {int(player) + 1}", f"player = {int(player) + 1} and move = {move}"))
    check(8, named, Tampering("pool.hit", claim, "paid_minor = paid_minor + 1"))
    check(8, f"shard {shard}, seq {opened}", Tampering("wallet.journal", f"shard = {shard} and seq = {opened}", "claims = 2"))
    # An award that nothing asked for.
    row = one(f"select seq, player from wallet.journal where shard = {shard} and kind = 20 order by seq desc limit 1")
    check(8, f"award at shard {shard}, seq {row[0]}", Tampering("wallet.journal", f"shard = {shard} and seq = {row[0]}", "kind = 24"))
    card = one("select player, move from wallet.claim where kind = 2 order by opened desc limit 1")
    of, named = f"player = {card[0]} and move = {card[1]}", f"player {card[0]}, move {card[1]}"
    check(8, named, Tampering("cards.hit", of, "paid_minor = paid_minor + 1"))
    check(8, "set 2, round", Tampering("cards.round", of, "level = 2"))


def test_9_the_close():
    shard, number, pool, currency = one("select shard, number, pool, currency from wallet.close where moved_minor > 0 order by number desc limit 1")
    close, named = f"shard = {shard} and number = {number}", f"shard {shard}, close {number}"
    account = f"{close} and pool = {pool} and currency = {currency}"
    tally = one(f"select tally from wallet.close_tally where {account}")[0]
    check(9, f"{named}, tally {tally}", Tampering("wallet.close_tally", f"{close} and tally = {tally}", "total = total + 1"), new=True)
    check(9, f"{named}, tally {tally}", Tampering("wallet.close_tally", f"{close} and tally = {tally}", "delete"))
    check(9, f"{named}, tally {tally}", Tampering("wallet.close_tally", f"{close} and tally = {tally}", "share_nano = share_nano + 1"), new=True)
    check(9, f"{named}, tally {tally}", Tampering("wallet.close_tally", f"{close} and tally = {tally}", "total_before = total_before - 1"))
    check(9, f"{named}, pool {pool}, currency {currency}", Tampering("wallet.close", account, "moved_minor = moved_minor + 1, carried_nano = carried_nano + 0, accrued_nano = accrued_nano + 1000000000"))
    check(9, f"{named}, pool {pool}, currency {currency}", Tampering("wallet.close", account, "delete"))
    check(9, f"{named}, currency {currency}, JACKPOT:{pool}", Tampering("wallet.house_leg", f"shard = {shard} and close = {number} and currency = {currency} and account = 'JACKPOT:{pool}'", "amount = amount + 1"), new=True)
    check(9, f"JACKPOT:{pool}, currency {currency}", Tampering("wallet.house_leg", f"shard = {shard} and close = {number} and currency = {currency}", "delete"))
    check(9, named, Tampering("wallet.close_run", close, "seq = seq + 100000"))
    check(9, named, Tampering("wallet.close_run", close, f"number = {int(number) + 7}", f"shard = {shard} and number = {int(number) + 7}"))
    # A hit that the pool prices higher than the wallet paid; one at another rate than its row's.
    hit = one("select h.player, h.move from pool.hit h order by hit desc limit 1")
    check(9, "JACKPOT:1, currency 978", Tampering("pool.hit", f"player = {hit[0]} and move = {hit[1]}", "paid_minor = paid_minor + 1"), new=True)
    check(9, "pool 1, currency 978", Tampering("pool.hit", f"player = {hit[0]} and move = {hit[1]}", "cost_e27 = cost_e27 + 1, carry_e27 = carry_e27 - 1"))


def test_9_changed_level_shares():
    """The second card round brought the level's changed share into force: what the set has contributed follows from when that was, and so do its closes."""
    hit = "pool = 2 and hit = 2"
    assert tamper("select launch_share_nano from cards.level where pool = 2 and level = 1 union all (select next_share_nano from cards.hit where pool = 2 order by hit)") == [["2500000"], ["2500000"], ["2600000"]]
    check(9, "pool 2, contributions", Tampering("cards.hit", hit, "next_share_nano = next_share_nano - 1"))
    check(9, "set 2, level 1", Tampering("cards.hit", hit, "next_share_nano = next_share_nano - 1"))
    check(9, "pool 2, contributions", Tampering("cards.hit", hit, "t_e18 = t_e18 - 1000000000000000000"))
    check(9, "pool 2, contributions", Tampering("cards.level", "pool = 2 and level = 2", "launch_share_nano = launch_share_nano + 1"))
    # Balanced in themselves.
    check(9, "pool 2, contributions", Tampering("cards.card_set", "pool = 2", "contributions_e27 = contributions_e27 + 1, house_seed_e27 = house_seed_e27 - 1"))
    for order in ("", "desc"):
        shard, number, tally = one(f"select shard, number, tally from wallet.close_tally where pool = 2 order by share_nano {order}, number limit 1")
        check(9, f"shard {shard}, close {number}, tally {tally}", Tampering("wallet.close_tally", f"shard = {shard} and number = {number} and tally = {tally}", "share_nano = share_nano - 1"))
    # A close that claims the share of another time.
    shard, number, tally = one("select shard, number, tally from wallet.close_tally c where pool = 2 and share_nano = 5100000 limit 1")
    check(9, f"shard {shard}, close {number}, tally {tally}", Tampering("cards.hit", hit, "time = time + interval '1 day'"))


def test_10_the_chain():
    shard, seq, _, batch, *_ = last_bet()
    row, named = f"shard = {shard} and seq = {seq}", f"shard {shard}, batch {batch}"
    check(10, named, Tampering("wallet.journal", row, "record = record || '\\x00'"), new=True)
    check(10, named, Tampering("wallet.batch", f"shard = {shard} and batch = {batch}", "digest = sha256(digest)"))
    shard, batch, seq = one("select distinct on (shard) shard, batch, last_seq from wallet.batch where shard = (select min(shard) from wallet.batch) order by shard, batch desc")
    row = f"where shard = {shard} and seq = {seq}"
    check(10, f"shard {shard}, batch {batch}, by the head in wallet-1.heads",
          Rewriting(shard, batch, f"update wallet.journal set time = time + interval '1 second' {row}", f"update wallet.journal set time = time - interval '1 second' {row}"), new=True)


def test_10_the_heads():
    lines = len(read_text(f"{place.data}/heads/wallet-1.heads").splitlines())
    assert lines > 0
    check(10, f"wallet-1.heads, line {lines}", Heads(lambda text: text[:-3] + ("0" if text[-3] != "0" else "1") + text[-2:]))
    check(10, f"wallet-1.heads, line {lines + 1}", Heads(lambda text: text + text.splitlines()[-1].replace(" ", " 9", 1) + "\n"))
    # Batches that go on for minutes without a head, when other shards have them.
    shard, batch = one("select distinct on (shard) shard, batch from wallet.batch order by shard, batch desc")
    late = Tampering("wallet.batch", f"shard = {shard} and batch = {batch}", "time = time - interval '10 minutes'")
    gone = Heads(lambda text: "".join(line + "\n" for line in text.splitlines() if not line.startswith(f"{shard} {batch} ")))
    gone.do()
    try:
        check(10, f"shard {shard}, batch {batch}", late)
    finally:
        gone.undo()


def test_10_the_joint():
    """What the state was proven up to has to be there, as it was."""
    shard = json.loads(read_text(f"{place.data}/old.json"))["contents"]["shards"][0]
    joint = Tampering("wallet.batch", f"shard = {shard['shard']} and batch = {shard['batch']}", "digest = sha256(digest)")
    joint.do()
    try:
        found(joint, 10, f"shard {shard['shard']}, batch {shard['batch']}, where the last proof ended", ("--since-last", "--state", copy_of_state()))
    finally:
        joint.undo()
    text = read_text(f"{place.data}/old.json")
    with open(f"{place.data}/state.json", "w", encoding="utf-8") as file:
        file.write(text.replace(f'"seq":{shard["seq"]}', f'"seq":{shard["seq"] + 1}', 1))
    done = subprocess.run([f"{BIN}/jackpotctl", "ledger", "verify", "--since-last", "--state", "state.json"], cwd=place.data, env={**place.environment, **place.stack},
                          capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2 and "contents that do not match the digest" in done.stderr, (done.returncode, done.stderr)


def test_10_the_copy_of_the_heads():
    """Who owns the database and may write the folder of the heads rewrites both, in step; the copy of the heads is not theirs."""
    if os.geteuid() == 0:  # else one user runs it all
        server = os.stat(f"/proc/{place.sql('select pg_backend_pid()')[0][0]}").st_uid
        for name in ("", "/wallet-1.heads", f"/{PUBLIC}"):
            about = os.stat(f"{place.data}/heads-copy{name}")
            assert about.st_uid != server and not about.st_mode & 0o022, (name, about)
    for name in ("wallet-1.heads", PUBLIC):
        assert read_text(f"{place.data}/heads-copy/{name}") == read_text(f"{place.data}/heads/{name}"), name
    assert place.prove()[2]["heads_copy"] > 0
    shard, batch, seq = one("select distinct on (shard) shard, batch, last_seq from wallet.batch order by shard, batch desc")
    row, named = f"where shard = {shard} and seq = {seq}", f"shard {shard}, batch {batch}, by the head in the copy of wallet-1.heads"
    cut = Heads(lambda text: "".join(line + "\n" for line in text.splitlines() if not line.startswith(f"{shard} {batch} ")))
    check(10, named, cut, new=True)
    cut.do()
    try:
        check(10, named, Rewriting(shard, batch, f"update wallet.journal set time = time + interval '1 second' {row}", f"update wallet.journal set time = time - interval '1 second' {row}"), new=True)
    finally:
        cut.undo()
    check(10, named, Heads(lambda text: ""), new=True)
    check(10, PUBLIC, Heads(lambda text: "5" * 64 + "\n", PUBLIC))


def refused_mark(text, named):
    """The proof does not go on from such a mark, and says what is wrong with it."""
    with open(f"{place.data}/state.json", "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run([f"{BIN}/jackpotctl", "ledger", "verify", "--since-last", "--state", "state.json"], cwd=place.data, env={**place.environment, **place.stack},
                          capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2 and f"{place.data}/state.json: found {named}" in done.stderr, (done.returncode, done.stderr)
    table.note([10], "the mark of the last proof", named.split(",")[0].rstrip("0123456789 "), done.stderr.strip().splitlines()[0])


def test_10_the_mark():
    """Who can write beside the heads cannot move the mark: it is signed, numbered, and its last number stands beside the key."""
    older = place.prove("--since-last", "--state", copy_of_state())[2]
    old = read_text(f"{place.data}/state.json")
    newer = place.prove("--since-last", "--state", "state.json")[2]
    new = read_text(f"{place.data}/state.json")
    assert newer["mark"] == older["mark"] + 1 and newer["rows"] == 0, (older["mark"], newer["mark"])
    root = json.loads(new)
    root["contents"]["shards"][0]["seq"] += 1
    root["sha256"] = hashlib.sha256(json.dumps(root["contents"], separators=(",", ":"), sort_keys=True).encode()).hexdigest()
    refused_mark(json.dumps(root), "a forged mark")
    refused_mark(json.dumps({k: v for k, v in json.loads(new).items() if k != "signature"}), "a forged mark")
    refused_mark(json.dumps({**json.loads(old), "number": newer["mark"] + 1}), "a forged mark")
    refused_mark(old, f"mark {older['mark']}, expected mark {newer['mark']}")
    with open(f"{place.data}/state.json", "w", encoding="utf-8") as file:
        file.write(new)
    assert place.prove("--since-last", "--state", "state.json")[2]["mark"] == newer["mark"] + 1


def test_11_bonus_spins():
    gift, player, shard = one("select encode(id, 'hex'), player, shard from wallet.spin_grant order by given_seq desc limit 1")
    seq = one(f"select max(seq) from wallet.journal where outside_id = '\\x{gift}' and kind = 2")[0]
    grant, row = f"id = '\\x{gift}'", f"shard = {shard} and seq = {seq}"
    check(11, f"bonus spins {gift} of player {player}", Tampering("wallet.spin_grant", grant, "used = used - 1"), new=True)
    check(11, f"shard {shard}, seq {seq}", Tampering("wallet.spin_grant", grant, "expires = expires - interval '200 years'"))
    check(11, f"bonus spins {gift} of player {player}", Tampering("wallet.spin_grant", grant, "delete"))
    check(11, f"shard {shard}, seq {seq}", Tampering("wallet.journal", row, "tallies = '{1}'"), new=True)
    check(11, f"shard {shard}, seq {seq}", Tampering("wallet.journal", row, "outside_id = null"))


def test_12_holds():
    hold, shard, seq = one("select encode(id, 'hex'), shard, booked_seq from wallet.hold order by booked desc limit 1")
    of, named = f"id = '\\x{hold}'", f"shard {shard}, seq {seq}"
    check(12, named, Tampering("wallet.hold", of, "currency = 840"), new=True)
    check(12, named, Tampering("wallet.hold", of, "player = player + 1"))
    check(12, named, Tampering("wallet.hold", of, "delete"))


def test_13_nothing_negative():
    shard, seq, player, *_ = last_bet()
    row, named = f"shard = {shard} and seq = {seq}", f"shard {shard}, seq {seq}"
    check(13, named, Tampering("wallet.journal", row, "balance_after = -1"), new=True)
    check(13, named, Tampering("wallet.journal", row, "pending_after = -1"))
    check(13, f"account of player {player}", Tampering("wallet.account", f"player = {player}", "pendings = '{1,1,-5}'"))
    check(13, "PLAYER", Tampering("wallet.house_leg", f"shard = {shard} and account = 'PLAYER'", "amount = amount - 100000000000"))


def test_14_jackpots_of_voids():
    """Whether a void took the jackpots back is in its record."""
    for which, change in (("awards > 0", "awards = 0"), ("awards = 0", "awards = (select c.paid_minor from wallet.claim c where c.player = void.player and c.move = void.round)")):
        shard, seq = one(f"select shard, seq from wallet.void where {which}")
        check(14, f"shard {shard}, seq {seq}", Tampering("wallet.void", f"shard = {shard} and seq = {seq}", change), new=True)


def test_15_card_rounds():
    """Whoever owns the database has no key of the cards: whatever they change in a card round, its secret deals otherwise."""
    player, move, number = one("select player, move, number from cards.round where pool = 2 and won order by number desc limit 1")
    of, named = f"player = {player} and move = {move}", f"set 2, card round {number}"
    flipped = "set_byte({0}, 0, get_byte({0}, 0) # 1)"
    secret = "sha256('a secret of my own'::bytea)"
    check(15, named, Tampering("cards.round", of, f"salt = {flipped.format('salt')}"), new=True)
    check(15, named, Tampering("cards.round", of, f"secret_hash = {flipped.format('secret_hash')}"))
    check(15, named, Tampering("cards.round", of, f"secret = {secret}, secret_hash = sha256({secret})"), new=True)
    check(15, named, Tampering("cards.round", of, "key = key + 1"))
    check(15, named, Tampering("cards.round", of, "suits[1] = suits[1] % 4 + 1"), new=True)
    check(15, named, Tampering("cards.round", of, "positions[1] = positions[2]"))
    check(15, named, Tampering("cards.round", of, "weights = array[0, 0, 0, 0]"))
    check(15, named, Tampering("cards.round", of, "weights = array[(level = 4)::integer, (level = 1)::integer, (level = 2)::integer, (level = 3)::integer]"), new=True)
    check(15, named, Tampering("cards.round", of, "weights = array(select 2 * w from unnest(weights) w)"))  # the same chances, but nobody set them
    check(15, named, Tampering("cards.round", of, f"odds = {flipped.format('odds')}"), new=True)
    check(15, named, Tampering("cards.round", of, "positions = positions[:cardinality(positions) - 1], suits = suits[:cardinality(suits) - 1]"))
    # Hit and round agree with one another on another level; only the deal does not.
    hit = Tampering("cards.hit", of, "level = level % 4 + 1")
    hit.do()
    try:
        check(15, named, Tampering("cards.round", of, "level = level % 4 + 1"))
    finally:
        hit.undo()


def test_15_without_the_key_it_says_so():
    done = subprocess.run([f"{BIN}/jackpotctl", "ledger", "verify", "--json"], cwd=place.data, env={**place.environment, **place.stack, "CARILLON_KEYS": "/nowhere"}, capture_output=True,
                          text=True, timeout=60, check=False)
    report = json.loads(done.stdout)
    assert done.returncode == 0 and not report["cards"]["done"] and "no key of card rounds" in report["cards"]["why_not"], report["cards"]


def test_restored_books_balance():
    assert place.prove()[:2] == (0, {})
    assert place.prove("--since-last", "--state", copy_of_state())[:2] == (0, {})
    assert place.prove("--since-last", "--state", "state.json")[2]["rows"] == 0


def test_the_table():
    """What was forged, by kind, and what the proof said of it."""
    table.show()


if __name__ == "__main__":
    with Ledger() as place:
        try:
            run(*[f for name, f in list(globals().items()) if name.startswith("test_")])
        except SystemExit as status:
            if status.code:
                raise
