"""Functions by the shapes of their arguments: numbers without axes, middle axes, four axes and more, axes without numbers."""

from seamark_suites.case import case
from seamark_suites.reference import affine_pull
from seamark_suites.transformed import each_of

from . import reference_pointwise as right
from .reference import with_gradient
from .resizing import _MODES

NONE = (2, 0, 3)  # numbers in no place
ANY = [(), (4,), (2, 3, 4), (2, 3, 2, 4), NONE]


def _both(np, lows, highs, x):
    x = x if lows is None else np.maximum(x, lows)
    return x if highs is None else np.minimum(x, highs)


def _reduced(f, number, line, x):
    return [
        f(number, dim=0), f(number, dim=-1, keepdim=True), f(number, dim=[]), f(line, dim=0), f(line, dim=(-1,), keepdim=True), f(x), f(x, 2), f(x, -3, True),
        f(x, (0, 1, 2, 3)), f(x, dim=(0, -2), keepdim=True), f(x, dim=(3, 1)),
    ]  # fmt: skip


def _reduced_right(name):
    def reference(np, number, line, x):
        f = getattr(np, name)
        return [
            number, number, number, f(line), f(line, keepdims=True), f(x), f(x, 2), f(x, 1, keepdims=True),
            f(x), f(x, (0, 2), keepdims=True), f(x, (1, 3)),
        ]  # fmt: skip

    return [(), (5,), (2, 3, 4, 2)], _reduced, reference


def _extremes(name):
    """Along the middle of three axes, of a number; of two whose shapes differ."""

    def run(f, number, line, rows, x, y, none):
        return [
            f(x), f(x, 1)[0], f(x, -2, keepdim=True)[0], f(number), f(number, 0)[0], f(number, -1, True)[0], f(x, y), f(number, 2 - number),
            f(line, number), f(number, rows), f(x, rows), f(line, x), f(x, number), f(none, none),
        ]  # fmt: skip

    def reference(np, number, line, rows, x, y, none):
        f, two = getattr(np, name), getattr(np, name + "imum")
        return [
            f(x), f(x, 1), f(x, 1, keepdims=True), number, number, number, two(x, y), two(number, 2 - number),
            two(line, number), two(number, rows), two(x, rows), two(line, x), two(x, number), none,
        ]  # fmt: skip

    return [(), (4,), (3, 4), (2, 3, 4), (2, 3, 4), NONE], run, reference


BOUNDS = [  # of (number, line, rows, x, y, other rows): what is bounded by which
    (3, 4, None), (3, None, 4), (3, 2, None), (3, 2, 5), (2, 3, 5), (2, 3, 4), (2, 0, 5), (2, None, 0), (0, 2, 3), (3, 1, 2), (1, 0, 3), (4, 3, 1),
]  # fmt: skip


def _clamped(f, *given):
    return [
        f(given[x], *(None if i is None else given[i] for i in bounds)) for x, *bounds in BOUNDS
    ]


def _clamped_right(np, *given):
    return [
        _both(np, *(None if i is None else given[i] for i in bounds), given[x])
        for x, *bounds in BOUNDS
    ]


CLAMPS = [(), (4,), (3, 4), (2, 3, 4), (2, 3, 4), (3, 4)], _clamped, _clamped_right

UNARY = {
    prefix + name: (ANY, lambda f, *xs: [f(x) for x in xs],
                    lambda np, *xs, name=name: [right.of("torch." + name)(np, x) for x in xs])
    for prefix, names in (("torch.", "exp log sqrt sin cos sigmoid abs"), ("torch.Tensor.", "exp log sqrt sin cos sigmoid"))
    for name in names.split()
}  # fmt: skip


def _parts(f, x, line):
    return [*f(x, 2), *f(x, 3, 1), *f(x, 2, -1), *f(x, 2, dim=-2), *f(line, 3), *f(line, 2, -1)]


def _chunks(np, x, line):
    cut = lambda x, size, axis: np.split(x, range(size, x.shape[axis], size), axis)  # noqa: E731
    return [*cut(x, 3, 0), *cut(x, 2, 1), *cut(x, 2, 2), *cut(x, 3, 1), *cut(line, 3, 0), *cut(line, 4, 0)]  # fmt: skip


def _split(np, x, line):
    cut = lambda x, size, axis: np.split(x, range(size, x.shape[axis], size), axis)  # noqa: E731
    return [*cut(x, 2, 0), *cut(x, 3, 1), *cut(x, 2, 2), *cut(x, 2, 1), *cut(line, 3, 0), *cut(line, 2, 0)]  # fmt: skip


