"""Sums, products, extremes and means."""

from seamark_suites.case import case

from . import reference as right
from .reference import with_affine_gradient, with_gradient

# f32: the order of a sum is open; bf16 and f16 are rounded at the end of a sum in f32.
SUMS = {"f16": 4e-3, "f32": 1e-5, "f64": 1e-13, "c64": 1e-5}
SMALL = {"f32": 2e-5, "f64": 1e-13, "c64": 2e-5, "bf16": 4e-2, "f16": 4e-3}


def of_numpy(name):
    return lambda np, x, axis=None, keepdims=False: getattr(np, name)(
        x, axis=axis, keepdims=keepdims
    )


@case(
    "jax.numpy.sum",
    dtypes="f32 bf16 f16 i32 u8 c64 f64 i64",
    axis=[None, 0, (0, 2)],
    core="f32 bf16 i32",
    reference=of_numpy("sum"),
    rtol=SUMS,
    atol=SMALL,
)
def sum_(t, dtype, axis):
    return t.call("jax.numpy.sum", t.uniform((6, 7, 5), dtype, 0, 3), axis=axis)


@case("jax.numpy.sum", dtypes="f32 bf16 f64 c64", grad=True, core="f32", rtol=SUMS, atol=SMALL,
      reference=with_affine_gradient(lambda np, x: x.sum(1)))  # fmt: skip
def sum_gradient(t, dtype):
    return t.call("jax.numpy.sum", t.randn((6, 5), dtype), axis=1)


@case(
    "jax.numpy.sum",
    dtypes="f32 i32",
    shapes="0 3x0",
    axis=-1,
    trivial=True,
    reference=of_numpy("sum"),
    core="f32",
)
def empty_sum(t, dtype, shape, axis):
    return t.call("jax.numpy.sum", t.randn(shape, dtype), axis=axis)


@case("jax.numpy.sum", axis=[None, 0], reference=of_numpy("sum"))
def count_of_true(t, axis):
    return t.call("jax.numpy.sum", t.randn((9, 11), "bool"), axis=axis)


@case("jax.numpy.sum", reference="none", core=False)
def axis_out_of_range(t):
    t.raises(ValueError, t.call, "jax.numpy.sum", t.randn((3, 4), "f32"), axis=2)


@case(
    "jax.numpy.sum",
    dtypes="f32 f64",
    core="f32",
    keepdims=True,
    axis=1,
    reference=of_numpy("sum"),
    rtol=SUMS,
    atol=SMALL,
)
def larger_sum(t, dtype, axis, keepdims):
    return t.call(
        "jax.numpy.sum", t.uniform((256, 1000), dtype, 0, 1), axis=axis, keepdims=keepdims
    )


@case(
    "jax.numpy.prod",
    dtypes="f32 bf16 i32 f64 c64",
    axis=[None, 1],
    core="f32 bf16 i32",
    reference=of_numpy("prod"),
    rtol={"f32": 2e-5, "bf16": 4e-2, "f64": 1e-13, "c64": 2e-5},
)  # rounded at each product
def prod(t, dtype, axis):
    shape = (4, 6) if axis is None else (12, 6)  # enough rows to differ
    return t.call("jax.numpy.prod", t.uniform(shape, dtype, 1, 2.4), axis=axis)


@case("jax.numpy.prod", dtypes="f32 f64", grad=True, core="f32", rtol={"f32": 2e-5, "f64": 1e-13},
      reference=with_gradient(lambda np, x: x.prod(1), right.prod_pull))  # fmt: skip
def prod_gradient(t, dtype):
    return t.call("jax.numpy.prod", t.uniform((3, 6), dtype, 0.5, 2), axis=1)


@case(
    "jax.numpy.prod", dtypes="f32 i32", axis=1, trivial=True, reference=of_numpy("prod"), core="f32"
)
def empty_prod(t, dtype, axis):
    return t.call("jax.numpy.prod", t.randn((3, 0), dtype), axis=axis)


