#!/usr/bin/env python3
"""What the page's controls promise, in a real browser with scripted draws: why autospin ends and what it waits for, the keyboard alone, what happens to a win that
the player leaves, amounts that are refused, and the time between two bets."""
import json
import random
import re

import lib_pages
from lib_deal import Deal
from lib_games import GAMES
from lib_pages import FILES, LOSS, READY, Page, awarded, booked, enter, focus, no_problems, second_device, state_of, tab_to
from lib_patience import stays
from lib_play import RULES, force, player_id
from lib_stack import Installation, eventually, run

MAX = {"coin_minor": 1, "lines": 15, "coins": 1}
WIN = RULES.stops(win=True, bet=MAX)
GEMS = Deal("mystic-gem")
OPEN_WIN = GEMS.stops("base", {}, {"wild": 1}, {}, {"wild": 1})
place = browser = None


def stakes(player):
    return [int(row[0]) for row in place.sql(f"select stake from wallet.journal where player = {player_id(player)} and kind = 2 order by seq")]


def autospin(page, spins, **stops):
    """With these stops: an amount as it is typed, or whether a switch is on."""
    page.press("#auto")
    page.fill(selector="#autospins", value=spins)
    for name, value in stops.items():
        if isinstance(value, bool):
            page.evaluate(code=f"document.querySelector('#stop-{name}').checked !== {json.dumps(value)} && document.querySelector('#stop-{name}').click()")
        else:
            page.fill(selector=f"#{name}", value=value)
    page.press("#autostart")


def says(page, text):
    page.see(f"document.querySelector('#message').innerText.includes({json.dumps(text)})")


# ---- why autospin ends ----

# RULE bewitched 6.8, RULE mystery-elves 6.3
def test_autospin_says_that_it_was_played_or_lost_its_limit():
    page = enter("bewitched", "counted", still=True)
    player = page.text(selector="#player")
    assert re.fullmatch(r"[0-9]+:[0-5][0-9]", page.text(selector="#session-clock")), page.text(selector="#session-clock")
    force(place, player, *[LOSS] * 7)
    autospin(page, 2)
    says(page, "Autospin has played all its spins. 2 of 2 spins played: €0.30 staked, €0.00 won.")
    page.ready()
    assert stakes(player) == [15] * 2 and page.text(selector="#round").isdigit()
    autospin(page, 10, loss="0.40")
    says(page, "Autospin stopped: your loss limit was reached.")
    page.ready()
    assert stakes(player) == [15] * 5, "0.45 is the first loss above 0.40"
    booked(page, player)
    no_problems()


# RULE bewitched 6.8, RULE mystic-gem 5.4
def test_autospin_stops_at_a_single_win():
    page = enter("bewitched", "lucky", still=True)
    player = page.text(selector="#player")
    amount = sum(RULES.line_wins(RULES.window(WIN), MAX, 1))
    force(place, player, LOSS, WIN, *[LOSS] * 5)
    autospin(page, 10, single=f"{amount // 100}.{amount % 100:02d}")
    says(page, f"Autospin stopped: a win reached your amount. 2 of 10 spins played: €0.30 staked, €{amount // 100}.{amount % 100:02d} won.")
    page.see("document.querySelector('#collect:not([aria-disabled])')")
    assert stakes(player) == [15] * 2 and page.money("#pending") == amount
    page.collect()
    booked(page, player)
    no_problems()


# RULE witch-feature 7.7, 9.7
def test_autospin_stops_at_a_feature_where_it_is_asked_to():
    page, deal = enter("witch-feature", "featured", still=True), Deal("witch-feature")
    player = page.text(selector="#player")
    potions = deal.stops("base", {}, {"red": 1}, {"blue": 1}, {"green": 1})
    force(place, player, deal.stops(), potions, *[deal.stops()] * 5)
    assert not page.evaluate(code="!!document.querySelector('#stop-jackpot')")
    autospin(page, 10, feature=True)
    says(page, "Autospin stopped: a feature began.")
    page.ready()
    assert stakes(player) == [50] * 2
    assert "High Symbols starts" in page.text(selector="#course"), "the feature is played"
    booked(page, player)
    no_problems()


