#!/usr/bin/env python3
"""The command line of jackpotctl as it is told: each command has a page of help and stands in the manual, in docs/jackpotctl.md and in the completion for
bash, and takes the options that its page names and no other; each route of the gateway for operators has a command, or a reason why not; and the keys that it
adds to a file. No database and no gateway is asked. The last line is "N passed, N failed". With --table, the tables of the page are written again."""
import json
import os
import re
import subprocess
import sys
import tempfile

TOOL = "build/bin/jackpotctl"
PAGE = "docs/jackpotctl.md"
SECTIONS = ["NAME", "SYNOPSIS", "COMMANDS", "OPTIONS", "ENVIRONMENT", "EXIT STATUS", "FILES"]
MACROS = {".TH", ".SH", ".SS", ".TP", ".br", ".nh", ".ad"}
ROUTES = "services/gateway/adapters/routes.c"
OPERATOR = "/v1/operators/{op}"
# Routes whose commands work on the database instead, as its owner: they are there when no gateway runs and nobody can log in.
BY_DATABASE = {
    f"GET {OPERATOR}/offer": "offer list", f"POST {OPERATOR}/offer": "offer games, offer currencies", f"GET {OPERATOR}/games": "game list", f"POST {OPERATOR}/games/{{}}/stop": "game stop", f"POST {OPERATOR}/games/{{}}/start": "game start",
    f"GET {OPERATOR}/reports/{{}}/{{}}": "report day, report month, report year, report life", f"GET {OPERATOR}/users": "user list",
    f"POST {OPERATOR}/users": "user add", f"POST {OPERATOR}/users/{{}}": "user reset", f"GET {OPERATOR}/keys": "key list", f"POST {OPERATOR}/keys": "key add",
    f"POST {OPERATOR}/keys/{{}}": "key rotate, key end", f"GET {OPERATOR}/webhooks": "webhooks list", f"POST {OPERATOR}/webhooks/{{}}": "webhooks test",
    f"GET {OPERATOR}/webhooks/{{}}/dead": "webhooks dead", f"POST {OPERATOR}/webhooks/{{}}/dead": "webhooks resend",
}
OWN = "a session of the console is a browser's: a terminal has a key instead"
WITHOUT = {
    f"POST {OPERATOR}/sessions": "a player's token is for the pages that show the game: whoever sees it can play as the player",
    **{f"POST /v1/operator/{what}": OWN for what in ("login", "logout", "confirm", "password", "totp", "sessions/{}")},
    **{f"GET /v1/operator/{what}": OWN for what in ("session", "sessions")},
}
NO_JSON = {"help", "manual", "completion"}  # their text is for people, man and bash
passed, faults = 0, []


def check(good, what):
    global passed
    if good:
        passed += 1
    else:
        faults.append(what)


def call(*arguments, keys="/nowhere"):
    return subprocess.run([TOOL, *arguments], env={"CARILLON_KEYS": keys}, capture_output=True, text=True, timeout=20, check=False)


def printed(*arguments):
    done = call(*arguments)
    check(done.returncode == 0 and not done.stderr, f"{arguments}: status {done.returncode}: {done.stderr[:200]}")
    return done.stdout


def overview():
    """{words: (arguments, what it does)}"""
    text = printed("--help")
    check(printed("help") == printed("-h") == text, "help, -h and --help differ")
    rows = re.findall(r"^  ([a-z -]+?)((?: [A-Z\[][\w|\]]*)*)  +(\S.*)$", text, re.M)
    return {words: (arguments.strip(), help_) for words, arguments, help_ in rows}


def options_of(page):
    """{option: the name of its value, or ""}"""
    return dict(re.findall(r"^  (--[a-z-]+) ([A-Z]*)", page, re.M))


# ---- help --------------------------------------------------------------------------------------------------------------------------
def pages(commands):
    found = {}
    for words, (arguments, help_) in commands.items():
        page = printed(*words.split(), "--help")
        check(printed("help", *words.split()) == page, f"help {words} and {words} --help differ")
        check(page.startswith(f"usage: jackpotctl {f'{words} {arguments}'.strip()}"), f"{words}: usage: {page[:100]}")
        check(help_ in page and "Exit status:\n  0  " in page and "\n  2  " in page, f"{words}: no sentence, or no exit status")
        check(all(len(line) <= 100 for line in page.splitlines()), f"{words}: a line is longer than 100")
        found[words] = page
        check(words in NO_JSON or "--json" in options_of(page), f"{words}: no --json")
        usage = page.split("\n\n")[0]
        check(set(re.findall(r"--[a-z-]+", usage)) == set(options_of(page)), f"{words}: usage and options differ")
    return found


