#!/usr/bin/env python3
"""Prints data/catalog/frozen.toml's entry for catalogues in JSON lines (`seamark catalog --format jsonl`)."""

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


def main() -> None:
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            found = entry(file.readlines())
        print("\n[[catalogue]]")
        for key, value in found.items():
            print(f"{key} = {json.dumps(value)}")


if __name__ == "__main__":
    main()
