#!/usr/bin/env python3
"""Each game on the player's page, in a real browser: its features with scripted draws, where every phase is told and can be looked at again; its rules; and whether it
fits every window. With CARILLON_TEST_PICTURES set (`make test-long`), pictures of each state are left in build/pages/; of a failure always."""
import json

import lib_pages
from lib_deal import MISS, Deal
from lib_pages import FILES, LOSS, SKIPS, Page, booked, card_sets, cells, enter, no_problems, told
from lib_play import force, player_id
from lib_stack import ROOT, Installation, run

place = browser = None


# RULE mystic-gem 3.12, 4.10, 6.2
def test_prism_harbour():
    page, deal = enter("mystic-gem", "prism"), Deal("mystic-gem")
    player = page.text(selector="#player")
    page.spin(player, *deal.stops("base", {}, {"wild": 1}, {}, {"wild": 1}))
    assert page.shown_symbols().count("wild") == 8 and cells(page, "covered") == 6, "two reels are wild from top to bottom"
    page.collect()
    force(place, player, [0, *deal.stops("buy_2")])
    page.buy("wild_2")
    assert page.money("#stake") == 600
    assert cells(page, "covered") == 8 and "Two wild reels" in told(page)[0], told(page)
    bets = place.sql(f"select stake from wallet.journal where player = {player_id(player)} and kind = 2 order by seq")
    assert [int(row[0]) for row in bets] == [40, 600], "the price was paid"
    page.picture("bought")
    page.reload()
    page.see("document.querySelectorAll('#reels .covered').length === 8")
    page.see("document.querySelector('#player')")
    if page.evaluate(code="!!document.querySelector('#double')"):
        page.gamble()
        page.press("#red")
        page.see("document.querySelector('#play').dataset.state === 'ready' && document.querySelector('#message').innerText")
        page.picture("doubled")
    page.collect()
    page.bet(coin=125)
    page.press("#buy")
    assert page.evaluate(code="document.querySelector('[data-mode=wild_2]').ariaPressed === 'true'"), "what is bought stays chosen"
    assert page.evaluate(code="!!document.querySelector('[data-mode=wild_3]').ariaDisabled"), "71.5 times 50.00 is above the highest price"
    assert "€2,500.00" in page.text(selector="#modes")
    no_problems()


def test_frostwood_parcels():
    page, deal = enter("mystery-elves", "parcels"), Deal("mystery-elves")
    player = page.text(selector="#player")
    script = [*deal.stops("base", {"parcel": 2}, {"parcel": 2}, {"parcel": 2}), *deal.loads(5, "mystery", 1, "multiplier", 18, "mystery"), 0, *deal.loads(7), *[MISS] * 8]
    page.spin(player, *script)
    course = told(page)
    assert "6 Parcels start Hold and Win" in course[0] and "lands and stays" in course[1] and "Hold and Win ends" in course[-1], course
    assert page.evaluate(code="document.querySelectorAll('#reels .load').length") == cells(page, "held") >= 7
    assert "+" in page.text(selector="#reels .load-mystery") and "×" in page.text(selector="#reels .load-multiplier")
    page.press("#course li:nth-child(2) button")
    page.see("document.querySelectorAll('#reels .landed').length === 1")
    page.picture("landed")
    page.press("#course li:last-child button")
    pending, balance = page.money("#pending"), page.money("#balance")
    page.picture("hold-and-win")
    page.gamble()
    page.press("#halve")
    page.see(f"document.querySelector('#pending').innerText.replace(/[^0-9]/g, '') === '{pending - pending // 2}'")
    assert page.money("#balance") == balance + pending // 2
    page.press("#collect")
    page.see("!document.querySelector('#gamble')")
    page.ready()
    before = booked(page, player)
    force(place, player, LOSS)
    page.buy("hold")
    assert "Hold and Win ends" in told(page)[-1]
    assert booked(page, player) == before - 700
    page.picture("bought")
    no_problems()


def test_florentine_jewels():
    page, deal = enter("mona-lisa", "jewels"), Deal("mona-lisa")
    player = page.text(selector="#player")
    page.spin(player, *deal.stops("base", {"jewel": 2}, {"wild": 1}, {}, {"jewel": 1}), *deal.stops("jewel")[1:], *deal.stops("jewel")[1:])
    assert "jewel" in page.text(selector="#next")
    page.picture("jewels")
    page.reload()
    page.see("document.querySelector('#next') && document.querySelector('#message').innerText.includes('where you left it')")
    page.press("#fast")
    page.press("#next")
    page.see("document.querySelectorAll('#course li').length >= 3 && document.querySelector('#play').dataset.state === 'ready'")
    page.press("#course li:nth-child(3) button")
    page.see("document.querySelectorAll('#reels .held').length >= 5")
    page.picture("jewel-spin")
    # Ten free spins, the first of which starts Jewel spins: those come before the nine.
    page.spin(player, *deal.stops("base", {"easel": 1}, {"easel": 1}, {"easel": 1}), *deal.stops("free", {"jewel": 2}))
    assert "10 free spins won" in told(page)[0] and "free spins" in page.text(selector="#next")
    page.evaluate(code=SKIPS)
    page.press("#next")
    page.see("document.querySelector('#play').dataset.state === 'ready' && document.querySelectorAll('#course li').length > 1")
    kinds = [step.split()[1] for step in told(page)]
    assert kinds[:5] == ["Spin", "Free", "Jewel", "Jewel", "Free"] and kinds.count("Free") >= 10, kinds
    booked(page, player)
    page.picture("free-spins")
    no_problems()


