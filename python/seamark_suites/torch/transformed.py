"""What PyTorch's own tests ask of every operator: derivatives in forward mode, second derivatives, batches by vmap, NaN."""

from seamark_suites.transformed import each_of, forward, placed, plain, second, stacked

from .reference_pointwise import sigmoid

INF, NAN = float("inf"), float("nan")


def softmax(np, x):
    made = np.exp(x - x.max(-1, keepdims=True))
    return made / made.sum(-1, keepdims=True)


def normalized(np, x, axes):
    centered = x - x.mean(axes, keepdims=True)
    return centered / np.sqrt((centered**2).mean(axes, keepdims=True) + 1e-5)


def convolved(np, x, w):
    n = x.shape[-1] - w.shape[-1] + 1
    return sum(np.einsum("bit,oi->bot", x[..., k : k + n], w[..., k]) for k in range(w.shape[-1]))


def entropy(np, x):
    """The classes of the rows are 0, 1, 2, 0."""
    return -np.log(softmax(np, x))[[0, 1, 2, 3], [0, 1, 2, 0]].mean()


def layer(t, module, x, weight):
    """What a module gives with another weight."""
    return t.fw.func.functional_call(module, {"weight": weight}, (x,))


def zeroed(zero, x):
    """With zeros in the first two columns, in place."""
    zero(x[:, :2])
    return x


def pair(t, values):
    return t.fw.tensor(values, device=t.device)


