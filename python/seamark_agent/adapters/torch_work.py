"""Whether a PyTorch call does device work (device_work.py), and what crosses between a device and the host, seen from
its operators or from its functions."""

import contextlib

from . import device_work
from .base import no_threads

# Reading a number is a synchronization, not a computation on the host.
READS = ("_local_scalar_dense",)
# Functions that take a value out of a tensor, into Python.
_TO_PYTHON = (
    "item", "tolist", "numpy", "__bool__", "__complex__", "__float__", "__index__", "__int__",
)  # fmt: skip
# Functions that give no tensor, and yet compute a value from one or change one.
_VALUES = READS + _TO_PYTHON + (
    "allclose", "equal", "is_nonzero", "backward", "__contains__", "__setitem__",
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
def watch_operators(torch, proof):
    """A dispatch mode that fills Proof.work."""
    tag = getattr(getattr(torch, "Tag", None), "nondeterministic_seeded", None)
    if tag is None:  # before 1.13 no operator says that it draws: nobody knows
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
            if not hasattr(func, "_schema"):  # it computes by means of other operators
                self.found = True
            if not self.found:
                name = func._schema.name.split("::")[-1]
                taken = made.tensors((args, kwargs or {}))
                self.found = works(func, name, taken, made.tensors(result))
            return result

    watch = Watch()
    try:
        with watch:
            yield
    finally:
        proof.work = watch.found


@contextlib.contextmanager
def watch_functions(torch, state, proof, kind=None, ours=()):
    """Fills Proof.work from the functions that Python calls, for devices that bear no dispatch mode: PyTorch's lazy
    tensors crash below one; with `kind`, a device's, Proof as well from what crosses to the host and back. `state`
    gives the state of the generators; `ours` is true while the harness itself is at work."""
    from torch.overrides import TorchFunctionMode

    made = Made(torch)
    border = Border(proof, kind)

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
            if (
                kind is not None
                and getattr(func, "namespace", "aten") not in device_work.TORCH_NAMESPACES
            ):
                proof.doubt("what the operator %s runs cannot be seen" % func)
            result = func(*args, **(kwargs or {}))
            name = getattr(func, "__name__", "")
            taken, results = made.tensors((args, kwargs or {})), made.tensors(result)
            if not self.found:
                self.found = works(name, taken, results)
            if kind is not None and not ours and name not in _NO_STEP:
                if border.touches(taken) and name in _TO_PYTHON + ("__array__",):
                    border.read = True
                border.step(
                    "torch." + name, taken, results, name in _MOVES, name.startswith("rand")
                )
            return result

    before, watch = state(), Watch()
    try:
        with watch, no_threads(proof), _within_backward(torch, watch):
            yield
    finally:
        proof.work = watch.found or before != state()


@contextlib.contextmanager
def _within_backward(torch, mode):
    """The mode in a user's own backward functions, too: the thread that runs them has none."""
    node = torch.autograd.function.BackwardCFunction
    apply = node.apply

    def watched(self, *args):
        with mode:
            return apply(self, *args)

    node.apply = watched
    try:
        yield
    finally:
        node.apply = apply


# Functions that compute nothing.
_MOVES = (
    "to",
    "cpu",
    "copy_",
    "type",
    "new_tensor",
    "tensor",
    "as_tensor",
    "detach",
    "clone",
    "requires_grad_",
)
_NO_STEP = (
    "__get__",
    "__set__",
    "size",
    "dim",
    "numel",
    "stride",
    "is_floating_point",
    "is_complex",
)


class Border:
    """What crosses between a device and the host within a call, and what the host computes.

    `step` is told of every operation in order. A tensor that came from the device and is computed with on the host,
    or comes back, is a fallback; so is what the host computes of the call's own inputs. A number that was read is one
    only where what follows makes use of it: then nobody knows.
    """

    def __init__(self, proof, kind):
        self._proof, self._kind = proof, kind
        self._constant, self._left = (
            {},
            {},
        )  # tensors of the host by identity, kept: of nothing; of the device's
        self.read = False  # a number of the device's was read

    def touches(self, tensors):
        return any(leaf.device.type == self._kind for leaf in tensors)

    def fresh(self):
        """A tensor of the device was made of Python's numbers."""
        if self.read or self._left:
            self._proof.doubt("a tensor was made of numbers after a value had left the device")

    def step(self, name, taken, results, copies, draws):
        """`copies`: the operation computes nothing; `draws`: it takes from a generator."""
        here = [leaf for leaf in taken if leaf.device.type != self._kind]
        made = [leaf for leaf in results if leaf.device.type != self._kind]
        arrives = len(made) < len(results) or (copies and len(here) < len(taken) and not made)
        leaves = bool(made) and len(here) < len(taken)
        left = any(id(leaf) in self._left for leaf in here)
        constant = not draws and all(id(leaf) in self._constant for leaf in here)
        if leaves or left:
            self._left.update((id(leaf), leaf) for leaf in made)
        elif constant:
            self._constant.update((id(leaf), leaf) for leaf in made)
        on_host = not copies and len(here) == len(taken) and bool(made or left)
        computes = not (leaves or constant) and any(leaf.dim() > 0 for leaf in made)
        if on_host and (left or computes):
            self._proof.fallback_ops.append(name)
        elif arrives and (left or (here and copies and not constant and self._left)):
            self._proof.doubt("a tensor came back from the host to which one was copied")
        if self.read and arrives and not copies:
            self._proof.doubt("a number was read from the device before %s ran" % name)


def fallbacks(metrics):
    """The operators that ran on the host since the counters of a lazy backend were cleared."""
    names = [name for name in metrics.counter_names() if name.startswith("aten::")]
    return [name for name in names if name[6:] not in READS and metrics.counter_value(name)]


def read_counters(metrics, native, proof):
    """Takes what a lazy backend counted since its counters were cleared: `native` begins the names of its own, of
    which a copy says nothing of where one computed. A program that was run says so, too."""
    proof.fallback_ops += fallbacks(metrics)
    copies = tuple(native + name for name in ("_to_copy", "_copy_from", "_copy_from_and_resize"))
    names = [name for name in metrics.counter_names() if name.startswith(native)]
    ran = [name for name in names if name not in copies] + ["SyncedTensorsWithIR"]
    proof.on_device = sum(metrics.counter_value(name) or 0 for name in ran)
