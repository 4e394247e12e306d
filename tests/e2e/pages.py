#!/usr/bin/env python3
"""The pages in a real browser: what a person clicks and what they then see, with scripted draws, and what a second person sees at the same moment.
pages_games.py has what differs from game to game.
With CARILLON_TEST_PICTURES set (`make test-long`), pictures of each state are left in build/pages/; of a failure always."""
import json
import re
import time

import lib_pages
from lib_deal import Deal
from lib_pages import (CARDS_ID, FILES, HEARD, LOSS, READY, SUITS, Page, awarded, booked, card_sets, enter_in_crowns, focus, no_problems, open_cards,
                       told, turn, turn_all)
from lib_patience import comes, stays
from lib_play import GAME, RULES, force, operator, player_id
from lib_stack import Installation, eventually, run

BONUS = RULES.stops(bonuses=3)
GONE_ON_WITH = ("player", "picker")  # by the next test
MAX = {"coin_minor": 1, "lines": 15, "coins": 1}
place = browser = None


def symbols_at(stops):
    window = RULES.window(stops)
    return [RULES.symbols[window[reel][row]] for reel in range(RULES.reels) for row in range(RULES.rows)]


def test_jackpots_need_no_login():
    page = Page("stranger")
    page.see("document.querySelectorAll('#jackpots .jackpot').length >= 7")
    page.see("document.querySelector('#feed').innerText.includes('live')")
    shown = page.text(selector="#jackpots")
    assert "€20.00" in shown and "€2,000.00" in shown, shown
    assert len(page.shown_symbols()) == 15 and page.evaluate(code="document.title")
    page.picture("first-look")
    no_problems()


# RULE mystery-elves 1.3, RULE witch-feature 2.10, 9.1, 9.4, RULE mystic-gem 1.7
def test_spin_lost_and_won():
    page = Page("player")
    player = page.login()
    assert page.money("#balance") == 100000
    page.picture("logged-in")
    page.spin(player)
    assert booked(page, player) == 100000 - 15 and page.money("#win") == 0
    assert page.shown_symbols() == symbols_at(LOSS), "the reels stand where they were drawn"
    win = RULES.stops(win=True, bet=MAX)
    amount = sum(RULES.line_wins(RULES.window(win), MAX, 1))
    page.spin(player, *win)
    assert page.shown_symbols() == symbols_at(win) and page.money("#win") == amount
    assert page.evaluate(code="document.querySelectorAll('#reels .won').length") >= 2
    assert page.money("#pending") == amount
    page.evaluate(code="document.querySelector('#wins .win').focus()")
    page.see("document.querySelector('#reels .line polyline')")
    page.picture("won")
    page.press("#collect")
    page.see("!document.querySelector('#gamble')")
    page.see(f"document.querySelector('#balance').innerText.replace(/[^0-9]/g, '') === '{100000 - 30 + amount}'")
    page.see("document.querySelector('#proof .good')")
    page.press("#menu")
    page.press("#menu-history")
    page.see("document.querySelectorAll('#history tbody tr[data-kind=round]').length === 2 && document.querySelector('#history tbody tr:last-child').dataset.kind === 'deposit'")
    page.picture("collected")
    page.press("#historywindow-close")
    no_problems()


# RULE bewitched 1.5, 2.6, 4.7, RULE mona-lisa 1.5, 4.10
def test_choices_of_the_bet():
    page = Page("player")
    page.ready()
    page.bet(coin=5, lines=3, coins=4)
    assert page.money("#stake") == 60
    force(place, page.text(selector="#player").strip().split()[-1], LOSS)
    before = page.text(selector="#round")
    page.press("#bet-open")
    page.press("#max")  # RULE bewitched 1.5: it spins, once the price is agreed
    assert "€7.50" in page.text(selector="#question")
    page.press("#no")
    assert page.money("#stake") == 60 and page.text(selector="#round") == before, "nothing is bought without a yes"
    page.press("#bet-open")
    page.press("#max")
    page.press("#yes")
    page.see(f"document.querySelector('#round').innerText !== {json.dumps(before)}")
    page.idle()
    assert page.money("#stake") == 750
    assert page.evaluate(code="document.querySelector('#jackpots .selected').dataset.row") == "5"
    page.bet(coin=1, coins=1, witch=1)
    page.ready()
    page.reload()
    page.see("document.querySelector('#player')")
    page.press("#bet-open")
    page.see("document.querySelector('#witch').value === '1'")
    page.press("#bet-close")
    no_problems()


