"""The cross entropy of scores: targets as classes and as probabilities."""

from seamark_suites.case import case

from . import reference_modules as right

NAME = "torch.nn.CrossEntropyLoss"
# Logarithms of sums over up to 33 scores; bf16 rounds the log-probabilities before their exponentials.
_LOGS = {
    "rtol": {"f32": 1e-5, "bf16": 5e-2, "f16": 1e-2},
    "atol": {"f32": 1e-5, "bf16": 2e-3, "f16": 1e-3},
}


@case(NAME, reference=right.cross_entropy, dtypes="f32 bf16", reduction="none", name="forward", **_LOGS)  # fmt: skip
@case(NAME, reference=right.ENTROPY, dtypes="f32 bf16 f16 f64", reduction=["mean", "sum", "none"], grad=True,
      core="f32 bf16", **_LOGS)  # fmt: skip
def of_classes(t, dtype, reduction):
    loss = t.get(NAME)(reduction=reduction)
    return t.call(loss, t.randn((8, 33), dtype), t.randint((8,), "i64", 0, 33))


@case(NAME, reference=right.weighted_entropy, dtypes="f32 f64", reduction=["mean", "none"],
      label_smoothing=[0.0, 0.2], grad=True, core=False, **_LOGS)  # fmt: skip
def weighted(t, dtype, reduction, label_smoothing):
    """A weight per class: the mean divides by the weights of the targets."""
    weight = t.uniform((7,), dtype, 0.5, 3, grad=False)
    loss = t.get(NAME)(weight=weight, reduction=reduction, label_smoothing=label_smoothing)
    return t.call(loss, t.randn((9, 7), dtype), t.randint((9,), "i64", 0, 7))


@case(NAME, reference=right.ENTROPY, dtypes="f32 bf16", reduction=["mean", "none"], ignore_index=[-100, 2],
      grad=True, core="f32", **_LOGS)  # fmt: skip
def ignored(t, dtype, reduction, ignore_index):
    """What is ignored has no part in loss, mean and gradient."""
    loss = t.get(NAME)(reduction=reduction, ignore_index=ignore_index)
    x = t.randn((6, 5), dtype)
    return t.call(loss, x, t.const([0, ignore_index, 4, 1, ignore_index, 3], "i64"))


@case(NAME, reference=right.ENTROPY, dtypes="f32 bf16", reduction="mean", label_smoothing=[0.1, 1.0],
      grad=True, core=False, **_LOGS)  # fmt: skip
def smoothed(t, dtype, reduction, label_smoothing):
    loss = t.get(NAME)(reduction=reduction, label_smoothing=label_smoothing)
    return t.call(loss, t.randn((8, 6), dtype), t.randint((8,), "i64", 0, 6))


@case(NAME, reference=right.with_gradient(right.cross_entropy), dtypes="f32 f64",
      reduction=["mean", "none"], label_smoothing=[0.0, 0.1], grad=True, core=False, **_LOGS)  # fmt: skip
def of_probabilities(t, dtype, reduction, label_smoothing):
    """Soft targets, which get a gradient, too."""
    loss = t.get(NAME)(reduction=reduction, label_smoothing=label_smoothing)
    return t.call(loss, t.randn((5, 7), dtype), t.uniform((5, 7), dtype, 0.1, 0.3))


@case(NAME, reference=right.ENTROPY, dtypes="f32 bf16", shapes="2x5x7 2x5x4x3", reduction="none",
      grad=True, core=False, **_LOGS)  # fmt: skip
def along_axis_one(t, dtype, shape, reduction):
    """Sequences and images: the classes are the second axis."""
    target = shape[:1] + shape[2:]
    loss = t.get(NAME)(reduction=reduction)
    return t.call(loss, t.randn(shape, dtype), t.randint(target, "i64", 0, 5))


@case(NAME, reference=right.ENTROPY, dtypes="f32", grad=True, core=False, **_LOGS)
def one_sample(t, dtype):
    """Scores of one sample, without a batch."""
    return t.call(t.get(NAME)(), t.randn((6,), dtype), t.const(4, "i64"))


