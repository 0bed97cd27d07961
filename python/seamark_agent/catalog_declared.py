"""For which devices a framework's own files name a kernel of a function: `declared` evidence, no more."""

import os
import re
import types

from . import catalog_objects as objects


def lookup(how):
    """A function (name, object) -> devices, sorted. `how` is the rules' key; None: nothing is known."""
    if how == "torch-native-functions":
        return _torch(_native_functions())
    if how == "tensorflow-kernels":
        return _tensorflow
    if how is not None:
        raise ValueError("the rules ask for declarations by %r, which is not known" % (how,))
    return lambda name, obj: []


def _native_functions():
    """The text of PyTorch's table of operators, which every wheel brings; "" where it does not."""
    import torch

    folder = os.path.join(os.path.dirname(os.path.dirname(torch.__file__)), "torchgen", "packaged")
    path = os.path.join(folder, "ATen", "native", "native_functions.yaml")
    text, error = objects.attempt(_read, path)
    return "" if error is not None else text


def _read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def parse_native_functions(text):
    """{operator without its overload: {dispatch key}}; one without keys of its own is Composite."""
    found = {}
    keys, inside = None, False
    for line in text.splitlines():
        func = re.match(r"- func: ([A-Za-z0-9_]+)", line)
        if func:
            keys, inside = found.setdefault(func.group(1), set()), False
        elif keys is not None and re.match(r"  \w", line):
            inside = line.startswith("  dispatch:")
        elif inside:
            entry = re.match(r"    ([A-Za-z0-9_, ]+):", line)
            if entry:
                keys.update(key.strip() for key in entry.group(1).split(","))
    return {name: keys or {"Composite"} for name, keys in found.items()}


def _torch(text):
    table = parse_native_functions(text)

    def devices(name, obj):
        native = objects.is_a(obj, (types.BuiltinFunctionType, types.MethodDescriptorType))
        return sorted(table.get(obj.__name__, ())) if native else []

    return devices


def _tensorflow(name, obj):
    if not name.startswith("tf.raw_ops."):
        return []

    def registered():
        from tensorflow.python.framework import kernels

        found = kernels.get_registered_kernels_for_op(name.rpartition(".")[2])
        return sorted({kernel.device_type for kernel in found.kernel})

    devices, error = objects.attempt(registered)
    return [] if error is not None else devices
