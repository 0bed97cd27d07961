"""What gather, gather_nd, one_hot and stack must give, in NumPy alone."""


def gathered(np, x, indices, axis=None, batch_dims=0):
    """Without an axis it is the first one after those that rows of indices share."""
    axis = batch_dims if axis is None else axis % x.ndim
    if not batch_dims:
        return np.take(x, indices, axis)
    pairs = zip(x, indices)
    return np.stack([gathered(np, one, some, axis - 1, batch_dims - 1) for one, some in pairs])


def rows_gathered(np, x, indices, batch_dims=0):
    if batch_dims:
        pairs = zip(x, indices)
        return np.stack([rows_gathered(np, one, some, batch_dims - 1) for one, some in pairs])
    return x[tuple(np.moveaxis(indices, -1, 0))]


def rows_summed(np, w, x, indices):
    """The gradient of rows that were taken: of each the sum over its places."""
    made = np.zeros(x.shape, w.dtype)
    np.add.at(made, tuple(np.moveaxis(indices, -1, 0)), w)
    return made


def hot(np, indices, depth, on=1, off=0, axis=-1):
    """An index that is no place has no hot one."""
    made = np.where(indices[..., None] == np.arange(depth), on, off)
    return np.moveaxis(made, -1, axis)


def stacked(np, *parts, axis=0):
    return np.stack(parts, axis)


def row_penalty_slope(np, x, indices):
    """The gradient of the squared gradient of the sum of the third powers of the rows that were taken."""
    count = np.bincount(indices.ravel(), minlength=len(x))[:, None]
    return 36 * count**2 * x**3


def table_loss(np, x, indices):
    """The sum of squares of the rows that were taken, and its gradient, where a row taken twice counts twice."""
    count = np.bincount(indices.ravel(), minlength=len(x))[:, None]
    return (count * x**2).sum(), 2 * count * x


def elements_or_zero(np, x, indices):
    """Places outside of the tensor give zero."""
    inside = ((indices >= 0) & (indices < x.shape)).all(-1)
    safe = np.where(inside[..., None], indices, 0)
    return np.where(inside, x[tuple(np.moveaxis(safe, -1, 0))], 0)
