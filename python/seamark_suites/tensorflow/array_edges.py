"""Arrays at the edges: strings, nothing, much, and what is refused."""

from seamark_suites.case import case

from . import reference as right


def _texts(t, result, want):
    got = t.host(result).tolist()
    t.expect(got == want, "%s, got %s" % (want, got))


@case("tf.concat", reference="none", core=False)
def concat_strings(t):
    parts = [t.fw.constant([b"a", b"b"]), t.fw.constant([b"", b"cd"])]
    _texts(t, t.call("tf.concat", parts, 0), [b"a", b"b", b"", b"cd"])


@case("tf.concat", dtypes="f32", core=False, reference=right.joined)
def concat_many(t, dtype):
    return t.call("tf.concat", [t.randn((33, 20), dtype) for _ in range(64)], axis=1)


@case("tf.concat", reference="none", core=False)
def concat_ragged(t):
    rows = t.fw.ragged.constant([[1, 2], [3]])
    result = t.call("tf.concat", [rows, t.fw.ragged.constant([[4], []], dtype=t.fw.int32)], axis=1)
    t.expect(t.host(result.flat_values).tolist() == [1, 2, 4, 3], "rows joined")
    t.expect(t.host(result.row_splits).tolist() == [0, 3, 4], "rows of three and one")


@case("tf.concat", dtypes="f32", reference="none", core=False)
def concat_scalars(t, dtype):
    t.refuses("tf.concat", [t.const(1.0, dtype), t.const(2.0, dtype)], 0)


@case("tf.reshape", reference="none", core=False)
def reshape_strings(t):
    _texts(t, t.call("tf.reshape", t.fw.constant([b"a", b"b"]), [2, 1]), [[b"a"], [b"b"]])


@case("tf.reshape", dtypes="f32 i32", core=False, reference=lambda np, x: x.reshape(()))
def reshape_to_scalar(t, dtype):
    result = t.call("tf.reshape", t.const([[7]], dtype), [])
    t.expect(tuple(result.shape) == (), "a scalar")
    return result


@case("tf.reshape", dtypes="f32", reference="none", core=False)
def reshape_twice_open(t, dtype):
    t.refuses("tf.reshape", t.randn((4, 6), dtype), [-1, -1])


@case("tf.cast", dtypes="f32 f64 i32", core=False, reference=right.drawn)
def cast_real_to_complex(t, dtype):
    return t.call("tf.cast", t.randn((5, 7), dtype), t.fw.complex64)


@case("tf.cast", reference="none", core=False)
def cast_sparse(t):
    sparse = t.fw.SparseTensor([[0, 1], [2, 0]], t.const([1.75, -2.5], "f32"), [3, 2])
    result = t.call("tf.cast", sparse, t.fw.int32)
    t.expect(t.host(result.values).tolist() == [1, -2], "the values cut towards zero")
    t.expect(t.host(result.indices).tolist() == [[0, 1], [2, 0]], "the indices kept")


@case("tf.cast", dtypes="f32", trivial=True, core=False, reference=right.drawn)
def cast_empty(t, dtype):
    result = t.call("tf.cast", t.randn((0, 3), dtype), t.fw.int64)
    t.expect(tuple(result.shape) == (0, 3) and result.dtype == t.fw.int64, "an empty i64 tensor")
    return result


@case("tf.cast", reference="none", core=False)
def cast_string(t):
    text, kinds = t.fw.constant(["1"]), (t.fw.errors.UnimplementedError, TypeError)
    t.raises(kinds, t.call, "tf.cast", text, t.fw.float32)


@case("tf.fill", reference="none", core=False)
def fill_strings(t):
    _texts(t, t.call("tf.fill", [2], t.fw.constant(b"ab")), [b"ab", b"ab"])


@case("tf.fill", reference="none", core=False)
def fill_negative(t):
    t.refuses("tf.fill", [-1, 2], t.const(1.0, "f32"))


@case("tf.fill", reference="none", core=False)
def fill_no_scalar(t):
    t.refuses("tf.fill", [2], t.const([1.0, 2.0], "f32"))


@case("tf.zeros", reference="none", core=False)
def zeros_by_tensor(t):
    result = t.call("tf.zeros", t.const([2, 3], "i32"), t.fw.float32)
    t.expect(t.host(result).tolist() == [[0.0] * 3] * 2, "a 2x3 tensor of zeros")


@case(
    "tf.zeros", dtypes="f32", trivial=True, core=False, reference=lambda np: np.zeros((1024, 1025))
)
def zeros_large(t, dtype):
    return t.call("tf.zeros", (1024, 1025), t.dtype(dtype))


