"""cond and while_loop, beyond: what branches and loops close over, states of other kinds, without jit."""

from seamark_suites.case import case

from .control_flow import NEAR
from .reference import with_gradient


def roots(x, a):
    import jax
    import jax.numpy as jnp

    def one(v, w):
        return jax.lax.cond(v > 0, lambda: jnp.sqrt(v) * w * a[0], lambda: v * 3 + a[1] * w)

    return jax.vmap(one)(x, jnp.arange(1.0, 1 + len(x), dtype=x.dtype))


def roots_right(np, x, a):
    w, good = np.arange(1.0, 1 + len(x)), x > 0
    return np.where(good, np.sqrt(np.where(good, x, 1)) * w * a[0], x * 3 + a[1] * w)


def roots_pull(np, weights, x, a):
    w, good = np.arange(1.0, 1 + len(x)), x > 0
    root = np.sqrt(np.where(good, x, 1))
    return weights * np.where(good, w * a[0] / root / 2, 3), np.array(
        [(weights * good * root * w).sum(), (weights * (1 - good) * w).sum()]
    )


@case("jax.lax.cond", dtypes="f32 f64", grad=True, core=False, rtol=NEAR, atol=NEAR,
      reference=with_gradient(roots_right, roots_pull))  # fmt: skip
def slope_of_each_of_a_batch(t, dtype):
    """Of what each takes, and of what both branches close over; a root of less than zero leaves no NaN."""
    return t.call(
        roots, t.const([4.0, 0.0, -1.0, 2.25, 9.0], dtype, grad=True), t.uniform((2,), dtype, 1, 2)
    )


def several_derivatives(which, x, v):
    import jax

    def f(x):
        return jax.lax.cond(which, lambda z: (z**3).sum(), lambda z: (z * z).sum(), x)

    value, linear = jax.linearize(f, x)
    return value, linear(v), jax.jvp(f, (x,), (v,))[1], jax.jvp(jax.grad(f), (x,), (v,))[1]


def several_derivatives_right(np, which, x, v, taken):
    if taken:
        return (x**3).sum(), (3 * x * x * v).sum(), (3 * x * x * v).sum(), 6 * x * v
    return (x * x).sum(), (2 * x * v).sum(), (2 * x * v).sum(), 2 * v


@case("jax.lax.cond", dtypes="f32", taken=[True, False], core=False, rtol=NEAR, atol=NEAR,
      reference=several_derivatives_right)  # fmt: skip
def forwards_linear_and_twice(t, dtype, taken):
    which = t.const(taken, "bool")
    return t.call(
        several_derivatives, which, t.uniform((5,), dtype, 1, 2), t.uniform((5,), dtype, 0.5, 1)
    )


def ways_to_call(x):
    import jax

    cond = jax.lax.cond
    keyed = cond(x[0] > -99, lambda v: v + 1, lambda v: v, operand=x)
    none = cond(True, lambda _: x * 2, lambda _: x, operand=None)
    drawn = cond(True, lambda: jax.random.key(4), lambda: jax.random.key(5))
    with jax.disable_jit():
        plain = cond(x[0] > -99, lambda v: v - 1, lambda v: v / 0, x)
        loop = jax.lax.while_loop(lambda s: s[1] < 3, lambda s: (s[0] * 2, s[1] + 1), (x, 0))
    return keyed, none, jax.random.key_data(drawn), plain, loop[0]


@case(
    "jax.lax.cond",
    dtypes="f32",
    core=False,
    reference=lambda np, x: (x + 1, 2 * x, np.array([0, 4]), x - 1, 8 * x),
)
@case(
    "jax.lax.while_loop",
    dtypes="f32",
    core=False,
    reference=lambda np, x: (x + 1, 2 * x, np.array([0, 4]), x - 1, 8 * x),
)
def by_keyword_and_without_jit(t, dtype):
    """By the name operand, with none, with keys; without jit one branch alone runs, and a loop as one of Python."""
    return t.call(ways_to_call, t.randint((4,), dtype, -9, 9))  # fmt: skip


