"""Extremes: of all numbers, along an axis with their places, of two tensors."""

import itertools

from seamark_suites.case import case

from . import reference_indexing as right
from .pointwise import each
from .reference import with_gradient

INF, NAN = float("inf"), float("nan")
EXTREMES = "max min"


@each(EXTREMES, right.extreme_gradients, dtypes="f32 bf16", grad=True, name="gradient_of_all")
@each(
    EXTREMES, right.extreme_gradients, dtypes="f64", grad=True, core=False, name="gradient_of_all"
)
@each(EXTREMES, right.extreme, dtypes="f16 f64 i8 u8", core=False, name="of_all")
@each(EXTREMES, right.extreme, dtypes="f32 bf16 i64 i32", name="of_all")
def extreme(t, dtype, function):
    return t.call(function, t.distinct((12, 10), dtype))


@each(
    EXTREMES, right.extreme_along_gradient, dtypes="f32 bf16", dim=[-1], grad=True, name="gradient"
)
@each(
    EXTREMES,
    right.extreme_along_gradient,
    dtypes="f64",
    dim=[0],
    grad=True,
    core=False,
    name="gradient",
)
@each(EXTREMES, right.extreme_along, dtypes="f16 f64 i8 u8", dim=[1], core=False, name="along")
@each(EXTREMES, right.extreme_along, dtypes="f32 bf16 i64 i32", dim=[-1, 0], name="along")
def extreme_along(t, dtype, dim, function):
    """Values and their places."""
    return t.call(function, t.distinct((12, 10), dtype), dim)


@each(EXTREMES, right.extreme_along, dtypes="f32 i64", dim=[1], keepdim=[True], core=False)
def by_name(t, dtype, dim, keepdim, function):
    """A named tuple; keepdim leaves an axis of one."""
    made = t.call(function, t.distinct((3, 5, 4), dtype), dim=dim, keepdim=keepdim)
    t.expect(made.values is made[0] and made.indices is made[1], "values and indices by name")
    t.expect(made.indices.dtype is t.fw.int64, "int64 places")
    return tuple(made)


@each(EXTREMES, right.of_two_gradient, dtypes="f32 bf16", grad=True, core="f32")
def gradient_of_two(t, dtype, function):
    """Each place counts for one of both: integers beside halves."""
    halves = [[-2.5], [-0.5], [0.5], [1.5], [2.5]]
    return t.call(function, t.distinct((7,), dtype), t.const(halves, dtype, grad=True))


@each(EXTREMES, right.of_two, dtypes="f32 i64 u8", core=False)
def of_two(t, dtype, function):
    """Number by number of two tensors that broadcast."""
    return t.call(function, t.uniform((7,), dtype, 0, 90), t.uniform((5, 1), dtype, 0, 90))


@each(EXTREMES, right.of_two, dtypes="f32", core=False)
def of_two_dtypes(t, dtype, function):
    made = t.call(function, t.randn((30,), dtype), t.randn((30,), "i64"))
    t.expect(made.dtype is t.dtype(dtype), "the dtype of the floats")
    return made


@case("torch.max", dtypes="bool", core=False, reference=lambda np, x: (x.max(), x.max(1)))
@case("torch.min", dtypes="bool", core=False, reference=lambda np, x: (x.min(), x.min(1)))
def any_or_all(t, dtype, function):
    """Of booleans: whether any is true, and whether all are."""
    x = t.const([[True, False, True], [True, True, True], [False, False, False]], dtype)
    return t.call(function, x), t.call(function, x, 1)[0]


@each(EXTREMES, right.beside_nan, dtypes="f32 bf16 f64", core=False)
def nan_wins(t, dtype, function):
    """Documented: NaN comes through, in each of the three forms."""
    x = t.const([[1.0, NAN, 2.0], [-INF, 3.0, 5.0]], dtype)
    every = t.call(function, x)
    t.expect(bool(t.np.isnan(t.host(every))), "NaN of all")
    values, places = t.call(function, x, 1)
    return every, values, places, t.call(function, t.fw.where(x[0] < 2, NAN, x[0]), x[1])


