"""What activations, normalizing layers and the cross entropy must give, in NumPy alone."""

from . import reference as base
from .reference import with_gradient

# --- activations


def sigmoid(np, x):
    return 1 / (1 + np.exp(-x))


def relu(np, x):
    return np.where(x <= 0, 0, x)


def relu_slope(np, x):
    return (x > 0).astype(float)


def silu(np, x):
    return x * sigmoid(np, x)


def silu_slope(np, x):
    s = sigmoid(np, x)
    return s * (1 + x * (1 - s))


def silu_second(np, x):
    s = sigmoid(np, x)
    return s * (1 - s) * (2 + x * (1 - 2 * s))


ACTIVATIONS = {"torch.nn.ReLU": (relu, relu_slope), "torch.nn.SiLU": (silu, silu_slope)}


def of(function):
    return ACTIVATIONS[function][0]


def gradient_of(function):
    first, slope = ACTIVATIONS[function]
    return with_gradient(first, lambda np, w, x: w * slope(np, x))


def of_views(function):
    """Of every other column, of the transpose, of a broadcast row."""
    own = of(function)
    return lambda np, x: (
        own(np, x),
        own(np, x.T),
        own(np, np.broadcast_to(x[:1], (5, x.shape[1]))),
    )


def pulled_in_place(function):
    """Of 2x: the result, the gradient of x, and what was pulled with."""
    first, slope = ACTIVATIONS[function]
    return lambda np, x, pull: (first(np, 2 * x), 2 * pull * slope(np, 2 * x), pull)


def written(function):
    """The result and what was changed in place: of a whole tensor, of every other row."""
    own = of(function)

    def reference(np, x, y):
        rows = y.copy()
        rows[::2] = own(np, y[::2])
        return own(np, x), own(np, x), rows

    return reference


def of_each(function):
    return lambda np, *inputs: [function(np, x) for x in inputs]


def cubed_relu_twice(np, x, w):
    kept = relu(np, x)
    return kept, 3 * kept**2, 6 * kept * w


def silu_twice(np, x, w):
    return silu(np, x), silu_slope(np, x), silu_second(np, x) * w


def hidden_layer(function):
    """The gradients of the parameters of a layer in front of the activation."""
    own = of(function)

    def reference(np, x, weight, bias):
        made = with_gradient(lambda np, x, w, b: own(np, x @ w.T + b), of=(1, 2))(
            np, x, weight, bias
        )
        return (made[0], *made[1])

    return reference


# --- layers


def learns(function, of=(1, 2)):
    """The result, and the gradients of its weighted sum with respect to these parameters."""
    both = with_gradient(function, of=of)

    def reference(np, *given, **params):
        result, gradients = both(np, *given, **params)
        return (result, *gradients)

    return reference


def rms_norm(np, x, weight=1, axes=1, eps=2.0**-23):
    """Without a mean; the default eps is that of f32."""
    last = tuple(range(x.ndim - axes, x.ndim))
    return x / np.sqrt((x * x).mean(last, keepdims=True) + eps) * weight


def batch_norm_steps(np, first, second, weight, bias, momentum):
    """The results of two batches, and what is kept; without a momentum all batches count the same."""
    mean, variance, results = 0, 1, []
    for number, x in enumerate((first, second), 1):
        share = 1 / number if momentum is None else momentum
        mean = (1 - share) * mean + share * x.mean((0, 2, 3))
        variance = (1 - share) * variance + share * x.var((0, 2, 3), ddof=1)
        results.append(base.batch_norm_of_batch(np, x, weight, bias))
    return (*results, mean, variance, np.asarray(2))


# --- cross entropy


def _shares(np, x, target, weight, ignore_index, label_smoothing):
    """How much of each log-probability the loss takes, classes last, and what a mean divides by."""
    classes = x.shape[-1]
    weight = np.ones(classes) if weight is None else weight
    if target.dtype.kind == "f":
        soft = target * (1 - label_smoothing) + label_smoothing / classes
        return soft * weight, np.float64(target.size // classes)
    counts = target != ignore_index
    one = np.eye(classes)[np.where(counts, target, 0)] * counts[..., None]
    spread = (1 - label_smoothing) * one + label_smoothing / classes * counts[..., None]
    total = (weight * one).sum()
    return spread * weight, np.float64(total)


def _classes_last(np, x):
    return np.moveaxis(x, 1, -1) if x.ndim > 1 else x


def _log_softmax(np, x):
    x = x - x.max(-1, keepdims=True)
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


def cross_entropy(
    np, x, target, weight=None, reduction="mean", ignore_index=-100, label_smoothing=0.0
):
    x = _classes_last(np, x)
    target = _classes_last(np, target) if target.dtype.kind == "f" else target
    shares, total = _shares(np, x, target, weight, ignore_index, label_smoothing)
    logs = np.where(shares == 0, 0, _log_softmax(np, x))
    losses = -(shares * logs).sum(-1)
    if reduction == "none":
        return losses
    return losses.sum() / (total if reduction == "mean" else 1)


def cross_entropy_pull(
    np, w, x, target, weight=None, reduction="mean", ignore_index=-100, label_smoothing=0.0
):
    """Of the scores: softmax times the sum of the shares, less the shares."""
    last = _classes_last(np, x)
    target = _classes_last(np, target) if target.dtype.kind == "f" else target
    shares, total = _shares(np, last, target, weight, ignore_index, label_smoothing)
    slope = np.exp(_log_softmax(np, last)) * shares.sum(-1, keepdims=True) - shares
    slope = slope * (w[..., None] if reduction == "none" else w)
    slope = slope / (total if reduction == "mean" else 1)
    return np.moveaxis(slope, -1, 1) if x.ndim > 1 else slope


ENTROPY = with_gradient(cross_entropy, cross_entropy_pull, of=(0,))


def entropy_with(**options):
    return lambda np, *given, **params: ENTROPY(np, *given, **dict(options, **params))


def weighted_entropy(np, weight, x, target, reduction, label_smoothing):
    return ENTROPY(
        np, x, target, weight=weight, reduction=reduction, label_smoothing=label_smoothing
    )


def weighted_entropy_of(np, weight, x, target, reduction, ignore_index):
    return ENTROPY(
        np,
        x,
        target,
        weight=weight,
        reduction=reduction,
        ignore_index=ignore_index,
        label_smoothing=0.2,
    )


def entropies(np, *given):
    """Of pairs of scores and targets."""
    return [cross_entropy(np, *pair) for pair in zip(given[::2], given[1::2])]


def entropy_twice(np, x, target, w):
    """The loss, its slope, and the slope of w times that: the softmax's curvature."""
    p = np.exp(_log_softmax(np, x))
    first = cross_entropy_pull(np, np.float64(1), x, target, reduction="sum")
    return (
        cross_entropy(np, x, target, reduction="sum"),
        first,
        p * (w - (w * p).sum(-1, keepdims=True)),
    )
