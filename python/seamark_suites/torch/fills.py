"""Initial values of parameters: torch.nn.init.normal_, zeros_, constant_."""

from seamark_suites.case import case

NORMAL, ZEROS, CONSTANT = ("torch.nn.init." + name for name in ("normal_", "zeros_", "constant_"))
INF, NAN = float("inf"), float("nan")


def _filler(function):
    """The arguments behind the tensor, and the value that fills it."""
    return ((), 0) if function == ZEROS else ((3,), 3)


def _fill(t, function, part):
    """Filled in place: the result is the given tensor itself."""
    made = t.call(function, part, *_filler(function)[0])
    t.expect(made is part, "the same tensor, filled in place")
    return made


def _into(tensor, value):
    """A copy of the array with a value in some places."""

    def reference(np, x, *rest):
        made = x.copy()
        made[tensor] = value
        return made

    return reference


# --- normal_


@case(NORMAL, dtypes="f32 bf16", shapes="64x96", random=True, reference="none")
@case(NORMAL, dtypes="f16 f64", shapes="64x96", core=False, random=True, reference="none")
def normal(t, dtype, shape):
    """Of mean zero and deviation one."""
    x = t.const(t.np.full(shape, 9.0), dtype)
    made = t.call(NORMAL, x)
    t.expect(made is x, "the same tensor, filled in place")
    t.expect(made.dtype is t.dtype(dtype) and tuple(made.shape) == shape, "its dtype and shape")
    t.statistics(made, mean=0.0, std=1.0, low=-7, high=7)
    return made


@case(NORMAL, dtypes="f32 bf16", random=True, reference="none")
@case(NORMAL, dtypes="f16 f64", core=False, random=True, reference="none")
def of_mean_and_deviation(t, dtype):
    x = t.const(t.np.full((80, 80), 9.0), dtype)
    made = t.call(NORMAL, x, mean=0.5, std=0.02)
    # bf16 rounds each number near 0.5 to 1/512 at most, evenly to both sides.
    t.statistics(made, mean=0.5, low=0.3, high=0.7)
    spread = float(t.host(made).std())
    t.expect(abs(spread - 0.02) < 0.0015, "a deviation of 0.02, got %g" % spread)
    return made


@case(NORMAL, dtypes="f32", random=True, reference="none")
def has_the_shares_of_a_normal_draw(t, dtype):
    """Within one, two and three deviations; as many above as below."""
    values = t.host(t.call(NORMAL, t.randn((100, 200), dtype), -1.0, 2.0))
    distance = abs(values + 1) / 2
    for limit, want in ((1, 0.6827), (2, 0.9545), (3, 0.9973)):
        share = float((distance < limit).mean())
        error = 5 * (want * (1 - want) / 20000) ** 0.5
        t.expect(abs(share - want) < error, "%g within %d, got %g" % (want, limit, share))
    share = float((values > -1).mean())
    t.expect(abs(share - 0.5) < 0.02, "half of them above the mean, got %g" % share)


@case(NORMAL, dtypes="f32", core=False, random=True, reference="none")
def a_parameter_stays_a_leaf(t, dtype):
    """A weight of a layer: no history, and the gradient is asked for as before."""
    layer = t.construct("torch.nn.Linear", 40, 30, dtype=dtype)
    made = t.call(NORMAL, layer.weight, std=0.1)
    t.expect(made is layer.weight and made.is_leaf and made.requires_grad, "the parameter")
    t.expect(made.grad_fn is None, "no history of the filling")
    t.statistics(made, mean=0.0, std=0.1)


@case(NORMAL, dtypes="f32 bf16", core=False, random=True, reference="none")
def a_generator_repeats_it(t, dtype):
    made = []
    for seed in (3, 3, 4):
        generator = t.fw.Generator(device=t.device).manual_seed(seed)
        x = t.randn((8, 20), dtype)
        made.append(t.host(t.call(NORMAL, x, generator=generator)))
    t.expect(bool((made[0] == made[1]).all()), "the same numbers of the same seed")
    t.expect(bool((made[0] != made[2]).any()), "others of another seed")


@case(NORMAL, dtypes="f32 bf16", core=False, random=True, reference="none")
def manual_seed_repeats_it(t, dtype):
    made = []
    for seed in (3, 3, 4):
        t.fw.manual_seed(seed)
        made.append([t.host(t.call(NORMAL, t.randn((n,), dtype))) for n in (5, 40)])
    for first, again, other in zip(*made):
        t.expect(bool((first == again).all()), "the same numbers of the same seed")
        t.expect(bool((first != other).any()), "others of another seed")
    t.expect(bool((made[0][1][:5] != made[0][1][5:10]).any()), "no number twice in turn")


