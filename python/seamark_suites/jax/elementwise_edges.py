"""Element by element, beyond the usual: edge values, empty and large arrays, promotion, wrong calls."""

from seamark_suites.case import case, table

from . import reference as right

NEAR = {"f16": 4e-3, "bf16": 1e-2, "f32": 1e-5, "f64": 1e-13, "c64": 1e-5, "c128": 1e-13}
SERIES = {"f16": 1e-2, "bf16": 2e-2, "f32": 2e-5, "f64": 1e-12}
NAN, INF = float("nan"), float("inf")


# Large: more than one tile or block of any device, and no multiple of one.
for _names, _draw in (("exp cos", "randn"), ("log sqrt", "uniform")):
    table(
        "jax.numpy",
        _names,
        draw=_draw,
        dtypes="f32 bf16",
        shapes="515x1027",
        reference="numpy",
        core=False,
        rtol=NEAR,
        atol={"f32": 1e-5},
    )
    table(
        "jax.numpy",
        _names,
        draw=_draw,
        dtypes="f32",
        shapes="0 3x0",
        reference="numpy",
        core=False,
        trivial=True,
    )
table(
    "jax.numpy", "exp cos", dtypes="f32", shapes="scalar", reference="numpy", core=False, rtol=NEAR
)


@case("jax.numpy.exp", reference="none", core=False)
def exp_of_text(t):
    t.raises(TypeError, t.call, "jax.numpy.exp", "text")


@case("jax.numpy.cos", reference="none", core=False)
def cos_of_text(t):
    t.raises(TypeError, t.call, "jax.numpy.cos", "text")


@case("jax.numpy.log", reference="none", core=False)
def log_of_text(t):
    t.raises(TypeError, t.call, "jax.numpy.log", "text")


@case("jax.numpy.sqrt", reference="none", core=False)
def sqrt_of_text(t):
    t.raises(TypeError, t.call, "jax.numpy.sqrt", "text")


@case("jax.numpy.cos", dtypes="f32 f64", reference="numpy", core=False, rtol=NEAR)
def edges_of_cos(t, dtype):
    return t.call("jax.numpy.cos", t.const([INF, -INF, NAN, 0.0, -0.0, 1.0], dtype))


@case(
    "jax.numpy.sqrt",
    dtypes="f32 f64",
    reference="numpy",
    core=False,
    rtol=NEAR,
    atol={"f32": 0.0, "f64": 0.0},
)
def edges_of_sqrt(t, dtype):
    return t.call("jax.numpy.sqrt", t.const([0.0, -0.0, -1.0, INF, NAN, 4.0, 1e-30], dtype))


# --- add


@case("jax.numpy.add", dtypes="f32", shapes="515x1027", reference="numpy", core=False)
def large_add(t, dtype, shape):
    return t.call("jax.numpy.add", t.randn(shape, dtype), t.randn(shape, dtype))


@case(
    "jax.numpy.add",
    other=["i32", "bf16", "bool"],
    core=False,
    reference=lambda np, x, y, other: x + y,
)
def add_promotes(t, other):
    return t.call("jax.numpy.add", t.randn((12,), "f32"), t.randn((12,), other))


@case("jax.numpy.add", dtypes="bf16 i8", core=False, reference=lambda np, x: x + 2)
def python_scalars_are_weak(t, dtype):
    """A Python number takes the array's type and does not widen it."""
    result = t.call("jax.numpy.add", t.randint((12,), dtype, -9, 9), 2)
    t.expect(t.place == "wide" or result.dtype == t.dtype(dtype), "the array's dtype")
    return result


@case("jax.numpy.add", dtypes="f32 bf16", reference="numpy", core=False)
def edges_of_add(t, dtype):
    left = t.const([INF, INF, NAN, -0.0, 1.0], dtype)
    return t.call("jax.numpy.add", left, t.const([-INF, 1.0, 1.0, 0.0, 2.0], dtype))


# --- power and integer_pow


@case("jax.numpy.power", dtypes="f32 f64", reference="numpy", core=False, rtol=NEAR)
def edges_of_power(t, dtype):
    base = t.const([0.0, 0.0, -8.0, INF, NAN, 2.0, -2.0], dtype)
    return t.call("jax.numpy.power", base, t.const([0.0, -1.0, 0.5, 0.0, 0.0, NAN, 3.0], dtype))


@case("jax.numpy.power", core=False, reference=lambda np, x, y: x**y, rtol=NEAR)
def power_promotes(t):
    return t.call("jax.numpy.power", t.randint((4, 1), "i32", 2, 6), t.uniform((6,), "f32", 0, 2))


@case("jax.numpy.power", dtypes="i32 i8", reference=lambda np, x, y: x**y, core=False)
def power_of_integers(t, dtype):
    return t.call("jax.numpy.power", t.randint((20,), dtype, -2, 4), t.randint((20,), dtype, 0, 4))


