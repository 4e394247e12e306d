#!/usr/bin/env python3
"""Series and reports against the journal, added up here a second time: while the gateway is killed, over days that end, are sealed, signed, exported, archived
and dropped; gaming days over changes of the clocks. The installation lives in another month, so that its days can end when the test wants it."""
import csv
import datetime
import hashlib
import io
import json
import os
import subprocess
import threading

from lib_dated import Dated
from lib_patience import time_out
from lib_sql import Session
from lib_play import RULES, Person, force, operator
from lib_stack import BIN, eventually, read_text, run

UTC = datetime.timezone.utc
FIRST = datetime.datetime(2027, 3, 30, 12, 7, tzinfo=UTC)  # its month ends a day later
BASE = "/v1/operators/1"
CODES = {"EUR": 978}
place = None
sealed = None  # the first day's report, to the byte


def get(path, status=200, headers=None):
    answer = place.http("GET", BASE + path, token=place.operator_key(), headers=headers)
    assert answer.status == status, (path, answer)
    return answer


def rows():
    """Accepted rows of the journal, of dropped days too where the test kept them."""
    names = "shard seq player kind game mode refusal currency release stake win_balance win_pending forfeit amount pending_after us bonus".split()
    found = place.sql("""select shard, seq, player, kind, game, mode, refusal, currency, release, stake, win_balance, win_pending, forfeit, amount, pending_after,
        (extract(epoch from time) * 1000000)::bigint, (outside_id is not null)::integer from wallet.journal order by shard, seq""")
    return [dict(zip(names, map(int, row))) for row in found]


def counted():
    """All rows are there, those of awards and withdrawals that were on their way too, and in the sums."""
    eventually("awards and withdrawals", lambda: place.sql("""select (select count(*) from wallet.claim where closed_seq is null)
        + (select count(*) from wallet.hold where kind = 28 and settled_kind = 0)""") == [["0"]], 20)
    eventually("the sums", lambda: place.sql("""select count(*) from (select distinct on (shard) shard, last_seq from wallet.batch order by shard, batch desc) b
        left join gateway.rollup_at a using (shard) where a.seq is distinct from b.last_seq""") == [["0"]], 15)


def totals(of, currency):
    """What a report says of a currency, from rows."""
    of = [r for r in of if r["currency"] == CODES[currency]]
    good = [r for r in of if r["refusal"] == 0]
    bets, moves, voids = ([r for r in good if r["kind"] in kinds] for kinds in ((2,), (2, 3, 4, 5, 6), (7,)))
    total = lambda part, *names: sum(r[name] for r in part for name in names)  # noqa: E731
    kind = lambda *kinds: total([r for r in good if r["kind"] in kinds], "amount")  # noqa: E731
    return {
        "players": len({r["player"] for r in bets}), "rounds": len(bets), "bonus_rounds": total(bets, "bonus"),
        "refused": len([r for r in of if r["kind"] == 2 and r["refusal"]]), "stakes_minor": total(bets, "stake"),
        "wins_minor": total(moves, "win_balance", "win_pending") - total(moves, "forfeit"),
        "bonus_wins_minor": total([r for r in bets if r["bonus"]], "win_balance", "win_pending"),
        "jackpots": len([r for r in good if r["kind"] == 24]), "jackpots_paid_minor": kind(24), "voids": len(voids),
        "voided_minor": total(voids, "stake", "forfeit", "amount") - total(voids, "win_balance", "win_pending"),
        "deposits_minor": kind(20), "paid_out_minor": kind(29) - kind(21), "corrections_minor": kind(22), "grants_minor": kind(23, 31),
    }


