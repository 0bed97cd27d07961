"""Products of matrices: matmul and einsum."""

from seamark_suites.case import case
from seamark_suites.reference import affine_pull

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


@case("tf.matmul", dtypes="f16 f64 c64 c128", grad=True, core=False, reference=with_gradient(
      right.product, lambda np, w, x, y: (w @ np.conj(y).T, np.conj(x).T @ w)), rtol={"c64": 1e-5})  # fmt: skip
def matmul_slopes_of_kinds(t, dtype):
    """A complex slope is that by the conjugate."""
    return t.call("tf.matmul", *matrices(t, dtype, (4, 5), (5, 3)))


@case("tf.matmul", dtypes="f32 c64", core=False, rtol={"f32": 1e-5, "c64": 1e-5}, reference=lambda np, x, y, z: [
      np.swapaxes(x, -1, -2) @ np.swapaxes(y, -1, -2), np.conj(np.swapaxes(x, -1, -2)) @ z[0], z @ np.conj(np.swapaxes(z, -1, -2))])  # fmt: skip
def matmul_batches_turned(t, dtype):
    """Both, one that is broadcast, the same twice."""
    x, y = matrices(t, dtype, (3, 1, 5, 4), (2, 6, 5))
    z = t.uniform((2, 5, 3), dtype, 0.5, 1.5)
    return [
        t.call("tf.matmul", x, y, transpose_a=True, transpose_b=True),
        t.call("tf.matmul", x, z[0], adjoint_a=True),
        t.call("tf.matmul", z, z, adjoint_b=True),
    ]


@case("tf.matmul", dtypes="f32", core=False, rtol=_SUM, reference=lambda np, x, y: [
      x @ y, x[:1] @ y[:, :1], x[:, :1] @ y[:1], x @ y, np.array([[19, 22], [43, 50]])])  # fmt: skip
def matmul_of_python(t, dtype):
    """Arrays of NumPy, one row by one column, the other way round, the operator, whole numbers in lists."""
    x, y = matrices(t, dtype, (4, 5), (5, 3))
    arrays = [t.host(one).astype(x.dtype.as_numpy_dtype) for one in (x, y)]
    return [
        t.call("tf.matmul", *arrays),
        t.call("tf.matmul", x[:1], y[:, :1]),
        t.call("tf.matmul", x[:, :1], y[:1]),
        t.call(lambda x, y: x @ y, x, y),
        t.call("tf.matmul", [[1, 2], [3, 4]], [[5, 6], [7, 8]]),
    ]


@case(
    "tf.matmul", dtypes="f32 f64", core=False, trivial=True, grad=True, reference=product_gradient
)
def matmul_slopes_of_nothing(t, dtype):
    """Of a sum of no products every slope is an empty one."""
    return t.call("tf.matmul", t.randn((2, 3, 0), dtype), t.randn((2, 0, 4), dtype))


@case("tf.matmul", dtypes="f32", core=False, rtol=_SUM, reference=lambda np, *parts: [
      x @ y for x, y in zip(parts[::2], parts[1::2])])  # fmt: skip
def matmul_of_unknown_rank(t, dtype):
    """Traced once for matrices and for batches of any size, of none, too."""
    spec = t.fw.TensorSpec(None, t.dtype(dtype))
    f = t.get("tf.matmul")
    program = t.fw.function(lambda x, y: f(x, y), input_signature=[spec, spec], autograph=False)
    shapes = ((3, 4), (4, 2)), ((2, 3, 4), (4, 5)), ((2, 1, 3, 2), (5, 2, 4)), ((0, 3, 2), (2, 4))
    return [t.call(program, *matrices(t, dtype, *pair)) for pair in shapes]


@case(
    "tf.matmul",
    dtypes="f32 bf16",
    core=False,
    rtol=_SUM,
    reference=lambda np, x, y: [x @ y, x @ y, x.T @ x],
)
def matmul_sparse_hints(t, dtype):
    """For the second matrix, for both, for both that are turned."""
    x = t.const(t.np.arange(1, 49).reshape(6, 8) * (t.np.arange(48).reshape(6, 8) % 5 == 0), dtype)
    y = t.const(t.np.eye(8, 5) * 3 + t.np.eye(8, 5, k=-2), dtype)
    return [
        t.call("tf.matmul", x, y, b_is_sparse=True),
        t.call("tf.matmul", x, y, a_is_sparse=True, b_is_sparse=True),
        t.call("tf.matmul", x, x, transpose_a=True, a_is_sparse=True, b_is_sparse=True),
    ]


@case(
    "tf.matmul",
    kind=["i8", "u8"],
    core=False,
    reference=lambda np, x, y, kind: [x @ y, x[0] @ y, x[0].T @ x[1]],
)
def matmul_of_bytes(t, kind):
    """In batches, too, and turned: 32 bits hold what 8 do not."""
    x, y = t.randint((2, 4, 9), kind, 90, 120), t.randint((9, 5), kind, 90, 120)
    whole = {"output_type": t.fw.int32}
    return [
        t.call("tf.matmul", x, y, **whole),
        t.call("tf.matmul", x[0], y, **whole),
        t.call("tf.matmul", x[0], x[1], transpose_a=True, **whole),
    ]


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


