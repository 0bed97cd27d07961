"""Layers and draws by vmap: ensembles of BatchNorm2d, Conv1d by batches of each input, draws that are one draw of all."""

from seamark_suites.case import case

from .pointwise import each as each_name

_SINCE = ("2.0", "torch.func")
BATCH, CONV = "torch.nn.BatchNorm2d", "torch.nn.Conv1d"


def _ensemble(np, x, mean, var, weight, bias, affine, tracks, training):
    made = []
    for number, one in enumerate(x):
        axes, n = (0, 2, 3), one.size / one.shape[1]
        if training or not tracks:
            center, spread = one.mean(axes), one.var(axes)
        else:
            center, spread = mean[number], var[number]
        shaped = lambda values: values[:, None, None]  # noqa: E731
        result = (one - shaped(center)) / np.sqrt(shaped(spread) + 1e-5)
        if affine:
            result = result * shaped(weight[number]) + shaped(bias[number])
        kept = [mean[number], var[number]]
        if training and tracks:
            kept = [0.9 * mean[number] + 0.1 * center, 0.9 * var[number] + 0.1 * spread * n / (n - 1)]  # fmt: skip
        made.append([result, *kept])
    return [np.stack(each) for each in zip(*made)]


@case(BATCH, dtypes="f32 f64", affine=[False, True], tracks=[True, False], training=[True, False], core=False, since=_SINCE, reference=_ensemble)  # fmt: skip
def of_an_ensemble(t, dtype, affine, tracks, training):
    """Three layers at once, each with its own images, weights and statistics, which are kept apart."""
    layer = t.get(BATCH)(3, affine=affine, track_running_stats=tracks, device=t.device, dtype=t.dtype(dtype))  # fmt: skip
    layer.train(training)
    x = t.uniform((3, 4, 3, 5, 2), dtype, -1, 2)
    mean, var = t.randn((3, 3), dtype), t.uniform((3, 3), dtype, 0.5, 2)
    weight, bias = t.uniform((3, 3), dtype, 0.5, 2), t.randn((3, 3), dtype)
    count = t.fw.zeros((3,), dtype=t.fw.int64, device=t.device)
    parts = {"weight": weight, "bias": bias} if affine else {}
    if tracks:
        parts.update(running_mean=mean, running_var=var, num_batches_tracked=count)

    def run(x, parts, mean, var):
        made = t.fw.func.functional_call(layer, parts, (x,))
        return made, parts.get("running_mean", mean), parts.get("running_var", var)

    made = t.call(lambda x, parts, mean, var: t.fw.func.vmap(run)(x, parts, mean, var), x, parts, mean, var)  # fmt: skip
    if tracks:
        t.expect(t.host(count).tolist() == [int(training)] * 3, "a count of each")
    return list(made)


OPTIONS = {"plain": {}, "all": {"groups": 2, "stride": 3, "padding": 1, "dilation": 2}}
WHICH = ["xwb", "xw", "xb", "wb", "x", "w", "b"]  # which inputs have a batch


def _conv(np, x, w, b, groups=1, stride=1, padding=0, dilation=1):
    x = np.pad(x, ((0, 0), (0, 0), (padding, padding)))
    n = (x.shape[-1] - dilation * (w.shape[-1] - 1) - 1) // stride + 1
    parts = []
    for xs, ws in zip(np.split(x, groups, 1), np.split(w, groups)):
        taps = [np.einsum("bit,oi->bot", xs[..., k * dilation :][..., : (n - 1) * stride + 1 : stride], ws[..., k])
                for k in range(w.shape[-1])]  # fmt: skip
        parts.append(sum(taps))
    return np.concatenate(parts, 1) + b[:, None]


def _convolved(np, x, b, w, options, which):
    made, asked = [], OPTIONS[options]
    for number in range(3):
        pick = lambda name, values: values[number] if name in which else values[0]  # noqa: E731, B023
        made.append(_conv(np, pick("x", x), pick("w", w), pick("b", b), **asked))
    return np.stack(made)


