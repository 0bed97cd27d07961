"""Products of matrices: matmul, bmm, einsum."""

from seamark_suites.case import case
from seamark_suites.reference import affine_pull
from seamark_suites.transformed import forward, placed
from seamark_suites.transformed import second as second_slopes

from .reference import with_gradient

# Sums of a thousand terms in f32, in an order of the device's choosing.
_LONG = {"rtol": {"f32": 1e-4}, "atol": {"f32": 1e-4}}


def product(np, x, y):
    return np.matmul(x, y)


def product_pull(np, w, x, y):
    return w @ y.conj().swapaxes(-1, -2), x.conj().swapaxes(-1, -2) @ w


def contracted(np, x, y):
    """einsum of bij,bjk->bik as a sum over j of outer products."""
    return (x[:, :, :, None] * y[:, None]).sum(2)


_GRADIENT = with_gradient(product, product_pull)
_CONTRACTED = with_gradient(contracted, product_pull)


def _arguments(function, x, y):
    return ("bij,bjk->bik", x, y) if function.endswith("einsum") else (x, y)


@case("torch.matmul", dtypes="f32 bf16", reference=product, name="forward")
@case("torch.bmm", dtypes="f32 bf16", reference=product, name="forward")
@case("torch.einsum", dtypes="f32 bf16", reference=contracted, name="forward")
@case("torch.matmul", dtypes="f32 bf16", grad=True, reference=_GRADIENT, name="gradient")
@case("torch.bmm", dtypes="f32 bf16", grad=True, reference=_GRADIENT, name="gradient")
@case("torch.einsum", dtypes="f32 bf16", grad=True, reference=_CONTRACTED, name="gradient")
@case("torch.matmul", dtypes="f64", grad=True, core=False, reference=_GRADIENT, name="gradient")
@case("torch.bmm", dtypes="f64", grad=True, core=False, reference=_GRADIENT, name="gradient")
@case("torch.einsum", dtypes="f64", grad=True, core=False, reference=_CONTRACTED, name="gradient")
@case("torch.matmul", dtypes="i64 c64 f16", core=False, reference=product, name="other_dtypes")
@case("torch.bmm", dtypes="i64 c64 f16", core=False, reference=product, name="other_dtypes")
@case("torch.einsum", dtypes="i64 c64 f16", core=False, reference=contracted, name="other_dtypes")
def batches(t, dtype, function):
    """Positive numbers, so that no sum cancels."""
    low, high = (1, 9) if dtype == "i64" else (0.5, 1.5)
    x, y = t.uniform((3, 7, 9), dtype, low, high), t.uniform((3, 9, 5), dtype, low, high)
    return t.call(function, *_arguments(function, x, y))


@case("torch.matmul", dtypes="f32", core=False, reference=lambda np, x, y, shape_of: product(np, x, y),
      shape_of=[((9,), (9,)), ((4, 9), (9,)), ((9,), (9, 5)), ((2, 1, 4, 9), (3, 9, 5))])  # fmt: skip
def vectors_and_broadcasting(t, dtype, shape_of):
    """A vector has an axis added, and taken off again; the axes before the last two are broadcast."""
    return t.call("torch.matmul", *(t.uniform(s, dtype, 0.5, 1.5) for s in shape_of))


@case("torch.matmul", dtypes="f32", core=False, reference=lambda np, x, y: x.swapaxes(1, 2) @ y)
@case("torch.bmm", dtypes="f32", core=False, reference=lambda np, x, y: x.swapaxes(1, 2) @ y)
@case("torch.einsum", dtypes="f32", core=False, reference=lambda np, x, y: x.swapaxes(1, 2) @ y)
def of_views(t, dtype, function):
    """A transpose, and every other column."""
    x = t.uniform((3, 9, 7), dtype, 0.5, 1.5)
    y = t.uniform((3, 9, 5), dtype, 0.5, 1.5, noncontiguous=True)
    return t.call(function, *_arguments(function, x.mT, y))


@case("torch.matmul", dtypes="f32", trivial=True, core=False, reference=product)
@case("torch.bmm", dtypes="f32", trivial=True, core=False, reference=product)
@case("torch.einsum", dtypes="f32", trivial=True, core=False, reference=contracted)
def sum_of_nothing(t, dtype, function):
    """An inner axis of length zero gives zeros."""
    x, y = t.randn((3, 4, 0), dtype), t.randn((3, 0, 5), dtype)
    return t.call(function, *_arguments(function, x, y))


