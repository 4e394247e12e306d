#!/usr/bin/env python3
"""Draws the games' pictures: reads tools/art/*.art, one shape a line, and writes services/gateway/web/worlds/GAME/*.svg, and worlds/index.json,
which says what each world has: its symbols, and how its music sounds.
In a drawing: `paint NAME LIGHT MIDDLE DARK`, each #rrggbb or #rrggbb/OPACITY (a shape says NAME, or NAME* lit as a ball, or NAME^ from above to below);
`def NAME` and lines up to the next heading, drawn by `use NAME $1 ...`; `symbol NAME` in symbols.svg; `file NAME WIDTH HEIGHT`. COMMANDS lists the shapes.
Usage: draw.py [--check]   --check: writes nothing and fails if a picture on disk is not what its drawing makes."""
import glob
import json
import math
import os
import random
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
WORLDS = os.path.join(HERE, "../../services/gateway/web/worlds")
SCENE = (1600, 1000)  # what hills and forests fill
LINE = 2.2  # the one line weight, on a symbol of 96 x 96


def number(value):
    return f"{value:.1f}".removesuffix(".0").replace("-0.", "-.") if abs(value) >= 0.05 else "0"


def points(pairs):
    return "M" + "L".join(f"{number(x)} {number(y)}" for x, y in pairs) + "z"


def mix(a, b, part):
    pairs = zip(*([int(c[i:i + 2], 16) for i in (1, 3, 5)] for c in (a, b)))
    return "#" + "".join(f"{round(x + (y - x) * part):02x}" for x, y in pairs)


def around(x, y, rx, ry, n, turn=0.0):
    return [(x + rx * math.sin(math.tau * (i / n) + turn), y - ry * math.cos(math.tau * (i / n) + turn)) for i in range(n)]


class Sheet:
    """One SVG file: shapes, and the gradients that they use."""

    def __init__(self, world, width=None, height=None, keep=""):
        self.world, self.size, self.keep = world, (width, height), keep
        self.body, self.used, self.line = [], {}, LINE

    def paint(self, name, kind=""):
        if name.startswith("#") or name == "none":
            return name
        kind = "ball" if name.endswith("*") else "down" if name.endswith("^") else kind
        name = name.rstrip("*^")
        if name not in self.world.paints:
            raise SystemExit(f"{self.world.name}: found paint {name}, expected one of {' '.join(self.world.paints)}")
        ident = f"{self.world.name}-{name}{'-' + kind if kind else ''}"
        self.used[ident] = (kind, self.world.paints[name])
        return f"url(#{ident})"

    def gradient(self, ident):
        kind, colours = self.used[ident]
        stops = []
        for i, colour in enumerate(colours):
            shade, _, opacity = colour.partition("/")
            offset = ".45" if len(colours) == 3 and i == 1 else number(i / (len(colours) - 1))
            seen = f' stop-opacity="{opacity}"' if opacity else ""
            stops.append(f'<stop offset="{offset}" stop-color="{shade}"{seen}/>')
        tag, where = {"ball": ("radialGradient", 'cx=".36" cy=".3" r=".8"'), "down": ("linearGradient", 'x2="0" y2="1"'),
                      "glow": ("radialGradient", "")}.get(kind, ("linearGradient", 'x1=".15" y1="0" x2=".8" y2="1"'))
        return f'<{tag} id="{ident}" {where}>{"".join(stops)}</{tag}>'.replace(" >", ">")

    def add(self, shape, paint, outline=True, more=""):
        stroke = f' stroke="{self.world.outline}" stroke-width="{number(self.line)}"' if outline else ""
        self.body.append(f'<{shape} fill="{self.paint(paint)}"{stroke}{more}/>')

    def text(self):
        width, height = self.size
        box = f' width="{width}" height="{height}" viewBox="0 0 {width} {height}"{self.keep}' if width else ""
        defs = "".join(self.gradient(ident) for ident in sorted(self.used))
        return (f'<svg xmlns="http://www.w3.org/2000/svg"{box} stroke-linejoin="round" stroke-linecap="round">\n'
                f"<defs>{defs}</defs>\n" + "\n".join(self.body) + "\n</svg>\n")


# ---- shapes: a function a command; `rest` is the line's remaining words ----

def path(sheet, paint, *rest):
    sheet.add(f'path d="{" ".join(rest)}"', paint)


def flat(sheet, paint, *rest):
    sheet.add(f'path d="{" ".join(rest)}"', paint, outline=False)


