#!/usr/bin/env python3
"""Exchange rates over the API: set, dated, approved, too old; the pools follow while they run, and every contribution keeps the rate of its bet."""
import hashlib
import time
from fractions import Fraction

from lib_patience import stays
from lib_play import RULES, Person, Refused, force, good, operator
from lib_raw import envelope, field, raw
from lib_stack import Installation, eventually, read_text, run

SEK, POOL = 752, 1
LOSS = RULES.stops()
SECOND_KEY = "a second key of the operator, for four eyes"
place = None
expected = Fraction(0)  # T


def ask(path="", body=None, method="POST", status=200, **more):
    return good(operator(place, f"/fx-rates{path}", body, method=method, **more), f"{path} {body}", status)


def set_rate(rate, status=200, currency="SEK", key=None, **more):
    return ask(body={"currency": currency, "rate": rate, **more}, status=status, key=key)


def tally():
    """id and rate of the open tally of SEK."""
    row = place.sql(f"select id, rate_nano from pool.tally where pool = {POOL} and game = 1 and currency = {SEK} and closed is null")[0]
    return int(row[0]), int(row[1])


def cards_rates():
    return {int(r[0]) for r in place.sql(f"select rate_nano from pool.tally where pool = 2 and currency = {SEK} and closed is null")}


def bet(person, rate, coin=1000, lines=15, coins=10):
    """A losing bet, expected to contribute at that rate."""
    global expected
    force(place, person.name, LOSS)
    answer = person.bet(coin, lines, coins)
    assert answer.json["round"]["win_minor"] == 0
    expected += Fraction(coin * lines * coins, 100) * Fraction(rate) * Fraction(5000, 10 ** 6)


def t_is_expected():
    eventually(f"T = {float(expected)}", lambda: int(place.sql(f"select t_e18 from pool.pool where pool = {POOL}")[0][0]) == expected * 10 ** 18, 5)


def wallet_knows(rate_nano):
    """Until the wallet has taken the tally up, stakes count into the one before, at its rate."""
    eventually("the tally", lambda: tally()[1] == rate_nano, 3)
    known = f"tally {tally()[0]}: pool {POOL}"
    eventually("the wallet to know it", lambda: known in read_text(f"{place.data}/log/wallet-1.log"), 3)


def test_rate_opens_tallies_under_load():
    person = Person(place, currency="SEK", deposit=1000000)
    old, rate = tally()
    assert rate == 87500000
    bet(person, "0.0875")
    began = time.monotonic()
    answer = set_rate("0.09", reason="the bank's fixing")
    assert (answer.json["status"], answer.json["rate"], answer.json["before"]["rate"], answer.json["currency"]) == ("set", "0.09", "0.0875", "SEK"), answer
    eventually("another tally", lambda: tally()[0] != old, 4)
    eventually("the set of cards as well", lambda: cards_rates() == {90000000}, 4)
    print(f"measured: tallies of a new rate open after {time.monotonic() - began:.1f} s")
    wallet_knows(90000000)
    bet(person, "0.09")
    t_is_expected()
    kept = place.sql(f"select t.rate_nano, v.total from pool.vector v join pool.tally t on t.id = v.tally where v.pool = {POOL} and t.currency = {SEK} order by 1")
    assert kept == [["87500000", "150000"], ["90000000", "150000"]], kept


def test_a_dated_rate_holds_from_its_moment():
    moment = int((time.time() + 6) * 1000000)
    answer = set_rate("0.091", valid_from_us=moment)
    assert answer.json["valid_from_us"] == moment and not answer.json["approved_by"]
    listed = ask("?currency=SEK", method="GET").json["rates"]
    assert (listed[0]["rate"], listed[0]["in_force"], listed[1]["rate"], listed[1]["in_force"]) == ("0.091", False, "0.09", True), listed
    before = tally()
    stays("the tally of the rate in force, until the moment", lambda: tally() == before or time.time() >= moment / 1e6, moment / 1e6 - time.time(), 0.2)
    opened = eventually("the tally", lambda: tally()[0] != before[0] and place.sql(f"select extract(epoch from opened) from pool.tally where id = {tally()[0]}"), 3)
    late = float(opened[0][0]) - moment / 1e6
    print(f"measured: the tally opened {late * 1000:.0f} ms after the rate became valid")
    assert late >= 0


def test_repeated_request_is_done_once():
    first, again = (set_rate("0.0905", key="one-key") for _ in range(2))
    assert first.json == again.json
    assert set_rate("0.0906", key="one-key", status=422).error["code"] == "other_content"
    assert place.sql("select count(*) from carillon.fx_rate where rate_nano in (90500000, 90600000)") == [["1"]]