@case("torch.einsum", dtypes="f32", core=False,
      reference=lambda np, x, y: [x.T, np.diag(x), x.sum(0), np.multiply.outer(x[0], y[0]), x @ y])  # fmt: skip
def equations(t, dtype):
    """A transpose, a diagonal, a sum, an outer product, an equation without an arrow."""
    x, y = t.uniform((5, 5), dtype, 0.5, 1.5), t.uniform((5, 4), dtype, 0.5, 1.5)
    return [
        t.call("torch.einsum", "ij->ji", x),
        t.call("torch.einsum", "ii->i", x),
        t.call("torch.einsum", "ij->j", x),
        t.call("torch.einsum", "i,j->ij", x[0], y[0]),
        t.call("torch.einsum", "ij,jk", x, y),
    ]


@case("torch.einsum", dtypes="f32", core=False, reference=lambda np, x, y, z: x @ y @ z)
def ellipsis_and_three(t, dtype):
    x, y, z = (t.uniform(s, dtype, 0.5, 1.5) for s in ((2, 3, 4, 5), (3, 5, 6), (6, 2)))
    return t.call("torch.einsum", "...ij,...jk,kl->...il", x, y, z)


@case("torch.matmul", dtypes="f32", large=True, reference=product, **_LONG)
@case("torch.bmm", dtypes="f32", large=True, reference=product, **_LONG)
@case("torch.einsum", dtypes="f32", large=True, reference=product, **_LONG)
def large(t, dtype, function):
    x, y = (t.uniform((2, 1024, 1024), dtype, 0.5, 1.5) for _ in range(2))
    return t.call(function, *_arguments(function, x, y))


@case("torch.matmul", core=False, reference="none")
@case("torch.bmm", core=False, reference="none")
@case("torch.einsum", core=False, reference="none")
def wrong_shapes_raise(t, function):
    """Inner axes that differ, batches that differ, another dtype."""
    x = t.randn((3, 4, 5), "f32")
    for shape in ((3, 4, 5), (2, 5, 4)):
        t.raises(RuntimeError, t.call, function, *_arguments(function, x, t.randn(shape, "f32")))
    y = t.randn((3, 5, 4), "i64")
    t.raises(RuntimeError, t.call, function, *_arguments(function, x, y))


# --- einsum: each kind of equation. What NumPy's own takes and gives.

EINSUM = "torch.einsum"
EQUATIONS = {
    "i->": [(3,)],
    "ij->i": [(2, 3)],
    "ii": [(4, 4)],
    "...ij->...ji": [(2, 3, 4)],
    "bii->bi": [(2, 3, 3)],
    "iji->j": [(2, 3, 2)],
    "i...->...": [(3, 4)],
    ",->": [(), ()],
    "i,i": [(5,), (5,)],
    "ij,ij->ij": [(2, 3), (2, 3)],
    "ij,ij->": [(2, 3), (2, 3)],
    "ij,kj->ik": [(2, 3), (4, 3)],
    "ij,Ab->ijAb": [(2, 3), (4, 2)],
    "aij,jk->aik": [(2, 3, 4), (4, 2)],
    "ijk,ik->j": [(2, 3, 4), (2, 4)],
    "bhid,bhjd->bhij": [(2, 2, 3, 4), (2, 2, 5, 4)],
    "...ij,...jk": [(2, 3, 4), (4, 5)],
    "...k,...k->...": [(2, 3, 4), (3, 4)],
    "bn,anm,bm->ba": [(2, 3), (4, 3, 5), (2, 5)],
    "ij,jk,kl,lm->im": [(2, 3), (3, 4), (4, 2), (2, 3)],
    " i j , k j -> i k ": [(2, 3), (4, 3)],
}


def _summed(np, *operands, equation):
    return np.einsum(equation.replace(" ", ""), *operands)


@case(EINSUM, dtypes="f32", equation=list(EQUATIONS), grad=True, core=False,
      reference=with_gradient(_summed, affine_pull(_summed)))  # fmt: skip