def _soft(np, x, axis):
    x = np.exp(x - x.max(axis, keepdims=True, initial=-1e9))
    return x / x.sum(axis, keepdims=True)


def _soft_shapes(f, number, x, four, none):
    return [
        f(number, dim=0), f(number, dim=-1, dtype=number.dtype), f(x, dim=1), f(x, dim=-3), f(x, dim=1, dtype=x.dtype), f(four, dim=2),
        f(four, dim=0), f(none, dim=-1), f(none, dim=1), f(none, dim=0, dtype=none.dtype),
    ]  # fmt: skip


SOFT = [(), (2, 3, 4), (2, 3, 2, 4), NONE], _soft_shapes, lambda np, number, x, four, none: [
    np.ones(()), np.ones(()), _soft(np, x, 1), _soft(np, x, 0), _soft(np, x, 1), _soft(np, four, 2), _soft(np, four, 0), none, none, none]  # fmt: skip

SIZES = [(8, (2, 2, 2, 1, 1, 1, 1, 2)), (2, (4, 4)), (8, (-1, 2)), (4, (8, -1)), (0, ()), (0, (1,)), (0, (1, 1, 1, 1)), (0, (-1,)), (1, ()), (1, (1, 1)), (9, (3, 0, 2))]  # fmt: skip


def _sized(f, number, one, x, none):
    flat = {0: number, 1: one, 2: x, 4: x, 8: x, 9: none}
    return [f(flat[key], sizes) for key, sizes in SIZES] + [f(f(x, (2, 2, 1, 1, 1, 2, 2)), (4, 4))]


def _sized_right(np, number, one, x, none):
    flat = {0: number, 1: one, 2: x, 4: x, 8: x, 9: none}
    return [flat[key].reshape(sizes) for key, sizes in SIZES] + [x.reshape(4, 4)]


FORMS_BY_SIZE = [(), (1,), (4, 4), (2, 0, 3)], _sized, _sized_right

