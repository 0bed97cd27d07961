"""torch.nn.Dropout: what it drops, what it scales, and its modes."""

from seamark_suites.case import case

from .reference import with_gradient


def _layer(t, *arguments, **options):
    return t.construct("torch.nn.Dropout", *arguments, **options)


@case("torch.nn.Dropout", reference=lambda np, x: x, dtypes="f32 bf16", name="not_in_training")
@case(
    "torch.nn.Dropout",
    reference=with_gradient(lambda np, x: x, lambda np, w, x: w),
    dtypes="f32 bf16 f16 f64",
    grad=True,
    core="f32 bf16",
)
def gradient_out_of_training(t, dtype):
    return t.call(_layer(t, 0.5).eval(), t.randn((8, 9), dtype))


def _check_drawn(t, x, y, p):
    """The share of zeros, single numbers and no whole rows, and the scale of what is kept."""
    kept = y != 0
    share = 1 - float(kept.mean())
    t.expect(
        abs(share - p) < 5 * (p * (1 - p) / y.size) ** 0.5,
        "a share %g of zeros, got %g" % (p, share),
    )
    for axis in (0, 1):
        t.expect(bool((kept.any(axis) & ~kept.all(axis)).all()), "single numbers, no whole rows")
    ratio = y[kept] / x[kept]
    t.expect(bool((abs(ratio * (1 - p) - 1) < 1e-2).all()), "what is kept is scaled by 1/(1-p)")


@case(
    "torch.nn.Dropout",
    dtypes="f32 bf16 f16 f64",
    p=[0.25, 0.5],
    random=True,
    reference="none",
    core="f32 bf16",
)
def in_training(t, dtype, p):
    x = t.uniform((64, 64), dtype, 1, 2)
    y = t.call(_layer(t, p), x)
    t.expect(y.dtype is x.dtype and y.shape == x.shape, "the input's dtype and shape")
    _check_drawn(t, t.host(x), t.host(y), p)


@case("torch.nn.Dropout", dtypes="f32", random=True, reference="none", core=False)
def half_by_default(t, dtype):
    x = t.uniform((64, 64), dtype, 1, 2, noncontiguous=True).T
    _check_drawn(t, t.host(x), t.host(t.call(_layer(t), x)), 0.5)


@case(
    "torch.nn.Dropout",
    dtypes="f32 bf16 f64",
    grad=True,
    random=True,
    reference="none",
    core="f32 bf16",
)
def gradient_in_training(t, dtype):
    """Of what is kept alone, with the same scale."""
    x = t.uniform((64, 64), dtype, 1, 2)
    y, (slope,) = t.call(_layer(t, 0.25), x)
    kept = t.host(y) != 0
    _check_drawn(t, t.host(x), t.host(y), 0.25)
    ramp = t.np.linspace(0.5, 1.5, kept.size).reshape(kept.shape)
    want = t.np.where(kept, ramp / 0.75, 0)
    t.expect(bool((abs(t.host(slope) - want) <= 2e-2).all()), "the gradient of what is kept")


@case(
    "torch.nn.Dropout",
    dtypes="f32",
    reference=with_gradient(lambda np, x: x, lambda np, w, x: w),
    grad=True,
    core=False,
)
def keeps_all_at_zero(t, dtype):
    return t.call(_layer(t, 0.0), t.randn((8, 9), dtype))


@case(
    "torch.nn.Dropout",
    dtypes="f32 bf16",
    reference=with_gradient(lambda np, x: x * 0, lambda np, w, x: w * 0),
    grad=True,
    trivial=True,
    core=False,
)
def drops_all_at_one(t, dtype):
    """Zeros, and no division by zero."""
    return t.call(_layer(t, 1.0), t.randn((8, 9), dtype))


@case("torch.nn.Dropout", dtypes="f32 bf16", random=True, reference="none", core=False)
def in_place(t, dtype):
    """The input is written, and is the result."""
    x = t.uniform((64, 64), dtype, 1, 2)
    before = t.host(x).copy()
    y = t.call(_layer(t, 0.25, inplace=True), x)
    _check_drawn(t, before, t.host(x), 0.25)
    t.expect(bool((t.host(y) == t.host(x)).all()), "the input itself")


@case("torch.nn.Dropout", dtypes="f32", random=True, reference="none", core=False)
def draws_anew(t, dtype):
    """Two passes differ; after the same seed they do not."""
    layer, x = _layer(t, 0.5), t.uniform((32, 32), dtype, 1, 2)
    made = [t.host(t.call(layer, x)) for _ in range(2)]
    t.expect(bool((made[0] != made[1]).any()), "two passes that differ")
    for number in range(2):
        t.fw.manual_seed(7)
        made[number] = t.host(t.call(layer, x))
    t.expect(bool((made[0] == made[1]).all()), "the same numbers after the same seed")
    t.expect(bool((made[0] == 0).any()), "some zeros")


@case("torch.nn.Dropout", dtypes="f32", random=True, reference="none", core=False)
def follows_the_model(t, dtype):
    """eval() and train() of the model that holds it; it has no state."""
    model, x = (
        t.construct(lambda: t.fw.nn.Sequential(_layer(t, 0.5))),
        t.uniform((32, 32), dtype, 1, 2),
    )
    t.expect(not model.state_dict(), "no state")
    model.eval()
    t.expect(bool((t.host(t.call(model, x)) == t.host(x)).all()), "the input out of training")
    model.train()
    _check_drawn(t, t.host(x), t.host(t.call(model, x)), 0.5)


@case(
    "torch.nn.Dropout",
    dtypes="f32",
    shapes="0 0x4",
    reference=lambda np, x: x,
    trivial=True,
    core=False,
)
def of_nothing(t, dtype, shape):
    return t.call(_layer(t, 0.5), t.randn(shape, dtype))


@case("torch.nn.Dropout", dtypes="i64 bool", reference=lambda np, x: x, core=False)
def integers_out_of_training(t, dtype):
    return t.call(_layer(t, 0.5).eval(), t.randn((8, 9), dtype))


@case("torch.nn.Dropout", dtypes="f32", random=True, reference="none", core=False)
def three_sizes(t, dtype):
    """One size after another: what a compiler made for one must not be used for the next."""
    layer = _layer(t, 0.25)
    for n in (40, 56, 72):
        x = t.uniform((n, 64), dtype, 1, 2)
        _check_drawn(t, t.host(x), t.host(t.call(layer, x)), 0.25)


@case("torch.nn.Dropout", dtypes="f32 bf16", random=True, reference="none", large=True)
def large(t, dtype):
    x = t.uniform((2048, 1024), dtype, 1, 2)
    _check_drawn(t, t.host(x), t.host(t.call(_layer(t, 0.25), x)), 0.25)


@case("torch.nn.Dropout", dtypes="f32", reference="none", core=False)
def wrong_shares_raise(t, dtype):
    for p in (-0.1, 1.1):
        t.raises(ValueError, t.call, "torch.nn.Dropout", p)
    t.raises(TypeError, t.call, "torch.nn.Dropout", "half")
    t.raises(TypeError, t.call, _layer(t), 3.0)
