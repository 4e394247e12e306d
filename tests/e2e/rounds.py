#!/usr/bin/env python3
"""The search of rounds over all players of an operator, compared with the journal: each filter, pages while more is played, what is open and not seen yet, jackpots,
another operator's rounds, a page's bound on what it reads, and days that are in the archive only; and the list of open rounds."""
import csv
import hashlib
import io
import time
import urllib.parse

from lib_play import GAME, RULES, Person, force, good, operator
from lib_stack import eventually, run
from openapi import Described

place = None
BET = {"coin_minor": 1, "lines": 15, "coins": 1}
LOSS, WIN, FEATURE = RULES.stops(), RULES.stops(win=True, bet=BET), [*RULES.stops(bonuses=3), 0]  # the feature wins a jackpot
OTHER_GAME = "mona-lisa"
SECOND = "a key of the second operator, who looks for rounds"
NOWHERE = 1000  # a shard that no wallet serves
MANY, BIG = 60_000, 10**9  # planted rows, the largest win of them
PLAYERS = {1: (1 << 48) + 7000001, 2: (2 << 48) + 7000002}  # of the planted rows, by operator
PAGE_ROWS = 45_000  # a page reads at most so many rows of the journal, and what its last slice holds


def ask(path, number=1, **query):
    text = urllib.parse.urlencode({name: value for name, value in query.items() if value is not None})
    key = SECOND if number == 2 else None
    return eventually("an answer", lambda: next((a for a in [operator(place, f"{path}?{text}", None, method="GET", number=number, operator_key=key)] if a.status not in (503, 504)), None), 60)


def page(path="/rounds", **query):
    return good(ask(path, **query), f"{path} {query}").json


def walk(path="/rounds", limit=None, between=None, **query):
    """All rows, page by page, and the pages."""
    pages = []
    while not pages or pages[-1]["next_cursor"]:
        assert len(pages) < 500, (path, query, "no end")
        one = page(path, limit=limit, cursor=pages[-1]["next_cursor"] if pages else None, **query)
        full = len(one["rounds"]) == (limit or 50)
        assert len(one["rounds"]) <= (limit or 50) and not (full and "searched_until_us" in one), one
        assert path != "/rounds" or full or ("searched_until_us" in one) == (one["next_cursor"] is not None), one
        pages.append(one)
        if between:
            between()
    return [row for one in pages for row in one["rounds"]], pages


def booked(where="true", operator_number=1):
    """The rounds as the journal has them, newest first."""
    return [row[0] for row in place.sql(f"""select j.shard || '-' || j.seq from wallet.journal j where j.kind = 2 and j.refusal = 0 and j.shard < {NOWHERE} and j.player >> 48 = {operator_number}
        and ({where}) order by j.time desc, j.shard desc, j.seq desc""")]


def same(where, **query):
    """The search finds what the journal has: soon, for it follows the sums."""
    wanted = booked(where)
    eventually(f"the rounds of {query}: {wanted}", lambda: [row["id"] for row in walk(**query)[0]] == wanted, 60)
    return wanted


def round_of(person, number, of_page=None, **fits):
    """The row of a round, once it is as it should be; of the list of all players."""
    def look():
        return next((row for row in walk(**(of_page or {}))[0] if row["player"] == person.name and row["round"] == number and all(row[name] == value for name, value in fits.items())), None)
    return eventually(f"round {number} of {person.name} with {fits}", look, 60)


def play(person, script, collect=True, **bet):
    force(place, person.name, script)
    person.refresh()
    person.bet_through(**{"coin": 1, "lines": 15, "coins": 1, **bet})
    number = person.told[-1]["round"]
    while collect and person.round and not person.round["closed"]:
        person.act("collect")
    return number


# ---- filters ----

def test_what_is_played():
    place.ann, place.ben, place.eve = Person(place, deposit=100000), Person(place, currency="SEK", deposit=100000), Person(place, deposit=100000, game=OTHER_GAME)
    place.ann.rounds = [play(place.ann, LOSS), play(place.ann, WIN), play(place.ann, LOSS, coins=2)]
    place.ben.rounds = [play(place.ben, LOSS, coin=10), play(place.ben, WIN, coin=10)]
    place.eve.bet_through(coin=1, lines=1, coins=1)  # whatever comes of it
    for person in (place.ann, place.ben):
        for number in person.rounds:
            round_of(person, number, open=False)


