"""jax.jit: one program for a function; what is static, what is given away, what is traced again."""

import functools

from seamark_suites.case import case

from .reference import with_gradient

# Several roundings, and sums.
NEAR = {"f32": 1e-5, "bf16": 4e-2, "f16": 4e-3, "f64": 1e-13, "c64": 1e-5}


def layer(x, w, b):
    import jax

    return jax.numpy.tanh(x @ w / 4 + b)


def layer_right(np, x, w, b):
    return np.tanh(x @ w / 4 + b)


def layer_pull(np, w_, x, w, b):
    slope = w_ * (1 - layer_right(np, x, w, b) ** 2)
    return slope @ w.T / 4, x.T @ slope / 4, slope.sum(0)


def jitted_layer(x, w, b):
    import jax

    return jax.jit(layer)(x, w, b)


def layer_inputs(t, dtype, rows=6):
    return t.randn((rows, 5), dtype), t.randn((5, 4), dtype), t.randn((4,), dtype)


@case("jax.jit", dtypes="f32 bf16 f16 f64", core="f32 bf16", rtol=NEAR, atol=NEAR,
      reference=layer_right, name="layer")  # fmt: skip
@case("jax.jit", dtypes="f32 bf16 f64", core="f32 bf16", rtol=NEAR, atol=NEAR, grad=True,
      reference=with_gradient(layer_right, layer_pull), name="layer_gradient")  # fmt: skip
def a_layer(t, dtype):
    return t.call(jitted_layer, *layer_inputs(t, dtype))


def whole_numbers(x, y):
    import jax

    return jax.jit(lambda a, b: (a * 3 - b, a > b, (a & 7) ^ b))(x, y)


@case("jax.jit", dtypes="i32 u8 i64", core="i32",
      reference=lambda np, x, y: (x * 3 - y, x > y, (x & 7) ^ y))  # fmt: skip
def integers_and_bool(t, dtype):
    return t.call(whole_numbers, t.randint((5, 4), dtype, 3, 30), t.randint((5, 4), dtype, 0, 9))


def on_trees(tree, *, scale):
    import jax

    return jax.jit(lambda p, s: {"y": [p["a"] * s, None], "z": (p["b"][0] + s,)})(tree, scale)


@case("jax.jit", dtypes="f32 i32", core="f32",
      reference=lambda np, a, b, s: {"y": [a * s, None], "z": (b + s,)})  # fmt: skip
def trees_and_keywords(t, dtype):
    tree = {"a": t.randn((4,), dtype), "b": [t.randn((2, 3), dtype)]}
    return t.call(on_trees, tree, scale=t.randint((), dtype, 2, 5))


def with_static(x, n):
    import jax

    by_number = jax.jit(lambda v, k: v.reshape(k, -1).sum(0), static_argnums=1)(x, n)
    by_name = functools.partial(jax.jit, static_argnames=("mode",))(chosen)
    return by_number, by_name(x, mode="double"), by_name(x, mode="negate")


def chosen(v, mode="double"):
    return v * 2 if mode == "double" else -v


@case("jax.jit", dtypes="f32 i32", n=[2, 3], core="f32", rtol=NEAR, atol=NEAR,
      reference=lambda np, x, n: (x.reshape(n, -1).sum(0), 2 * x, -x))  # fmt: skip
def static_arguments(t, dtype, n):
    """By number and by name; they may shape the result and choose a branch."""
    return t.call(with_static, t.randn((12,), dtype), n)


def traces(x, y):
    """How often a function was traced: by other values no more, by another shape or dtype once more."""
    import jax

    seen = []

    @jax.jit
    def traced(v):
        seen.append(1)
        return v + 1

    counts, found = [], []
    for value in (x, x * 2, y, x.astype("int32"), x):
        found.append(traced(value))
        counts.append(len(seen))
    return found, counts


@case("jax.jit", core=False, reference=lambda np, x, y: (
    [x + 1, 2 * x + 1, y + 1, x + 1, x + 1], [1, 1, 2, 3, 3]))  # fmt: skip
def traced_once_for_each_kind(t):
    return t.call(traces, t.randint((4,), "f32", -9, 9), t.randint((5,), "f32", -9, 9))


