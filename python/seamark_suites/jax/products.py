"""Products of vectors and matrices, norms, and the sum as a method."""

from seamark_suites.case import case

from .reference import with_affine_gradient, with_gradient

# f32: the order of a sum is open; bf16 and f16 are rounded at the end of a sum.
SUMS = {"f16": 4e-3, "f32": 1e-5, "f64": 1e-13, "c64": 1e-5}
SMALL = {"f32": 2e-5, "f64": 1e-12, "c64": 2e-5}


def sum_of(x, **options):
    """The method of an array: that of jax.Array itself is abstract."""
    return x.sum(**options)


@case(
    "jax.numpy.dot",
    dtypes="f32 bf16 i32 f16 f64 c64",
    a=[(7, 12)],
    b=[(12, 5)],
    core="f32 bf16 i32",
    rtol=SUMS,
    atol=SMALL,
    reference=lambda np, x, y, a, b: np.dot(x, y),
)
@case(
    "jax.numpy.matmul",
    dtypes="f32 bf16 i32 f16 f64 c64",
    a=[(7, 12)],
    b=[(12, 5)],
    core="f32 bf16 i32",
    rtol=SUMS,
    atol=SMALL,
    reference=lambda np, x, y, a, b: np.matmul(x, y),
)
@case(
    "jax.numpy.dot",
    dtypes="f32",
    a=[(12,), (2, 3, 12)],
    b=[(12,), (4, 12, 5)],
    name="ranks",
    core=False,
    rtol=SUMS,
    atol=SMALL,
    reference=lambda np, x, y, a, b: np.dot(x, y),
)
@case(
    "jax.numpy.matmul",
    dtypes="f32 bf16",
    a=[(12,), (4, 3, 12), (2, 1, 3, 12)],
    b=[(12,), (4, 12, 5)],
    name="ranks",
    core=False,
    rtol=SUMS,
    atol=SMALL,
    reference=lambda np, x, y, a, b: np.matmul(x, y),
)
@case(
    "jax.numpy.dot",
    dtypes="f32",
    a=[(600, 800)],
    b=[(800, 600)],
    name="large",
    large=True,
    rtol=SUMS,
    atol=SMALL,
    reference=lambda np, x, y, a, b: np.dot(x, y),
)
@case(
    "jax.numpy.matmul",
    dtypes="f32",
    a=[(4, 300, 800)],
    b=[(4, 800, 600)],
    name="large",
    large=True,
    rtol=SUMS,
    atol=SMALL,
    reference=lambda np, x, y, a, b: np.matmul(x, y),
)
def product(t, function, dtype, a, b):
    return t.call(function, t.uniform(a, dtype, 1, 3), t.uniform(b, dtype, 1, 3))


@case(
    "jax.numpy.dot",
    dtypes="f32 bf16",
    grad=True,
    rtol=SUMS,
    atol=SMALL,
    reference=with_affine_gradient(lambda np, x, y: np.dot(x, y)),
)
@case(
    "jax.numpy.matmul",
    dtypes="f32 bf16",
    grad=True,
    rtol=SUMS,
    atol=SMALL,
    reference=with_affine_gradient(lambda np, x, y: np.matmul(x, y)),
)
def product_gradient(t, function, dtype):
    return t.call(function, t.uniform((3, 4), dtype, 1, 2), t.uniform((4, 2), dtype, 1, 2))


@case("jax.numpy.dot", reference="none", core=False)
@case("jax.numpy.matmul", reference="none", core=False)
def sizes_that_do_not_fit(t, function):
    t.refuses(function, t.randn((3, 4), "f32"), t.randn((3, 4), "f32"))


@case("jax.numpy.matmul", reference="none", core=False)
def scalar_raises(t):
    t.refuses("jax.numpy.matmul", t.randn((3, 4), "f32"), 2.0)


@case(
    "jax.numpy.dot",
    dtypes="bf16",
    core=False,
    rtol={"bf16": 1e-5},  # the inputs are exact, the sums are f32
    reference=lambda np, x, y: np.dot(x, y),
)
@case(
    "jax.numpy.matmul",
    dtypes="bf16",
    core=False,
    rtol={"bf16": 1e-5},  # the inputs are exact, the sums are f32
    reference=lambda np, x, y: np.matmul(x, y),
)
def sums_in_f32(t, function, dtype):
    x, y = t.uniform((5, 64), dtype, 1, 2), t.uniform((64, 3), dtype, 1, 2)
    return t.call(function, x, y, preferred_element_type=t.dtype("f32"))


