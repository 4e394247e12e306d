#!/usr/bin/env python3
"""jackpotctl as an operator's hand, on a running installation: every command that asks the gateway, with --json and with a wrong argument, and what its actions
print as JSON where they work on the database. What needs two waits for another key, and is not done around it."""
import datetime
import functools
import itertools
import json
import os
import re
import subprocess

from lib_play import GAME, RULES, SECOND_KEY, Person, force, operator, second_key
from lib_stack import BIN, Installation, eventually, run

REASON = ("--reason", "a test")
EUR = ("--currency", "EUR")
LARGE = "1000001"  # just above what is booked alone
SILENT = 10  # a provider says nothing to an amount that ends so (tests/support/payment-stub)
UNKNOWN = "00" * 16
place = None
tried = set()


class Till(Installation):
    """What is stuck is old soon; webhooks may be sent to this machine; nothing here needs Kafka."""

    def start(self, scale=None):
        self.environment.update(CARILLON_PAYMENTS_MS="400", CARILLON_DECIDE_AFTER_S="1", CARILLON_WEBHOOK_INTERNAL="1")
        super().start(scale)


def call(*arguments):
    environment = {**place.environment, **place.stack, "JACKPOTCTL_GATEWAY": place.url}
    return subprocess.run([f"{BIN}/jackpotctl", *arguments], env=environment, capture_output=True, text=True, timeout=150, check=False)


@functools.lru_cache(None)
def page(*words):
    """Its help."""
    return call(*words, "--help").stdout


def commands():
    """words -> the page of help"""
    return {words: page(*words.split()) for words in re.findall(r"^  ([a-z -]+?)(?: [A-Z\[][\w|\]]*)*  +\S.*$", page(), re.M)}


def answered(*arguments, later="503 |504 |429 "):
    """Asks again what could not be answered just now."""
    return eventually(f"an answer to {arguments}", lambda: next((d for d in [call(*arguments)] if not re.search(rf"\(({later})", d.stderr)), None), 60)


def ctl(*arguments, status=0):
    """What it prints as JSON. It asks again, by the same key, what could not be answered just now."""
    words = [" ".join(arguments[:n]) for n in (3, 2, 1)]
    tried.update(words)
    if "--request" in page(*itertools.takewhile(lambda word: not word.startswith("-"), arguments[:2])) and "--request" not in arguments:
        arguments += ("--request", os.urandom(8).hex())
    done = answered(*arguments, "--json", later="503 |504 |429 |404 player_unknown")
    assert done.returncode == status and (not done.stderr or status in (1, 2)), (arguments, done)
    return json.loads(done.stdout) if done.stdout else None


def by(name):
    """The options of another key."""
    return ("--key", f"{place.data}/{name}.key")


