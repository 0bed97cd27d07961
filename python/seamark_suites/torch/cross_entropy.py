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
@case(NAME, reference=right.cross_entropy, dtypes="bf16 f16", reduction=["mean", "sum", "none"], core=False,
      name="closely_in_half", rtol={"bf16": 1.6e-2, "f16": 3e-3}, atol={"bf16": 1e-3, "f16": 1e-3})  # fmt: skip
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


# --- several options at once, and what few losses meet


@case(NAME, reference=right.weighted_entropy_of, dtypes="f32 f64", reduction=["mean", "sum", "none"], ignore_index=[-100, 3],
      grad=True, core=False, **_LOGS)  # fmt: skip
def all_options(t, dtype, reduction, ignore_index):
    """Weights, ignored targets and smoothing together."""
    weight = t.uniform((7,), dtype, 0.5, 3, grad=False)
    options = {"reduction": reduction, "ignore_index": ignore_index, "label_smoothing": 0.2}
    loss = t.get(NAME)(weight=weight, **options)
    x = t.randn((7, 7), dtype)
    return t.call(loss, x, t.const([3, 0, ignore_index, 6, 1, ignore_index, 5], "i64"))


def _weighted_probabilities(np, weight, x, target, reduction):
    return right.with_gradient(
        lambda np, x, y: right.cross_entropy(np, x, y, weight.reshape(-1), reduction=reduction)
    )(np, x, target)


@case(NAME, reference=_weighted_probabilities, dtypes="f32 f64", reduction=["mean", "sum", "none"], grad=True,
      core=False, **_LOGS)  # fmt: skip
def weighted_probabilities(t, dtype, reduction):
    """The mean of soft targets divides by the number of samples, whatever the weights are."""
    loss = t.get(NAME)(weight=t.uniform((7,), dtype, 0.5, 3, grad=False), reduction=reduction)
    return t.call(loss, t.randn((5, 7), dtype), t.uniform((5, 7), dtype, 0.1, 0.3))


@case(NAME, reference=lambda np, x, y, reduction: right.cross_entropy(np, x, y, reduction=reduction), dtypes="f32 bf16 f16",
      reduction=["mean", "none"], core=False, **_LOGS)  # fmt: skip
def probabilities_of_places(t, dtype, reduction):
    """Soft targets of each place of an image."""
    loss = t.get(NAME)(reduction=reduction)
    return t.call(loss, t.randn((2, 5, 4, 3), dtype), t.uniform((2, 5, 4, 3), dtype, 0.1, 0.3))


@case(NAME, reference=lambda np, x, y, one: [right.cross_entropy(np, x, y)] * 3 + [right.cross_entropy(np, x[0], one)],
      dtypes="f32 f64", core=False, **_LOGS)  # fmt: skip
def the_same_said_otherwise(t, dtype):
    """Classes as bytes, and as probabilities of one and zero; probabilities of one sample without a batch."""
    x, y = t.randn((6, 5), dtype), t.randint((6,), "i64", 0, 5)
    loss, one = t.get(NAME)(), t.uniform((5,), dtype, 0.1, 0.3)
    hot = t.fw.nn.functional.one_hot(y, 5).to(x.dtype)
    return [t.call(loss, x, target) for target in (y, y.to(t.fw.uint8), hot)] + [t.call(loss, x[0], one)]  # fmt: skip


@case(NAME, reference=lambda np, x, y, weight: [
      right.cross_entropy(np, x, y, reduction="sum"), right.cross_entropy(np, x, y, reduction="none"), np.asarray(np.nan)],
      dtypes="f32", core=False, **_LOGS)  # fmt: skip
def as_it_was_asked_before(t, dtype):
    """size_average and reduce with a warning; where all weights of the targets are zero the mean is NaN."""
    import warnings

    x, y, make = t.randn((4, 3), dtype), t.const([0, 1, 1, 0], "i64"), t.get(NAME)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        losses = [make(size_average=False), make(reduce=False)]
    t.expect(len(seen) == 2, "two warnings")
    losses.append(make(weight=t.const([0.0, 0.0, 1.0], dtype)))
    return [t.call(loss, x, y) for loss in losses]


@case(NAME, reference="none", dtypes="f32", core=False)
def probabilities_and_kinds_that_do_not_fit(t, dtype):
    """An index to ignore beside probabilities, classes of i32, scores that are integers, other places."""
    x, make = t.randn((3, 4), dtype), t.get(NAME)
    t.raises(RuntimeError, t.call, make(ignore_index=1), x, t.uniform((3, 4), dtype))
    t.raises(RuntimeError, t.call, make(), x, t.randint((3,), "i32", 0, 4))
    t.raises((RuntimeError, NotImplementedError), t.call, make(), t.randint((3, 4), "i64", 0, 4), t.randint((3,), "i64", 0, 4))  # fmt: skip
    t.raises((RuntimeError, ValueError), t.call, make(), t.randn((2, 4, 5), dtype), t.randint((2, 6), "i64", 0, 4))  # fmt: skip


