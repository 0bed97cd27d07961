"""The length of a tensor: x.norm()."""

from seamark_suites.case import case

from . import reference_methods as right

# --- norm


@case(
    "torch.Tensor.norm",
    dtypes="f32 bf16",
    dim=[None, -1],
    grad=True,
    reference=right.norm_gradient,
    name="gradient",
)
@case(
    "torch.Tensor.norm",
    dtypes="f64 c64",
    dim=[0],
    grad=True,
    core=False,
    reference=right.norm_gradient,
    name="gradient",
)
@case(
    "torch.Tensor.norm", dtypes="f32 bf16", dim=[0, (0, 1)], reference=right.norm_of, name="forward"
)
@case(
    "torch.Tensor.norm",
    dtypes="f16 f64 c64",
    dim=[1],
    core=False,
    reference=right.norm_of,
    name="forward",
)
def length(t, dtype, dim):
    return t.call("torch.Tensor.norm", t.randn((12, 9), dtype), dim=dim)


@case("torch.Tensor.norm", dtypes="f32", p=[1, 2, 3, 0.5, "fro"], reference=right.p_norm)
@case(
    "torch.Tensor.norm",
    dtypes="f32",
    p=[float("inf"), -float("inf")],
    core=False,
    reference=right.p_norm,
)
def of_another_order(t, dtype, p):
    return t.call("torch.Tensor.norm", t.randn((12, 9), dtype), p, 1)


@case("torch.Tensor.norm", dtypes="f32", core=False, reference=lambda np, x: np.array([2, 0, 3]))
def counts_of_non_zeros(t, dtype):
    x = t.const([[0.0, 2.0, -3.0], [0.0, 0.0, -0.0], [1.0, 1.0, 1e-20]], dtype)
    return t.call("torch.Tensor.norm", x, 0, dim=1)


@case(
    "torch.Tensor.norm",
    dtypes="f32 f64",
    core=False,
    reference=lambda np, x: np.linalg.norm(x, "nuc"),
)
def nuclear(t, dtype):
    return t.call("torch.Tensor.norm", t.randn((6, 5), dtype), "nuc")


@case(
    "torch.Tensor.norm",
    dtypes="f32",
    core=False,
    reference=lambda np, x: np.sqrt((x**2).sum((0, 2), keepdims=True)),
)
def keeps_the_axes(t, dtype):
    return t.call("torch.Tensor.norm", t.randn((3, 4, 5), dtype), dim=(0, 2), keepdim=True)


@case(
    "torch.Tensor.norm",
    dtypes="bf16 f16",
    core=False,
    reference=lambda np, x: np.sqrt((x**2).sum(1)),
)
def norm_in_f32(t, dtype):
    """dtype= converts before the squares: no overflow of f16."""
    made = t.call(
        "torch.Tensor.norm", t.uniform((3, 40), dtype, 200, 400), dim=1, dtype=t.dtype("f32")
    )
    t.expect(made.dtype is t.dtype("f32"), "f32")
    return made


@case(
    "torch.Tensor.norm",
    dtypes="f32",
    core=False,
    reference=lambda np, x: np.array([5, np.inf, np.nan, 0]),
)
def norms_of_special_values(t, dtype):
    inf, nan = float("inf"), float("nan")
    return t.call(
        "torch.Tensor.norm", t.const([[3, -4], [inf, 1], [nan, inf], [0.0, -0.0]], dtype), dim=1
    )


@case(
    "torch.Tensor.norm",
    dtypes="f32 f64",
    core=False,
    reference=lambda np, x: (np.array([5, 0]), np.array([[0.6, -0.8], [0, 0]])),
)
def flat_at_zero(t, dtype):
    """The documented subgradient at zero is zero."""
    x = t.const([[3.0, -4.0], [0.0, 0.0]], dtype, grad=True)
    made = t.call("torch.Tensor.norm", x, dim=1)
    return made, t.fw.autograd.grad(made.sum(), x)[0]


@case("torch.Tensor.norm", dtypes="f32", core=False, reference=right.penalty)
def gradient_penalty(t, dtype):
    """The gradient of (|g| - 1)^2, where g is a gradient itself."""
    x = t.uniform((6, 8), dtype, 0.5, 1.5, grad=True)
    slope = t.fw.autograd.grad((x**3).sum(), x, create_graph=True)[0]
    made = (t.call("torch.Tensor.norm", slope, 2, dim=1) - 1) ** 2
    return made, t.fw.autograd.grad(made.sum(), x)[0]


@case(
    "torch.Tensor.norm",
    dtypes="f32",
    core=False,
    reference=lambda np, x: [np.linalg.norm(x, axis=0), np.linalg.norm(x.T, axis=0)],
)
def norms_of_strided(t, dtype):
    x = t.randn((7, 12), dtype, noncontiguous=True)
    return [t.call("torch.Tensor.norm", y, dim=0) for y in (x, x.mT)]


@case(
    "torch.Tensor.norm",
    dtypes="f32",
    core=False,
    reference=lambda np, *xs: [np.linalg.norm(x, axis=1) for x in xs],
)
def norms_of_three_sizes(t, dtype):
    return [t.call("torch.Tensor.norm", t.randn((4, n), dtype), dim=1) for n in (5, 8, 13)]


@case(
    "torch.Tensor.norm",
    dtypes="f32",
    core=False,
    trivial=True,
    reference=lambda np, x, y: [abs(x), np.zeros(3)],
)
def norms_of_one_or_none(t, dtype):
    return [
        t.call("torch.Tensor.norm", t.randn((), dtype)),
        t.call("torch.Tensor.norm", t.randn((3, 0), dtype), dim=1),
    ]


@case(
    "torch.Tensor.norm", dtypes="f32", large=True, reference=lambda np, x: np.linalg.norm(x, axis=1)
)
def norms_of_many(t, dtype):
    return t.call("torch.Tensor.norm", t.randn((2048, 2048), dtype), dim=1)


@case("torch.Tensor.norm", core=False, reference="none")
def norm_refuses(t):
    """Whole numbers, no such axis, an unknown name."""
    x = t.randn((3, 4), "f32")
    t.raises(RuntimeError, t.call, "torch.Tensor.norm", t.randn((3,), "i64"))
    t.raises(IndexError, t.call, "torch.Tensor.norm", x, dim=2)
    t.raises((RuntimeError, ValueError), t.call, "torch.Tensor.norm", x, "long", dim=1)
