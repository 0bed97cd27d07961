"""State and its training: variables of TensorFlow 1, Adam, assignment, initializers, gradient tapes."""

from seamark_agent.harness import Skip

from seamark_suites.case import case

from . import reference_variables_v1 as right

# -- tf.compat.v1.get_variable, assign, constant_initializer --------------------------------------


@case("tf.compat.v1.get_variable", dtypes="f32 bf16 i64 f64 bool", core="f32 bf16 i64",
      reference=right.drawn)  # fmt: skip
def get_variable(t, dtype):
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    values = t.host(t.randn((3, 4), dtype))
    with t.fw.Graph().as_default(), t.fw.device(t.device):
        first = t.fw.constant(values, t.dtype(dtype))
        held = t.get("tf.compat.v1.get_variable")("w", initializer=first, use_resource=True)
        with t.fw.compat.v1.Session() as session:
            session.run(held.initializer)
            return t.call(session.run, held)


@case("tf.compat.v1.get_variable", host_only=True, reference="none")
def get_variable_names(t):
    """A second one of the name is refused, but shared in a scope that reuses; each has its scope's name."""
    v1, name = t.fw.compat.v1, "tf.compat.v1.get_variable"
    with t.fw.Graph().as_default():
        with v1.variable_scope("layer"):
            one = t.call(name, "w", [2, 3], trainable=False)
            t.raises(ValueError, t.call, name, "w", [2, 3])
        with v1.variable_scope("layer", reuse=True):
            same = t.call(name, "w", [2, 3])
            t.raises(ValueError, t.call, name, "w", [4, 3])
            t.raises(ValueError, t.call, name, "missing", [2])
        other = t.call(name, "w", [2, 3], dtype=t.fw.float64)
        trained = v1.trainable_variables()
    t.expect(one is same and one.name == "layer/w:0", "shared, got %s" % one.name)
    t.expect(other.name == "w:0" and other.dtype.base_dtype == t.fw.float64, "f64, of its own")
    t.expect([v.name for v in trained] == ["w:0"], "one is trainable, got %s" % trained)


@case("tf.compat.v1.get_variable", host_only=True, reference="none", core=False)
def get_variable_without_shape(t):
    with t.fw.Graph().as_default():
        t.raises(ValueError, t.call, "tf.compat.v1.get_variable", "w")


@case("tf.compat.v1.get_variable", host_only=True, reference="none", core=False)
def get_variable_options(t):
    """Glorot's bounds by default, a regularizer's loss, a constraint, collections."""
    v1, name = t.fw.compat.v1, "tf.compat.v1.get_variable"
    with t.fw.Graph().as_default():
        held = t.call(name, "w", [30, 20], regularizer=t.fw.reduce_sum, collections=["kept"],
                      constraint=t.fw.abs)  # fmt: skip
        losses = v1.losses.get_regularization_losses()
        t.expect(v1.get_collection("kept") == [held], "in its collection")
        t.expect(held.constraint is t.fw.abs and len(losses) == 1, "a constraint and one loss")
        with v1.Session() as session:
            session.run(held.initializer)
            values, loss = session.run([held, losses[0]])
    t.expect(0.2 < abs(values).max() <= (6 / 50) ** 0.5, "up to 0.346, got %g" % abs(values).max())
    t.expect(abs(values.sum() - loss) < 1e-3, "the sum as its loss, got %g" % loss)


@case("tf.compat.v1.get_variable", host_only=True, reference="none", core=False)
def get_variable_getter_of_its_own(t):
    """It is asked for the variable, and may ask for another name; what cannot be called is refused."""
    get, seen = "tf.compat.v1.get_variable", []

    def suffixed(getter, name, *args, **kwargs):
        seen.append((name, kwargs["shape"]))
        return getter(name + "_suffix", *args, **kwargs)

    with t.fw.Graph().as_default():
        made = t.call(get, "v", [2], custom_getter=suffixed)
        t.expect(made.name == "v_suffix:0", "v_suffix:0, got %s" % made.name)
        t.expect(seen == [("v", [2])], "asked once, got %s" % seen)
        t.raises(ValueError, t.call, get, "u", [1], custom_getter=3)


