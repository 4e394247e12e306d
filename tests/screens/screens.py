#!/usr/bin/env python3
"""Pictures and films of the pages: every game, feature, window and failure, by scripted draws, at five sizes, and a short film of each game; every screen and
form of the console on a phone and a desk.
`screens.py [NAME]...`: only the scenes whose names begin so. What they show is for people to look at: build/screenshots/index.html."""
import html
import json
import os
import signal
import sys
import time
import traceback

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
# pylint: disable=wrong-import-position
import lib_desk as console
import lib_console
import lib_pages
from lib_deal import MISS, Deal
from lib_pages import READY, Page
from lib_play import RULES, Socket, force
from lib_screens import best_line, card_sets, film_of, nothing, sizes_of
from lib_stack import ROOT, Installation, eventually

PLACE = f"{ROOT}/build/screenshots"
GAMES = ("bewitched", "mystic-gem", "mystery-elves", "mona-lisa", "witch-feature")
MAX = {"coin_minor": 1, "lines": 15, "coins": 1}
FREE = {  # what starts each game's free spins or other long feature, and what follows
    "bewitched": lambda deal: [*RULES.stops(scatters=2), 9],
    "mystic-gem": lambda deal: deal.stops("base", {}, {"wild": 1}, {}, {"wild": 1}),
    "mystery-elves": lambda deal: [*deal.stops("base", {"parcel": 2}, {"parcel": 2}, {"parcel": 2}), *deal.loads(5, "mystery", 1, "multiplier", 18, "mystery"), 0, *deal.loads(7), *[MISS] * 8],
    "mona-lisa": lambda deal: [*deal.stops("base", {"jewel": 2}, {"wild": 1}, {}, {"jewel": 1}), *deal.stops("jewel")[1:], *deal.stops("jewel")[1:]],
    "witch-feature": lambda deal: deal.stops("base", {}, {}, {}, {"green": 1}),
}
place = browser = None
scenes = []  # (game, what) in the order in which they were taken


def scene(page, game, what, note=""):
    """One state of the page at every size."""
    name = f"{game}-{what}"
    scenes.append((game, what, note))
    page.shots(path=f"{PLACE}/{name}", sizes=sizes_of())


def frozen(page, game, what, until, then=0.0):
    """A state that lasts for a moment only."""
    page.see(until)
    time.sleep(then)
    page.freeze()
    scene(page, game, what)
    page.thaw()


def sit(game, name=None, **more):
    page = Page(name or game, f"/#{game}", width=1366, height=768, held=True, apart=True, **more)
    page.see(f"document.querySelector('#play')?.dataset.game === '{game}' && document.querySelectorAll('#reels .cell .art').length")
    return page


# ---- scenes of one game ----

def base(game):
    """The bare game: before the login, at rest, turning, lost, won a little and much; its windows."""
    page, deal = sit(game), Deal(game)
    scene(page, game, "00-before-login")
    player = page.login()
    scene(page, game, "01-ready")
    force(place, player, nothing(deal))
    page.press("#spin")
    frozen(page, game, "02-turning", "document.querySelectorAll('.reel.rolling').length > 2", 0.25)
    page.idle()
    scene(page, game, "03-lost")
    page.spin(player, *best_line(deal, "least"))
    scene(page, game, "04-won")
    if page.evaluate(code="!!document.querySelector('#double')"):
        page.gamble()
        scene(page, game, "05-gamble")
        page.press("#red")
        told = "document.querySelector('#play').dataset.state === 'ready' && document.querySelector('#message').innerText"
        page.see(f"document.querySelector('#guessed') || ({told})")
        page.freeze()
        if page.evaluate(code="!!document.querySelector('#guessed')"):
            scene(page, game, "05b-guessed")
        page.thaw()
        page.see(told)
        scene(page, game, "06-gambled")
        if page.evaluate(code="!!document.querySelector('#gamble-close')"):
            page.press("#gamble-close")
    page.collect()
    force(place, player, best_line(deal, "most"))
    page.press("#spin")
    frozen(page, game, "07-large-win", "document.querySelector('#celebration')", 0.9)
    page.idle()
    scene(page, game, "08-after-a-large-win")
    page.collect()
    windows(page, game)
    page.press("#home")
    page.see("document.querySelector('#lobby')")
    browser.ask("close", page.name)


