"""Element by element, what a strict reader asks beyond `pointwise`: other kinds, edges, ties, ufuncs' methods, refusals."""

from seamark_suites.case import case

from .pointwise import NEAR, softmax_of
from .reference import special, with_gradient
from .values_and_kinds import own_dtype

INF, NAN = float("inf"), float("nan")
NP = "jax.numpy."
EXACT = dict.fromkeys(("f32", "bf16", "f16", "f64", "c64"), 0.0)  # as many digits of what is small
UFUNCS = ("0.4.32", "the methods of jax.numpy.ufunc")


# --- abs, square, log1p


@case(
    NP + "abs",
    dtypes="bool u8 u32 i16 i64",
    core=False,
    reference=lambda np, x: abs(x.astype(np.int64)),
)
@case(
    NP + "square", dtypes="i16 u32 i64", core=False, reference=lambda np, x: x.astype(np.int64) ** 2
)
def of_exact_kinds(t, function, dtype):
    """Integers of any width and truths keep their dtype."""
    x = (
        t.const([True, False, True], "bool")
        if dtype == "bool"
        else t.randint((40,), dtype, 0 if dtype[0] == "u" else -99, 99)
    )
    made = t.call(function, x)
    own_dtype(t, [made], dtype)
    return made  # fmt: skip


@case(NP + "abs", core=False, rtol=NEAR, atol=EXACT, reference=lambda np, z: [abs(z), abs(z.real)])
def of_far_complex_numbers(t):
    """Squares that would be too large or too small do not matter."""
    z = t.const([3e30 + 4e30j, 3e-30 - 4e-30j, -5e25 + 1j, 6 - 8j], "c64")
    made = [t.call(NP + "abs", z), t.call(NP + "abs", z.real)]
    own_dtype(t, made, "f32")
    return made


@case(NP + "square", dtypes="i8", core=False, reference=lambda np, x: (x * x + 128) % 256 - 128)
def squares_that_wrap_around(t, dtype):
    return t.call(NP + "square", t.const([100, -100, 11, 12, -128, 127], dtype))


@case(NP + "abs", dtypes="c64 f64", grad=True, core=False, rtol=NEAR, atol={"f32": 1e-5},
      reference=with_gradient(lambda np, x: abs(x), lambda np, w, x: w * x / abs(x)))  # fmt: skip
@case(NP + "square", dtypes="c64 f64", grad=True, core=False, atol={"c64": 1e-5},
      reference=with_gradient(lambda np, x: x * x, lambda np, w, x: 2 * w * x.conj()))  # fmt: skip
def slope_of_complex_numbers(t, function, dtype):
    return t.call(function, t.uniform((12,), dtype, -2, -0.5))


@case(NP + "log1p", dtypes="f32 bf16 f16 f64", core=False, rtol=NEAR, atol=EXACT,
      reference=lambda np, x, y, z: [np.log1p(x), np.log1p(y)])  # fmt: skip
def below_and_near_zero(t, dtype):
    """To -0.9, and so near to zero that 1 + x has lost most digits."""
    x, y = t.uniform((200,), dtype, -0.9, -0.05), t.uniform((50,), dtype, 1e-3, 9e-3)
    signed = t.call(NP + "log1p", t.const([-0.0, 0.0], dtype))
    t.expect(t.np.signbit(t.host(signed)).tolist() == [True, False], "the sign of zero")
    return [t.call(NP + "log1p", x), t.call(NP + "log1p", y)]


@case(NP + "log1p", dtypes="f32 f64", grad=True, core=False, rtol=NEAR, reference=with_gradient(
      lambda np, x: np.log1p(x), lambda np, w, x: w / (1 + x)))  # fmt: skip
def slope_below_zero(t, dtype):
    return t.call(NP + "log1p", t.const([-0.875, -0.5, -1e-6, 0.0, 3.0, INF], dtype, grad=True))