@case("tf.zeros", reference="none", core=False)
def zeros_negative(t):
    t.refuses("tf.zeros", (2, -3))


@case("tf.constant", dtypes="f32 i32", trivial=True, core=False, reference=lambda np: np.zeros(0))
def constant_empty(t, dtype):
    result = t.call("tf.constant", [], t.dtype(dtype))
    t.expect(tuple(result.shape) == (0,), "nothing")
    return result


@case("tf.constant", reference="none", core=False)
def constant_inferred(t):
    """Python's numbers become 32-bit ones; NumPy's arrays keep their dtype."""
    for value, want in (
        ([1, 2], "int32"),
        ([1.5], "float32"),
        ([True], "bool"),
        ([1j], "complex128"),
        (t.np.zeros(2), "float64"),
    ):
        got = t.call("tf.constant", value).dtype.name
        t.expect(got == want, "%s of %r, got %s" % (want, value, got))


@case("tf.convert_to_tensor", dtypes="f32 i64", core=False, reference=right.drawn)
def convert_to_tensor_variable(t, dtype):
    held = t.fw.Variable(t.randn((3, 4), dtype))

    def convert():
        return t.get("tf.convert_to_tensor")(held)

    return t.call(convert)


@case("tf.convert_to_tensor", reference="none", core=False)
def convert_to_tensor_hint(t):
    """A hint is taken where nothing is lost."""
    hinted = t.call("tf.convert_to_tensor", [1, 2], dtype_hint=t.fw.float32)
    t.expect(hinted.dtype == t.fw.float32, "f32, got %s" % hinted.dtype)
    kept = t.call("tf.convert_to_tensor", [1.5], dtype_hint=t.fw.int32)
    t.expect(kept.dtype == t.fw.float32, "f32 kept, got %s" % kept.dtype)


@case("tf.convert_to_tensor", reference="none", core=False)
def convert_to_tensor_strings(t):
    _texts(t, t.call("tf.convert_to_tensor", ["a", b"bc"]), [b"a", b"bc"])


@case("tf.convert_to_tensor", reference="none", core=False)
def convert_to_tensor_none(t):
    t.refuses("tf.convert_to_tensor", None)


@case("tf.range", dtypes="f32 i32", core=False, reference=lambda np: np.arange(1, 11, 4))
def range_uneven(t, dtype):
    return t.call("tf.range", 1, 11, 4, dtype=t.dtype(dtype))


@case("tf.range", dtypes="i64 f64", core=False, reference=lambda np: np.arange(5, 1000000, 3))
def range_large(t, dtype):
    return t.call("tf.range", 5, 1000000, 3, dtype=t.dtype(dtype))


@case(
    "tf.sequence_mask", core=False, reference=lambda np, length: right.sequence_mask(np, length, 5)
)
def sequence_mask_scalar(t):
    return t.call("tf.sequence_mask", t.const(3, "i32"), 5)


@case(
    "tf.sequence_mask",
    core=False,
    reference=lambda np, lengths: right.sequence_mask(np, lengths, 4),
)
def sequence_mask_cut(t):
    """Longer than maxlen is all of it."""
    return t.call("tf.sequence_mask", t.const([9, 2, 0], "i64"), 4)


@case("tf.tensor_scatter_nd_update", reference="none", core=False)
def scatter_strings(t):
    before, update = t.fw.constant([b"a", b"b", b"c"]), t.fw.constant([b"zz"])
    result = t.call("tf.tensor_scatter_nd_update", before, t.const([[1]], "i32"), update)
    _texts(t, result, [b"a", b"zz", b"c"])


@case("tf.tensor_scatter_nd_update", dtypes="f32", reference="none", core=False)
def scatter_wrong_shape(t, dtype):
    x, indices = t.randn((4, 3), dtype), t.const([[1], [2]], "i32")
    t.refuses("tf.tensor_scatter_nd_update", x, indices, t.randn((2, 5), dtype))


@case("tf.nn.space_to_batch", dtypes="f32 i32", reference=lambda np, x, **_: x, core=False)
def space_to_batch_undone(t, dtype):
    nothing = [[0, 0], [0, 0]]
    there = t.call("tf.nn.space_to_batch", t.randn((2, 4, 6, 3), dtype), [2, 3], nothing)
    return t.fw.batch_to_space(there, [2, 3], nothing)


@case(
    "tf.experimental.numpy.diagflat",
    dtypes="f32",
    core=False,
    reference=lambda np, x: np.diagflat(x),
)
def diagflat_scalar(t, dtype):
    result = t.call("tf.experimental.numpy.diagflat", t.const(2.5, dtype))
    t.expect(tuple(result.shape) == (1, 1), "one by one")
    return result