# RULE witch-feature 3.14
def test_the_brewing_hour():
    page, deal = enter("witch-feature", "brewing"), Deal("witch-feature")
    player = page.text(selector="#player")
    unlocked = lambda: page.evaluate(code="document.querySelectorAll('#potions .feature:not(.locked)').length")  # noqa: E731
    page.spin(player, *deal.stops("base", {}, {"red": 1}, {"blue": 1}))
    assert page.evaluate(code="document.querySelectorAll('#potions .slot .art').length") == 2 and unlocked() == 1
    page.picture("collected")
    page.press("#bet-up")
    page.see("document.querySelectorAll('#potions .slot .art').length === 0")
    page.press("#bet-down")
    page.spin(player, *deal.stops("base", {}, {}, {}, {"green": 1}))
    assert "High Symbols starts" in told(page)[0] and unlocked() == 2, "what was played opens the next"
    page.picture("high-symbols")
    page.spin(player, *deal.stops("base", {}, {"red": 1}, {}, {"red": 1}))
    page.spin(player, *deal.stops("base", {}, {"red": 1}), 0)
    assert told(page)[1].startswith("2 Explosion") and cells(page, "badge") >= 1, told(page)
    page.picture("explosion")
    page.evaluate(code=SKIPS)
    page.spin(player, *deal.stops("base", {"cauldron": 1}, {}, {}, {}, {"cauldron": 1}))
    assert "10 free spins won" in told(page)[0] and len(told(page)) >= 11
    booked(page, player)
    page.picture("free-spins")
    no_problems()


# RULE bewitched 8.1, 8.4, 8.7, RULE mona-lisa 7.1, 7.4, 7.7, RULE mystery-elves 2.9, RULE witch-feature 2.6, 2.7
def test_rules_of_each_game():
    page = Page("reader")
    for game in ("mystic-gem", "mystery-elves", "mona-lisa", "witch-feature", "bewitched"):
        page.press("#home")
        page.press(f"#games [data-game={game}]")
        page.see(f"document.querySelector('#play')?.dataset.game === '{game}'")
        page.press("#rules")
        text = page.text(selector="#help")
        definition = Deal(game).definition
        assert all(symbol["name"] in text for symbol in definition["symbols"])
        assert game == "bewitched" or all(mode["published_rtp"][0]["percent"] in text for mode in definition["modes"])
        assert "at smaller odds" in text and ("multiply together" in text) == (game == "mystery-elves")
        assert game != "bewitched" or ("follow the wager" in text and page.evaluate(code="!!document.querySelector('#witch-here')"))
        assert "1 in " in text and page.evaluate(code="document.querySelectorAll('#help .payline').length") == len(definition["lines"]), "exact odds, every line"
        said = {"bewitched": ("The second is paid the seed",),
                "mona-lisa": ("only the largest bet can win them", "94.60 % at the largest bet", "whole contribution, 95.10 %.", "The second is paid the seed"),
                "witch-feature": ("its first spins return less: on average its first 1, 10 and 100 spins return 62.0, 79.9 and 92.6 %", "12,490.0 × the price"), "mystery-elves": ("a wild counts as one too", "for one spin"), "mystic-gem": ("until you turn it off", "500.4 × the price")}
        assert all(words in text for words in said[game]), (game, text)
        page.picture(f"rules-{game}")
        page.press("#help-close")
    with open(f"{ROOT}/services/spin-engine/games/bewitched/definition.json", encoding="utf-8") as file:
        live = json.load(file)
    shown = {"jackpot": {"rows_return_ppm": {"EUR": 940, "SEK": 846}, "contribution_ppm": live["jackpot"]["contribution_ppm"]}, "modes": live["modes"]}
    words = page.evaluate(code=f"import('{FILES}/help.js').then((help) => help.contributionWords({json.dumps(shown)}, 'EUR').join(' '))")
    assert all(part in words for part in ("With the jackpots at their seeds the game returns 94.60 %;", "jackpots in EUR, 94.69 %;", "for all currencies, 94.78 %;", "whole contribution, 95.10 %.")), words
    cut = page.evaluate(code=f"import('{FILES}/help.js').then((help) => ['654.666666666667', '1831054688040.99', '12490', '0.07'].map(help.grouped))")
    assert cut == ["654.6", "1,831,054,688,040.9", "12,490.0", "0.0"], cut
    no_problems()