# RULE mona-lisa 5.8
def test_autospin_stops_at_a_jackpot():
    page, rules = enter("mona-lisa", "crowned", still=True), GAMES["mona-lisa"]
    player = page.text(selector="#player")
    quiet = Deal("mona-lisa").stops("base", *[{"jewel": 0}] * 5)
    crowns = rules.script([lambda column, row=row: column[row] == "diadem" and "easel" not in column and column.count("jewel") < 2 for row in rules.lines[0]], seed="diadems")
    page.bet(coins=10)
    force(place, player, quiet, crowns, *[quiet] * 5)
    autospin(page, 10, jackpot=True)
    page.see("/[0-9]/.test(document.querySelector('#jackpot-sum')?.innerText ?? '')")
    assert page.evaluate(code="document.querySelector('[data-main]').id") == "autostop", "it waits for the player to have seen the jackpot"
    [paid] = eventually("the award", lambda: awarded(player), 5)
    assert page.money("#jackpot-sum") == paid
    page.press("#jackpot-done")
    says(page, "Autospin stopped: a jackpot was won.")
    page.ready()
    assert stakes(player) == [250] * 2
    booked(page, player)
    no_problems()


def test_autospin_of_a_bought_mode_asks_with_its_price():
    """RULE mystic-gem 3.12, 5.6"""
    page = enter("mystic-gem", "spender", still=True)
    player = page.text(selector="#player")
    page.buy("wild_1")
    page.collect()
    assert stakes(player) == [180]
    page.ready()
    before = page.text(selector="#round")
    page.press("#auto")
    page.fill(selector="#autospins", value=2)
    asked = page.text(selector="#autoplay")
    assert all(part in asked for part in ("2 spins with One wild reel", "Each costs €1.80", "€3.60 in all", "Start for €3.60")), asked
    page.press("#autocancel")
    page.see("!document.querySelector('#autoplay')")
    assert page.text(selector="#round") == before and page.evaluate(code="document.querySelector('[data-main]').id") == "spin" and stakes(player) == [180], "nothing is bought without a yes"
    autospin(page, 2)
    says(page, "Autospin has played all its spins.")
    page.idle()
    page.collect()
    assert stakes(player) == [180] * 3
    booked(page, player)
    no_problems()


def test_a_bought_mode_is_told_and_turned_off():
    """RULE mystic-gem 3.12: it stays chosen, and the page says so; who leaves the game comes back to its base game."""
    page = enter("mystic-gem", "armed", still=True)
    page.buy("wild_1")
    page.collect()
    assert "One wild reel: each spin costs €1.80." in page.text(selector="#bought-mode")
    page.press("#base-game")
    page.see("!document.querySelector('#bought-mode') && document.querySelector('#stake').innerText.includes('0.40')")
    page.buy("wild_1")
    page.collect()
    page.press("#home")
    page.see("document.querySelector('#lobby')")
    page.press("[data-game=bewitched]")
    page.see("document.querySelector('#play')?.dataset.game === 'bewitched'")
    page.press("#home")
    page.press("[data-game=mystic-gem]")
    page.see("document.querySelector('#play')?.dataset.game === 'mystic-gem'")
    assert page.money("#stake") == 40 and not page.evaluate(code="!!document.querySelector('#bought-mode')"), "nothing is bought unasked"
    no_problems()