def test_a_row():
    lost, won, _ = place.ann.rounds
    row = round_of(place.ann, lost)
    account = place.sql(f"select shard from wallet.account where player = {place.ann.id}")[0][0]
    assert row == {**row, "game": GAME, "mode": 0, "bonus_spin": False, "currency": "EUR", "stake_minor": 15, "win_minor": 0, "open": False, "void": False, "jackpot_minor": None, "pool": None}, row
    assert row["id"].startswith(f"{account}-") and abs(row["time_us"] - time.time() * 1e6) < 3600e6, row
    drawn = place.sql(f"select win_balance + win_pending from wallet.journal where player = {place.ann.id} and kind = 2 and round = {won}")
    assert round_of(place.ann, won)["win_minor"] == int(drawn[0][0]) > 0


def test_each_filter():
    everything = same("true")
    assert len(everything) >= 6
    win = "j.win_balance + j.win_pending"
    closed = "not exists (select from engine.game_state s where s.player = j.player and s.round = j.round and s.open_since is not null)"
    largest = int(place.sql(f"select max({win}) from wallet.journal j where currency = 978 and player = {place.ann.id}")[0][0])
    middle = int(place.sql(f"select (extract(epoch from time) * 1000000)::bigint from wallet.journal j where player = {place.ann.id} and kind = 2 and round = {place.ann.rounds[1]}")[0][0])
    game = place.sql(f"select game from wallet.journal where player = {place.ann.id} and kind = 2 limit 1")[0][0]
    at = f"timestamptz 'epoch' + {middle} * interval '1 microsecond'"
    for where, query in (
            (f"player = {place.ann.id}", {"player": place.ann.number}), (f"player = {place.ben.id}", {"player": place.ben.number}), ("false", {"player": 10**9}),
            (f"game = {game}", {"game": GAME}), (f"game <> {game}", {"game": OTHER_GAME}), ("false", {"game": "mystery-elves"}), ("currency = 978", {"currency": "EUR"}), ("currency = 752", {"currency": "SEK"}),
            (f"currency = 978 and {win} >= 1 and {closed}", {"currency": "EUR", "win_minor": 1}), (f"currency = 752 and {win} >= 1 and {closed}", {"currency": "SEK", "win_minor": 1}),
            (f"currency = 978 and {win} >= {largest} and {closed}", {"currency": "EUR", "win_minor": largest}), ("false", {"currency": "EUR", "win_minor": 10**12}),
            (f"round = {place.ann.rounds[0]}", {"round": place.ann.rounds[0]}), (f"round = {place.ann.rounds[2]}", {"round": place.ann.rounds[2]}), ("false", {"round": 10**9}),
            (f"time >= {at}", {"from_us": middle}), (f"time <= {at}", {"to_us": middle}), (f"time = {at}", {"from_us": middle, "to_us": middle}), ("false", {"to_us": 1}),
            ("false", {"from_us": (int(time.time()) + 3600) * 10**6})):
        for more in ({}, {"player": place.ann.number}):
            if more:
                where = f"({where}) and player = {place.ann.id}" if "player" not in query else where
            same(where, **{**more, **query})
            same(where, limit=1, **{**more, **query})
    same(f"player = {place.ann.id} and game = {game} and {win} >= {largest} and round = {place.ann.rounds[1]} and time = {at}",
         player=place.ann.number, game=GAME, currency="EUR", win_minor=largest, round=place.ann.rounds[1], from_us=middle, to_us=middle)
    assert same("currency = 978 and round = 0", player=place.ben.number, currency="EUR") == []


def test_by_id():
    for row in walk()[0]:
        only = page(id=row["id"])
        assert [{**one, "win_minor": row["win_minor"], "open": row["open"]} for one in only["rounds"]] == [row] and only["next_cursor"] is None, (row, only)
        first = page(id=row["id"], limit=1)
        assert page(id=row["id"], limit=1, cursor=first["next_cursor"])["rounds"] == []
    shard = place.sql(f"select shard from wallet.account where player = {place.ann.id}")[0][0]
    for none in ("0-999999999", "99-1", f"{shard}-1"):  # the last one is the opening of an account
        assert page(id=none)["rounds"] == [], none


def test_bad_questions():
    for query, where in (({"id": "x"}, "id"), ({"id": "1-0"}, "id"), ({"id": "-1-1"}, "id"), ({"id": "1-1", "game": GAME}, "game"), ({"player": 0}, "player"), ({"player": "1-17"}, "player"), ({"player": 2**48}, "player"),
                         ({"game": "chess"}, "game"), ({"currency": "XXX"}, "currency"), ({"win_minor": 1}, "currency"), ({"win_minor": 0, "currency": "EUR"}, "win_minor"), ({"jackpot": "yes"}, "jackpot"),
                         ({"round": 0}, "round"), ({"from_us": -1}, "from_us"), ({"to_us": "now"}, "to_us"), ({"limit": 201}, "limit"), ({"limit": 0}, "limit"), ({"cursor": "x"}, "cursor"), ({"wins": 1}, "query"), ({"format": "xml"}, "format")):
        answer = ask("/rounds", **query)
        assert answer.status == 400 and answer.error["where"] == where and answer.error["expected"], (query, answer)
    cursor = page(limit=1)["next_cursor"]
    assert ask("/rounds", limit=1, cursor=cursor, game=GAME).error["where"] == "cursor"
    assert ask("/unfinished/rounds", player=1).error["where"] == "query"


