"""Optimizers and schedulers: what they leave behind."""

from seamark_suites.case import case

from . import reference_optim as right

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
            loss = t.call(chosen.step, closure)
            t.expect(abs(float(loss) - losses[-1]) < 1e-3, "the loss before the step as its result")
        else:
            t.call(chosen.step)
    t.expect(float(closure().detach()) < losses[0], "a lower loss after %d steps" % steps)
    return [parameter.detach() for parameter in model.parameters()]


@case("torch.optim.LBFGS", reference=right.lbfgs,
      dtypes="f32 f64", line_search=[None, "strong_wolfe"], core="f32",
      rtol={"f32": 2e-2}, atol={"f32": 2e-2})  # the line search amplifies roundings # fmt: skip
def lbfgs(t, dtype, line_search):
    make = t.get("torch.optim.LBFGS")
    return _train(
        t, dtype, lambda p: make(p, lr=0.2, max_iter=3, line_search_fn=line_search), steps=2
    )


@case(
    "torch.optim.Adamax",
    reference=lambda np, x, y, *parameters, weight_decay: right.trained(
        np, right.Adamax(np, 0.05, weight_decay), x, y, *parameters
    ),
    dtypes="f32 f64",
    weight_decay=[0.0, 0.1],
    core="f32",
    **_SUMS,
)
def adamax(t, dtype, weight_decay):
    make = t.get("torch.optim.Adamax")
    return _train(t, dtype, lambda p: make(p, lr=0.05, weight_decay=weight_decay))


@case(
    "torch.optim.Adamax",
    reference=lambda np, x, *parameters: right.trained(
        np, right.Adamax(np, 0.05), x, 0, *parameters
    ),
    dtypes="f32",
    **_SUMS,
)
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


@case(
    "torch.optim.Rprop",
    reference=lambda np, x, y, *parameters: right.trained(
        np, right.Rprop(np, 0.01), x, y, *parameters
    ),
    dtypes="f32 f64",
    core="f32",
    **_SUMS,
)
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


@case(
    "torch.optim.Adamax",
    reference=right.down_and_up(right.Adamax),
    dtypes="f32",
    core=False,
    **_SUMS,
)
@case(
    "torch.optim.Rprop", reference=right.down_and_up(right.Rprop), dtypes="f32", core=False, **_SUMS
)
def maximizes(t, dtype, function):
    """maximize=True goes up where the default goes down."""
    made = []
    for maximize in (False, True):
        x = t.fw.nn.Parameter(t.const([1.0, -2.0], dtype))
        optimizer = t.get(function)([x], lr=0.1, maximize=maximize)
        (x * x).sum().backward()
        t.call(optimizer.step)
        made.append(x.detach())
    t.expect(bool((abs(t.host(made[0])) < abs(t.host(made[1]))).all()), "down, and up")
    return made


@case("torch.optim.Adamax", reference=right.twice(right.Adamax), dtypes="f32", core=False, **_SUMS)
@case("torch.optim.Rprop", reference=right.twice(right.Rprop), dtypes="f32", core=False, **_SUMS)
def all_at_once(t, dtype, function):
    """foreach=True and the plain loop give the same."""
    make, results = t.get(function), []
    draws = [t.randn((3, 4), dtype), t.randn((5,), dtype), t.randn((2, 2), dtype)]
    for foreach in (False, True):
        parameters = [t.fw.nn.Parameter(x.clone()) for x in draws]
        optimizer = make(parameters, lr=0.05, foreach=foreach)
        for _ in range(3):
            optimizer.zero_grad()
            sum((p**2).sum() for p in parameters).backward()
            t.call(optimizer.step)
        results.append([p.detach() for p in parameters])
    for one, two in zip(*results):
        t.expect(bool(abs(t.host(one) - t.host(two)).max() < 1e-5), "the same parameters")
    return results


@case("torch.optim.Adamax", reference=right.three_steps(right.Adamax),
      dtypes="bf16 c64", core=False, rtol={"bf16": 5e-2, "c64": 1e-4},
      atol={"bf16": 2e-2, "c64": 1e-4})  # three steps in bf16 # fmt: skip
