"""Functions between the first eight and the first nine calls in ten: files, records, checkpoints, scopes, masks."""

import os

from seamark_agent.harness import Skip

from seamark_suites.case import case


def _eager(t):
    if t.compiled or not t.fw.executing_eagerly():
        raise Skip("a graph has no values to look at")


# --- arrays


@case("tf.logical_not", dtypes="bool", shapes="64x33", reference=lambda np, x: ~x)
@case(
    "tf.logical_not",
    dtypes="bool",
    shapes="0 scalar 2x3x4",
    trivial=True,
    core=False,
    reference=lambda np, x: ~x,
)
def not_of_each(t, dtype, shape):
    return t.call("tf.logical_not", t.randint(shape, dtype, 0, 2))


@case("tf.logical_or", dtypes="bool", shapes="64x33", reference=lambda np, x, y: x | y)
@case(
    "tf.logical_or",
    dtypes="bool",
    shapes="0 scalar 2x3x4",
    trivial=True,
    core=False,
    reference=lambda np, x, y: x | y,
)
def either(t, dtype, shape):
    return t.call("tf.logical_or", t.randint(shape, dtype, 0, 2), t.randint(shape, dtype, 0, 2))


@case("tf.logical_or", dtypes="bool", trivial=True, core=False, reference=lambda np, x, y: x | y)
def either_broadcast(t, dtype):
    return t.call("tf.logical_or", t.randint((4, 1), dtype, 0, 2), t.randint((3,), dtype, 0, 2))


@case("tf.logical_or", core=False, reference="none")
@case("tf.logical_not", core=False, reference="none")
def masks_alone(t, function):
    numbers = t.const([1, 0], "i32")
    t.refuses(function, *([numbers] * (2 if function == "tf.logical_or" else 1)))


@case("tf.eye", dtypes="f32 bf16 i32", core="f32 i32", size=[(4, None), (3, 5)],
      trivial=True, reference=lambda np, size: np.eye(size[0], size[1]))  # fmt: skip
@case("tf.eye", dtypes="f64 f16 c64 bool", size=[(4, 3)], core=False, trivial=True,
      reference=lambda np, size: np.eye(size[0], size[1]))  # fmt: skip
def ones_on_the_diagonal(t, dtype, size):
    made = t.call("tf.eye", size[0], size[1], dtype=t.dtype(dtype))
    t.expect(made.dtype == t.dtype(dtype), "its dtype, got %s" % made.dtype)
    return made


@case(
    "tf.eye", dtypes="f32", core=False, trivial=True, reference=lambda np: np.stack([np.eye(3)] * 2)
)
def a_batch_of_them(t, dtype):
    return t.call("tf.eye", 3, batch_shape=[2], dtype=t.dtype(dtype))


@case(
    "tf.zeros_initializer",
    dtypes="f32 bf16 i32",
    core="f32",
    trivial=True,
    reference=lambda np: np.zeros((3, 4)),
)
@case(
    "tf.compat.v1.zeros_initializer",
    dtypes="f32 i32",
    core="f32",
    trivial=True,
    reference=lambda np: np.zeros((3, 4)),
)
def zeros_to_begin_with(t, function, dtype):
    make = t.get(function)()
    made = t.call(make, (3, 4), dtype=t.dtype(dtype))
    t.expect(made.dtype == t.dtype(dtype), "its dtype, got %s" % made.dtype)
    return made


@case(
    "tf.compat.v1.cond",
    dtypes="f32",
    way=[True, False],
    reference=lambda np, x, flag, way: x * 2 if way else x - 1,
)
@case("tf.compat.v1.cond", dtypes="bf16 i32", way=[True, False], core=False,
      reference=lambda np, x, flag, way: x * 2 if way else x - 1)  # fmt: skip
def one_of_two(t, dtype, way):
    x = t.randint((4, 3), dtype, 1, 9)
    flag = t.const(way, "bool")
    return t.call(lambda p, v: t.get("tf.compat.v1.cond")(p, lambda: v * 2, lambda: v - 1), flag, x)


