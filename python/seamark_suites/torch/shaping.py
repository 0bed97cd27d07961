"""Joining, moving and ordering tensors."""

from seamark_suites.case import case, table

from . import reference as right
from .reference import with_gradient

table(
    "torch",
    "fliplr",
    dtypes="f32 bf16 i64 bool c64",
    shapes="64x33 5x4x3",
    core="f32 i64",
    reference="numpy",
)


@case(
    "torch.argsort",
    dtypes="f32 bf16 f16 f64 i64 i32 u8",
    shapes="100 6x33",
    dim=[-1, 0],
    core="f32 bf16 i64",
    reference=lambda np, x, dim: np.argsort(x, dim),
)
def argsort(t, dtype, shape, dim):
    return t.call("torch.argsort", t.distinct(shape, dtype), dim=dim)


@case(
    "torch.argsort",
    dtypes="f32 i64",
    since=("1.13", "the argument stable"),
    reference=right.in_both_orders,
)
def descending_and_stable(t, dtype):
    x = t.randint((200,), dtype, 0, 8)  # many ties: only a stable sort has one answer
    return t.call("torch.argsort", x, stable=True), t.call(
        "torch.argsort", x, descending=True, stable=True
    )


@case("torch.argsort", dtypes="f32", trivial=True, reference="numpy")
def empty(t, dtype):
    return t.call("torch.argsort", t.randn((0,), dtype))


@case(
    "torch.argsort", dtypes="bool", core=False, reference=lambda np, x: np.argsort(x, kind="stable")
)
def booleans(t, dtype):
    return t.call("torch.argsort", t.randn((50,), dtype), stable=True)


@case("torch.broadcast_tensors", dtypes="f32", name="forward", reference=right.broadcast)
@case(
    "torch.broadcast_tensors",
    dtypes="f32 bf16 i64",
    grad=True,
    reference=with_gradient(right.broadcast),
)
def broadcast(t, dtype):
    return t.call(
        "torch.broadcast_tensors",
        t.randn((5, 1), dtype),
        t.randn((1, 7), dtype),
        t.randn((3, 1, 1), dtype),
    )


@case("torch.broadcast_tensors", dtypes="f32", reference="none")
def shapes_that_do_not_fit(t, dtype):
    x, y = t.randn((3, 4), dtype), t.randn((5, 4), dtype)
    t.raises(RuntimeError, t.call, "torch.broadcast_tensors", x, y)


@case("torch.cat", dtypes="f32", dim=0, name="forward", reference=right.joined)
@case(
    "torch.cat",
    dtypes="f32 bf16 f16 i64 bool c64",
    dim=[0, 1, -1],
    grad=True,
    core="f32 bf16 i64",
    reference=with_gradient(right.joined, right.joined_pull),
)
def cat(t, dtype, dim):
    return t.call("torch.cat", [t.randn((4, 4, 4), dtype) for _ in range(3)], dim=dim)


@case("torch.cat", dtypes="f32", reference=right.joined)
def with_an_empty_one(t, dtype):
    return t.call(
        "torch.cat", [t.randn((3, 5), dtype), t.randn((0, 5), dtype), t.randn((2, 5), dtype)]
    )


@case("torch.cat", dtypes="f32", reference=right.joined)
def promoted(t, dtype):
    """The result has the wider of the types."""
    return t.call("torch.cat", [t.randn((3,), dtype), t.randn((4,), "i64")])


@case(
    "torch.moveaxis",
    dtypes="f32 bf16 i64",
    source=[0, -1],
    destination=[1, 2],
    grad=True,
    reference=with_gradient(lambda np, x, source, destination: np.moveaxis(x, source, destination)),
)
def moveaxis(t, dtype, source, destination):
    return t.call("torch.moveaxis", t.randn((3, 4, 5), dtype), source, destination)


@case("torch.moveaxis", dtypes="f32", reference=lambda np, x: np.moveaxis(x, (0, 1), (-1, 0)))
def several_axes(t, dtype):
    return t.call("torch.moveaxis", t.randn((2, 3, 4, 5), dtype), (0, 1), (-1, 0))