@case(
    "jax.numpy.max",
    dtypes="f32 bf16 f16 i32 u8 f64 i64",
    axis=[None, 0, -1],
    core="f32 bf16 i32",
    reference=of_numpy("max"),
)
def max_(t, dtype, axis):
    return t.call("jax.numpy.max", t.distinct((6, 7), dtype), axis=axis)


@case("jax.numpy.max", dtypes="f32 f64", grad=True, core="f32",
      reference=with_gradient(lambda np, x: x.max(1), right.max_pull))  # fmt: skip
def max_gradient(t, dtype):
    return t.call("jax.numpy.max", t.distinct((6, 7), dtype), axis=1)


@case("jax.numpy.max", dtypes="f32 f64", core="f32", reference=of_numpy("max"), axis=0)
def max_with_nan(t, dtype, axis):
    nan, inf = float("nan"), float("inf")
    return t.call("jax.numpy.max", t.const([[nan, 1.0, -inf], [2.0, inf, -inf]], dtype), axis=axis)


@case("jax.numpy.max", reference="none", core=False)
def max_of_nothing(t):
    t.raises(ValueError, t.call, "jax.numpy.max", t.randn((0,), "f32"))


@case(
    "jax.numpy.mean",
    dtypes="f32 bf16 f16 i32 c64 f64",
    axis=[None, 0],
    core="f32 bf16 i32",
    reference=of_numpy("mean"),
    rtol=SUMS,
    atol=SMALL,
)
def mean(t, dtype, axis):
    return t.call("jax.numpy.mean", t.uniform((16, 9), dtype, 0, 4), axis=axis)


@case("jax.numpy.mean", dtypes="f32 bf16 f64", grad=True, core="f32", rtol=SUMS, atol=SMALL,
      reference=with_affine_gradient(lambda np, x: x.mean(0, keepdims=True)))  # fmt: skip
def mean_gradient(t, dtype):
    return t.call("jax.numpy.mean", t.randn((6, 5), dtype), axis=0, keepdims=True)


@case("jax.numpy.mean", dtypes="f32", trivial=True, reference=lambda np, x: np.full(3, np.nan))
def mean_of_nothing(t, dtype):
    return t.call("jax.numpy.mean", t.randn((3, 0), dtype), axis=1)


@case(
    "jax.numpy.var",
    dtypes="f32 bf16 f16 i32 f64 c64",
    axis=[None, 0],
    ddof=[0, 1],
    core="f32 bf16",
    reference=lambda np, x, axis, ddof: np.var(x, axis=axis, ddof=ddof),
    rtol={"f16": 4e-3, "f32": 2e-5, "f64": 1e-12, "c64": 2e-5},
    atol={"f64": 1e-13},
)
def var(t, dtype, axis, ddof):
    return t.call("jax.numpy.var", t.uniform((16, 9), dtype, 0, 6), axis=axis, ddof=ddof)


@case("jax.numpy.var", dtypes="f32 f64", grad=True, core="f32", rtol={"f32": 2e-5, "f64": 1e-12},
      atol=SMALL, reference=with_gradient(lambda np, x: x.var(0), right.var_pull))  # fmt: skip
def var_gradient(t, dtype):
    return t.call("jax.numpy.var", t.randn((6, 5), dtype), axis=0)


@case(
    "jax.numpy.all",
    dtypes="bool f32 i32 f64",
    axis=[None, 1],
    core="bool f32",
    trivial=True,
    reference=of_numpy("all"),
)  # over everything it is false
def all_(t, dtype, axis):
    return t.call("jax.numpy.all", t.randint((20, 3), dtype, 0, 5), axis=axis)


@case(
    "jax.numpy.all", dtypes="bool", trivial=True, reference=lambda np, x, y: (np.all(x), np.all(y))
)
def all_of_nothing(t, dtype):
    return t.call("jax.numpy.all", t.const(True, dtype)), t.call(
        "jax.numpy.all", t.randn((0,), dtype)
    )


