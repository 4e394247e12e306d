#!/usr/bin/env python3
"""slotmath as people call it: every subcommand, its three ways to write a PAR sheet, its refusals. What it says by one way is held against what it says
by another. The last line is "N passed, N failed"."""
import csv
import glob
import hashlib
import html.parser
import json
import os
import subprocess
import sys
import tempfile
from fractions import Fraction

TOOL = os.environ.get("SLOTMATH", "build/slotmath")
EXAMPLE = "docs/example-game/definition.json"
GAMES = ["bewitched", "mona-lisa", "mystery-elves", "mystic-gem", "witch-feature"]
ISSUED = ["mode", "published", "rtp", "rtp_exact", "parts", "features", "hit_rate", "variance", "volatility_index", "max_win_x", "in_band"]
passed, faults = 0, []
scratch = tempfile.mkdtemp(prefix="slotmath-")


def check(good, what):
    global passed
    if good:
        passed += 1
    else:
        faults.append(what)
    return good


def call(*arguments, status=0):
    done = subprocess.run([TOOL, *arguments], capture_output=True, timeout=120, check=False)
    check(done.returncode == status, f"slotmath {' '.join(arguments)}: status {done.returncode}, expected {status}: {done.stderr.decode()[:300]}")
    return done


def call_json(*arguments, status=0):
    done = call(*arguments, "--json", status=status)
    try:
        return json.loads(done.stdout)
    except ValueError as error:
        check(False, f"slotmath {' '.join(arguments)} --json: no JSON: {error}")
        return None


def decimals(fraction, digits=12):
    """Rounded half away from zero, as the tool does."""
    scaled = (abs(fraction.numerator) * 10**digits * 2 + fraction.denominator) // (2 * fraction.denominator)
    return f"{'-' if fraction < 0 else ''}{scaled // 10**digits}.{scaled % 10**digits:0{digits}d}"


# ---- rtp ----------------------------------------------------------------------------------------------------------------------------
def rtp():
    done = call("rtp", "--all", "--json")
    games = {game["game"]: game for game in json.loads(done.stdout)}
    check(sorted(games) == GAMES, f"rtp --all: found {sorted(games)}, expected {GAMES}")
    for game in games.values():
        check(len(game["math_version"]) == 64, f"rtp {game['game']}: math_version")
        for mode in game["modes"]:
            name = f"rtp {game['game']} {mode['mode']}"
            check(all(key in mode for key in ISSUED), f"{name}: found {sorted(mode)}, expected {ISSUED}")
            exact = Fraction(mode["rtp_exact"])
            check(decimals(exact) == mode["rtp"], f"{name}: {mode['rtp']} is not {mode['rtp_exact']}")
            check(sum(Fraction(part["rtp_exact"]) for part in mode["parts"]) == exact, f"{name}: the parts do not sum to the return")
            check(all(set(feature) == {"name", "one_in"} for feature in mode["features"]), f"{name}: features")
            low = Fraction(mode["published"]) / 100 - Fraction(5, 100000)
            check(mode["in_band"] and low <= exact < low + Fraction(10, 100000), f"{name}: out of its band")
            check(Fraction(mode["variance"]) > 0 and 0 < Fraction(mode["hit_rate"]) <= 1, f"{name}: variance, hit rate")
    one = call_json("rtp", "mystic-gem", "--mode", "wild_2")
    check(one is not None and [mode["mode"] for mode in one["modes"]] == ["wild_2"], "rtp --mode wild_2")
    check(b"in band" in call("rtp", "mystic-gem").stdout, "rtp as text")
    bet = call_json("rtp", "bewitched", "--lines", "3", "--coins", "2")
    check(bet is not None and bet["rtp_exact"] == games["bewitched"]["modes"][0]["rtp_exact"], "rtp --lines 3 --coins 2: another return")
    example = json.load(open(EXAMPLE, encoding="utf-8"))
    example["modes"][0]["published_rtp"][0]["percent"] = "95.60"
    path = f"{scratch}/out-of-band.json"
    json.dump(example, open(path, "w", encoding="utf-8"))
    call("rtp", path, status=2)
    call("rtp", path, "--draft", status=1)
    return games


