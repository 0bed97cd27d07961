"""Graphs and sessions of TensorFlow 1 at the edges: fetches, feeds, scopes, metrics, threads."""

import os
import subprocess
import sys
import threading

from seamark_agent.harness import Skip

from seamark_suites.case import case

from . import reference as right

# -- sessions -------------------------------------------------------------------------------------


@case("tf.compat.v1.Session.run", reference="none", core=False)
def session_run_feeds_anything(t):
    """Not only placeholders: what is fed is not computed."""
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    with t.fw.Graph().as_default(), t.fw.device(t.device):
        x = t.fw.compat.v1.placeholder(t.fw.float32, [2])
        middle = t.fw.sqrt(x)
        last = middle + 1.0
        with t.fw.compat.v1.Session() as session:
            got = t.call(session.run, last, {middle: [3.0, 4.0]})
    t.expect(got.tolist() == [4.0, 5.0], "4 and 5, got %s" % got)


@case("tf.compat.v1.Session.run", reference="none", core=False)
def session_run_only_what_is_needed(t):
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    v1 = t.fw.compat.v1
    with t.fw.Graph().as_default(), t.fw.device(t.device):
        count = v1.get_variable("count", initializer=0.0, use_resource=True)
        v1.assign_add(count, 1.0)
        fed = v1.placeholder(t.fw.float32, [])
        with v1.Session() as session:
            session.run(count.initializer)
            t.call(session.run, fed * 2.0, {fed: 1.0})
            got = float(session.run(count))
    t.expect(got == 0, "an update that nobody asked for is not made, got %g" % got)


@case("tf.compat.v1.Session.run", reference="none", host_only=True, core=False)
def session_run_metadata(t):
    v1 = t.fw.compat.v1
    with t.fw.Graph().as_default():
        fed = v1.placeholder(t.fw.float32, [3])
        options, found = v1.RunOptions(output_partition_graphs=True), v1.RunMetadata()
        with v1.Session() as session:
            t.call(session.run, fed + 1.0, {fed: [1, 2, 3]}, options=options, run_metadata=found)
    ops = [node.op for graph in found.partition_graphs for node in graph.node]
    t.expect(any(op.startswith("Add") for op in ops), "the sum in the graph that ran, got %s" % ops)


@case("tf.compat.v1.Session.run", reference="none", host_only=True, core=False)
def session_run_other_graph(t):
    with t.fw.Graph().as_default():
        stranger = t.fw.constant(1.0)
    with t.fw.Graph().as_default(), t.fw.compat.v1.Session() as session:
        t.raises((ValueError, RuntimeError), t.call, session.run, stranger)


@case("tf.compat.v1.Session.run", reference="none", host_only=True, core=False)
def session_run_closed(t):
    with t.fw.Graph().as_default():
        made = t.fw.constant(1.0)
        session = t.fw.compat.v1.Session()
        session.close()
        t.raises(RuntimeError, t.call, session.run, made)


@case("tf.compat.v1.Tensor.eval", dtypes="f32", core=False, reference=right.doubled)
def tensor_eval_default_session(t, dtype):
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    values = t.host(t.randn((4, 5), dtype))
    with t.fw.Graph().as_default(), t.fw.device(t.device):
        fed = t.fw.compat.v1.placeholder(t.dtype(dtype), [4, 5])
        doubled = fed * 2.0
        with t.fw.compat.v1.Session():
            return t.call(doubled.eval, {fed: values})


@case("tf.compat.v1.placeholder", reference="none", host_only=True, core=False)
def placeholder_wrong_shape(t):
    with t.fw.Graph().as_default():
        fed = t.call("tf.compat.v1.placeholder", t.fw.float32, [None, 3])
        made = fed * 2.0
        with t.fw.compat.v1.Session() as session:
            t.raises(ValueError, session.run, made, {fed: [[1.0, 2.0]]})
            t.raises((ValueError, TypeError), session.run, made, {fed: [["a", "b", "c"]]})


@case("tf.compat.v1.placeholder", reference="none", host_only=True, core=False)
def placeholder_strings(t):
    with t.fw.Graph().as_default():
        fed = t.call("tf.compat.v1.placeholder", t.fw.string, [None])
        joined = t.fw.strings.reduce_join(fed)
        with t.fw.compat.v1.Session() as session:
            got = session.run(joined, {fed: ["a", "bc"]})
    t.expect(got == b"abc", "abc, got %r" % got)


