"""Graphs and sessions of TensorFlow 1, each in a graph of its own.

What only builds a graph touches no device. A session runs on the device, but is no part of a
compiled tf.function: there its result would be a constant that Python computed while tracing.
"""

import os

from seamark_agent.harness import Skip

from seamark_suites.case import case

from . import reference as right


@case(
    "tf.compat.v1.placeholder",
    host_only=True,
    reference="none",
    dtypes="f32 i64 bf16",
    core="f32 i64",
)
def placeholder(t, dtype):
    with t.fw.Graph().as_default():
        made = t.call("tf.compat.v1.placeholder", t.dtype(dtype), [None, 3], name="fed")
        t.expect(
            made.dtype == t.dtype(dtype) and made.shape.as_list() == [None, 3], "dtype and shape"
        )
        t.expect(
            made.op.type == "Placeholder" and made.name.startswith("fed"),
            "a named placeholder, got %s" % made.name,
        )


@case("tf.compat.v1.placeholder", dtypes="f32 i32", core="f32", reference=right.doubled)
def placeholder_fed(t, dtype):
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    values = t.host(t.randn((2, 3), dtype))
    with t.fw.Graph().as_default(), t.fw.device(t.device):
        fed = t.fw.compat.v1.placeholder(t.dtype(dtype), [None, 3])
        doubled = fed + fed
        with t.fw.compat.v1.Session() as session:
            return t.call(session.run, doubled, {fed: values})


@case("tf.compat.v1.placeholder", host_only=True, reference="none", core=False)
def placeholder_eager(t):
    t.raises(RuntimeError, t.call, "tf.compat.v1.placeholder", t.fw.float32)


@case(
    "tf.compat.v1.Session.run",
    dtypes="f32 f64 bf16 i32",
    core="f32 i32",
    rtol={"f32": 1e-5},
    reference=lambda np, a, b: {"product": a @ b, "total": (a @ b).sum(1)},
)
def session_run(t, dtype):
    """Whole numbers, which bf16 adds exactly."""
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    a, b = (t.host(t.randint(shape, dtype, -3, 4)) for shape in ((4, 5), (5, 3)))
    with t.fw.Graph().as_default(), t.fw.device(t.device):
        placeholder = t.fw.compat.v1.placeholder
        x, y = placeholder(t.dtype(dtype), [4, 5]), placeholder(t.dtype(dtype), [None, 3])
        product = t.fw.matmul(x, y)
        total = t.fw.reduce_sum(product, axis=1)
        with t.fw.compat.v1.Session() as session:
            got = t.call(session.run, {"product": product, "total": [total]}, {x: a, y: b})
    return {"product": got["product"].astype("float64"), "total": got["total"][0].astype("float64")}


@case("tf.compat.v1.Session.run", reference="none")
def session_run_unfed(t):
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    with t.fw.Graph().as_default(), t.fw.device(t.device):
        fed = t.fw.compat.v1.placeholder(t.fw.float32, [2], name="unfed")
        with t.fw.compat.v1.Session() as session:
            error = t.raises(t.fw.errors.InvalidArgumentError, t.call, session.run, fed * 2.0)
    t.expect("unfed" in str(error), "the placeholder's name in the message")


@case("tf.compat.v1.Session.run", reference="none")
def session_run_state(t):
    """Variables keep their values between runs."""
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    with t.fw.Graph().as_default(), t.fw.device(t.device):
        held = t.fw.compat.v1.get_variable("held", initializer=1.0, use_resource=True)
        grow = t.fw.compat.v1.assign(held, held * 2.0)
        with t.fw.compat.v1.Session() as session:
            session.run(held.initializer)
            first = t.call(session.run, grow)
            second = session.run(grow)
    t.expect(
        second == 2 * first and first >= 2, "doubled each time, got %s and %s" % (first, second)
    )


@case(
    "tf.compat.v1.Tensor.eval",
    dtypes="f32 i64",
    core="f32",
    rtol={"f32": 1e-5},
    reference=lambda np, x: x.sum(0),
)
def tensor_eval(t, dtype):
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    values = t.host(t.randn((4, 5), dtype))
    with t.fw.Graph().as_default(), t.fw.device(t.device):
        fed = t.fw.compat.v1.placeholder(t.dtype(dtype), [None, 5])
        total = t.fw.reduce_sum(fed, axis=0)
        with t.fw.compat.v1.Session() as session:
            return t.call(total.eval, {fed: values}, session=session)


@case("tf.compat.v1.Tensor.eval", reference="none", host_only=True, core=False)
def tensor_eval_without_session(t):
    with t.fw.Graph().as_default():
        made = t.fw.constant(1.0)
        t.raises(ValueError, made.eval)


