"""What a game is worth, by plain loops over its definition file.

Written from docs/definition.md and the rule sheets alone: it shares no line, no table and no trick
with the C code, so that the two can be held against each other. Fractions all the way, nothing is
estimated. Slow where the C code is clever, and easy to read for that reason.

figures(definition, mode) -> {"rtp", "lines", "scatter", ..., "hit_rate", "distribution"}: returns
are parts of the stake; "hit_rate" and "distribution" are those of the paid spin's own lines and
scatters; the distribution maps a win (a Fraction of the stake) to its probability.
"""

from fractions import Fraction
from itertools import combinations, product


class Unsupported(Exception):
    """A feature this evaluator does not know; nobody may take silence for agreement."""


def weights_of(strip):
    if isinstance(strip, dict):
        return strip["symbols"], strip["weights"]
    return strip, [1] * len(strip)


class Game:
    def __init__(self, definition):
        self.d = definition
        self.reels = definition["grid"]["reels"]
        self.rows = definition["grid"]["rows"]
        self.kind = {s["id"]: s["kind"] for s in definition["symbols"]}
        self.pays = {s["id"]: {int(n): p for n, p in s.get("pays", {}).items()} for s in definition["symbols"]}
        self.wilds = {s for s, k in self.kind.items() if k == "wild"}
        self.scatters = [s for s, k in self.kind.items() if k == "scatter"]
        self.line_symbols = [s for s, k in self.kind.items() if k in ("line", "wild", "jackpot")]
        self.battle = definition.get("battle")
        self.expanding = set((definition.get("expanding_wild") or {"reels": []})["reels"])
        self.potions = (definition.get("potions") or {"symbols": []})["symbols"]

    # ---- windows ----

    def columns(self, strip_set, reel, bought=False):
        """[(weight, symbols top to bottom, potion taken out or None)] of a reel (numbered from 1)."""
        symbols, weights = weights_of(self.d["strips"][strip_set][reel - 1])
        n = len(symbols)
        wild = next(iter(self.wilds), None)
        found = []
        for stop in range(n):
            column = [symbols[(stop + row) % n] for row in range(self.rows)]
            potion = next((s for s in column if s in self.potions), None)
            if bought:
                column, potion = [wild] * self.rows, None
            elif reel in self.expanding and wild in column:
                column = [s if s in self.scatters else wild for s in column]
            if potion is not None:
                column.remove(potion)
                column.insert(0, symbols[(stop - 1) % n])
            found.append((weights[stop], tuple(column), potion))
        return found

    # ---- lines ----

    def combination(self, cells, multipliers=None):
        """Best pay of the cells of one line, in coins, and the symbol it was paid as."""
        best, best_symbol = 0, None
        for symbol in self.line_symbols:
            run = wilds = 0
            for cell in cells:
                stands_in = cell in self.wilds and self.kind[symbol] == "line"
                if cell != symbol and not stands_in:
                    break
                run += 1
                wilds += cell in self.wilds
            pay = max([p for n, p in self.pays[symbol].items() if n == run], default=0)
            if multipliers:
                pay *= multipliers[min(wilds, len(multipliers) - 1)]
            if pay > best:
                best, best_symbol = pay, symbol
        return best, best_symbol

    def line_coins(self, window, lines, multipliers=None):
        total = 0
        for line in self.d["lines"][:lines]:
            total += self.combination([window[r][row] for r, row in enumerate(line)], multipliers)[0]
        return total

    def jackpot_hits(self, window, lines):
        rule = self.d.get("progressive_symbols")
        if not rule:
            return 0
        cells = [[window[r][row] for r, row in enumerate(line)] for line in self.d["lines"][:lines]]
        if rule["where"] == "line":
            return sum(all(c == rule["symbol"] for c in line[:rule["count"]]) for line in cells)
        seen = sum(s == rule["symbol"] for column in window for s in column)
        return int(seen >= rule["count"])

    # ---- scatters ----

    def count(self, window, symbol):
        return sum(s == symbol for column in window for s in column)

    def scatter_times_bet(self, window):
        total = 0
        for symbol in self.scatters:
            total += self.pays[symbol].get(min(self.count(window, symbol), self.reels), 0)
        return total


