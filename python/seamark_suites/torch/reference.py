"""What the cases of this folder must give, in NumPy alone: no kernel of PyTorch is called."""

from seamark_suites.reference import floating, with_gradient

# --- linear algebra


def outer(np, x, a, b):
    """x + a b; of booleans that is or, and and."""
    return x + a[:, None] * b


def sparse_sum(np, x, kept, y, also_kept, dense, beta=1, alpha=1):
    """saddmm of two matrices that keep some of their numbers."""
    return beta * (x * kept) + alpha * ((y * also_kept) @ dense)


def uncoalesced(np, index, values, x, kept, dense):
    """saddmm whose factor, 3x4, adds the values that have the same index."""
    factor = np.zeros((3, 4))
    np.add.at(factor, tuple(index), values)
    return x * kept + factor @ dense


def rank(np, x, atol=0.0, rtol=1e-6):
    """How many singular values are more than rounding leaves of zero."""
    if x.size == 0:
        return np.zeros(x.shape[:-2], int)
    values = np.linalg.svd(x, compute_uv=False)
    least = np.maximum(np.asarray(atol)[..., None], rtol * values.max(-1, keepdims=True))
    return (values > least).sum(-1)


def rank_of_product(np, x, hermitian):
    return rank(np, x @ x.conj().T, rtol=1e-4)


def rank_without_rows(np, x):
    x = x.copy()
    x[1, 2:] = 0
    return rank(np, x)


def rank_with_a_double(np, x):
    x = x.copy()
    first = x[0] if x.ndim > 2 else x
    first[0] = 2 * first[1]
    return rank(np, x)


def slogdet(np, x):
    return tuple(np.linalg.slogdet(x))


def slogdet_pull(np, w, x):
    """log|det| changes by the real part of tr(inv(x) dx), the sign turns by its imaginary part."""
    sign = np.linalg.slogdet(x)[0]
    return (w[1] - 1j * w[0] * np.imag(sign)) * np.linalg.inv(x).conj().T


def by_triangle(np, right, matrix, upper=True, transpose=False, unitriangular=False):
    """triangular_solve: the solution, and the matrix as it was, once for each right side."""
    triangle = np.triu(matrix) if upper else np.tril(matrix)
    if unitriangular:
        triangle = triangle - np.diag(np.diag(triangle)) + np.eye(len(matrix))
    solution = np.linalg.solve(triangle.T if transpose else triangle, right)
    return solution, np.broadcast_to(matrix, right.shape[:-2] + matrix.shape)


def solution_by_triangle(np, right, matrix, **params):
    return by_triangle(np, right, matrix, **params)[0]


def solution_and_gradients(np, right, matrix, upper):
    (solution, _), gradients = with_gradient(by_triangle)(np, right, matrix, upper=upper)
    return solution, gradients


def times_q(np, x, other, left=True, transpose=False):
    """ormqr of the reflectors of x: by LAPACK's convention they are those of numpy.linalg.qr."""
    q = np.linalg.qr(x, mode="complete")[0]
    q = q.conj().T if transpose else q
    return q @ other if left else other @ q


def times_reflectors(np, reflectors, tau, other):
    """(1 - tau v v*) for each column v, one below the diagonal's place, the first leftmost."""
    for i in range(len(tau) - 1, -1, -1):
        head = np.zeros(i + 1, other.dtype)
        head[i] = 1
        v = np.concatenate([head, reflectors[i + 1 :, i]])
        other = other - tau[i] * v[:, None] * (v.conj() @ other)
    return other


def times_reflectors_with_gradient(np, x, other):
    reflectors, tau = np.linalg.qr(x, mode="raw")
    return with_gradient(times_reflectors)(np, reflectors.T, tau, other)


# --- element by element, sums


def less(np, x, y):
    return x < y


def rounded(np, x):
    return np.round(x)


def inverted(np, x):
    return ~x


def log1p(np, x):
    return np.log1p(x if floating(x) else x.astype(float))


def log1p_pull(np, w, x):
    return w / (1 + x.conj())


def strided(function):
    """Of a matrix, and of another one transposed."""
    return lambda np, x: (function(np, x), function(np, (x + x.T[:9, :9].sum()).T))


def three_times(function):
    """The result, what was written to out=, and what was changed in place."""

    def reference(np, x):
        made = function(np, x / 8 if floating(x) else x)
        return made, made, made

    return reference


# --- normalization


def batch_norm(np, x, mean, variance, weight=None, bias=None, training=False, eps=1e-5):
    shape = (1, -1) + (1,) * (x.ndim - 2)
    if training:
        axes = tuple(axis for axis in range(x.ndim) if axis != 1)
        mean, variance = x.mean(axes), x.var(axes)
    made = (x - mean.reshape(shape)) / np.sqrt(variance.reshape(shape) + eps)
    return made if weight is None else made * weight.reshape(shape) + bias.reshape(shape)