@case("tf.group", dtypes="f32", reference=lambda np, x, y: [x + y, x * 2])
def all_are_done(t, dtype):
    tf = t.fw
    first, second = tf.Variable(t.randn((4,), dtype)), tf.Variable(t.randn((4,), dtype))

    def step():
        old = tf.identity(first)
        done = t.get("tf.group")(first.assign_add(second), second.assign(old * 2))
        if done is not None:  # in a graph it is an operation
            with tf.control_dependencies([done]):
                return tf.identity(first), tf.identity(second)
        return tf.identity(first), tf.identity(second)

    return t.call(step)


@case("tf.ragged.constant", host_only=True, reference="none")
def rows_of_their_own_length(t):
    made = t.call("tf.ragged.constant", [[1, 2, 3], [], [4]])
    _eager(t)
    t.expect(made.to_list() == [[1, 2, 3], [], [4]], "the rows, got %s" % made)
    t.expect(made.row_splits.numpy().tolist() == [0, 3, 3, 4], "where they end")
    inner = t.call("tf.ragged.constant", [[[1.0, 2.0]], []], ragged_rank=1, inner_shape=(2,))
    t.expect(inner.values.shape == (1, 2) and inner.dtype == t.fw.float32, "an inner shape")
    t.raises(ValueError, t.call, "tf.ragged.constant", [[1], 2])


@case("tf.strings.regex_replace", host_only=True, reference="none")
def parts_of_texts(t):
    _eager(t)
    made = t.call(
        "tf.strings.regex_replace", t.fw.constant(["a1b22", "none", ""]), r"(\d+)", r"<\1>"
    )
    t.expect(made.numpy().tolist() == [b"a<1>b<22>", b"none", b""], "each number, got %s" % made)
    first = t.call("tf.strings.regex_replace", t.fw.constant("aaa"), "a", "b", replace_global=False)
    t.expect(first.numpy() == b"baa", "the first alone, got %s" % first)
    t.raises(Exception, t.call, "tf.strings.regex_replace", t.fw.constant("a"), "(", "b")


@case("tf.Assert", dtypes="f32", reference=lambda np, x: x + 1)
def what_holds(t, dtype):
    def checked(x):
        with t.fw.control_dependencies([t.get("tf.Assert")(t.fw.reduce_all(x < 1e6), [x])]):
            return x + 1

    return t.call(checked, t.randn((4,), dtype))


@case("tf.Assert", reference="none")
def what_does_not_hold(t):
    if t.compiled or not t.fw.executing_eagerly():
        raise Skip("XLA leaves assertions out, and a graph must be run to meet one")
    t.raises(
        t.fw.errors.InvalidArgumentError,
        t.call,
        "tf.Assert",
        t.fw.constant(False),
        [t.fw.constant(3)],
    )


@case("tf.Tensor.set_shape", host_only=True, reference="none")
def shape_is_told(t):
    tf = t.fw
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None, 3])
        t.call("tf.Tensor.set_shape", x, [5, None])
        t.expect(x.shape.as_list() == [5, 3], "what both know, got %s" % x.shape)
        t.raises(ValueError, t.call, "tf.Tensor.set_shape", x, [4, 3])


@case("tf.TensorShape.as_list", host_only=True, reference="none")
def sizes_in_a_list(t):
    shape = t.fw.TensorShape
    t.expect(
        t.call("tf.TensorShape.as_list", shape([2, None, 3])) == [2, None, 3], "None where open"
    )
    t.expect(t.call("tf.TensorShape.as_list", shape([])) == [], "of a number")
    t.raises(ValueError, t.call, "tf.TensorShape.as_list", shape(None))


# --- scopes, graphs and devices


@case("tf.device", dtypes="f32", reference=lambda np, x: x * 2)
def by_name(t, dtype):
    def doubled(x):
        with t.get("tf.device")("CPU:0"):
            y = x * 2
        return y

    return t.call(doubled, t.randn((4, 3), dtype))