# --- what a reading found missing: of einsum


@case("tf.einsum", dtypes="f32 c64", equation=["i,j->ij", "ij->ji", "ijk->j", "ij,ij->", "ii->i", "...ij,...jk->...ik", "ij,jk,kl->il"],
      core=False, grad=True, rtol={"f32": 1e-5, "c64": 1e-5}, atol={"c64": 1e-5}, reference=with_gradient(right.einsum, affine_pull(right.einsum)))  # fmt: skip
def einsum_gradient_of_forms(t, dtype, equation):
    """Outer products, transposes, sums, the diagonal, batches, three factors."""
    return t.call("tf.einsum", equation, *(t.uniform(shape, dtype, 0.5, 1.5) for shape in EQUATIONS[equation]))  # fmt: skip


SPELLED = {
    " b I j , j K -> b I K ": ("bij,jk->bik", (2, 3, 4), (4, 5)),
    "Ab,bC->CA": ("ab,bc->ca", (2, 3), (3, 4)),
    "...ij,...jk->...ik": ("...ij,...jk->...ik", (4, 1, 2, 3), (5, 3, 2)),
    "i...,...->i...": ("i...,...->i...", (2, 3, 4), (3, 4)),
    "b...->...": ("b...->...", (2, 3, 4)),
    "ii": ("ii", (4, 4)),
    "ba": ("ba", (2, 3)),
    "ii,i->i": ("ii,i->i", (3, 3), (3,)),
    "ab,bc,cd,de->ae": ("ab,bc,cd,de->ae", (2, 3), (3, 2), (2, 4), (4, 2)),
    "ijk,ijk,j->ik": ("ijk,ijk,j->ik", (2, 3, 4), (2, 3, 4), (3,)),
}


@case("tf.einsum", dtypes="f32", spelled=list(SPELLED), core=False, rtol=_SUM,
      reference=lambda np, *parts, spelled: np.einsum(SPELLED[spelled][0], *parts))  # fmt: skip
@case("tf.einsum", dtypes="i64 c128", spelled=list(SPELLED)[:3], core=False,
      reference=lambda np, *parts, spelled: np.einsum(SPELLED[spelled][0], *parts))  # fmt: skip
def einsum_spelled(t, dtype, spelled):
    """Spaces, capitals, ellipses that broadcast, the implicit order, a diagonal that is a factor."""
    return t.call(
        "tf.einsum", spelled, *(t.uniform(shape, dtype, 1, 4) for shape in SPELLED[spelled][1:])
    )


@case("tf.einsum", reference="none", core=False)
def einsum_refuses(t):
    """What is no equation, a letter twice in the result, other numbers of axes or factors, dtypes that differ."""
    x, y = t.randn((3, 4), "f32"), t.randn((4, 3), "f32")
    for equation in (
        "i.j,jk->ik",
        "ij,jk->ik->ik",
        "ij,jk->iik",
        "i1,1k->ik",
        "ij->ji",
        "ijk,jk->ik",
    ):
        t.refuses("tf.einsum", equation, x, y)
    t.refuses("tf.einsum", "ii->i", x)
    t.refuses("tf.einsum", "ij->ij")
    t.refuses("tf.einsum", "ij,jk->ik", x, t.randn((4, 3), "f64"))
    t.refuses("tf.einsum", "ij,jk->ik", x, y, unheard_of=True)


# --- and what a later one found: letters of one factor alone, letters that come again, any number of factors

MEETING = {
    "...ij,...jk->...ik": ((3, 1, 3, 2), (1, 5, 2, 4)),
    "ij...,jk->ik...": ((3, 2, 1), (2, 4)),
    "...i,...j,...k->...ijk": ((2, 1, 2), (3, 3), (2,)),
    "i...j,j...k->i...k": ((2, 3, 1, 4), (4, 5, 2)),
    "ba,b->": ((3, 2), (3,)),
    "abce,badf->abcd": ((1, 2, 3, 4), (2, 1, 4, 3)),
    "aba,a->b": ((3, 4, 3), (3,)),
    "ijj,k->ik": ((4, 3, 3), (2,)),
    "aab,bc->ac": ((2, 2, 3), (3, 4)),
    "aabcd->ad": ((2, 2, 3, 1, 4),),
    "aaa->a": ((3, 3, 3),),
    "a...a->a...": ((3, 2, 4, 3),),
    "ab...cd->da...": ((2, 3, 5, 4, 2),),
    ",->": ((), ()),
    "->": ((),),
    "a,b,c": ((2,), (3,), (4,)),
    "ea,fb,abcd,gc,hd->efgh": ((4, 2), (3, 2), (2, 2, 3, 2), (2, 3), (3, 2)),
    "": ((),),
    "i...jj,jk...k->i...": ((2, 3, 2, 2), (2, 4, 3, 4)),
    "ij,jk...k->...i": ((3, 2), (2, 4, 3, 4)),
    "aab,b...c->a...c": ((2, 2, 3), (3, 4, 2)),
}


