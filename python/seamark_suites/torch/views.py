"""A tensor's numbers in another shape: views, and copies where none is possible."""

from seamark_suites.case import case

from . import reference_views as right
from .pointwise import each

VIEWS = "Tensor.view Tensor.reshape Tensor.transpose Tensor.permute Tensor.squeeze Tensor.unsqueeze Tensor.expand Tensor.flatten"

# What each function is asked for: the shape of its input and its arguments. The first is its core case.
ASKED = {
    "Tensor.view": ("3x4x5", [(12, 5), (-1,), ((4, 15),), (3, 2, 2, -1), (1, 60)]),
    "Tensor.reshape": ("3x4x5", [(12, 5), (-1,), ((4, 15),), (3, 2, 2, -1), (1, 60)]),
    "Tensor.transpose": ("3x4x5", [(0, 2), (-1, 1), (1, 0), (1, 1)]),
    "Tensor.permute": ("3x4x5", [(2, 0, 1), ((0, 2, 1),), (-1, 1, -3), (0, 1, 2)]),
    "Tensor.squeeze": ("1x6x1x5", [(), (0,), (-2,), (1,)]),
    "Tensor.unsqueeze": ("6x5", [(1,), (0,), (-1,), (-3,)]),
    "Tensor.expand": ("3x1x5", [(3, 4, 5), (-1, 2, -1), ((2, 3, 4, 5),), (2, -1, 4, -1)]),
    "Tensor.flatten": ("3x4x5", [(), (1,), (0, 1), (-2, -1), (1, 1)]),
    "Tensor.repeat": ("3x4", [(2, 3), ((1, 2),), (2, 1, 3), (1, 1)]),
}
# An input and arguments that take it apart along its last two axes, of the same size.
SQUARE = {
    "Tensor.reshape": (10, -1),
    "Tensor.transpose": (0, 2),
    "Tensor.permute": (2, 0, 1),
    "Tensor.squeeze": (),
    "Tensor.unsqueeze": (1,),
    "Tensor.expand": (3, -1, -1, -1),
    "Tensor.flatten": (1,),
    "Tensor.repeat": (2, 1, 3),
}


def asked(reference, first=False, **header):
    """The header of each function, with its shape and arguments; `first`: the first of these alone."""

    def declare(body):
        for name, (shape, args) in ASKED.items():
            function = "torch." + name
            case(
                function,
                shapes=shape,
                args=args[:1] if first else args,
                reference=reference(function),
                **header,
            )(body)
        return body

    return declare


@asked(right.gradient, first=True, dtypes="bf16", grad=True, name="gradient")
@asked(right.gradient, dtypes="f32", grad=True, name="gradient")
@asked(right.gradient, first=True, dtypes="f64 c64", grad=True, core=False, name="gradient")
@asked(right.plain, first=True, dtypes="f16 f64 i8 u8 c64 c128", core=False, name="forward")
@asked(right.plain, first=True, dtypes="bf16 i64 i32 bool", name="forward")
@asked(right.plain, dtypes="f32", name="forward")
def arranged(t, dtype, shape, args, function):
    return t.call(function, t.randn(shape, dtype), *args)


@asked(right.with_input, first=True, dtypes="f32 i64", core=False)
def doubled_in_place(t, dtype, shape, args, function):
    """What is written to a view shows in the input; repeat gives a copy."""
    x = t.randn(shape, dtype)
    made = t.call(function, x, *args)
    if function == "torch.Tensor.repeat":
        made.mul_(2)
        return made, 2 * x
    if function == "torch.Tensor.expand":  # each number has several places
        x.mul_(2)
    else:
        made.mul_(2)
    return made, x


def squares(reference, **header):
    def declare(body):
        for name, args in SQUARE.items():
            case("torch." + name, args=[args], reference=reference("torch." + name), **header)(body)
        return body

    return declare


@squares(right.of_views, dtypes="f32 c64", core=False)
def of_strided_input(t, dtype, args, function):
    """Of every other number, and of a transpose: a view where there is one, else a copy."""
    x, y = t.randn((2, 5, 5), dtype, noncontiguous=True), t.randn((2, 5, 5), dtype)
    return [t.call(function, one, *args) for one in (x, y.mT)]


