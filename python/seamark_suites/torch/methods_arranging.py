"""Methods that arrange a tensor's numbers: chunk, unbind, t, flip, index_select, repeat_interleave."""

from seamark_suites.case import case
from seamark_suites.reference import affine_pull

from . import reference_methods as right
from . import reference_views
from .pointwise import each
from .reference import with_gradient

# Arguments; what they must give of a 6x4 matrix. An index is drawn by the body.
ASKED = {
    "torch.Tensor.chunk": ((4,), lambda np, x: reference_views.chunks(np, x, 4)),
    "torch.Tensor.unbind": ((1,), lambda np, x: right.unbound(np, x, 1)),
    "torch.Tensor.t": ((), lambda np, x: x.T),
    "torch.Tensor.flip": (((0, 1),), lambda np, x: x[::-1, ::-1]),
    "torch.Tensor.unflatten": ((0, (2, -1)), lambda np, x: x.reshape(2, -1, x.shape[1])),
    "torch.Tensor.repeat_interleave": ((3, 0), lambda np, x: np.repeat(x, 3, 0)),
}
ALL = " ".join(name.replace("torch.", "") for name in ASKED)


def plain(function):
    return ASKED[function][1]


def gradient(function):
    return with_gradient(ASKED[function][1])


def of_each(function):
    return lambda np, *xs: [ASKED[function][1](np, x) for x in xs]


@each(ALL, gradient, dtypes="f32 bf16", grad=True, name="gradient")
@each(ALL, plain, dtypes="f32 bf16 i64 bool", name="forward")
@each(ALL, plain, dtypes="f16 f64 i32 u8 c64", core=False, name="forward")
def arranged(t, dtype, function):
    return t.call(function, t.randn((6, 4), dtype), *ASKED[function][0])


@each(ALL, of_each, dtypes="f32", core=False)
def three_sizes(t, dtype, function):
    return [t.call(function, t.randn((6, n), dtype), *ASKED[function][0]) for n in (5, 8, 13)]


@each(
    ALL,
    lambda function: lambda np, x, y: [ASKED[function][1](np, x), ASKED[function][1](np, y.T)],
    dtypes="f32 i64",
    core=False,
)
def of_strided(t, dtype, function):
    """Of every other number, and of a transpose."""
    x, y = t.randn((6, 4), dtype, noncontiguous=True), t.randn((4, 6), dtype)
    return [t.call(function, one, *ASKED[function][0]) for one in (x, y.mT)]


@each(ALL, lambda function: lambda np, x: plain(function)(np, x), dtypes="f32", large=True)
def of_many(t, dtype, function):
    """Views are copied, so that there is something to do."""
    method, args = t.get(function), ASKED[function][0]
    x = t.randn((2048, 1024) if function != "torch.Tensor.unbind" else (65536, 16), dtype)

    def copied(x):
        made = method(x, *args)
        return [one.clone() for one in made] if isinstance(made, tuple) else made.clone()

    return t.call(copied, x)


@each("Tensor.chunk Tensor.unbind Tensor.t Tensor.unflatten", dtypes="f32", core=False)
def shares_the_memory(t, dtype, function):
    x = t.randn((6, 4), dtype)
    made = t.call(function, x, *ASKED[function][0])
    x.zero_()
    for one in made if isinstance(made, tuple) else [made]:
        t.expect(not t.host(one).any(), "zeros in the view, too")


@each(
    "Tensor.chunk Tensor.unbind Tensor.flip Tensor.unflatten Tensor.repeat_interleave", core=False
)
def no_such_axis(t, function):
    x = t.randn((6, 4), "f32")
    args = {
        "chunk": (2, 2),
        "unbind": (2,),
        "flip": ((2,),),
        "unflatten": (2, (2, 2)),
        "repeat_interleave": (2, 2),
    }
    t.raises(IndexError, t.call, function, x, *args[function.split(".")[-1]])


@case("torch.Tensor.t", dtypes="f32", core=False, reference=lambda np, cube, x, y: [x, y])
def of_a_vector_or_scalar(t, dtype):
    """They come back as they are; three axes raise."""
    t.raises(RuntimeError, t.call, "torch.Tensor.t", t.randn((2, 3, 4), dtype))
    return [t.call("torch.Tensor.t", t.randn(shape, dtype)) for shape in ((5,), ())]


