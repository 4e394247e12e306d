"""Waiting, for all end-to-end tests: `eventually` for what must come, `comes` for what may come, `stays` and `unchanged` for what must not change, and
`let_time_pass` and `during` where time itself is what a test needs. tests/tools/waits.py forbids all other ways.

How long a test waits is counted in processor time that was to be had: of a second in which eight programs wanted two processors, a quarter counts."""
import http.client
import os
import time

MARGIN = 4  # times what is expected
HARD_END = 40  # times what is expected, on the clock, however busy the machine is
CPUS = len(os.sched_getaffinity(0))


def runnable():
    """The number of threads on this machine that run or wait for a processor, this one included."""
    try:
        with open("/proc/loadavg", encoding="ascii") as file:
            return int(file.read().split()[3].split("/")[0])
    except (OSError, IndexError, ValueError):
        return 1


def share(wanted, cpus=CPUS):
    """The part of a processor that a thread gets while so many want one."""
    return min(1.0, cpus / max(1, wanted))


class Patience:
    """For what is expected within `seconds` on a quiet machine: over() after MARGIN times as long by the count, or HARD_END times as long on the clock."""

    def __init__(self, seconds, clock=time.monotonic, wanted=runnable, cpus=CPUS):
        self.seconds, self.clock, self.wanted, self.cpus = seconds, clock, wanted, cpus
        self.began = self.last = clock()
        self.share = share(wanted(), cpus)
        self.counted = 0.0

    def over(self):
        now = self.clock()
        delta, self.last = now - self.last, now
        # One look at the machine says little: looks of about the last second are averaged.
        self.share += (share(self.wanted(), self.cpus) - self.share) * delta / (delta + 1)
        self.counted += delta * self.share
        return self.counted >= MARGIN * self.seconds or now - self.began >= HARD_END * self.seconds

    def __str__(self):
        return (f"{self.last - self.began:.1f} s on the clock, of which {self.counted:.1f} s counted (expected within {self.seconds} s, given up after "
                f"{MARGIN * self.seconds} s counted or {HARD_END * self.seconds} s on the clock); load {' '.join(f'{n:.1f}' for n in os.getloadavg())} on {self.cpus} processors")


def time_out(seconds):
    """A time-out for what takes at most `seconds` on a quiet machine and cannot be counted, such as that of a subprocess."""
    return seconds * max(MARGIN, min(HARD_END, MARGIN * os.getloadavg()[0] / CPUS))


def attempted(condition):
    """(its answer, ""), or (None, the error) if a service cannot be reached or cannot answer now; a wrong answer fails at once."""
    try:
        return condition(), ""
    except (OSError, http.client.HTTPException) as error:
        return None, repr(error)
    except AssertionError as error:
        if getattr(getattr(error, "answer", None), "status", 0) not in (503, 504):
            raise
        return None, repr(error)


def polled(why, condition, seconds, pause):
    """(the first true answer of the condition, ""), or (the last false one, how the wait ended)."""
    patience = Patience(seconds)
    try:
        while True:
            answer, error = attempted(condition)
            if answer:
                return answer, ""
            if patience.over():
                return answer, f"waited for {why}, which did not come: {patience}; last {f'error: {error}' if error else f'answer: {answer!r:.1000}'}"
            time.sleep(pause)
    except (SystemExit, KeyboardInterrupt):
        patience.over()
        print(f"stopped while waiting for {why}: {patience}", flush=True)
        raise


def eventually(why, condition, seconds, pause=0.05):
    """The condition's first true answer, expected within `seconds` on a quiet machine; fails with what was waited for, how long, and the last answer."""
    answer, end = polled(why, condition, seconds, pause)
    if end:
        raise AssertionError(end)
    return answer


def comes(why, condition, seconds, pause=0.05):
    """As eventually(), but None if it does not come: for a test that then does something else."""
    answer, end = polled(why, condition, seconds, pause)
    return None if end else answer


def stays(why, condition, seconds, pause=0.1):
    """Nothing happens: the condition holds at each look for so many seconds."""
    for _ in during(seconds, why, pause):
        answer = condition()
        assert answer, f"{why}: found {answer!r:.1000}"
    answer = condition()
    assert answer, f"{why}: found {answer!r:.1000}"


def unchanged(why, read, for_s, seconds, pause=0.1):
    """What read() gives once it has been the same at each look for `for_s` seconds, expected within `seconds`."""
    seen = [object(), 0.0]

    def still():
        now = read()
        if now != seen[0]:
            seen[:] = now, time.monotonic()
        return [now] if time.monotonic() - seen[1] >= for_s else None
    return eventually(f"{why}: no change for {for_s} s", still, seconds, pause)[0]


def let_time_pass(seconds, why):
    """Time itself is what the test is about: a limit of time, a rate, a moment of chance, a pause between the requests of a load."""
    assert why, "a reason is expected"
    if seconds > 0:
        time.sleep(seconds)


def during(seconds, why, pause=0):
    """Turns of a loop that goes on for so long: `for _ in during(3, "the attack"):`."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        yield
        let_time_pass(min(pause, max(0.0, end - time.monotonic())), why)


def clear_of_midnight(seconds):
    """Days of journals and limits end at midnight UTC: a test that needs `seconds` of one day waits for the next where less is left of this one."""
    left = 86400 - time.time() % 86400
    if left < seconds:
        let_time_pass(left + 1, "the day ends")
