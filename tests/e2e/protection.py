#!/usr/bin/env python3
"""Protection of players from outside, at the public HTTP API: limits that they set for themselves, breaks and exclusion, and what is told to whom a bet is refused;
sessions that end at once, their clock and result; keys of tokens that follow one another; the time between two bets; what is left to somebody who may not play."""
import base64
import hmac
import os
import subprocess
import tempfile
import time

from lib_deal import Deal
from lib_patience import let_time_pass
from lib_play import RULES, Person, Socket, force, good, operator
from lib_stack import ROOT, Installation, clear_of_midnight, eventually, read_text, run

LOSS = RULES.stops()
ONE_LINE = {"coin_minor": 1, "lines": 1, "coins": 1}
BIG = {"coin_minor": 2, "lines": 5, "coins": 1}
BONUS = RULES.stops(bonuses=3)
LOSS_OF_GEMS = Deal("mystic-gem").stops()
WIN = RULES.stops(win=True, bet={"coin_minor": 1, "lines": 1, "coins": 1})
DAY_US = 86400 * 10**6
place = None


def limits(person):
    """The player's limits by name and period, as an answer lists them."""
    answer = person.ask("GET", "/v1/limits", keep=False).json
    assert answer["currency"] == "EUR", answer
    return {(one["name"], one["period"]): one for one in answer["limits"]}


def set_limit(person, name, period, limit, key=None, status=200):
    body = {"name": name, "limit": limit, **({"period": period} if period else {})}
    answer = person.ask("POST", "/v1/limits", body, key, status, keep=False).json
    return {(one["name"], one["period"]): one for one in answer["limits"]} if status == 200 else answer["error"]


def refused(person, code, **bet):
    """The error of a bet that a limit forbids; its move number is spent, so the state is read anew."""
    person.refresh()
    error = person.bet(status=403, **bet).json["error"]
    assert error["code"] == code, error
    return error


def test_limits_of_money():
    clear_of_midnight(60)
    person = Person(place)
    force(place, person.name, *[LOSS] * 20)
    listed = limits(person)
    assert len(listed) == 10 and all(one["limit"] is None and one["pending_from"] is None for one in listed.values()), listed
    first = set_limit(person, "loss", "day", 50, key="one")
    assert first[("loss", "day")] == {**listed[("loss", "day")], "limit": 50, "used": 0}, first
    set_limit(person, "loss", "day", 50, key="one")  # told again
    assert set_limit(person, "loss", "day", 60, key="one", status=422)["code"] == "other_content"
    set_limit(person, "wager", "month", 70)
    person.refresh()
    person.bet(2, 10)
    person.bet(2, 10)
    error = refused(person, "limit_loss", coin=2, lines=10)
    told = error["limit"]
    assert {k: told[k] for k in ("name", "period", "limit", "left")} == {"name": "loss", "period": "day", "limit": 50, "left": 10}, error
    assert 0 < told["renews"] - time.time() * 1e6 <= DAY_US and told["renews"] % DAY_US == 0, error
    listed = limits(person)
    assert (listed[("loss", "day")]["used"], listed[("wager", "month")]["used"], listed[("wager", "week")]["used"]) == (40, 40, 40), listed
    assert listed[("loss", "day")]["renews"] == told["renews"] and listed[("wager", "month")]["limit"] == 70, listed
    # Looser after the cooling period; stricter at once, and then nothing waits any more.
    looser = set_limit(person, "loss", "day", 500)[("loss", "day")]
    assert (looser["limit"], looser["pending"]) == (50, 500) and looser["pending_from"] > (time.time() + 86000) * 1e6, looser
    none = set_limit(person, "loss", "day", -1)[("loss", "day")]
    assert (none["limit"], none["pending"]) == (50, None) and none["pending_from"] >= looser["pending_from"], none
    refused(person, "limit_loss", coin=2, lines=10)
    stricter = set_limit(person, "loss", "day", 45)[("loss", "day")]
    assert (stricter["limit"], stricter["pending"], stricter["pending_from"]) == (45, None, None), stricter
    assert refused(person, "limit_loss", coin=1, lines=6)["limit"]["left"] == 5
    person.bet(1, 5)
    set_limit(person, "loss", "week", 1000)
    set_limit(person, "wager", "week", 50)
    error = refused(person, "limit_loss", coin=1)
    assert (error["limit"]["period"], error["limit"]["left"]) == ("day", 0), error
    # The operator sees the same limits, and a deposit limit binds the operator's back end.
    set_limit(person, "deposit", "day", 500)
    for amount, status in ((400, 200), (101, 403), (100, 200)):
        assert person.operator("deposits", {"amount_minor": amount, "currency": "EUR"}).status == status, amount
    theirs = person.place.http("GET", f"/v1/operators/1/players/{person.number}/limits", token=place.operator_key()).json["limits"]
    assert {"limit": "loss", "period": "day", "amount_minor": 45}.items() <= theirs[0].items(), theirs


