"""Calls of layers and functions that are seldom made: batches of nothing, many numbers in one line, states without a count, and what is refused."""

from seamark_suites.case import case
from seamark_suites.transformed import each_of

T = "torch.Tensor."
NORM, BATCH, EMBEDDING = "torch.nn.LayerNorm", "torch.nn.BatchNorm2d", "torch.nn.Embedding"
RESIZE, PAD, GATHER = "torch.nn.functional.interpolate", "torch.nn.functional.pad", "torch.gather"
SHAPES = {"linear": (1, 3), "bilinear": (1, 3, 2), "bicubic": (1, 3, 2), "trilinear": (1, 3, 2, 2)}


@case(RESIZE, dtypes="f32", core=False, reference=lambda np, x: [x, x.repeat(2, -1)])
def by_a_little_more_than_whole(t, dtype):
    """The exact nearest one, by the factor as it is said."""
    x, how = t.randn((2, 1, 20), dtype), {"mode": "nearest-exact", "recompute_scale_factor": False}
    return [t.call(RESIZE, x, scale_factor=1.00001, **how), t.call(RESIZE, x, scale_factor=2.00001, **how)]  # fmt: skip


def _thrice(np, x, mode):
    """Between the two nearest of five places, along each axis behind the first two."""
    at = np.clip((np.arange(15) + 0.5) / 3 - 0.5, 0, 4)
    weights = np.maximum(1 - abs(at[:, None] - np.arange(5)), 0)
    made = np.pad(x, ((0, 0), (0, 0), *((0, 1),) * (x.ndim - 2)))
    for axis in range(2, x.ndim):
        made = np.moveaxis(np.moveaxis(made, axis, -1) @ weights.T, -1, axis)
    return made


@case(RESIZE, dtypes="f32", core=False, reference=_thrice, mode=["linear", "bilinear", "trilinear"])
def zeros_behind_change_nothing(t, dtype, mode):
    """What is far from the end does not depend on where that is."""
    axes = ["linear", "bilinear", "trilinear"].index(mode) + 1
    x = t.fw.zeros(1, 1, *(9,) * axes, device=t.device)
    x[(slice(None), slice(None), *(slice(4),) * axes)] = t.randn((1, 1, *(4,) * axes), dtype)
    near = x[(slice(None), slice(None), *(slice(5),) * axes)]
    whole = t.call(RESIZE, x, scale_factor=3, mode=mode, align_corners=False)
    part = t.call(RESIZE, near, scale_factor=3, mode=mode, align_corners=False)
    seen = (slice(None), slice(None), *(slice(12),) * axes)
    t.expect(bool((whole[seen] == part[seen]).all()), "the same")
    return part


@case(
    RESIZE,
    dtypes="f32 f16 bf16",
    core=False,
    mode=list(SHAPES),
    reference=lambda np, x, mode: x[..., [0, -1]],
)
def only_the_corners(t, dtype, mode):
    """Of a line longer than a half counts, two: its first and its last exactly."""
    x = t.randn((*SHAPES[mode], 2052 if dtype == "f16" else 260), dtype)
    made = t.call(RESIZE, x, (*SHAPES[mode][2:], 2), mode=mode, align_corners=True)
    t.expect(bool((made == x[..., [0, -1]]).all()), "the corners")
    return made


@case(RESIZE, core=False, reference="none")
def factors_beyond_all_sizes(t):
    x = t.randn((1, 1, 16, 16), "f32")
    for factor in (-1e20, 1e20):
        t.raises(RuntimeError, t.call, RESIZE, x, scale_factor=factor, mode="bilinear", align_corners=False)  # fmt: skip


@case(NORM, core=False, reference="none")
def shapes_that_are_not_its_own(t):
    for own, given in (((2, 3), (3,)), ((2,), (1, 2, 3)), ((10,), (2, 3)), (10, (2, 3)), ((), ())):
        t.raises(
            RuntimeError,
            lambda own=own, given=given: t.call(t.construct(NORM, own), t.randn(given, "f32")),
        )


def _rows_learn(np, x, up, weight, bias):
    """Of the layer's first axis: the gradients of the input, the weights and the bias."""
    x, weight, up = (one.astype("float64") for one in (x, weight, up))
    scale = 1 / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
    near, push = (x - x.mean(-1, keepdims=True)) * scale, up * weight
    slope = scale * (
        push - push.mean(-1, keepdims=True) - near * (push * near).mean(-1, keepdims=True)
    )
    return 2 * [near * weight + bias, slope, (up * near).sum(0), up.sum(0)]


