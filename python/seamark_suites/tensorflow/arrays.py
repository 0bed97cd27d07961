"""Making, joining and reshaping tensors."""

from seamark_suites.case import case

from . import reference as right
from .reference import with_gradient


def _refuses(t, name, *args, **kwargs):
    """Bad arguments raise; that a compiler lacks the operation is another failure, passed on."""
    error = t.raises((t.fw.errors.OpError, ValueError, TypeError), t.call, name, *args, **kwargs)
    if "unsupported operations" in str(error):
        raise error


@case(
    "tf.concat",
    dtypes="f32 f16 bf16 f64 i32 i64 u8 bool c64",
    shapes="4x6",
    axis=[0, -1],
    core="f32 bf16 i64",
    reference=right.joined,
)
def concat(t, dtype, shape, axis):
    first, second, third = t.randn(shape, dtype), t.randn(shape, dtype), t.randn(shape, dtype)
    return t.call("tf.concat", [first, second, third], axis=axis)


@case("tf.concat", dtypes="f32", grad=True, reference=with_gradient(right.joined))
def concat_gradient(t, dtype):
    return t.call("tf.concat", [t.randn((3, 5), dtype), t.randn((3, 2), dtype)], 1)


@case("tf.concat", dtypes="f32 i32", reference=right.joined)
def concat_with_empty(t, dtype):
    return t.call("tf.concat", [t.const(t.np.zeros((2, 0)), dtype), t.randn((2, 3), dtype)], 1)


@case(
    "tf.concat",
    dtypes="f32",
    trivial=True,
    core=False,
    reference=lambda np, *parts: np.concatenate(parts),
)
def concat_only_empty(t, dtype):
    result = t.call("tf.concat", [t.randn((0, 3), dtype), t.randn((0, 3), dtype)], 0)
    t.expect(tuple(result.shape) == (0, 3), "shape (0, 3)")
    return result


@case("tf.concat", dtypes="f32", core=False, reference="none")
def concat_mismatch(t, dtype):
    parts = [t.randn((2, 3), dtype), t.randn((2, 4), dtype)]
    _refuses(t, "tf.concat", parts, 0)


@case(
    "tf.reshape",
    dtypes="f32 bf16 i32 i64 bool c64",
    to=[(-1,), (6, 4), (2, -1, 3, 1)],
    core="f32 i64",
    reference=right.reshaped,
)
def reshape(t, dtype, to):
    return t.call("tf.reshape", t.randn((4, 6), dtype), to)


@case("tf.reshape", dtypes="f32", grad=True, reference=with_gradient(lambda np, x: x.reshape(3, 8)))
def reshape_gradient(t, dtype):
    return t.call("tf.reshape", t.randn((4, 6), dtype), [3, 8])


@case("tf.reshape", dtypes="f32", shapes="1 scalar", reference=lambda np, x: x.reshape(1, 1, 1))
def reshape_one(t, dtype, shape):
    return t.call("tf.reshape", t.randn(shape, dtype), [1, 1, 1])


@case(
    "tf.reshape",
    dtypes="f32",
    to=[(0, 3), (-1, 5, 2)],
    trivial=True,
    core=False,
    reference=right.reshaped,
)
def reshape_empty(t, dtype, to):
    result = t.call("tf.reshape", t.randn((0, 10), dtype), to)
    t.expect(
        result.shape.num_elements() == 0 and result.shape.rank == len(to),
        "an empty tensor of rank %d" % len(to),
    )
    return result


@case("tf.reshape", dtypes="f32", core=False, reference=right.reshaped)
def reshape_by_tensor(t, dtype):
    """A shape that is data: a compiler with static shapes has to see through it."""
    return t.call("tf.reshape", t.randn((4, 6), dtype), t.const([8, 3], "i32"))


@case("tf.reshape", dtypes="f32", reference="none", core=False)
def reshape_impossible(t, dtype):
    _refuses(t, "tf.reshape", t.randn((4, 6), dtype), [5, 5])


