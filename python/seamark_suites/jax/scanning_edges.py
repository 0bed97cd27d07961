"""jax.lax.scan, beyond: derivatives in every way, branches, rules and sums over a batch within a step, containers."""

import collections
import functools

from seamark_suites.case import case

from .reference import with_gradient

SCAN = "jax.lax.scan"
NEAR = {"f32": 2e-5}
Pair = collections.namedtuple("Pair", "left right")


def products(w, **options):
    import jax

    step = lambda c, x: (c * x, c * x)  # noqa: E731
    return jax.lax.scan(step, w[0] * 0 + 1, w, **options)


def in_every_way(w, v, reverse, unroll):
    import jax

    last = lambda w: products(w, reverse=reverse, unroll=unroll)[0]  # noqa: E731
    every = lambda w: products(w, reverse=reverse, unroll=unroll)[1]  # noqa: E731
    value, pull = jax.vjp(every, w)
    _, linear = jax.linearize(every, w)
    return (
        value,
        jax.jacfwd(every)(w),
        jax.jacrev(every)(w),
        linear(v),
        pull(v)[0],
        jax.hessian(last)(w),
    )


def in_every_way_right(np, w, v, reverse):
    n = len(w)
    before = np.tril(np.ones((n, n))) if not reverse else np.triu(np.ones((n, n)))
    value = np.array([w[row > 0].prod() for row in before])
    slopes = before * value[:, None] / w
    twice = w.prod() / w[:, None] / w * (1 - np.eye(n))
    return value, slopes, slopes, slopes @ v, v @ slopes, twice


@case(SCAN, dtypes="f32", reverse=[False, True], core=False, rtol=NEAR, atol=NEAR,
      reference=in_every_way_right)  # fmt: skip
def derivatives_in_every_way(t, dtype, reverse):
    """Jacobians forwards and backwards, linearized, twice, of all partial products."""
    given = [t.uniform((5,), dtype, 0.5, 1.5) for _ in range(2)]
    return t.call(in_every_way, *given, reverse=reverse, unroll=2 if reverse else 1)


def branches_in_steps(w, xs):
    import jax

    def step(c, x):
        c = jax.lax.cond(x > 0, lambda c: c * w, lambda c: c - x * w[0], c)
        last, _ = jax.lax.scan(lambda c, _: (c * 0.5 + x, None), c, None, length=2)
        return c, jax.lax.switch((x > 0).astype("int32"), [lambda v: v * v, lambda v: 2 * v], last)

    return jax.lax.scan(step, w * 0 + 1, xs)


def branches_in_steps_right(np, w, xs):
    c, found = w * 0 + 1, []
    for x in xs:
        c = c * w if x > 0 else c - x * w[0]
        last = (c * 0.5 + x) * 0.5 + x
        found.append(2 * last if x > 0 else last * last)
    return c, np.stack(found)


@case(SCAN, dtypes="f32 f64", grad=True, core=False, rtol={"f32": 1e-4, "f64": 1e-8}, atol={"f32": 1e-4, "f64": 1e-8},
      reference=with_gradient(branches_in_steps_right))  # the reference takes differences  # fmt: skip
def branches_within_steps(t, dtype):
    """cond, switch and a scan inside; their slopes."""
    w = t.uniform((3,), dtype, 0.5, 1)
    return t.call(branches_in_steps, w, t.const([0.5, -1.0, 2.0, -0.25, 1.5], dtype, grad=True))


def rules_of_ones_own(x):
    import jax

    @jax.custom_vjp
    def backwards(v):
        return v * v

    @jax.custom_jvp
    def forwards(v):
        return v * v

    backwards.defvjp(lambda v: (v * v, v), lambda v, w: (10 * w * v,))
    forwards.defjvp(lambda v, d: (v[0] * v[0], 100 * v[0] * d[0]))

    def total(x, rule):
        return jax.lax.scan(lambda c, v: (c + rule(v), None), x[0] * 0, x)[0]

    slopes = [jax.grad(total)(x, rule) for rule in (backwards, forwards)]
    batch = jax.vmap(jax.grad(lambda v: total(v, forwards)))(x[None])
    return total(x, backwards), *slopes, batch, jax.jvp(lambda x: total(x, forwards), (x,), (x,))[1]


