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


def _attention(np, q, k, v):
    scores = q @ np.swapaxes(k, -1, -2) / q.shape[-1] ** 0.5
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v


@case("torch.autocast", dtypes="f32", core=False, reference=_attention)
def attention_in_half(t, dtype):
    q, k, v = (t.uniform((2, 7, 8), dtype, 0.5, 1) for _ in range(3))
    made = t.call(_mixed(t, t.fw.nn.functional.scaled_dot_product_attention), q, k, v)
    t.expect(made.dtype is t.dtype("bf16"), "bf16")
    return made


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


# --- its state: of the CPU's autocast, which every build has


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