@case("torch.optim.Rprop", reference=right.three_steps(right.Rprop),
      dtypes="bf16 c64", core=False, rtol={"bf16": 5e-2, "c64": 1e-4},
      atol={"bf16": 2e-2, "c64": 1e-4})  # three steps in bf16 # fmt: skip
def other_dtypes(t, dtype, function):
    # Far from zero: beside it bf16 loses the gradient's sign, on which Rprop's step depends.
    x = t.fw.nn.Parameter(t.uniform((6,), dtype, 0.5, 2))
    optimizer = t.get(function)([x], lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        (x * x.conj()).real.sum().backward()
        t.call(optimizer.step)
    return x.detach()


@case("torch.optim.Adamax", reference=right.through_adamax, dtypes="f32", core=False, **_SUMS)
@case("torch.optim.Rprop", reference=right.through_rprop, dtypes="f32", core=False, **_SUMS)
def through_a_step(t, dtype, function):
    """differentiable=True: what comes after a step has a gradient in what was before it."""
    start = t.randn((4,), dtype, grad=True)
    x = start.clone()
    optimizer = t.get(function)([x], lr=0.1, differentiable=True)
    x.grad = start**3
    t.call(optimizer.step)
    (x**2).sum().backward()
    return x.detach(), start.grad


@case("torch.optim.Adamax", reference=right.groups, dtypes="f32", core=False, **_SUMS)
def groups(t, dtype):
    """Each group of parameters has its own rate; what has no gradient stays."""
    x, y, z = (t.fw.nn.Parameter(t.randn((3,), dtype)) for _ in range(3))
    optimizer = t.get("torch.optim.Adamax")(
        [{"params": [x]}, {"params": [y, z], "lr": 0.5}], lr=0.01
    )
    (x.sum() + y.sum()).backward()
    before = t.host(z)
    t.call(optimizer.step)
    t.expect(bool((t.host(z) == before).all()), "no step without a gradient")
    return x.detach(), y.detach()


@case("torch.optim.Adamax", reference="none", core=False)
@case("torch.optim.Rprop", reference="none", core=False)
def refuses(t, function):
    """Wrong options, no parameters, what is no leaf, and sparse gradients."""
    make, x = t.get(function), t.fw.nn.Parameter(t.randn((4, 2), "f32"))
    wrong = {"betas": (1.5, 0.9)} if function == "torch.optim.Adamax" else {"etas": (1.5, 1.2)}
    t.raises(ValueError, make, [x], lr=-1.0)
    t.raises(ValueError, make, [x], **wrong)
    t.raises(ValueError, make, [])
    t.raises(ValueError, make, [x * 2])
    t.raises(TypeError, make, x)
    x.grad = t.fw.ones_like(x).to_sparse()
    t.raises(RuntimeError, t.call, make([x]).step)


@case("torch.optim.Rprop", reference=right.growing_and_shrinking, dtypes="f32", core=False, **_SUMS)
def steps_grow_and_shrink(t, dtype):
    """The step of an element grows while the gradient keeps its sign, else it shrinks, within bounds."""
    x = t.fw.nn.Parameter(t.const([0.0, 0.0], dtype))
    optimizer = t.get("torch.optim.Rprop")([x], lr=0.1, etas=(0.5, 2.0), step_sizes=(0.06, 0.3))
    seen = []
    for gradient in ([1.0, 1.0], [2.0, -1.0], [3.0, 1.0], [1.0, 1.0]):
        x.grad = t.const(gradient, dtype)
        t.call(optimizer.step)
        seen.append(x.detach().clone())
    t.expect(
        abs(float(t.host(seen[2])[0] - t.host(seen[1])[0]) + 0.3) < 1e-6, "at most the largest step"
    )
    return seen


@case("torch.optim.Rprop", reference=right.goes_on(right.Rprop), dtypes="f32", core=False, **_SUMS)
@case(
    "torch.optim.LBFGS",
    reference=right.goes_on(right.LBFGS),
    dtypes="f32",
    core=False,
    rtol={"f32": 1e-3},
    atol={"f32": 1e-3},
)
def state_goes_on(t, dtype, function):
    """Saved to a file, loaded into a new optimizer, it goes on as if it had never stopped."""
    import os

    start, results, losses = t.randn((4,), dtype), [], []
    target, path = t.randn((4,), dtype), os.path.join(t.tmpdir(), "optimizer.pt")
    for restored in (False, True):
        x = t.fw.nn.Parameter(start.clone())
        options = {"max_iter": 2} if function == "torch.optim.LBFGS" else {}
        optimizer = t.get(function)([x], lr=0.1, **options)

        def closure():
            optimizer.zero_grad()  # noqa: B023
            loss = ((x - target) ** 4).sum()  # noqa: B023
            loss.backward()
            return loss

        for step in range(4):
            if restored and step == 2:
                t.fw.save(optimizer.state_dict(), path)
                optimizer = t.get(function)([x], lr=9.0, **options)
                optimizer.load_state_dict(t.fw.load(path, weights_only=True))
            losses.append(t.call(optimizer.step, closure).detach())
        results.append(x.detach())
    t.expect(bool((t.host(results[0]) == t.host(results[1])).all()), "the run without a stop")
    return results[1], losses


@case(
    "torch.optim.LBFGS",
    reference=right.quadratic,
    dtypes="f32 f64",
    core=False,
    rtol={"f32": 1e-3},
    atol={"f32": 1e-3},
)
def solves_a_quadratic(t, dtype):
    matrix, b = t.spd(5, dtype), t.randn((5,), dtype)
    x = t.fw.nn.Parameter(t.fw.zeros_like(b))
    optimizer = t.get("torch.optim.LBFGS")([x], max_iter=50, line_search_fn="strong_wolfe")

    def closure():
        optimizer.zero_grad()
        loss = 0.5 * x @ matrix @ x - b @ x
        loss.backward()
        return loss

    first = t.call(optimizer.step, closure)
    t.expect(float(first.detach()) == 0.0, "the loss at the start is what step returns")
    residual = t.host(matrix) @ t.host(x) - t.host(b)
    t.expect(float(abs(residual).max()) < 1e-2, "the solution of the linear system")
    return x.detach()


@case(
    "torch.optim.LBFGS",
    reference=lambda np, x, target: (target, np.asarray((abs(x - target) ** 2).sum())),
    dtypes="c64",
    core=False,
    rtol={"c64": 1e-3},
    atol={"c64": 1e-3},
)
def complex_parameters(t, dtype):
    x, target = t.fw.nn.Parameter(t.randn((4,), dtype)), t.randn((4,), dtype)
    optimizer = t.get("torch.optim.LBFGS")([x], max_iter=20, line_search_fn="strong_wolfe")

    def closure():
        optimizer.zero_grad()
        loss = (x - target).abs().pow(2).sum()
        loss.backward()
        return loss

    first = t.call(optimizer.step, closure)
    t.expect(float(abs(t.host(x) - t.host(target)).max()) < 1e-3, "the nearest point")
    return x.detach(), first.detach()


@case("torch.optim.LBFGS", dtypes="f32", reference="none", core=False)
def stops_when_told(t, dtype):
    """max_eval bounds the evaluations, tolerance_grad ends at once where nothing is to gain."""
    x, calls = t.fw.nn.Parameter(t.randn((3,), dtype)), []
    make = t.get("torch.optim.LBFGS")

    def closure():
        calls.append(1)
        x.grad = None
        loss = (x**4).sum()
        loss.backward()
        return loss

    t.call(make([x], max_iter=50, max_eval=3).step, closure)
    t.expect(1 < len(calls) <= 4, "about three evaluations, got %d" % len(calls))
    del calls[:]
    before = float((x.detach() ** 4).sum())
    loss = t.call(make([x], tolerance_grad=1e9).step, closure)
    t.expect(abs(float(loss) - before) < 1e-5, "the loss where it stopped, %g" % before)
    t.expect(len(calls) == 1, "one evaluation, got %d" % len(calls))


@case("torch.optim.LBFGS", reference="none", core=False)
def lbfgs_refuses(t):
    make, x, y = (
        t.get("torch.optim.LBFGS"),
        *(t.fw.nn.Parameter(t.randn((2,), "f32")) for _ in "ab"),
    )
    t.raises(TypeError, t.call, make([x]).step)
    t.raises(ValueError, make, [{"params": [x]}, {"params": [y]}])
    t.raises(ValueError, make, [x], lr=-1.0)

    def closure():
        loss = (x * x).sum()
        loss.backward()
        return loss

    t.raises(RuntimeError, t.call, make([x], line_search_fn="armijo").step, closure)


def _scheduled(t, rates, **options):
    groups = [{"params": [t.fw.nn.Parameter(t.randn((2,), "f32"))], "lr": rate} for rate in rates]
    optimizer = t.fw.optim.SGD(groups)
    return optimizer, t.call("torch.optim.lr_scheduler.ExponentialLR", optimizer, **options)


@case("torch.optim.lr_scheduler.ExponentialLR", reference="none", host_only=True, core=False)
def every_group(t):
    optimizer, scheduler = _scheduled(t, [1.0, 0.1], gamma=0.5)
    for _ in range(3):
        optimizer.step()
        scheduler.step()
    rates = [group["lr"] for group in optimizer.param_groups]
    t.expect(rates == [0.125, 0.0125], "each group's own rate, halved three times, got %s" % rates)
    t.expect(scheduler.get_last_lr() == rates, "get_last_lr")


@case("torch.optim.lr_scheduler.ExponentialLR", reference="none", host_only=True, core=False)
def resumes(t):
    """From a state_dict, and from last_epoch."""
    first, one = _scheduled(t, [1.0], gamma=0.5)
    for _ in range(2):
        first.step()
        one.step()
    second, two = _scheduled(t, [1.0], gamma=0.9)
    second.load_state_dict(first.state_dict())
    two.load_state_dict(one.state_dict())
    second.step()
    two.step()
    t.expect(two.last_epoch == 3 and two.get_last_lr() == [0.125], "the third halving")
    third = t.fw.optim.SGD([t.fw.nn.Parameter(t.randn((2,), "f32"))], lr=0.25)
    third.param_groups[0]["initial_lr"] = 1.0
    three = t.call("torch.optim.lr_scheduler.ExponentialLR", third, 0.5, last_epoch=2)
    third.step()
    three.step()
    t.expect(three.last_epoch == 4, "the epoch after the given one")


@case("torch.optim.lr_scheduler.ExponentialLR", reference="none", host_only=True, core=False)
def warns_of_the_order(t):
    """Stepped before its optimizer."""
    import warnings

    _, scheduler = _scheduled(t, [1.0], gamma=0.5)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        scheduler.step()
    t.expect(any("optimizer.step()" in str(one.message) for one in seen), "a warning of the order")


@case("torch.optim.lr_scheduler.ExponentialLR", reference="none", host_only=True, core=False)
def wants_an_optimizer(t):
    make = t.get("torch.optim.lr_scheduler.ExponentialLR")
    t.raises(TypeError, t.call, make, "no optimizer", 0.5)
    fresh = t.fw.optim.SGD([t.fw.nn.Parameter(t.randn((2,), "f32"))], lr=0.25)
    t.raises(KeyError, make, fresh, 0.5, last_epoch=2)


@case("torch.optim.lr_scheduler.ExponentialLR", reference="none", host_only=True, core=False)
def after_a_warm_up(t):
    """As the second of two schedulers in a row."""
    schedulers = t.fw.optim.lr_scheduler
    optimizer, exponential = _scheduled(t, [1.0], gamma=0.5)
    constant = schedulers.ConstantLR(optimizer, factor=0.1, total_iters=2)
    both = schedulers.SequentialLR(optimizer, [constant, exponential], milestones=[2])
    rates = []
    for _ in range(5):
        rates.append(round(optimizer.param_groups[0]["lr"], 9))
        optimizer.step()
        both.step()
    t.expect(rates == [0.1, 0.1, 1.0, 0.5, 0.25], "warm-up, then decay, got %s" % rates)
