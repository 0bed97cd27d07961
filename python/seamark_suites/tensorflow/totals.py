"""Reductions: sum, mean, max, any, all, argmax, of today and of version 1; running sums."""

from seamark_suites.case import case

from . import reference_totals as right
from .arithmetic import INF, NAN
from .reference import with_gradient

SUMS = "reduce_sum reduce_mean compat.v1.reduce_sum compat.v1.reduce_mean"
NUMBERS = SUMS + " reduce_max"
LOGICAL = "reduce_any reduce_all"
REDUCTIONS = NUMBERS + " " + LOGICAL
# Sums of many terms: TensorFlow's own tests of reductions allow 1e-5 in f32.
_SUM = {"f32": 1e-5}


def each(names, reference="none", **header):
    """The same header for several functions; `reference` may be made of the function's name."""

    def declare(body):
        for name in names.split():
            function = "tf." + name
            made = reference(function) if callable(reference) else reference
            case(function, reference=made, **header)(body)
        return body

    return declare


def drawn(t, function, shape, dtype):
    """Sums that do not cancel; a greatest number that is alone; both truths in most rows."""
    if dtype == "bool":
        return t.randn(shape, dtype)
    if function.endswith("max"):
        return t.distinct(shape, dtype)
    return t.randint(shape, dtype, 1, 4) if dtype[0] in "iu" else t.uniform(shape, dtype, 0.5, 2)


@each(NUMBERS, right.of, dtypes="f32 bf16 i32 i64", axis=[None, 0, -1], rtol=_SUM)
@each(NUMBERS, right.of, dtypes="f16 f64 i8 u8", axis=[1], core=False, rtol=_SUM)
@each(LOGICAL, right.of, dtypes="bool", axis=[0, -1])
@each("argmax", right.of, dtypes="f32 bf16 i32 i64", axis=[None, -1])
@each("argmax", right.of, dtypes="f16 f64 i8 u8", axis=[None, 1], core=False)
def reduced(t, dtype, axis, function):
    """Over all, or over one axis; argmax takes the first axis where none is named."""
    if dtype == "bool":
        few = t.np.array([[True, True, False, False], [False, True, False, False], [False] * 4])
        x = t.const(few if function == "tf.reduce_any" else ~few, dtype)
    else:
        x = drawn(t, function, (8, 15), dtype)
    return t.call(function, x, axis=axis)


@each(SUMS, right.of, dtypes="c64 c128", axis=[None, 1], core=False, rtol={"c64": 1e-5})
def reduced_complex(t, dtype, axis, function):
    return t.call(function, t.uniform((6, 9), dtype, 0.5, 2), axis=axis)


@each(NUMBERS, right.gradient_of, dtypes="f32 bf16", grad=True, axis=[None, 1], rtol=_SUM)
@each(NUMBERS, right.gradient_of, dtypes="f16 f64", grad=True, axis=[0], core=False)
def reduced_gradient(t, dtype, axis, function):
    return t.call(function, drawn(t, function, (6, 9), dtype), axis=axis)


@each(NUMBERS, right.gradient_of, dtypes="f32", keepdims=[True], axis=[(0, 2)], core=False, rtol=_SUM,
      grad=True)  # fmt: skip
def reduced_axes(t, dtype, keepdims, axis, function):
    """Several axes, which stay with one element."""
    x = drawn(t, function, (3, 4, 5), dtype)
    made = t.call(function, x, axis=list(axis), keepdims=keepdims)
    t.expect(tuple(made[0].shape) == (1, 4, 1), "shape (1, 4, 1)")
    return made


@each(LOGICAL, right.of, axis=[(0, 2)], keepdims=[True, False], core=False)
def reduced_truths(t, axis, keepdims, function):
    x = t.const([[[1, 1], [0, 0], [0, 0]], [[1, 1], [1, 0], [0, 0]]], "bool")
    return t.call(function, x, axis=list(axis), keepdims=keepdims)


