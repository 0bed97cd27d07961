"""Reductions: sum, mean, max, any, all, argmax, of today and of version 1; running sums."""

from seamark_suites.case import case

from . import reference_totals as right
from .arithmetic import INF, NAN, each
from .reference import with_gradient

SUMS = "reduce_sum reduce_mean compat.v1.reduce_sum compat.v1.reduce_mean"
NUMBERS = SUMS + " reduce_max"
LOGICAL = "reduce_any reduce_all"
REDUCTIONS = NUMBERS + " " + LOGICAL
# Sums of many terms: TensorFlow's own tests of reductions allow 1e-5 in f32.
_SUM = {"f32": 1e-5}


def drawn(t, function, shape, dtype):
    """Sums that do not cancel; a greatest number that is alone; both truths in most rows."""
    if dtype == "bool":
        return t.randn(shape, dtype)
    if function.endswith("max"):
        return t.distinct(shape, dtype)
    if function.endswith("mean") and dtype in ("i32", "i64"):
        return t.randint(shape, dtype, 1, 100)  # of few numbers the means may all be the same
    return t.randint(shape, dtype, 1, 4) if dtype[0] in "iu" else t.uniform(shape, dtype, 0.5, 2)


@each(NUMBERS, right.of, dtypes="f32 bf16 i32 i64", axis=[None, 0, -1], rtol=_SUM)
@each(NUMBERS, right.of, dtypes="f16 f64", axis=[1], core=False, rtol=_SUM)
@each(
    NUMBERS, right.of, dtypes="i8 u8", axis=[1], core=False, trivial="weak"
)  # under some seeds all means are the same
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


# --- axes and lengths that a reading found missing


MEANS = "reduce_mean compat.v1.reduce_mean"
FOUR = "reduce_sum compat.v1.reduce_sum " + MEANS
known = right.known
CHOSEN = [(), (0,), (-1, 1), (4, 2, 0), (1, 2, 3), (0, 1, 2, 3, 4)]


def _over(function):
    return lambda np, x: [known(function)(np, x, axis=axes) for axes in CHOSEN]


@each(FOUR, _over, dtypes="f32 i64", core=False, rtol=_SUM)
@each("reduce_any", _over, dtypes="bool", core=False)
def over_chosen_axes(t, dtype, function):
    """Of five axes none, the first, some from both ends, all; lists, tuples and tensors of i64 name them."""
    x = t.const(t.np.arange(72).reshape(2, 3, 2, 3, 2) % 23 == 5, dtype) if dtype == "bool" else t.uniform((2, 3, 2, 3, 2), dtype, 1, 40)  # fmt: skip
    kinds = tuple, list, t.np.array, lambda axes: t.fw.constant(axes, t.fw.int64), list, tuple
    given = [kind(axes) for kind, axes in zip(kinds, CHOSEN)]
    return [t.call(function, x, axis=axes) for axes in given]


@each("reduce_any " + FOUR, lambda f: lambda np, x: [x, x, x[0], x[0]], core=False)
def of_one_number(t, function):
    """Without axes, over no axis, over an axis of one."""
    dtype = "bool" if function.endswith("any") else "f32"
    x = t.const([True], dtype) if dtype == "bool" else t.uniform((1,), dtype, 0.5, 2)
    one = x[0]
    given = (x, []), (one, []), (one, None), (x, 0)
    found = [t.call(function, one, axis=axis) for one, axis in given]
    return [found[0], found[1][None], *found[2:]]


@each("reduce_any " + FOUR, core=False)
def axes_twice_are_refused(t, function):
    """Named twice, from either end; of a number; truths where numbers are added, and numbers for truths."""
    truths = function.endswith("any")
    x = t.randn((3, 4), "bool" if truths else "f32")
    for axes in ([0, 0], [1, -1], [0, 2], -3):
        t.refuses(function, x, axis=axes)
    t.refuses(function, x[0, 0], axis=0)
    t.refuses(function, t.randn((3, 4), "f32" if truths else "bool"))


