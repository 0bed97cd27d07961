"""Quantized numbers of eight bits with a sign and of 32 bits; axes that move, bounds and sizes of them; steps of their own for each channel."""

from seamark_suites.case import case
from seamark_suites.transformed import each_of, leaves

from . import reference_pointwise as right
from .magnitudes_and_layouts import QUANTIZED

T = "torch.Tensor."
# How it is called, and what it gives of the numbers, which are halves.
FORMS = {
    T + "permute": (lambda t, f, x: [f(x, 1, 0), f(x.reshape(1, 2, 2, 5), 0, 3, 1, 2)], lambda np, x: [x.T, x.reshape(1, 2, 2, 5).transpose(0, 3, 1, 2)]),
    T + "transpose": (lambda t, f, x: f(x, 0, -1), lambda np, x: x.T),
    T + "unsqueeze": (lambda t, f, x: [f(x, 0), f(x, 1), f(x, -1)], lambda np, x: [x[None], x[:, None], x[..., None]]),
    T + "squeeze": (lambda t, f, x: [f(x[:, None]), f(x[None], 0)], lambda np, x: [x, x]),
    T + "expand": (lambda t, f, x: [f(x, 2, 4, 5), f(x[:, :1], -1, 3)], lambda np, x: [np.broadcast_to(x, (2, 4, 5)), x[:, [0, 0, 0]]]),
    T + "expand_as": (lambda t, f, x: f(x[:1], x), lambda np, x: np.broadcast_to(x[:1], (4, 5))),
    T + "repeat_interleave": (lambda t, f, x: f(x, 2, 1), lambda np, x: x.repeat(2, 1)),
    "torch.stack": (lambda t, f, x: f([x, x.flip(0)], 1), lambda np, x: np.stack([x, x[::-1]], 1)),
    **dict.fromkeys(("torch.clamp", T + "clamp"), (lambda t, f, x: f(x, -2, 3.5), lambda np, x: np.clip(x, -2, 3.5))),
    "torch.nn.functional.interpolate": (lambda t, f, x: f(x[None, None], scale_factor=2.0), lambda np, x: x.repeat(2, 0).repeat(2, 1)[None, None]),
    T + "masked_fill_": (lambda t, f, x: f(x.clone(), t.fw.tensor([True, False, False, True, False], device=t.device), 1.5),
                         lambda np, x: np.where([True, False, False, True, False], 1.5, x)),
}  # fmt: skip
each, each_more = each_of(FORMS), each_of(QUANTIZED)


def _called(t, f, form, kind):
    """The same steps in every result: of a half, five of them below zero."""
    torch = t.fw
    x = torch.quantize_per_tensor(t.randint((4, 5), "f32", -20, 20) / 2, 0.5, 5 if kind != "quint8" else 60, getattr(torch, kind))  # fmt: skip
    made = t.call(lambda x: form[0](t, f, x), x)
    made = list(made) if isinstance(made, (tuple, list)) else [made]
    t.expect(all(one.dtype is x.dtype for one in made), "the kind of the input")
    same = [(one.q_scale(), one.q_zero_point()) == (x.q_scale(), x.q_zero_point()) for one in made]
    t.expect(all(same), "the same steps")
    return [one.dequantize() for one in made]


@each(FORMS, lambda form: lambda np, x, kind: leaves(np, form[1](np, x / 2)), dtypes="f32", kind=["quint8", "qint8", "qint32"])  # fmt: skip
def of_quantized_kinds(t, dtype, kind, function):
    return _called(t, t.get(function), FORMS[function], kind)


@each_more([name for name in QUANTIZED if not name.endswith(("mean", "ReLU"))], lambda form: lambda np, x, kind: leaves(np, form[1](np, x / 2)),
           dtypes="f32", kind=["qint8", "qint32"])  # fmt: skip
def of_other_quantized_kinds(t, dtype, kind, function):
    return _called(t, t.get(function), QUANTIZED[function], kind)


def _by_channel(t, x):
    """Steps of a half, a quarter, one and two, from zero, one, two and three of them."""
    torch = t.fw
    steps = torch.tensor([0.5, 0.25, 1.0, 2.0], device=t.device)
    return torch.quantize_per_channel(x, steps, torch.tensor([0, 1, 2, 3], device=t.device), 0, torch.qint8)  # fmt: skip


