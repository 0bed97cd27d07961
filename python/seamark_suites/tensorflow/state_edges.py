"""Variables, optimizers, averages and initializers: sparse gradients, options, checkpoints, v1 sessions."""

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
    t.raises((ValueError, KeyError), t.call, optimizer.apply_gradients, [(gradient, stranger)])


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


# --- variables and Adam of TensorFlow 1, constant initializers: what a reading found missing


GET, ADAM, CONSTANT = "tf.compat.v1.get_variable", "tf.compat.v1.train.AdamOptimizer", "tf.constant_initializer"  # fmt: skip


def _values(t, variables):
    """After their initializers ran."""
    with t.fw.compat.v1.Session() as session:
        session.run(t.fw.compat.v1.global_variables_initializer())
        return [one.tolist() for one in session.run(list(variables))]


@case(GET, host_only=True, core=False, reference="none")
def get_variable_first_values(t):
    """By default zeros of integers, truths and texts; of functions, arrays, numbers and an initializer's object."""
    v1, tf = t.fw.compat.v1, t.fw
    with tf.Graph().as_default():
        made = [
            t.call(GET, "whole", [2], tf.int32),
            t.call(GET, "truth", [1], tf.bool),
            t.call(GET, "text", [1], tf.string),
            t.call(GET, "by_shape", [2], initializer=lambda shape, dtype, partition_info: tf.fill(shape, 7.0)),
            t.call(GET, "alone", initializer=lambda: tf.constant([1.0, 2.0])),
            t.call(GET, "array", initializer=t.np.array([1, -2], t.np.int16)),
            t.call(GET, "number", initializer=3),
            t.call(GET, "object", [2], tf.float64, v1.constant_initializer(0.5)),
            t.call(GET, "kind", [2], initializer=v1.ones_initializer),
        ]  # fmt: skip
        got = _values(t, made)
        want = [[0, 0], [False], [b""], [7, 7], [1, 2], [1, -2], 3, [0.5, 0.5], [1, 1]]
        t.expect(got == want, "%s, got %s" % (want, got))
        kinds = [one.dtype.base_dtype.name for one in made]
        want = [
            "int32",
            "bool",
            "string",
            "float32",
            "float32",
            "int16",
            "int32",
            "float64",
            "float32",
        ]
        t.expect(kinds == want, "the dtypes %s, got %s" % (want, kinds))
        t.raises(ValueError, t.call, GET, "complex", [2], tf.complex64)
        t.raises(ValueError, t.call, GET, "both", [3], initializer=tf.constant([1.0, 2.0]))
        t.raises((ValueError, TypeError), t.call, GET, "open", [None, 2])
        fed = v1.placeholder(tf.float32, [None, 2])
        free = t.call(GET, "free", initializer=fed, validate_shape=False)
        t.expect(free.shape.as_list() == [None, 2], "any number of rows, got %s" % free.shape)


@case(GET, host_only=True, core=False, reference="none")
def get_variable_from_scopes(t):
    """A scope's initializer, regularizer, dtype and getter hold for what is in it; AUTO_REUSE makes one, then shares it."""
    v1, tf = t.fw.compat.v1, t.fw

    def doubled(getter, name, *args, **kwargs):
        return getter(name, *args, **kwargs) * 2

    with tf.Graph().as_default():
        start = v1.constant_initializer(3.0)
        with v1.variable_scope("s", initializer=start, regularizer=tf.reduce_sum, dtype=tf.float64):
            one = t.call(GET, "a", [2])
            with v1.variable_scope("in"):
                two = t.call(GET, "b", [1], initializer=v1.ones_initializer(), regularizer=None)
        losses = v1.losses.get_regularization_losses()
        t.expect(one.dtype.base_dtype == tf.float64 and two.name == "s/in/b:0", "got %s" % two.name)
        got = _values(t, [one, two, *losses])
        t.expect(got == [[3, 3], [1], 6, 1], "3, 1 and their sums, got %s" % got)
        with v1.variable_scope("g", custom_getter=doubled):
            twice = t.call(GET, "c", initializer=[1.0, 5.0])
        t.expect(_values(t, [twice]) == [[2, 10]], "what the getter makes of it")
        with v1.variable_scope("r", reuse=v1.AUTO_REUSE):
            shared = t.call(GET, "d", [2])
            t.expect(t.call(GET, "d", [2]) is shared, "the same one")
            t.raises(ValueError, t.call, GET, "d", [2], tf.int32)
        t.expect(t.call(GET, "x/y", [1]).name == "x/y:0", "a name with a scope in it")
        t.raises(ValueError, t.call, GET, "a b", [2])
        t.raises(ValueError, t.call, GET, "f", [2], constraint=3)