@each(REDUCTIONS, lambda f: lambda np, x, *_, **__: right.known(f)(np, x, axis=1), core=False, rtol=_SUM)  # fmt: skip
def reduced_by_tensor(t, function):
    """The axis is data."""
    if function[3:] in LOGICAL.split():
        x = t.const([[True, False], [True, True], [False, False]], "bool")
    else:
        x = drawn(t, function, (4, 9), "f32")
    return t.call(function, x, t.const([1], "i32"))


@each(NUMBERS, right.of, dtypes="f32", axis=[0], core=False)
def reduced_special(t, dtype, axis, function):
    """NaN wins; infinities of both signs give NaN in a sum."""
    x = t.const([[NAN, INF, INF, -INF, 1.0], [1.0, 2.0, -INF, -INF, NAN]], dtype)
    return t.call(function, x, axis=axis)


@each(REDUCTIONS, core=False)
def reduced_nothing(t, function):
    """Nothing sums to 0 and has the mean NaN and the maximum -inf; all of it is true, nothing is."""
    name = function.rsplit(".", 1)[1]
    x = t.const(t.np.zeros((2, 0)), "bool" if name in LOGICAL.split() else "f32")
    got = t.host(t.call(function, x, axis=1))
    wanted = {
        "reduce_sum": 0,
        "reduce_mean": NAN,
        "reduce_max": -INF,
        "reduce_any": False,
        "reduce_all": True,
    }
    same = got.shape == (2,) and t.np.array_equal(
        got.astype(float), [float(wanted[name])] * 2, equal_nan=True
    )
    t.expect(same, "%s twice, got %s" % (wanted[name], got))


@each(NUMBERS + " argmax", right.of_each, dtypes="f32", core=False, rtol=_SUM)
def reduced_three_sizes(t, dtype, function):
    return [t.call(function, drawn(t, function, (n, 7), dtype), axis=0) for n in (5, 8, 13)]


@each(LOGICAL, right.of_each, core=False)
def truths_three_sizes(t, function):
    """Each has a column of both truths, one of true and one of false."""
    rows = [[True, True, False], [False, True, False]]
    return [t.call(function, t.const(rows * n, "bool"), axis=0) for n in (1, 3, 7)]


@each(NUMBERS + " argmax", right.of, dtypes="f32", axis=[1], large=True, rtol=_SUM)
def reduced_large(t, dtype, axis, function):
    """Short rows, so that the order of the terms matters little."""
    x = drawn(t, function, (65536, 64), dtype)
    return t.call(function, x, axis=axis)


@each(LOGICAL, right.of, axis=[1], large=True)
def truths_large(t, axis, function):
    x = t.const(t.np.arange(2**24).reshape(-1, 4) % 11 < 5, "bool")
    return t.call(function, x, axis=axis)


@each(REDUCTIONS + " argmax", core=False)
def reduced_refusals(t, function):
    """No such axis; strings."""
    x = t.randn((3, 4), "bool" if function[3:] in LOGICAL.split() else "f32")
    t.refuses(function, x, axis=2)
    t.refuses(function, t.fw.constant([["a"]]), axis=0)


@each("compat.v1.reduce_sum compat.v1.reduce_mean", right.of, dtypes="f32", axis=[1], keepdims=[True],
      core=False, rtol=_SUM)  # fmt: skip
def names_of_version_1(t, dtype, axis, keepdims, function):
    """The older names of axis and keepdims."""
    x = drawn(t, function, (4, 9), dtype)
    return t.call(function, x, reduction_indices=axis, keep_dims=keepdims)


@each("compat.v1.reduce_sum compat.v1.reduce_mean", core=False)
def both_names_are_refused(t, function):
    t.refuses(function, t.randn((3, 4), "f32"), axis=0, reduction_indices=1)


