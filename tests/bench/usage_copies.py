#!/usr/bin/env python3
"""Writes a corpus several times over, in each copy with other names for what its files define: a long run over more
bytes than there are, of which none is the same twice, neither as text nor as gzip made it. Synthetic, and said to be.

    tests/bench/usage_copies.py CORPUS/shards COPIES/ --copies 5
"""

import argparse
import gzip
import json
import re
from pathlib import Path

DEFINED = re.compile(
    r"(?:^|\n)[ \t]*(?:def|class) +([A-Za-z_]\w{3,})|(?:^|\n)[ \t]*([a-z_]\w{3,}) *= "
)
WORD = re.compile(r"(?<![\w.])[A-Za-z_]\w{3,}\b")
KEPT = {"torch", "tensorflow", "numpy", "__all__"}


def renamed(text: str, copy: int) -> str:
    own = {a or b for a, b in DEFINED.findall(text)} - KEPT
    return WORD.sub(lambda found: f"{found[0]}_{copy}" if found[0] in own else found[0], text)


def write_copy(shard: Path, to: Path, copy: int) -> None:
    with (
        gzip.open(shard, "rt", encoding="utf-8") as lines,
        gzip.open(to, "wt", encoding="ascii", compresslevel=6) as out,
    ):
        for line in lines:
            row = json.loads(line)
            row["content"] = renamed(row["content"], copy)
            row["repo_name"] = f"{row['repo_name']}-{copy}"
            out.write(json.dumps(row) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("shards", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--copies", type=int, default=5)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for copy in range(options.copies):
        for shard in sorted(options.shards.glob("*.json.gz")):
            write_copy(shard, options.folder / f"copy-{copy:02d}-{shard.name}", copy)


if __name__ == "__main__":
    main()
