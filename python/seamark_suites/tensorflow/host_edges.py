"""Python's side at the edges: structures, callbacks, pipelines, records, files."""

import collections
import os
import pickle
import sys

from seamark_suites.case import case

from . import reference as right
from .reference import with_gradient


def _refuses(t, name, *args, **kwargs):
    """Bad arguments raise; that a compiler lacks the operation is another failure, passed on."""
    error = t.raises((t.fw.errors.OpError, ValueError, TypeError), t.call, name, *args, **kwargs)
    if "unsupported operations" in str(error):
        raise error


def _values(dataset):
    return list(dataset.as_numpy_iterator())


@case("tf.numpy_function", reference="none", host_only=True, core=False)
def numpy_function_in_dataset(t):
    def halved(x):
        return t.fw.numpy_function(lambda v: v / 2.0, [x], t.fw.float64)

    got = t.call(lambda: _values(t.fw.data.Dataset.range(4).map(halved)))
    t.expect(got == [0.0, 0.5, 1.0, 1.5], "halves, got %s" % got)


@case("tf.numpy_function", reference="none", core=False)
def numpy_function_without_inputs(t):
    def through_numpy():
        return t.fw.numpy_function(lambda: t.np.float32(3.5), [], t.fw.float32)

    t.expect(float(t.host(t.call(through_numpy))) == 3.5, "3.5")


@case("tf.print", reference="none", core=False)
def print_structure(t):
    path = os.path.join(t.tmpdir(), "printed")
    sys.stderr.flush()
    saved = os.dup(2)
    with open(path, "wb") as out:
        os.dup2(out.fileno(), 2)
        try:
            t.call("tf.print", {"a": t.const([1, 2], "i32"), "b": ["x", 7]}, "end")
        finally:
            os.dup2(saved, 2)
            os.close(saved)
    with open(path, encoding="utf-8", errors="replace") as stream:
        text = stream.read()
    t.expect("'a': [1 2]" in text and "end" in text, "the structure, got %r" % text[-200:])


@case("tf.debugging.assert_less", dtypes="f32", reference="none", core=False)
def assert_less_broadcast(t, dtype):
    t.call("tf.debugging.assert_less", t.const([[1.0], [2.0]], dtype), t.const([3.0, 4.0], dtype))


@case("tf.debugging.assert_less", dtypes="f32", reference="none", core=False)
def assert_less_nan(t, dtype):
    x = t.const([t.np.nan, 0.0], dtype)
    one = t.const(1.0, dtype)
    t.raises((t.fw.errors.InvalidArgumentError,), t.call, "tf.debugging.assert_less", x, one)


@case("tf.debugging.assert_less", dtypes="f32", reference="none", core=False)
def assert_less_wrong_shapes(t, dtype):
    _refuses(t, "tf.debugging.assert_less", t.randn((2,), dtype), t.randn((3,), dtype))


@case(
    "tf.__internal__.smart_cond.smart_cond",
    dtypes="f32",
    grad=True,
    core=False,
    reference=with_gradient(right.exp_or_sin, of=(0,)),
)
def smart_cond_gradient(t, dtype):
    def choose(x, sign):
        smart_cond = t.get("tf.__internal__.smart_cond.smart_cond")
        return smart_cond(sign > 0, lambda: t.fw.exp(x), lambda: t.fw.sin(x))

    return t.call(choose, t.randn((4,), dtype), t.const(1.0, dtype))


@case(
    "tf.__internal__.smart_cond.smart_cond",
    core=False,
    reference=lambda np, x, sign: {"a": x, "b": (x - 1, x)},
)
def smart_cond_structure(t):
    def choose(x, sign):
        smart_cond = t.get("tf.__internal__.smart_cond.smart_cond")
        return smart_cond(
            sign > 0, lambda: {"a": x * 2, "b": (x, x + 1)}, lambda: {"a": x, "b": (x - 1, x)}
        )

    return t.call(choose, t.randn((4,), "f32"), t.const(-1.0, "f32"))


@case("tf.__internal__.smart_cond.smart_cond", reference="none", core=False)
def smart_cond_not_callable(t):
    smart_cond = t.get("tf.__internal__.smart_cond.smart_cond")
    t.raises(TypeError, smart_cond, True, 3, lambda: 4)


