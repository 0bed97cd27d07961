"""while_loop with what others see of it: errors that are looked for, callbacks, keys that are used up, what is computed again."""

import itertools

from seamark_suites.case import case

from .layouts_memories import memories

LOOP = "jax.lax.while_loop"
INF = float("inf")


# --- errors that are looked for


def _steps(n, x):
    import jax

    return jax.lax.while_loop(lambda s: s[0] < 2, lambda s: (s[0] + 1, s[1] + jax.numpy.sin(1 / s[0])), (n, x))[1]  # fmt: skip


def _limits(n, x):
    import jax

    less = lambda s: 0 * jax.numpy.sin(1 / s[0]) + s[0] < 2  # noqa: E731
    return jax.lax.while_loop(less, lambda s: (s[0] + 1, 2 * s[1]), (n, x))[1]


def _last(n, x):
    """The condition that ends it divides by zero."""
    import jax

    goes_on = lambda s: ~jax.numpy.isnan(jax.numpy.sin(1 / s[0]))  # noqa: E731
    return jax.lax.while_loop(goes_on, lambda s: (s[0] - 1, 2 * s[1]), (n, x))[1]


def _of_condition_and_step(by_condition, by_step, x):
    import jax

    less = lambda s: s[0] + 0 * jax.numpy.sin(by_condition) < 2  # noqa: E731
    step = lambda s: (s[0] + 1, jax.numpy.cos(s[1]), s[2] + 1)  # noqa: E731
    return jax.lax.while_loop(less, step, (0.0, by_step, x))[2]


def _claims(n, m, x):
    import jax
    from jax.experimental import checkify

    def less(s):
        checkify.check(s[0] < 0, "claim of the condition")
        return s[0] < 2

    def step(s):
        checkify.check(s[1] < 0, "claim of the step")
        return s[0] + 1, s[1] + 1, s[2] + 1

    return jax.lax.while_loop(less, step, (n, m, x))[2]


def _closed_over(xs, x):
    """The step divides one of what it closes over by a number that becomes zero."""
    import jax

    step = lambda s: (s[0] - 1, s[1] + xs[s[0]] / s[0])  # noqa: E731
    return jax.lax.while_loop(lambda s: s[0] > -1, step, (1, x))[1]


# (the loop, by which checks, the arguments before x, a word of the error or none, whether the result is compared).
WATCHED = [
    (_steps, "float", (1.0,), None, True), (_steps, "float", (0.0,), "division", False), (_limits, "float", (1.0,), None, True),
    (_limits, "float", (0.0,), "division", False), (_last, "float", (0.0,), "division", True), (_last, "float", (1.0,), "division", True),
    (_of_condition_and_step, "float", (1.0, 1.0), None, True), (_of_condition_and_step, "float", (INF, 1.0), "sin", False),
    (_of_condition_and_step, "float", (1.0, INF), "cos", True), (_claims, "user", (0, 1), "claim of the condition", False),
    (_claims, "user", (-1, 0), "claim of the step", True), (_claims, "user", (-3, -9), "claim of the condition", True),
]  # fmt: skip


@case(LOOP, dtypes="f32", core=False, reference=lambda np, x: [
      x + np.sin(1), 2 * x, x, 2 * x, x + 2, x + 2, x + 3, x + 5])  # fmt: skip
def errors_that_are_looked_for(t, dtype):
    """In the condition, its last time, too, and in the step: divisions, NaN, claims. The result is the one without checks; of a batch they are not looked for."""
    from jax.experimental import checkify

    jax = t.fw
    x, made = t.uniform((3,), dtype, 1, 2), []
    kinds = {"float": checkify.float_checks, "user": checkify.user_checks}
    for f, checks, given, word, right in WATCHED:
        checked = checkify.checkify(jax.jit(f), errors=kinds[checks])
        text = checked(*given, x)[0].get()
        t.expect(text is None if word is None else word in (text or ""), "%s, got %s" % (word, text))  # fmt: skip
        if right:
            made.append(t.call(lambda x, f=checked, given=given: f(*given, x)[1], x))
    error, _ = checkify.checkify(_closed_over, errors=checkify.float_checks)(x, x[0])
    t.expect("division" in (error.get() or ""), "of what it closes over, got %s" % error.get())
    claims = jax.vmap(lambda n: _claims(n, n, n))
    t.raises(ValueError, checkify.checkify(claims), jax.numpy.arange(3))
    return made


