"""Kafka away under a fixed rate of bets: what the end-to-end test and the measurement share."""
import json
import shutil
import subprocess
import time
import urllib.request

from lib_play import RULES, force
from lib_stack import BIN, eventually

JACKPOT = [*RULES.stops(bonuses=3), 0]  # the first of the vials' weights, at any bet
# The largest bet of the smallest coin: the demo definition's jackpots are most frequent there.
PLAY = {"coin_minor": 1, "lines": 15, "coins": 10, "timeout": 5000}


def shown(record):
    return {k: record[k] for k in ("rounds_settled", "rounds_refused", "jackpot_hits", "p50_ms", "p99_ms", "retries")}


def kafka_has_all(place):
    """Each wallet has stored that Kafka acknowledged its newest row."""
    rows = place.sql("""select count(*) from carillon.shard s, lateral (select last_seq from wallet.batch where shard = s.shard order by batch desc limit 1) b
        where s.service = 'wallet' and s.seq_1 < b.last_seq""")
    return rows == [["0"]]


class Outage:
    def __init__(self, place, players, rate):
        self.place, self.players, self.rate = place, players, rate
        self.first = 100001  # none of them is a Person

    # ---- players ----

    def crowd(self, seconds, **more):
        """Players of their own; each jackpot of theirs must be among the winners that a subscriber saw, or finish() fails."""
        crowd = self.place.players(first_player=self.first, seconds=seconds, **{"players": self.players, "rate": self.rate, **PLAY, **more})
        self.first += self.players
        return crowd

    def hit_is_paid(self, person):
        """A jackpot, won and paid and told; seconds until the award is booked."""
        force(self.place, person.name, JACKPOT)
        began = time.monotonic()
        person.bet_through(1, 15, 10)
        move = person.round["round"]
        eventually("the award", lambda: self.place.sql(f"select 1 from wallet.claim where player = {person.id} and move = {move} and closed_seq > 0"), 20)
        took = time.monotonic() - began
        pool, hit = self.place.sql(f"select pool, hit from pool.hit where player = {person.id} and move = {move}")[0]
        eventually("the news of it", lambda: any((str(w["pool"]), str(w["hit"])) == (pool, hit) for w in self.frame("winners")["winners"]), 20)
        person.watch()
        if person.round and not person.round["closed"]:
            person.act("collect")
        return took

    # ---- news ----

    def frame(self, channel):
        """The first frame of a channel, as a client polls it."""
        url = f"http://127.0.0.1:{self.place.ports['EVENTS_PORT_1']}/v1/events/latest?channels={channel}"
        with urllib.request.urlopen(url, timeout=5) as answer:
            return json.load(answer)["frames"][0]

    def events_are_late(self):
        frame = self.frame("jackpots")
        return frame if frame["late"] and frame["age_ms"]["events"] >= 5000 else None

    def events_are_whole(self):
        return self.frame("jackpots")["age_ms"]["events"] == 0

    # ---- Kafka ----

    def kafka_has_all(self):
        """Each wallet has stored that Kafka acknowledged its newest row."""
        return kafka_has_all(self.place)

    def kafka_answers(self):
        return subprocess.run([f"{BIN}/kafka-topics", "--only-wait", "--wait=1", f"--brokers={self.place.stack['CARILLON_KAFKA']}", f"--login={self.place.data}/keys/admin/kafka"],
                              capture_output=True, check=False).returncode == 0

    def stop_kafka(self):
        self.place.hold("kafka")
        self.place.kill("kafka")
        eventually("the end of Kafka", lambda: self.place.status("stack")["kafka"][0] != "running", 20)

    def start_kafka(self, emptied):
        """Returns when it answers; the seconds that took."""
        if emptied:
            shutil.rmtree(f"{self.place.data}/kafka/data")
        began = time.monotonic()
        self.place.release("kafka")
        eventually("Kafka", self.kafka_answers, 60)
        return time.monotonic() - began

    def kafka_keeps_up(self, seen):
        """While bets go on, some rows are always on their way. Kafka has those that were there less than a second ago; `seen` keeps what was there when."""
        rows = self.place.sql("""select s.shard, s.seq_1, b.last_seq from carillon.shard s, lateral (select last_seq from wallet.batch where shard = s.shard
            order by batch desc limit 1) b where s.service = 'wallet'""")
        seen.append((time.monotonic(), {shard: int(last) for shard, _, last in rows}))
        return any(all(int(acknowledged) >= last[shard] for shard, acknowledged, _ in rows) for at, last in seen if at > seen[-1][0] - 1)

    def caught_up(self, playing=False):
        """Seconds until Kafka has every fact and the clients were told every event; while others play, all but those of the last second."""
        began, seen = time.monotonic(), []
        eventually("all facts in Kafka", lambda: self.kafka_keeps_up(seen) if playing else self.kafka_has_all(), 60)
        eventually("all events told", self.events_are_whole, 60)
        return time.monotonic() - began

    def pool_t(self):
        """What the pool has counted so far."""
        return int(self.place.sql("select t_e18 from pool.pool where pool = 1")[0][0])
