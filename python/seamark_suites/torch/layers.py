"""Layers with parameters: other dtypes and shapes, masks, wrong calls, saving and loading. nn.py has the rest."""

from seamark_suites.case import case

from . import reference_nn as right
from .reference import with_gradient

# Convolutions and matrix products sum thousands of f32 terms in an order of the device's choosing.
_SUMS = {
    "rtol": {"f32": 1e-4, "bf16": 3e-2, "f16": 1e-2, "c64": 1e-4},
    "atol": {"f32": 1e-4, "bf16": 3e-2, "f16": 1e-2, "c64": 1e-4},
}


# The sizes of a small one, and the shape of its input.
_SMALL = {
    "torch.nn.Linear": ((6, 3), (4, 6)),
    "torch.nn.Conv2d": ((3, 4, 3), (2, 3, 6, 6)),
    "torch.nn.Conv3d": ((2, 4, 2), (1, 2, 4, 4, 4)),
    "torch.nn.LSTMCell": ((4, 5), (3, 4)),
    "torch.nn.Transformer": ((8, 2, 1, 1, 16, 0.0), (3, 2, 8)),
    "torch.nn.TransformerEncoderLayer": ((8, 2, 16, 0.0), (3, 2, 8)),
}


def _same_source_and_target(np, x, *parameters):
    return right.sequence_first(np, x, x, *parameters)


def _small_encoder(np, x, *parameters):
    return right.encoder(np, x.swapaxes(0, 1), *parameters, heads=2).swapaxes(0, 1)


@case(
    "torch.nn.Linear", reference=right.first_half(right.affine), dtypes="f32", core=False, **_SUMS
)
@case("torch.nn.Conv2d", reference=right.first_half(right.conv), dtypes="f32", core=False, **_SUMS)
@case("torch.nn.Conv3d", reference=right.first_half(right.conv), dtypes="f32", core=False, **_SUMS)
@case(
    "torch.nn.LSTMCell",
    reference=right.first_half(right.lstm_from_zero),
    dtypes="f32",
    core=False,
    **_SUMS,
)
@case(
    "torch.nn.Transformer",
    reference=right.first_half(_same_source_and_target),
    dtypes="f32",
    core=False,
    **_SUMS,
)
@case(
    "torch.nn.TransformerEncoderLayer",
    reference=right.first_half(_small_encoder),
    dtypes="f32",
    core=False,
    **_SUMS,
)
def saved_and_loaded(t, dtype, function):
    """Through a file into a layer with other parameters."""
    import os

    sizes, shape = _SMALL[function]
    layer = t.construct(function, *sizes, dtype=dtype)
    path = os.path.join(t.tmpdir(), "state.pt")
    t.fw.save(layer.state_dict(), path)
    other = t.construct(function, *sizes, dtype=dtype)
    other.load_state_dict(t.fw.load(path, map_location=t.device, weights_only=True))
    x = t.randn(shape, dtype)
    inputs = (x, x) if function == "torch.nn.Transformer" else (x,)
    before, after = t.call(layer, *inputs), t.call(other, *inputs)
    first = [t.host(y if function != "torch.nn.LSTMCell" else y[1]) for y in (before, after)]
    t.expect(bool((first[0] == first[1]).all()), "the same result from the loaded parameters")
    return after


@case("torch.nn.Linear", dtypes="f32", reference="none", core=False)
@case("torch.nn.Conv2d", dtypes="f32", reference="none", core=False)
def made_where_asked(t, dtype, function):
    """device= and dtype=, and an initialization within 1/sqrt(fan in) of zero."""
    size = (64, 32) if function == "torch.nn.Linear" else (16, 32, 2)
    layer = t.call(function, *size, device=t.device, dtype=t.dtype(dtype))
    t.expect(layer.weight.dtype is t.dtype(dtype), "parameters of that dtype")
    t.statistics(layer.weight, mean=0.0, std=0.125 / 3**0.5, low=-0.12501, high=0.12501)
    t.expect(bool((abs(t.host(layer.bias)) <= 0.12501).all()), "a bias within the same bound")


@case(
    "torch.nn.Linear",
    reference=with_gradient(right.affine, right.linear_pull, of=(0,)),
    dtypes="c64",
    grad=True,
    core=False,
    **_SUMS,
)
def complex_linear(t, dtype):
    return t.call(t.construct("torch.nn.Linear", 7, 5, dtype=dtype), t.randn((3, 7), dtype))


