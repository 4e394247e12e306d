#!/usr/bin/env python3
"""Every form of the operator's console, in Chromium: the list of them comes from the source (lib_forms.py) and says which test sends each; those that no
other test sends are sent here, by a user with the one role that may. And every screen as each role: what it offers is what the gateway's table permits, and
what is sent nevertheless is refused, in words that the page shows."""
import datetime
import json
import re
import subprocess
import time

import lib_forms as forms
import lib_pages as pages
import staff
from lib_desk import BROKEN, add, inside, login, nothing_is_tried, opened, out
from lib_play import RULES, Person, force, operator, pool_action
from lib_raw import deposit, letter, raw
from lib_stack import BIN, ROOT, eventually, read_text, run

place = None
PERMITS = forms.permits()
USERS = {"vera": "viewer", "ella": "support", "finn": "finance", "bert": "jackpots", "dora": "administrator"}
NOT_PERMITTED = "None of your roles permits this. Nothing was done. (in permission, found not given, expected {})"
WHY = {"reason": "a test"}
KEPT = {}  # what the world has: people, requests
TODAY = datetime.datetime.now(datetime.timezone.utc).date()

# What the page is asked for and when all of it has come: what it reads again later does not count.
WATCHES = ("{ const ask = window.fetch; window.asked = new Map(); window.newest = performance.now();"
           " window.fetch = (path, more = {}) => { const key = `${more.method ?? 'GET'} ${path}`; if (!window.asked.has(key)) { window.asked.set(key, false); window.newest = performance.now(); }"
           " return ask(path, more).finally(() => setTimeout(() => window.asked.set(key, true), 50)); };"
           " addEventListener('hashchange', () => { window.asked.clear(); window.newest = performance.now(); }); }")
SETTLED = "[...window.asked.values()].every((come) => come) && performance.now() - window.newest > 200"
ASK = "performance.getEntriesByType('resource').map((one) => one.name).find((name) => name.includes('/operator/ask.'))"
BUTTONS = "[...new Set([...document.querySelectorAll('main button[aria-haspopup=dialog], main button[name=export]')].map((one) => one.innerText))].sort()"
opened_by = {}


def desk(user):
    """The page of this user, who is logged in."""
    if user not in opened_by:
        page = opened_by[user] = pages.Page(user, "/operator/", apart=True)
        page.see("document.querySelector('input[name=name]')")
        page.evaluate(code=WATCHES)
        inside(page, user)
        pages.browser.ask("problems")  # that there was no session
    return opened_by[user]


def at(user, screen):
    """The user's page on this screen, with all that it reads at first."""
    page = desk(user)
    whole = f"{SETTLED} && document.querySelector('main') && !/Loading …/.test(document.querySelector('main').innerText)"
    page.evaluate(code=f"new Promise((shown) => {{ const end = performance.now() + 60000; const look = () => {{ if (({whole}) || performance.now() > end) shown(); else setTimeout(look, 25); }};"
                       f" if (location.hash === '#{screen}') look(); else {{ addEventListener('hashchange', () => setTimeout(look, 150), {{ once: true }}); location.hash = '{screen}'; }} }})")
    page.see(f"{whole} && {BROKEN}")
    return page


def sent(user, screen, button, values=None, reason="a test", row=None):
    """One form of the screen, or of the row with this text, is filled in and sent; what its answer shows."""
    page = at(user, screen)
    inside_row = f"tr:has-text('{row}') " if row else ""
    page.press(f"main {inside_row}button[aria-haspopup=dialog]:text-is('{button}')")
    page.see("document.querySelector('dialog[open]')")
    fill(page, {**(values or {}), **({"reason": reason} if reason else {})})
    page.press("dialog button.main")
    page.see("/Done[.]|waits for a second person/.test(document.querySelector('dialog [role=status]')?.parentElement.innerText) || document.querySelector('dialog [role=alert]')")
    said = page.text(selector="dialog")
    page.press("dialog button[aria-label=Close]")
    page.see("!document.querySelector('dialog')")
    return said


def refused(*form, **more):
    """Sent, and refused, which is what is asked for."""
    said = sent(*form, **more)
    pages.browser.ask("problems")  # the refusal itself
    return said