def options_taken(commands, pages_):
    """What a page names is taken, and nothing else. An option without its value ends before anything runs; others have no address and no key."""
    every = {option: value for page in pages_.values() for option, value in options_of(page).items()}
    for words, (arguments, _) in commands.items():
        given = [*words.split(), *(["1"] * len(arguments.split()) if not arguments.startswith("[") else [])]
        mine = options_of(pages_[words])
        named = ("one of " if len(mine) > 1 else "") + ", ".join(mine) if mine else "no options"
        other = next(option for option in every if option not in mine)
        for option in (other, "--none"):
            done = call(*given, option)
            check(done.returncode == 2 and f"{words}: found '{option}', expected {named}\n" in done.stderr, f"{words} {option}: {done.returncode} {done.stderr}")
        for option, value in mine.items():
            done = call(*given, option)
            lacks = f"{option}: found nothing, expected " in done.stderr
            check(f"found '{option}'" not in done.stderr and (done.returncode == 2 and lacks if value else done.returncode), f"{words} {option}: {done.returncode} {done.stderr}")
        if arguments and not arguments.startswith("["):
            check(f"{words}: found nothing, expected {arguments}\n" in call(*words.split()).stderr, f"{words} without {arguments}")
    return every


def beginnings(commands):
    """The first words of commands tell how they go on."""
    for first in {" ".join(words.split()[:n]) for words in commands for n in range(1, len(words.split()))} - set(commands):
        done = call(*first.split())
        mine = [f"{words} {arguments}".strip() for words, (arguments, _) in commands.items() if words.startswith(f"{first} ")]
        check(done.returncode == 2 and f"found '{first}', expected " + " or ".join(f"'{one}'" for one in mine) + "\n" in done.stderr, f"{first}: {done.stderr}")
        check(all(f"  {one}" in printed(*first.split(), "--help") for one in mine), f"{first} --help")


# ---- what is made of it ------------------------------------------------------------------------------------------------------------
def manual(commands, every):
    text = printed("manual")
    check(re.findall(r"^\.SH (.*)$", text, re.M) == SECTIONS, f"manual: sections {re.findall(r'^.SH (.*)$', text, re.M)}")
    check({line.split()[0] for line in text.splitlines() if line[0] in ".'"} <= MACROS, "manual: a line begins like a request")
    plain = text.replace("\\fB", "").replace("\\fI", "").replace("\\fR", "").replace("\\-", "-").replace("\\(aq", "'").replace("\\ ", " ")
    check("\\" not in plain, "manual: an escape that is not known")
    for words, (arguments, help_) in commands.items():
        check(re.search(rf"^\.TP\n{re.escape(f'{words} {arguments}'.strip())}( .*)?\n{re.escape(help_)}$", plain, re.M), f"manual: no {words}")
    for option, value in every.items():
        check(f".TP\n{f'{option} {value}'.strip()}\n" in plain, f"manual: no {option}")


def completed(script, *words):
    with tempfile.NamedTemporaryFile("w", suffix=".bash") as file:
        file.write(f"{script}\nCOMP_WORDS=(jackpotctl \"$@\") COMP_CWORD=$#\n_jackpotctl\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n")
        file.flush()
        done = subprocess.run(["bash", "--norc", file.name, *words], capture_output=True, text=True, timeout=20, check=False)
    check(not done.stderr, f"completion of {words}: {done.stderr}")
    return done.stdout.split()


def completion(commands, pages_):
    script = printed("completion")
    done = subprocess.run(["bash", "-n"], input=script, capture_output=True, text=True, timeout=20, check=False)
    check(done.returncode == 0 and not done.stderr, f"completion: {done.stderr}")
    check(completed(script, "led") == ["ledger"], f"completion of led: {completed(script, 'led')}")
    check(completed(script, "--json", "help", "ledger", "v") == ["verify"], "completion of help ledger v")
    check(completed(script, "ledger", "verify", "--state", "") == [], "completion of a file")
    for words, page in pages_.items():
        split = words.split()
        for n in range(len(split)):
            check(split[n] in completed(script, *split[:n], ""), f"completion: {split[n]} after {split[:n]}")
        check({*completed(script, *split, "--")} == {*options_of(page), "--help"}, f"completion of {words}: {completed(script, *split, '--')}")


def rows_of(title):
    """The rows of the table under that heading: cells without their blanks."""
    with open(PAGE, encoding="utf-8") as file:
        section = file.read().split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]
    return [tuple(cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]) for line in section.splitlines() if line.startswith("| `")]


def commands_wanted(commands, pages_):
    """Command, what it does, what exit status 1 means."""
    wanted = []
    for words, (arguments, help_) in commands.items():
        broken = re.search(r"^  1  (.*)$", pages_[words], re.M)
        wanted.append((f"`{words} {arguments}".strip().replace("|", "\\|") + "`", help_.rstrip("."), broken[1] if broken else ""))
    return wanted


