"""Element by element: jax.numpy, jax.lax, jax.scipy.special and jax.scipy.stats."""

from seamark_suites.case import case, table

from . import reference as right
from .reference import with_gradient

# The reference is exact; XLA's own elementary functions are good to a few units in the last place.
NEAR = {"f16": 4e-3, "f32": 1e-5, "f64": 1e-13, "c64": 1e-5, "c128": 1e-13}
# Series and rational approximations: a few ten units.
SERIES = {"f16": 1e-2, "bf16": 2e-2, "f32": 2e-5, "f64": 1e-12}


@case(
    "jax.numpy.add",
    dtypes="f32 bf16 f16 i32 i8 u8 c64 f64 i64 c128",
    shapes="64x33 scalar",
    reference="numpy",
    core="f32 bf16 i32",
)
def add(t, dtype, shape):
    return t.call("jax.numpy.add", t.randn(shape, dtype), t.uniform(shape, dtype, 1, 5))


@case("jax.numpy.add", reference=lambda np, x, y: np.logical_or(x, y))
def booleans(t):
    return t.call("jax.numpy.add", t.randn((99,), "bool"), t.randn((99,), "bool"))


@case("jax.numpy.add", dtypes="f32 bf16", reference=lambda np, x, y: x + y)
def broadcast(t, dtype):
    return t.call("jax.numpy.add", t.randn((7, 1, 5), dtype), t.randn((4, 1), dtype))


@case("jax.numpy.add", dtypes="f32 bf16 f64 c64", grad=True, core="f32",
      reference=with_gradient(lambda np, x, y: x + y, right.add_pull))  # fmt: skip
def gradient(t, dtype):
    return t.call("jax.numpy.add", t.randn((6, 5), dtype), t.randn((5,), dtype))


@case(
    "jax.numpy.add", dtypes="f32 i32", shapes="0 3x0", trivial=True, reference="numpy", core="f32"
)
def empty(t, dtype, shape):
    return t.call("jax.numpy.add", t.randn(shape, dtype), t.randn(shape, dtype))


@case("jax.numpy.add", reference="none", core=False)
def shapes_that_do_not_fit(t):
    t.raises(TypeError, t.call, "jax.numpy.add", t.randn((3,), "f32"), t.randn((4,), "f32"))
    t.raises(TypeError, t.call, "jax.numpy.add", t.randn((3,), "f32"), "text")


@case("jax.numpy.add", dtypes="i8 u8", core=False, reference="none")
def wraps_around(t, dtype):
    total = t.call("jax.numpy.add", t.const([127, 120], dtype), t.const([1, 100], dtype))
    want = {"i8": [-128, -36], "u8": [128, 220]}[dtype]
    t.expect(
        t.host(total).tolist() == want,
        "two's complement %s, got %s" % (want, t.host(total).tolist()),
    )


table(
    "jax.numpy",
    "exp cos",
    dtypes="f32 bf16 f16 i32 c64 f64 c128",
    shapes="64x33",
    reference="numpy",
    core="f32 bf16",
    rtol=NEAR,
)


@case("jax.numpy.exp", dtypes="f32 bf16 f64 c64", grad=True, core="f32", rtol=NEAR,
      reference=with_gradient(lambda np, x: np.exp(x), right.exp_pull))  # fmt: skip
def exp_gradient(t, dtype):
    return t.call("jax.numpy.exp", t.randn((20,), dtype))


@case("jax.numpy.exp", dtypes="f32 f64", reference="numpy", core="f32", rtol=NEAR)
def edges_of_exp(t, dtype):
    return t.call(
        "jax.numpy.exp", t.const([0.0, -0.0, float("inf"), -float("inf"), float("nan"), 1.0], dtype)
    )


@case("jax.numpy.cos", dtypes="f32 bf16 f64 c64", grad=True, core="f32", rtol=NEAR,
      atol={"f32": 1e-5},
      reference=with_gradient(lambda np, x: np.cos(x), right.cos_pull))  # fmt: skip
def cos_gradient(t, dtype):
    return t.call("jax.numpy.cos", t.randn((20,), dtype))


@case(
    "jax.numpy.cos",
    dtypes="f32 f64",
    reference="numpy",
    core="f32",
    atol={"f32": 1e-5, "f64": 1e-13},
)
def large_arguments(t, dtype):
    return t.call("jax.numpy.cos", t.uniform((100,), dtype, -1e4, 1e4))