def windows(game, columns):
    """Every window of a spin with its weight: the full cycle."""
    for choice in product(*columns):
        weight = 1
        for column in choice:
            weight *= column[0]
        yield weight, tuple(column[1] for column in choice), tuple(column[2] for column in choice)


def full_cycle(game, columns, lines, multipliers=None, progressive=False):
    """{(line coins, scatter x bet, free-spin scatters, jackpot hits): weight}, and all the weight.

    The plain loop, except that equal columns are visited once, with their weights added up.
    """
    merged = []
    for reel in columns:
        together = {}
        for weight, symbols, potion in reel:
            together[symbols] = together.get(symbols, 0) + weight
        merged.append([(weight, symbols, None) for symbols, weight in together.items()])
    awards = ((game.d.get("free_spins") or {}).get("awards") or {}).get("symbol")
    result = {}
    for weight, window, _ in windows(game, merged):
        jackpots = game.jackpot_hits(window, lines) if progressive else 0
        coins = game.line_coins(window, lines, multipliers)
        if jackpots and game.d["progressive_symbols"]["where"] == "line":
            rule = game.d["progressive_symbols"]
            coins -= jackpots * game.pays[rule["symbol"]].get(rule["count"], 0)
        key = (coins, game.scatter_times_bet(window), game.count(window, awards) if awards else 0, jackpots)
        result[key] = result.get(key, 0) + weight
    total = 1
    for reel in columns:
        total *= sum(column[0] for column in reel)
    return result, total


# ---- hold and win ----


def choices(table, key="x"):
    whole = sum(entry["weight"] for entry in table)
    return [(entry[key], Fraction(entry["weight"], whole)) for entry in table]


def hold_final(rule, cells, filled):
    """{cells filled at the end: probability}, from `filled` with all respins left."""
    lands = Fraction(rule["cell"]["in"], rule["cell"]["of"])
    state = {(filled, rule["respins"]): Fraction(1)}
    final = {}
    while state:
        following = {}
        for (n, left), p in state.items():
            if n == cells or left == 0:
                final[n] = final.get(n, 0) + p
                continue
            for new in range(cells - n + 1):
                ways = sum(1 for _ in combinations(range(cells - n), new))
                chance = ways * lands ** new * (1 - lands) ** (cells - n - new)
                key = (n + new, rule["respins"] if new else left - 1)
                following[key] = following.get(key, 0) + p * chance
        state = following
    return final


def hold_worth(rule, cells, filled):
    """Expected prize, times the total bet, of `filled` symbols at the end."""
    values = rule["values"]
    value_weight = sum(v["weight"] for v in values)
    whole = value_weight + rule["mystery"]["weight"] + rule["multiplying"]["weight"]
    p_value = Fraction(value_weight, whole)
    p_mystery = Fraction(rule["mystery"]["weight"], whole)
    p_multiplying = Fraction(rule["multiplying"]["weight"], whole)
    mean_value = sum(x * p for x, p in choices(values))
    awards = rule["mystery"]["awards"]
    mean_award = sum(x * p for x, p in choices(awards)) if awards else 0
    left = [a for a in awards if a["id"] not in rule["mystery"]["exclude"]]
    mean_award_without = sum(x * p for x, p in choices(left)) if left else 0
    table = choices(rule["multiplying"]["values"]) if rule["multiplying"]["values"] else []
    total = Fraction(0)
    for m in range(filled + 1):
        ways = sum(1 for _ in combinations(range(filled), m))
        chance = ways * p_multiplying ** m * (p_value + p_mystery) ** (filled - m)
        if chance == 0:
            continue
        for drawn in product(table, repeat=m):
            p = chance
            times = 1
            for x, px in drawn:
                p *= px
                times *= x
            high = any(x >= rule["mystery"]["exclude_from_multiplier"] for x, _ in drawn)
            award = mean_award_without if high else mean_award
            others = filled - m
            plain = p_value + p_mystery
            one = (p_value * mean_value + p_mystery * award) / plain if plain else 0
            own = (p_mystery / plain * mean_value) if plain else 0
            total += p * (others * (one * times + own) + m * mean_value)
    return total * (rule["full_screen_multiplier"] if filled == cells else 1)