@case("torch.unbind", dtypes="f32", dim=0, name="forward", reference=right.unbound)
@case(
    "torch.unbind",
    dtypes="f32 bf16 i64",
    dim=[0, 1],
    grad=True,
    reference=with_gradient(right.unbound),
)
def unbind(t, dtype, dim):
    return t.call("torch.unbind", t.randn((3, 4), dtype), dim=dim)


@case("torch.unsqueeze", dtypes="f32", dim=1, name="forward", reference=right.unsqueezed)
@case(
    "torch.unsqueeze",
    dtypes="f32 bf16 i64 bool",
    dim=[0, 1, -1],
    grad=True,
    reference=with_gradient(right.unsqueezed),
)
def unsqueeze(t, dtype, dim):
    return t.call("torch.unsqueeze", t.randn((6, 11), dtype), dim)


@case("torch.unsqueeze", dtypes="f32", reference="none")
def no_such_axis(t, dtype):
    t.raises(IndexError, t.call, "torch.unsqueeze", t.randn((3,), dtype), 5)


@case("torch.diag", dtypes="f32", shapes="5x7", offset=2, name="forward", reference=right.diag)
@case(
    "torch.diag",
    dtypes="f32 bf16 i64 c64",
    shapes="5 5x7",
    offset=[0, 2, -1],
    grad=True,
    core="f32 i64",
    reference=with_gradient(right.diag),
)
def diag(t, dtype, shape, offset):
    x = t.distinct(shape, dtype) if dtype == "i64" else t.randn(shape, dtype)
    return t.call("torch.diag", x, offset)


# Other kinds of numbers, no elements, strides.
table("torch", "fliplr", dtypes="f32", shapes="3x0", trivial=True, core=False, reference="numpy")


@case(
    "torch.argsort",
    dtypes="f32",
    core=False,
    reference=lambda np, x: (np.argsort(x), np.argsort(x)[::-1]),
)
def nan_goes_last(t, dtype):
    """NaN counts as greater than any number."""
    nan, inf = float("nan"), float("inf")
    x = t.const([2.0, nan, -inf, 0.5, inf, -1.0], dtype)
    return t.call("torch.argsort", x), t.call("torch.argsort", x, descending=True)


@case(
    "torch.argsort",
    dtypes="f32",
    shapes="scalar",
    trivial=True,
    core=False,
    reference=lambda np, x: np.zeros((), int),
)
def of_a_scalar(t, dtype, shape):
    return t.call("torch.argsort", t.randn(shape, dtype))


@case(
    "torch.argsort",
    dtypes="f32",
    core=False,
    reference=lambda np, x: (np.argsort(x, 1), np.argsort(x.T, 1)),
)
def strided(t, dtype):
    x = t.distinct((12, 9), dtype, noncontiguous=True)
    return t.call("torch.argsort", x, dim=1), t.call("torch.argsort", x.mT, dim=1)


@case("torch.argsort", dtypes="f32 i64", core=False, reference=lambda np, x: np.sort(x))
def many(t, dtype):
    x = t.distinct((1 << 19,), dtype)
    order = t.call("torch.argsort", x)
    return x[order]


@case("torch.argsort", dtypes="f32", reference="none", core=False)
@case("torch.unbind", dtypes="f32", reference="none", core=False)
def no_such_dim(t, dtype, function):
    t.raises(IndexError, t.call, function, t.randn((3, 4), dtype), dim=2)


@case(
    "torch.fliplr",
    dtypes="f32 c64",
    grad=True,
    core=False,
    reference=with_gradient(lambda np, x: np.fliplr(x)),
)
def gradient(t, dtype):
    return t.call("torch.fliplr", t.randn((4, 5), dtype, noncontiguous=True))


