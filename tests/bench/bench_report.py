#!/usr/bin/env python3
"""What `seamark report` takes on a store with a million attempts, beside plain counting by others, in one run.

    scripts/bench bench_report
    tests/bench/bench_report.py --seamark SEAMARK --maker build/release/tests/seamark_report_store [--venv RIVALS]

5,000 functions by 20 targets by 10 cases, a tenth failing, times on a part (tests/bench/report_store.cc). CPU is
user + system time of the process, memory its peak resident size. The rivals only count verdicts per target:
SQLite through Python's sqlite3, DuckDB (of RIVALS, if it has it) over the same rows in Parquet. Prints a
Markdown table and exits 1 where a limit of docs/performance.md is missed.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CPU_LIMIT_S = 3.0
MEMORY_LIMIT_MB = 500
ROUNDS = 3

COUNTS = """
WITH cells AS (
  SELECT a.run_target_id AS target, c.function_id AS function,
         max(CASE WHEN a.outcome = 1 THEN 1 ELSE 0 END) AS passes,
         max(CASE WHEN a.outcome <> 1 THEN 1 ELSE 0 END) AS fails
  FROM {attempts} a JOIN {cases} c ON c.id = a.case_id JOIN {plan} p
    ON p.run_target_id = a.run_target_id AND p.case_id = a.case_id
  WHERE a.phase = 1 AND p.core = 1 GROUP BY 1, 2)
SELECT target, sum(passes * (1 - fails)), sum(passes * fails), sum((1 - passes) * fails)
FROM cells GROUP BY 1 ORDER BY 1
"""
SQLITE = """
import sqlite3, sys
rows = sqlite3.connect(sys.argv[1]).execute(%r).fetchall()
print(len(rows))
"""
TO_PARQUET = """
import csv, sqlite3, sys, duckdb
store, out = sqlite3.connect(sys.argv[1]), sys.argv[2]
for table, columns in (("attempts", "run_target_id, case_id, phase, outcome"),
                       ("plan", "run_target_id, case_id, core"), ("cases", "id, function_id")):
    with open("%s/%s.csv" % (out, table), "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns.split(", "))
        writer.writerows(store.execute("SELECT %s FROM %s" % (columns, table)))
    duckdb.sql("COPY (FROM '%s/%s.csv') TO '%s/%s.parquet'" % (out, table, out, table))
"""
DUCKDB = """
import sys, duckdb
connection = duckdb.connect(config={"threads": 1})
print(len(connection.sql(%r.replace("OUT", sys.argv[1])).fetchall()))
"""


def measure(command) -> tuple[float, float, float]:
    """CPU seconds, wall seconds, peak MB; the least of some rounds."""
    best = None
    for _ in range(ROUNDS):
        start = time.monotonic()
        with open(os.devnull, "w") as nowhere:
            child = subprocess.Popen([str(word) for word in command], stdout=nowhere)
            _, status, usage = os.wait4(child.pid, 0)
        if status != 0:
            sys.exit(f"{command[0]} failed: {status}")
        found = (usage.ru_utime + usage.ru_stime, time.monotonic() - start, usage.ru_maxrss / 1024)
        best = found if best is None else tuple(min(a, b) for a, b in zip(best, found, strict=True))
    return best


def rivals(store: Path, python: Path | None, folder: Path):
    tables = {"attempts": "attempts", "cases": "cases", "plan": "plan"}
    yield (
        "SQLite, GROUP BY of the verdicts",
        [
            sys.executable,
            "-c",
            SQLITE % COUNTS.format(**tables),
            store,
        ],
    )
    if python is None:
        return
    if subprocess.run([python, "-c", "import duckdb"], capture_output=True).returncode:
        print("DuckDB is not there: left out", file=sys.stderr)
        return
    subprocess.run([python, "-c", TO_PARQUET, store, folder], check=True)
    files = {table: f"'OUT/{table}.parquet'" for table in tables}
    yield "DuckDB, the same from Parquet", [python, "-c", DUCKDB % COUNTS.format(**files), folder]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seamark", default=os.environ.get("SEAMARK_TEST_EXECUTABLE"))
    parser.add_argument("--maker", help="seamark_report_store (default: beside the executable)")
    parser.add_argument("--store", type=Path, help="one that the maker made before")
    parser.add_argument("--venv", type=Path, help="a virtual environment with duckdb")
    args = parser.parse_args()
    if not args.seamark:
        parser.error("--seamark names no executable")
    with tempfile.TemporaryDirectory() as scratch:
        store = args.store
        if store is None:
            store = Path(scratch) / "million.db"
            maker = args.maker or Path(args.seamark).parents[1] / "tests" / "seamark_report_store"
            made = subprocess.run([maker, store], capture_output=True, text=True, check=True)
            print(f"{int(made.stdout):,} attempts, {store.stat().st_size / 1e6:.0f} MB\n")
        report = [args.seamark, "report", "--store", store]
        ways = [
            ("seamark report", report, True),
            ("seamark report --tables", [*report, "--tables"], True),
            (
                "seamark report --tables --format json",
                [*report, "--tables", "--format", "json"],
                True,
            ),
        ]
        python = args.venv / "bin" / "python" if args.venv else None
        ways += [(name, command, False) for name, command in rivals(store, python, Path(scratch))]
        print("| way | CPU s | wall s | peak MB |\n|---|---|---|---|")
        missed = False
        for name, command, ours in ways:
            cpu, wall, memory = measure(command)
            print(f"| {name} | {cpu:.2f} | {wall:.2f} | {memory:.0f} |", flush=True)
            missed = missed or (ours and (cpu > CPU_LIMIT_S or memory > MEMORY_LIMIT_MB))
        print(
            f"\nlimits: {CPU_LIMIT_S:g} s of CPU, {MEMORY_LIMIT_MB} MB: {'missed' if missed else 'held'}"
        )
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