def key_write(name, text):
    """A file that only its owner may read."""
    with open(f"{place.data}/{name}.key", "w", encoding="utf8", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
        file.write(f"{text}\n")


def refused(*arguments, code):
    """What the gateway does not do."""
    tried.add(" ".join(arguments[:2]))
    done = answered(*arguments)
    assert done.returncode == 1 and done.stderr.startswith(f"jackpotctl: {' '.join(arguments[:1])}") and f" {code})" in done.stderr and not done.stdout, (arguments, done)
    return done.stderr


def test_players():
    person = Person(place, deposit=10000)
    number, before = str(person.number), person.balance
    force(place, person.name, RULES.stops())
    person.bet(1, 15, 1)
    before -= 15
    assert ctl("player", "open", "777", *EUR) == {"player": "1-777", "currency": "EUR", "balance_minor": 0}
    eventually("the account", lambda: ctl("player", "show", number)["player"] == person.name, 60)
    everybody = eventually("two players", lambda: next((found for found in [ctl("player", "list")["players"]] if len(found) > 1), None), 60)
    one = ctl("player", "list", "--limit", "1")
    two = ctl("player", "list", "--limit", "1", "--cursor", one["next_cursor"])
    assert [p["player"] for p in one["players"] + two["players"]] == [p["player"] for p in everybody[:2]], (one, two)
    wrong = answered("player", "search", number, "--limit", "1", "--cursor", one["next_cursor"])
    assert wrong.returncode == 2 and "expected next_cursor of a page of this list" in wrong.stderr, wrong
    assert ctl("player", "list", "--after", number)["players"] == []
    assert person.name in [p["player"] for p in ctl("player", "search", number)["players"]]
    first = ctl("player", "deposit", number, "--amount", "5000", *EUR, *REASON, "--request", "deposit-1")
    assert first["balance_minor"] == before + 5000 and ctl("player", "deposit", number, "--amount", "5000", *EUR, *REASON, "--request", "deposit-1") == first
    refused("player", "deposit", number, "--amount", "5001", *EUR, *REASON, "--request", "deposit-1", code="other_content")
    assert ctl("player", "correct", number, "--amount", "-100", *EUR, *REASON)["balance_minor"] == before + 4900
    grant = ctl("player", "grant", number, "--amount", "200", *EUR)
    assert ctl("player", "grant-back", number, grant["id"], "--amount", "50", *EUR, *REASON)["balance_minor"] == before + 5050
    held = ctl("player", "withdraw", number, "--amount", "1000", *EUR)
    assert held["state"] == "held" and held["balance_minor"] == before + 4050
    eventually("the withdrawal", lambda: [w["id"] for w in ctl("player", "withdrawals", number)["withdrawals"]] == [held["id"]], 60)
    assert {e["kind"] for e in ctl("player", "history", number, "--kind", "money", "--from", "2020-01-01")["entries"]} >= {"deposit", "correction", "grant"}
    assert [e["kind"] for e in ctl("player", "history", number, "--kind", "round", "--game", GAME, "--limit", "5")["entries"]] == ["round"]
    assert ctl("player", "history", number, "--kind", "round", "--wins")["entries"] == []
    assert ctl("player", "limit", number, "loss", "--period", "day", "--amount", "100000", *EUR)["limit"] == "loss"
    assert ctl("player", "limit", number, "time", "--seconds", "3600", *EUR)["limit"] == "time"
    assert ctl("player", "exclude", number, "--until", "2040-01-02T03:04:05", *EUR, *REASON)["limit"] == "exclusion"
    until = int(datetime.datetime(2040, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc).timestamp())
    eventually("the limits", lambda: {limit["limit"]: limit.get("until_s") for limit in ctl("player", "limits", number)["limits"]} == {"loss": None, "time": None, "exclusion": until}, 60)
    excluded = ("--in-state", "excluded", *EUR)
    eventually("the last play", lambda: ctl("player", "show", number)["played_us"], 120)
    assert [p["player"] for p in ctl("player", "search", number, *excluded, "--played-from", "2020-01-01")["players"]] == [person.name]
    assert ctl("player", "search", number, *excluded, "--played-before", "2020-01-01")["players"] == [] and person.name not in [p["player"] for p in ctl("player", "list", "--in-state", "active")["players"]]
    assert {s["end"] for s in eventually("the session", lambda: ctl("player", "sessions", number)["sessions"], 60)} == {"open"}
    note = ctl("player", "note", number, "They called.")
    assert note["text"] == "They called." and eventually("the note", lambda: ctl("player", "notes", number)["notes"], 60) == [note]
    assert ctl("player", "block", number, *REASON) == {"blocked": True} and ctl("player", "unblock", number, *REASON) == {"blocked": False}
    text = answered("player", "show", number)
    assert text.returncode == 0 and f"player                   {person.name}\n" in text.stdout, text


def test_a_player_is_pseudonymised():
    person = Person(place)
    number = str(person.number)
    ctl("player", "correct", number, "--amount", str(-person.balance), *EUR, *REASON)
    eventually("the account", lambda: place.sql(f"select 1 from wallet.account where player = {person.id}"), 60)
    refused("player", "pseudonymise", number, *REASON, code="player_not_settled")
    ctl("player", "block", number, *REASON)
    left = f"select gateway.player_left({person.id}) is null"
    for word, status in (("refuse", "refused"), ("approve", "done")):
        eventually("an account that rests", lambda: place.sql(left, writer=True) == [["t"]], 60)
        asked = ctl("player", "pseudonymise", number, *REASON, status=3)["id"]
        refused(word, "pseudonym", number, asked, *REASON, code="same_approver")
        assert ctl(word, "pseudonym", number, asked, *REASON, *by("second"))["status"] == status
    eventually("the account", lambda: ctl("player", "show", number)["pseudonymised_us"], 60)


def test_bonus_spins():
    number = str(Person(place).number)
    given = ctl("spins", "give", number, GAME, *EUR, "--coin", "1", "--lines", "15", "--coins", "1", "--spins", "5", "--expires", "2040-01-01")["id"]
    eventually("the spins", lambda: [(s["id"], s["left"]) for s in ctl("spins", "list", number)["bonus_spins"]] == [(given, 5)], 60)
    assert ctl("spins", "end", number, given, *REASON)["seq"] > 0
    refused("spins", "end", number, given, *REASON, code="bonus_spins_over")
    spins = ("spins", "give", number, GAME, *EUR, "--coin", "100", "--lines", "15", "--coins", "7", "--spins", "100", "--expires", "2040-01-01")
    assert ctl(*spins, status=3)["status"] == "waiting"


def test_rounds():
    person = Person(place, deposit=10000)
    number = str(person.number)
    force(place, person.name, RULES.stops(), [*RULES.stops(bonuses=3), 0])
    person.bet(1, 15, 1)
    lost = str(person.told[-1]["round"])
    assert ctl("round", "show", number, lost)["round"]["round"] == int(lost)
    assert ctl("round", "void", number, GAME, lost, *REASON)["stake_returned_minor"] == 15
    assert [v["round"] for v in eventually("the void", lambda: ctl("round", "voids", number)["voids"], 60)] == [int(lost)]
    assert ctl("round", "void-sums")["voids"] and "unfinished" in ctl("round", "unfinished")
    person.refresh()
    person.bet(1, 15, 1)
    won = str(person.round["round"])
    found = eventually("the lost round", lambda: [r for r in ctl("round", "list", "--player", number, "--round", lost, "--to", "2040-01-01", "--limit", "5")["rounds"] if r["void"] and not r["open"]], 60)
    assert [r["round"] for r in found] == [int(lost)] and ctl("round", "find", found[0]["id"])["rounds"] == found, found
    pages = ctl("round", "list", "--player", number, "--limit", "1")
    assert [r["round"] for r in pages["rounds"]] == [int(won)], pages
    assert [r["round"] for r in ctl("round", "list", "--player", number, "--limit", "1", "--cursor", pages["next_cursor"])["rounds"]] == [int(lost)]
    eventually("the open round", lambda: int(won) in [r["round"] for r in ctl("round", "open")["rounds"] if r["player"] == person.name], 60)
    assert ctl("round", "list", "--player", number, "--win", "1", *EUR, "--game", GAME, "--from", "2020-01-01")["rounds"] == [] == ctl("round", "list", "--player", number, "--jackpot")["rounds"]
    eventually("the award", lambda: place.sql(f"select amount from wallet.journal where kind = 24 and player = {person.id}"), 60)
    asked = ctl("round", "void", number, GAME, won, "--award", *REASON, status=3)
    assert asked["id"] in [r["id"] for r in ctl("voids")["requests"]]
    refused("approve", "void", number, asked["id"], code="same_approver")
    refused("refuse", "void", number, UNKNOWN, *REASON, code="void_unknown")
    assert ctl("approve", "void", number, asked["id"], *by("second"))["awards_minor"] > 0


def test_withdrawals():
    for word, state in (("release", "released"), ("capture", "paid")):
        number = str(Person(place, deposit=10000).number)
        hold = ctl("player", "withdraw", number, "--amount", str(4000 + SILENT), *EUR)["id"]
        eventually("it to be listed", lambda: hold in [w["id"] for w in ctl("withdrawal", "list")["withdrawals"]], 60)
        eventually("it to be stuck", lambda: hold in [w["id"] for w in ctl("withdrawal", "stuck", "--limit", "500")["withdrawals"]], 60)
        eventually("the question to the provider", lambda: place.sql(f"select asked from payments.payout where id = '\\x{hold}'") == [["t"]], 60)
        refused("withdrawal", word, number, hold, *REASON, code="payment_asked")
        refused("withdrawal", "approve", number, hold, *REASON, code="review_not_waiting")
        assert ctl("withdrawal", word, number, hold, "--force", *REASON)["seq"] > 0
        eventually("it to be settled", lambda: ctl("withdrawal", "show", number, hold)["state"] == state, 60)


def decided(asked, approve, refuse):
    """The first is approved, the second refused, by another key; by the same one neither."""
    first, second = asked
    for what, name in ((approve, first), (refuse, second)):
        refused(*what, name, *(REASON if what is refuse or what[1] == "amount" else ()), code="same_approver")
    eventually("the list", lambda: {first, second} <= {a["id"] for a in ctl("approvals")["approvals"] if a["mine"]}, 60)
    done = ctl(*approve, first, *(REASON if approve[1] == "amount" else ()), *by("second"))
    assert ctl(*refuse, second, *REASON, *by("second"))["status"] == "refused"
    return done


def test_what_needs_two():
    person = Person(place, deposit=1000000)
    number, before = str(person.number), person.balance
    deposits = [ctl("player", "deposit", number, "--amount", LARGE, *EUR, *REASON, status=3)["id"] for _ in range(2)]
    assert decided(deposits, ("approve", "amount"), ("refuse", "amount"))["balance_minor"] == before + int(LARGE)
    taken = ctl("player", "withdraw", number, "--amount", LARGE, *EUR, status=3)["id"]
    assert ctl("player", "show", number)["balance_minor"] in (before, before + int(LARGE))  # up to a second behind
    assert ctl("refuse", "amount", taken, *REASON, *by("second"))["status"] == "refused"
    adjust = json.dumps({"currency": "EUR", "coin_minor": 1, "delta_minor": 5})
    actions = [ctl("pool", "adjust", "1", "--parameters", adjust, *REASON, status=3)["id"] for _ in range(2)]
    assert decided(actions, ("approve", "pool", "1"), ("refuse", "pool", "1"))["done"]
    rates = [ctl("rate", "set", currency, "3.1", *REASON, status=3)["id"] for currency in ("KWD", "BHD")]
    assert decided(rates, ("approve", "rate"), ("refuse", "rate"))["status"] == "set"
    assert [r["rate"] for r in eventually("the rate", lambda: ctl("rate", "list", "--currency", "KWD", "--limit", "5")["rates"], 60)] == ["3.1"]
    text = answered("player", "deposit", number, "--amount", LARGE, *EUR)
    assert text.returncode == 3 and "another user or key must approve it" in text.stdout, text


def test_pools():
    assert {1, 2} <= {p["pool"] for p in ctl("pool", "list")["pools"]} and ctl("pool", "show", "1")["pool"] == 1
    assert ctl("pool", "pause", "1", *REASON)["done"] and ctl("pool", "resume", "1", *REASON)["done"]
    assert [a["action"] for a in ctl("pool", "actions", "1", "--limit", "2")["actions"]] == ["resume", "pause"]
    assert "transfers" in ctl("pool", "transfers", "1") and ctl("pool", "history", "1", "--step", "hour", "--from", "2026-01-01")["step"] == "hour"
    assert ctl("pool", "forecast", "1", "--hours", "2")["hours"] == 2
    for words, pool, parameters in (
            ("terms", "1", {"currency": "EUR", "coin_minor": 20, "seed_minor": 40100}), ("take-part", "1", {"takes_part": True}),
            ("odds", "2", {"currency": "EUR", "in": 1, "of": 10000000000, "game": GAME, "operator": 1}), ("weights", "2", {"weights": [0, 0, 0, 1], "game": GAME, "operator": 1}),
            ("create", "40", {"pool": "winter", "contribution_ppm": 20000, "base_coin_eur_minor": 1000, "games": [GAME],
                              "rows": {"EUR": {"row_rate_nano": 1000000000, "seeds": [{"coin": 20, "seed": 5000}]}}})):
        assert ctl("pool", words, pool, "--parameters", json.dumps(parameters), *REASON)["done"], words
    asked = ctl("pool", "retire", "40", "--parameters", '{"rest":{"pool":1}}', *REASON, status=3)["id"]
    assert ctl("refuse", "pool", "40", asked, *REASON, *by("second"))["status"] == "refused"


def test_reports():
    assert ctl("overview")["shards"] and "points" in ctl("ledger", "show") and ctl("ledger", "proof")["state"]
    assert ctl("report", "list", "--period", "day", "--limit", "3")["gaming_day"]["zone"]
    assert "points" in ctl("report", "series", "--step", "hour", "--game", GAME, *EUR)
    games = eventually("what was played", lambda: next((found for found in [{p["game"] for p in ctl("report", "series", "--step", "hour", "--by", "game", *EUR)["points"]}] if GAME in found), None), 60)
    assert "all" not in games, games
    day = (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=20)).strftime("%Y-%m-%d")
    assert ctl("report", "gaming-day", "Europe/Stockholm", "6", day, *REASON) == {"zone": "Europe/Stockholm", "start_hour": 6, "from_day": day}
    assert ctl("game", "show", GAME, "--from", "2026-01-01")["game"] == GAME
    found = eventually("the audit", lambda: ctl("audit", "--actor", "operator-1 key", "--limit", "2")["rows"], 60)
    assert all(row["actor"].startswith("operator-1 key ") for row in found), found
    assert {p["account"] for p in ctl("ledger", "postings", "--account", "CASH", "--limit", "2", *EUR)["postings"]} == {"CASH"}
    folder = f"{place.data}/exported"
    os.mkdir(folder)
    assert ctl("report", "export", "--folder", folder)["folder"].startswith(folder)
    assert call("report", "verify", f"{folder}/none.json", "--json").returncode == 1


