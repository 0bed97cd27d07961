"""Structures, shapes, specs, dtypes and names, all on the host."""

import collections
import pickle

from seamark_suites.case import case

Point = collections.namedtuple("Point", "x y")


@case("tf.name_scope", dtypes="f32 bf16 i32", core="f32", reference=lambda np, x, y: x + y * x)
def name_scope_computes(t, dtype):
    """A scope changes names alone, never numbers."""

    def scoped(x, y):
        with t.get("tf.name_scope")("outer"), t.get("tf.name_scope")("inner"):
            return x + y * x

    return t.call(scoped, t.uniform((4, 5), dtype, 1, 4), t.uniform((4, 5), dtype, 1, 4))


@case("tf.name_scope", host_only=True, reference="none")
def name_scope_names(t):
    """Scopes nest; a second one of a name is numbered."""
    with t.fw.Graph().as_default():
        with t.call("tf.name_scope", "layer") as outer:
            first = t.fw.constant([1.0], name="w")
            with t.call("tf.name_scope", "deep") as inner:
                second = t.fw.constant([2.0], name="w")
        with t.call("tf.name_scope", "layer") as again:
            pass
    t.expect((outer, inner, again) == ("layer/", "layer/deep/", "layer_1/"), "the scopes")
    t.expect((first.name, second.name) == ("layer/w:0", "layer/deep/w:0"), "the names")


@case("tf.name_scope", host_only=True, reference="none", core=False)
def name_scope_reentered(t):
    """A name with a slash at its end is taken as it is."""
    with t.fw.Graph().as_default():
        with t.call("tf.name_scope", "layer") as outer:
            pass
        with t.call("tf.name_scope", outer) as again:
            made = t.fw.constant(1.0, name="v")
    t.expect(again == "layer/" and made.name == "layer/v:0", "layer/v, got %s" % made.name)


@case("tf.name_scope", host_only=True, reference="none", core=False)
def name_scope_ends_by_error(t):
    with t.fw.Graph().as_default():
        try:
            with t.call("tf.name_scope", "layer"):
                raise KeyError("of the body")
        except KeyError:
            pass
        made = t.fw.constant(1.0, name="v")
    t.expect(made.name == "v:0", "the scope is left, got %s" % made.name)


@case("tf.name_scope", host_only=True, reference="none", core=False)
def name_scope_variables(t):
    with t.call("tf.name_scope", "block"):
        held = t.fw.Variable([1.0, 2.0], name="v")
    t.expect(held.name == "block/v:0", "block/v:0, got %s" % held.name)


@case("tf.name_scope", host_only=True, reference="none", core=False)
def name_scope_wrong_name(t):
    t.raises((ValueError, TypeError), t.call, "tf.name_scope", 3)


@case("tf.nest.flatten", host_only=True, reference="none")
def flatten_nested(t):
    """Dictionaries go by their sorted keys."""
    got = t.call("tf.nest.flatten", {"b": [1, (2, 3)], "a": Point(4, {"k": 5})})
    t.expect(got == [4, 5, 1, 2, 3], "the leaves in order, got %r" % (got,))


@case(
    "tf.nest.flatten",
    dtypes="f32 bf16 i32",
    core="f32",
    reference=lambda np, x, y: [y, x],
)
def flatten_tensors(t, dtype):
    x, y = t.distinct((3,), dtype), t.distinct((2, 2), dtype)
    return t.call("tf.nest.flatten", {"x": x, "a": (y,)})


@case("tf.nest.flatten", host_only=True, reference="none", core=False)
def flatten_leaf(t):
    """What is no structure is a list of itself; a string and None are leaves."""
    for leaf in (7, "text", None):
        got = t.call("tf.nest.flatten", leaf)
        t.expect(got == [leaf], "[%r], got %r" % (leaf, got))
    t.expect(t.call("tf.nest.flatten", [[], ()]) == [], "no leaf")


