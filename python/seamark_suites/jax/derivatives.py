"""jax.grad and jax.value_and_grad: one body for both, which differ by the value alone."""

from seamark_suites.case import case

from . import reference_derivatives as right

# Several roundings, and sums that may cancel.
NEAR = {"f32": 1e-5, "bf16": 4e-2, "f16": 4e-3, "f64": 1e-13, "c64": 1e-5}
TWICE = {"f32": 1e-5, "bf16": 2e-2}  # two roundings


def of_both(value, slopes, **header):
    """Under both names. `value` and `slopes`: (np, *inputs, **params)."""

    def together(np, *given, **params):
        return value(np, *given, **params), slopes(np, *given, **params)

    def declare(body):
        body = case("jax.grad", reference=slopes, **header)(body)
        return case("jax.value_and_grad", reference=together, **header)(body)

    return declare


def derived(function, of, *given, **options):
    """The derivative, by the function under test, of a function of arrays."""
    import jax

    return getattr(jax, function.split(".")[1])(of, **options)(*given)


def called(t, function, of, *given, **options):
    def derivative(*arrays):
        return derived(function, of, *arrays, **options)

    return t.call(derivative, *given)


def energy(x, y):
    import jax

    return (jax.numpy.sin(x) * y + x**3).sum()


@of_both(
    right.energy,
    lambda np, *given: right.energy_slopes(np, *given)[0],
    dtypes="f32 bf16 f16 f64",
    shapes="20 3x4",
    core="f32 bf16",
    rtol=NEAR,
    atol=NEAR,
)
def by_the_first_argument(t, dtype, shape, function):
    return called(
        t, function, energy, t.uniform(shape, dtype, 0.2, 1.5), t.uniform(shape, dtype, 0.2, 1.5)
    )


@of_both(
    right.energy,
    right.energy_slopes,
    dtypes="f32 bf16 f64",
    core="f32",
    rtol=NEAR,
    atol=NEAR,
)
def by_several_arguments(t, dtype, function):
    inputs = [t.uniform((3, 4), dtype, 0.2, 1.5) for _ in range(2)]
    return called(t, function, energy, *inputs, argnums=(0, 1))


def network(params, x, labels):
    import jax
    import jax.numpy as jnp

    hidden = jnp.tanh(x @ params["first"]["w"] + params["first"]["b"])
    logits = hidden @ params["last"][0]
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], 1).mean()


def weights(t, dtype):
    return {
        "first": {"w": t.randn((5, 6), dtype) * 0.5, "b": t.randn((6,), dtype) * 0.5},
        "last": (t.randn((6, 3), dtype) * 0.5,),
    }


@of_both(
    right.network,
    right.network_slopes,
    dtypes="f32 f64",
    core="f32",
    rtol={"f32": 1e-4, "f64": 1e-12},
    atol={"f32": 1e-6, "f64": 1e-13},  # means over a batch: some are small
)
def by_a_tree_of_parameters(t, dtype, function):
    """A network with two layers and a cross entropy."""
    params = weights(t, dtype)
    return called(
        t, function, network, params, t.randn((7, 5), dtype), t.randint((7,), "i32", 0, 3)
    )


def with_extras(x):
    return (x**3).sum(), {"double": 2 * x, "text": "kept"}


@case("jax.grad", dtypes="f32 bf16", core="f32", rtol=NEAR, atol=NEAR,
      reference=lambda np, x: (3 * x * x, {"double": 2 * x, "text": "kept"}))  # fmt: skip
@case("jax.value_and_grad", dtypes="f32 bf16", core="f32", rtol=NEAR, atol=NEAR,
      reference=lambda np, x: (
          ((x**3).sum(), {"double": 2 * x, "text": "kept"}), 3 * x * x
      ))  # fmt: skip
def has_aux(t, dtype, function):
    """What else a function returns comes beside the derivative, or beside the value."""
    return called(t, function, with_extras, t.uniform((6,), dtype, 1, 2), has_aux=True)


@of_both(
    right.quartic_slope_sum,
    lambda np, x: 12 * x * x,
    dtypes="f32 bf16 f64",
    core="f32 bf16",
    rtol=NEAR,
    atol=NEAR,
)
def of_a_derivative(t, dtype, function):
    """Second order: of a sum of first derivatives."""

    def slope_sum(x):
        import jax

        return jax.grad(lambda v: (v**4).sum())(x).sum()

    return called(t, function, slope_sum, t.uniform((5,), dtype, 0.5, 1.5))


