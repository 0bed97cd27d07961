"""tf.stack: tensors of one shape along a new axis; and more of what takes tensors apart: tf.split, tf.unstack, tf.slice."""

from seamark_suites.case import case

from . import reference_picking as right
from .reference import with_gradient

STACK, SPLIT, UNSTACK, SLICE = "tf.stack", "tf.split", "tf.unstack", "tf.slice"


@case(STACK, dtypes="f32 bf16", axis=[0], grad=True, name="stack_gradient",
      reference=with_gradient(right.stacked))  # fmt: skip
@case(STACK, dtypes="f32", axis=[1, -1], grad=True, core=False, name="stack_gradient",
      reference=with_gradient(right.stacked))  # fmt: skip
@case(STACK, dtypes="f16 f64 c64", axis=[0], grad=True, core=False, name="stack_gradient",
      reference=with_gradient(right.stacked))  # fmt: skip
@case(STACK, dtypes="bf16 i64 bool", axis=[0], reference=right.stacked)
@case(STACK, dtypes="f16 f64 i8 i16 i32 u8 c64 c128 f8e4m3fn f8e5m2", axis=[1], core=False,
      reference=right.stacked)  # fmt: skip
@case(STACK, dtypes="f32", axis=[-2], core=False, reference=right.stacked)
@case(STACK, dtypes="f32", axis=[0, 1, 2], reference=right.stacked)
def stack(t, dtype, axis):
    parts = [t.randn((4, 3), dtype) for _ in range(3)]
    return t.call(STACK, parts, axis=axis)


@case(STACK, dtypes="f32 i32 i64", core="f32 i64", reference=lambda np, *parts: np.stack(parts))
def stack_scalars(t, dtype):
    """Numbers become a vector, as a shape is put together."""
    return t.call(STACK, [t.randint((), dtype, 9 * n - 12, 9 * n - 3) for n in range(4)])


@case(
    STACK,
    dtypes="f32 i64",
    core=False,
    reference=lambda np, x: [np.array([2, x, 5]), np.stack([x, x])],
)
def stack_with_numbers(t, dtype):
    """Numbers of Python take the dtype of the tensors beside them; a tuple is as good as a list."""
    x = t.const(7, dtype)
    made = [t.call(STACK, [2, x, 5]), t.call(STACK, (x, x))]
    t.expect(made[0].dtype == t.dtype(dtype), "the tensor's dtype, got %s" % made[0].dtype)
    return made


@case(
    STACK, core=False, reference=lambda np: [np.array([[1, 2], [3, 4]]), np.array([[1, 3], [2, 4]])]
)
def stack_of_lists(t):
    """Lists of Python, with no tensor among them."""
    return [t.call(STACK, [[1, 2], [3, 4]]), t.call(STACK, [[1, 2], [3, 4]], axis=1)]


@case(STACK, dtypes="f32", core=False, reference=lambda np, x, y: np.stack([x, y, x]))
@case(STACK, dtypes="f32", core=False, grad=True, name="stack_same_gradient",
      reference=with_gradient(lambda np, x, y: np.stack([x, y, x])))  # fmt: skip
def stack_same(t, dtype):
    """A tensor that stands twice in the list has the gradients of both places."""

    def twice(x, y):
        return t.get(STACK)([x, y, x])

    return t.call(twice, t.randn((3, 2), dtype), t.randn((3, 2), dtype))


@case(
    STACK,
    dtypes="f32",
    core=False,
    reference=lambda np, x, y, z: [x[None], x[:, None], np.stack([y, y]), z[:, None]],
)
def stack_odd_input(t, dtype):
    """One tensor alone, tensors of nothing, one axis of none."""
    x, y, z = t.randn((5,), dtype), t.randn((0, 3), dtype), t.randn((2, 0), dtype)
    return [
        t.call(STACK, [x]),
        t.call(STACK, [x], axis=1),
        t.call(STACK, [y, y]),
        t.call(STACK, [z], axis=1),
    ]


@case(STACK, dtypes="f32 bf16", core=False, reference=lambda np, x: (
      np.stack([x, x[::-1]], 1), np.signbit(np.stack([x, x[::-1]], 1))))  # fmt: skip
