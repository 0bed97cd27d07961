"""Normalizing layers: BatchNorm2d, GroupNorm and RMSNorm."""

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


@case(BATCH, dtypes="f32 bf16", momentum=[0.1, None], core="f32", reference=right.batch_norm_steps, **_TWO)  # fmt: skip
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


@case(BATCH, reference="none", core=False)
def batch_norm_wrong_calls_raise(t):
    layer = t.construct(BATCH, 6)
    t.raises(ValueError, t.call, layer, t.randn((4, 6, 3), "f32"))
    t.raises(ValueError, t.call, layer, t.randn((1, 6, 1, 1), "f32"))
    t.raises(RuntimeError, t.call, layer, t.randn((4, 5, 3, 3), "f32"))


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
