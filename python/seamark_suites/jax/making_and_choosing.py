"""Arrays made, and chosen from: diag, eye, full, where."""

from seamark_suites.case import case

from .reference import with_affine_gradient, with_gradient
from .shardings import sharding
from .values_and_kinds import INF, NAN, NEAR, NP, own_dtype

# --- diag and eye


@case(NP + "diag", dtypes="f32 i32 c64", core=False, reference=lambda np, v, x: [
      np.diag(v, -2), np.diag(v, 3), np.diag(x, -3), np.diag(x.T, 2), np.diag(x, -9), np.diag(v[:0]), np.diag(v[:0], 2),
      np.diag(x[:0])])  # fmt: skip
def vectors_beside_the_diagonal(t, dtype):
    """Below and above it; of a tall matrix and a wide one; beyond the corners; of nothing."""
    v, x = t.randn((4,), dtype), t.randn((6, 3), dtype)
    ways = [(v, -2), (v, 3), (x, -3), (x.T, 2), (x, -9), (v[:0], 0), (v[:0], 2), (x[:0], 0)]
    return [t.call(NP + "diag", *way) for way in ways]


@case(NP + "diag", dtypes="f32 c64", k=[-2, 1], grad=True, core=False,
      reference=with_affine_gradient(lambda np, x, k: np.diag(x, k)))  # fmt: skip
def slope_beside_the_diagonal(t, dtype, k):
    x = t.randn((4,) if k < 0 else (4, 3), dtype)
    return t.call(NP + "diag", x, k)


@case(NP + "diag", core=False, reference="none")
def what_has_no_diagonal(t):
    """A number, a list, text, a fraction of a place; a place that a program traces."""
    x = t.const([1.0, 2.0], "f32")
    for wrong in (2.0, [1.0, 2.0], "text"):
        t.refuses(NP + "diag", wrong)
    t.refuses(NP + "diag", x, 1.5)
    t.refuses(t.fw.jit(t.get(NP + "diag")), x, 1)


EYES = [
    (0, None, 0),
    (4, 0, 0),
    (0, 3, 1),
    (3, 3, 9),
    (3, 3, -9),
    (4, 1, -2),
    (3, 5, 2**40),
    (1, 4, 3),
]


@case(NP + "eye", dtypes="f32 i32", core=False, reference=lambda np: [np.eye(*one) for one in EYES])
def little_and_beyond_the_corners(t, dtype):
    return [t.call(NP + "eye", *one, dtype=t.dtype(dtype)) for one in EYES]


@case(
    NP + "eye",
    dtypes="f16 f64 c64 bool i8 u8 i64",
    core=False,
    reference=lambda np: np.eye(3, 5, -1),
)
def eyes_of_other_kinds(t, dtype):
    made = t.call(NP + "eye", 3, 5, k=-1, dtype=t.dtype(dtype))
    own_dtype(t, [made], dtype)
    return made  # fmt: skip


@case(NP + "eye", core=False, reference=lambda np, x, *places: [
      np.eye(4, 5, int(k)) @ x for k in places] + [np.eye(5) @ x])  # fmt: skip
def a_place_that_is_traced(t):
    """One program for each place, in a product; f32 on the device asked for, where nothing else is said."""
    jnp, x = t.fw.numpy, t.randn((5, 3), "f32")
    moved = t.fw.jit(lambda x, k: t.get(NP + "eye")(4, 5, k=k) @ x)
    plain = t.call(NP + "eye", 5)
    own_dtype(t, [plain], "f32")
    if not t.compiled:
        placed = t.get(NP + "eye")(2, device=t.device)
        t.expect(placed.devices() == {t.device}, "on the device asked for")
    made = [t.call(moved, x, t.const(k, "i32")) for k in (-2, 0, 3, 9)]
    return [*made, jnp.dot(plain, x)]


@case(NP + "eye", core=False, reference="none")
def eye_refuses(t):
    name = NP + "eye"
    t.refuses(name, 2.5)
    t.refuses(name, 3, -1)
    t.refuses(name, 3, k=1.5)
    t.refuses(name, 3, dtype="nonsense")
    t.refuses(t.fw.jit(t.get(name)), 3)


@case(NP + "eye", core=False, since=("0.4.30", "jax.export"), reference=lambda np, *given: [
      [np.eye(len(x)), np.eye(len(x), len(x) + 2), np.eye(len(x), len(x) + 2, 1), np.eye(*x.shape, -1) * x] for x in given])  # fmt: skip