# How a function is called, what it gives, and the shapes of its inputs.
FORMS = {
    "torch.cat": (lambda t, f, x, y: f([x, y], 1), lambda np, x, y: np.concatenate([x, y], 1), [(3, 4), (3, 2)]),
    "torch.stack": (lambda t, f, x, y: f([x, y], 1), lambda np, x, y: np.stack([x, y], 1), [(3, 4), (3, 4)]),
    "torch.matmul": (lambda t, f, x, y: f(x, y), lambda np, x, y: x @ y, [(3, 4), (4, 2)]),
    "torch.einsum": (lambda t, f, x, y: f("ij,kj->ik", x, y), lambda np, x, y: x @ y.T, [(3, 4), (2, 4)]),
    "torch.where": (lambda t, f, x, y: f(x > y, x, y), lambda np, x, y: np.where(x > y, x, y), [(3, 4), (3, 4)]),
    "torch.gather": (lambda t, f, x: f(x, 1, pair(t, [[0, 3], [1, 1], [2, 0]])),
                     lambda np, x: np.take_along_axis(x, np.array([[0, 3], [1, 1], [2, 0]]), 1), [(3, 4)]),
    "torch.nn.Linear": (lambda t, f, x, w: layer(t, f, x, w), lambda np, x, w: x @ w.T, [(3, 4), (2, 4)]),
    "torch.nn.Conv1d": (lambda t, f, x, w: layer(t, f, x, w), convolved, [(2, 2, 4), (3, 2, 2)]),
    "torch.nn.Conv2d": (lambda t, f, x, w: layer(t, f, x[:, :, None], w[:, :, None])[:, :, 0],
                        convolved, [(2, 2, 4), (3, 2, 2)]),
    "torch.nn.Embedding": (lambda t, f, w: layer(t, f, pair(t, [2, 0, 2]), w), lambda np, w: w[[2, 0, 2]], [(4, 3)]),
    "torch.nn.LayerNorm": (lambda t, f, x: f(x), lambda np, x: normalized(np, x, -1), [(3, 4)]),
    "torch.nn.RMSNorm": (lambda t, f, x: f(x),
                         lambda np, x: x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5), [(3, 4)]),
    "torch.nn.BatchNorm2d": (
        lambda t, f, x: f(x[..., None])[..., 0],
        lambda np, x: normalized(np, x, (0, 2)), [(2, 2, 3)]),
    "torch.nn.CrossEntropyLoss": (lambda t, f, x: f(x, pair(t, [0, 1, 2, 0])), entropy, [(4, 3)]),
    "torch.nn.ReLU": (lambda t, f, x: f(x - 1), lambda np, x: np.maximum(x - 1, 0), [(3, 4)]),
    "torch.nn.SiLU": (lambda t, f, x: f(x), lambda np, x: x * sigmoid(np, x), [(3, 4)]),
    "torch.nn.functional.pad": (lambda t, f, x: f(x, (1, 2)), lambda np, x: np.pad(x, ((0, 0), (1, 2))), [(3, 4)]),
    "torch.nn.functional.softmax": (lambda t, f, x: f(x, -1), softmax, [(3, 4)]),
    "torch.nn.functional.interpolate": (lambda t, f, x: f(x, scale_factor=2.0), lambda np, x: x.repeat(2, -1), [(2, 2, 3)]),
    "torch.sum": (lambda t, f, x: f(x, 1), lambda np, x: x.sum(1), [(3, 4)]),
    "torch.mean": (lambda t, f, x: f(x, 1), lambda np, x: x.mean(1), [(3, 4)]),
    "torch.max": (lambda t, f, x: f(x, 1)[0], lambda np, x: x.max(1), [(3, 4)]),
    "torch.min": (lambda t, f, x: f(x, 1)[0], lambda np, x: x.min(1), [(3, 4)]),
    "torch.exp": (lambda t, f, x: f(x), lambda np, x: np.exp(x), [(3, 4)]),
    "torch.log": (lambda t, f, x: f(x), lambda np, x: np.log(x), [(3, 4)]),
    "torch.sqrt": (lambda t, f, x: f(x), lambda np, x: np.sqrt(x), [(3, 4)]),
    "torch.sin": (lambda t, f, x: f(x), lambda np, x: np.sin(x), [(3, 4)]),
    "torch.cos": (lambda t, f, x: f(x), lambda np, x: np.cos(x), [(3, 4)]),
    "torch.sigmoid": (lambda t, f, x: f(x), lambda np, x: sigmoid(np, x), [(3, 4)]),
    "torch.abs": (lambda t, f, x: f(x - 1), lambda np, x: abs(x - 1), [(3, 4)]),
    "torch.clamp": (lambda t, f, x: f(x, 0.8, 1.5), lambda np, x: np.clip(x, 0.8, 1.5), [(3, 4)]),
    "torch.chunk": (lambda t, f, x: f(x, 2, 1), lambda np, x: np.split(x, 2, 1), [(3, 4)]),
    "torch.split": (lambda t, f, x: f(x, [1, 3], 1), lambda np, x: np.split(x, [1], 1), [(3, 4)]),
    "torch.Tensor.unsqueeze": (lambda t, f, x: f(x, 1), lambda np, x: x[:, None], [(3, 4)]),
    "torch.Tensor.permute": (lambda t, f, x: f(x, (1, 0)), lambda np, x: x.T, [(3, 4)]),
    "torch.Tensor.transpose": (lambda t, f, x: f(x, 0, 1), lambda np, x: x.T, [(3, 4)]),
    "torch.Tensor.t": (lambda t, f, x: f(x), lambda np, x: x.T, [(3, 4)]),
    "torch.Tensor.view": (lambda t, f, x: f(x, (2, 6)), lambda np, x: x.reshape(2, 6), [(3, 4)]),
    "torch.Tensor.reshape": (lambda t, f, x: f(x, (2, 6)), lambda np, x: x.reshape(2, 6), [(3, 4)]),
    "torch.Tensor.flatten": (lambda t, f, x: f(x), lambda np, x: x.reshape(-1), [(3, 4)]),
    "torch.Tensor.unflatten": (lambda t, f, x: f(x, 1, (2, 2)), lambda np, x: x.reshape(3, 2, 2), [(3, 4)]),
    "torch.Tensor.squeeze": (lambda t, f, x: f(x[:, None], 1), lambda np, x: x, [(3, 4)]),
    "torch.Tensor.expand": (lambda t, f, x: f(x, (2, 3, 4)), lambda np, x: np.broadcast_to(x, (2, 3, 4)), [(3, 4)]),
    "torch.Tensor.expand_as": (lambda t, f, x, y: f(x, y) + y, lambda np, x, y: x + y, [(3, 1), (3, 4)]),
    "torch.Tensor.repeat": (lambda t, f, x: f(x, (2, 1)), lambda np, x: np.tile(x, (2, 1)), [(3, 4)]),
    "torch.Tensor.repeat_interleave": (lambda t, f, x: f(x, 2, 1), lambda np, x: x.repeat(2, 1), [(3, 4)]),
    "torch.Tensor.flip": (lambda t, f, x: f(x, (0, 1)), lambda np, x: x[::-1, ::-1], [(3, 4)]),
    "torch.Tensor.chunk": (lambda t, f, x: f(x, 2, 1), lambda np, x: np.split(x, 2, 1), [(3, 4)]),
    "torch.Tensor.unbind": (lambda t, f, x: f(x, 1), lambda np, x: list(x.T), [(3, 4)]),
    "torch.Tensor.index_select": (lambda t, f, x: f(x, 1, pair(t, [2, 0, 2])), lambda np, x: x[:, [2, 0, 2]], [(3, 4)]),
    "torch.Tensor.masked_fill": (lambda t, f, x: f(x, x > 1.375, 2.5), lambda np, x: np.where(x > 1.375, 2.5, x), [(3, 4)]),
    "torch.Tensor.clamp": (lambda t, f, x: f(x, 0.8, 1.5), lambda np, x: np.clip(x, 0.8, 1.5), [(3, 4)]),
    "torch.Tensor.norm": (lambda t, f, x: f(x, dim=1), lambda np, x: np.sqrt((x**2).sum(1)), [(3, 4)]),
    "torch.Tensor.sum": (lambda t, f, x: f(x, 1), lambda np, x: x.sum(1), [(3, 4)]),
    "torch.Tensor.softmax": (lambda t, f, x: f(x, -1), softmax, [(3, 4)]),
    "torch.Tensor.exp": (lambda t, f, x: f(x), lambda np, x: np.exp(x), [(3, 4)]),
    "torch.Tensor.log": (lambda t, f, x: f(x), lambda np, x: np.log(x), [(3, 4)]),
    "torch.Tensor.sqrt": (lambda t, f, x: f(x), lambda np, x: np.sqrt(x), [(3, 4)]),
    "torch.Tensor.sin": (lambda t, f, x: f(x), lambda np, x: np.sin(x), [(3, 4)]),
    "torch.Tensor.cos": (lambda t, f, x: f(x), lambda np, x: np.cos(x), [(3, 4)]),
    "torch.Tensor.sigmoid": (lambda t, f, x: f(x), lambda np, x: sigmoid(np, x), [(3, 4)]),
    "torch.Tensor.float": (lambda t, f, x: f(x), lambda np, x: x, [(3, 4)]),
    "torch.Tensor.type_as": (lambda t, f, x, y: f(x, y) * y[0], lambda np, x, y: x * y[0], [(3, 4), (2,)]),
    "torch.Tensor.to": (lambda t, f, x: f(x, x.dtype, copy=True), lambda np, x: x, [(3, 4)]),
    "torch.Tensor.add_": (lambda t, f, x, y: f(x * 1, y, alpha=2), lambda np, x, y: x + 2 * y, [(3, 4), (3, 4)]),
    "torch.Tensor.mul_": (lambda t, f, x, y: f(x * 1, y), lambda np, x, y: x * y, [(3, 4), (3, 4)]),
    "torch.Tensor.zero_": (lambda t, f, x: zeroed(f, x * 1), lambda np, x: np.where(np.arange(4) < 2, 0, x), [(3, 4)]),
    "torch.Tensor.masked_fill_": (lambda t, f, x: f(x * 1, x > 1.375, 2.5), lambda np, x: np.where(x > 1.375, 2.5, x), [(3, 4)]),
}  # fmt: skip
# What a module is made of.
MADE = {
    "torch.nn.Linear": lambda f, **at: f(4, 2, bias=False, **at),
    "torch.nn.Conv1d": lambda f, **at: f(2, 3, 2, bias=False, **at),
    "torch.nn.Conv2d": lambda f, **at: f(2, 3, (1, 2), bias=False, **at),
    "torch.nn.Embedding": lambda f, **at: f(4, 3, **at),
    "torch.nn.LayerNorm": lambda f, **at: f(4, **at),
    "torch.nn.RMSNorm": lambda f, **at: f(4, eps=1e-5, **at),
    "torch.nn.BatchNorm2d": lambda f, **at: f(2, track_running_stats=False, **at),
    "torch.nn.CrossEntropyLoss": lambda f, **at: f(),
    "torch.nn.ReLU": lambda f, **at: f(),
    "torch.nn.SiLU": lambda f, **at: f(),
}
AXES = -1, 0  # where the inputs of a batch have their examples
# Whose second derivative other cases have, or that give f32 alone.
TWICE = {
    "torch.where", "torch.mean", "torch.exp", "torch.log", "torch.sqrt", "torch.sin", "torch.cos", "torch.sigmoid", "torch.nn.ReLU",
    "torch.nn.SiLU", "torch.nn.LayerNorm", "torch.nn.CrossEntropyLoss", "torch.Tensor.sum", "torch.Tensor.norm", "torch.Tensor.softmax",
    "torch.Tensor.float",
}  # fmt: skip
# Whose other cases have NaN, or where zeros of a filter meet infinities.
SEEN = {"torch.where", "torch.exp", "torch.log", "torch.mean", "torch.max", "torch.min", "torch.sigmoid", "torch.clamp",
        "torch.Tensor.masked_fill", "torch.Tensor.masked_fill_", "torch.Tensor.clamp", "torch.Tensor.norm", "torch.Tensor.sum",
        "torch.Tensor.softmax", "torch.nn.LayerNorm", "torch.nn.SiLU", "torch.nn.ReLU", "torch.nn.functional.softmax",
        "torch.Tensor.mul_"}  # fmt: skip
