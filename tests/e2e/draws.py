#!/usr/bin/env python3
"""What becomes of play when the system's source of random bytes breaks: under the engine, as a library of a broken machine would do it, for the engine itself
has no way to be told to. Nothing is born of bad numbers, what is open can be finished, and only the operator starts play again."""
import os
import subprocess
import urllib.error
import urllib.request

from lib_play import RULES, Person, force, operator
from lib_stack import Installation, eventually, read_text, run

# randombytes_buf of libsodium: good for so many salts (its calls for 16 bytes), the same bytes for ever afterwards. Longer requests are good unless none is.
BROKEN = """
#include <stddef.h>
#include <string.h>
#include <sys/random.h>
void randombytes_buf(void *const out, const size_t count)
{
	static int salts;
	int good = GOOD_SALTS > 0 && (count != 16 || salts++ < GOOD_SALTS);
	if (!good || getrandom(out, count, 0) != (ssize_t)count)
		memset(out, 0x5a, count);
}
"""
FORCED_MAX = 24  # draws of a script (PLAYER_FORCED_MAX)
place = None
sound = None  # the set-up as it was written
LATER = ("no_answer", "no_owner", "busy", "starting")  # nothing is decided yet: an engine starts, or is busy


def engine_with(good_salts=None):
    """The engine anew, over a source that is good for so many salts; None: the machine's own."""
    place.deaths.allow("spin-engine-1", [70], "random numbers that fail their tests, and the restart that an operator asks for, end it")
    text = sound
    if good_salts is not None:
        library = f"{place.data}/broken-{good_salts}.so"
        with open(f"{place.data}/broken.c", "w", encoding="ascii") as file:
            file.write(BROKEN)
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", f"-DGOOD_SALTS={good_salts}", "-o", library, f"{place.data}/broken.c"], check=True, timeout=60)
        text = "\n".join(line.replace(" : ", f" LD_PRELOAD={library} : ", 1) if line.startswith("spin-engine-1 ") else line for line in sound.splitlines()) + "\n"
    place.configure(text, ["spin-engine-1"])


def healthz():
    address = place.sql("select health from carillon.instance where name = 'spin-engine-1'")[0][0]
    try:
        with urllib.request.urlopen(f"http://{address}/healthz", timeout=40) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()
    except OSError as error:
        return 0, str(error)


def bet(person):
    """Status and code of a bet, asked again by its key until there is an answer."""
    body, key = person.bet_body(), os.urandom(8).hex()

    def decided():
        answer = place.http("POST", "/v1/rounds", body, token=person.token, key=key)
        return answer if answer.error.get("code") not in LATER else None
    answer = eventually("an answer", decided, 30)
    if isinstance(answer.json, dict) and answer.json.get("expect") is not None and answer.status != 422:
        person.state = {**person.state, **{k: v for k, v in answer.json.items() if k != "error"}}
    return answer.status, answer.error.get("code")


def started(game, reason):
    """What the operator who starts it is told, asked again while the database cannot be read."""
    path, body = f"/games/{game}/start", {"reason": reason}
    return eventually("an answer", lambda: next((a for a in [operator(place, path, body)] if a.status != 503), None), 20)


def log():
    return read_text(f"{place.data}/log/spin-engine-1.log")


def test_failed_draws_stop_only_play():
    watcher, gambler, person = (Person(place) for _ in range(3))
    force(place, watcher.name, [*RULES.stops(bonuses=3), RULES.vial_value("money", 15, {"lines": 1, "coins": 1})])
    watcher.bet(1, 1, 1)
    assert watcher.round["next"] == "pick"
    force(place, gambler.name, RULES.stops(win=True, bet={"coin_minor": 1, "lines": 1, "coins": 1}))
    gambler.bet(1, 1, 1)
    assert gambler.round["next"] == "gamble"
    force(place, person.name, *[RULES.stops()] * 10)  # nothing won, nothing left to do
    eventually("the engine's health", lambda: healthz() == (200, "ok\n"), 20)
    engine_with(good_salts=6)
    booked = 0
    while True:
        before = person.expect, person.balance
        status, code = bet(person)
        if status != 200:
            break
        booked += 1
        assert booked <= 8, "a source that stands still was not noticed"
    assert (status, code) == (503, "draws_stopped"), (status, code)
    state = eventually("the state", person.refresh, 20)
    assert (state["expect"], state["balance_minor"]) == before, "what was refused costs nothing and spends no number"
    assert bet(person) == (503, "draws_stopped")
    status, text = healthz()
    assert status == 503 and "random numbers: salts: repeated" in text, (status, text)
    alarms = [line for line in log().splitlines() if '"level":"error"' in line and "ALARM random numbers: salts: repeated" in line]
    assert len(alarms) == 1, "told once"
    assert place.sql("select game, reason from engine.stopped_game") == [["0", "random numbers: salts: repeated"]]
    # What is open is finished: a feature is picked and watched, a win is collected; a gamble would be a draw.
    answer = gambler.place.http("POST", f"/v1/rounds/{gambler.round['round']}/actions", gambler.action_body("gamble", choice=0), token=gambler.token, key="one-more")
    assert (answer.status, answer.error.get("code")) == (503, "draws_stopped"), answer
    pending, balance = gambler.round["pending_minor"], gambler.balance
    gambler.act("collect")
    assert gambler.balance == balance + pending and gambler.round["closed"]
    watcher.watch()
    assert watcher.round["closed"] and watcher.balance == 100000 - 1 + 15, watcher.state


