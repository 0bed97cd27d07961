"""Normalizing layers: BatchNorm2d, GroupNorm and RMSNorm."""

import inspect

from seamark_agent.harness import Skip

from seamark_suites.case import case

from . import reference as base
from . import reference_modules as right
from .reference import with_gradient

BATCH, GROUP, RMS = "torch.nn.BatchNorm2d", "torch.nn.GroupNorm", "torch.nn.RMSNorm"
# Mean and variance over up to a thousand terms; in bf16 gradients are differences of rounded ones.
_TWO = {
    "rtol": {"f32": 1e-4, "bf16": 5e-2, "f16": 1e-2},
    "atol": {"f32": 1e-4, "bf16": 5e-2, "f16": 2e-2},
}
# A result is rounded once more than what it is made of.
_HALF = {"rtol": {"bf16": 1.6e-2, "f16": 2e-3}, "atol": {"bf16": 4e-3, "f16": 1e-3}}
_IN_THREE = base.in_groups(3)


def _layer(t, function, dtype, **options):
    """A layer of six channels, in three groups where it has groups, or of eight numbers."""
    sizes = {BATCH: (6,), GROUP: (3, 6), RMS: (8,)}[function]
    return t.construct(function, *sizes, dtype=dtype, **options)


@case(BATCH, dtypes="f32 bf16", reference=base.batch_norm_of_batch, name="forward", **_TWO)
@case(GROUP, dtypes="f32 bf16", reference=_IN_THREE, name="forward", **_TWO)
@case(RMS, dtypes="f32 bf16", reference=right.rms_norm, name="forward", **_TWO)
@case(BATCH, dtypes="f32 bf16 f64", reference=with_gradient(base.batch_norm_of_batch, of=(0,)), grad=True,
      core="f32 bf16", name="gradient", **_TWO)  # fmt: skip
@case(GROUP, dtypes="f32 bf16 f64", reference=with_gradient(_IN_THREE, of=(0,)), grad=True,
      core="f32 bf16", name="gradient", **_TWO)  # fmt: skip
@case(RMS, dtypes="f32 bf16", reference=with_gradient(right.rms_norm, of=(0,)), grad=True,
      core="f32 bf16", name="gradient", **_TWO)  # fmt: skip
@case(BATCH, dtypes="f16", reference=base.batch_norm_of_batch, core=False, name="forward", **_TWO)
@case(GROUP, dtypes="f16", reference=_IN_THREE, core=False, name="forward", **_TWO)
@case(RMS, dtypes="f16", reference=right.rms_norm, core=False, name="forward", **_TWO)
@case(BATCH, dtypes="bf16 f16", reference=base.batch_norm_of_batch, core=False, name="closely_in_half", **_HALF)  # fmt: skip
@case(BATCH, dtypes="bf16 f16", reference=with_gradient(base.batch_norm_of_batch, of=(0,)), grad=True, core=False,
      name="gradient_closely_in_half", **_HALF)  # fmt: skip
def normalizes(t, dtype, function):
    return t.call(_layer(t, function, dtype), t.randn((4, 6, 5, 8), dtype))


@case(BATCH, dtypes="f32", reference=right.learns(base.batch_norm_of_batch), **_TWO)
@case(GROUP, dtypes="f32", reference=right.learns(_IN_THREE), **_TWO)
@case(RMS, dtypes="f32", reference=right.learns(right.rms_norm, of=(1,)), **_TWO)
def parameters_learn(t, dtype, function):
    """The gradient reaches weight and bias."""
    layer = _layer(t, function, dtype)
    out = t.call(layer, t.randn((2, 6, 3, 8), dtype))
    pull = t.fw.linspace(0.5, 1.5, out.numel(), dtype=out.dtype, device=t.device)
    out.backward(pull.reshape(out.shape))
    return (out.detach(), *(parameter.grad for parameter in layer.parameters()))


def _without(function):
    return {BATCH: base.batch_norm_of_batch, GROUP: _IN_THREE, RMS: right.rms_norm}[function]


