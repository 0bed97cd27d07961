#!/usr/bin/env python3
"""CPU time of `seamark usage` per uncompressed byte, beside inflate alone and other ways to count, in one run.

    scripts/gather_corpus.py CORPUS
    SEAMARK_BENCH_CORPUS=CORPUS/shards scripts/bench bench_usage
    tests/bench/bench_usage.py --seamark build/release/bin/seamark --corpus CORPUS/shards --venv RIVALS

Without a corpus the shard is made of this Python's own library. CPU is user + system time of the whole process tree.
Every round runs all quick ways once, one after the other, and every other round the other way round; a figure is the mean of
the rounds, a ratio that of the sums, with 95% of what it is where the rounds are drawn anew (bootstrap). With `--venv` the
rivals of usage-requirements.txt are measured too (installed there if need be), three times each: DuckDB and polars on all
shards, each beside Seamark, the others, which are slow, on a part of one. Exits 1 where a limit of docs/performance.md is missed.
`--instructions` counts instructions instead, which no noise moves: callgrind, on a shard that is the same everywhere.
"""

import argparse
import functools
import gzip
import json
import os
import random
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SLOW_BYTES = 30_000_000
INFLATE_LIMIT, SCALING_LIMIT, MEMORY_LIMIT_MIB = 2.0, 1.9, 64
STUDY_LIMIT, DUCKDB_LIMIT = 100, 7
INSTRUCTIONS_LIMIT = 60.0  # a byte; see docs/performance.md


class Measured:
    def __init__(self, cpu: float, wall: float, peak_mib: float, output: str):
        self.cpu, self.wall, self.peak_mib, self.output = cpu, wall, peak_mib, output


def measure(command: list[str], **options) -> Measured:
    """CPU of the process and all that it waited for; the largest resident set among them."""
    with tempfile.TemporaryFile() as out:
        began = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL, **options)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise SystemExit(f"bench_usage: {shlex.join(command)} ended with {process.returncode}")
        out.seek(0)
        text = out.read(1 << 20).decode("utf-8", "replace")
    return Measured(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024, text)


class Ratio:
    """Of the sums of two columns of the same rounds; `low` and `high` hold 95% of the bootstrap's."""

    def __init__(self, above: list[float], below: list[float]):
        self.value = sum(above) / sum(below)
        rounds = list(zip(above, below, strict=True))
        draw = random.Random(0)
        drawn = []
        for _ in range(2000):
            some = draw.choices(rounds, k=len(rounds))
            drawn.append(sum(a for a, _ in some) / sum(b for _, b in some))
        drawn.sort()
        self.low, self.high = drawn[50], drawn[-51]

    def __str__(self) -> str:
        return f"{self.value:.2f} [{self.low:.2f} to {self.high:.2f}]"


def pipeline(command: str) -> list[str]:
    return ["bash", "-o", "pipefail", "-c", command]


# --- shards


def uncompressed_bytes(shards: list[Path]) -> int:
    total = 0
    for shard in shards:
        with gzip.open(shard, "rb") as data:
            while block := data.read(1 << 20):
                total += len(block)
    return total


def write_shard(path: Path, records) -> None:
    with gzip.open(path, "wt", encoding="ascii", compresslevel=6) as out:
        for record in records:
            out.write(json.dumps(record) + "\n")


def library_records(limit: int):
    folders = [Path(sysconfig.get_path("stdlib")), Path(sysconfig.get_path("purelib"))]
    total = 0
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            text = path.read_text(encoding="utf-8", errors="replace")
            total += len(text)
            if total > limit:
                return
            yield {"repo_name": "python", "path": str(path.relative_to(folder)), "content": text}


def part_of(shard: Path, to: Path, limit: int) -> int:
    """The first lines of a shard; how many bytes."""
    total = 0
    with gzip.open(shard, "rb") as lines, gzip.open(to, "wb", compresslevel=6) as out:
        for line in lines:
            total += len(line)
            if total > limit and total > len(line):
                return total - len(line)
            out.write(line)
    return total


# --- the table


