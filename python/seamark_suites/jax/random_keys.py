"""Keys and what is drawn with them. Keys are exact; draws are checked by their statistics."""

from seamark_suites.case import case


def key_reference(np, seed):
    """Threefry's key: the high and the low half of the seed."""
    return np.array([seed >> 32 & 0xFFFFFFFF, seed & 0xFFFFFFFF])


@case("jax.random.key", seed=[0, 42, 2147483647], trivial=True, reference=key_reference)
def key(t, seed):
    return t.call("jax.random.key", seed)


@case("jax.random.key", impl=["threefry2x32", "rbg", "unsafe_rbg"], reference="none")
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


@case("jax.random.key", impl=["threefry2x32", "rbg"], random=True, reference="none")
def draws(t, impl):
    made = t.call("jax.random.key", 7, impl=impl)
    t.statistics(t.call(normal, made), mean=0.0, std=1.0)
    t.statistics(t.call(uniform, made), mean=3.5, std=3 / 12**0.5, low=2.0, high=5.0)


@case("jax.random.key", random=True, reference="none")
def split_keys_are_independent(t):
    made = t.call("jax.random.key", 3)
    left, right = t.call("jax.random.split", made)
    a, b = (t.host(t.call(normal, each)) for each in (left, right))
    correlation = float((a * b).mean())
    t.expect(
        abs(correlation) < 5 / a.size**0.5, "streams without correlation, got %g" % correlation
    )
    again = t.host(t.call(normal, left))
    t.expect(bool((a == again).all()), "the same draws from the same key")


def bits(key):
    import jax

    return jax.random.bits(key, (64,), "uint32"), jax.random.randint(key, (64,), 0, 1000, "int32")


@case("jax.random.key", seed=[0, 42])
def threefry_bits(t, seed):
    """Threefry is defined bit by bit: every device must draw the same."""
    return t.call(bits, t.call("jax.random.key", seed))


@case("jax.random.key", reference="none", core=False)
def seeds_that_are_no_integers(t):
    t.raises(TypeError, t.call, "jax.random.key", 1.5)
    t.raises((TypeError, ValueError), t.call, "jax.random.key", 1, impl="nonsense")


@case("jax.random.PRNGKey", seed=[0, 42, 2147483647], trivial=True, reference=key_reference)
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