@case(
    "tf.experimental.numpy.clip",
    dtypes="i32 i64",
    core=False,
    reference=lambda np, x: np.clip(x, -1.5, 2.5),
)
def clip_promotes(t, dtype):
    """Integers between floats are floats."""
    return t.call("tf.experimental.numpy.clip", t.randn((6, 7), dtype), -1.5, 2.5)


@case("tf.experimental.numpy.clip", dtypes="f32", trivial=True, core=False, reference=right.drawn)
def clip_empty(t, dtype):
    return t.call("tf.experimental.numpy.clip", t.randn((0, 3), dtype), -1, 1)


@case("tf.experimental.numpy.true_divide", core=False, reference=lambda np, x, y: x / y)
def true_divide_mixed(t):
    x, y = t.randint((4, 5), "i32", 1, 30), t.uniform((4, 5), "f32", 1, 2)
    return t.call("tf.experimental.numpy.true_divide", x, y)


@case("tf.experimental.numpy.true_divide", dtypes="f32", reference="none", core=False)
def true_divide_wrong_shapes(t, dtype):
    x, y = t.randn((3,), dtype), t.uniform((4,), dtype, 1, 2)
    t.refuses("tf.experimental.numpy.true_divide", x, y)


@case("tf.experimental.numpy.random.standard_normal", reference="none", core=False)
def standard_normal_negative(t):
    t.refuses("tf.experimental.numpy.random.standard_normal", (-3,))


@case("tf.random.gamma", reference="none", core=False)
def gamma_integers(t):
    t.refuses("tf.random.gamma", [3], 2, dtype=t.fw.int32)


@case("tf.io.decode_raw", kind=["bool", "complex64"], reference="none", core=False)
def decode_raw_kinds(t, kind):
    values = t.np.asarray([0, 1, 1, 0, 1], kind) * (1 if kind == "bool" else 2 + 1j)
    values = values.astype(kind)
    result = t.call("tf.io.decode_raw", t.fw.constant(values.tobytes()), t.fw.dtypes.as_dtype(kind))
    t.expect((t.host(result) == values).all(), "what was written")


@case("tf.io.decode_raw", reference="none", core=False)
def decode_raw_empty(t):
    result = t.call("tf.io.decode_raw", t.fw.constant([b"", b""]), t.fw.float32)
    t.expect(tuple(result.shape) == (2, 0), "two empty rows, got %s" % (result.shape,))


@case("tf.io.decode_raw", reference="none", core=False)
def decode_raw_unequal(t):
    t.refuses("tf.io.decode_raw", t.fw.constant([b"ab", b"abcd"]), t.fw.uint8)


def _members(t, result):
    return sorted(t.host(result.values).tolist())


@case("tf.sets.intersection", reference="none", core=False)
def sets_intersection_dense_sparse(t):
    dense = t.const([[1, 2, 3], [4, 5, 6]], "i64")
    sparse = t.fw.SparseTensor(
        [[0, 0], [0, 1], [1, 0]], t.fw.constant([9, 2, 6], t.fw.int64), [2, 2]
    )
    result = t.call("tf.sets.intersection", dense, sparse)
    t.expect(_members(t, result) == [2, 6], "2 and 6, got %s" % _members(t, result))


@case("tf.sets.intersection", reference="none", core=False)
def sets_intersection_deep(t):
    a, b = t.const([[[1, 2], [3, 4]]], "i32"), t.const([[[2, 7], [8, 9]]], "i32")
    result = t.call("tf.sets.intersection", a, b)
    t.expect(t.host(result.values).tolist() == [2], "2, got %s" % t.host(result.values))
    t.expect(t.host(result.indices).tolist() == [[0, 0, 0]], "in the first row")


@case("tf.sets.intersection", reference="none", core=False)
def sets_intersection_mixed(t):
    t.refuses("tf.sets.intersection", t.const([[1]], "i32"), t.const([[1]], "i64"))


# --- constant of version 1, and ones_like

CONSTANT = "tf.compat.v1.constant"
ONES_LIKE = "tf.ones_like"


@case(CONSTANT, core=False, rtol={"f16": 0.0, "f32": 0.0, "bf16": 0.0}, atol={"f16": 0.0, "f32": 0.0, "bf16": 0.0}, reference=lambda np: [
      np.array([0.0999755859375, 65504, np.inf, -0.5]),
      np.array([np.float32(0.1), np.inf, 16777216]), np.array([0.10009765625, np.inf, 3]), np.array([np.float32(0.1), np.inf, 2**40])])  # fmt: skip
