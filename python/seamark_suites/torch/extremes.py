"""Extremes: of all numbers, along an axis with their places, of two tensors."""

from seamark_suites.case import case

from . import reference_indexing as right
from .pointwise import each

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
