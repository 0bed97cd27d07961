"""Arrays of keys where arrays of numbers are meant: made, written into, mapped, carried, differentiated beside, spread."""

from seamark_suites.case import case

from .draws import some_key
from .updates import placed
from .values_and_kinds import own_dtype

TYPED = ("0.4.16", "keys with a dtype")
NP = "jax.numpy."


def words_of(t, shape):
    return t.randint((*shape, 2), "u32", 0, 2**32)


def of_words(run, *words):
    """What `run` makes of keys of these words, in words."""
    import jax

    made = run(*[jax.random.wrap_key_data(one) for one in words])
    return jax.tree_util.tree_map(
        lambda one: (
            jax.random.key_data(one)
            if jax.numpy.issubdtype(one.dtype, jax.dtypes.prng_key)
            else one
        ),
        made,
    )


# --- made


@case(NP + "full", core=False, since=TYPED, reference=lambda np, keys, key: [
      np.full((3, 2), 100), np.full((2, 2), 100), np.full((3, 2), 7), np.stack([key] * 3), np.stack([key] * 3), np.stack([key] * 3),
      np.stack([keys[:2]] * 4), key])  # fmt: skip
def keys_that_fill(t):
    """A number fills each word of keys; a key is put everywhere: in a program, with keys' dtype or without it, in rows."""
    jax, full = t.fw, t.get(NP + "full")

    def run(keys, key):
        kind = keys.dtype
        filled = [full(keys.shape, 100, dtype=kind), full(2, 100, dtype=kind)]
        filled.append(jax.jit(lambda k: full(k.shape, 7, dtype=k.dtype))(keys))
        put = [full(keys.shape, key, dtype=kind), full(keys.shape, key)]
        put.append(jax.jit(lambda k, v: full(k.shape, v, dtype=k.dtype))(keys, key))
        return [*filled, *put, full((4, 2), keys[:2]), full((), key)]

    return t.call(lambda *words: of_words(run, *words), words_of(t, (3,)), words_of(t, ()))


@case(NP + "ones_like", core=False, since=TYPED, reference=lambda np, keys: [np.full((3, 2), 1), np.full((2, 2, 2), 1), keys])  # fmt: skip
def words_of_one(t):
    """Like keys: each word is one; in another shape, in a program; beside what it is like."""
    jax, like = t.fw, t.get(NP + "ones_like")
    run = lambda keys: [jax.jit(like)(keys), like(keys, shape=(2, 2)), keys]  # noqa: E731
    return t.call(lambda words: of_words(run, words), words_of(t, (3,)))


@case(NP + "asarray", core=False, since=TYPED, reference=lambda np, _, keys, key: [keys] * 4 + [key, np.stack([key, keys[0]])])  # fmt: skip
def keys_as_they_are(t):
    """With their own dtype, too, in a program, of a list; never NumPy's, and in no dtype of numbers."""
    jax, f = t.fw, t.get(NP + "asarray")

    def run(keys, key):
        made = [f(keys), f(keys, dtype=keys.dtype), jax.jit(f)(keys), f(keys, copy=True)]
        return [*made, f(key), f([key, keys[0]])]

    keys = jax.random.split(jax.random.key(3), 2)
    t.raises((TypeError, ValueError), f, keys, dtype="int32")
    t.raises((TypeError, ValueError), f, t.const([1, 2], "u32"), dtype=keys.dtype)
    t.raises(TypeError, t.np.asarray, keys)
    return t.call(lambda *words: of_words(run, *words), words_of(t, (3,)), words_of(t, ()))


# --- written into


@case("jax.lax.dynamic_update_slice", core=False, since=TYPED, reference=lambda np, keys, part, key: [
      placed(np, keys, part, 1, 0, 0), placed(np, keys, part, 2, 0, 0), placed(np, keys[0], key[None], 2, 0), placed(np, keys, keys[:2, :2], 1, 1, 0),
      np.stack([placed(np, row, key[None], i, 0) for i, row in enumerate(keys)])])  # fmt: skip
