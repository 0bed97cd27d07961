"""Curated cases on their framework's CPU: core cases pass, what they give is not trivial, references call no kernel."""

import functools
import json
import os
import subprocess

import pytest
from agent_client import ADAPTERS, ROOT
from conftest import SEED
from seamark_suites import loader

pytestmark = pytest.mark.framework

# Of the bodies with a reference. All of JAX's alone take ten minutes of a processor.
SHARE = float(os.environ.get("SEAMARK_TEST_SHARE") or (0.08 if SEED else 0.05))

# Runs, by one import of the framework, the quick cases (`all` besides: all core cases), and of a draw of the bodies that have
# a reference in NumPy the first case in f32. Prints of each how it ended, and whether the calls of a quick forward case gave
# trivial arrays alone; at the end how many bodies' references were called, and the framework's operators meanwhile.
RUN = """
import contextlib, json, sys
import numpy as np
from seamark_agent import commands, compare, harness, mutate
from seamark_suites import loader

target, all_core, seed, share = json.loads(sys.argv[1]), sys.argv[2] == "all", sys.argv[3], float(sys.argv[4])
adapter = commands._started(target)
arrays, looks, call, reference = [], False, harness.Handle.call, harness.call_reference
bodies, operators, now = set(), {}, None

def called(handle, *args, **kwargs):
    result = call(handle, *args, **kwargs)
    if looks and handle.place == "target":
        leaves = [leaf for _, leaf in adapter.flatten(result) if adapter.is_array(leaf)]
        with contextlib.suppress(Exception):  # while a graph is built there are no values
            arrays.extend(np.array(adapter.to_numpy(leaf)) for leaf in leaves)
    return result

def seen(operator):
    operators.setdefault(now, []).append(str(operator))

WATCH

def watched(*arguments):
    with watch():
        return reference(*arguments)

harness.Handle.call, harness.call_reference = called, watched
runner = harness.Runner(adapter)
for item in loader.load(["curated"], target["framework"]):
    body = now = item.name.split("[")[0]
    first = callable(item.reference) and item.dtype == "f32" and body not in bodies
    first = first and mutate.chosen(body, int(seed), share)
    if first or item.quick or all_core and item.core:
        bodies |= {body} if first else set()
        del arrays[:]
        looks = item.quick and not item.grad
        end = runner.run(item, "correctness")
        print("RESULT", json.dumps([item.name, end, looks and compare.is_trivial(np, arrays)]))
now = "watched"
with watch():
    ONE
print("REFERENCES", json.dumps([len(bodies), operators]))
"""
# Per framework: what sees every operator, one operator that must be seen, and the fewest references of a draw of all.
WATCHED = {
    "torch": (
        """
import torch
from torch.utils._python_dispatch import TorchDispatchMode

class watch(TorchDispatchMode):
    def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
        seen(operator)
        return operator(*args, **(kwargs or {}))
""",
        "torch.ones(3).exp()",
        1200,
    ),
    "jax": (
        """
import contextlib
from unittest import mock
import jax
from jax.extend.core import Primitive

@contextlib.contextmanager
def watch():  # without jit, so that a program compiled before is seen, too
    bind = Primitive.bind

    def watched_bind(primitive, *arguments, **parameters):
        seen(primitive)
        return bind(primitive, *arguments, **parameters)

    with mock.patch.object(Primitive, "bind", watched_bind), jax.disable_jit():
        yield
""",
        "jax.numpy.exp(jax.numpy.ones(3))",
        500,
    ),
    "tensorflow": (
        """
import contextlib
import tensorflow
from tensorflow.python.framework import op_callbacks

@contextlib.contextmanager
def watch():
    def callback(operator, inputs, attributes, outputs, name=None, graph=None):
        seen(operator)

    op_callbacks.add_op_callback(callback)
    yield
    op_callbacks.remove_op_callback(callback)
""",
        "tensorflow.exp(tensorflow.ones(3))",
        700,
    ),
}
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
# Without a CPU reference, removed.
NOT_THERE = ("torch.cuda.synchronize/waits", "jax.lax.infeed/", "jax._src.core.get_aval/")  # fmt: skip

# Summed in bf16 where the processor has no AVX-512: up to 0.65 away.
BY_PROCESSOR = ("tf.nn.conv3d/conv3d[bf16",)


@functools.cache
def ran(python, framework):
    """{case: (its end, whether what it gave is trivial)}, [bodies whose references were called, {where: operators}]."""
    watch, one, _ = WATCHED[framework]
    target = {
        "name": framework + "/cpu",
        "framework": framework,
        "adapter": ADAPTERS[framework],
        "device": "cpu",
        "options": {"platform": "cpu"} if framework == "jax" else {},
    }
    program = RUN.replace("WATCH", watch).replace("ONE", one)
    cases = "all" if framework == "tensorflow" else "quick"  # TensorFlow's take the least
    done = subprocess.run(
        [python, "-c", program, json.dumps(target), cases, SEED or "0", str(SHARE)],
        env=dict(os.environ, PYTHONPATH=str(ROOT / "python"), JAX_PLATFORMS="cpu"),
        capture_output=True,
        text=True,
        timeout=3000,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    lines = [line.partition(" ") for line in done.stdout.splitlines()]
    said = [json.loads(rest) for word, _, rest in lines if word == "RESULT"]
    (references,) = [json.loads(rest) for word, _, rest in lines if word == "REFERENCES"]
    return {name: (end, trivial) for name, end, trivial in said}, references


@functools.cache
def curated(framework):
    return {item.name: item for item in loader.load(["curated"], framework)}


@pytest.mark.parametrize("framework", sorted(WATCHED))
def test_cases_pass_on_the_cpu(framework_python, framework):
    found, _ = ran(framework_python(framework), framework)
    assert set(found) >= {name for name, item in curated(framework).items() if item.quick}
    for name, (end, _) in found.items():
        item = curated(framework)[name]
        if end["outcome"] == "fail" and name.startswith(BY_PROCESSOR):
            assert end["failure"]["type"] == "seamark.ValuesDiffer", (name, end["failure"])
        elif end["outcome"] != "pass":
            assert item.cpu_fails or name.startswith(NOT_THERE), (name, end["failure"])
            removed = "; removed in jax " in (end["failure"] or {}).get("message", "")
            assert item.cpu_fails or end["outcome"] == "skip" or removed, (name, end["failure"])
        elif item.quick:  # what is compared with itself alone is executed
            itself = framework == "torch" and end["reference"]["kind"] == "cpu-native"
            assert end["evidence"] == ("executed" if itself else "verified"), name


@pytest.mark.parametrize("framework", sorted(WATCHED))
def test_the_result_of_a_quick_forward_case_is_not_trivial(framework_python, framework):
    found, _ = ran(framework_python(framework), framework)
    quick = {
        name: item.function
        for name, item in curated(framework).items()
        if item.quick and not item.grad
    }
    trivial = {function for name, function in quick.items() if found[name][1]}
    assert trivial - UNWRITTEN == {name for name in FILLED if name in quick.values()}


@pytest.mark.parametrize("framework", sorted(WATCHED))
def test_references_call_no_kernel(framework_python, framework):
    """Nothing of the framework runs while a reference is computed."""
    _, (called, operators) = ran(framework_python(framework), framework)
    assert called >= WATCHED[framework][2] * SHARE / 2 and list(operators) == ["watched"]
