"""Activations as layers: ReLU and SiLU."""

from seamark_suites.case import case, each

from . import reference_modules as right
from .reference import with_gradient
from .reference_modules import silu, silu_slope

BOTH = "torch.nn.ReLU torch.nn.SiLU"


@each(BOTH, right.of, dtypes="f32 bf16", shapes="64x33", name="forward")
@each(BOTH, right.gradient_of, dtypes="f32 bf16", shapes="64x33", grad=True, name="gradient",
      rtol={"bf16": 3e-2}, atol={"bf16": 1e-2})  # near -1.28 the slope of SiLU is zero # fmt: skip
@each(BOTH, right.gradient_of, dtypes="f64", shapes="64x33", grad=True, core=False, name="gradient")
@each(BOTH, right.of, dtypes="f16", shapes="64x33", core=False, name="forward")
@each("torch.nn.SiLU", right.of, dtypes="c64", shapes="64x33", core=False, name="forward")
def activation(t, dtype, shape, function):
    return t.call(t.construct(function, dtype=dtype), t.uniform(shape, dtype, -3, 3))


@each("torch.nn.ReLU", right.of, dtypes="i64 i32", shapes="64x33")
@each("torch.nn.ReLU", right.of, dtypes="i16 i8 u8", shapes="64x33", core=False)
def of_integers(t, dtype, shape, function):
    """Integers keep their dtype."""
    made = t.call(t.get(function)(), t.randn(shape, dtype))
    t.expect(made.dtype is t.dtype(dtype), "the dtype of the input")
    return made


@each(BOTH, right.of, dtypes="f32", shapes="scalar 1", core=False)
def of_one_number(t, dtype, shape, function):
    return t.call(t.get(function)(), t.uniform(shape, dtype, 1.1, 1.4))


@each(BOTH, right.of, dtypes="f32", shapes="0 3x0x2", trivial=True, core=False)
def of_nothing(t, dtype, shape, function):
    return t.call(t.get(function)(), t.randn(shape, dtype))


@each(BOTH, right.of_views, dtypes="f32 bf16", core=False)
def of_views(t, dtype, function):
    """Every other column, a transpose, a row that is broadcast."""
    x, layer = t.uniform((9, 14), dtype, -3, 3, noncontiguous=True), t.get(function)()
    return [t.call(layer, y) for y in (x, x.mT, x[:1].expand(5, 14))]


@each(BOTH, lambda function: right.of_each(right.of(function)), dtypes="f32", core=False)
def channels_last(t, dtype, function):
    """The result lies in memory as the input does: images and volumes."""
    x, y = (t.uniform(shape, dtype, -3, 3) for shape in ((2, 4, 5, 6), (2, 3, 3, 4, 5)))
    x, y = x.to(memory_format=t.fw.channels_last), y.to(memory_format=t.fw.channels_last_3d)
    made = [t.call(t.get(function)(), one) for one in (x, y)]
    t.expect(made[0].stride() == (120, 1, 24, 4), "the strides of the images")
    t.expect(made[1].stride() == (180, 1, 60, 15, 3), "the strides of the volumes")
    return made


@each(BOTH, right.written, dtypes="f32 f64", core=False)
def in_place(t, dtype, function):
    """inplace=True changes the input and returns it, in a view with gaps, too."""
    x, y = t.uniform((5, 8), dtype, -3, 3), t.uniform((10, 4), dtype, -3, 3)
    layer = t.get(function)(inplace=True)
    made = t.call(layer, x)
    t.expect(made is x, "the input as the result")
    t.call(layer, y[::2])
    return made, x, y


@each(BOTH, right.hidden_layer, dtypes="f32 f64", core=False,
      rtol={"f32": 1e-4}, atol={"f32": 1e-4})  # a matrix product # fmt: skip
def in_place_behind_a_layer(t, dtype, function):
    """inplace=True between a layer and its gradient, as networks use it."""
    layer, act = t.construct("torch.nn.Linear", 6, 4, dtype=dtype), t.get(function)(inplace=True)
    out = t.call(act, layer(t.randn((5, 6), dtype)))
    pull = t.fw.linspace(0.5, 1.5, out.numel(), dtype=out.dtype, device=t.device)
    out.backward(pull.reshape(out.shape))
    return out.detach(), layer.weight.grad, layer.bias.grad


