"""What adds up numbers of every kind: sums, products and Einstein's notation; functions of two kinds at once."""

from seamark_suites.case import case

from .products import sum_of
from .reference import with_gradient
from .values_and_kinds import own_dtype

NP = "jax.numpy."
INF, NAN = float("inf"), float("nan")
EXACT = dict.fromkeys(("f16", "bf16", "f32", "f64", "c64", "c128"), 0.0)
SUMS = {"f32": 1e-5, "c64": 1e-5}

# --- functions of two arrays of different kinds

PAIRS = [
    "i8+u8+i16", "u16+i8+i32", "bool+i8+i8", "f16+bf16+f32", "u8+bf16+bf16", "i32+f16+f16", "i32+c64+c64", "f32+c64+c64",
]  # fmt: skip
TWO = {
    "matmul": (lambda f, x, y: f(x, y), lambda np, x, y: x @ y),
    "einsum": (lambda f, x, y: f("ij,jk->ki", x, y), lambda np, x, y: (x @ y).T),
    "minimum": (lambda f, x, y: f(x, y.T), lambda np, x, y: np.minimum(x, y.T)),
    "maximum": (lambda f, x, y: f(x, y.T), lambda np, x, y: np.maximum(x, y.T)),
    "where": (lambda f, x, y: f(x != 1, x, y.T), lambda np, x, y: np.where(x != 1, x, y.T)),
    "concatenate": (lambda f, x, y: f([x, y.T]), lambda np, x, y: np.concatenate([x, y.T])),
}


def _of_two(body):
    for name, (_, of) in TWO.items():
        right = lambda np, x, y, pair, of=of: of(np, *(v * 1 for v in (x, y)))  # noqa: E731
        body = case(NP + name, pair=PAIRS, core=False, reference=right, rtol=EXACT, atol=EXACT)(body)  # fmt: skip
    return body


@_of_two
def each_with_another_kind(t, function, pair):
    """The kind that holds both, and small whole numbers exactly."""
    one, other, want = pair.split("+")
    x, y = t.randint((4, 5), one, 0, 6), t.randint((5, 4), other, 0, 6)
    run, f = TWO[function[len(NP) :]][0], t.get(function)
    made = t.call(lambda x, y: run(f, x, y), x, y)
    own_dtype(t, [made], want)
    return made


# --- minimum and maximum


def _whole_pairs(x, y, ends, most):
    return [(x, y), (y[0], x), (x[:, :1], y), (x, 7), (most, x), (ends[:, None], ends)]


def _of_whole(f):
    return lambda np, x, y, ends: [getattr(np, f)(*one) for one in _whole_pairs(x, y, ends, ends[0])]  # fmt: skip


@case(NP + "minimum", dtypes="u8 u16 u32", core=False, reference=_of_whole("minimum"))
@case(NP + "maximum", dtypes="u8 u16 u32", core=False, reference=_of_whole("maximum"))
def numbers_with_the_top_bit(t, function, dtype):
    """What would be negative with a sign is large: beside numbers without that bit, a row, a column, a number of Python; each end with each."""
    half = 2 ** (int(dtype[1:]) - 1)
    x, y = (t.randint((12, 9), dtype, 0, 2 * half) for _ in "xy")
    ends = t.const([half - 1, half, half + 1, 2 * half - 1, 0, 5], dtype)
    made = [t.call(function, *one) for one in _whole_pairs(x, y, ends, half - 1)]
    own_dtype(t, made, dtype)
    return made


def _complex_pairs(a, b, y):
    x = a + 1j * b
    return [(x, x.T), (x, x[0]), (x, y), (y[:, None], x), (x, y[0]), (x[0, 0], y), (x, 1), (1 - 1j, x), (y, 1j)]  # fmt: skip


def _by_parts(sign):
    """The lesser or the greater: by the real part, then by the imaginary one."""

    def right(np, a, b, y, kind):
        made = []
        for p, q in _complex_pairs(a, b, y):
            off = np.asarray(p + 0j - q)
            first = sign * (2 * np.sign(off.real) + np.sign(off.imag)) > 0
            made.append(np.where(first, p, q))
        return made

    return right