def light(sheet, opacity, *rest):
    sheet.add(f'path d="{" ".join(rest)}"', "#ffffff", False, f' fill-opacity="{opacity}"')


def shade(sheet, opacity, *rest):
    sheet.add(f'path d="{" ".join(rest)}"', sheet.world.outline, False, f' fill-opacity="{opacity}"')


def stroke(sheet, paint, width, *rest):
    sheet.body.append(f'<path d="{" ".join(rest)}" fill="none" stroke="{sheet.paint(paint)}" stroke-width="{width}"/>')


def rod(sheet, paint, width, *rest):
    stroke(sheet, sheet.world.outline, number(float(width) + 2 * sheet.line * 0.8), *rest)
    stroke(sheet, paint, width, *rest)


def ellipse(sheet, paint, x, y, rx, ry=None, outline=True, more=""):
    sheet.add(f'ellipse cx="{x}" cy="{y}" rx="{rx}" ry="{ry}"' if ry else f'circle cx="{x}" cy="{y}" r="{rx}"', paint, outline, more)


def shining(sheet, opacity, x, y, rx, ry=None):
    ellipse(sheet, "#ffffff", x, y, rx, ry, False, f' fill-opacity="{opacity}"')


def box(sheet, paint, x, y, width, height, radius="0", outline=True):
    sheet.add(f'rect x="{x}" y="{y}" width="{width}" height="{height}" rx="{radius}"', paint, outline)


def glow(sheet, colour, x, y, rx, ry=None, strength=".8"):
    ry = ry or rx
    if not sheet.size[0]:  # a symbol's edge would cut it
        rx, ry = (number(min(float(r), float(at), 96 - float(at))) for r, at in ((rx, x), (ry, y)))
    name = f"glow{colour[1:]}{strength.replace('.', '')}"
    sheet.world.paints[name] = [f"{colour}/{strength}", f"{colour}/{number(float(strength) / 3)}" if float(strength) > .15 else f"{colour}/.05", f"{colour}/0"]
    sheet.paint(name, "glow")
    sheet.body.append(f'<ellipse cx="{x}" cy="{y}" rx="{rx}" ry="{ry}" fill="url(#{sheet.world.name}-{name}-glow)"/>')


def rays(sheet, paint, x, y, inner, outer, n, opacity="1"):
    x, y, inner, outer, n = float(x), float(y), float(inner), float(outer), int(n)
    base, tips = around(x, y, inner, inner, 3 * n), around(x, y, outer, outer, n)
    d = "".join(points([base[3 * i - 1], tips[i], base[(3 * i + 1) % (3 * n)]]) for i in range(n))
    sheet.add(f'path d="{d}"', paint, False, f' fill-opacity="{opacity}"')


def star(sheet, paint, x, y, outer, inner, n, turn="0", outline=True):
    x, y, outer, inner, n, turn = float(x), float(y), float(outer), float(inner), int(n), math.radians(float(turn))
    a, b = around(x, y, outer, outer, n, turn), around(x, y, inner, inner, n, turn + math.pi / n)
    sheet.add(f'path d="{points([p for pair in zip(a, b) for p in pair])}"', paint, outline)


def spark(sheet, x, y, radius, colour="#ffffff"):
    x, y, r = float(x), float(y), float(radius)
    middle = f"Q{number(x)} {number(y)} "
    tips = [f"{number(px)} {number(py)}" for px, py in ((x, y - r), (x + r, y), (x, y + r), (x - r, y), (x, y - r))]
    d = f"M{middle.join(tips)}z"
    sheet.add(f'path d="{d}"', colour, False)


def gem(sheet, paint, x, y, rx, ry, n="8", table=".55", turn="0"):
    """A cut stone: each facet as bright as it faces the light, which comes from the upper left."""
    x, y, rx, ry, n, table, turn = float(x), float(y), float(rx), float(ry), int(n), float(table), math.radians(float(turn))
    bright, middle, dark = (colour.partition("/")[0] for colour in sheet.world.paints[paint])
    rim, top = around(x, y, rx, ry, n, turn), around(x, y - ry * .06, rx * table, ry * table, n, turn + math.pi / n)
    sheet.add(f'path d="{points(rim)}"', middle)

    def lit(px, py):
        facing = -((px - x) / rx * .6 + (py - y) / ry * .8)
        return mix(middle, bright, min(1, facing)) if facing > 0 else mix(middle, dark, min(1, -facing))
    for i in range(n):
        a, b, c, d = rim[i], rim[(i + 1) % n], top[i], top[i - 1]
        for facet in ((a, b, c), (a, c, d)):
            cx, cy = sum(p[0] for p in facet) / 3, sum(p[1] for p in facet) / 3
            sheet.add(f'path d="{points(facet)}"', lit(cx, cy), False)
    sheet.add(f'path d="{points(top)}"', paint, False)
    shine = [top[-1], top[0], ((x + top[0][0]) / 2, (y + top[0][1]) / 2), (x - rx * table * .7, y + ry * table * .1)]
    sheet.add(f'path d="{points(shine)}"', "#ffffff", False, ' fill-opacity=".4"')
    sheet.body.append(f'<path d="{points(rim)}" fill="none" stroke="{sheet.world.outline}" stroke-width="{number(sheet.line)}"/>')


