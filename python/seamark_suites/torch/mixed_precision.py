"""Mixed precision by torch.autocast: what it computes in a lower precision, what not, and its gradients."""

from seamark_suites.case import case
from seamark_suites.reference import with_gradient

# The numbers of a result or gradient in f32 were rounded to bf16 on their way.
_ROUNDED = {"f32": 2e-2}


def _mixed(t, function, lower="bf16", **options):
    """The function within autocast of the target's kind of device."""
    kind, dtype = t.fw.device(t.device).type, t.dtype(lower)

    def run(*given):
        with t.fw.autocast(kind, dtype=dtype, **options):
            return function(*given)

    return run


def _products(np, x, w):
    return [x @ w.T, x @ w.T, (x @ w.T)[None], x @ w[0], x @ w.T]


@case("torch.autocast", dtypes="f32 bf16", lower="bf16", reference=lambda np, x, w, lower: _products(np, x, w))  # fmt: skip
@case("torch.autocast", dtypes="f32", lower="f16", core=False, reference=lambda np, x, w, lower: _products(np, x, w))  # fmt: skip
def multiplies_in_half(t, dtype, lower):
    """Products of matrices and vectors; what is given keeps its dtype."""
    x, w = t.uniform((8, 6), dtype, 1, 2), t.uniform((5, 6), dtype, 1, 2)
    fw = t.fw

    def run(x, w):
        return [
            x @ w.mT,
            fw.nn.functional.linear(x, w),
            fw.bmm(x[None], w.mT[None]),
            x @ w[0],
            fw.einsum("ij,kj->ik", x, w),
        ]

    made = t.call(_mixed(t, run, lower), x, w)
    t.expect(all(one.dtype is t.dtype(lower) for one in made), "all in " + lower)
    t.expect(x.dtype is t.dtype(dtype) and w.dtype is t.dtype(dtype), "the inputs as they were")
    return made


def _conv(np, x, w):
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), (2, 3))
    return np.einsum("ncijkl,ockl->noij", windows, w)


@case("torch.autocast", dtypes="f32", reference=_conv)
def convolves_in_half(t, dtype):
    x, w = t.uniform((2, 3, 7, 6), dtype, 1, 2), t.uniform((4, 3, 3, 3), dtype, 1, 2)
    made = t.call(_mixed(t, t.fw.nn.functional.conv2d), x, w)
    t.expect(made.dtype is t.dtype("bf16"), "bf16")
    return made


@case(
    "torch.autocast",
    dtypes="f32 bf16",
    grad=True,
    reference=with_gradient(
        lambda np, x, w, b: x @ w.T + b,
        lambda np, g, x, w, b: (g @ w, g.T @ x, g.sum(0)),
    ),
    rtol={"f32": 2e-2, "bf16": 2e-2},  # the gradients are sums of numbers rounded to bf16
)
def gradient_of_a_layer(t, dtype):
    """The gradients come back in the dtype of the inputs."""
    x, w = t.uniform((8, 6), dtype, 1, 2), t.uniform((5, 6), dtype, 1, 2)
    made, slopes = t.call(_mixed(t, t.fw.nn.functional.linear), x, w, t.uniform((5,), dtype, 1, 2))
    t.expect(made.dtype is t.dtype("bf16"), "bf16")
    t.expect(all(one.dtype is t.dtype(dtype) for one in slopes), "gradients in " + dtype)
    return made, slopes


@case("torch.autocast", dtypes="f32", reference=lambda np, x, y: [x + y, np.exp(x), x.sum()])
def leaves_the_rest(t, dtype):
    """Sums and functions of one number are as without it."""
    x, y = t.uniform((6, 5), dtype, 1, 2), t.uniform((6, 5), dtype, 1, 2)
    made = t.call(_mixed(t, lambda x, y: [x + y, x.exp(), x.sum()]), x, y)
    t.expect(all(one.dtype is t.dtype(dtype) for one in made), "the dtype of the inputs")
    return made


@case("torch.autocast", dtypes="f64", core=False, reference=lambda np, x: x @ x)
def leaves_f64(t, dtype):
    made = t.call(_mixed(t, lambda x: x @ x), t.uniform((4, 4), dtype, 1, 2))
    t.expect(made.dtype is t.dtype(dtype), "the dtype of the input")
    return made


def _losses(np, x, w):
    made = x @ w
    far = abs(made - x)
    return [((made - x) ** 2).mean(), far.mean() - 0.5, (made / 16).prod()]


