"""What modules are made of: torch.nn.ModuleList, torch.nn.Parameter and torch.nn.Identity."""

from seamark_suites.case import case

from . import reference_nn as right
from .reference import with_gradient

_SUMS = {
    "rtol": {"f32": 1e-4, "bf16": 3e-2, "f16": 1e-2},
    "atol": {"f32": 1e-4, "bf16": 3e-2, "f16": 1e-2},
}  # matrix products


# --- torch.nn.ModuleList


def _layers(t, dtype):
    nn = t.fw.nn
    return t.construct(
        "torch.nn.ModuleList", [nn.Linear(6, 4), nn.Tanh(), nn.Linear(4, 5)], dtype=dtype
    )


def _in_turn(layers):
    def run(x):
        for layer in layers:
            x = layer(x)
        return x

    return run


def _tanh_between(np, x, *parameters):
    first, last = right.pairs(parameters)
    return right.affine(np, np.tanh(right.affine(np, x, *first)), *last)


@case("torch.nn.ModuleList", reference=_tanh_between, dtypes="f32 bf16", name="forward", **_SUMS)
@case(
    "torch.nn.ModuleList",
    reference=with_gradient(_tanh_between, of=(0,)),
    dtypes="f32 bf16 f16 f64",
    grad=True,
    core="f32 bf16",
    **_SUMS,
)
def layers_in_turn(t, dtype):
    return t.call(_in_turn(_layers(t, dtype)), t.randn((3, 6), dtype))


def _each_part(np, x, *parameters):
    first, last = right.pairs(parameters)
    return right.affine(np, x, *first) + 2 * right.affine(np, x, *last)


@case("torch.nn.ModuleList", reference=_each_part, dtypes="f32", **_SUMS)
def by_position(t, dtype):
    """len, a positive and a negative index, zip."""
    nn = t.fw.nn
    layers = t.construct("torch.nn.ModuleList", (nn.Linear(6, 4) for _ in "ab"), dtype=dtype)

    def run(x):
        made = layers[-1](x) * len(layers)
        for layer, _ in zip(layers, range(1)):
            made = made + layer(x)
        return made

    return t.call(run, t.randn((3, 6), dtype))


@case("torch.nn.ModuleList", reference="none", host_only=True)
def registers_what_it_holds(t):
    """Its parameters are the parent's, by position; a module that is held twice counts once."""
    nn, parent = t.fw.nn, t.fw.nn.Module()
    shared = nn.Linear(2, 3)
    parent.parts = t.call("torch.nn.ModuleList", [shared, nn.ReLU(), shared, nn.Linear(3, 2)])
    names = [name for name, _ in parent.named_parameters()]
    want = ["parts.0.weight", "parts.0.bias", "parts.3.weight", "parts.3.bias"]
    t.expect(names == want, "each parameter once, by position, got %s" % names)
    t.expect("parts.2.bias" in parent.state_dict(), "each position in the state")
    t.expect(parent.parts[2] is shared, "the module itself, no copy")


@case("torch.nn.ModuleList", reference="none", host_only=True, core=False)
def edited(t):
    """append, insert, extend, assignment, deletion, pop, slices and addition."""
    nn = t.fw.nn
    parts = t.call("torch.nn.ModuleList")
    t.expect(len(parts) == 0 and not list(parts.parameters()), "nothing in an empty one")
    parts.append(nn.ReLU()).extend([nn.Tanh(), nn.Linear(2, 2)])
    parts.insert(1, nn.GELU())
    parts[0] = nn.Sigmoid()
    parts += [nn.ELU()]

    def kinds(of):
        return [type(one).__name__ for one in of]

    want = ["Sigmoid", "GELU", "Tanh", "Linear", "ELU"]
    t.expect(kinds(parts) == want, "that order, got %s" % kinds(parts))
    t.expect(isinstance(parts[1:3], nn.ModuleList), "a slice is a ModuleList")
    t.expect(kinds(parts[::-2]) == ["ELU", "Tanh", "Sigmoid"], "a slice by steps")
    del parts[1:3]
    t.expect(list(parts.state_dict()) == ["1.weight", "1.bias"], "new positions after a deletion")
    t.expect(kinds([parts.pop(0)]) == ["Sigmoid"] and len(parts) == 2, "pop takes it out")
    joined = parts + nn.ModuleList([nn.SiLU()])
    t.expect(kinds(joined) == ["Linear", "ELU", "SiLU"], "addition joins")
    t.expect(joined[0] is parts[0] and parts[0] in joined and len(parts) == 2, "no copies")


