#!/usr/bin/env python3
"""What `seamark audit` finds in well-known packages, by rule: a rule that starts or stops firing shows in a diff.

usage: scripts/audit_packages.py [--seamark FILE] [--folder FOLDER] [--recall | --fixes [--only PACKAGE]]

Downloads the wheels that tests/audit/packages.csv names (none of their dependencies) into FOLDER (default: a
temporary one), audits each, and prints the table anew:

    scripts/audit_packages.py > new.csv && mv new.csv tests/audit/packages.csv

--recall: of the marks in tests/audit/marks instead, how many are found at their file and line.

--fixes: rewrites them instead, with --fix and with --unsafe-fixes, and prints a line for each run. What parsed still
parses, what could be imported still can (with the interpreters of SEAMARK_TEST_NAME_PYTHON, and what else they need in
FOLDER/libraries), and a second run changes nothing; else it ends with 1.
"""

import argparse
import ast
import collections
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import typing
import warnings
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


# -- fixes

FIXED = ("package", "to", "fixes", "places", "files", "modules", "imported", "wrong")
# Of one framework; a package that uses another is rewritten for a TPU.
FIX_TARGETS = {"torch": ("mps", "torch/xla"), "jax": ("tpu-v5e",), "tensorflow": ("tpu-v5e",)}
# Of these packages, those that one is made of too.
NEEDS = {
    "diffusers": ("transformers", "accelerate"),
    "flax": ("optax",),
    "lightning": ("torchmetrics",),
    "peft": ("accelerate", "transformers"),
}
IMPORT = """
import importlib, sys
for name in sys.stdin.read().split():
    try:
        importlib.import_module(name)
    except BaseException:
        continue
    print("imported", name, flush=True)
"""


def does_parse(content: bytes) -> bool:
    try:
        with warnings.catch_warnings(action="ignore"):
            ast.parse(content)
    except (SyntaxError, ValueError, RecursionError):
        return False
    return True


def module_of(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(modules: list[str], python: str, folders: list[Path]) -> set[str]:
    """Those of the modules that a process can import, one after the other."""
    with tempfile.TemporaryDirectory() as empty:
        done = subprocess.run(
            [python, "-c", IMPORT], input="\n".join(modules), cwd=empty, capture_output=True, text=True, timeout=1800,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders)), "CUDA_VISIBLE_DEVICES": "",
                 "JAX_PLATFORMS": "cpu", "PJRT_DEVICE": "CPU", "PYTHONDONTWRITEBYTECODE": "1"},
        )  # fmt: skip
    return {line.split()[1] for line in done.stdout.splitlines() if line.startswith("imported ")}


def fixed(source: Path, to: str, words: str, others: list[Path], seamark: str) -> tuple:
    """What came of one run: places, files and modules that changed, those that can be imported, and what is wrong."""

    def run(*more: str) -> subprocess.CompletedProcess[str]:
        command = [seamark, "audit", "--to", to, words, *more, "--store", "measured"]
        command += ["--no-config", "--allow-dirty", "--fail-on", "none", "-o", os.devnull]
        return subprocess.run(command, cwd=copy, capture_output=True, text=True, check=True)

    with tempfile.TemporaryDirectory() as temporary:
        copy = Path(temporary) / "package"
        shutil.copytree(source, copy)
        said = re.search(r"^(\S+) places? in \S+ files? fixed:", run(".").stderr, re.MULTILINE)
        changed, wrong = [], []
        for path in sorted(copy.rglob("*.py")):
            name = path.relative_to(copy)
            before, after = (source / name).read_bytes(), path.read_bytes()
            if before == after:
                continue
            changed.append(name)
            if does_parse(before) and not does_parse(after):
                wrong.append(f"{name} does not parse")
        if changed and run("--diff", *map(str, changed)).stdout:
            wrong.append("a second run changes it")
        tops = [path.parent.name for path in sorted(source.glob("*/__init__.py"))]
        modules = tops + [module_of(name) for name in changed if module_of(name) not in tops]
        name = "TORCH_XLA" if to == "torch/xla" else framework_of(source).upper()
        python = os.environ.get(f"SEAMARK_TEST_{name}_PYTHON", "")
        before, after = (
            imported(modules, python, [folder, *others]) if python else set()
            for folder in (source, copy)
        )
        wrong += [f"{module} cannot be imported" for module in sorted(before - after)]
    places = said[1].replace(",", "") if said else "0"
    return places, len(changed), len(modules), len(after), "; ".join(wrong)


def framework_of(source: Path) -> str:
    """That most of its files import."""
    counts: collections.Counter[str] = collections.Counter()
    for path in source.rglob("*.py"):
        counts.update(
            set(re.findall(r"^ *(?:import|from) (torch|jax|tensorflow)\b", path.read_text(errors="replace"), re.M))
        )  # fmt: skip
    return counts.most_common(1)[0][0]


def fixes(folder: Path, seamark: str, only: list[str]) -> typing.Iterator[tuple]:
    versions = packages()
    for package in only or versions:
        source = unpacked(package, versions[package], folder)
        others = [unpacked(one, versions[one], folder) for one in NEEDS.get(package, ())]
        others.append(folder / "libraries")
        for to in FIX_TARGETS[framework_of(source)]:
            for words in ("--fix", "--unsafe-fixes"):
                yield package, to, words, *fixed(source, to, words, others, seamark)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seamark", default=str(ROOT / "build/release/bin/seamark"))
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--recall", action="store_true")
    parser.add_argument("--fixes", action="store_true")
    parser.add_argument("--only", action="append", default=[])
    options = parser.parse_args()
    options.folder = options.folder and options.folder.resolve()
    with tempfile.TemporaryDirectory() as temporary:
        if options.recall:
            print(recall(options.folder or Path(temporary), options.seamark))
            return
        writer = csv.writer(sys.stdout, lineterminator="\n")
        if options.fixes:
            writer.writerow(FIXED)
            found = []
            for row in fixes(options.folder or Path(temporary), options.seamark, options.only):
                writer.writerow(row)
                sys.stdout.flush()
                found.append(row)
            sys.exit(any(row[-1] for row in found))
        writer.writerow(COLUMNS)
        writer.writerows(table(options.folder or Path(temporary), options.seamark))


if __name__ == "__main__":
    main()