@each(EXTREMES, right.shared_gradient, dtypes="f32", core=False)
def ties_share_the_gradient(t, dtype, function):
    """Documented: of all numbers, equal extremes share the gradient evenly."""
    x = t.const([[4.0, 1.0], [2.0, 4.0]], dtype, grad=True)
    made = t.call(function, x)
    return made, t.fw.autograd.grad(made, x)[0]


@each(EXTREMES, right.rows_only, dtypes="f32", core=False)
def ties_along_an_axis(t, dtype, function):
    """Documented: along an axis the gradient goes to the place that is said, and to no other."""
    x = t.const([[4.0, 1.0, 4.0, 1.0], [3.0, 3.0, 2.0, 2.0]], dtype, grad=True)
    values, places = t.call(function, x, 1)
    (slope,) = t.fw.autograd.grad(values.sum(), x)
    t.expect(bool((t.host(slope.gather(1, places[:, None])) == 1).all()), "one at the place")
    t.expect(float(t.host(slope).sum()) == 2 and float(abs(t.host(slope)).sum()) == 2, "no more")
    t.expect(
        bool((t.host(x.gather(1, places[:, None]))[:, 0] == t.host(values)).all()),
        "the value there",
    )
    return values


@each(EXTREMES, right.extreme_of_strides, dtypes="f32 i64", core=False)
def extremes_of_strides(t, dtype, function):
    x = t.distinct((9, 14), dtype, noncontiguous=True)
    return [*t.call(function, x, 0), *t.call(function, x.mT, 0), t.call(function, x)]


@each(
    EXTREMES,
    lambda function: lambda np, x, y: [x, x, np.zeros(()), np.zeros(0), np.zeros(0)],
    dtypes="f32",
    core=False,
)
def extremes_of_little(t, dtype, function):
    """A scalar, with an axis and without; along a full axis of an empty tensor."""
    x, none = t.randn((), dtype), t.randn((0, 3), dtype)
    return [t.call(function, x), *t.call(function, x, 0), *t.call(function, none, 1)]


@each(EXTREMES, right.extremes_twice, dtypes="f32 i64", core=False)
def extremes_into_out(t, dtype, function):
    x, y = t.distinct((6, 9), dtype), t.randn((6, 9), dtype)
    values, places = t.fw.zeros_like(x[:, 0]), t.fw.zeros((6,), dtype=t.fw.int64, device=t.device)
    given = t.fw.zeros_like(x)
    made = t.call(function, x, 1, out=(values, places))
    return [*made, values, places, t.call(function, x, y, out=given), given]


@each(EXTREMES, right.columns_of_each, dtypes="f32", core=False)
def extremes_of_three_sizes(t, dtype, function):
    return [tuple(t.call(function, t.distinct((n, 7), dtype), 0)) for n in (5, 8, 13)]


@each(EXTREMES, right.all_and_rows, dtypes="f32", large=True)
def extremes_of_many(t, dtype, function):
    """The values alone: some floats are equal."""
    x = t.randn((2048, 2048), dtype)
    return [t.call(function, x), t.call(function, x, 1)[0]]


@each(EXTREMES, core=False)
def extremes_refuse(t, function):
    """Of nothing, no such axis, complex numbers, shapes that do not fit."""
    x, none = t.randn((3, 4), "f32"), t.randn((0, 3), "f32")
    t.raises(RuntimeError, t.call, function, none)
    t.raises(IndexError, t.call, function, none, 0)
    t.raises(IndexError, t.call, function, x, 2)
    t.raises((RuntimeError, NotImplementedError), t.call, function, t.randn((3,), "c64"))
    t.raises(RuntimeError, t.call, function, x, t.randn((3,), "f32"))


# --- other kinds, and what few ask

MAX = "torch.max"


@case(MAX, dtypes="i16", core=False, reference=lambda np, x: [
      200 * x.max(), 200 * x.max(1), x.argmax(1), 200 * np.maximum(x[0], x[1])])  # fmt: skip
def of_small_integers(t, dtype):
    x = t.distinct((12, 10), dtype) * 200
    return [t.call(MAX, x), *t.call(MAX, x, -1), t.call(MAX, x[0], x[1])]