def stack_special_values(t, dtype):
    row = [t.np.nan, -0.0, t.np.inf, 0.0, -t.np.inf]
    x = t.const(row, dtype)
    made = t.call(STACK, [x, t.fw.reverse(x, [0])], axis=1)
    return made, t.np.signbit(t.host(made))


@case(STACK, dtypes="f32", core=False, reference=lambda np, *xs: [
      np.stack([x, y], 1) for x, y in zip(xs[::2], xs[1::2])])  # fmt: skip
def stack_three_sizes(t, dtype):
    return [
        t.call(STACK, [t.randn((n, 2), dtype), t.randn((n, 2), dtype)], axis=1) for n in (3, 5, 8)
    ]


@case(STACK, dtypes="f32", core=False, reference=lambda np, *xs: [
      np.stack([x, y], 1) for x, y in zip(xs[::2], xs[1::2])])  # fmt: skip
def stack_unknown_size(t, dtype):
    """Traced once for every size."""
    spec = t.fw.TensorSpec([None, 2], t.dtype(dtype))
    traced = t.fw.function(
        lambda x, y: t.get(STACK)([x, y], axis=1), input_signature=[spec, spec], autograph=False
    )
    return [t.call(traced, t.randn((n, 2), dtype), t.randn((n, 2), dtype)) for n in (3, 5, 8)]


@case(STACK, dtypes="f32", core=False, reference=lambda np, x, y: np.stack([x, y], -1)[..., 1])
def stack_and_unstack(t, dtype):
    """What is stacked comes apart again."""

    def second(x, y):
        return t.fw.unstack(t.get(STACK)([x, y], axis=-1), axis=-1)[1]

    return t.call(second, t.randn((4, 3), dtype), t.randn((4, 3), dtype))


@case(STACK, dtypes="f32", core=False, reference=lambda np, x, y: 36 * (x + y) ** 3)
def stack_gradient_penalty(t, dtype):
    """Of the first tensor, through sums with the second. Whole numbers, which f32 adds exactly."""

    def slope_of_penalty(x, y):
        with t.fw.GradientTape() as outer:
            outer.watch(x)
            with t.fw.GradientTape() as inner:
                inner.watch(x)
                total = t.fw.reduce_sum(t.fw.reduce_sum(t.get(STACK)([x, y]), axis=0) ** 3)
            penalty = t.fw.reduce_sum(inner.gradient(total, x) ** 2)
        return outer.gradient(penalty, x)

    return t.call(
        slope_of_penalty, t.randint((4, 3), dtype, -3, 4), t.randint((4, 3), dtype, -3, 4)
    )


@case(STACK, core=False, reference="none")
def stack_refuses(t):
    """Shapes that differ, dtypes that differ, an axis that is not there."""
    x = t.randn((2, 3), "f32")
    t.refuses(STACK, [x, t.randn((3, 2), "f32")])
    t.refuses(STACK, [x, t.randint((2, 3), "i32", 0, 5)])
    t.refuses(STACK, [x, x], axis=3)
    t.refuses(STACK, [x, x], axis=-4)


@case(STACK, host_only=True, core=False, reference="none")
def stack_strings(t):
    made = t.call(STACK, [t.fw.constant(["a", "b"]), t.fw.constant(["c", "d"])], axis=1)
    t.expect(t.host(made).tolist() == [[b"a", b"c"], [b"b", b"d"]], "columns, got %s" % made)


@case(STACK, dtypes="f32", axis=[0, -1], large=True, reference=right.stacked)
def stack_many(t, dtype, axis):
    return t.call(STACK, [t.randn((1024, 1024), dtype) for _ in range(4)], axis=axis)


# --- what a reading found missing: of stack


@case(STACK, dtypes="f32 i32", core=False, reference=lambda np, x: [
      np.concatenate([x, 2 * x]), np.array([0, 3, 6]), np.array([0, 2, 2, 3, 5, 5, 6])])  # fmt: skip
def stack_ragged_rows(t, dtype):
    """Two of three rows each, which keep their lengths."""

    def stacked(x):
        rows = [t.fw.RaggedTensor.from_row_lengths(one, [2, 0, 1]) for one in (x, 2 * x)]
        made = t.get(STACK)(rows)
        return [made.flat_values, *made.nested_row_splits]

    return t.call(stacked, t.randint((3,), dtype, 1, 9))