@case(
    "torch.nn.Linear",
    reference=with_gradient(right.affine, right.linear_pull, of=(0,)),
    dtypes="f32",
    shape=[(33,), (2, 3, 4, 33)],
    grad=True,
    core=False,
    **_SUMS,
)
def other_axes(t, dtype, shape):
    layer = t.construct("torch.nn.Linear", 33, 16, dtype=dtype)
    return t.call(layer, t.randn(shape, dtype, noncontiguous=True))


@case("torch.nn.Linear", reference=right.affine, dtypes="f32", trivial=True, core=False)
def linear_empty_batch(t, dtype):
    return t.call(t.construct("torch.nn.Linear", 6, 4, dtype=dtype), t.randn((0, 6), dtype))


@case("torch.nn.Linear", reference=right.affine, dtypes="f32 bf16", core=False, rtol={"f32": 1e-3, "bf16": 4e-2},
      atol={"f32": 1e-3, "bf16": 0.2})  # sums of 1024 terms # fmt: skip
def larger(t, dtype):
    return t.call(
        t.construct("torch.nn.Linear", 1024, 512, dtype=dtype), t.randn((64, 1024), dtype)
    )


@case("torch.nn.Linear", reference="none", core=False)
def linear_wrong_calls_raise(t):
    layer = t.construct("torch.nn.Linear", 6, 4)
    t.raises(RuntimeError, t.call, layer, t.randn((3, 5), "f32"))
    t.raises(RuntimeError, t.call, layer, t.randn((3, 6), "f64" if t.place != "wide" else "f32"))


@case("torch.nn.Conv2d", reference=right.conv, dtypes="f16 c64", core=False, **_SUMS)
def conv2d_other_dtypes(t, dtype):
    layer = t.construct("torch.nn.Conv2d", 3, 4, 3, dtype=dtype)
    return t.call(layer, t.randn((2, 3, 7, 7), dtype))


@case(
    "torch.nn.Conv2d",
    reference=right.with_options(right.conv, dilation=2),
    dtypes="f32",
    padding=["same", "valid"],
    core=False,
    **_SUMS,
)
def named_padding(t, dtype, padding):
    layer = t.construct("torch.nn.Conv2d", 3, 4, (4, 3), dilation=2, padding=padding, dtype=dtype)
    return t.call(layer, t.randn((2, 3, 9, 8), dtype))


@case("torch.nn.Conv2d", reference=right.conv, dtypes="f32 bf16", core=False, **_SUMS)
def channels_last(t, dtype):
    x = t.randn((2, 4, 9, 9), dtype).to(memory_format=t.fw.channels_last)
    return t.call(t.construct("torch.nn.Conv2d", 4, 8, 3, dtype=dtype), x)


@case(
    "torch.nn.Conv2d",
    reference=right.conv_and_gradient(groups=4),
    dtypes="f32",
    grad=True,
    core=False,
    **_SUMS,
)
def unbatched_and_depthwise(t, dtype):
    layer = t.construct("torch.nn.Conv2d", 4, 8, 3, groups=4, bias=False, dtype=dtype)
    return t.call(layer, t.randn((4, 6, 7), dtype))


@case("torch.nn.Conv2d", reference=right.conv, dtypes="f32", trivial=True, core=False)
def conv2d_empty_batch(t, dtype):
    return t.call(
        t.construct("torch.nn.Conv2d", 3, 4, 3, dtype=dtype), t.randn((0, 3, 6, 6), dtype)
    )


@case(
    "torch.nn.Conv2d",
    reference=right.with_options(right.conv, padding=1),
    dtypes="f32",
    core=False,
    rtol={"f32": 1e-3},
    atol={"f32": 1e-3},
)  # sums of 576 terms
def conv2d_larger(t, dtype):
    layer = t.construct("torch.nn.Conv2d", 64, 64, 3, padding=1, dtype=dtype)
    return t.call(layer, t.randn((2, 64, 28, 28), dtype))


@case("torch.nn.Conv2d", reference="none", core=False)
@case("torch.nn.Conv3d", reference="none", core=False)
def conv_wrong_calls_raise(t, function):
    make, axes = t.get(function), int(function[-2])
    layer = t.construct(make, 3, 4, 3)
    t.raises(RuntimeError, t.call, layer, t.randn((2, 4) + (5,) * axes, "f32"))
    t.raises(RuntimeError, t.call, layer, t.randn((2, 3) + (2,) * axes, "f32"))
    t.raises(ValueError, make, 3, 4, 3, groups=2)
    t.raises(ValueError, make, 4, 4, 3, stride=2, padding="same")


