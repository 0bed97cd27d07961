"""Saved models of TensorFlow 1, as they come back: graphs by their tags, variables, tables, branches, loops, what is sparse."""

import os
import shutil

from seamark_suites.case import case

LOAD = "tf.saved_model.load"
SERVED = "serving_default"


def _signed(tf, inputs, outputs):
    v1 = tf.compat.v1.saved_model
    parts = ({name: v1.build_tensor_info(x) for name, x in one.items()} for one in (inputs, outputs))  # fmt: skip
    return v1.signature_def_utils.build_signature_def(*parts)


def _simple(t, name, make):
    """A folder with the graph that `make` makes: its inputs, its outputs, what starts it, what is to run first."""
    tf, folder = t.fw, os.path.join(t.tmpdir(), name)
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        inputs, outputs, first, starts = make(tf, tf.compat.v1)
        session.run(first)
        tf.compat.v1.saved_model.simple_save(session, folder, inputs, outputs, starts)
    return folder


@case(LOAD, host_only=True, core=False, reference="none")
def loads_graphs_by_their_tags(t):
    """Two graphs in one folder: none without a tag, each by its own, with its own signature and names."""
    tf, v1, folder = t.fw, t.fw.compat.v1, os.path.join(t.tmpdir(), "model")
    with tf.Graph().as_default(), v1.Session() as session:
        start = v1.placeholder(tf.float32, [None], name="start")
        held = v1.get_variable("held", initializer=21.0, use_resource=True)
        session.run(held.initializer)
        builder = v1.saved_model.Builder(folder)
        one = _signed(tf, {"a": start}, {"times": start * held})
        builder.add_meta_graph_and_variables(session, ["first"], {"one": one})
        two = _signed(tf, {"b": start}, {"held": tf.identity(held)})
        builder.add_meta_graph(["second", "other"], {"two": two})
        builder.save()
    for tags in ({}, {"tags": ["third"]}, {"tags": ["first", "second"]}, {"tags": ["second"]}):
        t.raises((ValueError, RuntimeError), t.call, LOAD, folder, **tags)
    two = tf.constant([2.0])
    for tags in (["first"], {"first"}, "first"):
        loaded = t.call(LOAD, folder, tags=tags)
        t.expect(list(loaded.signatures) == ["one"], "one, got %s" % list(loaded.signatures))
        made = loaded.signatures["one"](a=two)
        t.expect(list(made) == ["times"] and made["times"].numpy().tolist() == [42.0], "%s" % made)
    loaded = t.call(LOAD, folder, tags={"other", "second"})
    run = loaded.signatures["two"]
    t.expect(float(run(b=two)["held"]) == 21.0, "21")
    for wrong in ({"x": two}, {"b": two, "x": two}, {}):
        t.raises(TypeError, run, **wrong)


@case(LOAD, dtypes="f32", core=False, reference=lambda np, w, x: [
      w * x, np.array([7.0, 1.0]), 2 * w * x, 6 * w * x, np.array(36 * ((w * x) ** 2).sum())])  # fmt: skip
def loads_variables_of_version_1(t, dtype):
    """A variable that is trained, one that is local and begun as it is loaded; both are set anew, and the slope goes to one."""
    w, x = t.uniform((3,), dtype, 1, 2), t.uniform((3,), dtype, 1, 2)
    values = t.host(w).tolist()

    def make(tf, v1):
        start = v1.placeholder(tf.float32, None, name="start")
        held = v1.get_variable("held", initializer=1.0, use_resource=True)
        unused = v1.get_variable("unused", initializer=7.0, use_resource=True, trainable=False)
        local = v1.get_variable("local", initializer=1.0, use_resource=True, trainable=False,
                                collections=[v1.GraphKeys.LOCAL_VARIABLES])  # fmt: skip
        made = start * tf.constant(values) * held * local
        first = [held.initializer, unused.initializer, local.initializer]
        return {"start": start}, {"made": made}, first, local.initializer

    loaded, tf = t.get(LOAD)(_simple(t, "model", make)), t.fw
    run = loaded.signatures[SERVED]
    held = {one.name.split(":")[0]: one for one in loaded.variables}
    t.expect(sorted(held) == ["held", "local", "unused"], "three, got %s" % sorted(held))
    trained = [name for name, one in held.items() if one.trainable]
    t.expect(trained == ["held"], "one is trained, got %s" % trained)
    made = [t.call(lambda x: run(start=x)["made"], x), tf.stack([held["unused"], held["local"]])]
    held["held"].assign(2.0)
    made.append(t.call(lambda x: run(x)["made"], x))
    held["local"].assign(3.0)
    made.append(t.call(lambda x: run(start=x)["made"], x))

    def slope(x):
        with tf.GradientTape() as tape:
            made = run(start=x)["made"]
            total = tf.reduce_sum(made * made)
        t.expect(list(tape.watched_variables()) == [held["held"]], "one is watched")
        return tape.gradient(total, held["held"])

    return [*made, t.call(slope, x)]