def test_gamble():
    page = Page("gambler")
    player = page.login()
    page.spin(player, *RULES.stops(win=True, bet=MAX))
    before, waiting = page.money("#balance"), page.money("#pending")
    page.gamble()
    page.picture("gamble")
    page.evaluate(code="{ window.last = null; new MutationObserver(() => { const told = document.querySelector('#guessed'); if (told) window.last = [told.innerText, document.querySelector('.table .large .card')?.ariaLabel]; })"
                       ".observe(document.body, { subtree: true, childList: true }); }")
    page.press("#red")
    page.see("document.querySelector('#play').dataset.state === 'ready' && document.querySelector('#message').innerText")
    if page.evaluate(code="!!document.querySelector('#gamble')"):
        assert page.money("#pending") == 2 * waiting and "4 attempts" in page.text(selector="#gamble")
        page.picture("gamble-won")
        page.press("#collect")
        page.see("!document.querySelector('#gamble')")
        page.see(f"document.querySelector('#balance').innerText.replace(/[^0-9]/g, '') === '{before + 2 * waiting}'")
    else:
        assert page.money("#balance") == before and page.money("#pending") == 0 and page.money("#win") == 0
        told, card = page.evaluate(code="window.last")
        assert "You lose" in told and card and card in told, "the card that loses is seen on the table"
        page.press("#menu")
        page.press("#menu-history")
        page.see("document.querySelectorAll('#history tbody tr[data-kind=double]').length === 1")
        lost = f"{waiting // 100}.{waiting % 100:02d}"
        assert lost in page.text(selector="#history tr[data-kind=double] .amount") and lost in page.text(selector="#history tr[data-kind=round] .amount"), "the reels won what the double lost"
        page.picture("gamble-lost")
        page.press("#historywindow-close")
    page.spin(player, *RULES.stops(win=True, bet=MAX))
    assert page.evaluate(code="!document.querySelector('#gamble')"), "the next win is gambled only if the player asks again"
    assert focus(page) == "collect", focus(page)
    no_problems()


def test_bonus_with_picks_and_free_spins():
    page = Page("picker")
    player = page.login()
    page.spin(player, *BONUS, RULES.vial_value("money", 50, MAX))
    page.see("document.querySelectorAll('#vials .vial').length === 9")
    page.picture("vials")
    before = page.money("#balance")
    assert before == 100000 - 15, "nothing is told before the picks"
    for choice in (0, 4, 8):
        page.idle()
        page.press(f"#vials [data-vial='{choice}']:not([aria-disabled])")
    page.see("document.querySelector('#celebration.total b b, #celebration.total span b')?.innerText === '€7.50'")
    assert "Vials" in page.text(selector="#celebration em") and page.text(selector="[data-main]") == "Collect"
    page.picture("total")
    page.press("#tally")
    page.see("!document.querySelector('#celebration')")
    page.idle()
    page.see(f"document.querySelector('#balance').innerText.replace(/[^0-9]/g, '') === '{before + 750}'")
    assert "50" in page.text(selector="#phase")
    page.picture("bonus-won")
    page.spin(player, *RULES.stops(scatters=2), 9, *LOSS, *LOSS, *LOSS)
    page.see("document.querySelector('#next')")
    page.picture("battle")
    page.press("#next")
    page.see("document.querySelector('#phase').innerText.includes('Free spin')")
    page.picture("free-spins")
    page.press("#fast")
    page.ready()
    booked(page, player)
    no_problems()


def test_winner_sees_jackpot_last():
    other, page = Page("onlooker"), Page("winner")
    other.see("document.querySelector('#feed').innerText.includes('live')")
    player = page.login()
    page.bet(coin=20)
    shown = page.money("#jackpots .selected b")
    other.evaluate(code=HEARD)
    news = other.evaluate(code="document.querySelectorAll('#winners .winner').length")
    own = page.evaluate(code="document.querySelectorAll('#winners .winner').length")
    page.evaluate(code=HEARD)
    page.spin(player, *BONUS, 0)
    page.see("document.querySelector('#vials')")
    other.see(f"document.querySelectorAll('#winners .winner').length > {news}")
    other.picture("sees-the-winner")
    assert player.split("-")[1] not in other.text(selector="#winners"), "the winner is masked"
    assert page.money("#balance") == 100000 - 300, "the winner does not know yet"
    assert page.evaluate(code="window.news") == "" and page.evaluate(code="document.querySelectorAll('#winners .winner').length") == own, "not from the news either"
    for choice in (1, 2, 3):
        page.idle()
        page.press(f"#vials [data-vial='{choice}']:not([aria-disabled])")
    page.see("document.querySelector('#phase').innerText.includes('JACKPOT')")
    page.see("/[0-9]/.test(document.querySelector('#jackpot-sum').innerText)")
    [paid] = eventually("the award", lambda: awarded(player), 5)
    assert page.money("#jackpot-sum") == paid >= shown, "the counter was seen up to 3 s before, and grew by the bet"
    page.picture("jackpot")
    other.see("window.news.includes('has won the jackpot of Witches')")
    page.see(f"document.querySelectorAll('#winners .winner').length > {own}")
    page.press("#jackpot-done")
    page.see(f"document.querySelector('#balance').innerText.replace(/[^0-9]/g, '') === '{100000 - 300 + paid}'")
    page.see("document.querySelector('#spin') && !document.querySelector('#spin').ariaDisabled")
    other.see("document.querySelector('#jackpots [data-pool=\"1\"][data-row=\"20\"] b').innerText.startsWith('€400.')")
    no_problems()


