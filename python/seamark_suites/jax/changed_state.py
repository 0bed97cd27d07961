"""Arrays that programs change in place, jax.new_ref, within jit, grad, vmap, scan, cond and while_loop."""

from seamark_suites.case import case

LAX = "jax.lax."
SINCE = ("0.9.0", "jax.new_ref")


def _squared(v):
    import jax

    state = jax.new_ref(v)
    state[...] = state[...] * state[...]
    return jax.freeze(state)


def _running(f, v):
    """Sums so far, kept in a state; a product beside them."""
    import jax

    state = jax.new_ref(jax.numpy.zeros_like(v[0]))

    def step(product, one):
        state[...] += one
        return product * one, state[...]

    product, sums = f(step, v[0] * 0 + 1, v)
    return [product, sums, state[...]]


def _each(f, v):
    """A state of rows, of which each step changes its own."""
    import jax

    rows = jax.new_ref(v)

    def step(n, row):
        row[...] = row[...] * 2 + n
        return n + 1, None

    return [f(step, v[0] * 0 + 1, rows)[0], rows[...]]


def _chosen(f, v):
    import jax

    state = jax.new_ref(v)

    def put(number):
        state[...] = state[...] * number

    f(v[0] > 0, lambda: put(2), lambda: put(3))
    f(v[0] > 0, lambda: put(-1), lambda: put(-1))
    return state[...]


def _grown(f, v):
    import jax

    state = jax.new_ref(v)

    def body(n):
        state[...] = state[...] * 2 + n
        return n + 1

    return [f(lambda n: n < 3, body, 0), state[...]]


def _doubled(f, v):
    import jax

    total = jax.new_ref(jax.numpy.zeros_like(v))
    add = f(lambda x: total.__setitem__(..., total[...] + 2 * x))
    add(v)
    add(v + 1)
    return [total[...], f(f(lambda: _squared(v)))(), f(lambda state: state[...] + 1)(total)]


# FUNCTION: (the call of an array, what is right).
STATES = {
    "jax.jit": (_doubled, lambda np, v: [4 * v + 2, v * v, 4 * v + 3]),
    "jax.grad": (lambda f, v: [f(lambda x: _squared(x).sum())(v), _jit(f(lambda x: _squared(x).sum()))(v), f(_jit(lambda x: _squared(x).sum()))(v)],
                 lambda np, v: [2 * v] * 3),
    "jax.value_and_grad": (lambda f, v: list(f(lambda x: _squared(x).sum())(v)), lambda np, v: [(v * v).sum(), 2 * v]),
    "jax.vmap": (lambda f, v: [f(_squared)(v), f(f(_squared))(v[:, None]), f(_squared, 0, -1)(v)], lambda np, v: [v * v, (v * v)[:, None], v * v]),
    LAX + "scan": (lambda f, v: [*_running(f, v), *_each(f, v)], lambda np, v: [v.prod(), v.cumsum(), v.sum(), 1 + len(v), 2 * v + 1 + np.arange(len(v))]),
    LAX + "cond": (_chosen, lambda np, v: -v * np.where(v[0] > 0, 2, 3)),
    LAX + "while_loop": (_grown, lambda np, v: [3, 8 * v + 4]),
}  # fmt: skip


def _jit(f):
    import jax

    return jax.jit(f)


def states(body):
    for name, (_, right) in STATES.items():
        twice = lambda np, v, right=right: [right(np, v)] * 2  # noqa: E731
        body = case(name, core=False, since=SINCE, reference=twice)(body)
    return body


@states
def a_state_that_changes(t, function):
    """Alone and in a program; what comes back is no state."""
    run, f = STATES[function][0], t.get(function)
    v = t.randint((4,), "f32", -5, 6)
    return [t.call(lambda v: run(f, v), v), t.call(t.fw.jit(lambda v: run(f, v)), v)]


@case(LAX + "scan", core=False, since=SINCE, reference=lambda np, v: [np.arange(len(v), 0, -1)])
def slopes_of_sums_that_a_state_keeps(t):
    """Each number is in the sums from its own on."""
    f, v = t.get(LAX + "scan"), t.randint((5,), "f32", -5, 6)
    return [t.call(t.fw.grad(lambda v: _running(f, v)[1].sum()), v)]