@case("tf.einsum", dtypes="f32 f64 c64 c128", equation=list(MEETING), grad=True, core=False, rtol={"f32": 1e-5, "c64": 1e-5},
      atol={"c64": 1e-5}, reference=with_gradient(right.einsum, affine_pull(right.einsum)))  # fmt: skip
def einsum_gradient_where_letters_meet(t, dtype, equation):
    """Ellipses that broadcast, in the middle, between repeats; sums within a factor; diagonals; numbers; five factors."""
    parts = [t.uniform(shape, dtype, 0.5, 1.5) for shape in MEETING[equation]]
    return t.call("tf.einsum", equation, *parts)


@case("tf.einsum", dtypes="i32 i64 bf16 f16", core=False, reference=lambda np, *parts: [
      np.einsum(form, *some) for form, some in zip(("aba,a->b", "ba,b->", "...ij,...jk->...ik"), (parts[:2], parts[2:4], parts[4:]))])  # fmt: skip
def einsum_where_letters_meet(t, dtype):
    """Of whole numbers, which half precision adds exactly."""
    forms = "aba,a->b", "ba,b->", "...ij,...jk->...ik"
    given = [[t.randint(shape, dtype, 1, 4) for shape in MEETING[form]] for form in forms]
    return [t.call("tf.einsum", form, *parts) for form, parts in zip(forms, given)]


@case("tf.einsum", dtypes="f32 f64", core=False, rtol=_SUM, reference=lambda np, x, y: [
      x @ y, x @ y, x.sum(0)])  # fmt: skip
def einsum_of_arrays(t, dtype):
    """Arrays of NumPy, one beside a tensor, one alone."""
    x, y = matrices(t, dtype, (4, 5), (5, 3))
    arrays = [t.host(one).astype(x.dtype.as_numpy_dtype) for one in (x, y)]
    return [
        t.call("tf.einsum", "ij,jk->ik", *arrays),
        t.call("tf.einsum", "ij,jk->ik", arrays[0], y),
        t.call("tf.einsum", "ij->j", arrays[0]),
    ]


@case("tf.einsum", dtypes="f32", core=False, optimize=["branch-2", "branch-all", "auto"], rtol=_SUM,
      reference=lambda np, *parts, **_: np.einsum("ea,fb,abcd,gc,hd->efgh", *parts))  # fmt: skip
def einsum_optimize_five(t, dtype, optimize):
    equation = "ea,fb,abcd,gc,hd->efgh"
    parts = [t.uniform(shape, dtype, 0.5, 1.5) for shape in MEETING[equation]]
    return t.call("tf.einsum", equation, *parts, optimize=optimize)


@case("tf.einsum", dtypes="f32 f64", core=False, trivial=True, grad=True,
      reference=with_gradient(lambda np, x, y: np.zeros((1, 5, 10)), lambda np, w, x, y: (x, y)))  # fmt: skip
def einsum_gradient_of_no_terms(t, dtype):
    """An empty axis within: sums of nothing, and empty slopes."""
    return t.call("tf.einsum", "ibnd,ijbn->jnd", t.randn((1, 0, 5, 10), dtype), t.randn((1, 1, 0, 5), dtype))  # fmt: skip


@case("tf.einsum", reference="none", core=False)
def einsum_refuses_ellipses(t):
    """Two in one factor, batches that do not meet, sizes that do not, one in the result alone."""
    x, y = t.randn((5, 2, 3), "f32"), t.randn((7, 3, 4), "f32")
    t.refuses("tf.einsum", "...ij...,jk...->...ik...", x, x)
    t.refuses("tf.einsum", "...ij,...jk->...ik", x, y)
    t.refuses("tf.einsum", "...ij,...jk->ik", x[:2], y[0])
    t.refuses("tf.einsum", "ij,jk->ik...k", x[0], y[0])
    t.refuses("tf.einsum", "i..j,jk->ik", x[0], y[0])


@case("tf.matmul", dtypes="f32 f64 i32", core=False, rtol=_SUM, reference=lambda np, *parts: [
      x @ y for x, y in zip(parts[::2], parts[1::2])])  # fmt: skip
def matmul_of_odd_sizes(t, dtype):
    """A column by a row, a row by a column, sizes beside powers of two, more batches than 16 bits count, ten axes."""
    ten = (2, 1, 1, 2, 1, 1, 2, 1), (1, 3, 1, 1, 1, 2, 1, 1)
    shapes = (
        ((257, 1), (1, 129)),
        ((1, 513), (513, 1)),
        ((65, 129), (129, 33)),
        ((66000, 2, 3), (66000, 3, 2)),
        ((*ten[0], 2, 3), (*ten[1], 3, 2)),
    )
    return [t.call("tf.matmul", *matrices(t, dtype, *pair)) for pair in shapes]
