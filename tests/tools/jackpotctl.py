#!/usr/bin/env python3
"""The command line of jackpotctl as it is told: each command has a page of help and stands in the manual, in docs/jackpotctl.md and in the completion for
bash, and takes the options that its page names and no other; each route of the gateway for operators has a command, or a reason why not; the keys that it
adds to a file; and what it makes of keys, addresses and answers that are none. No database and no gateway is asked. The last line is "N passed, N failed". With --table, the tables of the page are written again."""
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading

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
    f"POST {OPERATOR}/users": "user add", f"POST {OPERATOR}/users/{{}}": "user reset, user roles", f"GET {OPERATOR}/keys": "key list", f"POST {OPERATOR}/keys": "key add",
    f"POST {OPERATOR}/keys/{{}}": "key rotate, key end", f"GET {OPERATOR}/webhooks": "webhooks list", f"POST {OPERATOR}/webhooks/{{}}": "webhooks test",
    f"GET {OPERATOR}/webhooks/{{}}/dead": "webhooks dead", f"POST {OPERATOR}/webhooks/{{}}/dead": "webhooks resend",
}
BY_DATABASE |= {f"GET {OPERATOR}/offer": "offer list", f"POST {OPERATOR}/offer": "offer games, offer currencies", f"GET {OPERATOR}/players/{{}}/export": "player export",
                f"GET {OPERATOR}/dead-letters": "dead list", f"POST {OPERATOR}/dead-letters/{{}}/send": "dead send", f"POST {OPERATOR}/dead-letters/{{}}/settle": "dead settle"}
OWN = "a session of the console is a browser's: a terminal has a key instead"
WITHOUT = {
    f"POST {OPERATOR}/sessions": "a player's token is for the pages that show the game: whoever sees it can play as the player",
    **{f"POST /v1/operator/{what}": OWN for what in ("login", "logout", "confirm", "password", "totp", "sessions/{}")},
    **{f"GET /v1/operator/{what}": OWN for what in ("session", "sessions")},
}
NO_JSON = {"help", "manual", "completion", "player export"}  # their text is for people, man and bash; or JSON anyway
passed, faults = 0, []


def check(good, what):
    global passed
    if good:
        passed += 1
    else:
        faults.append(what)


def call(*arguments, keys="/nowhere", **environment):
    return subprocess.run([TOOL, *arguments], env={"CARILLON_KEYS": keys, **environment}, capture_output=True, text=True, timeout=60, check=False)


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


# ---- in place of a gateway ---------------------------------------------------------------------------------------------------------
KEY = "5" * 64
DEPOSIT = ("player", "deposit", "17", "--amount", "1", "--currency", "EUR")
MAY_BE_DONE = "it may have been done, or may still be: send it again with --request "


class Listener:
    """Takes connections on a port of this machine and gives each the same answer; None: none at all."""

    def __init__(self, answer):
        self.answer, self.asked, self.came = answer, [], threading.Event()
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        kept = []
        while True:
            one, _ = self.socket.accept()
            text = b""
            while b"\r\n\r\n" not in text and (more := one.recv(65536)):
                text += more
            self.asked.append(text.decode())
            self.came.set()
            if self.answer is None:
                kept.append(one)
                continue
            one.sendall(self.answer.encode())
            one.close()


def answer(status, body, kind="application/json"):
    return f"HTTP/1.1 {status} x\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}"


def strange_answers(at):
    """Something between that answers in the gateway's place has not refused anything."""
    error = '{"error":{"code":"other","message":"No."}}'
    for status, body, code in ((200, '{"id":"a"}', 0), (202, '{"id":"a"}', 3), (409, error, 1), (400, error, 2), (500, error, 2), (200, "<p>Hello", 2), (200, "[1]", 2), (302, "", 2),
                               (404, "<p>Not here", 2), (403, '{"error":"no"}', 2), (407, "{}", 2)):
        listener = Listener(answer(status, body))
        done = call(*DEPOSIT, "--request", "mine", "--gateway", listener.url, **at)
        check(done.returncode == code, f"{status} {body}: {done}")
        check((MAY_BE_DONE + "mine," in done.stderr) == (code == 2 and status != 400), f"{status} {body}: {done}")
    listener = Listener(answer(200, '{"other":1}'))
    done = call("round", "show", "17", "1", "--gateway", listener.url, **at)
    check(done.returncode in (0, 2) and "may have been done" not in done.stderr, f"a list is no action: {done}")


