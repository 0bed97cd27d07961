"""Convolution along one axis."""

from seamark_suites.case import case
from seamark_suites.reference import affine_pull

from . import reference_modules as modules
from . import reference_nn as right
from .reference import with_gradient

NAME = "torch.nn.Conv1d"
# Convolutions sum f32 terms in an order of the device's choosing.
_SUMS = {
    "rtol": {"f32": 1e-4, "bf16": 3e-2, "f16": 1e-2, "c64": 1e-4},
    "atol": {"f32": 1e-4, "bf16": 3e-2, "f16": 1e-2, "c64": 1e-4},
}


@case(NAME, reference=right.with_options(right.conv, padding=1), dtypes="f32 bf16", stride=1,
      name="forward", **_SUMS)  # fmt: skip
@case(NAME, reference=right.conv_and_gradient(padding=1), dtypes="f32 bf16 f64", stride=[1, 2], grad=True,
      core="f32 bf16", **_SUMS)  # fmt: skip
def conv1d(t, dtype, stride):
    layer = t.construct(NAME, 3, 8, 3, stride=stride, padding=1, dtype=dtype)
    return t.call(layer, t.randn((2, 3, 17), dtype))


@case(NAME, reference=modules.learns(right.conv), dtypes="f32", **_SUMS)
def parameters_learn(t, dtype):
    """The gradient reaches weight and bias."""
    layer = t.construct(NAME, 3, 4, 3, dtype=dtype)
    out = t.call(layer, t.randn((2, 3, 9), dtype))
    pull = t.fw.linspace(0.5, 1.5, out.numel(), dtype=out.dtype, device=t.device)
    out.backward(pull.reshape(out.shape))
    return out.detach(), layer.weight.grad, layer.bias.grad


def _with_borders(np, x, *parameters, padding_mode):
    """What NumPy calls edge is replicate here."""
    mode = "edge" if padding_mode == "replicate" else padding_mode
    return right.conv(np, x, *parameters, groups=2, dilation=2, padding=3, padding_mode=mode)


@case(NAME, reference=right.conv, dtypes="f16 c64", core=False, **_SUMS)
def other_dtypes(t, dtype):
    return t.call(t.construct(NAME, 3, 4, 3, dtype=dtype), t.randn((2, 3, 9), dtype))


@case(NAME, reference=_with_borders, dtypes="f32",
      padding_mode=["zeros", "reflect", "replicate", "circular"], core=False, **_SUMS)  # fmt: skip
def grouped_and_dilated(t, dtype, padding_mode):
    layer = t.construct(NAME, 4, 6, 3, groups=2, dilation=2, padding=3, padding_mode=padding_mode, dtype=dtype)  # fmt: skip
    return t.call(layer, t.randn((2, 4, 11), dtype))


@case(NAME, reference=right.with_options(right.conv, dilation=2), dtypes="f32", padding=["same", "valid"],
      core=False, **_SUMS)  # fmt: skip
def named_padding(t, dtype, padding):
    layer = t.construct(NAME, 3, 4, 4, dilation=2, padding=padding, dtype=dtype)
    return t.call(layer, t.randn((2, 3, 12), dtype))


@case(NAME, reference=right.conv_and_gradient(padding=2, groups=4), dtypes="f32", grad=True, core=False, **_SUMS)  # fmt: skip
def unbatched_and_depthwise(t, dtype):
    layer = t.construct(NAME, 4, 8, 3, padding=2, groups=4, bias=False, dtype=dtype)
    return t.call(layer, t.randn((4, 9), dtype))


@case(NAME, reference=right.conv_and_gradient(), dtypes="f32 bf16", grad=True, core=False, **_SUMS)
def one_wide(t, dtype):
    """A kernel of one: a matrix product of the channels."""
    layer = t.construct(NAME, 6, 4, 1, dtype=dtype)
    return t.call(layer, t.randn((2, 6, 7), dtype))


def _causal(np, x, weight, bias):
    made = right.conv(np, np.pad(x, ((0, 0), (0, 0), (4, 0))), weight, bias, dilation=2)
    return made


@case(NAME, reference=_causal, dtypes="f32", core=False, **_SUMS)
def causal(t, dtype):
    """Padded on both sides and cut at the end: no output sees what comes later."""
    x = t.randn((2, 3, 12), dtype)
    layer = t.construct(NAME, 3, 4, 3, dilation=2, padding=4, dtype=dtype)
    return t.call(layer, x)[..., :-4]


@case(NAME, reference=lambda np, x, *given: right.conv(np, x.swapaxes(1, 2), *given), dtypes="f32 bf16",
      core=False, **_SUMS)  # fmt: skip
