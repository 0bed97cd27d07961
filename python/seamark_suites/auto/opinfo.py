"""PyTorch's own operator and module databases, from the user's wheel.

Every OpInfo and ModuleInfo, in every dtype that any device has by PyTorch's lists, is a case on every
target. What PyTorch records as a skip or an expected failure is stored beside the result and changes
nothing; its loosened tolerances are not used.
"""

import hashlib
import importlib

from seamark_agent.adapters.base import widen
from seamark_agent.harness import Skip

from seamark_suites.auto import _opinfo_samples as samples
from seamark_suites.auto._opinfo_data import (
    CORE_DTYPES,
    DTYPE_ORDER,
    INPLACE_DTYPE,
    KNOWN_TESTS,
    NO_NUMPY,
    OPEN_VALUES,
    SAME_DTYPE,
    SEEDED_YET_EXACT,
)
from seamark_suites.automatic import Option, add_shims, generated, plain_version

FRAMEWORKS = ("torch",)
OPTIONS = {"samples": Option(1, low=1, high=1000), "seed": Option(0)}
VERSION = 1  # of how samples are chosen and calls are made

_ops = {}  # (name, variant) -> OpInfo
_modules = {}  # name -> ModuleInfo


def cases(framework, options):
    import torch

    op_db, module_db = _databases(torch)
    held = _curated(torch)
    about = (plain_version(torch.__version__), VERSION)
    for op in op_db:
        for case in _of_op(torch, op, options, about, held):
            yield case
    for info in module_db:
        _modules[info.name] = info
        for case in _of_module(torch, info, options, about, held):
            yield case


def names_by_op(torch):
    """(OpInfo, the functions that it is about: that of its name, the methods, the aliases)."""
    for op in _databases(torch)[0]:
        function = function_name(torch, op)
        yield op, {function, *(name for _, name, _ in _ways(torch, op, function))}


def _databases(torch):
    add_shims()
    op_db, module_db = samples.import_databases(torch)
    _ops.update(((op.name, op.variant_test_name), op) for op in op_db)
    return op_db, module_db


class _Held:
    """The functions that the curated suite has: by name and by object, as one object may have many names."""

    def __init__(self, torch, names):
        found = [resolve(torch, name) for name in names]
        self.names, self.objects = set(names), [one for one in found if one is not None]

    def __contains__(self, pair):
        name, thing = pair
        return name in self.names or any(one is thing for one in self.objects)


def _curated(torch):
    from seamark_suites.loader import functions

    return _Held(torch, functions("curated", "torch"))


def resolve(torch, name):
    """The object of a dotted name, or None."""
    found = torch
    for part in name.split(".")[1:]:
        found = getattr(found, part, None)
    return found


# -- operators ------------------------------------------------------------------------------------


def _of_op(torch, op, options, about, held):
    function = function_name(torch, op)
    dtypes = names_of_dtypes(torch, set(op.dtypes).union(*(_listed(op.dtypesIf.values()))))
    on_cpu = names_of_dtypes(torch, set(op.dtypes))
    backward = set(op.backward_dtypes or ()).union(*_listed([op.backward_dtypesIfCUDA]))
    graded = names_of_dtypes(torch, backward) if op.supports_autograd else []
    core = [] if (function, op.op) in held else _core(on_cpu or dtypes)
    for dtype in dtypes:
        for sample in range(options["samples"]):
            grad = sample == 0 and dtype in graded and dtype[0] in "fbc" and dtype != "bool"
            yield _op_case(function, op, dtype, sample, "function", grad,
                           sample == 0 and dtype in core, options, about)  # fmt: skip
    first = _core(on_cpu or dtypes)[:1]
    for way, name, thing in _ways(torch, op, function):
        inplace = way == "inplace"
        for dtype in [INPLACE_DTYPE[op.name]] if inplace and op.name in INPLACE_DTYPE else first:
            grad = not inplace and dtype in graded and dtype[0] in "fbc" and dtype != "bool"
            yield _op_case(name, op, dtype, 0, way, grad, (name, thing) not in held,
                           options, about)  # fmt: skip