# ---- par ----------------------------------------------------------------------------------------------------------------------------
VOID = {"meta", "link", "br", "img", "hr", "input"}


class Page(html.parser.HTMLParser):
    """Well-formedness, and the cells of all tables."""

    def __init__(self):
        super().__init__()
        self.open, self.faults, self.ids, self.links, self.rows, self.charts, self.cell = [], [], set(), set(), [], 0, None

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if "id" in attributes:
            if attributes["id"] in self.ids:
                self.faults.append(f"id {attributes['id']} twice")
            self.ids.add(attributes["id"])
        if attributes.get("href", "").startswith("#"):
            self.links.add(attributes["href"][1:])
        for name in ("src", "href"):
            if not attributes.get(name, "#").startswith("#"):
                self.faults.append(f"<{tag} {name}={attributes[name]}>: fetched from elsewhere")
        if tag in ("script", "link", "iframe", "object"):
            self.faults.append(f"<{tag}>")
        if tag == "svg":
            self.charts += 1
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.cell = ""
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> at {self.getpos()}")
        if tag in ("td", "th"):
            self.rows[-1].append(self.cell)
            self.cell = None

    def handle_data(self, data):
        if self.cell is not None:
            self.cell += data.replace("\u202f", "")


def csv_tables(text):
    """{path: [row as dict]}"""
    tables, path, names, wrong = {}, None, None, []
    for record in csv.reader(text.splitlines(keepends=True), strict=True):
        if not record:
            path = names = None
        elif path is None:
            if record[0] != "table" or len(record) != 3 or record[1] in tables:
                wrong.append(record)
            path = record[1]
            tables[path] = []
        elif names is None:
            names = record
        else:
            if len(record) != len(names):
                wrong.append(record)
            tables[path].append(dict(zip(names, record)))
    check(not wrong, f"par csv: {wrong[:3]}")
    return tables


def tables_of(document):
    groups = [("game", document["sections"]), ("strips", document["appendix"])]
    groups += [(mode["mode"], mode["sections"]) for mode in document["modes"]]
    return {f"{group}/{section['id']}/{table['id']}": table for group, sections in groups for section in sections for table in section["tables"]}


def par_page(name, document, text):
    page = Page()
    page.feed(text)
    page.close()
    check(not page.faults and not page.open, f"{name}: html: {page.faults[:5]} {page.open[:5]}")
    check(page.links <= page.ids, f"{name}: html: links to nowhere: {sorted(page.links - page.ids)[:5]}")
    check(page.charts == 3 * len(document["modes"]), f"{name}: html: {page.charts} charts, expected {3 * len(document['modes'])}")
    check(document["math_version"] in text.split("<footer>")[1], f"{name}: html: no digest in the foot")
    shown = {tuple(row) for row in page.rows}
    for path, table in tables_of(document).items():
        if table["whole"]:
            continue
        columns = [column["id"] for column in table["columns"] if not column["exact"]]
        missing = [row for row in table["rows"] if tuple(row.get(column, "") for column in columns) not in shown]
        check(not missing, f"{name}: html: {path}: {len(missing)} rows are not shown, as {missing[:1]}")