@case(
    "jax.numpy.log",
    dtypes="f32 bf16 f16 i32 f64 c64 c128",
    shapes="64x33 scalar",
    reference="numpy",
    core="f32 bf16",
    rtol=NEAR,
    atol={"f32": 1e-5},
)
def log(t, dtype, shape):
    return t.call("jax.numpy.log", t.uniform(shape, dtype, 1, 9))


@case("jax.numpy.log", dtypes="f32 bf16 f64", grad=True, core="f32", rtol=NEAR, atol={"f32": 1e-5},
      reference=with_gradient(lambda np, x: np.log(x), lambda np, w, x: w / x))  # fmt: skip
def log_gradient(t, dtype):
    return t.call("jax.numpy.log", t.uniform((20,), dtype, 0.5, 4))


@case("jax.numpy.log", dtypes="f32 f64", reference="numpy", core="f32", rtol=NEAR)
def edges_of_log(t, dtype):
    return t.call("jax.numpy.log", t.const([0.0, -1.0, 1.0, float("inf"), 2.0], dtype))


@case(
    "jax.numpy.sqrt",
    dtypes="f32 bf16 f16 i32 f64",
    shapes="64x33 scalar",
    reference="numpy",
    core="f32 bf16",
    rtol=NEAR,
)
def sqrt(t, dtype, shape):
    return t.call("jax.numpy.sqrt", t.uniform(shape, dtype, 1, 100))


@case(
    "jax.numpy.sqrt",
    dtypes="c64 c128",
    reference="numpy",
    core=False,
    rtol=NEAR,
    atol={"c64": 1e-5},
)
def complex_sqrt(t, dtype):
    return t.call("jax.numpy.sqrt", t.randn((50,), dtype))


@case("jax.numpy.sqrt", dtypes="f32 bf16 f64", grad=True, core="f32", rtol=NEAR,
      reference=with_gradient(lambda np, x: np.sqrt(x), lambda np, w, x: w / np.sqrt(x) / 2))  # fmt: skip
def sqrt_gradient(t, dtype):
    return t.call("jax.numpy.sqrt", t.uniform((20,), dtype, 0.5, 4))


@case(
    "jax.numpy.power",
    dtypes="f32 bf16 f16 f64 c64",
    shapes="64x33",
    reference="numpy",
    core="f32 bf16",
    rtol={"f16": 1e-2, "bf16": 4e-2, "f32": 4e-5, "f64": 1e-12, "c64": 4e-5},
)  # exp(y log x): the error grows with y
def power(t, dtype, shape):
    return t.call(
        "jax.numpy.power", t.uniform(shape, dtype, 0.5, 3), t.uniform(shape, dtype, 0.5, 2)
    )


@case(
    "jax.numpy.power",
    dtypes="i32 f32 bf16 i64",
    exponent=[0, 2, 5],
    reference=lambda np, x, exponent: x**exponent,
    trivial=True,
    core="i32 f32",
    rtol={"bf16": 4e-2, "f32": 1e-5},
)  # exponent 0 gives ones
def whole_exponent(t, dtype, exponent):
    return t.call("jax.numpy.power", t.uniform((30,), dtype, -4, 5), exponent)


@case("jax.numpy.power", dtypes="f32 f64", grad=True, core="f32", rtol={"f32": 1e-4, "f64": 1e-12},
      reference=with_gradient(lambda np, x, y: x**y, right.power_pull))  # fmt: skip
def power_gradient(t, dtype):
    return t.call(
        "jax.numpy.power", t.uniform((20,), dtype, 0.5, 3), t.uniform((20,), dtype, -1, 2)
    )


@case("jax.lax.integer_pow", dtypes="f32 bf16 i32 f64 c64", y=[-2, 3], core="f32 bf16",
      rtol={"bf16": 4e-2, "f32": 1e-5, "c64": 1e-5, "f64": 1e-13},
      reference=right.integer_pow)  # rounded after each product  # fmt: skip
def integer_pow(t, dtype, y):
    if dtype == "i32":
        y = abs(y)  # a negative power of an integer is not defined
    return t.call("jax.lax.integer_pow", t.uniform((30,), dtype, 1, 4), y)


