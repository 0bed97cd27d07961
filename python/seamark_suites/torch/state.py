"""Objects with state: modules and parameters."""

from seamark_suites.case import case

from . import reference_nn as right

_SUMS = {"rtol": {"f32": 1e-4}, "atol": {"f32": 1e-4}}  # a few steps of training in f32


def _model(t, dtype):
    nn = t.fw.nn
    return t.construct(
        lambda: nn.Sequential(nn.Linear(5, 4), nn.Tanh(), nn.Linear(4, 1)), dtype=dtype
    )


def _of_the_model(np, *parameters):
    return dict(zip(("0.weight", "0.bias", "2.weight", "2.bias"), parameters))


@case("torch.nn.Module.state_dict", reference=_of_the_model, dtypes="f32 bf16")
def state_dict(t, dtype):
    model = _model(t, dtype)
    state = t.call(model.state_dict)
    t.expect(
        list(state) == ["0.weight", "0.bias", "2.weight", "2.bias"],
        "the parameters by name, got %s" % list(state),
    )
    return dict(state)


@case(
    "torch.nn.Module.state_dict",
    reference=lambda np, x, *parameters: (right.mlp(np, x, *parameters[:4]),) * 2,
    dtypes="f32",
    **_SUMS,
)
def loads_into_another(t, dtype):
    model, other = _model(t, dtype), _model(t, dtype)
    other.load_state_dict(t.call(model.state_dict))
    x = t.randn((3, 5), dtype)
    return model(x), other(x)


@case("torch.nn.Module.zero_grad", dtypes="f32 bf16", set_to_none=[True, False], reference="none")
def zero_grad(t, dtype, set_to_none):
    model = _model(t, dtype)
    model(t.randn((3, 5), dtype)).sum().backward()
    t.expect(all(p.grad is not None for p in model.parameters()), "gradients before")
    t.call(model.zero_grad, set_to_none=set_to_none)
    gone = [p.grad is None if set_to_none else not t.host(p.grad).any() for p in model.parameters()]
    t.expect(all(gone), "no gradients after")


@case(
    "torch.nn.Module.add_module",
    reference=lambda np, x, *p: right.affine(np, right.mlp(np, x, *p[:4]), *p[4:]),
    dtypes="f32",
    **_SUMS,
)
def add_module(t, dtype):
    model = _model(t, dtype)
    t.call(model.add_module, "last", t.construct("torch.nn.Linear", 1, 2, dtype=dtype))
    t.expect("last.weight" in dict(model.named_parameters()), "the parameters of the added module")
    t.raises(KeyError, model.add_module, "a.b", None)
    return model(t.randn((3, 5), dtype))


@case("torch.nn.Module.register_parameter", reference=lambda np, values: values, dtypes="f32 bf16")
def register_parameter(t, dtype):
    module = t.fw.nn.Module()
    values = t.randn((3, 4), dtype)
    t.call(module.register_parameter, "weight", t.fw.nn.Parameter(values))
    t.expect([name for name, _ in module.named_parameters()] == ["weight"], "the parameter by name")
    t.raises(KeyError, module.register_parameter, "a.b", None)
    return module.weight.detach()


@case(
    "torch.nn.BatchNorm2d.reset_running_stats",
    reference=lambda np, x, weight, bias: (np.zeros(3), np.ones(3)),
    dtypes="f32 f64",
    core="f32",
    trivial=True,
)
def reset_running_stats(t, dtype):
    layer = t.construct("torch.nn.BatchNorm2d", 3, dtype=dtype)
    layer(t.randn((4, 3, 2, 2), dtype))
    t.expect(bool(t.host(layer.running_mean).any()), "a running mean that has moved")
    t.call(layer.reset_running_stats)
    t.expect(int(t.host(layer.num_batches_tracked)) == 0, "no batches tracked")
    return layer.running_mean, layer.running_var


def _with_buffers(np, scale, hidden, *parameters):
    state = right.new_batch_norm(np, *parameters)
    return {"net.scale": scale, **{"net.norm." + name: value for name, value in state.items()}}


@case("torch.nn.Module.state_dict", reference=_with_buffers, dtypes="f32", core=False)
def with_buffers_and_prefix(t, dtype):
    model = t.fw.nn.ModuleDict({"norm": t.construct("torch.nn.BatchNorm2d", 3, dtype=dtype)})
    model.register_buffer("scale", t.randn((2,), dtype))
    model.register_buffer("hidden", t.randn((2,), dtype), persistent=False)
    state = t.call(model.state_dict, prefix="net.")
    names = {"weight", "bias", "running_mean", "running_var", "num_batches_tracked"}
    want = {"net.scale"} | {"net.norm." + name for name in names}
    t.expect(set(state) == want, "parameters and persistent buffers, got %s" % sorted(state))
    return dict(state)


