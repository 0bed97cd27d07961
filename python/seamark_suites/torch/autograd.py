"""Automatic differentiation by its own names, and within torch.no_grad."""

import warnings

from seamark_suites.case import case

from . import reference as right
from .grad_mode import _without


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


# --- no_grad


@case("torch.no_grad", core=False, reference="none")
def decorates_classes_and_methods(t):
    """A method alone; of a class only how it is made, with a warning; the name, the text and the arguments stay."""
    fw = t.fw

    class Plain:
        @fw.no_grad()
        def ask(self, *given, **named):
            """Asks."""
            return fw.is_grad_enabled(), given, named

    found = Plain().ask(1, x=2)
    t.expect(found == (False, (1,), {"x": 2}), "off, with its arguments, got %s" % (found,))
    t.expect((Plain.ask.__name__, Plain.ask.__doc__) == ("ask", "Asks."), "its name and text")

    class Made:
        def __init__(self):
            self.made = fw.is_grad_enabled()

        def ask(self):
            return fw.is_grad_enabled()

    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        one = t.call("torch.no_grad")(Made)()
    t.expect(any(each.category is FutureWarning for each in seen), "a warning of classes")
    t.expect((one.made, one.ask()) == (False, True), "off while it is made alone")


@case("torch.no_grad", dtypes="f32 f64", core=False, reference=lambda np, x, y: [
      np.concatenate([np.ones((1, 5)), y[1:2], 3 * x[2:]]), np.repeat([[0], [0], [3], [3]], 5, 1), np.concatenate([2 * x[:1], y[1:2], 0 * x[2:]]), 2 * x])  # fmt: skip
def writes_within_a_graph(t, dtype):
    """Parts of a result, and of a leaf, are written within it: the values change, the graph of the rest does not, and the count of changes grows."""
    x, y = t.randn((4, 5), dtype), t.randn((4, 5), dtype)
    leaf = x.clone().requires_grad_()
    made = leaf * 3
    before = made._version

    def write(made, y):
        with t.fw.no_grad():
            made[0] = 1
            made[1].copy_(y[1])
        return made

    t.call(write, made, y)
    t.expect(made._version > before and made.requires_grad, "changed, with its graph")
    (slope,) = t.fw.autograd.grad(made[2:].sum(), leaf)
    other = x.clone().requires_grad_()
    with t.fw.no_grad():
        other[0] *= 2
        other[1] = y[1]
        other[2:].zero_()
    t.expect(other.is_leaf and other.grad_fn is None, "a leaf as before")
    with t.fw.no_grad():
        view = other[0]
        view.fill_(1)
        other[0] = 2 * x[0]
    (other * other).sum().backward()
    t.expect(bool((t.host(other.grad) == 2 * t.host(other)).all()), "its gradient")
    return [made.detach(), slope, other.detach(), t.call(_without(t, lambda x: x + x), leaf)]


@case("torch.no_grad", dtypes="f32 f64", core=False, reference=lambda np, x: [3 * x**2, 6 * x, 3 * x**2, 6 * x**2])  # fmt: skip
def differentiates_within_it(t, dtype):
    """A graph that was made before is followed; create_graph=True records the gradient, of what hooks and functions of one's own compute, too."""
    fw, x = t.fw, t.uniform((6,), dtype, 1, 2, grad=True)
    cube, modes = (x**3).sum(), []
    twice = x**3
    twice.register_hook(lambda g: modes.append(fw.is_grad_enabled()) or 2 * g)
    total = twice.sum()

    def run():
        with fw.no_grad():
            plain = fw.autograd.grad(cube, x, retain_graph=True)[0]
            again = fw.autograd.grad(cube, x, create_graph=True)[0]
            doubled = fw.autograd.grad(total, x)[0]
            t.expect(not fw.is_grad_enabled(), "off as before behind it")
        return plain, again, doubled

    plain, again, doubled = t.call(run)
    t.expect(again.requires_grad and not plain.requires_grad, "the one with a graph")
    t.expect(modes == [False], "hooks without a graph, got %s" % modes)
    return [plain, fw.autograd.grad(again.sum(), x)[0], again.detach(), doubled]


@case("torch.no_grad", core=False, reference="none")
def of_generators_within_generators(t):
    """Each decorated one has its own mode at each step, whoever calls it; one that is not decorated has its caller's."""
    fw, found = t.fw, []

    @fw.no_grad()
    def off(depth):
        found.append(fw.is_grad_enabled())
        if depth:
            with fw.enable_grad():
                yield from on(depth - 1)
        yield "off%d" % depth
        found.append(fw.is_grad_enabled())

    @fw.enable_grad()
    def on(depth):
        found.append(not fw.is_grad_enabled())
        if depth:
            with fw.no_grad():
                yield from off(depth - 1)
        yield "on%d" % depth
        found.append(not fw.is_grad_enabled())

    steps = []
    for step in t.call(off, 3):
        steps.append((step, fw.is_grad_enabled()))
    t.expect([step for step, _ in steps] == ["on0", "off1", "on2", "off3"], "got %s" % steps)
    t.expect(all(mode for _, mode in steps), "recorded outside")
    t.expect(len(found) == 8 and not any(found), "each its own mode, got %s" % found)
