"""The operator's console for who looks at it: an installation with something on each screen, the screens, the forms of their actions, and the film of a question."""
import datetime
import os
import time

import lib_desk as console
import staff
from lib_play import RULES, Person, force, good, operator, pool_action
from lib_raw import deposit, letter, raw
from lib_screens import film_of
from lib_stack import eventually

SIZES = [(390, 844), (1366, 768)]
# The buttons of the screen that open a form; of those with one text, the first.
FORMS = "[...new Map([...document.querySelectorAll('main button[aria-haspopup=dialog]:not(:disabled)')].reverse().map((one) => [one.innerText, one])).values()].reverse()"


def people(place):
    """Who works here."""
    console.place = staff.place = place
    console.add("anna", "support,finance,jackpots,administrator")
    console.add("bert", "jackpots")
    console.add("fred", "support,finance")


def won_jackpot(place, person):
    """A round that has won the jackpot."""
    force(place, person.name, [*RULES.stops(bonuses=3), 0], RULES.stops(), RULES.stops(win=True, bet={"coin_minor": 1, "lines": 15, "coins": 1}))
    person.bet(1, 15, 1)
    number = person.round["round"]
    while person.round and person.round["next"] == "pick":
        person.act("pick", choice=len(person.round["picked"]) // 2)
    eventually("the award", lambda: place.sql(f"select amount from wallet.journal where kind = 24 and player = {person.id}"), 20)
    return number


def played(place):
    """A player who won a jackpot, lost, and waits for money; and on each screen something to look at."""
    person = Person(place, deposit=50000)
    number = won_jackpot(place, person)
    person.bet(1, 15, 1)
    person.bet(1, 15, 1)
    person.operator("withdrawals", {"amount_minor": 4000, "currency": "EUR"}, status=200)
    fred = staff.User("fred", "password of fred")
    fred.login()
    cared_for(fred, person)
    waiting(place, fred)
    offered(place)
    unread(place, person)
    return person, number


def done(user, path, body):
    """The same request until it is done, or waits for a second person: an account or a key may be so new that the gateway has not read it."""
    key = os.urandom(8).hex()
    answer = eventually(f"{path} {body}", lambda: next((a for a in [user.of(path, body, key=key)] if a.status != 404), None), 60)
    assert answer.status in (200, 201, 202), f"{path} {body}: {answer!r}"
    return answer.json


def cared_for(fred, person):
    """Notes, a limit, bonus spins, a voided round."""
    base = f"/players/{person.number}"
    for text in ("Called at 03:10: their jackpot of the night is not in the balance.",
                 "Called back at 03:25. It was paid at once, into the balance; the history has it as a line of its own.\nThey are content, and want a limit of 50.00 a day on losses."):
        done(fred, f"{base}/notes", {"text": text})
    done(fred, f"{base}/limits", {"limit": "loss", "period": "day", "amount_minor": 5000, "currency": "EUR", "reason": "the player asked for it"})
    spins = {"game": "bewitched", "currency": "EUR", "coin_minor": 1, "lines": 15, "coins": 1, "spins": 10, "expires_us": int((time.time() + 7 * 86400) * 1e6), "reason": "for the wait"}
    done(fred, f"{base}/bonus-spins", spins)
    done(fred, f"{base}/corrections", {"amount_minor": -77, "currency": "EUR", "reason": "a deposit was booked twice"})


def waiting(place, fred):
    """What waits for a second person: of each kind something, asked for by different people; and a withdrawal that its provider does not answer."""
    large, silent = Person(place, deposit=900000), Person(place, deposit=20000)
    void = {"game": "bewitched", "round": won_jackpot(place, large), "reason": "The reels stopped between two symbols.", "award": True}
    eventually("the request of a void", lambda: fred.of(f"/players/{large.number}/voids", void).status == 202, 60)
    done(fred, f"/players/{large.number}/deposits", {"amount_minor": 2500000, "currency": "EUR", "reason": "bank transfer 2026/11/4711, which came without a reference"})
    large.operator("withdrawals", {"amount_minor": 60000, "currency": "EUR"}, status=200)
    silent.operator("withdrawals", {"amount_minor": 4010, "currency": "EUR"}, status=200)
    done(fred, "/fx-rates", {"currency": "SEK", "rate": "0.0912", "reason": "the bank's rate of the day"})
    pool_action(place, 1, "adjust", {"currency": "EUR", "coin_minor": 1, "delta_minor": 100}, approved=False)


def offered(place):
    """An offer that lacks one game, keys and webhooks of back ends, a user who has never logged in, and a disabled one."""
    anna = staff.User("anna", "password of anna")
    anna.login()
    why = {"reason": "for the shop"}
    done(anna, "/offer", {"games": "bewitched,mystic-gem,mystery-elves,mona-lisa", "currencies": "EUR,SEK", "reason": "The Brewing Hour is not certified here yet."})
    done(anna, "/keys", {"name": "cashier of the shop", "scopes": "read,players,money", "amounts": "EUR:50000,SEK:600000", "days": 90, **why})
    key = done(anna, "/keys", {"name": "sportsbook", "scopes": "read", **why})
    done(anna, f"/keys/{key['id']}", {"action": "rotate", "keep_s": 86400, **why})
    hook = done(anna, "/webhooks", {"url": "https://casino.invalid/carillon/events", "kinds": "hit,large_win,payout,limit,game", **why})
    done(anna, f"/webhooks/{hook['id']}", {"action": "test", **why})
    for name in ("carl", "dora"):
        done(anna, "/users", {"name": name, "roles": "viewer"})
    done(anna, "/users/dora", {"action": "disable", **why})
    eventually("an answer of the webhook", lambda: place.sql("update gateway.webhook_delivery set dead = now() where answer is not null returning 1", writer=True), 60)
    reports(place)


def reports(place):
    """The list of sealed reports: copies of today's under the last two days. No day has ended yet."""
    today = datetime.datetime.now(datetime.timezone.utc).date()
    content = good(operator(place, f"/reports/day/{today}", None, method="GET"), "a report").raw.decode().replace("'", "''")
    for days, signed in ((2, "'\\x" + "00" * 64 + "', '\\x" + "00" * 32 + "'"), (1, "null, null")):
        place.sql("insert into gateway.report (operator, period, day, content, digest, signature, signer)"
                  f" select 1, 'day', date '{today}' - {days}, c, sha256(convert_to(c, 'UTF8')), {signed} from (values ('{content}')) v (c) on conflict do nothing", writer=True)


def unread(place, person):
    """Dead letters: one that may be sent again, one whose sender repeats it, one that nobody can read."""
    for number, (topic, payload, found) in enumerate((("wallet.commands", deposit(person, 4321), "no protobuf: a group ends that has not begun"),
                                                      ("jackpot.facts", b"\x08\x01", "the fact names no pool"), ("wallet.commands", b"\xff\xfe not a message", "no protobuf"))):
        raw(place, "dead.letters", letter(topic, payload, found, offset=1200 + number), [0], "wallet")
    eventually("the letters", lambda: int(place.sql("select count(*) from gateway.dead_letter")[0][0]) >= 3, 60)


def screens_of(person, number):
    """The addresses of all screens, those of one player, one round and one jackpot among them."""
    today = datetime.datetime.now(datetime.timezone.utc).date()
    return [*console.SCREENS, "jackpots/2", f"players/{person.number}", f"players/{person.number}/{number}", f"reports/day-{today}"]


def picture_of(screen, person):
    """The name of a screen's picture, the same in each installation and on each day."""
    at = screen.replace(f"players/{person.number}/", "round/").replace(f"players/{person.number}", "player")
    return "round" if at.startswith("round/") else "report" if at.startswith("reports/") else at.replace("/", "-")


def each_form(page):
    """Opens the form of each action of the screen; yields its title while it is open."""
    for at, title in enumerate(page.evaluate(code=f"{FORMS}.map((one) => one.innerText)")):
        page.evaluate(code=f"{FORMS}[{at}].click()")
        page.see("document.querySelector('dialog[open]')")
        yield title
        page.evaluate(code="document.querySelector('dialog[open] [aria-label=Close]').click()")
        page.see("!document.querySelector('dialog')")


def moments(page, person, take):
    """What is seen only after a press: a person's data saved, dead events, where to go, and what an action has changed."""
    console.go(page, f"players/{person.number}")
    page.press("button[name=export]")
    page.see("/Saved:/.test(document.querySelector('main').innerText)")
    take(page, "player-exported", whole=False)
    console.go(page, "webhooks")
    page.press("[aria-label^='Dead events']")
    page.see("document.querySelector('[data-table=dead]')")
    take(page, "webhooks-dead")
    page.key(key="Control+k")
    page.see("document.querySelector('#palette-0')")
    take(page, "palette", whole=False)
    page.fill(selector="[name=go]", value=str(person.number))
    page.see("document.querySelectorAll('#palette-found li').length === 1")
    take(page, "palette-player", whole=False)
    page.key(key="Escape")
    page.see("!document.querySelector('dialog')")
    console.go(page, "jackpots/4")
    console.do(page, "Pause", reason="a look at its books")
    console.send(page)
    page.see("/Done/.test(document.querySelector('dialog')?.innerText)")
    take(page, "outcome", whole=False)
    console.done(page)
    console.go(page, "jackpots/4")
    take(page, "jackpots-4-paused", whole=False)


def asked_and_found(page, folder, person, number):
    """\"My jackpot of last night is missing\": from the player's number to the proof of the round, filmed."""
    console.go(page, "overview")
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