def cond_of(which, x, y):
    import jax

    return jax.lax.cond(which, lambda a, b: a * b, lambda a, b: a - b, x, y)


@case("jax.lax.cond", dtypes="f32 i32", taken=[True, False], core=False,
      reference=lambda np, x, y, which, taken: x * y if taken else x - y)  # fmt: skip
def one_predicate_for_a_batch(t, dtype, taken):
    """Under vmap a predicate of all stays a choice between two branches, and one operand is not of the batch."""
    jax, x, y = t.fw, t.randint((3, 4), dtype, 2, 9), t.randint((4,), dtype, 2, 9)
    mapped, which = jax.vmap(cond_of, (None, 0, None)), t.const(taken, "bool")
    names = [one.primitive.name for one in jax.make_jaxpr(mapped)(which, x, y).eqns]
    t.expect("cond" in names and "select_n" not in names, "a cond alone, got %s" % names)
    each = jax.make_jaxpr(jax.vmap(cond_of, (0, 0, None)))(jax.numpy.array([taken] * 3), x, y)
    names = [one.primitive.name for one in each.eqns]
    t.expect("select_n" in names and "cond" not in names, "both branches, got %s" % names)
    return t.call(mapped, which, x, y)


def constant_or_operand(which, x):
    import jax

    def f(v):
        return jax.lax.cond(which, lambda z: 2.0, lambda z: z**3, v)

    def pair(v):
        return jax.lax.cond(which, lambda z: (1.0, z * z), lambda z: (z, 3.0), v)

    forwards = jax.jvp(f, (x,), (x * 0 + 1,))
    twice = jax.grad(jax.grad(f))(x), jax.jvp(jax.grad(f), (x,), (x * 0 + 1,))[1]
    return *pair(x), *forwards, jax.grad(f)(x), *twice, jax.grad(lambda v: sum(pair(v)))(x)


@case("jax.lax.cond", dtypes="f32", taken=[True, False], core=False, rtol=NEAR, reference=lambda np, which, x, taken: (
      (1.0, x**2, 2.0, 0.0, 0.0, 0.0, 0.0, 2 * x) if taken else
      (x, 3.0, x**3, 3 * x**2, 3 * x**2, 6 * x, 6 * x, 1.0)))  # fmt: skip
def a_constant_beside_an_operand(t, dtype, taken):
    """Weak types meet strong ones, in tuples, too; no derivative through the constant, forwards, backwards, twice."""
    which, x = t.const(taken, "bool"), t.uniform((), dtype, 1, 2)
    made = t.call(constant_or_operand, which, x)
    dtypes = {str(one.dtype) for one in made}
    t.expect(t.place == "wide" or dtypes == {"float32"}, "f32 of all, got %s" % dtypes)
    first = t.fw.lax.cond(taken, lambda v: 1.0, lambda v: v, x)
    both = t.fw.lax.cond(taken, lambda v: 1.0, lambda v: 2.0, x)
    t.expect(not first.weak_type and both.weak_type, "weak only where both are")
    return made


def steps_of_branches(x, y):
    import functools

    import jax
    import jax.numpy as jnp

    cond = jax.lax.cond

    @jax.custom_jvp
    def thrice(v):
        return 3 * v

    thrice.defjvp(
        lambda given, along: (3 * given[0], jnp.arange(1.0, 1 + len(given[0])) * along[0])
    )
    by_rule = jax.jvp(lambda v: cond(v.sum() > 0, thrice, lambda w: w, v), (x,), (x,))
    both = cond(x[0] > 0, lambda a, b: (a * 2, b), lambda a, b: (a * 3, b), x[0], y)
    mapped, kept = jax.vmap(
        lambda v, w: cond(v > 2, lambda a, b: (a * 2, b), lambda a, b: (a * 3, b), v, w),
        (0, None),
        (0, None),
    )(x, y)
    again = jax.vmap(
        jax.jacrev(
            lambda v: cond(
                v < 1, lambda w: w, lambda w: w * w, cond(v < 2, lambda w: w * 3, lambda w: w, v)
            )
        )
    )(x)
    saved = jax.checkpoint(
        lambda v: cond(v[0] > 0, lambda w: jnp.sin(w).sum(), lambda w: w.sum(), v)
    )
    policy = functools.partial(jax.checkpoint, policy=jax.checkpoint_policies.everything_saveable)
    slopes = (
        jax.grad(saved)(x),
        jax.grad(policy(lambda v: cond(v[0] < 0, lambda w: w.sum(), lambda w: (w**3).sum(), v)))(x),
    )
    pulled = jax.vjp(lambda v: cond(True, jnp.sin, lambda w: 1.0 + 0 * w, v), x)[1](y)[0]
    return by_rule, both, mapped, kept, again, slopes, pulled


