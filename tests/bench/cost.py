#!/usr/bin/env python3
"""What a round costs the wallet and Postgres in microseconds of CPU, from a thousand to a million players, and from a hundred thousand to ten million rounds
kept. Writes build/bench/cost.json and, with --plot (make bench BENCH=cost does), docs/cost.svg.

    cost.py [--rounds=N] [--players=N,N,..] [--plot=FILE] [--short | --try]

Players: each point is an installation of its own with so many accounts, of which a thousand are at play, and then all; as many rounds a point. Rounds kept: one installation of
ten thousand players that goes on to play; a point a quarter million rounds."""
import json
import statistics

from lib_bench import ROOT, bench_options, result_write
from lib_database import Server

BATCH = 500
ACTIVE = 1000


def measured(server, wallet):
    before = server.cpu()
    wallet.go()
    line = wallet.line("play")
    postgres = 1e6 * (server.cpu() - before) / line["rounds"]
    return {"wallet_us": line["cpu_us"], "postgres_us": postgres, "sum_us": line["cpu_us"] + postgres, "rounds_per_s": line["rounds_per_s"],
            "commit_p99_ms": line["commit_p99_ms"], "rss": line["rss"]}


def median(points):
    return {key: statistics.median(p[key] for p in points) for key in points[0]}


def by_players(server, players, rounds, warm):
    """One database; the next larger one begins when it is gone. A thousand of the players at play, and all of them: then each round brings the write of another
    account with it, while few players at full speed play often between two writes of theirs."""
    name = f"players_{players}"
    server.database(name)
    plays = [ACTIVE] * 3 + ([players] * 3 if players > ACTIVE else [])
    steps = ["open", f"rounds:{players}:{BATCH}:{warm}"] + [text for active in plays for text in ("wait", f"rounds:{active}:{BATCH}:{rounds}")]
    wallet = server.wallet(name, players, *steps, WALLET_ACCOUNTS_MAX=str(2 * max(players, 1000)))
    wallet.line("play")
    server.sql(name, "vacuum analyze")  # what opening so many accounts has left to do is no cost of a round
    server.sql(name, "checkpoint")
    points = [measured(server, wallet) for _ in plays]
    wallet.end()
    server.drop(name)
    return {"players": players, **median(points[:3]), "all_play": median(points[-3:])}


