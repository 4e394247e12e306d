#!/usr/bin/env python3
"""How the end-to-end tests wait: the arithmetic of tests/e2e/lib_patience.py, on a clock and a machine of our own."""
import os
import sys

ROOT = os.path.abspath(f"{os.path.dirname(__file__)}/../..")
sys.path.insert(0, f"{ROOT}/tests/e2e")
import lib_patience  # noqa: E402 pylint: disable=wrong-import-position

passed, failed = 0, 0


def check(right, what):
    global passed, failed
    passed, failed = passed + bool(right), failed + (not right)
    if not right:
        print(f"FAILED  {what}")


# ---- the arithmetic ----

class Clock:
    """A clock that moves when a test sleeps, on a machine where so many threads want a processor."""

    def __init__(self, wanted):
        self.now, self.wants = 100.0, wanted

    def time(self):
        return self.now

    def wanted(self):
        return self.wants(self.now - 100.0)


def given_up(seconds, wanted, cpus, step=0.05):
    """The seconds on the clock after which patience for `seconds` ends, while wanted(seconds since the start) threads want `cpus` processors."""
    clock = Clock(wanted)
    patience = lib_patience.Patience(seconds, clock.time, clock.wanted, cpus)
    while not patience.over():
        clock.now += step
    return clock.now - 100.0


TABLE = (  # expected within, threads that want a processor, processors: given up after seconds on the clock
    (5, lambda _: 1, 2, 20),
    (5, lambda _: 2, 2, 20),
    (5, lambda _: 0, 2, 20),
    (5, lambda _: 4, 2, 40),
    (5, lambda _: 6, 2, 60),
    (5, lambda _: 15, 2, 75),  # the hard end
    (5, lambda _: 200, 2, 75),
    (5, lambda _: 15, 16, 20),
    (0, lambda _: 15, 2, 0),
    (0.1, lambda _: 4, 2, 0.8),
    (5, lambda at: 8 if at < 20 else 1, 2, 36),  # 5 s of the first 20, and while the average comes down a little less than all
    (5, lambda at: 40 if round(at / 0.05) % 20 == 0 else 2, 2, 22),  # one look of twenty decides nothing, not even the first
)


def patience_is_counted_in_processor_time():
    for row, (seconds, wanted, cpus, expected) in enumerate(TABLE, 1):
        took = given_up(seconds, wanted, cpus)
        check(abs(took - expected) <= 0.1 + expected / 50, f"row {row} of the table: given up after {took:.2f} s, expected about {expected} s")


def one_long_look_is_counted_too():
    """A condition that takes a minute by itself, on an idle machine: the minute counts."""
    clock = Clock(lambda _: 1)
    patience = lib_patience.Patience(10, clock.time, clock.wanted, 2)
    clock.now += 60
    check(patience.over(), "a condition that takes 60 s ends a patience of 10 s")


def raised(run):
    try:
        run()
    except AssertionError as error:
        return str(error)
    return ""


def waits_say_why():
    check(lib_patience.eventually("the answer", lambda: 42, 1) == 42, "eventually() returns the answer of the condition")
    said = raised(lambda: lib_patience.eventually("the bus", lambda: [], 0.01))
    check("waited for the bus, which did not come" in said and "last answer: []" in said and "s counted" in said and "load" in said, f"eventually() fails with: {said}")

    def unreachable():
        raise ConnectionRefusedError("port 1")
    said = raised(lambda: lib_patience.eventually("the port", unreachable, 0.01))
    check("last error: ConnectionRefusedError('port 1')" in said, f"eventually() fails with the last error: {said}")
    check(lib_patience.comes("nothing", lambda: False, 0.01) is None, "comes() returns None")
    looks = iter([True, True, False])
    said = raised(lambda: lib_patience.stays("the pool is paused", lambda: next(looks), 5, 0))
    check(said == "the pool is paused: found False", f"stays() fails at the first look that is wrong: {said}")
    check(raised(lambda: lib_patience.stays("all is well", lambda: True, 0.02, 0.01)) == "", "stays() holds")
    values = iter([1, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3])
    check(lib_patience.unchanged("a number", lambda: next(values, 3), 0.02, 1, 0.01) == 3, "unchanged() returns the value that stays")
    check(len(list(lib_patience.during(0.05, "turns", 0.01))) >= 1, "during() gives turns")


patience_is_counted_in_processor_time()
one_long_look_is_counted_too()
waits_say_why()
print(f"{passed} passed, {failed} failed")
sys.exit(0 if failed == 0 and passed > 0 else 1)
