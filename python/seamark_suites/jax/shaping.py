"""Functions that move, choose, split and join elements."""

from seamark_suites.case import case


@case(
    "jax.numpy.reshape",
    dtypes="f32 bf16 i32 bool c64 f64",
    to=[(4, 15), (-1,), (3, 2, 10)],
    core="f32 bf16 i32",
    reference=lambda np, x, to: x.reshape(to),
)
def reshape(t, dtype, to):
    return t.call("jax.numpy.reshape", t.randn((6, 10), dtype), to)


@case(
    "jax.numpy.reshape",
    dtypes="f32 i32",
    core="f32",
    reference=lambda np, x: x.reshape((10, 6), order="F"),
)
def column_by_column(t, dtype):
    return t.call("jax.numpy.reshape", t.randn((6, 10), dtype), (10, 6), order="F")


@case("jax.numpy.reshape", dtypes="f32 f64", grad=True, core="f32")
def reshape_gradient(t, dtype):
    return t.call("jax.numpy.reshape", t.randn((6, 4), dtype), (3, 8))


@case("jax.numpy.reshape", dtypes="f32", trivial=True, reference=lambda np, x: x.reshape(0, 7))
def reshape_nothing(t, dtype):
    return t.call("jax.numpy.reshape", t.randn((3, 0), dtype), (0, 7))


@case("jax.numpy.reshape", reference="none", core=False)
def sizes_that_differ(t):
    t.raises(TypeError, t.call, "jax.numpy.reshape", t.randn((6, 4), "f32"), (5, 5))


@case(
    "jax.numpy.flip",
    dtypes="f32 bf16 i32 bool c64 f64",
    axis=[None, 0, (0, 2)],
    core="f32 bf16 i32",
    reference=lambda np, x, axis: np.flip(x, axis),
)
def flip(t, dtype, axis):
    return t.call("jax.numpy.flip", t.randn((3, 4, 5), dtype), axis=axis)


@case("jax.numpy.flip", dtypes="f32 f64", grad=True, core="f32")
def flip_gradient(t, dtype):
    return t.call("jax.numpy.flip", t.randn((3, 4), dtype), axis=1)


@case(
    "jax.numpy.fliplr",
    dtypes="f32 bf16 i32 bool c64 f64",
    shapes="6x7 2x3x4",
    core="f32 bf16 i32",
    reference="numpy",
)
def fliplr(t, dtype, shape):
    return t.call("jax.numpy.fliplr", t.randn(shape, dtype))


@case("jax.numpy.fliplr", dtypes="f32 f64", grad=True, core="f32")
def fliplr_gradient(t, dtype):
    return t.call("jax.numpy.fliplr", t.randn((3, 4), dtype))


@case("jax.numpy.fliplr", reference="none", core=False)
def fliplr_of_a_vector(t):
    t.raises(ValueError, t.call, "jax.numpy.fliplr", t.randn((4,), "f32"))


@case(
    "jax.numpy.stack",
    dtypes="f32 bf16 i32 bool c64 f64",
    axis=[0, 1, -1],
    core="f32 bf16 i32",
    reference=lambda np, x, y, z, axis: np.stack([x, y, z], axis),
)
def stack(t, dtype, axis):
    return t.call("jax.numpy.stack", [t.randn((4, 5), dtype) for _ in range(3)], axis=axis)


@case("jax.numpy.stack", core=True, reference=lambda np, x, y: np.stack([x, y]))
def types_promote(t):
    return t.call("jax.numpy.stack", [t.randn((4,), "i32"), t.randn((4,), "f32")])


@case("jax.numpy.stack", dtypes="f32 f64", grad=True, core="f32")
def stack_gradient(t, dtype):
    return t.call("jax.numpy.stack", [t.randn((4, 2), dtype), t.randn((4, 2), dtype)], axis=1)


@case("jax.numpy.stack", reference="none", core=False)
def stack_of_unequal(t):
    t.raises(ValueError, t.call, "jax.numpy.stack", [t.randn((4,), "f32"), t.randn((5,), "f32")])
    t.raises(ValueError, t.call, "jax.numpy.stack", [])


@case(
    "jax.numpy.split",
    dtypes="f32 bf16 i32 bool f64",
    parts=[3, [2, 5]],
    axis=[0, 1],
    core="f32 bf16 i32",
    reference=lambda np, x, parts, axis: np.split(
        x, list(parts) if isinstance(parts, list) else parts, axis
    ),
)
def split(t, dtype, parts, axis):
    return t.call("jax.numpy.split", t.randn((6, 9), dtype), parts, axis=axis)


@case(
    "jax.numpy.split", dtypes="f32 f64", core="f32", reference=lambda np, x: np.split(x, [2, 4, 6])
)
def split_at(t, dtype):
    return t.call("jax.numpy.split", t.randn((7, 3), dtype), t.np.array([2, 4, 6]))


@case("jax.numpy.split", dtypes="f32 f64", grad=True, core="f32")
def split_gradient(t, dtype):
    return t.call("jax.numpy.split", t.randn((6, 2), dtype), 3)


@case("jax.numpy.split", reference="none", core=False)
def parts_that_are_unequal(t):
    t.raises(ValueError, t.call, "jax.numpy.split", t.randn((7,), "f32"), 3)


