"""What a graph knows of a result before it runs, and what these functions do with things that are no plain tensors."""

from seamark_suites.case import case

EXPAND, PAD, SHAPE, WHERE = ("tf.compat.v1." + name for name in ("expand_dims", "pad", "shape", "where"))  # fmt: skip
ND, HOT, IDENTITY, SPLIT = "tf.gather_nd", "tf.one_hot", "tf.identity", "tf.split"
SQUEEZE, UNSTACK, ZEROS = "tf.squeeze", "tf.unstack", "tf.zeros_like"
TO_INT32, FLOOR, AND = "tf.compat.v1.to_int32", "tf.floor", "tf.logical_and"
MATMUL, MULTIPLY, SIGMOID, ADD_N = "tf.matmul", "tf.multiply", "tf.sigmoid", "tf.add_n"
INF, NAN = float("inf"), float("nan")


def known(made):
    """The sizes that a graph knows: None where it does not know of how many axes."""
    made = made if isinstance(made, (list, tuple)) else [made]
    return [None if one.shape.rank is None else one.shape.as_list() for one in made]


def expect_known(t, found):
    """`found`: by name, what was made and the sizes that it must be known to have."""
    for name, (made, want) in found.items():
        got = known(made)
        t.expect(got == want, "%s: %s, got %s" % (name, want, got))


@case(EXPAND, core=False, host_only=True, reference="none")
def expand_known_in_part(t):
    """In a graph: sizes, the number of axes or the place are not known; places that are not there; names."""
    tf, fed = t.fw, t.fw.compat.v1.placeholder
    with tf.Graph().as_default():
        rows, free, axis = fed(tf.float32, [None, 3]), fed(tf.float32), fed(tf.int32, [])
        named = t.call(EXPAND, rows, axis=-1, name="more")
        t.expect(named.name == "more:0", "its name, got %s" % named.name)
        found = {
            "within": (t.call(EXPAND, rows, 1), [[None, 1, 3]]),
            "last": (named, [[None, 3, 1]]),
            "no known rank": (t.call(EXPAND, free, 0), [None]),
        }
        expect_known(t, found)
        for wrong in (4, -5):
            t.raises(ValueError, t.call, EXPAND, tf.zeros([2, 3, 5]), wrong)
        moved = t.call(EXPAND, rows, axis)
        with tf.compat.v1.Session() as session:
            values = t.np.arange(6.0).reshape(2, 3)
            for place in (0, 1, -1):
                got = session.run(moved, {rows: values, axis: place})
                t.expect((got == t.np.expand_dims(values, place)).all(), "placed by a fed axis")


@case("tf.pad", core=False, host_only=True, reference="none")
@case(PAD, core=False, host_only=True, reference="none")
def pad_of_quantized(t, function):
    """Quantized numbers stay what they are, in each mode and beside another than zero."""
    tf, values = t.fw, t.np.arange(48).reshape(4, 4, 3)
    widths = [[1, 0], [2, 3], [0, 2]]
    for kind in (tf.qint8, tf.quint8, tf.qint32):
        x = tf.constant(values.tolist(), kind)
        for mode in ("CONSTANT", "REFLECT", "SYMMETRIC"):
            made = t.call(function, x, widths, mode)
            same = (made.numpy() == t.np.pad(values, widths, mode.lower())).all()
            t.expect(made.dtype == kind and same, "%s, %s; got %s" % (kind, mode, made))
        made = t.call(function, x, widths, constant_values=tf.constant(99, kind))
        same = (made.numpy() == t.np.pad(values, widths, constant_values=99)).all()
        t.expect(made.dtype == kind and same, "99 around, got %s" % made)


