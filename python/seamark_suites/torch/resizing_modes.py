"""torch.nn.functional.interpolate in each mode: corners of fractions, bytes, volumes of channels last, derivatives, batches."""

from seamark_agent.harness import Skip

from seamark_suites.case import case
from seamark_suites.reference import affine_pull

from .reference import with_gradient
from .squeezing_filling import MODES, PLANE, RESIZE, _resized
from .squeezing_filling import SIZES as VOLUMES

CORNERS = {"linear": [(6,), (5,)], "bilinear": [(4, 6), (3, 5)], "bicubic": [(4, 6), (3, 5)], "trilinear": [(4, 5, 6), (3, 5, 4)]}  # fmt: skip


def _fractions_of_corners(np, *drawn, mode):
    return [_resized(np, x, [int(n * f) for n in x.shape[2:]], mode, align=True) for x, f in zip(drawn, (0.6, 1.7))]  # fmt: skip


@case(RESIZE, dtypes="f32 f64", mode=list(CORNERS), grad=True, core=False,
      reference=with_gradient(_fractions_of_corners, affine_pull(_fractions_of_corners)))  # fmt: skip
def fractions_with_corners(t, dtype, mode):
    """Factors of 0.6 and 1.7: the corners stay in their places whatever the factor."""
    resize = t.get(RESIZE)

    def run(*xs):
        made = zip(xs, (0.6, 1.7))
        return [resize(x, scale_factor=f, mode=mode, align_corners=True) for x, f in made]

    return t.call(run, *(t.uniform((1, 2, *sizes), dtype, 0.5, 1.5) for sizes in CORNERS[mode]))


# --- bytes


@case(RESIZE, dtypes="u8", core=False, reference=lambda np, *xs: [
      _resized(np, x, sizes, "nearest-exact") for x, sizes in zip(xs, ((14,), (14, 5), (14, 5), (3, 7, 4)))])  # fmt: skip
def exact_of_bytes(t, dtype):
    """Lines, planes, planes of channels last, volumes."""
    drawn = [t.randint((2, 3, *sizes), dtype, 0, 256) for sizes in ((9,), (9, 13), (9, 13), (5, 9, 3))]  # fmt: skip
    run = lambda x, sizes: t.get(RESIZE)(x, size=sizes, mode="nearest-exact")  # noqa: E731
    drawn[2] = drawn[2].contiguous(memory_format=t.fw.channels_last)
    return [t.call(run, x, sizes) for x, sizes in zip(drawn, ((14,), (14, 5), (14, 5), (3, 7, 4)))]


@case(RESIZE, dtypes="u8", mode=["bilinear", "bicubic"], smooth=[False, True], align=True, core=False, reference="none")  # fmt: skip
@case(RESIZE, dtypes="u8", mode="bicubic", smooth=False, align=None, core=False, reference="none")
@case(RESIZE, dtypes="u8", mode="lanczos", smooth=True, align=None, core=False, since=("2.13", "the mode lanczos"), reference="none")  # fmt: skip
def bytes_of_each_mode(t, dtype, mode, smooth, align):
    """Within one of the exact value, or one and a half where weights are below zero; channels last, too."""
    if mode == "lanczos" and str(t.device) != "cpu":
        raise Skip("lanczos is for the CPU alone")
    np, x = t.np, t.randint((2, 3, 9, 13), dtype, 60, 197)
    steps = [(n - 1) / (m - 1) for n, m in ((9, 14), (13, 5))] if smooth and align else (None,) * 2
    corners = align and not smooth
    wide = _resized(np, t.host(x), (14, 5), mode, steps, antialias=smooth, align=corners)
    for one in (x, x.contiguous(memory_format=t.fw.channels_last)):
        made = t.call(RESIZE, one, size=(14, 5), mode=mode, antialias=smooth, align_corners=align)
        t.expect(made.dtype is t.dtype(dtype) and made.shape == (2, 3, 14, 5), "bytes")
        error = abs(t.host(made) - wide)
        limit = 1.01 if mode == "bilinear" else 1.5
        t.expect(error.max() <= limit, "the exact value, got %g" % error.max())
        t.expect(error.mean() < 0.45, "the nearest in the mean, got %g" % error.mean())


# --- volumes of channels last


def _volume_and_slope(np, x, align):
    resize = lambda np, x: _resized(np, x, (3, 5, 4), "trilinear", align=align)  # noqa: E731
    return [resize(np, x), affine_pull(resize)(np, np.broadcast_to(np.linspace(0.5, 1.5, 4), (2, 3, 3, 5, 4)), x)[0]]  # fmt: skip