def test_limits_of_stakes_and_time():
    clear_of_midnight(60)
    person = Person(place, currency="SEK")
    answer = person.ask("POST", "/v1/limits", {"name": "time", "limit": 60}, keep=False).json
    assert answer["currency"] == "SEK", answer
    one = next(one for one in answer["limits"] if one["name"] == "time")
    assert {k: one[k] for k in ("period", "limit", "used", "renews")} == {"period": "session", "limit": 60, "used": 0, "renews": None}, one
    person = Person(place)
    force(place, person.name, *[LOSS] * 20)
    set_limit(person, "wager", "day", 30)
    set_limit(person, "wager", "week", 20)
    person.refresh()
    person.bet(1, 10)
    error = refused(person, "limit_wager", coin=2, lines=10)
    assert {k: error["limit"][k] for k in ("name", "period", "limit", "left")} == {"name": "wager", "period": "week", "limit": 20, "left": 10}, error
    person.operator("limits", {"limit": "time", "seconds": 1, "currency": "EUR"}, status=200)
    let_time_pass(1.1, "the limit is one second")
    error = refused(person, "limit_time", coin=1)
    assert {k: error["limit"][k] for k in ("name", "period", "limit", "left")} == {"name": "time", "period": "session", "limit": 1, "left": 0}, error
    assert 880 * 10**6 < error["limit"]["renews"] - time.time() * 1e6 < 901 * 10**6, error


def test_break_time_out_and_exclusion():
    person = Person(place)
    assert [one for one in limits(person) if one[1] is None] == []
    began = time.time()
    taken = set_limit(person, "break", None, 3600, key="pause")[("break", None)]
    assert taken["limit"] == 3600 and taken["used"] is None and 3600 <= taken["renews"] / 1e6 - began + 1 < 3620, taken
    assert set_limit(person, "break", None, 3600, key="pause")[("break", None)] == taken, "told again"
    error = refused(person, "excluded", coin=1)
    assert error["limit"] == {"name": "break", "period": None, "limit": 3600, "left": 0, "renews": taken["renews"]}, error
    assert person.operator("deposits", {"amount_minor": 1, "currency": "EUR"}).error["code"] == "excluded"
    assert set_limit(person, "break", None, 60, status=409)["code"] == "limit", "never shortened"
    longer = set_limit(person, "time_out", None, 86400 * 7)
    assert ("break", None) not in longer and longer[("time_out", None)]["limit"] == 86400 * 7, longer
    assert ("exclusion", None) in set_limit(person, "exclusion", None, 86400 * 180)
    assert refused(person, "excluded", coin=1)["limit"]["name"] == "exclusion"


def test_what_is_no_limit():
    person = Person(place)
    for body, where in (({"name": "win", "period": "day", "limit": 1}, "name"), ({"name": "loss", "limit": 1}, "period"),
                        ({"name": "loss", "period": "session", "limit": 1}, "period"), ({"name": "loss", "period": "day"}, "limit"),
                        ({"name": "loss", "period": "day", "limit": -2}, "limit"), ({"name": "loss", "period": "day", "limit": 1.5}, "limit"),
                        ({"name": "time", "period": "day", "limit": 3600}, "period"), ({"name": "time", "limit": 59}, "limit"),
                        ({"name": "break", "limit": 86401}, "limit"), ({"name": "break", "limit": -1}, "limit"), ({"name": "time_out", "limit": 86399}, "limit"),
                        ({"name": "exclusion", "limit": 86400}, "limit"), ({"name": "break", "period": "day", "limit": 3600}, "period"),
                        ({"name": "loss", "period": "day", "limit": 1, "currency": "EUR"}, "body")):
        error = person.ask("POST", "/v1/limits", body, status=400, keep=False).json["error"]
        assert error["where"] == where and error["found"] and error["expected"], (body, error)
    assert all(one["limit"] is None for one in limits(person).values())
    for method in ("GET", "POST"):
        assert place.http(method, "/v1/limits", {"name": "loss", "period": "day", "limit": 1} if method == "POST" else None, token="x").status == 401
    assert place.http("GET", "/v1/limits?all=1", token=person.token).status == 400