@case("tf.compat.v1.get_variable", host_only=True, reference="none", core=False)
def get_variable_kept_elsewhere(t):
    """What is read is kept on a device of its own, which a scope may name; the variable itself is not."""
    get, v1 = "tf.compat.v1.get_variable", t.fw.compat.v1
    with t.fw.Graph().as_default():
        for kind in (False, True):
            one = t.call(get, "a%d" % kind, [1], caching_device="/job:moo", use_resource=kind)
            got = one.value().device, one.device
            t.expect(got == ("/job:moo", ""), "the value alone, got %s" % (got,))
        with v1.variable_scope("s", caching_device=lambda op: "/device:CPU:1"):
            held = t.call(get, "b", [1], use_resource=False)
        other = t.call(get, "c", [1], use_resource=False)
        got = held.value().device, other.value().device
    t.expect(got == ("/device:CPU:1", ""), "as the scope has it, got %s" % (got,))


@case("tf.compat.v1.get_variable", host_only=True, reference="none", core=False)
def get_variable_in_columns(t):
    """A partitioner along the second axis: each part is told its first column; joined they are one tensor."""
    get, v1, tf = "tf.compat.v1.get_variable", t.fw.compat.v1, t.fw

    def columns(shape, dtype, partition_info):
        left = partition_info.var_offset[1]
        return tf.constant(t.np.arange(4).reshape(2, 2) * 10 + left, dtype, shape)

    with tf.Graph().as_default():
        held = t.call(get, "w", [2, 4], initializer=columns, partitioner=lambda **_: [1, 2])
        t.expect([one.shape.as_list() for one in held] == [[2, 2]] * 2, "two of 2 by 2")
        with v1.Session() as session:
            session.run([one.initializer for one in held])
            got = session.run(tf.convert_to_tensor(held)).tolist()
        t.expect(got == [[0, 10, 2, 12], [20, 30, 22, 32]], "side by side, got %s" % got)
        for wrong in (lambda **_: [2, 2], 3):
            t.raises(ValueError, t.call, get, "x", [2, 4], partitioner=wrong)


@case("tf.compat.v1.get_variable", host_only=True, reference="none", core=False)
def get_variable_waits_for_nothing(t):
    """Within control dependencies neither the first value nor its assignment waits for them."""
    get, v1, tf = "tf.compat.v1.get_variable", t.fw.compat.v1, t.fw
    with tf.Graph().as_default():
        with tf.control_dependencies([tf.constant(1.0, name="before")]):
            given = v1.ones_initializer(), tf.ones
            made = [t.call(get, "v%d%d" % (kind, i), [2], initializer=first, use_resource=bool(kind))
                    for kind in (0, 1) for i, first in enumerate(given)]  # fmt: skip
            t.expect(len(tf.no_op().control_inputs) == 1, "another operation waits")
        for one in made:
            got = [*one.initializer.control_inputs, *one.initial_value.op.control_inputs]
            t.expect(got == [], "%s waits for nothing, got %s" % (one.name, got))


@case("tf.compat.v1.assign", dtypes="f32 bf16 i64 f64 i32 bool c64", core="f32 bf16 i64",
      reference=right.assigned)  # fmt: skip
def assign(t, dtype):
    """The new value comes back, and the variable has it."""
    held = t.fw.Variable(t.randn((3, 4), dtype))
    put = t.get("tf.compat.v1.assign")

    def update(value):
        return t.fw.identity(put(held, value))

    got = t.call(update, t.randn((3, 4), dtype))
    return got, t.fw.identity(held)


@case("tf.compat.v1.assign", dtypes="f32 i32", core="f32", resource=[True, False],
      reference=right.assigned_in_session)  # fmt: skip
