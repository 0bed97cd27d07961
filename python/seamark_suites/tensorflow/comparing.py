"""Functions of two: maximum, minimum, multiply, pow, comparisons, and; and of several: add_n."""

from seamark_suites.case import case

from . import reference_arithmetic as right
from .arithmetic import INF, NAN, each
from .reference import with_gradient

SLOPED = "maximum minimum multiply pow"
COMPARED = "greater less equal not_equal"
NUMBERS = SLOPED + " " + COMPARED
ALL = NUMBERS + " logical_and"
UNSIGNED = "maximum minimum multiply " + COMPARED  # the operator of pow takes no bytes


def pair(t, function, dtype, one, other):
    """Two inputs: of comparisons with many ties, of pow with results that are numbers."""
    if dtype == "bool":
        return t.randn(one, dtype), t.randn(other, dtype)
    if function[3:] in COMPARED.split():
        return t.randint(one, dtype, 0, 4), t.randint(other, dtype, 0, 4)
    if function == "tf.pow":
        if dtype[0] in "iu":
            return t.randint(one, dtype, 1, 4), t.randint(other, dtype, 0, 5)
        return t.uniform(one, dtype, 1.25, 2.5), t.uniform(other, dtype, -1.5, 2)
    return t.randn(one, dtype), t.randn(other, dtype)


@each("logical_and equal not_equal", right.of_two, dtypes="bool", shapes="64x33")
@each(UNSIGNED, right.of_two, dtypes="u8", shapes="64x33", core=False)
@each(NUMBERS, right.of_two, dtypes="f16 f64 i8 i16", shapes="64x33", core=False)
@each(NUMBERS, right.of_two, dtypes="f32 bf16 i32 i64", shapes="64x33")
def two_numbers(t, dtype, shape, function):
    return t.call(function, *pair(t, function, dtype, shape, shape))


@each("multiply pow equal not_equal", right.of_two, dtypes="c64 c128", core=False)
def two_complex(t, dtype, function):
    if "equal" in function:
        x, y = t.const([1 + 2j, 3j, -1], dtype), t.const([1 + 2j, 3, -1], dtype)
    else:
        x, y = t.uniform((5, 6), dtype, 0.5, 1.5), t.uniform((5, 6), dtype, 0.5, 1.5)
    return t.call(function, x, y)


@each(SLOPED, right.two_gradient, dtypes="f16", grad=True, core=False,
      rtol={"f16": 4e-3},  # each sums up to 20 products
      )  # fmt: skip
@each(SLOPED, right.two_gradient, dtypes="f64", grad=True, core=False)
@each(SLOPED, right.two_gradient, dtypes="f32 bf16", grad=True)
def two_gradient(t, dtype, function):
    """A row meets a column of matrices: the gradient is summed over what was repeated. The bases of
    pow and the factors are positive, so that no sum cancels."""
    if function in ("tf.maximum", "tf.minimum"):
        x = t.distinct((4, 1, 5), dtype)
        return t.call(function, x, t.const([[-4.5], [0.5], [5.5]], dtype, grad=True))
    return t.call(
        function, t.uniform((4, 1, 5), dtype, 1.25, 2.5), t.uniform((3, 1), dtype, 0.5, 2)
    )


@each("logical_and", right.of_two, dtypes="bool", core=False)
@each(NUMBERS, right.of_two, dtypes="f32 i32", core=False)
def two_broadcast(t, dtype, function):
    made = t.call(function, *pair(t, function, dtype, (4, 1, 9), (24, 1)))
    t.expect(tuple(made.shape) == (4, 24, 9), "shape (4, 24, 9)")
    return made


@each(NUMBERS, right.with_number, dtypes="f32 bf16 i32", core=False)
def two_with_a_number(t, dtype, function):
    """A number of Python takes the dtype of the tensor."""
    made = t.call(function, t.randint((5, 7), dtype, 0, 5), 2)
    wanted = t.fw.bool if function[3:] in COMPARED.split() else t.dtype(dtype)
    t.expect(made.dtype == wanted, "dtype %s, got %s" % (wanted, made.dtype))
    return made


