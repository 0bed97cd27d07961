"""Keys split, and numbers drawn with them. Threefry is defined bit by bit: every device must draw the same numbers."""

from seamark_suites.case import case

from . import reference_draws as right

# Bits of a word, and those that are used: as many as the significand has.
WORDS = {"bf16": (8, 7), "f16": (16, 10), "f32": (32, 23), "f64": (64, 52), "c64": (32, 23)}
# erf_inv is a polynomial, worst near -1 and 1; in bf16 and f16 it rounds, and so does each factor.
NORMAL = {"f32": 1e-5, "bf16": 2e-2, "f16": 4e-3, "f64": 1e-12, "c64": 1e-5}


def plan(t, dtype="f32", shape=()):
    """What is drawn, for the reference alone."""
    each = int(t.fw.config.jax_threefry_partitionable)
    t.const([each, *WORDS[dtype], *shape], "i32")


def words(t, shape=(2,)):
    """The two words of a key, as users had them before keys had a dtype of their own."""
    return t.randint(shape, "u32", 0, 2**32)


def some_key(t, dtype="f32", shape=()):
    plan(t, dtype, shape)
    return words(t)


# --- split


@case("jax.random.split", num=[2, 7, (2, 3)], reference=right.split)
def split(t, num):
    return t.call("jax.random.split", some_key(t), num)


@case("jax.random.split", reference=right.split)
def two_keys_by_default(t):
    first, second = t.call("jax.random.split", some_key(t))
    return t.fw.numpy.stack([first, second])


def split_typed(key, num):
    import jax

    parts = jax.random.split(jax.random.wrap_key_data(key), num)
    return jax.random.key_data(parts), parts.ndim


@case("jax.random.split", num=[3, (2, 2)],
      reference=lambda np, plan, key, num: (
          right.split(np, plan, key, num), len(num) if isinstance(num, (tuple, list)) else 1
      ))  # fmt: skip
def typed_keys(t, num):
    """A key with a dtype of its own gives such keys, an array of them."""
    return t.call(split_typed, some_key(t), num)


def split_each(keys):
    import jax

    return jax.vmap(jax.random.split)(keys)


@case("jax.random.split", reference=lambda np, *given: right.of_each(np, right.split, *given))
def a_batch_of_keys(t):
    plan(t)
    return t.call(split_each, words(t, (5, 2)))


def chain(key):
    """As a training loop splits: one part is used, the other is split again."""
    import jax

    def step(key, _):
        key, used = jax.random.split(key)
        return key, used

    return jax.lax.scan(step, key, None, length=6)


def chained(np, plan, key):
    used = []
    for _ in range(6):
        key, one = right.split(np, plan, key)
        used.append(one)
    return key, np.stack(used)


@case("jax.random.split", reference=chained)
def a_chain_of_keys(t):
    return t.call(chain, some_key(t))


def split_and_draw(key, count):
    import jax

    keys = jax.random.split(key, count)
    return jax.jit(jax.vmap(lambda one: jax.random.uniform(one, (4,))))(keys)


@case("jax.random.split", count=3, core=False,
      reference=lambda np, plan, key, count: right.of_each(
          np, right.uniform, plan, right.split(np, plan, key, count)
      ))  # fmt: skip
def draws_of_each_part(t, count):
    return t.call(split_and_draw, some_key(t, shape=(4,)), count)


@case("jax.random.split", core=False,
      reference=lambda np, plan, key: [right.split(np, plan, key, n) for n in (2, 3, 9)])  # fmt: skip
def numbers_one_after_another(t):
    key = some_key(t)
    return [t.call("jax.random.split", key, n) for n in (2, 3, 9)]


def split_rbg(key):
    import jax

    return jax.random.key_data(jax.random.split(jax.random.wrap_key_data(key, impl="rbg"), 3))


@case("jax.random.split", core=False, reference=lambda np, plan, key: np.concatenate(
    [right.split(np, plan, half, 3) for half in (key[:2], key[2:])], 1
).reshape(3, 4) if plan[0] else right.of_each(np, right.split, plan, key.reshape(2, 2), num=3
).reshape(3, 4))  # fmt: skip
def keys_of_rbg(t):
    """The four words of such a key are two keys of Threefry, and each is split for itself."""
    plan(t)
    return t.call(split_rbg, words(t, (4,)))