def _cast_input(t, dtype, to):
    if to == "bool":
        return t.randint((5, 7), dtype, 0, 2)
    if dtype[0] == "u" or dtype == "bool":
        return t.randint((5, 7), dtype, 0, 2 if dtype == "bool" else 100)
    return t.uniform((5, 7), dtype, -100, 100)


_TARGETS = {
    "f16": "float16",
    "bf16": "bfloat16",
    "f32": "float32",
    "f64": "float64",
    "i8": "int8",
    "i32": "int32",
    "i64": "int64",
    "u8": "uint8",
    "bool": "bool",
    "c64": "complex64",
}


@case(
    "tf.cast",
    dtypes="f32 i32 i64 bool f16 bf16 f64 u8",
    to=["i32", "f16", "bf16", "bool", "i64"],
    core="f32 i64 bool",
    reference=right.cast,
)
def cast(t, dtype, to):
    """To a named dtype at every place: the rounding is part of the function."""
    result = t.call("tf.cast", _cast_input(t, dtype, to), t.fw.dtypes.as_dtype(_TARGETS[to]))
    return t.fw.cast(result, t.fw.float64)


@case("tf.cast", dtypes="f32 f64", to=["f8e4m3fn", "f8e5m2"], core=False, reference=right.cast)
def cast_f8(t, dtype, to):
    kinds = {"f8e4m3fn": "float8_e4m3fn", "f8e5m2": "float8_e5m2"}
    result = t.call("tf.cast", t.uniform((5, 7), dtype, -100, 100), t.fw.dtypes.as_dtype(kinds[to]))
    return t.fw.cast(result, t.fw.float32)


@case("tf.cast", dtypes="c64", reference=lambda np, x, **_: np.real(x))
def cast_complex_to_real(t, dtype):
    return t.call("tf.cast", t.randn((9,), dtype), t.fw.float32)


@case("tf.cast", dtypes="f32", grad=True, reference=with_gradient(right.drawn))
def cast_gradient(t, dtype):
    return t.call("tf.cast", t.randn((4, 5), dtype), t.dtype("f64"))


@case(
    "tf.fill",
    dtypes="f32 bf16 i32 bool c64",
    to=[(3, 4), (), (0, 2)],
    trivial=True,
    core="f32 i32",
    reference=right.filled,
)
def fill(t, dtype, to):
    return t.call("tf.fill", to, t.const(True if dtype == "bool" else 3, dtype))


@case("tf.fill", dtypes="f32", grad=True, trivial=True, reference=with_gradient(right.filled))
def fill_gradient(t, dtype):
    return t.call("tf.fill", (3, 4), t.const(2.5, dtype, grad=True))


@case("tf.fill", core=False, reference="none")
def fill_by_tensor(t):
    result = t.call("tf.fill", t.const([2, 3], "i32"), t.const(7.0, "f32"))
    t.expect(t.host(result).tolist() == [[7.0] * 3] * 2, "a 2x3 tensor of sevens")


@case(
    "tf.zeros",
    dtypes="f32 f16 bf16 f64 i8 i64 bool c64",
    to=[(3, 4), (), (2, 0)],
    trivial=True,
    core="f32 i64",
    reference=right.zeros,
)
def zeros(t, dtype, to):
    result = t.call("tf.zeros", to, t.dtype(dtype))
    t.expect(
        tuple(result.shape) == to and result.dtype == t.dtype(dtype),
        "zeros of the shape and dtype asked for",
    )
    return result


@case("tf.zeros", reference="none")
def zeros_strings(t):
    result = t.call("tf.zeros", (2,), t.fw.string)
    t.expect(t.host(result).tolist() == [b"", b""], "empty strings")


