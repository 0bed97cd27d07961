"""What dtypes and masks do to values: astype, softmax, softplus, the scalar types, issubdtype."""

import enum

from seamark_suites.case import case
from seamark_suites.transformed import slopes

from .arranging import astype_of
from .pointwise import softmax_of
from .reference import with_gradient

INF, NAN = float("inf"), float("nan")
NP = "jax.numpy."
ASTYPE, SOFTMAX, SOFTPLUS = "jax.Array.astype", "jax.nn.softmax", "jax.nn.softplus"
NEAR = {"f16": 4e-3, "bf16": 2e-2, "f32": 1e-5, "f64": 1e-12, "c64": 1e-5}


def own_dtype(t, made, dtype):
    """Expects this dtype of each array."""
    found = [str(one.dtype) for one in made]
    want = str(t.dtype(dtype))
    t.expect(t.place == "wide" or found == [want] * len(made), "%s, got %s" % (want, found))


# --- astype


def _halves(np, x, target):
    """The bits of the nearest number of 16 bits, of two equally near the even one."""
    bits = x.astype(np.float32)
    if target == "f16":
        return bits.astype(np.float16).view(np.uint16)
    words = bits.view(np.uint32).astype(np.int64)
    return (words + 0x7FFF + (words >> 16 & 1)) >> 16


@case(ASTYPE, target=["bf16", "f16"], core=False, reference=lambda np, x, y, target: [
      _halves(np, x, target), _halves(np, y, target)])  # fmt: skip
def rounded_to_halves(t, target):
    """To the nearest, to the even one of two; bit by bit. What is too large is infinite."""
    lax, narrow = t.fw.lax, t.dtype(target)

    def bits(x):
        return lax.bitcast_convert_type(x.astype(narrow), "uint16")

    edges = [
        1 + 2**-8,
        1 + 3 * 2**-8,
        1 + 2**-11,
        1 + 3 * 2**-11,
        1e6,
        -7e4,
        65519.0,
        65520.0,
        -0.0,
        1e-6,
        INF,
    ]
    return [t.call(bits, t.randn((300,), "f32")), t.call(bits, t.const(edges, "f32"))]  # fmt: skip


NARROW = "int8 uint8 int16 uint16 uint32"  # names of dtypes


@case(ASTYPE, dtypes="i32 i64", core=False, reference=lambda np, x: [
      x.astype(np.int64).astype(kind) for kind in NARROW.split()])  # fmt: skip
def integers_keep_their_low_bits(t, dtype):
    """Of numbers beyond a narrower dtype, which is asked for by its name."""
    x = t.const([300, -1, 128, -129, 40000, -32769, 2**31 - 1, -(2**31), 7], dtype)
    made = [t.call(astype_of, x, kind) for kind in NARROW.split()]
    t.expect([str(one.dtype) for one in made] == NARROW.split(), "the dtypes asked for")
    return made


@case(ASTYPE, core=False, reference=lambda np, x, z, m: [
      np.array([1, 0, 0, 1, 1, 1]), np.array([0, 1, 1, 1]), m * 1.0, m * 1, m + 0j, x + 0j])  # fmt: skip
def truths_and_complex_numbers(t):
    """NaN is true, both zeros are false, a complex number is true by either part; truths become 0 and 1."""
    x = t.const([NAN, 0.0, -0.0, INF, 1e-30, -2.0], "f32")
    z = t.const([0j, 1j, 2 + 0j, complex(0, NAN)], "c64")
    m = t.const([True, False, False, True, True], "bool")
    kinds = (x, "bool"), (z, "bool"), (m, "f32"), (m, "i8"), (m, "c64"), (x, "c64")
    made = [t.call(astype_of, one, t.dtype(kind)) for one, kind in kinds]
    for one, (_, kind) in zip(made, kinds):
        own_dtype(t, [one], kind)
    return made


