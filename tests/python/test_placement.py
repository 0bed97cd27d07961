"""Work that goes to the host in silence is never taken for the device's, and its twin without the detour is.

On targets that really run here: minidev, a device of our own that counts what its fallback does (tests/device),
PyTorch's lazy tensors and Inductor; under JAX and TensorFlow what leaves the compiled program, and what leaves a CPU
that stands for a device for another one.
"""

import pytest
from agent_client import run_cases

pytestmark = pytest.mark.framework

MINIDEV = {"name": "torch/minidev", "framework": "torch", "adapter": "torch_eager", "device": "minidev",
           "options": {"import": "minidev"}}  # fmt: skip
LAZY = {"name": "torch/lazy", "framework": "torch", "adapter": "torch_lazy", "device": "lazy"}
INDUCTOR = {
    "name": "torch/cpu+inductor",
    "framework": "torch",
    "adapter": "torch_inductor",
    "device": "cpu",
}
JAX = {"name": "jax/cpu", "framework": "jax", "adapter": "jax", "device": "cpu"}
TENSORFLOW = {
    "name": "tensorflow/cpu",
    "framework": "tensorflow",
    "adapter": "tensorflow",
    "device": "cpu",
}

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
THREAD = """
import threading


def in_a_thread(work):
    found = []
    thread = threading.Thread(target=lambda: found.append(work()))
    thread.start()
    thread.join()
    return found[0]

"""
TORCH_HEAD = """
import numpy
import torch
from seamark_suites.case import case

D = %r
CACHE = torch.ones(4)


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
# Where a call leaves the compiled program, with its twin; "fails": a whole graph is asked for.
INDUCTOR_TRICKS = {
    "graph_break": ("broken(x)", "x.exp() + 1"),
    "disabled": ("disabled(x) + x", "x.exp() + x"),
    "by_numpy": ("torch.from_numpy(numpy.unwrap(x.numpy())) + x", "x * 2"),
    "by_a_number": ("x * (x.sum().item() * 2)", "x * (x.sum() * 2)"),
    "by_a_list": ("torch.tensor([v * 2 for v in x.tolist()]) + x", "x * 2 + x"),
    "in_a_thread": ("in_a_thread(lambda: x.exp()) + x", "x.exp() + x"),
    "cached": ("CACHE", "x.exp() + 0"),
    "constant": ("torch.full((4,), 0.5)", "x * 0 + 0.5"),
    "custom_operator": ("host_exp(x) + 1", "x.exp() + 1"),
    "host_index": ("x[int(x.argmax())] + x", "x[2] + x"),
}
INDUCTOR_HEAD = """

def broken(x):
    y = x.exp()
    torch._dynamo.graph_break()
    return y + 1


@torch._dynamo.disable
def disabled(x):
    return x.exp()


host_exp.register_fake(torch.empty_like)