MOVES = {
    "torch.Tensor.transpose": (
        [(), (3,), (2, 3, 4)], lambda f, n, v, x: [f(n, 0, 0), f(n, -1, 0), f(v, 0, -1), f(x, -1, -2), f(x, 1, -2), f(x, 1, -3)],
        lambda np, n, v, x: [n, n, v, x.swapaxes(1, 2), x, x.swapaxes(0, 1)]),
    "torch.Tensor.permute": (
        [(), (3,), (1, 2, 3, 4), NONE], lambda f, n, v, x, none: [f(n, ()), f(v, (0,)), f(v, -1), f(x, (0, -2, -1, 1)), f(x, 2, 1, 3, 0), f(none, (2, 0, 1))],
        lambda np, n, v, x, none: [n, v, v, x.transpose(0, 2, 3, 1), x.transpose(2, 1, 3, 0), none.transpose(2, 0, 1)]),
    "torch.Tensor.flatten": (
        [(), (1,), (2, 3), (2, 3, 4), (2, 0, 1, 3, 2), (1, 2, 2, 1, 2, 1, 2, 1)],
        lambda f, n, v, m, x, none, many: [f(n), f(n, 0, -1), f(v, 0, -1), f(m, 1, 1), f(m, start_dim=1), f(x, start_dim=1, end_dim=-1), f(x, end_dim=1),
                                           f(x.transpose(0, -1), 1, 2), f(none, 1, 3), f(none, 3, 4), f(many, 0, 2), f(many, 3, -1), f(many, -2, -1),
                                           f(many.transpose(1, 4), 1, 4)],
        lambda np, n, v, m, x, none, many: [n.reshape(1), n.reshape(1), v, m, m, x.reshape(2, 12), x.reshape(6, 4), x.swapaxes(0, 2).reshape(4, 6),
                                            none.reshape(2, 0, 2), none.reshape(2, 0, 1, 6), many.reshape(4, 1, 2, 1, 2, 1), many.reshape(1, 2, 2, 4),
                                            many.reshape(1, 2, 2, 1, 2, 1, 2), many.swapaxes(1, 4).reshape(1, 8, 1, 2, 1)]),
    "torch.Tensor.unsqueeze": (
        [(), (3,), (2, 3, 4)], lambda f, n, v, x: [f(n, 0), f(n, -1), f(v, 1), f(v, -2), f(x, 1), f(x, -2), f(x, 3), f(x, -4)],
        lambda np, n, v, x: [n[None], n[None], v[:, None], v[None], x[:, None], x[:, :, None], x[..., None], x[None]]),
    "torch.Tensor.squeeze": (
        [(), (3, 1, 2, 1), (1, 1, 1)], lambda f, n, x, one: [f(n), f(n, 0), f(n, (0,)), f(x, ()), f(x, (1,)), f(x, (-1,)), f(x, (1, 3)), f(x, (0, 1, 2)), f(one), f(one, (0, 2)), f(one, -2)],
        lambda np, n, x, one: [n, n, n, x, x[:, 0], x[..., 0], x[:, 0, :, 0], x[:, 0], one[0, 0, 0], one[0, :, 0], one[:, 0]]),
    "torch.Tensor.expand": (
        [(), (1,), (3, 1), (3, 1, 2)],
        lambda f, n, v, m, x: [f(n, ()), f(n, (1, 3, 2)), f(v, (2, 3, 2)), f(m, (2, 3, 2)), f(x, (-1, 4, -1)), f(x, (-1, 3, 2)), f(x, (1, 3, 1, -1)), f(v, 0), f(m, (3, 0))],
        lambda np, n, v, m, x: [np.broadcast_to(*one) for one in (
            (n, ()), (n, (1, 3, 2)), (v, (2, 3, 2)), (m, (2, 3, 2)), (x, (3, 4, 2)), (x, (3, 3, 2)), (x, (1, 3, 1, 2)), (v, (0,)), (m, (3, 0)))]),
    "torch.Tensor.repeat": (
        [(), (2,), (2, 3), (0,), NONE],
        lambda f, n, v, m, none, empty: [f(n, ()), f(n, (2,)), f(n, (3, 2)), f(n, (0, 2)), f(v, (3,)), f(v, (0,)), f(v, (2, 1, 3)), f(v, (2, 0, 2, 1)), f(m, (2, 2)),
                                         f(m, (1, 2, 1)), f(m, (2, 0, 3)), f(none, (3,)), f(none, (2, 3)), f(empty, (2, 1, 2)), f(empty, (2, 1, 3, 1))],
        lambda np, n, v, m, none, empty: [np.tile(*one) for one in (
            (n, ()), (n, 2), (n, (3, 2)), (n, (0, 2)), (v, 3), (v, 0), (v, (2, 1, 3)), (v, (2, 0, 2, 1)), (m, (2, 2)), (m, (1, 2, 1)), (m, (2, 0, 3)),
            (none, 3), (none, (2, 3)), (empty, (2, 1, 2)), (empty, (2, 1, 3, 1)))]),
    "torch.Tensor.flip": (
        [(), (2, 3, 4), NONE], lambda f, n, x, none: [f(n, dims=()), f(x, dims=(0, 1, 2)), f(x, dims=(1,)), f(x, dims=(0, 2)), f(x, dims=(-2,)), f(x, dims=()), f(none, (0,)), f(none, (0, 1, 2)), f(none, ())],
        lambda np, n, x, none: [n, x[::-1, ::-1, ::-1], x[:, ::-1], x[::-1, :, ::-1], x[:, ::-1], x, none, none, none]),
    "torch.Tensor.unflatten": (
        [(8,), (3, 6, 2), (3, 2, 4), (4, 0)],
        lambda f, v, x, y, none: [f(v, 0, (8,)), f(v, -1, (2, 2, 2)), f(v, -1, (-1, 2)), f(x, 1, (2, 3)), f(x, -2, (-1, 3)), f(x, 1, (1, 3, 2)), f(y, 2, (2, 1, 2)), f(none, 1, (2, 0, 0, 0)), f(none, 0, (2, 2))],
        lambda np, v, x, y, none: [v, v.reshape(2, 2, 2), v.reshape(4, 2), x.reshape(3, 2, 3, 2), x.reshape(3, 2, 3, 2), x.reshape(3, 1, 3, 2, 2), y.reshape(3, 2, 2, 1, 2),
                                   none.reshape(4, 2, 0, 0, 0), none.reshape(2, 2, 0)]),
    "torch.Tensor.unbind": (
        [(3, 4), (2, 3, 4), NONE], lambda f, m, x, none: [*f(m, -1), *f(x, -2), *f(x, dim=2), *f(none, 0), *f(none, -1)],
        lambda np, m, x, none: [*m.T, *x.swapaxes(0, 1), *x.transpose(2, 0, 1), *none, *none.transpose(2, 0, 1)]),
    "torch.Tensor.repeat_interleave": (
        [(), (2, 3, 4)], lambda f, n, x: [f(n, repeats=2), f(x, repeats=2), f(x, repeats=3, dim=-2), f(x, 2, dim=1, output_size=6)],
        lambda np, n, x: [np.repeat(n, 2), np.repeat(x, 2), np.repeat(x, 3, 1), np.repeat(x, 2, 1)]),
    "torch.stack": (
        [(3, 4), (1, 2, 1, 3), (1, 2, 1, 3), (0, 1, 0)],
        lambda f, m, x, y, none: [f([m], 0), f([m], dim=1), f([m], -1), *(f([x, y, x], axis) for axis in range(-5, 5)), f([none, none], -1), f([none, none], 1)],
        lambda np, m, x, y, none: [np.stack([m], axis) for axis in (0, 1, -1)] + [np.stack([x, y, x], axis) for axis in range(-5, 5)] + [np.stack([none] * 2, axis) for axis in (-1, 1)]),
    **{name: ([(5, 5, 4), (7,)], _parts, _chunks) for name in ("torch.chunk", "torch.Tensor.chunk")},
    "torch.split": ([(5, 5, 4), (7,)], lambda f, x, line: [*_parts(f, x, line), *f(x, (2, 0, 3), -2), *f(x, split_size_or_sections=[1, 3], dim=2)],
                    lambda np, x, line: [*_split(np, x, line), x[:, :2], x[:, :0], x[:, 2:], x[:, :, :1], x[:, :, 1:]]),
    **dict.fromkeys(("torch.Tensor.view", "torch.Tensor.reshape"), FORMS_BY_SIZE),
}  # fmt: skip

