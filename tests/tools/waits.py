#!/usr/bin/env python3
"""How the end-to-end tests wait. The arithmetic of tests/e2e/lib_patience.py, on a clock and a machine of our own; and that no other file of tests/e2e sleeps
or polls by hand: a test waits by eventually(), comes(), stays(), unchanged(), during() or let_time_pass()."""
import ast
import glob
import os
import re
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
    (5, lambda _: 15, 2, 150),
    (5, lambda _: 200, 2, 200),  # the hard end
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


# ---- no other way ----

CLOCKS = {"time", "monotonic", "perf_counter", "time_ns", "monotonic_ns"}
BARE = {  # in files of any language
    r"\bwait_for_timeout\b|\bwaitForTimeout\b": "waits for a time",
    r"new Promise\(\s*\(?\s*(\w+)\s*\)?\s*=>\s*setTimeout\(\s*\1\b": "waits for a time",
    r"""\[["']sleep["']""": "starts sleep",
}


def is_clock(node):
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CLOCKS and getattr(node.func.value, "id", "") == "time"


def compares_clock(node):
    return any(isinstance(part, ast.Compare) and any(is_clock(one) for one in ast.walk(part)) for part in ast.walk(node))


def ends_loop(node):
    """Is this a condition on the clock that ends the loop which it is in?"""
    return (isinstance(node, ast.Assert) and compares_clock(node.test)
            or isinstance(node, ast.If) and compares_clock(node.test) and any(isinstance(one, (ast.Raise, ast.Break, ast.Return)) for one in node.body))


def complaints(text):
    """(line, what) of each bare wait in a Python file."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute) and node.attr == "sleep" and getattr(node.value, "id", "") in ("time", "asyncio"):
            found.append((node.lineno, f"uses {node.value.id}.sleep"))
        if isinstance(node, ast.ImportFrom) and node.module in ("time", "asyncio") and any(name.name == "sleep" for name in node.names):
            found.append((node.lineno, "imports sleep"))
        if isinstance(node, ast.While) and (compares_clock(node.test) or any(ends_loop(one) for one in node.body)):
            found.append((node.lineno, "polls until a time by hand"))
    return found


def lines_with(pattern, text):
    return [text.count("\n", 0, match.start()) + 1 for match in re.finditer(pattern, text)]


def nobody_else_waits():
    for path in sorted(glob.glob(f"{ROOT}/tests/e2e/*.py") + glob.glob(f"{ROOT}/tests/e2e/*.mjs")):
        if os.path.basename(path) == "lib_patience.py":
            continue
        with open(path, encoding="utf-8") as file:
            text = file.read()
        found = complaints(text) if path.endswith(".py") else []
        found += [(line, what) for pattern, what in BARE.items() for line in lines_with(pattern, text)]
        for line, what in sorted(found):
            print(f"  {os.path.relpath(path, ROOT)}:{line} {what}; expected eventually(), comes(), stays(), during() or let_time_pass() of lib_patience.py")
        check(not found, f"{os.path.relpath(path, ROOT)}: {len(found)} waits by hand")


def the_check_finds_them():
    for text, wrong in (("time.sleep(1)", True), ("run(lambda: time.sleep(0.2))", True), ("from time import sleep", True), ("asyncio.sleep(1)", True),
                        ("while time.monotonic() < end:\n    look()", True), ("while a or time.time() - began < 5:\n    look()", True),
                        ("while True:\n    if time.monotonic() > end:\n        raise AssertionError", True), ("while a:\n    assert time.monotonic() < end", True),
                        ("while True:\n    take()", False), ("while a:\n    began = time.monotonic()", False), ("assert time.monotonic() - began > 2", False), ("let_time_pass(1, 'a limit')", False)):
        check(bool(complaints(text)) == wrong, f"{text!r}: {'not found' if wrong else 'found, though it is no wait'}")
    bare = lambda text: any(lines_with(pattern, text) for pattern in BARE)  # noqa: E731 pylint: disable=unnecessary-lambda-assignment
    for text, wrong in (("await page.waitForTimeout(5)", True), ("await new Promise((done) => setTimeout(done, 100))", True), ("new Promise(r=>setTimeout(r,100))", True),
                        ("setTimeout(look, 25)", False), ('["sleep", "1"]', True)):
        check(bare(text) == wrong, f"{text!r}: {'not found' if wrong else 'found, though it is no wait'}")


patience_is_counted_in_processor_time()
one_long_look_is_counted_too()
waits_say_why()
nobody_else_waits()
the_check_finds_them()
print(f"{passed} passed, {failed} failed")
sys.exit(0 if failed == 0 and passed > 0 else 1)
