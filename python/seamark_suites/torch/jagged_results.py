"""Jagged tensors: functions of each number, stacked ones, one as large as another; with the gradient of each example."""

from seamark_suites.case import case
from seamark_suites.reference import with_gradient
from seamark_suites.transformed import each_of

from . import reference_pointwise as right
from .jagged_rows import ragged
from .strided_rows import LENGTHS, by_example, unbound

_SINCE = ("2.6", "functions of jagged tensors")

# What is called of three examples of rows of six, and what each of them gives.
FORMS = {
    "torch.Tensor.sin": (lambda t, f, x: f(x), lambda np, x: np.sin(x)),
    "torch.sigmoid": (lambda t, f, x: f(x), right.sigmoid),
    "torch.nn.SiLU": (lambda t, f, x: f()(x), lambda np, x: x * right.sigmoid(np, x)),
    "torch.Tensor.type_as": (lambda t, f, x: [f(x * 2, x), f(x, t.fw.ones(1, dtype=t.fw.float64, device=t.device))], lambda np, x: [2 * x, x]),
    "torch.stack": (lambda t, f, x: [f([x, x * 2], axis) for axis in (2, 3, -1, -2)],
                    lambda np, x: [np.stack([x, 2 * x], axis) for axis in (1, 2, 2, 1)]),
    "torch.Tensor.expand_as": (lambda t, f, x: [f(x.chunk(6, -1)[1], x) * x, f(x * 3, x)],
                               lambda np, x: [x[:, 1:2] * x, 3 * x]),
}  # fmt: skip
each = each_of(FORMS)


@each(FORMS, lambda form: with_gradient(by_example(form)), dtypes="f32 f64", grad=True, since=_SINCE)  # fmt: skip
def of_three_jagged_examples(t, dtype, function):
    """Of two, four and one row."""
    f = t.get(function)
    run = lambda *rows: unbound(FORMS[function][0](t, f, ragged(t, rows)))  # noqa: E731
    return t.call(run, *(t.uniform((n, 6), dtype, -2, 2) for n in LENGTHS))


@case("torch.stack", core=False, reference="none", since=_SINCE)
def no_stack_of_other_raggedness(t):
    """Along the examples and along the ragged axis, with other lengths, with more axes, and with a dense one it is refused."""
    rows = [t.randn((n, 6), "f32") for n in LENGTHS]
    x, other = ragged(t, rows), ragged(t, rows[::-1])
    for given, axis in (([x, x], 0), ([x, x], 1), ([x, other], -1), ([x, x.unsqueeze(-1)], -1), ([x, t.randn((3, 4, 6), "f32")], -1)):  # fmt: skip
        t.raises((RuntimeError, ValueError), t.call, "torch.stack", given, axis)
