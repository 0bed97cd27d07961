"""How a case of `opinfo` gets its inputs. A reproducer carries this file: the framework and the standard
library only."""

import importlib
import itertools
import random

ENOUGH = 4  # elements of an input that give a result worth comparing
LOOKED_AT = 64  # samples from which the ones used are taken
TRIED = 4  # samples that are run to see whether their result shows something
HOST_ARGUMENTS = ("tensor_split",)  # operators that take tensors of the CPU, on any device
NAMES = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "c32": "complex32",
         "c64": "complex64", "c128": "complex128", "i8": "int8", "i16": "int16", "i32": "int32",
         "i64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64", "bool": "bool",
         "f8e4m3": "float8_e4m3fn", "f8e5m2": "float8_e5m2"}  # fmt: skip


def import_databases(torch):
    """(op_db, module_db). Their import forbids setting backend flags for good: that is undone; and their
    dtype lists depend on the GPU that is present: here they are those of a recent one, on any machine."""
    common_cuda = importlib.import_module("torch.testing._internal.common_cuda")
    asked = {key: value for key, value in vars(common_cuda).items() if key.endswith("OrLater")}
    vars(common_cuda).update(dict.fromkeys(asked, True))
    try:
        ops = importlib.import_module("torch.testing._internal.common_methods_invocations").op_db
        modules = importlib.import_module("torch.testing._internal.common_modules").module_db
    finally:
        vars(common_cuda).update(asked)
        flags = torch.backends.disable_global_flags.__globals__
        flags["__allow_nonbracketed_mutation_flag"] = True
    return ops, modules


def seed_all(torch, seed):
    torch.manual_seed(seed)
    random.seed(seed)
    try:
        import numpy
    except ImportError:
        return
    numpy.random.seed(seed % (1 << 32))


def tensors_in(torch, value):
    return [
        leaf for leaf in torch.utils._pytree.tree_leaves(value) if isinstance(leaf, torch.Tensor)
    ]


def op_samples(torch, op, dtype, grad, seed, count, way):
    """`count` of the samples that PyTorch makes for an op and dtype on CPU, those first that show something:
    enough elements go in, and what comes out on CPU, called as `way` says, is neither empty nor constant."""
    with torch.no_grad():
        seed_all(torch, seed)
        found = list(
            itertools.islice(op.sample_inputs_func(op, "cpu", dtype, grad), LOOKED_AT + count)
        )
        for leaf in tensors_in(torch, [(one.args, one.kwargs) for one in found]):
            leaf.is_the_hosts = op.name in HOST_ARGUMENTS
        telling = []
        for one in sorted(found, key=lambda one: not _is_rich(torch, one))[: TRIED + count]:
            if len(telling) < count and _tells(torch, op, one, way):
                telling.append(one)
        seed_all(torch, seed)
    return (telling + [one for one in found if not any(one is other for other in telling)])[:count]


def _is_rich(torch, sample):
    given = tensors_in(torch, sample.input) or tensors_in(torch, (sample.args, sample.kwargs))
    return not given or any(tensor.numel() >= ENOUGH for tensor in given)


def _tells(torch, op, sample, way):
    """Whether the result on CPU is worth comparing; where the CPU cannot, whether the input is rich.
    Not every sample suits an in-place method: one that it refuses tells nothing."""
    try:
        given = (sample.input, sample.args, sample.kwargs)
        value, args, kwargs = moved(torch, given, "cpu", None, None, clone=True)
        leaves = tensors_in(torch, callable_of(op, way)(value, *args, **kwargs))
        if not leaves:
            return True
        flat = [leaf.reshape(-1) for leaf in leaves if leaf.layout is torch.strided]
        return any(bool((leaf != leaf[0]).any()) for leaf in flat if leaf.numel() > 1) or any(
            bool(leaf[0] != 0) for leaf in flat if leaf.numel() == 1
        )
    except Exception:
        return way == "function" and _is_rich(torch, sample)


def module_samples(torch, info, dtype, training, grad, seed, count):
    seed_all(torch, seed)
    made = info.module_inputs_func(info, "cpu", dtype, grad, training)
    return list(itertools.islice((one for one in made if one.forward_input is not None), count))


def moved(torch, value, device, made, wanted, clone=False):
    """A sample's arguments on a device, devices among them too; where `wanted` is not the dtype they were made in,
    every number and every dtype of that kind is widened. Samples are made on the CPU."""
    wider = {}
    if made != wanted:
        wider = {torch.float16: torch.float64, torch.bfloat16: torch.float64, torch.float32: torch.float64,
                 torch.complex32: torch.complex128, torch.complex64: torch.complex128}  # fmt: skip

    def move(leaf):
        if isinstance(leaf, torch.dtype):
            return wider.get(leaf, leaf)
        if isinstance(leaf, torch.device) or (isinstance(leaf, str) and leaf == "cpu"):
            return torch.device(device)
        if not isinstance(leaf, torch.Tensor) or getattr(leaf, "is_the_hosts", False):
            return leaf
        there = leaf.detach().to(wider.get(leaf.dtype, leaf.dtype)).to(device)
        there = there.clone() if clone else there
        return there.requires_grad_(True) if leaf.requires_grad else there

    return torch.utils._pytree.tree_map(move, value)


def callable_of(entry, way):
    """An op's function, method, in-place method or alias."""
    if way.startswith("alias "):
        name = way.split(" ", 1)[1]
        return next(alias.op for alias in entry.aliases if alias.name == name)
    attributes = {"method": "method_variant", "inplace": "inplace_variant"}
    return getattr(entry, attributes.get(way, "op"))


def processed(entry, chosen, way):
    """The callable under test; what PyTorch's samples say is open in its result (a sign, a phase) is removed."""
    function = callable_of(entry, way)
    process = chosen.output_process_fn_grad
    if getattr(process, "__qualname__", "").startswith("SampleInput.__init__"):
        return function

    def call(*args, **kwargs):
        return process(function(*args, **kwargs))

    return call


def built_module(torch, info, chosen, made, wanted, training, device):
    """The module on a device, its parameters and buffers drawn on CPU in the tested dtype."""
    given = chosen.constructor_input
    built = info.module_cls(*given.args, **given.kwargs)
    built.train(training)
    built = built.to(getattr(torch, NAMES[made]))
    if made != wanted:
        built = built.to(getattr(torch, NAMES[wanted]))
    return built.to(device)


def with_parameters(module):
    """A callable that takes the module's parameters, too: what a gradient is asked for is an argument."""

    def call(parameters, *args, **kwargs):
        return module(*args, **kwargs)

    return call
