"""Cases that turn on Seamark itself, in real workers of a real run: each is blamed itself, its neighbours keep their
results."""

import os
import sqlite3
import subprocess
import sys

import pytest

TARGET = """
[[target]]
name = "selftest/cpu"
adapter = "selftest"
device = "cpu"
worker = "{mode}"
memory_limit = "none"
"""
SUITE = '''
import os, signal
from seamark_suites.case import case

HERE = os.path.dirname(os.path.abspath(__file__))


def fine(t):
    t.expect(t.call("selftest.os.getpid") > 0, "a process id")


ANSWER = b'{"ev":"end","id":%d,"outcome":"pass","evidence":"verified"}\\n'


def forge():
    """An answer for this case, into whatever can be written to."""
    for fd in range(3, 64):
        try:
            os.write(fd, ANSWER % NUMBER)
        except OSError:
            pass


def forges_and_raises(t):
    forge()
    raise ValueError("after a forged answer")


def forges_and_dies(t):
    forge()
    os.kill(os.getpid(), signal.SIGSEGV)


def forges_and_exits(t):
    forge()
    os._exit(0)


def forges_by_another_way(t):
    wire = "/proc/%d/fd/4" % (os.getppid() if MODE == "fork" else os.getpid())
    os.write(os.open(wire, os.O_WRONLY), ANSWER % NUMBER)
    os.kill(os.getpid(), signal.SIGSEGV)


def closes_the_wire(t):
    fine(t)
    os.closerange(3, 64)


def closes_its_input(t):
    fine(t)
    os.close(3) if MODE != "fork" else os.closerange(3, 64)


def replaces_the_wire(t):
    fine(t)
    file = os.open(os.path.join(HERE, "file"), os.O_RDWR | os.O_CREAT)
    for fd in range(3, 64):
        if fd != file:
            os.dup2(file, fd)


MODE = "@MODE@"
'''
CASE = """

@case("selftest.os.getpid", reference="none")
def c{number:02}_{name}(t):
    global NUMBER
    NUMBER = {number}
    {name}(t)
"""


def run(executable, tmp_path, mode, names):
    """({case: outcomes of its attempts}, {case: reason}) of a run of these cases."""
    (tmp_path / "own.toml").write_text(TARGET.format(mode=mode))
    (tmp_path / "suite.py").write_text(
        SUITE.replace("@MODE@", mode)
        + "".join(CASE.format(number=number, name=name) for number, name in enumerate(names))
    )
    done = subprocess.run(
        [executable, "--config", "own.toml", "run", "--target", "selftest/cpu", "--suite"]
        + ["./suite.py", "--store", "s.db", "--python", sys.executable, "--no-timing", "-j", "1"]
        + ["--recheck", "0", "--no-confirm"],
        cwd=tmp_path,
        env={**os.environ, "SEAMARK_CACHE": str(tmp_path / "cache")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
    )
    store = sqlite3.connect(tmp_path / "s.db")
    rows = store.execute(
        "SELECT case_name, outcome, reason FROM results ORDER BY attempt_id"
    ).fetchall()
    assert rows, done.stdout
    outcomes, reasons = {}, {}
    for name, outcome, reason in rows:
        short = name.split("/")[1][4:]
        outcomes.setdefault(short, []).append(outcome)
        reasons[short] = reason
    store.close()
    return outcomes, reasons


MODES = pytest.mark.parametrize("mode", ["fork", "persistent"])


@MODES
def test_a_forged_answer_is_an_error_of_the_case_that_forged(executable, tmp_path, mode):
    bad = ["forges_and_raises", "forges_and_dies", "forges_and_exits", "forges_by_another_way"]
    names = ["fine"] + [name for one in bad for name in (one, "fine")]
    outcomes, reasons = run(executable, tmp_path, mode, names)
    assert outcomes.pop("fine") == ["pass"] * 5, reasons
    assert outcomes == {name: ["error"] for name in bad}, reasons


@MODES
def test_a_wire_that_a_case_closes_is_its_own_fault(executable, tmp_path, mode):
    bad = ["closes_the_wire", "closes_its_input", "replaces_the_wire"]
    names = ["fine"] + [name for one in bad for name in (one, "fine")]
    outcomes, reasons = run(executable, tmp_path, mode, names)
    assert outcomes.pop("fine") == ["pass"] * 4, reasons
    assert outcomes == {name: ["error"] for name in bad}, reasons
    assert {reasons[name] for name in bad} == {"the case closed the worker's wire"}