@case(
    ASTYPE,
    kind=["float8_e4m3fn", "float8_e5m2", "int4"],
    core=False,
    reference=lambda np, x, kind: x,
)
def to_few_bits_and_back(t, kind):
    x = t.randint((40,), "f32", -7, 8)
    narrow = t.call(astype_of, x, kind)
    t.expect(str(narrow.dtype) == kind, "%s, got %s" % (kind, narrow.dtype))
    return t.call(astype_of, narrow, t.dtype("f32"))  # fmt: skip


@case(ASTYPE, dtypes="f32", core=False, rtol=NEAR, reference=lambda np, x, w, z: [
      w, np.trunc(x), z.real])  # fmt: skip
def slopes_through_casts(t, dtype):
    """Through a half and back, past whole numbers, which have none, and through complex numbers."""
    jax = t.fw

    def slopes(x, w, z):
        def half(v):
            return (v.astype("float16").astype(v.dtype) * w).sum()

        def whole(v):
            return (v.astype("int32").astype(v.dtype) * v).sum()

        def both(v):
            return (v.astype("complex64") * z).real.sum()

        return [jax.grad(f)(x) for f in (half, whole, both)]

    x = t.uniform((7,), dtype, 1, 9)
    return t.call(slopes, x, t.randint((7,), dtype, -9, 9), t.randn((7,), "c64"))


@case(ASTYPE, core=False, reference="none")
def what_astype_takes(t):
    """Python's types, none, a device, a copy of its own; text is refused. A weak type ends."""
    x, jnp = t.const([1.5, -2.5, 3.0], "f32"), t.fw.numpy
    kinds = [
        (int, "int32"),
        (float, "float32"),
        (bool, "bool"),
        (complex, "complex64"),
        (None, "float32"),
    ]
    for kind, want in kinds:
        found = t.call(astype_of, x, kind)
        t.expect(str(found.dtype) == want, "%s of %s, got %s" % (want, kind, found.dtype))
        right = t.np.array([1.5, -2.5, 3.0]).astype(want)
        t.expect(bool((t.host(found) == right).all()), "%s, got %s" % (right, found))
    t.expect(not t.call(astype_of, jnp.asarray(2.0), "float32").weak_type, "no weak type")
    if not t.compiled:
        copied = x.astype("float32", copy=True)
        moved = x.astype("int32", device=t.device)
        t.expect(moved.devices() == {t.device}, "on the device asked for")
        copied.delete()
        t.expect(t.host(x).tolist() == [1.5, -2.5, 3.0], "the first one when its copy is deleted")
    for wrong in ("nonsense", str, 3):
        t.refuses(astype_of, x, wrong)  # fmt: skip


# --- softmax


@case(SOFTMAX, dtypes="f32 bf16 f16 f64", core=False, rtol=NEAR, reference=lambda np, x: [
      softmax_of(np, x, axis) for axis in (-2, 1, (0, 2), (-1, 1), None)])  # fmt: skip
def over_several_axes(t, dtype):
    x = t.randn((3, 4, 5), dtype)
    made = [t.call(SOFTMAX, x, axis=axis) for axis in (-2, 1, (0, 2), (-1, 1), None)]
    own_dtype(t, made, dtype)
    return made


def _masked(np, x, m):
    e = np.where(m, np.exp(x - np.where(m, x, -np.inf).max(-1, keepdims=True, initial=-1e9)), 0)
    return e / np.maximum(e.sum(-1, keepdims=True), 1e-300)


@case(SOFTMAX, dtypes="f32 bf16", core=False, rtol=NEAR, reference=lambda np, x, m, row: [
      _masked(np, x, m), _masked(np, x[1:2], row)])  # fmt: skip
def rows_with_nothing_left(t, dtype):
    """A row that is masked whole is zero; a mask that is broadcast; what is hidden may be anything."""
    x = t.const([[1, 2, 3, 0], [0.5, -1, 2, 1], [0.25, 9, NAN, 1], [2, INF, 1, 0]], dtype)
    m = t.const([[0, 0, 0, 0], [1, 1, 1, 1], [1, 1, 0, 1], [1, 0, 1, 1]], "bool")
    row = t.const([True, False, True, True], "bool")
    return [t.call(SOFTMAX, x, where=m), t.call(SOFTMAX, x[1:2], where=row)]


