#!/usr/bin/env python3
"""A game in a frame of an operator's site, in Chromium: the example page of docs/launch.md on an origin of its own opens it, hears what happens, and
another site cannot show it."""
import functools
import http.server
import json
import threading
from urllib.parse import urlencode

import lib_pages
from lib_pages import LOSS, READY, Page, closing, no_problems
from lib_play import RULES, force, good
from lib_stack import ROOT, Installation, eventually, run

MAX = {"coin_minor": 1, "lines": 15, "coins": 1}
place = browser = site = None


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        """Says nothing."""


def example_site():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=f"{ROOT}/docs/example-host"))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def session():
    answer = eventually("a session", lambda: good(place.http("POST", "/v1/demo/sessions", {}), "a session"), 20)
    return answer.json["token"], answer.json["player"]


class Framed:
    """The operator's page, and the game in its frame."""

    def __init__(self, name, token, host="127.0.0.1", operator=1, game="bewitched", **more):
        query = urlencode({"carillon": place.url, "game": game, "operator": operator, "token": token})
        self.page = Page(name, at=f"http://{host}:{site.server_port}/?{query}", apart=True, **more)

    def inside(self, do, **more):
        return browser.ask("inframe", self.page.name, what=do, **more)

    def told(self, kind):
        return [one for one in self.page.evaluate(code="window.told") if one["type"] == kind]

    def hears(self, kind, n=1):
        return eventually(f"{n} times {kind}", lambda: len(found := self.told(kind)) >= n and found, 20)


def test_an_operators_site_shows_the_game_and_hears_of_it():
    token, player = session()
    framed = Framed("casino", token)
    [ready] = framed.hears("ready")
    assert (ready["player"], ready["currency"], ready["digits"], ready["balance_minor"], ready["game"], ready["version"]) == (player, "EUR", 2, 100000, "bewitched", 1), ready
    assert token not in framed.inside("evaluate", code="location.href"), "the token has left the address"
    force(place, player, LOSS, RULES.stops(win=True, bet=MAX))
    framed.inside("click", selector="#spin")
    [begun], [ended] = framed.hears("round_begun"), framed.hears("round_ended")
    assert begun["stake_minor"] == 15 and (ended["stake_minor"], ended["win_minor"]) == (15, 0), (begun, ended)
    framed.inside("click", selector="#spin")
    framed.inside("click", selector="#collect")
    won = framed.hears("round_ended", 2)[-1]
    assert won["win_minor"] == sum(RULES.line_wins(RULES.window(RULES.stops(win=True, bet=MAX)), MAX, 1)), won
    eventually("the balance", lambda: framed.told("balance")[-1]["balance_minor"] == 100000 - 30 + won["win_minor"], 20)
    assert framed.page.text(selector="#balance") == f"{(100000 - 30 + won['win_minor']) / 100:.2f} EUR"
    framed.page.reload()
    framed.hears("ready")


def test_a_limit_is_told_and_the_site_may_stop_autospin():
    token, player = session()
    framed = Framed("limited", token)
    framed.hears("ready")
    force(place, player, *[LOSS] * 100)
    framed.inside("click", selector="#auto")
    framed.inside("click", selector="#autoplay .quick button:last-child")
    framed.inside("click", selector="#autostart")
    framed.hears("round_ended")
    framed.page.press("#stop")
    # The page first tells the server, too: until then some spins are left, and could be resumed.
    over = f"!!({READY}) && !document.querySelector('#autoresume')"
    eventually("autospin to end", lambda: framed.inside("evaluate", code=over), 20)
    assert len(framed.told("round_begun")) < 100, "a hundred spins were asked for"
    wanted = {"name": "wager", "period": "day", "limit": 1}
    eventually("the limit", lambda: good(place.http("POST", "/v1/limits", wanted, token=token), "the limit"), 20)

    def known():
        """Until a refusal can name it: the limits that are read may be behind those that are kept."""
        limits = good(place.http("GET", "/v1/limits", token=token), "the limits").json["limits"]
        return any(all(one[name] == wanted[name] for name in wanted) for one in limits)
    eventually("the limit to be known", known, 20)
    framed.inside("click", selector="#spin")
    [limit] = framed.hears("limit_reached")
    assert limit["limit"]["name"] == "wager", limit
    browser.ask("problems")  # the refusal itself


def test_the_player_leaves_by_the_sites_lobby_and_pays_by_its_cashier():
    token, _ = session()
    framed = Framed("leaver", token)
    framed.hears("ready")
    framed.inside("click", selector="#menu")
    framed.inside("click", selector="#menu-cashier")
    framed.hears("cashier")
    framed.inside("click", selector="#home")
    [close] = framed.hears("close")
    assert close["reason"] == "player", close
    framed.page.see("document.body.dataset.closed === 'yes' && !document.querySelector('iframe')")


