"""torch.nn.Sequential and torch.nn.ModuleList as containers. nn.py and module_parts.py have their forward passes."""

from collections import OrderedDict

from seamark_suites.case import case

from . import reference_nn as right

_SUMS = {
    "rtol": {"f32": 1e-4, "bf16": 3e-2},
    "atol": {"f32": 1e-4, "bf16": 3e-2},
}  # matrix products


def _model(t, dtype, **options):
    nn = t.fw.nn
    return t.construct(
        lambda: nn.Sequential(nn.Linear(6, 4), nn.Dropout(0.5), nn.Linear(4, 2)), dtype=dtype
    )


def _relu_between(np, x, *parameters):
    first, last = right.pairs(parameters)
    return right.affine(np, right.relu(np, right.affine(np, x, *first)), *last)


@case("torch.nn.Sequential", reference=_relu_between, dtypes="f32 bf16", core=False, **_SUMS)
def by_name(t, dtype):
    nn = t.fw.nn
    layers = OrderedDict(
        [("first", nn.Linear(6, 4)), ("act", nn.ReLU()), ("last", nn.Linear(4, 2))]
    )
    model = t.construct(lambda: t.call("torch.nn.Sequential", layers), dtype=dtype)
    t.expect(model.first is model[0] and model[-1] is model.last, "by name and by position")
    t.expect(list(model.state_dict())[-1] == "last.bias", "the names in the state")
    return t.call(model, t.randn((3, 6), dtype))


@case(
    "torch.nn.Sequential",
    reference=lambda np, x, *p: np.tanh(_relu_between(np, x, *p)),
    dtypes="f32",
    core=False,
    **_SUMS,
)
def edited(t, dtype):
    """append, insert, extend, delete, slices and addition."""
    model, nn = _model(t, dtype), t.fw.nn
    del model[1]
    model.append(nn.Tanh()).insert(1, nn.ReLU())
    model.extend([nn.Identity()])
    kinds = [type(layer).__name__ for layer in model]
    t.expect(
        kinds == ["Linear", "ReLU", "Linear", "Tanh", "Identity"], "that order, got %s" % kinds
    )
    t.expect(
        isinstance(model[:2], nn.Sequential) and len(model[:2]) == 2, "a slice is a Sequential"
    )
    t.expect(len(model[:2] + model[2:]) == 5, "addition joins")
    t.expect(type(model.pop(-1)).__name__ == "Identity", "pop")
    return t.call(model, t.randn((3, 6), dtype))


@case("torch.nn.Sequential", dtypes="f32", reference="none", core=False)
def modes_reach_the_layers(t, dtype):
    model, x = _model(t, dtype), t.uniform((64, 6), dtype, 1, 2)
    t.expect(
        bool((t.host(t.call(model, x)) != t.host(t.call(model, x))).any()), "dropout in training"
    )
    model.eval()
    t.expect(not any(layer.training for layer in model), "every layer out of training")
    t.expect(bool((t.host(t.call(model, x)) == t.host(t.call(model, x))).all()), "no dropout")


@case("torch.nn.Sequential", dtypes="f32", reference="none", core=False)
def hooks_fire(t, dtype):
    model, seen = _model(t, dtype).eval(), []
    handle = model[0].register_forward_hook(lambda module, given, result: seen.append("forward"))
    model.register_forward_pre_hook(lambda module, given: seen.append("before"))
    model.register_full_backward_hook(lambda module, given, result: seen.append("backward"))
    t.call(model, t.randn((3, 6), dtype, grad=True)).sum().backward()
    t.expect(seen == ["before", "forward", "backward"], "each hook once, in order, got %s" % seen)
    handle.remove()
    model(t.randn((3, 6), dtype))
    t.expect(seen[3:] == ["before"], "not the removed one")


def _same_three_times(np, x, *parameters):
    first, last = right.pairs(parameters)
    made = right.affine(np, right.affine(np, x, *first), *last)
    return made, [made, made]


@case("torch.nn.Sequential", reference=_same_three_times, dtypes="f32", core=False, **_SUMS)
def copied_and_pickled(t, dtype):
    """A deep copy and a pickled copy compute the same and are independent."""
    import copy
    import pickle

    model, x = _model(t, dtype).eval(), t.randn((3, 6), dtype)
    copies = [copy.deepcopy(model), pickle.loads(pickle.dumps(model))]
    made = t.call(model, x)
    with t.fw.no_grad():
        model[0].weight.zero_()
    return made, [one(x) for one in copies]


@case("torch.nn.Sequential", reference=lambda np, x: x, dtypes="f32", core=False)
def without_layers(t, dtype):
    """It gives back what it is given."""
    return t.call(t.call("torch.nn.Sequential"), t.randn((3, 6), dtype))


@case("torch.nn.Sequential", reference="none", core=False)
def sequential_refuses(t):
    model = _model(t, "f32")
    t.raises(TypeError, t.call, "torch.nn.Sequential", 3)
    t.raises(IndexError, lambda: model[3])
    t.raises(RuntimeError, t.call, model, t.randn((3, 5), "f32"))


