"""What views, copies of views, parts and joins must give, in NumPy alone."""

from .reference import with_gradient


def sizes_of(args):
    """Sizes as numbers or in a tuple."""
    return tuple(args[0]) if args and isinstance(args[0], (tuple, list)) else tuple(args)


def reshaped(np, x, *args):
    return x.reshape(sizes_of(args))


def expanded(np, x, *args):
    sizes = sizes_of(args)
    own = (1,) * (len(sizes) - x.ndim) + x.shape
    return np.broadcast_to(x, [old if new == -1 else new for old, new in zip(own, sizes)])


def flattened(np, x, start_dim=0, end_dim=-1):
    if not x.ndim:
        return x.reshape(1)
    start, end = start_dim % x.ndim, end_dim % x.ndim
    return x.reshape(x.shape[:start] + (-1,) * (x.size > 0) + x.shape[end + 1 :])


def repeated(np, x, *args):
    return np.tile(x, sizes_of(args))


def squeezed(np, x, *args):
    """Only what has the size one goes."""
    axes = [dim % max(x.ndim, 1) for dim in sizes_of(args)] or range(x.ndim)
    return x.reshape([n for axis, n in enumerate(x.shape) if n != 1 or axis not in axes])


def permuted(np, x, *args):
    return np.transpose(x, sizes_of(args))


OF = {
    "torch.Tensor.view": reshaped,
    "torch.Tensor.reshape": reshaped,
    "torch.Tensor.expand": expanded,
    "torch.Tensor.flatten": flattened,
    "torch.Tensor.repeat": repeated,
    "torch.Tensor.squeeze": squeezed,
    "torch.Tensor.permute": permuted,
    "torch.Tensor.transpose": lambda np, x, one, other: np.swapaxes(x, one, other),
    "torch.Tensor.unsqueeze": lambda np, x, dim: np.expand_dims(x, dim),
}


def plain(function):
    return lambda np, x, args=(): OF[function](np, x, *args)


def gradient(function):
    return with_gradient(lambda np, x, args: OF[function](np, x, *args))


def of_views(function):
    """Of every other number, and of a transpose of the same shape."""

    def reference(np, x, y, args):
        return [OF[function](np, one, *args) for one in (x, np.swapaxes(y, -1, -2))]

    return reference


def with_input(function):
    """The doubled result, and the input that shows it."""
    return lambda np, x, args: (2 * OF[function](np, x, *args), 2 * x)


def of_each(function):
    return lambda np, *xs, args: [OF[function](np, x, *args) for x in xs]


# --- parts


def parts(np, x, size, dim=0):
    """torch.split: parts of one size, the last one smaller, or of the sizes that a list gives."""
    ends = range(size, x.shape[dim], size) if isinstance(size, int) else np.cumsum(size)[:-1]
    return np.split(x, list(ends), dim)


def chunks(np, x, count, dim=0):
    """torch.chunk: as many parts of one size as there are; may be fewer than asked."""
    return parts(np, x, max(1, -(-x.shape[dim] // count)), dim)


def doubled_first(function):
    """The parts and the whole, where the first three rows have been doubled."""

    def reference(np, x, args):
        whole = np.concatenate([2 * x[:3], x[3:]])
        return PARTS[function](np, whole, *args), whole

    return reference


def parts_of_nothing(function):
    """No row: one part by size, and as many as asked by number; along the columns as ever."""
    count = 1 if function == "torch.split" else 2
    return lambda np, x, y, args: [[x] * count, np.split(y, 2, 1)]


PARTS = {"torch.split": parts, "torch.chunk": chunks}


def split_by(function):
    return lambda np, x, args: PARTS[function](np, x, *args)


def split_gradient(function):
    return with_gradient(lambda np, x, args: PARTS[function](np, x, *args))


# --- joins


def joined_by(function):
    return (
        (lambda np, *xs, dim=0: np.stack(xs, dim))
        if function == "torch.stack"
        else (lambda np, *xs, dim=0: np.concatenate(xs, dim))
    )


def join_gradient(function):
    return with_gradient(joined_by(function))


def pairs_joined(function):
    """Each two that follow each other."""
    join = joined_by(function)
    return lambda np, *xs: [join(np, *xs[i : i + 2]) for i in range(0, len(xs), 2)]


def layouts_joined(function):
    """Gaps, a transpose, a broadcast row."""
    join = joined_by(function)
    return lambda np, x, y, z: join(np, x, y.T, np.broadcast_to(z, (6, 6)))
