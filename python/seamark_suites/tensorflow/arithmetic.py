"""Functions of one number: exp, log, log1p, sqrt, square, sigmoid, abs, floor."""

import functools

from seamark_suites.case import case
from seamark_suites.case import each as each_name

from . import reference_arithmetic as right

each = functools.partial(each_name, prefix="tf.")
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


@case("tf.square", dtypes="f32 i32 u8 u16", core=False, reference=lambda np, x, y: (x - y) ** 2)
def one_of_a_difference(t, dtype):
    """As of an error: what a compiler may make one operation of."""
    square = t.get("tf.square")
    x, y = t.randint((5, 7), dtype, 20, 30), t.randint((5, 7), dtype, 15, 20)
    return t.call(lambda x, y: square(x - y), x, y)


@each("math.log sqrt", right.of_one, dtypes="c64 c128", core=False)
def one_beside_the_cut(t, dtype, function):
    """Above and below the negative numbers, in every quarter, on every half axis."""
    x = [
        complex(-4, 0.0),
        complex(-4, -0.0),
        2j,
        -2j,
        4,
        -3 + 4j,
        -3 - 4j,
        3 - 4j,
        -1e-3 + 1e-3j,
        -30 + 1e-3j,
    ]
    return t.call(function, t.const(x, dtype))


@each(
    "math.log sqrt square",
    right.of_one,
    dtypes="f32 f64",
    core=False,
    atol={"f32": 0.0, "f64": 0.0},
)
def one_of_every_magnitude(t, dtype, function):
    """From the least normal numbers of f32 to its greatest; no absolute error is allowed."""
    x = 1.375 * 2.0 ** t.np.arange(-126, 127, 11)
    return t.call(function, t.const(t.np.sqrt(x) if function == "tf.square" else x, dtype))


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


@each("floor abs", core=False)
def other_kinds_are_refused(t, function):
    """Truths and unsigned numbers; of floor, all whole and complex ones, too."""
    for dtype in ["bool", "u8", "u16", "u32", "u64"] + ["i32", "i64", "c64"] * (
        function == "tf.floor"
    ):
        t.refuses(function, t.const([1, 0], dtype))


@each(ALL, right.of_each, dtypes="f32 f64 f16", core=False)
def one_of_odd_shapes(t, dtype, function):
    """Ten axes, a length beside a power of two, an array of NumPy."""
    deep = drawn(t, function, (2, 1, 2, 3, 1, 2, 1, 3, 1, 2), dtype)
    made = [t.call(function, deep), t.call(function, drawn(t, function, (65537,), dtype))]
    x = drawn(t, function, (5, 7), dtype)
    return [*made, t.call(function, t.host(x).astype(x.dtype.as_numpy_dtype))]


# Off poles and cuts: real and imaginary parts of either sign, and zero.
QUARTERS = [-3 - 2j, -1 + 2j, 2 - 1j, -0.5j, 3j, 1.5, -3 + 1e-3j]
MORE_OF = {
    "tf.exp": [0, -2.5, -0.75 + 3j],
    "tf.square": [0, -2.5, -40 - 30j],
    "tf.math.log1p": [0, 1e-3 - 1e-3j],
    "tf.sigmoid": [0, *((1 + 1j) * n for n in (-3, -2, -1, 1, 2)), -50, -50 - 2j],
}


@each(SMOOTH, right.one_gradient, dtypes="c64 c128", grad=True, core=False)
def one_in_every_quarter(t, dtype, function):
    z = t.np.array(QUARTERS + MORE_OF.get(function, []), complex)
    return t.call(function, t.const(z, dtype, grad=True))


@case("tf.sigmoid", dtypes="c64 c128", grad=True, core=False, atol={"c64": 0.0, "c128": 0.0}, rtol={"c64": 1e-5},
      reference=right.one_gradient("tf.sigmoid"))  # fmt: skip
def sigmoid_of_complex_tails(t, dtype, function):
    """Far to the left value and gradient are tiny, and right in relation to that: no absolute error is allowed."""
    z = t.np.array([-50, -50 + 1j, -50 - 2j, -20 - 3j, -15.5 + 0.5j])
    return t.call(function, t.const(z, dtype, grad=True))


@case("tf.sigmoid", dtypes="f32 f64 f16 bf16", core=False, reference=right.of_one("tf.sigmoid"))
def sigmoid_from_end_to_end(t, dtype):
    """From -16 to 16 by quarters, which each dtype has."""
    return t.call("tf.sigmoid", t.const(t.np.linspace(-16, 16, 129), dtype))