@case("torch.nn.Module.state_dict", dtypes="f32", reference="none", core=False)
def shares_the_parameters(t, dtype):
    """Detached, but not copied; with keep_vars the parameters themselves."""
    model = _model(t, dtype)
    state = t.call(model.state_dict)
    t.expect(not any(value.requires_grad for value in state.values()), "detached values")
    with t.fw.no_grad():
        model[0].weight.fill_(3)
    t.expect(bool((t.host(state["0.weight"]) == 3).all()), "the memory of the parameter")
    kept = t.call(model.state_dict, keep_vars=True)
    t.expect(kept["0.weight"] is model[0].weight, "the parameter itself")


@case("torch.nn.Module.state_dict", dtypes="f32", reference="none", core=False)
def strict_loading(t, dtype):
    model, state = _model(t, dtype), t.call(_model(t, dtype).state_dict)
    del state["0.bias"]
    state["extra"] = t.randn((1,), dtype)
    told = str(t.raises(RuntimeError, model.load_state_dict, state))
    t.expect("0.bias" in told and "extra" in told, "both names, got %s" % told)
    missing, unexpected = model.load_state_dict(state, strict=False)
    t.expect(
        missing == ["0.bias"] and unexpected == ["extra"], "what is missing and what is too much"
    )
    state["0.weight"] = t.randn((1, 1), dtype)
    t.raises(RuntimeError, model.load_state_dict, state, strict=False)


@case("torch.nn.Module.state_dict", reference=_of_the_model, dtypes="f32 bf16", core=False)
def through_a_file(t, dtype):
    import os

    path = os.path.join(t.tmpdir(), "state.pt")
    t.fw.save(t.call(_model(t, dtype).state_dict), path)
    return dict(t.fw.load(path, map_location=t.device, weights_only=True))


@case("torch.nn.Module.state_dict", dtypes="f32", reference="none", core=False)
def extra_state(t, dtype):
    """What get_extra_state gives is saved beside the parameters and comes back on loading."""
    nn = t.fw.nn
    kind = type(
        "Counting",
        (nn.Linear,),
        {
            "count": 0,
            "get_extra_state": lambda self: {"count": self.count},
            "set_extra_state": lambda self, state: setattr(self, "count", state["count"]),
        },
    )
    one, two = (t.construct(kind, 3, 2, dtype=dtype) for _ in "ab")
    one.count = 5
    two.load_state_dict(t.call(one.state_dict))
    t.expect(two.count == 5, "the state of the first")
    t.expect(bool((t.host(one.weight) == t.host(two.weight)).all()), "and its parameters")


@case("torch.nn.Module.state_dict", dtypes="f32", reference="none", core=False)
def hooks_fire(t, dtype):
    model = _model(t, dtype)
    seen = []
    model.register_state_dict_pre_hook(lambda module, prefix, keep_vars: seen.append(prefix))
    model.register_state_dict_post_hook(
        lambda module, state, prefix, local: state.__setitem__("added", state["0.bias"])
    )
    state = t.call(model.state_dict)
    t.expect(seen == [""] and "added" in state, "one hook before and one after")


@case(
    "torch.nn.Module.zero_grad",
    reference=lambda np, x, *p: right.mlp_gradients(np, np.ones((len(x), 1)), x, *p),
    dtypes="f32 f64",
    core=False,
    **_SUMS,
)
def only_new_gradients(t, dtype):
    """After it a backward pass gives its own gradients, not a sum."""
    model, x = _model(t, dtype), t.randn((3, 5), dtype)
    for _ in range(2):
        t.call(model.zero_grad)
        model(x).sum().backward()
    return [parameter.grad for parameter in model.parameters()]


@case("torch.nn.Module.zero_grad", dtypes="f32", reference="none", core=False)
def keeps_the_memory(t, dtype):
    model = _model(t, dtype)
    model(t.randn((3, 5), dtype)).sum().backward()
    before = [parameter.grad for parameter in model.parameters()]
    t.call(model.zero_grad, set_to_none=False)
    after = [parameter.grad for parameter in model.parameters()]
    t.expect(all(a is b for a, b in zip(before, after)), "the same gradient tensors, now zero")
    t.expect(not any(t.host(grad).any() for grad in after), "zeros")


