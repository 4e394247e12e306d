#!/usr/bin/env python3
"""The games' pictures, sounds and particles: every symbol of every definition has a drawing of its own, which a colour-blind player tells from the
others at 40 pixels; the files are small, plain and ours; nothing is heard before it is wanted. Pictures of each game: build/screenshots/art-GAME.png."""
import functools
import glob
import gzip
import json
import os
import re
import shutil
import struct
import subprocess
import xml.etree.ElementTree as ET

from lib_stack import ROOT, run

WEB = f"{ROOT}/services/gateway/web"
WORLD_BYTES_MAX = 60_000  # a game's whole art, compressed
APART_MIN = 6  # mean difference of grey values, of 255, between two symbols of 40 x 40
NAMES = "press spin stop anticipation win1 win2 win3 win4 count collect feature bonus gamble-win gamble-lose card vial jackpot".split()
PARTS = "svg defs symbol g path circle ellipse rect linearGradient radialGradient stop".split()
FILES = ("background", "frame", "symbols", "tile", "title")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


@functools.cache
def definitions():
    return [json.loads(read(path)) for path in sorted(glob.glob(f"{ROOT}/services/spin-engine/games/*/definition.json"))]


@functools.cache
def index():
    return json.loads(read(f"{WEB}/worlds/index.json"))