@case("torch.empty_like", core=False, reference="none")
def like_quantized_numbers(t):
    """The steps stay, one for all and each channel's own; the order of axes in memory, too."""
    fw, x = t.fw, t.randint((4, 5), "f32", -9, 9)
    for kind in (fw.quint8, fw.qint8, fw.qint32):
        made = t.call("torch.empty_like", fw.quantize_per_tensor(x, 0.5, 5, kind))
        t.expect(made.dtype is kind and made.shape == (4, 5), "like it")
        t.expect((made.q_scale(), made.q_zero_point()) == (0.5, 5), "the steps")
    like = _by_channel(t, x)
    made = t.call("torch.empty_like", like)
    t.expect(made.qscheme() is fw.per_channel_affine and made.q_per_channel_axis() == 0, "channels")
    t.expect(made.q_per_channel_scales().tolist() == [0.5, 0.25, 1, 2], "the steps of each")
    t.expect(made.q_per_channel_zero_points().tolist() == [0, 1, 2, 3], "the zeros of each")
    last = fw.quantize_per_tensor(t.randn((2, 3, 4, 5), "f32"), 0.5, 0, fw.qint8).contiguous(memory_format=fw.channels_last)  # fmt: skip
    made = t.call("torch.empty_like", last)
    t.expect(made.is_contiguous(memory_format=fw.channels_last), "channels last")


@case("torch.equal", core=False, reference="none")
def equal_quantized_numbers(t):
    """Numbers, steps, zeros and kind must agree; those of channels, too."""
    fw, x, same = t.fw, t.randint((4, 5), "f32", -9, 9), t.get("torch.equal")
    one = fw.quantize_per_tensor(x, 0.5, 5, fw.qint8)
    t.expect(t.call(same, one, one.clone()) is True, "a copy")
    for other in (
        fw.quantize_per_tensor(x, 1.0, 5, fw.qint8), fw.quantize_per_tensor(x, 0.5, 4, fw.qint8),
        fw.quantize_per_tensor(x, 0.5, 5, fw.qint32), fw.quantize_per_tensor(x + 1, 0.5, 5, fw.qint8), _by_channel(t, x),
    ):  # fmt: skip
        t.expect(t.call(same, one, other) is False, "another")
    both = _by_channel(t, x), _by_channel(t, x)
    t.expect(t.call(same, *both) is True, "of channels")
    t.expect(t.call(same, both[0], _by_channel(t, x.flip(0))) is bool((x == x.flip(0)).all()), "other numbers of channels")  # fmt: skip


@case(T + "unsqueeze", dtypes="f32", core=False, reference=lambda np, x: x[..., None])
@case(T + "squeeze", dtypes="f32", core=False, reference=lambda np, x: x)
def steps_of_each_channel(t, dtype, function):
    """An axis of one behind the channels leaves each its steps."""
    x = _by_channel(t, 2 * t.randint((4, 5), dtype, -9, 9))  # whole steps of all channels
    made = t.call(function, x, -1) if function == T + "unsqueeze" else t.call(function, x.unsqueeze(-1), -1)  # fmt: skip
    t.expect(made.qscheme() is t.fw.per_channel_affine, "steps of each")
    return made.dequantize() / 2


@case(T + "permute", core=False, reference="none")
@case(T + "transpose", core=False, reference="none")
@case(T + "index_select", core=False, reference="none")
@case(T + "masked_fill", core=False, reference="none")
@case("torch.max", core=False, reference="none")
@case("torch.clamp", core=False, reference="none")
@case("torch.nn.functional.pad", core=False, reference="none")
def refused_for_steps_of_each_channel(t, function):
    """What moves or compares numbers has one step for all alone."""
    x, name = _by_channel(t, t.randint((4, 5), "f32", -9, 9)), function.rpartition(".")[2]
    more = {
        "permute": ((1, 0),), "transpose": (0, 1), "index_select": (0, t.const([0, 3], "i64")), "max": (), "clamp": (-2, 3), "pad": ((1, 1),),
        "masked_fill": (t.fw.ones(4, 5, dtype=t.fw.bool, device=t.device), 1.0),
    }[name]  # fmt: skip
    t.raises(RuntimeError, t.call, function, x, *more)


def _shares(np, x, kind):
    """By 256 steps from zero, whatever the sign of the kind; 32 bits have 2**32 steps, of which none is above a half."""
    shares = right.sigmoid(np, x / 2)
    return shares if kind == "qint32" else np.minimum(np.round(256 * shares), 255) / 256


@case("torch.sigmoid", dtypes="f32", core=False, kind=["quint8", "qint8", "qint32"], reference=_shares)  # fmt: skip
@case(T + "sigmoid", dtypes="f32", core=False, kind=["qint8", "qint32"], reference=_shares)
def shares_of_other_kinds(t, dtype, kind, function):
    """The kind of the input, by steps that reach from zero to one; of 32 bits up to a half."""
    x = t.randint((7, 40), dtype, -40, 1 if kind == "qint32" else 41) / 2
    x = t.fw.quantize_per_tensor(x, 0.5, 45 if kind != "qint8" else 5, getattr(t.fw, kind))
    made = t.call(function, x)
    want = {"quint8": (2.0**-8, 0), "qint8": (2.0**-8, -128), "qint32": (2.0**-32, 0)}[kind]
    t.expect((made.q_scale(), made.q_zero_point()) == want, "the steps %s" % (want,))
    t.expect(made.dtype is x.dtype and made.shape == x.shape, "the kind and size of the input")
    return made.dequantize()
