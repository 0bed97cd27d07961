"""Choices: where of today and of version 1, and clip_by_value."""

from seamark_suites.case import case

from . import reference_arithmetic as right
from .arithmetic import INF, NAN
from .reference import with_gradient

BOTH = ("tf.where", "tf.compat.v1.where")


def both(reference, **header):
    """The same header for the function of today and for that of version 1."""

    def declare(body):
        for function in BOTH:
            case(function, reference=reference, **header)(body)
        return body

    return declare


chosen_gradient = with_gradient(right.chosen, right.chosen_pull)


@both(chosen_gradient, dtypes="f32 bf16", grad=True, name="where_gradient")
@both(chosen_gradient, dtypes="f16 f64 c64", grad=True, core=False, name="where_gradient")
@both(right.chosen, dtypes="f16 f64 c64 u8 i8", core=False)
@both(right.chosen, dtypes="f32 bf16 i32 i64 bool")
def where(t, dtype, function):
    condition = t.randn((16, 33), "bool")
    return t.call(function, condition, t.randn((16, 33), dtype), t.randn((16, 33), dtype))


@both(right.places, dtypes="f32 i32", core=False)
@both(right.places, dtypes="bool")
def where_places(t, dtype, function):
    """With the condition alone: where it is not zero, as i64, row after row."""
    made = t.call(function, t.randint((5, 6, 3), dtype, 0, 2))
    t.expect(made.dtype == t.fw.int64, "i64, got %s" % made.dtype)
    return made


@both(right.places, core=False, trivial=True)
def where_of_nothing_true(t, function):
    made = t.call(function, t.const([[False, False, False]] * 2, "bool"))
    t.expect(tuple(made.shape) == (0, 2), "no place of two numbers, got %s" % (made.shape,))
    return made


@both(lambda np, *conditions, **_: [np.argwhere(one) for one in conditions], core=False)
def where_three_sizes(t, function):
    """The size of the result depends on the values."""
    return [t.call(function, t.const([True, False, True] * n, "bool")) for n in (2, 5, 9)]


@case("tf.where", dtypes="f32 i32", core=False, reference=right.chosen)
def where_broadcast(t, dtype):
    """All three are broadcast."""
    return t.call(
        "tf.where", t.randn((4, 1), "bool"), t.randn((1, 5), dtype), t.randn((3, 1, 1), dtype)
    )


@case(
    "tf.where",
    dtypes="f32 f64",
    grad=True,
    core=False,
    reference=with_gradient(right.chosen, right.chosen_pull),
)
def where_broadcast_gradient(t, dtype):
    condition = t.const([[True], [False], [True], [True]], "bool")
    return t.call("tf.where", condition, t.randn((5,), dtype), t.randn((4, 1), dtype))


@case(
    "tf.where",
    dtypes="f32 bf16 i32",
    core=False,
    reference=lambda np, condition, x, **_: np.where(condition, x, 0),
)
def where_with_a_number(t, dtype):
    """A number of Python takes the dtype of the tensor."""
    condition, x = t.randn((5, 7), "bool"), t.randint((5, 7), dtype, 1, 9)
    made = t.call("tf.where", condition, x, 0)
    t.expect(made.dtype == t.dtype(dtype), "the dtype of the tensor, got %s" % made.dtype)
    return made


@case("tf.compat.v1.where", dtypes="f32 i32", core=False, reference=right.chosen_rows)
def where_rows(t, dtype):
    """In version 1 a vector chooses rows, and nothing is broadcast."""
    condition = t.const([True, False, False, True], "bool")
    return t.call("tf.compat.v1.where", condition, t.randn((4, 3), dtype), t.randn((4, 3), dtype))


@both(right.chosen, dtypes="f32 f64", core=False)
def where_special(t, dtype, function):
    """What is not chosen leaves no trace, of NaN and infinity neither."""
    condition = t.const([True, False, True, False], "bool")
    x, y = t.const([1.0, NAN, INF, NAN], dtype), t.const([NAN, 2.0, NAN, -INF], dtype)
    return t.call(function, condition, x, y)


@both(
    with_gradient(right.chosen, right.chosen_pull),
    dtypes="f32",
    grad=True,
    core=False,
)
def where_stops_nan(t, dtype, function):
    """The gradient of what is not chosen is zero, even beside NaN."""
    condition = t.const([True, False, True], "bool")
    x = t.const([1.0, NAN, 3.0], dtype, grad=True)
    return t.call(function, condition, x, t.const([NAN, 5.0, 6.0], dtype, grad=True))


@both(right.chosen, dtypes="f32", core=False, trivial=True)
def where_empty(t, dtype, function):
    parts = t.randn((0, 3), "bool"), t.randn((0, 3), dtype), t.randn((0, 3), dtype)
    return t.call(function, *parts)


@both("none", core=False)
def where_strings(t, function):
    made = t.call(
        function,
        t.const([True, False], "bool"),
        t.fw.constant(["a", "b"]),
        t.fw.constant(["c", ""]),
    )
    t.expect(t.host(made).tolist() == [b"a", b""], "a and nothing")


@both(right.chosen, dtypes="f32", large=True)
def where_large(t, dtype, function):
    shape = (2048, 1024)
    return t.call(function, t.randn(shape, "bool"), t.randn(shape, dtype), t.randn(shape, dtype))


