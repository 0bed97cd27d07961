"""Where the operators of a PyTorch call ran, as PyTorch's own dispatcher tells.

On the device ran what has a kernel that is registered for the device's key. An operator without one is made of others
(a composite: each part is asked by itself), or goes to the backend's fallback, which computes on the host and copies
back: seen from above, its results are on the device like any others. A backend may register its fallback as the
operator's kernel; the file that registers it says so.

A tensor that is copied to the host and comes back was computed there, or could have been. A number that is read is a
synchronization; whether an operator that follows makes use of it, nobody knows. A kernel that loops on the host cannot
be told from one of the device.
"""

import contextlib
import re
import warnings

from .base import no_threads
from .device_work import TORCH_FRESH
from .torch_work import READS, Border, Made

_COMPOSITES = (
    "CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional", "CompositeImplicitAutograd",
)  # fmt: skip
_COPIES = ("_to_copy", "copy_", "_copy_from", "_copy_from_and_resize")
_MEMORY = ("empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided", "resize_",
           "set_", "lift_fresh", "lift", "detach", "alias")  # fmt: skip
_WARNING = re.compile(r"(aten::[\w.]+).*?\bfall(?:s|ing)?[ -]?back\b.*?\bCPU\b", re.S | re.I)


@contextlib.contextmanager
def watch_placement(torch, kind, proof, ours):
    """Fills Proof from the operators that run within. `kind`: the device's; while `ours` is true the harness itself is
    at work."""
    if not hasattr(torch._C, "_dispatch_key_for_device"):  # before 2.0
        proof.doubt("torch %s does not say which kernels a device has" % torch.__version__)
        yield
        return
    with no_threads(proof), _warned(torch, proof), _watch(torch, kind, proof, ours):
        yield


def _watch(torch, kind, proof, ours):
    from torch.utils._python_dispatch import TorchDispatchMode

    rules, border, made = _Rules(torch, kind), Border(proof, kind), Made(torch)
    numbers = _Numbers(torch)
    below_modes = torch._C._dispatch_keyset_full_after(torch._C.DispatchKey.Python)
    draws = torch.Tag.nondeterministic_seeded

    class Watch(TorchDispatchMode):
        supports_higher_order_operators = True  # else torch.cond raises below a mode
        kernel = None  # of the device, that runs: its own parts are its own matter
        left = returned = False  # within it a tensor was copied to the host, came from there
        again = (
            None  # an operator that was called as users call it, and the keys of the kernel to run
        )

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            kwargs = kwargs or {}
            if ours:
                return func(*args, **kwargs)
            args = numbers.replaced(func, args)
            if self.again is not None and self.again[0] is func:
                keys, self.again = self.again[1], None
                with self:
                    return func.redispatch(keys, *args, **kwargs)
            if not hasattr(func, "_schema"):
                proof.doubt("what %s runs cannot be seen" % func)
                return func(*args, **kwargs)
            name = func._schema.name.split("::")[-1]
            taken = made.tensors((args, kwargs))
            if self.kernel is not None:
                result = func(*args, **kwargs)
                self.cross(taken, made.tensors(result))
                return result
            if border.touches(taken) or _device_type(torch, kwargs) == kind:
                return self.on_device(func, name, args, kwargs, taken)
            result = func(*args, **kwargs)
            copies = name in _COPIES or name in _MEMORY or name in READS
            border.step(func.name(), taken, made.tensors(result), copies, draws in func.tags)
            return result

        def on_device(self, func, name, args, kwargs, taken):
            keys = None
            for leaf in taken:
                if leaf.device.type == kind:
                    own = torch._C._dispatch_keys(leaf)
                    keys = own if keys is None else keys | own
            keys = torch._C.DispatchKeySet(rules.key) if keys is None else keys & below_modes
            found = rules.of(func.name(), keys.highestPriorityTypeId().name)
            copies = name in _COPIES or name in _MEMORY
            crosses = copies and any(leaf.device.type != kind for leaf in taken)
            crosses = crosses or _device_type(torch, kwargs) not in (None, kind)
            if found == "composite" and name not in _MEMORY and not crosses:
                return self.seen(func, keys, args, kwargs)
            if found == "native" and name not in _MEMORY and not crosses:
                result = self.native(func, keys, args, kwargs)
            else:
                result = func(*args, **kwargs)
                if found == "fallback":
                    proof.fallback_ops.append(func.name())
            if name in READS:
                border.read = True
            if name in TORCH_FRESH:
                border.fresh()
            border.step(func.name(), taken, made.tensors(result), copies, False)
            return result

        def seen(self, func, keys, args, kwargs):
            """Runs the kernel that the keys choose; the mode sees what it calls. By way of the operator itself, which
            alone takes numbers in the place of tensors."""
            self.again = (func, keys)
            with self:
                return func(*args, **kwargs)

        def native(self, func, keys, args, kwargs):
            proof.on_device += 1
            self.kernel, self.left, self.returned = func.name(), False, False
            try:
                result = self.seen(func, keys, args, kwargs)
            finally:
                self.kernel = None
            if self.left and self.returned:
                proof.fallback_ops.append(func.name())
            return result

        def cross(self, taken, results):
            """Within a kernel; numbers are tensors of the host without dimensions."""
            self.left |= border.touches(taken) and bool(results) and not border.touches(results)
            host = [leaf for leaf in taken if leaf.device.type != kind and leaf.dim() > 0]
            self.returned |= border.touches(results) and bool(host)

    return Watch()


