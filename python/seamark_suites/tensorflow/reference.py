"""What the cases of this folder must give, in NumPy alone: no kernel of TensorFlow is called."""

import functools
import math

from seamark_suites import reference


def ramp(np, array):
    """The weights by which TensorFlow's adapter adds the outputs of a case with a gradient: from 0.5 to 1.5 by eighths,
    again and again."""
    return (0.5 + np.arange(array.size) % 9 / 8).reshape(array.shape)


with_gradient = functools.partial(reference.with_gradient, weights=ramp)

# --- making and casting


def drawn(np, x, **_):
    """The input as it was."""
    return x


def doubled(np, x):
    return 2 * x


def stacked(np, *parts):
    return np.stack(parts)


def joined(np, *parts, axis=1):
    return np.concatenate(parts, axis)


def reshaped(np, x, to):
    return x.reshape(to)


def filled(np, x, to=(3, 4)):
    return np.full(to, x)


def zeros(np, to):
    return np.zeros(to)


def nearest(np, x, digits, least):
    """The nearest number with so many binary digits, ties to even; those below are multiples of 2**least."""
    exponent = np.maximum(np.frexp(x)[1] - digits, least)
    return np.ldexp(np.round(np.ldexp(x, -exponent)), exponent)


_DIGITS = {"bf16": (8, -133), "f16": (11, -24), "f8e4m3fn": (4, -9), "f8e5m2": (3, -16)}


def cast(np, x, to):
    """Towards zero to whole numbers; the values are far from where a dtype ends."""
    if to in _DIGITS:
        return nearest(np, x.astype(float), *_DIGITS[to])
    return np.not_equal(x, 0).astype(int) if to == "bool" else np.trunc(x)


# --- moving


def sequence_mask(np, lengths, width=None):
    return (np.arange(lengths.max() if width is None else width) < lengths[..., None]).astype(int)


def scattered(np, indices, x, updates):
    x = x.copy()
    x[tuple(indices.T)] = updates
    return x


def rows_replaced(np, x, rows):
    """The rows 2 and 0."""
    return scattered(np, np.array([[2], [0]]), x, rows)


def space_to_batch(block, paddings=None):
    """Every block[i]-th place of each axis, from each start, one after the other along the batch."""

    def reference(np, x):
        x = np.pad(x, [(0, 0), *(paddings or [(0, 0)] * len(block)), (0, 0)])
        starts = np.ndindex(*block)
        taken = [tuple(slice(s, None, b) for s, b in zip(start, block)) for start in starts]
        return np.concatenate([x[(slice(None), *places)] for places in taken])

    return reference


def set_diag(np, x, diagonal):
    x, places = x.copy(), np.arange(diagonal.shape[-1])
    x[..., places, places] = diagonal
    return x


def set_band(np, x, band, align):
    """The rows of `band` are the diagonals 1, 0 and -1; short ones above lie left or right, and below the other way."""
    x = x.copy()
    for row, above in zip(band, (1, 0, -1)):
        rows, columns = np.nonzero(np.eye(*x.shape, k=above))
        left = (align == "LEFT_RIGHT") == (above >= 0)
        x[rows, columns] = row[: len(rows)] if left else row[len(row) - len(rows) :]
    return x


# --- reductions and scans


def logsumexp(np, x, axis=None, keepdims=False):
    return np.logaddexp.reduce(x, axis=axis, keepdims=keepdims)


def mean(np, x, axis=None, keepdims=False):
    return x.mean(axis, keepdims=keepdims)


def cumprod(np, x, axis=1, exclusive=False, reverse=False):
    x = np.moveaxis(x, axis, -1)
    x = x[..., ::-1] if reverse else x
    if exclusive:
        x = np.concatenate([np.ones_like(x[..., :1]), x[..., :-1]], -1)
    x = np.cumprod(x, -1)
    return np.moveaxis(x[..., ::-1] if reverse else x, -1, axis)


# --- special functions


def igammac(np, a, x):
    """One minus the series of the lower function, which converges for every x and needs x / a of terms."""
    term = np.exp(a * np.log(x) - x) / np.vectorize(math.gamma)(a + 1)
    total = term
    for n in range(1, 120):
        term = term * x / (a + n)
        total = total + term
    return 1 - total


def survival(np, loc, scale, x):
    return np.vectorize(lambda z: 0.5 * math.erfc(z / math.sqrt(2)))((x - loc) / scale)


def log_survival(np, loc, scale, x):
    return np.log(survival(np, loc, scale, x))


def log_survival_tail(np, x, *_):
    """Of the standard normal from 5 on: its density through a continued fraction (Laplace's)."""
    below = x
    for n in range(100, 0, -1):
        below = x + n / below
    return -(x**2) / 2 - 0.5 * math.log(2 * math.pi) - np.log(below)


