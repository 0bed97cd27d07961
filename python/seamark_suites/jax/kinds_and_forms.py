"""Functions of arrays: numbers of every kind, each with each, and arguments in every form that is allowed."""

import array
import warnings

from seamark_suites.case import case

from .reference import with_affine_gradient
from .values_and_kinds import ASTYPE, _halves, astype_of, own_dtype

NP = "jax.numpy."
INF, NAN = float("inf"), float("nan")
EXACT = dict.fromkeys(("f16", "bf16", "f32", "f64", "c64", "c128"), 0.0)

# --- astype

KINDS = "int8 int16 int32 uint8 uint16 uint32 float16 bfloat16 float32 complex64 bool"
FROM = "int8 int16 uint16 uint32 float16 bfloat16 float32 float8_e5m2 int4 complex64 bool"


def _bits(np, x, y, target):
    if target != "f32":
        return [_halves(np, one, target) for one in (x, y)]
    return [one.astype(np.float32).view(np.uint32) for one in (x, y)]


@case(ASTYPE, target=["f16", "bf16", "f32"], core=False, reference=_bits)
def whole_numbers_rounded(t, target):
    """To the nearest, to the even one of two; bit by bit. What f16 cannot hold is infinite."""
    lax, narrow = t.fw.lax, t.dtype(target)
    edges = [257, -259, 2049, 2051, 65519, 65520, -65520, 16777217, 16777219, -16777221]
    edges = edges if target == "f32" else edges[:7]
    kind = "uint32" if target == "f32" else "uint16"
    bits = lambda x: lax.bitcast_convert_type(x.astype(narrow), kind)  # noqa: E731
    bound = 2**31 - 1 if target == "f32" else 2**17
    return [t.call(bits, x) for x in (t.randint((300,), "i32", -bound, bound), t.const(edges, "i32"))]  # fmt: skip


@case(ASTYPE, source=FROM.split(), core=False, reference=lambda np, x, source: [
      np.minimum(x, 1) if "bool" in (kind, source) else x for kind in KINDS.split()])  # fmt: skip
def from_each_kind_to_each(t, source):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of an imaginary part that is dropped
        made = t.call(lambda x: [x.astype(source).astype(k) for k in KINDS.split()], t.randint((30,), "i32", 0, 8))  # fmt: skip
    t.expect([str(one.dtype) for one in made] == KINDS.split(), "each kind, got %s" % made)
    return made


@case(ASTYPE, core=False, reference=lambda np, z: [z.real, np.trunc(z.real)])
def a_real_part_is_kept(t):
    """With a warning of what is to come; once it has come, complex numbers are refused."""
    z, made = t.const([1.5 + 2j, -2.75 - 1j, 3j, 0.5 + 0j], "c64"), []
    for kind in ("float32", "int32"):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            try:
                made.append(t.call(astype_of, z, kind))
            except ValueError:
                made.append(t.call(lambda z, kind=kind: z.real.astype(kind), z))
                continue
        kinds = [one.category for one in seen]
        t.expect(t.compiled or DeprecationWarning in kinds, "a DeprecationWarning, got %s" % kinds)
    return made


def cast_by(x, kind, copy):
    return x.astype(kind or x.dtype, copy=copy)


@case(ASTYPE, dtypes="f32 i32", core=False, reference=lambda np, x: [x, x, x])
def itself_or_a_copy(t, dtype):
    """copy=False shares its memory where the dtype stays, and no other way does."""
    x, other = t.randint((5,), dtype, -9, 9), "int32" if dtype == "f32" else "float32"
    if not t.compiled:
        for kind, copy in ((None, False), (None, True), (other, False), (other, True)):
            first = x + 0
            first.astype(kind or x.dtype, copy=copy).delete()
            gone = kind is None and not copy
            t.expect(first.is_deleted() is gone, "%s of copy=%s to %s" % (gone, copy, kind))
    ways = [(False, None), (True, None), (False, other)]
    return [t.call(cast_by, x, kind, copy) for copy, kind in ways]


SLOPES = "float16 bfloat16 float32 complex64"


@case(ASTYPE, dtypes="f16 bf16 f32", core=False, rtol=EXACT, atol=EXACT, reference=lambda np, x, w: [
      [x, x * 0 + w] for _ in SLOPES.split()] + [w for _ in SLOPES.split()])  # fmt: skip