# ---- free spins ----


def free_spins(game, lines, total_lines_coins, stake_coins):
    """(expected win of one awarded free spin and all that follow from it, in coins a line)."""
    rule = game.d["free_spins"]
    columns = [game.columns(rule["strips"], r) for r in range(1, game.reels + 1)]
    cycle, whole = full_cycle(game, columns, lines, rule["wild_multipliers"])
    awards = {int(n): k for n, k in (rule["awards"] or {"free": {}})["free"].items()}
    win = awarded = Fraction(0)
    for (coins, scatter, seen, _), weight in cycle.items():
        win += Fraction(weight, whole) * (coins * rule["line_multiplier"] + scatter * total_lines_coins)
        awarded += Fraction(weight, whole) * awards.get(seen, 0)
    if awarded >= 1:
        raise Unsupported("free spins that never end")
    return win / (1 - awarded)


# ---- a mode ----


def positions(game, mode):
    if not mode["wild_reels"]:
        return [(1, set())]
    return [(p["weight"], set(p["reels"])) for p in mode["wild_reels"]]


def keeps(game, guarantee, key, window_bonus):
    if not guarantee:
        return True
    if guarantee["kind"] == "line_win":
        return key[0] > 0
    return window_bonus >= guarantee["at_least"]


def mode_cycle(game, mode, lines):
    """{(coins, scatter, free-spin scatters, bonus symbols): weight} of a mode's spin, guarantee kept."""
    bonus = (game.d.get("hold_and_win") or {}).get("symbol")
    awards = ((game.d.get("free_spins") or {}).get("awards") or {}).get("symbol")
    together, whole = {}, 0
    for position_weight, bought in positions(game, mode):
        columns = [game.columns(mode["strips"], r, r in bought) for r in range(1, game.reels + 1)]
        for weight, window, _ in windows(game, columns):
            key = (game.line_coins(window, lines), game.scatter_times_bet(window),
                   game.count(window, awards) if awards else 0, game.count(window, bonus) if bonus else 0)
            if keeps(game, mode["guarantee"], key, key[3]):
                together[key] = together.get(key, 0) + weight * position_weight
                whole += weight * position_weight
    return together, whole


def figures(definition, mode_id="base", lines=None, coins=1):
    """Exact figures of one mode at one bet (all lines unless told)."""
    game = Game(definition)
    for feature in ("battle", "vials", "sticky_respins", "potions", "progressive_symbols"):
        if definition.get(feature):
            raise Unsupported(feature)
    mode = next(m for m in definition["modes"] if m["id"] == mode_id)
    lines = lines or definition["bet"]["lines"]["max"]
    cycle, whole = mode_cycle(game, mode, lines)
    stake = Fraction(lines * mode["price_hundredths"], 100)  # coins a line
    out = {"lines": Fraction(0), "scatter": Fraction(0), "free_spins": Fraction(0), "hold_and_win": Fraction(0)}
    distribution = {}
    rule, hold = definition.get("free_spins"), definition.get("hold_and_win")
    awards = {int(n): k for n, k in ((rule or {}).get("awards") or {"base": {}})["base"].items()}
    each = free_spins(game, lines, lines, stake) if rule else 0
    cells = game.reels * game.rows
    worth = {}
    for (coins_won, scatter, seen, bonus), weight in cycle.items():
        p = Fraction(weight, whole)
        out["lines"] += p * coins_won / stake
        out["scatter"] += p * scatter * lines / stake
        if rule:
            out["free_spins"] += p * awards.get(seen, 0) * each / stake
        if hold and bonus >= hold["at_least"]:
            if bonus not in worth:
                worth[bonus] = sum(q * hold_worth(hold, cells, n) for n, q in hold_final(hold, cells, bonus).items())
            out["hold_and_win"] += p * worth[bonus] * lines / stake
        x = (coins_won + scatter * lines) / stake
        distribution[x] = distribution.get(x, 0) + p
    out["rtp"] = sum(out.values())
    out["distribution"] = distribution
    out["hit_rate"] = 1 - distribution.get(Fraction(0), 0)
    return out
