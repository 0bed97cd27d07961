"""The length of a tensor: x.norm()."""

from seamark_suites.case import case

from . import reference_methods as right
from .reference import with_gradient

NORM, INF, NAN = "torch.Tensor.norm", float("inf"), float("nan")

# --- norm


@case(
    "torch.Tensor.norm",
    dtypes="f32 bf16",
    dim=[None, -1],
    grad=True,
    reference=right.norm_gradient,
    name="gradient",
)
@case(
    "torch.Tensor.norm",
    dtypes="f64 c64",
    dim=[0],
    grad=True,
    core=False,
    reference=right.norm_gradient,
    name="gradient",
)
@case(
    "torch.Tensor.norm", dtypes="f32 bf16", dim=[0, (0, 1)], reference=right.norm_of, name="forward"
)
@case(
    "torch.Tensor.norm",
    dtypes="f16 f64 c64",
    dim=[1],
    core=False,
    reference=right.norm_of,
    name="forward",
)
def length(t, dtype, dim):
    return t.call("torch.Tensor.norm", t.randn((12, 9), dtype), dim=dim)


@case("torch.Tensor.norm", dtypes="f32", p=[1, 2, 3, 0.5, "fro"], reference=right.p_norm)
@case(
    "torch.Tensor.norm",
    dtypes="f32",
    p=[float("inf"), -float("inf")],
    core=False,
    reference=right.p_norm,
)
def of_another_order(t, dtype, p):
    return t.call("torch.Tensor.norm", t.randn((12, 9), dtype), p, 1)


@case("torch.Tensor.norm", dtypes="f32", core=False, reference=lambda np, x: np.array([2, 0, 3]))
def counts_of_non_zeros(t, dtype):
    x = t.const([[0.0, 2.0, -3.0], [0.0, 0.0, -0.0], [1.0, 1.0, 1e-20]], dtype)
    return t.call("torch.Tensor.norm", x, 0, dim=1)


@case(
    "torch.Tensor.norm",
    dtypes="f32 f64",
    core=False,
    reference=lambda np, x: np.linalg.norm(x, "nuc"),
)
def nuclear(t, dtype):
    return t.call("torch.Tensor.norm", t.randn((6, 5), dtype), "nuc")


@case(
    "torch.Tensor.norm",
    dtypes="f32",
    core=False,
    reference=lambda np, x: np.sqrt((x**2).sum((0, 2), keepdims=True)),
)
def keeps_the_axes(t, dtype):
    return t.call("torch.Tensor.norm", t.randn((3, 4, 5), dtype), dim=(0, 2), keepdim=True)


@case(
    "torch.Tensor.norm",
    dtypes="bf16 f16",
    core=False,
    reference=lambda np, x: np.sqrt((x**2).sum(1)),
)
def norm_in_f32(t, dtype):
    """dtype= converts before the squares: no overflow of f16."""
    made = t.call(
        "torch.Tensor.norm", t.uniform((3, 40), dtype, 200, 400), dim=1, dtype=t.dtype("f32")
    )
    t.expect(made.dtype is t.dtype("f32"), "f32")
    return made


@case(
    "torch.Tensor.norm",
    dtypes="f32",
    core=False,
    reference=lambda np, x: np.array([5, np.inf, np.nan, 0]),
)
def norms_of_special_values(t, dtype):
    inf, nan = float("inf"), float("nan")
    return t.call(
        "torch.Tensor.norm", t.const([[3, -4], [inf, 1], [nan, inf], [0.0, -0.0]], dtype), dim=1
    )


@case(
    "torch.Tensor.norm",
    dtypes="f32 f64",
    core=False,
    reference=lambda np, x: (np.array([5, 0]), np.array([[0.6, -0.8], [0, 0]])),
)
def flat_at_zero(t, dtype):
    """The documented subgradient at zero is zero."""
    x = t.const([[3.0, -4.0], [0.0, 0.0]], dtype, grad=True)
    made = t.call("torch.Tensor.norm", x, dim=1)
    return made, t.fw.autograd.grad(made.sum(), x)[0]


