#!/usr/bin/env python3
"""Who may use the operator's console, in Chromium: logins, passwords and sessions, keys, users and their roles, and another operator."""
import lib_pages as pages
from lib_desk import add, do, done, go, inside, login, opened, out, send
from lib_play import operator, pool_action
from lib_stack import eventually, run

place = None


def test_login():
    page = pages.Page("console", "/operator/")
    page.see("document.querySelector('input[name=name]')")
    page.picture("login")
    page.fill(selector="input[name=password]", value="a wrong password")
    assert page.evaluate(code="document.querySelector('input[name=password]').type") == "password"
    for kind in ("text", "password"):
        page.press("button[aria-label$=': Password']")
        page.see(f"document.querySelector('input[name=password]').type === '{kind}' && document.querySelector('input[name=password]').value === 'a wrong password'")
    login(page, "anna", "a wrong password")
    page.see("/wrong/.test(document.querySelector('[role=alert]')?.innerText)")
    pages.browser.ask("problems")  # the 401 itself
    login(page, "anna")
    page.see("document.querySelector('nav a[href=\"#me\"]')?.innerText === 'anna'")
    pages.browser.ask("problems")


def test_the_password_again():
    place.sql("update gateway.staff_session set confirmed = now() - interval '1 hour'", writer=True)
    page = pages.Page("console", "/operator/")
    go(page, "jackpots/1")
    refused = ("fetch('/v1/operator/session').then((told) => told.json()).then(({ csrf }) => fetch('/v1/operators/1/pools/1/actions', { method: 'POST', body: '{}',"
               " headers: { 'X-CSRF-Token': csrf, 'Content-Type': 'application/json', 'Idempotency-Key': 'none' } })).then((told) => told.json()).then((told) => told.error.code)")
    eventually("the gateway to have read the sessions", lambda: page.evaluate(code=refused) == "confirm_needed", 10, 0.2)
    do(page, "Pause")
    send(page)
    page.see("document.querySelector('dialog [name=confirm]')")
    page.fill(selector="dialog [name=confirm]", value="password of anna")
    page.press("dialog button.main")
    done(page)
    pages.browser.ask("problems")  # the 403 itself
    pool_action(place, 1, "resume")


def test_keys():
    """A key is made, shown once, replaced with an overlap, and ended; what it may do stands in words."""
    page = pages.Page("console", "/operator/")
    go(page, "keys")
    page.see("/everything/.test(document.querySelector('[data-table=keys] tbody')?.innerText) && /in a file/.test(document.querySelector('main').innerText)")
    do(page, "New key", {"name": "till of the shop", "scopes": "read, money", "amounts": "EUR 500.505"})
    send(page)
    page.see("/Enter amounts as/.test(document.querySelector('dialog [role=alert]')?.innerText)")
    page.fill(selector="dialog [name=amounts]", value="EUR 500.50, JPY 7000")
    page.select(selector="dialog [name=days]", value="30")
    send(page)
    page.see("/^[0-9a-f]{64}$/.test(document.querySelector('dialog .secret')?.innerText.trim())")
    first = page.text(selector="dialog .secret").strip()
    page.picture("new-key")
    page.press("dialog button.main")
    page.see("/500\\.50.*7,000/.test(document.querySelector('[data-table=keys] tbody')?.innerText)")
    assert first not in page.text(selector="body") and place.sql("select scopes, amounts from gateway.operator_key where note = 'till of the shop'") == [["read,money", "EUR:50050,JPY:7000"]]
    eventually("the key is good", lambda: place.http("GET", "/v1/operator/status", token=first).status == 200, 30)
    do(page, "Replace", {"keep_s": "3600"})
    send(page)
    page.see("document.querySelector('dialog .secret')")
    assert page.text(selector="dialog .secret").strip() != first
    page.press("dialog button.main")
    page.see("[...document.querySelectorAll('[data-table=keys] .badge')].some((badge) => badge.innerText === 'replaced')")
    page.picture("keys")
    do(page, "End now")
    send(page)
    done(page)
    assert len(place.sql("select 1 from gateway.operator_key where note = 'till of the shop' and revoked is not null")) == 1
    found = pages.browser.ask("problems")
    assert not found, found