@case(
    "torch.Tensor.chunk",
    dtypes="f32",
    args=[(2, -1), (5, 0), (20, 1)],
    core=False,
    reference=lambda np, x, args: reference_views.chunks(np, x, *args),
)
def other_chunks(t, dtype, args):
    """The last may be smaller, and there may be fewer than asked."""
    return t.call("torch.Tensor.chunk", t.randn((11, 7), dtype), *args)


@case(
    "torch.Tensor.unflatten",
    dtypes="f32",
    args=[(-1, (2, 3, 2)), (1, (-1, 4))],
    core=False,
    reference=lambda np, x, args: right.unflattened(np, x, *args),
)
def other_sizes(t, dtype, args):
    x = t.randn((3, 12), dtype)
    t.raises(RuntimeError, t.call, "torch.Tensor.unflatten", x, 1, (5, -1))
    return t.call("torch.Tensor.unflatten", x, *args)


@case(
    "torch.Tensor.flip",
    dtypes="f32 i64",
    core=False,
    reference=lambda np, x: [x[:, ::-1], x[:, :, ::-1], x[::-1, :, ::-1]],
)
def other_flips(t, dtype):
    x = t.randn((3, 4, 5), dtype)
    t.raises(RuntimeError, t.call, "torch.Tensor.flip", x, (0, 0))
    return [t.call("torch.Tensor.flip", x, *dims) for dims in ((1,), (-1,), (0, 2))]


@case(
    "torch.Tensor.repeat_interleave",
    dtypes="f32 i64",
    reference=lambda np, x, counts: [np.repeat(x, counts, 1), np.repeat(x, 2)],
)
def by_counts(t, dtype):
    """Counts of each, zero among them; without an axis the numbers in a row; negative ones raise."""
    x, counts = t.randn((3, 4), dtype), t.const([2, 0, 3, 1], "i64")
    t.raises(RuntimeError, t.call, "torch.Tensor.repeat_interleave", x, -1, 0)
    return [
        t.call("torch.Tensor.repeat_interleave", x, counts, 1),
        t.call("torch.Tensor.repeat_interleave", x, 2),
    ]


@case("torch.Tensor.flip", dtypes="f32 i64", core=False, reference=lambda np, x, y: [
      x[::-1], x[:, ::-1], np.broadcast_to(x[:1], (3, 4))[:, ::-1], y[:, :, ::-1]])  # fmt: skip
def flips_by_keyword(t, dtype):
    """One axis as a number, by name; of what is broadcast; channels last, which stay so."""
    x, y = t.randn((5, 4), dtype), t.randn((2, 3, 4, 5), dtype)
    last = t.call("torch.Tensor.flip", y.contiguous(memory_format=t.fw.channels_last), 2)
    return [
        t.call("torch.Tensor.flip", x, 0),
        t.call("torch.Tensor.flip", x, dims=[-1]),
        t.call("torch.Tensor.flip", x[:1].expand(3, 4), 1),
        last,
    ]


@case(
    "torch.Tensor.permute",
    dtypes="f32",
    core=False,
    reference=lambda np, x: [x.transpose(2, 0, 1), x.transpose(1, 0, 2)],
)
def permuted_by_keyword(t, dtype):
    x = t.randn((3, 4, 5), dtype)
    return [
        t.call("torch.Tensor.permute", x, dims=(2, 0, 1)),
        t.call("torch.Tensor.permute", x, [1, -3, -1]),
    ]


# --- expand_as, index_select


@case("torch.Tensor.expand_as", dtypes="f32 bf16", grad=True, name="gradient", reference=with_gradient(
      lambda np, x, y: np.broadcast_to(x, y.shape), lambda np, w, x, y: w.sum((0, 2)).reshape(3, 1), of=[0]))  # fmt: skip
@case(
    "torch.Tensor.expand_as",
    dtypes="f32 bf16 i64",
    name="forward",
    reference=lambda np, x, y: np.broadcast_to(x, y.shape),
)
@case(
    "torch.Tensor.expand_as",
    dtypes="f16 f64 c64 u8",
    core=False,
    name="forward",
    reference=lambda np, x, y: np.broadcast_to(x, y.shape),
)
def expanded(t, dtype):
    return t.call("torch.Tensor.expand_as", t.randn((3, 1), dtype), t.randn((2, 3, 4), "i64"))


