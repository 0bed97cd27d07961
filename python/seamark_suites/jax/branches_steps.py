"""cond, scan and while_loop: operands that can be called, predicates, axes of batches, loops within branches, slopes within steps."""

import functools

from seamark_suites.case import case

COND, SCAN, LOOP = "jax.lax.cond", "jax.lax.scan", "jax.lax.while_loop"
NEAR = {"f32": 1e-5, "f64": 1e-12}


# --- cond


@functools.lru_cache(None)
def callable_node():
    import jax

    @jax.tree_util.register_pytree_node_class
    class Called:
        def __init__(self, x):
            self.x = x

        def __call__(self, *given):
            raise AssertionError("an operand is not called")

        def tree_flatten(self):
            return (self.x,), None

        @classmethod
        def tree_unflatten(cls, _, kids):
            return cls(*kids)

    return Called


def operands(which, x, y, z):
    import jax
    import numpy as np

    cond, called = jax.lax.cond, callable_node()
    plus = [(lambda a, b: a + b, x, y), (lambda a, b: a + b.x, x, called(y)), (lambda a, b: a.x + b, called(x), y), (lambda a, b: a.x + b.x, called(x), called(y))]  # fmt: skip
    made = [cond(which, f, lambda a, b, f=f: f(a, b) - 1, a, b) for f, a, b in plus]
    made.append(cond(which, lambda a, b, c: a + b + c, lambda a, b, c: a * b * c, x, y, z))
    made.append(cond(which, lambda: x * 2, lambda: x * 3))
    consts = np.array([1, 2, 3], x.dtype), np.array([3, 4, 5], x.dtype)
    made.append(cond(which, lambda v: consts[0] * v, lambda v: consts[1] * v + y, x))
    made += cond(which, lambda v, _: (v[0], 0), lambda _, v: v, (x, 0), (y, 1))
    return made


def operands_right(np, x, y, z, which, taken):
    first = [x + y] * 4 if taken else [x + y - 1] * 4
    return [*first, x + y + z if taken else x * y * z, 2 * x if taken else 3 * x, np.arange(1, 4) * x if taken else np.arange(3, 6) * x + y,
            x if taken else y, np.array(0 if taken else 1)]  # fmt: skip


@case(COND, dtypes="f32 i32", taken=[True, False], core=False, reference=operands_right)
def operands_that_can_be_called(t, dtype, taken):
    """They are operands all the same; three of them, none; constants of NumPy's, another of each branch; parts that are numbers."""
    given = [t.randint((3,), dtype, 1, 9) for _ in range(3)]
    return t.call(operands, t.const(taken, "bool"), *given)


@case(COND, core=False, reference="none")
def predicates_in_programs(t):
    """None, text and lists are refused there, too; the predicate may be the operand, of any kind."""
    jax, cond = t.fw, t.get(COND)
    f = lambda pred: cond(pred, lambda x: (True, x), lambda x: (False, x), pred)  # noqa: E731
    for run in (f, jax.jit(f)):
        for pred in (0, 0.0, 1, 1.5, -2):
            which, same = t.call(run, pred)
            t.expect((bool(which), float(same)) == (bool(pred), pred), "%r, got %s" % (pred, which))
        for wrong in (None, "abc", [], [1, 2]):
            t.raises(TypeError, run, wrong)


def branches_of_loops(x, n):
    import jax
    from jax import lax

    def grown(v, _):
        return lax.fori_loop(v.astype("int32") * 0, n, lambda i, c: c * 2.0, v)

    def chosen(v):
        return lax.cond(n > 0, grown, lambda _, w: w, v, v * 0)

    def carried(v):
        step = lambda c, w: (lax.fori_loop(0, n, lambda i, u: u * c, w), None)  # noqa: E731
        return lax.scan(step, v, jax.numpy.stack([v, v * 0 + 2]))[0]

    def several(v, w):
        turn = lambda _, u: lax.scan(lambda c, _: (c, None), u, None, length=1)[0]  # noqa: E731
        return lax.cond(v < 0, turn, turn, v, w)

    def counted(v, most):
        def step(state, _):
            value, on = state
            return lax.cond(on, lambda u: (u * v, u.sum() >= 0), lambda u: (u, False), value), None

        return lax.scan(step, (v * 0 + 1, True), None, length=most)[0][0]

    made = [jax.linearize(f, x)[1](x * 0 + 1) for f in (chosen, carried)]
    shared = jax.vmap(several, (0, None), None)(jax.numpy.stack([x, -x, x * 0]), 3.0)
    return [*made, shared, jax.linearize(lambda v: counted(v, 1), x)[1](x * 0 + 1), counted(x, 3)]


