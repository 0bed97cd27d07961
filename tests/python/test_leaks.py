"""Processes that cases leave behind, in real workers of a real run: each is ended before the next case begins, and told with
the name of its case."""

import json
import os
import random
import sqlite3
import subprocess
import sys

import pytest
from agent_client import config_of

SUITE = '''
import ctypes, os, signal, subprocess, sys, threading, time
from seamark_suites.case import case

HERE = os.path.dirname(os.path.abspath(__file__))
LEFT, ALIVE = os.path.join(HERE, "left"), os.path.join(HERE, "alive")
SILENT = dict(stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def note(path, *words):
    with open(path, "a") as stream:
        stream.write(" ".join(map(str, words)) + "\\n")


def begun_at(process):
    """When a process began; None where it is gone, or ended."""
    try:
        with open("/proc/%d/stat" % process, errors="replace") as stream:
            fields = stream.read().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "XZ" else fields[19]


def left(process):
    note(LEFT, CASE, process, begun_at(process))


def sleeper(**options):
    process = subprocess.Popen(["sleep", "300"], **options).pid
    left(process)
    return process


def fork(body):
    """A process that runs `body` and then sleeps; this one goes on when it has come so far."""
    ready, done = os.pipe()
    process = os.fork()
    if process == 0:
        body()
        left(os.getpid())
        os.write(done, b".")
        os.closerange(min(ready, done), max(ready, done) + 1)
        time.sleep(300)
        os._exit(0)
    os.read(ready, 1)
    os.close(ready)
    os.close(done)
    return process


def orphan(body=lambda: None):
    """The same, and its parent has ended."""
    process = os.fork()
    if process == 0:
        os.setsid()
        fork(body)
        os._exit(0)
    os.waitpid(process, 0)


def silent():
    null = os.open(os.devnull, os.O_RDWR)
    for fd in range(3):
        os.dup2(null, fd)


def prctl(*arguments):
    ctypes.CDLL(None).prctl(*arguments)


def sees_who_is_left():
    with open(LEFT) as stream:
        for line in stream:
            name, process, begun = line.split()
            if begun_at(int(process)) == begun:
                note(ALIVE, name, process)
'''
KINDS = {
    "child": "sleeper(**SILENT)",
    "child_with_pipes": "sleeper()",
    "group": "sleeper(preexec_fn=os.setpgrp, **SILENT)",
    "session": "sleeper(start_new_session=True, **SILENT)",
    "session_with_pipes": "sleeper(start_new_session=True)",
    "orphan": "orphan(silent)",
    "orphan_with_pipes": "orphan()",
    "orphan_without_files": "orphan(lambda: os.closerange(0, 3))",
    "ignores_signals": "[fork(lambda: signal.signal(number, signal.SIG_IGN)) for number in (signal.SIGTERM, signal.SIGHUP)]",
    "blocks_signals": "orphan(lambda: signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals()))",
    "stopped": "os.kill(sleeper(start_new_session=True), signal.SIGSTOP)",
    "generations": "fork(lambda: fork(lambda: fork(lambda: None)))",
    "sessions_in_sessions": "fork(lambda: (os.setsid(), fork(lambda: (os.setsid(), fork(os.setsid)))))",
    "adopts_orphans": "fork(lambda: (prctl(36, 1, 0, 0, 0), orphan(), orphan(silent)))",
    "odd_name": "orphan(lambda: prctl(15, b') S 1 (\\xff', 0, 0, 0))",
    "busy": "fork(lambda: threading.Thread(target=lambda: [None for _ in iter(int, 1)]).start())",
    "many": "[sleeper(start_new_session=bool(n % 2), **SILENT) for n in range(24)]",
    "many_orphans": "[orphan(silent) for _ in range(8)]",
    "of_a_thread": "thread = threading.Thread(target=sleeper); thread.start(); thread.join()",
}
# Those that do not pass, by their outcome; persistent workers end with them.
BAD = {
    "and_raises": ("sleeper(**SILENT); orphan(); raise ValueError('on purpose')", "fail"),
    "and_crashes": (
        "sleeper(**SILENT); sleeper(start_new_session=True); orphan(silent); fork(lambda: fork(os.setsid))"
        "; os.kill(os.getpid(), signal.SIGSEGV)",
        "crash",
    ),
    "and_exits": ("sleeper(); orphan(); os._exit(0)", "crash"),
    "and_hangs": ("sleeper(start_new_session=True); orphan(silent); time.sleep(300)", "timeout"),
}
CASE = """

@case("selftest.os.getpid", reference="none"{options})
def c{number:02}_{name}(t):
    global CASE
    CASE = "c{number:02}_{name}"
    t.expect(t.call("selftest.os.getpid") > 0, "a process id")
    {body}
"""