def parts_of_keys(t):
    """With a start of 16 bits in a program; beyond the end; of one axis; of each row of a batch another place."""
    jax, update = t.fw, t.get("jax.lax.dynamic_update_slice")

    def run(keys, part, key):
        near, far, none = (t.np.int16(n) for n in (1, 9, 0))
        made = [jax.jit(update)(keys, part, (start, none)) for start in (near, far)]
        made += [update(keys[0], key[None], (2,)), update(keys, keys[:2, :2], (1, 1))]
        places = jax.numpy.arange(3)
        return [*made, jax.vmap(lambda row, i: update(row, key[None], (i,)))(keys, places)]

    given = words_of(t, (3, 4)), words_of(t, (1, 4)), words_of(t, ())
    return t.call(lambda *words: of_words(run, *words), *given)


# --- arranged and chosen


def _squeezed(f, keys):
    return [f(keys[:, None]), f(keys[None, :, None], axis=(0, -1)), f(keys[:1], axis=0)]


def _chosen(f, keys):
    import jax.numpy as jnp

    which = jnp.array([True, False, False, True])
    return [f(which, keys, keys[::-1]), f(which[:, None], keys, keys[0]), f(True, keys[0], keys[1])]


WHICH = [1, 0, 0, 1]
MOVED = {
    NP + "squeeze": (_squeezed, lambda np, w: [w, w, w[0]]),
    NP + "where": (_chosen, lambda np, w: [np.where(np.array(WHICH)[:, None], w, w[::-1]),
                   np.where(np.array(WHICH)[:, None, None], w, w[0]), w[0]]),
    NP + "concatenate": (lambda f, k: [f([k, k[:1], k[2:]]), f([k.reshape(2, 2), k[None, :2]], axis=0), f(k.reshape(2, 2))],
                         lambda np, w: [np.concatenate([w, w[:1], w[2:]]), np.concatenate([w.reshape(2, 2, 2), w[None, :2]]), w]),
    "jax.vmap": (lambda f, k: [f(lambda r: r.T)(k.reshape(2, 2, 1)), f(lambda v: v, 1, 0)(k.reshape(2, 2)), f(lambda v: v, 0, 1)(k.reshape(2, 2)),
                               f(lambda a, b: b, (0, None))(k, k[0])],
                 lambda np, w: [w.reshape(2, 1, 2, 2), w.reshape(2, 2, 2).swapaxes(0, 1), w.reshape(2, 2, 2).swapaxes(0, 1), np.stack([w[0]] * 4)]),
}  # fmt: skip


def keys_arranged_and_chosen(t, function):
    """Keys move as one number each, with all of their words; in a program as without one."""
    run, _ = MOVED[function]
    jax, f = t.fw, t.get(function)

    def both(keys):
        return run(f, keys) + jax.jit(lambda keys: run(f, keys))(keys)

    return t.call(lambda words: of_words(both, words), words_of(t, (4,)))


for _name, (_, _right) in MOVED.items():
    case(_name, core=False, since=TYPED, reference=lambda np, w, of=_right: of(np, w) * 2)(keys_arranged_and_chosen)  # fmt: skip


# --- in loops and beside slopes


@case("jax.lax.scan", core=False, since=TYPED, reference=lambda np, keys: [
      keys.swapaxes(1, 2), keys[::-1], keys[-1], keys[::-1, 0, 0]])  # fmt: skip
def keys_as_inputs_of_steps(t):
    """Steps go along keys, backwards, too, give them back turned, and carry them."""
    jax, scan = t.fw, t.get("jax.lax.scan")

    def run(keys):
        turned = scan(lambda c, k: (c, k.T), None, keys)[1]
        back = scan(lambda c, k: (c, k), None, keys[::-1])[1]
        last, firsts = scan(lambda c, k: (k, k[0, 0]), keys[0], keys)
        behind = scan(lambda c, k: (c, k[0, 0]), None, keys[::-1], reverse=True)[1]
        return [turned, back, last, behind if firsts.shape == behind.shape else None]

    shape = jax.eval_shape(lambda key: scan(lambda c, _: (c, c), key, None, length=4)[1], jax.random.key(0))  # fmt: skip
    t.expect(shape.shape == (4,) and "key" in str(shape.dtype), "keys of steps, got %s" % shape)
    return t.call(lambda words: of_words(run, words), words_of(t, (3, 2, 4)))