def routes_wanted(commands, pages_):
    """Each route for operators, in the order of their table, and its commands, or why it has none."""
    with open(ROUTES, encoding="utf-8") as file:
        found = [f"{method} {path.replace('/v1/operators/{}', OPERATOR)}" for method, path in re.findall(r'\{ EDGE_(GET|POST), "(/v1/operator[^"]*)"', file.read())]
    asked = {}
    for words, page in pages_.items():
        for line in re.findall(r"^Asks: (.*)$", page, re.M):
            asked.setdefault(line.split("?")[0], []).append(words)
    check(not set(asked) - set(found), f"no such route: {set(asked) - set(found)}")
    check(not (set(BY_DATABASE) | set(WITHOUT)) - set(found), f"no such route: {(set(BY_DATABASE) | set(WITHOUT)) - set(found)}")
    wanted = []
    for one in found:
        by = [f"`{words}`" for words in asked.get(one, [])] + [f"`{words}` (database)" for words in BY_DATABASE.get(one, "").split(", ") if words]
        check(all(re.match("`(.*?)`", words)[1] in commands for words in by), f"{one}: a command that is not there: {by}")
        check(bool(by) != (one in WITHOUT), f"{one}: found the commands {by}, expected one, or a reason why there is none")
        wanted.append((f"`{one.replace(OPERATOR, '..')}`", ", ".join(by) or f"none: {WITHOUT.get(one)}"))
    return wanted


def documented(commands, pages_):
    """The tables of the page for people."""
    for title, wanted in (("Commands", commands_wanted(commands, pages_)), ("Routes", routes_wanted(commands, pages_))):
        found = rows_of(title)
        for row in wanted:
            check(row in found, f"{PAGE}: no row {row} under {title}")
        check(len(found) == len(wanted), f"{PAGE}: {len(found)} rows under {title}, expected {len(wanted)}")


def write_tables(commands, pages_):
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    for title, wanted in (("Commands", commands_wanted(commands, pages_)), ("Routes", routes_wanted(commands, pages_))):
        lines = "".join(f"| {' | '.join(row)} |\n" for row in wanted)
        text = re.sub(rf"(## {title}\n.*?\|---.*?\n)(\| `.*?\n)*", lambda found, lines=lines: found[1] + lines, text, count=1, flags=re.S)
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(text)


# ---- keys --------------------------------------------------------------------------------------------------------------------------
def write_keys(path, text, mode=0o600):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)


def read_keys(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def rotated(kind, name, what):
    """A key more, or the file as it was and what is wrong with it."""
    with tempfile.TemporaryDirectory() as folder:
        path, one = f"{folder}/{name}", "0" * 64
        refused = {f"{path}: No such file or directory": (None, 0o600), "found mode 640, expected 600": (f"1 {one}\n", 0o640), "line 2: ": (f"1 {one}\n1 {one}\n", 0o600),
                   "found no key, expected": ("# none\n", 0o600), "found 16 keys, expected at most 15": ("".join(f"{n} {one}\n" for n in range(1, 17)), 0o600),
                   f"found a new key of the {what} that is not used yet, expected one rotation at a time": (f"1 {one}\n2 {one} 99999999999\n", 0o600)}
        for says, (text, mode) in refused.items():
            if text:
                write_keys(path, text, mode)
            done = call("keys", "rotate", kind, keys=folder)
            check(done.returncode == 1 and says in done.stderr and not done.stdout, f"keys rotate {kind}: expected {says}, found {done}")
            check(read_keys(path) == text if text else not os.listdir(folder), f"keys rotate {kind}: {says}: the file has changed")
        before = f"# ours\n1 {one}\n7 {one} 1000"
        write_keys(path, before)
        done = call("keys", "rotate", kind, "--in", "600", keys=folder)
        check(done.returncode == 0 and f"key 8 of the {what} is used from 600 s from now on" in done.stdout, f"keys rotate {kind}: {done}")
        write_keys(path, before)
        done = call("keys", "rotate", kind, "--in", "600", "--json", keys=folder)
        told = json.loads(done.stdout)
        check(done.returncode == 0 and told["done"] and told["key"] == 8 and told["message"].startswith("key 8 of "), f"keys rotate {kind} --json: {done}")
        check(re.fullmatch(re.escape(before) + r"\n8 [0-9a-f]{64} \d+\n", read_keys(path)) is not None, f"keys rotate {kind}: the lines of the file")
        check(os.listdir(folder) == [name] and os.stat(path).st_mode & 0o777 == 0o600, f"keys rotate {kind}: {os.listdir(folder)}")


def main():
    commands = overview()
    check(len(commands) > 20, f"found {len(commands)} commands")
    told = pages(commands)
    if sys.argv[1:] == ["--table"]:
        write_tables(commands, told)
    every = options_taken(commands, told)
    beginnings(commands)
    manual(commands, every)
    completion(commands, told)
    documented(commands, told)
    rotated("draw", "spin-engine.key", "draws")
    rotated("cards", "jackpot-cards.key", "cards")
    for fault in faults:
        print(f"FAILED  {fault}")
    print(f"{passed} passed, {len(faults)} failed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
