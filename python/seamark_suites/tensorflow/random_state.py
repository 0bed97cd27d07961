"""Draws, variables, optimizers and averages: what a call leaves behind."""

from seamark_agent.harness import Skip

from seamark_suites.case import case

from . import reference as right


@case("tf.random.gamma", dtypes="f32 f16 f64", alpha=[0.5, 3.0], core="f32", random=True)
def gamma(t, dtype, alpha):
    """Mean alpha / beta, variance alpha / beta^2."""
    result = t.call("tf.random.gamma", [4000], alpha, beta=2.0, dtype=t.dtype(dtype))
    t.expect(result.dtype == t.dtype(dtype), "the dtype asked for")
    t.statistics(result, mean=alpha / 2, std=alpha**0.5 / 2, low=0.0)
    return result


@case("tf.random.gamma", dtypes="f32", random=True)
def gamma_batch(t, dtype):
    result = t.call(
        "tf.random.gamma",
        [3000],
        t.const([[1.0], [4.0]], dtype),
        beta=t.const([1.0, 2.0, 4.0], dtype),
        dtype=t.dtype(dtype),
    )
    t.expect(
        tuple(result.shape) == (3000, 2, 3), "alpha and beta broadcast, got %s" % (result.shape,)
    )
    t.statistics(result[:, 1, 2], mean=1.0, std=0.5, low=0.0)
    t.statistics(result[:, 0, 0], mean=1.0, std=1.0, low=0.0)
    return result


@case("tf.random.gamma", dtypes="f32", reference="none", core=False)
def gamma_seeded(t, dtype):
    draws = []
    for _ in range(2):
        t.fw.random.set_seed(5)
        draws.append(t.host(t.call("tf.random.gamma", [32], 2.0, dtype=t.dtype(dtype), seed=9)))
    t.expect(
        (draws[0] == draws[1]).all() and draws[0].std() > 0, "the same draws from the same seeds"
    )


@case("tf.random.gamma", dtypes="f32", random=True, core=False)
def gamma_gradient(t, dtype):
    """A draw grows with alpha (implicit reparametrization) and shrinks with beta."""
    alpha, beta = t.const(2.0, dtype, grad=False), t.const(3.0, dtype, grad=False)

    def slopes(alpha, beta):
        with t.fw.GradientTape() as tape:
            tape.watch([alpha, beta])
            drawn = t.fw.random.gamma([500], alpha, beta, dtype=alpha.dtype)
        return (drawn,) + tuple(tape.gradient(drawn, [alpha, beta]))

    drawn, by_alpha, by_beta = t.call(slopes, alpha, beta)
    t.statistics(drawn, mean=2 / 3, low=0.0)
    t.expect(t.host(by_alpha) > 0 and t.host(by_beta) < 0, "a positive and a negative slope")
    return drawn, by_alpha, by_beta


@case(
    "tf.random.gamma",
    dtypes="f32",
    trivial=True,
    core=False,
    reference=lambda np: np.zeros(0),
)
def gamma_empty(t, dtype):
    return t.call("tf.random.gamma", [0], 2.0, dtype=t.dtype(dtype))


@case(
    "tf.Variable",
    dtypes="f32 f16 bf16 f64 i32 i64 bool c64",
    core="f32 bf16 i64",
    reference=right.drawn,
)
def variable(t, dtype):
    if t.compiled:
        raise Skip("a tf.function may not create a variable on every call")
    made = t.call("tf.Variable", t.randn((4, 8), dtype), name="kept")
    t.expect(made.dtype == t.dtype(dtype), "a variable of that dtype")
    return t.fw.identity(made)


@case(
    "tf.Variable",
    dtypes="f32 i64 bf16",
    core="f32 i64",
    reference=lambda np, x, delta: (x + delta, x - 2 * delta, x - 2 * delta),
)
def variable_assign(t, dtype):
    """Updates are seen by the next read and stay after the call. Whole numbers, which bf16 adds exactly."""
    held = t.fw.Variable(t.randint((3, 4), dtype, -9, 10))

    def update(delta):
        before = held + delta
        held.assign_add(delta)
        held.assign_sub(delta * 3)
        return before, held.read_value()

    before, after = t.call(update, t.randint((3, 4), dtype, -9, 10))
    return before, after, t.fw.identity(held)


