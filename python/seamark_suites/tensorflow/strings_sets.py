"""Bytes, records, tables, sets and files."""

import os

from seamark_suites.case import case

_NUMPY = {
    "u8": "uint8",
    "u16": "uint16",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "f16": "float16",
    "f32": "float32",
    "f64": "float64",
}


@case(
    "tf.io.decode_raw",
    dtypes="u8 u16 i8 i16 i32 i64 f16 f32 f64",
    core="u8 i32 f32",
    reference="none",
)
def decode_raw(t, dtype):
    values = t.host(t.uniform((3, 5), dtype, 0, 100)).astype(_NUMPY[dtype])
    kind = t.fw.dtypes.as_dtype(_NUMPY[dtype])
    records = t.fw.constant(
        [row.tobytes() for row in values.astype(values.dtype.newbyteorder("<"))]
    )
    result = t.call("tf.io.decode_raw", records, kind)
    t.expect(
        result.dtype == kind and (t.host(result) == values).all(), "the numbers that were written"
    )


@case("tf.io.decode_raw", dtypes="i32 i16", reference="none")
def decode_raw_big_endian(t, dtype):
    values = t.host(t.randint((6,), dtype, -900, 900)).astype(_NUMPY[dtype])
    text = t.fw.constant(values.astype(values.dtype.newbyteorder(">")).tobytes())
    result = t.call(
        "tf.io.decode_raw", text, t.fw.dtypes.as_dtype(_NUMPY[dtype]), little_endian=False
    )
    t.expect((t.host(result) == values).all(), "big-endian numbers")


@case("tf.io.decode_raw", reference="none")
def decode_raw_fixed_length(t):
    """Shorter records are padded with zeros, longer ones cut."""
    result = t.host(
        t.call("tf.io.decode_raw", t.fw.constant([b"ab", b"abcdef"]), t.fw.uint8, fixed_length=4)
    )
    t.expect(
        result.tolist() == [[97, 98, 0, 0], [97, 98, 99, 100]],
        "padded and cut records, got %s" % result.tolist(),
    )


@case("tf.io.decode_raw", reference="none", core=False)
def decode_raw_uneven(t):
    t.refuses("tf.io.decode_raw", t.fw.constant([b"abc"]), t.fw.int16)


def _sequence_example(t):
    train = t.fw.train
    steps = [train.Feature(int64_list=train.Int64List(value=[n, n * n])) for n in range(1, 4)]
    words = [train.Feature(bytes_list=train.BytesList(value=[b"x" * n])) for n in range(1, 3)]
    context = {
        "length": train.Feature(int64_list=train.Int64List(value=[3])),
        "weight": train.Feature(float_list=train.FloatList(value=[0.5, 0.25])),
    }
    lists = {"steps": train.FeatureList(feature=steps), "words": train.FeatureList(feature=words)}
    example = train.SequenceExample(
        context=train.Features(feature=context),
        feature_lists=train.FeatureLists(feature_list=lists),
    )
    return example.SerializeToString()


def _parse(t, text, context, sequence):
    return t.call(
        "tf.io.parse_single_sequence_example",
        text,
        context_features=context,
        sequence_features=sequence,
    )


@case("tf.io.parse_single_sequence_example", reference="none")
def parse_sequence(t):
    io = t.fw.io
    context = {
        "length": io.FixedLenFeature([], t.fw.int64),
        "weight": io.FixedLenFeature([2], t.fw.float32),
    }
    sequence = {"steps": io.FixedLenSequenceFeature([2], t.fw.int64)}
    head, body = _parse(t, t.fw.constant(_sequence_example(t)), context, sequence)
    t.expect(
        t.host(head["length"]) == 3 and t.host(head["weight"]).tolist() == [0.5, 0.25],
        "the context",
    )
    t.expect(t.host(body["steps"]).tolist() == [[1, 1], [2, 4], [3, 9]], "the steps")


