"""Slopes through what is changed in place, jax.new_ref: of states in programs, in scan, in rules of one's own; beside a state that is given."""

from seamark_suites.case import each

from .slopes_watched import GRADS, listed, of_both

SINCE = ("0.9.0", "jax.new_ref")


def _set(v):
    import jax

    state = jax.new_ref(v)
    state[...] = state[...] + state[...]
    return jax.freeze(state)


def _set_in_a_program(v):
    import jax

    state = jax.new_ref(v)

    @jax.jit
    def change():
        state[...] = 2 * jax.numpy.sin(state[...])

    change()
    return jax.freeze(state)


def _set_in_a_step(v):
    import jax

    state = jax.new_ref(v)

    def change(*_):
        state[...] = 2 * jax.numpy.sin(state[...])
        return None, None

    jax.lax.scan(change, None, None, length=1)
    return jax.freeze(state)


def _gone_through(v):
    import jax

    return jax.lax.scan(lambda c, row: (c + 3 * row[...], None), v[0] * 0, jax.new_ref(v))[0]


def _copied(v):
    import jax

    state = jax.new_ref(jax.numpy.zeros_like(v))
    state[...] = v
    return state[...]


def _read(v):
    import jax

    state = jax.new_ref(v)
    return jax.jit(lambda: jax.numpy.sin(state[...]))()


def _constant(v):
    """Two after v was read: the product."""
    import jax

    state = jax.new_ref(v)
    first = state[...]
    state[...] = jax.numpy.full_like(v, 2)
    return first * jax.freeze(state)


def _constant_at_a_place(v):
    import jax

    state = jax.new_ref(v)
    state[0] = 2.0
    return jax.freeze(state)


def _part(v):
    import jax

    state = jax.new_ref(jax.numpy.ones(6, v.dtype))
    state.at[1:5][...] += v
    return state[...] ** 2


# (what is summed, its value, its slope, whether alone and not in a program only).
ROWS = [
    (_set, lambda np, x: 2 * x, lambda np, x: 2 + 0 * x, True), (_set_in_a_program, lambda np, x: 2 * np.sin(x), lambda np, x: 2 * np.cos(x), True),
    (_set_in_a_step, lambda np, x: 2 * np.sin(x), lambda np, x: 2 * np.cos(x), True), (_gone_through, lambda np, x: 3 * x, lambda np, x: 3 + 0 * x, True),
    (_copied, lambda np, x: x, lambda np, x: 1 + 0 * x, True), (_read, lambda np, x: np.sin(x), lambda np, x: np.cos(x), True),
    (_part, lambda np, x: np.concatenate([[1, 1], (1 + x) ** 2]), lambda np, x: 2 + 2 * x, False),
]  # fmt: skip
COVERED = [
    (_constant, lambda np, x: 2 * x, lambda np, x: 2 + 0 * x, True),
    (_constant_at_a_place, lambda np, x: np.concatenate([2 + 0 * x[:1], x[1:]]), lambda np, x: np.arange(4) > 0.0, True),
]  # fmt: skip


def of_rows(rows):
    def of(name):
        def right(np, x):
            made = []
            for _, value, slope, alone in rows:
                one = [slope(np, x)] if name == "jax.grad" else [value(np, x).sum(), slope(np, x)]
                made += one * (1 + alone)
            return made

        return right

    return of


def run_rows(t, function, rows, x):
    by, made = t.get(function), []
    for f, _, _, alone in rows:
        for wrap in (lambda f: f, t.fw.jit)[not alone :]:
            made += listed(function, t.call(by(wrap(lambda v, f=f: f(v).sum())), x))
    return made


@each(GRADS, of_rows(ROWS), dtypes="f32 f64", core=False, since=SINCE)
def through_what_is_changed(t, dtype, function):
    """Alone and in a program: set, set within a program and a step, gone through, read, in part."""
    return run_rows(t, function, ROWS, t.uniform((4,), dtype, 0.5, 2))


@each(
    GRADS,
    of_rows(COVERED),
    dtypes="f32",
    core=False,
    since=SINCE,
    cpu_fails="jax 0.10.2: a constant that is put into a state ends in an AttributeError on the way back",
)
def covered_by_a_constant(t, dtype, function):
    """What was there before, and what is left beside it, have a slope."""
    return run_rows(t, function, COVERED, t.uniform((4,), dtype, 0.5, 2))