@each("maximum minimum", right.two_gradient, dtypes="f32 f64", grad=True, core=False)
def two_gradient_of_ties(t, dtype, function):
    """Of equal numbers the first has the whole gradient."""
    x = t.const([1.0, 2.0, 3.0, -4.0], dtype, grad=True)
    return t.call(function, x, t.const([1.0, 5.0, 3.0, -6.0], dtype, grad=True))


SPECIAL = [NAN, 1.0, NAN, INF, -INF, INF, -0.0, 1.0], [1.0, NAN, NAN, INF, INF, 2.0, 0.0, -INF]
POWERS = [0.0, 0.0, -2.0, -2.0, INF, 1.0, -0.5, NAN], [0.0, 3.0, 3.0, 2.0, -1.0, NAN, 0.5, 0.0]


@each(NUMBERS, right.of_two, dtypes="f32 f64 bf16 f16", core=False)
def two_special(t, dtype, function):
    """NaN, infinities, zeros of both signs."""
    x, y = POWERS if function == "tf.pow" else SPECIAL
    return t.call(function, t.const(x, dtype), t.const(y, dtype))


@each("logical_and", right.of_pairs, dtypes="bool", core=False)
@each(NUMBERS, right.of_pairs, dtypes="f32", core=False)
def two_three_sizes(t, dtype, function):
    return [t.call(function, *pair(t, function, dtype, (n, 7), (7,))) for n in (5, 8, 13)]


@each("logical_and", right.of_two, dtypes="bool", trivial=True, core=False)
@each(NUMBERS, right.of_two, dtypes="f32", trivial=True, core=False)
def two_of_nothing(t, dtype, function):
    made = t.call(function, *pair(t, function, dtype, (3, 0), (1,)))
    t.expect(tuple(made.shape) == (3, 0), "shape (3, 0)")
    return made


@each("logical_and", right.of_two, dtypes="bool", shapes="4096x2048", large=True)
@each(NUMBERS, right.of_two, dtypes="f32", shapes="2048x2048", large=True)
def two_large(t, dtype, shape, function):
    return t.call(function, *pair(t, function, dtype, shape, shape))


@each(ALL, core=False)
def two_refusals(t, function):
    """Shapes that do not match, and dtypes that differ."""
    dtype = "bool" if function == "tf.logical_and" else "f32"
    other = "f32" if dtype == "bool" else "f64"
    t.refuses(function, t.randn((2, 3), dtype), t.randn((4, 3), dtype))
    t.refuses(function, t.randn((3,), dtype), t.const([1, 2, 3], other))


@each("multiply pow", right.two_complex_gradient, dtypes="c64 c128", grad=True, core=False)
def two_slopes_of_complex(t, dtype, function):
    """Far from the cut and from zero; a row meets a column. A complex slope is conjugate."""
    x, y = t.uniform((4, 1), dtype, 0.5, 1.5), t.uniform((3,), dtype, 0.5, 1.5)
    return t.call(function, x, y)


@each("multiply pow less maximum not_equal", right.of_two, dtypes="f32 i32", core=False)
def two_of_python(t, dtype, function):
    """A list first, then an array of NumPy, a variable: what is compared takes the dtype of the tensor."""
    x, y = t.const([[1, 2, 4], [3, 2, 1]], dtype), t.const([2, 2, 3], dtype)
    array = t.np.array([2, 2, 3], "float32" if dtype == "f32" else "int32")
    made = [t.call(function, x, array), t.call(function, t.fw.Variable(x), y)]
    listed = t.call(function, t.host(x).astype(array.dtype).tolist(), y)
    made = [t.host(one).tolist() for one in (*made, listed)]
    t.expect(made[0] == made[1] == made[2], "the same of each, got %s" % made)
    return t.call(function, x, y)


@each("less not_equal", core=False)
def two_have_no_gradient(t, function):
    x, f = t.const([1.0, 2.0, 3.0], "f32"), t.get(function)

    def compared(x):
        with t.fw.GradientTape() as tape:
            tape.watch(x)
            made = t.fw.cast(f(x, 2.5), x.dtype)
        t.expect(tape.gradient(made, x) is None, "no gradient")
        return made

    want = [1.0, 1.0, 0.0] if function == "tf.less" else [1.0, 1.0, 1.0]
    got = t.host(t.call(compared, x)).tolist()
    t.expect(got == want, "%s, got %s" % (want, got))


