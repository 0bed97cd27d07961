"""Edges of torch.nn.Conv1d and torch.nn.Embedding: no channels, broadcast weights, what is refused in each dtype, slopes of rows one by one."""

from seamark_suites.case import case
from seamark_suites.reference import affine_pull

from . import reference_nn as right
from .reference import with_gradient

CONV, ROWS = "torch.nn.Conv1d", "torch.nn.Embedding"
_NEAR = {"f16": 1e-2, "bf16": 6e-2}
_SUMS = {"rtol": {"f32": 1e-4, "c64": 1e-4}, "atol": {"f32": 1e-4, "c64": 1e-4}}  # of products


@case(CONV, dtypes="f32 f16 bf16 f64 c64 c128", core=False, reference="none")
def sizes_that_are_refused(t, dtype):
    """A kernel longer than what it meets, a negative step, too few and too many axes; what just fits is taken."""
    make, kind = t.get(CONV), {"dtype": t.dtype(dtype), "device": t.device}
    for options in ({"kernel_size": 10}, {"kernel_size": 3, "stride": -1}):
        t.raises(RuntimeError, t.call, make(3, 6, **options, **kind), t.randn((1, 3, 4), dtype))
    layer = make(3, 8, 3, **kind)
    for size in ((3,), (3, 3, 3, 3)):
        t.raises(RuntimeError, t.call, layer, t.randn(size, dtype))
    x = t.randn((3, 1, 2), dtype)
    for options in ({}, {"stride": 2}):
        t.raises(RuntimeError, t.call, make(1, 1, 3, **options, **kind), x)
    for options in ({}, {"stride": 2}, {"kernel_size": 3, "stride": 2, "padding": 1}):
        layer = make(1, 1, **{"kernel_size": 2, **options}, **kind)
        made, weight = t.host(t.call(layer, x)), t.host(layer.weight)[0, 0, -2:]
        want = (t.host(x) * weight).sum(-1, keepdims=True) + t.host(layer.bias)
        t.expect(made.shape == (3, 1, 1) and bool((abs(made - want) < _NEAR.get(dtype, 1e-5)).all()), "one place")  # fmt: skip


@case(CONV, dtypes="f32 c64", core=False, reference="none")
def of_no_channels(t, dtype):
    """Slopes of zeros alone; a channel that the layer has not is refused, and so is nothing of it."""
    layer, x = t.construct(CONV, 0, 8, 2, stride=2, dtype=dtype), t.randn((2, 0, 15), dtype, grad=True)  # fmt: skip
    made = t.call(layer, x)
    t.expect(made.shape[0] == 2 and made.shape[2] == 7, "batch and places, got %s" % (made.shape,))
    made.backward(t.fw.ones_like(made))
    for one in (layer.weight, layer.bias):
        t.expect(one.grad.shape == one.shape and not t.host(one.grad).any(), "zeros")
    t.expect(x.grad.shape == (2, 0, 15), "nothing for the input")
    t.raises(RuntimeError, t.call, layer, t.randn((2, 1, 0), dtype))


def _broadcast(np, x, weight, bias):
    whole = np.broadcast_to(weight, (6, 2, 3))
    return [right.conv(np, x, whole, bias, stride=2, dilation=2), right.conv(np, x, whole[:, :, ::-1].swapaxes(0, 1).copy().swapaxes(0, 1), bias)]  # fmt: skip


@case(CONV, dtypes="f32 f64", grad=True, core=False, reference=with_gradient(_broadcast, affine_pull(_broadcast)), **_SUMS)  # fmt: skip
def by_broadcast_weights(t, dtype):
    """One number for each channel in all places; turned, in another order of memory."""
    kind = {"dtype": t.dtype(dtype), "device": t.device}
    wide, plain = t.get(CONV)(2, 6, 3, stride=2, dilation=2, **kind), t.get(CONV)(2, 6, 3, **kind)

    def run(x, weight, bias):
        call, whole = t.fw.func.functional_call, weight.expand(6, 2, 3)
        turned = whole.flip(2).transpose(0, 1).contiguous().transpose(0, 1)
        return [call(wide, {"weight": whole, "bias": bias}, (x,)), call(plain, {"weight": turned, "bias": bias}, (x,))]  # fmt: skip

    return t.call(run, t.randn((2, 2, 9), dtype), t.randn((6, 2, 1), dtype), t.randn((6,), dtype))


LENGTHS = [(size, kernel, dilation) for size in range(50, 55) for kernel in (1, 2, 3, 8) for dilation in (1, 2, 3)]  # fmt: skip


@case(CONV, dtypes="f32 c64", core=False, reference=lambda np, *drawn: [
      right.conv(np, x, w, padding="same", dilation=dilation) for x, w, (_, _, dilation) in zip(drawn[::2], drawn[1::2], LENGTHS)], **_SUMS)  # fmt: skip
