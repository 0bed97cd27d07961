"""Mutation check: can the cases fail? Each chosen case runs with a function that is subtly wrong, and is compared as
any other run of that target is.

The function under test is replaced, on the target alone, by one whose results, or arguments, are changed as `KINDS`
says. What differs from the right result by no more than the tolerance allows is no mutant (equivalent).
"""

import hashlib
import json
import threading

from .compare import close, least_exact, tolerance
from .harness import Runner, import_numpy
from .inputs import kind_of

KINDS = {
    "zeros": "all results are zero",
    "dtype": "the right numbers in another dtype",
    "device": "the right result on another device",
    "perturb": "one number is off by a tenth of the largest, or by one",
    "near-3": "one number is off by three times what is allowed",
    "near-30": "one number is off by thirty times what is allowed",
    "sign": "the largest number has the other sign",
    "roll": "every number stands one place too far",
    "finite": "an infinity or NaN is a number",
    "narrow": "the numbers have the precision of the next narrower dtype",
    "stale": "the result is that of other inputs",
    "swapped": "the first two arrays of the arguments are exchanged",
    "gradient": "one gradient is missing",
    "nothing": "what returns nothing does nothing",
}
_OTHER_DTYPE = {
    "f16": "f32", "bf16": "f32", "f32": "f16", "f64": "f32", "c64": "c128", "c128": "c64", "i8": "i32",
    "i16": "i32", "i32": "i16", "i64": "i32", "u8": "i32", "u16": "i32", "u32": "i32", "u64": "i32", "bool": "i32",
}  # fmt: skip
# Bits of the significand: f64 as f32, f32 as f16, f16 as bf16, bf16 as f8.
_NARROW_BITS = {"f64": 24, "c128": 24, "f32": 11, "c64": 11, "f16": 8, "bf16": 4}
UNCHANGED_FAILS = "does not pass unchanged"
_ONE_LEAF = ("near-3", "near-30", "sign", "roll", "narrow")  # these change one array of a result
_NOT_OF_DRAWS = (
    "perturb", "near-3", "near-30", "sign", "roll", "finite", "narrow", "stale", "swapped",
)  # fmt: skip


class Recorder:
    """Changes nothing and keeps each call's arrays: [(dtype, values)] or None where the call gave none."""

    def __init__(self, np):
        self.np, self.calls, self.returned = np, [], False

    def arguments(self, adapter, args):
        return args

    def call(self, handle, unit):
        self.calls.append(None)
        result = unit()
        handle._adapter.synchronize(result)
        self.calls[-1] = self._arrays(handle._adapter, result)
        self.returned = self.returned or result is not None
        return result

    def special(self):
        """Whether any result has an infinity or NaN."""
        return any(
            not self.np.isfinite(values).all()
            for call in self.calls
            for _, values in call or ()
            if values is not None and values.dtype.kind in "fc"
        )

    def _arrays(self, adapter, result):
        leaves = [leaf for _, leaf in adapter.flatten(result) if adapter.is_array(leaf)]
        found = [read(adapter, leaf) for leaf in leaves]
        return [(dtype, self.np.array(values)) for dtype, values in found]


def read(adapter, leaf):
    """(dtype, values) of an array; (None, None) of a key, a string, a sparse tensor: nothing to make wrong."""
    try:
        dtype, values = adapter.dtype_name(leaf), adapter.to_numpy(leaf)
    except Exception:
        return None, None
    return (dtype, values) if dtype in _OTHER_DTYPE else (None, None)