@case("tf.compat.v1.variable_scope", host_only=True, reference="none")
def variable_scope(t):
    v1 = t.fw.compat.v1
    with t.fw.Graph().as_default():
        with t.call("tf.compat.v1.variable_scope", "layer"):
            one = v1.get_variable("w", [2, 3])
        with v1.variable_scope("layer", reuse=True):
            same = v1.get_variable("w", [2, 3])
        t.expect(one.name == "layer/w:0" and one is same, "layer/w, shared, got %s" % one.name)


@case("tf.compat.v1.variable_scope", host_only=True, reference="none")
def variable_scope_clash(t):
    v1 = t.fw.compat.v1
    with t.fw.Graph().as_default():
        for reuse in (None, False):
            with t.call("tf.compat.v1.variable_scope", "layer", reuse=reuse):
                if reuse is None:
                    v1.get_variable("w", [2])
                else:
                    t.raises(ValueError, v1.get_variable, "w", [2])
        with v1.variable_scope("other", reuse=True):
            t.raises(ValueError, v1.get_variable, "missing", [2])


@case("tf.compat.v1.variable_scope", dtypes="f32 f64", core="f32", reference=right.drawn)
def variable_scope_initializer(t, dtype):
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    v1, values = t.fw.compat.v1, t.host(t.randn((3,), dtype))
    with t.fw.Graph().as_default(), t.fw.device(t.device):

        def build_and_read():
            with t.get("tf.compat.v1.variable_scope")("layer", reuse=v1.AUTO_REUSE):
                first = t.fw.constant(values, t.dtype(dtype))
                held = v1.get_variable("w", initializer=first, dtype=first.dtype, use_resource=True)
            session.run(held.initializer)
            return session.run(held)

        with v1.Session() as session:
            return t.call(build_and_read)


@case("tf.compat.v1.get_collection", host_only=True, reference="none")
def get_collection(t):
    v1 = t.fw.compat.v1
    with t.fw.Graph().as_default():
        v1.add_to_collection("kept", 1)
        v1.add_to_collection("kept", "two")
        got = t.call("tf.compat.v1.get_collection", "kept")
        t.expect(got == [1, "two"], "what was added, got %r" % got)
        got.append(3)
        t.expect(v1.get_collection("kept") == [1, "two"], "a copy")
        t.expect(
            t.call("tf.compat.v1.get_collection", "none") == [], "an empty list where nothing is"
        )


@case("tf.compat.v1.get_collection", host_only=True, reference="none")
def get_collection_scope(t):
    v1 = t.fw.compat.v1
    with t.fw.Graph().as_default():
        for scope in ("a", "b"):
            with v1.variable_scope(scope):
                v1.get_variable("w", [1])
        got = t.call("tf.compat.v1.get_collection", v1.GraphKeys.GLOBAL_VARIABLES, scope="b")
        t.expect([one.name for one in got] == ["b/w:0"], "the variable of scope b, got %s" % got)


@case(
    "tf.compat.v1.global_variables_initializer",
    dtypes="f32 f64 i64",
    core="f32 i64",
    reference=lambda np, x: [x, 2 * x],
)
def global_variables_initializer(t, dtype):
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    v1, values = t.fw.compat.v1, t.host(t.randn((3,), dtype))
    with t.fw.Graph().as_default(), t.fw.device(t.device):
        first = v1.get_variable(
            "a", initializer=t.fw.constant(values, t.dtype(dtype)), use_resource=True
        )
        second = v1.get_variable(
            "b", initializer=t.fw.constant(values * 2, t.dtype(dtype)), use_resource=True
        )
        with v1.Session() as session:

            def initialize():
                session.run(t.get("tf.compat.v1.global_variables_initializer")())

            t.raises(t.fw.errors.FailedPreconditionError, session.run, first)
            t.call(initialize)
            return session.run([first, second])


@case("tf.compat.v1.global_variables_initializer", host_only=True, reference="none")
def global_variables_initializer_empty(t):
    with t.fw.Graph().as_default():
        made = t.call("tf.compat.v1.global_variables_initializer")
        t.expect(made.type == "NoOp", "a NoOp where there are no variables, got %s" % made.type)


@case("tf.compat.v1.is_variable_initialized", reference="none")
def is_variable_initialized(t):
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    v1 = t.fw.compat.v1
    with t.fw.Graph().as_default(), t.fw.device(t.device):
        held = v1.get_variable("held", initializer=1.0, use_resource=True)
        asked = t.get("tf.compat.v1.is_variable_initialized")(held)
        with v1.Session() as session:
            before = session.run(asked)
            session.run(held.initializer)
            after = t.call(session.run, asked)
    t.expect(not before and bool(after), "false, then true; got %s and %s" % (before, after))