@case(NP + "minimum", kind=["i32", "bool", "f16", "f32", "c64"], core=False, reference=_by_parts(-1))  # fmt: skip
@case(NP + "maximum", kind=["i32", "bool", "f16", "f32", "c64"], core=False, reference=_by_parts(1))
def complex_numbers_beside_others(t, function, kind):
    """Often with equal real parts; rows, columns, one number of each; numbers of Python of every kind."""
    a, b = (t.randint((7, 7), "f32", -3, 4) for _ in "ab")
    y, f = t.randint((7,), kind, 0, 2 if kind == "bool" else 4), t.get(function)
    made = t.call(lambda *given: [f(*one) for one in _complex_pairs(*given)], a, b, y)
    own_dtype(t, made, "c64")
    return made


# --- sum

# What is added up, and in which kind.
ADDED = [
    ("i32", "f32"), ("i32", "bf16"), ("i32", "c64"), ("i32", "i8"), ("f32", "i32"), ("f32", "f16"), ("f32", "c64"),
    ("bool", "f32"), ("u8", "i32"), ("bool", "i8"), ("u8", "bool"), ("f16", "bf16"),
]  # fmt: skip


@case("jax.Array.sum", core=False, rtol=EXACT, atol=EXACT, reference=lambda np, *xs: [
      (x * 1).sum(1) > 0 if kind == "bool" else (x * 1).sum(1) for x, (_, kind) in zip(xs, ADDED)])  # fmt: skip
def sums_of_one_kind_in_another(t):
    made = [t.call(sum_of, t.randint((9, 4), own, 0, 5), axis=1, dtype=t.dtype(kind)) for own, kind in ADDED]  # fmt: skip
    for one, (_, kind) in zip(made, ADDED):
        own_dtype(t, [one], kind)
    return made


@case("jax.Array.sum", dtypes="f32 i8 c64", core=False, rtol=SUMS, reference=lambda np, x, *masks: [
      np.where(masks[0], x, 0).sum(0), np.where(masks[1], x, 0).sum(), np.where(masks[2], x, 0).sum((0, 2), keepdims=True),
      x.sum(1), 0 * x.sum(-1)])  # fmt: skip
def masks_that_broadcast(t, dtype):
    """A row, columns, one for each matrix; a truth alone."""
    x = t.randint((3, 4, 5), dtype, 1, 3)
    row, column, each = (
        t.const(one, "bool")
        for one in ([1, 0, 1, 1, 0], [[1], [0], [1], [1]], [[[1]], [[0]], [[1]]])
    )
    return [
        t.call(lambda x, m: sum_of(x, axis=0, where=m), x, row),
        t.call(lambda x, m: sum_of(x, where=m), x, column),
        t.call(lambda x, m: sum_of(x, axis=(0, 2), keepdims=True, where=m), x, each),
        t.call(sum_of, x, axis=1, where=True),
        t.call(sum_of, x, axis=-1, where=False),
    ]


@case("jax.Array.sum", dtypes="f32 i8 bool c64", core=False, trivial=True, reference=lambda np, x, n: [
      np.array(0), np.zeros(2), np.zeros((1, 0)), np.zeros((2, 1)), n, n, x.sum((0, 1)), 2 * n])  # fmt: skip
def sums_of_nothing_and_of_numbers(t, dtype):
    """Along an axis of nothing zeros, in the kind of any sum; of a number itself."""
    x, n = t.randint((2, 0), dtype, 0, 2), t.const(1, dtype)
    made = [t.call(sum_of, x), t.call(sum_of, x, axis=1), t.call(sum_of, x, axis=0, keepdims=True), t.call(sum_of, x, axis=-1, keepdims=True),
            t.call(sum_of, n), t.call(sum_of, n, axis=(), keepdims=True), t.call(sum_of, x, axis=(1, 0)),
            t.call(lambda n: sum_of(t.fw.numpy.stack([n, n])), n)]  # fmt: skip
    own_dtype(t, made[:5], {"i8": "i32", "bool": "i32"}.get(dtype, dtype))
    return made


@case("jax.Array.sum", core=False, reference="none")
def masks_and_axes_that_cannot_be(t):
    """A mask of numbers, one of another length; an axis of a number; options that are none."""
    x = t.randn((3, 4), "f32")
    for wrong in (t.const([1, 0, 1, 1], "i32"), t.const([1.0] * 4, "f32"), t.const([1, 0, 1], "bool")):  # fmt: skip
        t.raises((ValueError, TypeError), t.call, lambda x, m: sum_of(x, where=m), x, wrong)
    for given, options in ((x[0, 0], {"axis": 0}), (x, {"axis": (0, -2)}), (x, {"axes": 0})):  # fmt: skip
        t.raises((ValueError, TypeError), t.call, sum_of, given, **options)


