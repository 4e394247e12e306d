"""Drives Chromium for the tests of the pages and for the pictures: a browser, and a page in it that plays as a person does."""
import collections
import functools
import json
import os
import re
import shutil
import subprocess

from lib_play import RULES, force
from lib_stack import ROOT, witnesses

PICTURES = f"{ROOT}/build/pages"
FILES = "/a.000000000000.a"  # what the pages load: a folder of another build, for which the gateway gives its own
CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
LOSS = RULES.stops()
READY = "document.querySelector('#spin') && !document.querySelector('#spin').ariaDisabled"
# As a person does: the total of a feature that is over is read and collected.
COLLECTS = "document.querySelector('#celebration.total') && document.querySelector('#tally')?.click()"
# As a person does: what a busy server, or a game's page beside it, could not give just now is asked for again.
CHECKS_AGAIN = "document.querySelector('#fair-error') && document.querySelector('#fair-check:enabled')?.click()"
place = browser = None  # set by begin()


def begin(installation):
    """The pages of this installation are the ones that are opened; returns the browser."""
    global place, browser
    place, browser = installation, Browser()
    return browser


class Browser:
    def __init__(self):
        modules = subprocess.run([f"{ROOT}/scripts/web.sh", "modules"], capture_output=True, text=True, timeout=120, check=True).stdout.strip()
        self.process = subprocess.Popen(["node", f"{ROOT}/tests/e2e/pages.mjs", modules, CHROMIUM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
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
        self.process.wait(120)


class Page:
    def __init__(self, name, path="/#bewitched", at=None, **more):
        """`at`: a whole address, of another server. `still`: of a player who wants less motion, for tests that look at none: to draw it is most of their work."""
        self.name = name
        browser.open.add(name)
        browser.ask("open", name, url=at or place.url + path, **more)

    def __getattr__(self, do):
        return lambda **more: browser.ask(do, self.name, **more)

    def see(self, code, ms=40000):
        """Waits until the expression is true in the page."""
        try:
            self.wait(code=code, ms=ms)
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