def test_every_game_on_a_phone():
    for game in ("mystic-gem", "mystery-elves", "mona-lisa", "witch-feature"):
        page = enter(game, f"phone-{game}", width=390, height=844, still=True)
        page.spin(page.text(selector="#player"), *Deal(game).stops())
        assert page.evaluate(code="document.documentElement.scrollWidth") <= 390, f"{game} is wider than the phone"
        page.picture("spin")
        page.close()
    no_problems()


# Among them what a zoom of 200 % leaves of 1280 x 1024 and 1366 x 768.
SIZES = [(320, 568), (390, 844), (568, 320), (640, 512), (683, 384), (844, 390), (768, 1024), (1366, 768), (1920, 1080), (3840, 2160)]
# What does not fit the window, is covered, or is too small for a finger.
MISFITS = """(() => {
    const out = [], [w, h] = [innerWidth, innerHeight];
    if (document.documentElement.scrollWidth > w || document.documentElement.scrollHeight > h) out.push('scrolls');
    for (const what of ['#reels', '#balance', '#win', '#stake', '[data-main]', '#home', '#menu']) {
        const r = document.querySelector(what).getBoundingClientRect();
        if (r.left < -1 || r.top < -1 || r.right > w + 1 || r.bottom > h + 1 || r.width < 1) out.push(`${what} ${[r.left, r.top, r.right, r.bottom].map(Math.round)}`);
    }
    const main = document.querySelector('[data-main]').getBoundingClientRect();
    for (const part of [0.1, 0.5, 0.9])
        if (!document.elementFromPoint(main.left + main.width * part, main.top + main.height / 2)?.closest('[data-main]')) out.push('the main button is covered');
    for (const one of document.querySelectorAll('#play button')) {
        const r = one.getBoundingClientRect();
        if (r.width && (r.width < 43.5 || r.height < 43.5)) out.push(`${one.id || one.className} is ${Math.round(r.width)} x ${Math.round(r.height)}`);
    }
    return out;
})()"""


WIDTHS = [(320, 568), (390, 844), (700, 900), (768, 1024), (834, 1112), (880, 620), (1366, 768)]
LONGEST = "€9,999,999,999,999.99"
# With sums of this length, and news that come late: which boxes overlap, and whether the menu is in the window.
OVERLAPS = """(() => {
    for (const sum of document.querySelectorAll('#balance, #win b')) sum.textContent = '%s';
    document.querySelector('#feed').className = 'feed';
    document.querySelector('#feed span').textContent = 'delayed: some news arrives late';
    const [out, names] = [[], ['#balance', '#win b', '.betbox', '.buttons', '#home', '.status', '#rules', '#menu']];
    const boxes = names.map((name) => [name, document.querySelector(name).getBoundingClientRect()]);
    for (const [i, [name, a]] of boxes.entries()) {
        if (a.left < -1 || a.right > innerWidth + 1 || a.bottom > innerHeight + 1) out.push(`${name} is out of the window`);
        for (const [other, b] of boxes.slice(i + 1)) if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1) out.push(`${name} and ${other} overlap`);
    }
    return out;
})()""" % LONGEST


def test_the_longest_sums_and_late_news_fit():
    page = enter("mystic-gem", "longest", still=True)
    page.spin(page.text(selector="#player"), *Deal("mystic-gem").stops("base", {}, {"wild": 1}, {}, {"wild": 1}))  # a win that can be gambled
    for width, height in WIDTHS:
        page.size(width=width, height=height)
        page.see(f"innerWidth === {width} && innerHeight === {height}")
        page.see(f"({OVERLAPS}).length === 0 || (window.misfits = {OVERLAPS}, false)")
        page.picture(f"{width}x{height}")
    no_problems()


def test_every_game_fits_every_window():
    for game in ("bewitched", "mystic-gem", "mystery-elves", "mona-lisa", "witch-feature"):
        page = enter(game, f"fits-{game}", still=True)
        page.spin(page.evaluate(code="document.querySelector('#player').textContent"), *Deal(game).stops())
        for width, height in SIZES:
            page.size(width=width, height=height)
            page.see(f"innerWidth === {width} && innerHeight === {height}")
            page.see(f"({MISFITS}).length === 0 || (window.misfits = {MISFITS}, false)")
            page.picture(f"{width}x{height}")
        page.close()
        browser.open.discard(page.name)
    no_problems()


if __name__ == "__main__":
    place = Installation("pages-games")
    card_sets(place)
    with lib_pages.browsing(place) as browser:
        run(*[lib_pages.closing(f) for name, f in list(globals().items()) if name.startswith("test_")])
