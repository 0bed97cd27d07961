"""Functions as methods of a tensor: x.exp(), x.softmax(-1), x.clamp(0, 1), x.norm()."""

from seamark_suites.case import case

from . import reference_methods as right
from . import reference_pointwise
from .pointwise import SPECIAL, TINY, drawn, each

SMOOTH = "Tensor.exp Tensor.sqrt Tensor.cos Tensor.sin Tensor.log Tensor.sigmoid"


def free(function):
    """The function that is no method."""
    return function.replace("torch.Tensor.", "torch.")


def like(make):
    """A reference that is made of the free function's name."""
    return lambda function: make(free(function))


@each(
    SMOOTH,
    like(reference_pointwise.gradient_of),
    dtypes="f32 bf16",
    shapes="64x33",
    grad=True,
    name="gradient",
)
@each(
    SMOOTH,
    like(reference_pointwise.gradient_of),
    dtypes="f64 c64",
    shapes="64x33",
    grad=True,
    core=False,
    name="gradient",
)
@each(
    SMOOTH,
    like(reference_pointwise.of),
    dtypes="f16 c128",
    shapes="64x33",
    core=False,
    name="forward",
)
@each(SMOOTH, like(reference_pointwise.of), dtypes="f32 bf16", shapes="64x33", name="forward")
@each(
    SMOOTH, like(reference_pointwise.of), dtypes="f32", shapes="2048x2048", large=True, name="large"
)
def elementwise(t, dtype, shape, function):
    return t.call(function, drawn(t, free(function), shape, dtype))


@each(SMOOTH, like(reference_pointwise.of), dtypes="i64 i32 u8 bool", core=False)
def integers_give_floats(t, dtype, function):
    made = t.call(function, t.randint((64,), dtype, 0, 2 if dtype == "bool" else 9))
    t.expect(made.dtype is t.fw.get_default_dtype(), "the default dtype")
    return made


@each(SMOOTH, like(reference_pointwise.of), dtypes="f32", shapes="scalar", core=False)
def of_one_number(t, dtype, shape, function):
    return t.call(function, t.uniform(shape, dtype, 1.1, 1.4))


@each(
    SMOOTH, like(reference_pointwise.of), dtypes="f32", shapes="0 3x0x2", trivial=True, core=False
)
def of_nothing(t, dtype, shape, function):
    return t.call(function, t.randn(shape, dtype))


@each(SMOOTH, like(reference_pointwise.of_views), dtypes="f32 c64", core=False)
def of_views(t, dtype, function):
    """Every other column, a transpose, a row that is broadcast."""
    x = drawn(t, free(function), (9, 14), dtype, noncontiguous=True)
    return [t.call(function, y) for y in (x, x.mT, x[:1].expand(5, 14))]


@each(SMOOTH, like(reference_pointwise.twice), dtypes="f32", core=False)
def second_order(t, dtype, function):
    """The slope of the slope, as a gradient penalty takes it."""
    x, w = drawn(t, free(function), (40,), dtype, grad=True), t.randn((40,), dtype)
    made = t.call(function, x)
    first = t.fw.autograd.grad(made.sum(), x, create_graph=True)[0]
    second = t.fw.autograd.grad((first * w).sum(), x)[0]
    return made, first, second


@each(SMOOTH, like(reference_pointwise.of_each), dtypes="f32", core=False)
def three_sizes(t, dtype, function):
    """One size after another: what a compiler made for one must not be used for the next."""
    return [t.call(function, drawn(t, free(function), (n, 7), dtype)) for n in (5, 8, 13)]


@each(SMOOTH, like(reference_pointwise.of), dtypes="f32 bf16", core=False)
def special_values(t, dtype, function):
    """Zeros of both signs, infinities, NaN, numbers outside of the domain."""
    made = t.call(function, t.const(SPECIAL[free(function)], dtype))
    if free(function) in ("torch.sqrt", "torch.sin"):
        t.expect(bool(t.np.signbit(t.host(made)[1])), "minus zero of minus zero")
    return made


@each(SMOOTH, like(reference_pointwise.of), dtypes="f32 f64", core=False)
def small_results(t, dtype, function):
    """Right in relation to their size, which is far below the absolute tolerance."""
    x = t.const(TINY[free(function)], dtype)
    made = t.call(function, x)
    error = abs(t.host(made) / reference_pointwise.of(free(function))(t.np, t.host(x)) - 1)
    t.expect(bool((error < 1e-5).all()), "a relative error below 1e-5, got %s" % error)
    return made


@each(SMOOTH + " Tensor.softmax Tensor.clamp Tensor.norm", core=False)
def more_arguments_raise(t, function):
    """A fifth argument, and one of an unknown name."""
    x = t.randn((3, 4), "f32")
    t.raises(TypeError, t.call, function, x, 0, 1, 2, 3)
    t.raises(TypeError, t.call, function, x, axes_of=1)