CHOICES = {
    "torch.where": (
        [(), (3, 1, 4), (3, 3, 1), (1, 1), (2, 4)],
        lambda f, n, x, y, one, m: [f(x[:, 0] > 1, x, y), f(n > 0, n, n), f(n > 1, x, y), f(m > 1, n, n), f(m[0] > 1, n, one), f(m > 1, m, x), f(x > 1, m[0], 2.5),
                                    f(x > 1, n, 2), f(m[:0] > 1, m[:0], n), f(x[:0] > 1, x[:0], 1.5)],
        lambda np, n, x, y, one, m: [np.where(x[:, 0] > 1, x, y), n, np.where(n > 1, x, y), np.broadcast_to(n, (2, 4)), np.where(m[0] > 1, n, one), np.where(m > 1, m, x),
                                     np.where(x > 1, m[0], 2.5), np.where(x > 1, n, 2), m[:0], x[:0]]),
    "torch.Tensor.masked_fill": (
        [(), (4,), (3, 4)],
        lambda f, n, v, m: [f(n, n > 0, 7), f(n, n > 9, n), f(m, n > 0, 7), f(m, m > 1, 2.5), f(v, m > 1, n), f(v, m > 1, 7), f(m, v > 1, n), f(m[:0], m[:0] > 1, 7)],
        lambda np, n, v, m: [np.full((), 7), n, np.full((3, 4), 7), np.where(m > 1, 2.5, m), np.where(m > 1, n, v), np.where(m > 1, 7, v), np.where(v > 1, n, m), m[:0]]),
}  # fmt: skip