@case("torch.Tensor.expand_as", dtypes="f32", core=False, reference="none")
def expands_without_a_copy(t, dtype):
    x = t.randn((3, 1), dtype)
    made = t.call("torch.Tensor.expand_as", x, t.randn((3, 4), dtype))
    t.expect(made.stride()[1] == 0, "no step along the new axis")
    t.raises(RuntimeError, t.call, "torch.Tensor.expand_as", x, t.randn((2, 4), dtype))


@case("torch.Tensor.index_select", dtypes="f32 bf16", grad=True, name="gradient", reference=with_gradient(
      lambda np, x, i: x[i], lambda np, w, x, i: np.stack([w[i == n].sum(0) for n in range(6)]), of=[0]))  # fmt: skip
@case(
    "torch.Tensor.index_select",
    dtypes="f32 bf16 i64 bool",
    name="forward",
    reference=lambda np, x, i: x[i],
)
@case(
    "torch.Tensor.index_select",
    dtypes="f16 f64 c64 u8",
    core=False,
    name="forward",
    reference=lambda np, x, i: x[i],
)
def selected(t, dtype):
    """An index may stand there twice: its gradient adds up."""
    return t.call(
        "torch.Tensor.index_select", t.randn((6, 5), dtype), 0, t.const([4, 0, 4, 2], "i64")
    )


@case(
    "torch.Tensor.index_select",
    dtypes="f32 i64",
    core=False,
    reference=lambda np, x, i: [x[:, i], x.T[:, i]],
)
def selected_of_strided(t, dtype):
    x, i = t.randn((6, 6), dtype, noncontiguous=True), t.const([5, 1, 1], "i32")
    return [t.call("torch.Tensor.index_select", y, -1, i) for y in (x, x.mT)]


@case("torch.Tensor.index_select", dtypes="f32", large=True, reference=lambda np, x, i: x[i])
def selects_many(t, dtype):
    return t.call(
        "torch.Tensor.index_select",
        t.randn((2048, 1024), dtype),
        0,
        t.randint((4096,), "i64", 0, 2048),
    )


@case("torch.Tensor.index_select", core=False, reference="none")
def index_select_refuses(t):
    """A matrix of indices, fractions, no such axis."""
    x = t.randn((6, 5), "f32")
    t.raises(
        (RuntimeError, IndexError),
        t.call,
        "torch.Tensor.index_select",
        x,
        0,
        t.randint((2, 2), "i64", 0, 5),
    )
    t.raises(
        (RuntimeError, IndexError), t.call, "torch.Tensor.index_select", x, 0, t.randn((2,), "f32")
    )
    t.raises(IndexError, t.call, "torch.Tensor.index_select", x, 2, t.randint((2,), "i64", 0, 5))


# --- index_select

SELECT = "torch.Tensor.index_select"


@case(SELECT, dtypes="f32 i64 bool c64", core=False, trivial=True, reference=lambda np, x, one, i, far, zero: [
      x[:, [2, 0, 2]], x[..., [2, 0, 2]], x[[1]], one, one, x[:0], x[:, :, :0], x[:, [3, 1, 3, 0]]])  # fmt: skip
def along_each_axis(t, dtype):
    """The middle, the last by its negative; one index without axes, of one number; no index; an index with gaps."""
    x, one = t.randn((2, 4, 5), dtype), t.randn((), dtype)
    i, far, zero = (
        t.const([2, 0, 2], "i32"),
        t.const([3, 9, 1, 9, 3, 9, 0], "i64"),
        t.const([0], "i64"),
    )
    given = (
        (x, 1, i), (x, -1, i), (x, 0, zero[0] + 1), (one, 0, zero), (one, -1, zero[0]), (x, 0, zero[:0]), (x, 2, i[:0]),
        (x, 1, far[::2]),
    )  # fmt: skip
    return [t.call(SELECT, *args) for args in given]


def by_index(np, x, index):
    return x[:, index.astype(int)]


