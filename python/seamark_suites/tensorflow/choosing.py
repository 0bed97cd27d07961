"""Choices: where of today and of version 1, and clip_by_value."""

from seamark_agent.harness import Skip

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


@case("tf.where", dtypes="f64 i64 u8 i8 c64 bf16", core=False, reference=right.places)
def where_places_of_kinds(t, dtype):
    """Whatever is not zero counts, NaN and the least numbers, too; zero of either sign does not."""
    x = t.np.zeros(12, complex if dtype[0] == "c" else float)
    x[[1, 4, 9]] = (2j, 1, 0.5j) if dtype[0] == "c" else (1, 127, 2)
    if dtype[0] == "f" or dtype == "bf16":
        x[[2, 5, 6]] = NAN, -0.0, 2.0**-120
    return t.call("tf.where", t.const(x.reshape(3, 4), dtype))


@case("tf.where", core=False, reference=lambda np, x: [np.argwhere(x), np.argwhere(x[0, 0, 0, 0]), np.argwhere(x[:, :, 0, 0, 0, 0, 0])])  # fmt: skip
def where_places_of_eight_axes(t):
    """And of four and of three."""
    x = t.const(
        t.np.arange(2 * 3 * 2 * 2 * 2 * 2 * 2 * 3).reshape(2, 3, 2, 2, 2, 2, 2, 3) % 7 < 2, "bool"
    )
    parts = x, x[0, 0, 0, 0], x[:, :, 0, 0, 0, 0, 0]
    return [t.call("tf.where", one) for one in parts]


@case("tf.where", core=False, reference=lambda np, x, y, _: [
      np.array([1, 4]), np.array([1.5, 0]), x, y, np.where([[True], [False], [True], [False]], x, y), x + 0 * y, np.where(
      [True, False, True], 7, y)])  # fmt: skip
def where_of_python(t):
    """Lists and numbers, a condition without axes, arrays of NumPy, keywords, an operand without axes."""
    x, y, where = t.randn((4, 3), "f32"), t.randn((4, 3), "f32"), "tf.where"
    rows = t.np.array([[True], [False], [True], [False]])
    made = [t.call(where, [True, False], [1, 2], [3, 4]), t.call(where, [True, False], 1.5, 0)]
    t.expect([one.dtype.name for one in made] == ["int32", "float32"], "i32 and f32")
    return [
        *made,
        t.call(where, True, x, y),
        t.call(where, t.const(False, "bool"), x, y),
        t.call(where, rows, x, y),
        t.call(where, condition=rows | True, x=x, y=y, name="chosen"),
        t.call(where, [True, False, True], 7.0, y),
    ]


@case("tf.where", dtypes="f32 f64", core=False, grad=True, reference=with_gradient(
      lambda np, x: np.where(x > 0, np.sqrt(abs(x)), 0), lambda np, w, x: np.where(x > 0, w / 2 / np.sqrt(abs(x) + (x == 0)), 0)))  # fmt: skip
def where_twice(t, dtype):
    """Chosen before and behind, as the documentation has it: no slope of a root where there is none."""
    f = t.get("tf.where")

    def root(x):
        safe = f(x > 0, x, t.fw.ones_like(x))
        return f(x > 0, t.fw.sqrt(safe), t.fw.zeros_like(x))

    return t.call(root, t.const([-2.0, 0.0, 4.0, 0.25, -1.0, 9.0], dtype, grad=True))


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


@case("tf.clip_by_value", core=False, reference=lambda np, x, y, _: [
      np.array([-1, 0.5, 2]), np.array([3, 4, 4]), np.clip(x, -1, 0.5), np.clip(y, -3, 4), np.array(2), np.clip(x, -1, [[1], [0], [0.5]])])  # fmt: skip
def clip_of_python(t):
    """Lists, keywords, whole bounds of whole numbers, a number alone, a list of bounds."""
    clip, x, y = "tf.clip_by_value", t.distinct((3, 4), "f32"), t.distinct((3, 4), "i32")
    made = [t.call(clip, [-3.0, 0.5, 3.0], -1, 2), t.call(clip, [1, 4, 9], 3, 4)]
    t.expect([one.dtype.name for one in made] == ["float32", "int32"], "f32 and i32")
    return [
        *made,
        t.call(clip, t=x, clip_value_min=-1.0, clip_value_max=0.5, name="cut"),
        t.call(clip, y, -3, 4),
        t.call(clip, t.const(7, "i32"), 0, 2),
        t.call(clip, x, -1.0, [[1.0], [0.0], [0.5]]),
    ]


@case("tf.clip_by_value", dtypes="f32 f64", core=False, grad=True, reference=with_gradient(
      lambda np, x: np.clip(x, -1, 1), lambda np, w, x: w * (abs(x) <= 1)))  # fmt: skip
