#!/usr/bin/env python3
"""scripts/e2e.py, on small programs in the place of end-to-end tests: what passes, what fails, what is flaky, and what a second run may not forgive."""
import os
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(f"{os.path.dirname(__file__)}/../..")
# What a planted test does; ran: how often it has run before.
PLANTS = {
    "steady": "count(2, 0)",
    "broken": "print('FAILED  test_it (0.1 s)'); count(1, 1)",
    "shaky": "count(2, 0) if ran else (print('FAILED  test_it (0.1 s)'), count(1, 1))",
    "shaky_too": "count(3, 0) if ran else count(2, 1)",
    "crash": "count(2, 0) if ran else (print('unforgiven: wallet-1: ended by signal 11 after 0.1 s'), count(2, 0, status=1))",
    "false_proof": "count(2, 0) if ran else (print('unforgiven: the proof of the ledger found {7: 1}'), count(1, 1))",
    "leak": "count(2, 0) if ran else (print('==1==ERROR: LeakSanitizer: detected memory leaks'), count(2, 0, status=1))",
    "mute": "sys.exit(0)",
    "killed": "count(2, 0) if ran else os.kill(os.getpid(), 11)",
    "untidy": "subprocess.Popen(['sleep', '300'], start_new_session=True); count(1, 0)",
}
HEAD = """import os, subprocess, sys
mark = os.path.abspath(__file__) + ".ran"
ran = os.path.exists(mark)
open(mark, "w").close()
def count(passed, failed, status=None):
    print(f"{passed} passed, {failed} failed")
    sys.exit(status if status is not None else failed > 0)
"""
# tests that run, the last line, the status, what else is printed, what is not
TABLE = (
    (("steady",), "2 passed, 0 failed", 0, (), ("flaky", "failed: ")),
    (("broken", "steady"), "3 passed, 1 failed", 1, ("failed: tests/e2e/broken", "failed: FAILED  test_it"), ("flaky: ",)),
    (("shaky", "steady"), "4 passed, 0 failed", 0, ("flaky: shaky", "flaky: FAILED  test_it"), ("failed: ",)),
    (("shaky", "shaky_too"), "5 passed, 2 failed", 1, ("flaky: shaky", "flaky: shaky_too", "2 tests were flaky, expected at most one"), ()),
    (("crash", "steady"), "4 passed, 1 failed", 1, ("failed: tests/e2e/crash", "ended by signal 11"), ("flaky: ", "once more")),
    (("false_proof",), "1 passed, 1 failed", 1, ("the proof of the ledger found",), ("flaky: ", "once more")),
    (("leak",), "2 passed, 1 failed", 1, ("LeakSanitizer",), ("flaky: ", "once more")),
    (("mute",), "0 passed, 1 failed", 1, ("failed: tests/e2e/mute",), ("flaky: ",)),
    (("killed", "steady"), "2 passed, 1 failed", 1, ("the test itself ended by signal 11",), ("flaky: ", "once more")),
    (("untidy",), "1 passed, 0 failed", 0, ("left 1 processes running",), ("flaky: ",)),
)
passed = failed = 0


def check(right, what):
    global passed, failed
    passed, failed = passed + bool(right), failed + (not right)
    if not right:
        print(f"  failed: {what}")


def ran(names, *command):
    with tempfile.TemporaryDirectory(prefix="carillon-runner-") as folder:
        for name in names:
            with open(f"{folder}/{name}.py", "w", encoding="utf-8") as file:
                file.write(f"{HEAD}{PLANTS[name]}\n")
        environment = {**os.environ, "CARILLON_E2E_TESTS": folder, "CARILLON_E2E_OUT": f"{folder}/out"}
        return subprocess.run([f"{ROOT}/scripts/e2e.py", *command], env=environment, capture_output=True, text=True, timeout=300, check=False)


def verdicts():
    for names, last, status, there, away in TABLE:
        done = ran(names, "run")
        lines = done.stdout.splitlines() or [""]
        check(lines[-1] == last and done.returncode == status, f"{names}: found '{lines[-1]}' and status {done.returncode}, expected '{last}' and {status}\n{done.stdout}{done.stderr}")
        for text in there:
            check(text in done.stdout, f"{names}: found no '{text}' in:\n{done.stdout}")
        for text in away:
            check(text not in done.stdout, f"{names}: found '{text}' in:\n{done.stdout}")


def flakes():
    done = ran(("steady", "shaky"), "flakes", "--runs=3", "--hogs=1")
    check(done.returncode == 1 and done.stdout.endswith("1 passed, 1 failed\n"), f"flakes: {done}")
    check("flaky: shaky: 1 of 3 runs failed" in done.stdout, f"flakes: {done.stdout}")
    done = ran(("steady",), "flakes", "--runs=2", "--hogs=0")
    check(done.returncode == 0 and done.stdout.endswith("1 passed, 0 failed\n"), f"flakes: {done}")


def names():
    done = ran(("steady",), "run", "nothing")
    check(done.returncode != 0 and "found 'nothing', expected a name from tests/e2e: steady" in done.stderr, f"an unknown name: {done}")


verdicts()
flakes()
names()
print(f"{passed} passed, {failed} failed")
sys.exit(0 if failed == 0 else 1)
