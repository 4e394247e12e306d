"""The actions of the operator's console, gathered from its source: whatever says where a form is sent, and whatever is sent without one. And the screens and
permissions, from the console and from the gateway's table, so that what a page offers can be held against both."""
import collections
import glob
import os
import re

from lib_stack import ROOT, read_text

WEB = f"{ROOT}/services/gateway/web/operator"
# Sent without a form of its own: the door, one's password, and the form itself, which sends every action.
FORM = ("parts.js", "action.path(values)")


def sources():
    return {os.path.basename(path): read_text(path) for path in sorted(glob.glob(f"{WEB}/*.js"))}


def closed(text, at):
    """Where what opens at `at` is closed."""
    depth = 0
    for i in range(at, len(text)):
        if text[i] in "([{":
            depth += 1
        elif text[i] in ")]}":
            depth -= 1
            if depth == 0:
                return i
    return len(text)


def extent(text, found):
    """The end of a declaration: the body of a function, or the statement."""
    at = found.end()
    if found.group(1) == "function":
        return closed(text, text.index("{", closed(text, text.index("(", at - 1))))
    while at < len(text) and text[at] != ";":
        at = closed(text, at) + 1 if text[at] in "([{" else at + 1
    return at


def declared(text):
    """name, begin, end of every function and constant."""
    return [(found.group(2), found.start(), extent(text, found)) for found in re.finditer(r"\b(const|function) (\w+)\b", text)]


def arguments(text, at):
    """Those of the call whose parenthesis is there, as texts."""
    parts, depth, begin, end = [], 0, at + 1, closed(text, at)
    for i in range(at + 1, end):
        if text[i] in "([{":
            depth += 1
        elif text[i] in ")]}":
            depth -= 1
        elif text[i] == "," and depth == 0:
            parts.append(text[begin:i].strip())
            begin = i + 1
    return [*parts, text[begin:end].strip()]


def variants(name, text):
    """The first word that each call gives, "" where it gives none."""
    found = set()
    for call in re.finditer(rf"(?<!function )(?<![.\w]){name}\(", text):
        words = [part[1:-1] for part in arguments(text, call.end() - 1) if re.fullmatch(r'"[a-z-]+"', part)]
        found.add(words[0] if words else "")
    return found or {""}  # it is no function


def gathered():
    """Every action: "file.js name" of what makes its form, with the word that tells it from others of that maker; and each request that is sent without a form."""
    found, files = set(), sources()
    for file, text in files.items():
        for path in re.finditer(r"\bpath: ", text):
            name = min(((end - begin, name) for name, begin, end in declared(text) if begin <= path.start() < end), default=(0, "?"))[1]
            callers = [other for other in files.values() if other is text or re.search(rf'import \{{[^}}]*\b{name}\b[^}}]*\}} from "/operator/{file}"', other)]
            words = set().union(*(variants(name, caller) for caller in callers))
            found |= {f"{file} {name} {word}".strip() for word in words}
        if re.search(r'import \{[^}]*\bact\b[^}]*\} from "/operator/ask.js"', text):
            for call in re.finditer(r"(?<![.\w])act\(", text):
                where = arguments(text, call.end() - 1)[0]
                if (file, where) != FORM and (where.startswith(('"', "`")) or "path" in where):
                    found.add(f"{file} sends {where.strip('`') if where.startswith('`') else where.strip(chr(34))}")
        found |= {f"{file} saves {arguments(text, call.end() - 1)[0].strip('`')}" for call in re.finditer(r"(?<!function )\bwholeOf\(", text)}
    return found


def screens():
    """address -> the permission that it needs, as the console has them; and whether it also shows one of its kind."""
    listed = re.search(r"const SCREENS = \[(.*?)\n\];", sources()["console.js"], re.S).group(1)
    return {name: permission for name, permission in re.findall(r'\["(\w+)", "[^"]+", "(\w+)", \w+(?:, \w+)?\]', listed)}


