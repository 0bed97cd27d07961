"""What is told at once: dtypes, sizes, what is a tensor, static values, where it runs eagerly, leaves, strategies, shapes with ragged rows."""

import collections
import types
import typing
import warnings

from seamark_suites.case import case

STATIC, EAGER, FLATTEN = "tf.get_static_value", "tf.executing_eagerly", "tf.nest.flatten"
HOST = {"host_only": True, "core": False, "reference": "none"}


@case("tf.as_dtype", **HOST)
def as_dtype_of_new_objects(t):
    """An object that was made by its number is exchanged for the one of its kind; limits of references; the kind above nothing but itself."""
    tf, make = t.fw, "tf.as_dtype"
    for number in (*range(1, 24), *range(101, 124)):
        made = tf.dtypes.DType(number)
        t.expect(made.as_datatype_enum == number, "%d, got %r" % (number, made))
        t.expect(t.call(make, made) is t.call(make, number), "the one of its kind: %r" % made)
    t.expect(t.call(make, tf.dtypes.DType(21)) is tf.variant, "a variant")
    t.raises(TypeError, tf.dtypes.DType, 0)
    for name in ("int8", "uint16", "int64", "float16", "bfloat16", "float32", "float64"):
        one, held = t.call(make, name), t.call(make, name + "_ref")
        same = (held.min, held.max) == (one.min, one.max) and held.is_integer == one.is_integer
        t.expect(same and held.size == one.size and held.real_dtype == held, "as of %s" % name)
        t.expect(one.most_specific_common_supertype([]) is one, "itself above nothing")
        t.expect(one.is_subtype_of(one) and not one.is_subtype_of(tf.string), "of itself alone")


@case("tf.compat.dimension_value", **HOST)
def dimension_values_of_either_version(t):
    """A part of a shape is a Dimension as in TensorFlow 1, or a number; its value is a number in both."""
    tf, v1, value = t.fw, t.fw.compat.v1, "tf.compat.dimension_value"
    found = []
    v1.disable_v2_tensorshape()
    try:
        shape = tf.TensorShape([4, None, 0])
        objects = [isinstance(size, v1.Dimension) for size in (*shape, shape[0])]
        found.append([t.call(value, size) for size in (*shape, shape[0])])
    finally:
        v1.enable_v2_tensorshape()
    found.append([t.call(value, size) for size in (*shape, shape[0])])
    t.expect(all(objects), "dimensions")
    t.expect(found == [[4, None, 0, 4]] * 2, "the same of both, got %s" % found)
    kinds = [type(one) for made in found for one in made if one is not None]
    t.expect(set(kinds) == {int}, "plain numbers, got %s" % kinds)


@case("tf.is_tensor", **HOST)
def is_tensor_of_slices_that_ran(t):
    """Slices are; what a session gives for them is none, nor is what has tensors within: shapes of ragged rows, streams, iterators."""
    tf, name = t.fw, "tf.is_tensor"
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        made = tf.IndexedSlices(tf.constant([1, 2]), tf.constant([10, 20]), tf.constant([100]))
        t.expect(t.call(name, made) is True, "slices of a graph")
        value = session.run(made)
        t.expect(value.indices.tolist() == [10, 20], "its places, got %s" % (value,))
        t.expect(t.call(name, value) is False, "their values are none")
        t.expect(all(t.call(name, one) for one in (made.values, made.indices)), "its parts")
    rows = tf.ragged.constant([[1, 2], [3]])
    stream = tf.random.Generator.from_seed(1)
    for one in (tf.shape(rows), stream, iter(tf.data.Dataset.range(1)), rows.shape):
        t.expect(t.call(name, one) is False, "no tensor: %r" % (one,))


