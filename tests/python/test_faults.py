"""Cases that turn on Seamark itself, in real workers of a real run: each is blamed itself, its neighbours keep their
results."""

import os
import random
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import fault_kinds
import pytest
from agent_client import config_of
from soak import FRAMEWORKS

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
    (tmp_path / "own.toml").write_text(config_of(mode, memory_limit="none"))
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


FORKS = """
import os
from seamark_suites.case import case


@case("selftest.os.getpid", reference="none", number=list(range(4)))
def forks(t, number):
    t.expect(t.call("selftest.os.getpid") > 0, "a process id")
    for _ in range(3):
        os.fork()
"""


@pytest.mark.parametrize("mode", ["fork", "persistent", "process"])
def test_of_processes_that_come_back_from_a_case_one_answers(executable, tmp_path, mode):
    (tmp_path / "forks.py").write_text(FORKS)
    outcomes = outcomes_of(executable, tmp_path, mode, "./forks.py", timeout_s=5)
    assert list(outcomes.values()) == ["pass"] * 4, outcomes


# --- the kinds of fault_kinds.py

KINDS_A_RUN = {"fork": 20, "persistent": 8, "process": 5}
EVERY = list(KINDS_A_RUN)
ENOUGH = 80  # faults in each worker mode beside each framework, in a soak; kinds that differ