def fits(report, of):
    """The report's totals, and those of its games, are those of the rows."""
    for line in report["totals"]:
        found = {name: line[name] for name in totals(of, line["currency"])}
        assert found == totals(of, line["currency"]), (line, totals(of, line["currency"]))
        contributions = int(line["contributions_nano"])
        ggr = (line["stakes_minor"] - line["wins_minor"] + line["bonus_wins_minor"]) * 10**9 - contributions
        assert line["ggr_minor"] == ggr // 10**9, line
        ngr = ggr - (line["bonus_costs_minor"] - line["adjustments_minor"]) * 10**9
        assert line["ngr_minor"] == ngr // 10**9 and line["bonus_costs_minor"] == line["bonus_wins_minor"] + line["grants_minor"], line
    assert {line["currency"] for line in report["totals"]} == {c for c, n in CODES.items() if n in {r["currency"] for r in of}}
    for name in ("rounds", "stakes_minor", "wins_minor", "jackpots", "jackpots_paid_minor", "voids"):
        assert sum(line[name] for line in report["games"]) == sum(line[name] for line in report["totals"]), name
    pending = {}
    for r in of:
        if r["kind"] in range(2, 8) and r["refusal"] == 0:
            pending[r["player"], r["game"]] = r["pending_after"]
    assert sum(line["pending_minor"] for line in report["unfinished"]) == sum(pending.values()), (report["unfinished"], pending)
    assert sum(line["rounds"] for line in report["unfinished"]) == sum(n > 0 for n in pending.values())


def jackpotctl(*words, status=0):
    done = subprocess.run([f"{BIN}/jackpotctl", *words], cwd=place.data, env={**place.environment, **place.stack}, capture_output=True, text=True, timeout=time_out(30), check=False)
    assert done.returncode == status, (words, done.returncode, done.stdout[-2000:], done.stderr[-2000:])
    return done.stdout + done.stderr


def again_at(moment):
    """Everything anew, at another time."""
    place.stop()
    place.set_clock(moment.timestamp())
    place.start()


def test_sums_are_the_journal_while_gateways_die():
    """Two at once add up, one of them is killed: each row counts once."""
    players = place.players(players=15, seconds=300, first_player=5001, gamble=1, subscribers=0)
    end, session = threading.Event(), Session(place.stack["CARILLON_PG_DSN"])

    def other():
        while not end.is_set():
            session.ask("select gateway.rollup_steps(50)")

    rival = threading.Thread(target=other)
    rival.start()
    try:
        for _ in range(2):
            booked = players.settled()
            eventually("further bets", lambda booked=booked: players.settled() > booked + 200, 20)
            before = place.pid("gateway-1")
            place.kill("gateway-1")
            eventually("the gateway", lambda: place.pid("gateway-1") not in (0, before), 20)
        players.finish()
    finally:
        end.set()
        rival.join()
        session.end()
    person = Person(place, deposit=10000)
    force(place, person.name, RULES.stops(), RULES.stops(), RULES.stops(win=True, bet={"coin_minor": 2, "lines": 5, "coins": 1}))
    for coin in (1, 2):
        person.bet_through(coin, 5)
    won = person.bet_through(2, 5).json["round"]["round"]
    person.operator("corrections", {"amount_minor": 125, "currency": "EUR", "reason": "=a rounding"})
    grant = person.operator("grants", {"amount_minor": 300, "currency": "EUR", "reason": "a gift"}).json["id"]
    person.operator(f"grants/{grant}/back", {"amount_minor": 100, "currency": "EUR", "reason": "too much"})
    person.operator("withdrawals", {"amount_minor": 50, "currency": "EUR"})
    person.operator("voids", {"game": "bewitched", "round": won, "reason": "a reel was stuck"}, status=200)
    counted()
    assert "the sums of 0 differed" in jackpotctl("rollups", "verify")
    fits(get(f"/reports/day/{FIRST.date()}").json, rows())