def test_an_amount_that_may_mean_two_things_is_refused():
    page = enter("mystic-gem", "careful", still=True)
    player = page.text(selector="#player")
    for field in ("loss", "single"):
        for typed in ("1,000", "1.000", "-5", "0", "ten"):
            autospin(page, 10, **{field: typed})
            said = "may mean two amounts. Type 1000 or 1.00." if typed == "1,000" else "Type an amount above 0"
            page.see(f"document.querySelector('#autoplay [role=alert]')?.innerText.includes('{said}')")
            page.press("#autocancel")
            page.see("!document.querySelector('#autoplay')")
    for spins in ("0", "1001", "1.5"):
        autospin(page, spins)
        page.see("document.querySelector('#autoplay [role=alert]')?.innerText.includes('Choose 1 to 1000 spins')")
        page.press("#autocancel")
    page.press("#menu")
    page.press("#menu-limits")
    page.see("document.querySelectorAll('#limits .limit').length >= 10")
    form = "#limits [data-limit=loss][data-period=day]"
    for typed in ("1,000", "1.000", "ten"):
        page.fill(selector="#limit-loss-day", value=typed)
        page.press(f"{form} button")
        said = "may mean two amounts" if typed == "1,000" else "Type an amount"
        page.see(f"document.querySelector('{form} [role=alert]')?.innerText.includes('{said}')")
    assert "no limit" in page.text(selector=form) and place.sql(f"select count(*) from wallet.journal where player = {player_id(player)} and kind = 2") == [["0"]]
    page.fill(selector="#limit-loss-day", value="12,50")
    page.press(f"{form} button")
    page.see(f"document.querySelector('{form}').innerText.includes('Now: €12.50')")
    no_problems()


# Stops autospin while the page is in that state, and spins by hand as soon as the main button does.
STOPS_AND_SPINS = """{ window.pressed = []; new MutationObserver(() => { const main = document.querySelector('[data-main]');
    if (!window.pressed.length && main.id === 'autostop' && document.querySelector('#play').dataset.state === '%s') { window.pressed.push(main.id); main.click(); }
    else if (window.pressed.length === 1 && main.id === 'spin' && !main.ariaDisabled) { window.pressed.push(main.id); main.click(); }
    }).observe(document.body, { attributes: true, childList: true, subtree: true }); }"""


def test_a_spin_by_hand_may_follow_a_stop_at_once():
    page = enter("bewitched", "hasty", still=True)
    player = page.text(selector="#player")
    force(place, player, *[LOSS] * 1000)
    for state in ("ready", "busy"):
        autospin(page, 400, loss="")
        page.see("document.querySelector('#autostop') && /[0-9]/.test(document.querySelector('#round').innerText)")
        page.evaluate(code=STOPS_AND_SPINS % state)
        page.see(f"window.pressed.length === 2 && {READY}")
        page.see("!document.querySelector('#resume')")
        booked(page, player)
        by_hand = len(stakes(player))
        assert page.money("#balance") == 100000 - 15 * by_hand and not page.evaluate(code="document.querySelector('#message').innerText")
        answer = place.http("GET", "/v1/state?game=bewitched", token=page.evaluate(code="sessionStorage.getItem('token')"))
        assert answer.status == 200 and not answer.json["autoplay"], answer
    no_problems()


# ---- what autospin waits for ----

def test_the_reminder_interrupts_autospin():
    page = Page("reminded", "/#bewitched", still=True)
    player = page.login()
    token = page.evaluate(code="sessionStorage.getItem('token')")
    answer = place.http("POST", "/v1/session", {"reality_check_s": 60}, token=token)
    assert answer.status == 200 and answer.json["reality_check_s"] == 60, answer
    page.reload()
    page.ready()
    page.press("#fast")
    force(place, player, *[LOSS] * 1000)
    autospin(page, 1000, loss="")
    page.see("document.querySelector('#autostop') && /[0-9]/.test(document.querySelector('#round').innerText)")
    page.evaluate(code="for (const name of ['since', 'reminded']) sessionStorage.setItem(name, Date.now() - 61000)")
    page.see("document.querySelector('#session #net')")
    assert "Time to check your session" in page.text(selector="#session"), page.text(selector="#session")
    page.see("document.querySelector('#play').dataset.state === 'ready'")
    waits = len(stakes(player))
    assert page.evaluate(code="document.querySelector('#remind').value") == "60"
    stays("autospin waits, for the time of many spins", lambda: len(stakes(player)) == waits and page.evaluate(code="document.querySelector('[data-main]').id") == "autostop", 2)
    page.press("#session-on")
    eventually("the next spins", lambda: len(stakes(player)) > waits + 1, 20)
    page.press("#autostop")
    page.ready()
    booked(page, player)
    no_problems()