@case(BATCH, dtypes="f32", reference=with_gradient(_without(BATCH)), grad=True, core=False, **_TWO)
@case(GROUP, dtypes="f32", reference=with_gradient(_without(GROUP)), grad=True, core=False, **_TWO)
@case(RMS, dtypes="f32", reference=with_gradient(_without(RMS)), grad=True, core=False, **_TWO)
def without_affine(t, dtype, function):
    option = "elementwise_affine" if function == RMS else "affine"
    layer = _layer(t, function, dtype, **{option: False})
    t.expect(not list(layer.parameters()), "no parameters")
    return t.call(layer, t.randn((4, 6, 2, 8), dtype))


_EPS = {"eps": 0.25}


@case(BATCH, dtypes="f32", core=False, **_TWO,
      reference=lambda np, x, *given: base.batch_norm(np, x, None, None, *given, training=True, **_EPS))  # fmt: skip
@case(GROUP, dtypes="f32", core=False, **_TWO,
      reference=lambda np, x, *given: base.group_norm(np, x, *given, groups=3, **_EPS))  # fmt: skip
@case(RMS, dtypes="f32 f64", grad=True, core=False, **_TWO,
      reference=with_gradient(lambda np, x, *given: right.rms_norm(np, x, *given, **_EPS), of=(0,)))  # fmt: skip
def another_eps(t, dtype, function):
    return t.call(_layer(t, function, dtype, **_EPS), t.randn((2, 6, 2, 8), dtype))


@case(BATCH, dtypes="f32 bf16", core=False, reference=base.batch_norm_of_batch, **_TWO)
@case(GROUP, dtypes="f32 bf16", core=False, reference=_IN_THREE, **_TWO)
@case(RMS, dtypes="f32 bf16", core=False, reference=right.rms_norm, **_TWO)
def channels_last(t, dtype, function):
    x = t.randn((2, 6, 5, 8), dtype).to(memory_format=t.fw.channels_last)
    return t.call(_layer(t, function, dtype), x)


def _of_each(function):
    return lambda np, a, b, c, *given: [function(np, x, *given) for x in (a, b, c)]


@case(BATCH, dtypes="f32", core=False, reference=_of_each(base.batch_norm_of_batch), **_TWO)
@case(GROUP, dtypes="f32", core=False, reference=_of_each(_IN_THREE), **_TWO)
@case(RMS, dtypes="f32", core=False, reference=_of_each(right.rms_norm), **_TWO)
def three_sizes(t, dtype, function):
    """One size after another: what a compiler made for one must not be used for the next."""
    layer = _layer(t, function, dtype)
    return [t.call(layer, t.randn((n, 6, n, 8), dtype)) for n in (2, 3, 5)]


@case(BATCH, dtypes="f32", large=True, reference=base.batch_norm_of_batch, **_TWO)
@case(GROUP, dtypes="f32", large=True, reference=base.in_groups(8), **_TWO)
@case(RMS, dtypes="f32", large=True, reference=right.rms_norm, **_TWO)
def large(t, dtype, function):
    sizes, shape = {
        BATCH: ((64,), (16, 64, 64, 64)),
        GROUP: ((8, 64), (16, 64, 64, 64)),
        RMS: ((1024,), (4096, 1024)),
    }[function]
    return t.call(t.construct(function, *sizes, dtype=dtype), t.randn(shape, dtype))


@case(GROUP, dtypes="f32", trivial=True, core=False, reference=_IN_THREE)
@case(RMS, dtypes="f32", trivial=True, core=False, reference=right.rms_norm)
def empty_batch(t, dtype, function):
    return t.call(_layer(t, function, dtype), t.randn((0, 6, 8), dtype))


@case(BATCH, dtypes="f32", core=False, reference=lambda np, x, *given: base.batch_norm_of_batch(np, x + 1000, *given),
      rtol={"f32": 1e-3}, atol={"f32": 1e-3})  # the input itself has lost three digits # fmt: skip
@case(GROUP, dtypes="f32", core=False, reference=lambda np, x, *given: _IN_THREE(np, x + 1000, *given),
      rtol={"f32": 1e-3}, atol={"f32": 1e-3})  # fmt: skip
def large_offset(t, dtype, function):
    """A mean far above the deviation: a variance by E[x^2] - E[x]^2 would be lost in f32."""
    return t.call(_layer(t, function, dtype), t.randn((8, 6, 8, 8), dtype) + 1000)


# --- BatchNorm2d: what it keeps