def par_figures(name, document, figures):
    check(document["math_version"] == figures["math_version"], f"{name}: math version")
    for mode, expected in zip(document["modes"], figures["modes"], strict=True):
        same = all(mode[key] == expected[key] for key in expected)
        check(same, f"{name} {mode['mode']}: other figures than rtp's")
    tables = tables_of(document)
    for path, table in tables.items():
        for row in table["rows"] + ([table["total"]] if "total" in table else []):
            for column in table["columns"]:
                key = column["id"]
                if column["exact"] and key.endswith("_exact") and key[:-6] in row and "." in row[key[:-6]] and "e" not in row[key[:-6]]:
                    if decimals(Fraction(row[key])) != row[key[:-6]]:
                        check(False, f"{name}: {path}: {key} {row[key]} is not {row[key[:-6]]}")
        if "total" in table and "return_exact" in table["total"]:
            total = sum(Fraction(row["return_exact"]) for row in table["rows"] if "not in the" not in row.get("source", ""))
            check(total == Fraction(table["total"]["return_exact"]), f"{name}: {path}: the rows do not sum to the total")
    # strips as the definition has them
    path = EXAMPLE if name == "lucky-orchard" else f"services/spin-engine/games/{name}/definition.json"
    for set_id, reels in json.load(open(path, encoding="utf-8"))["strips"].items():
        rows = tables[f"strips/set_{set_id}/strips_{set_id}"]["rows"]
        for number, strip in enumerate(reels, 1):
            symbols = strip["symbols"] if isinstance(strip, dict) else strip
            check([row[f"reel_{number}"] for row in rows][: len(symbols)] == symbols, f"{name}: strip {set_id} {number}")
            if isinstance(strip, dict):
                weights = [row[f"weight_{number}"] for row in rows][: len(symbols)]
                check(weights == [str(weight) for weight in strip["weights"]], f"{name}: weights {set_id} {number}")


def par(games):
    games = {**games, "lucky-orchard": call_json("rtp", EXAMPLE)}
    for name, figures in games.items():
        subject = EXAMPLE if name == "lucky-orchard" else name
        document = call_json("par", subject)
        if document is None:
            continue
        par_figures(name, document, figures)
        for form in ("html", "csv"):
            path = f"{scratch}/{name}.{form}"
            call("par", subject, "--format", form, "--output", path)
            text = open(path, encoding="utf-8", newline="").read()
            if form == "html":
                par_page(name, document, text)
                continue
            check("\n" not in text.replace("\r\n", ""), f"{name}: csv: records do not all end in CR LF")
            tables = csv_tables(text)
            for path, table in tables_of(document).items():
                rows = [{column["id"]: row.get(column["id"], "") for column in table["columns"]} for row in table["rows"]]
                check(tables.get(path) == rows, f"{name}: csv: {path} differs from the JSON")
    check(call("par", EXAMPLE, "--format", "html").stdout.startswith(b"<!DOCTYPE html>"), "par on stdout")


# ---- the others ---------------------------------------------------------------------------------------------------------------------
def simulate(games):
    for game, mode in (("mystic-gem", "wild_3_sure"), ("mystic-gem", "wild_2"), ("mystery-elves", "hold"), ("witch-feature", "base")):
        if mode not in [one["mode"] for one in games[game]["modes"]]:
            continue
        one = call_json("simulate", game, "--mode", mode, "--rounds", "200000", "--threads", "1", "--quiet")
        two = call_json("simulate", game, "--mode", mode, "--rounds", "200000", "--threads", "2", "--quiet")
        for figures in (one, two):
            for key in ("elapsed_ms", "threads", "rounds_per_second", "seconds"):
                figures.pop(key, None)
                for each in figures["modes"]:
                    each.pop(key, None)
        check(one["modes"][0]["mean"] == two["modes"][0]["mean"], f"simulate {game} {mode}: two threads play otherwise than one")
        exact = next(float(each["rtp"]) for each in games[game]["modes"] if each["mode"] == mode)
        low, high = one["modes"][0]["interval_999"]
        check(low - (high - low) <= exact <= high + (high - low), f"simulate {game} {mode}: {exact} is far from {low}..{high}")