@case("tf.square", dtypes="i64", core=False, reference=lambda np, x: x * x)
def square_beyond_32_bits(t, dtype):
    """Up to the root of the greatest number there is."""
    x = [6 << 20, -(6 << 20), 2**31 - 1, 1 - 2**31, 3037000499, -3037000499]
    return t.call("tf.square", t.const(x, dtype))


# --- as far as a kind goes


@each("math.log1p square abs sqrt", right.of_one, dtypes="f16 bf16", core=False, atol={"f16": 0.0, "bf16": 0.0}, rtol={"f16": 2e-3})  # fmt: skip
def one_half_of_every_magnitude(t, dtype, function):
    """No absolute error is allowed; beside -1, too, and where a square is infinite."""
    least = -14 if dtype == "f16" else -60
    x = 1.375 * 2.0 ** t.np.arange(least, 1 - least, 2 if dtype == "f16" else 7)
    if function == "tf.square":
        x = t.np.concatenate([x[x > 2.0 ** (least / 2 + 1)], [-300.0, 3e19]])
    if function == "tf.math.log1p":
        x = t.np.concatenate([x, -x[x < 1], [-0.75, -0.96875, -1 + 2.0**-8]])
    return t.call(function, t.const(x, dtype))


@case(
    "tf.abs",
    dtypes="i8 i16 i32 i64",
    core=False,
    reference=lambda np, x: [abs(x), abs(x[::-1]), abs(x[:1])],
)
def abs_of_far_integers(t, dtype):
    """To the end of a kind but for the least, which has no positive one; with a name; what Python's gives is the same."""
    bits = int(dtype[1:]) - 1
    x = [
        1 - 2**bits,
        2**bits - 1,
        -(2 ** (bits - 1)) - 1,
        -6 << (bits // 2),
        0,
        -1,
        5 << (bits // 2),
    ]
    x = t.const(x * 3, dtype)
    made = [t.call("tf.abs", x), t.call("tf.abs", x[::-1], name="size"), t.call("tf.abs", x[:1])]
    t.expect((t.host(abs(x)) == t.host(made[0])).all(), "the same of Python's")
    return made


@case("tf.abs", dtypes="f16 f64 i8 i32 i64 c64 c128", core=False, reference=lambda np, x: [
      abs(x), np.array([[0, 1], [1, 1], [2, 0], [2, 2], [2, 3]]), np.array([3, 4])])  # fmt: skip
def abs_of_sparse_kinds(t, dtype):
    """The values of a sparse tensor; of complex ones a real tensor; places and shape stay."""
    x = t.np.array([-7, 9, 0, -3, 4]) * (3 - 4j if dtype[0] == "c" else 1)
    places = [[0, 1], [1, 1], [2, 0], [2, 2], [2, 3]]

    def sized(x):
        made = t.get("tf.abs")(t.fw.SparseTensor(places, x, [3, 4]))
        return [made.values, made.indices, made.dense_shape]

    return t.call(sized, t.const(x, dtype))


def _lengths(np, x):
    size = np.sqrt(np.cos(x) ** 2 + 1)
    half = np.cos(x) * np.sin(x)
    return [size, -half / size, -np.cos(2 * x) / size - half**2 / size**3]


@case(
    "tf.abs",
    dtypes="f32 f64",
    core=False,
    rtol={"f32": 1e-5},
    atol={"f32": 1e-5},
    reference=_lengths,
)
def abs_of_complex_twice(t, dtype):
    """The length of cos x + i, its slope, and the slope of that."""
    tf, length = t.fw, t.get("tf.abs")

    def slopes(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                made = length(tf.complex(tf.cos(x), tf.ones_like(x)))
            first = inner.gradient(made, x)
        return [made, first, outer.gradient(first, x)]

    return t.call(slopes, t.uniform((9,), dtype, -3, 3))


CLIP = "tf.clip_by_value"


@case(CLIP, dtypes="f16 bf16 i64", core=False, reference=lambda np, x, low, high, _: [
      np.clip(x, low, high), np.clip(x, 0, 3), np.clip(x[:2], low[:2], high[:2]), np.clip(x, low[0, 0], high[0, 0])])  # fmt: skip
def clip_by_sizes_not_known(t, dtype):
    """One program for any size of all three; numbers beyond both bounds and on them; infinities of floating ones."""
    cut, kind = t.get(CLIP), t.dtype(dtype)
    far = 2**60 if dtype == "i64" else INF
    x = t.const([[-far, -1, 0, 1], [far, 2, 3, 4], [5, 3, -2, 7]], dtype)
    low = t.const([[-1], [1], [3]], dtype)
    high = t.const([[0, 1, 2, 6], [1, 1, 2, 6], [3, 3, 3, 6]], dtype)
    spec = t.fw.TensorSpec([None, None], kind)
    program = t.fw.function(lambda *given: cut(*given), input_signature=[spec] * 3, autograph=False)
    number = 3 if dtype == "i64" else 3.0
    one = t.fw.reshape
    made = t.call(program, x, low, high), t.call(CLIP, x, number - number, number)
    more = t.call(program, x[:2], low[:2], high[:2]), t.call(program, x, one(low[0], [1, 1]), one(high[0, 0], [1, 1]))  # fmt: skip
    x = t.randn((2, 3, 1), "f32")
    for bounds in ((-1.0, [1.0, 2.0]), ([-1.0, -2.0], 1.0), ([-1.0, -2.0], [1.0, 2.0])):
        t.refuses(CLIP, x, *(t.fw.constant(bound) for bound in bounds))
    return [*made, *more]


@case("tf.minimum", dtypes="f16 bf16 f32 f64", core=False, reference=lambda np, x, y: [np.minimum(x, y), np.minimum(y, x[0]), np.minimum(x, 0.5)])  # fmt: skip
def minimum_with_nan_anywhere(t, dtype):
    """NaN wins on either side, at each place of a register and behind the last whole one, and alone beside many."""
    n = t.np.arange(67)
    x = t.const(t.np.where(n % 5 == 0, NAN, n % 7 - 3), dtype)
    y = t.const(t.np.where(n % 7 == 3, NAN, n % 4 - 1.5), dtype)
    return [t.call("tf.minimum", *given) for given in ((x, y), (y, x[0]), (x, 0.5))]


FAR = {
    "u8": ([200, 100, 255, 0, 128, 127, 7], [100, 200, 0, 255, 127, 128, 250]),
    "u64": ([2**63, 2**64 - 1, 2**63 + 1, 2**64 - 1, 2**63 - 1, 5], [2**63 + 1, 2**64 - 2, 1, 2**64 - 1, 2**63, 2**64 - 9]),
}  # fmt: skip


def _of_unsigned(function):
    """Of numbers that were widened to i64, and so are again."""

    def reference(np, *given):
        made = right.TWO[function][0](np, *(one.astype(np.uint64) for one in given))
        return made if made.dtype == bool else made.astype(np.int64)

    return reference


@each("maximum minimum less greater", _of_unsigned, dtypes="u8 u64", core=False)
def two_beyond_signs(t, dtype, function):
    """Numbers that would be negative with a sign."""
    return t.call(function, *(t.const(t.np.array(one, t.np.uint64), dtype) for one in FAR[dtype]))


ALONE = {"tf.pow": (2, 3, 1, -1, -2)}


def _by_numbers(function):
    value, slope = right.TWO[function]

    def reference(np, x, w, *_):
        made = []
        for n in ALONE.get(function, (0.0, 0.5, -1.0)):
            at, along = (x, w) if n >= 0 else (x[x != 0], w[x != 0])
            made += [value(np, at, float(n)), along * slope(np, at, float(n))[0]]
        return made * 2

    return reference


@each(
    "maximum minimum multiply pow",
    _by_numbers,
    dtypes="f32 f64",
    core=False,
    rtol={"f64": 1e-12},
    atol={"f64": 1e-12},
)
def two_slope_by_a_number(t, dtype, function):
    """Only the tensor is watched, beside one number of Python: at once and traced. A tie gives the whole slope to the tensor."""
    f, tf, x, w = t.get(function), t.fw, t.const([-2, -1, 0, 1, 3, 0.5], dtype), t.uniform((6,), dtype, 0.5, 2)  # fmt: skip
    rest = [0, 1, 3, 4, 5]  # without the zero

    def slopes(x, w):
        made = []
        for n in ALONE.get(function, (0.0, 0.5, -1.0)):
            at, along = (x, w) if n >= 0 else (tf.gather(x, rest), tf.gather(w, rest))
            with tf.GradientTape() as tape:
                tape.watch(at)
                value = f(at, n)
            made += [value, tape.gradient(value, at, output_gradients=along)]
        return made

    return [*t.call(slopes, x, w), *t.call(tf.function(slopes, autograph=False), x, w)]