@case(BATCH, dtypes="f32", momentum=[0.1, None], reference=right.batch_norm_steps, **_TWO)
@case(BATCH, dtypes="bf16", momentum=[0.1, None], core=False, reference=right.batch_norm_steps, **_HALF)  # fmt: skip
def running_statistics(t, dtype, momentum):
    """Two batches move mean, variance and count; without a momentum all count the same."""
    layer = t.construct(BATCH, 6, momentum=momentum, dtype=dtype)
    made = [t.call(layer, t.randn((4, 6, 3, 3), dtype)) for _ in range(2)]
    made = [one.detach() for one in made]
    return (*made, layer.running_mean, layer.running_var, layer.num_batches_tracked)


def _evaluated(np, mean, variance, x, weight, bias):
    return base.batch_norm(np, x, mean, variance, weight, bias)


@case(BATCH, dtypes="f32 bf16", reference=_evaluated, **_TWO)
@case(BATCH, dtypes="f32 bf16", reference=with_gradient(_evaluated, of=(2,)), grad=True, core="f32",
      name="evaluation_gradient", **_TWO)  # fmt: skip
def evaluation(t, dtype):
    """Out of training what was kept is used, and stays."""
    layer = t.construct(BATCH, 6, dtype=dtype).eval()
    mean, variance = t.randn((6,), dtype, grad=False), t.uniform((6,), dtype, 0.5, 2, grad=False)
    layer.running_mean.copy_(mean)
    layer.running_var.copy_(variance)
    made = t.call(layer, t.randn((2, 6, 3, 4), dtype))
    same = (t.host(layer.running_mean) == t.host(mean)).all()
    t.expect(bool(same) and int(t.host(layer.num_batches_tracked)) == 0, "statistics that stay")
    return made


@case(BATCH, dtypes="f32", core=False, reference=base.batch_norm_of_batch, **_TWO)
def untracked(t, dtype):
    """Without statistics the batch's own serve out of training, too."""
    layer = t.construct(BATCH, 6, track_running_stats=False, dtype=dtype).eval()
    t.expect(layer.running_mean is None and layer.num_batches_tracked is None, "none kept")
    return t.call(layer, t.randn((4, 6, 3, 3), dtype))


def _kept_of_one(np, first, x, weight, bias, *_):
    """Evaluated with what one batch leaves, of the first layer's parameters."""
    mean = 0.1 * first.mean((0, 2, 3))
    variance = 0.9 + 0.1 * first.var((0, 2, 3), ddof=1)
    return base.batch_norm(np, x, mean, variance, weight, bias), np.asarray(1)


@case(BATCH, dtypes="f32", core=False, reference=_kept_of_one, **_TWO)
def saved_and_loaded(t, dtype):
    """The statistics are in the state, and go into another layer."""
    layer, other = t.construct(BATCH, 6, dtype=dtype), t.construct(BATCH, 6, dtype=dtype)
    layer(t.randn((4, 6, 3, 3), dtype))
    other.load_state_dict(layer.state_dict())
    made = t.call(other.eval(), t.randn((2, 6, 3, 3), dtype))
    return made, other.num_batches_tracked


@case(BATCH, dtypes="f32", momentum=[0.0, 0.5, 1.0], core=False, reference=right.batch_norm_steps, **_TWO)  # fmt: skip
def other_momentums(t, dtype, momentum):
    """Nothing of a batch is kept, a half, all."""
    layer = t.construct(BATCH, 6, momentum=momentum, dtype=dtype)
    made = [t.call(layer, t.randn((4, 6, 3, 3), dtype)).detach() for _ in range(2)]
    return (*made, layer.running_mean, layer.running_var, layer.num_batches_tracked)


@case(BATCH, dtypes="bf16 f16", core=False, reference=base.batch_norm_of_batch, **_HALF)
def half_numbers_of_a_float_layer(t, dtype):
    """As mixed precision has it: parameters and statistics stay in f32, the result is as the input."""
    layer = t.construct(BATCH, 6, dtype="f32")
    made = t.call(layer, t.randn((4, 6, 5, 8), dtype))
    t.expect(made.dtype is t.dtype(dtype), "the dtype of the input")
    t.expect(layer.running_mean.dtype is t.dtype("f32"), "statistics in f32")
    return made