# --- softmax


@case(
    "torch.Tensor.softmax",
    dtypes="f32 bf16",
    dim=[-1, 0],
    grad=True,
    reference=right.first_share_gradient,
    name="gradient",
)
def first_share(t, dtype, dim):
    """The gradient of the first share: p (1 - p) and -p q, which keep their digits in bf16."""
    return t.call(lambda x: x.softmax(dim).narrow(dim, 0, 1), t.randn((4, 6, 9), dtype))


@case(
    "torch.Tensor.softmax",
    dtypes="f32 f64",
    dim=[1],
    grad=True,
    core=False,
    reference=right.softmax_gradient,
    name="gradient_of_all",
)
@case(
    "torch.Tensor.softmax",
    dtypes="f32 bf16",
    dim=[-1, 0, 1],
    reference=right.softmax,
    name="forward",
)
@case(
    "torch.Tensor.softmax",
    dtypes="f16 f64",
    dim=[-1],
    core=False,
    reference=right.softmax,
    name="forward",
)
def shares(t, dtype, dim):
    return t.call("torch.Tensor.softmax", t.randn((4, 6, 9), dtype), dim)


@case(
    "torch.Tensor.softmax",
    dtypes="bf16 f16 i64",
    core=False,
    reference=lambda np, x: right.softmax(np, x, 1),
)
def in_another_dtype(t, dtype):
    """dtype= converts before the exponentials."""
    x = t.randint((5, 12), dtype, -9, 9)
    made = t.call("torch.Tensor.softmax", x, dim=1, dtype=t.dtype("f32"))
    t.expect(made.dtype is t.dtype("f32"), "f32")
    return made


@case(
    "torch.Tensor.softmax",
    dtypes="f32 bf16",
    core=False,
    reference=lambda np, x: right.softmax(np, x, -1),
)
def masked_and_huge(t, dtype):
    """-inf takes no part, large numbers do not overflow, NaN and a row of -inf give NaN."""
    inf, nan = float("inf"), float("nan")
    rows = [
        [0, 1, -inf, 2],
        [1000, 1001, 1003, -1000],
        [0, nan, 1, 2],
        [-inf] * 4,
        [-1e4, -1e4 - 64, 0, -1e4],
    ]
    return t.call("torch.Tensor.softmax", t.const(rows, dtype), -1)


@case(
    "torch.Tensor.softmax",
    dtypes="f32",
    core=False,
    reference=lambda np, x: [right.softmax(np, x, 1), right.softmax(np, x.T, 1)],
)
def softmax_of_strided(t, dtype):
    x = t.randn((6, 10), dtype, noncontiguous=True)
    return [t.call("torch.Tensor.softmax", y, 1) for y in (x, x.mT)]


@case(
    "torch.Tensor.softmax",
    dtypes="f32",
    core=False,
    reference=lambda np, *xs: [right.softmax(np, x, 1) for x in xs],
)
def softmax_of_three_sizes(t, dtype):
    return [t.call("torch.Tensor.softmax", t.randn((3, n), dtype), 1) for n in (5, 8, 13)]


@case(
    "torch.Tensor.softmax",
    dtypes="f32",
    trivial=True,
    core=False,
    reference=lambda np, x, y: [np.ones(()), y],
)
def softmax_of_one_or_none(t, dtype):
    x, y = t.randn((), dtype), t.randn((3, 0), dtype)
    return [t.call("torch.Tensor.softmax", x, 0), t.call("torch.Tensor.softmax", y, 1)]


@case("torch.Tensor.softmax", dtypes="f32", core=False, reference=right.softmax_twice)
def softmax_second_order(t, dtype):
    x, v, u = t.randn((5, 7), dtype, grad=True), t.randn((5, 7), dtype), t.randn((5, 7), dtype)
    made = t.call("torch.Tensor.softmax", x, -1)
    first = t.fw.autograd.grad((made * v).sum(), x, create_graph=True)[0]
    return first, t.fw.autograd.grad((first * u).sum(), x)[0]


@case(
    "torch.Tensor.softmax",
    dtypes="f32",
    large=True,
    reference=lambda np, x: right.softmax(np, x, -1),
)
def softmax_of_many(t, dtype):
    return t.call("torch.Tensor.softmax", t.randn((2048, 2048), dtype), -1)


@case("torch.Tensor.softmax", core=False, reference="none")
def softmax_refuses(t):
    """No such axis; whole numbers without a dtype."""
    x = t.randn((3, 4), "f32")
    t.raises(IndexError, t.call, "torch.Tensor.softmax", x, 2)
    t.raises(
        (RuntimeError, NotImplementedError), t.call, "torch.Tensor.softmax", t.randn((3,), "i64"), 0
    )