@case(LOAD, host_only=True, core=False, reference="none")
def loads_other_variables_of_version_1(t):
    """Variables of references, also one that no signature needs; one in two parts, which a checkpoint of names restores."""
    tf, v1, here = t.fw, t.fw.compat.v1, t.tmpdir()

    def refs(tf, v1):
        start = v1.placeholder(tf.float32, None, name="start")
        other = v1.get_variable("other", initializer=-1.0, use_resource=False)
        held = v1.get_variable("held", initializer=3.0, use_resource=False)
        return {"start": start}, {"made": start * held}, [other.initializer, held.initializer], None

    loaded = t.call(LOAD, _simple(t, "refs", refs))
    made = loaded.signatures[SERVED](start=tf.constant([2.0, 5.0]))["made"].numpy().tolist()
    t.expect(made == [6.0, 15.0], "three times, got %s" % made)
    model, kept = os.path.join(here, "parts"), os.path.join(here, "kept")
    with tf.Graph().as_default(), v1.Session() as session:
        cut = v1.fixed_size_partitioner(2)
        held = v1.get_variable("a", [6], initializer=v1.constant_initializer(13), partitioner=cut, use_resource=True)  # fmt: skip
        x = v1.placeholder(tf.float32, [], name="x")
        made = x * tf.convert_to_tensor(held)
        session.run(v1.global_variables_initializer())
        v1.saved_model.simple_save(session, model, {"x": x}, {"y": made})
        session.run([one.assign(v) for one, v in zip(held, ([5.0, 4, 3], [2.0, 1, 0]))])
        v1.train.Saver().save(session, kept)
    loaded = t.call(LOAD, model)
    got = [one.numpy().tolist() for one in loaded.variables]
    t.expect(got == [[13.0] * 3] * 2, "as they were saved, got %s" % got)
    loaded.restore(kept)
    got = [one.numpy().tolist() for one in loaded.variables]
    t.expect(got == [[5.0, 4.0, 3.0], [2.0, 1.0, 0.0]], "of the checkpoint, got %s" % got)
    got = loaded.signatures[SERVED](tf.constant(2.0))["y"].numpy().tolist()
    t.expect(got == [10.0, 8.0, 6.0, 4.0, 2.0, 0.0], "twice, got %s" % got)


@case(LOAD, host_only=True, core=False, reference="none")
def loads_tables_of_version_1(t):
    """A table of a file's words, filled as it is loaded; saved and loaded again twice, each time without the folder before."""
    tf, path = t.fw, os.path.join(t.tmpdir(), "words.txt")
    with open(path, "w", encoding="utf-8") as out:
        out.write("alpha\nbeta\ngamma\n")

    def make(tf, v1):
        kind = tf.lookup.TextFileIndex
        words = tf.lookup.TextFileInitializer(path, tf.string, kind.WHOLE_LINE, tf.int64, kind.LINE_NUMBER)  # fmt: skip
        table = v1.lookup.StaticHashTable(words, -1)
        start = v1.placeholder(tf.string, None, name="in")
        return {"start": start}, {"made": table.lookup(start, name="out")}, table.initializer, table.initializer  # fmt: skip

    folder = _simple(t, "model", make)
    os.remove(path)
    for number in range(3):
        loaded = t.call(LOAD, folder)
        words = tf.constant(["gamma", "alpha", "delta"])
        got = loaded.signatures[SERVED](start=words)["made"].numpy().tolist()
        t.expect(got == [2, 0, -1], "loaded %d times: 2, 0, none; got %s" % (number + 1, got))
        again = os.path.join(t.tmpdir(), "again%d" % number)
        tf.saved_model.save(loaded, again, signatures=loaded.signatures)
        shutil.rmtree(folder)
        folder = again


def _branch(tf, v1):
    which = v1.placeholder(tf.bool, [], name="which")
    made = v1.cond(which, lambda: tf.ones([]), lambda: tf.zeros([]))
    return {"x": which}, {"y": made}, [], None


def _loop(tf, v1):
    most = v1.placeholder(tf.int32, [], name="most")
    zero = tf.constant(0)
    made = v1.while_loop(lambda i, _: i <= most, lambda i, s: (i + 1, s + i), [zero, zero])
    return {"x": most}, {"y": made[1]}, [], None


def _nested(tf, v1):
    most, zero = v1.placeholder(tf.int32, [], name="most"), tf.constant(0)

    def inner(most):
        return v1.while_loop(lambda i, _: i <= most, lambda i, s: (i + 1, s + i), [zero, zero])[1]

    made = v1.while_loop(lambda i, _: i <= most, lambda i, s: (i + 1, s + inner(i)), [zero, zero])
    return {"x": most}, {"y": made[1]}, [], None


def _functions(tf, v1):
    one = tf.function(lambda x: x + 1, autograph=False)
    two = tf.function(lambda x: one(x) + 1, autograph=False)
    fed = v1.placeholder(tf.int32, [], name="fed")
    return {"x": fed}, {"y": two(fed) + 1}, [], None