@case("torch.Tensor.norm", dtypes="f32", core=False, reference=right.penalty)
def gradient_penalty(t, dtype):
    """The gradient of (|g| - 1)^2, where g is a gradient itself."""
    x = t.uniform((6, 8), dtype, 0.5, 1.5, grad=True)
    slope = t.fw.autograd.grad((x**3).sum(), x, create_graph=True)[0]
    made = (t.call("torch.Tensor.norm", slope, 2, dim=1) - 1) ** 2
    return made, t.fw.autograd.grad(made.sum(), x)[0]


@case(
    "torch.Tensor.norm",
    dtypes="f32",
    core=False,
    reference=lambda np, x: [np.linalg.norm(x, axis=0), np.linalg.norm(x.T, axis=0)],
)
def norms_of_strided(t, dtype):
    x = t.randn((7, 12), dtype, noncontiguous=True)
    return [t.call("torch.Tensor.norm", y, dim=0) for y in (x, x.mT)]


@case(
    "torch.Tensor.norm",
    dtypes="f32",
    core=False,
    reference=lambda np, *xs: [np.linalg.norm(x, axis=1) for x in xs],
)
def norms_of_three_sizes(t, dtype):
    return [t.call("torch.Tensor.norm", t.randn((4, n), dtype), dim=1) for n in (5, 8, 13)]


@case(
    "torch.Tensor.norm",
    dtypes="f32",
    core=False,
    trivial=True,
    reference=lambda np, x, y: [abs(x), np.zeros(3)],
)
def norms_of_one_or_none(t, dtype):
    return [
        t.call("torch.Tensor.norm", t.randn((), dtype)),
        t.call("torch.Tensor.norm", t.randn((3, 0), dtype), dim=1),
    ]


@case(
    "torch.Tensor.norm", dtypes="f32", large=True, reference=lambda np, x: np.linalg.norm(x, axis=1)
)
def norms_of_many(t, dtype):
    return t.call("torch.Tensor.norm", t.randn((2048, 2048), dtype), dim=1)


@case("torch.Tensor.norm", core=False, reference="none")
def norm_refuses(t):
    """Whole numbers, no such axis, an unknown name."""
    x = t.randn((3, 4), "f32")
    t.raises(RuntimeError, t.call, "torch.Tensor.norm", t.randn((3,), "i64"))
    t.raises(IndexError, t.call, "torch.Tensor.norm", x, dim=2)
    t.raises((RuntimeError, ValueError), t.call, "torch.Tensor.norm", x, "long", dim=1)


# --- other orders


def _of_order(np, x, p):
    """Of all numbers."""
    size = abs(x)
    if p in (INF, -INF):
        return size.max() if p > 0 else size.min()
    return (size**p).sum() ** (1 / p)


def _slope_of_order(np, w, x, p):
    """Nothing of a complex number but its size counts."""
    size, made = abs(x), _of_order(np, x, p)
    if p in (INF, -INF):
        return w * x / size * (size == made)
    return w * x / size * (size / made) ** (p - 1)


@case(NORM, dtypes="f32 f64 c64", p=[1, 1.5, 3, -1, -2, -0.5, INF, -INF], grad=True, core=False, rtol={"f32": 1e-5, "c64": 1e-5},
      reference=with_gradient(_of_order, _slope_of_order))  # powers by way of logarithms # fmt: skip
def of_all_by_order(t, dtype, p):
    return t.call(NORM, t.uniform((4, 5), dtype, 0.5, 2), p)


@case(NORM, dtypes="bf16 f16", p=[1, 3, INF], core=False, reference=_of_order)
def of_all_in_half(t, dtype, p):
    return t.call(NORM, t.uniform((4, 5), dtype, 0.5, 2), p)


@case(NORM, dtypes="f32", core=False, reference=lambda np, x: (
      np.array([4, 0, 3]), np.array([[0, 0.5, -0.5], [0, 0, 0], [0, 0, 1]])))  # fmt: skip
def greatest_that_are_equal(t, dtype):
    """The greatest share the gradient evenly; of zeros there is none."""
    x = t.const([[1.0, 4.0, -4.0], [0.0, 0.0, 0.0], [1.0, 2.0, 3.0]], dtype, grad=True)
    made = t.call(NORM, x, INF, dim=1)
    return made, t.fw.autograd.grad(made.sum(), x)[0]