@case(
    "tf.constant",
    dtypes="f32 bf16 f64 i32 i64 u8 bool c64",
    shapes="3x4 scalar",
    core="f32 i64",
    reference=right.drawn,
)
def constant(t, dtype, shape):
    data = t.host(
        t.uniform(shape, dtype, 1, 50) if dtype != "bool" else t.const([[True, False]] * 3, dtype)
    )
    return t.call("tf.constant", data.tolist(), t.dtype(dtype))


@case("tf.constant", dtypes="f32 i32", trivial=True, reference=lambda np: np.full((2, 3), 7))
def constant_broadcast(t, dtype):
    return t.call("tf.constant", 7, t.dtype(dtype), shape=(2, 3))


@case("tf.constant", reference="none")
def constant_strings(t):
    result = t.call("tf.constant", ["a", "bc", "\u00fc"])
    t.expect(t.host(result).tolist() == [b"a", b"bc", b"\xc3\xbc"], "UTF-8 bytes")


@case("tf.constant", reference="none", core=False)
def constant_ragged_list(t):
    _refuses(t, "tf.constant", [[1, 2], [3]])


@case(
    "tf.convert_to_tensor",
    dtypes="f32 bf16 f64 i32 i64 bool",
    shapes="3x4 0x2 scalar",
    core="f32 i64",
    trivial=True,
    reference=right.drawn,
)
def convert_to_tensor(t, dtype, shape):
    host = t.host(t.randn(shape, dtype))
    result = t.call("tf.convert_to_tensor", host.astype(t.dtype(dtype).as_numpy_dtype))
    t.expect(result.dtype == t.dtype(dtype), "the array's own dtype")
    return result


@case("tf.convert_to_tensor", dtypes="f32 i32", reference=right.stacked)
def convert_to_tensor_nested(t, dtype):
    """A list of tensors is stacked."""
    return t.call("tf.convert_to_tensor", [t.randn((3,), dtype), t.randn((3,), dtype)])


@case("tf.convert_to_tensor", dtypes="f32", grad=True, reference=with_gradient(right.stacked))
def convert_to_tensor_gradient(t, dtype):
    return t.call("tf.convert_to_tensor", [t.randn((2, 3), dtype), t.randn((2, 3), dtype)])


@case("tf.convert_to_tensor", reference="none", core=False)
def convert_to_tensor_wrong_dtype(t):
    _refuses(t, "tf.convert_to_tensor", [1.5, 2.5], t.fw.int32)


@case(
    "tf.range",
    dtypes="f32 f64 i32 i64 bf16 f16",
    bounds=[(0, 10, 1), (3, 18, 3), (10, -6, -4)],
    core="f32 i32 i64",
    reference=lambda np, bounds: np.arange(*bounds),
)
def range_(t, dtype, bounds):
    return t.call("tf.range", bounds[0], bounds[1], bounds[2], dtype=t.dtype(dtype))


@case("tf.range", dtypes="f32 i32", trivial=True, reference=lambda np: np.zeros(0))
def range_empty(t, dtype):
    result = t.call("tf.range", 5, 5, dtype=t.dtype(dtype))
    t.expect(tuple(result.shape) == (0,), "an empty range")
    return result


@case("tf.range", dtypes="i32 f32", core="i32", reference=lambda np, limit: np.arange(limit))
def range_of_tensor(t, dtype):
    """The limit is data: the shape of the result is not known before."""
    return t.call("tf.range", t.const(7, dtype))


@case("tf.range", reference="none", core=False)
def range_zero_delta(t):
    _refuses(t, "tf.range", 0, 5, 0)


@case(
    "tf.sequence_mask",
    dtypes="f32 i32 i64 bool",
    shapes="5 2x3",
    core="f32 bool",
    reference=lambda np, lengths: right.sequence_mask(np, lengths, 8),
)
def sequence_mask(t, dtype, shape):
    lengths = t.randint(shape, "i32", 0, 8)
    return t.call("tf.sequence_mask", lengths, 8, dtype=t.fw.dtypes.as_dtype(_TARGETS[dtype]))