def test_another_site_cannot_show_the_game():
    token, _ = session()
    for name, host, operator in (("stranger", "localhost", 1), ("other-operator", "127.0.0.1", 2)):
        framed = Framed(name, token, host=host, operator=operator)
        eventually("the browser to refuse", lambda: any("frame" in problem.lower() for problem in browser.ask("problems")), 20)
        assert framed.page.evaluate(code="window.told.length") == 0
    for path in ("/", "/operator/", "/rules/bewitched/"):
        policy = place.http("GET", f"{path}?operator=1").headers["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in policy, (path, policy)


def test_a_browser_that_keeps_nothing_for_frames():
    token, player = session()
    framed = Framed("forgetful", token, host="localhost", operator=3, keepsnothing=True)
    framed.hears("ready")
    force(place, player, LOSS)
    framed.inside("click", selector="#spin")
    framed.hears("round_ended")
    framed.inside("click", selector="#sound")
    framed.inside("click", selector="#menu")
    framed.inside("click", selector="#menu-session")
    framed.inside("click", selector="#session-on")
    no_problems()


def test_a_round_is_proven_from_another_sites_frame():
    token, player = session()
    framed = Framed("doubter", token, host="localhost", operator=3)
    framed.hears("ready")
    force(place, player, LOSS)
    framed.inside("click", selector="#spin")
    framed.hears("round_ended")
    framed.inside("click", selector="#menu")
    framed.inside("click", selector="#menu-history")
    prover = framed.page.window_of("#history a[href*=fairness]", "prover")
    prover.verdict()  # the draws were scripted, so the screens cannot agree; the promise does
    assert not prover.evaluate(code="sessionStorage.getItem('token')"), "the session stays in the game"
    assert prover.evaluate(code="document.querySelector('[data-check=secret]').dataset.state") == "agrees"
    prover.evaluate(code="document.querySelector('.fairphase').open = true")
    assert "where reel 1 stops" in prover.text(selector=".draws")
    alone = Page("alone", "/fairness/#round=1", apart=True)
    alone.see("document.querySelector('#fair-error')")
    no_problems()


def test_the_balance_is_read_again_once_the_move_is_over():
    token, player = session()
    framed = Framed("payer", token)
    framed.hears("ready")
    force(place, player, LOSS)
    framed.inside("click", selector="#spin")
    framed.hears("round_begun")
    number, body = player.split("-")[1], {"amount_minor": 5000, "currency": "EUR"}

    def deposited():
        answer = place.http("POST", f"/v1/operators/1/players/{number}/deposits", body,
                            token=place.operator_key(), key="while-it-turns")
        return answer if answer.status not in (503, 504) else None
    answer = eventually("the deposit's answer", deposited, 20)
    assert answer.status in (200, 201), answer
    asked = "{ window.asked = 0; const { fetch } = window; window.fetch = (path, ...more) => { if (String(path).startsWith('/v1/state')) window.asked += 1; return fetch(path, ...more); }; }"
    framed.inside("evaluate", code=asked)
    framed.page.evaluate(code="document.querySelector('iframe').contentWindow.postMessage({ target: 'carillon', type: 'refresh' }, '*')")
    eventually("the state to be read", lambda: framed.inside("evaluate", code="window.asked") >= 1, 20)
    eventually("the deposit", lambda: framed.told("balance")[-1]["balance_minor"] == 100000 - 15 + 5000, 20)
    browser.ask("problems")


def test_in_a_window_of_its_own():
    token, _ = session()
    address = f"http://127.0.0.1:{site.server_port}/"
    page = Page("own", f"/play/mona-lisa/?operator=1#{urlencode({'token': token, 'lang': 'sv', 'lobby': address, 'cashier': 'javascript:alert(1)'})}")
    page.see("document.querySelector('#spin')?.innerText.includes('Snurra')")
    page.press("#menu")
    assert not page.evaluate(code="!!document.querySelector('#menu-cashier')"), "no script is an address"
    page.press("#menuwindow-close")
    page.press("#home")
    page.see(f"location.href.startsWith({json.dumps(address)})")
    missing = place.http("GET", "/play/no-such-game/")
    assert missing.status == 404, missing
    browser.ask("problems")  # the example page has no lobby


if __name__ == "__main__":
    site = example_site()
    place = Installation("launch", kafka=False)
    place.environment.update(CARILLON_FRAMES=f"1=http://127.0.0.1:{site.server_port},3=http://localhost:{site.server_port}")
    with lib_pages.browsing(place) as browser:
        run(*[closing(f) for name, f in list(globals().items()) if name.startswith("test_")])
