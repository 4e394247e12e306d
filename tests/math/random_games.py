"""Small definitions with random features, as the loader wants them (docs/definition.md)."""


def strip(rng, symbols, specials, rows, weighted):
    """A strip of line symbols with at most one of each special, so that none is twice in a window."""
    length = rng.randint(rows + 1, rows + 3)
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


def random_game(rng, number):
    reels, rows = 3, rng.randint(1, 2) if rng.random() < 0.7 else 3
    symbols = symbols_of(rng, reels)
    kinds = {s["id"]: s["kind"] for s in symbols}
    plain = [s for s, k in kinds.items() if k in ("line",)]
    base_specials = [s for s, k in kinds.items() if k != "line"]
    spins_specials = [s for s in base_specials if kinds[s] != "bonus"]

    def make(specials):
        while True:
            strips = [strip(rng, plain, specials, rows, rng.random() < 0.3) for _ in range(reels)]
            seen = set()
            for one in strips:
                seen |= set(one["symbols"] if isinstance(one, dict) else one)
            if set(specials) | set(plain) <= seen:
                return strips
    lines = set()
    while len(lines) < min(rng.randint(1, 5), rows ** reels):
        lines.add(tuple(rng.randrange(rows) for _ in range(reels)))
    strips = {"base": make(base_specials)}
    modes = [{"id": "base", "name": "Base", "price_hundredths": 100, "strips": "base", "wild_reels": None,
              "guarantee": None, "published_rtp": []}]
    free = None
    if "star" in kinds and len(reels_with(strips["base"], "star")) > 1 and rng.random() < 0.6:
        strips["free"] = make(spins_specials)
        again = {n: 1 for n in awards(rng, strips["free"], 0.7) if n == "3"}
        free = {"strips": "free", "player_starts": True, "line_multiplier": rng.randint(1, 3),
                "wild_multipliers": [1, 2, 4] if "wild" in kinds and rng.random() < 0.5 else None,
                "awards": {"symbol": "star", "base": awards(rng, strips["base"], 1), "free": again, "respin": {}}}
    held = hold(rng, len(reels_with(strips["base"], "orb"))) if "orb" in kinds else None
    expands = [r for r in reels_with(strips["base"], "wild") if rng.random() < 0.3]
    if free:
        expands = [r for r in expands if r in reels_with(strips["free"], "wild")]
    if "wild" in kinds and not held and rng.random() < 0.5:
        modes.append({"id": "bought", "name": "Bought", "price_hundredths": 500, "strips": "base",
                      "wild_reels": [{"reels": [1], "weight": 2}, {"reels": [2, 3], "weight": 1}],
                      "guarantee": {"kind": "line_win"} if rng.random() < 0.5 else None, "published_rtp": []})
    if held and rng.random() < 0.5:
        modes.append({"id": "sure", "name": "Sure", "price_hundredths": 900, "strips": "base", "wild_reels": None,
                      "guarantee": {"kind": "symbols", "symbol": "orb", "at_least": held["at_least"]},
                      "published_rtp": []})
    count = len(lines)
    return {
        "format": 1, "id": f"random-{number}", "number": 60000 + number % 5000, "name": "Random", "version": 1,
        "demo": True, "grid": {"reels": reels, "rows": rows}, "symbols": symbols, "strips": strips,
        "lines": [list(line) for line in sorted(lines)], "modes": modes,
        "expanding_wild": {"reels": expands} if expands else None,
        "battle": None, "vials": None, "free_spins": free, "sticky_respins": None, "hold_and_win": held,
        "potions": None, "progressive_symbols": None, "witches": [],
        "bet": {"lines": {"min": count, "max": count}, "coins": {"min": 1, "max": 1},
                "currencies": {"EUR": {"coins": [100], "no_buy_coins": [], "stake_min": 1, "stake_max": 100000,
                                       "price_max": 1000000}}},
        "gamble": None, "autoplay": None, "jackpot": None, "cards": None, "resolve_after_hours": 120,
    }