@case(LOAD, host_only=True, core=False, reference="none")
def loads_branches_and_loops_of_version_1(t):
    """A choice, a loop, a loop in a loop, functions within functions; as operations of version 1 and as today's."""
    tf, v1 = t.fw, t.fw.compat.v1
    models = (_branch, {True: 1, False: 0}), (_loop, {4: 10, 5: 15}), (_nested, {4: 20, 5: 35}), (_functions, {42: 45})  # fmt: skip
    today = v1.control_flow_v2_enabled()
    try:
        for switched in (v1.enable_control_flow_v2, v1.disable_control_flow_v2):
            switched()
            for make, wants in models:
                folder = _simple(t, make.__name__ + switched.__name__, make)
                run = t.call(LOAD, folder).signatures[SERVED]
                got = {given: float(run(tf.constant(given))["y"]) for given in wants}
                t.expect(got == wants, "%s: %s, got %s" % (make.__name__, wants, got))
    finally:
        (v1.enable_control_flow_v2 if today else v1.disable_control_flow_v2)()


@case(LOAD, host_only=True, core=False, reference="none")
def loads_signatures_of_version_1(t):
    """None at all; one without inputs; one whose placeholder nobody feeds is refused; sizes that are claimed; parts by name."""
    tf, v1, here = t.fw, t.fw.compat.v1, t.tmpdir()

    def saved(name, make, tags=("serve",)):
        folder = os.path.join(here, name)
        with tf.Graph().as_default(), v1.Session() as session:
            builder = v1.saved_model.Builder(folder)
            builder.add_meta_graph_and_variables(session, tags, make())
            builder.save()
        return folder

    def unsigned():
        fed = v1.placeholder(tf.float32, [], name="x")
        tf.identity(fed + 1.0, name="out")
        return {}

    def no_inputs(fed=False):
        x = v1.placeholder(tf.float32, [], name="x")
        made = tf.random.normal([2])
        return {"key": _signed(tf, {}, {"value": made * x if fed else made})}

    def claimed():
        start = v1.placeholder(tf.float32, [None], name="start")
        made = tf.identity(start)
        made.set_shape([1])
        return {"key": _signed(tf, {"start": start}, {"made": made})}

    loaded = t.call(LOAD, saved("unsigned", unsigned))
    t.expect(list(loaded.signatures) == [], "none, got %s" % list(loaded.signatures))
    part = loaded.prune("x:0", "out:0")
    got = [float(part(tf.constant(1.5))), float(part(x=tf.constant(-3.0)))]
    t.expect(got == [2.5, -2.0], "one more, got %s" % got)
    t.expect(loaded.graph.as_graph_element("x:0").shape == [], "a number in its graph")
    part = loaded.prune("x:0", {"more": "out:0", "same": "x:0"})
    got = {name: float(one) for name, one in part(tf.constant(2.0)).items()}
    t.expect(got == {"more": 3.0, "same": 2.0}, "two by names, got %s" % got)
    loaded = t.call(LOAD, saved("no_inputs", no_inputs))
    t.expect(loaded.signatures["key"]()["value"].shape == [2], "two numbers")
    same = loaded.tensorflow_version == tf.__version__
    same = same and loaded.tensorflow_git_version == tf.version.GIT_VERSION
    t.expect(same, "its versions, got %s" % loaded.tensorflow_git_version)
    unfed = saved("unfed", lambda: no_inputs(True))
    t.raises(Exception, t.call, LOAD, unfed)  # of a private kind
    made = t.call(LOAD, saved("claimed", claimed)).signatures["key"]
    t.expect(made.outputs[0].shape == [1], "the size that is claimed, got %s" % made.outputs[0])


@case(LOAD, host_only=True, core=False, reference="none")
def loads_sparse_signatures_of_version_1(t):
    """A sparse result is one tensor, a sparse input comes as its three parts."""
    tf = t.fw

    def out(tf, v1):
        fed = v1.placeholder(tf.int64, [1], name="fed")
        made = tf.SparseTensor([[2]], fed * 2, [4])
        return {"start": fed}, {"made": made}, [], None

    def within(tf, v1):
        fed = v1.sparse_placeholder(tf.int64, [2, 3], name="fed")
        made = tf.SparseTensor(fed.indices, fed.values * 2, fed.dense_shape)
        return {"start": fed}, {"made": made}, [], None

    i64 = tf.int64
    made = t.call(LOAD, _simple(t, "out", out)).signatures[SERVED](tf.constant([42], i64))["made"]
    got = [one.numpy().tolist() for one in (made.indices, made.values, made.dense_shape)]
    t.expect(got == [[[2]], [84], [4]], "84 at 2 of 4, got %s" % got)
    run = t.call(LOAD, _simple(t, "within", within)).signatures[SERVED]
    parts = {"start_indices": [[0, 0], [0, 1], [1, 2]], "start_values": [42, 43, 44], "start_dense_shape": [2, 3]}  # fmt: skip
    made = run(**{name: tf.constant(one, i64) for name, one in parts.items()})["made"]
    got = tf.sparse.to_dense(made).numpy().tolist()
    t.expect(got == [[84, 86, 0], [0, 0, 88]], "twice, got %s" % got)