@case("jax.lax.cond", taken=[True, False], core=False, since=TYPED, reference=lambda np, which, keys, taken: [
      keys[0] if taken else keys[1], keys[::-1] if taken else keys, np.array([taken, not taken, taken, taken])[:, None] * keys[0]
      + np.array([not taken, taken, not taken, not taken])[:, None] * keys])  # fmt: skip
def keys_of_the_branch_taken(t, taken):
    """A key of either branch; of each of a batch its own."""
    jax, cond, jnp = t.fw, t.get("jax.lax.cond"), t.fw.numpy

    def run(which, keys):
        one = cond(which, lambda k: k[0], lambda k: k[1], keys)
        turned = cond(which, lambda k: k[::-1], lambda k: k, keys)
        each = jnp.stack([which, ~which, which, which])
        mapped = jax.vmap(lambda w, k: cond(w, lambda k: keys[0], lambda k: k, k))(each, keys)
        return [one, turned, mapped]

    return t.call(lambda which, words: of_words(lambda k: run(which, k), words), t.const(taken, "bool"), words_of(t, (4,)))  # fmt: skip


@case("jax.grad", core=False, since=TYPED, reference=lambda np, x, key, n: [n, n, 3 * n, 1.0, 5.0])
def slopes_beside_keys(t):
    """Of what a key draws; rules of one's own are given float0 for it; no slope by a key itself."""
    jax, grad, seen = t.fw, t.get("jax.grad"), []

    def plain(x, key):
        return x * jax.random.normal(key)

    @jax.custom_jvp
    def ruled(x, key):
        return plain(x, key)

    @ruled.defjvp
    def rule(given, along):
        seen.append(along[1].dtype)
        return ruled(*given), 3 * along[0] * jax.random.normal(given[1])

    @jax.custom_vjp
    def kept(_, state):
        return state

    def back(_, state):
        seen.append(state[1].dtype)
        return state[0], state

    kept.defvjp(lambda _, state: (state, None), back)

    def run(x, words, n):
        key = jax.random.wrap_key_data(words)
        made = [grad(plain)(x, key), grad(jax.jit(plain))(x, key), grad(ruled)(x, key)]
        return [*made, grad(lambda v: kept(v, (8.0, key))[0])(3.0), grad(lambda v: 5 * v + 0 * plain(1.0, key))(x)]  # fmt: skip

    words = t.randint((2,), "u32", 0, 2**32)
    x = t.uniform((), "f32", 1, 2)
    n = t.get("jax.random.normal")(jax.random.wrap_key_data(words))
    made = t.call(run, x, words, t.const(float(n), "f32"))
    t.expect(set(seen) == {jax.dtypes.float0}, "float0 of keys, got %s" % seen)
    t.raises(TypeError, grad(lambda key: key), jax.random.key(0))
    t.raises(TypeError, grad(lambda key: jax.random.normal(key)), jax.random.key(0))
    return made


# --- split


