"""tf.one_hot: an index becomes a row to multiply by."""

from seamark_suites.case import case

from . import reference_picking as right
from .reference import with_gradient

HOT = "tf.one_hot"


@case(HOT, dtypes="f32 bf16 i64", depth=[5], axis=[-1], reference=lambda np, i, depth, axis: (
      right.hot(np, i, depth, axis=axis)))  # fmt: skip
@case(HOT, dtypes="f32", depth=[3, 7], axis=[0, 1], core=False, reference=lambda np, i, depth, axis: (
      right.hot(np, i, depth, axis=axis)))  # fmt: skip
@case(HOT, dtypes="f16 f64 i8 u8 i32 c64", depth=[5], axis=[-1], core=False,
      reference=lambda np, i, depth, axis: right.hot(np, i, depth, axis=axis))  # fmt: skip
def one_hot(t, dtype, depth, axis):
    """With a depth of 3 some indices are no place."""
    made = t.call(HOT, t.randint((6, 4), "i32", 0, 5), depth, axis=axis, dtype=t.dtype(dtype))
    t.expect(made.dtype == t.dtype(dtype), "the dtype asked for, got %s" % made.dtype)
    return made


@case(HOT, dtypes="i32 i64 u8 i8", core="i64 i32", reference=lambda np, i: right.hot(np, i, 6))
def one_hot_index_dtypes(t, dtype):
    """Without a dtype the result is f32."""
    made = t.call(HOT, t.randint((9,), dtype, 0, 6), 6)
    t.expect(made.dtype == t.fw.float32, "f32, got %s" % made.dtype)
    return made


@case(HOT, dtypes="i32 i64", core=False, reference=lambda np, i: right.hot(np, i, 3))
def one_hot_no_place(t, dtype):
    """-1 and the depth have no hot one."""
    return t.call(HOT, t.const([[0, 2], [-1, 3], [1, -5]], dtype), 3)


@case(HOT, dtypes="f32 bf16 i64 bool", core="f32 bool", reference=lambda np, i, on, off: (
      right.hot(np, i, 4, on, off)))  # fmt: skip
def one_hot_on_and_off(t, dtype):
    """Smoothed labels; the values' dtype is the result's."""
    i = t.const([3, 0, -1, 2, 1], "i32")
    on, off = (True, False) if dtype == "bool" else (7, -3) if dtype == "i64" else (0.75, 0.0625)
    on, off = t.const(on, dtype), t.const(off, dtype)
    made = t.call(HOT, i, 4, on_value=on, off_value=off)
    t.expect(made.dtype == t.dtype(dtype), "the dtype of the values, got %s" % made.dtype)
    return made


@case(HOT, core=False, reference=lambda np, i: [
      right.hot(np, i, 4, 5.5, 0), right.hot(np, i, 4, 1, -1), right.hot(np, i, 4, 0, 1)])  # fmt: skip
def one_hot_values_of_python(t):
    """One of the two, with the dtype that it has or that is asked for."""
    i = t.const([[3, 0], [1, 1]], "i32")
    made = [
        t.call(HOT, i, 4, on_value=5.5),
        t.call(HOT, i, 4, off_value=-1, dtype=t.fw.int64),
        t.call(HOT, i, 4, on_value=False, off_value=True),
    ]
    got = [one.dtype.name for one in made]
    t.expect(got == ["float32", "int64", "bool"], "the dtypes of the values, got %s" % got)
    return made


@case(HOT, dtypes="i32", core=False, reference=lambda np, i, j, *_: [
      np.eye(5)[i], np.zeros((0, 5)), np.zeros((2, 3, 0)), np.zeros((5, 0))])  # fmt: skip
def one_hot_odd_indices(t, dtype):
    """A scalar, no index, a depth of none, no index along the first axis."""
    i, none, some = t.const(3, dtype), t.const(t.np.zeros(0), dtype), t.randint((2, 3), dtype, 0, 5)
    return [
        t.call(HOT, i, 5),
        t.call(HOT, none, 5),
        t.call(HOT, some, 0),
        t.call(HOT, none, 5, axis=0),
    ]


