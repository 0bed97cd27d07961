"""A PyTorch call as a JAX function, through torchax.

The call runs on the CPU under `Watch`, which notes every tensor that the call reads, also those that no argument
names (parameters of a Module, what a closure holds, an optimizer's state). `Program` repeats the call under JAX's
tracing, with torchax's tensors instead: these are the program's inputs. Its outputs are what the call returns and what
the call changes in place.
"""

import contextlib
import sys

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_flatten, tree_leaves, tree_unflatten

from .watch import Snapshot, moves_to_host

# What a body names as its device. It is the CPU, and yet "cpu" in a call still means the host.
STAND_IN = torch.device("cpu", 0)
# PyTorch restores what was saved to "cpu", and knows no number of it.
torch.serialization.register_package(
    50, lambda storage: None, lambda storage, to: storage if to == str(STAND_IN) else None
)


class Gap(NotImplementedError):
    """torchax cannot express the call."""


class VisitsHost(Exception):
    """The call moves a tensor to the host in its middle, so that it is more than one program."""


def import_torchax():
    """torchax asks for overloads that newer versions of torch no longer have (aten.prod.dim_Dimname): while it
    is imported each of them is a name that no call will ever ask for."""
    packet = torch._ops.OpOverloadPacket
    find = packet.__getattr__

    def find_or_name(self, key):
        try:
            return find(self, key)
        except AttributeError:
            if key.startswith("__") or not self._qualified_op_name.startswith("aten::"):
                raise
            return "%s.%s is gone" % (self._qualified_op_name, key)

    packet.__getattr__ = find_or_name
    try:
        import torchax
        import torchax.decompositions
        import torchax.ops.jaten
        import torchax.ops.jc10d
        import torchax.ops.jtorch
        import torchax.ops.jtorchvision_nms
    finally:
        packet.__getattr__ = find
    return torchax


def environment(torchax):
    """torchax's environment. Where an operator's translation gives fewer results than the operator has (that
    of slogdet does), PyTorch would read beyond them."""
    made = torchax.default_env()
    kind = type(made._dispatch_mode)
    if kind.__name__ != "Counted":

        class Counted(kind):
            def __torch_dispatch__(self, function, kinds, args=(), kwargs=None):
                result = kind.__torch_dispatch__(self, function, kinds, args, kwargs)
                promised = len(function._schema.returns)
                given = len(result) if isinstance(result, (list, tuple)) else 1
                if promised > 1 and given != promised:
                    name = function._schema.name
                    raise Gap("torchax gives %d results of %s, not %d" % (given, name, promised))
                return result

        made._dispatch_mode = Counted(made)
    return made


class _Replace(TorchFunctionMode):
    """Replaces CPU tensors by torchax's tensors, and STAND_IN by torchax's device."""

    def __init__(self, replaced):
        TorchFunctionMode.__init__(self)
        self._replaced = replaced  # by the identity of the CPU tensor

    def __torch_function__(self, function, kinds, args=(), kwargs=None):
        leaves, tree = tree_flatten((args, kwargs or {}))
        if moves_to_host(function, leaves):
            raise VisitsHost("the call moves a tensor to the host")
        args, kwargs = tree_unflatten([self.replace(leaf) for leaf in leaves], tree)
        if function in (torch.zeros, torch.tensor) and _called_by_optimizer(sys._getframe(1)):
            kwargs.setdefault("device", "cpu")  # PyTorch keeps the number of steps on the host
        return function(*args, **kwargs)

    def replace(self, leaf):
        if isinstance(leaf, torch.Tensor):
            return self._replaced.get(id(leaf), leaf)
        if isinstance(leaf, torch.device) and leaf == STAND_IN:
            return torch.device("jax")
        return leaf


def _called_by_optimizer(frame):
    return str(frame.f_globals.get("__name__")).startswith("torch.optim.")


def _steps(function):
    """The numbers of steps that an optimizer keeps on the host."""
    optimizer = getattr(function, "__self__", None)
    if not isinstance(optimizer, torch.optim.Optimizer):
        return []
    states = [state for state in optimizer.state.values() if isinstance(state, dict)]
    return [state["step"] for state in states if isinstance(state.get("step"), torch.Tensor)]


