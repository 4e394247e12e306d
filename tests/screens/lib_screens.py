"""What the pictures of the page need beside the tests' own tools: sizes, scripts of wins, and films."""
import contextlib
import itertools
import json
import os
import shutil
import subprocess
import tempfile

from lib_games import GAMES

SIZES = [(320, 568), (390, 844), (844, 390), (1366, 768), (1920, 1080)]
FRAME_MS = 100


def sizes_of():
    """All sizes, or those of CARILLON_SIZES, as in 390x844,1366x768."""
    chosen = os.environ.get("CARILLON_SIZES")
    return [tuple(map(int, size.split("x"))) for size in chosen.split(",")] if chosen else SIZES


def best_line(deal, which):
    """Stops that show five of one symbol on the first line: the symbol that pays most ("most") or three of one that pays least ("least")."""
    definition, rows = deal.definition, deal.definition["lines"][0]
    lines = [s for s in definition["symbols"] if s["kind"] == "line"]
    worth = sorted(lines, key=lambda s: max(s["pays"].values()), reverse=which == "most")
    for symbol in worth:
        stops = [stops_with(deal, reel, rows[reel], symbol["id"] if which == "most" or reel < 3 else None, symbol["id"]) for reel in range(definition["grid"]["reels"])]
        if None not in stops:
            return stops
    raise AssertionError(f"{definition['id']}: no symbol makes a line")


def nothing(deal):
    """Stops that win nothing and begin no feature: the first two reels have no symbol in common."""
    special = {*deal.special, (deal.definition.get("sticky_respins") or {}).get("symbol")}
    return GAMES[deal.definition["id"]].script(lambda columns: not set(columns[0]) & set(columns[1]) and not any(special & set(column) for column in columns))


def stops_with(deal, reel, row, wanted, other):
    """A draw whose window has the wanted symbol in that row and nothing special; without one: that lacks the other symbol there."""
    symbols, raw = deal.reel("base", reel)
    sticky = (deal.definition.get("sticky_respins") or {}).get("symbol")
    for stop in range(len(symbols)):
        window = [symbols[(stop + i) % len(symbols)] for i in range(deal.rows)]
        if any(s in deal.special or s == sticky for s in window):
            continue
        if window[row] == wanted if wanted else other not in window:
            return raw[stop]
    return None


def card_sets(place):
    """A set of Jackpot Cards that each stake of 1.00 SEK and more begins, and in which hearts are won."""
    suits = zip(("clubs", "diamonds", "hearts", "spades"), (500, 1000, 2000, 4000))
    levels = [{"suit": suit, "seed_eur_minor": seed, "wager_ppm": 1000, "weight": int(suit == "hearts")} for suit, seed in suits]
    os.makedirs(f"{place.data}/sets")
    with open(f"{place.data}/sets/cards.json", "w", encoding="utf-8") as file:
        json.dump({"set": "cards", "set_number": 2, "levels": levels, "odds": {"EUR": {"in": 1, "of": 10000000000}, "SEK": {"in": 1, "of": 100}}}, file)
    place.environment.update(CARILLON_CARD_SETS=f"{place.data}/sets")


@contextlib.contextmanager
def film_of(page, name, folder):
    """What the page shows meanwhile, as an animated picture of ten frames a second."""
    frames = tempfile.mkdtemp(prefix="carillon-film-")
    page.film(folder=frames)
    try:
        yield
        shown = page.cut()
        encode(shown, f"{folder}/film-{name}.webp")
    finally:
        shutil.rmtree(frames, ignore_errors=True)


def encode(shown, path):
    """`shown`: [seconds, picture] of each frame that differed from the one before. Frames of one tenth of a second are one."""
    kept = []
    for at, picture in shown:
        if not kept or at - kept[-1][0] >= FRAME_MS / 1000:
            kept.append((at, picture))
    held = [max(FRAME_MS, round(1000 * (b[0] - a[0]))) for a, b in itertools.pairwise(kept)] + [1000]
    arguments = [word for (_, picture), ms in zip(kept, held) for word in ("-lossy", "-q", "60", "-d", str(ms), picture)]
    subprocess.run(["img2webp", "-loop", "0", *arguments, "-o", path], check=True, capture_output=True, timeout=600)
