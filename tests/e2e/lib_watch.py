"""A watched installation for the tests of the alerts: a real Prometheus, a real Alertmanager, and a receiver that keeps what it is sent."""
import http.server
import json
import os
import re
import shutil
import subprocess
import threading
import urllib.parse
import urllib.request

from lib_patience import time_out
from lib_stack import BIN, ROOT, Installation, eventually, pairs

MONITORING = f"{ROOT}/deploy/monitoring"
# What is tested is what fires, and where it arrives: waits are shorter, expressions and thresholds are those of the files.
SHORTER = {"rules/alerts.yml": ((r"for: \d+[smh]", "for: 1s"),),
           "prometheus.yml": ((r"_interval: 5s", "_interval: 1s"), (r"timeout: 4s", "timeout: 1s"), (r"refresh_interval: 10s", "refresh_interval: 1s")),
           "alertmanager.yml": ((r"group_wait: \d+s", "group_wait: 1s"), (r"group_interval: 1m", "group_interval: 1s"))}
# Alertmanager may keep their end to itself, while what they follow from fires.
with open(f"{MONITORING}/alertmanager.yml", encoding="utf-8") as alertmanager_file:
    INHIBITED = set(re.findall(r"\w+", " ".join(re.findall(r"target_matchers: (.*)", alertmanager_file.read()))))


def receiver(received):
    """Begins to serve; keeps each notification in the list."""
    class Receiver(http.server.BaseHTTPRequestHandler):
        def do_POST(self):  # noqa: N802 - the library's name
            received.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/"


def hastened(folder):
    """Our rules and configurations with shorter waits."""
    shutil.copytree(MONITORING, folder)
    for name, changes in SHORTER.items():
        path = f"{folder}/{name}"
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for old, new in changes:
            text, n = re.subn(old, new, text)
            assert n > 0, f"{path}: found no {old}"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    return folder


def fired_by(test):
    """The alerts that docs/monitoring.md says this test fires and sees delivered."""
    with open(f"{ROOT}/docs/monitoring.md", encoding="utf-8") as file:
        return re.findall(rf"^\| `(\w+)` \| {test} \| ", file.read(), flags=re.M)


class Watched(Installation):
    def start(self, scale=None):
        super().start(scale)
        self.received = []  # what Alertmanager has sent
        self.ended = {}  # alert and labels: how many notifications there were when it had ended
        self.excused = set()  # alerts whose cause this machine does not allow
        self.environment.update(CARILLON_MONITORING=hastened(f"{self.data}/monitoring-test"), CARILLON_WATCH_MS="500", CARILLON_ALERTS_URL=receiver(self.received))
        self.script(f"{ROOT}/scripts/monitor.sh", "start")
        self.monitor = pairs(f"{self.data}/run/ports")

    def answer(self, port, path):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.monitor[port]}{path}", timeout=60) as answer:
            return json.load(answer)

    def query(self, text):
        return self.answer("PROMETHEUS_PORT", f"/api/v1/query?query={urllib.parse.quote(text)}")["data"]["result"]

    def alertmanager(self, path):
        return self.answer("ALERTMANAGER_PORT", path)

    def firing(self, name, **labels):
        alerts = self.answer("PROMETHEUS_PORT", "/api/v1/alerts")["data"]["alerts"]
        return [a for a in alerts if a["state"] == "firing" and {"alertname": name, **labels}.items() <= a["labels"].items()]

    def told(self, name, status, since=0, **labels):
        """The notifications about this alert, of those behind the first `since`."""
        return [n for n in self.received[since:] for a in n["alerts"] if a["status"] == status and {"alertname": name, **labels}.items() <= a["labels"].items()]

    def fires(self, name, **labels):
        eventually(f"alert {name} {labels}", lambda: self.firing(name, **labels), 60, pause=0.2)

    def reaches(self, name, **labels):
        """One that has ended before must be delivered anew."""
        self.fires(name, **labels)
        since = self.ended.get((name, *labels.items()), 0)
        eventually(f"notification of {name} {labels}; received {[n['groupLabels'] for n in self.received[since:]]}",
                   lambda: self.told(name, "firing", since, **labels), 60, pause=0.2)

    def ends(self, name, **labels):
        eventually(f"the end of {name} {labels}", lambda: not self.firing(name, **labels), 60, pause=0.2)
        if name not in INHIBITED:
            eventually(f"notification of the end of {name} {labels}", lambda: not self.standing(name, **labels), 60, pause=0.2)
        if not self.standing(name, **labels):
            self.ended[name, *labels.items()] = len(self.received)

    def standing(self, name, **labels):
        """Was it delivered, and not that it has ended?"""
        newest = {tuple(sorted(a["labels"].items())): a["status"] for n in list(self.received) for a in n["alerts"]
                  if {"alertname": name, **labels}.items() <= a["labels"].items()}
        return "firing" in newest.values()

    def all_reached(self, test):
        """Of a whole run: each alert that the page says this test fires has come to the receiver."""
        missing = [name for name in fired_by(test) if name not in self.excused and not self.told(name, "firing")]
        assert fired_by(test) and not missing, f"docs/monitoring.md says that {test} fires {missing}; found no notification"

    def away(self, program, which="supervisor"):
        """Killed, and not started again."""
        self.hold(program)
        pid = eventually(f"{program} to run", lambda: self.status(which)[program][1], 20)  # one that waits for its next start has 0
        os.kill(pid, 9)
        eventually(f"{program} to be gone", lambda: not os.path.exists(f"/proc/{pid}") and self.status(which)[program][1] != pid, 10)

    def away_and_committed(self, instance):
        """What it had given to Postgres is done, too: rows can be changed behind its back."""
        self.away(instance)
        eventually("the end of its last commit", lambda: self.sql(f"select pid from pg_stat_activity where application_name = '{instance}'") == [], 20)

    def commands(self, alert, flags="-euc"):
        """Runs the commands of the alert's page: what became of each block of them."""
        environment = {**self.environment, **self.stack, "PATH": f"{BIN}:/usr/lib/postgresql/15/bin:{os.environ['PATH']}"}
        with open(f"{ROOT}/docs/runbooks/{alert}.md", encoding="utf-8") as file:
            blocks = re.findall(r"^```sh\n(.*?)^```", file.read(), flags=re.S | re.M)
        assert blocks, f"{alert}: no commands"
        # What the page lets fail finds nothing, or says that something is wrong; that there is no such command is another status.
        return [subprocess.run(["bash", flags, block.replace("|| true", "|| [ $? = 1 ]")], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=time_out(30),
                               check=False) for block in blocks]

    def shows(self, alert, pattern):
        """While the cause is there the commands of the alert's page show it; some of them fail because of it."""
        def shown():
            return re.search(pattern, "".join(done.stdout for done in self.commands(alert, "-uc")))
        eventually(f"docs/runbooks/{alert}.md to show {pattern}", shown, 10, pause=0.3)

    def jackpotctl(self, *arguments):
        done = subprocess.run([f"{BIN}/jackpotctl", *arguments], cwd=self.data, env={**self.environment, **self.stack}, capture_output=True, text=True, timeout=time_out(30), check=False)
        return done.returncode, done.stdout + done.stderr