def test_play_stays_stopped_until_the_operator_starts_it():
    person = Person(place)
    force(place, person.name, *[RULES.stops()] * 10)
    engine_with()
    assert eventually("an answer", lambda: next((a for a in [bet(person)] if a[0] != 200), None), 30) == (503, "game_stopped")
    assert eventually("the engine's health", lambda: healthz()[0] == 200, 20)
    reason = "the source was looked into"
    assert started("bewitched", reason).status == 409, "it is not this game that is stopped"
    answer = started("all", reason)
    assert answer.status == 200 and answer.json == {"game": "all", "was": "random numbers: salts: repeated"}, answer
    assert eventually("play", lambda: bet(person)[0] == 200, 20)


def test_engine_with_draw_fault_restarts():
    person = Person(place)
    force(place, person.name, *[RULES.stops()] * 12)
    engine_with(good_salts=6)
    eventually("the fault", lambda: bet(person) == (503, "draws_stopped"), 30)
    before = place.pid("spin-engine-1")
    assert started("all", "a test").status == 200
    eventually("another engine", lambda: place.pid("spin-engine-1") not in (before, 0), 20)
    assert "an operator started all games again" in log()
    eventually("its health", lambda: healthz()[0] == 200, 20)
    assert place.sql("select count(*) from engine.stopped_game") == [["0"]]
    engine_with()
    eventually("the state", person.refresh, 20)  # the engine starts
    assert eventually("play", lambda: bet(person)[0] == 200, 30)


def test_engine_needs_healthy_draws():
    already = len(log())
    engine_with(good_salts=0)
    eventually("a refusal to start", lambda: "random numbers: found salts: repeated in the first 4096 bytes" in log()[already:], 20)
    assert "expected bytes that pass the health tests" in log()[already:]
    engine_with()
    person = Person(place)
    assert eventually("play", lambda: bet(person)[0] == 200, 30)


def test_a_script_of_too_many_draws_is_skipped():
    """The log tells, the bet has the stream's draws, and the next bet has the next script."""
    person = Person(place, deposit=100000)
    bet_ = {"coin_minor": 1, "lines": 1, "coins": 1}
    force(place, person.name, [0] * (FORCED_MAX + 1), RULES.stops(win=True, bet=bet_), [*RULES.stops(), *[0] * (FORCED_MAX - len(RULES.stops()))])
    told = f"player {person.id}: found a script of {FORCED_MAX + 1} draws, expected at most {FORCED_MAX}: the script is skipped"
    assert eventually("play", lambda: bet(person)[0] == 200, 30)
    eventually("a line about it", lambda: told in log(), 20)
    while (person.refresh().get("round") or {"closed": True})["closed"] is False:  # whatever the stream has brought
        if person.round["next"] in ("pick", "next"):
            person.watch()
        elif person.round["next"] == "gamble":
            person.act("collect")
        person.awarded()
    assert bet(person)[0] == 200 and person.round["next"] == "gamble", person.round
    person.act("collect")
    assert bet(person)[0] == 200 and person.round["closed"], person.round
    assert log().count("the script is skipped") == 1, "a script of the most draws is played"
    assert place.sql(f"select count(*) from engine.forced_draw where player = {person.id} and used is null") == [["0"]]


def test_books_balance():
    report = place.verify()
    assert report["ledger_ok"] and report["pools_ok"], report


if __name__ == "__main__":
    with Installation("draws", kafka=False) as place:
        sound = read_text(f"{place.data}/run/supervisor.conf")
        try:
            run(*[f for name, f in list(globals().items()) if name.startswith("test_")])
        except SystemExit as status:
            if status.code:
                raise
