#!/usr/bin/env python3
"""Makes the next version of a framework's frozen core cases (docs/cases.md): those of functions that no version has.

    scripts/core_cases.py torch              writes data/core/torch-3.txt, where torch-2.txt is the last one
    scripts/core_cases.py torch --again 3    writes version 3 anew: only while nobody has run it

Of each function a forward case and, where one takes the gradient, a gradient case are marked as quick: in f32 where there is
one, and of more than one element where there is one.
"""

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

from seamark_suites import loader  # noqa: E402

CORE = ROOT / "data" / "core"
# One element, one part, no element, the first of a range.
DEGENERATE = re.compile(
    r"[\[,](n=1|stop=1|seed=0|count=1|groups=1|steps=1|scalar|(\d+x)*0(x\d+)*)[\],]"
)


def versions(framework):
    """{version: its file}."""
    found = CORE.glob(framework + "-*.txt")
    return {int(path.stem.rpartition("-")[2]): path for path in found}


def quick_of(cases):
    """The names of the quick cases among a function's core cases."""
    names = set()
    for grad in (False, True):
        asked = [case for case in cases if case.grad == grad]
        asked.sort(
            key=lambda case: (
                bool(DEGENERATE.search(case.name)),
                case.dtype != "f32",
                case.trivial,
            )
        )
        names.update(case.name for case in asked[:1])
    return names


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("framework")
    parser.add_argument("--again", type=int, metavar="N", help="write this version anew")
    args = parser.parse_args()
    known = versions(args.framework)
    version = args.again or max(known, default=0) + 1
    frozen = set()
    for number, path in known.items():
        if number != version:
            frozen.update(line.split("/")[0] for line in path.read_text().splitlines())
    functions = {}
    for case in loader.load(["curated"], args.framework):
        if case.core and case.function not in frozen:
            functions.setdefault(case.function, []).append(case)
    lines = []
    for cases in functions.values():
        quick = quick_of(cases)
        lines += [case.name + (" quick" if case.name in quick else "") for case in cases]
    path = CORE / f"{args.framework}-{version}.txt"
    path.write_text("".join(line + "\n" for line in sorted(lines)))
    print(f"{path.relative_to(ROOT)}: {len(lines)} cases of {len(functions)} functions")


if __name__ == "__main__":
    main()
