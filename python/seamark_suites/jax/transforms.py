"""Transformations, tracing, trees, and what else runs on the host."""

from seamark_suites.case import case
from seamark_suites.jax.internals import wrapped

from . import reference as right
from .reference import with_gradient


def cubic(x, y):
    import jax

    return jax.numpy.sin(x) * y + x**3


def vector_jacobian(x, y, cotangent):
    import jax

    value, pull_back = jax.vjp(cubic, x, y)
    return value, pull_back(cotangent)


def cubic_reference(np, x, y, cotangent):
    return np.sin(x) * y + x**3, (cotangent * (np.cos(x) * y + 3 * x**2), cotangent * np.sin(x))


@case(
    "jax.vjp",
    dtypes="f32 bf16 f64",
    shapes="20 3x4",
    core="f32 bf16",
    reference=cubic_reference,
    rtol={"f32": 1e-5, "bf16": 4e-2, "f64": 1e-13},
    atol={"f32": 1e-5, "bf16": 4e-2, "f64": 1e-13},
)  # several roundings, and cancellation
def vjp(t, dtype, shape):
    inputs = [t.uniform(shape, dtype, 0.2, 1.5) for _ in range(3)]
    return t.call(vector_jacobian, *inputs)


def holomorphic(x, cotangent):
    import jax

    return jax.vjp(lambda z: z * z, x)[1](cotangent)


@case(
    "jax.vjp",
    dtypes="c64 c128",
    core=False,
    reference=lambda np, x, ct: (2 * x * ct,),
    rtol={"c64": 1e-5, "c128": 1e-13},
    atol={"c64": 1e-5, "c128": 1e-13},
)
def vjp_of_complex(t, dtype):
    return t.call(holomorphic, t.randn((10,), dtype), t.randn((10,), dtype))


def with_auxiliary(x):
    import jax

    value, pull_back, extra = jax.vjp(lambda z: (z**2, z.sum()), x, has_aux=True)
    return value, pull_back(value)[0], extra


@case(
    "jax.vjp",
    dtypes="f32 f64",
    core="f32",
    reference=lambda np, x: (x**2, 2 * x**3, x.sum()),
    rtol={"f32": 1e-5, "f64": 1e-13},
)
def vjp_with_aux(t, dtype):
    return t.call(with_auxiliary, t.uniform((10,), dtype, 1, 2))


@case("jax.vjp", reference="none", core=False)
def cotangent_of_another_shape(t):
    t.raises(
        (TypeError, ValueError),
        t.call,
        vector_jacobian,
        t.randn((3,), "f32"),
        t.randn((3,), "f32"),
        t.randn((4,), "f32"),
    )


@case("jax.make_jaxpr", dtypes="f32 bf16 f64", core="f32", host_only=True, reference="none")
def make_jaxpr(t, dtype):
    make = t.call("jax.make_jaxpr", cubic)
    made = make(t.randn((3,), dtype), t.randn((3,), dtype))
    names = [equation.primitive.name for equation in made.eqns]
    t.expect("sin" in names and "mul" in names and "add" in names, "sin, mul and add in %s" % names)
    t.expect([v.shape for v in made.out_avals] == [(3,)], "one result of three elements")


def traced_with_static(x, n):
    import jax

    return jax.numpy.reshape(x, (n, -1)).sum(0)


@case("jax.make_jaxpr", host_only=True, reference="none")
def make_jaxpr_with_static_argument(t):
    jax = t.fw
    made = t.call("jax.make_jaxpr", traced_with_static, static_argnums=1)(
        jax.ShapeDtypeStruct((6,), "float32"), 2
    )
    t.expect(made.out_avals[0].shape == (3,), "a static argument that shapes the result")
    t.raises(
        Exception, jax.make_jaxpr(traced_with_static), jax.ShapeDtypeStruct((6,), "float32"), 2
    )


def without_jit(x):
    import jax

    seen = []

    @jax.jit
    def inner(y):
        seen.append(isinstance(y, jax.core.Tracer))
        return jax.numpy.where(y > 0, y, 2 * y)

    with jax.disable_jit():
        inside = jax.config.jax_disable_jit
        return inner(x), inside


