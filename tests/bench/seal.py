#!/usr/bin/env python3
"""What a sealed parcel and a signed event cost in CPU (tests/bench/seal-bench/main.c): the median of five runs, into build/bench/seal.json."""
import json
import os
import statistics
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def main():
    runs = [json.loads(subprocess.run([f"{ROOT}/build/bin/seal-bench"], capture_output=True, text=True, check=True).stdout) for _ in range(5)]
    figures = {name: round(statistics.median(run[name] for run in runs), 2) for name in runs[0]}
    # At most: each message of a round alone in its parcel. Under load many share one.
    figures["round_at_most_us"] = round(4 * (figures["seal_1000_us"] + figures["open_1000_us"]) + 2 * figures["mac_make_us"] + 4 * figures["mac_check_us"], 2)
    with open(f"{ROOT}/build/bench/seal.json", "w", encoding="utf-8") as file:
        json.dump(figures, file, indent=1)
    for name, value in figures.items():
        print(f"{name:20} {value}")


if __name__ == "__main__":
    main()