@case("tf.device", host_only=True, reference="none")
def names_of_devices(t):
    tf = t.fw
    with tf.Graph().as_default():
        with t.call("tf.device", "/job:localhost"), t.call("tf.device", "/CPU:0"):
            inner = tf.constant(1.0)
        outer = tf.constant(1.0)
    t.expect(inner.device == "/job:localhost/device:CPU:0", "both parts, got %r" % inner.device)
    t.expect(outer.device == "", "nothing outside, got %r" % outer.device)


@case("tf.init_scope", host_only=True, reference="none")
def out_of_the_graph(t):
    tf = t.fw
    graph = tf.Graph()
    with graph.as_default(), t.call("tf.init_scope"):
        stays = not tf.executing_eagerly() and tf.compat.v1.get_default_graph() is graph
    t.expect(stays, "a graph that is no function's stays")
    if not tf.executing_eagerly():
        raise Skip("nothing is eager here")
    found = []

    @tf.function
    def traced(x):
        with t.get("tf.init_scope")():
            found.append(tf.executing_eagerly())
        found.append(tf.executing_eagerly())
        return x

    traced(tf.constant(1.0))
    t.expect(found == [True, False], "eager within a traced function, got %s" % found)


@case("tf.compat.v1.get_default_graph", host_only=True, reference="none")
def the_current_graph(t):
    one, other = t.fw.Graph(), t.fw.Graph()
    with one.as_default():
        first = t.call("tf.compat.v1.get_default_graph")
        with other.as_default():
            second = t.call("tf.compat.v1.get_default_graph")
        again = t.call("tf.compat.v1.get_default_graph")
    t.expect(first is one and second is other and again is one, "the innermost")


@case("tf.compat.v1.name_scope", host_only=True, reference="none")
def names_within(t):
    tf, scoped = t.fw, "tf.compat.v1.name_scope"
    with tf.Graph().as_default():
        with t.call(scoped, "a") as scope, t.call(scoped, "b"):
            inner = tf.constant(1.0, name="x")
        with t.call(scoped, "a") as again:
            pass
    t.expect(scope == "a/" and again == "a_1/", "a scope, then another, got %r %r" % (scope, again))
    t.expect(inner.op.name == "a/b/x", "their names in front, got %s" % inner.op.name)


@case("tf.compat.v1.get_variable_scope", host_only=True, reference="none")
def the_current_scope(t):
    v1 = t.fw.compat.v1
    with t.fw.Graph().as_default():
        outside = t.call("tf.compat.v1.get_variable_scope")
        with v1.variable_scope("a", reuse=v1.AUTO_REUSE), v1.variable_scope("b"):
            inside = t.call("tf.compat.v1.get_variable_scope")
    t.expect(outside.name == "" and not outside.reuse, "the root, got %r" % outside.name)
    t.expect(inside.name == "a/b" and inside.reuse is v1.AUTO_REUSE, "names and reuse come down")


@case("tf.compat.v1.set_random_seed", host_only=True, reference="none")
def graphs_of_one_seed(t):
    v1, found = t.fw.compat.v1, []
    for seed in (5, 5, 6):
        with t.fw.Graph().as_default():
            t.call("tf.compat.v1.set_random_seed", seed)
            draw = t.fw.random.uniform((4,))
            with v1.Session() as session:
                found.append(session.run(draw).tolist())
    t.expect(found[0] == found[1] != found[2], "the same of the same seed, got %s" % found)


# --- files


def _written(t, text="one\ntwo\n"):
    path = os.path.join(t.tmpdir(), "a.txt")
    with open(path, "w") as stream:
        stream.write(text)
    return path


@case("tf.io.gfile.exists", host_only=True, reference="none")
@case("tf.compat.v1.gfile.Exists", host_only=True, reference="none")
def whether_it_is_there(t, function):
    path = _written(t)
    for there in (path, os.path.dirname(path)):
        t.expect(t.call(function, there) is True, "a file and a folder")
    t.expect(t.call(function, path + "x") is False, "another name")


