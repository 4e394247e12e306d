#!/usr/bin/env python3
"""Prints a line of golden.h for each message named on the command line (Message or Message.oneof_field), every field set:

    proto/test/golden.py Bus.verdict PlayerState >>proto/test/golden.h

The bytes are made by protoc, not by the library under test. Lines of golden.h are never edited or removed: they are what old senders sent."""
import os
import re
import subprocess
import sys

PROTO = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def parse():
    """name -> [(repeated, type, field, number, oneof)], name -> [enum names]"""
    messages, enums = {}, {}
    for file in sorted(os.listdir(PROTO)):
        if not file.endswith(".proto"):
            continue
        where, oneof = None, None
        for line in open(f"{PROTO}/{file}", encoding="utf-8"):
            line = line.split("//")[0].strip()
            if match := re.match(r"(message|enum) (\w+) \{", line):
                where = (match[1], match[2])
                (messages if match[1] == "message" else enums)[match[2]] = []
            elif match := re.match(r"oneof (\w+) \{", line):
                oneof = match[1]
            elif line == "}":
                where, oneof = (where, None) if oneof else (None, None)
            elif where and where[0] == "enum" and (match := re.match(r"(\w+) = \d+;", line)):
                enums[where[1]].append(match[1])
            elif where and (match := re.match(r"(repeated )?(\w+) (\w+) = (\d+);", line)):
                messages[where[1]].append((bool(match[1]), match[2], match[3], int(match[4]), oneof))
    return messages, enums


MESSAGES, ENUMS = parse()


def scalar(kind, name, number):
    """The value in protoc's text format and in the test's."""
    if kind in ENUMS:
        return ENUMS[kind][-1], ENUMS[kind][-1]
    if kind == "bool":
        return "true", "1"
    if kind == "string":
        return f'"{name} {number}"', f'"{name} {number}"'
    if kind == "bytes":
        octets = [(number * 16 + i) % 256 for i in range(3)]
        return '"' + "".join(f"\\{o:03o}" for o in octets) + '"', "".join(f"{o:02x}" for o in octets)
    value = {"uint32": 4000000000 + number, "uint64": 2 ** 63 + number, "int64": -(2 ** 62) - number, "sint64": -number}[kind]
    return str(value), str(value)


def fill(message, chosen):
    source, shown = [], []
    for repeated, kind, name, number, oneof in sorted(MESSAGES[message], key=lambda f: f[3]):
        if oneof and name != chosen:
            continue
        for i in range(2 if repeated and kind not in MESSAGES else 1):
            if kind in MESSAGES:
                inner, inner_shown = fill(kind, None)
                source.append(f"{name} {{ {inner} }}")
                shown.append(f"{name}{{{inner_shown}}}")
            else:
                text, test = scalar(kind, name, number + i)
                source.append(f"{name}: {text}")
                shown.append(f"{name}={test}")
    return " ".join(source), " ".join(shown)


def main():
    for wanted in sys.argv[1:]:
        message, _, chosen = wanted.partition(".")
        if message not in MESSAGES:
            sys.exit(f"golden.py: found '{wanted}', expected a message of proto/*.proto")
        source, shown = fill(message, chosen or None)
        files = [f for f in sorted(os.listdir(PROTO)) if f.endswith(".proto")]
        packed = subprocess.run(["protoc", f"-I{PROTO}", f"--encode=carillon.{message}", *files], input=source.encode(), capture_output=True, check=True, cwd=PROTO)
        symbol = re.sub(r"(?<!^)([A-Z])", r"_\1", message).lower()
        quoted = shown.replace('"', '\\"')
        print(f'GOLDEN({symbol}, "{packed.stdout.hex()}",\n\t"{quoted}")')


main()