@case(SCAN, dtypes="f32", core=False, rtol=NEAR, reference=lambda np, x: (
      (x * x).sum(), 10 * x, 100 * x, 100 * x[None], 100 * (x * x).sum()))  # fmt: skip
def rules_of_ones_own_within_steps(t, dtype):
    """custom_vjp and custom_jvp say the slope, not what is computed."""
    return t.call(rules_of_ones_own, t.uniform((6,), dtype, 1, 2))


def over_the_batch(xs):
    import jax

    def one(xs):
        def step(c, x):
            c = c + jax.lax.psum(x, "rows") - x
            return c, c * jax.lax.axis_index("rows")

        return jax.lax.scan(step, xs[0] * 0, xs)

    return jax.vmap(one, axis_name="rows")(xs)


def over_the_batch_right(np, xs):
    every = np.cumsum(xs.sum(0) - xs, 1)
    return every[:, -1], every * np.arange(len(xs))[:, None]


@case(SCAN, dtypes="f32 i32", core=False, reference=over_the_batch_right)
def sums_over_a_batch_within_steps(t, dtype):
    """A collective of vmap's axis in each step."""
    return t.call(over_the_batch, t.randint((3, 5), dtype, -9, 9))


def of_containers(x, y):
    import jax

    def step(s, v):
        s = Pair({"n": s.left["n"] + v[0], "m": s.left["m"]}, [s.right[0] * 2, None])
        return s, Pair((v[1]["k"] + 1, {}), v[0] * s.left["m"])

    start = Pair({"n": x[0] * 0, "m": x[0]}, [y[0], None])
    return jax.lax.scan(step, start, [x, {"k": y}])


def of_containers_right(np, x, y):
    return ({"m": x[0], "n": x.sum()}, [y[0] * 2 ** len(x), None]), ((y + 1, {}), x * x[0])


@case(SCAN, dtypes="f32 i32 bf16", core=False, reference=of_containers_right)
def containers_stay_what_they_are(t, dtype):
    """Named tuples, dictionaries, lists, None: of what is carried, given and put out."""
    made = t.call(of_containers, t.randint((5,), dtype, -4, 5), t.randint((5, 2), dtype, -4, 5))
    last, every = made
    t.expect(isinstance(last, Pair) and isinstance(every, Pair), "named tuples, got %r" % (made,))
    return tuple(last), tuple(every)


@case(
    SCAN,
    dtypes="f32",
    core=False,
    reference=lambda np, x: [x.sum(0), x.sum(0), x.sum(0), 4 * x[0], x.sum(0), 0],
)
def lengths_in_other_forms(t, dtype):
    """NumPy's arrays and numbers; a length that is given, too; more unrolled than there are; no unrolling; a step that is traced few times."""
    x, seen, np = t.randint((4, 3), dtype, -9, 9), [], t.np
    scan = t.get(SCAN)
    step = lambda c, v: (c + v, None)  # noqa: E731
    own = t.host(x).astype("float32")
    made = [t.call(lambda z: scan(step, z, own)[0], x[0] * 0), t.call(lambda x: scan(step, x[0] * 0, x, length=4)[0], x),
            t.call(lambda x: scan(step, x[0] * 0, x, 4, unroll=9)[0], x),
            t.call(lambda x: scan(lambda c, _: (c + x[0], None), x[0] * 0, length=np.int64(4))[0], x),
            t.call(lambda x: scan(step, x[0] * 0, x, unroll=False)[0], x)]  # fmt: skip

    def counted(c, v):
        seen.append(1)
        return c + 1, None

    made.append(t.call(lambda x: scan(counted, x[0, 0] * 0, None, length=1000)[0] - 1000, x))
    t.expect(len(seen) < 20, "traced a few times, got %d" % len(seen))
    return made


