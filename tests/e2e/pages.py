#!/usr/bin/env python3
"""The pages in a real browser: what a person clicks and what he then sees, with scripted draws, and what a second person sees at the same moment.
Pictures of each state are left in build/pages/."""
import json
import os
import re
import shutil
import subprocess

from lib_play import RULES, force
from lib_stack import ROOT, Installation, run, wait_until

PICTURES = f"{ROOT}/build/pages"
CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
LOSS, BONUS = RULES.stops(), RULES.stops(bonuses=3)
MAX = {"coin_minor": 1, "lines": 15, "coins": 1}
place = browser = None


class Browser:
    def __init__(self):
        modules = subprocess.run([f"{ROOT}/scripts/web.sh", "modules"], capture_output=True, text=True, timeout=120, check=True).stdout.strip()
        self.process = subprocess.Popen(["node", f"{ROOT}/tests/e2e/pages.mjs", modules, CHROMIUM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, do, page=None, **more):
        self.process.stdin.write(json.dumps({"do": do, "page": page, **more}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, f"the browser is gone at {do}"
        answer = json.loads(line)
        assert "error" not in answer, f"{do} {page} {more}: {answer['error']}"
        return answer["result"]

    def end(self):
        self.process.stdin.close()
        self.process.wait(20)


class Page:
    def __init__(self, name, path="/", **more):
        self.name = name
        browser.ask("open", name, url=place.url + path, **more)

    def __getattr__(self, do):
        return lambda **more: browser.ask(do, self.name, **more)

    def see(self, code, ms=10000):
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
        self.see("!document.querySelector('#spin, #next')?.disabled || !!document.querySelector('#vials .vial:not([disabled])')")

    def picture(self, what):
        os.makedirs(PICTURES, exist_ok=True)
        self.shot(path=f"{PICTURES}/{self.name}-{what}.png")

    def login(self):
        self.press("#login")
        self.see("document.querySelector('#player') && document.querySelector('#spin') && !document.querySelector('#spin').disabled")
        return self.text(selector="#player").strip().split()[-1]

    def spin(self, player, *script):
        """One spin with these draws; back when the page is ready for what comes next."""
        force(place, player, list(script) or LOSS)
        before = self.text(selector="#round")
        self.press("#spin")
        self.see(f"document.querySelector('#round').innerText !== {json.dumps(before)}")
        self.idle()

    def shown_symbols(self):
        return self.evaluate(code="[...document.querySelectorAll('#reels [data-symbol]')].map((cell) => cell.dataset.symbol)")


def no_problems():
    found = browser.ask("problems")
    assert not found, "\n".join(found)


def state_of(player):
    return int(place.sql(f"select balance_after from wallet.journal where player = {int(player.split('-')[1]) + (1 << 48)} order by seq desc limit 1")[0][0])


def symbols_at(stops):
    window = RULES.window(stops)
    return [RULES.symbols[window[reel][row]] for row in range(RULES.rows) for reel in range(RULES.reels)]


def test_a_stranger_sees_the_jackpots():
    page = Page("stranger")
    page.see("document.querySelectorAll('#jackpots .jackpot').length >= 7")
    page.see("document.querySelector('#feed').innerText.includes('live')")
    shown = page.text(selector="#jackpots")
    assert "20.00 EUR" in shown and "2 000.00 EUR" in shown, shown
    assert len(page.shown_symbols()) == 15 and page.evaluate(code="document.title")
    page.picture("first-look")
    no_problems()


def test_spin_lost_and_won():
    page = Page("player")
    player = page.login()
    assert page.money("#balance") == 100000
    page.picture("logged-in")
    page.spin(player)
    assert page.money("#balance") == state_of(player) == 100000 - 15 and page.money("#win") == 0
    assert page.shown_symbols() == symbols_at(LOSS), "the reels stand where they were drawn"
    win = RULES.stops(win=True, bet=MAX)
    amount = sum(RULES.line_wins(RULES.window(win), MAX, 1))
    page.spin(player, *win)
    assert page.shown_symbols() == symbols_at(win) and page.money("#win") == amount
    assert page.evaluate(code="document.querySelectorAll('#reels .won').length") >= 2
    assert page.money("#pending") == amount
    page.picture("won")
    page.press("#collect")
    page.see("!document.querySelector('#gamble')")
    page.see(f"document.querySelector('#balance').innerText.replace(/[^0-9]/g, '') === '{100000 - 30 + amount}'")
    page.see("document.querySelector('#proof .good')")
    page.see("document.querySelectorAll('#history tbody tr').length === 2")
    page.picture("collected")
    no_problems()


def test_choices_of_the_bet():
    page = Page("player")
    page.see("document.querySelector('#spin') && !document.querySelector('#spin').disabled")
    page.select(selector="#coin", value=5)
    page.select(selector="#lines", value=3)
    page.select(selector="#coins", value=4)
    assert page.money("#stake") == 60
    page.press("#max")
    assert page.money("#stake") == 750
    assert page.evaluate(code="document.querySelector('#jackpots .selected').dataset.row") == "5"
    page.select(selector="#coin", value=1)
    page.select(selector="#coins", value=1)
    page.select(selector="#witch", value=1)
    page.see("document.querySelector('#spin') && !document.querySelector('#spin').disabled && document.querySelector('#witch').value === '1'")
    page.reload()
    page.see("document.querySelector('#player') && document.querySelector('#witch')?.value === '1'")
    no_problems()


def test_gamble():
    page = Page("gambler")
    player = page.login()
    page.spin(player, *RULES.stops(win=True, bet=MAX))
    page.see("document.querySelector('#gamble')")
    before, waiting = page.money("#balance"), page.money("#pending")
    page.picture("gamble")
    page.press("#red")
    page.see("document.querySelector('#red') === null || !document.querySelector('#red').disabled")
    if page.evaluate(code="!!document.querySelector('#gamble')"):
        assert page.money("#pending") == 2 * waiting and "4 attempts" in page.text(selector="#gamble")
        page.picture("gamble-won")
        page.press("#collect")
        page.see("!document.querySelector('#gamble')")
        page.see(f"document.querySelector('#balance').innerText.replace(/[^0-9]/g, '') === '{before + 2 * waiting}'")
    else:
        assert page.money("#balance") == before and page.money("#pending") == 0 and page.money("#win") == 0
        page.picture("gamble-lost")
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
        page.press(f"#vials .vial:nth-child({choice + 1}):not([disabled])")
    page.see("!document.querySelector('#vials')")
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
    page.see("document.querySelector('#spin') && !document.querySelector('#spin').disabled")
    assert page.money("#balance") == state_of(player)
    no_problems()


def test_jackpot_is_seen_by_everybody_and_by_its_winner_last():
    other, page = Page("onlooker"), Page("winner")
    other.see("document.querySelector('#feed').innerText.includes('live')")
    player = page.login()
    page.select(selector="#coin", value=20)
    shown = page.money("#jackpots .selected b")
    news = other.evaluate(code="document.querySelectorAll('#winners .winner').length")
    page.spin(player, *BONUS, 0)
    page.see("document.querySelector('#vials')")
    other.see(f"document.querySelectorAll('#winners .winner').length > {news}")
    other.picture("sees-the-winner")
    assert player.split("-")[1] not in other.text(selector="#winners"), "the winner is masked"
    assert page.money("#balance") == 100000 - 300, "the winner does not know yet"
    for choice in (1, 2, 3):
        page.idle()
        page.press(f"#vials .vial:nth-child({choice + 1}):not([disabled])")
    page.see("document.querySelector('#phase').innerText.includes('JACKPOT')")
    page.picture("jackpot")
    page.see(f"document.querySelector('#balance').innerText.replace(/[^0-9]/g, '') === '{100000 - 300 + shown}'")
    page.see("document.querySelector('#spin') && !document.querySelector('#spin').disabled")
    other.see("document.querySelector('#jackpots [data-pool=\"1\"][data-row=\"20\"] b').innerText.startsWith('400.')")
    no_problems()


def test_replay_in_the_history():
    page = Page("picker")
    page.see("document.querySelectorAll('#history tbody tr').length === 2")
    page.press("#history tbody tr:nth-child(2) button")
    page.see("document.querySelector('#replay table')")
    assert "bonus" in page.text(selector="#replay") and "7.50" in page.text(selector="#replay")
    page.picture("replay")
    no_problems()


def test_autospin_counts_and_stops():
    page = Page("auto")
    player = page.login()
    force(place, player, LOSS, LOSS, LOSS)
    page.fill(selector="#autospins", value=3)
    page.press("#autostart")
    page.see("document.querySelector('#autostop')")
    page.see("document.querySelector('#autostart') && !document.querySelector('#autostart').disabled", 20000)
    assert page.money("#balance") == 100000 - 45 == state_of(player)
    force(place, player, *[LOSS] * 20)
    page.fill(selector="#autospins", value=20)
    page.press("#autostart")
    page.see("document.querySelector('#autostop')")
    page.press("#autostop")
    page.see("document.querySelector('#autostart') && !document.querySelector('#autostart').disabled", 20000)
    assert page.money("#balance") == state_of(player) > 100000 - 45 - 300
    no_problems()


def test_not_enough_money_is_said():
    page = Page("poor")
    player = page.login()
    number = int(player.split("-")[1])
    answer = place.http("POST", f"/v1/operators/1/players/{number}/withdrawals", {"amount_minor": 99999, "currency": "EUR"}, token=place.operator_key(), key="w")
    assert answer.status in (200, 201), answer
    page.press("#spin")
    page.see("document.querySelector('#message .bad')")
    assert "0.01" in page.text(selector="#message"), page.text(selector="#message")
    page.picture("poor")
    found = [p for p in browser.ask("problems") if "402" not in p]
    assert not found, found


def test_server_gone_and_back():
    page = Page("patient")
    player = page.login()
    place.kill("notifications-1")
    page.see("document.querySelector('#feed').innerText.includes('live')", 15000)
    force(place, player, LOSS)
    place.kill("gateway-1")
    before = page.text(selector="#round")
    page.press("#spin")
    page.see(f"document.querySelector('#round').innerText !== {json.dumps(before)}", 20000)
    page.idle()
    assert page.money("#balance") == state_of(player) == 100000 - 15
    wait_until("both are back", lambda: all(row[0] == "running" for row in place.status().values()), 10)
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


def test_operators_page():
    page = Page("operator", "/operator/")
    page.see("document.body.innerText.length > 20")
    page.picture("door")
    page.fill(selector="#key", value="wrong")
    page.press("#enter")
    page.see("/refus|wrong|not|unknown/i.test(document.body.innerText)")
    browser.ask("problems")  # the 401 itself
    page.fill(selector="#key", value=place.operator_key())
    page.press("#enter")
    page.see("document.body.innerText.includes('wallet-1') && /bewitched/i.test(document.body.innerText)")
    page.picture("status")
    no_problems()


if __name__ == "__main__":
    with Installation("pages") as place:
        browser = Browser()
        try:
            run(*[f for name, f in list(globals().items()) if name.startswith("test_")])
        except SystemExit as status:
            if status.code:
                raise
        finally:
            browser.end()
