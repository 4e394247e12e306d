#!/usr/bin/env python3
"""What is stored about one player, pool or set cannot be read: it alone is quarantined, everybody else plays, nothing restarts; put right and released, it goes
on with all that was booked meanwhile."""
import json
import os
import subprocess

from lib_play import RULES, Person, force, operator, pool_action
from lib_stack import BIN, Installation, eventually, run

place = None


def jackpotctl(*arguments):
    done = subprocess.run([f"{BIN}/jackpotctl", *arguments], env={**place.environment, **place.stack}, cwd=place.data, capture_output=True, text=True, timeout=60,
                          check=False)
    return done.returncode, done.stdout + done.stderr


def readiness(service):
    """What /readyz of each instance of a service says."""
    addresses = [address for (address,) in place.sql(f"select health from carillon.instance where service = '{service}'")]
    return [subprocess.run(["curl", "-s", f"http://{address}/readyz"], capture_output=True, text=True, timeout=60, check=False).stdout for address in addresses]


def tried(person):
    """What a release says; None where the service is too busy to try it while the tool waits."""
    said = jackpotctl("quarantine", "release", person.name)
    return None if "has tried" in said[1] else said


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
    eventually("the checkpoint", lambda: place.sql(f"select last_move from engine.player where player = {ill.id}") == [[str(moved)]], 20)
    [[state]] = place.sql(f"select encode(state, 'hex') from engine.player where player = {ill.id}")
    before = place.status()["spin-engine-1"][2]
    place.hold("spin-engine-1")  # lest the next engine reads the state before it is spoilt
    place.kill("spin-engine-1")
    connected = "select pid from pg_stat_activity where application_name = 'spin-engine-1'"
    eventually("the end of its last commit", lambda: place.sql(connected) == [], 20)
    place.sql(f"update engine.player set state = '\\xffff' where player = {ill.id} returning player", writer=True)
    place.release("spin-engine-1")
    eventually("others' play", lambda: place.http("GET", f"/v1/state?game={well.game}", token=well.token).status == 200, 20)
    restarts = place.status()["spin-engine-1"][2]
    body, key = ill.bet_body(), os.urandom(8).hex()

    def answered():
        """Asked again where no engine has answered yet: of each shard the start may take another time."""
        answer = place.http("POST", "/v1/rounds", body, token=ill.token, key=key)
        return answer if answer.error.get("code") not in ("no_answer", "no_owner") else None
    refused = eventually("an answer", answered, 20)
    assert (refused.status, refused.error["code"]) == (503, "account_quarantined"), refused
    closed_bet(well)
    eventually("the list", lambda: jackpotctl("quarantine", "list")[0] == 1, 20)
    eventually("the note", lambda: any("1 players are quarantined" in text for text in readiness("spin-engine")), 20)
    assert str(ill.id) in jackpotctl("quarantine", "list")[1] and not listed()
    status, text = jackpotctl("quarantine", "list", "--json")
    assert status == 1 and [row["player"] for row in json.loads(text)["quarantined"]] == [str(ill.id)], text
    status, text = jackpotctl("quarantine", "show", ill.name)
    assert status == 0 and "engine.player" in text, text
    status, text = jackpotctl("quarantine", "show", ill.name, "--json")
    assert status == 0 and "engine.player" in json.loads(text)["quarantined"][0]["found"], text
    ill.deposit(777)  # the wallet knows the player as before
    status, text = eventually("a try", lambda: tried(ill), 20)
    assert status == 1 and "stays in quarantine" in text, text
    closed_bet(well)
    place.sql(f"update engine.player set state = decode('{state}', 'hex') where player = {ill.id} returning player", writer=True)
    status, text = jackpotctl("quarantine", "release", ill.name)
    eventually("the release", lambda: jackpotctl("quarantine", "list")[0] == 0, 20)
    assert (status == 0) == ("can play again" in text), text  # a busy engine's commit may take longer than the tool waits
    balance = ill.balance
    eventually("the deposit", lambda: ill.refresh()["balance_minor"] >= balance, 20)
    [[booked]] = place.sql(f"select balance_after from wallet.journal where player = {ill.id} order by seq desc limit 1")
    assert ill.balance == int(booked), (ill.balance, booked)
    closed_bet(ill)
    assert jackpotctl("quarantine", "list") == (0, "nothing is in quarantine\n")
    assert json.loads(jackpotctl("quarantine", "list", "--json")[1]) == {"quarantined": [], "pools": []}
    status, text = jackpotctl("quarantine", "show", ill.name, "--json")
    assert status == 1 and json.loads(text) == {"quarantined": [], "journal": []}, text
    assert place.status()["spin-engine-1"][2] == restarts and restarts <= before + 1, "the engine died of it"


