#!/usr/bin/env python3
"""The calls that a process left in its log when it died (libcommon/io/crash.h), with the names of functions and lines.

    lib_frames.py [LOG ..]     prints the logs, or standard input, with these names"""
import os
import re
import subprocess
import sys

DEATH = re.compile(r"^died by signal (\d+) \((\w+)\) in thread (.*)$", re.M)
FRAME = re.compile(r"^(/\S+?)\((\w*)\+(0x[0-9a-f]+)\)\[0x[0-9a-f]+\]$", re.M)


def named(binary, address):
    """function at FILE:LINE, those that are inlined behind it; None where the file cannot say."""
    call = hex(int(address, 16) - 1)  # it is where the call returns to, which may be the next function
    done = subprocess.run(["addr2line", "-fipse", binary, call], capture_output=True, text=True, check=False)
    first = done.stdout.strip().replace("\n", "")
    return None if done.returncode != 0 or not first or first.startswith("??") else first


def frames_named(text):
    """The text, each line PROGRAM(+0x1234)[..] of it with its function. A line of a library names its function already."""
    def line(match):
        binary, function, address = match.groups()
        name = None if function else named(binary, address)
        return f"{match.group(0)} {name}" if name else match.group(0)
    return FRAME.sub(line, text)


def deaths(text):
    """(signal's name, thread) of each death in a log."""
    return [(match.group(2), match.group(3)) for match in DEATH.finditer(text)]


def deaths_in(folder):
    """The end of each log of the folder that has a death, from its line on, with functions; nothing: nobody died by a fault of its own."""
    found = []
    for name in sorted(os.listdir(folder)):
        with open(f"{folder}/{name}", encoding="utf-8", errors="replace") as file:
            text = file.read()
        first = DEATH.search(text)
        if first:
            found.append(f"log/{name}: {frames_named(text[first.start():first.start() + 10000])}")
    return "\n".join(found)


if __name__ == "__main__":
    for log in sys.argv[1:] or ["/dev/stdin"]:
        with open(log, encoding="utf-8", errors="replace") as file:
            sys.stdout.write(frames_named(file.read()))
