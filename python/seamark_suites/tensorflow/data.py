"""Input pipelines: they live on the host."""

import collections
import os

from seamark_suites.case import case


def _values(dataset):
    return list(dataset.as_numpy_iterator())


@case("tf.data.Dataset.shard", host_only=True, reference="none", count=[1, 3], index=[0])
def shard(t, count, index):
    got = _values(t.call("tf.data.Dataset.shard", t.fw.data.Dataset.range(10), count, index))
    t.expect(got == list(range(10))[index::count], "every %dth element, got %s" % (count, got))


@case("tf.data.Dataset.shard", host_only=True, reference="none")
def shard_covers(t):
    """All shards together hold every element once."""
    whole = t.fw.data.Dataset.range(11)
    got = [v for i in range(4) for v in _values(t.call("tf.data.Dataset.shard", whole, 4, i))]
    t.expect(sorted(got) == list(range(11)), "0 to 10, got %s" % got)


@case("tf.data.Dataset.shard", host_only=True, reference="none", core=False)
def shard_out_of_range(t):
    errors = (ValueError, t.fw.errors.InvalidArgumentError)
    t.raises(errors, t.call, "tf.data.Dataset.shard", t.fw.data.Dataset.range(10), 2, 2)


@case(
    "tf.data.experimental.dense_to_ragged_batch",
    host_only=True,
    reference="none",
    drop=[False, True],
)
def dense_to_ragged_batch(t, drop):
    rows = t.fw.data.Dataset.range(1, 6).map(lambda n: t.fw.range(n))
    batching = t.call("tf.data.experimental.dense_to_ragged_batch", 2, drop_remainder=drop)
    got = [batch.to_list() for batch in rows.apply(batching)]
    want = [[[0], [0, 1]], [[0, 1, 2], [0, 1, 2, 3]], [[0, 1, 2, 3, 4]]]
    t.expect(got == (want[:2] if drop else want), "ragged batches, got %s" % got)


@case("tf.data.experimental.dense_to_ragged_batch", host_only=True, reference="none", core=False)
def dense_to_ragged_batch_splits(t):
    rows = t.fw.data.Dataset.range(1, 3).map(lambda n: t.fw.range(n))
    batching = t.call("tf.data.experimental.dense_to_ragged_batch", 2, row_splits_dtype=t.fw.int32)
    (batch,) = list(rows.apply(batching))
    t.expect(
        batch.row_splits.dtype == t.fw.int32, "int32 row splits, got %s" % batch.row_splits.dtype
    )


@case("tf.data.experimental.from_list", host_only=True, reference="none")
def from_list(t):
    dataset = t.call("tf.data.experimental.from_list", [(1, b"a"), (2, b"b"), (3, b"c")])
    t.expect(_values(dataset) == [(1, b"a"), (2, b"b"), (3, b"c")], "the elements in order")
    t.expect(int(dataset.cardinality()) == 3, "three elements")


@case("tf.data.experimental.from_list", host_only=True, reference="none")
def from_list_of_dicts(t):
    got = _values(t.call("tf.data.experimental.from_list", [{"x": [1.0, 2.0]}, {"x": [3.0, 4.0]}]))
    t.expect(
        [row["x"].tolist() for row in got] == [[1.0, 2.0], [3.0, 4.0]], "the rows, got %s" % got
    )


@case("tf.data.experimental.from_list", host_only=True, reference="none", core=False)
def from_list_empty(t):
    t.raises(ValueError, t.call, "tf.data.experimental.from_list", [])


@case("tf.data.experimental.shuffle_and_repeat", host_only=True, reference="none")
def shuffle_and_repeat(t):
    """Each epoch is a permutation; a seed makes it repeatable."""
    runs = []
    for _ in range(2):
        mix = t.call("tf.data.experimental.shuffle_and_repeat", 20, count=2, seed=4)
        runs.append([int(v) for v in _values(t.fw.data.Dataset.range(20).apply(mix))])
    first, second = runs[0][:20], runs[0][20:]
    t.expect(
        sorted(first) == sorted(second) == list(range(20)), "two permutations, got %s" % runs[0]
    )
    t.expect(first != second and first != list(range(20)), "shuffled epochs that differ")


