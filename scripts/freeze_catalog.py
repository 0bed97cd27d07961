#!/usr/bin/env python3
"""Prints data/catalog/frozen.toml's entry for catalogues in JSON lines (`seamark catalog --format jsonl`).

With --names: data/catalog/FRAMEWORK.txt of one, that is its names, an empty line, and the functions beyond them that
suites have cases of, from `seamark run --list` with all four suites on standard input.
"""

import json
import sys


def fnv1a64(data: bytes) -> str:
    state = 0xCBF29CE484222325
    for byte in data:
        state = ((state ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return f"{state:016x}"


def entry(lines: list[str]) -> dict[str, object]:
    rows = [json.loads(line) for line in lines if line.strip()]
    functions = [row for row in rows if row["row"] == "function"]
    names = sorted(row["name"] for row in functions)
    return {
        "framework": rows[0]["framework"],
        "version": rows[0]["version"].partition("+")[0],
        "rule_version": rows[0]["rule_version"],
        "functions": len(functions),
        "deprecated": sum(row["deprecated"] is not None for row in functions),
        "flat": rows[-1]["flat"],
        "names_hash": fnv1a64("\n".join(names).encode()),
    }


def names(lines: list[str], cases: list[str]) -> str:
    rows = [json.loads(line) for line in lines if line.strip()]
    frozen = {row["name"] for row in rows if row["row"] == "function"}
    beyond = {case.partition("/")[0].strip() for case in cases} - frozen
    return "\n".join([*sorted(frozen), "", *sorted(beyond)]) + "\n"


def main() -> None:
    if sys.argv[1:2] == ["--names"]:
        with open(sys.argv[2], encoding="utf-8") as file:
            sys.stdout.write(names(file.readlines(), sys.stdin.readlines()))
        return
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            found = entry(file.readlines())
        print("\n[[catalogue]]")
        for key, value in found.items():
            print(f"{key} = {json.dumps(value)}")


if __name__ == "__main__":
    main()