@case(COND, dtypes="f32 f64", core=False, rtol=NEAR, reference=lambda np, x, n: [
      8.0, 2 * n * (n + 1) * x ** (n * (n + 1) - 1), 3.0, 1.0, x**3])  # fmt: skip
def loops_within_branches(t, dtype):
    """Forwards through them; backwards they are refused; what all branches carry unchanged is of no batch."""
    jax, lax = t.fw, t.fw.lax

    def doubled(v, by=2.0):
        return lax.fori_loop(v, v + 2.0, lambda i, u: u * by, v)

    def outer(x):
        return lax.cond(True, doubled, lambda v: v, x)

    def inner(x):
        return lax.scan(lambda c, v: (doubled(v, c), None), x, t.np.ones(2))[0]

    for f in (outer, inner):
        error = t.raises(ValueError, jax.grad(f), 1.0)
        t.expect("while_loop" in str(error), "what has no way back, got %s" % error)
        jax.linearize(f, 1.0)
    return t.call(branches_of_loops, t.uniform((), dtype, 1, 1.5), t.const(3, "i32"))


@case(COND, core=False, reference="none")
def each_of_a_batch_without_a_program(t):
    """jax.disable_jit: of each of a batch both branches, and a choice; drawn in a loop, of each key; nothing is left of a program."""
    jax, jnp, cond = t.fw, t.fw.numpy, t.get(COND)
    each = jax.vmap(lambda n: cond(n > 0, lambda x, _: x * 0, lambda _, y: y * 0 + 1, n, n))
    numbers = t.const([1, -1, 0], "i32")
    with jax.disable_jit():
        without = each(numbers)
    for found in (without, t.call(each, numbers)):
        t.expect(t.host(found).tolist() == [0, 1, 1], "of each its own, got %s" % found)

    def walk(key, x):
        def step(_, state):
            key, x = state
            key, used = jax.random.split(key)
            coin = jax.random.bernoulli(used)
            return key, cond(coin, lambda a, _: a, lambda _, b: b, x, jnp.abs(x) - 1.0)

        return jax.lax.fori_loop(0, 10, step, (key, x))[1]

    keys, x = jax.random.split(jax.random.key(0), 3), jnp.ones((3, 4))
    found = t.host(t.call(jax.vmap(walk), keys, x))
    alone = t.np.stack([t.host(walk(key, row)) for key, row in zip(keys, x)])
    t.expect(t.np.array_equal(found, alone), "as each alone, got %s and %s" % (found, alone))
    out = lambda x: jax.vmap(lambda v: cond(v[0][0] > 0, back, lambda w: w, v))(x)  # noqa: E731

    def back(x):
        _, linear = jax.linearize(jnp.sin, x)
        jax.linear_transpose(linear, x)(x)
        return x

    ones = jnp.ones((2, 3, 3))
    t.expect(bool((t.call(out, ones) == ones).all()), "a transpose within a branch")


# --- scan


def cells(c, a, d, jitted, within):
    import jax
    import jax.numpy as jnp

    def step(c, a):
        b = jnp.cos(jnp.sin(a).sum() + jnp.cos(c).sum() + d.sum())
        return jnp.sin(c * b), b

    if jitted:
        step = jax.jit(step)
    scan = jax.jit(jax.lax.scan, static_argnums=0) if within else jax.lax.scan
    return scan(step, c, a)


def cells_right(np, c, a, d):
    every = []
    for one in a:
        every.append(np.cos(np.sin(one).sum() + np.cos(c).sum() + d.sum()))
        c = np.sin(c * every[-1])
    return c, np.array(every)


