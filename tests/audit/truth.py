"""What becomes of a program's calls on a target when the program itself makes them: python truth.py TARGET SCRIPT TRACE OUT

The program runs on the CPU. Each call that TRACE has is made a second time on the target, with the program's own values, and its
result and gradients are compared with those of the first. OUT gets [[FUNCTION, LINE, works|host|fails|differs|open, why], ...],
the worst of the calls of a function at a line. It stands apart from what it judges: of the recorder it takes the names of
functions alone."""

import collections
import contextlib
import functools
import gc
import importlib.util
import json
import os
import runpy
import sys

WORST = ("fails", "differs", "host", "open", "works")
RECORDER = os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", "..", "python", "seamark_trace"
)


class Truth:
    def __init__(self, trace):
        self.wanted = {}
        for call in trace["calls"]:
            for file, line, _ in call["sites"]:
                self.wanted.setdefault((call["function"], line), file)
        self.found = {}
        self.seen = set()

    def asks(self, function, line, arguments):
        key = (function, line, arguments)
        if (function, line) not in self.wanted or key in self.seen:
            return False
        self.seen.add(key)
        return True

    def say(self, function, line, said, why=""):
        before = self.found.get((function, line), ("works", ""))
        if WORST.index(said) <= WORST.index(before[0]):
            self.found[function, line] = (said, why.strip().split("\n")[0][:200])

    def rows(self):
        return [[function, line, *said] for (function, line), said in sorted(self.found.items())]


def users_line(script):
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename == script:
            return frame.f_lineno
        frame = frame.f_back
    return 0


# -- PyTorch ----------------------------------------------------------------------------------------


def of_torch(truth, target, script):
    import torch
    from torch.overrides import TorchFunctionMode
    from torch.utils._pytree import tree_flatten, tree_map

    recorder = recorder_module()
    names = recorder._Recorder(torch, RECORDER)
    run = {"torch/lazy": on_lazy, "torch/minidev": on_minidev}.get(target, on_inductor)
    if target == "torch/lazy":
        import torch._lazy.ts_backend

        torch._lazy.ts_backend.init()

    def is_tensor(value):
        return isinstance(value, torch.Tensor)

    def described(tree):
        return str(
            [(str(x.dtype), tuple(x.shape), x.stride(), x.requires_grad) if is_tensor(x) else repr(x) for x in tree_flatten(tree)[0]]
        )  # fmt: skip

    def asks_for_device(args, kwargs):
        leaves = tree_flatten([args, kwargs])[0]
        return any(
            is_tensor(x) or isinstance(x, torch.device) or (isinstance(x, str) and x == "cpu")
            for x in leaves
        )

    def copied(tree, device, packed=False):
        """`packed`: sizes of batches are on the host, as PackedSequence has them."""
        made = {}

        def copy(value):
            if isinstance(value, torch.device) and device != "cpu":
                return torch.device(device)
            if isinstance(value, str) and value == "cpu" and device != "cpu":
                return device
            if not is_tensor(value) or (packed and not value.is_floating_point()):
                return value
            if id(value) not in made:
                plain = value.detach().clone().to(device)
                leaf = plain.requires_grad_(value.requires_grad)
                # What is changed in place is a result of the program's, as it was there.
                made[id(value)] = leaf, (leaf.clone() if value.grad_fn is not None else leaf)
            return made[id(value)][1]

        tree = tree_map(copy, tree)
        return tree, [leaf for leaf, _ in made.values() if leaf.requires_grad]

    def computed(call, tree, device, packed=False):
        """(leaves of the result and of the arguments, which may be changed; gradients)."""
        (args, kwargs), needs = copied(tree, device, packed)
        result = call(*args, **kwargs)
        leaves = [x for x in tree_flatten([result, args])[0] if is_tensor(x)]
        sums = [x.sum() for x in leaves if x.grad_fn is not None and x.is_floating_point()]
        wants = sums and needs and torch.is_grad_enabled()
        grads = torch.autograd.grad(sum(sums), needs, allow_unused=True) if wants else []
        return leaves, [x for x in grads if x is not None]

    def values(found):
        return [x.detach().cpu() for x in found[0] + found[1]]

    def judge(func, tree, name, line):
        state = torch.random.get_rng_state()
        try:
            expected = values(computed(func, tree, "cpu"))
        except Exception as error:
            return truth.say(name, line, "open", "CPU: %s" % error)
        random = not torch.equal(state, torch.random.get_rng_state())
        try:
            actual, host = run(torch, func, tree, computed, values)
        except Exception as error:
            return truth.say(name, line, "fails", "%s: %s" % (type(error).__name__, error))
        finally:
            settle(torch, target)
            torch.random.set_rng_state(state)
        same = len(actual) == len(expected) and all(
            a.shape == b.shape and a.dtype == b.dtype
            and (random or torch.allclose(a.double(), b.double(), rtol=1e-3, atol=1e-4, equal_nan=True))
            for a, b in zip(actual, expected, strict=True)
        )  # fmt: skip
        truth.say(
            name,
            line,
            "differs" if not same and "empty" not in name else "host" if host else "works",
            host or "",
        )

    class Oracle(TorchFunctionMode):
        busy = False

        def __torch_function__(self, func, types, args=(), kwargs=None):
            kwargs = kwargs or {}
            named = None if Oracle.busy or not callable(func) else names.name_of(func)
            if named is not None and named[1] == "call":
                line = users_line(script)
                if asks_for_device(args, kwargs) and truth.asks(
                    named[0], line, described([args, kwargs])
                ):
                    Oracle.busy = True
                    try:
                        judge(func, (args, kwargs), named[0], line)
                    finally:
                        Oracle.busy = False
            return func(*args, **kwargs)

    with Oracle():
        runpy.run_path(script, run_name="__main__")


