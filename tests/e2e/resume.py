#!/usr/bin/env python3
"""Play that is cut off and goes on: every stage of a round is left by a reload and found again as it was, also on a second device of the same player. The
second device finishes it, and the balance that both show is the ledger's."""
import lib_pages
from lib_deal import Deal
from lib_pages import LOSS, READY, SKIPS, awarded, booked, card_sets, enter, enter_in_crowns, no_problems, open_cards, second_device, turn, turn_all
from lib_play import RULES
from lib_stack import Installation, eventually, run

MAX = {"coin_minor": 1, "lines": 15, "coins": 1}
BONUS = RULES.stops(bonuses=3)
place = browser = None

# What a person sees of the game: the reels, the money, what is asked of them. Without what comes with the pools and the clock.
SHOWN = """(() => {
    const text = (selector) => document.querySelector(selector)?.textContent.replace(/\\s+/g, ' ').trim() ?? null;
    const all = (selector, of) => [...document.querySelectorAll(selector)].map(of);
    return {
        game: document.querySelector('#play').dataset.game, reels: all('#reels [data-symbol]', (cell) => cell.dataset.symbol),
        marked: Object.fromEntries(['held', 'covered', 'landed', 'load', 'badge'].map((name) => [name, all(`#reels .${name}`, (cell) => cell.textContent.trim())])),
        round: text('#round'), stake: text('#stake'), balance: text('#balance'), win: text('#win'), open: text('#pending'),
        main: [document.querySelector('[data-main]').id, text('[data-main]')], told: text('#phase'), course: all('#course li', (step) => step.textContent),
        counters: text('#counters'), potions: document.querySelector('#potions')?.innerHTML ?? null,
        vials: [text('#vials b'), all('#vials .vial', (vial) => vial.ariaLabel)], double: text('#double'), gamble: text('#gamble'),
    };
})()"""
CARDS_SHOWN = """(() => { const cards = document.querySelector('#cards'); return cards && [cards.dataset.id, cards.dataset.state,
    [...cards.querySelectorAll('.place')].map((card) => card.ariaLabel), [...cards.querySelectorAll('.rung')].map((rung) => rung.dataset.found)]; })()"""


def shows(page, expected, code=SHOWN, prepare=None):
    """Until the page shows just this."""
    found = {}

    def same():
        found["now"] = page.evaluate(code=code)
        return found["now"] == expected
    page.see("document.querySelector('#player') && document.querySelector('#play')?.dataset.state === 'ready'")
    if prepare:
        prepare(page)
    try:
        eventually("what was shown before", same, 10)
    except AssertionError:
        page.picture("failed")
        now = found["now"]
        raise AssertionError({k: (expected[k], now[k]) for k in expected if expected[k] != now[k]} if isinstance(now, dict) else (expected, now)) from None


def cut(page, prepare=None):
    """Leaves what is open twice: by a reload, and for another device, which is returned. Both show what was shown before."""
    page.idle()
    before = page.evaluate(code=SHOWN)
    page.reload()
    page.see("document.querySelector('#player')")
    shows(page, before, prepare=prepare)
    other = second_device(page, f"{page.name}-elsewhere", still=True)
    shows(other, before, prepare=prepare)
    return other


def agrees(page, other, player):
    """Both devices show the ledger's balance; the first one has only heard of it."""
    assert booked(other, player) == booked(page, player)


def moved_on(page, selector):
    """The device that was left behind does not move twice: it says so, and shows where the game is."""
    balance = page.money("#balance")
    page.press(selector)
    page.see("document.querySelector('#message').innerText.includes('moved on')")
    page.ready()
    assert page.money("#balance") == balance
    found = [p for p in browser.ask("problems") if "409" not in p]
    assert not found, found


# RULE mystic-gem 8.3
def test_an_open_win():
    page, deal = enter("mystic-gem", "win", still=True), Deal("mystic-gem")
    player = page.text(selector="#player")
    page.spin(player, *deal.stops("base", {}, {"wild": 1}, {}, {"wild": 1}))
    pending, before = page.money("#pending"), page.money("#balance")
    assert pending > 0
    other = cut(page)
    other.press("#collect")
    other.ready()
    assert booked(other, player) == before + pending and other.money("#pending") == 0
    agrees(page, other, player)
    moved_on(page, "#collect")
    agrees(page, other, player)


# RULE mystic-gem 4.8, 8.3
def test_in_the_middle_of_a_gamble():
    page, deal = enter("mystic-gem", "gamble", still=True), Deal("mystic-gem")
    player = page.text(selector="#player")
    for _ in range(100):  # one guess in two is right
        page.spin(player, *deal.stops("base", {}, {"wild": 1}, {}, {"wild": 1}))
        waiting = page.money("#pending")
        page.gamble()
        page.press("#red")
        page.see("document.querySelector('#play').dataset.state === 'ready' && document.querySelector('#message').innerText")
        if page.evaluate(code="!!document.querySelector('#gamble')"):
            break
    assert page.money("#pending") == 2 * waiting and "4 attempts" in page.text(selector="#gamble")
    before = page.money("#balance")
    page.see("document.querySelector('#gamble .card.back')")  # the card of the guess has been seen
    other = cut(page, prepare=lambda device: device.gamble())
    other.press("#black")
    other.see("document.querySelector('#play').dataset.state === 'ready' && /right|wrong/.test(document.querySelector('#message').innerText)")
    won = other.evaluate(code="!!document.querySelector('#gamble')")
    assert other.money("#pending") == (4 * waiting if won else 0)
    other.collect()
    assert booked(other, player) == before + (4 * waiting if won else 0)
    agrees(page, other, player)
    no_problems()