@case("jax.lax.cond", dtypes="f32", core=False, rtol=NEAR, reference=lambda np, x, y: (
      (3 * x, x * np.arange(1, 1 + len(x))), (2 * x[0], y), np.where(x > 2, 2 * x, 3 * x), y,
      np.where(x < 1, 3.0, np.where(x < 2, 18 * x, 2 * x)), (np.cos(x), 3 * x * x), np.cos(x) * y))  # fmt: skip
def rules_batches_and_memory(t, dtype):
    """A rule of one's own with constants; what all branches pass through is of no batch; one behind another; checkpoints."""
    return t.call(
        steps_of_branches, t.const([0.5, 1.75, 2.5, 3.25], dtype), t.uniform((4,), dtype, 1, 2)
    )


@case("jax.lax.cond", taken=[True, False], core=False, since=("0.9.0", "jax.new_ref"), reference=lambda np, which, x, taken: (
      2 * x if taken else x - 1, x + (10 if taken else 20)))  # fmt: skip
def effects_of_the_branch_that_runs(t, taken):
    """What it tells comes once, and only its own; a number of Python comes back as an array; so does a state that it changes."""
    jax, told = t.fw, []
    which, x = t.const(taken, "bool"), t.randint((3,), "i32", -9, 9)

    def run(which, x, tell=None):
        state = jax.new_ref(x)

        def add(number):
            state[...] += number

        def branch(name, f):
            return lambda v: (tell and jax.debug.callback(lambda: tell(name))) or f(v)

        jax.lax.cond(which, lambda: add(10), lambda: add(20))
        made = jax.lax.cond(
            which, branch("one", lambda v: v * 2), branch("other", lambda v: v - 1), x
        )
        return made, state[...]

    made = t.call(jax.jit(run), which, x)
    if not t.compiled:
        jax.block_until_ready(jax.jit(lambda which, x: run(which, x, told.append))(which, x))
        jax.effects_barrier()
        t.expect(told == ["one" if taken else "other"], "of one branch, once, got %s" % told)
    same = jax.lax.cond(taken, lambda v: v, lambda v: v, 1.5)
    t.expect(isinstance(same, jax.Array) and float(same) == 1.5, "an array, got %r" % same)
    return made


@case("jax.lax.cond", core=False, reference="none")
def what_the_refusals_name(t):
    """Where the branches' trees differ, and how their types do; functions and tuples are no predicates."""
    cond, jnp, one = "jax.lax.cond", t.fw.numpy, t.const(1.0, "f32")
    t.raises(TypeError, t.call, cond, lambda x: True, lambda v: v, lambda v: v, one)
    t.raises(TypeError, t.call, cond, (1.0, 1.0), lambda v: v, lambda v: v, one)
    error = t.raises(
        TypeError, t.call, cond, True, lambda v: {"a": v}, lambda v: {"a": (v, v)}, one
    )
    t.expect("['a']" in str(error), "the place, got %s" % error)
    error = t.raises(TypeError, t.call, cond, True, lambda v: jnp.array([1.0]), lambda v: v, one)
    t.expect("float32[1]" in str(error) and "float32[]" in str(error), "both types, got %s" % error)
    t.raises(TypeError, t.call, cond, True, lambda v: v)
    made = t.call(lambda v: t.get(cond)(v > 0, lambda w: w + 1, lambda w: w, v), one)
    t.expect(float(t.host(made)) == 2, "the next call, got %s" % made)