@case("tf.data.experimental.shuffle_and_repeat", host_only=True, reference="none")
def shuffle_with_small_buffer(t):
    """With a buffer of one nothing moves."""
    mix = t.call("tf.data.experimental.shuffle_and_repeat", 1, count=2)
    got = [int(v) for v in _values(t.fw.data.Dataset.range(4).apply(mix))]
    t.expect(got == [0, 1, 2, 3, 0, 1, 2, 3], "the order kept, got %s" % got)


@case("tf.data.experimental.shuffle_and_repeat", host_only=True, reference="none", core=False)
def shuffle_and_repeat_forever(t):
    mix = t.call("tf.data.experimental.shuffle_and_repeat", 3)
    got = [int(v) for v in _values(t.fw.data.Dataset.range(3).apply(mix).take(30))]
    t.expect(len(got) == 30 and set(got) == {0, 1, 2}, "endless epochs, got %s" % got)


# --- from_tensor_slices

SLICES = "tf.data.Dataset.from_tensor_slices"
KINDS = [
    "bool",
    "int8",
    "uint8",
    "uint16",
    "int64",
    "uint64",
    "float16",
    "bfloat16",
    "float64",
    "complex64",
    "complex128",
]


@case(SLICES, host_only=True, reference="none", core=False, kind=KINDS)
def slices_of_kinds(t, kind):
    """Rows keep their dtype; a list of rows, a tensor and an array of NumPy give the same ones."""
    rows = t.fw.cast([[0, 1, 2], [5, 0, 7]], kind)
    for source in (rows, rows.numpy(), list(rows)):
        data = t.call(SLICES, source)
        want = t.fw.TensorSpec([3], kind)
        t.expect(data.element_spec == want, "%r, got %r" % (want, data.element_spec))
        got = [row.tolist() for row in data.as_numpy_iterator()]
        t.expect(got == rows.numpy().tolist(), "%s, got %s" % (rows.numpy().tolist(), got))


@case(SLICES, host_only=True, reference="none", core=False)
def slices_of_composites(t):
    """Sparse rows stay sparse, a named tuple stays one, a variable is read when it is cut, None stands beside."""
    tf = t.fw
    data = t.call(SLICES, tf.SparseTensor([[0, 0], [2, 1]], [5, 6], [3, 2]))
    t.expect(data.element_spec == tf.SparseTensorSpec([2], tf.int32), "%r" % data.element_spec)
    got = [tf.sparse.to_dense(row).numpy().tolist() for row in data]
    t.expect(got == [[5, 0], [0, 0], [0, 6]], "its rows, got %s" % got)
    ragged = t.call(SLICES, tf.ragged.constant([[1, 2], [3]])).element_spec
    t.expect(ragged == tf.RaggedTensorSpec([None], tf.int32, 0), "%r" % ragged)
    pair = collections.namedtuple("Pair", "x y")
    (first, _) = t.call(SLICES, pair([[1], [2]], {"z": ["a", "b"]}))
    t.expect(
        type(first).__name__ == "Pair" and first.y["z"].numpy() == b"a",
        "the pair, got %s" % (first,),
    )
    held = tf.Variable([1.0, 2.0])
    data = t.call(SLICES, held)
    held.assign([7.0, 8.0])
    t.expect(_values(data) == [1.0, 2.0], "as it was, got %s" % _values(data))
    t.expect(_values(t.call(SLICES, ([1, 2], None))) == [(1, None), (2, None)], "None in each")


@case(SLICES, host_only=True, reference="none", core=False)
def slices_by_place(t):
    """How many there are, the one at a place, none behind the last."""
    at = t.fw.data.experimental.at
    data = t.call(SLICES, ([5, 6, 7], ["a", "b", "c"]))
    t.expect(len(data) == 3 and int(data.cardinality()) == 3, "three")
    t.expect([int(at(data, 2)[0]), at(data, 0)[1].numpy()] == [7, b"a"], "the last and the first")
    t.raises(t.fw.errors.OutOfRangeError, at, data, 3)
    t.expect(_values(data)[1] == (6, b"b") and _values(data)[1] == (6, b"b"), "read twice")


