"""jax.lax.scan: a step for each row of an array, with what is carried from one to the next."""

from seamark_suites.case import case

from .reference import with_gradient

# Roundings of each step, which add up.
NEAR = {"f32": 2e-5, "bf16": 6e-2, "f16": 1e-2, "f64": 1e-13, "c64": 2e-5}


def decayed(start, xs, **options):
    """A sum that forgets: (the last one, all of them)."""
    import jax

    def step(carry, x):
        carry = carry * 0.5 + x
        return carry, carry * 2

    return jax.lax.scan(step, start, xs, **options)


def decayed_right(np, start, xs, reverse=False, **options):
    found, carry = [None] * len(xs), start
    for i in reversed(range(len(xs))) if reverse else range(len(xs)):
        carry = carry * 0.5 + xs[i]
        found[i] = carry * 2
    return carry, np.array(found).reshape(xs.shape)


def decayed_pull(np, w, start, xs):
    """Backwards: each carry is in the next one by a half, and in its own output twice."""
    last, every = w
    found, slope = np.zeros(xs.shape), last
    for i in reversed(range(len(xs))):
        slope = slope + 2 * every[i]
        found[i] = slope
        slope = slope * 0.5
    return slope, found


@case("jax.lax.scan", dtypes="f32 bf16 f16 f64 c64", core="f32 bf16", rtol=NEAR, atol=NEAR,
      reference=decayed_right, name="carry_and_outputs")  # fmt: skip
@case("jax.lax.scan", dtypes="f32 bf16 f64", grad=True, core="f32 bf16", rtol=NEAR, atol=NEAR,
      reference=with_gradient(decayed_right, decayed_pull), name="scan_gradient")  # fmt: skip
def carry_and_outputs(t, dtype):
    return t.call(decayed, t.randn((4,), dtype), t.randn((7, 4), dtype))


@case("jax.lax.scan", dtypes="f32", reverse=[True, False], unroll=[1, 3, True], core=False,
      rtol=NEAR, atol=NEAR, reference=decayed_right)  # fmt: skip
def backwards_and_unrolled(t, dtype, reverse, unroll):
    start, xs = t.randn((4,), dtype), t.randn((7, 4), dtype)
    return t.call(decayed, start, xs, reverse=reverse, unroll=unroll)


def counted(start, n):
    import jax

    return jax.lax.scan(lambda c, _: ((c * 3 + 1) % 101, c), start, None, length=n)


def counted_right(np, start, n):
    found = []
    for _ in range(n):
        found.append(start)
        start = (start * 3 + 1) % 101
    return start, np.array(found)


@case("jax.lax.scan", dtypes="i32 u8 i64", n=9, core="i32", reference=counted_right)
def steps_without_inputs(t, dtype, n):
    """A length instead of an array, whole numbers, a scalar carried."""
    start = t.randint((), "i32", 1, 50).astype("int16" if dtype == "u8" else t.dtype(dtype))
    return t.call(counted, start, n)


def of_trees(state, xs):
    import jax

    def step(s, x):
        s = {
            "sum": s["sum"] + x["a"],
            "most": jax.numpy.maximum(s["most"], x["b"][0]),
            "n": s["n"] + 1,
        }
        return s, (s["sum"][0], {"even": s["n"] % 2 == 0}, None)

    return jax.lax.scan(step, state, xs)


def of_trees_right(np, total, most, n, a, b):
    sums = total + a.cumsum(0)
    counts = n + np.arange(1, len(a) + 1)
    last = {"sum": sums[-1], "most": max(most, b.max()), "n": n + len(a)}
    return last, (sums[:, 0], {"even": counts % 2 == 0}, None)


@case("jax.lax.scan", dtypes="f32 i32", core="f32", rtol=NEAR, atol=NEAR, reference=of_trees_right)
def trees_of_several_dtypes(t, dtype):
    state = {"sum": t.randn((3,), dtype), "most": t.const(-99, dtype), "n": t.const(0, "i32")}
    xs = {"a": t.randn((6, 3), dtype), "b": [t.randn((6,), dtype)]}
    return t.call(of_trees, state, xs)


def recurrent(w, u, xs):
    import jax
    import jax.numpy as jnp

    def step(h, x):
        h = jnp.tanh(h @ w / 2 + x @ u / 2)
        return h, h

    return jax.lax.scan(step, jnp.zeros((xs.shape[1], w.shape[0]), xs.dtype), xs)[1]