# ---- the keyboard alone ----

def opens(page, opener, key, window):
    """The window of a control that Tab reaches; the focus is inside it."""
    tab_to(page, opener)
    page.key(key=key)
    page.see(f"document.querySelector('{window}') && document.querySelector('{window}').contains(document.activeElement)")


def returns(page, window, opener):
    page.see(f"!document.querySelector('{window}') && document.activeElement.matches('{opener}')")


# RULE bewitched 8.2, RULE mona-lisa 7.2, RULE mystic-gem 8.2, RULE witch-feature 9.1
def test_the_keyboard_alone_reaches_everything():
    page = Page("typist", "/#mystic-gem", still=True)
    page.see("document.querySelector('#login')")
    tab_to(page, "#login")
    page.key(key="Enter")
    page.see(f"document.querySelector('#player') && {READY}")
    player = page.text(selector="#player")
    tab_to(page, "#fast")
    page.key(key="Space")

    for opener, expected in (("#bet-up", 80), ("#bet-up", 120), ("#bet-down", 80), ("#bet-down", 40)):
        tab_to(page, opener)
        page.key(key="Enter" if expected > 80 else "Space")
        page.see(f"document.querySelector('#stake').innerText.replace(/[^0-9]/g, '') === '{expected:03d}'")
        assert focus(page) == opener[1:]

    # The bet's window, and out of it by its button and by Escape.
    for key in ("Enter", "Escape"):
        opens(page, "#bet-open", "Enter", "#bet")
        if key == "Enter":
            tab_to(page, "#bet .choices .main")
        page.key(key=key)
        returns(page, "#bet", "#bet-open")

    # A bought spin is asked about: no, and then yes.
    opens(page, "#buy", "Space", "#modes")
    tab_to(page, "[data-mode=wild_1]")
    page.key(key="Enter")
    page.see("document.querySelector('#question')?.contains(document.activeElement)")
    tab_to(page, "#no")
    page.key(key="Space")
    returns(page, "#question", "#buy")
    assert stakes(player) == []
    opens(page, "#buy", "Enter", "#modes")
    tab_to(page, "[data-mode=wild_1]")
    page.key(key="Space")
    page.see("document.querySelector('#question')?.contains(document.activeElement)")
    tab_to(page, "#yes")
    before = page.text(selector="#round")
    page.key(key="Enter")
    page.see(f"document.querySelector('#round').innerText !== {json.dumps(before)}")
    page.idle()
    assert stakes(player) == [180] and page.evaluate(code="document.activeElement !== document.body")
    if page.evaluate(code="!!document.querySelector('#collect')"):
        tab_to(page, "#collect")
        page.key(key="Enter")
    page.ready()
    opens(page, "#buy", "Enter", "#modes")
    tab_to(page, "[data-mode=base]")
    page.key(key="Enter")
    returns(page, "#modes", "#buy")
    assert page.money("#stake") == 40

    # Autospin: cancelled, begun and stopped.
    opens(page, "#auto", "Enter", "#autoplay")
    tab_to(page, "#autocancel")
    page.key(key="Enter")
    returns(page, "#autoplay", "#auto")
    force(place, player, *[GEMS.stops()] * 1000)
    opens(page, "#auto", "Space", "#autoplay")
    tab_to(page, "#autospins")
    for key in ("Control+a", "5", "0", "0"):
        page.key(key=key)
    tab_to(page, "#autostart")
    page.key(key="Enter")
    page.see("!document.querySelector('#autoplay') && document.querySelector('#autostop')")
    assert page.evaluate(code="document.activeElement !== document.body")
    tab_to(page, "#autostop")
    page.key(key="Space")
    page.ready()
    if page.evaluate(code="!!document.querySelector('#collect')"):
        page.collect()
    assert 1 < len(stakes(player)) < 501
    place.sql(f"delete from engine.forced_draw where player = {player_id(player)}", writer=True)

    # A win that is doubled, or not, and collected.
    force(place, player, OPEN_WIN)
    tab_to(page, "#spin")
    before = page.text(selector="#round")
    page.key(key="Space")
    page.see(f"document.querySelector('#round').innerText !== {json.dumps(before)} && document.querySelector('#collect:not([aria-disabled])')")
    assert focus(page) == "collect"
    tab_to(page, "#double")
    page.key(key="Enter")
    page.see("document.querySelector('#gamble')?.contains(document.activeElement)")
    tab_to(page, "#gamble-close")
    page.key(key="Enter")
    page.see("!document.querySelector('#gamble') && document.activeElement !== document.body")
    tab_to(page, "#double")
    page.key(key="Space")
    page.see("document.activeElement?.id === 'red'")
    tab_to(page, "#black")
    page.key(key="Enter")
    page.see("document.querySelector('#play').dataset.state === 'ready' && /right|wrong/.test(document.querySelector('#message').innerText)")
    assert page.evaluate(code="document.activeElement !== document.body")
    if page.evaluate(code="!!document.querySelector('#collect')"):
        tab_to(page, "#collect")
        page.key(key="Enter")
    page.ready()

    # Rules, menu and history; the focus comes back to what opened them.
    opens(page, "#rules", "Enter", "#help")
    page.key(key="Escape")
    returns(page, "#help", "#rules")
    opens(page, "#menu", "Enter", "#menuwindow")
    page.key(key="Escape")
    returns(page, "#menuwindow", "#menu")
    opens(page, "#menu", "Enter", "#menuwindow")
    tab_to(page, "#menu-history")
    page.key(key="Enter")
    page.see("document.querySelector('#historywindow')?.contains(document.activeElement) && document.querySelector('#history tbody tr[data-kind=round]')")
    tab_to(page, "#history tbody tr[data-kind=round] button")
    page.key(key="Enter")
    page.see("document.querySelector('#replay-reels')")
    page.key(key="Escape")
    returns(page, "#historywindow", "#menu")
    booked(page, player)
    no_problems()


