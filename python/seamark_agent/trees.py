"""A result beside its reference, leaf by leaf; and the same case in another dtype."""

from .adapters.base import widen
from .compare import (
    CaseDefect,
    Mismatch,
    compare_arrays,
    compare_plain,
    cpu_bound,
    cpu_error,
    least_exact,
)
from .inputs import kind_of


def numpy_function(np, case):
    """numpy.linalg.svd for jax.numpy.linalg.svd, tf.experimental.numpy.x or torch.x."""
    tail = case.function.split(".")[1:]
    for start in range(len(tail)):
        found = np
        for part in tail[start:]:
            found = getattr(found, part, None)
            if found is None:
                break
        if callable(found):
            return lambda np_, *inputs, **params: found(*inputs)
    raise CaseDefect('reference="numpy": numpy has no %s' % ".".join(tail))


def call_reference(np, case, function, inputs):
    """function(np, *inputs, **params) on what was drawn: widened values, inputs first, then parameters."""
    params = {
        key: value
        for key, value in case.params.items()
        if key not in ("dtype", "shape", "function", "fn", "draw")
    }
    with np.errstate(all="ignore"):
        return function(np, *inputs, **params)


def compare_call_dtypes(handle, native):
    """What a body looks at through invariants or statistics has a dtype, too."""
    if native.error is not None or len(native.result_dtypes) != len(handle.result_dtypes):
        return
    for number, (got, want) in enumerate(zip(handle.result_dtypes, native.result_dtypes), 1):
        if len(got) == len(want) and got != want:
            raise Mismatch(
                "call %d returned dtype %s, expected %s" % (number, ", ".join(got), ", ".join(want))
            )


AT_MOST = object()  # as slack: all that there may be


def compare_trees(np, adapter, case, got, want, native, report, values=True, slack=None):
    """Raises Mismatch where structure, shape, dtype or values differ. `slack`: what the CPU makes of it in
    the tested dtype, whose own error is no fault of the target; or AT_MOST."""
    left, right = adapter.flatten(got), adapter.flatten(want)
    third = adapter.flatten(native) if native is not None else [(None, None)] * len(left)
    if len(left) != len(right) or len(left) != len(third):
        raise Mismatch("the result has %d leaves, expected %d" % (len(left), len(right)))
    if slack is None or slack is AT_MOST:
        spare = [(None, slack)] * len(left)
    else:
        spare = adapter.flatten(slack)
        if len(spare) != len(left):
            spare = [(None, None)] * len(left)
    for (path, one), (_, two), (_, plain), (_, rough) in zip(left, right, third, spare):
        compare_leaf(np, adapter, case, path, one, two, plain, report, values, rough)


def compare_leaf(np, adapter, case, path, got, want, native, report, values, rough=None):
    ours = adapter.is_array(got)
    if not ours and not isinstance(got, (np.ndarray, np.generic)):
        if isinstance(want, (np.ndarray, np.generic)) and getattr(want, "ndim", 1) == 0:
            want = want.item()
        if values:
            compare_plain(path, got, want)
        return
    dtype = adapter.dtype_name(got) if ours else _numpy_dtype_name(got, case)
    if ours and adapter.is_array(native) and adapter.dtype_name(native) != dtype:
        raise Mismatch(
            "result%s has dtype %s, expected %s" % (path, dtype, adapter.dtype_name(native))
        )
    left = adapter.to_numpy(got) if ours else np.asarray(got)
    right = adapter.to_numpy(want) if adapter.is_array(want) else np.asarray(want)
    if not values:
        if tuple(left.shape) != tuple(right.shape):
            raise Mismatch(
                "result%s has shape %s, expected %s" % (path, tuple(left.shape), tuple(right.shape))
            )
        return
    floating = left.dtype.kind in "fc" or right.dtype.kind in "fc"
    tested = least_exact(dtype, case.dtype) if floating else dtype
    spare = 0.0
    if floating and rough is AT_MOST:
        spare = cpu_bound(np, right, tested, adapter.framework)
    elif floating and adapter.is_array(rough):
        spare = cpu_error(np, adapter.to_numpy(rough), right, tested, adapter.framework)
    compare_arrays(np, path, left, right, tested, adapter.framework, case, report, spare)


def _numpy_dtype_name(array, case):
    kind = array.dtype.kind
    if kind in "fc" and case.dtype and kind_of(case.dtype) in ("float", "complex"):
        return case.dtype
    return {"f": "f32", "c": "c64", "b": "bool"}.get(kind, "i64")


class WithDtype:
    """A case, with another dtype parameter."""

    def __init__(self, case, dtype):
        self._case = case
        self.params = dict(case.params, dtype=dtype)
        self.dtype = dtype

    def __getattr__(self, name):
        return getattr(self._case, name)


class Rounding:
    """An adapter whose inputs are rounded to a narrow dtype first and then given in the wide one."""

    def __init__(self, adapter, narrow):
        self._adapter, self._narrow = adapter, narrow

    def __getattr__(self, name):
        return getattr(self._adapter, name)

    def from_numpy(self, array, dtype, place, grad=False, noncontiguous=False):
        if dtype == widen(self._narrow):
            rounded = self._adapter.from_numpy(array, self._narrow, "native")
            array = self._adapter.to_numpy(rounded)
        return self._adapter.from_numpy(array, dtype, place, grad=grad, noncontiguous=noncontiguous)