@case("tf.compat.v1.metrics.accuracy", reference="none", weights=[None, (1.0, 1.0, 1.0, 0.0)])
def metrics_accuracy(t, weights):
    """Running accuracy over two batches."""
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    v1 = t.fw.compat.v1
    with t.fw.Graph().as_default(), t.fw.device(t.device):
        labels = v1.placeholder(t.fw.int64, [4])
        guesses = v1.placeholder(t.fw.int64, [4])
        value, update = t.get("tf.compat.v1.metrics.accuracy")(labels, guesses, weights=weights)
        with v1.Session() as session:

            def two_batches():
                session.run(v1.local_variables_initializer())
                session.run(update, {labels: [1, 2, 3, 4], guesses: [1, 2, 0, 4]})
                session.run(update, {labels: [1, 1, 1, 1], guesses: [1, 0, 0, 0]})
                return session.run(value)

            got = t.call(two_batches)
    want = 4 / 8 if weights is None else 3 / 6
    t.expect(abs(float(got) - want) < 1e-6, "%g, got %g" % (want, got))


@case("tf.compat.v1.metrics.accuracy", reference="none", host_only=True, core=False)
def metrics_accuracy_eager(t):
    t.raises(RuntimeError, t.call, "tf.compat.v1.metrics.accuracy", [1, 2], [1, 0])


@case("tf.Graph.as_default", host_only=True, reference="none")
def graph_as_default(t):
    graph = t.fw.Graph()
    with t.call("tf.Graph.as_default", graph):
        t.expect(
            t.fw.compat.v1.get_default_graph() is graph and not t.fw.executing_eagerly(),
            "the default graph",
        )
        made = t.fw.constant(1.0)
    t.expect(made.graph is graph and t.fw.executing_eagerly(), "the old state afterwards")


@case("tf.Graph.as_default", host_only=True, reference="none")
def graph_as_default_nested(t):
    outer, inner = t.fw.Graph(), t.fw.Graph()
    with outer.as_default():
        with t.call("tf.Graph.as_default", inner):
            t.fw.constant(1.0)
        t.fw.constant(2.0)
        t.fw.constant(3.0)
    counts = (len(outer.get_operations()), len(inner.get_operations()))
    t.expect(counts == (2, 1), "two and one operations, got %s" % (counts,))


@case("tf.compat.v1.train.get_global_step", host_only=True, reference="none")
def get_global_step(t):
    v1 = t.fw.compat.v1
    with t.fw.Graph().as_default():
        t.expect(t.call("tf.compat.v1.train.get_global_step") is None, "None before it is made")
        made = v1.train.create_global_step()
        t.expect(
            t.call("tf.compat.v1.train.get_global_step") is made and made.dtype == t.fw.int64,
            "the int64 step",
        )


@case("tf.compat.v1.train.CheckpointSaverHook", host_only=True, reference="none")
def checkpoint_saver_hook(t):
    v1, folder = t.fw.compat.v1, t.tmpdir()
    with t.fw.Graph().as_default(), t.fw.device("/CPU:0"):
        step = v1.train.create_global_step()
        advance = v1.assign_add(step, 1)
        hook = t.call("tf.compat.v1.train.CheckpointSaverHook", folder, save_steps=2)
        with v1.train.SingularMonitoredSession(hooks=[hook]) as session:
            for _ in range(5):
                session.run(advance)
    kept = sorted(name for name in os.listdir(folder) if name.endswith(".index"))
    t.expect(
        "model.ckpt-5.index" in kept and len(kept) >= 3, "checkpoints up to step 5, got %s" % kept
    )


@case("tf.compat.v1.train.CheckpointSaverHook", host_only=True, reference="none", core=False)
def checkpoint_saver_hook_twice(t):
    make = t.get("tf.compat.v1.train.CheckpointSaverHook")
    t.raises(ValueError, make, t.tmpdir(), save_secs=1, save_steps=1)


@case("tf.compat.v1.train.LoggingTensorHook", host_only=True, reference="none")
def logging_tensor_hook(t):
    v1, seen = t.fw.compat.v1, []
    with t.fw.Graph().as_default(), t.fw.device("/CPU:0"):
        held = t.fw.constant(4.5, name="shown")
        hook = t.call(
            "tf.compat.v1.train.LoggingTensorHook",
            {"shown": held},
            every_n_iter=2,
            formatter=lambda values: seen.append(float(values["shown"])) or "shown",
        )
        with v1.train.SingularMonitoredSession(hooks=[hook]) as session:
            for _ in range(5):
                session.run(held)
    t.expect(seen == [4.5] * 3, "every second of five runs, got %s" % seen)