def test_series_by_pages():
    of = [r for r in rows() if r["kind"] == 2 and r["refusal"] == 0]
    hour = int(FIRST.replace(minute=0).timestamp()) * 1000000
    for step, us in (("minute", 60 * 10**6), ("hour", 3600 * 10**6)):
        points, start, pages = [], hour, 0
        while start is not None:
            answer = get(f"/series?step={step}&from_us={start}&to_us={hour + 7200 * 10**6}&limit=7&by=game&currency=EUR")
            points += answer.json["points"]
            start, pages = answer.json["next_us"], pages + 1
        assert pages == (18 if step == "minute" else 1), pages
        expected = {}
        for r in of:
            key = r["us"] // us * us
            expected[key] = expected.get(key, 0) + r["stake"]
        found = {}
        for point in points:
            found[point["time_us"]] = found.get(point["time_us"], 0) + point["stakes_minor"]
        assert found == expected, (step, found, expected)
    day = get(f"/series?step=day&from_us={hour}").json["points"]
    assert [p["players"] for p in day if p["currency"] == "EUR"] == [len({r["player"] for r in of})], day
    text = get(f"/series?step=hour&from_us={hour}&format=csv")
    table = list(csv.DictReader(io.StringIO(text.raw.decode())))
    assert text.headers["Content-Type"].startswith("text/csv") and sum(int(r["rounds"]) for r in table) == len(of), table
    kept = get(f"/series?from_us={hour}&to_us={hour + 1}").headers
    tag = kept["ETag"]
    assert kept["Cache-Control"] == "no-store", kept["Cache-Control"]
    get(f"/series?from_us={hour}&to_us={hour + 1}", 304, {"If-None-Match": tag})
    for wrong in ("step=week", "by=player", "from_us=-1", "from_us=5&to_us=4", "limit=2001", "game=chess", "currency=XXX", "format=pdf", "steps=1"):
        assert get(f"/series?{wrong}", 400).error["message"], wrong


def test_returns_by_stake():
    """Bets that players paid for, by game, mode, currency and stake, against the journal; and the same as the game's route tells it."""
    counted()
    expected = sorted(place.sql("""select player >> 48, game, mode, currency, stake, count(*), sum(win_balance + win_pending) from wallet.journal
        where kind = 2 and refusal = 0 and outside_id is null group by 1, 2, 3, 4, 5"""))
    assert expected and sorted(place.sql("select operator, game, mode, currency, stake, sum(rounds), sum(drawn) from gateway.rollup_stake group by 1, 2, 3, 4, 5", writer=True)) == expected
    number, first = place.sql("select number from carillon.game where id = 'bewitched'")[0][0], int(FIRST.replace(hour=0, minute=0).timestamp()) * 10**6
    found = get(f"/games/bewitched?from_us={first}&to_us={first + 86400 * 10**6 - 1}").json
    told = sorted([str(r["stake_minor"]), str(r["rounds"]), str(r["drawn_minor"])] for r in found["by_stake"] if r["currency"] == "EUR")
    assert told == sorted(row[4:] for row in expected if row[0] == "1" and row[1] == number and row[3] == "978"), (told, expected)
    for name in ("rounds", "stakes_minor", "drawn_minor"):
        assert sum(r[name] for r in found["by_stake"]) == sum(r[name] for r in found["returns"]), (name, found)
    for wrong in ("from_us=5&to_us=4", "from_us=x", "by=stake"):
        get(f"/games/bewitched?{wrong}", 400)
    get("/games/chess", 404)


def test_reports_as_they_grow():
    day = FIRST.date()
    report = get(f"/reports/day/{day}").json
    assert report["state"] == "provisional" and report["first_day"] == report["last_day"] == str(day)
    assert report["to_us"] - report["from_us"] == 86400 * 10**6
    assert {"correction", "grant", "grant_back"} <= {r["what"] for r in report["adjustments"]}, report["adjustments"]
    correction = [r for r in report["adjustments"] if r["what"] == "correction"][0]
    assert correction["actor"] == "operator-1" and correction["reason"] == "=a rounding" and correction["amount_minor"] == 125, correction
    assert sum(h["amount_minor"] for h in report["hits"]) == sum(t["jackpots_paid_minor"] for t in report["totals"]) == sum(p["paid_minor"] for p in report["jackpots"])
    for period in ("month", "year", "life"):
        longer = get(f"/reports/{period}/{day}").json
        for name in ("rounds", "stakes_minor", "ngr_minor", "contributions_nano"):
            assert longer["totals"][0][name] == report["totals"][0][name], (period, name)
    for name in ("totals", "games", "returns", "jackpots", "unfinished", "hits", "large_wins", "adjustments"):
        table = list(csv.reader(io.StringIO(get(f"/reports/day/{day}?format=csv&list={name}").raw.decode())))
        assert len(table) == (len(report[name]) + 1 if report[name] else 0), (name, table)
        assert not table or table[0] == list(report[name][0]), name
    assert "'=a rounding" in get(f"/reports/day/{day}?format=csv&list=adjustments").raw.decode()  # no formula in a spreadsheet
    get(f"/reports/day/{day + datetime.timedelta(days=1)}", 404)
    for wrong in ("week/2027-03-01", "day/2027-02-29", "day/x"):
        get(f"/reports/{wrong}", 400)
    assert get("/reports").json["reports"] == []
    assert "Report of operator 1, day: " in jackpotctl("report", "day", "--day", str(day))
    assert json.loads(jackpotctl("report", "day", "--day", str(day), "--json"))["totals"] == report["totals"]


