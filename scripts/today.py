#!/usr/bin/env python3
"""Makes data/samples/today.csv of data/usage/calls.csv: of each framework the functions that are called most, until nine
calls in ten are theirs. Only names that a catalogue knows: calls that are resolved or inferred, and what of a method's
possible calls can be no other's."""

import collections
import csv
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "data"
COVERED = 0.9


def counted():
    """{root of the names: {function: calls}}."""
    calls = collections.defaultdict(collections.Counter)
    with open(DATA / "usage" / "calls.csv", newline="", encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            if row["tier"] in ("resolved", "inferred", "possible-least"):
                calls[row["function"].split(".")[0]][row["function"]] += int(row["calls"])
    return calls


def main():
    with open(DATA / "samples" / "today.csv", "w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["function", "calls", "share"])
        for _, calls in sorted(counted().items()):
            total, seen = sum(calls.values()), 0
            for function, count in sorted(calls.items(), key=lambda item: (-item[1], item[0])):
                if seen >= COVERED * total:
                    break
                seen += count
                writer.writerow([function, count, "%.4f" % (seen / total)])


if __name__ == "__main__":
    main()
