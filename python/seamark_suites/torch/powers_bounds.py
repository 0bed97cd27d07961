"""Powers, bounds, and what is finite."""

from seamark_suites.case import case

from . import reference_pointwise as right
from .reference import with_gradient

INF, NAN = float("inf"), float("nan")


# --- clamp


@case(
    "torch.clamp",
    dtypes="f32 bf16",
    shapes="64x33",
    grad=True,
    name="gradient",
    reference=with_gradient(
        lambda np, x: right.clamp(np, x, -0.5, 1),
        lambda np, w, x: right.clamp_pull(np, w, x, -0.5, 1),
    ),
)
@case(
    "torch.clamp",
    dtypes="f16 f64",
    shapes="64x33",
    core=False,
    name="forward",
    reference=lambda np, x: right.clamp(np, x, -0.5, 1),
)
@case(
    "torch.clamp",
    dtypes="f32 bf16",
    shapes="64x33",
    name="forward",
    reference=lambda np, x: right.clamp(np, x, -0.5, 1),
)
def between(t, dtype, shape):
    """Both bounds are numbers of every dtype."""
    return t.call("torch.clamp", t.randn(shape, dtype), -0.5, 1)


@case("torch.clamp", dtypes="i64 i32", reference=lambda np, x: right.clamp(np, x, -4, 5))
@case("torch.clamp", dtypes="i8 i16", core=False, reference=lambda np, x: right.clamp(np, x, -4, 5))
def of_integers(t, dtype):
    made = t.call("torch.clamp", t.randn((64, 33), dtype), -4, 5)
    t.expect(made.dtype is t.dtype(dtype), "the dtype of the input")
    return made


@case("torch.clamp", dtypes="u8", core=False, reference=lambda np, x: right.clamp(np, x, 2, 200))
def of_bytes(t, dtype):
    return t.call("torch.clamp", t.randint((64,), dtype, 0, 256), 2, 200)


@case("torch.clamp", dtypes="f32 i64", core=False, bounds=[(0, None), (None, 1), (-1, 0.5)], reference=lambda
      np, x, bounds: right.clamp(np, x, *bounds))  # fmt: skip
def by_keyword(t, dtype, bounds):
    """One bound may be left out; a fractional bound makes floats of integers."""
    x = t.randint((50,), dtype, -4, 5)
    given = {name: one for name, one in zip(("min", "max"), bounds) if one is not None}
    made = t.call("torch.clamp", x, **given)
    t.expect(made.dtype.is_floating_point is (dtype == "f32" or 0.5 in bounds), "the dtype")
    return made


@case("torch.clamp", dtypes="f32 f64 bf16", grad=True, core="f32", name="tensors_as_bounds",
      reference=with_gradient(right.clamp, right.clamp_pull_of_bounds))  # fmt: skip
@case("torch.clamp", dtypes="i64", core=False, name="tensors_as_bounds", reference=right.clamp)
def tensors_as_bounds(t, dtype):
    """They broadcast, and take the gradient of what they replace."""
    x = t.uniform((6, 7), dtype, -6, 7)
    low, high = t.uniform((7,), dtype, -3, 1), t.uniform((6, 1), dtype, 1.5, 4)
    return t.call("torch.clamp", x, low, high)


@case(
    "torch.clamp",
    dtypes="f32",
    core=False,
    reference=lambda np, x, high: (np.maximum(x, high), np.minimum(x, high)),
)
def one_tensor_as_bound(t, dtype):
    x, bound = t.randn((6, 7), dtype), t.randn((7,), dtype)
    return t.call("torch.clamp", x, min=bound), t.call("torch.clamp", x, max=bound)


@case(
    "torch.clamp",
    dtypes="f32 i64",
    trivial=True,
    core=False,
    reference=lambda np, x: np.full(x.shape, 2),
)
def crossed_bounds(t, dtype):
    """Documented: where min is above max, all become max."""
    return t.call("torch.clamp", t.randn((40,), dtype), 5, 2)


@case(
    "torch.clamp", dtypes="f32 bf16", core=False, reference=lambda np, x: right.clamp(np, x, -1, 1)
)
def nan_and_infinities(t, dtype):
    return t.call("torch.clamp", t.const([NAN, INF, -INF, 0.25, -0.0, 1.0], dtype), -1.0, 1.0)


