#!/usr/bin/env python3
"""The player's page for everybody: what axe finds, the keyboard alone in each game, less motion; and what the page weighs. Timings are printed, never
asserted: another machine has others."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
# pylint: disable=wrong-import-position
import lib_desk as console
import lib_console
import lib_pages
from lib_deal import Deal
from lib_pages import LOSS, READY, Page, closing, tab_to
from lib_play import RULES, force
from lib_proxy import http2
from lib_slow import mobile
from lib_stack import Installation, run

GAMES = ("bewitched", "mystic-gem", "mystery-elves", "mona-lisa", "witch-feature")
MAX = {"coin_minor": 1, "lines": 15, "coins": 1}
FIRST_BYTES_MAX = 150_000  # to the first spin, compressed
place = browser = None


def no_faults(page, what):
    found = page.axe()
    assert not found, f"{what}:\n" + "\n".join(found)


# What the open window has that is cut at its side, or too small for a finger. A link in a sentence is as high as its line; a box is pressed by its label.
CRAMPED = """(() => {
    const shown = document.querySelector('dialog[open]'), edge = shown.getBoundingClientRect(), found = [];
    for (const one of shown.querySelectorAll('button, select, input, a')) {
        const of = one.type === 'checkbox' ? one.closest('label') ?? one : one, { left, right, width, height } = of.getBoundingClientRect();
        if (!width || of.matches('p a, td a')) continue;
        if (width < 43.5 || height < 43.5) found.push(`${one.id || one.innerText || one.type}: ${Math.round(width)} x ${Math.round(height)}`);
        if (left < edge.left - 1 || right > edge.right + 1) found.push(`${one.id || one.innerText || one.type}: from ${Math.round(left)} to ${Math.round(right)}`);
    }
    return found;
})()"""


def fits(page, what):
    """Whether the open window can be used in the smallest windows, upright and sideways."""
    for width, height in ((320, 568), (568, 320)):
        page.size(width=width, height=height)
        found = page.evaluate(code=CRAMPED)
        assert not found, f"{what}, {width} x {height}: {found}"
    page.size(width=1280, height=900)


def opened(page, opener, what, close=".x"):
    """A window by its opener, and what axe says of it."""
    for selector in opener:
        page.press(selector)
    page.see("document.querySelector('dialog[open]')")
    no_faults(page, what)
    fits(page, what)
    if close:
        page.evaluate(code=f"document.querySelector('dialog[open] {close}').click()")
        page.see("!document.querySelector('dialog[open]')")


def test_axe_finds_nothing_serious():
    page = Page("reader", "/")
    page.see("document.querySelectorAll('#games .gametile').length === 5")
    no_faults(page, "lobby")
    for game in GAMES:
        page = Page(f"reader-{game}", f"/#{game}")
        page.see(f"document.querySelector('#play')?.dataset.game === '{game}'")
        player = page.login()
        force(place, player, Deal(game).stops("base", *([{}, {"wild": 1}, {}, {"wild": 1}] if game == "mystic-gem" else [])))
        page.press("#fast")
        page.press("#spin")
        page.idle()
        no_faults(page, f"{game} after a spin")
        browser.ask("close", page.name)
        browser.open.discard(page.name)


def test_axe_finds_nothing_serious_in_windows_and_scenes():
    page = Page("windows", "/#bewitched")
    player = page.login()
    page.press("#fast")
    page.spin(player, *RULES.stops(win=True, bet=MAX))
    page.gamble()
    no_faults(page, "gamble")
    page.collect()
    opened(page, ["#bet-open"], "bet")
    opened(page, ["#rules"], "rules", "#help-close")
    opened(page, ["#auto"], "autospin")
    opened(page, ["#menu"], "menu")
    for name in ("history", "session", "limits"):
        opened(page, ["#menu", f"#menu-{name}"], name)
    opened(page, ["#menu", "#menu-history"], "history", None)
    page.press("#history tbody tr button")
    page.see("document.querySelector('#replay-reels')")
    no_faults(page, "replay")
    page.press("#historywindow-close")
    page.spin(player, *RULES.stops(bonuses=3), RULES.vial_value("money", 50, MAX))
    page.see("document.querySelector('#vials')")
    no_faults(page, "vials")


# RULE bewitched 8.2, RULE mona-lisa 7.2, RULE mystic-gem 8.2, RULE witch-feature 9.1
def test_the_keyboard_alone_plays_each_game():
    page = Page("typist", "/")
    page.see("document.querySelector('#login')")
    tab_to(page, "#login")
    page.key(key="Enter")
    page.see("document.querySelector('#player')")
    player = page.text(selector="#player").strip()
    for game in GAMES:
        tab_to(page, f"[data-game={game}]")
        page.key(key="Enter")
        page.see(f"document.querySelector('#play')?.dataset.game === '{game}' && {READY}")
        tab_to(page, "#fast")
        if page.evaluate(code="document.querySelector('#fast').ariaPressed !== 'true'"):
            page.key(key="Enter")
        tab_to(page, "#bet-up")
        stake = page.text(selector="#stake")
        page.key(key="Space")
        page.see(f"document.querySelector('#stake').innerText !== {stake!r}")
        deal = Deal(game)
        sticky = (deal.definition.get("sticky_respins") or {}).get("symbol")
        force(place, player, deal.stops("base", *[{sticky: 0}] * 5) if sticky else deal.stops())
        before = page.text(selector="#round")
        tab_to(page, "#spin")
        page.key(key="Enter")
        page.see(f"document.querySelector('#round').innerText !== {before!r} && document.querySelector('#play').dataset.state === 'ready'")
        if page.evaluate(code="document.activeElement.id") == "collect":
            page.key(key="Enter")
        page.ready()
        assert page.evaluate(code="document.activeElement.id") == "spin", game
        tab_to(page, "#rules")
        page.key(key="Enter")
        page.see("document.querySelector('#help[open]')")
        page.key(key="Escape")
        page.see("!document.querySelector('#help') && document.activeElement.id === 'rules'")
        tab_to(page, "#home")
        page.key(key="Enter")
        page.see("document.querySelector('#lobby')")


def test_nothing_moves_for_who_wants_less_motion():
    page = Page("still", "/#bewitched")
    page.less_motion()
    player = page.login()
    page.evaluate(code="{ window.moved = 0; setInterval(() => { window.moved = Math.max(window.moved, document.getAnimations().length); }, 20); }")
    page.spin(player, *RULES.stops(win=True, bet=MAX))
    page.collect()
    page.spin(player, *LOSS)
    assert page.evaluate(code="window.moved") == 0


def first_look(url, slower=None):
    return browser.ask("first_look", url=f"{url}/play/bewitched/", slower=slower)


def phone_looks(url, how, slower=4):
    """The times of three first looks, from the quickest."""
    times = sorted(first_look(url, slower)["ms"] for _ in range(3))
    print(f"        {how}: playable after {times} ms")


def test_what_the_page_weighs():
    seen = first_look(place.url)
    print(f"        no throttling: {seen['bytes']} bytes in {seen['requests']} requests, playable after {seen['ms']} ms")
    assert seen["bytes"] <= FIRST_BYTES_MAX, seen
    port = int(place.url.rsplit(":", 1)[1])
    phone_looks(place.url, "processor 4 times slower")
    with mobile(port) as slow:
        phone_looks(slow, "1.6 Mbit/s, 150 ms", 1)
        phone_looks(slow, "a middling phone: both")
    with http2(port) as proxied, mobile(int(proxied.rsplit(":", 1)[1])) as slow:
        phone_looks(slow.replace("http:", "https:"), "a middling phone, by HTTP/2 through a proxy")
    page = Page("spinner", "/#bewitched", width=1366, height=768)
    player = page.login()
    for slower in (1, 4):
        force(place, player, *[LOSS] * 3)
        page.watch_frames(slower=slower)
        for _ in range(3):
            before = page.text(selector="#round")
            page.press("#spin")
            page.see(f"document.querySelector('#round').innerText !== {before!r} && document.querySelector('#play').dataset.state === 'ready'")
        seen = page.frames_seen()
        print(f"        three spins, processor {slower} times slower: {seen['frames']} frames, p50 {seen['p50']} ms, p95 {seen['p95']} ms, longest {seen['longest']} ms; tasks above 50 ms: {seen['long_tasks']}")


def test_axe_finds_nothing_serious_on_the_console():
    """Last: its operator stops offering a game."""
    lib_console.people(place)
    person, number = lib_console.played(place)
    for scheme in ("dark", "light"):
        page = Page(f"desk-{scheme}", "/operator/", apart=True, dark=scheme == "dark")
        page.see("document.querySelector('input[name=name]')")
        no_faults(page, "login")
        console.inside(page, "anna")
        for screen in lib_console.screens_of(person, number):
            console.go(page, screen)
            no_faults(page, f"{screen}, {scheme}")
            for title in lib_console.each_form(page) if scheme == "dark" else ():
                no_faults(page, f"{screen}: {title}")
        browser.ask("close", page.name)
        browser.open.discard(page.name)


if __name__ == "__main__":
    place = Installation("access")
    with lib_pages.browsing(place) as browser:
        run(*[closing(f) for name, f in list(globals().items()) if name.startswith("test_")])