def spoil(name, *statements):
    """While no such service runs."""
    place.hold(name)
    place.kill(name)
    connected = f"select pid from pg_stat_activity where application_name = '{name}'"
    eventually("the end of its last commit", lambda: place.sql(connected) == [], 60)
    for statement in statements:
        place.sql(statement, writer=True)
    place.release(name)


def pools_out():
    return [(int(row["pool"]), row["found"]) for row in json.loads(jackpotctl("quarantine", "list", "--json")[1])["pools"]]


def put_back(pool, *statements):
    """Released once in vain, then put right and released."""
    def released(said):
        status, text = jackpotctl("quarantine", "release", f"pool:{pool}")
        return said in text
    eventually("a release in vain", lambda: released("stays in quarantine"), 60)
    assert [out for out, _ in pools_out()] == [pool]
    for statement in statements:
        place.sql(statement, writer=True)
    eventually("the release", lambda: released("can be played for again") or not pools_out(), 60)
    eventually("an empty list", lambda: not pools_out(), 60)


def pause(pool):
    """False: it is asked, and the pool's service has not answered yet."""
    pool_action(place, pool, "pause")
    return False


def test_a_pool_that_cannot_be_read():
    """Its jackpot is won meanwhile: it is paid after the release, once."""
    lucky, pool = Person(place, deposit=100000), 1
    turn = f"update pool.row set r_e27 = -1 - r_e27 where pool = {pool} returning pool"
    spoil("progressive-pool-1", turn)
    eventually("the pool in quarantine", lambda: [out for out, _ in pools_out()] == [pool], 60)
    assert "stored rows are not valid" in pools_out()[0][1] or "identity" in pools_out()[0][1], pools_out()
    eventually("the note", lambda: any("1 pools are quarantined" in text for text in readiness("progressive-pool")), 60)
    restarts = place.status()["progressive-pool-1"][2]
    force(place, lucky.name, [*RULES.stops(bonuses=3), 0])
    lucky.bet_through(coin=100)
    lucky.watch()
    claim = f"select count(*), count(closed_seq), coalesce(sum(paid_minor), 0) from wallet.claim where player = {lucky.id} and kind = 1"
    assert place.sql(claim)[0][:2] == ["1", "0"], place.sql(claim)
    closed_bet(Person(place, deposit=1000))
    status, text = jackpotctl("quarantine", "show", f"pool:{pool}", "--json")
    assert status == 0 and int(json.loads(text)["pools"][0]["claims_open"]) == 1, text
    asked = eventually("a refusal", lambda: place.sql(f"select done, refusal from pool.operator_action where pool = {pool}") or pause(pool), 60)
    assert asked[0][0] == "f" and "quarantined" in asked[0][1], asked
    put_back(pool, turn)
    eventually("the jackpot", lambda: place.sql(claim)[0][:2] == ["1", "1"], 60)
    paid = place.sql(claim)[0][2]
    assert int(paid) > 0 and place.sql(f"select count(*) from wallet.journal where player = {lucky.id} and kind = 24") == [["1"]], paid
    assert place.sql(f"select count(*), sum(paid_minor) from pool.hit where player = {lucky.id}") == [["1", paid]]
    assert place.status()["progressive-pool-1"][2] == restarts, "the service died of it"
    place.verify()


def test_a_set_that_cannot_be_read():
    set_ = int(place.sql("select pool from cards.card_set order by pool limit 1")[0][0])
    turn = f"update cards.level set hits = -1 - hits where pool = {set_} and level = 2 returning pool"
    spoil("jackpot-cards-1", turn)
    eventually("the set in quarantine", lambda: [out for out, _ in pools_out()] == [set_], 60)
    eventually("the note", lambda: any("1 sets are quarantined" in text for text in readiness("jackpot-cards")), 60)
    closed_bet(Person(place, deposit=1000))
    put_back(set_, turn)
    place.verify()


def listed():
    """Players whom the wallet has quarantined, and what it found."""
    return {int(row["player"]): row for row in json.loads(jackpotctl("quarantine", "list", "--json")[1])["quarantined"] if row["service"] == "wallet"}