@case("tf.pow", dtypes="f32 f64", grad=True, core=False, reference=with_gradient(
      lambda np, x, y: x**y, lambda np, w, x, y: (
          w * y * x ** (y - 1), w * x**y * np.log(np.where(x > 0, x, 1)))))  # fmt: skip
def pow_slopes_at_zero_and_below(t, dtype):
    """By an exponent there is no slope where the base is no greater than zero."""
    x = t.const([0.0, 0.0, -2.0, 2.0, 3.0, -2.0], dtype, grad=True)
    return t.call("tf.pow", x, t.const([2.0, 1.0, 3.0, 0.0, -1.0, -2.0], dtype, grad=True))


@each("pow", right.of_two, dtypes="f32 f64", core=False)
def pow_of_negative_bases(t, dtype, function):
    """Whole exponents keep or turn the sign; between whole ones there is no number."""
    x = t.const([-2.0, -2.0, -0.5, -1.0, -3.0, -2.0, -8.0], dtype)
    return t.call(function, x, t.const([3.0, -2.0, 5.0, 101.0, 0.0, 0.5, 1 / 3], dtype))


@each("pow", right.of_two, dtypes="i32 i64", core=False)
def pow_of_integers_far_away(t, dtype, function):
    """Exact where a float is not."""
    x = t.const([3, -3, 7, 2, 0, -1, 46340], dtype)
    return t.call(function, x, t.const([19, 19, 11, 30, 0, 31, 2], dtype))


@each("equal not_equal", core=False)
def strings_are_compared(t, function):
    x, y = t.fw.constant(["a", "bc", ""]), t.fw.constant(["a", "bd", ""])
    got = t.host(t.call(function, x, y)).tolist()
    same = function == "tf.equal"
    t.expect(got == [same, not same, same], "by their bytes, got %s" % got)


@each("pow", core=False)
def negative_power_of_integer(t, function):
    t.refuses(function, t.const([2, 3], "i32"), t.const([-1, 2], "i32"))


@each("maximum minimum less greater", right.of_two, dtypes="i64", core=False)
def beyond_doubles(t, dtype, function):
    """Neighbours above 2**53 are told apart."""
    big = 2**60
    return t.call(
        function, t.const([big, big + 1, -big], dtype), t.const([big + 1, big, 1 - big], dtype)
    )


def added(np, *parts, **_):
    return sum(parts[1:], parts[0])


@case(
    "tf.add_n",
    dtypes="f32 bf16",
    grad=True,
    name="add_n_gradient",
    reference=with_gradient(added, lambda np, w, *parts, **_: (w,) * len(parts)),
)
@case("tf.add_n", dtypes="f16 f64 c64 i8 u8", core=False, reference=added)
@case("tf.add_n", dtypes="f32 bf16 i32 i64", reference=added)
def add_n(t, dtype):
    return t.call("tf.add_n", [t.uniform((9, 11), dtype, 1, 9) for _ in range(3)])


@case("tf.add_n", dtypes="f32", count=[1, 2, 20], core=False, reference=added)
def add_n_of_many(t, dtype, count):
    """One alone is itself; kernels of a fixed number of terms are followed by others."""
    return t.call("tf.add_n", [t.uniform((4, 5), dtype, 1, 9) for _ in range(count)])


@case(
    "tf.add_n",
    dtypes="f32",
    grad=True,
    core=False,
    reference=with_gradient(lambda np, x, y: 2 * x + y, lambda np, w, x, y: (2 * w, w)),
)
def add_n_repeated(t, dtype):
    """A tensor that stands twice has twice the gradient."""

    def twice(x, y):
        return t.get("tf.add_n")([x, y, x])

    return t.call(twice, t.uniform((5,), dtype, 0.5, 2), t.uniform((5,), dtype, 0.5, 2))


@case("tf.add_n", dtypes="f32", core=False, reference=lambda np, x, y: x + y)
def add_n_special(t, dtype):
    x, y = t.const([INF, INF, NAN, 1.0], dtype), t.const([1.0, -INF, 2.0, 3.0], dtype)
    return t.call("tf.add_n", [x, y])


