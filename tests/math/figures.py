"""A mode's exact figures, feature by feature.

figures(definition, mode) -> {"rtp", "parts", "frequencies", "distribution", "states"}: returns are
parts of the stake. "parts" has the sources that are not 0; "frequencies" what is expected to happen
in a paid round, its free spins included; "distribution" maps what the paid spin's own lines and
scatters (and the progressive's symbols) win, as a part of the stake, to its probability; "states" are
the returns from what collect_and_unlock carry.
"""

from fractions import Fraction

import evaluator
import hold
import collect_and_unlock
import sticky


def numbered(table):
    return {int(n): value for n, value in (table or {}).items()}


class Mode:
    def __init__(self, definition, mode_id="base", lines=None, coins=1, cycle=evaluator.plain_cycle):
        self.d, self.cycle_of = definition, cycle
        self.game = evaluator.Game(definition)
        self.mode = next(m for m in definition["modes"] if m["id"] == mode_id)
        bet = definition["bet"]
        self.lines, self.coins = lines or bet["lines"]["max"], coins
        self.stake = Fraction(self.lines * self.mode["price_hundredths"], 100)
        rule = self.game.progressive
        at_max = self.lines == bet["lines"]["max"] and self.coins == bet["coins"]["max"]
        self.progressive = rule if rule and (rule["bets"] == "all" or at_max) else None
        self.seed = self.seed_of()
        self.counted = self.game.scatters + ([self.game.bonus] if self.game.bonus else [])
        self.free, self.hold, self.battle = (definition[k] for k in ("free_spins", "hold_and_win", "battle"))
        self.vials, self.sticky = definition["vials"], definition["sticky_respins"]
        self.awards = (self.free or {}).get("awards") or {"symbol": None, "base": {}, "free": {}}
        self.chain = collect_and_unlock.Chain(self.game, self.mode, self.lines, cycle) if definition["potions"] else None

    def seed_of(self):
        """The jackpot's seed in line bets: in proportion to the coin value."""
        jackpot = self.d["jackpot"]
        if not jackpot:
            return Fraction(0)
        return Fraction(jackpot["base_seed_eur_minor"], jackpot["base_coin_eur_minor"] * self.coins)

    # ---- one spin ----

    def positions(self):
        if not self.mode["wild_reels"]:
            return [(1, ())]
        return [(p["weight"], p["reels"]) for p in self.mode["wild_reels"]]

    def keeps(self, key):
        guarantee = self.mode["guarantee"]
        if not guarantee:
            return True
        if guarantee["kind"] == "line_win":
            return key[0] > 0
        return key[1][self.counted.index(guarantee["symbol"])] >= guarantee["at_least"]

    def paid_cycle(self):
        together = {}
        for weight, bought in self.positions():
            columns = self.game.all_columns(self.mode["strips"], bought)
            for key, n in self.cycle_of(self.game, columns, self.lines, self.counted, None, self.progressive).items():
                if self.keeps(key):
                    together[key] = together.get(key, 0) + n * weight
        return together

    def scatter_pays(self, counts):
        """(of plain scatters, of battles) in line bets"""
        plain = battles = 0
        for symbol, n in zip(self.counted, counts):
            times = self.game.pays[symbol].get(n, 0)
            if self.battle and symbol == self.battle["symbol"]:
                battles += times
            else:
                plain += times
        return plain * self.lines, battles * self.lines

    def vial_outcomes(self):
        table = [(o, o["weight"] + o["weight_per_coin"] * self.lines * self.coins) for o in self.vials["outcomes"]]
        whole = sum(weight for _, weight in table)
        return [(o["kind"], o["value"], Fraction(weight, whole)) for o, weight in table]

    def of_spin(self, cycle, context, columns):
        """What one spin wins, awards and starts on average, in line bets."""
        out = dict.fromkeys(("lines", "scatter", "battle", "bonus_money", "sticky_spins", "spins", "awarding",
                             "jackpots", "battles", "bonuses", "stickies"), Fraction(0))
        whole = sum(cycle.values())
        awards = numbered(self.awards[context])
        for (coins, counts, jackpots), weight in cycle.items():
            p = Fraction(weight, whole)
            seen = dict(zip(self.counted, counts))
            plain, battles = self.scatter_pays(counts)
            out["lines"] += p * coins
            out["scatter"] += p * plain
            out["battle"] += p * battles
            out["jackpots"] += p * jackpots
            spins = Fraction(awards.get(seen.get(self.awards["symbol"]), 0))
            out["awarding"] += p * (spins > 0)
            if self.battle and seen[self.battle["symbol"]] >= self.battle["scatters_min"]:
                outcomes = self.battle["outcomes"][str(seen[self.battle["symbol"]])]
                drawn = evaluator.choices(outcomes, "free_spins")
                out["battles"] += p
                spins += sum(n * q for n, q in drawn)
                out["awarding"] += p * sum(q for n, q in drawn if n > 0)
            if self.vials and seen[self.game.bonus] >= self.vials["bonus_min"]:
                out["bonuses"] += p
                outcomes = self.vial_outcomes()
                out["bonus_money"] += p * self.lines * sum(v * q for kind, v, q in outcomes if kind == "money")
                out["jackpots"] += p * sum(q for kind, _, q in outcomes if kind == "jackpot")
                spins += sum(v * q for kind, v, q in outcomes if kind == "free_spins")
                out["awarding"] += p * sum(q for kind, _, q in outcomes if kind == "free_spins")
            out["spins"] += p * spins
        if self.sticky:
            chance, win, spins, awarding = sticky.expected(self.game, columns, self.lines)
            out["stickies"], out["sticky_spins"] = chance, win
            out["spins"] += spins
            out["awarding"] += awarding
        return out

    def of_free_spins(self):
        """A free spin and all that follow from it: (line bets won, jackpots, the spin itself, spins in all)."""
        if not self.free:
            return Fraction(0), Fraction(0), None, Fraction(0)
        columns = self.game.all_columns(self.free["strips"])
        cycle = self.cycle_of(self.game, columns, self.lines, self.counted, self.free["wild_multipliers"],
                              self.progressive)
        spin = self.of_spin(cycle, "free", columns)
        win = spin["lines"] * self.free["line_multiplier"]
        win += spin["scatter"] + spin["battle"] + spin["bonus_money"] + spin["sticky_spins"]
        if self.chain:
            win += self.chain.features.free_spin()
        if spin["spins"] >= 1:
            raise evaluator.Unsupported("free spins that never end")
        played = 1 / (1 - spin["spins"])
        return win * played, spin["jackpots"] * played, spin, played

    # ---- together ----

    def held(self, cycle):
        """(expected win in line bets, chance of a start, chance of a full screen)"""
        if not self.hold:
            return Fraction(0), Fraction(0), Fraction(0)
        cells, whole = self.game.reels * self.game.rows, sum(cycle.values())
        filled = {}
        for (_, counts, _), weight in cycle.items():
            n = counts[self.counted.index(self.hold["symbol"])]
            if n >= self.hold["at_least"]:
                filled[n] = filled.get(n, 0) + Fraction(weight, whole)
        ends = {}
        for start, p in filled.items():
            for n, q in hold.final(self.hold, cells, start).items():
                ends[n] = ends.get(n, 0) + p * q
        win = sum(p * hold.worth(self.hold, cells, n) for n, p in ends.items())
        return win * self.lines, sum(filled.values()), ends.get(cells, 0)

    def distribution(self, cycle):
        wins, whole = {}, sum(cycle.values())
        for (coins, counts, jackpots), weight in cycle.items():
            x = (coins + sum(self.scatter_pays(counts)) + jackpots * self.seed) / self.stake
            wins[x] = wins.get(x, 0) + Fraction(weight, whole)
        return wins

    def collected(self, plain):
        """({source: line bets} of collect_and_unlock, {"level 1, red": return, "level 1": return})"""
        stationary, states, sources = self.chain.stationary(), {}, {}
        for level in range(len(self.d["potions"]["features"])):
            mean, sources = Fraction(0), {}
            for bag in self.chain.states():
                wins, _ = self.chain.spin(bag, level)
                rtp = plain + sum(wins.values()) / self.stake
                states[f"level {level + 1}, {' '.join(bag) or 'nothing'}"] = rtp
                mean += stationary[bag] * rtp
                for source, win in wins.items():
                    sources[source] = sources.get(source, 0) + stationary[bag] * win
            states[f"level {level + 1}"] = mean
        rtp = lambda bag, level: plain + sum(self.chain.spin(bag, level)[0].values()) / self.stake
        for rounds in (1, 10, 100):
            states[f"first {rounds}"] = self.chain.first(rounds, rtp)
        return sources, states