def clip_gradient_of_infinities(t, dtype):
    """None of what was cut, however far."""
    return t.call("tf.clip_by_value", t.const([INF, -INF, 0.5, 1e30, -1.0], dtype, grad=True), -1.0, 1.0)  # fmt: skip


@case("tf.clip_by_value", core=False, reference="none")
def clip_refusals(t):
    """A bound that would widen the result, and one of another dtype."""
    x = t.randn((3,), "f32")
    t.refuses("tf.clip_by_value", x, t.randn((4, 3), "f32"), t.const(9.0, "f32"))
    t.refuses("tf.clip_by_value", x, t.const(0, "i32"), t.const(1, "i32"))


# --- what a reading found missing: of version 1


V1_WHERE = "tf.compat.v1.where"


@case(V1_WHERE, dtypes="f32 f64 c64", core=False, reference=lambda np, x: np.argwhere(x))
def places_of_other_numbers(t, dtype):
    """NaN and infinities are no zeros; zeros of either sign are."""
    last = 1j if dtype == "c64" else 1e-30
    return t.call(V1_WHERE, t.const([[NAN, 0.0, -0.0], [INF, -1.0, 0.0], [0.0, 0.0, last]], dtype))


@case(V1_WHERE, dtypes="i8 u8 i64 bool", core=False, reference=lambda np, x: np.argwhere(x))
def places_in_five_axes(t, dtype):
    return t.call(V1_WHERE, t.const(t.np.arange(96).reshape(2, 3, 4, 1, 4) % 5 == 3, dtype))


@case(
    V1_WHERE,
    core=False,
    reference=lambda np, x, *_: [np.argwhere(np.ones(3)), np.zeros((0, 2)), np.argwhere(x)],
)
def places_of_all_and_of_nothing(t):
    x = t.const([[False, True]], "bool")
    given = t.const([True] * 3, "bool"), t.const(t.np.zeros((0, 3)), "bool"), x
    return [t.call(V1_WHERE, one) for one in given]


@case(
    V1_WHERE,
    dtypes="f32 i64",
    core=False,
    reference=lambda np, x, y, *_: [x, y, x[0, 0, 0], np.stack([y[0], x[1], y[2]])],
)
def where_one_truth_chooses(t, dtype):
    """A truth alone chooses one tensor or the other whole; a vector, blocks of three axes."""
    x, y = t.randn((3, 2, 2), dtype), t.randn((3, 2, 2), dtype)
    yes, no = t.const(True, "bool"), t.const(False, "bool")
    made = [t.call(V1_WHERE, yes, x, y), t.call(V1_WHERE, no, x, y)]
    made.append(t.call(V1_WHERE, yes, x[0, 0, 0], y[0, 0, 0]))
    return [*made, t.call(V1_WHERE, t.const([False, True, False], "bool"), x, y)]


@case(V1_WHERE, dtypes="f32", core=False, grad=True,
      reference=with_gradient(lambda np, c, x, y: np.where(c[:, None], x, y)))  # fmt: skip
def where_rows_gradient(t, dtype):
    """A row that was not chosen has the gradient zero."""
    c = t.const([True, False, False, True], "bool")
    return t.call(V1_WHERE, c, t.randn((4, 3), dtype), t.randn((4, 3), dtype))


@case(
    V1_WHERE,
    dtypes="f32",
    core=False,
    reference=lambda np, *xs: [[np.argwhere(x > 0), np.maximum(x, 0)] for x in xs],
)
def where_in_session(t, dtype):
    """Of a placeholder whose sizes are not known."""
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    v1, where, found = t.fw.compat.v1, t.get(V1_WHERE), []
    for n in (3, 6):
        values = t.host(t.distinct((n, 4), dtype))
        with t.fw.Graph().as_default(), t.fw.device(t.device):
            fed = v1.placeholder(t.dtype(dtype), [None, None])
            asked = [where(fed > 0), where(fed > 0, fed, t.fw.zeros_like(fed))]
            with v1.Session() as session:
                found.append(t.call(session.run, asked, {fed: values}))
    return found


@case(V1_WHERE, core=False, reference="none")
def where_refuses_more(t):
    """A column for rows, numbers beside rows, numbers as a condition, text, a vector of another length."""
    x, c = t.randn((2, 2), "f32"), t.const([True, False], "bool")
    t.refuses(V1_WHERE, t.const([[True], [False]], "bool"), x, x)
    t.refuses(V1_WHERE, c, 1.0, 0.0)
    t.refuses(V1_WHERE, t.const([1, 0], "i32"), x, x)
    t.refuses(V1_WHERE, t.fw.constant(["a", ""]))
    t.refuses(V1_WHERE, t.const([True] * 3, "bool"), x, x)


