"""Layers and their functional forms."""

from seamark_suites.case import case

from . import reference_nn as right
from .reference import with_gradient

# Convolutions and matrix products sum thousands of f32 terms in an order of the device's choosing.
_SUMS = {
    "rtol": {"f32": 1e-4, "bf16": 3e-2, "f16": 1e-2},
    "atol": {"f32": 1e-4, "bf16": 3e-2, "f16": 1e-2},
}


@case("torch.nn.Linear", reference=right.linear, dtypes="f32", bias=True, name="forward", **_SUMS)
@case(
    "torch.nn.Linear",
    reference=with_gradient(right.linear, right.linear_pull, of=(0,)),
    dtypes="f32 bf16 f16 f64",
    bias=[True, False],
    grad=True,
    core="f32 bf16",
    **_SUMS,
)
def linear(t, dtype, bias):
    layer = t.construct("torch.nn.Linear", 33, 16, bias=bias, dtype=dtype)
    return t.call(layer, t.randn((8, 33), dtype))


@case("torch.nn.Linear", reference=right.linear_learns, dtypes="f32", **_SUMS)
def parameters_learn(t, dtype):
    """The gradient reaches weight and bias."""
    layer = t.construct("torch.nn.Linear", 5, 3, dtype=dtype)
    out = t.call(layer, t.randn((4, 5), dtype))
    (out * out).sum().backward()
    return out.detach(), layer.weight.grad, layer.bias.grad


@case(
    "torch.nn.Conv2d",
    reference=right.conv_and_gradient(padding=1),
    dtypes="f32 bf16 f64",
    stride=[1, 2],
    grad=True,
    core="f32 bf16",
    **_SUMS,
)
def conv2d(t, dtype, stride):
    layer = t.construct("torch.nn.Conv2d", 3, 8, 3, stride=stride, padding=1, dtype=dtype)
    return t.call(layer, t.randn((2, 3, 12, 12), dtype))


@case(
    "torch.nn.Conv2d",
    reference=right.with_options(right.conv, dilation=2, padding=2),
    dtypes="f32",
    groups=[2],
    padding_mode=["zeros", "reflect"],
    **_SUMS,
)
def grouped_and_dilated(t, dtype, groups, padding_mode):
    layer = t.construct("torch.nn.Conv2d", 4, 8, 3, groups=groups, dilation=2, padding=2, padding_mode=padding_mode,
                        dtype=dtype)  # fmt: skip
    return t.call(layer, t.randn((1, 4, 9, 9), dtype))


@case(
    "torch.nn.Conv3d",
    reference=right.with_options(right.conv, padding=1),
    dtypes="f32",
    name="forward",
    **_SUMS,
)
@case(
    "torch.nn.Conv3d",
    reference=right.conv_and_gradient(padding=1),
    dtypes="f32 bf16 f64",
    grad=True,
    core="f32 bf16",
    **_SUMS,
)
def conv3d(t, dtype):
    layer = t.construct("torch.nn.Conv3d", 2, 4, 3, padding=1, dtype=dtype)
    return t.call(layer, t.randn((1, 2, 5, 6, 7), dtype))


@case(
    "torch.nn.LSTMCell",
    reference=with_gradient(right.lstm_cell, right.lstm_cell_pull, of=(0, 1, 2)),
    dtypes="f32 bf16 f64",
    grad=True,
    core="f32 bf16",
    **_SUMS,
)
def lstm_cell(t, dtype):
    cell = t.construct("torch.nn.LSTMCell", 10, 20, dtype=dtype)
    return t.call(cell, t.randn((3, 10), dtype), (t.randn((3, 20), dtype), t.randn((3, 20), dtype)))


@case(
    "torch.nn.LSTMCell",
    reference=lambda np, a, b, c, *parameters: right.lstm_steps(np, (a, b, c), *parameters),
    dtypes="f32",
    **_SUMS,
)
def several_steps(t, dtype):
    cell = t.construct("torch.nn.LSTMCell", 4, 6, bias=False, dtype=dtype)
    state = None
    for _ in range(3):
        state = t.call(cell, t.randn((2, 4), dtype), state)
    return state