@case("torch.nn.Module.zero_grad", dtypes="f32", reference="none", core=False)
def without_gradients(t, dtype):
    """Frozen parameters and parameters that never had a gradient are left alone."""
    model = _model(t, dtype)
    model[0].requires_grad_(False)
    t.call(model.zero_grad)
    model(t.randn((3, 5), dtype)).sum().backward()
    t.call(model.zero_grad, set_to_none=False)
    t.expect(model[0].weight.grad is None, "no gradient of a frozen parameter")
    t.expect(not t.host(model[2].weight.grad).any(), "zero for the others")


@case("torch.nn.Module.zero_grad", dtypes="f32", reference="none", core=False)
def gradients_of_gradients(t, dtype):
    """A gradient that has a graph is cut from it."""
    model = _model(t, dtype)
    model(t.randn((3, 5), dtype)).pow(2).sum().backward(create_graph=True)
    t.expect(model[0].weight.grad.grad_fn is not None, "a gradient with a graph")
    t.call(model.zero_grad, set_to_none=False)
    grad = model[0].weight.grad
    t.expect(grad.grad_fn is None and not t.host(grad).any(), "zeros without a graph")


@case(
    "torch.nn.Module.add_module",
    reference=lambda np, x, *p: right.affine(np, right.affine(np, x, *p[:2]), *p[2:]),
    dtypes="f32",
    core=False,
    **_SUMS,
)
def in_the_order_added(t, dtype):
    model = t.fw.nn.Sequential()
    for name in ("second", "first"):
        t.call(model.add_module, name, t.construct("torch.nn.Linear", 3, 3, dtype=dtype))
    t.expect([name for name, _ in model.named_children()] == ["second", "first"], "that order")
    t.expect(model.second is model[0], "an attribute of that name")
    t.expect(next(iter(model.state_dict())) == "second.weight", "and in the state")
    return model(t.randn((2, 3), dtype))


@case("torch.nn.Module.add_module", dtypes="f32", reference="none", core=False)
def replaced_and_none(t, dtype):
    model = _model(t, dtype)
    t.call(model.add_module, "0", t.fw.nn.Identity())
    t.expect(
        isinstance(model[0], t.fw.nn.Identity) and len(model) == 3,
        "the module of that name replaced",
    )
    t.call(model.add_module, "none", None)
    t.expect(
        model.none is None and "none" not in dict(model.named_children()), "a place left empty"
    )


@case("torch.nn.Module.add_module", reference="none", core=False)
def add_module_refuses(t):
    model = _model(t, "f32")
    t.raises(TypeError, t.call, model.add_module, "x", 3)
    t.raises(TypeError, t.call, model.add_module, 3, t.fw.nn.Identity())
    t.raises(KeyError, t.call, model.add_module, "", t.fw.nn.Identity())
    t.raises(KeyError, t.call, model.add_module, "forward", t.fw.nn.Identity())


@case("torch.nn.Module.add_module", dtypes="f32", reference="none", core=False)
def follows_its_parent(t, dtype):
    """Mode, dtype and device reach the added module."""
    model = _model(t, dtype)
    t.call(model.add_module, "norm", t.construct("torch.nn.BatchNorm1d", 1, dtype=dtype))
    model.eval().to(t.dtype("f16"))
    t.expect(not model.norm.training, "out of training")
    t.expect(model.norm.weight.dtype is t.dtype("f16"), "the parent's new dtype")


@case("torch.nn.Module.register_parameter", dtypes="f32", reference="none", core=False)
def none_holds_the_place(t, dtype):
    module = t.fw.nn.Module()
    t.call(module.register_parameter, "bias", None)
    t.expect(module.bias is None and not list(module.parameters()), "an attribute, no parameter")
    module.bias = t.fw.nn.Parameter(t.randn((2,), dtype))
    t.expect(len(list(module.parameters())) == 1, "a parameter once it is set")


@case("torch.nn.Module.register_parameter", reference="none", core=False)
def register_parameter_refuses(t):
    module, x = t.fw.nn.Linear(2, 2), t.fw.nn.Parameter(t.randn((2,), "f32"))
    t.raises(TypeError, t.call, module.register_parameter, "x", t.randn((2,), "f32"))
    t.raises(KeyError, t.call, module.register_parameter, "", x)
    t.raises(KeyError, t.call, module.register_parameter, "forward", x)
    t.raises(TypeError, t.call, module.register_parameter, "x", x * 2)  # no leaf, no Parameter


