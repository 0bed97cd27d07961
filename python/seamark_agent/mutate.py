"""Mutation check: can the cases fail? Each chosen case runs with a function that is subtly wrong.

The function under test is replaced, on the target alone, by one that returns zeros, the wrong dtype, a
perturbed result, or the right result on the wrong device; one that returns nothing is replaced by one
that does nothing. A mutant that changes nothing (zeros of zeros) is no mutant, and another kind is tried.
"""

import hashlib

from .harness import Runner, import_numpy

KINDS = ("zeros", "dtype", "perturb", "device")
_OTHER_DTYPE = {
    "f16": "f32", "bf16": "f32", "f32": "f16", "f64": "f32", "c64": "c128", "c128": "c64", "i8": "i32",
    "i16": "i32", "i32": "i16", "i64": "i32", "u8": "i32", "u16": "i32", "u32": "i32", "u64": "i32", "bool": "i32",
}  # fmt: skip


class Mutation:
    """One kind of wrongness. `changed`: whether any call of the case was made wrong."""

    def __init__(self, kind, np):
        self.kind, self.np, self.changed = kind, np, False

    def call(self, handle, unit):
        """The result of the wrong function."""
        adapter, place = handle._adapter, handle._at
        result = unit()
        adapter.synchronize(result)
        return self._tree(adapter, place, result)

    def _tree(self, adapter, place, value):
        if adapter.is_array(value):
            return self._array(adapter, place, value)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)(*[self._tree(adapter, place, item) for item in value])
        if type(value) in (list, tuple):
            return type(value)([self._tree(adapter, place, item) for item in value])
        if type(value) is dict:
            return {key: self._tree(adapter, place, item) for key, item in value.items()}
        if type(value) in (bool, int, float, complex) and self.kind in ("zeros", "perturb"):
            self.changed = self.changed or self.kind == "perturb" or bool(value)
            return type(value)(0) if self.kind == "zeros" else self._off(value)
        return value

    @staticmethod
    def _off(value):
        return not value if isinstance(value, bool) else value + 1

    def _array(self, adapter, place, leaf):
        try:
            dtype, values = adapter.dtype_name(leaf), adapter.to_numpy(leaf)
        except Exception:
            return leaf  # a key, a string, a sparse tensor: nothing that this check can make wrong
        if dtype not in _OTHER_DTYPE:
            return leaf
        if self.kind == "device":
            return self._elsewhere(adapter, leaf, dtype, values)
        wrong, kept = values, dtype
        if self.kind == "zeros":
            wrong = self.np.zeros_like(values)
        elif self.kind == "perturb":
            wrong = self._perturbed(values)
        else:
            kept = _OTHER_DTYPE[dtype]
        made = adapter.from_numpy(wrong, kept, place)
        if self.kind == "dtype":
            self.changed = self.changed or adapter.dtype_name(made) != dtype
        else:
            self.changed = self.changed or not self.np.array_equal(
                adapter.to_numpy(made), values, equal_nan=values.dtype.kind in "fc"
            )
        return made

    def _perturbed(self, values):
        """One element, in the middle, is off by a tenth of the largest, or by one."""
        wrong = self.np.array(values)
        if wrong.size:
            flat = wrong.reshape(-1)
            at = wrong.size // 2
            if wrong.dtype.kind == "b":
                flat[at] = not flat[at]
            elif wrong.dtype.kind in "fc":
                largest = self.np.abs(wrong[self.np.isfinite(wrong)]).max(initial=0)
                flat[at] = 0 if not self.np.isfinite(flat[at]) else flat[at] + largest / 10 + 0.1
            else:
                flat[at] += 1
        return wrong

    def _elsewhere(self, adapter, leaf, dtype, values):
        if adapter.cpu_is_reference:
            return leaf  # the host is where it belongs
        moved = adapter.from_numpy(values, dtype, "native")
        self.changed = self.changed or not any(
            adapter.is_on_target(name) for name in adapter.devices(moved)
        )
        return moved


class DoNothing(Mutation):
    """For a function that returns nothing: it is not called."""

    def call(self, handle, unit):
        self.changed = True


def chosen(name, seed, share):
    """Whether a seeded draw of this share takes the case; the same on every machine."""
    return _draw("%s/%d" % (name, seed)) < share


def _draw(text):
    return int.from_bytes(hashlib.sha256(text.encode("utf-8")).digest()[:8], "little") / 2.0**64


def check(adapter, cases, seed=0, share=0.1):
    """Yields one dict per chosen case: case, kind (None: nothing to make wrong), noticed, how."""
    np, problem = import_numpy()
    if problem:
        raise RuntimeError(problem["reason"])
    for case in cases:
        if chosen(case.name, seed, share):
            yield _check_one(adapter, case, seed, np)


def _check_one(adapter, case, seed, np):
    found = {"case": case.name, "kind": None, "noticed": None}
    if Runner(adapter, seed).run(case, "correctness")["outcome"] != "pass":
        return dict(found, how="does not pass here unchanged")
    start = int(_draw("kind/%s/%d" % (case.name, seed)) * len(KINDS))
    for kind in KINDS[start:] + KINDS[:start] + ("nothing",):
        if kind == "perturb" and case.random:
            continue  # a draw has no one value
        mutation = DoNothing(kind, np) if kind == "nothing" else Mutation(kind, np)
        end = Runner(adapter, seed, mutation=mutation).run(case, "correctness")
        if mutation.changed:
            off_device = kind == "device" and end["placement"]["where"] == "host"
            noticed = end["outcome"] != "pass" or off_device
            return dict(found, kind=kind, noticed=noticed, how=_how(end, off_device))
    return dict(found, how="nothing to make wrong")


def _how(end, off_device):
    if end["outcome"] == "pass":
        return "placement" if off_device else "passed"
    failure = end.get("failure") or {}
    return "%s: %s" % (end["outcome"], (failure.get("message") or end.get("reason") or "")[:200])
