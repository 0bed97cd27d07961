"""Training loops of TensorFlow 1 at the edges: steps, hooks, queues, saving. They run on the host."""

import os

from seamark_suites.case import case

# -- training loops -------------------------------------------------------------------------------


@case("tf.compat.v1.train.get_global_step", host_only=True, reference="none", core=False)
def get_global_step_of_graph(t):
    v1, other = t.fw.compat.v1, t.fw.Graph()
    with other.as_default():
        made = v1.train.create_global_step()
    with t.fw.Graph().as_default():
        t.expect(t.call("tf.compat.v1.train.get_global_step") is None, "none in this graph")
        found = t.call("tf.compat.v1.train.get_global_step", other)
    t.expect(found is made, "the other graph's step")


@case("tf.compat.v1.train.get_global_step", host_only=True, reference="none", core=False)
def get_global_step_counts(t):
    v1 = t.fw.compat.v1
    with t.fw.Graph().as_default():
        v1.train.create_global_step()
        weight = v1.get_variable("w", initializer=2.0, use_resource=True)
        step = t.call("tf.compat.v1.train.get_global_step")
        train = v1.train.GradientDescentOptimizer(0.1).minimize(weight * weight, global_step=step)
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            for _ in range(3):
                session.run(train)
            got = int(session.run(step))
    t.expect(got == 3, "3 steps, got %d" % got)


@case("tf.compat.v1.train.get_global_step", host_only=True, reference="none", core=False)
def get_global_step_wrong_dtype(t):
    v1 = t.fw.compat.v1
    with t.fw.Graph().as_default():
        wrong = v1.get_variable("step", initializer=1.5, use_resource=True)
        v1.add_to_collection(v1.GraphKeys.GLOBAL_STEP, wrong)
        t.raises(TypeError, t.call, "tf.compat.v1.train.get_global_step")


def _train(t, hooks, steps, **options):
    """Runs the graph's global step up by `steps` in a monitored session."""
    v1 = t.fw.compat.v1
    advance = v1.assign_add(v1.train.get_or_create_global_step(), 1)
    with v1.train.SingularMonitoredSession(hooks=hooks, **options) as session:
        for _ in range(steps):
            last = session.run(advance)
    return int(last)


@case("tf.compat.v1.train.CheckpointSaverHook", host_only=True, reference="none", core=False)
def checkpoint_saver_hook_listener(t):
    v1, seen = t.fw.compat.v1, []

    class Listener(v1.train.CheckpointSaverListener):
        def after_save(self, session, global_step_value):
            seen.append(int(global_step_value))

    with t.fw.Graph().as_default(), t.fw.device("/CPU:0"):
        v1.train.create_global_step()
        hook = t.call(
            "tf.compat.v1.train.CheckpointSaverHook",
            t.tmpdir(),
            save_steps=2,
            listeners=[Listener()],
        )
        _train(t, [hook], 4)
    t.expect(seen[-1] == 4 and seen == sorted(set(seen)), "told of each save, got %s" % seen)


@case("tf.compat.v1.train.CheckpointSaverHook", host_only=True, reference="none", core=False)
def checkpoint_saver_hook_restores(t):
    folder, ends = t.tmpdir(), []
    for _ in range(2):
        with t.fw.Graph().as_default(), t.fw.device("/CPU:0"):
            t.fw.compat.v1.train.create_global_step()
            hook = t.call("tf.compat.v1.train.CheckpointSaverHook", folder, save_steps=2)
            ends.append(_train(t, [hook], 3, checkpoint_dir=folder))
    t.expect(ends == [3, 6], "3 steps and 3 more, got %s" % ends)


@case("tf.compat.v1.train.CheckpointSaverHook", host_only=True, reference="none", core=False)
def checkpoint_saver_hook_without_step(t):
    with t.fw.Graph().as_default():
        hook = t.call("tf.compat.v1.train.CheckpointSaverHook", t.tmpdir(), save_steps=2)
        t.raises(RuntimeError, hook.begin)


@case("tf.compat.v1.train.LoggingTensorHook", host_only=True, reference="none", core=False)
def logging_tensor_hook_at_end(t):
    v1, seen = t.fw.compat.v1, []
    with t.fw.Graph().as_default(), t.fw.device("/CPU:0"):
        step = v1.train.create_global_step()
        hook = t.call(
            "tf.compat.v1.train.LoggingTensorHook",
            {"step": step},
            at_end=True,
            formatter=lambda values: seen.append(int(values["step"])) or "shown",
        )
        _train(t, [hook], 4)
    t.expect(seen == [4], "once, after 4 steps, got %s" % seen)