@case("jax.disable_jit", dtypes="f32 i32 bf16 f64", core="f32 i32", reference="none")
def disable_jit(t, dtype):
    values = t.randn((3, 4), dtype)
    result, inside = t.call(without_jit, values)
    want = t.np.where(t.host(values) > 0, t.host(values), 2 * t.host(values))
    t.expect(bool(inside), "jit switched off inside the context")
    t.expect(not t.fw.config.jax_disable_jit, "and on again after it")
    t.expect(bool(t.np.array_equal(t.host(result), want)), "the values of the function without jit")


def control_flow(x):
    import jax

    with jax.disable_jit():
        return jax.lax.fori_loop(0, 3, lambda i, value: value * 1.5 + i, x)


@case(
    "jax.disable_jit",
    dtypes="f32 f64",
    core="f32",
    rtol={"f32": 1e-5, "f64": 1e-13},
    reference=lambda np, x: ((x * 1.5) * 1.5 + 1) * 1.5 + 2,
)
def loops_without_jit(t, dtype):
    return t.call(control_flow, t.randn((6,), dtype))


def named(x, y):
    import jax

    return jax.named_call(cubic, name="cubic")(x, y)


@case(
    "jax.named_call",
    dtypes="f32 bf16 f64",
    core="f32 bf16",
    rtol={"f32": 1e-5, "bf16": 4e-2, "f64": 1e-13},
    atol={"f32": 1e-5, "bf16": 4e-2},
    reference=right.cubic,
)
def named_call(t, dtype):
    return t.call(named, t.uniform((12,), dtype, 0.2, 1.5), t.uniform((12,), dtype, 0.2, 1.5))


@case("jax.named_call", dtypes="f32 f64", core="f32", grad=True, rtol={"f32": 1e-5, "f64": 1e-13},
      reference=with_gradient(right.cubic, right.cubic_pull))  # fmt: skip
def named_call_gradient(t, dtype):
    return t.call(named, t.uniform((12,), dtype, 0.2, 1.5), t.uniform((12,), dtype, 0.2, 1.5))


def evaluated(x):
    import jax

    with jax.core.eval_context():
        constant = jax.numpy.arange(4) * 2
    return isinstance(constant, jax.core.Tracer), x * constant


@case("jax.core.eval_context", dtypes="f32 bf16 f64", core="f32 bf16", reference="none")
def eval_context(t, dtype):
    values = t.uniform((4,), dtype, 1, 2)
    traced, result = t.call(evaluated, values)
    t.expect(traced is False, "a concrete array inside the context")
    want = t.host(values) * t.np.arange(4) * 2
    near = {"bf16": 1e-2, "f32": 1e-6, "f64": 1e-12}[dtype]
    t.expect(bool(t.np.allclose(t.host(result), want, rtol=near)), "x times 0, 2, 4, 6")


@case("jax._src.interpreters.partial_eval", host_only=True, reference="none")
def partial_eval(t):
    module = t.get("jax._src.interpreters.partial_eval")
    made = t.fw.make_jaxpr(lambda x, y: (t.fw.numpy.sin(x), t.fw.numpy.cos(y)))(1.0, 2.0)
    pruned, used = t.call(module.dce_jaxpr, made.jaxpr, [True, False])
    names = [equation.primitive.name for equation in pruned.eqns]
    t.expect(
        names == ["sin"] and list(used) == [True, False],
        "only what the first result needs, got %s" % names,
    )


@case("jax._src.interpreters.partial_eval.trace_to_jaxpr_dynamic", host_only=True, reference="none")
def trace_to_jaxpr_dynamic(t):
    jax = t.fw
    abstract = jax.core.ShapedArray((3,), t.np.dtype("float32"))
    function = wrapped(t, lambda x, y: [cubic(x, y)], (0, 0))
    made = t.call(
        "jax._src.interpreters.partial_eval.trace_to_jaxpr_dynamic", function, [abstract, abstract]
    )
    t.expect("sin" in [equation.primitive.name for equation in made[0].eqns], "a jaxpr with sin")
    t.expect([aval.shape for aval in made[1]] == [(3,)], "one result of three elements")


@case("jax.tree_util.Partial", dtypes="f32 i32", core="f32", host_only=True, reference="none")
def partial(t, dtype):
    x, y = t.uniform((4,), dtype, 1, 5), t.uniform((4,), dtype, 1, 5)
    add = t.call("jax.tree_util.Partial", t.fw.numpy.add, x)
    leaves, tree = t.fw.tree_util.tree_flatten(add)
    t.expect(len(leaves) == 1, "its bound argument as its only leaf")
    again = t.fw.tree_util.tree_unflatten(tree, leaves)
    want = t.host(x) + t.host(y)
    t.expect(
        bool(t.np.allclose(t.host(t.fw.jit(lambda f, v: f(v))(again, y)), want)),
        "a tree that jit accepts",
    )