def _counted(v):
    import jax
    from jax.experimental import checkify

    def step(s):
        checkify.check(s[1] >= 0, "a claim")
        return s[0] + 1, s[1] + 1

    return jax.lax.while_loop(lambda s: s[1] < 6, step, (0, v))[0]


@case(LOOP, dtypes="f32", core=False, reference=lambda np, x: 6 - x, cpu_fails="jax 0.10.2: the rule for a batch of what the checks leave behind gives a result too many")  # fmt: skip
def a_batch_of_loops_that_are_checked(t, dtype):
    """vmap of checkify, which is allowed."""
    from jax.experimental import checkify

    checked = checkify.checkify(_counted, errors=checkify.all_checks)
    return t.call(lambda x: t.fw.vmap(checked)(x)[1], t.randint((4,), dtype, 0, 6))


# --- callbacks


def _asked(ask, x):
    import jax

    more = lambda v: (v + 1).astype(v.dtype)  # noqa: E731
    step = lambda v: ask(more, jax.ShapeDtypeStruct(v.shape, v.dtype), v)  # noqa: E731
    return jax.lax.while_loop(lambda v: (v < 10).any(), step, x)


def _told(tell, x, where, kept=None):
    """`tell` is called in the condition or in the step."""
    import jax

    def less(v):
        if where == "condition":
            tell(v if kept is None else kept)
        return v < 10

    def step(v):
        if where == "step":
            tell(v if kept is None else kept)
        return v + 1

    return jax.lax.while_loop(less, step, x)


@case(LOOP, dtypes="f32 i32", core=False, reference=lambda np, x: [x + 10 - x.min(), np.array(10)] * 3 + [np.full(6, 10)] * 3)  # fmt: skip
def callbacks_of_conditions_and_steps(t, dtype):
    """What they give is carried; each is called as often as its part runs, in order; of a batch with conditions of its own io_callback is refused."""
    from jax.experimental import io_callback

    jax, told = t.fw, []
    x = t.randint((6,), dtype, -5, 9)
    made = []
    for ask in (jax.pure_callback, io_callback, lambda *given: io_callback(*given, ordered=True)):
        for one in (x, x[0]):
            made.append(t.call(lambda v, ask=ask: _asked(ask, v), one))

    def listened(f, *given):
        told.clear()
        jax.block_until_ready(f(*given))
        jax.effects_barrier()
        return told

    for ordered in (False, True) if not t.compiled else ():
        tell = lambda v, ordered=ordered: jax.debug.callback(lambda v: told.append(int(v)), v, ordered=ordered)  # noqa: E731  # fmt: skip
        for where, more in (("condition", [10]), ("step", [])):
            run = lambda v, tell=tell, where=where: _told(tell, v, where)  # noqa: E731
            for first in (7, 9, 10):
                found = listened(run, first)
                want = [*range(first, 10), *more]
                t.expect(found == want, "%s in the %s, got %s" % (want, where, found))
            found = listened(jax.jit(run), 8)
            t.expect(found == [8, 9, *more], "in a program, too, got %s" % found)
            if where == "step" or not ordered:
                made.append(t.call(jax.vmap(run), x))
    for _ in range(9 - len(made)):
        made.append(t.call(jax.vmap(lambda v: _told(lambda _: None, v, "step")), x))
    sent = lambda v: io_callback(lambda v: told.append(float(v)), None, v)  # noqa: E731
    t.raises(Exception, jax.vmap(lambda v: _told(sent, v, "step")), x)
    if not t.compiled:
        each = jax.vmap(jax.jit(lambda v: _told(sent, 8, "step", v)))
        found = listened(each, jax.numpy.arange(3.0))
        t.expect(sorted(found) == [0, 0, 1, 1, 2, 2], "twice of each, got %s" % found)
    return made