@case(
    "jax.numpy.einsum",
    dtypes="f32 bf16 i32 f64",
    spec=["ij,jk->ik", "bhqd,bhkd->bhqk"],
    core="f32 bf16 i32",
    rtol=SUMS,
    atol=SMALL,
    reference=lambda np, x, y, spec: np.einsum(spec, x, y),
)
@case(
    "jax.numpy.einsum",
    dtypes="f32",
    spec=["ij,kj", "...j,j->...", "i...,i...->...", "ij,kl->ijkl"],
    name="forms",
    core=False,
    rtol=SUMS,
    atol=SMALL,
    reference=lambda np, x, y, spec: np.einsum(spec, x, y),
)
def einsum(t, dtype, spec):
    a, b = {
        "ij,jk->ik": ((5, 6), (6, 4)),
        "bhqd,bhkd->bhqk": ((2, 3, 4, 8), (2, 3, 5, 8)),
        "ij,kj": ((5, 6), (4, 6)),
        "...j,j->...": ((2, 3, 6), (6,)),
        "i...,i...->...": ((5, 3), (5, 3)),
        "ij,kl->ijkl": ((2, 3), (4, 5)),
    }[spec]
    return t.call("jax.numpy.einsum", spec, t.uniform(a, dtype, 1, 3), t.uniform(b, dtype, 1, 3))


@case(
    "jax.numpy.einsum",
    dtypes="f32",
    spec=["ii->", "ii->i", "ij->ji", "ij->"],
    core=False,
    rtol=SUMS,
    reference=lambda np, x, spec: np.einsum(spec, x),
)
def einsum_of_one(t, dtype, spec):
    return t.call("jax.numpy.einsum", spec, t.uniform((6, 6), dtype, 1, 3))


@case(
    "jax.numpy.einsum",
    dtypes="f32",
    core=False,
    rtol=SUMS,
    reference=lambda np, x, y, z: np.einsum("ij,jk,kl->il", x, y, z),
)
def einsum_of_three(t, dtype):
    return t.call(
        "jax.numpy.einsum", "ij,jk,kl->il", *[t.uniform((4, 4), dtype, 1, 2) for _ in range(3)]
    )


@case(
    "jax.numpy.einsum",
    dtypes="f32 bf16",
    grad=True,
    rtol=SUMS,
    atol=SMALL,
    reference=with_affine_gradient(lambda np, x, y: np.einsum("bij,bjk->bik", x, y)),
)
def einsum_gradient(t, dtype):
    return t.call(
        "jax.numpy.einsum",
        "bij,bjk->bik",
        t.uniform((2, 3, 4), dtype, 1, 2),
        t.uniform((2, 4, 2), dtype, 1, 2),
    )


@case(
    "jax.numpy.einsum",
    dtypes="f32",
    large=True,
    rtol=SUMS,
    reference=lambda np, x, y: np.matmul(x, y.swapaxes(1, 2)),
)
def einsum_large(t, dtype):
    return t.call(
        "jax.numpy.einsum",
        "bqd,bkd->bqk",
        t.uniform((8, 512, 64), dtype, 1, 2),
        t.uniform((8, 512, 64), dtype, 1, 2),
    )


@case("jax.numpy.einsum", reference="none", core=False)
def einsum_of_what_does_not_fit(t):
    t.refuses("jax.numpy.einsum", "ij,jk->ik", t.randn((3, 4), "f32"), t.randn((3, 4), "f32"))
    t.refuses("jax.numpy.einsum", "ij->ik", t.randn((3, 4), "f32"))


@case(
    "jax.numpy.linalg.norm",
    dtypes="f32 bf16 f64",
    axis=[None, 1],
    core="f32 bf16",
    rtol=SUMS,
    reference=lambda np, x, axis: np.sqrt((x * x).sum(axis)),
)
def norm(t, dtype, axis):
    return t.call("jax.numpy.linalg.norm", t.uniform((6, 9), dtype, 1, 3), axis=axis)


