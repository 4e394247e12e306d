"""The rules of the game once more, and the arithmetic of the jackpots, written for the tests from docs/rules and from nothing of the C code: whoever
holds a definition, a secret and a nonce can say what a round must have been, and what a hit must have paid."""
import hashlib
import hmac
import json
import random
import struct
from fractions import Fraction

MASK = 0xFFFFFFFF


# ---- draws: HMAC-SHA-256 and ChaCha20 (RFC 8439, nonce of zeros), as libcommon/base/rng.h promises ----

def mac(key, *parts):
    return hmac.new(key, b"".join(parts), hashlib.sha256).digest()


def stream_key(secret, nonce, purpose):
    return mac(secret, nonce, purpose.encode())


def chacha_block(key, counter):
    start = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574, *struct.unpack("<8I", key), counter, 0, 0, 0]
    x = start[:]

    def mix(a, b, c, d):
        for first, second, third, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            x[first] = (x[first] + x[second]) & MASK
            word = x[third] ^ x[first]
            x[third] = (word << turn | word >> (32 - turn)) & MASK

    for _ in range(10):
        for columns in ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15), (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)):
            mix(*columns)
    return struct.pack("<16I", *((a + b) & MASK for a, b in zip(x, start)))


class Stream:
    """Unbiased numbers by Lemire's method; scripted ones first."""

    def __init__(self, key, forced=()):
        self.key, self.words, self.block, self.forced = key, [], 0, list(forced)

    def word(self):
        if not self.words:
            self.words = list(struct.unpack("<16I", chacha_block(self.key, self.block)))
            self.block += 1
        return self.words.pop(0)

    def below(self, n):
        if self.forced:
            value = self.forced.pop(0)
            if value < n:
                return value
        while True:
            product = self.word() * n
            if product & MASK >= (1 << 32) % n:
                return product >> 32


# ---- a round ----

class Rules:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.definition = d = json.load(file)
        self.symbols = [s["id"] for s in d["symbols"]]
        self.kind = [s["kind"] for s in d["symbols"]]
        self.pays = [{int(n): pay for n, pay in s.get("pays", {}).items()} for s in d["symbols"]]
        self.wild, self.scatter, self.bonus = (self.kind.index(k) for k in ("wild", "scatter", "bonus"))
        self.rows, self.reels = d["grid"]["rows"], d["grid"]["reels"]
        self.strips = [[self.symbols.index(s) for s in strip] for strip in d["strips"]["base"]]
        self.lines = d["lines"]
        self.vials = d["vials"]["outcomes"]

    def window(self, stops):
        return [[strip[(stop + row) % len(strip)] for row in range(self.rows)] for strip, stop in zip(self.strips, stops)]

    def count(self, window, symbol):
        return sum(reel.count(symbol) for reel in window)

    def line_pay(self, window, line):
        """The best of: the first line symbol with wilds standing for it, or the wilds alone as any line symbol they make up."""
        run = [window[reel][line[reel]] for reel in range(self.reels)]
        best = 0
        for symbol, pays in enumerate(self.pays):
            if self.kind[symbol] != "line":
                continue
            length = 0
            while length < self.reels and run[length] in (symbol, self.wild):
                length += 1
            for n, pay in pays.items():
                if n <= length:
                    best = max(best, pay)
        return best

    def line_wins(self, window, bet, multiplier):
        return [self.line_pay(window, line) * bet["coin_minor"] * bet["coins"] * multiplier for line in self.lines[:bet["lines"]]]

    def vial(self, value, bet):
        y = bet["lines"] * bet["coins"]
        for outcome in self.vials:
            weight = outcome["weight"] + outcome["weight_per_coin"] * y
            if value < weight:
                return outcome
            value -= weight
        raise AssertionError("a vial beyond the weights")

    def vial_value(self, kind, value, bet):
        """A draw that makes this outcome."""
        y, at = bet["lines"] * bet["coins"], 0
        for outcome in self.vials:
            if (outcome["kind"], outcome["value"]) == (kind, value):
                return at
            at += outcome["weight"] + outcome["weight_per_coin"] * y
        raise AssertionError((kind, value))

    def play(self, bet, stream):
        """The phases of a round: kind, stops, window (flat), win_minor, free spins awarded, outcome."""
        stake = bet["coin_minor"] * bet["lines"] * bet["coins"]
        phases, free = [], 0

        def feature_rounds(window):
            nonlocal free
            scatters, bonuses = self.count(window, self.scatter), self.count(window, self.bonus)
            if scatters >= self.definition["battle"]["scatters_min"]:
                outcomes = self.definition["battle"]["outcomes"][str(scatters)]
                value = stream.below(sum(o["weight"] for o in outcomes))
                for outcome in outcomes:
                    if value < outcome["weight"]:
                        break
                    value -= outcome["weight"]
                free += outcome["free_spins"]
                phases.append({"kind": "battle", "win_minor": stake * self.pays[self.scatter][scatters], "free_spins_awarded": outcome["free_spins"]})
            if bonuses >= self.definition["vials"]["bonus_min"]:
                weights = sum(o["weight"] + o["weight_per_coin"] * bet["lines"] * bet["coins"] for o in self.vials)
                outcome = self.vial(stream.below(weights), bet)
                awarded = outcome["value"] if outcome["kind"] == "free_spins" else 0
                free += awarded
                phases.append({"kind": "bonus", "outcome": outcome["kind"], "free_spins_awarded": awarded,
                               "win_minor": stake * outcome["value"] if outcome["kind"] == "money" else 0})

        def spin(kind, multiplier):
            stops = [stream.below(len(strip)) for strip in self.strips]
            window = self.window(stops)
            phases.append({"kind": kind, "stops": stops, "window": [s for reel in window for s in reel],
                           "win_minor": sum(self.line_wins(window, bet, multiplier)), "free_spins_awarded": 0})
            feature_rounds(window)

        spin("spin", 1)
        while free > 0:
            free -= 1
            spin("free_spin", self.definition["free_spins"]["line_multiplier"])
        return phases

    def stops(self, scatters=0, bonuses=0, win=False, bet=None, seed=1):
        """Stops with exactly so many scatters and bonuses, and with a win on the bet's lines or none on any line."""
        choice = random.Random(f"{seed}-{scatters}-{bonuses}-{win}")
        every = {"lines": len(self.lines), "coins": 1, "coin_minor": 1}
        by_kind = [{kind: [i for i in range(len(strip)) if [strip[(i + r) % len(strip)] in (self.scatter, self.bonus) and strip[(i + r) % len(strip)]
                                                            for r in range(self.rows)].count(symbol) == n and
                           not any(strip[(i + r) % len(strip)] == other for r in range(self.rows) for other in others)]
                    for kind, symbol, n, others in (("none", self.scatter, 0, (self.scatter, self.bonus)), ("scatter", self.scatter, 1, (self.bonus,)),
                                                    ("bonus", self.bonus, 1, (self.scatter,)))} for strip in self.strips]
        for _ in range(200000):
            kinds = ["scatter"] * scatters + ["bonus"] * bonuses + ["none"] * (self.reels - scatters - bonuses)
            choice.shuffle(kinds)
            if not all(by_kind[r][k] for r, k in enumerate(kinds)):
                continue
            found = [choice.choice(by_kind[r][k]) for r, k in enumerate(kinds)]
            wins = sum(self.line_wins(self.window(found), bet if win and bet else every, 1))
            if (wins > 0) == win:
                return found
        raise AssertionError(f"no stops with {scatters} scatters, {bonuses} bonuses, win {win}")


