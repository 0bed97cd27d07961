"""Factorizations and convolutions. Sign, phase and order that stay open are not compared."""

from seamark_suites.case import case

# Backward stable in f32: errors of some ten units in the last place of the largest value.
STABLE = {"f32": 2e-5, "c64": 2e-5, "f64": 1e-12, "c128": 1e-12}


@case(
    "jax.numpy.linalg.svd",
    dtypes="f32 c64",
    shapes="4x4 6x3 3x6",
    full_matrices=[True, False],
    core="f32",
    rtol=STABLE,
    atol=STABLE,
)
def svd(t, dtype, shape, full_matrices):
    return decomposed(t, dtype, shape, full_matrices)


@case("jax.numpy.linalg.svd", dtypes="f64 c128", shapes="3x2", core=False, rtol=STABLE, atol=STABLE)
def wide_svd(t, dtype, shape):
    """One small case: a TPU emulates f64, and its compiler takes half a minute for this."""
    return decomposed(t, dtype, shape, False)


def decomposed(t, dtype, shape, full_matrices):
    found = t.call("jax.numpy.linalg.svd", t.randn(shape, dtype), full_matrices=full_matrices)
    u, s, vh = (t.host(part) for part in found)
    k = s.shape[-1]
    return found[1], u.conj().T @ u, (u[:, :k] * s) @ vh[:k], t.np.array(u.shape + vh.shape)


@case(
    "jax.numpy.linalg.svd",
    dtypes="f32 f64",
    core="f32",
    rtol=STABLE,
    atol=STABLE,
    reference=lambda np, x: np.linalg.svd(x, compute_uv=False),
)
def singular_values(t, dtype):
    return t.call("jax.numpy.linalg.svd", t.randn((3, 5, 4), dtype), compute_uv=False)


def sum_of_singular_values(x):
    import jax

    return jax.numpy.linalg.svd(x, compute_uv=False)


@case("jax.numpy.linalg.svd", dtypes="f32", grad=True, rtol={"f32": 1e-4}, atol={"f32": 1e-4})
def svd_gradient(t, dtype):
    return t.call(sum_of_singular_values, t.randn((4, 4), dtype))


@case("jax.numpy.linalg.svd", reference="none", core=False)
def svd_of_a_vector(t):
    t.raises((ValueError, TypeError), t.call, "jax.numpy.linalg.svd", t.randn((4,), "f32"))


def in_order(np, values):
    """Eigenvalues by real part, then imaginary part, after rounding away the noise."""
    return values[np.lexsort((values.imag, np.round(values.real, 3)))]


@case(
    "jax.numpy.linalg.eig",
    dtypes="f32 c64 f64 c128",
    n=[3, 6],
    core="f32",
    rtol=STABLE,
    atol=STABLE,
)
def eig(t, dtype, n):
    matrix = t.randn((n, n), dtype)
    values, vectors = (t.host(part) for part in t.call("jax.numpy.linalg.eig", matrix))
    residual = abs(t.host(matrix) @ vectors - vectors * values).max()
    t.expect(residual < {"f": 1e-4, "c": 1e-4}[dtype[0]], "A v = w v, off by %g" % residual)
    t.expect(
        bool(t.np.allclose(abs(vectors * vectors.conj()).sum(0), 1, atol=1e-4)),
        "vectors of length 1",
    )
    return in_order(t.np, values)


@case("jax.numpy.linalg.eig", dtypes="f32", core=True, rtol=STABLE, atol=STABLE)
def batch_of_eigenproblems(t, dtype):
    values, _ = t.call("jax.numpy.linalg.eig", t.spd(4, dtype, batch=(3,)))
    return t.np.sort(t.host(values).real, axis=-1)


@case("jax.numpy.linalg.eig", reference="none", core=False)
def eig_of_a_rectangle(t):
    t.raises(ValueError, t.call, "jax.numpy.linalg.eig", t.randn((3, 4), "f32"))


@case(
    "jax.scipy.linalg.lu",
    dtypes="f32 c64 f64 c128",
    shapes="4x4 6x3 3x6",
    core="f32",
    rtol=STABLE,
    atol=STABLE,
)
def lu(t, dtype, shape):
    p, lower, upper = t.call("jax.scipy.linalg.lu", t.randn(shape, dtype))
    t.expect(bool((t.np.triu(t.host(lower), 1) == 0).all()), "a lower triangle")
    t.expect(bool((t.np.tril(t.host(upper), -1) == 0).all()), "an upper triangle")
    return p, lower, upper, t.host(p) @ t.host(lower) @ t.host(upper)


