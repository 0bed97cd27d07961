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


@case("torch.mean", dtypes="f32", to=["bf16", "f16"], core=False, reference=lambda np, x, to: [x.mean(), x.mean(0)])  # fmt: skip
@case("torch.mean", dtypes="c64", to="c128", core=False, reference=lambda np, x, to: [x.mean(), x.mean(0)])  # fmt: skip
def in_a_narrower_or_a_wider_dtype(t, dtype, to):
    x = t.uniform((30, 7), dtype, 1, 2)
    made = [t.call("torch.mean", x, dtype=t.dtype(to)), t.call("torch.mean", x, 0, dtype=t.dtype(to))]  # fmt: skip
    t.expect(all(one.dtype is t.dtype(to) for one in made), "the asked dtype")
    far = abs(t.host(made[1]) - t.host(x).astype("complex128").mean(0)).max()
    t.expect(far < (1e-12 if to == "c128" else 0.02), "its digits, not %s away" % far)
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


@case("torch.mean", dtypes="f32 c64", core=False, reference=lambda np, x: [
      x.mean(), x.mean(keepdims=True), x.mean((0, 2), keepdims=True), x.mean(1), x[0, 0, 0]])  # fmt: skip
def mean_of_all_axes(t, dtype):
    """Each axis by name, in any order, with axes that stay; along an axis of one number."""
    x = t.randn((3, 4, 5), dtype)
    given = (x, (2, 0, 1), False), (x, (0, 1, -1), True), (x, [-1, 0], True), (x, 1, False)
    made = [t.call("torch.mean", one, dim=dim, keepdim=keep) for one, dim, keep in given]
    return [*made, t.call("torch.mean", x[:1, :1, :1], dim=(0, 1, 2))]


@case("torch.mean", dtypes="f32 f64", core=False, reference=lambda np, x, w: (
      (x**2).mean(), 2 * x / x.size, 2 * w / x.size))  # fmt: skip
def of_squares_twice(t, dtype):
    """The slope of the slope of a mean of squares."""
    x, w = t.randn((4, 5), dtype, grad=True), t.randn((4, 5), dtype)
    made = t.call("torch.mean", x**2)
    first = t.fw.autograd.grad(made, x, create_graph=True)[0]
    return made, first, t.fw.autograd.grad((first * w).sum(), x)[0]


@case("torch.Tensor.sum", dtypes="f32 c64", core=False, reference=lambda np, x: [
      x.sum(), x.sum(), x.sum((0, 2)), x.sum(keepdims=True), x.sum((0, 1, 2), keepdims=True), x.sum(1),
      np.broadcast_to(x[:1], (4, 3, 5)).sum((0, 1)), x.conj().sum(0)])  # fmt: skip
def by_ways_to_say_axes(t, dtype):
    """No axes are all, in a list, by keyword, dim=None with keepdim; of what is broadcast, of a conjugate."""
    x, total = t.uniform((2, 3, 5), dtype, 1, 2), "torch.Tensor.sum"
    given = (x, ()), (x, []), (x, [2, 0])
    made = [t.call(total, *args) for args in given]
    made.append(t.call(total, x, dim=None, keepdim=True))
    made.append(t.call(total, x, (-1, 0, 1), True))
    made.append(t.call(total, x, axis=1))
    return [*made, t.call(total, x[:1].expand(4, 3, 5), (0, 1)), t.call(total, x.conj(), 0)]


@case(
    "torch.Tensor.sum",
    dtypes="bf16 f16",
    core=False,
    reference=lambda np, x, rows: [x.sum(), rows.sum(0)],
)
def half_is_added_in_f32(t, dtype):
    """A sum of 10000 numbers near one keeps the digits that its dtype has: steps of one would be lost from 256, or 2048, on."""
    return [
        t.call("torch.Tensor.sum", t.uniform((10000,), dtype, 0.75, 1.25)),
        t.call("torch.Tensor.sum", t.uniform((5000, 3), dtype, 0.75, 1.25), 0),
    ]


@case("torch.Tensor.sum", core=False, reference=lambda np, x, yes, whole: [
      np.trunc(x).sum(0), np.trunc(x).sum(), yes.sum(1) > 0, yes.sum(), whole.sum(0)])  # fmt: skip
def in_a_dtype_of_integers(t):
    """Each number is cut off first; truths as truth; integers of 61 bits keep all digits."""
    x, fw, total = t.uniform((4, 6), "f32", 1, 9), t.fw, "torch.Tensor.sum"
    yes, whole = t.const([[True, False, True], [False] * 3], "bool"), t.const([2**60 + 1, 2**60 + 3, -(2**32) - 5, -10], "i64")  # fmt: skip
    made = [
        t.call(total, x, 0, dtype=fw.int32),
        t.call(total, x, dtype=fw.int64),
        t.call(total, yes, 1, dtype=fw.bool),
        t.call(total, yes, dtype=fw.int8),
        t.call(total, whole, 0),
    ]
    found = [one.dtype for one in made]
    want = [fw.int32, fw.int64, fw.bool, fw.int8, fw.int64]
    t.expect(found == want, "the dtypes %s, got %s" % (want, found))
    return made