def test_a_list_that_is_cut():
    """It says how many entries there are, and its pages have all of them, each once."""
    n, path = 10_050, "/reports/day/2027-03-10"
    place.sql(f"""insert into gateway.rollup_notable (shard, seq, day, operator, time, player, kind, game, round, currency, pool, stake, win, amount, note)
        select 1000, n, '2027-03-10', 1, timestamptz '2027-03-10 00:00:00+00' + n / 3 * interval '1 second', (1::bigint << 48) + 1, 24, 1, n, 978, 1, 0, 0, 100, '' from generate_series(1, {n}) n""", writer=True)
    try:
        report = get(path).json
        assert report["truncated"] == [{"list": "hits", "shown": 10000, "entries": n}] and len(report["hits"]) == 10000, report["truncated"]
        pages = [get(f"{path}?format=csv&list=hits{more}") for more in ("", "&page=2", "&page=3")]
        assert [page.headers["X-Next-Page"] for page in pages] == ["2", None, None]
        tables = [list(csv.DictReader(io.StringIO(page.raw.decode()))) for page in pages]
        assert [len(table) for table in tables] == [10000, n - 10000, 0]
        assert [int(row["seq"]) for table in tables for row in table] == list(range(1, n + 1))
        for wrong in ("page=2", "format=csv&list=totals&page=2", "format=csv&list=hits&page=0"):
            assert get(f"{path}?{wrong}", 400).error["where"] == "page", wrong
        assert get(f"{path}?format=csv&list=adjustments&page=2").raw == b"" and get(f"/reports/day/{FIRST.date()}").json["truncated"] == []
        printed = jackpotctl("report", "day", "--day", "2027-03-10", "--csv", "hits")
        assert printed.splitlines() == [line for i, page in enumerate(pages) for line in page.raw.decode().splitlines()[min(i, 1):]]
        assert "Jackpots paid: 10000 of 10050; report day --csv hits has all\n" in jackpotctl("report", "day", "--day", "2027-03-10")
        place.sql("delete from gateway.rollup_notable where shard = 1000 and seq > 10000", writer=True)
        assert get(path).json["truncated"] == [] and get(f"{path}?format=csv&list=hits&page=2").raw == b""
    finally:
        place.sql("delete from gateway.rollup_notable where shard = 1000", writer=True)


def unfinished_is_the_sum():
    """What is added up since the last sealed day is what all quarters of an hour add up to, at each of them."""
    summed = """select coalesce(json_agg(json_build_object('game', coalesce((select g.id from carillon.game g where g.number = q.game order by g.first_seen desc limit 1), q.game::text),
        'currency', q.currency::text, 'rounds', opened, 'pending_minor', pending) order by q.game, q.currency), '[]')
        from (select game, currency, sum(opened) as opened, sum(pending) as pending from gateway.rollup_quarter where operator = 1 and time < t
            group by 1, 2 having sum(opened) <> 0 or sum(pending) <> 0) q"""
    wrong, seen = place.sql(f"""select count(*) filter (where gateway.report_unfinished(1, t, '{{}}')::text <> ({summed})::text), count(*) filter (where ({summed})::text <> '[]')
        from generate_series(timestamptz '2027-03-30 00:00+00', '2027-04-03 00:00+00', '15 minutes') t""", writer=True)[0]
    assert wrong == "0" and int(seen) > 0, (wrong, seen)


