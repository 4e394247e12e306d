#!/usr/bin/env python3
"""Runs the end-to-end tests (tests/e2e/NAME.py), several at a time, each in a process of its own with servers of its own.

    e2e.py run [--lanes=N] [--long] [NAME..]              all or these, then what failed once more
    e2e.py failures LOG                                   the failed tests in the log of a test
    e2e.py flakes [--runs=20] [--lanes=N] [--hogs=2] [NAME..]   again and again beside programs that only take processor time

A test that fails runs once more, alone, on a fresh stack. If it passes then, it is printed as `flaky: NAME` above the summary, does not fail the run, and its
two logs stay in build/test/flaky/. A second run forgives only one test, and never what a test reports as `unforgiven:` (a proof of the ledger, a process that
ended by itself) nor what a sanitizer found.

A test's line has its seconds and its processor seconds, servers and browsers included. The last line is "N passed, N failed"."""
import argparse
import ctypes
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TESTS = os.environ.get("CARILLON_E2E_TESTS", f"{ROOT}/tests/e2e")  # another folder, and
OUT = os.environ.get("CARILLON_E2E_OUT", f"{ROOT}/build/test")  # other logs, for the test of this program
LOGS, FLAKY, FLAKES = f"{OUT}/e2e", f"{OUT}/flaky", f"{OUT}/flakes"
LANES = 4
EXPECTED_S = 225  # of one test, at most, on a quiet machine
# The longest begin first.
LONGEST = ("pages many_rows controls tamper console_forms console pages_games pools service_loop crash money sessions outage stack staff bad_input days launch cash protection "
           "fairness insider journey").split()
OWN_PACKAGES = ("monitoring", "alerts", "schemas")  # need packages of their own: in the long run alone
SANITIZER = re.compile(r"ERROR: (Address|Leak|Thread)Sanitizer|WARNING: ThreadSanitizer|: runtime error: ")
COUNT = re.compile(r"^(\d+) passed, (\d+) failed", re.M)
sys.path.insert(0, f"{ROOT}/tests/e2e")
from lib_patience import Patience  # noqa: E402


def names_wanted(wanted, long):
    known = sorted(name[:-3] for name in os.listdir(TESTS) if name.endswith(".py") and not name.startswith(("lib", "_")))
    unknown = [name for name in wanted if name not in known]
    if unknown:
        sys.exit(f"e2e.py: found '{unknown[0]}', expected a name from tests/e2e: {' '.join(known)}")
    chosen = wanted or [name for name in known if long or name not in OWN_PACKAGES]
    return [name for name in LONGEST if name in chosen] + [name for name in chosen if name not in LONGEST]


# ---- one test, in a process of its own that adopts what the test leaves behind ----------------------------------------------------

def descendants():
    """Processes below this one, adopted ones included."""
    parents = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as file:
                    parents[int(entry)] = int(file.read().rsplit(")", 1)[1].split()[1])
            except (OSError, IndexError, ValueError):
                continue
    below, added = {os.getpid()}, True
    while added:
        added = {pid for pid, parent in parents.items() if parent in below} - below
        below |= added
    return below - {os.getpid()}


def reap(ends):
    """Notes the ends of children, adopted ones included: a dead process that nobody waits for looks alive. False when there are none left."""
    try:
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return True
            ends[pid] = os.waitstatus_to_exitcode(status)
    except ChildProcessError:
        return False


