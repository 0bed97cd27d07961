"""Transformations and tracing, beyond the usual: nested, under jit, over trees, and wrong calls."""

from seamark_suites.case import case
from seamark_suites.jax.internals import wrapped

NEAR = {"f32": 1e-5, "f64": 1e-13}


def cubic(x, y):
    import jax

    return jax.numpy.sin(x) * y + x**3


# --- vjp


def vjp_of_tree(x, y):
    import jax

    value, pull_back = jax.vjp(lambda tree: {"p": tree["a"] * tree["b"][0]}, {"a": x, "b": [y]})
    return pull_back(value)[0]


@case(
    "jax.vjp",
    dtypes="f32",
    core=False,
    rtol=NEAR,
    reference=lambda np, x, y: {"a": x * y * y, "b": [x * x * y]},
)
def vjp_over_trees(t, dtype):
    return t.call(vjp_of_tree, t.randn((5,), dtype), t.randn((5,), dtype))


def vjp_through_loops(x):
    import jax

    def step(carry, _):
        return jax.lax.cond(carry.sum() > 0, lambda v: v * 1.5, lambda v: v * 0.5, carry), carry

    value, pull_back = jax.vjp(lambda v: jax.lax.scan(step, v, None, length=3)[0], x)
    return value, pull_back(jax.numpy.ones_like(value))[0]


@case(
    "jax.vjp",
    dtypes="f32",
    core=False,
    rtol=NEAR,
    trivial=True,
    reference=lambda np, x: (x * 1.5**3, np.full(x.shape, 1.5**3)),
)
def vjp_of_scan_and_cond(t, dtype):
    return t.call(vjp_through_loops, t.uniform((4,), dtype, 1, 2))


def vjp_twice(x):
    import jax

    def first(v):
        return jax.vjp(lambda z: (z**4).sum(), v)[1](jax.numpy.ones((), v.dtype))[0]

    return jax.jit(lambda v: jax.vjp(first, v)[1](v)[0])(x)


@case("jax.vjp", dtypes="f32 f64", core=False, rtol=NEAR, reference=lambda np, x: 12 * x**3)
def vjp_of_vjp(t, dtype):
    return t.call(vjp_twice, t.uniform((4,), dtype, 1, 2))


def with_its_own_rule(x):
    import jax

    @jax.custom_vjp
    def clipped(v):
        return v * v

    clipped.defvjp(lambda v: (v * v, v), lambda v, ct: (jax.numpy.clip(ct * v, -0.5, 0.5),))
    value, pull_back = jax.vjp(clipped, x)
    return value, pull_back(jax.numpy.ones_like(value))[0]


@case(
    "jax.vjp",
    dtypes="f32",
    core=False,
    rtol=NEAR,
    reference=lambda np, x: (x * x, np.clip(x, -0.5, 0.5)),
)
def vjp_by_a_custom_rule(t, dtype):
    return t.call(with_its_own_rule, t.uniform((12,), dtype, -1, 1))


@case("jax.vjp", core=False, reference="none")
def vjp_of_integers(t):
    """A derivative by an integer has the dtype float0 and no values."""
    x = t.randn((3,), "f32")
    value, pull_back = t.call("jax.vjp", lambda x, n: x * n, x, t.const(2, "i32"))
    t.expect(t.np.array_equal(t.host(value), 2 * t.host(x)), "2 x, got %s" % value)
    by_x, by_n = pull_back(t.fw.numpy.ones(3))
    t.expect(t.host(by_x).tolist() == [2.0] * 3, "2 for x, got %s" % by_x)
    t.expect(by_n.dtype == t.fw.dtypes.float0, "float0, got %s" % by_n.dtype)


@case("jax.vjp", core=False, reference="none")
def wrong_cotangents(t):
    value, pull_back = t.call("jax.vjp", t.fw.numpy.sin, t.randn((3,), "f32"))
    t.raises((TypeError, ValueError), pull_back, value.astype("int32"))
    t.raises((TypeError, ValueError), pull_back, (value, value))
    t.raises(TypeError, t.call, "jax.vjp", "no function", value)


@case("jax.vjp", dtypes="f32", shapes="0 scalar", trivial=True, core=False,
      reference=lambda np, x: (np.sin(x), (np.sin(x) * np.cos(x),)))  # fmt: skip
