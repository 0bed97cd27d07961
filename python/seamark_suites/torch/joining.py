"""Tensors put together, and taken apart: stack, concat, split, chunk."""

from seamark_suites.case import case

from . import reference_views as right
from .pointwise import each

JOINS, PARTS = "stack concat", "split chunk"


# --- stack, concat


@each(JOINS, right.join_gradient, dtypes="f32", dim=[0, 1, -1], grad=True, name="gradient")
@each(JOINS, right.join_gradient, dtypes="bf16", dim=[0], grad=True, name="gradient")
@each(JOINS, right.join_gradient, dtypes="f64 c64", dim=[1], grad=True, core=False, name="gradient")
@each(JOINS, right.joined_by, dtypes="f16 f64 i16 u8 c64 c128", dim=[1], core=False, name="forward")
@each(JOINS, right.joined_by, dtypes="bf16 i64 i32 bool", dim=[0, -1], name="forward")
@each(JOINS, right.joined_by, dtypes="f32", dim=[0, 1, -1, -2], name="forward")
def three(t, dtype, dim, function):
    return t.call(function, [t.randn((3, 4), dtype) for _ in range(3)], dim=dim)


@each(JOINS, right.joined_by, dtypes="f32 i64", core=False)
def in_a_tuple(t, dtype, function):
    """A tuple does as well, and the axis is the first."""
    return t.call(function, (t.randn((3, 4), dtype), t.randn((3, 4), dtype)))


@each(JOINS, right.joined_by, dtypes="f32", core=False)
def one_alone(t, dtype, function):
    """Of one tensor it is a copy."""
    x = t.randn((3, 4), dtype)
    made = t.call(function, [x])
    kept = made.clone()
    made.zero_()
    t.expect(bool(t.host(x).any()), "the input as it was")
    return kept


@each(JOINS, right.joined_by, dtypes="f32 bf16", core=False)
def promotes(t, dtype, function):
    """The result has the wider of the dtypes."""
    made = t.call(function, [t.randn((4,), dtype), t.randn((4,), "i64"), t.randn((4,), "f64")])
    t.expect(made.dtype is t.fw.float64, "f64")
    return made


@each(JOINS, right.pairs_joined, dtypes="f32", core=False)
def joins_three_sizes(t, dtype, function):
    return [t.call(function, [t.randn((n, 7), dtype) for _ in range(2)]) for n in (5, 8, 13)]


@each(JOINS, right.layouts_joined, dtypes="f32 i64", core=False)
def joins_strided(t, dtype, function):
    """Of gaps, a transpose, a broadcast row."""
    x, y, z = (
        t.randn((6, 6), dtype, noncontiguous=True),
        t.randn((6, 6), dtype),
        t.randn((6,), dtype),
    )
    return t.call(function, [x, y.mT, z.expand(6, 6)])


@each(JOINS, lambda function: lambda np, *xs: (right.joined_by(function)(np, *xs, dim=1),) * 2,
      dtypes="f32 i64", core=False)  # fmt: skip
def joins_into_out(t, dtype, function):
    shape = (3, 2, 4) if function == "torch.stack" else (3, 8)
    given = t.fw.zeros(shape, dtype=t.dtype(dtype), device=t.device)
    return t.call(function, [t.randn((3, 4), dtype) for _ in range(2)], dim=1, out=given), given


@each(JOINS, lambda function: lambda np, *xs: (right.joined_by(function)(np, *xs, dim=1),) * 2,
      dtypes="f32 i64", core=False)  # fmt: skip
def joins_into_gaps(t, dtype, function):
    """Into every other row of a larger tensor, and nothing between them."""
    shape = (6, 2, 4) if function == "torch.stack" else (6, 8)
    rows = t.fw.zeros(shape, dtype=t.dtype(dtype), device=t.device)
    parts = [t.randn((3, 4), dtype) for _ in range(2)]
    made = t.call(function, parts, dim=1, out=rows[::2])
    t.expect(not t.host(rows[1::2]).any(), "nothing between the rows")
    return made, rows[::2]


@each(JOINS, right.joined_by, dtypes="f32", large=True)
def joins_many(t, dtype, function):
    return t.call(function, [t.randn((1024, 1024), dtype) for _ in range(4)])