@each("torch.nn.SiLU", lambda _: right.silu_twice, dtypes="f32 f64", core=False)
@each("torch.nn.ReLU", lambda _: right.cubed_relu_twice, dtypes="f32 f64", core=False)
def second_order(t, dtype, function):
    """The slope of the slope, as a gradient penalty takes it; of ReLU behind a cube."""
    x, w = t.uniform((40,), dtype, -2, 2, grad=True), t.uniform((40,), dtype, 1, 2)
    made = t.call(t.get(function)(), x)
    last = made**3 if function == "torch.nn.ReLU" else made
    first = t.fw.autograd.grad(last.sum(), x, create_graph=True)[0]
    second = t.fw.autograd.grad((first * w).sum(), x)[0]
    return made, first, second


INF, NAN = float("inf"), float("nan")


@each(BOTH, right.of, dtypes="f32 bf16 f64", core=False)
def special_values(t, dtype, function):
    """NaN comes through; far below zero nothing is left."""
    return t.call(t.get(function)(), t.const([0.0, -0.0, INF, NAN, 1.0, -1e30, 1e30, -80.0], dtype))


@case("torch.nn.ReLU", dtypes="f32 bf16", core=False, grad=True,
      reference=right.gradient_of("torch.nn.ReLU"))  # fmt: skip
def flat_at_zero(t, dtype):
    """The slope at zero is zero."""
    x = t.const([0.0, -0.0, 1e-30, -1e-30, 2.0, -INF, INF], dtype, grad=True)
    return t.call(t.get("torch.nn.ReLU")(), x)


@each(
    BOTH,
    lambda function: right.of_each(right.of(function)),
    dtypes="f32",
    core=False,
)
def three_sizes(t, dtype, function):
    """One size after another: what a compiler made for one must not be used for the next."""
    layer = t.get(function)()
    return [t.call(layer, t.uniform((n, 7), dtype, -3, 3)) for n in (5, 8, 13)]


@each(BOTH, right.of, dtypes="f32", shapes="2048x2048", large=True)
def large(t, dtype, shape, function):
    return t.call(t.get(function)(), t.uniform(shape, dtype, -3, 3))


@each(BOTH, core=False)
def refuses(t, function):
    """No tensor, none at all, two; an in-place change of a leaf that needs a gradient."""
    layer, x = t.get(function)(), t.randn((3, 4), "f32")
    t.raises(TypeError, t.call, layer, [1.0, 2.0])
    t.raises(TypeError, t.call, layer)
    t.raises(TypeError, t.call, layer, x, x)
    leaf = t.randn((3, 4), "f32", grad=True)
    t.raises(RuntimeError, t.call, t.get(function)(inplace=True), leaf)


@case("torch.nn.ReLU", reference="none", core=False)
def no_booleans(t):
    t.raises(RuntimeError, t.call, t.get("torch.nn.ReLU")(), t.const([True, False], "bool"))


# --- SiLU: far out, and of other kinds

SILU = "torch.nn.SiLU"


@case(SILU, dtypes="f32 f64", core=False, reference=lambda np, x: (
      right.silu(np, x), right.silu_slope(np, x)))  # fmt: skip
def slopes_far_out(t, dtype):
    """Far below the slope goes to zero, far above to one; right in relation to its size, too."""
    x = t.const([-80.0, -30.0, -12.0, -1.25, -0.0, 12.0, 80.0, 1e4, 1e30], dtype, grad=True)
    made = t.call(t.get(SILU)(), x)
    slope = t.fw.autograd.grad(made.sum(), x)[0]
    with t.np.errstate(over="ignore"):
        want = silu(t.np, t.host(x))[:3], silu_slope(t.np, t.host(x))[:3]
    for found, one in zip((made, slope), want):
        error = abs(t.host(found)[:3] / one - 1)
        t.expect(bool((error < 1e-5).all()), "a relative error below 1e-5, got %s" % error)
    return made.detach(), slope


