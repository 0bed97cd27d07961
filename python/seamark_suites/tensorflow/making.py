"""Tensors of one value, constants, and the casts of TensorFlow 1."""

from seamark_agent.harness import Skip

from seamark_suites.case import case

from . import reference as right
from .reference import with_gradient
from .views import each

ONES = "tf.ones"
ONES_LIKE = "tf.ones_like"
ZEROS_LIKE = "tf.zeros_like"
LIKE = ONES_LIKE + " " + ZEROS_LIKE
CONSTANT = "tf.compat.v1.constant"
TO_FLOAT = "tf.compat.v1.to_float"
TO_INT32 = "tf.compat.v1.to_int32"


def _value(function):
    return 0 if function == ZEROS_LIKE else 1


# --- ones


def _ones(np, to):
    return np.ones(to)


@case(ONES, dtypes="f32", to=[(3, 4), (5,)], trivial=True, reference=_ones)
@case(ONES, dtypes="bf16 i64 bool", to=[(3, 4)], trivial=True, reference=_ones)
@case(ONES, dtypes="f16 f64 i8 i16 i32 u8 u16 u32 u64 c64 c128", to=[(3, 4)], trivial=True, core=False,
      reference=_ones)  # fmt: skip
@case(
    ONES, dtypes="f32 i32", to=[(), (2, 0), (2, 3, 1, 4)], trivial=True, core=False, reference=_ones
)
@case(
    ONES,
    dtypes="f32",
    to=[(2048, 4096)],
    large=True,
    trivial=True,
    name="ones_many",
    reference=_ones,
)
def ones(t, dtype, to):
    made = t.call(ONES, to, t.dtype(dtype))
    t.expect(tuple(made.shape) == to, "the shape %s, got %s" % (to, made.shape))
    t.expect(made.dtype == t.dtype(dtype), "the dtype asked for, got %s" % made.dtype)
    return made


@case(ONES, trivial=True, core=False, reference=lambda np: [np.ones((2, 3))] * 2 + [np.ones(4)])
def ones_without_dtype(t):
    """f32; a shape as a list, as a TensorShape and as one number."""
    made = [t.call(ONES, to) for to in ([2, 3], t.fw.TensorShape([2, 3]), 4)]
    t.expect(all(one.dtype == t.fw.float32 for one in made), "f32 where no dtype is said")
    return made


@case(ONES, dtypes="i32 i64", trivial=True, core=False, reference=lambda np, to: np.ones(to))
def ones_by_tensor(t, dtype):
    """A shape that is data."""
    return t.call(ONES, t.const([3, 2], dtype), t.fw.float32)


@case(
    ONES,
    dtypes="f32",
    trivial=True,
    core=False,
    reference=lambda np: [np.ones((2, n)) for n in (3, 5, 8)],
)
def ones_three_sizes(t, dtype):
    return [t.call(ONES, (2, n), t.dtype(dtype)) for n in (3, 5, 8)]


@case(ONES, dtypes="f32", core=False, reference=lambda np, x: x + 1)
def ones_of_the_shape_of(t, dtype):
    """A batch of unknown size: the shape is computed in the graph."""

    def raised(x):
        return x + t.get(ONES)(t.fw.shape(x), x.dtype)

    spec = t.fw.TensorSpec([None, 3], t.dtype(dtype))
    traced = t.fw.function(raised, input_signature=[spec], autograph=False)
    return t.call(traced, t.randn((4, 3), dtype))


@case(ONES, core=False, reference="none")
def ones_refuses(t):
    """Negative sizes, strings."""
    t.refuses(ONES, (2, -1))
    t.refuses(ONES, (2,), t.fw.string)


@case(ONES, core=False, reference="none")
def ones_refuses_fractions(t):
    """No size is cut to a whole number."""
    t.refuses(ONES, (2.5,))


@case(
    ONES,
    trivial=True,
    core=False,
    reference=lambda np, n: [
        np.ones((2, 3)),
        np.ones(2),
        np.ones(2),
        np.ones((3, 1)),
        np.ones((2, 3, 1)),
    ],
)
def ones_of_other_arguments(t):
    """A list with a tensor in it, dtypes of NumPy and by name, an array for a shape, all by keyword."""
    n, np = t.const(3, "i32"), t.np
    made = [t.call(ONES, [2, n]), t.call(ONES, [2], np.int16), t.call(ONES, [2], "float64"), t.call(ONES, np.array([3, 1])),
            t.call(ONES, shape=(2, 3, 1), dtype=t.fw.bool, name="all")]  # fmt: skip
    got = [one.dtype.name for one in made]
    t.expect(got == ["float32", "int16", "float64", "float32", "bool"], "the dtypes, got %s" % got)
    return made