@case("tf.compat.v1.train.LoggingTensorHook", host_only=True, reference="none", core=False)
def logging_tensor_hook_twice(t):
    make = t.get("tf.compat.v1.train.LoggingTensorHook")
    t.raises(ValueError, t.call, make, ["x"], every_n_iter=1, every_n_secs=1)
    t.raises(ValueError, t.call, make, ["x"])


@case("tf.compat.v1.train.QueueRunner", host_only=True, reference="none", core=False)
def queue_runner_ends(t):
    """When the feed has no more, the queue closes and the reader sees its end."""
    v1 = t.fw.compat.v1
    with t.fw.Graph().as_default(), t.fw.device("/CPU:0"):
        queue = t.fw.queue.FIFOQueue(8, t.fw.int64, shapes=[[]])
        feed = queue.enqueue(v1.train.limit_epochs(t.fw.constant(5, t.fw.int64), 3))
        taken = queue.dequeue()
        runner = t.call("tf.compat.v1.train.QueueRunner", queue, [feed])
        with v1.Session() as session:
            session.run(v1.local_variables_initializer())
            coordinator = t.fw.train.Coordinator()
            threads = runner.create_threads(session, coordinator, daemon=True, start=True)
            got = [int(session.run(taken)) for _ in range(3)]
            t.raises(t.fw.errors.OutOfRangeError, session.run, taken)
            coordinator.request_stop()  # else join waits for the thread that closes the queue on a stop
            coordinator.join(threads, stop_grace_period_secs=10)
    t.expect(got == [5, 5, 5], "three elements, got %s" % got)


@case("tf.compat.v1.train.QueueRunner", host_only=True, reference="none", core=False)
def queue_runner_error(t):
    """An error in a thread comes out of Coordinator.join."""
    v1 = t.fw.compat.v1
    with t.fw.Graph().as_default(), t.fw.device("/CPU:0"):
        queue = t.fw.queue.FIFOQueue(8, t.fw.float32, shapes=[[]])
        bad = t.fw.debugging.check_numerics(v1.placeholder_with_default(t.np.nan, []), "no number")
        runner = t.call(
            "tf.compat.v1.train.QueueRunner", queue, [queue.enqueue(t.fw.cast(bad, t.fw.float32))]
        )
        with v1.Session() as session:
            coordinator = t.fw.train.Coordinator()
            threads = runner.create_threads(session, coordinator, daemon=True, start=True)
            kinds = t.fw.errors.InvalidArgumentError
            error = t.raises(kinds, coordinator.join, threads, stop_grace_period_secs=10)
    t.expect("no number" in str(error), "the error's text, got %s" % str(error)[:200])


@case("tf.compat.v1.train.QueueRunner", host_only=True, reference="none", core=False)
def queue_runner_without_queue(t):
    with t.fw.Graph().as_default():
        t.raises(ValueError, t.call, "tf.compat.v1.train.QueueRunner")


@case("tf.compat.v1.TextLineReader.restore_state", host_only=True, reference="none", core=False)
def restore_state_wrong_dtype(t):
    with t.fw.Graph().as_default():
        reader = t.fw.compat.v1.TextLineReader()
        name = "tf.compat.v1.TextLineReader.restore_state"
        t.raises((TypeError, ValueError), t.call, name, reader, 3.5)


# -- saving ---------------------------------------------------------------------------------------


def _save(t, folder):
    v1 = t.fw.compat.v1
    with t.fw.Graph().as_default(), t.fw.device("/CPU:0"):
        fed = v1.placeholder(t.fw.float32, [None], name="x")
        held = v1.get_variable("w", initializer=3.0, use_resource=True)
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            t.call(
                "tf.compat.v1.saved_model.simple_save",
                session,
                folder,
                {"x": fed},
                {"y": fed * held},
            )


@case("tf.compat.v1.saved_model.simple_save", host_only=True, reference="none", core=False)
def simple_save_v1_loader(t):
    v1, folder = t.fw.compat.v1, os.path.join(t.tmpdir(), "saved")
    _save(t, folder)
    with t.fw.Graph().as_default(), v1.Session() as session:
        meta = v1.saved_model.loader.load(session, ["serve"], folder)
        signature = meta.signature_def["serving_default"]
        names = signature.inputs["x"].name, signature.outputs["y"].name
        got = session.run(names[1], {names[0]: [1.0, 2.0]})
    t.expect(signature.method_name == "tensorflow/serving/predict", "a signature to predict")
    t.expect(names[0] == "x:0" and got.tolist() == [3.0, 6.0], "3 and 6, got %s" % got)


@case("tf.compat.v1.saved_model.simple_save", host_only=True, reference="none", core=False)
def simple_save_twice(t):
    folder = os.path.join(t.tmpdir(), "saved")
    _save(t, folder)
    error = t.raises((AssertionError, ValueError), _save, t, folder)
    t.expect("saved" in str(error), "the folder's name, got %s" % str(error)[:200])
