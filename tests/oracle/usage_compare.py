"""The scanner beside its oracle: which counts differ."""

import collections
import dataclasses
import json
import os
import pathlib
import re
import subprocess

import usage_oracle


def scan(executable, paths: list, catalogues=()) -> list[dict]:
    """One row of the scanner's for each path, in their order."""
    command = [str(executable)]
    for catalogue in catalogues:
        command += ["--catalogue", str(catalogue)]
    text = b"\0".join(os.fsencode(path) for path in paths)
    done = subprocess.run(command, input=text, capture_output=True, check=True, timeout=3600)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    if len(rows) != len(paths):
        raise RuntimeError(f"{executable} answered {len(rows)} of {len(paths)} files")
    return rows


@dataclasses.dataclass
class Difference:
    name: str
    tier: str
    oracle: tuple[int, int]  # calls, references
    scanner: tuple[int, int]

    @property
    def calls(self) -> int:
        return abs(self.oracle[0] - self.scanner[0])

    @property
    def references(self) -> int:
        return abs(self.oracle[1] - self.scanner[1])

    def __str__(self) -> str:
        return f"{self.name} ({self.tier}): ast {self.oracle}, scanner {self.scanner} (calls, references)"


def differences(oracle: dict, scanner: dict) -> list[Difference]:
    def table(row):
        return {(name, tier): (calls, references) for name, tier, calls, references in row["names"]}

    left, right = table(oracle), table(scanner)
    found = []
    for key in sorted(left.keys() | right.keys()):
        if left.get(key) != right.get(key):
            found.append(Difference(*key, left.get(key, (0, 0)), right.get(key, (0, 0))))
    if sorted(oracle["frameworks"]) != sorted(scanner["frameworks"]):
        for name in set(oracle["frameworks"]) ^ set(scanner["frameworks"]):
            sides = [(1 if name in row["frameworks"] else 0, 0) for row in (oracle, scanner)]
            found.append(Difference(name, "imports", *sides))
    return found


class Totals:
    """What a comparison of many files says. Calls and references are those of the oracle."""

    def __init__(self) -> None:
        self.files = self.without = self.parsed = self.unparsed = 0
        self.calls: collections.Counter[str] = collections.Counter()
        self.references: collections.Counter[str] = collections.Counter()
        self.differing_calls: collections.Counter[str] = collections.Counter()
        self.differing_references: collections.Counter[str] = collections.Counter()
        self.imports: collections.Counter[str] = collections.Counter()
        self.differing: dict[str, list[Difference]] = {}

    def add(self, path: str, oracle: dict, scanner: dict, candidate: bool) -> None:
        self.files += 1
        if "unparsed" in oracle:
            self.unparsed += 1
            return
        self.parsed += candidate
        self.without += not candidate
        self.imports.update(oracle["frameworks"])
        for _, tier, calls, references in oracle["names"]:
            self.calls[tier] += calls
            self.references[tier] += references
        found = differences(oracle, scanner)
        for one in found:
            self.differing_calls[one.tier] += one.calls
            self.differing_references[one.tier] += one.references
        if found:
            self.differing[path] = found

    def report(self) -> str:
        lines = [
            f"{self.files} files; {self.without} name no framework, {self.parsed} parsed, {self.unparsed} not read by ast",
            "files that import: "
            + ", ".join(f"{name} {count}" for name, count in sorted(self.imports.items())),
        ]
        for tier in sorted(set(self.calls) | set(self.differing_calls)):
            lines.append(
                f"{tier}: {self.calls[tier]} calls, {self.differing_calls[tier]} differ; "
                f"{self.references[tier]} references, {self.differing_references[tier]} differ"
            )
        lines.append(f"{len(self.differing)} files differ")
        return "\n".join(lines)


def compare(
    executable, paths: list, vocabulary: usage_oracle.Vocabulary, catalogues=(), totals=None
) -> Totals:
    totals = totals or Totals()
    for path, row in zip(paths, scan(executable, paths, catalogues), strict=True):
        text = pathlib.Path(path).read_bytes().decode("utf-8", "replace")
        candidate = any(module in text for module in usage_oracle.ROOTS)
        totals.add(str(path), usage_oracle.count(text, vocabulary), row, candidate)
    return totals


def smaller(text: str, still_differs) -> str:
    """Less text of which the same is true: without lines, then without words; halves first, then single ones."""
    for pieces in (
        str.splitlines,
        lambda rest, keepends: re.findall(r"\w+|[^\w\n]|\n[ \t]*", rest),
    ):
        parts = pieces(text, keepends=True)
        size = max(1, len(parts) // 2)
        while True:
            at, shrunk = 0, False
            while at < len(parts):
                rest = parts[:at] + parts[at + size :]
                if rest and still_differs("".join(rest)):
                    parts, shrunk = rest, True
                else:
                    at += size
            if size == 1 and not shrunk:
                break
            size = max(1, size // 2)
        text = "".join(parts)
    return text