def slopes_of_each_kind(t, dtype):
    """Forwards in the new kind, backwards in the old one."""
    jax, x, w = t.fw, t.randint((6,), dtype, 1, 9), t.randint((6,), dtype, -9, 9)

    def run(x, w):
        forward, backward = [], []
        for kind in SLOPES.split():
            f = lambda v, kind=kind: v.astype(kind)  # noqa: E731
            forward.append(list(jax.jvp(f, (x,), (w,))))
            backward.append(jax.vjp(f, x)[1](w.astype(kind))[0])
        return forward + backward

    made = t.call(run, x, w)
    own_dtype(t, made[len(SLOPES.split()) :], dtype)
    kinds = [str(one.dtype) for pair in made[: len(SLOPES.split())] for one in pair]
    t.expect(kinds == [k for k in SLOPES.split() for _ in "xw"], "the new kinds, got %s" % kinds)
    return made


# --- asarray


@case(NP + "asarray", dtypes="f32 i32", core=False, reference=lambda np, x: [x] * 5 + [2 * x])
def what_numpy_owns(t, dtype):
    """With a copy later changes are not seen; copy=False gives it as it is, or refuses on a device with its own memory."""
    name, np, x = NP + "asarray", t.np, t.randint((64,), dtype, -9, 9)
    own = np.array(t.host(x)).astype({"f32": "float32", "i32": "int32"}[dtype])
    memory = array.array({"f32": "f", "i32": "i"}[dtype], own.tolist())
    made = [t.call(name, own, copy=copy) for copy in (None, True)]
    made += [t.call(name, one, copy=True) for one in (memory, own.tolist())]
    made.append(t.call(name, own.tolist(), copy=False))
    if not t.compiled:
        f = t.get(name)
        for given in (own, memory):
            try:
                found = f(given, copy=False, device=t.device)
            except ValueError:
                t.expect(t.device.platform != "cpu", "NumPy's memory on the CPU")
                continue
            t.expect(np.array_equal(t.host(found), own), "as it is, got %s" % found)
        first = own.copy()
        kept = f(first, copy=True)
        first[:] = 99
        t.expect(np.array_equal(t.host(kept), own), "the numbers at the time of the call")
    return [*made, t.call(lambda x: t.get(name)(x, copy=False) + x, x)]


@case(NP + "asarray", core=False, reference=lambda np, x, y, n: [
      np.array([0, 1]), np.array([0.5, 1]), np.array([1, 2]), np.array([1, -1]), np.array([x, 2]), np.array([x, y]),
      np.array([n, 1]), np.array([[n, 2], [3, n]]), np.array([n, 2.5])])  # fmt: skip
def lists_of_several_kinds(t):
    """A number of Python takes the kind of what is beside it; nothing in a list stays weak."""
    jnp, np, name = t.fw.numpy, t.np, NP + "asarray"
    x, y, n = t.const(1.5, "bf16"), t.const(-2.5, "f16"), t.const(7, "i8")
    given = [
        ([0, np.int16(1)], "int16"), ([0.5, np.float16(1)], "float16"), ([jnp.int8(1), jnp.float16(2)], "float16"),
        ([np.uint8(1), np.int8(-1)], "int16"), ([x, 2], "bfloat16"), ([x, y], "float32"), ([n, True], "int8"),
        ([[n, 2], [3, n]], "int8"), ([n, 2.5], "float32"),
    ]  # fmt: skip
    made = [t.call(name, one) for one, _ in given]
    for one, (_, kind) in zip(made, given):
        wide = t.place == "wide"
        t.expect(wide or str(one.dtype) == kind, "%s, got %s" % (kind, one.dtype))
        t.expect(not one.weak_type, "no weak type in %s" % one)
    weak = [t.call(name, one).weak_type for one in ([1], [1.5], [jnp.asarray(1)])]
    t.expect(weak == [False] * 3, "no weak type of a list, got %s" % weak)
    keys = [t.fw.random.key(n) for n in (1, 2)]
    t.expect(bool((t.get(name)(keys) == t.fw.numpy.stack(keys)).all()), "an array of keys")
    return made


