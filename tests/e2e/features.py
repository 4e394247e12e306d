#!/usr/bin/env python3
"""Features in a real browser, each by scripted draws: the four of the potions with what they unlock, bought spins and what they guarantee, free spins from the
vials, and a progressive jackpot of symbols, of which a player of another game hears."""
import lib_pages
from lib_deal import Deal
from lib_games import GAMES
from lib_pages import HEARD, LOSS, READY, SKIPS, Page, awarded, booked, cells, enter, no_problems, told
from lib_play import RULES, force, player_id
from lib_stack import Installation, eventually, run

MAX = {"coin_minor": 1, "lines": 15, "coins": 1}
BONUS = RULES.stops(bonuses=3)
place = browser = None

# Each opening of a feature that is shown: kind and words. They are shown for a moment only.
OPENINGS = """{ window.openings = []; new MutationObserver((changes) => { for (const { addedNodes } of changes) for (const node of addedNodes)
    if (node.id === 'intro') window.openings.push([node.dataset.kind, node.innerText.replace(/\\s+/g, ' ')]); }).observe(document.body, { childList: true, subtree: true }); }"""


# ---- potions ----

def respin(strips, wins, seed=1):
    """Stops of a respin of The Brewing Hour on these strips, of which lines win or do not."""
    rules = GAMES["witch-feature"]

    def is_right(columns):
        window = [rules.symbols.index(symbol) for column in columns for symbol in column]
        won = sum(rules.line_pay([window[reel * rules.rows + line[reel]] for reel in range(rules.reels)], None) for line in rules.lines)
        return (won > 0) == wins
    return rules.script(is_right, name=strips, seed=f"{strips} {wins} {seed}")


def odds(place_in, weights):
    """A draw that makes the choice at this place."""
    return sum(weights[:place_in])


def state(page):
    """What is collected, and the features that are locked."""
    return page.evaluate(code="[document.querySelectorAll('#potions .slot .art').length, [...document.querySelectorAll('#potions .feature.locked')].map((one) => one.dataset.feature)]")


def opened(page):
    return page.evaluate(code="window.openings.splice(0)")


# RULE witch-feature 3.8, 3.9, 3.10, 4.4, 4.5, 4.6, 4.7, 4.8
def test_potions_start_and_unlock_their_features():
    page, deal = enter("witch-feature", "brews", still=True), Deal("witch-feature")
    player = page.text(selector="#player")
    page.evaluate(code=OPENINGS)
    potions = deal.definition["potions"]
    brew = lambda *colours: deal.stops("base", {}, *[{colour: 1} for colour in colours])  # noqa: E731
    assert state(page) == [0, ["random_wilds", "multiplier", "mega_wild"]]

    page.spin(player, *brew("red", "blue", "green"), *respin("high", True))
    assert "High Symbols starts" in told(page)[0] and told(page)[1].startswith("2 High Symbols"), told(page)
    assert state(page) == [0, ["multiplier", "mega_wild"]]
    shown = opened(page)
    assert [kind for kind, _ in shown] == ["unlock", "potion_respin"] and "Random Wilds" in shown[0][1] and "High Symbols" in shown[1][1], shown

    # One wild in the first row of reels 2 and 3.
    counts = [[choice["weight"] for choice in reel] for reel in potions["random_wilds"]]
    wilds = [0, odds(1, counts[1]), 0, 0, 0, 0, 0]
    page.spin(player, *brew("blue", "blue", "red"), *wilds, *respin("respin", False))
    assert "Random Wilds starts" in told(page)[0] and told(page)[1].startswith("2 Random Wilds"), told(page)
    assert page.evaluate(code="[...document.querySelectorAll('#reels .covered')].map((cell) => cell.dataset.symbol)") == ["wild"] * 2
    assert state(page) == [0, ["mega_wild"]]
    shown = opened(page)
    assert [kind for kind, _ in shown] == ["unlock", "potion_respin"] and "Multiplier" in shown[0][1] and "Random Wilds" in shown[1][1], shown

    # Ten times, of the second respin: the first wins nothing.
    ten = odds(4, [choice["weight"] for choice in potions["multipliers"]])
    page.spin(player, *brew("red", "green", "green"), ten, *respin("respin", False), *respin("respin", True))
    course = told(page)
    assert "Multiplier starts" in course[0] and [step.split()[1] for step in course[1:]] == ["Multiplier"] * 2 and "no win" in course[1].lower(), course
    assert "×10" in page.text(selector="#counters") and "win" in course[2], (page.text(selector="#counters"), course)
    assert state(page) == [0, []]
    shown = opened(page)
    assert [kind for kind, _ in shown] == ["unlock", "potion_respin"] and "Mega Wild" in shown[0][1], shown

    # A wild of three by three cells, on reels 1 to 3.
    assert potions["mega_wild"][0]["blocks"] == [{"reel": 1, "row": 0, "size": 3}]
    page.spin(player, *brew("blue", "blue", "green"), 0, *respin("mega", True))
    assert "Mega Wild starts" in told(page)[0] and told(page)[1].startswith("2 Mega Wild") and cells(page, "covered") == 9, told(page)
    assert [page.shown_symbols()[reel * 4 + row] for reel in range(3) for row in range(3)] == ["wild"] * 9
    shown = opened(page)
    assert [kind for kind, _ in shown] == ["potion_respin"] and "Mega Wild" in shown[0][1], "nothing is left to unlock"
    assert state(page) == [0, []]
    booked(page, player)
    no_problems()