@case(RESIZE, dtypes="f32 f64", align=[None, True], core=False, reference=_volume_and_slope)
def smooth_volumes_of_channels_last(t, dtype, align):
    """Trilinear: the result and the gradient lie in memory as the input does."""
    order = {"memory_format": t.fw.channels_last_3d}
    x = t.uniform((2, 3, 4, 3, 5), dtype, 0.5, 1.5).contiguous(**order).requires_grad_()
    made = t.call(RESIZE, x, size=(3, 5, 4), mode="trilinear", align_corners=align)
    t.expect(made.is_contiguous(**order), "a result of channels last")
    w = t.fw.linspace(0.5, 1.5, 4, dtype=x.dtype, device=t.device).expand(2, 3, 3, 5, 4)
    slope = t.fw.autograd.grad(made, x, w.contiguous(**order))[0]
    t.expect(slope.is_contiguous(**order), "a gradient of channels last")
    return [made.detach(), slope]


# --- derivatives and batches by mode


def each_mode(reference, **header):
    """Of each mode, and of those that can be smooth."""

    def declare(body):
        case(RESIZE, mode=MODES, smooth=False, core=False, reference=reference, **header)(body)
        case(RESIZE, mode=["bilinear", "bicubic"], smooth=True, core=False, reference=reference, **header)(body)  # fmt: skip
        return body

    return declare


def _by_mode(mode, smooth):
    return lambda np, x: _resized(np, x, VOLUMES.get(mode, PLANE)[1], mode, antialias=smooth)


def _twice(np, x, direction, mode, smooth):
    resize = _by_mode(mode, smooth)

    def pull(made):
        weights = np.linspace(1, 3, made.size).reshape(made.shape)
        return affine_pull(resize)(np, weights * made, x)[0]

    return [pull(resize(np, one)) for one in (x, direction)]


@each_mode(lambda np, x, v, mode, smooth: [_by_mode(mode, smooth)(np, one) for one in (x, v)], dtypes="f32 f64", since=("2.0", "torch.func"))  # fmt: skip
def each_mode_forward(t, dtype, mode, smooth):
    """The result, and by how much it changes along a direction."""
    old, new = VOLUMES.get(mode, PLANE)
    resize, jvp = t.get(RESIZE), t.get("torch.func.jvp")
    run = lambda x: resize(x, size=new, mode=mode, antialias=smooth)  # noqa: E731
    drawn = [t.uniform((1, 2, *old), dtype, 0.5, 1.5) for _ in "xv"]
    return t.call(lambda x, v: list(jvp(run, (x,), (v,))), *drawn)


@each_mode(_twice, dtypes="f64")
def each_mode_twice(t, dtype, mode, smooth):
    """Of the weighted squares of the result: the gradient, and its own along a direction."""
    old, new = VOLUMES.get(mode, PLANE)
    resize, slope = t.get(RESIZE), t.fw.autograd.grad

    def run(x, direction):
        x = x.detach().requires_grad_()
        made = resize(x, size=new, mode=mode, antialias=smooth)
        weights = t.fw.linspace(0.5, 1.5, made.numel(), dtype=x.dtype, device=x.device)
        first = slope((weights.reshape(made.shape) * made**2).sum(), x, create_graph=True)[0]
        return [first.detach(), slope((first * direction).sum(), x)[0]]

    return t.call(run, *(t.uniform((1, 2, *old), dtype, 0.5, 1.5) for _ in "xv"))


@each_mode(lambda np, x, mode, smooth: np.stack([_by_mode(mode, smooth)(np, one) for one in np.moveaxis(x, -1, 0)]), dtypes="f32", since=("2.0", "torch.vmap"))  # fmt: skip
def each_mode_over_a_batch(t, dtype, mode, smooth):
    """vmap along the last axis."""
    old, new = VOLUMES.get(mode, PLANE)
    run = lambda x: t.get(RESIZE)(x, size=new, mode=mode, antialias=smooth)  # noqa: E731
    return t.call(t.get("torch.vmap")(run, in_dims=-1), t.uniform((1, 2, *old, 3), dtype, 0.5, 1.5))


@case(RESIZE, dtypes="i32 i64 bool c64", core=False, reference="none")
def dtypes_that_are_not_resized(t, dtype):
    """Integers but bytes, truth values, complex numbers."""
    x, kinds = t.randn((1, 2, 4, 5), dtype), (NotImplementedError, RuntimeError)
    for mode in ("nearest", "nearest-exact", "bilinear", "bicubic", "area"):
        t.raises(kinds, t.call, RESIZE, x, size=(3, 7), mode=mode)