@case("torch.autocast", dtypes="f32", core=False, rtol={"f32": 6e-2}, reference=_losses)
def sums_up_in_f32(t, dtype):
    """Losses and products of many numbers; nine factors, each rounded to bf16, give the tolerance."""
    x, w = t.uniform((3, 3), dtype, 1, 2), t.uniform((3, 3), dtype, 3, 4)
    functional = t.fw.nn.functional

    def run(x, w):
        made = x @ w
        return [
            functional.mse_loss(made, x),
            functional.smooth_l1_loss(made, x),
            (made / 16).prod(),
        ]

    made = t.call(_mixed(t, run), x, w)
    t.expect(all(one.dtype is t.dtype("f32") for one in made), "f32")
    return made


@case(
    "torch.autocast",
    dtypes="f32",
    core=False,
    rtol=_ROUNDED,
    reference=lambda np, x, w: [np.concatenate([x @ w, x]), np.stack([x @ w, x]), x @ w + x],
)
def joins_in_the_widest(t, dtype):
    """bf16 and f32 give f32."""
    x, w = t.uniform((5, 5), dtype, 1, 2), t.uniform((5, 5), dtype, 1, 2)

    def run(x, w):
        made = x @ w
        return [t.fw.cat([made, x]), t.fw.stack([made, x]), made + x]

    made = t.call(_mixed(t, run), x, w)
    t.expect(all(one.dtype is t.dtype("f32") for one in made), "f32")
    return made


@case("torch.autocast", dtypes="f32", reference=lambda np, x, w: [x @ w, x @ w, x @ w])
def switched_off(t, dtype):
    """enabled=False, alone or within another one; and behind its end."""
    x, w = t.uniform((8, 6), dtype, 1, 2), t.uniform((6, 5), dtype, 1, 2)
    kind, lower = t.fw.device(t.device).type, t.dtype("bf16")

    def run(x, w):
        with t.fw.autocast(kind, dtype=lower, enabled=False):
            alone = x @ w
        with t.fw.autocast(kind, dtype=lower), t.fw.autocast(kind, enabled=False):
            within = x @ w
        return [alone, within, x @ w]

    made = t.call(run, x, w)
    t.expect(all(one.dtype is t.dtype("f32") for one in made), "f32")
    return made


@case("torch.autocast", dtypes="f32", reference=lambda np, x, w: x @ w)
def decorates_a_function(t, dtype):
    x, w = t.uniform((8, 6), dtype, 1, 2), t.uniform((6, 5), dtype, 1, 2)
    mixed = t.fw.autocast(t.fw.device(t.device).type, dtype=t.dtype("bf16"))
    made = t.call(mixed(lambda x, w: x @ w), x, w)
    t.expect(made.dtype is t.dtype("bf16"), "bf16")
    t.expect((x @ w).dtype is t.dtype("f32"), "f32 outside")
    return made


@case(
    "torch.autocast",
    dtypes="f32",
    cached=[True, False],
    grad=True,
    core=False,
    rtol=_ROUNDED,
    reference=with_gradient(
        lambda np, x, w, y, cached: x @ w + y @ w,
        lambda np, g, x, w, y, cached: (g @ w.T, (x + y).T @ g, g @ w.T),
    ),
)
def a_weight_used_twice(t, dtype, cached):
    """Its copy in bf16 may be kept; the gradients of both uses add up."""
    x, w, y = (t.uniform((5, 5), dtype, 1, 2) for _ in range(3))
    return t.call(_mixed(t, lambda x, w, y: x @ w + y @ w, cache_enabled=cached), x, w, y)


@case(
    "torch.autocast",
    dtypes="f32",
    core=False,
    reference=lambda np, x, w, given, changed: [x @ w, changed + x @ w],
)
def written_results(t, dtype):
    """out= and what is changed in place are computed in their own dtype."""
    x, w, given, changed = (t.uniform((5, 5), dtype, 1, 2) for _ in range(4))

    def run(x, w, given, changed):
        return [t.fw.mm(x, w, out=given), changed.addmm_(x, w)]

    return t.call(_mixed(t, run), x, w, given, changed)


def _loss_and_slopes(np, x, v, w):
    hidden = x @ v
    made = hidden @ w
    slope = 2 * made / made.size
    return [(made**2).mean(), x.T @ (slope @ w.T), hidden.T @ slope]