def _listed(values):
    return [set(value) for value in values if value is not None]


def names_of_dtypes(torch, found):
    """Names of dtypes, in one order everywhere; dtypes without a name here are left out."""
    return [name for name in DTYPE_ORDER if getattr(torch, samples.NAMES[name], None) in found]


def _core(dtypes):
    """One dtype of each kind: what says whether a function runs, without drowning it in dtypes."""
    return [name for name in CORE_DTYPES if name in dtypes] or dtypes[:1]


def _ways(torch, op, function):
    """(way, name, callable): the method, the in-place method and the aliases of an op's first variant."""
    if op.variant_test_name and any(
        other.name == op.name for other in _ops.values() if other is not op
    ):
        return
    seen = {function}
    for way, thing in (("method", op.method_variant), ("inplace", op.inplace_variant)):
        name = "torch.Tensor.%s" % getattr(thing, "__name__", "")
        if thing is not None and name not in seen and resolve(torch, name) is thing:
            seen.add(name)
            yield way, name, thing
    for alias in op.aliases or ():
        name = "torch." + (alias.name[6:] if alias.name.startswith("torch.") else alias.name)
        if name not in seen and alias.op is not None and resolve(torch, name) is alias.op:
            seen.add(name)
            yield "alias " + alias.name, name, alias.op


def _op_case(function, op, dtype, sample, way, grad, core, options, about):
    params = {"op": op.name, "variant": op.variant_test_name, "dtype": dtype, "made": dtype,
              "sample": sample, "seed": options["seed"], "way": way, "grad": grad}  # fmt: skip
    own = function.endswith("." + op.name) or function == op.name
    labels = [part for part in ("" if own else op.name, op.variant_test_name, dtype) if part]
    reference = None
    if _leaves_values_open(op):
        reference = "shapes"
    elif op.name in SAME_DTYPE or dtype in ("f8e4m3", "f8e5m2"):
        reference = "native"
    elif not grad and way == "function" and callable(op.ref) and op.name not in NO_NUMPY:
        reference = by_numpy
    return generated(
        function, opinfo if way == "function" else opinfo_variant, params,
        labels + ["sample=%d" % sample],
        about + tuple(sorted((key, repr(value)) for key, value in params.items())),
        dtype=dtype, core=core, grad=grad, reference=reference, trivial="weak", random="detect",
        slack="cpu", remarks=lambda adapter: known(adapter, op, dtype, grad),
        exists=lambda: sample == 0 or has_sample(op, params), script=op_script,
    )  # fmt: skip


def _leaves_values_open(op):
    seeded = "wrapper_set_seed" in getattr(getattr(op.op, "__code__", None), "co_names", ())
    undefined = getattr(op, "has_nondeterministic_output", False) or op.name in OPEN_VALUES
    return undefined or (seeded and op.name not in SEEDED_YET_EXACT)


def opinfo(t, op, variant, dtype, made, sample, seed, way, grad):
    """One sample of an OpInfo, called as `way` says."""
    entry = _ops[(op, variant)]
    chosen = _chosen(t.fw, entry, op, variant, made, sample, seed, grad, way)
    wanted = t.dtype_name(dtype)
    value, args, kwargs = samples.moved(
        t.fw, (chosen.input, chosen.args, chosen.kwargs), t.device, made, wanted
    )
    return t.call(samples.processed(entry, chosen, way), value, *args, **kwargs)


def opinfo_variant(t, op, variant, dtype, made, sample, seed, way, grad):
    """The same sample through a method, an in-place method or an alias."""
    return opinfo(t, op, variant, dtype, made, sample, seed, way, grad)