@case("torch.nn.Transformer", reference=right.transformer,
      dtypes="f32 bf16", core="f32", rtol={"f32": 1e-4, "bf16": 6e-2},
      atol={"f32": 1e-4, "bf16": 6e-2})  # four attention layers deep: roundings add up # fmt: skip
def transformer(t, dtype):
    model = t.construct("torch.nn.Transformer", d_model=16, nhead=2, num_encoder_layers=1, num_decoder_layers=1,
                        dim_feedforward=32, dropout=0.0, batch_first=True, dtype=dtype)  # fmt: skip
    return t.call(model, t.randn((2, 5, 16), dtype), t.randn((2, 4, 16), dtype))


@case("torch.nn.TransformerEncoderLayer", reference=right.encoder,
      dtypes="f32 bf16", norm_first=[True, False], core="f32",
      rtol={"f32": 1e-4, "bf16": 5e-2}, atol={"f32": 1e-4, "bf16": 5e-2})  # attention and two norms # fmt: skip
def encoder_layer(t, dtype, norm_first):
    layer = t.construct("torch.nn.TransformerEncoderLayer", 16, 4, 32, dropout=0.0, batch_first=True,
                        norm_first=norm_first, dtype=dtype)  # fmt: skip
    return t.call(layer, t.randn((2, 6, 16), dtype))


@case("torch.nn.GELU", reference=right.gelu, dtypes="f32", approximate="none", name="forward")
@case(
    "torch.nn.GELU",
    reference=with_gradient(right.gelu, right.gelu_pull),
    dtypes="f32 bf16 f16 f64",
    approximate=["none", "tanh"],
    grad=True,
    core="f32 bf16",
)
def gelu(t, dtype, approximate):
    return t.call(
        t.construct("torch.nn.GELU", approximate=approximate, dtype=dtype), t.randn((64, 33), dtype)
    )


@case(
    "torch.nn.AdaptiveAvgPool3d", reference=right.adaptive_avg_pool3d, dtypes="f32", name="forward"
)
@case("torch.nn.AdaptiveAvgPool3d",
      reference=with_gradient(right.adaptive_avg_pool3d, right.adaptive_avg_pool3d_pull),
      dtypes="f32 f64 bf16", grad=True, core="f32",
      atol={"bf16": 2e-2})  # means of up to 60 values that cancel # fmt: skip
def adaptive_avg_pool3d(t, dtype):
    return t.call(
        t.construct("torch.nn.AdaptiveAvgPool3d", (3, None, 2)), t.randn((2, 3, 7, 5, 8), dtype)
    )


@case(
    "torch.nn.functional.dropout",
    dtypes="f32 bf16 f64",
    p=[0.25, 0.5],
    random=True,
    reference="none",
    core="f32",
)
def dropout(t, dtype, p):
    x = t.uniform((64, 64), dtype, 1, 2)
    y = t.host(t.call("torch.nn.functional.dropout", x, p))
    kept = y != 0
    share = float(kept.mean())
    t.expect(
        abs((1 - share) - p) < 5 * (p * (1 - p) / y.size) ** 0.5,
        "a share %g of zeros, got %g" % (p, 1 - share),
    )
    ratio = y[kept] / t.host(x)[kept]
    t.expect(bool((abs(ratio - 1 / (1 - p)) < 2e-2).all()), "what is kept is scaled by 1/(1-p)")


@case("torch.nn.functional.dropout", reference=lambda np, x: x, dtypes="f32")
def not_in_training(t, dtype):
    return t.call("torch.nn.functional.dropout", t.randn((8, 8), dtype), 0.5, training=False)


@case("torch.nn.Dropout3d", dtypes="f32 bf16", random=True, reference="none", core="f32")
def dropout3d(t, dtype):
    """Whole channels are dropped."""
    layer = t.get("torch.nn.Dropout3d")(0.5)
    y = t.host(t.call(layer, t.uniform((32, 16, 2, 2, 2), dtype, 1, 2)))
    zero = (y == 0).reshape(32, 16, 8)
    t.expect(bool((zero.all(-1) | ~zero.any(-1)).all()), "a channel wholly kept or wholly dropped")
    share = float(zero.all(-1).mean())
    t.expect(
        abs(share - 0.5) < 5 * (0.25 / 512) ** 0.5, "half of the channels dropped, got %g" % share
    )


