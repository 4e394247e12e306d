#!/usr/bin/env python3
"""Alerts fired by their causes on a real Prometheus, and delivered by a real Alertmanager: those that monitoring.py leaves out. docs/monitoring.md lists which
test fires which alert. Thresholds and expressions are those of the rules; only the waits are shorter (lib_watch.py).

Part of `make test-long`: it needs Debian's Prometheus, and some minutes.

    alerts.py [TEST]..."""
import http.client
import json
import os
import subprocess
import sys
import threading

from draws import BROKEN
from forged import PARTS, edited, flip
from lib_bus import Insider, Target, command
from lib_outage import JACKPOT
from lib_play import RULES, Person, force, operator
from lib_raw import raw
from lib_stack import BIN, eventually, read_text, run
from lib_watch import Watched

LOSS = RULES.stops()
SILENT, OTHER = 10, 9  # the last two digits of an amount say how the stub of the provider behaves
place = None


def bet(person):
    """One answer, whatever it is; the state follows it."""
    answer = place.http("POST", "/v1/rounds", person.bet_body(), token=person.token, key=os.urandom(8).hex())
    if isinstance(answer.json, dict) and answer.json.get("expect") is not None and answer.status != 422:
        person.state = {**person.state, **{k: v for k, v in answer.json.items() if k != "error"}}
    return answer


def loser(bets=40):
    """Whose rounds are closed at once."""
    person = Person(place, deposit=10000)
    force(place, person.name, *[LOSS] * bets)
    return person


# ---- services ------------------------------------------------------------------------------------------------------------------------------------------


def test_engine_that_is_away():
    """Bets are answered 503 after some seconds, here one after another, so that the count grows; and a gateway that starts meanwhile waits."""
    people, over = [loser() for _ in range(6)], threading.Event()

    def go_on(person, at_s):
        over.wait(at_s)
        while not over.is_set():
            bet(person)
    place.away("spin-engine-1")
    bettors = [threading.Thread(target=go_on, args=(person, i)) for i, person in enumerate(people)]
    for bettor in bettors:
        bettor.start()
    try:
        place.fires("RequestsFail")
    finally:
        over.set()
        for bettor in bettors:
            bettor.join()
    place.kill("gateway-1")
    place.reaches("InstanceNotReady", instance="gateway-1")
    place.reaches("RequestsFail")
    place.release("spin-engine-1")
    place.ends("InstanceNotReady")


def test_slow_commits():
    """As on a slow disk: each row of one player's bets takes Postgres a second and a half."""
    person = loser(200)
    place.sql(f"""create function wallet.slow_row() returns trigger language plpgsql as $$ begin perform pg_sleep(1.5); return new; end $$;
                  create trigger slow_row before insert on wallet.journal for each row when (new.player = {person.id} and new.kind = 2) execute function wallet.slow_row()""", writer=True)
    for alert in ("SpinsSlow", "CommitsSlow"):
        eventually(alert, lambda alert=alert: (bet(person).status == 200 or person.refresh()) and place.firing(alert), 60, 0.1)
    place.sql("drop trigger slow_row on wallet.journal", writer=True)
    place.reaches("SpinsSlow")
    place.reaches("CommitsSlow", service="wallet")


def test_random_numbers_that_repeat():
    """The system's source stands still: the engine notices, stops all play, and says on /healthz that it is ill."""
    person, library = loser(), f"{place.data}/broken.so"
    with open(f"{place.data}/broken.c", "w", encoding="ascii") as file:
        file.write(BROKEN)
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-DGOOD_SALTS=6", "-o", library, f"{place.data}/broken.c"], check=True, timeout=60)
    place.change(f"LD_PRELOAD={library}", "spin-engine-1")
    eventually("no more draws", lambda: bet(person).error.get("code") in ("draws_stopped", "game_stopped") or person.refresh() is None, 60, 0.1)
    place.reaches("DrawsStopped", instance="spin-engine-1")
    place.reaches("InstanceUnhealthy", instance="spin-engine-1")
    place.shows("DrawsStopped", "random numbers: salts: repeated")
    place.change("LD_PRELOAD=", "spin-engine-1")
    eventually("the games", lambda: operator(place, "/games/all/start", {"reason": "the source was looked into"}).status in (200, 409), 20, 0.2)
    place.ends("DrawsStopped")
    place.ends("InstanceUnhealthy", instance="spin-engine-1")