def recurrent_right(np, w, u, xs):
    h, found = np.zeros((xs.shape[1], len(w)), xs.dtype), []
    for x in xs:
        h = np.tanh(h @ w / 2 + x @ u / 2)
        found.append(h)
    return np.stack(found)


def recurrent_pull(np, weights, w, u, xs):
    every = recurrent_right(np, w, u, xs)
    by_w, by_u, by_xs, slope = np.zeros(w.shape), np.zeros(u.shape), np.zeros(xs.shape), 0
    for i in reversed(range(len(xs))):
        slope = (slope + weights[i]) * (1 - every[i] ** 2) / 2
        before = every[i - 1] if i else np.zeros(every[0].shape)
        by_w, by_u, by_xs[i] = by_w + before.T @ slope, by_u + xs[i].T @ slope, slope @ u.T
        slope = slope @ w.T
    return by_w, by_u, by_xs


@case("jax.lax.scan", dtypes="f32 bf16 f64", core="f32 bf16", grad=True, rtol={"f32": 1e-4,
      "bf16": 8e-2, "f64": 1e-12}, atol={"f32": 1e-4, "bf16": 0.25, "f64": 1e-12},
      # sums over steps and examples, some of which nearly cancel
      reference=with_gradient(recurrent_right, recurrent_pull))  # fmt: skip
def a_recurrent_network(t, dtype):
    w, u = t.uniform((3, 3), dtype, -1, 1), t.uniform((2, 3), dtype, -1, 1)
    return t.call(recurrent, w, u, t.uniform((5, 4, 2), dtype, -1, 1))


def layered(weights, x):
    """A scan over layers, each computed again on the way back."""
    import jax
    import jax.numpy as jnp

    @jax.checkpoint
    def layer(h, w):
        return jnp.tanh(h @ w / 2) + h, None

    return jax.lax.scan(layer, x, weights)[0]


def layered_right(np, weights, x):
    for w in weights:
        x = np.tanh(x @ w / 2) + x
    return x


@case("jax.lax.scan", dtypes="f32 f64", core="f32", grad=True, rtol={"f32": 1e-4, "f64": 1e-9},
      atol={"f32": 1e-4, "f64": 1e-9},  # the reference takes differences
      reference=with_gradient(layered_right))  # fmt: skip
def over_layers_with_checkpoints(t, dtype):
    return t.call(layered, t.uniform((4, 3, 3), dtype, -1, 1), t.uniform((2, 3), dtype, -1, 1))


def of_each(start, xs):
    import jax

    return jax.jit(jax.vmap(decayed, in_axes=(0, 1), out_axes=(0, 1)))(start, xs)


@case("jax.lax.scan", dtypes="f32", core="f32", rtol=NEAR, atol=NEAR, reference=decayed_right)
def under_vmap_and_jit(t, dtype):
    return t.call(of_each, t.randn((4,), dtype), t.randn((7, 4), dtype))


def twice(x):
    import jax

    def power(v):
        return jax.lax.scan(lambda c, _: (c * v, None), v, None, length=3)[0]

    first = jax.grad(power)
    return jax.vmap(first)(x), jax.vmap(jax.grad(first))(x), jax.jvp(power, (x,), (x,))[1]


@case("jax.lax.scan", dtypes="f32 bf16", core="f32", rtol=NEAR, atol=NEAR,
      reference=lambda np, x: (4 * x**3, 12 * x**2, 4 * x**4))  # fmt: skip
def second_derivatives_and_forwards(t, dtype):
    return t.call(twice, t.uniform((5,), dtype, 0.5, 1.5))


def in_each_other(xs):
    import jax

    def row(total, x):
        return jax.lax.scan(lambda c, v: (c * 0.5 + v, c), total, x)

    return jax.lax.scan(row, jax.numpy.zeros((), xs.dtype), xs)


def in_each_other_right(np, xs):
    total, found = 0.0, np.zeros(xs.shape)
    for at in np.ndindex(xs.shape):
        found[at], total = total, total * 0.5 + xs[at]
    return total, found


