"""JAX beyond 2^31 elements: with 64 bits where a position is a result, as its documentation asks for."""

from seamark_suites.case import case

from . import FAR, MARKS, SIZE, same


def marked(t):
    """Zeros, but for three places."""
    jnp = t.fw.numpy
    with t.fw.enable_x64(True):
        marks = jnp.asarray([1, 2, 3], jnp.uint8)
        return t.fw.jit(lambda: jnp.zeros(SIZE, jnp.uint8).at[jnp.asarray(MARKS)].set(marks))()


@case("jax.numpy.argmax", reference="none", core=False)
def largest(t):
    with t.fw.enable_x64(True):
        same(t, t.call("jax.numpy.argmax", marked(t)), [MARKS[-1]])


@case("jax.numpy.max", reference="none", core=False)
def largest_value(t):
    same(t, t.call("jax.numpy.max", marked(t)), [3])


@case("jax.numpy.sum", reference="none", core=False)
def total(t):
    same(t, t.call("jax.numpy.sum", marked(t), dtype=t.fw.numpy.uint8), [6])


@case("jax.lax.slice", reference="none", core=False)
def part(t):
    with t.fw.enable_x64(True):
        same(t, t.call("jax.lax.slice", marked(t), (FAR,), (SIZE,)), [0] * 7 + [3, 0])


@case("jax.numpy.take", reference="none", core=False)
def picked(t):
    with t.fw.enable_x64(True):
        index = t.fw.numpy.asarray([MARKS[2], 0, MARKS[1], MARKS[0]])
        same(t, t.call("jax.numpy.take", marked(t), index), [3, 0, 2, 1])


@case("jax.lax.dynamic_slice", reference="none", core=False)
def part_from_a_number(t):
    with t.fw.enable_x64(True):
        begin = t.fw.numpy.asarray(FAR)
        same(t, t.call("jax.lax.dynamic_slice", marked(t), (begin,), (9,)), [0] * 7 + [3, 0])