@case("tf.compat.v1.placeholder", reference="none", host_only=True, core=False)
def placeholder_unfed(t):
    with t.fw.Graph().as_default():
        fed = t.call("tf.compat.v1.placeholder", t.fw.float32, [2], name="empty")
        with t.fw.compat.v1.Session() as session:
            error = t.raises(t.fw.errors.InvalidArgumentError, session.run, fed + 1.0)
    t.expect("empty" in str(error), "the placeholder's name, got %s" % str(error)[:200])


@case("tf.compat.v1.test.compute_gradient_error", reference="none", core=False)
def compute_gradient_error_inputs(t):
    """Of several inputs the greatest error counts."""
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    one, two = t.np.asarray([1.0, 2.0]), t.np.asarray([0.5, 3.0])
    with t.fw.Graph().as_default(), t.fw.device(t.device), t.fw.compat.v1.Session():
        x, y = t.fw.constant(one), t.fw.constant(two)
        error = t.call(
            "tf.compat.v1.test.compute_gradient_error",
            [x, y],
            [(2,), (2,)],
            x * t.fw.sin(y),
            (2,),
            x_init_value=[one, two],
        )
    t.expect(0 <= error < 1e-6, "an error below 1e-6, got %g" % error)


@case("tf.compat.v1.test.compute_gradient_error", reference="none", host_only=True, core=False)
def compute_gradient_error_eager(t):
    x = t.fw.constant([1.0, 2.0])
    kinds = (RuntimeError, ValueError, AttributeError)
    name = "tf.compat.v1.test.compute_gradient_error"
    t.raises(kinds, t.call, name, x, (2,), x * x, (2,))


# -- variables of a graph -------------------------------------------------------------------------


@case("tf.compat.v1.global_variables_initializer", reference="none", core=False)
def global_variables_initializer_random(t):
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    v1 = t.fw.compat.v1
    with t.fw.Graph().as_default(), t.fw.device(t.device):
        held = v1.get_variable(
            "held", [64], initializer=v1.random_normal_initializer(), use_resource=True
        )
        made = t.get("tf.compat.v1.global_variables_initializer")()
        with v1.Session() as session:
            draws = []
            for _ in range(2):
                t.call(session.run, made)
                draws.append(session.run(held))
    t.expect(draws[0].std() > 0 and (draws[0] != draws[1]).any(), "two draws that differ")


@case("tf.compat.v1.global_variables_initializer", reference="none", core=False)
def global_variables_initializer_order(t):
    """A variable that starts at twice another's initial value, whichever comes first."""
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    v1 = t.fw.compat.v1
    with t.fw.Graph().as_default(), t.fw.device(t.device):
        first = v1.get_variable("b", initializer=3.0, use_resource=True)
        second = v1.get_variable("a", initializer=first.initial_value * 2.0, use_resource=True)
        made = t.get("tf.compat.v1.global_variables_initializer")()
        with v1.Session() as session:
            t.call(session.run, made)
            got = session.run([first, second])
    t.expect([float(v) for v in got] == [3.0, 6.0], "3 and 6, got %s" % got)


@case("tf.compat.v1.global_variables_initializer", reference="none", host_only=True, core=False)
def global_variables_initializer_local(t):
    v1 = t.fw.compat.v1
    with t.fw.Graph().as_default():
        local = v1.get_local_variable("local", initializer=1.0, use_resource=True)
        made = t.call("tf.compat.v1.global_variables_initializer")
        with v1.Session() as session:
            session.run(made)
            t.raises(t.fw.errors.FailedPreconditionError, session.run, local)


@case("tf.compat.v1.is_variable_initialized", reference="none", core=False)
def is_variable_initialized_reference(t):
    """The older kind of variable, which is no resource."""
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    v1 = t.fw.compat.v1
    with t.fw.Graph().as_default(), t.fw.device(t.device):
        held = v1.get_variable("held", initializer=1.0, use_resource=False)
        asked = t.get("tf.compat.v1.is_variable_initialized")(held)
        with v1.Session() as session:
            before = session.run(asked)
            session.run(held.initializer)
            after = t.call(session.run, asked)
    t.expect(not before and bool(after), "false, then true; got %s and %s" % (before, after))


