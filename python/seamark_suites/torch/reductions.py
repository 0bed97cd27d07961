"""Sums, means, extremes, running sums."""

from seamark_suites.case import case

from . import reference_indexing as right
from .pointwise import each
from .reference import with_gradient

INF, NAN = float("inf"), float("nan")
BOTH, EXTREMES = "mean Tensor.sum", "max min"


# --- mean, Tensor.sum


@each(BOTH, right.reduced_gradient, dtypes="f32", dim=[None, 1, (0, 2)], keepdim=[False], grad=True, name="gradient")  # fmt: skip
@each(BOTH, right.reduced_gradient, dtypes="bf16", dim=[1], keepdim=[False], grad=True, name="gradient")  # fmt: skip
@each(BOTH, right.reduced_gradient, dtypes="f64 c64", dim=[(0, 2)], keepdim=[True], grad=True, core=False, name="gradient")  # fmt: skip
@each(BOTH, right.reduced, dtypes="f16 f64 c64 c128", dim=[None, 1], keepdim=[False], core=False, name="forward")  # fmt: skip
@each(BOTH, right.reduced, dtypes="f32 bf16", dim=[None, 0, -1, (0, 2)], keepdim=[False], name="forward")  # fmt: skip
@each(BOTH, right.reduced, dtypes="f32", dim=[1, (0, -1)], keepdim=[True], name="forward")
def reduced(t, dtype, dim, keepdim, function):
    x = t.uniform((8, 9, 5), dtype, -1, 2)
    return t.call(function, x) if dim is None else t.call(function, x, dim, keepdim=keepdim)


@case("torch.Tensor.sum", dtypes="i64 i32 bool", dim=[0, 1], reference=lambda np, x, dim: x.sum(dim))  # fmt: skip
@case("torch.Tensor.sum", dtypes="i8 i16 u8", dim=[0, 1], core=False, reference=lambda np, x, dim: x.sum(dim))  # fmt: skip
def integers_as_int64(t, dtype, dim):
    """Small integers and booleans are summed as int64: 300 times 100 is no byte."""
    made = t.call("torch.Tensor.sum", t.randint((300, 7), dtype, 0, 2 if dtype == "bool" else 100), dim)  # fmt: skip
    t.expect(made.dtype is t.fw.int64, "int64")
    return made


@case("torch.mean", dtypes="i64 bool f32 bf16", core=False, reference=lambda np, x: (x.mean(), x.mean(0)))  # fmt: skip
@case("torch.Tensor.sum", dtypes="i64 bool f32 bf16", core=False, reference=lambda np, x: (x.sum(), x.sum(0)))  # fmt: skip
def in_another_dtype(t, dtype, function):
    """dtype= converts before it adds."""
    x, to = t.randn((30, 7), dtype), t.fw.float64
    made = t.call(function, x, dtype=to), t.call(function, x, 0, dtype=to)
    t.expect(made[0].dtype is made[1].dtype is to, "the asked dtype")
    if dtype in ("f32", "bf16"):
        want = t.host(x).mean(0) if function == "torch.mean" else t.host(x).sum(0)
        t.expect(bool((abs(t.host(made[1]) - want) < 1e-9).all()), "the digits of f64")
    return made


@each(BOTH, lambda function: lambda np, x: (np.full((), NAN if function == "torch.mean" else 0),
      np.full(3, NAN if function == "torch.mean" else 0), np.zeros(0)), dtypes="f32", trivial=True, core=False)  # fmt: skip
def of_no_numbers(t, dtype, function):
    """The mean of nothing is NaN, its sum is zero; along another axis nothing is left."""
    x = t.randn((0, 3), dtype)
    return t.call(function, x), t.call(function, x, 0), t.call(function, x, 1)


@each(BOTH, lambda function: lambda np, x, y: (x, x, y.reshape(())), dtypes="f32", core=False)
def of_a_scalar(t, dtype, function):
    x, y = t.randn((), dtype), t.randn((1, 1), dtype)
    return t.call(function, x), t.call(function, x, 0), t.call(function, y)


@each(BOTH, lambda function: lambda np, x, row: [
      right.reduced(function)(np, x, 0), right.reduced(function)(np, x.T, 0), right.reduced(function)(np, np.broadcast_to(row, (4, 6)), 1)],
      dtypes="f32 c64", core=False)  # fmt: skip
def of_strides(t, dtype, function):
    """Gaps, a transpose, a broadcast row."""
    x, row = t.randn((9, 14), dtype, noncontiguous=True), t.randn((1, 6), dtype)
    return [t.call(function, x, 0), t.call(function, x.mT, 0), t.call(function, row.expand(4, 6), 1)]  # fmt: skip