@each(EXTREMES, dtypes="i64 i32 i8", core=False)
def ends_of_integers(t, dtype, function):
    """The ends of a kind of integers are the extremes, and neighbours beyond 53 bits differ."""
    least, most = -(2 ** (int(dtype[1:]) - 1)), 2 ** (int(dtype[1:]) - 1) - 1
    if function != MAX:
        least, most = most, least
    step = 1 if least < most else -1
    x = t.const([[least, least], [most - step, most], [least, least + step]], dtype)
    values, places = t.call(function, x, 1)
    wanted = [least, most, least + step]
    t.expect(t.host(values).tolist() == wanted, "the values, got %s" % values)
    t.expect(t.host(places)[1:].tolist() == [1, 1], "their places, got %s" % places)
    t.expect(t.host(t.call(function, x)).tolist() == most, "of all")
    both = t.host(t.call(function, x[1], x[2])).tolist()
    t.expect(both == [most - step, most], "of two, got %s" % both)


@case(MAX, dtypes="f32 bf16", core=False, reference="none")
def infinities_and_rows_without_numbers(t, dtype):
    """Minus infinity is a value with a place; of several NaN the place is one of theirs."""
    x = t.const([[-INF, -INF, -INF], [1.0, INF, 2.0], [NAN, 3.0, NAN]], dtype)
    values, places = (t.host(one) for one in t.call(MAX, x, dim=1))
    t.expect(values[:2].tolist() == [-INF, INF] and values[2] != values[2], "got %s" % values)
    t.expect(0 <= places[0] <= 2 and places[1] == 1 and places[2] in (0, 2), "got %s" % places)


@each(EXTREMES, lambda function: lambda np, x, y: [right.of_two(function)(np, x, y)] * 2, dtypes="i64 i32", core=False)  # fmt: skip
def integers_beside_fractions(t, dtype, function):
    """Of integers and floats, in either order, and into a wider out=."""
    x, y = t.randint((5, 1), dtype, -9, 9), t.uniform((7,), "f32", -9, 9)
    given = t.fw.zeros((5, 7), dtype=t.fw.float64, device=t.device)
    made = t.call(function, x, y)
    t.expect(made.dtype is t.fw.float32, "f32")
    t.call(function, y, x, out=given)
    return [made, given.to(made.dtype)]


@case(MAX, core=False, reference="none")
def what_max_does_not_take(t):
    """Several axes, one result for two, an index in another dtype."""
    x = t.randn((3, 4), "f32")
    t.raises(TypeError, t.call, MAX, x, (0, 1))
    t.raises(TypeError, t.call, MAX, x, 1, out=t.randn((3,), "f32"))
    t.raises(RuntimeError, t.call, MAX, x, 1, out=(t.randn((3,), "f32"), t.randn((3,), "f32")))
    t.raises(RuntimeError, t.call, MAX, x, x, out=t.randint((3, 4), "i64", 0, 5))


def _ties(function):
    value, place = ("max", "argmax") if function == "torch.max" else ("min", "argmin")
    return lambda np, x: [
        made for axis in (0, 1) for made in (getattr(x, value)(axis), getattr(np, place)(x, axis))
    ]


@each(EXTREMES, _ties, dtypes="f32 bf16 i64 u8 bool", core=False)
def the_first_of_equals(t, dtype, function):
    """Documented: of equal extremes in a row the place of the first one."""
    find, x = t.get(function), t.randint((60, 70), dtype, 0, 5)
    return t.call(lambda x: [*find(x, 0), *find(x, 1)], x)


@each(EXTREMES, lambda function: with_gradient(
      lambda np, x, y: right.of_two(function)(np, x, y),
      lambda np, w, x, y: tuple(w * np.where(x == y, 0.5, np.where((x > y) == (function == "torch.max"), one, 1 - one))
                                for one in (1, 0))), dtypes="f32", grad=True, core=False)  # fmt: skip
def equals_share_the_gradient_of_two(t, dtype, function):
    x = t.const([1.0, 2.0, 3.0, -4.0, 0.5], dtype, grad=True)
    return t.call(function, x, t.const([1.0, 3.0, 2.0, -4.0, 0.25], dtype, grad=True))


@each(EXTREMES, lambda function: lambda np, x, y: [
      getattr(x, function[6:])(), getattr(x, function[6:])(1), getattr(np, function[6:] + "imum")(x, y)],
      dtypes="i64", core=False)  # fmt: skip
