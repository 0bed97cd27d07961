"""Sums, products, extremes and means."""

from seamark_suites.case import case

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


@case("jax.numpy.sum", dtypes="f32 bf16 f64 c64", grad=True, core="f32", rtol=SUMS, atol=SMALL)
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
    return t.call("jax.numpy.prod", t.uniform((4, 6), dtype, 1, 2.4), axis=axis)


@case("jax.numpy.prod", dtypes="f32 f64", grad=True, core="f32", rtol={"f32": 2e-5, "f64": 1e-13})
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


@case("jax.numpy.max", dtypes="f32 f64", grad=True, core="f32")
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


@case("jax.numpy.mean", dtypes="f32 bf16 f64", grad=True, core="f32", rtol=SUMS, atol=SMALL)
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


@case(
    "jax.numpy.var",
    dtypes="f32 f64",
    grad=True,
    core="f32",
    rtol={"f32": 2e-5, "f64": 1e-12},
    atol=SMALL,
)
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


@case("jax.numpy.average", dtypes="f32 f64", grad=True, core="f32", rtol=SUMS, atol=SMALL)
def average_gradient(t, dtype):
    return t.call(
        "jax.numpy.average", t.randn((6, 7), dtype), axis=1, weights=t.uniform((7,), dtype, 0.5, 2)
    )
