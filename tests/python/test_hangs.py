"""Cases that hang, in real workers of a real run: each is a `timeout`, and gone within its deadline, the grace and a second;
its neighbours pass. The end is seen from outside: when the process of the case is no more."""

import os
import random
import select
import sqlite3
import subprocess
import sys
import time

import pytest
from agent_client import config_of
from soak import EVERY_FRAMEWORK

GRACE_S, MARGIN_S = 5, 1  # of a run, from TERM to KILL; of the figure
SUITE = """
import ctypes, os, signal, subprocess, sys, threading, time
from seamark_suites.case import case

BEGUN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "begun")


def begin(name):
    with open(BEGUN, "a") as stream:
        stream.write("%s %d %f\\n" % (name, os.getpid(), time.monotonic()))


def sleep():
    while True:
        time.sleep(1)
"""
HANG = """

@case("{function}", reference="none", timeout_s={timeout_s})
def c{number:02}_{name}(t):
    {before}
    begin("{name}")
    {hang}
"""
NEIGHBOUR = """

@case("{function}", reference="none")
def c{number:02}_neighbour(t):
    t.call("{function}"{arguments})
"""
# Name: how it hangs. What is before || only prepares it.
SELFTEST = {
    "busy": "while True: pass",
    "sleeps": "time.sleep(600)",
    "deadlock": "lock = threading.Lock(); lock.acquire() || lock.acquire()",
    "ignores_term": "signal.signal(signal.SIGTERM, signal.SIG_IGN) || sleep()",
    "blocks_signals": "signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals()) || sleep()",
    "reads_a_pipe": "ends = os.pipe() || os.read(ends[0], 1)",
    "waits_for_a_child": "child = subprocess.Popen(['sleep', '600']) || child.wait()",
    "joins_a_thread": "thread = threading.Thread(target=sleep); thread.start() || thread.join()",
    "in_c": "pause = ctypes.CDLL(None).pause || pause()",
    # It holds the interpreter's lock: no handler of Python's is called.
    "in_c_with_the_lock": "signal.signal(signal.SIGTERM, print); pause = ctypes.PyDLL(None).pause || pause(); pause()",
    "stops_itself": "stop = signal.SIGSTOP || os.kill(os.getpid(), stop); sleep()",
}
TORCH = {
    "loop": "unit = t.fw.jit.CompilationUnit('def f(x: int):\\n  while True:\\n    x += 1\\n') || unit.f(0)",
    "wait": "future = t.fw.futures.Future() || future.wait()",
}
TENSORFLOW = {
    "loop": "f = t.fw.function(lambda i: t.fw.while_loop(lambda i: i > -1, lambda i: (1 - i,), (i,)))"
    "; f = f.get_concrete_function(t.fw.constant(0)) || f(t.fw.constant(0))",
    "wait": "queue = t.fw.queue.FIFOQueue(1, t.fw.int32) || queue.dequeue()",
}
JAX = {
    "loop": "f = t.fw.jit(lambda i: t.fw.lax.while_loop(lambda i: i > -1, lambda i: 1 - i, i))"
    ".lower(0).compile() || f(0).block_until_ready()",
}
# Framework: a function with its arguments, deadline in seconds, hangs.
FRAMEWORKS = {
    "selftest": ("selftest.os.getpid", "", 0.5, SELFTEST),
    "torch": ("torch.numel", ", t.randn((8,), 'f32')", 4, TORCH),
    "tensorflow": ("tf.size", ", t.randn((8,), 'f32')", 4, TENSORFLOW),
    "jax": ("jax.numpy.size", ", t.randn((8,), 'f32')", 4, JAX),
}


GENERAL = 2  # of selftest's hangs, in a run of a framework's worker
ENOUGH = {"selftest": 22}  # hangs in each worker mode, in a soak; of a real framework 24


def hangs_of(framework):
    """{kind: how it hangs}: what any worker can do, and what this framework can."""
    return {**SELFTEST, **FRAMEWORKS[framework][3]}


def drawn_kinds(framework, draw):
    """A run's, in any order: all of the framework's own, and some of the others."""
    own = FRAMEWORKS[framework][3]
    others = sorted(set(SELFTEST) - set(own))
    kinds = sorted(own) + draw.sample(others, GENERAL if others else 0)
    draw.shuffle(kinds)
    return kinds