def interrupted(at):
    """Whoever ends an action before its answer learns its key."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        listener = Listener(None)
        before = signal.signal(number, signal.SIG_DFL)  # who runs in the background may inherit that it is ignored
        with subprocess.Popen([TOOL, *DEPOSIT, "--gateway", listener.url], env=at, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as one:
            signal.signal(number, before)
            check(listener.came.wait(60), f"{number}: nothing was sent")
            one.send_signal(number)
            out, told = one.communicate(timeout=60)
        key = re.search(r"^Idempotency-Key: (\S+)", listener.asked[0], re.M)
        check(one.returncode == 2 and not out and key is not None and f"{MAY_BE_DONE}{key[1]}, which does it once\n" in told, f"{number}: {one.returncode} {told} {listener.asked}")


def tables(at):
    """A row may have members that the first one lacks."""
    listener = Listener(answer(200, json.dumps({"next": 3, "players": [{"a": 1, "b": "x"}, {"a": 22, "later": None}, {"b": "long", "last": {"c": 1}}]})))
    done = call("player", "list", "--gateway", listener.url, **at)
    told = [[cell.strip() for cell in line.split()] for line in done.stdout.splitlines()]
    check(told == [["next", "3"], [], ["players"], ["a", "b", "later", "last"], ["1", "x", "-", "-"], ["22", "-", "-", "-"], ["-", "long", "-", '{"c":1}']], f"a table: {done}")


def where_the_key_goes(at):
    proxy, gateway = Listener(answer(200, "{}")), Listener(answer(200, '{"players":[]}'))
    through = {name: proxy.url for name in ("http_proxy", "https_proxy", "all_proxy", "ALL_PROXY", "HTTPS_PROXY")}
    done = call("player", "list", "--gateway", gateway.url, **at, **through)
    check(done.returncode == 0 and not proxy.asked and f"Authorization: Bearer {KEY}" in gateway.asked[0], f"a proxy: {done} {proxy.asked}")
    for url in ("http://192.0.2.1:8080", "http://casino.example", "ftp://127.0.0.1", "127.0.0.1:8080", "http://127.0.0.1@casino.example", "http://localhost.example", "x"):
        done = call("player", "list", "--gateway", url, **at)
        check(done.returncode == 2 and f"--gateway: found '{url}', expected https://HOST, or http://127.0.0.1:PORT on this machine" in done.stderr, f"{url}: {done}")
        done = call("player", "list", JACKPOTCTL_GATEWAY=url, **at)
        check(done.returncode == 2 and f"JACKPOTCTL_GATEWAY: found '{url}'" in done.stderr, f"{url}: {done}")
    for url in (gateway.url.replace("127.0.0.1", "localhost"), gateway.url + "/"):
        check(call("player", "list", "--gateway", url, **at).returncode == 0, url)


def key_files(folder):
    for text, mode, told in ((KEY, 0o644, "found mode 644, expected 600, because only its owner may read it"), ("5" * 300, 0o600, "found a longer line, expected a file"),
                             ("\n" + KEY, 0o600, "found nothing in the first line, expected a file")):
        write_keys(f"{folder}/bad.key", text, mode)
        done = call("player", "list", "--key", f"{folder}/bad.key", "--gateway", "http://127.0.0.1:1")
        check(done.returncode == 2 and told in done.stderr and "/bad.key: found" in done.stderr, f"{text[:5]} {mode:o}: {done}")
    for arguments, environment, where in (((), {"JACKPOTCTL_KEY": KEY}, "JACKPOTCTL_KEY"), (("--key", KEY), {}, "--key")):
        done = call("player", "list", *arguments, **environment)
        check(done.returncode == 2 and f"the key in {where}: found what looks like the key itself" in done.stderr and KEY not in done.stderr, f"{where}: {done}")


def times():
    for text in ("2027-02-30", "26-01-01", "2027-01-01T24:00:00", "2027-1-1", " 2027-01-01", "2027-01-01T00:00:00Z"):
        done = call("player", "exclude", "17", "--until", text, "--currency", "EUR", "--gateway", "http://127.0.0.1:1")
        check(done.returncode == 2 and f"--until: found '{text}', expected YYYY-MM-DD" in done.stderr, f"{text}: {done}")


def asked():
    with tempfile.TemporaryDirectory() as folder:
        write_keys(f"{folder}/good.key", f"{KEY}\n")
        at = {"JACKPOTCTL_KEY": f"{folder}/good.key"}
        strange_answers(at)
        interrupted(at)
        tables(at)
        where_the_key_goes(at)
        key_files(folder)
    times()


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
    asked()
    for fault in faults:
        print(f"FAILED  {fault}")
    print(f"{passed} passed, {len(faults)} failed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