def windows(page, game):
    for opener, close, what in (("#bet-open", "#bet-close", "10-bet"), ("#buy", "#modes-close", "11-modes"), ("#auto", "#autocancel", "13-autospin"), ("#jackpots", "#jackpotswindow-close", "13b-jackpots"), ("#rules", "#help-close", "14-rules")):
        if not page.evaluate(code=f"!!document.querySelector('{opener}')"):
            continue
        page.press(opener)
        scene(page, game, what)
        if opener == "#buy":
            page.press("#modes [data-mode]:not([data-mode=base]):not([aria-disabled])")
            page.see("document.querySelector('#question')")
            scene(page, game, "12-question")
            page.press("#no")
        else:
            page.press(close)


def ready(page):
    """Until the game waits for the player, however long it shows."""
    page.see("document.querySelector('#play').dataset.state === 'ready'", 90000)


def total(page, game, what):
    """The total of a feature, if it has one, and then until the game waits for the player."""
    page.see("document.querySelector('#celebration.total') || document.querySelector('#play').dataset.state === 'ready'", 90000)
    if page.evaluate(code="!!document.querySelector('#celebration.total')"):
        time.sleep(0.9)
        page.freeze()
        scene(page, game, what)
        page.thaw()
        page.evaluate(code="document.querySelector('#tally')?.click()")
    ready(page)


def feature(game):
    """What each game is about."""
    page, deal = sit(game, f"{game}-feature"), Deal(game)
    player = page.login()
    {"bewitched": witches, "mystic-gem": gems, "mystery-elves": parcels, "mona-lisa": jewels, "witch-feature": potions}[game](page, player, deal)
    browser.ask("close", page.name)


def witches(page, player, _deal):
    game = "bewitched"
    force(place, player, [*RULES.stops(bonuses=3), RULES.vial_value("money", 50, MAX)])
    page.press("#spin")
    ready(page)
    page.see("document.querySelector('#vials')")
    scene(page, game, "20-vials")
    for choice in (0, 4):
        page.idle()
        page.press(f"#vials [data-vial='{choice}']:not([aria-disabled])")
    page.idle()
    scene(page, game, "21-vials-two-picked")
    page.press("#vials [data-vial='8']:not([aria-disabled])")
    frozen(page, game, "22-vials-brewed", "document.querySelector('#intro') || document.querySelector('#celebration')", 0.6)
    total(page, game, "22b-vials-total")
    scene(page, game, "23-vials-paid")
    page.collect()
    force(place, player, [*RULES.stops(scatters=2), 9, *RULES.stops(), *RULES.stops(win=True, bet=MAX)])
    page.press("#spin")
    frozen(page, game, "24-battle", "document.querySelector('#intro[data-kind=battle]')", 0.8)
    page.see("document.querySelector('#next')", 60000)
    scene(page, game, "25-battle-won")
    page.press("#next")
    frozen(page, game, "26-free-spins-begin", "document.querySelector('#intro[data-kind=free_spin]')", 0.8)
    frozen(page, game, "27-free-spin", "document.querySelector('#play').dataset.scene === 'free_spin' && document.querySelectorAll('.reel.rolling').length === 0", 0.2)
    page.evaluate(code="document.querySelector('#fast').click()")
    total(page, game, "27b-free-spins-total")
    scene(page, game, "28-free-spins-over")
    page.collect()
    page.bet(coin=20)
    force(place, player, [*RULES.stops(bonuses=3), 0])
    page.press("#spin")
    page.see("document.querySelector('#vials')", 60000)
    for choice in (1, 2, 3):
        page.idle()
        page.press(f"#vials [data-vial='{choice}']:not([aria-disabled])")
    page.see("document.querySelector('#jackpot-sum') && /[0-9]/.test(document.querySelector('#jackpot-sum').innerText)", 60000)
    time.sleep(1)
    page.freeze()
    scene(page, game, "29-jackpot")
    page.thaw()
    page.press("#jackpot-done")
    ready(page)
    scene(page, game, "29b-after-the-jackpot")


def gems(page, player, deal):
    game = "mystic-gem"
    page.spin(player, *FREE[game](deal))
    scene(page, game, "20-wild-reels")
    page.collect()
    force(place, player, [0, *deal.stops("buy_2")])
    page.buy("wild_2")
    ready(page)
    scene(page, game, "21-two-wild-reels-bought")