@case(BATCH, dtypes="f16", core=False, reference=lambda np, x, *given: base.batch_norm_of_batch(np, 1000 * x, *given),
      **_HALF)  # fmt: skip
def half_does_not_overflow(t, dtype):
    """A variance of a million is no f16: the statistics are taken in f32."""
    layer = t.construct(BATCH, 6, track_running_stats=False, dtype=dtype)
    return t.call(layer, t.randint((4, 6, 5, 8), dtype, -3, 4) * 1000)


@case(BATCH, dtypes="f32 f64", core=False, reference=lambda np, x, weight, bias: (
      bias.reshape(1, 3, 1, 1) + 0 * x, bias.reshape(1, 3, 1, 1) + 0 * x[:1], np.zeros((0, 3, 2, 2))), **_TWO)  # fmt: skip
def of_equal_numbers(t, dtype):
    """Channels of one number give the bias, of one image too; no image gives none."""
    layer = t.construct(BATCH, 3, dtype=dtype)
    x = t.const([[[[2.0] * 2] * 2, [[-3.0] * 2] * 2, [[0.0] * 2] * 2]] * 4, dtype)
    return t.call(layer, x), t.call(layer, x[:1]), t.call(layer, x[:0])


@case(BATCH, dtypes="f32", core=False, reference=lambda np, x, *given: (
      base.batch_norm_of_batch(np, x[:, ::2], *given), base.batch_norm_of_batch(np, x.swapaxes(1, 3), *given)), **_TWO)  # fmt: skip
def of_gaps_and_transposes(t, dtype):
    layer, x = t.construct(BATCH, 3, dtype=dtype), t.randn((4, 6, 5, 3), dtype)
    return t.call(layer, x[:, ::2]), t.call(layer, x.transpose(1, 3))


@case(BATCH, dtypes="f32 f64", core=False, **_TWO, reference=lambda np, x, mean, variance, weight, bias: (
      right.learns(lambda np, x, weight, bias: base.batch_norm(np, x, mean, variance, weight, bias))(np, x, weight, bias)))  # fmt: skip
def parameters_learn_out_of_training(t, dtype):
    """A layer with frozen statistics: weight and bias have their gradient."""
    layer = t.construct(BATCH, 6, dtype=dtype).eval()
    x = t.randn((2, 6, 3, 4), dtype)
    layer.running_mean.copy_(t.randn((6,), dtype))
    layer.running_var.copy_(t.uniform((6,), dtype, 0.5, 2))
    out = t.call(layer, x)
    pull = t.fw.linspace(0.5, 1.5, out.numel(), dtype=out.dtype, device=t.device)
    out.backward(pull.reshape(out.shape))
    return out.detach(), layer.weight.grad, layer.bias.grad


@case(BATCH, core=False, reference="none")
def as_it_is_made(t):
    """Ones and zeros, nothing counted; the names of its state; no statistics and no parameters where none are asked for."""
    layer = t.call(BATCH, 4, device=t.device)
    state = {name: t.host(value).tolist() for name, value in layer.state_dict().items()}
    want = {"weight": [1] * 4, "bias": [0] * 4, "running_mean": [0] * 4, "running_var": [1] * 4}
    t.expect(state == dict(want, num_batches_tracked=0), "ones and zeros, got %s" % state)
    t.expect((layer.eps, layer.momentum, layer.num_features) == (1e-5, 0.1, 4), "its options")
    layer.train(False).half()
    t.expect(layer.num_batches_tracked.dtype is t.fw.int64, "the count stays an integer")
    t.expect(layer.running_var.dtype is t.fw.float16, "statistics follow the layer")
    bare = t.call(BATCH, 4, affine=False, track_running_stats=False)
    t.expect(not bare.state_dict() and bare.weight is None, "nothing to keep")


@case(BATCH, dtypes="f32", core=False, **_TWO,
      reference=lambda np, x, *given: base.batch_norm_of_batch(np, x, *given)[:, 1])  # fmt: skip
def a_number_that_is_none(t, dtype):
    """NaN and infinity spoil their channel and its statistics, no other."""
    layer, x = t.construct(BATCH, 3, dtype=dtype), t.randn((4, 3, 3, 3), dtype)
    x[0, 0, 0, 0], x[0, 2, 0, 0] = float("nan"), float("inf")
    made, mean = t.call(layer, x), t.host(layer.running_mean)
    t.expect(bool(t.np.isnan(t.host(made)[:, [0, 2]]).all()), "NaN in two channels")
    t.expect(t.np.isfinite(mean).tolist() == [False, True, False], "and in their statistics")
    return made[:, 1]


