"""LayerNorm, RMSNorm, BatchNorm2d and softmax: complex rows, other eps, long rows, half numbers of float layers, layers that are
copied, pickled and moved."""

from seamark_suites.case import case, each
from seamark_suites.reference import with_gradient

BATCH, LAYER, RMS, SOFTMAX = "torch.nn.BatchNorm2d", "torch.nn.LayerNorm", "torch.nn.RMSNorm", "torch.Tensor.softmax"  # fmt: skip


def _root(np, x, axes, eps):
    return x / np.sqrt((x**2).mean(axes, keepdims=True) + eps)


@case(RMS, dtypes="c64 c128", grad=True, core=False, reference=with_gradient(lambda np, x: [_root(np, x, (1, 2), 0.25), _root(np, x, 2, 0.25)]))  # fmt: skip
def roots_of_complex_rows(t, dtype):
    """The squares are those of complex numbers, not of their sizes."""
    one, both = (
        t.get(RMS)(axes, eps=0.25, device=t.device, dtype=t.dtype(dtype)) for axes in (3, (2, 3))
    )
    return t.call(lambda x: [both(x), one(x)], t.uniform((4, 2, 3), dtype, 1, 2))


@case(RMS, dtypes="f32 f64", grad=True, core=False, reference=with_gradient(lambda np, x: [_root(np, x, (1, 2), -0.5), _root(np, x, 2, 0)]))  # fmt: skip
def eps_of_other_signs(t, dtype):
    """It is added as it is, below zero and zero."""
    layer, kind = t.get(RMS), {"device": t.device, "dtype": t.dtype(dtype)}
    both, one = (
        layer((2, 3), eps=-0.5, **kind),
        layer([3], eps=0.0, elementwise_affine=False, **kind),
    )
    return t.call(lambda x: [both(x), one(x)], t.uniform((2, 2, 3), dtype, 1, 9))


@case(RMS, core=False, reference="none")
def roots_refused(t):
    """Of no axes; of leading axes; by a weight of another size."""
    x = t.randn((2, 2, 3), "f32")
    t.raises(RuntimeError, lambda: t.call(t.get(RMS)(()), x))
    t.raises(RuntimeError, t.call, t.construct(RMS, (2, 2)), x)
    layer = t.construct(RMS, (2, 2, 3))
    for shape in ((2, 2), (3,), (3, 2, 2)):
        layer.weight = t.fw.nn.Parameter(t.fw.ones(shape, device=t.device))
        t.raises(RuntimeError, t.call, layer, x)


def _standard(np, x, axes, eps=0.0):
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + eps)


@case(LAYER, dtypes="f32 f64", core=False, reference=lambda np, *xs: [
      one for n, x in enumerate(xs, 1) for one in (_standard(np, x, tuple(range(n, x.ndim))), 1.5 * _standard(np, x, tuple(range(n, x.ndim))) + 0.25)])  # fmt: skip
def normed_without_eps(t, dtype):
    """eps=0 of two to five axes: mean zero and variance one; then by one scale and bias."""
    made = []
    for n, shape in enumerate(((4, 5), (3, 4, 5), (4, 3, 3, 5), (3, 3, 4, 3, 4)), 1):
        layer = t.get(LAYER)(shape[n:] or shape[1:], eps=0, device=t.device, dtype=t.dtype(dtype))
        x = t.uniform(shape, dtype, 0, 10)
        made.append(t.call(layer, x).detach())
        with t.fw.no_grad():
            layer.weight.fill_(1.5)
            layer.bias.fill_(0.25)
        made.append(t.call(layer, x).detach())
    return made


def _of_images(np, first, second):
    def run(first, second):
        axes, along = (0, 2, 3), (slice(None), None, None)
        mean, n = (first.mean(axes) + second.mean(axes)) / 2, first[:, 0].size
        var = (first.var(axes) + second.var(axes)) / 2 * n / (n - 1)
        kept = (second - mean[along]) / np.sqrt(var[along] + 1e-5)
        return _standard(np, first, axes, 1e-5), _standard(np, second, axes, 1e-5), kept, mean, var

    *made, mean, var = run(first, second)
    root = np.sqrt(var + 1e-5)[:, None, None]
    w = np.linspace(0.5, 1.5, second.size).reshape(second.shape)
    return [*made, np.broadcast_to(w / root, second.shape)], [mean, var]


