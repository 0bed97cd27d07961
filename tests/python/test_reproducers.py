"""Reproducers of one line a call print what those with the case's own source print; both hold what is used."""

import json
import subprocess
import sys

import pytest
from agent_client import ROOT

pytestmark = pytest.mark.framework

# Both scripts of every tenth body, executed: one line each with the case, the lines of both, and what differs.
BOTH = """
import contextlib, io, json, re, sys, warnings
warnings.simplefilter("ignore")
from seamark_agent import adapters, script, straight
from seamark_suites import loader

import torch

TARGET = {"name": "torch/cpu", "framework": "torch", "adapter": "torch_eager", "device": "cpu"}
adapter, short = adapters.load(TARGET), straight.script

def printed(text):
    torch.manual_seed(0)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(text, "reproducer", "exec"), {"__name__": "__main__"})
    # gradients stand in a pair with the result, or beside it
    return re.sub(r"[\\s()\\[\\],]|grad_fn=<\\w+>|requires_grad=True", "", out.getvalue())

bodies = {}
for case in loader.load(["curated"], "torch"):
    if case.script is None and not case.large:
        bodies.setdefault(case.name.split("[")[0], case)
for case in list(bodies.values())[::10]:
    straight.script = short
    try:
        text = script.standalone(case, adapter, 0)
        straight.script = lambda *_: None
        whole = script.standalone(case, adapter, 0)
    except script.NoScript:
        continue
    if text == whole:
        continue
    assert "object at 0x" not in text and "seamark" not in text, text
    same = printed(text) == printed(whole)
    sys.stderr.write(json.dumps([case.name, text.count("\\n"), whole.count("\\n"), same]) + "\\n")
"""


def test_a_line_a_call_prints_what_the_case_does(framework_python):
    done = subprocess.run(
        [framework_python("torch"), "-c", BOTH], capture_output=True, text=True, cwd=ROOT / "python"
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("[")]
    assert len(found) > 40
    assert [name for name, _, _, same in found if not same] == []
    lines = sorted(short for _, short, _, _ in found)
    assert lines[len(lines) // 2] <= 15 and lines[-1] <= 45
    assert all(short < whole for _, short, whole, _ in found)


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

style = {"tensor": "T(%s, %s)", "grad": "", "dtypes": "D.%s", "names": {}, "call": "%s(%s)", "gradient": [], "setup": ""}
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