@case("jax.lax.integer_pow", dtypes="f32 f64", grad=True, core="f32",
      rtol={"f32": 1e-5, "f64": 1e-13},
      reference=with_gradient(lambda np, x: x**3, lambda np, w, x: w * 3 * x**2))  # fmt: skip
def integer_pow_gradient(t, dtype):
    return t.call("jax.lax.integer_pow", t.uniform((30,), dtype, 1, 4), 3)


@case(
    "jax.lax.ge",
    dtypes="f32 bf16 f16 i32 u8 bool f64 i64",
    shapes="64x33",
    core="f32 bf16 i32",
    reference=lambda np, x, y: np.greater_equal(x, y),
)
def ge(t, dtype, shape):
    return t.call("jax.lax.ge", t.randn(shape, dtype), t.randn(shape, dtype))


@case("jax.lax.ge", dtypes="f32 f64", core="f32", reference=lambda np, x, y: np.greater_equal(x, y))
def ge_with_nan(t, dtype):
    nan, inf = float("nan"), float("inf")
    return t.call(
        "jax.lax.ge", t.const([nan, 0.0, inf, -0.0], dtype), t.const([nan, nan, inf, 0.0], dtype)
    )


@case("jax.lax.ge", reference="none", core=False)
def types_that_differ(t):
    t.raises(TypeError, t.call, "jax.lax.ge", t.randn((3,), "f32"), t.randn((3,), "i32"))


@case(
    "jax.lax.bitwise_and",
    dtypes="i32 u8 i8 i16 u32 bool i64 u64",
    shapes="64x33",
    core="i32 u8 bool",
    reference=lambda np, x, y: np.bitwise_and(x, y),
)
def bitwise_and(t, dtype, shape):
    low, high = (0, 2) if dtype == "bool" else (0, 127)
    return t.call(
        "jax.lax.bitwise_and",
        t.randint(shape, dtype, low, high),
        t.randint(shape, dtype, low, high),
    )


@case("jax.lax.bitwise_and", reference="none", core=False)
def floats_have_no_bits(t):
    t.raises(TypeError, t.call, "jax.lax.bitwise_and", t.randn((3,), "f32"), t.randn((3,), "f32"))


@case(
    "jax.lax.select",
    dtypes="f32 bf16 i32 bool c64 f64",
    shapes="64x33",
    core="f32 bf16 i32",
    reference=lambda np, which, x, y: np.where(which, x, y),
)
def select(t, dtype, shape):
    return t.call(
        "jax.lax.select", t.randn(shape, "bool"), t.randn(shape, dtype), t.randn(shape, dtype)
    )


@case("jax.lax.select", dtypes="f32 f64", pred=[True, False], core="f32", grad=True,
      reference=with_gradient(lambda np, which, x, y, pred: x if pred else y, right.select_pull))  # fmt: skip
def scalar_predicate(t, dtype, pred):
    return t.call(
        "jax.lax.select", t.const(pred, "bool"), t.randn((5, 4), dtype), t.randn((5, 4), dtype)
    )


@case("jax.lax.select", reference="none", core=False)
def branches_that_differ(t):
    t.raises(
        TypeError,
        t.call,
        "jax.lax.select",
        t.const(True, "bool"),
        t.randn((3,), "f32"),
        t.randn((4,), "f32"),
    )


@case(
    "jax.lax.erf",
    dtypes="f32 bf16 f16 f64",
    shapes="64x33 scalar",
    core="f32 bf16",
    reference=right.special("erf"),
    rtol=SERIES,
)
def erf(t, dtype, shape):
    return t.call("jax.lax.erf", t.uniform(shape, dtype, 0.1, 3))


@case("jax.lax.erf", dtypes="f32 bf16 f64", grad=True, core="f32", rtol=SERIES,
      reference=right.special_with_gradient("erf", right.erf_slope))  # fmt: skip
def erf_gradient(t, dtype):
    return t.call("jax.lax.erf", t.uniform((20,), dtype, -2, 2))


@case("jax.lax.erf", reference="none", core=False)
def erf_of_integers(t):
    t.raises(TypeError, t.call, "jax.lax.erf", t.randint((3,), "i32", 0, 5))


@case(
    "jax.scipy.special.ndtr",
    dtypes="f32 f64",
    shapes="64x33 scalar",
    core="f32",
    rtol=SERIES,
    reference=right.special("ndtr"),
)
def ndtr(t, dtype, shape):
    return t.call("jax.scipy.special.ndtr", t.uniform(shape, dtype, -3, 3))