def passed_through(a, b, c, xs, ys, w):
    """Carries that change places or stay, inputs that come out as they are, what the step closes over."""
    import jax
    import jax.numpy as jnp

    def step(carry, given):
        a, b, c = carry
        x, y = given
        return (b, a * x, c), (y, a, jnp.sin(w) * x, 0.5)

    return jax.lax.scan(step, (a, b, c), (xs, ys))


def passed_through_right(np, a, b, c, xs, ys, w):
    outs = []
    for x, y in zip(xs, ys):
        outs.append((y, a, np.sin(w) * x, 0.5))
        a, b = b, a * x
    return [a, b, c, *(np.stack([out[i] for out in outs]) for i in range(3)), np.full(len(xs), 0.5)]


@case(SCAN, dtypes="f32 f64", grad=True, core=False, rtol={"f32": 1e-4, "f64": 1e-8}, atol={"f32": 1e-4, "f64": 1e-8},
      reference=with_gradient(passed_through_right))  # the reference takes differences  # fmt: skip
def carries_that_change_places(t, dtype):
    """And slopes through them."""
    a, b, c = (t.uniform((3,), dtype, 0.5, 1.5) for _ in range(3))
    xs, ys = (t.uniform((5, 3), dtype, 0.5, 1.5) for _ in range(2))

    def run(*given):
        carry, outs = passed_through(*given)
        return [*carry, *outs]

    return t.call(run, a, b, c, xs, ys, t.uniform((3,), dtype, 0.5, 1.5))


@case(SCAN, dtypes="i8 u8 i16 u32 i64 f16 bf16 f64 c64", core=False, reference=lambda np, x: [x.sum(), np.cumsum(x), 2 * x.sum(), np.sum(x) * 3])  # fmt: skip
def first_numbers_take_the_dtype(t, dtype):
    """A weak first number, in a tuple, too, becomes what the steps make of it; a strong one of a smaller kind does not."""
    x, jax = t.randint((5,), dtype, 1, 5), t.fw
    last, every = t.call(lambda x: jax.lax.scan(lambda c, v: (c + v, c + v), 0, x), x)
    (twice, thrice), _ = t.call(
        lambda x: jax.lax.scan(lambda c, v: ((c[0] + 2 * v, c[1] + 3 * v), None), (0, x[0] * 0), x),
        x,
    )
    found = [one.dtype for one in (last, every, twice, thrice)]
    t.expect(found == [x.dtype] * 4, "the dtype of the array, got %s" % found)
    if dtype not in ("i8", "u8"):
        t.raises(TypeError, jax.lax.scan, lambda c, v: (c + v, None), jax.numpy.uint8(0), x)
    return [last, every, twice, thrice]


def held_and_split(w, x, **options):
    import jax
    import jax.numpy as jnp

    held = jnp.sin(w)

    def step(c, v):
        left, right = c
        return (held @ left, w @ right + v), None

    def total(w, x):
        (left, right), _ = jax.lax.scan(step, (x[0], x[1]), x, **options)
        return (left * right).sum()

    def fixed(v):
        (first, second), _ = jax.lax.scan(
            lambda c, _: ((0.5, 0.25), None), (v, 0.0), None, length=3
        )
        return first + second + v

    return total(w, x), jax.grad(total, 1)(w, x), jax.grad(fixed)(x[0, 0])


def held_and_split_right(np, w, x, **_):
    def run(x):
        left, right = x[0], x[1]
        for v in x:
            left, right = np.sin(w) @ left, w @ right + v
        return (left * right).sum()

    def slope(index, step=1e-5):
        moved = np.zeros(x.shape)
        moved[index] = step
        return (run(x + moved) - run(x - moved)) / (2 * step)

    return (
        run(x),
        np.array([[slope((i, j)) for j in range(x.shape[1])] for i in range(len(x))]),
        1.0,
    )


