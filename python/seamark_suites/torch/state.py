"""Objects with state: modules, parameters, optimizers, schedulers, autograd."""

from seamark_suites.case import case

_SUMS = {"rtol": {"f32": 1e-4}, "atol": {"f32": 1e-4}}  # a few steps of training in f32


def _model(t, dtype):
    nn = t.fw.nn
    return t.construct(
        lambda: nn.Sequential(nn.Linear(5, 4), nn.Tanh(), nn.Linear(4, 1)), dtype=dtype
    )


def _train(t, dtype, optimizer, steps=4):
    """Parameters after some steps on a fixed batch; the loss must have gone down."""
    model = _model(t, dtype)
    x, y = t.randn((16, 5), dtype, grad=False), t.randn((16, 1), dtype, grad=False)
    chosen = optimizer(model.parameters())
    losses = []

    def closure():
        chosen.zero_grad()
        loss = t.fw.nn.functional.mse_loss(model(x), y)
        loss.backward()
        return loss

    for _ in range(steps):
        losses.append(float(closure().detach()))
        if isinstance(chosen, t.fw.optim.LBFGS):
            t.call(chosen.step, closure)
        else:
            t.call(chosen.step)
    t.expect(float(closure().detach()) < losses[0], "a lower loss after %d steps" % steps)
    return [parameter.detach() for parameter in model.parameters()]


@case("torch.optim.LBFGS", dtypes="f32 f64", line_search=[None, "strong_wolfe"], core="f32",
      rtol={"f32": 2e-2}, atol={"f32": 2e-2})  # the line search amplifies roundings # fmt: skip
def lbfgs(t, dtype, line_search):
    make = t.get("torch.optim.LBFGS")
    return _train(
        t, dtype, lambda p: make(p, lr=0.2, max_iter=3, line_search_fn=line_search), steps=2
    )


@case("torch.optim.Adamax", dtypes="f32 f64", weight_decay=[0.0, 0.1], core="f32", **_SUMS)
def adamax(t, dtype, weight_decay):
    make = t.get("torch.optim.Adamax")
    return _train(t, dtype, lambda p: make(p, lr=0.05, weight_decay=weight_decay))


@case("torch.optim.Adamax", dtypes="f32", **_SUMS)
def saved_and_restored(t, dtype):
    """A restored optimizer goes on as if it had never stopped."""
    model = _model(t, dtype)
    x = t.randn((8, 5), dtype)

    def steps(optimizer, n):
        for _ in range(n):
            optimizer.zero_grad()
            (model(x) ** 2).mean().backward()
            t.call(optimizer.step)

    first = t.get("torch.optim.Adamax")(model.parameters(), lr=0.05)
    steps(first, 2)
    second = t.get("torch.optim.Adamax")(model.parameters(), lr=0.9)
    second.load_state_dict(first.state_dict())
    steps(second, 2)
    t.expect(second.param_groups[0]["lr"] == 0.05, "the saved learning rate")
    return [parameter.detach() for parameter in model.parameters()]


@case("torch.optim.Rprop", dtypes="f32 f64", core="f32", **_SUMS)
def rprop(t, dtype):
    make = t.get("torch.optim.Rprop")
    return _train(t, dtype, lambda p: make(p, lr=0.01))


@case("torch.optim.lr_scheduler.ExponentialLR", dtypes="f32", reference="none", host_only=True)
def exponential_lr(t, dtype):
    model = _model(t, dtype)
    optimizer = t.fw.optim.SGD(model.parameters(), lr=0.5)
    scheduler = t.call("torch.optim.lr_scheduler.ExponentialLR", optimizer, gamma=0.9)
    seen = []
    for _ in range(4):
        seen.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step()
    t.expect(
        all(abs(lr - 0.5 * 0.9**i) < 1e-12 for i, lr in enumerate(seen)),
        "lr * gamma**epoch, got %s" % seen,
    )


@case("torch.nn.Module.state_dict", dtypes="f32 bf16")
def state_dict(t, dtype):
    model = _model(t, dtype)
    state = t.call(model.state_dict)
    t.expect(
        list(state) == ["0.weight", "0.bias", "2.weight", "2.bias"],
        "the parameters by name, got %s" % list(state),
    )
    return dict(state)


@case("torch.nn.Module.state_dict", dtypes="f32", **_SUMS)
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


@case("torch.nn.Module.add_module", dtypes="f32", **_SUMS)
def add_module(t, dtype):
    model = _model(t, dtype)
    t.call(model.add_module, "last", t.construct("torch.nn.Linear", 1, 2, dtype=dtype))
    t.expect("last.weight" in dict(model.named_parameters()), "the parameters of the added module")
    t.raises(KeyError, model.add_module, "a.b", None)
    return model(t.randn((3, 5), dtype))


@case("torch.nn.Module.register_parameter", dtypes="f32 bf16")
def register_parameter(t, dtype):
    module = t.fw.nn.Module()
    values = t.randn((3, 4), dtype)
    t.call(module.register_parameter, "weight", t.fw.nn.Parameter(values))
    t.expect([name for name, _ in module.named_parameters()] == ["weight"], "the parameter by name")
    t.raises(KeyError, module.register_parameter, "a.b", None)
    return module.weight.detach()


@case("torch.nn.BatchNorm2d.reset_running_stats", dtypes="f32 f64", core="f32", trivial=True)
def reset_running_stats(t, dtype):
    layer = t.construct("torch.nn.BatchNorm2d", 3, dtype=dtype)
    layer(t.randn((4, 3, 2, 2), dtype))
    t.expect(bool(t.host(layer.running_mean).any()), "a running mean that has moved")
    t.call(layer.reset_running_stats)
    t.expect(int(t.host(layer.num_batches_tracked)) == 0, "no batches tracked")
    return layer.running_mean, layer.running_var


@case("torch.autograd.Variable", dtypes="f32 f64", core="f32")
def variable(t, dtype):
    x = t.call("torch.autograd.Variable", t.randn((4,), dtype), requires_grad=True)
    (x**3).sum().backward()
    return x.detach(), x.grad


@case("torch.autograd.functional.jvp", dtypes="f32 f64", core="f32", rtol={"f32": 1e-5})
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
