"""tf.stack: tensors of one shape along a new axis."""

from seamark_suites.case import case

from . import reference_picking as right
from .reference import with_gradient

STACK = "tf.stack"


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
