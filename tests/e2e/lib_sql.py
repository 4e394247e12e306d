"""One psql that stays open: a test that waits asks the database twenty times a second, and a psql of its own for each question costs more than the answer."""
import os
import select
import subprocess
import tempfile
import time

from lib_patience import time_out

PSQL = os.path.join(os.environ.get("CARILLON_PG_BIN", "/usr/lib/postgresql/15/bin"), "psql")
OPTIONS = ("-XAtqF", "\t", "-v", "ON_ERROR_STOP=1")
ANSWER_S = time_out(30)


def rows(text):
    return [line.split("\t") for line in text.splitlines()]


def once(dsn, text):
    """By a psql of its own, which runs all statements of the text as one transaction."""
    done = subprocess.run([PSQL, "-d", dsn, *OPTIONS, "-c", text], capture_output=True, text=True, timeout=ANSWER_S, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{text}: {done.stderr}")
    return rows(done.stdout)


class Session:
    def __init__(self, dsn):
        self.errors = tempfile.TemporaryFile()
        self.psql = subprocess.Popen([PSQL, "-d", dsn, *OPTIONS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, env={**os.environ, "PGAPPNAME": "tests"})
        self.mark = f"--answered {os.urandom(8).hex()}"

    def ask(self, text):
        """Rows of one statement. After an AssertionError the session is of no more use."""
        try:
            self.psql.stdin.write(f"{text}\n;\n\\echo '{self.mark}'\n".encode())
            self.psql.stdin.flush()
        except BrokenPipeError:
            pass  # it has ended; its errors tell why
        read, end, mark = b"", time.monotonic() + ANSWER_S, f"{self.mark}\n".encode()
        while not read.endswith(mark):
            more = select.select([self.psql.stdout], [], [], max(0, end - time.monotonic()))[0] and os.read(self.psql.stdout.fileno(), 1 << 20)
            if not more:
                raise AssertionError(f"{text}: {f'no answer in {ANSWER_S} s' if time.monotonic() >= end else self.complaint()}")
            read += more
        return rows(read[:-len(mark)].decode())

    def complaint(self):
        self.psql.wait(ANSWER_S)
        self.errors.seek(0)
        return self.errors.read().decode(errors="replace")

    def alive(self):
        """Did the server outlive the time since the last question?"""
        try:
            return self.ask("select 1") == [["1"]]
        except AssertionError:
            return False

    def end(self):
        self.psql.kill()
        self.psql.wait()
        for file in (self.psql.stdin, self.psql.stdout, self.errors):
            try:
                file.close()
            except BrokenPipeError:
                pass


class Sessions:
    """The open sessions of one installation: as many for each user as ask at the same time."""

    def __init__(self):
        self.idle = {}  # dsn -> list; its append() and pop() are safe between threads

    def open(self, dsn):
        idle = self.idle.setdefault(dsn, [])
        while True:
            try:
                session = idle.pop()
            except IndexError:
                return Session(dsn)
            if session.alive():
                return session
            session.end()

    def ask(self, dsn, text):
        if ";" in text:  # several statements: all or none
            return once(dsn, text)
        session = self.open(dsn)
        try:
            answer = session.ask(text)
        except BaseException:
            session.end()
            raise
        self.idle[dsn].append(session)
        return answer

    def end(self):
        for idle in self.idle.values():
            while idle:
                idle.pop().end()