Permits = collections.namedtuple("Permits", "roles routes")  # role -> permissions; "POST /v1/.." -> permission


def permits():
    """The table of services/gateway/core/permits.c."""
    text = read_text(f"{ROOT}/services/gateway/core/permits.c")
    names = {name: re.findall(r'"(\w+)"', re.search(rf"{name}\[\w+ \+ 1\] = \{{(.*?)NULL", text, re.S).group(1)) for name in ("role_names", "permission_names")}
    reads = re.findall(r"BIT\(PERMIT_(\w+)\)", re.search(r"#define READS (.*)", text).group(1))
    of_role = {}
    for role, bits in re.findall(r"\[ROLE_(\w+)\] = (.*?),\n", re.search(r"of_role\[ROLES_N\] = \{\n(.*?)\};", text, re.S).group(1), re.S):
        of_role[role.lower()] = {bit.lower() for bit in [*reads, *re.findall(r"BIT\(PERMIT_(\w+)\)", bits)]}
    routes = {}
    for post, head, pattern, permission in re.findall(r'\{ (true|false), (PLAYER ?)?(?:"([^"]*)")?, PERMIT_(\w+) \}', text):
        routes[f"{'POST' if post == 'true' else 'GET'} {'/v1/operators/{}/players/{}' if head else ''}{pattern}"] = permission.lower()
    assert sorted(of_role) == sorted(names["role_names"]) and set(routes.values()) <= set(names["permission_names"]) and len(routes) > 70, (of_role, routes)
    return Permits(of_role, routes)


# routes: where it is sent. test: the one that sends it. at: screens that offer it while there is something to act on, with the button. also: what more its user needs.
Form = collections.namedtuple("Form", "routes test at also", defaults=((), frozenset()))
OPERATOR = "/v1/operators/{}"
PLAYER = f"{OPERATOR}/players/{{}}"
POOL = f"{OPERATOR}/pools/{{}}/actions"
APPROVALS = [f"{OPERATOR}/amounts/{{}}", f"{POOL}/{{}}", f"{OPERATOR}/fx-rates/{{}}", f"{PLAYER}/voids/{{}}", f"{PLAYER}/pseudonymise/{{}}"]
PROGRESSIVE, CARDS = "jackpots/1", "jackpots/2"


def one(route, test, *at, also=()):
    return Form([f"POST {route}"], test, at, frozenset(also))


def on_pool(button, *screens, test="console_forms.py test_jackpots"):
    return one(POOL, test, *((screen, button) for screen in screens or (PROGRESSIVE, CARDS)))


def for_player(what, test, button, screen="player"):
    return one(f"{PLAYER}/{what}", test, (screen, button))


def of_user(button, test="console_forms.py test_users"):
    return one(f"{OPERATOR}/users/{{}}", test, ("users", button))


def of_key(button, test="console_access.py test_keys"):
    return one(f"{OPERATOR}/keys/{{}}", test, ("keys", button))


def of_webhook(button, test="console.py test_webhooks"):
    return one(f"{OPERATOR}/webhooks/{{}}", test, ("webhooks", button))


def by_hand(button, test):
    return one(f"{PLAYER}/withdrawals/{{}}/decisions", test, *((screen, button) for screen in ("player", "withdrawals", "approvals")))