def test_users():
    assert ctl("user", "add", "una", "--roles", "viewer")["password"] and ctl("user", "add", "una", "--roles", "viewer", status=1)["done"] is False
    assert ctl("user", "reset", "una")["password"] and ctl("user", "reset", "nobody", status=1)["done"] is False
    assert ctl("user", "roles", "una", "--roles", "support,finance", *REASON)["roles"] == ["support", "finance"]
    assert ctl("user", "roles", "nobody", "--roles", "viewer", *REASON, status=1)["done"] is False
    found = eventually("the audit", lambda: ctl("audit", "--action", "user roles", "--limit", "2")["rows"], 60)
    assert [row["subject"] for row in found] == ["user una"] and found[0]["actor"] == "jackpotctl", found
    for what in ("disable", "enable", "end-sessions"):
        assert ctl("user", what, "una", *REASON)["name"] == "una", what
    assert ctl("user", "sessions")["sessions"] == [] and ctl("user", "end-session", "others", *REASON) == {"ended": 0}
    refused("user", "disable", "nobody", *REASON, code="user_unknown")
    assert {u["name"]: u["roles"] for u in ctl("user", "list")["users"]}["una"] == ["support", "finance"]


def test_keys_and_webhooks():
    made = ctl("key", "add", "till", "--read-only")
    assert re.fullmatch("[0-9a-f]{64}", made["key"]) and len(made["id"]) == 8 and made["done"]
    eventually("the gateway to know it", lambda: call("key", "expire", made["id"], "--keep", "1000", *REASON).returncode == 0, 60)
    assert ctl("key", "expire", made["id"], "--keep", "900", *REASON)["id"] == made["id"]
    after = ctl("key", "rotate", made["id"])
    assert after["name"] == "till" and after["id"] != made["id"] and ctl("key", "end", after["id"])["done"] and ctl("key", "end", after["id"], status=1)["done"] is False
    add = ("webhooks", "add", "--url", "http://127.0.0.1:9/hook", *REASON, "--request", "a-webhook", "--kinds")
    made = ctl(*add, "hit")
    hook = str(made["id"])
    assert ctl(*add, "hit") == made
    refused(*add, "payout", code="other_content")
    assert ctl("webhooks", "change", hook, "--kinds", "hit,game", *REASON)["id"] == int(hook)
    assert ctl("webhooks", "rotate", hook, "--keep", "60", *REASON)["secret"]
    assert ctl("webhooks", "resend", hook, "all", status=1) == {"done": False, "message": "0 events will be sent again", "events": "0"}
    event = ctl("webhooks", "test", hook)["event"]
    assert [(one["event"], one["kind"]) for one in ctl("webhooks", "waiting", hook)["events"]] == [(event, "test")] and ctl("webhooks", "sent", hook)["events"] == []
    assert ctl("webhooks", "skip", hook, "another", *REASON) == {"events": 0} and ctl("webhooks", "skip", hook, event, *REASON) == {"events": 1}
    assert ctl("webhooks", "waiting", hook)["events"] == [] and [one["event"] for one in json.loads(call("webhooks", "dead", hook, "--json").stdout)["events"]] == [event]
    assert ctl("webhooks", "resend", hook, event) == {"done": True, "message": "1 event will be sent again", "events": "1"}
    refused("webhooks", "waiting", "1000000", code="webhook_unknown")
    refused("webhooks", "sent", "1000000", code="webhook_unknown")
    refused("webhooks", "skip", "1000000", "all", *REASON, code="webhook_unknown")
    assert ctl("webhooks", "end", hook, *REASON)["id"] == int(hook)