class Gate:
    """Each transaction of one instance's loop, a commit or a renewal of its lease, waits in Postgres until it is let through."""

    def __init__(self, instance):
        self.passed = 0
        place.sql(f"""create table carillon.test_gate (let bigint not null);
                      insert into carillon.test_gate values (0);
                      create sequence carillon.test_came;
                      create function carillon.test_wait() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
                      declare
                          n bigint := nextval('carillon.test_came');
                      begin
                          while (select let from carillon.test_gate) < n loop perform pg_sleep(0.02); end loop;
                          return null;
                      end $$;
                      create trigger test_wait before update of offset_1 on carillon.shard for each statement
                      when (current_setting('application_name') = '{instance}') execute function carillon.test_wait()""", writer=True)

    def waits(self):
        came = int(place.sql("select case when is_called then last_value else 0 end from carillon.test_came", writer=True)[0][0])
        return came if came > self.passed else None

    def let_one(self):
        self.passed = eventually("a transaction", self.waits, 20)
        place.sql(f"update carillon.test_gate set let = {self.passed} returning let", writer=True)
        eventually("the one after it", self.waits, 20)

    def open(self):
        place.sql(f"update carillon.test_gate set let = {2 ** 62} returning let", writer=True)


def scraped(instance):
    """Back when Prometheus has asked the instance once more than it is asking now."""
    def asked():
        return float(place.query(f'timestamp(up{{instance="{instance}"}})')[0]["value"][1])
    for _ in range(2):
        before = asked()
        eventually("a scrape", lambda before=before: asked() > before, 20, 0.2)


def test_loop_that_is_stuck():
    """A transaction takes for ever. A commit says how many messages it has left unread; while the next transaction is stuck nobody reads them."""
    name = "progressive-pool-1"
    gate = Gate(name)
    try:
        place.reaches("InstanceUnhealthy", instance=name)

        def lags():
            subprocess.run([f"{BIN}/kafka-raw", "flood", "jackpot.feed", "0", "40000"], check=False, timeout=120, env={**place.environment, **place.stack}, cwd=place.data)
            for _ in range(3):  # of three transactions one is a commit
                gate.let_one()
                scraped(name)
                if place.query(f'carillon_lag_messages{{instance="{name}"}} > 20000'):
                    return True
            return False
        eventually("unread messages", lags, 60)
        place.reaches("ReaderLag", service="progressive-pool", topic="jackpot.feed")
    finally:
        gate.open()
    place.ends("ReaderLag")
    place.ends("InstanceUnhealthy", instance=name)


def test_what_is_left_in_the_database():
    """The row of an instance that was taken away for good, and a shard that nobody takes."""
    place.sql("insert into carillon.instance (name, service, nn_url, health, pid, heartbeat) values"
              " ('payments-9', 'payments', 'ipc://nn/payments/payments-9', '127.0.0.1:9', 1, now() - interval '1 hour');"
              "insert into carillon.shard (service, shard) values ('payments', 99)", writer=True)
    place.reaches("InstanceDown", instance="payments-9")
    place.reaches("ShardUnowned", service="payments")
    place.shows("ShardUnowned", r"payments +\| +99 ")
    place.sql("delete from carillon.instance where name = 'payments-9'; delete from carillon.shard where service = 'payments' and shard = 99", writer=True)
    place.ends("ShardUnowned")


# ---- money ---------------------------------------------------------------------------------------------------------------------------------------------


def withdrawn(amount):
    person = Person(place, deposit=10000)
    person.operator("withdrawals", {"amount_minor": amount, "currency": "EUR"}, status=200)


def past_round_changed():
    """Somebody changes the record of a round that was played; its player looks at it."""
    person = loser(2)
    person.bet()
    first = person.round["round"]
    person.bet()
    shard, seq, record = place.sql(f"select shard, seq, encode(record, 'hex') from wallet.journal where player = {person.id} and kind = 2 and move = {first}")[0]
    changed = edited(bytes.fromhex(record), PARTS["digest"], flip).hex()
    place.sql(f"update wallet.journal set record = '\\x{changed}' where shard = {shard} and seq = {seq} returning 1", writer=True)
    answer = eventually("an answer", lambda: next((a for a in [place.http("GET", f"/v1/rounds/{first}", token=person.token)] if a.status not in (503, 504)), None), 20)
    assert (answer.status, answer.error["code"]) == (500, "replay_differs"), answer
    place.sql(f"update wallet.journal set record = '\\x{record}' where shard = {shard} and seq = {seq} returning 1", writer=True)