FORMS = {
    "approvals.js approve": Form([f"POST {route}/approve" for route in APPROVALS], "console.py test_approvals", (("approvals", "Approve"),)),
    "approvals.js refuse": Form([f"POST {route}/refuse" for route in APPROVALS], "console.py test_approvals", (("approvals", "Refuse"),)),
    "console.js sends /v1/operator/login": Form([], "console_access.py test_login"),
    "console.js sends /v1/operator/logout": one("/v1/operator/logout", "console_access.py test_another_operator"),
    "desk.js approve": one(f"{OPERATOR}/fx-rates/{{}}/approve", "console_forms.py test_rates", ("rates", "Approve")),
    "desk.js change disable": of_user("Disable"),
    "desk.js change enable": of_user("Enable"),
    "desk.js change end-sessions": of_user("End sessions"),
    "desk.js change reset": of_user("New password"),
    "desk.js change roles": of_user("Roles"),
    "desk.js make": one(f"{OPERATOR}/users", "console_access.py test_users", ("users", "New user")),
    "desk.js refuse": one(f"{OPERATOR}/fx-rates/{{}}/refuse", "console_forms.py test_rates", ("rates", "Refuse")),
    "desk.js sends /v1/operator/password": one("/v1/operator/password", "console_access.py test_users"),
    "desk.js sends /v1/operator/totp": one("/v1/operator/totp", "console_forms.py test_a_second_factor"),
    "desk.js set": one(f"{OPERATOR}/fx-rates", "console_forms.py test_rates", ("rates", "Set a rate")),
    "export.js saves ${base}/export": Form([f"GET {PLAYER}/export"], "player_file.py test_an_export_in_the_console", (("player", "Export all data"), ("blocked", "Export all data"))),
    "jackpots.js adjust": on_pool("Adjust", test="console.py test_a_jackpot_by_two"),
    "jackpots.js approve": one(f"{POOL}/{{}}/approve", "console.py test_a_jackpot_by_two", (PROGRESSIVE, "Approve")),
    "jackpots.js odds": on_pool("Odds", CARDS),
    "jackpots.js refuse": one(f"{POOL}/{{}}/refuse", "console_forms.py test_jackpots_by_two", (PROGRESSIVE, "Refuse")),
    "jackpots.js removeRow": on_pool("Remove a row", PROGRESSIVE, test="console_forms.py test_jackpots_by_two"),
    "jackpots.js retire": on_pool("Retire", PROGRESSIVE, test="console_forms.py test_jackpots_by_two"),
    "jackpots.js simple pause": on_pool("Pause"),
    "jackpots.js simple resume": on_pool("Resume"),
    "jackpots.js start": one(f"{OPERATOR}/games/{{}}/start", "console.py test_a_game_is_stopped", ("games", "Start again")),
    "jackpots.js stop": one(f"{OPERATOR}/games/{{}}/stop", "console.py test_a_game_is_stopped", ("games", "Stop"), ("games", "Stop all")),
    "jackpots.js takePart": on_pool("Take part or not"),
    "jackpots.js terms": on_pool("Change terms"),
    "jackpots.js weights": on_pool("Weights", CARDS),
    "keys.js change expire": of_key("End later", "console_forms.py test_keys_and_webhooks"),
    "keys.js change revoke": of_key("End now"),
    "keys.js change rotate": of_key("Replace"),
    "keys.js made": one(f"{OPERATOR}/keys", "console_access.py test_keys", ("keys", "New key")),
    "letters.js send": one(f"{OPERATOR}/dead-letters/{{}}/send", "console.py test_dead_letters", ("health", "Send again"), also=["money"]),  # of a booking
    "letters.js settle": one(f"{OPERATOR}/dead-letters/{{}}/settle", "console.py test_dead_letters", ("health", "Settle")),
    "notes.js noteAction": one(f"{PLAYER}/notes", "player_file.py test_notes_in_the_console", ("player", "Add a note"), ("blocked", "Add a note")),
    "offer.js change": one(f"{OPERATOR}/offer", "offers.py test_the_console_and_the_lobby", ("games", "Change the offer")),
    "parts.js sends /v1/operator/confirm": one("/v1/operator/confirm", "console_access.py test_the_password_again"),
    "players.js approveVoid": one(f"{PLAYER}/voids/{{}}/approve", "console.py test_a_void_with_its_jackpot_by_two", ("player", "Approve")),
    "players.js approveWithdrawal": one(f"{PLAYER}/withdrawals/{{}}/approve", "console_forms.py test_money"),
    "players.js blockAction": one(f"{PLAYER}/block", "console_forms.py test_care", ("player", "Block the player"), ("blocked", "End the block")),
    "players.js decideAction": by_hand("Give back", "console.py test_withdrawals_of_all_players"),  # the list and the approvals name the decision in a variable
    "players.js decideAction capture": by_hand("Paid", "console_forms.py test_money"),
    "players.js decideAction release": by_hand("Give back", "console.py test_withdrawals_of_all_players"),
    "players.js end": for_player("bonus-spins/{}/end", "console_forms.py test_care", "End"),
    "players.js limitAction": for_player("limits", "console_forms.py test_care", "Set a limit"),
    "players.js moneyAction corrections": for_player("corrections", "console_forms.py test_money", "Correct"),
    "players.js moneyAction deposits": for_player("deposits", "console.py test_a_player_is_cared_for", "Deposit"),
    "players.js moneyAction grants": for_player("grants", "console_forms.py test_money", "Grant bonus funds"),
    "players.js moneyAction withdrawals": for_player("withdrawals", "console_forms.py test_money", "Withdraw"),
    "players.js pseudonymAction": for_player("pseudonymise", "player_file.py test_a_player_is_pseudonymised_in_the_console", "Pseudonymise"),
    "players.js refuseVoid": one(f"{PLAYER}/voids/{{}}/refuse", "console_forms.py test_money", ("player", "Refuse")),
    "players.js spinsAction": for_player("bonus-spins", "console.py test_a_player_is_cared_for", "Give bonus spins"),
    "players.js voidAction": for_player("voids", "console.py test_a_void_with_its_jackpot_by_two", "Void a round"),
    "reports.js action": one(f"{OPERATOR}/gaming-day", "console.py test_reports", ("reports", "Change")),
    "sessions.js end": Form(["POST /v1/operator/sessions/{}", f"POST {OPERATOR}/user-sessions/{{}}"], "console_forms.py test_sessions", (("me", "End"), ("users", "End"))),
    "sessions.js end others": Form(["POST /v1/operator/sessions/{}", f"POST {OPERATOR}/user-sessions/{{}}"], "console_forms.py test_sessions",
                                   (("me", "End all others"), ("users", "End all others"))),
    "webhooks.js change change": of_webhook("Change", "console_forms.py test_keys_and_webhooks"),
    "webhooks.js change end": of_webhook("End it"),
    "webhooks.js change rotate": of_webhook("New secret"),
    "webhooks.js change test": of_webhook("Test"),
    "webhooks.js make": one(f"{OPERATOR}/webhooks", "console.py test_webhooks", ("webhooks", "New webhook")),
    "webhooks.js skip": one(f"{OPERATOR}/webhooks/{{}}/waiting", "console_forms.py test_keys_and_webhooks", ("waiting", "Skip")),
    "webhooks.js skip all": one(f"{OPERATOR}/webhooks/{{}}/waiting", "console_forms.py test_keys_and_webhooks", ("waiting", "Skip all")),
    "webhooks.js resend": one(f"{OPERATOR}/webhooks/{{}}/dead", "console_forms.py test_keys_and_webhooks", ("dead", "Send again")),
    "webhooks.js resend all": one(f"{OPERATOR}/webhooks/{{}}/dead", "console.py test_webhooks", ("dead", "Send all again")),
}
# What a player's screen offers while the player is blocked, too.
FORMS = {name: form._replace(at=(*form.at, *(("blocked", button) for screen, button in form.at
                                             if screen == "player" and button in ("Deposit", "Withdraw", "Grant bonus funds", "Correct", "Set a limit", "Give bonus spins", "Pseudonymise", "Void a round"))))
         for name, form in FORMS.items()}
# Routes that no form of the console is for.
NOT_HERE = {
    f"POST {PLAYER.rsplit('/', 1)[0]}": "accounts are opened by back ends",
    f"POST {OPERATOR}/sessions": "sessions of players are opened by back ends",
    f"POST {PLAYER}/grants/{{}}/back": "bonus funds are taken back by back ends and jackpotctl",
}
