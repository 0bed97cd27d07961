"""Functions of torch.nn.functional without parameters: pad, softmax, interpolate, normalize."""

from seamark_suites.case import case
from seamark_suites.reference import affine_pull

from .reference import with_gradient
from .squeezing_filling import MODES, PLANE, RESIZE, _resized, _shares
from .squeezing_filling import SIZES as HALVES

F = "torch.nn.functional."
_MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}


def padded(np, x, mode="constant"):
    """Two and one on the last axis, one and two on the one before."""
    pairs = [(0, 0)] * (x.ndim - 2) + [(1, 2), (2, 1)]
    return np.pad(x, pairs, mode=_MODES[mode])


def softmax(np, x):
    made = np.exp(x - x.max(-1, keepdims=True))
    return made / made.sum(-1, keepdims=True)


def softmax_pull(np, w, x):
    made = softmax(np, x)
    return made * (w - (w * made).sum(-1, keepdims=True))


def unit(np, x, p=2.0, dim=1):
    size = (abs(x) ** p).sum(dim, keepdims=True) ** (1 / p)
    return x / np.maximum(size, 1e-12)


def doubled(np, x, mode="nearest"):
    """Twice the size; bilinear takes the middles of pixels as their places."""
    if mode == "nearest":
        return x.repeat(2, -1).repeat(2, -2)
    for axis in (-1, -2):
        n = x.shape[axis]
        at = np.clip((np.arange(2 * n) + 0.5) / 2 - 0.5, 0, n - 1)
        low = np.floor(at).astype(int)
        share = (at - low).reshape((-1, 1) if axis == -2 else (-1,))
        high = np.minimum(low + 1, n - 1)
        x = x.take(low, axis) * (1 - share) + x.take(high, axis) * share
    return x


@case(F + "pad", dtypes="f32 bf16 i64", mode=["constant", "reflect"], reference=padded,
      core="f32 bf16 i64")  # fmt: skip
@case(F + "pad", dtypes="f32", mode=["replicate", "circular"], core=False, reference=padded)
@case(F + "pad", dtypes="f32 bf16", mode=["reflect", "replicate"], grad=True, core="f32",
      name="pad_gradient", reference=with_gradient(padded))  # fmt: skip
def pad(t, dtype, mode):
    low, high = (1, 9) if dtype == "i64" else (0.5, 1.5)
    return t.call(F + "pad", t.uniform((2, 3, 5, 6), dtype, low, high), (2, 1, 1, 2), mode=mode)


@case(F + "pad", dtypes="f32", core=False,
      reference=lambda np, x: (x[:, 1:-2], np.pad(x, ((1, 0), (0, 0)), constant_values=2.5)))  # fmt: skip
def crops_and_fills(t, dtype):
    """A negative size cuts off; value= is what is filled in."""
    x = t.uniform((4, 8), dtype, 0.5, 1.5)
    return t.call(F + "pad", x, (-1, -2)), t.call(F + "pad", x, (0, 0, 1, 0), value=2.5)


@case(F + "softmax", dtypes="f32 bf16", reference=softmax, name="softmax")
# The gradient is a difference of numbers of the size of the result.
@case(F + "softmax", dtypes="f32 bf16", grad=True, name="softmax_gradient", atol={"bf16": 2e-3},
      reference=with_gradient(softmax, softmax_pull))  # fmt: skip
def softmax_of_rows(t, dtype):
    return t.call(F + "softmax", t.uniform((6, 33), dtype, -2, 2), dim=-1)


@case(F + "softmax", dtypes="f32", core=False, reference=softmax)
def far_apart(t, dtype):
    """No overflow of large numbers; minus infinity has no share."""
    inf = float("inf")
    x = [[1000.0, 1001.0, 999.0], [0.0, -inf, 1.0], [-1000.0, -1001.0, -1002.0]]
    return t.call(F + "softmax", t.const(x, dtype), dim=1)


@case(F + "softmax", dtypes="f32", core=False, reference=lambda np, x: softmax(np, x.T).T)
def first_axis_and_dtype(t, dtype):
    """dtype= is what is computed in, and the result's."""
    made = t.call(F + "softmax", t.randn((5, 7), dtype), dim=0, dtype=t.dtype("f64"))
    t.expect(made.dtype is t.dtype("f64"), "the dtype asked for")
    return made.to(t.dtype(dtype))


@case(F + "normalize", dtypes="f32 bf16", p=2.0, dim=1, reference=unit, name="unit")
# The gradient has no part along the input: a difference of numbers of the size 1/norm.
@case(F + "normalize", dtypes="f32 bf16", p=2.0, dim=1, grad=True, name="unit_gradient", atol={"bf16": 1e-2},
      reference=with_gradient(unit))  # fmt: skip
