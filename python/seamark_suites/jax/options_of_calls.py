"""Other dtypes, plain numbers and options of the call."""

from seamark_suites.case import case
from seamark_suites.transformed import plain

from .products import sum_of
from .transformed import ALL, FORMS, NP, called, each

NAN, INF = float("nan"), float("inf")
NEAR = {"f16": 5e-3, "f32": 1e-5, "c64": 1e-5}
# Ordered, cut or compared by size, or with a bound: not of complex numbers.
ORDERED = {
    *(NP + name for name in ("where", "maximum", "minimum", "max", "clip", "all", "logical_and", "isnan", "isfinite")),
    "jax.nn.one_hot", "jax.nn.softmax", "jax.nn.softplus",
}  # fmt: skip
ABSOLUTE = {NP + "linalg.norm": lambda np, x: np.sqrt((abs(x) ** 2).sum(1))}


@each(
    [name for name in ALL if name not in ORDERED and name not in ABSOLUTE],
    plain,
    dtypes="f16 c64",
    rtol=NEAR,
)
@each([name for name in ORDERED if name in ALL], plain, dtypes="f16", rtol=NEAR)
def of_other_kinds(t, dtype, function):
    """Numbers of half precision, and complex ones."""
    return t.call(
        called(t, function), *(t.uniform(shape, dtype, 0.5, 2) for shape in ALL[function][2])
    )


@case(NP + "linalg.norm", dtypes="f16 c64", core=False, rtol=NEAR, reference=ABSOLUTE[NP + "linalg.norm"])  # fmt: skip
def norms_of_other_kinds(t, dtype):
    return t.call(NP + "linalg.norm", t.uniform((3, 4), dtype, 0.5, 2), axis=1)


MOVES = [NP + name for name in (
    "concatenate", "stack", "broadcast_to", "array", "asarray", "expand_dims", "squeeze", "atleast_2d", "reshape", "transpose", "split",
    "diag")] + ["jax.Array.reshape"]  # fmt: skip


@each(MOVES, plain, dtypes="bool i8 u8", trivial=True)
def moves_any_kind(t, dtype, function):
    """Truth values and small integers go where they must, and stay what they are."""
    made = t.call(called(t, function), *(t.randn(shape, dtype) for shape in ALL[function][2]))
    t.expect(
        t.place == "wide" or all(m.dtype == t.dtype(dtype) for m in made), "the dtype of the input"
    )
    return made


UNARY = [name for name in FORMS if name.rpartition(".")[2] in ("exp", "log", "log1p", "sqrt", "square", "softplus")]  # fmt: skip


@each(UNARY, lambda form: lambda np, x: [form[1](np, np.float64(1.5)), form[1](np, np.float64(3)), form[1](np, x)],
      dtypes="bf16 f32", rtol={"f32": 1e-5})  # fmt: skip
def of_a_number(t, dtype, function):
    """Python's numbers, whole ones too, and an array without axes, which keeps its dtype."""
    made = [t.call(function, one) for one in (1.5, 3, t.uniform((), dtype, 1.25, 1.5))]
    t.expect(all(m.shape == () for m in made), "no axes")
    t.expect(made[0].weak_type and not made[2].weak_type, "of a number a weak type")
    t.expect(t.place == "wide" or made[2].dtype == t.dtype(dtype), "the dtype of the array")
    return made


# --- isnan, ones_like


@case(NP + "isnan", dtypes="c64 c128 f16", core=False, reference=lambda np, x: np.isnan(x))
def in_either_part(t, dtype):
    numbers = [1.0, NAN, INF, -INF, 0.0]
    if dtype in ("c64", "c128"):
        numbers += [complex(NAN, 1), complex(1, NAN), complex(INF, -INF), complex(NAN, NAN)]
    return t.call(NP + "isnan", t.const(numbers, dtype))


@case(NP + "isnan", core=False, reference="none")
def what_isnan_takes(t):
    """A number gives a truth value without axes; a list is refused."""
    t.expect(bool(t.call(NP + "isnan", NAN)) and not bool(t.call(NP + "isnan", 2)), "of numbers")
    t.refuses(NP + "isnan", [1.0, NAN])


