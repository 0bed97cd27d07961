"""What is asked of functions by seldom used arguments, and what they refuse: functions of one number and their methods, clamp,
softmax, arange."""

import warnings

from seamark_suites.case import case

from . import reference_methods
from . import reference_pointwise as right
from .methods import SMOOTH as METHODS
from .methods import free
from .pointwise import INF, NAN, SMOOTH, drawn, each
from .reference import with_gradient

EACH = SMOOTH + " " + METHODS


# --- exp, log, sqrt, sin, cos, sigmoid, and their methods


@each(EACH, lambda function: right.of_lazy_views(free(function)), dtypes="c64 c128", core=False)
def of_lazy_views(t, dtype, function):
    """Of a conjugate and of a negative that are not computed before: views that the function must see through."""
    x = drawn(t, free(function), (5, 8), dtype)
    return t.call(function, x.conj()), t.call(function, (-x).conj().imag)


@each(EACH, lambda function: right.complex_twice(free(function)), dtypes="c64 c128", core=False)
def second_order_of_complex(t, dtype, function):
    x = drawn(t, free(function), (20,), dtype, grad=True)
    w, v = t.randn((20,), dtype), t.randn((20,), dtype)
    made = t.call(function, x)
    first = t.fw.autograd.grad((w * made).real.sum(), x, create_graph=True)[0]
    return made, first, t.fw.autograd.grad((v * first).real.sum(), x)[0]


@each(SMOOTH, right.written_to_others, dtypes="f32", core=False)
def out_of_other_kinds(t, dtype, function):
    """Another float, floats for small integers, the input itself."""
    x, whole = drawn(t, function, (5, 8), dtype), t.randint((30,), "i16", 1, 9)
    make = lambda size, kind: t.fw.zeros(size, dtype=t.dtype(kind), device=t.device)  # noqa: E731
    lower, floats, itself = make((5, 8), "bf16"), make(30, "f32"), x.clone()
    for given, out in ((x, lower), (whole, floats), (itself, itself)):
        t.expect(t.call(function, given, out=out) is out, "the given tensor")
    return lower, floats, itself


@each(SMOOTH, right.of, dtypes="f32", core=False)
def out_that_grows(t, dtype, function):
    """What has no elements yet takes the size of the result."""
    x, none = drawn(t, function, (5, 8), dtype), t.fw.zeros(0, device=t.device)
    t.expect(t.call(function, x, out=none) is none, "the given tensor")
    return none


@each(SMOOTH, core=False)
def out_refuses(t, function):
    """A gradient of the input or of what is given; complex results in real numbers."""
    x, given = t.uniform((3,), "f32", 0.5, 1), t.randn((3,), "f32")
    t.raises(RuntimeError, t.call, function, x.clone().requires_grad_(), out=given)
    t.raises(RuntimeError, t.call, function, x, out=given.clone().requires_grad_())
    t.raises(RuntimeError, t.call, function, t.randn((3,), "c64"), out=given)


def _in_parts(function):
    return lambda np, x: [
        right.of(free(function))(np, x).real,
        right.of(free(function))(np, x).imag,
    ]


@each("log Tensor.log sqrt Tensor.sqrt", _in_parts, dtypes="c64 c128", core=False)
def complex_edges(t, dtype, function):
    """Zero, one, infinities on either side of the real axis."""
    values = [0j, 1 + 0j, complex(INF, 0), complex(-INF, 0), complex(-INF, -0.0), 1e-12 + 1e-12j]
    made = t.call(function, t.const(values, dtype))
    return [made.real, made.imag]


# --- clamp

CLAMP = "torch.Tensor.clamp"


@case(CLAMP, dtypes="f32 f64", grad=True, core=False, reference=with_gradient(
      right.clamp, lambda np, w, x, low, high: (right.clamp_pull(np, w, x, low, high),
                                                *right.clamp_pull_of_bounds(np, w, x, low, high)[1:])))  # fmt: skip
def gradient_of_the_bounds(t, dtype):
    """What a bound replaces counts for the bound, once for each place where it is broadcast."""
    x, low = t.randn((6, 9), dtype), t.uniform((9,), dtype, -1, 0)
    return t.call(CLAMP, x, low, t.uniform((6, 1), dtype, 0.1, 1))


