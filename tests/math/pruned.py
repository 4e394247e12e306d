"""The full cycle of a large game, reel by reel: a line that can win nothing more is put aside, and
prefixes that leave the same lines alive in the same way are taken together. The same answer as
evaluator.plain_cycle (tests/math/verify.py holds the two together on small games), in seconds
instead of days."""

from fractions import Fraction

import evaluator


def pay(game, symbol, run, wilds, multipliers):
    coins = game.pays[symbol].get(run, 0)
    return coins * multipliers[min(wilds, len(multipliers) - 1)] if multipliers else coins


class Walk:
    """One spin. `alive` is a tuple of (line, ((symbol, wilds so far), ..), best pay so far)."""

    def __init__(self, game, columns, lines, counted, multipliers=None, jackpot=None):
        self.game, self.counted, self.multipliers, self.jackpot = game, counted, multipliers, jackpot
        self.lines = game.d["lines"][:lines]
        self.columns = [[(w, s, tuple(evaluator.counting(game, s, c) for c in counted)) for w, s in evaluator.merged(reel)]
                        for reel in columns]

    def line(self, reel, cell, candidates, best):
        """(candidates that go on, best pay, jackpots) of one line after one more cell."""
        game, wild, going = self.game, cell in self.game.wilds, []
        for symbol, wilds in candidates:
            if cell == symbol or (wild and game.kind[symbol] == "line"):
                going.append((symbol, wilds + wild if self.multipliers else 0))
            elif reel:
                best = max(best, pay(game, symbol, reel, wilds, self.multipliers))
        for symbol, _ in going:
            if self.jackpot and symbol == self.jackpot["symbol"] and reel + 1 == self.jackpot["count"]:
                return (), 0, 1
        if reel < game.reels - 1:
            return tuple(going), best, 0
        for symbol, wilds in going:
            best = max(best, pay(game, symbol, reel + 1, wilds, self.multipliers))
        return (), best, 0

    def step(self, reel, column, alive):
        """The lines alive after this reel, the coins of those that ended on it, and jackpots."""
        still, won, jackpots = [], 0, 0
        for line, candidates, best in alive:
            going, best, hit = self.line(reel, column[self.lines[line][reel]], candidates, best)
            jackpots |= hit
            if going:
                still.append((line, going, best))
            else:
                won += best
        return tuple(still), won, jackpots

    def run(self):
        none = tuple(0 for _ in self.counted)
        start = tuple((line, tuple((s, 0) for s in self.game.line_symbols), 0) for line in range(len(self.lines)))
        states = {start: {(0, none, 0): 1}}
        for reel in range(self.game.reels):
            following = {}
            for alive, sums in states.items():
                for column_weight, column, column_counts in self.columns[reel]:
                    still, won, hit = self.step(reel, column, alive)
                    into = following.setdefault(still, {})
                    for (coins, counts, jackpots), weight in sums.items():
                        key = (coins + won, tuple(a + b for a, b in zip(counts, column_counts)), jackpots | hit)
                        into[key] = into.get(key, 0) + weight * column_weight
            states = following
        return states[()]


def cycle(game, columns, lines, counted, multipliers=None, jackpot=None):
    """As evaluator.plain_cycle; a progressive on lines only."""
    if jackpot and jackpot["where"] != "line":
        raise evaluator.Unsupported("a progressive anywhere, in a large game")
    return Walk(game, columns, lines, counted, multipliers, jackpot).run()


def expected_coins(game, columns, lines):
    """Expected coins on the lines of a spin: line by line, which needs no windows at all."""
    total = 0
    for line in game.d["lines"][:lines]:
        states = {(tuple((s, 0) for s in game.line_symbols), 0): 1}
        walk = Walk(game, [], lines, ())
        won = 0
        for reel, row in enumerate(line):
            cells = {}
            for column in columns[reel]:
                cells[column[1][row]] = cells.get(column[1][row], 0) + column[0]
            following = {}
            won *= sum(cells.values())
            for (candidates, best), weight in states.items():
                for cell, cell_weight in cells.items():
                    going, pays, _ = walk.line(reel, cell, candidates, best)
                    if going:
                        following[going, pays] = following.get((going, pays), 0) + weight * cell_weight
                    else:
                        won += pays * weight * cell_weight
            states = following
        total += won
    return Fraction(total) / evaluator.weight_of(columns)
