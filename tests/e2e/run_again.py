#!/usr/bin/env python3
"""`make run` on the money of an earlier one: the proof at its end, as scripts/play.py makes it, proves only what came since the last proof."""
import sys

from lib_play import Person
from lib_stack import BIN, ROOT, Installation, eventually, run

sys.path.insert(0, f"{ROOT}/scripts")
import play  # noqa: E402

place = None


def proof():
    """The report of a proof without a breach; one that finds the books under way leaves no state, and is made again."""
    made = play.Installation(place.data, BIN)

    def good():
        report = made.prove()
        return report if report and report["ledger_ok"] and report["pools_ok"] else None
    return eventually(f"a proof ({made.unproven})", good, 60, pause=0.5)


def rows():
    return int(place.sql("select count(*) from wallet.journal")[0][0])


def test_a_second_start_proves_only_what_is_new():
    person = Person(place)
    for _ in range(10):
        person.deposit(100)
    proof()
    proven = rows()
    assert proven >= 10
    place.stop()
    place.start()
    assert proof()["rows"] == rows() - proven
    proven = rows()
    person.deposit(7)
    person.deposit(8)
    assert proof()["rows"] == rows() - proven == 2
    balance = sum(int(amount) for (amount,) in place.sql(f"select amount from wallet.journal where player = {person.id} and kind = 20 and refusal = 0"))
    eventually(f"a balance of {balance}", lambda: person.refresh()["balance_minor"] == balance, 60)  # the engine hears of a deposit a little later


if __name__ == "__main__":
    with Installation("run-again") as place:
        run(test_a_second_start_proves_only_what_is_new)
