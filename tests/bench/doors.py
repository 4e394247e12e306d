#!/usr/bin/env python3
"""The doors with 10,000 connections of every kind that only take: what old clients and new ones notice. The test of the doors, larger; its figures are in
build/bench/doors.json.

    doors.py [--connections=N] [--tests=NAME,..] [--short | --try]"""
import subprocess
import sys

from lib_bench import ROOT, bench_options, result_path

TRIED = "test_silent_connections,test_old_clients_noticed_nothing"

if __name__ == "__main__":
    options = bench_options(__doc__, connections=(10000, 10000, 400), tests=("", "", TRIED))
    command = [sys.executable, f"{ROOT}/tests/e2e/doors.py", str(options.connections), result_path(options, "doors"), *filter(None, options.tests.split(","))]
    sys.exit(subprocess.run(command, check=False).returncode)
