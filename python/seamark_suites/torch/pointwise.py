"""Functions of one number: exp, log, sqrt, sin, cos, sigmoid, abs."""

import functools

from seamark_suites.case import each as each_name

from . import reference_pointwise as right

# Where a function is defined, with results that differ and whose gradient keeps its digits in bf16.
DOMAINS = {
    "torch.log": (0.25, 4),
    "torch.sqrt": (0.25, 4),
    "torch.sigmoid": (-1, 1),
    "torch.cos": (0.25, 2.75),
}
ALL = "exp log sqrt sin cos sigmoid abs"
SMOOTH = "exp log sqrt sin cos sigmoid"
each = functools.partial(each_name, prefix="torch.")


def drawn(t, function, shape, dtype, **options):
    low, high = DOMAINS.get(function, (-3, 3))
    return t.uniform(shape, dtype, low, high, **options)


@each(ALL, right.gradient_of, dtypes="f32 bf16", shapes="64x33", grad=True, name="gradient")
@each(
    ALL,
    right.gradient_of,
    dtypes="f64 c64 c128",
    shapes="64x33",
    grad=True,
    core=False,
    name="gradient",
)
@each(ALL, right.of, dtypes="f16", shapes="64x33", core=False, name="forward")
@each(ALL, right.of, dtypes="f32 bf16", shapes="64x33", name="forward")
def elementwise(t, dtype, shape, function):
    return t.call(function, drawn(t, function, shape, dtype))


@each("abs", right.of, dtypes="i64 i32", shapes="64x33")
@each("abs", right.of, dtypes="i8 i16 u8", shapes="64x33", core=False)
def absolute(t, dtype, shape, function):
    """Integers keep their dtype."""
    made = t.call(function, t.randn(shape, dtype))
    t.expect(made.dtype is t.dtype(dtype), "the dtype of the input")
    return made


@each(SMOOTH, right.of, dtypes="i64 i32 u8 bool", core=False)
def integers_give_floats(t, dtype, function):
    made = t.call(function, t.randint((64,), dtype, 0, 2 if dtype == "bool" else 9))
    t.expect(made.dtype is t.fw.get_default_dtype(), "the default dtype")
    return made


@each(ALL, right.of, dtypes="f32", shapes="scalar", core=False)
def of_one_number(t, dtype, shape, function):
    return t.call(function, t.uniform(shape, dtype, 1.1, 1.4))


@each(ALL, right.of, dtypes="f32", shapes="0 3x0x2", trivial=True, core=False)
def of_nothing(t, dtype, shape, function):
    return t.call(function, t.randn(shape, dtype))


@each(ALL, right.of_views, dtypes="f32 c64", core=False)
def of_views(t, dtype, function):
    """Every other column, a transpose, a row that is broadcast."""
    x = drawn(t, function, (9, 14), dtype, noncontiguous=True)
    return [t.call(function, y) for y in (x, x.mT, x[:1].expand(5, 14))]


@each(ALL, right.written, dtypes="f32 f64", core=False)
def out_and_in_place(t, dtype, function):
    x = drawn(t, function, (5, 8), dtype)
    given, changed = t.fw.zeros_like(x), x.clone()
    made = t.call(function, x, out=given)
    same = t.call(function.replace("torch.", "torch.Tensor.") + "_", changed)
    t.expect(same is changed and made is given, "the given tensors as the results")
    return made, given, same, changed


@each(ALL, right.written_in_gaps, dtypes="f32 f64", core=False)
def out_with_gaps(t, dtype, function):
    """Every other row of a larger tensor, and a transpose in place."""
    x, y = drawn(t, function, (5, 8), dtype), drawn(t, function, (4, 6), dtype)
    rows = t.fw.zeros((10, 8), dtype=x.dtype, device=t.device)
    made = t.call(function, x, out=rows[::2])
    t.expect(not t.host(rows[1::2]).any(), "nothing between the rows")
    same = t.call(function.replace("torch.", "torch.Tensor.") + "_", y.mT)
    return made, rows[::2], same, y


@each(SMOOTH, right.twice, dtypes="f32 f64", core=False)
def second_order(t, dtype, function):
    """The slope of the slope, as a gradient penalty takes it."""
    x, w = drawn(t, function, (40,), dtype, grad=True), t.randn((40,), dtype)
    made = t.call(function, x)
    first = t.fw.autograd.grad(made.sum(), x, create_graph=True)[0]
    second = t.fw.autograd.grad((first * w).sum(), x)[0]
    return made, first, second


@each(ALL, right.of_each, dtypes="f32", core=False)
def three_sizes(t, dtype, function):
    """One size after another: what a compiler made for one must not be used for the next."""
    return [t.call(function, drawn(t, function, (n, 7), dtype)) for n in (5, 8, 13)]


@each(ALL, right.of, dtypes="f32", shapes="2048x2048", large=True)
def large(t, dtype, shape, function):
    return t.call(function, drawn(t, function, shape, dtype))


