"""What objects of PyTorch hold, for the generated suite: arrays stay arrays, all else becomes plain values.

Names of devices are left out, as they differ from target to target by right.
"""

import enum
import re

MOST = 64  # items of one container
DEEPEST = 6
_DEVICE = re.compile(r"device\(type='\w+'(, index=\d+)?\)|\b(cpu|cuda|xpu|mps|xla|lazy)(:\d+)?\b")


def reveal(torch, value, depth=0):
    """A tree of arrays, texts and numbers; what cannot be told is named by its type."""
    if value is None or isinstance(value, (bool, int, float, complex, bytes)):
        return value
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, torch.Tensor):
        return tensor(torch, value)
    if isinstance(value, enum.Enum):
        return str(value)
    if depth > DEEPEST:
        return "..."
    if isinstance(value, dict):
        items = list(value.items())[:MOST]
        return {plain(key): reveal(torch, item, depth + 1) for key, item in items}
    if isinstance(value, (list, tuple)):
        return [reveal(torch, item, depth + 1) for item in value[:MOST]]
    if isinstance(value, (set, frozenset)):
        return sorted(plain(item) for item in value)[:MOST]
    return of_torch(torch, value, depth)


def finished(result):
    """Waits for what processes do together; it changes arguments and gives nothing."""
    if type(result).__name__ == "Work":
        result.wait()
        return None
    return result


def tensor(torch, value):
    """As one that NumPy has: whole numbers behind a quantized one, the part here of a distributed one."""
    if value.is_quantized:
        return value.int_repr()
    if value.is_nested:
        return list(value.unbind())
    if value.device.type == "meta" or "Fake" in type(value).__name__:
        return "%s, %s" % (tuple(value.shape), value.dtype)
    return value.to_local() if hasattr(value, "to_local") else value


def of_torch(torch, value, depth):
    if isinstance(value, type) or (callable(value) and hasattr(value, "__qualname__")):
        return "%s.%s" % (getattr(value, "__module__", ""), value.__qualname__)
    if isinstance(value, torch.device):
        return "a device"
    if isinstance(value, (torch.dtype, torch.layout, torch.memory_format, torch.qscheme)):
        return str(value)
    if isinstance(value, (range, slice)):
        return repr(value)
    name = type(value).__name__
    if isinstance(value, torch.fx.GraphModule):
        return {name: [plain(value.code), reveal(torch, value.state_dict(), depth + 1)]}
    if isinstance(value, torch.nn.Module):
        parts = [reveal(torch, kind_names(value), depth + 1)]
        return {name: parts + [reveal(torch, value.state_dict(), depth + 1)]}
    if isinstance(value, torch.optim.Optimizer):
        return {name: reveal(torch, value.state_dict(), depth + 1)}
    if isinstance(value, torch.fx.Graph):
        return plain(str(value))
    if isinstance(value, torch.fx.Node):
        return plain(value.format_node())
    if isinstance(value, (torch.fx.Proxy, torch.SymInt, torch.SymFloat, torch.SymBool)):
        return plain(value)
    return attributes(torch, value, depth)


def kind_names(module):
    return [
        "%s: %s, %s" % (key, type(one).__name__, "training" if one.training else "evaluating")
        for key, one in module.named_modules()
    ]


def attributes(torch, value, depth):
    """The public attributes of any other object; of one without any, the name of its type."""
    name = type(value).__name__
    try:
        held = {key: one for key, one in vars(value).items() if not key.startswith("_")}
    except TypeError:
        held = {}
    if not held or depth > 3:
        text = repr(value)
        ours = type(value).__repr__ is not object.__repr__ and " at 0x" not in text
        return plain(text) if ours and len(text) < 2000 else "<%s>" % name
    return {name: {key: reveal(torch, held[key], depth + 1) for key in sorted(held)[:MOST]}}


def plain(value):
    return _DEVICE.sub("a device", value if isinstance(value, str) else str(value))