def log1p_of_complex(np, z):
    """No sum of 1 and a small number loses its digits, and no square of a large one overflows."""
    x, y = z.real, z.imag
    near = (abs(x) < 0.5) & (abs(y) < 0.5)
    with np.errstate(all="ignore"):
        left, up = np.where(near, x, 0), np.where(near, y, 0)
        length = np.where(near, np.log1p(left * (2 + left) + up**2) / 2, np.log(np.hypot(1 + x, y)))
    return length, np.arctan2(y, 1 + x)


@case(
    NP + "log1p",
    core=False,
    rtol={"f32": 1e-5},
    atol=EXACT,
    reference=lambda np, z: list(log1p_of_complex(np, z)),
)
def parts_of_complex_logarithms(t):
    """Each part to its own digits: near zero, far out, with an infinite part, on both sides of the cut, at its end."""
    near = [1e-6 + 1e-7j, -1e-6 + 1e-7j, 1e-20 + 1e-10j, 1e-12 - 3e-9j]
    far = [1e20 + 1e20j, complex(INF, 1), complex(-INF, 1), complex(1, INF), complex(2, -INF)]
    cut = [complex(-2, -0.0), complex(-2, 0.0), complex(-1, 0)]
    made = t.call(NP + "log1p", t.const(near + far + cut, "c64"))
    own_dtype(t, [made], "c64")
    return [made.real, made.imag]


@case(NP + "log1p", dtypes="c64", grad=True, core=False, rtol={"c64": 1e-5}, atol=EXACT, reference=with_gradient(
      lambda np, z: np.log(1 + z), lambda np, w, z: w / (1 + z).conj()))  # fmt: skip
def slope_of_complex_logarithms(t, dtype):
    values = [0.5 - 1j, 1e-3 + 1e-2j, -0.75 + 0.5j, -3 - 1j, complex(-2, 0.0), 1e10 + 1e10j]
    return t.call(NP + "log1p", t.const(values, dtype, grad=True))


# Functions with what is so small that the tolerance of the dtype would let zero pass.
SMALL = {
    NP + "exp": ([-20.0, -50.0, -80.0], "numpy"),
    NP + "log": ([1 + 2**-20, 1 - 2**-20, 1e-30], "numpy"),
    NP + "sqrt": ([1e-30, 3e-36, 2e-16], "numpy"),
    NP + "square": ([1e-7, -3e-12, 1e-18], "numpy"),
    NP + "abs": ([-1e-30, 1e-12, -3e-8], "numpy"),
    "jax.nn.softmax": ([0.0, -20.0, -50.0, -70.0], softmax_of),
    "jax.lax.erf": ([1e-7, -1e-20, 3e-30], special("erf")),
}


def of_what_is_small(t, function, dtype):
    """Zero is not near enough: the result has as many digits as another."""
    return t.call(function, t.const(SMALL[function][0], dtype))


for _name, (_, _right) in SMALL.items():
    case(
        _name,
        dtypes="f32 f64",
        core=False,
        rtol={"f32": 2e-5, "f64": 1e-12},
        atol=EXACT,
        reference=_right,
    )(of_what_is_small)


@case(NP + "log1p", core=False, rtol=NEAR, atol=EXACT, reference=lambda np, x, n, m, z: [
      np.array([-INF, NAN, NAN]), np.log1p(n.astype(float)), np.log1p(m.astype(float)), np.log1p(z.real + 1j * z.imag)])  # fmt: skip
def logarithms_of_other_kinds(t):
    """-1 and below it; integers and truths give fractions; complex numbers near zero."""
    x, n, m = (
        t.const([-1.0, -2.0, -INF], "f32"),
        t.randint((9,), "i32", 0, 99),
        t.const([True, False], "bool"),
    )
    z = t.const([1e-4 + 2e-3j, -0.5 + 1j, 3e-3 - 1e-3j, 2 - 1j], "c64")
    made = [t.call(NP + "log1p", one) for one in (x, n, m, z)]
    own_dtype(t, made[:3], "f32")
    return made  # fmt: skip