# Presses the main button as soon as it stops a count, and keeps what is shown before and after.
STOPS_THE_COUNT = """{ window.counts = []; new MutationObserver(() => { const main = document.querySelector('[data-main]');
    if (main.id === 'tally' && window.counts.length === 0) { window.counts.push(main.id); main.click(); }
    else if (window.counts.length === 1 && ['collect', 'spin'].includes(main.id) && !main.ariaDisabled) window.counts.push(main.id, document.querySelector('#win').innerText);
    }).observe(document.body, { attributes: true, childList: true, subtree: true }); }"""


# RULE mystic-gem 8.6
def test_the_space_bar_spins_stops_the_count_and_collects():
    page = enter("mystic-gem", "spacious")
    player = page.text(selector="#player")
    page.evaluate(code=STOPS_THE_COUNT)
    force(place, player, OPEN_WIN)
    tab_to(page, "#spin")
    page.key(key="Space")
    page.see("window.counts.length === 3")
    pending, before = page.money("#pending"), page.money("#balance")
    first, then, win = page.evaluate(code="window.counts")
    assert (first, then) == ("tally", "collect") and int(re.sub(r"[^0-9]", "", win)) == pending > 0, "all of the win is shown, and it is still open"
    assert before == 100000 - 40 and state_of(player) == before
    assert focus(page) == "collect"
    page.key(key="Space")
    page.ready()
    assert booked(page, player) == before + pending and page.money("#pending") == 0
    no_problems()