# --- torch.nn.ModuleList, beside a list of Python


@case("torch.nn.ModuleList", host_only=True, core=False, reference="none")
def as_a_list_of_modules(t):
    """Whatever is done to both, they hold the same modules in the same order, as its children, too."""
    nn, make = t.fw.nn, t.get("torch.nn.ModuleList")
    plain = [nn.ReLU(), nn.Linear(5, 5)]
    held = t.call("torch.nn.ModuleList", plain)
    change = [
        lambda of, new: of.append(new), lambda of, new: of.insert(1, new),
        lambda of, new: of.extend(iter([new, nn.Identity()])) if of is held else of.extend([new, held[-1]]),
        lambda of, new: of.__setitem__(2, new), lambda of, new: of.__setitem__(-1, new), lambda of, new: of.__iadd__([new]),
        lambda of, new: of.__delitem__(-1), lambda of, new: of.__delitem__(slice(1, None, 3)), lambda of, new: of.pop(1),
        lambda of, new: of.insert(len(of), new), lambda of, new: of.pop(-1),
    ]  # fmt: skip
    for number, one in enumerate(change):
        new = nn.Linear(2, 2)
        one(held, new)
        one(plain, new)
        same = len(held) == len(plain) and all(a is b for a, b in zip(held, plain))
        t.expect(same and all(a is b for a, b in zip(held.children(), plain)), "change %d" % number)
        t.expect([name for name, _ in held.named_children()] == [*map(str, range(len(plain)))], "names in order")  # fmt: skip
    for part in (slice(1, None), slice(None, -1), slice(None, None, 2), slice(3, 0, -1)):
        t.expect(type(held[part]) is make and list(held[part]) == plain[part], "%s" % part)
    index = t.fw.tensor(2, dtype=t.fw.int32)
    held[index] = plain[2] = nn.Tanh()
    t.expect(
        held[index] is plain[2] and held[t.np.int64(2)] is plain[2], "by integers of other kinds"
    )
    both = held + make([nn.ReLU(), *held])
    t.expect(len(both) == 2 * len(plain) + 1 and list(both)[: len(plain)] == plain, "joined")
    t.expect(list(reversed(held)) == plain[::-1] and list(make(nn.Sequential(*plain).children())) == plain, "turned, and of children")  # fmt: skip
    for wrong in (
        lambda: held.__iadd__(nn.ReLU()),
        lambda: held.extend(nn.ReLU()),
        lambda: held.extend(3),
    ):
        t.raises(TypeError, wrong)
    for wrong in (lambda: held[len(held)], lambda: held[-len(held) - 1]):
        t.raises(IndexError, wrong)
    t.raises(NotImplementedError, held)


@case("torch.nn.ModuleList", host_only=True, core=False, reference="none")
def tells_what_it_holds(t):
    """Equal modules that follow one another are told once; None keeps its place; a copy is another list of other modules."""
    import copy

    nn = t.fw.nn
    held = t.call(
        "torch.nn.ModuleList", [nn.Linear(2, 3), nn.Linear(2, 3), nn.ReLU(), nn.Linear(2, 3)]
    )
    told = ["ModuleList(", "  (0-1): 2 x Linear(in_features=2, out_features=3, bias=True)", "  (2): ReLU()",
            "  (3): Linear(in_features=2, out_features=3, bias=True)", ")"]  # fmt: skip
    t.expect(repr(held).split("\n") == told, "its text, got %r" % held)
    t.expect(repr(t.call("torch.nn.ModuleList")) == "ModuleList()", "of nothing")
    copied = copy.deepcopy(held)
    t.expect(all(a is not b for a, b in zip(held, copied)), "other modules")
    t.expect([*map(str, copied)] == [*map(str, held)], "of the same kinds")
    t.expect(not any(name.isdigit() for name in dir(held)), "no numbers among its names")
    held.apply(lambda module: module.requires_grad_(False))
    t.expect(not any(one.requires_grad for one in held.parameters()), "each of them is reached")
    t.expect(next(held.modules()) is held, "itself first")


@case("torch.nn.ModuleList", dtypes="f32", core=False, reference=lambda np, x, *parameters: [
      sum(right.affine(np, x, *pair) for pair in right.pairs(parameters))] * 2, **_SUMS)  # fmt: skip
def within_a_script(t, dtype):
    """torch.jit.script unrolls its loop, and takes one by a number that is known; the module alone gives the same."""
    torch = t.fw

    class Sums(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.parts = torch.nn.ModuleList([torch.nn.Linear(6, 4) for _ in range(3)])

        def forward(self, x):
            made = self.parts[0](x)
            for number, part in enumerate(self.parts):
                if number > 0:
                    made = made + part(x)
            return made

    module, x = t.construct(Sums, dtype=dtype), t.randn((3, 6), dtype)
    return [t.call(torch.jit.script(module), x).detach(), t.call(module, x).detach()]