@case(STACK, dtypes="f32", core=False, reference=lambda np, x, y: [
      np.stack([x, y]), np.array([[x[0], 2], [3, y[1]]]), np.stack([x, np.arange(2)], 1), np.zeros(0)])  # fmt: skip
def stack_named_otherwise(t, dtype):
    """Variables, tensors and numbers in lists of lists, an array of NumPy beside a tensor, nothing."""
    x, y = t.randn((2,), dtype), t.randn((2,), dtype)
    held = [t.fw.Variable(one) for one in (x, y)]
    return [
        t.call(STACK, held),
        t.call(STACK, [[x[0], 2], [3, y[1]]]),
        t.call(STACK, [x, t.np.arange(2)], axis=1),
        t.call(STACK, []),
    ]


@case(STACK, core=False, reference="none")
def stack_refuses_more(t):
    """Other numbers of axes, truths beside numbers, sparse tensors."""
    x = t.randn((2, 3), "f32")
    t.refuses(STACK, [x, x[0]])
    t.refuses(STACK, [x, t.randn((2, 3), "bool")])
    t.refuses(STACK, [t.fw.sparse.from_dense(x)] * 2)


# --- and of what takes apart


@case(SPLIT, dtypes="f32 i64", core=False, reference=lambda np, x, *_: [
      *np.split(x, 2, 1), *np.split(x, [1, 3], 1), *np.split(x, [3, 4], 1), *np.split(x, [0, 4], 1), *np.split(x, 4, 1)])  # fmt: skip
def split_named_otherwise(t, dtype):
    """The axis by a tensor; sizes in a tensor of i64, in a list with tensors, with none among them; a number that is said."""
    x, two = t.randn((2, 4), dtype), t.const(2, "i32")
    return [
        *t.call(SPLIT, x, 2, t.const(1, "i32")),
        *t.call(SPLIT, x, t.const([1, 2, 1], "i64"), 1),
        *t.call(SPLIT, x, [3, two - 1, 0], axis=1),
        *t.call(SPLIT, x, (0, 4, 0), -1),
        *t.call(SPLIT, x, 4, axis=1, num=None),
    ]


@case(
    SPLIT,
    dtypes="f32",
    core=False,
    grad=True,
    reference=with_gradient(lambda np, x: np.split(x, 40, 1)),
)
def split_in_forty(t, dtype):
    """As many steps of a sequence."""
    return t.call(SPLIT, t.randn((2, 80), dtype), 40, 1)


@case(SPLIT, dtypes="f32", core=False, reference=lambda np, x: [
      x[:3], np.array([0, 1, 3]), x[3:], np.array([0, 1, 1]), x[:1], np.array([0, 1])])  # fmt: skip
def split_ragged_rows(t, dtype):
    """Rows keep their lengths, in parts of one number and of sizes."""

    def parts(x):
        rows, f = t.fw.RaggedTensor.from_row_lengths(x, [1, 2, 1, 0]), t.get(SPLIT)
        found = [*f(rows, 2), f(rows, [1, 3])[0]]
        return [part for one in found for part in (one.flat_values, one.row_splits)]

    return t.call(parts, t.randn((4,), dtype))


@case(SPLIT, core=False, reference="none")
def split_refuses_more(t):
    """A number in a tensor, another number than is said, a size below -1, an axis from before the first, a scalar."""
    x = t.randn((6, 4), "f32")
    t.refuses(SPLIT, x, t.const(2, "i32"))
    t.refuses(SPLIT, x, [2, 4], num=3)
    t.refuses(SPLIT, x, [8, -2])
    t.refuses(SPLIT, x, 2, -3)
    t.refuses(SPLIT, x[0, 0], 1)


@case(
    UNSTACK,
    dtypes="f32",
    core=False,
    grad=True,
    reference=with_gradient(lambda np, x: [x[..., i] for i in range(40)]),
)
def unstack_forty(t, dtype):
    """From the last axis, named from the end."""
    return t.call(UNSTACK, t.randn((2, 3, 40), dtype), axis=-1)