# RULE witch-feature 6.2, 6.3
def test_a_locked_feature_starts_in_free_spins():
    page, deal = enter("witch-feature", "free-brew"), Deal("witch-feature")
    player = page.text(selector="#player")
    page.spin(player, *deal.stops("base", {}, {"red": 1}))
    before = state(page)
    assert before == [1, ["random_wilds", "multiplier", "mega_wild"]]
    page.evaluate(code=OPENINGS)
    page.evaluate(code="{ window.steps = []; new MutationObserver(() => { const list = [...document.querySelectorAll('#course li')].map((step) => step.innerText.replace(/\\s+/g, ' '));"
                  " if (list.length > window.steps.length) window.steps = list; }).observe(document.body, { childList: true, subtree: true, characterData: true }); }")
    free = deal.definition["potions"]["free_spins"]
    mega = odds(3, [one["weight"] for one in free["sets"]])
    assert free["sets"][3]["features"] == ["mega_wild"]
    force(place, player, [*deal.stops("base", {"cauldron": 1}, {}, {}, {}, {"cauldron": 1}), *deal.stops("free"), 0, mega, 0, *respin("mega", True), *deal.stops("free"), free["odds"]["of"] - 1])
    page.press("#spin")
    page.see("window.steps.length >= 4")
    page.evaluate(code=SKIPS)
    page.ready()
    course = page.evaluate(code="window.steps")
    assert "10 free spins won" in course[0] and "Mega Wild starts" in course[1] and course[2].startswith("3 Mega Wild") and course[3].startswith("4 Free spin"), course
    assert "starts" not in course[3], course
    shown = [kind for kind, _ in opened(page)]
    assert shown[:2] == ["free_spin", "potion_respin"] and "unlock" not in shown, "a free spin unlocks nothing"
    assert state(page) == before, "what was collected stays as it was"
    booked(page, player)
    no_problems()


# ---- bought spins ----

# RULE mystic-gem 3.3, 3.5, 3.10
def test_bought_spins_keep_what_they_guarantee():
    page, deal = enter("mystic-gem", "buyer", still=True), Deal("mystic-gem")
    player = page.text(selector="#player")
    force(place, player, [0, *deal.stops("buy_3")])
    page.buy("wild_3")
    assert page.money("#stake") == 2860 and "Three wild reels" in told(page)[0], told(page)
    symbols = page.shown_symbols()
    assert cells(page, "covered") == 12 and all(symbols[reel * 4 + row] == "wild" for reel in (1, 2, 3) for row in range(4)), symbols
    assert "Three wild reels" in page.text(selector="#buy")
    page.collect()
    # With a guaranteed prize at least one line wins, whatever is drawn.
    for mode, name, reels, price in (("wild_1_sure", "One wild reel, guaranteed prize", 1, 480), ("wild_2_sure", "Two wild reels, guaranteed prize", 2, 1000)):
        for draws in ([[0, 0]], []):
            if draws:
                force(place, player, *draws)
            page.buy(mode)
            assert page.money("#stake") == price and name in told(page)[0] and cells(page, "covered") == 4 * reels, (mode, told(page))
            assert page.evaluate(code="document.querySelectorAll('#wins .win').length") >= 1 and page.money("#win") > 0, (mode, told(page))
            page.collect()
    bets = place.sql(f"select stake from wallet.journal where player = {player_id(player)} and kind = 2 order by seq")
    assert [int(row[0]) for row in bets] == [2860, 480, 480, 1000, 1000], bets
    booked(page, player)
    no_problems()