@case(
    "torch.clamp",
    dtypes="f32",
    core=False,
    reference=lambda np, x, low: (right.clamp(np, x, low), right.clamp(np, x, -INF, INF)),
)
def nan_and_infinite_bounds(t, dtype):
    """NaN as a bound gives NaN; infinite bounds change nothing."""
    x, low = t.randn((4,), dtype), t.const([NAN, -INF, INF, 0.0], dtype)
    return t.call("torch.clamp", x, min=low), t.call("torch.clamp", x, -INF, INF)


@case("torch.clamp", dtypes="f32 f64", grad=True, core=False, reference=with_gradient(
    lambda np, x: right.clamp(np, x, -1, 1), lambda np, w, x: right.clamp_pull(np, w, x, -1, 1)))  # fmt: skip
def gradient_on_the_bounds(t, dtype):
    """What lies on a bound is inside."""
    x = t.const([-2.0, -1.0, 0.0, 1.0, 3.0, -1.0], dtype, grad=True)
    return t.call("torch.clamp", x, -1, 1)


@case(
    "torch.clamp",
    dtypes="f32 i64",
    core=False,
    reference=lambda np, x: [np.clip(y, -1, 1) for y in (x, x.T)] + [np.clip(x, -1, 1)] * 4,
)
def strided_out_and_in_place(t, dtype):
    x = t.randn((9, 14), dtype, noncontiguous=True)
    given, changed = t.fw.zeros((9, 14), dtype=x.dtype, device=t.device), x.clone()
    made = [t.call("torch.clamp", y, -1, 1) for y in (x, x.mT)]
    written = t.call("torch.clamp", x, -1, 1, out=given)
    return [*made, written, given, t.call("torch.Tensor.clamp_", changed, -1, 1), changed]


@case("torch.clamp", dtypes="f32", shapes="scalar 0 3x0x2", trivial=True, core=False, reference=lambda np, x:
      np.maximum(x, 1))  # fmt: skip
def a_scalar_or_nothing(t, dtype, shape):
    return t.call("torch.clamp", t.randn(shape, dtype), min=1)


@case("torch.clamp", dtypes="f32", core=False, reference=right.clamp)
def a_scalar_tensor_as_bound(t, dtype):
    """A tensor without axes takes no part in the choice of the dtype."""
    x, low, high = t.randn((20,), dtype), t.const(0.1, "f64"), t.const(2**0.5, "f64")
    made = t.call("torch.clamp", x, low, high)
    t.expect(made.dtype is t.dtype(dtype), "the dtype of the vector")
    return made


@case(
    "torch.clamp",
    dtypes="f32",
    core=False,
    reference=lambda np, *xs: [np.clip(x, 0, 1) for x in xs],
)
def clamps_three_sizes(t, dtype):
    return [t.call("torch.clamp", t.randn((n, 7), dtype), 0, 1) for n in (5, 8, 13)]


@case(
    "torch.clamp",
    dtypes="f32",
    shapes="2048x2048",
    large=True,
    reference=lambda np, x: np.clip(x, -1, 1),
)
def clamps_many(t, dtype, shape):
    return t.call("torch.clamp", t.randn(shape, dtype), -1, 1)


@case("torch.clamp", core=False, reference="none")
def clamp_refuses(t):
    """No bound at all, complex numbers, bounds that do not broadcast, a leaf in place."""
    x = t.randn((3,), "f32")
    t.raises(RuntimeError, t.call, "torch.clamp", x)
    t.raises((RuntimeError, NotImplementedError), t.call, "torch.clamp", t.randn((3,), "c64"), 0, 1)
    t.raises(RuntimeError, t.call, "torch.clamp", x, t.randn((4,), "f32"))
    t.raises(RuntimeError, t.call, "torch.Tensor.clamp_", t.randn((3,), "f32", grad=True), 0, 1)


# --- pow


@case(
    "torch.pow",
    dtypes="f32",
    exponent=[2, 0.5],
    name="by_a_number",
    reference=lambda np, x, exponent: x**exponent,
)
@case("torch.pow", dtypes="f32 bf16", exponent=[2, 3, 0.5, -1, -2.5], grad=True, name="gradient",
      reference=with_gradient(lambda np, x, exponent: x**exponent,
                              lambda np, w, x, exponent: w * exponent * x ** (exponent - 1)))  # fmt: skip
