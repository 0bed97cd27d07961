"""Work that goes to the host in silence is never taken for the device's, and its twin without the detour is.

On targets that really run here: minidev, a device of our own that counts what its fallback does (tests/device), and
PyTorch's lazy tensors; on JAX's CPU what leaves the compiled program.
"""

import json
import subprocess

import pytest
from agent_client import ROOT, run_cases

pytestmark = pytest.mark.framework

MINIDEV = {"name": "torch/minidev", "framework": "torch", "adapter": "torch_eager", "device": "minidev",
           "options": {"import": "minidev"}}  # fmt: skip
LAZY = {"name": "torch/lazy", "framework": "torch", "adapter": "torch_lazy", "device": "lazy"}
JAX = {"name": "jax/cpu", "framework": "jax", "adapter": "jax", "device": "cpu"}

# The trick, and the twin that computes the same on the device; `x` is an input there, D the device.
TORCH = {
    "to_the_host_and_back": ("x.cpu().exp().to(D)", "x.exp() + 0"),
    "copied_and_back": ("x.cpu().to(D) + 1", "x + 1"),
    "by_numpy": ("torch.from_numpy(numpy.exp(x.cpu().numpy())).to(D)", "x.exp() + 0"),
    "by_a_list": ("torch.tensor([v * 2 for v in x.tolist()], device=D) + x", "x * 2 + x"),
    "by_a_number": ("x * (x.sum().item() * 2)", "x * (x.sum() * 2)"),
    "in_a_thread": ("in_a_thread(lambda: x.cpu().exp().to(D)) + x", "x.exp() + x"),
    "cached": ("CACHE", "x.exp() + 0"),
    "constant": ("torch.full((4,), 0.5, device=D)", "x * 0 + 0.5"),
    "custom_operator": ("host_exp(x)", "device_exp(x)"),
    "host_backward": ("gradient(HostBackward, x)", "gradient(DeviceBackward, x)"),
    "moved_at_the_end": ("(x + 1).cpu().exp().to(D)", "(x + 1).exp()"),
    "in_place": ("torch.zeros_like(x).copy_(x.cpu().exp())", "torch.zeros_like(x).copy_(x.exp())"),
    "host_index": ("x[int(x.cpu().argmax())] + x", "x[2] + x"),
    "drawn_there": ("x + torch.randn(4).to(D)", "x + torch.ones(4, device=D)"),
    "one_part_of_many": ("x + torch.linalg.det(x.reshape(2, 2))", "x + x.sum()"),
    "left_there": ("(x + 1).cpu()", "x + 1"),
}
TORCH_HEAD = """
import threading
import numpy
import torch
from seamark_suites.case import case

D = %r
CACHE = torch.ones(4)


def in_a_thread(work):
    found = []
    thread = threading.Thread(target=lambda: found.append(work()))
    thread.start()
    thread.join()
    return found[0]


@torch.library.custom_op("tricks::host_exp", mutates_args=())
def host_exp(x: torch.Tensor) -> torch.Tensor:
    return x.cpu().exp().to(x.device)


@torch.library.custom_op("tricks::device_exp", mutates_args=())
def device_exp(x: torch.Tensor) -> torch.Tensor:
    return x.exp()


class HostBackward(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        context.save_for_backward(x)
        return x.exp()

    @staticmethod
    def backward(context, weights):
        return context.saved_tensors[0].cpu().exp().to(weights.device) * weights


class DeviceBackward(HostBackward):
    @staticmethod
    def backward(context, weights):
        return context.saved_tensors[0].exp() * weights


def gradient(function, x):
    x = x.detach().clone().requires_grad_(True)
    return torch.autograd.grad(function.apply(x).sum(), x)[0]

"""
JAX_TRICKS = {
    "pure_callback": ("jax.pure_callback(numpy.sin, x, x)", "jnp.sin(x)"),
    "io_callback": ("jax.experimental.io_callback(numpy.sin, x, x)", "jnp.sin(x)"),
    "by_numpy": ("jnp.asarray(numpy.sin(numpy.asarray(x)))", "jnp.sin(x)"),
    "by_a_number": ("x * float(x.sum())", "x * x.sum()"),
    "compute_on": ("on_host(x) + 1", "jnp.sin(x) + 1"),
    "cached": ("CACHE", "jnp.sin(x)"),
    "constant": ("jnp.full(4, 0.5)", "x * 0 + 0.5"),
}
TENSORFLOW_TRICKS = {
    "numpy_function": ("numpy_sin(x)", "tf.sin(x)"),
    "py_function": ("tf.py_function(tf.sin, [x], tf.float32)", "tf.sin(x)"),
    "init_scope": ("x + at_once()", "x + tf.sin(x)"),
    "strings": ("tf.cast(tf.strings.length(tf.constant(['a', 'bc'])), tf.float32)", "tf.sin(x)"),
    "cached": ("CACHE", "tf.sin(x)"),
    "constant": ("tf.fill((4,), 0.5)", "x * 0 + 0.5"),
}
TENSORFLOW_HEAD = """
import numpy
import tensorflow as tf
from seamark_suites.case import case

D = %r
CACHE = None


def numpy_sin(x):
    return tf.ensure_shape(tf.numpy_function(numpy.sin, [x], tf.float32), x.shape)


def at_once():
    with tf.init_scope():
        return tf.sin(CACHE)

"""
JAX_HEAD = """
import jax
import jax.experimental
import jax.numpy as jnp
import numpy
from jax.experimental.compute_on import compute_on
from seamark_suites.case import case

D = %r
CACHE = None


def on_host(x):
    with compute_on("device_host"):
        return jnp.sin(x)

"""


