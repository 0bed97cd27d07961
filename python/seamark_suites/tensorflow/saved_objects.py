"""Checkpoints: by names of TensorFlow 1, with what its optimizers keep, of templates, tables and streams, written and read, of parts that come late."""

import collections
import gc
import os

from seamark_suites.case import case

CHECKPOINT = "tf.train.Checkpoint"
HOST = {"host_only": True, "core": False, "reference": "none"}


@case(CHECKPOINT, **HOST)
def checkpoint_of_names(t):
    """What a Saver of TensorFlow 1 wrote is found by the names of variables; saved again it is found by objects."""
    tf, v1, make, folder = t.fw, t.fw.compat.v1, t.get(CHECKPOINT), t.tmpdir()
    with tf.Graph().as_default(), v1.Session() as session:
        v1.get_variable("a", initializer=[1.0, 2.0])
        v1.get_variable("scope/b", initializer=3)
        session.run(v1.global_variables_initializer())
        path = v1.train.Saver().save(session, os.path.join(folder, "named"))
    a, b = tf.Variable([0.0, 0.0], name="a"), tf.Variable(0, name="scope/b")
    both = t.call(CHECKPOINT, x=a, y=b)
    both.restore(path).assert_consumed()
    t.expect((a.numpy().tolist(), int(b)) == ([1.0, 2.0], 3), "by name, got %s, %s" % (a, b))
    part = make(x=tf.Variable([0.0, 0.0], name="a"), z=tf.Variable(5.0, name="none"))
    status = part.restore(path)
    got = part.x.numpy().tolist(), float(part.z)
    t.expect(got == ([1.0, 2.0], 5.0), "of one of two, got %s" % (got,))
    t.raises(AssertionError, status.assert_consumed)
    t.raises(AssertionError, status.assert_existing_objects_matched)
    path = both.save(os.path.join(folder, "again"))
    other = make(x=tf.Variable([0.0, 0.0]), y=tf.Variable(0))
    other.restore(path).assert_consumed()
    got = other.x.numpy().tolist(), int(other.y)
    t.expect(got == ([1.0, 2.0], 3), "whatever the names, got %s" % (got,))


@case(CHECKPOINT, since=("2.14", "leaves slots out"), **HOST)
def checkpoint_of_slots(t):
    """What Adam of TensorFlow 1 keeps of a variable is saved by both and waits for both; the newest restore counts; it may be left out."""
    tf, make, folder = t.fw, t.get(CHECKPOINT), t.tmpdir()
    adam = tf.compat.v1.train.AdamOptimizer

    def stepped(root, optimizer):
        optimizer.minimize(root.var.read_value)
        return optimizer

    root = t.call(CHECKPOINT)
    root.var = tf.Variable(0.0)
    optimizer = stepped(root, adam(0.1))
    root.var.assign(12.0)
    without = root.save(os.path.join(folder, "without"))
    root.optimizer = optimizer
    root.var.assign(13.0)
    optimizer.get_slot(root.var, "m").assign(14.0)
    path = root.save(os.path.join(folder, "with"))
    names = {name.split("/.ATTRIBUTES")[0] for name, _ in tf.train.list_variables(path)}
    slot = "var/.OPTIMIZER_SLOT/optimizer/"
    want = {"optimizer/beta1_power", "optimizer/beta2_power", "save_counter", "var", slot + "m", slot + "v"}  # fmt: skip
    t.expect(names - {"_CHECKPOINTABLE_OBJECT_GRAPH"} == want, "%s, got %s" % (want, names))
    new = make()
    first, second = new.restore(path), new.restore(without)
    t.raises(AssertionError, second.assert_consumed)
    new.var = tf.Variable(0.0)
    second.assert_consumed()
    new.optimizer = adam(0.1)
    first.assert_existing_objects_matched()
    t.raises(AssertionError, first.assert_consumed)
    got = float(new.var), float(new.optimizer.get_slot(new.var, "m"))
    t.expect(got == (12.0, 14.0), "of the second and of the first, got %s" % (got,))
    stepped(new, new.optimizer)
    first.assert_consumed()
    other = make(var=tf.Variable(0.0), optimizer=adam(0.1))
    stepped(other, other.optimizer)
    kept = other.optimizer.get_slot(other.var, "m")
    for skip, want in ((True, (13.0, 0.0)), (False, (13.0, 14.0))):
        kept.assign(0.0)
        options = tf.train.CheckpointOptions(experimental_skip_slot_variables=skip)
        other.restore(path, options).assert_consumed()
        got = float(other.var), float(kept)
        t.expect(got == want, "%s, got %s" % (want, got))