@case("tf.pad", core=False, host_only=True, reference="none")
@case(PAD, core=False, host_only=True, reference="none")
def pad_widths_known_in_part(t, function):
    """In a graph: widths of which some are fed, an axis without any; by every name; more than numbers count."""
    tf, fed = t.fw, t.fw.compat.v1.placeholder
    with tf.Graph().as_default():
        x, some, two = tf.ones([4, 4]), fed(tf.int32), tf.constant(1, shape=[2])
        long, named = (
            fed(tf.int32, [None, None, 20]),
            {"paddings": [[1, 2], [0, 0]], "name": "more"},
        )
        tensor = {"tensor": x, "mode": "CONSTANT", "constant_values": 2}
        made = t.call(function, **tensor, **named)
        t.expect(made.name == "more:0", "its name, got %s" % made.name)
        found = {
            "by name": (made, [[7, 4]]),
            "one axis": (t.call(function, x, [[1, 2], some]), [[7, None]]),
            "one begin": (t.call(function, x, [[some, 0], [1, 2]]), [[None, 7]]),
            "a tensor first": (t.call(function, x, [two, [0, some]]), [[6, None]]),
            "unknown": (t.call(function, some, [[1, 2], some]), [[None, None]]),
            "none around": (t.call(function, long, [[0, 0], [0, some], [0, 0]]), [[None, None, 20]]),
        }  # fmt: skip
        expect_known(t, found)
        with tf.compat.v1.Session() as session:
            got = session.run(found["one begin"][0], {some: 3})
            want = t.np.pad(t.np.ones((4, 4)), [[3, 0], [1, 2]])
            t.expect(got.shape == want.shape and (got == want).all(), "three before, got %s" % got)
            got = session.run(made)
            want = t.np.pad(t.np.ones((4, 4)), [[1, 2], [0, 0]], constant_values=2)
            t.expect((got == want).all(), "twos around, got %s" % got)
    t.refuses(function, tf.ones([2]), tf.constant([[2**62, 2**62]], tf.int64))


@case(SHAPE, core=False, host_only=True, reference="none")
def shape_of_other_things(t):
    """Sizes beyond 32 bits, which i32 does not hold; ragged rows; rows with their places; six axes of any kind."""
    tf = t.fw
    long = tf.reshape(tf.zeros([0]), tf.constant([2**32 + 3, 0], tf.int64))
    made = t.call(SHAPE, long, out_type=tf.int64)
    t.expect(made.numpy().tolist() == [2**32 + 3, 0], "all of its bits, got %s" % made)
    t.raises(tf.errors.InvalidArgumentError, t.call, SHAPE, long)
    rows = t.call(SHAPE, tf.ragged.constant([[1, 2], [], [3]]))
    got = rows.static_lengths()
    t.expect(got == [3, (2, 0, 1)] and rows.num_row_partitions == 1, "ragged, got %s" % (got,))
    slices = tf.IndexedSlices(tf.ones([2, 3]), tf.constant([0, 1]), tf.constant([5, 3]))
    t.expect(t.call(SHAPE, slices).numpy().tolist() == [5, 3], "of the whole table")
    for kind in ("bool", "S4", "float32"):
        for rank in range(1, 7):
            sizes = [2, 3, 5, 7, 11, 13][:rank]
            x = t.np.zeros(sizes, kind)
            for out in (tf.int32, tf.int64):
                made = t.call(SHAPE, x, out_type=out)
                same = made.numpy().tolist() == sizes and made.dtype == out
                t.expect(same, "%s of %s, got %s" % (sizes, kind, made))


@case(WHERE, core=False, host_only=True, reference="none")
def where_known_in_part(t):
    """In a graph: a place has as many numbers as there are axes; one of two given is refused, so is a truth alone, and nine axes."""
    tf, fed = t.fw, t.fw.compat.v1.placeholder
    for given in (([False, True], [1, 2], None), ([False, True], None, [1, 2])):
        t.raises(ValueError, t.call, WHERE, *given)
    t.refuses(WHERE, True)
    t.refuses(WHERE, tf.ones([1] * 9))
    with tf.Graph().as_default():
        chosen = t.call(WHERE, fed(tf.bool, [4]), fed(tf.float32, [None, 3]), fed(tf.float32, [4, None]))  # fmt: skip
        found = {
            "places": (t.call(WHERE, fed(tf.bool, [None, 4])), [[None, 2]]),
            "no known rank": (t.call(WHERE, fed(tf.bool)), [[None, None]]),
            "both sizes": (chosen, [[4, 3]]),
        }
        expect_known(t, found)


