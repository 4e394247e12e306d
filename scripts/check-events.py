#!/usr/bin/env python3
"""check-events.py: the events in the services' logs. Holds docs/log-events.md against the calls of log.h: each warning and error of a service has an event, each
event stands in the table with its level, message and runbooks, and each name that a runbook gives exists.

    scripts/check-events.py [--table]    --table: writes the table again

The last line is "N passed, N failed": events that are as told, and those that are not."""
import os
import re
import subprocess
import sys

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
PAGE = "docs/log-events.md"
BEGIN, END = "<!-- events: begin -->\n", "<!-- events: end -->\n"
STRING = r'"(?:[^"\\]|\\.)*"'
CALL = re.compile(r"(?<!\w)log_(error|warn|info|line)(_as)?\s*\(")
HOP = re.compile(rf'\.event = ({STRING})')
NAME = re.compile(r"[a-z]+(\.[a-z][a-z_]*){1,2}")
RUNBOOK = re.compile(r"^- In the log: ((?:.|\n  )*)", re.M)
CONVERSION = re.compile(r"%[-+ #0-9.*]*(?:hh|h|ll|l|z)?[a-zA-Z]")


def sources():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "services/*.[ch]", "libcommon/*.[ch]", "tools/carillon-watch/*.[ch]"],
                            capture_output=True, text=True, check=True).stdout
    for path in sorted(listed.split()):
        if "/test/" not in path and not path.endswith("io/log.h") and not path.endswith("io/log.c") and os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                yield path, file.read()


def message(text, at):
    """The format that begins there, as people read it: what a call fills in is an ellipsis."""
    words = re.match(rf"\s*((?:{STRING}|\s|PRI\w+)*)", text[at:])[1]
    joined = "".join(token[1:-1] if token[0] == '"' else "d" for token in re.findall(rf"{STRING}|PRI\w+", words)).replace('\\"', '"').replace("\\\\", "\\")
    return " ".join(CONVERSION.sub("…", joined.replace("%%", "\0")).replace("\0", "%").split())


def calls(faults):
    """event -> (level, the messages, in the order of the source)"""
    events = {"process.ended": ("error", ["the process ends, and why"])}

    def found(path, event, level, said):
        known = events.setdefault(event, (level, []))
        if not NAME.fullmatch(event):
            faults.append(f"{path}: event \"{event}\": found a name that is not one, expected two or three words with dots between them, such as wallet.proposal.ahead")
        if known[0] != level:
            faults.append(f"{path}: event {event}: found the level {level}, expected {known[0]}, as elsewhere")
        if said not in known[1]:
            known[1].append(said)
    for path, text in sources():
        for match in CALL.finditer(text):
            named = re.compile(rf"\s*({STRING})\s*,").match(text, match.end()) if match[2] else re.compile(rf"[^;]*?LOG_EVENT\(\s*({STRING})\s*\)").match(text, match.end())
            if match[1] in ("error", "warn") and not match[2]:
                faults.append(f"{path}: log_{match[1]}(\"{message(text, match.end())[:50]}\"): found no event, expected log_{match[1]}_as(\"an.event\", ..)")
            elif named:
                said = message(text, named.end())
                level = "ALARM" if said.startswith("ALARM ") else {"line": "warn or less"}.get(match[1], match[1])
                found(path, named[1][1:-1], level, said.removeprefix("ALARM "))
        for match in HOP.finditer(text):
            found(path, match[1][1:-1], "info", "a hop of a sampled request ([tracing](tracing.md))")
    return events


def runbooks(events, faults):
    """event -> the pages that name it"""
    pages = {}
    for name in sorted(os.listdir("docs/runbooks")):
        with open(f"docs/runbooks/{name}", encoding="utf-8") as file:
            for line in RUNBOOK.findall(file.read()):
                for event in re.findall(r"`([a-z_.]+)`", line):
                    pages.setdefault(event, []).append(name[:-3])
                    if event not in events:
                        faults.append(f"docs/runbooks/{name}: found the event {event}, expected one of {PAGE}")
    return pages


def table(events, pages):
    rows = ["| event | level | message | runbook |\n", "|---|---|---|---|\n"]
    for event, (level, said) in sorted(events.items()):
        told = "; or: ".join(said).replace("|", "\\|").replace("<", "\\<")
        links = ", ".join(f"[{page}](runbooks/{page}.md)" for page in pages.get(event, []))
        rows.append(f"| `{event}` | {level} | {told} | {links} |\n")
    return rows


def main():
    faults = []
    events = calls(faults)
    rows = table(events, runbooks(events, faults))
    with open(PAGE, encoding="utf-8") as file:
        before, rest = file.read().split(BEGIN, 1)
    told, after = rest.split(END, 1)
    if "--table" in sys.argv:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(before + BEGIN + "".join(rows) + END + after)
        told = "".join(rows)
    lines = told.splitlines(keepends=True)
    faults += [f"{PAGE}: found {row.strip()}, expected no such row; scripts/check-events.py --table writes the table" for row in lines if row not in rows]
    faults += [f"{PAGE}: found no row {row.strip()}, expected one; scripts/check-events.py --table writes the table" for row in rows if row not in lines]
    for fault in faults:
        print(fault)
    print(f"{sum(row in lines for row in rows[2:])} passed, {len(faults)} failed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