@case("tf.io.parse_single_sequence_example", reference="none")
def parse_sequence_sparse(t):
    sequence = {
        "words": t.fw.io.VarLenFeature(t.fw.string),
        "missing": t.fw.io.VarLenFeature(t.fw.float32),
    }
    _, body = _parse(t, t.fw.constant(_sequence_example(t)), None, sequence)
    t.expect(t.host(body["words"].values).tolist() == [b"x", b"xx"], "the words")
    t.expect(t.host(body["words"].dense_shape).tolist() == [2, 1], "shape 2x1")
    t.expect(int(body["missing"].values.shape[0]) == 0, "nothing where the feature is missing")


@case("tf.io.parse_single_sequence_example", reference="none", core=False)
def parse_sequence_ragged(t):
    sequence = {"steps": t.fw.io.RaggedFeature(t.fw.int64)}
    _, body = _parse(t, t.fw.constant(_sequence_example(t)), None, sequence)
    t.expect(t.host(body["steps"].flat_values).tolist() == [1, 1, 2, 4, 3, 9], "the flat values")
    t.expect(t.host(body["steps"].row_splits).tolist() == [0, 2, 4, 6], "rows of two")


@case("tf.io.parse_single_sequence_example", reference="none")
def parse_sequence_missing(t):
    context = {"absent": t.fw.io.FixedLenFeature([], t.fw.int64)}
    text = t.fw.constant(_sequence_example(t))
    error = t.raises((t.fw.errors.InvalidArgumentError,), _parse, t, text, context, None)
    if "absent" not in str(error):
        raise error


@case("tf.lookup.KeyValueTensorInitializer", keys=["i64", "string"], reference="none")
def key_value_table(t, keys):
    names = [b"a", b"b", b"c"] if keys == "string" else [10, 20, 30]
    kind = t.fw.string if keys == "string" else t.fw.int64
    asked = t.fw.constant([names[2], names[0], b"z" if keys == "string" else 99], kind)

    def build_and_look_up(asked):
        made = t.get("tf.lookup.KeyValueTensorInitializer")(
            names, [1, 2, 3], key_dtype=kind, value_dtype=t.fw.int64
        )
        return t.fw.lookup.StaticHashTable(made, -1).lookup(asked)

    result = t.call(build_and_look_up, asked)
    t.expect(t.host(result).tolist() == [3, 1, -1], "3, 1 and the default, got %s" % t.host(result))


@case("tf.lookup.KeyValueTensorInitializer", dtypes="f32 i32 f64", reference="none", core="f32")
def key_value_dtypes(t, dtype):
    """A table made beforehand, as users do; the call is the look-up."""
    keys = t.fw.constant([4, 7], t.fw.int64)
    values = t.fw.constant([0.5, 2.5] if dtype[0] == "f" else [5, 25], t.dtype(dtype))
    table = t.fw.lookup.StaticHashTable(
        t.get("tf.lookup.KeyValueTensorInitializer")(keys, values), values[0] * 0
    )
    result = t.host(t.call(table.lookup, t.fw.constant([[7, 4], [5, 7]], t.fw.int64)))
    want = [[2.5, 0.5], [0, 2.5]] if dtype[0] == "f" else [[25, 5], [0, 25]]
    t.expect(result.tolist() == want, "%s, got %s" % (want, result.tolist()))


@case("tf.lookup.KeyValueTensorInitializer", reference="none", host_only=True)
def key_value_properties(t):
    made = t.call("tf.lookup.KeyValueTensorInitializer", ["x", "y"], [1, 2], value_dtype=t.fw.int64)
    t.expect(
        made.key_dtype == t.fw.string and made.value_dtype == t.fw.int64,
        "string keys, int64 values",
    )


@case("tf.lookup.KeyValueTensorInitializer", reference="none", core=False)
def key_value_duplicate(t):
    made = t.get("tf.lookup.KeyValueTensorInitializer")

    def build():
        return t.fw.lookup.StaticHashTable(
            made(["x", "x"], [1, 2], value_dtype=t.fw.int64), -1
        ).size()

    kinds = (t.fw.errors.InvalidArgumentError, t.fw.errors.FailedPreconditionError)
    t.raises(kinds, t.call, build)


