"""`kill -9` of the supervisor: its workers end with it, what it had committed stays, the next start clears its folders."""

import collections
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time

import pytest
from agent_client import config_of
from soak import EVERY_FRAMEWORK

LEAST = {"selftest": 6}  # kills in each worker mode; of a real framework 2
ENOUGH = {"selftest": 500}  # in a soak; of a real framework 50
LEFT_S = 2  # processes may take so long to be gone
ENDLESS = """
import tempfile
from seamark_suites.case import case


@case("selftest.os.getpid", reference="none")
def endless(t):
    tempfile.mkstemp()
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


@case("selftest.time.sleep", reference="none", timeout_s=0.3)
def hangs(t):
    t.call("selftest.time.sleep", 300)
"""
FRAMEWORK_SUITE = """
import os, signal, time
from seamark_suites.case import case


@case("{add}", dtypes="f32 i32", shapes="8 3x4")
def adds(t, dtype, shape):
    return t.call("{add}", t.randint(shape, dtype, 1, 9), t.randint(shape, dtype, 1, 9))


@case("{total}", dtypes="f32", shapes="8", grad=True)
def sums(t, dtype, shape):
    return t.call("{total}", t.randn(shape, dtype))


@case("{add}", n=[0, 1], reference="none")
def fails(t, n):
    t.expect(n == 2, "%d" % n)


@case("{add}", reference="none")
def sleeps(t):
    t.call(time.sleep, 0.05)


@case("{add}", reference="none")
def dies(t):
    os.kill(os.getpid(), signal.SIGSEGV)
"""
SUITES = {
    "selftest": SUITE,
    "torch": FRAMEWORK_SUITE.replace("{add}", "torch.add").replace("{total}", "torch.sum"),
    "tensorflow": FRAMEWORK_SUITE.replace("{add}", "tf.add").replace("{total}", "tf.reduce_sum"),
    "jax": FRAMEWORK_SUITE.replace("{add}", "jax.numpy.add").replace("{total}", "jax.numpy.sum"),
}
CASES = {"selftest": 12, "torch": 9, "tensorflow": 9, "jax": 9}


