"""Factorizations and convolutions. Sign, phase and order that stay open are not compared."""

from seamark_suites import reference
from seamark_suites.case import case

from . import reference as right
from .reference import with_affine_gradient, with_gradient

# Backward stable in f32: errors of some ten units in the last place of the largest value.
STABLE = {"f32": 2e-5, "c64": 2e-5, "f64": 1e-12, "c128": 1e-12}


@case("jax.numpy.linalg.svd", dtypes="f32 c64", shapes="4x4 6x3 3x6", full_matrices=[True, False],
      core="f32", rtol=STABLE, atol=STABLE, reference=right.decomposed)  # fmt: skip
def svd(t, dtype, shape, full_matrices):
    return decomposed(t, dtype, shape, full_matrices)


@case("jax.numpy.linalg.svd", dtypes="f64 c128", shapes="3x2", core=False, rtol=STABLE, atol=STABLE,
      reference=right.decomposed)  # fmt: skip
def wide_svd(t, dtype, shape):
    """One small case: a TPU emulates f64, and its compiler takes half a minute for this."""
    return decomposed(t, dtype, shape, False)


def decomposed(t, dtype, shape, full_matrices):
    found = t.call("jax.numpy.linalg.svd", t.randn(shape, dtype), full_matrices=full_matrices)
    u, s, vh = (t.host(part) for part in found)
    k = s.shape[-1]
    shapes = t.np.array(u.shape + vh.shape)
    return found[1], u.conj().T @ u, vh @ vh.conj().T, (u[:, :k] * s) @ vh[:k], shapes


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


@case("jax.numpy.linalg.svd", dtypes="f32", grad=True, rtol={"f32": 1e-4}, atol={"f32": 1e-4},
      reference=with_gradient(reference.singular_values, reference.singular_values_pull))  # fmt: skip
def svd_gradient(t, dtype):
    return t.call(sum_of_singular_values, t.randn((4, 4), dtype))


@case("jax.numpy.linalg.svd", reference="none", core=False)
def svd_of_a_vector(t):
    t.raises((ValueError, TypeError), t.call, "jax.numpy.linalg.svd", t.randn((4,), "f32"))


def in_order(np, values):
    """Eigenvalues by real part, then imaginary part, after rounding away the noise."""
    return values[np.lexsort((values.imag, np.round(values.real, 3)))]


@case("jax.numpy.linalg.eig", dtypes="f32 c64 f64 c128", n=[3, 6], core="f32", rtol=STABLE,
      atol=STABLE, reference=lambda np, x, n: in_order(np, np.linalg.eigvals(x)))  # fmt: skip
def eig(t, dtype, n):
    matrix = t.randn((n, n), dtype)
    values, _ = eigenpairs(t, matrix, dtype)
    return in_order(t.np, values)


def eigenpairs(t, matrix, dtype="f32"):
    """Values and vectors on the host."""
    near = 1e-11 if dtype in ("f64", "c128") else 1e-4
    values, vectors = (t.host(part) for part in t.call("jax.numpy.linalg.eig", matrix))
    residual = abs(t.host(matrix) @ vectors - vectors * values[..., None, :]).max()
    t.expect(residual < near, "A v = w v, off by %g" % residual)
    t.expect(
        bool(t.np.allclose((abs(vectors) ** 2).sum(-2), 1, rtol=0, atol=near)),
        "vectors of length 1",
    )
    return values, vectors


@case("jax.numpy.linalg.eig", dtypes="f32", core=True, rtol=STABLE, atol=STABLE,
      reference=lambda np, x: np.linalg.eigvalsh(x))  # fmt: skip
def batch_of_eigenproblems(t, dtype):
    values, _ = eigenpairs(t, t.spd(4, dtype, batch=(3,)))
    return t.np.sort(values.real, axis=-1)


@case("jax.numpy.linalg.eig", reference="none", core=False)
def eig_of_a_rectangle(t):
    t.raises(ValueError, t.call, "jax.numpy.linalg.eig", t.randn((3, 4), "f32"))


@case("jax.scipy.linalg.lu", dtypes="f32 c64 f64 c128", shapes="4x4 6x3 3x6", core="f32",
      rtol=STABLE, atol=STABLE, reference=right.lu_and_product)  # fmt: skip
def lu(t, dtype, shape):
    p, lower, upper = t.call("jax.scipy.linalg.lu", t.randn(shape, dtype))
    t.expect(bool((t.np.triu(t.host(lower), 1) == 0).all()), "a lower triangle")
    t.expect(bool((t.np.tril(t.host(upper), -1) == 0).all()), "an upper triangle")
    return p, lower, upper, t.host(p) @ t.host(lower) @ t.host(upper)


