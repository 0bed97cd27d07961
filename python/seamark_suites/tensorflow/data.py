"""Input pipelines: they live on the host."""

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