def penalty(w, x):
    """How far from 1 the slope by the input is, as critics are trained."""
    import jax
    import jax.numpy as jnp

    def score(v):
        return jnp.tanh(v @ w).sum()

    slopes = jax.vmap(jax.grad(score))(x)
    return ((jnp.sqrt((slopes**2).sum(-1)) - 1) ** 2).mean()


@of_both(
    right.penalty,
    right.penalty_slope,
    dtypes="f32 f64",
    core="f32",
    rtol={"f32": 1e-4, "f64": 1e-9},  # central differences stand beside it
    atol={"f32": 1e-5, "f64": 1e-9},
)
def of_a_gradient_penalty(t, dtype, function):
    return called(
        t, function, penalty, t.uniform((4, 3), dtype, 0.2, 0.6), t.uniform((5, 4), dtype, 0.2, 1)
    )


def held_back(x, y):
    import jax

    return (x * jax.lax.stop_gradient(x * y)).sum()


@of_both(
    lambda np, x, y: (x * x * y).sum(),
    lambda np, x, y: (x * y, 0 * y),
    dtypes="f32",
    core=False,
    rtol=NEAR,
    atol=NEAR,
)
def with_a_stopped_gradient(t, dtype, function):
    inputs = [t.uniform((6,), dtype, 1, 2) for _ in range(2)]
    return called(t, function, held_back, *inputs, argnums=(0, 1))


def with_loops(x):
    import jax

    def step(carry, value):
        carry = jax.lax.cond(value > 0, lambda c: c * 1.5 + value, lambda c: c * 0.5 - value, carry)
        return carry, carry

    last, every = jax.lax.scan(jax.checkpoint(step), jax.numpy.ones((), x.dtype), x)
    return last + every.sum()


@of_both(
    lambda np, x: right.loops(np, x)[0],
    lambda np, x: right.loops(np, x)[1],
    dtypes="f32 f64",
    core="f32",
    rtol=NEAR,
    atol={"f32": 1e-5},
)
def through_loops_and_branches(t, dtype, function):
    """A scan whose steps branch and are computed again on the way back."""
    return called(t, function, with_loops, t.const([0.5, -1.0, 2.0, -0.25, 1.0], dtype))


def clipped(x):
    import jax

    @jax.custom_vjp
    def halved(v):
        return v * v

    halved.defvjp(lambda v: (v * v, v), lambda v, cotangent: (cotangent * v * 0.5,))
    return halved(x).sum()


@of_both(lambda np, x: (x * x).sum(), lambda np, x: x * 0.5, dtypes="f32", core=False, rtol=NEAR)
def by_a_rule_of_ones_own(t, dtype, function):
    return called(t, function, clipped, t.randn((6,), dtype))


def jitted_and_mapped(function, x, y):
    import jax

    def one(a, b):
        return derived(function, lambda v: (v * v * b).sum(), a)

    return jax.jit(jax.vmap(one))(x, y)


@of_both(
    lambda np, x, y: (x * x).sum(1) * y,
    lambda np, x, y: 2 * x * y[:, None],
    dtypes="f32 bf16",
    core="f32",
    rtol=TWICE,
    atol=TWICE,
)
def under_jit_and_vmap(t, dtype, function):
    def run(x, y):
        return jitted_and_mapped(function, x, y)

    return t.call(run, t.randn((5, 3), dtype), t.uniform((5,), dtype, 1, 2))


@of_both(
    lambda np, x: (x**3).sum(), lambda np, x: 3 * x * x, dtypes="c64 c128", core=False,
    rtol={"c64": 1e-5, "c128": 1e-13}, atol={"c64": 1e-5, "c128": 1e-13},
)  # fmt: skip
def of_a_holomorphic_function(t, dtype, function):
    return called(t, function, lambda z: (z**3).sum(), t.randn((5,), dtype), holomorphic=True)


@of_both(
    lambda np, z: (z.real**2 * z.imag).sum(),
    lambda np, z: 2 * z.real * z.imag - 1j * z.real**2,
    dtypes="c64", core=False, rtol=NEAR, atol=NEAR,
)  # fmt: skip
def of_a_complex_input(t, dtype, function):
    """A real function of a complex number: dL/dRe - i dL/dIm."""

    def real_of(z):
        return (z.real**2 * z.imag).sum()

    return called(t, function, real_of, t.randn((5,), dtype))


def bends(x):
    import jax
    import jax.numpy as jnp

    safe = jnp.where(x > 0, x, 1.0)
    return jax.nn.relu(x).sum() + jnp.where(x > 0, jnp.sqrt(safe), 0.0).sum()


