"""Is a result right? Leaf by leaf against the reference, with the frameworks' published tolerances."""

import math

from .inputs import kind_of

# (rtol, atol) per dtype as the frameworks' own test helpers use them, never loosened for a target. A framework that
# publishes none takes PyTorch's.
#   torch       torch.testing._comparison._DTYPE_PRECISIONS (2.13)
#   jax         jax._src.public_test_util._default_tolerance, with its atol = rtol (0.10)
#   tensorflow  tf.test.TestCase.assertAllCloseAccordingToType (2.21)
TOLERANCES = {
    "torch": {
        "f16": (1e-3, 1e-5),
        "bf16": (1.6e-2, 1e-5),
        "f32": (1.3e-6, 1e-5),
        "f64": (1e-7, 1e-7),
        "c32": (1e-3, 1e-5),
        "c64": (1.3e-6, 1e-5),
        "c128": (1e-7, 1e-7),
    },
    "jax": {
        "f16": (1e-3, 1e-3),
        "bf16": (1e-2, 1e-2),
        "f32": (1e-6, 1e-6),
        "f64": (1e-15, 1e-15),
        "c64": (1e-6, 1e-6),
        "c128": (1e-15, 1e-15),
    },
    "tensorflow": {
        "f16": (1e-3, 1e-3),
        "bf16": (1e-2, 1e-2),
        "f32": (1e-6, 1e-6),
        "f64": (1e-6, 1e-6),
        "c64": (1e-6, 1e-6),
        "c128": (1e-6, 1e-6),
    },
    "selftest": {"f64": (1e-12, 1e-12)},
}
_ORDER = ("bf16", "f16", "c32", "f32", "c64", "f64", "c128")  # least exact first

# Bits of the significand, and the exponent of the smallest normal number, of a dtype's parts.
_PARTS = {"c32": "f16", "c64": "f32", "c128": "f64"}
_BITS = {"f16": (11, -14), "bf16": (8, -126), "f32": (24, -126), "f64": (53, -1022)}

_LARGEST = {"f16": 65504.0, "bf16": 3.3895313892515355e38, "f32": 3.4028234663852886e38}


class Skip(Exception):
    """Raised in a body: this case says nothing about this target, for this reason."""


class CheckFailed(AssertionError):
    """t.expect or t.statistics found the result wrong."""


class CaseDefect(Exception):
    """The case itself is at fault (a trivial reference, an unknown dtype)."""


class NoSuchHelper(CaseDefect, AttributeError):
    """A body asks the handle for what it does not have."""


class ReferenceFailed(CaseDefect):
    """The reference raises, where plain CPU execution does not."""


class Mismatch(Exception):
    """The result differs from the reference; the message says where and by how much."""


class NoGradient(Mismatch):
    """A gradient is asked for, and there is none."""


class ValuesDiffer(Mismatch):
    """Structure, shape and dtype are right: only here can precision be the cause."""

    excess = float("inf")  # the greatest difference, in tolerances


class Report:
    """The largest differences seen, for the record."""

    def __init__(self):
        self.max_abs_err = None
        self.max_rel_err = None
        self.max_ulp_err = None
        self.rtol = None
        self.atol = None

    def note(self, abs_err, rel_err, ulp_err, rtol, atol):
        self.max_abs_err = _larger(self.max_abs_err, abs_err)
        self.max_rel_err = _larger(self.max_rel_err, rel_err)
        self.max_ulp_err = _larger(self.max_ulp_err, ulp_err)
        self.rtol = _larger(self.rtol, rtol)
        self.atol = _larger(self.atol, atol)


def _larger(one, other):
    return max((number for number in (one, other) if number is not None), default=None)


def _table(framework):
    return TOLERANCES.get(framework, TOLERANCES["torch"])


def tolerance(framework, dtype, rtol, atol):
    """(rtol, atol) of a dtype; a case's own figures come first, then the framework's table."""
    base = _table(framework).get(dtype, (0.0, 0.0))
    return rtol.get(dtype, base[0]), atol.get(dtype, base[1])


def least_exact(*dtypes):
    """The dtype with the widest tolerance; integers and bool are exact and lose to any other."""
    known = [dtype for dtype in dtypes if dtype in _ORDER]
    return min(known, key=_ORDER.index) if known else next((d for d in dtypes if d), "bool")


def overflowed(np, got, want, dtype):
    """`want` with infinities where the narrow dtype has no such number: there an infinity is right."""
    most = _LARGEST.get(dtype)
    if most is None or got.dtype.kind != "f" or want.dtype.kind != "f":
        return want
    return np.where(np.isinf(got) & (np.abs(want) >= most), np.copysign(np.inf, want), want)


def spacing(np, scale, dtype):
    """One ULP of the dtype at these magnitudes, rounded to it: never less than that of its smallest normal
    number. None for a dtype without."""
    if _PARTS.get(dtype, dtype) not in _BITS:
        return None
    bits, least = _BITS[_PARTS.get(dtype, dtype)]
    part, exponent = np.frexp(scale)  # part: from a half to one
    exponent = exponent - 1 + (np.rint(np.ldexp(part, bits)) == 2.0**bits)
    exponent = np.where(scale > 0, np.maximum(exponent, least), least)
    return np.ldexp(1.0, exponent - (bits - 1))


