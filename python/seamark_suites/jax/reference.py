"""What the cases of this folder must give, in NumPy alone, with SciPy for special functions: no kernel of JAX is called.

SciPy's linear algebra is not independent: JAX calls the same LAPACK on the CPU. NumPy brings its own.
"""

import functools
import math

from seamark_suites import reference

with_gradient = functools.partial(reference.with_gradient, conjugate=True)


def with_affine_gradient(function):
    """with_gradient of a function that is affine in each of its inputs."""
    return with_gradient(function, reference.affine_pull(function))


def special(name):
    """SciPy's function of that name."""

    def function(np, x):
        from scipy import special

        return getattr(special, name)(x)

    return function


def special_with_gradient(name, derivative):
    """SciPy's function with a gradient. `derivative`: (np, x), one number for each of x."""
    return with_gradient(special(name), lambda np, w, x: w * derivative(np, x))


def same(np, x):
    return x


# --- element by element


def add_pull(np, w, x, y):
    """y, a row, is added to each row of x."""
    return w, w.sum(0)


def exp_pull(np, w, x):
    return w * np.exp(x).conj()


def cos_pull(np, w, x):
    return -w * np.sin(x).conj()


def power_pull(np, w, x, y):
    return w * y * x ** (y - 1), w * x**y * np.log(x)


def integer_pow(np, x, y):
    """A negative power of an integer is not defined."""
    return x ** (abs(y) if x.dtype.kind == "i" else y)


def select_pull(np, w, which, x, y, pred):
    return w * pred, w * (not pred)


def erf_slope(np, x):
    return 2 / math.sqrt(math.pi) * np.exp(-(x**2))


def normal_density(np, x):
    return np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)


def norm_cdf(np, x, loc=0.0, scale=1.0):
    return special("ndtr")(np, (x - loc) / scale)


def norm_cdf_about_a_half(np, x, scale):
    return norm_cdf(np, x, 0.5, scale)


def norm_cdf_about_a_half_pull(np, w, x, scale):
    z = (x - 0.5) / scale
    slope = w * normal_density(np, z) / scale
    return slope, -slope * z


# --- linear algebra


def decomposed(np, x, full_matrices=False):
    """Singular values, what orthogonal columns and rows give with themselves, the product of the parts, and their
    shapes."""
    (rows, columns), least = x.shape, min(x.shape)
    u, vh = (rows, rows if full_matrices else least), (columns if full_matrices else least, columns)
    values = np.linalg.svd(x, compute_uv=False)
    return values, np.eye(u[1]), np.eye(vh[0]), x, np.array(u + vh)


def lu(np, x):
    """p, l, u by elimination. The pivot is the largest by |real| + |imaginary|, as LAPACK has it."""
    rows, least = len(x), min(x.shape)
    left, order = x.copy(), np.arange(rows)
    for k in range(least):
        pivot = k + np.argmax(abs(left[k:, k].real) + abs(left[k:, k].imag))
        for part in left, order:
            part[[k, pivot]] = part[[pivot, k]]
        left[k + 1 :, k] /= left[k, k]
        left[k + 1 :, k + 1 :] -= left[k + 1 :, k, None] * left[k, k + 1 :]
    lower = np.tril(left[:, :least], -1) + np.eye(rows, least)
    return np.eye(rows)[:, order], lower, np.triu(left[:least])


def lu_and_product(np, x):
    return (*lu(np, x), x)


def lu_with_permuted_l(np, x):
    p, lower, upper = lu(np, x)
    return p @ lower, upper


def triangles(np, x):
    return lu(np, x)[1:]


def triangles_pull(np, w, x):
    """dl = l tril(d, -1) and du = triu(d) u, where d is inv(l) p* dx inv(u), of a square matrix."""
    p, lower, upper = lu(np, x)
    by_lower = np.tril(lower.conj().T @ w[0], -1)
    by_upper = np.triu(w[1] @ upper.conj().T)
    half = np.linalg.solve(lower.conj().T, by_lower + by_upper)
    return p @ np.linalg.solve(upper, half.conj().T).conj().T


def lu_of_a_batch(np, x):
    parts = [lu(np, each) for each in x]
    return np.stack([part[1] for part in parts]), np.stack([part[2] for part in parts]), x


def convolve2d(np, x, y, mode):
    from scipy import signal

    return signal.convolve2d(x, y, mode)


# --- reductions


def prod_pull(np, w, x):
    """Of products along axis 1."""
    return (w * x.prod(1))[:, None] / x


def max_pull(np, w, x):
    """Of maxima along axis 1, without ties."""
    return w[:, None] * (x == x.max(1, keepdims=True))


def var_pull(np, w, x):
    """Of variances along axis 0."""
    return 2 * w * (x - x.mean(0)) / len(x)


def weighted_average(np, x, weights):
    return (x * weights).sum(1) / weights.sum()


def weighted_average_pull(np, w, x, weights):
    off = x - weighted_average(np, x, weights)[:, None]
    return w[:, None] * weights / weights.sum(), w @ off / weights.sum()


# --- moving and choosing


def top_k(np, x, k):
    order = np.argsort(-x, axis=-1, kind="stable")[..., :k]
    return np.take_along_axis(x, order, -1), order


def top_4_pull(np, w, x):
    made = np.zeros(x.shape)
    np.put_along_axis(made, top_k(np, x, 4)[1], w[0], -1)
    return made


# --- transformations


def cubic(np, x, y):
    return np.sin(x) * y + x**3


def cubic_pull(np, w, x, y):
    return w * (np.cos(x) * y + 3 * x**2), w * np.sin(x)


# --- keys

_ROTATIONS = (13, 15, 26, 6), (17, 29, 16, 24)
_WORD = 2**32 - 1


def key(np, seed):
    """Threefry's key: the high and the low half of the seed."""
    return np.array([seed >> 32 & _WORD, seed & _WORD])


def threefry(key, count):
    """Threefry-2x32 with 20 rounds (Salmon and others, 2011): two words from two, whole numbers or arrays of them."""
    keys = key[0], key[1], key[0] ^ key[1] ^ 0x1BD11BDA
    x, y = count[0] + keys[0] & _WORD, count[1] + keys[1] & _WORD
    for i in range(5):
        for by in _ROTATIONS[i % 2]:
            x = x + y & _WORD
            y = (y << by | y >> 32 - by) & _WORD ^ x
        x = x + keys[(i + 1) % 3] & _WORD
        y = y + keys[(i + 2) % 3] + i + 1 & _WORD
    return x, y


def _bits(np, key, count, partitionable):
    numbers = np.arange(count)
    if partitionable:  # jax_threefry_partitionable: each number is counted for itself
        x, y = threefry(key, (0 * numbers, numbers))
        return x ^ y
    return np.concatenate(threefry(key, np.split(numbers, 2)))


def _split(np, key, partitionable):
    if partitionable:
        return np.stack(threefry(key, (np.zeros(2, int), np.arange(2))), 1)
    return np.concatenate(threefry(key, np.split(np.arange(4), 2))).reshape(2, 2)


def bits_and_integers(np, partitionable, seed):
    """64 words, and 64 whole numbers below 1000: each of two words, as a number of 64 bits."""
    own = key(np, seed)
    high, low = (_bits(np, half, 64, partitionable) for half in _split(np, own, partitionable))
    return _bits(np, own, 64, partitionable), (high % 1000 * (2**32 % 1000) + low % 1000) % 1000