@case("torch.nn.Sequential", reference=right.mlp, dtypes="f32", name="forward", **_SUMS)
@case(
    "torch.nn.Sequential",
    reference=with_gradient(right.mlp, of=(0,)),
    dtypes="f32 f64",
    grad=True,
    core="f32",
    **_SUMS,
)
def sequential(t, dtype):
    nn = t.fw.nn
    model = t.construct(
        lambda: nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 2)), dtype=dtype
    )
    t.expect(len(model) == 3 and isinstance(model[1], nn.Tanh), "indexing and length")
    return t.call(model, t.randn((4, 6), dtype))


@case(
    "torch.nn.init.xavier_uniform_",
    dtypes="f32 f64 bf16",
    random=True,
    reference="none",
    core="f32",
)
def xavier_uniform(t, dtype):
    x = t.randn((64, 96), dtype)
    made = t.call("torch.nn.init.xavier_uniform_", x, gain=2.0)
    t.expect(made is x, "the same tensor, filled in place")
    bound = 2.0 * (6.0 / (64 + 96)) ** 0.5
    slack = 1.01 if dtype == "bf16" else 1.0001
    t.statistics(
        made,
        mean=0.0,
        std=bound / 3**0.5 if dtype != "bf16" else None,
        low=-bound * slack,
        high=bound * slack,
    )


@case(
    "torch.nn.Dropout3d",
    reference=lambda np, x, p: x * (p != 1),
    dtypes="f32",
    p=[0.0, 1.0, 0.5],
    core=False,
    trivial=True,
)
def fixed_outcomes(t, dtype, p):
    """Nothing or everything dropped; and out of training nothing."""
    layer, x = t.get("torch.nn.Dropout3d")(p), t.randn((2, 3, 2, 2, 2), dtype)
    return t.call(layer.train(p != 0.5), x)


@case("torch.nn.Dropout3d", dtypes="f32 f64 f16", random=True, reference="none", core=False)
def kept_channels_are_scaled(t, dtype):
    layer, x = t.get("torch.nn.Dropout3d")(0.75), t.uniform((16, 16, 2, 2, 2), dtype, 1, 2)
    y, before = t.host(t.call(layer, x)), t.host(x)
    t.expect(
        bool(abs(y[y != 0] / before[y != 0] - 4).max() < 1e-2), "what is kept is scaled by four"
    )


@case("torch.nn.Dropout3d", dtypes="f32", random=True, reference="none", core=False)
def in_place_and_unbatched(t, dtype):
    x = t.uniform((64, 2, 2, 2), dtype, 1, 2)
    made = t.call(t.get("torch.nn.Dropout3d")(0.5, inplace=True), x)
    zero = (t.host(x) == 0).reshape(64, 8)
    t.expect(bool((t.host(made) == t.host(x)).all()), "the input itself is changed")
    t.expect(
        bool((zero.all(-1) | ~zero.any(-1)).all()), "channels of the unbatched input dropped whole"
    )


@case(
    "torch.nn.Dropout3d",
    dtypes="f32",
    random=True,
    reference="none",
    core=False,
)
@case("torch.nn.functional.dropout", dtypes="f32", random=True, reference="none",
      core=False)  # fmt: skip
def gradient_passes_where_kept(t, dtype, function):
    x = t.uniform((4, 8, 2, 2, 2), dtype, 1, 2, grad=True)
    if function == "torch.nn.Dropout3d":
        y = t.call(t.get(function)(0.5), x)
    else:
        y = t.call("torch.nn.functional.dropout", x, 0.5)
    y.sum().backward()
    same = (t.host(x.grad) != 0) == (t.host(y) != 0)
    t.expect(
        bool(same.all()) and bool(t.host(y).any()), "a gradient where the value is kept, only there"
    )


