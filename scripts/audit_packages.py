#!/usr/bin/env python3
"""What `seamark audit` finds in well-known packages, by rule: a rule that starts or stops firing shows in a diff.

usage: scripts/audit_packages.py [--seamark FILE] [--folder FOLDER] [--recall]

Downloads the wheels that tests/audit/packages.csv names (none of their dependencies) into FOLDER (default: a
temporary one), audits each, and prints the table anew:

    scripts/audit_packages.py > new.csv && mv new.csv tests/audit/packages.csv

--recall: of the marks in tests/audit/marks instead, how many are found at their file and line.
"""

import argparse
import collections
import csv
import json
import subprocess
import sys
import tempfile
import typing
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "tests" / "audit" / "packages.csv"
COLUMNS = ("package", "version", "files", "to", "rule", "places")
TARGETS = ("torch/xla", "torch/mps", "jax/tpu-v5e+aot", "tensorflow/tpu-v5e+aot")


def packages() -> dict[str, str]:
    with TABLE.open(newline="") as file:
        return {row["package"]: row["version"] for row in csv.DictReader(file)}


def unpacked(package: str, version: str, folder: Path) -> Path:
    """The package's files, from its wheel."""
    out = folder / f"{package}-{version}"
    if out.exists():
        return out
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--only-binary", ":all:", "-d", str(folder), f"{package}=={version}"]
    subprocess.run(command, check=True, stdout=sys.stderr)
    (wheel,) = folder.glob(f"{package.replace('-', '_')}-{version}-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(out)
    return out


def rows_of(package: str, version: str, folder: Path, seamark: str) -> list[tuple]:
    source = unpacked(package, version, folder)
    rows: list[tuple] = []
    for target in TARGETS:
        command = [seamark, "audit", ".", "--to", target, "--store", "measured", "--no-config"]
        command += ["--format", "json", "--fail-on", "none"]
        done = subprocess.run(command, cwd=source, capture_output=True, text=True, check=True)
        document = json.loads(done.stdout)
        framework = target.partition("/")[0]
        if framework not in document["targets"]:
            continue  # it does not use it
        counts = collections.Counter(
            item["id"] for item in document["items"] if not item["function"]
        )
        counts.setdefault("", 0)
        rows += [(package, version, document["files"], target, *one) for one in counts.items()]
    return sorted(rows)


def table(folder: Path, seamark: str) -> list[tuple]:
    return [
        row
        for name, version in packages().items()
        for row in rows_of(name, version, folder, seamark)
    ]


MARKED = {
    "torch-fidelity": ("0.3.0", ("torch/xla", "torch/mps")),
    "denoising-diffusion-pytorch": ("1.9.0", ("torch/xla", "torch/mps")),
    "jraph": ("0.0.6.dev0", ("jax/tpu-v5e+aot",)),
}


class Recall(typing.NamedTuple):
    found: int
    marks: int
    found_clear: int  # of those that are not borderline
    marks_clear: int


def recall(folder: Path, seamark: str) -> Recall:
    """Of the marks of a rule; `other` has none."""
    found = marks = found_clear = marks_clear = 0
    for package, (version, targets) in MARKED.items():
        source = unpacked(package, version, folder)
        places = set()
        for target in targets:
            command = [seamark, "audit", ".", "--to", target, "--store", "measured", "--no-config"]
            command += ["--format", "jsonl", "--fail-on", "none"]
            done = subprocess.run(command, cwd=source, capture_output=True, text=True, check=True)
            for item in map(json.loads, done.stdout.splitlines()):
                for line in range(item["line"], item["end_line"] + 1):
                    places.add((item["id"], item["path"], line))
        with (ROOT / "tests" / "audit" / "marks" / f"{package}.csv").open(newline="") as file:
            for mark in csv.DictReader(file):
                if mark["rule"] == "other":
                    continue
                hit = (mark["rule"], mark["file"], int(mark["line"])) in places
                clear = not mark["note"].startswith("borderline:")
                found, marks = found + hit, marks + 1
                found_clear, marks_clear = found_clear + (hit and clear), marks_clear + clear
    return Recall(found, marks, found_clear, marks_clear)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seamark", default=str(ROOT / "build/release/bin/seamark"))
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--recall", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        if options.recall:
            print(recall(options.folder or Path(temporary), options.seamark))
            return
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(table(options.folder or Path(temporary), options.seamark))


if __name__ == "__main__":
    main()