def sends(user, screen, button, *more, line, **rest):
    """The same, and it is done or asked for: the audit log has the line, in this user's name."""
    [[before]] = place.sql("select coalesce(max(id), 0) from gateway.audit")
    said = sent(user, screen, button, *more, **rest)
    assert re.search(r"Done\.|waits for a second person", said), f"{user} at {screen}, {button}: {said}"
    lines = f"select action, status from gateway.audit where id > {before} and actor like 'operator-1 {user} %'"
    eventually(f"a line '{line}' of {user}", lambda: [line, "202" if "second person" in said else "200"] in place.sql(lines), 60)
    return said


def fill(page, values):
    for name, value in values.items():
        kind = page.evaluate(code=f"document.querySelector('dialog [name={name}]').tagName")
        (page.select if kind == "SELECT" else page.fill)(selector=f"dialog [name={name}]", value=value)


def refused_in_words(page, permission):
    page.see(f"document.querySelector('dialog [role=alert]')?.innerText === {json.dumps(NOT_PERMITTED.format(permission))}")
    page.press("dialog button[aria-label=Close]")
    page.see("!document.querySelector('dialog')")


# ---- the list ----

def test_every_form_has_a_test():
    """A new action of the console, and a new route that nothing sends, has to be added to the list in lib_forms.py, with its test."""
    found = forms.gathered()
    assert found == set(forms.FORMS), f"not in the list: {sorted(found - set(forms.FORMS))}; no longer in the console: {sorted(set(forms.FORMS) - found)}"
    for name, form in forms.FORMS.items():
        file, test = form.test.split()
        assert f"def {test}():" in read_text(f"{ROOT}/tests/e2e/{file}"), f"{name}: there is no {test} in {file}"
    sent = {route for form in forms.FORMS.values() for route in form.routes}
    assert sent | set(forms.NOT_HERE) >= {route for route in PERMITS.routes if route.startswith("POST ")} and not sent & set(forms.NOT_HERE)
    assert set(USERS.values()) == set(PERMITS.roles), "a role has no user here"
    print(f"        {len(found)} forms, {len(sent)} routes")


# ---- a world with something to act on everywhere ----

def done(answer, *more):
    assert answer.status in (200, 201, 202, *more), answer
    return answer.json


def house(path, body):
    """By the operator's key."""
    return done(eventually(path, lambda: next((a for a in [staff.answered(lambda: operator(place, path, body))] if a.status != 404), None), 60))


def user(name):
    one = staff.User(name, f"password of {name}")
    one.login()
    return one


def won_jackpot(person):
    force(place, person.name, [*RULES.stops(bonuses=3), 0], RULES.stops())
    person.bet(1, 15, 1)
    eventually("the award", lambda: place.sql(f"select amount from wallet.journal where kind = 24 and player = {person.id}"), 60)
    return person.round["round"]


def world():
    staff.place = place
    for name, roles in (("vera", "viewer"), ("jack", "jackpots"), ("gus", "support,finance,jackpots,administrator"), ("nora", "viewer"), ("carl", "viewer"), ("dave", "viewer"), ("mary", "viewer")):
        add(name, roles)
    player, blocked = KEPT["player"], KEPT["blocked"] = Person(place, deposit=100000), Person(place, deposit=5000)
    void = {"game": "bewitched", "round": won_jackpot(player), "award": True, **WHY}
    eventually("the account", lambda: place.sql(f"select 1 from wallet.account where player = {player.id}"), 60)
    house(f"/players/{player.number}/voids", void)
    for amount in (4010, 4110, 4210):  # of which the stub never answers
        player.operator("withdrawals", {"amount_minor": amount, "currency": "EUR"}, status=200)
    spins = {"game": "bewitched", "currency": "EUR", "coin_minor": 1, "lines": 15, "coins": 1, "spins": 5, "expires_us": int((time.time() + 7 * 86400) * 1e6), **WHY}
    house(f"/players/{player.number}/bonus-spins", spins)
    house(f"/players/{player.number}/deposits", {"amount_minor": 2500000, "currency": "EUR", **WHY})  # waits for a second person
    house(f"/players/{blocked.number}/block", {"blocked": True, **WHY})
    for currency in ("SEK", "DKK"):
        house("/fx-rates", {"currency": currency, "rate": "0.09", **WHY})
    assert pool_action(place, 1, "adjust", {"currency": "EUR", "coin_minor": 1, "delta_minor": 100}, approved=False).status == 202
    dora = user("dora")
    done(dora.of("/users/dave", {"action": "disable", **WHY}))
    done(dora.of("/games/mystic-gem/stop", WHY))
    done(dora.of("/keys", {"name": "till", "scopes": "read", **WHY}))
    hook = KEPT["hook"] = done(dora.of("/webhooks", {"url": "https://casino.invalid/hook", "kinds": "hit", **WHY}))["id"]
    for _ in range(2):
        done(dora.of(f"/webhooks/{hook}", {"action": "test", **WHY}))
    raw(place, "dead.letters", letter("wallet.commands", deposit(player, 4321), "a test"), [0], "wallet")
    for name in ("carl", *USERS):  # another session of each
        KEPT[name] = user(name)
    eventually("the letter", lambda: place.sql("select 1 from gateway.dead_letter"), 60)
    eventually("all events to be dead, and no try of them under way", nothing_is_tried, 60)
    eventually("withdrawals to be decided", lambda: all(one["stuck"] for one in operator(place, "/withdrawals?state=held", None, method="GET").json["withdrawals"]), 60)


