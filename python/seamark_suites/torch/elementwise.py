"""Element by element, comparisons, reductions."""

from seamark_suites.case import case, table

from . import pointwise
from . import reference as right
from .reference import with_gradient

table(
    "torch",
    "round",
    dtypes="f32 f64 bf16 f16",
    shapes="64x33",
    core="f32 bf16",
    reference="numpy",
)
table("torch", "round", dtypes="f32", shapes="0", trivial=True, core=False, reference="numpy")
table("torch", "lt", arity=2, dtypes="f32 bf16 i64 bool", shapes="64x33", reference=right.less)
table(
    "torch",
    "bitwise_not",
    dtypes="i64 i32 bool",
    shapes="64x33",
    core="i64 bool",
    reference="numpy",
)
table(
    "torch", "bitwise_not", dtypes="u8", shapes="64x33", core=False, reference=lambda np, x: 255 - x
)


@case("torch.round", name="unary", dtypes="f32 f64 bf16 f16", shapes="scalar", core="f32 bf16",
      reference="numpy")  # fmt: skip
@case("torch.bitwise_not", name="unary", dtypes="i64", shapes="scalar", reference="numpy")
def of_one_number(t, dtype, shape, function):
    """Above one: a zero as the result would show nothing."""
    return t.call(function, t.uniform(shape, dtype, 1.5, 9))


@case("torch.log1p", dtypes="f32 f64 bf16 f16 c64", shapes="64x33", grad=True, core="f32 bf16 c64",
      reference=with_gradient(right.log1p, right.log1p_pull),
      rtol={"f16": 2e-3})  # the gradient rounds 1 + x to f16 first # fmt: skip
def log1p(t, dtype, shape):
    return t.call("torch.log1p", t.uniform(shape, dtype, -0.5, 4.0))


@case("torch.log1p", dtypes="f32 f64", reference="numpy")
def small_arguments(t, dtype):
    """log1p is there for arguments that 1 + x would lose."""
    x = t.const([1e-12, -1e-12, 1e-9, 3e-8, 0.25], dtype)
    y = t.call("torch.log1p", x)
    values, arguments = t.host(y), t.host(x)
    t.expect(
        bool((abs(values[:3] - arguments[:3]) < 1e-6 * abs(arguments[:3])).all()),
        "log1p(x) close to x for tiny x",
    )
    return y


@case("torch.round", dtypes="f32 f64", reference="numpy")
def half_to_even(t, dtype):
    return t.call("torch.round", t.const([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5], dtype))


@case(
    "torch.round",
    dtypes="f32 f64",
    decimals=[2, -1],
    core="f32",
    reference=lambda np, x, decimals: np.round(x, decimals),
)
def decimals(t, dtype, decimals):
    return t.call("torch.round", t.uniform((64,), dtype, -100, 100), decimals=decimals)


@case("torch.lt", dtypes="f32", reference=right.less)
def broadcast_and_nan(t, dtype):
    nan = float("nan")
    return t.call(
        "torch.lt", t.const([[1.0], [nan], [-3.0]], dtype), t.const([0.0, 2.0, nan, -5.0], dtype)
    )


@case("torch.sum", dtypes="f32 f64 bf16 f16 i32 bool c64", shapes="64x33", dim=[None, 0, (0, 1)], grad=True,
      core="f32 bf16 i32", reference=with_gradient(lambda np, x, dim: x.sum(dim), lambda np, w, x, dim: w))  # fmt: skip
def reduce(t, dtype, shape, dim):
    x = t.randn(shape, dtype)
    return t.call("torch.sum", x) if dim is None else t.call("torch.sum", x, dim=dim)


@case(
    "torch.sum",
    dtypes="f32",
    keepdim=[True, False],
    reference=lambda np, x, keepdim: x.sum((0, 2), keepdims=keepdim),
)
def noncontiguous(t, dtype, keepdim):
    return t.call(
        "torch.sum", t.randn((8, 5, 6), dtype, noncontiguous=True), dim=(0, 2), keepdim=keepdim
    )


@case("torch.sum", dtypes="f32 i64", trivial=True, reference=lambda np, x: x.sum(0))
def of_nothing(t, dtype):
    """The sum of no elements is zero."""
    return t.call("torch.sum", t.randn((0, 3), dtype), dim=0)


@case("torch.sum", dtypes="f32", core=False, reference=lambda np, x: x.sum())
def many(t, dtype):
    return t.call("torch.sum", t.uniform((1 << 20,), dtype))