@case(NP + "asarray", core=False, reference="none")
def numbers_beyond_a_kind(t):
    """Python's numbers that a dtype cannot hold are refused, NumPy's wrap around; what is masked, a date or a record is none."""
    name, np = NP + "asarray", t.np
    for wrong, kind in ((-1, "uint8"), (300, "uint8"), ([1, 300], "int8"), (-129, "int8"), (2**31, "int32")):  # fmt: skip
        t.raises(OverflowError, t.call, name, wrong, dtype=kind)
    made = t.call(name, np.array([300, -1, 128]), dtype="uint8")
    t.expect(t.host(made).tolist() == [44, 255, 128], "wrapped around, got %s" % made)
    cut = t.call(name, [1.75, -2.75], dtype="int32")
    t.expect(t.host(cut).tolist() == [1, -2], "cut, got %s" % cut)
    masked = np.ma.array([1, 2], mask=[False, True])
    for wrong in (
        masked, np.array(["2020-01-01"], "datetime64[D]"), np.zeros(2, [("a", "f4")]), np.zeros(2, ">f4"),
    ):  # fmt: skip
        t.raises((TypeError, ValueError), t.get(name), wrong)
    t.raises(TypeError, t.get(name), [1 + 2j], dtype="float32")


# --- broadcast_to, squeeze, full, ones_like, eye

SIZES = [
    ((1, 3), (4, 3)), ((3,), (2, 1, 3)), ((1,), (3,)), ((), (2, 0)), ((2, 1, 1, 3, 1), (1, 2, 4, 2, 3, 2)), ((1, 1), (1, 1)),
    ((0, 1), (3, 0, 2)),
]  # fmt: skip


@case(NP + "broadcast_to", dtypes="f32 i16 c128", core=False, reference=lambda np, *xs: [
      np.broadcast_to(x, to) for x, (_, to) in zip(xs, SIZES)] * 2 + [np.broadcast_to(xs[2], (4, 2)), np.full((2, 3), 2.5)])  # fmt: skip
def sizes_in_other_forms(t, dtype):
    """In a list, of NumPy, a number alone, in a program; more axes than most have; a list of refusals."""
    name, np, f = NP + "broadcast_to", t.np, t.get(NP + "broadcast_to")
    given = [(t.randint(own, dtype, -9, 9), to) for own, to in SIZES]
    made = [t.call(name, x, np.array(to)) for x, to in given]
    made += [t.call(lambda x, to=to: f(x, list(to)), x) for x, to in given]
    x = given[0][0]
    for wrong in ((1, 3), (4, 1), (3,), (4, 3.0), ("a", 3), (4, -3), None):
        t.refuses(name, t.fw.numpy.zeros((2, 3)), wrong)
    t.raises(TypeError, t.fw.jit(f), x, (4, 3))
    made.append(t.call(lambda v: f(v, (np.int64(4), np.int32(2))), given[2][0]))
    return [*made, t.call(name, np.full((1, 3), 2.5, "float32"), (2, 3))]


@case(NP + "squeeze", dtypes="f32 i16 c128", core=False, reference=lambda np, x, y: [
      np.squeeze(x, 0), np.squeeze(x, (0, 4)), np.squeeze(x), np.squeeze(y), np.squeeze(y, (1, -1)), np.squeeze(y[:, 0])])  # fmt: skip
def axes_of_numpy(t, dtype):
    """In tuples, too; many axes of one; NumPy's array; a number is left. No axis that a program traces."""
    np, name, f = t.np, NP + "squeeze", t.get(NP + "squeeze")
    x, y = t.randint((1, 4, 1, 3, 1), dtype, 1, 9), t.randint((1,) * 7, dtype, 1, 9)
    made = [t.call(lambda x: f(x, (np.array(0),)), x), t.call(lambda x: f(x, (np.int64(0), -1)), x), t.call(name, x), t.call(name, y),
            t.call(name, y, axis=(1, -1)), t.call(lambda y: f(y[:, 0]), y)]  # fmt: skip
    found = f(np.ones((1, 5, 1), "float32"))
    t.expect(found.shape == (5,) and isinstance(found, t.fw.Array), "an array, got %r" % found)
    t.raises((TypeError, t.fw.errors.ConcretizationTypeError), t.fw.jit(f), x, 0)
    for wrong in ("x", (0, None), 1j):
        t.refuses(name, x, axis=wrong)
    return made


@case(NP + "full", dtypes="f32 i16 c128", core=False, reference=lambda np, x, row: [
      np.full(7, x), np.full((2, 3), row), np.full((2, 1, 3), row), np.full((3, 0, 3), row), np.full((2, 3), row), np.full(3, x)])  # fmt: skip