def by_equation(t, dtype, equation):
    return t.call(EINSUM, equation, *(t.uniform(shape, dtype, 0.5, 1.5) for shape in EQUATIONS[equation]))  # fmt: skip


@case(EINSUM, dtypes="c64", equation=["ij,kj->ik", "iji->j", "bn,anm,bm->ba"], grad=True, core=False,
      reference=with_gradient(_summed, affine_pull(_summed)), rtol={"c64": 1e-5})  # sums of thirty products # fmt: skip
@case(EINSUM, dtypes="i32", equation=["ij,kj->ik", "bn,anm,bm->ba"], core=False, reference=_summed)
@case(EINSUM, dtypes="u8 i8 i16", equation=["bn,anm,bm->ba"], core=False, reference=_summed)
def equations_of_other_kinds(t, dtype, equation):
    low, high = {"i32": (1, 50), "u8": (1, 3), "i8": (-2, 3), "i16": (-9, 10)}.get(
        dtype, (0.5, 1.5)
    )
    return t.call(EINSUM, equation, *(t.uniform(shape, dtype, low, high) for shape in EQUATIONS[equation]))  # fmt: skip


@case(EINSUM, dtypes="f32", core=False, reference=lambda np, x, y, z: [
      x @ y, (x @ y).T, np.einsum("bij,jk->bik", z, y), x @ y, x.sum(0) * z[0, 0, 0], x.T])  # fmt: skip
def other_ways_to_write(t, dtype):
    """Axes by number, an ellipsis among them, operands in a list, an operand of size one that stands for many."""
    x, y, z = (t.uniform(shape, dtype, 0.5, 1.5) for shape in ((2, 3), (3, 4), (2, 2, 3)))
    return [
        t.call(EINSUM, x, [0, 1], y, [1, 2], [0, 2]),
        t.call(EINSUM, x, [1, 0], y, [0, 51], [51, 1]),
        t.call(EINSUM, z, [..., 0], y, [0, 1], [..., 1]),
        t.call(EINSUM, "ij,jk->ik", [x, y]),
        t.call(EINSUM, "ij,aj->j", x, z[:1, 0, :1]),
        t.call(EINSUM, x, [7, 3], [3, 7]),
    ]


@case(EINSUM, dtypes="f32 bf16", core=False, reference=lambda np, x, y: [
      x @ y, np.zeros((0, 2)), np.zeros(3)])  # fmt: skip
def of_no_numbers_and_nothing(t, dtype):
    """NaN and infinities stay in their row; no rows; sums without terms."""
    x = t.const([[float("nan"), 1.0], [float("inf"), 1.0], [2.0, 3.0]], dtype)
    y = t.const([[1.0, 0.5], [4.0, 1.5]], dtype)
    return [
        t.call(EINSUM, "ij,jk->ik", x, y),
        t.call(EINSUM, "ij,jk->ik", x[:0], y),
        t.call(EINSUM, "ij->i", t.fw.zeros((3, 0), dtype=x.dtype, device=t.device)),
    ]


@case(EINSUM, dtypes="f32", core=False, reference=lambda np, *given: [
      np.einsum("bij,bkj->bik", x, y) for x, y in zip(given[::2], given[1::2])])  # fmt: skip
def contracts_three_sizes(t, dtype):
    """One size after another: what a compiler made for one must not be used for the next."""
    pairs = [((2, n, 6), (2, n + 1, 6)) for n in (3, 8, 5)]
    drawn = [[t.uniform(shape, dtype, 0.5, 1.5) for shape in pair] for pair in pairs]
    return [t.call(EINSUM, "bij,bkj->bik", *pair) for pair in drawn]


@case(EINSUM, core=False, reference="none")
def equations_that_say_nothing(t):
    """What no letter may be, axes too many or too few, results that no operand has, sizes that differ."""
    x, kinds = t.randn((2, 3), "f32"), (RuntimeError, ValueError)
    for equation, count in (
        ("", 0),
        ("ij", 2),
        ("ij,jk", 1),
        ("ijk", 1),
        ("i", 1),
        ("ii", 1),
        ("ij->k", 1),
        ("ij->ii", 1),
        ("ij->i->j", 1),
        ("i.j->ij", 1),
        ("1j->j", 1),
        ("...i->...i...", 1),
        ("ij,jk->ik", 2),
    ):
        t.raises(kinds, t.call, EINSUM, equation, *[x] * count)
    t.raises(kinds, t.call, EINSUM, x, [0, 52])
    t.raises(kinds, t.call, EINSUM, x, [0])