def returns_of(currency, errors):
    """Sums of a week: 20,000 bets of 100 that brought 200 or nothing, so many standard errors above the published return."""
    game, most = place.sql("select g.number, t.high / 100 from carillon.game g, gateway.theory_of(g.number, 0, now()) t where t.high is not null order by 1 limit 1")[0]
    bets, stake = 20000, 100
    stakes = bets * stake
    drawn = round(stakes * (float(most) + errors / bets ** 0.5))  # the error of one bet is close to its stake
    sums = {"rounds": bets, "stakes": stakes, "wins": drawn, "drawn": drawn, "stake_squares": stakes * stake, "products": drawn * stake, "win_squares": drawn * 2 * stake}
    others = ("bonus_rounds", "refused", "bonus_wins", "opened", "pending", "jackpots", "jackpots_paid", "voids", "voided", "deposits", "paid_out", "corrections", "grants")
    sums.update(dict.fromkeys(others, 0))
    place.sql(f"insert into gateway.rollup_quarter (operator, time, shard, day, game, mode, currency, {', '.join(sums)}) values"
              f" (1, date_bin('15 minutes', now() - interval '1 day', timestamptz 'epoch'), 0, current_date - 1, {game}, 0, {currency}, {', '.join(map(str, sums.values()))})"
              " returning 1", writer=True)


def test_money_that_is_wrong():
    """Each cause takes a moment; the alerts come meanwhile."""
    withdrawn(1000 + SILENT)
    withdrawn(1000 + OTHER)
    lucky = Person(place, deposit=100_000)
    force(place, lucky.name, JACKPOT)
    lucky.bet_through(1, 15, 10)  # long before the reserve can pay for the next one
    past_round_changed()
    returns_of(840, 10)
    returns_of(826, 4.2)
    for alert, labels in (("WithdrawalUnknown", {}), ("PaymentAlarm", {"alarm": "other_content"}), ("EngineAlarm", {}), ("PoolReserveSpent", {"pool": "bewitched"}),
                          ("ReturnOutsideBand", {"currency": "840"}), ("ReturnDrifts", {"currency": "826"})):
        place.reaches(alert, **labels)
    assert not place.firing("ReturnOutsideBand", currency="826")
    place.shows("WithdrawalUnknown", "1010")
    place.shows("PaymentAlarm", "other_content")
    place.shows("EngineAlarm", "ALARM replay of player")
    place.sql("delete from gateway.rollup_quarter where currency in (840, 826) returning 1", writer=True)
    place.ends("ReturnOutsideBand")  # what is no longer there keeps no alert firing
    place.ends("ReturnDrifts")


# ---- what cannot be read, and what is refused ------------------------------------------------------------------------------------------------------------


def test_player_whose_deposit_cannot_be_read():
    ill, key = Person(place, deposit=1000), "alerts-deposit"
    ill.deposit(777, key)
    row = f"update wallet.outside set content_hash = '\\x{{}}' where player = {ill.id} and seq = (select max(seq) from wallet.outside where player = {ill.id}) returning 1"
    [[content]] = place.sql(f"select encode(content_hash, 'hex') from wallet.outside where player = {ill.id} order by seq desc limit 1")
    place.sql(row.format("00"), writer=True)
    answer = operator(place, f"/players/{ill.number}/deposits", {"amount_minor": 777, "currency": "EUR"}, key)
    assert (answer.status, answer.error["code"]) == (503, "account_quarantined"), answer
    place.reaches("PlayerQuarantined", service="wallet")
    place.shows("PlayerQuarantined", str(ill.id))
    place.sql(row.format(content), writer=True)
    eventually("the release", lambda: "can play again" in place.jackpotctl("quarantine", "release", ill.name)[1] or place.jackpotctl("quarantine", "list")[0] == 0, 60, 0.3)
    place.ends("PlayerQuarantined")


def test_command_that_kills():
    """A row that Postgres does not take ends the wallet at each commit that holds it."""
    victim = loser()
    place.sql(f"""create function wallet.refuse_row() returns trigger language plpgsql as $$ begin raise exception 'this row is not taken'; end $$;
                  create trigger refuse_row before insert on wallet.journal for each row
                  when (new.player = {victim.id} and new.kind = 2) execute function wallet.refuse_row()""", writer=True)
    body = victim.bet_body()
    eventually("its third death", lambda: place.http("POST", "/v1/rounds", body, token=victim.token, key="alerts-kills").error.get("code") == "quarantined", 60, 0.1)
    place.reaches("CommandQuarantined", service="wallet")
    place.sql("drop trigger refuse_row on wallet.journal", writer=True)
    place.shows("CommandQuarantined", "wallet")
    for row in json.loads(place.jackpotctl("commands", "--json")[1])["commands"]:
        if row["quarantined"]:
            place.jackpotctl("commands", "release", row["id"])
    place.ends("CommandQuarantined")