@case(GET, host_only=True, core=False, reference="none")
def get_variable_in_parts(t):
    """A partitioner cuts it by rows: each part is told where it begins; together they are one tensor."""
    v1, tf = t.fw.compat.v1, t.fw

    def rows(shape, dtype, partition_info):
        return tf.fill(shape, tf.cast(partition_info.var_offset[0], dtype))

    with tf.Graph().as_default():
        cut = v1.fixed_size_partitioner(2)
        held = t.call(GET, "w", [5, 2], initializer=rows, partitioner=cut)
        t.expect([one.shape.as_list() for one in held] == [[3, 2], [2, 2]], "three rows, then two")
        got = _values(t, [tf.convert_to_tensor(held)])
        t.expect(got == [[[0, 0]] * 3 + [[3, 3]] * 2], "from 0 and from 3, got %s" % got)
        t.expect(len(v1.trainable_variables()) == 2, "each is trained")


@case(GET, host_only=True, core=False, reference="none")
def get_variable_kinds(t):
    """Resources and references, read later or on reading alone; not yet initialized it is not read; eagerly each is new."""
    v1, tf = t.fw.compat.v1, t.fw
    with tf.Graph().as_default():
        old = t.call(GET, "old", [2], use_resource=False)
        new = t.call(GET, "new", [2], use_resource=True)
        sync = t.call(GET, "sync", [2], synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.MEAN)  # fmt: skip
        t.expect((old.dtype.name, new.dtype.name) == ("float32_ref", "float32"), "a reference, f32")
        t.expect(not sync.trainable and new.trainable, "what is read alone is not trained")
        with v1.Session() as session:
            for one in (old, new):
                t.raises(tf.errors.FailedPreconditionError, session.run, one)
    one, two = (t.call(GET, "w", initializer=first) for first in ([1.0, 2.0], [3.0]))
    t.expect([one.numpy().tolist(), two.numpy().tolist()] == [[1, 2], [3]], "two of one name")


@case(
    GET,
    dtypes="f32 f64",
    core=False,
    use_resource=[True, False],
    reference=lambda np, x, **_: [x / 2, x],
)
def get_variable_trained(t, dtype, use_resource):
    """Its gradient in a graph, and what is assigned by it."""
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    v1, values = t.fw.compat.v1, t.host(t.randn((3, 4), dtype))
    with t.fw.Graph().as_default(), t.fw.device(t.device):
        start = t.fw.constant(values, t.dtype(dtype))
        held = t.get(GET)("w", initializer=start, use_resource=use_resource)
        slope = v1.gradients(v1.reduce_sum(held * held), held)[0]
        step = v1.assign_sub(held, slope / 4)
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            t.call(session.run, step)
            return session.run([held, slope])


@case(ADAM, host_only=True, core=False, reference="none")
def adam_pairs(t):
    """What has no gradient is left out; gradients are changed in between; slots and names; one optimizer for two losses."""
    v1, tf = t.fw.compat.v1, t.fw
    with tf.Graph().as_default():
        held, free = v1.get_variable("w", initializer=[1.0, 2.0]), v1.get_variable("u", initializer=[1.0])  # fmt: skip
        made = t.call(ADAM, 0.5, name="mine")
        pairs = made.compute_gradients(tf.reduce_sum(held * held), [held, free])
        t.expect([one is None for one, _ in pairs] == [False, True], "one gradient")
        signs = [(tf.sign(one), it) for one, it in pairs if one is not None]
        first, second = made.apply_gradients(pairs, name="step"), made.apply_gradients(signs)
        t.expect(first.name == "step" and made.get_name() == "mine", "names, got %s" % first.name)
        t.expect(made.get_slot_names() == ["m", "v"] and made.get_slot(free, "m") is None, "slots")
        t.expect(made.get_slot(held, "v").name == "w/mine_1:0", "got %s" % made.get_slot(held, "v"))
        weighted = made.compute_gradients(held * held, [held], grad_loss=tf.constant([2.0, 3.0]))
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            got = session.run(weighted[0][0]).tolist()
            t.expect(got == [4.0, 12.0], "weighted slopes, got %s" % got)
            t.call(session.run, first)
            one = session.run([held, made.get_slot(held, "m")])
            t.call(session.run, second)
            two = session.run([held, made.get_slot(held, "m"), free])
    near = t.np.allclose
    t.expect(near(one[0], [0.5, 1.5], atol=1e-5) and near(one[1], [0.2, 0.4]), "got %s" % one)
    t.expect(near(two[1], [0.28, 0.46]) and two[2] == [1.0], "the means of both, got %s" % two)