@case(ND, core=False, host_only=True, reference="none")
def gather_nd_known_in_part(t):
    """In a graph: what is known of the result; a variable is read in place. What is wrong is named; ragged batches are refused."""
    tf, fed = t.fw, t.fw.compat.v1.placeholder
    with tf.Graph().as_default():
        held = tf.compat.v1.get_variable("held", initializer=[[1, 2], [3, 4], [5, 6]], use_resource=True)  # fmt: skip
        read = t.call(ND, held, [[0, 1], [2, 0]])
        kinds = [read.op.type] + [one.op.type for one in read.op.inputs]
        t.expect("ResourceGatherNd" in kinds, "read in place, got %s" % kinds)
        found = {
            "rows": (t.call(ND, tf.zeros([4, 5, 6]), fed(tf.int32, [None, 2])), [[None, 6]]),
            "unknown indices": (t.call(ND, tf.zeros([1, 3]), fed(tf.int32)), [None]),
            "a number": (t.call(ND, tf.zeros([6, 2]), [4, 1]), [[]]),
            "copies": (t.call(ND, tf.zeros([6, 2, 2]), tf.zeros([2, 0], tf.int32)), [[2, 6, 2, 2]]),
        }
        expect_known(t, found)
        with tf.compat.v1.Session() as session:
            session.run(held.initializer)
            t.expect(session.run(read).tolist() == [2, 5], "2 and 5")
    with tf.device("/cpu:0"):
        wrong = ([0, 1, 2], [[[0], [7]]], "indices[0,1] = [7]"), ([[0, 1, 2]], [[[0], [0], [1]]], "indices[0,2] = [1]")  # fmt: skip
        for x, i, said in wrong:
            error = t.raises(tf.errors.InvalidArgumentError, t.call, ND, x, i)
            t.expect(said in str(error), "%s, got %s" % (said, error))
        t.raises(tf.errors.InvalidArgumentError, t.call, ND, tf.zeros([0, 3]), [[0, 0]])
    t.raises(ValueError, t.call, ND, tf.ragged.constant([[1], [2, 3]]), [[0], [0]], batch_dims=1)


@case(HOT, core=False, host_only=True, reference="none")
def one_hot_known_in_part(t):
    """In a graph: indices, depths and how many axes there are may be fed; values of two dtypes are refused as such."""
    tf, np, fed = t.fw, t.np, t.fw.compat.v1.placeholder
    with tf.Graph().as_default():
        rows, depth, free = fed(tf.int32, [None, 3]), fed(tf.int32, []), fed(tf.int32)
        first = t.call(HOT, rows, depth, axis=0, name="hot")
        t.expect(first.name == "hot:0", "its name, got %s" % first.name)
        found = {
            "behind": (t.call(HOT, rows, 4), [[None, 3, 4]]),
            "within": (t.call(HOT, rows, depth, axis=1), [[None, None, 3]]),
            "before": (first, [[None, None, 3]]),
            "no known rank": (t.call(HOT, free, 4), [None]),
        }
        expect_known(t, found)
        with tf.compat.v1.Session() as session:
            got = session.run(first, {rows: [[0, 2, 1], [1, 5, -1]], depth: 3})
            want = np.moveaxis([[[1, 0, 0], [0, 0, 1], [0, 1, 0]], [[0, 1, 0], [0] * 3, [0] * 3]], -1, 0)  # fmt: skip
            t.expect((got == want).all(), "%s, got %s" % (want, got))
    given = {"on_value": np.float64(1), "off_value": np.float32(0)}
    t.raises(TypeError, t.call, HOT, [0, 1], 3, **given)
    for value in (1.0, 0.0):
        t.raises(TypeError, t.call, HOT, [0, 1], 3, on_value=tf.constant(value), dtype=np.int32)
    made = t.call(HOT, [0, 1, 2], 3, on_value=b"1.0", off_value=np.asarray(b"0.0"))
    t.expect(made.numpy()[1].tolist() == [b"0.0", b"1.0", b"0.0"], "texts, got %s" % made)