def test_requests_without_a_session():
    """More of them within seconds than five a second in five minutes."""
    def ask(n):
        connection = http.client.HTTPConnection("127.0.0.1", int(place.ports["HTTP_PORT"]), timeout=40)
        for _ in range(n):
            connection.request("GET", "/v1/state?game=bewitched")
            answer = connection.getresponse()
            answer.read()
            assert answer.status in (401, 429), answer.status
        connection.close()
    ask(1)
    eventually("its count", lambda: place.query('carillon_http_requests_total{status="401"} > 0'), 10)
    eventually("RequestsRefused", lambda: ask(400) or place.firing("RequestsRefused"), 60, 0)
    place.reaches("RequestsRefused")


def test_messages_that_must_not_be():
    """On the bus somebody with the keys of a service says what it may not say; on Kafka stand bytes that are no fact, and a fact that the journal does not have."""
    person = Person(place, deposit=1000)
    with Insider(place, "payments") as insider:
        insider.heard(("wallet",))
    raw(place, "wallet.facts", b"\xff" * 16, [0])
    target = Target(place, person, 1)
    raw(place, "wallet.facts", target.fact(), [target.shard])
    place.reaches("ParcelsRefused", reason="forbidden", service="wallet")
    place.reaches("DeadLetters", service="spin-engine")
    place.reaches("DeadLettersWaiting")
    place.reaches("FactsMissing", service="spin-engine")
    place.shows("ParcelsRefused", "payments")
    place.shows("DeadLetters", "goes to dead.letters")
    person.deposit(1)
    eventually("the next fact", lambda: bool(person.deposit(1)) and not place.firing("FactsMissing"), 60, 1)


def test_webhook_that_accepts_nothing():
    """Two events: one has waited for two hours, and one was given up. Neither is tried now."""
    [[hook]] = place.sql("insert into gateway.webhook (operator, url, kinds, salt, created_by) values (1, 'https://casino.invalid/late', '{hit}', gen_random_uuid(), 'test') returning id", writer=True)
    for event, state in (("late", "null"), ("given-up", "now()")):
        place.sql("insert into gateway.webhook_delivery (webhook, event, kind, subject, body, since, next, dead) values"
                  f" ({hook}, '{event}', 'hit', 'pool:1', '{{}}', now() - interval '2 hours', now() + interval '1 day', {state}) returning 1", writer=True)
    place.reaches("WebhooksLate")
    place.reaches("WebhookEventsDead")
    place.shows("WebhooksLate", "casino.invalid/late")
    place.shows("WebhookEventsDead", "casino.invalid/late")
    assert operator(place, f"/webhooks/{hook}", {"action": "end", "reason": "it is gone for good"}).status == 200
    place.ends("WebhooksLate")
    place.ends("WebhookEventsDead")


# ---- jackpots and servers: Redis is away meanwhile, so that counters grow old ----------------------------------------------------------------------------


def redis_is_away():
    if not os.path.exists(f"{place.data}/run/hold/redis"):
        place.away("redis", "stack")


def test_stakes_that_are_left_out():
    """The wallet does not answer, and what it has stored cannot be read."""
    redis_is_away()
    turn = "update wallet.batch set checkpoint = -1 - checkpoint where (shard, batch) in (select shard, max(batch) from wallet.batch group by shard) returning 1"
    place.away_and_committed("wallet-1")
    place.sql(turn, writer=True)
    place.reaches("PriceLeftStakesOut")
    place.shows("PriceLeftStakesOut", "is priced without the newest stakes")
    place.sql(turn, writer=True)
    place.release("wallet-1")
    eventually("the wallet", lambda: place.sql("select count(*) from carillon.shard where service = 'wallet' and (owner is null or lease_until < now())") == [["0"]], 30)


def test_rate_that_finds_no_room():
    """A pool counts 256 tallies; a new rate needs one."""
    redis_is_away()
    place.sql("insert into pool.tally (id, pool, game, currency, rate_nano, ppm, closed) select nextval('pool.tally_id'), 1, 1, 752, 70000000 + n, 5000, now()"
              " from generate_series(1, 256 - (select count(*) from pool.tally where pool = 1 and (closed is null or closed > now() - interval '10 minutes'))) n returning id", writer=True)
    place.kill("progressive-pool-1")
    place.sql("insert into carillon.fx_rate (currency, rate_nano) values (752, 88100000) returning 1", writer=True)
    place.reaches("TermsNotApplied")
    place.sql("update pool.tally set closed = closed - interval '1 hour' where pool = 1 and closed is not null returning 1", writer=True)
    place.ends("TermsNotApplied")


