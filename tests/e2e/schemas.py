#!/usr/bin/env python3
"""The description of the interface as its enemy: Schemathesis makes requests from it, good and bad, and holds every answer against it. For the public, a
player and an operator; afterwards no service has been restarted and the ledger is in order.

Part of `make test-long`: it fetches Schemathesis from PyPI (tests/support/schemathesis.txt) once, which nothing else needs.

    schemas.py [TEST]...        CARILLON_SEED=n repeats a run; CARILLON_EXAMPLES=n requests of each kind a route (20)"""
import json
import os
import random
import re
import subprocess
import sys

from lib_play import Person, operator
from lib_stack import ROOT, Installation, run

SEED = int(os.environ.get("CARILLON_SEED") or random.SystemRandom().randrange(1 << 31))
EXAMPLES = int(os.environ.get("CARILLON_EXAMPLES") or 20)
PINS = f"{ROOT}/tests/support/schemathesis.txt"
# What a request may not meet by its shape alone: a body of the right shape may still name what does not exist.
LEFT_OUT = "positive_data_acceptance"
place = None


def fetched():
    """The program, fetched into the project's cache when it is missing or has another version."""
    folder = os.environ.get("CARILLON_CACHE", f"{ROOT}/.cache") + "/schemathesis"
    with open(PINS, encoding="utf-8") as file:
        pins = file.read()
    try:
        with open(f"{folder}/pins", encoding="utf-8") as file:
            if file.read() == pins:
                return f"{folder}/bin/schemathesis"
    except FileNotFoundError:
        pass
    subprocess.run([f"{ROOT}/scripts/setup.sh", "schemas", "--quiet"], check=True, timeout=600)
    for step in ([sys.executable, "-m", "venv", "--clear", folder], [f"{folder}/bin/pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "-r", PINS]):
        subprocess.run(step, check=True, timeout=600)
    with open(f"{folder}/pins", "w", encoding="utf-8") as file:
        file.write(pins)
    return f"{folder}/bin/schemathesis"


def described(known):
    """The description; parameters of paths whose value is known have no other, since most others meet a 404."""
    document = json.loads(subprocess.run([sys.executable, f"{ROOT}/services/gateway/openapi.py"], capture_output=True, text=True, check=True).stdout)

    def narrow(value):
        if isinstance(value, list):
            return [narrow(one) for one in value]
        if not isinstance(value, dict):
            return value
        if value.get("in") == "path" and value.get("name") in known:
            return {**value, "schema": {"enum": [known[value["name"]]]}}
        return {name: narrow(one) for name, one in value.items()}
    return narrow(document)


def attack(name, *only, token=None, known=None):
    """Fails with what Schemathesis found."""
    folder = f"{place.data}/schemas"
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/{name}.json", "w", encoding="utf-8") as file:
        json.dump(described(known or {}), file)
    with open(f"{folder}/{name}.toml", "w", encoding="utf-8") as file:
        # The path or the query may also be too long, and a pool may be paused meanwhile.
        file.write("[checks.negative_data_rejection]\nexpected-statuses = [400, 401, 403, 404, 405, 409, 413, 414, 415, 422, 429, 431, 503]\n")
    restarts = place.restarts()
    done = subprocess.run([place.schemathesis, "--config-file", f"{folder}/{name}.toml", "run", f"{folder}/{name}.json", "--url", place.url, "--seed", str(SEED),
                           "--max-examples", str(EXAMPLES), "--exclude-checks", LEFT_OUT, "--phases", "coverage,fuzzing", "--no-color", "--suppress-health-check", "all",
                           "--continue-on-failure", "--request-timeout", "20", *(["--header", f"Authorization: Bearer {token}"] if token else []), *only],
                          cwd=folder, capture_output=True, text=True, timeout=900, check=False, env={**os.environ, "PYTHONWARNINGS": "ignore", "COLUMNS": "160"})
    with open(f"{folder}/{name}.log", "w", encoding="utf-8") as file:
        file.write(done.stdout + done.stderr)
    assert place.restarts() == restarts, f"a service was restarted; {folder}/{name}.log"
    assert done.returncode == 0, f"status {done.returncode}, seed {SEED}:\n{done.stdout[-6000:]}{done.stderr[-2000:]}"
    print(f"measured: {name}: " + (re.findall(r"^.*test cases.*$|^ *Test cases:.*\n.*$", done.stdout, re.M) or ["?"])[-1].strip().replace("\n", " "))


def test_what_is_open_to_all():
    game = place.http("GET", "/v1/games").json["games"][0]
    attack("public", "--include-tag", "public", "--include-tag", "machine", "--exclude-path", "/metrics", known={"game": game["id"], "digest": game["math_version"]})


def test_a_player():
    person = Person(place, deposit=10_000_000)
    person.bet(coin=1, lines=15, coins=1)
    # Logging out and limits would end the play of all that comes after them: they come last.
    last = r"^/v1/(logout|limits|session)$"
    attack("player", "--include-tag", "player", "--exclude-path-regex", last, token=person.token, known={"round": person.told[0]["round"]})
    attack("player-limits", "--include-path-regex", last, token=person.token)
    place.verify()


def test_an_operator():
    person = Person(place, deposit=100_000)
    attack("operator", "--include-tag", "operator", "--exclude-path", "/v1/operator/logout", token=place.operator_key(),
           known={"operator": 1, "player": person.number, "pool": 1})
    place.verify()
    assert operator(place, "/players?limit=5", None, method="GET").status == 200


with Installation("schemas") as place:
    place.schemathesis = fetched()
    print(f"seed {SEED}, {EXAMPLES} requests of each kind a route")
    run(test_what_is_open_to_all, test_a_player, test_an_operator)
