"""What the tests of the operator's console share: an installation with users, and the hands of one who uses it."""
import contextlib
import subprocess

import lib_pages as pages
from lib_patience import let_time_pass, time_out
from lib_play import Person
from lib_stack import BIN, Installation

SCREENS = ("overview", "jackpots", "jackpots/1", "games", "games/bewitched", "players", "rounds", "withdrawals", "approvals", "reports", "ledger", "ledger/all", "rates", "audit", "users", "keys", "webhooks", "health", "me")
BROKEN = "!/undefined|NaN|\\[object|Invalid Date|[{]\"/.test(document.body.innerText)"  # nor JSON
place = None


class Desk(Installation):
    """What the provider has not answered may be decided at once."""

    def start(self, scale=None):
        self.environment.update(CARILLON_PAYMENTS_MS="400", CARILLON_DECIDE_AFTER_S="1", GATEWAY_STAFF_CONFIRM_S="3000")
        super().start(scale)


def add(name, roles, number=1):
    """A user whose password need not be changed."""
    path = f"{place.data}/{name}.password"
    with open(path, "w", encoding="utf8") as file:
        file.write(f"password of {name}\n")
    subprocess.run([f"{BIN}/jackpotctl", "user", "add", name, "--roles", roles, "--password-file", path, "--operator", str(number)], env={**place.environment, **place.stack}, timeout=time_out(15), check=True, capture_output=True)


def login(page, name, password=None, number=1):
    page.see("document.querySelector('input[name=name]')")
    page.fill(selector="input[name=operator]", value=str(number))
    page.fill(selector="input[name=name]", value=name)
    page.fill(selector="input[name=password]", value=password or f"password of {name}")
    page.press("button.main")


def inside(page, name, number=1):
    login(page, name, number=number)
    page.see(f"document.querySelector('nav a[href=\"#me\"]')?.innerText === '{name}'")


def out(page):
    page.press("nav button:has-text('Log out')")
    page.see("document.querySelector('input[name=name]')")


def go(page, screen):
    page.evaluate(code=f"location.hash = '{screen}'")
    page.see(f"document.querySelector('main') && !/Loading …/.test(document.querySelector('main').innerText) && document.querySelector('main').innerText.length > 40 && {BROKEN}")


def do(page, button, values=None, reason="a test"):
    """Opens an action, fills it in and sends it."""
    page.press(f"main button:has-text('{button}')")
    page.see("document.querySelector('dialog[open]')")
    for name, value in (values or {}).items():
        kind = page.evaluate(code=f"document.querySelector('dialog [name={name}]').tagName")
        (page.select if kind == "SELECT" else page.fill)(selector=f"dialog [name={name}]", value=value)
    if reason:
        page.fill(selector="dialog [name=reason]", value=reason)


def send(page):
    page.press("dialog button.main")


def done(page):
    page.see("/Done\\./.test(document.querySelector('dialog')?.innerText)")
    page.press("dialog button.main")
    page.see("!document.querySelector('dialog')")


def nothing_is_tried():
    """Makes all events dead; a try that was under way writes its own answer after that."""
    place.sql("update gateway.webhook_delivery set dead = now(), answer = 'no name'", writer=True)
    let_time_pass(2, "a try that was under way writes its answer")
    return place.sql("select count(*) from gateway.webhook_delivery where dead is null or answer is distinct from 'no name'", writer=True) == [["0"]]


@contextlib.contextmanager
def opened(name, **more):
    """An installation with players and users, anna among them, who may do everything; and a browser."""
    global place
    place = Desk(name, **more)
    with pages.browsing(place):
        for user, roles in (("anna", "support,finance,jackpots,administrator"), ("bert", "jackpots"), ("fred", "support,finance"), ("ella", "support"), ("finn", "finance"),
                            ("dora", "administrator")):
            add(user, roles)
        for _ in range(3):
            Person(place, deposit=100000)
        yield place