@case("tf.sequence_mask", dtypes="i32 i64", reference=right.sequence_mask)
def sequence_mask_to_longest(t, dtype):
    """Without maxlen the width is the greatest length: data decides the shape."""
    return t.call("tf.sequence_mask", t.const([1, 3, 0, 5], dtype))


@case("tf.sequence_mask", reference="none", core=False)
def sequence_mask_needs_scalar(t):
    _refuses(t, "tf.sequence_mask", t.const([1, 2], "i32"), [3, 4])


@case(
    "tf.tensor_scatter_nd_update",
    dtypes="f32 f16 bf16 f64 i32 i64 bool",
    core="f32 bf16 i64",
    reference=right.scattered,
)
def scatter_elements(t, dtype):
    indices = t.const([[0, 1], [3, 2], [1, 5]], "i32")
    return t.call(
        "tf.tensor_scatter_nd_update", t.randn((4, 6), dtype), indices, t.randn((3,), dtype)
    )


@case("tf.tensor_scatter_nd_update", dtypes="f32 i32", reference=right.scattered)
def scatter_rows(t, dtype):
    indices = t.const([[2], [0]], "i64")
    return t.call(
        "tf.tensor_scatter_nd_update", t.randn((4, 6), dtype), indices, t.randn((2, 6), dtype)
    )


@case(
    "tf.tensor_scatter_nd_update", dtypes="f32", grad=True, reference=with_gradient(right.scattered)
)
def scatter_gradient(t, dtype):
    indices = t.const([[1], [3]], "i32")
    return t.call(
        "tf.tensor_scatter_nd_update", t.randn((5,), dtype), indices, t.randn((2,), dtype)
    )


@case("tf.tensor_scatter_nd_update", dtypes="f32", core=False, reference=right.scattered)
def scatter_nothing(t, dtype):
    indices = t.const(t.np.zeros((0, 1)), "i32")
    return t.call(
        "tf.tensor_scatter_nd_update",
        t.randn((5,), dtype),
        indices,
        t.const(t.np.zeros((0,)), dtype),
    )


@case("tf.tensor_scatter_nd_update", dtypes="f32", reference="none", core=False)
def scatter_out_of_bounds(t, dtype):
    """The CPU raises; a GPU or XLA drops the update, as TensorFlow documents."""
    before, indices = t.randn((3,), dtype), t.const([[7]], "i32")
    try:
        result = t.call("tf.tensor_scatter_nd_update", before, indices, t.randn((1,), dtype))
    except t.fw.errors.InvalidArgumentError:
        return
    t.expect(
        t.host(result).tolist() == t.host(before).tolist(), "an error, or the tensor unchanged"
    )


@case(
    "tf.nn.space_to_batch",
    dtypes="f32 f16 bf16 f64 i32",
    core="f32 bf16",
    reference=right.space_to_batch([2, 3]),
)
def space_to_batch(t, dtype):
    return t.call("tf.nn.space_to_batch", t.randn((2, 4, 6, 3), dtype), [2, 3], [[0, 0], [0, 0]])


@case(
    "tf.nn.space_to_batch",
    dtypes="f32",
    grad=True,
    reference=with_gradient(right.space_to_batch([2, 2], [(1, 0), (0, 1)])),
)
def space_to_batch_padded(t, dtype):
    return t.call("tf.nn.space_to_batch", t.randn((1, 3, 5, 2), dtype), [2, 2], [[1, 0], [0, 1]])


@case("tf.nn.space_to_batch", dtypes="f32", reference=right.space_to_batch([3]))
def space_to_batch_one_axis(t, dtype):
    return t.call("tf.nn.space_to_batch", t.randn((2, 6, 3), dtype), [3], [[0, 0]])


@case("tf.nn.space_to_batch", dtypes="f32", reference="none", core=False)
def space_to_batch_indivisible(t, dtype):
    _refuses(t, "tf.nn.space_to_batch", t.randn((1, 5, 4, 1), dtype), [2, 2], [[0, 0], [0, 0]])
