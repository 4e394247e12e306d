#!/usr/bin/env python3
"""Holds every definition in the repository against the schema (services/spin-engine/games/definition.schema.json), and the schema
against its own rules. It also breaks each definition in as many ways as the schema has limits to show: a member left out, a member
too many, a number of another type. The last line is "N passed, N failed"."""

import copy
import glob
import json
import sys

import jsonschema

SCHEMA = "services/spin-engine/games/definition.schema.json"
DEFINITIONS = ["services/spin-engine/games/*/definition*.json", "docs/example-game/definition*.json", "docs/example-game/*/definition*.json"]


def broken(definition, required):
    """Copies that no schema worth the name accepts: (what was done, the copy)."""
    for key in definition:
        if key in required:
            without = copy.deepcopy(definition)
            del without[key]
            yield f"/{key} left out", without
        if isinstance(definition[key], dict):
            more = copy.deepcopy(definition)
            # sets of strips have names of the game's own; there a strip too many is none
            more[key]["NO_SUCH"] = 1
            yield f"/{key} with a member too many", more
        other = copy.deepcopy(definition)
        other[key] = 0.5
        yield f"/{key} of another type", other
    more = copy.deepcopy(definition)
    more["colour"] = 1
    yield "a member too many", more


def main():
    passed, faults = 0, []
    with open(SCHEMA, encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    paths = sorted(path for pattern in DEFINITIONS for path in glob.glob(pattern))
    if not paths:
        faults.append("no definition was found")
    for path in paths:
        with open(path, encoding="utf-8") as file:
            definition = json.load(file)
        errors = list(validator.iter_errors(definition))
        for error in errors[:5]:
            where = "/".join(str(part) for part in error.absolute_path)
            faults.append(f"{path}: at /{where}: {error.message[:200]}")
        passed += not errors
        for what, copied in broken(definition, schema["required"]):
            if validator.is_valid(copied):
                faults.append(f"{path}: accepted with {what}")
            else:
                passed += 1
    for fault in faults:
        print(fault)
    print(f"{passed} passed, {len(faults)} failed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
