"""Losses: reductions, weights, gradients."""

from seamark_suites.case import case

from . import reference as right
from .reference import with_gradient

# Of the input, not of the target.
_BCE = with_gradient(right.bce_with_logits, right.bce_with_logits_pull, of=(0,))
_KL = with_gradient(right.kl_div, right.kl_div_pull, of=(0,))
_SMOOTH = with_gradient(right.smooth_l1, right.smooth_l1_pull, of=(0,))


@case("torch.nn.BCEWithLogitsLoss", dtypes="f32 bf16 f64", reduction=["mean", "sum", "none"], grad=True, core="f32",
      reference=_BCE,
      rtol={"f32": 1e-5, "bf16": 3e-2}, atol={"bf16": 2e-2})  # a sum over 264 terms # fmt: skip
def bce_with_logits(t, dtype, reduction):
    loss = t.get("torch.nn.BCEWithLogitsLoss")(reduction=reduction)
    return t.call(loss, t.randn((8, 33), dtype), t.uniform((8, 33), dtype, grad=False))


@case("torch.nn.BCEWithLogitsLoss", dtypes="f32", reference=right.bce_with_positive_weight)
def positive_weight(t, dtype):
    loss = t.get("torch.nn.BCEWithLogitsLoss")(pos_weight=t.uniform((5,), dtype, 1, 3))
    return t.call(loss, t.const([[-90.0, -3.0, 0.0, 3.0, 90.0]], dtype), t.uniform((1, 5), dtype))


@case(
    "torch.nn.KLDivLoss",
    dtypes="f32",
    reduction="batchmean",
    name="forward",
    rtol={"f32": 1e-5},
    reference=right.kl_div,
)
@case("torch.nn.KLDivLoss", dtypes="f32 bf16 f64", reduction=["batchmean", "sum", "none"], grad=True, core="f32",
      reference=_KL,
      rtol={"f32": 1e-5, "bf16": 3e-2}, atol={"bf16": 1e-2})  # a sum over 264 terms # fmt: skip
def kl_div(t, dtype, reduction):
    loss = t.get("torch.nn.KLDivLoss")(reduction=reduction)
    return t.call(
        loss, t.uniform((8, 33), dtype, -4, 0), t.uniform((8, 33), dtype, 0.01, 1, grad=False)
    )


@case(
    "torch.nn.SmoothL1Loss",
    dtypes="f32",
    beta=0.25,
    name="forward",
    rtol={"f32": 1e-5},
    reference=right.smooth_l1,
)
@case("torch.nn.SmoothL1Loss", dtypes="f32 bf16 f64", beta=[1.0, 0.25], grad=True, core="f32",
      reference=_SMOOTH,
      rtol={"f32": 1e-5, "bf16": 3e-2})  # a mean over 264 terms # fmt: skip
def smooth_l1(t, dtype, beta):
    return t.call(
        t.get("torch.nn.SmoothL1Loss")(beta=beta),
        t.randn((8, 33), dtype),
        t.randn((8, 33), dtype, grad=False),
    )


_MEAN = {"rtol": {"f32": 1e-5, "f16": 4e-3}, "atol": {"f16": 2e-3}}  # a mean over 264 terms


@case(
    "torch.nn.BCEWithLogitsLoss",
    dtypes="f16",
    grad=True,
    core=False,
    reference=lambda np, x, y: _BCE(np, x, y, reduction="none"),
    **_MEAN,
)
@case(
    "torch.nn.KLDivLoss",
    dtypes="f16",
    grad=True,
    core=False,
    **_MEAN,
    reference=lambda np, x, y: _KL(np, x, y, reduction="none"),
)
@case(
    "torch.nn.SmoothL1Loss",
    dtypes="f16",
    grad=True,
    core=False,
    **_MEAN,
    reference=lambda np, x, y: _SMOOTH(np, x, y, reduction="none"),
)
def in_half(t, dtype, function):
    loss = t.get(function)(reduction="none")
    return t.call(
        loss, t.uniform((8, 33), dtype, -3, 0), t.uniform((8, 33), dtype, 0.05, 1, grad=False)
    )


@case(
    "torch.nn.SmoothL1Loss",
    dtypes="f32",
    reduction=["sum", "none"],
    grad=True,
    core=False,
    **_MEAN,
    reference=with_gradient(right.smooth_l1, right.smooth_l1_pull),
)
def reductions(t, dtype, reduction):
    loss = t.get("torch.nn.SmoothL1Loss")(reduction=reduction)
    return t.call(loss, t.randn((8, 33), dtype), t.randn((8, 33), dtype))


@case(
    "torch.nn.SmoothL1Loss",
    dtypes="f32",
    beta=[0.0, 0.5],
    grad=True,
    core=False,
    reference=lambda np, x, beta: _SMOOTH(np, x, 0 * x, beta=beta, reduction="none"),
)
def at_the_bend(t, dtype, beta):
    """Differences of 0, within and beyond beta; beta=0 is the absolute difference."""
    x = t.const([0.0, 0.25, -0.5, 0.75, -3.0], dtype, grad=True)
    return t.call(t.get("torch.nn.SmoothL1Loss")(reduction="none", beta=beta), x, x.detach() * 0)


