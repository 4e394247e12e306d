"""The full cycle of a large game, reel by reel: a line that can win nothing more is put aside, and
when none is left the remaining reels only count scatters. The same answer as evaluator.full_cycle
(tests/math/verify.py holds the two together on small games), in minutes instead of days."""


def pay(game, symbol, run, wilds, multipliers):
    coins = game.pays[symbol].get(run, 0)
    return coins * multipliers[min(wilds, len(multipliers) - 1)] if multipliers else coins


class Cycle:
    """{(line coins, (count of each counted symbol), jackpots): weight} of one spin."""

    def __init__(self, game, columns, lines, counted, multipliers=None, jackpot=None):
        self.game, self.counted, self.multipliers, self.jackpot = game, counted, multipliers, jackpot
        self.lines = game.d["lines"][:lines]
        self.columns = []
        for reel in columns:
            together = {}
            for weight, symbols, _ in reel:
                together[symbols] = together.get(symbols, 0) + weight
            self.columns.append([(w, s, tuple(s.count(c) for c in counted)) for s, w in together.items()])
        self.tails = self.count_tails()
        self.result = {}
        start = [(line, {s: 0 for s in game.line_symbols}, 0) for line in range(len(self.lines))]
        self.walk(0, 1, start, 0, tuple(0 for _ in counted), 0)

    def count_tails(self):
        """For each reel, {counts over it and all later reels: weight}."""
        tails = [{tuple(0 for _ in self.counted): 1}]
        for reel in reversed(self.columns):
            tail = {}
            for weight, _, counts in reel:
                for later, w in tails[0].items():
                    key = tuple(a + b for a, b in zip(counts, later))
                    tail[key] = tail.get(key, 0) + weight * w
            tails.insert(0, tail)
        return tails

    def book(self, coins, counts, jackpots, weight):
        key = (coins, counts, jackpots)
        self.result[key] = self.result.get(key, 0) + weight

    def step(self, reel, column, alive):
        """The lines alive after this reel, the coins of those that ended on it, and jackpots."""
        game, still, won, jackpots = self.game, [], 0, 0
        last = reel == game.reels - 1
        for line, candidates, best in alive:
            cell = column[self.lines[line][reel]]
            wild = cell in game.wilds
            going = {}
            for symbol, wilds in candidates.items():
                if cell == symbol or (wild and game.kind[symbol] == "line"):
                    going[symbol] = wilds + wild
                elif reel:
                    best = max(best, pay(game, symbol, reel, wilds, self.multipliers))
            if last:
                for symbol, wilds in going.items():
                    if self.jackpot == symbol:
                        jackpots += 1
                        continue
                    best = max(best, pay(game, symbol, reel + 1, wilds, self.multipliers))
                won += best
            elif going:
                still.append((line, going, best))
            else:
                won += best
        return still, won, jackpots

    def walk(self, reel, weight, alive, coins, counts, jackpots):
        if not alive or reel == self.game.reels:
            for later, w in self.tails[reel].items():
                self.book(coins, tuple(a + b for a, b in zip(counts, later)), jackpots, weight * w)
            return
        for column_weight, column, column_counts in self.columns[reel]:
            still, won, hit = self.step(reel, column, alive)
            self.walk(reel + 1, weight * column_weight, still, coins + won,
                      tuple(a + b for a, b in zip(counts, column_counts)), jackpots + hit)