def _chosen(torch, entry, op, variant, made, sample, seed, grad, way):
    dtype = getattr(torch, samples.NAMES[made])
    draw = seed_of(op, variant, made, seed)
    found = samples.op_samples(torch, entry, dtype, grad, draw, sample + 1, way)
    if len(found) <= sample:
        raise Skip("PyTorch makes %d samples of %s in %s" % (len(found), op, made))
    return found[sample]


def seed_of(*parts):
    text = "/".join(str(part) for part in parts)
    return int(hashlib.sha256(text.encode("utf-8")).hexdigest()[:7], 16)


def has_sample(op, params):
    """Whether an op has a sample of that number. Makes it, so only what lists several asks."""
    import torch

    try:
        _chosen(
            torch,
            op,
            *(params[key] for key in ("op", "variant", "made", "sample", "seed", "grad", "way")),
        )
    except Skip:
        return False
    except Exception:
        return True  # the case will say what is wrong
    return True


def by_numpy(np, *recorded, **params):
    """PyTorch's own NumPy reference, on the widened sample; None where it says nothing."""
    import torch

    entry = _ops[(params["op"], params["variant"])]
    made = params["made"]
    keys = ("op", "variant", "made", "sample", "seed", "grad", "way")
    chosen = _chosen(torch, entry, *(params[key] for key in keys))
    if _is_marked(
        entry, "TestCommon", "test_numpy_ref", "cpu", getattr(torch, samples.NAMES[made])
    ):
        return None
    parts = samples.moved(
        torch, (chosen.input, chosen.args, chosen.kwargs), "cpu", made, widen(made)
    )
    plain = type(chosen)(parts[0], args=parts[1], kwargs=parts[2]).numpy()
    try:
        found = entry.ref(plain.input, *plain.args, **plain.kwargs)
    except Exception:
        return None
    # Inputs are f64 or integers: of small ones NumPy makes f16, which is no reference.
    inexact = (np.float16, np.float32, object)
    if isinstance(found, (np.ndarray, np.generic)) and found.dtype not in inexact:
        return np.asarray(found)
    return None


def function_name(torch, op):
    """The public callable that an OpInfo tests: torch.x, torch.linalg.x, torch.Tensor.x, torch.ops.aten.x."""
    name = op.name[6:] if op.name.startswith("torch.") else op.name
    direct = "torch." + name
    last = name.rsplit(".", 1)[-1]
    if resolve(torch, direct) is op.op:
        return direct[: -len(".default")] if direct.endswith(".default") else direct
    called = getattr(getattr(op.op, "__code__", None), "co_names", ())
    if last + "_" in called and last not in called:  # lambda t: t.uniform_(...)
        return "torch.Tensor.%s_" % last
    if "aten" in str(getattr(op.op, "__module__", "")):
        return "torch.ops.aten." + last
    if callable(resolve(torch, direct)) and not isinstance(resolve(torch, direct), torch.dtype):
        return direct
    if "." not in name and hasattr(torch.Tensor, name):
        return "torch.Tensor." + name
    if "jiterator" in str(getattr(op.op, "__module__", "")):
        several = getattr(op.op, "num_outputs", 1) > 1
        return "torch.cuda.jiterator._create_%sjit_fn" % ("multi_output_" if several else "")
    return "torch.ops.aten." + last


# -- modules --------------------------------------------------------------------------------------


def _of_module(torch, info, options, about, held):
    function = "torch." + info.name
    lists = (info.dtypes, getattr(info, "dtypesIfMPS", None), getattr(info, "dtypesIfHpu", None))
    dtypes = names_of_dtypes(torch, set().union(*_listed(lists)))
    core = _core(names_of_dtypes(torch, set(info.dtypes)) or dtypes)
    if (function, info.module_cls) in held:
        core = []
    for dtype in dtypes:
        for training in (True, False) if info.train_and_eval_differ else (True,):
            for sample in range(options["samples"]):
                yield _module_case(function, info, dtype, training, sample,
                                   sample == 0 and dtype in core, options, about)  # fmt: skip