# ---- every screen as each role ----

def addresses():
    """screen of the list -> its address; every screen of the console is among them."""
    player, blocked = KEPT["player"].number, KEPT["blocked"].number
    found = {name: name for name in (*forms.screens(), forms.PROGRESSIVE, forms.CARDS, "games/bewitched", "me")}
    return {**found, "player": f"players/{player}", "blocked": f"players/{blocked}", "round": f"players/{player}/{KEPT['player'].told[-1]['round']}", "report": f"reports/day-{TODAY}"}


def offered(role, *screens):
    """The buttons that the table permits."""
    may = PERMITS.roles[role]
    return sorted({button for form in forms.FORMS.values() for screen, button in form.at if screen in screens and form.also <= may and any(PERMITS.routes[route] in may for route in form.routes)})


def shows(page, role, *screens):
    wanted = offered(role, *screens)
    try:
        eventually("the buttons", lambda: page.evaluate(code=BUTTONS) == wanted, 60, 0.3)
    except AssertionError as error:
        raise AssertionError(f"{role} at {screens}: offered {page.evaluate(code=BUTTONS)}, permitted {wanted}; {page.text(selector='main')[:1500]}") from error


def loads(user, address):
    """No part of the screen failed; what could not be answered just now is asked for again."""
    def failed():
        found = desk(user).evaluate(code="[...document.querySelectorAll('main [role=alert]')].map((one) => one.innerText)")
        if found:
            at(user, "overview" if address == "me" else "me")
            at(user, address)
        return found
    eventually(f"{address} without an error, as {user}; it shows {failed() or 'none'}", lambda: not failed(), 60, 0.3)


def test_every_screen_as_each_role():
    """Each loads without an error, shows the buttons that the gateway's table permits, and no others; the menu has the screens of the role."""
    needs = forms.screens()
    assert {screen for form in forms.FORMS.values() for screen, _ in form.at} <= {*addresses(), "dead", "waiting"}
    cells = 0
    for name, role in USERS.items():
        may = PERMITS.roles[role]
        page = at(name, "me")
        menu = page.evaluate(code="[...document.querySelectorAll('nav a')].map((one) => one.getAttribute('href'))")
        assert menu == [f"#{screen}" for screen, permission in needs.items() if permission in may] + ["#me"], (role, menu)
        for screen, address in addresses().items():
            page = at(name, address)
            if needs.get(address.split("/")[0], "self") not in may:
                assert page.evaluate(code="[...document.querySelectorAll('main > p:not(.banner)')].map((one) => one.innerText)") == ["None of your roles permits this."], (role, address)
                assert page.evaluate(code=BUTTONS) == [], (role, address)
            else:
                loads(name, address)
                shows(page, role, screen)
            if screen == "webhooks" and "users" in may:
                page.press("[aria-label^='Dead events']")
                page.see("document.querySelector('[data-table=dead] tbody tr')")
                shows(page, role, screen, "dead")
            cells += 1
        found = pages.browser.ask("problems")
        assert not found, (role, found)
    print(f"        {cells} cells of role and screen")


def test_what_a_role_may_not_send_is_refused():
    """From the page of that role, by its own way to send: each route that a form of another role is for."""
    cells = 0
    for name, role in USERS.items():
        page = at(name, "me")
        wrong = sorted({route.removeprefix("POST ") for form in forms.FORMS.values() for route in form.routes if route.startswith("POST ") and PERMITS.routes[route] not in PERMITS.roles[role]})
        paths = {route.replace("{}", "1"): NOT_PERMITTED.format(PERMITS.routes[f"POST {route}"]) for route in wrong}
        asks = [[path, None if re.search("(rates|voids|actions)/1/approve", path) else {}] for path in paths]
        tells = "act(path, body ?? undefined).then(() => [path, 'done'], (error) => [path, sentence(error)])"
        said = page.evaluate(code=f"import({ASK}).then(({{ act, sentence }}) => Promise.all({json.dumps(asks)}.map(([path, body]) => {tells})))")
        assert dict(said) == paths, (role, [one for one in said if paths[one[0]] != one[1]])
        cells += len(paths)
    pages.browser.ask("problems")  # the 403s themselves
    print(f"        {cells} cells of role and form")
    assert cells > 100