@case(
    NP + "ones_like",
    dtypes="f16 c64 i8",
    core=False,
    reference=lambda np, x: [1, 1 + x, np.ones((0, 4))],
)
def like_little(t, dtype):
    """Of one without axes, beside what it is like, of nothing; each has the dtype."""
    x, name = t.randint((2, 3), dtype, 0, 5), NP + "ones_like"
    made = [
        t.call(name, x[0, 0]),
        t.call(name, x) + x,
        t.call(name, t.fw.numpy.zeros((0, 4), x.dtype)),
    ]
    t.expect(all(m.dtype == x.dtype for m in made), "the dtype of the input")
    t.refuses(name, [1.0, 2.0])
    return made


# --- sum


@case("jax.Array.sum", dtypes="f32", core=False, rtol=NEAR, reference=lambda np, x, mask: [
      (x * mask).sum((-1, -2)), (x * mask).sum(0, keepdims=True), np.zeros(5)])  # fmt: skip
def of_what_a_mask_chooses(t, dtype):
    """Along axes from the end; a mask; the sum of nothing is zero."""
    x, mask = t.uniform((3, 4, 5), dtype, 1, 3), t.randn((3, 4, 5), "bool")
    return [
        t.call(sum_of, x, axis=(-1, -2), where=mask),
        t.call(sum_of, x, axis=0, keepdims=True, where=mask),
        t.call(sum_of, t.fw.numpy.zeros((0, 5), x.dtype), axis=0),
    ]


@case("jax.Array.sum", dtypes="f32", core=False, rtol=NEAR, reference=lambda np, x: x.sum(1) + 3,
      cpu_fails="jax 0.10.2: the method ignores initial, which jax.numpy.sum adds")  # fmt: skip
def with_a_first_number(t, dtype):
    return t.call(sum_of, t.uniform((3, 4), dtype, 1, 3), axis=1, initial=3.0)


@case("jax.Array.sum", dtypes="i8 u8", core=False, reference=lambda np, x: [x.sum(), x[:3].sum()])
def in_wider_integers(t, dtype):
    """Small integers are added up in 32 bits, or in their own where asked."""
    x = t.randint((300,), dtype, 1, 9)
    made = [t.call(sum_of, x), t.call(sum_of, x[:3], promote_integers=False)]
    t.expect(t.place == "wide" or made[1].dtype == t.dtype(dtype), "the own dtype where asked")
    t.expect(t.place == "wide" or made[0].dtype.itemsize >= 4, "at least 32 bits")
    return made


# --- linalg.norm


def _least(np, x, v):
    values = np.linalg.svd(x, compute_uv=False)
    return [
        abs(x).sum(0).min(),
        values[-1],
        abs(x).sum(1).min(),
        1 / (1 / abs(v)).sum(),
        (v**-2).sum() ** -0.5,
    ]


@case(
    NP + "linalg.norm", dtypes="f32", core=False, rtol={"f32": 1e-3}, reference=_least
)  # a singular value
def least_orders(t, dtype):
    """-1, -2 and -inf of a matrix; -1 and -2 of a vector."""
    x, v, name = t.randn((3, 5), dtype), t.uniform((6,), dtype, 0.5, 2), NP + "linalg.norm"
    return [
        *(t.call(name, x, order) for order in (-1, -2, -INF)),
        t.call(name, v, -1),
        t.call(name, v, -2),
    ]


@case(NP + "linalg.norm", core=False, rtol=NEAR, reference=lambda np, x, y: [
      np.sqrt((x**2.0).sum()), np.sqrt((y**2).sum((0, 2), keepdims=True)), 0.0, abs(y).sum(1).max(-1)])  # fmt: skip
def of_integers_pairs_and_nothing(t):
    """Integers give floats; a pair of axes, kept; of no rows zero; the largest row of each matrix."""
    x, y, name = (
        t.randint((2, 3), "i32", 1, 9),
        t.uniform((2, 3, 4), "f32", 1, 2),
        NP + "linalg.norm",
    )
    nothing = t.fw.numpy.zeros((0,))
    return [t.call(name, x), t.call(name, y, axis=(0, -1), keepdims=True), t.call(name, nothing),
            t.call(name, y, 1, axis=(1, 2))]  # fmt: skip


# --- cross


CROSSES = [
    ((6, 1, 3), (5, 3), (-1, -1, -1, None)),
    ((4, 3), (3, 6, 5, 4), (1, 0, -1, None)),
    ((3, 4), (3, 6, 5, 4), (-1, -1, -1, 0)),
    ((10, 5, 3, 8), (1, 5, 1, 3), (-2, -1, -3, None)),
]