def by_rounds(server, most, step):
    server.database("kept")
    first = 2 * step // 5
    windows = [first, step - first] + [step] * max(most // step - 1, 1)
    wallet = server.wallet("kept", 10000, "open", *[text for n in windows for text in ("wait", f"rounds:10000:{BATCH}:{n}")])
    wallet.line("open")
    points = []
    for n in windows:
        points.append({"rounds": n + (points[-1]["rounds"] if points else 0), **measured(server, wallet)})
    wallet.end()
    size = int(server.sql("kept", "select sum(pg_total_relation_size(c.oid)) from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'wallet' and c.relkind = 'r'"))
    server.drop("kept")
    return points, size / sum(windows)


# ---- the plot: plain SVG ----

WIDTH, HEIGHT, LEFT, TOP, INNER_W, INNER_H = 900, 340, 60, 46, 350, 220
INK, WALLET, POSTGRES = "#1f2430", "#3b6fb6", "#c2703d"


def text(x, y, what, anchor="middle", size=12, weight="normal"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" font-weight="{weight}" fill="{INK}">{what}</text>'


def panel(left, title, points, x_of, ticks, top_us):
    """Wallet, and Postgres on top of it, as areas over x_of(point) in 0..1."""
    def at(x, us):
        return f"{left + x * INNER_W:.1f},{TOP + INNER_H * (1 - us / top_us):.1f}"

    xs = [x_of(p) for p in points]
    out = [text(left + INNER_W / 2, TOP - 20, title, size=14, weight="bold")]
    for us in range(0, int(top_us) + 1, 5):
        y = TOP + INNER_H * (1 - us / top_us)
        out += [f'<line x1="{left}" y1="{y:.1f}" x2="{left + INNER_W}" y2="{y:.1f}" stroke="#d9dce3"/>', text(left - 8, y + 4, us, "end")]
    for colour, low, high in ((WALLET, lambda p: 0, lambda p: p["wallet_us"]), (POSTGRES, lambda p: p["wallet_us"], lambda p: p["sum_us"])):
        line = [at(x, high(p)) for x, p in zip(xs, points)]
        base = [at(x, low(p)) for x, p in zip(xs, points)]
        out.append(f'<polygon points="{" ".join(line + base[::-1])}" fill="{colour}" fill-opacity="0.35"/>')
        out.append(f'<polyline points="{" ".join(line)}" fill="none" stroke="{colour}" stroke-width="2"/>')
        if len(points) <= 12:
            out += [f'<circle cx="{p.split(",")[0]}" cy="{p.split(",")[1]}" r="3" fill="{colour}"/>' for p in line]
    out += [text(left + x * INNER_W, TOP + INNER_H + 20, label) for x, label in ticks]
    return out


def plot(result, path):
    import math
    players, rounds = result["players"], result["rounds"]
    top = 5 * math.ceil(1.15 * max(p["sum_us"] for p in players + rounds + [p["all_play"] for p in players]) / 5)

    def place(value, low, high):
        return (math.log10(value) - math.log10(low)) / (math.log10(high) - math.log10(low)) if high > low else 0.5

    first, last = players[0]["players"], players[-1]["players"]
    start, end = rounds[0]["rounds"], rounds[-1]["rounds"]
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" role="img">',
           "<title>CPU microseconds a round by players and by rounds kept</title>", f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>']
    out += panel(LEFT, "by players, a thousand of them at play (dashed: all)", players, lambda p: place(p["players"], first, last), [(place(p["players"], first, last), f"{p['players']:,}") for p in players], top)
    line = " ".join(f"{LEFT + place(p['players'], first, last) * INNER_W:.1f},{TOP + INNER_H * (1 - p['all_play']['sum_us'] / top):.1f}" for p in players)
    out.append(f'<polyline points="{line}" fill="none" stroke="{INK}" stroke-width="1.5" stroke-dasharray="5 4"/>')
    ticks = [v for v in (100000, 1000000, 10000000) if start <= v <= end] or [start, end]
    out += panel(LEFT + INNER_W + 90, "by rounds kept", rounds, lambda p: place(p["rounds"], start, end), [(place(v, start, end), f"{v:,}") for v in ticks], top)
    y = HEIGHT - 18
    out += [f'<rect x="{LEFT}" y="{y - 10}" width="12" height="12" fill="{WALLET}" fill-opacity="0.6"/>', text(LEFT + 18, y, "wallet, with making its commands", "start"),
            f'<rect x="{LEFT + 260}" y="{y - 10}" width="12" height="12" fill="{POSTGRES}" fill-opacity="0.6"/>', text(LEFT + 278, y, "Postgres, on top of it", "start"),
            text(WIDTH - 40, y, "microseconds of CPU a round", "end"), "</svg>"]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(out) + "\n")
    print(f"written: {path}")


def plot_options(parser):
    parser.add_argument("--plot", default=f"{ROOT}/docs/cost.svg", help="of a whole run")
    parser.add_argument("--from-json", help="only the plot, of an earlier run's file")


def main():
    # step: rounds between two points by rounds kept; point, warm: rounds of a point by players, and before the first of them
    options = bench_options(__doc__, plot_options, rounds=(10000000, 1000000, 20000), players=("1000,10000,100000,1000000", "1000,10000,100000", "1000,2000"),
                            step=(250000, 250000, 10000), point=(200000, 50000, 5000), warm=(60000, 60000, 5000))
    if options.from_json:
        with open(options.from_json, encoding="utf-8") as file:
            plot(json.load(file), options.plot)
        return
    counts = [int(n) for n in options.players.split(",")]
    with Server("bench-cost") as server:
        players = [by_players(server, n, options.point, options.warm) for n in counts]
        rounds, row_bytes = by_rounds(server, options.rounds, options.step)
    result = {"players": players, "rounds": rounds, "bytes_a_round": row_bytes, "growth_players": players[-1]["sum_us"] / players[0]["sum_us"],
              "growth_rounds": statistics.median(p["sum_us"] for p in rounds[-3:]) / statistics.median(p["sum_us"] for p in rounds[:3])}
    print(f"{'':<24} {'wallet':>8} {'Postgres':>9} {'sum':>7}  us of CPU a round")
    for point in players:
        print(f"{point['players']:>13,} players  {point['wallet_us']:>8.2f} {point['postgres_us']:>9.2f} {point['sum_us']:>7.2f}, all at play {point['all_play']['sum_us']:.2f}")
    for point in rounds[:: max(len(rounds) // 8, 1)]:
        print(f"{point['rounds']:>13,} rounds   {point['wallet_us']:>8.2f} {point['postgres_us']:>9.2f} {point['sum_us']:>7.2f}")
    print(f"bytes kept a round: {row_bytes:.0f}; last to first rounds: {result['growth_rounds']:.2f}; {counts[-1]:,} to {counts[0]:,} players: {result['growth_players']:.2f}")
    result_write(options, "cost", result)
    if options.whole:
        plot(result, options.plot)


if __name__ == "__main__":
    main()
