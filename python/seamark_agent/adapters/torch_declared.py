"""PyTorch's operators: which a call makes, and for which dispatch keys the wheel names a kernel."""

import contextlib

from .. import native_functions
from .base import unrecorded_ramp

BACKENDS = ("CPU", "CUDA", "MPS")
# What a tensor's layout puts before the name of its backend in a dispatch key.
LAYOUTS = {"torch.sparse_coo": "Sparse", "torch.sparse_csr": "SparseCsr", "torch.sparse_csc": "SparseCsr",
           "torch.sparse_bsr": "SparseCsr", "torch.sparse_bsc": "SparseCsr",
           "torch._mkldnn": "Mkldnn"}  # fmt: skip
PREFIXES = ("", "Sparse", "SparseCsr", "NestedTensor", "Quantized")
WANTED = (*(prefix + backend for prefix in PREFIXES for backend in BACKENDS), "MkldnnCPU")
# Those that the databases of operators speak of everywhere: one that they do not name is missing.
ASKED = ("f64", "f32", "bf16", "f16", "c128", "c64", "i64", "i32", "i16", "i8", "u8", "bool")


def kernels(torch):
    """(where that is written, {"aten::add.Tensor": keys})."""
    with open(native_functions.path_in(torch), encoding="utf-8") as file:
        table = native_functions.parse(file.read())
    named = native_functions.kernels(table, WANTED)
    source = "native_functions.yaml of torch %s" % torch.__version__
    return source, {"aten::" + name: keys for name, keys in named.items()}


@contextlib.contextmanager
def record(torch, seen):
    """Adds every operator below autograd to `seen`, as aten::add.Tensor, or aten::add.Tensor@Sparse where
    an argument has another layout. What is written by means of other operators is resolved before."""
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_leaves

    from . import torch_call

    class Recorder(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            if ours:
                return func(*args, **(kwargs or {}))
            overload = func._schema.overload_name
            name = func._schema.name + ("." + overload if overload else "")
            layouts = {_layout(torch, leaf) for leaf in tree_leaves((args, kwargs or {}))} - {""}
            # Several special layouts in one call: each must have its kernel.
            seen.update(["%s@%s" % (name, layout) for layout in layouts] or [name])
            return func(*args, **(kwargs or {}))

    with unrecorded_ramp(torch_call) as ours, Recorder():
        yield


def _layout(torch, leaf):
    if not isinstance(leaf, torch.Tensor):
        return ""
    if leaf.is_nested:
        return "NestedTensor"
    if leaf.is_quantized:
        return "Quantized"
    return LAYOUTS.get(str(leaf.layout), "")


def listed(torch, functions):
    """Of each of these functions that torch's database of operators has: in which data types, by device."""
    from seamark_suites.auto import opinfo

    found = {}
    for op, names in opinfo.names_by_op(torch):
        for name in functions & names:
            for device in BACKENDS:
                named = found.setdefault((name, device), set())
                named.update(opinfo.names_of_dtypes(torch, op.supported_dtypes(device.lower())))
    for (name, device), named in sorted(found.items()):
        yield {"row": "dtypes", "function": name, "device": device, "named": sorted(named),
               "missing": [one for one in ASKED if one not in named]}  # fmt: skip
