"""What layers must give, in NumPy alone. Inputs come first, then parameters as `named_parameters` orders them."""

import math

from .reference import with_gradient

# --- affine maps and activations


def pairs(parameters):
    """(weight, bias) of each layer."""
    return list(zip(parameters[::2], parameters[1::2]))


def affine(np, x, weight, bias=0):
    return x @ weight.T + bias


def linear(np, x, *parameters, bias=True):
    """The layer, with or without a bias."""
    return affine(np, x, *parameters)


def linear_pull(np, w, x, weight, *biases, bias=True):
    return w @ weight.conj()


def linear_learns(np, x, weight, bias):
    """The result, and what the sum of its squares gives the parameters."""
    made = affine(np, x, weight, bias)
    return made, 2 * made.T @ x, 2 * made.sum(0)


def first_half(function):
    """Of two layers the first one's parameters."""
    return lambda np, x, *parameters: function(np, x, *parameters[: len(parameters) // 2])


def mlp(np, x, *parameters):
    """Two affine maps with tanh between them."""
    (w1, b1), (w2, b2) = pairs(parameters)
    return affine(np, np.tanh(affine(np, x, w1, b1)), w2, b2)


def mlp_gradients(np, w, x, *parameters):
    """Of the sum of w * mlp with respect to the parameters."""
    (w1, b1), (w2, _) = pairs(parameters)
    hidden = np.tanh(affine(np, x, w1, b1))
    inner = (w @ w2) * (1 - hidden**2)
    return [inner.T @ x, inner.sum(0), w.T @ hidden, w.sum(0)]


def relu(np, x):
    return np.maximum(x, 0)


def of_each(np, function, x):
    """A function of the standard library, number by number."""
    return np.asarray(np.frompyfunc(function, 1, 1)(x), "float64")


def normal_cdf(np, x):
    return of_each(np, lambda v: math.erfc(-v / math.sqrt(2)) / 2, x)


def gelu(np, x, approximate="none"):
    if approximate == "none":
        return x * normal_cdf(np, x)
    return x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def gelu_pull(np, w, x, approximate="none"):
    if approximate == "none":
        return w * (normal_cdf(np, x) + x * np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi))
    inner = np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))
    slope = np.sqrt(2 / np.pi) * (1 + 3 * 0.044715 * x**2)
    return w * ((1 + inner) / 2 + x / 2 * (1 - inner**2) * slope)


# --- convolutions


def _each(value, axes):
    return tuple(value) if isinstance(value, (tuple, list)) else (value,) * axes