def replay(games):
    secret = hashlib.sha256(b"a secret for a test").digest()
    proof = {
        "game": "mystery-elves",
        "math_version": games["mystery-elves"]["math_version"],
        "bet": {"currency": "EUR", "coin_minor": 1, "lines": 10, "coins": 1, "mode": "hold"},
        "secret": secret.hex(),
        "secret_hash": hashlib.sha256(secret).hexdigest(),
        "nonce": "00112233445566778899aabbccddeeff",
        "digest": "00" * 32,
    }
    path = f"{scratch}/proof.json"

    def play(status, **changed):
        json.dump({**proof, **changed}, open(path, "w", encoding="utf-8"))
        return call_json("replay", path, status=status)

    def states(report):
        return {check["what"]: check["state"] for check in report["checks"]}

    nothing_shown = {"screens": "missing", "amounts": "missing", "gambles": "missing", "cards": "missing"}
    all_agree = {"definition": "agrees", "secret": "agrees", "result": "agrees", **nothing_shown}
    first = play(1)
    check(states(first) == {**all_agree, "result": "differs"} and first["agrees"] is False, "replay: another digest is taken")
    proof["digest"] = first["digest"]
    again = play(0)
    check(states(again) == all_agree and again["agrees"] and again["phases"] == first["phases"] and again["stake"] == 700, "replay: the digest it found is not taken")
    check(again["win"] == sum(phase["win_minor"] for phase in again["phases"]), "replay: the phases do not sum to the win")
    check(states(play(1, secret_hash="11" * 32)) == {**all_agree, "secret": "differs"}, "replay: another hash is taken")
    check(states(play(1, math_version="22" * 32)) == {**all_agree, "definition": "differs"}, "replay: another math version is taken")
    with open("services/spin-engine/games/mystery-elves/definition.json", encoding="utf-8") as file:
        own = json.load(file)
    check(states(play(0, definition=own)) == all_agree, "replay: the file's own definition is not taken")
    told = call("replay", path).stdout.decode()
    check("result     agrees" in told and "screens    not in the file" in told, f"replay in words: {told}")
    json.dump({**proof, "nonce": "xyz"}, open(path, "w", encoding="utf-8"))
    refused("replay", path, found="xyz")
    json.dump({**proof, "definition": {**own, "format": 2}}, open(path, "w", encoding="utf-8"))
    refused("replay", path, found="/format")


def rng():
    check(call_json("rng", "--known-answer")["ok"] is True, "rng --known-answer")
    check(call("rng", "--raw", "--bytes", "64").stdout == call("rng", "--raw", "--bytes", "64").stdout, "rng --raw: not the same twice")
    check(len(call("rng", "--raw", "--bytes", "1000000").stdout) == 1000000, "rng --raw --bytes 1000000")
    numbers = call_json("rng", "--below", "6", "--bytes", "24000", "--seed", "7")["numbers"]
    check(len(numbers) == 6000 and set(numbers) == set(range(6)), "rng --below 6")
    lines = call("rng", "--below", "6", "--bytes", "24000", "--seed", "7").stdout.split()
    check([int(line) for line in lines] == numbers, "rng --below 6: other numbers as text")


SET = {
    "set": "example",
    "set_number": 9,
    "levels": [
        {"suit": "clubs", "seed_eur_minor": 2000, "wager_ppm": 2500, "weight": 60},
        {"suit": "diamonds", "seed_eur_minor": 10000, "wager_ppm": 1500, "weight": 30},
        {"suit": "hearts", "seed_eur_minor": 100000, "wager_ppm": 700, "weight": 9},
        {"suit": "spades", "seed_eur_minor": 1000000, "wager_ppm": 300, "weight": 1},
    ],
    "odds": {"EUR": {"in": 1, "of": 4000000}, "SEK": {"in": 1, "of": 45714285}},
}