@case(SILU, dtypes="f16", grad=True, core=False, reference=right.gradient_of(SILU),
      rtol={"f16": 3e-3}, atol={"f16": 1e-3})  # near -1.28 the slope is zero # fmt: skip
def gradient_in_half(t, dtype):
    return t.call(t.get(SILU)(), t.uniform((9, 7), dtype, 0.25, 1.5))


LENGTHS = 1, 7, 9, 31, 66


@case(SILU, dtypes="f32 bf16", core=False, reference=lambda np, x: [right.silu(np, x[1 : n + 1]) for n in LENGTHS])  # fmt: skip
def lengths_beside_a_vector(t, dtype):
    """Less and more than a register takes, from an address that is not aligned."""
    x = t.uniform((67,), dtype, -3, 3)
    return [t.call(t.get(SILU)(), x[1 : n + 1]) for n in LENGTHS]


@case(SILU, core=False, reference="none")
def no_whole_numbers(t):
    """Integers and truth values are refused; in place of them, too; what it prints says whether it is in place."""
    kinds = (RuntimeError, NotImplementedError)
    for x in (t.randint((3,), "i64", 0, 9), t.const([True, False], "bool")):
        t.raises(kinds, t.call, t.get(SILU)(), x)
        t.raises(kinds, t.call, t.get(SILU)(inplace=True), x)
    made = [repr(t.call(SILU)), repr(t.call(SILU, inplace=True))]
    t.expect(made == ["SiLU()", "SiLU(inplace=True)"], "what it prints, got %s" % made)


@case("torch.nn.ReLU", reference="none", core=False)
def no_complex_numbers(t):
    layer, x = t.get("torch.nn.ReLU")(), t.randn((3,), "c64")
    t.raises((RuntimeError, NotImplementedError), t.call, layer, x)
    t.raises(TypeError, t.get("torch.nn.ReLU"), 1, 2)


@case("torch.nn.ReLU", dtypes="f32 f16", grad=True, core=False, reference=with_gradient(
      lambda np, x: np.maximum(x.swapaxes(0, 1)[:, ::2], 0),
      lambda np, w, x: (x > 0) * np.where(np.arange(6)[:, None, None] % 2 == 0, w.swapaxes(0, 1).repeat(2, 0), 0)))  # fmt: skip
def gradient_of_views(t, dtype):
    """Of every other row of a transpose."""
    layer = t.get("torch.nn.ReLU")()
    return t.call(lambda x: layer(x.transpose(0, 1)[:, ::2]), t.uniform((6, 5, 4), dtype, -3, 3))


@each(BOTH, right.pulled_in_place, dtypes="f32 f64", core=False)
def leaves_the_incoming_gradient(t, dtype, function):
    """inplace=True is for the result alone: backward takes the gradient that is given, and does not write to it."""
    x, pull = t.uniform((5, 8), dtype, -2, 2, grad=True), t.randn((5, 8), dtype)
    made = t.call(t.get(function)(inplace=True), 2 * x)
    made.backward(pull)
    return made.detach(), x.grad, pull


@case("torch.nn.ReLU", dtypes="f32 f64", core=False, reference=lambda np, x, kept: [np.maximum(x * kept, 0)] * 2)  # fmt: skip
def of_sparse_numbers(t, dtype):
    """What is stored is computed, by places and by rows, and the layout stays."""
    x = t.uniform((5, 6), dtype, -3, 3) * t.randn((5, 6), "bool")
    sparse = x.to_sparse(), x.to_sparse_csr()
    made = [t.call(t.get("torch.nn.ReLU")(), one) for one in sparse]
    t.expect([one.layout for one in made] == [one.layout for one in sparse], "sparse results")
    return [one.to_dense() for one in made]


@case(SILU, dtypes="f32 f64 f16 bf16", core=False, reference=lambda np, x: [
      (np.where(np.isneginf(x), np.nan, right.silu(np, x)), np.where(np.isneginf(x), np.nan, right.silu_slope(np, np.where(np.isinf(x), 0, x))))[i] for i in (0, 1)])  # fmt: skip