@functools.cache
def found():
    """What the browser shows, asked once."""
    modules = subprocess.run([f"{ROOT}/scripts/web.sh", "modules"], capture_output=True, text=True, timeout=120, check=True).stdout.strip()
    chromium = shutil.which("chromium") or "/usr/bin/chromium"
    games = [{"id": d["id"], "grid": d["grid"], "symbols": d["symbols"]} for d in definitions()]
    command = ["node", f"{ROOT}/tests/e2e/art.mjs", modules, chromium, WEB, f"{ROOT}/build/screenshots"]
    done = subprocess.run(command, input=json.dumps(games), capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_pictures_are_what_their_drawings_make():
    done = subprocess.run(["python3", f"{ROOT}/tools/art/draw.py", "--check"], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


def test_every_symbol_has_a_drawing_of_its_own():
    for d in definitions():
        drawings = {}
        for symbol in ET.parse(f"{WEB}/worlds/{d['id']}/symbols.svg").getroot().iter("{http://www.w3.org/2000/svg}symbol"):
            drawings[symbol.get("id").removeprefix(f"art-{d['id']}-")] = "".join(ET.tostring(part, encoding="unicode") for part in symbol)
        assert list(drawings) == index()[d["id"]]["symbols"], d["id"]
        missing = [symbol["id"] for symbol in d["symbols"] if symbol["id"] not in drawings]
        assert not missing, f"{d['id']}: no drawing of {missing}"
        assert len(set(drawings.values())) == len(drawings), f"{d['id']}: two symbols share a drawing"
        assert all(len(drawing) > 300 for drawing in drawings.values()), d["id"]


def test_the_files_are_plain_and_name_nothing_outside():
    for world in index():
        for name in FILES:
            where, text = f"{world}/{name}.svg", read(f"{WEB}/worlds/{world}/{name}.svg")
            root = ET.fromstring(text)
            tags = {part.tag.removeprefix("{http://www.w3.org/2000/svg}") for part in root.iter()}
            assert tags <= set(PARTS), f"{where}: found {tags - set(PARTS)}"
            attributes = {key for part in root.iter() for key in part.attrib}
            assert not any(key == "style" or key.startswith("on") or "href" in key for key in attributes), f"{where}: {attributes}"
            assert set(re.findall(r"\w+://[^\"]*", text)) == {"http://www.w3.org/2000/svg"}, where
            ids = [part.get("id") for part in root.iter() if part.get("id")]
            assert len(ids) == len(set(ids)), f"{where}: an id twice"
            assert set(re.findall(r"url\(#([^)]*)\)", text)) <= set(ids), f"{where}: a paint that is not there"


def test_the_icons_of_an_installed_page_are_there():
    icons = [(one["src"], one["sizes"]) for one in json.loads(read(f"{WEB}/manifest.json"))["icons"] if one["type"] == "image/png"]
    assert {sizes for _, sizes in icons} == {"192x192", "512x512"}
    for src, sizes in [*icons, ("/apple-touch-icon.png", "180x180")]:
        with open(f"{WEB}{src}", "rb") as file:
            head = file.read(24)
        assert head[:8] == b"\x89PNG\r\n\x1a\n" and "x".join(map(str, struct.unpack(">II", head[16:24]))) == sizes, (src, head)
    assert 'rel="apple-touch-icon" href="/apple-touch-icon.png"' in read(f"{WEB}/index.html")


def test_a_game_is_small_and_loads_alone():
    for world in index():
        whole = sum(len(gzip.compress(read(path).encode())) for path in glob.glob(f"{WEB}/worlds/{world}/*.svg"))
        assert whole <= WORLD_BYTES_MAX, f"{world}: found {whole} bytes compressed, expected at most {WORLD_BYTES_MAX}"
    own, first = definitions()[0]["id"], {path for path in found()["first"] if path.startswith("/worlds/")}
    assert first == {"/worlds/index.json", *(f"/worlds/{own}/{name}.svg" for name in FILES)}, first


def test_every_symbol_is_painted_and_told_apart_by_shape():
    # On the reels once, and each symbol at four sizes.
    shown = {d["id"]: d["grid"]["reels"] * d["grid"]["rows"] + 4 * len(d["symbols"]) for d in definitions()}
    for game, seen in found()["games"].items():
        assert not seen["letters"] and not seen["unpainted"] and seen["pictures"] == shown[game], f"{game}: {seen}, expected {shown[game]} pictures"
        for shape in seen["shapes"]:
            assert shape["filled"] > 0.08, f"{game}: {shape} is hardly there"
            assert shape["distance"] > APART_MIN, f"{game}: {shape['id']} looks like {shape['nearest']}: {shape['distance']:.1f} apart, expected more than {APART_MIN}"
        assert os.path.getsize(f"{ROOT}/build/screenshots/art-{game}.png") > 50_000, game


def test_the_browser_has_nothing_to_say():
    assert not found()["problems"], found()["problems"]


def test_every_sound_is_heard_ends_and_does_not_clip():
    assert [sound["name"] for sound in found()["sounds"]] == NAMES
    for sound in found()["sounds"]:
        assert sound["finite"] and 0.03 < sound["peak"] < 0.96, sound
        assert 0.02 < sound["end"] < 11 and sound["tail"] < 0.003, sound


def test_the_music_is_quiet_and_each_game_has_its_own():
    beds = found()["beds"]
    assert len(beds) == 2 * len(definitions())
    for bed in beds:
        assert bed["finite"] and 0.01 < bed["peak"] < 0.6 and bed["loudness"] < 0.2, bed
    assert len({(bed["game"], bed["name"], bed["loudness"]) for bed in beds}) == len({bed["loudness"] for bed in beds}), "two beds sound alike"


def test_nothing_sounds_before_it_is_wanted():
    hush = found()["hush"]
    assert hush == {"silent": 0, "wanted": 1, "kept": {"effects": 0.5, "music": 0.25}, "afresh": 0}, hush


def test_particles_are_few_and_rest():
    seen = found()["particles"]
    assert seen["before"]["idle"] and not seen["during"]["idle"], seen
    assert 0 < seen["during"]["particles"] <= 200, seen
    assert seen["after"]["idle"] and seen["after"]["particles"] == 0, seen
    assert seen["cleared"] == {**seen["cleared"], "particles": 0, "rains": 0, "idle": True}, seen
    assert found()["reduced"]["particles"] == 0 and found()["reduced"]["idle"], "less motion was asked for"


if __name__ == "__main__":
    run(
        test_the_pictures_are_what_their_drawings_make,
        test_every_symbol_has_a_drawing_of_its_own,
        test_the_files_are_plain_and_name_nothing_outside,
        test_the_icons_of_an_installed_page_are_there,
        test_a_game_is_small_and_loads_alone,
        test_every_symbol_is_painted_and_told_apart_by_shape,
        test_the_browser_has_nothing_to_say,
        test_every_sound_is_heard_ends_and_does_not_clip,
        test_the_music_is_quiet_and_each_game_has_its_own,
        test_nothing_sounds_before_it_is_wanted,
        test_particles_are_few_and_rest,
    )
