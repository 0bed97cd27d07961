"""Why a program fails: the smallest of its calls that fails by itself.

A program (`program=True` in a case's header) calls many functions. Where it fails on a target it runs once more on the CPU,
where the adapter records its calls with the values of their arguments (Adapter.record_parts). Each different one then runs
alone on the target, as any case does, and is compared with the CPU in the widest type. The first that fails is opened where it
is made of calls itself (a loop, a branch, a compiled function), down to one whose parts all pass.
"""

import contextlib
import time

from .failures import text_of
from .handle import Handle

BUDGET_S = 60.0  # of all calls together
MOST_ELEMENTS = 1 << 24  # of one argument
_MOST_TEXT = 300  # characters of the arguments, and of what is raised


class Part:
    """One call that was recorded on the CPU. `args` and `kwargs` hold Given in the place of arrays."""

    def __init__(self, name, function, args, kwargs, inner=None, settings=""):
        self.name, self.function, self.args, self.kwargs = name, function, args, kwargs
        self.inner = inner  # a callable that gives the parts of this one; None: it has none
        self.settings = settings  # what tells two calls of the same arguments apart

    def key(self):
        return self.name, self._arguments(), self.settings

    def signature(self):
        text = self._arguments()
        return text if len(text) <= _MOST_TEXT else text[:_MOST_TEXT] + "..."

    def _arguments(self):
        said = [_shown(arg) for arg in self.args]
        said += ["%s=%s" % (name, _shown(value)) for name, value in self.kwargs.items()]
        return ", ".join(said)

    def given(self):
        found = []
        mapped((self.args, self.kwargs), lambda leaf: found.append(leaf) or leaf)
        return found


class Given:
    """An array among the arguments of a recorded call: its values, its dtype's name, whether it needs a gradient."""

    def __init__(self, values, dtype, grad=False):
        self.values, self.dtype, self.grad = values, dtype, grad


class Device:
    """A device among the arguments: that of the place."""


def record(adapter, args, kwargs, needs_gradient=lambda array: False, device=lambda leaf: False):
    """(args, kwargs) with Given for arrays and Device for what `device` knows. ValueError where an array is too large, or
    of a kind that has no values."""

    def taken(leaf):
        if adapter.is_array(leaf):
            values = adapter.to_numpy(leaf)
            if values.size > MOST_ELEMENTS:
                raise ValueError("an argument of %d elements" % values.size)
            return Given(values.copy(), adapter.dtype_name(leaf), needs_gradient(leaf))
        return Device() if device(leaf) else leaf

    return mapped(list(args), taken), mapped(dict(kwargs), taken)


def failing_call(runner, case):
    """One line: the smallest call of a program that fails alone on the target, or that none does. None where nothing
    could be recorded."""
    parts = _recorded(runner, case)
    if not parts:
        return None
    until = time.monotonic() + BUDGET_S
    tried = set()
    found = _first_failing(runner, case, parts, until, tried)
    if found is None:
        what = "none of its %d different calls fails alone" % len(tried)
        return what if time.monotonic() < until else what + "; the rest was not tried for time"
    part, failure = found
    while part.inner is not None:
        with runner.adapter.at("native"):
            inside = part.inner()
        smaller = _first_failing(runner, case, inside, until, tried)
        if smaller is None:
            break
        part, failure = smaller
    message = " ".join(failure["message"].split())[:_MOST_TEXT]
    return "%s(%s): %s: %s" % (part.name, part.signature(), failure["type"], message)


def _recorded(runner, case):
    parts, adapter = [], runner.adapter
    handle = Handle(case, adapter, runner.numpy, "native", runner.seed)
    original = handle.call

    def call(function, *args, **kwargs):
        with adapter.record_parts(parts):
            return original(function, *args, **kwargs)

    handle.call = call
    with contextlib.suppress(Exception):  # what was recorded before is there all the same
        runner.run_body(handle)
    handle.close()
    return parts


def _first_failing(runner, case, parts, until, tried):
    for part in parts:
        if time.monotonic() > until:
            return None
        key = part.key()
        if key in tried:
            continue
        tried.add(key)
        for grad in (
            (False, True) if any(_differentiable(one) for one in part.given()) else (False,)
        ):
            failure = runner.failure_of(_Alone(case, part, grad))
            if failure is not None:
                return part, failure
    return None


def _differentiable(leaf):
    return isinstance(leaf, Given) and leaf.grad


class _Alone:
    """A recorded call as a case of its own. What a program's header says of its result is not said of this one."""

    program = large = host_only = False
    reference = exists = remarks = removed = since = cpu_fails = dtype = shape = None
    random, trivial, slack = "detect", "weak", "cpu"

    def __init__(self, program, part, grad):
        self._program, self.grad = program, grad
        self.function, self.name = part.name, "%s: %s" % (program.name, part.name)
        self.params, self.rtol, self.atol = {}, {}, {}

        def body(t):
            def placed(leaf):
                if isinstance(leaf, Given):
                    return t.const(leaf.values, leaf.dtype, grad=grad and leaf.grad)
                return t.device if isinstance(leaf, Device) else leaf

            args, kwargs = mapped((part.args, part.kwargs), placed)
            return t.call(part.function, *args, **kwargs)

        self.body = body

    def __getattr__(self, name):
        return getattr(self._program, name)


def mapped(tree, change):
    """The tree with every leaf changed; lists, tuples (named ones too), slices and dictionaries are opened."""
    if isinstance(tree, dict):
        return {key: mapped(value, change) for key, value in tree.items()}
    if isinstance(tree, list):
        return [mapped(item, change) for item in tree]
    if isinstance(tree, tuple):
        items = [mapped(item, change) for item in tree]
        if hasattr(tree, "_fields"):
            return type(tree)(*items)
        return tuple(items) if type(tree) is tuple else tree
    if isinstance(tree, slice):
        return slice(*(mapped(part, change) for part in (tree.start, tree.stop, tree.step)))
    return change(tree)


def _shown(leaf):
    if isinstance(leaf, Given):
        return "%s[%s]" % (leaf.dtype, ",".join(str(n) for n in leaf.values.shape))
    if isinstance(leaf, Device):
        return "device"
    if isinstance(leaf, (list, tuple)) and len(leaf) <= 64:
        inside = ", ".join(_shown(item) for item in leaf)
        return "(%s)" % inside if isinstance(leaf, tuple) else "[%s]" % inside
    text = " ".join(text_of(leaf).split())
    return text if len(text) <= 60 else text[:60] + "..."