@case("tf.dtypes.as_dtype", host_only=True, reference="none", core=False)
def as_dtype_aliases(t):
    for name, want in (("half", "float16"), ("float", "float32"), ("double", "float64")):
        got = t.call("tf.dtypes.as_dtype", name)
        t.expect(got.name == want, "%s for %s, got %r" % (want, name, got))


@case("tf.dtypes.as_dtype", host_only=True, reference="none", core=False)
def as_dtype_same(t):
    made = t.call("tf.dtypes.as_dtype", t.fw.bfloat16)
    t.expect(made is t.fw.bfloat16, "the same object, got %r" % made)
    t.expect(pickle.loads(pickle.dumps(made)) == made, "the same after pickling")


Pair = collections.namedtuple("Pair", "first second")


@case("tf.nest.map_structure", host_only=True, reference="none", core=False)
def map_structure_named(t):
    got = t.call("tf.nest.map_structure", lambda x: x + 1, Pair(1, [2]))
    t.expect(type(got) is Pair and got == Pair(2, [3]), "a Pair, got %r" % (got,))


@case("tf.nest.map_structure", host_only=True, reference="none", core=False)
def map_structure_composites(t):
    rows = t.fw.ragged.constant([[1, 2], [3]])
    seen = []

    def note(x):
        seen.append(tuple(x.shape))
        return x

    got = t.call("tf.nest.map_structure", note, rows, expand_composites=True)
    t.expect(seen == [(3,), (3,)], "values and splits, got %s" % seen)
    t.expect(got.to_list() == [[1, 2], [3]], "a ragged tensor again")
    seen.clear()
    closed = t.call("tf.nest.map_structure", lambda x: seen.append(type(x).__name__), rows)
    t.expect(closed is None and seen == ["RaggedTensor"], "one leaf, got %s" % seen)


@case("tf.__internal__.nest.map_structure_up_to", host_only=True, reference="none", core=False)
def map_structure_up_to_two(t):
    got = t.call(
        "tf.__internal__.nest.map_structure_up_to",
        [0, 0],
        lambda x, y: (x, y),
        [1, [2]],
        [[3], 4],
    )
    t.expect(got == [(1, [3]), ([2], 4)], "pairs of what is below, got %r" % (got,))


@case(
    "tf.__internal__.nest.map_structure_up_to",
    dtypes="f32",
    core=False,
    reference=lambda np, x, y: [x * x, {"k": y * y}],
)
def map_structure_up_to_tensors(t, dtype):
    tree = [t.randn((3,), dtype), {"k": t.randn((2, 2), dtype)}]
    shallow = [0, {"k": 0}]
    return t.call("tf.__internal__.nest.map_structure_up_to", shallow, t.fw.square, tree)


@case("tf.Tensor.get_shape", host_only=True, reference="none", core=False)
def get_shape_of_variable(t):
    held = t.fw.Variable(t.randn((3, 4), "f32"))
    got = held.get_shape()
    t.expect(t.call("tf.Tensor.get_shape", held.read_value()) == got, "that of its value")
    t.expect(got.as_list() == [3, 4], "3x4, got %s" % got)


def _check(t):
    class Check(t.fw.test.TestCase):
        def runTest(self):
            pass

    return Check()


@case("tf.test.TestCase.assertEqual", host_only=True, reference="none", core=False)
def test_case_tensors(t):
    check = _check(t)
    t.call(check.assertEqual, t.const(3, "i32"), 3)
    t.raises(AssertionError, check.assertEqual, t.const(3, "i32"), 4)
    t.raises(AssertionError, check.assertAllEqual, t.const([1, 2], "i32"), [1, 3])


@case("tf.test.TestCase.assertEqual", host_only=True, reference="none", core=False)
def test_case_message(t):
    error = t.raises(AssertionError, t.call, _check(t).assertEqual, 41, 42, "the answer")
    text = str(error)
    t.expect(all(part in text for part in ("41", "42", "the answer")), "all three, got %s" % text)


@case(
    "tf.compat.v1.distributions.Normal.param_shapes", host_only=True, reference="none", core=False
)
def param_shapes_of_tensor(t):
    for shape in ([4, 3], []):
        asked = t.const(t.np.asarray(shape, "int32"), "i32")
        got = t.call("tf.compat.v1.distributions.Normal.param_shapes", asked)
        t.expect(
            all(t.host(one).tolist() == shape for one in got.values()),
            "%s for loc and scale" % shape,
        )


