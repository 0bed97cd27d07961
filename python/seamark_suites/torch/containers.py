"""torch.nn.Sequential as a container. nn.py has its forward pass."""

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