def extremes_of_all_digits(t, dtype, function):
    """Integers of 61 bits, that a float would not tell apart."""
    x = t.const([[2**60 + 1, 2**60 + 2, 2**60 + 3], [-(2**60), 1 - 2**60, 2 - 2**60]], dtype)
    other = t.const(2 - 2**60, dtype)
    return [t.call(function, x), t.call(function, x, 1)[0], t.call(function, x, other)]


@each(EXTREMES, lambda function: lambda np, x: [getattr(x, function[6:])(), *right.extreme_along(function)(np, x, 1)],
      dtypes="f32 i64", core=False)  # fmt: skip
def extremes_into_what_grows(t, dtype, function):
    """out= of all numbers, and of what has no elements yet."""
    x = t.distinct((6, 9), dtype)
    one, values = (t.fw.zeros(n, dtype=x.dtype, device=t.device) for n in ((), 0))
    places = t.fw.zeros(0, dtype=t.fw.int64, device=t.device)
    t.expect(t.call(function, x, out=one) is one, "the given tensor")
    made = t.call(function, x, 1, out=(values, places))
    t.expect(made[0] is values and made[1] is places, "the given tensors")
    return [one, values, places]


def _kept(function):
    """Of the axis in the middle, which stays with one place."""
    at = "argmax" if function == "torch.max" else "argmin"

    def values(np, x):
        return np.take_along_axis(x, np.expand_dims(getattr(np, at)(x, 1), 1), 1)

    def pull(np, w, x):
        index = np.expand_dims(getattr(np, at)(x, 1), 1)
        return w * (np.arange(x.shape[1])[:, None] == index)

    return with_gradient(values, pull)


@each(EXTREMES, _kept, dtypes="f32 f64 f16", grad=True, core=False)
def gradient_of_the_kept_axis(t, dtype, function):
    find = t.get(function)
    return t.call(lambda x: find(x, -2, keepdim=True)[0], t.distinct((3, 5, 4), dtype))


@case("torch.max", dtypes="bool", core=False, reference=lambda np, x, y: x | y)
@case("torch.min", dtypes="bool", core=False, reference=lambda np, x, y: x & y)
def of_two_truths(t, dtype, function):
    """Or, and and; one of them broadcast."""
    x = t.const([[True, False, True, False], [False] * 4, [True] * 4], dtype)
    return t.call(function, x, t.const([True, True, False, False], dtype))


@each(EXTREMES, core=False)
def extremes_refuse_other_kinds(t, function):
    """A number or two axes, results of another dtype, complex numbers beside real ones."""
    x, whole, floats = t.randn((3, 4), "f32"), t.randn((3,), "i64"), t.randn((3,), "f32")
    t.raises(TypeError, t.call, function, x, 1.5)
    t.raises(TypeError, t.call, function, x, (0, 1))
    t.raises(RuntimeError, t.call, function, x, 1, out=(whole, whole))
    t.raises(RuntimeError, t.call, function, x, 1, out=(floats, floats.clone()))
    t.raises((RuntimeError, NotImplementedError), t.call, function, x, t.randn((3, 4), "c64"))


def _of_each_place(function):
    value, place = ("max", "argmax") if function == "torch.max" else ("min", "argmin")

    def reference(np, x, peak):
        x = x + peak if value == "max" else x + 100 - peak
        return [getattr(x, value)(0), getattr(np, place)(x, 0), getattr(x, value)(1), getattr(np, place)(x, 1),
                *(getattr(x[n - 1, :n], value)() for n in LENGTHS)]  # fmt: skip

    return reference


LENGTHS = 1, 2, 7, 8, 9, 16, 17, 31, 33, 64, 67


@each(EXTREMES, _of_each_place, dtypes="f32 f64 bf16 f16 i64 i16 u8", core=False)
def at_each_place(t, dtype, function):
    """The extreme stands at each place of a row and of a column in turn, and at the end of rows of each length."""
    find, x, peak = t.get(function), t.randint((67, 67), dtype, 0, 50), t.const(100 * t.np.eye(67, dtype=int), dtype)  # fmt: skip

    def run(x, peak):
        x = x + peak if function == MAX else x + 100 - peak
        return [*find(x, 0), *find(x, 1), *(find(x[n - 1, :n]) for n in LENGTHS)]

    return t.call(run, x, peak)