@case("tf.io.gfile.glob", host_only=True, reference="none")
def names_that_fit(t):
    folder = os.path.dirname(_written(t))
    for name in ("b.txt", "c.csv"):
        open(os.path.join(folder, name), "w").close()
    found = t.call("tf.io.gfile.glob", os.path.join(folder, "*.txt"))
    t.expect(sorted(map(os.path.basename, found)) == ["a.txt", "b.txt"], "two, got %s" % found)
    t.expect(t.call("tf.io.gfile.glob", os.path.join(folder, "*.none")) == [], "none")


@case("tf.io.gfile.listdir", host_only=True, reference="none")
def names_in_a_folder(t):
    folder = os.path.dirname(_written(t))
    os.mkdir(os.path.join(folder, "deep"))
    found = [name.rstrip("/") for name in t.call("tf.io.gfile.listdir", folder)]
    t.expect(sorted(found) == ["a.txt", "deep"], "both, got %s" % found)
    t.raises(t.fw.errors.NotFoundError, t.call, "tf.io.gfile.listdir", folder + "x")


@case("tf.io.gfile.makedirs", host_only=True, reference="none")
@case("tf.compat.v1.gfile.MakeDirs", host_only=True, reference="none")
def folders_in_folders(t, function):
    path = os.path.join(t.tmpdir(), "a", "b")
    for _ in range(2):  # again is no error
        t.expect(t.call(function, path) is None and os.path.isdir(path), "all of them")


@case("tf.io.gfile.GFile.read", host_only=True, reference="none")
def text_and_bytes(t):
    path, gfile = _written(t, text="eins\nzwei \u00e4\n"), t.fw.io.gfile.GFile
    read = t.get("tf.io.gfile.GFile.read")
    with gfile(path) as stream:
        whole, rest = t.call(read, stream), t.call(read, stream)
    t.expect(whole == "eins\nzwei \u00e4\n" and rest == "", "all of it, then nothing")
    with gfile(path, "rb") as stream:
        t.expect(
            (read(stream, 4), read(stream, 1)) == (b"eins", b"\n"), "some bytes, then the next"
        )
    t.raises(t.fw.errors.NotFoundError, lambda: read(gfile(path + "x")))


# --- records


@case("tf.train.BytesList", host_only=True, reference="none")
@case("tf.train.FloatList", host_only=True, reference="none")
@case("tf.train.Int64List", host_only=True, reference="none")
def values_of_a_feature(t, function):
    values = {
        "tf.train.BytesList": [b"a", b""],
        "tf.train.FloatList": [1.5, -2.0],
        "tf.train.Int64List": [3, -(2**62)],
    }
    made = t.call(function, value=values[function])
    t.expect(list(made.value) == values[function], "the values, got %s" % made)
    again = type(made).FromString(made.SerializeToString())
    t.expect(
        again == made and len(t.call(function).value) == 0, "the same from its bytes; none at first"
    )
    t.raises(TypeError, t.call, function, value=["text"])


def _features(t):
    train = t.fw.train
    return {
        "x": train.Feature(float_list=train.FloatList(value=[1.0, 2.0])),
        "n": train.Feature(int64_list=train.Int64List(value=[7])),
    }


@case("tf.train.Features", host_only=True, reference="none")
def features_by_name(t):
    made = t.call("tf.train.Features", feature=_features(t))
    t.expect(sorted(made.feature) == ["n", "x"], "names, got %s" % sorted(made.feature))
    t.expect(list(made.feature["x"].float_list.value) == [1.0, 2.0], "values of one")
    t.expect(made.feature["n"].WhichOneof("kind") == "int64_list", "its kind")