@case("torch.nn.ModuleList", dtypes="bf16", reference="none", core=False)
def modes_and_dtypes_reach_the_layers(t, dtype):
    nn, parent = t.fw.nn, t.fw.nn.Module()
    parts = parent.parts = t.construct("torch.nn.ModuleList", [nn.Linear(8, 8), nn.Dropout(0.5)])
    parent.eval().to(t.dtype(dtype))
    t.expect(not any(part.training for part in parts), "every layer out of training")
    x = t.uniform((16, 8), dtype, 1, 2)
    one, two = t.call(_in_turn(parts), x), t.call(_in_turn(parts), x)
    t.expect(bool((t.host(one) == t.host(two)).all()), "no dropout")
    t.expect(parts[0].weight.dtype is t.dtype(dtype), "the parent's new dtype")
    parent.requires_grad_(False)
    t.expect(not t.call(_in_turn(parts), x).requires_grad, "frozen with the parent")


def _one_step(np, x, *parameters):
    """Of the sum of the result, at a rate of 0.5."""
    (w, b), (v, c) = right.pairs(parameters)
    hidden = right.affine(np, x, w, b)
    back = np.ones((len(x), len(v))) @ v
    moved = [w - 0.5 * back.T @ x, b - 0.5 * back.sum(0)]
    moved += [v - 0.5 * np.ones((len(v), len(x))) @ hidden, c - 0.5 * len(x)]
    return right.affine(np, hidden, v, c), moved


@case("torch.nn.ModuleList", reference=_one_step, dtypes="f32", core=False, **_SUMS)
def trained_through_the_parent(t, dtype):
    nn, parent = t.fw.nn, t.fw.nn.Module()
    parent.parts = t.construct(
        "torch.nn.ModuleList", [nn.Linear(6, 4), nn.Linear(4, 5)], dtype=dtype
    )
    optimizer = t.fw.optim.SGD(parent.parameters(), lr=0.5)
    made = t.call(_in_turn(parent.parts), t.randn((3, 6), dtype))
    made.sum().backward()
    optimizer.step()
    return made.detach(), [one.detach() for one in parent.parameters()]


@case(
    "torch.nn.ModuleList",
    reference=lambda np, x, *p: (_tanh_between(np, x, *p[:4]),) * 2,
    dtypes="f32",
    core=False,
    **_SUMS,
)
def copied_and_loaded(t, dtype):
    """A deep copy is independent; a state goes into another list."""
    import copy

    layers, other, x = _layers(t, dtype), _layers(t, dtype), t.randn((3, 6), dtype)
    copied = copy.deepcopy(layers)
    other.load_state_dict(layers.state_dict())
    with t.fw.no_grad():
        layers[0].weight.zero_()
    return t.call(_in_turn(copied), x), t.call(_in_turn(other), x)


@case(
    "torch.nn.ModuleList",
    reference=lambda np, a, b, c, *p: [_tanh_between(np, x, *p) for x in (a, b, c)],
    dtypes="f32",
    core=False,
    **_SUMS,
)
def three_batches(t, dtype):
    """One size after another: what a compiler made for one must not be used for the next."""
    layers = _layers(t, dtype)
    return [t.call(_in_turn(layers), t.randn((n, 6), dtype)) for n in (3, 5, 8)]


@case("torch.nn.ModuleList", reference="none", host_only=True, core=False)
def module_list_refuses(t):
    layers = t.fw.nn.ModuleList([t.fw.nn.ReLU()])
    t.raises(TypeError, t.call, "torch.nn.ModuleList", [3])
    t.raises(TypeError, t.call, "torch.nn.ModuleList", 3)
    t.raises(TypeError, t.call, layers.extend, t.fw.nn.ReLU)
    t.raises(TypeError, t.call, layers.append, [t.fw.nn.ReLU()])
    t.raises(IndexError, t.call, layers.__getitem__, 1)
    t.raises(NotImplementedError, t.call, layers, 3)  # it has no forward


