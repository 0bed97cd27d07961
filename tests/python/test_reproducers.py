"""Reproducers fail and pass as their cases do, and hold what is used; half of those of core cases have at most 25 lines."""

import json
import os
import statistics
import subprocess
import sys

import pytest
from agent_client import ROOT
from soak import drawn

pytestmark = pytest.mark.framework

# What the harness and the script say of a sample of the cases of suites, and of some functions, each in a process of its own:
# a line each with the case, the lines of the script, whether it is short, and what both say. TARGET, SUITES, how many, functions.
BOTH = """
import json, linecache, os, random, signal, sys, warnings
warnings.simplefilter("ignore")
from seamark_agent import adapters, script
from seamark_agent.harness import Runner
from seamark_suites import loader

target, suites, count, names = json.loads(sys.argv[1]), sys.argv[2].split(), int(sys.argv[3]), sys.argv[4:]
adapter = adapters.load(target)
adapter.import_framework()

def apart(work):
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(100)
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1), os.dup2(silent, 2)
        try:
            said = work()
        except BaseException as error:
            said = "fail", type(error).__name__, str(error)
        os.write(writing, json.dumps(said).encode()[:50000])
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        said = stream.read()
    os.waitpid(child, 0)
    return json.loads(said) if said else ["died"]

def harness(case):
    adapter.start()
    end = Runner(adapter, 0).run(case, "correctness")
    failure = end.get("failure") or {}
    return end["outcome"], failure.get("type"), failure.get("message")

def executed(text):
    linecache.cache["reproducer"] = len(text), None, text.splitlines(True), "reproducer"  # for autograph
    exec(compile(text, "reproducer", "exec"), {"__name__": "__main__"})
    return "pass", None, None

for suite in suites:
    cases = [one for one in loader.load([suite], target["framework"]) if not one.large]
    cases = [one for one in cases if one.core or suite != "curated"]
    random.Random(4).shuffle(cases)
    some = [[one for one in cases if one.function == name][:4] for name in names]
    for case in sum(some, []) + cases[:count]:
        text = apart(lambda: script.standalone(case, adapter, 0))
        if type(text) is list:
            continue  # no script, as tests of script.py tell
        short = "class Handle" not in text and "import_databases" not in text
        said = apart(lambda: harness(case)), apart(lambda: executed(text))
        print(json.dumps([case.name, len(text.splitlines()), short, "seamark" in text, *said]), flush=True)
"""
TORCH = {"framework": "torch", "adapter": "torch_eager", "device": "cpu"}
TENSORFLOW = {"framework": "tensorflow", "adapter": "tensorflow", "device": "CPU:0"}
JAX = {"framework": "jax", "adapter": "jax", "device": "cpu"}
XLA = {"options": {"jit": True}}
TARGETS = {
    "torch/lazy": (
        dict(TORCH, adapter="torch_lazy", device="lazy"),
        "curated opinfo generated",
        25,
    ),
    "torch/cpu": (TORCH, "curated", 15),
    "torch/cpu+inductor": (dict(TORCH, adapter="torch_inductor"), "curated", 8),
    "jax/cpu": (JAX, "curated generated", 20),
    "jax/cpu+jit": (dict(JAX, **XLA), "curated", 15),
    "tensorflow/cpu": (TENSORFLOW, "curated generated", 20),
    "tensorflow/cpu+xla": (dict(TENSORFLOW, **XLA), "curated", 15),
}
# Functions of which a case fails there.
FAILING = {
    "torch/lazy": "torch.nn.LSTMCell torch.round",
    "torch/cpu+inductor": "torch.saddmm torch.equal",
    "jax/cpu+jit": "jax.numpy.compress",
    "tensorflow/cpu+xla": "tf.image.draw_bounding_boxes tf.io.decode_raw",
}


def category(said):
    """Where both fail: a comparison says one thing, a gradient that is not there another, else it is the class raised."""
    kind, message = str(said[1]).rpartition(".")[2], str(said[2])
    if kind in ("AssertionError", "ValuesDiffer", "Mismatch", "CheckFailed"):
        return "differs"
    no_gradient = ("appears to not have been used in the graph", "does not require grad")
    return "NoGradient" if any(text in message for text in no_gradient) else kind


