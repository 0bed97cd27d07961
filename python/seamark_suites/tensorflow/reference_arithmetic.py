"""What functions of one number, of two numbers and choices must give, in NumPy alone."""

from .reference import with_gradient


def sigmoid(np, x):
    """By the tail that does not overflow."""
    small = np.exp(np.where(x.real < 0, x, -x))
    return np.where(x.real < 0, small, 1) / (1 + small)


def direction(np, x):
    """The slope of |x|: 0 at 0."""
    size = abs(x)
    return np.where(size == 0, 0, x / np.where(size == 0, 1, size))


def log1p(np, x):
    return np.log(1 + x) if x.dtype.kind == "c" else np.log1p(x)


# Function, slope, second slope.
ONE = {
    "tf.exp": (lambda np, x: np.exp(x),) * 3,
    "tf.math.log": (lambda np, x: np.log(x), lambda np, x: 1 / x, lambda np, x: -1 / x**2),
    "tf.math.log1p": (log1p, lambda np, x: 1 / (1 + x), lambda np, x: -1 / (1 + x) ** 2),
    "tf.sqrt": (
        lambda np, x: np.sqrt(x),
        lambda np, x: 0.5 / np.sqrt(x),
        lambda np, x: -0.25 / (x * np.sqrt(x)),
    ),
    "tf.square": (lambda np, x: x * x, lambda np, x: 2 * x, lambda np, x: 2 + 0 * x),
    "tf.sigmoid": (
        sigmoid,
        lambda np, x: sigmoid(np, x) * sigmoid(np, -x),
        lambda np, x: sigmoid(np, x) * sigmoid(np, -x) * (1 - 2 * sigmoid(np, x)),
    ),
    "tf.abs": (lambda np, x: abs(x), direction, lambda np, x: 0 * x),
    "tf.floor": (lambda np, x: np.floor(x), None, None),
}


def of_one(function):
    return lambda np, x, *_, **__: ONE[function][0](np, x)


def of_each(function):
    return lambda np, *inputs, **_: [ONE[function][0](np, x) for x in inputs]


def one_gradient(function):
    """A complex gradient has the conjugate slope; that of |x| is the direction itself."""
    value, slope, _ = ONE[function]

    def pull(np, w, x, **_):
        found = slope(np, x)
        return w * (found if function == "tf.abs" else np.conj(found))

    return with_gradient(lambda np, x, **_: value(np, x), pull)


def orders(function):
    """The function, its slope, and its second slope weighted."""
    value, slope, second = ONE[function]
    return lambda np, x, w, **_: [value(np, x), slope(np, x), second(np, x) * w]


def slopes(function):
    return lambda np, x, **_: [ONE[function][0](np, x), ONE[function][1](np, x)]


# Function of two, and the slopes by each.
TWO = {
    "tf.maximum": (
        lambda np, x, y: np.maximum(x, y),
        lambda np, x, y: (x >= y, x < y),
    ),
    "tf.minimum": (
        lambda np, x, y: np.minimum(x, y),
        lambda np, x, y: (x <= y, x > y),
    ),
    "tf.multiply": (lambda np, x, y: x * y, lambda np, x, y: (np.conj(y), np.conj(x))),
    "tf.pow": (
        lambda np, x, y: np.power(x, y),
        lambda np, x, y: (y * x ** (y - 1), x**y * np.log(x)),
    ),
    "tf.greater": (lambda np, x, y: np.greater(x, y), None),
    "tf.less": (lambda np, x, y: np.less(x, y), None),
    "tf.equal": (lambda np, x, y: np.equal(x, y), None),
    "tf.not_equal": (lambda np, x, y: np.not_equal(x, y), None),
    "tf.logical_and": (lambda np, x, y: np.logical_and(x, y), None),
}


def folded(np, w, shape):
    """Summed to the shape that was broadcast."""
    w = w.sum(axis=tuple(range(w.ndim - len(shape))))
    return w.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1), keepdims=True)


def of_two(function):
    return lambda np, x, y, **_: TWO[function][0](np, x, y)


def of_pairs(function):
    def reference(np, *inputs, **_):
        pairs = zip(inputs[::2], inputs[1::2])
        return [TWO[function][0](np, x, y) for x, y in pairs]

    return reference


def with_number(function):
    """The other argument is the number 2."""
    return lambda np, x, **_: TWO[function][0](np, x, np.asarray(2, x.dtype))


def two_gradient(function):
    value, slope = TWO[function]

    def pull(np, w, x, y, **_):
        return tuple(
            folded(np, w * found, each.shape) for found, each in zip(slope(np, x, y), (x, y))
        )

    return with_gradient(lambda np, x, y, **_: value(np, x, y), pull)


def two_complex_gradient(function):
    value, slope = TWO[function]

    def pull(np, w, x, y, **_):
        found = slope(np, x, y)
        if function == "tf.pow":  # that of a product is conjugate already
            found = [np.conj(one) for one in found]
        return tuple(folded(np, w * one, each.shape) for one, each in zip(found, (x, y)))

    return with_gradient(lambda np, x, y, **_: value(np, x, y), pull)


# --- choices


def chosen(np, condition, x, y, **_):
    return np.where(condition, x, y)


def chosen_pull(np, w, condition, x, y, **_):
    return (
        folded(np, np.where(condition, w, 0), x.shape),
        folded(np, np.where(condition, 0, w), y.shape),
    )


def chosen_rows(np, condition, x, y, **_):
    return np.where(condition[:, None], x, y)


def places(np, condition, **_):
    """Of what is not zero, row after row."""
    return np.argwhere(condition)


def between(np, x, low=-1, high=1.5, **_):
    return np.minimum(np.maximum(x, low), high)


def between_pull(np, w, x, low, high, **_):
    """What was cut gives its gradient to the bound."""
    w = w + np.zeros(x.shape)
    return (
        w * ((x >= low) & (x <= high)),
        folded(np, w * (x < low), low.shape),
        folded(np, w * (x > high), high.shape),
    )
