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