def test_bad_rates_are_refused_by_name():
    for body, where in (({"rate": "1"}, "currency"), ({"currency": "SEK"}, "rate"), ({"currency": "XXY", "rate": "1"}, "currency"), ({"currency": "EUR", "rate": "1"}, "currency"),
                        ({"currency": "SEK", "rate": "0"}, "rate"), ({"currency": "SEK", "rate": "-1"}, "rate"), ({"currency": "SEK", "rate": "0,09"}, "rate"),
                        ({"currency": "SEK", "rate": "1e2"}, "rate"), ({"currency": "SEK", "rate": "0.0900000001"}, "rate"), ({"currency": "SEK", "rate": "1000000.1"}, "rate"),
                        ({"currency": "SEK", "rate": 0.09}, "rate"), ({"currency": "SEK", "rate": "0.09", "valid_from_us": 1 << 52}, "valid_from_us"),
                        ({"currency": "SEK", "rate": "0.09", "soon": 1}, "body")):
        answer = ask(body=body, status=400)
        assert answer.error["where"] == where, (body, answer)
    assert set_rate("0.09", valid_from_us=int(time.time() * 1e6) - 60000000, status=409).error["code"] == "rate_past"
    assert place.http("POST", "/v1/operators/1/fx-rates", {"currency": "SEK", "rate": "0.09"}, key="k").status == 401
    assert place.http("POST", "/v1/operators/1/fx-rates", {"currency": "SEK", "rate": "0.09"}, token=place.operator_key()).error["where"] == "Idempotency-Key"
    place.sql(f"insert into gateway.operator_key (operator, digest) values (2, '\\x{hashlib.sha256(b'the other operator, who sets none').hexdigest()}')", writer=True)
    eventually("his key", lambda: operator(place, "/fx-rates", {"currency": "SEK", "rate": "0.09"}, number=2,
                                           operator_key="the other operator, who sets none").error.get("code") == "rates_not_yours", 5)


def test_a_jump_needs_a_second_key():
    eventually("the tally of the rate before", lambda: tally()[1] == 90500000, 5)
    before = tally()
    answer = set_rate("0.9", status=202)  # a slip of the point
    assert answer.json["status"] == "waiting"
    name = answer.json["id"]
    assert [w["id"] for w in ask(method="GET").json["waiting"]] == [name]
    assert ask(f"/{name}/approve", status=403).error["code"] == "same_approver"
    assert ask(f"/{'0' * 32}/approve", status=404).error["code"] == "rate_unknown"
    stays("the tally of the rate in force, as the other one waits", lambda: tally() == before, 1.5)
    # In steps within a day it is the same jump.
    assert set_rate("0.105", status=200).json["status"] == "set"
    assert set_rate("0.12", status=202).json["status"] == "waiting"
    assert set_rate("10", currency="KWD", status=202).json["status"] == "waiting", "a first rate has nothing to be compared with"
    place.sql(f"insert into gateway.operator_key (operator, digest) values (1, '\\x{hashlib.sha256(SECOND_KEY.encode()).hexdigest()}')", writer=True)
    done = eventually("the second key", lambda: next((a for a in [operator(place, f"/fx-rates/{name}/approve", None, operator_key=SECOND_KEY)] if a.status != 401), None), 5)
    assert done.status == 200 and done.json["status"] == "set" and done.json["asked_by"] != done.json["approved_by"] != "", done
    assert ask(f"/{name}/approve").json == done.json, "approved once"
    eventually("the tally", lambda: tally()[1] == 900000000, 4)
    back = set_rate("0.09", status=202).json["id"]
    assert operator(place, f"/fx-rates/{back}/approve", None, operator_key=SECOND_KEY).status == 200
    lines = eventually("the audit", lambda: next((told for told in [place.sql(
        "select action, status, content->>'asked_by', content->>'approved_by', content->'before'->>'rate_nano', content->'after'->>'rate_nano' from gateway.audit"
        f" where content->>'id' = '{name}' order by id")] if len(told) >= 3), None), 3)
    assert [line[:2] for line in lines] == [["fx-rate", "202"], ["fx-rate approval", "403"], ["fx-rate approval", "200"]], lines
    assert lines[2][4:] == ["90500000", "900000000"] and lines[2][2] != lines[2][3] != "", lines


def age(condition="", hours=26):
    """The rates of SEK become older: by default too old."""
    place.sql(f"update carillon.fx_rate set valid_from = valid_from - interval '{hours} hours' where currency = {SEK} {condition}", writer=True)


def is_refused(person, rate):
    """Bets are taken at that rate until the wallet looks, and refused from then on."""
    force(place, person.name, *[LOSS] * 300)  # one for each look of the wait, also if it is refused

    def refused():
        global expected
        try:
            person.bet(1000, 1, 1)
        except Refused as error:
            if error.answer.error.get("code") != "rate_stale":
                raise
            return error.answer
        expected += Fraction(10) * Fraction(rate) * Fraction(5000, 10 ** 6)
        return None
    answer = eventually("a refusal", refused, 4, pause=0.2)
    assert (answer.status, answer.error["code"]) == (503, "rate_stale"), answer
    return answer


def stale():
    return next(r for r in ask("?currency=SEK", method="GET").json["rates"] if r["in_force"])["stale"]


