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


@case("torch.nn.Dropout", dtypes="f32", random=True, reference="none", core=False)
def in_place_behind_a_layer(t, dtype):
    """inplace=True between a product and its gradient: of what is kept alone, with the scale."""
    x, w = t.uniform((64, 64), dtype, 1, 2, grad=True), t.uniform((64, 64), dtype, 1, 2)
    y = t.call(_layer(t, 0.25, inplace=True), x * w)
    y.sum().backward()
    kept, want = t.host(y) != 0, t.host(w) / 0.75
    _check_drawn(t, t.host(x) * t.host(w), t.host(y), 0.25)
    right = t.np.where(kept, abs(t.host(x.grad) - want) < 1e-4, t.host(x.grad) == 0)
    t.expect(bool(right.all()), "the factors of what is kept, scaled")


@case(
    "torch.nn.Dropout",
    dtypes="f32",
    random=True,
    reference="none",
    core=False,
    since=("2.0", "torch.vmap"),
)
def over_a_batch(t, dtype):
    """Within vmap: for each example others, or for all the same, as asked; without a word it is refused."""
    layer, x, vmap = _layer(t, 0.25), t.uniform((3, 64, 64), dtype, 1, 2), t.get("torch.vmap")
    other = t.host(t.call(vmap(layer, randomness="different"), x))
    same = t.host(t.call(vmap(layer, randomness="same"), x))
    for made in (other, same):
        _check_drawn(t, t.host(x)[1], made[1], 0.25)
    t.expect(bool(((other[0] == 0) != (other[1] == 0)).any()), "others for each")
    t.expect(bool(((same[0] == 0) == (same[1] == 0)).all()), "the same for all")
    t.raises(RuntimeError, t.call, vmap(layer), x)


@case("torch.nn.Dropout", dtypes="f32 f64", random=True, reference="none", core=False)
def slope_of_the_slope(t, dtype):
    """Of the square of what is kept: twice the square of the scale."""
    x = t.uniform((64, 64), dtype, 1, 2, grad=True)
    y = t.call(_layer(t, 0.5), x)
    first = t.fw.autograd.grad((y**2).sum(), x, create_graph=True)[0]
    second = t.host(t.fw.autograd.grad(first.sum(), x)[0])
    _check_drawn(t, t.host(x), t.host(y), 0.5)
    t.expect(
        bool((abs(second - t.np.where(t.host(y) != 0, 8, 0)) < 1e-4).all()), "8 where it is kept"
    )


@case("torch.nn.Dropout", dtypes="f32", reference="none", core=False)
def wrong_shares_raise(t, dtype):
    for p in (-0.1, 1.1):
        t.raises(ValueError, t.call, "torch.nn.Dropout", p)
    t.raises(TypeError, t.call, "torch.nn.Dropout", "half")
    t.raises(TypeError, t.call, _layer(t), 3.0)


@case("torch.nn.Dropout", dtypes="f32 bf16", core=False, reference=lambda np, x, w: [
      x.transpose(order)[1:, :, 1:] for order in ORDERS] + [w.transpose(order)[1:, :, 1:] for order in ORDERS])  # fmt: skip
def keeps_the_order_of_axes(t, dtype):
    """Of nearly none that are dropped, whichever axis lies innermost, of a part, too: the values and the gradient stay, in that order."""
    layer, x, w = _layer(t, 1e-10), t.randn((3, 4, 5, 6), dtype), t.randn((3, 4, 5, 6), dtype)
    made, slopes = [], []
    for order in ORDERS:
        part = x.permute(order)[1:, :, 1:].clone(memory_format=t.fw.preserve_format)
        part = part.requires_grad_()
        made.append(t.call(layer, part))
        t.expect(made[-1].stride() == part.stride(), "strides %s" % (part.stride(),))
        slopes.append(t.fw.autograd.grad(made[-1], part, w.permute(order)[1:, :, 1:])[0])
    return [one.detach() for one in made] + slopes


ORDERS = [(0, 1, 2, 3), (0, 2, 3, 1), (3, 1, 0, 2), (2, 3, 1, 0), (1, 0, 3, 2)]


@case("torch.nn.Dropout", dtypes="f32 bf16 f64", random=True, core=False, reference="none")
def of_channels_last_and_of_a_number(t, dtype):
    """Images of channels last stay so, with their gradient, in place, too; a number is kept or dropped; of all that are dropped the slope is zero."""
    order, fw = {"memory_format": t.fw.channels_last}, t.fw
    x = t.uniform((4, 16, 8, 8), dtype, 1, 2).contiguous(**order).requires_grad_()
    for inplace in (False, True):
        made = t.call(_layer(t, 0.25, inplace=inplace), x * 1)
        (slope,) = fw.autograd.grad(made, x, fw.ones_like(made).detach())
        t.expect(made.is_contiguous(**order) and slope.is_contiguous(**order), "channels last")
        flat = lambda one: t.host(one.detach()).reshape(64, 64)  # noqa: E731
        _check_drawn(t, flat(x), flat(made), 0.25)
        kept = flat(made) != 0
        right = t.np.where(kept, abs(flat(slope) - 4 / 3) < 1e-2, flat(slope) == 0)
        t.expect(bool(right.all()), "the scale where it is kept")
    found = [float(t.host(t.call(_layer(t, 0.5), x[0, 0, 0, 0].detach()))) for _ in range(64)]
    one = float(t.host(x[0, 0, 0, 0].detach()))
    t.expect(set(found) == {0.0, 2 * one}, "0 or twice %g, got %s" % (one, set(found)))
    (slope,) = fw.autograd.grad(t.call(_layer(t, 1.0), x).sum(), x)
    t.expect(not t.host(slope).any(), "no slope of what is dropped")


@case("torch.nn.Dropout", core=False, reference="none")
def says_what_it_is(t):
    """Its options and text; integers and complex numbers are not dropped; out of training nothing is written in place."""
    layer = _layer(t, p=0.25, inplace=True)
    t.expect(repr(layer) == "Dropout(p=0.25, inplace=True)", repr(layer))
    t.expect(layer.training and not list(layer.parameters()), "in training, no parameters")
    kinds = (RuntimeError, NotImplementedError)
    t.raises(kinds, t.call, _layer(t, 0.5), t.randint((40,), "i64", 1, 9))
    x = t.randn((40,), "f32")
    before = t.host(x).copy()
    made = t.call(layer.eval(), x)
    t.expect(bool((t.host(made) == before).all() and (t.host(x) == before).all()), "as before")
    t.raises(RuntimeError, t.call, layer.train(), x.clone().requires_grad_())


@case("torch.nn.Dropout", dtypes="f32 f64 f16 bf16", p=[0.1, 0.3, 0.9], random=True, core=False, reference="none")  # fmt: skip
def scales_exactly(t, dtype, p):
    """What is kept is scaled by 1/(1-p) to the last digit but one, and so is its slope."""
    x = t.uniform((40, 50), dtype, 1, 2, grad=True)
    made = t.call(_layer(t, p), x)
    (slope,) = t.fw.autograd.grad(made.sum(), x)
    kept, near = (
        t.host(made.detach()) != 0,
        {"f32": 1e-6, "f64": 1e-13, "f16": 2e-3, "bf16": 1.2e-2},
    )
    for found, want in (
        (made.detach(), t.host(x.detach()) / (1 - p)),
        (slope, 1 / (1 - p) + 0 * kept),
    ):
        right = t.np.where(kept, abs(t.host(found) / want - 1) < near[dtype], t.host(found) == 0)
        t.expect(bool(right.all()), "scaled by %.9g" % (1 / (1 - p)))