# --- matmul

RANKS = [
    ((3,), (5, 3, 2)), ((5, 3, 2), (2,)), ((5, 2), (3, 2, 4)), ((5, 2, 3), (3, 2)), ((5, 3, 4), (5, 4, 1)),
    ((3, 1, 3, 4), (5, 4, 1)), ((1, 5, 4), (1, 4, 3)), ((2, 1, 1, 4), (1, 3, 4, 2)), ((1, 1), (1, 1)), ((4,), (4,)),
    ((0, 3), (3, 2)), ((2, 0, 3, 4), (4,)), ((3, 0), (0,)),
]  # fmt: skip


@case(NP + "matmul", dtypes="f32 c64 i16 u8 i64", core=False, rtol=SUMS, atol={"f32": 1e-5, "c64": 1e-4}, reference=lambda np, *given: [
      np.matmul(x, y) for x, y in zip(given[::2], given[1::2])])  # fmt: skip
def each_rank_with_each(t, dtype):
    """Vectors, matrices and more axes on both sides; batches of one; nothing within and without."""
    given = [[t.randint(shape, dtype, 0, 5) for shape in pair] for pair in RANKS]
    made = [t.call(NP + "matmul", x, y) for x, y in given]
    own_dtype(t, made, dtype)
    return made


@case(NP + "matmul", dtypes="bf16 f16", core=False, grad=True, rtol={"f32": 1e-5, "bf16": 2e-2, "f16": 4e-3}, atol={"bf16": 2e-2, "f16": 4e-3},
      reference=with_gradient(lambda np, x, y: x @ y, lambda np, w, x, y: (w @ y.T, x.T @ w)))  # fmt: skip
def slope_of_sums_in_f32(t, dtype):
    """preferred_element_type: the slopes have the kind of the halves."""
    x, y = t.uniform((4, 60), dtype, 0.5, 1.5), t.uniform((60, 3), dtype, 0.5, 1.5)
    f = t.get(NP + "matmul")
    return t.call(lambda x, y: f(x, y, preferred_element_type=t.dtype("f32")), x, y)


# --- einsum

FORMS = {
    "abc,bad->abcd": ((2, 3, 4), (3, 2, 2)), "abcdef,bcdfg->abcdeg": ((2, 3, 4, 2, 3, 2), (3, 4, 2, 2, 3)),
    "ea,fb,abcd,gc,hd->efgh": ((3, 2), (2, 3), (2, 3, 2, 3), (2, 2), (3, 3)), "aa": ((4, 4),), "a,a->a": ((5,), (5,)), "a,b,c": ((2,), (3,), (4,)),
    "ba,b->": ((3, 4), (3,)), "defab,fedbc->defac": ((2, 3, 2, 3, 4), (2, 3, 2, 4, 2)), "a...a": ((3, 2, 3),), "abc...->cba...": ((2, 3, 4, 2),),
    "...ab->...a": ((2, 3, 4),), "a...a->a...": ((3, 2, 2, 3),), "...abc,...abcd->...d": ((2, 3, 4, 2), (2, 3, 4, 2, 3)),
    "ab...,b->ab...": ((2, 3, 4), (3,)), "ab,ab,c->c": ((2, 3), (2, 3), (4,)), "aab,bcc->ac": ((3, 3, 2), (2, 4, 4)),
    "fdf,cdd,ccd,afe->ae": ((3, 2, 3), (4, 2, 2), (4, 4, 2), (2, 3, 3)), "fff,fae,bef,def->abd": ((3, 3, 3), (3, 2, 4), (2, 4, 3), (3, 4, 3)),
    "iii->": ((3, 3, 3),), "iijkk->ik": ((3, 3, 2, 4, 4),), "ij...,jk...->ik...": ((2, 3, 5, 1), (3, 4, 5, 1)), "sa,shb->shab": ((2, 1), (2, 3, 4)),
}  # fmt: skip
# An axis of one beside a longer one.
ONES = {
    "cij,cjk->cik": ((3, 4, 5), (3, 1, 6)), "cij,cjk->ick": ((1, 4, 5), (3, 5, 6)), "cij,cjk->kci": ((1, 4, 5), (3, 1, 6)),
    "...ij,...j": ((2, 1, 3, 3), (2, 4, 3)), "ab,ab->": ((1, 4), (3, 1)),
}  # fmt: skip