def sizes_that_are_letters(t):
    """One program for whatever a and b are: square, two columns more, beside the diagonal."""
    jax, eye = t.fw, t.get(NP + "eye")

    def run(x):
        n, m = x.shape
        return [eye(n), eye(n, M=n + 2), eye(n, n + 2, k=1), eye(n, m, k=-1) * x]

    struct = jax.ShapeDtypeStruct(jax.export.symbolic_shape("a, b"), "float32")
    made = jax.export.export(jax.jit(run), platforms=("cpu", "cuda", "rocm", "tpu"))(struct)
    return [
        t.call(lambda x: made.call(x), t.randn(shape, "f32")) for shape in ((3, 4), (5, 2), (4, 7))
    ]


# --- full


@case(NP + "full", dtypes="f32 i32", core=False, reference=lambda np, row, column: [
      np.broadcast_to(column, (3, 4)), np.broadcast_to(row, (2, 3, 4)), np.full(3, 7), np.full((), 7), np.full((2, 3), 7),
      np.zeros((0, 2))])  # fmt: skip
def full_of_columns_and_little(t, dtype):
    """A column and a row; a size alone, none, NumPy's numbers as sizes; of nothing."""
    row, column, name = t.randn((4,), dtype), t.randn((3, 1), dtype), NP + "full"
    made = [t.call(name, (3, 4), column), t.call(name, (2, 3, 4), row)]
    seven = t.dtype(dtype).type(7)
    for shape in (3, (), tuple(t.np.array([2, 3])), (0, 2)):
        made.append(t.call(name, shape, seven))
    own_dtype(t, made, dtype)
    return made


FILLS = [
    (2.75, "i32"),
    (2.75, "bool"),
    (-3, "bf16"),
    (2, "c64"),
    (2.5, None),
    (7, None),
    (True, None),
    (2 + 1j, None),
]


@case(
    NP + "full",
    core=False,
    trivial=True,
    reference=lambda np: [np.full(3, one) for one in (2, 1, -3, 2, 2.5, 7, 1, 2 + 1j)],
)
def full_in_another_dtype(t):
    """Cut to whole numbers; without a dtype that of the number, which is a weak one."""
    made = [t.call(NP + "full", (3,), fill, kind and t.dtype(kind)) for fill, kind in FILLS]
    for one, (_, kind) in zip(made, FILLS):
        own_dtype(t, [one], kind) if kind else t.expect(
            one.weak_type or one.dtype == bool, "a weak type"
        )
    kinds = [one.dtype.kind for one in made[4:]]
    t.expect(kinds == list("fibc"), "the kinds of the numbers, got %s" % kinds)
    return made  # fmt: skip


@case(NP + "full", dtypes="f32 bf16", core=False, reference=lambda np, x: [
      np.stack([x, x]), np.signbit(np.stack([x, x])), np.full(2, np.inf)])  # fmt: skip
def full_of_special_values(t, dtype):
    x, jnp = t.const([NAN, INF, -INF, -0.0, 0.0], dtype), t.fw.numpy
    made = t.call(NP + "full", (2, 5), x)
    return [made, jnp.signbit(made), t.call(NP + "full", 2, INF, t.dtype(dtype))]


@case(NP + "full", dtypes="f32 c64", grad=True, core=False, reference=with_affine_gradient(
      lambda np, x: np.broadcast_to(x, (4, 2, 3))))  # fmt: skip
def slope_of_what_fills(t, dtype):
    """The sum of all that it fills."""
    x = t.randn((2, 1), dtype)
    return t.call(lambda x: t.fw.numpy.full((4, 2, 3), x), x)


@case(NP + "full", core=False, reference="none")
def full_refuses(t):
    """And fills with a key, on the device asked for."""
    jax, name = t.fw, NP + "full"
    for wrong in ((-1, 2), (1.5,), ("a",), None):
        t.refuses(name, wrong, 1.0)
    t.refuses(name, (2,), "text")
    t.refuses(jax.jit(lambda n: t.get(name)((n,), 1.0)), 3)
    keys = t.call(name, (2,), jax.random.key(5))
    t.expect(bool((keys == jax.random.key(5)).all()) and keys.shape == (2,), "two keys")
    if not t.compiled:
        placed = t.get(name)((2,), 1.0, device=t.device)
        t.expect(placed.devices() == {t.device}, "on the device asked for")


# --- where


@case(NP + "where", dtypes="f32 bf16 i32 c64", core=False, reference=lambda np, c, x, y: [
      np.where(c != 0, x, y), np.where(c != 0, 1, 2)])  # fmt: skip
def conditions_that_are_numbers(t, dtype):
    """Whatever is not zero is true, NaN too."""
    odd = {"i32": [-1, 256], "c64": [1j, complex(0, NAN)]}.get(dtype, [NAN, -1e-6])
    c = t.const([0, 2, *odd, -0.0, 1], dtype)
    x, y = t.randn((6,), "f32"), t.randn((6,), "f32")
    return [t.call(NP + "where", c, x, y), t.call(NP + "where", c, 1, 2)]


