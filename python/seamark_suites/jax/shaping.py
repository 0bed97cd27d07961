"""Functions that move, choose, split and join elements."""

from seamark_suites.case import case

from . import reference as right
from .reference import with_affine_gradient, with_gradient


@case(
    "jax.numpy.reshape",
    dtypes="f32 bf16 f16 i32 bool c64 f64",
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


@case("jax.numpy.reshape", dtypes="f32 f64", grad=True, core="f32",
      reference=with_affine_gradient(lambda np, x: x.reshape(3, 8)))  # fmt: skip
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


@case("jax.numpy.flip", dtypes="f32 f64", grad=True, core="f32",
      reference=with_affine_gradient(lambda np, x: np.flip(x, 1)))  # fmt: skip
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


@case("jax.numpy.fliplr", dtypes="f32 f64", grad=True, core="f32",
      reference=with_affine_gradient(lambda np, x: np.fliplr(x)))  # fmt: skip
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


@case("jax.numpy.stack", dtypes="f32 f64", grad=True, core="f32",
      reference=with_affine_gradient(lambda np, x, y: np.stack([x, y], 1)))  # fmt: skip
def stack_gradient(t, dtype):
    return t.call("jax.numpy.stack", [t.randn((4, 2), dtype), t.randn((4, 2), dtype)], axis=1)


@case("jax.numpy.stack", reference="none", core=False)
def stack_of_unequal(t):
    t.raises(ValueError, t.call, "jax.numpy.stack", [t.randn((4,), "f32"), t.randn((5,), "f32")])
    t.raises(ValueError, t.call, "jax.numpy.stack", [])


@case(
    "jax.numpy.split",
    dtypes="f32 bf16 i32 bool c64 f64",
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


@case("jax.numpy.split", dtypes="f32 f64", grad=True, core="f32",
      reference=with_affine_gradient(lambda np, x: np.split(x, 3)))  # fmt: skip
def split_gradient(t, dtype):
    return t.call("jax.numpy.split", t.randn((6, 2), dtype), 3)


@case("jax.numpy.split", reference="none", core=False)
def parts_that_are_unequal(t):
    t.raises(ValueError, t.call, "jax.numpy.split", t.randn((7,), "f32"), 3)


@case(
    "jax.lax.slice_in_dim",
    dtypes="f32 bf16 i32 bool c64 f64",
    stride=[1, 2],
    axis=[0, 1],
    core="f32 bf16 i32",
    reference=lambda np, x, stride, axis: x[1:6:stride] if axis == 0 else x[:, 1:6:stride],
)
def slice_in_dim(t, dtype, stride, axis):
    return t.call("jax.lax.slice_in_dim", t.randn((7, 8), dtype), 1, 6, stride=stride, axis=axis)


@case("jax.lax.slice_in_dim", dtypes="f32 f64", grad=True, core="f32",
      reference=with_affine_gradient(lambda np, x: x[2:5]))  # fmt: skip
def slice_gradient(t, dtype):
    return t.call("jax.lax.slice_in_dim", t.randn((7, 3), dtype), 2, 5)


@case("jax.lax.slice_in_dim", dtypes="f32", trivial=True, reference=lambda np, x: x[3:3])
def slice_of_nothing(t, dtype):
    return t.call("jax.lax.slice_in_dim", t.randn((7, 3), dtype), 3, 3)


@case(
    "jax.numpy.compress",
    dtypes="f32 bf16 i32 c64 f64",
    axis=[None, 0, 1],
    core="f32 i32",
    reference=lambda np, which, x, axis: np.compress(which, x, axis),
)
def compress(t, dtype, axis):
    which = t.const([True, False, True, True, False], "bool")
    x = t.distinct((5, 6), dtype) if dtype == "i32" else t.randn((5, 6), dtype)
    return t.call("jax.numpy.compress", which, x, axis=axis)


@case(
    "jax.numpy.compress",
    dtypes="f32 i32 f64",
    size=[2, 4],
    core="f32",
    since=("0.4.28", "the argument size"),
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
    dtypes="f32 bf16 i32 bool c64 f64",
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


@case("jax.numpy.delete", dtypes="f32 f64", grad=True, core="f32",
      reference=with_affine_gradient(lambda np, x: np.delete(x, 2, 0)))  # fmt: skip
def delete_gradient(t, dtype):
    return t.call("jax.numpy.delete", t.randn((5, 3), dtype), 2, axis=0)


@case("jax.numpy.delete", reference="none", core=False)
def delete_out_of_range(t):
    t.raises((IndexError, ValueError), t.call, "jax.numpy.delete", t.randn((5,), "f32"), 5)


@case(
    "jax.lax.top_k",
    dtypes="f32 bf16 f16 i32 u8 f64 i64",
    shapes="100 4x33",
    k=[1, 5],
    core="f32 bf16 i32",
    reference=right.top_k,
)
def top_k(t, dtype, shape, k):
    return t.call("jax.lax.top_k", t.distinct(shape, dtype), k)


@case("jax.lax.top_k", dtypes="f32 i32", k=3, reference=right.top_k)
def ties_take_the_first(t, dtype, k):
    return t.call("jax.lax.top_k", t.const([[1, 7, 7, 2, 7], [0, 0, 0, 5, 0]], dtype), k)


@case("jax.lax.top_k", dtypes="f32 bf16 f64", grad=True, core="f32 bf16",
      reference=with_gradient(lambda np, x: right.top_k(np, x, 4), right.top_4_pull))  # fmt: skip
def top_k_gradient(t, dtype):
    return t.call("jax.lax.top_k", t.distinct((3, 10), dtype), 4)


@case("jax.lax.top_k", dtypes="f32", trivial=True, reference=right.top_k, k=0)
def top_k_of_nothing(t, dtype, k):
    return t.call("jax.lax.top_k", t.randn((3, 0), dtype), k)


@case("jax.lax.top_k", reference="none", core=False)
def k_too_large(t):
    t.raises(ValueError, t.call, "jax.lax.top_k", t.randn((3,), "f32"), 4)


@case("jax.numpy.reshape", dtypes="f32", to=[(), 1, (1, 1)], core=False,
      reference=lambda np, x, to: x.reshape(to))  # fmt: skip
def one_element(t, dtype, to):
    return t.call("jax.numpy.reshape", t.randn((1,), dtype), to)


@case("jax.numpy.reshape", dtypes="f32", core=False, reference=lambda np, x: x.reshape(1027, -1))
def large_reshape(t, dtype):
    return t.call("jax.numpy.reshape", t.randn((515, 1027), dtype), (1027, -1))


@case("jax.numpy.reshape", reference="none", core=False)
def wrong_shapes(t):
    values = t.randn((6,), "f32")
    t.raises(TypeError, t.call, "jax.numpy.reshape", values, (-1, -1))
    t.raises(NotImplementedError, t.call, "jax.numpy.reshape", values, (2, 3), order="A")
    t.raises(TypeError, t.fw.jit(lambda x, n: x.reshape(n, 2)), values, 3)  # n is traced


@case("jax.numpy.flip", dtypes="f32", shapes="0 3x0 scalar", trivial=True, core=False,
      reference=lambda np, x: np.flip(x))  # fmt: skip
def flip_of_little(t, dtype, shape):
    return t.call("jax.numpy.flip", t.randn(shape, dtype))


@case("jax.numpy.flip", dtypes="f32", core=False, reference=lambda np, x: np.flip(x, -1))
def large_flip(t, dtype):
    return t.call("jax.numpy.flip", t.randn((515, 1027), dtype), axis=-1)


@case("jax.numpy.flip", reference="none", core=False)
def flip_along_no_axis(t):
    t.raises(ValueError, t.call, "jax.numpy.flip", t.randn((4,), "f32"), axis=1)
    t.raises(TypeError, t.call, "jax.numpy.flip", [1, 2])


@case("jax.numpy.fliplr", dtypes="f32", shapes="0x3 3x0", trivial=True, core=False,
      reference=lambda np, x: np.fliplr(x))  # fmt: skip
def fliplr_of_nothing(t, dtype, shape):
    return t.call("jax.numpy.fliplr", t.randn(shape, dtype))


@case("jax.numpy.fliplr", dtypes="f32", core=False, reference="numpy")
def large_fliplr(t, dtype):
    return t.call("jax.numpy.fliplr", t.randn((515, 1027), dtype))


@case("jax.numpy.stack", dtypes="f32", shapes="scalar 0", trivial=True, core=False,
      reference=lambda np, x, y: np.stack([x, y]))  # fmt: skip
def stack_of_little(t, dtype, shape):
    return t.call("jax.numpy.stack", [t.randn(shape, dtype) for _ in range(2)])


@case("jax.numpy.stack", core=False, reference=lambda np, x, y: np.stack([x, y]))
def stack_to_a_type(t):
    parts = [t.randint((4,), "f32", -5, 5), t.randint((4,), "f32", -5, 5)]
    return t.call("jax.numpy.stack", parts, dtype=t.dtype("bf16"))


@case("jax.numpy.stack", core=False, reference="none")
def stack_along_no_axis(t):
    t.raises(ValueError, t.call, "jax.numpy.stack", [t.randn((4,), "f32")], axis=3)


@case(
    "jax.numpy.split",
    dtypes="f32",
    core=False,
    trivial=True,
    reference=lambda np, x: np.split(x, 2),
)
def split_of_nothing(t, dtype):
    return t.call("jax.numpy.split", t.randn((0, 2), dtype), 2)


@case("jax.numpy.split", reference="none", core=False)
def split_where_nothing_is(t):
    t.raises((IndexError, ValueError), t.call, "jax.numpy.split", t.randn((6,), "f32"), 2, axis=1)
    t.raises(ZeroDivisionError, t.call, "jax.numpy.split", t.randn((6,), "f32"), 0)


@case(
    "jax.lax.slice_in_dim",
    dtypes="f32",
    core=False,
    reference=lambda np, x: (x[-3:], x[:, 1:-1], x),
)
def limits_from_the_end(t, dtype):
    values = t.randn((7, 8), dtype)
    return (
        t.call("jax.lax.slice_in_dim", values, -3, None),
        t.call("jax.lax.slice_in_dim", values, 1, -1, axis=-1),
        t.call("jax.lax.slice_in_dim", values, None, None),
    )


@case("jax.lax.slice_in_dim", reference="none", core=False)
def wrong_limits(t):
    values = t.randn((7, 3), "f32")
    t.raises(TypeError, t.call, "jax.lax.slice_in_dim", values, 0, 9)
    t.raises(TypeError, t.call, "jax.lax.slice_in_dim", values, 4, 2)
    t.raises((IndexError, ValueError), t.call, "jax.lax.slice_in_dim", values, 0, 2, axis=2)


@case("jax.numpy.compress", dtypes="f32 f64", grad=True, core=False,
      reference=with_affine_gradient(lambda np, x: x[[0, 2, 3]]))  # fmt: skip
def compress_gradient(t, dtype):
    which = t.np.array([True, False, True, True, False])
    return t.call("jax.numpy.compress", which, t.randn((5, 3), dtype), axis=0)


@case(
    "jax.numpy.compress", dtypes="f32", core=False, reference=lambda np, w, x: np.compress(w, x, 0)
)
def condition_that_is_short(t, dtype):
    return t.call(
        "jax.numpy.compress", t.const([False, True], "bool"), t.randn((5, 3), dtype), axis=0
    )


@case(
    "jax.numpy.compress", dtypes="f32", core=False, trivial=True, reference=lambda np, w, x: x[:0]
)
def compress_to_nothing(t, dtype):
    return t.call(
        "jax.numpy.compress", t.const([False] * 5, "bool"), t.randn((5, 3), dtype), axis=0
    )


def compress_by_value(x):
    import jax

    return jax.numpy.compress(x > 0, x, size=6, fill_value=-1)


@case(
    "jax.numpy.compress",
    dtypes="f32",
    core=False,
    reference=lambda np, x: np.concatenate([x[x > 0], np.full(6, -1.0)])[:6],
)
def compress_inside_jit(t, dtype):
    return t.call(t.get("jax.jit")(compress_by_value), t.distinct((9,), dtype))


@case("jax.numpy.compress", reference="none", core=False)
def wrong_conditions(t):
    values = t.randn((3,), "f32")
    t.raises(ValueError, t.call, "jax.numpy.compress", t.const([[True]], "bool"), values)
    t.raises(ValueError, t.call, "jax.numpy.compress", t.const([True] * 5, "bool"), values)
    jax = t.fw
    t.raises(
        jax.errors.ConcretizationTypeError,
        jax.jit(lambda w, x: jax.numpy.compress(w, x)),
        values > 0,
        values,
    )


@case("jax.numpy.delete", dtypes="f32", core=False, reference=lambda np, x: x[[0, 2, 4]])
def delete_by_mask(t, dtype):
    mask = t.np.array([False, True, False, True, False])
    return t.call("jax.numpy.delete", t.randn((5, 2), dtype), mask, axis=0)


@case("jax.numpy.delete", dtypes="f32", core=False, reference=lambda np, x: (x, x[[0, 2, 3]]))
def delete_none_and_one_twice(t, dtype):
    values = t.randn((4,), dtype)
    none = t.call("jax.numpy.delete", values, t.np.array([], int))
    return none, t.call("jax.numpy.delete", values, t.np.array([1, 1]))


def all_but(x, which):
    import jax

    return jax.numpy.delete(x, which, assume_unique_indices=True)


@case("jax.numpy.delete", dtypes="f32", core=False, reference=lambda np, x, k: np.delete(x, [1, 4]))
def delete_inside_jit(t, dtype):
    return t.call(t.get("jax.jit")(all_but), t.randn((6,), dtype), t.const([1, 4], "i32"))


@case("jax.numpy.delete", reference="none", core=False)
def delete_by_tracers_and_fractions(t):
    jax, values = t.fw, t.randn((5,), "f32")
    t.raises(jax.errors.ConcretizationTypeError, jax.jit(jax.numpy.delete), values, 1)
    t.raises((TypeError, ValueError), t.call, "jax.numpy.delete", values, 1.5)


@case("jax.lax.top_k", dtypes="f32 bf16", core=False, reference="none")
def top_k_with_nan(t, dtype):
    """NaN counts as the largest."""
    nan, inf = float("nan"), float("inf")
    values, where = t.call("jax.lax.top_k", t.const([1.0, nan, inf, -inf, 0.5], dtype), 3)
    t.expect(t.host(where).tolist() == [1, 2, 0], "NaN, infinity, 1, got %s" % t.host(where))
    t.expect(t.np.array_equal(t.host(values), [nan, inf, 1], equal_nan=True), "NaN, infinity, 1")


@case("jax.lax.top_k", dtypes="f32", k=[100], core=False, reference=right.top_k)
def large_top_k(t, dtype, k):
    return t.call("jax.lax.top_k", t.distinct((3, 10007), dtype), k)


@case("jax.lax.top_k", reference="none", core=False)
def wrong_top_k(t):
    t.raises(ValueError, t.call, "jax.lax.top_k", t.randn((3,), "f32"), -1)
    t.raises(ValueError, t.call, "jax.lax.top_k", t.randn((), "f32"), 1)
    t.raises((TypeError, ValueError), t.call, "jax.lax.top_k", t.randn((3,), "c64"), 1)