SMOOTH = {
    "torch.mean": _reduced_right("mean"),
    "torch.Tensor.sum": _reduced_right("sum"),
    "torch.max": _extremes("max"),
    "torch.min": _extremes("min"),
    "torch.clamp": CLAMPS,
    "torch.Tensor.clamp": CLAMPS,
    "torch.Tensor.softmax": SOFT,
    "torch.nn.functional.softmax": SOFT,
    "torch.einsum": (
        [(3,), (2, 3), (1, 3), (1, 2, 3), (1, 3, 4), (4, 4), (1, 3, 1), (3, 3)],
        lambda f, v, m, row, c, d, e, i, h: [f("i->", [v]), f("ij,kj->ik", [m, row]), f("ij,Ab->ijAb", m, e), f("aij,ajk->aik", [c, d]), f("aij,jk->aik", [d, e]), f("ijk,ik->j", c, row),
                                             f("iji->j", i), f("i...->...", h), f("...ik, ...j -> ij", c, v), f("...ii->...i", h), f("ij,jk,kl->il", [m, d[0], e])],
        lambda np, v, m, row, c, d, e, i, h: [v.sum(), m @ row.T, m[:, :, None, None] * e, c @ d, d @ e, (c * row[:, None]).sum((0, 2)), i[0, :, 0], h.sum(0),
                                              c.sum((0, 2))[:, None] * v, np.diagonal(h), m @ d[0] @ e]),
    "torch.matmul": (
        [(4,), (3,), (2, 3, 3, 4), (2, 1, 4, 3), (2, 3, 0), (0, 2)],
        lambda f, v, w, x, y, none, thin: [f(x, y), f(x, v), f(w, x), f(v, y), f(none, thin), f(thin, thin.mT), f(thin.mT, thin), f(none[:, :0], thin), f(x[:0], y[:0])],
        lambda np, v, w, x, y, none, thin: [x @ y, x @ v, w @ x, v @ y, none @ thin, thin @ thin.T, thin.T @ thin, none[:, :0] @ thin, x[:0] @ y[:0]]),
    "torch.Tensor.norm": (
        [(), (4,), (3, 4), (2, 3, 4)],
        lambda f, n, v, m, x: [f(n, 2, 0), f(n, 3, 0, True), f(v, 1.5, -1, True), f(m, 0.5), f(m, -0.5), f(m, -1.5), f(m, -2, 1), f(m, -1, -1), f(m, 3, 1), f(m, float("inf"), 1), f(m, float("-inf"), -1),
                               f(x, 1.5), f(x, 1.5, 1), f(x, 1.5, -1, True), f(x, 2, 1, True), f(x, 3, -2, True), f(x, p=2, dim=(0, 2)), f(x, "fro", (0, 1))],
        lambda np, n, v, m, x: [abs(n), abs(n), _norm(np, v, 1.5, -1, True), _norm(np, m, 0.5), _norm(np, m, -0.5), _norm(np, m, -1.5), _norm(np, m, -2, 1), _norm(np, m, -1, -1), _norm(np, m, 3, 1),
                                m.max(1), m.min(1), _norm(np, x, 1.5), _norm(np, x, 1.5, 1), _norm(np, x, 1.5, -1, True), _norm(np, x, 2, 1, True), _norm(np, x, 3, 1, True), _norm(np, x, 2, (0, 2)),
                                _norm(np, x, 2, (0, 1))]),
    **UNARY,
}  # fmt: skip


def _norm(np, x, p, axis=None, keep=False):
    return (x**p).sum(axis, keepdims=keep) ** (1 / p)  # of positive numbers


def _changed(f, n, v, m, x, y, none):
    """In place, of copies: the second is broadcast to the first."""
    return [
        f(n.clone(), 2 * n), f(n.clone(), 2), f(v.clone(), n), f(v.clone(), 0.5), f(x.clone(), n), f(x.clone(), v), f(x.clone(), m), f(x.clone(), y),
        f(x.transpose(0, 2).clone(), y.transpose(0, 2)), f(x.clone(), y[:, :1]), f(none.clone(), none), f(none.clone(), 2.5), f(v[:0].clone(), v[:0]),
    ]  # fmt: skip


def _changed_right(two):
    return [(), (4,), (3, 4), (2, 3, 4), (2, 3, 4), NONE], _changed, lambda np, n, v, m, x, y, none: [
        two(n, 2 * n), two(n, 2), two(v, n), two(v, 0.5), two(x, n), two(x, v), two(x, m), two(x, y), two(x, y).swapaxes(0, 2), two(x, y[:, :1]), none, none, v[:0]]  # fmt: skip


CHOICES["torch.Tensor.add_"] = _changed_right(lambda x, y: x + y)
CHOICES["torch.Tensor.mul_"] = _changed_right(lambda x, y: x * y)
CHOICES["torch.Tensor.masked_fill_"] = (
    [(), (4,), (3, 4)],
    lambda f, n, v, m: [f(n.clone(), n > 0, 7), f(n.clone(), n > 9, n), f(m.clone(), n > 0, 7), f(m.clone(), m > 1, 2.5), f(m.clone(), v > 1, n), f(v.clone(), n > 9, 7), f(m[:0].clone(), m[:0] > 1, 7)],
    lambda np, n, v, m: [np.full((), 7), n, np.full((3, 4), 7), np.where(m > 1, 2.5, m), np.where(v > 1, n, m), v, m[:0]],
)  # fmt: skip


def _bordered(np, x, pad, mode="constant", value=0):
    """Negative sizes are cut off first."""
    pairs = list(zip(pad[::2], pad[1::2]))[::-1]
    pairs = [(0, 0)] * (x.ndim - len(pairs)) + pairs
    cut = x[tuple(slice(max(-a, 0), n - max(-b, 0)) for (a, b), n in zip(pairs, x.shape))]
    pairs = [(max(a, 0), max(b, 0)) for a, b in pairs]
    if mode == "constant":
        return np.pad(cut, pairs, constant_values=value)
    return np.pad(cut, pairs, _MODES[mode])


