"""interpolate as its own tests try it: bytes of more channels and other views, smoothed ones of channels last, slopes in half
precision."""

from seamark_suites.case import case
from seamark_suites.reference import affine_pull

from .reference import with_gradient
from .squeezing_filling import MODES, PLANE, RESIZE, SIZES, _resized, _shares

LESS, MORE = (20, 23), (107, 131)  # of 61x71


@case(RESIZE, dtypes="u8", mode=["nearest", "nearest-exact", "bilinear", "bicubic"], smooth=False, core=False, reference="none")  # fmt: skip
@case(RESIZE, dtypes="u8", mode=["bilinear", "bicubic"], smooth=True, core=False, reference="none")
def views_of_photos(t, dtype, mode, smooth):
    """Five images of three channels, one of five and one of three: in order and channels last, a part of each, every other row and column. Within one
    of the exact value, one and a half where weights are below zero; the nearest exactly."""
    last = t.fw.channels_last
    for count, channels in ((5, 3), (1, 5), (1, 3)):
        whole = t.randint((count, channels, 126, 146), dtype, 60, 197)
        for x in (whole, whole.contiguous(memory_format=last)):
            for part in (x[:, :, 2:63, 3:74].contiguous(memory_format=last if x is not whole else t.fw.contiguous_format),
                         x[:, :, 2:63, 3:74], x[:, :, 1:123:2, 3:145:2], x[0, :, 2:63, 3:74][None]):  # fmt: skip
                for size in (LESS, MORE):
                    made = t.call(RESIZE, part, size=size, mode=mode, antialias=smooth)
                    if part.is_contiguous(memory_format=last):
                        t.expect(made.is_contiguous(memory_format=last), "channels last")
                    wide = _resized(t.np, t.host(part), size, mode, antialias=smooth)
                    t.expect(made.dtype is x.dtype and made.shape == wide.shape, "bytes of that size")  # fmt: skip
                    error = abs(t.host(made) - wide)
                    limit = {"bilinear": 1.01, "bicubic": 1.5}.get(mode, 0)
                    t.expect(error.max() <= limit, "the exact value, got %g" % error.max())
                    t.expect(error.mean() <= 0.45, "near in the mean, got %g" % error.mean())


def _smoothed(np, x, mode, align):
    steps = [(n - 1) / (m - 1) for n, m in ((9, 4), (5, 8))] if align else (None,) * 2
    down, right = (_shares(np, n, m, mode, step=step, antialias=True).sum(0) for n, m, step in zip((9, 5), (4, 8), steps))  # fmt: skip
    made = _resized(np, x, (4, 8), mode, steps, antialias=True)
    return [made, np.broadcast_to(np.outer(down, right), x.shape)]


@case(RESIZE, dtypes="f32 f64", mode=["bilinear", "bicubic"], align=[False, True], core=False, reference=_smoothed)  # fmt: skip
def smoothed_channels_last(t, dtype, mode, align):
    """The result lies in memory as the input does; so does the gradient that it keeps."""
    order = {"memory_format": t.fw.channels_last}
    x = t.uniform((2, 3, 9, 5), dtype, 0.5, 1.5).contiguous(**order).requires_grad_()
    made = t.call(RESIZE, x, size=(4, 8), mode=mode, antialias=True, align_corners=align)
    made.backward(t.fw.ones_like(made))
    for one in (made, x.grad):
        t.expect(one.is_contiguous(**order), "channels last, got %s" % (one.stride(),))
    return [made.detach(), x.grad]


def _both(np, x, mode):
    return [_resized(np, x, SIZES.get(mode, PLANE)[1], mode)] * 2


@case(RESIZE, dtypes="bf16 f16", mode=MODES, grad=True, core=False, reference=with_gradient(_both, affine_pull(_both)))  # fmt: skip
def slopes_in_half_precision(t, dtype, mode):
    """In order, and of channels last."""
    old, new = SIZES.get(mode, PLANE)
    resize = t.get(RESIZE)

    def run(x):
        last = {4: t.fw.channels_last, 5: t.fw.channels_last_3d}.get(
            x.dim(), t.fw.contiguous_format
        )
        return [resize(one, size=new, mode=mode) for one in (x, x.contiguous(memory_format=last))]

    return t.call(run, t.uniform((2, 3, *old), dtype, 0.5, 1.5))


@case(RESIZE, dtypes="f32", core=False, since=("1.11", "antialias"), reference=lambda np, x: [
      np.broadcast_to(_resized(np, x, (2, 2), "bilinear", antialias=True), (23000, 3, 2, 2))] * 2)  # fmt: skip
def smoothed_planes_beyond_16_bits(t, dtype):
    """69000 equal planes, in order and channels last: more than a grid of blocks counts along one axis."""
    x = t.uniform((1, 1, 8, 8), dtype).expand(23000, 3, 8, 8)
    orders = t.fw.contiguous_format, t.fw.channels_last
    return [
        t.call(
            RESIZE, x.contiguous(memory_format=order), size=(2, 2), mode="bilinear", antialias=True
        )
        for order in orders
    ]