@case(F + "normalize", dtypes="f32", p=[1.0, 3.0], dim=[0, -1], core=False, reference=unit)
def normalize(t, dtype, p, dim):
    return t.call(F + "normalize", t.uniform((6, 9), dtype, 0.5, 1.5), p=p, dim=dim)


@case(F + "normalize", dtypes="f32", core=False, reference=unit)
def zeros_stay(t, dtype):
    """eps keeps a row of zeros from a division by zero."""
    return t.call(F + "normalize", t.const([[0.0, 0.0], [3.0, -4.0]], dtype))


@case(F + "interpolate", dtypes="f32 bf16", mode=["nearest", "bilinear"], reference=doubled)
@case(F + "interpolate", dtypes="f32 bf16", mode=["nearest", "bilinear"], grad=True, core="f32",
      name="interpolate_gradient", reference=with_gradient(doubled))  # fmt: skip
def interpolate(t, dtype, mode):
    x = t.uniform((2, 3, 4, 5), dtype, 0.5, 1.5)
    return t.call(F + "interpolate", x, scale_factor=2, mode=mode)


@case(F + "interpolate", dtypes="f32", core=False, reference=doubled)
def channels_last(t, dtype):
    x = t.randn((2, 3, 4, 5), dtype).to(memory_format=t.fw.channels_last)
    return t.call(F + "interpolate", x, size=(8, 10))


@case(
    F + "pad", core=False, reference="none", wrong=[((1, 1, 1), {}), ((9, 9), {"mode": "reflect"})]
)
@case(F + "softmax", core=False, reference="none", wrong=[((2,), {}), ((-3,), {})])
@case(F + "normalize", core=False, reference="none", wrong=[((2.0, 2), {}), ((2.0, -3), {})])
@case(F + "interpolate", core=False, reference="none", wrong=[((), {}), ((4, 2), {})])
def wrong_arguments_raise(t, wrong, function):
    """Half a pair, too much to reflect, no such axis, no size or two of them."""
    args, options = wrong
    t.refuses(function, t.randn((3, 4), "f32"), *args, **options)


@case(F + "softmax", dtypes="f32", large=True, reference=softmax)
@case(F + "normalize", dtypes="f32", large=True, reference=unit)
def large(t, dtype, function):
    return t.call(function, t.uniform((2048, 2048), dtype, -2, 2), dim=1)


@case(F + "pad", dtypes="f32", large=True, reference=padded)
@case(F + "interpolate", dtypes="f32", large=True, reference=doubled)
def large_images(t, dtype, function):
    x = t.randn((4, 8, 256, 256), dtype)
    if function.endswith("pad"):
        return t.call(function, x, (2, 1, 1, 2))
    return t.call(function, x, scale_factor=2)


@case(
    F + "softmax", dtypes="f32", core=False, reference=lambda np, *xs: [softmax(np, x) for x in xs]
)
@case(
    F + "normalize", dtypes="f32", core=False, reference=lambda np, *xs: [unit(np, x) for x in xs]
)
def three_sizes(t, dtype, function):
    """One size after another: what a compiler made for one must not be used for the next."""
    return [t.call(function, t.uniform((n, 7), dtype, 0.5, 1.5), dim=1) for n in (5, 8, 13)]


# --- interpolate: fractional factors, channels last, what does not go together

# By mode: sizes of what a factor of 0.6 makes smaller, and of what 1.7 makes larger, without a step that ends on a number.
FRACTIONS = {1: ((6,), (5,)), 2: ((4, 6), (3, 5)), 3: ((4, 3, 6), (5, 3, 5))}
AXES = {"linear": [1], "bilinear": [2], "bicubic": [2], "trilinear": [3]}


def _by_fractions(np, *drawn, mode, again, smooth):
    made = []
    for x, factor in zip(drawn, (0.6, 1.7) * 3):
        sizes, steps = [int(n * factor) for n in x.shape[2:]], [None if again else 1 / factor] * 3
        made.append(_resized(np, x, sizes, mode, steps, antialias=smooth))
    return made


_FRACTIONS = with_gradient(_by_fractions, affine_pull(_by_fractions))


@case(RESIZE, dtypes="f32 f64", mode=MODES, again=[False, True], smooth=False, grad=True, core=False, reference=_FRACTIONS)  # fmt: skip
@case(RESIZE, dtypes="f32 f64", mode=["bilinear", "bicubic"], again=[False, True], smooth=True, grad=True, core=False,
      since=("1.11", "antialias"), reference=_FRACTIONS)  # fmt: skip