# RULE bewitched 8.5, RULE mona-lisa 7.5, RULE witch-feature 9.6
def test_replay_in_the_history():
    page = Page("picker")
    page.press("#menu")
    page.press("#menu-history")
    page.see("document.querySelectorAll('#history tbody tr[data-kind=round]').length === 2")
    page.press("#history tbody tr[data-kind=round]:nth-child(2) button")
    page.see("document.querySelectorAll('#replay-course li').length === 2")
    page.press("#replay-course li:nth-child(2) button")
    page.see("document.querySelector('#replay-phase').innerText.includes('Vials')")
    assert "7.50" in page.text(selector="#replay-phase") and len(page.evaluate(code="[...document.querySelectorAll('#replay-reels [data-symbol]')]")) == 15
    page.picture("replay")
    link = page.evaluate(code="document.querySelector('#support-link').value")
    assert re.search(r"/operator/#players/[0-9]+/[0-9]+$", link), link
    no_problems()


# RULE bewitched 8.5, RULE mona-lisa 7.5, RULE witch-feature 9.6
def test_filters_of_the_history():
    """All kinds of entries, filtered, page by page, in two languages; balances follow from one another."""
    page = Page("keeper", still=True)
    player = page.login()
    win = RULES.stops(win=True, bet=MAX)
    for stops in [LOSS] * 12 + [win] + [LOSS] * 10:
        page.spin(player, *stops)
        page.collect()
    page.press("#menu")
    page.press("#menu-history")
    rows = "document.querySelectorAll('#history tbody tr').length"
    page.see(f"{rows} === 20 && document.querySelector('#history-more')")
    page.picture("first")
    page.press("#history-more")
    page.see(f"{rows} === 24 && !document.querySelector('#history-more')")
    cents = "(row, name) => Number(row.querySelector('.' + name).innerText.replace(/[^0-9-]/g, ''))"
    broken = page.evaluate(code=f"{{ const c = {cents}; const all = [...document.querySelectorAll('#history tbody tr')]; all.filter((row, i) => all[i + 1] && c(row, 'before') !== c(all[i + 1], 'after')).length }}")
    assert broken == 0, "each balance is the one that the entry before left"
    for field, value, expected in (("only-wins", None, 1), ("only-wins", None, 24), ("only-kind", "money", 1), ("only-kind", "round", 23), ("only-kind", "", 24),
                                   ("only-game", "mona-lisa", 0), ("only-game", "", 24), ("only-to", "2020-01-01", 0), ("only-to", "", 24)):
        if value is None:
            page.press(f"#{field}")
        else:
            page.evaluate(code=f"{{ const field = document.querySelector('#{field}'); field.value = {json.dumps(value)}; field.dispatchEvent(new Event('change', {{ bubbles: true }})); }}")
        page.see("document.querySelector('#history-foot').innerText.indexOf('Loading') < 0")
        if expected > 20:
            page.see("document.querySelector('#history-more')")
            page.press("#history-more")
        page.see(f"{rows} === {expected}")
    page.size(width=390, height=844)
    page.see("document.documentElement.scrollWidth <= 390")
    page.picture("phone")
    page.press("#historywindow-close")
    no_problems()


