"""The table of real usage that ships: data/usage/calls.csv, as calls.toml says that it was counted."""

import csv
import hashlib
import tomllib
from pathlib import Path

DATA = Path(__file__).resolve().parents[2] / "data" / "usage"
COLUMNS = ["function", "tier", "calls", "references", "files", "repositories"]


def rows():
    with open(DATA / "calls.csv", newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def about():
    return tomllib.loads((DATA / "calls.toml").read_text(encoding="utf-8"))


def test_its_shape():
    found = rows()
    assert list(found[0]) == COLUMNS
    assert (DATA / "calls.csv").stat().st_size < 600_000
    assert {row["tier"] for row in found} == {
        "resolved",
        "inferred",
        "unknown",
        "possible-least",
        "possible-most",
    }
    assert {row["function"].split(".")[0] for row in found} == {"torch", "tf", "jax"}
    assert len({(row["function"], row["tier"]) for row in found}) == len(found)


def test_its_counts_can_be():
    about_it = about()
    for row in rows():
        calls, references, files, repositories = (int(row[name]) for name in COLUMNS[2:])
        assert calls + references >= files >= repositories >= 1, row
        assert repositories <= about_it["packages"] and files <= about_it["files"]


def test_what_it_says_of_itself():
    about_it = about()
    listed = [
        line
        for line in (DATA / "packages.txt").read_text(encoding="utf-8").splitlines()
        if line and not line.startswith("#")
    ]
    assert len(listed) == len(set(listed)) == about_it["packages"]
    assert all(line.count("==") == 1 for line in listed)
    assert hashlib.sha256((DATA / "calls.csv").read_bytes()).hexdigest() == about_it["sha256"]
    assert about_it["source_bytes"] >= 400_000_000