@case("jax.numpy.power", reference="none", core=False)
def integers_to_negative_powers(t):
    t.raises(TypeError, t.call, "jax.numpy.power", t.randint((3,), "i32", 1, 5), -1)


@case("jax.numpy.power", dtypes="f32", shapes="0 3x0", reference="numpy", trivial=True, core=False)
def power_of_nothing(t, dtype, shape):
    return t.call("jax.numpy.power", t.randn(shape, dtype), t.randn(shape, dtype))


@case(
    "jax.lax.integer_pow",
    dtypes="f32 i32",
    y=[0, 1],
    trivial=True,
    reference=lambda np, x, y: x**y,
    core=False,
)  # y=0 gives ones
def smallest_exponents(t, dtype, y):
    return t.call("jax.lax.integer_pow", t.uniform((10,), dtype, -4, 5), y)


@case("jax.lax.integer_pow", dtypes="f32 f64", y=[-1, 2], core=False, rtol=NEAR,
      reference=right.integer_pow)  # fmt: skip
def edges_of_integer_pow(t, dtype, y):
    return t.call("jax.lax.integer_pow", t.const([0.0, -2.0, INF, -INF, NAN], dtype), y)


@case("jax.lax.integer_pow", dtypes="f32", shapes="0 scalar", y=3, trivial=True, core=False,
      reference=right.integer_pow)  # fmt: skip
def integer_pow_of_little(t, dtype, shape, y):
    return t.call("jax.lax.integer_pow", t.randn(shape, dtype), y)


@case("jax.lax.integer_pow", dtypes="f16", y=[-2, 3], core=False, rtol={"f16": 4e-3},
      reference=right.integer_pow)  # fmt: skip
def integer_pow_in_half(t, dtype, y):
    return t.call("jax.lax.integer_pow", t.uniform((30,), dtype, 1, 4), y)


@case("jax.lax.integer_pow", reference="none", core=False)
def wrong_exponents(t):
    integers = t.randint((3,), "i32", 1, 5)
    t.raises(TypeError, t.call, "jax.lax.integer_pow", integers, -1)
    t.raises(TypeError, t.call, "jax.lax.integer_pow", t.randn((3,), "bool"), 2)


# --- comparison, bits, choice


@case("jax.lax.ge", dtypes="f32", shapes="0 scalar", trivial=True, core=False,
      reference=lambda np, x, y: x >= y)  # fmt: skip
def ge_of_little(t, dtype, shape):
    return t.call("jax.lax.ge", t.randn(shape, dtype), t.randn(shape, dtype))


@case("jax.lax.ge", dtypes="f32 i32", core=False, reference=lambda np, x: x >= 1)
def ge_a_python_number(t, dtype):
    number = 1 if dtype == "i32" else 1.0  # a Python int is no float to lax
    return t.call("jax.lax.ge", t.randint((20,), dtype, -3, 4), number)


@case("jax.lax.ge", reference="none", core=False)
def ge_of_what_has_no_order(t):
    complex_ = t.randn((3,), "c64")
    t.raises(TypeError, t.call, "jax.lax.ge", complex_, complex_)
    t.raises(TypeError, t.call, "jax.lax.ge", t.randn((3,), "f32"), t.randn((4,), "f32"))
    t.raises(TypeError, t.call, "jax.lax.ge", t.randn((3,), "f32"), t.randn((2, 3), "f32"))


@case(
    "jax.lax.bitwise_and",
    dtypes="i8 i16 i32",
    core=False,
    reference=lambda np, x, y: np.bitwise_and(x, y),
)
def bits_of_negative_numbers(t, dtype):
    left = t.const([-1, -2, 5, -128, 127], dtype)
    return t.call("jax.lax.bitwise_and", left, t.const([7, -3, -1, 127, -128], dtype))


@case("jax.lax.bitwise_and", dtypes="i32", shapes="0 scalar", trivial=True, core=False,
      reference=lambda np, x, y: x & y)  # fmt: skip
def bits_of_little(t, dtype, shape):
    return t.call(
        "jax.lax.bitwise_and", t.randint(shape, dtype, 0, 99), t.randint(shape, dtype, 0, 99)
    )


@case("jax.lax.bitwise_and", reference="none", core=False)
def bits_that_do_not_fit(t):
    bits = t.randint((3,), "i32", 0, 9)
    t.raises(TypeError, t.call, "jax.lax.bitwise_and", bits, t.randint((4,), "i32", 0, 9))
    t.raises(TypeError, t.call, "jax.lax.bitwise_and", bits, t.randint((3,), "i8", 0, 9))