@case(BATCH, reference="none", core=False)
def batch_norm_wrong_calls_raise(t):
    layer = t.construct(BATCH, 6)
    t.raises(ValueError, t.call, layer, t.randn((4, 6, 3), "f32"))
    t.raises(ValueError, t.call, layer, t.randn((1, 6, 1, 1), "f32"))
    t.raises(RuntimeError, t.call, layer, t.randn((4, 5, 3, 3), "f32"))


@case(BATCH, reference="none", core=False, since=("2.13", "the check of eps"))
def no_eps(t):
    """In training eps is positive; out of it zero is one."""
    x = t.randn((2, 6, 3, 3), "f32")
    for eps in (0.0, -1.0):
        t.raises(ValueError, t.call, t.construct(BATCH, 6, eps=eps), x)


@case(BATCH, dtypes="f32 f64", grad=True, core=False, **_TWO, reference=with_gradient(
      lambda np, x, weight: base.batch_norm_of_batch(np, x, weight, np.zeros(6)), of=(0,)))  # fmt: skip
def weights_without_a_bias(t, dtype):
    """bias=False: each channel has a weight and no bias."""
    if "bias" not in inspect.signature(t.get(BATCH)).parameters:
        raise Skip("this PyTorch has no layer without a bias")
    layer = t.construct(BATCH, 6, bias=False, dtype=dtype)
    t.expect([name for name, _ in layer.named_parameters()] == ["weight"], "a weight alone")
    return t.call(layer, t.randn((4, 6, 3, 5), dtype))


# --- GroupNorm


@case(GROUP, dtypes="f32", shape=[(4, 6), (2, 6, 7), (2, 6, 2, 3, 4)], groups=[1, 2, 6], core=False,
      reference=base.group_norm, **_TWO)  # fmt: skip
def axes_and_groups(t, dtype, shape, groups):
    """From one group, as a layer norm, to a group for each channel, as an instance norm."""
    if len(shape) == 2 and groups == 6:
        shape = (4, 6, 2)  # of one number alone nothing is left
    layer = t.construct(GROUP, groups, 6, dtype=dtype)
    return t.call(layer, t.distinct(shape, dtype))


@case(GROUP, reference="none", core=False)
def group_norm_wrong_calls_raise(t):
    t.raises(ValueError, t.get(GROUP), 4, 6)
    layer = t.construct(GROUP, 3, 6)
    t.raises(RuntimeError, t.call, layer, t.randn((2, 4, 5), "f32"))
    t.raises(RuntimeError, t.call, layer, t.randn((2, 9, 5), "f32"))


# --- RMSNorm


@case(RMS, dtypes="f32 bf16", core=False, reference=with_gradient(lambda np, *given: right.rms_norm(np, *given, axes=2), of=(0,)),
      grad=True, **_TWO)  # fmt: skip
def over_two_axes(t, dtype):
    return t.call(t.construct(RMS, (3, 8), dtype=dtype), t.randn((4, 3, 8), dtype))


@case(RMS, dtypes="f32", core=False, reference=right.rms_norm, **_TWO)
def default_eps(t, dtype):
    """Where none is given, eps is that of the dtype: numbers of 1e-4 are not scaled to one."""
    layer = t.construct(RMS, 8, dtype=dtype)
    t.expect(layer.eps is None, "no eps of the layer")
    return t.call(layer, t.uniform((4, 8), dtype, 1e-4, 4e-4))


@case(RMS, dtypes="f32 f16 bf16", core=False, reference=lambda np, x: right.rms_norm(np, x, eps=0), **_TWO)  # fmt: skip
def large_numbers(t, dtype):
    """The squares are beyond f16: they are taken in f32. Nothing is subtracted from equal numbers."""
    x = t.const([[600.0, 600.0, 600.0, 600.0], [1000.0, -2000.0, 500.0, 3000.0]], dtype)
    return t.call(t.construct(RMS, 4, elementwise_affine=False, dtype=dtype), x)