"""
JAX_TRICKS = {
    "pure_callback": ("jax.pure_callback(numpy.sin, x, x)", "jnp.sin(x)"),
    "io_callback": ("jax.experimental.io_callback(numpy.sin, x, x)", "jnp.sin(x)"),
    "by_numpy": ("jnp.asarray(numpy.sin(numpy.asarray(x)))", "jnp.sin(x)"),
    "by_a_number": ("x * float(x.sum())", "x * x.sum()"),
    "compute_on": ("on_host(x) + 1", "jnp.sin(x) + 1"),
    "cached": ("CACHE", "jnp.sin(x)"),
    "constant": ("jnp.full(4, 0.5)", "x * 0 + 0.5"),
    "host_index": ("x[int(numpy.argmax(numpy.asarray(x)))] + x", "x[2] + x"),
    "host_backward": (
        "jax.grad(lambda x: on_host_backward(x).sum())(x)",
        "jax.grad(lambda x: jnp.sin(x).sum())(x)",
    ),
    "in_a_thread": (
        "in_a_thread(lambda: jnp.asarray(numpy.sin(numpy.asarray(x)))) + x",
        "jnp.sin(x) + x",
    ),
    "list_of_no_argument": ("x + numpy.sin(CACHE.tolist())", "x + jnp.sin(CACHE)"),
}
# These ask for another platform than the target's.
JAX_TRICKS_ELSEWHERE = {
    "put_on_the_host": ("back(jnp.sin(jax.device_put(x, host()))) + x", "back(jnp.sin(x)) + x"),
    "put_within_jit": (
        "jax.jit(lambda x: jnp.sin(jax.device_put(x, host())))(x) + x",
        "jax.jit(jnp.sin)(x) + x",
    ),
    "moved_at_the_end": ("back(jax.device_put(x + 1, host()))", "x + 1"),
    "left_there": ("jax.device_put(x + 1, host())", "x + 1"),
    "default_device": ("elsewhere(x) + x", "jnp.sin(x) + x"),
}
TENSORFLOW_TRICKS = {
    "numpy_function": ("numpy_sin(x)", "tf.sin(x)"),
    "py_function": ("tf.py_function(tf.sin, [x], tf.float32)", "tf.sin(x)"),
    "init_scope": ("x + at_once()", "x + tf.sin(x)"),
    "strings": ("tf.cast(tf.strings.length(tf.constant(['a', 'bc'])), tf.float32)", "tf.sin(x)"),
    "cached": ("CACHE", "tf.sin(x)"),
    "constant": ("tf.fill((4,), 0.5)", "x * 0 + 0.5"),
    "numpy_of_no_argument": ("x + numpy.sin(CACHE.numpy())", "x + tf.sin(CACHE)"),
    "in_a_thread": ("x + in_a_thread(lambda: tf.sin(CACHE))", "x + tf.sin(CACHE)"),
    "cached_variable": ("variable().read_value()", "variable() + x"),
    "variable_set_at_once": ("set_at_once() + x", "variable().assign(tf.sin(x)) + x"),
    "host_backward": ("gradient(host_backward, x)", "gradient(tf.sin, x)"),
}
# One by one, on a CPU that stands for a device.
TENSORFLOW_EAGER_TRICKS = {
    "by_numpy": ("tf.constant(numpy.sin(x.numpy()))", "tf.sin(x)"),
    "numpy_function": TENSORFLOW_TRICKS["numpy_function"],
    "py_function": TENSORFLOW_TRICKS["py_function"],
    "by_a_number": ("x * (float(tf.reduce_sum(x)) * 2)", "x * (tf.reduce_sum(x) * 2)"),
    "in_a_thread": ("in_a_thread(lambda: on_host(tf.sin, x)) + x", "tf.sin(x) + x"),
    "cached": ("CACHE", "tf.sin(x)"),
    "constant": TENSORFLOW_TRICKS["constant"],
    "to_the_host_and_back": ("tf.identity(on_host(tf.sin, x)) + 0", "tf.sin(x) + 0"),
    "host_backward": TENSORFLOW_TRICKS["host_backward"],
    "in_place": ("variable().assign(on_host(tf.sin, x)) + x", "variable().assign(tf.sin(x)) + x"),
    "host_index": ("x[int(numpy.argmax(x.numpy()))] + x", "x[2] + x"),
    "left_there": ("on_host(tf.sin, x)", "tf.sin(x)"),
}
TENSORFLOW_HEAD = """
import numpy
import tensorflow as tf
from seamark_suites.case import case

D = %r
CACHE = None
VARIABLES = []


def numpy_sin(x):
    return tf.ensure_shape(tf.numpy_function(numpy.sin, [x], tf.float32), x.shape)


def variable():
    with tf.init_scope():
        if not VARIABLES:
            VARIABLES.append(tf.Variable([0.1, 0.2, 0.9, 0.3]))
    return VARIABLES[0]


def set_at_once():
    with tf.init_scope():
        variable().assign(tf.sin(CACHE))
    return variable()


def on_host(function, x):
    with tf.device("/CPU:0"):
        return function(x)


@tf.custom_gradient
def host_backward(x):
    return tf.sin(x), lambda weights: weights * numpy_sin(x)


