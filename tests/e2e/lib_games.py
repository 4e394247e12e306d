"""The five games for the end-to-end tests, from their definition files alone: what a bet costs, which stops show what is wanted, and what a phase must have
paid, by plain loops over what was told of it."""
import json
import os
import random
from itertools import accumulate

from lib_stack import ROOT

IDS = ("bewitched", "mystic-gem", "mystery-elves", "mona-lisa", "witch-feature")


class Game:
    """A definition as an installation for tests reads it."""

    def __init__(self, game, path=None):
        folder = f"{ROOT}/services/spin-engine/games/{game}"
        demo = f"{folder}/definition.demo.json"
        self.path = path or (demo if os.path.exists(demo) else f"{folder}/definition.json")
        with open(self.path, encoding="utf-8") as file:
            self.definition = d = json.load(file)
        self.id = game
        self.symbols = [s["id"] for s in d["symbols"]]
        self.kinds = [s["kind"] for s in d["symbols"]]
        self.pays = [{int(n): pay for n, pay in (s.get("pays") or {}).items()} for s in d["symbols"]]
        self.wild = self.kinds.index("wild")
        self.wild_counts = [s.get("wild_counts", False) for s in d["symbols"]]
        self.reels, self.rows, self.lines = d["grid"]["reels"], d["grid"]["rows"], d["lines"]
        self.lines_max, self.coins_max = d["bet"]["lines"]["max"], d["bet"]["coins"]["max"]
        self.modes = {m["id"]: m for m in d["modes"]}

    def coins(self, currency="EUR"):
        return self.definition["bet"]["currencies"][currency]["coins"]

    def price(self, mode, total):
        hundredths = total * self.modes[mode]["price_hundredths"]
        assert hundredths % 100 == 0, (mode, total)
        return hundredths // 100

    # ---- draws that show what is wanted ----

    def strip(self, name, reel):
        """Symbols, and the weight before each stop."""
        strip = self.definition["strips"][name][reel]
        names, weights = (strip["symbols"], strip["weights"]) if isinstance(strip, dict) else (strip, [1] * len(strip))
        return [self.symbols.index(s) for s in names], [0, *accumulate(weights)]

    def column(self, name, reel, stop):
        strip, _ = self.strip(name, reel)
        return [self.symbols[strip[(stop + row) % len(strip)]] for row in range(self.rows)]

    def script(self, wanted, name="base", seed=1, tries=200000):
        """Draws of the stops of one spin whose columns, as the strips show them, are what `wanted` says; the reels one by one, if it has a
        function for each."""
        choice = random.Random(f"{self.id} {seed}")
        columns = [[self.column(name, reel, stop) for stop in range(len(self.strip(name, reel)[0]))] for reel in range(self.reels)]
        each = wanted if isinstance(wanted, list) else [lambda column: True] * self.reels
        stops = [[i for i, column in enumerate(columns[reel]) if each[reel](column)] for reel in range(self.reels)]
        assert all(stops), "a reel has no such stop"
        for _ in range(tries):
            found = [choice.choice(s) for s in stops]
            if isinstance(wanted, list) or wanted([columns[reel][stop] for reel, stop in enumerate(found)]):
                return [self.strip(name, reel)[1][stop] for reel, stop in enumerate(found)]
        raise AssertionError(f"{self.id}: no such stops in {tries} tries")

    # ---- what a phase must have paid ----

    def line_pay(self, run, wild_multipliers):
        """The best of one line: (coins without multipliers of the phase, symbol)."""
        best, wilds_multiply = 0, wild_multipliers or [1] * 8
        for symbol, pays in enumerate(self.pays):
            if self.kinds[symbol] not in ("line", "wild", "jackpot"):
                continue
            length = wilds = 0
            while length < len(run) and (run[length] == symbol or (run[length] == self.wild and self.kinds[symbol] == "line")):
                wilds += run[length] == self.wild and symbol != self.wild
                length += 1
            if length in pays:
                best = max(best, pays[length] * wilds_multiply[min(wilds, len(wilds_multiply) - 1)])
        return best

    def lines_of(self, phase, bet):
        """Sum of the line wins of a phase, from its window alone."""
        window = bytes.fromhex(phase["window"])
        free = self.definition["free_spins"] or {}
        multiply = free.get("wild_multipliers") if phase["kind"] == "free_spin" else None
        crowns = self.definition["progressive_symbols"]
        won = 0
        for line in self.lines[:bet["lines"]]:
            run = [window[reel * self.rows + line[reel]] for reel in range(self.reels)]
            if crowns and self.crowns_win(phase, bet) and run.count(self.symbols.index(crowns["symbol"])) == crowns["count"]:
                continue  # the pool pays
            won += self.line_pay(run, multiply)
        return won * bet["coin_minor"] * bet["coins"] * phase["multiplier"]

    def crowns_win(self, phase, bet):
        """Is the progressive to be won by symbols in this phase?"""
        crowns = self.definition["progressive_symbols"]
        most = bet["lines"] == self.lines_max and bet["coins"] == self.coins_max
        return bool(crowns) and phase["kind"] in ("spin", "free_spin") and (most or crowns["bets"] == "all")

    def cells_of(self, phase, total):
        """Cell -> what it pays at the end of the hold and win."""
        rules = self.definition["hold_and_win"]
        product = 1
        for load in phase["loads"]:
            product *= load["x"] if load["kind"] == "multiplier" else 1
        full = rules["full_screen_multiplier"] if len(phase["loads"]) == self.reels * self.rows else 1
        worth = {"value": lambda load: load["x"] * product, "mystery": lambda load: load["award_x"] * product, "multiplier": lambda load: 0}
        return {load["cell"]: (worth[load["kind"]](load) + load["own"]) * full * total for load in phase["loads"]}

    def check_phase(self, phase, bet):
        """Every amount of a phase, from what else was told of it."""
        total = bet["coin_minor"] * bet["lines"] * bet["coins"]
        window, wins, kind = bytes.fromhex(phase["window"]), phase["wins"], phase["kind"]
        by = {what: [w for w in wins if w["what"] == what] for what in ("line", "scatter", "bonus", "cell", "jackpot")}
        assert sum(len(v) for v in by.values()) == len(wins), wins
        assert len(window) == self.reels * self.rows and all(s < len(self.symbols) for s in window), phase
        assert all(w["name"] for w in wins), wins
        assert sum(w["amount_minor"] for w in wins if w["what"] != "jackpot") == phase["win_minor"], phase
        lines = self.lines_of(phase, bet) if kind in ("spin", "free_spin", "sticky_spin", "potion_respin", "explosion") else 0
        assert sum(w["amount_minor"] for w in by["line"]) == lines, (self.id, lines, phase)
        for win in by["line"]:
            cells = list(bytes.fromhex(win["cells"]))
            line = self.lines[win["line"] - 1]
            assert cells == [reel * self.rows + line[reel] for reel in range(win["count"])], win
            assert all(window[c] in (win["symbol"], self.wild) for c in cells), (win, phase)
        for win in by["scatter"]:
            cells = bytes.fromhex(win["cells"])
            counts_as = (win["symbol"], self.wild) if self.wild_counts[win["symbol"]] else (win["symbol"],)
            assert len(cells) == win["count"] and all(window[c] in counts_as for c in cells), win
            assert win["amount_minor"] == self.pays[win["symbol"]][win["count"]] * total, win
        if kind == "bonus" and phase["outcome"] == "money":
            assert phase["win_minor"] == phase["outcome_value"] * total, phase
        if kind == "hold_end":
            paid = {bytes.fromhex(w["cells"])[0]: w["amount_minor"] for w in by["cell"]}
            assert paid == self.cells_of(phase, total), (paid, phase["loads"])
        else:
            assert not by["cell"], phase
        for draw in phase["draws"]:
            assert 0 <= draw["value"] < draw["below"], draw

    def check_round(self, round_, phases):
        """What holds for a round that has been seen to its end, gambles apart."""
        bet = round_["bet"]
        total = bet["coin_minor"] * bet["lines"] * bet["coins"]
        assert round_["stake_minor"] == self.price(bet["mode"], total), round_
        assert [p["index"] for p in phases] == list(range(len(phases))) and phases[0]["kind"] == "spin", phases
        for phase in phases:
            self.check_phase(phase, bet)
        gambled = sum(g["stake_minor"] if g["won"] else -g["stake_minor"] for g in round_["gambles"])
        assert round_["win_minor"] == sum(p["win_minor"] for p in phases) + gambled, (round_, phases)
        for before, after in zip(phases, phases[1:]):
            if "respins_left" in after and after["kind"] == "hold_respin":
                assert after["respins_left"] == (3 if after["landed"] else before["respins_left"] - 1), (before, after)
        mode = self.modes[bet["mode"]]
        if mode["wild_reels"]:
            covered = sorted({c // self.rows + 1 for c in bytes.fromhex(phases[0]["covered"])})
            assert any(set(p["reels"]) <= set(covered) for p in mode["wild_reels"]), phases[0]
        if mode["guarantee"]:
            wanted = mode["guarantee"]
            window = bytes.fromhex(phases[0]["window"])
            assert (phases[0]["win_minor"] > 0 if wanted["kind"] == "line_win"
                    else window.count(self.symbols.index(wanted["symbol"])) >= wanted["at_least"]), phases[0]


GAMES = {game: Game(game) for game in IDS}
