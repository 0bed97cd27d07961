"""Records and what is parsed of them, on the host: tf.train.Feature, tf.io.FixedLenFeature."""

import pickle

from seamark_suites.case import case

FIXED, FEATURE = "tf.io.FixedLenFeature", "tf.train.Feature"


@case("tf.train.Feature", host_only=True, reference="none")
def feature_kinds(t):
    train = t.fw.train
    for kind, values, right in (
        ("int64_list", [1, -5, 2**40], train.Int64List),
        ("float_list", [0.5, -2.0], train.FloatList),
        ("bytes_list", [b"a", b""], train.BytesList),
    ):
        made = t.call("tf.train.Feature", **{kind: right(value=values)})
        t.expect(made.WhichOneof("kind") == kind, "%s, got %s" % (kind, made))
        t.expect(list(getattr(made, kind).value) == values, "the values of %s" % kind)
        back = train.Feature.FromString(made.SerializeToString())
        t.expect(list(getattr(back, kind).value) == values, "the values after serializing")


@case("tf.train.Feature", host_only=True, reference="none", core=False)
def feature_one_kind(t):
    """A second kind replaces the first."""
    made = t.call("tf.train.Feature", int64_list=t.fw.train.Int64List(value=[1]))
    made.float_list.value.append(0.5)
    t.expect(made.WhichOneof("kind") == "float_list", "floats alone")
    t.expect(len(made.int64_list.value) == 0, "no integer is left")
    t.expect(t.call("tf.train.Feature").WhichOneof("kind") is None, "an empty feature")


@case("tf.train.Feature", host_only=True, reference="none", core=False)
def feature_refused(t):
    feature, floats = "tf.train.Feature", t.fw.train.FloatList(value=[1.0])
    t.raises((TypeError, ValueError), t.call, feature, int64_list=floats)
    t.raises((TypeError, ValueError), t.call, feature, no_such_list=floats)


@case("tf.train.Feature", host_only=True, reference="none", core=False)
def feature_as_a_message(t):
    """Its bytes, its text, equality, fields; copied, merged, cleared; of a dictionary and of an array; parsed from a record."""
    train, make = t.fw.train, "tf.train.Feature"
    made = t.call(make, float_list=train.FloatList(value=[1.5]))
    t.expect(
        made.SerializeToString() == b"\x12\x06\n\x04\0\0\xc0?", "%r" % made.SerializeToString()
    )
    t.expect(str(made) == "float_list {\n  value: 1.5\n}\n", "its text, got %s" % made)
    t.expect(made.HasField("float_list") and not made.HasField("int64_list"), "one field")
    other = t.call(make, float_list=train.FloatList(value=t.np.array([1.5])))
    t.expect(made == other and made != t.call(make), "equal to one of an array")
    other.MergeFrom(made)
    t.expect(list(other.float_list.value) == [1.5, 1.5], "one behind the other")
    other.CopyFrom(t.call(make, int64_list={"value": [-(2**63), 2**63 - 1]}))
    t.expect(list(other.int64_list.value) == [-(2**63), 2**63 - 1], "the ends of 64 bits")
    example = train.Example(features=train.Features(feature={"a": made, "b": other}))
    specs = {
        "a": t.fw.io.FixedLenFeature([1], t.fw.float32),
        "b": t.fw.io.VarLenFeature(t.fw.int64),
    }
    with t.fw.device("cpu"):
        back = t.fw.io.parse_single_example(example.SerializeToString(), specs)
    t.expect(back["a"].numpy().tolist() == [1.5], "parsed, got %s" % back["a"])
    t.expect(
        back["b"].values.numpy().tolist() == [-(2**63), 2**63 - 1], "parsed, got %s" % back["b"]
    )
    other.Clear()
    t.expect(other == train.Feature() and other.WhichOneof("kind") is None, "empty")


@case("tf.train.Feature", host_only=True, reference="none", core=False)
def feature_refuses_values(t):
    """Fractions for integers, texts for bytes and for numbers, 64 bits and one more, a list in place, bytes that are none."""
    train, make = t.fw.train, "tf.train.Feature"
    for wrong in ({"int64_list": {"value": [1.5]}}, {"bytes_list": {"value": [3]}}, {"float_list": {"value": ["a"]}},
                  {"int64_list": {"value": [2**63]}}, {"int64_list": [1]}, {"bytes_list": b"a"}):  # fmt: skip
        t.raises((TypeError, ValueError), t.call, make, **wrong)
    t.raises(TypeError, t.call, make, train.Int64List(value=[1]))
    made = t.call(make, float_list=train.FloatList(value=[float("inf"), 1e39, -0.0]))
    inf = float("inf")
    t.expect(list(made.float_list.value) == [inf, inf, 0.0], "of 32 bits, got %s" % made)
    t.raises(AttributeError, setattr, made, "int64_list", train.Int64List(value=[1]))
    t.raises(Exception, train.Feature.FromString, b"\xff\xff")


