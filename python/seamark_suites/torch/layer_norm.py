"""torch.nn.LayerNorm: its axes, options, gradients and wrong calls."""

from seamark_suites.case import case
from seamark_suites.transformed import forward, placed, stacked

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


@case("torch.nn.LayerNorm", reference=with_gradient(
      lambda np, x, w, b: right.layer_norm(np, x.swapaxes(1, 2), w, b), of=(0,)), dtypes="f32 f64", grad=True, core=False, **_TWO)  # fmt: skip
def gradient_of_a_transpose(t, dtype):
    layer = t.construct("torch.nn.LayerNorm", 9, dtype=dtype)
    return t.call(lambda x: layer(x.mT), t.randn((2, 9, 5), dtype))


@case("torch.nn.LayerNorm", reference=lambda np, x: right.layer_norm(np, x, 1, 0), dtypes="f16 bf16 f32", core=False, **_TWO)  # fmt: skip
def large_numbers(t, dtype):
    """The squares are beyond f16, and their sum too: both are taken in f32."""
    rows = [[600.0, -600.0, 1200.0, 900.0], [-2000.0, 3000.0, 1000.0, -4000.0]]
    layer = t.construct("torch.nn.LayerNorm", 4, elementwise_affine=False, dtype=dtype)
    return t.call(layer, t.const(rows, dtype))


def _of_one_number(np, x, weight, bias):
    return [np.broadcast_to(bias, x.shape), np.zeros((2, 1)), np.zeros(1), np.full(1, 2.0)]


@case("torch.nn.LayerNorm", reference=_of_one_number, dtypes="f32", core=False,
      atol={"f32": 5e-4})  # what is left of the number is scaled by 316, the root of 1 / eps # fmt: skip
def rows_of_one_number(t, dtype):
    """Without a deviation the bias is left; gradients are zero but for the bias."""
    layer, x = t.construct("torch.nn.LayerNorm", 1, dtype=dtype), t.randn((2, 1), dtype, grad=True)
    made = t.call(layer, x)
    made.sum().backward()
    return [made.detach(), x.grad, layer.weight.grad, layer.bias.grad]


@case("torch.nn.LayerNorm", dtypes="f32", reference="none", core=False)
def gradient_of_no_rows(t, dtype):
    layer, x = t.construct("torch.nn.LayerNorm", 6, dtype=dtype), t.randn((0, 6), dtype, grad=True)
    t.call(layer, x).sum().backward()
    t.expect(tuple(x.grad.shape) == (0, 6), "nothing for the input")
    for one in (layer.weight, layer.bias):
        t.expect(tuple(one.grad.shape) == (6,) and not t.host(one.grad).any(), "zeros")


@case("torch.nn.LayerNorm", reference=lambda np, x, w, b, v, c: [
      right.layer_norm(np, x, w, b), right.layer_norm(np, x, 1, 0)], dtypes="f32", core=False, **_TWO)  # fmt: skip
def saved_loaded_and_reset(t, dtype):
    """The state goes into another layer; reset_parameters starts anew."""
    layer, other = (t.construct("torch.nn.LayerNorm", 7, dtype=dtype) for _ in "ab")
    t.expect(sorted(layer.state_dict()) == ["bias", "weight"], "weight and bias")
    other.load_state_dict(layer.state_dict())
    x = t.randn((3, 7), dtype)
    loaded = t.call(other, x)
    other.reset_parameters()
    return [loaded, t.call(other, x)]


# --- halves closely, halves of a layer in f32, rows of each length

# A result is rounded once more than what it is made of.
_HALF = {"rtol": {"bf16": 1.6e-2, "f16": 2e-3}, "atol": {"bf16": 4e-3, "f16": 1e-3}}


@case("torch.nn.LayerNorm", dtypes="bf16 f16", core=False, reference=right.layer_norm, name="closely_in_half", **_HALF)  # fmt: skip
@case("torch.nn.LayerNorm", dtypes="bf16 f16", grad=True, core=False, reference=with_gradient(right.layer_norm, of=(0,)),
      name="gradient_closely_in_half", **_HALF)  # fmt: skip
def normalizes_rows(t, dtype):
    return t.call(t.construct("torch.nn.LayerNorm", 33, dtype=dtype), t.randn((4, 5, 33), dtype))


def _with_all_gradients(np, x, weight, bias):
    """The result, and the gradients by input, weight and bias of its product with numbers from -1 to 1."""
    pull = (np.arange(x.size).reshape(x.shape) % 17 - 8) / 8
    made = right.layer_norm(np, x, weight, bias)
    plain, deviation = right.layer_norm(np, x, 1, 0), np.sqrt(x.var(-1, keepdims=True) + 1e-5)
    far = pull * weight
    slope = (far - far.mean(-1, keepdims=True) - plain * (far * plain).mean(-1, keepdims=True)) / deviation  # fmt: skip
    rows = tuple(range(x.ndim - 1))
    return [made, slope, (pull * plain).sum(rows), pull.sum(rows)]


def _pulled(t, layer, x):
    """What the reference has."""
    made = t.call(layer, x)
    pull = (t.fw.arange(made.numel(), device=t.device).reshape(made.shape) % 17 - 8) / 8
    made.backward(pull.to(made.dtype))
    return [made.detach(), x.grad, layer.weight.grad, layer.bias.grad]