def _within(np, x, bounds):
    return np.clip(x, *bounds)


@case(CLAMP, dtypes="f32 bf16", bounds=[(-1, 1), (-1.0, None), (None, 1)], grad=True, core=False, reference=with_gradient(
      _within, lambda np, w, x, bounds: right.clamp_pull(np, w, x, *bounds)))  # fmt: skip
def slope_at_the_bounds(t, dtype, bounds):
    """A number that is the bound itself counts as one within."""
    return t.call(CLAMP, t.const([-2.0, -1.0, -0.5, 0.0, 1.0, 3.0], dtype, grad=True), *bounds)


@case(CLAMP, dtypes="f32 bf16", core=False, reference=lambda np, x: [
      np.full(9, -1.0), np.full(9, NAN), np.full(9, NAN), x, x])  # fmt: skip
def bounds_crossed_or_none(t, dtype):
    """Documented: the upper one where they cross. NaN gives NaN, infinity bounds nothing."""
    x = t.randn((9,), dtype)
    given = (1, -1), (NAN, 1), (None, NAN), (-INF, INF), (None, INF)
    return [t.call(CLAMP, x, *bounds) for bounds in given]


@case(CLAMP, dtypes="f32 f64", core=False, reference=lambda np, x, low, high, rows, one: [
      right.clamp(np, x, low, high), np.maximum(x[0], rows), np.minimum(x.T, one), np.maximum(np.broadcast_to(x[:1], (5, 3)), one)])  # fmt: skip
def bounds_by_tensors(t, dtype):
    """NaN among the bounds; bounds of more axes than the tensor, of none, of what is broadcast."""
    x, low = t.randn((4, 3), dtype), t.const([NAN, -0.25, -0.5], dtype)
    high, rows, one = t.const([0.5, NAN, 0.25], dtype), t.randn((4, 3), dtype), t.const(0.125, dtype)  # fmt: skip
    return [
        t.call(CLAMP, x, low, high),
        t.call(CLAMP, x[0], rows),
        t.call(CLAMP, x.mT, None, one),
        t.call(CLAMP, x[:1].expand(5, 3), min=one),
    ]


@case(CLAMP, core=False, reference=lambda np, whole, few, half, low, wide, small: [
      np.clip(whole, -2.5, 3.5), np.minimum(whole, few), np.maximum(half, low), np.clip(wide, -(2**53) - 1, 2**53 + 1),
      np.clip(small, 3, 150)])  # fmt: skip
def bounds_of_another_kind(t):
    """Fractions of integers and a wider dtype promote; integers keep all digits."""
    whole, few = t.randint((40,), "i64", -9, 10), t.const(0.5, "f32")
    half, low = t.randn((40,), "bf16"), t.randn((40,), "f32")
    wide, small = t.const([2**60, -(2**60), 2**53 + 3, 7], "i64"), t.randint((40,), "u8", 0, 200)
    made = [
        t.call(CLAMP, whole, -2.5, 3.5),
        t.call(CLAMP, whole, max=few),
        t.call(CLAMP, half, low),
        t.call(CLAMP, wide, -(2**53) - 1, 2**53 + 1),
        t.call(CLAMP, small, 3, 150),
    ]
    found = [one.dtype for one in made]
    want = [t.dtype(one) for one in ("f32", "f32", "f32", "i64", "u8")]
    t.expect(found == want, "the dtypes %s, got %s" % (want, found))
    return made


@case(CLAMP, dtypes="u8", core=False, reference=lambda np, x: [np.minimum(x, 150), x],
      cpu_fails="the bound is converted to the dtype of the tensor: -1 becomes 255")  # fmt: skip
def a_bound_below_all(t, dtype):
    """Documented: the smaller of high and of the larger of the number and low, whatever low is."""
    x = t.randint((40,), dtype, 0, 200)
    return [t.call(CLAMP, x, -1, 150), t.call(CLAMP, x, min=-1)]


