"""Potions: what is carried from round to round, and what combinations start.

Everything is an expectation, and the reels of a window know nothing of each other but for the
potions they show; so windows are looked at by the potions of each reel.
"""

from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from math import comb, lcm

import evaluator
import pruned


def covered(column, rows, symbol, spared=None):
    return tuple(symbol if row in rows and s != spared else s for row, s in enumerate(column))


def scattered(reel, table, rows, symbol, spared=None):
    """The columns of a reel with as many cells covered as the table draws, each set of rows as likely as any."""
    together, common = {}, lcm(*(comb(rows, entry["count"]) for entry in table))  # weights stay whole
    for weight, column in evaluator.merged(reel):
        for entry in table:
            sets = list(combinations(range(rows), entry["count"]))
            for chosen in sets:
                seen = covered(column, chosen, symbol, spared)
                together[seen] = together.get(seen, 0) + weight * entry["weight"] * common // len(sets)
    return [(weight, column) for column, weight in together.items()]


class Features:
    """What one start of each feature is worth, in line bets."""

    def __init__(self, game, lines, cycle):
        self.game, self.rule, self.lines, self.cycle = game, game.d["potions"], lines, cycle
        self.strips = {f["kind"]: game.all_columns(f["strips"]) for f in self.rule["features"]}

    def mean_multiplier(self):
        return sum(x * p for x, p in evaluator.choices(self.rule["multipliers"]))

    def mega(self):
        total = Fraction(0)
        whole = sum(m["weight"] for m in self.rule["mega_wild"])
        for placement in self.rule["mega_wild"]:
            columns = []
            for reel, strip in enumerate(self.strips["mega_wild"], 1):
                rows = {block["row"] + i for block in placement["blocks"] for i in range(block["size"])
                        if block["reel"] <= reel < block["reel"] + block["size"]}
                columns.append([(c[0], covered(c[1], rows, self.game.wild)) for c in strip])
            total += Fraction(placement["weight"], whole) * pruned.expected_coins(self.game, columns, self.lines)
        return total

    def one(self, kind):
        """A feature that was started by itself."""
        game, strips = self.game, self.strips[kind]
        if kind == "high_symbols":
            return pruned.expected_coins(game, strips, self.lines)
        if kind == "random_wilds":
            columns = [scattered(strip, table, game.rows, game.wild)
                       for strip, table in zip(strips, self.rule["random_wilds"])]
            return pruned.expected_coins(game, columns, self.lines)
        if kind == "mega_wild":
            return self.mega()
        cycle = self.cycle(game, strips, self.lines, ())
        wins = sum(weight for (coins, _, _), weight in cycle.items() if coins)
        won = sum(weight * coins for (coins, _, _), weight in cycle.items())
        return self.mean_multiplier() * Fraction(won, wins)

    def together(self, features):
        """A set of features of a free spin: the multiplier beside another is one respin of the other."""
        if len(features) == 1:
            return self.one(features[0])
        other = next(f for f in features if f != "multiplier")
        return self.mean_multiplier() * self.one(other)

    def free_spin(self):
        """What the features of one free spin are worth on average."""
        rule = self.rule["free_spins"]
        if not rule:
            return Fraction(0)
        whole = sum(s["weight"] for s in rule["sets"])
        mean = sum(Fraction(s["weight"], whole) * self.together(s["features"]) for s in rule["sets"])
        return evaluator.odds(rule["odds"]) * mean