@case(RMS, dtypes="f32", core=False, reference=right.rms_norm, trivial=True)
def of_zeros(t, dtype):
    """Zeros stay zeros."""
    return t.call(t.construct(RMS, 8, dtype=dtype), t.const([[0.0] * 8] * 3, dtype))


@case(RMS, reference="none", core=False)
def rms_norm_wrong_calls_raise(t):
    layer = t.construct(RMS, 8)
    t.raises((RuntimeError, ValueError), t.call, layer, t.randn((2, 6), "f32"))
    fewer = t.randn((8,), "f32")
    t.raises((RuntimeError, ValueError), t.call, t.construct(RMS, (3, 8)), fewer)


@case(RMS, dtypes="f32 bf16", reference="none", core=False)
def made_where_asked(t, dtype):
    """device= and dtype=; weights of one, no bias; reset_parameters gives them again."""
    layer = t.call(RMS, (3, 4), device=t.device, dtype=t.dtype(dtype))
    t.expect([name for name, _ in layer.named_parameters()] == ["weight"], "a weight alone")
    t.expect(layer.weight.dtype is t.dtype(dtype), "that dtype")
    t.expect(layer.weight.device.type == t.fw.device(t.device).type, "that device")
    t.expect(tuple(layer.weight.shape) == (3, 4), "that shape")
    t.expect(bool((t.host(layer.weight) == 1).all()), "weights of one")
    with t.fw.no_grad():
        layer.weight.fill_(3)
    layer.reset_parameters()
    t.expect(bool((t.host(layer.weight) == 1).all()), "ones again")


@case(RMS, dtypes="f64 f16", grad=True, core=False, **_TWO, reference=with_gradient(
      lambda np, x, *given: right.rms_norm(np, x.swapaxes(1, 2), *given, eps=1e-5), of=(0,)))  # fmt: skip
def gradient_of_a_transpose(t, dtype):
    layer = t.construct(RMS, 9, eps=1e-5, dtype=dtype)
    return t.call(lambda x: layer(x.mT), t.randn((2, 9, 5), dtype))


@case(RMS, dtypes="f32 bf16 f64", grad=True, core=False, **_TWO, reference=with_gradient(
      lambda np, weight, x: right.rms_norm(np, x, weight, eps=1e-5), of=(0, 1)))  # fmt: skip
def gradient_of_the_weight(t, dtype):
    layer = t.get(RMS)(12, eps=1e-5, device=t.device, dtype=t.dtype(dtype))

    def run(weight, x):
        return t.fw.func.functional_call(layer, {"weight": weight}, (x,))

    return t.call(run, t.uniform((12,), dtype, 0.5, 2), t.randn((2, 3, 12), dtype))


@case(RMS, dtypes="bf16 f16", core=False, reference=right.rms_norm, **_TWO)
def default_eps_of_halves(t, dtype):
    """Documented: halves are computed in f32, and with its eps; the squares are about as large."""
    return t.call(t.construct(RMS, 8, dtype=dtype), t.uniform((4, 8), dtype, 2e-4, 6e-4))


@case(
    RMS, dtypes="f64", core=False, reference=lambda np, x, w: right.rms_norm(np, x, w, eps=2.0**-52)
)
def default_eps_of_f64(t, dtype):
    """Numbers of 1e-8, whose squares are about eps."""
    return t.call(t.construct(RMS, 8, dtype=dtype), t.uniform((4, 8), dtype, 1e-8, 4e-8))


@case(RMS, dtypes="f32", core=False, **_TWO, reference=lambda np, x, y, w, v: [
      right.rms_norm(np, x, v, eps=0.5, axes=3), np.sign(y) * w, np.zeros((3, 1)), abs(y).shape[0] * np.ones(1)])  # fmt: skip
def over_all_axes_and_one_number(t, dtype):
    """One root for all; of one number its sign is left, without a slope."""
    x, y = t.randn((2, 3, 4), dtype), t.const([[2.0], [3.0], [0.5]], dtype, grad=True)
    single = t.construct(RMS, 1, eps=0.0, dtype=dtype)
    every = t.construct(RMS, t.fw.Size([2, 3, 4]), eps=0.5, dtype=dtype)
    made = t.call(single, y)
    made.sum().backward()
    return [t.call(every, x), made.detach(), y.grad, single.weight.grad]