@case("jax.lax.cond", core=False, reference="none")
def what_is_no_predicate(t):
    x = t.randn((3,), "f32")
    for wrong in (None, x[:1], (), 1j):
        t.raises(TypeError, t.call, "jax.lax.cond", wrong, lambda v: v, lambda v: -v, x)


def closed_over(limits, steps):
    import jax

    def run(limit, step):
        return jax.lax.while_loop(lambda v: v < limit, lambda v: v + step, step * 0)

    return jax.vmap(run, (0, None))(limits, steps[0]), jax.vmap(run, (None, 0))(limits[0], steps)


@case("jax.lax.while_loop", dtypes="f32 i32", core=False, reference=lambda np, limits, steps: (
      np.ceil(limits / steps[0]) * steps[0], np.ceil(limits[0] / steps) * steps))  # fmt: skip
def what_a_batch_closes_over(t, dtype):
    """Under vmap of what the condition alone, or the step alone, closes over."""
    return t.call(closed_over, t.const([7, 1, 20, 3], dtype), t.const([2, 5, 1], dtype))


def other_states(x, n):
    import jax

    def step(state):
        z, flag, key, left = state
        return z * 1j, ~flag, jax.random.split(key)[0], left - 1

    z, flag, key, left = jax.lax.while_loop(
        lambda s: s[3] > 0, step, (x, True, jax.random.key(3), n)
    )
    weak = jax.lax.while_loop(lambda v: v < 5, lambda v: v + left.astype("int8") + 2, 0)
    return z, flag, key, weak


@case("jax.lax.while_loop", core=False, reference=lambda np, x, n: (x * -1j, False, 6))
def states_of_other_kinds(t):
    """Complex numbers, truths, keys; a number of Python takes the dtype of what is added."""
    z, flag, key, weak = t.call(other_states, t.randn((3,), "c64"), t.const(3, "i32"))
    want = t.fw.random.key(3)
    for _ in range(3):
        want = t.fw.random.split(want)[0]
    t.expect(
        bool((key == want).all()) and weak.dtype == t.dtype("i8"), "the key of three splits, and i8"
    )
    return z, flag, weak  # fmt: skip


def sums_of_powers(w, x, v):
    import jax

    def f(w):
        return jax.lax.while_loop(lambda s: s[1] < 3, lambda s: (s[0] * w + x, s[1] + 1), (x, 0))[0]

    _, linear = jax.linearize(f, w)
    return jax.jvp(f, (w,), (v,)), linear(v), jax.jacfwd(f)(w).diagonal()


@case("jax.lax.while_loop", dtypes="f32", core=False, rtol=NEAR, atol=NEAR, reference=lambda np, w, x, v: (
      (x * (w**3 + w * w + w + 1), x * (3 * w * w + 2 * w + 1) * v), x * (3 * w * w + 2 * w + 1) * v,
      x * (3 * w * w + 2 * w + 1)))  # fmt: skip
def derivative_by_what_a_step_closes_over(t, dtype):
    return t.call(sums_of_powers, *[t.uniform((4,), dtype, 0.5, 1.5) for _ in range(3)])


def squared_beyond(x, v, w):
    import jax

    def f(x):
        return jax.lax.while_loop(lambda x: x[0, 2] <= 8, lambda x: x * x, x)

    forwards = lambda x: jax.jvp(f, (x,), (v,))[1]  # noqa: E731
    return f(x), forwards(x), jax.jvp(forwards, (x,), (w,))[1], jax.jacfwd(jax.jacfwd(f))(x).sum()


@case(
    "jax.lax.while_loop",
    dtypes="f32 f64",
    core=False,
    rtol={"f32": 2e-5, "f64": 1e-13},
    reference=lambda np, x, v, w: (
        x**16,
        16 * x**15 * v,
        240 * x**14 * v * w,
        (240 * x**14).sum(),
    ),
)
def derivative_of_a_derivative(t, dtype):
    """Forwards twice, through a condition on one number: four squarings, the sixteenth power."""
    given = t.uniform((2, 3), dtype, 1.2, 1.25)
    return t.call(squared_beyond, given, *[t.uniform((2, 3), dtype, 0.5, 1.5) for _ in range(2)])