def inject(executable, folder, framework, mode, names, python, *options, limit="rlimit", within=()):
    """[(kind, outcome, reason or message)] in the order of `names`, with a neighbour, "good", after each; where each case has
    a process of its own, which imports its framework, after every fourth."""
    folder.mkdir()
    (folder / "own.toml").write_text(
        config_of(mode, framework, memory_limit=limit, memory_mib=fault_kinds.MEMORY_MIB)
    )
    apart = 4 if mode == "process" else 1
    order = ["good"]
    for number, name in enumerate(names, 1):
        order += [name, "good"] if number % apart == 0 or number == len(names) else [name]
    (folder / "suite.py").write_text(fault_kinds.suite(framework, mode, order))
    done = subprocess.run(
        [*within, executable, "--config", "own.toml", "run", "--target", framework + "/cpu"]
        + ["--suite", "./suite.py", "--store", "s.db", "--python", python, "--no-timing"]
        + ["-j", "1", "--recheck", "0", *(options or ["--no-confirm"])],
        cwd=folder,
        env={**os.environ, "SEAMARK_CACHE": str(folder.parent / "cache")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=3000,
    )
    assert (folder / "s.db").exists(), done.stdout
    store = sqlite3.connect(folder / "s.db")
    rows = store.execute(
        "SELECT case_name, outcome, coalesce(reason, '') || coalesce(fail_message, '')"
        " FROM results ORDER BY attempt_id"
    ).fetchall()
    store.close()
    found = {}
    for name, outcome, text in rows:
        found.setdefault(int(name.split("/c")[1].split("_")[0]), []).append((outcome, text[:300]))
    assert sorted(found) == list(range(len(order))), done.stdout[-3000:]
    return [(order[number], found[number]) for number in sorted(found)]


def count_faults(soak, framework, what, found):
    """Counts as `what`: each fault is blamed as what it is, each neighbour passes."""
    known, before = fault_kinds.kinds(framework), None
    for name, attempts in found:
        outcomes = [outcome for outcome, _ in attempts]
        if name == "good":
            wrong = outcomes != ["pass"]
            soak.count(what, 0, neighbours_changed=wrong)
        else:
            wrong = not set(outcomes) <= set(known[name][0].split())
            soak.count(what, 1, blamed_wrong=wrong)
        if wrong:
            soak.say("%s: %s after %s: %s" % (what, name, before, attempts))
        before = name


def inject_many(executable, soak, folder, framework, mode, python, seed, a_run):
    """Runs of so many faults: one, in a soak as many as there is time for, up to ENOUGH faults."""
    draw = random.Random("%d %s %s" % (seed, framework, mode))
    drawn = draw.sample(sorted(fault_kinds.kinds(framework)), ENOUGH)
    runs = enumerate(drawn[start : start + a_run] for start in range(0, ENOUGH, a_run))
    what = "%s, %s" % (framework, mode)

    def lane(_, folder):
        while soak.more(soak.tries(what), 1, ENOUGH):
            made, names = next(runs, (None, None))
            if names is None:
                break
            found = inject(executable, folder / str(made), framework, mode, names, python)
            count_faults(soak, framework, what, found)

    soak.side_by_side(lane, folder)


@pytest.mark.soak(figure=3)
@pytest.mark.parametrize("mode", EVERY)
def test_a_fault_is_blamed_on_its_case(executable, soak, tmp_path, mode, drawn_seed):
    a_run = KINDS_A_RUN[mode]
    inject_many(executable, soak, tmp_path, "selftest", mode, sys.executable, drawn_seed, a_run)


@pytest.mark.long
@pytest.mark.framework
@pytest.mark.soak(figure=3)
@pytest.mark.parametrize("mode", EVERY)
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_fault_beside_a_framework(
    executable, framework_python, soak, tmp_path, framework, mode, drawn_seed
):
    python = framework_python(framework)
    inject_many(executable, soak, tmp_path, framework, mode, python, drawn_seed, 8)


@pytest.fixture
def within_memory():
    """within_memory(MIB): the words that start a program in a cgroup with so much memory; else skips."""
    made = []

    def make(mib):
        root = Path("/sys/fs/cgroup")
        old = (root / "memory").is_dir()
        group = (root / "memory" if old else root) / ("seamark-test-%d" % os.getpid())
        try:
            group.mkdir()
            made.append(group)
            limit = group / ("memory.limit_in_bytes" if old else "memory.max")
            limit.write_text(str(mib << 20))
        except OSError as error:
            pytest.skip("no cgroup with a limit of memory can be made here: %s" % error)
        return ["sh", "-c", 'echo $$ > "$0" && exec "$@"', str(group / "cgroup.procs")]

    yield make
    for group in made:
        for _ in range(100):
            try:
                group.rmdir()
                break
            except OSError:  # what the kernel ended is not gone yet
                time.sleep(0.05)


@pytest.mark.alone  # the kernel counts such ends for the whole machine
@pytest.mark.soak(figure=3)
@pytest.mark.parametrize("mode", EVERY)
def test_a_case_that_the_kernel_ends_for_want_of_memory(
    executable, soak, tmp_path, mode, within_memory
):
    names = ["memory_held", "memory_in_c", "memory_mapped", "memory_in_a_thread", "memory_slowly"]
    within = within_memory(fault_kinds.MEMORY_MIB)
    found = inject(executable, tmp_path / "run", "selftest", mode, names, sys.executable,
                   limit="none", within=within)  # fmt: skip
    count_faults(soak, "selftest", "out of a cgroup's memory, %s" % mode, found)


TWO = """
[[target]]
name = "selftest/broken"
adapter = "selftest"
device = "cpu"
worker = "{mode}"

[[target]]
name = "selftest/cpu"
adapter = "selftest"
device = "cpu"
worker = "{mode}"
"""


@pytest.mark.soak(figure=3)
def test_an_interpreter_at_fault_is_no_case_s(executable, soak, tmp_path, drawn_seed):
    """Another target of the same run keeps its results; of this one each case says why, and none is a failure."""
    draw, made = random.Random(drawn_seed), 0
    kinds = [
        (name, when) for name in fault_kinds.INTERPRETERS for when in ("always", "as a worker")
    ]
    waiting = []
    while soak.more(made, 3, ENOUGH):
        waiting = waiting or draw.sample(kinds, len(kinds))
        name, when = waiting.pop()
        mode, folder = draw.choice(EVERY), tmp_path / str(made)
        folder.mkdir()
        (folder / "own.toml").write_text(TWO.format(mode=mode))
        (folder / "suite.py").write_text(fault_kinds.suite("selftest", mode, ["good"] * 3))
        broken = folder / "python"
        text = fault_kinds.INTERPRETERS[name].format(python=sys.executable, folder=folder)
        true = '[ "$2" = worker ] || exec %s "$@"\n' % sys.executable if when != "always" else ""
        broken.write_text("#!/bin/sh\n" + true + text + "\n")
        broken.chmod(0o755)
        done = subprocess.run(
            [executable, "--config", "own.toml", "run", "--target", "selftest/*", "--suite"]
            + ["./suite.py", "--store", "s.db", "--no-timing", "-j", "1", "--recheck", "0"]
            + ["--python", "selftest/broken=%s" % broken]
            + ["--python", "selftest/cpu=" + sys.executable],
            cwd=folder,
            env={**os.environ, "SEAMARK_CACHE": str(folder / "cache")},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=300,
        )
        rows = []
        if (folder / "s.db").exists():
            store = sqlite3.connect(folder / "s.db")
            rows = store.execute("SELECT target, outcome, reason FROM results").fetchall()
            store.close()
        broken = [row for row in rows if row[0] != "selftest/cpu"]
        wrong = done.returncode not in (0, 3)
        wrong = wrong or any(outcome not in ("error", "skip") for _, outcome, _ in broken)
        wrong = wrong or len({reason for _, _, reason in broken}) > 1
        fine = [outcome for target, outcome, _ in rows if target == "selftest/cpu"]
        changed = fine != ["pass"] * 3
        soak.count("interpreters", 1, blamed_wrong=wrong, neighbours_changed=changed)
        if wrong or changed:
            soak.say("%s, %s, %s: %s %s" % (name, when, mode, rows, done.stdout[-2000:]))
        made += 1


THIEF = """
import os, re, time
from seamark_suites.case import case


def say(text):
    for fd in range(3, 64):
        try:
            os.write(fd, text.encode())
        except OSError:
            pass


@case("selftest.os.getpid", reference="none")
def c01_takes_the_nonces(t):
    t.call("selftest.os.getpid")
    time.sleep(0.3)  # the next request is there by now
    nonces = ""
    for fd in range(3, 16):
        try:
            os.set_blocking(fd, False)
            nonces += os.read(fd, 4096).decode() if os.readlink("/proc/self/fd/%d" % fd)[:4] == "pipe" else ""
        except OSError:
            pass
    keys = re.findall("[0-9a-f]{32}", nonces)
    for key in keys:
        for number in (1, 2):
            end = '{"ev":"end","id":%d,"nonce":"%s","outcome":"pass","evidence":"verified"}\\n' % (number, key)
            say(end + '{"ev":"done","id":%d,"nonce":"%s","leaked":[]}\\n' % (number, key))


@case("selftest.os.getpid", reference="none")
def c02_is_wrong(t):
    t.expect(t.call("selftest.os.getpid") < 0, "a process id below 0")
"""


@MODES
def test_no_case_answers_for_the_next_one(executable, tmp_path, mode):
    (tmp_path / "thief.py").write_text(
        "from seamark_suites.case import case\n\n\n"
        '@case("selftest.os.getpid", reference="none")\n'
        'def c00_first(t):\n    t.expect(t.call("selftest.os.getpid") > 0, "a process id")\n'
        + THIEF.replace("from seamark_suites.case import case\n", "")
    )
    outcomes = outcomes_of(executable, tmp_path, mode, "./thief.py")
    assert outcomes["c02_is_wrong"] == "fail", outcomes
    assert outcomes["c00_first"] == "pass", outcomes


KEEPER = """
from seamark_suites.case import case

KEPT = []


@case("selftest.os.getpid", reference="none", number=list(range(8)))
def keeps(t, number):
    KEPT.append(b"x" * (60 << 20))
    t.expect(t.call("selftest.os.getpid") > 0, "a process id")


@case("selftest.os.getpid", reference="none")
def takes(t):
    held = b"x" * (150 << 20)
    t.expect(len(held) > 0 and t.call("selftest.os.getpid") > 0, "a process id")
    __import__("time").sleep(0.5)  # longer than the supervisor looks away
"""


def test_what_earlier_cases_keep_is_not_charged_to_the_open_one(executable, tmp_path):
    (tmp_path / "keeper.py").write_text(KEEPER)
    limits = {"memory_limit": "watch", "memory_mib": 256}
    outcomes = outcomes_of(executable, tmp_path, "persistent", "./keeper.py", **limits)
    assert set(outcomes.values()) == {"pass"} and len(outcomes) == 9, outcomes


def outcomes_of(executable, tmp_path, mode, suite, **keys):
    """{case: the outcome of its last attempt} of a suite in one worker."""
    (tmp_path / "own.toml").write_text(config_of(mode, **keys))
    command = [
        executable,
        "--config",
        "own.toml",
        "run",
        "--target",
        "selftest/cpu",
        "--suite",
        suite,
    ]
    command += [
        "--store",
        "s.db",
        "--python",
        sys.executable,
        "--no-timing",
        "-j",
        "1",
        "--recheck",
        "0",
    ]
    done = subprocess.run(
        [*command, "--no-confirm"],
        cwd=tmp_path,
        env={**os.environ, "SEAMARK_CACHE": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        timeout=120,
    )
    with sqlite3.connect(tmp_path / "s.db") as store:
        rows = store.execute(
            "SELECT case_name, outcome FROM results ORDER BY attempt_id"
        ).fetchall()
    assert rows, done.stderr
    return {name.split("/")[1]: outcome for name, outcome in rows}
