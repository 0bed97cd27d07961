"""Keys and what is drawn with them. Keys are exact; draws are checked by their statistics."""

from seamark_suites.case import case

from . import reference as right


@case("jax.random.key", seed=[0, 42, 2147483647], trivial=True, reference=right.key)
def key(t, seed):
    return t.call("jax.random.key", seed)


IMPL = ("0.4.16", "the argument impl")


@case("jax.random.key", impl=["threefry2x32", "rbg", "unsafe_rbg"], since=IMPL, reference="none")
def implementations(t, impl):
    made = t.call("jax.random.key", 11, impl=impl)
    t.expect(
        t.fw.dtypes.issubdtype(made.dtype, t.fw.dtypes.prng_key), "a key dtype, got %s" % made.dtype
    )
    words = t.host(made)
    t.expect(words.shape == ((2,) if impl == "threefry2x32" else (4,)), "the words of %s" % impl)
    t.expect(bool((words == 11).any()), "the seed among its words")


def normal(key, count=4000):
    import jax

    return jax.random.normal(key, (count,), "float32")


def uniform(key, count=4000):
    import jax

    return jax.random.uniform(key, (count,), "float32", 2.0, 5.0)


@case("jax.random.key", impl=["threefry2x32", "rbg"], since=IMPL, random=True, reference="none")
def draws(t, impl):
    made = t.call("jax.random.key", 7, impl=impl)
    t.statistics(t.call(normal, made), mean=0.0, std=1.0)
    t.statistics(t.call(uniform, made), mean=3.5, std=3 / 12**0.5, low=2.0, high=5.0)


@case("jax.random.key", random=True, reference="none")
def split_keys_are_independent(t):
    made = t.call("jax.random.key", 3)
    left, right = t.call("jax.random.split", made)
    a, b = (t.host(t.call(normal, each)) for each in (left, right))
    t.expect(min(a.std(), b.std()) > 0.5, "draws that vary")
    correlation = float((a * b).mean())
    t.expect(
        abs(correlation) < 5 / a.size**0.5, "streams without correlation, got %g" % correlation
    )
    again = t.host(t.call(normal, left))
    t.expect(bool((a == again).all()), "the same draws from the same key")


def bits(key):
    import jax

    return jax.random.bits(key, (64,), "uint32"), jax.random.randint(key, (64,), 0, 1000, "int32")


def is_partitionable(t):
    """How Threefry's words are counted, for the reference alone."""
    t.const(t.fw.config.jax_threefry_partitionable, "bool")


@case("jax.random.key", seed=[0, 42], reference=right.bits_and_integers)
def threefry_bits(t, seed):
    """Threefry is defined bit by bit: every device must draw the same."""
    is_partitionable(t)
    return t.call(bits, t.call("jax.random.key", seed))


@case("jax.random.key", reference="none", core=False)
def seeds_that_are_no_integers(t):
    t.raises(TypeError, t.call, "jax.random.key", 1.5)
    t.raises((TypeError, ValueError), t.call, "jax.random.key", 1, impl="nonsense")


@case("jax.random.PRNGKey", seed=[0, 42, 2147483647], trivial=True, reference=right.key)
def prng_key(t, seed):
    return t.call("jax.random.PRNGKey", seed)


@case(
    "jax.random.PRNGKey",
    dtypes="i32 u32",
    core="i32",
    reference=lambda np, seed: np.array([0, int(seed)]),
)
def seed_in_an_array(t, dtype):
    return t.call("jax.random.PRNGKey", t.const(1234, dtype))


@case("jax.random.PRNGKey", random=True, reference="none")
def draws_with_an_old_key(t):
    made = t.call("jax.random.PRNGKey", 5)
    t.statistics(t.call(normal, made), mean=0.0, std=1.0)


@case("jax.random.PRNGKey", reference="none", core=False)
def a_seed_must_be_scalar(t):
    t.raises(TypeError, t.call, "jax.random.PRNGKey", t.const([1, 2], "i32"))
    t.raises(TypeError, t.call, "jax.random.PRNGKey", 0.5)


@case("jax.random.key", seed=[-1, 2**31 - 1], core=False, trivial=True, reference="none")
def seeds_beyond(t, seed):
    """A seed counts as 32 bits where 64 are off; a negative one as its two's complement."""
    words = t.host(t.call("jax.random.key", seed)).tolist()
    t.expect(words == [0, seed & 0xFFFFFFFF], "the seed's low bits, got %s" % words)


@case("jax.random.key", core=False, reference="none")
def keys_are_no_numbers(t):
    made = t.call("jax.random.key", 1)
    t.raises(TypeError, t.fw.numpy.add, made, 1)
    t.raises(TypeError, t.np.asarray, made)
    t.expect(bool(made == t.fw.random.key(1)), "equal keys from equal seeds")
    t.expect(not bool(made == t.fw.random.key(2)), "other keys from other seeds")