@case(IDENTITY, core=False, host_only=True, reference="none")
def identity_of_structures(t):
    """Types of one's own, what may be there, data sets, quantized numbers; another tensor each time; no None."""
    tf = t.fw

    class Masked(tf.experimental.ExtensionType):
        values: tf.Tensor
        name: str

    made = t.call(IDENTITY, Masked([1.5, 2.5], "x"))
    same = isinstance(made, Masked) and made.values.numpy().tolist() == [1.5, 2.5]
    t.expect(same and made.name == "x", "the same type, got %r" % (made,))
    there = t.call(IDENTITY, tf.experimental.Optional.from_value(3))
    t.expect(int(there.get_value()) == 3, "what is there")
    rows = list(t.call(IDENTITY, tf.data.Dataset.range(3)).as_numpy_iterator())
    t.expect(rows == [0, 1, 2], "its rows, got %s" % rows)
    for kind in (tf.qint8, tf.quint8, tf.qint32, tf.quint16):
        made = t.call(IDENTITY, tf.constant([1, 127], kind))
        t.expect(made.dtype == kind and made.numpy().tolist() == [1, 127], "%s" % kind)
    x = tf.constant([[1, 2, 3], [6, 5, 4]])
    made = t.call(IDENTITY, x)
    same = made.shape == [2, 3] and made.numpy().tolist() == [[1, 2, 3], [6, 5, 4]]
    t.expect(made is not x and same, "a tensor of its own, got %s" % made)
    with tf.Graph().as_default():
        part = t.call(IDENTITY, tf.compat.v1.placeholder(tf.float32, [None, 3]))
        expect_known(t, {"in a graph": (part, [[None, 3]])})
    t.refuses(IDENTITY, None)


@case(SPLIT, core=False, host_only=True, reference="none")
def split_known_in_part(t):
    """In a graph: what is known of the parts; what does not add up is refused when it is known, else when it runs."""
    tf, fed = t.fw, t.fw.compat.v1.placeholder
    with tf.Graph().as_default():
        free, axis, count = fed(tf.float32), fed(tf.int32, []), fed(tf.int32, [None])
        named = t.call(SPLIT, tf.zeros([4]), 2, name="parts")
        t.expect([one.name for one in named] == ["parts:0", "parts:1"], "names, got %s" % named)
        sized = tf.constant([2, 1, 2]) * 1
        found = {
            "sizes": (t.call(SPLIT, fed(tf.float32, [None, 12]), [3, 7, 2], -1), [[None, 3], [None, 7], [None, 2]]),
            "alike": (t.call(SPLIT, fed(tf.float32, [None, 6]), 2, 1), [[None, 3]] * 2),
            "no known rank": (t.call(SPLIT, free, 2), [None, None]),
            "along a fed axis": (t.call(SPLIT, tf.zeros([4, 6]), 2, axis), [[None, None]] * 2),
        }  # fmt: skip
        expect_known(t, found)
        beside = [one.shape[1] for one in t.call(SPLIT, tf.ones([5, 2]), sized)]
        t.expect(beside == [2, 2, 2], "the other axis stays, got %s" % beside)
        t.raises(ValueError, t.call, SPLIT, fed(tf.float32, [1, 10]), [4], 1)
        t.raises(ValueError, t.call, SPLIT, tf.zeros([4]), count)
        late, four = t.call(SPLIT, free, [4, 2]), t.call(SPLIT, tf.range(10), count, num=3)
        with tf.compat.v1.Session() as session:
            t.raises(tf.errors.InvalidArgumentError, session.run, late, {free: [[0.0] * 10]})
            got = [one.tolist() for one in session.run(four, {count: [2, 2, 6]})]
            t.expect(got == [[0, 1], [2, 3], list(range(4, 10))], "fed sizes, got %s" % got)
            got = session.run(found["along a fed axis"][0], {axis: -1})
            t.expect([one.shape for one in got] == [(4, 3)] * 2, "along the last")


@case(SQUEEZE, core=False, host_only=True, reference="none")
def squeeze_known_in_part(t):
    """In a graph: named axes go whatever is known of them; another size and an axis that is not there are refused."""
    tf, fed = t.fw, t.fw.compat.v1.placeholder
    with tf.Graph().as_default():
        half, free = fed(tf.float32, [2, None]), fed(tf.float32)
        named = t.call(SQUEEZE, tf.zeros([1, 2, 1]), name="less")
        t.expect(named.name == "less:0", "its name, got %s" % named.name)
        found = {
            "all": (named, [[2]]),
            "one that may be 1": (t.call(SQUEEZE, half, [1]), [[2]]),
            "whichever are 1": (t.call(SQUEEZE, half), [None]),
            "beside an unknown": (t.call(SQUEEZE, fed(tf.float32, [None, 1, 3]), axis=1), [[None, 3]]),
            "no known rank": (t.call(SQUEEZE, free, [0]), [None]),
        }  # fmt: skip
        expect_known(t, found)
        for axes in ([0], [100], [-3]):
            t.raises(ValueError, t.call, SQUEEZE, half, axes)
        for axes in ([-4], [0, -4], [3], [2, 3]):
            t.raises(ValueError, t.call, SQUEEZE, tf.zeros([1, 2, 1]), axes)
        with tf.compat.v1.Session() as session:
            got = session.run(found["one that may be 1"][0], {half: [[3.0], [4.0]]})
            t.expect(got.tolist() == [3.0, 4.0], "two numbers, got %s" % got)
            t.raises(tf.errors.InvalidArgumentError, session.run, found["one that may be 1"][0], {half: [[3.0, 1.0]] * 2})  # fmt: skip