def _record(t, **values):
    train = t.fw.train
    features = {}
    for name, value in values.items():
        kind = {int: "int64_list", float: "float_list", bytes: "bytes_list"}[type(value[0])]
        holder = {"int64_list": train.Int64List, "float_list": train.FloatList,
                  "bytes_list": train.BytesList}[kind]  # fmt: skip
        features[name] = train.Feature(**{kind: holder(value=value)})
    return train.Example(features=train.Features(feature=features)).SerializeToString()


def _parsed(t, specs, **values):
    with t.fw.device("cpu"):
        return t.fw.io.parse_single_example(_record(t, **values), specs)


@case("tf.io.FixedLenFeature", host_only=True, reference="none")
def fixed_parses(t):
    made = t.call("tf.io.FixedLenFeature", [2, 2], t.fw.float32)
    t.expect(list(made.shape) == [2, 2] and made.dtype == t.fw.float32, "shape and dtype")
    t.expect(made.default_value is None, "no default value")
    got = _parsed(t, {"x": made}, x=[1.0, 2.0, 3.0, 4.5])["x"].numpy()
    t.expect(got.tolist() == [[1.0, 2.0], [3.0, 4.5]], "the rows, got %s" % got)


@case("tf.io.FixedLenFeature", host_only=True, reference="none", core=False)
def fixed_default(t):
    made = t.call("tf.io.FixedLenFeature", [2], t.fw.int64, [7, 8])
    got = _parsed(t, {"x": made}, other=[1])["x"].numpy().tolist()
    t.expect(got == [7, 8], "the default, got %s" % got)
    given = _parsed(t, {"x": made}, x=[3, 4])["x"].numpy().tolist()
    t.expect(given == [3, 4], "what the record has, got %s" % given)


@case("tf.io.FixedLenFeature", host_only=True, reference="none", core=False)
def fixed_strings(t):
    made = t.call("tf.io.FixedLenFeature", [], t.fw.string)
    got = _parsed(t, {"x": made}, x=[b"a\0b"])["x"].numpy()
    t.expect(got == b"a\0b", "the bytes, got %r" % got)


@case("tf.io.FixedLenFeature", host_only=True, reference="none", core=False)
def fixed_missing(t):
    """Without a default a missing feature, a wrong number and a wrong dtype are refused."""
    made = t.call("tf.io.FixedLenFeature", [2], t.fw.int64)
    for values in ({"other": [1]}, {"x": [1, 2, 3]}, {"x": [1.0, 2.0]}):
        t.raises(t.fw.errors.InvalidArgumentError, _parsed, t, {"x": made}, **values)


@case("tf.io.FixedLenFeature", host_only=True, reference="none", core=False)
def fixed_batches(t):
    """Of several records at once: a default where one lacks the feature, several features, shapes by tuples."""
    feature, parse = t.get("tf.io.FixedLenFeature"), t.fw.io.parse_example
    records = [
        _record(t, x=[1.0, 2.0], n=[5], w=[b"a"]),
        _record(t, n=[2**40], w=[b""]),
    ]

    def parsed():
        specs = {"x": feature((2, 1), t.fw.float32, [[7.0], [8.0]]), "n": feature([], t.fw.int64),
                 "w": feature([1], t.fw.string), "lost": feature([2], t.fw.string, [b"b", b""])}  # fmt: skip
        with t.fw.device("cpu"):
            return parse(records, specs)

    got = {name: t.host(value).tolist() for name, value in t.call(parsed).items()}
    want = {
        "x": [[[1.0], [2.0]], [[7.0], [8.0]]],
        "n": [5, 2**40],
        "w": [[b"a"], [b""]],
        "lost": [[b"b", b""]] * 2,
    }
    t.expect(got == want, "%s, got %s" % (want, got))


@case("tf.io.FixedLenFeature", host_only=True, reference="none", core=False)
def fixed_in_a_pipeline(t):
    """Within a dataset's map and a traced function; of the context of a sequence."""
    tf, feature = t.fw, t.get("tf.io.FixedLenFeature")
    specs = {"x": t.call(feature, [2], tf.int64)}
    parse = tf.io.parse_single_example
    records = [_record(t, x=[1, 2]), _record(t, x=[-3, 4])]
    rows = tf.data.Dataset.from_tensor_slices(records).map(lambda one: parse(one, specs)["x"])
    got = [row.tolist() for row in rows.as_numpy_iterator()]
    t.expect(got == [[1, 2], [-3, 4]], "a row of each record, got %s" % got)
    with tf.device("cpu"):
        traced = tf.function(lambda one: parse(one, specs)["x"] * 2, autograph=False)
        t.expect(t.host(traced(records[1])).tolist() == [-6, 8], "twice the second")
        features = tf.train.Example.FromString(records[0]).features
        record = tf.train.SequenceExample(context=features).SerializeToString()
        found = tf.io.parse_single_sequence_example(record, context_features=specs)[0]
    t.expect(t.host(found["x"]).tolist() == [1, 2], "of the context, got %s" % found)