def checkpointed(person):
    """wallet.account, when it includes all that was booked for the player."""
    asked = ("select shard, balance, last_move, last_seq, last_day, pendings from wallet.account a where last_seq = (select max(seq) from wallet.journal j"
             f" where j.player = a.player) and player = {person.id}")
    return eventually("the checkpoint", lambda: place.sql(asked), 60)[0]


def refused(person):
    """A bet and a deposit of a quarantined player."""
    body, key = person.bet_body(), os.urandom(8).hex()

    def answered(ask):
        answer = ask()
        return answer if answer.error.get("code") not in ("no_answer", "no_owner") else None
    for ask in (lambda: place.http("POST", "/v1/rounds", body, token=person.token, key=key),
                lambda: operator(place, f"/players/{person.number}/deposits", {"amount_minor": 5, "currency": "EUR"}, key)):
        answer = eventually("an answer", lambda: answered(ask), 60)
        assert (answer.status, answer.error["code"]) == (503, "account_quarantined"), answer


def stays_out(person, why):
    status, text = eventually("a try", lambda: tried(person), 60)
    assert status == 1 and "stays in quarantine" in text and why in text, text


def taken_back(person):
    """Released; the player goes on from the newest row."""
    eventually("the release", lambda: "can play again" in jackpotctl("quarantine", "release", person.name)[1] or not listed(), 60)
    eventually("an empty list", lambda: not listed(), 60)
    [[newest]] = place.sql(f"select balance_after from wallet.journal where player = {person.id} order by seq desc limit 1")
    assert person.refresh()["balance_minor"] == int(newest)
    person.deposit(100)
    closed_bet(person)


def booked(person):
    return place.sql(f"select max(seq) from wallet.journal where player = {person.id}")[0][0]


def test_an_account_that_cannot_be_read():
    """Some of the player's rows are behind the checkpoint, as after a crash: the account is rolled forward at the release."""
    ill, well, key = Person(place, deposit=10000), Person(place, deposit=10000), os.urandom(8).hex()
    closed_bet(ill)
    shard, balance, move, seq, day, pendings = checkpointed(ill)
    first = ill.deposit(777, key)
    closed_bet(ill)
    newest = checkpointed(ill)[3]
    assert int(newest) > int(seq)
    spoil("wallet-1", f"update wallet.account set balance = {balance}, last_move = {move}, last_seq = {seq}, last_day = '{day}', pendings = '{{7}}'"
          f" where player = {ill.id} returning player",
          f"update wallet.batch set checkpoint = least(checkpoint, {seq}) where shard = {shard} and batch = (select max(batch) from wallet.batch where shard = {shard})"
          " returning batch")
    eventually("the player in quarantine", lambda: ill.id in listed(), 60)
    assert "pendings: found '{7}'" in listed()[ill.id]["found"] and listed()[ill.id]["seq"] == newest, listed()
    eventually("the note", lambda: any("1 players are quarantined" in text for text in readiness("wallet")), 60)
    restarts = place.status()["wallet-1"][2]
    refused(ill)
    assert ill.deposit(777, key)["balance_minor"] == first["balance_minor"]  # what was booked is still told
    closed_bet(well)
    closed_bet(Person(place, deposit=1000))
    status, text = jackpotctl("quarantine", "show", ill.name, "--json")
    assert status == 0 and json.loads(text)["quarantined"][0]["service"] == "wallet" and json.loads(text)["journal"][0]["seq"] == newest, text
    stays_out(ill, "pendings")
    place.kill("wallet-1")
    closed_bet(Person(place, deposit=1000))
    assert list(listed()) == [ill.id] and place.sql(f"select wallet.newest_of({ill.id}, {shard})") == [[newest]]
    place.sql(f"update wallet.account set pendings = '{pendings}', balance = balance + 1 where player = {ill.id} returning player", writer=True)
    stays_out(ill, f"expected those of row {seq} of the journal")
    refused(ill)
    assert booked(ill) == newest
    place.sql(f"update wallet.account set balance = balance - 1 where player = {ill.id} returning player", writer=True)
    taken_back(ill)
    assert checkpointed(ill)[1] == str(ill.refresh()["balance_minor"])
    assert place.status()["wallet-1"][2] == restarts + 1, "the wallet died of it"
    place.verify()


