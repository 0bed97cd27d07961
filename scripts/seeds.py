#!/usr/bin/env python3
"""Runs the curated cases of a framework on its CPU under many seeds, in one process, and names each outcome that differs
from that of seed 0.

Run it with the Python of an environment that has the framework:

    PYTHON scripts/seeds.py torch --seeds 100
    PYTHON scripts/seeds.py torch --seeds 100 --share 0.01 --draw 7      a drawn hundredth of the pairs of case and seed

One line for each such pair, as JSON, and a total. Exit status 0: none; 1: some; 2: used wrongly.
"""

import argparse
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))

from seamark_agent import commands, mutate
from seamark_suites import loader

ADAPTERS = {
    "torch": "torch_eager",
    "tensorflow": "tensorflow",
    "jax": "jax",
    "selftest": "selftest",
}


def text_of(end):
    return (end.get("failure") or {}).get("message") or end.get("reason")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("framework", choices=ADAPTERS)
    parser.add_argument("--seeds", type=int, default=100, help="seeds 1 to this (default: 100)")
    parser.add_argument("--first", type=int, default=1, help="the first of them (default: 1)")
    parser.add_argument("--suite", default="curated", help="another, or a file of cases")
    parser.add_argument(
        "--case", action="append", help="a pattern of cases' names; may be repeated"
    )
    parser.add_argument("--share", type=float, default=1.0, help="of the pairs (default: all)")
    parser.add_argument("--draw", type=int, default=0, help="the seed of the share's draw")
    options = parser.parse_args()
    answer = os.fdopen(commands._stdout_to_stderr(), "w", buffering=1)
    name = options.framework
    adapter = commands._started(
        {"name": name + "/cpu", "framework": name, "adapter": ADAPTERS[name], "device": "cpu"}
    )
    cases = commands._named(options.case, loader.load([options.suite], name))
    runs = differ = 0
    for case in cases:
        seeds = [
            seed
            for seed in range(options.first, options.seeds + 1)
            if mutate.chosen("%s/%d" % (case.name, seed), options.draw, options.share)
        ]
        runs += len(seeds)
        first = mutate.Quick(adapter, 0).run(case, "correctness") if seeds else None
        for seed in seeds:
            end = mutate.Quick(adapter, seed).run(case, "correctness")
            if end["outcome"] != first["outcome"]:
                differ += 1
                line = {
                    "case": case.name,
                    "seed": seed,
                    "outcome": end["outcome"],
                    "at_0": first["outcome"],
                }
                answer.write(json.dumps(dict(line, text=text_of(end) or text_of(first))) + "\n")
    answer.write(json.dumps({"cases": len(cases), "runs": runs, "differ": differ}) + "\n")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