def _counted(v, n, counts):
    """The slope of steps that count in a state, which they do not look at; what it holds then."""
    import jax

    state, more = jax.new_ref(counts[0]), v[0] * 0

    def run(x, number):
        def step(c, _):
            state[...] += number
            return c * v[0] + more, ()

        return jax.lax.scan(step, x, (), length=n)[0]

    made = [jax.grad(run)(v[1], counts[1]), state[...]]
    return [*made, jax.jit(jax.grad(run))(v[1], counts.sum()), state[...]]


@case(LAX + "scan", core=False, since=SINCE, reference=lambda np, v, counts: [
      v[0] ** 3, counts[0] + 3 * counts[1], v[0] ** 3, counts[0] + 3 * counts[1] + 3 * counts.sum()])  # fmt: skip
def steps_of_a_slope_that_count(t):
    """Each step is counted, once, also where nothing depends on the count; a number of outside, one that is computed of others."""
    v, counts = t.randint((2,), "f32", 2, 6), t.randint((3,), "i32", 1, 9)
    jax, state, steps = t.fw, t.fw.new_ref(0), t.np.arange(3)

    def outside(x, number):
        def step(c, _):
            state[...] += number
            return c, ()

        return jax.lax.scan(step, x, (), length=3)[0]

    if not t.compiled:
        slopes = [float(jax.grad(outside)(1.0, 1)), float(jax.grad(outside)(1.0, steps.sum()))]
        t.expect(slopes == [1, 1] and int(state[...]) == 12, "twelve, got %s, %s" % (slopes, state))
    return t.call(lambda v, counts: _counted(v, 3, counts), v, counts)


@case(LAX + "scan", core=False, host_only=True, since=SINCE, reference="none")
@case(LAX + "cond", core=False, host_only=True, since=SINCE, reference="none")
@case("jax.jit", core=False, host_only=True, since=SINCE, reference="none")
@case("jax.vmap", core=False, host_only=True, since=SINCE, reference="none")
def states_that_have_two_names(t, function):
    """One that comes back, one given twice, one given that is held, too; of a batch one held that its examples would change."""
    jax, f, steps = t.fw, t.get(function), t.np.arange(3)
    state = jax.new_ref(jax.numpy.zeros(3))
    both = lambda a, b: a[...] + b[...]  # noqa: E731
    wrong = {
        "jax.jit": [lambda: f(jax.new_ref)(steps), lambda: f(lambda a: a)(state), lambda: f(both)(state, state),
                    lambda: f(lambda a: both(a, state))(state)],
        "jax.vmap": [lambda: f(both)(state, state), lambda: f(lambda v: state.__setitem__(0, v))(steps)],
        LAX + "scan": [lambda: f(lambda c, x: (jax.new_ref(c), x), 0, steps), lambda: f(lambda c, _: (None, None), (state, state), None, length=1),
                       lambda: f(lambda a, _: (both(a, state), None), state, None, length=1)],
        LAX + "cond": [lambda: f(True, lambda: jax.new_ref(1.0), lambda: jax.new_ref(2.0)), lambda: f(True, both, both, state, state),
                       lambda: f(True, lambda a: both(a, state), lambda a: both(a, state), state)],
    }[function]  # fmt: skip
    for call in wrong:
        t.raises(Exception if function == "jax.vmap" else ValueError, call)
    reads = {
        "jax.jit": lambda: f(lambda a: a[...] + 1)(state), "jax.vmap": lambda: f(lambda a: a[...] + 1)(state),
        LAX + "scan": lambda: f(lambda c, a: (c, a[...] + 1), 0, state)[1], LAX + "cond": lambda: f(True, lambda a: a[...] + 1, lambda a: a[...], state),
    }  # fmt: skip
    found = t.host(t.call(reads[function])).tolist()
    t.expect(
        found == [1, 1, 1] and t.host(state[...]).tolist() == [0, 0, 0], "one more, got %s" % found
    )


@case("jax.grad", core=False, host_only=True, since=SINCE, reference="none")
def slopes_of_a_state_itself(t):
    """Refused; of a number that is put into one they are right."""
    jax, grad = t.fw, t.get("jax.grad")
    t.raises((ValueError, TypeError), grad(lambda state: state[...]), jax.new_ref(1.0))
    found = float(t.call(grad(lambda x: _squared(x)), 3.0))
    t.expect(found == 6, "6, got %s" % found)