@case("jax.scipy.linalg.lu", dtypes="f32 f64", core="f32", rtol=STABLE, atol=STABLE,
      reference=right.lu_with_permuted_l)  # fmt: skip
def lu_with_permuted_l(t, dtype):
    return t.call("jax.scipy.linalg.lu", t.randn((5, 5), dtype), permute_l=True)


def triangles(x):
    import jax

    return jax.scipy.linalg.lu(x)[1:]


# Triangular solves: errors grow with the condition number.
@case("jax.scipy.linalg.lu", dtypes="f32 f64", grad=True, core="f32",
      rtol={"f32": 1e-4, "f64": 1e-11}, atol={"f32": 1e-4, "f64": 1e-11},
      reference=with_gradient(right.triangles, right.triangles_pull))  # fmt: skip
def lu_gradient(t, dtype):
    return t.call(triangles, t.spd(4, dtype))


@case(
    "jax.numpy.einsum_path", optimize=["greedy", "optimal", True], host_only=True, reference="none"
)
def einsum_path(t, optimize):
    operands = [t.randn((3, 4), "f32"), t.randn((4, 5), "f32"), t.randn((5, 2), "f32")]
    path, text = t.call("jax.numpy.einsum_path", "ij,jk,kl->il", *operands, optimize=optimize)
    pairs = [tuple(step) for step in path if not isinstance(step, str)]
    t.expect(pairs == [(1, 2), (0, 1)], "the cheaper one, 64 products and not 90, got %s" % (path,))
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


@case("jax.numpy.convolve", dtypes="f32 f64", grad=True, core="f32", rtol=CONVOLVED, atol=CANCELLED,
      reference=with_affine_gradient(lambda np, x, y: np.convolve(x, y, "valid")))  # fmt: skip
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


@case(
    "jax.scipy.signal.convolve2d",
    dtypes="f32 bf16 f16 f64 c64",
    mode=["full", "same", "valid"],
    core="f32 bf16",
    reference=right.convolve2d,
    rtol=CONVOLVED,
    atol=CANCELLED,
)
def convolve2d(t, dtype, mode):
    return t.call(
        "jax.scipy.signal.convolve2d", t.randn((12, 10), dtype), t.randn((3, 4), dtype), mode=mode
    )


@case("jax.scipy.signal.convolve2d", dtypes="f32 f64", grad=True, core="f32", rtol=CONVOLVED,
      atol=CANCELLED,
      reference=with_affine_gradient(lambda np, x, y: right.convolve2d(np, x, y, "same")))  # fmt: skip
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


@case("jax.numpy.linalg.svd", dtypes="f32", core=False, rtol=STABLE, atol=STABLE,
      reference=lambda np, x: (np.linalg.svd(x, compute_uv=False), x))  # fmt: skip
def hermitian_svd(t, dtype):
    matrix = t.spd(5, dtype)
    u, s, vh = t.call("jax.numpy.linalg.svd", matrix, hermitian=True)
    return s, (t.host(u) * t.host(s)) @ t.host(vh)


@case("jax.numpy.linalg.svd", dtypes="f32", core=False, rtol=STABLE, atol=STABLE,
      reference=lambda np, x: (np.eye(5), np.eye(5), x * x.T))  # fmt: skip
def svd_without_full_rank(t, dtype):
    column = t.randn((5, 1), dtype)
    u, s, vh = t.call("jax.numpy.linalg.svd", column * column.reshape(1, 5))
    t.expect(bool((t.host(s)[1:] < 1e-5).all()), "one singular value that is not zero")
    u, s, vh = t.host(u), t.host(s), t.host(vh)
    return u.T @ u, vh @ vh.T, (u * s) @ vh


@case("jax.numpy.linalg.svd", core=False, reference="none")
def svd_of_other_types(t):
    matrix = t.const([[3, 0], [0, 4]], "i32")
    values = t.call("jax.numpy.linalg.svd", matrix, compute_uv=False)
    t.expect(bool(t.np.allclose(t.host(values), [4, 3], rtol=1e-5)), "integers as f32")
    t.raises(NotImplementedError, t.call, "jax.numpy.linalg.svd", t.randn((2, 2), "bf16"))


@case("jax.numpy.linalg.svd", dtypes="f32", core=False, rtol={"f32": 1e-4}, atol={"f32": 1e-4},
      reference=right.decomposed)  # fmt: skip
def larger_svd(t, dtype):
    return decomposed(t, dtype, (40, 24), False)


@case("jax.numpy.linalg.svd", core=False, reference="none")
def svd_with_nan(t):
    """Not a number in, not a number out: no exception, no plausible values."""
    values = t.call("jax.numpy.linalg.svd", t.const([[1.0, float("nan")], [0.0, 1.0]], "f32"))[1]
    t.expect(bool(t.np.isnan(t.host(values)).all()), "NaN singular values")


