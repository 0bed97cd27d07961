"""Names, structures and shapes, more of what their functions do: scopes, what is a tensor, flatten and pack, TensorShape."""

import collections
import collections.abc
import copy
import dataclasses
import pickle
import types

from seamark_suites.case import case


@case("tf.is_tensor", host_only=True, reference="none", core=False)
def is_tensor_of_more(t):
    """Of slices, texts, tensors of a traced function; not of lists of tensors, classes, arrays, datasets."""
    tf, x = t.fw, t.const([1.0, 2.0], "f32")
    seen = []
    tf.function(lambda x: seen.append(t.call("tf.is_tensor", x)) or x, autograph=False)(x)
    t.expect([bool(one) for one in seen] == [True], "a tensor while it is traced, got %s" % seen)
    for value in (tf.constant("a"), tf.IndexedSlices(x, tf.constant([0, 1])), x > 1):
        t.expect(bool(t.call("tf.is_tensor", value)), "a tensor: %r" % (value,))
    no = [x], (x, x), {"a": x}, tf.Tensor, True, t.np.float32(1), tf.TensorShape([1]), tf.TensorArray(tf.float32, 1), tf.data.Dataset.range(2)  # fmt: skip
    for value in no:
        t.expect(not bool(t.call("tf.is_tensor", value)), "no tensor: %r" % (value,))


@case("tf.name_scope", host_only=True, reference="none", core=False)
def name_scope_as_it_runs(t):
    """Eagerly, too, they nest and name variables; a scope has its name; an empty one leads back to the root."""
    scope, tf = "tf.name_scope", t.fw
    made = t.call(scope, "layer")
    t.expect(made.name == "layer", "its name, got %r" % made.name)
    with made as outer, t.call(scope, "deep") as inner:
        held = tf.Variable(1.0, name="v")
        with t.call(scope, "root/") as root:
            other = tf.Variable(1.0, name="v")
    t.expect((outer, inner, root) == ("layer/", "layer/deep/", "root/"), "scopes, got %s" % inner)
    t.expect((held.name, other.name) == ("layer/deep/v:0", "root/v:0"), "got %s" % other.name)
    with tf.Graph().as_default(), t.call(scope, "layer"), t.call(scope, "") as empty:
        t.expect(
            (empty, tf.constant(1.0, name="k").name) == ("", "k:0"), "the root, got %r" % empty
        )


@case("tf.name_scope", host_only=True, reference="none", core=False)
def name_scope_in_functions(t):
    """Operations of a traced function have the scope's name, those of its gradient stay within the function."""
    tf = t.fw

    @tf.function(autograph=False)
    def step(x):
        with t.call("tf.name_scope", "inside"):
            return tf.multiply(x, 2.0, name="twice")

    names = [
        one.name for one in step.get_concrete_function(tf.constant(1.0)).graph.get_operations()
    ]
    t.expect("inside/twice" in names, "inside/twice, got %s" % names)
    t.expect(float(step(tf.constant(1.5))) == 3.0, "3")


@case("tf.name_scope", host_only=True, reference="none", core=False)
def name_scope_refuses(t):
    """No name, and names with a space or another sign that no operation may have."""
    t.raises((ValueError, TypeError), t.call, "tf.name_scope", None)
    for name in ("a b", "a!", "/a", "-a"):
        with t.fw.Graph().as_default():
            t.raises(ValueError, t.call("tf.name_scope", name).__enter__)


@case("tf.nest.pack_sequence_as", host_only=True, reference="none", core=False)
def pack_other_structures(t):
    """None and texts hold a place; parts without any stay; a tuple of leaves; dictionaries of other classes."""
    pack = "tf.nest.pack_sequence_as"
    likes = [None, ["text"]], [[], (), {"a": {}}, 0], (), collections.defaultdict(list, b=1, a=[2])
    leaves = (1, 2), [3], [], [5, 6]
    want = [1, [2]], [[], (), {"a": {}}, 3], (), {"a": [5], "b": 6}
    for like, flat, wanted in zip(likes, leaves, want):
        got = t.call(pack, like, flat)
        t.expect(got == wanted and type(got) is type(like), "%r, got %r" % (wanted, got))
    module = t.fw.Module()
    module.parts = [0, {"k": (0, 0)}]
    got = t.call(pack, module.parts, [1, 2, 3])
    t.expect(list(got) == [1, {"k": (2, 3)}], "as a module keeps it, got %r" % (got,))
    for flat in (t.np.array([1]), iter([1]), "a"):
        t.raises((TypeError, ValueError), t.call, pack, [0], flat)