def lower_half(x):
    import jax

    def row(s):
        i, out = s
        put = lambda s: (s[0] + 1, s[1].at[i, s[0]].set(x[i, s[0]]))  # noqa: E731
        return i + 1, jax.lax.while_loop(lambda s: s[0] <= i, put, (0, out))[1]

    loop = lambda x: jax.lax.while_loop(lambda s: s[0] < len(x), row, (0, x * 0))[1]  # noqa: E731
    return loop(x)


@case("jax.lax.while_loop", dtypes="f32 bf16 i32 c64", core=False, reference=lambda np, x: np.tril(x))  # fmt: skip
def an_array_written_step_by_step(t, dtype):
    """Read and written at the counters of two loops."""
    return t.call(lower_half, t.randn((5, 5), dtype))


def sums_of_the_first(x, counts):
    import jax

    def total(n):
        goes_on = lambda s: (s[0] < n) & (s[0] < len(x))  # noqa: E731
        return jax.lax.while_loop(goes_on, lambda s: (s[0] + 1, s[1] + x[s[0]]), (0, x[0] * 0))[1]

    return [total(n) for n in counts], jax.vmap(total)(counts), jax.jit(total)(3)


@case("jax.lax.while_loop", dtypes="f32 i32", core=False, rtol=NEAR, reference=lambda np, x, counts: (
      [x[:n].sum() for n in counts], np.array([x[:n].sum() for n in counts]), x[:3].sum()))  # fmt: skip
def sums_of_as_many_as_there_are(t, dtype):
    """Two conditions at once: of none, five, all ten, and more than there are."""
    return t.call(sums_of_the_first, t.uniform((10,), dtype, 1, 9), t.const([0, 5, 10, 15], "i32"))


def by_their_place(x, weights):
    import jax

    def counted(v):
        place = lambda: jax.lax.axis_index("rows")  # noqa: E731
        return jax.lax.while_loop(lambda s: s[0] < place(), lambda s: (s[0] + 1, s[1] + v), (0, v))

    def unchanged(v):
        step = lambda s: (s[0] - 1, s[1] @ s[2], s[2])  # noqa: E731
        return jax.lax.while_loop(lambda s: s[0] > 0, step, (2, v, weights))

    return jax.vmap(counted, axis_name="rows")(x), jax.vmap(unchanged)(x)


@case("jax.lax.while_loop", dtypes="f32 i32", core=False, rtol=NEAR, atol=NEAR, reference=lambda np, x, w: (
      (np.arange(4), x * np.arange(1, 5)[:, None]), (np.zeros(4), x @ w @ w, np.stack([w] * 4))))  # fmt: skip
def places_in_a_batch(t, dtype):
    """Under vmap the condition asks for the row's number; a matrix that stays as it is is carried along."""
    return t.call(by_their_place, t.randint((4, 3), dtype, -5, 5), t.randint((3, 3), dtype, -3, 4))


@case("jax.lax.while_loop", core=False, reference="none")
def conditions_that_are_none(t):
    """A tuple, a list, nothing, an array of truths, a number: no condition. The state keeps its shape and its parts."""
    jnp, name, x = t.fw.numpy, "jax.lax.while_loop", t.randn((3,), "f32")
    less = lambda v: v[0] < 3  # noqa: E731
    for wrong in (
        lambda v: (less(v),),
        lambda v: [less(v)],
        lambda v: None,
        lambda v: v < 3,
        lambda v: 1.0,
    ):
        t.raises(TypeError, t.call, name, wrong, lambda v: v + 1, x)
    for wrong in (lambda v: (v, v), lambda v: None, lambda v: v[:2], lambda v: jnp.int32(v)):
        t.raises(TypeError, t.call, name, less, wrong, x)
    t.raises(TypeError, t.call, name, None, lambda v: v, x)
    t.raises(TypeError, t.call, name, less, 3, x)