@case("jax.random.split", num=[1, (1, 1)], core=False, reference=right.split)
def one_part(t, num):
    return t.call("jax.random.split", some_key(t), num)


@case("jax.random.split", core=False, trivial=True, reference=lambda np, *_: np.zeros((0, 2)))
def no_parts(t):
    return t.call("jax.random.split", some_key(t), 0)


@case("jax.random.split", num=2000003, large=True, reference=right.split)
def large_split(t, num):
    return t.call("jax.random.split", some_key(t), num)


@case("jax.random.split", core=False, reference="none")
def what_cannot_be_split(t):
    keys = t.get("jax.random.split")(t.get("jax.random.key")(0))
    t.raises((TypeError, ValueError), t.call, "jax.random.split", keys)
    t.raises(TypeError, t.call, "jax.random.split", t.randn((3,), "f32"))
    t.raises(TypeError, t.call, "jax.random.split", keys[0], 2.5)


# --- uniform


@case(
    "jax.random.uniform",
    dtypes="f32 bf16 f16 f64",
    shapes="64x33 100",
    core="f32 bf16",
    rtol=dict.fromkeys(("f32", "bf16", "f16", "f64"), 0),  # bit by bit: no arithmetic rounds
    atol=dict.fromkeys(("f32", "bf16", "f16", "f64"), 0),
    reference=right.uniform,
)
def uniform(t, dtype, shape):
    return t.call("jax.random.uniform", some_key(t, dtype, shape), shape, t.dtype(dtype))


@case("jax.random.uniform", core=False, shapes="scalar 1 1x1", reference=right.uniform)
def one_number(t, shape):
    return t.call("jax.random.uniform", some_key(t, "f32", shape), shape)


@case("jax.random.uniform", core=False, shapes="0 3x0", trivial=True, reference=right.uniform)
def no_numbers(t, shape):
    return t.call("jax.random.uniform", some_key(t, "f32", shape), shape)


@case(
    "jax.random.uniform",
    dtypes="f32 bf16 f64",
    core="f32 bf16",
    low=-2.0,
    high=[3.0, -1.5],
    rtol={"f64": 1e-14},  # two roundings
    atol={"f64": 1e-14},
    reference=right.uniform,
)
def between(t, dtype, low, high):
    key = some_key(t, dtype, (40, 6))
    made = t.call("jax.random.uniform", key, (40, 6), t.dtype(dtype), minval=low, maxval=high)
    found = t.host(made)
    # In bf16 scaling may round up to the upper bound.
    t.expect(bool((found >= low).all() and (found <= high).all()), "numbers within the bounds")
    return made


def between_arrays(low, high, key):
    import jax

    return jax.random.uniform(key, (5, 6), low.dtype, low, high)


@case(
    "jax.random.uniform",
    dtypes="f32 f64",
    core="f32",
    grad=True,
    rtol={"f32": 1e-5, "f64": 1e-13},  # sums of a row, and of a column
    reference=lambda np, plan, low, high, key: (
        right.uniform(np, plan, key, low, high),
        moved_bounds(np, right.fractions(np, plan, key)),
    ),
)
def bounds_that_are_arrays(t, dtype):
    """Bounds broadcast against the shape, and have a derivative: 1 - u and u."""
    plan(t, dtype, (5, 6))
    low, high = t.uniform((5, 1), dtype, -3, -1), t.uniform((6,), dtype, 2, 5)
    return t.call(between_arrays, low, high, words(t))


def moved_bounds(np, fractions):
    w = np.linspace(0.5, 1.5, fractions.size).reshape(fractions.shape)
    return [(w * (1 - fractions)).sum(1, keepdims=True), (w * fractions).sum(0)]


def uniform_typed(key, shape):
    import jax

    typed = jax.random.wrap_key_data(key)
    once, again = jax.random.uniform(typed, shape), jax.random.uniform(typed, shape)
    return once, (once == again).all()


@case("jax.random.uniform", size=[(7, 3)],
      reference=lambda np, plan, key, size: (right.uniform(np, plan, key), True))  # fmt: skip