@case("tf.add_n", dtypes="f32", trivial=True, core=False, reference=added)
def add_n_of_empty(t, dtype):
    return t.call("tf.add_n", [t.randn((0, 3), dtype), t.randn((0, 3), dtype)])


def added_pairs(np, *parts, **_):
    return [x + y for x, y in zip(parts[::2], parts[1::2])]


@case("tf.add_n", dtypes="f32", core=False, reference=added_pairs)
def add_n_three_sizes(t, dtype):
    sizes = (5, 8, 13)
    return [t.call("tf.add_n", [t.randn((n, 3), dtype), t.randn((n, 3), dtype)]) for n in sizes]


@case("tf.add_n", dtypes="f32", large=True, reference=added)
def add_n_large(t, dtype):
    return t.call("tf.add_n", [t.randn((1024, 1024), dtype) for _ in range(4)])


@case("tf.add_n", reference="none", core=False)
def add_n_refusals(t):
    """No list, nothing in it, or shapes that differ: nothing is broadcast."""
    t.refuses("tf.add_n", [])
    t.refuses("tf.add_n", [t.randn((2, 3), "f32"), t.randn((1, 3), "f32")])
    t.refuses("tf.add_n", 3)


# --- what a reading found missing


@case("tf.equal", dtypes="i64 f64", core=False, reference=lambda np, x, y: x == y)
def equal_neighbours(t, dtype):
    """Neighbours where f32, and for integers f64, has one number for both."""
    big = 2**60 if dtype == "i64" else 2**52
    return t.call(
        "tf.equal",
        t.const([big, big + 1, -big], dtype),
        t.const([big + 1, big + 1, 1 - big], dtype),
    )


@case("tf.equal", core=False, host_only=True, reference="none")
def equal_text_to_one_word(t):
    """A word of Python beside rows of text, and rows beside columns."""
    x = t.fw.constant([["a", "bc"], ["", "a"]])
    got = t.host(t.call("tf.equal", x, "a")).tolist()
    t.expect(got == [[True, False], [False, True]], "two of a, got %s" % got)
    got = t.host(t.call("tf.equal", x[0], t.fw.constant([["a"], ["bc"], [""]]))).tolist()
    t.expect(got == [[True, False], [False, True], [False, False]], "by their bytes, got %s" % got)


@case("tf.equal", core=False, reference=lambda np, x, y, _: [x == y, x != y, False, True, False])
def equal_as_an_operator(t):
    """The signs of Python compare the same way; shapes that do not match, and None, are not equal."""
    x, y = t.const([[1, 2, 3], [4, 5, 6]], "i32"), t.const([1, 5, 3], "i32")
    other = t.const([1, 2], "i32")
    compare = [lambda: t.get("tf.equal")(x, y), lambda: x != y]
    return [*(t.call(f) for f in compare), bool(x == other), bool(x != other), bool(x == None)]  # noqa: E711


@each("greater minimum", core=False)
def without_an_order_refused(t, function):
    """Truths, complex numbers and text."""
    for x in (t.const([True, False], "bool"), t.const([1j, 2], "c64"), t.fw.constant(["a", "b"])):
        t.refuses(function, x, x)


@case(
    "tf.greater",
    dtypes="f32 i32",
    core=False,
    reference=lambda np, x, y: [x > y, x < 3, x > 3, y < x],
)
def greater_as_an_operator(t, dtype):
    """The signs of Python, with a number on either side."""
    x, y = t.distinct((3, 4), dtype), t.const(t.np.arange(12).reshape(3, 4) - 6, dtype)
    f, three = t.get("tf.greater"), 3 if dtype[0] == "i" else 3.0
    ways = f, lambda x, y: f(three, x), lambda x, y: x > three, lambda x, y: y < x
    return [t.call(one, x, y) for one in ways]


@each("greater less minimum maximum", right.of_two, dtypes="i8 i16 i32 i64", core=False)
def ends_of_a_kind(t, dtype, function):
    """The least and the greatest integer, whose difference overflows."""
    most = 2 ** (int(dtype[1:]) - 1)
    x, y = [-most, most - 1, -most, 0, -1], [most - 1, -most, -most, -most, most - 1]
    return t.call(function, t.const(x, dtype), t.const(y, dtype))