def constant_of_narrower_kinds(t):
    """The nearest number there is, or infinity."""
    tf, np = t.fw, t.np
    made = [
        t.call(CONSTANT, [0.1, 65519.0, 65520.0, -0.5], tf.float16),
        t.call(CONSTANT, [0.1, 1e39, 16777217], tf.float32),
        t.call(CONSTANT, [0.1, 3.4e38, 3], tf.bfloat16),
        t.call(CONSTANT, np.array([0.1, 1e300, 2**40]), tf.float32),
    ]
    got = " ".join(one.dtype.name for one in made)
    want = "float16 float32 bfloat16 float32"
    t.expect(got == want, "%s, got %s" % (want, got))
    for wrong in (([1, 2], None, [-1]), (tf.constant([1.5]), tf.float64)):
        t.refuses(CONSTANT, *wrong)
    return made


@case(CONSTANT, core=False, reference=lambda np: [np.array([1, 2.5]), np.array([1, 2])])
def constant_of_other_byte_orders(t):
    """An array's bytes lie in the other order: the numbers are the same."""
    return [
        t.call(CONSTANT, t.np.array(x, kind)) for x, kind in (([1, 2.5], ">f4"), ([1, 2], ">i8"))
    ]


@case(CONSTANT, dtypes="f32 f64 i32 i64 c64 c128", core=False, reference=lambda np, *_: [
      (np.arange(30) - 15).reshape(2, 3, 5), np.zeros((2, 0, 5)), (np.arange(30) - 15).reshape(5, 6), np.arange(30).reshape(2, 3, 5) - 15])  # fmt: skip
def constant_of_three_axes(t, dtype):
    """Arrays and lists with nothing among them, in another shape; as a constant of a traced function."""
    kind = t.dtype(dtype)
    x = (t.np.arange(30) - 15).reshape(2, 3, 5).astype(kind.as_numpy_dtype)
    traced = t.fw.function(lambda: t.get(CONSTANT)(x.tolist(), kind, [2, 3, 5]), autograph=False)
    empty = t.np.empty((2, 0, 5), kind.as_numpy_dtype)
    return [t.call(CONSTANT, x), t.call(CONSTANT, empty), t.call(CONSTANT, x, shape=[5, 6]), t.call(traced)]  # fmt: skip


@case(CONSTANT, core=False, host_only=True, reference="none")
def constant_of_zero_bytes(t):
    """Texts that end with them, in axes; no text at all; an array of objects; a sequence of one's own."""

    class Own:
        def __getitem__(self, place):
            return [b"x", b"\0"][place]

        def __len__(self):
            return 2

    _texts(t, t.call(CONSTANT, Own()), [b"x", b"\0"])
    words = [[b"\0\0", b"xx\0xx"], [b"\0_\0", b"\0"]]
    _texts(t, t.call(CONSTANT, words), words)
    _texts(
        t, t.call(CONSTANT, t.np.array(["a", b"b", "\u00fc"], object)), [b"a", b"b", b"\xc3\xbc"]
    )
    made = t.call(CONSTANT, t.np.empty((2, 0, 5), t.np.str_))
    t.expect(made.dtype == t.fw.string and tuple(made.shape) == (2, 0, 5), "none, got %s" % made)


@case(
    ONES_LIKE,
    dtypes="f32 c64 i64",
    core=False,
    reference=lambda np, x: [x + 1, x[:1] + 1, 2 * np.ones((2, 4, 3))],
)
def ones_like_of_what_is_known(t, dtype):
    """What is known of the shape stays known, with another dtype, too; of any rank; of a placeholder's sizes when it runs."""
    f, tf, kind, seen = t.get(ONES_LIKE), t.fw, t.dtype(dtype), []

    def raised(x):
        more = f(x, dtype=tf.float32)
        seen.append((f(x).shape.as_list(), more.shape.as_list(), more.dtype.name))
        return x + f(x), more

    known = tf.function(
        raised, input_signature=[tf.TensorSpec([None, 4, None], kind)], autograph=False
    )
    free = tf.function(
        lambda x: x + f(x), input_signature=[tf.TensorSpec(None, kind)], autograph=False
    )
    x = t.randint((2, 4, 3), dtype, -9, 10)
    first, ones = t.call(known, x)
    t.expect(seen[0] == ([None, 4, None], [None, 4, None], "float32"), "got %s" % (seen[0],))
    return [first, t.call(free, x[:1]), 2 * ones]
