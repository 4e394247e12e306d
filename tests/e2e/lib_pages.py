"""Drives Chromium for the tests of the pages and for the pictures: a browser, and a page in it that plays as a person does."""
import collections
import contextlib
import functools
import json
import os
import re
import shutil
import subprocess

from lib_patience import time_out
from lib_play import RULES, force, player_id
from lib_stack import ROOT, eventually, witnesses

PICTURES = f"{ROOT}/build/pages"
FILES = "/a.000000000000.a"  # what the pages load: a folder of another build, for which the gateway gives its own
CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
LOSS = RULES.stops()
READY = "document.querySelector('#spin') && !document.querySelector('#spin').ariaDisabled"
# As a person does: the total of a feature that is over is read and collected.
COLLECTS = "document.querySelector('#celebration.total') && document.querySelector('#tally')?.click()"
# As a person does: what a busy server, or a game's page beside it, could not give just now is asked for again.
CHECKS_AGAIN = "document.querySelector('#fair-error') && document.querySelector('#fair-check:enabled')?.click()"
# What is told for some seconds only, which may be over when the page is looked at.
HEARD = ("{ window.news = ''; const at = document.querySelector('#news');"
         " new MutationObserver(() => { window.news += at.innerText; }).observe(at, { childList: true, subtree: true, characterData: true }); }")
# Presses the main button whenever it shortens what is shown: how long features draw out is chance.
SKIPS = ("new MutationObserver(() => { const main = document.querySelector('[data-main]'); if (['skip', 'tally'].includes(main?.id)) main.click(); })"
         ".observe(document.body, { attributes: true, childList: true, subtree: true });")
place = browser = None  # set by begin()


def begin(installation):
    """The pages of this installation are the ones that are opened; returns the browser."""
    global place, browser
    place, browser = installation, Browser()
    return browser


@contextlib.contextmanager
def browsing(installation):
    """The installation, and a browser for its pages."""
    with installation:
        chosen = begin(installation)
        try:
            yield chosen
        except SystemExit as status:  # the tests have run
            if status.code:
                raise
        finally:
            chosen.end()