@each(BOTH, lambda function: lambda np, x: right.reduced(function)(np, x, (2, 3)), dtypes="f32", core=False)  # fmt: skip
def of_channels_last(t, dtype, function):
    """Over the places of images, as global pooling."""
    x = t.randn((2, 5, 6, 7), dtype)
    return t.call(function, x.contiguous(memory_format=t.fw.channels_last), (2, 3))


@each(BOTH, lambda function: lambda np, x: right.reduced(function)(np, x, 1), dtypes="f32 bf16", core=False)  # fmt: skip
def nan_and_infinities(t, dtype, function):
    """NaN stays, infinities of both signs give it."""
    rows = [[1.0, NAN, 2.0], [INF, 1.0, 2.0], [INF, -INF, 1.0], [-INF, 1.0, 5.0], [1.0, 2.0, 3.0]]
    return t.call(function, t.const(rows, dtype), 1)


@each(BOTH, lambda function: lambda np, x: right.reduced(function)(np, x), dtypes="f32", core=False)
def of_a_million(t, dtype, function):
    """The digits of f32 stay: a running sum would lose three of them."""
    x = t.uniform((1 << 20,), dtype)
    made = t.call(function, x)
    want = t.host(x).mean() if function == "torch.mean" else t.host(x).sum()
    t.expect(abs(float(t.host(made)) / want - 1) < 1e-6, "six digits")
    return made


@case("torch.mean", dtypes="f16 bf16", core=False, reference=lambda np, x: x.mean(0))
def half_does_not_overflow(t, dtype):
    """A sum of 70000 is no f16, and its mean is one."""
    return t.call("torch.mean", t.uniform((20000, 3), dtype, 3, 4), 0)


@each(BOTH, lambda function: lambda np, *xs: [right.reduced(function)(np, x, 0) for x in xs], dtypes="f32", core=False)  # fmt: skip
def sums_of_three_sizes(t, dtype, function):
    return [t.call(function, t.randn((n, 7), dtype), 0) for n in (5, 8, 13)]


@each(BOTH, lambda function: lambda np, x: right.reduced(function)(np, x, 1), dtypes="f32", large=True)  # fmt: skip
def rows_of_many(t, dtype, function):
    return t.call(function, t.uniform((2048, 2048), dtype), 1)


@case("torch.mean", dtypes="f32 c64", core=False, reference=lambda np, x: (x.mean(1),) * 2)
def mean_into_out(t, dtype):
    given = t.fw.zeros((6,), dtype=t.dtype(dtype), device=t.device)
    return t.call("torch.mean", t.randn((6, 9), dtype), 1, out=given), given


@case("torch.mean", dtypes="f32 f64", core=False, reference=lambda np, x, w: (
      (x**2).mean(), 2 * x / x.size, 2 * w / x.size))  # fmt: skip
def of_squares_twice(t, dtype):
    """The slope of the slope of a mean of squares."""
    x, w = t.randn((4, 5), dtype, grad=True), t.randn((4, 5), dtype)
    made = t.call("torch.mean", x**2)
    first = t.fw.autograd.grad(made, x, create_graph=True)[0]
    return made, first, t.fw.autograd.grad((first * w).sum(), x)[0]


@each(BOTH, core=False)
def axes_that_do_not_fit(t, function):
    """No such axis, one twice; the mean of integers has no dtype."""
    x = t.randn((3, 4), "f32")
    t.raises(IndexError, t.call, function, x, 2)
    t.raises(IndexError, t.call, function, x, (0, -3))
    t.raises(RuntimeError, t.call, function, x, (0, 0))
    if function == "torch.mean":
        t.raises(RuntimeError, t.call, function, t.randn((3,), "i64"))
        t.raises(RuntimeError, t.call, function, t.randn((3,), "bool"))


# --- max, min

EXTREMES_ALONG = {"torch.max": lambda np, x: x.max(1), "torch.min": lambda np, x: x.min(1)}
EXTREMES_OF_TIES = {"torch.max": [4.0, 3.0], "torch.min": [1.0, 2.0]}
EXTREME = {"torch.max": 4.0, "torch.min": 1.0}


@each(EXTREMES, right.extreme_gradients, dtypes="f32 bf16", grad=True, name="gradient_of_all")
@each(
    EXTREMES, right.extreme_gradients, dtypes="f64", grad=True, core=False, name="gradient_of_all"
)
@each(EXTREMES, right.extreme, dtypes="f16 f64 i8 u8", core=False, name="of_all")
@each(EXTREMES, right.extreme, dtypes="f32 bf16 i64 i32", name="of_all")
def extreme(t, dtype, function):
    return t.call(function, t.distinct((12, 10), dtype))


