#!/usr/bin/env python3
"""What a sealed parcel and a signed event cost in CPU (tests/bench/seal-bench/main.c): the median of five runs, into build/bench/seal.json.

    seal.py [--runs=N] [--short | --try]"""
import json
import statistics
import subprocess

from lib_bench import ROOT, bench_options, result_write


def main():
    options = bench_options(__doc__, runs=(5, 3, 1))
    runs = [json.loads(subprocess.run([f"{ROOT}/build/bin/seal-bench"], capture_output=True, text=True, check=True).stdout) for _ in range(options.runs)]
    figures = {name: round(statistics.median(run[name] for run in runs), 2) for name in runs[0]}
    # At most: each message of a round alone in its parcel. Under load many share one.
    figures["round_at_most_us"] = round(4 * (figures["seal_1000_us"] + figures["open_1000_us"]) + 2 * figures["mac_make_us"] + 4 * figures["mac_check_us"], 2)
    for name, value in figures.items():
        print(f"{name:20} {value}")
    result_write(options, "seal", figures)


if __name__ == "__main__":
    main()