@case("torch.nn.LayerNorm", dtypes="bf16 f16", core=False, reference=_with_all_gradients,
      rtol=_HALF["rtol"], atol={"bf16": 4e-2, "f16": 4e-3})  # sums over nine rows, rounded at each # fmt: skip
def half_numbers_of_a_float_layer(t, dtype):
    """As mixed precision has it: parameters and their gradients stay in f32, result and slope are as the input."""
    layer, x = t.construct("torch.nn.LayerNorm", 40, dtype="f32"), t.randn((9, 40), dtype, grad=True)  # fmt: skip
    made = _pulled(t, layer, x)
    found, want = [one.dtype for one in made], [t.dtype(dtype)] * 2 + [t.dtype("f32")] * 2
    t.expect(found == want, "the dtypes %s, got %s" % (want, found))
    return made


@case("torch.nn.LayerNorm", dtypes="f32", shape=[(128, 5, 5), (300, 67), (3, 1025), (2, 7), (1, 16), (65, 8)], core=False, reference=_with_all_gradients,
      rtol={"f32": 1e-5}, atol={"f32": 1e-4})  # sums of 640 numbers # fmt: skip
@case("torch.nn.LayerNorm", dtypes="f64", shape=[(300, 67), (65, 8)], core=False, reference=_with_all_gradients)  # fmt: skip
def rows_of_each_length(t, dtype, shape):
    """Many short rows and few long ones, with the gradients of all."""
    layer = t.construct("torch.nn.LayerNorm", shape[-1], dtype=dtype)
    return _pulled(t, layer, t.randn(shape, dtype, grad=True))


def _weights_alone(np, x, weight):
    made, slope, of_weight, _ = _with_all_gradients(np, x, weight, 0)
    return [made, slope, of_weight]


@case("torch.nn.LayerNorm", dtypes="f32 f64", core=False, rtol={"f32": 1e-5}, atol={"f32": 1e-4}, reference=_weights_alone)  # fmt: skip
def weights_learn_without_a_bias(t, dtype):
    layer, x = t.construct("torch.nn.LayerNorm", 33, bias=False, dtype=dtype), t.randn((6, 33), dtype, grad=True)  # fmt: skip
    made = t.call(layer, x)
    pull = (t.fw.arange(made.numel(), device=t.device).reshape(made.shape) % 17 - 8) / 8
    made.backward(pull.to(made.dtype))
    return [made.detach(), x.grad, layer.weight.grad]


# --- derivatives by weight and bias


def _slope_of_the_weight(np, x, weight, bias):
    """By the weight, of the sum of the squares of half the result."""
    centered = x - x.mean(-1, keepdims=True)
    unit = centered / np.sqrt((centered**2).mean(-1, keepdims=True) + 1e-5)
    return ((unit * weight + bias) / 2 * unit).sum(0)


@case("torch.nn.LayerNorm", dtypes="f32 f64", core=False, **_TWO, reference=lambda np, *given: [
      with_gradient(one, of=(0, 1, 2))(np, *given) for one in (_slope, _slope_of_the_weight)])  # fmt: skip
def second_gradient_by_the_parameters(t, dtype):
    """The gradients of x and of the weight, and of each its own by x, weight and bias."""
    layer, x = t.construct("torch.nn.LayerNorm", 12, dtype=dtype), t.randn((3, 12), dtype, grad=True)  # fmt: skip
    slope, inputs = t.fw.autograd.grad, [x, layer.weight, layer.bias]
    made = t.call(layer, x)
    first = slope(((made / 2) ** 2).sum(), inputs[:2], create_graph=True)

    def pulled(one):
        ramp = t.fw.linspace(0.5, 1.5, one.numel(), dtype=one.dtype).reshape(one.shape)
        return list(slope((one * ramp.to(t.device)).sum(), inputs, retain_graph=True))

    return [(one, pulled(one)) for one in first]


def _of_three(np, x, weight, bias):
    return right.layer_norm(np, x, weight, bias)


def _called(t, dtype):
    """The layer as a function of input, weight and bias."""
    layer = t.get("torch.nn.LayerNorm")(4, device=t.device, dtype=t.dtype(dtype))
    return lambda x, weight, bias: t.fw.func.functional_call(layer, {"weight": weight, "bias": bias}, (x,))  # fmt: skip


@case("torch.nn.LayerNorm", dtypes="f32 f64", core=False, since=("2.0", "torch.func"), reference=forward(_of_three), **_TWO)  # fmt: skip
def parameters_in_forward_mode(t, dtype):
    """Each of the three moves along a direction of its own."""
    run, jvp, shapes = _called(t, dtype), t.get("torch.func.jvp"), ((3, 4), (4,), (4,))
    at = [placed(number, t.distinct(shape, dtype)) for number, shape in enumerate(shapes)]
    along = [t.randn(shape, dtype) for shape in shapes]
    return t.call(lambda at, along: [[one] for one in jvp(run, tuple(at), tuple(along))], at, along)


@case("torch.nn.LayerNorm", dtypes="f32 f64", core=False, since=("2.0", "torch.vmap"), reference=stacked(_of_three, (0, 0, -1)), **_TWO)  # fmt: skip
def a_batch_of_parameters(t, dtype):
    """vmap: each example has its own weight and bias."""
    shapes = ((5, 3, 4), (5, 4), (4, 5))
    drawn = [t.uniform(shape, dtype, 0.5, 2) for shape in shapes]
    return [t.call(t.get("torch.vmap")(_called(t, dtype), in_dims=(0, 0, -1)), *drawn)]