@squares(right.of_each, dtypes="f32", core=False)
def of_three_sizes(t, dtype, args, function):
    """One size after another, with the same arguments where they fit."""
    return [t.call(function, t.randn((2, 5, n), dtype), *args) for n in (3, 5, 8)]


@case(
    "torch.Tensor.view",
    dtypes="f32",
    core=False,
    reference=lambda np, *xs: [x.reshape(-1, 7) for x in xs],
)
@case(
    "torch.Tensor.reshape",
    dtypes="f32",
    core=False,
    reference=lambda np, *xs: [x.reshape(-1, 7) for x in xs],
)
def rows_of_three_sizes(t, dtype, function):
    return [t.call(function, t.randn((7, n), dtype), -1, 7) for n in (5, 8, 13)]


@each(VIEWS, dtypes="f32", core=False)
def shares_the_memory(t, dtype, function):
    """No number is copied: the view knows its base, and tells of a change by its version."""
    x = t.randn((1, 4, 6), dtype)
    args = {"view": (24,), "reshape": (24,), "transpose": (1, 2), "permute": (2, 1, 0), "unsqueeze": (0,),
            "expand": (5, 4, 6)}.get(function.split(".")[-1], ())  # fmt: skip
    made = t.call(function, x, *args)
    t.expect(made._base is x or made._is_view(), "a view")
    before = made._version
    x.zero_()
    t.expect(made._version > before, "a change that is known")
    t.expect(not t.host(made).any(), "zeros in the view, too")


@case(
    "torch.Tensor.view",
    dtypes="f32",
    core=False,
    args=[(12, 5)],
    reference=lambda np, x, args: np.where(np.arange(60).reshape(3, 4, 5) < 30, 2, 1),
)
@case(
    "torch.Tensor.flatten",
    dtypes="f32",
    core=False,
    args=[()],
    reference=lambda np, x, args: np.where(np.arange(60).reshape(3, 4, 5) < 30, 2, 1),
)
@case(
    "torch.Tensor.transpose",
    dtypes="f32",
    core=False,
    args=[(0, 2)],
    reference=lambda np, x, args: np.ones((3, 4, 5)) + (np.arange(5) < 2),
)
def graph_through_a_change(t, dtype, args, function):
    """What is changed in place through a view has the gradient of the change."""
    x = t.randn((3, 4, 5), dtype, grad=True)
    made = x * 1
    half = {"torch.Tensor.view": 6, "torch.Tensor.flatten": 30}.get(function, 2)
    t.call(function, made, *args)[:half].mul_(2)
    return t.fw.autograd.grad(made.sum(), x)[0]


# --- view


@case(
    "torch.Tensor.view",
    dtypes="f32 i64",
    core=False,
    reference=lambda np, x: x[:, ::2].reshape(3, 2, 2, 5).swapaxes(0, 1),
)
def of_gaps_that_fit(t, dtype):
    """A view of gaps is possible where axes are only taken apart."""
    x = t.randn((3, 8, 5), dtype)[:, ::2]
    made = t.call("torch.Tensor.view", x, 3, 2, 2, 5)
    t.expect(made.stride() == (40, 20, 10, 1), "the strides of the gaps")
    return made.transpose(0, 1)


@case(
    "torch.Tensor.view",
    dtypes="f32",
    core=False,
    reference=lambda np, x: [
        x.astype("float32").view("int32"),
        x.astype("float32").view("int16"),
        x.astype("float32").view("int64"),
        x,
    ],
)
def as_another_dtype(t, dtype):
    """The same bits as numbers of another dtype; the last axis grows or shrinks with the size."""
    fw, x = t.fw, t.randn((5, 6), dtype)
    made = [t.call("torch.Tensor.view", x, to) for to in (fw.int32, fw.int16, fw.int64)]
    t.expect([one.shape[1] for one in made] == [6, 12, 3], "6, 12 and 3 columns")
    return [*made, t.call("torch.Tensor.view", made[0], fw.float32)]


@case(
    "torch.Tensor.view",
    dtypes="c64",
    core=False,
    reference=lambda np, x: np.stack([x.real, x.imag], -1).reshape(5, 12),
)
def complex_as_pairs(t, dtype):
    return t.call("torch.Tensor.view", t.randn((5, 6), dtype), t.fw.float32)


