#!/usr/bin/env python3
"""What is stored about one player cannot be read: the player is quarantined, everybody else plays, nothing restarts; put right and released, the player goes
on with all that was booked meanwhile."""
import json
import os
import subprocess

from lib_play import RULES, Person, force
from lib_stack import BIN, Installation, run, wait_until

place = None


def jackpotctl(*arguments):
    done = subprocess.run([f"{BIN}/jackpotctl", *arguments], env={**place.environment, **place.stack}, cwd=place.data, capture_output=True, text=True, timeout=60,
                          check=False)
    return done.returncode, done.stdout + done.stderr


def tried(person):
    """What a release says; None where the engine is too busy to try it while the tool waits."""
    said = jackpotctl("quarantine", "release", person.name)
    return None if "no engine has tried" in said[1] else said


def closed_bet(person):
    """A bet whose round is at its end."""
    force(place, person.name, RULES.stops())
    person.bet()
    assert person.round["closed"], person.round


def test_a_state_that_cannot_be_read():
    ill, well = Person(place, deposit=10000), Person(place, deposit=10000)
    closed_bet(ill)
    closed_bet(well)
    moved = ill.expect - 1
    wait_until("the checkpoint", lambda: place.sql(f"select last_move from engine.player where player = {ill.id}") == [[str(moved)]], 20)
    [[state]] = place.sql(f"select encode(state, 'hex') from engine.player where player = {ill.id}")
    before = place.status()["spin-engine-1"][2]
    place.hold("spin-engine-1")  # lest the next engine reads the state before it is spoilt
    place.kill("spin-engine-1")
    connected = "select pid from pg_stat_activity where application_name = 'spin-engine-1'"
    wait_until("the end of its last commit", lambda: place.sql(connected) == [], 20)
    place.sql(f"update engine.player set state = '\\xffff' where player = {ill.id} returning player", writer=True)
    place.release("spin-engine-1")
    wait_until("others' play", lambda: place.http("GET", f"/v1/state?game={well.game}", token=well.token).status == 200, 20)
    restarts = place.status()["spin-engine-1"][2]
    body, key = ill.bet_body(), os.urandom(8).hex()

    def answered():
        """Asked again where no engine has answered yet: of each shard the start may take another time."""
        answer = place.http("POST", "/v1/rounds", body, token=ill.token, key=key)
        return answer if answer.error.get("code") not in ("no_answer", "no_owner") else None
    refused = wait_until("an answer", answered, 20)
    assert (refused.status, refused.error["code"]) == (503, "account_quarantined"), refused
    closed_bet(well)
    wait_until("the list", lambda: jackpotctl("quarantine", "list")[0] == 1, 20)
    assert str(ill.id) in jackpotctl("quarantine", "list")[1]
    status, text = jackpotctl("quarantine", "list", "--json")
    assert status == 1 and [row["player"] for row in json.loads(text)["quarantined"]] == [str(ill.id)], text
    status, text = jackpotctl("quarantine", "show", ill.name)
    assert status == 0 and "engine.player" in text, text
    status, text = jackpotctl("quarantine", "show", ill.name, "--json")
    assert status == 0 and "engine.player" in json.loads(text)["quarantined"][0]["found"], text
    ill.deposit(777)  # the wallet knows the player as before
    status, text = wait_until("a try", lambda: tried(ill), 20)
    assert status == 1 and "stays in quarantine" in text, text
    closed_bet(well)
    place.sql(f"update engine.player set state = decode('{state}', 'hex') where player = {ill.id} returning player", writer=True)
    status, text = jackpotctl("quarantine", "release", ill.name)
    wait_until("the release", lambda: jackpotctl("quarantine", "list")[0] == 0, 20)
    assert (status == 0) == ("can play again" in text), text  # a busy engine's commit may take longer than the tool waits
    balance = ill.balance
    wait_until("the deposit", lambda: ill.refresh()["balance_minor"] >= balance, 20)
    [[booked]] = place.sql(f"select balance_after from wallet.journal where player = {ill.id} order by seq desc limit 1")
    assert ill.balance == int(booked), (ill.balance, booked)
    closed_bet(ill)
    assert jackpotctl("quarantine", "list") == (0, "no player is in quarantine\n")
    assert json.loads(jackpotctl("quarantine", "list", "--json")[1]) == {"quarantined": []}
    status, text = jackpotctl("quarantine", "show", ill.name, "--json")
    assert status == 1 and json.loads(text) == {"quarantined": [], "journal": []}, text
    assert place.status()["spin-engine-1"][2] == restarts and restarts <= before + 1, "the engine died of it"


def test_wrong_arguments():
    for arguments in (["quarantine"], ["quarantine", "show"], ["quarantine", "lift", "1-1"], ["quarantine", "list", "1-1"], ["quarantine", "release", "nobody"]):
        status, text = jackpotctl(*arguments)
        assert status == 2 and "expected" in text, (arguments, text)
    assert jackpotctl("quarantine", "release", "1-99")[0] == 1


if __name__ == "__main__":
    with Installation("quarantine") as place:
        run(test_a_state_that_cannot_be_read, test_wrong_arguments)