@each(EXTREMES, right.extreme_along_gradient, dtypes="f32 bf16", dim=[-1], grad=True, name="gradient")  # fmt: skip
@each(EXTREMES, right.extreme_along_gradient, dtypes="f64", dim=[0], grad=True, core=False, name="gradient")  # fmt: skip
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


@each(EXTREMES, lambda function: lambda np, x: (NAN, np.array([NAN, 5 if function == "torch.max" else -INF]), np.array([1, 2 if function == "torch.max" else 0]),
      np.array([NAN, NAN, 5 if function == "torch.max" else 2])), dtypes="f32 bf16 f64", core=False)  # fmt: skip
def nan_wins(t, dtype, function):
    """Documented: NaN comes through, in each of the three forms."""
    x = t.const([[1.0, NAN, 2.0], [-INF, 3.0, 5.0]], dtype)
    every = t.call(function, x)
    t.expect(bool(t.np.isnan(t.host(every))), "NaN of all")
    values, places = t.call(function, x, 1)
    return every, values, places, t.call(function, t.fw.where(x[0] < 2, NAN, x[0]), x[1])


@each(EXTREMES, lambda function: lambda np, x: (EXTREME[function], np.array([[0.5, 0], [0, 0.5]]) if function == "torch.max" else np.array([[0, 1.0], [0, 0]])),
      dtypes="f32", core=False)  # fmt: skip
def ties_share_the_gradient(t, dtype, function):
    """Documented: of all numbers, equal extremes share the gradient evenly."""
    x = t.const([[4.0, 1.0], [2.0, 4.0]], dtype, grad=True)
    made = t.call(function, x)
    return made, t.fw.autograd.grad(made, x)[0]


@each(
    EXTREMES,
    lambda function: lambda np, x: np.array(EXTREMES_OF_TIES[function]),
    dtypes="f32",
    core=False,
)
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


@each(EXTREMES, lambda function: lambda np, x: [*right.extreme_along(function)(np, x, 0), *right.extreme_along(function)(np, x.T, 0), right.extreme(function)(np, x)],
      dtypes="f32 i64", core=False)  # fmt: skip
def extremes_of_strides(t, dtype, function):
    x = t.distinct((9, 14), dtype, noncontiguous=True)
    return [*t.call(function, x, 0), *t.call(function, x.mT, 0), t.call(function, x)]


@each(EXTREMES, lambda function: lambda np, x, y: [x, x, np.zeros(()), np.zeros(0), np.zeros(0)], dtypes="f32", core=False)  # fmt: skip
def extremes_of_little(t, dtype, function):
    """A scalar, with an axis and without; along a full axis of an empty tensor."""
    x, none = t.randn((), dtype), t.randn((0, 3), dtype)
    return [t.call(function, x), *t.call(function, x, 0), *t.call(function, none, 1)]


@each(EXTREMES, lambda function: lambda np, x, y: [*right.extreme_along(function)(np, x, 1)] * 2 + [right.of_two(function)(np, x, y)] * 2,
      dtypes="f32 i64", core=False)  # fmt: skip
def extremes_into_out(t, dtype, function):
    x, y = t.distinct((6, 9), dtype), t.randn((6, 9), dtype)
    values, places = t.fw.zeros_like(x[:, 0]), t.fw.zeros((6,), dtype=t.fw.int64, device=t.device)
    given = t.fw.zeros_like(x)
    made = t.call(function, x, 1, out=(values, places))
    return [*made, values, places, t.call(function, x, y, out=given), given]


@each(EXTREMES, lambda function: lambda np, *xs: [right.extreme_along(function)(np, x, 0) for x in xs], dtypes="f32", core=False)  # fmt: skip
def extremes_of_three_sizes(t, dtype, function):
    return [tuple(t.call(function, t.distinct((n, 7), dtype), 0)) for n in (5, 8, 13)]


@each(EXTREMES, lambda function: lambda np, x: [right.extreme(function)(np, x), EXTREMES_ALONG[function](np, x)], dtypes="f32", large=True)  # fmt: skip
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


# --- cumsum