def transposed_input(t, dtype):
    """(batch, time, channels) as a transpose, as speech models give it."""
    layer, x = t.construct(NAME, 4, 8, 3, dtype=dtype), t.randn((2, 9, 4), dtype)
    return t.call(layer, x.mT)


@case(NAME, reference=right.conv, dtypes="f32", trivial=True, core=False)
def empty_batch(t, dtype):
    return t.call(t.construct(NAME, 3, 4, 3, dtype=dtype), t.randn((0, 3, 9), dtype))


def _of_each(np, a, b, c, *parameters):
    return [right.conv(np, x, *parameters) for x in (a, b, c)]


@case(NAME, reference=_of_each, dtypes="f32", core=False, **_SUMS)
def three_sizes(t, dtype):
    """One length after another: what a compiler made for one must not be used for the next."""
    layer = t.construct(NAME, 3, 4, 3, dtype=dtype)
    return [t.call(layer, t.randn((2, 3, n), dtype)) for n in (7, 10, 16)]


@case(NAME, reference=right.with_options(right.conv, padding=1), dtypes="f32", large=True,
      rtol={"f32": 1e-3}, atol={"f32": 1e-3})  # sums of 384 terms # fmt: skip
def large(t, dtype):
    layer = t.construct(NAME, 128, 128, 3, padding=1, dtype=dtype)
    return t.call(layer, t.randn((8, 128, 4096), dtype))


# Strides, padding, groups and dilation that PyTorch's own tests take together, and each way to pad.
OPTIONS = [
    {"stride": (2,), "padding": 2},
    {"stride": 3, "padding": 1, "groups": 2, "dilation": 2},
    {"stride": 2, "padding": "valid"},
    {"padding": "same", "groups": 2, "dilation": (2,)},
    {"padding": 2, "padding_mode": "reflect"},
    {"padding": 2, "padding_mode": "replicate"},
    {"padding": 2, "padding_mode": "circular", "stride": 2},
]


def _of_options(np, x, weight, bias, number):
    options = {
        key: value[0] if isinstance(value, tuple) else value
        for key, value in OPTIONS[number].items()
    }
    if options.get("padding_mode") == "replicate":
        options["padding_mode"] = "edge"  # as NumPy calls it
    return right.conv(np, x, weight, bias, **options)


@case(
    NAME,
    dtypes="c64",
    number=[0, 1, 3],
    shape=[(2, 4, 8)],
    grad=True,
    core=False,
    reference=with_gradient(_of_options, affine_pull(_of_options)),
    **_SUMS,
)
@case(NAME, dtypes="f32 f64", number=list(range(len(OPTIONS))), shape=[(2, 4, 8), (4, 8)], grad=True, core=False,
      reference=with_gradient(_of_options, affine_pull(_of_options)), **_SUMS)  # fmt: skip