@case("jax.lax.scan", dtypes="f32", core=False, rtol=NEAR, atol=NEAR, reference=in_each_other_right)
def scans_within_scans(t, dtype):
    return t.call(in_each_other, t.randn((4, 5), dtype))


@case("jax.lax.scan", dtypes="f32 i32", length=[0, 1], trivial=True, core=False,
      rtol=NEAR, atol=NEAR,
      reference=lambda np, start, xs, length: (start * 2 + xs.sum(0), 0 * xs + 7)
      if length else (start, xs))  # fmt: skip
def no_step_and_one(t, dtype, length):
    def step(carry, x):
        return carry * 2 + x, x * 0 + 7

    start, xs = t.randn((3,), dtype), t.randn((length, 3), dtype)
    return t.call(lambda s, v: t.get("jax.lax.scan")(step, s, v), start, xs)


@case("jax.lax.scan", dtypes="f32", core=False, rtol=NEAR, atol=NEAR, reference=lambda np, *given: [
    decayed_right(np, *given[i : i + 2]) for i in (0, 2, 4)])  # fmt: skip
def lengths_one_after_another(t, dtype):
    sizes = ((2, 3), (9, 3), (17, 5))
    return [t.call(decayed, t.randn((n,), dtype), t.randn((m, n), dtype)) for m, n in sizes]


@case("jax.lax.scan", dtypes="f32", core=False, reference=lambda np, x: np.maximum.accumulate(x))
def not_a_number_is_carried_on(t, dtype):
    def step(carry, x):
        carry = t.fw.numpy.maximum(carry, x)
        return carry, carry

    inf = float("inf")
    xs = t.const([[1.0, -inf], [inf, 2.0], [0.0, float("nan")], [5.0, 3.0]], dtype)
    return t.call(lambda v: t.get("jax.lax.scan")(step, v[0], v)[1], xs)


@case("jax.lax.scan", dtypes="f32 bf16", shapes="64x128x257", large=True, rtol=NEAR, atol=NEAR,
      reference=lambda np, x: decayed_right(np, 0 * x[0], x))  # fmt: skip
def large_scan(t, dtype, shape):
    return t.call(lambda xs: decayed(xs[0] * 0, xs), t.randn(shape, dtype))


@case("jax.lax.scan", core=False, reference="none")
def steps_that_do_not_fit(t):
    x, zero = t.randn((3,), "f32"), t.const(0.0, "f32")

    def refused(step, xs=x, **options):
        t.raises((TypeError, ValueError), t.call, "jax.lax.scan", step, zero, xs, **options)

    refused(lambda c, v: (c, v), (x, x[:2]))
    refused(lambda c, v: (c.astype("int32"), v))
    refused(lambda c, v: (c + x, v))
    refused(lambda c, v: ((c, c), v))
    refused(lambda c, v: c)
    refused(lambda c, v: (c, v), None)
    refused(lambda c, v: (c, v), length=4)
    refused(3)


@case(
    "jax.lax.scan",
    dtypes="i8 bf16 f32",
    core=False,
    reference=lambda np, x: (x.sum(), np.cumsum(x)),
)
def numbers_of_python_as_carries(t, dtype):
    """A weak type takes the dtype of what is added to it."""
    x = t.randint((6,), dtype, 1, 9)
    step = lambda c, v: (c + v, c + v)  # noqa: E731
    made = t.call(lambda x: t.get("jax.lax.scan")(step, 0, x), x)
    t.expect([one.dtype for one in made] == [x.dtype] * 2, "the dtype of the array")
    return made


def parts_of_a_batch(start, xs, w):
    import jax

    def run(start, xs, w):
        return jax.lax.scan(lambda c, x: (c * w + x, c + w), start, xs)

    found = []
    for axes in ((0, None, None), (None, 0, None), (None, None, 0)):
        given = [v if axis == 0 else v[0] for v, axis in zip((start, xs, w), axes)]
        found.append(jax.vmap(run, in_axes=axes)(*given))
    return found


def parts_of_a_batch_right(np, start, xs, w):
    def run(c, xs, w):
        every = []
        for x in xs:
            every.append(c + w)
            c = c * w + x
        return c, np.array(every)

    rows = [
        [run(c, xs[0], w[0]) for c in start],
        [run(start[0], x, w[0]) for x in xs],
        [run(start[0], xs[0], v) for v in w],
    ]
    return [tuple(np.stack(each) for each in zip(*row)) for row in rows]  # fmt: skip