@of_both(
    lambda np, x: (np.maximum(x, 0) + np.sqrt(np.maximum(x, 0))).sum(),
    lambda np, x: np.where(x > 0, 1 + 0.5 / np.sqrt(np.where(x > 0, x, 1)), 0),
    dtypes="f32 bf16",
    core=False,
    rtol=NEAR,
    atol=NEAR,
)
def where_a_function_bends(t, dtype, function):
    """relu has 0 at 0; a root behind a choice gives no NaN."""
    return called(t, function, bends, t.const([-2.0, -0.5, 0.0, 0.25, 4.0], dtype))


@of_both(
    lambda np, x, n: (x * n).sum(), lambda np, x, n: n, dtypes="f32", core=False, rtol=NEAR,
    atol=NEAR,
)  # fmt: skip
def beside_integers(t, dtype, function):
    found = called(
        t, function, lambda x, n: (x * n).sum(), t.randn((4,), dtype), t.randn((4,), "i32")
    )
    return found


@of_both(lambda np, x: 0.0, lambda np, x: x, dtypes="f32", shapes="0 3x0", trivial=True, core=False)
def of_nothing(t, dtype, shape, function):
    return called(t, function, lambda x: (x * x).sum(), t.randn(shape, dtype))


@of_both(
    lambda np, x, y: x * x * y, lambda np, x, y: x * x, core=False, rtol=NEAR, atol=NEAR
)  # fmt: skip
def of_numbers(t, function):
    x, y = t.uniform((), "f32", 1, 2), t.uniform((), "f32", 1, 2)
    return called(t, function, lambda x, y: x * x * y, x, y, argnums=1)


@of_both(
    lambda np, x: np.sin(x).mean(), lambda np, x: np.cos(x) / x.size, dtypes="f32",
    shapes="1500x2001", large=True, rtol={"f32": 1e-5},
    atol={"f32": 1e-11},  # slopes of size 1e-7, and of the mean 1e-3
)  # fmt: skip
def large_derivative(t, dtype, shape, function):
    return called(t, function, mean_of_sines, t.uniform(shape, dtype, 0.1, 1))


def mean_of_sines(x):
    import jax

    return jax.numpy.sin(x).mean()


@of_both(
    lambda np, *given: [right.energy(np, *given[i : i + 2]) for i in (0, 2, 4)],
    lambda np, *given: [right.energy_slopes(np, *given[i : i + 2])[0] for i in (0, 2, 4)],
    dtypes="f32", core=False, rtol=NEAR, atol=NEAR,
)  # fmt: skip
def sizes_one_after_another(t, dtype, function):
    found = []
    for n in (2, 9, 33):
        inputs = [t.uniform((n, 2), dtype, 0.2, 1.5) for _ in range(2)]
        found.append(called(t, function, energy, *inputs))
    return found if function == "jax.grad" else tuple(map(list, zip(*found)))


@case("jax.grad", core=False, reference="none")
@case("jax.value_and_grad", core=False, reference="none")
def what_has_no_derivative(t, function):
    x, n = t.randn((3,), "f32"), t.randn((3,), "i32")

    def refused(of, *given, **options):
        t.raises((TypeError, ValueError), called, t, function, of, *given, **options)

    refused(lambda v: v, x)
    refused(lambda v: v.sum() * 1.0, n)
    refused(lambda v: v.sum().astype("int32"), x)
    refused(lambda v: v.sum(), x, argnums=1)
    refused(lambda v: (v.sum(), v.sum()), x)
    refused(lambda v: v.sum() * 1j, x)
    refused(lambda v: v.sum(), x, has_aux=True)
    refused(lambda v: v.sum(), x, holomorphic=True)
    refused(3, x)


@case("jax.grad", core=False, reference="none")
@case("jax.value_and_grad", core=False, reference="none")
def derivatives_by_integers(t, function):
    """Asked for, they are of the dtype float0."""
    x, n = t.uniform((3,), "f32", 1, 2), t.randn((3,), "i32")

    def run(x, n):
        return derived(function, lambda v, k: (v * k).sum(), x, n, argnums=(0, 1), allow_int=True)

    found = run(x, n)
    slopes = found if function == "jax.grad" else found[1]
    t.expect(slopes[1].dtype == t.fw.dtypes.float0, "float0, got %s" % slopes[1].dtype)
    by_x = t.call(lambda *given: derived(function, lambda v, k: (v * k).sum(), *given), x, n)
    if function == "jax.value_and_grad":
        want = (t.host(x) * t.host(n)).sum()
        t.expect(bool(t.np.allclose(t.host(by_x[0]), want, atol=1e-5)), "a sum of %s" % want)
        by_x = by_x[1]
    t.expect(t.np.array_equal(t.host(by_x), t.host(n)), "n for x, got %s" % by_x)