@case(
    "torch.nn.Module.register_parameter",
    reference=lambda np, weight: weight / 2,
    dtypes="f32",
    core=False,
    **_SUMS,
)
def is_trained(t, dtype):
    module = t.fw.nn.Module()
    t.call(module.register_parameter, "weight", t.fw.nn.Parameter(t.randn((4,), dtype)))
    optimizer = t.fw.optim.SGD(module.parameters(), lr=0.25)
    (module.weight**2).sum().backward()
    optimizer.step()
    return module.weight.detach()


@case(
    "torch.nn.Module.register_parameter",
    reference=lambda np, weight: {"weight": weight},
    dtypes="f32",
    core=False,
)
def moves_and_is_saved(t, dtype):
    module = t.fw.nn.Module()
    t.call(module.register_parameter, "weight", t.fw.nn.Parameter(t.randn((4,), dtype)))
    module.to(t.dtype("f64"))
    return dict(module.state_dict())


@case(
    "torch.nn.BatchNorm2d.reset_running_stats",
    reference=lambda np, x, *parameters: right.new_batch_norm(np, *parameters),
    dtypes="f32 bf16",
    trivial=True,
    core=False,
)
def affine_parameters_stay(t, dtype):
    layer = t.construct("torch.nn.BatchNorm2d", 3, dtype=dtype)
    layer(t.randn((4, 3, 2, 2), dtype))
    t.call(layer.reset_running_stats)
    return dict(layer.state_dict())


@case("torch.nn.BatchNorm2d.reset_running_stats", dtypes="f32", reference="none", core=False)
def without_statistics(t, dtype):
    layer = t.construct("torch.nn.BatchNorm2d", 3, track_running_stats=False, dtype=dtype)
    t.call(layer.reset_running_stats)
    t.expect(layer.running_mean is None and layer.running_var is None, "none before and after")


def _evaluated_as_new(np, x, weight, bias):
    fresh = x / np.sqrt(1 + 1e-5) * weight.reshape(3, 1, 1) + bias.reshape(3, 1, 1)
    return (fresh, *right.running_statistics(np, x))


@case(
    "torch.nn.BatchNorm2d.reset_running_stats",
    reference=_evaluated_as_new,
    dtypes="f32",
    core=False,
    **_SUMS,
)
def evaluates_as_new(t, dtype):
    """Right after it the layer normalizes by mean zero and variance one; training moves them again."""
    layer, x = t.construct("torch.nn.BatchNorm2d", 3, dtype=dtype), t.randn((4, 3, 2, 2), dtype)
    layer(x)
    t.call(layer.reset_running_stats)
    fresh = layer.eval()(x)
    layer.train()(x)
    return fresh.detach(), layer.running_mean, layer.running_var


@case("torch.nn.BatchNorm2d.reset_running_stats", dtypes="f32", reference="none", core=False)
def in_place(t, dtype):
    """A state_dict that was taken before sees the reset: the buffers are changed, not replaced."""
    layer = t.construct("torch.nn.BatchNorm2d", 3, dtype=dtype)
    layer(t.randn((4, 3, 2, 2), dtype))
    state = layer.state_dict()
    t.call(layer.reset_running_stats)
    t.expect(not t.host(state["running_mean"]).any(), "a running mean of zero in the earlier state")
    t.expect(int(t.host(state["num_batches_tracked"])) == 0, "no batches in the earlier state")


# --- torch.nn.Parameter

PARAMETER = "torch.nn.Parameter"


@case(PARAMETER, core=False, reference="none")
def what_does_not_go_into_a_parameter(t):
    """A gradient of another size, dtype or kind, itself; lists as data; names with a dot, none, those of methods; what is computed."""
    fw, x = t.fw, t.randn((3, 4), "f32")
    held = t.call(PARAMETER, x)
    for wrong in (x[0], x.double(), [1.0], held):
        t.raises((RuntimeError, TypeError), setattr, held, "grad", wrong)
    t.raises((RuntimeError, TypeError), setattr, held, "data", [1.0])
    held.grad = x.clone()
    held.grad = None
    t.expect(held.grad is None, "no gradient any more")
    module = fw.nn.Module()
    for name in ("a.b", "", "forward"):
        t.raises(KeyError, module.register_parameter, name, held)
    for wrong in (x, held * 2, 3.0):
        t.raises((TypeError, ValueError), module.register_parameter, "a", wrong)
    t.raises(RuntimeError, held.__setitem__, 0, 1.0)
    t.raises(RuntimeError, t.call, PARAMETER, t.randint((3,), "i64", 0, 5), True)