def _module_case(function, info, dtype, training, sample, core, options, about):
    grad = sample == 0 and dtype[0] in "fbc" and dtype != "bool" and not info.is_lazy
    params = {"module": info.name, "dtype": dtype, "made": dtype, "training": training,
              "sample": sample, "seed": options["seed"], "grad": grad}  # fmt: skip
    labels = [dtype] + ([] if not info.train_and_eval_differ else ["train" if training else "eval"])
    return generated(
        function, moduleinfo, params, labels + ["sample=%d" % sample],
        about + tuple(sorted((key, repr(value)) for key, value in params.items())),
        dtype=dtype, core=core, grad=grad, trivial="weak", random="detect", slack="cpu",
        remarks=lambda adapter: known(adapter, info, dtype, grad),
        exists=lambda: sample == 0 or has_module_sample(info, params), script=module_script,
    )  # fmt: skip


def moduleinfo(t, module, dtype, made, training, sample, seed, grad):
    """One sample of a ModuleInfo: built on CPU from a seed, moved, called; gradients of inputs and parameters."""
    wanted = t.dtype_name(dtype)
    chosen = _chosen_module(t.fw, _modules[module], module, made, training, sample, seed, grad)
    built = samples.built_module(t.fw, _modules[module], chosen, made, wanted, training, t.device)
    inputs = (chosen.forward_input.args, chosen.forward_input.kwargs)
    args, kwargs = samples.moved(t.fw, inputs, t.device, made, wanted)
    if not grad:
        return t.call(built, *args, **kwargs)
    return t.call(samples.with_parameters(built), list(built.parameters()), *args, **kwargs)


def _chosen_module(torch, info, module, made, training, sample, seed, grad):
    dtype = getattr(torch, samples.NAMES[made])
    found = samples.module_samples(
        torch, info, dtype, training, grad, seed_of(module, made, seed), sample + 1
    )
    if len(found) <= sample:
        raise Skip("PyTorch makes %d samples of %s in %s" % (len(found), module, made))
    return found[sample]


def has_module_sample(info, params):
    import torch

    keys = ("module", "made", "training", "sample", "seed", "grad")
    try:
        _chosen_module(torch, info, *(params[key] for key in keys))
    except Skip:
        return False
    except Exception:
        return True
    return True


# -- what PyTorch records -------------------------------------------------------------------------


def known(adapter, entry, dtype, grad):
    """known-skip, known-failure: what PyTorch's own tests of the same claim do on this kind of device."""
    made = getattr(importlib.import_module("torch"), samples.NAMES[dtype])
    device = adapter.device.split(":")[0]
    kinds = set()
    for test_class, test, needs_grad in KNOWN_TESTS:
        if grad or not needs_grad:
            kinds |= _is_marked(entry, test_class, test, device, made)
    return ["known-" + kind for kind in sorted(kinds)]


def _is_marked(entry, test_class, test, device, dtype):
    """Of {"skip", "failure"}: what the database's decorators of one test amount to."""
    try:
        decorators = entry.get_decorators(test_class, test, device, dtype, {})
    except Exception:  # a condition on parameters that only PyTorch's runner knows
        return set()
    names = [getattr(one, "__qualname__", type(one).__qualname__) for one in decorators]
    found = set()
    if any(name.startswith("expectedFailure") for name in names):
        found.add("failure")
    if any(name.startswith("skip.<locals>") for name in names):
        found.add("skip")
    return found


# -- reproducers ----------------------------------------------------------------------------------


def op_script(case, adapter, seed):
    from seamark_suites.auto._opinfo_script import of_op

    params = case.params
    draw = seed_of(params["op"], params["variant"], params["made"], params["seed"])
    return of_op(case, adapter, draw, case.framework_seed(seed))


def module_script(case, adapter, seed):
    from seamark_suites.auto._opinfo_script import of_module

    params = case.params
    draw = seed_of(params["module"], params["made"], params["seed"])
    return of_module(case, adapter, draw, case.framework_seed(seed))
