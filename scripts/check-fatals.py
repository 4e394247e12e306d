#!/usr/bin/env python3
"""check-fatals.py: what may end a process. Holds every call of fatal(), stored_wrong(), assert() and abort() in the services and their libraries against
scripts/fatals.txt, which says of each why it may end the process. What a stored row, event or file can reach must be a row of docs/faults.md ("What cannot
be read"): a new call is listed, or this fails. "Out of memory" is exempt.

Class `sql` lists the statements whose failure ends the process, by the beginning of their text, each with the reason why nobody outside can cause it. Reasons
are the lines `reason NAME: TEXT` of the list. Statements of pg_try and of the asynchronous pool end no process.

    scripts/check-fatals.py [--list]    --list: prints every call and statement, for a new line of fatals.txt

The last line is "N passed, N failed": calls that are listed, and those that are not or lines that no call has."""
import os
import re
import subprocess
import sys

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
LIST, PAGE = "scripts/fatals.txt", "docs/faults.md"
CLASSES = ("start", "server", "broken", "stored", "sql")
REASONED = ("stored", "sql")
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
    for path, text in sources():
        for match in CALL.finditer(text):
            if not is_call(text, match):
                continue
            known = said(match[1], arguments(text, match.end()))
            if not re.search("out of memory|no memory", known):
                yield path, match[1], known


STATEMENT = re.compile(r"(?<!\w)(pg_query|pg_exec|pg_again|pg_args_query|pg_args_run|pg_copy_begin|pg_line_prepare)\s*\(")
SQL_TEXT = rf"((?:\s|{STRING}|\b[A-Z][A-Z0-9_]*\b(?:\(\d+\))?)+)"
# They run what their callers name.
RUNNERS = ("libcommon/io/pg.c", "libcommon/io/pg_args.c", "libcommon/io/pg_line.c", "libcommon/io/pg_copy.c", "libcommon/io/pg_rows.c")


def sql_of(text, at, inside):
    """The beginning of a statement: from the call, or from the nearest text above of a variable that it names."""
    def shown(literals):
        return " ".join("".join(s[1:-1] for s in re.findall(STRING, literals)).split())[:60].strip()
    in_call = [match[0] for match in re.finditer(SQL_TEXT, inside)]
    longest = max((shown(literals) for literals in in_call), key=len, default="")
    if " " in longest:
        return longest
    for name in re.findall(r"\b[A-Za-z_]\w*\b", inside):
        made = rf"\b{name}\[\w*\]\s*=\s*{SQL_TEXT};|\b{name}\s*,\s*sizeof\(\w+\)\s*,{SQL_TEXT}"
        above = [shown(match[1] or match[2]) for match in re.finditer(made, text[:at])]
        if above and " " in above[-1]:
            return above[-1]
    return longest if longest in ("begin", "commit", "rollback") else " ".join(inside.split())[:60].strip()


def sources():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "services/*.[ch]", "libcommon/*.[ch]"], capture_output=True, text=True, check=True).stdout
    for path in sorted(listed.split()):
        if any(part in path for part in LEFT_OUT) or not os.path.exists(path):
            continue
        with open(path, encoding="utf-8") as file:
            yield path, file.read()


def is_call(text, match):
    line = text[text.rfind("\n", 0, match.start()) + 1:text.find("\n", match.start())]
    return not DECLARED.search(line) and not line.lstrip().startswith(("/*", "* "))


def statements():
    for path, text in sources():
        if path in RUNNERS or path.endswith(".h"):
            continue
        for match in STATEMENT.finditer(text):
            if is_call(text, match):
                yield path, sql_of(text, match.start(), arguments(text, match.end()))


def read_list(faults, reasons):
    """(path, text) -> class; a text of `*` stands for all asserts of a file or folder."""
    rows = {}
    with open(LIST, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if not line.strip() or line.startswith("#"):
                continue
            reason = re.fullmatch(r"reason (\w+): (.+)", line.rstrip("\n"))
            if reason:
                reasons[reason[1]] = reason[2]
                continue
            match = re.fullmatch(r"(\w+) ([\w./-]+):(?: (.*?))??(?: => (.*))?", line.rstrip("\n"))
            if match is None or match[1] not in CLASSES or (match[1] in REASONED) != (match[4] is not None):
                faults.append(f"{LIST}:{number}: found '{line.strip()}', expected 'CLASS PATH: TEXT', ' => ROW' of a stored one, ' => REASON' of a statement")
                continue
            rows[match[2], (match[3] or "", match[1] == "sql")] = match[4]
    return rows


def page_rows():
    """The second column of the table, what is wrong, by row."""
    with open(PAGE, encoding="utf-8") as file:
        text = file.read().split("## What cannot be read", 1)[1].split("\n## ", 1)[0]
    return [line.split("|")[2].strip() for line in text.splitlines() if line.startswith("|")]


def row_of(rows, path, kind, known):
    if (path, (known, False)) in rows:
        return path, (known, False)
    folder = path
    while kind == "assert" and folder:
        if (folder, ("*", False)) in rows:
            return folder, ("*", False)
        folder = os.path.dirname(folder)
    return None


def writes(text):
    return not re.match("select |with |, ", text) and text not in ("begin", "commit", "rollback")


def statements_check(rows, reasons, used, faults):
    passed = 0
    for path, known in statements():
        row = path, (known, True)
        used.add(row)
        if row not in rows:
            faults.append(f"{path}: the statement \"{known}\": found no line in {LIST}, expected one: why nobody outside can make it fail, or pg_try")
        elif rows[row] not in reasons:
            faults.append(f"{LIST}: {path}: {known}: found the reason '{rows[row]}', expected one of {', '.join(sorted(reasons))}")
        elif rows[row] == "reads" and writes(known):
            faults.append(f"{LIST}: {path}: {known}: found the reason 'reads' of a statement that writes")
        else:
            passed += 1
    return passed


def main():
    faults, used, passed, reasons = [], set(), 0, {}
    if "--list" in sys.argv:
        for path, known in [(path, known) for path, _, known in calls()] + list(statements()):
            print(f"{path}: {known}")
        return 0
    rows, page = read_list(faults, reasons), page_rows()
    for path, kind, known in calls():
        row = row_of(rows, path, kind, known)
        used.add(row)
        passed += row is not None
        if row is None:
            faults.append(f"{path}: {kind}(\"{known}\"): found no line in {LIST}, expected one; what stored data reach belongs to {PAGE} too")
    passed += statements_check(rows, reasons, used, faults)
    for (path, (text, sql)), row in rows.items():
        if (path, (text, sql)) not in used:
            faults.append(f"{LIST}: {path}: {text}: found no such {'statement' if sql else 'call'}, expected one")
        elif row is not None and not sql and row not in page:
            faults.append(f"{LIST}: {path}: {text}: found no row '{row}' in {PAGE}, expected one")
    for fault in faults:
        print(fault)
    print(f"{passed} passed, {len(faults)} failed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