@each("Tensor.view Tensor.reshape", lambda function: lambda np, *xs: [
      xs[0].reshape(1, 1), xs[1].reshape(()), xs[2].reshape(0, 5), xs[2].reshape(-1), xs[2].reshape(3, 0, 7)],
      dtypes="f32", core=False)  # fmt: skip
def scalar_and_nothing(t, dtype, function):
    x, y, z = t.randn((), dtype), t.randn((1, 1), dtype), t.randn((0, 3), dtype)
    asked = (x, (1, 1)), (y, ((),)), (z, (0, 5)), (z, (-1,)), (z, (3, 0, 7))
    return [t.call(function, one, *args) for one, args in asked]


@each("Tensor.view Tensor.reshape", core=False)
def sizes_that_do_not_fit(t, function):
    """Another number of elements, two sizes to infer, one that could be any."""
    x, none = t.randn((3, 4, 5), "f32"), t.randn((0, 3), "f32")
    for args in ((7, 9), (7, -1), (-1, -1), (-2, 30)):
        t.raises(RuntimeError, t.call, function, x, *args)
    t.raises(RuntimeError, t.call, function, none, 0, -1)


@case("torch.Tensor.view", core=False, reference="none")
def no_view_of_these(t):
    """Strides that span two axes; bits that do not fill the last axis."""
    x = t.randn((3, 4, 5), "f32")
    t.raises(RuntimeError, t.call, "torch.Tensor.view", x.mT, 60)
    t.raises(RuntimeError, t.call, "torch.Tensor.view", x[:, :2], 30)
    t.raises(RuntimeError, t.call, "torch.Tensor.view", x, t.fw.float64)


# --- reshape, flatten: a view where there is one, else a copy


@case(
    "torch.Tensor.reshape",
    dtypes="f32",
    args=[(60,)],
    core=False,
    reference=lambda np, x, args: (x.T.reshape(60), x),
)
@case(
    "torch.Tensor.flatten",
    dtypes="f32",
    args=[()],
    core=False,
    reference=lambda np, x, args: (x.T.reshape(60), x),
)
def copies_where_it_must(t, dtype, args, function):
    """Of a transpose it is a copy: the input stays as it was."""
    x = t.randn((6, 10), dtype)
    made = t.call(function, x.mT, *args)
    kept = made.clone()
    made.zero_()
    return kept, x


@case(
    "torch.Tensor.reshape",
    dtypes="f32",
    args=[(-1,)],
    large=True,
    reference=lambda np, x, args: x.T.reshape(-1),
)
@case(
    "torch.Tensor.flatten",
    dtypes="f32",
    args=[()],
    large=True,
    reference=lambda np, x, args: x.T.reshape(-1),
)
def copies_many(t, dtype, args, function):
    return t.call(function, t.randn((2048, 2048), dtype).mT, *args)


@case("torch.Tensor.flatten", dtypes="f32", core=False, reference=lambda np, x, y, z, image: [
      x.reshape(1), y, z.reshape(3, 0), image.reshape(2, -1)])  # fmt: skip
def flat_odd_input(t, dtype):
    """A scalar becomes a vector; a vector is given back as it is; nothing; channels last."""
    x, y, z = t.randn((), dtype), t.randn((7,), dtype), t.randn((3, 0, 4), dtype)
    image = t.randn((2, 3, 4, 5), dtype)
    last = image.contiguous(memory_format=t.fw.channels_last)
    made = [t.call("torch.Tensor.flatten", one) for one in (x, y)]
    t.expect(made[1] is y, "the same tensor")
    return [*made, t.call("torch.Tensor.flatten", z, 1), t.call("torch.Tensor.flatten", last, 1)]


@case(
    "torch.Tensor.flatten",
    dtypes="f32",
    core=False,
    reference=lambda np, x: [x.reshape(2, 12, 5), x.reshape(6, 4, 5)],
)
def flat_by_keyword(t, dtype):
    x = t.randn((2, 3, 4, 5), dtype)
    one = t.call("torch.Tensor.flatten", x, start_dim=1, end_dim=2)
    return one, t.call("torch.Tensor.flatten", x, end_dim=-3)


