"""PyTorch: how people train. Mixed precision, small batches, activations made again, schedules, transformations of functions,
workers that load data, state that goes on elsewhere."""

from .torch_training import STEPS, classes, falling, program, train


@program("mixed_precision", rtol={"f32": 5e-2}, atol={"f32": 2e-2})
def trains_under_autocast(t, dtype):
    """Products in bf16, weights in f32, the loss scaled."""
    nn, torch = t.fw.nn, t.fw
    model = t.construct(
        lambda: nn.Sequential(nn.Linear(12, 32), nn.GELU(), nn.Linear(32, 5)), dtype=dtype
    )
    x, y = t.randn((16, 12), dtype), classes(t, 16, 5)
    kind = x.device.type
    optimizer, losses = t.fw.optim.SGD(model.parameters(), lr=0.1), []
    scaler = torch.amp.GradScaler(kind, init_scale=2.0**8, enabled=kind in ("cuda", "cpu", "xpu"))

    def forward(x):
        with torch.autocast(kind, dtype=torch.bfloat16, enabled=t.place != "wide"):
            return model(x)

    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(t.call(forward, x).to(x.dtype), y)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.detach())
    return falling(t, losses)


@program("gradient_accumulation")
def adds_up_the_gradients_of_small_batches(t, dtype):
    nn = t.fw.nn
    model = t.construct(nn.Linear, 6, 3, dtype=dtype)
    x, wanted = t.randn((16, 6), dtype), t.randn((16, 3), dtype)
    nn.functional.mse_loss(t.call(model, x), wanted).backward()
    whole = t.host(model.weight.grad)
    optimizer = t.fw.optim.SGD(model.parameters(), lr=0.05)
    losses = []
    for number in range(STEPS):
        optimizer.zero_grad()
        parts = [
            nn.functional.mse_loss(t.call(model, x[at : at + 4]), wanted[at : at + 4]) / 4
            for at in range(0, 16, 4)
        ]
        for part in parts:
            part.backward()
        if number == 0:
            t.expect(
                bool(t.np.allclose(t.host(model.weight.grad), whole, rtol=1e-4, atol=1e-5)),
                "the gradient of the whole batch",
            )
        optimizer.step()
        losses.append(sum(part.detach() for part in parts))
    return falling(t, losses)


@program("checkpointing")
def computes_activations_again(t, dtype):
    nn, torch = t.fw.nn, t.fw
    from torch.utils.checkpoint import checkpoint_sequential

    model = t.construct(
        lambda: nn.Sequential(*[part for _ in range(4) for part in (nn.Linear(8, 8), nn.Tanh())]),
        dtype=dtype,
    )
    x, wanted = t.randn((6, 8), dtype), t.randn((6, 8), dtype)

    def forward(x):
        return checkpoint_sequential(model, 2, x, use_reentrant=False)

    model(x).pow(2).sum().backward()
    plain = t.host(model[0].weight.grad)
    model.zero_grad()
    t.call(forward, x).pow(2).sum().backward()
    again = t.host(model[0].weight.grad)
    t.expect(bool(t.np.allclose(plain, again, rtol=1e-4, atol=1e-5)), "the same gradient")
    return train(
        t,
        lambda: nn.functional.mse_loss(t.call(forward, x), wanted),
        torch.optim.Rprop(model.parameters()),
    )


@program("schedule")
def clips_warms_up_and_averages(t, dtype):
    """Clipped gradients, a warm-up with cosine decay, and a moving average of the weights."""
    nn, torch = t.fw.nn, t.fw
    model = t.construct(nn.Linear, 6, 3, dtype=dtype)
    x, wanted = t.randn((12, 6), dtype), t.randn((12, 3), dtype)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2, nesterov=True, momentum=0.9)
    rates = torch.optim.lr_scheduler
    schedule = rates.SequentialLR(
        optimizer,
        [rates.LinearLR(optimizer, 0.1, total_iters=5), rates.CosineAnnealingLR(optimizer, 15)],
        milestones=[5],
    )
    average = torch.optim.swa_utils.AveragedModel(
        model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.9)
    )
    losses, norms = [], []
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(t.call(model, x), wanted)
        loss.backward()
        norms.append(nn.utils.clip_grad_norm_(model.parameters(), 0.5).detach())
        optimizer.step()
        schedule.step()
        average.update_parameters(model)
        losses.append(loss.detach())
    return falling(t, losses), torch.stack(norms), average(x).detach()