def _crossed(np, x, y, number):
    a, b, c, axis = CROSSES[number][2]
    a, b, c = (a, b, c) if axis is None else (axis,) * 3
    x, y = np.broadcast_arrays(np.moveaxis(x, a, -1), np.moveaxis(y, b, -1))
    made = [x[..., i - 2] * y[..., i - 1] - x[..., i - 1] * y[..., i - 2] for i in range(3)]
    return np.moveaxis(np.stack(made, -1), -1, c)


@case(NP + "cross", dtypes="f32", number=[0, 1, 2, 3], core=False, rtol=NEAR, atol={"f32": 1e-5}, reference=_crossed)  # fmt: skip
def along_axes_that_broadcast(t, dtype, number):
    """axisa, axisb, axisc, or axis for all; the others are broadcast."""
    left, right, axes = CROSSES[number]
    return t.call(NP + "cross", t.randn(left, dtype), t.randn(right, dtype), *axes)


@case(NP + "cross", core=False, rtol=NEAR, reference=lambda np, x, y: np.cross(x, y))
def of_mixed_dtypes(t):
    return t.call(NP + "cross", t.randint((4, 3), "i32", 1, 5), t.uniform((4, 3), "f32", 6, 9))


# --- broadcast_to


@case(NP + "broadcast_to", dtypes="f32 i8", core=False, reference=lambda np, x, y: [
      np.full(3, 2.5), np.full((2, 2), x), np.zeros((0,)), np.zeros((3, 0)), np.broadcast_to(y, (2, 3, 4))])  # fmt: skip
def from_little(t, dtype):
    """A number and a size that is no tuple, no axes, to nothing, from nothing, an axis of one in the middle."""
    x, y, name = t.randn((), dtype), t.randn((3, 1), dtype), NP + "broadcast_to"
    return [
        t.call(name, 2.5, 3),
        t.call(name, x, (2, 2)),
        t.call(name, y[0], (0,)),
        t.call(name, y[:, :0], (3, 0)),
        t.call(name, y, (2, 3, 4)),
    ]


@case(NP + "broadcast_to", core=False, reference="none")
def broadcast_refuses(t):
    """Fewer axes than there are, a size that is to be found, a list."""
    x, name = t.randn((2, 1, 3), "f32"), NP + "broadcast_to"
    t.refuses(name, x, (2, 3))
    t.refuses(name, x, (-1, 2, 1, 3))
    t.refuses(name, [1.0, 2.0], (3, 2))


# --- float32, int32


@case(
    NP + "float32",
    to="f32",
    core=False,
    reference=lambda np, x, to: [1.5, 1.0, np.array([1.0, 2]), x],
)
@case(
    NP + "int32",
    to="i32",
    core=False,
    reference=lambda np, x, to: [1, 1, np.array([1, 2]), np.trunc(x)],
)
def makes_arrays(t, function, to):
    """Of a number, a truth value, a list, halves: arrays of that dtype, which is no weak one. Integers are cut to zero."""
    x = t.const([-2.75, 0.5, 3.25], "f16")
    made = [t.call(function, one) for one in (1.5, True, [1, 2], x)]
    t.expect(
        t.place == "wide" or all(m.dtype == t.dtype(to) for m in made), "the dtype of the name"
    )
    t.expect(not any(m.weak_type for m in made), "no weak type")
    return made


@case(NP + "float32", kind="floating", core=False, host_only=True, reference="none")
@case(NP + "int32", kind="integer", core=False, host_only=True, reference="none")
def stands_for_a_dtype(t, function, kind):
    """As NumPy's scalar type does: equal, with its hash, where a dtype is asked for."""
    made, jnp = t.call(t.get, function), t.fw.numpy
    name = function.rpartition(".")[2]
    own = getattr(t.np, name)
    t.expect(made == own and hash(made) == hash(own), "equal to NumPy's")
    t.expect(jnp.dtype(made) == t.np.dtype(name) == made.dtype, "its dtype")
    t.expect(jnp.issubdtype(made, getattr(jnp, kind)) and not jnp.issubdtype(made, jnp.bool_), kind)
    t.expect(
        jnp.zeros(2, made).dtype == name and isinstance(own(1), made), "as dtype=, for isinstance"
    )


@case(NP + "int32", core=False, reference="none")
def beyond_the_range(t):
    t.raises(OverflowError, t.call, NP + "int32", 2**31)
    t.raises(OverflowError, t.call, NP + "int32", INF)