@case("torch.nn.SmoothL1Loss", dtypes="f32", reference="none", core=False)
def smooth_l1_wrong_calls_raise(t, dtype):
    x, make = t.randn((3,), dtype), t.get("torch.nn.SmoothL1Loss")
    t.raises(RuntimeError, t.call, make(beta=-1.0), x, x)
    t.raises(RuntimeError, t.call, make(), x, t.randn((4,), dtype))
    t.raises(ValueError, t.call, make(reduction="all"), x, x)


@case(
    "torch.nn.SmoothL1Loss",
    dtypes="f32",
    core=False,
    reference=right.of_strided_and_scalar(right.smooth_l1),
)
@case(
    "torch.nn.KLDivLoss",
    dtypes="f32",
    core=False,
    reference=right.of_strided_and_scalar(right.kl_div),
)
@case(
    "torch.nn.BCEWithLogitsLoss",
    dtypes="f32",
    core=False,
    reference=right.of_strided_and_scalar(right.bce_with_logits),
)
def of_strided_and_scalar(t, dtype, function):
    x, y = t.uniform((6, 9), dtype, -3, 0, noncontiguous=True), t.uniform((9, 6), dtype, 0.1, 1)
    loss = t.get(function)(reduction="sum")
    return t.call(loss, x, y.mT), t.call(loss, x[0, 1], y[1, 0])


@case(
    "torch.nn.SmoothL1Loss",
    dtypes="f32",
    core=False,
    trivial=True,
    reference=right.sum_and_mean(right.smooth_l1),
)
@case(
    "torch.nn.KLDivLoss",
    dtypes="f32",
    core=False,
    trivial=True,
    reference=right.sum_and_mean(right.kl_div),
)
@case(
    "torch.nn.BCEWithLogitsLoss",
    dtypes="f32",
    core=False,
    trivial=True,
    reference=right.sum_and_mean(right.bce_with_logits),
)
def of_nothing(t, dtype, function):
    """The sum over no elements is zero, the mean NaN."""
    x = t.randn((0, 3), dtype)
    make = t.get(function)
    return t.call(make(reduction="sum"), x, x), t.call(make(), x, x)


@case(
    "torch.nn.KLDivLoss",
    dtypes="f32",
    reduction=["mean", "batchmean"],
    grad=True,
    core=False,
    reference=with_gradient(right.kl_div_of_log),
    **_MEAN,
)
def log_target(t, dtype, reduction):
    """The target in log space gets a gradient, too."""
    loss = t.get("torch.nn.KLDivLoss")(reduction=reduction, log_target=True)
    return t.call(loss, t.uniform((8, 33), dtype, -4, 0), t.uniform((8, 33), dtype, -4, 0))


@case(
    "torch.nn.KLDivLoss",
    dtypes="f32",
    grad=True,
    core=False,
    reference=with_gradient(lambda np, y, x: right.kl_div(np, x, y, "sum"), of=(1,)),
)
def zero_targets_add_nothing(t, dtype):
    """x log x is zero at zero, and so is the gradient there."""
    target = t.const([0.0, 0.25, 0.0, 0.75], dtype)
    return t.call(
        t.get("torch.nn.KLDivLoss")(reduction="sum"), t.uniform((4,), dtype, -4, 0), target
    )


@case("torch.nn.KLDivLoss", dtypes="f32", reference="none", core=False)
def kl_wrong_calls_raise(t, dtype):
    x, make = t.uniform((3, 4), dtype, -3, 0), t.get("torch.nn.KLDivLoss")
    t.raises(RuntimeError, t.call, make(reduction="sum"), x, t.uniform((3, 5), dtype))
    t.raises(ValueError, t.call, make(reduction="all"), x, x)


@case(
    "torch.nn.BCEWithLogitsLoss",
    dtypes="f32",
    grad=True,
    core=False,
    **_MEAN,
    reference=with_gradient(right.weighted_bce, of=(1, 2)),
)
def weighted(t, dtype):
    """A weight per class, and a gradient for soft targets, too."""
    loss = t.get("torch.nn.BCEWithLogitsLoss")(weight=t.uniform((5,), dtype, 1, 3, grad=False))
    return t.call(loss, t.randn((7, 5), dtype), t.uniform((7, 5), dtype))


@case("torch.nn.BCEWithLogitsLoss", dtypes="f32", reference="none", core=False)
def bce_wrong_calls_raise(t, dtype):
    loss = t.get("torch.nn.BCEWithLogitsLoss")()
    t.raises(ValueError, t.call, loss, t.randn((3,), dtype), t.uniform((3, 1), dtype))


@case("torch.nn.BCEWithLogitsLoss", dtypes="f32", core=False, reference="none")
def weights_are_buffers(t, dtype):
    loss = t.get("torch.nn.BCEWithLogitsLoss")(pos_weight=t.uniform((5,), dtype, 1, 3))
    t.expect(list(loss.state_dict()) == ["pos_weight"], "the weight in the state")
    half = t.call(loss.to, t.dtype("f16"))
    t.expect(half.pos_weight.dtype is t.dtype("f16"), "the weight moves with the loss")