def roles_of(name, roles):
    subprocess.run([f"{BIN}/jackpotctl", "user", "roles", name, "--roles", roles, "--reason", "a test"], env={**place.environment, **place.stack}, timeout=60, check=True, capture_output=True)
    page = desk(name)
    page.see(f"fetch('/v1/operator/session').then((told) => told.json()).then(({{ roles }}) => (window.roles = String(roles))) && window.roles === '{roles}'")


def test_a_role_that_was_taken_away():
    """The page offers what it did until it hears of it: the form shows the refusal in words, and when it is closed the page offers what is still permitted."""
    all_roles = "support,finance,jackpots,administrator"
    player = f"players/{KEPT['player'].number}"
    for screen, button, values, permission in ((player, "Correct", {"amount": "1.00"}, "money"), (player, "Set a limit", {"value": "100"}, "care"), (player, "Add a note", {"text": "a note"}, "notes"),
                                               (player, "Void a round", {"round": "1"}, "void"), ("rates", "Set a rate", {"currency": "NOK", "rate": "0.08"}, "rates"), ("games", "Stop all", {}, "games"),
                                               (forms.PROGRESSIVE, "Pause", {}, "jackpots"), ("health", "Settle", {}, "letters"), ("users", "New user", {"name": "zoe", "roles": "viewer"}, "users")):
        page = at("gus", screen)
        page.press(f"main button[aria-haspopup=dialog]:text-is('{button}')")
        page.see("document.querySelector('dialog[open]')")
        fill(page, {**values, **({} if permission in ("notes", "users") else {"reason": "a test"})})
        roles_of("gus", "viewer")
        page.press("dialog button.main")
        refused_in_words(page, permission)
        page.see(f"!{BUTTONS}.includes('{button}') && document.querySelectorAll('nav a').length === {sum(permission in PERMITS.roles['viewer'] for permission in forms.screens().values()) + 1}")
        roles_of("gus", all_roles)
        page.reload()
        page.see("document.querySelector('nav a[href=\"#users\"]')")
        page.evaluate(code=WATCHES)
    pages.browser.ask("problems")  # the 403s themselves
    assert place.sql("select 1 from wallet.switch where game = 0") == [] and place.sql("select state from pool.pool where pool = 1") == [["live"]]


# ---- what no other test sends ----

def booked(reason):
    """Amounts with who booked them, by the reason in the record."""
    return place.sql(f"select amount, convert_from(record, 'UTF8')::json->>'actor' from wallet.journal where position(convert_to('{reason}', 'UTF8') in record) > 0 order by seq")


def test_money():
    player = KEPT["player"]
    screen = f"players/{player.number}"
    for button, amount, line, minor in (("Withdraw", "12.00", "withdrawal", 1200), ("Grant bonus funds", "3.00", "grant", 300), ("Correct", "-0.50", "correction", -50)):
        reason = f"by hand: {line}"
        sends("finn", screen, button, {"amount": amount}, reason, line=line)
        assert [[abs(int(moved)), actor] for moved, actor in booked(reason)] == [[abs(minor), "operator-1 finn"]], (button, booked(reason))
    loser = Person(place, deposit=1000)
    force(place, loser.name, RULES.stops())
    loser.bet(1, 15, 1)
    sends("finn", f"players/{loser.number}", "Void a round", {"game": "bewitched", "round": str(loser.round["round"])}, line="void")  # and its jackpots stay
    eventually("the void", lambda: place.sql(f"select round from wallet.void where player = {loser.id}") == [[str(loser.round["round"])]], 60)
    hold = place.sql(f"select encode(id, 'hex') from wallet.hold where player = {player.id} and amount = 4110")[0][0]
    place.sql(f"insert into payments.review (hold) values ('\\x{hold}')", writer=True)
    sends("finn", screen, "Approve", row=hold[:12], line="withdrawal approval")
    assert place.sql(f"select approved_by from payments.review where hold = '\\x{hold}'") == [["operator-1 finn"]]
    assert "has not said whether it paid" in refused("finn", screen, "Paid", row=hold[:12])
    sends("finn", screen, "Paid", {"force": "yes"}, row=hold[:12], line="withdrawal captured by hand, forced")
    eventually("the end of the hold", lambda: place.sql(f"select settled_kind <> 30 from wallet.hold where player = {player.id} and amount = 4110") == [["t"]], 60)
    sends("finn", screen, "Refuse", row="bewitched", line="void refusal")
    assert place.sql(f"select status, approved_by from gateway.void_request where player = {player.id}") == [["refused", "operator-1 finn"]]