def parcels(page, player, deal):
    game = "mystery-elves"
    force(place, player, FREE[game](deal))
    page.press("#spin")
    frozen(page, game, "20-hold-begins", "document.querySelector('#intro[data-kind=hold_respin]')", 0.8)
    frozen(page, game, "21-hold", "document.querySelectorAll('#reels .landed').length", 0.2)
    total(page, game, "21b-hold-total")
    scene(page, game, "22-hold-over")


def jewels(page, player, deal):
    game = "mona-lisa"
    page.spin(player, *FREE[game](deal))
    scene(page, game, "20-jewels")
    page.press("#next")
    frozen(page, game, "21-jewel-spins-begin", "document.querySelector('#intro[data-kind=sticky_spin]')", 0.8)
    frozen(page, game, "22-jewel-spin", "document.querySelectorAll('#reels .held').length >= 4 && document.querySelectorAll('.reel.rolling').length === 0", 0.1)
    total(page, game, "22b-jewel-total")
    page.collect()
    page.spin(player, *deal.stops("base", {"easel": 1}, {"easel": 1}, {"easel": 1}), *deal.stops("free", {"jewel": 2}))
    scene(page, game, "24-free-spins-won")
    page.press("#next")
    frozen(page, game, "25-free-spins-begin", "document.querySelector('#intro[data-kind=free_spin]')", 0.8)
    page.press("#fast")
    total(page, game, "25b-free-spins-total")
    scene(page, game, "26-free-spins-over")


def potions(page, player, deal):
    game = "witch-feature"
    page.spin(player, *deal.stops("base", {}, {"red": 1}, {"blue": 1}))
    scene(page, game, "20-two-potions")
    force(place, player, deal.stops("base", {}, {}, {}, {"green": 1}))
    page.press("#spin")
    frozen(page, game, "21-feature-begins", "document.querySelector('#intro')", 0.8)
    total(page, game, "21b-feature-total")
    scene(page, game, "22-feature-over")
    page.collect()
    page.spin(player, *deal.stops("base", {}, {"red": 1}, {}, {"red": 1}))
    force(place, player, [*deal.stops("base", {}, {"red": 1}), 0])
    page.collect()
    page.press("#spin")
    frozen(page, game, "23-explosion-begins", "document.querySelector('#intro[data-kind=explosion]')", 0.8)
    total(page, game, "23b-explosion-total")
    scene(page, game, "24-explosion")
    page.collect()
    force(place, player, deal.stops("base", {"cauldron": 1}, {}, {}, {}, {"cauldron": 1}))
    page.press("#spin")
    frozen(page, game, "25-anticipation", "document.querySelector('.reel.anticipating')", 0.2)
    frozen(page, game, "26-free-spins-begin", "document.querySelector('#intro[data-kind=free_spin]')", 0.8)
    page.evaluate(code="document.querySelector('#fast').click()")
    total(page, game, "26b-free-spins-total")
    scene(page, game, "27-free-spins-over")


# ---- what belongs to no game ----

def around():
    """Lobby, menu, history and replay, protection, and what goes wrong."""
    game = "page"
    page = Page("around", "/", width=1366, height=768, held=True, apart=True)
    page.see("document.querySelectorAll('#games .gametile img').length === 5")
    time.sleep(0.5)
    scene(page, game, "00-lobby")
    page.press("#login")
    page.see("document.querySelector('#player')")
    scene(page, game, "01-lobby-in-session")
    page.press("#games [data-game=bewitched]")
    page.ready()
    player = page.text(selector="#player").strip().split()[-1]
    for win in (True, False, True):
        page.spin(player, *RULES.stops(win=win, bet=MAX))
    page.spin(player, *RULES.stops())
    for opener, what, close in (("", "02-menu", "#menuwindow-close"), ("#menu-round", "03-this-round", "#roundwindow-close"), ("#menu-history", "04-history", ""), ("#menu-session", "06-session", "#sessionwindow-close"), ("#menu-limits", "07-limits", "#limits-close")):
        if opener == "#menu-round":  # beside the game where the window is wide
            page.size(width=390, height=844)
        page.press("#menu")
        if opener:
            page.press(opener)
        page.see("document.querySelector('dialog[open]')")
        time.sleep(0.6)
        scene(page, game, what)
        if what == "04-history":
            page.press("#history tbody tr[data-kind=round] button")
            page.see("document.querySelector('#replay-reels')")
            scene(page, game, "05-replay")
            close = "#historywindow-close"
        page.evaluate(code="document.querySelector('dialog[open] .x')?.click()")
        page.see("!document.querySelector('dialog[open]')")
        page.size(width=1366, height=768)
    failures(page, game, player)
    browser.ask("close", page.name)
    for what, address in (("30-rules-page", "/rules/mona-lisa/"), ("31-swedish", "/?lang=sv#mystery-elves"), ("32-long-words", "/?lang=en-XA#witch-feature"), ("33-right-to-left", "/?lang=ar-XB#bewitched")):
        page = Page(what, address, width=1366, height=768, apart=True)
        page.see("document.querySelector('#login, .payline')")
        if "#" in address:
            page.login()
        scene(page, game, what)
        browser.ask("close", page.name)