def by_fractions(t, dtype, mode, again, smooth):
    """One factor for all axes of lines, planes and volumes: the step is by the factor, or by the sizes where asked."""
    resize, factors = t.get(RESIZE), (0.6, 1.7) * 3
    options = {"mode": mode, "recompute_scale_factor": again, "antialias": smooth}
    drawn = [
        t.uniform((2, 3, *sizes), dtype, 0.5, 1.5)
        for axes in AXES.get(mode, [1, 2, 3])
        for sizes in FRACTIONS[axes]
    ]
    return t.call(lambda *xs: [resize(x, scale_factor=f, **options) for x, f in zip(xs, factors)], *drawn)  # fmt: skip


def _smooth_corners(np, x, mode):
    steps = [(n - 1) / (m - 1) for n, m in zip(x.shape[2:], (4, 8))]
    return _resized(np, x, (4, 8), mode, steps, antialias=True)


@case(RESIZE, dtypes="f32 f64", mode=["bilinear", "bicubic"], grad=True, core=False, since=("1.11", "antialias"),
      reference=with_gradient(_smooth_corners, affine_pull(_smooth_corners)))  # fmt: skip
def smoothed_with_corners(t, dtype, mode):
    """antialias=True with align_corners=True: steps from corner to corner."""
    x = t.uniform((1, 2, 9, 5), dtype, 0.5, 1.5)
    return t.call(RESIZE, x, size=(4, 8), mode=mode, antialias=True, align_corners=True)


@case(RESIZE, dtypes="f32 f64", mode=["nearest", "nearest-exact"], grad=True, core=False, reference=with_gradient(
      lambda np, x, mode: _resized(np, x, (5, 6, 7), mode), affine_pull(lambda np, x, mode: _resized(np, x, (5, 6, 7), mode))))  # fmt: skip
def volumes_of_channels_last(t, dtype, mode):
    resize, order = t.get(RESIZE), t.fw.channels_last_3d
    x = t.uniform((2, 2, 5, 2, 3), dtype, 0.5, 1.5)
    return t.call(lambda x: resize(x.contiguous(memory_format=order), size=(5, 6, 7), mode=mode), x)


def _and_slope(np, x, mode):
    resize = lambda np, x: _resized(np, x, (4, 8), mode)  # noqa: E731
    return [resize(np, x), affine_pull(resize)(np, np.ones((2, 3, 4, 8)), x)[0]]


@case(RESIZE, dtypes="f32", mode=["nearest", "nearest-exact", "bilinear", "bicubic"], core=False, reference=_and_slope)  # fmt: skip
def keeps_channels_last(t, dtype, mode):
    """The result lies in memory as the input does; so does the gradient, but a bicubic one."""
    order = {"memory_format": t.fw.channels_last}
    x = t.uniform((2, 3, 6, 5), dtype, 0.5, 1.5).contiguous(**order).requires_grad_()
    made = t.call(RESIZE, x, size=(4, 8), mode=mode)
    t.expect(made.is_contiguous(**order), "a result of channels last")
    slope = t.fw.autograd.grad(made, x, t.fw.ones_like(made).detach())[0]
    t.expect(mode == "bicubic" or slope.is_contiguous(**order), "a gradient of channels last")
    return [made.detach(), slope]


@case(RESIZE, core=False, reference="none")
def sizes_that_do_not_go_together(t):
    """A step by sizes that are given, a factor too few or too many, fractions as sizes, mixed sizes, corners of an area."""
    x = t.randn((1, 2, 4, 5), "f32")
    for wrong in (
        {"size": (4, 4), "recompute_scale_factor": True},
        {"scale_factor": (2.0,)},
        {"scale_factor": (2.0, 2.0, 2.0)},
        {"size": (4, 4, 4)},
        {"scale_factor": 2.0, "mode": "area", "align_corners": False},
        {"scale_factor": 2.0, "mode": "nearest-exact", "align_corners": True},
    ):
        t.raises(ValueError, t.call, RESIZE, x, **wrong)
    for wrong in ((4.0, 4), 4.5, (4, "4")):
        t.raises(TypeError, t.call, RESIZE, x, size=wrong)


# --- interpolate: photos, many channels, halves of each mode


def _photos(np, x, mode, smooth):
    return [_resized(np, x[:, :, :270, :270], (130, 130), mode, antialias=smooth), _resized(np, x, (270, 270), mode, antialias=smooth)]  # fmt: skip


@case(RESIZE, dtypes="f32", mode=["bilinear", "bicubic"], smooth=[False, True], core=False, reference=_photos,
      rtol={"f32": 1e-5}, atol={"f32": 1e-4})  # places of some hundreds, times f32's eps # fmt: skip
