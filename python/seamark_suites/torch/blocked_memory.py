"""Tensors in oneDNN's own layout (Tensor.to_mkldnn), which the CPU alone has: reshape, transpose, relu, convolution, what is made."""

from seamark_suites.case import case

from . import reference_nn as right
from .onednn_layout import dense, packed_by
from .reference import with_gradient

RESHAPE, TRANSPOSE, RELU, CONV = ("torch." + name for name in ("Tensor.reshape", "Tensor.transpose", "nn.ReLU", "nn.Conv1d"))  # fmt: skip
_SUMS = {"rtol": {"f32": 1e-4}, "atol": {"f32": 1e-4}}  # of products, in an order of its own


@case(RESHAPE, dtypes="f32", core=False, reference=lambda np, x, none: [
      x.reshape(3, 20), x, x.reshape(60), x.reshape(2, 5, 6), none.reshape(0, 24)])  # fmt: skip
def reshapes_what_is_packed(t, dtype):
    """An open size, its own, flat, others, of nothing; view is refused."""
    x, none = t.randn((3, 4, 5), dtype), t.randn((0, 4, 6), dtype)
    packed_by(t)

    def run(x, none):
        x, none, f = x.to_mkldnn(), none.to_mkldnn(), t.get(RESHAPE)
        t.raises(RuntimeError, x.view, 3, -1)
        t.raises(RuntimeError, f, x, (7, 9))
        return dense(
            t, [f(x, (3, -1)), f(x, (3, 4, 5)), f(x, (60,)), f(x, 2, 5, 6), f(none, (0, 24))]
        )

    return t.call(run, x, none)


@case(RESHAPE, dtypes="f32", core=False, reference=lambda np, x: [2 * x.reshape(3, 20), 2 * x])
def writes_through_what_is_packed(t, dtype):
    """Of the plain order it is a view: what is added to it shows in the whole."""
    x, f = t.randn((3, 4, 5), dtype), t.get(RESHAPE)
    packed_by(t)

    def run(x):
        x = x.to_mkldnn()
        made = f(x, (3, -1))
        made.add_(f(x, (3, -1)))
        return dense(t, [made, x])

    return t.call(run, x)


@case(RESHAPE, dtypes="f32", core=False, **_SUMS, reference=lambda np, x, weight, bias: [
      right.conv(np, x[:, :, 0], weight[:, :, 0], bias).reshape(7, -1), right.conv(np, x[:, :, 0], weight[:, :, 0], bias).reshape(-1)])  # fmt: skip
def reshapes_blocks_of_channels(t, dtype):
    """What a convolution gives lies in blocks of channels; flat it is in order again."""
    import torch.utils.mkldnn

    x, layer = (
        t.randn((1, 7, 1, 9), dtype),
        t.construct("torch.nn.Conv2d", 7, 7, (1, 3), dtype=dtype),
    )
    packed_by(t)

    def run(x):
        made = torch.utils.mkldnn.to_mkldnn(layer.eval())(x.to_mkldnn())
        return dense(t, [t.get(RESHAPE)(made, (7, -1)), t.get(RESHAPE)(made, (-1,))])

    return t.call(run, x)


@case(RESHAPE, dtypes="f32", grad=True, core=False, reference=with_gradient(lambda np, x: 3 * x.reshape(3, 20)))  # fmt: skip
def gradient_of_what_is_packed(t, dtype):
    packed_by(t)
    return t.call(lambda x: 3 * t.get(RESHAPE)(x.to_mkldnn(), (3, -1)).to_dense(), t.randn((3, 4, 5), dtype))  # fmt: skip


@case(TRANSPOSE, dtypes="f32", core=False, reference=lambda np, x: [
      x.swapaxes(a, b) for a in range(3) for b in range(-3, 3)])  # fmt: skip
def turns_what_is_packed(t, dtype):
    """Each pair of axes; one that there is not raises, and so does in place."""
    x, f = t.randn((3, 4, 5), dtype), t.get(TRANSPOSE)
    packed_by(t)

    def run(x):
        x = x.to_mkldnn()
        t.raises(IndexError, f, x, 0, 12)
        t.raises(RuntimeError, x.transpose_, 0, 1)
        return dense(t, [f(x, a, b) for a in range(3) for b in range(-3, 3)])

    return t.call(run, x)