@case(
    "jax.numpy.average",
    dtypes="f32 bf16 i32 f64",
    axis=[None, 1],
    core="f32 bf16",
    rtol=SUMS,
    atol=SMALL,
    reference=lambda np, x, axis: np.average(x, axis=axis),
)
def average(t, dtype, axis):
    return t.call("jax.numpy.average", t.uniform((6, 7), dtype, 0, 5), axis=axis)


@case(
    "jax.numpy.average",
    dtypes="f32 bf16 f64",
    core="f32",
    rtol=dict(SUMS, bf16=2e-2),
    atol=SMALL,
    reference=lambda np, x, w: np.average(x, axis=1, weights=w, returned=True),
)  # the product is rounded to bf16 first
def weighted(t, dtype):
    values, weights = t.uniform((6, 7), dtype, 0, 5), t.uniform((7,), dtype, 0.5, 2)
    return t.call("jax.numpy.average", values, axis=1, weights=weights, returned=True)


@case("jax.numpy.average", dtypes="f32 f64", grad=True, core="f32", rtol=SUMS, atol=SMALL,
      reference=with_gradient(right.weighted_average, right.weighted_average_pull))  # fmt: skip
def average_gradient(t, dtype):
    return t.call(
        "jax.numpy.average", t.randn((6, 7), dtype), axis=1, weights=t.uniform((7,), dtype, 0.5, 2)
    )


@case(
    "jax.numpy.sum",
    dtypes="f32 i32",
    core=False,
    rtol=SUMS,
    atol=SMALL,
    reference=lambda np, x, w: np.sum(x, axis=1, where=w.astype(bool), initial=10),
)
def sum_where(t, dtype):
    values, chosen = t.uniform((4, 6), dtype, 0, 50), t.randn((4, 6), "bool")
    return t.call("jax.numpy.sum", values, axis=1, where=chosen, initial=10)


@case("jax.numpy.sum", dtypes="i8 u8", core=False, reference="none")
def narrow_integers_promote(t, dtype):
    values = t.const([100, 100, 100], dtype)
    wide = t.call("jax.numpy.sum", values)
    narrow = t.call("jax.numpy.sum", values, promote_integers=False)
    t.expect(int(wide) == 300, "300 in 32 bits, got %s" % wide)
    t.expect(int(narrow) == 44 and narrow.dtype == values.dtype, "44 in 8 bits, got %s" % narrow)


@case("jax.numpy.sum", dtypes="f32", core=False, reference=of_numpy("sum"), axis=1)
def sum_with_nan_and_inf(t, dtype, axis):
    nan, inf = float("nan"), float("inf")
    return t.call(
        "jax.numpy.sum", t.const([[nan, 1], [inf, 1], [inf, -inf], [1, 2]], dtype), axis=axis
    )


@case("jax.numpy.prod", core=False, reference=of_numpy("prod"), dtypes="bool i8", axis=0)
def prod_of_narrow_types(t, dtype, axis):
    return t.call("jax.numpy.prod", t.randint((5, 64), dtype, 0, 4), axis=axis)


@case(
    "jax.numpy.prod",
    core=False,
    dtypes="f32",
    rtol=SUMS,
    reference=lambda np, x, w: np.prod(
        x, axis=(0, 2), keepdims=True, where=w.astype(bool), initial=2
    ),
)
def prod_where(t, dtype):
    values, chosen = t.uniform((3, 4, 2), dtype, 1, 2), t.randn((3, 4, 2), "bool")
    return t.call("jax.numpy.prod", values, axis=(0, 2), keepdims=True, where=chosen, initial=2)


@case("jax.numpy.prod", core=False, dtypes="f32", reference="none")
def prod_gradient_with_a_zero(t, dtype):
    """The derivative by the zero is the product of the rest, not NaN."""
    found = t.call(t.fw.grad(t.fw.numpy.prod), t.const([2.0, 0.0, 5.0], dtype))
    t.expect(t.host(found).tolist() == [0.0, 10.0, 0.0], "0, 10, 0, got %s" % t.host(found))


@case("jax.numpy.prod", core=False, reference="none")
def prod_along_no_axis(t):
    t.raises(ValueError, t.call, "jax.numpy.prod", t.randn((3,), "f32"), axis=1)
    t.raises(TypeError, t.call, "jax.numpy.prod", "text")