@case("torch.cumsum", dtypes="f32", dim=[0, -1], grad=True, name="gradient", reference=with_gradient(right.cumsum, right.cumsum_pull))  # fmt: skip
@case("torch.cumsum", dtypes="bf16", dim=[-1], grad=True, name="gradient", reference=with_gradient(right.cumsum, right.cumsum_pull))  # fmt: skip
@case("torch.cumsum", dtypes="f64 c64", dim=[1], grad=True, core=False, name="gradient", reference=with_gradient(right.cumsum, right.cumsum_pull))  # fmt: skip
@case("torch.cumsum", dtypes="f16 c64 c128", dim=[1], core=False, name="forward", reference=right.cumsum)  # fmt: skip
@case("torch.cumsum", dtypes="f32 bf16 i64", dim=[0, 1], name="forward", reference=right.cumsum)
def cumsum(t, dtype, dim):
    return t.call("torch.cumsum", t.uniform((6, 5, 4), dtype, 0.5, 4), dim)


@case("torch.cumsum", dtypes="i32 bool", reference=lambda np, x: np.cumsum(x, 0))
@case("torch.cumsum", dtypes="i8 u8", core=False, reference=lambda np, x: np.cumsum(x, 0))
def running_int64(t, dtype):
    """Small integers and booleans are summed as int64."""
    made = t.call("torch.cumsum", t.randint((300,), dtype, 0, 2 if dtype == "bool" else 100), 0)
    t.expect(made.dtype is t.fw.int64, "int64")
    return made


@case("torch.cumsum", dtypes="i64 f32", core=False, reference=lambda np, x: np.cumsum(x, 0))
def running_in_another_dtype(t, dtype):
    x = t.randn((40,), dtype)
    made = t.call("torch.cumsum", x, 0, dtype=t.fw.float64)
    t.expect(made.dtype is t.fw.float64, "f64")
    t.expect(bool((abs(t.host(made) - t.host(x).cumsum()) < 1e-12).all()), "the digits of f64")
    return made


@case("torch.cumsum", dtypes="f32 bf16", core=False, reference=lambda np, x: np.cumsum(x, 1))
def nan_stays(t, dtype):
    rows = [[1.0, NAN, 2.0, 3.0], [INF, 1.0, -INF, 2.0], [-INF, 1.0, 5.0, 0.0]]
    return t.call("torch.cumsum", t.const(rows, dtype), 1)


@case("torch.cumsum", dtypes="f32 i64", core=False, reference=lambda np, x, one: [
      np.cumsum(x, 0), np.cumsum(x.T, 0), np.cumsum(np.broadcast_to(x[:1], (4, 14)), 0), one])  # fmt: skip
def running_strided(t, dtype):
    x, one = t.randn((9, 14), dtype, noncontiguous=True), t.uniform((), dtype, 1, 9)
    given = x, x.mT, x[:1].expand(4, 14), one
    return [t.call("torch.cumsum", y, 0) for y in given]


@case("torch.cumsum", dtypes="f32", shapes="0 0x3 3x0x2", trivial=True, core=False, reference=lambda np, x: x)  # fmt: skip
def running_of_nothing(t, dtype, shape):
    return t.call("torch.cumsum", t.randn(shape, dtype), 0)


@case("torch.cumsum", dtypes="f32 i64", core=False, reference=lambda np, x: (np.cumsum(x, 1),) * 4)
def running_written(t, dtype):
    x = t.randn((6, 9), dtype)
    given, changed = t.fw.zeros_like(x), x.clone()
    made = t.call("torch.cumsum", x, 1, out=given)
    return made, given, t.call("torch.Tensor.cumsum_", changed, 1), changed


@case("torch.cumsum", dtypes="i32", core=False, reference=lambda np, x: (np.cumsum(x, 0),) * 2)
def in_place_keeps_the_dtype(t, dtype):
    x = t.randint((50,), dtype, 0, 1000)
    made = t.call("torch.Tensor.cumsum_", x, 0)
    t.expect(made.dtype is t.fw.int32, "i32")
    return made, x


@case("torch.cumsum", dtypes="f32", core=False, reference=lambda np, *xs: [np.cumsum(x, 0) for x in xs])  # fmt: skip
def running_three_sizes(t, dtype):
    return [t.call("torch.cumsum", t.randn((n, 7), dtype), 0) for n in (5, 8, 13)]


@case("torch.cumsum", dtypes="f32", dim=[0, 1], large=True, reference=lambda np, x, dim: np.cumsum(x, dim))  # fmt: skip
def running_many(t, dtype, dim):
    return t.call("torch.cumsum", t.uniform((2048, 1024), dtype), dim)


@case("torch.cumsum", core=False, reference="none")
def cumsum_refuses(t):
    x = t.randn((3, 4), "f32")
    t.raises(IndexError, t.call, "torch.cumsum", x, 2)
    t.raises(RuntimeError, t.call, "torch.Tensor.cumsum_", t.randn((3,), "f32", grad=True), 0)
