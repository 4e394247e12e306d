#!/usr/bin/env python3
"""The monitoring on a real Prometheus and Alertmanager: the rules are clean and each alert fires for its series; alerts fire by their causes (others do in
alerts.py) and reach a receiver, grouped, silenced and resolved; each query of the dashboards finds series; the commands of each runbook run.

Part of `make test-long`: it needs Debian's Prometheus (50 MB), which nothing else does, and more than a minute. tests/tools/monitoring.py, which is
part of `make test`, needs neither.

    monitoring.py [TEST]..."""
import glob
import http.client
import json
import os
import subprocess
import sys
import time

from lib_outage import JACKPOT
from lib_play import RULES, Person, force
from lib_stack import BIN, ROOT, eventually, run
from lib_watch import MONITORING, Watched

place = None


# ---- the files -----------------------------------------------------------------------------------------------------------------------------------------


def test_rules_are_clean_and_fire():
    subprocess.run([f"{ROOT}/scripts/setup.sh", "monitor", "--quiet"], check=True, timeout=600)
    for command in (["promtool", "check", "rules", *sorted(glob.glob(f"{MONITORING}/rules/*.yml"))], ["promtool", "check", "config", f"{MONITORING}/prometheus.yml"],
                    ["amtool", "check-config", f"{MONITORING}/alertmanager.yml"], ["promtool", "test", "rules", *sorted(glob.glob(f"{MONITORING}/tests/*.yml"))]):
        done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)
        assert done.returncode == 0, f"{command[:3]}: {done.stdout[-3000:]}{done.stderr[-3000:]}"


# ---- a watched installation ----------------------------------------------------------------------------------------------------------------------------


def test_heartbeat_is_delivered():
    place.reaches("Heartbeat")
    eventually("every instance to be scraped", lambda: len(place.query('up{job="carillon"} == 1')) == len([n for n in place.status() if n != "payment-stub"]), 20)


def test_dashboards_find_series():
    players = place.players(players=20)
    try:
        eventually("rounds", lambda: players.settled() > 300, 30)
        for path in sorted(glob.glob(f"{MONITORING}/grafana/*.json")):
            with open(path, encoding="utf-8") as file:
                board = json.load(file)
            for panel in board["panels"]:
                for target in panel["targets"]:
                    eventually(f"{board['title']}, {panel['title']}: {target['expr']}", lambda expr=target["expr"]: place.query(expr), 30, pause=0.3)
    finally:
        players.finish()


def test_dead_instance_is_told_and_resolved():
    place.away("payments-1")
    place.fires("InstanceDown", instance="payments-1")
    place.reaches("ServiceMissing", service="payments")
    place.fires("ShardUnowned", service="payments")
    place.release("payments-1")
    place.ends("ServiceMissing", service="payments")
    eventually("that it is resolved", lambda: place.told("ServiceMissing", "resolved", service="payments"), 30)


def test_instance_that_ends_again_and_again_is_told():
    for _ in range(3):
        began = place.query('carillon_instance_started_seconds{instance="notifications-1"}')[0]["value"][1]
        place.kill("notifications-1")
        eventually("its next start", lambda began=began: place.query(f'carillon_instance_started_seconds{{instance="notifications-1"}} != {began}'), 30)
    place.reaches("InstanceRestarting", instance="notifications-1")


def test_broken_ledger_is_told_until_it_is_proven():
    def proof(good):
        done = subprocess.run([f"{BIN}/jackpotctl", "ledger", "verify"], cwd=place.data, env={**place.environment, **place.stack}, capture_output=True, timeout=120, check=False)
        return (done.returncode == 0) == good

    place.verify()
    assert os.path.exists(f"{place.data}/heads/proof-good")
    os.utime(f"{place.data}/heads/proof-good", (0, time.time() - 40 * 3600))
    place.reaches("LedgerProofOld")
    row = "where shard = 0 and batch = (select min(batch) from wallet.batch where shard = 0)"
    digest = place.sql(f"select encode(digest, 'hex') from wallet.batch {row}")[0][0]
    place.sql(f"update wallet.batch set digest = '\\x{'00' * (len(digest) // 2)}' {row} returning 1", writer=True)
    assert proof(good=False), "a changed digest was not found"
    place.reaches("LedgerBroken")
    place.sql(f"update wallet.batch set digest = '\\x{digest}' {row} returning 1", writer=True)
    assert proof(good=True), "the ledger is not whole again"
    place.ends("LedgerBroken")
    place.ends("LedgerProofOld")


def test_alerts_of_one_name_come_as_one():
    for key in ("gateway/token.key", "gateway/operator-1.key"):
        os.utime(f"{place.data}/keys/{key}", (0, time.time() - 500 * 86400))
    place.reaches("KeyOld", key="gateway/token.key")
    place.reaches("KeyOld", key="gateway/operator-1.key")
    assert [n for n in place.told("KeyOld", "firing") if len(n["alerts"]) >= 2], "the two keys never came in one notification"