@case("torch.fliplr", dtypes="f32", core=False, reference=lambda np, x: (x, np.fliplr(x)))
def copies(t, dtype):
    """Documented: a copy, where NumPy gives a view."""
    x = t.randn((3, 4), dtype)
    made = t.call("torch.fliplr", x)
    flipped = made.clone()
    made.zero_()
    return x, flipped


@case("torch.fliplr", dtypes="f32", shape=[(), (3,)], reference="none", core=False)
def needs_two_axes(t, dtype, shape):
    t.raises(RuntimeError, t.call, "torch.fliplr", t.randn(shape, dtype))


@case("torch.broadcast_tensors", dtypes="bool c64 f16", core=False, reference=right.broadcast)
def of_other_kinds(t, dtype):
    return t.call("torch.broadcast_tensors", t.randn((30, 1), dtype), t.randn((40,), dtype))


@case(
    "torch.broadcast_tensors",
    dtypes="f32",
    core=False,
    reference=lambda np, x, none, y, z: (
        right.broadcast(np, x, y),
        right.broadcast(np, x, none, z),
    ),
)
def scalars_and_nothing(t, dtype):
    x, none = t.randn((), dtype), t.randn((0, 1), dtype)
    return (
        t.call("torch.broadcast_tensors", x, t.randn((2, 3), dtype)),
        t.call("torch.broadcast_tensors", x, none, t.randn((3,), dtype)),
    )


@case(
    "torch.broadcast_tensors",
    dtypes="f32",
    core=False,
    reference=lambda np, x, y: 2 * right.broadcast(np, x, y)[0],
)
def shares_its_input(t, dtype):
    """What is written to the input shows in the result."""
    x = t.randn((3, 1), dtype)
    made, _ = t.call("torch.broadcast_tensors", x, t.randn((4,), dtype))
    x.mul_(2)
    return made


@case("torch.cat", dtypes="f32", core=False, reference=right.joined)
def many_and_strided(t, dtype):
    parts = [t.randn((3 + i % 5, 16), dtype, noncontiguous=bool(i % 2)) for i in range(200)]
    return t.call("torch.cat", parts)


@case(
    "torch.cat",
    dtypes="f32 i64",
    core=False,
    reference=lambda np, none, *parts: right.joined(np, *parts),
)
def beside_an_empty_vector(t, dtype):
    """Documented: a vector of shape (0,) goes with any other shape."""
    return t.call(
        "torch.cat", [t.randn((0,), dtype), t.randn((2, 3), dtype), t.randn((1, 3), dtype)]
    )


@case(
    "torch.cat",
    dtypes="f32 i64",
    core=False,
    reference=lambda np, *parts: (right.joined(np, *parts, dim=1),) * 2,
)
def into_out(t, dtype):
    given = t.fw.zeros((2, 7), dtype=t.dtype(dtype), device=t.device)
    parts = [t.randn((2, 3), dtype), t.randn((2, 4), dtype)]
    return t.call("torch.cat", parts, dim=1, out=given), given


@case("torch.cat", dtypes="f32", reference="none", core=False)
def what_does_not_fit(t, dtype):
    x = t.randn((3, 4), dtype)
    t.raises(RuntimeError, t.call, "torch.cat", [x, t.randn((3, 5), dtype)])
    t.raises(IndexError, t.call, "torch.cat", [x, x], dim=2)
    t.raises((RuntimeError, ValueError), t.call, "torch.cat", [])


@case(
    "torch.moveaxis",
    dtypes="bool c64 f16",
    core=False,
    reference=lambda np, x: np.moveaxis(x, -1, 0),
)
def moves_other_kinds(t, dtype):
    return t.call("torch.moveaxis", t.randn((3, 4, 5), dtype, noncontiguous=True), -1, 0)


@case(
    "torch.moveaxis",
    dtypes="f32",
    shape=[(), (2, 0, 3)],
    core=False,
    trivial=True,
    reference=lambda np, x: np.moveaxis(x, 0, -1) if x.ndim else x,
)
def scalar_or_nothing(t, dtype, shape):
    axes = (0, -1) if shape else ((), ())
    return t.call("torch.moveaxis", t.randn(shape, dtype), *axes)


