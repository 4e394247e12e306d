#!/usr/bin/env python3
"""One Idempotency-Key used at the same moment for players of two wallet instances: one use is booked, the other is refused, and no process ends."""
import threading

from crash import owners, spread
from lib_play import Person, operator, pool_action
from lib_stack import Installation, eventually, run

TRIES = 20
AMOUNTS = (700, 900)  # which player's deposit was booked shows in the sum
place = None


def one_of_each_wallet():
    """A player of each wallet instance."""
    eventually("both wallets to share the shards", lambda: spread(place, "wallet", 2), 30)
    found = {}
    while len(found) < 2:
        person = Person(place)
        (shard,), = place.sql(f"select shard from wallet.journal where player = {person.id} limit 1")
        found.setdefault(owners(place, "wallet")[shard], person)
    return [found[name] for name in sorted(found)]


def at_once(*asks):
    """The answers to all, sent at the same moment."""
    answers, start = [None] * len(asks), threading.Barrier(len(asks))

    def send(i):
        start.wait()
        answers[i] = asks[i]()

    threads = [threading.Thread(target=send, args=(i,)) for i in range(len(asks))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def booked(person, kind):
    return [int(amount) for amount, in place.sql(f"select amount from wallet.journal where player = {person.id} and kind = {kind} and refusal = 0 order by seq")]


def balance(person):
    return int(place.sql(f"select balance_after from wallet.journal where player = {person.id} order by seq desc limit 1")[0][0])


def whole(restarts):
    """No process has ended, nothing is reserved any more, and the books are in order."""
    assert place.restarts() == restarts, f"found the starts {place.restarts()}, expected {restarts}: no process ends"
    eventually("an end of all reservations", lambda: place.sql("select * from carillon.reserved_id") == [], 5)
    place.verify()


def use_at_once(persons, what, kind, bodies):
    """Each try has one 200 and one 422; the same request once more has the same answer; the journal has what was answered 200, once."""
    before, was, expected = [booked(person, kind) for person in persons], [balance(person) for person in persons], [[], []]
    for number in range(TRIES):
        key = f"{what}-{number}"
        asks = [lambda i=i: operator(place, f"/players/{persons[i].number}/{what}", bodies[i], key) for i in (0, 1)]
        answers = at_once(*asks)
        assert sorted(answer.status for answer in answers) == [200, 422], f"{key}: found {answers}, expected one 200 and one 422"
        won = [answer.status for answer in answers].index(200)
        assert answers[1 - won].error["code"] == "other_content", answers[1 - won]
        expected[won].append(bodies[won]["amount_minor"])
        again = [ask() for ask in asks]
        assert [answer.status for answer in again] == [answer.status for answer in answers], f"{key}, once more: found {again}, expected {answers}"
        assert again[won].json["seq"] == answers[won].json["seq"], (again[won], answers[won])
    for i, person in enumerate(persons):
        assert booked(person, kind) == before[i] + expected[i], (person.name, booked(person, kind), before[i] + expected[i])
        assert balance(person) == was[i] + sum(expected[i]), (person.name, balance(person), was[i], expected[i])


def test_deposits_of_two_players_with_one_key():
    restarts = place.restarts()
    use_at_once(one_of_each_wallet(), "deposits", 20, [{"amount_minor": amount, "currency": "EUR"} for amount in AMOUNTS])
    whole(restarts)


def test_grants_of_two_players_with_one_key():
    """A grant is also a row of wallet.hold, by the same id."""
    restarts = place.restarts()
    use_at_once(one_of_each_wallet(), "grants", 23, [{"amount_minor": amount, "currency": "EUR", "reason": "a test"} for amount in AMOUNTS])
    whole(restarts)


def test_actions_on_two_pools_with_one_key():
    """The pools may be of two instances, or of one: there both requests come in one transaction."""
    restarts = place.restarts()
    for schema, table in (("pool", "pool"), ("cards", "card_set")):
        pools = [int(pool) for pool, in place.sql(f"select pool from {schema}.{table} where state = 'live' order by pool limit 2")]
        for number in range(TRIES if len(pools) == 2 else 0):
            answers = at_once(*[lambda pool=pool: pool_action(place, pool, "pause", key=f"pause-{schema}-{number}") for pool in pools])
            assert sorted(answer.status for answer in answers) == [200, 422], f"{schema}, try {number}: found {answers}, expected one 200 and one 422"
            won = [answer.status for answer in answers].index(200)
            assert answers[1 - won].error["code"] == "other_content", answers[1 - won]
            assert place.sql(f"select pool from {schema}.operator_action where id = '\\x{answers[won].json['id']}'") == [[str(pools[won])]], answers
            assert pool_action(place, pools[won], "resume").status == 200
    whole(restarts)


if __name__ == "__main__":
    with Installation("same-key", scale=2, kafka=False) as place:
        run(test_deposits_of_two_players_with_one_key, test_grants_of_two_players_with_one_key, test_actions_on_two_pools_with_one_key)