@case("tf.nest.flatten", host_only=True, reference="none", core=False)
def flatten_arrays_whole(t):
    """An array of NumPy is one leaf."""
    array = t.np.arange(4)
    got = t.call("tf.nest.flatten", [array, 1])
    t.expect(len(got) == 2 and got[0] is array, "the array whole, got %r" % (got,))


@case("tf.nest.flatten", host_only=True, reference="none", core=False)
def flatten_composites(t):
    flatten = t.get("tf.nest.flatten")
    sparse = t.fw.sparse.SparseTensor([[0, 1], [1, 0]], [5.0, 6.0], [2, 2])
    counts = t.call(lambda: [len(flatten([sparse])), len(flatten([sparse], True))])
    t.expect([int(n) for n in counts] == [1, 3], "one leaf, or three parts, got %r" % (counts,))


@case("tf.nest.flatten", host_only=True, reference="none", core=False)
def flatten_keys_without_order(t):
    t.raises((TypeError, ValueError), t.call, "tf.nest.flatten", {1: 0, "a": 1})


@case("tf.nest.pack_sequence_as", host_only=True, reference="none")
def pack_nested(t):
    like = {"b": [0, (0, 0)], "a": Point(0, {"k": 0})}
    got = t.call("tf.nest.pack_sequence_as", like, [4, 5, 1, 2, 3])
    want = {"b": [1, (2, 3)], "a": Point(4, {"k": 5})}
    t.expect(got == want and type(got["a"]) is Point, "the structure, got %r" % (got,))


@case(
    "tf.nest.pack_sequence_as",
    dtypes="f32 bf16 i32",
    core="f32",
    reference=lambda np, x, y: {"p": [y], "q": x},
)
def pack_tensors(t, dtype):
    x, y = t.distinct((3,), dtype), t.distinct((2, 2), dtype)
    return t.call("tf.nest.pack_sequence_as", {"q": 0, "p": [0]}, [y, x])


@case("tf.nest.pack_sequence_as", host_only=True, reference="none", core=False)
def pack_keeps_order(t):
    """An ordered dictionary keeps its own order; its values go by sorted keys."""
    like = collections.OrderedDict([("z", 0), ("a", 0)])
    got = t.call("tf.nest.pack_sequence_as", like, [1, 2])
    t.expect(list(got.items()) == [("z", 2), ("a", 1)], "z first, got %r" % (got,))
    t.expect(type(got) is collections.OrderedDict, "an ordered dictionary")


@case("tf.nest.pack_sequence_as", host_only=True, reference="none", core=False)
def pack_leaf(t):
    got = t.call("tf.nest.pack_sequence_as", "leaf", [9])
    t.expect(got == 9, "9, got %r" % (got,))


@case("tf.nest.pack_sequence_as", host_only=True, reference="none", core=False)
def pack_wrong_number(t):
    for flat in ([1], [1, 2, 3]):
        t.raises(ValueError, t.call, "tf.nest.pack_sequence_as", [0, (0,)], flat)
    t.raises(TypeError, t.call, "tf.nest.pack_sequence_as", [0], 5)


@case("tf.nest.is_nested", host_only=True, reference="none")
def is_nested_kinds(t):
    for value, want in (
        ([1], True),
        ((), True),
        ({"a": 1}, True),
        (Point(1, 2), True),
        ("text", False),
        (5, False),
        (None, False),
    ):
        got = t.call("tf.nest.is_nested", value)
        t.expect(bool(got) is want, "%s of %r, got %r" % (want, value, got))


@case("tf.nest.is_nested", host_only=True, reference="none", core=False)
def is_nested_arrays(t):
    for value in (t.np.zeros((2, 2)), t.const([1.0, 2.0], "f32"), {1, 2}):
        got = t.call("tf.nest.is_nested", value)
        t.expect(not bool(got), "no structure: %s, got %r" % (type(value), got))


@case("tf.nest.is_nested", host_only=True, reference="none", core=False)
def is_nested_views(t):
    """Views of a dictionary are structures."""
    t.expect(bool(t.call("tf.nest.is_nested", {"a": 1}.values())), "values are nested")