@case("torch.moveaxis", dtypes="f32", reference="none", core=False)
def axes_that_do_not_fit(t, dtype):
    x = t.randn((2, 3, 4), dtype)
    t.raises(RuntimeError, t.call, "torch.moveaxis", x, (0, 1), (0,))
    t.raises(RuntimeError, t.call, "torch.moveaxis", x, (0, 0), (0, 1))
    t.raises(IndexError, t.call, "torch.moveaxis", x, 3, 0)


@case(
    "torch.moveaxis", dtypes="f32", axes=[(0, 2)], core=False, reference=lambda np, x, axes: 2 * x
)
@case("torch.unbind", dtypes="f32", axes=[(1,)], core=False, reference=right.first_doubled)
@case("torch.unsqueeze", dtypes="f32", axes=[(1,)], core=False, reference=lambda np, x, axes: 2 * x)
def is_a_view(t, dtype, function, axes):
    """What is written to the result shows in the input."""
    x = t.randn((2, 3, 4), dtype)
    made = t.call(function, x, *axes)
    (made[0] if function == "torch.unbind" else made).mul_(2)
    return x


@case(
    "torch.unbind",
    dtypes="bool c64 f16",
    core=False,
    reference=lambda np, x: right.unbound(np, x, -1),
)
def unbinds_other_kinds(t, dtype):
    return t.call("torch.unbind", t.randn((30, 4), dtype, noncontiguous=True), -1)


@case(
    "torch.unbind",
    dtypes="f32",
    trivial=True,
    core=False,
    reference=lambda np, none, x: ([], right.unbound(np, x)),
)
def along_nothing(t, dtype):
    none = t.call("torch.unbind", t.randn((0, 3), dtype))
    return list(none), t.call("torch.unbind", t.randn((2, 0), dtype))


@case("torch.unbind", dtypes="f32", reference="none", core=False)
def a_scalar_has_no_parts(t, dtype):
    t.raises(IndexError, t.call, "torch.unbind", t.randn((), dtype))


@case(
    "torch.unsqueeze",
    dtypes="f32 c64",
    core=False,
    reference=lambda np, x: (x[1, 2][None], x.T[:, None]),
)
def of_a_scalar_and_strided(t, dtype):
    x = t.randn((4, 6), dtype, noncontiguous=True)
    return t.call("torch.unsqueeze", x[1, 2], 0), t.call("torch.unsqueeze", x.mT, -2)


@case("torch.unsqueeze", dtypes="f32", trivial=True, core=False, reference=lambda np, x: x[:, None])
def of_nothing(t, dtype):
    return t.call("torch.unsqueeze", t.randn((0, 3), dtype), 1)


@case(
    "torch.diag",
    dtypes="bool f16",
    core=False,
    reference=lambda np, x: (np.diag(x), np.diag(x[1], -2)),
)
def diag_of_other_kinds(t, dtype):
    x = t.randn((25, 26), dtype, noncontiguous=True)
    return t.call("torch.diag", x), t.call("torch.diag", x[1], -2)


@case(
    "torch.diag",
    dtypes="f32",
    trivial=True,
    core=False,
    reference=lambda np, *both: [np.diag(x) for x in both],
)
def diag_of_nothing(t, dtype):
    return t.call("torch.diag", t.randn((0,), dtype)), t.call("torch.diag", t.randn((0, 3), dtype))


@case("torch.diag", dtypes="f32", shape=[(), (2, 3, 4)], reference="none", core=False)
def neither_vector_nor_matrix(t, dtype, shape):
    t.raises(RuntimeError, t.call, "torch.diag", t.randn(shape, dtype))


@case("torch.diag", dtypes="f32", core=False, reference=lambda np, x: (np.diag(x),) * 2)
def diag_into_out(t, dtype):
    given = t.fw.ones((4, 4), dtype=t.dtype(dtype), device=t.device)
    return t.call("torch.diag", t.randn((4,), dtype), out=given), given