@case(
    "tf.logical_and",
    core=False,
    reference=lambda np, x, y, one: [x & y, x & y, x & one, x & one, x, x & False],
)
def and_of_numbers_of_python(t):
    """A truth alone, from a tensor or of Python, beside every other; the sign of Python."""
    x, y, one = t.const([[1, 0, 1], [0, 1, 1]], "bool"), t.const([1, 1, 0], "bool"), t.const(1, "bool")  # fmt: skip
    f = t.get("tf.logical_and")
    made = [t.call(f, x, y), t.call(lambda x: x & y, x), t.call(f, x, one), t.call(f, one, x)]
    return [*made, t.call(f, x, True), t.call(f, False, x)]


@case("tf.logical_and", core=False, reference="none")
def and_of_no_truths_refused(t):
    """Whole numbers, fractions and text are no truths."""
    x = t.const([True, False], "bool")
    for y in (t.const([1, 0], "i32"), t.const([1.0, 0.0], "f32"), t.fw.constant(["a", ""])):
        t.refuses("tf.logical_and", x, y)
        t.refuses("tf.logical_and", y, y)


@each(
    "greater equal",
    lambda f: lambda np: np.array([[0, 1, 1, 0], [0, 0, 0, 1]][f == "tf.equal"], bool),
    core=False,
)
def beyond_signs(t, function):
    """Unsigned numbers of 64 bits that would be negative with a sign."""
    x, y = [2**63, 2**64 - 1, 2**63 + 1, 2**64 - 1], [2**63 + 1, 2**64 - 2, 1, 2**64 - 1]
    with t.fw.device(t.device):
        return t.call(function, *(t.fw.constant(one, t.fw.uint64) for one in (x, y)))


# --- many axes, and one tensor twice


@each("logical_and", right.of_pairs, dtypes="bool", core=False)
@each(NUMBERS, right.of_pairs, dtypes="f32 i32 f64", core=False)
def two_of_many_axes(t, dtype, function):
    """Ten, of one shape and with some repeated; a long row, a number beside it, a column beside a row."""
    shapes = (
        ((2, 1, 3, 2, 1, 2, 1, 2, 2, 3),) * 2,
        ((2, 1, 3, 2, 1, 2, 1, 2, 2, 3), (2, 2, 3)),
        ((1, 1, 1, 1, 2, 2, 1, 3, 1, 1), (2, 2, 1, 3, 1, 2)),
        ((65537,), (65537,)),
        ((65537,), ()),
        ((257, 1), (1, 129)),
    )
    return [t.call(function, *pair(t, function, dtype, *each)) for each in shapes]


@each("equal not_equal greater less", lambda f: lambda np, x: right.TWO[f][0](np, x, x), dtypes="f32", trivial=True,
      core=False)  # fmt: skip
@each(SLOPED, lambda f: with_gradient(lambda np, x: right.TWO[f][0](np, x, x)), dtypes="f32 f64", grad=True, core=False,
      rtol={"f32": 1e-5})  # fmt: skip
def two_the_same(t, dtype, function):
    """A tensor beside itself: the gradients of both places are one sum."""
    f = t.get(function)
    return t.call(lambda x: f(x, x), t.uniform((5, 7), dtype, 0.5, 2))


# --- shapes that meet, as TensorFlow's own tests have them


MEET = [
    ((1, 3, 2), one)
    for one in ((1,), (2,), (3, 2), (3, 1), (1, 3, 2), (2, 3, 1), (2, 1, 1), (1, 3, 1))
]
MEET += [((2, 1, 5), (2, 3, 1)), ((2, 0, 5), (2, 0, 1)), ((2, 3, 0), (2, 3, 1))]


def _either_way(f):
    meet = right.TWO[f][0]
    return lambda np, *xs: [made for x, y in zip(xs[::2], xs[1::2]) for made in (meet(np, x, y), meet(np, y, x))]  # fmt: skip