INF, NAN = float("inf"), float("nan")
SPECIAL = {
    "torch.exp": [0.0, -0.0, INF, -INF, NAN, 1.0, 80.0, -200.0],
    "torch.log": [0.0, -0.0, INF, -INF, NAN, 1.0, -1.0, 1e30],
    "torch.sqrt": [0.0, -0.0, INF, -INF, NAN, 1.0, -1.0, 1e30],
    "torch.sin": [0.0, -0.0, INF, -INF, NAN, 1.0, 1e-30, 100.0],
    "torch.cos": [0.0, -0.0, INF, -INF, NAN, 1.0, 1e-30, 100.0],
    "torch.sigmoid": [0.0, -0.0, INF, -INF, NAN, 1.0, 150.0, -150.0],
    "torch.abs": [0.0, -0.0, INF, -INF, NAN, 1.0, -1e30, 1e-30],
}


@each(ALL, right.of, dtypes="f32 f64 bf16", core=False)
def special_values(t, dtype, function):
    """Zeros of both signs, infinities, NaN, numbers outside of the domain."""
    made = t.call(function, t.const(SPECIAL[function], dtype))
    values = t.host(made)
    if function in ("torch.sqrt", "torch.sin"):
        t.expect(bool(t.np.signbit(values[1])), "minus zero of minus zero")
    if function == "torch.abs":
        t.expect(not t.np.signbit(values[[0, 1, 2, 3, 5, 6, 7]]).any(), "no sign, of -0 neither")
    return made


# Results that are tiny, or that only exact arithmetic of the argument gives.
TINY = {
    "torch.exp": [-20.0, -60.0, -80.0, -15.5],
    "torch.log": [1 + 2**-20, 1 - 2**-21, 1 + 2**-12, 1e-30],
    "torch.sqrt": [1e-30, 4e-12, 2.5e-20, 3e-9],
    "torch.sin": [1e-6, -3e-10, 2e-20, 3.140625],
    "torch.cos": [1.5703125, 4.71484375, 1.57080078125, -1.5703125],
    "torch.sigmoid": [-20.0, -60.0, -80.0, -15.5],
}


@each(SMOOTH, right.of, dtypes="f32 f64", core=False)
def small_results(t, dtype, function):
    """Right in relation to their size, which is far below the absolute tolerance."""
    x = t.const(TINY[function], dtype)
    made = t.call(function, x)
    want = right.of(function)(t.np, t.host(x))
    error = abs(t.host(made) / want - 1)
    t.expect(bool((error < 1e-5).all()), "a relative error below 1e-5, got %s" % error)
    return made


@each("exp", right.of, dtypes="f32", core=False)
def end_of_the_range(t, dtype, function):
    """The largest results are numbers, and what is larger is infinite."""
    made = t.call(function, t.const([88.0, 88.7, 88.8, 89.0, 1000.0, -87.0, -110.0], dtype))
    values = t.host(made)
    t.expect(bool(t.np.isfinite(values[:2]).all()), "numbers up to 3.3e38")
    t.expect(bool(t.np.isinf(values[2:5]).all()), "infinity above")
    t.expect(values[5] > 0 and values[6] == 0, "a number at -87, zero at -110")
    return made


@each("exp", dtypes="f16", core=False)
def half_overflows(t, dtype, function):
    values = t.host(t.call(function, t.const([11.0, 11.25, -20.0, 0.0], dtype)))
    t.expect(abs(values[0] / 59874.14 - 1) < 1e-3 and values[3] == 1, "numbers up to 65504")
    t.expect(bool(t.np.isinf(values[1])) and values[2] == 0, "infinity above, zero far below")


@each("sin cos", right.of, dtypes="f32 f64", core=False)
def far_from_zero(t, dtype, function):
    """The argument is reduced exactly: one period of 1e8 is as good as the first."""
    return t.call(function, t.const([1e3, -1e5, 1e7, 1e8, -123456789.0, 33554432.0], dtype))


@each("log sqrt", right.of, dtypes="c64 c128", core=False)
def branch_cut(t, dtype, function):
    """On the negative axis the sign of the imaginary zero says on which side."""
    cut = [complex(-4, 0.0), complex(-4, -0.0), complex(-0.25, 0.0), complex(-0.25, -0.0)]
    return t.call(function, t.const(cut + [1j, -1j, -3 + 4j], dtype))


@each("log", right.of, dtypes="c64 c128", core=False)
def great_and_infinite(t, dtype, function):
    """The size overflows when it is squared, or underflows; infinite and unknown parts of each sign."""
    big = 1e20 if dtype == "c64" else 1e200
    parts = [(big, big), (big, -big), (-big, big), (-big, -big), (big, 0), (1 / big, -1 / big),
             (0, INF), (0, -INF), (INF, INF), (INF, -INF), (-INF, INF), (-INF, -INF), (NAN, 1), (-INF, NAN)]  # fmt: skip
    return t.call(function, t.const([complex(*one) for one in parts], dtype))