def uniform_of_a_typed_key(t, size):
    """The same numbers as of a key of two words, and the same again."""
    return t.call(uniform_typed, some_key(t, "f32", size), size)


def uniform_each(keys):
    import jax

    return jax.jit(jax.vmap(lambda key: jax.random.uniform(key, (8,))))(keys)


@case("jax.random.uniform", core=False,
      reference=lambda np, *given: right.of_each(np, right.uniform, *given))  # fmt: skip
def uniform_of_a_batch_of_keys(t):
    plan(t, "f32", (8,))
    return t.call(uniform_each, words(t, (5, 2)))


@case("jax.random.uniform", core=False,
      reference=lambda np, *given: [right.uniform(np, *given[i : i + 2]) for i in (0, 2, 4)])  # fmt: skip
def uniform_shapes_one_after_another(t):
    shapes = ((6,), (8, 5), (3, 2, 10))
    return [t.call("jax.random.uniform", some_key(t, "f32", one), one) for one in shapes]


def uniform_rbg(key, shape):
    import jax

    return jax.random.uniform(jax.random.wrap_key_data(key, impl="rbg"), shape, minval=1, maxval=3)


@case("jax.random.uniform", size=[(4000,)], random=True, core=False, reference="none")
def uniform_by_rbg(t, size):
    """Numbers of the device's own generator: their statistics alone are known."""
    made = t.call(uniform_rbg, words(t, (4,)), size)
    t.statistics(made, mean=2.0, std=2 / 12**0.5, low=1.0, high=3.0)


def uniform_of_few_bits(key, kind):
    import jax

    made = jax.random.uniform(key, (200,), getattr(jax.numpy, kind))
    return made.astype("float32"), str(made.dtype)


@case("jax.random.uniform", kind=["float8_e4m3fn", "float8_e5m2"], core=False,
      reference=lambda np, plan, key, kind: (right.uniform(np, plan, key), kind))  # fmt: skip
def uniform_in_fp8(t, kind):
    each = int(t.fw.config.jax_threefry_partitionable)
    t.const([each, 8, 3 if "m3" in kind else 2, 200], "i32")
    return t.call(uniform_of_few_bits, words(t), kind)


@case("jax.random.uniform", dtypes="f32", shapes="1500x2001", large=True, reference=right.uniform)
def large_uniform(t, dtype, shape):
    return t.call("jax.random.uniform", some_key(t, dtype, shape), shape, t.dtype(dtype))


@case("jax.random.uniform", core=False, reference="none")
def uniform_of_what_is_wrong(t):
    key = t.get("jax.random.key")(0)
    t.raises(ValueError, t.call, "jax.random.uniform", key, (2,), t.dtype("i32"))
    t.raises(ValueError, t.call, "jax.random.uniform", key, (2,), t.dtype("c64"))
    t.raises(TypeError, t.call, "jax.random.uniform", 3, (2,))
    t.raises(
        (TypeError, ValueError),
        t.call,
        "jax.random.uniform",
        key,
        (2,),
        minval=t.randn((3,), "f32"),
    )
    t.raises(TypeError, t.call, "jax.random.uniform", key, (2.5,))


# --- shapes, bounds and keys in other forms


def in_other_forms(key, low):
    import jax
    import numpy

    uniform, split = jax.random.uniform, jax.random.split
    whole = uniform(key, [4, 3], minval=-2, maxval=6)
    same = uniform(key, numpy.array([4, 3]), minval=low, maxval=low)
    program = jax.jit(uniform, static_argnums=1)(key, (4, 3))
    parts = split(key, numpy.int32(3)), split(key, [1, 3]), jax.jit(split, static_argnums=1)(key, 3)
    return whole, same, program, parts


@case("jax.random.uniform", core=False, rtol={"f32": 1e-6}, atol={"f32": 1e-6}, reference=lambda np, plan, key: (
      right.uniform(np, plan, key, -2, 6), np.full((4, 3), 2.5), right.uniform(np, plan, key), tuple(
          right.split(np, plan, key, n) for n in (3, (1, 3), 3))))  # fmt: skip
@case("jax.random.split", core=False, rtol={"f32": 1e-6}, atol={"f32": 1e-6}, reference=lambda np, plan, key: (
      right.uniform(np, plan, key, -2, 6), np.full((4, 3), 2.5), right.uniform(np, plan, key), tuple(
          right.split(np, plan, key, n) for n in (3, (1, 3), 3))))  # fmt: skip
