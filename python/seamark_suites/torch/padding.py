"""torch.nn.functional.pad: values and modes, derivatives, what it refuses."""

from seamark_suites.case import case

from .reference import with_gradient

F = "torch.nn.functional."
_MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}


PAD = F + "pad"


def _as_pad(np, x, pad, mode="constant", **options):
    """pad= of PyTorch: pairs from the last axis on."""
    pairs = [(0, 0)] * (x.ndim - len(pad) // 2) + list(zip(pad[::2], pad[1::2]))[::-1]
    return np.pad(x, pairs, mode=_MODES[mode], **options)


@case(PAD, dtypes="f32 f64", mode=["reflect", "replicate", "circular"], grad=True, core=False, reference=with_gradient(
      lambda np, line, volume, mode: [_as_pad(np, line, (2, 1), mode), _as_pad(np, volume, (1, 0, 1, 1, 0, 2), mode)]))  # fmt: skip
def gradient_of_lines_and_volumes(t, dtype, mode):
    """Of one axis and of three: what was copied gets the sum."""
    pad = t.get(PAD)
    line, volume = t.randn((2, 3, 4), dtype), t.randn((1, 1, 3, 2, 3), dtype)
    return t.call(
        lambda line, volume: [pad(line, (2, 1), mode=mode), pad(volume, (1, 0, 1, 1, 0, 2), mode=mode)],
        line,
        volume,
    )  # fmt: skip


@case(PAD, dtypes="c64 f16", mode=["reflect", "replicate", "circular"], core=False, reference=lambda np, x, mode: [
      _as_pad(np, x, (2, 1, 1, 2), mode), _as_pad(np, x.swapaxes(2, 3), (1, 2, 2, 1), mode), _as_pad(np, x[0, :, :, 0], (1, 2), mode)])  # fmt: skip
def other_modes_of_views(t, dtype, mode):
    """Channels last, a transpose, every fifth number."""
    x = t.randn((2, 3, 4, 5), dtype)
    last = x.to(memory_format=t.fw.channels_last)
    return [
        t.call(PAD, last, (2, 1, 1, 2), mode=mode),
        t.call(PAD, x.mT, (1, 2, 2, 1), mode=mode),
        t.call(PAD, x[0, :, :, 0], (1, 2), mode=mode),
    ]


@case(PAD, core=False, reference=lambda np, x, yes, whole: [
      _as_pad(np, x, (1, 1), constant_values=np.inf), _as_pad(np, x, (0, 2), constant_values=np.nan), _as_pad(np, yes, (1, 0), constant_values=True),
      _as_pad(np, whole, (1, 2), constant_values=2**53 - 1), x, _as_pad(np, x[None], (0, 0, 1, 0, 0, 1)), _as_pad(np, x[:, :0], (2, 1), constant_values=1.5),
      _as_pad(np, np.broadcast_to(x[:1], (2, 4)), (1, 1))])  # fmt: skip
def other_values_and_axes(t):
    """Infinity, NaN, truth, large integers; no axis, an axis of the batch, an axis of nothing; what is broadcast."""
    x, yes = t.randn((3, 4), "f32"), t.const([[True, False], [False, True]], "bool")
    whole = t.randint((2, 3), "i64", 1, 9)
    return [
        t.call(PAD, x, (1, 1), value=float("inf")),
        t.call(PAD, x, [0, 2], "constant", float("nan")),
        t.call(PAD, yes, (1, 0), value=True),
        t.call(PAD, whole, (1, 2), value=2**53 - 1),
        t.call(PAD, x, ()),
        t.call(PAD, x[None], (0, 0, 1, 0, 0, 1)),
        t.call(PAD, x[:, :0], (2, 1), value=1.5),
        t.call(PAD, x[:1].expand(2, 4), (1, 1)),
    ]


@case(PAD, dtypes="f32", core=False, reference=lambda np, *xs: [
      _as_pad(np, x, (1, 2), mode) for x, mode in zip(xs, ("constant", "reflect", "replicate"))])  # fmt: skip
def padded_three_sizes(t, dtype):
    modes = "constant", "reflect", "replicate"
    return [
        t.call(PAD, t.randn((2, 3, n), dtype), (1, 2), mode=mode)
        for n, mode in zip((5, 8, 13), modes)
    ]


@case(PAD, core=False, reference="none")
def pad_refuses(t):
    """More cut off than there is, more axes than there are, an unknown mode, a value of another mode, two turns around; text."""
    x, kinds = t.randn((1, 2, 3), "f32"), (RuntimeError, ValueError, NotImplementedError)
    for wrong, options in (
        ((-2, -2), {}),
        ((1,) * 8, {}),
        ((1, 1), {"mode": "mirror"}),
        ((1, 1), {"mode": "reflect", "value": 2.0}),
        ((4, 0), {"mode": "circular"}),
        ((3, 0), {"mode": "reflect"}),
    ):
        t.raises(kinds, t.call, PAD, x, wrong, **options)
    t.raises(kinds, t.call, PAD, x[0, 0], (1, 1), mode="replicate")
    t.raises(TypeError, t.call, PAD, x, "11")


# --- pad in every mode: copies, dtypes, orders in memory, derivatives


def _by_mode(np, x, pad, mode):
    pairs = list(zip(pad[::2], pad[1::2]))[::-1]
    return np.pad(x, [(0, 0)] * (x.ndim - len(pairs)) + pairs, _MODES[mode])


@case(PAD, dtypes="f32", mode=[*_MODES], core=False, reference=lambda np, x, mode: [x, x + 1, _by_mode(np, x, (1, 2, 2, 0), mode)])  # fmt: skip
def gives_a_copy(t, dtype, mode):
    """Where nothing is added, too: what is written to it does not show in the input. Channels last go in."""
    x = t.randn((2, 3, 4, 5), dtype)
    made = t.call(PAD, x, (0, 0, 0, 0), mode=mode)
    made += 1
    last = t.call(PAD, x.to(memory_format=t.fw.channels_last), (1, 2, 2, 0), mode=mode)
    if mode != "circular":
        t.expect(last.is_contiguous(memory_format=t.fw.channels_last), "channels last come out")
    return [x, made, last]


@case(PAD, dtypes="u8 i8 i16 i32 f64 c128", mode=[*_MODES], core=False, reference=lambda np, line, x, volume, mode: [
      _by_mode(np, line, (1, 2), mode), _by_mode(np, x, (1, 2, 2, 0), mode), _by_mode(np, volume, (1, 0, 1, 1, 0, 2), mode)])  # fmt: skip
@case(PAD, dtypes="bool", mode=["constant", "circular"], core=False, reference=lambda np, line, x, volume, mode: [
      _by_mode(np, line, (1, 2), mode), _by_mode(np, x, (1, 2, 2, 0), mode), _by_mode(np, volume, (1, 0, 1, 1, 0, 2), mode)])  # fmt: skip
def in_each_mode(t, dtype, mode):
    """The dtype stays."""
    line, x, volume = (t.randint(shape, dtype, 0, 99 if dtype != "bool" else 2) for shape in ((2, 3, 4), (2, 3, 4, 5), (1, 2, 3, 3, 4)))  # fmt: skip
    asked = (line, (1, 2)), (x, (1, 2, 2, 0)), (volume, (1, 0, 1, 1, 0, 2))
    made = [t.call(PAD, one, pad, mode=mode) for one, pad in asked]
    t.expect(all(one.dtype is t.dtype(dtype) for one in made), "the dtype of the input")
    return made


OTHERS, SIZES = ["reflect", "replicate", "circular"], (1, 2, 2, 0)


def _twice(np, x, w, mode):
    """First and second gradient of the weighted cubes: what was copied gets the sum."""
    places, made = _by_mode(np, np.arange(x.size).reshape(x.shape), SIZES, mode), _by_mode(np, x, SIZES, mode)  # fmt: skip
    found = []
    for slope in (3 * made**2 * w, 6 * made * w):
        found.append(np.bincount(places.reshape(-1), slope.reshape(-1), x.size).reshape(x.shape))
    return [*found, *(_by_mode(np, one, (2, 1), mode) for one in x)]


@case(PAD, dtypes="f64", mode=OTHERS, core=False, since=("2.0", "torch.vmap"), reference=_twice)
def twice_and_by_example(t, dtype, mode):
    """The gradient of the gradient of cubes; example by example."""
    pad, x, w = t.get(PAD), t.randn((2, 3, 4, 5), dtype), t.randn((2, 3, 6, 8), dtype)
    leaf = x.clone().requires_grad_()
    made = t.call(pad, leaf, SIZES, mode=mode)
    first = t.fw.autograd.grad((made**3 * w).sum(), leaf, create_graph=True)[0]
    second = t.fw.autograd.grad(first.sum(), leaf)[0]
    vmap = t.get("torch.vmap")
    return [first.detach(), second, *t.call(vmap(lambda x: pad(x, (2, 1), mode=mode)), x)]


@case(PAD, dtypes="f32", mode=OTHERS, core=False, since=("2.0", "torch.func"), reference=lambda np, x, along, mode: [_by_mode(np, one, SIZES, mode) for one in (x, along)])  # fmt: skip
def each_mode_in_forward_mode(t, dtype, mode):
    pad, jvp = t.get(PAD), t.get("torch.func.jvp")
    x, along = t.randn((2, 3, 4, 5), dtype), t.randn((2, 3, 4, 5), dtype)
    run = lambda x: pad(x, SIZES, mode=mode)  # noqa: E731
    return list(t.call(lambda x, along: jvp(run, (x,), (along,)), x, along))


@case(PAD, core=False, reference="none")
def pad_refuses_other_kinds(t):
    """A number, which has no axis; no numbers to reflect or repeat; complex values of real numbers, sizes that are none."""
    for mode in _MODES:
        t.raises(
            (RuntimeError, NotImplementedError), t.call, PAD, t.randn((), "f32"), (1, 1), mode=mode
        )
    for mode in ("reflect", "replicate"):
        t.raises(RuntimeError, t.call, PAD, t.randn((2, 0, 3, 3), "f32"), (1, 1, 1, 1), mode=mode)
        t.raises(RuntimeError, t.call, PAD, t.randn((2, 3, 0), "f32"), (1, 1), mode=mode)
    x = t.randn((2, 3), "f32")
    for wrong in ((1.0, 1), (None, 1), 1.5):
        t.raises(TypeError, t.call, PAD, x, wrong)
    t.raises(TypeError, t.call, PAD, x, (1, 1), value=2j)