def events(person):
    """The person's own connection, subscribed."""
    socket = Socket(place.http("GET", "/v1/config").json["events_url"], {"subscribe": ["player", "jackpots"], "token": person.token}, timeout=30)
    socket.until(lambda event: event["type"] == "snapshot")
    return socket


def refusal(token, path="/v1/limits"):
    """Status and code of a read with that token."""
    answer = place.http("GET", path, token=token)
    return answer.status, answer.error.get("code") if answer.status != 200 else None


def test_logout():
    person = Person(place)
    other = Person(place, number=person.number)  # the same player elsewhere; a token of the same second would be the same token
    eventually("another token", lambda: other.token != person.token or other.__init__(place, number=person.number), 5, 0.3)
    socket, stays = events(person), events(other)
    assert person.ask("POST", "/v1/logout", keep=False).json == {"logged_out": True}
    for method, path, body in (("GET", "/v1/limits", None), ("POST", "/v1/rounds", person.bet_body()), ("POST", "/v1/logout", None), ("GET", "/v1/session", None), ("GET", "/v1/games", None)):
        answer = place.http(method, path, body, token=person.token, key="k")
        assert (answer.status, answer.error["code"]) == (401, "logged_out"), answer
    while socket.next() is not None:
        pass
    assert socket.close_code == 4005, socket.close_code
    again = Socket(place.http("GET", "/v1/config").json["events_url"], {"subscribe": ["player"], "token": person.token}, timeout=30)
    while again.next() is not None:
        pass
    assert again.close_code == 4005, again.close_code
    assert refusal(other.token) == (200, None)
    assert refusal(other.token, "/v1/games") == refusal(None, "/v1/games") == (200, None) and refusal("no token", "/v1/games") == (401, "token_malformed")
    # Those who start later know it, too.
    place.kill("gateway-1")
    eventually("another gateway", lambda: answered(lambda: refusal(other.token)[0] == 200), 20)
    assert refusal(person.token) == (401, "logged_out")
    stays.until(lambda event: event["type"] == "counters")
    stays.close()


def test_logout_of_all_sessions():
    """On every device at once, also where the connection is open; a session that begins at once is good, and other players go on."""
    person, stranger = Person(place), Person(place)
    other = Person(place, number=person.number)
    eventually("another token", lambda: other.token != person.token or other.__init__(place, number=person.number), 5, 0.3)
    sockets, stays = [events(person), events(other)], events(stranger)
    assert place.http("POST", "/v1/logout?all=false", token=person.token).status == 400
    assert place.http("POST", "/v1/logout?all=true", token=person.token).json == {"logged_out": True}
    again = Person(place, number=person.number)
    for ended in (person, other):
        assert refusal(ended.token) == (401, "logged_out")
    for socket in sockets:
        while socket.next() is not None:
            pass
        assert socket.close_code == 4005, socket.close_code
    assert refusal(again.token) == refusal(stranger.token) == (200, None)
    fresh = events(again)
    fresh.until(lambda event: event["type"] == "counters")
    place.kill("gateway-1")
    eventually("another gateway", lambda: answered(lambda: refusal(again.token)[0] == 200), 20)
    for ended in (person, other):
        assert refusal(ended.token) == (401, "logged_out")
    stays.until(lambda event: event["type"] == "counters")
    for socket in (fresh, stays):
        socket.close()