def sizes_of_numpy(t, dtype):
    """An array of sizes, of one, without axes; what is wider than the shape, a list, a fraction are refused."""
    np, name, f = t.np, NP + "full", t.get(NP + "full")
    x, row = t.const(3, dtype), t.randint((3,), dtype, -9, 9)
    made = [t.call(name, np.array(7, "int32"), x), t.call(name, np.array([2, 3]), row), t.call(name, [2, 1, 3], row),
            t.call(name, (np.int64(3), 0, 3), row), t.call(t.fw.jit(lambda row: f((2, 3), row)), row), t.call(name, np.int8(3), x)]  # fmt: skip
    own_dtype(t, made, dtype)
    wide = t.fw.numpy.ones((2, 3), "float32")
    for shape, fill in (((3,), wide), ((2, 1), wide), ((2, 3), [1, 2, 3]), ((2, 3), None), ((2.0,), 1.0)):  # fmt: skip
        t.refuses(name, shape, fill)
    return made


@case(NP + "ones_like", kind=["int4", "uint16", "float8_e5m2", "float8_e4m3fn", "int16", "uint32"], core=False,
      trivial=True, reference=lambda np, x, kind: [np.ones((2, 3)), 1 + x, np.ones(3), np.ones((2, 3))])  # fmt: skip
def like_other_kinds(t, kind):
    """Few bits and others, by their names; NumPy's array; without a weak type in a program."""
    jax, name, x = t.fw, NP + "ones_like", t.randint((2, 3), "f32", 0, 4)
    f = t.get(name)
    made = [
        t.call(lambda x: f(x.astype(kind)), x),
        t.call(lambda x: f(x.astype(kind)).astype(x.dtype) + x, x),
        t.call(lambda x: jax.vmap(f, 1)(x.astype(kind))[:, 0], x),
        t.call(lambda x: f(x, dtype=kind), x),
    ]
    t.expect(str(made[0].dtype) == str(made[3].dtype) == kind, "%s, got %s" % (kind, made[0].dtype))
    wide = {"float64": "float32", "int64": "int32", "complex128": "complex64"}
    for own, want in wide.items():
        found = t.get(name)(t.np.zeros(2, own))
        ok = str(found.dtype) in (want, own if jax.config.jax_enable_x64 else want)
        t.expect(ok, "%s of %s, got %s" % (want, own, found.dtype))
    for weak, options in ((2, {}), (2.5, {}), (2j, {}), (2, {"shape": (3,)})):
        seen = jax.eval_shape(lambda v, options=options: f(v, **options), weak)
        t.expect(seen.weak_type, "as weak as %s in a program" % weak)
    for wrong in (object, "text", "datetime64[D]"):
        t.raises(TypeError, f, x, dtype=wrong)
    return [made[0].astype("float32"), made[1], made[2].astype("float32"), made[3].astype("float32")]  # fmt: skip


PLACES = [-(2**100), *range(-4, 5), 2**100]


@case(NP + "eye", dtypes="f32 bf16 i32 c64", core=False, reference=lambda np: [
      [np.eye(4, m, max(min(k, 9), -9)) for k in PLACES] for m in (None, 1, 3)] + [np.stack([np.eye(4, 3, k) for k in range(-5, 5)])])  # fmt: skip
def each_place(t, dtype):
    """Each place beside the diagonal, as far as there is one and beyond; places of a batch."""
    jax, f, kind = t.fw, t.get(NP + "eye"), t.dtype(dtype)
    made = [t.call(lambda m=m: [f(4, m, k, kind) for k in PLACES]) for m in (None, 1, 3)]
    places = t.fw.numpy.arange(-5, 5)
    return [*made, t.call(lambda: jax.vmap(lambda k: f(4, 3, k=k, dtype=kind))(places))]


# --- isfinite, shape, issubdtype


@case(NP + "isfinite", dtypes="f32 f64 f16 bf16 c64", core=False, reference=lambda np, x, n: [
      np.isfinite(x), np.ones(3, bool), np.ones(3, bool), np.zeros(8)])  # fmt: skip
