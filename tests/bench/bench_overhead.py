#!/usr/bin/env python3
"""What Seamark adds to a trivial case, beside pytest and a bare fork, in the same run.

    scripts/bench bench_overhead
    tests/bench/bench_overhead.py --seamark build/release/bin/seamark --python ENV/bin/python

2,000 trivial cases, with the framework imported where the cases run. CPU is user + system time of the
whole process tree; the cost of starting (a run of one case) is subtracted. Prints a Markdown table and
exits 1 where a limit of docs/performance.md is missed.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path

CASES = 2000
SUITE = """
from seamark_suites.case import case

@case("selftest.os.getpid", reference="none", i=list(range({n})))
def trivial(t, i):
    t.expect(t.call("selftest.os.getpid") > 0, "a process id")
"""
CONFIG = """
[[target]]
name = "selftest/cpu"
summary = "trivial cases beside an imported framework"
adapter = "selftest"
device = "cpu"
environments = []
worker = "{mode}"
options = {{ import = "{module}" }}
"""
PYTEST = """
import os
import {module}
import pytest

@pytest.mark.parametrize("i", range({n}))
def test_trivial(i):
    assert os.getpid() > 0
"""
BARE_FORK = """
import gc, os, sys
sys.path.insert(0, {python!r})
import {module}, numpy
from seamark_agent import worker
from seamark_suites import case
gc.collect(); gc.freeze()
for _ in range({n}):
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
"""


def cost(command, cwd, env=None):
    """(CPU seconds, wall seconds) of a command and all it starts."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(
            "%s failed (%d):\n%s%s"
            % (command, done.returncode, done.stdout[-3000:], done.stderr[-3000:])
        )
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def per_case(makers, rounds):
    """For each maker the CPU and wall ms of one case: (median cost of CASES - median cost of 1) / (CASES - 1).

    The makers take turns, so that a noisy minute meets all of them.
    """
    for make in makers:
        make(1)  # fills caches: the file system's, and what Seamark keeps of an environment
    costs = [[(make(1), make(CASES)) for make in makers] for _ in range(rounds)]

    def median(maker, which, kind):
        return statistics.median(turn[maker][which][kind] for turn in costs)

    return [
        [(median(i, 1, kind) - median(i, 0, kind)) / (CASES - 1) * 1e3 for kind in (0, 1)]
        for i in range(len(makers))
    ]


def seamark(options, folder, mode):
    def make(n):
        work = folder / ("%s-%d" % (mode, n))
        work.mkdir(exist_ok=True)
        (work / "seamark.toml").write_text(CONFIG.format(mode=mode, module=options.module))
        suite = work / "trivial.py"
        suite.write_text(SUITE.format(n=n))
        store = work / "bench.db"
        for old in work.glob("bench.db*"):
            if old.is_file():
                old.unlink()
        command = [options.seamark, "run", "--config", "seamark.toml", "--target", "selftest/cpu", "--suite", str(suite), "--python",
                   options.python, "--store", str(store), "--no-timing", "--recheck", "0", "--jobs", "1"]  # fmt: skip
        return cost(command, work)

    return make


def with_pytest(options, folder, *flags):
    def make(n):
        work = folder / ("pytest-%d" % n)
        work.mkdir(exist_ok=True)
        (work / "test_trivial.py").write_text(PYTEST.format(n=n, module=options.module))
        environment = dict(os.environ, PYTHONPATH=site_packages(options.python))
        command = [
            options.pytest_python,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            *flags,
            "test_trivial.py",
        ]
        return cost(command, work, environment)

    return make


def bare_fork(options, folder):
    python = str(Path(__file__).resolve().parents[2] / "python")

    def make(n):
        code = BARE_FORK.format(python=python, module=options.module, n=n)
        return cost([options.python, "-c", textwrap.dedent(code)], folder)

    return make


def interpreter_of(seamark, target):
    """The interpreter that Seamark would run a target with."""
    command = [seamark, "targets", "--no-config", "--target", target, "--json"]
    found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)[
        "targets"
    ][0]
    if not found["usable"]:
        sys.exit("%s is not usable here: %s" % (target, found["reason"]))
    return found["interpreter"]


def site_packages(python):
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    return subprocess.run(
        [python, "-c", code], capture_output=True, text=True, check=True
    ).stdout.strip()


def pytest_environment(folder, python):
    """pytest-forked 1.6 does not work with the newest pytest: both pinned."""
    target = folder / "pytest-env"
    subprocess.run([python, "-m", "venv", str(target)], check=True)
    subprocess.run(
        [str(target / "bin" / "pip"), "install", "-q", "pytest==7.4.4", "pytest-forked==1.6.0"],
        check=True,
    )
    return str(target / "bin" / "python")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seamark", default=os.environ.get("SEAMARK_TEST_EXECUTABLE", "seamark"))
    parser.add_argument(
        "--python", help="an interpreter with the module and NumPy (default: that of torch/cpu)"
    )
    parser.add_argument("--module", default="torch")
    parser.add_argument("--rounds", type=int, default=3, help="of forks; the rest runs 2N+1 times")
    options = parser.parse_args()
    options.seamark = os.path.abspath(options.seamark)
    options.python = os.path.abspath(options.python or interpreter_of(options.seamark, "torch/cpu"))
    with tempfile.TemporaryDirectory(prefix="seamark-bench-") as name:
        folder = Path(name)
        options.pytest_python = pytest_environment(folder, options.python)
        shared = [seamark(options, folder, "persistent"), with_pytest(options, folder)]
        forks = [
            seamark(options, folder, "fork"),
            bare_fork(options, folder),
            with_pytest(options, folder, "--forked"),
        ]
        labels = ["seamark, persistent", "pytest, parametrized",
                  "seamark, fork", "bare fork and exit", "pytest --forked"]  # fmt: skip
        found = per_case(shared, 2 * options.rounds + 1) + per_case(forks, options.rounds)
        rows = list(zip(labels, found, strict=True))
    print(
        "| %d trivial cases, %s imported | CPU ms a case | wall ms a case |\n|---|---|---|"
        % (CASES, options.module)
    )
    for label, (cpu, wall) in rows:
        print("| %s | %.3f | %.3f |" % (label, cpu, wall))
    figures = dict(rows)
    persistent, fork, bare = (
        figures["seamark, persistent"],
        figures["seamark, fork"],
        figures["bare fork and exit"],
    )
    limits = [
        ("persistent: at most 0.6 ms CPU", persistent[0] <= 0.6),
        ("persistent: at most 1 ms wall", persistent[1] <= 1.0),
        ("fork: at most 2 ms CPU above a bare fork", fork[0] - bare[0] <= 2.0),
    ]
    for text, held in limits:
        print("- %s: %s" % (text, "held" if held else "MISSED"))
    return 0 if all(held for _, held in limits) else 1


if __name__ == "__main__":
    sys.exit(main())