class _Pairs(collections.abc.Mapping):
    def __init__(self):
        self.held = {"a": 1}

    def __getitem__(self, key):
        return self.held[key]

    def __iter__(self):
        return iter(self.held)

    def __len__(self):
        return len(self.held)


@case("tf.nest.is_nested", host_only=True, reference="none", core=False)
def is_nested_of_other_kinds(t):
    """Whatever is a sequence or a mapping, and what a module makes of these; no set, no iterator, nothing of tensors."""
    tf, module = t.fw, t.fw.Module()
    module.parts, module.named = [1], {"a": 2}
    nested = [collections.OrderedDict(a=1), collections.defaultdict(int), collections.deque([1]), range(3), {}, [], _Pairs(),
              {"a": 1}.keys(), {"a": 1}.items(), module.parts, module.named, [[]]]  # fmt: skip
    for value in nested:
        t.expect(t.call("tf.nest.is_nested", value) is True, "a structure: %s" % type(value))
    leaves = [b"ab", iter([1]), (n for n in ()), frozenset([1]), set(), True, 1.5, object(), int, tf.TensorShape([2]), tf.TensorSpec([2]),
              tf.Variable([1.0]), tf.ragged.constant([[1], [2, 3]]), tf.SparseTensor([[0]], [1], [2]), tf.data.Dataset.range(2), module,
              tf.float32, t.np.float32(1), t.np.array([[1], [2]])]  # fmt: skip
    for value in leaves:
        t.expect(t.call("tf.nest.is_nested", value) is False, "no structure: %s" % type(value))
    t.refuses("tf.nest.is_nested")


@case("tf.TensorShape", host_only=True, reference="none")
def shape_facts(t):
    made = t.call("tf.TensorShape", [2, 3, 4])
    t.expect(made.as_list() == [2, 3, 4] and made.rank == 3, "the sizes, got %r" % made)
    t.expect(made.num_elements() == 24 and made.is_fully_defined(), "24 elements")
    t.expect(made[1] == 3 and made[1:].as_list() == [3, 4], "items and slices")


@case("tf.TensorShape", host_only=True, reference="none")
def shape_unknown(t):
    partly, unknown = t.call("tf.TensorShape", [None, 3]), t.call("tf.TensorShape", None)
    t.expect(partly.as_list() == [None, 3] and partly.num_elements() is None, "one unknown size")
    t.expect(not partly.is_fully_defined() and partly.rank == 2, "of rank 2")
    t.expect(unknown.rank is None, "an unknown rank, got %r" % unknown)
    t.raises(ValueError, unknown.as_list)


@case("tf.TensorShape", host_only=True, reference="none", core=False)
def shape_merges(t):
    made = t.call("tf.TensorShape", [None, 3])
    t.expect(made.merge_with([5, None]).as_list() == [5, 3], "merged")
    t.expect(made.concatenate([7]).as_list() == [None, 3, 7], "put together")
    t.expect(made.is_compatible_with([9, 3]), "9x3 is compatible")
    t.expect(not made.is_compatible_with([9, 4]), "9x4 is not compatible")
    t.expect(not made.is_compatible_with([3]), "another rank is not compatible")
    t.raises(ValueError, made.merge_with, [5, 4])
    t.raises(ValueError, made.assert_is_compatible_with, [5, 4])


@case("tf.TensorShape", host_only=True, reference="none", core=False)
def shape_equality(t):
    made = t.call("tf.TensorShape", (2, 3))
    t.expect(made == [2, 3] and made == t.fw.TensorShape([2, 3]), "equal sizes are equal")
    t.expect(made != [3, 2] and hash(made) == hash(t.fw.TensorShape([2, 3])), "order counts")
    scalar = t.call("tf.TensorShape", [])
    t.expect(scalar.rank == 0 and scalar.num_elements() == 1, "a scalar has one element")