@case("jax.jit", dtypes="f32 bf16", core="f32", rtol=NEAR, atol=NEAR,
      reference=lambda np, *given: [layer_right(np, *given[i : i + 3]) for i in (0, 3, 6)])  # fmt: skip
def sizes_one_after_another(t, dtype):
    made = t.get("jax.jit")(layer)
    return [t.call(made, *layer_inputs(t, dtype, rows)) for rows in (2, 7, 33)]


def half_and_more(state, x):
    return state * 0.5 + x


def donated(state, x):
    import jax

    return jax.jit(half_and_more, donate_argnums=0)(state * 2 + x * 2, x)


@case("jax.jit", dtypes="f32 bf16", core="f32", rtol=NEAR,
      reference=lambda np, s, x: (2 * s + 2 * x) * 0.5 + x)  # fmt: skip
def donated_arguments(t, dtype):
    """The state's memory may be the result's; the state is gone after that."""
    state, x = t.uniform((64, 33), dtype, 1, 2), t.uniform((64, 33), dtype, 1, 2)
    return t.call(donated, state, x)


@case("jax.jit", core=False, reference="none")
def what_is_donated_is_gone(t):
    state, x = t.uniform((64, 33), "f32", 1, 2), t.uniform((64, 33), "f32", 1, 2)
    given, kept = t.host(state), t.host(x)
    made = t.fw.jit(half_and_more, donate_argnums=0)
    result = made(state, x)
    seen = t.call(lambda r: r + 0, result)
    t.expect(bool(t.np.allclose(t.host(seen), given * 0.5 + kept, rtol=1e-6)), "the right values")
    t.expect(t.np.array_equal(t.host(x), kept), "the other argument as it was")
    if state.is_deleted():  # where the device supports it
        t.raises((RuntimeError, ValueError), made, state, x)


def closed_over(constant):
    def inner(x):
        import jax

        return jax.jit(lambda v: v * constant + constant.sum())(x)

    return inner


@case("jax.jit", dtypes="f32 i32", core="f32", rtol=NEAR, atol=NEAR,
      reference=lambda np, c, x: x * c + c.sum())  # fmt: skip
def closures(t, dtype):
    return t.call(closed_over(t.randn((5,), dtype)), t.randn((3, 5), dtype))


def nested(x):
    import jax

    inner = jax.jit(lambda v: v * v, inline=True)
    outer = jax.jit(lambda v: inner(v) + jax.jit(inner)(v + 1))
    return jax.jit(jax.vmap(jax.grad(outer)))(x), jax.vmap(outer)(x), jax.jvp(outer, (x,), (x,))[1]


@case("jax.jit", dtypes="f32 f64", core="f32", rtol=NEAR,
      reference=lambda np, x: (4 * x + 2, x * x + (x + 1) ** 2, x * (4 * x + 2)))  # fmt: skip
def inside_other_transformations(t, dtype):
    return t.call(nested, t.uniform((6,), dtype, 1, 2))


def loops(x, n):
    import jax

    def body(i, v):
        return jax.lax.cond(i % 2 == 0, lambda z: z * 1.5, lambda z: z - 1, v)

    return jax.jit(lambda v, count: jax.lax.fori_loop(0, count, body, v))(x, n)


@case("jax.jit", core=False, rtol=NEAR, atol=NEAR,
      reference=lambda np, x, n: ((x * 1.5 - 1) * 1.5 - 1) * 1.5)  # fmt: skip
def control_flow_of_traced_numbers(t):
    return t.call(loops, t.randn((4,), "f32"), t.const(5, "i32"))


def weak(x, n):
    import jax

    made = jax.jit(lambda v, k: (v * 2.5, v + k, k * 1.0))(x, n)
    return made, [str(one.dtype) for one in made]


@case("jax.jit", dtypes="bf16 f32", core=False, reference=lambda np, x: (2.5 * x, x + 3, 3.0))
def python_numbers_are_weak(t, dtype):
    """A Python number as an argument takes the array's dtype, as it does without jit."""
    made, names = t.call(weak, t.randint((5,), dtype, -9, 9), 3)
    t.expect(names == [str(t.dtype(dtype))] * 2 + ["float32"], "the array's dtype, got %s" % names)
    return made


