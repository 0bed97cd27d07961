"""Reductions, scans and special functions."""

from seamark_suites.case import case

from . import reference as right
from .reference import with_gradient

# Sums of 33 terms: TensorFlow's own tests of reductions allow 1e-5 in f32.
_SUM = {"f32": 1e-5}


@case(
    "tf.math.reduce_logsumexp",
    dtypes="f32 f16 bf16 f64",
    shapes="100 8x33",
    axis=[None, -1, 0],
    core="f32 bf16",
    rtol=_SUM,
    reference=right.logsumexp,
)
def reduce_logsumexp(t, dtype, shape, axis):
    return t.call("tf.math.reduce_logsumexp", t.randn(shape, dtype), axis=axis)


@case(
    "tf.math.reduce_logsumexp",
    dtypes="f32 f64",
    grad=True,
    rtol=_SUM,
    reference=with_gradient(lambda np, x: right.logsumexp(np, x, 1, True)),
)
def reduce_logsumexp_gradient(t, dtype):
    return t.call("tf.math.reduce_logsumexp", t.randn((6, 9), dtype), axis=1, keepdims=True)


@case(
    "tf.math.reduce_logsumexp", dtypes="f32 f16", reference=lambda np, x: right.logsumexp(np, x, 1)
)
def reduce_logsumexp_large(t, dtype):
    """exp alone would overflow."""
    return t.call("tf.math.reduce_logsumexp", t.uniform((4, 5), dtype, 1000, 1010), axis=1)


@case("tf.math.reduce_logsumexp", dtypes="f32", reference="none", core=False)
def reduce_logsumexp_infinite(t, dtype):
    """Of nothing but -inf it is -inf, not NaN."""
    result = t.host(
        t.call(
            "tf.math.reduce_logsumexp", t.const([[-t.np.inf] * 3, [0, 0, t.np.inf]], dtype), axis=1
        )
    )
    t.expect(result[0] == -t.np.inf and result[1] == t.np.inf, "-inf and inf, got %s" % result)


@case(
    "tf.math.reduce_mean",
    dtypes="f32 f16 bf16 f64 c64",
    shapes="100 8x33",
    axis=[None, 0],
    core="f32 bf16",
    rtol=_SUM,
    reference=right.mean,
)
def reduce_mean(t, dtype, shape, axis):
    return t.call("tf.math.reduce_mean", t.randn(shape, dtype), axis=axis)


@case(
    "tf.math.reduce_mean",
    dtypes="i32 i64",
    reference=lambda np, x, **_: (np.sum(x, 1) // 7).astype(np.int64),
)
def reduce_mean_integer(t, dtype):
    """Integer division rounds down for these positive numbers."""
    return t.call("tf.math.reduce_mean", t.randint((5, 7), dtype, 0, 100), axis=1)


@case(
    "tf.math.reduce_mean",
    dtypes="f32",
    grad=True,
    reference=with_gradient(lambda np, x: right.mean(np, x, (0, 1), True)),
)
def reduce_mean_gradient(t, dtype):
    return t.call("tf.math.reduce_mean", t.randn((6, 9), dtype), axis=[0, 1], keepdims=True)


@case("tf.math.reduce_mean", dtypes="f32", reference="none", core=False)
def reduce_mean_of_nothing(t, dtype):
    result = t.host(t.call("tf.math.reduce_mean", t.randn((3, 0), dtype), axis=1))
    t.expect(result.shape == (3,) and bool(t.np.isnan(result).all()), "NaN, got %s" % result)


@case(
    "tf.math.reduce_mean",
    dtypes="f32",
    core=False,
    rtol=_SUM,
    reference=lambda np, x: right.mean(np, x, 1),
)
def reduce_mean_large(t, dtype):
    return t.call("tf.math.reduce_mean", t.uniform((256, 1024), dtype, 0, 1), axis=1)


@case(
    "tf.math.cumprod",
    dtypes="f32 f16 bf16 f64 i32 i64 c64",
    axis=[0, -1],
    core="f32 i64",
    rtol={"f32": 1e-5, "bf16": 4e-2, "f16": 4e-3},
    reference=right.cumprod,
)
def cumprod(t, dtype, axis):
    """A product of up to eight roundings: 8 half units of the last place in bf16 and f16."""
    if dtype[0] == "i":
        return t.call("tf.math.cumprod", t.randint((5, 8), dtype, 1, 4), axis=axis)
    return t.call("tf.math.cumprod", t.uniform((5, 8), dtype, 0.5, 1.5), axis=axis)


@case(
    "tf.math.cumprod",
    dtypes="f32",
    exclusive=[True, False],
    reverse=[True, False],
    rtol={"f32": 1e-5},
    reference=right.cumprod,
)
def cumprod_options(t, dtype, exclusive, reverse):
    x = t.uniform((4, 9), dtype, 0.5, 1.5)
    return t.call("tf.math.cumprod", x, axis=1, exclusive=exclusive, reverse=reverse)


@case(
    "tf.math.cumprod",
    dtypes="f32",
    grad=True,
    rtol={"f32": 1e-5},
    reference=with_gradient(right.cumprod),
)
def cumprod_gradient(t, dtype):
    return t.call("tf.math.cumprod", t.uniform((3, 6), dtype, 0.5, 1.5), axis=1)


@case("tf.math.cumprod", dtypes="f32", core=False, rtol={"f32": 1e-4}, reference=right.cumprod)
def cumprod_long(t, dtype):
    return t.call("tf.math.cumprod", t.uniform((2, 1000), dtype, 0.95, 1.05), axis=1)


def _erfc_of_root(np, a, x, **_):
    """igammac(1/2, x) is erfc(sqrt(x))."""
    import math

    return np.vectorize(lambda value: math.erfc(math.sqrt(value)))(x)


@case(
    "tf.math.igammac",
    dtypes="f32 f64 bf16 f16",
    core="f32 f64",
    rtol={"f32": 1e-4, "f16": 5e-3, "bf16": 4e-2},
    cpu_fails={
        "bf16 f16": "the operator takes the type, and no CPU kernel of TensorFlow 2.21 does"
    },
    reference=right.igammac,
)
def igammac(t, dtype):
    """A series or a continued fraction: TensorFlow's tests allow 1e-4 in f32."""
    return t.call(
        "tf.math.igammac", t.uniform((6, 8), dtype, 0.5, 8), t.uniform((6, 8), dtype, 0.2, 10)
    )


@case("tf.math.igammac", dtypes="f32 f64", reference=_erfc_of_root, rtol={"f32": 1e-5})
def igammac_half(t, dtype):
    return t.call("tf.math.igammac", t.const([0.5] * 12, dtype), t.uniform((12,), dtype, 0.1, 4))


@case(
    "tf.math.igammac",
    dtypes="f32",
    grad=True,
    rtol={"f32": 1e-3},
    atol={"f32": 1e-5},
    reference=with_gradient(right.igammac),
)
def igammac_gradient(t, dtype):
    return t.call("tf.math.igammac", t.uniform((9,), dtype, 1, 5), t.uniform((9,), dtype, 1, 5))


@case("tf.math.igammac", dtypes="f32", reference="none", core=False)
def igammac_bounds(t, dtype):
    result = t.host(
        t.call(
            "tf.math.igammac",
            t.const([1.0, 2.0, -1.0], dtype),
            t.const([0.0, t.np.inf, 1.0], dtype),
        )
    )
    t.expect(
        result[0] == 1 and result[1] == 0 and t.np.isnan(result[2]), "1, 0 and NaN, got %s" % result
    )