def test_sessions_are_listed():
    """When each began and ended, and how; in pages and as CSV; what expired a year ago goes."""
    person = Person(place)
    path = f"/players/{person.number}/sessions"

    def listed(query=""):
        return good(operator(place, f"{path}?{query}", None, method="GET"), "sessions")

    def ends():
        return [session["end"] for session in listed().json["sessions"]]

    def another(*before):
        """Another token, of a later second; its session is written beside the answer."""
        second = int(time.time())
        eventually("a later second", lambda: int(time.time()) > second, 2)
        other = Person(place, number=person.number)
        eventually("another token", lambda: other.token not in [one.token for one in before] or other.__init__(place, number=person.number), 60, 0.3)
        eventually("its session", lambda: len(ends()) > len(before), 60)
        return other

    eventually("the session", lambda: ends() == ["open"], 60)
    second = another(person)
    assert place.http("POST", "/v1/logout", token=second.token).json == {"logged_out": True}
    assert ends() == ["logout", "open"]
    third = another(person, second)
    assert place.http("POST", "/v1/logout?all=true", token=third.token).json == {"logged_out": True}
    assert ends() == ["logout_all", "logout", "logout_all"]
    another(person, second, third)
    found = listed().json["sessions"]
    assert [session["end"] for session in found] == ["open", "logout_all", "logout", "logout_all"] and found[0]["ended_us"] is None, found
    assert all(session["began_us"] < session["expires_us"] for session in found) and all(session["ended_us"] < session["expires_us"] for session in found[1:]), found
    place.sql(f"update gateway.session set began = began - interval '2 days', expires = now() - interval '1 s' where player = {person.id} and how is null", writer=True)
    expired = eventually("the end of time", lambda: next((found[-1] for found in [listed().json["sessions"]] if found[-1]["end"] == "expired"), None), 60)
    assert expired["ended_us"] == expired["expires_us"] and ends() == ["logout_all", "logout", "logout_all", "expired"]
    walked, cursor = [], ""
    while cursor is not None:
        page = listed(f"limit=1{cursor and f'&cursor={cursor}'}").json
        walked, cursor = walked + page["sessions"], page["next_cursor"]
    assert walked == listed().json["sessions"] and len(walked) == 4, walked
    lines = listed("format=csv").raw.decode().splitlines()
    assert lines[0] == "began_us,expires_us,ended_us,end" and len(lines) == 5 and lines[4].endswith(',"expired"'), lines
    place.sql(f"insert into gateway.session (session, player, began, expires) values (decode('{32 * '0'}', 'hex'), {person.id}, now() - interval '400 days', now() - interval '399 days')", writer=True)
    eventually("that it is there", lambda: len(ends()) == 5, 60)
    Person(place)
    eventually("that it is gone", lambda: len(ends()) == 4, 60)


def answered(ask):
    """What it says, or False where nobody answers."""
    try:
        return ask()
    except OSError:
        return False


def test_session():
    began = int(time.time())
    person = Person(place)
    force(place, person.name, LOSS, LOSS, LOSS)
    told = person.ask("GET", "/v1/session", keep=False).json
    assert (began - 1) * 10**6 <= told["since_us"] <= told["time_us"] < told["expires_us"], told
    assert {k: told[k] for k in ("rounds", "staked_minor", "returned_minor", "net_minor", "whole", "reality_check_s")} == {
        "rounds": 0, "staked_minor": 0, "returned_minor": 0, "net_minor": 0, "whole": True, "reality_check_s": 3600}, told
    for _ in range(3):
        person.bet(2, 10)
    person.operator("deposits", {"amount_minor": 500, "currency": "EUR"}, status=200)
    told = eventually("the currency", lambda: [t for t in [person.ask("GET", "/v1/session", keep=False).json] if t["currency"]], 5)[0]
    assert {k: told[k] for k in ("currency", "rounds", "staked_minor", "net_minor", "whole")} == {
        "currency": "EUR", "rounds": 3, "staked_minor": 60, "net_minor": -60, "whole": True}, told
    won = Person(place)
    force(place, won.name, WIN)
    won.bet()
    won.act("collect")
    told = won.ask("GET", "/v1/session", keep=False).json
    assert told["net_minor"] == won.balance - 100000 and told["returned_minor"] > 0, (told, won.balance)
    for seconds in (1, 59, 86401, -1):
        assert person.ask("POST", "/v1/session", {"reality_check_s": seconds}, status=400, keep=False).error["where"] == "reality_check_s"
    for seconds in (60, 0, 900):
        assert person.ask("POST", "/v1/session", {"reality_check_s": seconds}, keep=False).json["reality_check_s"] == seconds
    assert person.ask("GET", "/v1/session", keep=False).json["reality_check_s"] == 900