@program("per_sample_gradients")
def takes_the_gradient_of_each_sample(t, dtype):
    """vmap over grad: the norms of single samples' gradients are clipped, as for privacy."""
    torch = t.fw
    from torch.func import functional_call, grad, vmap

    model = t.construct(torch.nn.Linear, 5, 2, dtype=dtype)
    x, wanted = t.randn((9, 5), dtype), t.randn((9, 2), dtype)
    weights = {name: one.detach() for name, one in model.named_parameters()}

    def loss_of(weights, x, wanted):
        return (functional_call(model, weights, (x,)) - wanted).pow(2).sum()

    def clipped(weights, x, wanted):
        each = vmap(grad(loss_of), in_dims=(None, 0, 0))(weights, x, wanted)
        norms = sum(one.flatten(1).pow(2).sum(1) for one in each.values()).sqrt()
        share = (1.0 / norms).clamp(max=1.0)
        return {name: torch.einsum("b,b...->...", share, one) / 9 for name, one in each.items()}

    losses = []
    for _ in range(STEPS):
        found = t.call(clipped, weights, x, wanted)
        weights = {name: one - 0.1 * found[name] for name, one in weights.items()}
        losses.append(loss_of(weights, x, wanted))
    return falling(t, losses)


@program("own_gradient")
def trains_through_a_gradient_of_its_own(t, dtype):
    """A rounding whose gradient passes straight through."""
    torch = t.fw

    class Round(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return (x * 4).round() / 4

        @staticmethod
        def backward(ctx, given):
            (x,) = ctx.saved_tensors
            return given * (x.abs() <= 2).to(given.dtype)

    model = t.construct(torch.nn.Linear, 6, 3, dtype=dtype)
    # Halves and wholes alone: no rounding error moves one over the edge.
    x, wanted = t.randint((10, 6), "i64", -1, 2).to(model.weight.dtype), t.randn((10, 3), dtype)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    def step():
        return (t.call(model, Round.apply(x / 2)) - wanted).pow(2).mean()

    x.requires_grad_(True)
    losses = train(t, step, optimizer)
    t.expect(
        x.grad is not None and bool((t.host(x.grad) != 0).any()), "a gradient through the rounding"
    )
    return losses


@program("compiled", timeout_s=600)
def trains_what_torch_compile_makes(t, dtype):
    nn, torch = t.fw.nn, t.fw
    model = t.construct(
        lambda: nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2)), dtype=dtype
    )
    compiled = model if t.place == "wide" else torch.compile(model)
    x, wanted = t.randn((10, 8), dtype), t.randn((10, 2), dtype)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    forward = lambda x: compiled(x)  # noqa: E731
    return train(t, lambda: nn.functional.mse_loss(t.call(forward, x), wanted), optimizer)


@program("data_loader")
def trains_from_workers(t, dtype):
    """Batches that two processes of a DataLoader make, moved to the device."""
    torch = t.fw
    model = t.construct(torch.nn.Linear, 4, 2, dtype=dtype)
    x = t.host(t.randn((40, 4), dtype))
    wanted = x @ t.np.arange(8.0).reshape(4, 2) / 8
    weight = model.weight
    data = torch.utils.data.TensorDataset(torch.from_numpy(x), torch.from_numpy(wanted))
    loader = torch.utils.data.DataLoader(data, batch_size=8, num_workers=2)
    optimizer, losses = torch.optim.SGD(model.parameters(), lr=0.1), []
    for _ in range(4):
        for given, right in loader:
            optimizer.zero_grad()
            given, right = (one.to(weight.dtype).to(weight.device) for one in (given, right))
            loss = torch.nn.functional.mse_loss(t.call(model, given), right)
            loss.backward()
            optimizer.step()
            losses.append(loss.detach())
    t.expect(len(losses) == STEPS, "twenty batches")
    return falling(t, losses)


@program("saved_and_loaded")
def goes_on_elsewhere(t, dtype):
    """Ten steps, all state into a file, ten more on the CPU: as twenty in one go."""
    import os

    nn, torch = t.fw.nn, t.fw
    model = t.construct(
        lambda: nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Linear(8, 2)), dtype=dtype
    )
    x, wanted = t.randn((12, 6), dtype), t.randn((12, 2), dtype)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    first = train(t, lambda: nn.functional.mse_loss(t.call(model, x), wanted), optimizer, steps=10)
    path = os.path.join(t.tmpdir(), "state.pt")
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, path)
    state = torch.load(path, map_location="cpu", weights_only=True)
    again = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Linear(8, 2)).to(
        model[0].weight.dtype
    )
    again.load_state_dict(state["model"])
    resumed = torch.optim.Adam(again.parameters(), lr=0.02)
    resumed.load_state_dict(state["optimizer"])
    x, wanted = x.detach().cpu(), wanted.detach().cpu()
    second = train(t, lambda: nn.functional.mse_loss(again(x), wanted), resumed, steps=10)
    return first.cpu(), second