@case("jax.numpy.linalg.eig", core=False, reference="none")
def eig_of_other_types(t):
    values, _ = eigenpairs(t, t.const([[0, -1], [1, 0]], "i32"))
    found = sorted(values.imag.tolist())
    t.expect(bool(t.np.allclose(found, [-1, 1], atol=1e-5)), "the pair i and -i, got %s" % found)
    t.raises(NotImplementedError, t.call, "jax.numpy.linalg.eig", t.randn((2, 2), "bf16"))


def eigenvalue_moduli(x):
    import jax

    return abs(jax.numpy.linalg.eigvals(x)).sum()


@case("jax.numpy.linalg.eig", dtypes="f32", core=False, reference="none")
def derivative_of_eig(t, dtype):
    """Of eigenvalues there is one; of eigenvectors JAX refuses it."""
    jax, matrix = t.fw, t.const([[3.0, 1.0], [0.0, 2.0]], dtype)
    slope = t.host(jax.grad(eigenvalue_moduli)(matrix))
    t.expect(bool(t.np.allclose(slope, t.np.eye(2), atol=1e-4)), "the identity, got %s" % slope)
    t.raises(
        NotImplementedError,
        t.call,
        jax.grad(lambda x: abs(jax.numpy.linalg.eig(x)[1]).sum()),
        matrix,
    )


@case("jax.numpy.linalg.eig", core=False, trivial=True, reference="none")
def eig_of_nothing(t):
    values, vectors = t.call("jax.numpy.linalg.eig", t.randn((0, 0), "f32"))
    t.expect(values.shape == (0,) and vectors.shape == (0, 0), "no values and no vectors")


@case("jax.numpy.linalg.eig", dtypes="f32", core=False, rtol={"f32": 1e-3}, atol={"f32": 1e-3},
      reference=lambda np, x: np.sort(abs(np.linalg.eigvals(x))))  # fmt: skip
def larger_eig(t, dtype):
    values, _ = eigenpairs(t, t.randn((24, 24), dtype))
    return t.np.sort(abs(values))


def lu_of_each(x):
    import jax

    return jax.vmap(jax.scipy.linalg.lu)(x)


@case("jax.scipy.linalg.lu", dtypes="f32", core=False, rtol=STABLE, atol=STABLE,
      reference=right.lu_of_a_batch)  # fmt: skip
def lu_of_a_batch(t, dtype):
    p, lower, upper = t.call(lu_of_each, t.randn((3, 4, 4), dtype))
    return lower, upper, t.host(p) @ t.host(lower) @ t.host(upper)


@case("jax.scipy.linalg.lu", dtypes="f32", core=False, rtol=STABLE, atol=STABLE,
      reference=lambda np, x: x)  # fmt: skip
def lu_of_a_singular_matrix(t, dtype):
    matrix = t.const([[1, 2, 3], [2, 4, 6], [1, 0, 1]], dtype)
    p, lower, upper = t.call("jax.scipy.linalg.lu", matrix)
    t.expect(abs(float(t.host(upper)[2, 2])) < 1e-6, "a zero on the diagonal")
    return t.host(p) @ t.host(lower) @ t.host(upper)


@case("jax.scipy.linalg.lu", core=False, reference="none")
def lu_of_other_types(t):
    _, lower, upper = t.call("jax.scipy.linalg.lu", t.const([[4, 2], [2, 3]], "i32"))
    t.expect(bool(t.np.allclose(t.host(lower), [[1, 0], [0.5, 1]])), "integers as f32")
    t.expect(bool(t.np.allclose(t.host(upper), [[4, 2], [0, 2]])), "integers as f32")
    t.raises(NotImplementedError, t.call, "jax.scipy.linalg.lu", t.randn((2, 2), "bf16"))
    t.raises((TypeError, ValueError), t.call, "jax.scipy.linalg.lu", t.randn((4,), "f32"))


@case("jax.scipy.linalg.lu", core=False, reference="none")
def lu_of_nothing(t):
    parts = t.call("jax.scipy.linalg.lu", t.randn((0, 0), "f32"))
    t.expect([part.shape for part in parts] == [(0, 0)] * 3, "three empty matrices")


@case("jax.scipy.linalg.lu", dtypes="f32", core=False, rtol={"f32": 1e-4}, atol={"f32": 1e-4},
      reference=lambda np, x: x)  # fmt: skip
def larger_lu(t, dtype):
    p, lower, upper = t.call("jax.scipy.linalg.lu", t.randn((70, 70), dtype))
    return t.host(p) @ t.host(lower) @ t.host(upper)