def cpu_error(np, rough, want, dtype, framework):
    """What a case with slack="cpu" allows beside the published tolerance: four times the error of the CPU in
    the tested dtype, where that is still small (a thousand of the published rtol, at most a tenth)."""
    if rough.shape != want.shape or not rough.size or rough.dtype == object or want.dtype == object:
        return 0.0
    with np.errstate(all="ignore"):
        error = distance(np, rough, want)
        known = np.isfinite(error) & np.isfinite(want)
        if not bool(known.any()):
            return 0.0
        error = float(error[known].max())
    return min(4 * error, cpu_bound(np, want, dtype, framework))


def cpu_bound(np, want, dtype, framework):
    """The most that cpu_error gives: it depends on the reference and the dtype alone."""
    values = want if want.dtype != object else np.zeros(0)
    values = np.abs(values[np.isfinite(values)])
    scale = max(float(values.max()), 1.0) if values.size else 1.0
    return min(1000 * _table(framework).get(dtype, (1e-7, 0.0))[0], 0.1) * scale


def distance(np, one, other):
    """|one - other|; of integers of 64 bits it may be beyond any of theirs."""
    if one.dtype.kind == other.dtype.kind == "i":
        return (np.maximum(one, other) - np.minimum(one, other)).astype(np.uint64)
    return np.abs(one - other)


def magnitude(np, one):
    return distance(np, one, np.zeros_like(one, shape=()))


def close(np, got, want, rtol, atol):
    """Where numbers are within the tolerance, or both are NaN. Close to an infinity is nothing but itself; where a complex
    number has one, its parts are compared."""
    with np.errstate(all="ignore"):
        near = np.isfinite(want) & (distance(np, got, want) <= atol + rtol * magnitude(np, want))
        near |= (got == want) | (_isnan(np, got) & _isnan(np, want))
        beside = np.isinf(want)
        if "c" in (want.dtype.kind, got.dtype.kind) and beside.any():
            parts = (close(np, one(got), one(want), rtol, atol) for one in (np.real, np.imag))
            near |= beside & np.logical_and(*parts)
        return near


def compare_arrays(np, path, got, want, dtype, framework, case, report, spare=0.0):
    """Raises Mismatch. `got` and `want` are NumPy arrays of f64, c128, i64, bool or object (strings)."""
    where = "result" + path
    if tuple(got.shape) != tuple(want.shape):
        raise Mismatch(
            "%s has shape %s, expected %s" % (where, tuple(got.shape), tuple(want.shape))
        )
    if got.dtype == object or want.dtype == object or got.dtype.kind in "SUV":
        if not bool(np.all(got == want)):
            raise Mismatch("%s differs: %r, expected %r" % (where, _short(got), _short(want)))
        return
    if got.size == 0:
        return
    exact = kind_of(dtype) in ("int", "uint", "bool")
    rtol, atol = (0.0, 0.0) if exact else tolerance(framework, dtype, case.rtol, case.atol)
    if got.dtype == bool or want.dtype == bool:
        got, want = got.astype(np.int64), want.astype(np.int64)
    atol = max(atol, spare)
    with np.errstate(all="ignore"):
        want = overflowed(np, got, want, dtype)
        difference = distance(np, got, want)
        scale = magnitude(np, want)
        bad = ~close(np, got, want, rtol, atol)
        finite = np.isfinite(difference)
        abs_err = float(np.max(np.where(finite, difference, 0.0)))
        rel_err = float(
            np.max(np.where(finite & (scale > 0), difference / np.where(scale > 0, scale, 1), 0.0))
        )
        ulp = spacing(np, np.where(finite, scale, 0.0), dtype)
        ulp_err = None if ulp is None else float(np.max(np.where(finite, difference, 0.0) / ulp))
    report.note(abs_err, rel_err, ulp_err, rtol, atol)
    if bool(bad.any()):
        index = tuple(int(i) for i in np.argwhere(bad)[0]) if bad.ndim else ()
        error = ValuesDiffer(
            "%s: %d of %d elements differ; first at %s: %r, expected %r; greatest difference %.3g "
            "absolute, %.3g relative; tolerance rtol=%g atol=%g (%s)"
            % (where, int(bad.sum()), bad.size, list(index), _item(got, index), _item(want, index),
               abs_err, rel_err, rtol, atol, dtype)
        )  # fmt: skip
        with np.errstate(all="ignore"):
            excess = (difference / (atol + rtol * scale))[bad]
            error.excess = float(np.max(np.where(np.isnan(excess), np.inf, excess)))
        raise error


def compare_plain(path, got, want):
    """Python values: equal, or equal floats to 1e-6."""
    if isinstance(got, float) and isinstance(want, (int, float)):
        if got == want or math.isclose(got, want, rel_tol=1e-6, abs_tol=1e-9):
            return
        if math.isnan(got) and math.isnan(want):
            return
    elif type(got) is type(want) and got == want:
        return
    raise Mismatch("result%s is %r, expected %r" % (path, _short(got), _short(want)))


def is_trivial(np, arrays):
    """Whether numeric reference arrays could be passed by accident: all empty, or each constant."""
    numeric = [array for array in arrays if array.dtype != object and array.dtype.kind not in "SUV"]
    if not numeric:
        return False
    for array in numeric:
        if array.size == 1 and array.reshape(-1)[0] != 0:
            return False
        if array.size > 1 and not bool(np.all((array == array.reshape(-1)[0]) | _isnan(np, array))):
            return False
    return True


def _isnan(np, array):
    return np.isnan(array) if array.dtype.kind in "fc" else np.zeros(array.shape, bool)


def _item(array, index):
    return array[index].item()


def _short(value):
    text = repr(value)
    return text if len(text) <= 200 else text[:200] + "..."
