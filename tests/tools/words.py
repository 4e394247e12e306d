#!/usr/bin/env python3
"""The player's messages: each one that the pages ask for exists, each one that exists is asked for, and every language has the same messages with the
same values in them. Money is shown in each currency's own digits."""
import glob
import json
import os
import re
import subprocess
import sys

ROOT = os.path.abspath(f"{os.path.dirname(__file__)}/../..")
WEB = f"{ROOT}/services/gateway/web"
OF_NAMES = "name."  # what a definition calls a thing; a language may leave it as it is
passed, failed = 0, 0


def check(right, what):
    global passed, failed
    passed, failed = passed + bool(right), failed + (not right)
    if not right:
        print(f"  failed: {what}")


def messages(path, name):
    code = f"import({json.dumps(path)}).then((file) => process.stdout.write(JSON.stringify(file[{json.dumps(name)}])))"
    told = subprocess.run(["node", "--input-type=module", "-e", code], capture_output=True, text=True, timeout=60)
    assert told.returncode == 0, f"{path} cannot be read: {told.stderr}"
    return json.loads(told.stdout)


def argument(text, at):
    """The first argument of a call whose bracket opens before `at`."""
    depth, quote, i = 0, "", at
    while i < len(text):
        c = text[i]
        if quote:
            i += c == "\\"
            quote = "" if c == quote else quote
        elif c in "\"'`":
            quote = c
        elif c in "([{":
            depth += 1
        elif c in ")]}" and depth:
            depth -= 1
        elif c in ")," and not depth:
            return text[at:i]
        i += 1
    return text[at:]


def asked(text):
    """The messages that t(...) names: by themselves, and by how their names begin."""
    whole, begun = set(), set()
    for call in re.finditer(r"(?<![\w.])t\(", text):
        given = re.sub(r'[!=]==? "[^"]*"|\["[^"\]]*"(?:, "[^"]*")*\]\.includes|\(".*?"\)|\("[^"]*", "[^"]*"\)', "", argument(text, call.end()))
        whole |= set(re.findall(r'"([^"]+)"', given))
        begun |= set(re.findall(r"`([\w.-]+)\$\{", given))
    return whole, begun


def sources(folder, pattern="*.js"):
    return {path: open(path, encoding="utf-8").read() for path in sorted(glob.glob(f"{folder}/{pattern}"))}


def in_use(key, text, begun):
    return f'"{key}"' in text or any(key.startswith(prefix) for prefix in begun)


def page(name, files, english, also=()):
    text = "\n".join(files.values())
    begun = {prefix for source in files.values() for prefix in asked(source)[1]} | set(re.findall(r"`([\w-]+\.(?:[\w-]+\.)*)\$\{", text))
    for path, source in files.items():
        for key in sorted(asked(source)[0]):
            check(key in english or key in also, f"{os.path.relpath(path, ROOT)} asks for the message {key!r}, which does not exist")
    for key in sorted(english):
        check(key.startswith(OF_NAMES) or in_use(key, text, begun), f"nothing of {name} asks for the message {key!r}")


def holes(text):
    return sorted(set(re.findall(r"\{(\w+)", text)))


def languages(name, english, other):
    for key, text in sorted(english.items()):
        check(holes(text) == holes(other.get(key, "")), f"{name}: {key!r} has {holes(other[key])}, expected {holes(text)}" if key in other else f"{name} has no message {key!r}")
    for key in sorted(other):
        check(key in english or key.startswith(OF_NAMES), f"{name}: nobody asks for {key!r}")


def main():
    english, fair = messages(f"{WEB}/lang/en.js", "EN"), messages(f"{WEB}/fairness/en.js", "WORDS")
    page("the player's page", sources(WEB), english)
    page("the proof of a round", sources(f"{WEB}/fairness"), fair, also=english)
    languages("lang/sv.js", english, messages(f"{WEB}/lang/sv.js", "SV"))
    languages("fairness/sv.js", fair, messages(f"{WEB}/fairness/sv.js", "WORDS"))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
