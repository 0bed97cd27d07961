"""Kinds of few bits and none: what they are, what they have in common with others, casts between them; updates of nothing, bounds of NumPy."""

from seamark_suites.case import case

from .arranging import astype_of
from .keys_everywhere import TYPED
from .reference import with_gradient
from .updates import placed
from .values_and_kinds import own_dtype

NP = "jax.numpy."
FLOATS = ["float4_e2m1fn", "float6_e2m3fn", "float6_e3m2fn", "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu"]  # fmt: skip
SIGNED, UNSIGNED = ("int2", "int4"), ("uint2", "uint4")


@case(NP + "issubdtype", host_only=True, core=False, since=("0.10.0", "floats of 4 and 6 bits"), reference="none")  # fmt: skip
def each_kind_of_few_bits(t):
    """By its name, its class and its dtype: of its kind and of itself, of no other, of no object."""
    np, jnp, name = t.np, t.fw.numpy, NP + "issubdtype"
    kinds = [*((one, np.floating) for one in FLOATS), *((one, np.signedinteger) for one in SIGNED), *((one, np.unsignedinteger) for one in UNSIGNED)]  # fmt: skip
    for one, kind in kinds:
        own = getattr(jnp, one)
        above = np.inexact if kind is np.floating else np.integer
        for given in (one, own, np.dtype(own), np.dtype(own).type):
            for other in (one, own, np.dtype(own), kind, above, np.number, np.generic):
                t.expect(t.call(name, given, other) is True, "%r is a %r" % (given, other))
            for other in (object, np.float64, np.int64, np.complexfloating, np.bool_, "int8"):
                t.expect(t.call(name, given, other) is False, "%r is no %r" % (given, other))
        t.expect(t.call(name, np.generic, own) is False, "no kind is within it")
    for one in FLOATS:
        others = [other for other in FLOATS if t.call(name, one, other)]
        t.expect(others == [one], "itself alone, got %s" % others)


@case(NP + "issubdtype", host_only=True, core=False, since=TYPED, reference="none")
def keys_by_their_dtypes_and_bfloat16_by_name(t):
    """A dtype of keys is itself and no other algorithm's; words are none, an array is no dtype; a name of 16 bits."""
    jax, np, name = t.fw, t.np, NP + "issubdtype"
    dtypes, key, words = jax.dtypes, jax.random.key(0), jax.random.PRNGKey(0)
    own, other, prng = key.dtype, jax.random.key(0, impl="rbg").dtype, dtypes.prng_key
    above = (prng, dtypes.extended, np.generic)
    rows = [
        (own, (own, *above), (other, np.number, np.integer, np.unsignedinteger, np.bool_, "uint32")),
        (prng, above, (own, np.number)), (words.dtype, (np.generic,), (prng, own, dtypes.extended)),
        *((one, (np.generic,), (prng,)) for one in ("float32", "bfloat16", "int4", np.bool_, dtypes.float0)), (np.generic, (np.generic,), (prng,)),
        ("bfloat16", (np.floating, np.inexact, np.number, np.generic, "bfloat16", t.fw.numpy.bfloat16),
         (np.complexfloating, np.integer, np.bool_, object, "float32", "float16", np.float64)),
    ]  # fmt: skip
    for one, within, without in rows:
        for want, kinds in ((True, within), (False, without)):
            for kind in kinds:
                found = t.call(name, one, kind)
                t.expect(found is want, "%s of %r and %r, got %r" % (want, one, kind, found))
    for one in (key, jax.random.split(key, 3)):
        t.raises((TypeError, ValueError), t.call, name, one, prng)


WIDE = [
    "bool",
    "int8",
    "uint8",
    "int16",
    "int32",
    "uint32",
    "float16",
    "bfloat16",
    "float32",
    "complex64",
]


@case(NP + "result_type", host_only=True, core=False, since=("0.10.0", "floats of 4 and 6 bits"), reference="none")  # fmt: skip
def few_bits_beside_others(t):
    """Fractions of few bits take truths and whole numbers, integers of few bits truths alone; no two of them meet."""
    jax, name = t.fw, NP + "result_type"
    refused = jax.dtypes.TypePromotionError
    whole = ["bool", "int8", "uint8", "int16", "int32", "uint32"]
    for few, taken, weak in ((FLOATS, whole, (int, float)), (SIGNED + UNSIGNED, ["bool"], (int,))):
        for one in few:
            for other in (*WIDE, *FLOATS, *SIGNED, *UNSIGNED, int, float, complex):
                for given in ((one, other), (other, one)):
                    if other == one or other in taken or other in weak:
                        t.expect(str(t.call(name, *given)) == one, "%s of %s" % (one, given))
                    elif not (one in FLOATS and other in whole):
                        t.raises(refused, t.call, name, *given)