def in_lists_and_programs(t):
    """Sizes in a list, of NumPy; whole bounds, and equal ones, which leave one number; in programs of `jit`."""
    found = t.call(in_other_forms, some_key(t, "f32", (4, 3)), t.fw.numpy.float32(2.5))
    t.expect(all(one.dtype == t.dtype("f32") for one in found[:3]), "f32 numbers")
    return found


@case("jax.random.uniform", core=False, reference="none")
@case("jax.random.split", core=False, reference="none")
def keys_and_sizes_that_cannot_be(t, function):
    """Several keys at once, text, words that are no key; another dtype; a number of keys that is traced."""
    jax, key = t.fw, t.get("jax.random.key")(0)
    more = (2,) if function.endswith("split") else ((2,),)
    for wrong in (jax.random.split(key), "text", None, t.np.zeros(3, "uint32"), t.np.zeros(2)):
        t.raises((TypeError, ValueError), t.call, function, wrong, *more)
    for options in (
        ({"minval": "a"}, {"dtype": "nonsense"})
        if more == ((2,),)
        else ({"num": "a"}, {"num": (1.5,)})
    ):
        t.raises((TypeError, ValueError), t.call, function, key, **options)
    t.raises(TypeError, jax.jit(t.get(function)), key, more[0])

    def numbers(draw):
        made = [draw(one, *more) for one in jax.random.split(key)]
        return [t.host(jax.random.key_data(m) if function.endswith("split") else m) for m in made]

    found = numbers(lambda *given: t.call(function, *given))
    t.expect(not t.np.array_equal(*found), "other numbers of another key")
    t.expect(t.np.array_equal(found, numbers(t.get(function))), "the same of the same key")


def _by_plans(np, key):
    return [right.split(np, (each, 32, 23), key, num) for each in (1, 0) for num in (5, (2, 3))]


@case("jax.random.split", core=False, reference=_by_plans)
def counted_for_each_or_in_halves(t):
    """jax_threefry_partitionable, either way: without a program and in one, which is then another."""
    jax, key, split, made = t.fw, t.randint((2,), "u32", 0, 2**32), t.get("jax.random.split"), []
    program = jax.jit(lambda key: split(key, (2, 3)))
    for each in (True, False):
        with jax.threefry_partitionable(each):
            made += [t.call(lambda key: split(key, 5), key), t.call(program, key)]
    return made


@case("jax.random.split", core=False, reference="none", since=("0.4.26", "debug_key_reuse"))
def keys_that_are_used_up(t):
    """Each key once, where jax_debug_key_reuse asks for it; a part may be used; keys keep their kind, in programs and ahead, too."""
    jax, split = t.fw, t.get("jax.random.split")

    def parts(key):
        first, second = split(key)
        return jax.random.uniform(first) + jax.random.uniform(second)

    def after(key):
        return split(key), jax.random.uniform(key)

    with jax.debug_key_reuse(True):
        t.expect(0 <= float(parts(jax.random.key(0))) < 2, "each part once")
        for wrong in (after, lambda key: (split(key), split(key))):
            t.raises(jax.errors.KeyReuseError, wrong, jax.random.key(1))
            t.raises(jax.errors.KeyReuseError, jax.jit(wrong), jax.random.key(1))
        split(jax.random.clone(split(jax.random.key(2))[0]))
    for kind in ("threefry2x32", "rbg", "unsafe_rbg"):
        key, words = jax.random.key(7, impl=kind), lambda key: jax.random.key_data(split(key, 4))
        made = [
            t.host(t.call(words, key)).tolist(),
            t.host(jax.jit(words).lower(key).compile()(key)).tolist(),
        ]
        t.expect(
            made[0] == made[1] and len({tuple(one) for one in made[0]}) == 4,
            "four, the same, got %s" % made,
        )
        keys = split(key, 4), *split(key)
        t.expect([one.shape for one in keys] == [(4,), (), ()], "four, and one each")
        t.expect(all(one.dtype == key.dtype for one in keys), "keys of %s, got %s" % (kind, keys))