def each_length_stays(t, dtype):
    """Of 50 to 54 places by kernels of one to eight, whose numbers lie apart."""
    made = []
    for size, kernel, dilation in LENGTHS:
        x, w = t.uniform((1, 1, size), dtype, 0, 1), t.uniform((1, 1, kernel), dtype, 0, 1)
        layer = t.get(CONV)(1, 1, kernel, padding="same", dilation=dilation, bias=False, device=t.device, dtype=t.dtype(dtype))  # fmt: skip
        made.append(t.call(lambda x, w, layer=layer: t.fw.func.functional_call(layer, {"weight": w}, (x,)), x, w))  # fmt: skip
        t.expect(made[-1].shape == (1, 1, size), "as long as before")
    return made


@case(ROWS, dtypes="f64 f32", core=False, reference="none")
def slopes_one_by_one(t, dtype):
    """A sparse slope has a row for each number that was taken, in turn; a second backward pass adds its own behind them, by the numbers
    as they were when the rows were taken."""
    layer = t.construct(ROWS, 10, 3, sparse=True, dtype=dtype)
    index = t.fw.tensor([7, 1, 3], device=t.device)

    def held():
        slope = layer.weight.grad
        return t.host(slope._indices()).tolist(), t.host(slope._values()).tolist()

    made, rows = t.call(layer, index), t.host(layer.weight)[[7, 1, 3]]
    t.expect(bool((t.host(made) == rows).all()), "the rows")
    made.sum().backward()
    t.expect(held() == ([[7, 1, 3]], [[1, 1, 1]] * 3), "three rows, got %s" % (held(),))
    t.call(layer, index).sum().backward()
    t.expect(held() == ([[7, 1, 3] * 2], [[1, 1, 1]] * 6), "six, got %s" % (held(),))
    layer.zero_grad()
    t.call(layer, index).sum().backward()
    index[0] = 8
    t.call(layer, index).sum().backward()
    t.expect(held() == ([[7, 1, 3, 8, 1, 3]], [[1, 1, 1]] * 6), "others, got %s" % (held(),))


@case(ROWS, dtypes="f32 f64", sparse=[False, True], core=False, reference="none")
def padding_by_its_number(t, dtype, sparse):
    """A row of zeros, from either end; what is written there is given out; paddings that are no row, and a whole of given rows with theirs."""
    make, kind = t.get(ROWS), {"dtype": t.dtype(dtype), "device": t.device, "sparse": sparse}
    for padding, row in ((0, 0), (-2, 8)):
        layer = make(10, 20, padding_idx=padding, **kind)
        made = t.host(t.call(layer, t.fw.tensor([[row, 2, 4], [5, 3, row]], device=t.device)))
        t.expect(not made[0, 0].any() and not made[1, 2].any() and made[0, 1].any(), "zeros there")
        t.expect(bool((made[:, 1] == t.host(layer.weight)[[2, 3]]).all()), "the rows elsewhere")
    layer = make(10, 20, padding_idx=2, **kind)
    with t.fw.no_grad():
        layer.weight[2] = 1
    made = t.host(t.call(layer, t.fw.tensor([0, 2], device=t.device)))
    t.expect(bool((made[1] == 1).all()) and not (made[0] == 1).all(), "what was written")
    for wrong in (25, -25, 10, -11):
        t.raises(AssertionError, make, num_embeddings=10, embedding_dim=20, padding_idx=wrong)
    given = t.fw.rand(4, 3, dtype=t.dtype(dtype), device=t.device)
    given[2] = 7
    kept = t.call(lambda: make.from_pretrained(given, padding_idx=2, sparse=sparse))
    t.expect(bool((t.host(kept.weight)[2] == 7).all()), "the given row stays")


@case(ROWS, dtypes="f64 f32", core=False, reference="none")
def given_rows_that_are_bounded(t, dtype):
    """max_norm makes the given rows themselves shorter, by another norm, too."""
    given = t.const([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], dtype)
    before = t.host(given).copy()
    options = {"max_norm": 2.0, "norm_type": 0.5, "scale_grad_by_freq": False, "sparse": True}
    layer = t.get(ROWS).from_pretrained(given, **options)
    made = t.host(t.call(layer, t.fw.tensor([0, 1], device=t.device)))
    t.expect(bool((made == t.host(given)).all()) and bool((made != before).all()), "the given rows, changed")  # fmt: skip
    norms = (abs(made) ** 0.5).sum(1) ** 2
    t.expect(bool((abs(norms - 2) < 1e-4).all()), "of that norm, got %s" % norms)
    kept = made / before
    t.expect(bool((abs(kept - kept[:, :1]) < 1e-5).all()), "in the same directions")