def test_services():
    assert ctl("game", "stop", GAME, *REASON)["done"] and ctl("game", "start", GAME, *REASON)["done"] and ctl("game", "start", GAME, *REASON, status=1)["done"] is False
    assert ctl("quarantine", "release", "1-17", status=1)["done"] is False
    assert call("commands", "release", UNKNOWN, "--json").returncode == 1


# What a command may need; of an option that is not here, a word.
GIVEN = {"--amount": "1", "--currency": "EUR", "--until": "2040-01-01", "--expires": "2040-01-01", "--parameters": "{}", "--coin": "1", "--lines": "1", "--coins": "1", "--spins": "1",
         "--roles": "viewer", "--url": "https://casino.example/", "--kinds": "hit"}


def test_every_command_and_wrong_arguments():
    """Each command that asks the gateway was tried; a wrong argument is told: what, where, what was found and what is expected."""
    asking = {words: text for words, text in commands().items() if "\nAsks: " in text}
    assert len(asking) > 70 and not set(asking) - tried, set(asking) - tried
    for words, text in asking.items():
        usage = " ".join(text.split("\n\n")[0].split())[len(f"usage: jackpotctl {words}"):]
        usage = re.sub(r"\[[^]]*\]", "", usage)  # what may be left out
        options = [part for option in re.findall("--[a-z-]+", usage) for part in (option, GIVEN.get(option, "x"))]
        arguments = re.sub("--[a-z-]+ [A-Z]+", "", usage).split()
        done = answered(*words.split(), *["?"] * len(arguments), *options, *(() if arguments else ("--operator", "0")))
        assert done.returncode in ((1, 2) if arguments else (2,)) and done.stderr.startswith("jackpotctl: ") and not done.stdout, (words, done)
        assert done.returncode == 1 or (": found " in done.stderr and ", expected " in done.stderr), (words, done)
    for options, told in ((("--gateway", "http://127.0.0.1:1"), "found no answer"), (("--key", "/none"), "found No such file or directory, expected a file that"),
                          (("--limit", "0"), "--limit: found '0', expected a number of entries from 1 to 2000")):
        done = answered("player", "list", *options)
        assert done.returncode == 2 and told in done.stderr and not done.stdout, done
    done = answered("player", "show", "1-17")
    assert done.returncode == 2 and "player: found 1-17, expected the player's number alone" in done.stderr, done
    for options, told in ((("--amount", "x"), "--amount: found 'x', expected a whole number of minor units"), (("--amount", "0"), "amount_minor: found 0, expected ")):
        done = answered("player", "deposit", "17", *options, *EUR)
        assert done.returncode == 2 and told in done.stderr, done
    done = answered("player", "exclude", "17", "--until", "tomorrow", *EUR)
    assert done.returncode == 2 and "--until: found 'tomorrow', expected YYYY-MM-DD or " in done.stderr, done
    key_write("wrong", "no key")
    done = answered("player", "list", *by("wrong"))
    assert done.returncode == 2 and " (401 " in done.stderr, done


def test_the_books():
    place.verify()


if __name__ == "__main__":
    with Till("ctl", kafka=False) as place:
        key_write("second", SECOND_KEY)
        second_key(place, lambda: operator(place, "/approvals", None, method="GET", operator_key=SECOND_KEY))
        run(*[f for name, f in list(globals().items()) if name.startswith("test_")])