@case("tf.TensorShape", host_only=True, reference="none", core=False)
def shape_wrong(t):
    t.raises((ValueError, TypeError), t.call, "tf.TensorShape", [-2])
    t.raises((ValueError, TypeError), t.call, "tf.TensorShape", [1.5])
    t.raises((ValueError, TypeError), t.call, "tf.TensorShape", ["two"])


@case("tf.TensorSpec", host_only=True, reference="none", dtypes="f32 i64 bf16", core="f32 i64")
def spec_facts(t, dtype):
    made = t.call("tf.TensorSpec", [None, 3], t.dtype(dtype), name="fed")
    t.expect(made.shape.as_list() == [None, 3], "the shape, got %r" % made.shape)
    t.expect(made.dtype == t.dtype(dtype) and made.name == "fed", "dtype and name")


@case("tf.TensorSpec", host_only=True, reference="none")
def spec_compatible(t):
    made = t.call("tf.TensorSpec", [None, 3], t.fw.float32)
    zeros = t.np.zeros
    t.expect(made.is_compatible_with(t.fw.constant(zeros((5, 3)), t.fw.float32)), "5x3 fits")
    t.expect(
        not made.is_compatible_with(t.fw.constant(zeros((5, 4)), t.fw.float32)), "5x4 does not"
    )
    t.expect(not made.is_compatible_with(t.fw.constant(zeros((5, 3)), t.fw.int32)), "nor int32")


@case("tf.TensorSpec", host_only=True, reference="none", core=False)
def spec_defaults(t):
    made = t.call("tf.TensorSpec", [2])
    t.expect(made.dtype == t.fw.float32 and made.name is None, "float32 without a name")
    t.expect(made == t.fw.TensorSpec([2], "float32") and made != t.fw.TensorSpec([3]), "equality")


@case("tf.TensorSpec", host_only=True, reference="none", core=False)
def spec_of_signature(t):
    """One program serves every size that a signature leaves open, and no other."""
    spec = t.call("tf.TensorSpec", [None], t.fw.float32)
    traces = []

    def doubled(x):
        traces.append(1)
        return x * 2

    compiled = t.fw.function(doubled, input_signature=[spec])
    got = [compiled(t.fw.ones([n])).shape[0] for n in (2, 3, 5)]
    t.expect(got == [2, 3, 5] and len(traces) == 1, "one trace, got %d" % len(traces))
    t.raises((TypeError, ValueError), compiled, t.fw.ones([2, 2]))


@case("tf.TensorSpec", host_only=True, reference="none", core=False)
def spec_wrong(t):
    t.raises((TypeError, ValueError), t.call, "tf.TensorSpec", [2], "float31")
    t.raises((TypeError, ValueError), t.call, "tf.TensorSpec", [-2])


@case("tf.compat.dimension_value", host_only=True, reference="none")
def dimension_values(t):
    shape = t.fw.TensorShape([4, None])
    got = t.call("tf.compat.dimension_value", shape[0])
    t.expect(int(got) == 4, "4, got %r" % (got,))
    t.expect(t.call("tf.compat.dimension_value", shape[1]) is None, "None for an unknown size")


@case("tf.compat.dimension_value", host_only=True, reference="none", core=False)
def dimension_value_old(t):
    """A Dimension of TensorFlow 1 gives its number."""
    made = t.fw.compat.v1.Dimension
    got = t.call("tf.compat.dimension_value", made(7))
    t.expect(int(got) == 7 and not isinstance(got, made), "7, got %r" % (got,))
    t.expect(t.call("tf.compat.dimension_value", made(None)) is None, "None")


@case("tf.is_tensor", host_only=True, reference="none")
def is_tensor_kinds(t):
    for value, want in (
        (t.const([1.0, 2.0], "f32"), True),
        (t.fw.Variable([1.0]), True),
        ([1.0], False),
        (2, False),
        (t.np.zeros(2), False),
        ("text", False),
    ):
        got = t.call("tf.is_tensor", value)
        t.expect(bool(got) is want, "%s of %s, got %r" % (want, type(value), got))