# --- torch.nn.Parameter


@case(
    "torch.nn.Parameter",
    reference=lambda np, x: x,
    dtypes="f32 bf16 f16 f64 c64",
    shapes="4x3",
    core="f32 bf16",
)
@case(
    "torch.nn.Parameter", reference=lambda np, x: x, dtypes="f32", shapes="scalar 2x3x4", core=False
)
def made_of_a_tensor(t, dtype, shape):
    """It has the tensor's numbers, is a leaf and takes part in gradients."""
    made = t.call("torch.nn.Parameter", t.randn(shape, dtype))
    t.expect(isinstance(made, t.fw.nn.Parameter), "a Parameter")
    t.expect(made.requires_grad and made.is_leaf, "a leaf that has a gradient")
    return made


def _square_twice(np, x, w):
    return (x * x * w).sum(-1), 4 * x * w


@case("torch.nn.Parameter", reference=_square_twice, dtypes="f32 bf16 f64", core="f32 bf16")
def gradients_add_up(t, dtype):
    """Of two passes; positive numbers, so that no sum cancels."""
    p = t.call("torch.nn.Parameter", t.uniform((4, 3), dtype, 0.5, 2))
    w = t.uniform((4, 3), dtype, 0.5, 2)
    for _ in range(2):
        made = (p * p * w).sum(-1)
        made.sum().backward()
    return made.detach(), p.grad


@case(
    "torch.nn.Parameter",
    reference=lambda np, x: x / 2,
    dtypes="f32 bf16",
)
def trained(t, dtype):
    """A module knows it by the attribute's name, and an optimizer moves it."""
    module = t.fw.nn.Module()
    module.scale = t.call("torch.nn.Parameter", t.randn((5,), dtype))
    t.expect(list(module.state_dict()) == ["scale"], "the parameter by name")
    optimizer = t.fw.optim.SGD(module.parameters(), lr=0.25)
    (module.scale**2).sum().backward()
    optimizer.step()
    return module.scale.detach()


@case("torch.nn.Parameter", reference=lambda np, x: x, dtypes="i64 i8 u8 bool f32", core="i64 bool")
def without_gradient(t, dtype):
    """Frozen; integers and booleans can be so alone."""
    x = t.randn((7, 5), dtype)
    if dtype != "f32":
        t.raises(RuntimeError, t.call, "torch.nn.Parameter", x)
    made = t.call("torch.nn.Parameter", x, requires_grad=False)
    t.expect(not made.requires_grad, "no gradient")
    t.expect(isinstance(made, t.fw.nn.Parameter), "a Parameter")
    return made


@case("torch.nn.Parameter", reference=lambda np, x: (x, x * 0 + 3), dtypes="f32", core=False)
def shares_the_memory(t, dtype):
    """What is written into the tensor stands in the parameter."""
    x = t.randn((4, 3), dtype)
    made = t.call("torch.nn.Parameter", x)
    before = made.detach().clone()
    x.fill_(3)
    return before, made


@case("torch.nn.Parameter", reference=lambda np, x: x.T, dtypes="f32", core=False)
def keeps_the_strides(t, dtype):
    x = t.randn((4, 3), dtype, noncontiguous=True).T
    made = t.call("torch.nn.Parameter", x)
    t.expect(made.stride() == x.stride(), "the strides of the tensor")
    return made


@case(
    "torch.nn.Parameter",
    reference=lambda np, x: (x * 2, np.full((4,), 3.0)),
    dtypes="f32",
    core=False,
)
def cuts_the_graph(t, dtype):
    """Of a computed tensor it is a leaf: the gradient stops there."""
    x = t.randn((4,), dtype, grad=True)
    made = t.call("torch.nn.Parameter", x * 2)
    t.expect(made.is_leaf and made.grad_fn is None, "a leaf")
    (made * 3).sum().backward()
    t.expect(x.grad is None, "no gradient beyond it")
    return made, made.grad