# RULE bewitched 6.8, RULE mona-lisa 5.8, RULE mystery-elves 6.3, RULE mystic-gem 5.4, RULE witch-feature 7.7
def test_autospin_counts_and_stops():
    page = Page("auto")
    player = page.login()
    force(place, player, LOSS, LOSS, LOSS)
    # Shown for a moment only, which may be over when the page is looked at.
    page.evaluate(code="{ window.stops = []; new MutationObserver(() => { const stop = document.querySelector('#autostop'); if (stop && !document.querySelector('#autoplay'))"
                  " window.stops.push(stop.innerText); }).observe(document.body, { attributes: true, childList: true, subtree: true, characterData: true }); }")
    page.autospin(3)
    page.see("window.stops.some((text) => text.endsWith('/3'))")
    page.ready()
    assert booked(page, player) == 100000 - 45
    force(place, player, *[LOSS] * 1000)
    page.press("#auto")
    page.press("#autocancel")
    assert not page.evaluate(code="!!document.querySelector('#autoplay')")
    page.autospin(1000)
    page.press("#autostop")
    page.ready()
    assert 100000 - 45 - 15000 < booked(page, player) < 100000 - 45
    no_problems()


# RULE mystic-gem 5.4, RULE witch-feature 9.1
def test_autospin_goes_on_after_a_reload_at_its_bet():
    page = Page("auto-left", still=True)
    player = page.login()
    force(place, player, *[LOSS] * 1000)
    page.bet(coin=2)
    page.autospin(1000)
    page.see("document.querySelector('#autostop') && document.querySelector('#course li')")
    page.reload()
    page.see("document.querySelector('#autoresume')")
    assert page.money("#stake") == 30, "the bet that autospin was started with"
    shown = page.text(selector="#round")
    page.press("#autoresume")
    page.see(f"/[0-9]/.test(document.querySelector('#round').innerText) && document.querySelector('#round').innerText !== {json.dumps(shown)}")
    page.press("#autostop")
    page.ready()
    booked(page, player)
    stakes = [int(row[0]) for row in place.sql(f"select stake from wallet.journal where player = {player_id(player)} and kind = 2")]
    assert len(stakes) >= 2 and set(stakes) == {30}, stakes
    no_problems()


def test_bonus_spins_of_an_operator():
    """RULE mystic-gem 7.1, 7.2"""
    page = Page("gifted", still=True)
    player = page.login()
    bet = {"coin_minor": 2, "lines": 5, "coins": 1}
    answer = operator(place, f"/players/{player.split('-')[1]}/bonus-spins", {"game": GAME, "currency": "EUR", **bet, "spins": 2, "expires_us": int((time.time() + 3600) * 1e6)})
    assert answer.status == 200, answer
    token = page.evaluate(code="sessionStorage.getItem('token')")
    eventually("the engine to hear of the gift", lambda: (place.http("GET", f"/v1/state?game={GAME}", token=token).json or {}).get("bonus_spins"), 5)
    page.spin(player)  # what was given comes with the next answer
    before = booked(page, player)
    for left in ("2 bonus spins", "1 bonus spin"):
        page.see(f"document.querySelector('#bonus-spins')?.innerText.includes('{left}')")
        shown = page.text(selector="#round")
        force(place, player, LOSS)
        page.press("#bonus-spin")
        page.see(f"document.querySelector('#round').innerText !== {json.dumps(shown)}")
        page.idle()
        assert page.money("#balance") == before
    page.see("!document.querySelector('#bonus-spins')")
    assert booked(page, player) == before
    no_problems()


def soon(condition):
    return comes("news on the page's own connection", condition, 1)


def test_stale_balance_is_ignored():
    """What comes long after the answer, or after a later one, never puts an older balance on the screen; what is later than the answer is shown."""
    page = Page("late", keeps="balance", still=True)
    player = page.login()
    for _ in range(5):  # until the page's own connection tells of its player
        page.spin(player)
        if soon(lambda: page.kept() >= 1):
            break
    page.spin(player, *RULES.stops(win=True, bet=MAX))
    page.press("#collect")
    page.see("!document.querySelector('#gamble')")
    page.idle()
    shown = booked(page, player)
    eventually("the news of three moves", lambda: page.kept() >= 3, 5)
    while page.deliver(count=1):
        stays(f"{shown} on the page, longer than news waits", lambda: page.money("#balance") == shown, 0.8)
    answer = place.http("POST", f"/v1/operators/1/players/{player.split('-')[1]}/deposits", {"amount_minor": 5000, "currency": "EUR"}, token=place.operator_key(), key="late")
    assert answer.status in (200, 201), answer

    def told():
        page.deliver(count=1)
        return page.money("#balance") == shown + 5000
    eventually("the deposit on the page", told, 5)
    no_problems()


