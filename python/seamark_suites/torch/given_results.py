"""out=: what is given takes the size and keeps its own dtype; what cannot hold the result, overlaps or has a gradient is refused."""

from seamark_agent.harness import Skip

from seamark_suites.case import case
from seamark_suites.transformed import each_of

from . import reference_pointwise as right

# How a function writes into what is given, and what it gives of a 4x5 matrix.
INTO = {
    "torch.abs": (lambda t, f, x, out: f(x, out=out), right.of("torch.abs")),
    "torch.clamp": (lambda t, f, x, out: f(x, 0.8, 1.25, out=out), lambda np, x: np.clip(x, 0.8, 1.25)),
    "torch.max": (lambda t, f, x, out: f(x, 2 - x, out=out), lambda np, x: np.maximum(x, 2 - x)),
    "torch.mean": (lambda t, f, x, out: f(x, 1, out=out), lambda np, x: x.mean(1)),
    "torch.stack": (lambda t, f, x, out: f([x, 2 * x], 1, out=out), lambda np, x: np.stack([x, 2 * x], 1)),
    "torch.gather": (lambda t, f, x, out: f(x, 1, t.fw.tensor([[1, 0]] * 4, device=t.device), out=out), lambda np, x: x[:, [1, 0]]),
    "torch.linspace": (lambda t, f, x, out: f(0, 2, 5, out=out), lambda np, x: np.linspace(0, 2, 5)),
    "torch.eye": (lambda t, f, x, out: f(3, 2, out=out), lambda np, x: np.eye(3, 2)),
    "torch.ones": (lambda t, f, x, out: f((3, 2), out=out), lambda np, x: np.ones((3, 2))),
    "torch.full": (lambda t, f, x, out: f((3, 2), 2.5, out=out), lambda np, x: np.full((3, 2), 2.5)),
}  # fmt: skip
MADE = [
    "torch.linspace",
    "torch.eye",
    "torch.ones",
    "torch.full",
]  # of no tensor: any dtype may be given
KEPT = ["torch.abs", "torch.clamp", "torch.gather"]  # which take no other dtype than the result's
each = each_of(INTO)


def into(t, function):
    return lambda x, out: INTO[function][0](t, t.get(function), x, out)


@each(INTO, lambda form: lambda np, x: [form[1](np, x)] * 2, dtypes="f32", trivial=True)
def grows_what_is_given(t, dtype, function):
    """Something without numbers takes the size of the result, and is the result."""
    x, out = t.uniform((4, 5), dtype, 0.5, 1.5), t.fw.zeros((0,), dtype=t.dtype(dtype), device=t.device)  # fmt: skip
    made = t.call(into(t, function), x, out)
    t.expect(made is out, "the given tensor")
    return [made, out]


@each([name for name in INTO if name not in KEPT], lambda form: lambda np, x: form[1](np, x), dtypes="f32", trivial=True)  # fmt: skip
def into_a_wider_dtype(t, dtype, function):
    """A tensor of f64 holds what is computed."""
    x, out = t.uniform((4, 5), dtype, 0.5, 1.5), t.fw.zeros((0,), dtype=t.fw.float64, device=t.device)  # fmt: skip
    made = t.call(into(t, function), x, out)
    t.expect(made.dtype is t.fw.float64, "the dtype of what is given")
    return made.to(t.dtype(dtype))


@each(INTO, lambda form: "none")
def not_into_these(t, function):
    """What has a gradient, or asks for one; integers for fractions; another dtype where none is converted."""
    x, run = t.randn((4, 5), "f32"), into(t, function)
    out = t.fw.zeros((0,), device=t.device)
    t.raises(RuntimeError, t.call, run, x, t.fw.zeros((0,), device=t.device, requires_grad=True))
    if function in MADE:
        return
    t.raises(RuntimeError, t.call, run, x.clone().requires_grad_(), out)
    t.raises((RuntimeError, TypeError), t.call, run, x, out.long())
    if function in KEPT:
        t.raises(RuntimeError, t.call, run, x, out.double())


@each(["torch.abs", "torch.clamp", "torch.max", "torch.stack"], lambda form: "none")
def not_over_the_input(t, function):
    """A part of what is read, shifted; memory that several elements share."""
    x, run = t.randn((5, 4, 5), "f32"), into(t, function)
    if function == "torch.stack":
        t.raises(RuntimeError, t.call, function, [x[0], x[1]], 0, out=x[:2])
        return
    t.raises(RuntimeError, t.call, run, x[:4], x[1:])
    t.raises(RuntimeError, t.call, run, x[0], x[0, :1].expand(4, 5))


PRODUCTS = [((4, 5), (5, 6)), ((3, 4, 5), (3, 5, 6)), ((3, 4, 5), (5, 6)), ((5,), (5,)), ((4, 5), (5,)), ((5,), (5, 6)), ((3, 4, 5), (5,))]  # fmt: skip
MANY = [((65537, 2, 4), (65537, 4, 2))]  # more than a grid of blocks counts along one axis


def _products(np, *drawn, many):
    return [x @ y for x, y in zip(drawn[::2], drawn[1::2])]


@case("torch.matmul", dtypes="f32 f16 bf16", many=False, core=False, reference=_products)
@case("torch.matmul", dtypes="f16", many=True, core=False, reference=_products)
def over_nan(t, dtype, many):
    """What is given held NaN, of which nothing stays. Sums of small whole numbers are exact."""
    made = []
    for first, second in MANY if many else PRODUCTS:
        x, y = t.randint(first, dtype, -4, 5), t.randint(second, dtype, -4, 5)
        shape = t.np.matmul(t.np.zeros(first), t.np.zeros(second)).shape
        out = t.fw.full(shape, float("nan"), dtype=x.dtype, device=t.device)
        t.expect(t.call("torch.matmul", x, y, out=out) is out, "the given tensor")
        made.append(out)
    return made


@case("torch.matmul", core=False, reference="none")
def not_of_two_devices(t):
    """A matrix or vector of the host by one of the device, in either order."""
    if t.fw.device(t.device).type == "cpu":
        raise Skip("the host is the device")
    for first, second in (((3, 4), (4, 5)), ((2, 3, 4), (2, 4, 5)), ((4,), (4, 5)), ((3, 4), (4,))):
        x, y = t.randn(first, "f32"), t.randn(second, "f32")
        t.raises(RuntimeError, t.call, "torch.matmul", x.cpu(), y)
        t.raises(RuntimeError, t.call, "torch.matmul", x, y.cpu())