@case(
    "jax.lax.scan",
    dtypes="f32 i32",
    core=False,
    rtol=NEAR,
    atol=NEAR,
    reference=parts_of_a_batch_right,
)
def batches_of_a_part(t, dtype):
    """Under vmap of what is carried alone, of the inputs alone, of what the step closes over."""
    return t.call(parts_of_a_batch, t.randint((3,), dtype, -3, 4), t.randint((3, 4), dtype, -5, 6), t.randint((3,), dtype, -2, 3))  # fmt: skip


def beside_integers(w, xs):
    """A count is carried beside what has a slope; backwards, over what the step closes over."""
    import jax

    def step(state, x):
        n, c = state
        return (n + 1, c * w + x * n.astype(x.dtype)), c * c

    (_, last), every = jax.lax.scan(step, (jax.numpy.int32(1), w * 0 + 1), xs, reverse=True)
    return last, every


def beside_integers_right(np, w, xs):
    n, c, every = 1, w * 0 + 1, []
    for x in xs[::-1]:
        every.insert(0, c * c)
        n, c = n + 1, c * w + x * n
    return c, np.stack(every)


@case("jax.lax.scan", dtypes="f32 f64", grad=True, core=False, rtol={"f32": 1e-4, "f64": 1e-9}, atol={"f32": 1e-4,
      "f64": 1e-9}, reference=with_gradient(beside_integers_right))  # the reference takes differences  # fmt: skip
def slope_backwards_beside_a_count(t, dtype):
    return t.call(beside_integers, t.uniform((3,), dtype, 0.5, 1), t.uniform((4, 3), dtype, -1, 1))


def with_keys(key, flags, n):
    import jax

    def step(state, flag):
        key, seen = state
        key, used = jax.random.split(key)
        return (key, seen & flag), (
            jax.random.key_data(used),
            seen,
            jax.random.key_data(key)[0] > 9,
        )

    (key, seen), every = jax.lax.scan(step, (key, True), flags)
    again = key
    for _ in range(n):
        again, used = jax.random.split(again)
    return seen, every[1], every[0], jax.random.key_data(used)


@case("jax.lax.scan", core=False, reference="none")
def keys_and_truths_are_carried(t):
    """As drawing needs them: each step has its own key; and without `jit`, the same."""
    jax, flags = t.fw, t.const([True, True, False, True], "bool")
    found = t.call(lambda flags: with_keys(jax.random.key(7), flags, 1), flags)
    t.expect(
        t.host(found[1]).tolist() == [True, True, True, False] and not bool(found[0]),
        "truths, got %s" % found[1],
    )
    key, words = jax.random.key(7), []
    for _ in range(4):
        key, used = jax.random.split(key)
        words.append(t.host(jax.random.key_data(used)).tolist())
    t.expect(t.host(found[2]).tolist() == words, "the keys of a loop, got %s" % found[2])
    after = t.host(jax.random.key_data(jax.random.split(key)[1])).tolist()
    t.expect(t.host(found[3]).tolist() == after, "the key that is left, got %s" % found[3])
    with jax.disable_jit():
        plain = with_keys(jax.random.key(7), flags, 1)
    t.expect(t.host(plain[2]).tolist() == words, "the same without jit, got %s" % plain[2])  # fmt: skip


@case("jax.lax.scan", core=False, reference="none")
def lengths_that_cannot_be(t):
    """Negative unrolling, no axis to go along, a length that is traced or another one."""
    jax, x = t.fw, t.randn((3,), "f32")

    def refused(*given, **options):
        t.raises(
            (TypeError, ValueError), t.call, "jax.lax.scan", lambda c, v: (c, v), *given, **options
        )

    refused(x, x, unroll=-1)
    refused(x, 1.0)
    refused(x, {"a": x, "b": x[:2]})
    refused(x, x, length=2)
    by_length = jax.jit(lambda n: jax.lax.scan(lambda c, v: (c, v), 0, None, length=n))
    t.raises(jax.errors.ConcretizationTypeError, by_length, 3)
    by_steps = jax.jit(lambda n: jax.lax.scan(lambda c, v: (c, v), 0, x, unroll=n))
    t.raises(jax.errors.ConcretizationTypeError, by_steps, 3)