def kept_days():
    return [row[0] for row in place.sql("select distinct (ends at time zone 'UTC')::date::text from gateway.unfinished_kept where operator = 1 order by 1", writer=True)]


def test_contributions_are_the_tallies():
    """Of progressives: what their tallies have counted, at their share."""
    expected = {pool: int(nano) for pool, nano in place.sql("""select t.pool, sum(stake::numeric * t.ppm * 1000) from wallet.journal j, unnest(j.tallies) y
        join pool.tally t on t.id = y where j.refusal = 0 and t.pool in (select pool from pool.pool) group by 1""")}
    report = get(f"/reports/life/{FIRST.date()}").json
    found = {}
    for line in report["jackpots"]:
        found[str(line["pool"])] = found.get(str(line["pool"]), 0) + int(line["contributions_nano"])
    assert expected and {pool: found[pool] for pool in expected} == expected, (found, expected)


def test_a_day_that_is_over_is_sealed_and_signed():
    """Its bytes stay, whatever is played, killed or counted again."""
    global sealed
    leaves = Person(place, deposit=10000)
    force(place, leaves.name, RULES.stops(win=True, bet={"coin_minor": 1, "lines": 1, "coins": 1}))
    assert leaves.bet_through(1, 1).json["round"]["next"] == "gamble", "a win that is not collected"
    counted()
    of, seal = rows(), lambda: get("/reports").json["reports"]
    again_at(FIRST + datetime.timedelta(days=2))
    listed = eventually("two sealed days", lambda: [r for r in seal() if r["signature"]] if len(seal()) == 2 else None, 30)
    assert [r["day"] for r in listed] == ["2027-03-31", "2027-03-30"], listed
    answer = get("/reports/day/2027-03-30")
    sealed = answer.raw
    assert answer.json["state"] == "sealed" and answer.headers["X-Report-Signature"] == listed[1]["signature"]
    assert hashlib.sha256(sealed).hexdigest() == listed[1]["digest"]
    fits(answer.json, of)
    assert kept_days() == ["2027-03-31", "2027-04-01"]
    unfinished_is_the_sum()
    assert [r["day"] for r in get("/reports?period=month").json["reports"]] == ["2027-03-01"]
    assert get("/reports/month/2027-03-15").json["totals"][0]["stakes_minor"] == answer.json["totals"][0]["stakes_minor"]
    place.players(players=8, seconds=2, first_player=6001, subscribers=0).finish(stop=False)
    place.kill("gateway-1")
    eventually("the same bytes", lambda: get("/reports/day/2027-03-30").raw == sealed, 20)


def test_reports_in_a_folder():
    folder = f"{place.data}/reports"
    for _ in range(2):
        assert "4 reports" in jackpotctl("report", "export", "--folder", folder)
    names = sorted(os.listdir(f"{folder}/1"))
    assert [n for n in names if n.endswith(".json")] == ["day-2027-03-30.json", "day-2027-03-31.json", "life-2027-03-31.json", "month-2027-03-01.json"], names
    path = f"{folder}/1/day-2027-03-30.json"
    assert read_text(path).encode() == sealed
    assert "<table>" in read_text(path.replace(".json", ".html")) and read_text(path.replace(".json", ".csv")).startswith("game,currency,")
    key = f"{place.data}/report.pub"
    for good, text in ((True, read_text(path.replace(".json", ".sig")).split()[1]), (False, "ab" * 32)):
        with open(key, "w", encoding="utf-8") as file:
            file.write(text + "\n")
        jackpotctl("report", "verify", path, "--public-key", key, status=0 if good else 1)
    with open(path, "w", encoding="utf-8") as file:
        file.write(sealed.decode().replace('"rounds" : ', '"rounds" : 1', 1))
    assert "differs from the signed report" in jackpotctl("report", "verify", path, status=1)
    assert "was not changed" in jackpotctl("report", "export", "--folder", folder, status=1)