@case(STATIC, **HOST)
def static_value_as_documented(t):
    """Sums of eager tensors; in a function a stack with a variable, in part; of equal numbers and of those that are not; none of references."""
    tf, v1, np, found = t.fw, t.fw.compat.v1, t.np, []
    got = t.call(STATIC, tf.add(tf.constant(10), tf.constant(20)))
    t.expect(got == 30 and got.dtype == np.int32, "30, got %r" % got)
    t.expect(t.call(STATIC, tf.Variable(30)) is None, "none of a variable")
    held, known = tf.Variable(1), tf.constant(2)

    def bar(partial):
        packed = tf.raw_ops.Pack(values=[held, known])
        found.append(t.call(STATIC, packed, partial=partial))

    for partial in (True, False):
        tf.function(bar, autograph=False)(partial)
    t.expect(found[1] is None and found[0].shape == (2,), "in part, got %s" % found)
    t.expect(found[0][0] is None and found[0][1] == 2, "the second alone, got %s" % found[0])
    rows = np.arange(24.0).reshape(2, 3, 4)
    with tf.Graph().as_default():
        same, other = tf.equal(1, 1), tf.equal(1, 0)
        wide = tf.not_equal(tf.constant([[0, 1]]), tf.constant([[0], [1]]))
        for made, want in ((same, True), (other, False), (tf.not_equal(1, 1), False), (tf.not_equal(1, 0), True), (wide, [[False, True], [True, False]])):  # fmt: skip
            got = t.call(STATIC, made)
            t.expect(got.tolist() == want and got.dtype == bool, "%s, got %s" % (want, got))
        held = v1.Variable([1.0], use_resource=False)
        for made in (held, held.value(), v1.get_variable("a", initializer=1.0, use_resource=False)):
            t.expect(t.call(STATIC, made) is None, "none of %s" % made)
        for made, want in ((tf.stack(list(rows)), rows), (tf.concat([rows[:1], rows[1:]], 0), rows), (tf.stop_gradient(rows), rows),
                           (tf.cast(rows, tf.float32), rows), (tf.split(rows, 2)[1], rows[1:])):  # fmt: skip
            got = t.call(STATIC, made)
            t.expect((got == want).all() and got.shape == want.shape, "got %s" % got)
        t.expect(t.call(STATIC, tf.shape(tf.zeros([1, 2, 3]))).tolist() == [1, 2, 3], "a shape")


@case(EAGER, **HOST)
def eager_where_functions_are_run(t):
    """With functions that are run as they stand: within one, in what is lifted out of it; not in what a dataset maps."""
    tf, seen = t.fw, []
    look = lambda x: (seen.append(t.call(EAGER)), x)[1]  # noqa: E731

    def inside():
        with tf.init_scope():
            look(0)
        look(0)

    tf.function(inside, autograph=False)()
    tf.config.run_functions_eagerly(True)
    try:
        tf.function(inside, autograph=False)()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            list(tf.data.Dataset.range(3).map(look))
    finally:
        tf.config.run_functions_eagerly(False)
    tf.function(inside, autograph=False)()
    want = [True, False, True, True, False, True, False]
    t.expect(seen == want, "%s, got %s" % (want, seen))


class _Typed(typing.NamedTuple):
    b: int
    a: list


class _Numbered(tuple):
    """Fields that are no names make no named tuple."""

    _fields = (1, 2, 3)


class _Attributed:
    """As the package attrs makes it: its attributes are named by the class."""

    __attrs_attrs__ = (types.SimpleNamespace(name="last"), types.SimpleNamespace(name="first"))

    def __init__(self, last, first):
        self.last, self.first = last, first


@case(FLATTEN, **HOST)
def flatten_attributes_and_wrapped(t):
    """Attributes in the order of their class; typed tuples; what a module keeps, in each kind; one dictionary goes into the other kind."""
    tf, module = t.fw, t.fw.Module()
    bad = type("Bad", (), {"__attrs_attrs__": None})()
    got = t.call(FLATTEN, [_Attributed(1, (2, {"b": 4, "a": 3})), 5])
    t.expect(got == [1, 2, 3, 4, 5], "in order, got %r" % (got,))
    t.raises(TypeError, t.call, FLATTEN, bad)
    for given, want in ((_Typed(1, [2, 3]), [1, 2, 3]), (_Numbered((1, (2,))), [1, 2])):
        got = t.call(FLATTEN, given)
        t.expect(got == want, "%s, got %r" % (want, got))
    ordered = collections.OrderedDict([("d", 3), ("b", [1]), ("a", 0), ("c", 2)])
    held = {"tuple": ((1, [2]), [1, 2]), "plain": ({"b": 1, "a": (2,)}, [2, 1]), "named": (_Typed(5, [6]), [5, 6]), "ordered": (ordered, [0, 1, 2, 3]),
            "default": (collections.defaultdict(list, y=[3], x=[4]), [4, 3])}  # fmt: skip
    for name, (given, want) in held.items():
        setattr(module, name, given)
        kept = getattr(module, name)
        got = t.call(FLATTEN, kept)
        t.expect(got == want, "%s, got %r" % (want, got))
        again = tf.nest.pack_sequence_as(kept, got)
        t.expect(again == given, "the same again, got %r" % (again,))
    plain = {"d": 0, "b": [0], "a": 0, "c": 0}
    made = tf.nest.pack_sequence_as(plain, t.call(FLATTEN, ordered))
    t.expect(made == {"d": 3, "b": [1], "a": 0, "c": 2} and type(made) is dict, "got %r" % made)
    made = tf.nest.pack_sequence_as(ordered, t.call(FLATTEN, plain))
    want = collections.OrderedDict([("d", 0), ("b", [0]), ("a", 0), ("c", 0)])
    t.expect(made == want and list(made) == list("dbac"), "%s, got %r" % (want, made))


