"""What the end-to-end tests share: an installation of their own, started by the project's own scripts in a folder and on ports of its own, players
who play on it, and the count of what passed. Several tests may run at once."""
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.error
import urllib.request

import lib_adverse
import lib_deaths
from lib_patience import Patience, clear_of_midnight, eventually, let_time_pass, time_out  # noqa: F401 - some are for the tests
from lib_sql import PSQL, Sessions  # noqa: F401 - PSQL is for the tests

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.path.join(ROOT, "build", "bin")
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # who takes too long still stops what he started


def read_text(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def pairs(path):
    return dict(line.split("=", 1) for line in read_text(path).splitlines() if "=" in line and not line.startswith("#"))


def children_of(pid):
    return [int(child) for child in subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False).stdout.split()]


class Answer:
    def __init__(self, status, body, headers):
        self.status, self.raw, self.headers = status, body, headers
        try:
            self.json = json.loads(body) if body else None
        except ValueError:
            self.json = None

    @property
    def error(self):
        return (self.json or {}).get("error", {}) if isinstance(self.json, dict) else {}

    def __repr__(self):
        return f"{self.status} {self.raw[:300]!r}"


def prepared(kind, environment):
    """The folder that first starts copy; made by whoever comes first."""
    done = subprocess.run([f"{ROOT}/scripts/prepare.sh"], env={**environment, "CARILLON_KIND": kind}, capture_output=True, text=True, timeout=time_out(100), check=False)
    if done.returncode != 0:
        raise AssertionError(f"prepare.sh: status {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return done.stdout.strip()


def quick_start(kind, environment):
    """For scripts that start an installation: a first start copies what was prepared once, and the broker, which seldom lives for long, compiles its code in
    haste."""
    return {"CARILLON_PREPARED": prepared(kind, environment), "CARILLON_KAFKA_JAVA": "-XX:TieredStopAtLevel=1"}


class Installation:
    """`with Installation("name") as place:` is a started one; its folder is removed afterwards unless the test failed."""

    def __init__(self, name, scale=1, kind="test", kafka=True):
        self.data = tempfile.mkdtemp(prefix=f"carillon-{name}-", dir=os.environ.get("CARILLON_TEST_TMP", "/tmp"))
        self.scale, self.kind, self.playing, self.sessions = scale, kind, [], Sessions()
        self.denials = False  # a test that tries what is denied says so
        self.forges = False  # a test that changes rows behind the services says so: its proofs may fail
        self.deaths = lib_deaths.Deaths()
        # Servers of this folder alone, whatever the shell that started the tests had set.
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("CARILLON_")}
        if "CARILLON_CACHE" in os.environ:
            self.environment["CARILLON_CACHE"] = os.environ["CARILLON_CACHE"]
        self.scripts = quick_start(kind, self.environment) if kind == "test" else {}  # one that is measured is like any other
        if not kafka:  # of tests that look at nothing which only Kafka carries: a broker takes more of the processor than all services
            self.environment["KAFKA"] = "none"
        # Cards that hardly ever begin: a test that is not about them never waits for them.
        self.environment.update(CARILLON_DATA=self.data, CARILLON_KIND=kind, CARILLON_CARD_SETS=f"{ROOT}/tests/e2e/sets")

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, kind, value, trace):
        good = kind is None or (kind is SystemExit and not value.code)  # run() ends the process
        broken = None if good else self.broken_books()
        self.stop()
        if broken:
            print(f"unforgiven: the proof of the ledger found {broken}")
        self.no_deaths()
        if good:
            self.nothing_denied()
            shutil.rmtree(self.data, ignore_errors=True)
        else:
            print(f"the folder is kept: {self.data}")
            for name in sorted(os.listdir(f"{self.data}/log")) if os.path.isdir(f"{self.data}/log") else []:
                print(f"--- end of log/{name}\n" + "\n".join(read_text(f"{self.data}/log/{name}").splitlines()[-8:]))

    def nothing_denied(self):
        """No service asked the database for more than its role may: such a statement may be one that no test looks at."""
        denied = [line for line in read_text(f"{self.data}/log/postgres.log").splitlines() if "permission denied" in line or "row-level security" in line]
        if denied and not self.denials:
            print(f"the folder is kept: {self.data}")
            raise AssertionError("Postgres denied what a service needs:\n" + "\n".join(sorted({line.split("ERROR:", 1)[-1] for line in denied})))

    def no_deaths(self):
        """No process ended by a signal or status that the test did not cause. Each that did is printed, with the end of its log, and never forgiven."""
        ends = self.deaths.unexpected(self.data)
        for end in ends:
            name = end.split(":", 1)[0]
            print(f"unforgiven: {end}", *lib_deaths.last_lines(self.data, name), sep="\n")
        if ends:
            print(f"the folder is kept: {self.data}", flush=True)
            raise AssertionError(f"{len(ends)} processes ended though the test caused none of these ends: {ends[0]}")

    def broken_books(self):
        """After a failure: what the proof of the ledger finds once all that was on its way has had its time; None if it cannot be asked, or is in order."""
        if self.forges or not hasattr(self, "stack"):
            return None
        try:
            eventually("books in order", lambda: self.prove()[0] == 0, 10, pause=0.5)
        except AssertionError:
            try:
                return self.prove()[1] or None
            except (AssertionError, OSError, ValueError, subprocess.SubprocessError):
                return None
        except (OSError, ValueError, subprocess.SubprocessError):
            return None
        return None

    def script(self, *arguments, timeout=105):
        done = subprocess.run(arguments, cwd=ROOT, env={**self.scripts, **self.environment}, capture_output=True, text=True, timeout=time_out(timeout), check=False)
        if done.returncode != 0:
            raise AssertionError(f"{' '.join(arguments)}: status {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
        return done

    def start(self, scale=None):
        self.scale = scale or self.scale
        built = ["--built"] if "CARILLON_TEST_BUILT" in os.environ else []
        self.script(f"{ROOT}/scripts/run.sh", "--start", f"--scale={self.scale}", *built)
        self.stack = pairs(f"{self.data}/run/stack.env")
        self.ports = pairs(f"{self.data}/run/ports")
        self.url = f"http://127.0.0.1:{self.ports['HTTP_PORT']}"
        if "CARILLON_TEST_ADVERSE" in os.environ and self.kind == "test":
            self.sql(lib_adverse.draws(os.environ["CARILLON_TEST_ADVERSE"]), writer=True)

    def stop(self):
        for players in self.playing:
            if players.process.poll() is None:
                players.process.kill()
        self.sessions.end()
        try:
            self.script(f"{ROOT}/scripts/run.sh", "--stop")
        except AssertionError as error:
            print(error)

    # ---- processes ----

    def status(self, which="supervisor"):
        """name -> (state, pid, restarts) of the services, or of the servers with "stack"."""
        rows = {}
        for line in read_text(f"{self.data}/run/{which}.status").splitlines():
            fields = line.split("\t")
            if len(fields) >= 4:
                rows[fields[0]] = (fields[1], int(fields[2]), int(fields[3]))
        return rows

    def restarts(self):
        """How often each service has been started again."""
        return {name: row[2] for name, row in self.status().items()}

    def pid(self, name):
        for which in ("supervisor", "stack"):
            if name in self.status(which):
                return self.status(which)[name][1]
        raise AssertionError(f"no program {name}: {self.status()} {self.status('stack')}")

    def running(self, name):
        """Its pid; one that waits for its next start has 0 in the status, which for kill() is everybody in our own group."""
        pid = self.pid(name)
        if pid == 0:
            raise ProcessLookupError(f"{name} does not run: {self.status()} {self.status('stack')}")
        return pid

    def kill(self, name, number=signal.SIGKILL):
        """Kills the program. Postgres is killed whole: its postmaster first, then what would linger."""
        pid = self.running(name)
        self.deaths.signal_sent(name, number)
        children = children_of(pid)
        os.kill(pid, number)
        if name == "postgres" and number == signal.SIGKILL:
            for child in children:
                try:
                    os.kill(child, number)
                except ProcessLookupError:
                    pass
        return time.monotonic()

    @contextlib.contextmanager
    def frozen_postgres(self):
        """Its processes stop and its connections stay open, as when its machine hangs. A service that meets it ends after its deadline."""
        self.deaths.signal_sent("postgres", signal.SIGSTOP)
        pids = [self.running("postgres")]
        os.kill(pids[0], signal.SIGSTOP)
        pids += children_of(pids[0])
        try:
            for pid in pids[1:]:
                os.kill(pid, signal.SIGSTOP)
            yield
        finally:
            for pid in reversed(pids):
                os.kill(pid, signal.SIGCONT)

    def kill_everything(self):
        """The supervisors first, so that nothing is started again: servers and services, all at once."""
        pids = [int(read_text(f"{self.data}/run/{which}.pid")) for which in ("supervisor", "stack")]
        pids += [row[1] for which in ("supervisor", "stack") for row in self.status(which).values() if row[1]]
        pids += children_of(self.pid("postgres"))
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        return len(pids)

    def hold(self, name):
        """Keeps the program from being started again."""
        open(f"{self.data}/run/hold/{name}", "w", encoding="utf-8").close()

    def release(self, name):
        os.unlink(f"{self.data}/run/hold/{name}")

    def change(self, setting, *names):
        """These services anew, with that setting; back when each has another process, which may not answer yet."""
        text = re.sub(rf" {setting.split('=', 1)[0]}=\S*", "", self.configuration())
        self.configure(re.sub(rf"^((?:{'|'.join(names)}) .*?) : ", rf"\1 {setting} : ", text, flags=re.M), names)

    def renew(self, settings):
        """Likewise, each with settings of its own: "NAME=VALUE .."."""
        def line_with(line):
            more = settings.get(line.split(" ", 1)[0], "")
            names = {word.split("=", 1)[0] for word in more.split()}
            return " ".join(word for word in line.split(" ") if word.split("=", 1)[0] not in names).replace(" : ", f" {more} : ", 1) if more else line
        self.configure("".join(f"{line_with(line)}\n" for line in self.configuration().splitlines()), settings)

    def configuration(self):
        """Of the supervisor: a line for each program."""
        return read_text(f"{self.data}/run/supervisor.conf")

    def configure(self, text, names):
        """Back when each of these services has another process, which may not answer yet."""
        with open(f"{self.data}/run/supervisor.conf", "w", encoding="utf-8") as file:
            file.write(text)
        before = {name: self.pid(name) for name in names}
        os.kill(int(read_text(f"{self.data}/run/supervisor.pid")), signal.SIGHUP)
        eventually("other processes", lambda: all(self.pid(name) not in (before[name], 0) for name in names), 60)

    # ---- asking ----

    def sql(self, text, writer=False):
        """Rows of text columns."""
        return self.sessions.ask(self.stack["CARILLON_PG_DSN" if writer else "CARILLON_PG_RO_DSN"], text)

    def redis(self, *words, login="admin"):
        """As who may do all, or as a service."""
        host, port = self.stack["CARILLON_REDIS"].rsplit(":", 1)
        user, password = read_text(f"{self.data}/keys/{login}/redis").split()
        done = subprocess.run(["redis-cli", "--user", user, "--no-auth-warning", "-h", host, "-p", port, *words], capture_output=True, text=True, timeout=time_out(30), check=False,
                              env={**os.environ, "REDISCLI_AUTH": password})
        if done.returncode != 0:
            raise ConnectionError(f"redis-cli {' '.join(words)}: {done.stdout}{done.stderr}")
        return done.stdout

    def metrics(self, instance):
        """What the service tells on its inside port."""
        (address,), = self.sql(f"select health from carillon.instance where name = '{instance}'")
        with urllib.request.urlopen(f"http://{address}/metrics", timeout=time_out(30)) as answer:
            return answer.read().decode()

    def metric(self, instance, name, labels=""):
        """The sum of the metric over all label sets that contain these labels; 0 if there are none."""
        return sum(int(float(line.rsplit(" ", 1)[1])) for line in self.metrics(instance).splitlines() if re.match(rf"{re.escape(name)}[ {{]", line) and labels in line)

    def http(self, method, path, body=None, token=None, key=None, raw=None, headers=None, timeout=40):
        data = raw if raw is not None else None if body is None else json.dumps(body).encode()
        sent = {"Content-Type": "application/json"} if data is not None else {}
        if token:
            sent["Authorization"] = f"Bearer {token}"
        if key:
            sent["Idempotency-Key"] = key
        sent.update(headers or {})
        request = urllib.request.Request(self.url + path, data=data, method=method, headers=sent)
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                return Answer(answer.status, answer.read(), answer.headers)
        except urllib.error.HTTPError as error:
            with error:
                return Answer(error.code, error.read(), error.headers)

    def operator_key(self):
        return read_text(f"{self.data}/keys/gateway/operator-1.key").strip()

    def prove(self, *options):
        """(status, {point: breaches}, the report) of a proof of the ledger."""
        done = subprocess.run([f"{BIN}/jackpotctl", "ledger", "verify", "--json", *options], cwd=self.data, env={**self.environment, **self.stack}, capture_output=True,
                              text=True, timeout=time_out(30), check=False)
        assert done.returncode in (0, 1), (options, done.stdout, done.stderr)
        report = json.loads(done.stdout)
        return done.returncode, {p["point"]: p["breaches"] for p in report["points"] if not p["ok"]}, report

    def in_order(self, *options):
        """The report of a proof that finds nothing. Awards on their way, and what pools have not heard yet, get some seconds."""
        return eventually("books in order", lambda: (lambda r: r[2] if r[0] == 0 else None)(self.prove(*options)), 60, pause=0.3)

    def verify(self, patience=20, *more):
        """The ledger's proof, with these options more; awards on their way get some seconds. Fails with the breaches."""
        left = Patience(patience)
        while True:
            done = subprocess.run([f"{BIN}/jackpotctl", "ledger", "verify", "--json", *more], cwd=self.data, env={**self.environment, **self.stack},
                                  capture_output=True, text=True, timeout=time_out(max(30, 3 * patience)), check=False)
            if done.returncode == 0:
                return json.loads(done.stdout)
            if left.over():
                raise AssertionError(f"ledger verify: status {done.returncode} after {left}\n{done.stdout[:4000]}\n{done.stderr[:2000]}")
            let_time_pass(0.5, "between two proofs")

    def players(self, **options):
        self.playing.append(Players(self, options))
        return self.playing[-1]


class Players:
    """The load generator in the background: live(), finish()."""

    def __init__(self, place, options):
        self.record_path = f"{place.data}/run/test-players.json"
        self.live_path = f"{place.data}/run/test-players.live"
        for path in (self.record_path, self.live_path):
            if os.path.exists(path):
                os.unlink(path)
        options = {"url": place.url, "record": self.record_path, "live": self.live_path, "operator-key": f"{place.data}/keys/gateway/operator-1.key", **options}
        command = [f"{BIN}/players", "--quiet"] + [f"--{name.replace('_', '-')}={value}" for name, value in options.items() if value is not None]
        self.log = open(f"{place.data}/log/players.log", "wb")
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        self.log_path = self.log.name
        self.place = place

    def live(self):
        try:
            return json.loads(read_text(self.live_path))
        except ValueError:
            return {}

    def settled(self):
        """From the journal, not from what the players believe: the last time and count of bets booked."""
        return int(self.place.sql("select count(*) from wallet.journal where kind = 2 and refusal = 0")[0][0])

    def finish(self, timeout=75, stop=True):
        if stop and self.process.poll() is None:
            self.process.terminate()
        code = self.process.wait(time_out(timeout))
        self.log.close()
        try:
            record = json.loads(read_text(self.record_path))
        except ValueError:
            raise AssertionError(f"the players left no record: status {code}\n{read_text(self.log_path)[-3000:]}") from None
        if code != 0 or record.get("mismatches_n") or record.get("errors_n"):
            shown = {k: v for k, v in record.items() if k != "timeline"}
            raise AssertionError(f"players: status {code}, {json.dumps(shown)[:4000]}\n{read_text(self.log_path)[-2000:]}")
        return record


witnesses = []  # functions; what they return is printed under a test that failed


def run(*tests):
    """Runs the tests in order, prints a line each and the count. Names on the command line choose some of them."""
    chosen = [t for t in tests if not sys.argv[1:] or t.__name__ in sys.argv[1:]]
    passed = failed = 0
    for test in chosen:
        began = time.monotonic()
        try:
            test()
            passed += 1
            print(f"ok      {test.__name__} ({time.monotonic() - began:.1f} s)", flush=True)
        except Exception:  # noqa: BLE001 - whatever went wrong is the test's failure
            failed += 1
            print(f"FAILED  {test.__name__} ({time.monotonic() - began:.1f} s)\n{traceback.format_exc()}", *(said() for said in witnesses), sep="\n", flush=True)
    print(f"{passed} passed, {failed} failed", flush=True)
    sys.exit(0 if failed == 0 and passed > 0 else 1)