@pytest.mark.long
@pytest.mark.parametrize("name", drawn(TARGETS, 3))
def test_a_script_passes_and_fails_as_its_case_does(framework_python, name):
    target, suites, count = TARGETS[name]
    target = dict(target, name=name)
    failing = FAILING.get(name, "").split()
    done = subprocess.run(
        [framework_python(target["framework"]), "-c", BOTH, json.dumps(target), suites, str(count), *failing],
        capture_output=True, text=True, cwd=ROOT / "python",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    found = {row[0]: row[1:] for row in map(json.loads, done.stdout.splitlines())}
    assert len(found) > 0.9 * count * len(suites.split())
    short = {case: row for case, row in found.items() if row[1]}
    wrong = [
        (case, harness, script)
        for case, (_, _, _, harness, script) in short.items()
        if harness[0] in ("pass", "fail")
        and (harness[0], category(harness)) != (script[0], category(script))
    ]
    assert wrong == []
    assert not failing or any(row[3][0] == "fail" for row in short.values())
    assert not any(row[2] for row in short.values())
    assert len(short) >= 0.6 * len(found)
    assert len(found) < 30 or statistics.median(row[0] for row in found.values()) <= 25


# The lengths of the scripts of core cases and of generated ones, and whether they are short.
LENGTHS = """
import json, random, sys
from seamark_agent import adapters, script
from seamark_suites import loader

target = json.loads(sys.argv[1])
adapter = adapters.load(target)
adapter.import_framework()
for suite in sys.argv[2].split():
    cases = [one for one in loader.load([suite], target["framework"]) if not one.large]
    cases = [one for one in cases if one.core or suite != "curated"]
    random.Random(7).shuffle(cases)
    for case in cases[:25]:
        text = script.standalone(case, adapter, 0)
        short = "class Handle" not in text and "import_databases" not in text
        print(json.dumps([case.name, len(text.splitlines()), short]), flush=True)
"""


@pytest.mark.parametrize("name", ["torch/lazy", "jax/cpu", "tensorflow/cpu"])
def test_half_of_the_scripts_have_at_most_25_lines(framework_python, name):
    target = dict(TARGETS[name][0], name=name)
    done = subprocess.run(
        [framework_python(target["framework"]), "-c", LENGTHS, json.dumps(target), "curated generated"],
        capture_output=True, text=True, cwd=ROOT / "python",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('["')]
    assert len(found) == 50 and statistics.median(row[1] for row in found) <= 25
    assert sum(row[2] for row in found) >= 0.6 * len(found)


KEPT = """
from seamark_agent import script

text = script.used_alone('''
import base

class Handle:
    def used(self):
        return 1

    def unused(self):
        return 2

class Net(base.Module):
    def forward(self):
        return 3

print(Net()(Handle().used()))
''')
assert "def forward" in text and "def used" in text and "unused" not in text, text
"""


def test_what_a_framework_calls_of_a_class_stays(framework_python):
    done = subprocess.run(
        [framework_python("torch"), "-c", KEPT], capture_output=True, text=True, cwd=ROOT / "python"
    )
    assert done.returncode == 0, done.stderr


ENTRIES = """
from seamark_agent import script

TABLE = '''
T = "t."

TABLE = {
    "sin": 1,
    "cos": (
        2,
    ),
    T + "exp": 3,
}


def helper(t, function):
    return TABLE[function], "x" in TABLE.get(function, ())


def body(t, function):
    %s
    return helper(t, %s) if function in TABLE else 0


if __name__ == "__main__":
    print(body(Handle(), function=""))
'''
for value, line, given, left in (
    ("cos", "", "function", "2"),
    ("t.exp", "", "function", "3"),
    ("tan", "", "function", ""),
    ("cos", "", "'sin'", "123"),  # a helper that gets something else
    ("cos", "function = 'sin'", "function", "123"),
    ("cos", "lambda function: 0", "function", "123"),
    ("cos", "len(TABLE)", "function", "123"),
    ("cos", "TABLE['sin']", "function", "123"),
    ("cos", "class Other: value = TABLE['sin']", "function", "123"),
    (4, "", "function", "123"),
):
    text = script._entries_of({"function": value}, TABLE % (line, given))
    table = text.split("{")[1].split("}")[0]
    assert "".join(filter(str.isdigit, table)) == left, (value, line, given, table)
"""


def test_a_table_keeps_what_the_case_looks_up(framework_python):
    done = subprocess.run(
        [framework_python("torch"), "-c", ENTRIES],
        capture_output=True,
        text=True,
        cwd=ROOT / "python",
    )
    assert done.returncode == 0, done.stderr


# The names that a script with the case's source uses and nowhere defines, of a draw of the bodies.
WHOLE = """
import json, sys
from seamark_agent import adapters, script, straight
from seamark_agent.mutate import chosen
from seamark_suites import loader

seed, share = int(sys.argv[1]), float(sys.argv[2])
TARGET = {"name": "torch/cpu", "framework": "torch", "adapter": "torch_eager", "device": "cpu"}
adapter, straight.script, seen = adapters.load(TARGET), lambda *_: None, set()
for case in loader.load(["curated"], "torch"):
    body = case.name.split("[")[0]
    if case.script is not None or body in seen or not chosen(body, seed, share):
        continue
    seen.add(body)
    try:
        print(json.dumps([case.name, script.standalone(case, adapter, 0)]))
    except script.NoScript:
        pass
"""


@pytest.mark.long
def test_a_script_with_the_cases_source_names_nothing_that_is_not_there(
    framework_python, tmp_path, drawn_seed
):
    share = float(os.environ.get("SEAMARK_TEST_SHARE") or 0.2)
    done = subprocess.run(
        [framework_python("torch"), "-c", WHOLE, str(drawn_seed), str(share)],
        capture_output=True,
        text=True,
        cwd=ROOT / "python",
    )
    assert done.returncode == 0, done.stderr[-2000:]
    scripts = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
    assert len(scripts) > 1500 * share
    lengths = []
    for number, (_, text) in enumerate(scripts):
        (tmp_path / ("s%d.py" % number)).write_text(text)
        lengths.append(text.count("\n"))
    ruff = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--select", "F821,F822,F823", str(tmp_path)],
        capture_output=True, text=True,
    )  # fmt: skip
    assert ruff.returncode == 0, ruff.stdout[-2000:]
    assert not any("from ." in text or "seamark" in text for _, text in scripts)
    assert sum(lengths) / len(lengths) < 168