# Keeps what is shown over the reels as a win or a total: its size and its words.
CELEBRATED = """{ window.celebrated = [];
    new MutationObserver(() => { const one = document.querySelector('#celebration'); if (one) window.celebrated.push([Number(one.dataset.tier), one.querySelector(':scope > b').innerText]); })
        .observe(document.body, { childList: true, subtree: true }); }"""


def returning(minor):
    """Stops without a feature whose lines pay this at the bet of 0.15."""
    chance = random.Random(7)
    while True:
        stops = [chance.randrange(len(strip)) for strip in RULES.strips]
        window = RULES.window(stops)
        if sum(RULES.line_wins(window, MAX, 1)) == minor and RULES.count(window, RULES.scatter) + RULES.count(window, RULES.bonus) == 0:
            return stops


def test_what_returns_no_more_than_was_paid_is_no_win():
    """A win equal to the stake; and a purchase that pays less than its price, which has a total to tell."""
    page = enter("bewitched", "even", still=True)
    player = page.text(selector="#player")
    page.spin(player, returning(15))
    assert page.money("#win b") == 15 and page.evaluate(code="!document.querySelector('#win.gold')"), "the stake came back"
    page.collect()
    page.spin(player, returning(30))
    assert page.money("#win b") == 30 and page.evaluate(code="!!document.querySelector('#win.gold')"), "twice the stake is a win"
    page.collect()
    page = enter("mystery-elves", "bought", still=True)
    player = page.text(selector="#player")
    page.evaluate(code=CELEBRATED)
    force(place, player, LOSS)
    page.buy("hold")
    won, shown = page.money("#win b"), page.evaluate(code="window.celebrated")
    assert shown and all((tier > 0) == (won > 700) and (words == "In total") == (won <= 700) for tier, words in shown), (won, shown)
    assert page.evaluate(code="!!document.querySelector('#win.gold')") == (won > 700), won
    no_problems()


def test_two_presses_at_once_are_one_bet():
    """Also when the first of them is refused, because another device has moved meanwhile, and is repeated."""
    twice = "{ const main = document.querySelector('[data-main]'); main.click(); main.click(); }"
    page = enter("bewitched", "twice", still=True)
    player = page.text(selector="#player")
    other = second_device(page, "twice-there", still=True)
    for moved in (0, 1):
        if moved:
            other.spin(player)
        force(place, player, LOSS)
        before, bets = page.text(selector="#round"), len(stakes(player))
        page.evaluate(code=twice)
        page.see(f"document.querySelector('#round').innerText !== {json.dumps(before)}")
        page.ready()
        booked(page, player)
        assert len(stakes(player)) == bets + 1, stakes(player)
    found = [problem for problem in browser.ask("problems") if "409" not in problem]
    assert not found, found


def test_space_is_the_main_button_s_after_a_press_with_the_pointer():
    page = enter("mystic-gem", "pointed", still=True)
    player = page.text(selector="#player")
    for pointed in ("#bet-up", "#fast", "#sound"):
        state = "[document.querySelector('#stake').innerText, document.querySelector('#fast').ariaPressed, document.querySelector('#sound').ariaPressed]"
        page.press(pointed)
        kept, before = page.evaluate(code=state), page.text(selector="#round")
        force(place, player, LOSS)
        page.key(key="Space")
        page.see(f"document.querySelector('#round').innerText !== {json.dumps(before)}")
        page.ready()
        assert page.evaluate(code=state) == kept and focus(page) == "spin", pointed
    tab_to(page, "#fast")
    pressed = page.evaluate(code="document.querySelector('#fast').ariaPressed")
    page.key(key="Space")
    page.see(f"document.querySelector('#fast').ariaPressed !== '{pressed}'")
    assert focus(page) == "fast", "reached by the keyboard, it keeps its Space"
    no_problems()