@case("torch.sum", dtypes="f32 bf16", reference=lambda np, x: x.sum(1))
def widened(t, dtype):
    """dtype= accumulates in another type."""
    return t.call("torch.sum", t.randn((64, 33), dtype), dim=1, dtype=t.dtype("f64"))


# What each of these takes beside the above: other dtypes, no elements, strides, out=, in place.
table("torch", "round", dtypes="i64 u8", shapes="64x33", core=False, reference="numpy")
table(
    "torch",
    "lt",
    arity=2,
    dtypes="f64 f16 i32 u8",
    shapes="64x33",
    core=False,
    reference=right.less,
)
table(
    "torch", "lt", arity=2, dtypes="f32", shapes="0", trivial=True, core=False, reference=right.less
)
table("torch", "bitwise_not", dtypes="i8 i16", shapes="64x33", core=False, reference="numpy")
table("torch", "bitwise_not", dtypes="i64", shapes="0", trivial=True, core=False, reference="numpy")
table(
    "torch",
    "log1p",
    draw="uniform",
    dtypes="f32",
    shapes="scalar 1024x1024",
    core=False,
    reference="numpy",
)
table("torch", "log1p", dtypes="f32", shapes="0", trivial=True, core=False, reference="numpy")


@case("torch.round", dtypes="f32", core=False, reference=right.strided(right.rounded))
@case("torch.log1p", dtypes="f32", core=False, reference=right.strided(right.log1p))
@case("torch.bitwise_not", dtypes="i64", core=False, reference=right.strided(right.inverted))
def strided(t, dtype, function):
    x = t.randint((9, 14), dtype, 0, 9, noncontiguous=True)
    return t.call(function, x), t.call(function, (x + x.mT[:9, :9].sum()).mT)


@case("torch.round", dtypes="f32", core=False, reference=right.three_times(right.rounded))
@case("torch.log1p", dtypes="f32", core=False, reference=right.three_times(right.log1p))
@case("torch.bitwise_not", dtypes="i64", core=False, reference=right.three_times(right.inverted))
def out_and_in_place(t, dtype, function):
    x = t.randint((40,), dtype, 0, 20)
    if dtype[0] == "f":
        x = x / 8
    given, changed = t.fw.zeros_like(x), x.clone()
    made = t.call(function, x, out=given)
    t.call("%s_" % function.replace("torch.", "torch.Tensor."), changed)
    return made, given, changed


@case("torch.log1p", dtypes="i64 u8 bool", core=False, reference=right.log1p)
def integers_give_floats(t, dtype):
    return t.call("torch.log1p", t.randint((64,), dtype, 0, 2 if dtype == "bool" else 9))


@case("torch.log1p", dtypes="f32 f64", core=False, reference="numpy")
def at_the_edge(t, dtype):
    """-inf at -1, NaN below, and inf and NaN come through."""
    inf, nan = float("inf"), float("nan")
    return t.call("torch.log1p", t.const([-1.0, -2.0, inf, nan, 0.0, 1e30], dtype))


@case("torch.round", dtypes="f32 f64", core=False, reference="numpy")
def special_values(t, dtype):
    inf, nan = float("inf"), float("nan")
    made = t.call("torch.round", t.const([inf, -inf, nan, -0.0, -0.2, 1e30], dtype))
    signs = t.np.signbit(t.host(made))
    t.expect(bool(signs[3]) and bool(signs[4]), "negative zeros")
    return made


@case(
    "torch.round",
    dtypes="f32",
    grad=True,
    core=False,
    reference=with_gradient(right.rounded, lambda np, w, x: 0 * w),
)
def flat_gradient(t, dtype):
    return t.call("torch.round", t.uniform((20,), dtype, -9, 9))


@case("torch.round", dtypes="c64", reference="none", core=False)
@case("torch.lt", dtypes="c64", reference="none", core=False)
@case("torch.bitwise_not", dtypes="f32 c64", reference="none", core=False)
def wrong_dtype_raises(t, dtype, function):
    x = t.randn((4,), dtype)
    kinds = (RuntimeError, NotImplementedError)
    t.raises(kinds, t.call, function, *([x, x] if function == "torch.lt" else [x]))


@case("torch.lt", dtypes="f32 i64", core=False, reference=lambda np, x: x < 1)
def against_a_number(t, dtype):
    return t.call("torch.lt", t.randint((50,), dtype, -5, 5), 1)


@case("torch.lt", dtypes="f32 bf16", core=False, reference=right.less)
def mixed_dtypes(t, dtype):
    return t.call("torch.lt", t.randn((50,), dtype), t.randint((50,), "i64", -2, 2))


