"""What the measurements of whole installations share: CPU time by process, and rounds through HTTP while all players play. What the bench itself does in
between must cost nothing: the players share the machine."""
import os
import time

TICKS = os.sysconf("SC_CLK_TCK")
WARM_UP_S = 2  # players come, and have their first bets: session, account, page caches


def read(path):
    try:
        with open(path, encoding="ascii") as file:
            return file.read()
    except OSError:
        return ""


def cpu_seconds(pid):
    """Of the process and of its children, live and reaped: Postgres works in backends."""
    total = 0
    for one in [pid] + [int(child) for child in read(f"/proc/{pid}/task/{pid}/children").split()]:
        fields = read(f"/proc/{one}/stat").rsplit(")", 1)[-1].split()
        if len(fields) > 14:
            total += int(fields[11]) + int(fields[12]) + (int(fields[13]) + int(fields[14]) if one == pid else 0)
    return total / TICKS


def cpu_of_all(place):
    pids = {name: row[1] for which in ("supervisor", "stack") for name, row in place.status(which).items() if row[0] == "running"}
    return {name: cpu_seconds(pid) for name, pid in pids.items()}


def cpu_a_round(before, after, rounds):
    return {name: round(1e6 * (after[name] - before[name]) / max(rounds, 1), 1) for name in after if name in before}


def settled_at(record, wall_s):
    """Rounds settled until then, by the players' timeline."""
    points = record["timeline"]
    at = min(max((wall_s - record["started_us"] / 1e6) * 10, 0), len(points) - 1)
    low = min(int(at), max(len(points) - 2, 0))
    high = points[min(low + 1, len(points) - 1)]["settled"]
    return points[low]["settled"] + (at - low) * (high - points[low]["settled"])


def wait_until_warm(players):
    while players.process.poll() is None and not players.live().get("warm"):
        time.sleep(0.1)


def http(place, seconds, rate, crowd=200):
    """As many spins a second as asked for (0: as fast as answers come), while all play; what they cost in the middle of it."""
    players = place.players(players=crowd, seconds=seconds + WARM_UP_S, warm_up=WARM_UP_S, rate=rate, first_player=1 if rate else 1001, game="bewitched", gamble=0,
                            subscribers=1)
    wait_until_warm(players)
    before, began = cpu_of_all(place), time.time()
    time.sleep(max(seconds - 2, 1))
    after, ended = cpu_of_all(place), time.time()
    record = players.finish(stop=False, timeout=seconds + 300)
    slowest = sorted((point["slowest_us"] // 1000 for point in record["timeline"][10 * WARM_UP_S:]), reverse=True)
    return {**{name: record[name] for name in ("rounds_per_s", "p50_ms", "p99_ms", "client_cpu_share", "client_cpu_us")},
            "slowest_ms": slowest[:20], "cpu_us": cpu_a_round(before, after, settled_at(record, ended) - settled_at(record, began))}
