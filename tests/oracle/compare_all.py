#!/usr/bin/env python3
"""Compares the scanner with its oracle over many files: what docs/usage.md quotes.

    tests/oracle/compare_all.py --scanner build/release/tests/usage_dump FOLDER-OR-SHARD... [--programs 100000]

Takes folders (every .py below) and JSONL shards (.json.gz), and `--programs` random programs of usage_programs.py. Exit
status 1 when a call of the tiers that names resolve to differs. Run it with Python 3.12 or newer, whose `ast` also
tells where things stand inside f-strings. `--keep FOLDER` writes what differs there, made small.
"""

import argparse
import gzip
import json
import pathlib
import sys
import tempfile
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import usage_compare
import usage_oracle

BATCH = 1000


def texts(source: pathlib.Path):
    """(name, bytes) of every file."""
    if source.is_dir():
        for path in sorted(source.rglob("*.py")):
            if path.is_file():
                yield str(path), path.read_bytes()
        return
    with gzip.open(source, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            yield f"{row['repo_name']}/{row['path']}", row["content"].encode("utf-8", "replace")


def programs(first: int, count: int):
    import usage_programs

    for seed in range(first, first + count):
        text = usage_programs.random_program(seed)
        try:
            compile(text, "program", "exec")
        except SyntaxError:
            continue  # what Python itself refuses has no right answer
        yield f"program {seed}", text.encode()


def batches(items):
    batch = []
    for item in items:
        batch.append(item)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


class Comparison:
    def __init__(self, options, folder: pathlib.Path):
        self.scanner, self.catalogues = options.scanner, options.catalogue
        self.vocabulary = usage_oracle.Vocabulary(
            options.catalogue, usage_oracle.read_factories(options.factories)
        )
        self.folder, self.keep, self.kept = folder, options.keep, 0
        self.totals = usage_compare.Totals()

    def add(self, batch: list) -> None:
        paths = []
        for index, (_, data) in enumerate(batch):
            paths.append(self.folder / f"{index}.py")
            paths[-1].write_bytes(data)
        rows = usage_compare.scan(self.scanner, paths, self.catalogues)
        for (name, data), row in zip(batch, rows, strict=True):
            text = data.decode("utf-8", "replace")
            candidate = any(module in text for module in usage_oracle.ROOTS)
            self.totals.add(name, usage_oracle.count(text, self.vocabulary), row, candidate)
            if name in self.totals.differing:
                self.tell(name, text)

    def tell(self, name: str, text: str) -> None:
        found = self.totals.differing[name]
        print(f"{name}:", *(f"  {one}" for one in found), sep="\n", flush=True)
        if self.keep is None or self.kept >= 40:
            return
        tiers = {one.tier for one in found}
        small = usage_compare.smaller(
            text, lambda less: any(one.tier in tiers for one in self.differing(less))
        )
        self.kept += 1
        notes = "".join(f"# {one}\n" for one in self.differing(small))
        safe = "".join(char if char.isalnum() else "_" for char in name)[-80:]
        (self.keep / f"{safe}.py").write_text(f"{small}\n# from {name}\n{notes}", encoding="utf-8")

    def differing(self, text: str) -> list:
        oracle = usage_oracle.count(text, self.vocabulary)
        if "unparsed" in oracle:
            return []
        path = self.folder / "small.py"
        path.write_text(text, encoding="utf-8", newline="")
        return usage_compare.differences(
            oracle, usage_compare.scan(self.scanner, [path], self.catalogues)[0]
        )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sources", nargs="*", type=pathlib.Path, metavar="FOLDER-OR-SHARD")
    parser.add_argument("--scanner", required=True, metavar="usage_dump")
    parser.add_argument("--programs", type=int, default=0, metavar="N")
    parser.add_argument("--seed", type=int, default=0, help="of the first program")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER")
    usage_oracle.add_options(parser)
    options = parser.parse_args()

    sys.setrecursionlimit(20_000)
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        comparison = Comparison(options, pathlib.Path(folder))
        for source in options.sources:
            for batch in batches(texts(source)):
                comparison.add(batch)
        for batch in batches(programs(options.seed, options.programs)):
            comparison.add(batch)
    print(comparison.totals.report())
    differing = comparison.totals.differing_calls
    return 1 if differing["resolved"] + differing["unknown"] else 0


if __name__ == "__main__":
    sys.exit(main())
