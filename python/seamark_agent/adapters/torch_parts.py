"""Records the calls that a program makes of PyTorch's functions: names as users write them, arguments with their values."""

import contextlib

from .. import programs

# What only looks at a tensor, or works on a graph that a call alone does not have.
_PASSED_OVER = ("__get__", "__set__", "backward", "register_hook", "requires_grad_", "retain_grad")


@contextlib.contextmanager
def record(adapter, parts):
    """Appends a programs.Part for each call. A function that is written in others is one call; what has no values on the
    CPU (a batched tensor of vmap, a sparse one) is left out."""
    torch = adapter.torch
    from torch.overrides import TorchFunctionMode, resolve_name

    native = adapter.device_of("native")

    def is_device(leaf):
        return isinstance(leaf, torch.device) or (isinstance(leaf, str) and leaf == native)

    def needs_gradient(tensor):
        return tensor.requires_grad and torch.is_grad_enabled()

    class Recorder(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            kwargs = kwargs or {}
            with contextlib.suppress(Exception):
                name = resolve_name(func) or getattr(func, "__name__", "")
                if name and not name.endswith(_PASSED_OVER) and ".autograd." not in name:
                    taken = programs.record(adapter, args, kwargs, needs_gradient, is_device)
                    parts.append(programs.Part(name, _gives(func), *taken))
            return func(*args, **kwargs)

    with Recorder():
        yield


def _gives(func):
    """The function; where it gives nothing, what it leaves of its arguments."""

    def call(*args, **kwargs):
        result = func(*args, **kwargs)
        return args if result is None else result

    return call
