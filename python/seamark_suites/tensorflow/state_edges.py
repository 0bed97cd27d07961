"""Variables, optimizers and averages: sparse gradients, options, checkpoints, v1 sessions."""

import os

from seamark_agent.harness import Skip

from seamark_suites.case import case

from . import reference as right


@case("tf.Variable", reference="none", core=False)
def variable_trainable(t):
    """A tape watches only what is trainable."""
    held, kept = t.fw.Variable(2.0), t.fw.Variable(3.0, trainable=False)

    def watched(x):
        with t.fw.GradientTape() as tape:
            loss = held * kept * x
        return loss, t.fw.constant([one is not None for one in tape.gradient(loss, [held, kept])])

    _, got = t.call(watched, t.const(1.0, "f32"))
    t.expect(t.host(got).tolist() == [True, False], "one gradient, got %s" % t.host(got))


@case("tf.Variable", dtypes="f32 i64", reference=lambda np, x, delta: x + 2 * delta)
def variable_in_session(t, dtype):
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    values, delta = t.randn((3, 4), dtype), t.randn((3, 4), dtype)
    with t.fw.Graph().as_default(), t.fw.device(t.device):
        held = t.get("tf.Variable")(t.host(values).astype(t.dtype(dtype).as_numpy_dtype))
        fed = t.fw.compat.v1.placeholder(t.dtype(dtype), [3, 4])
        grow = held.assign_add(fed)
        with t.fw.compat.v1.Session() as session:
            session.run(held.initializer)
            for _ in range(2):
                session.run(grow.op, {fed: t.host(delta)})
            return t.call(session.run, held.read_value())


@case("tf.Variable", dtypes="f32", core=False, reference=lambda np, before, value: 2 * value)
def variable_open_shape(t, dtype):
    held = t.fw.Variable(t.randn((2,), dtype), shape=t.fw.TensorShape(None))

    def replace(value):
        held.assign(value)
        return held.read_value() * 2.0

    return t.call(replace, t.randn((3, 4), dtype))


@case("tf.Variable", host_only=True, reference="none", core=False)
def variable_checkpoint(t):
    held = t.fw.Variable([1.0, 2.0])
    saved = t.fw.train.Checkpoint(held=held)
    path = t.call(saved.write, os.path.join(t.tmpdir(), "model"))
    held.assign([5.0, 6.0])
    saved.read(path).assert_consumed()
    t.expect(t.host(held).tolist() == [1.0, 2.0], "the values saved, got %s" % t.host(held))


def _optimizer(t, held, **options):
    made = t.construct("tf.keras.optimizers.Adadelta", learning_rate=1.0, **options)
    made.build([held])
    return made


def _steps(t, optimizer, held, count=3):
    def step(gradient):
        for _ in range(count):
            optimizer.apply_gradients([(gradient, held)])
        return held.read_value()

    return step


@case(
    "tf.keras.optimizers.Adadelta",
    dtypes="f32",
    core=False,
    rtol={"f32": 1e-5},
    reference=right.adadelta_rows,
)
def adadelta_sparse(t, dtype):
    """Two rows of five have a gradient."""
    held = t.fw.Variable(t.randn((5, 3), dtype))
    optimizer = _optimizer(t, held)

    def step(rows):
        gradient = t.fw.IndexedSlices(rows, t.fw.constant([3, 0]), t.fw.constant([5, 3]))
        optimizer.apply_gradients([(gradient, held)])
        return held.read_value()

    return t.call(step, t.randn((2, 3), dtype))


@case(
    "tf.keras.optimizers.Adadelta",
    dtypes="f32",
    core=False,
    rtol={"f32": 1e-5},
    reference=right.adadelta_clipped,
)
def adadelta_clipnorm(t, dtype):
    held = t.fw.Variable(t.randn((8,), dtype))
    gradient = t.uniform((8,), dtype, 5, 9)
    return t.call(_steps(t, _optimizer(t, held, clipnorm=0.5), held), gradient)


