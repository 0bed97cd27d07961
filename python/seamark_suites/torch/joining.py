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


@case("torch.split", dtypes="f32", core=False, reference=lambda np, x: [
      np.split(x, [2, 3], 1), np.split(x, [3], 0), np.split(x, [1], 0), np.split(np.broadcast_to(x[:1], (6, 4)), [4], 0)])  # fmt: skip
@case("torch.chunk", dtypes="f32", core=False, reference=lambda np, x: [
      np.split(x, 2, 1), np.split(x, [2, 4], 0), np.split(x, [3], 0), np.split(np.broadcast_to(x[:1], (6, 4)), [3], 0)])  # fmt: skip
def parts_by_keyword(t, dtype, function):
    """By names; sizes in a torch.Size; a negative axis; of what is broadcast."""
    x, row = t.randn((5, 4), dtype), lambda x: x[:1].expand(6, 4)
    size = t.fw.Size([2, 1, 1])
    if function == "torch.split":
        return [
            t.call(function, tensor=x, split_size_or_sections=size, dim=1),
            t.call(function, x, split_size_or_sections=3),
            t.call(function, x, (1, 4), dim=-2),
            t.call(function, row(x), 4),
        ]
    return [
        t.call(function, input=x, chunks=2, dim=1),
        t.call(function, x, chunks=3),
        t.call(function, x, 2, -2),
        t.call(function, row(x), 2),
    ]


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


@case("torch.stack", core=False, reference=lambda np, half, x, z, yes: [
      np.stack([half, x, yes]), np.stack([z, x, yes], 1), np.stack([x, half]), np.ones(4) * 0.5, np.ones(4) * 2.0, np.ones(4) * (1 + 2j), np.ones(4)])  # fmt: skip
def promotes_with_gradients(t):
    """Complex, real and truth together; each gets its gradient in its own dtype, a real one the real part."""
    half, x, z = (t.randn((4,), dtype, grad=True) for dtype in ("f16", "f32", "c64"))
    yes, fw = t.randn((4,), "bool"), t.fw
    given = [half, x, yes], [z, x, yes], [x, half]
    made = [t.call("torch.stack", one, axis) for one, axis in zip(given, (0, 1, -2))]
    found, want = [one.dtype for one in made], [fw.float32, fw.complex64, fw.float32]
    t.expect(found == want, "the dtypes %s, got %s" % (want, found))
    weights = t.fw.tensor([0.5, 2.0, 3.0], device=t.device)[:, None]
    slopes = fw.autograd.grad((made[0] * weights).sum(), (half, x))
    turned = fw.autograd.grad((made[1] * (1 - 2j)).real.sum(), (z, x))
    for slope, one in zip((*slopes, *turned), (half, x, z, x)):
        t.expect(slope.dtype is one.dtype, "the dtype of the input")
    return [*(one.detach() for one in made), *slopes, *turned]


@case("torch.stack", dtypes="f32 i64 bf16", core=False, reference=lambda np, x, rows, other: [
      np.stack(list(rows), 1), np.stack([rows.T[:66], rows.T[1:]], 1), np.broadcast_to(other, (300, 3)), np.stack([x[::2, 1:]] * 2, -1)])  # fmt: skip
def of_many_and_of_parts(t, dtype):
    """130 rows; columns of a larger tensor; one tensor 300 times; parts of one memory."""
    x, rows, other = t.randn((4, 5), dtype), t.randn((130, 67), dtype), t.randn((3,), dtype)
    given = (list(rows), 1), ((rows.mT[:66], rows.mT[1:]), 1), ([other] * 300,), ([x[::2, 1:]] * 2, -1)  # fmt: skip
    return [t.call("torch.stack", *one) for one in given]


@case("torch.stack", dtypes="f32 i64", core=False, reference=lambda np, x, kept: [np.stack([x * kept, x], axis) for axis in (0, 1, -1)])  # fmt: skip
def of_sparse_ones(t, dtype):
    x, kept = t.randn((4, 5), dtype), t.randn((4, 5), "bool")
    sparse = (x * kept).to_sparse(), x.to_sparse()
    made = [t.call("torch.stack", sparse, axis) for axis in (0, 1, -1)]
    t.expect(all(one.is_sparse for one in made), "sparse ones")
    return [one.to_dense() for one in made]