@case(SCAN, dtypes="f32", split=[False, True], core=False, rtol={"f32": 1e-4}, atol={"f32": 1e-4}, since=("0.4.32", "_split_transpose"),
      reference=held_and_split_right)  # fmt: skip
def what_is_the_same_in_each_step(t, dtype, split):
    """It is computed before them; the way back in one loop or two; a first number that no step looks at."""
    w, x = t.uniform((3, 3), dtype, -0.5, 0.5), t.uniform((4, 3), dtype, 0.5, 1)
    return t.call(held_and_split, w, x, _split_transpose=split)


@case(
    SCAN,
    core=False,
    since=("0.9.0", "jax.new_ref"),
    reference=lambda np, x: [x + 6, x.sum(), np.array([1, 3, 6, 10]) * x[0], np.cumsum(x)],
)
def effects_of_each_step(t):
    """What steps tell comes in their order, forwards and in a gradient; a state that they change."""
    jax, told = t.fw, []
    x = t.randint((4,), "f32", 1, 9)

    def telling(c, v):
        jax.debug.callback(lambda one: told.append(float(one)), c, ordered=True)
        return c + 1, v

    def run(x):
        state = jax.new_ref(x * 0)

        def step(c, i):
            state[i] = c * x[0]
            return c + i + 2, None

        jax.lax.scan(step, 1.0, jax.numpy.arange(4))
        total = jax.lax.scan(lambda c, v: (c + v, c + v), 0.0, x)
        after = jax.lax.scan(lambda c, _: (c + 2, None), x, None, length=3)[0]
        return [after, total[0], state[...], total[1]]

    if not t.compiled:
        jax.block_until_ready(jax.jit(lambda v: jax.lax.scan(telling, v, None, length=3))(0.0))
        slope = jax.grad(lambda v: jax.lax.scan(telling, v, None, length=2)[0])(5.0)
        jax.effects_barrier()
        t.expect(float(slope) == 1 and told == [0, 1, 2, 5, 6], "step by step, got %s" % told)
    return t.call(jax.jit(run), x)


@case(SCAN, core=False, reference="none")
def carries_that_change(t):
    """The state keeps its structure, its shapes and its dtypes; the message names what differs."""
    x, z = t.randn((3,), "f32"), t.const(0.0, "f32")

    def refused(step, start, xs=x, **options):
        return t.raises((TypeError, ValueError), t.call, SCAN, step, start, xs, **options)

    error = refused(lambda c, v: ({"a": c["a"], "b": c["b"] + x}, v), {"a": z, "b": z})
    t.expect("'b'" in str(error), "which part differs, got %s" % error)
    refused(lambda c, v: ({"a": c["a"]}, v), {"a": z, "b": z})
    refused(lambda c, v: ([c[0], c[1]], v), (z, z))
    refused(lambda c, v: (None, v), z)
    refused(lambda c, v: (c, v, v), z)
    refused(lambda c, v: None, z)
    refused(lambda c, v: (c > 0, v), z)
    refused(lambda c, v: (c, "text"), z)
    refused(lambda c, v: (c, v), "text")
    refused(lambda c, v: (c, v), z, "text")
    refused(lambda c: (c, c), z)


def by_any_way(c, xs, v, ws, way, reverse):
    import jax

    def step(c, x):
        c = c * x - c + x
        return c, c * x

    options = {"unroll": 0} if way == "unrolled" else {}
    run = functools.partial(jax.lax.scan, step, reverse=reverse, **options)
    if way != "unrolled":
        run = jax.checkpoint(run, policy=getattr(jax.checkpoint_policies, way))

    def weighed(c, xs):
        last, every = run(c, xs)
        return last.sum() + (every * ws).sum()

    many = jax.vmap(run, (0, None))(jax.numpy.stack([c, v, c + v]), xs)
    return [*run(c, xs), *jax.jvp(run, (c, xs), (v, ws))[1], *jax.grad(weighed, (0, 1))(c, xs), *many, *jax.jit(run)(c, xs)]  # fmt: skip