def vjp_of_little(t, dtype, shape):
    value, pull_back = t.call("jax.vjp", t.fw.numpy.sin, t.randn(shape, dtype))
    return value, pull_back(value)


# --- make_jaxpr


@case("jax.make_jaxpr", core=False, host_only=True, reference="none")
def make_jaxpr_of_trees_and_constants(t):
    jax, constant = t.fw, t.randn((3,), "f32")
    make = t.call("jax.make_jaxpr", lambda tree: {"s": tree["a"] + constant}, return_shape=True)
    made, shape = make({"a": t.randn((3,), "f32")})
    t.expect(
        set(shape) == {"s"} and shape["s"].shape == (3,), "the shape of a tree, got %s" % shape
    )
    found = jax.core.eval_jaxpr(made.jaxpr, made.consts, constant)[0]
    t.expect(bool(t.np.allclose(t.host(found), 2 * t.host(constant))), "the captured constant")


@case("jax.make_jaxpr", core=False, host_only=True, reference="none")
def make_jaxpr_of_transformed_functions(t):
    jax, x = t.fw, t.randn((3,), "f32")
    text = str(t.call("jax.make_jaxpr", jax.jit(cubic))(x, x))
    t.expect("cubic" in text and "sin" in text, "the jitted function as a call, got %s" % text)
    slope = str(jax.make_jaxpr(jax.grad(lambda v: cubic(v, v).sum()))(x))
    t.expect("cos" in slope, "the derivative's cos")
    loop = jax.make_jaxpr(lambda v: jax.lax.fori_loop(0, 3, lambda i, w: w * 2, v))(x)
    names = [equation.primitive.name for equation in loop.eqns]
    t.expect("scan" in names or "while" in names, "a loop as one equation, got %s" % names)


@case("jax.make_jaxpr", core=False, host_only=True, reference="none")
def jaxpr_gives_the_same_values(t):
    jax, x, y = t.fw, t.randn((3,), "f32"), t.randn((3,), "f32")
    made = t.call("jax.make_jaxpr", cubic)(x, y)
    found = jax.core.eval_jaxpr(made.jaxpr, made.consts, x, y)[0]
    t.expect(bool(t.np.allclose(t.host(found), t.host(cubic(x, y)), atol=1e-6)), "cubic's values")


@case("jax.make_jaxpr", core=False, host_only=True, reference="none")
def make_jaxpr_of_what_is_no_function(t):
    t.raises(TypeError, t.call, "jax.make_jaxpr", 3)
    t.raises(TypeError, t.fw.make_jaxpr(lambda x: x), "text")


# --- disable_jit, eval_context, named_call


def state_of_jit(t):
    return bool(t.fw.config.jax_disable_jit)


@case("jax.disable_jit", core=False, reference="none")
def jit_comes_back(t):
    """On again inside, off again after that, and on after an exception."""
    jax = t.fw
    with t.call("jax.disable_jit"):
        with jax.disable_jit(False):
            t.expect(not state_of_jit(t), "jit on in the inner context")
        t.expect(state_of_jit(t), "and off in the outer one")

    def fails():
        with jax.disable_jit():
            raise KeyError("as intended")

    t.raises(KeyError, fails)
    t.expect(not state_of_jit(t), "jit on after an exception")


def transformed_without_jit(x):
    import jax

    with jax.disable_jit():
        slope = jax.grad(jax.jit(lambda v: (v**3).sum()))(x)
        return slope, jax.vmap(jax.jit(lambda v: v * 2))(x)


@case(
    "jax.disable_jit",
    dtypes="f32",
    core=False,
    rtol=NEAR,
    reference=lambda np, x: (3 * x**2, 2 * x),
)
def derivatives_without_jit(t, dtype):
    return t.call(transformed_without_jit, t.uniform((5,), dtype, 1, 2))


@case("jax.disable_jit", core=False, reference="none")
def values_are_there_without_jit(t):
    jax = t.fw

    @jax.jit
    def branch(x):
        return x * 2 if x.sum() > 0 else x * 3

    values = t.const([1.0, 2.0], "f32")
    t.raises(jax.errors.TracerBoolConversionError, branch, values)
    with t.call("jax.disable_jit"):
        t.expect(t.host(branch(values)).tolist() == [2.0, 4.0], "a Python branch on a value")