@case(ADAM, dtypes="f32 f64 f16", core=False, rtol={"f32": 1e-5}, atol={"f32": 1e-5},
      reference=lambda np, x, g: x - 0.25 * np.sign(g) - 0.25 * np.sign(g))  # fmt: skip
def adam_by_functions(t, dtype):
    """Its numbers by functions, as they are taken eagerly. Of a slope that stays, each step has the size of the rate."""
    if t.compiled:
        raise Skip("the optimizer makes its slots at the first step")
    held, slope = t.fw.Variable(t.uniform((5,), dtype, 2, 4)), t.const([1, -2, 3, -0.5, 8], dtype)
    made = t.get(ADAM)(lambda: 0.25, beta1=lambda: 0.5, beta2=lambda: 0.75, epsilon=lambda: 1e-9)

    def step(slope):
        if not t.fw.executing_eagerly():
            raise Skip("the variable is an eager one")
        for _ in range(2):
            made.apply_gradients([(slope, held)])
        return held.read_value()

    return t.call(step, slope)


@case(ADAM, host_only=True, core=False, reference="none")
def adam_refuses_more(t):
    """Eagerly a loss is a function; integers are not trained."""
    v1, tf = t.fw.compat.v1, t.fw
    t.raises(RuntimeError, t.call(ADAM).minimize, tf.constant(1.0))
    with tf.Graph().as_default():
        whole = v1.get_variable("i", [2], tf.int32)
        loss = tf.reduce_sum(tf.cast(whole, tf.float32))
        t.raises(ValueError, t.call(ADAM).minimize, loss, var_list=[whole])


@case(
    CONSTANT,
    core=False,
    dtypes="f64 bool c64 i16 u16",
    reference=lambda np, *_: np.array([[1, 0], [0, 1], [1, 1]]),
)
def constant_initializer_forms(t, dtype):
    """Of nested lists, whose own shape does not count, arrays of NumPy; shapes of any kind."""
    make, shape = t.get(CONSTANT), t.fw.TensorShape([3, 2])
    given = [[1, 0, 0], [0 + 1, 1, 1]] if dtype != "bool" else [[True, False, False], [True] * 3]
    made = t.call(make(given), shape, t.dtype(dtype))
    also = t.call(make(t.np.array([1, 0, 0, 1, 1, 1], t.dtype(dtype).as_numpy_dtype)), (3, 2), t.dtype(dtype))  # fmt: skip
    t.expect((t.host(made) == t.host(also)).all(), "the same of an array")
    return made


@case(CONSTANT, core=False, host_only=True, reference="none")
def constant_initializer_kinds(t):
    """The dtype is the value's where none is asked for; text; nothing; a number without axes; what is refused."""
    make, tf = t.get(CONSTANT), t.fw
    found = [t.call(make(value), (2,)).dtype.name for value in (1, 1.5, True, "a", t.np.float64(2))]
    t.expect(found == ["int32", "float32", "bool", "string", "float64"], "got %s" % found)
    t.expect(t.host(t.call(make("a"), (2,))).tolist() == [b"a"] * 2, "text")
    t.expect(tuple(t.call(make(3), (0, 2)).shape) == (0, 2), "nothing")
    t.expect(float(t.call(make(3.5), ())) == 3.5, "a number")
    t.expect(t.call(make([5]), (2, 2)).numpy().tolist() == [[5, 5]] * 2, "a list of one fills")
    t.expect(make([1, 2]).get_config()["value"] == [1, 2], "its configuration")
    for value in (None, tf.constant(1.0), object()):
        t.raises((TypeError, ValueError), t.call, CONSTANT, value)
    t.raises((TypeError, ValueError), t.call, make(1.5), (2,), tf.int32)
    t.raises((TypeError, ValueError), t.call, make(1.0), (2,), unheard_of=1)
    t.raises((TypeError, ValueError), t.call, make(1.0), (4,), partition_shape=(2,), partition_offset=(0,))  # fmt: skip