@case(NAME, reference=lambda np, x, y: right.cross_entropy(np, x.swapaxes(1, 2), y), dtypes="f32",
      core=False, **_LOGS)  # fmt: skip
def transposed_input(t, dtype):
    """(batch, time, classes) as a transpose, and every other target, as language models give it."""
    x = t.randn((2, 9, 5), dtype)
    return t.call(t.get(NAME)(), x.mT, t.randint((2, 9), "i64", 0, 5, noncontiguous=True))


@case(NAME, reference=right.entropy_with(reduction="none"), dtypes="f32 bf16", grad=True, core=False, **_LOGS)  # fmt: skip
def far_apart(t, dtype):
    """Scores of thousands and a score of minus infinity: neither overflow nor NaN."""
    x = t.const([[4096.0, 0.0, -4096.0], [1.0, 2.0, -float("inf")], [-3000.0, -3000.0, -3000.0]], dtype, grad=True)  # fmt: skip
    return t.call(t.get(NAME)(reduction="none"), x, t.const([2, 0, 1], "i64"))


@case(NAME, reference=lambda np, x, y: (np.asarray(0.0), np.asarray(np.nan)), dtypes="f32", trivial=True, core=False)  # fmt: skip
def all_ignored(t, dtype):
    """The sum over nothing is zero, the mean NaN."""
    x, target = t.randn((3, 4), dtype), t.const([-100, -100, -100], "i64")
    return t.call(t.get(NAME)(reduction="sum"), x, target), t.call(t.get(NAME)(), x, target)


@case(NAME, reference=lambda np, x, y: (np.asarray(0.0), np.asarray(np.nan)), dtypes="f32", trivial=True, core=False)  # fmt: skip
def empty_batch(t, dtype):
    x, target = t.randn((0, 4), dtype), t.randint((0,), "i64", 0, 4)
    return t.call(t.get(NAME)(reduction="sum"), x, target), t.call(t.get(NAME)(), x, target)


@case(NAME, reference=right.entropy_twice, dtypes="f32 f64", core=False, **_LOGS)
def second_order(t, dtype):
    x, target = t.randn((4, 6), dtype, grad=True), t.randint((4,), "i64", 0, 6)
    w = t.randn((4, 6), dtype)
    made = t.call(t.get(NAME)(reduction="sum"), x, target)
    first = t.fw.autograd.grad(made, x, create_graph=True)[0]
    second = t.fw.autograd.grad((first * w).sum(), x)[0]
    return made, first, second


@case(NAME, reference=right.entropies, dtypes="f32", core=False, **_LOGS)
def three_sizes(t, dtype):
    """One batch after another: what a compiler made for one must not be used for the next."""
    loss = t.get(NAME)()
    return [t.call(loss, t.randn((n, 6), dtype), t.randint((n,), "i64", 0, 6)) for n in (5, 8, 13)]


@case(NAME, reference=right.cross_entropy, dtypes="f32", large=True, rtol={"f32": 1e-4})
def large(t, dtype):  # a mean over 1024 rows of 8192 scores
    return t.call(t.get(NAME)(), t.randn((1024, 8192), dtype), t.randint((1024,), "i64", 0, 8192))


@case(NAME, dtypes="f32", reference="none", core=False)
def weights_are_buffers(t, dtype):
    loss = t.get(NAME)(weight=t.uniform((5,), dtype, 1, 3))
    t.expect(list(loss.state_dict()) == ["weight"], "the weight in the state")
    half = t.call(loss.to, t.dtype("f16"))
    t.expect(half.weight.dtype is t.dtype("f16"), "the weight moves with the loss")


@case(NAME, reference="none", core=False)
def wrong_calls_raise(t):
    x, y, make = t.randn((3, 4), "f32"), t.const([0, 1, 3], "i64"), t.get(NAME)
    t.raises(ValueError, t.call, make(), x, t.const([0, 1], "i64"))
    t.raises(RuntimeError, t.call, make(label_smoothing=1.5), x, y)
    t.raises(RuntimeError, t.call, make(weight=t.uniform((3,), "f32")), x, y)
    t.raises(ValueError, t.call, make(reduction="all"), x, y)
    t.raises(RuntimeError, t.call, make(), x, t.uniform((3, 5), "f32"))