@case("tf.Variable", dtypes="f32", reference=lambda np, held, x: 2 * held * x)
def variable_gradient(t, dtype):
    held = t.fw.Variable(t.randn((5,), dtype))

    def slope(x):
        with t.fw.GradientTape() as tape:
            loss = t.fw.reduce_sum(held * held * x)
        return tape.gradient(loss, held)

    return t.call(slope, t.randn((5,), dtype))


@case("tf.Variable", dtypes="f32", core=False, reference=right.rows_replaced)
def variable_scatter(t, dtype):
    held = t.fw.Variable(t.randn((4, 3), dtype))

    def scatter(values):
        held.scatter_nd_update([[2], [0]], values)
        return held.read_value()

    return t.call(scatter, t.randn((2, 3), dtype))


@case("tf.Variable", reference="none", core=False)
def variable_shape_is_fixed(t):
    held = t.fw.Variable([1.0, 2.0])
    t.raises((ValueError,), t.call, held.assign, [1.0, 2.0, 3.0])


@case(
    "tf.keras.optimizers.Adadelta",
    dtypes="f32 f64",
    steps=[1, 4],
    rtol={"f32": 1e-5},
    core="f32",
    reference=right.adadelta_of_squares,
)
def adadelta(t, dtype, steps):
    """The parameters after some steps of a quadratic loss."""
    held = t.fw.Variable(t.randn((6,), dtype))
    optimizer = t.construct("tf.keras.optimizers.Adadelta", learning_rate=0.5, rho=0.9)
    optimizer.build([held])
    scale = t.uniform((6,), dtype, 0.5, 2)

    def step(scale):
        for _ in range(steps):
            with t.fw.GradientTape() as tape:
                loss = t.fw.reduce_sum(scale * held * held)
            optimizer.apply_gradients(zip(tape.gradient(loss, [held]), [held]))
        return held.read_value()

    return t.call(step, scale)


@case("tf.keras.optimizers.Adadelta", dtypes="f32", reference=right.adadelta, rtol={"f32": 1e-5})
def adadelta_formula(t, dtype):
    x = t.randn((8,), dtype)
    held = t.fw.Variable(x)
    gradient = t.randn((8,), dtype)
    optimizer = t.construct("tf.keras.optimizers.Adadelta", learning_rate=1.0)
    optimizer.build([held])

    def step(gradient):
        for _ in range(3):
            optimizer.apply_gradients([(gradient, held)])
        return held.read_value()

    return t.call(step, gradient)


@case("tf.keras.optimizers.Adadelta", reference="none", host_only=True, core=False)
def adadelta_config(t):
    made = t.call("tf.keras.optimizers.Adadelta", learning_rate=0.25, rho=0.8)
    again = type(made).from_config(made.get_config())
    t.expect(abs(again.get_config()["rho"] - 0.8) < 1e-9, "the configuration survives")


@case(
    "tf.train.ExponentialMovingAverage", dtypes="f32 f64", core="f32", reference=right.moved_average
)
def exponential_moving_average(t, dtype):
    held = t.fw.Variable(t.randn((5,), dtype))
    average = t.get("tf.train.ExponentialMovingAverage")(decay=0.75)
    average.apply([held])  # makes the shadow variable

    def step(value):
        held.assign(value)
        average.apply([held])
        return average.average(held).read_value()

    return t.call(step, t.randn((5,), dtype))


@case("tf.train.ExponentialMovingAverage", reference="none")
def exponential_moving_average_by_step(t):
    """With num_updates the decay is min(decay, (1 + n) / (10 + n))."""
    held = t.fw.Variable(1.0)
    average = t.get("tf.train.ExponentialMovingAverage")(decay=0.99, num_updates=0)
    average.apply([held])
    held.assign(11.0)

    def step():
        average.apply([held])
        return average.average(held).read_value()

    got = float(t.host(t.call(step)))
    t.expect(abs(got - 10.0) < 1e-4, "0.1 * 1 + 0.9 * 11 = 10, got %g" % got)


@case("tf.train.ExponentialMovingAverage", reference="none", host_only=True, core=False)
def exponential_moving_average_name(t):
    made = t.call("tf.train.ExponentialMovingAverage", 0.9, name="mine")
    t.expect(made.name == "mine", "its name")
    t.raises((TypeError, ValueError), made.apply, [t.fw.constant(1.0)])
