"""Results are bound to a device where an argument is, and lie there; else they lie where new ones do, bound to none."""

from seamark_suites.case import each

from .placing import some_devices

DRAWS = "jax.random.normal", "jax.random.uniform"


def _calls(jax, f, function, first, last):
    """Rows of (the call, where its results lie, whether they are bound, what they are or None)."""
    put, new = jax.device_put, jax.numpy.zeros(()).devices()
    if function in DRAWS:
        key, bound = jax.random.PRNGKey(0), put(jax.random.PRNGKey(0), last)
        typed = put(jax.random.key(0), last)
        ahead = jax.jit(lambda key: f(key, (2,))).lower(typed).compile()
        draw = [float(one) for one in f(key, (2,))]
        return [(lambda: f(key, (2,)), new, False, draw), (lambda: f(bound, (2,)), {last}, True, draw), (lambda: f(typed, (2,)), {last}, True, draw),
                (lambda: ahead(typed), {last}, True, draw)]  # fmt: skip
    numbers = jax.numpy.arange(3.0)
    if function == "jax.device_put":
        return [(lambda: f(1, last), {last}, True, 1), (lambda: f(f(1, first), last), {last}, True, 1), (lambda: f(numbers), new, False, [0, 1, 2]),
                (lambda: f(f(2.5, last)), {last}, True, 2.5), (lambda: f(numbers, jax.sharding.SingleDeviceSharding(first)), {first}, True, [0, 1, 2]),
                (lambda: f(True), new, False, True)]  # fmt: skip
    add, same = f(lambda a, b: a + b), f(lambda x: x)
    several = f(lambda *given: given)
    return [
        (lambda: add(1, 2), new, False, 3), (lambda: add(1, put(2, last)), {last}, True, 3), (lambda: add(numbers, put(2, last)), {last}, True, [2, 3, 4]),
        (lambda: same(numbers), new, False, [0, 1, 2]), (lambda: same(put(numbers, last)), {last}, True, [0, 1, 2]),
        (lambda: f(lambda x, y: (y, 1, x))(numbers, 5)[2], new, False, [0, 1, 2]), (lambda: f(lambda: jax.lax.add(3.0, 4.0))(), new, False, 7),
        *((lambda at=at: several(put(1, last), *range(4))[at], {last}, True, [1, 0, 1, 2, 3][at]) for at in range(5)),
    ]  # fmt: skip


@each(["jax.jit", "jax.device_put", *DRAWS], core=False, reference="none")
def lies_where_its_arguments_are_bound(t, function):
    """Bound if one of them is, every result; numbers, and what is bound to none, go there."""
    jax, f = t.fw, t.get(function)
    rows = _calls(jax, f, function, some_devices(t)[0], some_devices(t)[-1])
    for call, where, bound, want in rows:
        made = call()
        found = (made.devices(), made.committed)
        t.expect(found == (where, bound), "on %s, bound: %s, got %s" % (where, bound, found))
        close = t.np.allclose(t.host(made), want, rtol=1e-5, atol=1e-6)
        t.expect(close, "%s, got %s" % (want, made))
        if function == "jax.jit":
            t.expect(
                call().unsafe_buffer_pointer() != made.unsafe_buffer_pointer(), "its own memory"
            )
    key = jax.random.PRNGKey(0)
    again = t.call(lambda key: f(key, (2,)), key) if function in DRAWS else t.call(lambda x: f(lambda v: v + 1)(x) if function == "jax.jit" else f(x + 1), 2)  # fmt: skip
    t.expect(t.np.allclose(t.host(again), rows[0][3] if function in DRAWS else 3, rtol=1e-5, atol=1e-6), "got %s" % again)  # fmt: skip