@case("tf.compat.v1.variable_scope", host_only=True, reference="none", core=False)
def variable_scope_default_name(t):
    v1, names = t.fw.compat.v1, []
    with t.fw.Graph().as_default():
        for _ in range(2):
            with t.call("tf.compat.v1.variable_scope", None, default_name="layer"):
                names.append(v1.get_variable("w", [2]).name)
    t.expect(names == ["layer/w:0", "layer_1/w:0"], "layer and layer_1, got %s" % names)


@case("tf.compat.v1.variable_scope", host_only=True, reference="none", core=False)
def variable_scope_nested(t):
    """The inner scope takes the outer one's initializer, regularizer and reuse."""
    v1 = t.fw.compat.v1
    with t.fw.Graph().as_default():
        options = {"initializer": v1.ones_initializer(), "regularizer": t.fw.reduce_sum}
        with t.call("tf.compat.v1.variable_scope", "a", **options), v1.variable_scope("b"):
            held = v1.get_variable("w", [2])
        losses = v1.get_collection(v1.GraphKeys.REGULARIZATION_LOSSES)
        with v1.variable_scope("a", reuse=True), v1.variable_scope("b"):
            same = v1.get_variable("w", [2])
        with v1.Session() as session:
            session.run(held.initializer)
            values, loss = session.run([held, losses[0]])
    t.expect(held.name == "a/b/w:0" and held is same, "a/b/w, shared, got %s" % held.name)
    t.expect(values.tolist() == [1.0, 1.0] and loss == 2.0, "ones and their sum")


@case("tf.compat.v1.variable_scope", host_only=True, reference="none", core=False)
def variable_scope_getter(t):
    v1, asked = t.fw.compat.v1, []

    def custom(getter, name, *args, **kwargs):
        asked.append(name)
        return getter(name, *args, **kwargs)

    with t.fw.Graph().as_default():
        scope = t.call("tf.compat.v1.variable_scope", "a", custom_getter=custom)
        with scope:
            v1.get_variable("w", [2])
    t.expect(asked == ["a/w"], "asked for a/w, got %s" % asked)


@case("tf.compat.v1.get_collection", host_only=True, reference="none", core=False)
def get_collection_of_graph(t):
    v1, first, second = t.fw.compat.v1, t.fw.Graph(), t.fw.Graph()
    with first.as_default():
        v1.add_to_collection("kept", 1)
    with second.as_default():
        got = t.call("tf.compat.v1.get_collection", "kept")
    t.expect(got == [] and first.get_collection("kept") == [1], "nothing there, got %r" % got)


# -- metrics --------------------------------------------------------------------------------------


@case("tf.compat.v1.metrics.accuracy", reference="none", core=False)
def metrics_accuracy_cast(t):
    """Labels and predictions of different dtypes."""
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    v1 = t.fw.compat.v1
    with t.fw.Graph().as_default(), t.fw.device(t.device):
        labels, guesses = v1.placeholder(t.fw.int64, [4]), v1.placeholder(t.fw.int32, [4])
        value, update = t.get("tf.compat.v1.metrics.accuracy")(labels, guesses)
        with v1.Session() as session:
            session.run(v1.local_variables_initializer())
            t.call(session.run, update, {labels: [1, 2, 3, 4], guesses: [1, 2, 3, 0]})
            fresh = float(session.run(value))
    t.expect(0.7 < fresh < 0.8, "3 of 4, got %g" % fresh)


@case("tf.compat.v1.metrics.accuracy", reference="none", host_only=True, core=False)
def metrics_accuracy_collections(t):
    v1 = t.fw.compat.v1
    with t.fw.Graph().as_default():
        value, update = t.call(
            "tf.compat.v1.metrics.accuracy",
            t.fw.constant([1, 2]),
            t.fw.constant([1, 0]),
            metrics_collections="values",
            updates_collections="updates",
        )
        t.expect(v1.get_collection("values") == [value], "the value in its collection")
        t.expect(v1.get_collection("updates") == [update], "the update in its collection")
        local = [one.op.name for one in v1.local_variables()]
    t.expect(local == ["accuracy/total", "accuracy/count"], "two local variables, got %s" % local)