@each("clamp Tensor.clamp", lambda _: with_gradient(
      lambda np, x, low, high, row: [right.clamp(np, x.T, low, high.T), right.clamp(np, x[::2], None, high[::2]), right.clamp(np, np.broadcast_to(row, (4, 4)), low)]),
      dtypes="f32 f64", grad=True, core=False)  # fmt: skip
def bounds_that_lie_otherwise(t, dtype, function):
    """Transposed numbers and bounds, every other row, a row that is broadcast."""
    clamp = t.get(function)
    return t.call(
        lambda x, low, high, row: [clamp(x.mT, low, high.mT), clamp(x[::2], max=high[::2]), clamp(row.expand(4, 4), low)],
        t.uniform((4, 4), dtype, -3, 3), t.uniform((4, 4), dtype, -2, -0.5), t.uniform((4, 4), dtype, 0.5, 2), t.uniform((4,), dtype, -3, 3),
    )  # fmt: skip


def _beside_nan(np, x, low, high, few):
    x = np.where(np.arange(1003) % 7 == 3, NAN, x)
    bounds = (-10, 10), (-10, None), (None, 10), (low, high), (None, few), (-10, 10)
    return [right.clamp(np, x, *pair) for pair in bounds]


@each("clamp Tensor.clamp", lambda _: _beside_nan, dtypes="f32 bf16 f16 f64", core=False)
def bounds_of_a_thousand_and_nan(t, dtype, function):
    """NaN stays where it is among a thousand numbers: by numbers, by tensors, by integers and in place."""
    x, low, high = t.uniform((1003,), dtype, -25, 25), t.uniform((1003,), dtype, -9, -1), t.uniform((1003,), dtype, 1, 9)  # fmt: skip
    few = t.randint((1003,), "i32", -9, 9)
    x = x.masked_fill(t.fw.arange(1003, device=t.device) % 7 == 3, NAN)
    bounds = (-10, 10), (-10, None), (None, 10), (low, high), (None, few)
    made = [t.call(function, x, *pair) for pair in bounds]
    t.expect(all(one.dtype is x.dtype for one in made), "the dtype of the numbers")
    return [*made, t.call("torch.Tensor.clamp_", x.clone(), -10, 10)]


def _whole_bounds(np, x, low, high):
    bounds = (low, high), (low, None), (None, high[:1]), (3, 50), (None, 50), (low[:1], high)
    return [right.clamp(np, x, *pair) for pair in bounds]


@each("clamp Tensor.clamp", lambda _: _whole_bounds, dtypes="i8 i16 i32 i64 u8", core=False)
def bounds_of_whole_numbers(t, dtype, function):
    """By tensors and numbers, in whole registers and beside them; the ends of the kind among them."""
    bits = 8 if dtype == "u8" else int(dtype[1:])
    ends = (0, 255) if dtype == "u8" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    x = t.const([*ends, *(n * 7 % 101 for n in range(65))], dtype)
    low, high = t.randint((67,), dtype, 0, 40), t.randint((67,), dtype, 30, 100)
    bounds = (low, high), (low, None), (None, high[:1]), (3, 50), (None, 50), (low[:1], high)
    made = [t.call(function, x, *pair) for pair in bounds]
    t.expect(all(one.dtype is x.dtype for one in made), "the dtype of the numbers")
    return made


@each("clamp Tensor.clamp", core=False)
def clamp_refuses_in_place(t, function):
    """No bound, fractions for integers, larger bounds; a number beside a tensor, a dtype that it cannot hold."""
    x, whole, change = t.randn((3,), "f32"), t.randint((3,), "i64", 0, 9), "torch.Tensor.clamp_"
    t.raises(RuntimeError, t.call, change, x)
    t.raises(RuntimeError, t.call, change, x, None, None)
    t.raises(RuntimeError, t.call, change, whole, max=2.5)
    t.raises(RuntimeError, t.call, change, whole, x)
    t.raises(RuntimeError, t.call, change, x, t.randn((2, 3), "f32"))
    t.raises(RuntimeError, t.call, change, x[:1].expand(3), 0, 1)
    for wrong in ((x, 0, x), (x, "0"), (x, [0]), (x, 0, 1, 2)):
        t.raises(TypeError, t.call, function, *wrong)
    t.raises(TypeError, t.call, function, x, low=0)


