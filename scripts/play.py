#!/usr/bin/env python3
"""The part of `make run` that watches: waits until the services are ready, plays with simulated players while it prints one line a
second, and sums up.

    play.py ready --data=FOLDER --bin=FOLDER ...
    play.py play  --data=FOLDER --bin=FOLDER --seconds=N --players=N --summary=FILE ...

Exit status of play: 0 if all is well: rounds were settled, no client was told anything that the ledger does not have, no service died,
and the ledger and the pools are proven.
"""
import argparse
import json
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

READY_SECONDS = 120
PROOF_SECONDS_MAX = 1800  # of the first proof of an old installation, which begins with its first row
PROOF_PAUSE_SECONDS = 10  # between proofs of the ledger while it is played, and at least ten times what the last one took
THINK_MS = 100  # of a simulated player, between an answer and the next request
CROWD_PER_S = 2000  # requests a second of all players: more of them think longer, so that each is answered in time
TIMEOUT_MS = 10000  # of a request
READ_BACK_ROUNDS = 50  # after so many, a player compares its record with the ledger: little is left for the end
SILENCE_SECONDS = 60  # of players who were asked to end and write their live file no more; they give up by themselves before


def say(text):
    print(text, file=sys.stderr, flush=True)


def read_lines(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().splitlines()
    except OSError:
        return []


def read_pairs(path):
    return dict(line.split("=", 1) for line in read_lines(path) if "=" in line)


def read_json(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return {}


def get(url, timeout=1.0):
    """Status and body; status 0 with the reason where nobody answers."""
    try:
        with urllib.request.urlopen(url, timeout=timeout) as answer:
            return answer.status, answer.read().decode("utf-8", "replace")
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode("utf-8", "replace")
    except OSError as error:
        return 0, str(error)


class Installation:
    def __init__(self, data, binaries):
        self.data = data
        self.binaries = binaries
        self.unproven = ""
        self.env = read_pairs(f"{data}/run/stack.env")
        self.ports = read_pairs(f"{data}/run/ports")
        self.url = f"http://127.0.0.1:{self.ports.get('HTTP_PORT', '8080')}"

    def programs(self):
        """The instances that the supervisor of the services was told to run, by name; the stub of a payment provider is none."""
        names = []
        for line in read_lines(f"{self.data}/run/supervisor.conf"):
            if "CARILLON_INSTANCE=" in line and not line.startswith("#"):
                names.append(line.split()[0])
        return names

    def restarts(self):
        """How often any program, servers included, had to be started again."""
        total = 0
        for name in ("supervisor", "stack"):
            for line in read_lines(f"{self.data}/run/{name}.status"):
                fields = line.split("\t")
                total += int(fields[3]) if len(fields) > 3 else 0
        return total

    def query(self, sql):
        psql = os.path.join(os.environ.get("CARILLON_PG_BIN", "/usr/lib/postgresql/15/bin"), "psql")
        done = subprocess.run([psql, "-d", self.env["CARILLON_PG_RO_DSN"], "-XAtqF", "\t", "-c", sql],
                              capture_output=True, text=True, timeout=10, check=False)
        if done.returncode != 0:
            return []
        return [line.split("\t") for line in done.stdout.splitlines()]

    def log_end(self, name):
        return "\n".join("    " + line for line in read_lines(f"{self.data}/log/{name}.log")[-6:])

    def prove(self):
        """The ledger's proof by jackpotctl, of what came after the last one, also in a play before: a dictionary with ledger_ok and pools_ok, or None if
        there was no answer; then `unproven` says why."""
        self.unproven = "no answer"
        try:
            env = {"PATH": os.environ.get("PATH", ""), **self.env}
            done = subprocess.run([f"{self.binaries}/jackpotctl", "ledger", "verify", "--json", "--since-last"], env=env, cwd=self.data,
                                  capture_output=True, text=True, timeout=PROOF_SECONDS_MAX, check=False)
            self.unproven = done.stderr.strip()[-1000:] or self.unproven
            return json.loads(done.stdout)
        except (OSError, ValueError, subprocess.TimeoutExpired):
            return None


# ---- ready -----------------------------------------------------------------------------------------------------------------------

def not_ready(place):
    """Why each program that is not ready is not; empty when all are."""
    why = {name: "not registered yet" for name in place.programs()}
    for name, health in place.query("select name, health from carillon.instance where heartbeat > now() - interval '3 s'"):
        if name not in why:
            continue
        status, body = get(f"http://{health}/readyz") if health else (0, "it gave no address for its health")
        if status == 200:
            del why[name]
        else:
            why[name] = body.strip()[:200] or f"status {status}"
    return why


def ready(options):
    place = Installation(options.data, options.bin)
    if not place.programs():
        say("no service was built: nothing to wait for")
        return 1
    end = time.monotonic() + READY_SECONDS
    said = time.monotonic() + 5
    while True:
        why = not_ready(place)
        if not why:
            say(f"ready after {time.time() - options.began_ms / 1000:.1f} s: {place.url}/  {place.url}/operator/")
            return 0
        if time.monotonic() > end:
            break
        if time.monotonic() > said:
            said = time.monotonic() + 5
            say("waiting for " + "; ".join(f"{name}: {text}" for name, text in sorted(why.items())))
        time.sleep(0.1)
    say(f"not ready within {READY_SECONDS} s:")
    for name, text in sorted(why.items()):
        say(f"  {name}: {text}; the end of {place.data}/log/{name}.log:\n{place.log_end(name)}")
    return 1


# ---- play ------------------------------------------------------------------------------------------------------------------------

class Proofs(threading.Thread):
    """Proves the ledger again and again while it is played, for the status line."""

    def __init__(self, place):
        super().__init__(daemon=True)
        self.place = place
        self.over = threading.Event()
        self.word = "-"

    def run(self):
        while True:
            start = time.monotonic()
            proof = self.place.prove()
            took = time.monotonic() - start
            self.word = "-" if proof is None else "yes" if proof.get("ledger_ok") and proof.get("pools_ok") else "NO"
            if self.over.wait(max(PROOF_PAUSE_SECONDS, 10 * took)):
                return


def money(minor):
    return f"{minor / 100:,.2f}"


def jackpots(place):
    """The largest row in EUR of each pool: the progressive's highest coin, the cards' highest level."""
    status, body = get(f"{place.url}/v1/jackpots")
    if status != 200:
        return "no answer"
    words = []
    try:
        for pool in json.loads(body)["pools"]:
            rows = [row for row in pool.get("rows", []) if row.get("currency") == "EUR"]
            if rows:
                words.append(f"{pool['id']} {money(max(row['value_minor'] for row in rows))}")
    except (ValueError, KeyError, TypeError):
        return "not understood"
    return ", ".join(words) or "-"


def last_winner(place):
    status, body = get(f"{place.url}/v1/winners?limit=1")
    try:
        winners = json.loads(body).get("winners", []) if status == 200 else []
    except ValueError:
        winners = []
    if not winners:
        return "-"
    last = winners[-1]
    return f"{last.get('player', '?')} {money(last.get('paid_minor', 0))} {last.get('currency', '')}".strip()


def status_line(place, live, proofs, before):
    settled = live.get("settled", 0)
    passed = max(time.monotonic() - before["time"], 0.001)
    rate = (settled - before["settled"]) / passed
    before.update(time=time.monotonic(), settled=settled)
    return (f"{rate:6.0f} rounds/s | settled {settled} | p50 {live.get('p50_ms', 0):.1f} ms | p99 {live.get('p99_ms', 0):.1f} ms"
            f" | jackpots {jackpots(place)} | last winner {last_winner(place)} | errors {live.get('errors', 0)}"
            f" | reconciled {proofs.word}")


def start_players(place, options, record, live):
    command = [f"{place.binaries}/players", f"--url={place.url}", f"--players={options.players}",
               f"--seconds={options.seconds or 1000000}", f"--think-time={max(THINK_MS, options.players * 1000 // CROWD_PER_S)}",
               f"--timeout={TIMEOUT_MS}", f"--read-back={READ_BACK_ROUNDS}",
               f"--record={record}", f"--live={live}", "--quiet"]
    key = f"{place.data}/keys/gateway/operator-1.key"
    if os.path.exists(key):
        command.append(f"--operator-key={key}")
    for path in (record, live):
        if os.path.exists(path):
            os.unlink(path)
    say("players: " + shlex.join(command))
    # In a session of their own: Ctrl-C is for us, who then end them in order.
    return subprocess.Popen(command, start_new_session=True, stdin=subprocess.DEVNULL)


def comparing_line(live):
    return f"comparing what the players were told with the ledger: {live.get('rounds_compared', 0)} of {live.get('rounds_told', 0)} rounds"


def silent_for(path, since):
    """Seconds since a file was written, or since then if that was later."""
    try:
        return time.time() - max(os.stat(path).st_mtime, since)
    except OSError:
        return time.time() - since


def watch(place, players, live_path, proofs, stop):
    before = {"time": time.monotonic(), "settled": 0}
    on_terminal = sys.stderr.isatty()
    asked = over = None
    while players.poll() is None:
        time.sleep(1)
        if stop.is_set() and asked is None:
            asked = time.time()
            say("\nending: finishing the open rounds, then comparing the answers with the ledger")
            players.terminate()
        if asked is not None and silent_for(live_path, asked) > SILENCE_SECONDS:
            say(f"the simulated players wrote nothing for {SILENCE_SECONDS} s: killed them")
            players.kill()
        live = read_json(live_path)
        if live.get("play_over"):
            over = over or time.monotonic()
        if over is not None and time.monotonic() - over < 2:
            continue
        if (over is not None or asked is None) and players.poll() is None:
            line = comparing_line(live) if over is not None else status_line(place, live, proofs, before)
            print(("\r\033[K" if on_terminal else "") + line, end="" if on_terminal else "\n", file=sys.stderr, flush=True)
    if on_terminal:
        say("")
    return players.wait()


def final_proof(place):
    """Awards of the last rounds may still be on their way: the proof gets a few seconds."""
    end = time.monotonic() + 15
    while True:
        proof = place.prove()
        if proof is not None and proof.get("ledger_ok") and proof.get("pools_ok"):
            return proof
        if time.monotonic() > end:
            return proof or {}
        time.sleep(0.5)


def summarize(record, proof, deaths):
    errors = record.get("errors_n", 0) + record.get("mismatches_n", 0) + deaths
    return {
        "rounds_settled": record.get("rounds_settled", 0),
        "rounds_refused": record.get("rounds_refused", 0),
        "jackpot_hits": record.get("jackpot_hits", 0),
        "card_rounds": record.get("card_rounds", 0),
        "card_wins": record.get("card_wins", 0),
        "games": {game: sum(modes.values()) for game, modes in record.get("games", {}).items()},
        "ledger_ok": bool(proof.get("ledger_ok", False)),
        "pools_ok": bool(proof.get("pools_ok", False)),
        "p50_ms": record.get("p50_ms", 0),
        "p99_ms": record.get("p99_ms", 0),
        "errors": errors,
    }


def compared(record):
    return f"compared with the ledger: {record.get('rounds_compared', 0)} of the {record.get('rounds_told', 0)} rounds that players were told, and {record.get('rows_compared', 0)} of its rows"


def explain(place, record, proof, deaths, code):
    """What is not well, in words."""
    for text in record.get("errors", [])[:5]:
        say(f"error: {text}")
    for text in record.get("mismatches", [])[:5]:
        say(f"the answers to a player differ from the ledger: {text}")
    if deaths:
        say(f"programs that died and were started again: {deaths} (make status, log/)")
    if not record:
        say("the players wrote no record")
    if not proof:
        say(f"jackpotctl gave no proof of the ledger: {place.unproven}")
    elif not (proof.get("ledger_ok") and proof.get("pools_ok")):
        say("the proof failed: " + json.dumps(proof)[:2000])
    if code != 0:
        say(f"the players ended with status {code}")


def play(options):
    place = Installation(options.data, options.bin)
    record_path, live_path = f"{place.data}/run/players.json", f"{place.data}/run/players.live"
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: stop.set())
    if options.kind != "live":
        say(f"*** a {options.kind} installation: demo definitions with more frequent jackpots are played, with play money ***")
    deaths_before = place.restarts()
    proofs = Proofs(place)
    started = time.time()
    players = start_players(place, options, record_path, live_path)
    proofs.start()
    code = watch(place, players, live_path, proofs, stop)
    proofs.over.set()
    record = read_json(record_path)
    proof = final_proof(place) or {}
    deaths = place.restarts() - deaths_before
    summary = summarize(record, proof, deaths)
    os.makedirs(os.path.dirname(options.summary), exist_ok=True)
    with open(options.summary + ".new", "w", encoding="utf-8") as file:
        json.dump(summary, file)
        file.write("\n")
    os.rename(options.summary + ".new", options.summary)
    if record.get("first_round_ms") is not None and summary["rounds_settled"]:
        first = started + record["first_round_ms"] / 1000 - options.began_ms / 1000
        say(f"first round settled {first:.1f} s after the command; {record.get('rounds_per_s', 0):.0f} rounds/s")
    for game, modes in record.get("games", {}).items():
        say(f"{game}: {sum(modes.values())} rounds" + (f" ({', '.join(f'{mode} {n}' for mode, n in modes.items())})" if len(modes) > 1 else ""))
    say(compared(record))
    if proof:
        say(f"proof of the ledger: {proof.get('rows', 0)} rows in {proof.get('seconds', 0):.1f} s, after {proof.get('since', 0)} that were proven before")
    explain(place, record, proof, deaths, code)
    print(json.dumps(summary), flush=True)
    well = code == 0 and summary["rounds_settled"] > 0 and summary["ledger_ok"] and summary["pools_ok"] and not summary["errors"]
    return 0 if well else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("ready", "play"))
    parser.add_argument("--data", required=True)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--kind", default="demo")
    parser.add_argument("--began-ms", type=int, default=int(time.time() * 1000))
    parser.add_argument("--seconds", type=int, default=0)
    parser.add_argument("--players", type=int, default=50)
    parser.add_argument("--summary", default="build/run/summary.json")
    options = parser.parse_args()
    return ready(options) if options.action == "ready" else play(options)


if __name__ == "__main__":
    sys.exit(main())