@case("tf.io.FixedLenFeature", host_only=True, reference="none", core=False)
def fixed_is_a_tuple(t):
    """With names; equal to another of the same parts; a copy with another part."""
    name, tf = "tf.io.FixedLenFeature", t.fw
    made = t.call(name, shape=[2], dtype=tf.int64, default_value=[1, 2])
    t.expect(tuple(made) == ([2], tf.int64, [1, 2]), "its parts, got %s" % (made,))
    t.expect(made == t.call(name, [2], tf.int64, [1, 2]), "equal")
    t.expect(made != t.call(name, [2], tf.int64), "not without the default")
    t.expect(made._replace(shape=[]).shape == [] and made.shape == [2], "a copy")
    t.raises(TypeError, t.call, name, [2])


@case("tf.io.FixedLenFeature", host_only=True, reference="none", core=False)
def fixed_refused(t):
    """Unknown sizes, no shape, no dtype, dtypes that records do not have, defaults that do not fit."""
    tf, feature, kinds = t.fw, t.get("tf.io.FixedLenFeature"), (ValueError, TypeError, t.fw.errors.InvalidArgumentError)  # fmt: skip
    wrong = (
        ([None], tf.int64),
        (None, tf.int64),
        ([1], None),
        ([1], tf.int32),
        ([1], tf.bool),
        ([2], tf.int64, [1, 2, 3]),
        ([1], tf.int64, [1.5]),
        ([1], tf.int64, ["a"]),
    )
    for parts in wrong:
        t.raises(kinds, t.call, lambda parts: _parsed(t, {"x": feature(*parts)}, other=[1]), parts)


# --- records that lack something, and large ones


def _filled(t, **features):
    train = t.fw.train
    return train.Example(features=train.Features(feature=features)).SerializeToString()


@case(FIXED, host_only=True, core=False, reference="none")
def fixed_of_what_is_empty(t):
    """Of a record of nothing, or whose feature has no kind, defaults of other shapes; an empty list is not a missing one; the last of two counts."""
    tf, np, kinds = t.fw, t.np, (ValueError, t.fw.errors.InvalidArgumentError)
    words, floats = np.array([[b"a", b""], [b"c", b"dd"]]), np.array([0.25, -1.5], "float32")
    specs = {"a": t.call(FIXED, (1, 3), tf.int64, default_value=[0, 42, 0]), "b:c d": t.call(FIXED, (2, 2), tf.string, words),
             "c": t.call(FIXED, (2,), tf.float32, floats), "n": t.call(FIXED, [], tf.int64, 7)}  # fmt: skip
    ints = tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2]))
    none = tf.train.Feature()
    with tf.device("cpu"):
        for record in (b"", _filled(t, a=none, c=none)):
            made = tf.io.parse_single_example(record, specs)
            got = {name: one.numpy().tolist() for name, one in made.items()}
            want = {"a": [[0, 42, 0]], "b:c d": words.tolist(), "c": [0.25, -1.5], "n": 7}
            t.expect(got == want, "%s, got %s" % (want, got))
        one = {"x": t.call(FIXED, [2], tf.int64)}
        twice = _filled(t, x=tf.train.Feature(int64_list=tf.train.Int64List(value=[8, 9]))) + _filled(t, x=ints)  # fmt: skip
        got = tf.io.parse_single_example(twice, one)["x"].numpy().tolist()
        t.expect(got == [1, 2], "those of the last, got %s" % got)
        empty = _filled(t, x=tf.train.Feature(int64_list=tf.train.Int64List()))
        made = tf.io.parse_single_example(empty, {"x": t.call(FIXED, [0], tf.int64)})["x"]
        t.expect(made.shape.as_list() == [0], "of no numbers, got %s" % made.shape)
        wide = {"x": t.call(FIXED, [2], tf.int64, [3, 4])}
        for wrong, spec in ((b"", one), (_filled(t, x=none), one), (empty, wide), (b"\x0a\xff\xff\xff", wide),
                            (_filled(t, x=ints), {"x": t.call(FIXED, [1, 3], tf.int64)})):  # fmt: skip
            t.raises(kinds, tf.io.parse_single_example, wrong, spec)
        t.raises(kinds, tf.io.parse_single_example, b"", {"x": t.call(FIXED, [3], tf.int64, 7)})