@case(NORM, dtypes="f32 f64", core=False, reference=lambda np, x: (
      np.array([7.0, 0]), np.array([[1, -1, 0], [0, 0, 0]])))  # fmt: skip
def sizes_that_are_zero(t, dtype):
    """The sum of sizes has no slope at zero; the count of what is not zero has none at all."""
    x = t.const([[3.0, -4.0, 0.0], [0.0, 0.0, -0.0]], dtype, grad=True)
    made = t.call(NORM, x, 1, dim=1)
    count = t.call(NORM, x, 0, dim=1).sum() + 0 * x.sum()
    t.expect(not t.host(t.fw.autograd.grad(count, x)[0]).any(), "no slope of the count")
    return made, t.fw.autograd.grad(made.sum(), x)[0]


@case(NORM, dtypes="f32", core=False, reference=lambda np, x: [
      np.array([np.inf, np.nan, 2]), np.array([1, np.nan, 0]), np.array([np.inf, np.nan, 2])])  # fmt: skip
def other_orders_of_no_numbers(t, dtype):
    """The greatest, the least and the sum: infinities and NaN come through."""
    x = t.const([[-INF, 1.0], [NAN, 2.0], [-2.0, 0.0]], dtype)
    return [t.call(NORM, x, p, dim=1) for p in (INF, -INF, 1)]


# --- matrices


def _frobenius(np, x):
    return np.sqrt((abs(x) ** 2).sum((0, 2)))


@case(NORM, dtypes="f32 c64", grad=True, core=False, reference=with_gradient(
      _frobenius, lambda np, w, x: x / _frobenius(np, x)[:, None] * w[:, None]))  # fmt: skip
def of_matrices(t, dtype):
    """ "fro" over two axes, one of them from the end."""
    return t.call(NORM, t.randn((3, 4, 5), dtype), "fro", dim=(0, -1))


def _nuclear(np, x):
    return np.linalg.svd(x[:, :, :3], compute_uv=False).sum(-1)


def _nuclear_pull(np, w, x):
    u, _, v = np.linalg.svd(x[:, :, :3], full_matrices=False)
    return np.concatenate([w[:, None, None] * (u @ v), 0 * x[:, :, 3:]], -1)


@case(NORM, dtypes="f32 f64", grad=True, core=False, rtol={"f32": 1e-4}, atol={"f32": 1e-4},
      reference=with_gradient(_nuclear, _nuclear_pull))  # of singular vectors # fmt: skip
def nuclear_of_batches(t, dtype):
    """Of columns whose singular values lie between 1 and 8."""
    norm = t.get(NORM)
    x = t.spd(4, dtype, batch=(2,))
    return t.call(lambda x: norm(x[:, :, :3], "nuc", dim=(1, 2)), x)


# --- little, and refusals


@case(NORM, dtypes="f32", core=False, trivial=True, reference=lambda np, x, none: [
      abs(x), abs(x), abs(x), np.ones(()), abs(x).reshape(1), np.zeros(3), np.zeros(0)])  # fmt: skip
def along_no_axis(t, dtype):
    """A number along either name of no axis; along an axis without numbers the sum is zero, and none has a greatest."""
    x, none = t.uniform((), dtype, -9, -1), t.randn((0, 3), dtype)
    made = [t.call(NORM, x, p, dim) for p, dim in ((2, 0), (3, -1), (INF, 0), (0, 0))]
    last = t.call(NORM, x[None], 2, 0, True)
    return [*made, last, t.call(NORM, none, 1, 0), t.call(NORM, none, INF, 1)]


@case(NORM, core=False, reference="none")
def orders_that_do_not_fit(t):
    """The greatest of nothing, a nuclear norm of a vector, whole numbers as dtype, an axis twice, three of a matrix."""
    x, none = t.randn((2, 3, 4), "f32"), t.randn((0, 3), "f32")
    t.raises(RuntimeError, t.call, NORM, none, INF)
    t.raises((RuntimeError, IndexError), t.call, NORM, none, INF, 0)
    t.raises(RuntimeError, t.call, NORM, x[0, 0], "nuc")
    t.raises(RuntimeError, t.call, NORM, x, 2, dtype=t.fw.int64)
    t.raises(RuntimeError, t.call, NORM, x, 2, (0, 0))
    t.raises(RuntimeError, t.call, NORM, x, "fro", (0, 1, 2))


