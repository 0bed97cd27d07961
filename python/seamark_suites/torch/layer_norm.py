"""torch.nn.LayerNorm: its axes, options, gradients and wrong calls."""

from seamark_suites.case import case

from . import reference_nn as right
from .reference import with_gradient

# Mean and variance of a row are rounded before they are used.
_TWO = {
    "rtol": {"f32": 1e-4, "bf16": 5e-2, "f16": 1e-2},
    "atol": {"f32": 1e-4, "bf16": 5e-2, "f16": 2e-2},
}


@case("torch.nn.LayerNorm", reference=right.layer_norm, dtypes="f32 bf16", name="forward", **_TWO)
@case(
    "torch.nn.LayerNorm",
    reference=with_gradient(right.layer_norm, of=(0,)),
    dtypes="f32 bf16 f16 f64",
    grad=True,
    core="f32 bf16",
    **_TWO,
)
def layer_norm(t, dtype):
    return t.call(t.construct("torch.nn.LayerNorm", 33, dtype=dtype), t.randn((4, 33), dtype))


def _parameters_first(np, weight, bias, x, *unused):
    return right.layer_norm(np, x, weight, bias)


@case(
    "torch.nn.LayerNorm",
    reference=with_gradient(_parameters_first, of=(0, 1, 2)),
    dtypes="f32 bf16 f64",
    grad=True,
    core="f32 bf16",
    **_TWO,
)
def gradient_of_the_parameters(t, dtype):
    layer = t.construct("torch.nn.LayerNorm", 12, dtype=dtype)
    weight, bias = t.uniform((12,), dtype, 0.5, 2), t.randn((12,), dtype)

    def run(weight, bias, x):
        return t.fw.func.functional_call(layer, {"weight": weight, "bias": bias}, (x,))

    return t.call(run, weight, bias, t.randn((2, 3, 12), dtype))


def _over(axes, eps=1e-5):
    """Of the last so many axes, which are one row."""

    def made(np, x, weight=1, bias=0):
        flat = x.reshape(x.shape[: x.ndim - axes] + (-1,))
        found = right.layer_norm(np, flat, 1, 0, eps).reshape(x.shape)
        return found * weight + bias

    return made


@case(
    "torch.nn.LayerNorm",
    reference=with_gradient(_over(2), of=(0,)),
    dtypes="f32",
    grad=True,
    **_TWO,
)
def over_two_axes(t, dtype):
    layer = t.construct("torch.nn.LayerNorm", (5, 6), dtype=dtype)
    return t.call(layer, t.randn((2, 3, 5, 6), dtype))


@case(
    "torch.nn.LayerNorm",
    reference=with_gradient(_over(3), of=(0,)),
    dtypes="f32",
    grad=True,
    core=False,
    **_TWO,
)
def over_all_axes(t, dtype):
    """One mean and one variance; the sizes as torch.Size."""
    layer = t.construct("torch.nn.LayerNorm", t.fw.Size([2, 3, 4]), dtype=dtype)
    return t.call(layer, t.randn((2, 3, 4), dtype))


@case(
    "torch.nn.LayerNorm",
    reference=with_gradient(_over(1), of=(0,)),
    dtypes="f32 bf16",
    grad=True,
    core="f32",
    **_TWO,
)
def without_affine(t, dtype):
    layer = t.construct("torch.nn.LayerNorm", 33, elementwise_affine=False, dtype=dtype)
    t.expect(layer.weight is None and layer.bias is None, "no parameters")
    return t.call(layer, t.randn((4, 33), dtype))


@case(
    "torch.nn.LayerNorm",
    reference=with_gradient(_over(1), of=(0,)),
    dtypes="f32",
    grad=True,
    core=False,
    since=("2.1", "the argument bias"),
    **_TWO,
)
def without_bias(t, dtype):
    layer = t.construct("torch.nn.LayerNorm", 33, bias=False, dtype=dtype)
    t.expect([name for name, _ in layer.named_parameters()] == ["weight"], "a weight alone")
    return t.call(layer, t.randn((4, 33), dtype))


@case("torch.nn.LayerNorm", reference=_over(1, 0.25), dtypes="f32 bf16", core=False, **_TWO)
def eps_under_the_root(t, dtype):
    """A row of equal numbers has no variance, and gives the bias."""
    layer = t.construct("torch.nn.LayerNorm", 4, eps=0.25, dtype=dtype)
    return t.call(layer, t.const([[2.0, 2, 2, 2], [1, 2, 3, 4], [-0.5, 0, 0.5, 0]], dtype))


@case(
    "torch.nn.LayerNorm",
    reference=lambda np, x, w, b: right.layer_norm(np, x + 1000, w, b),
    dtypes="f32",
    core=False,
    rtol={"f32": 1e-3},
    atol={"f32": 1e-3},
)  # numbers of 1000 have steps of 6e-5 in f32
def large_offset(t, dtype):
    """A mean far above the deviation: a variance by E[x^2] - E[x]^2 would be lost in f32."""
    layer = t.construct("torch.nn.LayerNorm", 256, dtype=dtype)
    return t.call(layer, t.randn((16, 256), dtype) + 1000)