def test_stale_rate_stops_feeding_bets():
    person, other = Person(place, currency="SEK", deposit=1000000), Person(place)
    wallet_knows(90000000)
    bet(person, "0.09")
    age(hours=2)
    eventually("the warning", lambda: "From 90000 s on, bets that feed them are refused" in read_text(f"{place.data}/log/wallet-1.log"), 3)
    bet(person, "0.09")  # there is a day left to set it
    age()
    is_refused(person, "0.09")
    balance = person.refresh()["balance_minor"]
    bet(other, 1, coin=1, lines=1, coins=1)  # EUR needs no rate
    assert stale()
    assert not any(r["stale"] for r in ask("?currency=EUR", method="GET").json["rates"])
    set_rate("0.09")  # the same, confirmed: no new tally, but fresh

    def taken():
        try:
            return person.bet(1000, 1, 1)
        except Refused as error:
            assert error.answer.error["code"] == "rate_stale", error
            return None
    assert eventually("a bet", taken, 4, pause=0.2).json["balance_minor"] == balance - 1000
    global expected
    expected += Fraction(10) * Fraction("0.09") * Fraction(5000, 10 ** 6)
    t_is_expected()


def test_years_of_daily_rates_fit():
    """Closed tallies are folded: what they contributed stays in T, their places are free. Told of once more, they come back."""
    person = Person(place, currency="SEK", deposit=1000000)
    place.sql("insert into pool.tally (id, pool, game, currency, rate_nano, ppm, closed) select nextval('pool.tally_id'), 1, 1, 752, 80000000 + n, 5000,"
              " now() - interval '1 hour' from generate_series(1, 1000) n", writer=True)
    place.sql("update pool.tally set closed = closed - interval '1 hour' where pool = 1 and closed is not null", writer=True)
    for restart in (False, True):
        if restart:
            place.kill("progressive-pool-1")
        rate = "0.0901" if restart else "0.0902"
        set_rate(rate)
        wallet_knows(int(Fraction(rate) * 10 ** 9))
        bet(person, rate)
        t_is_expected()
    log = read_text(f"{place.data}/log/progressive-pool-1.log")
    assert "closed tallies folded" in log and "ALARM" not in log, log[-2000:]
    # A wallet that comes to life with rows of before still counts, exactly.
    old = place.sql(f"select t.id, v.shard, v.total, v.seq from pool.vector v join pool.tally t on t.id = v.tally where v.pool = {POOL} and t.currency = {SEK} and t.rate_nano = 87500000")[0]
    feed = envelope(int(old[3])) + field(2, POOL) + field(3, int(old[1])) + \
        field(4, field(1, int(old[0])) + field(2, int(old[2])))
    raw(place, "jackpot.feed", feed)
    eventually("the tally's return", lambda: f"tally {old[0]} is in use again" in read_text(f"{place.data}/log/progressive-pool-1.log"), 5)
    bet(person, "0.0901")
    t_is_expected()


def behind():
    return next(r["behind"] for r in ask("?currency=SEK", method="GET").json["rates"] if r["in_force"])


def test_waiting_rate_takes_freed_tally():
    """256 tallies are all a pool can count. The rate before stays in force, which is told, until one is folded."""
    person = Person(place, currency="SEK", deposit=1000000)
    first = place.sql("insert into pool.tally (id, pool, game, currency, rate_nano, ppm, closed) select nextval('pool.tally_id'), 1, 1, 752, 70000000 + n, 5000,"
                      " now() from generate_series(1, 256 - (select count(*) from pool.tally where pool = 1 and (closed is null or closed > now() - interval '10 minutes'))) n"
                      " returning id", writer=True)[0][0]
    place.kill("progressive-pool-1")
    eventually("the service", lambda: place.http("GET", "/readyz").status == 200, 10)
    old = tally()
    set_rate("0.0903")
    log = f"{place.data}/log/progressive-pool-1.log"
    eventually("the alarm", lambda: "ppm of each stake, and the old rate stays in force" in read_text(log), 10)
    eventually("the metric", lambda: place.metric("progressive-pool-1", "carillon_pool_rates_behind") == 1, 3)
    eventually("the others to have it", lambda: behind() == 1, 5)
    assert tally() == old
    bet(person, "0.0901")  # exact, by the rate in force
    t_is_expected()
    assert not stale()
    age("and rate_nano = 90100000")  # what grows old is the rate by which stakes are converted; 0.0903 is of this minute
    is_refused(person, "0.0901")
    assert stale()
    place.sql(f"update pool.tally set closed = closed - interval '1 hour' where id = {first}", writer=True)
    eventually("the rate", lambda: tally()[1] == 90300000, 15)
    wallet_knows(90300000)
    bet(person, "0.0903")
    t_is_expected()
    assert not stale()
    eventually("all taken up", lambda: behind() == 0 and place.metric("progressive-pool-1", "carillon_pool_rates_behind") == 0, 15)


def test_books_balance():
    place.verify()


if __name__ == "__main__":
    place = Installation("rates")
    place.environment["CARILLON_FX_MAX_AGE_S"] = "90000"
    with place:
        try:
            run(*[f for name, f in list(globals().items()) if name.startswith("test_")])
        except SystemExit as status:
            if status.code:
                raise