@case("torch.Tensor.sum", dtypes="f16 f32", grad=True, core=False, reference=with_gradient(
      lambda np, x: [x.sum(), x[:, :1].sum(0), x.sum((1, 0), keepdims=True)],
      lambda np, w, x: w[0] + w[1][0] * (np.arange(5) == 0) + w[2]))  # fmt: skip
def gradient_of_several(t, dtype):
    """Of all, of a column, of two axes that are kept: each number has the sum."""
    total = t.get("torch.Tensor.sum")
    return t.call(
        lambda x: [total(x), total(x[:, :1], 0), total(x, (1, 0), True)], t.randn((4, 5), dtype)
    )


@case("torch.mean", dtypes="f32 f64 c64", grad=True, core=False, reference=with_gradient(
      lambda np, x: [x.mean(), x.mean(keepdims=True), x.mean(), x.mean(keepdims=True), x.mean(), x.mean((0, 2)), x.mean(1, keepdims=True)],
      lambda np, w, x: (sum(one.sum() for one in w[:5]) / x.size + w[5][:, None] * 3 / x.size + w[6] * 8 / x.size)))  # fmt: skip
def by_ways_to_ask_for_all(t, dtype):
    """dim=None, with and without keepdim; no axes in a tuple and a list; axis= and keepdims= of NumPy."""
    mean, x = t.get("torch.mean"), t.randn((2, 3, 4), dtype)
    asked = [
        {"dim": None},
        {"dim": None, "keepdim": True},
        {"dim": ()},
        {"dim": (), "keepdim": True},
        {"dim": []},
        {"axis": (0, 2)},
        {"axis": 1, "keepdims": True},
    ]
    return t.call(lambda x: [mean(x, **options) for options in asked], x)


@case("torch.mean", core=False, reference="none")
def dtypes_that_no_mean_has(t):
    """Whole numbers as dtype=, by an axis too; another dtype than that of out=; integers, whatever the axis."""
    x, fw = t.randn((3, 4), "f32"), t.fw
    for dtype in (fw.int64, fw.int32, fw.bool):
        t.raises(RuntimeError, t.call, "torch.mean", x, dtype=dtype)
        t.raises(RuntimeError, t.call, "torch.mean", x, 1, dtype=dtype)
    out = fw.zeros((3,), device=t.device)
    t.raises(RuntimeError, t.call, "torch.mean", x, 1, dtype=fw.float64, out=out)
    t.raises(RuntimeError, t.call, "torch.mean", t.randn((3, 4), "i32"), 1)
    t.raises(RuntimeError, t.call, "torch.mean", t.randn((0,), "i64"))


def _of_sparse(np, x, kept):
    x = x * kept
    return [x.sum(), x.sum(0), x.sum(-1, keepdims=True), x.sum(), x.sum(), np.full((3, 5), 2)]


@case("torch.Tensor.sum", dtypes="f32 f64 c64 i64", core=False, reference=_of_sparse)
def of_sparse_numbers(t, dtype):
    """Of all; along an axis, which stays sparse; of compressed rows; twice the sum has a slope of two, of what is not kept, too."""
    x, kept = t.uniform((3, 5), dtype, 1, 9), t.randn((3, 5), "bool")
    sparse, total = (x * kept).to_sparse(), "torch.Tensor.sum"
    along = [t.call(total, sparse, 0), t.call(total, sparse, -1, keepdim=True)]
    t.expect(all(one.layout is t.fw.sparse_coo for one in along), "sparse sums along an axis")
    made = [
        t.call(total, sparse),
        *(one.to_dense() for one in along),
        t.call(total, sparse, (0, 1)),
    ]
    made.append(t.call(total, (x * kept).to_sparse_csr()))
    if dtype == "i64":
        return [*made, t.fw.full_like(x, 2)]
    leaf = sparse.detach().requires_grad_()
    end = t.call(total, leaf)
    return [*made, t.fw.autograd.grad(end, leaf, t.fw.full_like(end, 2).detach())[0]]


@case("torch.Tensor.sum", dtypes="f32 c64", grad=True, core=False, reference=with_gradient(
      lambda np, x: [x.sum(1, keepdims=True), x.sum(keepdims=True), x.sum((0, 2), keepdims=True), x.sum(1)],
      lambda np, w, x: w[0] + w[1] + w[2] + w[3][:, None]))  # fmt: skip
def by_names_of_numpy(t, dtype):
    """axis= and keepdims=; the middle axis; dim= and keepdim= together with dtype=."""
    total = t.get("torch.Tensor.sum")
    return t.call(
        lambda x: [total(x, axis=1, keepdims=True), total(x, axis=(), keepdims=True), total(x, dim=(0, 2), keepdim=True, dtype=x.dtype), total(x, 1)],
        t.randn((2, 3, 4), dtype),
    )  # fmt: skip


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