@case(NORM, dtypes="f32 f64", core=False, reference=_rows_learn)
def gradient_with_and_without_a_graph(t, dtype):
    """The gradient for which a graph is made is the other one."""
    x, up, layer = t.randn((6, 5), dtype), t.randn((6, 5), dtype), t.construct(NORM, 5, dtype=dtype)
    found = []
    for graph in (False, True):
        leaf = x.clone().requires_grad_()
        made = t.call(layer, leaf)
        slopes = t.fw.autograd.grad(made, (leaf, layer.weight, layer.bias), up, create_graph=graph)
        found += [made.detach(), *(one.detach() for one in slopes)]
    return found


@case(BATCH, core=False, reference="none")
def learns_nothing_of_nothing(t):
    """Of a batch of none: no result, no gradients, and the counts and means as they were."""
    layer = t.construct(BATCH, 3)
    x = t.randn((0, 3, 2, 2), "f32").requires_grad_()
    made = t.call(layer, x)
    made.sum().backward()
    t.expect(made.shape == (0, 3, 2, 2) and x.grad.shape == (0, 3, 2, 2), "nothing")
    t.expect(layer.weight.grad.tolist() == [0, 0, 0] == layer.bias.grad.tolist(), "no gradient")
    t.expect(layer.running_mean.tolist() == [0, 0, 0] and layer.running_var.tolist() == [1, 1, 1], "as before")  # fmt: skip
    t.expect(layer.num_batches_tracked.item() == 1, "a batch")


@case(BATCH, core=False, reference="none", part=["running_mean", "running_var", "weight", "bias"])
def parts_of_other_lengths(t, part):
    for count in (2, 4):
        layer, given = t.construct(BATCH, 3), t.uniform((count,), "f32", 0.5, 2)
        setattr(layer, part, given if "running" in part else t.fw.nn.Parameter(given))
        for trains in (False, True):
            t.raises(RuntimeError, t.call, layer.train(trains), t.randn((2, 3, 4, 4), "f32"))


def _images(np, x, weight, bias):
    x = x.astype("float64")
    near = (x - x.mean((0, 2, 3), keepdims=True)) / np.sqrt(x.var((0, 2, 3), keepdims=True) + 1e-5)
    return near * weight[:, None, None] + bias[:, None, None]


@case(BATCH, dtypes="f32", core=False, reference=_images)
def states_without_a_count(t, dtype):
    """The count stays; of a layer without memory it is made, and is zero."""
    fw, layer = t.fw, t.construct(BATCH, 3)
    layer.num_batches_tracked = fw.tensor(10)
    layer.load_state_dict({}, strict=False)
    t.expect(layer.num_batches_tracked.item() == 10, "as it was")
    made = t.call(layer, t.randn((2, 3, 4, 4), dtype))
    t.expect(layer.num_batches_tracked.item() == 11, "one more")
    bare = t.get(BATCH)(3, device="meta")
    bare.load_state_dict({}, strict=False, assign=True)
    count = bare.state_dict()["num_batches_tracked"]
    t.expect(count.device.type == "cpu" and count.item() == 0, "none yet")
    t.expect(bare.running_mean.device.type == "meta", "no memory")
    return made


def _of_statistics(np, x, mean, var, weight, bias):
    """The result, and how it changes as all of the input grows."""
    slope = weight / np.sqrt(var + 1e-5)
    made = (x - mean[:, None, None]) * slope[:, None, None] + bias[:, None, None]
    return [*5 * [made], np.broadcast_to(slope[:, None, None], x.shape)]


@case(BATCH, dtypes="f32", core=False, reference=_of_statistics)
def statistics_with_a_tangent(t, dtype):
    """The derivative by the running statistics is refused where the input has a tangent."""
    fw, forward = t.fw, t.fw.autograd.forward_ad
    layer, x = t.construct(BATCH, 2).eval(), t.randn((3, 2, 5, 1), dtype)
    given, found = {name: t.uniform((2,), dtype, 1, 2) for name in ("running_mean", "running_var")}, []  # fmt: skip

    def run(x, state):
        return fw.func.functional_call(layer, state, (x,))

    def moving(x):
        return forward.make_dual(x, fw.ones_like(x))

    for moved in ((), ("running_mean",), ("running_var",), ("running_mean", "running_var")):
        with forward.dual_level():
            state = {name: moving(one) if name in moved else one for name, one in given.items()}
            made = forward.unpack_dual(t.call(run, x, state))
            t.expect(made.tangent is None, "no tangent")
            found.append(made.primal)
            if moved:
                t.raises(RuntimeError, run, moving(x), state)
    with forward.dual_level():
        found += forward.unpack_dual(t.call(run, moving(x), given))
    return [one.clone() for one in found]


