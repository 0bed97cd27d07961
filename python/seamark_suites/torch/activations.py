"""Activations as layers: ReLU and SiLU."""

from seamark_suites.case import case

from . import reference_modules as right

BOTH = "torch.nn.ReLU torch.nn.SiLU"


def each(names, reference="none", **header):
    """The same header for several layers; `reference` may be made of the layer's name."""

    def declare(body):
        for function in names.split():
            made = reference(function) if callable(reference) else reference
            case(function, reference=made, **header)(body)
        return body

    return declare


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


@each(BOTH, right.of, dtypes="f32", core=False)
def channels_last(t, dtype, function):
    """The result lies in memory as the input does."""
    x = t.uniform((2, 4, 5, 6), dtype, -3, 3).to(memory_format=t.fw.channels_last)
    made = t.call(t.get(function)(), x)
    t.expect(made.stride() == x.stride(), "the strides of the input")
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
