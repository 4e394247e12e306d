#!/usr/bin/env python3
"""The description of the HTTP interface (services/gateway/openapi.py) against the sources: each route of the tables of routes is described and none that is not
there, each body has the members of its table of fields, each code of an error is listed with its status. Prints "N passed, N failed".

What real answers look like is compared by tests/e2e/openapi.py."""
import glob
import json
import os
import re
import subprocess
import sys

import jsonschema

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def source(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def printed(path):
    return json.loads(subprocess.run([sys.executable, os.path.join(ROOT, path)], capture_output=True, text=True, check=True).stdout)


HTTP, SOCKET = printed("services/gateway/openapi.py"), printed("services/notifications/asyncapi.py")
SCHEMAS = HTTP["components"]["schemas"]
OWN = {("GET", "/healthz"), ("GET", "/readyz"), ("GET", "/metrics")}  # of every edge


def table(text):
    return re.findall(r'\{ EDGE_(GET|POST),\s*"([^"]+)",\s*(\w+),\s*(true|false)', text)


GATEWAY = table(source("services/gateway/adapters/routes.c"))


def described():
    return {(method.upper(), re.sub(r"\{[^}]*\}", "{}", path)): operation for path, methods in HTTP["paths"].items() for method, operation in methods.items()}


def refs(node):
    if isinstance(node, dict):
        yield from ([node["$ref"]] if isinstance(node.get("$ref"), str) else [])
        for value in node.values():
            yield from refs(value)
    elif isinstance(node, list):
        for value in node:
            yield from refs(value)


def test_each_route_is_described():
    routes = {(method, path) for method, path, _, _ in GATEWAY + table(source("services/notifications/main.c"))} | OWN
    assert len(GATEWAY) > 40, "the table of routes is not read any more"
    missing, gone = routes - set(described()), set(described()) - routes
    assert not missing and not gone, f"without a description in services/gateway/openapi.py: {sorted(missing)}; described, and no route: {sorted(gone)}"


def test_bodies_are_those_of_the_routes():
    faults = [f"{method} {path}: a body is {'expected' if body == 'true' else 'refused'}" for method, path, _, body in GATEWAY
              if ("requestBody" in described()[method, path]) != (body == "true")]
    assert not faults, faults


def test_each_answer_has_a_schema():
    for (method, path), operation in described().items():
        assert operation["summary"] and not operation["summary"].endswith("."), (method, path)
        for status, answer in operation["responses"].items():
            if status.startswith("2"):
                assert all(content["schema"] for content in answer["content"].values()) and answer["content"], (method, path, status)
        assert operation["responses"]["default"] == {"$ref": "#/components/responses/Problem"}, (method, path)


def test_schemas_are_schemas():
    for name, schema in SCHEMAS.items():
        jsonschema.Draft202012Validator.check_schema(schema)
        assert name == "Problem" or name.startswith("body_") or f"#/components/schemas/{name}" in set(refs(HTTP)), f"nothing uses {name}"
    for ref in refs(HTTP):
        assert resolved(HTTP, ref) is not None, ref
    for ref in refs(SOCKET):
        assert resolved(HTTP if ref.startswith("openapi.json") else SOCKET, ref.removeprefix("openapi.json")) is not None, ref


def resolved(document, ref):
    for part in ref.removeprefix("#/").split("/"):
        document = (document or {}).get(part)
    return document


def fields(name):
    """Rows of a table of core/requests.c: (name, required)."""
    text = source("services/gateway/core/requests.c")
    found = re.search(r"const struct field %s_fields\[\] = \{(.*?)\n\tEND" % name, text, re.S)
    assert found, f"services/gateway/core/requests.c has no table {name}_fields"
    return {(row[0], row[1] == "true") for row in re.findall(r'\{\s*"(\w+)",\s*FIELD_\w+,\s*(true|false)', found[1])}


def members(schema):
    return {(name, name in schema.get("required", [])) for name in schema["properties"]}


def test_bodies_have_the_fields_of_the_tables():
    bodies = {name.removeprefix("body_"): schema for name, schema in SCHEMAS.items() if name.startswith("body_")}
    for name, schema in bodies.items():
        if name != "fx":  # its table is in adapters/fx.c
            assert members(schema) == fields(name), (name, members(schema) ^ fields(name))
    assert members(bodies["round"]["properties"]["bet"]) == fields("bet")
    assert members(bodies["settings"]["properties"]["autoplay"]) == fields("autoplay")


def messages(text):
    """The fields of each message of a .proto file."""
    return {name: set(re.findall(r"^\s+(?:repeated )?\w+ (\w+) = \d+;", body, re.M)) for name, body in re.findall(r"^message (\w+) \{(.*?)^\}", text, re.S | re.M)}


def test_the_state_is_that_of_the_engine():
    known = messages(source("proto/spin.proto"))
    for name in ("Bet", "WinItem", "CellLoad", "Draw", "Carried", "Phase", "CardsClaim", "CardsDraw", "GambleStep", "JackpotWin", "RoundView", "Autoplay", "BonusSpins"):
        assert set(SCHEMAS[name]["properties"]) == known[name], (name, set(SCHEMAS[name]["properties"]) ^ known[name])


def test_each_code_is_listed():
    listed = {row["code"]: row["statuses"] for row in HTTP["x-problems"]}
    files = [f for f in glob.glob(f"{ROOT}/services/**/*.c", recursive=True) + glob.glob(f"{ROOT}/libcommon/edge/*.c") if "/test/" not in f]
    used = {(code, int(status)) for f in files for status, code in re.findall(r'\b([45]\d\d),\s*"([a-z_]{3,})"', source(os.path.relpath(f, ROOT)))}
    used |= {(code, 401) for code in re.findall(r'unauthorized\(\s*request, "(\w+)"', source("services/gateway/adapters/auth.c"))}
    texts = [source("libcommon/" + f) for f in ("game/core/game.c", "game/core/gamble.c", "game/core/autoplay.c", "edge/token.c")]
    by_status = {code for text in texts for body in re.findall(r"\w+_status_text\(.*?\n\}", text, re.S) for code in re.findall(r'return "(\w+)"', body)} - {"ok", "unknown"}
    assert len(used) > 80 and len(by_status) > 25, "codes are not found in the sources any more"
    missing = sorted((code, status) for code, status in used if status not in listed.get(code, [])) + sorted(by_status - set(listed))
    assert not missing, f"not in PROBLEMS of services/gateway/openapi.py: {missing}"


def test_each_503_and_504_says_what_became_of_the_request():
    told = source("docs/contracts.md").split("What a 503 or 504 says of the request:")[1].split("\n\n")[1].splitlines()[2:]
    listed = [code for row in told for code in re.findall(r"`(\w+)`", row.split("|")[1])]
    assert len(listed) == len(set(listed)), f"a code has two rows: {listed}"
    wanted = {row["code"] for row in HTTP["x-problems"] if {503, 504} & set(row["statuses"])}
    assert set(listed) == wanted, f"without a row in contracts.md: {sorted(wanted - set(listed))}; with a row, and no such answer: {sorted(set(listed) - wanted)}"


def test_a_refusal_and_a_failure_have_codes_of_their_own():
    """A code never changes its meaning: what the server could not do (500) is not what a client got wrong."""
    mixed = [row["code"] for row in HTTP["x-problems"] if 500 in row["statuses"] and any(status < 500 for status in row["statuses"])]
    assert not mixed, f"both a refusal and a failure in services/gateway/openapi.py: {mixed}"


def test_the_list_says_what_the_sources_say():
    """The general text of a code, word for word."""
    listed = {row["code"]: row["message"] for row in HTTP["x-problems"]}
    for path, code in (("services/gateway/adapters/sessions.c", "session_failed"), ("services/gateway/adapters/sessions.c", "currency_unknown"),
                       ("services/gateway/adapters/answers.c", "not_available"), ("services/notifications/adapters/clients_io.c", "token"),
                       ("services/spin-engine/adapters/fault.c", "game_stopped")):
        told = re.search(r'[45]\d\d,\s*"%s",\s*"([^"]+)"' % code, source(path))
        assert told and told[1] == listed[code], (path, code, told and told[1], listed[code])


def test_frames_are_those_of_the_contract():
    told = set(re.findall(r'"type":"(\w+)"', source("docs/contracts.md").split("## WebSocket of notifications")[1].split("\n## ")[0]))
    kinds = {message["payload"]["properties"]["type"]["const"] for message in SOCKET["components"]["messages"].values() if "type" in message["payload"]["properties"]}
    assert told <= kinds, told - kinds


def test_the_page_shows_all_of_it():
    """Its script on a document of a few lines (tests/tools/docs_page.mjs): each route, message, code and schema has its place, and each link one to go to."""
    done = subprocess.run(["node", os.path.join(ROOT, "tests/tools/docs_page.mjs"), os.path.join(ROOT, "services/gateway/web/docs/docs.js")],
                          input=json.dumps({"/docs/openapi.json": HTTP, "/docs/asyncapi.json": SOCKET}), capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    page = json.loads(done.stdout)
    wanted = {f"schema-{name}" for name in SCHEMAS} | {f"error-{row['code']}" for row in HTTP["x-problems"]} | {f"message-{name}" for name in SOCKET["components"]["messages"]}
    assert not wanted - set(page["ids"]), wanted - set(page["ids"])
    assert len(page["ids"]) == len(set(page["ids"])), "two places of one name"
    assert sum(id.startswith(("get-", "post-")) for id in page["ids"]) == len(described())
    dead = {link for link in page["links"] if link.startswith("#") and link[1:] not in page["ids"]}
    assert not dead, dead
    assert "undefined" not in page["text"] and "[object Object" not in page["text"]


def main():
    passed = failed = 0
    for name, test in sorted(globals().items()):
        if not name.startswith("test_"):
            continue
        try:
            test()
            passed += 1
        except AssertionError as error:
            failed += 1
            print(f"FAILED  {name}: {error}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