@case("torch.pow", dtypes="f64 c64", exponent=[2, 3, 0.5, -1, -2.5], grad=True, core=False, name="gradient",
      reference=with_gradient(lambda np, x, exponent: x**exponent,
                              lambda np, w, x, exponent: w * exponent * x.conj() ** (exponent - 1)),
      rtol={"c64": 1e-5})  # a complex power is a logarithm times the exponent, and exp of it in f32 # fmt: skip
@case("torch.pow", dtypes="f16", exponent=[2, 0.5, -1], core=False, name="by_a_number",
      reference=lambda np, x, exponent: x**exponent)  # fmt: skip
def by_a_number(t, dtype, exponent):
    return t.call("torch.pow", t.uniform((64, 33), dtype, 0.5, 2), exponent)


@case("torch.pow", dtypes="f32 bf16 f64", core="f32 bf16", grad=True, reference=with_gradient(right.power, right.power_pull),
      rtol={"f32": 1e-5})  # exp of a logarithm: the exponent multiplies its error # fmt: skip
@case("torch.pow", dtypes="c64", core=False, grad=True, reference=with_gradient(right.power, right.power_pull),
      rtol={"c64": 1e-5})  # as above # fmt: skip
def by_a_tensor(t, dtype):
    return t.call("torch.pow", t.uniform((20, 9), dtype, 0.5, 2), t.uniform((20, 9), dtype, -2, 2))


@case("torch.pow", dtypes="f32 f64", core=False, grad=True, rtol={"f32": 1e-5}, reference=with_gradient(
    lambda np, y: 2.0**y, lambda np, w, y: w * 2.0**y * np.log(2)))  # rtol: as above # fmt: skip
def of_a_number(t, dtype):
    return t.call("torch.pow", 2, t.uniform((64,), dtype, -3, 3))


@case(
    "torch.pow",
    dtypes="i64 i32",
    exponent=[0, 1, 2, 5],
    trivial=True,
    reference=lambda np, x, exponent: x**exponent,
)
@case(
    "torch.pow",
    dtypes="i16 u8",
    exponent=[2],
    core=False,
    reference=lambda np, x, exponent: x**exponent,
)
def of_integers_exactly(t, dtype, exponent):
    made = t.call("torch.pow", t.randn((64,), dtype), exponent)
    t.expect(made.dtype is t.dtype(dtype), "the dtype of the base")
    return made


@case("torch.pow", dtypes="i64 i32", core=False, reference=right.power)
def integers_by_integers(t, dtype):
    """Up to 9 to the 9th, exactly."""
    return t.call("torch.pow", t.randn((8, 1), dtype), t.randint((1, 10), dtype, 0, 10))


@case("torch.pow", dtypes="i64", core=False, reference=lambda np, x: (x**0.5, 1 / x, x**2.0))
def integers_become_floats(t, dtype):
    """A fractional exponent, or a floating one, makes floats."""
    x = t.randint((30,), dtype, 1, 50)
    made = [
        t.call("torch.pow", x, 0.5),
        t.call("torch.pow", x, -1.0),
        t.call("torch.pow", x, t.fw.full((30,), 2.0, device=t.device)),
    ]
    t.expect(all(one.dtype is t.fw.float32 for one in made), "the default dtype")
    return made


@case("torch.pow", dtypes="f32 f64", core=False, reference=right.power)
def special_powers(t, dtype):
    """Anything to zero is one, one to anything too, NaN included; a root of a negative number is NaN."""
    pairs = [(NAN, 0), (0, 0), (INF, 0), (1, NAN), (1, INF), (-8, 1 / 3), (-2, 3), (-2, -1), (0, -1), (-0.0, -1),
             (INF, -1), (-INF, 3), (0.5, INF), (2, -INF), (-1, INF), (NAN, 1), (2, NAN), (10, 30)]  # fmt: skip
    bases, exponents = zip(*pairs)
    return t.call("torch.pow", t.const(bases, dtype), t.const(exponents, dtype))