@case(
    "torch.nn.Conv3d",
    reference=right.with_options(
        right.conv, stride=(1, 2, 1), groups=2, dilation=(2, 1, 1), padding=(1, 1, 0)
    ),
    dtypes="f32",
    padding_mode=["zeros", "circular"],
    core=False,
    **_SUMS,
)
def strided_and_grouped(t, dtype, padding_mode):
    layer = t.construct("torch.nn.Conv3d", 4, 6, (2, 3, 1), stride=(1, 2, 1), groups=2, dilation=(2, 1, 1),
                        padding=(1, 1, 0), padding_mode=padding_mode, dtype=dtype)  # fmt: skip
    return t.call(layer, t.randn((2, 4, 5, 6, 4), dtype))


@case("torch.nn.Conv3d", reference=right.conv, dtypes="f16 c64", core=False, **_SUMS)
def conv3d_other_dtypes(t, dtype):
    layer = t.construct("torch.nn.Conv3d", 2, 4, 2, dtype=dtype)
    return t.call(layer, t.randn((1, 2, 4, 4, 4), dtype))


@case(
    "torch.nn.Conv3d",
    reference=right.conv_and_gradient(padding="same"),
    dtypes="f32",
    grad=True,
    core=False,
    **_SUMS,
)
def unbatched_same(t, dtype):
    layer = t.construct("torch.nn.Conv3d", 2, 3, 3, padding="same", bias=False, dtype=dtype)
    return t.call(layer, t.randn((2, 4, 5, 6), dtype))


@case("torch.nn.Conv3d", reference=right.conv, dtypes="f32", trivial=True, core=False)
def conv3d_empty_batch(t, dtype):
    layer = t.construct("torch.nn.Conv3d", 2, 3, 2, dtype=dtype)
    return t.call(layer, t.randn((0, 2, 4, 4, 4), dtype))


@case("torch.nn.LSTMCell", reference=right.lstm_from_zero, dtypes="f32", core=False, **_SUMS)
def unbatched_from_zero(t, dtype):
    """Without a state it starts from zeros."""
    cell, x = t.construct("torch.nn.LSTMCell", 4, 5, dtype=dtype), t.randn((4,), dtype)
    zero = t.fw.zeros(5, dtype=x.dtype, device=t.device)
    first, second = t.call(cell, x), t.call(cell, x, (zero, zero))
    t.expect(bool((t.host(first[0]) == t.host(second[0])).all()), "the result of a state of zeros")
    return first


@case("torch.nn.LSTMCell", reference=right.lstm_steps, dtypes="f32", core=False, **_SUMS)
def as_a_layer_steps(t, dtype):
    """The same gates in the same order as torch.nn.LSTM."""
    cell, layer = t.construct("torch.nn.LSTMCell", 3, 4, dtype=dtype), t.fw.nn.LSTM(3, 4)
    layer = layer.to(device=t.device, dtype=cell.weight_ih.dtype)
    layer.load_state_dict({k + "_l0": v for k, v in cell.state_dict().items()})
    x, state = t.randn((3, 2, 3), dtype), None
    for step in x:
        state = t.call(cell, step, state)
    close = abs(t.host(state[0]) - t.host(layer(x)[0][-1])).max() < 1e-4
    t.expect(bool(close), "the last output of the layer")
    return state


@case(
    "torch.nn.LSTMCell", reference=right.lstm_parameter_gradients, dtypes="f32", core=False, **_SUMS
)
def all_parameters_learn(t, dtype):
    cell = t.construct("torch.nn.LSTMCell", 3, 4, dtype=dtype)
    hidden, memory = t.call(cell, t.randn((2, 3), dtype), (t.randn((2, 4), dtype),) * 2)
    (hidden * memory).sum().backward()
    return [parameter.grad for parameter in cell.parameters()]


@case("torch.nn.LSTMCell", reference=right.lstm_from_zero, dtypes="f32", trivial=True, core=False)
def lstm_empty_batch(t, dtype):
    return t.call(t.construct("torch.nn.LSTMCell", 4, 5, dtype=dtype), t.randn((0, 4), dtype))