# --- ones_like, zeros_like


def _like(function):
    return lambda np, x, **_: np.full(x.shape, _value(function))


@each(LIKE, _like, dtypes="f32 bf16 i64 bool", shapes="4x6", trivial=True)
@each(LIKE, _like, dtypes="f16 f64 i8 i16 i32 u8 c64", shapes="4x6", trivial=True, core=False)
@each(LIKE, _like, dtypes="f32 i32", shapes="scalar 0x3 2x3x1x4", trivial=True, core=False)
@each(LIKE, _like, dtypes="f32", shapes="2048x4096", trivial=True, large=True, name="like_many")
def like(t, dtype, shape, function):
    made = t.call(function, t.randn(shape, dtype))
    t.expect(made.dtype == t.dtype(dtype), "the input's dtype, got %s" % made.dtype)
    return made


_NAMES = {"f32": "float32", "bf16": "bfloat16", "i64": "int64", "bool": "bool", "c64": "complex64"}


@each(
    LIKE,
    _like,
    dtypes="f32 i64",
    to=["bf16", "i64", "bool", "f32", "c64"],
    trivial=True,
    core=False,
)
def like_of_dtype(t, dtype, to, function):
    asked = t.fw.dtypes.as_dtype(_NAMES[to])
    made = t.call(function, t.randn((3, 4), dtype), dtype=asked)
    t.expect(made.dtype == asked, "the dtype asked for, got %s" % made.dtype)
    return made


@each(LIKE, _like, dtypes="f32 f64", trivial=True, core=False)
def like_special_values(t, dtype, function):
    """NaN and infinities leave no trace, as a product with zero would."""
    return t.call(function, t.const([t.np.nan, t.np.inf, -t.np.inf, 0.0, 1e30], dtype))


@each(LIKE, lambda function: lambda np, *xs: [np.full(x.shape, _value(function)) for x in xs],
      dtypes="f32", trivial=True, core=False)  # fmt: skip
def like_three_sizes(t, dtype, function):
    return [t.call(function, t.randn((n, 2), dtype)) for n in (3, 5, 8)]


@each(LIKE, lambda function: lambda np, *xs: [2 * x + _value(function) for x in xs],
      dtypes="f32 bf16", core=False)  # fmt: skip
def like_unknown_size(t, dtype, function):
    """Traced once for every size. Whole numbers."""

    def raised(x):
        return 2 * x + t.get(function)(x)

    spec = t.fw.TensorSpec([None, 2], t.dtype(dtype))
    traced = t.fw.function(raised, input_signature=[spec], autograph=False)
    return [t.call(traced, t.randint((n, 2), dtype, -9, 10)) for n in (3, 5, 8)]


@each(
    LIKE,
    lambda function: lambda np, x: (x, np.full((2, 3), _value(function))),
    dtypes="f32",
    core=False,
)
def like_of_variable(t, dtype, function):
    """A tensor of its own: what is assigned to the variable later does not show."""
    held = t.fw.Variable(t.randn((2, 3), dtype))
    return held.read_value(), t.call(function, held)


@each(LIKE, lambda function: lambda np: [np.full((2, 2), _value(function)), np.full(3, _value(function))],
      trivial=True, core=False)  # fmt: skip
def like_of_lists(t, function):
    """Lists of Python and arrays of NumPy; an array keeps its dtype."""
    made = [t.call(function, one) for one in ([[1, 2], [3, 4]], t.np.arange(3.0))]
    got = [one.dtype.name for one in made]
    t.expect(got == ["int32", "float64"], "i32 and f64, got %s" % got)
    return made


@each(LIKE, lambda function: with_gradient(lambda np, x: x * x + _value(function)), dtypes="f32",
      core=False, grad=True)  # fmt: skip
