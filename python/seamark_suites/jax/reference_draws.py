"""What keys give: Threefry's words, and the numbers made of them, in NumPy, with SciPy's inverse error function.

`plan` says what is drawn, in whole numbers: whether each number is counted for itself (jax_threefry_partitionable, the
default since JAX 0.5), the bits of a word, how many of them are used, and the shape.
"""

import math

from .reference import threefry


def _words(np, key, count, each):
    """Two words for each number, else half as many pairs."""
    low = np.arange(count, dtype=np.uint32)
    key = np.asarray(key).astype(np.uint32)[:, None]  # arrays of one: scalars would warn
    if each:
        return threefry(key, (0 * low, low))
    return threefry(key, np.split(low, 2))


def split(np, plan, key, num=2):
    """Keys of two words each, of any shape."""
    shape = tuple(num) if isinstance(num, (tuple, list)) else (num,)
    count = int(math.prod(shape))
    if plan[0]:
        return np.stack(_words(np, key, count, True), -1).reshape(*shape, 2)
    return np.concatenate(_words(np, key, 2 * count, False)).reshape(*shape, 2)


def fractions(np, plan, key):
    """Uniform in [0, 1): the upper bits of a word, as many as the significand has."""
    each, width, used, *shape = (int(one) for one in plan)
    first, second = _words(np, key, int(math.prod(shape)), each)
    if not each:
        words = np.concatenate([first, second])
    elif width == 64:
        words = first.astype(np.uint64) << np.uint64(32) | second
    else:
        words = (first ^ second) & np.uint32(2**width - 1)
    return (words >> words.dtype.type(width - used)).astype(float).reshape(shape) / 2.0**used


def uniform(np, plan, key, low=0.0, high=1.0):
    return fractions(np, plan, key) * (high - low) + low


def normal(np, plan, key, scale=1.0):
    """By the inverse of the distribution, in the middle of each step from -1 to 1."""
    from scipy import special

    between = 2 * fractions(np, plan, key) - 1 + 2.0 ** -int(plan[2]) / 2
    return scale * math.sqrt(2) * special.erfinv(between)


def complex_normal(np, plan, key, scale=1.0):
    real, imaginary = (normal(np, plan, one) for one in split(np, plan, key))
    return scale * (real + 1j * imaginary) / math.sqrt(2)


def of_each(np, draw, plan, keys, **options):
    """A draw of each of several keys."""
    return np.stack([draw(np, plan, key, **options) for key in keys])
