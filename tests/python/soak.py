"""The figures of docs/reliability.md: how often something was tried, and what went wrong.

A test that belongs to a figure is marked `soak(figure=N)` and takes the fixture `soak`, which says how long to go on
and counts. Such a test is short in `scripts/test`. `scripts/soak MINUTES` gives it its part of the time, and makes the
table of what was counted.
"""

import argparse
import collections
import concurrent.futures
import datetime
import json
import os
import platform
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "docs" / "reliability.md"
BEGIN, END = "<!-- scripts/soak writes from here -->", "<!-- to here -->"
# Figure: what is tried, and its part of the time.
FIGURES = {
    1: ("SIGKILL of the supervisor at a random moment, then `--resume`", 6),
    2: ("power cut behind any write, sync, rename or unlink of the store", 1),
    3: ("faults injected into cases and workers", 2),
    4: ("hangs, one inside a framework's C++", 2),
    5: ("processes left behind by cases", 1),
    6: ("cases that poison their process, in shuffled orders", 4),
    7: ("hostile workers, and fuzzing with sanitizers", 1),
    8: ("hostile files", 1),
    9: ("hostile texts in every field and format, opened in a browser", 2),
    10: ("the disk is full, quota, limit of file sizes, read-only halfway", 1),
    11: ("several processes on one store, and folders that cannot be written", 1),
    12: ("all C++ tests with sanitizers", 0),
}


def drawn(items, count):
    """`count` of these by the run's seed, in their order: what would take long. In a soak, and with SEAMARK_TEST_SHARE=1, all."""
    items = list(items)
    if "SEAMARK_SOAK_S" in os.environ or float(os.environ.get("SEAMARK_TEST_SHARE") or 0) == 1:
        return items
    draw = random.Random("%s of %s" % (os.environ.get("SEAMARK_TEST_SEED") or 0, items))
    return [items[place] for place in sorted(draw.sample(range(len(items)), count))]


FRAMEWORKS = drawn(["torch", "tensorflow", "jax"], 1)
# Of a test of a figure: selftest anywhere, a real framework where there is time.
EVERY_FRAMEWORK = pytest.mark.parametrize(
    "framework",
    ["selftest"]
    + [pytest.param(name, marks=[pytest.mark.framework, pytest.mark.long]) for name in FRAMEWORKS],
)

# Runs a command and says its status and its memory, of its helpers too. A small process: what starts another is counted
# into that one's memory.
RUNNER = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:])
_, status, usage = os.wait4(process.pid, 0)
with open(os.environ["MEASURED"], "w") as stream:
    stream.write("%d %d" % (os.waitstatus_to_exitcode(status), usage.ru_maxrss >> 10))