@case(NAME, reference=right.weighted_entropy_of, dtypes="f32 f64", shapes="4x7x5 2x7x4x3 2x7x2x2x3x2", reduction=["mean", "sum", "none"],
      ignore_index=3, grad=True, core=False, **_LOGS)  # fmt: skip
def all_options_of_places(t, dtype, shape, reduction, ignore_index):
    """Weights, ignored targets and smoothing, for each place of sequences, images and of four axes."""
    weight = t.uniform((7,), dtype, 0.5, 3, grad=False)
    options = {"reduction": reduction, "ignore_index": ignore_index, "label_smoothing": 0.2}
    loss = t.get(NAME)(weight=weight, **options)
    return t.call(loss, t.randn(shape, dtype), t.randint(shape[:1] + shape[2:], "i64", 0, 7))


def _smooth_probabilities(np, weight, x, target, reduction):
    return right.with_gradient(
        lambda np, x, y: right.cross_entropy(np, x, y, weight.reshape(-1), reduction=reduction, label_smoothing=0.15)
    )(np, x, target)  # fmt: skip


@case(NAME, reference=_smooth_probabilities, dtypes="f32 f64", shapes="3 5x3x4 2x3x2x2x1x2", reduction=["mean", "sum", "none"],
      grad=True, core=False, **_LOGS)  # fmt: skip
def smoothed_probabilities(t, dtype, shape, reduction):
    """Soft targets with weights and smoothing: without a batch, of sequences, of four axes; both have a gradient."""
    weight = t.uniform((3,), dtype, 0.5, 3, grad=False)
    loss = t.get(NAME)(weight=weight, reduction=reduction, label_smoothing=0.15)
    return t.call(loss, t.randn(shape, dtype), t.uniform(shape, dtype, 0.1, 0.9))


@case(NAME, core=False, reference="none")
def targets_of_another_kind(t):
    """Whole numbers in the shape of probabilities, fractions as classes, no classes for the weights."""
    x, make, kinds = t.randn((2, 3), "f32"), t.get(NAME), (RuntimeError, ValueError)
    t.raises(kinds, t.call, make(), x, t.randint((2, 3), "i64", 0, 2))
    t.raises(kinds, t.call, make(), x, t.uniform((2,), "f32"))
    t.raises(kinds, t.call, make(weight=t.uniform((2,), "f32")), x, t.const([0, 1], "i64"))


@case(NAME, reference=right.ENTROPY, dtypes="f32 f64", shapes="2x5x4x3 2x3x2x4x3", reduction=["mean", "none"], grad=True,
      core=False, **_LOGS)  # fmt: skip
def channels_last(t, dtype, shape, reduction):
    """Images and volumes whose classes lie beside each other in memory; so does the gradient's."""
    order = t.fw.channels_last if len(shape) == 4 else t.fw.channels_last_3d
    loss = t.get(NAME)(reduction=reduction)
    return t.call(
        lambda x, y: loss(x.contiguous(memory_format=order), y),
        t.randn(shape, dtype),
        t.randint((*shape[:1], *shape[2:]), "i64", 0, shape[1]),
    )


def _scaled(np, x, y, w):
    """Of the sum, of three times it, of the weighted losses."""
    pull = [np.ones(6), np.full(6, 3.0), w]
    slopes = [right.cross_entropy_pull(np, one, x, y, reduction="none") for one in pull]
    return [*slopes, right.cross_entropy(np, x, y, reduction="none")]


@case(NAME, reference=_scaled, dtypes="f32 f64 f16", core=False, **_LOGS)
def the_incoming_gradient(t, dtype):
    """One number that is seen six times, of a sum, of each loss its own, which has gaps."""
    x, y = t.randn((6, 5), dtype, grad=True), t.randint((6,), "i64", 0, 5)
    w = t.uniform((6,), dtype, -2, 2, noncontiguous=True)
    none, total, slope = t.get(NAME)(reduction="none"), t.get(NAME)(reduction="sum"), t.fw.autograd.grad  # fmt: skip
    made = t.call(none, x, y)
    first = slope(made.sum(), x, retain_graph=True)[0]
    return [first, slope(t.call(total, x, y) * 3, x)[0], slope(made, x, w)[0], made.detach()]