@case(HOT, dtypes="i32", core=False, reference=lambda np, *xs: [
      right.hot(np, i, n) for i, n in zip(xs, (3, 5, 8))])  # fmt: skip
def one_hot_three_sizes(t, dtype):
    return [t.call(HOT, t.randint((n, 2), dtype, 0, n), n) for n in (3, 5, 8)]


@case(HOT, dtypes="i32", core=False, reference=lambda np, *xs: [right.hot(np, i, 5) for i in xs])
def one_hot_unknown_size(t, dtype):
    """Traced once for every number of indices."""
    spec = t.fw.TensorSpec([None], t.dtype(dtype))
    traced = t.fw.function(lambda i: t.get(HOT)(i, 5), input_signature=[spec], autograph=False)
    return [t.call(traced, t.randint((n,), dtype, 0, 5)) for n in (3, 5, 8)]


@case(HOT, dtypes="i32", core=False, reference=lambda np, i, depth: right.hot(np, i, depth))
def one_hot_depth_tensor(t, dtype):
    """A depth that is data decides the shape."""
    return t.call(HOT, t.const([0, 3, 2], dtype), t.const(4, "i32"))


@case(HOT, dtypes="f32", core=False, rtol={"f32": 1e-5}, atol={"f32": 1e-5},
      reference=with_gradient(lambda np, x, i: (x + right.hot(np, i, 4) * x).sum(-1)), grad=True)  # fmt: skip
def one_hot_picks(t, dtype):
    """Multiplied by numbers it picks one of each row; their gradient is that row."""

    def picked(x, indices):
        return t.fw.reduce_sum(t.get(HOT)(indices, 4, dtype=x.dtype) * x + x, axis=-1)

    return t.call(picked, t.randn((5, 4), dtype), t.const([0, 3, 3, 1, -1], "i32"))


@case(HOT, core=False, reference="none")
def one_hot_refuses(t):
    """A negative depth, fractions, values of two dtypes, a value of another dtype, an axis that is not there."""
    i = t.const([0, 2], "i32")
    t.refuses(HOT, i, -1)
    t.refuses(HOT, t.const([0.0, 1.0], "f32"), 3)
    t.refuses(HOT, i, 3, on_value=1, off_value=0.5)
    t.refuses(HOT, i, 3, on_value=2.0, dtype=t.fw.int32)
    t.refuses(HOT, i, 3, axis=2)


@case(HOT, dtypes="f32", large=True, reference=lambda np, i: right.hot(np, i, 1000))
def one_hot_many(t, dtype):
    return t.call(HOT, t.randint((8192,), "i32", 0, 1000), 1000, dtype=t.dtype(dtype))


# --- what a reading found missing


@case(
    HOT,
    dtypes="i32 i64",
    core=False,
    axis=[0, 1, 2, 3, -1],
    reference=lambda np, i, *_, axis: right.hot(np, i, 4, 3, -2, axis),
)
def one_hot_along_each_axis(t, dtype, axis):
    """Of indices with three axes, some of which are no place."""
    i, on, off = t.randint((2, 5, 3), dtype, -1, 6), t.const(3, dtype), t.const(-2, dtype)
    return t.call(HOT, i, 4, on_value=on, off_value=off, axis=axis)


@case(
    HOT,
    dtypes="f32",
    core=False,
    reference=lambda np, i: [right.hot(np, i, 3), np.array([0, 2, 2, 3])],
)
def one_hot_of_ragged_rows(t, dtype):
    """The rows keep their lengths."""

    def rows(i):
        made = t.get(HOT)(t.fw.RaggedTensor.from_row_lengths(i, [2, 0, 1]), 3, dtype=t.dtype(dtype))
        return [made.flat_values, made.row_splits]

    return t.call(rows, t.const([1, 0, 2], "i32"))


