"""What a game shows and what its lines pay, by plain loops over its definition file.

Written from docs/definition.md and the rule sheets alone: it shares no line, no table and no trick
with the C code, so that the two can be held against each other. Fractions all the way, nothing is
estimated. figures.py puts the parts together; the other files are one for each kind of feature.

Amounts are in line bets: coin value x coins a line. A total bet is as many of them as lines.
"""

from fractions import Fraction
from itertools import product


class Unsupported(Exception):
    """A feature this evaluator does not know; nobody may take silence for agreement."""


def weights_of(strip):
    if isinstance(strip, dict):
        return strip["symbols"], strip["weights"]
    return strip, [1] * len(strip)


def choices(table, key="x"):
    """[(value, probability)] of a table of weights."""
    whole = sum(entry["weight"] for entry in table)
    return [(entry[key], Fraction(entry["weight"], whole)) for entry in table]


def odds(chance):
    return Fraction(chance["in"], chance["of"])


class Game:
    def __init__(self, definition):
        self.d = definition
        self.reels = definition["grid"]["reels"]
        self.rows = definition["grid"]["rows"]
        self.kind = {s["id"]: s["kind"] for s in definition["symbols"]}
        self.pays = {s["id"]: {int(n): p for n, p in s.get("pays", {}).items()} for s in definition["symbols"]}
        self.wilds = {s for s, k in self.kind.items() if k == "wild"}
        self.wild = next(iter(self.wilds), None)
        self.scatters = [s for s, k in self.kind.items() if k == "scatter"]
        self.counts_as = {s["id"]: {s["id"]} | (self.wilds if s.get("wild_counts") else set())
                          for s in definition["symbols"]}
        self.bonus = next((s for s, k in self.kind.items() if k == "bonus"), None)
        self.line_symbols = [s for s, k in self.kind.items() if k in ("line", "wild", "jackpot")]
        self.expanding = set((definition.get("expanding_wild") or {"reels": []})["reels"])
        self.potions = (definition.get("potions") or {"symbols": []})["symbols"]
        self.progressive = definition.get("progressive_symbols")

    # ---- windows ----

    def columns(self, strip_set, reel, bought=False):
        """[(weight, symbols top to bottom, potion taken out or None)] of a reel (numbered from 1)."""
        symbols, weights = weights_of(self.d["strips"][strip_set][reel - 1])
        n = len(symbols)
        found = []
        for stop in range(n):
            column = [symbols[(stop + row) % n] for row in range(self.rows)]
            potion = next((s for s in column if s in self.potions), None)
            if bought:
                column, potion = [self.wild] * self.rows, None
            elif reel in self.expanding and self.wild in column:
                column = [s if s in self.scatters else self.wild for s in column]
            if potion is not None:
                column.remove(potion)
                column.insert(0, symbols[(stop - 1) % n])
            found.append((weights[stop], tuple(column), potion))
        return found

    def all_columns(self, strip_set, bought=()):
        return [self.columns(strip_set, reel, reel in bought) for reel in range(1, self.reels + 1)]

    # ---- lines ----

    def combination(self, cells, multipliers=None, jackpot=None):
        """(best pay of the cells of one line, 1 if it wins the progressive).

        `jackpot`: the rule of the progressive, where it can be won; it replaces the line's pay.
        """
        best = 0
        for symbol in self.line_symbols:
            run = wilds = 0
            for cell in cells:
                stands_in = cell in self.wilds and self.kind[symbol] == "line"
                if cell != symbol and not stands_in:
                    break
                run += 1
                wilds += cell in self.wilds
            if jackpot and symbol == jackpot["symbol"] and run >= jackpot["count"]:
                return 0, 1
            pay = self.pays[symbol].get(run, 0)
            if multipliers:
                pay *= multipliers[min(wilds, len(multipliers) - 1)]
            best = max(best, pay)
        return best, 0

    def window_pays(self, window, lines, multipliers=None, jackpot=None):
        """(coins on all lines, progressives won) of a window."""
        coins = jackpots = 0
        for line in self.d["lines"][:lines]:
            won, hit = self.combination([window[r][row] for r, row in enumerate(line)], multipliers, jackpot)
            coins += won
            jackpots |= hit  # once a spin, on however many lines
        if jackpot and jackpot["where"] == "anywhere":
            jackpots = int(sum(count(column, jackpot["symbol"]) for column in window) >= jackpot["count"])
        return coins, jackpots


def count(column, symbol):
    return sum(s == symbol for s in column)


def counting(game, column, symbol):
    """How many cells count as the symbol: for a scatter that says so, wilds do."""
    return sum(s in game.counts_as[symbol] for s in column)


def weight_of(columns):
    whole = 1
    for reel in columns:
        whole *= sum(column[0] for column in reel)
    return whole


def merged(reel):
    """Equal columns once, with their weights added up."""
    together = {}
    for column in reel:
        together[column[1]] = together.get(column[1], 0) + column[0]
    return [(weight, symbols) for symbols, weight in together.items()]


def plain_cycle(game, columns, lines, counted, multipliers=None, jackpot=None):
    """{(line coins, (count of each counted symbol), jackpots): weight} of a spin: the full cycle."""
    result = {}
    for choice in product(*(merged(reel) for reel in columns)):
        weight = 1
        for column in choice:
            weight *= column[0]
        window = [column[1] for column in choice]
        coins, jackpots = game.window_pays(window, lines, multipliers, jackpot)
        key = (coins, tuple(sum(counting(game, column, s) for column in window) for s in counted), jackpots)
        result[key] = result.get(key, 0) + weight
    return result