@case(BATCH, dtypes="bf16 f16", core=False, reference=_of_images)
def half_images_of_a_float_layer(t, dtype):
    """Each batch counts the same; out of training the result and the slope are in half precision, what is kept is not."""
    layer = t.get(BATCH)(3, momentum=None, device=t.device)
    first, second = t.randn((4, 3, 5, 6), dtype), t.randn((4, 3, 5, 6), dtype)
    made = [t.call(layer, x).detach() for x in (first, second)]
    leaf = second.clone().requires_grad_()
    made.append(t.call(layer.eval(), leaf))
    w = t.fw.linspace(0.5, 1.5, leaf.numel(), device=t.device).reshape(leaf.shape)
    made.append(t.fw.autograd.grad(made[2], leaf, w.to(leaf.dtype))[0])
    t.expect(all(one.dtype is leaf.dtype for one in made), "half precision")
    kept = [layer.running_mean, layer.running_var]
    t.expect(all(one.dtype is t.fw.float32 for one in kept), "statistics in f32")
    t.expect(layer.weight.dtype is t.fw.float32, "weights in f32")
    return [one.detach() for one in made], kept


def _shares(np, x, axis):
    power = np.exp(x - x.max(axis, keepdims=True))
    return power / power.sum(axis, keepdims=True)


def _shares_and_slope(np, x, w):
    made, slopes = [], []
    for axis in (0, 1):
        share = _shares(np, x[1:, 1:], axis)
        made.append(share)
        slope = np.zeros_like(x)
        up = w[1:, 1:]
        slope[1:, 1:] = share * (up - (share * up).sum(axis, keepdims=True))
        slopes.append(slope)
    return made, slopes


@case(
    SOFTMAX,
    dtypes="f32 bf16 f16",
    shapes="32x24 33x1537 17x2050 5x30577",
    core=False,
    reference=_shares_and_slope,
)
def long_rows_off_their_places(t, dtype, shape):
    """Rows and columns of a part that begins at neither, as f32; the slope is in the dtype of the input."""
    x, w = t.randn(shape, dtype, grad=True), t.uniform(shape, "f32", 1, 2)
    made, slopes = [], []
    for axis in (0, 1):
        made.append(t.call(SOFTMAX, x[1:, 1:], axis, dtype=t.fw.float32))
        slopes.append(t.fw.autograd.grad(made[-1], x, w[1:, 1:])[0])
    t.expect(all(one.dtype is x.dtype for one in slopes), "the dtype of the input")
    return [one.detach() for one in made], slopes


LAYERS = {BATCH: (3,), LAYER: ((4, 5),), RMS: ((5,),), "torch.nn.Dropout": (0.5,)}


def _evaluated(name):
    def reference(np, x, *state):
        if name == BATCH:
            weight, bias, mean, var = (one[:, None, None] for one in state)
            return (x - mean) / np.sqrt(var + 1e-5) * weight + bias
        if name == LAYER:
            return _standard(np, x, (2, 3), 1e-5) * state[0] + state[1]
        return _root(np, x, 3, np.finfo("float32").eps) * state[0] if name == RMS else x

    return reference


@each(LAYERS, _evaluated, dtypes="f32", core=False)
def copied_pickled_and_moved(t, dtype, function):
    """Of deep copies, of pickles and of files the result is the same, and of what began on meta with that state; what it is tells
    its options; in f64 its parameters are."""
    import copy
    import os
    import pickle

    fw, args = t.fw, LAYERS[function]
    layer, x = t.get(function)(*args).to(t.device).eval(), t.randn((2, 3, 4, 5), dtype)
    held = [one for one in layer.state_dict().values() if one.dtype.is_floating_point]
    with fw.no_grad():
        for one in held:
            one.copy_(t.uniform(tuple(one.shape), dtype, 0.5, 2))
    first = t.call(layer, x).detach()
    want = t.host(first)
    path = os.path.join(t.tmpdir(), "layer.pt")
    fw.save(layer.cpu(), path)
    copies = [copy.deepcopy(layer), pickle.loads(pickle.dumps(layer)), fw.load(path, weights_only=False)]  # fmt: skip
    for one in (layer, *copies):
        one.to(t.device)
    if list(layer.parameters()):
        again = t.get(function)(*args, device="meta")
        t.expect(all(one.is_meta for one in again.parameters()), "parameters on meta")
        again.to_empty(device=t.device).load_state_dict(layer.state_dict())
        copies.append(again.eval())
    for one in copies:
        t.expect(not one.training and bool((t.host(t.call(one, x).detach()) == want).all()), "the same")  # fmt: skip
        t.expect(repr(one) == repr(layer) and str(args[0]) in repr(layer), "its text")
    wide = copies[0].double()
    t.expect(all(one.dtype is fw.float64 for one in wide.parameters()), "parameters of f64")
    made = t.call(wide, x.double()).detach()
    t.expect(made.dtype is fw.float64 and float(abs(t.host(made) - want).max()) < 1e-4, "in f64")
    return first