@case("tf.is_tensor", host_only=True, reference="none", core=False)
def is_tensor_composites(t):
    sparse = t.fw.sparse.SparseTensor([[0]], [5.0], [2])
    for value in (sparse, t.fw.ragged.constant([[1], [2, 3]])):
        t.expect(bool(t.call("tf.is_tensor", value)), "a tensor: %s" % type(value))
    for value in (t.fw.TensorSpec([2]), t.fw.float32, None):
        t.expect(not bool(t.call("tf.is_tensor", value)), "no tensor: %r" % (value,))


@case("tf.is_tensor", host_only=True, reference="none", core=False)
def is_tensor_symbolic(t):
    with t.fw.Graph().as_default():
        made = t.fw.compat.v1.placeholder(t.fw.float32, [None])
        t.expect(bool(t.call("tf.is_tensor", made)), "a placeholder is a tensor")


@case(
    "tf.as_dtype", host_only=True, reference="none", kind=["float32", "bfloat16", "int64", "bool"]
)
def as_dtype_named(t, kind):
    made = t.call("tf.as_dtype", kind)
    t.expect(made.name == kind and made is getattr(t.fw, kind), "tf.%s, got %r" % (kind, made))


@case("tf.as_dtype", host_only=True, reference="none", core=False)
def as_dtype_sources(t):
    for source, want in ((t.np.float16, "float16"), (float, "float32"), (1, "float32"),
                         (t.fw.int8, "int8"), (t.np.dtype("complex64"), "complex64")):  # fmt: skip
        got = t.call("tf.as_dtype", source)
        t.expect(got.name == want, "%s from %r, got %r" % (want, source, got))


@case("tf.as_dtype", host_only=True, reference="none", core=False)
def as_dtype_refused(t):
    for wrong in ("float31", object(), 9999):
        t.raises(TypeError, t.call, "tf.as_dtype", wrong)


# Of a name: the bytes, what it is, the greatest number.
KINDS = {
    "float16": (2, "floating", 65504.0),
    "float32": (4, "floating", 3.4028234663852886e38),
    "float64": (8, "floating", 1.7976931348623157e308),
    "int8": (1, "integer", 2**7 - 1),
    "int16": (2, "integer", 2**15 - 1),
    "int32": (4, "integer", 2**31 - 1),
    "int64": (8, "integer", 2**63 - 1),
    "uint8": (1, "unsigned", 2**8 - 1),
    "uint16": (2, "unsigned", 2**16 - 1),
    "uint32": (4, "unsigned", 2**32 - 1),
    "uint64": (8, "unsigned", 2**64 - 1),
    "complex64": (8, "complex", None),
    "complex128": (16, "complex", None),
    "bool": (1, "bool", None),
}


@case("tf.as_dtype", host_only=True, reference="none", core=False, name_of=list(KINDS))
def as_dtype_of_every_kind(t, name_of):
    """By its name, its number, NumPy's type and itself the same one; what it is, and how far it goes."""
    size, kind, most = KINDS[name_of]
    made = t.call("tf.as_dtype", name_of)
    array = t.np.dtype(name_of)
    for source in (made, made.as_datatype_enum, array, array.type, t.np.zeros(1, array).dtype):
        t.expect(t.call("tf.as_dtype", source) is made, "%s of %r" % (name_of, source))
    t.expect(made.size == size and made.as_numpy_dtype is array.type, "%d bytes as NumPy's" % size)
    facts = [made.is_floating, made.is_integer, made.is_unsigned, made.is_complex, made.is_bool]
    names = ["floating", "integer", "unsigned", "complex", "bool"]
    want = [kind == one or (kind, one) == ("unsigned", "integer") for one in names]
    t.expect(facts == want, "%s, got %s" % (kind, dict(zip(names, facts))))
    if most is None:
        t.raises(TypeError, lambda: made.max)
    else:
        t.expect(float(made.max) == float(most), "at most %s, got %s" % (most, made.max))
        least = -most if kind == "floating" else -most - 1 if kind == "integer" else 0
        t.expect(float(made.min) == float(least), "at least %s, got %s" % (least, made.min))
    parts = {"complex64": "float32", "complex128": "float64"}.get(name_of, name_of)
    t.expect(made.real_dtype.name == parts, "the dtype of a part, got %s" % made.real_dtype)