def test_as_a_table():
    def told():
        table = list(csv.DictReader(io.StringIO(good(ask("/rounds", format="csv", player=place.ann.number), "a table").raw.decode())))
        rows = page(player=place.ann.number)["rounds"]
        assert list(table[0]) == list(rows[0]), (table[0], rows[0])
        return [line["id"] for line in table] == [row["id"] for row in rows] and [line["win_minor"] for line in table] == [str(row["win_minor"]) for row in rows]
    eventually("the same rows as a table", told, 60)


# ---- while more is played ----

def test_pages_while_more_is_played():
    """Each round that was there at the beginning is seen once, and nothing twice."""
    person = Person(place, deposit=100000)
    for query in ({}, {"player": person.number}, {"game": GAME}):
        play(person, LOSS)
        before = same({"player": f"player = {person.id}", "game": "game = (select number from carillon.game where id = 'bewitched' order by first_seen desc limit 1)"}.get(next(iter(query), ""), "true"), **query)
        left = iter(range(4))
        seen = [row["id"] for row in walk(limit=1, between=lambda n=left: next(n, None) is not None and play(person, LOSS), **query)[0]]
        assert len(set(seen)) == len(seen) and not set(before) - set(seen), (query, before, seen)
        assert [one for one in seen if one in before] == before, (query, before, seen)


def test_what_is_open_tells_no_win():
    """And is a row of the open rounds, until it is finished."""
    assert page("/unfinished/rounds", limit=1)["rounds"] == walk("/unfinished/rounds")[0][:1]
    people = place.open = [Person(place, deposit=100000) for _ in range(3)]
    for person in people:
        person.number_of = play(person, FEATURE, collect=False)
        assert not person.round["closed"]
    for person in people:
        row = round_of(person, person.number_of, open=True)
        assert row["win_minor"] is None and row["stake_minor"] == 15, row

        def told(p=person):
            return next((r for r in walk("/unfinished/rounds", limit=1)[0] if r["player"] == p.name and r["stake_minor"] is not None), None)
        row = eventually("the open round", told, 60)
        pending = int(place.sql(f"select pending_after from wallet.journal where player = {person.id} and kind = 2 order by seq desc limit 1")[0][0])
        assert row == {**row, "round": person.number_of, "game": GAME, "currency": "EUR", "stake_minor": 15, "pending_minor": pending} and abs(row["since_us"] - time.time() * 1e6) < 3600e6, row
    rows = walk("/unfinished/rounds")[0]
    assert [r["since_us"] for r in rows] == sorted(r["since_us"] for r in rows) and len({(r["player"], r["game"]) for r in rows}) == len(rows), rows
    assert people[0].name not in [r["player"] for r in walk(win_minor=1, currency="EUR")[0]]
    assert people[0].name not in [r["player"] for r in walk(jackpot="true")[0]]


def test_jackpots():
    """Each with its round, once that is closed."""
    one = place.open[0]
    one.refresh()
    one.watch()
    one.awarded()
    while one.round and not one.round["closed"]:
        one.act("collect")
    paid = int(place.sql(f"select amount from wallet.journal where kind = 24 and player = {one.id}")[0][0])
    row = round_of(one, one.number_of, {"jackpot": "true"})
    assert row == {**row, "id": None, "game": GAME, "mode": None, "stake_minor": None, "win_minor": None, "bonus_spin": None, "open": False, "void": False, "jackpot_minor": paid, "currency": "EUR"} and row["pool"] > 0, row
    for query, there in (({"player": one.number}, True), ({"player": place.ann.number}, False), ({"game": GAME}, True), ({"game": OTHER_GAME}, False), ({"currency": "EUR", "win_minor": paid}, True),
                         ({"currency": "EUR", "win_minor": paid + 1}, False), ({"currency": "SEK"}, False), ({"round": one.number_of}, True), ({"round": one.number_of + 1}, False),
                         ({"from_us": row["time_us"], "to_us": row["time_us"]}, True), ({"from_us": row["time_us"] + 1}, False), ({"to_us": row["time_us"] - 1}, False)):
        for limit in (None, 1):
            assert [r["round"] for r in walk(jackpot="true", limit=limit, **query)[0]] == there * [one.number_of], (query, limit)
    names = [r["player"] for r in walk(jackpot="true")[0]]
    assert place.open[1].name not in names and place.open[2].name not in names, names
    assert round_of(one, one.number_of, open=False)["win_minor"] is not None
    eventually("the end of the open round", lambda: one.name not in [r["player"] for r in walk("/unfinished/rounds")[0]], 60)