def failures(page, game, player):
    force(place, player, *[nothing(Deal("bewitched"))] * 12)  # what a chance feature leaves open is no scene here
    page.bet(coin=1)
    page.autospin(25)
    page.see("document.querySelector('#autostop')")
    time.sleep(1)
    page.freeze()
    scene(page, game, "10-autospin-runs")
    page.thaw()
    page.reload()
    page.see("document.querySelector('#autoresume')")
    scene(page, game, "11-autospin-interrupted")
    page.press("#autoend")
    page.ready()
    gateway = place.pid("gateway-1")
    os.kill(gateway, signal.SIGSTOP)
    page.press("#spin")
    try:
        frozen(page, game, "12-silent", "document.querySelector('#silent')")
    finally:
        os.kill(gateway, signal.SIGCONT)
    page.see(READY + " || document.querySelector('#collect')", 60000)
    page.collect()
    page.press("#menu")
    page.press("#menu-limits")
    page.see("document.querySelectorAll('#limits .limit').length >= 10")
    page.fill(selector="#limit-wager-day", value="0.10")
    page.press("[data-limit=wager][data-period=day] button")
    page.see("document.querySelector('[data-limit=wager][data-period=day]').innerText.includes('Now: €0.10')")
    page.press("#limits-close")
    page.press("#spin")
    page.see("document.querySelector('#message').innerText.includes('limit')")
    scene(page, game, "13-limit-reached")
    page.press("#menu")
    page.press("#menu-limits")
    page.press("[aria-pressed]:nth-child(2)")
    page.see("document.querySelector('#pause-yes')")
    page.evaluate(code="document.querySelector('#pause-yes').scrollIntoView()")
    scene(page, game, "14-pause-asked")
    page.press("#limits-close")
    page.press("#menu")
    page.press("#menu-session")
    page.press("#logout")
    page.see("document.querySelector('#login')")
    scene(page, game, "15-logged-out")
    browser.ask("problems")


def cards():
    """Jackpot Cards: certain in crowns; another player's page tells of the winner."""
    game = "mystic-gem"
    answer = place.http("POST", "/v1/demo/sessions", {"currency": "SEK"})
    page = Page("cards", f"/#{game}", width=1366, height=768, held=True, apart=True)
    page.evaluate(code=f"sessionStorage.setItem('token', {json.dumps(answer.json['token'])})")
    page.reload()
    page.see(f"document.querySelector('#player') && {READY}")
    other = Page("onlooker", f"/#{game}", width=1366, height=768, held=True, apart=True)
    other.see("document.querySelector('#feed')?.innerText.includes('live')")
    force(place, answer.json["player"], Deal(game).stops())
    page.press("#spin")
    page.see("document.querySelector('#cards')?.dataset.state === 'ready'", 60000)
    scene(page, game, "30-cards")
    page.press("#cards-rules summary")
    scene(page, game, "30b-cards-rules")
    page.press("#cards-rules summary")
    for at in range(12):
        page.see("['ready', 'won', 'booked'].includes(document.querySelector('#cards')?.dataset.state)")
        if page.evaluate(code="document.querySelector('#cards').dataset.state !== 'ready'"):
            break
        page.press(f"#cards [data-place='{at}']")
        page.see(f"document.querySelector('#cards .place.open[data-place=\"{at}\"]')")
        if at == 2:
            scene(page, game, "31-cards-turned")
    frozen(other, game, "33-news-of-a-winner", "document.querySelector('#news:not(.unseen)')", 0.7)
    page.see("document.querySelector('#cards').dataset.state === 'booked'")
    scene(page, game, "32-cards-won")
    for one in (page, other):
        browser.ask("close", one.name)


