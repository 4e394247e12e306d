"""The operator's console for who looks at it: an installation with something on each screen, the screens, the forms of their actions, and the film of a question."""
import time

import lib_desk as console
from lib_play import RULES, Person, force, pool_action
from lib_screens import film_of
from lib_stack import wait_until

SIZES = [(390, 844), (1366, 768)]
# The buttons of the screen that open a form; of those with one text, the first.
FORMS = "[...new Map([...document.querySelectorAll('main button[aria-haspopup=dialog]:not(:disabled)')].reverse().map((one) => [one.innerText, one])).values()].reverse()"


def people(place):
    """Who works here."""
    console.place = place
    console.add("anna", "support,finance,jackpots,administrator")
    console.add("bert", "jackpots")


def played(place):
    """A player who won a jackpot, lost, and waits for money; and an action that waits for a second person."""
    person = Person(place, deposit=50000)
    force(place, person.name, [*RULES.stops(bonuses=3), 0], RULES.stops(), RULES.stops(win=True, bet={"coin_minor": 1, "lines": 15, "coins": 1}))
    person.bet(1, 15, 1)
    number = person.round["round"]
    while person.round and person.round["next"] == "pick":
        person.act("pick", choice=len(person.round["picked"]) // 2)
    wait_until("the award", lambda: place.sql(f"select amount from wallet.journal where kind = 24 and player = {(1 << 48) + person.number}"), 20)
    person.bet(1, 15, 1)
    person.bet(1, 15, 1)
    person.operator("withdrawals", {"amount_minor": 4000, "currency": "EUR"}, status=200)
    pool_action(place, 1, "adjust", {"currency": "EUR", "coin_minor": 1, "delta_minor": 100}, approved=False)
    return person, number


def screens_of(person, number):
    """The addresses of all screens, those of one player, one round and one jackpot among them."""
    return [*console.SCREENS, "jackpots/2", f"players/{person.number}", f"players/{person.number}/{number}"]


def each_form(page):
    """Opens the form of each action of the screen; yields its title while it is open."""
    for at, title in enumerate(page.evaluate(code=f"{FORMS}.map((one) => one.innerText)")):
        page.evaluate(code=f"{FORMS}[{at}].click()")
        page.see("document.querySelector('dialog[open]')")
        yield title
        page.evaluate(code="document.querySelector('dialog[open] [aria-label=Close]').click()")
        page.see("!document.querySelector('dialog')")


def asked_and_found(page, folder, person, number):
    """\"My jackpot of last night is missing\": from the player's number to the proof of the round, filmed."""
    with film_of(page, "support", folder):
        time.sleep(1)
        page.press("nav a[href='#players']")
        page.fill(selector="input[name=number]", value=str(person.number))
        page.see("document.querySelectorAll('[data-table=players] tbody tr').length === 1")
        time.sleep(1)
        page.press("[data-table=players] tbody a")
        page.see("document.querySelector('[data-table=past] tbody tr')")
        time.sleep(1)
        page.select(selector="[name=only-kind]", value="jackpot")
        page.see("document.querySelectorAll('[data-table=past] tbody tr').length === 1")
        time.sleep(1)
        page.press(f"[data-table=past] a[href='#players/{person.number}/{number}']")
        page.see("/Drawn again from its record/.test(document.querySelector('#round-proof')?.innerText)")
        time.sleep(1)
        page.press(".steps li:nth-child(2) button")
        time.sleep(2)
        page.evaluate(code="document.querySelector('#round-proof').scrollIntoView({ block: 'center' })")
        time.sleep(2)