def test_a_void_is_told():
    number = play(place.ann, LOSS)
    round_of(place.ann, number, void=False)
    eventually("the void", lambda: operator(place, f"/players/{place.ann.number}/voids", {"game": GAME, "round": number, "reason": "a test"}, "a-void").status == 200, 60)
    round_of(place.ann, number, void=True)
    round_of(place.ann, number, {"player": place.ann.number}, void=True)


# ---- many rows, of two operators ----

def plant():
    """Rows of a day before, of one shard: busy minutes. Every 1000th is of operator 2; the first one wins much, and ended that day."""
    place.day = place.sql("select (now() at time zone 'UTC')::date - 3")[0][0]
    place.leaf = f"wallet.{place.sql(f'''select wallet.leaf_name({NOWHERE}, '{place.day}')''')[0][0]}"
    begin = f"date '{place.day}'::timestamp at time zone 'UTC' + interval '10 hours'"
    player = f"case when n % 1000 = 0 then {PLAYERS[2]} else {PLAYERS[1]} end"
    for text in (
            f"select wallet.leaves_make({NOWHERE}, '{place.day}', 0)",
            f"insert into wallet.leaf (shard, day, first_seq, first_batch, before) values ({NOWHERE}, '{place.day}', 1, 1, '\\x00')",
            f"insert into gateway.rollup_at (shard, seq) values ({NOWHERE}, {MANY})",
            f"""insert into wallet.journal (shard, seq, player, kind, move, round, game, mode, refusal, currency, release, stake, win_balance, win_pending, forfeit, amount, balance_after, pending_after,
                prev_seq, prev_day, claims, tallies, time, day) select {NOWHERE}, n, {player}, 2, n, n, 1, 0, 0, 978, 0, 15, case when n = 1 then {BIG} else 0 end, 0, 0, 0, 0, 0,
                case when n % 1000 = 0 then greatest(n - 1000, 0) when n > 1 then n - 1 - (n % 1000 = 1)::integer else 0 end, '{place.day}', 0, '{{}}', {begin} + n * interval '30 milliseconds', '{place.day}'
                from generate_series(1, {MANY}) n""",
            *(f"insert into engine.game_state (player, game, shard, move, version, round, state) values ({one}, 1, {NOWHERE}, {MANY + 1}, 1, {MANY + 1}, '')" for one in PLAYERS.values()),
            *(f"""insert into wallet.account (player, shard, currency, balance, last_move, last_seq, last_day, blocked, pendings, opened)
                values ({one}, {NOWHERE}, 978, 0, {MANY}, {MANY - (1 if number == 1 else 0)}, '{place.day}', false, '{{}}', '{place.day}')""" for number, one in PLAYERS.items()),
            f"analyze {place.leaf}",
            f"select gateway.rollup_rows('{place.leaf}', {NOWHERE}, '{place.day}', 1, {MANY})"):
        place.sql(text, writer=True)


def uproot():
    for text in (f"drop table if exists wallet.journal_{NOWHERE}", *(f"delete from {table} where shard = {NOWHERE}" for table in ("wallet.leaf", "wallet.account", "engine.game_state", "gateway.rollup_at",
                 "gateway.rollup_minute", "gateway.rollup_quarter", "gateway.rollup_tally", "gateway.rollup_player", "gateway.rollup_notable"))):
        place.sql(text, writer=True)


def rows_read():
    """Of the planted rows, as far as the backends have reported: from the index, and by scans of all."""
    return [int(n) for n in place.sql(f"""select (select coalesce(sum(idx_tup_read), 0) from pg_stat_all_indexes i where i.relid = '{place.leaf}'::regclass), seq_tup_read
        from pg_stat_all_tables where relid = '{place.leaf}'::regclass""")[0]]


def planted(rows, number=1):
    return [int(row["id"].split("-")[1]) for row in rows if row["id"] and row["id"].startswith(f"{NOWHERE}-") and row["player"] == f"{number}-{PLAYERS[number] & (2**48 - 1)}"]