def moments():
    """What a player meets seldom: the witch's window, an unlocked feature, how autospin ends, the wait for the next bet, a lost connection, an ended session."""
    page = sit("bewitched", "moments")
    player = page.login()
    page.press("#witch-badge")
    page.see("document.querySelector('#witchwindow')")
    scene(page, "page", "40-witch")
    page.press("#witchwindow-close")
    force(place, player, nothing(Deal("bewitched")))
    page.autospin(1)
    page.see("document.querySelector('#message').innerText.includes('all its spins')")
    scene(page, "page", "41-autospin-has-ended")
    potion = sit("witch-feature", "unlock")
    force(place, potion.login(), Deal("witch-feature").stops("base", {}, {"red": 1}, {"blue": 1}, {"green": 1}))
    potion.press("#spin")
    frozen(potion, "page", "42-unlocked", "document.querySelector('#intro[data-kind=unlock]')", 0.5)
    browser.ask("close", potion.name)
    place.change("CARILLON_BET_GAP_MS=60000", "gateway-1")
    eventually("the gateway", lambda: place.http("GET", "/v1/config").json["bet_gap_ms"] == 60000, 20)
    page.reload()
    page.ready()
    page.spin(player, *nothing(Deal("bewitched")))
    scene(page, "page", "43-next-bet")
    place.change("CARILLON_BET_GAP_MS=0", "gateway-1")
    eventually("the gateway", lambda: place.http("GET", "/v1/config").json["bet_gap_ms"] == 0, 20)
    lost_and_ended(page)
    browser.ask("close", page.name)
    browser.ask("problems")


def lost_and_ended(page):
    token = page.evaluate(code="sessionStorage.getItem('token')")
    place.change("GATEWAY_RECONNECT=bewitched=60s", "gateway-1")
    eventually("the gateway", lambda: place.http("GET", "/v1/state?game=bewitched", token=token).status == 200, 20)
    browser.ask("open", page.name, url=f"{place.url}/icon.svg")  # away, and another connection of the same player is cut
    socket = Socket(place.http("GET", "/v1/config").json["events_url"], {"subscribe": ["jackpots", "player"], "token": token, "game": "bewitched"}, timeout=60)
    socket.until(lambda event: event["type"] == "snapshot")
    socket.close()
    eventually("the wait", lambda: place.http("GET", "/v1/state?game=bewitched", token=token).status == 429, 20)
    browser.ask("open", page.name, url=f"{place.url}/#bewitched")
    page.see("document.querySelector('#away')")
    scene(page, "page", "44-lost-connection")
    place.change("GATEWAY_RECONNECT=bewitched=0s", "gateway-1")
    place.change("GATEWAY_IDLE=0,1=5s", "gateway-1")
    eventually("the gateway", lambda: place.http("GET", "/v1/config").status == 200, 20)
    page.evaluate(code="sessionStorage.clear()")
    page.reload()
    page.login()
    page.see("document.querySelector('#continue')", 90000)
    scene(page, "page", "45-session-ended")


# ---- the console ----

def desk():
    """Each screen of the operator's console, the form of each action, both schemes of colours, and a question of support, filmed."""
    lib_console.people(place)
    person, number = lib_console.played(place)
    place.verify(60, "--since-last")
    page = Page("desk", "/operator/", width=1366, height=768, apart=True)
    page.see("document.querySelector('input[name=name]')")
    console_scene(page, "00-login")
    console.inside(page, "anna")
    for screen in lib_console.screens_of(person, number):
        console.go(page, screen)
        name = lib_console.picture_of(screen, person)
        time.sleep(0.6)
        console_scene(page, name)
        for title in lib_console.each_form(page):
            console_scene(page, f"{name}-form-{title.lower().replace(' ', '-')}", whole=False)
    lib_console.moments(page, person, console_scene)
    browser.ask("problems")
    lib_console.asked_and_found(page, PLACE, person, number)
    browser.ask("close", page.name)
    bright(person, number)