@both("none", core=False)
def where_refusals(t, function):
    """One of two, shapes that do not match, and dtypes that differ."""
    condition, x = t.const([True, False, True], "bool"), t.randn((3,), "f32")
    t.refuses(function, condition, x)
    t.refuses(function, condition, x, t.randn((2,), "f32"))
    t.refuses(function, condition, x, t.const([1, 2, 3], "i32"))


@case("tf.clip_by_value", dtypes="f16 f64 i8 u8 i64", core=False, reference=right.between)
@case("tf.clip_by_value", dtypes="f32 bf16 i32", reference=right.between)
def clip(t, dtype):
    low, high = (2, 5) if dtype[0] in "iu" else (-1.0, 1.5)
    x = t.randint((16, 33), dtype, 0, 9) if dtype[0] in "iu" else t.uniform((16, 33), dtype, -3, 3)
    return t.call("tf.clip_by_value", x, t.const(low, dtype), t.const(high, dtype))


@case(
    "tf.clip_by_value",
    dtypes="f32 bf16",
    grad=True,
    reference=with_gradient(
        lambda np, x: right.between(np, x), lambda np, w, x: w * ((x >= -1) & (x <= 1.5))
    ),
)
def clip_gradient(t, dtype):
    """No gradient where a number was cut; all of it where it is a bound itself."""
    x = t.const([[-2.0, -1.0, -0.5, 0.25], [1.0, 1.5, 1.75, 4.0]], dtype, grad=True)
    return t.call("tf.clip_by_value", x, -1.0, 1.5)


@case(
    "tf.clip_by_value",
    dtypes="f32 f64",
    grad=True,
    core=False,
    reference=with_gradient(right.between, right.between_pull),
)
def clip_gradient_of_bounds(t, dtype):
    """Bounds for every column, which take the gradient of what they cut."""
    x = t.const([[-3.0, -0.5, 0.25, 2.0, 1.75], [2.5, 0.5, -2.0, -0.75, -2.5]], dtype, grad=True)
    low, high = t.uniform((5,), dtype, -1.5, -1), t.uniform((5,), dtype, 1, 1.5)
    return t.call("tf.clip_by_value", x, low, high)


@case("tf.clip_by_value", dtypes="f32 i32", core=False, reference=right.between)
def clip_by_tensors(t, dtype):
    x = t.randint((4, 6), dtype, -9, 9)
    low, high = t.randint((6,), dtype, -5, -1), t.randint((6,), dtype, 1, 5)
    return t.call("tf.clip_by_value", x, low, high)


@case("tf.clip_by_value", dtypes="f32 f64", core=False, reference=lambda np, x: np.clip(x, -1, 1))
def clip_special(t, dtype):
    """Infinities are cut; NaN stays."""
    x = t.const([INF, -INF, NAN, 0.5, -0.0, 1.0], dtype)
    return t.call("tf.clip_by_value", x, -1.0, 1.0)


@case("tf.clip_by_value", dtypes="f32", core=False, reference=lambda np, x: np.maximum(x, 0.5))
def clip_one_side(t, dtype):
    """An infinite bound cuts nothing."""
    return t.call("tf.clip_by_value", t.uniform((9, 5), dtype, -2, 3), 0.5, INF)


@case(
    "tf.clip_by_value",
    dtypes="f32",
    core=False,
    reference=lambda np, *inputs: [right.between(np, x) for x in inputs],
)
def clip_three_sizes(t, dtype):
    sizes = (5, 8, 13)
    return [t.call("tf.clip_by_value", t.uniform((n, 7), dtype, -3, 3), -1, 1.5) for n in sizes]


@case("tf.clip_by_value", dtypes="f32", core=False, trivial=True, reference=right.between)
def clip_empty(t, dtype):
    return t.call("tf.clip_by_value", t.randn((0, 4), dtype), -1.0, 1.5)


@case("tf.clip_by_value", dtypes="f32", core=False, reference="none")
def clip_slices(t, dtype):
    """Sparse gradients keep their places."""

    def clipped(values, places):
        slices = t.fw.IndexedSlices(values, places, [9, 2])
        made = t.get("tf.clip_by_value")(slices, -1.0, 2.0)
        return made.values, made.indices

    values, places = t.call(clipped, t.const([[3.0, -3.0]], dtype), t.const([4], "i64"))
    t.expect(t.host(values).tolist() == [[2.0, -1.0]], "the values cut")
    t.expect(t.host(places).tolist() == [4], "the place kept")


@case("tf.clip_by_value", dtypes="f32", large=True, reference=lambda np, x: right.between(np, x))
def clip_large(t, dtype):
    return t.call("tf.clip_by_value", t.uniform((2048, 2048), dtype, -3, 3), -1.0, 1.5)


@case("tf.clip_by_value", core=False, reference="none")
def clip_refusals(t):
    """A bound that would widen the result, and one of another dtype."""
    x = t.randn((3,), "f32")
    t.refuses("tf.clip_by_value", x, t.randn((4, 3), "f32"), t.const(9.0, "f32"))
    t.refuses("tf.clip_by_value", x, t.const(0, "i32"), t.const(1, "i32"))