@case(NORMAL, dtypes="f32", core=False, random=True, reference="none")
def fills_a_strided_tensor(t, dtype):
    """A transpose of every other column: all of it, and nothing between."""
    base = t.const(t.np.full((40, 60), 90.0), dtype)
    made = t.call(NORMAL, base[:, ::2].mT)
    t.statistics(made, mean=0.0, std=1.0, low=-7, high=7)
    t.expect(bool((t.host(base)[:, 1::2] == 90).all()), "nothing between the columns")


@case(NORMAL, dtypes="f32", core=False, random=True, reference="none")
def fills_a_convolution(t, dtype):
    """Channels last, as the layout of the weight stays."""
    last = t.fw.channels_last
    x = t.const(t.np.full((16, 8, 3, 3), 90.0), dtype).contiguous(memory_format=last)
    made = t.call(NORMAL, x, 0.0, 0.05)
    t.expect(made.is_contiguous(memory_format=last), "channels last")
    t.statistics(made, mean=0.0, std=0.05)


@case(NORMAL, dtypes="c64", core=False, random=True, reference="none")
def of_complex_numbers(t, dtype):
    """Each part has half of the variance."""
    values = t.host(t.call(NORMAL, t.randn((60, 60), dtype)))
    for part in (values.real, values.imag):
        t.statistics(part, mean=0.0, std=0.5**0.5)
    t.expect(abs((values.real * values.imag).mean()) < 0.06, "parts that do not go together")


@case(NORMAL, dtypes="f32 bf16", core=False, trivial=True, reference=lambda np, x: x * 0 + 1.5)
def without_deviation(t, dtype):
    """A deviation of zero gives the mean."""
    return t.call(NORMAL, t.randn((7, 9), dtype), 1.5, 0.0)


@case(NORMAL, dtypes="f32", core=False, random=True, reference="none")
def of_few(t, dtype):
    """Scalars, one, and lengths around a vector's: each number is drawn."""
    for shape in ((), (1,), (7,), (15,), (16,), (17,), (33,)):
        x = t.const(t.np.full(shape, 90.0), dtype)
        values = t.host(t.call(NORMAL, x)).reshape(-1)
        t.expect(bool((abs(values) < 9).all()), "every number of %s" % (shape,))
        t.expect(len(set(values.tolist())) == values.size, "no number twice in %s" % (shape,))
    t.expect(tuple(t.call(NORMAL, t.randn((0, 3), dtype)).shape) == (0, 3), "nothing of nothing")


@case(NORMAL, dtypes="f32", core=False, random=True, reference="none")
def normal_of_three_sizes(t, dtype):
    for n in (20, 30, 50):
        x = t.const(t.np.full((n, 20), 90.0), dtype)
        t.statistics(t.call(NORMAL, x, 2.0, 0.5), mean=2.0, std=0.5)


@case(NORMAL, dtypes="f32 bf16", shapes="2048x2048", large=True, random=True, reference="none")
def normal_of_many(t, dtype, shape):
    made = t.call(NORMAL, t.const(t.np.zeros(shape), dtype), 0.0, 0.02)
    values = t.host(made)
    # bf16 keeps two to three digits of each number.
    t.expect(abs(float(values.std()) - 0.02) < 1e-4, "a deviation of 0.02")
    t.expect(abs(float(values.mean())) < 1e-4, "a mean of zero")


@case(NORMAL, core=False, reference="none")
def normal_refuses(t):
    """Integers, and a negative deviation."""
    for dtype in ("i64", "bool"):
        t.raises((RuntimeError, NotImplementedError), t.call, NORMAL, t.randint((3,), dtype, 0, 2))
    t.raises(RuntimeError, t.call, NORMAL, t.randn((3,), "f32"), 0.0, -1.0)
    t.raises((AttributeError, TypeError), t.call, NORMAL, [1.0, 2.0])


# --- zeros_, constant_