def test_rates():
    """One asks for a rate and the second one approves; another one is refused."""
    assert "second person" in sends("finn", "rates", "Set a rate", {"currency": "nok", "rate": "0,085"}, line="fx-rate")
    sends("fred", "rates", "Approve", reason=None, row="NOK", line="fx-rate approval")
    sends("fred", "rates", "Refuse", row="DKK", line="fx-rate refusal")
    assert place.sql("select currency from carillon.fx_rate where currency in (578, 208)") == [["578"]]


def limits_of(person):
    return {one["limit"]: one for one in operator(place, f"/players/{person.number}/limits", None, method="GET").json["limits"]}


def test_care():
    player, blocked = KEPT["player"], KEPT["blocked"]
    screen = f"players/{player.number}"
    sends("ella", screen, "End", row="5 of 5", line="end of bonus spins")
    sends("ella", screen, "Set a limit", {"limit": "time", "value": "90"}, line="limit")
    eventually("the limit", lambda: limits_of(player).get("time", {}).get("seconds") == 5400, 60)
    sends("ella", screen, "Block the player", line="block")
    eventually("the block", lambda: operator(place, f"/players/{player.number}", None, method="GET").json["blocked"], 60)
    for one in (player, blocked):
        sends("ella", f"players/{one.number}", "End the block", line="unblock")
        eventually("the end of the block", lambda one=one: not operator(place, f"/players/{one.number}", None, method="GET").json["blocked"], 60)
    sends("ella", f"players/{blocked.number}", "Set a limit", {"limit": "exclusion", "value": "30"}, line="limit")
    eventually("the exclusion", lambda: limits_of(blocked).get("exclusion", {}).get("until_s", 0) > time.time() + 29 * 86400, 60)


def test_jackpots():
    for button, state in (("Pause", "paused"), ("Resume", "live")):
        said = sends("bert", "jackpots/1", button, line=f"pool: {button.lower()}")
        eventually(state, lambda s=state: place.sql("select state from pool.pool where pool = 1") == [[s]], 60)
        assert "Before" in said, said
    sends("bert", "jackpots/1", "Change terms", {"seed": "17.00"}, line="pool: parameters")
    eventually("the seed", lambda: "1700" in json.dumps(operator(place, "/pools/1", None, method="GET").json["rows"]), 60)
    for takes in ("no", "yes"):
        sends("bert", "jackpots/1", "Take part or not", {"takes": takes}, line="pool: take_part")
    eventually("the part", lambda: place.sql("select takes_part from pool.participation where operator = 1 and pool = 1") == [["t"]], 60)
    sends("bert", "jackpots/2", "Odds", {"in": "1", "of": "10000000000"}, line="pool: odds")
    sends("bert", "jackpots/2", "Weights", {name: str(weight) for name, weight in zip(("Clubs", "Diamonds", "Hearts", "Spades"), (800, 90, 9, 1))}, line="pool: weights")
    sends("bert", "jackpots/2", "Change terms", {"share": "0.2"}, line="pool: parameters")
    for button in ("Pause", "Resume"):
        sends("bert", "jackpots/2", button, line=f"pool: {button.lower()}")
    wanted = [(action, "operator-1 bert") for action in ("resume", "pause", "parameters", "weights", "odds")]
    eventually("the actions", lambda: [(one["action"], one["actor"]) for one in operator(place, "/pools/2/actions", None, method="GET").json["actions"][:5]] == wanted, 60)


def test_jackpots_by_two():
    """What ends something needs a second person, who refuses it, or does it."""
    sends("bert", "jackpots/4", "Pause", line="pool: pause")
    assert "second person" in sends("bert", "jackpots/4", "Remove a row", reason="by mistake", line="pool: parameters")
    sends("jack", "jackpots/4", "Refuse", row="by mistake", line="pool: parameters refusal")
    eventually("the pause", lambda: place.sql("select state from pool.pool where pool = 4") == [["paused"]], 60)
    assert "second person" in sends("bert", "jackpots/4", "Retire", {"to": "1"}, reason="it is old", line="pool: retire")
    sends("jack", "approvals", "Approve", reason=None, row="it is old", line="pool: retire approval")
    eventually("the end of the pool", lambda: place.sql("select state from pool.pool where pool = 4") == [["retired"]], 60)


