"""Small definitions with random features, as the loader wants them (docs/definition.md)."""


def strip(rng, symbols, specials, rows, weighted, more=0):
    """A strip of line symbols with at most one of each special, so that none is twice in a window."""
    length = rng.randint(rows + 1, rows + 3) + more
    stops = [rng.choice(symbols) for _ in range(length)]
    places = rng.sample(range(length), min(len(specials), length))
    for place, special in zip(places, specials):
        if rng.random() < 0.7:
            stops[place] = special
    if not weighted:
        return stops
    return {"symbols": stops, "weights": [rng.randint(1, 4) for _ in stops]}


def pays(rng, reels, shortest):
    value, out = 0, {}
    for length in range(rng.randint(shortest, reels), reels + 1):
        value += rng.randint(1, 20)
        out[str(length)] = value
    return out


def symbols_of(rng, reels):
    found = [{"id": f"s{i}", "name": f"S {i}", "kind": "line", "pays": pays(rng, reels, 1)}
             for i in range(rng.randint(2, 4))]
    if rng.random() < 0.7:
        wild = {"id": "wild", "name": "Wild", "kind": "wild"}
        if rng.random() < 0.4:
            wild["pays"] = pays(rng, reels, 1)
        found.append(wild)
    if rng.random() < 0.2:
        found.append({"id": "crown", "name": "Crown", "kind": "jackpot", "pays": pays(rng, reels, 2)})
    if rng.random() < 0.6:
        found.append({"id": "star", "name": "Star", "kind": "scatter", "pays": pays(rng, reels, 1)})
    if rng.random() < 0.3:
        found.append({"id": "orb", "name": "Orb", "kind": "bonus"})
    return found


def reels_with(strips, symbol):
    """Numbers of the reels, from 1, that hold the symbol."""
    return [r for r, one in enumerate(strips, 1) if symbol in (one["symbols"] if isinstance(one, dict) else one)]


def at_most_one(one, symbols, rows):
    """Does no window of the strip show two of these symbols?"""
    stops = one["symbols"] if isinstance(one, dict) else one
    return all(sum(stops[(at + row) % len(stops)] in symbols for row in range(rows)) <= 1 for at in range(len(stops)))


def awards(rng, strips, chance):
    """Free spins by the number of stars, as far as these strips can show them."""
    table = {str(n): 2 * n - 3 for n in range(2, len(reels_with(strips, "star")) + 1)}
    return table if table and rng.random() < chance else {}


def hold(rng, most):
    return {
        "symbol": "orb", "at_least": rng.randint(1, most), "respins": rng.randint(1, 3),
        "cell": {"in": rng.randint(1, 3), "of": rng.randint(8, 12)},
        "values": [{"x": x, "weight": rng.randint(1, 5)} for x in sorted(rng.sample(range(1, 19), 3))],
        "mystery": {"weight": rng.randint(1, 3), "exclude": ["grand"], "exclude_from_multiplier": 3,
                    "awards": [{"id": i, "name": i.title(), "x": x, "weight": rng.randint(1, 5)}
                               for i, x in (("mini", 20), ("grand", 500))]},
        "multiplying": {"weight": rng.randint(1, 2),
                        "values": [{"x": x, "weight": rng.randint(1, 4)} for x in (2, 3)]},
        "full_screen_multiplier": rng.randint(1, 3),
    }


def battle(rng, strips, spins):
    return {"symbol": "star", "scatters_min": 2,
            "outcomes": {str(n): [{"weight": rng.randint(3, 9), "free_spins": 0},
                                  {"weight": rng.randint(1, 3), "free_spins": n - 1 if spins else 0}][:2 if spins else 1]
                         for n in range(2, 4)}}


def vials(rng, strips, spins, jackpot):
    slope = rng.randint(0, 3)
    outcomes = [{"kind": "money", "value": rng.randint(1, 9), "weight": 40, "weight_per_coin": -slope if jackpot else 0},
                {"kind": "money", "value": rng.randint(10, 20), "weight": rng.randint(1, 9), "weight_per_coin": 0}]
    if spins:
        outcomes.append({"kind": "free_spins", "value": rng.randint(1, 2), "weight": rng.randint(1, 9), "weight_per_coin": 0})
    if jackpot:
        outcomes.append({"kind": "jackpot", "value": 0, "weight": 1, "weight_per_coin": slope})
    least = rng.randint(1, len(reels_with(strips, "orb")))
    return {"bonus_min": least, "shown": 9, "picked": 3, "outcomes": outcomes}