@case("tf.sets.intersection", dtypes="i32 i64 u8 i8", core="i32 i64", reference="none")
def sets_intersection(t, dtype):
    a, b = t.const([[1, 2, 3, 9], [4, 5, 6, 6]], dtype), t.const([[9, 3, 7], [6, 5, 1]], dtype)
    result = t.call("tf.sets.intersection", a, b)
    rows = [
        sorted(
            int(v) for v, (row, _) in zip(t.host(result.values), t.host(result.indices)) if row == i
        )
        for i in (0, 1)
    ]
    t.expect(rows == [[3, 9], [5, 6]], "3 9 and 5 6, got %s" % rows)
    t.expect(result.values.dtype == a.dtype, "the dtype of the sets")


@case("tf.sets.intersection", reference="none")
def sets_intersection_strings(t):
    a, b = t.fw.constant([["x", "y", "z"]]), t.fw.constant([["z", "w", "x"]])
    result = t.call("tf.sets.intersection", a, b)
    t.expect(sorted(t.host(result.values).tolist()) == [b"x", b"z"], "x and z")


@case("tf.sets.intersection", reference="none")
def sets_intersection_sparse(t):
    sparse = t.fw.SparseTensor(
        [[0, 0], [0, 1], [1, 0]], t.fw.constant([1, 2, 3], t.fw.int64), [2, 2]
    )
    other = t.fw.SparseTensor(
        [[0, 0], [1, 0], [1, 1]], t.fw.constant([2, 3, 8], t.fw.int64), [2, 2]
    )
    result = t.call("tf.sets.intersection", sparse, other)
    t.expect(t.host(result.values).tolist() == [2, 3], "2 and 3, got %s" % t.host(result.values))


@case("tf.sets.intersection", reference="none")
def sets_intersection_disjoint(t):
    result = t.call("tf.sets.intersection", t.const([[1, 2]], "i32"), t.const([[3, 4]], "i32"))
    t.expect(int(result.values.shape[0]) == 0, "an empty set")


@case("tf.sets.intersection", reference="none", core=False)
def sets_intersection_floats(t):
    t.refuses("tf.sets.intersection", t.const([[1.0]], "f32"), t.const([[1.0]], "f32"))


@case("tf.train.list_variables", reference="none", host_only=True)
def list_variables(t):
    """Names and shapes of what a checkpoint holds."""
    path = os.path.join(t.tmpdir(), "model")
    held = t.fw.train.Checkpoint(
        weight=t.fw.Variable(t.randn((3, 4), "f32")), step=t.fw.Variable(7, dtype=t.fw.int64)
    )
    found = dict(t.call("tf.train.list_variables", held.write(path)))
    shapes = {
        name.split("/")[0]: shape for name, shape in found.items() if "VARIABLE_VALUE" in name
    }
    t.expect(
        shapes == {"weight": [3, 4], "step": []}, "weight 3x4 and a scalar step, got %s" % found
    )


@case("tf.train.list_variables", reference="none", host_only=True, core=False)
def list_variables_nowhere(t):
    t.refuses("tf.train.list_variables", os.path.join(t.tmpdir(), "none"))


@case("tf.summary.flush", reference="none", host_only=True)
def summary_flush(t):
    """What was written is on disk after flush, with the writer still open."""
    folder = t.tmpdir()
    writer = t.fw.summary.create_file_writer(folder)
    with writer.as_default():
        t.fw.summary.write("loss", 0.25, step=3)
    t.call("tf.summary.flush", writer)
    names = [os.path.join(folder, name) for name in os.listdir(folder)]
    events = [event for name in names for event in t.fw.compat.v1.train.summary_iterator(name)]
    steps = [(event.step, value.tag) for event in events for value in event.summary.value]
    t.expect(steps == [(3, "loss")], "one event of step 3, got %s" % steps)


@case("tf.summary.flush", reference="none", host_only=True, core=False)
def summary_flush_without_writer(t):
    t.expect(t.call("tf.summary.flush") is None, "nothing to do and no error")