def _masked_pull(np, w, x, m):
    y = _masked(np, x, m)
    return y * (w - (w * y).sum(-1, keepdims=True))


@case(SOFTMAX, dtypes="f32 f64", grad=True, core=False, rtol=NEAR, atol={"f32": 1e-6},
      reference=with_gradient(_masked, _masked_pull))  # fmt: skip
def slope_of_what_is_not_hidden(t, dtype):
    """That of a hidden number is zero, even of a large one."""
    x = t.const([[36.0, 1e4, 35.0, 34.5], [1.0, 2.0, -1.0, 1e30]], dtype, grad=True)
    m = t.const([[True, False, True, True], [True, True, True, False]], "bool")
    return t.call(lambda x, m: t.fw.nn.softmax(x, where=m), x, m)


@case(SOFTMAX, dtypes="f32 bf16", grad=True, core=False, rtol=NEAR, atol={"f32": 1e-6, "bf16": 1.6e-2},
      reference=with_gradient(lambda np, x: softmax_of(np, x, 0), lambda np, w, x: softmax_of(np, x, 0) * (
          w - (w * softmax_of(np, x, 0)).sum(0))))  # fmt: skip
def slope_along_the_first_axis(t, dtype):
    return t.call(lambda x: t.fw.nn.softmax(x, axis=0), t.randn((5, 3), dtype))


@case(
    SOFTMAX, dtypes="f32 bf16 f16", core=False, rtol=NEAR, reference=lambda np, x: softmax_of(np, x)
)
def long_rows(t, dtype):
    """Thousands of numbers of a row add up to one."""
    made = t.call(SOFTMAX, t.uniform((3, 4000), dtype, -2, 2))
    sums = t.host(made).astype("float64").sum(1)
    t.expect(bool((abs(sums - 1) < 0.01).all()), "one in each row, got %s" % sums)
    return made  # fmt: skip


@case(SOFTMAX, dtypes="i32 i8 u8", core=False, rtol=NEAR, reference=lambda np, x: softmax_of(np, x.astype(float)),
      cpu_fails={"u8": "jax 0.10.2: it subtracts before it converts, so that unsigned numbers wrap around"})  # fmt: skip
def of_integers(t, dtype):
    """They become fractions."""
    made = t.call(SOFTMAX, t.randn((4, 5), dtype))
    own_dtype(t, [made], "f32")
    return made


@case(
    SOFTMAX,
    core=False,
    trivial=True,
    reference=lambda np: [np.zeros(0), np.zeros((3, 0)), np.zeros((0, 3)), 1.0],
)
def of_nothing_and_of_one(t):
    zeros = t.fw.numpy.zeros
    made = [t.call(SOFTMAX, zeros(shape)) for shape in ((0,), (3, 0), (0, 3))]
    return [*made, t.call(SOFTMAX, 2.5, axis=None)]  # fmt: skip


def _bent_softmax(np, x, v, m, rule):
    def slope(np, x):
        return _masked_pull(np, 2 * _masked(np, x, m) * np.arange(1, 6), x, m)

    return slope(np, x), slopes(np, slope, [x], [v])[0]


@case(SOFTMAX, dtypes="f32 f64", rule=[False, True], core=False, rtol={"f32": 1e-4, "f64": 1e-9}, atol={"f32": 1e-5, "f64": 1e-10},
      reference=_bent_softmax)  # fmt: skip
def slope_of_the_slope_by_either_rule(t, dtype, rule):
    """jax_softmax_custom_jvp or the slopes of its parts: the same twice, where some are hidden, too."""
    jax, f = t.fw, t.get(SOFTMAX)
    x, v = t.uniform((3, 5), dtype, -2, 2), t.randn((3, 5), dtype)
    m = t.const([[1, 1, 0, 1, 1], [1, 1, 1, 1, 1], [0, 1, 1, 0, 1]], "bool")

    def total(x, m):
        return (f(x, where=m) ** 2 * jax.numpy.arange(1, 6, dtype=x.dtype)).sum()

    def run(x, v, m):
        with jax.softmax_custom_jvp(rule):
            return jax.jvp(jax.grad(lambda x: total(x, m)), (x,), (v,))

    return t.call(run, x, v, m)