@pytest.mark.skipif(
    sys.platform != "linux", reason="elsewhere only a process group ends with its case"
)
@pytest.mark.soak(figure=5)
@pytest.mark.parametrize("mode", ["fork", "persistent", "process"])
def test_what_a_case_starts_ends_with_it_and_is_told(executable, tmp_path, mode, drawn_seed, soak):
    (tmp_path / "own.toml").write_text(config_of(mode, memory_limit="none"))
    bodies = {**KINDS, **{name: body for name, (body, _) in BAD.items()}}
    draw = random.Random(drawn_seed)
    made = runs = 0
    while soak.more(made, 60):
        kinds, text, expected = draw.sample(list(bodies), len(bodies)), SUITE, {}
        for number, kind in enumerate(kinds):
            options = ", timeout_s=%d" % (2 if kind == "and_hangs" else 60)
            text += CASE.format(number=2 * number, name=kind, body=bodies[kind], options=options)
            text += CASE.format(
                number=2 * number + 1, name="sees", body="sees_who_is_left()", options=""
            )
            expected["c%02d_%s" % (2 * number, kind)] = BAD.get(kind, ("", "pass"))[1]
            expected["c%02d_sees" % (2 * number + 1)] = "pass"
        (tmp_path / "suite.py").write_text(text)
        for name in ("left", "alive"):
            (tmp_path / name).unlink(missing_ok=True)
        store = tmp_path / ("s%d.db" % runs)
        done = subprocess.run(
            [executable, "--config", "own.toml", "run", "--target", "selftest/cpu", "--suite"]
            + ["./suite.py", "--store", store, "--python", sys.executable, "-j", "1"]
            + ["--no-timing", "--recheck", "0", "--no-confirm"],
            cwd=tmp_path,
            env={**os.environ, "SEAMARK_CACHE": str(tmp_path / "cache")},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
        )
        with sqlite3.connect(store) as opened:
            rows = opened.execute("SELECT case_name, outcome, reason FROM results").fetchall()
            leaks = opened.execute("SELECT detail FROM events WHERE kind = 'leak'").fetchall()
        opened.close()
        found = {name.split("/")[1]: (outcome, reason) for name, outcome, reason in rows}
        changed = {n: found.get(n) for n in expected if found.get(n, ("",))[0] != expected[n]}
        left = [tuple(line.split()[:2]) for line in (tmp_path / "left").read_text().splitlines()]
        alive = set()
        if (tmp_path / "alive").exists():
            alive.update((tmp_path / "alive").read_text().splitlines())
        told = set()
        for leak in (json.loads(detail) for (detail,) in leaks):
            case = leak.get("case", "/").split("/")[1]
            told.update((case, process.rpartition("(")[2][:-1]) for process in leak["processes"])
        untold = [one for one in left if one not in told]
        false = [one for one in told if one not in left]
        soak.count("processes", len(left), alive=len(alive), not_told=len(untold),
                   told_of_another_case=len(false), outcomes_changed=len(changed))  # fmt: skip
        if alive or untold or false or changed:
            soak.say("%s: alive %s, not told %s, told of another case %s, outcomes %s\n%s"
                     % (mode, sorted(alive), untold, false, changed, done.stdout))  # fmt: skip
        made += len(left)
        runs += 1
    print("%s: %d processes, %d runs" % (mode, made, runs))