@case("jax.random.split", core=False, since=TYPED, reference="none")
def parts_by_number_and_of_a_batch(t):
    """Part n is what fold_in makes of n; of a batch the keys of each; of one key for all the same keys; generators keep theirs."""
    jax, split, np = t.fw, t.get("jax.random.split"), t.np
    words = lambda keys: t.host(jax.random.key_data(keys))  # noqa: E731
    key = jax.random.wrap_key_data(some_key(t))
    if t.fw.config.jax_threefry_partitionable:
        folded = np.stack([words(jax.random.fold_in(key, n)) for n in range(3)])
        t.expect(np.array_equal(words(t.call(split, key, 3)), folded), "as folded in, got %s" % folded)  # fmt: skip
        mapped = jax.vmap(lambda k, _: jax.random.fold_in(k, jax.lax.axis_index("n")), (None, 0), axis_name="n")(key, np.ones(3))  # fmt: skip
        t.expect(np.array_equal(words(mapped), folded), "and so for each of a batch")
    same = t.call(jax.vmap(lambda _: split(key)), np.zeros(3, "float32"))
    t.expect(same.shape == (3, 2) and all(np.array_equal(words(one), words(split(key))) for one in same), "the same each time")  # fmt: skip
    for name in ("threefry2x32", "rbg", "unsafe_rbg"):
        first = jax.random.key(73, impl=name)
        keys = split(first, 3)
        t.expect(keys.dtype == first.dtype and keys.shape == (3,), "keys of %s, got %s" % (name, keys.dtype))  # fmt: skip
        t.expect(len({tuple(one) for one in words(keys).tolist()}) == 3, "three keys of %s" % name)
        with jax.default_prng_impl(name):
            t.expect(split(jax.random.key(42)).dtype == first.dtype, "%s by default" % name)
        found, each = t.call(jax.vmap(split), keys), np.stack([words(split(one)) for one in keys])
        if name == "unsafe_rbg":  # of the first alone, whatever the others are
            each = words(split(keys[0], (3, 2)))
        t.expect(np.array_equal(words(found), each), "of each of a batch of %s, got %s" % (name, words(found)))  # fmt: skip


@case("jax.random.normal", host_only=True, core=False, since=TYPED, reference="none")
@case("jax.random.uniform", host_only=True, core=False, since=TYPED, reference="none")
def shapes_that_are_never_made(t, function):
    """A million of millions of numbers have a shape, and a program of them is lowered."""
    jax, f, key = t.fw, t.get(function), t.fw.random.key(0)
    made = t.call(jax.eval_shape, lambda k: f(k, (10**12,)), key)
    t.expect(made.shape == (10**12,) and str(made.dtype) == "float32", "their shape, got %s" % made)
    lowered = jax.jit(lambda: f(key, (308000000, 128), dtype="bfloat16")).lower()
    t.expect("308000000x128xbf16" in lowered.as_text(), "a program of them")
    t.raises(TypeError, jax.jit(lambda n: f(key, (n, 2))), 5)


COUNTERS = ["threefry4x32", "philox2x32", "philox4x32"]
OTHERS = ("0.10.2", "the generators %s" % ", ".join(COUNTERS))


@case("jax.random.normal", impl=COUNTERS, core=False, since=OTHERS, reference="none")
@case("jax.random.uniform", impl=COUNTERS, core=False, since=OTHERS, reference="none")
def drawn_by_other_counters(t, function, impl):
    """Within bounds, with mean and deviation; the same of the same key, others of another; in a program that makes the key, of a batch of keys what each gives."""
    jax, f, np = t.fw, t.get(function), t.np
    uniform = function.endswith("uniform")
    bounds = {"low": 0.0, "high": 1.0} if uniform else {}
    mean, deviation = (0.5, 12**-0.5) if uniform else (0.0, 1.0)
    draw = lambda seed: f(jax.random.key(seed, impl=impl), (1000,))  # noqa: E731
    zero, one = t.const(0, "i32"), t.const(1, "i32")
    made = [t.call(draw, seed) for seed in (zero, zero, one)]
    made += [t.call(jax.jit(draw), zero), t.call(jax.jit(lambda: draw(1)))]
    for one in made:
        t.expect((one.shape, str(one.dtype)) == ((1000,), "float32"), "1000 of f32, got %s %s" % (one.shape, one.dtype))  # fmt: skip
        t.statistics(one, mean=mean, std=deviation, **bounds)
    found = [t.host(one) for one in made]
    same = [np.allclose(found[a], found[b], rtol=1e-6, atol=1e-6) for a, b in ((0, 1), (0, 3), (2, 4))]  # fmt: skip
    t.expect(all(same), "the same of the same key, got %s" % [one[:4] for one in found])
    t.expect((found[0] != found[2]).mean() > 0.99, "others of another, got %s" % found[2][:4])
    if uniform:
        t.expect(max(one.max() for one in found) < 1, "less than one")
    parts = lambda seed: jax.random.split(jax.random.key(seed, impl=impl), 8)  # noqa: E731
    each = np.stack([t.host(f(key, (125,))) for key in parts(0)])
    batch = t.call(lambda seed: jax.vmap(lambda key: f(key, (125,)))(parts(seed)), zero)
    t.expect(np.allclose(t.host(batch), each, rtol=1e-6, atol=1e-6), "of each key, got %s" % batch)
    t.expect(len({row.tobytes() for row in each}) == 8, "eight of them, got %s" % each[:, :2])
    t.statistics(batch, mean=mean, std=deviation, **bounds)