@case(CLAMP, core=False, reference="none")
def clamp_refuses_other_kinds(t):
    """Text, booleans, a bound that the dtype cannot hold."""
    t.raises(TypeError, t.call, CLAMP, t.randn((3,), "f32"), "0")
    t.raises(RuntimeError, t.call, CLAMP, t.randn((3,), "u8"), 300)
    t.raises((RuntimeError, NotImplementedError), t.call, CLAMP, t.randn((3,), "bool"), False, True)


# --- softmax

SOFTMAX = "torch.Tensor.softmax"


@case(SOFTMAX, dtypes="f32 f64", grad=True, core=False, reference=with_gradient(
      lambda np, x: reference_methods.softmax(np, x, -1), lambda np, w, x: reference_methods.softmax_pull(np, w, x, -1)))  # fmt: skip
def gradient_of_masked(t, dtype):
    """What is masked has the gradient zero, and makes no NaN of the rest."""
    rows = [[0, 1, -INF, 2, 0.5], [-INF, -1, 1, -INF, 0], [1000, 1001, 999, 1000.5, -1000]]
    return t.call(SOFTMAX, t.const(rows, dtype, grad=True), -1)


@case(SOFTMAX, dtypes="bf16 f16", grad=True, core=False, reference=with_gradient(
      lambda np, x: reference_methods.softmax(np, x, 1), lambda np, w, x: reference_methods.softmax_pull(np, w, x, 1)))  # fmt: skip
def gradient_through_a_dtype(t, dtype):
    """Computed in f32 and rounded once, the gradient in the dtype of the input."""
    made, slopes = t.call(SOFTMAX, t.randn((5, 12), dtype), 1, t.dtype("f32"))
    t.expect(made.dtype is t.dtype("f32"), "f32")
    t.expect(slopes[0].dtype is t.dtype(dtype), "the dtype of the input")
    return made, slopes


@case(SOFTMAX, dtypes="f16", grad=True, dim=-1, core=False, reference=reference_methods.first_share_gradient,
      rtol={"f16": 3e-3})  # a product of two rounded shares # fmt: skip
def gradient_of_half(t, dtype, dim):
    return t.call(lambda x: x.softmax(dim).narrow(dim, 0, 1), t.randn((4, 6, 9), dtype))


@case(SOFTMAX, dtypes="f32 bf16", core=False, reference=lambda np, x, one, row: [
      reference_methods.softmax(np, x, -3), reference_methods.softmax(np, x, 2), np.ones((7, 1)),
      reference_methods.softmax(np, row, 0), reference_methods.softmax(np, x, 0)[:, :0]])  # fmt: skip
def along_middle_and_short_axes(t, dtype):
    """Of four axes, of one number each, of a long row, and beside nothing."""
    x, one, row = t.randn((3, 4, 5, 2), dtype), t.randn((7, 1), dtype), t.randn((1025,), dtype)
    given = (x, -3), (x, 2), (one, 1), (row, 0), (x[:, :0], 0)
    return [t.call(SOFTMAX, *args) for args in given]


@case(SOFTMAX, core=False, reference="none")
def softmax_refuses_other_kinds(t):
    """Complex numbers, booleans, integers as dtype=, no axis."""
    kinds, x = (RuntimeError, NotImplementedError), t.randn((3,), "f32")
    t.raises(kinds, t.call, SOFTMAX, t.randn((3,), "c64"), 0)
    t.raises(kinds, t.call, SOFTMAX, t.randn((3,), "bool"), 0)
    t.raises(kinds, t.call, SOFTMAX, x, 0, dtype=t.fw.int64)
    t.raises(TypeError, t.call, SOFTMAX, x)
    t.raises(TypeError, t.call, SOFTMAX, x, "0")


# --- arange

ARANGE = "torch.arange"


@case(
    ARANGE,
    core=False,
    reference=lambda np: [np.arange(7), np.arange(2, 20, 5), np.arange(9, 2, -3)],
)
def by_keyword(t):
    return [
        t.call(ARANGE, end=7, device=t.device),
        t.call(ARANGE, start=2, end=20, step=5, device=t.device),
        t.call(ARANGE, 9, 2, step=-3, device=t.device),
    ]