@case(
    "torch.nn.Parameter",
    reference=lambda np, x: (x, x, np.negative(x)),
    dtypes="f32",
    core=False,
)
def copies_are_parameters(t, dtype):
    """Deep copied and pickled it stays one; a result of it is a plain tensor."""
    import copy
    import pickle

    p = t.call("torch.nn.Parameter", t.randn((3, 2), dtype))
    copies = [copy.deepcopy(p), pickle.loads(pickle.dumps(p))]
    for one in copies:
        t.expect(isinstance(one, t.fw.nn.Parameter) and one.requires_grad, "a Parameter")
    negative = -p
    for one in (negative, p.clone(), p.detach()):
        t.expect(not isinstance(one, t.fw.nn.Parameter), "a plain tensor")
    with t.fw.no_grad():
        p.zero_()
    return copies[0], copies[1], negative


@case("torch.nn.Parameter", reference=lambda np, x: x * 2 + 1, dtypes="f32", core=False)
def written_without_graph(t, dtype):
    """In place it is written under no_grad alone."""
    p = t.call("torch.nn.Parameter", t.randn((6,), dtype))
    t.raises(RuntimeError, p.mul_, 2)
    with t.fw.no_grad():
        p.mul_(2).add_(1)
    t.expect(p.requires_grad and p.is_leaf, "still a leaf that has a gradient")
    return p


@case("torch.nn.Parameter", dtypes="f32", reference="none", core=False)
def as_an_attribute(t, dtype):
    """A plain tensor is no parameter, and takes no parameter's place; None and del do away with it."""
    module, x = t.fw.nn.Module(), t.randn((3,), dtype)
    module.plain = x
    module.one, module.two = t.call("torch.nn.Parameter", x), t.call("torch.nn.Parameter", x)
    t.expect([name for name, _ in module.named_parameters()] == ["one", "two"], "two parameters")

    def replace():
        module.one = x

    t.raises(TypeError, replace)
    module.one = None
    del module.two
    t.expect(not list(module.parameters()) and module.one is None, "no parameters")


@case("torch.nn.Parameter", reference="none", core=False)
def parameter_refuses(t):
    t.raises((TypeError, AttributeError), t.call, "torch.nn.Parameter", [1.0, 2.0])
    t.raises((TypeError, AttributeError), t.call, "torch.nn.Parameter", 1.0)
    t.raises(TypeError, t.call, "torch.nn.Parameter", t.randn((2,), "f32"), True, 3)


@case("torch.nn.Parameter", core=False, reference="none")
def of_nothing_and_of_itself(t):
    """Without data it is empty; of a parameter it is another on the same memory; what it prints."""
    make, nn = "torch.nn.Parameter", t.fw.nn
    for args in ((), (None,)):
        made = t.call(make, *args)
        t.expect(made.shape == (0,) and made.requires_grad, "empty, and with a gradient")
    first = t.call(make, t.const([1.0, 2.0], "f32"))
    again = t.call(make, first, requires_grad=False)
    t.expect(again is not first and again.data_ptr() == first.data_ptr(), "the same memory")
    t.expect(first.requires_grad and not again.requires_grad, "a wish of its own")
    t.expect(repr(first).startswith("Parameter containing"), "what it prints, got %r" % first)
    t.expect(isinstance(first, nn.Parameter) and not isinstance(first.data, nn.Parameter), "data")


@case("torch.nn.Parameter", dtypes="f32", core=False, reference=lambda np, x, y: [y * y, 2 * y, x])
def with_other_data(t, dtype):
    """What is assigned to .data is what it is from then on: for gradients, too."""
    x, y = t.randn((4,), dtype), t.randn((4,), dtype)
    p = t.call("torch.nn.Parameter", x)
    p.data = y
    made = p * p
    made.sum().backward()
    return [made.detach(), p.grad, x]


