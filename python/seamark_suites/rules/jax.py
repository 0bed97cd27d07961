"""JAX: what a trace sees once, what it cannot know, what was removed."""

import contextlib
import io

from seamark_suites.rules import called
from seamark_suites.rules import rule as any_rule


def rule(number):
    return any_rule("jax", number)


@rule("DEV21")
def platform_is_named(t, way):
    import jax

    called(t, way, lambda: jax.devices("gpu")[0].platform, lambda: jax.devices()[0].platform)


@rule("CMP09")
def traced_function_prints(t, way):
    """Two calls print twice."""
    import jax

    @jax.jit
    def habit(x):
        print("a step")
        return x * 2

    @jax.jit
    def fix(x):
        jax.debug.print("a step")
        return x * 2

    said = io.StringIO()

    def twice(function):
        def run(x):
            with contextlib.redirect_stdout(said):
                made = function(function(x))
                jax.effects_barrier()
                return made

        return run

    called(t, way, twice(habit), twice(fix), t.randn((3,), "f32"))
    times = said.getvalue().count("a step")
    t.expect(times == 2, "two calls that print, got %d" % times)


@rule("CMP10")
def element_is_assigned(t, way):
    import jax.numpy as jnp

    def habit(y):
        x = jnp.zeros(3)
        x[0] = 1.0
        return x + y

    def fix(y):
        x = jnp.zeros(3)
        x = x.at[0].set(1.0)
        return x + y

    return called(t, way, habit, fix, t.randn((3,), "f32"))


@rule("CMP13")
def kernel_is_of_one_maker(t, way):
    import jax
    from jax.experimental import pallas
    from jax.experimental.pallas import triton

    def double(x, y):
        y[...] = x[...] * 2

    def kernel(x):
        options = triton.CompilerParams(num_warps=1)
        made = jax.ShapeDtypeStruct(x.shape, x.dtype)
        return pallas.pallas_call(double, out_shape=made, compiler_params=options)(x)

    def branches(x):
        return jax.lax.platform_dependent(x, cuda=kernel, default=lambda x: x * 2)

    return called(t, way, kernel, jax.jit(branches), t.randn((8,), "f32"))


@rule("DYN18")
def branches_on_an_argument(t, way):
    import jax
    import jax.numpy as jnp

    @jax.jit
    def habit(x):
        if x.sum() > 0:
            return x * 2
        return x * 3

    @jax.jit
    def fix(x):
        return jnp.where(x.sum() > 0, x * 2, x * 3)

    return called(t, way, habit, fix, t.randn((3,), "f32"))


@rule("DYN19")
def iterator_in_a_loop(t, way):
    """The sum of 0 to 9, of JAX's Sharp Bits."""
    import jax
    import jax.numpy as jnp

    def habit():
        items = iter(range(10))
        return jax.lax.fori_loop(0, 10, lambda i, x: x + next(items), 0)

    def fix():
        items = jnp.arange(10)
        return jax.lax.fori_loop(0, 10, lambda i, x: x + items[i], 0)

    total = int(called(t, way, habit, fix))
    t.expect(total == 45, "45, got %d" % total)


@rule("DYN20")
def shape_comes_from_values(t, way):
    import jax
    import jax.numpy as jnp

    @jax.jit
    def habit(x):
        return jnp.nonzero(x > 0)[0]

    @jax.jit
    def fix(x):
        return jnp.nonzero(x > 0, size=3, fill_value=0)[0]

    return called(t, way, habit, fix, t.const([1.0, -2.0, 3.0], "f32"))


@rule("DYN21")
def length_is_an_argument(t, way):
    import functools

    import jax
    import jax.numpy as jnp

    @jax.jit
    def habit(length):
        return jnp.ones((length,)) * 2

    @functools.partial(jax.jit, static_argnames="length")
    def fix(length):
        return jnp.ones((length,)) * 2

    return called(t, way, lambda: habit(3), lambda: fix(3))


@rule("API05")
def removed_from_jax(t, way):
    import jax

    x = t.randn((3,), "f32")
    return called(
        t,
        way,
        lambda: jax.tree_map(lambda leaf: leaf * 2, {"w": x}),
        lambda: jax.tree.map(lambda leaf: leaf * 2, {"w": x}),
    )


@rule("API06")
def host_callback(t, way):
    import jax

    x = t.const([1.0, 2.0, 3.0], "f32")
    found = []

    def habit():
        from jax.experimental import host_callback

        return host_callback.call(found.append, x, result_shape=None)

    def fix():
        jax.experimental.io_callback(lambda x: found.append(float(x.sum())), None, x)
        jax.effects_barrier()

    called(t, way, habit, fix)
    t.expect(found == [6.0], "the host called with the values, got %r" % found)


@rule("DTY11")
def product_without_a_precision(t, way):
    x = t.randn((256, 256), "f32")

    def product(**precision):
        def run(x):
            import jax.numpy as jnp

            return jnp.matmul(x, x, **precision)

        return run

    return called(t, way, product(), product(precision="highest"), x)


@rule("DTY12")
def types_of_64_bits(t, way):
    import jax

    if way == "fix":
        return t.call(lambda x: jax.lax.linalg.lu(x)[0], t.spd(4, "f32"))
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    try:
        return t.call(lambda x: jax.lax.linalg.lu(x)[0], t.spd(4, "f64"))
    finally:
        jax.config.update("jax_enable_x64", before)