@case(
    "jax.numpy.max",
    dtypes="f32 i32",
    core=False,
    reference=lambda np, x, w: np.max(
        x, axis=(0, 2), keepdims=True, where=w.astype(bool), initial=-50
    ),
)
def max_where(t, dtype):
    values, chosen = t.distinct((3, 4, 2), dtype), t.randn((3, 4, 2), "bool")
    return t.call("jax.numpy.max", values, axis=(0, 2), keepdims=True, where=chosen, initial=-50)


@case("jax.numpy.max", dtypes="bool c64", core=False, reference=of_numpy("max"), axis=0)
def max_of_other_types(t, dtype, axis):
    return t.call("jax.numpy.max", t.randint((2, 128), dtype, 0, 3), axis=axis)


@case("jax.numpy.max", dtypes="f32", core=False, reference="none")
def equal_maxima_share_the_gradient(t, dtype):
    found = t.call(t.fw.grad(t.fw.numpy.max), t.const([1.0, 2.0, 2.0], dtype))
    t.expect(t.host(found).tolist() == [0.0, 0.5, 0.5], "0, 1/2, 1/2, got %s" % t.host(found))


@case("jax.numpy.max", dtypes="f32", core=False, axis=[None, 0], reference=of_numpy("max"))
def large_max(t, dtype, axis):
    return t.call("jax.numpy.max", t.randn((515, 1027), dtype), axis=axis)


@case(
    "jax.numpy.mean",
    dtypes="f32",
    core=False,
    rtol=SUMS,
    atol=SMALL,
    reference=lambda np, x, w: np.mean(x, axis=1, keepdims=True, where=w.astype(bool)),
)
def mean_where(t, dtype):
    values = t.randn((2, 3), dtype)
    chosen = t.const([[True, False, True], [True, True, True]], "bool")
    return t.call("jax.numpy.mean", values, axis=1, keepdims=True, where=chosen)


@case("jax.numpy.mean", dtypes="bf16 i32", core=False, reference=lambda np, x: np.mean(x, axis=0))
def mean_in_another_type(t, dtype):
    return t.call("jax.numpy.mean", t.randint((8, 12), dtype, 0, 9), axis=0, dtype=t.dtype("f32"))


@case("jax.numpy.mean", dtypes="f16", core=False, reference="none")
def mean_does_not_overflow(t, dtype):
    """The sum is beyond f16; it is taken in f32."""
    found = t.call("jax.numpy.mean", t.const([60000.0, 60000.0, 30000.0], dtype))
    t.expect(abs(float(found) - 50000) < 32, "50,000, got %s" % found)


@case("jax.numpy.mean", core=False, dtypes="bool", reference=of_numpy("mean"), axis=0)
def share_of_true(t, dtype, axis):
    return t.call("jax.numpy.mean", t.randn((9, 11), dtype), axis=axis)


@case("jax.numpy.mean", core=False, reference="none")
def mean_along_no_axis(t):
    t.raises((IndexError, ValueError), t.call, "jax.numpy.mean", t.randn((3,), "f32"), axis=1)


@case(
    "jax.numpy.var",
    dtypes="f32",
    core=False,
    rtol={"f32": 2e-5},
    reference=lambda np, x, w: np.var(x, axis=1, keepdims=True, where=w.astype(bool)),
)
def var_where(t, dtype):
    values = t.randn((2, 4), dtype)
    chosen = t.const([[True, False, True, True], [True, True, True, False]], "bool")
    return t.call("jax.numpy.var", values, axis=1, keepdims=True, where=chosen)


@case(
    "jax.numpy.var",
    dtypes="f32 f64",
    core=False,
    reference=lambda np, x: np.var(x),
    rtol={"f32": 1e-3, "f64": 1e-9},
)
def var_far_from_zero(t, dtype):
    """E[x^2] - E[x]^2 would lose every digit."""
    return t.call("jax.numpy.var", t.randint((64,), dtype, 100000, 100009))