def test_a_page_reads_so_much():
    """However much there is, a page reads no more than its bound, says how far it has looked, and the next one goes on there."""
    plant()
    eventually("a page", lambda: ask("/rounds").status == 200, 60)
    before, scanned = rows_read()
    rows, pages = walk(round=MANY + 2)
    assert rows == [] and len(pages) > 1, len(pages)
    times = [one["searched_until_us"] for one in pages[:-1]]
    assert times == sorted(times, reverse=True) and len(set(times)) == len(times) and "searched_until_us" not in pages[-1], times
    read = rows_read()
    assert read[0] - before < PAGE_ROWS * len(pages) and read[1] == scanned, (read, before, scanned, len(pages))


def test_all_of_many_rows():
    begin = int(place.sql(f"select extract(epoch from time) * 1000000 from {place.leaf} where shard = {NOWHERE} and seq = 1")[0][0].split(".")[0])
    rows, pages = walk(limit=200, to_us=begin + 5 * 60 * 10**6)
    assert planted(rows) == [n for n in range(10001, 0, -1) if n % 1000] and len(rows) == len(planted(rows)), (len(rows), len(pages))
    assert all(row["win_minor"] == (BIG if row["round"] == 1 else 0) and not row["open"] for row in rows)


def test_a_win_among_many():
    """Quarters and minutes whose sums rule it out are not looked at."""
    rows, pages = walk(currency="EUR", win_minor=BIG)
    assert planted(rows) == [1] and len(pages) == 1, pages
    assert walk(currency="EUR", win_minor=BIG + 1)[0] == []


def test_a_player_of_many_rounds():
    rows, pages = walk(player=PLAYERS[1] & (2**48 - 1), currency="EUR", win_minor=BIG)
    assert planted(rows) == [1] and 5 < len(pages) < 50, len(pages)
    assert planted(walk(player=PLAYERS[1] & (2**48 - 1), limit=200, round=2)[0]) == [2]


def test_another_operator():
    """Finds its own players' rounds, and nobody else's, whatever it asks."""
    place.sql(f"insert into gateway.operator_key (operator, digest) values (2, '\\x{hashlib.sha256(SECOND.encode()).hexdigest()}')", writer=True)
    eventually("the key", lambda: operator(place, "/rounds", None, method="GET", operator_key=SECOND, number=2).status == 200, 60)
    own = list(range(MANY, 0, -1000))
    assert planted(walk(number=2, limit=7)[0], 2) == own and len(walk(number=2)[0]) == len(own)
    assert planted(walk(number=2, player=PLAYERS[2] & (2**48 - 1))[0], 2) == own
    for query in ({"player": place.ann.number}, {"player": PLAYERS[1] & (2**48 - 1)}, {"round": place.ann.rounds[0]}, {"currency": "EUR", "win_minor": 1}, {"jackpot": "true"}, {"id": f"{NOWHERE}-1"}, {"id": booked()[0]}):
        assert walk(number=2, **query)[0] == [], query
    assert page(number=2, id=f"{NOWHERE}-1000")["rounds"] and page(id=f"{NOWHERE}-1000")["rounds"] == []
    assert walk("/unfinished/rounds", number=2)[0] == [] and walk("/unfinished/rounds")[0]
    assert operator(place, "/rounds", None, method="GET", number=2).error["code"] == operator(place, "/unfinished/rounds", None, method="GET", number=2).error["code"] == "other_operator"


def test_archived_days():
    """What is in the archive only is not found, and the answer says so."""
    place.sql(f"update wallet.leaf set state = 'dropped', last_seq = {MANY}, rows = {MANY}, archive = 'none', dropped = now() where shard = {NOWHERE}", writer=True)
    began = int(place.sql(f"select extract(epoch from date '{place.day}' + 1)")[0][0]) * 10**6
    for query, archived in (({}, True), ({"player": PLAYERS[1] & (2**48 - 1)}, True), ({"id": f"{NOWHERE}-2"}, True), ({"from_us": began}, False), ({"to_us": began - 86400 * 10**6 - 1}, False), ({"player": place.ann.number}, False),
                            ({"win_minor": 1, "currency": "EUR"}, True)):
        rows, pages = walk(**query)
        assert planted(rows) == [] and [one.get("archived", False) for one in pages] == [False] * (len(pages) - 1) + [archived], (query, pages)
    place.sql(f"drop table {place.leaf}", writer=True)
    assert walk()[1][-1]["archived"] and page(id=f"{NOWHERE}-2")["archived"] and walk(player=PLAYERS[1] & (2**48 - 1))[1][-1]["archived"]


if __name__ == "__main__":
    with Described("rounds", kafka=False) as place:
        try:
            run(*[test for name, test in list(globals().items()) if name.startswith("test_")])
        finally:
            uproot()
