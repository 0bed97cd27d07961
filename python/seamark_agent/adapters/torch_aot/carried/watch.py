"""Watches what a PyTorch call reads and changes, and saves the state that the call can reach."""

import contextlib
import types

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves


class Watch(TorchFunctionMode):
    """Notes the tensors that a call reads and did not make itself, before anything changes them."""

    def __init__(self):
        TorchFunctionMode.__init__(self)
        self.read = []  # tensors, in the order met
        self._versions = []
        self._grads = []
        self._known = set()
        self._made = []  # kept, so that no identity is used twice
        self.differentiates = False  # whether the call takes PyTorch's gradients itself

    def __torch_function__(self, function, kinds, args=(), kwargs=None):
        kwargs = kwargs or {}
        self.meet(tree_leaves((args, kwargs)))
        self.differentiates |= function in (torch.Tensor.backward, torch.autograd.grad)
        result = function(*args, **kwargs)
        made = [leaf for leaf in tree_leaves(result) if isinstance(leaf, torch.Tensor)]
        self._known.update(id(leaf) for leaf in made)
        self._made.extend(made)
        return result

    def meet(self, leaves):
        with torch._C.DisableTorchFunction():
            for leaf in leaves:
                if isinstance(leaf, torch.Tensor) and id(leaf) not in self._known:
                    self._meet(leaf)

    def _meet(self, tensor):
        self._known.add(id(tensor))
        self.read.append(tensor)
        self._versions.append(tensor._version if not tensor.is_inference() else 0)
        grad = tensor.grad if tensor.is_leaf else None
        self._grads.append(grad)
        if grad is not None and id(grad) not in self._known:
            self._meet(grad)

    def changed(self, among=None):
        """Whether the call changed one of them in place."""
        wanted = None if among is None else {id(tensor) for tensor in among}
        return any(wanted is None or id(x) in wanted for x in self.changed_tensors())

    def changed_tensors(self):
        return [
            x
            for x, before in zip(self.read, self._versions)
            if not x.is_inference() and x._version != before
        ]

    def new_grads(self):
        """What the call left in the `grad` of the tensors that it read."""
        now = [x.grad if x.is_leaf else None for x in self.read]
        return [new for new, old in zip(now, self._grads) if new is not None and new is not old]

    def grads(self, inputs):
        """[(index of a tensor, index of its gradient)] among the inputs, as they were when the call began."""
        where = {id(tensor): index for index, tensor in enumerate(inputs)}
        pairs = [(x, g) for x, g in zip(self.read, self._grads) if g is not None]
        return [(where[id(x)], where[id(g)]) for x, g in pairs if id(x) in where and id(g) in where]


class WatchReads(Watch):
    """Keeps what the call hands to Python or to the CPU as well, as it was recorded before the read (torch_xla
    executes that on a read). An operator that reads within itself is not seen."""

    _READS = {
        getattr(torch.Tensor, name)
        for name in [
            "__bool__",
            "__complex__",
            "__float__",
            "__index__",
            "__int__",
            "allclose",
            "equal",
            "is_nonzero",
            "item",
            "tolist",
        ]
    } | {torch.allclose, torch.equal, torch.is_nonzero}

    def __init__(self):
        Watch.__init__(self)
        self.values = []

    def __torch_function__(self, function, kinds, args=(), kwargs=None):
        if function in self._READS or moves_to_host(function, tree_leaves((args, kwargs or {}))):
            with torch._C.DisableTorchFunction():
                tensors = [leaf for leaf in args if isinstance(leaf, torch.Tensor)]
                self.values.extend(tensor.detach() for tensor in tensors)
        return Watch.__torch_function__(self, function, kinds, args, kwargs)


def moves_to_host(function, leaves):
    if function in (torch.Tensor.cpu, torch.Tensor.numpy):
        return True
    return function is torch.Tensor.to and any(map(_is_host, leaves))


def _is_host(leaf):
    if isinstance(leaf, str):
        return leaf == "cpu"
    return isinstance(leaf, torch.device) and leaf == torch.device("cpu")


class Snapshot:
    """The Python state that a call can reach. A trace must find what the call found: `restore` puts the state back,
    so that no tensor of a trace stays in an optimizer or Module, and no list that counts calls counts twice."""

    _CONTAINERS = (dict, list, set)
    # No state of the call.
    _OTHERS = ("seamark_agent", "torchax", "torch_xla", "jax", "jaxlib", "numpy")

    def __init__(self, roots):
        self._seen, self._saved, self._cells = set(), [], []
        self.tensors = []
        todo = list(roots)
        while todo:
            todo.extend(self._open(todo.pop()))

    def _open(self, thing):
        """Saves what can change in it; gives what it holds."""
        if id(thing) in self._seen:
            return []
        self._seen.add(id(thing))
        if isinstance(thing, torch.Tensor):
            self.tensors.append(thing)
            return []
        if isinstance(thing, (type, types.ModuleType, str, bytes, int, float)):
            return []
        if isinstance(thing, self._CONTAINERS):
            kind = next(kind for kind in self._CONTAINERS if isinstance(thing, kind))
            self._saved.append((thing, kind(thing)))
            return list(thing.values()) if kind is dict else list(thing)
        if isinstance(thing, tuple):
            return list(thing)
        if isinstance(thing, types.FunctionType):
            return self._open_cells(thing.__closure__ or ())
        if isinstance(thing, types.MethodType):
            return [thing.__self__, thing.__func__]
        if type(thing).__module__.split(".")[0] in self._OTHERS:
            return []
        held = getattr(thing, "__dict__", None)
        return [held] if isinstance(held, dict) else []

    def _open_cells(self, cells):
        held = []
        for cell in cells:
            with contextlib.suppress(ValueError):  # an empty one
                held.append(cell.cell_contents)
                self._cells.append((cell, cell.cell_contents))
        return held

    def restore(self):
        for cell, content in self._cells:
            cell.cell_contents = content
        for thing, before in self._saved:
            if isinstance(thing, list):
                thing[:] = before
            else:
                thing.clear()
                thing.update(before)