def cells_table(rng, reels, rows, sure):
    """How many cells of each reel; on one reel always some."""
    tables = []
    for reel in range(reels):
        counts = rng.sample(range(rows + 1), rng.randint(1, rows + 1))
        if reel == sure:
            counts = [n for n in counts if n] or [1]
        tables.append([{"count": n, "weight": rng.randint(1, 5)} for n in sorted(counts)])
    return tables


def blocks(rng, reels, rows):
    """Squares that do not overlap, one or two."""
    size = rng.randint(1, min(reels, rows))
    first = {"reel": rng.randint(1, reels - size + 1), "row": rng.randint(0, rows - size), "size": size}
    second = {"reel": rng.randint(1, reels), "row": rng.randint(0, rows - 1), "size": 1}
    apart = not (first["reel"] <= second["reel"] < first["reel"] + size
                 and first["row"] <= second["row"] < first["row"] + size)
    return [first, second] if apart and rng.random() < 0.5 else [first]


def chance(rng, least):
    return {"in": rng.randint(least, 4), "of": rng.randint(4, 7)}


def potions(rng, reels, rows, plain, free):
    kinds = ["high_symbols", "random_wilds", "multiplier", "mega_wild"]
    needs = [[a, b, 3 - a - b] for a in range(4) for b in range(4 - a)]
    rng.shuffle(kinds)
    rng.shuffle(needs)
    kinds = kinds[:rng.randint(1, 4)]
    rule = {"symbols": ["red", "blue", "green"],
            "features": [{"kind": k, "needs": n, "strips": rng.choice(["respin", "high"])} for k, n in zip(kinds, needs)],
            "random_wilds": None, "multipliers": None, "mega_wild": None, "explosion": None, "free_spins": None}
    if "random_wilds" in kinds:
        rule["random_wilds"] = cells_table(rng, reels, rows, rng.randrange(reels))
    if "multiplier" in kinds:
        rule["multipliers"] = [{"x": x, "weight": rng.randint(1, 5)} for x in sorted(rng.sample(range(2, 9), 2))]
    if "mega_wild" in kinds:
        rule["mega_wild"] = [{"weight": rng.randint(1, 5), "blocks": blocks(rng, reels, rows)} for _ in range(3)]
    if rng.random() < 0.8:
        rule["explosion"] = {"odds": chance(rng, 1), "locked": {k: chance(rng, 0) for k in kinds[1:]},
                             "marks": cells_table(rng, reels, rows, rng.randrange(reels)),
                             "reveals": [{"symbol": s, "weight": rng.randint(1, 5)}
                                         for s in rng.sample(plain + ["wild"], 2)]}
    if free:
        sets = [[k] for k in kinds]
        if "multiplier" in kinds:
            sets += [["multiplier", k] for k in kinds if k != "multiplier"]
        chosen = rng.sample(sets, rng.randint(1, len(sets)))
        rule["free_spins"] = {"odds": chance(rng, 1), "sets": [{"features": s, "weight": rng.randint(1, 5)} for s in chosen]}
    return rule


def unlock_strips(rng, plain, specials, reels, rows):
    """Two potions a strip, as far apart as they must be, each colour somewhere."""
    while True:
        strips, colours = [], [rng.choice(["red", "blue", "green"]) for _ in range(2 * reels)]
        for reel in range(reels):
            stops = [rng.choice(plain) for _ in range(rng.randint(2 * rows + 2, 2 * rows + 4))]
            for special in specials:
                if rng.random() < 0.8:
                    stops[rng.randrange(len(stops))] = special
            stops[0], stops[rows + 1] = colours[2 * reel:2 * reel + 2]
            strips.append(stops)
        seen = set(sum(strips, []))
        if seen >= set(plain) | set(specials) | {"red", "blue", "green"}:
            return strips


