#!/usr/bin/env python3
"""The monitoring on a real Prometheus and Alertmanager: the rules are clean and each alert fires for its series; alerts whose cause takes only seconds fire
by that cause and reach a receiver, grouped, silenced and resolved; each query of the dashboards finds series; the commands of each runbook run.

Part of `make test-long`: it needs Debian's Prometheus (50 MB), which nothing else does, and more than a minute. tests/tools/monitoring.py, which is
part of `make test`, needs neither.

    monitoring.py [TEST]..."""
import glob
import http.client
import http.server
import json
import os
import re
import shutil
import subprocess
import threading
import time
import urllib.parse
import urllib.request

from lib_outage import JACKPOT
from lib_play import Person, force
from lib_stack import BIN, ROOT, Installation, run, wait_until

MONITORING = f"{ROOT}/deploy/monitoring"
place = None
received = []  # what Alertmanager has sent


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):  # noqa: N802 - the library's name
        received.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


def ask(port, path):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
        return json.load(answer)


def query(text):
    return ask(place.monitor["PROMETHEUS_PORT"], f"/api/v1/query?query={urllib.parse.quote(text)}")["data"]["result"]


def firing(name, **labels):
    alerts = ask(place.monitor["PROMETHEUS_PORT"], "/api/v1/alerts")["data"]["alerts"]
    return [a for a in alerts if a["state"] == "firing" and {"alertname": name, **labels}.items() <= a["labels"].items()]


def told(name, status, **labels):
    """The notifications about this alert."""
    return [n for n in received for a in n["alerts"] if a["status"] == status and {"alertname": name, **labels}.items() <= a["labels"].items()]


def fires(name, **labels):
    wait_until(f"alert {name} {labels}", lambda: firing(name, **labels), 20, pause=0.2)


def reaches(name, **labels):
    fires(name, **labels)
    wait_until(f"notification of {name} {labels}; received {[n['groupLabels'] for n in received]}", lambda: told(name, "firing", **labels), 15, pause=0.2)


def ends(name, **labels):
    wait_until(f"the end of {name} {labels}", lambda: not firing(name, **labels), 30, pause=0.2)


def away(program, which="supervisor"):
    """Killed, and not started again."""
    place.hold(program)
    pid = place.status(which)[program][1]
    os.kill(pid, 9)
    wait_until(f"{program} to be gone", lambda: not os.path.exists(f"/proc/{pid}") and place.status(which)[program][1] != pid, 10)


def hastened(folder):
    """Our rules and configurations with shorter waits: what is tested is what fires, and where it arrives."""
    shutil.copytree(MONITORING, folder)
    for path, changes in ((f"{folder}/rules/alerts.yml", ((r"for: \d+[smh]", "for: 1s"),)),
                          (f"{folder}/prometheus.yml", ((r"_interval: 5s", "_interval: 1s"), (r"timeout: 4s", "timeout: 1s"), (r"refresh_interval: 10s", "refresh_interval: 1s"))),
                          (f"{folder}/alertmanager.yml", ((r"group_wait: \d+s", "group_wait: 1s"), (r"group_interval: 1m", "group_interval: 1s")))):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for old, new in changes:
            text, n = re.subn(old, new, text)
            assert n > 0, f"{path}: found no {old}"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


# ---- the files -----------------------------------------------------------------------------------------------------------------------------------------


def test_rules_are_clean_and_fire():
    subprocess.run([f"{ROOT}/scripts/setup.sh", "monitor", "--quiet"], check=True, timeout=600)
    for command in (["promtool", "check", "rules", *sorted(glob.glob(f"{MONITORING}/rules/*.yml"))], ["promtool", "check", "config", f"{MONITORING}/prometheus.yml"],
                    ["amtool", "check-config", f"{MONITORING}/alertmanager.yml"], ["promtool", "test", "rules", *sorted(glob.glob(f"{MONITORING}/tests/*.yml"))]):
        done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)
        assert done.returncode == 0, f"{command[:3]}: {done.stdout[-3000:]}{done.stderr[-3000:]}"


# ---- a watched installation ----------------------------------------------------------------------------------------------------------------------------


def test_heartbeat_is_delivered():
    reaches("Heartbeat")
    wait_until("every instance to be scraped", lambda: len(query('up{job="carillon"} == 1')) == len([n for n in place.status() if n != "payment-stub"]), 20)


def test_dashboards_find_series():
    players = place.players(players=20)
    try:
        wait_until("rounds", lambda: players.settled() > 300, 30)
        for path in sorted(glob.glob(f"{MONITORING}/grafana/*.json")):
            with open(path, encoding="utf-8") as file:
                board = json.load(file)
            for panel in board["panels"]:
                for target in panel["targets"]:
                    wait_until(f"{board['title']}, {panel['title']}: {target['expr']}", lambda expr=target["expr"]: query(expr), 30, pause=0.3)
    finally:
        players.finish()