@case("jax.tree_util.tree_map", dtypes="f32 i32", core="f32 i32", host_only=True)
def tree_map(t, dtype):
    left = {"a": t.randn((3,), dtype), "b": [t.randn((2, 2), dtype), (t.randn((), dtype),)]}
    right = {"a": t.randn((3,), dtype), "b": [t.randn((2, 2), dtype), (t.randn((), dtype),)]}
    return t.call("jax.tree_util.tree_map", lambda x, y: x - y, left, right)


@case("jax.tree_util.tree_map", host_only=True, reference="none")
def trees_that_differ(t):
    t.raises(ValueError, t.call, "jax.tree_util.tree_map", lambda x, y: x, {"a": 1}, {"b": 1})
    kept = t.call(
        "jax.tree_util.tree_map", lambda x: x, {"a": None, "b": 2}, is_leaf=lambda x: x is None
    )
    t.expect(kept == {"a": None, "b": 2}, "None kept as a leaf")


@case("jax.tree_util.tree_unflatten", dtypes="f32 i32", core="f32", host_only=True)
def tree_unflatten(t, dtype):
    tree = {"w": t.randn((3, 2), dtype), "b": (t.randn((2,), dtype), [None, 3])}
    leaves, shape = t.fw.tree_util.tree_flatten(tree)
    return t.call("jax.tree_util.tree_unflatten", shape, leaves)


@case("jax.tree_util.tree_unflatten", host_only=True, reference="none")
def leaves_that_are_missing(t):
    shape = t.fw.tree_util.tree_structure({"a": 1, "b": (2, 3)})
    t.expect(
        t.call("jax.tree_util.tree_unflatten", shape, [4, 5, 6]) == {"a": 4, "b": (5, 6)},
        "the tree rebuilt",
    )
    t.raises(ValueError, t.call, "jax.tree_util.tree_unflatten", shape, [1, 2])


@case("jax.numpy.isscalar", dtypes="f32 i32", core="f32", host_only=True, reference="none")
def isscalar(t, dtype):
    wanted = [
        (3, True),
        (2.5, True),
        ([1], False),
        (None, False),
        (t.randn((), dtype), True),
        (t.randn((2,), dtype), False),
    ]
    for value, want in wanted:
        t.expect(bool(t.call("jax.numpy.isscalar", value)) is want, "%r: %s" % (value, want))


@case(
    "jax.numpy.save",
    dtypes="f32 i32 bool c64 f64 i64",
    shapes="5x4 scalar 0",
    core="f32 i32",
    host_only=True,
    reference="none",
)
def save(t, dtype, shape):
    values = t.randn(shape, dtype)
    path = t.tmpdir() + "/saved.npy"
    t.call("jax.numpy.save", path, values)
    again = t.fw.numpy.load(path)
    t.expect(again.dtype == values.dtype and again.shape == values.shape, "dtype and shape kept")
    t.expect(bool((t.host(again) == t.host(values)).all()), "the values kept")


# --- jit: functions of every kind, what it refuses, what it gives away


class Scaled:
    """What can be called, and is no function."""

    def __init__(self, scale):
        self.scale = scale

    def __call__(self, x, *more, power=1):
        return x**power * self.scale + sum(more)


def _kinds_of_functions(x, y):
    import copy
    import functools
    import operator

    import jax

    bound, scaled = functools.partial(lambda v, w, n: v * w - n, n=3), Scaled(2)
    picky = jax.jit(lambda v, *rest: v * rest[0] - rest[-1], static_argnums=1)
    copied = jax.jit(lambda v: (copy.copy(v), copy.deepcopy(v)))
    inner = jax.jit(lambda v: jax.jit(jax.jit(lambda w: w * 5, donate_argnums=0))(v) + v)
    flags = [jax.numpy.array(n % 3 == 0) for n in range(32)]
    return [jax.jit(bound)(x, y), jax.jit(functools.partial(bound, x))(y), jax.jit(scaled)(x, y, y, power=2), picky(x, 3, y),
            jax.jit(operator.sub, static_argnums=1)(x, 4), jax.jit(scaled.__call__)(x), *copied(x), inner(x),
            jax.jit(lambda: sum(flags))(), jax.jit(lambda v: v * 0)(float("nan")), jax.jit(lambda v=y: v + 1)(),
            jax.jit(lambda v, flag: v if flag else -v, static_argnames=["flag"])(x, flag=False)]  # fmt: skip