def bright(person, number):
    page = Page("bright", "/operator/", width=1366, height=768, apart=True, dark=False)
    console.inside(page, "anna")
    for screen in lib_console.screens_of(person, number):
        console.go(page, screen)
        time.sleep(0.6)
        console_scene(page, f"{lib_console.picture_of(screen, person)}-light")
    page.pdf(path=f"{PLACE}/console-report.pdf")
    browser.ask("close", page.name)


def console_scene(page, what, whole=True):
    page.shots(path=f"{PLACE}/console-{what}", sizes=lib_console.SIZES, whole=whole)


# ---- films ----

def film(game):
    """Spins, a win, the feature, and a large win or the jackpot."""
    page, deal = Page(f"{game}-film", f"/#{game}", width=844, height=475, apart=True), Deal(game)
    page.see(f"document.querySelector('#play')?.dataset.game === '{game}'")
    player = page.login()
    with film_of(page, game, PLACE):
        for script in (nothing(deal), best_line(deal, "least"), FREE[game](deal), best_line(deal, "most")):
            page.collect()
            force(place, player, script)
            page.press("#spin")
            time.sleep(0.3)
            ready(page)
            if page.evaluate(code="!!document.querySelector('#next')"):
                page.press("#next")
                time.sleep(9)
                page.evaluate(code="document.querySelector('#fast').click()")
                ready(page)
            time.sleep(1.2)
        if game == "bewitched":
            page.collect()
            force(place, player, [*RULES.stops(bonuses=3), 0])
            page.press("#spin")
            page.see("document.querySelector('#vials')", 60000)
            for choice in (1, 5, 3):
                ready(page)
                time.sleep(0.6)
                page.press(f"#vials [data-vial='{choice}']:not([aria-disabled])")
            page.see("document.querySelector('#jackpot-sum') && /[0-9]/.test(document.querySelector('#jackpot-sum').innerText)", 60000)
            time.sleep(4)
    browser.ask("close", page.name)


# ---- the page of all pictures ----

def write_index():
    names = sorted(name for name in os.listdir(PLACE) if name.endswith(".jpg") and "x" in name.rsplit("-", 1)[-1])
    rows = {}
    for name in names:
        rows.setdefault(name.rsplit("-", 1)[0], []).append(name)
    films = sorted(name for name in os.listdir(PLACE) if name.endswith(".webp"))
    parts = ["<!doctype html><meta charset=utf-8><title>Carillon: pictures</title><style>body{font:14px sans-serif;background:#222;color:#eee}img{height:260px;margin:3px;vertical-align:top}</style><h1>What is seen</h1>"]
    parts += [f"<h2>{html.escape(name)}</h2><img src='{name}'>" for name in films]
    for row, pictures in sorted(rows.items()):
        parts.append(f"<h2>{html.escape(row)}</h2>" + "".join(f"<a href='{name}'><img loading=lazy src='{name}' title='{name}'></a>" for name in pictures))
    with open(f"{PLACE}/index.html", "w", encoding="utf-8") as file:
        file.write("\n".join(parts))
    return len(names), len(films)


def main():
    global place, browser
    wanted = sys.argv[1:]
    os.makedirs(PLACE, exist_ok=True)
    todo = [(f"{what.__name__}-{game}", what, (game,)) for game in GAMES for what in (base, feature, film)] + [("around", around, ()), ("cards", cards, ()), ("moments", moments, ()), ("desk", desk, ())]
    failed = 0
    place = Installation("screens")
    place.environment.update(CARILLON_PAYMENTS_MS="400", CARILLON_DECIDE_AFTER_S="1", GATEWAY_STAFF_CONFIRM_S="3000")
    card_sets(place)
    with place:
        browser = lib_pages.begin(place)
        for name, what, more in todo:
            if wanted and not any(name.startswith(one) for one in wanted):
                continue
            began = time.monotonic()
            try:
                what(*more)
                print(f"ok      {name} ({time.monotonic() - began:.1f} s)", flush=True)
            except Exception:  # noqa: BLE001 - the other scenes are taken all the same
                failed += 1
                print(f"FAILED  {name} ({time.monotonic() - began:.1f} s)\n{traceback.format_exc()}", flush=True)
                for one in list(browser.open):
                    browser.ask("close", one)
            browser.open.clear()
        browser.end()
    pictures, films = write_index()
    print(f"{pictures} pictures and {films} films: {PLACE}/index.html; {failed} scenes failed", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