def amtool(*arguments):
    done = subprocess.run(["amtool", f"--alertmanager.url=http://127.0.0.1:{place.monitor['ALERTMANAGER_PORT']}", *arguments], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_silenced_alert_is_not_delivered():
    silence = amtool("silence", "add", "alertname=RateOld", "--duration=30m", "--comment=test", "--author=test")
    place.sql("update carillon.fx_rate set valid_from = now() - interval '160 hours' where currency = 752 returning 1", writer=True)
    place.fires("RateOld")
    eventually("its silence", lambda: [a for a in place.alertmanager("/api/v2/alerts?silenced=true&active=false")
                                       if a["labels"]["alertname"] == "RateOld" and a["status"]["state"] == "suppressed"], 20)
    # An alert that began later has come meanwhile.
    place.sql("insert into engine.stopped_game (game, reason) values (1, 'a test') returning 1", writer=True)
    place.reaches("GameStopped")
    place.shows("GameStopped", "bewitched.*a test")  # and its second command starts the game
    assert not place.told("RateOld", "firing"), "a silenced alert was delivered"
    place.ends("GameStopped")
    person = Person(place, "EUR", deposit=1000)
    force(place, person.name, RULES.stops())
    person.bet_through()
    amtool("silence", "expire", silence)
    place.reaches("RateOld")


def test_id_with_other_content_is_told():
    """A back end uses the key of one deposit for another."""
    person = Person(place, "EUR")
    person.deposit(100, key="watch-twice")
    assert person.operator("deposits", {"amount_minor": 200, "currency": "EUR"}, "watch-twice").status == 422
    place.reaches("WalletAlarm", alarm="id_with_other_content")


def test_unsigned_message_is_told():
    """Somebody who has none of the keys writes to Kafka."""
    subprocess.run([f"{BIN}/kafka-raw", "send", "wallet.facts", "0"], input="00", text=True, check=True, timeout=120, env={**place.environment, **place.stack}, cwd=place.data)
    place.reaches("EventsRefused", topic="wallet.facts")


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
    eventually("its count", lambda: place.query('carillon_gateway_wrong_credentials_total{kind="key"} > 0'), 10)
    wrong(200)
    place.reaches("WrongCredentials", kind="key")


def test_crashes_of_a_page_are_told():
    crash = {"page": "console", "kind": "TypeError", "file": "operator/reports.js", "line": 33, "column": 14}

    def crashes(n):
        for _ in range(n):
            answer = place.http("POST", "/v1/crashes", crash)
            assert answer.status == 200, answer

    # A rate begins at a count's first value.
    crashes(1)
    eventually("its count", lambda: place.query('carillon_gateway_page_crashes_total{page="console"} > 0'), 10)
    crashes(12)
    place.reaches("PageCrashes", page="console")


def test_unpaid_jackpot_is_told():
    """A jackpot is won while nobody can price it; it is paid as soon as somebody can."""
    person = Person(place, "EUR", deposit=100_000)
    place.away("progressive-pool-1")
    force(place, person.name, JACKPOT)
    person.bet(1, 15, 10)
    place.reaches("ClaimUnpaid", service="wallet")
    place.release("progressive-pool-1")
    place.ends("ClaimUnpaid")
    eventually("the award", lambda: place.sql(f"select 1 from wallet.claim where player = {person.id} and closed_seq > 0"), 10)


def test_paused_jackpot_is_told():
    place.http("POST", "/v1/operators/1/pools/1/actions", {"action": "pause", "reason": "test"}, token=place.operator_key(), key="watch-pause")
    place.reaches("PoolPaused", pool="bewitched")


def test_runbook_commands_run():
    wrong = []
    for page in sorted(glob.glob(f"{ROOT}/docs/runbooks/[A-Z]*.md")):
        name = os.path.basename(page)[:-3]
        for done in place.commands(name) if name != "README" else ():
            if done.returncode != 0:
                wrong.append(f"{name}: status {done.returncode}\n{done.stdout[-300:]}\n{done.stderr[-500:]}")
    assert not wrong, "\n".join(wrong)


def test_servers_that_are_away_are_told():
    for program, alert in (("redis", "RedisDown"), ("kafka", "KafkaDown")):
        place.away(program, "stack")
        place.reaches(alert)
        place.release(program)
        place.ends(alert)


def test_what_follows_from_postgres_is_not_told_beside_it():
    """Services end without it; who is called hears of Postgres."""
    place.hold("postgres")
    place.kill("postgres")
    place.reaches("PostgresDown")
    eventually("an instance that is away, not told because Postgres is", lambda: [
        a for a in place.alertmanager("/api/v2/alerts?inhibited=true") if a["labels"]["alertname"] == "InstanceDown" and a["status"]["inhibitedBy"]], 30, pause=0.2)
    place.release("postgres")
    place.ends("PostgresDown")
    place.ends("InstanceDown")


def test_blind_watch_is_told():
    place.away("watch", "monitor")
    place.reaches("WatchBlind")
    place.release("watch")
    place.ends("WatchBlind")


def test_all_were_delivered():
    if not sys.argv[1:]:
        place.all_reached("monitoring")


if __name__ == "__main__":
    with Watched("monitoring") as place:
        run(*[f for name, f in list(globals().items()) if name.startswith("test_")])