def signal_send(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def reap_until(done, ends, patience):
    """Reaps until done(ends); False if that took too long."""
    while not done(ends):
        if patience.over():
            return False
        if not reap(ends):
            return done(ends)
        time.sleep(0.05)
    return True


def end_descendants(ends):
    """Waits for what is ending, kills the rest; returns the number of those killed."""
    killed, patience = set(), Patience(2)
    while reap(ends):
        if patience.over():
            left = descendants()
            killed |= left
            for pid in left:
                signal_send(pid, signal.SIGKILL)
        time.sleep(0.05)
    return len(killed)


def run_one(name, log_path, result_path):
    """Runs the test, its output in the log; writes how it ended as JSON."""
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
    began, ends = time.monotonic(), {}
    with open(log_path, "wb") as log:
        pid = subprocess.Popen([sys.executable, f"{TESTS}/{name}.py"], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=log).pid
        late = not reap_until(lambda ends: pid in ends, ends, Patience(EXPECTED_S))
        if late:
            signal_send(pid, signal.SIGTERM)  # it stops its servers
            if not reap_until(lambda ends: pid in ends, ends, Patience(40)):
                signal_send(pid, signal.SIGKILL)
        left = end_descendants(ends)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = {"code": ends[pid], "seconds": time.monotonic() - began, "cpu_s": used.ru_utime + used.ru_stime, "late": late, "left": left}
    with open(result_path + ".new", "w", encoding="utf-8") as file:
        json.dump(result, file)
    os.rename(result_path + ".new", result_path)


# ---- what a log says --------------------------------------------------------------------------------------------------------------

def failures(text):
    """Each failed test with the deepest line of its own traceback and what was raised there."""
    said, inside, at = [], False, ""
    for line in text.splitlines():
        if line.startswith("FAILED"):
            said.append(line)
            inside = True
        elif inside and line.startswith("  File"):
            at = line[line.find("line "):]
        elif inside and re.match(r"[A-Za-z_]", line) and not line.startswith("Traceback"):
            said.append(f"{at}: {line}"[:300])
            inside = False
    return said


class Outcome:
    """How a run of a test ended."""

    def __init__(self, name, log_path, result_path):
        self.name, self.log_path = name, log_path
        with open(log_path, encoding="utf-8", errors="replace") as file:
            self.text = file.read()
        try:
            with open(result_path, encoding="utf-8") as file:
                self.result = json.load(file)
        except (OSError, ValueError):
            self.result = {"code": -1, "seconds": 0, "cpu_s": 0, "late": False, "left": 0}
        counts = COUNT.findall(self.text)
        self.passed, self.failed = (int(n) for n in counts[-1]) if counts else (0, 0)
        self.good = self.result["code"] == 0 and bool(counts) and self.failed == 0
        self.failed = 0 if self.good else max(1, self.failed)
        self.unforgiven = [line for line in self.text.splitlines() if line.startswith("unforgiven: ") or SANITIZER.search(line)]
        if self.result["code"] < 0 and not self.result["late"]:
            self.unforgiven.append(f"the test itself ended by signal {-self.result['code']}")

    def why(self):
        said = failures(self.text)
        if self.result["late"]:
            said.append(f"did not end in time ({EXPECTED_S} s are expected on a quiet machine)")
        if not said and not self.good:
            said.append(f"status {self.result['code']}: {(self.text.strip().splitlines() or ['no output'])[-1][:200]}")
        return said + self.unforgiven

    def line(self):
        more = f", left {self.result['left']} processes running" if self.result["left"] else ""
        return f"{'tests/e2e/' + self.name:<40} {self.passed} passed, {self.failed} failed  ({self.result['seconds']:.0f} s, {self.result['cpu_s']:.0f} s of CPU{more})"

    def report(self):
        print(self.line(), flush=True)
        if not self.good:
            print("\n".join(self.text.splitlines()[-60:]), flush=True)
        for line in self.text.splitlines():
            if self.good and re.match(r"(measured|note):? ", line):
                print(line, flush=True)


# ---- lanes ------------------------------------------------------------------------------------------------------------------------

def lanes_run(jobs, lanes, ended):
    """jobs: (name, log path). Runs as many at a time as there are lanes; calls ended(outcome) as each ends."""
    waiting, running = list(jobs), {}
    while waiting or running:
        while waiting and len(running) < lanes:
            name, log_path = waiting.pop(0)
            result_path = log_path[:-4] + ".json"
            for path in (log_path, result_path):
                if os.path.exists(path):
                    os.unlink(path)
            process = subprocess.Popen([sys.executable, os.path.abspath(__file__), "one", name, log_path, result_path], cwd=ROOT, stdin=subprocess.DEVNULL,
                                       env={**os.environ, "CARILLON_TEST_BUILT": "1"})
            running[process] = (name, log_path, result_path)
        for process in [p for p in running if p.poll() is not None]:
            ended(Outcome(*running.pop(process)))
        time.sleep(0.1)


def run_again(first, ran_many):
    """The second run of a test that failed, alone; None where nothing may forgive the first."""
    if first.unforgiven:
        return None
    os.makedirs(FLAKY, exist_ok=True)
    shutil.copy(first.log_path, f"{FLAKY}/{first.name}-first.log")
    outcomes = []
    print(f"{first.name} failed{' beside others' if ran_many else ''}: it runs once more, alone", flush=True)
    lanes_run([(first.name, f"{FLAKY}/{first.name}-second.log")], 1, outcomes.append)
    return outcomes[0]


def verdict(outcomes, again=run_again):
    """(passed, failed, lines above the summary). A test that fails and then passes is flaky; the second flaky one is a failure, too."""
    passed, failed, lines, flaky = 0, 0, [], []
    for first in outcomes:
        second = None if first.good else again(first, len(outcomes) > 1)
        counted = second if second and second.good else first
        if second and second.good and not second.unforgiven:
            flaky.append(first)
        passed += counted.passed
        failed += counted.failed
        if not counted.good:
            lines += [f"failed: tests/e2e/{first.name}"] + [f"failed: {line}" for line in counted.why()]
    for first in flaky:
        lines += [f"flaky: {first.name}"] + [f"flaky: {line}" for line in first.why()]
    if len(flaky) > 1:
        failed += len(flaky)
        lines.append(f"failed: {len(flaky)} tests were flaky, expected at most one")
    return passed, failed, lines


def command_run(options):
    os.makedirs(LOGS, exist_ok=True)
    shutil.rmtree(FLAKY, ignore_errors=True)
    outcomes, names = [], names_wanted(options.names, options.long)

    def ended(outcome):
        outcome.report()
        outcomes.append(outcome)

    began = time.monotonic()
    lanes_run([(name, f"{LOGS}/{name}.log") for name in names], options.lanes, ended)
    print(f"tests/e2e: {time.monotonic() - began:.0f} s, {sum(o.result['cpu_s'] for o in outcomes):.0f} s of CPU in {options.lanes} lanes", flush=True)
    passed, failed, lines = verdict(outcomes)
    for line in lines:
        print(line)
    print(f"{passed} passed, {failed} failed")
    return 0 if failed == 0 and passed > 0 else 1


# ---- flakes -----------------------------------------------------------------------------------------------------------------------

def command_flakes(options):
    os.makedirs(FLAKES, exist_ok=True)
    names = names_wanted(options.names, options.long)
    jobs = [(name, f"{FLAKES}/{name}-{run}.log") for run in range(1, options.runs + 1) for name in names]
    hogs = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(options.hogs)]
    tried, bad, began = {name: 0 for name in names}, {name: [] for name in names}, time.monotonic()

    def ended(outcome):
        tried[outcome.name] += 1
        if not outcome.good:
            bad[outcome.name].append(outcome)
            print(f"{outcome.name}: failed in run {tried[outcome.name]}: {'; '.join(outcome.why())[:400]}", flush=True)
        elif tried[outcome.name] == options.runs:
            print(f"{outcome.name}: {tried[outcome.name]} runs, {len(bad[outcome.name])} failed ({time.monotonic() - began:.0f} s)", flush=True)

    try:
        lanes_run(jobs, options.lanes, ended)
    finally:
        for hog in hogs:
            hog.kill()
    for name in names:
        if bad[name]:
            print(f"flaky: {name}: {len(bad[name])} of {tried[name]} runs failed")
            for outcome in bad[name]:
                print("".join(f"    {line}\n" for line in outcome.why()) + f"    {outcome.log_path}")
    steady = sum(not bad[name] for name in names)
    print(f"{steady} passed, {len(names) - steady} failed")
    return 0 if steady == len(names) else 1


def command_failures(names):
    if len(names) != 1:
        sys.exit(f"e2e.py: failures: found {len(names)} names, expected one of a log")
    with open(names[0], encoding="utf-8", errors="replace") as file:
        for line in failures(file.read()):
            print(line)
    return 0


def main():
    if sys.argv[1:2] == ["one"]:
        run_one(*sys.argv[2:])
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("run", "flakes", "failures"))
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--lanes", type=int, default=LANES)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--hogs", type=int, default=2)
    parser.add_argument("--long", action="store_true")
    options = parser.parse_intermixed_args()
    if options.command == "failures":
        return command_failures(options.names)
    return command_run(options) if options.command == "run" else command_flakes(options)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(main())
