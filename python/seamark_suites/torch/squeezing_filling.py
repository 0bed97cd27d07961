"""More of mul_, squeeze, chunk, masked_fill, no_grad and interpolate."""

from seamark_agent.harness import Skip

from seamark_suites.case import case
from seamark_suites.reference import affine_pull

from .grad_mode import _without
from .reference import with_gradient
from .reference_views import squeezed

INF, NAN = float("inf"), float("nan")

# --- mul_

MUL = "torch.Tensor.mul_"


@case(MUL, dtypes="f32 bf16", core=False, reference=lambda np, x, mask, whole, factor: [
      x * mask, x * whole, x * factor, x * 0.875, x * x])  # fmt: skip
def by_other_kinds(t, dtype):
    """A mask, whole numbers, a scale in f32, a fraction, itself: the dtype stays as it was."""
    x = t.uniform((6, 9), dtype, 0.5, 1.5)
    others = [t.randn((9,), "bool"), t.randint((6, 1), "i64", 1, 9), t.const(0.75, "f32"), 0.875]
    made = [t.call(MUL, x.clone(), one) for one in others] + [t.call(MUL, x, x)]
    t.expect(all(one.dtype is t.dtype(dtype) for one in made), "the dtype of the tensor")
    return made


@case(MUL, dtypes="f32 bf16", core=False, reference=lambda np, x, y: x * y)
def not_a_number(t, dtype):
    """Infinities and NaN come through, as who looks for an overflow expects."""
    x, y = [INF, INF, NAN, -INF, 1e30, 2.0], [0.0, -2.0, 0.0, -INF, 1e30, NAN]
    return t.call(MUL, t.const(x, dtype), t.const(y, dtype))


def _every_other(np, x, v):
    made = x.copy()
    made[:, ::2] *= v
    return made


@case(MUL, dtypes="f32 c64", grad=True, core=False, reference=with_gradient(_every_other))
def part_of_a_graph(t, dtype):
    """Every other column of what has a gradient: there the factor counts, in the rest it does not."""
    change = t.get(MUL)

    def run(x, v):
        made = x.clone()
        change(made[:, ::2], v)
        return made

    return t.call(run, t.uniform((4, 6), dtype, 0.5, 1.5), t.uniform((3,), dtype, 2, 3))


@case(MUL, dtypes="f32", core=False, reference=lambda np, x: 2 * np.exp(x))
def what_backward_needs(t, dtype):
    """exp kept its result for the gradient: that it was changed is told, and no wrong gradient given."""
    made = t.call(MUL, t.randn((5,), dtype, grad=True).exp(), 2)
    t.raises(RuntimeError, made.sum().backward)
    return made.detach()


# --- squeeze


@case("torch.Tensor.squeeze", dtypes="f32", dim=[-2, (0, 2)], grad=True, core=False, since=("2.0", "several axes"),
      reference=with_gradient(lambda np, x, dim: squeezed(np, x, dim)))  # fmt: skip
def axes_by_keyword(t, dtype, dim):
    return t.call("torch.Tensor.squeeze", t.randn((1, 6, 1, 5), dtype), dim=dim)


# --- chunk

CHUNK = "torch.Tensor.chunk"


@case(CHUNK, dtypes="f32 bf16", grad=True, core=False, reference=with_gradient(
      lambda np, x: x[:, :3] * x[:, 3:6],
      lambda np, w, x: np.concatenate([w * x[:, 3:6], w * x[:, :3], 0 * x[:, 6:]], 1)))  # fmt: skip
def one_is_not_used(t, dtype):
    """Queries, keys and values of one product, along the last axis; the values have a gradient of zero."""
    chunk = t.get(CHUNK)

    def run(x):
        q, k, _ = chunk(x, 3, dim=-1)
        return q * k

    return t.call(run, t.uniform((5, 8), dtype, 0.5, 1.5))


@case(CHUNK, core=False, reference="none")
def chunk_refuses(t):
    """No parts, a number that has no axis."""
    t.raises(RuntimeError, t.call, CHUNK, t.randn((4, 3), "f32"), 0)
    t.raises(RuntimeError, t.call, CHUNK, t.randn((), "f32"), 1)


# --- masked_fill

FILL = "torch.Tensor.masked_fill"


@case(FILL, dtypes="f32 c64", grad=True, core=False, reference=with_gradient(
      lambda np, x, mask, value: np.where(mask, value, x),
      lambda np, w, x, mask, value: (w * ~mask, (w * mask).sum()), of=[0, 2]))  # fmt: skip