@case(CHECKPOINT, **HOST)
def checkpoint_of_version_1(t):
    """Of templates within a template; of references, which a Saver reads, too; in a graph more saves and restores add nothing; none without a session."""
    tf, v1, make, folder = t.fw, t.fw.compat.v1, t.get(CHECKPOINT), t.tmpdir()

    def inner():
        return v1.get_variable("v", shape=[1], initializer=v1.zeros_initializer())

    def outer():
        first, second = v1.make_template("i1", inner), v1.make_template("i2", inner)
        return first(), second(), second()

    with v1.variable_scope("ignored"):
        template = v1.make_template("s1", outer)
        one, two, _ = template()
    one.assign([20.0])
    two.assign([25.0])
    saved = t.call(CHECKPOINT, mine=template)
    path = saved.save(os.path.join(folder, "template"))
    names = {name for name, _ in tf.train.list_variables(path)}
    for name in ("mine/i1/v", "mine/i2/v"):
        t.expect(name + "/.ATTRIBUTES/VARIABLE_VALUE" in names, "%s, got %s" % (name, names))
    template = v1.make_template("s2", outer)
    status = make(mine=template).restore(path)
    got = [part.numpy().tolist() for part in template()]
    status.assert_consumed()
    t.expect(got == [[20.0], [25.0], [25.0]], "by the parts' names, got %s" % got)
    with tf.Graph().as_default() as graph, v1.Session() as session:
        held = v1.Variable(5, use_resource=False)
        saved = t.call(CHECKPOINT, held=held)
        session.run([held.initializer, saved.save_counter.initializer])
        path = saved.write(os.path.join(folder, "reference"))
        session.run(held.assign(10))
        named = v1.train.Saver([held]).save(session, os.path.join(folder, "named"))
        saved.read(path).assert_consumed().run_restore_ops()
        t.expect(session.run(held) == 5, "of the checkpoint")
        v1.train.Saver([held]).restore(session, named)
        t.expect(session.run(held) == 10, "of the Saver")
        sizes = []
        for _ in range(2):
            path = saved.save(os.path.join(folder, "again"))
            saved.restore(path)
            sizes.append(len(graph.get_operations()))
        t.expect(sizes[0] == sizes[1], "nothing is added, got %s" % sizes)
    with tf.Graph().as_default():
        alone = make(v=tf.Variable(1.0))
        t.raises(RuntimeError, alone.write, os.path.join(folder, "none"))


@case(CHECKPOINT, **HOST)
def checkpoint_written_and_read(t):
    """What is written is named as it was asked, is not counted and is not the newest of its folder; it is read, not restored; by a function that knows where."""
    tf, make, folder = t.fw, t.get(CHECKPOINT), t.tmpdir()
    step = tf.Variable(0, dtype=tf.int64)
    saved, paths = t.call(CHECKPOINT, step=step), []
    for _ in range(3):
        paths.append(saved.write(os.path.join(folder, "at-%d" % int(step))))
        step.assign_add(2)
    want = [os.path.join(folder, "at-%d" % n) for n in (0, 2, 4)]
    t.expect(paths == want, "%s, got %s" % (want, paths))
    t.expect(tf.train.latest_checkpoint(folder) is None, "none is the newest")
    t.expect(int(saved.save_counter) == 0, "none is counted")
    other = make(step=tf.Variable(9, dtype=tf.int64))
    other.read(paths[1]).assert_consumed()
    t.expect(int(other.step) == 2, "the second, got %s" % other.step)
    status = make(step=tf.Variable(9, dtype=tf.int64)).restore(paths[1])
    t.raises(AssertionError, status.assert_consumed)
    where = os.path.join(folder, "within")
    write = tf.function(lambda: saved.write(where), autograph=False)
    for value in (7, 8):
        step.assign(value)
        made = write()
        step.assign(0)
        saved.read(where).assert_consumed()
        t.expect(int(step) == value, "%d, got %s" % (value, step))
    t.expect(made.numpy() == where.encode(), "where it is, got %s" % made)
    text = "/.ATTRIBUTES/VARIABLE_VALUE"
    within = make(a=tf.Variable(5.0))
    odd = {"a/b/c": tf.Variable(1.0), "c/": tf.Variable(2.0), "d/.S": tf.Variable(3.0), "d/.ATTRIBUTES/f": tf.Variable(4.0), ".ATTRIBUTES": within}  # fmt: skip
    path = make(**odd).write(os.path.join(folder, "odd"))
    names = {name for name, _ in tf.train.list_variables(path)}
    want = {name + text for name in ("a.Sb.Sc", "c.S", "d.S..S", "d.S..ATTRIBUTES.Sf", "..ATTRIBUTES/a")}  # fmt: skip
    t.expect(want <= names, "%s, got %s" % (want, names))


