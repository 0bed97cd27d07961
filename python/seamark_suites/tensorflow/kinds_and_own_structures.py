"""tf.as_dtype of every kind of number, and tf.nest.flatten of structures of one's own."""

import collections
import collections.abc
import pickle

from seamark_suites.case import case

from .graphs_and_parts import Masked as _Masked

# --- kinds of numbers, and structures of one's own

AS_DTYPE, FLATTEN = "tf.as_dtype", "tf.nest.flatten"
# Bytes, what it is, the least and the greatest number.
SMALL = {
    "float8_e5m2": (1, "floating", -57344, 57344),
    "float8_e4m3fn": (1, "floating", -448, 448),
    "bfloat16": (2, "floating", -(2.0**127) * (2 - 2.0**-7), 2.0**127 * (2 - 2.0**-7)),
    "int4": (1, "integer", -8, 7),
    "uint4": (1, "unsigned", 0, 15),
    "qint8": (1, "quantized", None, None),
    "quint8": (1, "quantized", None, None),
    "qint16": (2, "quantized", None, None),
    "quint16": (2, "quantized", None, None),
    "qint32": (4, "quantized", None, None),
    "float8_e4m3fnuz": (1, "floating", -240, 240),
    "float8_e4m3b11fnuz": (1, "floating", -30, 30),
    "float8_e5m2fnuz": (1, "floating", -57344, 57344),
    "int2": (1, "integer", -2, 1),
    "uint2": (1, "unsigned", 0, 3),
    "float4_e2m1fn": (1, "floating", -6, 6),
}


@case(
    AS_DTYPE,
    host_only=True,
    reference="none",
    core=False,
    most=[33],
    since=("2.21", "numbers of two and four bits"),
)
@case(AS_DTYPE, host_only=True, reference="none", core=False, most=[23])
def as_dtype_of_every_number(t, most):
    """Each number has a name of its own, which leads back to it, as NumPy's type does; a hundred more is its reference."""
    names = set()
    for number in range(1, most + 1):
        made, held = t.call(AS_DTYPE, number), t.call(AS_DTYPE, number + 100)
        names |= {made.name, held.name}
        t.expect(made.as_datatype_enum == number and held.as_datatype_enum == number + 100, "%d" % number)  # fmt: skip
        t.expect(held.name == made.name + "_ref" and held.base_dtype is made, "of %r" % held)
        for one in (made, held):
            t.expect(t.call(AS_DTYPE, one.name) is one, "%s by its name" % one.name)
            t.expect(pickle.loads(pickle.dumps(one)) is one, "%s from a pickle" % one.name)
        if made.name not in ("resource", "variant"):
            array = t.np.empty((1, 1), made.as_numpy_dtype)
            t.expect(t.call(AS_DTYPE, array.dtype) is made, "%s by %s" % (made.name, array.dtype))
            t.expect(
                t.np.dtype(held.as_numpy_dtype) == array.dtype, "the same numbers of %r" % held
            )
        t.expect(made.is_compatible_with(held.name) and not held.is_compatible_with(made), "one way")  # fmt: skip
    t.expect(len(names) == 2 * most, "%d names, got %d" % (2 * most, len(names)))
    for number in (0, 100, -1, 9999):
        t.raises(TypeError, t.call, AS_DTYPE, number)


@case(
    AS_DTYPE,
    host_only=True,
    reference="none",
    core=False,
    name_of=list(SMALL)[10:],
    since=("2.21", "numbers of two and four bits"),
)
@case(AS_DTYPE, host_only=True, reference="none", core=False, name_of=list(SMALL)[:10])
def as_dtype_of_small_kinds(t, name_of):
    """What it is, how far it goes; quantized numbers are no integers, and have no end."""
    size, kind, least, most = SMALL[name_of]
    made = t.call(AS_DTYPE, name_of)
    facts = [made.is_floating, made.is_integer, made.is_unsigned, made.is_quantized, made.is_complex, made.is_bool]  # fmt: skip
    want = [kind == "floating", kind in ("integer", "unsigned"), kind == "unsigned", kind == "quantized", False, False]  # fmt: skip
    t.expect(facts == want, "%s, got %s" % (want, facts))
    t.expect(made.size == size and made.real_dtype is made, "%d bytes" % size)
    if least is None:
        t.raises(TypeError, lambda: made.min)
        t.raises(TypeError, lambda: made.max)
    else:
        found = float(made.min), float(made.max)
        t.expect(found == (least, most), "%s to %s, got %s" % (least, most, found))