def test_sessions():
    """One's own sessions under one's name, those of all users under users; a session that is ended there has ended."""
    page = pages.Page("console", "/operator/")
    other = pages.Page("laptop", "/operator/", apart=True)
    inside(other, "anna")
    pages.browser.ask("problems")  # that it had no session
    go(page, "me")
    page.see("document.querySelectorAll('[data-table=sessions] tbody tr').length > 1 && document.querySelectorAll('[data-table=sessions] .badge').length === 1")
    assert "Chrome on Linux" in page.text(selector="[data-table=sessions]") and "127.0.0.1" in page.text(selector="[data-table=sessions]")
    page.picture("own-sessions")
    do(page, "End all others", reason=None)
    send(page)
    done(page)
    page.see("document.querySelectorAll('[data-table=sessions] tbody tr').length === 1")
    other.evaluate(code="location.hash = 'users'")
    other.see("/session has ended/.test(document.body.innerText)")
    inside(other, "bert")
    go(page, "users")
    page.see("[...document.querySelectorAll('[data-table=user-sessions] tbody tr')].some((row) => row.innerText.includes('bert'))")
    page.picture("user-sessions")
    page.press("[data-table=user-sessions] tr:has-text('bert') button")
    page.see("document.querySelector('dialog[open]')")
    page.fill(selector="dialog [name=reason]", value="a test")
    send(page)
    done(page)
    other.evaluate(code="location.hash = 'games'")
    other.see("/session has ended/.test(document.body.innerText)")
    pages.browser.ask("problems")  # the 401s themselves
    pages.browser.ask("close", other.name)


def test_another_operator():
    """Who does not act on pools sees no figures of everybody's play, and of a pool without a part what all may see."""
    add("otto", "viewer", 2)
    place.sql("insert into pool.participation (operator, pool, takes_part, action) values (2, 1, false, '\\x00')", writer=True)
    page = pages.Page("console", "/operator/")
    out(page)
    inside(page, "otto", 2)
    for screen in ("overview", "health", "jackpots/2", "jackpots"):
        go(page, screen)
    page.see("/–/.test(document.querySelector('[data-table=pools] tbody tr')?.innerText)")  # the gateways have read the new row
    go(page, "jackpots/1")
    page.see("/takes no part/.test(document.querySelector('main').innerText)")
    assert "Transfers" not in page.text(selector="main") and page.evaluate(code="document.querySelectorAll('[data-table=rows] tbody tr').length > 3"), page.text(selector="main")
    page.picture("no-part")
    go(page, "overview")
    shown = page.text(selector="#summary")
    assert "Instances" in shown and "Players" not in shown and "Jackpots paid" not in shown, shown
    out(page)
    inside(page, "anna")
    found = pages.browser.ask("problems")
    assert not found, found


def test_users():
    page = pages.Page("console", "/operator/")
    go(page, "users")
    do(page, "New user", {"name": "carl", "roles": "viewer"}, reason=None)
    send(page)
    page.see("document.querySelector('dialog .secret')")
    page.picture("new-user")
    secret = page.text(selector="dialog .secret").strip()
    page.press("dialog button.main")
    out(page)
    login(page, "carl", secret)
    page.see("document.querySelector('input[name=fresh]')")
    for name, value in (("old", secret), ("fresh", "password of carl"), ("again", "password of carl")):
        page.fill(selector=f"input[name={name}]", value=value)
    page.press("button.main")
    page.see("document.querySelector('nav a[href=\"#me\"]')?.innerText === 'carl'")
    assert "Players" not in page.text(selector="nav") and "Users" not in page.text(selector="nav") and "Webhooks" not in page.text(selector="nav")
    go(page, "jackpots/1")
    assert "Pause" not in page.text(selector="main")
    page.evaluate(code="location.hash = 'users'")
    page.see("/None of your roles/.test(document.querySelector('main').innerText)")
    page.picture("viewer")
    assert operator(place, "/users/carl", {"action": "disable", "reason": "a test"}).status == 200
    page.evaluate(code="location.hash = 'overview'")
    page.see("/session has ended/.test(document.body.innerText)")
    page.picture("ended")
    pages.browser.ask("problems")


if __name__ == "__main__":
    with opened("console_access", kafka=False) as place:
        run(*[f for name, f in list(globals().items()) if name.startswith("test_")])