@case(
    "tf.nest.pack_sequence_as",
    dtypes="f32 i32",
    core=False,
    reference=lambda np, x, y: [x + y, np.array([0, 2, 3]), x],
)
def pack_composites(t, dtype):
    """A ragged tensor is made of its parts, or of those of its kind; whole it is one leaf."""

    def packed(x, y):
        pack, rows = t.get("tf.nest.pack_sequence_as"), t.fw.RaggedTensor.from_row_lengths
        old = {"rows": rows(x, [2, 1])}
        new = [x + y, old["rows"].row_splits]
        made = pack(old, new, expand_composites=True)["rows"]
        whole = pack([0], [rows(x, [1, 2])])[0]
        return [made.flat_values, made.row_splits, whole.flat_values]

    return t.call(packed, t.randint((3,), dtype, 1, 9), t.randint((3,), dtype, 1, 9))


class Held(collections.abc.Mapping):
    """A mapping of one's own."""

    def __init__(self, pairs):
        self._held = dict(pairs)

    def __getitem__(self, key):
        return self._held[key]

    def __iter__(self):
        return iter(self._held)

    def __len__(self):
        return len(self._held)


class Fields:
    """As attrs marks its classes."""

    __attrs_attrs__ = types.SimpleNamespace(name="z"), types.SimpleNamespace(name="a")

    def __init__(self, z, a):
        self.z, self.a = z, a


@case("tf.nest.pack_sequence_as", host_only=True, reference="none", core=False)
def pack_classes(t):
    """A mapping of one's own is packed by its keys, a class as attrs makes them by its fields; an array is one leaf."""
    pack, array, np = "tf.nest.pack_sequence_as", t.np.ones(3), t.np
    got = t.call(pack, Held({"b": 0, "a": [0, 0]}), [1, 2, 3])
    t.expect(type(got) is Held and dict(got) == {"b": 3, "a": [1, 2]}, "by keys, got %r" % (got,))
    got = t.call(pack, Fields([0, 0], 0), [1, 2, 3])
    t.expect(type(got) is Fields and (got.z, got.a) == ([1, 2], 3), "by fields, got %r" % (got,))
    got = t.call(pack, {"b": 0, "a": 0}.items(), ["a", 5, "b", 6])
    t.expect(list(got) == [("a", 5), ("b", 6)], "pairs, got %r" % (got,))
    t.expect(t.call(pack, np.zeros((2, 2)), [3]) == 3, "one leaf")
    got = t.call(pack, [np.zeros((2, 2)), 0], [7, array])
    t.expect(got[0] == 7 and got[1] is array, "two leaves, got %r" % (got,))
    t.raises(ValueError, t.call, pack, np.zeros((2, 2)), [1, 2, 3, 4])
    t.raises(TypeError, t.call, pack, {1: 0, "a": 1}, [1, 2])


@case("tf.nest.pack_sequence_as", host_only=True, reference="none", core=False)
def pack_ragged_leaves(t):
    """Whole a ragged tensor of the structure is one leaf; taken apart it is not made of one part."""
    pack, rows = "tf.nest.pack_sequence_as", t.fw.ragged.constant([[1], [2, 3]])
    got = [t.call(pack, like, flat) for like, flat in ((rows, [5]), ({"r": rows, "a": 0}, [1, 2]))]
    t.expect(got == [5, {"a": 1, "r": 2}], "leaves, got %r" % (got,))
    for like in (rows, [rows]):
        part = [t.fw.constant([1, 2, 3])]
        t.raises(ValueError, t.call, pack, like, part, expand_composites=True)