@case(RELU, dtypes="f32", inplace=[False, True], core=False, reference=lambda np, x, none, inplace: [
      np.maximum(x, 0), none, 1.0 * (x > 0)])  # fmt: skip
def rectifies_what_is_packed(t, dtype, inplace):
    """Of numbers and of none; the slope has the layout, too."""
    x, none = t.uniform((4, 5), dtype, -10, 10), t.randn((20, 3, 0, 1), dtype)
    packed_by(t)
    layer = t.construct(RELU, inplace=inplace)

    def run(x, none):
        leaf = x.to_mkldnn().requires_grad_()
        given = leaf.clone()
        made = layer(given)
        t.expect((made is given) == inplace, "the given tensor, or another")
        made.to_dense().sum().backward()
        return dense(t, [made.detach(), layer(none.to_mkldnn()), leaf.grad])

    return t.call(run, x, none)


@case(RELU, dtypes="bf16", core=False, reference=lambda np, x: np.maximum(x, 0))
def rectifies_packed_halves(t, dtype):
    x = t.uniform((4, 5), dtype, -10, 10)
    packed_by(t)
    if not t.fw.ops.mkldnn._is_mkldnn_bf16_supported():
        t.raises(RuntimeError, t.construct(RELU), x.to_mkldnn())
        return t.fw.relu(x)
    return t.call(lambda x: dense(t, [t.construct(RELU)(x.to_mkldnn())])[0], x)


@case(CONV, dtypes="f32", groups=[1, 4], dilation=[1, 2], bias=[True, False], core=False, **_SUMS, reference=lambda
      np, x, *given, groups, dilation, bias: [right.conv(np, x, *given, stride=2, padding=1, dilation=dilation, groups=groups)] * 4)  # fmt: skip
def convolves_what_is_packed(t, dtype, groups, dilation, bias):
    """With packed and with plain weights; saved and loaded as a script, and traced."""
    import io

    import torch.utils.mkldnn

    x = t.randn((3, 4, 24), dtype)
    packed_by(t)
    options = {"stride": 2, "padding": 1, "dilation": dilation, "groups": groups, "bias": bias}
    layer = t.construct(CONV, 4, 8, 3, dtype=dtype, **options).eval()

    def run(x):
        script, f = torch.jit.script, torch.nn.functional.conv1d
        packed, given = torch.utils.mkldnn.to_mkldnn(layer), x.to_mkldnn()
        file = io.BytesIO()
        torch.jit.save(script(packed), file)
        file.seek(0)
        own = [
            one if one is None else one.detach().to_mkldnn() for one in (layer.weight, layer.bias)
        ]
        return dense(t, [packed(given), torch.jit.load(file)(given), torch.jit.trace(packed, (given,), check_trace=False)(given),
                f(given, *own, stride=2, padding=1, dilation=dilation, groups=groups)])  # fmt: skip

    return t.call(run, x)


@case("torch.nn.init.zeros_", dtypes="f32", core=False, trivial=True, reference=lambda np, x: x * 0)
def zeros_of_what_is_packed(t, dtype):
    x = t.randn((4, 5), dtype)
    packed_by(t)

    def run(x):
        given = x.to_mkldnn()
        t.expect(t.get("torch.nn.init.zeros_")(given) is given, "the given tensor")
        return dense(t, [given])[0]

    return t.call(run, x)


@case("torch.empty", core=False, reference="none")
def empty_in_the_packed_layout(t):
    packed_by(t)
    layout = t.fw._mkldnn
    made = t.call("torch.empty", 4, 5, 2, 3, dtype=t.fw.float32, layout=layout)
    t.expect(made.is_mkldnn and made.layout is layout, "in that layout")
    dense = made.to_dense()
    t.expect(dense.shape == (4, 5, 2, 3) and dense.dtype is t.fw.float32, "size and dtype")
