"""Numbers by their bits, their extremes and their kinds: what JAX's own tests try of every pair, order and dtype."""

import warnings

from seamark_suites.case import case

from .pointwise_edges import UFUNCS
from .products import SUMS
from .reference import with_gradient
from .values_and_kinds import INF, NAN, NEAR, NP, own_dtype

CROSS, DOT, CLIP = NP + "cross", NP + "dot", NP + "clip"
EXACT = dict.fromkeys(("f32", "bf16", "f16", "f64", "c64", "c128"), 0.0)


# --- of each pair


RANGES = {
    "i8": [-128, 127], "u8": [0, 255], "i16": [-(2**15), 2**15 - 1], "u16": [0, 2**16 - 1], "u32": [0, 2**32 - 1],
    "i32": [-(2**31), 2**31 - 1], "i64": [-(2**63), 2**63 - 1], "u64": [0, 2**64 - 1]}  # fmt: skip


def _values(dtype):
    if dtype == "bool":
        return [False, True]
    if dtype in RANGES:
        return [*RANGES[dtype], 0, 1, 2, 100]
    if dtype[0] == "c":
        return [
            0,
            1j,
            complex(1, -2),
            complex(1, 3),
            complex(INF, 1),
            complex(-INF, INF),
            complex(1, INF),
        ]
    return [0, 1.5, -2, 2**-14, 65504, INF, -INF, NAN]


def _greater(np, x, y):
    if x.dtype.kind != "c":
        return np.maximum(x, y)
    return np.where((x.real > y.real) | ((x.real == y.real) & (x.imag > y.imag)), x, y)


@case(NP + "maximum", dtypes="f32 bf16 f16 f64 c64 i8 u8 i16 u32 i32 i64 bool", core=False, rtol=EXACT, atol=EXACT,
      reference=lambda np, x: [_greater(np, x[:, None], x), _greater(np, x[-1], x)])  # fmt: skip
@case(NP + "logical_and", dtypes="f32 bf16 f16 f64 c64 c128 i8 u8 i16 u16 u32 i32 i64 u64 bool", core=False,
      reference=lambda np, x: [(x[:, None] != 0) & (x != 0), (x[-1] != 0) & (x != 0)])  # fmt: skip
def of_each_pair(t, function, dtype):
    """The least, the largest, NaN, infinities, on either side; of all beside one."""
    x = t.const(_values(dtype), dtype)
    return [t.call(function, x[:, None], x), t.call(function, x[-1], x)]


@case(NP + "maximum", core=False, reference=lambda np, x, y: np.isnan(x) | np.isnan(y),
      cpu_fails="jax 0.10.2: beside a complex number with a NaN it may give the other one; documented is NaN")  # fmt: skip
def complex_numbers_with_a_nan(t):
    """In either part, on either side."""
    x = t.const([complex(NAN, 1), 1 + 1j, complex(2, NAN), 3, complex(NAN, NAN), 5 - 1j], "c64")
    y = t.const([1, complex(NAN, 2), 3, complex(1, NAN), 7, 2 + 2j], "c64")
    return t.call(lambda x, y: t.fw.numpy.isnan(t.get(NP + "maximum")(x, y)), x, y)


# --- the parts of a function of two


@case(NP + "maximum", dtypes="f32 i32", core=False, since=UFUNCS, reference=lambda np, x, which: [
      np.where(which, x, -99).max(0), np.where(which, x, 5).max(), np.maximum.outer(x[0], x[1, :2])])  # fmt: skip
def over_those_that_are_chosen(t, dtype):
    """Reduced where a mask says, with a first number. out= and where= of the call are refused."""
    x, which = (
        t.distinct((4, 3), dtype),
        t.const([[1, 0, 1], [0, 0, 1], [1, 0, 0], [1, 0, 1]], "bool"),
    )
    f = t.get(NP + "maximum")
    t.expect(
        (f.nin, f.nout, f.nargs, f.identity) == (2, 1, 2, None),
        "two of one, without a first number",
    )
    t.raises(ValueError, lambda: f.reduce(x, where=which))
    for options in ({"out": x}, {"where": which}):
        t.raises(NotImplementedError, lambda options=options: f(x, x, **options))
    return [t.call(lambda x, m: f.reduce(x, where=m, initial=-99), x, which),
            t.call(lambda x, m: f.reduce(x, axis=None, where=m, initial=5), x, which), t.call(f.outer, x[0], x[1, :2])]  # fmt: skip