class Browser:
    def __init__(self):
        modules = subprocess.run([f"{ROOT}/scripts/web.sh", "modules"], capture_output=True, text=True, timeout=time_out(30), check=True).stdout.strip()
        self.process = subprocess.Popen(["node", f"{ROOT}/tests/e2e/pages.mjs", modules, CHROMIUM, str(int(1000 * time_out(22.5)))], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.reads, self.open = collections.deque(maxlen=12), set()
        witnesses.append(lambda: "what the pages showed last:\n" + "\n".join(self.reads))

    def ask(self, do, page=None, **more):
        self.process.stdin.write(json.dumps({"do": do, "page": page, **more}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, f"the browser is gone at {do}"
        answer = json.loads(line)
        assert "error" not in answer, f"{do} {page} {more}: {answer['error']}"
        if do in ("text", "evaluate"):
            self.reads.append(f"  {page}: {more.get('selector') or more.get('code')}: {json.dumps(answer['result'], ensure_ascii=False)[:300]}")
        return answer["result"]

    def end(self):
        self.process.stdin.close()
        self.process.wait(time_out(60))


class Page:
    def __init__(self, name, path="/#bewitched", at=None, **more):
        """`at`: a whole address, of another server. `still`: of a player who wants less motion, for tests that look at none: to draw it is most of their work."""
        self.name = name
        browser.open.add(name)
        browser.ask("open", name, url=at or place.url + path, **more)

    def __getattr__(self, do):
        return lambda **more: browser.ask(do, self.name, **more)

    def see(self, code, ms=None):
        """Waits until the expression is true in the page."""
        try:
            self.wait(code=code, **({"ms": ms} if ms else {}))
        except AssertionError as error:
            self.picture("failed")
            raise AssertionError(f"{self.name} never saw {code}; it shows: {self.text(selector='body')[:1500]}") from error

    def press(self, selector):
        self.click(selector=selector)

    def money(self, selector):
        return int(re.sub(r"[^0-9]", "", self.text(selector=selector)))

    def idle(self):
        self.see(f"({COLLECTS}, document.querySelector('#play').dataset.state === 'ready')")

    def picture(self, what):
        if what != "failed" and "CARILLON_TEST_PICTURES" not in os.environ:
            return
        os.makedirs(PICTURES, exist_ok=True)
        self.shot(path=f"{PICTURES}/{self.name}-{what}.png")

    def ready(self):
        """Until the main button spins."""
        self.see(f"({COLLECTS}, {READY})")

    def bet(self, **choices):
        """The choices of the bet's window: coin, lines, coins, witch."""
        self.press("#bet-open")
        for name, value in choices.items():
            self.select(selector=f"#{name}", value=value)
        self.press("#bet-close")

    def buy(self, mode):
        """Buys a mode, which spins at once; back when the page is ready for what comes next."""
        before = self.text(selector="#round")
        self.press("#buy")
        self.press(f"#modes [data-mode={mode}]")
        self.press("#yes")
        self.see(f"document.querySelector('#round').innerText !== {json.dumps(before)}")
        self.idle()

    def autospin(self, spins):
        self.press("#auto")
        self.fill(selector="#autospins", value=spins)
        self.press("#autostart")

    def gamble(self):
        self.press("#double")
        self.see("document.querySelector('#gamble')")

    def window_of(self, opener, name):
        """Presses what opens a window; that window, as a page of this name."""
        self.popup(selector=opener, opens=name)
        browser.open.add(name)
        opened = object.__new__(Page)
        opened.name = name
        return opened

    def login(self):
        self.press("#login")
        self.see(f"document.querySelector('#player') && {READY}")
        return self.text(selector="#player").strip().split()[-1]

    def spin(self, player, *script):
        """One spin with these draws; back when the page is ready for what comes next."""
        self.collect()
        force(place, player, list(script) or LOSS)
        before = self.text(selector="#round")
        self.press("#spin")
        self.see(f"document.querySelector('#round').innerText !== {json.dumps(before)}")
        self.idle()

    def collect(self):
        """What the last round left open, if anything."""
        if self.evaluate(code="!!document.querySelector('#collect')"):
            self.press("#collect")
            self.ready()

    def verdict(self):
        """Until the fairness page has one on the round that its address names."""
        self.see(f"({CHECKS_AGAIN}, document.querySelector('#verdict'))")

    def shown_symbols(self):
        return self.evaluate(code="[...document.querySelectorAll('#reels [data-symbol]')].map((cell) => cell.dataset.symbol)")


def closing(test, kept=()):
    """The test, and then nothing of its pages, those named excepted: they would be drawn on, unseen, at the cost of those that follow."""
    @functools.wraps(test)
    def closed():
        try:
            test()
        finally:
            for name in [name for name in browser.open if name not in kept]:
                browser.ask("close", name)
                browser.open.remove(name)
    return closed


def no_problems():
    found = browser.ask("problems")
    assert not found, "\n".join(found)


# ---- what several tests of pages do and look at ----

def enter(game, name, **more):
    page = Page(name, f"/#{game}", **more)
    page.see(f"document.querySelector('#play')?.dataset.game === '{game}'")
    page.login()
    page.press("#fast")
    return page


def second_device(page, name, **more):
    """The same player in another browser, at the same game; what is open there is shown."""
    game, token = page.evaluate(code="[document.querySelector('#play').dataset.game, sessionStorage.getItem('token')]")
    other = Page(name, f"/#{game}", apart=True, **more)
    other.evaluate(code=f"sessionStorage.setItem('token', {json.dumps(token)})")
    other.reload()
    other.see("document.querySelector('#player')")
    return other


def told(page):
    """The round's course as it is told, a line a phase."""
    return [text.replace("\n", " ") for text in page.evaluate(code="[...document.querySelectorAll('#course li')].map((step) => step.innerText)")]


def cells(page, which):
    return page.evaluate(code=f"document.querySelectorAll('#reels .{which}').length")


def focus(page):
    return page.evaluate(code="document.activeElement?.id || document.activeElement?.tagName")


def tab_to(page, selector, most=200):
    """By the Tab key alone."""
    passed = []
    for _ in range(most):
        if page.evaluate(code=f"document.activeElement?.matches({selector!r}) ?? false"):
            return
        passed.append(focus(page))
        page.key(key="Tab")
    raise AssertionError(f"{selector}: not within {most} Tabs, which reached {passed}")


def state_of(player):
    return int(place.sql(f"select balance_after from wallet.journal where player = {player_id(player)} order by seq desc limit 1")[0][0])


def booked(page, player):
    """The balance that is shown, once the ledger's copy in the database says the same."""
    eventually("the page shows what is booked", lambda: page.money("#balance") == state_of(player), 30)
    return page.money("#balance")


# ---- Jackpot Cards: certain in crowns, and next to never in euros ----

SUITS = ["clubs", "diamonds", "hearts", "spades"]
SEEDS = [500, 1000, 2000, 4000]
CARDS_ID = "document.querySelector('#cards')?.dataset.id ?? ''"


def card_sets(place):
    """A set of which only hearts are won, begun by each stake of 1.00 SEK and more."""
    os.makedirs(f"{place.data}/sets")
    levels = [{"suit": suit, "seed_eur_minor": seed, "wager_ppm": 1000, "weight": int(suit == "hearts")} for suit, seed in zip(SUITS, SEEDS)]
    with open(f"{place.data}/sets/cards.json", "w", encoding="utf-8") as file:
        json.dump({"set": "cards", "set_number": 2, "levels": levels, "odds": {"EUR": {"in": 1, "of": 10000000000}, "SEK": {"in": 1, "of": 100}}}, file)
    place.environment.update(CARILLON_CARD_SETS=f"{place.data}/sets")


def enter_in_crowns(name, **more):
    answer = place.http("POST", "/v1/demo/sessions", {"currency": "SEK"})
    assert answer.status == 200, answer
    page = Page(name, "/#mystic-gem", **more)
    page.evaluate(code=f"sessionStorage.setItem('token', {json.dumps(answer.json['token'])})")
    page.reload()
    page.see("document.querySelector('#player') && document.querySelector('#spin') && !document.querySelector('#spin').ariaDisabled")
    page.press("#fast")
    return page, answer.json["player"]


def open_cards(page):
    return page.evaluate(code="[...document.querySelectorAll('#cards .place.open')].map((card) => card.dataset.place)")


def turn(page, at, gone="false"):
    """One card, by a click; the suit that was under it."""
    page.see("['ready', 'won', 'booked'].includes(document.querySelector('#cards')?.dataset.state)")
    page.press(f"#cards [data-place='{at}']")
    page.see(f"document.querySelector('#cards .place.open[data-place=\"{at}\"]') || {gone}")
    return page.evaluate(code=f"document.querySelector('#cards [data-place=\"{at}\"]')?.dataset.suit")


def turn_all(page, places):
    """To the prize on the balance, after which autospin takes the cards away by itself, and may begin the next."""
    gone = f"document.querySelector('#cards')?.dataset.id !== {json.dumps(page.evaluate(code=CARDS_ID))}"
    suits = []
    for at in places:
        suits.append(turn(page, at, gone))
        if page.evaluate(code=f"{gone} || ['won', 'booked'].includes(document.querySelector('#cards').dataset.state)"):
            break
    page.see(f"{gone} || document.querySelector('#cards').dataset.state === 'booked'")
    return suits


def awarded(player):
    return [int(row[0]) for row in place.sql(f"select amount from wallet.journal where player = {player_id(player)} and kind = 24 and refusal = 0 order by seq")]