def test_no_other_game_tells_of_an_unseen_jackpot():
    """The vials' jackpot is booked; its player has not picked yet and plays another game meanwhile. History and session tell the rest, and then all."""
    person = Person(place, game="bewitched")
    force(place, person.name, [*BONUS, 0])  # the first of the vials' weights
    began = person.balance
    person.bet(20, 15, 10)
    first, stake = person.round["round"], 20 * 15 * 10
    person.awarded()
    paid = int(place.sql(f"select paid_minor from wallet.claim where player = {person.id} and move = {first}")[0][0])
    vials, person.game = person.state, "mystic-gem"
    person.refresh()
    force(place, person.name, LOSS_OF_GEMS)
    person.bet(1, 40)
    second, won = person.round["round"], person.round["win_minor"]
    if not person.round["closed"]:
        person.act("collect")
    page = {row["round"]: row for row in person.ask("GET", "/v1/rounds?limit=10", keep=False).json["rounds"]}
    assert (page[second]["balance_before_minor"], page[second]["balance_after_minor"]) == (None, None), page
    assert (page[first]["win_minor"], page[first]["balance_before_minor"], page[first]["balance_after_minor"], page[first]["closed"]) == (0, began, began - stake, False), page
    only = person.ask("GET", "/v1/rounds?limit=10&game=mystic-gem", keep=False).json["rounds"]
    assert [(row["round"], row["balance_before_minor"], row["balance_after_minor"]) for row in only] == [(second, None, None)], only
    told = person.ask("GET", "/v1/session", keep=False).json
    assert (told["staked_minor"], told["returned_minor"], told["net_minor"]) == (stake + 40, won, won - stake - 40), told
    person.game, person.state = "bewitched", vials
    person.refresh()
    person.watch()
    assert person.balance == began - stake - 40 + won + paid, (person.balance, paid)
    page = {row["round"]: row for row in person.ask("GET", "/v1/rounds?limit=10", keep=False).json["rounds"]}
    assert (page[first]["win_minor"], page[second]["balance_before_minor"]) == (paid, began - stake + paid), page
    assert page[second]["balance_after_minor"] == began - stake + paid - 40 + won, page
    assert person.ask("GET", "/v1/session", keep=False).json["returned_minor"] == paid + won


def key_command(*arguments):
    subprocess.run([f"{ROOT}/scripts/token-key.sh", *arguments], env={**os.environ, "CARILLON_KEYS": f"{place.data}/keys"}, check=True, capture_output=True)


def number_of(token):
    """The number of the key that has signed a token."""
    head, _, signature = token.rpartition(".")
    for line in open(f"{place.data}/keys/notifications/token.key", encoding="ascii"):
        number, key = line.split()[:2]
        if base64.urlsafe_b64encode(hmac.digest(bytes.fromhex(key), head.encode(), "sha256")).rstrip(b"=") == signature.encode().rstrip(b"="):
            return int(number)
    return None


def test_token_key_rotates():
    person = Person(place)
    socket = events(person)
    key_command("rotate", "1")
    newer = eventually("a token of the new key", lambda: [p for p in [Person(place)] if number_of(p.token) == 1], 20, 0.3)[0]
    assert refusal(person.token) == refusal(newer.token) == (200, None) and number_of(person.token) == 0
    events(newer).close()
    socket.until(lambda event: event["type"] == "counters")
    socket.close()
    for service in ("gateway", "notifications"):
        with open(f"{place.data}/keys/{service}/token.key", "a", encoding="ascii") as file:
            file.write("nonsense\n")
    for service in ("gateway-1", "notifications-1"):
        eventually(f"the reading of the bad file by {service}", lambda: "the keys that were read before stay in force" in read_text(f"{place.data}/log/{service}.log"), 20)
    assert refusal(newer.token) == (200, None)
    for service in ("gateway", "notifications"):
        with open(f"{place.data}/keys/{service}/token.key", encoding="ascii") as file:
            lines = file.readlines()[:-1]
        with open(f"{place.data}/keys/{service}/token.key", "w", encoding="ascii") as file:
            file.writelines(lines)
    key_command("drop", "0")
    eventually("the end of its sessions", lambda: refusal(person.token) == (401, "token_forged"), 5)
    assert refusal(newer.token) == (200, None)


def unauthorised():
    """How many requests the gateway has answered with 401."""
    return place.metric("gateway-1", "carillon_http_requests_total", 'status="401"')


def test_no_session_ends_as_the_token_key_rotates():
    """Players at play go on with the tokens they have, from key to key; new sessions are of the new key."""
    before = unauthorised()
    players = place.players(players=10, think_time=100, seconds=600, first_player=70000)
    for _ in range(2):
        booked = players.settled()
        eventually("play", lambda booked=booked: players.settled() > booked + 20, 60)
        key_command("rotate", "1")
        number = max(int(line.split()[0]) for line in read_text(f"{place.data}/keys/gateway/token.key").splitlines())
        eventually("a token of the new key", lambda number=number: number_of(Person(place).token) == number, 60, 0.3)
        booked = players.settled()
        eventually("play", lambda booked=booked: players.settled() > booked + 20, 60)
    players.finish()
    assert unauthorised() == before, "a session ended"