@each("exp", right.of, dtypes="c64 c128", core=False)
def turns(t, dtype, function):
    """exp(iy) stays on the circle."""
    return t.call(function, t.const([0j, 1j, -2j, 3.25j, 1 + 1j, -2 + 3j], dtype))


@each("abs", right.gradient_of, dtypes="f32 c64", grad=True, core=False)
def flat_at_zero(t, dtype, function):
    """Documented subgradient: the gradient at zero is zero, of a complex zero too."""
    x = t.const([-2.0, 0.0, 3.0, 0.0, -0.5], dtype, grad=True)
    return t.call(function, x)


@each("abs", dtypes="c64 c128", core=False)
def complex_gives_real(t, dtype, function):
    x = t.const([3 + 4j, -5 + 12j, 8 - 15j, 1e30 + 1e30j], dtype)
    made = t.call(function, x)
    t.expect(made.dtype is t.dtype("f32" if dtype == "c64" else "f64"), "a real dtype")
    values = t.host(made)
    t.expect(bool((abs(values[:3] - [5, 13, 17]) < 1e-5).all()), "5, 13, 17")
    t.expect(abs(values[3] / (2**0.5 * 1e30) - 1) < 1e-5, "no overflow of the squares")
    t.raises(RuntimeError, t.call, "torch.Tensor.abs_", x)


@each("abs", lambda function: lambda np, x: (abs(x),) * 2, dtypes="i64 i32", core=False)
def integers_in_place(t, dtype, function):
    x = t.randint((30,), dtype, -(2**30), 2**30)
    return t.call("torch.Tensor.abs_", x), x


@each("sqrt", right.slopes_at, dtypes="f32 f64", core=False)
def slope_at_zero(t, dtype, function):
    """The slope of sqrt at zero is infinite."""
    x = t.const([0.0, 1.0, 4.0, 1e-20], dtype, grad=True)
    made = t.call(function, x)
    return made, t.fw.autograd.grad(made.sum(), x)[0]


@each("log", right.slopes_at, dtypes="f32 f64", core=False)
def slope_at_the_edge(t, dtype, function):
    x = t.const([0.0, 1.0, 4.0, 1e-20, INF], dtype, grad=True)
    made = t.call(function, x)
    return made, t.fw.autograd.grad(made.sum(), x)[0]


@each("sigmoid", right.slopes_at, dtypes="f32 f64", core=False)
def saturates(t, dtype, function):
    """Far out the slope is zero and no NaN."""
    x = t.const([-INF, -200.0, -1.0, 0.0, 2.0, 200.0, INF], dtype, grad=True)
    made = t.call(function, x)
    return made, t.fw.autograd.grad(made.sum(), x)[0]


@each(SMOOTH, core=False)
def refuses(t, function):
    """No float goes into integers; memory that several elements share is not written."""
    in_place = function.replace("torch.", "torch.Tensor.") + "_"
    x, whole = t.uniform((3,), "f32", 0.5, 1), t.randint((3,), "i64", 1, 5)
    t.raises(RuntimeError, t.call, function, x, out=whole)
    t.raises(RuntimeError, t.call, in_place, whole)
    t.raises(RuntimeError, t.call, in_place, x[:1].expand(3))


@each("abs", core=False)
def abs_refuses(t, function):
    x, whole = t.randn((3,), "f32"), t.randint((3,), "i64", 1, 5)
    t.raises(RuntimeError, t.call, function, x, out=whole)
    t.raises((RuntimeError, NotImplementedError), t.call, function, t.randn((3,), "bool"))
    t.raises(RuntimeError, t.call, "torch.Tensor.abs_", x[:1].expand(3))


@each(SMOOTH, dtypes="f32", core=False)
def in_place_of_a_leaf_raises(t, dtype, function):
    """A leaf that asks for a gradient is not changed in place."""
    in_place = function.replace("torch.", "torch.Tensor.") + "_"
    t.raises(RuntimeError, t.call, in_place, drawn(t, function, (4,), dtype, grad=True))


@each(SMOOTH, lambda function: lambda np, x: [right.of(function)(np, x)] * 4, dtypes="f32 f64", core=False)  # fmt: skip
def over_the_input(t, dtype, function):
    """out= may be the input itself, or lie beside it in one memory."""
    x = drawn(t, function, (4, 4), dtype)
    both = t.fw.cat([x, x])
    beside = t.call(function, both[:4], out=both[4:]).clone()
    return [beside, t.call(function, both[:4], out=both[:4]), both[:4], both[4:]]


@each(SMOOTH, core=False)
def not_over_a_part_of_it(t, function):
    """out= that is the input one row further, or turned around, raises."""
    x = t.uniform((4, 4), "f32", 0.5, 1)
    t.raises(RuntimeError, t.call, function, x[:3], out=x[1:])
    t.raises(RuntimeError, t.call, function, x, out=x.mT)