@case("tf.compat.v1.train.QueueRunner", host_only=True, reference="none")
def queue_runner(t):
    v1 = t.fw.compat.v1
    with t.fw.Graph().as_default(), t.fw.device("/CPU:0"):
        queue = t.fw.queue.FIFOQueue(4, t.fw.int64, shapes=[[]])
        counter = v1.get_variable("n", initializer=t.fw.constant(0, t.fw.int64), use_resource=True)
        feed = queue.enqueue(v1.assign_add(counter, 1))
        taken = queue.dequeue()
        runner = t.call("tf.compat.v1.train.QueueRunner", queue, [feed])
        with v1.Session() as session:
            session.run(counter.initializer)
            coordinator = t.fw.train.Coordinator()
            threads = runner.create_threads(session, coordinator, daemon=True, start=True)
            got = [int(session.run(taken)) for _ in range(8)]
            coordinator.request_stop()
            session.run(queue.close(cancel_pending_enqueues=True))
            coordinator.join(threads, stop_grace_period_secs=10)
    t.expect(got == list(range(1, 9)), "1 to 8 from the queue, got %s" % got)


@case("tf.compat.v1.TextLineReader.restore_state", reference="none", host_only=True)
def restore_state(t):
    """TextLineReader keeps no state that can be restored: TensorFlow says so."""
    v1 = t.fw.compat.v1
    with t.fw.Graph().as_default(), t.fw.device("/CPU:0"):
        reader = v1.TextLineReader()
        made = t.call("tf.compat.v1.TextLineReader.restore_state", reader, b"state")
        with v1.Session() as session:
            error = t.raises(
                (t.fw.errors.UnimplementedError, t.fw.errors.InvalidArgumentError),
                session.run,
                made,
            )
    t.expect("restore" in str(error).lower(), "a word about restoring, got %s" % str(error)[:200])


@case("tf.compat.v1.saved_model.simple_save", reference="none", host_only=True)
def simple_save(t):
    """Saved, loaded and run again."""
    v1, folder = t.fw.compat.v1, os.path.join(t.tmpdir(), "saved")
    with t.fw.Graph().as_default(), t.fw.device("/CPU:0"):
        fed = v1.placeholder(t.fw.float32, [None], name="x")
        held = v1.get_variable("w", initializer=3.0, use_resource=True)
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())

            def save():
                target = folder if not os.path.exists(folder) else os.path.join(t.tmpdir(), "again")
                t.get("tf.compat.v1.saved_model.simple_save")(
                    session, target, {"x": fed}, {"y": fed * held}
                )

            t.call(save)
    loaded = t.fw.saved_model.load(folder)
    got = t.host(loaded.signatures["serving_default"](t.fw.constant([1.0, 2.0]))["y"])
    t.expect(got.tolist() == [3.0, 6.0], "3 and 6, got %s" % got)


@case(
    "tf.compat.v1.test.compute_gradient_error", dtypes="f32 f64", reference="none", core="f32 f64"
)
def compute_gradient_error(t, dtype):
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    values = t.host(t.uniform((3, 2), dtype, 0.5, 2)).astype(t.dtype(dtype).as_numpy_dtype)
    with t.fw.Graph().as_default(), t.fw.device(t.device), t.fw.compat.v1.Session():
        x = t.fw.constant(values)
        y = t.fw.square(x) + t.fw.sin(x)
        error = t.call(
            "tf.compat.v1.test.compute_gradient_error", x, (3, 2), y, (3, 2), x_init_value=values
        )
    limit = 1e-2 if dtype == "f32" else 1e-6
    t.expect(0 <= error < limit, "an error below %g, got %g" % (limit, error))


@case("tf.compat.v1.test.compute_gradient_error", reference="none", core=False)
def compute_gradient_error_wrong(t):
    """A wrong gradient is found."""
    if t.compiled:
        raise Skip("a session is no part of a compiled function")

    @t.fw.custom_gradient
    def wrong(x):
        return x * x, lambda dy: dy * x

    values = t.np.asarray([1.0, 2.0])
    with t.fw.Graph().as_default(), t.fw.device(t.device), t.fw.compat.v1.Session():
        x = t.fw.constant(values)
        error = t.call(
            "tf.compat.v1.test.compute_gradient_error", x, (2,), wrong(x), (2,), x_init_value=values
        )
    t.expect(abs(error - 2.0) < 1e-3, "the greatest error is 2, got %g" % error)
