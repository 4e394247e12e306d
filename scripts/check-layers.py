#!/usr/bin/env python3
"""check-layers.py: which room may include which (docs/architecture.md, "Rooms"). Two rules, held against every #include of our own headers:

- dependencies point one way: a room includes itself and the rooms its row names, and nothing else;
- a room's public headers lie at its top; a header in a folder below is its own and is included from inside it alone.

The last line is "N passed, N failed": files in order, includes that are not."""
import os
import re
import subprocess
import sys

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

# Room -> rooms it may include. `*` stands for one folder. What is not named here may not be included.
PURE = ["libcommon/base", "libcommon/jackpot", "libcommon/game"]
ALL = PURE + ["libcommon/fair", "libcommon/io", "libcommon/service", "libcommon/edge", "libcommon/jackpot/io", "proto"]
ROOMS = {
    "proto": [],
    "libcommon/base": [],
    "libcommon/io": ["libcommon/base"],
    "libcommon/service": ["libcommon/base", "libcommon/io", "proto"],
    "libcommon/edge": ["libcommon/base", "libcommon/io"],
    "libcommon/jackpot": ["libcommon/base"],
    "libcommon/jackpot/io": ["libcommon/base", "libcommon/jackpot", "libcommon/io", "libcommon/service", "proto"],
    "libcommon/game": ["libcommon/base"],
    "libcommon/fair": PURE,
    "services/*/core": PURE,
    "services/*": ALL + ["own core"],
    "tools/*": ALL + ["services/*/core"],
    "tests": ALL + ["services/*/core", "services/*", "tests", "tools/*"],
}
# Rooms whose headers below the top are private too. A service is no library: its parts are its own, whole.
LIBRARIES = [room for room in ROOMS if room.startswith("libcommon/")]
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.M)


def room_of(path):
    """The deepest room that holds the path, as a pattern and as the folder itself."""
    best = None
    for pattern in ROOMS:
        match = re.match(pattern.replace("*", "[^/]+") + "/", path)
        if match and (best is None or len(match[0]) > len(best[1])):
            best = (pattern, match[0])
    return best


def fault(path, header):
    """Why the file may not include the header; None: it may."""
    if header.endswith(".pb-c.h"):
        header = f"proto/{header}"
    mine, theirs = room_of(path), room_of(header)
    if theirs is None:
        return "the header belongs to no room"
    if mine is None:
        return "the file belongs to no room"
    inside = theirs[1] == mine[1]
    if theirs[0] in LIBRARIES and "/" in header[len(theirs[1]):] and not inside:
        return f"it is a private header of {theirs[1][:-1]}"
    if inside or theirs[0] in ROOMS[mine[0]]:
        return None
    if "own core" in ROOMS[mine[0]] and theirs[1] == mine[1] + "core/":
        return None
    # A test sees what it tests and the helpers that tests share.
    if "/test/" in path and (theirs[1].startswith(mine[1]) or header.startswith("tests/support/")):
        return None
    return f"{mine[0]} may include {', '.join(ROOMS[mine[0]]) or 'nothing but itself'}"


def main():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.c", "*.h"], check=True, capture_output=True, text=True).stdout.split()
    passed, faults = 0, []
    for path in filter(os.path.exists, listed):
        with open(path, encoding="utf-8") as file:
            found = [(header, why) for header in INCLUDE.findall(file.read()) for why in [fault(path, header)] if why]
        passed += not found
        faults += [f"{path} includes {header}: {why}" for header, why in found]
    for line in faults:
        print(line)
    print(f"{passed} passed, {len(faults)} failed")
    return 1 if faults else 0


sys.exit(main())