def like_beside_gradient(t, dtype, function):
    """No gradient goes through it, and others are as they were."""

    def raised(x):
        return x * x + t.get(function)(x * x)

    return t.call(raised, t.randn((4, 3), dtype))


@case(ZEROS_LIKE, core=False, host_only=True, reference="none")
def zeros_like_strings(t):
    made = t.call(ZEROS_LIKE, t.fw.constant([["a", "bc"]]))
    t.expect(t.host(made).tolist() == [[b"", b""]], "empty strings, got %s" % made)


@case(ONES_LIKE, core=False, host_only=True, reference="none")
def ones_like_strings(t):
    t.refuses(ONES_LIKE, t.fw.constant(["a", "bc"]))


@each(
    LIKE,
    lambda function: lambda np, values: np.full(3, _value(function)),
    dtypes="f32",
    trivial=True,
    core=False,
)
def like_of_ragged(t, dtype, function):
    """The rows keep their lengths."""
    values = t.randn((3,), dtype)
    made = t.call(function, t.fw.RaggedTensor.from_row_lengths(values, [2, 0, 1]))
    t.expect(t.host(made.row_lengths()).tolist() == [2, 0, 1], "rows of 2, 0 and 1")
    return made.flat_values


@case(
    ZEROS_LIKE,
    dtypes="f32",
    core=False,
    reference=lambda np, x, *_: [np.zeros((3, 4)), np.zeros((3, 4)), x, x[0], x[0, 0]],
)
def zeros_like_of_other_arguments(t, dtype):
    """By keyword, rows with their places as a whole tensor, any number of axes with one trace."""
    x, tf = t.distinct((3, 4), dtype), t.fw
    rows = tf.IndexedSlices(
        t.const([[1, 2, 3, 4]], dtype), t.const([1], "i32"), tf.constant([3, 4])
    )
    same = t.get(ZEROS_LIKE)
    spec = tf.TensorSpec(None, x.dtype)
    traced = tf.function(lambda x: same(x) + x, input_signature=[spec], autograph=False)
    made = [t.call(ZEROS_LIKE, input=x, dtype=None, name="none"), t.call(ZEROS_LIKE, rows)]
    return made + [t.call(traced, one) for one in (x, x[0], x[0, 0])]


@case(ZEROS_LIKE, core=False, host_only=True, reference="none")
def zeros_like_to_and_from_texts(t):
    numbers, texts = t.fw.constant([1.0, 2.0]), t.fw.constant([["a"], ["b"]])
    t.expect(t.call(ZEROS_LIKE, numbers, t.fw.string).numpy().tolist() == [b"", b""], "two empty")
    made = t.call(ZEROS_LIKE, texts, "int32").numpy()
    t.expect(made.tolist() == [[0], [0]] and made.dtype == "int32", "zeros, got %s" % made)


# --- tf.compat.v1.constant


@case(CONSTANT, dtypes="f32", shapes="4x6 7", reference=right.drawn)
@case(CONSTANT, dtypes="bf16 i64 bool", shapes="4x6", reference=right.drawn)
@case(
    CONSTANT,
    dtypes="f16 f64 i8 i32 u8 c64 c128 f8e4m3fn",
    shapes="3x4",
    core=False,
    reference=right.drawn,
)
@case(
    CONSTANT, dtypes="f32 i32", shapes="scalar 2x0", trivial=True, core=False, reference=right.drawn
)
@case(
    CONSTANT, dtypes="f32", shapes="512x512", core=False, name="constant_big", reference=right.drawn
)
def constant(t, dtype, shape):
    """From nested lists."""
    data = t.host(t.randn(shape, dtype)).tolist()
    made = t.call(CONSTANT, data, t.dtype(dtype))
    t.expect(made.dtype == t.dtype(dtype), "the dtype asked for, got %s" % made.dtype)
    return made


@case(
    CONSTANT, dtypes="f32 i64", core=False, reference=lambda np, x: [x.reshape(6, 2), x.reshape(-1)]
)
def constant_reshaped(t, dtype):
    """The shape arranges the values."""
    data = t.host(t.randn((3, 4), dtype)).tolist()
    return [t.call(CONSTANT, data, t.dtype(dtype), shape) for shape in ([6, 2], [12])]


