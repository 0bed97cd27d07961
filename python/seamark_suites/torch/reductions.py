"""Sums, means, running sums."""

from seamark_suites.case import case

from . import reference_indexing as right
from .pointwise import each
from .reference import with_gradient

INF, NAN = float("inf"), float("nan")
BOTH = "mean Tensor.sum"


# --- mean, Tensor.sum


@each(
    BOTH,
    right.reduced_gradient,
    dtypes="f32",
    dim=[None, 1, (0, 2)],
    keepdim=[False],
    grad=True,
    name="gradient",
)
@each(
    BOTH,
    right.reduced_gradient,
    dtypes="bf16",
    dim=[1],
    keepdim=[False],
    grad=True,
    name="gradient",
)
@each(
    BOTH,
    right.reduced_gradient,
    dtypes="f64 c64",
    dim=[(0, 2)],
    keepdim=[True],
    grad=True,
    core=False,
    name="gradient",
)
@each(
    BOTH,
    right.reduced,
    dtypes="f16 f64 c64 c128",
    dim=[None, 1],
    keepdim=[False],
    core=False,
    name="forward",
)
@each(
    BOTH,
    right.reduced,
    dtypes="f32 bf16",
    dim=[None, 0, -1, (0, 2)],
    keepdim=[False],
    name="forward",
)
@each(BOTH, right.reduced, dtypes="f32", dim=[1, (0, -1)], keepdim=[True], name="forward")
def reduced(t, dtype, dim, keepdim, function):
    x = t.uniform((8, 9, 5), dtype, -1, 2)
    return t.call(function, x) if dim is None else t.call(function, x, dim, keepdim=keepdim)


@case(
    "torch.Tensor.sum", dtypes="i64 i32 bool", dim=[0, 1], reference=lambda np, x, dim: x.sum(dim)
)
@case(
    "torch.Tensor.sum",
    dtypes="i8 i16 u8",
    dim=[0, 1],
    core=False,
    reference=lambda np, x, dim: x.sum(dim),
)
def integers_as_int64(t, dtype, dim):
    """Small integers and booleans are summed as int64: 300 times 100 is no byte."""
    made = t.call(
        "torch.Tensor.sum", t.randint((300, 7), dtype, 0, 2 if dtype == "bool" else 100), dim
    )
    t.expect(made.dtype is t.fw.int64, "int64")
    return made


@case(
    "torch.mean",
    dtypes="i64 bool f32 bf16",
    core=False,
    reference=lambda np, x: (x.mean(), x.mean(0)),
)
@case(
    "torch.Tensor.sum",
    dtypes="i64 bool f32 bf16",
    core=False,
    reference=lambda np, x: (x.sum(), x.sum(0)),
)
def in_another_dtype(t, dtype, function):
    """dtype= converts before it adds."""
    x, to = t.randn((30, 7), dtype), t.fw.float64
    made = t.call(function, x, dtype=to), t.call(function, x, 0, dtype=to)
    t.expect(made[0].dtype is made[1].dtype is to, "the asked dtype")
    if dtype in ("f32", "bf16"):
        want = t.host(x).mean(0) if function == "torch.mean" else t.host(x).sum(0)
        t.expect(bool((abs(t.host(made[1]) - want) < 1e-9).all()), "the digits of f64")
    return made


@each(BOTH, right.of_no_numbers, dtypes="f32", trivial=True, core=False)
def of_no_numbers(t, dtype, function):
    """The mean of nothing is NaN, its sum is zero; along another axis nothing is left."""
    x = t.randn((0, 3), dtype)
    return t.call(function, x), t.call(function, x, 0), t.call(function, x, 1)


@each(BOTH, lambda function: lambda np, x, y: (x, x, y.reshape(())), dtypes="f32", core=False)
def of_a_scalar(t, dtype, function):
    x, y = t.randn((), dtype), t.randn((1, 1), dtype)
    return t.call(function, x), t.call(function, x, 0), t.call(function, y)


@each(BOTH, right.of_layouts, dtypes="f32 c64", core=False)
def of_strides(t, dtype, function):
    """Gaps, a transpose, a broadcast row."""
    x, row = t.randn((9, 14), dtype, noncontiguous=True), t.randn((1, 6), dtype)
    return [
        t.call(function, x, 0),
        t.call(function, x.mT, 0),
        t.call(function, row.expand(4, 6), 1),
    ]


@each(
    BOTH,
    lambda function: lambda np, x: right.reduced(function)(np, x, (2, 3)),
    dtypes="f32",
    core=False,
)
def of_channels_last(t, dtype, function):
    """Over the places of images, as global pooling."""
    x = t.randn((2, 5, 6, 7), dtype)
    return t.call(function, x.contiguous(memory_format=t.fw.channels_last), (2, 3))


@each(
    BOTH,
    lambda function: lambda np, x: right.reduced(function)(np, x, 1),
    dtypes="f32 bf16",
    core=False,
)
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


@each(
    BOTH,
    lambda function: lambda np, *xs: [right.reduced(function)(np, x, 0) for x in xs],
    dtypes="f32",
    core=False,
)
def sums_of_three_sizes(t, dtype, function):
    return [t.call(function, t.randn((n, 7), dtype), 0) for n in (5, 8, 13)]


@each(
    BOTH, lambda function: lambda np, x: right.reduced(function)(np, x, 1), dtypes="f32", large=True
)
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


# --- cumsum


@case(
    "torch.cumsum",
    dtypes="f32",
    dim=[0, -1],
    grad=True,
    name="gradient",
    reference=with_gradient(right.cumsum, right.cumsum_pull),
)
@case(
    "torch.cumsum",
    dtypes="bf16",
    dim=[-1],
    grad=True,
    name="gradient",
    reference=with_gradient(right.cumsum, right.cumsum_pull),
)
@case(
    "torch.cumsum",
    dtypes="f64 c64",
    dim=[1],
    grad=True,
    core=False,
    name="gradient",
    reference=with_gradient(right.cumsum, right.cumsum_pull),
)
@case(
    "torch.cumsum",
    dtypes="f16 c64 c128",
    dim=[1],
    core=False,
    name="forward",
    reference=right.cumsum,
)
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


@case(
    "torch.cumsum",
    dtypes="f32",
    shapes="0 0x3 3x0x2",
    trivial=True,
    core=False,
    reference=lambda np, x: x,
)
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


@case(
    "torch.cumsum",
    dtypes="f32",
    core=False,
    reference=lambda np, *xs: [np.cumsum(x, 0) for x in xs],
)
def running_three_sizes(t, dtype):
    return [t.call("torch.cumsum", t.randn((n, 7), dtype), 0) for n in (5, 8, 13)]


@case(
    "torch.cumsum",
    dtypes="f32",
    dim=[0, 1],
    large=True,
    reference=lambda np, x, dim: np.cumsum(x, dim),
)
def running_many(t, dtype, dim):
    return t.call("torch.cumsum", t.uniform((2048, 1024), dtype), dim)


@case("torch.cumsum", core=False, reference="none")
def cumsum_refuses(t):
    x = t.randn((3, 4), "f32")
    t.raises(IndexError, t.call, "torch.cumsum", x, 2)
    t.raises(RuntimeError, t.call, "torch.Tensor.cumsum_", t.randn((3,), "f32", grad=True), 0)