# --- complex matrices, sparse numbers, slopes at zero, halves


@case(NORM, dtypes="c64 c128", core=False, rtol={"c64": 1e-5}, reference=lambda np, x: [
      np.linalg.svd(x[0], compute_uv=False).sum(), np.linalg.svd(x, compute_uv=False).sum(-1), np.sqrt((abs(x) ** 2).sum()), abs(x).max(1), abs(x).min((0, 2)),
      np.asarray(60), (abs(x) ** 3).sum((0, 1)) ** (1 / 3), (abs(x[:, ::2]) ** 1.5).sum(1) ** (2 / 3)])  # fmt: skip
def of_complex_numbers(t, dtype):
    """Nuclear, of one matrix and of each; "fro" of three axes; the greatest and the least; a count; of a conjugate and of gaps."""
    x = t.randn((3, 4, 5), dtype)
    given = (x[0], "nuc"), (x, "nuc", (1, 2)), (x, "fro"), (x, INF, 1), (x, -INF, (0, 2)), (x, 0), (x.conj(), 3, (0, 1)), (x[:, ::2].mT, 1.5, -1)  # fmt: skip
    return [t.call(NORM, *one) for one in given]


@case(NORM, dtypes="c64", core=False, reference=lambda np, x: [
      np.sqrt((abs(x) ** 2).sum()), (abs(x) ** 3).sum(0) ** (1 / 3), np.sqrt((abs(x) ** 2).sum(1))])  # fmt: skip
def complex_in_a_wider_dtype(t, dtype):
    """The result has the real dtype of what is asked, and its digits."""
    x, wide = t.randn((20, 30), dtype), t.fw.complex128
    made = [t.call(NORM, x, dtype=wide), t.call(NORM, x, 3, 0, dtype=wide), t.call(NORM, x, "fro", 1, dtype=wide)]  # fmt: skip
    t.expect(all(one.dtype is t.fw.float64 for one in made), "f64")
    return made


@case(NORM, dtypes="f32 f64", core=False, reference=lambda np, x, kept: [
      abs(x * kept).sum(), np.sqrt(((x * kept) ** 2).sum()), (abs(x * kept) ** 3).sum() ** (1 / 3), abs(x * kept).max()])  # fmt: skip
def of_sparse_numbers(t, dtype):
    x, kept = t.randn((6, 7), dtype), t.randn((6, 7), "bool")
    sparse = (x * kept).to_sparse()
    t.raises(RuntimeError, t.call, NORM, sparse, 2, 0)
    return [t.call(NORM, sparse, p) for p in (1, 2, 3, INF)]


@case(NORM, dtypes="f32 f64", p=[1, 1.5, 2, 3, INF, "fro"], core=False, reference=lambda np, v, *zeros, p: [
      np.zeros((2, 3)), np.zeros((4, 2)), v])  # fmt: skip
def zeros_have_no_slope(t, dtype, p):
    """Of zeros alone the subgradient is zero, of all of them and along an axis that stays; of minus zero, too."""
    fw, v = t.fw, t.randn((4,), dtype)
    zeros = [t.const([[0.0] * n for _ in range(m)], dtype, grad=True) for m, n in ((2, 3), (4, 2))]
    made = t.call(NORM, zeros[0], p), t.call(NORM, -zeros[1], p, 1, True) + v[:, None]
    slopes = [fw.autograd.grad(one.sum(), x)[0] for one, x in zip(made, zeros)]
    t.expect(float(t.host(made[0])) == 0, "zero")
    return [*slopes, made[1][:, 0].detach()]


@case(NORM, dtypes="f16 bf16", core=False, reference=lambda np, x: [
      np.sqrt((x**2).sum(1)), np.sqrt((x**2).sum(0)), abs(x).sum(1), (abs(x) ** 3).sum(1) ** (1 / 3)])  # fmt: skip
def half_without_overflow(t, dtype):
    """The squares of f16 overflow, the norm does not: they are taken in f32."""
    x = t.uniform((20, 66), dtype, -400, 400)
    return [t.call(NORM, x, p, dim) for p, dim in ((2, 1), (2, 0), (1, 1), (3, 1))]


