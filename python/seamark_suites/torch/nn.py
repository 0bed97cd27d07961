"""Layers, losses and their functional forms."""

from seamark_suites.case import case

# Convolutions and matrix products sum thousands of f32 terms in an order of the device's choosing.
_SUMS = {
    "rtol": {"f32": 1e-4, "bf16": 3e-2, "f16": 1e-2},
    "atol": {"f32": 1e-4, "bf16": 3e-2, "f16": 1e-2},
}


@case(
    "torch.nn.Linear",
    dtypes="f32 bf16 f16 f64",
    bias=[True, False],
    grad=True,
    core="f32 bf16",
    **_SUMS,
)
def linear(t, dtype, bias):
    layer = t.construct("torch.nn.Linear", 33, 16, bias=bias, dtype=dtype)
    return t.call(layer, t.randn((8, 33), dtype))


@case("torch.nn.Linear", dtypes="f32", **_SUMS)
def parameters_learn(t, dtype):
    """The gradient reaches weight and bias."""
    layer = t.construct("torch.nn.Linear", 5, 3, dtype=dtype)
    out = t.call(layer, t.randn((4, 5), dtype))
    (out * out).sum().backward()
    return out.detach(), layer.weight.grad, layer.bias.grad


@case("torch.nn.Conv2d", dtypes="f32 bf16 f64", stride=[1, 2], grad=True, core="f32 bf16", **_SUMS)
def conv2d(t, dtype, stride):
    layer = t.construct("torch.nn.Conv2d", 3, 8, 3, stride=stride, padding=1, dtype=dtype)
    return t.call(layer, t.randn((2, 3, 12, 12), dtype))


@case("torch.nn.Conv2d", dtypes="f32", groups=[2], padding_mode=["zeros", "reflect"], **_SUMS)
def grouped_and_dilated(t, dtype, groups, padding_mode):
    layer = t.construct("torch.nn.Conv2d", 4, 8, 3, groups=groups, dilation=2, padding=2, padding_mode=padding_mode,
                        dtype=dtype)  # fmt: skip
    return t.call(layer, t.randn((1, 4, 9, 9), dtype))


@case("torch.nn.Conv3d", dtypes="f32 bf16 f64", grad=True, core="f32 bf16", **_SUMS)
def conv3d(t, dtype):
    layer = t.construct("torch.nn.Conv3d", 2, 4, 3, padding=1, dtype=dtype)
    return t.call(layer, t.randn((1, 2, 5, 6, 7), dtype))


@case("torch.nn.LSTMCell", dtypes="f32 bf16 f64", grad=True, core="f32 bf16", **_SUMS)
def lstm_cell(t, dtype):
    cell = t.construct("torch.nn.LSTMCell", 10, 20, dtype=dtype)
    return t.call(cell, t.randn((3, 10), dtype), (t.randn((3, 20), dtype), t.randn((3, 20), dtype)))


@case("torch.nn.LSTMCell", dtypes="f32", **_SUMS)
def several_steps(t, dtype):
    cell = t.construct("torch.nn.LSTMCell", 4, 6, bias=False, dtype=dtype)
    state = None
    for _ in range(3):
        state = t.call(cell, t.randn((2, 4), dtype), state)
    return state


@case("torch.nn.Transformer", dtypes="f32 bf16", core="f32", rtol={"f32": 1e-4, "bf16": 6e-2},
      atol={"f32": 1e-4, "bf16": 6e-2})  # four attention layers deep: roundings add up # fmt: skip
def transformer(t, dtype):
    model = t.construct("torch.nn.Transformer", d_model=16, nhead=2, num_encoder_layers=1, num_decoder_layers=1,
                        dim_feedforward=32, dropout=0.0, batch_first=True, dtype=dtype)  # fmt: skip
    return t.call(model, t.randn((2, 5, 16), dtype), t.randn((2, 4, 16), dtype))


@case("torch.nn.TransformerEncoderLayer", dtypes="f32 bf16", norm_first=[True, False], core="f32",
      rtol={"f32": 1e-4, "bf16": 5e-2}, atol={"f32": 1e-4, "bf16": 5e-2})  # attention and two norms # fmt: skip
def encoder_layer(t, dtype, norm_first):
    layer = t.construct("torch.nn.TransformerEncoderLayer", 16, 4, 32, dropout=0.0, batch_first=True,
                        norm_first=norm_first, dtype=dtype)  # fmt: skip
    return t.call(layer, t.randn((2, 6, 16), dtype))