@case("tf.compat.v1.metrics.accuracy", reference="none", host_only=True, core=False)
def metrics_accuracy_wrong_shape(t):
    with t.fw.Graph().as_default():
        labels, guesses = t.fw.constant([1, 2, 3]), t.fw.constant([1, 0])
        t.raises(ValueError, t.call, "tf.compat.v1.metrics.accuracy", labels, guesses)


# -- graphs ---------------------------------------------------------------------------------------


@case("tf.Graph.as_default", dtypes="f32", host_only=True, core=False)
def graph_as_default_run(t, dtype):
    """Made within, run by a session that was given the graph."""
    values, graph = t.host(t.randn((3, 4), dtype)), t.fw.Graph()
    with t.call("tf.Graph.as_default", graph):
        fed = t.fw.compat.v1.placeholder(t.dtype(dtype), [3, 4])
        total = t.fw.reduce_sum(t.fw.square(fed), axis=1)
    with t.fw.compat.v1.Session(graph=graph) as session:
        return session.run(total, {fed: values})


@case("tf.Graph.as_default", host_only=True, reference="none", core=False)
def graph_as_default_thread(t):
    graph, seen = t.fw.Graph(), []

    def look():
        seen.append(t.fw.compat.v1.get_default_graph() is graph)

    with t.call("tf.Graph.as_default", graph):
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
    t.expect(seen == [False], "another default in another thread, got %s" % seen)


@case("tf.Graph.as_default", host_only=True, reference="none", core=False)
def graph_as_default_error(t):
    def fail():
        with t.call("tf.Graph.as_default", t.fw.Graph()):
            raise KeyError("stop")

    t.raises(KeyError, fail)
    t.expect(t.fw.executing_eagerly(), "eager execution again")


@case("tf.Graph.as_default", host_only=True, reference="none", core=False)
def graph_as_default_finalized(t):
    graph = t.fw.Graph()
    with t.call("tf.Graph.as_default", graph):
        t.fw.constant(1.0)
        graph.finalize()
        t.raises(RuntimeError, t.fw.constant, 2.0)


# -- executing eagerly -----------------------------------------------------------------------------


@case("tf.executing_eagerly", host_only=True, reference="none", core=False)
def eager_in_other_places(t):
    """Not in what a dataset, a branch or a wrapped function traces; in Python's functions, other threads and lifted scopes."""
    tf, eager, found = t.fw, t.get("tf.executing_eagerly"), {}

    def look(place, value):
        found[place] = eager()
        return value

    def states():
        list(tf.data.Dataset.range(1).map(lambda x: look("dataset", x)))
        tf.map_fn(lambda x: look("loop of Python", x), tf.constant([1.0]))
        tf.compat.v1.wrap_function(lambda: look("wrapped", tf.constant(1)), [])

        @tf.function(autograph=False)
        def traced(x):
            with tf.init_scope():
                look("lifted", 0)
            tf.py_function(lambda: look("py_function", 1.0), [], tf.float32)
            return tf.cond(x > 0, lambda: look("branch", x), lambda: x)

        traced(tf.constant(1.0))
        with tf.Graph().as_default():
            thread = threading.Thread(target=look, args=("thread", 0))
            thread.start()
            thread.join()
            with tf.compat.v1.Session():
                look("session", 0)
        try:
            with tf.Graph().as_default():
                raise KeyError("of the body")
        except KeyError:
            look("after an error", 0)
        return [found[place] for place in want]

    want = {"dataset": False, "loop of Python": True, "wrapped": False, "lifted": True, "py_function": True, "branch": False,
            "thread": True, "session": False, "after an error": True}  # fmt: skip
    got = dict(zip(want, t.call(states)))
    t.expect(got == want, "%s, got %s" % (want, got))