NUMBERS = [[1.5, NAN, 0.25, 2.0], [INF, 3.0, -0.0, 1.0], [-INF, 4.0, 0.5, -2.0]]


each = each_of(FORMS)


def called(t, function, dtype):
    """The function of tensors alone; its results in a list."""
    call, f = FORMS[function][0], t.get(function)
    if function in MADE:
        f = MADE[function](f, device=t.device, dtype=t.dtype(dtype))

    def run(*tensors):
        made = call(t, f, *tensors)
        return list(made) if isinstance(made, (tuple, list)) else [made]

    return run


def numbers(t, function, dtype):
    drawn = [t.distinct(shape, dtype) for shape in FORMS[function][2]]
    return [placed(number, whole) for number, whole in enumerate(drawn)]


@each(FORMS, lambda form: forward(form[1]), dtypes="f32", since=("2.0", "torch.func"))
def in_forward_mode(t, dtype, function):
    """The results, and by how much they change along a direction."""
    at, run, jvp = numbers(t, function, dtype), called(t, function, dtype), t.get("torch.func.jvp")
    along = [t.randn(tuple(x.shape), dtype) for x in at]
    return t.call(lambda at, along: jvp(run, tuple(at), tuple(along)), at, along)


@each([name for name in FORMS if name not in TWICE], lambda form: second(form[1]), dtypes="f64")
def gradient_of_a_gradient(t, dtype, function):
    """Of the weighted squares of the results: the gradient, and its own along a direction."""
    x, *rest = numbers(t, function, dtype)
    direction, run, slope = (
        t.randn(tuple(x.shape), dtype),
        called(t, function, dtype),
        t.fw.autograd.grad,
    )

    def both(x, *rest):
        x = x.detach().requires_grad_()
        total = sum(
            (t.fw.linspace(0.5, 1.5, made.numel(), dtype=made.dtype, device=made.device).reshape(made.shape) * made**2).sum()
            for made in run(x, *rest)
        )  # fmt: skip
        first = slope(total, x, create_graph=True)[0]
        return first.detach(), slope((first * direction).sum(), x)[0]

    return t.call(both, x, *rest)


@each(FORMS, lambda form: stacked(form[1], AXES), dtypes="f32", since=("2.0", "torch.vmap"))
def over_a_batch(t, dtype, function):
    """vmap: the examples of the first input lie along its last axis, those of the second along its first."""
    shapes = FORMS[function][2]
    drawn = [
        t.uniform((*shape, 3) if axis else (3, *shape), dtype, 0.5, 2)
        for shape, axis in zip(shapes, AXES)
    ]
    return t.call(
        t.get("torch.vmap")(called(t, function, dtype), in_dims=AXES[: len(drawn)]), *drawn
    )


@each([name for name in FORMS if name not in SEEN and FORMS[name][2] == [(3, 4)]],
      plain, dtypes="f32 bf16")  # fmt: skip
def not_a_number(t, dtype, function):
    """NaN, infinities and zeros of either sign, as an overflow leaves them."""
    return t.call(called(t, function, dtype), t.const(NUMBERS, dtype))