@case(SOFTMAX, dtypes="f16 bf16 f32", grad=True, core=False, rtol=NEAR, atol={"f16": 2e-3, "bf16": 1.6e-2, "f32": 1e-6},
      reference=with_gradient(lambda np, x: softmax_of(np, x), lambda np, w, x: _masked_pull(np, w, x, x == x)))  # fmt: skip
def slope_of_far_logits(t, dtype):
    """None of minus infinity, without NaN; of thousands apart, and of equal ones."""
    x = [[1, -INF, 2, 0.5], [3e4, -3e4, 2.99e4, 0], [-5, -5, -5, -5], [-INF, 0, -INF, 0.25]]
    return t.call(SOFTMAX, t.const(x, dtype, grad=True))


@case(SOFTMAX, core=False, reference="none")
def softmax_refuses(t):
    """A list, text, an axis twice, an axis of a single number."""
    t.refuses(SOFTMAX, [1.0, 2.0])
    t.refuses(SOFTMAX, "text")
    t.refuses(SOFTMAX, t.randn((2, 3), "f32"), axis=(0, 0))
    t.refuses(SOFTMAX, 2.5)


# --- softplus


@case(SOFTPLUS, dtypes="f32 bf16 f16 f64", core=False, rtol=NEAR, atol=dict.fromkeys(NEAR, 0.0),
      reference=lambda np, x: np.logaddexp(x, 0))  # fmt: skip
def of_numbers_below_zero(t, dtype):
    """As small as exp(-8), to as many digits."""
    return t.call(SOFTPLUS, t.uniform((200,), dtype, -8, 0))


@case(SOFTPLUS, dtypes="f32 f64", grad=True, core=False, rtol=NEAR, atol=dict.fromkeys(NEAR, 0.0),
      reference=with_gradient(lambda np, x: np.logaddexp(x, 0), lambda np, w, x: w / (1 + np.exp(-x))))  # fmt: skip
def slope_at_the_ends(t, dtype):
    """0 and 1 at the infinities, a half at zero, NaN of NaN; below zero as small as the value."""
    x = [0.0, INF, -INF, NAN, -60.0, 60.0, 1e-8, -3.0, 3.0]
    return t.call(SOFTPLUS, t.const(x, dtype, grad=True))


def _derivatives(np, x):
    s = 1 / (1 + np.exp(-x))
    one = s * (1 - s)
    return [s, one, one * (1 - 2 * s), one * (1 - 6 * one)]


@case(
    SOFTPLUS,
    dtypes="f32 f64",
    core=False,
    rtol=NEAR,
    atol={"f32": 1e-6, "f64": 1e-12},
    reference=_derivatives,
)
def derivatives_of_derivatives(t, dtype):
    """Four of them, backwards, at zero and beside it."""
    jax = t.fw

    def four(x):
        found, f = [], t.get(SOFTPLUS)
        for _ in range(4):
            f = jax.grad(f)
            found.append(jax.vmap(f)(x))
        return found

    return t.call(four, t.const([0.0, 1e-8, -1.0, 0.5, 2.0], dtype))  # fmt: skip


@case(SOFTPLUS, core=False, rtol=NEAR, reference=lambda np, n, m, z, h: [
      np.logaddexp(n.astype(float), 0), np.logaddexp(m.astype(float), 0), np.log(1 + np.exp(z)), np.maximum(h, 0)])  # fmt: skip
def of_whole_truths_and_complex_numbers(t):
    """Integers and truths give fractions; a half does not overflow."""
    n, m = t.randint((9,), "i32", -9, 9), t.const([True, False, True], "bool")
    z, h = t.uniform((5,), "c64", 0.25, 1.5), t.const([3e4, -3e4, 20.0, 65504.0], "f16")
    made = [t.call(SOFTPLUS, one) for one in (n, m, z, h)]
    own_dtype(t, made[:2], "f32")
    own_dtype(t, made[3:], "f16")
    return made


# --- scalar types, issubdtype