def assign_in_session(t, dtype, resource):
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    v1, values = t.fw.compat.v1, t.host(t.randint((2, 3), dtype, 1, 9))
    value = t.host(t.randint((2, 3), dtype, 10, 90))
    with t.fw.Graph().as_default(), t.fw.device(t.device):
        first = t.fw.constant(values, t.dtype(dtype))
        held = v1.get_variable("w", initializer=first, use_resource=resource)
        fed = v1.placeholder(t.dtype(dtype), [2, 3])
        put = t.get("tf.compat.v1.assign")(held, fed, use_locking=True)
        with v1.Session() as session:
            session.run(held.initializer)
            before = session.run(held)
            return before, t.call(session.run, put, {fed: value}), session.run(held)


@case("tf.compat.v1.assign", reference="none", core=False)
def assign_refused(t):
    held = t.fw.Variable(t.const([1.0, 2.0], "f32"))
    wrong = t.const([1.0, 2.0, 3.0], "f32"), t.const([1, 2], "i64"), t.const(1.0, "f32")
    for value in wrong:
        kinds = (ValueError, TypeError, t.fw.errors.InvalidArgumentError)
        t.raises(kinds, t.call, "tf.compat.v1.assign", held, value)
    t.expect(t.host(held).tolist() == [1.0, 2.0], "the variable as it was, got %s" % t.host(held))


@case("tf.compat.v1.assign", dtypes="f32 i32", core=False, reference=lambda np, start: [
      [np.array([3, 4, 5])] * 2, [np.array([1, 2, 3])] * 2, [np.array([2, 4, 6])] * 2])  # fmt: skip
def assign_of_python(t, dtype):
    """A list, an array of NumPy, what was computed of itself: given back, and held."""
    held, put, identity = (
        t.fw.Variable(t.randint((3,), dtype, -9, 10)),
        t.get("tf.compat.v1.assign"),
        t.fw.identity,
    )
    array = t.np.array([1, 2, 3], t.dtype(dtype).as_numpy_dtype)
    made = []
    for value in (lambda: [3, 4, 5], lambda: array, lambda: held * 2):
        given = t.call(lambda: identity(put(held, value(), name="put")))  # noqa: B023
        made.append([given, held.read_value()])
    return made