def on_device(device, func, tree, computed):
    packed = getattr(func, "__name__", "") in ("lstm", "gru", "rnn_tanh", "rnn_relu")
    return computed(func, tree, device, packed)


def said_of(device, found, host, values):
    """`host`: the operators that ran there."""
    away = [x for x in found[0] if x.device.type != device and x.dim()]
    return values(found), ", ".join(host) or ("its result is on the CPU" if away else "")


def on_lazy(torch, func, tree, computed, values):
    from torch._lazy import metrics

    metrics.reset()
    found = on_device("lazy", func, tree, computed)
    torch._lazy.mark_step()
    host = [
        name for name in metrics.counter_names()
        if name.startswith("aten::") and name != "aten::_local_scalar_dense"
    ]  # fmt: skip
    return said_of("lazy", found, host, values)


def on_minidev(torch, func, tree, computed, values):
    """The device of tests/device, which counts what its fallback does on the host."""
    import minidev

    host = collections.Counter()
    with minidev.counted(host):
        found = on_device("minidev", func, tree, computed)
    return said_of("minidev", found, host, values)


def settle(torch, target):
    """What failed is raised once more where the device is waited for."""
    gc.collect()
    if target == "torch/lazy":
        with contextlib.suppress(RuntimeError):
            torch._lazy.mark_step()
            torch._lazy.wait_device_ops()


def on_inductor(torch, func, tree, computed, values):
    torch._dynamo.reset()
    compiled = torch.compile(lambda *args, **kwargs: func(*args, **kwargs), fullgraph=True, dynamic=False)  # fmt: skip
    return values(computed(compiled, tree, "cpu")), ""


# -- TensorFlow, JAX --------------------------------------------------------------------------------


def of_tensorflow(truth, script):
    import numpy
    import tensorflow as tf
    from tensorflow.python.framework import op_callbacks, op_def_registry

    recorder = recorder_module()

    class Names(recorder._TensorFlow):
        given = ()  # the tensors of the call

        def operand(self, name, tensor):
            spec = recorder._TensorFlow.operand(self, name, tensor)
            if isinstance(spec, list) and spec[0] == "tensor":
                self.given.append(tensor)
            return spec

    names = Names(tf, RECORDER)
    names.definition, names.constant = op_def_registry.get, lambda tensor: None
    tf.config.run_functions_eagerly(True)
    state = {"busy": False}

    def took(op_type, inputs, attrs, outputs, op_name=None, graph=None):
        name = op_type.decode() if isinstance(op_type, bytes) else op_type
        if state["busy"] or graph is not None:
            return
        state["busy"] = True
        try:
            judge(name, inputs, attrs, outputs)
        finally:
            state["busy"] = False

    def judge(name, inputs, attrs, outputs):
        line = users_line(script)
        names.given = []
        try:
            call = names.call_of(name, inputs, attrs)
        except Exception:
            return
        if not truth.asks(call["function"], line, json.dumps(call["kwargs"], sort_keys=True)):
            return

        def filled(spec, tensors):
            """A tensor of the program's own where the call has one."""
            if isinstance(spec, list) and spec[0] == "tensor":
                return next(tensors)
            if isinstance(spec, list) and spec[0] == "list":
                return [filled(one, tensors) for one in spec[1:]]
            if isinstance(spec, list) and spec[0] == "dtype":
                return tf.dtypes.as_dtype(spec[1])
            return spec

        @tf.function(jit_compile=True)
        def compiled(*arrays):
            tensors = iter(arrays)
            return callee(**{key: filled(value, tensors) for key, value in call["kwargs"].items()})

        callee = functools.reduce(getattr, call["function"].split(".")[1:], tf)
        try:
            tf.config.run_functions_eagerly(False)
            found = tf.nest.flatten(compiled(*names.given))
        except Exception as error:
            return truth.say(call["function"], line, "fails", "%s: %s" % (type(error).__name__, error))  # fmt: skip
        finally:
            tf.config.run_functions_eagerly(True)
        same = "Random" in name or all(
            numpy.allclose(a.numpy(), b.numpy(), rtol=1e-3, atol=1e-4)
            for a, b in zip(found, outputs, strict=True)
        )
        truth.say(call["function"], line, "works" if same else "differs")

    op_callbacks.add_op_callback(took)
    runpy.run_path(script, run_name="__main__")


def of_jax(truth, script):
    """What a program compiles and runs is what the target does: a call fails where the program does."""
    import jax

    jax.config.update("jax_platforms", "cpu")
    try:
        runpy.run_path(script, run_name="__main__")
        said = ("works", "")
    except Exception as error:
        said = ("fails", "%s: %s" % (type(error).__name__, error))
    for function, line in truth.wanted:
        truth.say(function, line, *said)


def recorder_module():
    spec = importlib.util.spec_from_file_location(
        "_seamark_trace", os.path.join(RECORDER, "_seamark_trace.py")
    )
    module = importlib.util.module_from_spec(spec)
    os.environ.setdefault("SEAMARK_TRACE", ".")
    spec.loader.exec_module(module)
    return module


def main(target, script, trace, out):
    with open(trace, encoding="utf-8") as stream:
        truth = Truth(json.load(stream))
    framework = target.split("/")[0]
    if framework == "torch":
        of_torch(truth, target, script)
    elif framework == "jax":
        of_jax(truth, script)
    else:
        of_tensorflow(truth, script)
    with open(out, "w", encoding="utf-8") as stream:
        json.dump(truth.rows(), stream)


if __name__ == "__main__":
    main(*sys.argv[1:])