# --- asked for shapes and dtypes


@case("jax.eval_shape", host_only=True, core=False, since=TYPED, reference="none")
def keys_that_stand_for_keys(t):
    """A struct like a key; what is drawn of it, and split, has a shape; seeds become keys."""
    jax, shape, random = t.fw, t.get("jax.eval_shape"), t.fw.random
    key = random.split(random.key(1701), 4)
    struct = jax.ShapeDtypeStruct.like(key)
    t.expect(t.call(shape, lambda x: x, struct) == struct, "itself")
    rows = [
        (lambda k: random.split(k[0]), (2,), key.dtype), (lambda k: k[None].T, (4, 1), key.dtype), (lambda k: random.bits(k[0], (5,), "uint16"), (5,), "uint16"),
        (lambda k: jax.vmap(lambda one: random.normal(one, (3,)))(k), (4, 3), "float32"), (random.key_data, (4, 2), "uint32"),
    ]  # fmt: skip
    for f, size, kind in rows:
        for given in (struct, key):
            found = t.call(shape, f, given)
            t.expect((found.shape, found.dtype) == (size, kind), "%s of %s, got %s" % (kind, size, found))  # fmt: skip
    found = t.call(shape, lambda seed: random.key(seed), 28)
    t.expect((found.shape, found.dtype) == ((), key.dtype), "a key of a seed, got %s" % found)


@case(NP + "result_type", host_only=True, core=False, since=TYPED, reference="none")
def dtypes_of_keys(t):
    """That of a key, of several alike, in a program; beside numbers and other keys there is none."""
    jax, name = t.fw, NP + "result_type"
    key, other = jax.random.key(1), jax.random.key(1, impl="rbg")
    for given in ((key,), (key, key), (jax.random.split(key), key)):
        t.expect(t.call(name, *given) == key.dtype, "the dtype of keys of %r" % (given,))
    seen = []
    jax.eval_shape(lambda k: seen.append(t.get(name)(k)), key)
    t.expect(seen == [key.dtype], "in a program, too, got %s" % seen)
    for wrong in ((key, 1), (key, "float32"), (key, other)):
        t.raises((TypeError, ValueError), t.call, name, *wrong)


@case("jax.NamedSharding", core=False, since=("0.8.0", "jax.NamedSharding"), reference=lambda np, words: [words, words, words[::-1]])  # fmt: skip
def keys_spread_part_by_part(t):
    """Made of what a function gives for each part, of parts that lie there, and put there; turned in a program."""
    jax, np = t.fw, t.np
    mesh = jax.sharding.Mesh(np.array([t.device]), ("x",))
    where = t.get("jax.NamedSharding")(mesh, jax.P("x"))
    words = words_of(t, (4,))

    def run(words):
        return jax.random.key_data(jax.random.wrap_key_data(words)[::-1])

    keys = jax.random.wrap_key_data(words)
    made = [jax.make_array_from_callback((4,), where, lambda index: keys[index]),
            jax.make_array_from_single_device_arrays((4,), where, [jax.device_put(keys, t.device)])]  # fmt: skip
    for one in made:
        t.expect(one.sharding == where and one.dtype == keys.dtype, "keys there, got %s" % one.sharding)  # fmt: skip
    turned = t.call(run, words)
    own_dtype(t, [turned], "u32")
    return [*(jax.random.key_data(one) for one in made), turned]
