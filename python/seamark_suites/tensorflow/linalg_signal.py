"""Linear algebra and transforms."""

from seamark_suites import reference
from seamark_suites.case import case

from . import reference as right
from .reference import with_gradient


def _product(t, u, s, v):
    u, s, v = t.host(u), t.host(s), t.host(v)
    return t.np.einsum("...ik,...k,...jk->...ij", u, s, t.np.conj(v))


# The backward error of an SVD grows with size and norm; TensorFlow's tests allow 3e-4 in f32.
_SVD_R, _SVD_A = {"f32": 1e-4, "c64": 1e-4}, {"f32": 3e-5, "c64": 3e-5}


@case(
    "tf.linalg.svd",
    dtypes="f32 f64 c64 c128",
    shapes="5x5 3x7 8x4 2x3x4x4",
    full=[False, True],
    core="f32 c64",
    rtol=_SVD_R,
    atol=_SVD_A,
    reference=lambda np, x, full: (reference.singular_values(np, x), x),
)
def svd(t, dtype, shape, full):
    """Signs and phases are free: compared are the singular values and the reconstruction."""
    x = t.randn(shape, dtype)
    s, u, v = t.call("tf.linalg.svd", x, full_matrices=full)
    rank = min(shape[-2:])
    for factor, name in ((t.host(u), "u"), (t.host(v), "v")):
        product = t.np.einsum("...ki,...kj->...ij", t.np.conj(factor), factor)
        gap = float(t.np.abs(product - t.np.eye(product.shape[-1])).max())
        t.expect(
            gap < (1e-4 if dtype in ("f32", "c64") else 1e-10),
            "orthonormal %s, off by %g" % (name, gap),
        )
    if full:
        t.expect(tuple(u.shape[-2:]) == (shape[-2],) * 2, "a full u, got %s" % (u.shape,))
    return s, _product(t, u[..., :rank], s, v[..., :rank])


@case(
    "tf.linalg.svd",
    dtypes="f32 f64",
    shapes="6x6 4x9",
    rtol=_SVD_R,
    atol=_SVD_A,
    reference=reference.singular_values,
)
def svd_values(t, dtype, shape):
    return t.call("tf.linalg.svd", t.randn(shape, dtype), compute_uv=False)


@case(
    "tf.linalg.svd",
    dtypes="f32 f64",
    grad=True,
    rtol={"f32": 1e-3},
    atol={"f32": 1e-4},
    reference=with_gradient(reference.singular_values, reference.singular_values_pull),
)
def svd_values_gradient(t, dtype):
    return t.call("tf.linalg.svd", t.randn((4, 4), dtype), compute_uv=False)


@case("tf.linalg.svd", dtypes="f32", trivial=True, core=False, reference=reference.singular_values)
def svd_empty(t, dtype):
    s, u, v = t.call("tf.linalg.svd", t.const(t.np.zeros((0, 3, 3)), dtype))
    t.expect(
        (tuple(s.shape), tuple(u.shape), tuple(v.shape)) == ((0, 3), (0, 3, 3), (0, 3, 3)),
        "an empty batch",
    )
    return s


@case(
    "tf.linalg.svd",
    dtypes="f32",
    core=False,
    rtol=_SVD_R,
    atol={"f32": 1e-4},
    reference=lambda np, column: reference.singular_values(np, column @ column.T),
)
def svd_singular(t, dtype):
    """Rank one: all but one singular value are zero."""
    column = t.randn((6, 1), dtype)
    return t.call("tf.linalg.svd", t.fw.matmul(column, column, transpose_b=True), compute_uv=False)


@case(
    "tf.linalg.set_diag",
    dtypes="f32 f16 bf16 f64 i32 i64 bool c64",
    shapes="4x4 3x5 2x4x3",
    core="f32 bf16 i64",
    reference=right.set_diag,
)
def set_diag(t, dtype, shape):
    diagonal = tuple(shape[:-2]) + (min(shape[-2:]),)
    return t.call("tf.linalg.set_diag", t.randn(shape, dtype), t.randn(diagonal, dtype))


@case(
    "tf.linalg.set_diag", dtypes="f32", align=["LEFT_RIGHT", "RIGHT_LEFT"], reference=right.set_band
)
def set_diag_band(t, dtype, align):
    return t.call(
        "tf.linalg.set_diag", t.randn((4, 5), dtype), t.randn((3, 4), dtype), k=(-1, 1), align=align
    )


@case("tf.linalg.set_diag", dtypes="f32", grad=True, reference=with_gradient(right.set_diag))
def set_diag_gradient(t, dtype):
    return t.call("tf.linalg.set_diag", t.randn((3, 3), dtype), t.randn((3,), dtype))


@case("tf.linalg.set_diag", dtypes="f32", reference="none", core=False)
def set_diag_wrong_length(t, dtype):
    t.refuses("tf.linalg.set_diag", t.randn((3, 3), dtype), t.randn((4,), dtype))


def _idct(np, x, kind=2, norm=None, **_):
    """From the cosines: without norm the inverse lacks the factor 1/2N, as TensorFlow documents."""
    n = x.shape[-1]
    k = np.arange(n)
    if kind == 1:
        weights = np.where((k == 0) | (k == n - 1), 1.0, 2.0)
        return (x * weights) @ np.cos(np.pi * np.outer(k, k) / (n - 1)).T
    if kind == 3:
        return x @ (2 * np.cos(np.pi * np.outer(k, 2 * k + 1) / (2 * n))).T
    weights = np.where(k == 0, 1.0, 2.0)
    if norm == "ortho":
        weights = np.where(k == 0, 1 / np.sqrt(n), np.sqrt(2 / n))
    return (x * weights) @ np.cos(np.pi * np.outer(k, 2 * k + 1) / (2 * n))


# An FFT of up to 32 points in f32.
_FFT = {"f32": 1e-5}


@case(
    "tf.signal.idct",
    dtypes="f32 f64",
    shapes="16 3x32 2x3x7",
    norm=[None, "ortho"],
    reference=_idct,
    rtol=_FFT,
    atol=_FFT,
)
def idct(t, dtype, shape, norm):
    return t.call("tf.signal.idct", t.randn(shape, dtype), type=2, norm=norm)


@case(
    "tf.signal.idct",
    dtypes="f32 f64",
    kind=[1, 3],
    reference=_idct,
    rtol=_FFT,
    atol=_FFT,
    core=False,
)
def idct_types(t, dtype, kind):
    return t.call("tf.signal.idct", t.randn((4, 16), dtype), type=kind)


@case(
    "tf.signal.idct",
    dtypes="f32",
    grad=True,
    rtol=_FFT,
    atol=_FFT,
    reference=with_gradient(lambda np, x: _idct(np, x, norm="ortho")),
)
def idct_gradient(t, dtype):
    return t.call("tf.signal.idct", t.randn((2, 8), dtype), norm="ortho")


@case("tf.signal.idct", dtypes="f32", reference="none", core=False)
def idct_wrong_type(t, dtype):
    t.refuses("tf.signal.idct", t.randn((8,), dtype), type=7)
