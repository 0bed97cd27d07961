"""Reads PyTorch's table of operators, native_functions.yaml, of which every wheel brings its own.

No YAML library: the file keeps to a small part of YAML, and whatever else it may hold one day is an error.
"""

import os
import re

# What generated kernels cover (torchgen): of a structured group the functional and in-place operators take
# their kernels from the out variant for these; an inner loop of a ufunc makes two of them.
_STRUCTURED = ("CPU", "CUDA", "MPS", "XPU", "MTIA")
_UFUNC = ("CPU", "CUDA")
# Kernels that are written by means of other operators, and the keys that they do not serve.
_SERVES_NOT = {
    "CompositeImplicitAutograd": (),
    "CompositeExplicitAutograd": ("NestedTensor",),
    "CompositeExplicitAutogradNonFunctional": ("NestedTensor", "Sparse"),  # but SparseCsr
}
_NESTED = "CompositeImplicitAutogradNestedTensor"

_FUNC = re.compile(r"- func: ([A-Za-z0-9_.]+)\(")
_MEMBER = re.compile(r"  ([a-z_]+):(?: +(.*))?$")
_KERNELS = re.compile(r"    ([A-Za-z0-9_, ]+): *\S")
_COMMENT = re.compile(r"(^|\s)#.*$")


class Operator:
    """One entry of the table. `keys`: dispatch keys with a kernel of their own."""

    __slots__ = ("composite", "delegate", "generated", "keys", "structured", "ufunc")

    def __init__(self):
        self.keys, self.delegate, self.generated = set(), None, ()
        self.structured = self.ufunc = False
        self.composite = True  # neither a dispatch table nor a delegate: written by other operators


def path_in(torch):
    """Where this wheel has the table."""
    folder = os.path.join(os.path.dirname(os.path.dirname(torch.__file__)), "torchgen", "packaged")
    return os.path.join(folder, "ATen", "native", "native_functions.yaml")


def parse(text):
    """{operator with its overload, as add.Tensor: Operator}. ValueError names the line that is unknown."""
    found = {}
    current, section = None, None
    for number, raw in enumerate(text.splitlines(), 1):
        line = _COMMENT.sub("", raw).rstrip()
        if not line:
            continue
        func = _FUNC.match(line)
        if func:
            current, section = found.setdefault(func.group(1), Operator()), None
            continue
        member = _MEMBER.match(line)
        nested = line.startswith("    ") or (section == "precomputed" and line.startswith("  - "))
        if current is None or not (member or nested):
            raise ValueError("line %d: %s" % (number, raw[:200]))
        if member:
            section = member.group(1)
            _take_member(current, section, member.group(2) or "")
        elif section == "dispatch":
            kernels = _KERNELS.match(line)
            if not kernels:
                raise ValueError("line %d: %s" % (number, raw[:200]))
            current.keys.update(key.strip() for key in kernels.group(1).split(","))
    return found


def _take_member(operator, name, text):
    if name == "dispatch":
        operator.composite = False
    elif name == "structured_delegate":
        operator.composite, operator.delegate = False, text.strip()
    elif name == "structured":
        operator.structured = text.strip() == "True"
    elif name == "ufunc_inner_loop":
        operator.ufunc = True
    elif name == "autogen":
        operator.generated = tuple(part.strip() for part in text.split(",") if part.strip())


def kernels(table, wanted):
    """{operator: those of the `wanted` dispatch keys for which the table names a kernel}, generated variants
    included: `autogen` makes them of the operator that lists them, and they reach as far as it does."""
    found = {name: _named(table, name, operator, wanted) for name, operator in table.items()}
    for name, operator in table.items():
        for made in operator.generated:
            found.setdefault(made, found[name])
    return found


def _named(table, name, operator, wanted):
    keys = set(operator.keys)
    if operator.ufunc:
        keys.update(_UFUNC)
    if operator.delegate is not None:
        if operator.delegate not in table:
            raise ValueError("%s delegates to %s, which is not there" % (name, operator.delegate))
        base = table[operator.delegate]
        keys.update(key for key in base.keys if key in _STRUCTURED)
        if base.ufunc:
            keys.update(_UFUNC)
    if operator.composite:
        keys.add("CompositeImplicitAutograd")
    return tuple(key for key in wanted if key in keys or _is_served(key, keys))


def _is_served(key, keys):
    """Whether one of the composite `keys` has a kernel for this one."""
    layout = next(
        (name for name in ("NestedTensor", "SparseCsr", "Sparse") if key.startswith(name)), ""
    )
    if layout == "NestedTensor" and _NESTED in keys:
        return True
    return any(name in keys and layout not in exempt for name, exempt in _SERVES_NOT.items())