def value_with_a_gradient(t, dtype):
    """As a mask token that is learned: each place that it fills counts for it."""
    x, mask = t.randn((6, 9), dtype), t.randn((6, 9), "bool")
    return t.call(FILL, x, mask, t.randn((), dtype))


@case(FILL, dtypes="f32", grad=True, core=False, reference=with_gradient(
      lambda np, x, mask: np.where(mask, -2.5, x), lambda np, w, x, mask: (w * ~mask).sum(0), of=[0]))  # fmt: skip
def of_a_larger_mask(t, dtype):
    """Each is broadcast to the other."""
    return t.call(FILL, t.randn((9,), dtype), t.randn((6, 9), "bool"), -2.5)


@case(FILL, dtypes="f32 bf16", core=False, reference=lambda np, x, mask: [
      np.where(mask, 0.5, x), 1.0 * ~mask, x])  # fmt: skip
def hides_what_is_no_number(t, dtype):
    """NaN below the mask reaches neither result nor gradient; the tensor itself stays as it was."""
    x = t.const([NAN, 1.0, -INF, 2.0, NAN], dtype, grad=True)
    made = t.call(FILL, x, t.const([True, False, True, False, True], "bool"), 0.5)
    return [made.detach(), t.fw.autograd.grad(made.sum(), x)[0], x.detach()]


# --- no_grad


@case("torch.no_grad", core=False, host_only=True, reference="none")
def asked_for_at_the_making(t):
    """Documented: what makes a new tensor still takes requires_grad=True."""
    with t.call("torch.no_grad"):
        leaf = t.fw.ones(3, requires_grad=True)
        plain = leaf * 2
    t.expect(leaf.requires_grad and leaf.is_leaf, "a leaf that asks for a gradient")
    t.expect(not plain.requires_grad, "no graph of the rest")
    (leaf * 3).sum().backward()
    t.expect(leaf.grad.tolist() == [3, 3, 3], "its gradient outside, got %s" % leaf.grad)


@case("torch.no_grad", dtypes="f32", core=False, reference=lambda np, x: [x * x, 2 * x])
def a_function_of_ones_own(t, dtype):
    """autograd.Function.apply within it: the values, and no graph, whatever it saves."""

    class Square(t.fw.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, w):
            return 2 * ctx.saved_tensors[0] * w

    x = t.uniform((5,), dtype, 1, 2, grad=True)
    made = t.call(_without(t, Square.apply), x)
    t.expect(made.grad_fn is None and not made.requires_grad, "no graph")
    return [made, t.fw.autograd.grad(t.call(Square.apply, x).sum(), x)[0]]


@case("torch.no_grad", dtypes="f32", core=False, reference=lambda np, x: x + 1)
def changed_after_it_was_saved(t, dtype):
    """What backward needs is counted as changed within it, too; detach() shares that count, data does not."""
    x = t.uniform((4,), dtype, 1, 2, grad=True)
    for source in ("itself", "detached"):
        saved = x * 1
        made = (saved * saved).sum()
        t.call(_without(t, lambda y: y.add_(1)), saved if source == "itself" else saved.detach())
        try:
            made.backward()
        except RuntimeError as error:
            t.expect("modified by an inplace operation" in str(error), "says why: %s" % error)
        else:
            t.expect(False, "backward refuses what was changed: " + source)
    t.expect(x.grad is None, "no gradient")
    return saved.detach()


@case("torch.no_grad", core=False, host_only=True, reference="none")
def of_coroutines(t):
    """A decorated generator gets what is sent and thrown, closes and returns; its mode is its own, off and on at each step."""
    fw, modes = t.fw, []

    @fw.no_grad()
    def adds():
        total = 0
        try:
            while True:
                modes.append(fw.is_grad_enabled())
                try:
                    given = yield total
                except KeyError:
                    modes.append(fw.is_grad_enabled())
                    given = 100
                if given is None:
                    return "ended at %d" % total
                total += given
        finally:
            modes.append(fw.is_grad_enabled())

    def outside(made):
        t.expect(fw.is_grad_enabled(), "recorded outside")
        return made

    one = t.call(adds)
    found = [outside(next(one)), outside(one.send(2)), outside(one.throw(KeyError("x")))]
    t.expect(found == [0, 2, 102], "0, 2, 102, got %s" % found)
    try:
        one.send(None)
    except StopIteration as end:
        t.expect(outside(end.value) == "ended at 102", "what is returned, got %r" % end.value)
    closed = t.call(adds)
    next(closed)
    outside(closed.close())
    broken = t.call(adds)
    next(broken)
    t.raises(ValueError, broken.throw, ValueError("x"))
    outside(None)
    t.expect(len(modes) == 9 and not any(modes), "off at each step, got %s" % modes)