@case("torch.nn.LSTMCell", reference="none", core=False)
def lstm_wrong_calls_raise(t):
    cell, x = t.construct("torch.nn.LSTMCell", 4, 5), t.randn((2, 4), "f32")
    t.raises(RuntimeError, t.call, cell, t.randn((2, 3), "f32"))
    t.raises(RuntimeError, t.call, cell, x, (x, x))
    t.raises(ValueError, t.call, cell, t.randn((1, 2, 4), "f32"))


def _transformer(t, dtype, **options):
    return t.construct("torch.nn.Transformer", d_model=8, nhead=2, num_encoder_layers=1, num_decoder_layers=1,
                       dim_feedforward=16, dropout=options.pop("dropout", 0.0), dtype=dtype, **options)  # fmt: skip


def _causal(np, source, target, *parameters):
    changed = np.concatenate([target[:3], target[3:] + 1])
    mask = right.seen_so_far(np, 4)
    return tuple(
        right.sequence_first(np, source, given, *parameters, mask=mask)
        for given in (target, changed)
    )


@case("torch.nn.Transformer", reference=_causal, dtypes="f32", core=False, **_SUMS)
def causal_mask(t, dtype):
    """What stands later in the target does not reach what stands earlier."""
    model, source = _transformer(t, dtype), t.randn((5, 2, 8), dtype)
    target = t.randn((4, 2, 8), dtype)
    mask = t.fw.nn.Transformer.generate_square_subsequent_mask(
        4, device=t.device, dtype=target.dtype
    )
    changed = t.fw.cat([target[:3], target[3:] + 1])
    first = t.call(model, source, target, tgt_mask=mask)
    second = t.call(model, source, changed, tgt_mask=mask)
    same = abs(t.host(first)[:3] - t.host(second)[:3]).max() < 1e-5
    t.expect(bool(same), "the first three outputs unchanged")
    return first, second


def _padded(np, target, source, padding, *parameters):
    hidden = right.masked(np, padding)[:, None, None]
    return right.transformer(np, source, target, *parameters, padding=hidden)


@case("torch.nn.Transformer", reference=_padded, dtypes="f32", core=False, **_SUMS)
def padded_source(t, dtype):
    """What is padding in the source has no part in the result."""
    model, target = _transformer(t, dtype, batch_first=True), t.randn((2, 3, 8), dtype)
    source = t.randn((2, 5, 8), dtype)
    padding = t.const([[False] * 5, [False] * 3 + [True] * 2], "bool")
    options = {"src_key_padding_mask": padding, "memory_key_padding_mask": padding}
    made = t.call(model, source, target, **options)
    short = t.call(model, source[1:, :3], target[1:])
    t.expect(bool(abs(t.host(made)[1] - t.host(short)[0]).max() < 1e-4), "as without the padding")
    return made


def _with_option(np, source, target, *parameters, options):
    given = {
        "gelu": {"activation": right.gelu},
        "norm_first": {"norm_first": True},
        "no_bias": {"bias": False},
    }
    return right.sequence_first(np, source, target, *parameters, **given[options])


@case(
    "torch.nn.Transformer",
    reference=_with_option,
    dtypes="f32",
    options=["gelu", "norm_first", "no_bias"],
    core=False,
    **_SUMS,
)
def transformer_options(t, dtype, options):
    given = {
        "gelu": {"activation": "gelu"},
        "norm_first": {"norm_first": True},
        "no_bias": {"bias": False},
    }
    model = _transformer(t, dtype, **given[options])
    return t.call(model, t.randn((5, 2, 8), dtype), t.randn((4, 2, 8), dtype))


@case(
    "torch.nn.Transformer",
    reference=with_gradient(right.sequence_first, of=(0, 1)),
    dtypes="f32 f64",
    grad=True,
    core=False,
    **_SUMS,
)
def gradient(t, dtype):
    return t.call(_transformer(t, dtype), t.randn((3, 1, 8), dtype), t.randn((2, 1, 8), dtype))


@case("torch.nn.Transformer", dtypes="f32", reference="none", random=True, core=False)
def drops_in_training_alone(t, dtype):
    model, x = _transformer(t, dtype, dropout=0.5), t.randn((5, 2, 8), dtype)
    one, two = t.host(t.call(model, x, x)), t.host(t.call(model, x, x))
    t.expect(bool((one != two).any()), "two training passes differ")
    model.eval()
    one, two = t.host(t.call(model, x, x)), t.host(t.call(model, x, x))
    t.expect(bool((one == two).all()), "two passes out of training are the same")