@case(
    "torch.matmul",
    dtypes="i32 i16 i8 u8",
    core=False,
    reference=lambda np, x, y, v: [x @ y, x @ v, x.T @ x],
)
def of_small_integers(t, dtype):
    """The dtype stays."""
    x, y, v = (
        t.randint((3, 4), dtype, 0, 5),
        t.randint((4, 2), dtype, 1, 6),
        t.randint((4,), dtype, 1, 6),
    )
    made = [t.call("torch.matmul", *pair) for pair in ((x, y), (x, v), (x.mT, x))]
    t.expect(all(one.dtype is t.dtype(dtype) for one in made), "the dtype of the factors")
    return made


@case("torch.matmul", dtypes="f32", core=False, reference=lambda np, x, y, v: [
      x @ y, np.broadcast_to(x[:1], (4, 5)) @ y, np.broadcast_to(x @ y, (2, 4, 3)), x @ v, np.zeros((2, 4, 0)), np.zeros(4)])  # fmt: skip
def into_what_grows_and_of_what_is_broadcast(t, dtype):
    """out= without elements; rows and batches that are one in memory; no columns, no terms."""
    x, y = t.uniform((4, 5), dtype, 0.5, 1.5), t.uniform((5, 3), dtype, 0.5, 1.5)
    v, none = t.uniform((5,), dtype, 0.5, 1.5), t.fw.zeros(0, dtype=x.dtype, device=t.device)
    made = t.call("torch.matmul", x, y, out=none)
    t.expect(made is none, "the given tensor")
    return [
        none,
        t.call("torch.matmul", x[:1].expand(4, 5), y),
        t.call("torch.matmul", x.expand(2, 4, 5), y.expand(2, 5, 3)),
        t.call("torch.matmul", input=x, other=v),
        t.call("torch.matmul", x, y[:, :0].expand(2, 5, 0)),
        t.call("torch.matmul", x[:, :0], v[:0]),
    ]


@case("torch.matmul", dtypes="c64 c128 f16", grad=True, core=False, reference=_GRADIENT)
def gradient_of_other_kinds(t, dtype):
    """Of complex numbers with the conjugates of the others."""
    return t.call("torch.matmul", *(t.uniform(s, dtype, 0.5, 1.5) for s in ((2, 4, 5), (2, 5, 3))))


@case("torch.matmul", core=False, reference="none")
def matmul_refuses_other_kinds(t):
    """A list, a number; half precision beside single; results in integers, in what asks for a gradient."""
    x, y = t.randn((2, 3), "f32"), t.randn((3, 2), "f32")
    t.raises(TypeError, t.call, "torch.matmul", x, [1.0, 2.0, 3.0])
    t.raises(TypeError, t.call, "torch.matmul", x, 2.0)
    t.raises(RuntimeError, t.call, "torch.matmul", x, t.randn((3, 2), "f16"))
    t.raises(RuntimeError, t.call, "torch.matmul", x, y, out=t.randn((2, 2), "i64"))
    t.raises(RuntimeError, t.call, "torch.matmul", x, y, out=t.randn((2, 2), "f32", grad=True))


CORNERS = {
    " ": "n", " -> ": "n", " , ": "nm", " , , -> ": "nmn", " i ": "v", " i -> i ": "v", " i -> ": "v", " i , i ": "vw", " i , i -> i ": "vw", " , i ": "nv",
    "...": "x", "...->...": "v", "...,...": "nx", "...,...->...": "xy", "a...->a...": "x", "a...->...a": "x", "a...b->...b": "z", "...a->a...": "z",
    "a...b->b...a": "z", "a...,a...->...": "xz", "...a,...a->...": "zy", "k...,jk->...": "zx", "ki,...k->i...": "xu", "Bik,k...j->i...j": "zu", "aij,jkl": "zu",
    "i...,i...->": "zx", "ijk,ilm,njm,nlk,abc->": "zzzzz", "ab,ab,c->c": "xxv", "ab,cd->acbd": "xy", "xYz->zYx": "z", "xYz": "z",
}  # fmt: skip


