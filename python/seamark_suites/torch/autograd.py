"""Automatic differentiation by its own names."""

from seamark_suites.case import case

from . import reference as right


@case(
    "torch.autograd.Variable", dtypes="f32 f64", core="f32", reference=lambda np, x: (x, 3 * x**2)
)
def variable(t, dtype):
    x = t.call("torch.autograd.Variable", t.randn((4,), dtype), requires_grad=True)
    (x**3).sum().backward()
    return x.detach(), x.grad


@case(
    "torch.autograd.functional.jvp",
    dtypes="f32 f64",
    core="f32",
    rtol={"f32": 1e-5},
    reference=lambda np, x, v: (np.sin(x * x), np.cos(x * x) * 2 * x * v),
)
def jvp(t, dtype):
    x, v = t.randn((5,), dtype), t.randn((5,), dtype)
    return t.call("torch.autograd.functional.jvp", lambda x: (x * x).sin(), x, v)


@case("torch.autograd.functional.jvp", dtypes="f32", strict=[True], reference="none")
def jvp_of_a_constant(t, dtype, strict):
    """strict: a function that does not depend on its input is an error."""
    x = t.randn((3,), dtype)
    t.raises(
        RuntimeError,
        t.call,
        "torch.autograd.functional.jvp",
        lambda x: t.fw.ones(3),
        x,
        x,
        strict=strict,
    )


@case("torch.autograd.Variable", dtypes="f32", reference="none", core=False)
def is_a_tensor(t, dtype):
    """Since 0.4 there is one kind of tensor: it shares its data and asks for no gradient by itself."""
    data = t.randn((4,), dtype)
    x = t.call("torch.autograd.Variable", data)
    t.expect(type(x) is t.fw.Tensor and isinstance(x, t.get("torch.autograd.Variable")), "a tensor")
    t.expect(not x.requires_grad and x.is_leaf and x.grad is None, "no gradient asked for")
    data.fill_(3)
    t.expect(bool((t.host(x) == 3).all()), "the memory of the data")


@case("torch.autograd.Variable", dtypes="bf16 c64", core=False, reference=lambda np, x: 2 * x)
def of_other_dtypes(t, dtype):
    x = t.call("torch.autograd.Variable", t.randn((4,), dtype), requires_grad=True)
    (x * x.conj()).real.sum().backward()
    return x.grad


@case("torch.autograd.Variable", reference="none", core=False)
def variable_refuses(t):
    t.raises(
        RuntimeError, t.call, "torch.autograd.Variable", t.randn((3,), "i64"), requires_grad=True
    )
    t.raises(TypeError, t.call, "torch.autograd.Variable", [1.0, 2.0])


@case("torch.autograd.Variable", dtypes="f32", core=False, reference=lambda np, x: 2 * x + 3 * x**2)
def gradients_add_up(t, dtype):
    x = t.call("torch.autograd.Variable", t.randn((4,), dtype), requires_grad=True)
    for power in (2, 3):
        (x**power).sum().backward()
    return x.grad


@case("torch.autograd.Variable", dtypes="f32", core=False, reference=lambda np, x: 2 * x**2)
def detached(t, dtype):
    """A variable of a result that has a graph starts a graph of its own."""
    x = t.randn((4,), dtype, grad=True)
    y = t.call("torch.autograd.Variable", (x * x).detach(), requires_grad=True)
    (y * y).sum().backward()
    t.expect(x.grad is None, "no gradient of what came before")
    return y.grad


@case(
    "torch.autograd.functional.jvp",
    dtypes="f32",
    core=False,
    rtol={"f32": 1e-5},
    reference=lambda np, x, y, v, w: (
        (x * y, np.sin(x + y)),
        (x * w + v * y, np.cos(x + y) * (v + w)),
    ),
)
def several_in_and_out(t, dtype):
    x, y, v, w = (t.randn((4,), dtype) for _ in range(4))
    function = lambda x, y: (x * y, (x + y).sin())  # noqa: E731
    return t.call("torch.autograd.functional.jvp", function, (x, y), (v, w))


@case(
    "torch.autograd.functional.jvp",
    dtypes="f32",
    core=False,
    rtol={"f32": 1e-5},
    reference=lambda np, x, v: (3 * x**2 * v, 6 * x * v),
)
def with_a_graph(t, dtype):
    """create_graph: the product itself can be differentiated."""
    x, v = t.randn((5,), dtype, grad=True), t.randn((5,), dtype)
    _, product = t.call("torch.autograd.functional.jvp", lambda x: x**3, x, v, create_graph=True)
    return product.detach(), t.fw.autograd.grad(product.sum(), x)[0]


@case(
    "torch.autograd.functional.jvp",
    dtypes="f32",
    core=False,
    reference=lambda np, x: (x * x, 2 * x),
)
def without_a_vector(t, dtype):
    """v may be left out where the input has a single element."""
    return t.call("torch.autograd.functional.jvp", lambda x: x * x, t.randn((1,), dtype))


@case(
    "torch.autograd.functional.jvp",
    dtypes="f32",
    core=False,
    trivial=True,
    reference=lambda np, x, fixed: (fixed, 0 * fixed),
)
def of_a_constant(t, dtype):
    """Not strict: zeros where the output does not depend on the input."""
    x = t.randn((3,), dtype)
    fixed = t.randn((2,), dtype)
    return t.call("torch.autograd.functional.jvp", lambda x: fixed.clone(), x, x)


@case(
    "torch.autograd.functional.jvp",
    dtypes="f32",
    core=False,
    reference=right.layer_jvp,
    rtol={"f32": 1e-4},
    atol={"f32": 1e-5},
)
def of_a_layer(t, dtype):
    layer = t.construct("torch.nn.Linear", 4, 3, dtype=dtype)
    x, v = t.randn((2, 4), dtype), t.randn((2, 4), dtype)
    return t.call("torch.autograd.functional.jvp", lambda x: layer(x).tanh(), x, v)


@case(
    "torch.autograd.functional.jvp",
    dtypes="c64",
    core=False,
    rtol={"c64": 1e-5},
    reference=lambda np, x, v: (x * x, 2 * x * v),
)
def jvp_of_complex(t, dtype):
    x, v = t.randn((4,), dtype), t.randn((4,), dtype)
    return t.call("torch.autograd.functional.jvp", lambda x: x * x, x, v)


@case("torch.autograd.functional.jvp", reference="none", core=False)
def jvp_refuses(t):
    fn, x = "torch.autograd.functional.jvp", t.randn((3,), "f32")
    t.raises(RuntimeError, t.call, fn, lambda x: x * 2, x, t.randn((2,), "f32"))
    t.raises(RuntimeError, t.call, fn, lambda x: x * 2, x)
    t.raises(TypeError, t.call, fn, lambda x: 3.0, x, x)
