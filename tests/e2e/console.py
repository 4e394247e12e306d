#!/usr/bin/env python3
"""The operator's console in Chromium: every screen, and actions with their preview, reason and second person. Who may do what is in console_access.py."""
import csv
import io
import json
import os
import re
import subprocess

import lib_pages as pages
from lib_desk import SCREENS, do, done, go, inside, nothing_is_tried, opened, out, send
from lib_play import RULES, Person, force, good, operator
from lib_raw import deposit, letter, raw
from lib_stack import BIN, eventually, run

place = None


def test_every_screen():
    page = pages.Page("console", "/operator/")
    for screen in SCREENS:
        go(page, screen)
        page.picture(screen.replace("/", "-"))
        assert page.evaluate(code="document.documentElement.scrollWidth <= innerWidth"), screen
        assert page.evaluate(code="[...document.querySelectorAll('.act button')].every((one) => one.getBoundingClientRect().right <= innerWidth)"), f"{screen}: a button is out of sight"
    page.evaluate(code="scrollTo(0, document.body.scrollHeight)")
    go(page, "jackpots/1")
    page.see("scrollY === 0")
    page.size(width=390, height=844)
    for screen in SCREENS:
        go(page, screen)
        page.see("(({ left, right }) => left >= 0 && right <= innerWidth)(document.querySelector('nav a[aria-current]').getBoundingClientRect())")
        page.picture(f"phone-{screen.replace('/', '-')}")
        assert page.evaluate(code="[...document.querySelectorAll('.scroll')].every((one) => one.scrollWidth <= one.clientWidth + 1)"), f"{screen}: a table is wider than the phone"
        assert page.evaluate(code="document.documentElement.scrollWidth <= innerWidth"), screen
    page.size(width=1280, height=900)
    found = pages.browser.ask("problems")
    assert not found, found


def test_a_player_is_cared_for():
    person = Person(place, deposit=10000)
    force(place, person.name, RULES.stops())
    person.bet(coin=1, lines=15, coins=1)
    page = pages.Page("console", "/operator/")
    go(page, "players")
    page.fill(selector="input[name=number]", value=str(person.number))
    page.see(f"document.querySelectorAll('[data-table=players] tbody tr').length === 1")
    page.fill(selector="input[name=currency]", value="eur")
    page.select(selector="select[name=state]", value="blocked")
    page.see("/No player is like this/.test(document.querySelector('main').innerText)")
    page.select(selector="select[name=state]", value="active")
    page.select(selector="select[name=played]", value="from 7")
    page.see(f"document.querySelector('[data-table=players] tbody a')?.textContent === '{person.name}'")
    page.picture("players-filtered")
    page.press("[data-table=players] tbody a")
    page.see("/Balance/.test(document.querySelector('main').innerText) && document.querySelector('main button')")
    page.see("/open/.test(document.querySelector('[data-table=player-sessions] tbody')?.innerText)")
    do(page, "Deposit", {"amount": "12.50"})
    page.see("/becomes/.test(document.querySelector('dialog .what').innerText)")
    page.picture("deposit")
    send(page)
    page.see("/balance is now/.test(document.querySelector('dialog').innerText)")
    done(page)
    rows = place.sql(f"select amount, convert_from(record, 'UTF8') from wallet.journal where kind = 20 and player = {(1 << 48) + person.number} order by seq desc limit 1")
    assert int(rows[0][0]) == 1250 and json.loads(rows[0][1])["actor"] == "operator-1 anna", rows
    do(page, "Deposit", {"amount": "12,5x"})
    send(page)
    page.see("/Enter an amount/.test(document.querySelector('dialog [role=alert]')?.innerText)")
    page.press("dialog button[aria-label=Close]")
    do(page, "Set a limit", {"limit": "wager", "period": "day", "value": "100"})
    send(page)
    done(page)
    do(page, "Give bonus spins", {"spins": "5"})
    send(page)
    done(page)
    page.see("document.querySelector('[data-table=limits] tbody tr') && document.querySelector('[data-table=bonus-spins] tbody tr')")
    do(page, "Block the player")
    send(page)
    done(page)
    page.see("/blocked/.test(document.querySelector('.tiles').innerText)")
    page.picture("player")
    found = pages.browser.ask("problems")
    assert not found, found


