#!/usr/bin/env python3
"""Makes of a store the results that ship with Seamark: the latest run and what is declared, without what no question
of a reader needs (tracebacks, output, the compilers' documents, samples of time) and without names of the machine.

usage: scripts/pack_results.py STORE OUT.zst
"""

import os
import re
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

MOST_BYTES = 3_000_000  # of the packed file: it is in every wheel

DROPPED = (
    "time_samples",
    "operations",
    "events",
    "catalogue_exclusions",
)
EMPTIED = {
    "attempts": ("fail_traceback", "capture", "compiled", "wall_s", "cpu_s"),
    "runs": ("owner", "host"),
    "catalogue_functions": ("signature_reason", "note"),
}


def columns(db: sqlite3.Connection, table: str) -> dict[str, str]:
    """{column: what stands for nothing there}."""
    return {
        row[1]: "NULL" if not row[3] else "''" for row in db.execute(f"PRAGMA table_info({table})")
    }


def tables(db: sqlite3.Connection) -> list[str]:
    return [name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]


def slim(db: sqlite3.Connection) -> None:
    (run,) = db.execute("SELECT id FROM runs ORDER BY started_us DESC LIMIT 1").fetchone()
    db.execute("DELETE FROM runs WHERE id <> ?", (run,))
    db.execute("DELETE FROM run_targets WHERE run_id <> ?", (run,))
    for table in ("plan", "attempts"):
        db.execute(f"DELETE FROM {table} WHERE run_target_id NOT IN (SELECT id FROM run_targets)")
    for table in tables(db):
        if table.startswith(("usage_", "sample")) or table in DROPPED:
            db.execute(f"DELETE FROM {table}")
    for table, names in EMPTIED.items():
        nothing = columns(db, table)
        for name in names:
            db.execute(f"UPDATE {table} SET {name} = {nothing[name]}")


def neutral(text: str) -> str:
    """Without folders of this machine: Seamark's own, this user's, temporary ones."""
    text = re.sub(r"(/[^\s\"']*)?/(?=python/seamark_)", "", text)
    return re.sub(r"/tmp/[^\s\"':,)]*", "TMPDIR", text.replace(str(Path.home()), "~"))


def forget_machine(db: sqlite3.Connection) -> None:
    db.create_function("neutral", 1, neutral, deterministic=True)
    for table in tables(db):
        for name in columns(db, table):
            db.execute(
                f'UPDATE {table} SET "{name}" = neutral("{name}")'
                f" WHERE typeof(\"{name}\") = 'text' AND instr(\"{name}\", '/') > 0"
            )


def main(store: str, out: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "measured.db")
        source = sqlite3.connect(f"file:{Path(store).resolve()}?mode=ro", uri=True)
        db = sqlite3.connect(copy)
        source.backup(db)
        source.close()
        db.execute("PRAGMA foreign_keys = ON")
        slim(db)
        forget_machine(db)
        db.commit()
        db.execute("PRAGMA journal_mode = DELETE")
        db.execute("VACUUM")
        db.close()
        Path(out).parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["zstd", "-q", "-f", "--ultra", "-22", "-o", out, copy], check=True)
        print(f"{out}: {os.path.getsize(out):,} bytes of {copy.stat().st_size:,}")
    if os.path.getsize(out) > MOST_BYTES:
        sys.exit(f"{out}: more than {MOST_BYTES:,} bytes")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