PADS = [  # which of the drawn ones, and how
    (0, (1, 2), "constant", 1.0), (0, (0, 2, 0, 1), "constant", 2.0), (0, (-1, -2, 1, 1), "constant", 1.0), (1, (2, 2)), (1, (0, 1), "constant", 2.0),
    (1, (0, 2, 0, 1), "constant", 1.0), (1, (1, 1, 1, 1, 1, 1), "constant", 2.0), (2, (1, 2), "constant", 1.0), (2, (1, 1, 1, 1, 1, 1), "constant", 2.0),
    (3, (0, 2, 0, 1), "constant", 1.0), (3, (1, 1, 1, 1, 1, 1), "constant", 1.0), (4, (1, 2), "constant", 1.0), (4, (1, 1, 1, 1, 1, 1), "constant", 2.0),
    (4, (-1, 1, -2, 1), "constant", 1.0), (5, (0, 1), "constant", 2.0), (5, (1, 1, 1, 1, 1, 1), "constant", 1.0),
    *((at, pad, mode) for mode in ("reflect", "replicate") for at, pad in (
        (0, (1, 2)), (1, (0, 1)), (1, (0, 2, 0, 1)), (2, (1, 2)), (3, (0, 2, 0, 1)), (4, (0, 2, 0, 1)), (4, (1, 1, 1, 1, 1, 1)), (5, (1, 1, 1, 1, 1, 1)), (4, (-1, 1, -2, 1)))),
    *((at, pad, "circular") for at, pad in ((1, (1, 2)), (2, (0, 1)), (3, (0, 2, 0, 1)), (4, (0, 2, 0, 1)), (5, (1, 1, 1, 1, 1, 1)), (4, (-1, 1, -2, 1)))),
]  # fmt: skip
MOVES["torch.nn.functional.pad"] = (
    [(2, 4), (1, 3, 3), (0, 3, 3), (0, 2, 3, 3), (2, 2, 4, 4), (1, 2, 3, 3, 3)],
    lambda f, *xs: [f(xs[at], *how) for at, *how in PADS],
    lambda np, *xs: [_bordered(np, xs[at], *how) for at, *how in PADS],
)

FORMS = {**MOVES, **CHOICES, **SMOOTH}
each = each_of(FORMS)


# What turns where two numbers are equal.
TURNS = [*CHOICES, "torch.max", "torch.min", "torch.clamp", "torch.Tensor.clamp"]


def _apart(drawn):
    """Of whole numbers some near one, of which none are equal, in whichever inputs."""
    return [(x + number / 8 + 40) / 32 for number, x in enumerate(drawn)]


def _affine(form):
    return with_gradient(form[2], affine_pull(form[2]))


def _turning(form):
    return with_gradient(lambda np, *drawn: form[2](np, *_apart(drawn)))


@each(MOVES, _affine, dtypes="f32 f64", grad=True)
@each([name for name in SMOOTH if name not in TURNS], lambda form: with_gradient(form[2]), dtypes="f32 f64", grad=True)  # fmt: skip
@each(TURNS, _turning, dtypes="f32 f64", grad=True)
def by_shape(t, dtype, function):
    """What the framework's own samples try: each shape with each way to say the axes."""
    shapes, run, _ = FORMS[function]
    f = t.get(function)
    if function in TURNS:
        drawn = [t.distinct(shape, dtype) for shape in shapes]
        return t.call(lambda *drawn: run(f, *_apart(drawn)), *drawn)
    return t.call(lambda *drawn: run(f, *drawn), *(t.uniform(shape, dtype, 0.5, 2) for shape in shapes))  # fmt: skip


@each(MOVES, lambda form: form[2], dtypes="i64", trivial=True)
@each(
    sorted(set(MOVES) - {"torch.nn.functional.pad"}),
    lambda form: form[2],
    dtypes="bool",
    trivial=True,
)
def moved_by_shape(t, dtype, function):
    shapes, run, _ = FORMS[function]
    f = t.get(function)
    return t.call(lambda *drawn: run(f, *drawn), *(t.randn(shape, dtype) for shape in shapes))


# --- what makes tensors of no input, or in the likeness of one

WHOLE = [(-1, 2, 2), (2, -3, -1), (1, 1, 1), (1, 1, -1), (0, -8, -4), (1, 5, 2), (False, True, True), (0, 1), (3,), (0, 10000)]  # fmt: skip
PARTS = [(0.0, -8 - 1e-6, -4.0), (1.0, 5 + 1e-6, 2.0), (0.0, -8.0, -4.0), (1.0, 5.0, 2.0), (-0.9, 2.1, 2.0), (2.1, -2.9, -1.0), (1.1, 1.1, -1.0), (3.1,)]  # fmt: skip