@case(RMS, dtypes="f32", reference="none", core=False)
def gradient_of_no_rows_and_of_zeros(t, dtype):
    """Nothing for nothing; a row of zeros has a finite slope."""
    layer, x = t.construct(RMS, 6, eps=0.25, dtype=dtype), t.randn((0, 6), dtype, grad=True)
    t.call(layer, x).sum().backward()
    t.expect(tuple(x.grad.shape) == (0, 6), "nothing for the input")
    t.expect(not t.host(layer.weight.grad).any(), "zeros for the weight")
    zero = t.const([[0.0] * 6], dtype, grad=True)
    made = t.call(layer, zero)
    t.expect(not t.host(made).any(), "zeros of zeros")
    made.sum().backward()
    error = abs(t.host(zero.grad)[0] - 2 * t.host(layer.weight))
    t.expect(bool((error < 1e-5).all()), "the weight by the root of eps")


@case(
    RMS,
    dtypes="f32",
    core=False,
    **_TWO,
    reference=lambda np, x, w, v: [right.rms_norm(np, x, w)] * 2,
)
def weight_saved_and_loaded(t, dtype):
    layer, other = (t.construct(RMS, 7, dtype=dtype) for _ in "ab")
    other.load_state_dict(layer.state_dict())
    x = t.randn((3, 7), dtype)
    return [t.call(layer, x), t.call(other, x)]


@case(RMS, reference="none", core=False)
def rms_norm_other_wrong_calls_raise(t):
    """Integers, a fraction as a size, no tensor."""
    layer = t.construct(RMS, 8)
    kinds = (RuntimeError, NotImplementedError)
    t.raises(kinds, t.call, layer, t.randint((2, 8), "i64", 1, 9))
    t.raises(TypeError, t.call, RMS, 3.5)
    t.raises(TypeError, t.call, layer, [1.0] * 8)


@case(RMS, dtypes="bf16 f16", core=False, reference=right.rms_norm, name="closely_in_half", **_HALF)
@case(RMS, dtypes="bf16 f16", grad=True, core=False, reference=with_gradient(right.rms_norm, of=(0,)),
      name="gradient_closely_in_half", **_HALF)  # fmt: skip
def normalizes_rows(t, dtype):
    return t.call(t.construct(RMS, 33, dtype=dtype), t.randn((4, 5, 33), dtype))


def _rms_and_gradients(np, x, weight):
    """Pulled with whole numbers from -8 to 8."""
    far = np.arange(x.size).reshape(x.shape) % 17 - 8
    root = np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5)
    slope = far * weight / root - x * (x * far * weight).mean(-1, keepdims=True) / root**3
    return [x / root * weight, slope, (x / root * far).reshape(-1, x.shape[-1]).sum(0)]


@case(RMS, dtypes="f32 f64", shape=[(128, 5, 5), (300, 67), (3, 1025), (65, 2)], core=False, reference=_rms_and_gradients,
      rtol={"f32": 1e-5}, atol={"f32": 1e-4})  # sums of 640 numbers # fmt: skip
def rows_of_each_length(t, dtype, shape):
    layer, x = t.construct(RMS, shape[-1], eps=1e-5, dtype=dtype), t.randn(shape, dtype, grad=True)
    made = t.call(layer, x)
    made.backward(
        (t.fw.arange(made.numel(), device=t.device).reshape(shape) % 17 - 8).to(made.dtype)
    )
    return [made.detach(), x.grad, layer.weight.grad]


@case(BATCH, dtypes="f32", core=False, reference=lambda np, *drawn: _kept_of_one(np, *drawn)[0], **_TWO)  # fmt: skip
def an_older_state(t, dtype):
    """A state without a count, as before version 2, is taken; where nothing is tracked what is kept stays."""
    layer, other = t.construct(BATCH, 6, dtype=dtype), t.construct(BATCH, 6, dtype=dtype)
    first, x = t.randn((4, 6, 3, 3), dtype), t.randn((2, 6, 3, 3), dtype)
    layer(first)
    other.load_state_dict({k: v for k, v in layer.state_dict().items() if "num" not in k})
    other.track_running_stats = False
    other(first * 2)
    t.expect(int(t.host(other.num_batches_tracked)) == 0, "nothing counted")
    return t.call(other.eval(), x)