"""


class Soak:
    """Counts tries, and those that went wrong, by what went wrong; goes on after a fault, and fails at its end."""

    def __init__(self, seconds, lanes=1):
        self._end = time.monotonic() + seconds
        self.lanes = lanes  # how many tries go side by side
        self.counts = {}
        self._said = []
        self._lock = threading.Lock()

    def side_by_side(self, work, folder):
        """work(LANE, its folder) in a thread for each lane. When one raises, the others begin no more tries."""

        def lane(number):
            own = folder / ("lane%d" % number)
            own.mkdir()
            try:
                work(number, own)
            except BaseException:
                self._end = 0
                raise

        with concurrent.futures.ThreadPoolExecutor(self.lanes) as pool:
            for done in [pool.submit(lane, number) for number in range(self.lanes)]:
                done.result()

    def tries(self, what):
        return self.counts.get(what, {"tries": 0})["tries"]

    def more(self, made, least, enough=float("inf")):
        """Whether to go on after `made` tries: up to `least`, in a soak up to `enough` until its time is over."""
        return made < least or (made < enough and time.monotonic() < self._end)

    def count(self, what, tries=1, **wrong):
        """`tries` more of `what`; `wrong` are numbers by name, with _ for a space: results_lost=0."""
        with self._lock:
            counted = self.counts.setdefault(what, {"tries": 0, "wrong": {}})
            counted["tries"] += tries
            for name, number in wrong.items():
                name = name.replace("_", " ")
                counted["wrong"][name] = counted["wrong"].get(name, 0) + number

    def say(self, text):
        """What went wrong, for who reads the failure."""
        self._said.append(text)

    def check(self):
        wrong = {
            what: one["wrong"] for what, one in self.counts.items() if any(one["wrong"].values())
        }
        assert not wrong, "%s\n%s" % (wrong, "\n".join(self._said[:20]))


WAITING = pytest.StashKey()  # [when the figure's time is over, how many of its tests are to come]


@pytest.fixture
def soak(request):
    """A Soak with this test's part of the figure's time, SEAMARK_SOAK_S: of what earlier tests left."""
    session = request.session
    if WAITING not in session.stash:
        seconds = float(os.environ.get("SEAMARK_SOAK_S", "0"))
        tests = sum("soak" in item.fixturenames for item in session.items)
        session.stash[WAITING] = [time.monotonic() + seconds, tests]
    end, tests = session.stash[WAITING]
    session.stash[WAITING][1] = tests - 1
    # Most of a try is waiting: for a moment, for the end of processes.
    lanes = 2 * (os.cpu_count() or 1) if "SEAMARK_SOAK_S" in os.environ else 1
    found = Soak((end - time.monotonic()) / max(1, tests), lanes)
    yield found
    request.node.user_properties.append(("soak", json.dumps(found.counts)))
    found.check()


# --- the table


class Row:
    """What one figure came to."""

    def __init__(self):
        self.tries = collections.Counter()
        self.wrong = collections.Counter()
        self.faults = []
        self.not_shown = []

    def add(self, counts):
        for what, one in counts.items():
            self.tries[what] += one["tries"]
            self.wrong.update(dict.fromkeys(one["wrong"], 0))  # a zero counts as measured
            self.wrong.update(one["wrong"])

    def read(self, results):
        for case in ElementTree.parse(results).iter("testcase"):
            for one in case.iter("property"):
                if one.get("name") == "soak":
                    self.add(json.loads(one.get("value")))
            if case.find("failure") is not None or case.find("error") is not None:
                self.faults.append(case.get("name"))
            skipped = case.find("skipped")
            if skipped is not None:
                self.not_shown.append(skipped.get("message") or case.get("name"))

    def cells(self):
        tries = ", ".join("%s %s" % (what, format(n, ",")) for what, n in self.tries.items())
        wrong = ", ".join("%s %s" % (what, format(n, ",")) for what, n in self.wrong.items())
        if self.faults:
            wrong += "; FAILED: %s" % ", ".join(self.faults)
        missing = "; ".join(dict.fromkeys(self.not_shown))
        return tries or "-", wrong or "-", missing


def measure(figure, seconds, long):
    row = Row()
    mark = "soak(figure=%d)" % figure
    # In this order: modules of tests/python import its conftest by name, and the last one has the name.
    paths = [path for name in ("browser", "python") for path in sorted(ROOT.glob("tests/%s/test_*.py" % name))]  # fmt: skip
    paths = [path for path in paths if mark in path.read_text("utf-8")]
    if not paths:
        return row
    with tempfile.TemporaryDirectory() as folder:
        results = os.path.join(folder, "results.xml")
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junitxml", results,
             "-m", mark + ("" if long else " and not long"), *paths],
            cwd=ROOT, env=dict(os.environ, SEAMARK_SOAK_S=str(seconds)), capture_output=True, text=True,
        )  # fmt: skip
        if done.returncode not in (0, 5):  # 5: no such test
            log = ROOT / "build" / ("soak-%d.log" % figure)
            log.write_text(done.stdout + done.stderr)
            sys.stderr.write("%s: %s\n" % (log.relative_to(ROOT), done.stdout[-3000:]))
        if os.path.exists(results):
            row.read(results)
        else:
            row.faults.append("pytest ended with %d" % done.returncode)
    return row


def fuzz(row, seconds):
    """libFuzzer on every target, `seconds` each at most, or as many inputs as the figure asks for."""
    done = subprocess.run(
        ["scripts/check", "--fuzz-seconds", str(seconds), "--fuzz-runs", "1000000", "fuzz"],
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    line = r"(\w+)_fuzz, \d+ s\n.*?(\d+) inputs, ([\d.]+) s of a processor"
    found = re.findall(line, done.stderr, re.DOTALL)
    for name, inputs, _ in found:
        row.add({"inputs of %s" % name: {"tries": int(inputs), "wrong": {"findings": 0}}})
    hours = round(sum(float(seconds) for *_, seconds in found) / 3600, 1)
    row.add({"hours of a processor": {"tries": hours, "wrong": {}}})
    if done.returncode != 0:
        row.faults.append("scripts/check fuzz")
        sys.stderr.write(done.stderr[-4000:])


def sanitize(row):
    """The C++ tests of every sanitizer's build."""
    # ThreadSanitizer does not bear much address space randomization.
    still = ["setarch", platform.machine(), "-R"]
    if subprocess.run([*still, "true"], capture_output=True).returncode != 0:
        still = []
    for preset, step in (("asan", "ASan and UBSan"), ("tsan", "TSan")):
        build = subprocess.run(
            "cmake --preset %s -DSEAMARK_TESTS=ON && cmake --build --preset %s -j %d"
            % (preset, preset, os.cpu_count() or 1),
            shell=True, cwd=ROOT, capture_output=True, text=True,
        )  # fmt: skip
        if build.returncode != 0:
            row.faults.append("the build with %s" % step)
            continue
        done = subprocess.run(
            [*still, "ctest", "--preset", preset, "-j", str(os.cpu_count() or 1)],
            cwd=ROOT, capture_output=True, text=True,
        )  # fmt: skip
        found = re.search(r"(\d+) tests failed out of (\d+)", done.stdout)
        if found is None:
            row.faults.append("ctest with %s" % step)
            continue
        row.add(
            {"tests with %s" % step: {"tries": int(found[2]), "wrong": {"failures": int(found[1])}}}
        )