@case(LOOP, dtypes="f32", core=False, reference=lambda np, x: x + np.ceil(10 - x), cpu_fails="jax 0.10.2: those that are ready go on where the condition has an ordered effect")  # fmt: skip
def a_batch_with_an_ordered_effect_in_its_condition(t, dtype):
    """Those that are ready wait for the others, as without it."""
    tell = lambda v: t.fw.debug.callback(lambda _: None, v, ordered=True)  # noqa: E731
    return t.call(t.fw.vmap(lambda v: _told(tell, v, "condition")), t.uniform((6,), dtype, 0, 9))


# --- keys, states, what is computed again


@case(LOOP, core=False, since=("0.4.26", "debug_key_reuse"), reference="none")
def keys_used_up_in_loops(t):
    """jax_debug_key_reuse: a key that is carried may be split; one that stays, in the condition or in the step, is used twice."""
    jax = t.fw
    loop, uniform = t.get(LOOP), jax.random.uniform

    def step(s):
        key, part = jax.random.split(s[0])
        return key, s[1] + uniform(part)

    fine = lambda key: loop(lambda s: s[1] < 10, step, (key, 0.0))[1]  # noqa: E731
    wrong = [
        lambda key: loop(lambda s: s[0] < uniform(s[1]), lambda s: (s[0] + 1, s[1]), (0.0, key))[0], lambda key: loop(lambda s: s[1] < 5, lambda s: (s[0], s[1] + 1 + uniform(s[0])), (key, 0.0))[1],
        lambda key: loop(lambda n: n < 5, lambda n: n + 1 + uniform(key), 0.0), lambda key: loop(lambda n: n < uniform(key), lambda n: n + 1, 0.0),
    ]  # fmt: skip
    with jax.debug_key_reuse(True):
        found = float(t.call(fine, jax.random.key(0)))
        t.expect(10 <= found < 11, "the sum of parts, got %s" % found)
        for one in wrong:
            t.raises(jax.errors.KeyReuseError, one, jax.random.key(1))
            t.raises(jax.errors.KeyReuseError, jax.jit(one), jax.random.key(1))
    with jax.debug_key_reuse(False):
        t.expect(float(wrong[3](jax.random.key(1))) == 1, "and else allowed")


def _changed(x, most, more, where):
    import jax

    state = jax.new_ref(x)

    def less(n):
        if "condition" in where:
            state[...] += more
        return n < most

    def step(n):
        if "step" in where:
            state[...] += more
        return n + 1

    jax.lax.while_loop(less, step, 0)
    return state[...]


@case(LOOP, dtypes="f32 i32", core=False, since=("0.9.0", "jax.new_ref"), reference=lambda np, x: [x + 5, x + 5, x, x] * 2)  # fmt: skip
def states_that_conditions_change(t, dtype):
    """As often as a step does: what it changes when it ends the loop is not kept. Not both."""
    jax, x, made = t.fw, t.randint((3,), dtype, -9, 9), []
    for wrap in (lambda f: f, jax.jit):
        for most in (5, 0):
            for where in ("step", "condition"):
                run = wrap(lambda x, most=most, where=where: _changed(x, most, 1, where))
                made.append(t.call(run, x))
        t.raises(
            (NotImplementedError, ValueError),
            wrap(lambda x: _changed(x, 5, 1, "condition and step")),
            x,
        )
    return made


@case(LOOP, dtypes="f32 f64", core=False, reference=lambda np, x, v: [
      np.cos(np.sin(np.sin(x))) * np.cos(np.sin(x)) * np.cos(x) * v] * 3)  # fmt: skip