@case(
    "torch.pow",
    dtypes="f32 f64",
    core=False,
    reference=lambda np, a, b, c, d: ([a**2, b**0, c, 1 / d], [2 * a, 0 * b, c**0, -1 / d**2]),
)
def slopes_at_zero(t, dtype):
    """x to zero has no slope, not even at zero."""
    bases = [t.const([0.0, -2.0, 3.0], dtype, grad=True) for _ in range(4)]
    made = [t.call("torch.pow", x, exponent) for x, exponent in zip(bases, (2, 0, 1, -1))]
    return made, [t.fw.autograd.grad(one.sum(), x)[0] for one, x in zip(made, bases)]


@case("torch.pow", dtypes="f32 f64", grad=True, core=False, reference=with_gradient(
    right.power, lambda np, w, x, y: (w * np.array([0, 3, 1, 0]), 0 * w), of=(0, 1)))  # fmt: skip
def zero_to_a_tensor(t, dtype):
    """The slope along the exponent of a zero base is zero, not NaN."""
    x = t.const([0.0, 1.0, 0.0, 0.0], dtype, grad=True)
    return t.call("torch.pow", x, t.const([2.0, 3.0, 1.0, 0.0], dtype, grad=True))


@case(
    "torch.pow",
    dtypes="f32 f64",
    core=False,
    reference=lambda np, x, w: (x**3, 3 * x**2, 6 * w * x),
)
def slope_of_the_slope(t, dtype):
    x, w = t.randn((30,), dtype, grad=True), t.randn((30,), dtype)
    made = t.call("torch.pow", x, 3)
    first = t.fw.autograd.grad(made.sum(), x, create_graph=True)[0]
    return made, first, t.fw.autograd.grad((first * w).sum(), x)[0]


@case(
    "torch.pow",
    dtypes="f32",
    core=False,
    reference=lambda np, x, y: [x.T**2, y[:, None] ** x, x**2, x**2, x**2, x**2],
    rtol={"f32": 1e-5},  # as above
)
def strided_broadcast_and_written(t, dtype):
    x = t.uniform((6, 9), dtype, 0.5, 2, noncontiguous=True)
    y = t.uniform((6,), dtype, 0.5, 2)
    given, changed = t.fw.zeros((6, 9), dtype=x.dtype, device=t.device), x.clone()
    made = [t.call("torch.pow", x.mT, 2), t.call("torch.pow", y[:, None], x)]
    written = t.call("torch.pow", x, 2, out=given)
    return [*made, written, given, t.call("torch.Tensor.pow_", changed, 2), changed]


@case("torch.pow", dtypes="f32", core=False, reference=lambda np, x, y: (x**y, x**y))
def mixed_with_integers(t, dtype):
    """Floats by integers are floats, in both orders of the promotion."""
    x, y = t.uniform((20,), dtype, 0.5, 2), t.randint((20,), "i64", -2, 4)
    made = t.call("torch.pow", x, y), t.call("torch.pow", x.to(t.fw.float64), y.to(t.fw.int32))
    t.expect(made[0].dtype is t.dtype(dtype), "the dtype of the floats")
    t.expect(made[1].dtype is t.fw.float64, "f64 of f64")
    return made


@case(
    "torch.pow",
    dtypes="f32",
    shapes="scalar 0 3x0x2",
    trivial=True,
    core=False,
    reference=lambda np, x: x**2,
)
def square_of_one_or_none(t, dtype, shape):
    return t.call("torch.pow", t.randn(shape, dtype), 2)


@case("torch.pow", dtypes="f32", core=False, reference=lambda np, *xs: [x**3 for x in xs])
def cubes_of_three_sizes(t, dtype):
    return [t.call("torch.pow", t.randn((n, 7), dtype), 3) for n in (5, 8, 13)]


@case("torch.pow", dtypes="f32", shapes="2048x2048", exponent=[2, 1.5], large=True, rtol={"f32": 1e-5},
      reference=lambda np, x, exponent: x**exponent)  # rtol: as above # fmt: skip
def powers_of_many(t, dtype, shape, exponent):
    return t.call("torch.pow", t.uniform(shape, dtype, 0.5, 2), exponent)


@case("torch.pow", core=False, reference="none")
def pow_refuses(t):
    """Integers to a negative integer, shapes that do not fit, floats into integers."""
    whole, x = t.randint((3,), "i64", 1, 5), t.randn((3,), "f32")
    t.raises(RuntimeError, t.call, "torch.pow", whole, -1)
    t.raises(RuntimeError, t.call, "torch.pow", x, t.randn((4,), "f32"))
    t.raises(RuntimeError, t.call, "torch.Tensor.pow_", whole, 0.5)
    t.raises(RuntimeError, t.call, "torch.pow", x, 2, out=whole)


