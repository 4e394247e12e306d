#!/usr/bin/env python3
"""The doors with 10,000 connections of every kind that only take: what old clients and new ones notice. The test of the doors, larger; its figures are in
build/bench/doors.json."""
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

if __name__ == "__main__":
    sys.exit(subprocess.run([sys.executable, f"{ROOT}/tests/e2e/doors.py", "10000"], check=False).returncode)