@case(NORM, core=False, reference="none")
def dtypes_that_do_not_fit(t):
    """A narrower dtype, a complex one of real numbers; truths, and integers, whatever the dtype."""
    x, fw = t.randn((3, 4), "f64"), t.fw
    for one, dtype in ((x, fw.float32), (x, fw.complex128), (x > 0, None), (x.long(), fw.float64)):
        t.raises(RuntimeError, t.call, NORM, one, 2, 1, dtype=dtype)


@case(NORM, dtypes="f32 f64 c64", core=False, trivial=True, reference=lambda np, *xs: [
      *[np.zeros(())] * 6, np.zeros(3), np.zeros((3, 1)), np.zeros((2, 3)), np.zeros(2)])  # fmt: skip
def of_matrices_without_numbers(t, dtype):
    """Each order that a sum of nothing has; nuclear ones, too."""
    wide, tall, none, deep = (t.randn(size, dtype) for size in ((0, 3), (3, 0), (0, 0), (2, 3, 0)))
    given = (wide, "fro"), (tall, 1), (none, "nuc"), (wide, "nuc"), (tall, 2), (none, 0), (tall, 2, 1), (tall, 1.5, 1, True), (deep, 2, -1), (deep, "fro", (1, 2))  # fmt: skip
    return [t.call(NORM, *one) for one in given]


PAIRS = [(a, b) for a in range(4) for b in range(-4, 4) if a != b % 4]


@case(NORM, dtypes="f32 f64", core=False, rtol={"f32": 1e-5}, reference=lambda np, x: [
      made for a, b in PAIRS for made in (np.linalg.norm(x, "fro", (a, b % 4), keepdims=True), np.linalg.norm(x, "nuc", (a, b % 4)))])  # fmt: skip
def over_each_pair_of_axes(t, dtype):
    """Of matrices that no axis keeps apart: "fro" that keeps the axes, "nuc"."""
    norm = t.get(NORM)
    return t.call(
        lambda x: [made for pair in PAIRS for made in (norm(x, "fro", pair, True), norm(x, "nuc", dim=pair))],
        t.randn((3, 4, 2, 5), dtype),
    )  # fmt: skip


ORDERS = [0, 1, 2, 3, 4, INF, -INF, -1, -2, -3, 1.5]


@case(NORM, dtypes="f32 f64 c64", core=False, rtol={"f32": 1e-5, "c64": 1e-5}, reference=lambda np, x, y, many: [
      *(np.linalg.norm(x, p, keepdims=True) for p in ORDERS), *(np.linalg.norm(y, p, 1) for p in ORDERS), *(np.linalg.norm(y, p, keepdims=True) for p in ("fro", "nuc")),
      np.sqrt((abs(many) ** 2).sum()), np.sqrt((abs(many) ** 2).sum()), np.sqrt((abs(many) ** 2).sum((0, 4, 5)))])  # fmt: skip
def as_numpy_has_them(t, dtype):
    """Of all numbers and along an axis by each order, keeping the axes; of six axes."""
    x, y = t.uniform((25,), dtype, 0.5, 2), t.uniform((9, 25), dtype, 0.5, 2)
    many = t.randn((5, 3, 8, 1, 3, 5), dtype)
    given = [(x, p, None, True) for p in ORDERS] + [(y, p, 1) for p in ORDERS] + [(y, p, None, True) for p in ("fro", "nuc")]  # fmt: skip
    return [t.call(NORM, *one) for one in (*given, (many,), (many, 2), (many, 2, (0, -1, 4)))]


@case(NORM, core=False, reference="none")
def nuclear_of_no_matrix(t):
    """Of a vector along no axis, one, two; along one axis twice, and one that is not there."""
    x = t.const([[0.0, 1, 2], [3, 4, 5]], "f64")
    for one in (x[0, :0], x[0, :1], x[0]):
        for axes in ((), (0,)):
            t.raises(RuntimeError, t.call, NORM, one, "nuc", axes)
        t.raises((RuntimeError, IndexError), t.call, NORM, one, "nuc", (0, 1))
    t.raises(RuntimeError, t.call, NORM, x, "nuc", (0, 0))
    t.raises(IndexError, t.call, NORM, x, "nuc", (0, 2))