# --- clamp

BOUNDS = [(-0.5, 0.75), (None, 0.5), (-0.25, None)]


@case(
    "torch.Tensor.clamp",
    dtypes="f32 bf16",
    bounds=BOUNDS[:1],
    grad=True,
    reference=right.clamp_gradient,
    name="gradient",
)
@case(
    "torch.Tensor.clamp",
    dtypes="f32 f64",
    bounds=BOUNDS[1:],
    grad=True,
    core=False,
    reference=right.clamp_gradient,
    name="gradient",
)
@case("torch.Tensor.clamp", dtypes="f32 bf16", bounds=BOUNDS, reference=right.clamp, name="forward")
@case(
    "torch.Tensor.clamp",
    dtypes="f16 f64",
    bounds=BOUNDS[:1],
    core=False,
    reference=right.clamp,
    name="forward",
)
@case(
    "torch.Tensor.clamp", dtypes="i64 i32", bounds=[(-3, 4)], reference=right.clamp, name="forward"
)
@case(
    "torch.Tensor.clamp",
    dtypes="i8 u8",
    bounds=[(2, 5)],
    core=False,
    reference=right.clamp,
    name="forward",
)
def bounded(t, dtype, bounds):
    return t.call("torch.Tensor.clamp", t.randn((16, 33), dtype), *bounds)


@case(
    "torch.Tensor.clamp",
    dtypes="f32 i64",
    core=False,
    reference=lambda np, x: [np.maximum(x, 1), np.minimum(x, 1)],
)
def bounded_by_keyword(t, dtype):
    x = t.randn((40,), dtype)
    return [t.call("torch.Tensor.clamp", x, min=1), t.call("torch.Tensor.clamp", x, max=1)]


@case(
    "torch.Tensor.clamp",
    dtypes="f32 i64",
    core=False,
    reference=lambda np, x, low, high: np.minimum(np.maximum(x, low), high),
)
def bounded_by_tensors(t, dtype):
    """Bounds broadcast; where they cross, the upper one wins."""
    x, low, high = t.randn((6, 9), dtype), t.randn((9,), dtype), t.randn((6, 1), dtype)
    return t.call("torch.Tensor.clamp", x, low, high)


@case(
    "torch.Tensor.clamp",
    dtypes="f32 bf16",
    core=False,
    reference=lambda np, x: np.array([np.nan, 2, -1, 0, 1, 2]),
)
def bounds_of_special_values(t, dtype):
    """NaN comes through, infinities stop at the bounds."""
    inf = float("inf")
    return t.call(
        "torch.Tensor.clamp", t.const([float("nan"), inf, -inf, 0.0, 1.0, 3.0], dtype), -1, 2
    )


@case(
    "torch.Tensor.clamp",
    dtypes="f32",
    core=False,
    reference=lambda np, x: [np.clip(x, -1, 0.5), np.clip(x.T, -1, 0.5)],
)
def bounds_of_strided(t, dtype):
    x = t.randn((7, 12), dtype, noncontiguous=True)
    return [t.call("torch.Tensor.clamp", y, -1, 0.5) for y in (x, x.mT)]


@case(
    "torch.Tensor.clamp",
    dtypes="f32",
    core=False,
    reference=lambda np, *xs: [np.clip(x, -0.5, 0.5) for x in xs],
)
def bounds_of_three_sizes(t, dtype):
    return [t.call("torch.Tensor.clamp", t.randn((n, 7), dtype), -0.5, 0.5) for n in (5, 8, 13)]


@case(
    "torch.Tensor.clamp",
    dtypes="f32",
    shapes="scalar 0 3x0x2",
    trivial=True,
    core=False,
    reference=lambda np, x: np.maximum(x, 0.5),
)
def bounds_of_one_or_none(t, dtype, shape):
    return t.call("torch.Tensor.clamp", t.randn(shape, dtype), min=0.5)


@case("torch.Tensor.clamp", dtypes="f32", large=True, reference=lambda np, x: np.clip(x, -0.5, 0.5))
def bounds_of_many(t, dtype):
    return t.call("torch.Tensor.clamp", t.randn((2048, 2048), dtype), -0.5, 0.5)


@case("torch.Tensor.clamp", core=False, reference="none")
def clamp_refuses(t):
    """No bound, a bound of another shape, complex numbers."""
    x = t.randn((3,), "f32")
    t.raises(RuntimeError, t.call, "torch.Tensor.clamp", x)
    t.raises(RuntimeError, t.call, "torch.Tensor.clamp", x, t.randn((4,), "f32"))
    t.raises(
        (RuntimeError, NotImplementedError),
        t.call,
        "torch.Tensor.clamp",
        t.randn((3,), "c64"),
        0,
        1,
    )