@case(
    "jax.lax.select",
    dtypes="f32 bf16",
    core=False,
    reference=lambda np, which, x, y: np.where(which, x, y),
)
def nan_in_the_other_branch(t, dtype):
    which = t.const([True, False, True, False], "bool")
    kept = t.const([1.0, NAN, 3.0, INF], dtype)
    return t.call("jax.lax.select", which, kept, t.const([NAN, 2.0, -INF, 4.0], dtype))


@case("jax.lax.select", dtypes="f32", shapes="0 3x0", trivial=True, core=False,
      reference=lambda np, w, x, y: np.where(w, x, y))  # fmt: skip
def select_of_nothing(t, dtype, shape):
    which = t.randn(shape, "bool")
    return t.call("jax.lax.select", which, t.randn(shape, dtype), t.randn(shape, dtype))


@case("jax.lax.select", dtypes="f32", core=False, reference=lambda np, w, x, y: np.where(w, x, y))
def large_select(t, dtype):
    shape = (515, 1027)
    return t.call(
        "jax.lax.select", t.randn(shape, "bool"), t.randn(shape, dtype), t.randn(shape, dtype)
    )


@case("jax.lax.select", reference="none", core=False)
def wrong_selections(t):
    x, y = t.randn((3,), "f32"), t.randn((3,), "i32")
    t.raises(TypeError, t.call, "jax.lax.select", t.randn((3,), "bool"), x, y)
    t.raises(TypeError, t.call, "jax.lax.select", t.randn((1,), "bool"), x, x)


# --- special functions


@case(
    "jax.lax.erf",
    dtypes="f32 f64",
    core=False,
    reference=right.special("erf"),
    rtol=SERIES,
    atol={"f32": 0.0, "f64": 0.0},
)
def edges_of_erf(t, dtype):
    return t.call("jax.lax.erf", t.const([0.0, -0.0, INF, -INF, NAN, 9.0, -1e-20, 1e-3], dtype))


@case("jax.lax.erf", dtypes="f32", shapes="0 3x0", trivial=True, core=False,
      reference=right.special("erf"))  # fmt: skip
def erf_of_nothing(t, dtype, shape):
    return t.call("jax.lax.erf", t.randn(shape, dtype))


@case("jax.lax.erf", dtypes="f32", core=False, reference=right.special("erf"), rtol=SERIES)
def large_erf(t, dtype):
    return t.call("jax.lax.erf", t.uniform((515, 1027), dtype, 0.1, 3))


@case("jax.lax.erf", reference="none", core=False)
def erf_of_complex(t):
    t.raises(TypeError, t.call, "jax.lax.erf", t.randn((3,), "c64"))


@case("jax.scipy.special.ndtr", dtypes="f32 f64", core=False, reference=right.special("ndtr"))
def edges_of_ndtr(t, dtype):
    return t.call("jax.scipy.special.ndtr", t.const([-INF, INF, NAN, 0.0, -60.0, 60.0], dtype))


@case("jax.scipy.special.ndtr", dtypes="f32", shapes="0 3x0", trivial=True, core=False,
      reference=right.special("ndtr"))  # fmt: skip
def ndtr_of_nothing(t, dtype, shape):
    return t.call("jax.scipy.special.ndtr", t.randn(shape, dtype))


@case("jax.scipy.special.ndtr", reference="none", core=False)
def types_without_ndtr(t):
    for dtype in ("bf16", "i32"):
        t.raises(TypeError, t.call, "jax.scipy.special.ndtr", t.randint((3,), dtype, 0, 5))


@case(
    "jax.scipy.special.i0", dtypes="f32 f64", core=False, reference=right.special("i0"), rtol=SERIES
)
def edges_of_i0(t, dtype):
    return t.call("jax.scipy.special.i0", t.const([0.0, 8.0, -8.0, 8.1, 80.0, NAN], dtype))


@case("jax.scipy.special.i0", core=False, reference=right.special("i0"), rtol=SERIES)
def i0_of_integers(t):
    return t.call("jax.scipy.special.i0", t.randint((12,), "i32", -6, 7))


@case("jax.scipy.special.i0", dtypes="f32", shapes="0 3x0", trivial=True, core=False,
      reference=right.special("i0"))  # fmt: skip
def i0_of_nothing(t, dtype, shape):
    return t.call("jax.scipy.special.i0", t.randn(shape, dtype))


@case("jax.scipy.special.i0", reference="none", core=False)
def i0_of_complex(t):
    t.raises(TypeError, t.call, "jax.scipy.special.i0", t.randn((3,), "c64"))


@case(
    "jax.scipy.special.gammaln",
    dtypes="bf16 f16",
    core=False,
    rtol={"bf16": 2e-2, "f16": 4e-3},
    reference=right.special("gammaln"),
)
def gammaln_in_half(t, dtype):
    return t.call("jax.scipy.special.gammaln", t.uniform((40,), dtype, 3, 30))


