"""Reproducers of one line a call print what those with the case's own source print; both hold what is used."""

import json
import statistics
import subprocess
import sys

import pytest
from agent_client import ROOT

pytestmark = pytest.mark.framework

# Both scripts of every tenth body, executed: one line each with the case, the lines of both, and what differs. A script that
# ends at the call prints less than the case does: there is nothing to compare.
BOTH = """
import contextlib, io, json, linecache, re, sys, warnings
warnings.simplefilter("ignore")
from seamark_agent import adapters, script, straight
from seamark_suites import loader

FRAMEWORK = sys.argv[1]
ADAPTER, DEVICE = {"torch": ("torch_eager", "cpu"), "tensorflow": ("tensorflow", "CPU:0"), "jax": ("jax", "cpu")}[FRAMEWORK]
TARGET = {"name": FRAMEWORK + "/cpu", "framework": FRAMEWORK, "adapter": ADAPTER, "device": DEVICE}
adapter, short = adapters.load(TARGET), straight.script
adapter.import_framework()
ends = []
at_the_call = straight.Recorder.up_to_the_call
straight.Recorder.up_to_the_call = lambda self: (at_the_call(self), ends.append(self._case.name))[0]

def printed(text):
    if FRAMEWORK == "torch":
        import torch

        torch.manual_seed(0)
    if FRAMEWORK == "jax":
        import jax

        jax.config.update("jax_enable_x64", False)
        text = re.sub(r"if hasattr.jax.config, .jax_num_cpu_devices..:\\n.*\\n", "", text)  # there are two already
    out = io.StringIO()
    linecache.cache["reproducer"] = len(text), None, text.splitlines(True), "reproducer"  # for autograph
    with contextlib.redirect_stdout(out):
        exec(compile(text, "reproducer", "exec"), {"__name__": "__main__"})
    # gradients stand in a pair with the result, or beside it
    return re.sub(r"[\\s()\\[\\],]|grad_fn=<\\w+>|requires_grad=True", "", out.getvalue())

bodies = {}
for case in loader.load(["curated"], FRAMEWORK):
    if case.script is None and not case.large:
        bodies.setdefault((case.name.split("[")[0], case.grad), case)
for case in list(bodies.values())[::10]:
    straight.script = short
    try:
        text = script.standalone(case, adapter, 0)
        straight.script = lambda *_: None
        whole = script.standalone(case, adapter, 0)
    except script.NoScript:
        continue
    same, is_short = None, text != whole
    assert "object at 0x" not in text and not (is_short and "seamark" in text), text
    if is_short:
        said = printed(text)
        with contextlib.suppress(TypeError, KeyError):  # of a body's own names, which the whole one has not
            same = case.name in ends or said == printed(whole)
    sys.stderr.write(json.dumps([case.name, text.count("\\n"), is_short, same]) + "\\n")
"""


@pytest.mark.parametrize("framework", ["torch", "tensorflow", "jax"])
def test_a_line_a_call_prints_what_the_case_does(framework_python, framework):
    done = subprocess.run(
        [framework_python(framework), "-c", BOTH, framework],
        capture_output=True,
        text=True,
        cwd=ROOT / "python",
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = [json.loads(line) for line in done.stderr.splitlines() if line.startswith('["')]
    short = {name: lines for name, lines, is_short, _ in found if is_short}
    assert [name for name, _, is_short, same in found if is_short and same is False] == []
    assert len([name for name, _, is_short, same in found if is_short and same]) > 0.9 * len(short)
    assert len(short) >= 0.4 * len(found) >= 40
    assert statistics.median(short.values()) <= 20 and max(short.values()) <= 60


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


# The names that a script with the case's source uses and nowhere defines, of every body.
WHOLE = """
import json, sys
from seamark_agent import adapters, script, straight
from seamark_suites import loader

TARGET = {"name": "torch/cpu", "framework": "torch", "adapter": "torch_eager", "device": "cpu"}
adapter, straight.script, seen = adapters.load(TARGET), lambda *_: None, set()
for case in loader.load(["curated"], "torch"):
    body = case.name.split("[")[0]
    if case.script is not None or body in seen:
        continue
    seen.add(body)
    try:
        print(json.dumps([case.name, script.standalone(case, adapter, 0)]))
    except script.NoScript:
        pass
"""


@pytest.mark.long
def test_a_script_with_the_cases_source_names_nothing_that_is_not_there(framework_python, tmp_path):
    done = subprocess.run(
        [framework_python("torch"), "-c", WHOLE],
        capture_output=True,
        text=True,
        cwd=ROOT / "python",
    )
    assert done.returncode == 0, done.stderr[-2000:]
    scripts = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
    assert len(scripts) > 1500
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
    assert sum(lengths) / len(lengths) < 200


def test_what_a_handle_asks_of_a_value_becomes_a_line(framework_python):
    """Attributes are taken before what follows them; items and attributes can be set; what asks for a truth cannot be a line."""
    code = """
from types import SimpleNamespace as Case
from seamark_agent import straight

style = {"tensor": "T(%s, %s)", "grad": "", "dtypes": "D.%s", "names": {}, "call": "%(function)s(%(arguments)s)", "gradient": [], "setup": ""}
adapter = Case(name="a", root="f", straight=lambda: style)
def body(t):
    x = t.randn((2,), "f32")
    before = x._version
    y = t.call("f.add_", x[:1], -x.mT * 2.0)
    x.grad = y
    x[0, ...] = float("nan")
    t.expect(x._version > before, "a change")
    return [y, complex(-0.0, 1)]
print(straight.script(Case(name="n", grad=False, body=body), adapter, 0, {}))
for asks in (lambda t: t.randn((2,), "f32") or 1, lambda t: str(t.randn((2,), "f32")), lambda t: list(t.randn((2,), "f32")), lambda t: t.expect(True, "x")):
    assert straight.script(Case(name="n", grad=False, body=asks), adapter, 0, {}) is None
"""
    done = subprocess.run(
        [framework_python("torch"), "-c", code], capture_output=True, text=True, cwd=ROOT / "python"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("key=")[1].splitlines()[2:] == [
        "x0 = T(rng.standard_normal((2,)), D.f32)",
        "v0 = x0._version",
        "v1 = x0[slice(None, 1, None)]",
        "v2 = x0.mT",
        "v3 = -v2",
        "v4 = v3 * 2.0",
        "y0 = f.add_(v1, v4)",
        "x0.grad = y0",
        'x0[0, ...] = float("nan")',
        "v5 = x0._version",
        "v6 = v5 > v0",
        "assert v6, 'expected a change'",
        "print([y0, complex(-0.0, 1.0)])",
        "",
    ]