@case(
    "jax.scipy.special.ndtr",
    dtypes="f32 f64",
    core="f32",
    rtol={"f32": 1e-4, "f64": 1e-12},
    atol={"f32": 0.0, "f64": 0.0},
    reference=right.special("ndtr"),
)  # the far tail, where erfc is needed
def tail(t, dtype):
    return t.call("jax.scipy.special.ndtr", t.uniform((40,), dtype, -8, -3))


@case("jax.scipy.special.ndtr", dtypes="f32 f64", grad=True, core="f32", rtol=SERIES,
      reference=right.special_with_gradient("ndtr", right.normal_density))  # fmt: skip
def ndtr_gradient(t, dtype):
    return t.call("jax.scipy.special.ndtr", t.uniform((20,), dtype, -2, 2))


@case(
    "jax.scipy.special.i0",
    dtypes="f32 bf16 f16 f64",
    shapes="64x33 scalar",
    core="f32 bf16",
    rtol=SERIES,
    reference=right.special("i0"),
)
def i0(t, dtype, shape):
    return t.call("jax.scipy.special.i0", t.uniform(shape, dtype, -9, 9))


@case("jax.scipy.special.i0", dtypes="f32 f64", grad=True, core="f32",
      rtol={"f32": 1e-4, "f64": 1e-12}, atol={"f32": 1e-4},
      reference=right.special_with_gradient("i0", right.special("i1")))  # fmt: skip
def i0_gradient(t, dtype):
    return t.call("jax.scipy.special.i0", t.uniform((20,), dtype, -4, 4))


@case(
    "jax.scipy.special.gammaln",
    dtypes="f32 f64",
    shapes="64x33 scalar",
    core="f32",
    rtol={"f32": 1e-4, "f64": 1e-12},
    atol={"f32": 1e-5, "f64": 1e-13},
    reference=right.special("gammaln"),
)
def gammaln(t, dtype, shape):
    return t.call("jax.scipy.special.gammaln", t.uniform(shape, dtype, 0.2, 30))


@case("jax.scipy.special.gammaln", dtypes="f32 f64", grad=True, core="f32",
      rtol={"f32": 1e-4, "f64": 1e-12}, atol={"f32": 1e-4, "f64": 1e-12},
      reference=right.special_with_gradient("gammaln", right.special("psi")))  # zero at 1.46  # fmt: skip
def gammaln_gradient(t, dtype):
    return t.call("jax.scipy.special.gammaln", t.uniform((20,), dtype, 0.5, 6))


@case(
    "jax.scipy.stats.norm.cdf",
    dtypes="f32 f64",
    loc=[0.0, 1.5],
    scale=[1.0, 2.0],
    core="f32",
    rtol=SERIES,
    reference=right.norm_cdf,
)
def norm_cdf(t, dtype, loc, scale):
    return t.call("jax.scipy.stats.norm.cdf", t.uniform((50,), dtype, -3, 3), loc=loc, scale=scale)


@case("jax.scipy.stats.norm.cdf", dtypes="f32 f64", grad=True, core="f32", rtol=SERIES,
      atol={"f32": 1e-5},
      reference=with_gradient(right.norm_cdf_about_a_half, right.norm_cdf_about_a_half_pull))  # fmt: skip
def norm_cdf_gradient(t, dtype):
    return t.call(
        "jax.scipy.stats.norm.cdf",
        t.uniform((20,), dtype, -2, 2),
        0.5,
        t.uniform((20,), dtype, 1, 2),
    )


@case(
    "jax.lax.stop_gradient", dtypes="f32 bf16 i32 f64", core="f32 bf16", reference=lambda np, x: x
)
def stop_gradient(t, dtype):
    return t.call("jax.lax.stop_gradient", t.randn((6, 4), dtype))


def partly_stopped(x):
    import jax

    return x * jax.lax.stop_gradient(x)


@case(
    "jax.lax.stop_gradient",
    dtypes="f32 f64",
    grad=True,
    core="f32",
    reference=lambda np, x: (x * x, [x * np.linspace(0.5, 1.5, x.size).reshape(x.shape)]),
    rtol={"f32": 1e-5, "f64": 1e-13},
)
def half_of_the_gradient(t, dtype):
    return t.call(partly_stopped, t.uniform((6, 4), dtype, 1, 2))