@case(
    "torch.nn.GELU",
    dtypes="f32 bf16 f16 f64",
    approximate=["none", "tanh"],
    grad=True,
    core="f32 bf16",
)
def gelu(t, dtype, approximate):
    return t.call(
        t.construct("torch.nn.GELU", approximate=approximate, dtype=dtype), t.randn((64, 33), dtype)
    )


@case("torch.nn.AdaptiveAvgPool3d", dtypes="f32 f64 bf16", grad=True, core="f32",
      atol={"bf16": 2e-2})  # means of up to 60 values that cancel # fmt: skip
def adaptive_avg_pool3d(t, dtype):
    return t.call(
        t.construct("torch.nn.AdaptiveAvgPool3d", (3, None, 2)), t.randn((2, 3, 7, 5, 8), dtype)
    )


@case("torch.nn.BCEWithLogitsLoss", dtypes="f32 bf16 f64", reduction=["mean", "sum", "none"], grad=True, core="f32",
      rtol={"f32": 1e-5, "bf16": 3e-2}, atol={"bf16": 2e-2})  # a sum over 264 terms # fmt: skip
def bce_with_logits(t, dtype, reduction):
    loss = t.get("torch.nn.BCEWithLogitsLoss")(reduction=reduction)
    return t.call(loss, t.randn((8, 33), dtype), t.uniform((8, 33), dtype, grad=False))


@case("torch.nn.BCEWithLogitsLoss", dtypes="f32")
def positive_weight(t, dtype):
    loss = t.get("torch.nn.BCEWithLogitsLoss")(pos_weight=t.uniform((5,), dtype, 1, 3))
    return t.call(loss, t.const([[-90.0, -3.0, 0.0, 3.0, 90.0]], dtype), t.uniform((1, 5), dtype))


@case("torch.nn.KLDivLoss", dtypes="f32 bf16 f64", reduction=["batchmean", "sum", "none"], grad=True, core="f32",
      rtol={"f32": 1e-5, "bf16": 3e-2}, atol={"bf16": 1e-2})  # a sum over 264 terms # fmt: skip
def kl_div(t, dtype, reduction):
    loss = t.get("torch.nn.KLDivLoss")(reduction=reduction)
    return t.call(
        loss, t.uniform((8, 33), dtype, -4, 0), t.uniform((8, 33), dtype, 0.01, 1, grad=False)
    )


@case("torch.nn.SmoothL1Loss", dtypes="f32 bf16 f64", beta=[1.0, 0.25], grad=True, core="f32",
      rtol={"f32": 1e-5, "bf16": 3e-2})  # a mean over 264 terms # fmt: skip
def smooth_l1(t, dtype, beta):
    return t.call(
        t.get("torch.nn.SmoothL1Loss")(beta=beta),
        t.randn((8, 33), dtype),
        t.randn((8, 33), dtype, grad=False),
    )


@case("torch.nn.functional.batch_norm", dtypes="f32 f64 bf16", training=[True, False], grad=True, core="f32",
      rtol={"f32": 1e-4, "bf16": 5e-2}, atol={"f32": 1e-4, "bf16": 5e-2})  # mean and variance over 64 # fmt: skip
def batch_norm(t, dtype, training):
    x = t.randn((4, 3, 4, 4), dtype)
    mean, variance = t.randn((3,), dtype, grad=False), t.uniform((3,), dtype, 0.5, 2, grad=False)
    return t.call(
        "torch.nn.functional.batch_norm",
        x,
        mean,
        variance,
        t.randn((3,), dtype),
        t.randn((3,), dtype),
        training,
    )


@case("torch.nn.functional.batch_norm", dtypes="f32", rtol={"f32": 1e-4}, atol={"f32": 1e-4})
def running_statistics(t, dtype):
    """Training moves the running mean and variance."""
    x, mean, variance = (
        t.randn((6, 3), dtype),
        t.const([0.0, 1.0, 2.0], dtype),
        t.const([1.0, 1.0, 4.0], dtype),
    )
    out = t.call("torch.nn.functional.batch_norm", x, mean, variance, training=True, momentum=0.5)
    return out, mean, variance


@case("torch.nn.functional.group_norm", dtypes="f32 f64 bf16", groups=[1, 3], grad=True, core="f32",
      rtol={"f32": 1e-4, "bf16": 5e-2}, atol={"f32": 1e-4, "bf16": 5e-2})  # mean and variance over groups # fmt: skip
def group_norm(t, dtype, groups):
    return t.call("torch.nn.functional.group_norm", t.randn((2, 6, 5), dtype), groups, t.randn((6,), dtype),
                  t.randn((6,), dtype))  # fmt: skip


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


@case("torch.nn.functional.dropout", dtypes="f32")
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


@case("torch.nn.Sequential", dtypes="f32 f64", grad=True, core="f32", **_SUMS)
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