@case("torch.no_grad", dtypes="f32", core=False, reference=lambda np, x: [x * 2, x * 3, x * 4])
def decorated_within_it(t, dtype):
    """A decorated function, and a with statement, put the mode back to what it was: off."""
    x = t.randn((4,), dtype, grad=True)
    double = t.fw.no_grad()(lambda x: x * 2)

    def run(x):
        with t.fw.no_grad():
            first = double(x)
            second = x * 3
        with t.fw.enable_grad():
            double(x)
            return [first, second, x * 4]

    made = t.call(run, x)
    t.expect([one.requires_grad for one in made] == [False, False, True], "the last alone a graph")
    return [one.detach() for one in made]


# --- interpolate: along each axis a matrix of shares

RESIZE = "torch.nn.functional.interpolate"
SIZES = {"linear": ((5,), (8,)), "trilinear": ((4, 3, 5), (3, 5, 4))}
PLANE = (6, 5), (4, 8)  # of the other modes


def _cubic(np, d, a):
    near, far = ((a + 2) * d - (a + 3)) * d * d + 1, ((d - 5) * d + 8) * d * a - 4 * a
    return np.where(d < 1, near, np.where(d < 2, far, 0))


def _shares(np, n, m, mode, align=None, step=None, antialias=False):
    """What each of m new numbers takes of each of n old ones; new ones are `step` old ones apart."""
    at, old, step = np.arange(m)[:, None], np.arange(n), step or n / m
    if mode in ("nearest", "nearest-exact"):
        return 1.0 * (old == np.floor((at + 0.5 * (mode != "nearest")) * step))
    if mode == "area":
        inside = (old >= at * n // m) & (old < -(-(at + 1) * n // m))
        return inside / inside.sum(1, keepdims=True)
    at = at * (n - 1) / (m - 1) if align else (at + 0.5) * step - 0.5
    if antialias:
        far = abs(at - old) / max(step, 1)
        made = _cubic(np, far, -0.5) if mode == "bicubic" else np.maximum(1 - far, 0)
        if mode == "lanczos":
            made = np.where(far < 3, np.sinc(far) * np.sinc(far / 3), 0)
        return made / made.sum(1, keepdims=True)
    if mode != "bicubic":
        return np.maximum(1 - abs(at.clip(0, n - 1) - old), 0)
    made = np.zeros((m, n))
    for place in range(-2, n + 2):  # beyond the border its number is repeated
        made[:, min(max(place, 0), n - 1)] += _cubic(np, abs(at - place), -0.75)[:, 0]
    return made


def _resized(np, x, sizes, mode, steps=(None,) * 3, **options):
    for axis, (m, step) in enumerate(zip(sizes, steps), 2):
        shares = _shares(np, x.shape[axis], m, mode, step=step, **options)
        x = np.moveaxis(np.tensordot(x, shares, (axis, 1)), -1, axis)
    return x


def _to_size(np, x, mode, align):
    return _resized(np, x, SIZES.get(mode, PLANE)[1], mode, align=align)


LINES = ["linear", "bilinear", "bicubic", "trilinear"]
MODES = ["nearest", "nearest-exact", "area", *LINES]
_SLOPES = {"name": "to_size_gradient", "reference": with_gradient(_to_size, affine_pull(_to_size))}


@case(RESIZE, dtypes="f32", mode=MODES, align=None, core=False, reference=_to_size)
@case(RESIZE, dtypes="f32", mode=LINES, align=True, core=False, reference=_to_size)
@case(RESIZE, dtypes="f64 f16", mode=["nearest", "bilinear"], align=None, core=False, reference=_to_size)  # fmt: skip
@case(RESIZE, dtypes="u8", mode="nearest", align=None, core=False, reference=_to_size)
@case(RESIZE, dtypes="f32", mode=MODES, align=None, grad=True, core=False, **_SLOPES)
@case(RESIZE, dtypes="f32", mode=LINES, align=True, grad=True, core=False, **_SLOPES)
def to_size(t, dtype, mode, align):
    """Of one, two and three axes, one smaller and one larger; with the corners in their places, too."""
    old, new = SIZES.get(mode, PLANE)
    x = t.uniform((2, 3, *old), dtype, *((1, 200) if dtype == "u8" else (0.5, 1.5)))
    return t.call(RESIZE, x, size=new, mode=mode, align_corners=align)


def _by_factors(np, x, mode, again):
    return _resized(np, x, (4, 8), mode, (None,) * 2 if again else (1 / 0.7, 1 / 1.7))


@case(RESIZE, dtypes="f32", mode=["nearest", "bilinear"], again=[None, True], core=False, reference=_by_factors)  # fmt: skip
def by_factors(t, dtype, mode, again):
    """0.7 and 1.7 give 4 of 6 and 8 of 5; the steps are by the factors, or by the sizes where asked."""
    x = t.uniform((2, 3, 6, 5), dtype, 0.5, 1.5)
    return t.call(RESIZE, x, scale_factor=(0.7, 1.7), mode=mode, recompute_scale_factor=again)


@case(RESIZE, dtypes="f32", mode=["bilinear", "bicubic"], core=False, since=("1.11", "antialias"),
      reference=lambda np, x, mode: _resized(np, x, (4, 5), mode, antialias=True))  # fmt: skip
def smoothed(t, dtype, mode):
    """antialias=True: what becomes smaller is averaged over all that it stands for."""
    x = t.uniform((2, 3, 9, 13), dtype, 0.5, 1.5)
    return t.call(RESIZE, x, size=(4, 5), mode=mode, antialias=True)


@case(RESIZE, dtypes="f32", core=False, reference=lambda np, x, y: [
      _resized(np, one, (4, 8), "bilinear") for one in (x, y.swapaxes(2, 3))])  # fmt: skip
def other_strides(t, dtype):
    """Channels last, and a transpose."""
    x, y = t.randn((2, 3, 6, 5), dtype), t.randn((2, 3, 5, 6), dtype)
    last = x.to(memory_format=t.fw.channels_last)
    return [t.call(RESIZE, one, size=(4, 8), mode="bilinear") for one in (last, y.mT)]


@case(RESIZE, core=False, reference="none", wrong=[
      {"size": (3,)}, {"size": (0, 3)}, {"size": 3, "scale_factor": 2.0}, {"size": 3, "align_corners": True}])  # fmt: skip
def interpolate_refuses(t, wrong):
    """One size for two axes, nothing to make, size and factor, corners of the nearest."""
    t.refuses(RESIZE, t.randn((1, 2, 4, 5), "f32"), **wrong)


# --- interpolate: lines and volumes of each mode, pixels of bytes, and what few sizes ask

AXES = {"line": ((5,), (8,)), "volume": ((4, 3, 5), (3, 5, 4))}


def _along(np, x, mode, axes):
    return _resized(np, x, AXES[axes][1], mode)


@case(RESIZE, dtypes="f32", mode=["nearest", "nearest-exact", "area"], axes=list(AXES), grad=True, core=False,
      reference=with_gradient(_along, affine_pull(_along)))  # fmt: skip
def lines_and_volumes(t, dtype, mode, axes):
    old, new = AXES[axes]
    return t.call(RESIZE, t.uniform((2, 3, *old), dtype, 0.5, 1.5), size=new, mode=mode)


@case(RESIZE, dtypes="u8", smooth=[("bilinear", False), ("bilinear", True), ("bicubic", True)], core=False, reference="none")  # fmt: skip
def pixels_of_bytes(t, dtype, smooth):
    """Rounded behind each axis: a bicubic weight below zero makes more of that; from 0 to 255; channels last, too."""
    mode, antialias = smooth
    x = t.randint((2, 3, 9, 13), dtype, 0, 256)
    wide = _resized(t.np, t.host(x), (14, 5), mode, antialias=antialias)
    last = x.contiguous(memory_format=t.fw.channels_last)
    for one in (x, last):
        made = t.call(RESIZE, one, size=(14, 5), mode=mode, antialias=antialias)
        t.expect(made.dtype is t.dtype(dtype) and made.shape == (2, 3, 14, 5), "bytes")
        error = abs(t.host(made) - wide.clip(0, 255)).max()
        t.expect(error <= (1.01 if mode == "bilinear" else 1.5), "the exact value, got %g" % error)


def _smooth(np, x, mode):
    return _resized(np, x, (4, 5), mode, antialias=True)


@case(RESIZE, dtypes="f32 f64", mode=["bilinear", "bicubic"], grad=True, core=False, since=("1.11", "antialias"),
      reference=with_gradient(_smooth, affine_pull(_smooth)))  # fmt: skip
def smoothed_with_a_gradient(t, dtype, mode):
    return t.call(RESIZE, t.uniform((1, 2, 9, 13), dtype, 0.5, 1.5), size=(4, 5), mode=mode, antialias=True)  # fmt: skip


@case(RESIZE, dtypes="f32 f64", core=False, since=("2.13", "the mode lanczos"),
      reference=lambda np, x: _resized(np, x, (14, 5), "lanczos", antialias=True))  # fmt: skip
def windowed_sinc(t, dtype):
    """Lanczos, documented for the CPU alone."""
    if str(t.device) != "cpu":
        raise Skip("lanczos is for the CPU alone")
    x = t.uniform((2, 3, 9, 13), dtype, 0.5, 1.5)
    t.raises(ValueError, t.call, RESIZE, x, size=(14, 5), mode="lanczos")
    return t.call(RESIZE, x, size=(14, 5), mode="lanczos", antialias=True)


@case(RESIZE, dtypes="f32 bf16", core=False, reference=lambda np, x: [
      x[:, :, :1, :1], _resized(np, x, (1, 1), "bilinear"), x.mean((2, 3), keepdims=True), x, x,
      _resized(np, x, (12, 10), "bilinear", align=True), np.zeros((0, 3, 4, 8))])  # fmt: skip
def to_one_to_itself_and_of_nothing(t, dtype):
    """To one number with and without the corners and as a mean; to its own size; by a factor with the corners; no images."""
    x, corners = t.uniform((2, 3, 6, 5), dtype, 0.5, 1.5), {"mode": "bilinear", "align_corners": True}  # fmt: skip
    return [
        t.call(RESIZE, x, size=1, **corners),
        t.call(RESIZE, x, size=(1, 1), mode="bilinear"),
        t.call(RESIZE, x, size=1, mode="area"),
        t.call(RESIZE, x, size=(6, 5), mode="bicubic"),
        t.call(RESIZE, x, scale_factor=1),
        t.call(RESIZE, x, scale_factor=2, **corners),
        t.call(RESIZE, x[:0], (4, 8)),
    ]


@case(RESIZE, dtypes="f32", core=False, reference=lambda np, *xs: [_resized(np, x, (2 * n, 8), "bilinear") for x, n in zip(xs, (3, 6, 4))])  # fmt: skip
def resizes_three_sizes(t, dtype):
    """One size after another: what a compiler made for one must not be used for the next."""
    drawn = [t.uniform((1, 2, n, 4), dtype, 0.5, 1.5) for n in (3, 6, 4)]
    return [t.call(RESIZE, x, scale_factor=2.0, mode="bilinear") for x in drawn]


@case(RESIZE, dtypes="f32", mode=["nearest", "bilinear"], core=False,
      reference=lambda np, x, mode: _resized(np, x, (8, 8), mode)[:, :, 3:5])  # fmt: skip
def numbers_that_are_none(t, dtype, mode):
    """NaN and infinity reach what they have a share in, and no more."""
    x = t.randn((1, 1, 4, 4), dtype)
    x[0, 0, 0, 0], x[0, 0, 3, 3] = NAN, INF
    made = t.call(RESIZE, x, scale_factor=2, mode=mode)
    corners = t.host(made)[0, 0]
    t.expect(bool(t.np.isnan(corners[0, 0]) and t.np.isinf(corners[7, 7])), "at the corners")
    return made[:, :, 3:5]


@case(RESIZE, core=False, reference="none")
def modes_that_do_not_fit(t):
    """A mode of other axes, an unknown one, smoothing of the nearest, no batch and channels."""
    line, plane, volume = (t.randn((1, 2, *sizes), "f32") for sizes in ((4,), (4, 4), (4, 4, 4)))
    for x, mode in ((plane, "linear"), (volume, "bilinear"), (line, "trilinear"), (plane, "none")):
        t.raises((NotImplementedError, ValueError), t.call, RESIZE, x, 2, mode=mode)
    t.raises(ValueError, t.call, RESIZE, plane, 2, antialias=True)
    t.raises(NotImplementedError, t.call, RESIZE, plane[0, 0], 2)
    t.refuses(RESIZE, plane)
