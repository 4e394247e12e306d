#!/usr/bin/env python3
"""The player's page in Firefox and in WebKitGTK: one round of each game, with a feature in one, by scripted draws. What was drawn stands on the reels, what
was booked is shown, nothing errs. Pictures are left in build/browsers/. `browsers.py [test_firefox] [test_webkit]`: only these."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
# pylint: disable=wrong-import-position
from lib_browsers import Firefox, WebKit
from lib_deal import Deal
from lib_play import RULES, force, player_id
from lib_stack import ROOT, Installation, eventually, run

GAMES = ("bewitched", "mystic-gem", "mystery-elves", "mona-lisa", "witch-feature")
MAX = {"coin_minor": 1, "lines": 15, "coins": 1}
PICTURES = f"{ROOT}/build/browsers"
READY = "document.querySelector('#play')?.dataset.state === 'ready' && document.querySelector('[data-main]:not([aria-disabled])')"
# As a person does: what is shown is sped up, and a total is collected.
HURRIES = "(['skip', 'tally'].includes(document.querySelector('[data-main]')?.id) && document.querySelector('[data-main]').click(), 0)"
place = None


def symbols_at(game, stops):
    """What stands on the reels, reel by reel, in a draw without wild reels or loads."""
    deal, window = Deal(game), []
    for reel, stop in enumerate(stops):
        symbols, raw = deal.reel("base", reel)
        at = raw.index(stop)
        window += [symbols[(at + row) % len(symbols)] for row in range(deal.rows)]
    return window


def nothing(game):
    deal = Deal(game)
    sticky = (deal.definition.get("sticky_respins") or {}).get("symbol")
    return deal.stops("base", *[{sticky: 0}] * deal.definition["grid"]["reels"]) if sticky else deal.stops()


def booked(player):
    rows = place.sql(f"select balance_after from wallet.journal where player = {player_id(player)} order by seq desc limit 1")
    return int(rows[0][0]) if rows else None


def collect(browser):
    """What the last round left open, if anything."""
    if browser.evaluate("!!document.querySelector('#collect')"):
        browser.press("#collect")
    browser.see("document.querySelector('#spin:not([aria-disabled])')")


def one_round(browser, game, player):
    browser.see(f"document.querySelector('#play')?.dataset.game === '{game}' && {READY}")
    collect(browser)
    stops, before = nothing(game), browser.text("#round")
    force(place, player, stops)
    browser.press("#spin")
    browser.see(f"!['…', {before!r}].includes(document.querySelector('#round').innerText) && {READY}")
    shown = browser.evaluate("[...document.querySelectorAll('#reels [data-symbol]')].map((cell) => cell.dataset.symbol)")
    assert shown == symbols_at(game, stops), f"{game}: the reels show {shown}, drawn was {symbols_at(game, stops)}"
    misfits = browser.evaluate("[document.documentElement.scrollWidth - innerWidth, document.querySelector('[data-main]').getBoundingClientRect().bottom - innerHeight].filter((n) => n > 1)")
    assert not misfits, f"{game}: does not fit the window by {misfits}"
    browser.picture(f"{PICTURES}/{browser.name}-{game}.png")


def feature(browser, player):
    """The vials, whose outcome the player sees last, and the total of the feature."""
    collect(browser)
    before = browser.money("#balance")
    force(place, player, [*RULES.stops(bonuses=3), RULES.vial_value("money", 50, MAX)])
    browser.press("#spin")
    browser.see(f"({HURRIES}, document.querySelector('#vials'))")
    browser.picture(f"{PICTURES}/{browser.name}-vials.png")
    for vial in (0, 4, 8):
        browser.see("document.querySelector('#play').dataset.state === 'ready'")
        browser.press(f"#vials [data-vial='{vial}']")
    browser.see("document.querySelector('#celebration.total')?.innerText.includes('7.50')")
    browser.picture(f"{PICTURES}/{browser.name}-total.png")
    browser.press("#tally")
    browser.see(f"document.querySelector('#balance').innerText.replace(/[^0-9]/g, '') === '{before - 15 + 750}'")
    eventually("the same in the books", lambda: booked(player) == before - 15 + 750, 5)


def plays(kind):
    browser = kind(1180, 820)
    try:
        browser.open(place.url + "/")
        browser.watch()
        browser.see("document.querySelectorAll('#games .gametile').length === 5")
        browser.press("#login")
        browser.see("document.querySelector('#player')")
        player = browser.text("#player").strip()
        browser.picture(f"{PICTURES}/{browser.name}-lobby.png")
        for game in GAMES:
            browser.press(f"#games [data-game={game}]")
            one_round(browser, game, player)
            if game == "bewitched":
                feature(browser, player)
            browser.see("document.querySelector('#home:not([aria-disabled])')")
            browser.press("#home")
            browser.see("document.querySelector('#lobby')")
        assert browser.faults() == [], browser.faults()
        eventually("the page shows what is booked", lambda: booked(player) == browser.evaluate("Number(document.querySelector('#lobby header b').innerText.replace(/[^0-9]/g, ''))"), 5)
    except BaseException:
        browser.picture(f"{PICTURES}/{browser.name}-failed.png")
        raise
    finally:
        browser.end()


def test_firefox():
    plays(Firefox)


def test_webkit():
    plays(WebKit)


if __name__ == "__main__":
    os.makedirs(PICTURES, exist_ok=True)
    place = Installation("browsers")
    with place:
        run(test_firefox, test_webkit)