class Killed:
    """A run with a folder for temporary files of its own."""

    def __init__(
        self, executable, tmp_path, mode, suite, framework="selftest", python=sys.executable
    ):
        self.executable, self.folder = executable, tmp_path
        self.target, self.python = "%s/cpu" % framework, python
        self.workers = "2"
        self.temporary = tmp_path / "tmp"
        self.temporary.mkdir()
        (tmp_path / "own.toml").write_text(config_of(mode, framework, memory_limit="none"))
        (tmp_path / "suite.py").write_text(suite)

    def start(self, store, *options):
        what = () if "--resume" in options else ("--target", self.target, "--suite", "./suite.py")
        return subprocess.Popen(
            [self.executable, "--config", "own.toml", "run", "--store", store, *what]
            + ["--python", self.python, "-j", self.workers, *options],
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
        """Processes that were started with this run's folder of locks, and live."""
        mark = b"SEAMARK_LOCKS=" + os.fsencode(self.folder / "locks")
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

    def end_what_is_left(self):
        for line in self.left():
            os.kill(int(line.split()[0]), signal.SIGKILL)

    def rows(self, store):
        """[(case, attempt, phase, outcome)] of a store that is whole, or not begun; else sqlite3.Error."""
        if not (self.folder / store).exists():
            return []
        opened = sqlite3.connect("file:%s?mode=ro" % (self.folder / store), uri=True)
        try:
            rows = []
            if opened.execute("SELECT count(*) FROM sqlite_master").fetchone() != (0,):
                rows = opened.execute(
                    "SELECT case_name, attempt, phase, outcome FROM results"
                ).fetchall()
            found = opened.execute("PRAGMA quick_check").fetchall()
            if found != [("ok",)]:
                raise sqlite3.DatabaseError(str(found))
            return rows
        finally:
            opened.close()

    def acknowledged(self, store):
        """The rows that another process sees at this moment; none while the store is being made."""
        try:
            return self.rows(store)
        except sqlite3.Error:
            return []


def duplicates(rows):
    """How often an attempt is there twice, or a case was checked anew though its answer was stored."""
    attempts = collections.Counter(row[:2] for row in rows)
    checks = collections.Counter(case for case, _, phase, _ in rows if phase == "correctness")
    return sum(attempts.values()) - len(attempts) + sum(checks.values()) - len(checks)


def verdicts(rows):
    """{case: outcomes, those that were timed apart}. Which of two like failures is confirmed is chance."""
    found = {}
    for case, _, phase, outcome in rows:
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
        killed.end_what_is_left()


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")
@pytest.mark.soak(figure=1)
@pytest.mark.parametrize("mode", ["fork", "persistent"])
@EVERY_FRAMEWORK
def test_killed_at_random_moments(
    executable, tmp_path, framework_python, framework, mode, drawn_seed, soak
):
    """A run is killed, and gone on with, until it has finished; then the next one, until there are kills enough."""
    python = sys.executable if framework == "selftest" else framework_python(framework)

    def lane(number, folder):
        killed = Killed(executable, folder, mode, SUITES[framework], framework, python)
        draw = random.Random("%d %d" % (drawn_seed, number))
        try:
            kill_and_go_on(killed, framework, mode, draw, soak)
        finally:
            killed.end_what_is_left()

    soak.side_by_side(lane, tmp_path)


def kill_and_go_on(killed, framework, mode, draw, soak):
    start = time.monotonic()
    process = killed.start("whole.db")
    _, said = process.communicate(timeout=300)
    assert process.returncode == 0, said
    longest = time.monotonic() - start
    whole = verdicts(killed.rows("whole.db"))
    assert len(whole) == CASES[framework], said
    assert os.listdir(killed.temporary) == []

    def more():
        least, enough = LEAST.get(framework, 2), ENOUGH.get(framework, 50)
        return soak.more(soak.tries(framework), least, enough)

    def check(store, kept, tries):
        """The rows that are stored now, after counting what is wrong with them; None where it cannot be read."""
        left = killed.wait_for_the_end()
        killed.end_what_is_left()
        rows, unreadable = [], None
        try:
            rows = killed.rows(store)
        except sqlite3.Error as error:
            unreadable = error
        lost = set() if unreadable else set(kept) - set(rows)
        twice = duplicates(rows)
        soak.count(framework, tries, results_lost=len(lost), duplicates=twice,
                   stores_unreadable=int(unreadable is not None), processes_left=len(left),
                   verdicts_changed=0, folders_left=0)  # fmt: skip
        if lost or twice or unreadable or left:
            soak.say("%s, %s: lost %s, twice %d, unreadable: %s, left %s, the run said: %s"
                     % (mode, store, sorted(lost), twice, unreadable, left, said))  # fmt: skip
        return None if unreadable else rows

    runs = 0
    while more():
        store = "s%d.db" % runs
        runs += 1
        # --refresh: the environment is asked again, in processes of its own.
        kept, options = [], ["--refresh"] if draw.random() < 0.25 else []
        killed.workers = draw.choice("12")
        while True:
            process = killed.start(store, *options)
            moment = time.monotonic() + draw.uniform(0, longest)
            once_more = more()
            while once_more and process.poll() is None and time.monotonic() < moment:
                time.sleep(0.005)
            if once_more:
                kept += killed.acknowledged(store)
                process.kill()
            _, said = process.communicate(timeout=300)
            ended = process.returncode
            kept = check(store, kept, int(ended == -signal.SIGKILL))
            if kept is None:
                break
            if ended == -signal.SIGKILL:
                options = ["--resume"] if (killed.folder / store).exists() else []
            elif ended != 0 and options == ["--resume"] and not kept:
                options = []  # killed before there was a run to go on with
            else:
                changed = {name for name in whole if verdicts(kept).get(name) != whole[name]}
                folders = os.listdir(killed.temporary) if ended == 0 else ()
                soak.count(framework, 0, verdicts_changed=len(changed), folders_left=len(folders))
                if changed or folders:
                    soak.say("%s, %s, exit %d: changed %s, folders left %s, the run said: %s"
                             % (mode, store, ended, sorted(changed), folders, said))  # fmt: skip
                break
