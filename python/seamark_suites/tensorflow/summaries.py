"""Numbers that are written for TensorBoard: tf.summary.scalar and histogram, on the host."""

import os

from seamark_agent.harness import Skip

from seamark_suites.case import case


def need_tensorboard():
    """TensorFlow writes scalars by a plug-in of TensorBoard's, which is a package of its own."""
    try:
        import tensorboard  # noqa: F401
    except ImportError as error:
        raise Skip("tf.summary.scalar needs TensorBoard, which is not installed") from error


def written(t, folder, made=float):
    """[(step, tag, made(its array))] of the events in a folder."""
    tf, found = t.fw, []
    for name in sorted(os.listdir(folder)):
        for event in tf.compat.v1.train.summary_iterator(os.path.join(folder, name)):
            for value in event.summary.value:
                found.append((event.step, value.tag, made(tf.make_ndarray(value.tensor))))
    return found


@case("tf.summary.scalar", host_only=True, reference="none")
def numbers_by_step(t):
    need_tensorboard()
    folder = t.tmpdir()
    with t.fw.summary.create_file_writer(folder).as_default() as writer:
        for step in (1, 2):
            told = t.call("tf.summary.scalar", "loss", 0.5 * step, step=step, description="d")
            t.expect(bool(told), "True where it is written")
        with t.fw.name_scope("train"):
            t.call("tf.summary.scalar", "rate", t.fw.constant(0.25), step=3)
        writer.flush()
    found = written(t, folder)
    t.expect(
        found == [(1, "loss", 0.5), (2, "loss", 1.0), (3, "train/rate", 0.25)], "got %s" % found
    )


@case("tf.summary.scalar", host_only=True, core=False, reference="none")
def without_a_writer_nothing_is_written(t):
    need_tensorboard()
    t.expect(not bool(t.call("tf.summary.scalar", "loss", 1.0, step=1)), "False")


@case("tf.summary.scalar", host_only=True, core=False, reference="none")
def what_is_no_number_raises(t):
    need_tensorboard()
    with t.fw.summary.create_file_writer(t.tmpdir()).as_default():
        kinds = (ValueError, TypeError, t.fw.errors.InvalidArgumentError, AssertionError)
        t.raises(kinds, t.call, "tf.summary.scalar", "loss", [1.0, 2.0], step=1)
        t.raises(ValueError, t.call, "tf.summary.scalar", "loss", 1.0)  # no step


@case("tf.summary.histogram", host_only=True, reference="none")
def counts_by_range(t):
    """(from, to, how many) of each range, as NumPy's; of one value, and of none."""
    need_tensorboard()
    tf, np, name, folder = t.fw, t.np, "tf.summary.histogram", t.tmpdir()
    values = t.host(t.randn((1000,), "f32"))
    with tf.summary.create_file_writer(folder).as_default() as writer:
        t.call(name, "many", tf.constant(values), step=1)
        t.call(name, "few", tf.constant(values), step=2, buckets=4, description="d")
        t.call(name, "one", [2, 2, 2], step=3)
        t.call(name, "none", tf.zeros((0,)), step=4)
        t.raises(ValueError, t.call, name, "no step", values)
        writer.flush()
    found = {tag: rows for _, tag, rows in written(t, folder, np.array)}
    for tag, buckets in (("many", 30), ("few", 4)):
        counts, edges = np.histogram(values.astype("float64"), buckets)
        got = found[tag]
        t.expect(got.shape == (buckets, 3), "a row for each range, got %s" % (got.shape,))
        t.expect(
            np.allclose(got[:, 0], edges[:-1]) and np.allclose(got[:, 1], edges[1:]),
            "ranges, got %s" % got[:, :2],
        )
        t.expect(
            got[:, 2].sum() == 1000 and abs(got[:, 2] - counts).sum() <= 2,
            "counts, got %s" % got[:, 2],
        )
    t.expect(found["one"][:, 2].sum() == 3, "got %s" % found["one"])
    t.expect(found["none"][:, 2].sum() == 0, "got %s" % found["none"])