@case(UNSTACK, core=False, host_only=True, reference="none")
def unstack_known_in_part(t):
    """A list; of nothing beside it, parts of nothing; in a graph what is known of the parts, and what cannot be."""
    tf, fed = t.fw, t.fw.compat.v1.placeholder
    made = t.call(UNSTACK, tf.zeros((0, 1, 2)), axis=1)
    t.expect(type(made) is list and made[0].shape == [0, 2], "one of none, got %s" % (made,))
    with tf.Graph().as_default():
        free = fed(tf.float32)
        named = t.call(UNSTACK, tf.zeros([2]), name="parts")
        t.expect([one.name for one in named] == ["parts:0", "parts:1"], "names, got %s" % named)
        by_number = t.call(UNSTACK, free, num=2)
        found = {
            "columns": (t.call(UNSTACK, fed(tf.float32, [None, 2]), axis=1), [[None]] * 2),
            "a number": (by_number, [None, None]),
        }
        expect_known(t, found)
        for x in (free, fed(tf.float32, [None])):
            t.raises(ValueError, t.call, UNSTACK, x)
        for axis in (2, -3):
            t.raises(ValueError, t.call, UNSTACK, tf.zeros([2, 3]), axis=axis)
        with tf.compat.v1.Session() as session:
            got = [one.tolist() for one in session.run(by_number, {free: [[1, 2], [3, 4]]})]
            t.expect(got == [[1, 2], [3, 4]], "both rows, got %s" % got)
            t.raises(tf.errors.InvalidArgumentError, session.run, by_number, {free: [1, 2, 3]})


@case(ZEROS, core=False, host_only=True, reference="none")
def zeros_like_known_in_part(t):
    """In a graph: sizes that are known are known of the zeros, and a constant where all are; no sparse tensor."""
    tf, fed = t.fw, t.fw.compat.v1.placeholder
    with tf.Graph().as_default():
        rows, free = fed(tf.float32, [None, 2]), fed(tf.float32)
        named = t.call(ZEROS, rows, dtype=tf.int32, name="none")
        t.expect(named.name == "none:0" and named.dtype == tf.int32, "none:0, got %s" % named)
        whole = t.call(ZEROS, tf.ones([2, 3], tf.complex64))
        t.expect(whole.op.type == "Const" and whole.dtype == tf.complex64, "a constant")
        found = {"part": (named, [[None, 2]]), "free": (t.call(ZEROS, free), [None])}
        expect_known(t, found)
        with tf.compat.v1.Session() as session:
            got = session.run([named, found["free"][0]], {rows: [[1, NAN]] * 3, free: [INF]})
            t.expect(got[0].tolist() == [[0, 0]] * 3 and got[1].tolist() == [0], "zeros, got %s" % got)  # fmt: skip
    t.refuses(ZEROS, tf.sparse.from_dense([1, 0]))


# --- numbers


@case(TO_INT32, core=False, host_only=True, reference="none")
def to_int32_in_a_session(t):
    """In a graph, by its name, of sizes that are not known; what is i32 is passed on."""
    tf, v1 = t.fw, t.fw.compat.v1
    with tf.Graph().as_default():
        fed = v1.placeholder(tf.float64, [None, 2])
        made = t.call(TO_INT32, x=fed, name="whole")
        known = (made.name, made.dtype, made.shape.as_list()) == ("whole:0", tf.int32, [None, 2])
        t.expect(known, "whole:0, i32, ?x2; got %s" % made)
        held = v1.get_variable("held", initializer=[2.75, -2.75], use_resource=True)
        with v1.Session() as session:
            session.run(held.initializer)
            got = session.run([made, t.call(TO_INT32, held)], {fed: [[1e9, -1e9], [0.5, -1.5]]})
    t.expect(got[0].tolist() == [[10**9, -(10**9)], [0, -1]], "cut off, got %s" % got[0])
    t.expect(got[1].tolist() == [2, -2], "of a variable, got %s" % got[1])
    x = tf.constant([1, 2])
    t.expect(t.call(TO_INT32, x).numpy().tolist() == [1, 2], "as they are")