@case("torch.Tensor.flatten", core=False, reference="none")
def flatten_refuses(t):
    x = t.randn((3, 4, 5), "f32")
    t.raises(RuntimeError, t.call, "torch.Tensor.flatten", x, 1, 0)
    t.raises(IndexError, t.call, "torch.Tensor.flatten", x, 3)
    t.raises(IndexError, t.call, "torch.Tensor.flatten", x, 0, -4)


# --- transpose, permute


@case(
    "torch.Tensor.transpose",
    dtypes="f32",
    core=False,
    reference=lambda np, x, y, image: [x, y.T, image.swapaxes(1, 3)],
)
def odd_transposes(t, dtype):
    """A scalar, an empty matrix, channels last; the strides change places."""
    x, y, image = t.randn((), dtype), t.randn((0, 3), dtype), t.randn((2, 3, 4, 5), dtype)
    last = image.contiguous(memory_format=t.fw.channels_last)
    made = t.call("torch.Tensor.transpose", last, 1, 3)
    t.expect(made.stride() == (60, 3, 15, 1), "the strides of channels last, exchanged")
    return [
        t.call("torch.Tensor.transpose", x, 0, -1),
        t.call("torch.Tensor.transpose", y, 0, 1),
        made,
    ]


@case("torch.Tensor.permute", dtypes="f32", core=False, reference=lambda np, x, y, image: [
      x, y.transpose(2, 1, 0), image.transpose(0, 2, 3, 1)])  # fmt: skip
def odd_permutations(t, dtype):
    """No axes, an empty axis; of channels last the channels' axis goes last without a copy."""
    x, y, image = t.randn((), dtype), t.randn((2, 0, 3), dtype), t.randn((2, 3, 4, 5), dtype)
    last = image.contiguous(memory_format=t.fw.channels_last)
    made = t.call("torch.Tensor.permute", last, 0, 2, 3, 1)
    t.expect(made.is_contiguous(), "in order")
    return [t.call("torch.Tensor.permute", x, ()), t.call("torch.Tensor.permute", y, 2, 1, 0), made]  # fmt: skip


@case("torch.Tensor.transpose", core=False, reference="none")
def transpose_refuses(t):
    x = t.randn((3, 4), "f32")
    t.raises(IndexError, t.call, "torch.Tensor.transpose", x, 0, 2)
    t.raises(IndexError, t.call, "torch.Tensor.transpose", x, -3, 0)


@case("torch.Tensor.permute", core=False, reference="none")
def permute_refuses(t):
    """Too few axes, one twice, one that is not there."""
    x = t.randn((3, 4, 5), "f32")
    t.raises(RuntimeError, t.call, "torch.Tensor.permute", x, 0, 1)
    t.raises(RuntimeError, t.call, "torch.Tensor.permute", x, 0, 0, 1)
    t.raises(IndexError, t.call, "torch.Tensor.permute", x, 0, 1, 3)


# --- squeeze, unsqueeze


@case("torch.Tensor.squeeze", dtypes="f32", dims=[(0, 2), (0, 1), (-1, 0)], core=False, since=("2.0", "several axes"),
      reference=lambda np, x, dims: right.squeezed(np, x, dims))  # fmt: skip
def of_several_axes(t, dtype, dims):
    return t.call("torch.Tensor.squeeze", t.randn((1, 6, 1, 5, 1), dtype), dims)


@case(
    "torch.Tensor.squeeze",
    dtypes="f32",
    core=False,
    reference=lambda np, x, y, z, one: [x, x, y[0, :, 0], z[0], one.reshape(())],
)
def squeezes_odd_input(t, dtype):
    """A scalar, with an axis and without; nothing; a batch of one; all that there is."""
    x, y, z = t.randn((), dtype), t.randn((1, 0, 1), dtype), t.randn((1, 3, 4), dtype)
    one, squeeze = t.randn((1, 1, 1), dtype), "torch.Tensor.squeeze"
    return [
        t.call(squeeze, x),
        t.call(squeeze, x, 0),
        t.call(squeeze, y),
        t.call(squeeze, z),
        t.call(squeeze, one),
    ]


@case(
    "torch.Tensor.unsqueeze",
    dtypes="f32",
    core=False,
    reference=lambda np, x, y: [x[None], y[:, None], y[..., None]],
)
def unsqueezes_odd_input(t, dtype):
    x, y, unsqueeze = t.randn((), dtype), t.randn((0, 3), dtype), "torch.Tensor.unsqueeze"
    return [t.call(unsqueeze, x, 0), t.call(unsqueeze, y, 1), t.call(unsqueeze, y, -1)]