def test_pool_whose_books_are_wrong():
    redis_is_away()
    place.away_and_committed("progressive-pool-1")
    place.sql("update pool.pool set jp_reserve_e27 = jp_reserve_e27 - 1e33 where pool = 1 returning 1", writer=True)
    place.release("progressive-pool-1")
    place.reaches("PoolReserveNegative", pool="bewitched")
    place.reaches("PoolQuarantined", service="progressive-pool")
    place.shows("PoolQuarantined", "pool")
    place.sql("update pool.pool set jp_reserve_e27 = jp_reserve_e27 + 1e33 where pool = 1 returning 1", writer=True)
    eventually("the release", lambda: "can be played for again" in place.jackpotctl("quarantine", "release", "pool:1")[1] or not place.firing("PoolQuarantined"), 60, 0.3)
    place.ends("PoolQuarantined")
    place.ends("PoolReserveNegative")


def test_wrong_password_of_kafka():
    """A rotation that stopped half-way: the file has a password that Kafka does not know. The page's commands finish it."""
    path = f"{place.data}/keys/jackpot-cards/kafka"
    password = read_text(path).split()[1]
    text = read_text(path).replace(password, "0" * len(password))
    with open(path, "r+", encoding="ascii") as file:  # owner and mode stay
        file.write(text)
    place.kill("jackpot-cards-1")
    place.reaches("KafkaRefuses", instance="jackpot-cards-1")
    place.shows("KafkaRefuses", "CARILLON_KAFKA_LOGIN: keys/jackpot-cards/kafka: found")
    refused = 'changes(carillon_kafka_login_refused_total{instance="jackpot-cards-1"}[10s])'
    eventually("its log-in", lambda: place.query(f"{refused} == 0"), 30, 0.3)


def test_disk_that_fills():
    """One of its own, of a megabyte; who may not mount one cannot fill one."""
    free = place.environment["CARILLON_WATCH_DISKS"]
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "carillon-test", free], capture_output=True, check=False).returncode != 0:
        print("note: only root may mount a disk of its own: DiskFilling and DiskFull were not fired")
        place.excused.update(("DiskFilling", "DiskFull"))
        return
    try:
        for alert, kilobytes in (("DiskFilling", 900), ("DiskFull", 1000)):
            with open(f"{free}/filler", "wb") as file:
                file.write(b"x" * kilobytes * 1024)
            place.reaches(alert, path=free)
        os.unlink(f"{free}/filler")
        place.ends("DiskFull")
        place.ends("DiskFilling")
    finally:
        subprocess.run(["umount", "-l", free], check=False)


def test_disk_that_is_gone():
    """Its figures go, too. That is told each time that it happens."""
    path = place.environment["CARILLON_WATCH_DISKS"]

    def figures():
        return place.query(f'carillon_disk_size_bytes{{path="{path}"}}')
    for times in (1, 2):
        eventually("its figures", figures, 60, 0.2)
        os.rmdir(path)
        place.reaches("WatchBlind", path=path)
        eventually("its notification", lambda times=times: len(place.told("WatchBlind", "firing", path=path)) >= times, 60, 0.2)
        eventually("no figures", lambda: not figures(), 60, 0.2)
        os.mkdir(path)
        place.ends("WatchBlind", path=path)
        eventually("that its end is told", lambda: not place.standing("WatchBlind", path=path), 60, 0.2)


def test_counters_that_are_not_renewed():
    redis_is_away()
    place.reaches("CountersOld")
    place.release("redis")
    place.ends("CountersOld")


def test_queue_that_is_full():
    """Kafka is away, and more comes than the engine may keep for it: 256 MiB of commands that it cannot read, each of which is to become a dead letter."""
    unreadable = command(1, 0, b"\xff" * 450_000)
    place.away("kafka", "stack")
    with Insider(place, "gateway") as insider:
        insider.heard(("spin-engine",))
        insider.send(("spin-engine", unreadable), times=600)
        eventually("KafkaQueueFull", lambda: insider.send(("spin-engine", unreadable), times=5) or place.firing("KafkaQueueFull"), 60, 0.5)
    place.reaches("KafkaQueueFull", instance="spin-engine-1")
    place.kill("spin-engine-1")  # none of it goes to Kafka
    place.release("kafka")


def test_all_were_delivered():
    if not sys.argv[1:]:
        place.all_reached("alerts")


if __name__ == "__main__":
    place = Watched("alerts")
    place.environment["CARILLON_WATCH_DISKS"] = f"{place.data}/disk"
    os.mkdir(f"{place.data}/disk")
    with place:
        run(*[f for name, f in list(globals().items()) if name.startswith("test_")])