@case("tf.nest.pack_sequence_as", dtypes="f32 i32", core=False, reference=lambda np, x, y: [
      np.array([[0, 1], [2, 0]]), x + 1, np.array([3, 2]), y])  # fmt: skip
def pack_sparse_beside_a_tensor(t, dtype):
    """A sparse tensor is made anew of its three parts, the tensor beside it is the fourth."""
    tf = t.fw

    def packed(x, y):
        places, size = tf.constant([[0, 1], [2, 0]], tf.int64), tf.constant([3, 2], tf.int64)
        old = {"b": 0, "a": tf.SparseTensor(places, x, size)}
        made = t.get("tf.nest.pack_sequence_as")(old, [places, x + 1, size, y], True)
        return [made["a"].indices, made["a"].values, made["a"].dense_shape, made["b"]]

    return t.call(packed, t.randint((2,), dtype, 1, 9), t.randint((3,), dtype, 1, 9))


@case("tf.nest.flatten", host_only=True, reference="none", core=False)
def flatten_other_structures(t):
    """What a module keeps, views that cannot be changed, texts, sets and objects, which are leaves; deep ones."""
    flatten, module, held = "tf.nest.flatten", t.fw.Module(), object()
    module.parts = [1, {"k": (2, "text")}]
    got = t.call(flatten, module.parts)
    t.expect(got == [1, 2, "text"], "as a module keeps it, got %r" % (got,))
    got = t.call(flatten, types.MappingProxyType({"b": 1, "a": [2]}))
    t.expect(got == [2, 1], "by its keys, got %r" % (got,))
    got = t.call(flatten, [b"ab", {3}, held, range])
    t.expect(got == [b"ab", {3}, held, range], "leaves, got %r" % (got,))
    deep = 7
    for _ in range(60):
        deep = [deep, ()]
    t.expect(t.call(flatten, deep) == [7], "one leaf at the bottom")
    spec = t.fw.TensorSpec([2])
    t.expect(
        t.call(flatten, {"a": spec, "b": (None, t.fw.float32)}) == [spec, None, t.fw.float32],
        "kinds",
    )


@case("tf.TensorShape", host_only=True, reference="none", core=False)
def shape_of_many_forms(t):
    """Of arrays, numbers of NumPy, dimensions of TensorFlow 1, another shape, a message; as text; copied."""
    shape, dimension = "tf.TensorShape", t.fw.compat.v1.Dimension
    given = t.np.array([2, 3]), (t.np.int64(2), 3), [dimension(2), 3], t.fw.TensorShape([2, 3]), t.fw.TensorShape([2, 3]).as_proto()  # fmt: skip
    for one in given:
        made = t.call(shape, one)
        t.expect(made.as_list() == [2, 3] and made.rank == made.ndims == 2, "2x3 of %r" % (one,))
    partly, unknown = t.call(shape, [2, dimension(None)]), t.call(shape, None)
    t.expect([one.size for one in partly.as_proto().dim] == [2, -1], "-1 in its message")
    t.expect(unknown.as_proto().unknown_rank and t.call(shape, unknown.as_proto()).rank is None, "unknown")  # fmt: skip
    t.expect((str(partly), repr(unknown)) == ("(2, None)", "TensorShape(None)"), "as text")
    for copied in (copy.deepcopy(partly), pickle.loads(pickle.dumps(partly))):
        t.expect(copied.as_list() == [2, None], "the same, got %r" % copied)