@case(
    HOT,
    core=False,
    reference=lambda np, i: [right.hot(np, i, 3)] * 3 + [right.hot(np, i, 3, 1j, 0)],
)
def one_hot_of_named_dtypes(t):
    """A dtype by its name or its place, an index far beyond 32 bits, complex values."""
    i = t.const([[2, 0], [2**40 + 1, 1]], "i64")
    made = [
        t.call(HOT, i, 3, dtype="float64"),
        t.call(HOT, i, 3, None, None, -1, t.fw.float32),
        t.call(HOT, i, depth=3, on_value=1.0, off_value=0.0),
        t.call(HOT, i, 3, on_value=1j, off_value=0j),
    ]
    got = [one.dtype.name for one in made]
    t.expect(got == ["float64", "float32", "float32", "complex128"], "the dtypes, got %s" % got)
    return made


@case(HOT, core=False, reference="none")
def one_hot_refuses_more(t):
    """Depths in a list, an axis before the last, text beside numbers."""
    i = t.const([[0, 2]], "i32")
    t.refuses(HOT, i, [3])
    t.refuses(HOT, i, 3, axis=-2)
    t.refuses(HOT, i, 3, on_value="a", off_value=1)
    t.refuses(HOT, i, 3, dtype=t.fw.string)


@case(HOT, dtypes="i32 i64 u8", core=False, reference=lambda np, i: [
      right.hot(np, i, 2), right.hot(np, i, 2, 1, 0, 0)])  # fmt: skip
def one_hot_of_long_rows(t, dtype):
    """More indices than 16 bits count, along either axis."""
    i = t.randint((65551,), dtype, 0, 2)
    return [t.call(HOT, i, 2), t.call(HOT, i, 2, axis=0)]


@case(HOT, core=False, reference=lambda np, i, j: [
      right.hot(np, i, n, axis=axis) for n, axis in ((10, 0), (256, 0), (255, -1))] + [right.hot(np, j, 127)])  # fmt: skip
def one_hot_of_all_bytes(t):
    """256 indices are more than a byte counts; 255 and -1 are no place unless the depth reaches them."""
    i, j = t.const(t.np.arange(256), "u8"), t.const([-1, 0, 126, 127, -128], "i8")
    made = [t.call(HOT, i, n, axis=axis) for n, axis in ((10, 0), (256, 0), (255, -1))]
    return [*made, t.call(HOT, j, 127)]


@case(HOT, dtypes="f32 f16 f64 i64 u8 c64 bool", core=False, reference=lambda np, i, on, off: [
      right.hot(np, i, 3, on, off), right.hot(np, i, 3, on, off, 0), right.hot(np, i, 3, on, 0), right.hot(np, i, 3, 1, off)])  # fmt: skip
def one_hot_values_and_dtype(t, dtype):
    """Both values beside the dtype that they have; one is a number of Python, either way round."""
    i = t.const([[0, 2], [1, -1]], "i32")
    on, off = (True, False) if dtype == "bool" else (5, 2)
    on, off, kind = t.const(on, dtype), t.const(off, dtype), t.dtype(dtype)
    zero, one = (False, True) if dtype == "bool" else (0, 1)
    made = [
        t.call(HOT, i, 3, on_value=on, off_value=off, dtype=kind),
        t.call(HOT, i, 3, on, off, 0, kind),
        t.call(HOT, i, 3, on_value=on, off_value=zero, dtype=kind),
        t.call(HOT, i, 3, on_value=one, off_value=off, dtype=kind),
    ]
    t.expect(all(each.dtype == kind for each in made), "the dtype asked for")
    return made


@case(HOT, core=False, reference=lambda np, i, *_: [
      right.hot(np, i, 4, *values) for values in ((1, 0), (1, 0), (1, 0), (1, -2), (5, 0))])  # fmt: skip
def one_hot_of_one_value(t):
    """One of the two alone tells the dtype, whether a number of Python or a tensor; the other is 1 or 0 of it."""
    i = t.const([0, 2, -1, 1], "i32")
    low, high = t.const(-2, "i64"), t.const(5, "f64")
    given = {"on_value": 1}, {"off_value": 0}, {"off_value": 0.0}, {"off_value": low}, {"on_value": high}  # fmt: skip
    made = [t.call(HOT, i, 4, **one) for one in given]
    got = [one.dtype.name for one in made]
    t.expect(got == ["int32", "int32", "float32", "int64", "float64"], "the value's, got %s" % got)
    return made
