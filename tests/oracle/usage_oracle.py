#!/usr/bin/env python3
"""What `seamark usage` has to count, by CPython's own syntax tree: the rules of src/seamark/usage/scan/rules.md,
applied to `ast`. It knows nothing of the scanner, which reads the text by itself.

    find src -name '*.py' -print0 | tests/oracle/usage_oracle.py [--catalogue FILE.jsonl]... [--factories FILE]

One JSON line for each file: {"path", "frameworks", "names": [[name, tier, calls, references], ...]}, or
{"path", "unparsed": why} where `ast` does not read it. Inside f-strings CPython before 3.12 gives no usable positions:
there it is taken that no chain is in parentheses of its own.
"""

import argparse
import ast
import json
import pathlib
import sys
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import oracle_possible
from oracle_names import FACTORIES, ROOTS, Vocabulary, read_factories
from oracle_reader import Reader
from oracle_scopes import Meanings


def count(text: str, vocabulary: Vocabulary) -> dict:
    """{"frameworks": [...], "names": [[name, tier, calls, references], ...]}, or {"unparsed": why}."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if not any(module in text for module in ROOTS):
        return {"frameworks": [], "names": []}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
        reader = Reader(text, vocabulary)
        reader.visit(tree)
        meanings = Meanings(vocabulary)
        known = meanings.count_all(reader)
        counts = meanings.counts | oracle_possible.count(tree, reader, known)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return {"unparsed": f"{type(error).__name__}: {error}"}
    names = [[name, tier, *counts] for (name, tier), counts in sorted(counts.items())]
    return {"frameworks": [name for name in ROOTS if name in reader.imported], "names": names}


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--catalogue", action="append", default=[], metavar="FILE.jsonl")
    parser.add_argument("--factories", default=FACTORIES, metavar="FILE")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_options(parser)
    options = parser.parse_args()
    sys.setrecursionlimit(20_000)
    vocabulary = Vocabulary(options.catalogue, read_factories(options.factories))
    for path in sys.stdin.buffer.read().split(b"\0"):
        if path:
            name = path.decode("utf-8", "surrogateescape")
            text = pathlib.Path(name).read_bytes().decode("utf-8", "replace")
            print(json.dumps({"path": name, **count(text, vocabulary)}))


if __name__ == "__main__":
    main()