def evaluated_while_tracing(x):
    import jax

    def traced(v):
        with jax.core.eval_context():
            constant = jax.numpy.arange(4.0) + 1
            assert not isinstance(constant, jax.core.Tracer)
            power = int(constant[1])  # a value, though v has none
        return v**power * constant

    return jax.jit(traced)(x), jax.vmap(traced)(x[None])[0], jax.grad(lambda v: traced(v).sum())(x)


@case(
    "jax.core.eval_context",
    dtypes="f32 f64",
    core=False,
    rtol=NEAR,
    reference=lambda np, x: (
        x**2 * np.arange(1, 5),
        x**2 * np.arange(1, 5),
        2 * x * np.arange(1, 5),
    ),
)
def eval_context_inside_transformations(t, dtype):
    return t.call(evaluated_while_tracing, t.uniform((4,), dtype, 1, 2))


@case("jax.core.eval_context", core=False, reference="none")
def eval_context_ends(t):
    """A tracer stays one inside; after the context, and after an exception, tracing goes on."""
    jax, seen = t.fw, []

    def traced(x):
        try:
            with jax.core.eval_context():
                seen.append(isinstance(x, jax.core.Tracer))
                raise KeyError("as intended")
        except KeyError:
            seen.append(isinstance(jax.numpy.sin(x), jax.core.Tracer))
        return x

    x = t.randn((3,), "f32")
    result = t.call(jax.jit(traced), x)
    t.expect(seen == [True, True], "a tracer inside and after, got %s" % seen)
    t.expect(t.np.array_equal(t.host(result), t.host(x)), "what was given")


@case("jax.named_call", core=False, reference="none")
def the_name_is_in_the_program(t):
    jax, x = t.fw, t.uniform((4,), "f32", 1, 2)
    program = jax.jit(t.call("jax.named_call", cubic, name="a_name_of_its_own")).lower(x, x)
    text = program.as_text(debug_info=True)
    t.expect("a_name_of_its_own" in text, "the name among the locations of the lowered program")
    text = jax.jit(jax.named_call(cubic)).lower(x, x).as_text(debug_info=True)
    t.expect("cubic" in text, "the function's own name where none is given")


def named_and_transformed(x):
    import jax

    named = jax.named_call(lambda v, n: v**n, name="power")
    return jax.jit(jax.vmap(lambda v: named(v, 3)))(x), jax.jvp(lambda v: named(v, 2), (x,), (x,))[
        1
    ]


@case(
    "jax.named_call", dtypes="f32", core=False, rtol=NEAR, reference=lambda np, x: (x**3, 2 * x * x)
)
def named_call_under_transformations(t, dtype):
    """With a Python number as an argument, under vmap, jit and jvp."""
    return t.call(named_and_transformed, t.uniform((5,), dtype, 1, 2))


@case("jax.named_call", core=False, reference="none")
def named_call_of_no_function(t):
    t.raises(TypeError, t.call, t.fw.named_call(3, name="three"), t.randn((3,), "f32"))


# --- partial evaluation


@case("jax._src.interpreters.partial_eval", core=False, host_only=True, reference="none")
def known_and_unknown_parts(t):
    """What depends on known inputs alone is computed first, the rest is left as a program."""
    pe = t.get("jax._src.interpreters.partial_eval")
    made = t.fw.make_jaxpr(lambda x, y: t.fw.numpy.sin(x) * t.fw.numpy.cos(y))(1.0, 2.0)
    known, unknown, out_unknown, _ = t.call(
        pe.partial_eval_jaxpr_nounits, made, [False, True], False
    )
    names = [[e.primitive.name for e in part.jaxpr.eqns] for part in (known, unknown)]
    t.expect("sin" in names[0] and "cos" not in names[0], "sin in the known part, got %s" % names)
    t.expect("cos" in names[1] and "sin" not in names[1], "cos in the rest, got %s" % names)
    t.expect(list(out_unknown) == [True], "an unknown result")


@case("jax._src.interpreters.partial_eval", core=False, host_only=True, reference="none")
def nothing_needed_nothing_left(t):
    pe = t.get("jax._src.interpreters.partial_eval")
    made = t.fw.make_jaxpr(lambda x: (t.fw.numpy.sin(x), x))(1.0)
    pruned, used = t.call(pe.dce_jaxpr, made.jaxpr, [False, False], instantiate=False)
    t.expect(not pruned.eqns and list(used) == [False], "no equation and no input, got %s" % pruned)