class Builder:
    """One definition; `family` says which features it may have beside each other."""

    def __init__(self, rng, number):
        self.rng, self.number, self.reels = rng, number, 3
        self.rows = rng.randint(1, 2) if rng.random() < 0.7 else 3
        self.family = rng.choice(["plain", "plain", "plain", "duel", "sticky", "potions"])
        if self.family == "potions":
            self.rows = rng.randint(1, 2)
        self.symbols = self.choose_symbols()
        self.kinds = {s["id"]: s["kind"] for s in self.symbols}
        self.plain = [s for s, k in self.kinds.items() if k == "line"]
        self.counting = (self.family in ("plain", "duel") and {"wild", "star"} <= set(self.kinds)
                         and rng.random() < 0.5)
        self.out = dict.fromkeys(("expanding_wild", "battle", "vials", "free_spins", "sticky_respins", "hold_and_win",
                                  "potions", "progressive_symbols", "jackpot"))
        self.modes = [self.mode("base", 100)]
        self.strips = {}

    def choose_symbols(self):
        wanted = {"plain": set(), "duel": {"star", "orb"}, "sticky": set(), "potions": {"wild"}}[self.family]
        while True:
            found = symbols_of(self.rng, self.reels)
            if self.family == "potions":
                found = [s for s in found if s["id"] not in ("orb", "crown")]
                found += [{"id": c, "name": c, "kind": "potion"} for c in ("red", "blue", "green")]
            if self.family == "sticky":
                found = [s for s in found if s["id"] != "orb"]
            if wanted <= {s["id"] for s in found}:
                break
        for symbol in found:
            if symbol["id"] == "star" and self.family == "duel":
                symbol["pays"] = {n: p for n, p in symbol["pays"].items() if n != "1"}
        return found

    def mode(self, name, price, wild_reels=None, guarantee=None):
        return {"id": name, "name": name, "price_hundredths": price, "strips": "base", "wild_reels": wild_reels,
                "guarantee": guarantee, "published_rtp": []}

    def make(self, specials):
        while True:
            strips = [strip(self.rng, self.plain, specials, self.rows, self.rng.random() < 0.3,
                            self.rows if self.counting else 0)
                      for _ in range(self.reels)]
            if self.counting and not all(at_most_one(one, {"wild", "star"}, self.rows) for one in strips):
                continue
            seen = set()
            for one in strips:
                seen |= set(one["symbols"] if isinstance(one, dict) else one)
            if set(specials) | set(self.plain) <= seen:
                return strips

    def specials(self, *without):
        return [s for s, k in self.kinds.items() if k not in ("line", "potion") and s not in without]

    def choose_free_spins(self, awards_chance=1.0):
        """Free spins that stars award, where there are enough of them."""
        base = self.strips["base"]
        if "star" not in self.kinds or len(reels_with(base, "star")) < 2 or self.rng.random() >= 0.6:
            return
        self.strips["free"] = self.make(self.specials(*(["orb"] if self.family == "plain" else [])))
        again = {n: 1 for n in awards(self.rng, self.strips["free"], 0.7) if n == "3"}
        self.out["free_spins"] = self.free({"symbol": "star", "base": awards(self.rng, base, awards_chance),
                                            "free": again, "respin": {}})

    def free(self, awarded):
        multiplies = "wild" in self.kinds and self.rng.random() < 0.5
        return {"strips": "free", "player_starts": True, "line_multiplier": self.rng.randint(1, 3),
                "wild_multipliers": [1, 2, 4] if multiplies else None, "awards": awarded}

    def choose_progressive(self):
        """Also for vials; bets of one kind only, so that "max" is all of them."""
        base = self.strips["base"]
        where = self.rng.choice(["line", "anywhere"])
        least = self.rng.randint(2, 3)
        reels = reels_with(base, "crown") if "crown" in self.kinds else []
        if where == "line" and reels[:least] != list(range(1, least + 1)) or len(reels) < least:
            return
        self.out["progressive_symbols"] = {"symbol": "crown", "count": least, "where": where,
                                           "bets": self.rng.choice(["all", "max"])}

    def link(self):
        seed = self.rng.randint(1000, 9000)
        self.out["jackpot"] = {"pool": f"pool-{self.number}", "pool_number": 60000 + self.number % 5000,
                               "contribution_ppm": 5000, "base_coin_eur_minor": 100, "base_seed_eur_minor": seed,
                               "published_with_contribution": None,
                               "rows": {"EUR": {"row_rate_nano": 1000000000,
                                                "seeds": [{"coin": 100, "seed": seed}]}}}

    def plain_game(self):
        rng = self.rng
        self.strips["base"] = self.make(self.specials())
        self.choose_free_spins()
        base, free = self.strips["base"], self.out["free_spins"]
        held = hold(rng, len(reels_with(base, "orb"))) if "orb" in self.kinds else None
        self.out["hold_and_win"] = held
        if rng.random() < 0.4:
            self.choose_progressive()
        if self.out["progressive_symbols"]:
            self.link()
            return
        expands = [r for r in reels_with(base, "wild") if rng.random() < 0.3]
        if free:
            expands = [r for r in expands if r in reels_with(self.strips["free"], "wild")]
        self.out["expanding_wild"] = {"reels": expands} if expands else None
        if "wild" in self.kinds and not held and rng.random() < 0.5:
            self.modes.append(self.mode("bought", 500, [{"reels": [1], "weight": 2}, {"reels": [2, 3], "weight": 1}],
                                        {"kind": "line_win"} if rng.random() < 0.5 else None))
        if held and rng.random() < 0.5:
            self.modes.append(self.mode("sure", 900, None, {"kind": "symbols", "symbol": "orb",
                                                            "at_least": held["at_least"]}))

    def duel_game(self):
        """Battles and vials, or one of them; they open in free spins too."""
        rng = self.rng
        self.strips["base"] = self.make(self.specials())
        spins = rng.random() < 0.7
        jackpot = rng.random() < 0.5
        if spins:
            self.strips["free"] = self.make(self.specials())
            self.out["free_spins"] = self.free(None)
        if len(reels_with(self.strips["base"], "star")) == 3:
            self.out["battle"] = battle(rng, self.strips["base"], spins)
        self.out["vials"] = vials(rng, self.strips["base"], spins, jackpot)
        if rng.random() < 0.3:
            self.choose_progressive()
        if jackpot or self.out["progressive_symbols"]:
            self.link()
        elif rng.random() < 0.3:
            expands = [r for r in reels_with(self.strips["base"], "wild") if rng.random() < 0.4]
            self.out["expanding_wild"] = {"reels": expands} if expands else None

    def sticky_game(self):
        rng = self.rng
        self.strips["base"] = self.make(self.specials())
        self.choose_free_spins()
        reel = rng.choice(reels_with(self.strips["base"], "s0"))
        self.strips["jewel"] = self.make(self.specials())
        kept = ["s0"] + [s for s in self.kinds if self.kinds[s] in ("line", "wild") and s != "s0" and rng.random() < 0.4]
        self.out["sticky_respins"] = {"strips": "jewel", "symbol": "s0", "reel": reel, "at_least": 1,
                                      "spins": rng.randint(1, 3), "sticky": kept, "player_starts": rng.random() < 0.5}
        free = self.out["free_spins"]
        others = [r for r in reels_with(self.strips["jewel"], "star") if r != reel]
        if free and len(others) == 2 and rng.random() < 0.5:
            free["awards"]["respin"] = {"2": 1, "3": 1}
        if rng.random() < 0.4:
            self.choose_progressive()
        if self.out["progressive_symbols"]:
            self.link()

    def unlock_game(self):
        rng = self.rng
        self.strips["base"] = unlock_strips(rng, self.plain, self.specials(), self.reels, self.rows)
        self.choose_free_spins()
        rule = potions(rng, self.reels, self.rows, self.plain, self.out["free_spins"])
        self.out["potions"] = rule
        for name in {f["strips"] for f in rule["features"]}:
            self.strips[name] = [["s0"] + one if isinstance(one, list) else one for one in self.make(["wild"])]
            for one in self.strips[name]:  # something can win
                if isinstance(one, dict):
                    one["symbols"][0] = "s0"

    def choose_wild_counts(self):
        """Wilds count as stars, in a game that it may be played in and whose free spins bring no others."""
        free, bought = self.out["free_spins"], any(m["wild_reels"] for m in self.modes)
        again = free and (free["awards"] is None or free["awards"]["free"])
        if not self.counting or bought or again or self.out["expanding_wild"]:
            return
        for symbol in self.symbols:
            if symbol["id"] == "star":
                symbol["wild_counts"] = True
        if free and free["awards"]["base"]:  # up to what is seen now
            free["awards"]["base"] = {str(n): 2 * n - 3 for n in range(2, self.reels + 1)}

    def build(self):
        getattr(self, {"plain": "plain_game", "duel": "duel_game", "sticky": "sticky_game",
                       "potions": "unlock_game"}[self.family])()
        self.choose_wild_counts()
        rng, lines = self.rng, set()
        while len(lines) < min(rng.randint(1, 5), self.rows ** self.reels):
            lines.add(tuple(rng.randrange(self.rows) for _ in range(self.reels)))
        count = len(lines)
        return {
            "format": 1, "id": f"random-{self.number}", "number": 60000 + self.number % 5000, "name": "Random",
            "version": 1, "demo": True, "grid": {"reels": self.reels, "rows": self.rows}, "symbols": self.symbols,
            "strips": self.strips, "lines": [list(line) for line in sorted(lines)], "modes": self.modes, **self.out,
            "witches": [],
            "bet": {"lines": {"min": count, "max": count}, "coins": {"min": 1, "max": 1},
                    "currencies": {"EUR": {"coins": [100], "no_buy_coins": [], "stake_min": 1, "stake_max": 100000,
                                           "price_max": 1000000}}},
            "gamble": None, "autoplay": None, "cards": None, "resolve_after_hours": 120,
        }


def random_game(rng, number):
    return Builder(rng, number).build()