@case(
    "tf.keras.optimizers.Adadelta",
    dtypes="f32",
    core=False,
    rtol={"f32": 1e-5},
    reference=right.adadelta_decayed,
)
def adadelta_weight_decay(t, dtype):
    held = t.fw.Variable(t.randn((8,), dtype))
    optimizer = _optimizer(t, held, weight_decay=0.1)
    return t.call(_steps(t, optimizer, held), t.randn((8,), dtype))


@case("tf.keras.optimizers.Adadelta", reference="none", core=False)
def adadelta_checkpoint(t):
    """An optimizer that was read back goes on as the one that was written."""
    start, gradient = t.randn((8,), "f32"), t.randn((8,), "f32")
    held, other = t.fw.Variable(start), t.fw.Variable(start * 0.0)
    first, second = _optimizer(t, held), _optimizer(t, other)
    t.call(_steps(t, first, held, 2), gradient)
    path = t.fw.train.Checkpoint(optimizer=first, held=held).write(os.path.join(t.tmpdir(), "m"))
    t.fw.train.Checkpoint(optimizer=second, held=other).read(path)
    want = t.host(t.call(_steps(t, first, held, 1), gradient))
    got = t.host(t.call(_steps(t, second, other, 1), gradient))
    t.expect(abs(got - want).max() < 1e-6, "the same step, off by %g" % abs(got - want).max())


@case("tf.keras.optimizers.Adadelta", reference="none", core=False)
def adadelta_unknown_variable(t):
    held, stranger = t.fw.Variable([1.0]), t.fw.Variable([2.0])
    optimizer = _optimizer(t, held)
    gradient = t.const([1.0], "f32")
    t.raises((ValueError, KeyError), optimizer.apply_gradients, [(gradient, stranger)])


@case(
    "tf.train.ExponentialMovingAverage", dtypes="f32 f64", core="f32", reference=right.moved_average
)
def exponential_moving_average_in_session(t, dtype):
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    v1, start, value = t.fw.compat.v1, t.randn((5,), dtype), t.randn((5,), dtype)
    with t.fw.Graph().as_default(), t.fw.device(t.device):
        first = t.fw.constant(t.host(start), t.dtype(dtype))
        held = v1.get_variable("held", initializer=first, use_resource=True)
        average = t.get("tf.train.ExponentialMovingAverage")(decay=0.75)
        update = average.apply([held])
        fed = v1.placeholder(t.dtype(dtype), [5])
        change = v1.assign(held, fed)
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            session.run(change, {fed: t.host(value)})
            t.call(session.run, update)
            return session.run(average.average(held))


@case("tf.train.ExponentialMovingAverage", reference="none", core=False)
def exponential_moving_average_debiased(t):
    """The average of a tensor starts at zero; zero_debias takes that out."""
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    v1 = t.fw.compat.v1
    with t.fw.Graph().as_default(), t.fw.device(t.device):
        fed = v1.placeholder(t.fw.float32, [])
        average = t.get("tf.train.ExponentialMovingAverage")(decay=0.9, zero_debias=True)
        update = average.apply([fed])
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            t.call(session.run, update, {fed: 5.0})
            got = float(session.run(average.average(fed), {fed: 5.0}))
    t.expect(abs(got - 5.0) < 1e-5, "5, got %g" % got)


@case("tf.train.ExponentialMovingAverage", host_only=True, reference="none", core=False)
def exponential_moving_average_restore(t):
    v1 = t.fw.compat.v1
    with t.fw.Graph().as_default():
        held = v1.get_variable("held", [2], use_resource=True)
        average = t.call("tf.train.ExponentialMovingAverage", 0.9)
        average.apply([held])
        names = sorted(average.variables_to_restore())
    t.expect(names == ["held/ExponentialMovingAverage"], "the shadow's name, got %s" % names)