@case("jax.scipy.linalg.lu", dtypes="f32 f64", core="f32", rtol=STABLE, atol=STABLE)
def lu_with_permuted_l(t, dtype):
    return t.call("jax.scipy.linalg.lu", t.randn((5, 5), dtype), permute_l=True)


def triangles(x):
    import jax

    return jax.scipy.linalg.lu(x)[1:]


@case(
    "jax.scipy.linalg.lu",
    dtypes="f32 f64",
    grad=True,
    core="f32",
    rtol={"f32": 1e-4, "f64": 1e-11},
    atol={"f32": 1e-4, "f64": 1e-11},
)  # triangular solves: errors grow with the condition number
def lu_gradient(t, dtype):
    return t.call(triangles, t.spd(4, dtype))


@case(
    "jax.numpy.einsum_path", optimize=["greedy", "optimal", True], host_only=True, reference="none"
)
def einsum_path(t, optimize):
    operands = [t.randn((3, 4), "f32"), t.randn((4, 5), "f32"), t.randn((5, 2), "f32")]
    path, text = t.call("jax.numpy.einsum_path", "ij,jk,kl->il", *operands, optimize=optimize)
    pairs = [step for step in path if not isinstance(step, str)]
    t.expect(
        sorted(len(pair) for pair in pairs) == [2, 2], "two steps of two operands, got %s" % (path,)
    )
    t.expect("il" in str(text), "a report that names the result")


@case("jax.numpy.einsum_path", host_only=True, reference="none")
def einsum_path_of_nonsense(t):
    t.raises(ValueError, t.call, "jax.numpy.einsum_path", "ij,jk->ik", t.randn((3, 4), "f32"))


# Sums of products: f32 may be summed in any order; bf16 and f16 are rounded at the end.
CONVOLVED = {"f16": 4e-3, "f32": 1e-5, "f64": 1e-13, "c64": 1e-5}
CANCELLED = {"f16": 1e-2, "bf16": 6e-2, "f32": 2e-5, "f64": 1e-13, "c64": 2e-5}


@case(
    "jax.numpy.convolve",
    dtypes="f32 bf16 f16 i32 f64 c64",
    mode=["full", "same", "valid"],
    core="f32 bf16",
    reference=lambda np, x, y, mode: np.convolve(x, y, mode),
    rtol=CONVOLVED,
    atol=CANCELLED,
)
def convolve(t, dtype, mode):
    return t.call("jax.numpy.convolve", t.randn((30,), dtype), t.randn((5,), dtype), mode=mode)


@case("jax.numpy.convolve", dtypes="f32 f64", grad=True, core="f32", rtol=CONVOLVED, atol=CANCELLED)
def convolve_gradient(t, dtype):
    return t.call("jax.numpy.convolve", t.randn((12,), dtype), t.randn((3,), dtype), mode="valid")


@case("jax.numpy.convolve", reference="none", core=False)
def convolve_with_nothing(t):
    t.raises(ValueError, t.call, "jax.numpy.convolve", t.randn((5,), "f32"), t.randn((0,), "f32"))
    t.raises(
        ValueError,
        t.call,
        "jax.numpy.convolve",
        t.randn((5,), "f32"),
        t.randn((3,), "f32"),
        mode="outer",
    )


def convolve2d_reference(np, x, y, mode):
    from scipy import signal

    return signal.convolve2d(x, y, mode)


@case(
    "jax.scipy.signal.convolve2d",
    dtypes="f32 bf16 f16 f64 c64",
    mode=["full", "same", "valid"],
    core="f32 bf16",
    reference=convolve2d_reference,
    rtol=CONVOLVED,
    atol=CANCELLED,
)
def convolve2d(t, dtype, mode):
    return t.call(
        "jax.scipy.signal.convolve2d", t.randn((12, 10), dtype), t.randn((3, 4), dtype), mode=mode
    )


@case(
    "jax.scipy.signal.convolve2d",
    dtypes="f32 f64",
    grad=True,
    core="f32",
    rtol=CONVOLVED,
    atol=CANCELLED,
)
def convolve2d_gradient(t, dtype):
    return t.call(
        "jax.scipy.signal.convolve2d", t.randn((6, 5), dtype), t.randn((3, 3), dtype), mode="same"
    )


@case("jax.scipy.signal.convolve2d", reference="none", core=False)
def convolve2d_of_vectors(t):
    t.raises(
        ValueError,
        t.call,
        "jax.scipy.signal.convolve2d",
        t.randn((5,), "f32"),
        t.randn((3,), "f32"),
    )