def cards():
    path = f"{scratch}/set.json"

    def written(**changed):
        json.dump({**SET, **changed}, open(path, "w", encoding="utf-8"))
        return path

    done = call_json("cards", written(), "--levels", "2500,12000,150000,1200000", "--rates", "SEK=0.0875", "--stakes", "40,4000000")
    weights = [Fraction(level["weight"], 100) for level in SET["levels"]]
    seeds = sum(weight * level["seed_eur_minor"] for weight, level in zip(weights, SET["levels"]))
    check([Fraction(level["probability_exact"]) for level in done["levels"]] == weights, "cards: chances of the levels")
    check(Fraction(done["seed_mean_eur_minor_exact"]) == seeds and done["seed_mean_eur_minor"] == decimals(seeds), "cards: mean seed")
    check([pick["picks"] for pick in done["picks"]] == list(range(3, 10)) and sum(Fraction(pick["probability_exact"]) for pick in done["picks"]) == 1, "cards: picks")
    check(Fraction(done["picks_mean_exact"]) == sum(pick["picks"] * Fraction(pick["probability_exact"]) for pick in done["picks"]), "cards: mean of the picks")
    for currency, rate in zip(done["currencies"], (Fraction(1), Fraction(875, 10000))):
        odds, name = Fraction(currency["in"], currency["of"]), f"cards {currency['currency']}"
        check([Fraction(stake["probability_exact"]) for stake in currency["stakes"]] == [40 * odds, min(1, 4000000 * odds)], f"{name}: odds")
        check(Fraction(currency["seeds_exact"]) == odds * seeds / rate, f"{name}: seeds")
        check(Fraction(currency["long_run_exact"]) == odds * seeds / rate + Fraction(5, 1000), f"{name}: long run")
        check(Fraction(currency["now_exact"]) == odds * Fraction(done["value_mean_eur_minor_exact"]) / rate, f"{name}: worth now")
        means = [Fraction(prize["eur_minor_exact"]) for prize in currency["mean_prizes"]]
        check(odds / rate * sum(map(Fraction.__mul__, weights, means)) == Fraction(currency["long_run_exact"]), f"{name}: the mean prizes do not return it")
    check(call_json("cards", path)["currencies"][1]["rate"] is None, "cards: a rate that nobody gave")
    text = call("cards", path, "--levels", "2500,12000,150000,1200000").stdout
    check(all(word in text for word in (b"spades", b"one in", b"--rates SEK=", b"present value")), "cards as text")
    for changed, found in (({"levels": SET["levels"][:3]}, "/levels"), ({"set_number": 0}, "/set_number"), ({"odds": {"XXX": {"in": 1, "of": 2}}}, "/odds/XXX"), ({"odds": {"EUR": {"in": 3, "of": 2}}}, "/odds/EUR/in")):
        refused("cards", written(**changed), found=found)
    written()
    refused("cards", path, "--levels", "1,2,3", found="3 amounts")
    refused("cards", path, "--levels", "1,2,3,x", found="x")
    refused("cards", path, "--rates", "SEK", found="SEK")
    refused("cards", path, "--rates", "SEK=0", found="SEK=0")
    refused("cards", path, "--stakes", "0", found="'0'")
    refused("cards", "no-such-set", found="no-such-set")


def check_files():
    for path in glob.glob("services/spin-engine/games/*/definition*.json") + [EXAMPLE]:
        about = call_json("check", path)
        check(about["ok"] is True and len(about["math_version"]) == 64, f"check {path}")
    broken = json.load(open(EXAMPLE, encoding="utf-8"))
    broken["colour"] = "red"
    path = f"{scratch}/broken.json"
    json.dump(broken, open(path, "w", encoding="utf-8"))
    about = call_json("check", path, status=2)
    check(about["ok"] is False and "colour" in about["error"], "check: what is wrong")


def optimise():
    path = f"{scratch}/optimised.json"
    call("optimise", EXAMPLE, "--quiet", "--output", path)
    check(call_json("rtp", path)["modes"][0]["in_band"] is True, "optimise: its strips are out of the band")