def test_token_keys_are_one_to_eight():
    """The last key is not dropped, nor is a ninth added: what is told helps, and the file stays as it was."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/gateway/token.key"
        os.mkdir(os.path.dirname(path))
        with open(path, "w", encoding="ascii") as file:
            file.write("ab" * 32 + "\n")

        def command(*arguments):
            done = subprocess.run([f"{ROOT}/scripts/token-key.sh", *arguments], env={**os.environ, "CARILLON_KEYS": folder}, check=False, capture_output=True, text=True)
            return done.returncode, done.stderr, read_text(path).splitlines()

        status, error, lines = command("drop", "0")
        assert status != 0 and "found no other key, expected one that signs instead: rotate first" in error and lines == ["ab" * 32], (status, error, lines)
        for n in range(2, 9):
            status, error, lines = command("rotate", "0")
            assert status == 0 and len(lines) == n, (status, error, lines)
        status, error, kept = command("rotate", "0")
        assert status != 0 and "found 8 keys, expected at most 7 before another is added: drop one first" in error and kept == lines, (status, error, kept)
        status, error, lines = command("drop", "0")
        assert status == 0 and len(lines) == 7, (status, error, lines)


def with_engine(setting):
    """The engine anew, with that setting."""
    place.change(setting, "spin-engine-1")
    eventually("its answers", lambda: answered(lambda: place.http("POST", "/v1/demo/sessions", {"player": 1}).status == 200), 30)


def test_gap_between_bets():
    person = Person(place)
    elsewhere = Person(place, number=person.number, game="mystic-gem")
    force(place, person.name, *[LOSS] * 5)
    with_engine("CARILLON_BET_GAP_MS=60000")
    person.refresh()
    first = person.bet_body()
    person.ask("POST", "/v1/rounds", first, "first")
    body, expect = person.bet_body(), person.expect
    refused_ = person.ask("POST", "/v1/rounds", body, "second", 429)
    error = refused_.json["error"]
    assert error["code"] == "too_soon" and 0 < error["retry_after_ms"] <= 60000 and error["where"] == "bet" and error["found"] and error["expected"], error
    assert 1 <= int(refused_.headers["Retry-After"]) <= 60 and person.expect == expect, refused_.headers
    # In any game, by autoplay too, and not forgotten by an engine that dies.
    elsewhere.refresh()
    assert elsewhere.bet(1, 40, status=429).error["code"] == "too_soon"
    auto = os.urandom(16).hex()
    person.setting(autoplay={"id": auto, "spins": 5, "loss_limit_minor": -1, "single_win_minor": -1, "stop_on_jackpot": False})
    assert person.bet(autoplay=auto, status=429).error["code"] == "too_soon"
    assert person.refresh()["autoplay"]["spins"] == 5, person.state
    place.kill("spin-engine-1")
    assert eventually("an answer", lambda: next((a for a in [place.http("POST", "/v1/rounds", person.bet_body(), token=person.token, key="third")] if a.status < 500), None),
                      30).error["code"] == "too_soon"
    with_engine("CARILLON_BET_GAP_MS=0")
    person.refresh()
    person.bet(autoplay=auto)
    person.bet(autoplay=auto)
    assert person.refresh()["autoplay"]["spins"] == 3, person.state


def bonus_spins(person):
    return person.operator("bonus-spins", {"game": person.game, "currency": "EUR", "coin_minor": 1, "lines": 1, "coins": 1, "spins": 5,
                                           "expires_us": int(time.time() + 86400) * 10**6}, status=200).json["id"]


def bonus_bet(person, grant, status):
    return person.ask("POST", "/v1/rounds", {"game": person.game, "expect": person.expect, "bonus_spin": grant, "nonce": os.urandom(16).hex()}, status=status)


def test_largest_stake():
    """By currency (WALLET_STAKE_MAX), for all others by WALLET_STAKE_MAX_MINOR; a wallet does not start with what it cannot read."""
    def with_wallet(setting):
        place.change(setting, "wallet-1")
        eventually("its answers", lambda: answered(lambda: Person(place, deposit=1)), 60)
    euro, krona = Person(place, deposit=100000), Person(place, currency="SEK", deposit=100000)
    force(place, euro.name, *[LOSS] * 10)
    force(place, krona.name, *[LOSS] * 10)
    with_wallet("WALLET_STAKE_MAX=EUR:9,XBT:5")
    for _ in range(2):
        euro.refresh()
        euro.bet_through(1, 9)
        refused(euro, "limit", coin=1, lines=10)
        krona.refresh()
        krona.bet_through(10, 15)
        place.kill("wallet-1")
        eventually("its answers", lambda: answered(lambda: Person(place, deposit=1)), 60)
    place.deaths.allow("wallet-1", [70], "it refuses the setting")
    place.change("WALLET_STAKE_MAX=EUR:0", "wallet-1")
    eventually("a refusal to start", lambda: "WALLET_STAKE_MAX: found 'EUR:0', expected at most" in read_text(f"{place.data}/log/wallet-1.log"), 60)
    with_wallet("WALLET_STAKE_MAX=")
    euro.refresh()
    euro.bet_through(1, 10)


def test_nothing_new_is_risked():
    """What is pending can be collected; it cannot be gambled, and bonus spins wait."""
    def stopped(how, code):
        person = Person(place)
        force(place, person.name, WIN)
        grant = bonus_spins(person)
        eventually("the grant", lambda: person.refresh()["bonus_spins"], 5)
        person.bet()
        assert person.round["next"] == "gamble", person.round
        how(person)
        error = person.act("gamble", choice=0, status=403).json["error"]
        assert error["code"] == code, error
        if code != "blocked":
            assert error["limit"]["left"] == 0, error
        person.refresh()
        assert person.round["next"] == "gamble" and person.state["pending_minor"] > 0, person.state
        before, won = person.balance, person.state["pending_minor"]
        person.act("collect")
        assert person.balance == before + won and person.state["pending_minor"] == 0, person.state
        assert bonus_bet(person, grant, 403).error["code"] == code
        assert person.refresh()["bonus_spins"][0]["left"] == 5, person.state
    stopped(lambda person: set_limit(person, "break", None, 3600), "excluded")
    stopped(lambda person: person.operator("block", {"blocked": True, "reason": "a test"}, status=200) and eventually(
        "the block", lambda: place.sql(f"select blocked from wallet.account where player = {person.id}") == [["t"]], 5), "blocked")
    stopped(lambda person: set_limit(person, "wager", "day", 0), "limit_wager")


def journal(person):
    return person.ask("GET", "/v1/journal?limit=200", keep=False).json["rows"]


def test_journal_tells_what_was_seen():
    person = Person(place)
    force(place, person.name, [*BONUS, RULES.vial_value("money", 300, ONE_LINE)], [*RULES.stops(win=True, bet=BIG)])
    person.bet()
    row = journal(person)[0]
    assert person.round["next"] == "pick" and row["kind"] == "bet" and row["stake_minor"] == 1, row
    for member in ("win_balance_minor", "win_pending_minor", "pending_after_minor"):
        assert row[member] is None, row
    assert row["balance_after_minor"] == person.balance, row
    rows = person.ask("GET", f"/v1/rounds/{person.round['round']}", keep=False).json["rows"]
    assert rows[0]["win_pending_minor"] is None, rows
    picks = [8, 4, 6]
    for choice in picks:
        person.act("pick", choice=choice)
    row = next(row for row in journal(person) if row["kind"] == "bet")
    assert row["win_pending_minor"] + row["win_balance_minor"] == 300, row
    # A bet that is refused: its win was drawn, and stays unknown.
    person.operator("withdrawals", {"amount_minor": person.balance - 5, "currency": "EUR"}, status=200)
    person.refresh()
    person.bet(*BIG.values(), status=402)
    row = next(row for row in journal(person) if row["kind"] == "bet")
    assert row["refusal"] == "funds" and row["win_balance_minor"] == row["win_pending_minor"] == 0, row
    assert place.sql(f"select win_balance + win_pending > 0 from wallet.journal where player = {person.id} and refusal <> 0") == [["t"]]


def test_unseen_jackpot_stays_unknown():
    """Neither a page without the award's row nor the use of a limit tells it."""
    clear_of_midnight(60)
    person = Person(place)
    force(place, person.name, [*RULES.stops(bonuses=3), 0])
    set_limit(person, "loss", "day", 100000)
    person.refresh()
    person.bet()
    shown = person.balance
    eventually("the award", lambda: [row for row in journal(person) if row["kind"] == "award"], 20)
    person.operator("deposits", {"amount_minor": 7, "currency": "EUR"}, status=200)
    eventually("the deposit", lambda: journal(person)[0]["kind"] == "deposit", 5)
    rows = journal(person)
    assert [row["balance_after_minor"] for row in rows[:3]] == [None, None, shown], rows
    eventually("the use of the limits", lambda: limits(person)[("wager", "day")]["used"] > 0, 5)
    assert limits(person)[("loss", "day")]["used"] is None
    assert set_limit(person, "loss", "week", 90000)[("loss", "week")]["used"] is None
    newest = person.ask("GET", "/v1/journal?limit=1", keep=False).json
    newest = newest["rows"][0]
    assert newest["kind"] == "limit" and newest["balance_after_minor"] is None and newest["win_balance_minor"] == 0, newest
    older = person.ask("GET", f"/v1/journal?limit=1&before={rows[1]['seq']}", keep=False).json["rows"][0]
    assert older["kind"] == "bet" and older["balance_after_minor"] == shown, older
    person.refresh()
    person.watch()
    rows = person.ask("GET", "/v1/journal?limit=1", keep=False).json["rows"]
    assert rows[0]["balance_after_minor"] is not None and limits(person)[("loss", "day")]["used"] is not None, rows