@case(CHECKPOINT, since=("2.12", "saves in another thread"), **HOST)
def checkpoint_of_tables_and_streams(t):
    """Tables that change, streams of random numbers; with parts in lists and dictionaries it is saved in another thread, and waited for."""
    tf, make, folder = t.fw, t.get(CHECKPOINT), t.tmpdir()
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    dense = tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -9, empty_key=0, deleted_key=-1)  # fmt: skip
    wide = lambda *values: tf.constant(values, tf.int64)  # noqa: E731
    table.insert(tf.constant(["a", "b"]), wide(1, 2))
    dense.insert(wide(5), wide(6))
    stream = tf.random.Generator.from_seed(7)
    stream.normal([2])
    saved = t.call(CHECKPOINT, table=table, dense=dense, stream=stream)
    path = saved.save(os.path.join(folder, "tables"))
    want = stream.normal([3]).numpy()
    table.remove(tf.constant(["a"]))
    table.insert(tf.constant(["c"]), wide(3))
    dense.insert(wide(7), wide(8))
    saved.restore(path).assert_consumed()
    got = table.lookup(tf.constant(["a", "b", "c"])).numpy().tolist()
    t.expect(got == [1, 2, -1] and int(table.size()) == 2, "as they were, got %s" % got)
    got = dense.lookup(wide(5, 7)).numpy().tolist()
    t.expect(got == [6, -9], "as they were, got %s" % got)
    t.expect((stream.normal([3]).numpy() == want).all(), "the same numbers again")
    parts = lambda n: {"a": [tf.Variable(n), tf.Variable(n + 1)], "b": {"a": tf.Variable(n + 2), "b": tf.Variable(n + 3)}}  # noqa: E731 # fmt: skip
    later = tf.train.CheckpointOptions(experimental_enable_async_checkpoint=True)
    aside = make(**parts(0.0))
    path = aside.save(os.path.join(folder, "aside"), options=later)
    aside.sync() if hasattr(aside, "sync") else aside.restore(path)
    other = make(**parts(9.0))
    other.restore(path).assert_consumed()
    got = [float(one) for one in tf.nest.flatten([other.a, other.b])]
    t.expect(got == [0.0, 1.0, 2.0, 3.0], "all of them, got %s" % got)


@case(CHECKPOINT, **HOST)
def checkpoint_of_what_comes_late(t):
    """A variable that was given a number before it is attached, parts of a root, numbers of Python beside; two roots exchanged, none; what is deleted is gone at once."""
    tf, make, folder, gone = t.fw, t.get(CHECKPOINT), t.tmpdir(), []
    module = tf.Module

    def rooted(**parts):
        made = module()
        for name, value in parts.items():
            setattr(made, name, tf.Variable(value))
        return made

    first = t.call(CHECKPOINT, a=tf.Variable(4.0), b=tf.Variable(8.0))
    path = first.save(os.path.join(folder, "late"))
    second, late = make(b=tf.Variable(0.0)), tf.Variable(0.0)
    second.restore(path)
    late.assign(-2.0)
    got = float(second.b), float(late)
    t.expect(got == (8.0, -2.0), "the one that is there, got %s" % (got,))
    second.a = late
    t.expect(float(late) == 4.0, "once it is attached, got %s" % late)
    path = make(rooted(v=2.0, w=5.0)).save(os.path.join(folder, "root"))
    root = rooted(v=0.0)
    make(root).restore(path)
    root.w = tf.Variable(1.0)
    t.expect((float(root.v), float(root.w)) == (2.0, 5.0), "of the root, got %s" % root.w)
    path = make(model=rooted(v=3.0)).save(os.path.join(folder, "model"))
    root = rooted(v=0.0)
    root.dict, root.list = {"a": 1}, [1]
    make(model=root).restore(path).assert_existing_objects_matched()
    t.expect(float(root.v) == 3.0, "beside numbers, got %s" % root.v)
    one, other = rooted(v=1), rooted(w=4)
    w, y, v, z = (tf.Variable(n) for n in (2, 3, 5, 6))
    holders = make(root=one, w=w, y=y), make(root=other, v=v, z=z)
    paths = [each.save(os.path.join(folder, "root%d" % n)) for n, each in enumerate(holders)]
    for holder, path in zip(holders, paths[::-1]):
        holder.restore(path)
    got = [int(each) for each in (one.v, w, y, other.w, v, z)]
    t.expect(got == [5, 4, 3, 2, 1, 6], "exchanged, got %s" % got)
    plain = make(v=tf.Variable(0), w=tf.Variable(0), y=tf.Variable(0))
    status = plain.restore(paths[0])
    got = [int(each) for each in (plain.v, plain.w, plain.y, plain.save_counter)]
    t.expect(got == [1, 2, 3, 1], "without a root, got %s" % got)
    del plain
    status.assert_consumed()

    class Watched(module):
        def __del__(self):
            gone.append(1)

    gc.disable()
    try:
        root = rooted(v=1.0)
        root.watched = Watched()
        holder = make(root)
        path = holder.save(os.path.join(folder, "watched"))
        del holder, root
        t.expect(len(gone) == 1, "gone, got %d" % len(gone))
        root = module()
        root.watched = Watched()
        holder = make(root)
        holder.restore(path).expect_partial()
        del holder, root
        t.expect(len(gone) == 2, "gone with what waits, got %d" % len(gone))
    finally:
        gc.enable()