@case("torch.arange", dtypes="f32 f64 i64 i32", core=False, reference=lambda np: [
      *(np.arange(*(int(end) for end in ends)) for ends in WHOLE), np.arange(3)])  # fmt: skip
def by_whole_ends(t, dtype):
    options = {"dtype": t.dtype(dtype), "device": t.device}
    made = [t.call("torch.arange", *ends, **options) for ends in WHOLE]
    return [*made, t.call("torch.arange", 0, end=3, **options)]


@case("torch.arange", dtypes="f32 f64", core=False, reference=lambda np: [np.arange(*ends) for ends in PARTS])  # fmt: skip
def by_fractional_ends(t, dtype):
    """An end just behind a step belongs to it, and one on a step does not."""
    return [t.call("torch.arange", *ends, dtype=t.dtype(dtype), device=t.device) for ends in PARTS]


ENDS = [(start, end, n) for start in (-2.0, 0, 4.3, 50) for end in (-3, 0, 1, 4, 50) for n in (0, 1, 50)]  # fmt: skip


@case("torch.linspace", dtypes="f32 f64", core=False, reference=lambda np, start: [
      *(np.linspace(*ends) for ends in ENDS), np.linspace(0, 7, 50), np.linspace(4.25, -3, 50)])  # fmt: skip
def between_many_ends(t, dtype):
    """Up, down and nowhere, in no step, one and many; from a tensor."""
    options = {"dtype": t.dtype(dtype), "device": t.device}
    made = [t.call("torch.linspace", *ends, **options) for ends in (*ENDS, (0, 7, 50))]
    return [*made, t.call("torch.linspace", t.const(4.25, dtype), -3, 50, **options)]


def _filled(number):
    return lambda np, n, x, none: [np.full(one.shape, number) for one in (n, x, none)] * 2


@case("torch.full_like", dtypes="f32 i64", core=False, reference=_filled(3), name="like_each_shape")
@case("torch.ones_like", dtypes="f32 i64", core=False, reference=_filled(1), name="like_each_shape")
@case("torch.zeros_like", dtypes="f32 i64", core=False, trivial=True, reference=_filled(0), name="like_each_shape")  # fmt: skip
def like_each_shape(t, dtype, function):
    """Like a number, four axes, and nothing between axes; in another dtype, on the CPU."""
    drawn, more = [t.randn(shape, dtype) for shape in ((), (2, 3, 1, 2), (2, 0, 3))], {}
    if function == "torch.full_like":
        more["fill_value"] = 3
    made = [t.call(function, one, **more) for one in drawn]
    wide = [t.call(function, one, dtype=t.fw.float64, **more) for one in drawn]
    t.expect(all(one.dtype is t.fw.float64 for one in wide), "the dtype asked for")
    return [*made, *(one.to(t.dtype(dtype)) for one in wide)]


@case("torch.Tensor.new_zeros", dtypes="f32 i64", core=False, trivial=True, reference=lambda np, n, v, none: [
      np.zeros(shape) for shape in ((), (2, 0), (3, 2, 2), (10,), (1, 1, 12))])  # fmt: skip
def new_by_shape(t, dtype):
    """Of a number, a vector and nothing: each size from each."""
    n, v, none = (t.randn(shape, dtype) for shape in ((), (4,), (0, 4, 0)))
    given = (n, ()), (v, (2, 0)), (none, (3, 2, 2)), (v, 10), (v, (1, 1, 12))
    return [t.call("torch.Tensor.new_zeros", x, size) for x, size in given]


@case("torch.equal", dtypes="f32 i64 bool", core=False, reference="none")
def numbers_beside_axes(t, dtype):
    """A number equals no vector and no matrix, whatever they hold; shapes are not broadcast."""
    one = t.const(1, dtype)
    for other in (one[None], one.expand(2, 3), one[None, None], one.expand(0)):
        t.expect(t.call("torch.equal", one, other) is False, "not %s" % (tuple(other.shape),))
        t.expect(t.call("torch.equal", other, one) is False, "nor the other way")
    t.expect(t.call("torch.equal", one, one.clone()) is True, "another number")
    t.expect(t.call("torch.equal", one.expand(2, 3), one.clone().expand(2, 3)) is True, "matrices")


