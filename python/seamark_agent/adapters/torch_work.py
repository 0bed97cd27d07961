"""Whether a PyTorch call does device work (device_work.py), seen from its operators or from its functions."""

import contextlib

from . import device_work

# Copies between devices and scalar reads are no computation on the host.
_TRANSFERS = (
    "_to_copy",
    "copy_",
    "_local_scalar_dense",
    "_copy_from",
    "detach",
    "alias",
    "lift_fresh",
)
# Reading a scalar is a synchronization, not a computation on the host.
READS = ("_local_scalar_dense", "allclose", "equal", "is_nonzero", "item")
# Functions that give no tensor, and yet compute a value from one or change one.
_VALUES = READS + (
    "backward", "numpy", "tolist", "__bool__", "__complex__", "__contains__", "__float__", "__index__",
    "__int__", "__setitem__",
)  # fmt: skip
_HANDS_ON = ("__get__", "detach", "requires_grad_", "as_subclass", "lift_fresh", "_make_subclass")


class Made:
    """The tensors of a call that no input has a part in, by identity; kept, so that none is used twice."""

    def __init__(self, torch):
        from torch.utils._pytree import tree_leaves

        self._torch, self._leaves, self._constants = torch, tree_leaves, {}

    def tensors(self, tree):
        return [leaf for leaf in self._leaves(tree) if isinstance(leaf, self._torch.Tensor)]

    def constant(self, tensors):
        return all(id(tensor) in self._constants for tensor in tensors)

    def keep(self, tensors):
        self._constants.update((id(tensor), tensor) for tensor in tensors)


@contextlib.contextmanager
def watch_operators(torch, kind, proof):
    """A dispatch mode that fills Proof.work, and notes every operator computed away from device `kind`
    (None: that is not asked)."""
    tag = getattr(getattr(torch, "Tag", None), "nondeterministic_seeded", None)
    if tag is None and kind is None:  # before 1.13 no operator says that it draws: nobody knows
        yield
        return

    from torch.utils._python_dispatch import TorchDispatchMode

    made = Made(torch)

    def works(func, name, taken, results):
        if tag in func.tags:
            return True
        fresh = name in device_work.TORCH_METADATA or name in device_work.TORCH_FRESH
        if fresh or made.constant(taken):
            made.keep(results)
            return False
        if name in device_work.TORCH_NAMES:
            return False
        reads = getattr(torch.Tag, "data_dependent_output", tag) in func.tags
        return bool(results) or func._schema.is_mutable or reads

    class Watch(TorchDispatchMode):
        found = False
        supports_higher_order_operators = True  # else torch.cond raises below a mode

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            result = func(*args, **(kwargs or {}))
            if not hasattr(
                func, "_schema"
            ):  # one of those: it computes by means of other operators
                self.found = True
                return result
            name = func._schema.name.split("::")[-1]
            results = made.tensors(result)
            if kind is not None and name not in _TRANSFERS and results:
                if all(leaf.device.type != kind and leaf.dim() > 0 for leaf in results):
                    proof.fallback_ops.append(func._schema.name)
            if tag is not None and not self.found:
                self.found = works(func, name, made.tensors((args, kwargs or {})), results)
            return result

    watch = Watch()
    with watch:
        yield
    proof.work = watch.found if tag is not None else None


@contextlib.contextmanager
def watch_functions(torch, state, proof):
    """Fills Proof.work from the functions that Python calls, for devices that bear no dispatch mode: PyTorch's lazy
    tensors crash below one. `state` gives the state of the generators."""
    from torch.overrides import TorchFunctionMode

    made = Made(torch)

    def works(name, taken, results):
        if name.startswith("rand"):  # where there is nothing to draw, too
            return True
        if name in device_work.TORCH_METADATA or made.constant(taken):
            made.keep(results)
            return False
        changes = name in _VALUES or (name.endswith("_") and not name.endswith("__"))
        return name not in _HANDS_ON and (bool(results) or changes)

    class Watch(TorchFunctionMode):
        found = False

        def __torch_function__(self, func, types, args=(), kwargs=None):
            result = func(*args, **(kwargs or {}))
            if not self.found:
                name = getattr(func, "__name__", "")
                taken = made.tensors((args, kwargs or {}))
                self.found = works(name, taken, made.tensors(result))
            return result

    before, watch = state(), Watch()
    with watch:
        yield
    proof.work = watch.found or before != state()


def fallbacks(metrics):
    """The operators that ran on the host since the counters of a lazy backend were cleared."""
    names = [name for name in metrics.counter_names() if name.startswith("aten::")]
    return [name for name in names if name[6:] not in READS and metrics.counter_value(name)]