@case("jax.random.key", core=False, reference="none")
def keys_from_their_words(t):
    """What is saved of a key is its words; from these comes the same key."""
    made = t.call("jax.random.key", 99)
    again = t.fw.random.wrap_key_data(t.fw.random.key_data(made))
    t.expect(again.dtype == made.dtype and bool(again == made), "the same key")


def keys_of_seeds(seeds):
    import jax

    return jax.random.key_data(jax.vmap(jax.random.key)(seeds))


@case("jax.random.key", core=False, reference=lambda np, seeds: np.stack([seeds * 0, seeds], 1))
def a_batch_of_keys(t):
    jitted = t.get("jax.jit")(keys_of_seeds)
    return t.call(jitted, t.const([5, 1, 7], "i32"))


def folded(key):
    import jax

    return jax.random.key_data(jax.vmap(lambda i: jax.random.fold_in(key, i))(jax.numpy.arange(50)))


@case("jax.random.key", core=False, reference="none")
def folded_keys_differ(t):
    words = t.host(t.call(folded, t.get("jax.random.key")(4)))
    t.expect(len({tuple(pair) for pair in words.tolist()}) == 50, "50 different keys")


@case("jax.random.PRNGKey", impl=["rbg", "unsafe_rbg"], core=False, reference="none")
def other_implementations(t, impl):
    words = t.call("jax.random.PRNGKey", 11, impl=impl)
    t.expect(words.shape == (4,) and str(words.dtype) == "uint32", "four words, got %s" % words)
    t.expect(t.host(words).tolist() == [0, 11, 0, 11], "the seed twice, got %s" % words)


@case("jax.random.PRNGKey", core=False, reference=lambda np: np.array([0, 2**32 - 1]))
def a_negative_seed(t):
    return t.call("jax.random.PRNGKey", -1)


@case("jax.random.PRNGKey", seed=[0, 42], core=False, reference=right.bits_and_integers)
def bits_of_an_old_key(t, seed):
    """Threefry is defined bit by bit: every device must draw the same."""
    is_partitionable(t)
    return t.call(bits, t.call("jax.random.PRNGKey", seed))


def old_keys_of_seeds(seeds):
    import jax

    return jax.vmap(jax.random.PRNGKey)(seeds)


@case("jax.random.PRNGKey", core=False, reference=lambda np, seeds: np.stack([seeds * 0, seeds], 1))
def a_batch_of_old_keys(t):
    return t.call(t.get("jax.jit")(old_keys_of_seeds), t.const([5, 1, 7], "i32"))


@case("jax.random.PRNGKey", core=False, reference="none")
def old_keys_become_new_ones(t):
    words = t.call("jax.random.PRNGKey", 21)
    t.expect(bool(t.fw.random.wrap_key_data(words) == t.fw.random.key(21)), "the key of 21")


@case("jax.random.PRNGKey", core=False, random=True, reference="none")
def split_old_keys_differ(t):
    parts = t.host(t.call("jax.random.split", t.get("jax.random.PRNGKey")(3), 40))
    t.expect(len({tuple(pair) for pair in parts.tolist()}) == 40, "40 different keys")


# --- keys that are moved


KEYED = {
    "jax.Array.reshape": (lambda f, keys: [keys.reshape(2, 3), keys.reshape(3, -1, order="F")], lambda np, w: [
        w.reshape(2, 3, 2), np.stack([w[:3], w[3:]], 1)]),
    "jax.numpy.transpose": (lambda f, keys: [f(keys.reshape(2, 3)), f(keys)], lambda np, w: [np.stack([w[:3], w[3:]], 1), w]),
    "jax.numpy.expand_dims": (lambda f, keys: [f(keys, 1), f(keys, (0, 2))], lambda np, w: [w[:, None], w[None, :, None]]),
    "jax.numpy.atleast_2d": (lambda f, keys: [f(keys), f(keys[0])], lambda np, w: [w[None], w[None, :1]]),
    "jax.numpy.zeros_like": (lambda f, keys: [f(keys), f(keys, shape=(2,)), keys], lambda np, w: [0 * w, 0 * w[:2], w]),
}  # fmt: skip


def of_keys(t, function):
    """Keys move as one number each, with all of their words."""
    run, _ = KEYED[function]
    jax, f = t.fw, None if function.startswith("jax.Array.") else t.get(function)

    def words(words):
        return [jax.random.key_data(one) for one in run(f, jax.random.wrap_key_data(words))]

    return t.call(words, t.randint((6, 2), "u32", 0, 2**32))


for _name, (_, _right) in KEYED.items():
    case(_name, core=False, since=("0.4.16", "keys with a dtype"), reference=_right)(of_keys)