# --- rows of one number, however large


def _of_equal_rows(np, w):
    even = np.ones_like(w) / w.shape[1]
    return [even] * 3, [even * (w - w.mean(1, keepdims=True))] * 3


@case(SOFTMAX, dtypes="f32 f64", core=False, reference=_of_equal_rows)
def even_shares_of_large_numbers(t, dtype):
    """Of -1000, of zeros and of 1000: the shares and their slopes are those of any equal numbers."""
    w, made, slopes = t.randint((3, 8), dtype, -9, 9), [], []
    for value in (-1000.0, 0.0, 1000.0):
        x = t.fw.full_like(w, value).requires_grad_()
        made.append(t.call(SOFTMAX, x, 1))
        slopes.append(t.fw.autograd.grad(made[-1], x, w)[0])
    return [one.detach() for one in made], slopes


def _of_level_rows(np, w, value):
    made, slopes = [], []
    for weight in (None, -1000, 0, 1000):
        up = w * (1 if weight is None else weight)
        made.append(np.zeros_like(w) if weight is None else np.full_like(w, 0.75))
        slopes.append([2 * (up - up.mean(1, keepdims=True))] + ([] if weight is None else [0 * w[0], w.sum(0)]))  # fmt: skip
    return made, slopes


@case(
    LAYER,
    dtypes="f32 f64",
    value=[-1000.0, 0.0, 1000.0],
    core=False,
    trivial=True,
    reference=_of_level_rows,
)
def slopes_of_level_rows(t, dtype, value):
    """Equal numbers give the bias; eps alone is below their slope; by no weights, by large ones and by zeros."""
    w, made, slopes = t.randint((3, 8), dtype, -9, 9), [], []
    for weight in (None, -1000, 0, 1000):
        kind = {"device": t.device, "dtype": t.dtype(dtype)}
        layer = t.get(LAYER)(8, eps=0.25, elementwise_affine=weight is not None, **kind)
        if weight is not None:
            t.fw.nn.init.constant_(layer.weight, weight)
            t.fw.nn.init.constant_(layer.bias, 0.75)
        x = t.fw.full_like(w, value).requires_grad_()
        made.append(t.call(layer, x))
        slopes.append(list(t.fw.autograd.grad(made[-1], [x, *layer.parameters()], w)))
    return [one.detach() for one in made], slopes


# --- what is refused

KINDS = {
    BATCH: (lambda f: f(3), "i64 u8 bool c64", (2, 3, 4, 4)),
    LAYER: (lambda f: f(4), "u8 bool c64 i32", (2, 3, 4)),
    RMS: (lambda f: f(4), "u8 bool i32", (2, 3, 4)),
    "torch.matmul": (lambda f: lambda x: f(x, x), "bool", (3, 3)),
    SOFTMAX: (lambda f: lambda x: f(x, -1), "u8 bool i32 c128", (2, 3, 4)),
}


@each(KINDS, core=False)
def kinds_that_are_refused(t, function):
    """Whole numbers, truths, complex numbers, as each function's list of dtypes has it."""
    make, kinds, shape = KINDS[function]
    call = make(t.get(function))
    call = call.to(t.device) if isinstance(call, t.fw.nn.Module) else call
    for kind in kinds.split():
        t.raises((RuntimeError, NotImplementedError), t.call, call, t.randn(shape, kind))


@case(BATCH, dtypes="f32", core=False, since=("2.0", "torch.func"), reference=lambda np, x: [
      x / np.sqrt(1 + 1e-5), np.stack([_standard(np, one, (0, 2, 3), 1e-5) for one in x])])  # fmt: skip
def no_statistics_of_a_batch(t, dtype):
    """Documented: what all examples share is not moved by one of them, nor in a function that is differentiated; out of training and without
    statistics it goes."""
    func, x = t.fw.func, t.randn((3, 4, 2, 5, 5), dtype)
    layer = t.construct(BATCH, 2, affine=False)
    bare = t.construct(BATCH, 2, affine=False, track_running_stats=False)
    for wrong in (func.vmap(layer), lambda x: func.grad(lambda x: layer(x).sum())(x[0])):
        t.raises(RuntimeError, t.call, wrong, x)
    layer.eval()
    layer.reset_running_stats()
    return [t.call(func.vmap(layer), x), t.call(func.vmap(bare), x)]