def test_limits_that_cannot_be_read():
    ill = Person(place, deposit=10000)
    closed_bet(ill)
    newest = checkpointed(ill)[3]
    spoil("wallet-1", f"insert into wallet.player_limit select player, shard, array_fill(null::bigint, array[47]) from wallet.account where player = {ill.id} returning player")
    refused(ill)
    eventually("the player in quarantine", lambda: ill.id in listed(), 60)
    assert "wallet.player_limit" in listed()[ill.id]["found"] and listed()[ill.id]["seq"] == newest, listed()
    closed_bet(Person(place, deposit=1000))
    stays_out(ill, "wallet.player_limit")
    assert booked(ill) == newest
    place.sql(f"delete from wallet.player_limit where player = {ill.id} returning player", writer=True)
    taken_back(ill)
    place.verify()


def test_limits_that_are_lost():
    """Who has set a limit is not released without it."""
    ill = Person(place, deposit=10000)
    limit = {"limit": "loss", "period": "day", "amount_minor": 5000, "currency": "EUR", "reason": "a test"}
    answer = operator(place, f"/players/{ill.number}/limits", limit, os.urandom(8).hex())
    assert answer.status == 200, answer
    closed_bet(ill)
    shard = checkpointed(ill)[0]
    [[state]] = place.sql(f"select state from wallet.player_limit where player = {ill.id}")
    spoil("wallet-1", f"update wallet.player_limit set state = array_fill(null::bigint, array[47]) where player = {ill.id} returning player")
    refused(ill)
    eventually("the player in quarantine", lambda: ill.id in listed(), 60)
    place.sql(f"delete from wallet.player_limit where player = {ill.id} returning player", writer=True)
    stays_out(ill, "has set a limit")
    place.sql(f"insert into wallet.player_limit (player, shard, state) values ({ill.id}, {shard}, '{state}') returning player", writer=True)
    taken_back(ill)
    place.verify()


def claimant():
    """Has claimed a jackpot; the pool is away."""
    lucky = Person(place, deposit=100000)
    place.hold("progressive-pool-1")
    place.kill("progressive-pool-1")
    force(place, lucky.name, [*RULES.stops(bonuses=3), 0])
    lucky.bet_through(coin=100)
    lucky.watch()
    return lucky


def test_a_jackpot_of_a_quarantined_player():
    """The pool prices it, the claim waits, and it is paid once, after the release."""
    lucky = claimant()
    pendings = checkpointed(lucky)[5]
    spoil("wallet-1", f"update wallet.account set pendings = '{{7}}' where player = {lucky.id} returning player")
    place.release("progressive-pool-1")
    hit = f"select count(*), coalesce(sum(paid_minor), 0) from pool.hit where player = {lucky.id}"
    eventually("the hit", lambda: place.sql(hit)[0][0] == "1", 60)
    eventually("the player in quarantine", lambda: lucky.id in listed(), 60)
    closed_bet(Person(place, deposit=1000))
    claim = f"select count(*), count(closed_seq), coalesce(sum(paid_minor), 0) from wallet.claim where player = {lucky.id} and kind = 1"
    assert place.sql(claim) == [["1", "0", "0"]], place.sql(claim)
    place.sql(f"update wallet.account set pendings = '{pendings}' where player = {lucky.id} returning player", writer=True)
    eventually("the release", lambda: "can play again" in jackpotctl("quarantine", "release", lucky.name)[1] or not listed(), 60)
    eventually("the jackpot", lambda: place.sql(claim)[0][:2] == ["1", "1"], 60)
    assert place.sql(claim)[0][2] == place.sql(hit)[0][1] != "0" and place.sql(hit)[0][0] == "1"
    assert place.sql(f"select count(*) from wallet.journal where player = {lucky.id} and kind = 24") == [["1"]]
    place.verify()