def test_a_game_opened_by_enter_has_the_focus_and_so_has_its_tile_afterwards():
    page = Page("entering", "/", still=True)
    tab_to(page, "[data-game=mona-lisa]")
    page.key(key="Enter")
    page.see("document.querySelector('#play')?.dataset.game === 'mona-lisa' && document.activeElement?.matches('[data-main]')")
    tab_to(page, "#home")
    page.key(key="Enter")
    page.see("document.querySelector('#lobby') && document.activeElement?.dataset.game === 'mona-lisa'")
    no_problems()


# ---- leaving ----

def test_a_log_out_elsewhere_loses_no_account():
    """The page says what happened and goes on as the same player, also after it was loaded anew."""
    page = enter("bewitched", "left", still=True)
    player = page.text(selector="#player")
    for loaded in (False, True):
        token = page.evaluate(code="sessionStorage.getItem('token')")
        assert place.http("POST", "/v1/logout", token=token).status == 200
        eventually("the session is over", lambda: place.http("GET", "/v1/limits", token=token).status == 401, 10)
        if loaded:
            page.reload()
        else:
            page.press("[data-main]")
        page.see(f"document.querySelector('#continue')?.innerText.includes({json.dumps(player)})")
        says(page, "You were logged out, here or on another device.")
        page.press("#continue")
        page.see(f"document.querySelector('#player')?.innerText === {json.dumps(player)} && {READY}")
    found = [problem for problem in browser.ask("problems") if "401" not in problem and "WebSocket" not in problem]
    assert not found, found


def test_a_crash_of_the_page_is_reported():
    page, before = Page("crashes", still=True), place.metric("gateway-1", "carillon_gateway_page_crashes_total", 'page="player"')
    page.see("document.querySelector('#play')")
    page.evaluate(code=f"void import('{FILES}/format.js').then((format) => format.bothMeanings('no comma', 'EUR'))")
    eventually("the gateway knows of it", lambda: place.metric("gateway-1", "carillon_gateway_page_crashes_total", 'page="player"') == before + 1, 20)
    assert any("TypeError" in problem for problem in browser.ask("problems"))

def lobby_balance(page):
    return page.money("#lobby header b")


# RULE mystic-gem 8.1, 8.2
def test_who_leaves_a_game_collects_the_open_win():
    page = Page("leaver", "/", still=True)
    page.see("document.querySelector('#login')")
    page.press("#login")
    page.see("document.querySelector('#player')")
    player = page.text(selector="#player").strip()
    for way in ("the home button", "the browser's back", "another game's address"):
        page.press("#games [data-game=mystic-gem]")
        page.see(f"document.querySelector('#play')?.dataset.game === 'mystic-gem' && {READY}")
        page.spin(player, *OPEN_WIN)
        pending, before = page.money("#pending"), page.money("#balance")
        assert pending > 0 and state_of(player) == before, way
        if way == "the home button":
            page.press("#home")
        else:
            page.evaluate(code="void history.back()" if "back" in way else "location.hash = 'mona-lisa', 0")
        if "address" in way:
            page.see(f"document.querySelector('#play')?.dataset.game === 'mona-lisa' && {READY}")
            assert booked(page, player) == before + pending, way
            page.press("#home")
        page.see("document.querySelector('#lobby')")
        eventually(f"the collected win in the books after {way}", lambda: state_of(player) == before + pending, 10)  # noqa: B023
        eventually(f"and in the lobby after {way}", lambda: lobby_balance(page) == before + pending, 10)  # noqa: B023
        assert page.evaluate(code="location.hash") in ("", "#"), way
    page.press("#games [data-game=mystic-gem]")
    page.see(f"document.querySelector('#play')?.dataset.game === 'mystic-gem' && {READY}")
    assert page.money("#pending") == 0 and booked(page, player) == before + pending
    no_problems()