# -- pipelines ------------------------------------------------------------------------------------


@case("tf.data.Dataset.shard", host_only=True, reference="none", core=False)
def shard_more_than_elements(t):
    got = _values(t.call("tf.data.Dataset.shard", t.fw.data.Dataset.range(2), 5, 3))
    t.expect(got == [], "nothing, got %s" % got)
    some = t.call("tf.data.Dataset.shard", t.fw.data.Dataset.range(10), 3, 0)
    t.expect(int(some.cardinality()) == 4, "four elements, known beforehand")


@case("tf.data.experimental.dense_to_ragged_batch", host_only=True, reference="none", core=False)
def dense_to_ragged_batch_structure(t):
    rows = t.fw.data.Dataset.range(1, 3).map(lambda n: {"x": t.fw.range(n), "n": n})
    batching = t.call("tf.data.experimental.dense_to_ragged_batch", 2)
    (batch,) = list(rows.apply(batching))
    t.expect(batch["x"].to_list() == [[0], [0, 1]], "ragged rows, got %s" % batch["x"])
    t.expect(batch["n"].numpy().tolist() == [1, 2], "scalars stay dense, got %s" % batch["n"])


@case("tf.data.experimental.from_list", host_only=True, reference="none", core=False)
def from_list_in_pipeline(t):
    dataset = t.call("tf.data.experimental.from_list", [10, 20, 30, 40, 50])
    batches = [b.tolist() for b in _values(dataset.shuffle(5, seed=1).batch(2))]
    t.expect([len(b) for b in batches] == [2, 2, 1], "batches of two, got %s" % batches)
    t.expect(
        sorted(v for batch in batches for v in batch) == [10, 20, 30, 40, 50], "every element once"
    )


@case("tf.data.experimental.from_list", host_only=True, reference="none", core=False)
def from_list_mixed(t):
    kinds = (ValueError, TypeError, t.fw.errors.OpError)
    t.raises(kinds, t.call, "tf.data.experimental.from_list", [(1, 2), (1,)])


@case("tf.data.experimental.shuffle_and_repeat", host_only=True, reference="none", core=False)
def shuffle_and_repeat_no_buffer(t):
    mix = t.call("tf.data.experimental.shuffle_and_repeat", 0)
    kinds = (ValueError, t.fw.errors.OpError)
    t.raises(kinds, lambda: _values(t.fw.data.Dataset.range(3).apply(mix).take(1)))


# -- records --------------------------------------------------------------------------------------


def _record(t):
    train = t.fw.train
    steps = [train.Feature(int64_list=train.Int64List(value=[n])) for n in range(1, 4)]
    context = {"length": train.Feature(int64_list=train.Int64List(value=[3]))}
    example = train.SequenceExample(
        context=train.Features(feature=context),
        feature_lists=train.FeatureLists(feature_list={"steps": train.FeatureList(feature=steps)}),
    )
    return t.fw.constant(example.SerializeToString())


def _parse(t, text, context, sequence):
    return t.call(
        "tf.io.parse_single_sequence_example",
        text,
        context_features=context,
        sequence_features=sequence,
    )


@case("tf.io.parse_single_sequence_example", reference="none", core=False)
def parse_sequence_default(t):
    absent = t.fw.io.FixedLenFeature([2], t.fw.float32, default_value=[1.5, 2.5])
    head, _ = _parse(t, _record(t), {"absent": absent}, None)
    t.expect(t.host(head["absent"]).tolist() == [1.5, 2.5], "the default")


@case("tf.io.parse_single_sequence_example", reference="none", core=False)
def parse_sequence_allow_missing(t):
    absent = t.fw.io.FixedLenSequenceFeature([], t.fw.float32, allow_missing=True)
    _, body = _parse(t, _record(t), None, {"absent": absent})
    t.expect(tuple(body["absent"].shape) == (0,), "an empty list")


@case("tf.io.parse_single_sequence_example", reference="none", core=False)
def parse_sequence_wrong_dtype(t):
    context = {"length": t.fw.io.FixedLenFeature([], t.fw.float32)}
    record = _record(t)
    error = t.raises((t.fw.errors.InvalidArgumentError,), _parse, t, record, context, None)
    if "length" not in str(error):
        raise error


