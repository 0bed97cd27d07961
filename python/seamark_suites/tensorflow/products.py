"""Products of matrices: matmul and einsum."""

from seamark_suites.case import case

from . import reference_totals as right
from .arithmetic import INF, NAN
from .reference import with_gradient

# Sums of up to 512 products of positive numbers, whose order is free.
_SUM = {"f32": 1e-5}
product_gradient = with_gradient(right.product, right.product_pull)


def matrices(t, dtype, one, other):
    """Positive numbers: no sum cancels."""
    low, high = (1, 5) if dtype[0] in "iu" else (0.5, 1.5)
    return t.uniform(one, dtype, low, high), t.uniform(other, dtype, low, high)


@case("tf.matmul", dtypes="f32 bf16", grad=True, name="matmul_gradient", rtol=_SUM,
      reference=product_gradient)  # fmt: skip
@case("tf.matmul", dtypes="f16 f64 c64 c128 i64", core=False, reference=right.product)
@case("tf.matmul", dtypes="f32 bf16 i32", rtol=_SUM, reference=right.product)
def matmul(t, dtype):
    return t.call("tf.matmul", *matrices(t, dtype, (9, 17), (17, 13)))


@case("tf.matmul", dtypes="f32 bf16", grad=True, name="matmul_batches_gradient", core=False,
      rtol=_SUM, reference=product_gradient)  # fmt: skip
@case("tf.matmul", dtypes="f32 bf16", rtol=_SUM, reference=right.product)
def matmul_batches(t, dtype):
    """Batches are broadcast."""
    return t.call("tf.matmul", *matrices(t, dtype, (3, 1, 4, 5), (2, 5, 6)))


SHAPES = {"": ((4, 5), (5, 6)), "transpose": ((5, 4), (6, 5)), "adjoint": ((5, 4), (6, 5))}


@case("tf.matmul", dtypes="f32", a=["transpose", ""], b=["transpose", ""], grad=True, core=False,
      rtol=_SUM, name="matmul_turned_gradient", reference=product_gradient)  # fmt: skip
@case("tf.matmul", dtypes="f32 c64", a=["transpose", "adjoint", ""], b=["transpose", "adjoint", ""],
      core=False, rtol=_SUM, reference=right.product)  # fmt: skip
def matmul_turned(t, dtype, a, b):
    x, y = matrices(t, dtype, SHAPES[a][0], SHAPES[b][1])
    options = {change + "_" + side: True for change, side in ((a, "a"), (b, "b")) if change}
    return t.call("tf.matmul", x, y, **options)


@case("tf.matmul", core=False, reference=right.product)
def matmul_output_type(t):
    """Bytes are multiplied into 32 bits without overflow."""
    x, y = t.randint((4, 9), "i8", 90, 120), t.randint((9, 5), "i8", 90, 120)
    made = t.call("tf.matmul", x, y, output_type=t.fw.int32)
    t.expect(made.dtype == t.fw.int32, "i32")
    return made


@case("tf.matmul", dtypes="f32", core=False, rtol=_SUM, reference=right.product)
def matmul_sparse_hint(t, dtype):
    """A hint that many numbers are zero changes no value."""
    x = t.const(t.np.arange(1, 49).reshape(6, 8) * t.np.eye(6, 8), dtype)
    return t.call("tf.matmul", x, t.uniform((8, 5), dtype, 0.5, 1.5), a_is_sparse=True)


@case("tf.matmul", dtypes="f32", core=False, reference=right.product)
def matmul_special(t, dtype):
    """NaN and infinity spread along their row, times zero as NaN."""
    x = t.const([[1.0, NAN], [INF, 2.0], [3.0, 4.0]], dtype)
    return t.call("tf.matmul", x, t.const([[1.0, 0.0], [2.0, 5.0]], dtype))


@case("tf.matmul", dtypes="f32", core=False, rtol=_SUM,
      reference=lambda np, *parts: [x @ y for x, y in zip(parts[::2], parts[1::2])])  # fmt: skip
def matmul_three_sizes(t, dtype):
    return [t.call("tf.matmul", *matrices(t, dtype, (n, 7), (7, n + 1))) for n in (5, 8, 13)]


@case("tf.matmul", dtypes="f32", core=False, trivial=True, reference=right.product)
def matmul_of_no_terms(t, dtype):
    """A sum of no products is 0."""
    made = t.call("tf.matmul", t.randn((3, 0), dtype), t.randn((0, 4), dtype))
    t.expect(tuple(made.shape) == (3, 4), "shape (3, 4)")
    return made


@case("tf.matmul", dtypes="f32", large=True, rtol=_SUM, reference=right.product)
def matmul_large(t, dtype):
    """Sums of 512 products of positive numbers."""
    return t.call("tf.matmul", *matrices(t, dtype, (2048, 512), (512, 1024)))