def searches():
    """Each member of a search file by its place, and what was found there."""
    example = json.load(open("docs/example-game/search.json", encoding="utf-8"))
    number = {"kind": "number", "mode": "base", "target": "95.50", "pointer": "/symbols/2/pays/3", "from": 1, "to": 2}

    def strips(**members):
        return {"seed": 1, "stages": [example["stages"][0], {**example["stages"][0], **members}]}

    def numbers(**members):
        return {"stages": [{**number, **members}]}

    reels = example["stages"][0]["reels"]
    for search, said in (
            ([], "/stages: found nothing, expected an array"), ({"seed": 1}, "/stages: found nothing, expected an array"), ({"stages": 1}, "/stages: found another type, expected an array"),
            ("{\n]", ":2: found "), (None, ": found unable to open"),
            (strips(reels=[*reels[:4], {**reels[4], "nosuch": 1}]), "/stages/1/reels/4: found 'nosuch', expected the id of a symbol"),
            (strips(blocks=[{"reel": 1, "symbols": ["pear", "nosuch"]}]), "/stages/1/blocks/0/symbols/1: found 'nosuch', expected the id of a symbol"),
            (strips(blocks=[{"reel": 1, "symbols": [7]}]), "/stages/1/blocks/0/symbols/0: found another type, expected the id of a symbol"),
            (strips(blocks=[{"reel": 1, "symbols": []}]), "/stages/1/blocks/0/symbols: found 0 entries, expected 1 to "),
            (strips(blocks=[{"reel": 6, "symbols": ["pear"]}]), "/stages/1/blocks/0/reel: found something else, expected a whole number from 1 to 5"),
            (strips(weights={"each": 0}), "/stages/1/weights/each: found something else, expected a number from 1 to "),
            (strips(weights={"each": 5, "showing": {"pear": 0}}), "/stages/1/weights/showing/pear: found something else, expected a number from 1 to "),
            (strips(weights={"each": 5, "showing": {"nosuch": 1}}), "/stages/1/weights/showing: found 'nosuch', expected the id of a symbol"),
            (strips(hit_rate=["24", "many"]), "/stages/1/hit_rate/1: found 'many', expected a percentage"),
            (strips(target="much"), "/stages/1/target: found 'much', expected a percentage"),
            (strips(pointer="/x"), "/stages/1/pointer: found an unknown member, expected one of: kind mode target hit_rate strips reels apart blocks runs weights astray seed steps\n"),
            (numbers(pointer="/none"), "/stages/0/pointer: found '/none', expected a JSON pointer to a whole number in the definition"),
            (numbers(also=["/symbols/2/pays/3", "/none"]), "/stages/0/also/1: found '/none', expected a JSON pointer to a whole number in the definition"),
            (numbers(state="none"), "/stages/0/state: found 'none', expected a state of mode base")):
        path = f"{scratch}/search.json"
        if search is None:
            path = f"{scratch}/no-such.json"
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(search if isinstance(search, str) else json.dumps(search))
        refused("optimise", EXAMPLE, "--quiet", "--input", path, found=said)


def refused(*arguments, found):
    done = call(*arguments, status=2)
    said = done.stderr.decode()
    check(said.startswith("slotmath: ") and found in said, f"slotmath {' '.join(arguments)}: says {said!r}, expected a word on {found!r}")
    check(not done.stdout, f"slotmath {' '.join(arguments)}: writes on stdout too")


def refusals():
    refused("nothing", found="nothing")
    for command in ("rtp", "simulate", "par", "optimise", "replay", "check", "cards"):
        refused(command, found="found nothing")
        refused(command, "a", "--no-such", found="--no-such")
        refused(command, "a", "b", found="found 'b', expected only one argument without --")
        check(b"slotmath" in call(command, "--help").stdout, f"{command} --help")
    refused("par", "mystic-gem", "--format", "pdf", found="pdf")
    refused("par", "mystic-gem", "--format", found="html|csv|json")
    refused("par", EXAMPLE, "--output", f"{scratch}/no/such/folder/x", found="no/such/folder")
    refused("par", EXAMPLE, "--mode", "base", found="--mode")
    refused("par", "no-such-game", found="no-such-game")
    refused("rtp", "mystic-gem", "--mode", "none", found="none")
    refused("rtp", "mystic-gem", "--lines", "41", found="41")
    refused("rtp", "mystic-gem", "--all", found="mystic-gem")
    refused("simulate", "mystic-gem", "--rounds", "0", found="'0'")
    refused("simulate", "mystic-gem", "--threads", "many", found="many")
    refused("rng", found="--raw")
    refused("rng", "--raw", "--json", found="--json")
    refused("rng", "--below", "1", found="'1'")
    refused("rng", "--below", "6", "--json", found="--bytes")
    refused("replay", EXAMPLE, found="PROOF")
    check(call(status=2).stderr.startswith(b"slotmath COMMAND"), "slotmath alone: no usage")
    check(b"par" in call("--help").stdout, "slotmath --help")


def main():
    games = rtp()
    par(games)
    simulate(games)
    replay(games)
    rng()
    cards()
    check_files()
    optimise()
    searches()
    refusals()
    for path in glob.glob(f"{scratch}/*"):
        os.remove(path)
    os.rmdir(scratch)
    for fault in faults:
        print(fault)
    print(f"{passed} passed, {len(faults)} failed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