def line_of(figure, row, minutes, is_long, seconds):
    """Its line of the table."""
    tries, wrong, missing = row.cells()
    if not is_long:
        missing = "; ".join(filter(None, [missing, "what takes 30 minutes"]))
    today = datetime.date.today().isoformat()
    measured = "%s, %d min of %g" % (today, round(seconds / 60), minutes)
    cells = [FIGURES[figure][0], tries, wrong, missing, measured]
    cells = [cell.replace("|", "\\|").replace("\n", " ") for cell in cells]
    return "| %d | %s |" % (figure, " | ".join(cells))


def table(lines):
    """The table of these lines, {figure: line}."""
    head = [
        BEGIN,
        "",
        "%d processors, %s %s."
        % (os.cpu_count() or 1, platform.system(), platform.release().split("-")[0]),
        "",
        "| # | what is done | tries | what went wrong | not shown | measured |",
        "|---|---|---|---|---|---|",
    ]
    return "\n".join([*head, *(lines[figure] for figure in sorted(lines)), "", END])


def written(text, lines):
    """docs/reliability.md with these lines; those of other figures stay."""
    before, _, rest = text.partition(BEGIN)
    old, _, after = rest.partition(END)
    kept = {
        int(found[1]): found[0] for found in re.finditer(r"^\| (\d+) \|.*\|$", old, re.MULTILINE)
    }
    return before + table({**kept, **lines}) + after


def main():
    parser = argparse.ArgumentParser(prog="scripts/soak", description=__doc__.split("\n")[0])
    parser.add_argument("minutes", type=float, nargs="?", default=30, help="default: 30")
    parser.add_argument(
        "--figure",
        type=int,
        action="append",
        choices=FIGURES,
        help="only this one; may be repeated",
    )
    parser.add_argument(
        "--write", action="store_true", help="put these lines into docs/reliability.md"
    )
    options = parser.parse_args()
    chosen = options.figure or list(FIGURES)
    parts = sum(FIGURES[figure][1] for figure in chosen) or 1
    # A sanitizer's build takes minutes before anything is measured, a run with a real framework one.
    is_long = options.minutes >= 30
    measured_s = options.minutes * 60 * (0.5 if is_long and {7, 12} & set(chosen) else 1)
    rows, lines = {}, {}
    for figure in chosen:
        start = time.monotonic()
        sys.stderr.write("%d: %s\n" % (figure, FIGURES[figure][0]))
        rows[figure] = row = measure(figure, measured_s * FIGURES[figure][1] / parts, is_long)
        if figure == 7 and is_long:
            part = 0.5 if options.figure == [7] else 0.2
            targets = len(list((ROOT / "tests" / "fuzz").glob("*_fuzz.cc")))
            fuzz(row, max(3, int(options.minutes * 60 * part / targets)))
        if figure == 12 and is_long:
            sanitize(row)
        seconds = time.monotonic() - start
        lines[figure] = line_of(figure, row, options.minutes, is_long, seconds)
    sys.stdout.write(table(lines) + "\n")
    if options.write:
        TABLE.write_text(written(TABLE.read_text(), lines))
    wrong = [figure for figure, row in rows.items() if row.faults or any(row.wrong.values())]
    if wrong:
        sys.stderr.write("not held: %s\n" % ", ".join(map(str, wrong)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