# --- isfinite, isnan


@case(
    NP + "isfinite",
    dtypes="c64 c128 f16 bf16",
    core=False,
    reference=lambda np, x: [np.isfinite(x), np.zeros((0, 2)), True, True, False],
)
@case(
    NP + "isnan",
    dtypes="bf16",
    core=False,
    reference=lambda np, x: [np.isnan(x), np.zeros((0, 2)), False, False, True],
)
def parts_nothing_and_numbers(t, function, dtype):
    """Either part of a complex number, Python's too; of nothing, of a number; truths. A list is refused."""
    given = [1.0, NAN, INF, -INF, 0.0]
    if dtype in ("c64", "c128"):
        given += [complex(NAN, 1), complex(1, NAN), complex(INF, -INF), complex(1, INF), 2 - 3j]
    values = t.const(given, dtype), t.fw.numpy.zeros((0, 2)), 3, 3 - 4j, complex(1, NAN)
    made = [t.call(function, one) for one in values]
    own_dtype(t, made, "bool")
    t.refuses(function, [1.0, NAN])
    return made  # fmt: skip


@case(NP + "isfinite", kind=["float8_e4m3fn", "float8_e5m2"], core=False, reference=lambda np, x, kind: [
      np.isfinite(x), np.isnan(x)])  # fmt: skip
def of_eight_bits(t, kind):
    """What one of them cannot say is NaN."""
    x = t.const([1.0, NAN, -0.5, 0.0, 3.0], "f32").astype(kind)
    return [t.call(NP + "isfinite", x), t.call(t.get(NP + "isnan"), x)]


@case(
    NP + "isfinite",
    core=False,
    reference=lambda np, x: [np.isfinite(x), np.isinf(x), np.isfinite(x)],
)
def infinity_of_eight_bits(t):
    """float8_e5m2 has both infinities, beside NaN; its largest number is finite."""
    x, jnp = t.const([1.0, INF, -INF, NAN, 57344.0, -57344.0, 0.0, 2.0**-16], "f32"), t.fw.numpy
    narrow = x.astype("float8_e5m2")
    made = [t.call(f, narrow) for f in (NP + "isfinite", jnp.isinf, jnp.vectorize(jnp.isfinite))]
    own_dtype(t, made, "bool")
    return made


# --- of two


REDUCES = {"maximum": max, "minimum": min, "logical_and": lambda x, y: bool(x) and bool(y)}


def _reduced(name):
    f = REDUCES[name]

    def run(values):
        made = values[:1]
        for one in values[1:]:
            made = [*made, f(made[-1], one)]
        return [bool(v) for v in made] if name == "logical_and" else made

    def right(np, x, y):
        rows, columns = x.tolist(), x.T.tolist()
        outer = [[f(a, b) for b in y.tolist()] for a in rows[0]]
        whole = [one for row in rows for one in row]
        return [np.array([run(one)[-1] for one in columns]), np.array([run(one)[-1] for one in rows])[:, None],
                np.array(run(whole)[-1]), np.array([run(one) for one in rows]), np.array(outer)]  # fmt: skip

    return right


@case(NP + "maximum", dtypes="f32 i32", core=False, since=UFUNCS, reference=_reduced("maximum"))
@case(NP + "minimum", dtypes="f32 i32", core=False, since=UFUNCS, reference=_reduced("minimum"))
@case(
    NP + "logical_and",
    dtypes="bool i32",
    core=False,
    since=UFUNCS,
    reference=_reduced("logical_and"),
)
def reduced_accumulated_outer(t, function, dtype):
    """The methods of a function of two: over columns, rows and all; step by step; of all pairs."""
    f = t.get(function)
    if function.endswith("and"):
        x, y = t.const([[1, 0, 1, 1], [1, 1, 1, 1], [1, 1, 0, 1]], dtype), t.const([1, 0, 1], dtype)
    else:
        x, y = t.distinct((3, 4), dtype), t.randint((5,), dtype, -4, 4)
    return [t.call(f.reduce, x), t.call(f.reduce, x, axis=1, keepdims=True), t.call(f.reduce, x, axis=None),
            t.call(f.accumulate, x, axis=1), t.call(f.outer, x[0], y)]  # fmt: skip