@case("tf.io.parse_single_sequence_example", reference="none", core=False)
def parse_sequence_garbage(t):
    context = {"length": t.fw.io.FixedLenFeature([], t.fw.int64)}
    text = t.fw.constant(b"\xff\xffno record")
    error = t.raises((t.fw.errors.InvalidArgumentError,), _parse, t, text, context, None)
    if "unsupported operations" in str(error):
        raise error


# -- tables and files -----------------------------------------------------------------------------


@case("tf.lookup.KeyValueTensorInitializer", reference="none", core=False)
def key_value_lengths(t):
    make = t.get("tf.lookup.KeyValueTensorInitializer")

    def build():
        made = make(["x", "y"], [1], value_dtype=t.fw.int64)
        return t.fw.lookup.StaticHashTable(made, -1).size()

    t.raises((t.fw.errors.InvalidArgumentError, ValueError), build)


def _table(t):
    made = t.get("tf.lookup.KeyValueTensorInitializer")(["a", "b"], [1, 2], value_dtype=t.fw.int64)
    return t.fw.lookup.StaticHashTable(made, -1)


@case("tf.lookup.KeyValueTensorInitializer", reference="none", host_only=True, core=False)
def key_value_in_dataset(t):
    table = _table(t)
    words = t.fw.data.Dataset.from_tensor_slices(["b", "z", "a"])
    got = t.call(lambda: _values(words.map(table.lookup)))
    t.expect(got == [2, -1, 1], "2, the default and 1, got %s" % got)


@case("tf.lookup.KeyValueTensorInitializer", reference="none", host_only=True, core=False)
def key_value_saved(t):
    """A table goes into a SavedModel and comes back filled."""
    module, folder = t.fw.Module(), os.path.join(t.tmpdir(), "saved")
    module.table = _table(t)
    spec = [t.fw.TensorSpec([None], t.fw.string)]
    module.find = t.fw.function(lambda words: module.table.lookup(words), input_signature=spec)
    t.call(t.fw.saved_model.save, module, folder)
    got = t.host(t.fw.saved_model.load(folder).find(t.fw.constant(["b", "z"])))
    t.expect(got.tolist() == [2, -1], "2 and the default, got %s" % got)


@case("tf.train.list_variables", reference="none", host_only=True, core=False)
def list_variables_v1(t):
    v1, path = t.fw.compat.v1, os.path.join(t.tmpdir(), "model")
    with t.fw.Graph().as_default(), t.fw.device("/CPU:0"):
        v1.get_variable("layer/w", [3, 4])
        v1.get_variable("b", initializer=t.fw.constant(7, t.fw.int64))
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            saved = v1.train.Saver().save(session, path)
    found = t.call("tf.train.list_variables", saved)
    t.expect(found == [("b", []), ("layer/w", [3, 4])], "b and layer/w, got %s" % found)


@case("tf.train.list_variables", reference="none", host_only=True, core=False)
def list_variables_of_folder(t):
    folder = t.tmpdir()
    held = t.fw.Variable([1.0, 2.0])
    t.fw.train.Checkpoint(first=held).save(os.path.join(folder, "model"))
    t.fw.train.Checkpoint(second=held).save(os.path.join(folder, "model"))
    names = [name.split("/")[0] for name, _ in t.call("tf.train.list_variables", folder)]
    t.expect("second" in names or "first" in names, "a checkpoint of the folder, got %s" % names)
    newest = t.fw.train.latest_checkpoint(folder)
    want = [name.split("/")[0] for name, _ in t.fw.train.list_variables(newest)]
    t.expect(names == want, "those of the latest, %s, got %s" % (want, names))


@case("tf.summary.flush", reference="none", host_only=True, core=False)
def summary_flush_default(t):
    """Without an argument the default writer is flushed."""
    folder = t.tmpdir()
    with t.fw.summary.create_file_writer(folder).as_default():
        t.fw.summary.write("loss", 0.5, step=1)
        t.call("tf.summary.flush")
        names = [os.path.join(folder, name) for name in os.listdir(folder)]
        events = [event for name in names for event in t.fw.compat.v1.train.summary_iterator(name)]
    tags = [value.tag for event in events for value in event.summary.value]
    t.expect(tags == ["loss"], "one value on disk, got %s" % tags)