def by_any_way_right(np, c, xs, v, ws, reverse):
    turned = slice(None, None, -1) if reverse else slice(None)

    def steps(c, xs, v, ws):
        states, every, slopes = [c], [], []
        for x, w in zip(xs[turned], ws[turned]):
            c, v = c * x - c + x, v * (x - 1) + w * (c + 1)
            states.append(c)
            every.append(c * x)
            slopes.append(v * x + c * w)
        return states, np.array(every)[turned], v, np.array(slopes)[turned]

    states, every, last, slopes = steps(c, xs, v, ws)
    pull, pulls = np.ones_like(c), []
    for n in reversed(range(len(xs))):
        x, w = xs[turned][n], ws[turned][n]
        pull = pull + w * x
        pulls.append(w * states[n + 1] + pull * (states[n] + 1))
        pull = pull * (x - 1)
    rows = [steps(one, xs, v, ws)[:2] for one in (c, v, c + v)]
    many = np.stack([one[0][-1] for one in rows]), np.stack([one[1] for one in rows])
    return [states[-1], every, last, slopes, pull, np.array(pulls[::-1])[turned], *many, states[-1], every]  # fmt: skip


@case(SCAN, dtypes="f32 f64", way=["unrolled"], reverse=[False, True], core=False, since=("0.9.0", "unroll=0"),
      reference=lambda np, *given, way, reverse: by_any_way_right(np, *given, reverse))  # fmt: skip
@case(SCAN, dtypes="f32 f64", way=["nothing_saveable", "everything_saveable"], reverse=[False, True], core=False,
      reference=lambda np, *given, way, reverse: by_any_way_right(np, *given, reverse))  # fmt: skip
def unrolled_or_under_a_checkpoint(t, dtype, way, reverse):
    """unroll=0 leaves no loop; a checkpoint around the whole, whatever it keeps: values, slopes either way, of a batch."""
    shapes = (3,), (4, 3), (3,), (4, 3)
    given = [t.randint(shape, dtype, -2, 3) for shape in shapes]
    run = functools.partial(by_any_way, way=way, reverse=reverse)
    if way == "unrolled":
        text = t.fw.jit(run).lower(*given).as_text()
        t.expect("while" not in text, "no loop, got %s" % text)
    return t.call(run, *given)


@case(SCAN, dtypes="f32 i32", core=False, since=("0.4.34", "vmap_method="), reference=lambda np, c, x: [
      c + 4, np.outer(np.arange(4), 0 * c + 1) + c + x[:, None], 2 ** 4 * c, np.stack([c + 4, c + 8])])  # fmt: skip
def calls_of_the_host_in_each_step(t, dtype):
    """jax.pure_callback, of a vector, beside an input of the step, of numbers and of a batch."""
    jax, scan = t.fw, t.get(SCAN)

    def host(f, shape, *given):
        struct = jax.ShapeDtypeStruct(shape.shape, shape.dtype)
        return jax.pure_callback(f, struct, *given, vmap_method="sequential")

    def run(c, x):
        more = lambda v: (v + 1).astype(v.dtype)  # noqa: E731
        one = scan(lambda s, v: (host(more, s, s), host(lambda a, b: a + b, s, s, v)), c, x)
        double = lambda s, _: ([host(lambda a: a * 2, v, v) for v in s], None)  # noqa: E731
        twice = scan(double, list(c), None, length=4)[0]
        many = jax.vmap(lambda v: scan(lambda s, _: (host(more, s, s), None), v, None, length=4)[0])
        return [*one, jax.numpy.stack(twice), many(jax.numpy.stack([c, c + 4]))]

    return t.call(jax.jit(run), t.randint((3,), dtype, -9, 9), t.randint((4,), dtype, -9, 9))