@case("tf.as_dtype", host_only=True, reference="none", core=False)
def as_dtype_spelled_otherwise(t):
    """C's names, texts of NumPy and of objects, references of TensorFlow 1, small floats, what holds no numbers."""
    tf, make = t.fw, "tf.as_dtype"
    for source, want in (("half", "float16"), ("float", "float32"), ("double", "float64"), (bool, "bool"), (object, "string"),
                         (t.np.str_, "string"), (t.np.bytes_, "string"), (t.np.array(["a"]).dtype, "string"), ("resource", "resource"),
                         ("variant", "variant"), ("qint8", "qint8"), (tf.bfloat16.as_numpy_dtype, "bfloat16")):  # fmt: skip
        got = t.call(make, source)
        t.expect(got.name == want, "%s from %r, got %r" % (want, source, got))
    for source in ("float32_ref", 101):
        got = t.call(make, source)
        t.expect(got.base_dtype is tf.float32 and got != tf.float32, "a reference, got %r" % got)
    t.expect(t.call(make, "bfloat16").size == 2 and tf.bfloat16.is_floating, "two bytes")
    for wrong in (None, "f4", ["float32"], t.np.dtype([("a", "int32")])):
        t.raises(TypeError, t.call, make, wrong)


@case("tf.as_dtype", host_only=True, reference="none", core=False)
def as_dtype_as_a_key(t):
    """Equal to its name and to NumPy's type; found by one from a pickle; printed; in place of itself."""
    tf, made = t.fw, t.call("tf.as_dtype", "int64")
    t.expect(made == "int64" and made == t.np.int64 and made == tf.int64, "equal to its names")
    t.expect(made != "int32" and made != t.np.int32 and made != "no dtype", "and to no other")
    t.expect({made: 1}[pickle.loads(pickle.dumps(made))] == 1, "found by one from a pickle")
    t.expect(repr(made) == "tf.int64" and "int64" in str(made), "got %r, %s" % (made, made))
    t.expect(made.is_compatible_with("int64") and not made.is_compatible_with(tf.int32), "itself")
    t.expect(tf.constant([1, 2], made).dtype is made, "as an argument")
    t.expect(tf.zeros([2], t.call("tf.as_dtype", "half")).dtype is tf.float16, "half, too")


@case("tf.executing_eagerly", host_only=True, reference="none")
def eager_or_not(t):
    """Eager outside of graphs; not within one, nor while a function is traced."""
    eager = t.get("tf.executing_eagerly")
    traced = []

    def look():
        traced.append(eager())
        return t.fw.constant(1)

    def states():
        t.fw.function(look)()
        with t.fw.Graph().as_default():
            inside = eager()
        with t.fw.init_scope():
            lifted = eager()
        return [lifted, inside, traced[0], t.fw.inside_function()]

    got = [bool(value) for value in t.call(states)]
    t.expect(got[:3] == [True, False, False], "true, false, false, got %r" % (got,))


@case("tf.executing_eagerly", host_only=True, reference="none")
def eager_at_top(t):
    got = t.call("tf.executing_eagerly")
    t.expect(bool(got) is (not t.compiled), "eager unless the call is traced, got %r" % (got,))


@case("tf.executing_eagerly", host_only=True, reference="none", core=False)
def eager_in_run_functions(t):
    """Functions that are told to run eagerly are not traced."""
    seen = []
    before = t.fw.config.functions_run_eagerly()
    t.fw.config.run_functions_eagerly(True)
    try:
        t.fw.function(lambda: seen.append(t.call("tf.executing_eagerly")))()
    finally:
        t.fw.config.run_functions_eagerly(before)
    t.expect(bool(seen[0]) is (not t.compiled), "eager, got %r" % (seen,))