@case(NP + "logical_and", dtypes="bool f32", core=False, since=UFUNCS, reference=lambda np, x, y: [
      np.array([(x[0] != 0) & (y[0] != 0) & (y[2] != 0), x[1] != 0, (x[2] != 0) & (y[1] != 0), x[3] != 0, x[4] != 0]),
      (x[:3] != 0).all(), True, np.where(x != 0, x, 0)])  # fmt: skip
def ands_at_places(t, dtype):
    """A place twice; what is left with no number is true; no slope goes through a truth."""
    jax, jnp, f = t.fw, t.fw.numpy, t.get(NP + "logical_and")
    x, y = t.const([1, 0, 1, 1, 0], dtype), t.const([1, 1, 0], dtype)
    t.expect((f.nin, f.nout, bool(f.identity)) == (2, 1, True), "two of one, and true of none")
    for options in ({"out": x}, {"where": x}):
        t.raises(NotImplementedError, lambda options=options: f(x, x, **options))
    slope = jax.grad(lambda v: (f(v, v) * v * v).sum() / 2)
    return [t.call(lambda x, y: f.at(x, jnp.array([0, 2, 0]), y, inplace=False) != 0, x, y), t.call(lambda x: f.reduce(x[:3]), x),
            t.call(lambda x: f.reduce(x[:0]), x), t.call(lambda x: slope(x.astype("float32")), x)]  # fmt: skip


@case(
    NP + "maximum",
    dtypes="f32 bf16",
    core=False,
    reference=lambda np, x: x + 5 * np.where(x == 0, 0.5, x > 0),
)
def slope_within_a_loop(t, dtype):
    """That of relu, five times; nothing as large as the numbers stands beside the program."""
    jax = t.fw

    def run(x):
        slope = jax.grad(lambda z: t.get(NP + "maximum")(z, 0.0).sum())
        return jax.lax.fori_loop(0, 5, lambda _, y: y + slope(x), x)

    x = t.const([[-2, 0, 3, -0.5], [1, 0.25, -8, 2], [0, 0, 1, -1]], dtype)
    kept = jax.make_jaxpr(run)(x).consts
    t.expect(all(t.np.size(one) < 12 for one in kept), "no constants, got %s" % kept)
    return t.call(run, x)


# --- abs, square, isnan


@case(NP + "abs", dtypes="f32 bf16 f16 f64", core=False, rtol=EXACT, atol=EXACT, reference=lambda np, x: [
      abs(x), np.zeros(len(x), bool)])  # fmt: skip
def of_extremes(t, dtype):
    """The largest, the smallest with all digits, infinities; no sign stays, not even of zero."""
    most = {
        "f32": 2.0**127 * (2 - 2**-23),
        "bf16": 2.0**127 * (2 - 2**-7),
        "f16": 65504,
        "f64": 1.7976931348623157e308,
    }[dtype]
    least = {"f32": 2.0**-126, "bf16": 2.0**-126, "f16": 2.0**-14, "f64": 2.0**-1022}[dtype]
    x = t.const([-most, most, -least, least, -INF, INF, -0.0, 0.0, -1.5], dtype)
    made = t.call(NP + "abs", x)
    return [made, t.call(lambda x: t.fw.numpy.signbit(t.get(NP + "abs")(x)), x)]


@case(NP + "abs", dtypes="c64 c128", grad=True, core=False, rtol=NEAR, atol={"c64": 0.0, "f32": 0.0}, reference=with_gradient(
      lambda np, z: abs(z), lambda np, w, z: w * np.where(z == 0, 0, z / np.where(z == 0, 1, abs(z)))))  # fmt: skip
def slope_at_zero_and_far_out(t, dtype):
    """None at zero, without NaN; of length one where squares would be too large or too small."""
    return t.call(
        NP + "abs", t.const([0, 3 + 4j, -3e30 + 4e30j, 3e-30 - 4e-30j, 5j, -2], dtype, grad=True)
    )