@case(ZEROS, dtypes="f32 bf16 i64 i32", reference=_into((slice(1, 4), slice(None)), 0))
@case(ZEROS, dtypes="f16 f64 c64 i8 u8", core=False, reference=_into((slice(1, 4), slice(None)), 0))
@case(CONSTANT, dtypes="f32 bf16 i64 i32", reference=_into((slice(1, 4), slice(None)), 3))
@case(
    CONSTANT,
    dtypes="f16 f64 c64 i8 u8",
    core=False,
    reference=_into((slice(1, 4), slice(None)), 3),
)
def some_rows(t, dtype, function):
    """A part of a tensor is filled, the rest stays as it was."""
    x = t.randint((6, 5), dtype, 5, 99)
    made = _fill(t, function, x[1:4])
    t.expect(bool((t.host(made) == _filler(function)[1]).all()), "filled")
    return x


@case(ZEROS, dtypes="f32 bf16", shapes="64x33 7", trivial=True, reference=lambda np, x: x * 0)
@case(
    ZEROS,
    dtypes="f16 f64 i64 bool",
    shapes="64x33",
    trivial=True,
    core=False,
    reference=lambda np, x: x * 0,
)
@case(
    CONSTANT,
    dtypes="f32 bf16",
    shapes="64x33 7",
    trivial=True,
    reference=lambda np, x: np.full(x.shape, 3.0),
)
@case(
    CONSTANT,
    dtypes="f16 f64 i64",
    shapes="64x33",
    trivial=True,
    core=False,
    reference=lambda np, x: np.full(x.shape, 3.0),
)
def all_of_it(t, dtype, shape, function):
    x = t.const(t.np.full(shape, 9), dtype)
    made = _fill(t, function, x)
    t.expect(made.dtype is t.dtype(dtype), "its dtype")
    return made


@case(CONSTANT, dtypes="f32 bf16", values=(0.7, -2.5, 1e-3, 7), reference=lambda
      np, *given, values: np.stack([np.full((4, 5), value) for value in values]))  # fmt: skip
@case(CONSTANT, dtypes="f16 f64", values=(0.7, -2.5, 1e-3, 7), core=False, reference=lambda
      np, *given, values: np.stack([np.full((4, 5), value) for value in values]))  # fmt: skip
def several_values(t, dtype, values):
    """Each value, rounded to the dtype."""
    return t.fw.stack([t.call(CONSTANT, t.randn((4, 5), dtype), value) for value in values])


@case(CONSTANT, dtypes="f32 bf16 f64", core=False, reference="none")
def of_no_ordinary_number(t, dtype):
    """Infinities, NaN and minus zero."""
    fill = lambda value: t.host(t.call(CONSTANT, t.randn((9,), dtype), value))  # noqa: E731
    for value in (INF, -INF):
        t.expect(bool((fill(value) == value).all()), "%g" % value)
    t.expect(bool(t.np.isnan(fill(NAN)).all()), "NaN")
    minus = fill(-0.0)
    t.expect(bool(((minus == 0) & t.np.signbit(minus)).all()), "minus zero")


@case(CONSTANT, dtypes="i64 i32 u8", core=False, trivial=True, reference=lambda np, x: x * 0 + 3)
def of_a_fraction(t, dtype):
    """Integers take the whole part."""
    return t.call(CONSTANT, t.randint((8,), dtype, 5, 99), 3.75)


@case(
    CONSTANT,
    dtypes="bool",
    core=False,
    trivial=True,
    reference=lambda np, x, y: [x | True, x & False],
)
def of_truth(t, dtype):
    """Whatever is not zero is True."""
    x, y = t.randint((8,), dtype, 0, 2), t.const([True] * 8, dtype)
    return [t.call(CONSTANT, x, 2), t.call(CONSTANT, y, 0)]


@case(CONSTANT, dtypes="i64", core=False, reference="none")
def large_integers(t, dtype):
    """All digits, where a float would round."""
    for value in (2**53 + 1, -(2**63), 2**63 - 1):
        made = t.host(t.call(CONSTANT, t.randint((5,), dtype, 0, 9), value))
        t.expect(made.tolist() == [value] * 5, "%d" % value)


@case(
    CONSTANT, dtypes="c64", core=False, trivial=True, reference=lambda np, x: x * 0 + (1.5 - 0.25j)
)
def complex_constant(t, dtype):
    return t.call(CONSTANT, t.randn((4, 3), dtype), 1.5 - 0.25j)


@case(ZEROS, dtypes="f8e4m3 f8e5m2", core=False, reference="none")
@case(CONSTANT, dtypes="f8e4m3 f8e5m2", core=False, reference="none")
def of_eight_bits(t, dtype, function):
    x = t.randint((6, 5), "f32", 5, 9).to(t.dtype(dtype))
    value = _filler(function)[1]
    made = _fill(t, function, x[1:4])
    t.expect(made.dtype is t.dtype(dtype), "its dtype")
    values = t.host(x.float())
    t.expect(bool((values[1:4] == value).all()), "filled")
    t.expect(bool((values[:1] >= 4).all() and (values[4:] >= 4).all()), "the rest as it was")