@each("reduce_max", right.gradient_of, dtypes="f32", grad=True, axis=[1], core=False)
def ties_share_the_gradient(t, dtype, axis, function):
    x = t.const([[1.0, 5.0, 5.0, 2.0], [7.0, 0.0, 3.0, 6.0]], dtype, grad=True)
    return t.call(function, x, axis=axis)


@each("argmax", right.of, dtypes="f32 i32", axis=[1], core=False)
def first_of_ties(t, dtype, axis, function):
    return t.call(function, t.const([[1, 5, 5, 2], [7, 0, 7, 7], [0, 0, 0, 3]], dtype), axis=axis)


@each("argmax", right.of, axis=[0], output=["i32", "i64"], core=False)
def argmax_output_type(t, axis, output, function):
    made = t.call(function, t.distinct((9, 5), "f32"), axis=axis, output_type=t.dtype(output))
    t.expect(made.dtype == t.dtype(output), "the dtype asked for")
    return made


@each("argmax", core=False)
def argmax_of_nothing_is_refused(t, function):
    t.refuses(function, t.randn((3, 0), "f32"), axis=1)


running_gradient = with_gradient(right.running, right.running_pull)


@case("tf.cumsum", dtypes="f32 bf16", axis=[0, 1], grad=True, name="cumsum_gradient", rtol=_SUM,
      reference=running_gradient)  # fmt: skip
@case("tf.cumsum", dtypes="f16 f64 c64 i8 u8", axis=[1], core=False, reference=right.running)
@case("tf.cumsum", dtypes="f32 bf16 i32 i64", axis=[0, -1], rtol=_SUM, reference=right.running)
def cumsum(t, dtype, axis):
    """Few terms of one sign: a running sum in bf16 keeps its digits."""
    x = t.randint((6, 7), dtype, 1, 4) if dtype[0] in "iu" else t.uniform((6, 7), dtype, 0.5, 2)
    return t.call("tf.cumsum", x, axis=axis)


@case("tf.cumsum", dtypes="f32", exclusive=[True, False], reverse=[True, False], axis=[1], grad=True,
      core=False, rtol=_SUM, atol={"f32": 1e-5}, reference=running_gradient)  # fmt: skip
def cumsum_options(t, dtype, exclusive, reverse, axis):
    x = t.uniform((4, 9), dtype, 0.5, 2)
    return t.call("tf.cumsum", x, axis=axis, exclusive=exclusive, reverse=reverse)


@case("tf.cumsum", dtypes="f32", core=False, reference=right.running)
def cumsum_special(t, dtype):
    """NaN stays from where it stands."""
    return t.call("tf.cumsum", t.const([1.0, INF, 2.0, -INF, 3.0], dtype))


@case("tf.cumsum", dtypes="f32", core=False, rtol=_SUM,
      reference=lambda np, *inputs: [np.cumsum(x, 0) for x in inputs])  # fmt: skip
def cumsum_three_sizes(t, dtype):
    return [t.call("tf.cumsum", t.uniform((n, 3), dtype, 0.5, 2)) for n in (5, 8, 13)]


@case("tf.cumsum", dtypes="f32", core=False, trivial=True, reference=right.running)
def cumsum_empty(t, dtype):
    return t.call("tf.cumsum", t.randn((0, 3), dtype))


@case("tf.cumsum", dtypes="i32", axis=[1], large=True, reference=right.running)
@case("tf.cumsum", dtypes="f32", axis=[1], large=True, rtol=_SUM, reference=right.running)
def cumsum_large(t, dtype, axis):
    """Rows of 64: a longer sum would test the order of its terms."""
    return t.call("tf.cumsum", t.uniform((65536, 64), dtype, 1, 4), axis=axis)


@case("tf.cumsum", reference="none", core=False)
def cumsum_refusals(t):
    t.refuses("tf.cumsum", t.randn((3, 4), "f32"), axis=2)
    t.refuses("tf.cumsum", t.const([True, False], "bool"))