@case(
    "jax.lax.slice_in_dim",
    dtypes="f32 bf16 i32 bool f64",
    stride=[1, 2],
    axis=[0, 1],
    core="f32 bf16 i32",
    reference=lambda np, x, stride, axis: x[1:6:stride] if axis == 0 else x[:, 1:6:stride],
)
def slice_in_dim(t, dtype, stride, axis):
    return t.call("jax.lax.slice_in_dim", t.randn((7, 8), dtype), 1, 6, stride=stride, axis=axis)


@case("jax.lax.slice_in_dim", dtypes="f32 f64", grad=True, core="f32")
def slice_gradient(t, dtype):
    return t.call("jax.lax.slice_in_dim", t.randn((7, 3), dtype), 2, 5)


@case("jax.lax.slice_in_dim", dtypes="f32", trivial=True, reference=lambda np, x: x[3:3])
def slice_of_nothing(t, dtype):
    return t.call("jax.lax.slice_in_dim", t.randn((7, 3), dtype), 3, 3)


@case(
    "jax.numpy.compress",
    dtypes="f32 bf16 i32 f64",
    axis=[None, 0, 1],
    core="f32 i32",
    reference=lambda np, which, x, axis: np.compress(which, x, axis),
)
def compress(t, dtype, axis):
    which = t.const([True, False, True, True, False], "bool")
    return t.call("jax.numpy.compress", which, t.randn((5, 6), dtype), axis=axis)


@case(
    "jax.numpy.compress",
    dtypes="f32 i32 f64",
    size=[2, 4],
    core="f32",
    reference=lambda np, which, x, size: np.pad(
        x[which.astype(bool)], ((0, 1), (0, 0)), constant_values=7
    )[:size],
)
def compress_to_size(t, dtype, size):
    which = t.const([True, False, True, True, False], "bool")
    return t.call(
        "jax.numpy.compress", which, t.randn((5, 6), dtype), axis=0, size=size, fill_value=7
    )


@case(
    "jax.numpy.delete",
    dtypes="f32 bf16 i32 bool f64",
    which=[0, -2, [1, 3]],
    axis=[0, 1],
    core="f32 bf16 i32",
    reference=lambda np, x, which, axis: np.delete(x, which, axis),
)
def delete(t, dtype, which, axis):
    chosen = t.np.array(which) if isinstance(which, (list, tuple)) else which
    return t.call("jax.numpy.delete", t.randn((5, 6), dtype), chosen, axis=axis)


@case(
    "jax.numpy.delete",
    dtypes="f32 i32",
    core="f32",
    reference=lambda np, x: np.delete(x, slice(1, 9, 3)),
)
def delete_a_slice(t, dtype):
    return t.call("jax.numpy.delete", t.randn((5, 6), dtype), slice(1, 9, 3))


@case(
    "jax.numpy.delete",
    dtypes="f32 i32",
    core="f32",
    reference=lambda np, which, x: np.delete(x, which.astype(int), 0),
)
def delete_by_array(t, dtype):
    which = t.const([3, 0], "i32")
    return t.call(
        "jax.numpy.delete", t.randn((5, 6), dtype), which, axis=0, assume_unique_indices=True
    )


@case("jax.numpy.delete", dtypes="f32 f64", grad=True, core="f32")
def delete_gradient(t, dtype):
    return t.call("jax.numpy.delete", t.randn((5, 3), dtype), 2, axis=0)


@case("jax.numpy.delete", reference="none", core=False)
def delete_out_of_range(t):
    t.raises((IndexError, ValueError), t.call, "jax.numpy.delete", t.randn((5,), "f32"), 5)


def top_k_reference(np, x, k):
    order = np.argsort(-x, axis=-1, kind="stable")[..., :k]
    return np.take_along_axis(x, order, -1), order


@case(
    "jax.lax.top_k",
    dtypes="f32 bf16 f16 i32 u8 f64 i64",
    shapes="100 4x33",
    k=[1, 5],
    core="f32 bf16 i32",
    reference=top_k_reference,
)
def top_k(t, dtype, shape, k):
    return t.call("jax.lax.top_k", t.distinct(shape, dtype), k)


@case("jax.lax.top_k", dtypes="f32 i32", k=3, reference=top_k_reference)
def ties_take_the_first(t, dtype, k):
    return t.call("jax.lax.top_k", t.const([[1, 7, 7, 2, 7], [0, 0, 0, 5, 0]], dtype), k)


@case("jax.lax.top_k", dtypes="f32 bf16 f64", grad=True, core="f32 bf16")
def top_k_gradient(t, dtype):
    return t.call("jax.lax.top_k", t.distinct((3, 10), dtype), 4)


@case("jax.lax.top_k", dtypes="f32", trivial=True, reference=top_k_reference, k=0)
def top_k_of_nothing(t, dtype, k):
    return t.call("jax.lax.top_k", t.randn((3, 0), dtype), k)


@case("jax.lax.top_k", reference="none", core=False)
def k_too_large(t):
    t.raises(ValueError, t.call, "jax.lax.top_k", t.randn((3,), "f32"), 4)