@each(GRADS, lambda name: lambda np, x: -np.sin(x), dtypes="f32 f64", core=False, since=SINCE)
def twice_through_what_is_read(t, dtype, function):
    by = t.get(function)
    slope = lambda f, v: listed(function, by(lambda v: f(v).sum())(v))[-1]  # noqa: E731
    x = t.uniform((4,), dtype, 0.5, 2)
    return t.call(lambda v: slope(lambda v: slope(_read, v), v), x)


def _kept(np, x, m):
    """What comes back to the middle of three sines, and to their beginning."""
    inner = np.cos(np.sin(x))
    return [inner * np.cos(x), inner] * 6


def stashing():
    """A rule that keeps in a state what comes back to it."""
    import jax

    @jax.custom_vjp
    def stash(state, v):
        return v

    def back(state, along):
        state[...] = along
        return None, along

    stash.defvjp(lambda state, v: (v, state), back)
    return stash


@each(GRADS, lambda name: lambda np, x, m: [
          *_kept(np, x, m), *([m] if name == "jax.grad" else [x * m, m]) * 2, np.eye(5)[:3].cumsum(0)],
      dtypes="f32", core=False, since=SINCE)  # fmt: skip
def beside_a_state_that_is_given(t, dtype, function):
    """One that a rule of one's own changes on the way back: alone, in programs, in a step, computed again; one that is a factor; a history of three calls. By a state it is refused."""
    jax, by = t.fw, t.get(function)
    x, m = t.uniform((), dtype, 0.5, 1), t.uniform((), dtype, 1, 2)
    sin, stash = jax.numpy.sin, stashing()

    def plain(state, v):
        return sin(stash(state, sin(v)))

    def stepped(step):
        return lambda state, v: jax.lax.scan(step(lambda v, _: (plain(state, v), ())), v, None, length=1)[0]  # fmt: skip

    def run(f):
        def kept(x):
            state = jax.new_ref(x * 0)
            slope = listed(function, by(f, argnums=1)(state, x))[-1]
            return [slope, state[...]]

        return kept

    made = []
    for f in (plain, jax.jit(plain), jax.checkpoint(plain), stepped(lambda f: f), stepped(jax.checkpoint), jax.jit(stepped(jax.checkpoint))):  # fmt: skip
        made += t.call(run(f), x)
    product = lambda v, state: v * state[...]  # noqa: E731
    for call in (by(product), by(jax.jit(product))):
        made += listed(function, t.call(lambda v, m, call=call: call(v, jax.new_ref(m)), x, m))
    t.raises((TypeError, ValueError), by(product, argnums=1), 1.0, jax.new_ref(2.0))

    @jax.custom_vjp
    def noted(v, history):
        return v

    def back(history, along):
        history[...] = jax.numpy.roll(history[...], 1).at[0].set(abs(along).max())
        return along / history[...].max(), None

    noted.defvjp(lambda v, history: (v, history), back)

    def rounds(m):
        history, seen = jax.new_ref(jax.numpy.zeros(5, m.dtype)), []
        for _ in range(3):
            by(lambda v: noted(v * m / m, history).sum())(jax.numpy.ones(4, m.dtype))
            seen.append(history[...])
        return jax.numpy.stack(seen)

    return [*made, t.call(rounds, m)]


@each(
    GRADS,
    of_both(lambda np, x: 2 * x, lambda np, x: 2 + 0 * x, 2),
    dtypes="f32",
    core=False,
    since=("0.10.0", "jax.empty_ref, jax.free_ref"),
)
def through_a_state_of_nothing(t, dtype, function):
    """jax.empty_ref, set once and read; freed after it."""
    jax, by, made = t.fw, t.get(function), []
    x = t.uniform((), dtype, 0.5, 2)
    for frees in (False, True):

        @jax.jit
        def run(v, frees=frees):
            state = jax.empty_ref(jax.ShapeDtypeStruct((), v.dtype))
            state[...] = 2 * v
            made = state[...]
            if frees:
                jax.free_ref(state)
            return made

        made += listed(function, t.call(by(run), x))
    return made
