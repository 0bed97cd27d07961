"""Core cases carry the verdicts, so their set is frozen: data/core/FRAMEWORK-VERSION.txt, quick ones marked."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from agent_client import agent_command

ROOT = Path(__file__).resolve().parents[2]
VERSIONS = {"torch": (2, 3), "tensorflow": (1, 2), "jax": (1, 2)}  # each has functions of its own
# One element, one part, no element, the first of a range.
DEGENERATE = re.compile(r"[\[,](n=1|stop=1|seed=0|count=1|groups=1|steps=1|(\d+x)*0(x\d+)*)[\],]")

# Runs cases, and prints of each whether its calls gave anything but trivial arrays.
RESULTS = """
import json, sys
import numpy as np
from seamark_agent import commands, compare, harness
from seamark_suites import loader

target, names = json.loads(sys.argv[1]), set(json.loads(sys.argv[2]))
adapter = commands._started(target)
arrays, call = [], harness.Handle.call

def watched(handle, *args, **kwargs):
    result = call(handle, *args, **kwargs)
    if handle.place == "target":
        leaves = [leaf for _, leaf in adapter.flatten(result) if adapter.is_array(leaf)]
        arrays.extend(np.array(adapter.to_numpy(leaf)) for leaf in leaves)
    return result

harness.Handle.call = watched
runner = harness.Runner(adapter)
for item in loader.load(["curated"], target["framework"]):
    if item.name in names:
        del arrays[:]
        runner.run(item, "correctness")
        print("RESULT", json.dumps([item.name, not compare.is_trivial(np, arrays)]))
"""
# Functions whose result is one value, in their quick case.
FILLED = (
    *(
        "torch.zeros",
        "torch.ones",
        "torch.full",
        "torch.zeros_like",
        "torch.ones_like",
        "torch.full_like",
        "torch.Tensor.new_zeros",
        "torch.Tensor.zero_",
        "torch.nn.init.zeros_",
        "torch.nn.init.constant_",
    ),
    *(
        "tf.zeros",
        "tf.zeros_initializer",
        "tf.compat.v1.zeros_initializer",
        "tf.fill",
        "tf.ones",
        "tf.ones_like",
        "tf.zeros_like",
    ),
    *("jax.numpy.zeros", "jax.numpy.ones", "jax.numpy.ones_like", "jax.numpy.zeros_like"),
)
# What these give is memory as it was found: zeros at times.
UNWRITTEN = {"torch.empty", "torch.empty_like", "torch.Tensor.new_empty"}
ADAPTERS = {"torch": "torch_eager", "tensorflow": "tensorflow", "jax": "jax"}


def core_of(framework):
    """{function: [its core cases]}."""
    status, out, err = agent_command(
        sys.executable, "list", "--suite", "curated", "--framework", framework
    )
    assert status == 0, err
    functions = {}
    for item in map(json.loads, out.splitlines()):
        if item["core"]:
            functions.setdefault(item["function"], []).append(item)
    return functions


def results(python, framework, names):
    """{case: whether what it gave is not trivial}."""
    target = {
        "name": framework + "/cpu",
        "framework": framework,
        "adapter": ADAPTERS[framework],
        "device": "cpu",
        "options": {"platform": "cpu"} if framework == "jax" else {},
    }
    done = subprocess.run(
        [python, "-c", RESULTS, json.dumps(target), json.dumps(sorted(names))],
        env=dict(os.environ, PYTHONPATH=str(ROOT / "python"), JAX_PLATFORMS="cpu"),
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    said = [line[7:] for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    return dict(map(json.loads, said))


@pytest.mark.parametrize("framework", VERSIONS)
def test_the_core_cases_are_those_of_the_frozen_version(framework):
    cases = [item for own in core_of(framework).values() for item in own]
    lines = [item["name"] + (" quick" if item["quick"] else "") for item in cases]
    frozen = [line for own in frozen_of(framework) for line in own]
    hint = "verdicts would change: say core=False, or make a new version (docs/cases.md)"
    assert sorted(lines) == sorted(frozen), (hint, sorted(set(lines) ^ set(frozen))[:10])


def frozen_of(framework):
    """The lines of each version."""
    folder = ROOT / "data" / "core"
    return [(folder / f"{framework}-{n}.txt").read_text().splitlines() for n in VERSIONS[framework]]


def test_there_are_no_other_versions_and_each_has_functions_of_its_own():
    there = {path.name for path in (ROOT / "data" / "core").iterdir()}
    assert there == {f"{name}-{n}.txt" for name, versions in VERSIONS.items() for n in versions}
    for framework in VERSIONS:
        own = [{line.split("/")[0] for line in lines} for lines in frozen_of(framework)]
        assert len(set().union(*own)) == sum(map(len, own)), framework


@pytest.mark.parametrize("framework", VERSIONS)
def test_a_function_has_one_quick_forward_case_and_one_quick_gradient_case(framework):
    for function, cases in core_of(framework).items():
        quick = [item for item in cases if item["quick"]]
        forward = [item for item in quick if not item["grad"]]
        gradient = [item for item in quick if item["grad"]]
        assert len(forward) == 1, function
        assert len(gradient) == any(item["grad"] for item in cases), function
        for item in quick:
            asked = [one for one in cases if one["grad"] == item["grad"]]
            in_f32 = any(one["dtype"] == "f32" for one in asked)
            assert item["dtype"] == "f32" or not in_f32, item["name"]
            assert not DEGENERATE.search(item["name"]), item["name"]


@pytest.mark.framework
@pytest.mark.parametrize("framework", VERSIONS)
def test_the_result_of_a_quick_forward_case_is_not_trivial(framework_python, framework):
    quick = {
        item["name"]: function
        for function, own in core_of(framework).items()
        for item in own
        if item["quick"] and not item["grad"]
    }
    gives = results(framework_python(framework), framework, quick)
    assert sorted(gives) == sorted(quick)
    trivial = {quick[name] for name, not_trivial in gives.items() if not not_trivial}
    assert trivial - UNWRITTEN == {name for name in FILLED if name in quick.values()}