# ---- vials ----

def finish(page):
    """What free spins brought more, if anything: each feature is played, and no win is doubled."""
    while True:
        page.see(f"({lib_pages.COLLECTS}, ({READY}) || document.querySelector('#next:not([aria-disabled]), #collect:not([aria-disabled]), .vial:not([aria-disabled])'))")
        if page.evaluate(code=READY):
            return
        page.evaluate(code="(document.querySelector('#next, #collect') ?? document.querySelector('.vial:not([aria-disabled])')).click()")
        page.see("document.querySelector('#play').dataset.state === 'ready'")


# RULE bewitched 3.7, 3.10, 3.12
def test_vials_brew_free_spins():
    page = enter("bewitched", "brewer", still=True)
    player = page.text(selector="#player")
    page.spin(player, *BONUS, RULES.vial_value("free_spins", 15, MAX), *LOSS, *RULES.stops(win=True, bet=MAX), *LOSS)
    for vial in (2, 4, 6):
        page.idle()
        page.press(f"#vials [data-vial='{vial}']")
    page.see("document.querySelector('#next')")
    page.idle()
    assert "15 free spins" in page.text(selector="#phase") and "free spins" in page.text(selector="#next"), page.text(selector="#phase")
    before = page.money("#balance")
    page.evaluate(code=SKIPS)
    page.evaluate(code=OPENINGS)
    page.press("#next")
    finish(page)
    assert page.evaluate(code="window.openings[0]")[0] == "free_spin" and "15" in page.evaluate(code="window.openings[0]")[1]
    course = told(page)
    assert [step.split()[1] for step in course[:2]] == ["Spin", "Vials"] and sum(step.split()[1] == "Free" for step in course) >= 15, course
    win = 2 * sum(RULES.line_wins(RULES.window(RULES.stops(win=True, bet=MAX)), MAX, 1))
    assert f"€{win // 100}.{win % 100:02d}" in course[3], (win, course[3])
    assert booked(page, player) == before + page.money("#win") >= before + win
    no_problems()


# ---- the jackpot of symbols ----

# RULE mona-lisa 4.10, RULE mystic-gem 6.16
def test_a_progressive_jackpot_at_the_largest_bet():
    other = Page("elsewhere", "/#bewitched", still=True)
    other.login()
    other.see("document.querySelector('#feed').innerText.includes('live')")
    other.evaluate(code=HEARD)
    page, rules = enter("mona-lisa", "crowned"), GAMES["mona-lisa"]
    player = page.text(selector="#player")
    stops = rules.script([lambda column, row=row: column[row] == "diadem" and "easel" not in column and column.count("jewel") < 2 for row in rules.lines[0]], seed="diadems")
    page.bet(coins=9)
    page.spin(player, *stops)
    assert page.money("#stake") == 225 and page.money("#win") >= 1000 * 9, "below the largest bet the paytable pays"
    assert awarded(player) == [] and not page.evaluate(code="!!document.querySelector('#jackpot')")
    page.bet(coins=10)
    shown, before = page.money("#jackpots .selected b"), page.money("#balance")
    page.spin(player, *stops)
    page.see("/[0-9]/.test(document.querySelector('#jackpot-sum')?.innerText ?? '')")
    [paid] = eventually("the award", lambda: awarded(player), 5)
    assert page.money("#jackpot-sum") == paid >= shown >= 50000, (paid, shown)
    scene = page.text(selector="#jackpot")
    assert "Florentine Jewels" in scene and "in your balance" in scene, scene
    other.see("window.news.includes('has won the jackpot of Florentine Jewels')")
    assert player.split("-")[1] not in other.evaluate(code="window.news"), "the winner is masked"
    assert f"{paid // 100}.{paid % 100:02d}" in other.evaluate(code="window.news").replace(",", "")
    page.press("#jackpot-done")
    page.see(f"!document.querySelector('#jackpot') && {READY}")
    assert "PROGRESSIVE JACKPOT" in page.text(selector="#phase")
    assert booked(page, player) >= before - 250 + paid
    page.see("document.querySelector('#winners .winner')?.innerText.includes('Florentine Jewels')")
    no_problems()


if __name__ == "__main__":
    place = Installation("features")
    with lib_pages.browsing(place) as browser:
        run(*[lib_pages.closing(f) for name, f in list(globals().items()) if name.startswith("test_")])