@case("jax._src.interpreters.partial_eval", core=False, host_only=True, reference="none")
def effects_stay(t):
    """A print is kept though nobody needs its result."""
    pe, jax = t.get("jax._src.interpreters.partial_eval"), t.fw

    def prints(x):
        jax.debug.print("{}", x)
        return jax.numpy.sin(x)

    made = jax.make_jaxpr(prints)(1.0)
    pruned, _ = t.call(pe.dce_jaxpr, made.jaxpr, [False], instantiate=False)
    names = [equation.primitive.name for equation in pruned.eqns]
    t.expect(len(names) == 1 and names[0] != "sin", "the print alone, got %s" % names)


@case("jax._src.interpreters.partial_eval", core=False, host_only=True, reference="none")
def constants_become_inputs(t):
    pe, jax = t.get("jax._src.interpreters.partial_eval"), t.fw
    constant = t.const([1.0, 2.0], "f32")
    made = jax.make_jaxpr(lambda x: x * constant)(constant)
    open_ = t.call(pe.convert_constvars_jaxpr, made.jaxpr)
    t.expect(not open_.constvars and len(open_.invars) == 2, "two inputs, got %s" % open_)
    found = jax.core.eval_jaxpr(open_, [], t.np.float32([3, 3]), t.np.float32([5, 6]))[0]
    t.expect(t.host(found).tolist() == [15.0, 18.0], "the values of the inputs given")


def traced(t, function, *shapes):
    """(jaxpr, abstract results, constants) of a function of f32 arrays that returns a list."""
    made = wrapped(t, function, (0,) * len(shapes))
    abstract = [t.fw.core.ShapedArray(shape, t.np.dtype("float32")) for shape in shapes]
    name = "jax._src.interpreters.partial_eval.trace_to_jaxpr_dynamic"
    return t.call(name, made, abstract)[:3]


@case(
    "jax._src.interpreters.partial_eval.trace_to_jaxpr_dynamic",
    core=False,
    host_only=True,
    reference="none",
)
def unused_inputs_and_calls_stay(t):
    jaxpr, found, _ = traced(t, lambda x, y: [t.fw.jit(t.fw.numpy.cos)(x)], (3,), (4,))
    t.expect(len(jaxpr.invars) == 2, "both inputs, got %s" % jaxpr)
    names = [equation.primitive.name for equation in jaxpr.eqns]
    t.expect(len(names) == 1 and names[0] != "cos", "a call that is not inlined, got %s" % names)
    t.expect([(a.shape, str(a.dtype)) for a in found] == [((3,), "float32")], "three f32 numbers")


@case(
    "jax._src.interpreters.partial_eval.trace_to_jaxpr_dynamic",
    core=False,
    host_only=True,
    reference="none",
)
def values_cannot_be_read_while_tracing(t):
    errors = t.fw.errors
    t.raises(errors.TracerBoolConversionError, traced, t, lambda x: [x if x > 0 else -x], ())
    t.raises(errors.TracerArrayConversionError, traced, t, lambda x: [t.np.sin(x)], (3,))
    t.raises(errors.ConcretizationTypeError, traced, t, lambda x: [float(x)], ())


@case(
    "jax._src.interpreters.partial_eval.trace_to_jaxpr_dynamic",
    core=False,
    host_only=True,
    reference="none",
)
def captured_arrays_are_constants(t):
    constant = t.randn((3,), "f32")
    jaxpr, _, constants = traced(t, lambda x: [x * constant], (3,))
    found = t.fw.core.eval_jaxpr(jaxpr, constants, t.np.ones(3, "float32"))[0]
    t.expect(bool(t.np.allclose(t.host(found), t.host(constant))), "the captured values")


@case(
    "jax._src.interpreters.partial_eval.trace_to_jaxpr_dynamic",
    core=False,
    host_only=True,
    reference="none",
)
def tracers_do_not_outlive_their_trace(t):
    kept = []
    traced(t, lambda x: [kept.append(x) or x], (3,))
    t.raises(t.fw.errors.UnexpectedTracerError, t.fw.numpy.sin, kept[0])


# --- value_and_grad: what stands beside the value