@case("torch.autocast", dtypes="f32", core=False, rtol=_ROUNDED, reference=_loss_and_slopes)
def a_step_of_training(t, dtype):
    """Forward within it, backward outside; the gradients of weights in f32 are in f32."""
    x, target = t.uniform((8, 6), dtype, 0.5, 1), t.fw.zeros((8, 3), device=t.device)
    weights = [t.uniform(shape, dtype, 0.5, 1, grad=True) for shape in ((6, 4), (4, 3))]

    def run(x, v, w):
        return t.fw.nn.functional.mse_loss((x @ v).relu() @ w, target)

    loss = t.call(_mixed(t, run), x, *weights)
    loss.backward()
    t.expect(all(one.grad.dtype is t.dtype("f32") for one in weights), "gradients in f32")
    return [loss.detach(), *(one.grad for one in weights)]


@case("torch.autocast", dtypes="f32", core=False, reference=lambda np, *xs: [x @ x.T for x in xs])
def mixed_of_three_sizes(t, dtype):
    run = _mixed(t, lambda x: x @ x.mT)
    made = [t.call(run, t.uniform((n, 7), dtype, 1, 2)) for n in (5, 8, 13)]
    t.expect(all(one.dtype is t.dtype("bf16") for one in made), "bf16")
    return made


@case("torch.autocast", dtypes="f32", shapes="768x768", large=True, reference=lambda np, x, w: x @ w)  # fmt: skip
def large_product(t, dtype, shape):
    x, w = t.uniform(shape, dtype, 1, 2), t.uniform(shape, dtype, 1, 2)
    return t.call(_mixed(t, lambda x, w: x @ w), x, w)


def _more(np, x, w, batch, line, kernel):
    line = np.lib.stride_tricks.sliding_window_view(line, 3, 2)
    return [
        w + x @ w,
        batch + batch @ batch,
        w + (batch @ batch).sum(0),
        np.einsum("nclk,ock->nol", line, kernel),
    ]


@case("torch.autocast", dtypes="f32", lower=["bf16", "f16"], core=False, reference=lambda np, *given, lower: _more(np, *given))  # fmt: skip
def adds_products_in_half(t, dtype, lower):
    """addmm, baddbmm, addbmm and a convolution along one axis."""
    fw, x, w = t.fw, t.uniform((4, 4), dtype, 1, 2), t.uniform((4, 4), dtype, 1, 2)
    batch, line = t.uniform((3, 4, 4), dtype, 1, 2), t.uniform((2, 3, 7), dtype, 1, 2)
    kernel = t.uniform((4, 3, 3), dtype, 1, 2)

    def run(x, w, batch, line, kernel):
        return [
            fw.addmm(w, x, w),
            fw.baddbmm(batch, batch, batch),
            fw.addbmm(w, batch, batch),
            fw.nn.functional.conv1d(line, kernel),
        ]

    made = t.call(_mixed(t, run, lower), x, w, batch, line, kernel)
    t.expect(all(one.dtype is t.dtype(lower) for one in made), "all in " + lower)
    return made


def _linear_pull(np, g, x, w):
    return g @ w, g.T @ x


@case("torch.autocast", dtypes="f32", grad=True, core=False, rtol=_ROUNDED,
      reference=with_gradient(lambda np, x, w: x @ w.T, _linear_pull))  # fmt: skip
def a_weight_seen_without_a_graph(t, dtype):
    """Used first within no_grad: what was kept of it there does not cut its gradient."""
    fw = t.fw

    def run(x, w):
        with fw.no_grad():
            fw.nn.functional.linear(x, w)
        return fw.nn.functional.linear(x, w)

    return t.call(_mixed(t, run), t.uniform((8, 6), dtype, 1, 2), t.uniform((5, 6), dtype, 1, 2))


@case("torch.autocast", dtypes="f32", grad=True, core=False, rtol=_ROUNDED, since=("2.4", "torch.amp.custom_fwd"),
      reference=with_gradient(lambda np, x, w: [x @ w, x @ w], lambda np, g, x, w: (
          (g[0] + g[1]) @ w.T, x.T @ (g[0] + g[1]))))  # fmt: skip