class _Numbers:
    """Below a mode a number stands where an operator is given one as a tensor, and most operators do not take it back:
    `x % 2` calls remainder.Tensor(x, 2). A tensor without dimensions that promotes alike goes on in its place."""

    def __init__(self, torch):
        self._torch, self._places = torch, {}
        self._natural = {bool: torch.bool, int: torch.int64, float: torch.float64, complex: torch.complex128}  # fmt: skip
        self._taken_back = getattr(torch._C, "_should_allow_numbers_as_tensors", lambda name: False)

    def replaced(self, func, args):
        if func not in self._places:
            self._places[func] = self._of(func)
        places = [at for at in self._places[func] if at < len(args) and type(args[at]) in self._natural]  # fmt: skip
        if not places:
            return args
        beside = next((one for one in args if isinstance(one, self._torch.Tensor)), None)
        return tuple(self._tensor(one, beside) if at in places else one for at, one in enumerate(args))  # fmt: skip

    def _of(self, func):
        schema = getattr(func, "_schema", None)
        if schema is None or self._taken_back(schema.name.split("::")[-1]):
            return ()
        return [at for at, one in enumerate(schema.arguments) if str(one.type) in ("Tensor", "Optional[Tensor]")]  # fmt: skip

    def _tensor(self, number, beside):
        torch = self._torch
        made = torch.tensor(number, dtype=self._natural[type(number)])
        if beside is None:
            return made
        wanted = torch.result_type(beside, number)
        return made if torch.result_type(beside, made) == wanted else made.to(wanted)


def _device_type(torch, kwargs):
    """Of an operator that is told where to make its result; else None."""
    device = kwargs.get("device")
    return None if device is None else torch.device(device).type


class _Rules:
    """What the dispatcher says of operators on one kind of device; asked once for each."""

    def __init__(self, torch, kind):
        self._c, self._known = torch._C, {}
        self.key = getattr(torch._C.DispatchKey, torch._C._dispatch_key_for_device(kind))

    def of(self, name, key):
        """native, composite or fallback."""
        if (name, key) not in self._known:
            self._known[name, key] = self._ask(name, key)
        return self._known[name, key]

    def _ask(self, name, key):
        has = self._c._dispatch_has_kernel_for_dispatch_key
        if has(name, key):
            place = re.search(
                r"^%s: registered at (\S+)" % re.escape(key), self._c._dispatch_dump(name), re.M
            )
            return "fallback" if place and "fallback" in place.group(1).lower() else "native"
        return "composite" if any(has(name, one) for one in _COMPOSITES) else "fallback"


@contextlib.contextmanager
def _warned(torch, proof):
    """Takes the operators that a backend's fallback warns of."""
    always = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    try:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            yield
    finally:
        torch.set_warn_always(always)
    for one in told:
        found = _WARNING.search(str(one.message))
        if found and found.group(1) not in proof.fallback_ops:
            proof.fallback_ops.append(found.group(1))
