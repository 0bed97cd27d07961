"""What reductions, running sums and products of matrices must give, in NumPy alone."""

from .reference import with_gradient


def mean(np, x, axis=None, keepdims=False):
    made = np.mean(x, axis=axis, keepdims=keepdims)
    return np.trunc(made).astype(np.int64) if x.dtype.kind in "iu" else made


KNOWN = {
    "reduce_sum": lambda np, x, axis=None, keepdims=False: np.sum(x, axis=axis, keepdims=keepdims),
    "reduce_mean": mean,
    "reduce_max": lambda np, x, axis=None, keepdims=False: np.max(x, axis=axis, keepdims=keepdims),
    "reduce_any": lambda np, x, axis=None, keepdims=False: np.any(x, axis=axis, keepdims=keepdims),
    "reduce_all": lambda np, x, axis=None, keepdims=False: np.all(x, axis=axis, keepdims=keepdims),
    "argmax": lambda np, x, axis=0, **_: np.argmax(x, 0 if axis is None else axis),
}


def known(function):
    return KNOWN[function.rsplit(".", 1)[1]]


def of(function):
    def reference(np, x, *_, axis=None, keepdims=False, **__):
        return known(function)(np, x, axis=axis, keepdims=keepdims)

    return reference


def of_each(function):
    return lambda np, *inputs, **_: [known(function)(np, x, axis=0) for x in inputs]


def gradient_of(function):
    """Every number has the weight of its sum, or its share; of a greatest one that number alone."""
    value = of(function)

    def pull(np, w, x, axis=None, keepdims=False, **_):
        kept = np.sum(x, axis=axis, keepdims=True).shape
        spread = np.broadcast_to(np.reshape(w, kept), x.shape)
        if function.endswith("reduce_max"):
            most = x == x.max(axis=axis, keepdims=True)
            return spread * most / most.sum(axis=axis, keepdims=True)
        return spread * (np.size(w) / x.size if function.endswith("reduce_mean") else 1)

    return with_gradient(value, pull)


def running(np, x, axis=0, exclusive=False, reverse=False, **_):
    x = np.moveaxis(x, axis, -1)
    x = x[..., ::-1] if reverse else x
    made = np.cumsum(x, -1)
    if exclusive:
        made = made - x
    return np.moveaxis(made[..., ::-1] if reverse else made, -1, axis)


def running_pull(np, w, x, axis=0, exclusive=False, reverse=False, **_):
    return running(np, w, axis, exclusive, not reverse)


def turned(np, x, change):
    """Transposed, or the conjugate of that."""
    if change == "transpose":
        return np.swapaxes(x, -1, -2)
    return np.conj(np.swapaxes(x, -1, -2)) if change == "adjoint" else x


def product(np, x, y, a="", b="", **_):
    return turned(np, x, a) @ turned(np, y, b)


def product_pull(np, w, x, y, a="", b="", **_):
    """Real matrices: the transpose back where one was turned."""
    one, other = turned(np, x, a), turned(np, y, b)
    by_x, by_y = w @ turned(np, other, "transpose"), turned(np, one, "transpose") @ w
    by_x, by_y = turned(np, by_x, a), turned(np, by_y, b)
    return _folded(by_x, x.shape), _folded(by_y, y.shape)


def _folded(w, shape):
    w = w.sum(axis=tuple(range(w.ndim - len(shape))))
    return w.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1), keepdims=True)


def einsum(np, *parts, equation, **_):
    return np.einsum(equation.replace(" ", ""), *parts)