@case("tf.summary.scalar", host_only=True, core=False, reference="none")
def numbers_of_every_kind(t):
    """NaN and infinities, other dtypes, one tag again, a step that is a variable; names with spaces and slashes; sizes of one."""
    need_tensorboard()
    tf, folder, name = t.fw, t.tmpdir(), "tf.summary.scalar"
    step = tf.Variable(2**40, dtype=tf.int64)
    with tf.summary.create_file_writer(folder).as_default() as writer:
        for number in (float("inf"), float("-inf"), 2.0**-140, -0.0):
            t.call(name, "one", number, step=step)
            step.assign_add(1)
        t.call(name, "a/b c", tf.constant(0.5, tf.bfloat16), step=7)
        t.call(name, "whole", tf.constant(-(2**31), tf.int32), 7, "what it is")
        t.call(name, "array", t.np.float64(0.25), step=t.np.int64(7))
        t.call(name, "nan", float("nan"), step=0)
        writer.flush()
    found = written(t, folder)
    want = [(2**40 + i, "one", x) for i, x in enumerate((float("inf"), float("-inf"), 2.0**-140, -0.0))]  # fmt: skip
    t.expect(found[:4] == want, "%s, got %s" % (want, found[:4]))
    want = [(7, "a/b c", 0.5), (7, "whole", -(2.0**31)), (7, "array", 0.25)]
    t.expect(found[4:7] == want, "%s, got %s" % (want, found[4:7]))
    t.expect(len(found) == 8 and found[7][2] != found[7][2], "NaN at last, got %s" % (found[7:],))


@case("tf.summary.scalar", host_only=True, core=False, reference="none")
def writers_that_end(t):
    """A closed writer is refused; after one nothing is written; what is written says its plug-in and description."""
    need_tensorboard()
    tf, folder, name = t.fw, t.tmpdir(), "tf.summary.scalar"
    writer = tf.summary.create_file_writer(folder)
    with writer.as_default(step=4):
        t.call(name, "loss", 1.5, description="how far off")
    writer.close()
    t.raises(RuntimeError, writer.as_default)
    t.expect(not bool(t.call(name, "after", 1.0, step=1)), "False after the writer")
    events = [event for one in sorted(os.listdir(folder)) for event in tf.compat.v1.train.summary_iterator(os.path.join(folder, one))]  # fmt: skip
    (event,) = [event for event in events if event.summary.value]
    (value,) = event.summary.value
    told = value.metadata.plugin_data.plugin_name, value.metadata.summary_description
    t.expect((event.step, value.tag, *told) == (4, "loss", "scalars", "how far off"), "got %s" % (told,))  # fmt: skip


@case("tf.summary.scalar", host_only=True, core=False, reference="none")
def numbers_of_a_function(t):
    """The step by default, a scope and a condition within a traced function; no step, vectors and nothing are refused; f32 is kept."""
    need_tensorboard()
    tf, folder, name = t.fw, t.tmpdir(), "tf.summary.scalar"
    step, scalar = tf.Variable(0, dtype=tf.int64), t.get(name)
    writer = tf.summary.create_file_writer(folder)

    @tf.function(autograph=False)
    def told(x):
        even = tf.summary.record_if(tf.equal(step % 2, 0))
        with writer.as_default(step=step), tf.name_scope("layer"), even:
            return scalar("even", x), scalar("twice", 2 * x, description="d")

    for n in range(4):
        step.assign(n)
        made = t.call(told, tf.constant(float(n)))
        t.expect([bool(one) for one in made] == [n % 2 == 0] * 2, "whether, got %s" % (made,))
    with writer.as_default():
        no_step = tf.function(lambda: scalar("none", 1.0), autograph=False)
        t.raises(ValueError, no_step)
        kinds = (ValueError, TypeError, AssertionError, tf.errors.OpError)
        for wrong in (tf.constant([1.0]), tf.zeros([1, 1]), None):
            t.raises(kinds, t.call, name, "wrong", wrong, step=1)
        t.call(name, "near", tf.constant(16777217.0, tf.float64), step=9)
        t.call(name, data=tf.constant(7, tf.uint8), name="by name", step=tf.constant(9, tf.int64))
    writer.flush()
    found = written(t, folder)
    want = [(n, "layer/" + tag, x) for n in (0, 2) for tag, x in (("even", float(n)), ("twice", 2.0 * n))]  # fmt: skip
    want += [(9, "near", 16777216.0), (9, "by name", 7.0)]
    t.expect(found == want, "%s, got %s" % (want, found))


@case("tf.summary.scalar", host_only=True, core=False, reference="none")
def numbers_in_a_session(t):
    """In a graph of version 1 it is an operation, which writes when it is run."""
    need_tensorboard()
    tf, folder = t.fw, t.tmpdir()
    with tf.Graph().as_default():
        fed, step = tf.compat.v1.placeholder(tf.float32, []), tf.compat.v1.placeholder(tf.int64, [])
        writer = tf.summary.create_file_writer(folder)
        with writer.as_default():
            write = t.call("tf.summary.scalar", "loss", fed, step=step)
        with tf.compat.v1.Session() as session:
            session.run(writer.init())
            for n in (3, 4):
                t.expect(
                    bool(session.run(write, {fed: n / 2, step: n})), "True where it is written"
                )
            session.run(writer.flush())
    found = written(t, folder)
    t.expect(found == [(3, "loss", 1.5), (4, "loss", 2.0)], "got %s" % found)