@case(SLICES, host_only=True, reference="none", core=False)
def slices_joined(t):
    """One behind the other, again, cut, numbered, beside another, in a window, in parts of one size."""
    data, tf = t.call(SLICES, [1, 2, 3], name="rows"), t.fw
    joined = data.concatenate(t.call(SLICES, [9])).repeat(2)
    t.expect(_values(joined) == [1, 2, 3, 9] * 2, "eight, got %s" % _values(joined))
    cut = joined.skip(1).take(4).enumerate(start=5)
    t.expect(_values(cut) == [(5, 2), (6, 3), (7, 9), (8, 1)], "numbered, got %s" % _values(cut))
    pairs = tf.data.Dataset.zip((data, t.call(SLICES, ["a", "b"])))
    t.expect(_values(pairs) == [(1, b"a"), (2, b"b")], "as many as the shorter has")
    t.expect(
        [one.tolist() for one in _values(data.batch(2, drop_remainder=True))] == [[1, 2]],
        "pairs alone",
    )
    t.expect(int(data.reduce(tf.constant(0), lambda total, x: total * 10 + x)) == 123, "in order")
    flat = t.call(SLICES, [[1, 2], [3, 4]]).unbatch()
    t.expect(_values(flat) == [1, 2, 3, 4], "apart again, got %s" % _values(flat))
    once = data.repeat(20).shuffle(60, seed=4, reshuffle_each_iteration=False)
    t.expect(
        _values(once) == _values(once) and _values(once) != [1, 2, 3] * 20, "mixed alike each time"
    )


@case(SLICES, host_only=True, reference="none", core=False)
def slices_go_on(t):
    """A checkpoint has the place of an iterator; behind the last there is none."""
    tf = t.fw
    rows = iter(t.call(SLICES, [1, 2, 3, 4]))
    next(rows), next(rows)
    path = tf.train.Checkpoint(rows=rows).write(os.path.join(t.tmpdir(), "place"))
    t.expect([int(one) for one in rows] == [3, 4], "the rest")
    t.raises(StopIteration, next, rows)
    tf.train.Checkpoint(rows=rows).read(path)
    t.expect([int(one) for one in rows] == [3, 4], "the rest again")


@case(SLICES, host_only=True, reference="none", core=False)
def slices_in_a_graph(t):
    """Of what is fed to a graph of TensorFlow 1 when its iterator begins."""
    tf, v1 = t.fw, t.fw.compat.v1
    with tf.Graph().as_default():
        fed = v1.placeholder(tf.float32, [None, 2])
        rows = v1.data.make_initializable_iterator(t.call(SLICES, fed))
        row = rows.get_next()
        with v1.Session() as session:
            t.raises(tf.errors.FailedPreconditionError, session.run, row)
            for values in ([[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0]]):
                session.run(rows.initializer, {fed: values})
                got = [session.run(row).tolist() for _ in values]
                t.expect(got == values, "%s, got %s" % (values, got))
                t.raises(tf.errors.OutOfRangeError, session.run, row)


@case(SLICES, host_only=True, reference="none", core=False)
def slices_refuse(t):
    """No rows to cut, other numbers of rows in a structure, lists of several lengths, what is no tensor."""
    for wrong in (
        (),
        {},
        None,
        {"a": [1], "b": [1, 2]},
        {"a": [1], "b": 2},
        [[1], [2, 3]],
        object(),
        "text",
    ):
        t.raises((ValueError, TypeError), t.call, SLICES, wrong)


