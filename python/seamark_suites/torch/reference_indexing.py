"""What selections, sums and extremes must give, in NumPy alone."""

from .reference import with_gradient

# --- where, gather, topk


def where(np, c, x, y):
    return np.where(c, x, y)


def gathered(np, x, index, dim):
    """Along one axis by the index; along the others the same place. The index may be smaller."""
    places = list(np.indices(index.shape))
    places[dim] = index
    return x[tuple(places)]


def gathered_pull(np, w, x, index, dim):
    """A number that is taken several times gets the sum."""
    found = np.zeros(x.shape, w.dtype)
    places = list(np.indices(index.shape))
    places[dim] = index
    np.add.at(found, tuple(places), w)
    return found


def topk(np, x, k, dim=-1, largest=True):
    """Values and places, the extreme first. NaN counts as greatest."""
    order = np.argsort(x, axis=dim, kind="stable")
    if largest:
        order = np.flip(order, dim)
    order = np.take(order, range(k), dim)
    return np.take_along_axis(x, order, dim), order


def topk_pull(np, w, x, k, dim=-1, largest=True):
    found = np.zeros(x.shape)
    np.put_along_axis(found, topk(np, x, k, dim, largest)[1], w[0], dim)
    return found


# --- reductions


def axes_of(dim):
    return tuple(dim) if isinstance(dim, (tuple, list)) else dim


def summed(np, x, dim=None, keepdim=False):
    return x.sum(axes_of(dim), keepdims=keepdim)


def mean(np, x, dim=None, keepdim=False):
    return x.mean(axes_of(dim), keepdims=keepdim)


def widened(np, w, x, dim, keepdim):
    """The weights of a reduction, in the place of the numbers that they count for."""
    if dim is not None and not keepdim:
        w = np.expand_dims(w, axes_of(dim))
    return np.broadcast_to(w, x.shape)


def summed_pull(np, w, x, dim=None, keepdim=False):
    return widened(np, w, x, dim, keepdim)


def mean_pull(np, w, x, dim=None, keepdim=False):
    return widened(np, w, x, dim, keepdim) * (w.size / x.size)


REDUCED = {
    "torch.mean": (mean, mean_pull),
    "torch.Tensor.sum": (summed, summed_pull),
}


def reduced(function):
    return REDUCED[function][0]


def of_layouts(function):
    """Of gaps, a transpose, a broadcast row."""
    own = REDUCED[function][0]
    return lambda np, x, row: [
        own(np, x, 0),
        own(np, x.T, 0),
        own(np, np.broadcast_to(row, (4, 6)), 1),
    ]


def of_no_numbers(function):
    nothing = float("nan") if function == "torch.mean" else 0
    return lambda np, x: (np.full((), nothing), np.full(3, nothing), np.zeros(0))


def reduced_gradient(function):
    return with_gradient(*REDUCED[function])


# --- extremes: of all, along an axis with its place, of two

EXTREMES = {
    "torch.max": (lambda np, x, *axis: x.max(*axis), lambda np, x, *axis: x.argmax(*axis)),
    "torch.min": (lambda np, x, *axis: x.min(*axis), lambda np, x, *axis: x.argmin(*axis)),
}


def extreme(function):
    return lambda np, x: EXTREMES[function][0](np, x)


def extreme_along(function):
    value, place = EXTREMES[function]

    def reference(np, x, dim, keepdim=False):
        found = value(np, x, dim), place(np, x, dim)
        return tuple(np.expand_dims(one, dim) for one in found) if keepdim else found

    return reference


def of_two(function):
    name = "maximum" if function == "torch.max" else "minimum"
    return lambda np, x, y: getattr(np, name)(x, y)


def extreme_gradients(function):
    """Of all: shared by all that are extreme."""

    def pull(np, w, x):
        chosen = x == extreme(function)(np, x)
        return w * chosen / chosen.sum()

    return with_gradient(extreme(function), pull)


def extreme_along_gradient(function):
    along = extreme_along(function)

    def pull(np, w, x, dim, keepdim=False):
        found, places = np.zeros(x.shape), along(np, x, dim, True)[1]
        np.put_along_axis(found, places, w[0].reshape(places.shape), dim)
        return found

    return with_gradient(along, pull)


def of_two_gradient(function):
    def pull(np, w, x, y):
        first = (x > y) if function == "torch.max" else (x < y)
        return (w * first).sum(0), (w * ~first).sum(1, keepdims=True)

    return with_gradient(of_two(function), pull)


def beside_nan(function):
    """Of all, along the rows (values, places), of two rows, where NaN is among them."""
    nan, most = float("nan"), function == "torch.max"
    values, places = [nan, 5 if most else -float("inf")], [1, 2 if most else 0]
    of_rows = [nan, nan, 5 if most else 2]
    return lambda np, x: (nan, np.array(values), np.array(places), np.array(of_rows))


def shared_gradient(function):
    """Of [[4, 1], [2, 4]]: both fours share the gradient of the maximum."""
    most = function == "torch.max"
    slope = [[0.5, 0], [0, 0.5]] if most else [[0, 1.0], [0, 0]]
    return lambda np, x: (4.0 if most else 1.0, np.array(slope))


def rows_only(function):
    """The extremes of the rows, without their places."""
    value = EXTREMES[function][0]
    return lambda np, x: value(np, x, 1)


def all_and_rows(function):
    value = EXTREMES[function][0]
    return lambda np, x: [value(np, x), value(np, x, 1)]


def extreme_of_strides(function):
    along = extreme_along(function)
    return lambda np, x: [*along(np, x, 0), *along(np, x.T, 0), extreme(function)(np, x)]


def extremes_twice(function):
    """Each result, and what stands in out=."""
    along, two = extreme_along(function), of_two(function)
    return lambda np, x, y: [*along(np, x, 1)] * 2 + [two(np, x, y)] * 2


def columns_of_each(function):
    along = extreme_along(function)
    return lambda np, *xs: [along(np, x, 0) for x in xs]


# --- running sums


def cumsum(np, x, dim):
    return np.cumsum(x, dim)


def cumsum_pull(np, w, x, dim):
    """What comes later counts for each number before."""
    return np.flip(np.cumsum(np.flip(w, dim), dim), dim)
