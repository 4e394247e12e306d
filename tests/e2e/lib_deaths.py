"""How the processes of an installation ended: each end that its test did not cause is a failure of the test, whatever else passed."""
import collections
import glob
import os
import re
import signal

END = re.compile(r"^(?P<name>[\w.-]+): ended (?P<how>by signal|with status) (?P<number>\d+) after [\d.]+ s(?P<again>; starts again)?")
GRACE = re.compile(r"^(?P<name>[\w.-]+): did not stop within its grace period: sent SIGKILL")
BACKEND = re.compile(r"process \(PID (?P<pid>\d+)\) was terminated by signal (?P<number>\d+)")
SERVERS = ("postgres", "kafka", "redis")
STOPPED_BY_SIGNAL = {"kafka": 128 + signal.SIGTERM}  # its status when it stops in order


def read_lines(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().splitlines()
    except OSError:
        return []


class Deaths:
    def __init__(self):
        self.sent = collections.Counter()  # (name, signal): how often the test sent it
        self.allowed = []  # (names, statuses or signals allowed, why)

    def signal_sent(self, name, number):
        """By the test. Where a server of the stack goes, every service may end with a status: its supervisor starts it again."""
        self.sent[name, number] += 1
        if name in SERVERS:
            self.allow(".*", range(1, 128), f"{name} was sent signal {number}")

    def allow(self, names, numbers, why):
        """The test causes it that programs whose names match end with one of these statuses; 128 + N is signal N."""
        assert why, "a reason is expected"
        self.allowed.append((re.compile(names), frozenset(numbers), why))

    def is_allowed(self, name, number):
        return any(names.fullmatch(name) and number in numbers for names, numbers, _ in self.allowed)

    def unexpected(self, data):
        """[what ended and how] of those that the test did not cause, from the logs of both supervisors and of Postgres."""
        found, signalled, grace = [], collections.Counter(), set()
        for which in ("supervisor", "stack"):
            for line in read_lines(f"{data}/log/{which}.log.1") + read_lines(f"{data}/log/{which}.log"):
                late, end = GRACE.match(line), END.match(line)
                if late:
                    grace.add(late["name"])
                if end and not self.end_is_caused(end, signalled):
                    found.append(line + (" (it did not stop within its grace period)" if end["name"] in grace else ""))
        if not any((name, number) in self.sent for name in ("postgres",) for number in signal.Signals):
            found += [line for path in glob.glob(f"{data}/log/postgres.log*") for line in read_lines(path) if self.backend_died(line)]
        return found

    def end_is_caused(self, end, signalled):
        name, number = end["name"], int(end["number"])
        if end["how"] == "by signal" and number == signal.SIGTERM and not end["again"]:
            return True  # its supervisor asked it to stop before it could listen
        if end["how"] == "by signal":
            signalled[name, number] += 1
            return signalled[name, number] <= self.sent[name, number] or self.is_allowed(name, 128 + number)
        if not end["again"] and number in (0, STOPPED_BY_SIGNAL.get(name, 0)):
            return True  # it was asked to stop
        if number == 0 and self.sent[name, signal.SIGTERM]:
            return True
        return self.is_allowed(name, number)

    def backend_died(self, line):
        died = BACKEND.search(line)
        return died and not self.is_allowed("postgres-backend", 128 + int(died["number"]))


def last_lines(data, name, count=40):
    """The end of a program's log: a service that crashed left its frames there."""
    return read_lines(os.path.join(data, "log", f"{name}.log"))[-count:]
