"""What is around a program, and what stays of it: dependencies, strategies, eager or not, written files, checkpoints."""

import copy
import gc
import logging
import os
import pathlib
import weakref

from seamark_suites.case import case

AFTER, STRATEGY, EAGER = "tf.control_dependencies", "tf.distribute.get_strategy", "tf.executing_eagerly"  # fmt: skip
WRITE, CHECKPOINT = "tf.io.gfile.GFile.write", "tf.train.Checkpoint"


# --- control_dependencies


@case(AFTER, host_only=True, reference="none", core=False)
def after_what_inputs_wait_for(t):
    """An operation waits for nothing that an input of its block waits for already, through four nested blocks; things that stand for a tensor; what is lifted out."""
    tf, found = t.fw, {}

    class Stands:
        def _as_graph_element(self):
            return a[0]

    def waits(**made):
        for name, one in made.items():
            found[name] = sorted(op.name for op in one.op.control_inputs)

    with tf.Graph().as_default():
        a = [tf.constant(float(n), name="a%d" % n) for n in (1, 2, 3, 4)]
        first, last = None, None
        scopes = []
        for depth in range(4):
            scopes.append(t.call(AFTER, [a[depth]]))
            scopes[-1].__enter__()
            b = a[2] * a[3]
            first = first if first is not None else b
            c = a[0] * first
            d = b * c
            last = tf.constant(1.0) if last is None else last * last
            waits(**{"b%d" % depth: b, "c%d" % depth: c, "d%d" % depth: d, "e%d" % depth: last})
        for scope in reversed(scopes):
            scope.__exit__(None, None, None)
        with t.call(AFTER, [Stands()]):
            waits(stands=tf.constant(2.0))
        with t.call(AFTER, [a[0]]), t.call(AFTER, [a[1]]):
            with tf.init_scope():
                with t.call(AFTER, [a[2]]):
                    waits(lifted=tf.constant(3.0))
                waits(nothing=tf.constant(3.0))
            waits(behind=tf.constant(3.0))
        t.raises(TypeError, t.call, AFTER, [lambda: a[0]])
    want = {"b0": "a1", "b1": "a1 a2", "b2": "a1 a2", "b3": "a1 a2", "c0": "", "c1": "a2", "c2": "a2 a3", "c3": "a2 a3 a4",
            "d0": "", "d1": "", "d2": "", "d3": "", "e0": "a1", "e1": "a2", "e2": "a3", "e3": "a4", "stands": "a1", "lifted": "a3",
            "nothing": "", "behind": "a1 a2"}  # fmt: skip
    want = {name: names.split() for name, names in want.items()}
    t.expect(found == want, "%s, got %s" % (want, found))


@case(AFTER, host_only=True, reference="none", core=False)
def after_what_is_outside(t):
    """In a traced function: eager tensors and those of other functions are passed by; printing and calls of Python keep their order."""
    tf, outer, seen, order = t.fw, t.fw.constant(1.0), [], []

    def told(n):
        return lambda: order.append(n) or 0.0

    @tf.function(autograph=False)
    def program(x):
        y = x * 2

        @tf.function(autograph=False)
        def inner(z):
            with t.get(AFTER)([outer, y]):
                made = z + 1
            seen.append([op.name for op in made.op.control_inputs])
            return made

        with t.get(AFTER)([outer, y]):
            first = tf.py_function(told(1), [], tf.float32)
        seen.append([op.name for op in first.op.control_inputs])
        with t.get(AFTER)([first]):
            second = tf.py_function(told(2), [], tf.float32)
        with t.get(AFTER)([second]):
            return inner(x) + tf.py_function(told(3), [], tf.float32)

    got = t.call(program, tf.constant(5.0))
    t.expect(float(got) == 6.0 and order == [1, 2, 3], "6 and in order, got %s, %s" % (got, order))
    t.expect(len(seen[0]) == 1 and seen[1] == [], "those of the function alone, got %s" % seen)


