#!/usr/bin/env python3
"""What progressive-pool does in a second, durably (fsync on): stakes told to it and hits priced, on one pool and on 1,000, through its decoder, core, log of
events and the one transaction with the fence; the pure core alone, beside a plain C loop. pgbench's TPC-B with 8 clients on the same server stands beside it. Kafka
is left out. Prints a table and writes build/bench/pool.json. Nothing is asserted but the pools' identities and that their events lead to their states.

    pool.py [--seconds=N] [--pools=N] [--short | --try]"""
import json
import subprocess

from lib_bench import ROOT, bench_options, result_write
from lib_database import SHARDS, Server
from lib_stack import BIN, pairs

IDENTITIES = """select count(*), count(*) filter (where p.jp_pool_e27 <> r.accrued or p.jp_seed_e27 <> r.seed or p.contributions_e27 <> p.t_e18 * 1000000000
 or p.contributions_e27 + p.house_seed_e27 <> p.jp_pool_e27 + p.jp_reserve_e27 + p.jp_seed_e27 + p.paid_e27 or p.paid_e27 <> h.cost or p.hits <> h.n)
from pool.pool p join lateral (select sum((p.t_e18 - w_e18) * share_nano + r_e27) as accrued, sum(seed_minor * unit_e27) as seed from pool.row where pool = p.pool) r on true
join lateral (select count(*) as n, coalesce(sum(cost_e27), 0) as cost from pool.hit where pool = p.pool) h on true"""


class Bench:
    def __init__(self, server):
        self.server = server
        server.database_new("pools")
        server.sql("pools", f"insert into carillon.shard (service, shard) select 'wallet', generate_series(0, {SHARDS - 1})")  # whose totals these are
        self.environment = {**server.environment, "CARILLON_PG_DSN": server.dsn("pools"), "CARILLON_PG_RO_DSN": server.dsn("pools"), "CARILLON_KAFKA": "none:1",
                            "CARILLON_REDIS": pairs(f"{server.data}/run/stack.env").get("CARILLON_REDIS", "none:1"), "CARILLON_INSTANCE": "pool-1",
                            "CARILLON_GAMES": f"{ROOT}/services/spin-engine/games"}
        self.environment.pop("KAFKA")

    def run(self, *steps):
        """The lines of the steps, with Postgres' CPU beside those of one step."""
        lines = []
        for step in steps:
            before = self.server.cpu()
            done = subprocess.run([f"{BIN}/pool-bench", step], env=self.environment, cwd=self.server.data, capture_output=True, text=True, timeout=600, check=False)
            if done.returncode != 0:
                raise SystemExit(f"pool-bench {step}: status {done.returncode}\n{done.stdout[-1000:]}\n{done.stderr[-3000:]}")
            line = json.loads(done.stdout.splitlines()[-1])
            if line.get("count"):
                line["postgres_cpu_us"] = 1e6 * (self.server.cpu() - before) / line["count"]
            lines.append(line)
        return lines

    def proven(self):
        n, broken = (int(x) for x in self.server.sql("pools", IDENTITIES).split())
        if broken or not n:
            raise SystemExit(f"{broken} of {n} pools break an identity")
        # The totals were told by nobody's journal, so that only what comes before that proof is asked for.
        done = subprocess.run([f"{BIN}/jackpotctl", "pool", "replay", "1", "--json", "--dsn", self.server.dsn("pools")], capture_output=True, text=True, check=False)
        difference = json.loads(done.stdout)["difference"]
        if "journal" not in difference["where"]:
            raise SystemExit(f"pool 1 is not what its events lead to: {difference}")
        return n


def table(result):
    core = result["core"]
    print(f"pgbench TPC-B, 8 clients: {result['pgbench_tps']:.0f} transactions/s; the pure core, one thread: {core['contributions_per_s'] / 1e6:.1f} million contributions/s, "
          f"{core['hits_per_s'] / 1e6:.2f} million hits/s (a plain loop without checks {core['plain_contributions_per_s'] / 1e6:.0f} and {core['plain_hits_per_s'] / 1e6:.1f})")
    print(f"{'durable':<34} {'/s':>10} {'p50 ms':>8} {'p99 ms':>8} {'commits':>8} {'service':>9} {'Postgres':>9}  us of CPU each")
    for line in result["points"]:
        print(f"{line['step']}, {line['pools']} pools, {line['batch']} a turn".ljust(34) + f" {line['per_s']:>10.0f} {line['commit_p50_ms']:>8.2f} {line['commit_p99_ms']:>8.2f} "
              f"{line['commits']:>8} {line['cpu_us']:>9.2f} {line['postgres_cpu_us']:>9.2f}")
    print(f"memory a pool {result['bytes_a_pool'] / 1e3:.0f} kB; {result['proven']} pools' identities hold")


def main():
    options = bench_options(__doc__, seconds=(5, 2, 1), pools=(1000, 100, 10))
    s, many = options.seconds, options.pools
    with Server("bench-pool") as server:
        server.pgbench_fill()
        tps = [server.pgbench(s)]
        bench = Bench(server)
        core = bench.run(f"core:{s}")[0]
        points = bench.run(f"feed:1:1000:{s}", f"hits:1:1:{s}", f"hits:1:16:{s}", f"hits:1:256:{s}")
        one = points[-1]["rss"]
        bench.run(f"create:{many}")
        points += bench.run(f"feed:{many}:1000:{s}", f"hits:{many}:1:{s}", f"hits:{many}:16:{s}", f"hits:{many}:256:{s}")
        tps.append(server.pgbench(s))
        result = {"core": core, "points": points, "bytes_a_pool": (points[4]["rss"] - one) / many, "pgbench_tps": sum(tps) / len(tps), "pgbench_all": tps,
                  "proven": bench.proven()}
    for what, of in (("contributions_per_s", "feed"), ("hits_per_s", "hits")):
        for n, name in ((1, "one_pool"), (many, "many_pools")):
            result[f"{what}_{name}"] = max(line["per_s"] for line in points if line["step"] == of and line["pools"] == n)
    result["pools"] = many
    table(result)
    result_write(options, "pool", result)


if __name__ == "__main__":
    main()