@case("torch.lt", dtypes="f32", core=False, reference=lambda np, x, y: (x < y.T,) * 2)
def strided_and_out(t, dtype):
    x, y = t.randn((8, 9), dtype, noncontiguous=True), t.randn((9, 8), dtype)
    given = t.fw.zeros((8, 9), dtype=t.fw.bool, device=t.device)
    return t.call("torch.lt", x, y.mT, out=given), given


@case("torch.lt", dtypes="f32", reference="none", core=False)
def shapes_that_do_not_fit(t, dtype):
    t.raises(RuntimeError, t.call, "torch.lt", t.randn((3,), dtype), t.randn((4,), dtype))


@case("torch.bitwise_not", dtypes="i64 bool", core=False, reference="numpy")
def as_an_operator(t, dtype):
    return t.call(lambda x: ~x, t.randn((30,), dtype))


@case("torch.sum", dtypes="f32", reference="none", core=False)
def no_such_axis(t, dtype):
    t.raises(IndexError, t.call, "torch.sum", t.randn((3, 4), dtype), dim=2)


@case("torch.sum", dtypes="f32 i64", core=False, reference=lambda np, x: (x[2, 3], x.sum(0)))
def of_a_scalar_and_out(t, dtype):
    x = t.randn((4, 5), dtype)
    given = t.fw.zeros((5,), dtype=x.dtype, device=t.device)
    t.call("torch.sum", x, dim=0, out=given)
    return t.call("torch.sum", x[2, 3]), given


# --- what does not start where its memory does

ENDS = "sum Tensor.sum mean max min"


def _at_ends(t, dtype, function):
    """Rows of zeros with one number at the first, the last and both ends, behind up to three NaN; minus that for the least."""
    sign = -4096.0 if function.endswith("min") else 4096.0
    for shift in (1, 2, 3):
        x = t.np.zeros((3, 4096 + shift))
        x[:, :shift] = float("nan")
        x[[0, 2], shift] = x[[1, 2], -1] = sign
        yield t.const(x, dtype)[:, shift:]


def _from_ends(function):
    name = function.rpartition(".")[2]

    def reference(np, *drawn):
        made = []
        for shift, x in zip((1, 2, 3), drawn[:3]):
            made += [getattr(np, name)(row) for row in x[:, shift:]] + [getattr(np, name)(x[:, shift:], -1)]  # fmt: skip
        for shift, x in zip((1, 2, 3), drawn[3:]):
            for part in (x[1:, shift:], x[:, shift::2]):
                made += [getattr(np, name)(part, axis) for axis in (0, 1)]
        return made

    return reference


@pointwise.each(ENDS, _from_ends, dtypes="f16 bf16 f32 f64", core=False)
def behind_the_start(t, dtype, function):
    """From the second to the fourth number on, of thousands whose ends alone count; each other one, with NaN between."""
    f, made = t.get(function), []
    along = lambda x, axis: f(x, axis).values if function.endswith(("max", "min")) else f(x, axis)  # noqa: E731
    for x in _at_ends(t, dtype, function):
        made += [t.call(f, row) for row in x] + [t.call(along, x, -1)]
    for shift in (1, 2, 3):
        x = t.uniform((9, 301), dtype, 0.5, 1.5)
        gaps = t.fw.full_like(x, float("nan"))
        gaps[:, shift::2] = x[:, shift::2]
        made += [t.call(along, part, axis) for part in (x[1:, shift:], gaps[:, shift::2]) for axis in (0, 1)]  # fmt: skip
    return made


@case("torch.mean", dtypes="c64 c128", core=False, reference=lambda np, real, imag, odd: [real[5:].mean(1), imag[5:].mean(1)])  # fmt: skip
def of_complex_parts_that_are_none(t, dtype):
    """A NaN or an infinity in one part is in that part of the mean of its row, whose other part need not be a number; other rows are numbers."""
    fw, inf, nan = t.fw, float("inf"), float("nan")
    odd = [complex(nan, 1), complex(1, nan), complex(inf, 1), complex(1, inf), complex(-inf, 1)]
    real, imag = (t.uniform((9, 7), {"c64": "f32", "c128": "f64"}[dtype], 0.5, 1.5) for _ in "ri")
    x = fw.complex(real, imag)
    x[:5, 3] = t.const(odd, dtype)
    made = t.call("torch.mean", x, 1)
    first = t.host(made)
    for row, want in enumerate(odd):
        part = "imag" if row in (1, 3) else "real"
        got = getattr(first[row], part)
        t.expect(t.np.array_equal(got, getattr(want, part), equal_nan=True), "%s of row %d, got %s" % (part, row, got))  # fmt: skip
    return [made.real[5:].clone(), made.imag[5:].clone()]