@case(ARANGE, core=False, reference=lambda np: [np.arange(4), np.arange(1, 4, 0.5)])
def of_tensors_of_one_number(t):
    """Their dtypes count as those of numbers."""
    one = t.fw.tensor
    whole = t.call(ARANGE, one(4), device=t.device)
    part = t.call(ARANGE, one(1.0), one(4.0), one(0.5), device=t.device)
    t.expect(whole.dtype is t.fw.int64 and part.dtype is t.fw.float32, "int64, and floats")
    return whole, part


NEAR = [(0.0, -8 - 1e-6, -4.0), (1.0, 5 + 1e-6, 2.0), (0.0, -8.0, -4.0), (1.0, 5.0, 2.0), (-0.9, 2.1, 2.0), (1.1, 1.1, 1.0)]  # fmt: skip


@case(ARANGE, dtypes="f32 f64 bf16", core=False, reference=lambda np: [
      start + step * np.arange(np.ceil((end - start) / step)) for start, end, step in NEAR])  # fmt: skip
def ends_that_just_count(t, dtype):
    """Documented: as many as the ceiling of (end - start) / step."""
    return [t.call(ARANGE, *one, dtype=t.dtype(dtype), device=t.device) for one in NEAR]


@case(
    ARANGE,
    dtypes="f32 i64",
    core=False,
    reference=lambda np: [np.arange(5, 26, 5), np.arange(2, 5)] * 2,
)
def arange_into_gaps(t, dtype):
    """Every other number of what is given; a row of a matrix."""
    make = lambda size: t.fw.full(size, -7, dtype=t.dtype(dtype), device=t.device)  # noqa: E731
    gaps, matrix = make((10,)), make((2, 3))
    made = [t.call(ARANGE, 5, 26, 5, out=gaps[::2]), t.call(ARANGE, 2, 5, out=matrix[1])]
    t.expect(bool((t.host(gaps[1::2]) == -7).all()), "nothing between")
    t.expect(bool((t.host(matrix[0]) == -7).all()), "nothing beside")
    return [*made, gaps[::2], matrix[1]]


@case(ARANGE, dtypes="f32 i64", core=False, reference=lambda np: np.arange(9))
def arange_into_what_grows(t, dtype):
    none = t.fw.zeros((0,), dtype=t.dtype(dtype), device=t.device)
    t.expect(t.call(ARANGE, 9, out=none) is none, "the given tensor")
    return none


@case(ARANGE, core=False, reference=lambda np: [np.arange(-100, 101, 50), np.arange(4.0)])
def small_integers_and_another_default(t):
    """int8; floats are of the default dtype, also where that is another."""
    small = t.call(ARANGE, -100, 101, 50, dtype=t.fw.int8, device=t.device)
    before = t.fw.get_default_dtype()
    t.fw.set_default_dtype(t.fw.float16)
    try:
        floats = t.call(ARANGE, 0, 4.0, device=t.device)
    finally:
        t.fw.set_default_dtype(before)
    t.expect(small.dtype is t.fw.int8 and floats.dtype is t.fw.float16, "int8 and the default")
    return small, floats


@case(ARANGE, core=False, reference=lambda np: np.arange(-2, 2) * 2**62,
      cpu_fails="the count of what spans all integers overflows: none are made")  # fmt: skip
def over_all_integers(t):
    return t.call(ARANGE, -(2**63), 2**63 - 1, 2**62, device=t.device)


@case(ARANGE, core=False, reference="none")
def arange_refuses_other_kinds(t):
    """More than there can be; complex and boolean results; a given tensor that asks for a gradient."""
    kinds, learns = (RuntimeError, NotImplementedError), t.randn((4,), "f32", grad=True)
    t.raises(RuntimeError, t.call, ARANGE, 0, 1e30, device=t.device)
    t.raises(RuntimeError, t.call, ARANGE, 1j, device=t.device)
    t.raises(kinds, t.call, ARANGE, 3, dtype=t.fw.complex64, device=t.device)
    t.raises(kinds, t.call, ARANGE, 3, dtype=t.fw.bool, device=t.device)
    t.raises(RuntimeError, t.call, ARANGE, 4, out=learns)


