"""Derivatives that torch.func puts together: whole Jacobians and Hessians in each mode and of a batch, forward mode over the
gradient."""

from seamark_suites.transformed import each_of, leaves, placed, second, slopes

from .transformed import FORMS, called, numbers

T, NN, F = "torch.Tensor.", "torch.nn.", "torch.nn.functional."
# Where a watch on what is dispatched crashes as vmap takes directions through a change in place: reverse mode alone.
IN_PLACE = [T + "add_", T + "masked_fill_"]
WHOLE = [
    "torch.stack", "torch.min", "torch.log", "torch.sigmoid", "torch.chunk", T + "view", T + "expand_as", T + "repeat",
    T + "index_select", T + "sum", T + "sin", T + "type_as", F + "softmax", NN + "SiLU", NN + "CrossEntropyLoss", *IN_PLACE,
]  # fmt: skip
ALONG = [
    "torch.abs", "torch.cos", "torch.exp", "torch.mean", "torch.split", F + "pad", NN + "ReLU", NN + "Conv1d", NN + "Embedding",
    T + "expand", T + "masked_fill", T + "norm", T + "permute", T + "reshape", T + "squeeze", T + "transpose", T + "unflatten",
    T + "exp", T + "flip", T + "repeat_interleave", T + "softmax", T + "t", T + "unbind", "torch.clamp", "torch.matmul", "torch.sin",
    "torch.where", NN + "BatchNorm2d", NN + "RMSNorm", F + "interpolate",
]  # fmt: skip
_SINCE = ("2.0", "torch.func")
each = each_of(FORMS)


def _along_each(np, function, at):
    """The slopes of each array of function(np, *at) along each number of the first input, in axes behind its own."""
    first, *rest = at
    still = [np.zeros(x.shape) for x in rest]
    units = np.eye(first.size).reshape(first.size, *first.shape)
    found = [slopes(np, function, at, [unit, *still]) for unit in units]
    return [np.stack(each, -1).reshape(*each[0].shape, *first.shape) for each in zip(*found)]


def _four_ways(form):
    """In reverse and in forward mode, and each of a batch of two."""

    def reference(np, *drawn):
        once = _along_each(np, form[1], [placed(number, x) for number, x in enumerate(drawn)])
        return [*once, *once, *(np.stack([one, one]) for one in once * 2)]

    return reference


# Of few numbers in a row LayerNorm's second slopes are too steep for differences: layer_norm has them.
@each([*WHOLE, *ALONG, NN + "LayerNorm"], _four_ways, dtypes="f32 f64", since=_SINCE)
@each([T + "float"], _four_ways, dtypes="f32", since=_SINCE)
def whole_jacobian(t, dtype, function):
    """By jacrev and jacfwd, and of two examples by vmap of each."""
    at, run, func = numbers(t, function, dtype), called(t, function, dtype), t.fw.func
    modes = func.jacrev, (func.jacrev if function in IN_PLACE else func.jacfwd)

    def ways(x, *rest):
        found, pair = [mode(lambda x: run(x, *rest)) for mode in modes], t.fw.stack([x, x])
        return [one for mode in found for one in mode(x)] + [one for mode in found for one in func.vmap(mode)(pair)]  # fmt: skip

    return t.call(ways, *at)


def _weighted(t, run):
    """The sum of the squares of the results, each with a weight."""

    def total(*at):
        return sum(
            (t.fw.linspace(0.5, 1.5, made.numel(), dtype=made.dtype, device=made.device).reshape(made.shape) * made**2).sum()
            for made in run(*at)
        )  # fmt: skip

    return total


@each(ALONG, lambda form: second(form[1]), dtypes="f64", since=_SINCE)
def forward_over_the_gradient(t, dtype, function):
    """The gradient, and by how much it changes along a direction, in forward mode."""
    at, func = numbers(t, function, dtype), t.fw.func
    total, direction = _weighted(t, called(t, function, dtype)), t.randn(tuple(at[0].shape), dtype)

    def both(direction, x, *rest):
        return func.jvp(lambda x: func.grad(total)(x, *rest), (x,), (direction,))

    return t.call(both, direction, *at)


def _hessian(form):
    def total(np, *at):
        made = leaves(np, form[1](np, *at))
        return sum((np.linspace(0.5, 1.5, m.size).reshape(m.shape) * m**2).sum() for m in made)

    def reference(np, *drawn):
        at = [placed(number, x) for number, x in enumerate(drawn)]
        made = _along_each(np, lambda np, *at: _along_each(np, total, at)[0], at)[0]
        return [made, made]

    return reference


@each(WHOLE, _hessian, dtypes="f64", since=_SINCE)
def hessian_of_each_mode(t, dtype, function):
    """Of the sum of the weighted squares: forward over reverse, as hessian() has it, and reverse over forward."""
    at, func, total = (
        numbers(t, function, dtype),
        t.fw.func,
        _weighted(t, called(t, function, dtype)),
    )

    def both(*at):
        if function in IN_PLACE:
            return [func.jacrev(func.jacrev(total))(*at)] * 2
        return [func.hessian(total)(*at), func.jacrev(func.jacfwd(total))(*at)]

    return t.call(both, *at)
