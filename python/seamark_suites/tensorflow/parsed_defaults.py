"""Features of records: one default for all that is missing, contexts of sequences, many records at once."""

from seamark_suites.case import case

FIXED = "tf.io.FixedLenFeature"
HOST = {"host_only": True, "core": False, "reference": "none"}


def _features(t, **values):
    """Numbers, texts or nothing, by name."""
    train, held = t.fw.train, {}
    for name, value in values.items():
        if not value:
            held[name] = train.Feature()
        elif isinstance(value[0], bytes):
            held[name] = train.Feature(bytes_list=train.BytesList(value=value))
        elif isinstance(value[0], int):
            held[name] = train.Feature(int64_list=train.Int64List(value=value))
        else:
            held[name] = train.Feature(float_list=train.FloatList(value=value))
    return train.Features(feature=held)


def _record(t, **values):
    return t.fw.train.Example(features=_features(t, **values)).SerializeToString()


def _expect(t, made, want):
    got = {name: one.numpy().tolist() for name, one in made.items()}
    t.expect(got == want, "%s, got %s" % (want, got))


@case(FIXED, **HOST)
def fixed_default_of_one_number(t):
    """One number, or text, for a feature of one in any number of axes; a row for one of many; where a record lacks it, or it is of no kind."""
    tf = t.fw
    specs = {"a": t.call(FIXED, (1, 2, 1), tf.float32, [3.0, -3.0]), "b": t.call(FIXED, (1, 1, 1, 1), tf.string, "tmp"), "c": t.call(FIXED, (1,), tf.float32, -1),
             "d": t.call(FIXED, (), tf.int64, 2**40)}  # fmt: skip
    records = [
        _record(t, a=[1.0, 1.5]),
        _record(t, b=[b"b1"], c=[2.0]),
        _record(t, b=[], d=[-5]),
        b"",
    ]
    with tf.device("cpu"):
        made = tf.io.parse_example(tf.constant(records), specs)
        alone = tf.io.parse_single_example(records[2], specs)
        mapped = tf.data.Dataset.from_tensors(records).map(
            lambda one: tf.io.parse_example(one, specs)
        )
        (again,) = mapped
    rows = [[[[1.0], [1.5]]]] + [[[[3.0], [-3.0]]]] * 3
    texts = [[[[[one]]]] for one in (b"tmp", b"b1", b"tmp", b"tmp")]
    want = {"a": rows, "b": texts, "c": [[-1.0], [2.0], [-1.0], [-1.0]], "d": [2**40, 2**40, -5, 2**40]}  # fmt: skip
    for each in (made, again):
        _expect(t, each, want)
    _expect(t, alone, {name: one[2] for name, one in want.items()})


@case(FIXED, **HOST)
def fixed_in_contexts(t):
    """Of the context of one sequence and of several, also by a default; what is missing is refused there, and none is a list's feature."""
    tf, train = t.fw, t.fw.train
    kinds = ValueError, tf.errors.InvalidArgumentError
    words = [[b"a", b""], [b"c", b"dd"]]
    specs = {"a": t.call(FIXED, (1, 3), tf.int64, [[1, 2, 3]]), "b": t.call(FIXED, (2, 2), tf.string, words), "c": t.call(FIXED, (2,), tf.float32)}  # fmt: skip
    full = train.SequenceExample(context=_features(t, c=[3.0, 4.0])).SerializeToString()
    more = _features(t, a=[7, 8, 9], c=[0.5, -1.5])
    more = train.SequenceExample(context=more).SerializeToString()
    with tf.device("cpu"):
        found, lists = tf.io.parse_single_sequence_example(full, specs, example_name="in1")
        t.expect(lists == {}, "no lists, got %s" % lists)
        _expect(t, found, {"a": [[1, 2, 3]], "b": words, "c": [3.0, 4.0]})
        known = {name: one.shape.as_list() for name, one in found.items()}
        t.expect(known == {"a": [1, 3], "b": [2, 2], "c": [2]}, "known, got %s" % known)
        found, _, _ = tf.io.parse_sequence_example([full, more], specs, example_names=["in1", "in2"])  # fmt: skip
        _expect(t, found, {"a": [[[1, 2, 3]], [[7, 8, 9]]], "b": [words] * 2, "c": [[3.0, 4.0], [0.5, -1.5]]})  # fmt: skip
        number = {"n": t.call(FIXED, (), tf.float32, -1)}
        both = train.SequenceExample(context=_features(t, n=[7.0])).SerializeToString()
        found, _, _ = tf.io.parse_sequence_example([b"", both], number)
        _expect(t, found, {"n": [-1.0, 7.0]})
        t.raises(kinds, tf.io.parse_single_sequence_example, b"", specs)
        t.raises(kinds, tf.io.parse_sequence_example, [full, b""], specs)
        t.raises(kinds, tf.io.parse_single_sequence_example, full, None, specs)


@case(FIXED, **HOST)
def fixed_of_many_records(t):
    """Three hundred at once, of which some lack a feature, beside lists and sparse ones of their own: each in its place."""
    tf = t.fw
    records, pairs, texts = [], [], []
    for n in range(300):
        held = {"n": [n], "list": [n] * (n % 3 + 1), "at": [n % 4], "value": [float(n)]}
        pairs.append([float(n), n / 4] if n % 3 else [7.0, 8.0])
        texts.append(b"%d" % n * (n % 5 + 1) if n % 7 else b"none")
        if n % 3:
            held["pair"] = pairs[-1]
        if n % 7:
            held["text"] = [texts[-1]]
        records.append(_record(t, **held))
    specs = {"n": t.call(FIXED, [], tf.int64), "pair": t.call(FIXED, [2], tf.float32, [7.0, 8.0]), "text": t.call(FIXED, [], tf.string, "none"),
             "list": tf.io.VarLenFeature(tf.int64), "sparse": tf.io.SparseFeature("at", "value", tf.float32, 4)}  # fmt: skip
    with tf.device("cpu"):
        made = tf.io.parse_example(tf.constant(records), specs)
    dense = {name: made[name] for name in ("n", "pair", "text")}
    _expect(t, dense, {"n": list(range(300)), "pair": pairs, "text": texts})
    t.expect(made["list"].dense_shape.numpy().tolist() == [300, 3], "lists of up to three")
    t.expect(made["sparse"].values.numpy().tolist() == [float(n) for n in range(300)], "beside it")