def at_the_ends_of_a_dtype(t, dtype):
    """The largest and the smallest numbers are finite; whole numbers of few bits are. It has no slope."""
    jax, f = t.fw, t.get(NP + "isfinite")
    info = jax.numpy.finfo(t.dtype(dtype))
    most, least = float(info.max), float(info.smallest_normal)
    x = t.const([most, -most, least, -least, -0.0, INF, -INF, NAN], dtype)
    n = t.const([0, 7, 3], "i32")
    made = [t.call(f, x)]
    made += [t.call(lambda n, kind=kind: f(n.astype(kind)), n) for kind in ("int4", "uint16")]
    own_dtype(t, made, "bool")
    slope = jax.grad(lambda v: f(v).sum().astype("float32"))
    return [*made, t.call(lambda x: slope(x).real, x)]


@case(NP + "shape", host_only=True, core=False, reference="none")
def of_keys_and_of_sizes_with_names(t):
    """Of keys without their words; of sizes that are not known yet; of a number of each kind; of nothing."""
    jax, np, name = t.fw, t.np, NP + "shape"
    key = jax.random.key(0)
    a, b = jax.export.symbolic_shape("a, b")
    given = [
        (jax.random.split(key, 3), (3,)), (jax.random.key_data(key), (2,)), (jax.ShapeDtypeStruct((a, 4, b), "float32"), (a, 4, b)),
        (np.zeros(()), ()), (np.zeros((0,)), (0,)), (1j, ()), (np.int8(3), ()), (t.randn((2, 0, 5), "bf16"), (2, 0, 5)),
        (t.randn((1,) * 9, "f32"), (1,) * 9), (np.ones((2, 3)).T[::-1], (3, 2)), (np.broadcast_to(1.0, (4, 5)), (4, 5)),
    ]  # fmt: skip
    for one, want in given:
        found = t.call(name, one)
        t.expect(type(found) is tuple and found == want, "%s, got %s" % (want, found))
    seen = []
    program = jax.jit(lambda x: seen.append(t.get(name)(x)) or x.reshape(x.shape[0], -1))
    made = jax.export.export(program)(jax.ShapeDtypeStruct((a, 2, 3), "float32"))
    t.expect(seen[-1] == (a, 2, 3) and made.out_avals[0].shape == (a, 6), "names, got %s" % seen)
    for wrong in ((1, 2), {}):
        t.raises(TypeError, t.get(name), t.randn((2,), "f32"), wrong)


@case(NP + "issubdtype", host_only=True, core=False, reference="none")
def kinds_among_themselves(t):
    """A kind within another, never within a dtype; what has no numbers; few bits by name, dtype and class."""
    jax, jnp, np, name = t.fw, t.fw.numpy, t.np, NP + "issubdtype"
    dtypes = jax.dtypes
    rows = [
        (np.floating, np.inexact, True), (np.integer, np.floating, False), (np.inexact, np.number, True), (np.number, np.inexact, False),
        (jnp.signedinteger, jnp.integer, True), (jnp.unsignedinteger, jnp.signedinteger, False), (np.generic, "float32", False),
        (np.generic, jnp.bfloat16, False), (np.floating, "float32", False), ("float32", object, False), (object, np.generic, True),
        (dtypes.extended, dtypes.extended, True), (dtypes.extended, np.generic, True), (dtypes.extended, np.number, False),
        (dtypes.prng_key, dtypes.extended, True), (dtypes.prng_key, np.number, False), (dtypes.float0, np.generic, True),
        (dtypes.float0, np.number, False), ("int32", int, False), ("bfloat16", "float16", False), ("bfloat16", "bfloat16", True),
    ]  # fmt: skip
    for one, other, want in rows:
        found = t.call(name, one, other)
        t.expect(found is want, "%s of %r and %r, got %r" % (want, one, other, found))
    few = {"int2": np.signedinteger, "uint2": np.unsignedinteger, "int4": np.signedinteger, "float8_e4m3b11fnuz": np.floating,
           "float8_e5m2fnuz": np.floating}  # fmt: skip
    for one, kind in few.items():
        for given in (one, jnp.dtype(one), jnp.dtype(one).type):
            for other, want in ((kind, True), (np.number, True), (np.complexfloating, False), (object, False), (one, True), (np.float64, False)):  # fmt: skip
                t.expect(t.call(name, given, other) is want, "%s of %r and %r" % (want, given, other))  # fmt: skip


# --- log1p

DIGITS = {"f16": 4e-3, "bf16": 2e-2, "f32": 1e-5, "f64": 1e-12, "c64": 1e-5, "c128": 1e-12}


