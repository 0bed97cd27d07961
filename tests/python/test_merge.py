"""`seamark merge` from outside: real runs of two stores in one, twice, killed, interrupted, damaged."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest
from made_stores import CONFIG, SUITE, attempt_rows, seamark

EXECUTABLE = os.environ.get("SEAMARK_TEST_EXECUTABLE")
pytestmark = pytest.mark.skipif(not EXECUTABLE, reason="SEAMARK_TEST_EXECUTABLE names no seamark")

SLOW = """
import time
from seamark_suites.case import case


@case("selftest.time.sleep", n=[1, 2, 3, 4, 5, 6, 7, 8], reference="none")
def sleep(t, n):
    t.call("selftest.time.sleep", 0.5)
"""

RUN_TABLES = """
DELETE FROM time_samples WHERE attempt_id IN (SELECT id FROM attempts WHERE run_target_id IN old);
DELETE FROM operations WHERE attempt_id IN (SELECT id FROM attempts WHERE run_target_id IN old);
DELETE FROM attempts WHERE run_target_id IN old;
DELETE FROM plan WHERE run_target_id IN old;
DELETE FROM events WHERE run_id = 1;
DELETE FROM run_targets WHERE run_id = 1;
DELETE FROM runs WHERE id = 1;
"""


def rows(store, query):
    with closing(sqlite3.connect(store)) as connection:
        return connection.execute(query).fetchall()


def copy(store, to):
    with closing(sqlite3.connect(store)) as one, closing(sqlite3.connect(to)) as other:
        one.backup(other)
    return to


def merge(into, *stores, check=0):
    done = subprocess.run(
        [EXECUTABLE, "--no-config", "merge", "--store", into, *stores],
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == check, done.stderr
    return done.stderr


def run(folder, store, suite, target="selftest/*"):
    (folder / "made.toml").write_text(CONFIG)
    (folder / "suite.py").write_text(suite)
    python = os.environ.get("SEAMARK_TEST_PYTHON", sys.executable)
    return [
        EXECUTABLE, "--config", folder / "made.toml", "run", "--target", target, "--python", python,
        "--suite", "./suite.py", "--store", store, "--no-timing",
    ]  # fmt: skip


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    """both.db, which ran a finished and an interrupted run; a.db and b.db, which have one each."""
    folder = tmp_path_factory.mktemp("merge")
    both = folder / "both.db"
    subprocess.run(
        run(folder, both, SUITE), cwd=folder, check=True, capture_output=True, timeout=100
    )
    copy(both, folder / "a.db")
    words = run(folder, both, SLOW, "selftest/cpu")
    slow = subprocess.Popen(words, cwd=folder, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while len(rows(both, "SELECT 1 FROM results WHERE function = 'selftest.time.sleep'")) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    slow.send_signal(signal.SIGINT)
    assert slow.wait(60) == 130
    copy(both, folder / "b.db")
    with closing(sqlite3.connect(folder / "b.db")) as connection:
        old = "(SELECT id FROM run_targets WHERE run_id = 1)"
        connection.executescript(RUN_TABLES.replace("old", old))
    return folder


def reports(store, folder):
    """All reports as JSON of a store, which has the same name each time."""
    place = copy(store, folder / "same-name.db")
    words = ("report", "--store", "same-name.db", "--format", "json", "--run")
    return [json.loads(seamark(*words, which, cwd=place.parent)) for which in ("all", "latest")]


def test_two_stores_are_the_one_that_ran_both(stores, tmp_path):
    into = copy(stores / "a.db", tmp_path / "into.db")
    told = merge(into, stores / "b.db")
    assert "1 run with" in told and "refused" not in told
    (tmp_path / "x").mkdir()
    (tmp_path / "y").mkdir()
    assert reports(into, tmp_path / "x") == reports(stores / "both.db", tmp_path / "y")
    states = "SELECT uuid, state, ended_us, wall_s FROM runs ORDER BY uuid"
    assert rows(into, states) == rows(stores / "both.db", states)
    assert sorted(state for _, state, _, _ in rows(into, states)) == [2, 3]
    planned = "SELECT count(*) FROM plan"
    assert rows(into, planned) == rows(stores / "both.db", planned)
    left = "SELECT count(*) FROM plan p LEFT JOIN attempts a USING (run_target_id, case_id) WHERE a.id IS NULL"
    assert rows(into, left)[0][0] > 0

    # Twice is once; and into a new store, in either order, it is all the same.
    assert "nothing is added; 1 run there already" in merge(into, stores / "b.db")
    new = tmp_path / "new.db"
    merge(new, stores / "b.db", stores / "a.db", stores / "both.db")
    assert rows(new, states) == rows(into, states)
    results = (
        "SELECT run, target, case_name, attempt, outcome, wall_s FROM results ORDER BY 1, 2, 3, 4"
    )
    assert rows(new, results) == rows(into, results)


def test_an_export_is_imported_as_the_run_that_it_was(stores, tmp_path):
    lines = tmp_path / "all.jsonl"
    seamark("export", "--store", stores / "b.db", "-o", lines)
    for _ in range(2):  # the second time changes nothing
        seamark("import", lines, "--store", tmp_path / "i.db")
        for query in (
            "SELECT uuid, state, started_us, ended_us FROM runs",
            "SELECT count(*) FROM plan",
            "SELECT case_name, attempt, outcome FROM results ORDER BY 1, 2",
        ):
            assert rows(tmp_path / "i.db", query) == rows(stores / "b.db", query)
    # One attempt otherwise: refused, and the store keeps its own.
    changed = tmp_path / "changed.jsonl"
    changed.write_text(lines.read_text().replace('"outcome":"pass"', '"outcome":"fail"', 1))
    seamark("import", changed, "--store", tmp_path / "i.db", check=3)
    query = "SELECT case_name, attempt, outcome FROM results ORDER BY 1, 2"
    assert rows(tmp_path / "i.db", query) == rows(stores / "b.db", query)
    # Also where the run was made.
    seamark("import", lines, "--store", copy(stores / "both.db", tmp_path / "own.db"))
    seamark("import", changed, "--store", tmp_path / "own.db", check=3)
    assert rows(tmp_path / "own.db", "SELECT count(*) FROM attempts") == rows(
        stores / "both.db", "SELECT count(*) FROM attempts"
    )


def test_a_run_that_differs_is_refused(stores, tmp_path):
    into = copy(stores / "a.db", tmp_path / "into.db")
    other = copy(stores / "both.db", tmp_path / "other.db")
    with closing(sqlite3.connect(other)) as connection, connection:
        connection.execute("UPDATE attempts SET wall_s = 99 WHERE id = 1")
    before = rows(into, "SELECT * FROM results ORDER BY attempt_id")
    words = [EXECUTABLE, "--no-config", "merge", "--strict", "--store", into, other]
    strict = subprocess.run(words, capture_output=True, text=True, timeout=100)
    assert strict.returncode == 3 and "wall_s is" in strict.stderr
    assert len(rows(into, "SELECT 1 FROM runs")) == 1
    told = merge(into, other, check=3)
    assert "is refused" in told and "wall_s is" in told and ", not 99" in told
    assert rows(into, "SELECT * FROM results ORDER BY attempt_id")[: len(before)] == before
    assert len(rows(into, "SELECT 1 FROM runs")) == 2  # the interrupted one came


def test_what_is_no_store_changes_nothing(stores, tmp_path):
    into = tmp_path / "into.db"
    (tmp_path / "text.db").write_text("no store")
    torn = copy(stores / "both.db", tmp_path / "torn.db")
    with open(torn, "r+b") as file:
        file.truncate(torn.stat().st_size // 2)
    for bad in ("text.db", "torn.db", "none.db"):
        told = merge(into, stores / "a.db", tmp_path / bad, check=3)
        assert bad in told
        assert not [one.name for one in tmp_path.iterdir() if one.name.startswith("into")]
    assert merge(into, check=2)
    copy(stores / "a.db", into)
    assert "is the store that is merged into" in merge(into, into, check=2)
    empty = copy(stores / "b.db", tmp_path / "empty.db")
    with closing(sqlite3.connect(empty)) as connection:
        connection.executescript(
            RUN_TABLES.replace("old", "(SELECT id FROM run_targets)").replace(" = 1", " > 0")
        )
    assert "there is nothing in " + str(empty) in merge(into, empty, check=4)


def test_a_killed_merge_leaves_the_store_as_it_was(tmp_path, stores):
    lines = tmp_path / "many.jsonl"
    with open(lines, "w") as file:
        for row in attempt_rows():
            if row["attempt"] != 1:
                continue
            for n in range(1500):
                file.write(json.dumps({**row, "case": f"{row['case']}{n}", "run": "many"}) + "\n")
    big = tmp_path / "big.db"
    seamark("import", lines, "--store", big)
    into = copy(stores / "a.db", tmp_path / "into.db")
    before = list(sqlite3.connect(into).iterdump())
    held = rows(into, "SELECT COUNT(*) FROM attempts")[0][0]
    began = time.monotonic()
    merge(copy(into, tmp_path / "whole.db"), big)
    took = time.monotonic() - began
    untouched = 0
    for part in (0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0):
        killed = copy(into, tmp_path / f"killed-{part}.db")
        merging = subprocess.Popen(
            [EXECUTABLE, "--no-config", "merge", "--store", killed, big], stderr=subprocess.DEVNULL
        )
        time.sleep(part * took)
        merging.kill()
        merging.wait()
        assert rows(killed, "PRAGMA integrity_check") == [("ok",)]
        if rows(killed, "SELECT COUNT(*) FROM attempts")[0][0] == held + 27_000:
            continue  # it was done
        assert list(sqlite3.connect(killed).iterdump()) == before
        untouched += 1
    assert untouched
    assert "1 run with 27,000 attempts added" in merge(into, big)
    assert rows(into, "PRAGMA integrity_check") == [("ok",)]
