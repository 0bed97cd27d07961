"""What methods of a tensor must give, in NumPy alone."""

from .reference import with_gradient
from .reference_pointwise import clamp as clamped
from .reference_pointwise import clamp_pull

# --- softmax


def softmax(np, x, dim):
    with np.errstate(invalid="ignore"):
        made = np.exp(x - x.max(dim, keepdims=True))
    return made / made.sum(dim, keepdims=True)


def softmax_pull(np, w, x, dim):
    made = softmax(np, x, dim)
    return made * (w - (w * made).sum(dim, keepdims=True))


softmax_gradient = with_gradient(softmax, softmax_pull)


def first_share(np, x, dim):
    return np.take(softmax(np, x, dim), [0], dim)


def first_share_pull(np, w, x, dim):
    made, first = softmax(np, x, dim), np.zeros(x.shape)
    np.moveaxis(first, dim, 0)[0] = 1
    return w * np.take(made, [0], dim) * (first - made)


first_share_gradient = with_gradient(first_share, first_share_pull)


def softmax_twice(np, x, v, u):
    """The gradient of sum(v * s), and that of its product with u."""
    made = softmax(np, x, -1)
    mean = (v * made).sum(-1, keepdims=True)
    first = made * (v - mean)
    outer = u * (v - mean) - v * (u * made).sum(-1, keepdims=True)
    return first, made * (outer - (outer * made).sum(-1, keepdims=True))


# --- clamp, norm


def clamp(np, x, bounds):
    return clamped(np, x, *bounds)


clamp_gradient = with_gradient(clamp, lambda np, w, x, bounds: clamp_pull(np, w, x, *bounds))


def norm_of(np, x, dim):
    return np.sqrt((abs(x) ** 2).sum(dim))


def norm_pull(np, w, x, dim):
    size = np.sqrt((abs(x) ** 2).sum(dim, keepdims=True))
    return x / size * np.asarray(w).reshape(size.shape)


norm_gradient = with_gradient(norm_of, norm_pull)


def p_norm(np, x, p):
    size = abs(x)
    if p in (float("inf"), -float("inf")):
        return size.max(1) if p > 0 else size.min(1)
    order = 2 if p == "fro" else p
    return (size**order).sum(1) ** (1 / order)


def penalty(np, x):
    slope = 3 * x**2
    size = np.sqrt((slope**2).sum(1, keepdims=True))
    return (size[:, 0] - 1) ** 2, 2 * (size - 1) * slope / size * 6 * x


# --- in place


def added(np, x, y, alpha=1):
    return x | y if x.dtype == bool else x + alpha * y


def multiplied(np, x, y):
    return x & y if x.dtype == bool else x * y


def filled(np, x, mask, value=3):
    return np.where(mask, x.dtype.type(value), x)


# --- arranging


def repeated(np, x, repeats, dim=None):
    return np.repeat(x, repeats, dim)


def unflattened(np, x, dim, sizes):
    dim %= x.ndim
    known = 1
    for n in sizes:
        known *= n if n > 0 else 1
    whole = [x.shape[dim] // known if n == -1 else n for n in sizes]
    return x.reshape(x.shape[:dim] + tuple(whole) + x.shape[dim + 1 :])


def unbound(np, x, dim=0):
    return list(np.moveaxis(x, dim, 0))