@case(FLOOR, core=False, host_only=True, reference="none")
def floor_in_a_session(t):
    """In a graph, by its name, of what is fed; no sparse tensor."""
    tf, v1 = t.fw, t.fw.compat.v1
    with tf.Graph().as_default():
        fed = v1.placeholder(tf.float32, [None, 2])
        made = t.call(FLOOR, x=fed, name="down")
        known = made.name == "down:0" and made.shape.as_list() == [None, 2]
        t.expect(known, "down:0 of ?x2, got %s" % made)
        with v1.Session() as session:
            got = session.run(made, {fed: [[1.5, -1.5], [-0.25, 7.0]]}).tolist()
    t.expect(got == [[1, -2], [-1, 7]], "got %s" % got)
    t.refuses(FLOOR, tf.sparse.from_dense([1.5]))


@case(AND, core=False, host_only=True, reference="none")
def and_in_a_session(t):
    """In a graph: what is known of sizes that meet, by its names; sizes that do not meet are found when it runs; no bytes."""
    tf, v1 = t.fw, t.fw.compat.v1
    with tf.Graph().as_default():
        rows, one = v1.placeholder(tf.bool, [None, 3]), v1.placeholder(tf.bool, [None])
        made = t.call(AND, x=rows, y=one, name="both")
        known = (made.name, made.dtype, made.shape.as_list()) == ("both:0", tf.bool, [None, 3])
        t.expect(known, "both:0, bool, ?x3; got %s" % made)
        yes = [[True, True, False]]
        with v1.Session() as session:
            got = session.run(made, {rows: yes * 2, one: [True, False, True]}).tolist()
            t.expect(got == [[True, False, False]] * 2, "by columns, got %s" % got)
            t.raises(tf.errors.InvalidArgumentError, session.run, made, {rows: yes, one: [True] * 2})  # fmt: skip
    for other in (tf.constant([1], tf.uint8), tf.constant([1j])):
        t.refuses(AND, tf.constant([True]), other)


@case(MATMUL, core=False, host_only=True, reference="none")
def matmul_in_a_session(t):
    """In a graph: what is known of the result, its kind and name; sizes that do not meet; no sparse tensor, no i8 alone."""
    tf, fed = t.fw, t.fw.compat.v1.placeholder
    x, y = tf.ones([1, 3]), tf.ones([2, 2])
    for wrong in ((x, y), (x[0], y), (tf.sparse.from_dense(y), y), (tf.constant([[1]], tf.int8),) * 2):  # fmt: skip
        t.refuses(MATMUL, *wrong)
        t.refuses(lambda x, y: x @ y, *wrong)
    with tf.Graph().as_default():
        rows, batch, free = (fed(tf.float32, s) for s in ([None, 3], [None, 4, None], None))
        plain = t.call(MATMUL, rows, tf.ones([3, 2]), name="product")
        t.expect((plain.name, plain.op.type) == ("product:0", "MatMul"), "got %s" % plain)
        whole = t.call(MATMUL, batch, tf.ones([5, 1, 6, 2]))
        got = plain.shape.as_list(), whole.shape.as_list(), t.call(MATMUL, free, free).shape.rank
        t.expect(got == ([None, 2], [5, None, 4, 2], None), "sizes, got %s" % (got,))
        t.raises(ValueError, t.call, MATMUL, rows, tf.ones([2, 2]))
        with tf.compat.v1.Session() as session:
            got = session.run(whole, {batch: t.np.ones((2, 4, 6))})
            t.expect(got.shape == (5, 2, 4, 2) and (got == 6).all(), "sixes, got %s" % (got.shape,))
            t.raises(tf.errors.InvalidArgumentError, session.run, whole, {batch: [[[1.0]] * 4]})