def test_sums_are_made_again_from_the_archive():
    """A day that was dropped is counted from its file; sums that somebody changed are found and mended."""
    eventually("closed days", lambda: place.sql("select count(*) from wallet.leaf where day = '2027-03-30' and state = 'open'") == [["0"]], 30)
    archive = f"{place.data}/archive"
    jackpotctl("ledger", "close", "--archive", archive, "--retain", "1")
    assert place.sql("select distinct state from wallet.leaf where day = '2027-03-30'") == [["dropped"]]
    counted()
    assert "the sums of 0 differed" in jackpotctl("rollups", "verify")
    before = place.sql("select gateway.rollup_digest(shard, day) from wallet.leaf order by shard, day", writer=True)
    place.sql("update gateway.rollup_quarter set wins = wins - 1 where day = '2027-03-30'; delete from gateway.rollup_player", writer=True)
    assert "differed, those of 0 could" in jackpotctl("rollups", "verify", status=1)
    told = json.loads(jackpotctl("rollups", "verify", "--json", status=1))
    assert told["failed"] == 0 and not told["rebuilt"] and "2027-03-30" in [one["day"] for one in told["differing"]], told
    assert "were computed again" in jackpotctl("rollups", "rebuild")
    assert place.sql("select gateway.rollup_digest(shard, day) from wallet.leaf order by shard, day", writer=True) == before
    assert get("/reports/day/2027-03-30").raw == sealed
    assert kept_days() == [], "what was kept of sums that were mended"
    unfinished_is_the_sum()
    place.verify()


def test_days_begin_where_the_operator_says():
    body = {"zone": "Europe/Stockholm", "start_hour": 6, "from_day": "2027-04-03", "reason": "our offices"}
    answer = operator(place, "/gaming-day", body)
    assert answer.status == 200 and answer.json["zone"] == "Europe/Stockholm", answer
    for wrong in ({"zone": "Mars/Olympus"}, {"from_day": "2027-04-01"}, {"from_day": "2027-02-30"}, {"start_hour": 24}, {"from_day": "2027-04-02"}):
        assert operator(place, "/gaming-day", {**body, **wrong}).status == 400, wrong
    audit = get("/audit?action=gaming-day&limit=50").json["rows"]
    assert [r["status"] for r in audit].count(200) == 1 and {r["content"]["reason"] for r in audit} == {"our offices"}, audit
    # Another operator's days, over both changes of the clocks: one day has 23 hours, one 25, and no moment is in two days or in none.
    for zone, start, change in (("Europe/Stockholm", 6, {"2027-03-27": 23, "2027-10-30": 25}), ("Europe/Stockholm", 2, {"2027-03-27": 24, "2027-03-28": 23, "2027-10-30": 25}),
                                ("America/New_York", 0, {"2027-03-14": 23, "2027-11-07": 25}), ("Asia/Kathmandu", 5, {})):
        place.sql(f"""delete from gateway.gaming_day where operator = 9;
            insert into gateway.gaming_day (operator, valid_from, zone, start_hour, actor) values (9, '2026-01-01', '{zone}', {start}, 'test')""", writer=True)
        hours = {day: int(n) for day, n in place.sql("""select d::date, (extract(epoch from gateway.day_begins(9, d::date + 1) - gateway.day_begins(9, d::date)) / 3600)::integer
            from generate_series(timestamp '2027-01-01', '2027-12-31', '1 day') d""", writer=True)}
        found = {day: n for day, n in hours.items() if n != 24 or day in change}
        assert found == change, (zone, start, found)
        assert place.sql("""select count(*) from generate_series(timestamptz '2027-03-26', '2027-03-29', '15 minutes') t, lateral (select gateway.gaming_day_at(9, t) as d) g
            where not (gateway.day_begins(9, g.d) <= t and t < gateway.day_begins(9, g.d + 1)) or extract(minute from gateway.day_begins(9, g.d))::integer % 15 <> 0""",
                         writer=True) == [["0"]], zone


if __name__ == "__main__":
    with Dated("reports", FIRST.timestamp(), kafka=False) as place:
        run(test_sums_are_the_journal_while_gateways_die, test_series_by_pages, test_returns_by_stake, test_reports_as_they_grow, test_a_list_that_is_cut, test_contributions_are_the_tallies,
            test_a_day_that_is_over_is_sealed_and_signed, test_reports_in_a_folder, test_sums_are_made_again_from_the_archive, test_days_begin_where_the_operator_says)