# --- asarray


class Own:
    """An object that says how it becomes an array."""

    def __init__(self, made):
        self._made = made

    def __jax_array__(self):
        return self._made

    def __array__(self, dtype=None, copy=None):
        return self._made


class OfNumpy:
    def __init__(self, made):
        self._made = made

    def __array__(self, dtype=None, copy=None):
        return self._made


@case(
    NP + "asarray",
    core=False,
    reference=lambda np, x: [x, np.arange(3), x, 7, 2.5, True, np.trunc(x), np.zeros((2, 0))],
)
def of_what_becomes_an_array(t):
    """Objects that say how, NumPy's arrays, numbers of Python with their kinds, another dtype, lists of nothing."""
    x, name = t.uniform((3,), "f32", 1, 9), NP + "asarray"
    values = [Own(x), OfNumpy(t.np.arange(3)), t.host(x), 7, 2.5, True]
    made = [t.call(name, one) for one in values]
    t.expect([m.dtype.kind for m in made] == list("fififb"), "their kinds")
    t.expect(made[3].weak_type and made[4].weak_type and not made[0].weak_type, "numbers are weak")
    return [*made, t.call(name, x, dtype=t.dtype("i32")), t.call(name, [[], []])]


@case(NP + "asarray", dtypes="f32", core=False, reference=lambda np, x: [x, x, x, x])
def copies_where_asked(t, dtype):
    """An array comes back itself, with copy=False, too; a copy stays when the first is deleted."""
    x, name = t.randn((5,), dtype), NP + "asarray"
    made = t.call(name, x), t.call(name, x, copy=False), t.call(name, x, copy=True)
    if not t.compiled:
        t.expect(made[0] is x and made[1] is x and made[2] is not x, "itself twice, and a copy")
    first = x + 0
    copied = t.get(name)(first, copy=True)
    first.delete()
    return [*made, copied]


@case(NP + "asarray", core=False, reference="none")
def what_is_no_array(t):
    """None, text, an order of Fortran's."""
    for value in (None, "text", [1, None]):
        t.refuses(NP + "asarray", value)
    t.raises(NotImplementedError, t.call, NP + "asarray", [1], order="F")


STAYS = [(3, "int32"), (2.5, "float32"), (1 + 2j, "complex64")]


@case(NP + "asarray", core=False, reference=lambda np: [3, 2.5, 1 + 2j] * 4 + [7, 1.5, 2j, 1])
def what_is_weak_and_what_is_not(t):
    """Numbers of Python are, in a program as well; not with a dtype, even one of Python's, nor those of NumPy."""
    jax, np, f = t.fw, t.np, t.get(NP + "asarray")
    weak = [t.call(run, one) for run in (f, jax.jit(f)) for one, _ in STAYS]
    to = lambda one: lambda x: f(x, dtype=type(one))  # noqa: E731
    bound = [t.call(f, one, dtype=type(one)) for one, _ in STAYS]
    bound += [t.call(jax.jit(to(one)), one) for one, _ in STAYS]
    bound += [t.call(f, one) for one in (np.int32(7), np.float32(1.5), np.complex64(2j), True)]
    for made, want in ((weak, True), (bound, False)):
        found = [one.weak_type for one in made]
        t.expect(found == [want] * len(made), "weak: %s, got %s" % (want, found))
    kinds, want = [str(one.dtype) for one in weak + bound], [kind for _, kind in STAYS]
    t.expect(t.place == "wide" or kinds == want * 5 + ["bool"], "%s, got %s" % (want, kinds))
    return weak + bound


@case(NP + "asarray", core=False, reference=lambda np, x: [1, 2, 3, -4, x, 2 * x, 1, 2])
def numbers_and_their_tangents(t):
    """Forwards both are arrays of JAX, of numbers of Python, too; in a program, and backwards."""
    jax, f, x = t.fw, t.get(NP + "asarray"), t.randn((5,), "f32")
    along = lambda x, y: jax.jvp(f, (x,), (y,))  # noqa: E731
    made = [*t.call(along, 1.0, 2.0), *t.call(jax.jit(along), 3.0, -4.0), *t.call(along, x, 2 * x)]
    made += [t.call(jax.grad(f), 5.0), t.call(jax.grad(lambda v: f(v) ** 2), 1.0)]
    t.expect(all(isinstance(one, jax.Array) for one in made), "arrays of JAX")
    return made