@case(ZEROS, dtypes="f32 i64", core=False, reference=_into((slice(None), slice(0, None, 2)), 0))
@case(CONSTANT, dtypes="f32 i64", core=False, reference=_into((slice(None), slice(0, None, 2)), 3))
def a_transpose_with_gaps(t, dtype, function):
    x = t.randint((6, 9), dtype, 5, 99)
    _fill(t, function, x[:, ::2].mT)
    return x


@case(ZEROS, dtypes="f32", core=False, reference=_into((slice(None), slice(1, 3)), 0))
@case(CONSTANT, dtypes="f32", core=False, reference=_into((slice(None), slice(1, 3)), 3))
def some_channels_last(t, dtype, function):
    last = t.fw.channels_last
    x = t.uniform((2, 4, 5, 6), dtype, 5, 9).contiguous(memory_format=last)
    _fill(t, function, x[:, 1:3])
    t.expect(x.is_contiguous(memory_format=last), "channels last")
    return x


@case(
    ZEROS,
    dtypes="f32 bf16",
    core="f32",
    reference=lambda np, x, weight, bias: (x @ weight.T, x.sum(0) * np.ones(weight.shape)),
    rtol={"bf16": 2e-2},  # a sum of five products, each rounded
)
@case(
    CONSTANT,
    dtypes="f32 bf16",
    core="f32",
    reference=lambda np, x, weight, bias: (x @ weight.T + 3, x.sum(0) * np.ones(weight.shape)),
    rtol={"bf16": 2e-2},
)
def of_a_bias(t, dtype, function):
    """The parameter stays a leaf, and the layer learns as before."""
    layer = t.construct("torch.nn.Linear", 5, 4, dtype=dtype)
    x = t.uniform((6, 5), dtype, 1, 2)
    made = _fill(t, function, layer.bias)
    t.expect(made.is_leaf and made.grad_fn is None, "no history")
    t.expect(made.requires_grad, "the gradient is asked for as before")
    result = layer(x)
    result.sum().backward()
    t.expect(bool((t.host(made.grad) == 6).all()), "a gradient of the bias")
    return result.detach(), layer.weight.grad


@case(ZEROS, dtypes="f32", shapes="scalar 0 3x0x2", core=False, trivial=True, reference=lambda
      np, x: x * 0)  # fmt: skip
@case(CONSTANT, dtypes="f32", shapes="scalar 0 3x0x2", core=False, trivial=True, reference=lambda
      np, x: x * 0 + 3)  # fmt: skip
def of_one_or_none(t, dtype, shape, function):
    return t.call(function, t.uniform(shape, dtype, 5, 9), *_filler(function)[0])


@case(
    ZEROS,
    dtypes="f32",
    core=False,
    reference=lambda np, *xs: [np.concatenate([x[:2] * 0, x[2:]]) for x in xs],
)
@case(
    CONSTANT,
    dtypes="f32",
    core=False,
    reference=lambda np, *xs: [np.concatenate([x[:2] * 0 + 3, x[2:]]) for x in xs],
)
def fills_three_sizes(t, dtype, function):
    made = [t.uniform((n, 7), dtype, 5, 9) for n in (5, 8, 13)]
    for x in made:
        _fill(t, function, x[:2])
    return made


@case(ZEROS, dtypes="f32 bf16", shapes="2048x2048", large=True, reference=_into(slice(None, -1), 0))
@case(
    CONSTANT, dtypes="f32 bf16", shapes="2048x2048", large=True, reference=_into(slice(None, -1), 3)
)
def fills_many(t, dtype, shape, function):
    """All rows but the last."""
    x = t.uniform(shape, dtype, 5, 9)
    _fill(t, function, x[:-1])
    return x


@case(ZEROS, core=False, reference="none")
def zeros_refuses(t):
    t.raises((AttributeError, TypeError), t.call, ZEROS, [1.0, 2.0])
    t.raises(TypeError, t.call, ZEROS)