def _beside(x, z, n):
    import jax
    import jax.numpy as jnp

    both = jax.value_and_grad

    def inner(v):
        _, extra = jax.grad(lambda w: (w**3, [w**3]), has_aux=True)(v)
        return extra[0] * jnp.sin(v)

    (value, told), slope = both(
        lambda v: ((v**3).sum(), {"same": v, "more": (v + 1, 4.0), "none": None}), has_aux=True
    )(x)
    nested = jax.vmap(jax.jit(both(jax.jit(inner))))(x)
    pair, (by_z, by_x) = both(lambda pair: (jnp.square(jnp.abs(pair[0])) * pair[1][:3]).sum())(
        (z, x)
    )
    listed = both(lambda a, b, c: (a * b - c * c).sum(), argnums=[2, 0])(x, 2 * x, x + 1)
    index, (by_row, by_index) = both(lambda v, i: v[i], argnums=(0, 1), allow_int=True)(x, n)
    truth, by_truth = both(lambda p: jax.lax.cond(p, lambda: 1.0, lambda: 2.0), allow_int=True)(
        n > 0
    )
    none = (
        by_index.dtype == by_truth.dtype == jax.dtypes.float0
        and by_index.shape == by_truth.shape == ()
    )
    return [value, told["same"], told["more"][0], told["more"][1], slope, *nested, pair, by_z, by_x, listed[0], *listed[1], index,
            by_row, truth, jnp.array(none)]  # fmt: skip


def _beside_right(np, x, z, n):
    size = abs(z) ** 2
    return [(x**3).sum(), x, x + 1, 4.0, 3 * x * x, x**3 * np.sin(x), 3 * x * x * np.sin(x) + x**3 * np.cos(x), (size * x[:3]).sum(),
            2 * z.conj() * x[:3], np.append(size, 0), (2 * x * x - (x + 1) ** 2).sum(), -2 * (x + 1), 2 * x, x[2],
            np.eye(4)[2], 1.0, True]  # fmt: skip


@case(
    "jax.value_and_grad",
    core=False,
    rtol={"f32": 1e-5, "c64": 1e-5},
    atol={"f32": 1e-5, "c64": 1e-5},
    reference=_beside_right,
)
def what_stands_beside_the_value(t):
    """A tree, constants, a cube of an inner gradient; of a real and a complex array at once; places in a list; of an index, of a truth."""
    return t.call(
        _beside, t.uniform((4,), "f32", 0.5, 1.5), t.randn((3,), "c64"), t.const(2, "i32")
    )


@case("jax.value_and_grad", core=False, reference="none")
def values_that_come_with_nothing(t):
    """Pairs that are none, objects, too few arguments, names alone; no tracer is left; its name; it is traced once."""
    jax, np, both, seen = t.fw, t.np, t.get("jax.value_and_grad"), []
    for wrong in (lambda v: (1.0, 2.0, 3.0), lambda v: v, lambda v: (v,), lambda v: [v, v, v]):
        t.raises((TypeError, ValueError), both(wrong, has_aux=True), 1.0)
    t.raises(TypeError, both(lambda v: v), np.array([1, 2], dtype=object))
    t.raises(TypeError, both(lambda v, w: v + w), w=1.0, v=0.0)
    t.raises((TypeError, ValueError), both(lambda v, w: v * w, argnums=(0, 2)), 2.0, 3.0)
    t.raises(TypeError, both(lambda v: v**2 + 1j), 3.0)
    t.raises(TypeError, both(lambda v: v), 1 + 2j)

    def square(v):
        seen.append(v)
        return v * v, {"is": v, "more": v + 1}

    program = both(jax.jit(square), has_aux=True)
    for n in (3.0, 5.0):
        (value, told), slope = t.call(program, t.const(n, "f32"))
        t.expect(
            (float(value), float(told["more"]), float(slope)) == (n * n, n + 1, 2 * n),
            "got %s" % value,
        )
        t.expect(
            not any(isinstance(one, jax.core.Tracer) for one in told.values()),
            "no tracer, got %s" % told,
        )
    t.expect(len(seen) == 1 or t.compiled, "traced once, got %d" % len(seen))
    named = t.call(both, square, has_aux=True)
    t.expect(
        named.__name__ == "square" and "square" in named.__doc__,
        "its name, got %s" % named.__name__,
    )