@case("tf.compat.v1.assign", dtypes="f32 f64", core=False, reference=lambda np, x: [4 * x, 2 * x])
def assign_within_a_tape(t, dtype):
    """No slope goes through what was assigned; that of a read behind it is by the new value."""
    x, tf = t.uniform((3,), dtype, 0.5, 2), t.fw
    held = tf.Variable(tf.ones_like(x))

    def slopes(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            t.get("tf.compat.v1.assign")(held, x * 2)
            made = held * x * 2
        return tape.gradient(made, [x, held])

    return t.call(slopes, x)


@case("tf.compat.v1.assign", host_only=True, core=False, reference="none")
def assign_of_texts_and_none(t):
    put, tf = "tf.compat.v1.assign", t.fw
    held = tf.Variable(["a", "b"])
    made = t.call(put, held, ["c", "d\0"])
    t.expect(made.read_value().numpy().tolist() == [b"c", b"d\0"], "the texts, got %s" % made)
    for wrong in ((tf.constant(1.0), 2.0), (held, None), (held, [1, 2]), (held, ["a"])):
        kinds = (ValueError, TypeError, AttributeError, tf.errors.InvalidArgumentError)
        t.raises(kinds, t.call, put, *wrong)
    t.expect(held.numpy().tolist() == [b"c", b"d\0"], "as it was, got %s" % held)
    longer = tf.Variable([1.0], shape=tf.TensorShape([None]))
    made = t.call(put, longer, [7.0, 8.0])
    got = [one.numpy().tolist() for one in (made, longer)]
    t.expect(got == [[7.0, 8.0]] * 2, "of another size, got %s" % got)


@case("tf.compat.v1.assign", dtypes="f32", large=True, reference=right.assigned_large)
def assign_large(t, dtype):
    held = t.fw.Variable(t.randn((2048, 2048), dtype))
    put = t.get("tf.compat.v1.assign")

    def update(value):
        return t.fw.identity(put(held, value))

    return t.call(update, t.randn((2048, 2048), dtype))


@case("tf.constant_initializer", dtypes="f32 bf16 i64 f16 f64 i32 u8", core="f32 bf16 i64",
      reference=right.six)  # fmt: skip
def constant_initializer(t, dtype):
    """A list fills the shape row by row."""
    make = t.get("tf.constant_initializer")([1, 2, 4, 7, 11, 16])
    return t.call(make, (2, 3), dtype=t.dtype(dtype))


@case("tf.constant_initializer", dtypes="f32 bf16", core=False, trivial=True,
      reference=lambda np: np.ones((2, 3)))  # fmt: skip
def constant_initializer_scalar(t, dtype):
    return t.call(t.get("tf.constant_initializer")(1), (2, 3), dtype=t.dtype(dtype))


@case("tf.constant_initializer", host_only=True, reference="none", core=False)
def constant_initializer_edges(t):
    """The configuration makes it again; a value of another size and a value without a number are refused."""
    kind = t.get("tf.constant_initializer")
    again = kind.from_config(kind(3.5).get_config())
    got = t.host(t.call(again, [4], dtype=t.fw.float32))
    t.expect(got.tolist() == [3.5] * 4, "3.5 four times, got %s" % got)
    for count in (3, 5):
        kinds = (TypeError, ValueError)
        t.raises(kinds, t.call, kind(list(range(count))), (2, 2), dtype=t.fw.float32)
    t.raises((TypeError, ValueError), t.call, "tf.constant_initializer", {"a": 1})


@case("tf.constant_initializer", dtypes="f32", core=False, reference=right.six_times)
def constant_initializer_of_variable(t, dtype):
    held = t.fw.Variable(t.get("tf.constant_initializer")(right.SIX)((2, 3), t.dtype(dtype)))

    def times(x):
        return held * x

    return t.call(times, t.randn((2, 3), dtype))


# -- tf.compat.v1.train.AdamOptimizer -------------------------------------------------------------


@case("tf.compat.v1.train.AdamOptimizer", dtypes="f32 f64", core="f32",
      rtol={"f32": 1e-5},  # three steps, each rounded some ten times
      reference=right.adam)  # fmt: skip
def adam(t, dtype):
    """Three steps in a session, on a fed gradient."""
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    v1 = t.fw.compat.v1
    values = t.host(t.uniform((3, 4), dtype, 2, 4))
    slope = t.host(t.uniform((3, 4), dtype, 0.5, 2))
    with t.fw.Graph().as_default(), t.fw.device(t.device):
        first = t.fw.constant(values, t.dtype(dtype))
        held = v1.get_variable("w", initializer=first, use_resource=True)
        fed = v1.placeholder(t.dtype(dtype), [3, 4])
        make = t.get("tf.compat.v1.train.AdamOptimizer")
        train = make(0.25, beta1=0.5, beta2=0.75, epsilon=1e-3).apply_gradients([(fed, held)])
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            for sign in (1, -1):
                session.run(train, {fed: sign * slope})
            t.call(session.run, train, {fed: slope})
            return session.run(held)


@case("tf.compat.v1.train.AdamOptimizer", dtypes="f32", core=False, rtol={"f32": 1e-5},
      atol={"f32": 1e-5},  # what is left of a difference
      reference=right.adam_minimized)  # fmt: skip
def adam_eager(t, dtype):
    """Two steps of minimize on a function of the variable; the moments are its slots."""
    if t.compiled:
        raise Skip("the optimizer makes its slots at the first step")
    held = t.fw.Variable(t.uniform((5,), dtype, 1, 2))
    scale = t.uniform((5,), dtype, 1, 2)
    optimizer = t.get("tf.compat.v1.train.AdamOptimizer")(0.5)

    def step(scale):
        for _ in range(2):
            optimizer.minimize(lambda: t.fw.reduce_sum(held * held * scale), var_list=[held])
        return held.read_value(), optimizer.get_slot(held, "m"), optimizer.get_slot(held, "v")

    return [t.fw.identity(one) for one in t.call(step, scale)]


@case("tf.compat.v1.train.AdamOptimizer", dtypes="f32", core=False, rtol={"f32": 1e-5},
      atol={"f32": 1e-5},  # what is left of a difference
    reference=right.adam_rows)  # fmt: skip
def adam_sparse(t, dtype):
    """Rows without a gradient still move by their moments in the second step."""
    if t.compiled:
        raise Skip("the optimizer makes its slots at the first step")
    held = t.fw.Variable(t.uniform((4, 3), dtype, 1, 2))
    optimizer = t.get("tf.compat.v1.train.AdamOptimizer")(0.5)

    def step(rows):
        if not t.fw.executing_eagerly():
            raise Skip("the variable is an eager one")
        for places in ([3, 0], [1, 0]):
            slices = t.fw.IndexedSlices(rows, t.fw.constant(places), t.fw.constant([4, 3]))
            optimizer.apply_gradients([(slices, held)])
        return held.read_value()

    return t.call(step, t.uniform((2, 3), dtype, 1, 2))


@case("tf.compat.v1.train.AdamOptimizer", host_only=True, reference="none", core=False)
def adam_refused(t):
    v1 = t.fw.compat.v1
    with t.fw.Graph().as_default():
        optimizer = t.call("tf.compat.v1.train.AdamOptimizer")
        t.raises(ValueError, optimizer.minimize, t.fw.constant(1.0))
        held = v1.get_variable("w", [2])
        t.raises(ValueError, optimizer.minimize, t.fw.constant(1.0), var_list=[held])
        t.raises(ValueError, optimizer.apply_gradients, [])
        t.raises(ValueError, optimizer.apply_gradients, [(None, held)])


@case("tf.compat.v1.train.AdamOptimizer", host_only=True, reference="none")
def adam_global_step(t):
    """The loss falls, the step is counted, and the state has two moments and two powers."""
    v1 = t.fw.compat.v1
    with t.fw.Graph().as_default():
        step = v1.train.create_global_step()
        held = v1.get_variable("w", initializer=[3.0, -2.0], use_resource=True)
        loss = t.fw.reduce_sum(held * held)
        optimizer = t.get("tf.compat.v1.train.AdamOptimizer")(0.1)
        train = optimizer.minimize(loss, global_step=step)
        names = sorted(one.op.name for one in optimizer.variables())
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            before = session.run(loss)
            for _ in range(9):
                t.call(session.run, train)
            after, count = session.run([loss, step])
    t.expect(count == 9 and after < before / 2, "9 steps down, got %s, %s" % (count, after))
    t.expect(len(names) == 4 and "w/Adam" in names, "four of state, got %s" % names)


# -- tf.GradientTape ------------------------------------------------------------------------------


@case("tf.GradientTape", dtypes="f32 bf16 f64 f16", core="f32 bf16",
      reference=lambda np, x, y: (2 * x * y, x * x))  # fmt: skip
def tape(t, dtype):
    def slopes(x, y):
        with t.get("tf.GradientTape")() as tape:
            tape.watch([x, y])
            loss = t.fw.reduce_sum(x * x * y)
        return tuple(tape.gradient(loss, [x, y]))

    return t.call(slopes, t.uniform((3, 4), dtype, 1, 2), t.uniform((3, 4), dtype, 1, 2))


@case("tf.GradientTape", dtypes="f32 bf16", core="f32", reference=right.second_order)
def tape_second_order(t, dtype):
    """A tape inside a tape: x^3 has the slopes 3 x^2 and 6 x."""

    def slopes(x):
        make = t.get("tf.GradientTape")
        with make() as outer:
            outer.watch(x)
            with make() as inner:
                inner.watch(x)
                y = x * x * x
            first = inner.gradient(y, x)
        return first, outer.gradient(first, x)

    return t.call(slopes, t.uniform((5,), dtype, 1, 2))


@case("tf.GradientTape", dtypes="f32", core=False, reference=right.jacobians)
def tape_jacobian(t, dtype):
    def slopes(x, w):
        with t.get("tf.GradientTape")(persistent=True) as tape:
            tape.watch(x)
            y = t.fw.matmul(x, w)
            z = y * y
        one = tape.jacobian(y, x, experimental_use_pfor=False)
        return one, tape.batch_jacobian(z, x), tape.gradient(y, x)

    return t.call(slopes, t.uniform((2, 3), dtype, 1, 2), t.uniform((3, 4), dtype, 1, 2))


@case("tf.GradientTape", dtypes="f32", core=False, reference=right.tape_options)
def tape_options(t, dtype):
    """Output gradients, zeros for what has no part, a stop of the recording."""

    def slopes(x, y, w):
        with t.get("tf.GradientTape")(persistent=True) as tape:
            tape.watch({"x": x, "y": y})
            z = x * x
            with tape.stop_recording():
                fixed = x * 3.0
            u = x * fixed
        found = tape.gradient(z, {"x": x, "y": y}, output_gradients=w,
                              unconnected_gradients="zero")  # fmt: skip
        return found["x"], found["y"] + w, tape.gradient(u, x)

    x, y, w = (t.uniform((4,), dtype, 1, 2) for _ in range(3))
    return t.call(slopes, x, y, w)


@case("tf.GradientTape", dtypes="f32", reference=right.variables_watched)
def tape_variables(t, dtype):
    """Trainable variables are watched, in the order of their use; with the option none is."""
    held = t.fw.Variable(t.uniform((3,), dtype, 1, 2))

    def slopes(x):
        make = t.get("tf.GradientTape")
        with make() as one:
            loss = held * held * x
        with make(watch_accessed_variables=False) as two:
            other = held * x
        if two.gradient(other, held) is not None or [*one.watched_variables()] != [held]:
            return x
        return one.gradient(loss, held)

    return t.call(slopes, t.uniform((3,), dtype, 1, 2))


@case("tf.GradientTape", host_only=True, reference="none", core=False)
def tape_refused(t):
    """A tape is read once, unless it is persistent; integers and what is not watched have no gradient."""
    x, n = t.const([1.0, 2.0], "f32"), t.const([1, 2], "i32")
    with t.call("tf.GradientTape") as tape:
        tape.watch([x, n])
        y, m = x * x, n * n
    t.raises((TypeError, ValueError), tape.watch, [object()])
    t.expect(t.host(tape.gradient(y, x)).tolist() == [2.0, 4.0], "2 and 4")
    t.raises(RuntimeError, tape.gradient, y, x)
    with t.call("tf.GradientTape", persistent=True) as kept:
        kept.watch(x)
        y, m = x * x, n * n
    t.expect(kept.gradient(y, n) is None and kept.gradient(m, n) is None, "none of integers")
    with t.call("tf.GradientTape", persistent=True) as kept:
        kept.watch(x)
        y = x * x
        kept.reset()
        z = x * 3.0
    t.expect(kept.gradient(y, x) is None and kept.gradient(z, x) is None, "none after a reset")


@case("tf.GradientTape", dtypes="f32", large=True, reference=lambda np, x: 3 * x * x)
def tape_large(t, dtype):
    def slopes(x):
        with t.get("tf.GradientTape")() as tape:
            tape.watch(x)
            loss = x * x * x
        return tape.gradient(loss, x)

    return t.call(slopes, t.uniform((1024, 2048), dtype, 1, 2))