@case(NAME, reference=lambda np, x, y: [right.cross_entropy(np, x, y, ignore_index=255), right.cross_entropy(np, x, y, ignore_index=255, reduction="sum"),
      right.cross_entropy(np, x, y, ignore_index=255)], dtypes="f32 f64", core=False, **_LOGS)  # fmt: skip
def what_is_ignored_is_no_class(t, dtype):
    """255 of six classes, as bytes, too."""
    x, y = t.randn((6, 4), dtype), t.const([0, 1, 255, 0, 1, 2], "i64")
    losses = [t.get(NAME)(ignore_index=255, reduction=how) for how in ("mean", "sum")]
    return [*(t.call(loss, x, y) for loss in losses), t.call(losses[0], x, y.to(t.fw.uint8))]


@case(NAME, reference=right.cross_entropy, dtypes="f32", core=False, rtol={"f32": 1e-5}, atol={"f32": 0})  # fmt: skip
def over_many_places(t, dtype):
    """The mean over a quarter of a million places keeps its digits."""
    x = t.uniform((4, 3, 256, 255), dtype, -2, 2)
    return t.call(t.get(NAME)(), x, t.randint((4, 256, 255), "i64", 0, 3))


@case(NAME, reference=lambda np, x, y: [right.cross_entropy(np, x, y), right.cross_entropy_pull(np, 1.0, x, y)], dtypes="bf16 f16", core=False,
      rtol={"bf16": 2e-2, "f16": 4e-3}, atol={"bf16": 1e-4, "f16": 2e-5})  # the logarithms are rounded before their exponentials # fmt: skip
def gradients_closely_in_half(t, dtype):
    """Of some hundred classes, most of which have a small share."""
    x, y = t.uniform((4, 120), dtype, -1, 1, grad=True), t.randint((4,), "i64", 0, 120)
    made = t.call(t.get(NAME)(), x, y)
    return [made.detach(), t.fw.autograd.grad(made, x)[0]]


@case(NAME, core=False, reference="none")
def calls_that_do_not_fit(t):
    """Fewer targets, other places, weights of another length or dtype; smoothing above one; scores that are no tensor."""
    x, y, make, kinds = t.randn((2, 3), "f32"), t.const([0, 2], "i64"), t.get(NAME), (RuntimeError, ValueError)  # fmt: skip
    for wrong in (
        (x, t.const([0, 1, 2], "i64")),
        (t.randn((2, 3, 5), "f32"), t.randint((2, 4), "i64", 0, 3)),
        (x[0], y),
        (x, y[0]),
        (t.randn((), "f32"), y[0]),
    ):
        t.raises((*kinds, IndexError), t.call, make(), *wrong)
    for options in ({"label_smoothing": 1.01}, {"weight": x.new_ones(2)}, {"weight": x.new_ones(3).double()}, {"weight": x.new_ones((3, 1))}):  # fmt: skip
        t.raises(kinds, t.call, make(**options), x, y)
    t.raises((TypeError, AttributeError), t.call, make(), [[1.0, 2.0]], y)
    t.raises(TypeError, t.call, make(), x)
    t.raises(TypeError, make, weight=None, classes=3)


NOTHING = [(0, 3, 2, 2), (2, 3, 0), (0, 3), (5, 0)]  # without samples, places, samples, classes


def _of_nothing(np, *drawn):
    made = []
    for x, shape in zip(drawn[::2], NOTHING):
        losses = np.zeros(shape[:1] + shape[2:])
        made += [losses, losses.sum(), *([] if shape == (5, 0) else [np.array(np.nan)]), x, x]
    return made


@case(NAME, reference=_of_nothing, dtypes="f32 f64", trivial=True, core=False)
def of_nothing(t, dtype):
    """Without samples and places there are no losses, their sum is zero and their mean NaN; without classes each is zero; gradients of no numbers."""
    made, how = [], [t.get(NAME)(reduction=one) for one in ("none", "sum", "mean")]
    for shape in NOTHING:
        x = t.randn(shape, dtype, grad=True)
        if len(shape) == 2:
            y = t.uniform(shape, dtype)
        else:
            y = t.randint(shape[:1] + shape[2:], "i64", 0, 3)
        losses = [t.call(loss, x, y) for loss in (how[:2] if shape == (5, 0) else how)]
        slopes = [t.fw.autograd.grad(one.sum(), x)[0] for one in losses[:2]]
        made += [*(one.detach() for one in losses), *slopes]
    return made


# What is asked of one sample, whose class is 2.
OF_ONE = [{}, {"weight": True}, {"ignore_index": 2}, {"ignore_index": 4}, {"label_smoothing": 0.2}, {"ignore_index": 2, "label_smoothing": 0.2},
          {"ignore_index": 4, "label_smoothing": 0.2}]  # fmt: skip