class Bench:
    def __init__(self, options, folder: Path):
        self.options, self.folder = options, folder
        self.shards = self.find_shards()
        self.bytes = uncompressed_bytes(self.shards)
        self.rows: list[tuple[str, float, str]] = []  # way, CPU seconds a byte, remark
        self.missed: list[str] = []
        self.runs = 0

    def find_shards(self) -> list[Path]:
        if self.options.corpus:
            found = sorted(Path(self.options.corpus).glob("*.json.gz"))[
                : self.options.shards or None
            ]
            if not found:
                raise SystemExit(f"bench_usage: {self.options.corpus} has no *.json.gz")
            return found
        shard = self.folder / "library.json.gz"
        write_shard(shard, library_records(100_000_000))
        print(
            "no corpus given (--corpus, SEAMARK_BENCH_CORPUS): this Python's own library is taken\n"
        )
        return [shard]

    def seamark(self, threads: int, shards=None) -> list[str]:
        self.runs += 1
        # A new one: a shard that is counted already is not read again.
        store = self.folder / f"{self.runs}.db"
        if self.options.store:
            shutil.copyfile(self.options.store, store)
        command = [
            self.options.seamark,
            "usage",
            *map(str, shards or self.shards),
            "--threads",
            str(threads),
        ]
        command += [
            "--store",
            str(store),
            "-o",
            str(self.folder / f"{self.runs}.csv"),
            "--format",
            "csv",
        ]
        return command + [part for one in self.options.catalogue for part in ("--catalogue", one)]

    def halves(self) -> list[list[Path]]:
        """Of the shards, by size."""
        halves = [[], []]
        for shard in sorted(self.shards, key=lambda one: -one.stat().st_size):
            min(halves, key=lambda half: sum(one.stat().st_size for one in half)).append(shard)
        return halves

    def two_processes(self) -> list[str]:
        """What two threads could gain at most on this machine."""
        first, second = (shlex.join(self.seamark(1, half)) for half in self.halves())
        return pipeline(f"{first} & one=$!; {second} && wait $one")

    def rival(self, way: str, shards: list[Path]) -> Measured:
        """Its CPU without the imports; alone on one thread."""
        python = rivals_python(Path(self.options.venv))
        command = [python, str(HERE / "usage_rivals.py"), way, *map(str, shards)]
        done = measure(command, env={**os.environ, "POLARS_MAX_THREADS": "1"})
        done.cpu = json.loads(done.output)["cpu"]
        return done

    def row(self, way: str, cpu_a_byte: float, remark: str = "") -> None:
        self.rows.append((way, cpu_a_byte, remark))

    def limit(self, what: str, value: float | Ratio, held: bool) -> None:
        shown = value if isinstance(value, Ratio) else f"{value:.2f}"
        print(f"{'held' if held else 'MISSED'}: {what}: {shown}")
        if not held:
            self.missed.append(what)

    def quick(self) -> None:
        names = " ".join(shlex.quote(str(shard)) for shard in self.shards)
        inflate = f"for f in {names}; do igzip -dc $f; done"
        search = "rg -c 'torch|tensorflow|jax'"

        def piped(command: str):
            return functools.partial(measure, pipeline(command))

        runs = {
            "igzip -dc, inflate alone": piped(f"{inflate} > /dev/null"),
            "seamark usage, 1 thread": lambda: measure(self.seamark(1)),
            "seamark usage, 2 threads": lambda: measure(self.seamark(2)),
        }
        halved = "seamark usage, 2 processes, half of the shards each"
        if len(self.shards) > 1:
            runs[halved] = lambda: measure(self.two_processes())
        if shutil.which("rg"):
            runs["igzip -dc, rg -c (search only)"] = piped(f"{inflate} | {search}")
            runs["zcat, rg -c (search only)"] = piped(f"zcat {names} | {search}")
        results = {way: [] for way in runs}
        for number in range(self.options.rounds):
            order = list(runs.items())
            for way, run in order if number % 2 == 0 else reversed(order):
                results[way].append(run())
        for way, found in results.items():
            remark = ""
            if "seamark" in way:
                remark = f"peak {max(one.peak_mib for one in found):.0f} MiB, "
                remark += f"wall {statistics.mean(one.wall for one in found):.2f} s"
            self.row(way, statistics.mean(one.cpu for one in found) / self.bytes, remark)
        unit, one, two = (results[way] for way in list(results)[:3])
        ratio = Ratio([run.cpu for run in one], [run.cpu for run in unit])
        self.limit(
            f"CPU as a multiple of inflate alone (at most {INFLATE_LIMIT})",
            ratio,
            ratio.value <= INFLATE_LIMIT,
        )
        scaling = Ratio([run.wall for run in one], [run.wall for run in two])
        self.limit(
            f"two threads as a multiple of one (at least {SCALING_LIMIT})",
            scaling,
            scaling.value >= SCALING_LIMIT,
        )
        if halved in results:
            bound = Ratio([run.wall for run in one], [run.wall for run in results[halved]])
            print(f"two processes, half of the shards each, as a multiple of one: {bound}")
        more = Ratio([run.cpu for run in two], [run.cpu for run in one])
        print(f"CPU of two threads as a multiple of one's: {more}")
        peak = max(run.peak_mib for run in one + two)
        self.limit(f"peak memory in MiB (under {MEMORY_LIMIT_MIB})", peak, peak < MEMORY_LIMIT_MIB)

    def medium(self) -> None:
        """Ways that read all shards too, each beside Seamark on one thread."""
        labels = {
            "duckdb": "DuckDB, regexp count on JSON, one query",
            "duckdb-each": "DuckDB, regexp count on JSON, a query a shard",
            "polars": "polars, regexp count on JSON",
        }
        for way, label in labels.items():
            theirs, ours = [], []
            for _ in range(self.options.slow_rounds):
                theirs.append(self.rival(way, self.shards))
                ours.append(measure(self.seamark(1)))
            peak = max(one.peak_mib for one in theirs)
            cpu = statistics.mean(one.cpu for one in theirs)
            self.row(label, cpu / self.bytes, f"peak {peak:.0f} MiB")
            ratio = Ratio([one.cpu for one in theirs], [one.cpu for one in ours])
            if way == "duckdb":
                self.limit(
                    f"DuckDB as a multiple (at least {DUCKDB_LIMIT})",
                    ratio,
                    ratio.value >= DUCKDB_LIMIT,
                )
            else:
                print(f"{label}, as a multiple: {ratio}")

    def slow(self) -> None:
        part = self.folder / "part.json.gz"
        size = part_of(self.shards[0], part, self.options.slow_bytes)
        labels = {
            "tree-sitter": "Python, tree-sitter, aliases resolved",
            "orjson-ast": "Python, orjson and ast, aliases resolved",
            "study": "Python, json, regex, code_tokenize: the study's way",
        }
        for way, label in labels.items():
            done = [self.rival(way, [part]) for _ in range(self.options.slow_rounds)]
            cpu = statistics.mean(one.cpu for one in done)
            peak = max(one.peak_mib for one in done)
            self.row(label, cpu / size, f"{size / 1e6:.0f} MB of it, peak {peak:.0f} MiB")
        costs = {way: cpu for way, cpu, _ in self.rows}
        ours = costs["seamark usage, 1 thread"]
        study = costs[labels["study"]] / ours
        self.limit(
            f"the study's way as a multiple (at least {STUDY_LIMIT})", study, study >= STUDY_LIMIT
        )

    def table(self) -> None:
        print(
            f"\n{len(self.shards)} shards, {self.bytes / 1e6:.0f} MB uncompressed, {self.options.rounds} rounds\n"
        )
        print("| way | MB/s of CPU | times inflate | |\n|---|---|---|---|")
        unit = self.rows[0][1]
        for way, cost, remark in self.rows:
            print(f"| {way} | {1 / cost / 1e6:.4g} | {cost / unit:.2f} | {remark} |")