@case(ARANGE, dtypes="f32 i64", core=False, reference=lambda np: [np.arange(4).reshape(2, 2), np.arange(600).reshape(50, 3, 4), np.arange(50)])  # fmt: skip
def arange_into_a_shape(t, dtype):
    """As many numbers as there are keep the shape: a part of a matrix, axes in another order. Another count is resized, with a
    warning."""
    make = lambda *size: t.fw.full(size, -7, dtype=t.dtype(dtype), device=t.device)  # noqa: E731
    matrix, turned, line = make(2, 3), make(3, 4, 50).permute(2, 0, 1), make(1, 49)
    made = [t.call(ARANGE, 4, out=matrix[:, 1:]), t.call(ARANGE, 0, 600, out=turned)]
    t.expect(t.host(matrix[:, 0]).tolist() == [-7, -7], "nothing beside")
    t.fw.set_warn_always(True)
    try:
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            made.append(t.call(ARANGE, 50, out=line))
    finally:
        t.fw.set_warn_always(False)
    t.expect(any("out tensor" in str(one.message) for one in seen), "a warning")
    return made


CORNERS = [(-4.0, 4.0, 0.01), (0, 5 + 1e-6), (0, 5 - 1e-6), (10, -1 + 1e-6, -1), (10, -1 - 1e-6, -1), (0.6, 0.89, 0.1), (1, 10, 0.3), (-1, 1, 2 / 49), (False, True, True), (0, -5, -2)]  # fmt: skip


@case(ARANGE, dtypes="f32 f64", core=False, reference=lambda np: [np.arange(*map(float, ends)) for ends in CORNERS])  # fmt: skip
def ends_in_corners(t, dtype):
    """Just before and just behind a number, many small steps, truths."""
    return [t.call(ARANGE, *ends, dtype=t.dtype(dtype), device=t.device) for ends in CORNERS]


@case(ARANGE, dtypes="f16 bf16", core=False, reference=lambda np: [np.arange(2100), np.arange(2000, -100, -1), np.arange(0, 525, 0.25)])  # fmt: skip
def long_in_few_digits(t, dtype):
    """Each number is rounded by itself: none stays where the steps become too small to count."""
    asked = (2100,), (2000, -100, -1), (0, 525, 0.25)
    return [t.call(ARANGE, *ends, dtype=t.dtype(dtype), device=t.device) for ends in asked]


@case(ARANGE, core=False, reference="none")
def arange_elsewhere(t):
    """On meta, as long as one likes; a tensor among the ends counts by its kind; more numbers than can be counted."""
    made = t.call(ARANGE, 2**40, device="meta")
    t.expect(made.is_meta and made.shape == (2**40,) and made.dtype is t.fw.int64, "on meta")
    part = t.call(ARANGE, 0, t.fw.tensor(3.5), device=t.device)
    t.expect(part.dtype is t.fw.float32 and t.host(part).tolist() == [0, 1, 2, 3], "floats")
    whole = t.call(ARANGE, t.fw.tensor(3, dtype=t.fw.int32), device=t.device)
    t.expect(
        whole.dtype is t.fw.int64 and t.host(whole).tolist() == [0, 1, 2], "int64 of any integer"
    )
    t.raises(RuntimeError, t.call, ARANGE, 1.175494351e-38, 3.402823466e38, device=t.device)
    t.raises(TypeError, t.call, ARANGE, device=t.device)


