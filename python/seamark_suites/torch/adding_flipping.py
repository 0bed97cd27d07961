"""More of add_ and mul_, flip and matmul."""

from seamark_suites.case import case
from seamark_suites.reference import affine_pull

from .pointwise import each
from .reference import with_gradient

INF, NAN = float("inf"), float("nan")
ADD, FLIP, MATMUL = "torch.Tensor.add_", "torch.Tensor.flip", "torch.matmul"


# --- add_


@case(ADD, dtypes="f32 bf16", core=False, reference=lambda np, x, mask, whole, number: [
      x + mask, x - 3 * whole, x + number, x + 0.875, x + x])  # fmt: skip
def adds_other_kinds(t, dtype):
    """A mask, whole numbers, a number without axes of a wider dtype, a fraction, itself: the dtype stays as it was."""
    x = t.uniform((6, 9), dtype, 0.5, 1.5)
    mask, whole, number = (
        t.randn((9,), "bool"),
        t.randint((6, 1), "i64", 1, 9),
        t.const(0.75, "f64"),
    )
    made = [
        t.call(ADD, x.clone(), mask),
        t.call(ADD, x.clone(), whole, alpha=-3),
        t.call(ADD, x.clone(), number),
        t.call(ADD, x.clone(), 0.875),
        t.call(ADD, x, x),
    ]
    t.expect(all(one.dtype is t.dtype(dtype) for one in made), "the dtype of the tensor")
    return made


@case(ADD, dtypes="c64 c128", grad=True, core=False, reference=with_gradient(
      lambda np, x, y: x + (0.5 - 2j) * y, lambda np, w, x, y: (w, w * (0.5 + 2j))))  # fmt: skip
def adds_a_complex_multiple(t, dtype):
    change = t.get(ADD)
    return t.call(lambda x, y: change(x.clone(), y, alpha=0.5 - 2j), t.randn((4, 3), dtype), t.randn((4, 3), dtype))  # fmt: skip


@case(ADD, dtypes="bool", core=False, reference=lambda np, x, y: [x | y, x])
def adds_truths(t, dtype):
    """Or; a multiple of False adds nothing."""
    x, y = t.randn((40,), dtype), t.randn((40,), dtype)
    return [t.call(ADD, x.clone(), y, alpha=True), t.call(ADD, x.clone(), y, alpha=False)]


@case(ADD, dtypes="f32 bf16", core=False, reference=lambda np, x, y: x + y)
def adds_no_numbers(t, dtype):
    """Infinities and NaN come through; opposite infinities give NaN."""
    x, y = [INF, INF, NAN, -INF, 1.0, 2.0], [0.0, -INF, 0.0, -INF, INF, NAN]
    return t.call(ADD, t.const(x, dtype), t.const(y, dtype))


def _every_other(np, x, v):
    made = x.copy()
    made[:, ::2] += 3 * v
    return made


@case(ADD, dtypes="f32", grad=True, core=False, reference=with_gradient(_every_other, affine_pull(_every_other)))  # fmt: skip
def adds_to_a_part_of_a_graph(t, dtype):
    """To every other column of what has a gradient; a row is added to each."""
    add = t.get(ADD)

    def run(x, v):
        made = x.clone()
        add(made[:, ::2], v, alpha=3)
        return made

    return t.call(run, t.randn((4, 6), dtype), t.randn((3,), dtype))


@case(ADD, dtypes="f32", core=False, reference=lambda np, x, kept, y: x + 2 * y * kept)
def adds_a_sparse_one(t, dtype):
    x, kept, y = t.randn((4, 5), dtype), t.randn((4, 5), "bool"), t.randn((4, 5), dtype)
    return t.call(ADD, x, (y * kept).to_sparse(), alpha=2)


@case(ADD, core=False, reference="none")
def add_refuses(t):
    """A fraction of whole numbers, a complex multiple of real ones, truths of numbers."""
    whole, real = t.randint((3,), "i64", 1, 9), t.randn((3,), "f32")
    t.raises(RuntimeError, t.call, ADD, whole, whole, alpha=0.5)
    t.raises(RuntimeError, t.call, ADD, real, real, alpha=1j)
    t.raises(RuntimeError, t.call, ADD, t.randn((3,), "bool"), whole)


# --- flip


@case(FLIP, dtypes="f32", core=False, reference=lambda np, x, y: [x, y, x[0, 0, 0]])
def flips_little(t, dtype):
    """Along no axis, of nothing, of one number; each is a copy."""
    x, y = t.randn((3, 4, 5), dtype), t.randn((3, 0, 5), dtype)
    made = [t.call(FLIP, x, ()), t.call(FLIP, y, (0, 2)), t.call(FLIP, x[0, 0, 0], (-1,))]
    kept = t.host(made[0])
    x.zero_()
    t.expect(bool((t.host(made[0]) == kept).all()), "a copy")
    return made


# --- matmul

SHAPES = [
    ((5,), (5,)), ((4, 5), (5,)), ((5,), (5, 3)), ((2, 4, 5), (5,)), ((5,), (2, 5, 3)), ((2, 4, 5), (5, 3)),
    ((4, 5), (2, 5, 3)), ((2, 1, 4, 5), (3, 5, 2)),
]  # fmt: skip


def _product(np, x, y, number):
    return np.matmul(x, y)