@case("torch.nn.Dropout3d", reference="none", core=False)
@case("torch.nn.functional.dropout", reference="none", core=False)
def p_out_of_range_raises(t, function):
    x = t.randn((2, 2), "f32")
    arguments = () if function == "torch.nn.Dropout3d" else (x,)
    for p in (-0.5, 1.5):
        t.raises(ValueError, t.call, function, *arguments, p=p)


@case(
    "torch.nn.functional.dropout",
    reference=lambda np, x, p: x * (p != 1),
    dtypes="f32",
    p=[0.0, 1.0],
    trivial=True,
    core=False,
)
def all_or_nothing(t, dtype, p):
    return t.call("torch.nn.functional.dropout", t.randn((8, 8), dtype, noncontiguous=True), p)


@case("torch.nn.functional.dropout", dtypes="f16 bf16", random=True, reference="none", core=False)
def in_place(t, dtype):
    x = t.uniform((64, 64), dtype, 1, 2)
    before = t.host(x)
    made = t.call("torch.nn.functional.dropout", x, 0.5, inplace=True)
    after = t.host(x)
    t.expect(bool((t.host(made) == after).all()), "the input itself as the result")
    share = float((after == 0).mean())
    t.expect(abs(share - 0.5) < 5 * 0.5 / 64, "half of the input itself zero, got %g" % share)
    t.expect(bool((after[after != 0] == 2 * before[after != 0]).all()), "the rest doubled")


@case("torch.nn.functional.dropout", dtypes="f32", random=True, reference="none", core=False)
def the_seed_repeats_it(t, dtype):
    x, masks = t.uniform((32, 32), dtype, 1, 2), []
    for seed in (7, 7, 8):
        t.fw.manual_seed(seed)
        masks.append(t.host(t.call("torch.nn.functional.dropout", x, 0.5)) == 0)
    t.expect(bool((masks[0] == masks[1]).all()), "the same seed drops the same elements")
    t.expect(bool((masks[0] != masks[2]).any()), "another seed drops others")


@case("torch.nn.init.xavier_uniform_", dtypes="f32", random=True, reference="none", core=False)
def of_a_convolution(t, dtype):
    """The receptive field counts in both fans."""
    x = t.call("torch.nn.init.xavier_uniform_", t.randn((32, 16, 3, 3), dtype))
    bound = (6.0 / (9 * (32 + 16))) ** 0.5
    t.statistics(x, mean=0.0, std=bound / 3**0.5, low=-1.0001 * bound, high=1.0001 * bound)


@case("torch.nn.init.xavier_uniform_", reference="none", core=False)
def of_a_vector_raises(t):
    t.raises(ValueError, t.call, "torch.nn.init.xavier_uniform_", t.randn((5,), "f32"))


@case("torch.nn.init.xavier_uniform_", dtypes="f32", random=True, reference="none", core=False)
def a_parameter_stays_a_leaf(t, dtype):
    x = t.fw.nn.Parameter(t.randn((8, 8), dtype))
    t.expect(t.call("torch.nn.init.xavier_uniform_", x) is x, "the parameter itself")
    t.expect(x.is_leaf and x.requires_grad and x.grad_fn is None, "no history of the filling")


@case("torch.nn.init.xavier_uniform_", dtypes="f32", random=True, reference="none", core=False)
def a_generator_repeats_it(t, dtype):
    made = []
    for _ in range(2):
        generator = t.fw.Generator(device=t.device).manual_seed(3)
        x = t.randn((8, 8), dtype)
        made.append(t.host(t.call("torch.nn.init.xavier_uniform_", x, generator=generator)))
    t.expect(bool((made[0] == made[1]).all()) and bool(made[0].any()), "the same numbers")


@case("torch.nn.init.xavier_uniform_", dtypes="f32", random=True, reference="none", core=False)
def strided_tensor_is_filled(t, dtype):
    x = t.fw.full((64, 96), 9.0, dtype=t.dtype(dtype), device=t.device).mT[::2]
    made = t.host(t.call("torch.nn.init.xavier_uniform_", x))
    t.expect(bool((abs(made) < 1).all()) and float(made.std()) > 0.01, "every element drawn anew")


