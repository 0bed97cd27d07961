"""Functions of one number: exp, log, log1p, sqrt, square, sigmoid, abs, floor."""

from seamark_suites.case import case

from . import reference_arithmetic as right

ALL = "exp math.log math.log1p sqrt square sigmoid abs floor"
SMOOTH = "exp math.log math.log1p sqrt square sigmoid"
SLOPED = SMOOTH + " abs"
# Where a function is defined and its result and gradient keep their digits in bf16.
DOMAINS = {
    "tf.math.log": (1.25, 6),
    "tf.math.log1p": (0.25, 4),
    "tf.sqrt": (0.25, 4),
    "tf.sigmoid": (-1.5, 1.5),
}


def each(names, reference="none", **header):
    """The same header for several functions; `reference` may be made of the function's name."""

    def declare(body):
        for name in names.split():
            function = "tf." + name
            made = reference(function) if callable(reference) else reference
            case(function, reference=made, **header)(body)
        return body

    return declare


def drawn(t, function, shape, dtype, **options):
    low, high = DOMAINS.get(function, (-3, 3))
    return t.uniform(shape, dtype, low, high, **options)


@each(SLOPED, right.one_gradient, dtypes="f32 bf16", shapes="16x33", grad=True, name="one_gradient")
@each(
    SLOPED,
    right.one_gradient,
    dtypes="f16 f64",
    shapes="16x33",
    grad=True,
    core=False,
    name="one_gradient",
)
@each(ALL, right.of_one, dtypes="f16 f64", shapes="64x33", core=False)
@each(ALL, right.of_one, dtypes="f32 bf16", shapes="64x33")
def one_number(t, dtype, shape, function):
    return t.call(function, drawn(t, function, shape, dtype))


@each(
    "exp square sqrt sigmoid math.log",
    right.one_gradient,
    dtypes="c64 c128",
    grad=True,
    core=False,
    name="one_complex_gradient",
)
@each(SLOPED, right.of_one, dtypes="c64 c128", core=False)
def one_complex(t, dtype, function):
    """Far from cuts and poles. The absolute value is a real number."""
    return t.call(function, t.uniform((7, 9), dtype, 0.5, 1.5))


@each("abs square", right.of_one, dtypes="i32 i64")
@each("abs square", right.of_one, dtypes="i8 i16", core=False)
def one_integer(t, dtype, function):
    """Integers keep their dtype."""
    made = t.call(function, t.randn((64, 33), dtype))
    t.expect(made.dtype == t.dtype(dtype), "the dtype of the input")
    return made


@each(ALL, right.of_one, dtypes="f32", shapes="0 3x0x2", trivial=True, core=False)
def one_of_nothing(t, dtype, shape, function):
    made = t.call(function, t.randn(shape, dtype))
    t.expect(tuple(made.shape) == shape, "the shape of the input")
    return made


@each(ALL, right.of_one, dtypes="f32 bf16", core=False)
def one_scalar(t, dtype, function):
    made = t.call(function, t.uniform((), dtype, 1.25, 1.75))
    t.expect(tuple(made.shape) == (), "a scalar")
    return made


@each(ALL, right.of_each, dtypes="f32", core=False)
def one_three_sizes(t, dtype, function):
    """One size after another: what a compiler made for one must not be used for the next."""
    return [t.call(function, drawn(t, function, (n, 7), dtype)) for n in (5, 8, 13)]


@each(SMOOTH, right.orders, dtypes="f32 f64", core=False)
def one_second_order(t, dtype, function):
    """The slope of the slope, as a gradient penalty takes it."""
    f = t.get(function)

    def penalty(x, w):
        with t.fw.GradientTape() as outer:
            outer.watch(x)
            with t.fw.GradientTape() as inner:
                inner.watch(x)
                made = f(x)
            first = inner.gradient(made, x)
        return [made, first, outer.gradient(first, x, output_gradients=w)]

    x, w = drawn(t, function, (40,), dtype), t.uniform((40,), dtype, 0.5, 1.5)
    return t.call(penalty, x, w)


@each(ALL, right.of_one, dtypes="f32", shapes="2048x2048", large=True)
def one_large(t, dtype, shape, function):
    return t.call(function, drawn(t, function, shape, dtype))