@case("torch.Tensor.masked_fill_", core=False, reference="none")
def larger_masks_and_other_values(t):
    """Nothing is broadcast in place: a mask with more axes; values that are no number, or complex."""
    x, mask = t.randn((3,), "f32"), t.randn((2, 3), "bool")
    t.raises(RuntimeError, t.call, "torch.Tensor.masked_fill_", x, mask, 1)
    t.raises(RuntimeError, t.call, "torch.Tensor.masked_fill_", x, mask[0], t.randn((1,), "f32"))
    t.raises(RuntimeError, t.call, "torch.Tensor.masked_fill_", x, mask[0], 1j)


@case("torch.arange", core=False, reference="none")
def ends_in_the_wrong_order(t):
    """Of large integers, and infinite at the start."""
    for ends in ((1549556900, 1549556828, 1989724), (0, -3, 2), (0, 3, -2), (float("-inf"), 1, 2)):
        t.raises(RuntimeError, t.call, "torch.arange", *ends, device=t.device)


@case("torch.Tensor.float", dtypes="i64 f64 f32 bool", core=False, trivial=True, reference=lambda np, n, x, y: [n, n, x, y, x.swapaxes(0, 2), x])  # fmt: skip
def in_each_format(t, dtype):
    """A number, an image and a volume in a format that is asked for; a transpose that keeps its strides, or gets plain ones."""
    n, x, y = t.randn((), dtype), t.randn((2, 3, 4, 5), dtype), t.randn((2, 3, 2, 2, 3), dtype)
    fw, to = t.fw, "torch.Tensor.float"
    made = [
        t.call(to, n, memory_format=order) for order in (fw.preserve_format, fw.contiguous_format)
    ]
    made.append(t.call(to, x, memory_format=fw.channels_last))
    made.append(t.call(to, y, memory_format=fw.channels_last_3d))
    t.expect(made[2].is_contiguous(memory_format=fw.channels_last), "an image of channels last")
    t.expect(made[3].is_contiguous(memory_format=fw.channels_last_3d), "a volume of channels last")
    turned = x.transpose(0, 2)
    made.append(t.call(to, turned))
    t.expect(made[4].stride() == turned.stride(), "the strides of the transpose")
    made.append(t.call(to, x, memory_format=fw.contiguous_format))
    return made


@case("torch.gather", core=False, reference="none")
def not_into_what_is_read(t):
    """out= that is the input, a part of the index, or one number three times; indices of more axes than the input."""
    index, x = t.const([2, 1, 0], "i64"), t.randn((6,), "f32")
    t.raises(RuntimeError, t.call, "torch.gather", x, 0, index, out=t.randn((1,), "f32").expand(3))
    t.raises(RuntimeError, t.call, "torch.gather", x, 0, index, out=x)
    t.raises(RuntimeError, t.call, "torch.gather", index.clone(), 0, index[1:], out=index[:2])
    t.raises(RuntimeError, t.call, "torch.gather", x, 0, index[None])
    t.raises(RuntimeError, t.call, "torch.gather", x[None, :1], 1, index[:, None])


@case("torch.Tensor.zero_", dtypes="f32 i64 bool c64", core=False, trivial=True, reference=lambda np, n, x, none: [0 * n, 0 * x, none])  # fmt: skip
def zeros_by_shape(t, dtype):
    """Of a number, a transpose of three axes, nothing."""
    n, x, none = (t.randn(shape, dtype) for shape in ((), (2, 3, 4), NONE))
    t.call("torch.Tensor.zero_", x.transpose(0, 2))
    return [t.call("torch.Tensor.zero_", n), x, t.call("torch.Tensor.zero_", none)]


def _over_three(np, x, weight=1, bias=0, affine=None):
    far = x - x.mean((1, 2, 3), keepdims=True)
    return far / np.sqrt((far**2).mean((1, 2, 3), keepdims=True) + 1e-3) * weight + bias


@case("torch.nn.LayerNorm", dtypes="f32 f64", affine=["weight and bias", "weight", "nothing"], grad=True, core=False,
      rtol={"f32": 1e-4}, atol={"f32": 1e-4}, reference=with_gradient(_over_three, of=(0,)))  # fmt: skip
def over_three_axes(t, dtype, affine):
    """Sums of 20 numbers; with weights and biases, with weights alone, with neither."""
    options = {"elementwise_affine": affine != "nothing", "bias": affine == "weight and bias"}
    layer = t.construct("torch.nn.LayerNorm", [2, 2, 5], 1e-3, dtype=dtype, **options)
    return t.call(layer, t.randn((4, 2, 2, 5), dtype))
