"""torch.autocast beside other modes: scripts and traces, inference mode, checkpoints, its cache, what it refuses."""

from seamark_suites.case import case

MIXED = "torch.autocast"
_ROUNDED = {"f32": 2e-2}  # of numbers that were rounded to bf16


@case(MIXED, host_only=True, core=False, reference="none")
def within_scripts(t):
    """Nested, both at once, around and within other functions, by branches, over explicit casts; traced; around a script and as a decorator of one."""
    torch = t.fw
    half, single, double = torch.bfloat16, torch.float32, torch.float64
    x, y = torch.full((3, 3), 0.75), torch.full((3, 3), 0.5)

    def product(x, y):
        return torch.mm(x, y)

    def lowered(x, y):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return torch.mm(x, y)

    def as_they_are(x, y):
        with torch.autocast("cpu", enabled=False):
            return torch.mm(x, y)

    traced = torch.jit.trace(product, (x, y))
    traced_lowered = torch.jit.trace(lowered, (x, y))

    def run(x, y):
        with torch.autocast("cpu", enabled=False):
            first = torch.mm(x, y)
            with torch.autocast("cpu", dtype=torch.bfloat16):
                second = torch.mm(first, y)
                with torch.autocast("cpu", enabled=False):
                    third = torch.mm(first, y)
            calls = lowered(x, y)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            plain, within = product(x, y), as_they_are(x, y)
            own = torch.mm(x.double(), y.double()).float()
            wide = torch.mm(x, y).double()
            if bool(x[0, 0] > 0.5):  # noqa: SIM108
                branch = torch.mm(x, y)
            else:
                branch = torch.mm(y, x)
            known = traced(x, y)
            sum_of = torch.add(plain, x)
        with torch.autocast("cpu", enabled=False), torch.autocast("cpu", dtype=torch.bfloat16):
            both = torch.mm(x, y)
        return [first, second, third, calls, plain, within, own, wide, branch, known, sum_of, both]

    want = [single, half, single, half, half, single, single, double, half, half, single, half]
    script = torch.jit.script(run)
    for _ in range(3):
        for one in (script, run):
            made = t.call(one, x, y)
            t.expect(
                [m.dtype for m in made] == want, "the dtypes, got %s" % [m.dtype for m in made]
            )
            right = [1.125, 1.6875, 1.6875, *[1.125] * 7, 1.875, 1.125]
            t.expect(
                [bool((m == one).all()) for m, one in zip(made, right)] == [True] * 12,
                "the numbers",
            )
    t.expect(traced_lowered(x, y).dtype is half, "in a trace, too")
    script = torch.jit.script(product)
    for number in range(8):
        with torch.autocast("cpu", enabled=number % 2 == 0):
            made = t.call(script, x, y)
        t.expect(made.dtype is (single if number % 2 else half), "around a script, off and on")
    decorated = torch.autocast("cpu", dtype=half)(torch.jit.script(product))
    t.expect(decorated(x, y).dtype is half and script(x, y).dtype is single, "of a script, as a decorator")  # fmt: skip


@case(MIXED, host_only=True, core=False, reference="none")
def switches_that_a_script_cannot_know(t):
    """What switches it must be known as a script is compiled: an argument and a choice of two are refused."""
    torch = t.fw
    x, y = torch.full((3, 3), 0.75), torch.full((3, 3), 0.5)

    def switched(x, y, on: bool):
        with torch.autocast("cpu", enabled=on):
            return torch.mm(x, y)

    def read(x, y):
        with torch.autocast("cpu", enabled=True if x[0, 0] > 0.5 else False):  # noqa: SIM210
            return torch.mm(x, y)

    def chosen(x, y):
        on, off = torch.autocast("cpu", enabled=True), torch.autocast("cpu", enabled=False)
        with on if x[0, 0] > 0.5 else off:
            return torch.mm(x, y)

    for run, more in ((switched, (True,)), (read, ()), (chosen, ())):
        t.raises(
            RuntimeError, lambda run=run, more=more: t.call(torch.jit.script(run), x, y, *more)
        )


@case(MIXED, dtypes="f32", core=False, rtol=_ROUNDED, reference=lambda np, x, w: [
      np.maximum(x @ w, 0), (x @ w > 0) @ w.T, x.T @ (x @ w > 0)])  # fmt: skip
def script_that_learns(t, dtype):
    """A script that was optimized within it gives the slopes that Python gives."""
    torch = t.fw

    def run(x, w):
        return torch.mm(x, w).relu()

    kind, script = torch.device(t.device).type, torch.jit.script(run)
    x, w = t.uniform((5, 5), dtype, 1, 2, grad=True), t.uniform((5, 5), dtype, 1, 2, grad=True)
    for _ in range(5):
        x.grad = w.grad = None
        with torch.autocast(kind, dtype=t.dtype("bf16")):
            made = t.call(script, x, w)
        made.sum().backward()
    t.expect(made.dtype is t.dtype("bf16") and w.grad.dtype is x.dtype, "bf16, slopes in f32")
    return [made.detach().to(x.dtype), x.grad, w.grad]


@case(MIXED, dtypes="f32", core=False, rtol=_ROUNDED, atol=_ROUNDED, reference=lambda np, x, weight, bias: [
      *[x @ weight.T + bias] * 6, 3 * np.stack([x.mean(0) / 2] * 2), np.full(2, 1.5)])  # fmt: skip
