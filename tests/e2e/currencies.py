#!/usr/bin/env python3
"""Players in euros, yen, dinars (three digits) and USDT (four letters, six digits): what each screen of the console and the player's own page show is what is
booked, and one player's currency never takes a screen from the others."""
import lib_pages as pages
from lib_desk import do, done, go, inside, opened, send
from lib_play import Person, operator
from lib_stack import eventually, run

place = None
DIGITS = {"EUR": 2, "JPY": 0, "KWD": 3, "USDT": 6}
SIGNS = {"EUR": "€", "JPY": "¥", "KWD": "KWD ", "USDT": "USDT "}
DEPOSIT = 1234567
PLAY_MONEY = 1000  # of whole units, in a new demo account
WAITING = {"EUR": 900000001, "JPY": 900000001, "KWD": 900000001, "USDT": 900000000001}  # more than one person books alone
HELD = {"EUR": 4010, "JPY": 4110, "KWD": 4210, "USDT": 4310}  # the provider's stub never answers about these
TYPED = {"EUR": ("12.50", 1250), "JPY": ("1250", 1250), "KWD": ("1.250", 1250), "USDT": ("10.00", 10000000)}  # a deposit as finance types it
people = {}


def text_of(minor, currency):
    """The booked amount as people read it in English."""
    whole, part = divmod(minor, 10 ** DIGITS[currency])
    return SIGNS[currency] + f"{whole:,}" + (f".{part:0{DIGITS[currency]}d}" if DIGITS[currency] else "")


def balance_of(currency):
    return text_of(people[currency].refresh()["balance_minor"], currency)


def plain(text):
    return text.replace("\u00a0", " ").replace("JP¥", "¥")  # the sign of yen outside of Japan


def no_problems():
    found = pages.browser.ask("problems")
    assert found == [], found


def shown(page, text, where="main"):
    """Until the screen shows this amount; it is a screen that is alive then."""
    eventually(f"{text} on the screen", lambda: text in plain(page.text(selector=where)), 60)


def open_accounts():
    for currency in DIGITS:
        people[currency] = Person(place, currency, deposit=DEPOSIT)


def test_players():
    page = pages.Page("console", "/operator/")
    go(page, "players")
    for currency in DIGITS:
        shown(page, balance_of(currency))
        page.fill(selector="input[name=currency]", value=currency.lower())
        page.see(f"document.querySelectorAll('[data-table=players] tbody tr').length >= 1 && [...document.querySelectorAll('[data-table=players] tbody [data-title=Currency]')].every((one) => one.innerText === '{currency}')")
        page.fill(selector="input[name=currency]", value="")
        page.see("document.querySelectorAll('[data-table=players] tbody tr').length > 3")
    for currency in DIGITS:
        go(page, f"players/{people[currency].number}")
        shown(page, balance_of(currency))
    no_problems()


def test_typed_amounts():
    """A deposit as finance types it: what may mean two amounts is refused, what was understood is shown, and that is booked."""
    either = {"EUR": "1000 or 1.00", "JPY": "1000 or 1", "KWD": "1000 or 1.000", "USDT": "1000 or 1.000"}  # each can be typed
    page = pages.Page("console", "/operator/")
    for currency, (text, minor) in TYPED.items():
        before = people[currency].refresh()["balance_minor"]
        go(page, f"players/{people[currency].number}")
        do(page, "Deposit", {"amount": "1,000"})
        page.see(f"document.querySelector('dialog .what').innerText.endsWith('may mean two amounts. Enter {either[currency]}.')")
        send(page)
        page.see("/may mean two amounts/.test(document.querySelector('dialog [role=alert]')?.innerText)")
        page.fill(selector="dialog [name=amount]", value=text)
        shown(page, f"{text_of(minor, currency)}: {text_of(before, currency)} becomes {text_of(before + minor, currency)}", "dialog .what")
        send(page)
        shown(page, f"The balance is now {text_of(before + minor, currency)}", "dialog")
        done(page)
        assert people[currency].refresh()["balance_minor"] == before + minor, currency
    no_problems()