# --- linear algebra


def svd_magnitudes(np, x):
    u, s, v = np.linalg.svd(x)
    return s, abs(u), abs(v.T)


def svd_magnitudes_pull(np, w, x):
    """Of a square matrix: what turns u and v, divided by the gaps of the squared values."""
    u, s, v = np.linalg.svd(x)
    v = v.T
    gaps = s**2 - s[:, None] ** 2 + np.eye(len(s))
    turned = [(a - a.T) / gaps for a in (u.T @ (w[1] * np.sign(u)), v.T @ (w[2] * np.sign(v)))]
    return u @ (turned[0] * s + s[:, None] * turned[1] + np.diag(w[0])) @ v.T


# --- convolutions


def conv3d(np, x, w, padding="SAME", stride=1, dilation=1):
    """(n, d, h, w, c) by (kd, kh, kw, c, f)."""
    spans = [(k - 1) * dilation + 1 for k in w.shape[:3]]
    if padding == "SAME":
        sizes = zip(x.shape[1:4], spans)
        missing = [max((n - 1) // stride * stride + span - n, 0) for n, span in sizes]
        x = np.pad(x, [(0, 0), *((m // 2, m - m // 2) for m in missing), (0, 0)])
    out = [(n - span) // stride + 1 for n, span in zip(x.shape[1:4], spans)]
    made = np.zeros((len(x), *out, w.shape[4]), x.dtype)
    for tap in np.ndindex(*w.shape[:3]):
        starts = [i * dilation for i in tap]
        places = [slice(s, s + (n - 1) * stride + 1, stride) for s, n in zip(starts, out)]
        made += x[(slice(None), *places)] @ w[tap]
    return made


def conv2d_transpose(np, x, w, padding="SAME", strides=(2, 2), size=None):
    """(n, h, w, in) by (h, w, out, in) to `size`; None: strides times the input's, or all that VALID gives."""
    full = [(n - 1) * step + k for n, step, k in zip(x.shape[1:3], strides, w.shape)]
    if size is None:
        same = padding == "SAME"
        size = [n * step for n, step in zip(x.shape[1:3], strides)] if same else full
    room = [max(one, other) for one, other in zip(full, size)]
    made = np.zeros((len(x), *room, w.shape[2]), x.dtype)
    for tap in np.ndindex(*w.shape[:2]):
        ends = zip(tap, x.shape[1:3], strides)
        places = [slice(i, i + (n - 1) * step + 1, step) for i, n, step in ends]
        made[(slice(None), *places)] += x @ w[tap].T
    cut = [max(have - want, 0) // 2 for have, want in zip(full, size)]
    return made[:, cut[0] : cut[0] + size[0], cut[1] : cut[1] + size[1]]


# --- images


def brighter(np, x, delta=0.2):
    return x + delta


def brighter_whole(most):
    """Whole numbers up to `most` become f32 from 0 to 1 and, cut, whole ones again: as documented, all of it in f32."""

    def reference(np, x, delta=0.1):
        scaled = x.astype(np.float32) * np.float32(1 / most) + np.float32(delta)
        return np.clip(np.trunc(scaled * np.float32(most + 0.5)), 0, most).astype(np.int64)

    return reference


# --- branches and trees


def exp_or_sin(np, x, sign, **_):
    return np.exp(x) if sign > 0 else np.sin(x)


# --- state


def adadelta(np, x, gradient, steps=3, rate=1.0, rho=0.95, decay=0.0):
    """The parameters after some steps; `gradient` is an array or a function of the parameters."""
    squares, updates = np.zeros_like(x), np.zeros_like(x)
    for _ in range(steps):
        slope = gradient(x) if callable(gradient) else gradient
        squares = rho * squares + (1 - rho) * slope**2
        delta = -np.sqrt(updates + 1e-7) / np.sqrt(squares + 1e-7) * slope
        updates = rho * updates + (1 - rho) * delta**2
        x = x - decay * rate * x + rate * delta
    return x


def adadelta_of_squares(np, x, scale, steps):
    return adadelta(np, x, lambda x: 2 * scale * x, steps, rate=0.5, rho=0.9)


def adadelta_rows(np, x, rows):
    return adadelta(np, x, scattered(np, np.array([[3], [0]]), np.zeros_like(x), rows), 1)


def adadelta_clipped(np, x, gradient):
    """To a norm of 0.5."""
    return adadelta(np, x, 0.5 * gradient / np.linalg.norm(gradient))


def adadelta_decayed(np, x, gradient):
    return adadelta(np, x, gradient, decay=0.1)


def moved_average(np, x, value):
    return 0.75 * x + 0.25 * value