def test_not_enough_money_is_said():
    page = Page("poor", still=True)
    player = page.login()
    number = int(player.split("-")[1])
    answer = place.http("POST", f"/v1/operators/1/players/{number}/withdrawals", {"amount_minor": 99999, "currency": "EUR"}, token=place.operator_key(), key="w")
    assert answer.status in (200, 201), answer
    page.press("#spin")
    page.see("document.querySelector('#message .bad')")
    assert "0.01" in page.text(selector="#message"), page.text(selector="#message")
    page.picture("poor")
    page.press("#smallest")
    assert page.money("#stake") == 1, "one line of one coin"
    found = [p for p in browser.ask("problems") if "402" not in p]
    assert not found, found


def test_server_outage():
    page = Page("patient")
    player = page.login()
    place.kill("notifications-1")
    page.see("document.querySelector('#feed').innerText.includes('live')")
    force(place, player, LOSS)
    place.kill("gateway-1")
    before = page.text(selector="#round")
    page.press("#spin")
    page.see(f"document.querySelector('#round').innerText !== {json.dumps(before)}")
    page.idle()
    assert booked(page, player) == 100000 - 15
    eventually("both are back", lambda: all(row[0] == "running" for row in place.status().values()), 10)
    for name in browser.open:  # also what the tests after this one go on with
        browser.ask("wait", name, code="document.querySelector('#feed')?.innerText.includes('live') !== false")
    browser.ask("problems")  # of the moments when nobody was there


def test_narrow_and_light():
    page = Page("phone", width=390, height=844)
    page.login()
    assert page.evaluate(code="document.documentElement.scrollWidth") <= 390, "wider than the phone"
    page.picture("narrow")
    light = Page("light", dark=False)
    light.see("document.querySelectorAll('#jackpots .jackpot').length >= 7")
    light.picture("light")
    no_problems()


def test_the_focus_is_never_lost_and_controls_say_why():
    page = Page("keys")
    page.login()
    assert focus(page) == "spin"
    force(place, page.text(selector="#player").strip(), *[LOSS] * 2)
    for key in ("Space", "Enter"):
        before = page.text(selector="#round")
        page.key(key=key)
        page.see(f"document.querySelector('#round').innerText !== {json.dumps(before)}")
        page.idle()
        page.ready()
        assert focus(page) == "spin", key
    page.evaluate(code="document.querySelector('#bet-down').focus()")
    page.key(key="Enter")
    page.see("document.querySelector('#message').innerText.includes('this is the lowest')")
    assert focus(page) == "bet-down"
    page.press("#menu")
    page.press("#menuwindow-close")
    page.see("!document.querySelector('#menuwindow') && document.activeElement !== document.body")
    force(place, page.text(selector="#player").strip(), [*BONUS, RULES.vial_value("money", 15, MAX)])
    page.press("#spin")
    page.see("document.activeElement.dataset.vial === '0'")
    for key in ("ArrowRight", "Enter"):
        page.key(key=key)
    page.see("document.querySelector('[data-vial=\"1\"]').ariaDisabled && document.querySelector('#play').dataset.state === 'ready'")
    assert page.evaluate(code="document.activeElement.dataset.vial") == "1" and page.evaluate(code="document.querySelectorAll('.vial[tabindex=\"0\"]').length") == 1
    no_problems()


def test_a_second_press_stops_the_reels_at_the_same_window():
    page = Page("hasty")
    player = page.login()
    win = RULES.stops(win=True, bet=MAX)
    force(place, player, win)
    page.press("#spin")
    page.see("document.querySelector('#skip')")
    page.evaluate(code="document.querySelector('#skip')?.click()")  # at once: a real press might come when the button already collects
    page.idle()
    assert page.shown_symbols() == symbols_at(win) and page.money("#win") == sum(RULES.line_wins(RULES.window(win), MAX, 1))
    assert page.evaluate(code="document.querySelectorAll('.reel.rolling').length") == 0
    page.reload()
    page.see("document.querySelector('#collect')")
    page.press("#collect")
    page.ready()
    page.reload()  # nothing is open: the last round is shown
    page.see("document.querySelector('#player') && document.querySelectorAll('#reels .won').length >= 2")
    assert page.shown_symbols() == symbols_at(win)
    no_problems()