@case(
    "jax.numpy.var",
    dtypes="f32",
    core=False,
    trivial=True,
    reference=lambda np, none, one: np.full(2, np.nan),
)
def var_of_too_few(t, dtype):
    none = t.call("jax.numpy.var", t.randn((0,), dtype))
    one = t.call("jax.numpy.var", t.randn((1,), dtype), ddof=1)
    return t.fw.numpy.stack([none, one])


@case("jax.numpy.var", core=False, reference="none")
def var_with_two_corrections(t):
    t.raises(ValueError, t.call, "jax.numpy.var", t.randn((3,), "f32"), ddof=1, correction=1)


@case(
    "jax.numpy.all",
    dtypes="bool",
    core=False,
    trivial=True,
    reference=lambda np, x, w: np.all(x, axis=1, keepdims=True, where=w.astype(bool)),
)
def all_where(t, dtype):
    values = t.const([[True, False], [True, False], [False, True]], dtype)
    chosen = t.const([[True, False], [True, True], [False, True]], "bool")
    return t.call("jax.numpy.all", values, axis=1, keepdims=True, where=chosen)


@case("jax.numpy.all", dtypes="f32 c64", core=False, reference=of_numpy("all"), axis=1)
def all_of_numbers(t, dtype, axis):
    """NaN is true, both zeros are false."""
    nan = float("nan")
    return t.call("jax.numpy.all", t.const([[nan, 1], [-0.0, 1], [2, 3]], dtype), axis=axis)


@case("jax.numpy.all", core=False, reference=lambda np, x: np.all(x, axis=(0, 2)))
def all_over_axes(t):
    values = t.np.ones((2, 5, 300), bool)
    values[1, 3, 299] = values[0, 0, 0] = False
    return t.call("jax.numpy.all", t.const(values, "bool"), axis=(0, 2))


@case("jax.numpy.all", core=False, reference="none")
def all_along_no_axis(t):
    t.raises(ValueError, t.call, "jax.numpy.all", t.randn((3,), "bool"), axis=1)
    t.raises(TypeError, t.call, "jax.numpy.all", "text")


@case(
    "jax.numpy.average",
    dtypes="f32",
    core=False,
    rtol=SUMS,
    atol=SMALL,
    reference=lambda np, x, w: np.average(x, axis=(0, 2), weights=w, keepdims=True),
)
def weighted_over_axes(t, dtype):
    values, weights = t.uniform((3, 4, 2), dtype, 0, 5), t.uniform((3, 2), dtype, 0.5, 2)
    return t.call("jax.numpy.average", values, axis=(0, 2), weights=weights, keepdims=True)


@case(
    "jax.numpy.average",
    dtypes="c64",
    core=False,
    rtol=SUMS,
    atol=SMALL,
    reference=lambda np, x: np.average(x, axis=0),
)
def average_of_complex(t, dtype):
    return t.call("jax.numpy.average", t.randn((6, 3), dtype), axis=0)


@case(
    "jax.numpy.average", dtypes="f32", core=False, trivial=True, reference=lambda np, x, w: np.nan
)
def weights_of_zero(t, dtype):
    """NaN, where NumPy raises ZeroDivisionError."""
    return t.call("jax.numpy.average", t.randn((3,), dtype), weights=t.const([0.0] * 3, dtype))


@case("jax.numpy.average", core=False, reference="none")
def weights_that_do_not_fit(t):
    values = t.randn((2, 3), "f32")
    t.raises(ValueError, t.call, "jax.numpy.average", values, axis=1, weights=t.randn((2,), "f32"))
    t.raises(ValueError, t.call, "jax.numpy.average", values, weights=t.randn((3,), "f32"))


@case(
    "jax.numpy.var",
    dtypes="f32",
    core=False,
    rtol=SUMS,
    reference=lambda np, x: np.mean((x - 2) ** 2),
)
def var_about_a_given_mean(t, dtype):
    return t.call("jax.numpy.var", t.randn((30,), dtype), mean=t.fw.numpy.float32(2))