@case(NP + "maximum", dtypes="f32 i32", core=False, since=UFUNCS, reference=lambda np, x, y: [
      np.array([max(x[0], y[0], y[2]), x[1], max(x[2], y[1]), *x[3:]]), np.array([x[:2].max(), x[2:].max()]), 99])  # fmt: skip
def at_places(t, dtype):
    """Where a place stands twice both count; over parts; with a first number. Without any there is no largest one."""
    f, x, y, jnp = (
        t.get(NP + "maximum"),
        t.distinct((5,), dtype),
        t.randint((3,), dtype, -4, 4),
        t.fw.numpy,
    )
    t.refuses(f.reduce, jnp.zeros((0,)))
    return [t.call(lambda x, y: f.at(x, jnp.array([0, 2, 0]), y, inplace=False), x, y),
            t.call(lambda x: f.reduceat(x, jnp.array([0, 2])), x), t.call(lambda x: f.reduce(x, initial=99), x)]  # fmt: skip


def _tied(np, w, x, y):
    return w * ((x > y) + (x == y) / 2), (w * ((y > x) + (x == y) / 2)).sum(0)


@case(NP + "maximum", dtypes="f32 bf16", grad=True, core=False,
      reference=with_gradient(lambda np, x, y: np.maximum(x, y), _tied))  # fmt: skip
def slope_of_ties_and_rows(t, dtype):
    """A half of it for each; and that of a row that is broadcast."""
    x = t.const([[1, 2, 3, 0], [-1, 5, 3, -0.5]], dtype, grad=True)
    return t.call(NP + "maximum", x, t.const([1, 3, 3, 0], dtype, grad=True))


@case(
    NP + "maximum",
    dtypes="i8 i64 bool",
    core=False,
    reference=lambda np, x, y: [np.maximum(x, y), np.zeros((0, 3))],
)
@case(
    NP + "minimum",
    dtypes="i8 i64 bool",
    core=False,
    reference=lambda np, x, y: [np.minimum(x, y), np.zeros((0, 3))],
)
def small_kinds_and_nothing(t, function, dtype):
    """The least integers, truths, an axis of nothing. Lists are refused."""
    given = (
        ([1, 0, 1, 0], [1, 1, 0, 0]) if dtype == "bool" else ([-128, 127, 5, -1], [127, -128, 6, 0])
    )
    x, y = (t.const(one, dtype) for one in given)
    made = [t.call(function, x, y), t.call(function, t.fw.numpy.zeros((0, 1), x.dtype), x[:3])]
    own_dtype(t, made, dtype)
    t.refuses(function, [1], [2])
    return made  # fmt: skip


@case(NP + "minimum", dtypes="c64", core=False, reference=lambda np, x, y: [
      np.where((x.real < y.real) | ((x.real == y.real) & (x.imag < y.imag)), x, y)])  # fmt: skip
def least_complex_numbers(t, dtype):
    """By the real part, then by the imaginary one."""
    x, y = [1 + 2j, 3 - 1j, 2 + 5j, -1j], [1 + 3j, 2 + 9j, 2 - 5j, -2j]
    return [t.call(NP + "minimum", t.const(x, dtype), t.const(y, dtype))]


@case(
    NP + "maximum",
    dtypes="f32 bf16 f16 i32 i8",
    core=False,
    reference=lambda np, x: [np.maximum(x, 2), np.maximum(-3, x)],
)
def not_below_a_number(t, dtype):
    x = t.distinct((24,), dtype)
    made = [t.call(NP + "maximum", x, 2), t.call(NP + "maximum", -3, x)]
    own_dtype(t, made, dtype)
    return made  # fmt: skip


