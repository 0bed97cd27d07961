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


class Model:
    """A method that is a program, for each object one of its own."""

    def __init__(self, scale):
        self.scale = scale

    def __call__(self, x):
        return x * self.scale

    def run(self, x):
        import jax

        return jax.jit(self.__call__)(x), jax.jit(Model.__call__, static_argnums=0)(self, x)


def ways_to_make(x, y):
    import jax

    by_factory = functools.partial(jax.jit, static_argnums=-1)(
        lambda v, n: v.reshape(n, -1).sum(0)
    )(x, 2)
    by_name = jax.jit(lambda v, w: v * 2 + w, donate_argnames="w")(x, y + 0)
    kept = jax.jit(lambda v, w: v - 1, keep_unused=True, inline=True)(x, y)
    return (*Model(3).run(x), *Model(5).run(x), by_factory, by_name, kept)


@case("jax.jit", dtypes="f32 i32", core=False, rtol=NEAR, reference=lambda np, x, y: (
      3 * x, 3 * x, 5 * x, 5 * x, x.reshape(2, -1).sum(0), 2 * x + y, x - 1))  # fmt: skip
def methods_and_options(t, dtype):
    """Of two objects; static from the end, given away by name, unused and inlined."""
    return t.call(ways_to_make, t.randint((6,), dtype, 1, 9), t.randint((6,), dtype, 1, 9))


def of_many_kinds(x, numbers):
    import jax

    same, again, none = jax.jit(lambda v: (v, v, None))(x)
    total = jax.jit(lambda *given: sum(given))(*numbers)
    words = jax.jit(jax.random.key_data)(jax.random.key(9))
    host = jax.jit(lambda v: v * 2)(x.shape[0])
    return same, again, none, total, words, host


