#!/usr/bin/env python3
"""Makes a corpus of Python source out of PyPI packages, in shards like CodeParrot's.

    scripts/gather_corpus.py FOLDER                       (about 1 GB of wheels, 1 GB of source, 0.3 GB of shards)
    seamark usage FOLDER/shards

The packages are those of data/usage/packages.txt. Only wheels are fetched, with pip, and no code of theirs is
run: source distributions would be built to be read. Run it with CPython 3.11 on x86-64 Linux to get the wheels
that the list was made with. Every .py file counts once, however many packages carry it; files stand in the
order of their hashes, so that every shard is a fair draw of the whole.
"""

import argparse
import collections
import contextlib
import gzip
import hashlib
import io
import json
import pathlib
import re
import subprocess
import sys
import tokenize
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
SHARD_BYTES = 100_000_000
LARGEST_FILE = 16_000_000  # a larger member is not read
SPACE = re.compile(r"\s+")


def fetch(packages: pathlib.Path, folder: pathlib.Path, pip_options: list[str]) -> None:
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--only-binary",
        ":all:",
    ]
    command += ["--dest", str(folder), "--requirement", str(packages), *pip_options]
    subprocess.run(command, check=True)


def listed(packages: pathlib.Path) -> list[tuple[str, str]]:
    """(name, version) in the order of the list."""
    lines = (line.split("#")[0].strip() for line in packages.read_text().splitlines())
    return [tuple(line.split("==")) for line in lines if line]


def wheel_of(folder: pathlib.Path, name: str, version: str) -> pathlib.Path:
    spelt = re.sub(r"[-_.]+", "_", name).lower()
    for path in sorted(folder.glob("*.whl")):
        parts = path.name.split("-")
        if re.sub(r"[-_.]+", "_", parts[0]).lower() == spelt and parts[1] == version:
            return path
    raise SystemExit(
        f"gather_corpus: {folder} has no wheel of {name}=={version}; run without --no-fetch"
    )


def text_of(data: bytes) -> str | None:
    """The source as text, by its own declaration of an encoding; None for what is no text."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return data.decode(encoding)
    except (SyntaxError, UnicodeDecodeError, LookupError):
        return None


def hash_of(text: str) -> str:
    return hashlib.md5(SPACE.sub("", text).encode("utf-8", "surrogatepass")).hexdigest()


def license_of(wheel: zipfile.ZipFile) -> str:
    for member in wheel.namelist():
        if member.endswith(".dist-info/METADATA"):
            text = wheel.read(member).decode("utf-8", "replace")
            for field in ("License-Expression", "License"):
                found = re.search(rf"^{field}: *(.{{1,60}})$", text, re.M)
                if found:
                    return found[1].strip()
            found = re.search(
                r"^Classifier: License :: (?:OSI Approved :: )?(.{1,60})$", text, re.M
            )
            return found[1].strip() if found else "unknown"
    return "unknown"


class Corpus:
    """Where each distinct file is, by its hash. Only the places are held, not the texts."""

    def __init__(self) -> None:
        self.wheels: list[tuple[str, zipfile.ZipFile, str]] = []  # package, wheel, license
        self.places: dict[str, tuple[int, zipfile.ZipInfo]] = {}
        self.copies: collections.Counter[str] = collections.Counter()
        self.left_out: collections.Counter[str] = collections.Counter()

    def add(self, package: str, path: pathlib.Path) -> None:
        wheel = zipfile.ZipFile(path)
        self.wheels.append((package, wheel, license_of(wheel)))
        for member in wheel.infolist():
            if not member.filename.endswith(".py"):
                continue
            if member.file_size > LARGEST_FILE:
                self.left_out["too large"] += 1
                continue
            text = text_of(wheel.read(member))
            if text is None:
                self.left_out["no text"] += 1
            elif not text.strip():
                self.left_out["empty"] += 1
            else:
                digest = hash_of(text)
                self.copies[digest] += 1
                self.places.setdefault(digest, (len(self.wheels) - 1, member))

    def records(self):
        for digest in sorted(self.places):
            index, member = self.places[digest]
            package, wheel, license_name = self.wheels[index]
            text = text_of(wheel.read(member))
            lengths = [len(line) for line in text.splitlines()] or [0]
            yield {
                "repo_name": package,
                "path": member.filename,
                "copies": str(self.copies[digest]),
                "size": str(len(text)),
                "content": text,
                "license": license_name,
                "hash": digest,
                "line_mean": sum(lengths) / len(lengths),
                "line_max": max(lengths),
                "alpha_frac": sum(map(str.isalnum, text)) / len(text),
                "autogenerated": "auto-generated" in text[:400].lower(),
            }


class ShardWriter:
    """Begins the next shard where the last one is full."""

    def __init__(self, folder: pathlib.Path, shard_bytes: int):
        self.folder, self.shard_bytes = folder, shard_bytes
        self.shards = self.written = self.total = 0
        self.open = contextlib.ExitStack()
        self.out: gzip.GzipFile | None = None

    def write(self, line: bytes) -> None:
        if self.out is None or self.written + len(line) > self.shard_bytes:
            self.open.close()
            self.shards, self.written = self.shards + 1, 0
            path = self.folder / f"file-{self.shards:012d}.json.gz"
            raw = self.open.enter_context(path.open("wb"))
            # Without name and time in its header a shard has the same bytes whenever it is written.
            self.out = self.open.enter_context(gzip.GzipFile("", "wb", 6, raw, 0))
        self.out.write(line)
        self.written += len(line)
        self.total += len(line)


def write_shards(corpus: Corpus, folder: pathlib.Path, shard_bytes: int) -> dict:
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise SystemExit(f"gather_corpus: {folder} is not empty; remove it first")
    files = source_bytes = 0
    digests = hashlib.sha256()
    writer = ShardWriter(folder, shard_bytes)
    with writer.open:
        for record in corpus.records():
            writer.write((json.dumps(record) + "\n").encode())
            files += 1
            source_bytes += len(record["content"].encode("utf-8", "replace"))
            digests.update(record["hash"].encode())
    return {
        "files": files,
        "source_bytes": source_bytes,
        "shards": writer.shards,
        "json_bytes": writer.total,
        "digest": digests.hexdigest()[:16],
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=pathlib.Path, help="gets wheels/ and shards/")
    parser.add_argument(
        "--list", type=pathlib.Path, default=ROOT / "data" / "usage" / "packages.txt"
    )
    parser.add_argument(
        "--shard-bytes", type=int, default=SHARD_BYTES, help="uncompressed (%(default)s)"
    )
    parser.add_argument("--no-fetch", action="store_true", help="the wheels are there already")
    parser.add_argument(
        "--pip", action="append", default=[], metavar="OPTION", help="one more for pip download"
    )
    options = parser.parse_args()

    wheels = options.folder / "wheels"
    wheels.mkdir(parents=True, exist_ok=True)
    if not options.no_fetch:
        fetch(options.list, wheels, options.pip)
    corpus = Corpus()
    for name, version in listed(options.list):
        corpus.add(name, wheel_of(wheels, name, version))
    totals = write_shards(corpus, options.folder / "shards", options.shard_bytes)
    totals |= {"packages": len(corpus.wheels), "left_out": dict(corpus.left_out)}
    totals["duplicates"] = sum(corpus.copies.values()) - len(corpus.copies)
    json.dump(totals, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    sys.exit(main())