@case(
    NP + "logical_and",
    core=False,
    reference=lambda np, x, n: [np.array([True, False, True]), np.zeros((0, 3)), n != 0],
)
def ands_of_nan_and_nothing(t):
    """NaN is true; an axis of nothing; one program for two sizes. Lists are refused."""
    name = NP + "logical_and"
    x, n, jnp = t.const([NAN, -0.0, INF], "f32"), t.const([0, 3, -1, 0, 2], "i32"), t.fw.numpy
    program = t.fw.jit(t.get(name))
    t.refuses(name, [1], [1])
    return [t.call(program, x, x), t.call(name, jnp.zeros((0, 1)), x), t.call(program, n, n)]


# --- clip


@case(NP + "clip", dtypes="f32 bf16", core=False, reference=lambda np, x, low, y: [
      np.minimum(np.maximum(x, low), 2.0), np.clip(y, -np.inf, 1), np.clip(y, -1, np.inf)])  # fmt: skip
def bounds_that_are_no_numbers(t, dtype):
    """NaN as a bound gives NaN, an infinite bound changes nothing; a number of Python keeps the dtype."""
    x, low, y = (
        t.const([NAN, 1, 5, -1], dtype),
        t.const([0, NAN, 0, 0], dtype),
        t.randn((9,), dtype),
    )
    made = [
        t.call(NP + "clip", x, low, 2.0),
        t.call(NP + "clip", y, -INF, 1),
        t.call(NP + "clip", y, -1, INF),
    ]
    own_dtype(t, made, dtype)
    return made  # fmt: skip


@case(NP + "clip", dtypes="i8 u8 i64 f32", core=False, reference=lambda np, x, row, column: [
      np.clip(x, row, column), np.clip(row, x[:1, :1], column), np.zeros((0, 3))])  # fmt: skip
def bounds_that_broadcast(t, dtype):
    """Bounds of more axes than the numbers have; nothing. Lists are refused."""
    x, row, column = (
        t.randint((4, 3), dtype, 0, 90),
        t.const([3, 20, 30], dtype),
        t.const([[40], [50], [35], [70]], dtype),
    )
    made = [t.call(NP + "clip", x, row, column), t.call(NP + "clip", row, x[:1, :1], column),
            t.call(NP + "clip", t.fw.numpy.zeros((0, 3), x.dtype), 1, 2)]  # fmt: skip
    own_dtype(t, made, dtype)
    t.refuses(NP + "clip", [1.0, 2.0], 0, 1)
    return made


BOUNDS = [
    ("bf16", "f32", "f32"),
    ("i32", "f32", "f32"),
    ("f32", "i32", "f32"),
    ("i8", "i32", "i32"),
    ("u8", "i8", "i16"),
    ("f16", "bf16", "f32"),
    ("bool", "i32", "i32"),
]


@case(NP + "clip", core=False, reference=lambda np, *given: [
      np.clip(*given[i : i + 3]) for i in range(0, len(given) - 2, 3)] + [np.array([1, 1.5])])  # fmt: skip
def arrays_of_another_dtype_as_bounds(t):
    """Arrays and numbers of NumPy, unlike Python's, widen the result."""
    made, name = [], NP + "clip"
    for kind, other, want in BOUNDS:
        x = t.const([0, 1, 1, 0], "bool") if kind == "bool" else t.const([0, 3, 7, 90], kind)
        low = [0.25, 1.5, 8.75, -2.5] if other in ("f32", "bf16") else [1, 4, 2, 3]
        made.append(t.call(name, x, t.const(low, other), t.const(50, other)))
        own_dtype(t, made[-1:], want)
    weak = t.call(name, t.const([1, 2], "bf16"), t.const([0], "bf16"), t.np.float32(1.5))
    own_dtype(t, [weak], "f32")
    made.append(weak)
    return made