def ahead(x, w, b):
    import jax

    shapes = [jax.ShapeDtypeStruct(one.shape, one.dtype) for one in (x, w, b)]
    return jax.jit(layer).lower(*shapes)


@case("jax.jit", dtypes="f32 bf16", core=False, rtol=NEAR, atol=NEAR, reference=layer_right)
def compiled_ahead_of_time(t, dtype):
    x, w, b = layer_inputs(t, dtype)
    compiled = ahead(x, w, b).compile()
    t.expect(compiled.as_text() is not None, "the text of the program")
    found = compiled(x, w, b)
    t.raises((TypeError, ValueError), compiled, x[:2], w, b)
    return t.call(lambda v: v + 0, found)


@case("jax.jit", dtypes="f32", shapes="0 3x0 scalar", trivial=True, core=False,
      reference=lambda np, x: (-x, x.sum()))  # fmt: skip
def little_and_nothing(t, dtype, shape):
    return t.call(t.get("jax.jit")(lambda x: (-x, x.sum())), t.randn(shape, dtype))


def special(x):
    import jax
    import jax.numpy as jnp

    return jax.jit(lambda v: (jnp.isnan(v), jnp.signbit(v), v * 0 == 0, jnp.maximum(v, 0)))(x)


@case("jax.jit", dtypes="f32 bf16", core=False, reference=lambda np, x: (
    np.isnan(x), np.signbit(x), np.isfinite(x), np.maximum(x, 0)))  # fmt: skip
def special_values(t, dtype):
    """A compiler must not reason as if there were no NaN, no infinity, no sign of zero."""
    inf = float("inf")
    return t.call(special, t.const([inf, -inf, -0.0, 0.0, 3.0, -2.0, float("nan")], dtype))


def unused(x, y):
    import jax

    return jax.jit(lambda a, b: (a + 1, 7))(x, y)


@case("jax.jit", dtypes="f32", core=False, reference=lambda np, x, y: (x + 1, 7))
def unused_arguments_and_constants(t, dtype):
    return t.call(unused, t.randint((4,), dtype, -9, 9), t.randn((3,), dtype))


def chain(x, y):
    import jax

    return jax.jit(lambda a, b: jax.numpy.tanh(a * b + 1) * a - b)(x, y)


@case("jax.jit", dtypes="f32 bf16", shapes="1024x2051", large=True,
      rtol={"f32": 2e-5, "bf16": 4e-2}, atol={"f32": 1e-5, "bf16": 4e-2},
      reference=lambda np, x, y: np.tanh(x * y + 1) * x - y)  # fmt: skip
def large_program(t, dtype, shape):
    """Several operations in one pass over the memory."""
    return t.call(chain, t.randn(shape, dtype), t.randn(shape, dtype))


@case("jax.jit", core=False, reference="none")
def what_cannot_be_jitted(t):
    jax, x = t.fw, t.randn((3,), "f32")

    def jitted(function, *args, **options):
        return t.call(jax.jit(function, **options), *args)

    t.raises(jax.errors.TracerBoolConversionError, jitted, lambda v: v if v.sum() > 0 else -v, x)
    t.raises(jax.errors.ConcretizationTypeError, jitted, lambda v: v * int(v[0]), x)
    t.raises(ValueError, jitted, lambda v, n: v, x, [2], static_argnums=1)
    t.raises(ValueError, jitted, lambda v: v, x, static_argnames="missing")
    t.raises(TypeError, jitted, lambda v: "text", x)
    t.raises(TypeError, jitted, lambda v: v, "text")
    t.raises(TypeError, jax.jit, 3)


@case("jax.jit", core=False, reference="none")
def tracers_that_leave(t):
    """A tracer kept after its trace raises where it is used."""
    jax, kept = t.fw, []
    result = t.call(jax.jit(lambda v: kept.append(v) or v * 2), t.const([1.0, 2.0], "f32"))
    t.expect(t.host(result).tolist() == [2.0, 4.0], "the result all the same")
    t.raises(jax.errors.UnexpectedTracerError, lambda: kept[0] + 1)