@case("tf.distribute.get_strategy", **HOST)
def strategy_whose_scope_ends_amiss(t):
    """A scope that ends within another one's creators or variable scope is refused; where it ends rightly there is the default again."""
    tf, name, distribute = t.fw, "tf.distribute.get_strategy", t.fw.distribute
    default = t.call(name)

    def begun():
        mine = distribute.OneDeviceStrategy("/cpu:0")
        scope = mine.scope()
        scope.__enter__()
        t.expect(t.call(name) is mine, "its own")
        return scope, mine

    with tf.Graph().as_default():  # with it goes the creator that a refused end leaves
        scope, mine = begun()
        with tf.variable_creator_scope(lambda make, **given: make(**given)):
            t.raises(RuntimeError, scope.__exit__, None, None, None)
        scope.__exit__(None, None, None)
        t.expect(t.call(name) is default and not distribute.has_strategy(), "the default again")
    with tf.Graph().as_default():
        scope, _ = begun()
        with tf.compat.v1.variable_scope("AA"):
            t.raises(RuntimeError, scope.__exit__, None, None, None)
    t.expect(t.call(name) is default, "the default outside of the graph")

    def reduced():
        return float(mine.reduce("MEAN", tf.constant(1.5), axis=None))

    with mine.scope():
        t.expect(reduced() == 1.5 and t.call(name) is mine, "in its scope")
    t.expect(reduced() == 1.5 and t.call(name) is default, "outside of it")
    with distribute.OneDeviceStrategy("/cpu:0").scope():
        t.raises(RuntimeError, reduced)
    same = t.call("tf.compat.v1.distribute.get_strategy") is default
    t.expect(same and isinstance(default, distribute.Strategy), "by its name in version 1")


def _laid(rows):
    """The ends of the rows, one axis after another, and how many numbers there are."""
    return [len(rows), [len(row) for row in rows], [len(cell) for row in rows for cell in row]]


@case("tf.shape", **HOST)
@case("tf.compat.v1.shape", **HOST)
def shape_of_deep_ragged_rows(t, function):
    """Lengths of each axis, in i32 and i64; sizes that are the same inside; another tensor of that shape; a number of it while traced."""
    tf = t.fw
    rows = [[[1, 2], [3]], [], [[], [4, 5, 6]]]
    ragged, pairs = tf.ragged.constant(rows), tf.ragged.constant([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1)  # fmt: skip
    for given, kind in (({}, tf.int32), ({"out_type": tf.int32}, tf.int32), ({"out_type": tf.int64}, tf.int64)):  # fmt: skip
        made = t.call(function, ragged, **given)
        parts = [one.row_lengths().numpy().tolist() for one in made.row_partitions]
        t.expect([int(made[0]), *parts] == _laid(rows), "%s, got %s" % (_laid(rows), made))
        t.expect(made.dtype == kind and made[0].dtype == kind and made.rank == 3, "%s" % kind)
        inner = t.call(function, pairs, **given)
        got = int(inner[0]), inner.row_partitions[0].row_lengths().numpy().tolist(), int(inner[2])
        t.expect(got == (2, [2, 1], 2) and inner.rank == 3, "pairs, got %s" % inner)
    ones, again = tf.ones(made), tf.reshape(tf.range(6), made)
    t.expect(ones.to_list() == [[[1.0] * len(cell) for cell in row] for row in rows], "got %s" % ones)  # fmt: skip
    t.expect(again.to_list() == [[[0, 1], [2]], [], [[], [3, 4, 5]]], "laid out, got %s" % again)

    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None, None], tf.int32)])
    def counted(x):
        return t.call(function, x)[0], tf.zeros(t.call(function, x), tf.int32)

    count, zeros = counted(ragged)
    t.expect(int(count) == 3 and zeros.to_list() == [[[0, 0], [0]], [], [[], [0, 0, 0]]], "got %s" % zeros)  # fmt: skip