@each(JOINS, lambda function: lambda np, x: 3 * x**2 + 1, dtypes="f32", core=False)
def the_same_tensor_twice(t, dtype, function):
    """A tensor that stands in several places gets the gradient of all."""
    x = t.randn((4,), dtype, grad=True)
    made = t.call(function, [x, x**2, x]).reshape(3, 4)
    return t.fw.autograd.grad((made[0] * made[1] + made[2]).sum(), x)[0]


@case("torch.stack", dtypes="f32 i64", core=False, reference=lambda np, *xs: np.stack(xs))
def of_scalars(t, dtype):
    """Losses of several steps become a vector."""
    return t.call("torch.stack", [t.uniform((), dtype, 9 * n, 9 * n + 9) for n in range(4)])


@case(
    "torch.stack",
    dtypes="f32",
    trivial=True,
    core=False,
    reference=lambda np, *xs: (np.stack(xs), np.stack(xs, -1)),
)
def stack_of_nothing(t, dtype):
    x, y = t.randn((0, 3), dtype), t.randn((0, 3), dtype)
    return t.call("torch.stack", [x, y]), t.call("torch.stack", [x, y], -1)


@case(
    "torch.concat",
    dtypes="f32 i64",
    core=False,
    reference=lambda np, x, none, y, z: np.concatenate([x, y, z], 0),
)
def among_empty_ones(t, dtype):
    """A vector without elements goes with any shape."""
    x, none, y = t.randn((2, 3), dtype), t.randn((0,), dtype), t.randn((0, 3), dtype)
    return t.call("torch.concat", [x, none, y, t.randn((1, 3), dtype)])


@case("torch.concat", dtypes="f32", core=False, reference=lambda np, *xs: np.concatenate(xs, 1))
def channels_last_stays(t, dtype):
    """Images in channels last stay in it."""
    last = t.fw.channels_last
    x, y = t.randn((2, 3, 4, 5), dtype), t.randn((2, 2, 4, 5), dtype)
    parts = [one.contiguous(memory_format=last) for one in (x, y)]
    made = t.call("torch.concat", parts, 1)
    t.expect(made.is_contiguous(memory_format=last), "channels last")
    return made


@case("torch.concat", dtypes="f32", core=False, reference=lambda np, *xs: np.concatenate(xs))
def two_hundred(t, dtype):
    parts = [t.randn((3 + i % 5, 16), dtype, noncontiguous=bool(i % 2)) for i in range(200)]
    return t.call("torch.concat", parts)


@case("torch.stack", core=False, reference="none")
def stack_refuses(t):
    """No tensors, other shapes (also those that broadcast), no such axis."""
    x = t.randn((3, 4), "f32")
    t.raises(RuntimeError, t.call, "torch.stack", [])
    t.raises(RuntimeError, t.call, "torch.stack", [x, t.randn((3, 5), "f32")])
    t.raises(RuntimeError, t.call, "torch.stack", [x, x[:1]])
    t.raises(IndexError, t.call, "torch.stack", [x, x], 3)


@case("torch.concat", core=False, reference="none")
def concat_refuses(t):
    """No tensors, other shapes, scalars, no such axis."""
    x = t.randn((3, 4), "f32")
    t.raises((RuntimeError, ValueError), t.call, "torch.concat", [])
    t.raises(RuntimeError, t.call, "torch.concat", [x, t.randn((3, 5), "f32")])
    t.raises(RuntimeError, t.call, "torch.concat", [x, t.randn((3,), "f32")])
    t.raises(RuntimeError, t.call, "torch.concat", [x[0, 0], x[0, 1]])
    t.raises(IndexError, t.call, "torch.concat", [x, x], dim=2)


# --- split, chunk

SIZES = [(3,), (4, 1), ([2, 3, 5],), ([1, 0, 6], -1), (20,)]
COUNTS = [(3,), (2, 1), (4,), (5, -1), (20,)]


def taken_apart(reference, sizes=SIZES, counts=COUNTS, **header):
    def declare(body):
        for function, args in (("torch.split", sizes), ("torch.chunk", counts)):
            case(function, args=args, reference=reference(function), **header)(body)
        return body

    return declare