@case(MATMUL, dtypes="f32", number=list(range(len(SHAPES))), grad=True, core=False,
      reference=with_gradient(_product, affine_pull(_product)))  # fmt: skip
def gradient_by_shapes(t, dtype, number):
    """Vectors on either side, a matrix for a batch, batches that broadcast: what was repeated is summed."""
    return t.call(MATMUL, *(t.uniform(shape, dtype, 0.5, 1.5) for shape in SHAPES[number]))


@case(
    MATMUL,
    dtypes="f32 c64",
    core=False,
    reference=lambda np, x, y: [x @ y, x @ y, x.conj() @ y, x.T.conj() @ y[:4]],
)
def into_out_and_of_conjugates(t, dtype):
    """out=, also with gaps; a conjugate and an adjoint, which are views."""
    x, y = t.uniform((4, 5), dtype, 0.5, 1.5), t.uniform((5, 3), dtype, 0.5, 1.5)
    given, rows = (t.fw.zeros(size, dtype=x.dtype, device=t.device) for size in ((4, 3), (8, 3)))
    made = t.call(MATMUL, x, y, out=given)
    t.expect(made is given, "the given tensor")
    t.call(MATMUL, x, y, out=rows[::2])
    t.expect(not t.host(rows[1::2]).any(), "nothing between the rows")
    return [given, rows[::2], t.call(MATMUL, x.conj(), y), t.call(MATMUL, x.mH, y[:4])]


@case(
    MATMUL,
    dtypes="f32",
    core=False,
    reference=lambda np, x, y, n, e: [x @ y, np.zeros((0, 3)), np.zeros((2, 0, 0)), n @ y],
)
def of_no_rows_and_no_numbers(t, dtype):
    """Beside a product: no rows, a batch of empty matrices, NaN and infinities in a row of their own."""
    x, y = t.uniform((4, 5), dtype, 0.5, 1.5), t.uniform((5, 3), dtype, 0.5, 1.5)
    n, e = t.const([[NAN, 1, 1, 1, 1], [INF, 1, 1, 1, 1], [INF, -INF, 1, 1, 1], [1, 2, 3, 4, 5]], dtype), t.randn((2, 0, 0), dtype)  # fmt: skip
    return [
        t.call(MATMUL, x, y),
        t.call(MATMUL, x[:0], y),
        t.call(MATMUL, e[0], e),
        t.call(MATMUL, n, y),
    ]


@case(
    MATMUL,
    dtypes="f32 bf16",
    core=False,
    reference=lambda np, *x: [x[i] @ x[i + 1] for i in range(0, len(x), 2)],
)
def products_of_three_sizes(t, dtype):
    """One size after another: what a compiler made for one must not be used for the next."""
    pairs = [
        (t.uniform((n, 6), dtype, 0.5, 1.5), t.uniform((6, n + 1), dtype, 0.5, 1.5))
        for n in (3, 8, 5)
    ]
    return [t.call(MATMUL, *pair) for pair in pairs]


@case(MATMUL, core=False, reference="none")
def matmul_refuses(t):
    """Numbers without axes."""
    t.raises(RuntimeError, t.call, MATMUL, t.randn((), "f32"), t.randn((3,), "f32"))
    t.raises(RuntimeError, t.call, MATMUL, t.randn((3, 3), "f32"), t.randn((), "f32"))


def _far(function):
    """Sums at each scale, and products of numbers at half of it."""
    two = (lambda x, y: x + y) if function == ADD else (lambda x, y: x * y)
    return lambda np, x, y: [two(x, y)] * 2


@each("Tensor.add_ Tensor.mul_", _far, dtypes="f32 f64", core=False)
def far_from_one(t, dtype, function):
    """Tiny and huge numbers have as many digits as those about one: results are scaled back exactly."""
    far = 60 if dtype == "f32" else 480
    x, y, change = t.uniform((7, 9), dtype, 1, 2), t.uniform((7, 9), dtype, -2, -1), t.get(function)
    twice = 1 if function == ADD else 2
    return t.call(lambda x, y: [change(x * 2.0**k, y * 2.0**k) * 2.0 ** (-k * twice) for k in (far, -far)], x, y)  # fmt: skip


@each("Tensor.add_ Tensor.mul_", lambda function: with_gradient(lambda np, x, y, n: (x + y + n if function == ADD else x * y * n)),
      dtypes="f64 c128", grad=True, core=False, rtol={"f64": 1e-5, "c128": 1e-5}, atol={"f64": 1e-5, "c128": 1e-5})  # what is narrower is rounded # fmt: skip
def changed_by_narrower_that_learn(t, dtype, function):
    """By numbers of a narrower dtype, and by one: each gets its gradient in its own dtype, a real one the real part."""
    change, narrow = t.get(function), {"f64": "f32", "c128": "f64"}[dtype]
    x, y, n = t.uniform((4, 5), dtype, 0.5, 1.5), t.uniform((5,), narrow, 0.5, 1.5), t.uniform((), "f32", 0.5, 1.5)  # fmt: skip
    made, slopes = t.call(lambda x, y, n: change(change(x.clone(), y), n), x, y, n)
    found, want = [one.dtype for one in slopes], [t.dtype(dtype), t.dtype(narrow), t.dtype("f32")]
    t.expect(found == want, "gradients in %s, got %s" % (want, found))
    return made, slopes
