#!/usr/bin/env python3
"""check-fatals.py: what may end a process. Holds every call of fatal(), stored_wrong(), assert() and abort() in the services and their libraries against
scripts/fatals.txt, which says of each why it may end the process. What a stored row, event or file can reach must be a row of docs/faults.md ("What cannot
be read"): a new call is listed, or this fails. "Out of memory" is exempt.

    scripts/check-fatals.py [--list]    --list: prints every call, for a new line of fatals.txt

The last line is "N passed, N failed": calls that are listed, and those that are not or lines that no call has."""
import os
import re
import subprocess
import sys

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
LIST, PAGE = "scripts/fatals.txt", "docs/faults.md"
CLASSES = ("start", "server", "broken", "stored")
CALL = re.compile(r"(?<!\w)(fatal|stored_wrong|assert|abort)\s*\(")
DECLARED = re.compile(r"^(static |void |_|/?\*|#)|__attribute__")
STRING = r'"(?:[^"\\]|\\.)*"'
# What shows figures of games, and searches them at build time: no service links it into a loop that reads rows.
LEFT_OUT = ("/test/", "libcommon/game/montecarlo/", "libcommon/game/par/")


def arguments(text, at):
    """The text between the parentheses of the call that opens before `at`."""
    depth, i = 1, at
    while depth:
        string = re.compile(STRING).match(text, i)
        if string:
            i = string.end()
            continue
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        i += 1
    return text[at:i - 1]


def said(kind, inside):
    """By what a call is known: the first 60 characters of its message or of its condition."""
    if kind in ("assert", "abort"):
        return " ".join(inside.split())[:60].strip()
    words = re.match(rf"\s*((?:{STRING}|\s|PRI\w+)*)", inside)[1]
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', words)).replace('\\"', '"')[:60].strip()


def calls():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "services/*.[ch]", "libcommon/*.[ch]"], capture_output=True, text=True, check=True).stdout
    for path in sorted(listed.split()):
        if any(part in path for part in LEFT_OUT) or not os.path.exists(path):
            continue
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for match in CALL.finditer(text):
            line = text[text.rfind("\n", 0, match.start()) + 1:text.find("\n", match.start())]
            if DECLARED.search(line) or line.lstrip().startswith(("/*", "* ")):
                continue
            inside = arguments(text, match.end())
            known = said(match[1], inside)
            if not re.search("out of memory|no memory", known):
                yield path, match[1], known


def read_list(faults):
    """(path, text) -> class; a text of `*` stands for all asserts of a file or folder."""
    rows = {}
    with open(LIST, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if not line.strip() or line.startswith("#"):
                continue
            match = re.fullmatch(r"(\w+) ([\w./-]+):(?: (.*?))??(?: => (.*))?", line.rstrip("\n"))
            if match is None or match[1] not in CLASSES or (match[1] == "stored") != (match[4] is not None):
                faults.append(f"{LIST}:{number}: found '{line.strip()}', expected 'CLASS PATH: TEXT', and ' => ROW' of a stored one")
                continue
            rows[match[2], match[3] or ""] = match[4]
    return rows


def page_rows():
    """The second column of the table, what is wrong, by row."""
    with open(PAGE, encoding="utf-8") as file:
        text = file.read().split("## What cannot be read", 1)[1].split("\n## ", 1)[0]
    return [line.split("|")[2].strip() for line in text.splitlines() if line.startswith("|")]


def row_of(rows, path, kind, known):
    if (path, known) in rows:
        return path, known
    folder = path
    while kind == "assert" and folder:
        if (folder, "*") in rows:
            return folder, "*"
        folder = os.path.dirname(folder)
    return None


def main():
    faults, used, passed = [], set(), 0
    rows, page = read_list(faults), page_rows()
    for path, kind, known in calls():
        if "--list" in sys.argv:
            print(f"{path}: {known}")
            continue
        row = row_of(rows, path, kind, known)
        used.add(row)
        passed += row is not None
        if row is None:
            faults.append(f"{path}: {kind}(\"{known}\"): found no line in {LIST}, expected one; what stored data reach belongs to {PAGE} too")
    if "--list" in sys.argv:
        return 0
    for (path, text), row in rows.items():
        if (path, text) not in used:
            faults.append(f"{LIST}: {path}: {text}: found no such call, expected one")
        elif row is not None and row not in page:
            faults.append(f"{LIST}: {path}: {text}: found no row '{row}' in {PAGE}, expected one")
    for fault in faults:
        print(fault)
    print(f"{passed} passed, {len(faults)} failed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
