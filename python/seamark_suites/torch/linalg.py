"""Linear algebra. What a factorization leaves open (sign, phase) is compared through what it must rebuild."""

from seamark_suites.case import case
from seamark_suites.reference import affine_pull

from . import reference as right
from .products import EINSUM, EQUATIONS, _summed
from .reference import with_gradient

_ADDED = with_gradient(lambda np, x, a, b: right.outer(np, 2 * x, 3 * a, b))


@case(
    "torch.addr", dtypes="f32", name="forward", reference=lambda np, *given: _ADDED(np, *given)[0]
)
@case("torch.addr", dtypes="f32 bf16 f64 i64 c64", grad=True, core="f32 bf16 i64", reference=_ADDED,
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


@case("torch.saddmm", dtypes="f32 f64 c64 i64", beta=[1, 2], core="f32", reference=right.sparse_sum)
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


@case(
    "torch.linalg.matrix_rank",
    dtypes="f32 f64 c64",
    hermitian=[False, True],
    core="f32",
    reference=right.rank_of_product,
)
def matrix_rank(t, dtype, hermitian):
    low = t.randn((6, 2), dtype)
    return t.call("torch.linalg.matrix_rank", low @ low.mH, hermitian=hermitian, rtol=1e-4)


@case("torch.linalg.matrix_rank", dtypes="f32", reference=right.rank_without_rows)
def batch(t, dtype):
    full = t.spd(4, dtype, batch=(3,))
    full[1, 2:] = 0  # one of the three loses two rows
    return t.call("torch.linalg.matrix_rank", full)


@case(
    "torch.slogdet",
    dtypes="f32",
    n=3,
    name="forward",
    rtol={"f32": 1e-4},
    atol={"f32": 1e-4},
    reference=lambda np, x, n: right.slogdet(np, x),
)
@case("torch.slogdet", dtypes="f32 f64 c64", n=[3, 16], grad=True, core="f32", rtol={"f32": 1e-4, "c64": 1e-4},
      reference=lambda np, x, n: with_gradient(right.slogdet, right.slogdet_pull)(np, x),
      atol={"f32": 1e-4, "c64": 1e-4})  # an LU in f32: errors grow with the condition number # fmt: skip
def slogdet(t, dtype, n):
    return t.call("torch.slogdet", t.spd(n, dtype))


@case("torch.slogdet", dtypes="f32", reference=right.slogdet)
def singular(t, dtype):
    sign, logabsdet = t.call("torch.slogdet", t.const([[1.0, 2.0], [2.0, 4.0]], dtype))
    return sign, logabsdet


@case("torch.triangular_solve", dtypes="f32 f64 c64", upper=[True, False], grad=True, core="f32",
      reference=right.solution_and_gradients,
      rtol={"f32": 1e-4, "c64": 1e-4}, atol={"f32": 1e-4, "c64": 1e-4})  # substitution in f32 # fmt: skip
def triangular_solve(t, dtype, upper):
    right, matrix = t.randn((4, 2), dtype), t.spd(4, dtype)
    (solution, _), gradients = t.call("torch.triangular_solve", right, matrix, upper=upper)
    return solution, gradients


@case(
    "torch.triangular_solve",
    dtypes="f32",
    rtol={"f32": 1e-4},
    atol={"f32": 1e-4},
    reference=right.solution_by_triangle,
)
def forward(t, dtype):
    return t.call("torch.triangular_solve", t.randn((4, 2), dtype), t.spd(4, dtype))[0]


@case("torch.ormqr", dtypes="f32 f64 c64", left=[True, False], core="f32", rtol={"f32": 1e-4, "c64": 1e-4},
      reference=right.times_q,
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


@case(
    "torch.addr", dtypes="bool i32 f16", core=False, atol={"f16": 1e-2}, reference=right.outer
)  # two terms may cancel
def of_other_kinds(t, dtype):
    x, a, b = t.randn((5, 7), dtype), t.randn((5,), dtype), t.randn((7,), dtype)
    return t.call("torch.addr", x, a, b)


@case("torch.addr", dtypes="f32", core=False, reference=lambda np, x, a, b: np.outer(a, b))
def beta_zero_ignores_nan(t, dtype):
    """Documented: with beta=0 what stands in the input is not read."""
    x = t.const([[float("nan")] * 3] * 2, dtype)
    return t.call("torch.addr", x, t.randn((2,), dtype), t.randn((3,), dtype), beta=0)


@case(
    "torch.addr",
    dtypes="f32",
    core=False,
    reference=lambda np, a, b, x: (right.outer(np, x, a, b),) * 2,
)
def broadcast_and_out(t, dtype):
    given = t.fw.zeros((4, 3), dtype=t.dtype(dtype), device=t.device)
    a, b = t.randn((4,), dtype, noncontiguous=True), t.randn((3,), dtype)
    return t.call("torch.addr", t.randn((3,), dtype), a, b, out=given), given


@case("torch.addr", dtypes="f32", trivial=True, core=False, reference=right.outer)
def of_nothing(t, dtype):
    return t.call("torch.addr", t.randn((0, 3), dtype), t.randn((0,), dtype), t.randn((3,), dtype))


@case("torch.addr", dtypes="f32", reference="none", core=False)
def wrong_shapes_raise(t, dtype):
    x, a = t.randn((2, 3), dtype), t.randn((3,), dtype)
    t.raises(RuntimeError, t.call, "torch.addr", x, a, a)
    t.raises(RuntimeError, t.call, "torch.addr", x, x, a)


def _sparse(t, shape, dtype):
    return (t.randn(shape, dtype) * t.randn(shape, "bool")).to_sparse()


@case("torch.saddmm", dtypes="f32", alpha=[0.5, -3.0], core=False, reference=right.sparse_sum)
def scaled(t, dtype, alpha):
    made = t.call(
        "torch.saddmm",
        _sparse(t, (6, 5), dtype),
        _sparse(t, (6, 8), dtype),
        t.randn((8, 5), dtype),
        alpha=alpha,
    )
    t.expect(made.layout is t.fw.sparse_coo, "a sparse result")
    return made


@case("torch.saddmm", dtypes="f32", core=False, reference=lambda np, none, x, kept, dense: x * kept)
def of_no_entries(t, dtype):
    """Nothing stored on the left of the product: what is added stays."""
    none = t.const([[0.0] * 4] * 3, dtype).to_sparse()
    return t.call("torch.saddmm", _sparse(t, (3, 5), dtype), none, t.randn((4, 5), dtype))


@case("torch.saddmm", dtypes="f32", reference="none", core=False)
def sparse_wrong_shapes_raise(t, dtype):
    added, factor = _sparse(t, (3, 5), dtype), _sparse(t, (3, 4), dtype)
    t.raises(RuntimeError, t.call, "torch.saddmm", added, factor, t.randn((5, 5), dtype))


@case("torch.saddmm", dtypes="f32", core=False, reference=right.uncoalesced)
def uncoalesced(t, dtype):
    """An index that is stored twice counts twice."""
    index = t.const([[0, 0, 2], [1, 1, 3]], "i64")
    factor = t.fw.sparse_coo_tensor(index, t.randn((3,), dtype), (3, 4), device=t.device)
    return t.call("torch.saddmm", _sparse(t, (3, 5), dtype), factor, t.randn((4, 5), dtype))


@case(
    "torch.linalg.matrix_rank",
    dtypes="f32",
    shape=[(7, 4), (4, 7), (2, 3, 5)],
    core=False,
    reference=right.rank_with_a_double,
)
def rectangular(t, dtype, shape):
    x = t.randn(shape, dtype)
    first = x[0] if len(shape) > 2 else x  # of a batch one alone loses a row
    first[0] = 2 * first[1]
    return t.call("torch.linalg.matrix_rank", x)


@case(
    "torch.linalg.matrix_rank",
    dtypes="f32 f64",
    core=False,
    reference=lambda np, x, several: (
        right.rank(np, x, 1e-3, 0),
        right.rank(np, np.stack([x] * 3), several, 0),
    ),
)
def tolerances(t, dtype):
    x = t.const([[4.0, 0, 0], [0, 1e-2, 0], [0, 0, 1e-4]], dtype)
    several = t.const([1e-5, 1e-3, 1.0], dtype)
    return (
        t.call("torch.linalg.matrix_rank", x, atol=1e-3, rtol=0.0),
        t.call("torch.linalg.matrix_rank", x.expand(3, 3, 3), atol=several, rtol=0.0 * several),
    )


@case(
    "torch.linalg.matrix_rank",
    dtypes="f32",
    trivial=True,
    core=False,
    reference=lambda np, *given: tuple(right.rank(np, x) for x in given),
)
def of_zeros_and_of_nothing(t, dtype):
    zero, none = t.const([[0.0] * 3] * 4, dtype), t.randn((2, 0, 3), dtype)
    return t.call("torch.linalg.matrix_rank", zero), t.call("torch.linalg.matrix_rank", none)


@case("torch.linalg.matrix_rank", dtypes="f32", shapes="3", reference="none", core=False)
@case("torch.slogdet", dtypes="f32", shapes="3 3x4", reference="none", core=False)
def no_square_matrix_raises(t, dtype, shape, function):
    t.raises(RuntimeError, t.call, function, t.randn(shape, dtype))


@case("torch.linalg.matrix_rank", dtypes="i64 bf16", reference="none", core=False)
def wrong_dtype_raises(t, dtype):
    t.raises(RuntimeError, t.call, "torch.linalg.matrix_rank", t.randn((3, 3), dtype))


@case("torch.slogdet", dtypes="f32 c64", grad=True, core=False, rtol={"f32": 1e-4, "c64": 1e-4},
      reference=with_gradient(lambda np, x: right.slogdet(np, x[..., [1, 0, 2, 3], :])),
      atol={"f32": 1e-4, "c64": 1e-4})  # an LU in f32 # fmt: skip
def batch_and_sign(t, dtype):
    """Row exchanges turn the sign."""
    x = t.spd(4, dtype, batch=(2, 3))
    return t.call(lambda x: t.fw.slogdet(x[..., [1, 0, 2, 3], :]), x)


@case("torch.slogdet", dtypes="f32", trivial=True, core=False, reference=right.slogdet)
def of_an_empty_matrix(t, dtype):
    """The determinant of a 0x0 matrix is one."""
    return t.call("torch.slogdet", t.randn((0, 0), dtype))


@case(
    "torch.slogdet", dtypes="f32", core=False, reference=right.slogdet, rtol={"f32": 1e-4}
)  # an LU in f32
def larger(t, dtype):
    """Where det would overflow."""
    return t.call("torch.slogdet", t.spd(128, dtype))


_SOLVE = {
    "rtol": {"f32": 1e-4, "c64": 1e-4},
    "atol": {"f32": 1e-4, "c64": 1e-4},
}  # substitution in f32


@case("torch.triangular_solve", dtypes="f32 c64", transpose=[True], unitriangular=[False, True], core=False,
      reference=right.solution_by_triangle, **_SOLVE)  # fmt: skip
def transposed(t, dtype, transpose, unitriangular):
    right, matrix = t.randn((4, 2), dtype), t.spd(4, dtype)
    return t.call(
        "torch.triangular_solve", right, matrix, transpose=transpose, unitriangular=unitriangular
    )[0]


@case(
    "torch.triangular_solve",
    dtypes="f32",
    core=False,
    **_SOLVE,
    reference=lambda np, *given: right.by_triangle(np, *given, upper=False),
)
def batches_broadcast(t, dtype):
    """One matrix for several right sides; the second result is a copy of the matrix."""
    right, matrix = t.randn((3, 4, 2), dtype), t.spd(4, dtype)
    return t.call("torch.triangular_solve", right, matrix, upper=False)


@case(
    "torch.triangular_solve",
    dtypes="f32",
    trivial=True,
    core=False,
    reference=right.solution_by_triangle,
)
def no_right_side(t, dtype):
    return t.call("torch.triangular_solve", t.randn((3, 0), dtype), t.spd(3, dtype))[0]


@case(
    "torch.triangular_solve",
    dtypes="f32",
    reference="none",
    core=False,
)
def solve_wrong_shapes_raise(t, dtype, function):
    t.raises(RuntimeError, t.call, function, t.randn((3, 2), dtype), t.randn((4, 4), dtype))
    t.raises(RuntimeError, t.call, function, t.randn((3, 2), dtype), t.randn((3, 4), dtype))


def _reflectors(t, shape, dtype):
    return t.fw.geqrf(t.randn(shape, dtype, grad=False))


@case(
    "torch.ormqr",
    dtypes="f32 c64",
    left=[True, False],
    transpose=[True],
    core=False,
    **_SOLVE,
    reference=right.times_q,
)
def conjugate_transposed(t, dtype, left, transpose):
    reflectors, tau = _reflectors(t, (5, 5), dtype)
    return t.call("torch.ormqr", reflectors, tau, t.randn((5, 5), dtype), left, transpose)


@case("torch.ormqr", dtypes="f32", core=False, reference=right.times_q, **_SOLVE)
def batch_of_thin_ones(t, dtype):
    """Fewer reflectors than rows, and a batch."""
    reflectors, tau = _reflectors(t, (2, 6, 3), dtype)
    return t.call("torch.ormqr", reflectors, tau, t.randn((2, 6, 4), dtype))


@case(
    "torch.ormqr",
    dtypes="f32 c64",
    grad=True,
    core=False,
    **_SOLVE,
    reference=right.times_reflectors_with_gradient,
)
def gradient(t, dtype):
    reflectors, tau = (part.requires_grad_(True) for part in _reflectors(t, (4, 4), dtype))
    return t.call("torch.ormqr", reflectors, tau, t.randn((4, 3), dtype))


@case("torch.ormqr", dtypes="f32", trivial=True, core=False, reference=right.times_q)
def times_nothing(t, dtype):
    reflectors, tau = _reflectors(t, (4, 4), dtype)
    return t.call("torch.ormqr", reflectors, tau, t.randn((4, 0), dtype))


@case("torch.ormqr", dtypes="f32", reference="none", core=False)
def ormqr_wrong_shapes_raise(t, dtype):
    reflectors, tau = _reflectors(t, (4, 4), dtype)
    t.raises(RuntimeError, t.call, "torch.ormqr", reflectors, tau, t.randn((3, 4), dtype))
    t.raises(RuntimeError, t.call, "torch.ormqr", reflectors, tau[:, None], reflectors)


# --- einsum: lists of axes without a result's, many operands, half precision


@case(EINSUM, dtypes="f32 f64 c64", core=False, reference=lambda np, x, y, v: [
      x @ y, (x @ y).T, v.sum(), np.outer(v, x[0]), 2.5 * v, 2.5 * v.sum()])  # fmt: skip
def lists_without_a_result(t, dtype):
    """The axes that are left lie in the order of their numbers; an empty list sums all, or stands for a number."""
    x, y, v = (t.uniform(shape, dtype, 0.5, 1.5) for shape in ((2, 3), (3, 4), (5,)))
    one = t.fw.tensor(2.5, dtype=x.dtype, device=t.device)
    return [
        t.call(EINSUM, x, [0, 1], y, [1, 2]),
        t.call(EINSUM, x, [2, 1], y, [1, 0]),
        t.call(EINSUM, v, [0], []),
        t.call(EINSUM, v, [0], x[0], [1]),
        t.call(EINSUM, v, [0], one, []),
        t.call(EINSUM, v, [0], one, [], []),
    ]


MANY = {
    "ab,bc,cd,de,ef,fg->ag": [(2, 3), (3, 4), (4, 2), (2, 3), (3, 2), (2, 4)],
    "ab,bc,cd,de,ef,fa->": [(2, 3), (3, 4), (4, 2), (2, 3), (3, 2), (2, 2)],
    "a,b,ab,bc,c,ad->dc": [(2,), (3,), (2, 3), (3, 4), (4,), (2, 5)],
}


@case(EINSUM, dtypes="f32 f64", equation=list(MANY), grad=True, core=False, reference=with_gradient(_summed, affine_pull(_summed)),
      rtol={"f32": 1e-5})  # products of six, sums of hundreds # fmt: skip
def six_operands(t, dtype, equation):
    return t.call(EINSUM, equation, *(t.uniform(shape, dtype, 0.5, 1.5) for shape in MANY[equation]))  # fmt: skip


@case(EINSUM, dtypes="f16", equation=["ij,kj->ik", "ii", "ijk,ik->j", "bhid,bhjd->bhij"], grad=True, core=False,
      reference=with_gradient(_summed, affine_pull(_summed)), rtol={"f16": 4e-3})  # fmt: skip
def gradient_in_half(t, dtype, equation):
    return t.call(EINSUM, equation, *(t.uniform(shape, dtype, 0.5, 1.5) for shape in EQUATIONS[equation]))  # fmt: skip