@case(FIXED, host_only=True, core=False, reference="none")
def fixed_of_many_axes(t):
    """The shape is known while a graph is made; of batches, also of none, of one record, with names; numbers in their order."""
    tf, kinds = t.fw, (ValueError, t.fw.errors.InvalidArgumentError)
    floats = [n / 4 for n in range(24)]
    record = _filled(t, x=tf.train.Feature(float_list=tf.train.FloatList(value=floats)),
                     w=tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"\0", b"a" * 999])))  # fmt: skip
    specs = {"x": t.call(FIXED, (1, 2, 3, 4), tf.float32), "w": t.call(FIXED, [2, 1, 1], tf.string)}
    known = []

    def parsed(records):
        made = tf.io.parse_example(records, specs, example_names=["one", "two"])
        known[:] = [made[name].shape.as_list() for name in ("x", "w")]
        return made

    with tf.device("cpu"):
        batch = tf.constant([record] * 2)
        run = tf.function(parsed, [tf.TensorSpec([None], tf.string)], autograph=False)
        made = run(batch)
        alone = tf.io.parse_example(record, specs)["x"]
        nothing = tf.io.parse_example(tf.constant([], tf.string), specs)
        t.raises(kinds, tf.io.parse_example, [record, b""], specs)
        t.raises(kinds, tf.io.parse_example, [[record]], specs)
    t.expect(known == [[None, 1, 2, 3, 4], [None, 2, 1, 1]], "known shapes, got %s" % known)
    right = t.np.array(floats, "float32").reshape(1, 2, 3, 4)
    t.expect((made["x"].numpy() == t.np.stack([right] * 2)).all(), "each number in its place")
    t.expect(made["w"].numpy()[1].tolist() == [[[b"\0"]], [[b"a" * 999]]], "words")
    t.expect((alone.numpy() == right).all() and alone.shape.rank == 4, "one record has no batch")
    got = [nothing[name].shape.as_list() for name in ("x", "w")]
    t.expect(got == [[0, 1, 2, 3, 4], [0, 2, 1, 1]], "no records, got %s" % got)


@case(FEATURE, host_only=True, core=False, reference="none")
def feature_within_messages(t):
    """In a record's map it is changed in place and not assigned; read from bytes of either packing; a pickle; what NumPy gives."""
    train, np = t.fw.train, t.np
    record = train.Example()
    held = record.features.feature["a"]
    held.int64_list.value.extend([3, -1])
    held.int64_list.value.append(2**62)
    t.raises((ValueError, TypeError), record.features.feature.__setitem__, "b", t.call(FEATURE))
    record.features.feature["b"].CopyFrom(t.call(FEATURE, bytes_list={"value": [b"\0x"]}))
    back = train.Example.FromString(record.SerializeToString(deterministic=True))
    got = {name: str(one) for name, one in sorted(back.features.feature.items())}
    want = {"a": "int64_list {\n  value: 3\n  value: -1\n  value: 4611686018427387904\n}\n",
            "b": 'bytes_list {\n  value: "\\000x"\n}\n'}  # fmt: skip
    t.expect(got == want, "%s, got %s" % (want, got))
    del held.int64_list.value[1]
    t.expect(list(record.features.feature["a"].int64_list.value) == [3, 2**62], "in place")
    kind = type(t.call(FEATURE))
    for packing in (b"\x1a\x04\x08\x01\x08\x02", b"\x1a\x04\x0a\x02\x01\x02"):
        t.expect(
            list(kind.FromString(packing).int64_list.value) == [1, 2], "1 and 2 of %r" % packing
        )
    made = t.call(FEATURE, float_list=train.FloatList(value=np.array([0.5, 2], np.float16)))
    t.expect(
        made.SerializeToString() == b"\x12\x0a\n\x08\0\0\0?\0\0\0@", "%r" % made.SerializeToString()
    )
    t.expect(pickle.loads(pickle.dumps(made)) == made, "itself from a pickle")
    whole = t.call(FEATURE, int64_list=train.Int64List(value=[np.int32(4), np.uint8(5)]))
    t.expect(list(whole.int64_list.value) == [4, 5] and whole.ByteSize() == 6, "got %s" % whole)
    t.expect([one.name for one, _ in whole.ListFields()] == ["int64_list"], "one field")
    empty = t.call(FEATURE, int64_list=train.Int64List())
    t.expect(
        empty.WhichOneof("kind") == "int64_list" and empty != t.call(FEATURE), "a kind of none"
    )
    for wrong in ({"bytes_list": {"value": ["text"]}}, {"float_list": {"value": [None]}}, {"int64_list": {"value": [1j]}}):  # fmt: skip
        t.raises((TypeError, ValueError), t.call, FEATURE, **wrong)
    t.raises(TypeError, hash, made)
    whole.MergeFrom(made)
    t.expect(whole.WhichOneof("kind") == "float_list", "the kind of what was merged")