class Mutation:
    """One kind of wrongness. `changed`: whether a call of the case was made wrong beyond the tolerance.
    `right` and `other`: the calls of a Recorder, with these inputs and with others."""

    def __init__(self, kind, np, case=None, right=(), other=(), draw=0.0):
        self.kind, self.np, self.case, self.changed = kind, np, case, False
        self._right, self._other, self._draw = right, other, draw
        self._number = -1  # of the call
        self._leaf = 0  # of its result, of those that are arrays
        self._chosen = None  # the leaf that is changed; None: all
        self._swapped = False

    def arguments(self, adapter, args):
        if self.kind != "swapped":
            return args
        found = [index for index, one in enumerate(args) if adapter.is_array(one)][:2]
        self._swapped = len(found) == 2
        if not self._swapped:
            return args
        changed = list(args)
        changed[found[0]], changed[found[1]] = args[found[1]], args[found[0]]
        return changed

    def call(self, handle, unit):
        """The result of the wrong function."""
        self._number, self._leaf = self._number + 1, 0
        adapter, place = handle._adapter, handle._at
        if self.kind == "nothing":
            self.changed = True
            return None
        result = unit()
        adapter.synchronize(result)
        arrays = [leaf for _, leaf in adapter.flatten(result) if adapter.is_array(leaf)]
        if self.kind == "swapped":
            self._note_swapped([read(adapter, leaf) for leaf in arrays])
            return result
        if self.kind == "gradient":
            if not self.case.grad or not result[1]:
                return result
            self.changed = True
            return result[0], list(result[1])[:-1] + [None]
        if self.kind in _ONE_LEAF and arrays:
            self._chosen = int(self._draw * len(arrays))
        return self._tree(adapter, place, result)

    def _note_swapped(self, arrays):
        """Whether the exchange changed the result: shapes, or values beyond the tolerance."""
        right = self._at(self._right)
        if not self._swapped or right is None or len(right) != len(arrays):
            return
        for (dtype, values), (_, wanted) in zip(arrays, right):
            if dtype is not None and wanted is not None:
                same_shape = values.shape == wanted.shape
                self.changed = self.changed or not same_shape or self._differ(dtype, values, wanted)

    def _at(self, calls):
        return calls[self._number] if self._number < len(calls) else None

    def _tree(self, adapter, place, value):
        if adapter.is_array(value):
            self._leaf += 1
            if self._chosen is not None and self._leaf - 1 != self._chosen:
                return value
            return self._array(adapter, place, value)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)(*[self._tree(adapter, place, item) for item in value])
        if type(value) in (list, tuple) or hasattr(value, "n_sequence_fields"):  # as of torch.max
            return type(value)([self._tree(adapter, place, item) for item in value])
        if type(value) is dict:
            return {key: self._tree(adapter, place, item) for key, item in value.items()}
        if type(value) in (bool, int, float, complex):
            return self._number_of_python(value)
        return value

    def _number_of_python(self, value):
        wrong = value
        if self.kind == "zeros":
            wrong = type(value)(0)
        elif self.kind == "perturb":
            wrong = not value if isinstance(value, bool) else value + 1
        elif self.kind == "sign" and not isinstance(value, bool):
            wrong = -value
        self.changed = self.changed or wrong != value
        return wrong

    def _array(self, adapter, place, leaf):
        dtype, values = read(adapter, leaf)
        if dtype is None:
            return leaf
        if self.kind == "device":
            return self._elsewhere(adapter, leaf, dtype, values)
        if self.kind == "dtype":
            made = adapter.from_numpy(values, _OTHER_DTYPE[dtype], place)
            self.changed = self.changed or adapter.dtype_name(made) != dtype
            return made
        wrong = self._wrong(dtype, values)
        if wrong is None:
            return leaf
        made = self._made(adapter, place, leaf, dtype, values, wrong)
        self.changed = self.changed or self._differ(dtype, adapter.to_numpy(made), values)
        return made

    def _made(self, adapter, place, leaf, dtype, values, wrong):
        """The wrong numbers, where a gradient still flows through: a body may take one of the result."""
        if kind_of(dtype) in ("float", "complex") and self.kind != "finite":
            with self.np.errstate(all="ignore"):
                known = self.np.isfinite(values) & self.np.isfinite(wrong)
                shift = self.np.where(known, wrong - values, 0)
            try:
                return leaf + adapter.from_numpy(shift, dtype, place)
            except Exception:
                pass  # nothing can be added to it
        return adapter.from_numpy(wrong, dtype, place)

    def _differ(self, dtype, wrong, values):
        """Whether values differ by more than is allowed."""
        if wrong.dtype == bool or kind_of(dtype) not in ("float", "complex"):
            return bool((wrong != values).any())
        return not close(self.np, wrong, values, *self._tolerance(dtype)).all()

    def _tolerance(self, dtype):
        dtype = least_exact(dtype, self.case.dtype)
        return tolerance(self.case.framework, dtype, self.case.rtol, self.case.atol)

    def _allowed(self, dtype, values):
        rtol, atol = self._tolerance(dtype)
        return atol + rtol * self.np.abs(values)

    def _wrong(self, dtype, values):
        """Other values of the same shape; None where this kind has none."""
        np, floating = self.np, kind_of(dtype) in ("float", "complex")
        if self.kind == "zeros":
            return np.zeros_like(values)
        if self.kind == "stale":
            return self._stale(dtype, values)
        if not values.size:
            return None
        if self.kind == "perturb":
            return self._perturbed(values)
        if self.kind == "roll":
            return np.roll(values.reshape(-1), 1).reshape(values.shape)
        if self.kind == "sign" and values.dtype != bool and dtype[0] != "u":
            finite = np.where(np.isfinite(values), np.abs(values), -1.0).reshape(-1)
            return self._with(values, int(finite.argmax()), lambda one: -one)
        if self.kind == "finite" and floating:
            return self._finite(values)
        if self.kind == "narrow" and floating:
            return _rounded(np, values, _NARROW_BITS[dtype])
        if self.kind.startswith("near-") and floating:
            return self._near(dtype, values, int(self.kind[len("near-") :]))
        return None

    def _with(self, values, at, change):
        wrong = self.np.array(values)
        flat = wrong.reshape(-1)
        flat[at] = change(flat[at])
        return wrong

    def _near(self, dtype, values, times):
        """The allowed error is the harness's: what a body alone looks at has its own."""
        finite = self.np.flatnonzero(self.np.isfinite(values))
        if self.case.reference in ("none", "shapes", "runs") or not finite.size:
            return None
        at = int(finite[finite.size // 2])
        return self._with(values, at, lambda one: one + times * self._allowed(dtype, one))

    def _finite(self, values):
        special = self.np.flatnonzero(~self.np.isfinite(values))
        if not special.size:
            return None
        return self._with(values, int(special[special.size // 2]), lambda _: 1)

    def _stale(self, dtype, values):
        found = self._at(self._other) or []
        if self._leaf > len(found):
            return None
        kept, old = found[self._leaf - 1]
        return old if kept == dtype and old.shape == values.shape else None

    def _perturbed(self, values):
        """One element, in the middle, is off by a tenth of the largest, or by one."""
        np = self.np
        if values.dtype.kind == "b":
            return self._with(values, values.size // 2, lambda one: not one)
        if values.dtype.kind not in "fc":
            return self._with(values, values.size // 2, lambda one: one + 1)
        largest = np.abs(values[np.isfinite(values)]).max(initial=0)
        finite = np.flatnonzero(np.isfinite(values))
        if not finite.size:
            return None
        at = int(finite[finite.size // 2])
        return self._with(values, at, lambda one: one + largest / 10 + 0.1)

    def _elsewhere(self, adapter, leaf, dtype, values):
        if adapter.cpu_is_reference:
            return leaf  # the host is where it belongs
        moved = adapter.from_numpy(values, dtype, "native")
        self.changed = self.changed or not any(
            adapter.is_on_target(name) for name in adapter.devices(moved)
        )
        return moved


def _rounded(np, values, bits):
    """Values with that many bits of significand."""
    if values.dtype.kind == "c":
        return _rounded(np, values.real, bits) + 1j * _rounded(np, values.imag, bits)
    part, exponent = np.frexp(values)
    return np.where(
        np.isfinite(values), np.ldexp(np.round(np.ldexp(part, bits)), exponent - bits), values
    )


class Quick(Runner):
    """Outcomes alone: neither where a call ran (unless that is what is wrong) nor a failure's cause is asked for."""

    def _body(self, handle, prove, state):
        of_place = getattr(self.mutation, "kind", None) == "device"
        return super()._body(handle, prove and of_place, state)

    def _right_at_highest(self, case, np):
        return False

    def _rerun_in_f64(self, case, np, error):
        return None

    def _fails_natively(self, case, np, error):
        return False


class _Calls(Quick):
    """Makes the calls and compares nothing."""

    def _compare(self, case, np, handle, got, state):
        pass


def chosen(name, seed, share):
    """Whether a seeded draw of this share takes the case; the same on every machine."""
    return _draw("%s/%d" % (name, seed)) < share


def _draw(text):
    return int.from_bytes(hashlib.sha256(text.encode("utf-8")).digest()[:8], "little") / 2.0**64


_PLACES = len(KINDS) + 1  # of a case: the right function, then each kind


def check(adapter, cases, seed=0, share=0.1, one=False, begin=0, announce=None):
    """Yields one dict per mutant of each chosen case (`one`: of one kind, drawn, that changes something): case, kind,
    noticed (None: it changes nothing beyond what is allowed), how.

    `announce(place, case's name, kind)` is called before each; `begin` is the place to start from."""
    np, problem = import_numpy()
    if problem:
        raise RuntimeError(problem["reason"])
    for number, case in enumerate(item for item in cases if chosen(item.name, seed, share)):
        place = number * _PLACES
        if place + _PLACES <= begin:
            continue

        def told(kind, at, place=place, case=case):
            if announce:
                announce(place + at, case.name, kind)

        for found in _of_case(adapter, case, seed, np, max(begin - place, 0), told):
            yield found
            if one and found["noticed"] is not None:
                break


def _of_case(adapter, case, seed, np, begin, told):
    right = Recorder(np)
    told(None, 0)
    end = Quick(adapter, seed, mutation=right).run(case, "correctness")
    if end["outcome"] != "pass":
        yield {"case": case.name, "kind": None, "noticed": None, "how": UNCHANGED_FAILS}
        return
    other = Recorder(np)
    _Calls(adapter, seed + 1, mutation=other).run(case, "correctness")
    start = int(_draw("kind/%s/%d" % (case.name, seed)) * len(KINDS))
    kinds = list(KINDS)
    for at, kind in enumerate(kinds[start:] + kinds[:start], 1):
        if at < begin or not _may_be(kind, case, adapter, right, end):
            continue
        told(kind, at)
        draw = _draw("leaf/%s/%s/%d" % (kind, case.name, seed))
        mutation = Mutation(kind, np, case, right.calls, other.calls, draw)
        wrong = Quick(adapter, seed, mutation=mutation).run(case, "correctness")
        yield _told(case, kind, mutation, end, wrong)


def supervised(start, one=False, patience=120.0):
    """What check() yields in a process of its own, which wrong functions may end or keep for ever: a run notices
    both. `start(place)` begins such a process (a Popen) there; it writes announcements and findings as JSON lines,
    and `true` at the end. An exit that is no signal's raises RuntimeError. `patience`: seconds without a line."""
    place = 0
    while True:
        child, silent, announced = start(place), threading.Event(), None
        for event in _lines(child, patience, silent):
            if event is True:
                child.stdout.close()
                child.wait()
                return
            if "at" in event:
                announced = event
            else:
                yield event
        status = child.wait()
        if announced is None or status >= 0:
            raise RuntimeError("the process of the mutants ended with status %d" % status)
        kind, place = announced["kind"], announced["at"] + 1
        if kind is None or one:
            place = (announced["at"] // _PLACES + 1) * _PLACES
        how = "no end in %d s" % patience if silent.is_set() else "signal %d" % -status
        yield {
            "case": announced["case"],
            "kind": kind,
            "noticed": None if kind is None else True,
            "how": UNCHANGED_FAILS if kind is None else how,
        }


def _lines(child, patience, silent):
    """The lines of a child, which is killed when none comes for so long."""

    def stop():
        silent.set()
        child.kill()

    while True:
        timer = threading.Timer(patience, stop)
        timer.start()
        try:
            line = child.stdout.readline()
        finally:
            timer.cancel()
        if not line.endswith(b"\n"):
            return
        yield json.loads(line)


def _may_be(kind, case, adapter, right, end):
    """Whether a case can have such a mutant: a draw has no one value, and on the CPU itself the result's own dtype
    is the expected one."""
    if kind == "nothing":
        return not right.returned
    if kind == "gradient":
        return case.grad
    if kind == "finite" and not right.special():
        return False
    if not right.returned or (kind in ("dtype", "device") and adapter.cpu_is_reference):
        return False
    drawn = case.random is True or end["reference"].get("kind") in ("shapes", "statistics")
    return not (drawn and kind in _NOT_OF_DRAWS)


def _told(case, kind, mutation, right, wrong):
    found = {"case": case.name, "kind": kind, "noticed": None, "how": "equivalent"}
    if not mutation.changed:
        return found
    off_device = kind == "device" and wrong["placement"]["where"] == "host"
    weaker = right["evidence"] == "verified" and wrong["evidence"] != "verified"
    found["noticed"] = wrong["outcome"] != "pass" or off_device or weaker
    if wrong["outcome"] != "pass":
        failure = wrong.get("failure") or {}
        text = (failure.get("message") or wrong.get("reason") or "")[:200]
        found["how"] = "%s: %s" % (wrong["outcome"], text)
    else:
        found["how"] = "placement" if off_device else "not verified" if weaker else "passed"
    return found
