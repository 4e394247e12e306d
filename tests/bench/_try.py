#!/usr/bin/env python3
"""Every bench once in its smallest form (--try), one after another: does it start, measure, prove and end? One line each; of a bench that fails, the end of what
it printed. A bench fails by its status, and where it leaves no figures.

    _try.py [NAME]..."""
import json
import os
import subprocess
import sys
import time

from lib_bench import RESULTS_OF_TRIES, ROOT

MOST_S = 1800  # a busy machine is no failure
LINES = 40


def figures(path):
    """Why there are none; nothing if there are."""
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except (OSError, ValueError) as error:
        return f"no figures: {error}"
    return "" if found else f"no figures: {path} is empty"


def tried(name):
    """What it printed, and why it failed; nothing if it did not."""
    path = f"{ROOT}/{RESULTS_OF_TRIES}/{name}.json"
    if os.path.exists(path):
        os.unlink(path)
    process = subprocess.Popen([f"{ROOT}/scripts/bench.sh", name, "--try"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    try:
        said = process.communicate(timeout=MOST_S)[0]
    except subprocess.TimeoutExpired:
        process.terminate()  # it stops its servers
        return process.communicate()[0], f"not ended after {MOST_S} s"
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait()
    return said, f"status {process.returncode}" if process.returncode != 0 else figures(path)


def main():
    listed = subprocess.run([f"{ROOT}/scripts/bench.sh", "--list"], capture_output=True, text=True, check=True).stdout.split()
    unknown = set(sys.argv[1:]) - set(listed)
    if unknown:
        raise SystemExit(f"benches: found {', '.join(sorted(unknown))}, expected some of {', '.join(listed)}")
    passed = failed = 0
    for name in sys.argv[1:] or listed:
        began = time.monotonic()
        said, why = tried(name)
        took = time.monotonic() - began
        if why:
            failed += 1
            print(f"FAILED  {name} ({took:.1f} s): {why}", *said.splitlines()[-LINES:], sep="\n", flush=True)
        else:
            passed += 1
            print(f"ok      {name} ({took:.1f} s)", flush=True)
    print(f"{passed} passed, {failed} failed", flush=True)
    sys.exit(0 if failed == 0 and passed > 0 else 1)


if __name__ == "__main__":
    main()