def test_what_a_handle_asks_of_a_value_becomes_a_line(framework_python):
    """Attributes are taken before what follows them, items can be set, the CPU answers what the body asks, nothing unused stays."""
    code = """
import torch
from types import SimpleNamespace as Case
from seamark_agent import adapters, straight

adapter = adapters.load({"name": "torch/lazy", "framework": "torch", "adapter": "torch_lazy", "device": "lazy"})
adapter.import_framework()

def script(body):
    case = Case(name="n", body=body, params={}, grad=False, hash="0" * 16, host_only=False, random=False, reference=None,
                slack=None, dtype="f32", rtol={}, atol={"f32": 0.5}, function="torch.add", framework_seed=lambda seed: seed)
    return straight.script(case, adapter, 0, {})

def body(t):
    x = t.randn((2, 2), "f32")
    if len(x) != 2 or t.host(x).sum() == 0:
        return None
    y = t.call("torch.add", x[:1], -x.mT * 2.0)
    unused = y.shape
    y[0, ...] = float("nan")
    t.expect(y._version > x._version, "a change")
    t.expect(y.dtype is t.dtype("f32"), "what no line can ask")
    return [y, complex(-0.0, 1)]

print(script(body))
def no_call(t):
    return str(t.randn((2,), "f32"))
def not_there(t):
    return t.call("torch.nothing", t.randn((2,), "f32"))
for asks in (no_call, lambda t: t.expect(True, "x")):
    assert script(asks) is None
assert "the CPU raises AttributeError, too" in script(not_there)
"""
    done = subprocess.run(
        [framework_python("torch"), "-W", "ignore", "-c", code],
        capture_output=True, text=True, cwd=ROOT / "python",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("key=")[1].splitlines()[1:] == [
        "    x0 = torch.as_tensor(rng.standard_normal((2, 2))).to(torch.float32).to(device, f32)",
        "    v0 = x0[:1]",
        "    v1 = x0.mT",
        "    v2 = -v1",
        "    v3 = v2 * 2.0",
        "    y0 = torch.add(v0, v3)",
        '    y0[0, ...] = float("nan")',
        "    v5 = y0._version",
        "    v6 = x0._version",
        "    v7 = v5 > v6",
        "    assert v7, 'expected a change'",
        "    return y0",
        "",
        "",
        'want = run("cpu", f32=torch.float64)',
        'got = run("lazy")',
        "torch._lazy.mark_step(wait=True)",
        "assert got.dtype == torch.float32, got.dtype",
        "torch.testing.assert_close(got, want, rtol=1.3e-06, atol=0.5, equal_nan=True, check_device=False, check_dtype=False)",
        'print("as on the CPU:", got)',
        "",
    ]