def text_of(framework, kinds):
    """A suite: each kind with neighbours on both sides."""
    function, arguments, timeout_s, _ = FRAMEWORKS[framework]
    hangs = hangs_of(framework)
    text = SUITE + NEIGHBOUR.format(number=0, function=function, arguments=arguments)
    for number, kind in enumerate(kinds):
        before, _, hang = hangs[kind].rpartition(" || ")
        text += HANG.format(function=function, timeout_s=timeout_s, number=2 * number + 1, name=kind,
                            before=before or "pass", hang=hang)  # fmt: skip
        text += NEIGHBOUR.format(number=2 * number + 2, function=function, arguments=arguments)
    return text


def watch(process, begun, limit_s):
    """{kind: seconds from where it hung to the end of its process} of a run, until the run ends."""
    watched, took, seen = {}, {}, 0  # fd of a process: (kind, when it hung)
    end = time.monotonic() + limit_s
    while (process.poll() is None or watched) and time.monotonic() < end:
        lines = begun.read_text().splitlines() if begun.exists() else []
        for kind, pid, when in map(str.split, lines[seen:]):
            try:
                watched[os.pidfd_open(int(pid))] = kind, float(when)
            except ProcessLookupError:
                took[kind] = time.monotonic() - float(when)
        seen = len(lines)
        for fd in select.select(list(watched), [], [], 0.02)[0]:
            kind, when = watched.pop(fd)
            took[kind] = time.monotonic() - when
            os.close(fd)
    for fd, (kind, _) in watched.items():
        took[kind] = float("inf")
        os.close(fd)
    return took


@pytest.mark.skipif(
    not hasattr(os, "pidfd_open"), reason="a process's end cannot be waited for here"
)
@pytest.mark.soak(figure=4)
@pytest.mark.parametrize("mode", ["fork", "persistent"])
@EVERY_FRAMEWORK
def test_a_hang_ends_in_time(
    executable, tmp_path, framework_python, framework, mode, drawn_seed, soak
):
    python = sys.executable if framework == "selftest" else framework_python(framework)

    def lane(number, folder):
        draw, runs = random.Random("%d %d" % (drawn_seed, number)), 0
        (folder / "own.toml").write_text(config_of(mode, framework, memory_limit="none"))
        while runs == 0 or soak.more(soak.tries(framework), 0, ENOUGH.get(framework, 24)):
            kinds = drawn_kinds(framework, draw)
            hang(executable, folder, framework, python, mode, kinds, "s%d.db" % runs, soak)
            runs += 1

    soak.side_by_side(lane, tmp_path)
    assert soak.tries(framework) > 0


def hang(executable, folder, framework, python, mode, kinds, name, soak):
    """A run of these kinds, in a store of this name."""
    (folder / "suite.py").write_text(text_of(framework, kinds))
    begun, store = folder / "begun", folder / name
    begun.unlink(missing_ok=True)
    longest = FRAMEWORKS[framework][2] + GRACE_S + MARGIN_S
    with open(folder / "said", "w+") as said:
        process = subprocess.Popen(
            [executable, "--config", "own.toml", "run", "--target", framework + "/cpu"]
            + ["--suite", "./suite.py", "--store", store, "--python", python, "-j", "2"]
            + ["--no-timing", "--no-confirm", "--recheck", "0"],
            cwd=folder,
            env={**os.environ, "SEAMARK_CACHE": str(folder / "cache")},
            stdout=said,
            stderr=said,
        )
        try:
            took = watch(process, begun, 60 + 120 * len(kinds))
            process.wait(60)
        finally:
            process.kill()
            process.wait()
        said.seek(0)
        output = said.read()
    with sqlite3.connect(store) as opened:
        rows = opened.execute("SELECT case_name, outcome, reason FROM results").fetchall()
    opened.close()
    found = {}
    for name, outcome, reason in rows:
        found.setdefault(name.split("/")[1], []).append((outcome, reason))
    late, other, changed = [], [], []
    for number, kind in enumerate(kinds):
        outcomes = [outcome for outcome, _ in found.pop("c%02d_%s" % (2 * number + 1, kind), [])]
        if took.get(kind, 0) > longest:
            late.append((kind, took[kind]))
        if outcomes != ["timeout"]:
            other.append((kind, outcomes))
    changed = {name: said for name, said in found.items() if [one for one, _ in said] != ["pass"]}
    missing = len(kinds) + 1 - len(found)
    # On a machine that is busy enough a case's deadline ends it before it hangs: no try.
    soak.count(framework, len(took), not_ended_in_time=len(late), no_timeout=len(other),
               neighbours_changed=len(changed) + missing)  # fmt: skip
    if late or other or changed or missing:
        soak.say("%s: late %s, no timeout %s, neighbours %s, %d missing\n%s"
                 % (mode, late, other, changed, missing, output))  # fmt: skip
    print(mode, {kind: round(seconds, 2) for kind, seconds in took.items()})