@case(NP + "log1p", dtypes="f16 bf16 f32 f64", core=False, rtol=DIGITS, atol=EXACT, reference=lambda np, x: np.log1p(x))  # fmt: skip
def up_to_the_largest(t, dtype):
    """To the largest number and its root; 100; -1 and beyond it; numbers just above -1."""
    info = t.fw.numpy.finfo(t.dtype(dtype))
    most, step = float(info.max), float(info.epsneg)
    edges = [
        NAN,
        -INF,
        -100.0,
        -2.0,
        -1.0,
        0.0,
        1.0,
        2.0,
        100.0,
        INF,
        most,
        most**0.5,
        most**0.5 * 2,
        most / 2,
    ]
    return t.call(NP + "log1p", t.const(edges + [-1 + step, -1 + 2 * step, -0.5, 7.0, -most], dtype))  # fmt: skip


@case(NP + "log1p", dtypes="f32 f64", core=False, rtol=DIGITS, atol=EXACT, reference=lambda np, x, end: [
      1 / (1 + x), -1 / (1 + x) ** 2, 2 / (1 + x) ** 3])  # fmt: skip
def three_slopes(t, dtype):
    """At -1 and beyond it, far out, near zero, of NaN; three derivatives."""
    jax, f, found = t.fw, t.get(NP + "log1p"), []
    x = t.const([-2.0, -0.75, 1e-8, -1e-8, 3.0, 1e12, INF, NAN], dtype)
    for _ in range(3):
        f = jax.grad(f)
        found.append(f)
    made = t.call(lambda x: [jax.vmap(one)(x) for one in found], x)
    at_the_end = t.call(jax.grad(t.get(NP + "log1p")), t.const(-1.0, dtype))
    t.expect(float(at_the_end) == INF, "without end at -1, got %s" % at_the_end)
    return made


@case(NP + "log1p", dtypes="c64 c128", core=False, rtol=DIGITS, atol=EXACT, reference=lambda np, z: [
      np.log(np.hypot((1 + z).real, (1 + z).imag)), np.angle(1 + z)])  # fmt: skip
def great_complex_numbers(t, dtype):
    """Whose squares no number holds, in each quarter of the plane; each part to its own digits."""
    most = float(t.fw.numpy.finfo(t.dtype("f32" if dtype == "c64" else "f64")).max)
    root = most**0.5
    given = [most / 2, complex(0, most / 2), -most / 2 + 1j, complex(most / 4, -most / 4), complex(2 * root, 2 * root),
             complex(-3 * root, root), complex(-root, -5 * root), 1e9 - 1e3j, complex(-1e3, 1e9), complex(7.0, -7.0)]  # fmt: skip
    made = t.call(NP + "log1p", t.const(given, dtype))
    return [made.real, made.imag]


# --- minimum, where, concatenate


@case(NP + "minimum", dtypes="f16 bf16 f32", core=False, reference=lambda np, x, y: [
      np.minimum(x, y), np.minimum(y, x), np.minimum(x, 1)])  # fmt: skip
def no_number_on_either_side(t, dtype):
    """NaN on the left, on the right, on both, beside infinities and a number of Python."""
    x = t.const([NAN, 1.0, NAN, INF, -INF, NAN, INF, 2.0, -3.0], dtype)
    y = t.const([1.0, NAN, NAN, NAN, 5.0, -INF, -INF, 2.5, -3.5], dtype)
    name = NP + "minimum"
    return [t.call(name, x, y), t.call(name, y, x), t.call(name, x, 1.0)]


def _methods(np, x, y):
    changed = x[0].copy()
    np.minimum.at(changed, np.array([0, 1, 1, -1]), y)
    mask = np.array([True, False, True])
    return [changed, np.minimum.reduceat(x, [0, 2, 3], axis=1), np.minimum.reduce(x, axis=0, initial=-3),
            np.minimum.reduce(x, axis=0, initial=9, where=mask[:, None]), np.minimum.reduce(x, axis=(0, 1)),
            np.minimum(x[:, :1], y)]  # fmt: skip