def gradient(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


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


@jax.custom_vjp
def on_host_backward(x):
    return jnp.sin(x)


on_host_backward.defvjp(
    lambda x: (jnp.sin(x), x), lambda x, weights: (weights * jax.pure_callback(numpy.cos, x, x),)
)


def host():
    return jax.devices("cpu")[-1]


def back(x):
    return jax.device_put(x, jax.devices()[0])


def elsewhere(x):
    with jax.default_device(host()):
        return jnp.sin(x)

"""
# The first of JAX's two CPU devices stands for one of another platform.
JAX_STAND_IN = """
from seamark_agent.adapters.jax import TargetAdapter as Jax


class TargetAdapter(Jax):
    def _settle_before_start(self, platform):
        Jax._settle_before_start(self, "cpu")

    def _platform_of(self, device):
        return "cpu" if device.id else self.platform
"""


def suite(head, tricks, prefix):
    text = THREAD + head
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


def places(python, target, head, tricks, folder, refuses=()):
    """{trick: what is said of it}, {twin: ...}. `refuses`: the tricks that the target lets fail."""
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
        fails = trick in refuses and kind == "trick"
        assert end["outcome"] == ("fail" if fails else "pass"), (name, end["failure"])
        found[kind == "twin"][trick] = "fails" if fails else end["placement"]["where"]
    assert set(found[0]) == set(found[1]) == set(tricks)
    print("\n" + target["name"], *("%s %s" % one for one in found[0].items()), sep="\n  ")
    return found


def check(tricks, twins):
    assert [name for name, place in tricks.items() if place == "device"] == []
    assert [name for name, place in twins.items() if place != "device"] == []


def test_tricks_on_a_device_that_falls_back_in_silence(minidev, tmp_path):
    check(*places(minidev, MINIDEV, TORCH_HEAD, TORCH, tmp_path))


def test_tricks_on_lazy_tensors(framework_python, tmp_path):
    tricks, twins = places(framework_python("torch"), LAZY, TORCH_HEAD, TORCH, tmp_path)
    # No mode sees what runs below a function there, and the backend has no kernel that copies in place.
    assert (twins.pop("custom_operator"), twins.pop("in_place")) == ("unknown", "host")
    check(tricks, twins)


@pytest.mark.parametrize(
    "names", [["custom_operator", "by_a_number", "disabled"],
              pytest.param(list(INDUCTOR_TRICKS), marks=pytest.mark.long)], ids=["some", "all"])  # fmt: skip
def test_tricks_in_what_inductor_compiles(framework_python, tmp_path, names):
    refused = ("graph_break", "disabled", "by_numpy", "by_a_list", "in_a_thread")
    tricks = {name: INDUCTOR_TRICKS[name] for name in names}
    head = TORCH_HEAD + INDUCTOR_HEAD
    check(*places(framework_python("torch"), INDUCTOR, head, tricks, tmp_path, refused))


@pytest.mark.parametrize("options", [{"jit": True}, {"call": "function"}], ids=["xla", "graph"])
def test_tricks_in_traced_functions_of_tensorflow(framework_python, tmp_path, options):
    target = dict(TENSORFLOW, options=options)
    refused = ("numpy_function", "py_function", "host_backward") if "jit" in options else ()
    python = framework_python("tensorflow")
    check(*places(python, target, TENSORFLOW_HEAD, TENSORFLOW_TRICKS, tmp_path, refused))


def test_tricks_in_eager_tensorflow(framework_python, tmp_path):
    """A second logical CPU stands for the device."""
    target = dict(TENSORFLOW, device="/CPU:1", options={"logical_devices": 2})
    python = framework_python("tensorflow")
    check(*places(python, target, TENSORFLOW_HEAD, TENSORFLOW_EAGER_TRICKS, tmp_path))


def test_tricks_under_jax(framework_python, tmp_path):
    check(*places(framework_python("jax"), JAX, JAX_HEAD, JAX_TRICKS, tmp_path))


def test_tricks_under_jax_that_ask_for_another_platform(framework_python, tmp_path):
    adapter = tmp_path / "stand_in.py"
    adapter.write_text(JAX_STAND_IN)
    target = {"name": "jax/other", "framework": "jax", "adapter": str(adapter), "device": "other"}
    tricks = dict(JAX_TRICKS, **JAX_TRICKS_ELSEWHERE)
    check(*places(framework_python("jax"), target, JAX_HEAD, tricks, tmp_path))