@case(UNSTACK, core=False, reference="none")
def unstack_refuses_more(t):
    """An axis from before the first, ragged rows, sparse tensors."""
    x = t.randn((2, 3), "f32")
    t.refuses(UNSTACK, x, axis=-3)
    t.refuses(UNSTACK, t.fw.ragged.constant([[1], [2, 3]]))
    t.refuses(UNSTACK, t.fw.sparse.from_dense([[1, 0], [0, 2]]))


@case(
    SLICE,
    dtypes="f32 i64",
    core=False,
    reference=lambda np, x, *_: [x[1:3, 2:], x[:0, 1:2], x[1, 2], x[2:, :3]],
)
def slice_named_otherwise(t, dtype):
    """Tensors among the numbers; a size of none; a number has no places; arrays of NumPy."""
    x, one = t.randn((4, 5), dtype), t.const(1, "i32")
    none = t.const(t.np.zeros(0), "i32")
    return [
        t.call(SLICE, x, [one, 2], [one + 1, -1]),
        t.call(SLICE, x, [0, one], [0, 1]),
        t.call(SLICE, x[1, 2], none, none),
        t.call(SLICE, x, t.np.array([2, 0]), t.np.array([-1, 3])),
    ]


@case(SLICE, core=False, reference="none")
def slice_refuses_more(t):
    """Beginnings of one kind and sizes of another, fractions, numbers alone, too many places."""
    x = t.randn((4, 3), "f32")
    t.refuses(SLICE, x, t.const([0, 1], "i32"), t.const([1, 1], "i64"))
    t.refuses(SLICE, x, [0.0, 1.0], [1.0, 1.0])
    t.refuses(SLICE, x, 0, 1)
    t.refuses(SLICE, x, [0, 0, 0], [1, 1, 1])


# --- arrays, and empty ones


@case(STACK, core=False, reference=lambda np: [
      np.arange(6.0).reshape(2, 3), np.arange(12).reshape(2, 3, 2), np.arange(6.0).reshape(2, 3).T, np.arange(12).reshape(2, 3, 2).swapaxes(0, 1)])  # fmt: skip
def stack_of_an_array(t):
    """An array of NumPy in place of the list is as the list of its rows; these along the other axis."""
    arrays = t.np.arange(6.0).reshape(2, 3), t.np.arange(12).reshape(2, 3, 2)
    made = [t.call(STACK, x) for x in arrays] + [t.call(STACK, list(x), axis=1) for x in arrays]
    got = [one.dtype.name for one in made]
    t.expect(got == ["float64", "int64"] * 2, "the dtypes of the arrays, got %s" % got)
    return made


@case(STACK, core=False, reference="none")
def stack_refuses_empty_beside_full(t):
    """No row beside one, either way round; an axis of none beside three."""
    none, one = t.randn((0, 3), "f32"), t.randn((1, 3), "f32")
    t.refuses(STACK, [none, one])
    t.refuses(STACK, [one, none], axis=1)
    t.refuses(STACK, [one, t.randn((1, 0), "f32")])


@case(UNSTACK, core=False, reference=lambda np: [
      *np.arange(6).reshape(2, 3), *np.arange(6).reshape(2, 3).T, np.array([1, 2]), np.array([3, 4])])  # fmt: skip
def unstack_of_an_array(t):
    """An array of NumPy, along either axis, and lists of Python."""
    x = t.np.arange(6).reshape(2, 3)
    return [*t.call(UNSTACK, x), *t.call(UNSTACK, x, axis=1), *t.call(UNSTACK, [[1, 2], [3, 4]])]


@case("tf.concat", core=False, reference=lambda np, x: [
      np.arange(6.0).reshape(2, 3), np.concatenate([x, np.ones((2, 1))], 1), np.array([[1, 2, 3, 4]])])  # fmt: skip
def concat_of_arrays(t):
    """An array of NumPy alone, which stays as it is, one beside a tensor, lists of Python."""
    x, join = t.randn((2, 3), "f32"), "tf.concat"
    return [
        t.call(join, t.np.arange(6.0).reshape(2, 3), 0),
        t.call(join, [x, t.np.ones((2, 1), "float32")], 1),
        t.call(join, [[[1, 2]], [[3, 4]]], axis=-1),
    ]