def at_the_ends(t, dtype):
    """x times its sigmoid: of minus infinity that is not a number, of the largest halves no overflow, near zero a half; in whole registers and beside them."""
    ends = [-INF, -88.0, -100.0, -1e4, 11.0, 88.0, 6e4, 1e-3, -1e-3, 0.0, -0.0, -17.0]
    x = t.const(ends * 5, dtype, grad=True)
    made = t.call(t.get(SILU)(), x)
    return [made.detach(), t.fw.autograd.grad(made.sum(), x)[0]]


@case(SILU, dtypes="bf16", grad=True, core=False, reference=right.gradient_of(SILU))
def gradient_closely_in_bf16(t, dtype):
    """Where the slope is not near zero."""
    return t.call(t.get(SILU)(), t.uniform((64, 33), dtype, 0.25, 3))


@each(BOTH, lambda function: lambda np, x, y: [right.of(function)(np, x[:1]), right.of(function)(np, y[:1, :50]), right.of(function)(np, x.transpose(*range(11, -1, -1)))],
      dtypes="f32 f64", core=False)  # fmt: skip
def of_twelve_axes(t, dtype, function):
    """Some have one place; a row whose step is that of a longer one."""
    x, y = t.uniform((2, 2, 3, 1, 2, 1, 3, 2, 1, 2, 1, 2), dtype, -3, 3), t.uniform((5, 100), dtype, -3, 3)  # fmt: skip
    layer = t.get(function)()
    return [t.call(layer, one) for one in (x[:1], y[:1, :50], x.permute(*range(11, -1, -1)))]


@each(BOTH, core=False)
def not_over_itself(t, function):
    """inplace=True of a row that is seen six times."""
    layer, row = t.get(function)(inplace=True), t.randn((1, 6), "f32")
    t.raises(RuntimeError, t.call, layer, row.expand(6, 6))
    made = t.call(layer, row.expand(6, 6).clone())
    want = right.of(function)(t.np, t.host(row))
    t.expect(bool((abs(t.host(made) - want) < 1e-5).all()), "of a copy")


@case("torch.nn.ReLU", host_only=True, core=False, reference="none")
def told_and_kept(t):
    """Its text tells inplace; a copy and a pickle keep it; it has neither parameters nor state; hooks see what goes in and out."""
    import copy
    import pickle

    make, seen = "torch.nn.ReLU", []
    for layer, text in (
        (t.call(make), "ReLU()"),
        (t.call(make, inplace=True), "ReLU(inplace=True)"),
    ):
        for one in (layer, copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
            t.expect(repr(one) == text and one.inplace is layer.inplace, "%s, got %r" % (text, one))
        t.expect(not layer.state_dict() and not list(layer.parameters()), "no state")
    layer = t.get(make)()
    layer.register_forward_hook(
        lambda module, given, made: seen.append((given[0].tolist(), made.tolist()))
    )
    layer(t.fw.tensor([-1.0, 2.0]))
    t.expect(seen == [([-1.0, 2.0], [0.0, 2.0])], "what goes in and out")


@case("torch.nn.ReLU", dtypes="f32 f64 bf16 f16", core=False, reference=lambda np, x, *least: [np.maximum(x[1 : n + 1], 0) for n in (1, 7, 9, 31, 66, 1030)])  # fmt: skip
def rectified_beside_a_vector(t, dtype):
    """Less and more than a register takes, from an address that is not aligned; small numbers on either side of zero."""
    layer, x = t.get("torch.nn.ReLU")(), t.uniform((1040,), dtype, -3, 3)
    least = t.call(layer, t.const([1e-4, -1e-4, 7e-5, -7e-5] * 5, dtype))
    t.expect(t.host(least > 0).tolist() == [True, False] * 10, "small numbers stay, on one side")
    return [t.call(layer, x[1 : n + 1]) for n in (1, 7, 9, 31, 66, 1030)]