def weighted(x, y, z, flag=False, *, scale=1.0):
    return (x**3 * (2.0 if flag else 1.0) * scale + y * y * z).sum()


@of_both(
    lambda np, x, y, z: [(2 * s * x**3 + y * y * z).sum() for s in (3.0, 3.0, 1.0)],
    lambda np, x, y, z: [y * y, [y * y, 6 * 3 * x * x], 6 * x * x],
    dtypes="f32",
    core=False,
    rtol=NEAR,
    atol=NEAR,
)
def counted_from_the_end_and_by_keyword(t, dtype, function):
    """argnums below zero and in another order; arguments by their names; of a program of `jit`, inside another."""
    jax, inputs = t.fw, [t.uniform((5,), dtype, 0.5, 1.5) for _ in range(3)]

    def run(x, y, z):
        f = jax.jit(weighted, static_argnames="flag")
        by = getattr(jax, function.split(".")[1])
        made = [by(f, argnums=n)(x, y, z, flag=True, scale=3.0) for n in (-1, (2, 0))]
        return [*made, jax.jit(lambda *given: by(f)(*given, flag=True))(x, y, z)]

    found = t.call(run, *inputs)
    if function == "jax.grad":
        return [found[0], list(found[1]), found[2]]
    return [value for value, _ in found], [found[0][1], list(found[1][1]), found[2][1]]


@of_both(
    lambda np, x: 60 * x * x,
    lambda np, x: 120 * x,
    dtypes="f32 f64",
    core=False,
    rtol=NEAR,
)
def of_the_fourth_order(t, dtype, function):
    def third(v):
        import jax

        return jax.grad(jax.grad(jax.grad(lambda z: z**5)))(v)

    def run(x):
        import jax

        return jax.vmap(lambda v: derived(function, third, v))(x)

    return t.call(run, t.uniform((5,), dtype, 0.5, 1.5))


@case("jax.grad", core=False, reference="none")
@case("jax.value_and_grad", core=False, reference="none")
def of_numbers_of_python(t, function):
    """Numbers of Python have a slope of a weak type, NumPy's one with a dtype; truths, text and missing arguments none."""
    jax, np = t.fw, t.np

    def slope(of, *given, **options):
        found = t.call(derived, function, of, *given, **options)
        if function == "jax.value_and_grad":
            t.expect(float(found[0]) == float(of(*given)), "the value, got %s" % found[0])
            return found[1]
        return found

    weak, plain = slope(lambda v: v * v * 3, 2.5), slope(lambda v: v * v * 3, np.float32(2.5))
    t.expect(
        float(weak) == float(plain) == 15 and weak.weak_type and not plain.weak_type,
        "15, got %s, %s" % (weak, plain),
    )
    t.expect(
        str(slope(lambda v: v * 2, jax.numpy.bfloat16(1)).dtype) == "bfloat16",
        "the dtype of what it is by",
    )
    for given, options in (
        ((True,), {}),
        (("text",), {}),
        ((), {}),
        ((1.0,), {"argnums": 1.5}),
        ((1.0,), {"argnums": (0, 1)}),
    ):
        t.raises((TypeError, ValueError), slope, lambda v: v * 1.0, *given, **options)
    t.raises((TypeError, ValueError), slope, lambda v: (v,), 1.0)
    t.raises((TypeError, ValueError), slope, lambda v: None, 1.0)  # fmt: skip


@case("jax.grad", core=False, reference="none")
@case("jax.value_and_grad", core=False, reference="none")
def what_is_kept_of_a_trace(t, function):
    """jax.checking_leaks() finds what stays of a program within and of one around; without it the use of that is an error."""
    jax, by, kept = t.fw, t.get(function), []

    def keeps(v):
        kept.append(v * v)
        return v * v

    right = (9.0, 6.0) if function == "jax.value_and_grad" else 6.0
    with jax.checking_leaks():
        for program in (by(jax.jit(keeps)), jax.jit(by(keeps))):
            error = t.raises(Exception, program, 3.0)
            t.expect("Leaked" in str(error), "what leaked, got %r" % error)
            kept.clear()
        t.expect(by(jax.jit(lambda v: v * v))(3.0) == right, "what keeps nothing")
    found = t.call(by(keeps), t.const(3.0, "f32"))
    t.expect(found == right, "%s, got %s" % (right, found))
    t.raises(jax.errors.UnexpectedTracerError, lambda: kept[-1] + 1)