@case("torch.stack", core=False, reference="none")
def stack_refuses_other_kinds(t):
    """A number among tensors, a tensor alone in no list, axes beyond either end, an out= that holds no fractions."""
    x = t.randn((3, 4), "f32")
    for wrong in ([x, 3], [x, [1.0]], [None], 3):
        t.raises(TypeError, t.call, "torch.stack", wrong)
    t.raises(IndexError, t.call, "torch.stack", [x, x], -4)
    t.raises(RuntimeError, t.call, "torch.stack", [x, x[0]])
    t.raises(RuntimeError, t.call, "torch.stack", [x, x.mT])
    whole = t.randint((2, 3, 4), "i64", 0, 5)
    t.raises((RuntimeError, TypeError), t.call, "torch.stack", [x, x], out=whole)


# --- parts, in ways that are seldom asked for


@each(
    PARTS,
    lambda function: lambda np, x: [x[:2], x[2:], np.concatenate([2 * x[:2], x[2:]])],
    dtypes="f32",
    core=False,
)
def parts_changed_in_place(t, dtype, function):
    """Documented: of several views of one call none is changed in place within a graph; without one it may be."""
    x = t.randn((4, 3), dtype, grad=True)
    for how in (2,) if function == "torch.chunk" else (2, [2, 2]):
        parts = t.call(function, x * 1, how)
        t.raises(RuntimeError, parts[0].mul_, 2)
        t.raises(RuntimeError, parts[1].zero_)
        y = x.detach().clone()
        t.call(function, y, how)[0].mul_(2)
    return [*(part.detach() for part in parts), y]


@case("torch.split", dtypes="f32 i64", core=False, reference=lambda np, x: [
      *np.split(x, [2, 4]), x[:2], x[2:], x[:1], x[1:4], x[4:], x[:0], x])  # fmt: skip
def sizes_of_other_kinds(t, dtype):
    """A tensor of one integer; NumPy's integers and tensors among the sizes; parts of nothing."""
    x, np, one = t.randn((6, 3), dtype), t.np, t.fw.tensor
    none = t.call("torch.split", x[:0], 0)
    t.expect(len(none) == 1 and none[0].shape == (0, 3), "one part of nothing")
    t.expect(t.call("torch.split", x[:0], []) == (), "no part at all")
    for wrong in (2.0, [1.5, 4.5], None):
        t.raises(TypeError, t.call, "torch.split", x, wrong)
    for wrong in ([], [7, -1], [2, 2]):
        t.raises(RuntimeError, t.call, "torch.split", x, wrong)
    asked = one(2), [np.int64(2), 4], [one(1), 3, one(2)], (0, 6)
    return [part for sizes in asked for part in t.call("torch.split", x, sizes)]


@case("torch.split", dtypes="f32 c64", core=False, reference=lambda np, x: [
      *np.split(x, [5, 10]), *np.split(x, [2, 4]), *np.split(x, [3, 4, 8, 10, 15], 1), *np.split(x.swapaxes(0, 2), [1, 1, 3])])  # fmt: skip
def parts_of_matrices(t, dtype):
    """Sections of several sizes along each axis; the parts of a transpose keep its strides."""
    x = t.randn((20, 18, 4), dtype)
    turned = t.call("torch.split", x.transpose(0, 2), [1, 0, 2, 1])
    t.expect(all(part.stride() == (1, 4, 72) for part in turned), "the strides of the whole")
    asked = ((5, 5, 10), 0), ((2, 2, 16), 0), ([3, 1, 4, 2, 5, 3], 1)
    return [part for sizes, dim in asked for part in t.call("torch.split", x, sizes, dim)] + [
        *turned
    ]


@each("Tensor.chunk chunk", lambda _: lambda np, x: [*np.split(x, [3, 6]), *np.split(x, 7), *np.split(x.swapaxes(0, 2), 2)], dtypes="f32 i64", core=False)  # fmt: skip
def chunks_in_counts(t, dtype, function):
    """Six of seven are four of two at most; the parts of a transpose keep its strides; no more than there are."""
    x = t.randn((7, 2, 4), dtype)
    counts = [len(t.call(function, x, n)) for n in range(1, 9)]
    t.expect(counts == [1, 2, 3, 4, 4, 4, 7, 7], "as many as whole parts make, got %s" % counts)
    turned = t.call(function, x.transpose(0, 2), 2)
    t.expect(all(part.stride() == (1, 4, 8) for part in turned), "the strides of the whole")
    t.raises(TypeError, t.call, function, x, 2.0)
    return [*t.call(function, x, 3), *t.call(function, x, 8), *turned]