@case(NP + "minimum", dtypes="f32 i32", core=False, reference=_methods, since=("0.4.32", "the methods of jax.numpy.ufunc"))  # fmt: skip
def at_places_and_of_slices(t, dtype):
    """The methods at and reduceat; a first number; a mask, which wants one."""
    f, np = t.get(NP + "minimum"), t.np
    x, y, mask = t.distinct((3, 5), dtype), t.randint((4,), dtype, -9, 9), np.array([[True], [False], [True]])  # fmt: skip
    t.raises(ValueError, f.reduce, x, where=mask)
    t.raises(NotImplementedError, f, x, x, out=x)
    return [t.call(lambda x, y: f.at(x[0], np.array([0, 1, 1, -1]), y, inplace=False), x, y),
            t.call(lambda x: f.reduceat(x, np.array([0, 2, 3]), axis=1), x), t.call(f.reduce, x, axis=0, initial=-3),
            t.call(lambda x: f.reduce(x, axis=0, initial=9, where=mask), x), t.call(f.reduce, x, axis=None), t.call(f, x[:, :1], y)]  # fmt: skip


@case(NP + "where", dtypes="f32 bf16 f16", core=False, reference=lambda np, m, x, y: [
      np.where(m, x, y), np.signbit(np.where(m, x, y)), np.where(m[0], x[:, :1], y[0, 0]), np.where(False, x, y)])  # fmt: skip
def signs_and_infinities_are_kept(t, dtype):
    """Zeros keep their signs, the infinities and NaN stay; conditions and numbers without axes."""
    jnp, f = t.fw.numpy, t.get(NP + "where")
    m = t.const([[1, 0, 0, 1, 0], [0, 1, 1, 0, 1]], "bool")
    x = t.const([[-0.0, 1, INF, -INF, NAN], [2, 0.0, -0.0, 3, INF]], dtype)
    y = t.const([[0.0, -0.0, -INF, 4, 5], [NAN, 1, 7, -0.0, 6]], dtype)
    made = t.call(lambda m, x, y: [f(m, x, y), jnp.signbit(f(m, x, y))], m, x, y)
    return [*made, t.call(lambda m, x, y: f(m[0], x[:, :1], y[0, 0]), m, x, y), t.call(lambda x, y: f(jnp.bool_(False), x, y), x, y)]  # fmt: skip


JOINED = [("i32", "f32", "c64", "c64"), ("bool", "u8", "i8", "i16"), ("f16", "bf16", "i32", "f32"), ("i8", "i16", "bool", "i16")]  # fmt: skip


@case(NP + "concatenate", axis=[None, 0, -2], core=False, rtol=EXACT, atol=EXACT, reference=lambda np, *xs, axis: [
      np.concatenate([x * 1 for x in xs[i : i + 3]], axis) for i in range(0, 12, 3)] + [
      np.concatenate([np.trunc(x) for x in xs[12:14]], axis), np.concatenate(xs[12:14], axis),
      np.concatenate([x != 0 for x in xs[12:14]], axis)])  # fmt: skip
def three_of_several_kinds(t, axis):
    """Three parts whose kinds differ; fractions into whole numbers, complex numbers and truths; nothing counts by its kind."""
    jnp, f = t.fw.numpy, t.get(NP + "concatenate")
    shapes = [(2, n, 4) if axis == -2 else (n, 3, 4) for n in (3, 1, 4)]
    made = []
    for *kinds, want in JOINED:
        parts = [t.randint(shape, kind, 0, 2 if kind == "bool" else 6) for shape, kind in zip(shapes, kinds)]  # fmt: skip
        made.append(t.call(lambda *parts: f(parts, axis=axis), *parts))
        own_dtype(t, made[-1:], want)
    pair = [t.uniform(shape, "f32", -9, 9) for shape in shapes[:2]]
    for kind in ("i32", "c64", "bool"):
        made.append(t.call(lambda *pair, kind=kind: f(pair, axis=axis, dtype=t.dtype(kind)), *pair))
        own_dtype(t, made[-1:], kind)
    empty = t.get(NP + "concatenate")([jnp.ones(2, "int32"), jnp.zeros(0, "float32")])
    t.expect(str(empty.dtype) == "float32", "f32 of nothing in f32, got %s" % empty.dtype)
    return made


@case(NP + "concatenate", grad=True, core=False, rtol={"f16": 4e-3, "bf16": 2e-2, "f32": 1e-5}, reference=with_affine_gradient(
      lambda np, x, y, z: np.concatenate([x, y, z], 1)))  # fmt: skip
def slopes_of_several_kinds(t):
    """Each part's slope has its own kind."""
    x, y, z = t.randn((2, 3), "bf16"), t.randn((2, 1), "f16"), t.randn((2, 4), "f32")
    return t.call(lambda x, y, z: t.fw.numpy.concatenate([x, y, z], axis=1), x, y, z)