@case(NP + "result_type", host_only=True, core=False, reference="none")
def strictly_none_but_weak_ones(t):
    """jax.numpy_dtype_promotion("strict"): each dtype beside itself and beside the numbers of Python that it holds."""
    jax, name, few = t.fw, NP + "result_type", FLOATS[8]
    holds = {"bool": (), "int8": (int,), "int32": (int,), "uint32": (int,), "bfloat16": (int, float), "float32": (int, float), few: (int, float),
             "complex64": (int, float, complex)}  # fmt: skip
    refused = jax.dtypes.TypePromotionError
    with jax.numpy_dtype_promotion("strict"):
        for one, weak in holds.items():
            for other in holds:
                if one == other:
                    t.expect(str(t.call(name, one, other)) == one, "%s of two" % one)
                else:
                    t.raises(refused, t.call, name, one, other)
            for other in (int, float, complex):
                for given in ((one, other), (other(1), jax.ShapeDtypeStruct((2,), one))):
                    if other in weak:
                        t.expect(str(t.call(name, *given)) == one, "%s of %s" % (one, given))
                    else:
                        t.raises(refused, t.call, name, *given)
        numbers = [1, 1.0, 1j]
        found = [str(t.call(name, a, b)) for a in numbers for b in numbers]
        want = "int32 float32 complex64 float32 float32 complex64 complex64 complex64 complex64"
        t.expect(" ".join(found) == want, "as Python has it, got %s" % found)
    for a, b, want in (("int8", "uint8", "int16"), ("uint32", "int32", "int32"), ("float16", "bfloat16", "float32"), ("int32", "bfloat16", "bfloat16")):  # fmt: skip
        t.expect(str(t.call(name, a, b)) == want, "and else %s" % want)


@case(
    "jax.Array.astype", kind=["int4", "uint4"], core=False, reference=lambda np, x, kind: [x, x, x]
)
def whole_numbers_of_four_bits(t, kind):
    """To eight bits and back, in a program, too; of an array of NumPy's of that dtype; the least and the largest."""
    jax, np = t.fw, t.np
    values = [1, -2, -3, 4, -8, 7] if kind == "int4" else [1, 2, 3, 4, 15, 0]
    wide = kind.replace("4", "8")
    x = t.const(values, "i8" if kind == "int4" else "u8")
    own = jax.numpy.asarray(np.array(values, dtype=kind))
    narrow = t.call(astype_of, x, kind)
    made = [t.call(astype_of, own, wide), astype_of(narrow, wide), jax.jit(lambda x: x.astype(kind).astype(wide))(x)]  # fmt: skip
    t.expect(str(narrow.dtype) == kind and str(own.dtype) == kind, "%s, got %s" % (kind, narrow.dtype))  # fmt: skip
    own_dtype(t, made, "i8" if kind == "int4" else "u8")
    return made


UPDATE = "jax.lax.dynamic_update_slice"
NOTHING = [((7, 5, 3), (4, 1, 0), (2, 0, 1)), ((5, 3), (1, 1), (3, 1)), ((3,), (1,), (1,)), ((4, 0), (1, 0), (2, 0))]  # fmt: skip


def _written(np, *given):
    return [placed(np, x, part, *start) for x, part, (_, start, _) in zip(given[::2], given[1::2], NOTHING)]  # fmt: skip


def _pulled(np, *given):
    slopes, weights, given = [], given[0], given[1:]
    for w, x, part, (_, start, _) in zip(weights, given[::2], given[1::2], NOTHING):
        kept = placed(np, np.ones(x.shape), np.zeros(part.shape), *start)
        where = tuple(slice(s, s + n) for s, n in zip(start, part.shape))
        slopes += [w * kept, w[where]]
    return slopes


@case(UPDATE, dtypes="f32", grad=True, core=False, reference=with_gradient(_written, _pulled))
def slopes_of_updates_of_nothing(t, dtype):
    """Parts of no numbers, rows of none, beside others: the slope stays where nothing was written. Starts of NumPy's, in one array."""
    f, np = t.get(UPDATE), t.np
    given = [t.randn(shape, dtype) for shapes in NOTHING for shape in (shapes[0], shapes[2])]

    def run(*given):
        return [f(x, part, np.array(start)) for x, part, (_, start, _) in zip(given[::2], given[1::2], NOTHING)]  # fmt: skip

    return t.call(run, *given)