# Looks at each frame of a spin. Measures how many pixels of a turning reel show neither the belt nor the old symbols, and notes what the page says of
# a win that it still counts up.
LOOKS = """{ window.bare = 0; window.early = []; window.looked = { leaves: 0, counts: 0 };
    requestAnimationFrame(function look() {
        for (const reel of document.querySelectorAll('.reel.rolling:not(.landing)')) {
            const [all, roll, left] = [reel, reel.querySelector('.roll'), reel.querySelector('.strip')].map((one) => one.getBoundingClientRect());
            const leaving = reel.classList.contains('leaving');
            if (leaving) window.looked.leaves += 1;
            window.bare = Math.max(window.bare, roll.top - all.top, leaving ? left.top - roll.bottom : all.bottom - roll.bottom);
        }
        if (document.querySelector('#tally')) {
            window.looked.counts += 1;
            window.early.push(...[...document.querySelectorAll('#phase, .winplate, #wins')].map((one) => one.innerText).filter((text) => /[0-9]/.test(text)));
        }
        requestAnimationFrame(look);
    }); }"""


def test_a_win_is_told_after_it_has_been_counted_and_no_reel_is_bare():
    page = Page("watcher")
    player = page.login()
    page.bet(lines=1)  # the stake is small, so that the win counts up
    page.evaluate(code=LOOKS)
    for _ in range(10):  # a busy machine draws few frames
        page.collect()
        force(place, player, RULES.stops(win=True, bet={**MAX, "lines": 1}))
        before = page.text(selector="#round")
        page.press("#spin")
        page.see(f"document.querySelector('#round').innerText !== {json.dumps(before)}")
        page.idle()
        seen = page.evaluate(code="window.looked")
        if seen["leaves"] and seen["counts"]:
            break
    assert seen["leaves"] and seen["counts"], f"nothing was looked at: {seen}"
    assert page.evaluate(code="window.early") == [], "told before it was counted"
    assert page.evaluate(code="window.bare") < 3, "a reel was bare for a moment"
    assert "win" in page.text(selector="#phase")
    no_problems()


def test_languages():
    page = Page("swede", "/?lang=sv#bewitched")
    page.see("document.querySelector('#login')?.innerText.startsWith('Spela')")
    assert page.evaluate(code="document.documentElement.lang") == "sv"
    found = page.evaluate(code="Promise.all([import('" + FILES + "/lang/en.js'), import('" + FILES + "/lang/sv.js')]).then(([{ EN }, { SV }]) => {"
                          " const holes = (text) => [...new Set(text.match(/{\\w+/g) ?? [])].sort().join();"
                          " return [...Object.keys(EN).filter((key) => !(key in SV) || holes(EN[key]) !== holes(SV[key])), ...Object.keys(SV).filter((key) => !(key in EN) && !key.startsWith('name.'))]; })")
    assert found == [], found
    page.picture("lobby")
    for name, query, width in (("long", "en-XA", 390), ("rtl", "ar-XB", 390)):
        pseudo = Page(name, f"/?lang={query}#witch-feature", width=width, height=844)
        pseudo.see("document.querySelector('#login')")
        assert pseudo.evaluate(code="document.documentElement.scrollWidth") <= width, query
        assert pseudo.evaluate(code="document.documentElement.dir") == ("rtl" if query == "ar-XB" else "ltr")
        assert query != "en-XA" or pseudo.text(selector="#login").startswith("["), pseudo.text(selector="#login")
        pseudo.picture("first")
    no_problems()


def test_limits_session_and_logout():
    page = Page("careful", still=True)
    player = page.login()
    page.press("#menu")
    page.press("#menu-limits")
    page.see("document.querySelectorAll('#limits .limit').length >= 10")
    page.fill(selector="#limit-wager-day", value="0.10")
    page.press("[data-limit=wager][data-period=day] button")
    page.see("document.querySelector('[data-limit=wager][data-period=day]').innerText.includes('Now: €0.10')")
    page.picture("limits")
    page.press("#limits-close")
    page.press("#spin")
    page.see("/limit does not allow this: Stakes a day, €0.10. Left: €0.10/.test(document.querySelector('#message').innerText)")
    assert booked(page, player) == 100000
    found = [p for p in browser.ask("problems") if "403" not in p]
    assert not found, found
    page.press("#menu")
    page.press("#menu-session")
    page.see("document.querySelector('#net')?.innerText === '€0.00'")
    page.press("#logout")
    page.see("document.querySelector('#login') && !sessionStorage.getItem('token')")
    page.login()
    page.press("#menu")
    page.press("#menu-session")
    page.press("#logout-all")
    page.see("document.querySelector('#login') && !sessionStorage.getItem('token')")
    page.login()
    no_problems()