def computed_again_in_its_slope(t, dtype):
    """Linearized under jax.checkpoint: all of it runs again, whatever a policy would keep."""
    jax, jnp = t.fw, t.fw.numpy
    x, v = t.uniform((4,), dtype, 0.5, 1.5), t.randn((4,), dtype)
    run = lambda x: jax.lax.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, jnp.sin(s[1])), (0, x))[1]  # noqa: E731  # fmt: skip
    made = []
    for options in ({}, {"policy": lambda rule, *_, **__: str(rule) == "cos"}, {"policy": jax.checkpoint_policies.everything_saveable}):  # fmt: skip
        again = jax.checkpoint(run, **options)
        made.append(t.call(lambda x, v, again=again: jax.linearize(again, x)[1](v), x, v))
        text = str(jax.make_jaxpr(jax.linearize(again, x)[1])(v))
        t.expect(" sin " in text and " cos " in text, "both again, got %s" % text)
    return made


@case(
    LOOP,
    dtypes="f32 i32",
    core=False,
    reference=lambda np, x: [32 * x, x.reshape(2, 2), x.reshape(2, 2), np.array(5)],
)
def sparse_states(t, dtype):
    """jax.experimental.sparse.sparsify: they stay sparse, also where two change places."""
    from jax.experimental import sparse

    def run(x):
        import jax

        one = sparse.BCOO.fromdense(x, nse=4)
        doubled = sparse.sparsify(lambda a: jax.lax.while_loop(lambda s: s[0] < 5, lambda s: (s[0] + 1, 2 * s[1]), (0, a)))(one)  # fmt: skip
        pair = sparse.BCOO.fromdense(x.reshape(2, 2), nse=4)
        turned = sparse.sparsify(lambda a: jax.lax.while_loop(lambda s: s[0] < 5, lambda s: (s[0] + 1, s[2], s[1]), (0, a, a)))(pair)  # fmt: skip
        return [doubled[1].todense(), turned[1].todense(), turned[2].todense(), turned[0]]

    return t.call(run, t.const([0, 1, -2, 3], dtype))


# --- parts that are passed on

PASSED = list(itertools.product(range(3), repeat=4))[::4]


def _order(n, seed):
    """Some order of n."""
    return sorted(range(n), key=lambda i: (i * 7919 + seed * 104729 + 13) % 1009)


def _passing(jnp, x, seed, counts):
    """The condition, the step and the first state of a loop: some parts stay, used by the condition or not, some change places, four change."""
    consts, used, unused, moved = counts
    held = [x + i for i in range(consts)]
    many = used + unused + moved + 4
    order = _order(many, seed)
    back = [order.index(i) for i in range(many)]

    def less(s):
        parts = [s[1][i] for i in back][:used]
        return s[0] + 0 * sum(one.sum() for one in parts) < 2

    def step(s):
        parts = [s[1][i] for i in back]
        stay, move, change = parts[: used + unused], parts[used + unused : -4], parts[-4:]
        change = [2 * one + sum(one.sum() for one in held) for one in change]
        made = [*stay, *change, *move]
        return s[0] + 1, [made[i] for i in order]

    return less, step, (0, [x + 10 * i for i in range(many)])


def _passed(np, x):
    made = []
    for seed, counts in enumerate(PASSED):
        _, step, state = _passing(np, x, seed, counts)
        made += step(step(state))[1]
    return [*made, np.array(0.0), np.array(1.0), x[0]]


@case(LOOP, dtypes="f32 i32", core=False, reference=_passed)
def parts_that_are_passed_on(t, dtype):
    """Those that stay, with the condition's use of them and without, those that change places, numbers that the step holds: in every mixture."""
    jnp, x = t.fw.numpy, t.randint((3,), dtype, -4, 5)
    made = []
    for seed, counts in enumerate(PASSED):

        def run(x, seed=seed, counts=counts):
            import jax

            return jax.lax.while_loop(*_passing(jnp, x, seed, counts))[1]

        made += t.call(run, x)

    def first_to_third(x):
        """The condition asks for neither; the step has two constants."""
        import jax

        def step(s):
            for _ in range(2):
                jnp.sin(t.np.zeros(3))
            return 0.0, 1.0, s[0]

        return jax.lax.while_loop(lambda s: s[1] == 0, step, (x, 0.0, x * 0))

    return [*made, *t.call(first_to_third, x[0].astype("float32"))]