# --- get_strategy


@case(STRATEGY, host_only=True, reference="none", core=False)
def strategy_set_for_all(t):
    """One that is set stands until another or none is; not within a scope; a scope that is entered again."""
    distribute = t.fw.distribute
    default, set_strategy = t.call(STRATEGY), distribute.experimental_set_strategy
    one, other = (distribute.OneDeviceStrategy("/cpu:0") for _ in range(2))
    try:
        for each in (one, other):
            set_strategy(each)
            t.expect(t.call(STRATEGY) is each and distribute.has_strategy(), "the one that is set")
            above = distribute.in_cross_replica_context() and distribute.get_replica_context() is None  # fmt: skip
            t.expect(above, "above its replicas")
    finally:
        set_strategy(None)
    t.expect(t.call(STRATEGY) is default and not distribute.has_strategy(), "the default again")
    with one.scope():
        for each in (other, one, None):
            t.raises(RuntimeError, set_strategy, each)
    first = one.scope()
    with first:
        second = one.scope()
        with second, first:
            t.expect(t.call(STRATEGY) is one, "deep within")
        t.expect(t.call(STRATEGY) is one, "still")
    t.expect(t.call(STRATEGY) is default, "none behind")
    with second:
        t.expect(t.call(STRATEGY) is one, "a scope again")
    t.expect(t.call(STRATEGY) is default, "none at last")


@case(STRATEGY, host_only=True, reference="none", core=False)
def strategy_by_default_offers(t):
    """What code for any strategy asks of the default one: merges, reductions by name, data of a function, updates; no variable of another."""
    tf, distribute = t.fw, t.fw.distribute
    default, context = t.call(STRATEGY), distribute.get_replica_context()
    t.expect(isinstance(default, distribute.Strategy), "a strategy, got %s" % default)
    ids = context.replica_id_in_sync_group, context.num_replicas_in_sync
    t.expect([int(one) for one in ids] == [0, 1] and context.strategy is default, "the only replica")  # fmt: skip

    def merged(strategy, word):
        same = strategy is default and t.call(STRATEGY) is default
        above = distribute.in_cross_replica_context() and not distribute.has_strategy()
        return same and above and distribute.get_replica_context() is None, "foo_" + word

    t.expect(context.merge_call(merged, args=("bar",)) == (True, "foo_bar"), "in a merge")
    t.expect(float(context.all_reduce("SUM", tf.constant(3.0))) == 3.0, "of one")
    for way, want in (("SUM", 9.0), ("sum", 9.0), (distribute.ReduceOp.MEAN, 3.0), ("mean", 3.0)):
        got = default.reduce(way, tf.constant([1.0, 2.0, 6.0]), axis=0)
        t.expect(float(got) == want, "%s: %g, got %s" % (way, want, got))
        got = default.reduce(way, tf.constant([1.0, 2.0]), axis=None).numpy().tolist()
        t.expect(got == [1.0, 2.0], "over replicas alone, got %s" % got)
    rows = default.distribute_datasets_from_function(lambda one: tf.data.Dataset.range(4).batch(one.get_per_replica_batch_size(2)))  # fmt: skip
    t.expect([one.numpy().tolist() for one in rows] == [[0, 1], [2, 3]], "batches of two")
    held = tf.Variable(1.0)
    default.extended.update(held, lambda one, by: one.assign_add(by), args=(4.0,))
    t.expect(float(held) == 5.0, "updated, got %s" % held)
    traced = tf.function(lambda x: default.run(lambda x: (x * 2, t.call(STRATEGY) is default)[0], args=(x,)))  # fmt: skip
    t.expect(float(traced(tf.constant(4.0))) == 8.0, "run within a function")
    other = distribute.OneDeviceStrategy("/cpu:0")
    with default.scope(), other.scope():
        t.raises(RuntimeError, tf.Variable, 1.0)
    with other.scope():
        tf.Variable(1.0)
    t.expect(t.call(STRATEGY) is default, "the default again")