@each("equal not_equal", _either_way, dtypes="c64 c128", core=False)
@each("equal not_equal greater less minimum", _either_way, dtypes="f16 f32 f64 i32 i64", core=False)
def two_of_shapes_that_meet(t, dtype, function):
    """Numbers, rows, columns and nothing in three axes, either way round."""

    def some(shape, step):
        x = t.np.arange(t.np.prod(shape)).reshape(shape) * step % 5 - 2
        return t.const(x + 1j * (abs(x) % 2) if dtype[0] == "c" else x, dtype)

    f = t.get(function)
    pairs = [some(shape, step) for pair in MEET for shape, step in zip(pair, (3, 2))]
    both = lambda *xs: [made for x, y in zip(xs[::2], xs[1::2]) for made in (f(x, y), f(y, x))]  # noqa: E731 # fmt: skip
    return t.call(both, *pairs)


@each("equal not_equal", right.of_two, dtypes="c64 c128", core=False)
def each_complex_beside_each(t, dtype, function):
    """Numbers that differ in one part alone, with zeros of either sign, infinite parts and parts that are no number."""
    parts = [-1, 0, 1, -1j, 1j, 1 + 1j, 1 - 1j, complex(-0.0, 0), complex(INF, 1), complex(1, -INF), complex(NAN, 1), complex(1, NAN)]  # fmt: skip
    x = t.np.array(parts, complex)
    return t.call(function, t.const(x[:, None], dtype), t.const(x, dtype))


@case("tf.not_equal", dtypes="i64 f64", core=False, reference=lambda np, x, y, *_: [x != y, x != x[1], x != y[:2, None], True])  # fmt: skip
def not_equal_neighbours(t, dtype):
    """Neighbours where f32, and for integers f64, has one number for both; the sign of Python; shapes that do not match."""
    big = 2**60 if dtype == "i64" else 2**52
    x = t.const([big, big + 1, -big], dtype)
    y = t.const([big + 1, big + 1, 1 - big], dtype)
    f, one = t.get("tf.not_equal"), big + 1 if dtype == "i64" else float(big + 1)
    made = [t.call("tf.not_equal", x, y), t.call(f, x, one), t.call(lambda x, y: f(y, x), y[:2, None], x)]  # fmt: skip
    t.expect((t.host(made[0]) == t.host(x != y)).all(), "the same of the sign")
    return [*made, bool(x != t.const([1, 2], dtype))]


@case(
    "tf.less", dtypes="f32 i32", core=False, reference=lambda np, x, y: [x < y, x < 3, x > 3, y > x]
)
def less_as_an_operator(t, dtype):
    """A number on either side; what the sign of Python gives is the same."""
    x, y = t.distinct((3, 4), dtype), t.const(t.np.arange(12).reshape(3, 4) % 7, dtype)
    f, three = t.get("tf.less"), 3.0 if dtype[0] == "f" else 3
    made = [t.call(f, x, y), t.call(f, x, three), t.call(f, three, x), t.call(lambda x, y: y > x, x, y)]  # fmt: skip
    t.expect((t.host(made[1]) == t.host(x < three)).all(), "the same of the sign")
    return made


@each("equal not_equal greater less minimum", lambda f: lambda np, x, y, *_: right.TWO[f][0](np, x, y), core=False)  # fmt: skip
def sizes_found_to_differ(t, function):
    """Traced for any size: what does not match is refused when it runs."""
    f, spec = t.get(function), t.fw.TensorSpec([None, None], t.fw.float32)
    program = t.fw.function(lambda x, y: f(x, y), input_signature=[spec] * 2, autograph=False)
    x, y = t.const([[1.0, 2.0, 3.0]], "f32"), t.const([[1.0], [3.0], [2.0]], "f32")
    made = t.call(program, x, y)
    kinds = ValueError, t.fw.errors.InvalidArgumentError
    t.raises(kinds, t.call, program, t.randn((2, 5), "f32"), t.randn((5, 2), "f32"))
    return made


@each("equal not_equal", core=False)
def quantized_are_compared(t, function):
    """By their whole numbers."""
    x, y = t.np.array([0, 1, 2, 3, -4]), t.np.array([0, 1, 3, 3, -3])
    for name in ("qint8", "qint32", "quint8"):
        one, other = (t.fw.bitcast(t.fw.constant(v % 128, name[1:]), name) for v in (x, y))
        got = t.host(t.call(function, one, other)).tolist()
        want = [(same == (function == "tf.equal")) for same in (x == y).tolist()]
        t.expect(got == want, "%s of %s, got %s" % (want, name, got))
