"""Functions of two: maximum, minimum, multiply, pow, comparisons, and; and of several: add_n."""

from seamark_suites.case import case

from . import reference_arithmetic as right
from .arithmetic import INF, NAN
from .reference import with_gradient

SLOPED = "maximum minimum multiply pow"
COMPARED = "greater less equal not_equal"
NUMBERS = SLOPED + " " + COMPARED
ALL = NUMBERS + " logical_and"
UNSIGNED = "maximum minimum multiply " + COMPARED  # the operator of pow takes no bytes


def each(names, reference="none", **header):
    """The same header for several functions; `reference` may be made of the function's name."""

    def declare(body):
        for name in names.split():
            function = "tf." + name
            made = reference(function) if callable(reference) else reference
            case(function, reference=made, **header)(body)
        return body

    return declare


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


@each(NUMBERS, right.of_two, dtypes="f32 f64 bf16", core=False)
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