def test_lobby_and_the_rules_of_their_own():
    page = Page("visitor", "/")
    page.see("document.querySelectorAll('#games .gametile').length === 5")
    # The jackpots and the figures come after the list of games, each in an answer of its own.
    for part in ("Jackpot up to", "volatility", "96.08 %"):
        page.see(f"document.querySelector('#games').innerText.includes({part!r})")
    page.press("#games [data-game=mona-lisa]")
    page.see("document.querySelector('#play')?.dataset.game === 'mona-lisa'")
    rules = Page("paper", "/rules/mona-lisa/")
    rules.see("document.querySelectorAll('.payline').length === 25")
    assert "only the largest bet can win them" in rules.text(selector="body")
    no_problems()


# Presses twice, as soon as there is cause: while the first reels turn, and once a free spin has landed. Keeps what begins to be shown after that.
PRESSES = """{ window.presses = []; window.after = [];
    const rolls = (name) => /\\brolling\\b/.test(name ?? '');
    new MutationObserver((changes) => {
        if (window.presses.length === 2) for (const { target, oldValue, addedNodes } of changes) {
            if (target.classList?.contains('rolling') && !rolls(oldValue)) window.after.push(target.className);
            for (const node of addedNodes) if (node.id === 'intro') window.after.push(node.id);
        }
        const main = document.querySelector('[data-main]');
        if (!['skip', 'tally'].includes(main?.id) || document.querySelectorAll('#course li').length < [0, 2, 99][window.presses.length]) return;
        window.presses.push({ locked: Boolean(document.querySelector('#home').ariaDisabled) });
        main.click();
    }).observe(document.body, { attributes: true, attributeFilter: ['class', 'id', 'data-state'], attributeOldValue: true, childList: true, subtree: true }); }"""


# RULE bewitched 8.2, RULE mona-lisa 7.2, RULE mystic-gem 8.2, RULE witch-feature 9.1, 9.2
def test_space_bar_and_skip():
    page, deal = Page("typist", "/#witch-feature"), Deal("witch-feature")
    player = page.login()
    force(place, player, [*deal.stops("base", {"cauldron": 1}, {}, {}, {}, {"cauldron": 1})])
    page.evaluate(code=PRESSES)
    page.key(key="Space")
    page.see("document.querySelector('#play').dataset.state === 'ready' && window.presses.length === 2")
    assert page.evaluate(code="window.presses.every((press) => press.locked)"), "no way out of what is being shown"
    assert page.evaluate(code="window.after") == [], "not skipped"
    assert len(told(page)) >= 11, "all was shown, the rest of it at once"
    assert "Round win" in page.evaluate(code="document.querySelector('#said').textContent")
    no_problems()


# RULE bewitched 2.9, RULE mona-lisa 2.7
def test_small_screens_show_coins_too():
    page = Page("coins", width=390, height=844, still=True)
    page.login()
    page.bet(coin=20)
    assert "5,000 coins" in page.text(selector=".meters"), page.text(selector=".meters")
    wide = Page("no-coins", still=True)
    wide.login()
    assert "coins" not in wide.text(selector=".meters")
    no_problems()


# RULE bewitched 8.3, 8.6, RULE mona-lisa 7.3, 7.6, RULE mystic-gem 8.7, RULE witch-feature 9.3, 9.5, 9.7
def test_full_screen_the_way_out_and_no_sound():
    page = Page("wide", "/#mystic-gem")
    page.see("document.querySelector('#play')?.dataset.game === 'mystic-gem'")
    page.press("#menu")
    assert page.evaluate(code="document.querySelector('#sound-effects').value === '0'"), "silent until the player wants sound"
    page.press("#menuwindow-close")
    assert not page.evaluate(code="!!document.querySelector('#witch, #potions')"), "what the game has not is not shown"
    for wanted in ("!!document.fullscreenElement", "!document.fullscreenElement"):
        page.press("#menu")
        page.press("#full")
        page.see(wanted)
    page.press("#home")
    page.press("#games [data-game=mona-lisa]")
    page.see("document.querySelector('#play')?.dataset.game === 'mona-lisa'")
    no_problems()


# ---- Jackpot Cards ----