@case(CONV, dtypes="f32 f64", options=list(OPTIONS), which=WHICH, core=False, since=_SINCE, reference=_convolved)  # fmt: skip
def batches_of_each_input(t, dtype, options, which):
    """A batch of signals, of weights, of biases, and of each choice of them; with groups, strides, padding and dilation, too."""
    asked = OPTIONS[options]
    layer = t.get(CONV)(4, 8, 3, device=t.device, dtype=t.dtype(dtype), **asked)
    x, b = t.randn((3, 2, 4, 15), dtype), t.randn((3, 8), dtype)
    w = t.randn((3, 8, 4 // asked.get("groups", 1), 3), dtype)
    in_dims = tuple(0 if name in which else None for name in "xwb")
    drawn = [one if at == 0 else one[0] for one, at in zip((x, w, b), in_dims)]
    run = lambda x, w, b: t.fw.func.functional_call(layer, {"weight": w, "bias": b}, (x,))  # noqa: E731
    return t.call(t.fw.func.vmap(run, in_dims=in_dims), *drawn)


# --- draws


def _drawn(t, function, shape, generator):
    f = t.get(function)
    if function.endswith("normal_"):
        return f(t.fw.zeros(shape, device=t.device), 2.0, 3.0, generator=generator)
    return f(shape, generator=generator, device=t.device)


@each_name("rand randn Tensor.normal_", random=True, core=False, since=_SINCE)
def as_one_draw_of_all(t, function):
    """Of a generator's state: other numbers for each example are one draw of all of them, the same are the draw of one."""
    generator, x = t.fw.Generator(device=t.device), t.fw.zeros((4,), device=t.device)
    state, f, vmap = generator.get_state(), t.get(function), t.fw.func.vmap

    def again(run):
        generator.set_state(state)
        return t.host(run())

    def one(x):
        if function.endswith("normal_"):
            return f(x.new_zeros(3, 5) + x, 2.0, 3.0, generator=generator)
        return f(3, 5, generator=generator, device=t.device)

    for kind, shape in (("different", (4, 3, 5)), ("same", (3, 5))):
        made = again(lambda kind=kind: t.call(vmap(one, randomness=kind), x))
        want = again(lambda shape=shape: _drawn(t, function, shape, generator))
        t.expect(made.shape == (4, 3, 5) and bool((made == want).all()), kind)
    t.raises(RuntimeError, t.call, vmap(one, randomness="error"), x)
    if function.endswith("normal_"):
        shared = t.fw.zeros((3, 5), device=t.device)
        run = lambda x: shared.normal_(generator=generator)  # noqa: E731
        t.raises(RuntimeError, t.call, vmap(run, randomness="different"), x)


@case("torch.nn.Dropout", dtypes="f32", random=True, core=False, reference="none", since=_SINCE)
def of_what_all_share(t, dtype):
    """Numbers that all examples share, and examples that lie last: others for each, or for all the same."""
    layer, vmap, x = t.get("torch.nn.Dropout")(0.5), t.fw.func.vmap, t.uniform((4,), dtype, 1, 2)
    shared, last = t.uniform((20, 30), dtype, 1, 2), t.uniform((20, 30, 4), dtype, 1, 2)
    for kind in ("different", "same"):
        for made in (
            t.call(vmap(lambda x: layer(shared), randomness=kind), x),
            t.call(vmap(layer, in_dims=-1, randomness=kind), last),
        ):
            kept = t.host(made) != 0
            t.expect(kept.shape == (4, 20, 30) and 0.35 < kept.mean() < 0.65, "half of each")
            alike = [bool((kept[a] == kept[b]).all()) for a, b in ((0, 1), (1, 2), (2, 3), (0, 3))]
            t.expect(all(alike) if kind == "same" else not any(alike), kind)


@case("torch.Tensor.normal_", dtypes="f32 f64", random=True, core=False, reference="none", since=_SINCE)  # fmt: skip
def draws_of_what_lies_last(t, dtype):
    """Examples along the last axis, others for each or the same for all; a tensor that all share: the draws of the same state."""
    generator, f, vmap = t.fw.Generator(device=t.device), t.get("torch.Tensor.normal_"), t.fw.func.vmap  # fmt: skip
    state = generator.get_state()
    zeros = lambda *shape: t.fw.zeros(shape, dtype=t.dtype(dtype), device=t.device)  # noqa: E731

    def again(run, *given):
        generator.set_state(state)
        return t.call(run, *given)

    draw = lambda x: f(x, generator=generator)  # noqa: E731
    all_of, one_of = again(draw, zeros(3, 5, 4).movedim(-1, 0)), t.host(again(draw, zeros(3, 5)))
    made = again(vmap(draw, in_dims=-1, randomness="different"), zeros(3, 5, 4))
    t.expect(made.shape == (4, 3, 5) and t.fw.equal(made, all_of), "one draw of all")
    shared = zeros(3, 5)
    for run, x in ((draw, zeros(3, 5, 4)), (lambda x: draw(shared), zeros(3, 5, 4))):
        made = t.host(again(vmap(run, in_dims=-1, randomness="same"), x))
        t.expect(made.shape == (4, 3, 5) and bool((made == one_of).all()), "the draw of one")
    t.expect(bool((t.host(shared) == one_of).all()), "in place")
    t.statistics(again(draw, zeros(200, 300)), mean=0, std=1)
