"""Methods that arrange a tensor's numbers: chunk, unbind, t, flip, index_select, repeat_interleave."""

from seamark_suites.case import case

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