@case(
    CONSTANT,
    dtypes="f32 i32 bool",
    trivial=True,
    core=False,
    reference=lambda np: np.full((2, 3), 1),
)
def constant_filled(t, dtype):
    """One value fills the shape."""
    return t.call(CONSTANT, True if dtype == "bool" else 1, dtype=t.dtype(dtype), shape=[2, 3])


@case(CONSTANT, core=False, reference=lambda np: [np.array([1, 2]), np.array([1.5, 2]), np.array([True, False]),
      np.array([1j, 2]), np.array([0.1, 0.2]), np.array([3, 4])])  # fmt: skip
def constant_dtypes_of_python(t):
    """Python's numbers are i32, f32 and c128; NumPy's keep their dtype."""
    values = [1, 2], [1.5, 2], [True, False], [1j, 2], t.np.array([0.1, 0.2]), t.np.array([3, 4])
    made = [t.call(CONSTANT, one) for one in values]
    got = [one.dtype.name for one in made]
    want = ["int32", "float32", "bool", "complex128", "float64", "int64"]
    t.expect(got == want, "%s, got %s" % (want, got))
    return made


@case(CONSTANT, core=False, reference=lambda np, x: (x, np.signbit(x)), dtypes="f32 bf16 f64")
def constant_special_values(t, dtype):
    data = t.host(t.const([t.np.nan, -0.0, t.np.inf, 0.0, -t.np.inf, 2.5], dtype)).tolist()
    made = t.call(CONSTANT, data, t.dtype(dtype))
    return made, t.np.signbit(t.host(made))


@case(CONSTANT, host_only=True, core=False, reference="none")
def constant_strings(t):
    made = t.call(CONSTANT, ["a", "\u00fc", b"\x00"], shape=[3, 1])
    t.expect(t.host(made).tolist() == [[b"a"], [b"\xc3\xbc"], [b"\x00"]], "bytes, got %s" % made)


@case(CONSTANT, dtypes="f32 i32", core=False, reference=lambda np: np.array([[1, 2, 3], [3, 3, 3]]))
def constant_short_in_graph(t, dtype):
    """In a graph of TensorFlow 1 the last value fills what is left; it has the name asked for."""
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    with t.fw.Graph().as_default(), t.fw.device(t.device):

        def build_and_read():
            made = t.get(CONSTANT)([1, 2, 3], t.dtype(dtype), [2, 3], "kept")
            if not made.name.startswith("kept"):
                raise ValueError("the name is %s" % made.name)
            return session.run(made)

        with t.fw.compat.v1.Session() as session:
            return t.call(build_and_read)


@case(CONSTANT, host_only=True, core=False, reference="none")
def constant_refuses(t):
    """Too few values, lists of several lengths, another dtype, a shape that is asked to be that of the value."""
    t.refuses(CONSTANT, [1, 2, 3], shape=[2, 3])
    t.refuses(CONSTANT, [[1, 2], [3]])
    t.refuses(CONSTANT, 1.5, t.fw.int32)
    t.refuses(CONSTANT, [1, 2, 3], shape=[3, 1], verify_shape=True)
    t.refuses(CONSTANT, 7, shape=[2, 2], verify_shape=True)


# --- tf.compat.v1.to_float, tf.compat.v1.to_int32


def _cast(t, function, x):
    """The result, which has the dtype of the function's name."""
    made = t.call(function, x)
    want = t.fw.float32 if function == TO_FLOAT else t.fw.int32
    t.expect(made.dtype == want, "%s, got %s" % (want.name, made.dtype.name))
    return made


def _rounded(np, x):
    return x.astype(np.float32)


def _truncated(np, x):
    return np.trunc(x).astype(np.int64)


_CASTS = {TO_FLOAT: _rounded, TO_INT32: _truncated}
_BOTH = TO_FLOAT + " " + TO_INT32


@each(_BOTH, _CASTS.get, dtypes="f32 bf16 i64 bool", shapes="5x7")
@each(_BOTH, _CASTS.get, dtypes="f16 f64 i8 i16 i32 u8 u16", shapes="5x7", core=False)
@each(_BOTH, _CASTS.get, dtypes="f64 i32", shapes="0x3 scalar", trivial=True, core=False)
@each(_BOTH, _CASTS.get, dtypes="i64 f64", shapes="1024x2048", large=True, name="to_many")
def to_dtype(t, dtype, shape, function):
    if dtype == "bool" or dtype[0] == "u":
        return _cast(t, function, t.randint(shape, dtype, 0, 2 if dtype == "bool" else 100))
    return _cast(t, function, t.uniform(shape, dtype, -100, 100))