@case("tf.TensorShape", host_only=True, reference="none", core=False)
def shape_of_unknown_parts(t):
    """Parts and sums of what is not known; what is asked of the number of axes; which shape holds another."""
    make = t.get("tf.TensorShape")
    unknown, partly = t.call("tf.TensorShape", None), t.call("tf.TensorShape", [2, None, 5])
    t.expect(unknown[1:].rank is None and unknown[1:3].as_list() == [None, None], "its parts")
    t.expect(unknown[0] is None and (make([2]) + unknown).rank is None, "a size, a sum")
    t.expect(partly[-2:].as_list() == [None, 5] and partly[::2].as_list() == [2, 5], "steps")
    t.expect(([1] + make([2])).as_list() == [1, 2] and make([0, 3]).num_elements() == 0, "a list first")  # fmt: skip
    t.expect(make([None]) == make([None]) and make([2]) != make(None) and make([2]) != [None], "equality")  # fmt: skip
    t.expect(partly.is_compatible_with(make(None)) and partly.is_compatible_with([2, 9, 5]), "compatible")  # fmt: skip
    t.expect(make([2, 3]).is_subtype_of(make([2, None])), "held by what is less known")
    t.expect(not make([2, None]).is_subtype_of(make([2, 3])), "not the other way")
    t.raises(IndexError, lambda: partly[3])
    t.raises(ValueError, list, unknown)
    for refused in (
        partly.assert_is_fully_defined,
        lambda: partly.assert_has_rank(2),
        lambda: partly.assert_same_rank([1]),
        lambda: partly.with_rank_at_most(2),
        lambda: partly.with_rank_at_least(4),
        lambda: partly.merge_with([2, 3]),
    ):
        t.raises(ValueError, refused)


@case("tf.compat.dimension_value", host_only=True, reference="none", core=False)
def dimension_values_computed(t):
    """Of sums, products and quotients of dimensions; of sizes while a function is traced; what is none stays as it is."""
    value, one = "tf.compat.dimension_value", t.fw.compat.v1.Dimension
    given = one(7) + one(2), one(7) * 3, one(7) // 2, one(3) + one(None), one(0)
    got = [t.call(value, each) for each in given]
    t.expect(got == [9, 21, 3, None, 0], "numbers, got %r" % (got,))
    seen = []
    spec = t.fw.TensorSpec([None, 4])
    look = lambda x: seen.extend(t.call(value, size) for size in x.shape) or x  # noqa: E731
    t.fw.function(look, input_signature=[spec], autograph=False).get_concrete_function()
    t.expect(seen == [None, 4], "an unknown size and 4, got %s" % seen)
    for plain in (None, 0, 5, t.np.int64(3), "text"):
        t.expect(t.call(value, plain) is plain, "%r as it is" % (plain,))


@case("tf.TensorShape", host_only=True, reference="none", core=False)
def shape_beside_others(t):
    """Equality, also of unknown ones and beside text; put together; what two are both; dimensions; messages; texts."""
    shape, make, one = "tf.TensorShape", t.get("tf.TensorShape"), t.fw.compat.v1.Dimension
    made, unknown = t.call(shape, [one(3), one(4), 7]), t.call(shape, None)
    t.expect(
        made != "a string" and (made == "a string") is False and made != [3, 4], "no other thing"
    )
    alike = unknown == make(None) and (unknown != make(None)) is False
    t.expect(alike and made != unknown and unknown != made, "unknown ones are alike")
    t.expect(made != make([3, 4, None]) and (make([3, 4, None]) == made) is False, "a size that is not known")  # fmt: skip
    t.expect(unknown.dims is None and [d.value for d in make([3, None]).dims] == [3, None], "dimensions")  # fmt: skip
    for first, second, want in (
        ([1, 2], [3, None], [1, 2, 3, None]),
        ([1, 2], None, None),
        (None, [3], None),
        ([1, 2], one(3), [1, 2, 3]),
        ([], [2], [2]),
    ):
        both = make(first).concatenate(second if isinstance(second, one) else make(second))
        got = None if both.rank is None else both.as_list()
        t.expect(got == want, "%s behind %s: %s, got %s" % (second, first, want, got))
    for first, second, want in (
        ([1, 2], None, None),
        (None, [1, 2], None),
        ([1, 2], [1, 2, 3, 4], None),
        ([1, 2], [1, 2], [1, 2]),
        ([None, 2, 3], [1, 1, 3], [None, None, 3]),
        ([1, 1, 3], [None, 2, 3], [None, None, 3]),
    ):
        both = make(first).most_specific_compatible_shape(make(second))
        got = None if both.rank is None else both.as_list()
        t.expect(got == want, "%s and %s: %s, got %s" % (first, second, want, got))
    for first, second in (([3, 4, 7], [6, 3, 7]), ([3, 4], [3, 4, 7]), ([], [1])):
        t.raises(ValueError, make(first).merge_with, make(second))
    t.expect(made.merge_with(None).as_list() == [3, 4, 7], "with nothing known it stays")
    other = make([2, 3]).most_specific_common_supertype([make([2, 4]), make([2, 5])])
    t.expect(other.as_list() == [2, None], "of three, got %s" % other)
    for sizes in ([], [1, 37, 42], [-1, 37]):
        message = make([None if n < 0 else n for n in sizes]).as_proto()
        again = [d.size for d in message.dim] == sizes and not message.unknown_rank
        t.expect(again and t.call(shape, message).rank == len(sizes), "%s as a message" % sizes)
    texts = [str(make(one)) for one in ([], [7], [3, 8], [32, None, 1, 9], None)]
    want = ["()", "(7,)", "(3, 8)", "(32, None, 1, 9)", "<unknown>"]
    t.expect(texts == want, "%s, got %s" % (want, texts))
    tensors = t.call(shape, [t.fw.constant(2), 3]), t.call(shape, t.fw.constant([2, 3]))
    t.expect(all(each.as_list() == [2, 3] for each in tensors), "of tensors, got %s" % (tensors,))
    parts = [made[1:], made[:-1], made[::2], make([0, 1, 2, 3, 4])[1:4]]
    t.expect([each.as_list() for each in parts] == [[4, 7], [3, 4], [3, 7], [1, 2, 3]], "parts")
    t.expect(list(zip(made, "abc")) == [(3, "a"), (4, "b"), (7, "c")], "sizes one by one")
    t.raises(TypeError, t.call, shape, "23")