def test_a_pick_that_comes_too_late():
    """At a spent cursor: what was picked is told again, anything else is refused."""
    person = Person(place)
    force(place, person.name, [*BONUS, RULES.vial_value("free_spins", 15, ONE_LINE)])
    person.bet()
    cursor = person.round["cursor"]
    for choice in (8, 4, 6):
        person.act("pick", choice=choice)
    assert person.round["next"] == "next" and person.round["cursor"] > cursor, person.round
    picks = person.round["phases"][-1]["picks"]
    assert person.act("pick", choice=4, cursor=cursor).json["round"]["cursor"] == person.round["cursor"]
    error = person.act("pick", choice=5, cursor=cursor, status=409).json["error"]
    assert error["code"] == "other_cursor" and error["found"] == str(cursor) and error["expected"] == str(person.round["cursor"]), error
    person.refresh()
    assert person.round["phases"][-1]["picks"] == picks, person.round
    person.watch()


def pages_of(person, query, limit):
    """All rounds by pages of that size; no page is longer than that."""
    rounds, before = [], ""
    while True:
        page = person.ask("GET", f"/v1/rounds?limit={limit}{before}{query}", keep=False).json
        assert len(page["rounds"]) <= limit and "bounded" not in page, page
        rounds += page["rounds"]
        if page["next"] is None:
            return rounds
        before = f"&before={page['next']}"