def photos(t, dtype, mode, smooth):
    """345x456 and 270x270, as they are taken, to other sizes; channels last, too."""
    x = t.uniform((2, 3, 345, 456), dtype)
    last = x.contiguous(memory_format=t.fw.channels_last)
    options = {"mode": mode, "antialias": smooth}
    made = [t.call(RESIZE, x[:, :, :270, :270], size=130, **options), t.call(RESIZE, last, size=(270, 270), **options)]  # fmt: skip
    t.expect(made[1].is_contiguous(memory_format=t.fw.channels_last), "channels last")
    return made


@case(RESIZE, dtypes="u8", mode=["bilinear", "bicubic"], smooth=[False, True], core=False, reference="none")  # fmt: skip
def photos_of_bytes(t, dtype, mode, smooth):
    """Within one of the exact value, within half of it in the mean; so far from the ends that nothing is cut; channels last, too."""
    x = t.randint((2, 3, 270, 270), dtype, 60, 197)
    wide = _resized(t.np, t.host(x), (130, 130), mode, antialias=smooth)
    for one in (x, x.contiguous(memory_format=t.fw.channels_last)):
        made = t.call(RESIZE, one, size=130, mode=mode, antialias=smooth)
        error = abs(t.host(made) - wide)
        limit = 1.01 if mode == "bilinear" else 1.5
        t.expect(error.max() <= limit, "the exact value, got %g" % error.max())
        t.expect(error.mean() < 0.45, "the nearest in the mean, got %g" % error.mean())


def _of_channels(np, x, mode):
    return [_resized(np, x, sizes, mode) for sizes in ((7, 5), (3, 9))]


@case(RESIZE, dtypes="f32 f64", mode=["nearest", "nearest-exact", "bilinear", "bicubic", "area"], grad=True, core=False, name="many_channels_gradient",
      reference=with_gradient(_of_channels, lambda np, w, x, mode: sum(_resized_back(np, one, x.shape, mode) for one in w)))  # fmt: skip
@case(RESIZE, dtypes="f32 bf16 f16", mode=["nearest", "nearest-exact", "bilinear", "bicubic", "area"], core=False, reference=_of_channels)  # fmt: skip
def many_channels(t, dtype, mode):
    """67 channels that lie innermost, one more than a register takes: larger and smaller."""
    resize, x = t.get(RESIZE), t.uniform((2, 67, 5, 6), dtype, 0.5, 1.5)

    def run(x):
        last = x.contiguous(memory_format=t.fw.channels_last)
        return [resize(last, size=size, mode=mode) for size in ((7, 5), (3, 9))]

    return t.call(run, x)


def _resized_back(np, w, shape, mode):
    """The transpose of what resizes."""
    for axis in (2, 3):
        shares = _shares(np, shape[axis], w.shape[axis], mode)
        w = np.moveaxis(np.tensordot(w, shares, (axis, 0)), -1, axis)
    return w


@case(RESIZE, dtypes="bf16 f16", mode=MODES, core=False, reference=lambda np, x, mode: _resized(np, x, HALVES.get(mode, PLANE)[1], mode))  # fmt: skip
def halves_of_each_mode(t, dtype, mode):
    old, new = HALVES.get(mode, PLANE)
    return t.call(RESIZE, t.uniform((2, 3, *old), dtype, 0.5, 1.5), size=new, mode=mode)


ZERO_IMAGES = {"linear": 1, "trilinear": 3}


@case(RESIZE, dtypes="f32", mode=MODES, core=False, reference="none")
def of_no_images(t, dtype, mode):
    """No images give none, of the new size, and a gradient of nothing; images without channels or numbers are refused."""
    axes = ZERO_IMAGES.get(mode, 2)
    x = t.randn((0, 2, *(4, 3, 5)[:axes]), dtype, grad=True)
    for options in ({"size": (7,) * axes}, {"scale_factor": 2.0}):
        made = t.call(RESIZE, x, mode=mode, **options)
        want = (7,) * axes if "size" in options else (8, 6, 10)[:axes]
        t.expect(tuple(made.shape) == (0, 2, *want), "no images of %s, got %s" % (want, made.shape))
        (slope,) = t.fw.autograd.grad(made.sum(), x)
        t.expect(slope.shape == x.shape, "a gradient of nothing")
    t.refuses(RESIZE, t.randn((2, 3, *(0,) * axes), dtype), size=(7,) * axes, mode=mode)