def _of_one(np, x, y, weight, reduction):
    made = []
    for options in OF_ONE:
        options = dict(options, reduction=reduction, weight=weight if "weight" in options else None)
        gone = options.get("ignore_index") == 2
        if gone:
            made += [np.asarray(np.nan if reduction == "mean" else 0.0), 0 * x]
        else:
            made += [right.cross_entropy(np, x, y, **options), right.cross_entropy_pull(np, np.ones(()), x, y, **options)]  # fmt: skip
    return made


@case(NAME, reference=_of_one, dtypes="f32 f64", reduction=["mean", "sum", "none"], core=False, **_LOGS)  # fmt: skip
def one_sample_of_each_option(t, dtype, reduction):
    """Without a batch a loss has no axes: plain, weighted, smoothed; where the one class is ignored the mean is NaN, the others are zero."""
    x, y, weight = t.randn((6,), dtype, grad=True), t.const(2, "i64"), t.uniform((6,), dtype, 0.5, 3)  # fmt: skip
    made = []
    for options in OF_ONE:
        options = dict(options, weight=weight) if "weight" in options else options
        loss = t.call(t.get(NAME)(reduction=reduction, **options), x, y)
        t.expect(loss.shape == () and loss.dtype is x.dtype, "one number")
        made += [loss.detach(), t.fw.autograd.grad(loss, x)[0]]
    return made


def _of_each_sample(np, scores, classes, rows, places, reduction):
    """Losses of batches, then slopes of samples and of batches, one after another."""
    loss = lambda x, y: right.cross_entropy(np, x, y, reduction=reduction)  # noqa: E731
    slope = lambda x, y: right.cross_entropy_pull(np, np.ones(()), x, y, reduction=reduction)  # noqa: E731
    batches = [(scores, classes), (scores, [classes[0]] * 3), ([scores[0]] * 3, classes)]
    pairs = [list(zip(*batch)) for batch in batches]
    return [
        *(np.stack([loss(x, y) for x, y in each]) for each in pairs),
        *(np.stack([slope(x, y) for x, y in each]) for each in pairs),
        np.stack([slope(x, y) for x, y in zip(rows, places)]),
    ]


@case(NAME, reference=_of_each_sample, dtypes="f32 f64", reduction=["mean", "sum"], core=False, since=("2.0", "torch.func"), **_LOGS)  # fmt: skip
def of_each_sample_by_vmap(t, dtype, reduction):
    """Losses and gradients of batches of scores and of classes, of either alone, of samples that become batches of one."""
    loss, func = t.get(NAME)(reduction=reduction), t.fw.func
    one = func.grad(lambda x, y: loss(x.unsqueeze(0), y.unsqueeze(0)))

    def run(scores, classes, rows, places):
        given = [((0, 0), scores, classes), ((0, None), scores, classes[0]), ((None, 0), scores[0], classes)]  # fmt: skip
        made = [func.vmap(f, dims)(*pair) for f in (loss, func.grad(loss)) for dims, *pair in given]
        return [*made, func.vmap(one)(rows, places)]

    return t.call(
        run,
        t.randn((3, 4, 5), dtype),
        t.randint((3, 4), "i64", 0, 5),
        t.randn((6, 5), dtype),
        t.randint((6,), "i64", 0, 5),
    )


def _far_rows(np, y, weight, reduction):
    """Whatever all scores of a row are, each share is one of nine."""
    made = []
    for scale in (np.ones(9), weight):
        losses = (y * scale).sum(1) * np.log(9)
        slope = (y * scale).sum(1, keepdims=True) / 9 - y * scale
        of = np.broadcast_to(np.log(9) * scale, y.shape)
        count = 3 if reduction == "mean" else 1
        made += [losses if reduction == "none" else losses.sum() / count, slope / count, of / count]
    return made


@case(NAME, reference=_far_rows, dtypes="f32 f64", reduction=["mean", "sum", "none"], core=False, **_LOGS)  # fmt: skip
def probabilities_of_far_scores(t, dtype, reduction):
    """Rows of -1000, 0 and 1000 with soft targets, without weights and with them; both have a gradient."""
    y, weight = t.uniform((3, 9), dtype, 0.1, 0.9, grad=True), t.uniform((9,), dtype, 0.5, 3)
    x = t.fw.tensor([[-1000.0], [0], [1000]], dtype=y.dtype, device=t.device).repeat(1, 9)
    x, made = x.requires_grad_(), []
    for options in ({}, {"weight": weight}):
        loss = t.call(t.get(NAME)(reduction=reduction, **options), x, y)
        made += [loss.detach(), *t.fw.autograd.grad(loss.sum(), (x, y))]
    return made