@case("torch.Tensor.squeeze", dtypes="f32", core=False, reference=lambda np, x: (x[0, :, 0],) * 2)
@case("torch.Tensor.unsqueeze", dtypes="f32", core=False, reference=lambda np, x: (x[None],) * 2)
def shape_in_place(t, dtype, function):
    """squeeze_ and unsqueeze_ change the shape of the tensor itself."""
    x = t.randn((1, 6, 1), dtype)
    args = () if function == "torch.Tensor.squeeze" else (0,)
    return t.call(function + "_", x, *args), x


@each("Tensor.squeeze Tensor.unsqueeze", core=False)
def no_such_place(t, function):
    x, more = t.randn((3, 1), "f32"), int(function == "torch.Tensor.unsqueeze")
    t.raises(IndexError, t.call, function, x, 2 + more)
    t.raises(IndexError, t.call, function, x, -3 - more)


# --- expand, repeat


@case("torch.Tensor.expand", dtypes="f32", core=False, reference=lambda np, x, y, z: [
      np.broadcast_to(x, (2, 3)), np.zeros((3, 0)), np.zeros((4, 0, 5)), z])  # fmt: skip
def expands_odd_input(t, dtype):
    """A scalar, to nothing, of nothing, to its own size."""
    x, y, z, expand = (
        t.randn((), dtype),
        t.randn((3, 1), dtype),
        t.randn((3, 4), dtype),
        "torch.Tensor.expand",
    )
    none = y[:0].reshape(0, 1)
    return [
        t.call(expand, x, 2, 3),
        t.call(expand, y, 3, 0),
        t.call(expand, none, 4, 0, 5),
        t.call(expand, z, 3, 4),
    ]


@case(
    "torch.Tensor.expand",
    dtypes="f32",
    core=False,
    reference=lambda np, x, y: np.broadcast_to(x, (4, 5)) * y,
)
def costs_no_memory(t, dtype):
    """Repeated axes have the stride zero; a sum of them is as of a copy."""
    made = t.call("torch.Tensor.expand", t.randn((4, 1), dtype), 4, 5)
    t.expect(made.stride() == (1, 0), "a stride of zero")
    t.raises(RuntimeError, made.add_, 1)  # several elements in one place
    return made * t.randn((4, 5), dtype)


@case("torch.Tensor.expand", core=False, reference="none")
def expand_refuses(t):
    x = t.randn((3, 4), "f32")
    for sizes in ((3,), (3, 5), (-1, 3, 4), (-2, 4)):
        t.raises(RuntimeError, t.call, "torch.Tensor.expand", x, *sizes)


@case("torch.Tensor.repeat", dtypes="f32", core=False, reference=lambda np, x, y, z: [
      np.tile(x, (2, 3)), x, np.zeros((6, 0)), np.zeros((0, 6)), np.tile(z, 3)])  # fmt: skip
def repeats_odd_input(t, dtype):
    """A scalar, no times, of nothing, a vector."""
    x, y, z, repeat = (
        t.randn((), dtype),
        t.randn((3, 2), dtype),
        t.randn((4,), dtype),
        "torch.Tensor.repeat",
    )
    return [
        t.call(repeat, x, 2, 3),
        t.call(repeat, x, ()),
        t.call(repeat, y, 2, 0),
        t.call(repeat, y[:0], 2, 3),
        t.call(repeat, z, 3),
    ]


@case(
    "torch.Tensor.repeat",
    dtypes="f32",
    shapes="512x1024",
    large=True,
    reference=lambda np, x: np.tile(x, (4, 3)),
)
def repeats_many(t, dtype, shape):
    return t.call("torch.Tensor.repeat", t.randn(shape, dtype), 4, 3)


@case("torch.Tensor.repeat", core=False, reference="none")
def repeat_refuses(t):
    """Fewer numbers than axes, a negative number."""
    x = t.randn((3, 4), "f32")
    t.raises(RuntimeError, t.call, "torch.Tensor.repeat", x, 2)
    t.raises(RuntimeError, t.call, "torch.Tensor.repeat", x, 2, -1)