def suite(head, tricks, prefix):
    text = head
    for name, ways in tricks.items():
        for kind, way in zip(("trick", "twin"), ways, strict=True):
            text += '\n@case("%s.%s", random=True, reference="none", host_only=False)\n' % (
                prefix,
                name,
            )
            text += "def %s_%s(t):\n" % (name, kind)
            text += '    global CACHE\n    given = t.const([0.1, 0.2, 0.9, 0.3], "f32")\n'
            text += "    CACHE = given * 2\n"
            text += "    call = lambda x: %s\n    t.call(call, given)\n\n" % way
    return text


def places(python, target, head, tricks, folder):
    """{trick: what is said of it}, {twin: ...}."""
    path = folder / "tricks.py"
    path.write_text(
        suite(
            head % target["device"],
            tricks,
            {"tensorflow": "tf"}.get(target["framework"], target["framework"]),
        )
    )
    found = ({}, {})
    for name, end in run_cases(python, target, suite=str(path)).items():
        trick, _, kind = name.split("/")[1].rpartition("_")
        assert end["outcome"] == "pass", (name, end["failure"])
        found[kind == "twin"][trick] = end["placement"]["where"]
    assert set(found[0]) == set(found[1]) == set(tricks)
    return found


@pytest.fixture
def minidev(framework_python, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "tests" / "device"))
    return framework_python("torch")


def test_tricks_on_a_device_that_falls_back_in_silence(minidev, tmp_path):
    tricks, twins = places(minidev, MINIDEV, TORCH_HEAD, TORCH, tmp_path)
    assert [name for name, place in tricks.items() if place == "device"] == []
    assert [name for name, place in twins.items() if place != "device"] == []


def test_tricks_on_lazy_tensors(framework_python, tmp_path):
    tricks, twins = places(framework_python("torch"), LAZY, TORCH_HEAD, TORCH, tmp_path)
    assert [name for name, place in tricks.items() if place == "device"] == []
    # No mode sees what runs below a function there, and the backend has no kernel that copies in place.
    others = {name: place for name, place in twins.items() if place != "device"}
    assert others == {"custom_operator": "unknown", "in_place": "host"}


@pytest.mark.parametrize("options", [{"jit": True}, {"call": "function"}], ids=["xla", "graph"])
def test_tricks_in_traced_functions_of_tensorflow(framework_python, tmp_path, options):
    target = {
        "name": "tensorflow/cpu",
        "framework": "tensorflow",
        "adapter": "tensorflow",
        "device": "cpu",
    }
    target["options"] = options
    python = framework_python("tensorflow")
    # XLA refuses what a program asks of Python.
    refused = ("numpy_function", "py_function") if "jit" in options else ()
    chosen = {name: ways for name, ways in TENSORFLOW_TRICKS.items() if name not in refused}
    tricks, twins = places(python, target, TENSORFLOW_HEAD, chosen, tmp_path)
    assert [name for name, place in tricks.items() if place == "device"] == []
    assert [name for name, place in twins.items() if place != "device"] == []


def test_tricks_under_jax(framework_python, tmp_path):
    tricks, twins = places(framework_python("jax"), JAX, JAX_HEAD, JAX_TRICKS, tmp_path)
    assert [name for name, place in tricks.items() if place == "device"] == []
    assert [name for name, place in twins.items() if place != "device"] == []


def test_what_seamark_asks_of_the_host_is_not_blamed_on_the_device(minidev):
    """OpInfo's samples name the CPU as device, and hold tensors that belong there."""
    for function in ("torch.full", "torch.randn", "torch.tensor_split"):
        pattern = function + "/opinfo[f32,sample=0]"
        ends = run_cases(minidev, MINIDEV, pattern, suite="opinfo")
        (end,) = ends.values()
        assert end["outcome"] == "pass", (function, end["failure"])
        assert "host-fallback" not in end["attributes"]


@pytest.mark.long
def test_the_device_counts_for_itself(minidev):
    """The curated suite: no fallback is missed, none is seen where there was none."""
    script = ROOT / "tests" / "device" / "confusion.py"
    done = subprocess.run([minidev, str(script), "--core"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.dumps(done.stdout)  # the table