@case("tf.matmul", reference="none", core=False)
def matmul_refusals(t):
    """Sizes that do not meet, vectors, two changes of one matrix, dtypes that differ."""
    x = t.randn((3, 4), "f32")
    t.refuses("tf.matmul", x, t.randn((3, 4), "f32"))
    t.refuses("tf.matmul", x, t.randn((4,), "f32"))
    t.refuses("tf.matmul", x, x, transpose_b=True, adjoint_b=True)
    t.refuses("tf.matmul", x, t.randn((4, 2), "f64"))


EQUATIONS = {
    "ij,jk->ik": ((5, 7), (7, 6)),
    "bhqd,bhkd->bhqk": ((2, 3, 4, 5), (2, 3, 6, 5)),
    "abc,cde->abde": ((2, 3, 4), (4, 2, 3)),
    "i,j->ij": ((5,), (6,)),
    "ij->ji": ((4, 6),),
    "ijk->j": ((3, 4, 5),),
    "ij,ij->": ((3, 4), (3, 4)),
    "ii->i": ((5, 5),),
    "ij,jk": ((5, 7), (7, 6)),
    "...ij,...jk->...ik": ((2, 3, 4), (2, 4, 5)),
    "ij,jk,kl->il": ((3, 4), (4, 5), (5, 2)),
}
USED = ["ij,jk->ik", "bhqd,bhkd->bhqk", "abc,cde->abde"]


def _einsum_pull(np, w, *parts, equation, **_):
    """The other factor takes the place of each."""
    inputs, output = equation.split("->")
    names = inputs.split(",")
    return tuple(
        np.einsum("%s,%s->%s" % (output, names[1 - i], names[i]), w, parts[1 - i]) for i in (0, 1)
    )


@case("tf.einsum", dtypes="f32 bf16", equation=USED, grad=True, name="einsum_gradient", rtol=_SUM,
      reference=with_gradient(right.einsum, _einsum_pull))  # fmt: skip
@case("tf.einsum", dtypes="f32 f64", equation=list(EQUATIONS)[3:], core=False, rtol=_SUM,
      name="einsum_forms", reference=right.einsum)  # fmt: skip
@case("tf.einsum", dtypes="f16 f64 c64 i32", equation=USED, core=False, reference=right.einsum)
@case("tf.einsum", dtypes="f32 bf16", equation=USED, rtol=_SUM, reference=right.einsum)
def einsum(t, dtype, equation):
    low, high = (1, 4) if dtype[0] == "i" else (0.5, 1.5)
    parts = [t.uniform(shape, dtype, low, high) for shape in EQUATIONS[equation]]
    return t.call("tf.einsum", equation, *parts)


@case("tf.einsum", dtypes="f32", core=False, optimize=["greedy", "optimal"], rtol=_SUM,
      reference=lambda np, *parts, **_: np.einsum("ij,jk,kl->il", *parts))  # fmt: skip
def einsum_optimize(t, dtype, optimize):
    parts = [t.uniform(shape, dtype, 0.5, 1.5) for shape in EQUATIONS["ij,jk,kl->il"]]
    return t.call("tf.einsum", "ij,jk,kl->il", *parts, optimize=optimize)


@case("tf.einsum", dtypes="f32", core=False, rtol=_SUM,
      reference=lambda np, *parts: [x @ y for x, y in zip(parts[::2], parts[1::2])])  # fmt: skip
def einsum_three_sizes(t, dtype):
    return [
        t.call("tf.einsum", "ij,jk->ik", *matrices(t, dtype, (n, 7), (7, 3))) for n in (5, 8, 13)
    ]


@case("tf.einsum", dtypes="f32", core=False, reference=lambda np, x, y: x @ y)
def einsum_special(t, dtype):
    x = t.const([[1.0, NAN], [INF, 2.0], [3.0, 4.0]], dtype)
    return t.call("tf.einsum", "ij,jk->ik", x, t.const([[1.0, 0.0], [2.0, 5.0]], dtype))


@case("tf.einsum", dtypes="f32", core=False, trivial=True, reference=lambda np, x, y: x @ y)
def einsum_of_no_terms(t, dtype):
    return t.call("tf.einsum", "ij,jk->ik", t.randn((3, 0), dtype), t.randn((0, 4), dtype))


@case("tf.einsum", dtypes="f32", large=True, rtol=_SUM,
      reference=lambda np, x, y: x @ np.swapaxes(y, -1, -2))  # fmt: skip
def einsum_large(t, dtype):
    """The scores of attention."""
    return t.call(
        "tf.einsum", "bhqd,bhkd->bhqk", *matrices(t, dtype, (2, 8, 512, 64), (2, 8, 512, 64))
    )


@case("tf.einsum", reference="none", core=False)
def einsum_refusals(t):
    """Sizes that differ under one letter, a letter from nowhere, too few inputs."""
    x = t.randn((3, 4), "f32")
    t.refuses("tf.einsum", "ij,jk->ik", x, t.randn((3, 4), "f32"))
    t.refuses("tf.einsum", "ij->iz", x)
    t.refuses("tf.einsum", "ij,jk->ik", x)
