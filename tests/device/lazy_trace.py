"""The witness of `torch/lazy`: PyTorch's execution trace, which records every operator that is dispatched, on every
thread, with the devices of its tensors. It knows nothing of the backend's counters, which the adapter reads.

The backend's fallback moves its operands by `aten::_to_cpu`, which nothing else calls. What is computed on the CPU of
tensors that were copied from the device is seen by its operands. Not seen: what Python or NumPy computes, and whether a
number that was read is used.
"""

import contextlib
import json
import os
import re
import tempfile

from torch.profiler import ExecutionTraceObserver

_MOVES = re.compile(r"aten::(to|_to_copy|copy_|_copy_from|_copy_from_and_resize|detach|alias|clone|contiguous|empty.*|"
                    r"resize_|set_|item|_local_scalar_dense|lift_fresh)$")  # fmt: skip
LOOPS = ()  # no kernel of the backend's own computes on the host unseen


@contextlib.contextmanager
def counted(truth):
    """Adds to a Counter the operators that ran on the host within."""
    handle, path = tempfile.mkstemp(suffix=".json")
    os.close(handle)
    observer = ExecutionTraceObserver()
    observer.register_callback(path)
    observer.start()
    try:
        yield
    finally:
        observer.stop()
        observer.unregister_callback()
        with open(path) as stream:
            nodes = json.load(stream)["nodes"]
        os.unlink(path)
        truth.update(on_host(nodes))


def on_host(nodes):
    """The operators of a trace that the host computed for the device, one entry each."""
    nodes = sorted(nodes, key=lambda node: node["id"])  # as they began
    falls_back = {node["ctrl_deps"] for node in nodes if node["name"] == "aten::_to_cpu"}
    for _ in falls_back - {node["id"] for node in nodes}:
        yield "an operator that raised"  # of which no node is written
    below, left = set(), set()  # what is part of one that was judged; tensors that left the device
    for node in nodes:
        if node["ctrl_deps"] in below:
            below.add(node["id"])
            continue
        taken, made = tensors(node["inputs"]["values"]), tensors(node["outputs"]["values"])
        program = node["name"] == "" and taken  # TorchScript, which computes for the device
        reads = node["name"] == "aten::_local_scalar_dense"
        if node["id"] in falls_back or program or reads:
            below.add(node["id"])
            if node["id"] in falls_back and not reads:
                yield operator(node)
            continue
        of_device = any(one[-1] != "cpu" or one[0] in left for one in taken)
        results = {one[0] for one in made if one[-1] == "cpu"}
        left = left | results if of_device else left - results
        moves = _MOVES.match(node["name"])
        here = taken and all(one[-1] == "cpu" for one in taken)
        if here or (moves and results):
            below.add(node["id"])
        if here and of_device and not moves:
            yield operator(node)


def tensors(values):
    """[[id, storage, offset, elements, bytes, device]] within the values of a node."""
    found = []
    for value in values:
        if isinstance(value, list):
            described = len(value) == 6 and isinstance(value[-1], str)
            found += [value] if described else tensors(value)
    return found


def operator(node):
    schema = [one["value"] for one in node["attrs"] if one["name"] == "op_schema"]
    return schema[0].split("(")[0] if schema and schema[0] else node["name"]