def test_a_typed_limit():
    """A limit as the player types it on their own page."""
    typed = {"EUR": ("50", 5000), "JPY": ("5000", 5000), "KWD": ("5.250", 5250), "USDT": ("7.5", 7500000)}
    for currency, (text, minor) in typed.items():
        page = pages.Page(f"limit-{currency}", "/", apart=True)
        page.evaluate(code=f"sessionStorage.setItem('token', '{people[currency].token}')")
        page.reload()
        page.see("document.querySelector('#lobby-limits')")
        page.press("#lobby-limits")
        page.see("document.querySelector('#limit-loss-day')")
        page.fill(selector="#limit-loss-day", value="1,000")
        page.see("/may mean two amounts/.test(document.querySelector('[data-limit=loss][data-period=day]').innerText)")
        page.fill(selector="#limit-loss-day", value=text)
        shown(page, text_of(minor, currency), "[data-limit=loss][data-period=day] [data-understood]")
        page.press("[data-limit=loss][data-period=day] .limitform button")
        shown(page, f"Now: {text_of(minor, currency)}", "[data-limit=loss][data-period=day]")
        limits = place.http("GET", "/v1/limits", token=people[currency].token).json["limits"]
        assert next(one["limit"] for one in limits if (one["name"], one["period"]) == ("loss", "day")) == minor, limits
        no_problems()
        pages.browser.ask("close", page.name)


def test_approvals():
    for currency, minor in WAITING.items():
        answer = operator(place, f"/players/{people[currency].number}/deposits", {"amount_minor": minor, "currency": currency, "reason": "a test"})
        assert answer.status == 202, (currency, answer)
    page = pages.Page("console", "/operator/")
    go(page, "approvals")
    for currency, minor in WAITING.items():
        shown(page, text_of(minor, currency), "[data-table=approvals]")
    no_problems()


def test_the_audit_log():
    """Amounts are in words with their currency; programs get its code, never its number."""
    page = pages.Page("console", "/operator/")
    go(page, "audit")
    for currency, minor in WAITING.items():
        shown(page, f"amount {text_of(minor, currency)}", "[data-table=audit]")
    rows = operator(place, "/audit?limit=500", None, method="GET").json["rows"]
    named = [row["content"]["currency"] for row in rows if "currency" in row["content"]]
    assert set(named) >= set(DIGITS) and all(isinstance(code, str) for code in named), named


def test_withdrawals():
    for currency, minor in HELD.items():
        people[currency].operator("withdrawals", {"amount_minor": minor, "currency": currency}, status=200)
    page = pages.Page("console", "/operator/")
    go(page, "withdrawals")
    for currency, minor in HELD.items():
        shown(page, text_of(minor, currency), "[data-table=queue]")
    no_problems()


def test_overview_reports_ledger_and_audit():
    """Each shows its figures, with all these players about."""
    page = pages.Page("console", "/operator/")
    for screen, there in (("overview", "#summary .tile"), ("reports", "select[name=period]"), ("ledger", "[data-table]"), ("ledger/all", "[data-table=postings] tbody tr"), ("audit", "[data-table=audit] tbody tr")):
        go(page, screen)
        page.see(f"document.querySelector('main {there}')")
        no_problems()
    go(page, "ledger/all")
    for currency in DIGITS:
        shown(page, text_of(DEPOSIT, currency), "[data-table=postings]")
    go(page, "reports")
    page.press("main button:has-text('Show')")  # today's, as it grows
    for currency in ("JPY", "KWD", "USDT"):
        shown(page, text_of(PLAY_MONEY * 10 ** DIGITS[currency] + DEPOSIT + TYPED[currency][1], currency), "[data-table=report-booked]")
    no_problems()


def test_the_player_s_page():
    """In the lobby each sees their balance, and which games cannot be played in their currency; such a game does not offer a bet."""
    for currency in DIGITS:
        page = pages.Page(f"player-{currency}", "/", apart=True)
        page.evaluate(code=f"sessionStorage.setItem('token', '{people[currency].token}')")
        page.reload()
        page.see("document.querySelector('#lobby #player')")
        shown(page, balance_of(currency), "#lobby header b")
        closed = page.evaluate(code="[...document.querySelectorAll('.gametile .tileclosed')].map((one) => one.innerText)")
        if currency == "EUR":
            assert closed == [], closed
        else:
            assert len(closed) > 3 and set(closed) == {f"This game cannot be played in {currency}, only in EUR or SEK."}, closed
            page.evaluate(code="location.hash = 'bewitched'")
            page.see("document.querySelector('#spin')?.ariaDisabled === 'true'")
            assert page.text(selector="#stake") == "–", page.text(selector="#stake")
            page.see(f"document.querySelector('#phase').innerText.includes('cannot be played in {currency}')")
        no_problems()
        pages.browser.ask("close", page.name)


if __name__ == "__main__":
    with opened("currencies", kafka=False) as place:
        inside(pages.Page("console", "/operator/"), "anna")
        pages.browser.ask("problems")  # that there was no session
        open_accounts()
        run(*[f for name, f in list(globals().items()) if name.startswith("test_")])