# --- what a reading found missing: of both, and of bounds


@both(right.places, core=False, filled=[True, False])
def where_many_places(t, function, filled):
    """A million truths, where places follow one another, or many of three axes."""
    truths = t.np.ones(1000000) if filled else t.np.arange(127 * 33 * 53).reshape(127, 33, 53) % 7 < 3  # fmt: skip
    return t.call(function, t.const(truths, "bool"))


@both(right.places, dtypes="i16 u16 c128", core=False)
def where_places_of_more_kinds(t, dtype, function):
    """A part beside zero is no zero: the imaginary one, the upper byte."""
    least = 1j if dtype[0] == "c" else 256
    return t.call(function, t.const([[0, 1, 0], [least, 0, 7], [0, 0, least]], dtype))


@case(V1_WHERE, dtypes="f32 i64", core=False, reference=right.chosen_rows)
@case("tf.where", dtypes="f32 i64", core=False, reference=lambda np, c, x, y: np.where(c, x, y))
def where_many_rows(t, dtype, function):
    """16384 truths choose rows, of version 1 as a vector, today as a column."""
    chosen = t.np.arange(16384) % 5 < 2
    c = t.const(chosen if function == V1_WHERE else chosen[:, None], "bool")
    return t.call(function, c, t.randn((16384, 192), dtype), t.randn((16384, 192), dtype))


CLIP = "tf.clip_by_value"


@case(CLIP, dtypes="f32 f64", core=False, grad=True, reference=with_gradient(right.between, right.between_pull))  # fmt: skip
def clip_gradient_of_bounds_of_each(t, dtype):
    """Every number has bounds of its own."""
    x = t.const([[-3.0, -0.5, 0.25, 2.0], [2.5, 0.5, -2.0, -0.75]], dtype, grad=True)
    return t.call(CLIP, x, t.uniform((2, 4), dtype, -1.5, -1), t.uniform((2, 4), dtype, 1, 1.5))


@case(CLIP, dtypes="f32 i32 i16 i64", core=False, reference=lambda np, x, low, high: [
      np.clip(x, low, 100), np.clip(x, -50, high), np.clip(x, low, high), np.clip(x, low[0], 100)])  # fmt: skip
def clip_by_tensor_and_number(t, dtype):
    """A column beside a number, either way round; a column beside a row; one number in a vector."""
    x = t.const([[-300, 1, 2, 200], [0, -70, 101, 3]], dtype)
    low, high = t.const([[2], [1]], dtype), t.const([100, 50, 20, 7], dtype)
    given = (low, 100), (-50, high), (low, high), (low[0], 100)
    return [t.call(CLIP, x, *bounds) for bounds in given]


@case(CLIP, dtypes="f32 f64", core=False, bounds=[(2, 4), (-4, -2), (-0.5, 0.5)], reference=lambda np, x, _, bounds: (
      np.clip(x, *bounds)))  # fmt: skip
def clip_slices_of_three_axes(t, dtype, bounds):
    """Slices whose numbers are mostly below both bounds, above both, between."""
    x = t.const((t.np.arange(30) * 7 % 30 / 5 - 3).reshape(3, 2, 5), dtype)
    places = t.const([7, 0, 7], "i64")

    def clipped(x, places):
        made = t.get(CLIP)(t.fw.IndexedSlices(x, places, t.fw.constant([9, 2, 5])), *bounds)
        if not isinstance(made, t.fw.IndexedSlices):
            raise TypeError("slices were expected, got a %s" % type(made).__name__)
        return made.values, made.indices, made.dense_shape

    values, places, shape = t.call(clipped, x, places)
    t.expect(t.host(places).tolist() == [7, 0, 7], "the places kept")
    t.expect(t.host(shape).tolist() == [9, 2, 5], "the shape kept")
    return values


def _inverse(np, x):
    return [np.where(x < 1, 0, 1 / np.where(x < 1, 1, x))] * 2


def _inverse_pull(np, w, x):
    slope = np.where(x < 1, 0, -1 / np.where(x < 1, 1, x * x))
    return (np.where(x == 0, np.nan, w[0] * slope) + w[1] * slope,)


@both(with_gradient(_inverse, _inverse_pull), dtypes="f32 f64", grad=True, core=False)
def where_lets_nan_of_slopes_through(t, dtype, function):
    """Zero times an infinite slope where 1 / x is not chosen is NaN; not so where x was chosen before."""
    where, x = t.get(function), t.const([0.0, 0.5, 2.0, 4.0], dtype, grad=True)

    def both_ways(x):
        zero, safe = t.fw.zeros_like(x), where(x < 1, t.fw.ones_like(x), x)
        return [where(x < 1, zero, 1 / x), where(x < 1, zero, 1 / safe)]

    return t.call(both_ways, x)
