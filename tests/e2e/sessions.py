#!/usr/bin/env python3
"""Sessions that end by inactivity and games that wait after a lost connection, with short times: what is refused, what is told, and that nothing
of a game is lost by it; then the same in a browser."""
import hashlib
import os
import shutil
import threading
import time

import lib_pages
import pages
from lib_patience import during, stays, time_out
from lib_play import RULES, Person, Socket, force
from lib_stack import Installation, eventually, run

IDLE_S, WAIT_S, PING_S = 25, 10, 3  # long enough for a slow machine to load the page and play in
SETTINGS = {"gateway-1": f"GATEWAY_IDLE=0,1={IDLE_S}s GATEWAY_RECONNECT=bewitched={WAIT_S}s", "notifications-1": f"NOTIFICATIONS_PING_S={PING_S}"}
WIN = RULES.stops(win=True, bet={"coin_minor": 1, "lines": 1, "coins": 1})
place = None


def with_settings():
    """Gateway and notifications anew, with the short times."""
    place.renew(SETTINGS)

    def ready():
        try:
            events(Person(place)).close()
            return place.http("GET", "/readyz", timeout=2).status == 200
        except (OSError, AssertionError, KeyError, TypeError):
            return False
    eventually("gateway and notifications", ready, 20)


def events(person, game=None):
    """The person's own connection, subscribed."""
    url = place.http("GET", "/v1/config").json["events_url"]
    socket = Socket(url, {"subscribe": ["player", "jackpots"], "token": person.token, **({"game": game} if game else {})}, timeout=60)
    socket.until(lambda event: event["type"] == "snapshot")
    return socket


def state(person, game="bewitched"):
    return place.http("GET", f"/v1/state?game={game}", token=person.token)


def cut(person, game="bewitched"):
    """A connection that is there and then is not; back when that is known."""
    events(person, game).close()
    eventually("the loss", lambda: place.redis("ZSCORE", "carillon:dropped", f"{person.name}:{game}").strip(), 5)


def bet(person, status=200):
    return person.ask("POST", "/v1/rounds", person.bet_body(), status=status)


def again(person):
    """The same player in a new session."""
    return Person(place, number=person.number)


def code_of(person):
    """Of the answer to a question for the state: "" where it is answered."""
    try:
        return state(person).error.get("code", "")
    except OSError:
        return None


def listening(socket):
    """Somebody who reads, and so answers, until the server closes."""
    def read():
        while socket.next() is not None:
            pass
    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    return thread


def lost_ones():
    return place.redis("ZRANGE", "carillon:dropped", "0", "-1").split()


# RULE bewitched 7.1, 7.2, 7.3, RULE mona-lisa 6.1, 6.2, 6.3
def test_idle_player_is_logged_out_and_resumes():
    person, busy, silent, alive, turning = (Person(place) for _ in range(5))
    socket, answering, deaf = events(person), events(alive, "bewitched"), events(silent, "bewitched")  # nobody reads what the deaf one is sent
    told, _ = listening(socket), listening(answering)
    force(place, person.name, WIN)
    force(place, busy.name, *[pages.LOSS] * 100)
    began = time.monotonic()  # no later than the action itself
    bet(person)
    left = person.round
    assert left["next"] == "gamble", left
    for _ in during(IDLE_S + 0.3, "others act while one is idle", 0.5):
        assert code_of(person) in ("", None) or time.monotonic() - began >= IDLE_S, "asking is no action, and no sooner"
        bet(busy)
        # RULE bewitched 7.1: turning cards is an action, whatever comes of it
        turned = place.http("POST", "/v1/cards/1-1/picks", {"pick": 1, "position": 1}, token=turning.token, key=os.urandom(8).hex())
        assert turned.status == 404, turned
    eventually("the end of his session", lambda: code_of(person), 5)
    refused = state(person)
    assert (refused.status, refused.error["code"]) == (401, "session_idle"), refused
    assert refused.error["found"] == f"no action for {IDLE_S} seconds" and refused.error["expected"], refused
    for method, path, body in (("POST", "/v1/rounds", person.bet_body()), ("GET", "/v1/rounds", None)):
        refused = place.http(method, path, body, token=person.token, key="k" if body else None)
        assert (refused.status, refused.error["code"]) == (401, "session_idle"), (path, refused)
    assert code_of(busy) == "" and code_of(turning) == ""
    told.join(time_out(15))
    assert socket.close_code == 4004, socket.close_code
    back = again(person)
    assert back.token != person.token and back.refresh()["round"]["round"] == left["round"] and back.round["next"] == "gamble"
    assert back.balance == person.balance
    back.act("collect")
    # Half-open: after two silences of NOTIFICATIONS_PING_S nobody is there, but who answers is.
    lost = eventually("the loss of the silent one", lambda: next((names for names in [lost_ones()] if f"{silent.name}:bewitched" in names), None), 5)
    assert f"{alive.name}:bewitched" not in lost, lost
    deaf.close()