@each(EXTREMES, lambda function: lambda np, x, none: [np.arange(67)] * 2, dtypes="f32 f64 bf16 f16", core=False)  # fmt: skip
def nan_at_each_place(t, dtype, function):
    """One NaN in each row and column is what is found; of two tensors it is the number there."""
    x, none = t.randint((67, 67), dtype, 0, 50), t.const(t.np.where(t.np.eye(67) > 0, NAN, 0), dtype)  # fmt: skip
    find, y = t.get(function), x + none
    rows, columns = t.call(function, y, 1), t.call(function, y, 0)
    every = [t.call(function, y[n - 1, :n]) for n in LENGTHS]
    t.expect(bool(t.np.isnan([*map(t.host, every)]).all()), "NaN of rows of each length")
    both = t.host(find(x, y)), t.host(find(y, x))
    for one in both:
        t.expect(t.np.isnan(one).tolist() == (t.np.eye(67) > 0).tolist(), "NaN where one has it")
    for one in (rows, columns):
        t.expect(bool(t.np.isnan(t.host(one[0])).all()), "NaN")
    return [rows[1], columns[1]]


def _of_each_order(function):
    value, place = ("max", "argmax") if function == "torch.max" else ("min", "argmin")
    return lambda np, x: [
        getattr(np, name)(x.transpose(order), axis)
        for order in itertools.permutations(range(3))
        for axis in range(3)
        for name in (value, place)
    ]


@each(EXTREMES, _of_each_order, dtypes="f32 i64", core=False)
def extremes_in_any_order(t, dtype, function):
    """Of three axes, whichever lies innermost, along each; one is no multiple of a register."""
    find = t.get(function)
    orders = list(itertools.permutations(range(3)))
    return t.call(
        lambda x: [made for order in orders for axis in range(3) for made in find(x.permute(order), axis)],
        t.distinct((5, 6, 67), dtype),
    )  # fmt: skip


def _of_rows(function, *axes):
    """Of all numbers, and along each axis with the places."""
    value, place = right.EXTREMES[function]
    return lambda np, x: [
        value(np, x, None),
        *(f(np, x, axis) for axis in axes for f in (value, place)),
    ]


@each(EXTREMES, lambda function: _of_rows(function, 1, 0), dtypes="f32 f64 f16 bf16", core=False)
def infinite_extremes(t, dtype, function):
    """Infinities are numbers like others: beside numbers, alone, against each other."""
    rows = [[-INF, -INF, INF, 3.0], [INF, INF, -INF, -1.0], [INF] * 4, [-INF] * 4, [INF, 2.0, INF, 65504.0]]  # fmt: skip
    x, find = t.const(rows, dtype), t.get(function)
    return t.call(lambda x: [find(x), *find(x, 1), *find(x, 0)], x)


@each(EXTREMES, lambda function: lambda np, x: [
      f(np, y, axis) for y in (x.transpose(2, 0, 1), x[:, ::2]) for axis in (0, 1, -1) for f in right.EXTREMES[function]],
      dtypes="f32 i16 f64", core=False)  # fmt: skip
def extremes_of_permuted_axes(t, dtype, function):
    """Along each of three axes that lie in another order, and of every other row."""
    x = t.distinct((7, 6, 5), dtype)
    views = x.permute(2, 0, 1), x[:, ::2]
    return [made for y in views for axis in (0, 1, -1) for made in t.call(function, y, axis)]


def _holes(np):
    return (np.arange(300)[:, None] % 3 == 1) & (np.arange(401) % 97 == 9)


def _beside_nan(function):
    value, place = right.EXTREMES[function]
    two = "maximum" if function == "torch.max" else "minimum"

    def reference(np, x, y):
        holes = _holes(np)
        rows = holes.any(1)
        spoiled = np.where(holes, NAN, x)
        return [
            np.array(NAN), np.where(rows, NAN, value(np, x, 1)), np.where(rows, 9, place(np, x, 1)),
            np.where(holes.any(0), NAN, value(np, x, 0)), np.where(holes.any(0), 1, place(np, x, 0)), getattr(np, two)(spoiled, y), getattr(np, two)(y, spoiled),
        ]  # fmt: skip

    return reference