@case(
    NP + "float32",
    dtypes="f16 bf16 i8 u8 i32 i64 f64 bool",
    core=False,
    reference=lambda np, x: [1.0 * x, 1.0 * x[0]],
)
@case(NP + "int32", dtypes="f16 bf16 f32 i8 u8 i64 f64 bool", core=False, reference=lambda np, x: [
      np.trunc(x), np.trunc(x[0])])  # fmt: skip
def casts_in_programs(t, function, dtype):
    """Of any kind, under jit and vmap; negative fractions are cut to zero."""
    f, to = t.get(function), function.rpartition(".")[2]
    x = (
        t.const([1, 0, 1, 1], dtype)
        if dtype == "bool"
        else t.uniform((30,), dtype, 0 if dtype == "u8" else -99, 99)
    )
    made = [t.call(t.fw.jit(t.fw.vmap(f)), x), t.call(t.fw.jit(f), x[0])]
    own_dtype(t, made, "i32" if to == "int32" else "f32")
    return made  # fmt: skip


class Colour(enum.IntEnum):
    RED = 42


@case(
    NP + "int32",
    core=False,
    trivial=True,
    reference=lambda np: [42, 7, 2, -(2**31), 2**31 - 1, np.zeros(0)],
)
def numbers_that_become_integers(t):
    """Of an enumeration, of NumPy, the least and the largest, none; NaN, None and ragged lists are refused."""
    name, np = NP + "int32", t.np
    given = [Colour.RED, np.int64(7), np.float64(2.75), -(2**31), 2**31 - 1, []]
    made = [t.call(name, one) for one in given]
    own_dtype(t, made, "i32")
    t.raises((ValueError, OverflowError), t.call, name, NAN)
    t.raises(OverflowError, t.call, name, -(2**31) - 1)
    for wrong in (None, [1, [2]]):
        t.refuses(name, wrong)
    return made


@case(NP + "float32", core=False, reference=lambda np: [
      np.float32(0.1), 2.0**24, 2.0**24 + 4, np.inf, -np.inf, np.nan, -0.0, 42, 1])  # fmt: skip
def numbers_that_become_fractions(t):
    """Rounded to the nearest, of two to the even one; too large is infinite; what is no number is refused."""
    name = NP + "float32"
    given = [0.1, 2**24 + 1, 2**24 + 3, 1e300, -INF, NAN, -0.0, Colour.RED, True]
    made = [t.call(name, one) for one in given]
    own_dtype(t, made, "f32")
    t.expect(bool(t.np.signbit(t.host(made[6]))), "the sign of zero")
    t.raises(OverflowError, t.call, name, 10**400)
    for wrong in (None, [1, [2]]):
        t.refuses(name, wrong)
    return made


@case(NP + "float32", dtypes="bf16 f16", core=False, rtol=NEAR, reference=lambda np, x: [x, 2 * x])
def slope_of_a_cast(t, dtype):
    """It has the dtype of what was cast."""
    f = t.get(NP + "float32")
    made = t.call(lambda x: [f(x), t.fw.grad(lambda v: (f(v) ** 2).sum())(x)], t.randn((6,), dtype))
    own_dtype(t, made[1:], dtype)
    return made


KINDS_OF = "generic number inexact floating complexfloating integer signedinteger unsignedinteger"
TYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128"
SUBDTYPE = NP + "issubdtype"


@case(SUBDTYPE, host_only=True, core=False, reference="none")
def as_numpy_has_it(t):
    """Each dtype, by its name, its object and its scalar type, of each kind and of each other dtype."""
    np, jnp = t.np, t.fw.numpy
    for one in TYPES.split():
        for given in (one, np.dtype(one), np.dtype(one).type):
            for kind in KINDS_OF.split():
                found = t.call(SUBDTYPE, given, getattr(jnp, kind))
                want = np.issubdtype(one, getattr(np, kind))
                t.expect(
                    found is bool(want), "%s of %r and %s, got %r" % (want, given, kind, found)
                )
            for other in TYPES.split():
                t.expect(t.call(SUBDTYPE, given, other) is (one == other), "%s and %s" % (given, other))  # fmt: skip