@case(CONSTANT, core=False, reference="none")
def constant_refuses(t):
    """What the dtype cannot hold, text, and several values."""
    x = t.randn((3,), "f32")
    t.raises(RuntimeError, t.call, CONSTANT, x, 1e39)
    t.raises(RuntimeError, t.call, CONSTANT, x, 1j)
    t.raises(RuntimeError, t.call, CONSTANT, t.randint((3,), "i8", 0, 9), 300)
    t.raises(TypeError, t.call, CONSTANT, x, "1")
    t.raises(TypeError, t.call, CONSTANT, x)
    t.raises(RuntimeError, t.call, CONSTANT, x, x)


@case(CONSTANT, dtypes="i16 c128 f32", core=False, trivial=True, reference=lambda np, *xs: [
      np.full(x.shape, value) for x, value in zip(xs, (2, 1, 5, 7))])  # fmt: skip
def by_other_values(t, dtype):
    """val=, a truth, a number in a tensor; of one to four axes."""
    sizes = (6,), (2, 3), (2, 3, 4), (2, 3, 1, 2)
    given = [t.randn(size, dtype) for size in sizes]
    made = [
        t.call(CONSTANT, given[0], val=2),
        t.call(CONSTANT, given[1], True),
        t.call(CONSTANT, given[2], t.fw.tensor(5)),
        t.call(CONSTANT, tensor=given[3], val=7),
    ]
    t.expect(all(one is x for one, x in zip(made, given)), "the tensors themselves")
    return made


@case(CONSTANT, dtypes="f32 bf16", core=False, reference=lambda np, x, weight, bias: [
      np.where(np.arange(8) // 2 == 1, 1, bias), np.where(np.arange(8)[:, None] == 3, 0.5, weight), np.repeat(x.sum(0)[None], 8, 0)])  # fmt: skip
def parts_of_parameters(t, dtype):
    """The bias of one gate, and a row of weights: a view of a leaf is filled without a history, and the whole learns as before."""
    layer, x = t.construct("torch.nn.Linear", 5, 8, dtype=dtype), t.uniform((4, 5), dtype, 1, 2)
    for part, value in ((layer.bias[2:4], 1), (layer.weight[3], 0.5)):
        made = t.call(CONSTANT, part, value)
        t.expect(made is part and made.requires_grad, "the part itself, of what learns")
    t.expect(layer.bias.is_leaf and layer.weight.is_leaf, "leaves")
    layer(x).sum().backward()
    return [layer.bias.detach(), layer.weight.detach(), layer.weight.grad]


@case(CONSTANT, core=False, reference="none")
def asks_a_class_of_ones_own(t):
    """What has __torch_function__ is asked with both arguments by name; on meta there is nothing to fill."""
    seen = []

    class Own:
        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            seen.append((function, args, dict(kwargs)))
            return "asked"

    own = Own()
    t.expect(t.call(CONSTANT, own, val=0.3) == "asked", "its answer")
    t.expect(seen[0][2] == {"tensor": own, "val": 0.3}, "by name, got %s" % (seen[0][2],))
    meta = t.fw.ones((2, 3), device="meta")
    t.expect(t.get(CONSTANT)(meta, 2) is meta, "meta")


@case(ZEROS, core=False, reference="none")
def of_what_is_no_plain_parameter(t):
    """A size on meta; what was computed keeps its graph, and its gradient tells of the change; nothing and None raise."""
    x = t.randn((3, 4), "f32")
    t.expect(t.get(ZEROS)(x.to("meta")).is_meta, "on meta")
    leaf = t.randn((3,), "f32", grad=True)
    double = leaf * 2
    total, before = (double * double).sum(), double._version
    t.expect(t.call(ZEROS, tensor=double) is double, "by keyword the tensor itself")
    t.expect(double._version > before and double.requires_grad, "a change that is known")
    t.raises(RuntimeError, total.backward)
    t.raises(AttributeError, t.call, ZEROS, None)
    t.raises(TypeError, t.call, ZEROS, x, 1)


@case(ZEROS, dtypes="f32 f64 c64", core=False, reference=lambda np, x, y, z: [0 * x[:3], x[3:], y[:, 1:], 0 * z, y[:, :1] * 0])  # fmt: skip
def of_each_number_of_axes(t, dtype):
    """A part of a vector, of four axes, of a volume that lies otherwise."""
    x, y, z = t.uniform((7,), dtype, 5, 9), t.uniform((2, 3, 4, 5), dtype, 5, 9), t.uniform((2, 3, 4), dtype, 5, 9)  # fmt: skip
    for part in (x[:3], y[:, :1], z.permute(2, 0, 1)):
        _fill(t, ZEROS, part)
    return [x[:3], x[3:], y[:, 1:], z, y[:, :1]]