# RULE mystic-gem 8.2
def test_a_gamble_that_was_begun_is_not_left():
    page = Page("gambler", "/", still=True)
    page.see("document.querySelector('#login')")
    page.press("#login")
    page.see("document.querySelector('#player')")
    player = page.text(selector="#player").strip()
    page.press("#games [data-game=mystic-gem]")
    page.see(f"document.querySelector('#play')?.dataset.game === 'mystic-gem' && {READY}")
    for _ in range(100):  # one guess in two is right
        page.spin(player, *OPEN_WIN)
        page.gamble()
        page.press("#red")
        page.see("document.querySelector('#play').dataset.state === 'ready' && /right|wrong/.test(document.querySelector('#message').innerText)")
        if page.evaluate(code="!!document.querySelector('#collect')"):
            break
    pending, before = page.money("#pending"), page.money("#balance")
    page.evaluate(code="document.querySelector('#home').click()")  # it says why it does nothing
    says(page, "Collect or gamble your win first.")
    page.evaluate(code="void history.back()")
    page.see("location.hash === '#mystic-gem' && document.querySelector('#play')")
    assert page.money("#pending") == pending and state_of(player) == before, "the win is still open"
    page.collect()
    assert booked(page, player) == before + pending
    no_problems()


# ---- the time between two bets; last, because it changes the installation ----

GAP_MS = 8000

# Presses the main button while it waits, and keeps what the page says then.
PRESSES_TOO_SOON = """{ window.told = ''; let pressed = false; new MutationObserver(() => { const main = document.querySelector('[data-main]');
    const text = document.querySelector('#message').innerText;
    if (pressed && /bet again/.test(text)) window.told = text;
    if (!pressed && main.id === 'spin' && main.ariaDisabled && main.querySelector('.gap') && document.querySelector('#play').dataset.state === 'ready') { pressed = true; main.click(); }
    }).observe(document.body, { attributes: true, childList: true, subtree: true, characterData: true }); }"""


def test_the_main_button_waits_for_the_next_bet():
    place.change(f"CARILLON_BET_GAP_MS={GAP_MS}", "spin-engine-1", "gateway-1")
    eventually("the gateway with its setting", lambda: place.http("GET", "/v1/config").json["bet_gap_ms"] == GAP_MS, 20)
    eventually("the engine's answers", lambda: place.http("POST", "/v1/demo/sessions", {}).status == 200, 20)
    page = enter("bewitched", "patient", still=True)
    player = page.text(selector="#player")
    assert not page.evaluate(code="!!document.querySelector('[data-main] .gap')"), "nothing to wait for before the first bet"
    force(place, player, *[LOSS] * 20)
    page.evaluate(code=PRESSES_TOO_SOON)
    for spins in range(1, 11):  # where an answer takes as long as the gap, there is nothing left to wait for
        before = page.text(selector="#round")
        page.press("#spin")
        page.see(f"document.querySelector('#round').innerText !== {json.dumps(before)} && {READY}")
        if page.evaluate(code="window.told"):
            break
    assert re.fullmatch(r"You can bet again in [1-8] seconds?\.", page.evaluate(code="window.told")), page.evaluate(code="window.told")
    assert stakes(player) == [15] * spins and not page.evaluate(code="!!document.querySelector('[data-main] .gap')"), "a press that comes too soon is no bet"
    page.autospin(2)
    says(page, "Autospin has played all its spins.")
    assert stakes(player) == [15] * (spins + 2)
    booked(page, player)
    no_problems()


if __name__ == "__main__":
    place = Installation("controls", kafka=False)
    with lib_pages.browsing(place) as browser:
        run(*[lib_pages.closing(f) for name, f in list(globals().items()) if name.startswith("test_")])