def test_dead_instance_is_told_and_resolved():
    away("payments-1")
    fires("InstanceDown", instance="payments-1")
    reaches("ServiceMissing", service="payments")
    fires("ShardUnowned", service="payments")
    place.release("payments-1")
    ends("ServiceMissing", service="payments")
    wait_until("that it is resolved", lambda: told("ServiceMissing", "resolved", service="payments"), 30)


def test_instance_that_ends_again_and_again_is_told():
    for _ in range(3):
        began = query('carillon_instance_started_seconds{instance="notifications-1"}')[0]["value"][1]
        place.kill("notifications-1")
        wait_until("its next start", lambda began=began: query(f'carillon_instance_started_seconds{{instance="notifications-1"}} != {began}'), 30)
    reaches("InstanceRestarting", instance="notifications-1")


def test_broken_ledger_is_told_until_it_is_proven():
    def proof(good):
        done = subprocess.run([f"{BIN}/jackpotctl", "ledger", "verify"], cwd=place.data, env={**place.environment, **place.stack}, capture_output=True, timeout=120, check=False)
        return (done.returncode == 0) == good

    place.verify()
    assert os.path.exists(f"{place.data}/heads/proof-good")
    os.utime(f"{place.data}/heads/proof-good", (0, time.time() - 40 * 3600))
    reaches("LedgerProofOld")
    row = "where shard = 0 and batch = (select min(batch) from wallet.batch where shard = 0)"
    digest = place.sql(f"select encode(digest, 'hex') from wallet.batch {row}")[0][0]
    place.sql(f"update wallet.batch set digest = '\\x{'00' * (len(digest) // 2)}' {row} returning 1", writer=True)
    assert proof(good=False), "a changed digest was not found"
    reaches("LedgerBroken")
    place.sql(f"update wallet.batch set digest = '\\x{digest}' {row} returning 1", writer=True)
    assert proof(good=True), "the ledger is not whole again"
    ends("LedgerBroken")
    ends("LedgerProofOld")


def test_alerts_of_one_name_come_as_one():
    for key in ("gateway/token.key", "gateway/operator-1.key"):
        os.utime(f"{place.data}/keys/{key}", (0, time.time() - 500 * 86400))
    reaches("KeyOld", key="gateway/token.key")
    reaches("KeyOld", key="gateway/operator-1.key")
    assert [n for n in told("KeyOld", "firing") if len(n["alerts"]) >= 2], "the two keys never came in one notification"