def _by_form(forms):
    def right(np, *given):
        given, made = list(given), []
        for spec, shapes in forms.items():
            made.append(np.einsum(spec, *[given.pop(0) for _ in shapes]))
        return made

    return right


@case(NP + "einsum", dtypes="f32 c64 i32", core=False, rtol=EXACT, atol=EXACT, reference=_by_form({**FORMS, **ONES}))  # fmt: skip
def letters_in_every_order(t, dtype):
    """Letters twice and three times, ellipses anywhere, five arrays; an axis of one beside a longer one. Of whole numbers, exactly."""
    f, made = t.get(NP + "einsum"), []
    for spec, shapes in {**FORMS, **ONES}.items():
        given = [t.randint(shape, dtype, -2, 3) for shape in shapes]
        made.append(t.call(lambda *xs, spec=spec: f(spec, *xs, precision="highest"), *given))
    return made


TRUTHS = {"ab,bc->ac": ((4, 2), (2, 5)), "aa->a": ((5, 5),), "abc->cba": ((2, 3, 4),), "ab,ab->a": ((4, 2), (4, 2)), "ab,c->cab": ((2, 3), (4,))}  # fmt: skip


@case(NP + "einsum", core=False, reference=_by_form(TRUTHS))
def letters_of_truths(t):
    """Whether any pair is true."""
    f = t.get(NP + "einsum")
    made = []
    for spec, shapes in TRUTHS.items():
        made.append(t.call(lambda *xs, spec=spec: f(spec, *xs), *[t.randn(s, "bool") for s in shapes]))  # fmt: skip
    own_dtype(t, made, "bool")
    return made


WAYS = [True, False, "optimal", "auto", "greedy", "eager", [(1, 2), (0, 1)], [(0, 1), (0, 1)], "dp"]


@case(NP + "einsum", dtypes="f32 c64", core=False, rtol=SUMS, atol={"f32": 1e-4, "c64": 1e-4}, reference=lambda np, x, y, z, d: [
      np.einsum("ij,jkl,klm", x, y, z)] * len(WAYS) + [np.einsum("ij,jkl,klm->mi", x, y, z), np.einsum("baa->ba", d)])  # fmt: skip
def orders_of_three(t, dtype):
    """Each way to find an order, a list of pairs, a path found before; infinities on a diagonal. No three at once."""
    f, jnp = t.get(NP + "einsum"), t.fw.numpy
    x, y, z = (t.uniform(s, dtype, -2, 2) for s in ((2, 3), (3, 4, 2), (4, 2, 5)))
    d = t.const([[[INF, INF], [1.0, 1.0]], [[2.0, NAN], [-3.0, -INF]]], dtype)
    made = [
        t.call(lambda *xs, way=way: f("ij,jkl,klm", *xs, optimize=way), x, y, z) for way in WAYS
    ]
    path = jnp.einsum_path("ij,jkl,klm->mi", x, y, z, optimize="optimal")[0]
    made.append(t.call(lambda *xs: f("ij,jkl,klm->mi", *xs, optimize=path), x, y, z))
    t.raises(NotImplementedError, f, "ij,jkl,klm", x, y, z, optimize=[(0, 1, 2)])
    t.raises((KeyError, ValueError, TypeError), f, "ij,jkl,klm", x, y, z, optimize="nonsense")
    return [*made, t.call(lambda d: f("baa->ba", d), d)]


@case(NP + "einsum", dtypes="f32 c64", core=False, grad=True, rtol=SUMS, atol={"f32": 1e-4, "c64": 1e-4}, reference=with_gradient(
      lambda np, x, y, z: [np.einsum("cij,cjk->cik", x, y), np.einsum("ii->i", z), np.einsum("iij,j->", np.stack([z[:2, :2]] * 2, 2), z[0, :2])]))  # fmt: skip
def slope_of_letters(t, dtype):
    """Of an axis of one, which sums; of a diagonal, which is zero beside it; of letters twice."""
    f, jnp = t.get(NP + "einsum"), t.fw.numpy
    x, y, z = t.uniform((2, 3, 4), dtype, 0.5, 2), t.uniform((2, 1, 3), dtype, 0.5, 2), t.uniform((3, 3), dtype, 0.5, 2)  # fmt: skip

    def run(x, y, z):
        twice = f("iij,j->", jnp.stack([z[:2, :2]] * 2, 2), z[0, :2])
        return [f("cij,cjk->cik", x, y), f("ii->i", z), twice]

    return t.call(run, x, y, z)