def test_keys_and_webhooks():
    sends("dora", "keys", "End later", {"keep_s": "3600"}, row="till", line="key expires")
    assert place.sql("select expires < now() + interval '1 hour' from gateway.operator_key where note = 'till'") == [["t"]]
    sends("dora", "webhooks", "Change", {"url": "https://casino.invalid/another", "kinds": "hit, large_win"}, line="webhook changed")
    assert place.sql(f"select url, array_to_string(kinds, ',') from gateway.webhook where id = {KEPT['hook']}") == [["https://casino.invalid/another", "hit,large_win"]]
    at("dora", "webhooks").press("[aria-label^='Dead events'][aria-expanded=false]")
    sends("dora", "webhooks", "Send again", line="webhook events sent again")
    assert place.sql("select count(*) from gateway.webhook_delivery where dead is null") == [["1"]]
    at("dora", "webhooks").press("[aria-label^='Waiting events'][aria-expanded=false]")
    sends("dora", "webhooks", "Skip", line="webhook events skipped")
    assert place.sql("select skipped_by from gateway.webhook_delivery where dead is null or skipped_by is not null") == [["operator-1 dora"]]
    place.sql("update gateway.webhook_delivery set dead = null, skipped_by = null, next = now() + interval '1 hour'", writer=True)
    sends("dora", "webhooks", "Skip all", line="webhook events skipped")
    assert place.sql("select count(*) from gateway.webhook_delivery where dead is null") == [["0"]]


def session_ends(of):
    eventually(f"the end of a session of {of.name}", lambda: of.ask("GET", "/v1/operator/session").status == 401, 60)


def test_users():
    sends("dora", "users", "Roles", {"roles": "support"}, row="mary", line="user roles")
    said = sends("dora", "users", "New password", row="mary", line="user reset")
    assert "shown this once" in said
    sends("dora", "users", "End sessions", row="carl", line="user sessions ended")
    session_ends(KEPT["carl"])
    sends("dora", "users", "Disable", row="mary", line="user disabled")
    sends("dora", "users", "Enable", row="dave", line="user enabled")
    users = {one["name"]: one for one in KEPT["dora"].of("/users", method="GET").json["users"]}  # as the database has them
    assert users["mary"]["roles"] == ["support"] and users["mary"]["disabled"] and users["mary"]["must_change"] and not users["dave"]["disabled"], users


def test_sessions():
    """One's own sessions and those of others, one at a time and all at once."""
    sends("vera", "me", "End", reason=None, line="session ended")
    session_ends(KEPT["vera"])
    sends("dora", "users", "End", row="ella", line="session ended")
    sends("dora", "users", "End all others", line="sessions ended")
    session_ends(KEPT["finn"])


def test_a_second_factor():
    """A new app's key, its first code, and the codes for the day when it is lost."""
    page = at("nora", "me")
    page.press("main button:text-is('Set up')")
    page.see("document.querySelector('main .secret')")
    secret = staff.base64.b32decode(re.sub(r"\s", "", page.text(selector="main .secret"))).hex()
    page.fill(selector="main [name=code]", value=staff.code_of(secret, int(time.time()) // 30))
    page.press("main button:text-is('Set')")
    page.see("/second factor is set/.test(document.querySelector('main').innerText)")
    codes = page.text(selector="main .secret").split()
    page.press("main button:text-is('I have kept them')")
    page.see("/Set up another app/.test(document.querySelector('main').innerText) && !document.querySelector('.banner.gold')")
    eventually("the line", lambda: place.sql("select status from gateway.audit where action = 'second factor' and actor like 'operator-1 nora %' order by id desc limit 1") == [["200"]], 60)
    out(page)
    login(page, "nora")
    page.see("document.querySelector('input[name=code]')")
    page.fill(selector="input[name=code]", value=codes[0])
    page.press("button.main")
    page.see("document.querySelector('nav a[href=\"#me\"]')?.innerText === 'nora'")
    pages.browser.ask("problems")  # that it was asked for


def test_the_books():
    place.verify(60)


if __name__ == "__main__":
    with opened("console_forms") as place:
        world()
        run(*[f for name, f in list(globals().items()) if name.startswith("test_")])
