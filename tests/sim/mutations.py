#!/usr/bin/env python3
"""Is the simulator able to find mistakes? Each mutation of mutations.txt is put into a copy of the real sources, the services that use them are
built from it beside the real ones, and the simulator runs until its judge has found it. One that survives is a failed test.

    tests/sim/mutations.py [--only=NAME] [--seconds=N] [--keep]

The last line is "N passed, N failed"."""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mutations.txt")
OUT = os.path.join(ROOT, "build", "sim", "mutations")
SERVICES = ("wallet", "spin-engine", "progressive-pool", "jackpot-cards", "payments")


class Mutation:
    def __init__(self, name, about):
        self.name, self.about, self.services, self.where, self.edits = name, about, [], "", []
        self.seed = 1  # the first to be tried

    def sources(self):
        """path -> text with all edits made; fails when a text is not there exactly once."""
        texts = {}
        for path, old, new in self.edits:
            if path not in texts:
                with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                    texts[path] = file.read()
            found = texts[path].count(old)
            if found != 1:
                raise ValueError(f"{self.name}: {path}: found the text {found} times, expected once:\n{old}")
            texts[path] = texts[path].replace(old, new)
        return texts


def read_list():
    mutations, path, old, new = [], None, [], []

    def end_edit():
        if old or new:
            mutations[-1].edits.append((path, "\n".join(old), "\n".join(new)))
            old.clear()
            new.clear()

    with open(LIST, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            if line.startswith("= "):
                if mutations:
                    end_edit()
                name, _, about = line[2:].partition(": ")
                mutations.append(Mutation(name, about))
            elif line.startswith("services: "):
                mutations[-1].services = line.split()[1:]
            elif line.startswith("where: "):
                mutations[-1].where = line.split()[1]
            elif line.startswith("seed: "):
                mutations[-1].seed = int(line.split()[1])
            elif line.startswith("file: "):
                end_edit()
                path = line.split()[1]
            elif line.startswith("- "):
                if new:
                    end_edit()
                old.append(line[2:])
            elif line.startswith("+ "):
                new.append(line[2:])
            elif line and not line.startswith("#"):
                raise ValueError(f"{LIST}:{number}: found {line!r}, expected one of '= ', 'services: ', 'where: ', 'seed: ', 'file: ', '- ', '+ '")
    end_edit()
    return mutations


def run(command, **options):
    return subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)


def build(mutation):
    """A folder with the services' libraries, the mutated ones among them."""
    folder = os.path.join(OUT, mutation.name)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    sources = []
    for path, text in mutation.sources().items():
        copy = os.path.join(folder, path.replace("/", "__"))
        with open(copy, "w", encoding="utf-8") as file:
            file.write(text)
        sources.append(copy)
    for service in SERVICES:
        name = f"carillon-{service}.so"
        if service not in mutation.services:
            os.symlink(os.path.join(ROOT, "build", "sim", name), os.path.join(folder, name))
            continue
        made = run(["make", "-s", "sim-mutant", f"SERVICE={service}", f"SOURCES={' '.join(sources)}", f"INTO={os.path.join(folder, name)}"])
        if made.returncode != 0:
            raise ValueError(f"{mutation.name}: {service} cannot be built from it:\n{made.stdout}")
    return folder


def hunt(mutation, folder, seconds):
    """What the judge said first, or None. A named schedule is played with one seed after the other."""
    began = time.monotonic()
    schedule = mutation.where not in ("", "chance")
    for seed in range(mutation.seed, mutation.seed + 1000):
        found = hunt_once(mutation, folder, seconds, seed)
        if found is not None or not schedule or time.monotonic() - began > seconds:
            return found, time.monotonic() - began
    return None, time.monotonic() - began


def hunt_once(mutation, folder, seconds, seed):
    """What the simulator does about a find afterwards is not waited for."""
    command = [os.path.join(ROOT, "build", "bin", "sim"), f"--sos={folder}", f"--seed={seed}"]
    if mutation.where in ("", "chance"):
        command += [f"--seconds={seconds}", "--workers=1"] + (["--chance"] if mutation.where else [])
    else:
        command += [f"--scenario={mutation.where}"]
    found, told = None, []
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True) as sim:
        for line in sim.stdout:
            told.append(line)
            if "FOUND" in line:
                found = line.strip()
                os.killpg(sim.pid, signal.SIGKILL)
                break
        code = sim.wait()
    if found is None and code != 0:
        raise ValueError(f"{mutation.name}: the simulator ended with {code}:\n{''.join(told[-20:])}")
    return found


def control():
    """The real sources, in the worlds in which the mutations are hunted: nothing is found."""
    real = Mutation("none", "the real sources")
    found, took = hunt(real, os.path.join(ROOT, "build", "sim"), 8)
    return found is None, f"the real sources: {took:.1f} s: {found or 'nothing found'}"


def check(mutation, options):
    try:
        folder = build(mutation)
        found, took = hunt(mutation, folder, options.seconds)
    except ValueError as error:
        return False, str(error)
    if not options.keep:
        shutil.rmtree(folder, ignore_errors=True)
    if found is None:
        return False, f"{mutation.name}: {mutation.about}: NOT FOUND in {took:.1f} s"
    return True, f"{mutation.name}: {took:.1f} s: {found[:170]}"


def main():
    parser = argparse.ArgumentParser(description="mutations that the simulator must find")
    parser.add_argument("--only", help="the name of one mutation")
    parser.add_argument("--seconds", type=int, default=90, help="of each hunt at most")
    parser.add_argument("--keep", action="store_true", help="leave what was built")
    options = parser.parse_args()
    mutations = [m for m in read_list() if options.only in (None, m.name)]
    made = run(["make", "-s", "sim-parts"])
    if made.returncode != 0:
        print(made.stdout)
        return 1
    passed = failed = 0
    with ThreadPoolExecutor(max_workers=2) as pool:
        hunts = [pool.submit(control)] + [pool.submit(check, mutation, options) for mutation in mutations]
        for good, text in (one.result() for one in hunts):
            print(("ok     " if good else "FAILED ") + text, flush=True)
            passed += good
            failed += not good
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
