"""Convolution along one axis."""

from seamark_suites.case import case

from . import reference_modules as modules
from . import reference_nn as right

NAME = "torch.nn.Conv1d"
# Convolutions sum f32 terms in an order of the device's choosing.
_SUMS = {
    "rtol": {"f32": 1e-4, "bf16": 3e-2, "f16": 1e-2, "c64": 1e-4},
    "atol": {"f32": 1e-4, "bf16": 3e-2, "f16": 1e-2, "c64": 1e-4},
}


@case(NAME, reference=right.with_options(right.conv, padding=1), dtypes="f32 bf16", stride=1,
      name="forward", **_SUMS)  # fmt: skip
@case(NAME, reference=right.conv_and_gradient(padding=1), dtypes="f32 bf16 f64", stride=[1, 2], grad=True,
      core="f32 bf16", **_SUMS)  # fmt: skip
def conv1d(t, dtype, stride):
    layer = t.construct(NAME, 3, 8, 3, stride=stride, padding=1, dtype=dtype)
    return t.call(layer, t.randn((2, 3, 17), dtype))


@case(NAME, reference=modules.learns(right.conv), dtypes="f32", **_SUMS)
def parameters_learn(t, dtype):
    """The gradient reaches weight and bias."""
    layer = t.construct(NAME, 3, 4, 3, dtype=dtype)
    out = t.call(layer, t.randn((2, 3, 9), dtype))
    pull = t.fw.linspace(0.5, 1.5, out.numel(), dtype=out.dtype, device=t.device)
    out.backward(pull.reshape(out.shape))
    return out.detach(), layer.weight.grad, layer.bias.grad


def _with_borders(np, x, *parameters, padding_mode):
    """What NumPy calls edge is replicate here."""
    mode = "edge" if padding_mode == "replicate" else padding_mode
    return right.conv(np, x, *parameters, groups=2, dilation=2, padding=3, padding_mode=mode)


@case(NAME, reference=right.conv, dtypes="f16 c64", core=False, **_SUMS)
def other_dtypes(t, dtype):
    return t.call(t.construct(NAME, 3, 4, 3, dtype=dtype), t.randn((2, 3, 9), dtype))


@case(NAME, reference=_with_borders, dtypes="f32",
      padding_mode=["zeros", "reflect", "replicate", "circular"], core=False, **_SUMS)  # fmt: skip
def grouped_and_dilated(t, dtype, padding_mode):
    layer = t.construct(NAME, 4, 6, 3, groups=2, dilation=2, padding=3, padding_mode=padding_mode, dtype=dtype)  # fmt: skip
    return t.call(layer, t.randn((2, 4, 11), dtype))


@case(NAME, reference=right.with_options(right.conv, dilation=2), dtypes="f32", padding=["same", "valid"],
      core=False, **_SUMS)  # fmt: skip
def named_padding(t, dtype, padding):
    layer = t.construct(NAME, 3, 4, 4, dilation=2, padding=padding, dtype=dtype)
    return t.call(layer, t.randn((2, 3, 12), dtype))


@case(NAME, reference=right.conv_and_gradient(padding=2, groups=4), dtypes="f32", grad=True, core=False, **_SUMS)  # fmt: skip
def unbatched_and_depthwise(t, dtype):
    layer = t.construct(NAME, 4, 8, 3, padding=2, groups=4, bias=False, dtype=dtype)
    return t.call(layer, t.randn((4, 9), dtype))


@case(NAME, reference=right.conv_and_gradient(), dtypes="f32 bf16", grad=True, core=False, **_SUMS)
def one_wide(t, dtype):
    """A kernel of one: a matrix product of the channels."""
    layer = t.construct(NAME, 6, 4, 1, dtype=dtype)
    return t.call(layer, t.randn((2, 6, 7), dtype))


def _causal(np, x, weight, bias):
    made = right.conv(np, np.pad(x, ((0, 0), (0, 0), (4, 0))), weight, bias, dilation=2)
    return made


@case(NAME, reference=_causal, dtypes="f32", core=False, **_SUMS)
def causal(t, dtype):
    """Padded on both sides and cut at the end: no output sees what comes later."""
    x = t.randn((2, 3, 12), dtype)
    layer = t.construct(NAME, 3, 4, 3, dilation=2, padding=4, dtype=dtype)
    return t.call(layer, x)[..., :-4]


@case(NAME, reference=lambda np, x, *given: right.conv(np, x.swapaxes(1, 2), *given), dtypes="f32 bf16",
      core=False, **_SUMS)  # fmt: skip
def transposed_input(t, dtype):
    """(batch, time, channels) as a transpose, as speech models give it."""
    layer, x = t.construct(NAME, 4, 8, 3, dtype=dtype), t.randn((2, 9, 4), dtype)
    return t.call(layer, x.mT)


@case(NAME, reference=right.conv, dtypes="f32", trivial=True, core=False)
def empty_batch(t, dtype):
    return t.call(t.construct(NAME, 3, 4, 3, dtype=dtype), t.randn((0, 3, 9), dtype))


def _of_each(np, a, b, c, *parameters):
    return [right.conv(np, x, *parameters) for x in (a, b, c)]


@case(NAME, reference=_of_each, dtypes="f32", core=False, **_SUMS)
def three_sizes(t, dtype):
    """One length after another: what a compiler made for one must not be used for the next."""
    layer = t.construct(NAME, 3, 4, 3, dtype=dtype)
    return [t.call(layer, t.randn((2, 3, n), dtype)) for n in (7, 10, 16)]


@case(NAME, reference=right.with_options(right.conv, padding=1), dtypes="f32", large=True,
      rtol={"f32": 1e-3}, atol={"f32": 1e-3})  # sums of 384 terms # fmt: skip
def large(t, dtype):
    layer = t.construct(NAME, 128, 128, 3, padding=1, dtype=dtype)
    return t.call(layer, t.randn((8, 128, 4096), dtype))


@case(NAME, reference="none", core=False)
def wrong_calls_raise(t):
    make = t.get(NAME)
    layer = t.construct(NAME, 3, 4, 3)
    t.raises(RuntimeError, t.call, layer, t.randn((2, 4, 5), "f32"))
    t.raises(RuntimeError, t.call, layer, t.randn((2, 3, 2), "f32"))
    t.raises(RuntimeError, t.call, layer, t.randn((1, 2, 3, 5), "f32"))
    t.raises(ValueError, make, 3, 4, 3, groups=2)
    t.raises(ValueError, make, 4, 4, 3, stride=2, padding="same")
    t.raises(ValueError, make, 4, 4, 3, padding_mode="mirror")