@case(UPDATE, dtypes="f32 i32", core=False, reference=lambda np, x, y: [0 * x + 7, y, y[0], x[0], np.ones(4)])  # fmt: skip
def arrays_without_axes(t, dtype):
    """No starts: the part is all of it, a number of Python, too; for each of a batch, in a program; its slope is one."""
    jax, f = t.fw, t.get(UPDATE)
    x, y = t.randint((4,), dtype, -9, 9), t.randint((4,), dtype, -9, 9)

    def run(x, y):
        sevens = jax.vmap(lambda v: f(v, 7 if dtype == "i32" else 7.0, []))(x)
        mapped = jax.vmap(lambda v, w: f(v, w, ()))(x, y)
        slope = jax.vmap(jax.grad(lambda w: f(w * 0, w, ())))(y.astype("float32"))
        return [sevens, mapped, jax.jit(f)(x[0], y[0], ()), jax.vmap(lambda v: f(v, x[0], []), axis_size=4)(y)[0], slope]  # fmt: skip

    return t.call(run, x, y)


@case(NP + "concatenate", core=False, reference=lambda np, x: [np.array([0, 1]), np.array([0, 1.5, 2]), np.append(x, 7), x.ravel()])  # fmt: skip
def numbers_put_together(t):
    """axis=None: NumPy's numbers alone, of several kinds, beside an array; along an axis they have none."""
    np, name = t.np, NP + "concatenate"
    x = t.randn((2, 3), "f32")
    given = [[np.int32(0), np.int32(1)], [np.int8(0), np.float32(1.5), 2], [x, np.float32(7)], x]
    made = [t.call(name, one, axis=None) for one in given]
    t.expect([str(one.dtype) for one in made] == ["int32", *["float32"] * 3], "what holds them all")
    t.raises((TypeError, ValueError), t.call, name, given[0])
    return made


BOUNDS = [(-1, None), (None, 1), (-0.9, 1), ([-1.0], None), (None, [1.0]), ([-0.9], [1.0]), ([3.0], [2.0])]  # fmt: skip


@case(NP + "clip", dtypes="f32 i8 u8", core=False, reference=lambda np, x: [
      np.minimum(np.maximum(x, -np.inf if a is None else abs(np.float32(a)) if x.min() >= 0 else np.float32(a)), np.inf if b is None else b)
      for a, b in BOUNDS])  # fmt: skip
def bounds_of_numpy(t, dtype):
    """NumPy's arrays of one number widen whole numbers to fractions, Python's whole ones do not; crossed ones give the upper."""
    np, f = t.np, t.get(NP + "clip")
    x = t.randint((3, 4), dtype, 0 if dtype == "u8" else -4, 5)
    made = []
    for low, high in BOUNDS:
        ends = []
        for one, sign in ((low, -1), (high, 1)):
            if dtype == "u8" and one is not None and sign < 0:
                one = np.abs(one).tolist()
            ends.append(np.array(one, "float32") if isinstance(one, list) else one)
        made.append(t.call(lambda x, ends=ends: f(x, min=ends[0], max=ends[1]), x))
    kept = [str(one.dtype) == str(x.dtype) for one in made]
    t.expect(kept == ([True] * 7 if dtype == "f32" else [True, True] + [False] * 5), "kinds, got %s" % kept)  # fmt: skip
    return made


@case("jax.random.normal", core=False, reference="none", since=("0.4.26", "jax.legacy_prng_key"))
@case("jax.random.uniform", core=False, reference="none", since=("0.4.26", "jax.legacy_prng_key"))
def words_that_are_no_key_at_all(t, function):
    """TypeError comes first, whether keys of words are refused or not; a key of words is told of once it is one."""
    jax, f, jnp = t.fw, t.get(function), t.fw.numpy
    for mode in ("allow", "warn", "error"):
        with jax.legacy_prng_key(mode):
            for wrong in (jnp.zeros(1, "float32"), jnp.zeros(2, "float32"), jnp.zeros(3, "uint32")):
                t.raises((TypeError, ValueError) if mode != "error" else TypeError, f, wrong)
            made = t.call(f, jax.random.key(1), (9,))
        want = t.host(f(jax.random.key(1), (9,)))
        same = t.np.allclose(t.host(made), want, rtol=1e-6, atol=1e-6)
        t.expect(same and str(made.dtype) == "float32", "of a key with a dtype always, got %s" % made)  # fmt: skip
