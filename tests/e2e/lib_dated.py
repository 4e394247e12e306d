"""An installation that lives at another time than the machine, and how one is packed into a file and taken out of it (tests/older/README.md)."""
import io
import json
import os
import re
import subprocess
import tarfile
import time

from lib_patience import time_out
from lib_stack import BIN, PSQL, ROOT, Installation, pairs

CLOCK = "OLDER_CLOCK_US"
PG_DUMP = os.path.join(os.path.dirname(PSQL), "pg_dump")
# What an installation keeps outside the database and may not lose: keys, the wallets' signed heads, exported days. The last is the payment provider's own.
KEPT = ("keys", "heads", "heads-copy", "archive", "run/payment-stub.json", "payment-stub")


class Dated(Installation):
    """Its servers and services see `began` (a Unix time in seconds) at the first start; from there the clock goes on as the machine's does. With the contents
    of a packed one it begins with those."""

    def __init__(self, name, began, contents=None, **more):
        super().__init__(name, **more)
        del self.scripts["CARILLON_PREPARED"]  # its first start is not that of a new installation: the database comes from the contents
        self.contents = contents
        self.library = f"{self.data}/clock.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", self.library, f"{ROOT}/tests/older/clock.c"], check=True)
        self.environment["CARILLON_BIN"] = f"{self.data}/bin"
        os.makedirs(f"{self.data}/bin")
        for program in os.listdir(BIN):
            os.symlink(f"{BIN}/{program}", f"{self.data}/bin/{program}")
        self.set_clock(began)

    def start(self, scale=None):
        if self.contents:
            restore(self, self.contents)
            self.contents = None
        super().start(scale)

    def set_clock(self, began):
        """From the next start of servers and services on: their supervisors hand the clock on to everything that they start."""
        self.clock = {"LD_PRELOAD": self.library, CLOCK: str(int((began - time.time()) * 1e6))}
        supervisor = f"{self.data}/bin/carillon-supervisor"
        os.unlink(supervisor)
        with open(supervisor, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + "".join(f"export {name}={value}\n" for name, value in self.clock.items()) + f'exec "{BIN}/carillon-supervisor" "$@"\n')
        os.chmod(supervisor, 0o755)

    def now(self):
        """Its time, in seconds."""
        return time.time() + int(self.clock[CLOCK]) / 1e6

    def jackpotctl(self, *arguments):
        done = subprocess.run([f"{BIN}/jackpotctl", *arguments, "--json"], cwd=self.data, env={**self.environment, **self.stack, **self.clock}, capture_output=True, text=True,
                              timeout=time_out(30), check=False)
        assert done.returncode == 0, (arguments, done.returncode, done.stdout[-3000:], done.stderr[-3000:])
        return json.loads(done.stdout)

    def servers(self):
        """Starts Postgres, Redis and Kafka alone."""
        self.script(f"{ROOT}/scripts/stack.sh", "start")
        self.stack = pairs(f"{self.data}/run/stack.env")

    def program(self, *command, text=None):
        done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=time_out(30), check=False)
        assert done.returncode == 0, (command, done.stderr[-3000:])
        return done.stdout


def dumped(place):
    """The database as SQL, once the services are stopped; without the lines that only a psql of the same month understands."""
    text = place.program(PG_DUMP, "--no-owner", "-d", place.stack["CARILLON_PG_DSN"])
    return re.sub(r"^\\(un)?restrict .*\n", "", text, flags=re.M)


def files(place):
    for name in KEPT:
        path = f"{place.data}/{name}"
        for folder, _, names in sorted(os.walk(path)) if os.path.isdir(path) else [(os.path.dirname(path), [], [os.path.basename(path)])]:
            yield from (os.path.relpath(f"{folder}/{one}", place.data) for one in sorted(names) if os.path.exists(f"{folder}/{one}"))


def pack(path, story, contents):
    """contents: name -> bytes. The story is beside them."""
    with tarfile.open(path, "w:xz", preset=9) as tar:
        for name, data in {"story.json": json.dumps(story, indent=1, sort_keys=True).encode(), **contents}.items():
            member = tarfile.TarInfo(name)
            member.size, member.mode, member.mtime = len(data), 0o600, int(story["stopped_s"])
            tar.addfile(member, io.BytesIO(data))


def unpacked(path):
    """The story, and the contents by name."""
    with tarfile.open(path) as tar:
        contents = {member.name: tar.extractfile(member).read() for member in tar}
    return json.loads(contents.pop("story.json")), contents


def restore(place, contents):
    """Into an installation that was never started: its files, then its database. Kafka and Redis begin empty: Postgres is the truth."""
    for name, data in contents.items():
        if name.startswith("data/"):
            path = f"{place.data}/{name[5:]}"
            os.makedirs(os.path.dirname(path), mode=0o700 if "/keys/" in path else 0o755, exist_ok=True)
            with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
                file.write(data)
    place.servers()
    place.program(PSQL, "-d", place.stack["CARILLON_PG_DSN"], "-Xq", "-v", "ON_ERROR_STOP=1", "--single-transaction", text=contents["dump.sql"].decode())