@case(BATCH, dtypes="f32 f16 bf16", core=False, shapes="4x1x9x9 4x9x1x1", reference=_images)
def one_channel_or_one_place(t, dtype, shape):
    """Orders of axes that are two at once stay both, and so does the gradient's; with parameters of f32, and of its own kind."""
    last = t.fw.channels_last
    x, layer = t.randn(shape, dtype), t.construct(BATCH, shape[1])
    found = []
    for kind in (t.fw.float32, x.dtype):
        leaf = x.clone().contiguous(memory_format=last).requires_grad_()
        made = t.call(layer.to(kind), leaf)
        made.sum().backward()
        t.expect(made.dtype is x.dtype and made.is_contiguous(memory_format=last), "channels last")
        t.expect(leaf.grad.is_contiguous(memory_format=last), "its gradient's")
        t.expect(made.is_contiguous() and leaf.grad.is_contiguous(), "and first")
        found.append(made.detach())
    t.expect(bool((found[0] - found[1]).abs().max() < 0.1), "nearly the same")
    return found[0]


@case(
    PAD,
    dtypes="f32",
    core=False,
    reference=lambda np, x: np.pad(x, ((0, 0), (0, 0), (0, 0), (1, 2)), constant_values=0.5),
)
def constant_keeps_channels_last(t, dtype):
    made = t.call(PAD, t.randn((1, 2, 5, 3), dtype).contiguous(memory_format=t.fw.channels_last), (1, 2), value=0.5)  # fmt: skip
    t.expect(made.is_contiguous(memory_format=t.fw.channels_last), "channels last")
    return made


@case(PAD, core=False, reference="none", mode=["constant", "reflect", "replicate", "circular"])
def batches_of_none(t, mode):
    for axes in (1, 2, 3):
        x = t.randn((0, 3, *(10,) * axes), "f32").requires_grad_()
        made = t.call(PAD, x, (2, 2) * axes, mode=mode)
        made.sum().backward()
        t.expect(made.shape == (0, 3, *(14,) * axes) and x.grad.shape == x.shape, "none")


def _many_lines(np, x, mode):
    pick = [1, *range(4), 2] if mode == "reflect" else [0, *range(4), 3]
    count = np.zeros(4)
    np.add.at(count, pick, 1)
    return [x[..., pick], np.broadcast_to(count, x.shape)]


@case(PAD, dtypes="f32", core=False, mode=["reflect", "replicate"], reference=_many_lines)
def more_lines_than_sixteen_bits(t, dtype, mode):
    x = t.randn((2, 65736, 4), dtype).requires_grad_()
    made = t.call(PAD, x, (1, 1), mode=mode)
    made.sum().backward()
    return [made.detach(), x.grad]


@case(EMBEDDING, core=False, reference="none")
def weights_that_are_no_rows(t):
    fw, index = t.fw, t.const([[0, 0], [0, 0]], "i64")
    layer = t.construct(EMBEDDING, 3, 4)
    for shape in ((), (3,), (1, 1, 1)):
        layer.weight = fw.nn.Parameter(fw.ones(shape, device=t.device))
        t.raises((RuntimeError, IndexError), t.call, layer, index)
    t.raises(RuntimeError, t.get(EMBEDDING), -1, 3)
    t.raises(AssertionError, t.get(EMBEDDING).from_pretrained, fw.ones(1, 2, 3))


def _gathered(np, x, index, axis):
    """What is picked, and three for each time that a number is."""
    wide, places = np.atleast_1d(x), np.atleast_1d(index).astype(int)
    where, slope = list(np.indices(places.shape)), np.zeros(wide.shape)
    where[axis] = places
    np.add.at(slope, tuple(where), 3)
    return [wide[tuple(where)].reshape(index.shape), slope.reshape(x.shape)]


# Of the input, of the index, and the axis.
GATHERED = [((10,), (), 0), ((), (2,), 0), ((), (), 0), ((10, 6), (5, 6), 0), ((10, 10, 5), (10, 5, 5), 1), ((10, 4, 5), (10, 4, 2), -1)]  # fmt: skip


def _gathered_each(np, *drawn, sparse):
    made = [_gathered(np, x, index, form[2]) for x, index, form in zip(drawn[::2], drawn[1::2], GATHERED)]  # fmt: skip
    return [one for pair in made for one in pair]


@case(GATHER, dtypes="f32 f64", core=False, sparse=[False, True], reference=_gathered_each)
def gathers_each_shape(t, dtype, sparse):
    """Of numbers and by numbers, and by fewer places than the others' axes have; the gradient may be sparse."""
    found = []
    for shape, places, axis in GATHERED:
        x = t.randn(shape, dtype).requires_grad_()
        index = t.randint(places, "i64", 0, shape[axis] if shape else 1)
        made = t.call(GATHER, x, axis, index, sparse_grad=sparse)
        (3 * made).sum().backward()
        t.expect(x.grad.is_sparse == sparse, "its layout")
        found += [made.detach(), x.grad.to_dense() if sparse else x.grad]
    return found