def _corners(np, *drawn):
    """What an ellipsis stands for is summed where the result has none, which NumPy does not do."""
    named, made = dict(zip("nmvwxyzu", drawn)), []
    for equation, operands in CORNERS.items():
        lost = "..." in equation and "->" in equation and not equation.split("->")[1]
        text = equation.replace(" ", "") + "..." * lost
        found = np.einsum(text, *(named[one] for one in operands), optimize=len(operands) > 3)
        made.append(found.sum() if lost else found)
    return made


@case(EINSUM, dtypes="f32 f64 c64", core=False, rtol={"c64": 1e-5, "f32": 1e-5}, reference=_corners)  # sums of many products # fmt: skip
@case(EINSUM, dtypes="f64 c128", grad=True, core=False, name="corners_gradient", reference=with_gradient(_corners))  # fmt: skip
def corners(t, dtype):
    """No letters, blanks alone, ellipses at each end and of other lengths, letters in no order, five operands."""
    sizes = (), (), (3,), (3,), (2, 2), (1, 2), (2, 2, 2), (2, 2, 2)
    product = t.get(EINSUM)

    def run(*drawn):
        named = dict(zip("nmvwxyzu", drawn))
        return [product(equation, *(named[one] for one in operands)) for equation, operands in CORNERS.items()]  # fmt: skip

    return t.call(run, *(t.uniform(size, dtype, 0.5, 1.5) for size in sizes))


@case(EINSUM, dtypes="f32", core=False, rtol={"f32": 1e-5}, reference=lambda np, x, y, z: [
      x @ y @ z @ x, np.einsum("bn,anm,bm->ba", x, np.stack([y, z, x]), y)] * 2)  # fmt: skip
def from_left_to_right(t, dtype):
    """The order of the products is no part of the result: the best one, where a package knows it, and from left to right."""
    x, y, z = (t.uniform((5, 5), dtype, 0.5, 1.5) for _ in range(3))
    backend, three = t.fw.backends.opt_einsum, t.fw.stack([y, z, x])
    made, before = [], backend.enabled
    try:
        for enabled in (before, False):
            backend.enabled = enabled
            made.append(t.call(EINSUM, "ij,jk,kl,lm->im", x, y, z, x))
            made.append(t.call(EINSUM, "bn,anm,bm->ba", x, three, y))
    finally:
        backend.enabled = before
    return made


@case(EINSUM, core=False, reference="none")
def equations_that_do_not_fit(t):
    """A vector without letters, ellipses of other sizes, letters of other sizes, axes by numbers below zero, no operand."""
    x, y, kinds = t.randn((2, 3), "f32"), t.randn((4, 3), "f32"), (RuntimeError, ValueError)
    for equation, operands in (
        ("", [x]), ("...,...", [x, y]), ("a...,a...", [x, y]), ("a,a", [x[0], y[:, 0]]), ("ab,ab", [x, y]), ("aab", [x[None]]), ("a->A", [x[0]]), ("ab->a.", [x]),
        ("ab,", [x]), ("a b c", [x]), ("...a...", [x]),
    ):  # fmt: skip
        t.raises(kinds, t.call, EINSUM, equation, *operands)
    t.raises(kinds, t.call, EINSUM, x, [-1, 0])
    t.raises(kinds, t.call, EINSUM, x, [0, 1], y, [0, 1], [0])
    t.raises((TypeError, *kinds), t.call, EINSUM, "ab", 3.0)


# Of each number of axes, with sides of none, one and more; batches that broadcast.
LEFT = [(0,), (1,), (3,), (0, 3), (1, 3), (2, 3), (3, 1), (2, 0), (2, 2, 3), (1, 2, 3), (2, 0, 3), (0, 2, 3), (2, 1, 2, 3)]  # fmt: skip
RIGHT = [(0,), (1,), (3,), (3, 0), (3, 1), (3, 2), (1, 3), (0, 2), (2, 3, 2), (1, 3, 2), (2, 3, 0), (0, 3, 2), (2, 3, 1), (2, 2, 3, 2)]  # fmt: skip


def _fit(x, y):
    if x[-1] != y[-2 if len(y) > 1 else 0]:
        return False
    return all(a == b or 1 in (a, b) for a, b in zip(x[-3::-1], y[-3::-1]))


