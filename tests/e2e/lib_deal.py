"""Scripts of draws for any game, from its definition alone: stops whose windows show what a test wants to see."""
import json

from lib_stack import ROOT

MISS = 1  # of a cell that lands when it draws 0


class Deal:
    def __init__(self, game):
        with open(f"{ROOT}/services/spin-engine/games/{game}/definition.json", encoding="utf-8") as file:
            self.definition = d = json.load(file)
        self.rows = d["grid"]["rows"]
        self.special = {s["id"] for s in d["symbols"] if s["kind"] != "line"}

    def reel(self, strips, reel):
        strip = self.definition["strips"][strips][reel]
        symbols, weights = (strip["symbols"], strip["weights"]) if isinstance(strip, dict) else (strip, [1] * len(strip))
        return symbols, [sum(weights[:i]) for i in range(len(symbols))]

    def stops(self, strips="base", *wanted):
        """A draw a reel. wanted: for each reel what its window shows, as {symbol: how many}; of symbols that are more than a line's, nothing else."""
        draws = []
        for reel in range(self.definition["grid"]["reels"]):
            symbols, raw = self.reel(strips, reel)
            want = wanted[reel] if reel < len(wanted) else {}
            counted = self.special | set(want)
            windows = [[symbols[(stop + row) % len(symbols)] for row in range(self.rows)] for stop in range(len(symbols))]
            fits = [stop for stop, window in enumerate(windows) if all(window.count(s) == want.get(s, 0) for s in counted)]
            assert fits, f"{self.definition['id']}: no window of reel {reel + 1} of {strips} shows {want} and no more"
            draws.append(raw[fits[0]])
        return draws

    def loads(self, *kinds):
        """What cells of the hold and win carry: a value times the bet, "mystery" or "multiplier"."""
        hold = self.definition["hold_and_win"]
        values = sum(v["weight"] for v in hold["values"])
        starts = {"mystery": values, "multiplier": values + hold["mystery"]["weight"]}
        return [starts[k] if k in starts else sum(v["weight"] for v in hold["values"] if v["x"] < k) for k in kinds]