@each(
    FOUR,
    right.of,
    dtypes="f16 bf16",
    axis=[None, -1],
    core=False,
    rtol={"f16": 3e-3},
)
def of_many_terms(t, dtype, axis, function):
    """So many that a running sum of this kind is off by a hundredth, or stops to grow. Two roundings are allowed."""
    shape = (4096,) if axis is None else (3, 4096)
    return t.call(function, t.uniform(shape, dtype, 0, 1), axis=axis)


@each(FOUR, lambda f: with_gradient(lambda np, x: known(f)(np, x, axis=(0, 2))),
      dtypes="c64 c128", grad=True, core=False, rtol={"c64": 1e-5})  # fmt: skip
def gradient_of_complex(t, dtype, function):
    return t.call(function, t.uniform((3, 4, 2), dtype, 0.5, 2), axis=[0, 2])


@case("tf.reduce_mean", dtypes="f32", core=False, rtol=_SUM, reference=lambda np, *xs: [
      [x.mean(0), np.full(x.shape, 1 / len(x))] for x in xs])  # fmt: skip
def mean_of_rows_not_known(t, dtype):
    """What the gradient divides by is known when it runs."""

    def slopes(x):
        with t.fw.GradientTape() as tape:
            tape.watch(x)
            made = t.fw.reduce_mean(x, axis=0)
        return [made, tape.gradient(made, x)]

    spec = t.fw.TensorSpec([None, 3], t.dtype(dtype))
    program = t.fw.function(slopes, input_signature=[spec], autograph=False)
    return [t.call(program, t.uniform((n, 3), dtype, 0.5, 2)) for n in (3, 5, 8)]


@each(FOUR, lambda f: lambda np, x: np.zeros((2, 0)), dtypes="f32", trivial=True,
      core=False)  # fmt: skip
def gradient_of_nothing(t, dtype, function):
    """It has the shape of the input."""

    def slope(x):
        with t.fw.GradientTape() as tape:
            tape.watch(x)
            made = t.get(function)(x)
        return tape.gradient(made, x)

    return t.call(slope, t.randn((2, 0), dtype))


# --- running sums


@case("tf.cumsum", dtypes="f32 i32", core=False, rtol=_SUM, reference=lambda np, x: [
      right.running(np, x, axis, axis % 2 == 0, axis > 1) for axis in (0, 1, 2, 3, -1, -2, -4)])  # fmt: skip
def cumsum_of_four_axes(t, dtype):
    """Along each of them, named by a number or a tensor of either kind."""
    x = t.randint((3, 4, 2, 5), dtype, 1, 9)
    kinds = int, t.fw.constant, lambda axis: t.fw.constant(axis, t.fw.int64)
    axes = zip((0, 1, 2, 3, -1, -2, -4), kinds * 3)
    return [
        t.call("tf.cumsum", x, kind(axis), exclusive=axis % 2 == 0, reverse=axis > 1)
        for axis, kind in axes
    ]


@case("tf.cumsum", dtypes="i32 i64 u8 bf16", core=False, reference=lambda np, x: [
      right.running(np, x, 0, *chosen) for chosen in ((True, False), (False, True), (True, True))])  # fmt: skip
def cumsum_of_whole_numbers(t, dtype):
    """Without the own term, from the end, both. Small sums, which every kind holds."""
    x = t.randint((9, 3), dtype, 1, 9)
    options = (True, False), (False, True), (True, True)
    return [t.call("tf.cumsum", x, 0, exclusive, reverse) for exclusive, reverse in options]


@case("tf.cumsum", dtypes="i64 i32 f64", core=False, reference=lambda np, x: np.cumsum(x))
def cumsum_of_a_long_row(t, dtype):
    """Each of 70001 sums is exact."""
    return t.call("tf.cumsum", t.randint((70001,), dtype, -9, 10))