AXES = [(c, a) for c in (None, 0, 1) for a in (None, 0, 1, 2) if (c, a) != (None, None)]


def cells_of_batches(c, a, d):
    import jax
    import jax.numpy as jnp

    made = []
    for number, axes in enumerate(AXES):
        given = [v[0] if axis is None else jnp.moveaxis(v, 0, axis) for v, axis in zip((c, a), axes)]  # fmt: skip
        run = lambda c, a, n=number: cells(c, a, d, n % 2, n // 2 % 2)  # noqa: E731
        made.append(jax.vmap(run, axes)(*given))
    return made


def cells_of_batches_right(np, c, a, d):
    made = []
    for first, second in AXES:
        rows = [cells_right(np, c[0 if first is None else n], a[0 if second is None else n], d) for n in range(len(c))]  # fmt: skip
        made.append(tuple(np.stack(each) for each in zip(*rows)))
    return made


@case(SCAN, dtypes="f32 f64", core=False, rtol={"f32": 1e-4, "f64": 1e-11}, atol={"f32": 1e-4, "f64": 1e-11}, reference=cells_of_batches_right)  # fmt: skip
def batches_along_every_axis(t, dtype):
    """Under vmap along each axis of the state and of the inputs; jitted steps, and scan as a program with a static step."""
    return t.call(cells_of_batches, t.uniform((3, 4), dtype, -1, 1), t.uniform((3, 5, 2), dtype, -1, 1), t.uniform((2,), dtype, -1, 1))  # fmt: skip


def pairs_of_batches(x, y, u, v):
    import jax
    import jax.numpy as jnp

    def step(c, a):
        (one, two), (left, right) = c, a
        every = jnp.cos(left).sum() * (two * right).sum()
        return (one * jnp.sin((left * right).sum()), two * jnp.cos(left.sum())), every

    moved = jax.vmap(lambda c, a: jax.lax.scan(step, c, a), (0, (1, 2)))
    shifted = jax.vmap(lambda last: jax.lax.scan(lambda c, _: ((*c[1:], 0.0), None), (0.0, 1.0, 2.0, last), jnp.zeros(2))[0])  # fmt: skip

    def size():
        return jax.lax.scan(lambda *_: (jax.lax.psum(1, "n"), None), 0, None, length=1)[0]

    def sized(n):
        return jax.vmap(size, axis_name="n", axis_size=n, out_axes=None)()

    return [moved((x, y), (u.transpose(1, 0, 2)[:, :, 0], u.transpose(1, 2, 0))), shifted(v), sized(2), sized(3)]  # fmt: skip


def pairs_right(np, x, y, u, v):
    lasts, every = [], []
    for one, two, rows in zip(x, y, u):
        seen = []
        for row in rows:
            left = row[0]
            seen.append(np.cos(left) * (two * row).sum())
            one, two = one * np.sin((left * row).sum()), two * np.cos(left)
        lasts.append((one, two))
        every.append(np.array(seen))
    last = tuple(np.stack(each) for each in zip(*lasts))
    return [(last, np.stack(every)), (np.full(3, 2.0), v, 0 * v, 0 * v), np.array(2), np.array(3)]


@case(SCAN, dtypes="f32 f64", core=False, rtol={"f32": 1e-4, "f64": 1e-11}, atol={"f32": 1e-5, "f64": 1e-12}, reference=pairs_right)  # fmt: skip
def pairs_and_shifts_of_batches(t, dtype):
    """Axes of their own for parts of the inputs; a batch that moves through the state; the size of a batch that it is in."""
    x, y = t.uniform((3, 2), dtype, 0.5, 1), t.uniform((3,), dtype, 0.5, 1)
    return t.call(pairs_of_batches, x, y, t.uniform((3, 4, 2), dtype, 0.5, 1), t.uniform((3,), dtype, 3, 5))  # fmt: skip


def descended(x, w):
    import jax
    import jax.numpy as jnp

    def run(w):
        energy = lambda v: (v * v * w).sum() / 2  # noqa: E731
        step = lambda c, _: ((c[0] + 1, c[1] - 0.1 * jax.grad(energy)(c[1])), _)  # noqa: E731
        return jax.lax.scan(step, (0, x), jnp.zeros((5, 0)))[0][1]

    def cosines(v):
        step = lambda c, i: (jax.grad(jnp.cos, argnums=(0,))(c)[0], i)  # noqa: E731
        return jax.lax.scan(step, v, jnp.arange(3))[0]

    def pulled(v):
        def back(u):
            pull = jax.vjp(lambda z: (z.conj() * z).sum().real, u * (1 + 1j))[1]
            return pull(jnp.ones((), v.dtype))[0]

        return jax.lax.scan(lambda c, _: (c, back(v)), 0, jnp.arange(2))[1]

    return [run(w), jax.grad(lambda w: jnp.sin(run(w)).sum())(w), jax.jit(jax.jacfwd(cosines, argnums=(0,)))(w)[0], pulled(x)]  # fmt: skip


def descended_right(np, x, w):
    last = x * (1 - 0.1 * w) ** 5
    one = -np.sin(w)
    two = -np.sin(one)
    slope = -np.cos(w) * -np.cos(one) * -np.cos(two)
    return [last, (np.cos(last) * x * 5 * (1 - 0.1 * w) ** 4 * -0.1).sum(), slope, np.stack([2 * x * (1 - 1j)] * 2)]  # fmt: skip


@case(SCAN, dtypes="f32 f64", core=False, rtol={"f32": 1e-5, "f64": 1e-12}, atol={"f32": 1e-6, "f64": 1e-12}, reference=descended_right)  # fmt: skip
def slopes_within_steps(t, dtype):
    """A step goes down a slope; the slope of where it ends, backwards and forwards; a pull of complex numbers."""
    return t.call(descended, t.uniform((3,), dtype, 0.5, 1), t.uniform((), dtype, 0.5, 1))


@case(SCAN, dtypes="f32 i32", core=False, reference=lambda np, x: [np.cumsum(x, 0), np.cumsum(x[::-1], 0)[::-1]] * 2 + [x[0] * 0 + 20])  # fmt: skip
def sums_either_way_without_a_program(t, dtype):
    """jax.disable_jit, forwards and backwards; wholly unrolled no loop is left of it, partly it is; what cannot be gone along."""
    jax, scan = t.fw, t.get(SCAN)

    def sums(x, **options):
        return scan(lambda c, v: (c + v, c + v), x[0] * 0, x, **options)[1]

    x = t.randint((6, 3), dtype, -9, 9)
    made = [t.call(sums, x), t.call(lambda x: sums(x, reverse=True), x)]
    with jax.disable_jit():
        made += [sums(x), sums(x, reverse=True)]
    texts = [jax.jit(lambda x, n=n: sums(x, unroll=n)).lower(x).as_text() for n in (1, 2, True)]
    t.expect(["while" in text for text in texts] == [True, True, False], "a loop unless all is unrolled")  # fmt: skip
    t.raises((TypeError, ValueError), scan, lambda c, i: (c, i), x, list(range(5)))
    return [*made, t.call(lambda x: scan(lambda c, _: (c + 1, None), x[0] * 0, length=20)[0], x)]


# --- while_loop


@functools.lru_cache(None)
def node_of_two_labels():
    import jax

    class Pair:
        def __init__(self, x, y):
            self.x, self.y = x, y

    jax.tree_util.register_pytree_with_keys(
        Pair, lambda o: ((("x", o.x), ("y", o.y)), "with keys"), lambda _, kids: Pair(*kids), lambda o: ((o.x, o.y), "without"),
    )  # fmt: skip
    return Pair


def loops_of_all_kinds(x, n):
    import jax
    from jax import lax

    loop, pair = lax.while_loop, node_of_two_labels()
    made = loop(lambda o: o.x > 0, lambda o: pair(o.x - 1, o.y * 2), pair(n, x))

    def limited(limit, inc):
        jitted = jax.jit(lambda s, inc: (s[0] + 1, s[1] + inc))
        return loop(lambda s: s[0] < limit, lambda s: jitted(s, inc), (2, x * 0))[1]

    def nested(a, b):
        def outer(s):
            value = loop(lambda r: r[1] < b + 1, lambda r: (r[0] + s[1] + r[1], r[1] + 1), (s[0], 0))[0]  # fmt: skip
            return value, s[1] + 1

        return loop(lambda s: s[1] < a + 1, outer, (0, 0))[0]

    def drawn(key):
        def step(s):
            key, used = jax.random.split(s[1])
            return jax.random.uniform(used, ()), key

        return loop(lambda s: s[0] > 0.5, step, (1.0, key))[0]

    keys = jax.random.split(jax.random.key(7), 3)
    alone = jax.numpy.stack([drawn(key) for key in keys])
    numbers = jax.numpy.arange(5)
    constant = loop(lambda s: s[1] < 10, lambda s: (7, s[1] + 1), (33, 4))
    return [made.y, limited(10, 1), jax.jit(limited)(6, 3), jax.vmap(nested)(numbers, numbers), jax.vmap(drawn)(keys) - alone, (alone <= 0.5).all(), *constant]  # fmt: skip


@case(LOOP, dtypes="f32 i32", core=False, reference=lambda np, x, n: [
      8 * x, 0 * x + 8, 0 * x + 12, np.array([(k + 1) ** 2 * k for k in range(5)]), np.zeros(3), True, np.array(7), np.array(10)])  # fmt: skip
def states_and_steps_of_all_kinds(t, dtype):
    """A node with other labels where it has keys; programs in steps; loops in loops of a batch; drawn until it is small, of each key."""
    return t.call(loops_of_all_kinds, t.randint((3,), dtype, 1, 9), t.const(3, "i32"))


@case(LOOP, core=False, reference="none")
def python_runs_once(t):
    """The same condition and step are not traced again, with jit and without it; a limit that is an argument neither."""
    jax, loop, seen = t.fw, t.get(LOOP), []

    def less(s):
        seen.append("less")
        return s < 5

    def step(s):
        seen.append("step")
        return s + 2

    found = [int(loop(less, step, 0)) for _ in range(2)]
    t.expect(found == [6, 6] and set(seen) == {"less", "step"}, "got %s, %s" % (found, seen))
    count = len(seen)
    t.expect(int(loop(less, step, 1)) == 5 and len(seen) == count, "not again, got %s" % seen)
    program = jax.jit(lambda start, most: loop(lambda s: s[0] < most, lambda s: (seen.append("jit") or s[0] + 1, s[1] + 1), (start, 0))[1])  # fmt: skip
    found = [int(t.call(program, start, 10)) for start in (2, 2, 3)]
    t.expect(found == [8, 8, 7], "as many as are left, got %s" % found)
    count = len(seen)
    t.expect(int(program(4, 12)) == 8 and len(seen) == count, "not again, got %s" % seen)


def tangents(x, y):
    import jax
    from jax import lax

    def f(x, jit_less, jit_step):
        less, step = lambda v: v[0, 2] <= 8, lambda v: v * v
        return lax.while_loop(jax.jit(less) if jit_less else less, jax.jit(step) if jit_step else step, x)  # fmt: skip

    ways = [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    whole = jax.jit(f, static_argnums=(1, 2))
    made = [jax.jvp(lambda v, a=a, b=b, c=c: (whole if c else f)(v, a, b), (x,), (y,))[1] for a, b, c in ways]  # fmt: skip
    return [*made, jax.linearize(lambda v: lax.while_loop(lambda i: i < 5.0, lambda i: i + 1.0, v), x[0, 0])[1](y[0, 0])]  # fmt: skip


@case(LOOP, dtypes="f32 f64", core=False, rtol={"f32": 2e-5, "f64": 1e-13}, reference=lambda np, x, y: [16 * x**15 * y] * 8 + [y[0, 0]])  # fmt: skip
def tangents_of_jitted_parts(t, dtype):
    """Forwards, whichever of the loop, its condition and its step is a program of its own."""
    return t.call(tangents, t.uniform((2, 3), dtype, 1.2, 1.25), t.uniform((2, 3), dtype, 0.5, 1.5))