# --- isfinite


@case("torch.isfinite", dtypes="f32 bf16", reference=lambda np, x: np.isfinite(x))
@case("torch.isfinite", dtypes="f16 f64", core=False, reference=lambda np, x: np.isfinite(x))
def finite_or_not(t, dtype):
    x = t.const([1.0, INF, -INF, NAN, 0.0, -0.0, 3e4, -7.5, NAN, 6e-5], dtype)
    made = t.call("torch.isfinite", x)
    t.expect(made.dtype is t.fw.bool, "booleans")
    return made


@case(
    "torch.isfinite",
    dtypes="f32 f64",
    core=False,
    reference=lambda np, x: (x == x, abs(x) < 2),
)
def ends_of_the_range(t, dtype):
    """The largest and the smallest numbers are finite; what overflowed is not."""
    most = 3.4028234663852886e38 if dtype == "f32" else 1.7976931348623157e308
    x = t.const([most, -most, 1e-38, 1e-45, 1.0], dtype)
    return t.call("torch.isfinite", x), t.call("torch.isfinite", x * 2)


@case("torch.isfinite", dtypes="f16", core=False, reference=lambda np, x: np.isfinite(x))
def half_ends(t, dtype):
    return t.call("torch.isfinite", t.const([65504.0, 65536.0, -65504.0, -70000.0, 6e-8], dtype))


@case("torch.isfinite", dtypes="c64 c128", core=False, reference=lambda np, x: np.isfinite(x))
def both_parts(t, dtype):
    """Documented: a complex number is finite where both parts are."""
    parts = [1 + 1j, complex(INF, 1), complex(1, -INF), complex(NAN, 0), complex(0, NAN), 0j]
    return t.call("torch.isfinite", t.const(parts, dtype))


@case("torch.isfinite", dtypes="i64 i32 bool", trivial=True, reference=lambda np, x: x == x)
@case("torch.isfinite", dtypes="i8 u8", trivial=True, core=False, reference=lambda np, x: x == x)
def integers_are_finite(t, dtype):
    made = t.call("torch.isfinite", t.randn((6, 5), dtype))
    t.expect(made.dtype is t.fw.bool, "booleans")
    return made


@case(
    "torch.isfinite",
    dtypes="f32",
    core=False,
    reference=lambda np, x: [np.isfinite(np.log(x)), np.isfinite(np.log(x)).T],
)
def of_a_strided_result(t, dtype):
    """Logarithms: NaN of what is negative."""
    x = t.randn((9, 14), dtype, noncontiguous=True)
    return [t.call("torch.isfinite", y) for y in (x.log(), x.log().mT)]


@case("torch.isfinite", dtypes="f32", shapes="scalar 0 3x0x2", trivial=True, core=False,
      reference=lambda np, x: np.isfinite(x))  # fmt: skip
def one_or_none(t, dtype, shape):
    return t.call("torch.isfinite", t.randn(shape, dtype))


@case("torch.isfinite", dtypes="f32", core=False, reference=lambda np, x: x > 0)
def of_a_gradient(t, dtype):
    """Gradients are checked before a step: the slope of sqrt at zero is infinite."""
    x = t.const([0.0, 1.0, 4.0], dtype, grad=True)
    (slope,) = t.fw.autograd.grad(x.sqrt().sum(), x, create_graph=True)
    made = t.call("torch.isfinite", slope)
    t.expect(slope.requires_grad and not made.requires_grad, "booleans without a graph")
    return made


@case("torch.isfinite", dtypes="f32", core=False, reference=lambda np, *xs: [x < 1 for x in xs])
def finite_of_three_sizes(t, dtype):
    made = []
    for n in (5, 8, 13):
        x = t.randn((n, 7), dtype)
        made.append(t.call("torch.isfinite", x.masked_fill(x >= 1, INF)))
    return made


@case(
    "torch.isfinite", dtypes="f32", shapes="2048x2048", large=True, reference=lambda np, x: x >= 0
)
def finite_of_many(t, dtype, shape):
    return t.call("torch.isfinite", t.randn(shape, dtype).sqrt())