@case("torch.no_grad", core=False, reference="none")
@case("torch.is_grad_enabled", core=False, reference="none")
def modes_that_call_each_other(t, function):
    """Ten deep, decorated and as contexts: each gives its caller's mode back."""
    fw, none, asked = t.fw, t.get("torch.no_grad"), t.get("torch.is_grad_enabled")

    @none()
    def without(depth):
        t.expect(asked() is False, "without")
        if depth:
            with_one(depth - 1)
        t.expect(asked() is False, "still without")

    @fw.enable_grad()
    def with_one(depth):
        t.expect(asked() is True, "with")
        if depth:
            without(depth - 1)
        t.expect(asked() is True, "still with")

    def within(depth):
        before = asked()
        with none() if depth % 2 else fw.enable_grad():
            t.expect(asked() is (depth % 2 == 0), "within")
            if depth:
                within(depth - 1)
            t.expect(asked() is (depth % 2 == 0), "still within")
        t.expect(asked() is before, "as before")

    for start in (True, False):
        with fw.set_grad_enabled(start):
            for run in (without, with_one, within):
                t.call(run, 10)
                t.expect(asked() is start, "the caller's")


@case("torch.no_grad", core=False, reference="none")
def a_views_history_within_it(t):
    """A view whose base was changed has its history made when it is asked for."""
    base = t.randn((3,), "c64").requires_grad_().clone()
    view = base.real
    base.add_(1)
    with t.call("torch.no_grad"):
        t.expect(view.grad_fn is not None and view.requires_grad, "a history")


@case("torch.nn.Dropout", core=False, reference="none")
def order_of_axes_with_gaps(t):
    """A share so small that nothing falls: the axes stay in their order, the gaps between them do not; with none at all, they do."""
    base = t.fw.empty(2, 3, 3, 6, device=t.device, memory_format=t.fw.channels_last)
    x = base[..., ::2]
    x.copy_(t.randn((2, 3, 3, 3), "f32"))
    made = t.call(t.construct("torch.nn.Dropout", 1e-10), x)
    t.expect(bool((made == x).all()) and made.stride() == (27, 1, 9, 3), "its own order")
    made = t.call(t.construct("torch.nn.Dropout", 0.0).eval(), x)
    t.expect(bool((made == x).all()) and made.stride() == (54, 1, 18, 6), "the input itself")


@case(T + "masked_fill", core=False, reference="none")
@case(T + "masked_fill_", core=False, reference="none")
def values_that_do_not_fit(t, function):
    """Lines of one, and complex numbers in others."""
    fw, mask = t.fw, t.const(True, "bool")
    for x, value in (
        (t.randn((2, 2), "f32"), t.randn((1,), "f32")), (t.randn((2,), "f32"), t.randn((2,), "f32")), (t.randn((2, 2), "f32"), 1j),
        (t.randint((2,), "i64", -3, 3), fw.tensor(1j, device=t.device)),
    ):  # fmt: skip
        before = x.clone()
        t.raises(RuntimeError, t.call, function, x, mask, value)
        t.expect(bool((x == before).all()), "unchanged")


@case("torch.mean", core=False, reference="none")
def means_of_whole_numbers_of_all_axes(t):
    whole = t.randint((3, 4), "i64", -3, 3)
    t.raises(RuntimeError, t.call, "torch.mean", whole, [])
    t.raises(RuntimeError, t.call, "torch.mean", t.randn((3, 4), "f32"), [], dtype=t.fw.int64)
    t.raises(RuntimeError, t.call, "torch.mean", t.randn((3, 4), "f32"), 1, dtype=t.fw.int32)


LIKE = {"torch.zeros_like": ((), 0), "torch.ones_like": ((), 1), "torch.full_like": ((2,), 2), "torch.empty_like": ((), None)}  # fmt: skip
each = each_of(LIKE)


@each(LIKE, lambda form: "none")
def no_longer_to_be_turned(t, function):
    """Like a conjugate or a negative, but none: what is written is what lies in memory."""
    more, value = LIKE[function]
    x = t.randn((3, 4), "c64")
    for like in (x.conj(), x.conj().imag, x.mT.conj()):
        made = t.call(function, like, *more)
        t.expect(not made.is_conj() and not made.is_neg(), "neither")
        t.expect(made.shape == like.shape and made.dtype is like.dtype, "like it")
        if value is not None:
            t.expect(bool((made == value).all()), "the value")
