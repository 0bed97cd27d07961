"""A store from outside: whose it is, what does not reach it, and a run while another process writes."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest
from made_stores import CONFIG

EXECUTABLE = os.environ.get("SEAMARK_TEST_EXECUTABLE")
pytestmark = pytest.mark.skipif(not EXECUTABLE, reason="SEAMARK_TEST_EXECUTABLE names no seamark")

SLOW = """
import time
from seamark_suites.case import case


@case("selftest.time.sleep", n=[1, 2, 3, 4], reference="none")
def sleep(t, n):
    t.call("selftest.time.sleep", 0.3)
"""

TELLS = """
import os, sys
from seamark_suites.case import case

TOKEN = "ghp_" + "a1B2" * 9


@case("selftest.time.sleep", n=[1, 2], reference="none")
def tells(t, n):
    print("the token is", TOKEN)
    sys.stdout.flush()
    if n == 1:
        os.abort()
    raise ValueError("no access with https://user:" + TOKEN[4:12] + "@host/, " + TOKEN)
"""


def start(folder, suite):
    (folder / "made.toml").write_text(CONFIG)
    (folder / "suite.py").write_text(suite)
    python = os.environ.get("SEAMARK_TEST_PYTHON", sys.executable)
    words = [
        EXECUTABLE, "--config", "made.toml", "run", "--target", "selftest/cpu", "--python", python,
        "--suite", "./suite.py", "--store", "s.db", "--no-timing",
    ]  # fmt: skip
    return subprocess.Popen(words, cwd=folder, stderr=subprocess.PIPE, text=True)


def count(store):
    with closing(sqlite3.connect(store)) as connection:
        return connection.execute("SELECT count(*) FROM attempts").fetchone()[0]


def locked_run(folder):
    """A run of four cases, and a connection that took the lock before their results."""
    run = start(folder, SLOW)
    other = sqlite3.connect(folder / "s.db", timeout=20, isolation_level=None)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            if other.execute("SELECT count(*) FROM plan").fetchone()[0] == 4:
                break
        except sqlite3.OperationalError:
            pass
        time.sleep(0.02)
    other.execute("BEGIN IMMEDIATE")
    return run, other


def test_results_wait_while_another_process_writes(tmp_path):
    run, other = locked_run(tmp_path)
    with closing(other):
        before = count(tmp_path / "s.db")
        time.sleep(7)
        assert run.poll() is None and count(tmp_path / "s.db") == before
        other.execute("ROLLBACK")
    told = run.communicate(timeout=60)[1]
    assert run.returncode == 0, told
    assert "another process has it locked" in told and "results wait in memory" in told
    assert "what waited is stored" in told
    assert count(tmp_path / "s.db") == 4


def test_what_is_lost_to_a_second_interrupt_is_said(tmp_path):
    run, other = locked_run(tmp_path)
    with closing(other):
        before = count(tmp_path / "s.db")
        time.sleep(3)
        run.send_signal(signal.SIGINT)
        time.sleep(0.5)
        assert run.poll() is None
        run.send_signal(signal.SIGINT)
        told = run.communicate(timeout=60)[1]
    assert run.returncode == 3, told
    assert f"{before} results of this run are stored, {4 - before} are lost" in told
    assert "--resume" in told and count(tmp_path / "s.db") == before


def test_what_looks_like_a_secret_does_not_reach_the_store(tmp_path):
    run = start(tmp_path, TELLS)
    told = run.communicate(timeout=60)[1]
    assert run.returncode == 0, told
    with closing(sqlite3.connect(tmp_path / "s.db")) as connection:
        everything = "\n".join(connection.iterdump())
        (message,) = connection.execute(
            "SELECT fail_message FROM attempts WHERE fail_message LIKE '%no access%'"
        ).fetchone()
    assert "a1B2a1B2" not in everything
    assert message == "no access with https://user:[masked]@host/, ghp_[masked]"
    assert "the token is ghp_[masked]" in everything
    assert (tmp_path / "s.db").stat().st_mode & 0o777 == 0o600