def test_jackpot_cards_are_turned_left_and_won():
    """RULE mystic-gem 6.2, 6.7, 6.8, 6.9, 6.10, 6.15, 6.16"""
    page, player = enter_in_crowns("cards")
    other = Page("cards-onlooker", "/#mystic-gem", still=True)
    other.see("document.querySelector('#feed')?.innerText.includes('live')")
    other.evaluate(code=HEARD)
    assert [word in page.text(selector="#jackpots") for word in ("Clubs", "Diamonds", "Hearts", "Spades", "€")] == [True] * 5
    page.spin(player, *Deal("mystic-gem").stops())
    page.see("document.querySelector('#cards')?.dataset.state === 'ready'")
    assert page.evaluate(code="document.querySelectorAll('#cards .place').length") == 12 and open_cards(page) == []
    before = page.money("#balance")
    promised = page.text(selector="#cards-proof").split()[-1]
    page.picture("begin")
    page.key(key="ArrowRight")
    page.key(key="ArrowDown")
    page.key(key="Enter")
    page.see("document.querySelector('#cards .place.open[data-place=\"5\"]')")
    turn(page, 0)
    for _ in range(3):  # a browser lets a page refuse only the first
        page.key(key="Escape")
    page.see("document.querySelector('#cards').open")
    assert page.evaluate(code="!!document.querySelector('#cards:modal')"), "the cards stay until they are played"
    page.picture("middle")
    suits = page.evaluate(code="[...document.querySelectorAll('#cards .place.open')].map((card) => card.dataset.suit)")
    page.reload()
    page.see("document.querySelector('#cards')?.dataset.state === 'ready'")
    assert open_cards(page) == ["0", "5"] and page.evaluate(code="[...document.querySelectorAll('#cards .place.open')].map((card) => card.dataset.suit)") == suits, "the same cards lie open"
    page.picture("back-again")
    suits += turn_all(page, [1, 2, 3, 4, 6, 7, 8])
    assert suits.count("hearts") == 3 and max(suits.count(suit) for suit in SUITS if suit != "hearts") <= 2 and suits[-1] == "hearts", suits
    [paid] = awarded(player)
    assert page.money("#cards .rung.won b") == paid and f"{paid // 100}" in page.text(selector="#cards-said").replace("\u00a0", "").replace(" ", "").replace("\u202f", ""), (paid, page.text(selector="#cards-said"))
    assert "balance" in page.text(selector="#cards-said") and "✓" in page.text(selector="#cards-proof") and promised in page.text(selector="#cards-proof")
    page.picture("won")
    other.see("window.news.includes('has won Hearts: ') && document.querySelector('#winners').innerText.includes('Hearts')")
    assert player.split("-")[1] not in other.evaluate(code="window.news"), "the winner is masked"
    other.picture("news")
    page.press("#cards-close")
    page.see(f"!document.querySelector('#cards') && {READY}")
    assert booked(page, player) == before + paid
    page.press("#rules")
    page.see("document.querySelector('#help').innerText.includes('Which place you touch changes nothing') && document.querySelector('#help').innerText.includes('it is certain')")
    page.picture("rules")
    no_problems()


def test_autospin_waits_for_jackpot_cards():
    """RULE mystic-gem 5.3"""
    page, player = enter_in_crowns("cards-auto", width=390, height=844, still=True)
    force(place, player, *[Deal("mystic-gem").stops()] * 3)
    page.autospin(2)
    last = ""
    for left in (1, 0):  # what lies between two rounds of cards is too short to be seen
        page.see(f"document.querySelector('#cards')?.dataset.state === 'ready' && document.querySelector('#cards').dataset.id !== '{last}'")
        last = page.evaluate(code=CARDS_ID)
        assert f"{left} of 2 left" in page.text(selector="#paused")
        turn_all(page, range(12))
        assert page.evaluate(code="document.documentElement.scrollWidth") <= 390, "wider than the phone"
        page.picture(f"won-{left}")
    page.see("!document.querySelector('#cards')")
    page.ready()
    assert len(awarded(player)) == 2
    booked(page, player)
    no_problems()


def test_a_collected_win_may_begin_the_cards():
    """RULE mystic-gem 6.5, 6.11"""
    page, player = enter_in_crowns("cards-collect", still=True)
    page.spin(player, *Deal("mystic-gem").stops("base", {}, {"wild": 1}, {}, {"wild": 1}))
    pending, before, number = page.money("#pending"), page.money("#balance"), page.text(selector="#round")
    page.press("#collect")
    page.see("document.querySelector('#cards')?.dataset.state === 'ready'")
    assert page.text(selector="#round") == number
    assert page.money("#balance") == before + pending and page.money("#pending") == 0, (before, pending)
    turn_all(page, range(12))
    page.press("#cards-close")
    page.see(f"!document.querySelector('#cards') && {READY}")
    assert page.evaluate(code="!document.querySelector('#gamble')"), "the prize cannot be doubled"
    booked(page, player)
    no_problems()


if __name__ == "__main__":
    place = Installation("pages")
    card_sets(place)
    with lib_pages.browsing(place) as browser:
        run(*[lib_pages.closing(f, GONE_ON_WITH) for name, f in list(globals().items()) if name.startswith("test_")])