@case(NP + "abs", dtypes="f32 bf16 f64", grad=True, core=False, reference=with_gradient(
      lambda np, x: abs(x), lambda np, w, x: w * np.sign(x)))  # fmt: skip
def slope_of_either_sign(t, dtype):
    return t.call(NP + "abs", t.const([-2.5, 3, -INF, INF, -1e-30, 1e30, 7, -1], dtype, grad=True))


@case(
    NP + "square",
    dtypes="f32 f64 i32",
    core=False,
    rtol=EXACT,
    atol=EXACT,
    reference=lambda np, x: x * x,
)
def exact_squares(t, dtype):
    """Whole numbers of half as many digits have no error at all."""
    most = 2**26 if dtype == "f64" else 2**12
    x = t.const(t.np.linspace(-most, most, 8193).round(), dtype)
    return t.call(NP + "square", x)


@case(NP + "square", dtypes="f16 bf16 f32", core=False, reference=lambda np, x, y, z: [
      np.array([INF, INF, 255**2 // 32 * 32]) if x[2] == 255 else np.array([INF, INF, 2.0**126]), y * y, z * z])  # fmt: skip
def squares_beyond_and_of_a_wide_kind(t, dtype):
    """Too large is infinite; complex numbers of each quadrant; nothing, and a number alone."""
    x = t.const([256, -300, 255] if dtype == "f16" else [2.0**64, -(2.0**65), 2.0**63], dtype)
    y, z = t.randn((7,), dtype), t.const([1 + 2j, -3 + 1j, -2 - 5j, 4 - 1j], "c128")
    made = [t.call(NP + "square", one) for one in (x, y)]
    own_dtype(t, made, dtype)
    return [*made, t.call(NP + "square", z)]


BITS = {"f32": ("u32", 8, 23), "bf16": ("u16", 8, 7), "f16": ("u16", 5, 10)}


def _nan_bits(np, bits, dtype):
    _, wide, fraction = BITS[dtype]
    bits = bits.astype(np.int64)
    return ((bits >> fraction) % 2**wide == 2**wide - 1) & (bits % 2**fraction != 0)


@case(
    NP + "isnan",
    kind=list(BITS),
    core=False,
    reference=lambda np, bits, kind: _nan_bits(np, bits, kind),
)
def whatever_its_bits(t, kind):
    """Quiet and signalling, of either sign, with any payload; infinities and their neighbours are none."""
    words, wide, fraction = BITS[kind]
    top, one = (2**wide - 1) << fraction, 1 << (wide + fraction)
    parts = [0, 1, 2 ** (fraction - 1), 2 ** (fraction - 1) + 1, 2**fraction - 1]
    bits = [top + part + sign for part in parts for sign in (0, one)] + [
        top - 1,
        top - 1 + one,
        1,
        one,
        one + 1,
    ]
    name = {"f32": "float32", "bf16": "bfloat16", "f16": "float16"}[kind]
    return t.call(lambda bits: t.get(NP + "isnan")(t.fw.lax.bitcast_convert_type(bits, t.fw.numpy.dtype(name))),
                  t.const(bits, words))  # fmt: skip


@case(NP + "isnan", dtypes="i8 u8 i16 u32 i64 c128", core=False, trivial=True, reference=lambda np, x: [
      np.zeros((4, 5), bool), np.zeros((), bool)])  # fmt: skip
def of_what_is_always_a_number(t, dtype):
    x = t.randn((4, 5), dtype)
    return [t.call(NP + "isnan", x), t.call(NP + "isnan", x[0, 0])]


@case(
    NP + "isnan",
    dtypes="f32 c64",
    core=False,
    reference=lambda np, x: np.where(np.isnan(x), 0, 2 * x).conj(),
)
def slope_of_what_is_left(t, dtype):
    """Of squares without NaN: nothing comes through the question, nor of what is left out."""
    isnan, jnp = t.get(NP + "isnan"), t.fw.numpy

    def total(x):
        x = jnp.where(isnan(x), 0, x)
        return ((x * x.conj()).real + isnan(x)).sum()

    values = [1.5, NAN, -2, 0.25, NAN] + (
        [complex(NAN, 1), complex(2, NAN), 1 - 3j] if dtype == "c64" else []
    )
    return t.call(t.fw.grad(total), t.const(values, dtype))


# --- clip


def _clipped(np, x, low, high):
    kept = [x, x[:0], x[:4], x[:, None], x[None, :, None], x[3]]
    pairs = [(low, None), (None, high), (low, high), (low[0], high[0])]
    return [
        np.minimum(np.maximum(one, -np.inf if a is None else a), np.inf if b is None else b)
        for one in kept
        for a, b in pairs
    ]


@case(
    CLIP,
    dtypes="i16 u32 i64 u8 bf16 f16 f64",
    core=False,
    since=("0.4.27", "min and max"),
    reference=_clipped,
)
def bounds_for_every_rank(t, dtype):
    """Bounds of one number, and without axes, of a number, of nothing, of one to three axes; as the method."""
    clip = t.get(CLIP)

    def run(x, low, high):
        given = (x, x[:0], x[:4], x[:, None], x[None, :, None], x[3])
        made = [
            (clip(one, low), clip(one, max=high), clip(one, low, high), one.clip(low[0], high[0]))
            for one in given
        ]
        return [one for four in made for one in four]

    made = t.call(run, t.randint((8,), dtype, 0, 9), t.const([2], dtype), t.const([6], dtype))
    own_dtype(t, made, dtype)
    return made


@case(CLIP, dtypes="f32", core=False, reference=lambda np, x, low, high: [
      np.clip(x, low[:, None], high), np.where(x < low[:, None], low[:, None], np.where(x > high, high, 2 * x))])  # fmt: skip
def bounds_of_each_example(t, dtype):
    """vmap over the lower bounds; forwards along numbers and bounds at once."""
    clip, jax = t.get(CLIP), t.fw
    x, low, high = (
        t.distinct((5, 4), dtype),
        t.const([-6.5, -4.5, -2.5, -1.5, 0.5], dtype),
        t.const([2.5, 3.5, 4.5, 5.5], dtype),
    )
    mapped = jax.vmap(lambda x, low, high: clip(x, low, high), (0, 0, None))
    moved = lambda *given: jax.jvp(mapped, given, (2 * given[0], given[1], given[2]))[1]  # noqa: E731
    return [t.call(mapped, x, low, high), t.call(moved, x, low, high)]


@case(CLIP, core=False, reference="none", since=("0.4.36", "complex numbers refused"))
def complex_bounds_anywhere(t):
    """Without bounds, too; beside integers; under jit. A bound with its old name."""
    n, z = t.randint((5,), "i32", 0, 9), t.randn((5,), "c64")
    clip = t.get(CLIP)
    for call in (lambda: clip(z), lambda: clip(z, max=z), lambda: clip(n, min=-1 + 5j), lambda: clip(n, max=z[:1]),
                 lambda: t.fw.jit(clip)(z, 0)):  # fmt: skip
        t.raises(ValueError, call)
    t.raises(TypeError, lambda: clip(n, 0, 1, min=2))
    t.refuses(CLIP, z, 0, 1)


# --- casts


@case(
    NP + "float32",
    core=False,
    rtol=EXACT,
    reference=lambda np, *given: [np.float32(one) for one in given],
)
@case(
    NP + "int32",
    core=False,
    reference=lambda np, *given: [np.trunc(one).astype(np.int64).astype(np.int32) for one in given],
)
def between_wide_kinds(t, function):
    """Ties to the even one, what is halved twice, the largest; as fractions and as whole numbers of each width."""
    if function.endswith("float32"):
        fractions = [
            1 + 2**-24,
            1 + 3 * 2**-24,
            1 + 2**-24 + 2**-40,
            0.1,
            -1 / 3,
            1e39,
            -1e39,
            3.4028235677973366e38,
            1e-30,
        ]
        wholes = {"i32": [2**24 + 1, 2**24 + 3, -(2**31), 2**31 - 1], "u32": [2**32 - 1, 2**31 + 128, 2**31 + 129],
                  "i64": [2**62 + 2**38, 2**62 + 2**38 + 1, -(2**63), 2**53 + 1], "i16": [-(2**15), 777]}  # fmt: skip
    else:
        fractions = [2**31 - 1 - 0.5, -(2**31) + 0.0, 1e9 + 0.75, -0.999, 0.5]
        wholes = {
            "u32": [2**31, 2**32 - 1, 7, 0],
            "i64": [2**40 + 5, -1, -(2**63), 2**31],
            "i16": [-(2**15), 777],
        }
    given = [t.const(fractions, "f64"), *(t.const(values, kind) for kind, values in wholes.items())]
    made = [t.call(function, one) for one in given]
    own_dtype(t, made, "f32" if function.endswith("float32") else "i32")
    return made


@case(NP + "float32", core=False, reference=lambda np, z: z.real)
@case(NP + "int32", core=False, reference=lambda np, z: np.trunc(z.real))
def of_complex_numbers_with_a_warning(t, function):
    """What is imaginary goes, which is told; a complex number of Python is none."""
    z = t.const([1.5 + 2j, -3.75 - 1j, 40j], "c64")
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        made = t.call(t.get(function), z)
        t.get(function)(z)
    kinds = [one.category.__name__ for one in seen]
    t.expect("ComplexWarning" in kinds, "a warning, got %s" % kinds)
    t.raises(TypeError, t.get(function), 1 + 2j)
    t.raises(TypeError, t.get(function))
    return made


@case(NP + "float32", core=False, host_only=True, reference="none")
@case(NP + "int32", core=False, host_only=True, reference="none")
def what_the_kind_can_hold(t, function):
    """finfo and iinfo; a subtype of itself and of NumPy's; numbers of it are arrays without axes."""
    jax, jnp, np, kind = t.fw, t.fw.numpy, t.np, t.get(function)
    made = t.call(kind, 1)
    t.expect(
        isinstance(made, jax.Array) and made.shape == () and made.dtype == jnp.dtype(kind),
        "an array, got %r" % made,
    )
    if function.endswith("float32"):
        info = jnp.finfo(kind)
        t.expect(
            (info.bits, float(info.eps), float(info.max))
            == (32, 2.0**-23, float(np.finfo("f4").max)),
            "got %s" % info,
        )
        t.refuses(jnp.iinfo, kind)
    else:
        info = jnp.iinfo(kind)
        t.expect((info.bits, info.min, info.max) == (32, -(2**31), 2**31 - 1), "got %s" % info)
        t.refuses(jnp.finfo, kind)
    own = np.dtype(kind).type
    t.expect(
        jnp.issubdtype(kind, own) and jnp.issubdtype(own, kind) and jnp.issubdtype(kind, np.number),
        "subtypes",
    )
    for category in (jnp.complexfloating, jnp.unsignedinteger, jnp.bool_):
        t.expect(not jnp.issubdtype(kind, category), "no %s" % category)
    t.expect(jnp.zeros(3, kind).nbytes == 12 and own(1) == made, "four bytes each")


# --- products of two kinds


KINDS = [("i32", "bf16", "bf16"), ("bf16", "f32", "f32"), ("f16", "bf16", "f32"), ("u8", "i8", "i16"), ("f32", "c64", "c64"),
         ("bool", "i32", "i32"), ("i8", "f16", "f16"), ("i16", "u8", "i16"), ("c64", "i32", "c64")]  # fmt: skip


def _pairs_of(of):
    return lambda np, *given: [of(np, x, y) for x, y in zip(given[::2], given[1::2])]


@case(DOT, core=False, reference=_pairs_of(lambda np, x, y: np.dot(x, y)))
@case(CROSS, core=False, reference=_pairs_of(lambda np, x, y: np.cross(x, y)))
def of_two_kinds(t, function):
    """The kind that holds both. A product converts neither side before it, and at most its result after it."""
    made, shapes = [], ((5, 3), (5, 3)) if function == CROSS else ((5, 3), (3, 4))
    for one, other, want in KINDS:
        x, y = (
            t.randint(shapes[0], one, 0, 2 if one == "bool" else 7),
            t.randint(shapes[1], other, 0, 7),
        )
        made.append(t.call(function, x, y))
        own_dtype(t, made[-1:], want)
        if function == DOT and t.place != "wide":
            names = [eqn.primitive.name for eqn in t.fw.make_jaxpr(t.get(DOT))(x, y).eqns]
            t.expect(names[:1] == ["dot_general"] and len(names) < 3, "one product, got %s" % names)
    return made


@case(DOT, core=False, reference=lambda np, x, y: [x @ y] * 3)
def precision_of_a_context(t):
    """jax.default_matmul_precision: a program is traced again for each; what is asked of the call comes first."""
    jax, p, dot = t.fw, t.fw.lax.Precision, t.get(DOT)
    x, y = t.randint((4, 50), "f32", -9, 9), t.randint((50, 3), "f32", -9, 9)
    program, found, made = jax.jit(dot), [], []

    def precision(f):
        text = str(jax.make_jaxpr(f)(x, y))
        return [name for name in ("HIGHEST", "HIGH", "DEFAULT") if "Precision." + name in text][:1]

    for name in ("highest", "high", "default"):
        with jax.default_matmul_precision(name):
            found.append(precision(dot)[0].lower())
            made.append(t.call(program, x, y))
            own = precision(lambda x, y: dot(x, y, precision=p.HIGHEST))
            t.expect(own == ["HIGHEST"], "that of the call, got %s" % own)
    t.expect(found == ["highest", "high", "default"], "that of the context, got %s" % found)
    t.raises(ValueError, lambda: jax.default_matmul_precision("nonsense").__enter__())
    for wrong in ([1.0, 2.0], "text"):
        t.raises(TypeError, jax.jit(lambda v, wrong=wrong: dot(v, wrong)), y)
    return made


@case(DOT, dtypes="f32 c64 i32 bf16", core=False, rtol=SUMS, atol={"f32": 2e-5, "c64": 2e-5, "bf16": 0.125}, reference=lambda np, *given: [
      np.dot(x, y) for x, y in zip(given[::2], given[1::2])])  # fmt: skip
def of_every_pair_of_ranks(t, dtype):
    """Numbers, vectors, matrices and what has three axes, of any sign."""
    shapes = [((3, 3), ()), ((), (3, 3)), ((4, 5), (5,)), ((6,), (6, 4)), ((4, 3, 2), (2,)), ((2,), (3, 2, 4)), ((4, 3, 2), (2, 5)),
              ((5, 2), (3, 2, 4)), ((2, 3, 4), (5, 4, 1)), ((1, 1), (1,)), ((), ())]  # fmt: skip
    dot, given = t.get(DOT), [t.randn(shape, dtype) for pair in shapes for shape in pair]
    return t.call(lambda *given: [dot(x, y) for x, y in zip(given[::2], given[1::2])], *given)


@case(CROSS, dtypes="f32 i32 c64 f16 bf16", core=False, rtol={"f32": 1e-5, "c64": 1e-5},
      atol={"f32": 1e-5, "c64": 2e-5, "f16": 8e-3, "bf16": 6e-2}, reference=lambda np, x, y, z: [
      np.cross(z, np.concatenate([y, 0 * y[..., :1]], -1)), x[:, 0] * y[:, 1] - x[:, 1] * y[:, 0], x[0, 0] * y[1, 1] - x[0, 1] * y[1, 0],
      np.cross(np.concatenate([x, 0 * x[..., :1]], -1), z).T])  # fmt: skip
def planes_beside_space(t, dtype):
    """A plane's vector on either side, along other axes; one alone."""
    cross = t.get(CROSS)
    x, y, z = t.randn((4, 2), dtype), t.randn((4, 2), dtype), t.randn((4, 3), dtype)
    return [t.call(CROSS, z, y), t.call(lambda x, y: cross(x, y, axisc=0), x, y), t.call(CROSS, x[0], y[1]),
            t.call(lambda x, z: cross(x.T, z, axisa=0, axisc=0), x, z)]  # fmt: skip
