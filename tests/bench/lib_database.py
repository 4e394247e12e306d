"""What the measurements of the wallet share: a Postgres of their own with the project's settings, databases with the project's tables, pgbench's TPC-B on
the same server, and wallet-bench, the wallet with another loop."""
import json
import os
import re
import shutil
import subprocess
import tempfile
import time

from lib_bench import ROOT, ends_check
from lib_stack import BIN, pairs, read_text

TICKS = os.sysconf("SC_CLK_TCK")
SQL_S = 3600  # a day of 10^7 rows is made by one statement
PG_BIN = os.environ.get("CARILLON_PG_BIN", "/usr/lib/postgresql/15/bin")
SHARDS = 4
WAL_FILES = 110  # of 16 MB; a little less than the 2 GB that the project's settings keep
# As the pools of bewitched have them: its progressive, and the cards, which count the whole stake.
TALLIES = "insert into pool.tally (id, pool, game, currency, rate_nano, ppm) values (1, 1, 1, 978, 1000000000, 5000), (2, 2, 1, 978, 1000000000, 1000000)"


def process_cpu(pid, reaped):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return sum(int(f) for f in fields[11:15 if reaped else 13])
    except OSError:
        return 0


def tpc_b(dsn, seconds):
    """pgbench's transactions a second, of 8 clients. On a busy machine not one may have ended after a second; then it runs for longer."""
    while True:
        done = subprocess.run([f"{PG_BIN}/pgbench", "-c", "8", "-j", "2", "-T", str(seconds), "-M", "prepared", dsn], check=True, capture_output=True, text=True)
        found = re.search(r"tps = ([0-9.]+)", done.stdout)
        if found:
            return float(found.group(1))
        seconds *= 4


class Server:
    """`with Server("name") as server:`; its folder is removed afterwards."""

    def __init__(self, name):
        self.data = tempfile.mkdtemp(prefix=f"carillon-{name}-", dir=os.environ.get("CARILLON_TEST_TMP", "/tmp"))
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("CARILLON_", "WALLET_"))}
        self.environment.update(CARILLON_DATA=self.data, CARILLON_KIND="demo", CARILLON_SHARDS=str(SHARDS), KAFKA="none")

    def script(self, *arguments, timeout=240, **more):
        done = subprocess.run(arguments, cwd=ROOT, env={**self.environment, **more}, capture_output=True, text=True, timeout=timeout, check=False)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(arguments)}: status {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
        return done.stdout

    def __enter__(self):
        self.script(f"{ROOT}/scripts/bus-keys.sh", "make")
        self.script(f"{ROOT}/scripts/stack.sh", "start")
        self.port = pairs(f"{self.data}/run/ports")["PG_PORT"]
        self.stack = pairs(f"{self.data}/run/stack.env")
        # The administrator by the socket; what is measured comes over TCP, as the services do.
        self.admin = ["-h", re.search("host='(.*?)'", self.stack["CARILLON_PG_ADMIN_DSN"]).group(1), "-p", self.port, "-U", "postgres"]
        self.postmaster = next(int(f[2]) for f in (line.split("\t") for line in read_text(f"{self.data}/run/stack.status").splitlines()) if f[0] == "postgres")
        return self

    def __exit__(self, kind, value, trace):
        self.script(f"{ROOT}/scripts/stack.sh", "stop")
        if kind is None:
            ends_check(self.data)
        place = self.script(f"{ROOT}/scripts/server.sh", "postgres", "place").strip()
        shutil.rmtree(place, ignore_errors=True)
        shutil.rmtree(self.data, ignore_errors=True)

    def sql(self, database, text):
        return self.script(f"{PG_BIN}/psql", *self.admin, "-d", database, "-XAtqF", "\t", "-v", "ON_ERROR_STOP=1", "-c", text, timeout=SQL_S)

    def age(self, files):
        """As a server that has been through its WAL once: its files lie there to be used again. A young one makes and syncs 16 MB every now and then, in a commit."""
        self.sql("postgres", "create table page (n int)")
        for _ in range(files):
            self.sql("postgres", "insert into page values (1); select pg_switch_wal()")
        self.sql("postgres", "drop table page; checkpoint")

    def children(self):
        """Postgres' processes, without the first one."""
        return subprocess.run(["pgrep", "-P", str(self.postmaster)], capture_output=True, text=True, check=False).stdout.split()

    def cpu(self):
        """Seconds of Postgres' processes so far, ended ones too. One that ends meanwhile could be counted twice or not at all, so it is read again then."""
        while True:
            children = self.children()
            ticks = process_cpu(self.postmaster, True) + sum(process_cpu(p, False) for p in children)
            if self.children() == children:
                return ticks / TICKS

    # ---- pgbench ----

    def pgbench_fill(self):
        self.script(f"{PG_BIN}/createdb", *self.admin, "-O", "carillon", "pgbench")
        self.script(f"{PG_BIN}/pgbench", "-i", "-s", "10", "-q", self.dsn("pgbench"))

    def pgbench(self, seconds):
        return tpc_b(self.dsn("pgbench"), seconds)

    # ---- the wallet ----

    def dsn(self, database):
        return self.stack["CARILLON_PG_DSN"].replace("dbname=carillon", f"dbname={database}")

    def database_new(self, name):
        self.script(f"{PG_BIN}/createdb", *self.admin, "-O", "carillon", name)
        # migrate.sh takes run/stack.env before the environment: a folder without one.
        self.script(f"{ROOT}/scripts/migrate.sh", CARILLON_PG_DSN=self.dsn(name), CARILLON_DATA=f"{self.data}/none")

    def database(self, name):
        """The same, with two pools that the wallet feeds."""
        self.database_new(name)
        self.sql(name, TALLIES)

    def drop(self, name):
        self.script(f"{PG_BIN}/dropdb", *self.admin, name)

    def verify(self, database):
        self.script(f"{BIN}/jackpotctl", "ledger", "verify", "--no-replay", "--dsn", self.dsn(database))

    def wallet(self, database, players, *steps, **options):
        return Wallet(self, database, players, steps, **options)


class Wallet:
    """wallet-bench in the background: its lines as they come. What it must do next is known ahead."""

    def __init__(self, server, database, players, steps, held=SHARDS, instance="wallet-1", **settings):
        environment = {**server.environment, "CARILLON_PG_DSN": server.dsn(database), "CARILLON_PG_RO_DSN": server.dsn(database), "CARILLON_REDIS": "none:1",
                       "CARILLON_KAFKA": "none:1", "WALLET_HEADS": "", "CARILLON_INSTANCE": instance, "CARILLON_DATA": server.data, **settings}
        environment.pop("KAFKA")
        self.began = time.monotonic()
        self.process = subprocess.Popen([f"{BIN}/wallet-bench", f"--players={players}", f"--held={held}", *steps], env=environment, cwd=server.data,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def line(self, step=None):
        """The next line, or the next one of this step."""
        while True:
            text = self.process.stdout.readline()
            if not text:
                raise SystemExit(f"wallet-bench ended: status {self.process.wait()}\n{self.process.stderr.read()[-3000:]}")
            line = json.loads(text)
            if step is None or line["step"] == step:
                return line

    def go(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self):
        out, err = self.process.communicate(timeout=600)
        if self.process.returncode != 0:
            raise SystemExit(f"wallet-bench: status {self.process.returncode}\n{err[-3000:]}")
        return [json.loads(text) for text in out.splitlines()]


