#!/usr/bin/env python3
"""Proof that the ledger's proof can fail: a small ledger is played, closed and proven; then rows are changed behind the services' backs, one case after the
other. Each must be found by its own point and named with its row, from scratch and by the proof of what is new; undone, all must be in order again."""
import json
import os
import shutil
import signal
import subprocess
import tempfile

from lib_play import RULES, Person, force
from lib_stack import BIN, Installation, read_text, run, wait_until

BEWITCHED = "bewitched"
BET = {"coin_minor": 2, "lines": 5, "coins": 1}  # of bewitched
LOSS = RULES.stops()
JACKPOT = [*RULES.stops(bonuses=3), 0]  # the first of the vials' weights, at any bet
place = None


def sets_folder():
    """Cards that begin with every stake of ten crowns, on one level, and practically never with euros."""
    folder = tempfile.mkdtemp(prefix="carillon-sets-", dir=os.environ.get("CARILLON_TEST_TMP", "/tmp"))
    levels = [{"suit": s, "seed_eur_minor": [500, 1000, 2000, 4000][i], "wager_ppm": [2500, 1500, 700, 300][i], "weight": [1, 0, 0, 0][i]}
              for i, s in enumerate(["clubs", "diamonds", "hearts", "spades"])]
    with open(f"{folder}/cards.json", "w", encoding="utf-8") as file:
        json.dump({"set": "cards", "set_number": 2, "levels": levels, "odds": {"EUR": {"in": 1, "of": 1000000000}, "SEK": {"in": 1, "of": 1000}}}, file)
    return folder


class Ledger(Installation):
    def __init__(self):
        super().__init__("tamper")
        self.sets = sets_folder()
        self.environment.update(CARILLON_CARD_SETS=self.sets)

    def __exit__(self, *rest):
        super().__exit__(*rest)
        shutil.rmtree(self.sets, ignore_errors=True)


def prove(*options):
    """(status, {point: breaches}, the report) of the proof."""
    done = subprocess.run([f"{BIN}/jackpotctl", "ledger", "verify", "--json", *options], cwd=place.data, env={**place.environment, **place.stack},
                          capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode in (0, 1), (options, done.stdout, done.stderr)
    report = json.loads(done.stdout)
    return done.returncode, {p["point"]: p["breaches"] for p in report["points"] if not p["ok"]}, report


def in_order(*options):
    """Awards on their way, and what pools have not heard yet, get some seconds."""
    return wait_until("books in order", lambda: (lambda r: r[2] if r[0] == 0 else None)(prove(*options)), 20, pause=0.3)


def close_day():
    done = subprocess.run([f"{BIN}/jackpotctl", "ledger", "close-day", "--now"], cwd=place.data, env={**place.environment, **place.stack},
                          capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0 and "closed: " in done.stdout, (done.stdout, done.stderr)
    return done.stdout


def finish(person):
    while person.round and not person.round["closed"]:
        person.watch() if person.round["next"] in ("pick", "next") else person.act("collect")


def card_round(person):
    """One round of Jackpot Cards, to its payment."""
    person.bet(1000, 1, 1)
    finish(person)
    claim = person.state["cards"]
    card_id = f"{claim['move']}-{claim['index']}"
    wait_until("the card round", lambda: any(r["id"] == card_id for r in person.ask("GET", "/v1/cards", keep=False).json["rounds"]), 5)
    for n in range(1, 10):
        if person.ask("POST", f"/v1/cards/{card_id}/picks", {"pick": n, "position": n - 1}, keep=False).json["card_round"]["won"]:
            break
    wait_until("the award", lambda: place.sql(f"select 1 from wallet.claim where player = {person.id} and move = {claim['move']} and closed_seq is not null"), 10)


def spins_of(person, spins, used):
    body = {"game": BEWITCHED, "currency": "EUR", **BET, "spins": spins, "expires_us": 4000000000000000}
    gift = person.operator("bonus-spins", body, status=200).json["id"]
    wait_until("the gift in the state", lambda: any(g["id"] == gift for g in person.refresh()["bonus_spins"]), 5)
    for _ in range(used):
        force(place, person.name, LOSS)
        person.ask("POST", "/v1/rounds", {"game": BEWITCHED, "expect": person.expect, "bonus_spin": gift, "nonce": os.urandom(16).hex()})
    return gift


def play(people):
    """Something of everything: bets in two currencies, a jackpot, cards, bonus spins, pending money, deposits, withdrawals, refusals."""
    for person in people[:3]:
        force(place, person.name, LOSS, LOSS, LOSS)
        for _ in range(3):
            person.bet(2, 5, 1)
    force(place, people[0].name, JACKPOT)
    people[0].bet(2, 5, 1)
    finish(people[0])
    people[1].deposit(500)
    people[1].operator("withdrawals", {"amount_minor": 100, "currency": people[1].state["currency"]})
    people[1].operator("withdrawals", {"amount_minor": 99999999, "currency": people[1].state["currency"]})
    spins_of(people[0], 3, 2)
    force(place, people[2].name, RULES.stops(win=True, bet=BET))
    people[2].bet(2, 5, 1)
    card_round(people[3])


def stop_services():
    supervisor = int(read_text(f"{place.data}/run/supervisor.pid"))
    os.kill(supervisor, signal.SIGTERM)
    wait_until("the services to stop", lambda: not os.path.exists(f"/proc/{supervisor}"), 30)


def people_made():
    return [Person(place, currency=currency, deposit=1000000) for currency in ("EUR", "EUR", "EUR", "SEK")]


def test_a_ledger_is_played_and_proven():
    play(people_made())
    in_order()
    close_day()
    first = in_order("--since-last", "--state", "old.json")
    assert first["since"] == 0 and next(p for p in first["points"] if p["point"] == 9)["checked"] > 0, first


if __name__ == "__main__":
    with Ledger() as place:
        try:
            run(*[f for name, f in list(globals().items()) if name.startswith("test_")])
        except SystemExit as status:
            if status.code:
                raise