@case("tf.train.Checkpoint", host_only=True, core=False, reference="none")
def checkpoint_of_a_model(t):
    """A model of Keras and its optimizer, with what it has of each weight: training goes on as without a break."""
    tf, folder = t.fw, t.tmpdir()
    x, y = t.np.linspace(-1, 1, 12).reshape(6, 2), t.np.linspace(0, 1, 6).reshape(6, 1)

    def made():
        model = tf.keras.Sequential([tf.keras.layers.Dense(3), tf.keras.layers.Dense(1)])
        model.build((None, 2))
        return model, tf.keras.optimizers.Adam(0.125)

    def train(model, optimizer):
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((model(x) - y) ** 2)
            weights = model.trainable_variables
            optimizer.apply_gradients(list(zip(tape.gradient(loss, weights), weights)))
        return [one.numpy() for one in model.trainable_variables]

    model, optimizer = made()
    train(model, optimizer)
    saved = t.call("tf.train.Checkpoint", model=model, optimizer=optimizer)
    path = saved.save(os.path.join(folder, "state"))
    want = train(model, optimizer)
    other, its = made()
    its.build(other.trainable_variables)
    status = tf.train.Checkpoint(model=other, optimizer=its).restore(path)
    status.assert_existing_objects_matched()
    t.expect(int(its.iterations) == 3, "three steps, got %d" % int(its.iterations))
    got = train(other, its)
    near = all(t.np.allclose(a, b, rtol=1e-5, atol=1e-6) for a, b in zip(got, want))
    t.expect(near, "the same weights after three more steps, got %s for %s" % (got, want))


@case(CONSTANT, core=False, dtypes="f32 i64 bf16", reference=lambda np, *_: [
      np.arange(60).reshape(5, 3, 4) % 7 * 1.0, np.arange(6).reshape(2, 3), np.arange(6).reshape(3, 2), np.full((5, 6, 4), 2), np.arange(1, 4)])  # fmt: skip
def constant_initializer_of_arrays(t, dtype):
    """Arrays of as many numbers, whatever their shape; a tuple; one number in three axes; while a function is traced."""
    make, tf, np, kind = t.get(CONSTANT), t.fw, t.np, t.dtype(dtype)
    turned = make(np.arange(6).reshape(2, 3))
    program = tf.function(lambda: turned([3, 2], kind), autograph=False)
    held = make((1, 2, 3))
    for value in (range(6), np.arange(6), np.arange(6).reshape(2, 3)):
        for shape in ([2, 4], [2, 2]):
            t.raises((TypeError, ValueError), make(list(value) if isinstance(value, range) else value), shape, kind)  # fmt: skip
    t.raises(TypeError, make, tf.Variable([1.0]))
    t.raises((TypeError, ValueError), held, [3], kind, partition_shape=(2,))
    return [
        t.call(make(np.arange(60) % 7), (5, 3, 4), kind),
        t.call(turned, [2, 3], dtype=kind),
        t.call(program),
        t.call(make(2), [5, 6, 4], kind),
        t.call(held, shape=[3], dtype=kind),
    ]


@case(CONSTANT, core=False, dtypes="f32 i64", reference=lambda np, *_: [np.full((4, 2), 7), np.arange(1, 9).reshape(4, 2), np.full((4, 2), 3)])  # fmt: skip
def constant_initializer_of_parts(t, dtype):
    """support_partition: a part's shape and offset are taken, and change nothing; an unknown keyword is refused."""
    make, kind = t.get(CONSTANT), t.dtype(dtype)
    part = {"partition_shape": (2, 2), "partition_offset": (2, 0)}
    made = [make(value, support_partition=True) for value in (7, [*range(1, 9)], t.np.full((2, 4), 3))]  # fmt: skip
    for one in made:
        t.raises(TypeError, one, (4, 2), kind, unheard_of=(2, 2))
    return [t.call(one, (4, 2), kind, **part) for one in made]