def _borders(np, weight, padding, dilation):
    """How much is added before and after each axis; of an odd sum the larger half comes after."""
    kernel = weight.shape[2:]
    if padding == "valid":
        padding = 0
    if padding != "same":
        return [(p, p) for p in _each(padding, len(kernel))]
    sums = [d * (k - 1) for d, k in zip(_each(dilation, len(kernel)), kernel)]
    return [(total // 2, total - total // 2) for total in sums]


def _taps(np, padded, weight, stride, dilation):
    """For each place in the kernel: it, and the slices of the padded input that it meets."""
    kernel = weight.shape[2:]
    strides, dilations = _each(stride, len(kernel)), _each(dilation, len(kernel))
    sizes = [
        (n - d * (k - 1) - 1) // s + 1
        for n, k, s, d in zip(padded.shape[-len(kernel) :], kernel, strides, dilations)
    ]
    for place in np.ndindex(*kernel):
        starts = [i * d for i, d in zip(place, dilations)]
        yield (
            (..., *place),
            (..., *(slice(b, b + (n - 1) * s + 1, s) for b, n, s in zip(starts, sizes, strides))),
        )


def _in_groups(x, groups, axes):
    """(batch, groups, channels of the group, ...)."""
    x = x if x.ndim == axes + 2 else x[None]
    return x.reshape((x.shape[0], groups, x.shape[1] // groups) + x.shape[2:])


def conv(np, x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, padding_mode="zeros"):
    axes = weight.ndim - 2
    mode = {"zeros": "constant", "circular": "wrap"}.get(padding_mode, padding_mode)
    borders = [(0, 0)] * (x.ndim - axes) + _borders(np, weight, padding, dilation)
    padded = _in_groups(np.pad(x, borders, mode), groups, axes)
    kernels = weight.reshape((groups, -1) + weight.shape[1:])
    made = 0
    for place, met in _taps(np, padded, weight, stride, dilation):
        made = made + np.einsum("bgi...,goi->bgo...", padded[met], kernels[place])
    made = made.reshape((len(made), len(weight)) + made.shape[3:])
    if bias is not None:
        made = made + bias.reshape((-1,) + (1,) * axes)
    return made if x.ndim == axes + 2 else made[0]


def conv_pull(np, w, x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Of the input; padded by zeros."""
    axes = weight.ndim - 2
    borders = [(0, 0)] * (x.ndim - axes) + _borders(np, weight, padding, dilation)
    given = np.zeros_like(np.pad(x, borders))
    padded, w = _in_groups(given, groups, axes), _in_groups(w, groups, axes)
    kernels = weight.reshape((groups, -1) + weight.shape[1:])
    for place, met in _taps(np, padded, weight, stride, dilation):
        padded[met] += np.einsum("bgo...,goi->bgi...", w, kernels[place].conj())
    inside = tuple(slice(before, n - after) for n, (before, after) in zip(given.shape, borders))
    return padded.reshape(given.shape)[inside]


def with_options(function, **options):
    """The reference of a layer that is made with these options."""
    return lambda np, *given, **params: function(np, *given, **dict(options, **params))


def conv_and_gradient(**options):
    return with_gradient(with_options(conv, **options), with_options(conv_pull, **options), of=(0,))


# --- pooling


def _means(np, size, count):
    """A matrix: cell i is the mean from floor(i size / count) to ceil((i + 1) size / count)."""
    made = np.zeros((count, size))
    for i in range(count):
        cell = slice(i * size // count, -(-(i + 1) * size // count))
        made[i, cell] = 1 / len(range(size)[cell])
    return made


def _along_last_axes(np, x, matrices):
    for axis, matrix in zip(range(-len(matrices), 0), matrices):
        x = np.moveaxis(np.tensordot(matrix, x, (1, axis)), 0, axis)
    return x


def _pooling(np, x, size):
    sizes = zip(x.shape[-3:], _each(size, 3))
    return [_means(np, n, n if count is None else count) for n, count in sizes]


def adaptive_avg_pool3d(np, x, size=(3, None, 2)):
    return _along_last_axes(np, x, _pooling(np, x, size))


def adaptive_avg_pool3d_pull(np, w, x, size=(3, None, 2)):
    return _along_last_axes(np, w, [matrix.T for matrix in _pooling(np, x, size)])


# --- LSTM


def _lstm_gates(np, x, h, w_ih, w_hh, b_ih=0, b_hh=0):
    gates = affine(np, x, w_ih, b_ih) + affine(np, h, w_hh, b_hh)
    i, f, g, o = np.split(gates, 4, -1)
    i, f, o = (1 / (1 + np.exp(-gate)) for gate in (i, f, o))
    return i, f, np.tanh(g), o


def lstm_cell(np, x, h, c, *parameters):
    i, f, g, o = _lstm_gates(np, x, h, *parameters)
    c = f * c + i * g
    return o * np.tanh(c), c


def _lstm_slopes(np, w, x, h, c, *parameters):
    """Of the sum of w[0] * h + w[1] * c, by the sums before the gates and by the c before."""
    i, f, g, o = _lstm_gates(np, x, h, *parameters)
    tanh = np.tanh(f * c + i * g)
    by_c = w[1] + w[0] * o * (1 - tanh**2)
    slopes = (by_c * g * i * (1 - i), by_c * c * f * (1 - f), by_c * i * (1 - g**2))
    return np.concatenate([*slopes, w[0] * tanh * o * (1 - o)], -1), by_c * f


def lstm_cell_pull(np, w, *given):
    by_gates, by_c = _lstm_slopes(np, w, *given)
    return by_gates @ given[3], by_gates @ given[4], by_c


def lstm_from_zero(np, x, w_ih, w_hh, *biases):
    zero = np.zeros(x.shape[:-1] + (w_hh.shape[1],))
    return lstm_cell(np, x, zero, zero, w_ih, w_hh, *biases)


def lstm_steps(np, steps, *parameters):
    h, c = lstm_from_zero(np, steps[0], *parameters)
    for x in steps[1:]:
        h, c = lstm_cell(np, x, h, c, *parameters)
    return h, c


def lstm_parameter_gradients(np, x, state, *parameters):
    """Of the sum of h * c, with the state as h and c before."""
    h, c = lstm_cell(np, x, state, state, *parameters)
    by_gates, _ = _lstm_slopes(np, (c, h), x, state, state, *parameters)
    return [by_gates.T @ x, by_gates.T @ state, by_gates.sum(0), by_gates.sum(0)]


# --- attention


def layer_norm(np, x, weight, bias, eps=1e-5):
    centered = x - x.mean(-1, keepdims=True)
    return centered / np.sqrt((centered**2).mean(-1, keepdims=True) + eps) * weight + bias


def softmax(np, x):
    raised = np.exp(x - x.max(-1, keepdims=True))
    return raised / raised.sum(-1, keepdims=True)


def attention(np, x, memory, joint, out, heads, mask=0):
    """Of (..., length, width); `joint` makes queries, keys and values, `mask` is added to their scores."""
    weight, bias = joint
    weights, biases = np.split(weight, 3), np.split(bias + np.zeros(len(weight)), 3)
    parts = []
    for given, w, b in zip((x, memory, memory), weights, biases):
        made = affine(np, given, w, b)
        made = made.reshape(made.shape[:-1] + (heads, made.shape[-1] // heads))
        parts.append(made.swapaxes(-2, -3))
    q, k, v = parts
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1]) + mask
    found = (softmax(np, scores) @ v).swapaxes(-2, -3)
    return affine(np, found.reshape(x.shape), *out)


def masked(np, hidden):
    """What to add to scores so that the hidden ones have no part."""
    return np.where(hidden, -np.inf, 0.0)


def _blocks(np, x, blocks, norms, norm_first):
    """Each block is added to what it was given, which is normalized before or after."""
    for block, norm in zip(blocks, norms):
        if norm_first:
            x = x + block(layer_norm(np, x, *norm))
        else:
            x = layer_norm(np, x + block(x), *norm)
    return x


def encoder_layer(np, x, layers, heads, mask=0, activation=relu, norm_first=False):
    joint, out, one, two, *norms = layers
    blocks = (
        lambda x: attention(np, x, x, joint, out, heads, mask),
        lambda x: affine(np, activation(np, affine(np, x, *one)), *two),
    )
    return _blocks(np, x, blocks, norms, norm_first)


def decoder_layer(
    np, x, memory, layers, heads, mask=0, over_memory=0, activation=relu, norm_first=False
):
    joint, out, over, over_out, one, two, *norms = layers
    blocks = (
        lambda x: attention(np, x, x, joint, out, heads, mask),
        lambda x: attention(np, x, memory, over, over_out, heads, over_memory),
        lambda x: affine(np, activation(np, affine(np, x, *one)), *two),
    )
    return _blocks(np, x, blocks, norms, norm_first)


def transformer(np, source, target, *parameters, heads=2, mask=0, padding=0, bias=True, **options):
    """One encoder layer and one decoder layer, each followed by a norm; the batch first."""
    layers = pairs(parameters) if bias else [(weight, 0) for weight in parameters]
    memory = encoder_layer(np, source, layers[:6], heads, padding, **options)
    memory = layer_norm(np, memory, *layers[6])
    made = decoder_layer(np, target, memory, layers[7:16], heads, mask, padding, **options)
    return layer_norm(np, made, *layers[16])


def sequence_first(np, source, target, *parameters, **options):
    made = transformer(np, source.swapaxes(0, 1), target.swapaxes(0, 1), *parameters, **options)
    return made.swapaxes(0, 1)


def encoder(np, x, *parameters, heads=4, **options):
    return encoder_layer(np, x, pairs(parameters), heads, **options)


def seen_so_far(np, length):
    """A mask that hides what comes later."""
    return masked(np, np.triu(np.ones((length, length), bool), 1))


# --- batch normalization: the statistics that a layer keeps


def running_statistics(np, x):
    """After one batch, from zero and one, with the momentum 0.1."""
    return 0.1 * x.mean((0, 2, 3)), 0.9 + 0.1 * x.var((0, 2, 3), ddof=1)


def new_batch_norm(np, weight, bias):
    """The state of a layer that has seen no batch, or whose statistics were reset."""
    return {
        "weight": weight,
        "bias": bias,
        "running_mean": np.zeros(len(weight)),
        "running_var": np.ones(len(weight)),
        "num_batches_tracked": np.asarray(0),
    }


# --- distributions


def _bessel(np, order, x):
    """The modified Bessel function of an integer order, scaled by exp(-x): its integral by the trapezoid rule, which
    converges exponentially here."""
    angle = 2 * np.pi * np.arange(512) / 512
    return (np.exp(x[..., None] * (np.cos(angle) - 1)) * np.cos(order * angle)).mean(-1)


def von_mises_density(np, loc, concentration, x):
    scaled = 2 * np.pi * _bessel(np, 0, concentration)
    return concentration * (np.cos(x - loc) - 1) - np.log(scaled)


def von_mises_moments(np, loc, concentration):
    """The mean, the mode and the circular variance."""
    return loc, loc, 1 - _bessel(np, 1, concentration) / _bessel(np, 0, concentration)


def concrete_density(np, temperature, probs, x):
    """Of RelaxedOneHotCategorical: equation 10 of Maddison, Mnih and Teh, 2017."""
    n = x.shape[-1]
    total = (probs * x**-temperature).sum(-1)
    made = np.log(probs).sum() - (temperature + 1) * np.log(x).sum(-1) - n * np.log(total)
    return made + math.lgamma(n) + (n - 1) * np.log(temperature)