@case(SELECT, dtypes="f64 c64 f16", grad=True, core=False, reference=with_gradient(by_index, affine_pull(by_index)))  # fmt: skip
def gradient_along_the_middle(t, dtype):
    """What is taken twice has the sum, what is not taken zero."""
    return t.call(SELECT, t.randn((2, 4, 3), dtype), dim=1, index=t.const([3, 0, 3], "i64"))


@case(SELECT, dtypes="f32", core=False, reference=lambda np, x, i: [x[[1, 3]], x[[0, 2]], np.broadcast_to(x[:1], (4, 5))[[1, 1]]])  # fmt: skip
def gives_a_copy(t, dtype):
    """What is written to it does not show; of what is broadcast, too."""
    x, i = t.randn((4, 5), dtype), t.const([1, 3], "i64")
    made = t.call(SELECT, x, 0, i)
    kept = made.clone()
    made.zero_()
    return [
        kept,
        t.call(SELECT, x, 0, i - 1),
        t.call(SELECT, x[:1].expand(4, 5), 0, i[:1].expand(2)),
    ]


@case(SELECT, dtypes="f32", core=False, reference=lambda np, *xs: [x[i.astype(int)] for x, i in zip(xs[::2], xs[1::2])])  # fmt: skip
def selects_of_three_sizes(t, dtype):
    return [
        t.call(SELECT, t.randn((n, 7), dtype), 0, t.randint((n - 2,), "i64", 0, n))
        for n in (5, 8, 13)
    ]


@case(SELECT, core=False, reference="none")
def index_select_refuses_other_kinds(t):
    """Booleans, small integers, a list, no index; two of one number."""
    x = t.randn((4, 5), "f32")
    kinds = (RuntimeError, IndexError)
    for kind in ("bool", "i16", "u8"):
        t.raises(kinds, t.call, SELECT, x, 0, t.const([1, 0], kind))
    t.raises(TypeError, t.call, SELECT, x, 0, [1, 0])
    t.raises(TypeError, t.call, SELECT, x, 0)
    t.raises(kinds, t.call, SELECT, x[0, 0], 0, t.const([0, 0], "i64"))


@case(SELECT, host_only=True, core=False, reference="none")
def index_beyond_the_axis(t):
    """On the host, where it is told at once: beyond the end, negative, of an axis without numbers."""
    x = t.randn((4, 5), "f32")
    for wrong in (4, -1, 2**40):
        t.raises((RuntimeError, IndexError), t.call, SELECT, x, 0, t.const([0, wrong], "i64"))
    t.raises((RuntimeError, IndexError), t.call, SELECT, x[:0], 0, t.const([0], "i64"))


# --- repeat_interleave, unflatten

REPEAT, UNFLATTEN = "torch.Tensor.repeat_interleave", "torch.Tensor.unflatten"


@case(REPEAT, dtypes="f32 i64", core=False, trivial=True, reference=lambda np, x, three, *none: [
      np.repeat(x, 3, 1), np.repeat(x, 3), x[:, :0], x[:0], np.repeat(x.T, [1, 2, 0, 1], 0)])  # fmt: skip
def by_one_count_or_none(t, dtype):
    """One count in a tensor for all, with and without an axis; zero times; nothing; of a transpose by counts."""
    x, three = t.randn((3, 4), dtype), t.const([3], "i64")
    counts = t.const([1, 2, 0, 1], "i64")
    given = (x, three, 1), (x, three), (x, 0, 1), (x[:0], 3, 0), (x.mT, counts, 0)
    return [t.call(REPEAT, *args) for args in given]


@case(REPEAT, core=False, reference="none")
def repeat_interleave_refuses(t):
    """Counts of another length, fractions, a matrix of counts, another size than they make; a fraction."""
    x, kinds = t.randn((3, 4), "f32"), (RuntimeError, NotImplementedError)
    for wrong in (t.const([1, 2], "i64"), t.const([1.0, 2, 3], "f32"), t.const([[1, 2, 3]], "i64")):
        t.raises(kinds, t.call, REPEAT, x, wrong, 0)
    counts = t.const([1, 2, 0], "i64")
    for size in (2, 4):
        t.raises(kinds, t.call, REPEAT, x, counts, 0, output_size=size)
    for wrong in (t.const([1, -1, 2], "i64"), t.const([-1], "i64"), t.const([0, 0, -3], "i32")):
        t.raises(kinds, t.call, REPEAT, x, wrong, 0)
    t.raises(TypeError, t.call, REPEAT, x, 2.5)
    t.raises(TypeError, t.call, REPEAT, x)