@case(SLICES, host_only=True, reference="none", core=False)
def slices_of_datasets(t):
    """A list of datasets is cut into datasets, of numbers and of dictionaries, within a traced function, too."""
    make, tf = t.get(SLICES), t.fw
    plain = [tf.data.Dataset.range(3 * n, 3 * n + 3) for n in range(4)]
    got = _values(t.call(SLICES, plain).flat_map(lambda one: one))
    t.expect([int(n) for n in got] == list(range(12)), "one behind the other, got %s" % got)
    named = [one.map(lambda x: collections.OrderedDict([("x", x), ("y", -x)])) for one in plain]
    got = _values(t.call(SLICES, named).flat_map(lambda one: one))
    t.expect([(int(one["x"]), int(one["y"])) for one in got] == [(n, -n) for n in range(12)], "pairs, got %s" % got)  # fmt: skip
    within = tf.data.Dataset.from_tensors(tuple(plain)).flat_map(lambda *some: make(list(some)))
    got = t.call(lambda: _values(within.flat_map(lambda one: one)))
    t.expect([int(n) for n in got] == list(range(12)), "within a function, got %s" % got)


@case(SLICES, host_only=True, reference="none", core=False)
def slices_of_values_that_mix(t):
    """Values of sparse and ragged tensors beside arrays: each row has its part of every one; by place, in dictionaries."""
    tf, np, at = t.fw, t.np, t.fw.data.experimental.at
    arrays = np.tile([[1], [2], [3]], 20), np.array([37.0, 38.0, 39.0])
    sparse = tf.compat.v1.SparseTensorValue(np.array([[0, 0], [1, 1], [2, 2]]), np.array([1, 2, 3]), np.array([3, 3]))  # fmt: skip
    ragged = tf.compat.v1.ragged.constant_value([[[0], [5, 6]], [], [[2]]])
    data = t.call(SLICES, (*arrays, {"s": sparse, "r": ragged}))
    spec = data.element_spec
    t.expect(spec[0].shape == (20,) and spec[2]["s"] == tf.SparseTensorSpec([3], sparse.values.dtype), "%s" % (spec,))  # fmt: skip
    want = [[[0], [5, 6]], [], [[2]]]
    for number, (first, second, both) in enumerate(data):
        t.expect(first.numpy().tolist() == [number + 1] * 20 and float(second) == 37 + number, "row %d" % number)  # fmt: skip
        dense = tf.sparse.to_dense(both["s"]).numpy().tolist()
        t.expect(dense == [(number + 1) * (n == number) for n in range(3)], "its part, got %s" % dense)  # fmt: skip
        t.expect(both["r"].to_list() == want[number], "its rows, got %s" % both["r"])
    far = [np.array([[2], [n]], kind) for n, kind in ((2**8, "uint16"), (2**16, "uint32"), (2**32, "uint64"))]  # fmt: skip
    wide = t.call(SLICES, {"a": tuple(far)})
    got = [[int(part[0]) for part in at(wide, place)["a"]] for place in (0, 1)]
    t.expect(got == [[2, 2, 2], [2**8, 2**16, 2**32]], "by place, got %s" % got)
    t.expect([one.name for one in tf.nest.map_structure(lambda s: s.dtype, spec[:2])] == ["int64", "float64"], "kinds")  # fmt: skip
    t.raises(tf.errors.OutOfRangeError, at, wide, -1)


@case(SLICES, host_only=True, reference="none", core=False, symbolic=[False, True])
def slices_go_on_anywhere(t, symbolic):
    """From each place, the first and the last among them, a checkpoint goes on with a structure's rows."""
    tf, rows = t.fw, {"foo": [1, 2, 3], "bar": [[4.0], [5.0], [6.0]]}
    options = tf.data.Options()
    options.experimental_symbolic_checkpoint = symbolic
    data = t.call(SLICES, rows).with_options(options)
    for place in range(4):
        one, path = iter(data), os.path.join(t.tmpdir(), "at%d" % place)
        for _ in range(place):
            next(one)
        kept = tf.train.Checkpoint(rows=one).write(path)
        other = iter(data)
        tf.train.Checkpoint(rows=other).read(kept).assert_consumed()
        got = [(int(row["foo"]), row["bar"].numpy().tolist()) for row in other]
        want = [(n + 1, [n + 4.0]) for n in range(place, 3)]
        t.expect(got == want, "%s, got %s" % (want, got))