def functions_of_ones_own(t, dtype):
    """custom_fwd and custom_bwd: the backward in the mode of the forward; with cast_inputs both in f32, out of autocast."""
    fw, seen = t.fw, []
    kind, compiled = fw.device(t.device).type, t.compiled

    def note(product):
        if not compiled:  # what Python does within is then no part of the program
            seen.append(str(product.dtype))

    def product(**options):
        class Product(fw.autograd.Function):
            @staticmethod
            @fw.amp.custom_fwd(device_type=kind, **options)
            def forward(ctx, x, w):
                ctx.save_for_backward(x, w)
                note(x @ w)
                return x @ w

            @staticmethod
            @fw.amp.custom_bwd(device_type=kind)
            def backward(ctx, g):
                x, w = ctx.saved_tensors
                note(g @ w.mT)
                return g @ w.mT, x.mT @ g

        return Product.apply

    plain, cast = product(), product(cast_inputs=fw.float32)
    run = _mixed(t, lambda x, w: [plain(x, w), cast(x, w)])
    made, slopes = t.call(run, t.uniform((8, 6), dtype, 1, 2), t.uniform((6, 5), dtype, 1, 2))
    t.expect([one.dtype for one in made] == [fw.bfloat16, fw.float32], "bf16, and f32 where cast")
    both = ["torch.bfloat16"] * 2 + ["torch.float32"] * 2
    t.expect(compiled or sorted(seen) == both, "each backward as its forward, got %s" % seen)
    return made, slopes


def _block(np, x, *p):
    made = np.maximum(2 * x @ p[0].T + p[1], 0)
    centered = made - made.mean(-1, keepdims=True)
    return centered / np.sqrt((centered**2).mean(-1, keepdims=True) + 1e-5) @ p[2].T


@case("torch.autocast", dtypes="f32", core=False, rtol={"f32": 5e-2, "bf16": 5e-2}, atol={"bf16": 5e-2}, reference=_block)  # fmt: skip
def a_model_of_layers(t, dtype):
    """Linear, ReLU, a norm and Linear, decorated; the parameters stay in f32. Differences of rounded numbers are normalized."""
    nn, fw = t.fw.nn, t.fw

    def parts():
        norm = nn.LayerNorm(16, elementwise_affine=False)
        return nn.Sequential(nn.Linear(6, 16), nn.ReLU(), norm, nn.Linear(16, 4, bias=False))

    model = t.construct(parts, dtype=dtype)
    mixed = fw.autocast(fw.device(t.device).type, dtype=t.dtype("bf16"))(model.forward)
    made = t.call(mixed, t.randn((8, 6), dtype) * 2)
    t.expect(made.dtype is t.dtype("bf16"), "bf16")
    t.expect(all(one.dtype is t.dtype("f32") for one in model.parameters()), "parameters in f32")
    return made


# --- its state: of the CPU's autocast, which every build has


@case(
    "torch.autocast",
    host_only=True,
    core=False,
    reference="none",
    since=("2.4", "of a kind of device"),
)
def asked_for_its_state(t):
    """On or off, its dtype, its cache: within and behind it, with the mode switched off within, and of its other name."""
    fw = t.fw

    def state():
        return (
            fw.is_autocast_enabled("cpu"),
            fw.get_autocast_dtype("cpu"),
            fw.is_autocast_cache_enabled(),
        )

    before = state()
    t.expect(before[0] is False, "off outside")
    with t.call("torch.autocast", device_type="cpu", dtype=fw.float16, cache_enabled=False):
        t.expect(state() == (True, fw.float16, False), "f16 without a cache, got %s" % (state(),))
        with t.call("torch.autocast", "cpu", enabled=False):
            t.expect(state()[0] is False, "off within")
        t.expect(state() == (True, fw.float16, False), "as before within")
    t.expect(state() == before, "as before behind it")
    with t.call("torch.autocast", fw.device("cpu").type), fw.no_grad():
        t.expect(
            state()[0] is True and (fw.ones(3, 3) @ fw.ones(3, 3)).dtype is fw.bfloat16, "bf16"
        )
    t.expect(issubclass(fw.autocast, fw.amp.autocast_mode.autocast), "torch.amp's")
    t.expect(fw.amp.is_autocast_available("cpu") is True, "available")


@case("torch.autocast", host_only=True, core=False, reference="none")
def ends_where_it_began(t):
    """Nested, by an exception, and used again."""
    fw = t.fw
    mode = t.call("torch.autocast", "cpu", dtype=fw.bfloat16)
    x = fw.ones((3, 3))
    lowered = lambda: (x @ x).dtype  # noqa: E731
    t.expect(lowered() is fw.float32, "nothing lowered before it is entered")
    for _ in range(2):
        with mode:
            with t.call("torch.autocast", "cpu", dtype=fw.float16):
                t.expect(lowered() is fw.float16, "the dtype of the innermost")
            t.expect(lowered() is fw.bfloat16, "the outer one again")
        t.expect(lowered() is fw.float32, "ended")
    try:
        with mode:
            raise KeyError("x")
    except KeyError:
        t.expect(lowered() is fw.float32, "ended by an exception")