def batch_norm_of_batch(np, x, weight=None, bias=None):
    """Normalized by its own mean and variance."""
    return batch_norm(np, x, None, None, weight, bias, training=True)


def running_statistics(np, x, mean, variance):
    """Half of what was and half of the batch's, unbiased."""
    return batch_norm_of_batch(np, x), (mean + x.mean(0)) / 2, (variance + x.var(0, ddof=1)) / 2


def group_norm(np, x, weight=None, bias=None, groups=1, eps=1e-5):
    size = x.shape[1] // groups
    for axis in x.shape[2:]:
        size *= axis
    parts = x.reshape(len(x), groups, size)
    made = (parts - parts.mean(-1, keepdims=True)) / np.sqrt(parts.var(-1, keepdims=True) + eps)
    if weight is None:
        return made.reshape(x.shape)
    shape = (1, -1) + (1,) * (x.ndim - 2)
    return made.reshape(x.shape) * weight.reshape(shape) + bias.reshape(shape)


def in_groups(groups):
    return lambda np, *given: group_norm(np, *given, groups=groups)


# --- losses


def reduced(np, losses, reduction="mean"):
    if reduction == "none":
        return losses
    return losses.sum() / _count(np, losses, reduction)


def _count(np, losses, reduction):
    """What the sum is divided by; the mean of nothing is NaN."""
    if reduction == "batchmean":
        return len(losses)
    return np.float64(losses.size) if reduction == "mean" else 1


def bce_with_logits(np, x, y, reduction="mean"):
    return reduced(np, np.logaddexp(0, x) - x * y, reduction)


def bce_with_logits_pull(np, w, x, y, reduction="mean"):
    return w * (1 / (1 + np.exp(-x)) - y) / _count(np, x, reduction)


def bce_with_positive_weight(np, weight, x, y):
    return reduced(np, weight * y * np.logaddexp(0, -x) + (1 - y) * np.logaddexp(0, x))


def weighted_bce(np, weight, x, y):
    return reduced(np, weight * (np.logaddexp(0, x) - x * y))


def kl_div(np, x, y, reduction="mean"):
    """y log y is zero at zero."""
    return reduced(np, y * (np.log(np.where(y > 0, y, 1)) - x), reduction)


def kl_div_pull(np, w, x, y, reduction="mean"):
    return -w * y / _count(np, x, reduction)


def kl_div_of_log(np, x, y, reduction):
    return reduced(np, np.exp(y) * (y - x), reduction)


def smooth_l1(np, x, y, beta=1.0, reduction="mean"):
    far = abs(x - y)
    near = far**2 / (2 * beta) if beta else far
    return reduced(np, np.where(far < beta, near, far - beta / 2), reduction)


def smooth_l1_pull(np, w, x, y, beta=1.0, reduction="mean"):
    slope = np.clip((x - y) / beta, -1, 1) if beta else np.sign(x - y)
    slope = w * slope / _count(np, x, reduction)
    return slope, -slope


def of_strided_and_scalar(loss):
    def reference(np, x, y):
        both = (x, y.T), (x[0, 1], y[1, 0])
        return tuple(loss(np, *inputs, reduction="sum") for inputs in both)

    return reference


def sum_and_mean(loss):
    return lambda np, x: (loss(np, x, x, reduction="sum"), loss(np, x, x))


# --- derivatives


def layer_jvp(np, x, v, weight, bias):
    """tanh of a linear layer, and its change along v."""
    made = np.tanh(x @ weight.T + bias)
    return made, (1 - made**2) * (v @ weight.T)


# --- joining, moving, ordering


def in_both_orders(np, x):
    """Ties stay in order, upwards and downwards."""
    return np.argsort(x, kind="stable"), np.argsort(-x, kind="stable")


def joined(np, *parts, dim=0):
    return np.concatenate(parts, dim)


def joined_pull(np, w, *parts, dim=0):
    ends = np.cumsum([part.shape[dim] for part in parts])
    return np.split(w, ends[:-1], dim)


def broadcast(np, *given):
    return list(np.broadcast_arrays(*given))


def unsqueezed(np, x, dim):
    return np.expand_dims(x, dim)


def diag(np, x, offset):
    return np.diag(x, offset)


def first_doubled(np, x, axes):
    """What unbind gives first is doubled in place."""
    return np.concatenate([2 * x[:, :1], x[:, 1:]], 1)


def unbound(np, x, dim=0):
    return list(np.moveaxis(x, dim, 0))