def figures(definition, mode_id="base", lines=None, coins=1, cycle=evaluator.plain_cycle):
    one = Mode(definition, mode_id, lines, coins, cycle)
    paid_cycle = one.paid_cycle()
    paid = one.of_spin(paid_cycle, "base", one.game.all_columns(one.mode["strips"]))
    win_free, jackpots_free, free, played = one.of_free_spins()
    hold_win, holds, full = one.held(paid_cycle)
    parts = {name: paid[name] for name in ("lines", "scatter", "battle", "bonus_money", "sticky_spins")}
    parts["hold_and_win"] = hold_win
    parts["free_spins"] = paid["spins"] * win_free
    jackpots = paid["jackpots"] + paid["spins"] * jackpots_free
    parts["jackpot_seed"] = jackpots * one.seed
    states = {}
    if one.chain:
        sources, states = one.collected(sum(parts.values()) / one.stake)
        parts.update(sources)
    parts = {name: Fraction(win) / one.stake for name, win in parts.items() if win}
    free_spins = paid["spins"] * played
    often = {"free_spins": paid["awarding"], "hold_and_win": holds, "full_screen": full, "jackpot": jackpots}
    for name, what in (("battle", "battles"), ("bonus", "bonuses"), ("sticky_spins", "stickies")):
        often[name] = paid[what] + (free_spins * free[what] if free else 0)
    return {"rtp": sum(parts.values()), "parts": parts, "states": states,
            "frequencies": {name: p for name, p in often.items() if p},
            "distribution": one.distribution(paid_cycle)}