# --- executing_eagerly


@case(EAGER, host_only=True, reference="none", core=False)
def eager_in_what_is_called_back(t):
    """In gradients of one's own, rounds and branches, functions of Python, nested functions, what is lifted out of a graph."""
    tf, eager, found = t.fw, t.get(EAGER), {}

    def look(place, value=0.0):
        found.setdefault(place, eager())
        return value

    def named(x, place):
        own = tf.custom_gradient(lambda x: (x * 1, lambda by: look(place, by)))
        return own(x)

    def states():
        x, zero = tf.constant(1.0), tf.constant(0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            made = named(x, "gradient")
        tape.gradient(made, x)
        tf.function(lambda x: tf.gradients(named(x, "traced gradient"), x), autograph=False)(x)
        for place, run in (("round", lambda f: f()), ("traced round", lambda f: tf.function(f, autograph=False)())):  # fmt: skip
            run(lambda: tf.while_loop(lambda i: i < 1, lambda i: [look(place, i + 1)], [zero]))  # noqa: B023
        tf.cond(tf.constant(True), lambda: look("branch", x), lambda: x)
        for place, run in (("numpy", lambda f: f()), ("traced numpy", lambda f: tf.function(f, autograph=False)())):  # fmt: skip
            run(lambda: tf.numpy_function(lambda: look(place, t.np.float32(1)), [], tf.float32))  # noqa: B023
        tf.vectorized_map(lambda x: look("batch", x), tf.ones([2]))
        tf.function(lambda: tf.function(lambda: look("nested", x))())()
        concrete = tf.function(lambda x: look("concrete", x)).get_concrete_function(x)
        concrete(x)
        with tf.Graph().as_default():
            with tf.init_scope():
                look("lifted out of a graph")
            tf.function(lambda: look("function of a graph", tf.constant(1)))()
        look("at last")
        return [found[place] for place in want]

    want = {"gradient": True, "traced gradient": False, "round": True, "traced round": False, "branch": True, "numpy": True,
            "traced numpy": True, "batch": False, "nested": False, "concrete": False, "lifted out of a graph": False,
            "function of a graph": False, "at last": True}  # fmt: skip
    got = dict(zip(want, t.call(states)))
    t.expect(got == want, "%s, got %s" % (want, got))
    t.expect(tf.compat.v1.executing_eagerly() is True, "by its name in version 1")


# --- GFile.write


@case(WRITE, host_only=True, reference="none", core=False)
def gfile_write_and_flush(t):
    """By a path object with other letters; after a flush others see it; two files by turns; a file in memory; one that nobody closes."""
    folder, make = pathlib.Path(t.tmpdir()), t.fw.io.gfile.GFile
    path = folder / "\u00fc \u4e2d"
    with make(path, "w") as file:
        t.call(WRITE, file, "\u00e9")
        file.flush()
        t.expect((path.read_bytes(), file.size()) == (b"\xc3\xa9", 2), "seen after a flush")
        t.call(WRITE, file, "a" * 3)
        file.flush()
        t.expect((file.tell(), file.size()) == (5, 5), "a place, got %s" % file.tell())
    with make(str(folder / "one"), "w") as one, make(str(folder / "two"), "ab") as two:
        for n in range(1000):
            t.call(WRITE, one, "%d\n" % n)
            t.call(WRITE, two, b"%d," % n)
    lines = (folder / "one").read_text(encoding="utf-8").splitlines()
    t.expect(lines == [str(n) for n in range(1000)], "a thousand lines, got %d" % len(lines))
    t.expect((folder / "two").read_bytes() == b"".join(b"%d," % n for n in range(1000)), "and parts")  # fmt: skip
    file = make("ram://seamark/" + folder.name, "w")
    t.call(WRITE, file, "in memory")
    file.close()
    t.expect(make("ram://seamark/" + folder.name).read() == "in memory", "in memory")
    file = make(str(folder / "left"), "a+")
    t.call(WRITE, file, "kept")
    del file
    gc.collect()
    t.expect((folder / "left").read_bytes() == b"kept", "what was written")
    for mode in ("w+", "r+"):
        with make(str(folder / mode), mode) as file:
            t.call(WRITE, file, "testing1\ntesting2\n\ntesting4")
            file.flush()
            got = file.readline(), file.read(9), file.read(), file.read()
            want = "testing1\n", "testing2\n", "\ntesting4", ""
            t.expect(
                got == want and file.size() == 27, "%s: read from the begin, got %s" % (mode, got)
            )
    errors = t.fw.errors
    t.raises(errors.PermissionDeniedError, t.call, WRITE, make(str(path), "rb"), b"x")
    t.raises(errors.PermissionDeniedError, make(str(path), "w").read)
    t.raises(errors.OpError, lambda: t.call(WRITE, make(str(folder / "bad"), "x"), "x"))


# --- Checkpoint


@case(CHECKPOINT, host_only=True, core=False, reference="none")
def checkpoint_of_loops_and_late_parts(t):
    """Objects that hold one another; parts that come later, in any order; the newest restore counts; two saved objects in one."""
    tf, make, folder = t.fw, t.get(CHECKPOINT), t.tmpdir()
    first, second = t.call(CHECKPOINT), make()
    first.second, second.first = second, first
    first.v, second.v = tf.Variable([3.0, 1.0, 4.0]), tf.Variable([1.0, 2.0])
    path = first.save(os.path.join(folder, "loop"))
    loaded, within = make(), tf.Module()
    status = loaded.restore(path)
    loaded.second, within.first = within, loaded
    t.raises(AssertionError, status.assert_consumed)
    loaded.v, within.v = tf.Variable([0.0] * 3), tf.Variable([0.0] * 2)
    status.assert_consumed()
    got = [loaded.v.numpy().tolist(), within.v.numpy().tolist()]
    t.expect(got == [[3.0, 1.0, 4.0], [1.0, 2.0]], "both, got %s" % got)
    loaded.v.assign([0.0] * 3)
    loaded.restore(path).assert_consumed()
    t.expect(loaded.v.numpy().tolist() == [3.0, 1.0, 4.0], "again, got %s" % loaded.v)

    saved = make(dep=tf.Module())
    saved.dep.var = tf.Variable(12.0)
    paths = [saved.save(os.path.join(folder, "first"))]
    saved.dep.var.assign(13.0)
    paths.append(saved.save(os.path.join(folder, "second")))
    for order, want in (((0, 1), [12.0, 13.0]), ((1, 0), [12.0, 12.0])):
        roots, part = [make(), make()], tf.Module()
        for n in order:
            roots[n].restore(paths[n])
        part.var, got = tf.Variable(0.0), []
        for root in roots:
            root.dep = part
            got.append(float(part.var))
        t.expect(got == want, "restored %s: %s, got %s" % (order, want, got))

    saved = make(one=tf.Module(), two=tf.Module())
    saved.one.a, saved.two.b = tf.Variable(32.0), tf.Variable(64.0)
    path, both = saved.save(os.path.join(folder, "both")), tf.Module()
    loaded = make(one=both, two=both)
    both.a, both.b = tf.Variable(0.0), tf.Variable(0.0)
    loaded.restore(path).assert_consumed().assert_existing_objects_matched()
    t.expect((float(both.a), float(both.b)) == (32.0, 64.0), "two in one")

    shared = tf.Module()
    shared.var = tf.Variable(5.0)
    saved = make(one=tf.Module(), two=tf.Module())
    saved.one.part = saved.two.part = shared
    status = (loaded := make()).restore(saved.save(os.path.join(folder, "shared")))
    loaded.one, loaded.two = tf.Module(), tf.Module()
    for part in (loaded.one, loaded.two):
        part.part = tf.Module()
        part.part.var = tf.Variable(0.0)
    t.raises(AssertionError, status.assert_consumed)
    t.raises(AssertionError, status.assert_existing_objects_matched)


@case(CHECKPOINT, host_only=True, core=False, reference="none")
def checkpoint_in_other_forms(t):
    """Deep copies, roots beside parts either way round, weak roots, paths as objects, names with slashes; within a function; options; empty lists."""
    tf, make, folder = t.fw, t.get(CHECKPOINT), pathlib.Path(t.tmpdir())
    held = tf.Variable(1.0)
    saved = t.call(CHECKPOINT, v=held)
    other = copy.deepcopy(saved)
    other.v.assign(2.0)
    t.expect(float(held) == 1.0, "a copy is another")
    path = other.save(folder / "copied")
    saved.restore(pathlib.Path(path)).assert_consumed()
    t.expect(float(held) == 2.0, "its value, got %s" % held)

    def rooted(value):
        root = tf.Module()
        root.v = tf.Variable(value)
        return root

    root, apart = rooted(3.0), tf.Variable(5.0)
    path = make(root, apart=apart).save(str(folder / "rooted"))
    swapped, v = tf.Module(), tf.Variable(0.0)
    swapped.apart = tf.Variable(0.0)
    loaded = make(swapped, v=v)
    loaded.restore(path).assert_consumed()
    got = float(v), float(swapped.apart), int(loaded.save_counter)
    t.expect(got == (3.0, 5.0, 1), "root and part exchanged, got %s" % (got,))
    root = rooted(1.0)
    weak = make(root=weakref.ref(root))
    path = weak.save(str(folder / "weak"))
    root.v.assign(2.0)
    weak.restore(path).assert_consumed()
    t.expect(float(root.v) == 1.0, "a weak root, got %s" % root.v)

    path, value = str(folder / "within"), tf.Variable(1.0)
    saved, loaded = make(v=value), make(v=tf.Variable(0.0))
    write = tf.function(lambda prefix: saved.write(prefix), autograph=False)
    for number in (1.0, 3.0):
        value.assign(number)
        write(tf.constant(path))
        status = loaded.read(path)
        status.assert_existing_objects_matched()
        status.assert_consumed()
        t.expect(float(loaded.v) == number, "written by a function, got %s" % loaded.v)
    t.raises(tf.errors.NotFoundError, write, tf.constant(str(folder / "no" / "such")))

    device = tf.train.CheckpointOptions(experimental_io_device="/job:localhost/device:CPU:0")
    named = make(**{"a/b": tf.Variable([7.0]), "lists": [tf.Variable(8.0), {"x/y": tf.Variable(9.0)}]})  # fmt: skip
    path = named.save(str(folder / "named"), options=device)
    names = {name for name, _ in tf.train.list_variables(path)}
    for name in ("a.Sb", "lists/0", "lists/1/x.Sy"):
        t.expect(name + "/.ATTRIBUTES/VARIABLE_VALUE" in names, "%s, got %s" % (name, names))
    again = make(**{"a/b": tf.Variable([0.0]), "lists": [tf.Variable(0.0), {"x/y": tf.Variable(0.0)}]})  # fmt: skip
    again.restore(path, options=device).assert_consumed()
    got = float(again.lists[0]), float(again.lists[1]["x/y"])
    t.expect(got == (8.0, 9.0), "in lists, got %s" % (got,))
    status = make(b=[]).restore(make(a=[]).save(str(folder / "empty")))
    status.assert_consumed()
    status.assert_nontrivial_match()


@case(CHECKPOINT, host_only=True, core=False, reference="none")
def checkpoint_of_many_saves(t):
    """None goes by itself, the newest is known, parts that came later are restored from any; a saved model is read, too; in a session."""
    tf, make, folder = t.fw, t.get(CHECKPOINT), t.tmpdir()
    saved = t.call(CHECKPOINT)
    for n in range(10):
        setattr(saved, "var_%d" % n, tf.Variable(n))
        saved.save(os.path.join(folder, "ckpt"))
    files = set(os.listdir(folder))
    t.expect({"checkpoint"} | {"ckpt-%d.index" % n for n in range(1, 11)} <= files, "all are there")
    newest = tf.train.get_checkpoint_state(folder)
    last = os.path.join(folder, "ckpt-10")
    t.expect(list(newest.all_model_checkpoint_paths) == [last], "the newest, got %s" % newest)
    for n in range(10):
        getattr(saved, "var_%d" % n).assign(314)
    saved.restore(os.path.join(folder, "ckpt-6"))
    got = [int(getattr(saved, "var_%d" % n)) for n in range(10)]
    t.expect(got == [0, 1, 2, 3, 4, 5] + [314] * 4, "six of ten, got %s" % got)
    saved.restore(last)
    got = [int(getattr(saved, "var_%d" % n)) for n in range(10)]
    t.expect(got == list(range(10)), "all of them, got %s" % got)

    model, other = tf.Module(), tf.Module()
    model.v, other.v = tf.Variable(2.0), tf.Variable(0.0)
    where = os.path.join(folder, "model")
    tf.saved_model.save(model, where)
    t.raises(tf.errors.NotFoundError, make(other).restore, where + "no")
    make(other).restore(where).expect_partial()
    t.expect(float(other.v) == 2.0, "of a saved model, got %s" % other.v)
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        held = tf.Variable([1.0, 2.0])
        once = make(v=held)
        session.run([held.initializer, once.save_counter.initializer])
        path = once.save(os.path.join(folder, "session"))
        session.run(held.assign([0.0, 0.0]))
        status = once.restore(path)
        status.assert_consumed()
        t.expect(session.run(held).tolist() == [0.0, 0.0], "not before it is asked for")
        status.run_restore_ops()
        t.expect(session.run(held).tolist() == [1.0, 2.0], "restored")
        fresh = make(v=tf.Variable([9.0, 9.0]))
        fresh.restore(path).initialize_or_restore()
        t.expect(session.run(fresh.v).tolist() == [1.0, 2.0], "restored where it was saved")


@case(
    CHECKPOINT,
    host_only=True,
    core=False,
    since=("2.12", "saves in another thread"),
    reference="none",
)
def checkpoint_says_what_is_left(t):
    """A warning names what was not restored, unless that was expected; a save in another thread is whole before the next restore."""
    tf, make, folder, told = t.fw, t.get(CHECKPOINT), t.tmpdir(), []
    saved = t.call(CHECKPOINT, v1=tf.Variable(2.0), v2=tf.Variable(3.0))
    path = saved.save(os.path.join(folder, "part"))

    class Listener(logging.Handler):
        def emit(self, record):
            told.append(record.getMessage())

    listener = Listener()
    tf.get_logger().addHandler(listener)
    try:
        for expected in (False, True):
            part = make(v2=tf.Variable(0.0))
            status = part.restore(path)
            status = status.expect_partial() if expected else status
            t.expect(float(part.v2) == 3.0, "the part, got %s" % part.v2)
            del part, status
            gc.collect()
            said, told[:] = " ".join(told), []
            named = "(root).v1" in said and "expect_partial()" in said and "(root).v2" not in said
            t.expect(not said if expected else named, "what is left alone, got %r" % said)
    finally:
        tf.get_logger().removeHandler(listener)
    status = make(v1=tf.Module(), v2=tf.Variable(0.0)).restore(path)
    error = t.raises(AssertionError, status.assert_consumed)
    t.expect("(root).v1" in str(error), "what is left, got %s" % error)
    later = tf.train.CheckpointOptions(experimental_enable_async_checkpoint=True)
    aside = saved.save(os.path.join(folder, "aside"), options=later)
    saved.v1.assign(9.0)
    saved.restore(aside).assert_consumed()
    t.expect(float(saved.v1) == 2.0, "of then, got %s" % saved.v1)