@case(MULTIPLY, core=False, host_only=True, reference="none")
def multiply_in_a_session(t):
    """In a graph: what is known of sizes that meet; a slope of sizes that are not known; what does not meet; i32 by a fraction."""
    tf, fed = t.fw, t.fw.compat.v1.placeholder
    with tf.Graph().as_default():
        x, y = fed(tf.float32, [None, 3]), fed(tf.float32, [None, 1])
        made = t.call(MULTIPLY, x, y, name="product")
        known = made.name == "product:0" and made.shape.as_list() == [None, 3]
        t.expect(known, "product:0 of ?x3, got %s" % made)
        by_x, by_y = tf.gradients(made, [x, y])
        with tf.compat.v1.Session() as session:
            given = {x: [[1, 2, 3], [4, 5, 6]], y: [[10]]}
            got = [one.tolist() for one in session.run([made, by_x, by_y], given)]
            want = [[[10, 20, 30], [40, 50, 60]], [[10] * 3] * 2, [[21]]]
            t.expect(got == want, "%s, got %s" % (want, got))
            t.raises(tf.errors.InvalidArgumentError, session.run, made, {x: [[1] * 3] * 2, y: [[1]] * 3})  # fmt: skip
        t.raises(ValueError, t.call, MULTIPLY, tf.ones([2, 3]), tf.ones([2, 2]))
    t.refuses(MULTIPLY, tf.constant([1]), tf.constant([1.5]))


@case(SIGMOID, core=False, host_only=True, reference="none")
def sigmoid_in_a_session(t):
    """In a graph, by its name, with the slope that comes in; no sparse tensor, no whole numbers."""
    tf, v1 = t.fw, t.fw.compat.v1
    with tf.Graph().as_default():
        fed = v1.placeholder(tf.float64, [None, 2])
        made = t.call(SIGMOID, x=fed, name="gate")
        known = made.name == "gate:0" and made.shape.as_list() == [None, 2]
        t.expect(known, "gate:0 of ?x2, got %s" % made)
        slope = tf.gradients(made, fed, grad_ys=tf.constant([[1.0, -4.0]], tf.float64))[0]
        with v1.Session() as session:
            got = session.run([made, slope], {fed: [[0.0, 2.0]]})
    y = 1 / (1 + t.np.exp([-0.0, -2.0]))
    near = abs(got[0][0] - y).max() < 1e-12 and abs(got[1][0] - [0.25, -4 * y[1] * (1 - y[1])]).max() < 1e-12  # fmt: skip
    t.expect(near, "the values and their slopes, got %s" % got)
    for wrong in (tf.sparse.from_dense([1.5]), [1, 2], None):
        t.refuses(SIGMOID, wrong)


@case(ADD_N, core=False, host_only=True, reference="none")
def add_known_in_part(t):
    """In a graph: what each term knows is known of the sum; one term has a name, too; sizes that differ, known or fed; rows alone."""
    tf, fed = t.fw, t.fw.compat.v1.placeholder
    with tf.Graph().as_default():
        rows, columns, free = fed(tf.float32, [None, 3]), fed(tf.float32, [2, None]), fed(tf.float32)  # fmt: skip
        both, one = t.call(ADD_N, [rows, columns], name="both"), t.call(ADD_N, [rows], name="one")
        names = both.name, one.name
        t.expect(names == ("both:0", "one:0"), "names, got %s" % (names,))
        found = {
            "both": (both, [[2, 3]]),
            "one": (one, [[None, 3]]),
            "no known rank": (t.call(ADD_N, [free, free]), [None]),
            "beside no known rank": (t.call(ADD_N, [free, rows]), [[None, 3]]),
        }
        expect_known(t, found)
        for wrong in ([tf.zeros([2]), tf.zeros([3])], [tf.zeros([2]), tf.zeros([1])], []):
            t.raises(ValueError, t.call, ADD_N, wrong)
        with tf.compat.v1.Session() as session:
            given = {rows: [[1, 2, 3]] * 2, columns: [[4, 5, 6], [7, 8, 9]]}
            got = session.run(both, given).tolist()
            t.expect(got == [[5, 7, 9], [8, 10, 12]], "the sum, got %s" % got)
            given[rows] = [[1, 2, 3]]
            t.raises(tf.errors.InvalidArgumentError, session.run, both, given)
    slices = [tf.IndexedSlices(tf.constant([[1.0, 2.0]]) * n, tf.constant([n]), tf.constant([3, 2])) for n in (1, 2)]  # fmt: skip
    got = tf.convert_to_tensor(t.call(ADD_N, slices)).numpy().tolist()
    t.expect(got == [[0, 0], [1, 2], [2, 4]], "rows with their places, got %s" % got)