@case(NP + "where", dtypes="f32 i8", core=False, reference=lambda np, x, y: [
      np.broadcast_to(x, (4, 3)), np.broadcast_to(y, (4, 3)), np.where([[True], [False], [True], [False]], x, y),
      np.where(np.arange(24).reshape(2, 4, 3) % 2 == 0, x, y), np.where([True, False, True], 3, y), np.zeros((0, 3))])  # fmt: skip
def broadcasts_of_three(t, dtype):
    """A truth, a column, more axes than the values have, a number, nothing."""
    jnp, x, y = t.fw.numpy, t.randn((4, 1), dtype), t.randn((3,), dtype)
    masks = [
        True,
        False,
        t.np.array([[True], [False], [True], [False]]),
        t.np.arange(24).reshape(2, 4, 3) % 2 == 0,
    ]
    made = [t.call(NP + "where", one, x, y) for one in masks]
    made += [
        t.call(NP + "where", t.np.array([True, False, True]), 3, y),
        t.call(NP + "where", jnp.zeros((0, 1), bool), x[:0], y),
    ]
    own_dtype(t, made, dtype)
    return made  # fmt: skip


def _places(np, x):
    found = [list(one) for one in np.nonzero(x)]
    return [[np.array(one) for one in found], [np.array(one + [-1, -1]) for one in found],
            [np.array(one + [9 - i] * 2) for i, one in enumerate(found)], [np.array(one[:2]) for one in found],
            [np.array(one + [0]) for one in found], [np.array(one[:0]) for one in found]]  # fmt: skip


@case(NP + "where", dtypes="f32 i32 bool", core=False, reference=_places)
def places_of_what_is_true(t, dtype):
    """As many as there are; more, with what fills the rest; fewer; of a size in a program; none."""
    x, name = t.const([[0, 3, 0], [1, 0, 2]], dtype), NP + "where"
    where = t.get(name)
    made = [where(x)] if not t.compiled else [where(x, size=3)]
    made += [t.call(name, x, size=5, fill_value=-1), t.call(name, x, size=5, fill_value=(9, 8)), t.call(name, x, size=2),
             t.call(t.fw.jit(lambda x: where(x, size=4)), x), t.call(name, x, size=0)]  # fmt: skip
    return [list(one) for one in made]


KINDS = [("bf16", 2.5, "bf16"), ("i8", 7, "i8"), ("i8", 2.5, "f32"), ("f16", 3, "f16"), ("f32", 1j, "c64"), ("bool", 2, "i32")]  # fmt: skip


@case(NP + "where", core=False, reference=lambda np, *xs: [
      np.where([True, False, True], x, KINDS[i][1]) for i, x in enumerate(xs)])  # fmt: skip
def numbers_beside_arrays(t):
    """A number of Python takes the array's dtype, or the one that holds both."""
    mask = t.np.array([True, False, True])
    given = [t.const([1, 0, 1], kind) for kind, _, _ in KINDS]
    made = [t.call(NP + "where", mask, x, number) for x, (_, number, _) in zip(given, KINDS)]
    for one, (_, _, want) in zip(made, KINDS):
        own_dtype(t, [one], want)
    return made


@case(NP + "where", dtypes="f32 c64", grad=True, core=False, reference=with_gradient(
      lambda np, m, x, y: np.where(m, x, y),
      lambda np, w, m, x, y: ((w * m).sum(1, keepdims=True), (w * (m == 0)).sum(0)), of=(1, 2)))  # fmt: skip
def slope_of_what_broadcasts(t, dtype):
    """The sums over where each was chosen."""
    m = t.const([[1, 0, 1], [0, 0, 1], [1, 1, 1], [0, 1, 0]], "bool")
    return t.call(NP + "where", m, t.randn((4, 1), dtype), t.randn((3,), dtype))


@case(NP + "where", dtypes="f32", core=False, rtol=NEAR, reference=lambda np, x: [
      np.where(x > 0, np.sqrt(abs(x)), 0), np.where(x > 0, 0.5 / np.sqrt(abs(x) + (x == 0)), 0), 1.0 * (x > 0)])  # fmt: skip
def slope_beside_nan(t, dtype):
    """A root behind two choices has no NaN in its slope; nor has what was not chosen."""
    jax, jnp = t.fw, t.fw.numpy

    def root(x):
        return jnp.where(x > 0, jnp.sqrt(jnp.where(x > 0, x, 1.0)), 0.0)

    def run(x):
        other = jax.grad(lambda v: jnp.where(x > 0, v, x / 0).sum())(x)
        return root(x), jax.grad(lambda v: root(v).sum())(x), other

    return list(t.call(run, t.const([4.0, 0.0, -1.0, 2.25, -0.0], dtype)))