def test_idle_sessions_are_listed():
    """Noted when a request is refused for it, and when somebody looks."""
    refused, left = Person(place), Person(place)

    def last(person):
        found = place.http("GET", f"/v1/operators/1/players/{person.number}/sessions", token=place.operator_key()).json["sessions"]
        return found[0] if found else {"end": None}

    def noted(person):
        return place.sql(f"select how from gateway.session where player = {person.id}") == [["idle"]]

    eventually("the end of the session", lambda: code_of(refused) == "session_idle", 60)
    eventually("that it is noted", lambda: noted(refused), 60)
    eventually("that the other is, nobody having asked", lambda: last(left)["end"] == "idle", 60)
    eventually("that it is noted, too", lambda: noted(left), 60)
    for person in (refused, left):
        session = last(person)
        assert session["end"] == "idle" and session["began_us"] + IDLE_S * 10**6 <= session["ended_us"] < session["expires_us"], session


# RULE bewitched 7.1, RULE mona-lisa 6.1
def test_lost_session_data_rejects_nobody():
    person = Person(place)
    key = "carillon:session:" + hashlib.sha256(person.token.encode()).hexdigest()[:32]
    acted, idle = eventually("the session in Redis", lambda: place.redis("GET", key).strip(), 5).split(",")
    assert int(idle) == IDLE_S * 1000
    place.redis("SET", key, f"{int(acted) - 60000},{idle}")
    place.kill("gateway-1")
    eventually("another gateway, which refuses", lambda: code_of(person) == "session_idle", 20)
    place.redis("DEL", key)
    place.kill("gateway-1")
    eventually("another gateway, which knows nothing", lambda: code_of(person) == "", 20)


# RULE bewitched 7.2, 7.3, RULE mona-lisa 6.2, 6.3
def test_lost_connection_delays_return():
    person = Person(place)
    force(place, person.name, WIN)
    bet(person)
    left = person.round
    began = time.monotonic()  # no later than the loss
    cut(person)
    refused = eventually("a refusal", lambda: next((a for a in [state(person)] if a.status == 429), None), 3)
    assert (refused.status, refused.error["code"]) == (429, "reconnect_later"), refused
    assert 0 < refused.json["retry_s"] <= WAIT_S and refused.headers["Retry-After"] == str(refused.json["retry_s"]), refused.json
    body = person.action_body("collect")
    refused = place.http("POST", f"/v1/rounds/{left['round']}/actions", body, token=person.token, key="collect")
    assert (refused.status, refused.error["code"]) == (429, "reconnect_later"), refused
    assert state(person, "mystic-gem").status == 200, "other games take him"
    assert again(person).session["state"], "and a session he may have"
    assert state(again(person)).status == 429 or time.monotonic() - began >= WAIT_S, "which opens the game no sooner"
    eventually("the game again", lambda: state(person).status == 200, WAIT_S)
    assert time.monotonic() - began > WAIT_S - 0.5
    assert state(person).json["round"] == left
    answer = place.http("POST", f"/v1/rounds/{left['round']}/actions", body, token=person.token, key="collect")
    assert answer.status == 200, answer


