#!/bin/sh
# check-rules.sh [--table]: holds the rule sheets (docs/rules/<game>.md), the code and the tests
# together: every rule that something carries out is named by code and by a test, every rule named
# anywhere exists, and the table of all rules (docs/rules/README.md) is what they say; --table writes
# it. So are the requirements and their tests (docs/requirements-map.md, docs/asvs.md). The last line
# is "N passed, N failed": rules and requirements that are in order, faults of any kind.
set -eu
cd "$(dirname "$0")/.."
exec python3 scripts/rules.py "$@"
