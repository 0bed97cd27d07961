"""Functions of torch.nn.functional without parameters: pad, softmax, interpolate, normalize."""

from seamark_suites.case import case

from .reference import with_gradient

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