@case("torch.nn.Parameter", dtypes="f32", core=False, reference=lambda np, x, w: [x**3 * w, 3 * x**2 * w, 6 * x * w])  # fmt: skip
def slope_of_its_slope(t, dtype):
    p, w = t.call("torch.nn.Parameter", t.uniform((5,), dtype, 0.5, 2)), t.randn((5,), dtype)
    made = p**3 * w
    first = t.fw.autograd.grad(made.sum(), p, create_graph=True)[0]
    return [made.detach(), first.detach(), t.fw.autograd.grad(first.sum(), p)[0]]


@case("torch.nn.Parameter", dtypes="f32", core=False, reference="none")
def frozen_hooked_and_typed(t, dtype):
    """requires_grad_ freezes; a hook sees the gradient, and may change it; a subclass stays one of its class."""
    p = t.call("torch.nn.Parameter", t.const([1.0, -2.0], dtype))
    p.register_hook(lambda slope: slope * 10)
    (p * p).sum().backward()
    t.expect(t.host(p.grad).tolist() == [20, -40], "what the hook gave, got %s" % p.grad)
    p.requires_grad_(False)
    t.expect(not (p * 2).requires_grad, "frozen")
    own = type("Own", (t.fw.Tensor,), {})
    made = t.call("torch.nn.Parameter", t.const([1.0], dtype).as_subclass(own))
    t.expect(isinstance(made, own) and isinstance(made, t.fw.nn.Parameter), "both of them")
    module = t.fw.nn.Module()
    module.one = made
    t.expect(list(module.parameters()) == [made], "a parameter of a module")


# --- torch.nn.Identity


@case(
    "torch.nn.Identity",
    reference=lambda np, x: x,
    dtypes="f32 bf16 i64 bool f16 f64 c64 u8",
    shapes="4x5",
    core="f32 bf16 i64 bool",
    name="forward",
)
@case(
    "torch.nn.Identity",
    reference=lambda np, x: x,
    dtypes="f32",
    shapes="scalar 2x3x4x5",
    core=False,
    name="forward",
)
@case(
    "torch.nn.Identity",
    reference=with_gradient(lambda np, x: x, lambda np, w, x: w),
    dtypes="f32 bf16 f64",
    shapes="4x5",
    grad=True,
    core="f32 bf16",
)
def gives_it_back(t, dtype, shape):
    return t.call(t.construct("torch.nn.Identity"), t.randn(shape, dtype))


@case(
    "torch.nn.Identity",
    reference=with_gradient(lambda np, x, *p: right.affine(np, x, *p[:2]), of=(0,)),
    dtypes="f32",
    grad=True,
    core=False,
    **_SUMS,
)
def in_the_place_of_a_layer(t, dtype):
    """A model whose last layer is taken away."""
    nn = t.fw.nn
    model = t.construct(lambda: nn.Sequential(nn.Linear(6, 4), nn.Linear(4, 2)), dtype=dtype)
    model[1] = nn.Identity()
    return t.call(model, t.randn((3, 6), dtype))


@case("torch.nn.Identity", reference="none", host_only=True, core=False)
def takes_any_arguments(t):
    """Of the constructor; none of them counts, and there is no state."""
    made = t.call("torch.nn.Identity", 54, unused=0.5, more=False)
    t.expect(not made.state_dict() and not list(made.parameters()), "no state")
    given = [1, "two"]
    t.expect(t.call(made, given) is given, "what is given, whatever it is")
    t.expect(t.call(made.eval(), given) is given, "the same out of training")


@case("torch.nn.Identity", reference=lambda np, x: x.T[::2], dtypes="f32", core=False)
def keeps_memory_and_strides(t, dtype):
    x = t.randn((6, 5), dtype, noncontiguous=True).T[::2]
    made = t.call(t.construct("torch.nn.Identity"), x)
    t.expect(made.stride() == x.stride(), "the strides of the input")
    t.expect(made.data_ptr() == x.data_ptr(), "the memory of the input")
    return made


@case("torch.nn.Identity", reference="none", core=False)
def identity_refuses(t):
    layer, x = t.construct("torch.nn.Identity"), t.randn((2, 3), "f32")
    t.raises(TypeError, t.call, layer, x, x)
    t.raises(TypeError, t.call, layer)