@case(ARANGE, core=False, reference="none")
def infers_a_dtype_of_tensors(t):
    """A float of any width among them gives the default dtype, integers of any width int64; truths count as zero and one."""
    one, fw = t.fw.tensor, t.fw
    wide, short = one(3.0, dtype=fw.float64), one(3, dtype=fw.int16)
    floats = ((1.0,), [0]), ((wide,), [0, 1, 2]), ((1.0, 3), [1, 2]), ((wide, 5), [3, 4]), ((one(1, dtype=fw.int16), one(3.0)), [1, 2]), (
             (one(1), short, one(1.0, dtype=fw.float64)), [1, 2])  # fmt: skip
    whole = ((short,), [0, 1, 2]), ((one(1), 3), [1, 2]), ((one(1), short, one(1, dtype=fw.int16)), [1, 2]), ((True,), [0]), ((False,), [])  # fmt: skip
    for given, dtype in ((floats, fw.float32), (whole, fw.int64)):
        for ends, want in given:
            made = t.call(ARANGE, *ends, device=t.device)
            t.expect(
                made.dtype is dtype and t.host(made).tolist() == want, "%s of %s" % (want, ends)
            )
    for ends in ((-5, NAN), (NAN, 10), (0, -INF, -1), (-INF, 10), (INF,)):
        t.raises(RuntimeError, t.call, ARANGE, *ends, device=t.device)


@case(ARANGE, core=False, reference="none")
def arange_not_into_one_place(t):
    one = t.randn((1,), "f32")
    t.raises(RuntimeError, t.call, ARANGE, 10, out=one.expand(10))


def _blocks(np, x, y):
    return [reference_methods.softmax(np, x, 1), reference_methods.softmax(np, x, 0), reference_methods.softmax(np, y, 1), reference_methods.softmax(np, y, 2)]  # fmt: skip


def _blocks_pull(np, w, x, y):
    pull = lambda at, one, axis: reference_methods.softmax_pull(np, w[at], one, axis)  # noqa: E731
    return pull(0, x, 1) + pull(1, x, 0), pull(2, y, 1) + pull(3, y, 2)


@case(SOFTMAX, dtypes="f32 f64", grad=True, core=False, reference=with_gradient(_blocks, _blocks_pull), name="beside_wide_axes_gradient")  # fmt: skip
@case(SOFTMAX, dtypes="f32 bf16 f16", core=False, reference=_blocks)
def beside_wide_axes(t, dtype):
    """Along outer axes, where what lies innermost is more than a register holds; of a transpose."""
    soft, x, y = t.get(SOFTMAX), t.randn((3, 5, 67), dtype), t.randn((3, 65, 4, 3), dtype)
    return t.call(lambda x, y: [soft(x, 1), soft(x, 0), soft(y, 1), soft(y.transpose(1, 3), 2).transpose(1, 3)], x, y)  # fmt: skip


@case(SOFTMAX, dtypes="f32 f64 bf16", core=False, reference=lambda np, x, mask: [
      reference_methods.softmax(np, np.where(mask | (np.arange(70) == 33), -np.inf, x), axis) for axis in (0, 1)])  # fmt: skip
def masked_columns(t, dtype):
    """A column without any number is NaN, and no other; infinity is, too."""
    x, mask = t.randn((5, 70), dtype), t.randn((5, 70), "bool")
    mask = mask | (t.fw.arange(70, device=t.device) == 33)
    return [t.call(SOFTMAX, x.masked_fill(mask, -INF), axis) for axis in (0, 1)]


@case(SOFTMAX, dtypes="f32 f64 bf16", core=False, reference="none")
def small_shares(t, dtype):
    """Shares down to e^-80 are right in relation to their size."""
    x = t.const([[0.0, -20, -40, -60, -80], [-60, 3, -50, 2, -70]], dtype)
    for axis in (0, 1):
        made = t.host(t.call(SOFTMAX, x, axis))
        error = abs(made / reference_methods.softmax(t.np, t.host(x), axis) - 1).max()
        near = {"f32": 1e-5, "f64": 1e-12, "bf16": 1e-2}[dtype]
        t.expect(error < near, "a relative error below %g, got %g" % (near, error))


@case(SOFTMAX, dtypes="f32 bf16 i32", core=False, reference=lambda np, x: [
      reference_methods.softmax(np, x.astype("float64"), axis) for axis in (1, -3)])  # fmt: skip
def with_the_digits_of_f64(t, dtype):
    """dtype=torch.float64 converts before the exponentials."""
    x, made = t.randint((3, 4, 5), dtype, -9, 9), []
    for axis in (1, -3):
        made.append(t.call(SOFTMAX, x, axis, dtype=t.fw.float64))
        t.expect(made[-1].dtype is t.fw.float64, "f64")
    return made
