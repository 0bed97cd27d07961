"""grad and value_and_grad with what others see of them: calls of the host, errors that are looked for, keys, signatures, devices."""

import inspect

from seamark_suites.case import each

from .placing import some_devices

GRADS = ["jax.grad", "jax.value_and_grad"]


def of_both(value, slope, times=1):
    """What each of the two gives, `times` times."""

    def right(name):
        def run(np, *given):
            one = [slope(np, *given)]
            return (one if name == "jax.grad" else [value(np, *given), *one]) * times

        return run

    return right


def listed(function, found):
    return [found] if function == "jax.grad" else list(found)


def _sine(x):
    """By NumPy, with its slope, by NumPy, too."""
    import jax

    def host(f, v):
        struct = jax.ShapeDtypeStruct(v.shape, v.dtype)
        return jax.pure_callback(
            lambda v: f(v).astype(v.dtype), struct, v, vmap_method="sequential"
        )

    @jax.custom_jvp
    def sine(v):
        import numpy

        return host(numpy.sin, v)

    @sine.defjvp
    def rule(given, along):
        import numpy

        return sine(*given), host(numpy.cos, given[0]) * along[0]

    return sine(x)


@each(
    GRADS,
    of_both(lambda np, x: np.sin(x).sum(), lambda np, x: np.cos(x), 3),
    dtypes="f32 f64",
    core=False,
)
def calls_of_the_host(t, dtype, function):
    """jax.pure_callback has a slope by a rule of one's own alone; a callback that only listens is called once, forwards, in a program, too."""
    jax, by, told = t.fw, t.get(function), []
    x = t.uniform((4,), dtype, -2, 2)
    run = by(lambda v: _sine(v).sum())
    made = [*listed(function, t.call(run, x)), *listed(function, t.call(jax.jit(run), x))]

    def plain(v):
        return jax.pure_callback(lambda v: v, jax.ShapeDtypeStruct(v.shape, v.dtype), v).sum()

    for call in (by(plain), jax.jit(by(plain))):
        t.raises(ValueError, call, x)

    def listens(v):
        jax.debug.callback(lambda one: told.append(float(one)), v[0], ordered=True)
        return jax.numpy.sin(v).sum()

    if not t.compiled:
        for call in (by(listens), jax.jit(by(listens)), by(jax.jit(listens))):
            told.clear()
            jax.block_until_ready(call(x))
            jax.effects_barrier()
            t.expect(told == [float(x[0])], "once, got %s" % told)
    silent = lambda v: jax.debug.callback(lambda _: None, v) or jax.numpy.sin(v).sum()  # noqa: E731
    return [*made, *listed(function, t.call(by(silent), x))]


@each(GRADS, of_both(lambda np, x: np.sin(x), lambda np, x: np.cos(x), 3), dtypes="f32", core=False)
def errors_that_are_looked_for(t, dtype, function):
    """jax.experimental.checkify of the slope: claims, and NaN where a rule of one's own makes it; the slope of what is checked is the one without checks."""
    from jax.experimental import checkify

    jax, jnp, by = t.fw, t.fw.numpy, t.get(function)

    def claims(v):
        checkify.check(v > 0, "claim")
        return jnp.sin(v)

    @jax.custom_vjp
    def ruled(v):
        return jnp.sin(v)

    ruled.defvjp(lambda v: (jnp.sin(v), 2 * v), lambda kept, along: (jnp.cos(kept / 2) * along,))
    x, made = t.uniform((), dtype, 0.5, 1.5), []
    for f, options, wrong, word in (
        (claims, {}, -1.0, "claim"), (ruled, {"errors": checkify.float_checks}, float("inf"), "nan"),
    ):  # fmt: skip
        checked = checkify.checkify(by(f), **options)
        t.expect(checked(1.0)[0].get() is None, "nothing wrong, got %s" % checked(1.0)[0].get())
        found = checked(wrong)[0].get()
        t.expect(found and word in found, "%s, got %s" % (word, found))
        made += listed(function, t.call(lambda x, f=checked: f(x)[1], x))
    inner = checkify.checkify(claims)
    return [*made, *listed(function, t.call(by(lambda v: inner(v)[1]), x))]


@each(GRADS, "none", core=False, since=("0.4.26", "debug_key_reuse"))
def keys_used_up_in_a_slope(t, function):
    """jax_debug_key_reuse, where it is computed again on the way back, too: a key used once is, twice is not allowed."""
    jax, by = t.fw, t.get(function)
    once = lambda v, key: v * jax.random.uniform(key)  # noqa: E731
    twice = lambda v, key: v * jax.random.uniform(key) + jax.random.uniform(key)  # noqa: E731
    right = float(jax.random.uniform(jax.random.key(0)))
    with jax.debug_key_reuse(True):
        for wrap in (lambda f: f, jax.checkpoint, jax.jit):
            fine, wrong = jax.jit(by(wrap(once))), jax.jit(by(wrap(twice)))
            drawn = lambda v, f=fine: f(v, jax.random.key(0))  # noqa: E731
            found = listed(function, t.call(drawn, t.const(1.0, "f32")))
            t.expect([float(one) for one in found] == [right] * len(found), "%s, got %s" % (right, found))  # fmt: skip
            t.raises(jax.errors.KeyReuseError, wrong, 1.0, jax.random.key(0))


@each(GRADS, of_both(lambda np, x: x * x, lambda np, x: 2 * x, 2), core=False)
def what_python_sees_of_it(t, function):
    """The signature of the function, by which a program finds an argument's name; a number that a branch of Python asks for."""
    jax, by = t.fw, t.get(function)

    def f(x, flag):
        return x * x if flag else 0 * x

    t.expect(inspect.signature(by(f)) == inspect.signature(f), "its signature, got %s" % inspect.signature(by(f)))  # fmt: skip
    program = jax.jit(by(f), static_argnames=["flag"])
    for given, options in (((3.0, False), {}), ((3.0,), {"flag": False})):
        found = listed(function, program(*given, **options))
        t.expect([float(one) for one in found] == [0] * len(found), "zeros, got %s" % found)
    x = t.uniform((), "f32", 1, 2)
    asks = by(lambda v: v * v if v.astype(bool).item() else v)
    for number, value, slope in ((2.0, 4, 4), (0.0, 0, 1)):
        found = [float(one) for one in listed(function, asks(number))]
        t.expect(found == ([slope] if function == "jax.grad" else [value, slope]), "got %s" % found)
    made = listed(function, t.call(lambda x: program(x, True), x))
    return [*made, *listed(function, t.call(lambda x: program(x, flag=True), x))]


@each(GRADS, of_both(lambda np, x: (x * x).sum(), lambda np, x: 2 * x, 2), dtypes="f32", core=False)
def put_on_another_device_within(t, dtype, function):
    """The value lies there, the slope where its argument does."""
    jax, by = t.fw, t.get(function)
    first, last = some_devices(t)[0], some_devices(t)[-1]
    x = jax.device_put(t.randint((4,), dtype, -9, 9), first)
    made = []
    for run in (
        by(lambda v: jax.device_put((v * v).sum(), last)),
        by(lambda v: (jax.device_put(v, last) ** 2).sum()),
    ):
        found = listed(function, t.call(run, x))
        if not t.compiled:
            t.expect(found[-1].devices() == {first}, "the slope on %s, got %s" % (first, found[-1].devices()))  # fmt: skip
            t.expect(len(found) == 1 or found[0].devices() == {last}, "the value on %s" % last)
        made += found
    return made