@case(CHECKPOINT, **HOST)
def checkpoint_of_changed_collections(t):
    """Lists that grew and dictionaries that were filled are saved, tuples too; parts that were moved, taken out or changed from outside are refused."""
    tf, make, folder = t.fw, t.get(CHECKPOINT), t.tmpdir()

    def saved(held, change=lambda held: None):
        root = t.call(CHECKPOINT)
        root.held = held
        change(root.held)
        path = root.write(os.path.join(folder, "held"))
        names = [name.split("/.ATTRIBUTES")[0] for name, _ in tf.train.list_variables(path)]
        return [name for name in names if name.startswith("held/")]

    pair = lambda: [tf.Variable(1.0), tf.Variable(2.0)]  # noqa: E731
    named = lambda: dict(zip("ab", pair()))  # noqa: E731
    point = collections.namedtuple("Point", "p q")
    for held, change, want in (
        (pair(), lambda held: held.append(tf.Variable(3.0)), "0 1 2"),
        (pair(), lambda held: held.extend([7, pair()]), "0 1 3/0 3/1"),
        ([1, 2], lambda held: held.insert(0, 0), ""),
        ([], lambda held: held.__iadd__(pair()), "0 1"),
        (named(), lambda held: held.update(c=tf.Variable(3.0)), "a b c"),
        ({1: 2, "a": tf.Variable(1.0)}, lambda held: None, "a"),
        ((tf.Variable(1.0), pair()), lambda held: None, "0 1/0 1/1"),
        (point(tf.Variable(1.0), named()), lambda held: None, "p q/a q/b"),
    ):
        got = saved(held, change)
        t.expect(got == ["held/" + name for name in want.split()], "%s, got %s" % (want, got))
    for held, change in (
        (pair(), lambda held: held.insert(0, tf.Variable(3.0))),
        (pair(), lambda held: held.__delitem__(0)),
        (pair(), lambda held: held.__delitem__(slice(1, 2))),
        (pair(), lambda held: held.__setitem__(slice(None), [7, held[1]])),
        (pair(), lambda held: held.reverse()),
        ([[1], [2]], lambda held: held.sort()),
        ({1: tf.Variable(1.0)}, lambda held: None),
        (named(), lambda held: held.pop("a")),
    ):
        t.raises(ValueError, saved, held, change)
    outside, words = pair(), named()
    t.raises(ValueError, saved, outside, lambda _: outside.append(tf.Variable(3.0)))
    t.raises(ValueError, saved, words, lambda _: words.update(c=tf.Variable(3.0)))
    root = make(held=[1, *pair()])
    path, (_, first, second) = root.save(os.path.join(folder, "twice")), root.held
    first.assign(5.0)
    root.held *= 2
    t.expect(len(root.held) == 6 and root.held[4] is first, "twice as long, got %s" % root.held)
    root.restore(path)
    t.expect((float(first), float(second)) == (1.0, 2.0), "as they were, got %s" % first)
    path = make(list=pair(), dict=named()).save(os.path.join(folder, "late"))
    late = make(list=[], dict={})
    status, parts = late.restore(path), [tf.Variable(0.0) for _ in range(4)]
    for part in parts[:2]:
        late.list.append(part)
    late.dict.update(zip("ab", parts[2:]))
    status.assert_consumed()
    got = [float(part) for part in parts]
    t.expect(got == [1.0, 2.0, 1.0, 2.0], "as they come, got %s" % got)