@case("jax.numpy.einsum_path", host_only=True, core=False, reference="none")
def einsum_path_in_other_words(t):
    """Operands with lists of axes, and an ellipsis."""
    x, y, z = t.randn((2, 3, 4), "f32"), t.randn((4, 5), "f32"), t.randn((5, 2), "f32")
    listed, _ = t.call("jax.numpy.einsum_path", y, [0, 1], z, [1, 2], [0, 2])
    t.expect(list(listed)[-1] == (0, 1), "one step, got %s" % (listed,))
    dotted, _ = t.call("jax.numpy.einsum_path", "...ij,jk,kl->...il", x, y, z)
    t.expect(len(list(dotted)) >= 1, "a path with an ellipsis")


@case("jax.numpy.einsum_path", host_only=True, core=False, reference="none")
def einsum_path_is_the_cheaper_one(t):
    """A matrix chain whose order matters: (a (b c)) costs 30 times less than ((a b) c)."""
    a, b, c = t.randn((30, 2), "f32"), t.randn((2, 60), "f32"), t.randn((60, 1), "f32")
    path, _ = t.call("jax.numpy.einsum_path", "ij,jk,kl->il", a, b, c, optimize="optimal")
    pairs = [tuple(step) for step in path if not isinstance(step, str)]
    t.expect(pairs[0] == (1, 2), "b c first, got %s" % (pairs,))
    product = t.fw.numpy.einsum("ij,jk,kl->il", a, b, c, optimize=path)
    want = t.host(a) @ t.host(b) @ t.host(c)
    t.expect(bool(t.np.allclose(t.host(product), want, atol=1e-4)), "a path that einsum takes")


@case(
    "jax.numpy.convolve",
    dtypes="f32",
    core=False,
    mode=["full", "same", "valid"],
    rtol=CONVOLVED,
    atol=CANCELLED,
    reference=lambda np, x, y, mode: np.convolve(x, y, mode),
)
def kernel_longer_than_signal(t, dtype, mode):
    return t.call("jax.numpy.convolve", t.randn((4,), dtype), t.randn((9,), dtype), mode=mode)


@case(
    "jax.numpy.convolve",
    dtypes="bf16",
    core=False,
    rtol={"f32": 1e-5},
    reference=lambda np, x, y: np.convolve(x, y),
)
def convolve_in_another_type(t, dtype):
    values, kernel = t.uniform((20,), dtype, 1, 2), t.uniform((4,), dtype, 1, 2)
    return t.call("jax.numpy.convolve", values, kernel, preferred_element_type=t.dtype("f32"))


@case(
    "jax.numpy.convolve",
    dtypes="f32",
    core=False,
    rtol={"f32": 1e-4},
    atol={"f32": 1e-4},
    reference=lambda np, x, y: np.convolve(x, y, "same"),
)
def large_convolve(t, dtype):
    return t.call(
        "jax.numpy.convolve", t.randn((5003,), dtype), t.randn((129,), dtype), mode="same"
    )


@case("jax.numpy.convolve", core=False, reference="none")
def convolve_of_matrices(t):
    t.raises(ValueError, t.call, "jax.numpy.convolve", t.randn((3, 3), "f32"), t.randn((3,), "f32"))


@case(
    "jax.scipy.signal.convolve2d",
    dtypes="f32",
    core=False,
    mode=["full", "same", "valid"],
    rtol=CONVOLVED,
    atol=CANCELLED,
    reference=right.convolve2d,
)
def kernel_larger_than_image(t, dtype, mode):
    return t.call(
        "jax.scipy.signal.convolve2d", t.randn((3, 2), dtype), t.randn((5, 4), dtype), mode=mode
    )


@case(
    "jax.scipy.signal.convolve2d",
    dtypes="i32",
    core=False,
    mode="full",
    reference=right.convolve2d,
    rtol=CONVOLVED,
)
def convolve2d_of_integers(t, dtype, mode):
    return t.call(
        "jax.scipy.signal.convolve2d", t.randn((6, 5), dtype), t.randn((3, 3), dtype), mode=mode
    )


@case(
    "jax.scipy.signal.convolve2d",
    dtypes="f32",
    core=False,
    mode="same",
    reference=right.convolve2d,
    rtol={"f32": 1e-4},
    atol={"f32": 1e-4},
)
def large_convolve2d(t, dtype, mode):
    return t.call(
        "jax.scipy.signal.convolve2d", t.randn((130, 131), dtype), t.randn((7, 7), dtype), mode=mode
    )


@case("jax.scipy.signal.convolve2d", core=False, reference="none")
def convolve2d_without_other_boundaries(t):
    image, kernel = t.randn((4, 4), "f32"), t.randn((2, 2), "f32")
    name = "jax.scipy.signal.convolve2d"
    t.raises(NotImplementedError, t.call, name, image, kernel, boundary="wrap")
    t.raises(NotImplementedError, t.call, name, image, kernel, fillvalue=1)
    t.raises(ValueError, t.call, name, image, kernel, mode="outer")