@case(AS_DTYPE, host_only=True, reference="none", core=False)
def as_dtype_of_what_has_one(t):
    """A class that names a dtype; limits of brightness; what stands for another kind; what is refused."""
    tf, np = t.fw, t.np
    for given, want in (("f4", tf.float32), (np.dtype("complex64"), tf.complex64)):
        t.expect(t.call(AS_DTYPE, type("Held", (), {"dtype": given})) is want, "%r" % want)
    for name, want in (("uint8", (0, 255)), ("float32", (0, 1)), ("int16", (0, 32767))):
        t.expect(t.call(AS_DTYPE, name).limits == want, "limits of %s" % name)
    text, number = t.call(AS_DTYPE, "string"), t.call(AS_DTYPE, "uint32")
    t.raises(ValueError, lambda: text.limits)
    t.raises(TypeError, lambda: text.max)
    t.expect(text.is_subtype_of(text) and not text.is_subtype_of(number), "of itself alone")
    t.expect(text.most_specific_common_supertype([text]) is text, "text of texts")
    t.expect(text.most_specific_common_supertype([number]) is None, "none of both")
    t.expect(t.call(AS_DTYPE, "int32") not in (int, 2.1), "not Python's")
    for wrong in ((tf.int32, tf.float32), int, str, "float32 ", "FLOAT32", ""):
        t.raises(TypeError, t.call, AS_DTYPE, wrong)


class _Mapping(collections.abc.Mapping):
    def __init__(self, **held):
        self._held = held

    def __getitem__(self, key):
        return self._held[key]

    def __iter__(self):
        return iter(self._held)

    def __len__(self):
        return len(self._held)


class _Sequence(collections.abc.Sequence):
    def __init__(self, held):
        self._held = held

    def __len__(self):
        return 2

    def __getitem__(self, place):
        return self._held[place]


@case(FLATTEN, host_only=True, reference="none", core=False)
def flatten_structures_of_ones_own(t):
    """Mappings, sequences and lists of one's own, views of a dictionary, queues, ranges; numbers, pairs and truths as keys."""
    ordered = collections.OrderedDict([("z", 1), ("b", (2, 3))])
    derived = type("Derived", (collections.namedtuple("Base", "b a"),), {})
    for given, want in (
        (_Mapping(z=1, a=[2]), [2, 1]),
        (_Sequence([5, (6, 7)]), [5, 6, 7]),
        (type("Listed", (list,), {})([1, [2]]), [1, 2]),
        (derived(1, {"y": 2, "x": 3}), [1, 3, 2]),
        (ordered.keys(), ["z", "b"]),
        (ordered.values(), [1, 2, 3]),
        (ordered.items(), ["z", 1, "b", 2, 3]),
        (collections.deque([1, (2,)]), [1, 2]),
        (range(3), [0, 1, 2]),
        ({10: "a", 9: "b", -1: "c"}, ["c", "b", "a"]),
        ({(2, 1): 1, (1, 9): 2}, [2, 1]),
        ({True: 1, False: [0]}, [0, 1]),
        (("z", {"c": (1, ordered), "b": 5}, 17), ["z", 5, 1, 2, 3, 1, 17]),
    ):
        got = t.call(FLATTEN, given)
        t.expect(got == want, "%r, got %r" % (want, got))
    parts = (one for one in (1, 2))
    t.expect(t.call(FLATTEN, [parts, {4}])[0] is parts, "a generator whole")
    t.raises(KeyError, t.call, FLATTEN, _Sequence({0: 5}))
    shape = t.fw.TensorShape([1, 2])
    t.expect(t.call(FLATTEN, shape) == [shape], "a shape whole")


@case(FLATTEN, dtypes="f32", core=False, reference=lambda np, x: [
      x, np.array([0, 1, 3]), x[:2], np.array([0, 2, 2, 3]), np.array([0, 1, 2, 3])])  # fmt: skip
def flatten_what_tells_its_parts(t, dtype):
    """What `__tf_flatten__` gives, with what it is made of where that is asked for; rows of rows; kinds of ragged tensors."""
    tf, flatten = t.fw, t.get(FLATTEN)

    def parts(x):
        rows = tf.RaggedTensor.from_row_splits(x, tf.constant([0, 1, 3]))
        deep = tf.RaggedTensor.from_nested_row_splits(x[:2], [tf.constant([0, 2, 2, 3]), tf.constant([0, 1, 2, 2])])  # fmt: skip
        held = _Masked(True, [rows, {"d": deep}])
        if [len(flatten(held)), len(flatten([held, 9]))] != [2, 3]:
            raise ValueError("two leaves, and three")
        values, splits, inner, outer, last = flatten(held, expand_composites=True)
        return [values, splits, inner, outer, last + [0, 0, 0, 1]]

    spec = tf.RaggedTensorSpec([2, None], tf.float32)
    got = flatten([spec, tf.TensorSpec([1])], expand_composites=True)
    want = [tf.TensorSpec([None]), tf.TensorSpec([3], tf.int64), tf.TensorSpec([1])]
    t.expect(got == want and flatten([spec]) == [spec], "%s, got %s" % (want, got))
    return t.call(parts, t.distinct((3,), dtype))