@case("tf.executing_eagerly", host_only=True, reference="none", core=False, timeout_s=120)
def eager_is_switched_off(t):
    """In a process of TensorFlow 1: at the top, in a function and in Python's functions within it."""
    source = (
        "import importlib\n"
        "tf = importlib.import_module('tensorflow')\n"
        "tf.compat.v1.disable_eager_execution()\n"
        "seen = [tf.executing_eagerly()]\n"
        "tf.function(lambda: seen.append(tf.executing_eagerly()))()\n"
        "with tf.init_scope(): seen.append(tf.executing_eagerly())\n"
        "print('seen', seen)\n"
    )

    def run():
        t.get("tf.executing_eagerly")
        environment = dict(os.environ, CUDA_VISIBLE_DEVICES="-1")
        return subprocess.run(
            [sys.executable, "-c", source], stdout=subprocess.PIPE, env=environment
        )

    done = t.call(run)
    t.expect(b"seen [False, False, False]" in done.stdout, "never, got %s" % done.stdout)


# -- control dependencies --------------------------------------------------------------------------

AFTER = "tf.control_dependencies"


@case(AFTER, host_only=True, reference="none", core=False)
def after_other_things(t):
    """In a graph: variables, the values of slices, operations; what was made before waits for nothing, nor do other graphs."""
    tf, v1 = t.fw, t.fw.compat.v1
    with tf.Graph().as_default():
        held = v1.get_variable("held", initializer=1.0, use_resource=True)
        old = v1.get_variable("old", initializer=1.0, use_resource=False)
        rows = tf.IndexedSlices(tf.constant([1.0], name="rows"), tf.constant([0]))
        before = tf.constant(2.0, name="before")
        found = []
        for one in (held, old, rows, held.initializer):
            with t.call(AFTER, [one]):
                found.append([op.name for op in tf.no_op().control_inputs])
        want = [["held"], ["old"], ["rows"], ["held/Assign"]]
        t.expect(found == want, "%s, got %s" % (want, found))
        with t.call(AFTER, [before]):
            same, made = before, tf.identity(before)
            with tf.Graph().as_default():
                t.expect(tf.no_op().control_inputs == [], "nothing in another graph")
        t.expect(same.op.control_inputs == [] and made.op.control_inputs == [], "no input twice")
        for wrong in (tf.SparseTensor([[0]], [1.0], [2]), (before,), 3.5):
            t.raises((TypeError, ValueError), t.call, AFTER, [wrong])
        try:
            with t.call(AFTER, [before]):
                raise KeyError("of the body")
        except KeyError:
            t.expect(tf.no_op().control_inputs == [], "nothing behind an error")


@case(AFTER, host_only=True, reference="none", core=False)
def after_functions_of_python(t):
    """Eagerly all has run already: tensors are passed by, and a function is called, as documented."""
    called = []
    with t.call(AFTER, [lambda: called.append(1), t.fw.constant(1.0)]):
        t.expect(called == [1], "once, got %s" % called)
        made = t.fw.constant(2.0) * 3.0
    t.expect(float(made) == 6.0 and called == [1], "and no more")
    with t.call(AFTER, None):
        t.expect(float(made + 1.0) == 7.0, "none is fine")


@case(
    AFTER,
    dtypes="f32",
    core=False,
    reference=lambda np, start, x: [start + 2 * x, start + x, start + 3 * x],
)
def after_branches_and_loops(t, dtype):
    """A read waits for an update within a branch and in each round of a loop; of one branch alone."""
    tf, after = t.fw, t.get(AFTER)
    held = tf.Variable(t.randint((3,), dtype, 1, 9))
    start = held.read_value()

    def branch(x, flag):
        def grown():
            with after([held.assign_add(x)]):
                return held.read_value()

        return tf.cond(flag, grown, lambda: x)

    def loop(x):
        def body(i, seen):
            with after([held.assign_add(x)]):
                return i + 1, held.read_value()

        return tf.while_loop(lambda i, _: i < 2, body, (tf.constant(0), x))[1]

    x = t.randint((3,), dtype, 10, 90)
    made = [t.call(tf.function(loop, autograph=False), x)]
    held.assign(start)
    made.append(t.call(tf.function(branch, autograph=False), x, t.fw.constant(True)))
    held.assign(start + 3 * x)
    t.call(tf.function(branch, autograph=False), x, t.fw.constant(False))
    return [*made, held.read_value()]