@case(
    "jax.jit",
    dtypes="f32",
    core=False,
    reference=lambda np, x: (x, x, None, 300 * 299 // 2, np.array([0, 9]), 8),
)
def arguments_of_many_kinds(t, dtype):
    """What comes back as it was, twice, and None; hundreds of numbers; keys."""
    return t.call(of_many_kinds, t.randn((4,), dtype), numbers=list(range(300)))  # fmt: skip


@case("jax.jit", core=False, reference="none")
def what_a_program_says(t):
    """Its text, its costs, the function that it is of; its name and words; NumPy's wide numbers become narrow."""
    jax, np = t.fw, t.np

    def named(x):
        """Words about it."""
        return jax.numpy.sin(x) * 2

    made, x = jax.jit(named), t.uniform((50,), "f32", 0, 1)
    lowered = made.lower(x)
    compiled = lowered.compile()
    seen = t.host(t.call(made, x))
    t.expect(
        "sine" in lowered.as_text() and "named" in lowered.as_text(), "sine in the text of `named`"
    )
    t.expect(
        bool(np.allclose(t.host(compiled(x)), seen))
        and bool(np.allclose(seen, 2 * np.sin(t.host(x)), atol=1e-5)),
        "twice the sines",
    )
    t.expect(
        made.__wrapped__ is named and made.__name__ == "named" and made.__doc__ == named.__doc__,
        "as the function",
    )
    t.expect(lowered.out_info.shape == (50,) and lowered.in_tree is not None, "what comes out")
    t.expect(str(t.call(made, np.ones(3)).dtype) == "float32", "f32 of f64")
    t.raises(TypeError, compiled, np.ones(3, "float32"))  # fmt: skip


@case("jax.jit", core=False, reference="none")
def static_ones_that_cannot_be(t):
    """Beyond the arguments, given away as well, not to be hashed; errors of the function come out, and leave it usable."""
    jax, x = t.fw, t.randn((3,), "f32")

    def made(function, *given, **options):
        return t.call(jax.jit(function, **options), *given)

    t.raises(ValueError, made, lambda v: v, x, static_argnums=3)
    t.raises(ValueError, made, lambda v, n: v, x, 2, static_argnums=1, donate_argnums=1)
    t.raises(
        (TypeError, ValueError), made, lambda v, n: v, x, {}, static_argnames="n", static_argnums=1
    )
    t.raises(TypeError, made, lambda v: v, x, static_argnums="0")
    t.raises((TypeError, ValueError), made, lambda v, n: v, x, t.np.ones(2), static_argnums=1)
    failing = jax.jit(lambda v, n: v * {1: 2}[n], static_argnums=1)
    t.raises(KeyError, t.call, failing, x, 5)
    t.expect(t.np.array_equal(t.host(failing(x, 1)), 2 * t.host(x)), "the next call")


def by_options_alone(x):
    import jax

    @jax.jit(static_argnames="n", inline=True)
    def powers(v, *, n):
        return v**n

    double = jax.jit(static_argnums=(1, 2))(lambda v, n, m: v * n - m)
    return powers(x, n=3), double(x, 2, 5), jax.jit()(lambda v: v + 1)(x)


@case("jax.jit", dtypes="f32 i32", core=False, since=("0.9.0", "jax.jit of options alone"), rtol=NEAR,
      reference=lambda np, x: (x**3, 2 * x - 5, x + 1))  # fmt: skip
def options_before_the_function(t, dtype):
    """As a decorator with arguments."""
    return t.call(by_options_alone, t.randint((6,), dtype, 1, 9))


@case("jax.jit", core=False, reference="none", since=("0.8.0", "what is traced alone"))
def what_is_kept_and_compiled(t):
    """Programs counted and forgotten; traced alone; options of the compiler, where an unknown one is refused; no shardings by keyword."""
    jax, x = t.fw, t.const([1.0, 2.0, 5.0], "f32")
    run = jax.jit(lambda v, n: v * n, static_argnames="n")
    made = [t.host(t.call(run, x, n=n)).tolist() for n in (2, 3, 2)]
    t.expect(made == [[2, 4, 10], [3, 6, 15], [2, 4, 10]], "by two and by three, got %s" % made)
    traced = run.trace(x, n=4)
    t.expect("mul" in str(traced.jaxpr), "a product, got %s" % traced.jaxpr)
    t.expect(traced.out_info.shape == (3,) == run.eval_shape(x, n=4).shape, "the shape alone")
    where = jax.sharding.SingleDeviceSharding(t.device)
    t.raises(ValueError, lambda: jax.jit(lambda v: v, in_shardings=where)(v=x))
    t.raises(ValueError, lambda: jax.jit(lambda v, w: v, in_shardings=(where,))(x, x))
    t.raises(ValueError, lambda: jax.jit(lambda v: (v, v), out_shardings=(where,) * 3)(x))
    if not t.compiled:
        a_program = jax.jit(
            lambda v: v - 7, compiler_options={"exec_time_optimization_effort": 0.0}
        )
        t.expect(t.host(a_program(x)).tolist() == [-6, -5, -2], "the same numbers")
        unknown = jax.jit(lambda v: v - 8, compiler_options={"no_such_option": 1})
        t.raises(jax.errors.JaxRuntimeError, unknown, x)
        for one in (3, 4, 4):
            run(x, n=one)
        held = run._cache_size()
        run.clear_cache()
        t.expect(held >= 2 and run._cache_size() == 0, "some programs, then none, got %s" % held)


def double_or_less(x, n=2):
    return x * 2 if n == 2 else x - n


def add_and_double(x, m, n, *more, twice=False, **scale):
    if m == n:
        x = -x
    x = x + m + n + sum(range(more[0] if more else 0))
    return (x * 2 if twice else x) * (3 if scale.get("thrice") else 1)


def named_and_numbered(x):
    import jax

    f, g = double_or_less, add_and_double
    by_name, by_number = jax.jit(f, static_argnames="n"), jax.jit(f, static_argnums=1)
    both = jax.jit(f, static_argnums=1, static_argnames="n")
    made = [
        by_name(x, 5),
        by_name(x),
        by_number(x, n=5),
        by_number(x),
        by_number(x=x, n=2),
        both(x, 5),
        both(x, n=5),
    ]
    made += [
        jax.jit(g, static_argnums=(1, 2, 3))(x, 2, n=2),
        jax.jit(g, static_argnums=(1, 2, 3))(x, 2, 2, 4),
    ]
    by_names = jax.jit(g, static_argnames=("m", "n", "twice", "thrice"))
    made += [by_names(x, 2, 2, twice=True, thrice=True), by_names(x, n=1, m=2, thrice=True)]
    return [*made, jax.jit(g, static_argnums=1, static_argnames="n")(x, 2, n=2)]


@case("jax.jit", dtypes="f32 i32", core=False, reference=lambda np, x: [
      x - 5, 2 * x, x - 5, 2 * x, 2 * x, x - 5, x - 5, 4 - x, 10 - x, 6 * (4 - x), 3 * (x + 3), 4 - x])  # fmt: skip
def names_of_numbers_and_numbers_of_names(t, dtype):
    """Static by name is so by number, and the reverse, with its default, too. Where both are said, neither is inferred."""
    jax, x = t.fw, t.randint((9,), dtype, -9, 9)
    both = jax.jit(add_and_double, static_argnums=1, static_argnames="n")
    for given, named in (((2, 2), {}), ((), {"m": 2, "n": 2})):
        t.raises(jax.errors.TracerBoolConversionError, t.call, both, x, *given, **named)
    return t.call(named_and_numbered, x)
