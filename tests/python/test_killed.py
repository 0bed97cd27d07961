"""`kill -9` of the supervisor: its workers end with it, what it had committed stays, the next start clears its folders.

SEAMARK_TEST_KILLS says how often a run is killed (default: 6, in each worker mode).
"""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time

import pytest

KILLS = int(os.environ.get("SEAMARK_TEST_KILLS", "6"))
LEFT_S = 2  # processes may take so long to be gone
TARGET = """
[[target]]
name = "selftest/cpu"
adapter = "selftest"
device = "cpu"
worker = "{mode}"
memory_limit = "none"
"""
ENDLESS = """
from seamark_suites.case import case


@case("selftest.os.getpid", reference="none")
def endless(t):
    open({begun!r}, "w").close()
    while True:
        pass
"""
SUITE = """
import os, signal
from seamark_suites.case import case


@case("selftest.time.sleep", n=list(range(8)), reference="none")
def sleeps(t, n):
    t.call("selftest.time.sleep", 0.005)


@case("selftest.time.sleep", n=[0, 1], reference="none")
def fails(t, n):
    t.expect(t.call("selftest.time.sleep", 0.001) == n, "%d" % n)


@case("selftest.time.sleep", reference="none")
def dies(t):
    os.kill(os.getpid(), signal.SIGSEGV)
"""


class Killed:
    """A run with a folder for temporary files of its own."""

    def __init__(self, executable, tmp_path, mode, suite):
        self.executable, self.folder = executable, tmp_path
        self.temporary = tmp_path / "tmp"
        self.temporary.mkdir()
        (tmp_path / "own.toml").write_text(TARGET.format(mode=mode))
        (tmp_path / "suite.py").write_text(suite)

    def start(self, store, *options):
        what = (
            () if "--resume" in options else ("--target", "selftest/cpu", "--suite", "./suite.py")
        )
        return subprocess.Popen(
            [self.executable, "--config", "own.toml", "run", "--store", store, *what]
            + ["--python", sys.executable, "-j", "2", *options],
            cwd=self.folder,
            env={
                **os.environ,
                "SEAMARK_CACHE": str(self.folder / "cache"),
                "SEAMARK_LOCKS": str(self.folder / "locks"),
                "TMPDIR": str(self.temporary),
            },
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    def left(self):
        """Processes that were started with this run's folder for temporary files, and live."""
        mark = b"TMPDIR=" + os.fsencode(self.temporary)
        found = []
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open("/proc/%s/environ" % entry, "rb") as stream:
                    ours = mark in stream.read().split(b"\0")
                with open("/proc/%s/cmdline" % entry, "rb") as stream:
                    command = stream.read().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            if ours and command:  # a zombie has none
                found.append("%s %s" % (entry, command))
        return found

    def wait_for_the_end(self):
        end = time.monotonic() + LEFT_S
        while self.left() and time.monotonic() < end:
            time.sleep(0.02)
        return self.left()

    def rows(self, store):
        """{(case, attempt): what is stored of it}; the store is whole, or not begun."""
        with sqlite3.connect("file:%s?mode=ro" % (self.folder / store), uri=True) as opened:
            rows = []
            if opened.execute("SELECT count(*) FROM sqlite_master").fetchone() != (0,):
                rows = opened.execute(
                    "SELECT case_name, attempt, phase, outcome, fail_message FROM results"
                ).fetchall()
            assert opened.execute("PRAGMA quick_check").fetchall() == [("ok",)]
        opened.close()
        found = {(row[0], row[1]): row[2:] for row in rows}
        assert len(found) == len(rows), "duplicates"
        return found


def verdicts(rows):
    """{case: outcomes, those that were timed apart}. Which of two like failures is confirmed is chance."""
    found = {}
    for (case, _), (phase, outcome, _) in sorted(rows.items()):
        found.setdefault(case, set()).add((phase == "timing", outcome))
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")
@pytest.mark.parametrize("mode", ["fork", "persistent"])
def test_a_worker_ends_with_its_supervisor(executable, tmp_path, mode):
    begun = tmp_path / "begun"
    killed = Killed(executable, tmp_path, mode, ENDLESS.format(begun=str(begun)))
    process = killed.start("s.db")
    try:
        end = time.monotonic() + 60
        while not begun.exists() and process.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
        assert len(killed.left()) >= (3 if mode == "fork" else 2)
        process.kill()
        process.wait()
        assert killed.wait_for_the_end() == []
        assert len(os.listdir(killed.temporary)) == 1
        killed.start("next.db", "--timeout", "0.5", "--no-confirm").communicate(timeout=60)
        assert os.listdir(killed.temporary) == []
    finally:
        process.kill()
        process.communicate()
        for line in killed.left():
            os.kill(int(line.split()[0]), signal.SIGKILL)


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")
@pytest.mark.parametrize("mode", ["fork", "persistent"])
def test_killed_at_random_moments(executable, tmp_path, mode, drawn_seed):
    draw = random.Random(drawn_seed)
    killed = Killed(executable, tmp_path, mode, SUITE)
    start = time.monotonic()
    assert killed.start("whole.db").wait(120) == 0
    longest = time.monotonic() - start
    whole = verdicts(killed.rows("whole.db"))
    assert len(whole) == 11
    kills = runs = 0
    while kills < KILLS:
        store = "s%d.db" % runs
        runs += 1
        kept = {}
        while True:
            exists = (killed.folder / store).exists()
            process = killed.start(store, *(["--resume"] if exists else []))
            end = time.monotonic() + draw.uniform(0.05, longest)
            while process.poll() is None and time.monotonic() < end and kills < KILLS:
                time.sleep(0.01)
            if kills < KILLS:
                process.kill()
            _, said = process.communicate(timeout=120)
            if process.returncode == 0:
                break
            if (
                process.returncode != -signal.SIGKILL
            ):  # nothing to go on with: not begun, or finished
                assert not kept or verdicts(kept) == whole, said
                break
            kills += 1
            assert killed.wait_for_the_end() == []
            if not (killed.folder / store).exists():
                continue
            rows = killed.rows(store)
            assert kept.items() <= rows.items()
            kept = rows
        if process.returncode == 0:
            rows = killed.rows(store)
            assert kept.items() <= rows.items()
            assert verdicts(rows) == whole
    assert killed.start("last.db").wait(120) == 0
    assert os.listdir(killed.temporary) == []
    print("%d kills, %d runs" % (kills, runs))