@case("torch.nn.GELU", reference=right.gelu, dtypes="f32", approximate=["none", "tanh"], core=False)
def extremes(t, dtype, approximate):
    x = t.const([-1e4, -40.0, -6.0, -1e-6, 0.0, 1e-6, 6.0, 40.0, 1e4], dtype)
    return t.call(t.get("torch.nn.GELU")(approximate), x)


@case(
    "torch.nn.GELU",
    reference=lambda np, x: tuple(right.gelu(np, part) for part in (x.T, x[1, 2], x[:0])),
    dtypes="f32",
    core=False,
)
def strided_scalar_nothing(t, dtype):
    layer, x = t.get("torch.nn.GELU")(), t.randn((6, 7), dtype, noncontiguous=True)
    return t.call(layer, x.mT), t.call(layer, x[1, 2]), t.call(layer, x[:0])


@case(
    "torch.nn.GELU",
    reference=with_gradient(right.gelu, right.gelu_pull),
    dtypes="f32",
    grad=True,
    core=False,
)
def many(t, dtype):
    return t.call(t.get("torch.nn.GELU")(), t.randn((512, 512), dtype))


@case("torch.nn.GELU", reference="none", core=False)
def wrong_calls_raise(t):
    make = t.get("torch.nn.GELU")
    t.raises(RuntimeError, t.call, make("cosh"), t.randn((3,), "f32"))
    t.raises((RuntimeError, NotImplementedError), t.call, make(), t.randn((3,), "i64"))


@case(
    "torch.nn.AdaptiveAvgPool3d",
    reference=with_gradient(right.adaptive_avg_pool3d, right.adaptive_avg_pool3d_pull),
    dtypes="f32",
    size=[1, 3, (9, 4, 10)],
    grad=True,
    core=False,
)
def sizes(t, dtype, size):
    """One mean of all, a cube, and more cells than the input has."""
    return t.call(t.get("torch.nn.AdaptiveAvgPool3d")(size), t.randn((2, 3, 7, 5, 8), dtype))


@case(
    "torch.nn.AdaptiveAvgPool3d",
    reference=right.with_options(right.adaptive_avg_pool3d, size=2),
    dtypes="f16",
    core=False,
    atol={"f16": 2e-3},
)  # means that cancel
def in_half(t, dtype):
    return t.call(t.get("torch.nn.AdaptiveAvgPool3d")(2), t.randn((2, 3, 4, 5, 6), dtype))


def _one_and_all(np, x):
    return tuple(right.adaptive_avg_pool3d(np, given, (2, 3, 1)) for given in (x[0], x))


@case("torch.nn.AdaptiveAvgPool3d", reference=_one_and_all, dtypes="f32", core=False)
def unbatched_and_channels_last(t, dtype):
    pool, x = t.get("torch.nn.AdaptiveAvgPool3d")((2, 3, 1)), t.randn((2, 3, 4, 5, 6), dtype)
    last = x.to(memory_format=t.fw.channels_last_3d)
    return t.call(pool, x[0]), t.call(pool, last)


@case(
    "torch.nn.AdaptiveAvgPool3d",
    reference=right.with_options(right.adaptive_avg_pool3d, size=2),
    dtypes="f32",
    trivial=True,
    core=False,
)
def of_an_empty_batch(t, dtype):
    return t.call(t.get("torch.nn.AdaptiveAvgPool3d")(2), t.randn((0, 3, 4, 5, 6), dtype))


@case("torch.nn.AdaptiveAvgPool3d", reference="none", core=False)
def pool_wrong_shapes_raise(t):
    pool = t.get("torch.nn.AdaptiveAvgPool3d")(2)
    t.raises(RuntimeError, t.call, pool, t.randn((3, 4, 5), "f32"))
    t.raises(RuntimeError, t.call, pool, t.randn((2, 0, 4, 0, 6), "f32"))