def suit_is_red(card):
    return card // 13 in (1, 2)


# ---- the progressive, exact (the vectors of the design, V0 to V7, hold for it: test_arithmetic_of_the_model) ----

class Progressive:
    """rows: {(currency, coin_minor): (seed_minor, row_rate)}; amounts in EUR as fractions. Two decimals in each currency."""

    def __init__(self, rows, ppm=5000, base_coin=10):
        self.rows = {key: {"seed": seed, "rate": rate, "share": Fraction(key[1], 100) * rate / base_coin, "w": Fraction(0), "r": Fraction(0)}
                     for key, (seed, rate) in rows.items()}
        self.ppm, self.t, self.reserve, self.paid = ppm, Fraction(0), Fraction(0), Fraction(0)
        self.live = sum(row["share"] for row in self.rows.values())
        self.house_seed = self.seeds()

    def seeds(self):
        return sum(Fraction(row["seed"], 100) * row["rate"] for row in self.rows.values())

    def pool(self):
        return sum((self.t - row["w"]) * row["share"] + row["r"] for row in self.rows.values())

    def bet(self, minor, rate=Fraction(1)):
        contribution = Fraction(minor, 100) * rate * self.ppm / 1000000
        self.t += contribution
        self.reserve += contribution * (1 - self.live)

    def value(self, key):
        row = self.rows[key]
        return Fraction(row["seed"], 100) * row["rate"] + (self.t - row["w"]) * row["share"] + row["r"]

    def shown(self, key):
        return int(self.value(key) / self.rows[key]["rate"] * 100)

    def hit(self, key):
        row, paid = self.rows[key], self.shown(key)
        cost = Fraction(paid, 100) * row["rate"]
        row["r"], row["w"] = self.value(key) - cost, self.t
        seed = Fraction(row["seed"], 100) * row["rate"]
        from_reserve = min(self.reserve, seed)
        self.reserve -= from_reserve
        self.house_seed += seed - from_reserve
        self.paid += cost
        return paid