FEW = {
    "bfloat16": "floating", "float8_e4m3fn": "floating", "float8_e5m2": "floating", "int4": "signedinteger",
    "uint4": "unsignedinteger", "int2": "signedinteger",
}  # fmt: skip


@case(SUBDTYPE, host_only=True, core=False, reference="none")
def kinds_that_numpy_does_not_have(t):
    """Few bits, and keys, which are no numbers."""
    np, jax, jnp = t.np, t.fw, t.fw.numpy
    above = {"floating": {"inexact"}, "signedinteger": {"integer"}, "unsignedinteger": {"integer"}}
    for one, kind in FEW.items():
        own = getattr(jnp, one)
        for given in (own, jnp.dtype(own)):
            found = {k for k in KINDS_OF.split() if t.call(SUBDTYPE, given, getattr(np, k))}
            want = {kind, "number", "generic"} | above[kind]
            t.expect(found == want, "%s of %s, got %s" % (want, one, found))
            t.expect(
                t.call(SUBDTYPE, given, own) and not t.call(SUBDTYPE, given, np.float64),
                "itself alone",
            )
    key, dtypes = jax.random.key(0).dtype, jax.dtypes
    found = [
        t.call(SUBDTYPE, key, one)
        for one in (dtypes.prng_key, dtypes.extended, np.generic, np.number)
    ]
    t.expect(found == [True, True, True, False], "a key, no number, got %s" % found)
    t.expect(not t.call(SUBDTYPE, "float32", dtypes.extended), "f32 is none of those")  # fmt: skip


@case(SUBDTYPE, host_only=True, core=False, reference="none")
def types_of_python_and_of_tracers(t):
    """Python's own types, dtypes of arrays that are traced; what is no dtype is refused."""
    jax, jnp = t.fw, t.fw.numpy
    rows = [(float, jnp.floating, True), (int, jnp.integer, True), (bool, jnp.bool_, True), (bool, jnp.integer, False),
            (complex, jnp.complexfloating, True), (jnp.float32, float, False), ("f4", "f8", False), (int, int, True)]  # fmt: skip
    for one, other, want in rows:
        t.expect(t.call(SUBDTYPE, one, other) is want, "%s of %s and %s" % (want, one, other))
    seen = []
    jax.eval_shape(
        lambda x: seen.append(t.get(SUBDTYPE)(x.dtype, jnp.floating)), t.randn((2,), "bf16")
    )
    t.expect(seen == [True], "of a tracer a truth of Python, got %s" % seen)
    for wrong in (1, "nonsense", (1, 2)):
        t.refuses(SUBDTYPE, wrong, jnp.integer)


TYPE = NP + "result_type"


@case(TYPE, host_only=True, core=False, reference="none")
def what_has_no_common_type(t):
    """Few bits beside others, objects, text; without promotion all but weak numbers. Of None the dtype of a fraction."""
    jax, jnp = t.fw, t.fw.numpy
    for given in (("nonsense",), (object,), (t.np.array(["a"]),), ([1, 2],)):
        t.refuses(TYPE, *given)
    for given in (("float8_e4m3fn", "float8_e5m2"), ("int4", "int8"), ("float8_e5m2", "float32")):
        t.raises((TypeError, ValueError), t.call, TYPE, *given)
    t.expect(str(t.call(TYPE, None)) == "float32", "f32 of None")
    for same in ("float8_e4m3fn", "int4", "bfloat16", bool, jnp.uint16):
        t.expect(t.call(TYPE, same, same) == jnp.dtype(same), "its own of two alike")
    found = t.call(TYPE, jnp.ones(2, "float8_e5m2"), 2.0)
    t.expect(str(found) == "float8_e5m2", "a number of Python is weak, got %s" % found)
    with jax.numpy_dtype_promotion("strict"):
        t.raises((TypeError, ValueError), t.call, TYPE, "int32", "float32")
        t.expect(
            str(t.call(TYPE, jnp.ones(2, "bfloat16"), 1.0)) == "bfloat16",
            "weak numbers all the same",
        )