def test_a_claim_that_cannot_be_read():
    """The player of the claim waits, and the jackpot is paid after the release. The pool reads the claim, too, when it starts: later."""
    lucky = claimant()
    newest = checkpointed(lucky)[3]
    claim = f"select kind, count(closed_seq) from wallet.claim where player = {lucky.id} group by kind"
    assert place.sql(claim) == [["1", "0"]], place.sql(claim)
    spoil("wallet-1", f"update wallet.claim set kind = 7 where player = {lucky.id} returning player")
    eventually("the player in quarantine", lambda: lucky.id in listed(), 60)
    assert "wallet.claim" in listed()[lucky.id]["found"] and "kind 7" in listed()[lucky.id]["found"], listed()
    refused(lucky)
    closed_bet(Person(place, deposit=1000))
    stays_out(lucky, "wallet.claim")
    assert booked(lucky) == newest
    place.sql(f"update wallet.claim set kind = 1, closed_seq = 1 where player = {lucky.id} returning player", writer=True)
    stays_out(lucky, "found closed_seq 1, expected an award of the player")
    other = Person(place, deposit=1000)
    place.sql(f"update wallet.claim set closed_seq = null, player = {other.id} where player = {lucky.id} returning player", writer=True)
    stays_out(lucky, "found another number of claims")
    place.sql(f"update wallet.claim set player = {lucky.id}, move = move + 1000 where player = {other.id} returning player", writer=True)
    stays_out(lucky, "expected those of row")
    place.sql(f"update wallet.claim set move = move - 1000 where player = {lucky.id} returning player", writer=True)
    eventually("the release", lambda: "can play again" in jackpotctl("quarantine", "release", lucky.name)[1] or not listed(), 60)
    eventually("an empty list", lambda: not listed(), 60)
    place.release("progressive-pool-1")
    eventually("the jackpot", lambda: place.sql(claim) == [["1", "1"]], 60)
    assert place.sql(f"select count(*) from wallet.journal where player = {lucky.id} and kind = 24") == [["1"]]
    place.verify()


def test_an_id_that_cannot_be_read():
    """Nothing tells whether a deposit with it is the one that was booked: it is not booked again."""
    ill, key = Person(place, deposit=1000), os.urandom(8).hex()
    first = ill.deposit(777, key)
    [[id_, content]] = place.sql(f"select encode(id, 'hex'), encode(content_hash, 'hex') from wallet.outside where player = {ill.id} order by seq desc limit 1")
    place.sql(f"update wallet.outside set content_hash = '\\x00' where id = '\\x{id_}' returning player", writer=True)
    asked = {"amount_minor": 777, "currency": "EUR"}
    answer = operator(place, f"/players/{ill.number}/deposits", asked, key)
    assert (answer.status, answer.error["code"]) == (503, "account_quarantined"), answer
    eventually("the player in quarantine", lambda: ill.id in listed(), 60)
    assert "content_hash of 1 bytes" in listed()[ill.id]["found"], listed()
    refused(ill)
    closed_bet(Person(place, deposit=1000))
    place.sql(f"update wallet.outside set content_hash = '\\x{content}' where id = '\\x{id_}' returning player", writer=True)
    taken_back(ill)
    assert ill.deposit(777, key)["balance_minor"] == first["balance_minor"]
    assert place.sql(f"select count(*) from wallet.journal where player = {ill.id} and amount = 777") == [["1"]]
    place.verify()


def test_a_script_of_too_many_draws():
    """It is skipped; the next one is played."""
    person = Person(place, deposit=1000)
    force(place, person.name, [0] * 5000, RULES.stops())
    person.bet_through()
    person.watch()
    assert place.sql(f"select count(*) from engine.forced_draw where player = {person.id} and used is null") == [["1"]]
    person.bet_through()
    assert person.round["closed"], person.round


def test_wrong_arguments():
    for arguments in (["quarantine"], ["quarantine", "show"], ["quarantine", "lift", "1-1"], ["quarantine", "list", "1-1"], ["quarantine", "release", "nobody"],
                      ["quarantine", "show", "pool:0"], ["quarantine", "release", "pool:x"]):
        status, text = jackpotctl(*arguments)
        assert status == 2 and "expected" in text, (arguments, text)
    for nobody in ("1-99", "pool:99"):
        assert jackpotctl("quarantine", "release", nobody)[0] == jackpotctl("quarantine", "show", nobody)[0] == 1


if __name__ == "__main__":
    with Installation("quarantine") as place:
        run(test_a_state_that_cannot_be_read, test_a_pool_that_cannot_be_read, test_a_set_that_cannot_be_read, test_an_account_that_cannot_be_read,
            test_limits_that_cannot_be_read, test_limits_that_are_lost, test_a_jackpot_of_a_quarantined_player, test_a_claim_that_cannot_be_read, test_an_id_that_cannot_be_read, test_a_script_of_too_many_draws, test_wrong_arguments)