@case("jax.jit", dtypes="f32 i32", core=False, reference=lambda np, x, y: [
      x * y - 3, x * y - 3, 2 * x * x + 2 * y, 3 * x - y, x - 4, 2 * x, x, x, 6 * x, 11, np.nan, y + 1, -x])  # fmt: skip
def functions_of_every_kind(t, dtype):
    """Partial ones, objects, bound methods, operators, programs in programs, copies; one static argument of any number."""
    return t.call(_kinds_of_functions, t.randint((6,), dtype, 1, 9), t.randint((6,), dtype, 1, 9))


@case("jax.jit", core=False, reference="none")
def functions_and_arguments_it_refuses(t):
    """Generators, static methods; masked arrays, dtypes, keys without an order; names that are not there or stand for two things."""
    import enum

    jax, np, jit = t.fw, t.np, t.get("jax.jit")
    kinds, x = enum.Enum("kinds", "ONE TWO"), t.const([1.0, 2.0], "f32")

    def generated(v):
        yield v

    for wrong in (generated, staticmethod(lambda v: v), classmethod(lambda c, v: v), None, "text"):
        t.raises(TypeError, jit, wrong)
    t.raises(ValueError, jit(lambda v: v), np.ma.array([1, 2], mask=[True, False]))
    for wrong in (
        jax.numpy.int32,
        object(),
        {kinds.ONE: 1.0, kinds.TWO: 2.0},
        np.array(["a"]),
        2**40,
    ):
        t.raises((TypeError, ValueError, OverflowError), jit(lambda v: v), wrong)
    t.raises(ValueError, jit, lambda x: x, static_argnames="x", donate_argnames="x")

    def positional(a, /, b, *c, **d):
        return a

    for options in ({"static_argnames": "a"}, {"static_argnames": "c"}, {"donate_argnames": "c"}):
        t.raises(ValueError, jit, positional, **options)
    jit(lambda a, *more: a, static_argnums=(0, 999, -999))
    for places in ((0, 3), (0, -4)):
        t.raises(ValueError, jit, lambda a, b, c: a, static_argnums=places)
    free = t.call(jit(positional, static_argnames=("b", "other")), x, b="text", other="word")
    t.expect(t.host(free).tolist() == [1, 2], "any name for what takes any, got %s" % free)

    class Unequal:
        def __hash__(self):
            return 1

        def __eq__(self, other):
            raise NotImplementedError

    program = jit(lambda v, n: v, static_argnums=1)
    t.raises(ValueError, lambda: [program(x, Unequal()) for _ in range(2)])


@case("jax.jit", core=False, reference="none")
def when_it_is_traced_again(t):
    """Static ones by type as well as by value; a function jitted twice once; without jit each time; by many threads."""
    import concurrent.futures

    jax, jit, seen, x = t.fw, t.get("jax.jit"), [], t.const([1.0, 4.0], "f32")
    of_type = jit(lambda k, v: seen.append(k) or v * 2, static_argnums=0)
    for one in (1, True, 1.0, 1, True):
        t.expect(t.host(t.call(of_type, one, x)).tolist() == [2, 8], "twice, whatever it is told")
    t.expect(
        [type(one) for one in seen][:3] == [int, bool, float] if not t.compiled else True,
        "three programs, got %s" % seen,
    )
    del seen[:]

    def once(v):
        seen.append(1)
        return v + 1

    found = [float(jit(once)(n)) for n in (2, 3)]
    t.expect(found == [3, 4] and len(seen) == 1, "one program of a function, got %s" % seen)
    with jax.disable_jit():
        found = [float(jit(once)(n)) for n in (2, 3)]
    t.expect(found == [3, 4] and len(seen) == 3, "each time without jit, got %s" % seen)
    both = jit(lambda v: v + v - 3)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        made = [
            one.result()
            for one in [pool.submit(both, t.np.full(n + 1, n, "float32")) for n in range(8)]
        ]
    t.expect(
        all(t.host(one).tolist() == [2 * n - 3.0] * (n + 1) for n, one in enumerate(made)),
        "each its own, got %s" % made,
    )