SIDES = [(x, y) for x in LEFT for y in RIGHT if _fit(x, y)]


@case("torch.matmul", dtypes="f32 c64 i64 f64", core=False, reference=lambda np, *drawn: [
      x @ y for x, y in zip(drawn[::2], drawn[1::2])])  # fmt: skip
def by_brute_force(t, dtype):
    """Each shape with each that fits it, in order and with gaps, into what is given as well; the results lie in order."""
    made = []
    for number, (first, second) in enumerate(SIDES):
        x = t.randint(first, dtype, -9, 10, noncontiguous=number % 2 == 1)
        y = t.randint(second, dtype, -9, 10, noncontiguous=number % 3 == 1)
        found = t.call("torch.matmul", x, y)
        out = t.fw.full_like(found, 5)
        t.expect(t.call("torch.matmul", x, y, out=out) is out, "the given tensor")
        t.expect(bool((t.host(out) == t.host(found)).all()), "the same of %s and %s" % (first, second))  # fmt: skip
        t.expect(found.is_contiguous() and out.is_contiguous(), "rows in order")
        made.append(out)
    return made


@case("torch.matmul", dtypes="f32 f64 bf16", core=False, reference=lambda np, x, y, row, v: [
      x @ y, np.broadcast_to(row, (8, 1, 64)) @ y, np.broadcast_to(row[0], (4, 64)) @ y[0], x[:, 0] @ np.broadcast_to(v, (64,)), y[0].T @ x[0, 0], x[0] @ y[0][:, ::3]],
      rtol={"f32": 1e-5}, atol={"f32": 1e-5})  # sums of 64 terms # fmt: skip
def of_steps_of_nothing(t, dtype):
    """An axis of one whose step is that of another, columns in order, one row and one number that are seen many times; every third column."""
    x = t.uniform((8, 1, 64), dtype, 0.5, 1.5)
    y = t.uniform((8, 64, 52), dtype, 0.5, 1.5)
    row, v = t.uniform((1, 64), dtype, 0.5, 1.5), t.uniform((1,), dtype, 0.5, 1.5)
    thin, columns = x.as_strided((8, 1, 64), (64, 0, 1)), y.mT.contiguous().mT
    return [
        t.call("torch.matmul", thin, columns),
        t.call("torch.matmul", row.expand(8, 1, 64), y),
        t.call("torch.matmul", row[0].expand(4, 64), columns[0]),
        t.call("torch.matmul", x[:, 0], v.expand(64)),
        t.call("torch.matmul", columns[0].mT, thin[0, 0]),
        t.call("torch.matmul", x[0], y[0][:, ::3]),
    ]


@case("torch.matmul", dtypes="bf16 f16", core=False, reference=lambda np, x, y, v: [x @ y, x @ v, v @ y, x[0] @ v],
      rtol={"bf16": 1e-2, "f16": 2e-3}, atol={"bf16": 1e-2, "f16": 1e-3})  # the result is rounded once # fmt: skip
def sums_of_many_terms_in_half(t, dtype):
    """Of two thousand terms: added in half precision they would stop growing."""
    x, y = t.uniform((24, 2048), dtype, 0.5, 1.5), t.uniform((2048, 40), dtype, 0.5, 1.5)
    v = t.uniform((2048,), dtype, 0.5, 1.5)
    return [t.call("torch.matmul", *pair) for pair in ((x, y), (x, v), (v, y), (x[0], v))]


@case("torch.matmul", dtypes="f32 f64 c64", core=False, reference=lambda np, x, kept, y, also, v: [
      (x * kept) @ y, x @ (y * also), (x * kept) @ (y * also), (x * kept) @ v] * 2)  # fmt: skip
def of_sparse_matrices(t, dtype):
    """Documented: by a matrix on either side, by another sparse one, by a vector; stored by places and by rows."""
    x, kept = t.uniform((4, 5), dtype, 0.5, 1.5), t.randn((4, 5), "bool")
    y, also, v = t.uniform((5, 3), dtype, 0.5, 1.5), t.randn((5, 3), "bool"), t.uniform((5,), dtype, 0.5, 1.5)  # fmt: skip
    made = []
    for store in (t.fw.Tensor.to_sparse, t.fw.Tensor.to_sparse_csr):
        left, right = store(x * kept), store(y * also)
        both = t.call("torch.matmul", left, right)
        t.expect(both.layout is left.layout, "sparse by sparse is sparse")
        made += [t.call("torch.matmul", left, y), t.call("torch.matmul", x, right), both.to_dense(), t.call("torch.matmul", left, v)]  # fmt: skip
    return made


