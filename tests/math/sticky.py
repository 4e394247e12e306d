"""Sticky respins. Given the column that is locked, the other reels know nothing of each other: each
shows what it held and what its strip has on the cells that are free. So each reel's columns in each
respin are counted by themselves."""

from fractions import Fraction

import evaluator
import pruned


def shown(rule, sticky, first, strip):
    """For each respin {column shown: weight} of one reel, from its columns in the starting spin."""
    states = {}
    for weight, column in evaluator.merged(first):
        held = tuple(s if s in sticky else None for s in column)
        states[held] = states.get(held, 0) + weight
    respins = []
    for _ in range(rule["spins"]):
        columns, following = {}, {}
        for held, weight in states.items():
            for strip_weight, column in evaluator.merged(strip):
                seen = tuple(h or s for h, s in zip(held, column))
                columns[seen] = columns.get(seen, 0) + weight * strip_weight
                after = tuple(s if s in sticky else None for s in seen)
                following[after] = following.get(after, 0) + weight * strip_weight
        respins.append([(weight, column) for column, weight in columns.items()])
        states = following
    return respins


def scatter_counts(columns, symbol):
    """{number of the symbol on the screen: probability}"""
    counts = {0: Fraction(1)}
    for reel in columns:
        whole, following = sum(c[0] for c in reel), {}
        for n, p in counts.items():
            for column in reel:
                key = n + evaluator.count(column[1], symbol)
                following[key] = following.get(key, 0) + p * Fraction(column[0], whole)
        counts = following
    return counts


def expected(game, columns, lines):
    """What a spin on `columns` comes to: (chance of a start, expected line bets won, free spins awarded, how many
    of the respins award some)."""
    rule = game.d["sticky_respins"]
    awards = (game.d["free_spins"] or {}).get("awards") or {"symbol": None, "respin": {}}
    table = {int(n): spins for n, spins in awards["respin"].items()}
    locked, strips = rule["reel"] - 1, game.all_columns(rule["strips"])
    others = [shown(rule, set(rule["sticky"]), columns[r], strips[r]) if r != locked else None
              for r in range(game.reels)]
    whole = sum(column[0] for column in columns[locked])
    chance = win = spins = awarding = Fraction(0)
    for weight, column in evaluator.merged(columns[locked]):
        if evaluator.count(column, rule["symbol"]) < rule["at_least"]:
            continue
        p = Fraction(weight, whole)
        chance += p
        for k in range(rule["spins"]):
            screen = [[(1, column)] if r == locked else others[r][k] for r in range(game.reels)]
            win += p * pruned.expected_coins(game, screen, lines)
            for symbol in game.scatters:
                for n, q in scatter_counts(screen, symbol).items():
                    win += p * q * game.pays[symbol].get(n, 0) * lines
                    awarded = table.get(n, 0) if symbol == awards["symbol"] else 0
                    spins += p * q * awarded
                    awarding += p * q * (awarded > 0)
    return chance, win, spins, awarding