@case("tf.nest.is_nested", host_only=True, reference="none", core=False, since=("2.14", "data classes that are structures"))  # fmt: skip
def is_nested_by_protocol(t):
    """A data class is a structure if it says how it is flattened; mappings and sequences of every kind are; iterators are not."""

    @dataclasses.dataclass
    class Plain:
        a: int

    class Flat(Plain):
        def __tf_flatten__(self):
            return (), (self.a,)

        @classmethod
        def __tf_unflatten__(cls, metadata, components):
            return cls(*components)

    nested = t.get("tf.nest.is_nested")
    made = t.fw.nest.map_structure(lambda a: a + 1, Flat(1)) if nested(Flat(1)) else None
    t.expect(t.call("tf.nest.is_nested", Flat(1)) is True and made == Flat(2), "flattened as it says")  # fmt: skip
    kinds = types.MappingProxyType({}), collections.ChainMap(), collections.UserDict(), collections.UserList(), collections.Counter(), \
        [1, 3, [4, 5]], ((7, 8), (5, 6)), collections.namedtuple("Empty", "")()  # fmt: skip
    for value in kinds:
        t.expect(t.call("tf.nest.is_nested", value) is True, "a structure: %s" % type(value))
    tanh = t.fw.tanh(t.fw.ones([2, 3]))
    for value in (Plain(1), types.SimpleNamespace(a=1), slice(3), zip(), enumerate([]), map(int, []), "1234", tanh):  # fmt: skip
        t.expect(t.call("tf.nest.is_nested", value) is False, "no structure: %s" % type(value))


@case("tf.TensorShape", host_only=True, reference="none", core=False, since=("2.13", "messages of shapes"))  # fmt: skip
def shape_as_a_message(t):
    """What is made of a shape's message is the shape again, and so is what a specification keeps."""
    make, spec = t.get("tf.TensorShape"), t.fw.TensorSpec
    for sizes in ([], [3, 0, 2**40], [None, 5], None):
        shape = t.call("tf.TensorShape", sizes)
        again = make.experimental_from_proto(shape.experimental_as_proto())
        t.expect(again == shape and type(again) is make, "%s again, got %s" % (sizes, again))
        kept = spec.experimental_from_proto(spec(shape).experimental_as_proto()).shape
        t.expect(kept == shape, "%s in a specification, got %s" % (sizes, kept))
        proto = make.experimental_type_proto()
        t.expect(isinstance(shape.as_proto(), proto), "a %s" % proto.__name__)