def _repeated(np, x, each=(0, 1, 2)):
    return [np.repeat(x, 2, 1), np.repeat(x, each, 1), np.repeat(x, 3), np.repeat(x, 2, -1)]


@case(REPEAT, dtypes="f32 bf16 f64 c64", grad=True, core=False, reference=with_gradient(
      lambda np, x: _repeated(np, x), affine_pull(_repeated)))  # fmt: skip
def along_the_middle(t, dtype):
    """Of three axes the middle one, by a number and by counts; without an axis; the last."""
    repeat, counts = t.get(REPEAT), t.fw.arange(3, device=t.device)
    return t.call(
        lambda x: [repeat(x, repeats=2, dim=1), repeat(x, repeats=counts, dim=1), repeat(x, 3), repeat(x, 2, -1)],
        t.randn((2, 3, 4), dtype),
    )  # fmt: skip


@case(REPEAT, dtypes="f32 i64", core=False, trivial=True, reference=lambda np, x, counts, two: [
      np.repeat(x, [1, 0, 2, 3, 1, 1]), np.repeat(x, 2), np.repeat(x, 2, 1), np.zeros(0), np.zeros((2, 0)), np.zeros((0, 3))])  # fmt: skip
def counts_without_axes(t, dtype):
    """A count for each number in a row; one count that has no axes; no counts of no numbers, along an axis too."""
    x, counts, two = t.randn((2, 3), dtype), t.const([1, 0, 2, 3, 1, 1], "i64"), t.const(2, "i64")
    none = counts[:0]
    given = (x, counts), (x, two), (x, two, 1), (x[0, :0], none), (x[:, :0], none, 1), (x[:0], none, 0)  # fmt: skip
    return [t.call(REPEAT, *args) for args in given]


@case(UNFLATTEN, dtypes="f32 i64", core=False, trivial=True, reference=lambda np, x, y, none: [
      x.reshape(3, 4), x.reshape(12, 1), x.reshape(2, 3, 2), y[:, ::2].reshape(5, 3, 2), y.T.reshape(12, 5, 1),
      none.reshape(2, 2, 0), none.reshape(4, 2, 0, 3)])  # fmt: skip
def by_ways_to_say_sizes(t, dtype):
    """A list, torch.Size, by keyword; of gaps, of a transpose; an axis of nothing, and one beside it."""
    x, y, none = t.randn((12,), dtype), t.randn((5, 12), dtype), t.randn((4, 0), dtype)
    made = t.call(UNFLATTEN, x, dim=-1, sizes=(2, -1, 2))
    return [
        t.call(UNFLATTEN, x, 0, [3, 4]),
        t.call(UNFLATTEN, x, 0, t.fw.Size([12, 1])),
        made,
        t.call(UNFLATTEN, y[:, ::2], 1, (3, 2)),
        t.call(UNFLATTEN, y.mT, -1, (5, 1)),
        t.call(UNFLATTEN, none, 0, (2, 2)),
        t.call(UNFLATTEN, none, 1, (2, 0, 3)),
    ]


@case(UNFLATTEN, dtypes="f64 c64", grad=True, core=False, reference=with_gradient(
      lambda np, x: x.reshape(3, 2, 2, 2), lambda np, w, x: w.reshape(3, 4, 2)))  # fmt: skip
def gradient_of_the_middle(t, dtype):
    return t.call(UNFLATTEN, t.randn((3, 4, 2), dtype), -2, (2, -1))


@case(UNFLATTEN, core=False, reference="none")
def unflatten_refuses(t):
    """No sizes, two to infer, another product, a negative one, one number for several; of a number."""
    x = t.randn((12,), "f32")
    for wrong in ((), (5, 2), (-1, -1), (-2, -6), (0, -1)):
        t.raises(RuntimeError, t.call, UNFLATTEN, x, 0, wrong)
    t.raises(TypeError, t.call, UNFLATTEN, x, 0, 12)
    t.raises((RuntimeError, IndexError), t.call, UNFLATTEN, x[0], 0, (1,))
