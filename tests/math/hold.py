"""Hold and win: how many cells are filled in the end, and what they are worth on average."""

from fractions import Fraction
from math import comb

from evaluator import choices, odds


def final(rule, cells, filled):
    """{cells filled at the end: probability}, from `filled` with all respins left."""
    lands = odds(rule["cell"])
    state = {(filled, rule["respins"]): Fraction(1)}
    ends = {}
    while state:
        following = {}
        for (n, left), p in state.items():
            if n == cells or left == 0:
                ends[n] = ends.get(n, 0) + p
                continue
            for new in range(cells - n + 1):
                chance = comb(cells - n, new) * lands ** new * (1 - lands) ** (cells - n - new)
                key = (n + new, rule["respins"] if new else left - 1)
                following[key] = following.get(key, 0) + p * chance
        state = following
    return ends


def products(table, count, high_from):
    """{(product of all multipliers, one of them is high): probability}"""
    drawn = {(1, False): Fraction(1)}
    for _ in range(count):
        following = {}
        for (times, high), p in drawn.items():
            for x, q in table:
                key = (times * x, high or (high_from is not None and x >= high_from))
                following[key] = following.get(key, 0) + p * q
        drawn = following
    return drawn


def mean(table):
    return sum(x * p for x, p in choices(table)) if table else Fraction(0)


def worth(rule, cells, filled):
    """Expected prize, times the total bet, of `filled` symbols at the end."""
    mystery = rule["mystery"] or {"weight": 0, "awards": [], "exclude": [], "exclude_from_multiplier": None}
    multiplying = rule["multiplying"] or {"weight": 0, "values": []}
    value_weight = sum(v["weight"] for v in rule["values"])
    whole = value_weight + mystery["weight"] + multiplying["weight"]
    p_value, p_mystery = Fraction(value_weight, whole), Fraction(mystery["weight"], whole)
    p_plain, p_multiplying = p_value + p_mystery, Fraction(multiplying["weight"], whole)
    value, award = mean(rule["values"]), mean(mystery["awards"])
    award_low = mean([a for a in mystery["awards"] if a["id"] not in mystery["exclude"]])
    table = choices(multiplying["values"]) if multiplying["values"] else []
    total = Fraction(0)
    for m in range(filled + 1):
        chance = comb(filled, m) * p_multiplying ** m * p_plain ** (filled - m)
        if chance == 0:
            continue
        for (times, high), p in products(table, m, mystery["exclude_from_multiplier"]).items():
            multiplied = (p_value * value + p_mystery * (award_low if high else award)) / p_plain
            own = p_mystery / p_plain * value
            total += chance * p * ((filled - m) * (multiplied * times + own) + m * value)
    return total * (rule["full_screen_multiplier"] if filled == cells else 1)