@taken_apart(right.split_gradient, dtypes="f32", grad=True, name="gradient")
@taken_apart(right.split_gradient, [(3,)], [(3,)], dtypes="bf16", grad=True, name="gradient")
@taken_apart(
    right.split_gradient, [(3,)], [(3,)], dtypes="f64 c64", grad=True, core=False, name="gradient"
)
@taken_apart(
    right.split_by, [(4, 1)], [(4,)], dtypes="f16 f64 i16 u8 c64", core=False, name="forward"
)
@taken_apart(
    right.split_by, [(3,), ([2, 3, 5],)], [(3,), (2, 1)], dtypes="bf16 i64 i32 bool", name="forward"
)
@taken_apart(right.split_by, dtypes="f32", name="forward")
def parts(t, dtype, args, function):
    """The last part may be smaller, and there may be fewer than asked."""
    made = t.call(function, t.randn((10, 7), dtype), *args)
    t.expect(type(made) is tuple, "a tuple")
    return made


@taken_apart(right.doubled_first, [(3,)], [(4,)], dtypes="f32 i64", core=False)
def views_of_the_whole(t, dtype, args, function):
    """What is written to a part shows in the whole."""
    x = t.randn((10, 7), dtype)
    made = t.call(function, x, *args)
    made[0].mul_(2)
    return made, x


@taken_apart(lambda function: lambda np, x, args: (right.PARTS[function](np, x, *args), x[:args[0]].T),
             [(3,)], [(2,)], dtypes="f32", core=False)  # fmt: skip
def parts_of_strided(t, dtype, args, function):
    x = t.randn((10, 7), dtype, noncontiguous=True)
    made = t.call(function, x, *args)
    turned = t.call(function, x[: args[0]].mT, 7 if function == "torch.split" else 1)
    return made, turned[0]


@taken_apart(lambda function: lambda np, *xs, args: [right.PARTS[function](np, x, *args) for x in xs],
             [(4,)], [(4,)], dtypes="f32", core=False)  # fmt: skip
def parts_of_three_sizes(t, dtype, args, function):
    return [t.call(function, t.randn((n, 3), dtype), *args) for n in (5, 8, 13)]


@taken_apart(right.parts_of_nothing, [(2,)], [(2,)], dtypes="f32", trivial=True, core=False)
def parts_of_nothing(t, dtype, args, function):
    x, y = t.randn((0, 3), dtype), t.randn((0, 4), dtype)
    return t.call(function, x, *args), t.call(function, y, *args, dim=1)


@taken_apart(lambda function: lambda np, x, args: right.PARTS[function](np, x, *args),
             [(512,)], [(4,)], dtypes="f32", large=True)  # fmt: skip
def parts_of_many(t, dtype, args, function):
    """Each part is copied, so that there is something to do."""
    fw, x = t.fw, t.randn((2048, 2048), dtype)
    cut = getattr(fw, function.split(".")[-1])
    return t.call(lambda x: [one.clone() for one in cut(x, *args)], x)


@taken_apart(lambda function: lambda np, x, args: (np.split(x, 3, 1), 2 * x * (np.arange(12) < 4)),
             [(4, 1)], [(3, 1)], dtypes="f32", core=False)  # fmt: skip
def unused_parts(t, dtype, args, function):
    """A part that is not used has the gradient zero."""
    x = t.randn((5, 12), dtype, grad=True)
    made = t.call(function, x, *args)
    return made, t.fw.autograd.grad((made[0] ** 2).sum(), x)[0]


@case("torch.split", core=False, reference="none")
def split_refuses(t):
    """Sizes that do not add up, negative and zero sizes, a scalar, no such axis."""
    x = t.randn((10, 7), "f32")
    for size in (0, -1, [3, 3], [3, 8, -1], [10, 1]):
        t.raises(RuntimeError, t.call, "torch.split", x, size)
    t.raises(RuntimeError, t.call, "torch.split", x[0, 0], 1)
    t.raises(IndexError, t.call, "torch.split", x, 3, 2)


@case("torch.chunk", core=False, reference="none")
def chunk_refuses(t):
    x = t.randn((10, 7), "f32")
    for count in (0, -1):
        t.raises(RuntimeError, t.call, "torch.chunk", x, count)
    t.raises(RuntimeError, t.call, "torch.chunk", x[0, 0], 1)
    t.raises(IndexError, t.call, "torch.chunk", x, 3, 2)