def _to_sizes(n, mode):
    """Of the exact mode those where no middle lies between two numbers."""
    exact = mode == "nearest-exact"
    return [m for m in range(1, 30) if not exact or all((2 * at + 1) * n % (2 * m) for at in range(m))]  # fmt: skip


@case(RESIZE, dtypes="f32", mode=["nearest", "nearest-exact", "linear", "area"], core=False, reference=lambda np, *xs, mode: [
      np.concatenate([_resized(np, x, (m,), mode) for m in _to_sizes(x.shape[2], mode)], -1) for x in xs])  # fmt: skip
def from_each_size_to_each(t, dtype, mode):
    """Lines of 1 to 17 numbers to 1 to 29."""
    resize, join = t.get(RESIZE), t.fw.cat
    run = lambda x: join([resize(x, size=m, mode=mode) for m in _to_sizes(x.shape[2], mode)], -1)  # noqa: E731
    return [t.call(run, t.uniform((1, 2, n), dtype)) for n in range(1, 18)]


# --- softmax of many lengths

SOFT_SIZES = [(0, 10), (32, 20), (10, 0), (31, 20), (31, 23), (32, 129), (3, 2049), (257, 5)]


def _shifted(np, *xs):
    made = []
    for x in xs:
        for one in (x, x[1:, 1:]):
            made += [softmax(np, one), softmax(np, one.T).T] if one.size else [one] * 2
    return made


@case(F + "softmax", dtypes="f32 f64 bf16 f16", core=False, reference=_shifted,
      rtol={"f32": 1e-5}, atol={"f32": 1e-7})  # sums of up to two thousand exponentials # fmt: skip
def softmax_of_many_lengths(t, dtype):
    """Along rows and columns, less and more than registers and blocks take, in order and from the second row and column on."""
    made = []
    for size in SOFT_SIZES:
        x = t.randn(size, dtype)
        for one in (x, x[1:, 1:]):
            made += [t.call(F + "softmax", one, 1), t.call(F + "softmax", one, 0)]
    return made


def _slopes(np, x, w):
    return [softmax_pull(np, w, x), softmax_pull(np, w.T, x.T).T, softmax_pull(np, np.broadcast_to(w[:, :1], x.shape).T, x.T).T, softmax_pull(np, w, x)]  # fmt: skip


@case(F + "softmax", dtypes="f32 f64", core=False, reference=_slopes, rtol={"f32": 1e-5}, atol={"f32": 1e-7})  # fmt: skip
def softmax_of_incoming_gradients(t, dtype):
    """Along rows and columns; the gradient that comes in is a transpose, is broadcast, has gaps."""
    x, w = t.randn((31, 23), dtype, grad=True), t.randn((31, 23), dtype)
    turned, gaps = w.mT.contiguous().mT, t.fw.stack([w, w], -1)[..., 0]
    pulls = (1, turned), (0, gaps), (0, w[:, :1].expand(31, 23)), (1, gaps)
    soft, slope = t.get(F + "softmax"), t.fw.autograd.grad
    return t.call(lambda x: [slope(soft(x, dim), x, pull)[0] for dim, pull in pulls], x)


@case(F + "softmax", dtypes="bf16 f16", grad=True, core=False, reference=with_gradient(softmax, softmax_pull), atol={"bf16": 2e-3, "f16": 2e-4})  # fmt: skip
def softmax_in_wider_numbers(t, dtype):
    """dtype= of halves: the result is f32, the gradient is rounded to halves again."""
    return t.call(F + "softmax", t.uniform((6, 33), dtype, -2, 2), -1, dtype=t.dtype("f32"))


@case(F + "softmax", core=False, reference="none")
def softmax_refuses_these(t):
    """Complex numbers, truths, integers as the result's dtype, lists, text as an axis, the second axis of a number; rows that add up to one are given."""
    x, kinds = t.randn((4, 5), "f32"), (RuntimeError, NotImplementedError)
    for wrong in (t.randn((3,), "c64"), t.randn((3,), "bool")):
        t.raises(kinds, t.call, F + "softmax", wrong, 0)
    t.raises(kinds, t.call, F + "softmax", x, 0, dtype=t.fw.int64)
    for wrong in (([1.0], 0), (x, "0"), (x, 0.5), (x, (0, 1))):
        t.raises((TypeError, AttributeError), t.call, F + "softmax", *wrong)
    for wrong in ((x[0, 0], 1), (x[0, 0], -2), (x, 2), (x, -3)):
        t.raises(IndexError, t.call, F + "softmax", *wrong)
    made = t.host(t.call(F + "softmax", t.randn((50, 1000), "f32"), 1).double().sum(1))
    t.expect(bool((abs(made - 1) < 1e-5).all()), "one of each row, got %s" % made)