def beside_modes_without_a_graph(t, dtype):
    """inference_mode and no_grad within it, once and again, and around it: what was cast there does not keep the layer from learning."""
    torch, kind, half = t.fw, t.fw.device(t.device).type, t.dtype("bf16")
    layer, x = t.construct("torch.nn.Linear", 2, 2, dtype=dtype), t.uniform((8, 2), dtype, 1, 2)
    made, learns = [], []
    with torch.autocast(kind, dtype=half):
        for mode in (torch.inference_mode, torch.no_grad):
            for _ in range(2):
                with mode():
                    still = t.call(layer, x)
                    t.expect(not still.requires_grad and still.dtype is half, "no graph, bf16")
                    made.append(still.clone())
                if mode is torch.no_grad or not learns:
                    learns.append(t.call(layer, x))
                    t.expect(learns[-1].requires_grad and learns[-1].grad_fn is not None, "a graph")
    sum(one.mean() for one in learns).backward()
    with torch.inference_mode(), torch.autocast(kind, dtype=half):
        within = t.call(layer, x)
        t.expect(not within.requires_grad and within.dtype is half, "within inference mode")
        made.append(within.clone())
    t.expect(len(learns) == 3, "three that learn")
    kept = [one.to(x.dtype) for one in (*made, learns[0].detach())]
    return [*kept, layer.weight.grad, layer.bias.grad]


@case(MIXED, dtypes="f32", enabled=[True, False], core=False, rtol=_ROUNDED, reference=lambda np, x, y, z, enabled: [
      (x @ y @ z @ z).sum(), np.ones((3, 3)) @ (y @ z @ z).T, x.T @ np.ones((3, 3)) @ (z @ z).T])  # fmt: skip
def computed_again_in_backward(t, dtype, enabled):
    """What a checkpoint computes again outside is lowered as it was within."""
    from torch.utils.checkpoint import checkpoint

    torch, kind, half, seen = t.fw, t.fw.device(t.device).type, t.dtype("bf16"), []

    def run(x, y, z):
        made = torch.mm(torch.mm(x, y), z)
        seen.append(made.dtype)
        return torch.mm(made, z)

    x, y, z = (t.uniform((3, 3), dtype, 0.5, 1, grad=True) for _ in range(3))
    with torch.autocast(kind, dtype=half, enabled=enabled):
        loss = t.call(lambda *given: checkpoint(run, *given, use_reentrant=False), x, y, z).sum()
    loss.backward()
    want = half if enabled else x.dtype
    t.expect(seen == [want] * 2, "twice in one dtype, got %s" % seen)
    return [loss.detach().to(x.dtype), x.grad, y.grad]


@case(MIXED, host_only=True, core=False, reference="none")
def casts_a_weight_once(t):
    """With the cache a weight that learns is cast once for three products, without it three times; what does not learn each time."""
    torch = t.fw
    x, weight = torch.ones(2, 3), torch.ones(3, 3, requires_grad=True)

    def casts(weight, **options):
        watch = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU])
        with watch as seen, t.call(MIXED, "cpu", dtype=torch.bfloat16, **options):
            for _ in range(3):
                torch.mm(x, weight)
        return sum(one.name == "aten::_to_copy" for one in seen.events())

    found = [casts(weight), casts(weight, cache_enabled=False), casts(weight.detach())]
    t.expect(found == [4, 6, 6], "three inputs and one, three, three weights, got %s" % found)


@case(MIXED, dtypes="bf16", core=False, reference=lambda np, x, w: [
      np.where(np.arange(3)[:, None] == 1, x, w), np.where(np.arange(3)[:, None] == 1, 1 / 12, 0) * np.ones((3, 4))])  # fmt: skip
def writes_lowered_numbers(t, dtype):
    """index_put of lowered numbers stays lowered, and its slope does."""
    torch = t.fw
    at = torch.tensor([0, 2], device=t.device)
    x, w = t.uniform((3, 4), dtype, 0.5, 1, grad=True), t.uniform((1,), dtype, 0.5, 1)
    with torch.autocast(torch.device(t.device).type, dtype=t.dtype(dtype)):
        made = t.call(lambda x, w, at: torch.index_put(x, [at], w), x, w, at)
        made.mean().backward()
    t.expect(made.dtype is x.grad.dtype is t.dtype(dtype), "bf16")
    return [made.detach(), x.grad]


@case(MIXED, host_only=True, core=False, reference="none")
def layers_that_were_lowered(t):
    """A recurrent layer in bf16 refuses f32 but within it; switched off it takes any dtype without a word."""
    import warnings

    torch = t.fw
    layer = torch.nn.LSTM(1, 1, 2).to(torch.bfloat16)
    x, states = torch.ones(1, 2, 1), (torch.ones(2, 2, 1), torch.ones(2, 2, 1))
    t.raises(ValueError, layer, x, states)
    with t.call(MIXED, "cpu"):
        made, _ = layer(x, states)
    t.expect(made.shape == (1, 2, 1) and bool(made.isfinite().all()), "a result within")
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        with t.call(MIXED, device_type="cpu", dtype=torch.float32, enabled=False):
            made = torch.ones(3, 3) @ torch.ones(3, 3)
    t.expect(made.dtype is torch.float32 and not seen, "nothing lowered, nothing said")


@case(
    MIXED, host_only=True, core=False, reference="none", since=("2.4", "the check of device_type")
)
def devices_and_tensors_are_refused(t):
    """A torch.device in place of its kind; a name that is no device, for what is available, too; a tensor in place of a function."""
    torch = t.fw
    t.raises(ValueError, t.call, MIXED, torch.device("cpu"))
    t.raises(RuntimeError, t.call, MIXED, device_type="not a real device")
    t.raises(RuntimeError, torch.amp.is_autocast_available, "not a real device")
    t.raises(TypeError, t.call(MIXED, "cpu"), torch.ones(2, 3))
    t.expect(torch.get_autocast_dtype("cpu") is torch.bfloat16, "the CPU's dtype")
    t.expect(torch.get_autocast_dtype("cuda") is torch.float16, "CUDA's dtype")