@case(
    TO_FLOAT,
    dtypes="f64 bf16",
    grad=True,
    core="bf16",
    reference=with_gradient(lambda np, x: x * 1.0),
)
@case(TO_FLOAT, dtypes="f32", grad=True, reference=with_gradient(lambda np, x: x * 1.0))
def to_float_gradient(t, dtype):
    """The gradient comes back in the input's dtype."""
    return t.call(TO_FLOAT, t.randint((4, 5), dtype, -9, 10, grad=True))


@case(
    TO_INT32,
    dtypes="f32 bf16 f64",
    core="f32",
    reference=lambda np, x: np.array([2, -2, 0, 0, 100, -7, 1]),
)
def to_int32_towards_zero(t, dtype):
    return _cast(t, TO_INT32, t.const([2.75, -2.75, 0.5, -0.5, 100.5, -7.0, 1.5], dtype))


@case(TO_INT32, dtypes="f64 i64", core=False, reference=lambda np, x: x.astype(np.int64))
def to_int32_far(t, dtype):
    """Whole numbers of more digits than f32 has."""
    return _cast(t, TO_INT32, t.const([2147483647, -2147483648, 16777217, -123456789], dtype))


@case(TO_FLOAT, dtypes="i32 i64", core=False, rtol={"f32": 0.0}, atol={"f32": 0.0},
      reference=lambda np, x: x.astype(np.float32))  # fmt: skip
def to_float_of_far_integers(t, dtype):
    """To the nearest, ties to even: exact, so no tolerance."""
    return _cast(
        t, TO_FLOAT, t.const([16777217, 16777219, -16777217, 123456789, 2147483647], dtype)
    )


@case(TO_FLOAT, dtypes="f64 bf16 f16", core=False, reference=lambda np, x: (x, np.signbit(x)))
def to_float_special_values(t, dtype):
    made = _cast(t, TO_FLOAT, t.const([t.np.nan, -0.0, t.np.inf, 0.0, -t.np.inf, 2.5], dtype))
    return made, t.np.signbit(t.host(made))


@case(TO_FLOAT, core=False, reference=lambda np, x: np.array([np.inf, -np.inf, 0, 0.5]))
def to_float_out_of_range(t):
    """What f32 cannot hold is infinite, or zero."""
    return _cast(t, TO_FLOAT, t.const([1e300, -1e300, 1e-300, 0.5], "f64"))


@each(_BOTH, lambda function: lambda np, x: np.trunc(x.real) if function == TO_INT32 else x.real,
      dtypes="c64 c128", core=False)  # fmt: skip
def to_dtype_of_complex(t, dtype, function):
    """The real part."""
    return _cast(t, function, t.uniform((9,), dtype, -50, 50))


@each(_BOTH, lambda function: lambda np, values: values, dtypes="i64", core=False)
def to_dtype_of_sparse(t, dtype, function):
    """The values of a sparse tensor; its places and its shape stay."""
    values = t.const([-7, 9], dtype)
    places = t.fw.constant([[0, 1], [2, 0]], t.fw.int64)
    made = t.call(function, t.fw.SparseTensor(places, values, [3, 2]))
    t.expect(t.host(made.indices).tolist() == [[0, 1], [2, 0]], "the places of before")
    t.expect(t.host(made.dense_shape).tolist() == [3, 2], "the shape of before")
    want = t.fw.float32 if function == TO_FLOAT else t.fw.int32
    t.expect(made.dtype == want, "%s, got %s" % (want.name, made.dtype.name))
    return made.values


@each(_BOTH, lambda function: lambda np: [np.array([1, 0]), np.array(3)], core=False)
def to_dtype_of_python(t, function):
    """Lists and numbers of Python."""
    return [_cast(t, function, one) for one in ([True, False], 3)]


@each(
    _BOTH,
    lambda function: lambda np, *xs: [_CASTS[function](np, x) for x in xs],
    dtypes="f64",
    core=False,
)
def to_dtype_three_sizes(t, dtype, function):
    return [_cast(t, function, t.uniform((n, 2), dtype, -100, 100)) for n in (3, 5, 8)]