@case("tf.cumsum", dtypes="c64 c128", core=False, grad=True, exclusive=[True], reverse=[True], rtol={"c64": 1e-5},
      atol={"c64": 1e-5}, reference=running_gradient)  # fmt: skip
def cumsum_of_complex(t, dtype, exclusive, reverse):
    return t.call("tf.cumsum", t.randn((5, 3), dtype), exclusive=exclusive, reverse=reverse)


@case("tf.cumsum", dtypes="f32 bf16", core=False, reference=lambda np, x: [
      np.array(row) for row in ([1, 3, NAN, NAN], [NAN, NAN, NAN, 4], [0, 1, 3, NAN], [NAN, NAN, 4, 0])])  # fmt: skip
def cumsum_beside_nan(t, dtype):
    """From its place on, from either end; where the own term is no part, from the next."""
    x = t.const([1, 2, NAN, 4], dtype)
    options = (False, False), (False, True), (True, False), (True, True)
    return [t.call("tf.cumsum", x, 0, exclusive, reverse) for exclusive, reverse in options]


@case("tf.cumsum", reference="none", core=False)
def cumsum_refuses(t):
    """A number, an axis before the first, two axes, text."""
    x = t.randn((3, 4), "f32")
    t.refuses("tf.cumsum", x[0, 0])
    t.refuses("tf.cumsum", x, axis=-3)
    t.refuses("tf.cumsum", x, axis=[0, 1])
    t.refuses("tf.cumsum", t.fw.constant(["a"]))


# --- ragged rows, and argmax


@each("reduce_any " + FOUR, lambda f: lambda np, x: [
      known(f)(np, x), np.stack([known(f)(np, one) for one in np.split(x, [3, 4])]),
      np.stack([known(f)(np, one) for one in np.split(x, [2, 3, 4, 6])])], core=False, rtol=_SUM)  # fmt: skip
def over_ragged_axes(t, function):
    """Over all, over the last two of three axes, over the last: one, two, one and two rows."""
    x = t.const([0, 0, 1, 0, 0, 1, 1], "bool") if function.endswith("any") else t.uniform((7,), "f32", 0.5, 2)  # fmt: skip

    def reduced(x):
        rows = t.fw.RaggedTensor.from_nested_row_lengths(x, [[2, 1, 2], [2, 1, 1, 2, 1]])
        f = t.get(function)
        return [f(rows), f(rows, axis=[1, 2]), f(rows, axis=2).flat_values]

    return t.call(reduced, x)


@case("tf.argmax", core=False, reference=lambda np, x: [40000, 40000, x.argmax(0)])
def argmax_far_along(t):
    """In a row so long that its place needs all 16 bits without a sign."""
    x = t.const(t.np.where(t.np.arange(60000) == 40000, 2.0, -1.0)[:, None] * [1, -0.5], "f32")
    kinds = t.fw.uint16, t.fw.int32
    made = [t.call("tf.argmax", x[:, 0], output_type=kind) for kind in kinds]
    t.expect([one.dtype for one in made] == list(kinds), "the dtypes asked for")
    return [*(t.fw.cast(one, t.fw.int64) for one in made), t.call("tf.argmax", x, 0)]


@case("tf.argmax", core=False, reference="none")
def argmax_refuses(t):
    """A number, numbers without an order, text, places as fractions or bytes, an axis from before the first."""
    x = t.randn((3, 4), "f32")
    t.refuses("tf.argmax", x[0, 0])
    t.refuses("tf.argmax", t.randn((3,), "c64"))
    t.refuses("tf.argmax", t.fw.constant(["a", "b"]))
    t.refuses("tf.argmax", x, 1, t.fw.float32)
    t.refuses("tf.argmax", x, 1, t.fw.uint8)
    t.refuses("tf.argmax", x, -3)
    t.refuses("tf.argmax", x, [0, 1])