@case(
    "jax.numpy.linalg.norm",
    dtypes="f32",
    ord=[1, 2, 3, float("inf"), -float("inf")],
    core=False,
    rtol=SUMS,
    reference=lambda np, x, ord: np.linalg.norm(x, ord, axis=1, keepdims=True),
)
def order_of_norm(t, dtype, ord):
    return t.call(
        "jax.numpy.linalg.norm", t.uniform((6, 9), dtype, 1, 3), ord, axis=1, keepdims=True
    )


@case(
    "jax.numpy.linalg.norm",
    dtypes="f32",
    ord=["fro", "nuc", 1, 2, float("inf")],
    core=False,
    rtol={"f32": 1e-4},
    reference=lambda np, x, ord: np.linalg.norm(x, ord),
)  # singular values add rounding of their own
def norm_of_matrix(t, dtype, ord):
    return t.call("jax.numpy.linalg.norm", t.uniform((6, 9), dtype, 1, 3), ord)


@case(
    "jax.numpy.linalg.norm",
    dtypes="f32 bf16",
    grad=True,
    rtol=SUMS,
    reference=with_gradient(
        lambda np, x: np.sqrt((x * x).sum(1)),
        lambda np, w, x: (w / np.sqrt((x * x).sum(1)))[:, None] * x,
    ),
)
def norm_gradient(t, dtype):
    return t.call("jax.numpy.linalg.norm", t.uniform((3, 4), dtype, 1, 2), axis=1)


@case(
    "jax.numpy.linalg.norm",
    dtypes="f32",
    large=True,
    rtol=SUMS,
    reference=lambda np, x: np.sqrt((x * x).sum(1)),
)
def norm_large(t, dtype):
    return t.call("jax.numpy.linalg.norm", t.uniform((2500, 2000), dtype, 1, 2), axis=1)


@case(
    "jax.numpy.cross",
    dtypes="f32 bf16 i32 f64",
    core="f32 bf16 i32",
    rtol=SUMS,
    atol={"f32": 1e-5},
    reference=lambda np, x, y: np.cross(x, y),
)
def cross(t, dtype):
    # One factor above 4 and one below 1 in turn: no difference is near zero.
    x = t.const([[1, 5, 2], [7, 1, 3], [2, 2, 9]], dtype)
    return t.call("jax.numpy.cross", x, t.uniform((3, 3), dtype, 1, 4))


@case(
    "jax.numpy.cross",
    dtypes="f32",
    core=False,
    rtol=SUMS,
    atol={"f32": 1e-5},
    reference=lambda np, x, y: np.cross(x, y, axis=0),
)
def cross_along_an_axis(t, dtype):
    return t.call("jax.numpy.cross", t.randn((3, 5), dtype), t.randn((3, 5), dtype), axis=0)


@case(
    "jax.numpy.cross",
    dtypes="f32 bf16",
    core="f32",
    grad=True,
    atol={"f32": 1e-5},
    reference=with_affine_gradient(lambda np, x, y: np.cross(x, y)),
)
def cross_gradient(t, dtype):
    return t.call(
        "jax.numpy.cross",
        t.const([[1, 5, 2]], dtype, grad=True),
        t.const([[4, 1, 3]], dtype, grad=True),
    )


@case("jax.numpy.cross", reference="none", core=False)
def cross_of_four(t):
    t.refuses("jax.numpy.cross", t.randn((2, 4), "f32"), t.randn((2, 4), "f32"))


@case(
    "jax.Array.sum",
    dtypes="f32 bf16 i32 f64 u8",
    axis=[None, 0, (0, 2)],
    core="f32 bf16 i32",
    rtol=SUMS,
    reference=lambda np, x, axis: x.sum(axis),
)
def sum_method(t, dtype, axis):
    return t.call(sum_of, t.uniform((6, 7, 5), dtype, 1, 3), axis=axis)


@case(
    "jax.Array.sum",
    dtypes="bool f32",
    core=False,
    rtol=SUMS,
    reference=lambda np, x: x.sum(1, keepdims=True),
)
def sum_keeps_dimensions(t, dtype):
    return t.call(sum_of, t.randint((6, 9), dtype, 0, 2), axis=1, keepdims=True)


