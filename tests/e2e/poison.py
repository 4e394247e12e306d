#!/usr/bin/env python3
"""Commands that kill their service, among others at play: the third death quarantines one, it is refused, and play goes on; an operator finds it and releases
it. What kills a wallet here is a row that Postgres does not take, as a fault in a statement would make it: the wallet ends at each commit that holds it."""
import concurrent.futures
import json
import subprocess
import time

from lib_patience import time_out
from lib_play import Person
from lib_stack import BIN, Installation, eventually, run

place = victim = body = None
KEY = "the-bet-that-kills"


def jackpotctl(*words):
    done = subprocess.run([f"{BIN}/jackpotctl", *words], cwd=place.data, env={**place.environment, **place.stack},
                          capture_output=True, text=True, timeout=time_out(30), check=False)
    return done.returncode, done.stdout, done.stderr


def listed():
    code, out, err = jackpotctl("commands", "--json")
    assert code in (0, 1), (code, err)
    return [row for row in json.loads(out)["commands"] if row["quarantined"]]


def readiness(service):
    """What /readyz of each instance of a service says."""
    addresses = [address for (address,) in place.sql(f"select health from carillon.instance where service = '{service}'")]
    return [subprocess.run(["curl", "-s", "-w", "%{http_code}", f"http://{address}/readyz"], capture_output=True, text=True, timeout=60, check=False).stdout
            for address in addresses]


def bet():
    """The bet by its key, asked for again where no answer came in time."""
    def answered():
        answer = place.http("POST", "/v1/rounds", body, token=victim.token, key=KEY)
        return answer if answer.status != 504 else None
    return eventually("an answer", answered, 20)


def poison(player, state="P0001"):
    place.deaths.allow("wallet-.*", [70], "the database refuses its row")
    place.sql(f"""create or replace function wallet.refuse_row() returns trigger language plpgsql as
                  $$ begin raise exception 'this row is not taken' using errcode = '{state}'; end $$;
                  create trigger refuse_row before insert on wallet.journal for each row
                  when (new.player = {player} and new.kind = 2) execute function wallet.refuse_row()""", writer=True)


def mended():
    place.sql("drop trigger refuse_row on wallet.journal", writer=True)


def pids(service):
    return [row[0] for row in place.sql(f"select pid from carillon.instance where service = '{service}' order by name")]


def test_a_server_that_fails_is_no_evidence():
    """A full disk ends the wallet at each commit, and leaves the connection as it is."""
    unlucky = Person(place, deposit=100000)
    poison(unlucky.id, state="53100")
    body = unlucky.bet_body(coin=1, lines=1, coins=1)

    def ends():
        return int(place.sql("select max(epoch) from carillon.shard where service = 'wallet'")[0][0])
    first = ends()
    with concurrent.futures.ThreadPoolExecutor() as pool:
        answer = pool.submit(place.http, "POST", "/v1/rounds", body, token=unlucky.token, key="the-unlucky-bet")
        eventually("six ends of the wallet", lambda: ends() > first + 6, 60)
        mended()
        assert answer.result().status in (200, 504), answer.result()
    last = eventually("the bet", lambda: (lambda a: a if a.status == 200 else None)(
        place.http("POST", "/v1/rounds", body, token=unlucky.token, key="the-unlucky-bet")), 60)
    assert listed() == [], "nothing is quarantined"
    assert place.sql("select count(*) from carillon.command_death where service = 'wallet'") == [["0"]]
    assert place.sql(f"select round, refusal from wallet.journal where player = {unlucky.id} and kind = 2") == [[str(last.json["round"]["round"]), "0"]]


def test_the_third_death_quarantines_it():
    global victim, body
    victim = Person(place, deposit=100000)
    others = place.players(players=20, think_time=50, seconds=600, first_player=50000)
    eventually("play", lambda: others.settled() > 200, 30)
    poison(victim.id)
    before = pids("wallet")
    began = time.monotonic()
    answers = []
    body = victim.bet_body(coin=1, lines=1, coins=1)

    def quarantined():
        answers.append(place.http("POST", "/v1/rounds", body, token=victim.token, key=KEY))
        return answers[-1].json["error"]["code"] == "quarantined"
    eventually("the bet to be quarantined", quarantined, 60)
    print(f"measured: refused after {time.monotonic() - began:.1f} s, answers {[a.status for a in answers]}")
    assert answers[-1].status == 503, answers[-1]
    assert pids("wallet") != before
    after = pids("wallet")
    rounds = others.settled()
    again = bet()
    assert (again.status, again.json["error"]["code"]) == (503, "quarantined"), again
    eventually("others at play", lambda: others.settled() > rounds + 200, 20)
    assert pids("wallet") == after, "nobody dies of it any more"
    others.finish()


def test_an_operator_sees_it():
    rows = listed()
    assert len(rows) == 1 and rows[0]["service"] == "wallet" and rows[0]["deaths"] == "3" and len(rows[0]["command"]) > 100, rows
    assert any("ok; 1 commands are quarantined" in said and said.endswith("200") for said in readiness("wallet")), readiness("wallet")
    code, _, err = jackpotctl("commands", "release", "00" * 16)
    assert code == 1 and "expected the id of a quarantined command" in err, (code, err)


def test_released_it_takes_effect_once():
    mended()
    code, out, err = jackpotctl("commands", "release", listed()[0]["id"])
    assert code == 0, (out, err)
    eventually("a quiet readiness, though nobody has sent it again", lambda: all("quarantined" not in said for said in readiness("wallet")), 20)
    first = eventually("the bet", lambda: (lambda a: a if a.status == 200 else None)(bet()), 20)
    second = bet()
    assert second.status == 200 and second.json["round"]["round"] == first.json["round"]["round"], (first, second)
    assert place.sql(f"select count(*) from wallet.journal where player = {victim.id} and kind = 2") == [["1"]]
    assert jackpotctl("commands")[0] == 0
    place.verify()


if __name__ == "__main__":
    with Installation("poison") as place:
        try:
            run(*[f for name, f in list(globals().items()) if name.startswith("test_")])
        except SystemExit as status:
            if status.code:
                raise