@case("tf.train.Example", host_only=True, reference="none")
def a_record_is_parsed(t):
    made = t.call("tf.train.Example", features=t.fw.train.Features(feature=_features(t)))
    text = made.SerializeToString()
    t.expect(t.get("tf.train.Example").FromString(text) == made, "the same from its bytes")
    if not t.fw.executing_eagerly():
        raise Skip("a graph has no values to look at")
    io = t.fw.io
    found = io.parse_single_example(
        text, {"x": io.FixedLenFeature([2], t.fw.float32), "n": io.FixedLenFeature([], t.fw.int64)}
    )
    t.expect(
        found["x"].numpy().tolist() == [1.0, 2.0] and int(found["n"]) == 7,
        "as TensorFlow parses it",
    )


@case("tf.io.VarLenFeature", host_only=True, reference="none")
def of_any_length(t):
    train, io = t.fw.train, t.fw.io
    kind = t.call("tf.io.VarLenFeature", t.fw.int64)
    t.expect(kind.dtype == t.fw.int64, "its dtype")
    if not t.fw.executing_eagerly():
        raise Skip("a graph has no values to look at")
    texts = []
    for values in ([4, 5], [], [6]):
        feature = {"n": train.Feature(int64_list=train.Int64List(value=values))}
        texts.append(train.Example(features=train.Features(feature=feature)).SerializeToString())
    found = io.parse_example(texts, {"n": kind})["n"]
    t.expect(found.values.numpy().tolist() == [4, 5, 6], "all of them, got %s" % found)
    t.expect(found.indices.numpy().tolist() == [[0, 0], [0, 1], [2, 0]], "where each belongs")
    t.expect(found.dense_shape.numpy().tolist() == [3, 2], "as wide as the longest")


# --- checkpoints, nests and data


@case("tf.train.Checkpoint.save", host_only=True, reference="none")
def numbered_files(t):
    _eager(t)
    tf = t.fw
    held = tf.Variable([1.0, 2.0])
    one, prefix = tf.train.Checkpoint(held=held), os.path.join(t.tmpdir(), "state")
    paths = [t.call("tf.train.Checkpoint.save", one, prefix) for _ in range(2)]
    t.expect([path[len(prefix) :] for path in paths] == ["-1", "-2"], "numbers, got %s" % paths)
    held.assign([9.0, 9.0])
    one.restore(paths[0])
    t.expect(held.numpy().tolist() == [1.0, 2.0], "what was saved comes back")


@case("tf.train.latest_checkpoint", host_only=True, reference="none")
def the_last_of_them(t):
    _eager(t)
    tf, folder = t.fw, t.tmpdir()
    t.expect(t.call("tf.train.latest_checkpoint", folder) is None, "none in an empty folder")
    one = tf.train.Checkpoint(held=tf.Variable(1.0))
    one.save(os.path.join(folder, "state"))
    last = one.save(os.path.join(folder, "state"))
    t.expect(t.call("tf.train.latest_checkpoint", folder) == last, "the second, got %s" % last)


@case("tf.nest.assert_same_structure", host_only=True, reference="none")
def structures_alike(t):
    function, one = "tf.nest.assert_same_structure", {"a": [1, (2, 3)], "b": 4}
    t.expect(
        t.call(function, one, {"b": "x", "a": [None, (5, 6)]}) is None,
        "nothing where they are alike",
    )
    t.raises(ValueError, t.call, function, one, {"a": [1, 2], "b": 4})
    t.raises(TypeError, t.call, function, [1, 2], (1, 2))
    t.expect(
        t.call(function, [1, 2], (1, 2), check_types=False) is None, "kinds of sequences apart"
    )


@case("tf.data.Dataset.range", host_only=True, reference="none")
def numbers_in_order(t):
    _eager(t)
    for given in ((5,), (2, 7), (7, 1, -2), (3, 3)):
        made = t.call("tf.data.Dataset.range", *given)
        found = [int(one) for one in made]
        t.expect(found == list(range(*given)), "as Python's of %s, got %s" % (given, found))
        t.expect(int(made.cardinality()) == len(found), "how many they are")
    narrow = t.call("tf.data.Dataset.range", 3, output_type=t.fw.int32)
    t.expect(narrow.element_spec.dtype == t.fw.int32, "another dtype")