@case("torch.nn.Transformer", reference="none", core=False)
def transformer_wrong_calls_raise(t):
    model, x = _transformer(t, "f32"), t.randn((5, 2, 8), "f32")
    t.raises(RuntimeError, t.call, model, x, t.randn((5, 2, 6), "f32"))
    t.raises(RuntimeError, t.call, model, x, t.randn((5, 3, 8), "f32"))
    t.raises((AssertionError, ValueError), t.get("torch.nn.Transformer"), d_model=9, nhead=2)


def _encoder(t, dtype, **options):
    return t.construct("torch.nn.TransformerEncoderLayer", 16, 4, 32, dropout=options.pop("dropout", 0.0),
                       batch_first=True, dtype=dtype, **options)  # fmt: skip


@case(
    "torch.nn.TransformerEncoderLayer",
    reference=with_gradient(right.encoder, of=(0,)),
    dtypes="f32 f64",
    grad=True,
    core=False,
    **_SUMS,
)
def encoder_gradient(t, dtype):
    return t.call(_encoder(t, dtype), t.randn((2, 3, 16), dtype))


def _masked(np, x, padding, *parameters):
    hidden = right.masked(np, padding)[:, None, None]
    causal = right.encoder(np, x, *parameters, mask=right.seen_so_far(np, 5))
    return causal, right.encoder(np, x, *parameters, mask=hidden)[1, :3]


@case("torch.nn.TransformerEncoderLayer", reference=_masked, dtypes="f32", core=False, **_SUMS)
def masks(t, dtype):
    layer, x = _encoder(t, dtype), t.randn((2, 5, 16), dtype)
    ones = t.fw.ones((5, 5), dtype=t.fw.bool, device=t.device)
    padding = t.const([[False] * 5, [False] * 3 + [True] * 2], "bool")
    return (
        t.call(layer, x, src_mask=ones.triu(1), is_causal=True),
        t.call(layer, x, src_key_padding_mask=padding)[1, :3],
    )


@case(
    "torch.nn.TransformerEncoderLayer", reference=right.encoder, dtypes="f32", core=False, **_SUMS
)
def inference_path(t, dtype):
    """Out of training and without gradients a fused kernel may serve: the same result."""
    layer, x = _encoder(t, dtype), t.randn((2, 5, 16), dtype)
    slow = t.call(layer, x)
    layer.eval()
    with t.fw.no_grad():
        fast = t.call(layer, x)
    t.expect(bool(abs(t.host(slow) - t.host(fast)).max() < 1e-4), "the result of the training path")
    return fast


def _encoder_options(np, x, *weights):
    layers = [(weight, 0) for weight in weights]
    made = right.encoder_layer(np, x.swapaxes(0, 1), layers, 4, activation=right.gelu)
    return made.swapaxes(0, 1), made[0]


@case(
    "torch.nn.TransformerEncoderLayer",
    reference=_encoder_options,
    dtypes="f32",
    core=False,
    **_SUMS,
)
def encoder_options(t, dtype):
    """Another activation, no bias, the sequence first, no batch."""
    layer = t.construct("torch.nn.TransformerEncoderLayer", 16, 4, 32, dropout=0.0, activation="gelu",
                        bias=False, dtype=dtype)  # fmt: skip
    x = t.randn((5, 2, 16), dtype)
    return t.call(layer, x), t.call(layer, x[:, 0])


@case("torch.nn.TransformerEncoderLayer", dtypes="f32", reference="none", random=True, core=False)
def encoder_drops_in_training(t, dtype):
    layer, x = _encoder(t, dtype, dropout=0.5), t.randn((2, 5, 16), dtype)
    t.expect(
        bool((t.host(t.call(layer, x)) != t.host(t.call(layer, x))).any()), "passes that differ"
    )


@case("torch.nn.TransformerEncoderLayer", reference="none", core=False)
def encoder_wrong_calls_raise(t):
    t.raises((RuntimeError, AssertionError), t.call, _encoder(t, "f32"), t.randn((2, 5, 8), "f32"))
    make = t.get("torch.nn.TransformerEncoderLayer")
    t.raises(RuntimeError, make, 16, 4, activation="swish")
    t.raises((AssertionError, ValueError), make, 15, 4)
