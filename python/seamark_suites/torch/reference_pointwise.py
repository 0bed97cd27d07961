"""What functions of one number, powers and bounds must give, in NumPy alone."""

from .reference import with_gradient


def floats(np, x):
    """Whole numbers and booleans as floats."""
    return x if x.dtype.kind in "fc" else x.astype("float64")


def sigmoid(np, x):
    """By the tail that does not overflow."""
    small = np.exp(np.where(x.real < 0, x, -x))
    return np.where(x.real < 0, small, 1) / (1 + small)


def direction(np, x):
    """The slope of |x|: 0 at 0."""
    size = abs(x)
    return np.where(size == 0, 0, x / np.where(size == 0, 1, size))


# Function, slope, second slope.
KNOWN = {
    "torch.exp": (lambda np, x: np.exp(x),) * 3,
    "torch.log": (
        lambda np, x: np.log(x),
        lambda np, x: 1 / x,
        lambda np, x: -1 / x**2,
    ),
    "torch.sqrt": (
        lambda np, x: np.sqrt(x),
        lambda np, x: 0.5 / np.sqrt(x),
        lambda np, x: -0.25 / (x * np.sqrt(x)),
    ),
    "torch.sin": (
        lambda np, x: np.sin(x),
        lambda np, x: np.cos(x),
        lambda np, x: -np.sin(x),
    ),
    "torch.cos": (
        lambda np, x: np.cos(x),
        lambda np, x: -np.sin(x),
        lambda np, x: -np.cos(x),
    ),
    "torch.sigmoid": (
        sigmoid,
        lambda np, x: sigmoid(np, x) * sigmoid(np, -x),
        lambda np, x: sigmoid(np, x) * sigmoid(np, -x) * (1 - 2 * sigmoid(np, x)),
    ),
    "torch.abs": (
        lambda np, x: abs(x),
        lambda np, x: direction(np, x).conj(),
        lambda np, x: 0 * x,
    ),
}


def of(function):
    """The function itself, of any kind of number."""
    first = KNOWN[function][0]
    if function == "torch.abs":
        return first
    return lambda np, x: first(np, floats(np, x))


def gradient_of(function):
    """A complex gradient has the conjugate slope."""
    first, slope, _ = KNOWN[function]
    return with_gradient(first, lambda np, w, x: w * slope(np, x).conj())


def twice(function):
    """The result, the slope, and the weighted second slope."""
    first, slope, second = KNOWN[function]
    return lambda np, x, w: (first(np, x), slope(np, x), w * second(np, x))


def slopes_at(function):
    first, slope, _ = KNOWN[function]
    return lambda np, x: (first(np, x), slope(np, x))


def of_views(function):
    """Of every other column, of the transpose, of a broadcast row."""
    own = of(function)
    return lambda np, x: (
        own(np, x),
        own(np, x.T),
        own(np, np.broadcast_to(x[:1], (5, x.shape[1]))),
    )


def of_each(function):
    own = of(function)
    return lambda np, *inputs: [own(np, x) for x in inputs]


def written(function):
    """The result, what stands in out=, and twice what was changed in place."""
    own = of(function)
    return lambda np, x: (own(np, x),) * 4


def written_in_gaps(function):
    own = of(function)
    return lambda np, x, y: (own(np, x), own(np, x), own(np, y.T), own(np, y))


def of_lazy_views(function):
    """Of the conjugate, and of the imaginary part."""
    own = of(function)
    return lambda np, x: (own(np, x.conj()), own(np, x.imag))


def complex_twice(function):
    """The result, the gradient of the real part of the sum of w times it, and that of v times this gradient."""
    first, slope, second = KNOWN[function]
    return lambda np, x, w, v: (
        first(np, x),
        (w * slope(np, x)).conj(),
        v * (w * second(np, x)).conj(),
    )


def written_to_others(function):
    """Of the numbers, of the integers, and of the numbers again."""
    own = of(function)
    return lambda np, x, whole: (own(np, x), own(np, whole), own(np, x))


# --- bounds


def clamp(np, x, low=None, high=None):
    """The upper bound wins where the two cross; NaN of either comes through."""
    made = x if low is None else np.maximum(x, low)
    return made if high is None else np.minimum(made, high)


def clamp_pull(np, w, x, low=None, high=None):
    inside = np.ones(x.shape, bool)
    if low is not None:
        inside &= x >= low
    if high is not None:
        inside &= x <= high
    return w * inside


def clamp_pull_of_bounds(np, w, x, low, high):
    """What a bound replaces counts for the bound, for the lower one only where the upper does not win."""
    inside = (x >= low) & (x <= high)
    below = (x < low) & (low < high)
    above = (x > high) | (high < low)
    return w * inside, (w * below).sum(0), (w * above).sum(1, keepdims=True)


# --- powers


def power(np, x, y):
    return np.power(x, y)


def power_pull(np, w, x, y):
    """Of base and exponent. The logarithm of a zero base counts as nothing."""
    known = np.where(x == 0, 1, x)
    return w * (y * np.power(x, y - 1)).conj(), w * (np.power(x, y) * np.log(known)).conj()


def power_of_each(np, *bases, exponent):
    return [x**exponent for x in bases]