def gradient_of_all_by_options(t, dtype, number, shape):
    """Of input, weight and bias, of a batch and of one example."""
    options = OPTIONS[number]
    layer = t.get(NAME)(4, 6, 3, device=t.device, dtype=t.dtype(dtype), **options)
    x, weight = t.randn(shape, dtype), t.randn((6, 4 // options.get("groups", 1), 3), dtype)

    def run(x, weight, bias):
        return t.fw.func.functional_call(layer, {"weight": weight, "bias": bias}, (x,))

    return t.call(run, x, weight, t.randn((6,), dtype))


@case(NAME, dtypes="f32 bf16", reference="none", core=False)
def made_where_asked(t, dtype):
    """device=, dtype=, bias=False, a kernel in a tuple; weights drawn within the root of what a number is the sum of."""
    layer = t.call(NAME, 6, 8, (5,), groups=2, bias=False, device=t.device, dtype=t.dtype(dtype))
    t.expect(layer.bias is None and layer.kernel_size == (5,), "no bias, and the kernel")
    t.expect(tuple(layer.weight.shape) == (8, 3, 5), "out x in of a group x kernel")
    t.expect(layer.weight.dtype is t.dtype(dtype), "that dtype")
    t.expect(layer.weight.device.type == t.fw.device(t.device).type, "that device")
    values = t.host(layer.weight)
    bound = 15**-0.5
    t.expect(bool((abs(values) <= bound * 1.01).all()), "weights of at most %g" % bound)
    t.expect(
        abs(values).max() > bound / 2 and abs(values.mean()) < bound / 3, "on both sides of zero"
    )
    t.expect(len(set(values.reshape(-1).tolist())) > 50, "each drawn")


@case(NAME, dtypes="f32", reference="none", core=False)
def gradient_of_an_empty_batch(t, dtype):
    """Nothing for the input, zeros for weight and bias."""
    layer, x = t.construct(NAME, 3, 4, 3, dtype=dtype), t.randn((0, 3, 9), dtype, grad=True)
    made = t.call(layer, x)
    t.expect(tuple(made.shape) == (0, 4, 7), "nothing, of that size")
    made.sum().backward()
    t.expect(tuple(x.grad.shape) == (0, 3, 9), "nothing for the input")
    for one in (layer.weight, layer.bias):
        t.expect(one.grad.shape == one.shape and not t.host(one.grad).any(), "zeros")


@case(NAME, reference="none", core=False)
def other_wrong_calls_raise(t):
    """No groups, outputs that do not divide, no kernel; negative padding, stride, dilation; integers, half precision, nothing."""
    make, x = t.get(NAME), t.randn((2, 4, 9), "f32")
    for wrong in ({"groups": 0}, {"groups": 3}, {"padding": "full"}):
        t.raises(ValueError, make, 4, 6, 3, **wrong)
    t.raises(ValueError, make, 4, 3, 3, groups=2)
    for wrong in ({"padding": -1}, {"stride": -1}, {"dilation": -1}):
        t.raises(
            RuntimeError, lambda options: t.call(make(4, 6, 3, **options).to(t.device), x), wrong
        )
    layer = t.construct(NAME, 4, 6, 3)
    for wrong in (
        t.randint((2, 4, 9), "i64", 0, 9),
        t.randn((2, 4, 9), "f16"),
        x[:, :, :0],
        x[0, 0],
    ):
        t.raises(RuntimeError, t.call, layer, wrong)
    t.raises(TypeError, t.call, layer, [1.0])


@case(NAME, reference="none", core=False)
def wrong_calls_raise(t):
    make = t.get(NAME)
    layer = t.construct(NAME, 3, 4, 3)
    t.raises(RuntimeError, t.call, layer, t.randn((2, 4, 5), "f32"))
    t.raises(RuntimeError, t.call, layer, t.randn((2, 3, 2), "f32"))
    t.raises(RuntimeError, t.call, layer, t.randn((1, 2, 3, 5), "f32"))
    t.raises(ValueError, make, 3, 4, 3, groups=2)
    t.raises(ValueError, make, 4, 4, 3, stride=2, padding="same")
    t.raises(ValueError, make, 4, 4, 3, padding_mode="mirror")


# --- kernels and inputs that a fast path may mistake


def _same(np, x, weight, bias, kernel):
    return right.conv(np, x, weight, bias, padding="same", dilation=kernel[1])


@case(NAME, dtypes="f32 f64", kernel=[(2, 1), (4, 1), (4, 3), (1, 1), (5, 2)], grad=True, core=False,
      reference=with_gradient(_same, affine_pull(_same)), **_SUMS)  # fmt: skip
def padded_to_the_same_length(t, dtype, kernel):
    """Where both sides do not get as much, the right one gets more; kernel and dilation."""
    size, dilation = kernel
    layer = t.get(NAME)(3, 4, size, padding="same", dilation=dilation, device=t.device, dtype=t.dtype(dtype))  # fmt: skip

    def run(x, weight, bias):
        return t.fw.func.functional_call(layer, {"weight": weight, "bias": bias}, (x,))

    return t.call(
        run, t.randn((2, 3, 9), dtype), t.randn((4, 3, size), dtype), t.randn((4,), dtype)
    )


def _of_views(np, x, weight, bias):
    """Sixteen channels of one number, padded far; every other number; one row for all channels."""
    deep = lambda x: right.conv(np, x, weight, bias, padding=16, groups=16)  # noqa: E731
    return [deep(x[:1, :1].swapaxes(1, 2)), deep(x[..., ::2]), deep(np.broadcast_to(x[:, :1], (3, 16, 16)))]  # fmt: skip


@case(NAME, dtypes="f32 f64", grad=True, core=False, reference=with_gradient(_of_views, affine_pull(_of_views)), **_SUMS)  # fmt: skip
def depthwise_of_views(t, dtype):
    """Kernels longer than what they meet, over numbers with gaps, in another order and broadcast."""
    layer = t.get(NAME)(16, 16, 32, padding=16, groups=16, device=t.device, dtype=t.dtype(dtype))

    def run(x, weight, bias):
        call = lambda x: t.fw.func.functional_call(layer, {"weight": weight, "bias": bias}, (x,))  # noqa: E731
        return [
            call(x[:1, :1].transpose(1, 2)),
            call(x[..., ::2]),
            call(x[:, :1].expand(3, 16, 16)),
        ]

    return t.call(run, t.randn((3, 16, 16), dtype), t.uniform((16, 1, 32), dtype, -0.3, 0.3), t.randn((16,), dtype))  # fmt: skip


@case(NAME, dtypes="f32", core=False, reference=lambda np, x, weight, bias: [right.conv(np, x, weight, bias, 2, 1)] * 3, **_SUMS)  # fmt: skip
def kept_and_told(t, dtype):
    """A copy, a pickle and a state give the same; the layer tells its options."""
    import copy
    import pickle

    layer, x = (
        t.construct(NAME, 3, 4, 3, stride=2, padding=1, dtype=dtype),
        t.randn((2, 3, 9), dtype),
    )
    told = "Conv1d(3, 4, kernel_size=(3,), stride=(2,), padding=(1,))"
    t.expect(repr(layer) == told, "%s, got %r" % (told, layer))
    t.expect(list(layer.state_dict()) == ["weight", "bias"], "its state")
    other = t.get(NAME)(3, 4, 3, stride=2, padding=1, device=t.device, dtype=t.dtype(dtype))
    other.load_state_dict(layer.state_dict())
    kept = copy.deepcopy(layer), pickle.loads(pickle.dumps(layer.cpu())).to(t.device), other
    return [t.call(one, x).detach() for one in kept]


# --- gradients of gradients


def _of_squares(np, x, weight, bias, w, number):
    """The gradients of the sum of w times the squares of the result."""
    made = _of_options(np, x, weight, bias, number)
    return affine_pull(_of_options)(np, 2 * w * made, x, weight, bias, number=number)


def _hessian_along(np, x, weight, bias, w, *along, number):
    """The gradients, and by how much they change along a direction: polynomials of order three, so Richardson's is exact."""
    at, found = (x, weight, bias), []
    for step in (1.0, 0.5):
        up, down = (_of_squares(np, *(one + sign * step * v for one, v in zip(at, along)), w, number) for sign in (1, -1))  # fmt: skip
        found.append([(a - b) / (2 * step) for a, b in zip(up, down)])
    return [
        *_of_squares(np, *at, w, number),
        *((4 * fine - coarse) / 3 for coarse, fine in zip(*found)),
    ]


@case(NAME, dtypes="f64", number=[0, 1, 2, 3, 5], core=False, reference=_hessian_along)
def gradients_of_gradients(t, dtype, number):
    """Of input, weight and bias, along a direction of all three."""
    options = OPTIONS[number]
    layer = t.get(NAME)(4, 6, 3, device=t.device, dtype=t.dtype(dtype), **options)
    shapes = (2, 4, 8), (6, 4 // options.get("groups", 1), 3), (6,)
    x, weight, bias = at = [t.randn(shape, dtype, grad=True) for shape in shapes]

    def call(x, weight, bias):
        return t.fw.func.functional_call(layer, {"weight": weight, "bias": bias}, (x,))

    made = t.call(call, x, weight, bias)
    w, along = t.randn(tuple(made.shape), dtype), [t.randn(shape, dtype) for shape in shapes]
    first = t.fw.autograd.grad((made**2 * w).sum(), at, create_graph=True)
    second = t.fw.autograd.grad(sum((a * b).sum() for a, b in zip(first, along)), at)
    return [*(one.detach() for one in first), *second]


@case(NAME, dtypes="f32 f64", mode=["reflect", "replicate", "circular"], grad=True, core=False, **_SUMS, reference=with_gradient(
      lambda np, x, weight, bias, mode: _same_by_mode(np, x, weight, bias, mode)))  # fmt: skip
def padded_to_the_same_length_by_mode(t, dtype, mode):
    """A kernel of four: one number more behind than before, as the mode says."""
    layer = t.get(NAME)(2, 3, 4, padding="same", padding_mode=mode, device=t.device, dtype=t.dtype(dtype))  # fmt: skip

    def run(x, weight, bias):
        return t.fw.func.functional_call(layer, {"weight": weight, "bias": bias}, (x,))

    return t.call(run, t.randn((2, 2, 7), dtype), t.randn((3, 2, 4), dtype), t.randn((3,), dtype))


def _same_by_mode(np, x, weight, bias, mode):
    mode = "edge" if mode == "replicate" else mode
    return right.conv(np, x, weight, bias, padding="same", padding_mode=mode)


@case(NAME, dtypes="f32 f64", core=False, random=True, reference="none")
def drawn_within_the_root(t, dtype):
    """Documented: weight and bias are drawn evenly within the root of groups over what a number is the sum of; and again."""
    layer = t.call(NAME, 8, 400, 5, groups=4, device=t.device, dtype=t.dtype(dtype))
    bound, drawn = (4 / (8 * 5)) ** 0.5, []
    for _ in range(2):
        for one in (layer.weight, layer.bias):
            t.statistics(one.detach(), mean=0, std=bound / 3**0.5, low=-bound * 1.001, high=bound * 1.001)  # fmt: skip
        drawn.append(t.host(layer.weight).copy())
        layer.reset_parameters()
    t.expect(bool((drawn[0] != drawn[1]).any()), "others the second time")