def dots(sheet, colour, n, x, y, width, height, size, seed):
    """Stars, snow or dust, strewn at random but the same each time."""
    dice = random.Random(int(seed))
    for level in (1, .6, .35):
        d = ""
        for _ in range(int(n) // 3):
            px, py, r = float(x) + dice.random() * float(width), float(y) + dice.random() * float(height), float(size) * (.4 + .6 * dice.random())
            d += f"M{px - r:.0f} {py:.0f}a{r:.1f} {r:.1f} 0 1 0 {2 * r:.1f} 0a{r:.1f} {r:.1f} 0 1 0 {-2 * r:.1f} 0"
        sheet.add(f'path d="{d}"', colour, False, f' fill-opacity="{level}"')


def ridge(sheet, paint, y, height, seed, step="40", rough="1"):
    """Hills from edge to edge."""
    width, bottom = SCENE
    dice = random.Random(int(seed))
    y, height, step, rough = float(y), float(height), float(step), float(rough)
    waves = [(dice.random() * math.tau, 1 + dice.random() * 5, dice.random() / (i + 1)) for i in range(5)]
    d = f"M0 {bottom}"
    for i in range(int(width / step) + 1):
        rise = sum(math.sin(phase + speed * i * step / width * math.tau) * part for phase, speed, part in waves) + rough * (dice.random() - .5) * .4
        d += f"L{i * step:.0f} {y - height * rise * .5:.0f}"
    sheet.add(f'path d="{d}L{width} {bottom}z"', paint, False)


def pine(sheet, paint, x, y, height, snow="none"):
    """A fir in five tiers, its foot at x, y."""
    x, y, height = float(x), float(y), float(height)
    left, tiers, caps = [], 5, ""
    for i in range(tiers):
        top, low = y - height + height * .78 * i / tiers, y - height + height * (.24 + .76 * i / tiers)
        wide = height * (.1 + .055 * i)
        left += [(wide * .4, top + height * .04), (wide, low)]
        caps += (f"M{number(x)} {number(top)}L{number(x - wide * .92)} {number(low - 1)}"
                 f"Q{number(x - wide * .3)} {number(low - height * .05)} {number(x)} {number(top + height * .13)}z")
    foot = [(x - height * .03, y), (x + height * .03, y)]
    d = points([(x, y - height)] + [(x - a, b) for a, b in left[1:]] + foot + [(x + a, b) for a, b in reversed(left[1:])])
    sheet.add(f'path d="{d}"', paint, False)
    if snow != "none":
        sheet.add(f'path d="{caps}"', snow, False, ' fill-opacity=".85"')


def put(sheet, name, x, y, size):
    """A symbol of this world inside a larger picture."""
    sheet.body.append(f'<g transform="translate({x} {y}) scale({float(size) / 96:.3g})">')
    sheet.world.run(sheet.world.symbols[name], sheet)
    sheet.body.append("</g>")


def forest(sheet, paint, y, n, low, high, seed, snow="none"):
    dice = random.Random(int(seed))
    for i in range(int(n)):
        x, foot, tall = (i + dice.random()) * SCENE[0] / int(n), float(y) + dice.random() * 20, dice.random()
        pine(sheet, paint, x, foot, float(low) + tall * (float(high) - float(low)), snow)


COMMANDS = {
    "p": path, "f": flat, "h": light, "s": shade, "l": stroke, "o": rod, "c": ellipse, "e": ellipse, "r": box,
    "glow": glow, "rays": rays, "star": star, "spark": spark,
    "hc": shining, "gem": gem, "dots": dots, "ridge": ridge, "pine": pine, "forest": forest, "put": put,
    "cf": lambda sheet, *a: ellipse(sheet, *a, outline=False), "ef": lambda sheet, *a: ellipse(sheet, *a, outline=False), "rf": lambda sheet, *a: box(sheet, *a, outline=False),
    "starf": lambda sheet, *a: star(sheet, *a, outline=False),
    "weight": lambda sheet, width: setattr(sheet, "line", float(width)),
    "t": lambda sheet, *how: sheet.body.append(f'<g transform="{" ".join(how)}">'),
    "a": lambda sheet, opacity: sheet.body.append(f'<g opacity="{opacity}">'),
    "/": lambda sheet: sheet.body.append("</g>"),
}


class World:
    """One game: its paints, its macros, its files."""

    def __init__(self, name, common):
        self.name, self.outline = name, "#1a1028"
        self.paints, self.macros = dict(common.paints) if common else {}, dict(common.macros) if common else {}
        self.music, self.own = {}, []
        self.files, self.symbols = {}, dict(common.symbols) if common else {}

    def run(self, lines, sheet):
        at = 0
        while at < len(lines):
            word, *rest = lines[at]
            at += 1
            if word == "m":  # the lines up to /m, and their mirror image
                end = next(i for i in range(at, len(lines)) if lines[i] == ["/m"])
                self.run(lines[at:end], sheet)
                sheet.body.append(f'<g transform="matrix(-1 0 0 1 {rest[0] if rest else 96} 0)">')
                self.run(lines[at:end], sheet)
                sheet.body.append("</g>")
                at = end + 1
            elif word == "use":
                self.run([[re.sub(r"\$(\d)", lambda found: rest[int(found[1])], part) for part in line] for line in self.macros[rest[0]]], sheet)
            elif word in COMMANDS:
                COMMANDS[word](sheet, *rest)
            else:
                raise SystemExit(f"{self.name}: found '{word} {' '.join(rest)}', expected a command: {' '.join(COMMANDS)}")

    def read(self, text):
        lines = [line.split() for line in text.splitlines() if line.strip() and not line.startswith("#")]
        starts = [i for i, line in enumerate(lines) if line[0] in ("paint", "outline", "music", "def", "symbol", "file")] + [len(lines)]
        sheet = self.files["symbols"] = Sheet(self)
        for here, after in zip(starts, starts[1:]):
            (word, *rest), body = lines[here], lines[here + 1:after]
            if word == "paint":
                self.paints[rest[0]] = rest[1:]
            elif word == "outline":
                self.outline = rest[0]
            elif word == "music":
                self.music = {name: json.loads(value) for name, value in (part.split("=") for part in rest)}
            elif word == "def":
                self.macros[rest[0]] = body
            elif word == "symbol":
                sheet.body.append(f'<symbol id="art-{self.name}-{rest[0]}" viewBox="0 0 96 96" stroke-linejoin="round" stroke-linecap="round">')
                self.symbols[rest[0]] = body
                self.own.append(rest[0])
                self.run(body, sheet)
                sheet.body.append("</symbol>")
                sheet.line = LINE
            else:
                keep = ' preserveAspectRatio="xMidYMid slice"' if rest[0] == "background" else ""
                self.files[rest[0]] = Sheet(self, int(rest[1]), int(rest[2]), keep)
                self.run(body, self.files[rest[0]])
        return self


def main():
    check, wrong = "--check" in sys.argv[1:], []
    with open(os.path.join(HERE, "common.art"), encoding="utf-8") as file:
        common = World("house", None).read(file.read())
    worlds = [common]
    for name in sorted(glob.glob(os.path.join(HERE, "*.art"))):
        if os.path.basename(name) != "common.art":
            with open(name, encoding="utf-8") as file:
                worlds.append(World(os.path.basename(name)[:-4], common).read(file.read()))
    texts = {f"{world.name}/{name}.svg": sheet.text() for world in worlds for name, sheet in world.files.items()}
    texts["index.json"] = "{\n" + ",\n".join(f'"{world.name}": ' + json.dumps({"symbols": world.own, "music": world.music}) for world in worlds) + "\n}\n"
    for name, text in texts.items():
        place = os.path.normpath(os.path.join(WORLDS, name))
        if check:
            if not os.path.exists(place) or open(place, encoding="utf-8").read() != text:
                wrong.append(place)
        else:
            os.makedirs(os.path.dirname(place), exist_ok=True)
            with open(place, "w", encoding="utf-8") as file:
                file.write(text)
    if wrong:
        raise SystemExit(f"found {', '.join(wrong)} unlike the drawings, expected what tools/art/draw.py makes: run it")


if __name__ == "__main__":
    main()