def rivals_python(venv: Path) -> str:
    python = venv / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
        requirements = str(HERE / "usage-requirements.txt")
        subprocess.run([str(python), "-m", "pip", "install", "-q", "-r", requirements], check=True)
    return str(python)


def instructions(options, folder: Path) -> int:
    """A shard of random programs, one file in eight with a framework's names: the same bytes everywhere."""
    sys.path.insert(0, str(ROOT / "tests" / "oracle"))
    import usage_programs

    def records():
        for index in range(240):
            text = "".join(usage_programs.random_program(index * 40 + at) for at in range(40))
            if index % 8:
                text = re.sub("torch|tensorflow|jax", "numbers", text)
            yield {"repo_name": f"r{index % 9}", "path": f"{index}.py", "content": text}

    shard = folder / "fixed.json.gz"
    write_shard(shard, records())
    size = uncompressed_bytes([shard])
    empty = folder / "empty.json.gz"
    write_shard(empty, [])
    totals = []
    for number, path in enumerate((empty, shard)):
        command = [
            options.seamark,
            "usage",
            str(path),
            "--threads",
            "1",
            "--store",
            str(folder / f"i{number}.db"),
        ]
        command += ["-o", str(folder / f"i{number}.csv"), "--format", "csv"]
        out = folder / f"callgrind.{number}"
        tool = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}"]
        subprocess.run(
            tool + command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        totals.append(int(re.search(r"^(?:summary|totals): (\d+)", out.read_text(), re.M)[1]))
    cost = (totals[1] - totals[0]) / size
    print(f"start: {totals[0] / 1e6:.1f} M instructions")
    print(f"{size / 1e6:.2f} MB: {cost:.2f} instructions a byte (limit {INSTRUCTIONS_LIMIT})")
    return 1 if cost > INSTRUCTIONS_LIMIT else 0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    default = os.environ.get(
        "SEAMARK_TEST_EXECUTABLE", str(ROOT / "build" / "release" / "bin" / "seamark")
    )
    parser.add_argument("--seamark", default=default)
    parser.add_argument(
        "--corpus", default=os.environ.get("SEAMARK_BENCH_CORPUS"), help="folder of *.json.gz"
    )
    parser.add_argument("--shards", type=int, default=0, help="only the first so many")
    parser.add_argument("--catalogue", action="append", default=[], metavar="FILE.jsonl")
    parser.add_argument(
        "--store", type=Path, metavar="FILE.db", help="with catalogues in it: every run gets a copy"
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--slow-bytes", type=int, default=SLOW_BYTES, help="what slow ways read (%(default)s)"
    )
    parser.add_argument("--slow-rounds", type=int, default=3, help="of slow ways (%(default)s)")
    parser.add_argument("--venv", help="environment of the rivals; without it they are left out")
    parser.add_argument("--instructions", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.instructions:
            return instructions(options, folder)
        bench = Bench(options, folder)
        bench.quick()
        if options.venv:
            bench.medium()
            bench.slow()
        bench.table()
        return 1 if bench.missed else 0


if __name__ == "__main__":
    sys.exit(main())