@case(
    LOOP,
    core=False,
    since=("0.8.0", "set_xla_metadata"),
    reference=lambda np, x: [10 - np.zeros(()), 10 - np.zeros(())],
)
def words_for_the_compiler(t):
    """jax.experimental.xla_metadata: of the loop, of its condition and of its step."""
    from jax.experimental.xla_metadata import set_xla_metadata

    jax = t.fw

    def said(f, **words):
        def run(*given):
            with set_xla_metadata(**words):
                return f(*given)

        return run

    loop = lambda x: jax.lax.while_loop(lambda v: v < 10, lambda v: v + 1, x)  # noqa: E731
    both = said(loop, a="b")
    parts = lambda x: jax.lax.while_loop(jax.jit(said(lambda v: v < 10, a="b")), jax.jit(said(lambda v: v + 1, a="c")), x)  # noqa: E731  # fmt: skip
    for run, words in ((both, {"while": "b"}), (parts, {"compare": "b", "add": "c"})):
        lines = jax.jit(run).lower(1.0).as_text().splitlines()
        for name, word in words.items():
            found = [line for line in lines if "stablehlo." + name in line]
            t.expect(found and all('a = "%s"' % word in line for line in found), "%s, got %s" % (word, found))  # fmt: skip
    x = t.const(1.0, "f32")
    return [t.call(both, x), t.call(parts, x)]


# --- within other transformations and memories


def _powers(p):
    """The third power, which has no slope."""
    import jax

    made = jax.lax.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] * p), (0, p * 0 + 1))[1]
    return jax.lax.stop_gradient(made) * p


@case(LOOP, dtypes="f32", core=False, since=("0.9.0", "jax.new_ref"), reference=lambda np, p: [p**3, 0 * p, p])  # fmt: skip
def slopes_beside_loops(t, dtype):
    """A gradient of a batch of gradients, of what is stopped; linearized where each step has a rule of its own and a state."""
    jax, p = t.fw, t.randint((4,), dtype, 1, 5)
    inner = jax.vmap(jax.grad(_powers))

    @jax.custom_vjp
    def copied(v):
        return jax.freeze(jax.new_ref(v))

    copied.defvjp(lambda v: (copied(v), ()), lambda _, along: (copied(along),))

    @jax.jit
    @jax.checkpoint
    def again(v):
        return jax.lax.while_loop(lambda s: s[0] < 5, lambda s: (s[0] + 1, copied(s[1])), (0, v))[1]

    outer = jax.grad(lambda p: inner(p).sum())
    return [t.call(inner, p), t.call(outer, p), t.call(lambda p: jax.linearize(again, p)[0], p)]


@case(LOOP, dtypes="f32 i32", core=False, since=("0.8.0", "jax.memory.Space"), reference=lambda np, x: [2 * x, np.where(np.arange(8) < 4, x, 0)])  # fmt: skip
def parts_put_into_another_memory(t, dtype):
    """Part after part goes into what lies in the host's memory, as long as there is something in it."""
    jax, lax = t.fw, t.fw.lax
    memories(t)
    space = jax.memory.Space
    x = t.randint((8,), dtype, 1, 9)

    def run(x):
        def goes_on(s):
            part = lax.dynamic_slice_in_dim(s[1], 2 * s[0], 2)
            return (2 * s[0] < 8) & (part > 0).any()

        def step(s):
            part = jax.device_put(lax.dynamic_slice_in_dim(s[1], 2 * s[0], 2), space.Host)
            return s[0] + 1, s[1], lax.dynamic_update_slice_in_dim(s[2], part, 2 * s[0], 0)

        there = jax.device_put(jax.numpy.zeros_like(x), space.Host)
        return jax.device_put(lax.while_loop(goes_on, step, (0, x, there))[2], space.Device)

    twice = jax.jit(lambda x: 2 * run(x))
    return [t.call(twice, x), t.call(jax.jit(lambda x: run(x.at[4:].set(0))), x)]
