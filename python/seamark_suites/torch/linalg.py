"""Linear algebra. What a factorization leaves open (sign, phase) is compared through what it must rebuild."""

from seamark_suites.case import case


@case("torch.addr", dtypes="f32 bf16 f64 i64 c64", grad=True, core="f32 bf16 i64",
      atol={"bf16": 3e-2})  # two terms of size 4 in bf16 may cancel # fmt: skip
def addr(t, dtype):
    return t.call(
        "torch.addr",
        t.randn((5, 7), dtype),
        t.randn((5,), dtype),
        t.randn((7,), dtype),
        beta=2,
        alpha=3,
    )


@case("torch.saddmm", dtypes="f32 f64", beta=[1, 2], core="f32")
def sparse_times_dense(t, dtype, beta):
    """sparse + sparse @ dense, which stays sparse."""
    added, factor = (t.randn(shape, dtype) * t.randn(shape, "bool") for shape in ((6, 5), (6, 8)))
    return t.call(
        "torch.saddmm", added.to_sparse(), factor.to_sparse(), t.randn((8, 5), dtype), beta=beta
    )


@case("torch.saddmm", dtypes="f32", reference="none")
def dense_is_refused(t, dtype):
    dense = t.randn((4, 4), dtype)
    t.raises(RuntimeError, t.call, "torch.saddmm", dense, dense, dense)


@case("torch.linalg.matrix_rank", dtypes="f32 f64 c64", hermitian=[False, True], core="f32")
def matrix_rank(t, dtype, hermitian):
    low = t.randn((6, 2), dtype)
    return t.call("torch.linalg.matrix_rank", low @ low.mH, hermitian=hermitian, rtol=1e-4)


@case("torch.linalg.matrix_rank", dtypes="f32")
def batch(t, dtype):
    full = t.spd(4, dtype, batch=(3,))
    full[1, 2:] = 0  # one of the three loses two rows
    return t.call("torch.linalg.matrix_rank", full)


@case("torch.slogdet", dtypes="f32 f64 c64", n=[3, 16], grad=True, core="f32", rtol={"f32": 1e-4, "c64": 1e-4},
      atol={"f32": 1e-4, "c64": 1e-4})  # an LU in f32: errors grow with the condition number # fmt: skip
def slogdet(t, dtype, n):
    return t.call("torch.slogdet", t.spd(n, dtype))


@case("torch.slogdet", dtypes="f32")
def singular(t, dtype):
    sign, logabsdet = t.call("torch.slogdet", t.const([[1.0, 2.0], [2.0, 4.0]], dtype))
    return sign, logabsdet


@case("torch.triangular_solve", dtypes="f32 f64 c64", upper=[True, False], grad=True, core="f32",
      rtol={"f32": 1e-4, "c64": 1e-4}, atol={"f32": 1e-4, "c64": 1e-4})  # substitution in f32 # fmt: skip
def triangular_solve(t, dtype, upper):
    right, matrix = t.randn((4, 2), dtype), t.spd(4, dtype)
    (solution, _), gradients = t.call("torch.triangular_solve", right, matrix, upper=upper)
    return solution, gradients


@case("torch.ormqr", dtypes="f32 f64 c64", left=[True, False], core="f32", rtol={"f32": 1e-4, "c64": 1e-4},
      atol={"f32": 1e-4, "c64": 1e-4})  # reflectors are built in f32 # fmt: skip
def ormqr(t, dtype, left):
    a = t.randn((6, 6), dtype)
    reflectors, tau = t.fw.geqrf(a)
    other = t.randn((6, 6), dtype)
    made = t.call("torch.ormqr", reflectors, tau, other, left=left)
    q = t.host(t.fw.linalg.householder_product(reflectors, tau))
    want = q @ t.host(other) if left else t.host(other) @ q
    t.expect(
        bool(t.np.allclose(t.host(made), want, rtol=1e-3, atol=1e-3)), "Q times the other matrix"
    )
    return made