def test_a_missing_jackpot_is_found_and_proven():
    """A player asks where the jackpot of the night is: from the number to the proof of the round in at most six presses, by who cares for players."""
    person = Person(place, deposit=10000)
    force(place, person.name, [*RULES.stops(bonuses=3), 0], RULES.stops())
    person.bet(1, 15, 1)
    number = person.round["round"]
    while person.round and person.round["next"] == "pick":
        person.act("pick", choice=len(person.round["picked"]) // 2)
    [[paid]] = eventually("the award", lambda: place.sql(f"select amount from wallet.journal where kind = 24 and player = {person.id}"), 60)
    [[closed]] = place.sql(f"select max(closed_seq) from wallet.claim where player = {person.id}")
    eventually("the engine to know of it", lambda: int(person.refresh()["balance_seq"]) >= int(closed), 60)
    person.bet(1, 15, 1)
    page = pages.Page("support", "/operator/", apart=True)
    inside(page, "ella")
    pages.browser.ask("problems")  # that it had no session
    page.evaluate(code="{ window.presses = 0; document.addEventListener('click', () => { window.presses += 1; }, true); }")
    page.press("nav a[href='#players']")
    page.fill(selector="input[name=number]", value=str(person.number))
    page.see("document.querySelectorAll('[data-table=players] tbody tr').length === 1")
    page.press("[data-table=players] tbody a")
    page.see("document.querySelector('[data-table=past] tbody tr')")
    page.select(selector="[name=only-kind]", value="jackpot")
    page.see("document.querySelectorAll('[data-table=past] tbody tr').length === 1")
    assert f"{int(paid) // 100}.{int(paid) % 100:02d}" in page.text(selector="[data-table=past] tbody").replace(",", "")
    page.press(f"[data-table=past] a[href='#players/{person.number}/{number}']")
    page.see("/Drawn again from its record/.test(document.querySelector('#round-proof')?.innerText)")
    page.see("/[0-9a-f]{64}/.test(document.querySelector('#round-proof dd:nth-of-type(3)')?.innerText)")
    assert page.evaluate(code="window.presses") <= 6
    assert page.evaluate(code="document.querySelectorAll('.replayed .art').length") == 15 and page.evaluate(code="document.querySelectorAll('[data-table=round-rows] tbody tr').length") >= 3
    [award] = page.evaluate(code="[...document.querySelectorAll('[data-table=round-rows] tbody tr')].map((row) => row.innerText).filter((row) => /award/.test(row))")
    assert f"{int(paid) // 100}.{int(paid) % 100:02d}" in award and f"{int(paid) // 100}.{int(paid) % 100:02d}" in page.text(selector="#round .tile.gold").replace(",", ""), award
    page.press(".steps li:nth-child(2) button")
    page.see("/JACKPOT/.test(document.querySelector('#steps').innerText)")
    page.picture("round")
    page.size(width=390, height=844)
    page.picture("phone-round")
    assert page.evaluate(code="document.documentElement.scrollWidth <= innerWidth")
    found = pages.browser.ask("problems")
    assert not found, found
    pages.browser.ask("close", page.name)


def test_withdrawals_of_all_players():
    """One that the provider never answers becomes stuck and is decided; who may not move money sees it without buttons."""
    people = [Person(place, deposit=10000) for _ in range(2)]
    for n, person in enumerate(people):
        person.operator("withdrawals", {"amount_minor": 4010 + 100 * n, "currency": "EUR"}, status=200)  # of which the stub never answers
    page = pages.Page("console", "/operator/")
    go(page, "withdrawals")
    page.see("document.querySelectorAll('[data-table=queue] tbody tr').length === 2 && document.querySelector('[data-table=queue] .badge').innerText === 'stuck'")
    page.picture("withdrawals")
    page.select(selector="select[name=state]", value="stuck")
    page.see(f"document.querySelector('[data-table=queue] tbody tr')?.innerText.includes('{people[0].name}')")
    do(page, "Give back", {"force": "yes"})
    page.see("/40[.]10/.test(document.querySelector('dialog .what').innerText)")
    send(page)
    done(page)
    page.see(f"document.querySelectorAll('[data-table=queue] tbody tr').length === 1 && document.querySelector('[data-table=queue] tbody').innerText.includes('{people[1].name}')")
    assert place.sql(f"select settled_kind from wallet.hold where player = {people[0].id}") == [["30"]]
    reason = place.sql(f"select convert_from(record, 'UTF8')::json->>'actor' from wallet.journal where player = {people[0].id} and kind = 30")
    assert reason == [["operator-1 anna"]], reason
    [[hold]] = place.sql(f"select encode(id, 'hex') from wallet.hold where player = {people[1].id}")
    go(page, "approvals")
    page.see(f"document.querySelector('[data-table=approvals] tbody')?.innerText.includes('withdrawal {hold[:12]}')")
    go(page, "withdrawals")
    page.see("document.querySelector('[data-table=queue] tbody a')")
    page.press("[data-table=queue] tbody a")
    page.see("/Balance/.test(document.querySelector('main').innerText)")
    out(page)
    inside(page, "dora")
    go(page, "withdrawals")
    page.see("document.querySelectorAll('[data-table=queue] tbody tr').length === 1")
    assert "Give back" not in page.text(selector="main") and not page.evaluate(code="document.querySelector('[data-table=queue] tbody a')")
    out(page)
    inside(page, "anna")
    found = pages.browser.ask("problems")
    assert not found, found


def approved_by_two(page, second, screen):
    """What waits on the screen: whoever asked cannot approve it, the second one can."""
    do(page, "Approve", reason=None)
    send(page)
    page.see("/another one must approve/i.test(document.querySelector('dialog [role=alert]')?.innerText)")
    page.press("dialog button[aria-label=Close]")
    pages.browser.ask("problems")
    out(page)
    inside(page, second)
    go(page, screen)
    do(page, "Approve", reason=None)
    send(page)
    done(page)


def test_a_jackpot_by_two():
    page = pages.Page("console", "/operator/")
    go(page, "jackpots/1")
    do(page, "Adjust", {"amount": "+1.00"})
    page.picture("adjust")
    send(page)
    page.see("/second person/.test(document.querySelector('dialog').innerText)")
    page.press("dialog button.main")
    page.see("/waiting/.test(document.querySelector('[data-table=actions]')?.innerText)")
    approved_by_two(page, "bert", "jackpots/1")
    page.see("document.querySelector('[data-table=actions] tbody tr')?.innerText.includes('operator-1 bert')")
    out(page)
    inside(page, "anna")
    found = pages.browser.ask("problems")
    assert not found, found


def test_a_void_with_its_jackpot_by_two():
    person = Person(place, deposit=10000)
    force(place, person.name, [*RULES.stops(bonuses=3), 0], RULES.stops())
    person.bet(1, 15, 1)
    number = person.round["round"]
    eventually("the award", lambda: place.sql(f"select amount from wallet.journal where kind = 24 and player = {(1 << 48) + person.number}"), 60)
    page = pages.Page("console", "/operator/")
    go(page, f"players/{person.number}")
    do(page, "Void a round", {"game": "bewitched", "round": str(number), "award": "yes"})
    send(page)
    page.see("/second person/.test(document.querySelector('dialog').innerText)")
    page.press("dialog button.main")
    page.see("document.querySelectorAll('[data-table=void-requests] tbody tr').length === 1")
    approved_by_two(page, "fred", f"players/{person.number}")
    page.see("document.querySelectorAll('[data-table=voids] tbody tr').length === 1 && !document.querySelector('[data-table=void-requests]')")
    out(page)
    inside(page, "anna")
    found = pages.browser.ask("problems")
    assert not found, found


def test_a_void_is_decided_among_the_approvals():
    """It stands with all that waits, where the second person refuses it; asked anew, they approve it."""
    person = Person(place, deposit=10000)
    force(place, person.name, [*RULES.stops(bonuses=3), 0], RULES.stops())
    person.bet(1, 15, 1)
    number = person.round["round"]
    eventually("the award", lambda: place.sql(f"select amount from wallet.journal where kind = 24 and player = {(1 << 48) + person.number}"), 60)
    eventually("the account", lambda: place.sql(f"select 1 from wallet.account where player = {person.id}"), 60)
    page = pages.Page("console", "/operator/")
    row = f"[...document.querySelectorAll('[data-table=approvals] tbody tr')].find((row) => row.innerText.includes('{person.name}'))"
    for button in ("Refuse", "Approve"):
        go(page, f"players/{person.number}")
        do(page, "Void a round", {"game": "bewitched", "round": str(number), "award": "yes"})
        send(page)
        page.see("/second person/.test(document.querySelector('dialog').innerText)")
        page.press("dialog button.main")
        go(page, "approvals")
        page.see(f"/You asked/.test({row}?.innerText) && {row}.innerText.includes('Void round {number} of bewitched')")
        out(page)
        inside(page, "fred")
        go(page, "approvals")
        page.see(f"{row}?.querySelector('button')")
        page.picture("approvals-void")
        page.evaluate(code=f"[...{row}.querySelectorAll('button')].find((one) => one.innerText === '{button}').click()")
        page.see("/operator-1 anna asks/.test(document.querySelector('dialog[open] .what')?.innerText)")
        if button == "Refuse":
            page.fill(selector="dialog [name=reason]", value="it was paid rightly")
        send(page)
        done(page)
        page.see(f"!{row}")
        out(page)
        inside(page, "anna")
    assert place.sql(f"select status from gateway.void_request where player = {person.id} order by asked") == [["refused"], ["approved"]]
    assert place.sql(f"select round from wallet.void where player = {person.id}") == [[str(number)]]
    found = pages.browser.ask("problems")
    assert not found, found


def test_approvals():
    """A large deposit waits for another person, who sees it in the menu and decides with a reason."""
    person = Person(place, deposit=1000)
    before = person.balance
    eventually("the account", lambda: place.sql(f"select 1 from wallet.account where player = {person.id}"), 60)
    page = pages.Page("console", "/operator/")
    for _ in range(2):
        go(page, f"players/{person.number}")
        page.see("document.querySelector('main button')")
        do(page, "Deposit", {"amount": "20000.00"})
        send(page)
        page.see("/second person/.test(document.querySelector('dialog').innerText)")
        page.press("dialog button.main")
        page.see("!document.querySelector('dialog')")
    person.operator("withdrawals", {"amount_minor": 1500000, "currency": "EUR"}, status=202)
    rows, taken = (f"[...document.querySelectorAll('[data-table=approvals] tbody tr')].filter((row) => row.innerText.includes('{person.name}') && /{what}:/i.test(row.innerText))"
                   for what in ("deposit", "withdrawal"))
    go(page, "approvals")
    page.see(f"{rows}.length === 2 && {rows}.every((row) => row.innerText.includes('You asked'))")
    page.picture("approvals-asked")
    out(page)
    inside(page, "finn")
    page.see("Number(document.querySelector('nav a[href=\"#approvals\"] .count')?.innerText) >= 2")
    go(page, "approvals")
    page.see(f"{rows}.length === 2")
    page.picture("approvals")
    page.evaluate(code=f"{rows}[0].querySelector('button').click()")
    becomes = f"{(before + 2000000) / 100:,.2f}"
    page.see(f"document.querySelector('dialog[open]') && document.querySelector('dialog .what').innerText.includes('{becomes}') && /operator-1 anna/.test(document.querySelector('dialog .what').innerText)")
    page.picture("approve")
    page.fill(selector="dialog [name=reason]", value="the bank has it")
    send(page)
    page.see("/balance is now/.test(document.querySelector('dialog').innerText)")
    done(page)
    page.see(f"{rows}.length === 1")
    page.evaluate(code=f"{rows}[0].querySelector('button.danger').click()")
    page.see("document.querySelector('dialog[open]')")
    page.fill(selector="dialog [name=reason]", value="the bank has it once")
    send(page)
    done(page)
    page.see(f"{rows}.length === 0 && {taken}.length === 1")
    page.evaluate(code=f"{taken}[0].querySelector('button').click()")
    page.see("/ becomes /.test(document.querySelector('dialog[open] .what')?.innerText)")
    now, then = (float(re.sub("[€,]", "", amount)) for amount in re.search(r"The balance (\S+) becomes (\S+),", page.text(selector="dialog .what")).groups())
    assert then == now - 15000, (now, then)
    page.fill(selector="dialog [name=reason]", value="they are known")
    send(page)
    done(page)
    page.see(f"{taken}.length === 0")
    eventually("the balance", lambda: person.refresh()["balance_minor"] == before + 500000, 60)
    eventually("the note of the booking", lambda: place.sql(f"select 1 from gateway.amount_request where player = {person.id} and status = 'approved'") == [], 60)
    decided = place.sql(f"select status, asked_by, decided_by, decided_reason from gateway.amount_request where player = {person.id} and action = 'deposit' order by asked")
    asked = place.sql(f"select status, decided_reason from gateway.amount_request where player = {person.id} and action = 'withdrawal'")
    assert sorted(decided) == [["booked", "operator-1 anna", "operator-1 finn", "the bank has it"], ["refused", "operator-1 anna", "operator-1 finn", "the bank has it once"]] and asked == [["booked", "they are known"]], (decided, asked)
    out(page)
    inside(page, "anna")
    found = pages.browser.ask("problems")
    assert not found, found


def test_a_jackpot_over_time():
    """Its value since yesterday with its hits, of any row or level, on a wide window and on a phone."""
    person = Person(place, deposit=10000)
    hits = int(place.sql("select hits from pool.pool where pool = 1")[0][0])
    force(place, person.name, [*RULES.stops(bonuses=3), 0])
    person.bet(2, 15, 1)
    eventually("the hit", lambda: place.sql("select hits from pool.pool where pool = 1") == [[str(hits + 1)]], 30)
    eventually("values", lambda: place.sql("select count(*) > 0 from gateway.jackpot_minute where pool = 1 and currency = 978 and place = 2") == [["t"]], 60)
    [[paid]] = place.sql(f"select paid_minor from pool.hit where pool = 1 and hit = {hits + 1}")
    page = pages.Page("console", "/operator/")
    go(page, "jackpots/1")
    page.see(f"document.querySelector('[data-table=pool-hits] tbody tr')?.innerText.includes('{int(paid) / 100:.2f}')")
    page.select(selector="#history [name=row]", value="EUR 2")
    page.see("document.querySelector('#history .chart canvas') && /[1-9][0-9]* hits/.test(document.querySelector('#history .chart').ariaLabel)")
    page.picture("jackpot-over-time")
    for step in ("quarter", "hour", "day"):
        page.select(selector="#history [name=step]", value=step)
        page.see("!/Loading|Nothing is known/.test(document.querySelector('#history').innerText) && document.querySelector('#history .chart canvas')")
    page.see("/Too little was played/.test(document.querySelector('[data-table=forecast]')?.innerText) && /not due/.test(document.querySelector('#forecast').innerText)")
    go(page, "jackpots/2")
    page.see("document.querySelectorAll('[data-table=forecast] tbody tr').length === 4")
    page.see("document.querySelectorAll('#history [name=row] option').length === 4 && document.querySelector('#history .chart canvas')")
    page.size(width=390, height=844)
    page.picture("phone-jackpot-over-time")
    assert page.evaluate(code="document.documentElement.scrollWidth <= innerWidth")
    page.size(width=1280, height=900)
    found = pages.browser.ask("problems")
    assert not found, found


def test_a_long_list_has_pages():
    """Fifty actions on a jackpot a page; the next one has the others, and back again."""
    values = ",".join(f"(1, '\\x{os.urandom(16).hex()}', '\\x00', 4, 1, '', 'reason {i}', 'refused', '\\x00', 'operator-1', now() - {i} * interval '1 minute')" for i in range(60))
    place.sql(f"insert into gateway.pool_request (operator, id, content, pool, action, parameters, reason, status, asked_key, asked_by, asked) values {values}", writer=True)
    page = pages.Page("console", "/operator/")
    go(page, "jackpots/4")
    rows = "document.querySelectorAll('[data-table=actions] tbody tr').length"
    under = ".scroll:has([data-table=actions]) + .under button:has-text('{}')"
    page.see(f"{rows} === 50")
    page.press(under.format("More"))
    page.see(f"{rows} >= 10 && {rows} < 50 && document.querySelector('[data-table=actions]').innerText.includes('reason 59')")
    page.picture("a-second-page")
    page.press(under.format("Back"))
    page.see(f"{rows} === 50 && document.querySelector('[data-table=actions]').innerText.includes('reason 0')")
    page.evaluate(code="{ window.saved = null; URL.createObjectURL = (blob) => { blob.text().then((text) => { window.saved = text; }); return '#'; }; HTMLAnchorElement.prototype.click = () => {}; }")
    page.press(under.format("CSV of all"))
    page.see("window.saved !== null")
    header, *lines = list(csv.reader(io.StringIO(page.evaluate(code="window.saved"), newline="")))
    found = [dict(zip(header, line, strict=True))["reason"] for line in lines]
    assert [reason for reason in found if reason.startswith("reason ")] == [f"reason {i}" for i in range(60)], found
    page.reload()
    page.see("document.querySelector('main')")


def test_a_game_beside_its_exact_figures():
    """Definitions, their figures as slotmath computes them, and what was returned with its band."""
    person = Person(place, deposit=10000)
    person.bet(1, 15, 1)
    eventually("the figures", lambda: place.sql("select count(*) from carillon.game left join gateway.par using (math_version) where sheet is null") == [["0"]], 240)
    told = json.loads(subprocess.run([f"{BIN}/slotmath", "rtp", "mona-lisa", "--json"], capture_output=True, text=True, timeout=60, check=True).stdout)
    shown = eventually("what was played", lambda: next((g for g in [operator(place, "/games/bewitched", None, method="GET").json] if g["returns"]), None), 60)
    par = next(v["par"] for v in operator(place, "/games/mona-lisa", None, method="GET").json["versions"] if v["math_version"] == told["math_version"])
    assert [{name: mode[name] for name in same} for mode, same in zip(par["modes"], told["modes"], strict=True)] == told["modes"] and par["jackpot"][0]["of"] == "max", par
    [[stakes, drawn, rounds]] = place.sql("select sum(stakes), sum(drawn), sum(rounds - bonus_rounds) from gateway.rollup_quarter r join carillon.game g on g.number = r.game and g.id = 'bewitched'"
                                          f" where r.time >= timestamptz 'epoch' + {shown['from_us']} * interval '1 microsecond'")
    euros = [r for r in shown["returns"] if r["currency"] == "EUR"]
    assert sum(r["rounds"] for r in euros) <= int(rounds) and sum(r["stakes_minor"] for r in euros) <= int(stakes) and sum(r["drawn_minor"] for r in euros) <= int(drawn), shown
    for row in shown["returns"]:
        assert row["band_low_percent"] < row["theory_percent"] <= row["theory_high_percent"] < row["band_high_percent"], row
        assert (abs(row["z"]) <= 1.96) == (row["band_low_percent"] <= row["rtp_percent"] <= row["band_high_percent"]) or 1.95 < abs(row["z"]) < 1.97, row
    for row in shown["by_stake"]:
        assert row["rounds"] * row["stake_minor"] == row["stakes_minor"] and row["band_low_percent"] < row["theory_percent"] < row["band_high_percent"], row
    page = pages.Page("console", "/operator/")
    go(page, "games")
    page.press("[data-table=games] a[href='#games/bewitched']")
    page.see("document.querySelector('[data-table=par-modes] code')?.innerText.includes('/') && document.querySelector('[data-table=par-features] tbody tr')")
    page.see("document.querySelector('[data-table=game-stakes] tbody tr') && document.querySelector('[data-table=game-returns] tbody tr') && /in service/.test(document.querySelector('[data-table=versions]').innerText)")
    page.picture("game")
    page.size(width=390, height=844)
    page.picture("phone-game")
    assert page.evaluate(code="document.documentElement.scrollWidth <= innerWidth")
    page.size(width=1280, height=900)
    found = pages.browser.ask("problems")
    assert not found, found


def test_a_game_is_stopped():
    """From the screen of games, with a reason; the screen says so until it is started again."""
    page = pages.Page("console", "/operator/")
    row = "[...document.querySelectorAll('[data-table=games] tbody tr')].find((row) => row.innerText.includes('bewitched'))"
    go(page, "games")
    page.see(f"/runs/.test({row}?.innerText)")
    for button, word in (("Stop", "stopped"), ("Start again", "runs")):
        page.evaluate(code=f"[...{row}.querySelectorAll('button')].find((one) => one.innerText === '{button}').click()")
        page.see("document.querySelector('dialog[open]')")
        page.see(f"/{'Open rounds can be finished' if word == 'stopped' else 'Stopped by the operator'}/.test(document.querySelector('dialog .what').innerText)")
        page.fill(selector="dialog [name=reason]", value="it is looked into")
        send(page)
        done(page)
        page.see(f"/{word}/.test({row}?.innerText)")
        page.picture(f"game-{word}")
    do(page, "Stop all")
    send(page)
    done(page)
    page.see("/All games are stopped by the operator: a test/.test(document.querySelector('main [role=alert]')?.innerText)")
    do(page, "Start all again")
    send(page)
    done(page)
    page.see("!document.querySelector('main [role=alert]')")
    assert place.sql("select actor from gateway.game_start") == [] and place.sql("select * from wallet.switch") == []
    found = pages.browser.ask("problems")
    assert not found, found


def test_dead_letters():
    """What a service could not read is on the screen of health, where it is sent again or settled."""
    person = Person(place)
    before = person.balance
    for number, amount in enumerate((4321, 8765)):
        raw(place, "dead.letters", letter("wallet.commands", deposit(person, amount), f"reason {number}"), [0], "wallet")
    page = pages.Page("console", "/operator/")
    go(page, "health")
    row = "[...document.querySelectorAll('[data-table=letters] tbody tr')].find((row) => row.innerText.includes('reason {}'))"
    page.see(f"{row.format(0)} && {row.format(1)} && /waiting/.test(document.querySelector('#dead-letters header .badge')?.innerText)")
    page.see(f"/deposit.*43\\.21/.test({row.format(0)}.innerText)")
    page.picture("dead-letters")
    for number, button, says in ((0, "Send again", "carries it out once"), (1, "Settle", "Nothing is done")):
        page.evaluate(code=f"[...{row.format(number)}.querySelectorAll('button')].find((one) => one.innerText === '{button}').click()")
        page.see("document.querySelector('dialog[open]')")
        page.see(f"/{says}/.test(document.querySelector('dialog .what').innerText)")
        page.fill(selector="dialog [name=reason]", value="it is looked into")
        send(page)
        done(page)
        page.see(f"!{row.format(number)}")
    assert place.sql("select status, act_by, act_reason, outcome from gateway.dead_letter where reason like 'reason _' order by reason") == [
        ["sent", "operator-1 anna", "it is looked into", "done"], ["settled", "operator-1 anna", "it is looked into", ""]]
    eventually("the deposit", lambda: person.refresh()["balance_minor"] == before + 4321, 60)
    found = pages.browser.ask("problems")
    assert not found, found


def figure(page, name):
    """What a tile of the overview says."""
    return page.evaluate(code=f"[...document.querySelectorAll('#now .tile, #today .tile')].find((t) => t.querySelector('span').innerText === '{name}')?.querySelector('b').innerText ?? ''")


COLUMN = "document.querySelector('[data-table=today] [data-title=\"{}\"]')?.innerText"
# As if the game published its return and had returned too little.
PUBLISHED = """(window.kept = window.fetch, window.fetch = async (path, more) => {
    const answer = await window.kept(path, more);
    if (!/reports.day/.test(path)) return answer;
    const told = await answer.json();
    Object.assign(told.returns[0], { rtp_percent: 70, theory_percent: 96, theory_high_percent: 96, z: -4.5, band_low_percent: 90, band_high_percent: 102 });
    return new Response(JSON.stringify(told));
}, true)"""


def test_the_overview_lives():
    """Play shows within seconds: how much of it, each game's return beside the published one; and what operators did."""
    person = Person(place, deposit=100000)
    page = pages.Page("console", "/operator/")
    go(page, "overview")
    page.see("document.querySelector('#now .tile')")

    def played():
        force(place, person.name, RULES.stops())
        person.bet(coin=1, lines=15, coins=1)
        return figure(page, "Rounds a minute") not in ("", "0") and figure(page, "Staked a minute, EUR") not in ("", "€0.00") and figure(page, "Players this hour") not in ("", "–", "0")

    eventually("play in the tiles", played, 60, 0.5)
    page.reload()  # the day's report is read once a minute
    page.see("document.querySelector('[data-table=today] tbody tr')")
    page.see("[...document.querySelectorAll('#played [name=game] option')].length === 6")
    page.select(selector="#played [name=game]", value="bewitched")
    page.see("/^Rounds, now [1-9]/.test(document.querySelector('#played .chart').ariaLabel)")
    page.see(f"/\\d/.test({COLUMN.format('Return')}) && {COLUMN.format('z')} === '–'")  # a demonstration publishes no return
    page.evaluate(code=PUBLISHED)
    page.evaluate(code="location.hash = 'me'")
    page.see("document.querySelector('[name=zone]')")
    page.evaluate(code="location.hash = 'overview'")
    for column, text in (("Published", "96.00 %"), ("z", "-4.50"), ("95 of 100 such", "90.00 % to 102.00 %")):
        page.see(f"{COLUMN.format(column)} === '{text}'")
    page.see("document.querySelector('#today .tile.bad b')?.innerText === '70.00 %' && document.querySelector('[data-table=today] b.bad')")
    page.see("document.querySelector('[data-table=last-actions] tbody tr')")
    page.picture("overview-lives")
    assert page.evaluate(code="document.documentElement.scrollWidth <= innerWidth")
    page.size(width=390, height=844)
    page.see("document.querySelector('[data-table=today] tbody tr')")
    page.picture("phone-overview-lives")
    assert page.evaluate(code="document.documentElement.scrollWidth <= innerWidth")
    page.size(width=1280, height=900)
    found = pages.browser.ask("problems")
    assert not found, found


def test_reports():
    """What was played today, over time and as a report; files of it; and when the day begins."""
    page = pages.Page("console", "/operator/")
    behind = "select count(*) from (select shard, max(seq) as seq from wallet.journal group by shard) j left join gateway.rollup_at a using (shard) where coalesce(a.seq, 0) < j.seq"
    eventually("the sums of all rows", lambda: place.sql(behind) == [["0"]], 60)
    go(page, "overview")
    page.see("document.querySelector('#played .chart canvas')")
    for measure, step in (("stakes", "hour"), ("players", "day"), ("rtp", "minute")):
        page.select(selector="#played [name=step]", value=step)
        page.select(selector="#played [name=measure]", value=measure)
        page.see("!/Nothing was played/.test(document.querySelector('#played').innerText)")
    go(page, "reports")
    page.press("main button:has-text('Show')")
    page.see("document.querySelector('[data-table=report-totals] tbody tr') && /provisional/.test(document.querySelector('main').innerText)")
    page.picture("report")
    staked = place.sql("select sum(stake) from wallet.journal where kind = 2 and refusal = 0")[0][0]
    assert f"{int(staked) / 100:.2f}" in page.text(selector="[data-table=report-totals]").replace(",", ""), page.text(selector="[data-table=report-totals]")
    got = page.evaluate(code="fetch(document.querySelector('#report-games a').href).then((r) => r.text())")
    assert got.startswith("game,currency,players,rounds,") and staked in got, got
    page.size(width=390, height=844)
    page.picture("phone-report")
    assert page.evaluate(code="document.documentElement.scrollWidth <= innerWidth")
    page.size(width=1280, height=900)
    go(page, "reports")
    do(page, "Change", {"zone": "Europe/Nowhere", "start_hour": "6", "from_day": "2099-01-01"})
    send(page)
    page.see("/time zone of the IANA list/.test(document.querySelector('dialog [role=alert]')?.innerText)")
    page.fill(selector="dialog [name=zone]", value="Europe/Stockholm")
    send(page)
    done(page)
    assert place.sql("select zone, start_hour, actor from gateway.gaming_day") == [["Europe/Stockholm", "6", "operator-1 anna"]]
    pages.browser.ask("problems")  # the 400 itself


def proof_note(page, change):
    """A proof as jackpotctl would note it, changed; without a signature."""
    [[content]] = place.sql("select content from gateway.proof order by id desc limit 1")
    text = json.dumps({**json.loads(content), **change}).replace("'", "''")
    place.sql(f"select gateway.proof_note('{text}', null, null)", writer=True)
    page.reload()


def test_ledger():
    """The ledger as it was last proven; and on every screen a banner when the last proof is bad, old or not signed."""
    page = pages.Page("console", "/operator/")
    person = Person(place, deposit=10000)
    person.operator("corrections", {"amount_minor": -77, "currency": "EUR", "reason": "a scratched coin"}, status=200)
    proof = place.verify(60)
    go(page, "ledger")
    page.see("document.querySelectorAll('[data-table=points] tbody tr').length === 15")
    page.see("[...document.querySelectorAll('[data-table=entries] tbody tr')].some((row) => /a scratched coin/.test(row.innerText))")
    assert str(proof["points"][0]["checked"]) in page.text(selector="[data-table=points] tbody").replace(",", "") and "WITHDRAWAL" in page.text(selector="[data-table=accounts]")
    assert page.evaluate(code="!document.querySelector('#proof-banner') && document.querySelector('#proof .tile.good') && document.querySelectorAll('[data-table=days] tbody tr').length > 0")
    page.picture("ledger")
    old = {"broken": False, "time_us": 1, "proven": {"time_us": 1, "rows": 1, "shards": []}}
    for change, says in (({"broken": True}, "found a breach"), (old, "last proven")):
        proof_note(page, change)
        page.see(f"/{says}/.test(document.querySelector('#proof-banner')?.innerText)")
        for screen in ("overview", "games", "me"):
            go(page, screen)
            page.see(f"/{says}/.test(document.querySelector('#proof-banner')?.innerText)")
        page.picture("proof-banner")
    place.verify(60)
    page.reload()
    go(page, "ledger")
    page.see("document.querySelector('#proof .tile.good') && !document.querySelector('#proof-banner')")
    place.verify(60, "--since-last")  # from here on there is a key
    proof_note(page, {"seconds": 0.5})
    page.see("/not signed/.test(document.querySelector('#proof-banner')?.innerText)")
    place.verify(60, "--since-last")
    page.reload()
    page.see("document.querySelector('#proof .tile.good') && !document.querySelector('#proof-banner')")
    assert "signed" in page.text(selector="#proof")
    found = pages.browser.ask("problems")
    assert not found, found


def test_postings_are_walked():
    """From an account's sum to the rows that make it, and from one of them to its round; a player's own."""
    person = Person(place, deposit=10000)
    force(place, person.name, RULES.stops())
    person.bet(coin=1, lines=15, coins=1)
    eventually("the round in the history", lambda: operator(place, f"/players/{person.number}/rounds/{person.told[-1]['round']}", None, method="GET").status == 200, 60)
    place.verify(60, "--since-last")
    page = pages.Page("console", "/operator/")
    go(page, "ledger")
    page.press("[data-table=accounts] a[href='#ledger/account=CASH&currency=EUR']")
    cells = "[...document.querySelectorAll('[data-table=postings] td[data-title=Account]')].map((one) => one.innerText)"
    page.see(f"{cells}.length > 0 && {cells}.every((account) => account === 'CASH') && document.querySelector('#postings select[name=account]').value === 'CASH'")
    page.fill(selector="#postings input[name=player]", value=str(person.number))
    page.key(key="Tab")
    page.see(f"{cells}.length === 2 && document.querySelector('[data-table=postings] tbody').innerText.includes('100.00')")  # the play money, and the deposit
    page.select(selector="#postings select[name=account]", value="")
    page.see(f"{cells}.length === 6 && new Set({cells}).has('HOUSE')")  # and the bet
    page.picture("postings")
    page.size(width=390, height=844)
    page.picture("phone-postings")
    assert page.evaluate(code="document.documentElement.scrollWidth <= innerWidth")
    page.size(width=1280, height=900)
    page.press(f"[data-table=postings] a[href='#players/{person.number}/{person.told[-1]['round']}']")
    page.see("document.querySelector('#round-proof')")
    go(page, f"players/{person.number}")
    page.press(f"main a[href='#ledger/player={person.number}']")
    page.see(f"{cells}.length === 6")
    found = pages.browser.ask("problems")
    assert not found, found


def test_webhooks():
    page = pages.Page("console", "/operator/")
    go(page, "webhooks")
    do(page, "New webhook", {"url": "http://casino.invalid/hook", "kinds": "hit,payout"})
    send(page)
    page.see("/https/.test(document.querySelector('dialog [role=alert]')?.innerText)")
    pages.browser.ask("problems")  # the 400 itself
    page.fill(selector="dialog [name=url]", value="https://casino.invalid/hook")
    send(page)
    page.see("/^[0-9a-f]{64}$/.test(document.querySelector('dialog .secret')?.innerText.trim())")
    first = page.text(selector="dialog .secret")
    page.press("dialog button.main")
    do(page, "Test")
    send(page)
    done(page)
    do(page, "New secret", {"keep_s": "3600"})
    send(page)
    page.see("document.querySelector('dialog .secret')")
    assert page.text(selector="dialog .secret") != first
    page.press("dialog button.main")
    page.see("/\\.2/.test(document.querySelector('[data-table=webhooks] tbody')?.innerText) && document.querySelector('[data-table=webhooks] .badge.bad')")
    eventually("all events to be dead, and no try of them under way", nothing_is_tried, 60)
    page.press("[aria-label^='Dead events']")
    page.see("/no name/.test(document.querySelector('[data-table=dead] tbody')?.innerText)")
    page.picture("webhooks")
    do(page, "Send all again")
    send(page)
    done(page)
    do(page, "End it")
    send(page)
    done(page)
    page.see("/No webhooks yet/.test(document.querySelector('main').innerText)")


def test_the_keyboard_goes_anywhere():
    """From any screen to another, a jackpot or a player, by a part of the name or the number."""
    page = pages.Page("console", "/operator/")
    go(page, "health")
    for typed, steps, found in (("aud", 0, "audit"), ("jackpot be", 0, "jackpots/1"), ("", 1, "jackpots"), ("1-1001", 0, "players/1001")):
        page.key(key="Control+k")
        page.see("document.querySelector('dialog.palette[open]') && document.activeElement.name === 'go'")
        page.fill(selector="[name=go]", value=typed)
        page.see(f"document.querySelector('#palette-0') && ({json.dumps(not typed)} || document.querySelectorAll('#palette-found li').length === 1)")
        page.picture(f"palette-{found.replace('/', '-')}")
        for _ in range(steps):
            page.key(key="ArrowDown")
        page.see(f"document.querySelector('[name=go]').getAttribute('aria-activedescendant') === 'palette-{steps}'")
        page.key(key="Enter")
        page.see(f"location.hash === '#{found}' && !document.querySelector('dialog')")
    page.key(key="Control+k")
    page.fill(selector="[name=go]", value="no such thing")
    page.see("/Nothing has this name/.test(document.querySelector('.palette').innerText)")
    page.key(key="Escape")
    page.see("!document.querySelector('dialog') && location.hash === '#players/1001'")


CLOCKS = {"2026-07-01T12:00": "10:00", "2026-03-29T02:30": "01:30", "2026-03-29T12:00": "10:00", "2026-10-25T02:30": "00:30", "2026-10-25T12:00": "11:00"}  # of Stockholm, in UTC


def test_times_in_the_zone_that_was_chosen():
    page = pages.Page("console", "/operator/")
    go(page, "audit")
    page.see("document.querySelector('[data-table=audit] tbody tr')")
    [[us]] = place.sql("select (extract(epoch from max(time)) * 1000000)::bigint from gateway.audit")
    for zone in ("Pacific/Kiritimati", "America/St_Johns", ""):
        go(page, "me")
        page.select(selector="[name=zone]", value=zone)
        page.see(f"document.querySelector('[name=zone]')?.value === '{zone}'")
        go(page, "audit")
        options = f"{{ dateStyle: 'short', timeStyle: 'medium', {f'timeZone: {zone!r}' if zone else ''} }}"
        page.see(f"document.querySelector('[data-table=audit] tbody').innerText.includes(new Date({us} / 1000).toLocaleString(undefined, {options}))")
    page.evaluate(code="localStorage.setItem('console-zone', 'Europe/Stockholm')")
    read = page.evaluate(code=f"import(performance.getEntriesByType('resource').map((one) => one.name).find((name) => name.includes('/zone.'))).then(({{ usAt }}) => {json.dumps(list(CLOCKS))}.map((at) => new Date(usAt(at) / 1000).toISOString().slice(11, 16)))")
    assert read == list(CLOCKS.values()), read
    page.evaluate(code="localStorage.removeItem('console-zone')")


def test_the_audit_log_is_searched():
    """By action, answer and time; a change is told as what was and what is."""
    for currencies in ("EUR", "all"):
        good(operator(place, "/offer", {"currencies": currencies, "reason": "a test of the log"}), "the offer")
    page = pages.Page("console", "/operator/")
    go(page, "audit")
    page.fill(selector="input[name=action]", value="offer")
    rows = "document.querySelectorAll('[data-table=audit] tbody tr').length"
    page.see(f"{rows} === 2 && /currencies all → EUR/.test(document.querySelector('[data-table=audit]').innerText) && /currencies EUR → all/.test(document.querySelector('[data-table=audit]').innerText)")
    page.picture("audit-offer")
    page.select(selector="select[name=status]", value="refused")
    page.see("/No line matches/.test(document.querySelector('main').innerText)")
    page.select(selector="select[name=status]", value="done")
    page.see(f"{rows} === 2")
    page.fill(selector="input[name=from]", value="2099-01-01T00:00")
    page.see("/No line matches/.test(document.querySelector('main').innerText)")
    page.fill(selector="input[name=from]", value="")
    page.fill(selector="input[name=to]", value="2099-01-01T00:00")
    page.see(f"{rows} === 2")
    table = page.evaluate(code="fetch([...document.querySelectorAll('main a')].find((one) => /format=csv/.test(one.href)).href).then((told) => told.text())")
    assert table.startswith("id,time_us,actor,") and len(table.strip().splitlines()) == 3, table


# Of each screen what is read, the member that is no list suddenly, the panel that cannot be drawn then, and what still lives.
NAV = "nav a[href='#me']"
BROKEN_PANELS = [
    ("overview", "/v1/winners", "winners", "Last winners", "#summary .tile"), ("jackpots", "/operator/status", "pools", "Jackpots", NAV),
    ("jackpots/1", "/pools/1/history", "rows", "Value over time", "#forecast"), ("games", "/operators/1/offer", "currencies", "What players are offered", "[data-table=games] tbody tr"),
    ("games/bewitched", "/games/bewitched$", "returns", "Returned in the last 30 days", "#game-stakes"), ("players", "/players\\?", "players", "Players", NAV),
    ("players/NUMBER", "/history\\?", "entries", "History", "#notes"), ("rounds", "/unfinished/rounds", "rounds", "Open rounds", "#rounds"),
    ("withdrawals", "/withdrawals\\?", "withdrawals", "Withdrawals", NAV), ("approvals", "/approvals", "approvals", "Approvals", NAV), ("reports", "/reports\\?", "reports", "Reports", NAV),
    ("reports/day-TODAY", "/reports/day/", "games", "Games", "#report-returns"), ("ledger", "/operators/1/ledger", "days", "Days", "#proof .tile"), ("ledger/all", "/postings", "postings", "Postings", NAV),
    ("rates", "/fx-rates", "rates", "Exchange rates", NAV), ("audit", "/audit\\?", "rows", "Audit log", NAV), ("users", "/user-sessions", "sessions", "Open sessions", "[data-table=users] tbody tr"),
    ("keys", "/operators/1/keys", "keys", "Keys of back ends", NAV), ("webhooks", "/operators/1/webhooks", "webhooks", "Webhooks", NAV), ("health", "/dead-letters", "letters", "Dead letters", "[data-table=shards] tbody tr"),
    ("me", "/operator/sessions", "sessions", "Your sessions", "main .tile"),
]


def crashes(page):
    return place.metric("gateway-1", "carillon_gateway_page_crashes_total", f'page="{page}"')


def test_a_broken_panel_leaves_the_others():
    """It says so, and since when; the gateway hears of it; on request it is drawn again."""
    page, before = pages.Page("breaks", "/operator/"), crashes("console")
    page.see("document.querySelector('nav a[aria-current]')?.innerText === 'Overview' && document.querySelector('#summary')")
    person = Person(place, deposit=1000)
    today = operator(place, "/reports?period=day", None, method="GET").json["gaming_day"]["today"]
    for screen, path, member, name, lives in BROKEN_PANELS:
        page.spoil(path=path, member=member)
        page.evaluate(code=f"location.hash = '{screen.replace('NUMBER', str(person.number)).replace('TODAY', today)}'")
        broken = f"document.querySelector('[data-broken={json.dumps(name)}]')"
        page.see(f"{broken} && document.querySelector({json.dumps(lives)}) && document.querySelectorAll('[data-broken]').length === 1")
        assert re.search(re.escape(name) + r" cannot be shown since \d", page.text(selector="[data-broken]")), page.text(selector="[data-broken]")
        page.heal()
        if screen == "overview":  # what is drawn then comes with its next read, here within seconds
            page.press("[data-broken] button")
            page.see(f"!{broken} && document.querySelector({json.dumps(lives)})")
    found = pages.browser.ask("problems")
    assert found and all("TypeError" in problem for problem in found), found
    assert crashes("console") > before, "no crash was told to the gateway"


def test_what_is_not_read_any_more_says_so():
    """A read that is never answered: the figures that wait for it are greyed and say from when they are, without anything being drawn."""
    page = pages.Page("waits", "/operator/")
    page.see("document.querySelector('#summary:not([data-late])')")
    page.spoil(path="/operator/status")
    page.evaluate(code="{ const now = Date.now; Date.now = () => now() + 60000; }")
    page.see("/^Not read since .*:/.test(document.querySelector('#summary').dataset.late) && document.querySelector('#as-of[data-late]')")
    assert page.evaluate(code="getComputedStyle(document.querySelector('#summary'), '::before').content").startswith('"Not read since')
    page.heal()
    pages.browser.ask("close", page.name)
    pages.browser.ask("problems")  # of reads that were given up


def test_silence_leaves_only_an_action_in_doubt():
    page = pages.Page("console", "/operator/")
    go(page, "webhooks")
    page.evaluate(code="(window.kept = window.fetch, window.fetch = () => Promise.reject(new TypeError('no network')), true)")
    do(page, "New webhook", {"url": "https://casino.invalid/hook", "kinds": "hit"})
    send(page)
    page.see("document.querySelector('dialog [role=alert]')?.innerText === 'The server does not answer. The action may or may not have been done.'")
    page.press("dialog button[aria-label=Close]")
    page.evaluate(code="location.hash = 'audit'")
    page.see("document.querySelector('main [role=alert]')?.innerText === 'The server does not answer.'")
    page.evaluate(code="(window.fetch = window.kept, location.hash = 'overview', true)")
    page.see("document.querySelector('main') && !document.querySelector('main [role=alert]')")


OLD = "/^These figures are old: services as of .* s old/.test(document.querySelector('#as-of.banner')?.innerText)"


def test_old_figures_say_so():
    """While Postgres is away, what was read before is shown as of then, and nothing is green; on both screens. Last: all services lose their connections."""
    page = pages.Page("console", "/operator/")
    go(page, "overview")
    page.see("/^Figures as of .* s old/.test(document.querySelector('#as-of')?.innerText) && document.querySelector('#summary .tile.good')")
    place.hold("postgres")
    place.kill("postgres")
    try:
        page.see(f"{OLD} && /reconciliation as of/.test(document.querySelector('#as-of').innerText)")
        page.see("document.querySelector('#summary.old') && !document.querySelector('#summary .good, #summary .bad')")
        page.see("document.querySelector('#now.old') && document.querySelector('[data-table=checks] .badge') && !document.querySelector('[data-table=checks] .good')")
        page.picture("overview-old")
        page.evaluate(code="location.hash = 'health'")
        page.see(f"document.querySelector('[data-table=instances] tbody tr') && {OLD}")
        page.see("[...document.querySelectorAll('[data-table=instances] .badge')].every((one) => one.innerText === 'not known')")
        page.picture("health-old")
    finally:
        place.release("postgres")
    page.see("document.querySelector('#as-of:not(.banner)') && [...document.querySelectorAll('[data-table=instances] .badge')].some((one) => one.innerText === 'alive')")


if __name__ == "__main__":
    with opened("console") as place:
        inside(pages.Page("console", "/operator/"), "anna")
        pages.browser.ask("problems")  # that there was no session
        run(*[f for name, f in list(globals().items()) if name.startswith("test_")])