class Chain:
    """The paid spin's potions: {(potion or None of each reel): its reels' columns}."""

    def __init__(self, game, mode, lines, cycle):
        self.game, self.rule, self.lines = game, game.d["potions"], lines
        self.features = Features(game, lines, cycle)
        self.worth = {f["kind"]: self.features.one(f["kind"]) for f in self.rule["features"]}
        columns = game.all_columns(mode["strips"])
        self.whole = evaluator.weight_of(columns)
        self.patterns = []
        by_potion = [self.split(reel) for reel in columns]
        for shown in product(*(reel.keys() for reel in by_potion)):
            window = [reel[potion] for reel, potion in zip(by_potion, shown)]
            self.patterns.append((tuple(p for p in shown if p), Fraction(evaluator.weight_of(window), self.whole), window))
        self.exploded = {}

    @staticmethod
    def split(reel):
        out = {}
        for column in reel:
            out.setdefault(column[2], []).append(column)
        return out

    def explosion(self, index):
        """What an explosion of a window of this pattern is worth."""
        if index in self.exploded:
            return self.exploded[index]
        rule, game, total = self.rule["explosion"], self.game, Fraction(0)
        awards = (game.d["free_spins"] or {}).get("awards") or {"symbol": None}
        whole = sum(r["weight"] for r in rule["reveals"])
        for reveal in rule["reveals"]:
            columns = [scattered(reel, table, game.rows, reveal["symbol"], awards["symbol"])
                       for reel, table in zip(self.patterns[index][2], rule["marks"])]
            total += Fraction(reveal["weight"], whole) * pruned.expected_coins(game, columns, self.lines)
        self.exploded[index] = total
        return total

    def completes(self, combination, level):
        """(kind that starts, chance of an explosion) of three potions; level 0: only the first is open."""
        needs = [combination.count(p) for p in self.rule["symbols"]]
        explosion = self.rule["explosion"]
        for index, feature in enumerate(self.rule["features"]):
            if feature["needs"] == needs and index <= level:
                return feature["kind"], Fraction(0)
            if feature["needs"] == needs:
                return None, evaluator.odds(explosion["locked"][feature["kind"]]) if explosion else Fraction(0)
        return None, evaluator.odds(explosion["odds"]) if explosion else Fraction(0)

    def spin(self, carried, level):
        """({kind or "explosion": expected win}, {carried after it: probability}) of one paid spin."""
        wins, after = {}, {}
        for index, (shown, p, _) in enumerate(self.patterns):
            bag = list(carried)
            for potion in shown:
                bag.append(potion)
                if len(bag) < 3:
                    continue
                kind, explodes = self.completes(bag, level)
                if kind:
                    wins[kind] = wins.get(kind, 0) + p * self.worth[kind]
                elif explodes:
                    wins["explosion"] = wins.get("explosion", 0) + p * explodes * self.explosion(index)
                bag = []
            key = tuple(sorted(bag, key=self.rule["symbols"].index))
            after[key] = after.get(key, 0) + p
        return wins, after

    def moves(self, carried, level):
        """{(carried after it, level after it): probability} of one paid spin; the last open feature opens the next."""
        out, features = {}, self.rule["features"]
        for shown, p, _ in self.patterns:
            bag, reached = list(carried), level
            for potion in shown:
                bag.append(potion)
                if len(bag) < 3:
                    continue
                kind, _ = self.completes(bag, level)
                if kind == features[level]["kind"] and level + 1 < len(features):
                    reached = level + 1
                bag = []
            key = tuple(sorted(bag, key=self.rule["symbols"].index)), reached
            out[key] = out.get(key, 0) + p
        return out

    def first(self, rounds, rtp):
        """The mean return of the first rounds at a new bet value; rtp(carried, level) is that of one."""
        moves, worth, total = {}, {}, Fraction(0)
        scale = 10 ** 60  # far below the 12 decimals that are compared
        at = {((), 0): scale}
        for _ in range(rounds):
            following = {}
            for place, weight in at.items():
                if place not in moves:
                    moves[place], worth[place] = self.moves(*place), rtp(*place)
                total += weight * worth[place]
                for to, p in moves[place].items():
                    following[to] = following.get(to, 0) + weight * p.numerator // p.denominator
            at = following
        return total / scale / rounds

    def states(self):
        return [bag for n in range(3) for bag in combinations_with_replacement(self.rule["symbols"], n)]

    def stationary(self):
        """{carried: probability} in the long run; the levels change nothing in what is collected."""
        states = self.states()
        rows = [[Fraction(0)] * (len(states) + 1) for _ in states]
        for column, state in enumerate(states):
            for to, p in self.spin(state, 0)[1].items():
                rows[states.index(to)][column] += p
            rows[column][column] -= 1
        rows[-1] = [Fraction(1)] * (len(states) + 1)  # they sum to 1
        return dict(zip(states, solve(rows)))


def solve(rows):
    """Linear equations, each row its factors and the right side; states never seen are 0."""
    n, pivot_row, where = len(rows), 0, {}
    for column in range(n):
        pivot = next((r for r in range(pivot_row, n) if rows[r][column] != 0), None)
        if pivot is None:
            raise evaluator.Unsupported("a chain of potions with more than one class")
        rows[pivot_row], rows[pivot] = rows[pivot], rows[pivot_row]
        scale = rows[pivot_row][column]
        rows[pivot_row] = [x / scale for x in rows[pivot_row]]
        for r in range(n):
            if r != pivot_row and rows[r][column] != 0:
                factor = rows[r][column]
                rows[r] = [x - factor * y for x, y in zip(rows[r], rows[pivot_row])]
        where[column] = pivot_row
        pivot_row += 1
    return [rows[where[column]][n] for column in range(n)]