# RULE bewitched 7.3, RULE mona-lisa 6.3
def test_not_a_lost_connection():
    person = Person(place)
    force(place, person.name, *[pages.LOSS] * 10)

    def welcome(why):
        stays(f"{why}: the game answers 200", lambda: state(person).status == 200, 0.4)
        bet(person)  # an action, lest the session should end in the meantime
    for code in (b"\x03\xe8", b"\x03\xe9", b""):
        socket = events(person, "bewitched")
        socket.send(code, 8)
        while socket.next() is not None:  # until the server has said goodbye too
            pass
        socket.close()
        welcome(f"goodbye with {code!r}")
    cut(person, "mystic-gem")
    answer = state(person, "mystic-gem")
    assert answer.status == 200, "a game without this policy"
    events(person).close()
    welcome("a connection that plays no game")
    first, second = events(person, "bewitched"), events(person, "bewitched")
    second.close()
    welcome("the second window")
    before = place.pid("notifications-1")
    place.kill("notifications-1")
    eventually("notifications", lambda: place.pid("notifications-1") not in (before, 0), 20)
    welcome("the server's own end")
    first.close()


# ---- the page ----

def player_page(name):
    page = pages.Page(name)
    return page, page.login()


# RULE bewitched 7.1, 7.2, RULE mona-lisa 6.1, 6.2
def test_the_page_says_that_the_session_ended_and_leads_back():
    page, player = player_page("idle")
    page.spin(player, *RULES.stops(win=True, bet=pages.MAX))
    page.see("document.querySelector('#double')")
    page.see("document.querySelector('#continue')")
    assert "ended" in page.text(selector="#message"), page.text(selector="#message")
    page.picture("ended")
    page.press("#continue")
    page.see("document.querySelector('#player') && document.querySelector('#double')")
    assert page.text(selector="#player").strip().split()[-1] == player, "the same player"
    page.press("#collect")
    page.see("!document.querySelector('#double')")


# RULE bewitched 7.3, RULE mona-lisa 6.3
def test_the_page_counts_down_and_goes_on_by_itself():
    page, player = player_page("lost")
    page.reload()
    page.see("document.querySelector('#player') && !document.querySelector('#spin')?.ariaDisabled")
    assert not page.evaluate(code="!!document.querySelector('#away')"), "loading the page anew is no lost connection"
    token = page.evaluate(code="sessionStorage.getItem('token')")
    lib_pages.browser.ask("open", "lost", url=f"{place.url}/icon.svg")  # away, and another connection of the same player is cut
    person = Person(place, number=int(player.split("-")[1]))
    person.token = token
    force(place, player, pages.LOSS)
    bet(person)  # an action, lest the session should end in the meantime
    cut(person)
    lib_pages.browser.ask("open", "lost", url=f"{place.url}/#bewitched")
    page.see("/connection was lost.* In \\d+ s/.test(document.querySelector('#away')?.innerText)")  # why, and for how long
    page.picture("countdown")
    page.see("!document.querySelector('#away') && !document.querySelector('#spin')?.ariaDisabled")
    page.spin(player)
    pages.booked(page, player)


if __name__ == "__main__":
    with Installation("sessions") as place:
        with_settings()
        pages.place = place
        if shutil.which("chromium"):
            lib_pages.begin(place)
        try:
            run(*[f for name, f in list(globals().items()) if name.startswith("test_") and (lib_pages.browser or "page" not in name)])
        except SystemExit as status:
            if status.code:
                raise
        finally:
            if lib_pages.browser:
                lib_pages.browser.end()