@case("jax.Array.sum", dtypes="bf16", core=False, rtol=SUMS, reference=lambda np, x: x.sum(0))
def sum_to_f32(t, dtype):
    return t.call(sum_of, t.uniform((300, 4), dtype, 1, 3), axis=0, dtype=t.dtype("f32"))


@case(
    "jax.Array.sum",
    dtypes="f32 bf16",
    grad=True,
    rtol=SUMS,
    reference=with_affine_gradient(lambda np, x: x.sum(1)),
)
def sum_method_gradient(t, dtype):
    return t.call(sum_of, t.uniform((4, 5), dtype, 1, 3), axis=1)


@case("jax.Array.sum", dtypes="f32", large=True, rtol=SUMS, reference=lambda np, x: x.sum(0))
def sum_method_large(t, dtype):
    return t.call(sum_of, t.uniform((2500, 2000), dtype, 1, 3), axis=0)


@case("jax.Array.sum", reference="none", core=False)
def sum_along_no_axis(t):
    t.refuses(sum_of, t.randn((3, 4), "f32"), axis=2)


RANKS = [((12,), (12,)), ((3, 4), (4,)), ((4,), (4, 2)), ((2, 3, 4), (4,))]


@case("jax.numpy.dot", dtypes="f32", pair=[*RANKS, ((2, 3, 4), (5, 4, 2)), ((), (3, 4))], grad=True, core=False,
      rtol=SUMS, atol=SMALL, reference=with_affine_gradient(lambda np, x, y, pair: np.dot(x, y)))  # fmt: skip
@case("jax.numpy.matmul", dtypes="f32", pair=[*RANKS, ((4,), (2, 4, 3)), ((2, 1, 3, 4), (5, 4, 2))], grad=True,
      core=False, rtol=SUMS, atol=SMALL, reference=with_affine_gradient(lambda np, x, y, pair: np.matmul(x, y)))  # fmt: skip
@case("jax.numpy.dot", dtypes="c64", pair=[((3, 4), (4, 2))], name="slope_of_complex_numbers", grad=True, core=False,
      rtol=SUMS, atol=SMALL, reference=with_affine_gradient(lambda np, x, y, pair: np.dot(x, y)))  # fmt: skip
@case("jax.numpy.matmul", dtypes="c64", pair=[((2, 3, 4), (4, 2))], name="slope_of_complex_numbers", grad=True,
      core=False, rtol=SUMS, atol=SMALL, reference=with_affine_gradient(lambda np, x, y, pair: np.matmul(x, y)))  # fmt: skip
def slope_by_ranks(t, function, dtype, pair):
    return t.call(function, *[t.randn(shape, dtype) for shape in pair])


def wrapped(kind):
    def right(np, x, y):
        whole = x.astype(np.int64) @ y.astype(np.int64)
        return [whole.astype(kind), whole]

    return right


@case("jax.numpy.dot", dtypes="i8", core=False, reference=wrapped("int8"))
@case("jax.numpy.dot", dtypes="u8", core=False, reference=wrapped("uint8"))
@case("jax.numpy.matmul", dtypes="i8", core=False, reference=wrapped("int8"))
@case("jax.numpy.matmul", dtypes="u8", core=False, reference=wrapped("uint8"))
def small_integers_and_wider_sums(t, function, dtype):
    """Sums wrap around in a small dtype, and do not in the one that is asked for."""
    x, y = t.randint((5, 40), dtype, 0, 120), t.randint((40, 3), dtype, 0, 120)
    made = t.call(function, x, y), t.call(function, x, y, preferred_element_type=t.dtype("i32"))
    t.expect([one.dtype for one in made] == [x.dtype, t.dtype("i32")], "both dtypes")
    return list(made)


@case(
    "jax.numpy.dot",
    core=False,
    reference=lambda np, m, n: [np.array([[1, 0], [1, 1]]), n @ [1.0, 2, 3], np.zeros(2)],
)
def dot_of_truths_and_of_no_numbers(t):
    """Truths: whether any pair is true. NaN, and zero times infinity, in rows of their own; of nothing zero."""
    nan, inf, jnp = float("nan"), float("inf"), t.fw.numpy
    m = t.const([[True, False], [True, True]], "bool")
    n = t.const([[nan, 1, 1], [inf, -inf, 1], [inf, 1, 1], [1, 2, 3]], "f32")
    zero = t.call("jax.numpy.dot", jnp.array([0.0]), jnp.array([inf]))
    t.expect(bool(jnp.isnan(zero)), "zero times infinity is NaN, got %s" % zero)
    nothing = t.call("jax.numpy.dot", jnp.zeros((2, 0)), jnp.zeros((0,)))
    made = t.call("jax.numpy.dot", m, m), t.call("jax.numpy.dot", n, jnp.arange(1.0, 4))
    return [*made, nothing]  # fmt: skip