INF, NAN = float("inf"), float("nan")
SPECIAL = {
    "tf.exp": [0.0, -0.0, INF, -INF, NAN, 1.0, 80.0, -200.0],
    "tf.math.log": [0.0, -0.0, INF, -INF, NAN, 1.0, -1.0, 1e30],
    "tf.math.log1p": [0.0, -0.0, INF, -INF, NAN, -1.0, -2.0, 1e30],
    "tf.sqrt": [0.0, -0.0, INF, -INF, NAN, 1.0, -1.0, 1e30],
    "tf.square": [0.0, -0.0, INF, -INF, NAN, -1.0, 1e-15, 1e15],
    "tf.sigmoid": [0.0, -0.0, INF, -INF, NAN, 1.0, 150.0, -150.0],
    "tf.abs": [0.0, -0.0, INF, -INF, NAN, 1.0, -1e30, 1e-30],
    "tf.floor": [0.5, -0.5, INF, -INF, NAN, -7.0, 1e30, -1e-30],
}


@each(ALL, right.of_one, dtypes="f32 f64 bf16", core=False)
def one_special(t, dtype, function):
    """Zeros of both signs, infinities, NaN, numbers outside of the domain."""
    made = t.call(function, t.const(SPECIAL[function], dtype))
    if function == "tf.abs":
        values = t.host(made)[[0, 1, 2, 3, 5, 6, 7]]
        t.expect(not t.np.signbit(values.astype("float64")).any(), "no sign, of -0 neither")
    return made


# Results that only an exact treatment of small arguments or far tails gives.
TINY = {
    "tf.exp": [-20.0, -60.0, -80.0, -15.5],
    "tf.math.log": [1 + 2**-20, 1 - 2**-21, 1 + 2**-12, 1e-30],
    "tf.math.log1p": [1e-6, -3e-10, 2e-20, 2**-12],
    "tf.sqrt": [1e-30, 4e-12, 2.5e-20, 3e-9],
    "tf.square": [1e-3, -2e-6, 3e-10, 5e-15],
    "tf.sigmoid": [-20.0, -60.0, -80.0, -15.5],
}


@each(SMOOTH, right.of_one, dtypes="f32 f64", core=False)
def one_small_result(t, dtype, function):
    """Right in relation to their size, which is far below the absolute tolerance."""
    x = t.const(TINY[function], dtype)
    made = t.call(function, x)
    want = right.ONE[function][0](t.np, t.host(x).astype("float64"))
    error = abs(t.host(made) / want - 1)
    t.expect(bool((error < 1e-5).all()), "a relative error below 1e-5, got %s" % error)
    return made


# Where the slope is infinite, flat or saturated.
EDGES = {
    "tf.math.log": [0.0, 1.0, 4.0, 1e-20],
    "tf.math.log1p": [-1.0, 0.0, 3.0, 1e-20],
    "tf.sqrt": [0.0, 1.0, 4.0, 1e-20],
    "tf.sigmoid": [-200.0, -1.0, 0.0, 2.0, 200.0],
    "tf.abs": [-2.0, 0.0, 3.0, -0.5],
}


@each("math.log math.log1p sqrt sigmoid abs", right.slopes, dtypes="f32 f64", core=False)
def one_slope_at_the_edge(t, dtype, function):
    f = t.get(function)

    def slope(x):
        with t.fw.GradientTape() as tape:
            tape.watch(x)
            made = f(x)
        return [made, tape.gradient(made, x)]

    return t.call(slope, t.const(EDGES[function], dtype))


@each("floor", dtypes="f32", core=False)
def floor_has_no_gradient(t, dtype, function):
    f = t.get(function)

    def slope(x):
        with t.fw.GradientTape() as tape:
            tape.watch(x)
            made = f(x)
        t.expect(tape.gradient(made, x) is None, "no gradient")
        return made

    values = t.host(t.call(slope, t.const([-1.5, 2.25], dtype)))
    t.expect(values.tolist() == [-2.0, 2.0], "-2 and 2, got %s" % values)


@each(ALL, right.of_one, dtypes="f32", core=False)
def one_ragged(t, dtype, function):
    """Of rows of several lengths: the rows stay."""
    x = drawn(t, function, (6,), dtype)
    rows = t.fw.RaggedTensor.from_row_splits(x, t.const([0, 2, 2, 6], "i64"))
    made = t.call(function, rows)
    t.expect(t.host(made.row_splits).tolist() == [0, 2, 2, 6], "the same rows")
    return made.flat_values


@each("exp math.log math.log1p sqrt sigmoid", core=False)
def one_integer_is_refused(t, function):
    """No integer becomes a float by itself."""
    t.refuses(function, t.const([1, 2], "i32"))


@each(ALL, core=False)
def one_string_is_refused(t, function):
    t.refuses(function, t.fw.constant(["1.5"]))