def test_history_by_pages_and_filters():
    person = Person(place)
    force(place, person.name, *[WIN if i % 5 == 0 else LOSS for i in range(60)])
    for _ in range(60):
        person.bet()
    elsewhere = Person(place, number=person.number, game="mystic-gem")
    force(place, person.name, *[LOSS_OF_GEMS] * 3)
    for _ in range(3):
        elsewhere.bet(1, 40)
        elsewhere.watch()
        if elsewhere.round and elsewhere.round["next"] == "gamble":
            elsewhere.act("collect")
    whole = pages_of(person, "", 200)
    assert [row["round"] for row in whole] == sorted((row["round"] for row in whole), reverse=True) and len(whole) == 63, whole
    wins = [row for row in whole if row["win_minor"] > 0]
    assert 12 <= len(wins) <= 15, wins
    for query, expected in (("", whole), ("&wins=true", wins), ("&game=mystic-gem", [row for row in whole if row["game"] == "mystic-gem"]),
                            ("&game=bewitched&wins=true", [row for row in wins if row["game"] == "bewitched"])):
        for limit in (1, 7, 50):
            assert pages_of(person, query, limit) == expected, (query, limit)
    for query, status in (("wins=false", 400), ("game=nothing", 404), ("wins=true&wins=true", 400)):
        assert place.http("GET", f"/v1/rounds?{query}", token=person.token).status == status, query


def test_refused_bets_leave_little():
    person = Person(place)
    person.operator("withdrawals", {"amount_minor": person.balance, "currency": "EUR"}, status=200)
    eventually("the empty account", lambda: person.refresh()["balance_minor"] == 0, 5)
    statuses = []
    for _ in range(130):
        answer = place.http("POST", "/v1/rounds", person.bet_body(), token=person.token, key=os.urandom(8).hex())
        person.state["expect"] = answer.json["expect"]
        statuses.append((answer.status, answer.error["code"]))
    assert set(statuses[:100]) == {(402, "insufficient_funds")} and (429, "too_soon") in statuses[100:], statuses


if __name__ == "__main__":
    with Installation("protection", kafka=False) as place:
        try:
            run(*[f for name, f in list(globals().items()) if name.startswith("test_")])
        except SystemExit as status:
            if status.code:
                raise