def test_silenced_alert_is_not_delivered():
    done = subprocess.run(["amtool", f"--alertmanager.url=http://127.0.0.1:{place.monitor['ALERTMANAGER_PORT']}", "silence", "add", "alertname=RateOld", "--duration=10m",
                           "--comment=test", "--author=test"], capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode == 0, done.stderr
    place.sql("update carillon.fx_rate set valid_from = now() - interval '160 hours' where currency = 752 returning 1", writer=True)
    fires("RateOld")
    wait_until("its silence", lambda: [a for a in ask(place.monitor["ALERTMANAGER_PORT"], "/api/v2/alerts?silenced=true&active=false")
                                       if a["labels"]["alertname"] == "RateOld" and a["status"]["state"] == "suppressed"], 20)
    # An alert that began later has come meanwhile.
    place.sql("insert into engine.stopped_game (game, reason) values (5, 'test') returning 1", writer=True)
    reaches("GameStopped")
    place.sql("delete from engine.stopped_game where game = 5 returning 1", writer=True)
    assert not told("RateOld", "firing"), "a silenced alert was delivered"
    ends("GameStopped")


def test_id_with_other_content_is_told():
    """A back end uses the key of one deposit for another."""
    person = Person(place, "EUR")
    person.deposit(100, key="watch-twice")
    assert person.operator("deposits", {"amount_minor": 200, "currency": "EUR"}, "watch-twice").status == 422
    reaches("WalletAlarm", alarm="id_with_other_content")


def test_unsigned_message_is_told():
    """Somebody who has none of the keys writes to Kafka."""
    subprocess.run([f"{BIN}/kafka-raw", "send", "wallet.facts", "0"], input="00", text=True, check=True, timeout=20, env={**place.environment, **place.stack}, cwd=place.data)
    reaches("EventsRefused", topic="wallet.facts")


def test_wrong_credentials_are_told():
    """More in some seconds than the alert allows in a quarter of an hour."""
    def wrong(n):
        connection = http.client.HTTPConnection("127.0.0.1", int(place.ports["HTTP_PORT"]), timeout=10)
        for _ in range(n):
            connection.request("GET", "/v1/operators/1/fx-rates", headers={"Authorization": "Bearer " + "0" * 64})
            answer = connection.getresponse()
            answer.read()
            assert answer.status in (401, 429), answer.status
        connection.close()

    # A rate begins at a count's first value.
    wrong(1)
    wait_until("its count", lambda: query('carillon_gateway_wrong_credentials_total{kind="key"} > 0'), 10)
    wrong(200)
    reaches("WrongCredentials", kind="key")


def test_unpaid_jackpot_is_told():
    """A jackpot is won while nobody can price it; it is paid as soon as somebody can."""
    person = Person(place, "EUR", deposit=100_000)
    away("progressive-pool-1")
    force(place, person.name, JACKPOT)
    person.bet(1, 15, 10)
    reaches("ClaimUnpaid", service="wallet")
    place.release("progressive-pool-1")
    ends("ClaimUnpaid")
    wait_until("the award", lambda: place.sql(f"select 1 from wallet.claim where player = {person.id} and closed_seq > 0"), 10)


def test_paused_jackpot_is_told():
    place.http("POST", "/v1/operators/1/pools/1/actions", {"action": "pause", "reason": "test"}, token=place.operator_key(), key="watch-pause")
    reaches("PoolPaused", pool="bewitched")


def test_runbook_commands_run():
    environment = {**place.environment, **place.stack, "PATH": f"{BIN}:/usr/lib/postgresql/15/bin:{os.environ['PATH']}"}
    pages = sorted(glob.glob(f"{ROOT}/docs/runbooks/[A-Z]*.md"))
    wrong = []
    for page in pages:
        if page.endswith("README.md"):
            continue
        with open(page, encoding="utf-8") as file:
            blocks = re.findall(r"^```sh\n(.*?)^```", file.read(), flags=re.S | re.M)
        assert blocks, f"{page}: no commands"
        for block in blocks:
            done = subprocess.run(["bash", "-euc", block], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False)
            if done.returncode != 0:
                wrong.append(f"{os.path.basename(page)}: status {done.returncode}\n{done.stdout[-300:]}\n{done.stderr[-500:]}")
    assert not wrong, "\n".join(wrong)


def test_servers_that_are_away_are_told():
    for program, alert in (("redis", "RedisDown"), ("kafka", "KafkaDown")):
        away(program, "stack")
        reaches(alert)
        place.release(program)
        ends(alert)


def test_what_follows_from_postgres_is_not_told_beside_it():
    """Services end without it; who is called hears of Postgres."""
    place.hold("postgres")
    place.kill("postgres")
    reaches("PostgresDown")
    wait_until("an instance that is away, not told because Postgres is", lambda: [
        a for a in ask(place.monitor["ALERTMANAGER_PORT"], "/api/v2/alerts?inhibited=true") if a["labels"]["alertname"] == "InstanceDown" and a["status"]["inhibitedBy"]], 30, pause=0.2)
    place.release("postgres")
    ends("PostgresDown")
    ends("InstanceDown")


def test_blind_watch_is_told():
    away("watch", "monitor")
    reaches("WatchBlind")
    place.release("watch")
    ends("WatchBlind")


def main():
    global place
    receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    with Installation("monitoring") as place:
        hastened(f"{place.data}/monitoring-test")
        place.environment.update(CARILLON_MONITORING=f"{place.data}/monitoring-test", CARILLON_WATCH_MS="500", CARILLON_ALERTS_URL=f"http://127.0.0.1:{receiver.server_port}/")
        place.script(f"{ROOT}/scripts/monitor.sh", "start")
        with open(f"{place.data}/run/ports", encoding="utf-8") as file:
            place.monitor = dict(line.strip().split("=", 1) for line in file if "=" in line)
        run(test_rules_are_clean_and_fire, test_heartbeat_is_delivered, test_dashboards_find_series, test_dead_instance_is_told_and_resolved,
            test_instance_that_ends_again_and_again_is_told, test_broken_ledger_is_told_until_it_is_proven, test_alerts_of_one_name_come_as_one,
            test_silenced_alert_is_not_delivered, test_id_with_other_content_is_told, test_unsigned_message_is_told,
            test_wrong_credentials_are_told, test_unpaid_jackpot_is_told, test_paused_jackpot_is_told, test_runbook_commands_run, test_servers_that_are_away_are_told,
            test_what_follows_from_postgres_is_not_told_beside_it, test_blind_watch_is_told)


if __name__ == "__main__":
    main()
