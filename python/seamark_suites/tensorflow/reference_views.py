"""What views, copies and parts must give, in NumPy alone."""

from .reference import with_gradient

_MODES = {"CONSTANT": "constant", "REFLECT": "reflect", "SYMMETRIC": "symmetric"}


def expanded(np, x, axis):
    return np.expand_dims(x, axis)


def transposed(np, x, perm=None):
    return np.transpose(x, perm)


def squeezed(np, x, axis=()):
    """Without an axis all that have the size one go."""
    chosen = axis if isinstance(axis, tuple) else (axis,)
    return np.squeeze(x, chosen or None)


def kept(np, x):
    return x


def sliced(np, x, begin, size):
    """A size of -1 goes to the end."""
    parts = [slice(b, None if n == -1 else b + n) for b, n in zip(begin, size)]
    return x[tuple(parts)]


def padded(np, x, paddings, mode="CONSTANT"):
    return np.pad(x, paddings, _MODES[mode.upper()])


def parts(np, x, sizes, axis=0):
    """So many parts of one size, or of these sizes; -1 takes what is left."""
    if isinstance(sizes, int):
        return np.split(x, sizes, axis)
    left = x.shape[axis] - sum(n for n in sizes if n != -1)
    ends = np.cumsum([left if n == -1 else n for n in sizes])
    return np.split(x, ends[:-1], axis)


def rows(np, x, num=None, axis=0):
    return list(np.moveaxis(x, axis, 0))


OF = {
    "tf.expand_dims": expanded,
    "tf.transpose": transposed,
    "tf.squeeze": squeezed,
    "tf.tile": lambda np, x, multiples: np.tile(x, multiples),
    "tf.broadcast_to": lambda np, x, shape: np.broadcast_to(x, shape),
    "tf.identity": kept,
    "tf.stop_gradient": kept,
    "tf.slice": sliced,
    "tf.pad": padded,
    "tf.split": parts,
    "tf.unstack": rows,
}
OF.update(
    {"tf.compat.v1." + n: OF["tf." + n] for n in ["expand_dims", "transpose", "squeeze", "pad"]}
)


def plain(function):
    return lambda np, x, args=(): OF[function](np, x, *args)


def gradient(function):
    return with_gradient(plain(function))


def of_each(sized):
    """Of each input, with the arguments that sized(function, shape) gives."""

    def of_function(function):
        return lambda np, *xs: [OF[function](np, x, *sized(function, x.shape)) for x in xs]

    return of_function


def of_pairs(pairs):
    """Of each input, with arguments of its own; `pairs` are the shapes and these."""

    def of_function(function):
        chosen = pairs[function]
        return lambda np, *xs: [OF[function](np, x, *args) for x, (_, args) in zip(xs, chosen)]

    return of_function


def with_signs(sized):
    """The results, and which of their numbers have a sign: -0.0 is not 0.0."""

    def of_function(function):
        def reference(np, x):
            made = OF[function](np, x, *sized(function, x.shape))
            made = made if isinstance(made, list) else [made]
            return [[one, np.signbit(one)] for one in made]

        return reference

    return of_function


def places(np, function, x, args):
    """How often each number of the input stands in the result."""
    numbers = np.arange(1, x.size + 1).reshape(x.shape)
    made = OF[function](np, numbers, *args)
    flat = np.concatenate([one.ravel() for one in made]) if isinstance(made, list) else made
    return np.bincount(flat.ravel(), minlength=x.size + 1)[1:].reshape(x.shape)


def penalty_slope(sized):
    """The gradient of the squared gradient of the sum of the third powers of what comes out."""

    def of_function(function):
        return lambda np, x: 36 * places(np, function, x, sized(function, x.shape)) ** 2 * x**3

    return of_function