@each(EXTREMES, _beside_nan, dtypes="f32 f64", core=False)
def nan_among_many(t, dtype, function):
    """In a hundred thousand numbers: of all, along each axis with the place of the first, of two, whichever of them has it."""
    x, y = t.uniform((300, 401), dtype, -9, 9), t.uniform((300, 401), dtype, -9, 9)
    find = t.get(function)
    spoiled = x.masked_fill(t.fw.tensor(_holes(t.np), device=t.device), NAN)
    return t.call(lambda x, y: [find(x), *find(x, 1), *find(x, 0), find(x, y), find(y, x)], spoiled, y)  # fmt: skip


@each(EXTREMES, dtypes="f32 i64", core=False)
def nothing_along_another_axis(t, dtype, function):
    """Of no numbers along an axis that has a length there are no results; along the one that has none it raises."""
    x = t.randn((2, 0, 4), dtype)
    for axis, kept, shape in (
        (0, False, (0, 4)), (2, False, (2, 0)), (-1, True, (2, 0, 1)), (-3, True, (1, 0, 4)),
    ):  # fmt: skip
        values, places = t.call(function, x, axis, kept)
        t.expect(values.shape == places.shape == shape, "%s, got %s" % (shape, values.shape))
        t.expect(values.dtype is x.dtype and places.dtype is t.fw.int64, "values and places")
    for axis in (1, -2):
        t.raises(IndexError, t.call, function, x, axis)
    t.raises(RuntimeError, t.call, function, x)
    t.raises(IndexError, t.call, function, t.const(1, dtype), 1)
    t.raises(IndexError, t.call, function, t.const(1, dtype), -2)
    t.expect(t.call(function, x, x).shape == (2, 0, 4), "none of two")
    y = t.distinct((2, 3, 4), dtype)
    want = right.EXTREMES[function][0](t.np, t.host(y), 1)
    t.expect(bool((t.host(t.call(function, y, 1)[0]) == want).all()), "the numbers of some")


SIXTH = lambda np: np.arange(12).reshape(3, 4) == 6  # noqa: E731


def _others(np, function, x):
    """The places of the extremes of the other rows."""
    places = right.EXTREMES[function][1](np, x, 1)
    return (np.arange(4) == places[:, None]) & (np.arange(3) != 1)[:, None]


@each(EXTREMES, lambda function: lambda np, x: [1.0 * SIXTH(np), 1.0 * (SIXTH(np) | _others(np, function, x))], dtypes="f32 f64", core=False)  # fmt: skip
def gradient_beside_nan(t, dtype, function):
    """NaN is the result, so it has the gradient: of all numbers, and of its row."""
    x = t.distinct((3, 4), dtype)
    x = x.masked_fill(t.fw.arange(12, device=t.device).reshape(3, 4) == 6, NAN).requires_grad_()
    find, slope = t.get(function), t.fw.autograd.grad
    return t.call(lambda x: [slope(find(x), x)[0], slope(find(x, 1)[0].sum(), x)[0]], x)


@each(EXTREMES, lambda function: _of_rows(function, 1), dtypes="f32", core=False)
def extremes_of_what_is_quantized(t, dtype, function):
    """The steps and their size stay."""
    x = t.distinct((4, 6), dtype)
    steps = t.fw.quantize_per_tensor(x, 1.0, 100, t.fw.quint8)
    made = t.call(lambda steps: t.get(function)(steps), steps)
    values, places = t.call(lambda steps: t.get(function)(steps, 1), steps)
    t.expect(made.dtype is values.dtype is t.fw.quint8 and values.q_scale() == 1, "quantized")
    return [made.dequantize(), values.dequantize(), places]


@each(EXTREMES, core=False)
def extremes_refuse_these_outputs(t, function):
    """One element for all, wider floats beside places, integers for what promotes; an axis as a fraction, a text as a truth."""
    x = t.randn((4, 5), "f32")
    t.raises(RuntimeError, t.call, function, x, x + 1, out=x.new_zeros(1).expand(4, 5))
    places = x.new_zeros(5, dtype=t.fw.int64)
    t.raises(RuntimeError, t.call, function, x, 0, out=(x.new_zeros(5).double(), places))
    t.raises(RuntimeError, t.call, function, x, (3 * x).int(), out=x.new_zeros((4, 5)).int())
    t.raises(TypeError, t.call, function, x, 0.5)
    t.raises(TypeError, t.call, function, x, dim=0, keepdim="yes")