# RULE bewitched 7.2
def test_one_vial_of_three():
    page = enter("bewitched", "vials", still=True)
    player = page.text(selector="#player")
    page.spin(player, *BONUS, RULES.vial_value("money", 50, MAX))
    page.press("#vials [data-vial='4']")
    page.see("document.querySelector('#vials b').innerText.includes('2 more') && document.querySelector('[data-vial=\"4\"]').ariaDisabled")
    before = page.money("#balance")
    other = cut(page)
    for vial in (0, 8):
        other.idle()
        other.press(f"#vials [data-vial='{vial}']")
    other.ready()
    assert "50" in other.text(selector="#phase") and booked(other, player) == before + 750
    agrees(page, other, player)
    no_problems()


# RULE bewitched 7.2
def test_free_spins_that_wait():
    page = enter("bewitched", "free", still=True)
    player = page.text(selector="#player")
    page.spin(player, *RULES.stops(scatters=2), 9, *LOSS, *LOSS, *LOSS)
    assert "free spins" in page.text(selector="#next"), page.text(selector="#next")
    other = cut(page)
    other.evaluate(code=SKIPS)
    other.press("#next")
    other.see(f"({READY}) && document.querySelectorAll('#course li').length === 5")
    booked(other, player)
    agrees(page, other, player)
    no_problems()


# RULE mona-lisa 6.2
def test_jewel_spins_that_wait():
    page, deal = enter("mona-lisa", "jewels", still=True), Deal("mona-lisa")
    player = page.text(selector="#player")
    page.spin(player, *deal.stops("base", {"jewel": 2}, {"wild": 1}, {}, {"jewel": 1}), *deal.stops("jewel")[1:], *deal.stops("jewel")[1:])
    assert "jewel" in page.text(selector="#next"), page.text(selector="#next")
    other = cut(page)
    other.evaluate(code=SKIPS)
    other.press("#next")
    other.see(f"({READY}) && document.querySelectorAll('#course li').length === 3")
    assert other.evaluate(code="document.querySelectorAll('#reels .held').length") >= 5
    booked(other, player)
    agrees(page, other, player)
    no_problems()


def test_hold_and_win_just_played():
    page, deal = enter("mystery-elves", "parcels", still=True), Deal("mystery-elves")
    player = page.text(selector="#player")
    page.spin(player, *deal.stops("base", {"parcel": 2}, {"parcel": 2}, {"parcel": 2}), *deal.loads(5, "mystery", 1, "multiplier", 18, "mystery"))
    pending, before = page.money("#pending"), page.money("#balance")
    assert pending > 0 and page.evaluate(code="document.querySelectorAll('#reels .load').length") >= 6
    other = cut(page)
    other.press("#collect")
    other.ready()
    assert booked(other, player) == before + pending
    agrees(page, other, player)
    no_problems()


# RULE witch-feature 3.12, 3.14, 8.1
def test_potions_that_are_collected():
    page, deal = enter("witch-feature", "potions", still=True), Deal("witch-feature")
    player = page.text(selector="#player")
    page.spin(player, *deal.stops("base", {}, {"red": 1}, {"blue": 1}))
    slots = "document.querySelectorAll('#potions .slot .art').length"
    assert page.evaluate(code=slots) == 2
    other = cut(page)
    assert other.evaluate(code=slots) == 2 and other.evaluate(code="document.querySelectorAll('#potions .feature.locked').length") == 3
    other.spin(player, *deal.stops("base", {}, {}, {}, {"green": 1}))
    assert "High Symbols starts" in other.text(selector="#course"), other.text(selector="#course")
    assert other.evaluate(code=slots) == 0 and other.evaluate(code="document.querySelectorAll('#potions .feature.locked').length") == 2
    agrees(page, other, player)
    page.reload()
    shows(page, other.evaluate(code=SHOWN))
    no_problems()


# RULE mystic-gem 6.15
def test_jackpot_cards_with_two_turned():
    page, player = enter_in_crowns("cards", still=True)
    page.spin(player, *Deal("mystic-gem").stops())
    page.see("document.querySelector('#cards')?.dataset.state === 'ready'")
    for at in (5, 0):
        turn(page, at)
    page.see("document.querySelector('#cards').dataset.state === 'ready'")
    balance, before = page.money("#balance"), page.evaluate(code=CARDS_SHOWN)
    page.reload()
    page.see("document.querySelector('#cards')?.dataset.state === 'ready'")
    shows(page, before, CARDS_SHOWN)
    other = second_device(page, "cards-elsewhere", still=True)
    other.see("document.querySelector('#cards')?.dataset.state === 'ready'")
    shows(other, before, CARDS_SHOWN)
    assert open_cards(other) == ["0", "5"]
    turn_all(other, [1, 2, 3, 4, 6, 7, 8])
    [paid] = awarded(player)
    assert other.money("#cards .rung.won b") == paid
    # The first device has heard of each card, and of the prize.
    page.see("document.querySelector('#cards')?.dataset.state === 'booked'")
    shows(page, other.evaluate(code=CARDS_SHOWN), CARDS_SHOWN)
    for device in (other, page):
        device.press("#cards-close")
        device.see(f"!document.querySelector('#cards') && {READY}")
        assert booked(device, player) == balance + paid
    no_problems()


if __name__ == "__main__":
    place = Installation("resume")
    card_sets(place)
    with lib_pages.browsing(place) as browser:
        run(*[lib_pages.closing(f) for name, f in list(globals().items()) if name.startswith("test_")])