@case(PARAMETER, dtypes="f32 f64", core=False, since=("2.1", "hooks behind the sum"), reference=lambda np, x, w: [2 * w + 3 * x**2, x, 2 * w, 2 * w + 3 * x**2])  # fmt: skip
def under_two_names(t, dtype):
    """One that two names have is listed once, saved under both, and gets the gradients of both; what sees each sum; a deep copy has no gradient."""
    import copy

    held, w = t.call(PARAMETER, t.uniform((4,), dtype, 0.5, 2)), t.uniform((4,), dtype, 0.5, 2)
    module, seen = t.fw.nn.Module(), []
    module.one = module.two = held
    t.expect(len(list(module.parameters())) == 1 and list(module.state_dict()) == ["one", "two"], "one parameter, two names")  # fmt: skip
    hook = held.register_post_accumulate_grad_hook(lambda one: seen.append(one.grad.clone()))
    (module.one * w * 2).sum().backward()
    (module.two**3).sum().backward()
    hook.remove()
    t.expect(len(seen) == 2, "once for each pass, got %d" % len(seen))
    other = copy.deepcopy(held)
    t.expect(
        other.grad is None and isinstance(other, t.fw.nn.Parameter), "a copy without a gradient"
    )
    return [held.grad, other, *seen]


@case(PARAMETER, dtypes="f32", core=False, reference=lambda np, x: [x, x, x.T])
def stays_one(t, dtype):
    """A module that is moved to another dtype has the same one; saved it keeps its strides, whether it learns, and its own attributes; on meta, in inference mode."""
    import io
    import pickle

    fw, x = t.fw, t.randn((3, 4), dtype)
    module = fw.nn.Module()
    module.one = held = t.call(PARAMETER, x.clone())
    module.double()
    t.expect(module.one is held and held.dtype is fw.float64 and held.is_leaf, "the same, in f64")
    back = module.float().one.detach()
    frozen = t.call(PARAMETER, x.mT, requires_grad=False)
    again = pickle.loads(pickle.dumps(frozen))
    t.expect(
        not again.requires_grad and again.stride() == frozen.stride(), "its strides, no gradient"
    )
    frozen.extra, file = 5, io.BytesIO()
    fw.save(frozen, file)
    file.seek(0)
    loaded = fw.load(file, weights_only=False)
    t.expect(type(loaded) is fw.nn.Parameter and loaded.extra == 5, "its own attribute")
    t.expect(t.get(PARAMETER)(x.to("meta")).is_meta, "on meta")
    with fw.inference_mode():
        t.expect(t.call(PARAMETER, fw.ones(2, device=t.device)).is_inference(), "in inference mode")
    t.expect(not isinstance(x, fw.nn.Parameter), "a tensor is none")
    x._is_param = True
    t.expect(isinstance(x, fw.nn.Parameter), "what says that it is one")
    return [back, loaded.mT.detach(), again]


@case(PARAMETER, dtypes="f32", core=False, reference=lambda np, x, kept, w: [x * kept, np.broadcast_to(w.sum(1), (3, 4)) * kept])  # fmt: skip
def of_sparse_numbers(t, dtype):
    """It is sparse, learns in the places that it has, and takes no dense data."""
    x, kept, w = t.uniform((3, 4), dtype, 1, 2), t.randn((3, 4), "bool"), t.randn((4, 2), dtype)
    held = t.call(PARAMETER, (x * kept).to_sparse())
    t.expect(held.is_sparse and held.is_leaf and isinstance(held, t.fw.nn.Parameter), "sparse")
    t.fw.sparse.mm(held, w).sum().backward()
    t.raises(RuntimeError, setattr, held, "data", x)
    return [held.detach().to_dense(), held.grad.to_dense() * kept]


@case(PARAMETER, dtypes="f32", core=False, reference=lambda np, x, w: [3 * w * x**2, x])
def made_without_a_graph(t, dtype):
    """no_grad does not reach it: it learns; a class whose detach() gives another is refused, one that keeps its class is not."""
    fw, x, w = t.fw, t.uniform((5,), dtype, 0.5, 2), t.randn((5,), dtype)
    with fw.no_grad():
        held, still = t.call(PARAMETER, x.clone()), t.call(PARAMETER, x.clone(), requires_grad=False)  # fmt: skip
    t.expect(held.requires_grad and held.is_leaf, "it learns")
    t.expect(not still.requires_grad, "it does not where one asks so")
    (held**3 * w).sum().backward()
    lost = type("Lost", (fw.Tensor,), {"detach": lambda self: x})
    t.raises(RuntimeError, t.call, PARAMETER, x.as_subclass(lost))
    kept = type("Kept", (fw.Tensor,), {})
    t.expect(type(t.call(PARAMETER, x.as_subclass(kept))) is kept, "of its own class")
    return [held.grad, still]