@case(
    "torch.nn.LayerNorm",
    reference=lambda np, x, w, b: right.layer_norm(np, x.swapaxes(0, 2), w, b),
    dtypes="f32 bf16",
    core=False,
    **_TWO,
)
def transposed(t, dtype):
    layer = t.construct("torch.nn.LayerNorm", 9, dtype=dtype)
    return t.call(layer, t.randn((9, 5, 4), dtype, noncontiguous=True).transpose(0, 2))


@case(
    "torch.nn.LayerNorm",
    reference=lambda np, x, w, b: right.layer_norm(np, x.transpose(0, 2, 3, 1), w, b),
    dtypes="f32",
    core=False,
    **_TWO,
)
def of_channels(t, dtype):
    """Of an image whose channels stand last in memory, as ConvNeXt does it."""
    x = t.randn((2, 8, 3, 5), dtype).to(memory_format=t.fw.channels_last)
    layer = t.construct("torch.nn.LayerNorm", 8, dtype=dtype)
    return t.call(layer, x.permute(0, 2, 3, 1))


@case(
    "torch.nn.LayerNorm",
    reference=lambda np, x, w, b: right.layer_norm(np, x, w, b),
    dtypes="f32",
    core=False,
    **_TWO,
)
def nan_and_infinity_stay_in_their_rows(t, dtype):
    nan, inf = float("nan"), float("inf")
    rows = [[1.0, 2.0, 4.0], [nan, 2.0, 4.0], [1.0, inf, 4.0], [4.0, -2.0, 1.0]]
    return t.call(t.construct("torch.nn.LayerNorm", 3, dtype=dtype), t.const(rows, dtype))


def _slope(np, x, weight, bias):
    """By x, of the sum of the squares of half the result."""
    centered = x - x.mean(-1, keepdims=True)
    scale = 1 / np.sqrt((centered**2).mean(-1, keepdims=True) + 1e-5)
    unit = centered * scale
    back = (unit * weight + bias) / 2 * weight
    inner = (back * unit).mean(-1, keepdims=True)
    return scale * (back - back.mean(-1, keepdims=True) - unit * inner)


_slope_of_the_slope = with_gradient(_slope, of=(0,))


@case("torch.nn.LayerNorm", reference=_slope_of_the_slope, dtypes="f32 f64", core=False, **_TWO)
def gradient_of_the_gradient(t, dtype):
    """As a gradient penalty takes it."""
    layer = t.construct("torch.nn.LayerNorm", 12, dtype=dtype)
    x = t.randn((3, 12), dtype, grad=True)
    made = t.call(layer, x)
    first = t.fw.autograd.grad(((made / 2) ** 2).sum(), x, create_graph=True)[0]
    weights = t.fw.linspace(0.5, 1.5, 36, dtype=t.dtype(dtype)).reshape(3, 12).to(t.device)
    return first, list(t.fw.autograd.grad((first * weights).sum(), x))


@case("torch.nn.LayerNorm", reference=right.layer_norm, dtypes="f32", trivial=True, core=False)
def of_nothing(t, dtype):
    return t.call(t.construct("torch.nn.LayerNorm", 6, dtype=dtype), t.randn((0, 6), dtype))


@case(
    "torch.nn.LayerNorm",
    reference=lambda np, a, b, c, *p: [right.layer_norm(np, x, *p) for x in (a, b, c)],
    dtypes="f32",
    core=False,
    **_TWO,
)
def three_batches(t, dtype):
    """One size after another: what a compiler made for one must not be used for the next."""
    layer = t.construct("torch.nn.LayerNorm", 17, dtype=dtype)
    return [t.call(layer, t.randn((2, n, 17), dtype)) for n in (5, 8, 13)]


@case("torch.nn.LayerNorm", reference=right.layer_norm, dtypes="f32 bf16", large=True, **_TWO)
def large(t, dtype):
    layer = t.construct("torch.nn.LayerNorm", 1024, dtype=dtype)
    return t.call(layer, t.randn((4096, 1024), dtype))


@case("torch.nn.LayerNorm", dtypes="f32 bf16", reference="none", core=False)
def made_where_asked(t, dtype):
    """device= and dtype=; weights of one and biases of zero."""
    layer = t.call("torch.nn.LayerNorm", (3, 4), device=t.device, dtype=t.dtype(dtype))
    t.expect(layer.weight.dtype is layer.bias.dtype is t.dtype(dtype), "parameters of that dtype")
    t.expect(layer.weight.device.type == t.fw.device(t.device).type, "parameters on that device")
    t.expect(tuple(layer.weight.shape) == tuple(layer.bias.shape) == (3, 4), "of that shape")
    t.expect(bool((t.host(layer.weight) == 1).all()), "weights of one")
    t.expect(not t.host(layer.bias).any(), "biases of zero")


@case("torch.nn.LayerNorm", dtypes="f32", reference="none", core=False)
def layer_norm_wrong_calls_raise(t, dtype):
    layer = t.construct("torch.nn.LayerNorm", (3, 4), dtype=dtype)
    t.refuses(layer, t.randn((2, 4, 3), dtype))
    t.refuses(layer, t.randn((4,), dtype))
    t.refuses(layer, t.randint((2, 3, 4), "i64", 0, 9))
    t.raises(TypeError, t.call, "torch.nn.LayerNorm", 3.5)
