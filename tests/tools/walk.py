#!/usr/bin/env python3
"""docs/mathematics.md as a stranger follows it: every block of commands, in order, in an empty folder; what they print must be what the page shows, but for
times. The last line is "N passed, N failed"."""
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile

PAGE = "docs/mathematics.md"
TIMES = [r"\d+\.\d+ ms", r"in \d+\.\d+ s \(\d+\.\d+ M/s\)", r"\d+\.\d+ s, \d+ a second", r'"elapsed_ms": \d+(\.\d+)?']


def blocks(text):
    """[(commands, what the page shows behind them, or None)]"""
    found, behind = [], None
    for part in re.split(r"^```\n(.*?)^```\n", text, flags=re.S | re.M)[1:]:
        if behind is None:
            behind = part
            continue
        shown = re.match(r"\n((?:    .*\n|\n(?=    ))+)", part)
        lines = [line[4:] for line in shown.group(1).splitlines()] if shown else None
        found.append((behind, lines))
        behind = None
    return found


def timeless(line):
    for pattern in TIMES:
        line = re.sub(pattern, "TIME", line)
    return line.rstrip()


def kept(lines):
    """Without progress, which shows on slow machines only."""
    lines = [timeless(line) for line in lines]
    return [line for line in lines if line and not re.search(r"\[[#.]+\] +\d", line)]


def main():
    with open(PAGE, encoding="utf-8") as file:
        steps = blocks(file.read())
    passed = failed = 0
    folder = tempfile.mkdtemp(prefix="walk-")
    for name in ("build", "services", "tests"):
        os.symlink(os.path.abspath(name), f"{folder}/{name}")
    for commands, shown in steps:
        if commands.startswith("make "):
            continue
        done = subprocess.run(["bash", "-c", commands], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=200, check=False)
        printed, expected = kept(done.stdout.splitlines()), kept(shown or [])
        if printed == expected:
            passed += 1
            continue
        failed += 1
        print(f"{commands.splitlines()[-1]}: status {done.returncode}")
        print("\n".join(difflib.unified_diff(expected, printed, PAGE, "printed", lineterm="", n=1)))
    shutil.rmtree(folder)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