@case(
    "jax.scipy.special.gammaln",
    dtypes="f32 f64",
    core=False,
    rtol={"f32": 1e-5, "f64": 1e-12},
    atol={"f32": 1e-6, "f64": 1e-13},
    reference=right.special("gammaln"),
)
def edges_of_gammaln(t, dtype):
    """Poles, both zeros, an argument below zero."""
    return t.call(
        "jax.scipy.special.gammaln", t.const([0.0, -1.0, INF, NAN, -0.5, 1.0, 2.0, 1e6], dtype)
    )


@case(
    "jax.scipy.special.gammaln",
    core=False,
    reference=right.special("gammaln"),
    rtol=SERIES,
    atol={"f32": 1e-6},
)
def gammaln_of_integers(t):
    return t.call("jax.scipy.special.gammaln", t.randint((12,), "i32", 1, 20))


@case("jax.scipy.special.gammaln", dtypes="f32", shapes="0 3x0", trivial=True, core=False,
      reference=right.special("gammaln"))  # fmt: skip
def gammaln_of_nothing(t, dtype, shape):
    return t.call("jax.scipy.special.gammaln", t.uniform(shape, dtype, 1, 2))


@case("jax.scipy.special.gammaln", reference="none", core=False)
def gammaln_of_complex(t):
    t.raises(TypeError, t.call, "jax.scipy.special.gammaln", t.randn((3,), "c64"))


@case("jax.scipy.stats.norm.cdf", dtypes="f32 f64", core=False, reference=right.norm_cdf)
def edges_of_norm_cdf(t, dtype):
    return t.call("jax.scipy.stats.norm.cdf", t.const([-INF, INF, NAN, 0.0, -60.0, 60.0], dtype))


@case(
    "jax.scipy.stats.norm.cdf",
    dtypes="f32 f64",
    core=False,
    rtol={"f32": 1e-4, "f64": 1e-12},
    atol={"f32": 0.0, "f64": 0.0},
    reference=right.norm_cdf,
)
def tail_of_norm_cdf(t, dtype):
    return t.call("jax.scipy.stats.norm.cdf", t.uniform((40,), dtype, -8, -3))


@case("jax.scipy.stats.norm.cdf", core=False, reference=right.norm_cdf, rtol=SERIES)
def norm_cdf_broadcasts_and_promotes(t):
    values, loc = t.randint((5,), "i32", -3, 4), t.uniform((5,), "f32", -1, 1)
    return t.call("jax.scipy.stats.norm.cdf", values, loc, t.uniform((4, 1), "f32", 1, 3))


@case("jax.scipy.stats.norm.cdf", dtypes="f32", shapes="0 scalar", trivial=True, core=False,
      reference=right.norm_cdf)  # fmt: skip
def norm_cdf_of_little(t, dtype, shape):
    return t.call("jax.scipy.stats.norm.cdf", t.randn(shape, dtype))


@case("jax.scipy.stats.norm.cdf", reference="none", core=False)
def types_without_norm_cdf(t):
    t.raises(TypeError, t.call, "jax.scipy.stats.norm.cdf", t.randn((3,), "bf16"))
    t.raises(TypeError, t.call, "jax.scipy.stats.norm.cdf", "text")


# --- stop_gradient


@case("jax.lax.stop_gradient", dtypes="bool c64", core=False, reference=lambda np, x: x)
def stop_gradient_of_other_types(t, dtype):
    return t.call("jax.lax.stop_gradient", t.randn((6, 4), dtype))


@case(
    "jax.lax.stop_gradient",
    dtypes="f32 i32",
    core=False,
    reference=lambda np, x, y: {"a": x, "b": [y]},
)
def stop_gradient_of_a_tree(t, dtype):
    return t.call(
        "jax.lax.stop_gradient", {"a": t.distinct((3,), dtype), "b": [t.randn((), dtype)]}
    )


def forward_through_stop(x):
    import jax

    value, tangent = jax.jvp(jax.jit(lambda y: y * jax.lax.stop_gradient(y)), (x,), (x + 1,))
    return value, tangent


@case(
    "jax.lax.stop_gradient",
    dtypes="f32 f64",
    core=False,
    rtol=NEAR,
    reference=lambda np, x: (x * x, x * (x + 1)),
)
def stop_in_forward_mode(t, dtype):
    return t.call(forward_through_stop, t.uniform((6,), dtype, 1, 2))


@case("jax.lax.stop_gradient", dtypes="f32", shapes="0 scalar", trivial=True, core=False,
      reference=lambda np, x: x)  # fmt: skip
def stop_gradient_of_little(t, dtype, shape):
    return t.call("jax.lax.stop_gradient", t.randn(shape, dtype))
