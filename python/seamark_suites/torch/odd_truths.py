"""Truths whose bytes are neither zero nor one, as other programs leave them: each is true, and the functions must take it so."""

from seamark_suites.transformed import each_of, leaves

from . import reference_pointwise as right
from .transformed import softmax

T = "torch.Tensor."
POINTS = ["exp", "log", "sqrt", "sin", "cos", "sigmoid"]
PLACES = [[3, 0], [1, 1], [2, 0]]


def numbers(np, x):
    return x.astype("float64")


def _point(name):
    return lambda t, f, x, y: f(x), lambda np, x, y: right.of("torch." + name)(np, numbers(np, x))


def of_places(t):
    return t.fw.tensor(PLACES, device=t.device)


# How a function is called of two arrays of truths, and what it gives.
FORMS = {
    **{"torch." + name: _point(name) for name in POINTS},
    **{T + name: _point(name) for name in POINTS},
    T + "add_": (lambda t, f, x, y: [f(x.clone(), y), f(t.fw.full((3, 4), 2.5, device=t.device), x), f(t.fw.ones(3, 4, dtype=t.fw.int32, device=t.device), x)],
                 lambda np, x, y: [x | y, 2.5 + x, 1 + x.astype(int)]),
    T + "mul_": (lambda t, f, x, y: [f(x.clone(), y), f(t.fw.full((3, 4), 2.5, device=t.device), x), f(t.fw.full((3, 4), 3, device=t.device), x)],
                 lambda np, x, y: [x & y, 2.5 * x, 3 * x]),
    **dict.fromkeys(("torch.chunk", T + "chunk"), (lambda t, f, x, y: f(x, 2, 1), lambda np, x, y: np.split(x, 2, 1))),
    "torch.split": (lambda t, f, x, y: f(x, [1, 3], 1), lambda np, x, y: np.split(x, [1], 1)),
    "torch.stack": (lambda t, f, x, y: f([x, y], 1), lambda np, x, y: np.stack([x, y], 1)),
    "torch.gather": (lambda t, f, x, y: f(x, 1, of_places(t)), lambda np, x, y: np.take_along_axis(x, np.array(PLACES), 1)),
    "torch.where": (lambda t, f, x, y: [f(x, t.fw.full((3, 4), 2.5, device=t.device), 1.5), f(x, y, x), *f(x[0])],
                    lambda np, x, y: [np.where(x, 2.5, 1.5), np.where(x, y, x), *np.where(x[0])]),
    "torch.max": (lambda t, f, x, y: [f(x), f(x, 1)[0], f(x, y), f(x[0].clone(), 0)[0]], lambda np, x, y: [x.max(), x.max(1), x | y, x[0].max()]),
    "torch.min": (lambda t, f, x, y: [f(x), f(x, 1)[0], f(x, y), f(x[0].clone(), 0)[0]], lambda np, x, y: [x.min(), x.min(1), x & y, x[0].min()]),
    "torch.mean": (lambda t, f, x, y: f(x, 1, dtype=t.fw.float32), lambda np, x, y: x.mean(1)),
    **dict.fromkeys((T + "softmax", "torch.nn.functional.softmax"), (
        lambda t, f, x, y: f(x, -1, dtype=t.fw.float32), lambda np, x, y: softmax(np, numbers(np, x)))),
    "torch.nn.functional.pad": (lambda t, f, x, y: [f(x, (1, 2), value=True), f(x[None], (1, 2), mode="circular")],
                                lambda np, x, y: [np.pad(x, ((0, 0), (1, 2)), constant_values=True), np.pad(x, ((0, 0), (1, 2)), "wrap")[None]]),
    T + "masked_fill": (lambda t, f, x, y: [f(t.fw.full((3, 4), 2.5, device=t.device), x, 1.5), f(x, y, True), f(x, y, False)],
                        lambda np, x, y: [np.where(x, 1.5, 2.5), x | y, x & ~y]),
    T + "masked_fill_": (lambda t, f, x, y: [f(t.fw.full((3, 4), 2.5, device=t.device), x, 1.5), f(x.clone(), y, True), f(x.clone(), y, False)],
                         lambda np, x, y: [np.where(x, 1.5, 2.5), x | y, x & ~y]),
    T + "sum": (lambda t, f, x, y: [f(x), f(x, 1), f(x, 0), f(x, 0, dtype=t.fw.float32)], lambda np, x, y: [x.sum(), x.sum(1), x.sum(0), x.sum(0)]),
    T + "float": (lambda t, f, x, y: [f(x), f(y.mT)], lambda np, x, y: [numbers(np, x), numbers(np, y.T)]),
    T + "type_as": (lambda t, f, x, y: [f(x, t.fw.ones(1, device=t.device)), f(x, y)], lambda np, x, y: [numbers(np, x), x]),
    T + "expand": (lambda t, f, x, y: f(x, 2, 3, 4), lambda np, x, y: np.broadcast_to(x, (2, 3, 4))),
    T + "expand_as": (lambda t, f, x, y: f(x[:1], y), lambda np, x, y: np.broadcast_to(x[:1], (3, 4))),
    T + "flip": (lambda t, f, x, y: f(x, (0, 1)), lambda np, x, y: x[::-1, ::-1]),
    T + "permute": (lambda t, f, x, y: f(x, 1, 0), lambda np, x, y: x.T),
    T + "transpose": (lambda t, f, x, y: f(x, 0, 1), lambda np, x, y: x.T),
    T + "t": (lambda t, f, x, y: f(x), lambda np, x, y: x.T),
    T + "view": (lambda t, f, x, y: f(x, 2, 6), lambda np, x, y: x.reshape(2, 6)),
    T + "reshape": (lambda t, f, x, y: f(x.mT, 2, 6), lambda np, x, y: x.T.reshape(2, 6)),
    T + "flatten": (lambda t, f, x, y: f(x.mT), lambda np, x, y: x.T.reshape(-1)),
    T + "unflatten": (lambda t, f, x, y: f(x, 1, (2, 2)), lambda np, x, y: x.reshape(3, 2, 2)),
    T + "squeeze": (lambda t, f, x, y: f(x[:, None]), lambda np, x, y: x),
    T + "unsqueeze": (lambda t, f, x, y: f(x, 1), lambda np, x, y: x[:, None]),
    T + "unbind": (lambda t, f, x, y: f(x, 1), lambda np, x, y: list(x.T)),
    T + "index_select": (lambda t, f, x, y: f(x, 1, of_places(t)[0]), lambda np, x, y: x[:, PLACES[0]]),
    T + "repeat": (lambda t, f, x, y: f(x, 2, 1), lambda np, x, y: np.tile(x, (2, 1))),
    T + "repeat_interleave": (lambda t, f, x, y: f(x, 2, 1), lambda np, x, y: x.repeat(2, 1)),
    T + "zero_": (lambda t, f, x, y: [f(x.clone()), x], lambda np, x, y: [0 * x, x]),
    "torch.equal": (lambda t, f, x, y: [f(x, _plain(t, x)), f(_plain(t, x), x), f(x, ~_plain(t, x))], lambda np, x, y: [True, True, False]),
}  # fmt: skip
each = each_of(FORMS)


def _plain(t, x):
    """The same truths in bytes of zero and one."""
    return x.clone().view(t.fw.uint8) != 0


def _told(form):
    return lambda np, raw, x, more, y: leaves(np, form[1](np, x, y))


@each(FORMS, _told, dtypes="f32", trivial=True)
def of_odd_truths(t, dtype, function):
    f, fw = t.get(function), t.fw

    def odd():
        raw, some = t.randint((3, 4), "u8", 2, 256), t.randn((3, 4), "bool")
        return fw.where(some, raw, fw.zeros_like(raw)).view(fw.bool)

    made = t.call(lambda x, y: FORMS[function][0](t, f, x, y), odd(), odd())
    made = list(made) if isinstance(made, (tuple, list)) else [made]
    truths = [isinstance(one, fw.Tensor) and one.dtype is fw.bool for one in made]
    return [_plain(t, one) if is_truth else one for one, is_truth in zip(made, truths)]