@case(NP + "where", core=False, reference="none")
def where_refuses(t):
    """One value of two, a list, a size beside values; no size in a program."""
    x, name = t.const([1, 0, 2], "i32"), NP + "where"
    t.refuses(name, x, x, None)
    t.refuses(name, [True, False, True], x, x)
    t.refuses(name, x, x, x, size=2)
    t.refuses(name, x, x, "text")
    t.raises(t.fw.errors.ConcretizationTypeError, t.fw.jit(t.get(name)), x)


EMPTY = [(0,), (0, 4), (3, 0), (2, 0, 3)]


def _places_of_little(np, *xs):
    return [[np.array(one) for one in np.nonzero(x)] for x in xs]


@case(NP + "where", dtypes="f32 i32 bool", core=False, trivial=True, reference=_places_of_little)
def places_in_nothing_and_in_a_row(t, dtype):
    """The condition alone: of one axis, of no numbers; of a number there are none."""
    where = t.get(NP + "where")
    given = [t.randn(shape, dtype) for shape in EMPTY]
    given += [t.const([0, 1, 0, 2, 3], dtype), t.const([0, 0], dtype), t.const([[[0, 1]]], dtype)]
    counts = [0] * len(EMPTY) + [3, 0, 1]
    made = [
        list(t.call(where, x, size=n) if t.compiled else t.call(where, x))
        for x, n in zip(given, counts)
    ]
    for x, places in zip(given, made):
        t.expect(len(places) == x.ndim, "an array for each axis, got %d" % len(places))
        own_dtype(t, places, "i32")
    t.refuses(NP + "where", given[-1][0, 0, 1])
    return made


def _filled(np, *rows):
    wants = ["i32", "bool", "f32", "bf16", "c64", "f32", "i8", "u8", "f32"]
    whole = {"i32": np.trunc, "i8": np.trunc, "u8": np.trunc, "bool": lambda x: x != 0}
    made = [whole.get(kind, lambda x: x)(row) * 1 for row, kind in zip(rows, wants)]
    return [np.broadcast_to(one, (2, 3)) for one in made] + [np.full((2, 2), 7)]


@case(NP + "full", core=False, reference=_filled)
def arrays_in_another_dtype(t):
    """An array that fills is cast: cut to whole numbers, whatever is not zero to true, wider; one that a program traces, too."""
    name = NP + "full"
    floats, whole, truths = [-2.75, 0.5, 3.9], [-3, 0, 200], [True, False, True]
    given = [(floats, "f32", "i32"), (floats, "f32", "bool"), (whole, "i32", "f32"), (whole, "i32", "bf16"),
             (whole, "i32", "c64"), (truths, "bool", "f32"), ([-128.5, 3.5, 127.9], "f32", "i8"),
             ([0.9, 255.5, 3.0], "f16", "u8"), (floats, "bf16", "f32")]  # fmt: skip
    made = []
    for values, kind, target in given:
        made.append(t.call(name, (2, 3), t.const(values, kind), t.dtype(target)))
        own_dtype(t, made[-1:], target)
    made.append(t.call(lambda x: t.get(name)((2, 2), x, t.dtype("i32")), t.const(7.75, "f32")))
    own_dtype(t, made[-1:], "i32")
    return made


def filled_where_asked(x, where, device):
    import jax

    jnp = jax.numpy
    spread = jnp.full((8, 3), 2.5, device=where), jnp.full((8, 3), 7, "int32", device=where)
    placed = jnp.full((4, 3), x, device=device), jnp.full((4, 3), x, "int32", device=device)
    return *spread, *placed, spread[0].sum() + x.sum()


@case(NP + "full", dtypes="f32 bf16", core=False, rtol={"bf16": 1e-2}, reference=lambda np, x: [
      np.full((8, 3), 2.5), np.full((8, 3), 7), np.broadcast_to(x, (4, 3)), np.broadcast_to(np.trunc(x), (4, 3)),
      60 + x.sum()])  # fmt: skip
def full_where_asked(t, dtype):
    """By device=: spread over a mesh, and on a device, where an array fills."""
    where, x = sharding(t, "x"), t.const([-2.75, 0.5, 3.9], dtype)
    made = t.call(filled_where_asked, x, where=where, device=t.device)
    if not t.compiled:
        full = t.get(NP + "full")
        t.expect(full((8, 3), 1.0, device=where).sharding == where, "spread as asked")
        for fill, kind in ((x, None), (x, "int32"), (2.5, None)):
            one = full((4, 3), fill, kind, device=t.device)
            t.expect(one.devices() == {t.device}, "on the device, got %s" % one.devices())
    return list(made)