class Program:
    """`program(*arrays)` is the call as a function of JAX arrays. `inputs` are the tensors that these stand
    for; one more array is the key of the random numbers. Results are the tensors that it returns, those that
    it changes in place and those that it leaves in the Python state (an optimizer's); `before` is that state
    as the call found it. With `grad` the gradients of the floating results in the inputs that ask for one
    are results, too: JAX takes them, as torchax documents it."""

    def __init__(self, env, function, args, kwargs, watch, before, grad):
        steps = {id(step) for step in _steps(function)}
        self._steps = [tensor for tensor in watch.read if id(tensor) in steps]
        self.inputs = [tensor for tensor in watch.read if id(tensor) not in steps]
        self._env, self._function = env, function
        self._args, self._kwargs, self._before = args, kwargs, before
        self._grads, self._grad = watch.grads(self.inputs), grad
        self._autograd = watch.differentiates
        self._changes = watch.changed(self.inputs)
        for tensor in self.inputs:
            if tensor.layout is not torch.strided:
                raise Gap(
                    "torchax has no %s tensors: it would make them dense without saying so"
                    % str(tensor.layout).replace("torch.", "")
                )

    def shapes(self):
        """[(shape, JAX's dtype)] of the program's inputs."""
        from torchax.ops.mappings import t2j_dtype

        found = [(tuple(tensor.shape), t2j_dtype(tensor.dtype)) for tensor in self.inputs]
        return found + [((2,), t2j_dtype(torch.uint32))]

    def __call__(self, *arrays):
        after = Snapshot((self._function, self._args, self._kwargs))
        state = torch.get_rng_state()
        self._before.restore()
        try:
            if self._grad:
                return self._forward_and_backward(arrays)
            results, effects = self._forward(arrays)
            return results + effects
        finally:
            after.restore()
            torch.set_rng_state(state)

    def _forward_and_backward(self, arrays):
        import jax

        leaves = tree_leaves((self._args, self._kwargs))
        wanted = {id(x) for x in leaves if isinstance(x, torch.Tensor) and x.requires_grad}
        marked = [i for i, tensor in enumerate(self.inputs) if id(tensor) in wanted]

        def forward(*chosen):
            changed = list(arrays)
            for position, value in zip(marked, chosen):
                changed[position] = value
            results, others = self._forward(changed)
            return [x for x in results if _inexact(x)], [
                x for x in results if not _inexact(x)
            ] + others

        values, pull_back, rest = jax.vjp(forward, *[arrays[i] for i in marked], has_aux=True)
        return values + rest + list(pull_back([_ramp(value) for value in values]))

    def _forward(self, arrays):
        """([arrays of the result], [arrays that were changed in place])."""
        import jax
        from torchax.tensor import Tensor

        key = jax.random.wrap_key_data(arrays[-1])
        asks = [self._autograd and tensor.requires_grad for tensor in self.inputs]
        made = [Tensor(x, self._env, ask) for x, ask in zip(arrays, asks)]
        for index, grad in self._grads:
            with contextlib.suppress(RuntimeError):  # a gradient of another kind than its tensor
                made[index].grad = made[grad]
        replaced = {id(tensor): new for tensor, new in zip(self.inputs, made)}
        replaced.update((id(step), step.clone()) for step in self._steps)
        replace = _Replace(replaced)
        leaves, tree = tree_flatten((self._args, self._kwargs))
        args, kwargs = tree_unflatten([replace.replace(leaf) for leaf in leaves], tree)
        with self._env.override_property(prng=key), self._env, torch.device("jax"), replace:
            result = self._function(*args, **kwargs)
        results = [self._result(replace.replace(leaf)) for leaf in tree_leaves(result)]
        effects = [new._elem for new, old in zip(made, arrays) if new._elem is not old]
        old = {id(new) for new in made}
        state = Snapshot((self._function, self._args, self._kwargs)).tensors
        effects += [x.jax() for x in state if self._array(x) is not None and id(x) not in old]
        if self._changes and not effects:
            raise Gap("the call changes a tensor in place, torchax's program of it changes none")
        return [x for x in results if x is not None], effects

    def _result(self, leaf):
        array = self._array(leaf)
        if array is None and isinstance(leaf, torch.Tensor):
            raise Gap("torchax leaves a result of the call on the host")
        return array

    def _array(self, leaf):
        from torchax.tensor import Tensor
        from torchax.view import View

        return leaf.jax() if isinstance(leaf, (Tensor, View)) else None


def _inexact(array):
    return array.dtype.kind in "fcV"  # V: bfloat16


def _ramp(value):
    import numpy

    return numpy.linspace(0.5, 1.5, value.size).reshape(value.shape).astype(value.dtype)