@case("torch.autocast", host_only=True, core=False, reference="none")
def default_dtypes(t):
    """Documented: bf16 on the CPU; another device's autocast leaves the CPU alone."""
    fw = t.fw
    x = fw.ones((3, 3))
    with t.call("torch.autocast", "cpu"):
        t.expect((x @ x).dtype is fw.bfloat16, "bf16")
        t.expect(fw.is_autocast_enabled("cpu") and not fw.is_autocast_enabled("cuda"), "its own")
    with t.call("torch.autocast", "cuda", enabled=False):
        t.expect((x @ x).dtype is fw.float32, "f32")


@case("torch.autocast", host_only=True, core=False, reference="none")
def of_one_thread(t):
    import threading

    x, found = t.fw.ones((3, 3)), []
    with t.call("torch.autocast", "cpu"):
        thread = threading.Thread(target=lambda: found.append((x @ x).dtype))
        thread.start()
        thread.join()
        t.expect((x @ x).dtype is t.fw.bfloat16, "bf16 here")
    t.expect(found == [t.fw.float32], "f32 in another thread, got %s" % found)


@case("torch.autocast", host_only=True, core=False, reference="none")
def autocast_refuses(t):
    """What is no kind of device; a dtype that is not lower is warned of, and nothing is lowered."""
    import warnings

    t.raises(RuntimeError, t.call, "torch.autocast", "nonsense")
    t.raises((TypeError, ValueError), t.call, "torch.autocast", 3)
    t.raises(TypeError, t.call, "torch.autocast")
    x = t.fw.ones((3, 3))
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        with t.call("torch.autocast", "cpu", dtype=t.fw.float64):
            t.expect((x @ x).dtype is t.fw.float32, "nothing lowered")
    t.expect(any("autocast" in str(one.message) for one in seen), "a warning")


def _all_losses(np, x, y, at):
    log = x - np.log(np.exp(x).sum(1, keepdims=True))
    sign = np.where(y > 0.75, 1, -1)
    norm = lambda one: np.sqrt((one**2).sum(1))  # noqa: E731
    far = lambda one, other: norm(one - other + 1e-6)  # noqa: E731
    cosine = (x * y).sum(1) / norm(x) / norm(y)
    return [
        -log[[0, 1, 2], [4, 0, 2]].mean(), -x[[0, 1, 2], [4, 0, 2]].mean(), abs(x - y).mean(), (y * (np.log(y) - x)).sum() / 3,
        (np.logaddexp(0, x) - x * y).mean(), np.logaddexp(0, -sign * x).mean(), np.maximum(0, -sign * (x - y)).mean(), (np.exp(x) - y * x).mean(),
        (1 - cosine).mean(), np.maximum(0, far(x, y) - far(x, y / 2) + 1).mean(),
    ]  # fmt: skip


@case(
    "torch.autocast",
    lower=["bf16", "f16"],
    core=False,
    reference=lambda np, *drawn, lower: _all_losses(np, *drawn),
)
def losses_in_f32(t, lower):
    """Documented: of lowered numbers they are computed in f32, with all its digits."""
    f, x, y = t.fw.nn.functional, t.randn((3, 5), lower), t.uniform((3, 5), lower, 0.5, 1)
    at = t.const([4, 0, 2], "i64")

    def run(x, y):
        sign = (y > 0.75) * 2.0 - 1
        one = t.fw.ones(3, device=t.device)
        return [
            f.cross_entropy(x, at), f.nll_loss(x, at), f.l1_loss(x, y), f.kl_div(x, y, reduction="batchmean"), f.binary_cross_entropy_with_logits(x, y),
            f.soft_margin_loss(x, sign), f.margin_ranking_loss(x, y, sign), f.poisson_nll_loss(x, y), f.cosine_embedding_loss(x, y, one),
            f.triplet_margin_loss(x, y, y / 2),
        ]  # fmt: skip

    made = t.call(_mixed(t, run, lower), x, y)
    t.expect(all(one.dtype is t.dtype("f32") for one in made), "f32, got %s" % made)
    return made