@case("torch.matmul", core=False, reference="none")
def products_that_matmul_refuses(t):
    """Vectors and batches that do not fit, wider results, a gradient beside out=; another size of out= gives a warning, and is taken."""
    import warnings

    x, y, v = t.randn((2, 4, 5), "f32"), t.randn((3, 5, 4), "f32"), t.randn((4,), "f32")
    for wrong in ((x, y), (x, v), (v, y), (v, x[0, 0]), (x[0, :, :0], y[0])):
        t.raises(RuntimeError, t.call, "torch.matmul", *wrong)
    one, two = x[0], y[0]
    t.raises(RuntimeError, t.call, "torch.matmul", one, two, out=one.new_zeros((4, 4)).double())
    t.raises(RuntimeError, t.call, "torch.matmul", one.clone().requires_grad_(), two, out=one.new_zeros((4, 4)))  # fmt: skip
    out = one.new_ones((2, 2))
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        found = t.call("torch.matmul", one, two, out=out)
    right = abs(t.host(found) - t.host(one) @ t.host(two)) < 1e-4
    t.expect(found.shape == (4, 4) and bool(right.all()), "the product")
    t.expect(len(seen) > 0 or str(t.device) != "cpu", "a warning")
    t.raises(TypeError, t.call, "torch.matmul", one)
    t.raises(TypeError, t.call, "torch.matmul", [1.0], one)


# --- its derivatives, by more equations; long sums

DERIVED = ["ij->i", "ii", "iji->j", "ij,ij->", "aij,jk->aik", "bn,anm,bm->ba", "...ij,...jk", "ij,jk,kl,lm->im"]  # fmt: skip


def _derived(of):
    """The reference of a derivative of an equation."""
    return lambda np, *drawn, equation: of(lambda np, *x: _summed(np, *x, equation=equation))(np, *drawn)  # fmt: skip


def _at(t, equation):
    return [placed(number, t.distinct(shape, "f64")) for number, shape in enumerate(EQUATIONS[equation])]  # fmt: skip


@case(
    EINSUM, equation=DERIVED, core=False, since=("2.0", "torch.func"), reference=_derived(forward)
)
def equations_in_forward_mode(t, equation):
    at, call, jvp = _at(t, equation), t.get(EINSUM), t.get("torch.func.jvp")
    along = [t.randn(tuple(x.shape), "f64") for x in at]

    def moved(at, along):
        made, slope = jvp(lambda *x: call(equation, *x), tuple(at), tuple(along))
        return [[made], [slope]]

    return t.call(moved, at, along)


@case(
    EINSUM,
    equation=[one for one in DERIVED if one != "ij,jk,kl,lm->im"],
    core=False,
    reference=_derived(second_slopes),
)
def second_gradient_of_equations(t, equation):
    """Of the weighted squares of the result."""
    (x, *rest), call, slope = _at(t, equation), t.get(EINSUM), t.fw.autograd.grad
    direction = t.randn(tuple(x.shape), "f64")

    def both(x, *rest):
        x = x.detach().requires_grad_()
        made = call(equation, x, *rest)
        ramp = t.fw.linspace(0.5, 1.5, made.numel(), dtype=made.dtype, device=made.device)
        first = slope((ramp.reshape(made.shape) * made**2).sum(), x, create_graph=True)[0]
        return first.detach(), slope((first * direction).sum(), x)[0]

    return t.call(both, x, *rest)


@case(
    EINSUM, dtypes="f16 bf16", core=False, reference=lambda np, x, y: [x @ y.T, (x[:3] * y).sum(1)]
)
def long_sums_in_half(t, dtype):
    """4000 terms, whose partial sums half precision would not hold."""
    x, y = t.uniform((5, 4000), dtype, 0.25, 1), t.uniform((3, 4000), dtype, 0.25, 1)
    return [t.call(EINSUM, "ij,kj->ik", x, y), t.call(EINSUM, "ij,ij->i", x[:3], y)]