@case("jax.numpy.dot", core=False, rtol=SUMS, reference=lambda np, x, y: [x @ y] * 3)
@case("jax.numpy.matmul", core=False, rtol=SUMS, reference=lambda np, x, y: [x @ y] * 3)
def ways_to_ask_for_precision(t, function):
    """By its name, one for each side, by its object; what is no precision, no dtype and no array is refused."""
    x, y = t.uniform((4, 50), "f32", 0.5, 2), t.uniform((50, 3), "f32", 0.5, 2)
    for options in ({"precision": "nonsense"}, {"preferred_element_type": "nonsense"}):
        t.refuses(function, x, y, **options)
    for wrong in ("text", [1.0, 2.0], None):
        t.refuses(function, x, wrong)
    highest = t.fw.lax.Precision.HIGHEST
    return [t.call(function, x, y, precision=p) for p in ("highest", ("highest",) * 2, highest)]


SPECS = {
    "iij->ij": [(3, 3, 4)], "ijj->i": [(2, 4, 4)], "ba": [(3, 4)], "i...->...": [(3, 2, 4)], "i,i,i->": [(5,)] * 3,
    ",ij->ij": [(), (2, 3)], "aab,bc->ac": [(3, 3, 4), (4, 2)], "...ij,...jk->...ik": [(2, 1, 3, 4), (5, 4, 2)],
    " i j , j k ": [(3, 4), (4, 2)], "Ab,bC->CA": [(2, 3), (3, 4)], "ij,ij->": [(3, 4)] * 2, "ab,ba": [(3, 4), (4, 3)],
    "bhij,bhjk,bk->bhi": [(2, 3, 4, 5), (2, 3, 5, 2), (2, 2)],
}  # fmt: skip


@case("jax.numpy.einsum", dtypes="f32 c64 i32", core=False, rtol=SUMS, atol={"f32": 1e-4, "c64": 1e-4},
      reference=lambda np, *given: [np.einsum(spec, *given[a:b]) for spec, (a, b) in _slices().items()])  # fmt: skip
def diagonals_outer_products_and_names(t, dtype):
    """Of repeated and of missing axes, with and without an order of the result, with spaces and capitals."""
    return [t.call("jax.numpy.einsum", spec, *[t.uniform(s, dtype, 1, 4) for s in shapes])
            for spec, shapes in SPECS.items()]  # fmt: skip


def _slices():
    at, found = 0, {}
    for spec, shapes in SPECS.items():
        found[spec], at = (at, at + len(shapes)), at + len(shapes)
    return found


@case("jax.numpy.einsum", dtypes="f32 c64", grad=True, core=False, rtol=SUMS, atol={"f32": 1e-4, "c64": 1e-4},
      reference=with_affine_gradient(lambda np, x, y, z: np.einsum("iij,jk,...k->i...", x, y, z)))  # fmt: skip
def slope_of_three(t, dtype):
    x, y, z = t.randn((3, 3, 4), dtype), t.randn((4, 2), dtype), t.randn((5, 2), dtype)
    return t.call("jax.numpy.einsum", "iij,jk,...k->i...", x, y, z)


@case("jax.numpy.einsum", core=False, reference="none")
def einsum_refuses(t):
    """An axis twice in the result, one that is not there, sizes that differ, too few arrays, text, out=."""
    name, x, v = "jax.numpy.einsum", t.randn((2, 3), "f32"), t.randn((2,), "f32")
    for given in (
        ("ij->ii", x),
        ("ij->k", x),
        ("ii", x),
        ("ij,jk", x),
        ("ijk", x),
        ("ij", "text"),
        (),
    ):
        t.refuses(name, *given)
    t.raises(NotImplementedError, t.call, name, "i,i", v, v, out=v[0])  # fmt: skip