@case("jax.jit", core=False, reference="none")
def what_it_says_it_gives_away(t):
    """Of trees, by number and by name; a program ahead keeps the tree and the dtypes that it was made for."""
    jax, jit, ones = t.fw, t.get("jax.jit"), t.np.ones(3, "float32")
    tree = {"c": ones, "d": [ones]}
    for options in ({"donate_argnums": (0, 1)}, {"donate_argnames": ("z", "y")}):
        lowered = jit(lambda z, y, x: (z, y, x), **options).lower(tree, y={"b": ones}, x=ones)
        places, names = lowered.args_info
        away = [
            places[0]["c"].donated,
            places[0]["d"][0].donated,
            names["y"]["b"].donated,
            names["x"].donated,
        ]
        t.expect(away == [True, True, True, False], "%s, got %s" % (options, away))
    program = jit(lambda v: jax.tree_util.tree_map(lambda one: one * 2, v))
    ahead = program.lower(tree).compile()
    for made in (t.call(program, tree), ahead(tree)):
        found = [t.host(made["c"]).tolist(), t.host(made["d"][0]).tolist()]
        t.expect(found == [[2, 2, 2]] * 2, "twice ones, got %s" % found)
    for wrong in (
        {"c": ones},
        [ones, ones],
        {"c": ones, "d": (ones,)},
        {"c": ones, "d": [ones.astype("int32")]},
    ):
        t.raises(TypeError, ahead, wrong)
    if not t.compiled:
        gone = [jax.device_put(ones * n, t.device) for n in (1, 2)]
        by_name = jit(lambda inp: inp * 2, donate_argnames="inp")(gone[0])
        by_place = jit(lambda inp: inp * 2, donate_argnums=0)(inp=gone[1])
        t.expect(
            [t.host(one).tolist() for one in (by_name, by_place)] == [[2] * 3, [4] * 3], "twice"
        )
        t.expect(gone[0].is_deleted() == gone[1].is_deleted(), "gone in either way, or in none")
        if gone[0].is_deleted():  # one array cannot be given away and kept at once
            t.raises(
                RuntimeError,
                jit(lambda v, w: v + w, donate_argnums=0),
                *[jax.device_put(ones, t.device)] * 2,
            )


@case("jax.jit", core=False, reference="none", since=("0.5.0", "costs in one dictionary"))
def what_a_program_costs(t):
    """Before and after it is compiled, where the device tells; its code, its arguments, options that are not there."""
    jax, jit = t.fw, t.get("jax.jit")
    x, y = t.randint((4, 50), "f32", -9, 9), t.randint((50, 3), "f32", -9, 9)
    program = jit(lambda x, y: x @ y + 1)
    lowered = program.lower(x, y)
    compiled = lowered.compile()
    for costs in (lowered.cost_analysis(), compiled.cost_analysis()):
        flops = costs and costs.get("flops", -1)
        t.expect(
            not flops or flops == -1 or 1200 <= flops < 2400,
            "2 x 4 x 50 x 3 and little more, got %s" % flops,
        )
    memory = compiled.memory_analysis()
    size = memory and memory.argument_size_in_bytes
    t.expect(size is None or size >= 4 * 350, "350 numbers go in, got %s" % size)
    t.expect(
        "dot" in lowered.as_text("hlo") and "dot_general" in lowered.as_text("stablehlo"),
        "a product in each language",
    )
    told = [(one.shape, str(one.dtype), one.donated) for one in lowered.args_info[0]]
    t.expect(
        told == [((4, 50), "float32", False), ((50, 3), "float32", False)],
        "its arguments, got %s" % told,
    )
    found, want = t.host(t.call(program, x, y)), t.host(x) @ t.host(y) + 1
    t.expect((found == want).all() and (t.host(compiled(x, y)) == want).all(), "got %s" % found)
    if not t.compiled:
        t.raises(
            jax.errors.JaxRuntimeError, lowered.compile, compiler_options={"no_such_option": 1}
        )
        again = lowered.compile(compiler_options={"exec_time_optimization_effort": 0.0})
        t.expect(t.np.array_equal(t.host(again(x, y)), found), "the same by other options")
