"""Element by element: choice, bounds, tests of numbers and activations."""

from seamark_suites.case import case

from .reference import with_gradient

# XLA's own elementary functions are good to a few units in the last place.
NEAR = {"f16": 4e-3, "f32": 1e-5, "f64": 1e-12}
SPECIAL = [float("nan"), float("inf"), -float("inf"), -0.0, 0.0, 2.5]


def softmax_of(np, x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def softmax_pull(np, w, x):
    y = softmax_of(np, x)
    return y * (w - (w * y).sum(-1, keepdims=True))


@case(
    "jax.numpy.maximum",
    dtypes="f32 bf16 i32 f16 f64 u8",
    shapes="64x33",
    core="f32 bf16 i32",
    reference="numpy",
)
@case(
    "jax.numpy.minimum",
    dtypes="f32 bf16 i32 f16 f64 u8",
    shapes="64x33",
    core="f32 bf16 i32",
    reference="numpy",
)
@case(
    "jax.numpy.logical_and",
    dtypes="bool f32 i32 bf16 u8",
    shapes="64x33",
    core="bool f32 i32",
    reference="numpy",
)
@case(
    "jax.numpy.maximum",
    dtypes="f32",
    shapes="2500x2000",
    large=True,
    name="large",
    reference="numpy",
)
@case(
    "jax.numpy.minimum",
    dtypes="f32",
    shapes="2500x2000",
    large=True,
    name="large",
    reference="numpy",
)
@case(
    "jax.numpy.logical_and",
    dtypes="bool",
    shapes="5000x4000",
    large=True,
    name="large",
    reference="numpy",
)
def of_two(t, function, dtype, shape):
    if function.endswith("logical_and"):  # some of the numbers are zero
        return t.call(function, t.randint(shape, dtype, 0, 2), t.randint(shape, dtype, 0, 2))
    return t.call(function, t.randn(shape, dtype), t.randn(shape, dtype))


@case(
    "jax.numpy.maximum", dtypes="f32 bf16", core=False, reference=lambda np, x, y: np.maximum(x, y)
)
@case(
    "jax.numpy.minimum", dtypes="f32 bf16", core=False, reference=lambda np, x, y: np.minimum(x, y)
)
@case(
    "jax.numpy.logical_and",
    dtypes="bool i32",
    core=False,
    reference=lambda np, x, y: np.logical_and(x, y),
)
def broadcast_of_two(t, function, dtype):
    if function.endswith("logical_and"):  # of each kind some in every draw
        flags = t.const([[[0, 1, 1, 0, 3]]] * 7, dtype), t.const([[2], [0], [1], [1]], dtype)
        return t.call(function, *flags)
    return t.call(function, t.randn((7, 1, 5), dtype), t.randn((4, 1), dtype))


@case(
    "jax.numpy.maximum", dtypes="f32 f64", core=False, reference=lambda np, x, y: np.maximum(x, y)
)
@case(
    "jax.numpy.minimum", dtypes="f32 f64", core=False, reference=lambda np, x, y: np.minimum(x, y)
)
@case(
    "jax.numpy.logical_and",
    dtypes="f32 f64",
    core=False,
    reference=lambda np, x, y: np.logical_and(x, y),
)
def special_values_of_two(t, function, dtype):
    return t.call(
        function, t.const(SPECIAL, dtype), t.const([1.0, 0.0, -3.0, 0.0, float("nan"), 4.0], dtype)
    )


@case(
    "jax.numpy.maximum",
    dtypes="f32 bf16",
    grad=True,
    reference=with_gradient(
        lambda np, x, y: np.maximum(x, y), lambda np, w, x, y: (w * (x > y), w * (x < y))
    ),
)
@case(
    "jax.numpy.minimum",
    dtypes="f32 bf16",
    grad=True,
    reference=with_gradient(
        lambda np, x, y: np.minimum(x, y), lambda np, w, x, y: (w * (x < y), w * (x > y))
    ),
)
def gradient_of_two(t, function, dtype):
    # Whole numbers and whole numbers plus a half: no ties.
    x = t.distinct((24,), dtype)
    return t.call(function, x, t.uniform((24,), dtype, 0.25, 0.75))


@case("jax.numpy.maximum", reference="none", core=False)
@case("jax.numpy.minimum", reference="none", core=False)
@case("jax.numpy.logical_and", reference="none", core=False)
def shapes_of_two_that_do_not_fit(t, function):
    t.refuses(function, t.randn((3,), "f32"), t.randn((4,), "f32"))
    t.refuses(function, t.randn((3,), "f32"), "text")


@case(
    "jax.numpy.abs",
    dtypes="f32 bf16 i32 f16 f64 c64 i8",
    shapes="64x33",
    core="f32 bf16 i32",
    reference="numpy",
    rtol={"c64": 1e-5},
)
@case(
    "jax.numpy.square",
    dtypes="f32 bf16 i32 f16 f64 c64",
    shapes="64x33",
    core="f32 bf16 i32",
    reference="numpy",
    atol={"c64": 1e-5},
)
@case(
    "jax.numpy.abs", dtypes="f32", shapes="2500x2000", large=True, name="large", reference="numpy"
)
@case(
    "jax.numpy.square",
    dtypes="f32",
    shapes="2500x2000",
    large=True,
    name="large",
    reference="numpy",
)
def of_one(t, function, dtype, shape):
    return t.call(function, t.randn(shape, dtype))


@case("jax.numpy.abs", dtypes="f32 f64", core=False, reference="numpy")
@case("jax.numpy.square", dtypes="f32 f64", core=False, reference="numpy")
@case("jax.numpy.isfinite", dtypes="f32 bf16 f16 f64", core="f32 bf16", reference="numpy")
@case("jax.numpy.isnan", dtypes="f32 bf16 f16 f64", core="f32 bf16", reference="numpy")
def special_values(t, function, dtype):
    return t.call(function, t.const(SPECIAL, dtype))


@case(
    "jax.numpy.isfinite",
    dtypes="i32 bool",
    core=False,
    trivial=True,
    reference=lambda np, x: np.ones(x.shape, bool),
)
@case(
    "jax.numpy.isnan",
    dtypes="i32 bool",
    core=False,
    trivial=True,
    reference=lambda np, x: np.zeros(x.shape, bool),
)
def exact_numbers(t, function, dtype):
    return t.call(function, t.randn((5, 4), dtype))


@case("jax.numpy.isfinite", dtypes="f32", large=True, reference=lambda np, x: np.isfinite(x))
@case("jax.numpy.isnan", dtypes="f32", large=True, reference=lambda np, x: np.isnan(x))
def large_with_holes(t, function, dtype):
    values = t.np.arange(5000000.0)
    values[::7] = float("nan")
    return t.call(function, t.const(values, dtype))


@case(
    "jax.numpy.abs",
    dtypes="f32 bf16",
    grad=True,
    reference=with_gradient(lambda np, x: abs(x), lambda np, w, x: w * np.sign(x)),
)
@case(
    "jax.numpy.square",
    dtypes="f32 bf16",
    grad=True,
    reference=with_gradient(lambda np, x: x * x, lambda np, w, x: 2 * w * x),
)
@case(
    "jax.numpy.log1p",
    dtypes="f32 bf16",
    grad=True,
    rtol=NEAR,
    reference=with_gradient(lambda np, x: np.log1p(x), lambda np, w, x: w / (1 + x)),
)
@case(
    "jax.nn.softplus",
    dtypes="f32 bf16",
    grad=True,
    rtol=NEAR,
    reference=with_gradient(
        lambda np, x: np.logaddexp(x, 0), lambda np, w, x: w / (1 + np.exp(-x))
    ),
)
def gradient(t, function, dtype):
    return t.call(function, t.uniform((24,), dtype, 0.5, 3))


@case("jax.numpy.abs", reference="none", core=False)
@case("jax.numpy.square", reference="none", core=False)
@case("jax.numpy.isfinite", reference="none", core=False)
@case("jax.numpy.isnan", reference="none", core=False)
@case("jax.numpy.log1p", reference="none", core=False)
@case("jax.nn.softplus", reference="none", core=False)
def text_raises(t, function):
    t.refuses(function, "text")


@case(
    "jax.numpy.log1p",
    dtypes="f32 bf16 f16 f64",
    shapes="64x33",
    core="f32 bf16",
    rtol=NEAR,
    reference="numpy",
)
@case(
    "jax.nn.softplus",
    dtypes="f32 bf16 f16 f64",
    shapes="64x33",
    core="f32 bf16",
    rtol=NEAR,
    reference=lambda np, x: np.logaddexp(x, 0),
)
@case(
    "jax.numpy.log1p",
    dtypes="f32",
    shapes="2500x2000",
    large=True,
    name="large",
    rtol=NEAR,
    reference="numpy",
)
@case(
    "jax.nn.softplus",
    dtypes="f32",
    shapes="1500x1000",
    large=True,
    name="large",
    rtol=NEAR,
    reference=lambda np, x: np.logaddexp(x, 0),
)
def positive(t, function, dtype, shape):
    return t.call(function, t.uniform(shape, dtype, 0.5, 4))


@case(
    "jax.numpy.log1p",
    dtypes="f32 f64",
    core="f32",
    rtol={"f32": 1e-5, "f64": 1e-14},
    atol={"f32": 0.0, "f64": 0.0},
    reference=lambda np, x: np.log1p(x),
)
def near_zero(t, dtype):
    """To as many digits as x has: where 1 + x is 1, too."""
    small = [1e-4, 1e-5, 1e-7, 3e-9, 2e-10, 1e-12, 1e-30]
    edges = [-1.0, float("inf")]
    return t.call(
        "jax.numpy.log1p", t.const([s * x for x in small for s in (1, -1)] + edges, dtype)
    )


@case(
    "jax.nn.softplus",
    dtypes="f32 f64",
    core="f32",
    rtol=NEAR,
    atol={"f32": 0.0, "f64": 0.0},
    reference=lambda np, x: np.logaddexp(x, 0),
)
def far_from_zero(t, dtype):
    return t.call("jax.nn.softplus", t.const([-80.0, -20.0, 0.0, 20.0, 1000.0], dtype))


@case(
    "jax.numpy.clip",
    dtypes="f32 bf16 i32 f16 f64",
    core="f32 bf16 i32",
    reference=lambda np, x: np.clip(x, -1, 2),
)
def clip(t, dtype):
    return t.call("jax.numpy.clip", t.randn((64, 33), dtype), -1, 2)


@case(
    "jax.numpy.clip",
    dtypes="f32 i32",
    side=[0, 1],
    core=False,
    reference=lambda np, x, side: np.maximum(x, 1) if side == 0 else np.minimum(x, 1),
)
def one_bound(t, dtype, side):
    low, high = (1, None) if side == 0 else (None, 1)
    return t.call("jax.numpy.clip", t.randn((40,), dtype), low, high)


@case(
    "jax.numpy.clip",
    dtypes="f32 bf16",
    core=False,
    reference=lambda np, x, low, high: np.clip(x, low, high),
)
def bounds_that_are_arrays(t, dtype):
    x = t.randn((6, 5), dtype)
    return t.call(
        "jax.numpy.clip", x, t.uniform((5,), dtype, -1, 0), t.uniform((6, 1), dtype, 0.2, 1)
    )


@case("jax.numpy.clip", dtypes="f32", core=False, reference=lambda np, x: np.clip(x, -1, 2))
def clip_special_values(t, dtype):
    return t.call("jax.numpy.clip", t.const(SPECIAL, dtype), -1.0, 2.0)


@case(
    "jax.numpy.clip",
    dtypes="f32 bf16",
    grad=True,
    reference=with_gradient(
        lambda np, x: np.clip(x, -5.5, 4.5), lambda np, w, x: w * (x > -5.5) * (x < 4.5)
    ),
)
def clip_gradient(t, dtype):
    return t.call("jax.numpy.clip", t.distinct((24,), dtype), -5.5, 4.5)


@case("jax.numpy.clip", dtypes="f32", large=True, reference=lambda np, x: np.clip(x, -1, 1))
def clip_large(t, dtype):
    return t.call("jax.numpy.clip", t.randn((2500, 2000), dtype), -1, 1)


@case(
    "jax.nn.softmax",
    dtypes="f32 bf16 f16 f64",
    axis=[-1, 0],
    core="f32 bf16",
    rtol=NEAR,
    reference=softmax_of,
)
def softmax(t, dtype, axis):
    return t.call("jax.nn.softmax", t.randn((16, 33), dtype), axis=axis)


@case(
    "jax.nn.softmax",
    dtypes="f32 bf16",
    grad=True,
    rtol=NEAR,
    atol={"f32": 1e-6},
    reference=with_gradient(softmax_of, softmax_pull),
)
def softmax_gradient(t, dtype):
    return t.call("jax.nn.softmax", t.randn((4, 6), dtype))


@case("jax.nn.softmax", dtypes="f32", core=False, rtol=NEAR, reference=softmax_of)
def masked_and_large_logits(t, dtype):
    return t.call(
        "jax.nn.softmax", t.const([[1e4, 1e4 - 1, -float("inf")], [-1e4, -1e4, 0]], dtype)
    )


@case(
    "jax.nn.softmax",
    dtypes="f32",
    core=False,
    rtol=NEAR,
    reference=lambda np, x, m: softmax_of(np, np.where(m, x, -np.inf)),
)
def softmax_where(t, dtype):
    x, m = (
        t.randn((2, 4), dtype),
        t.const([[True, False, True, True], [True, True, False, False]], "bool"),
    )
    return t.call("jax.nn.softmax", x, where=m)


@case("jax.nn.softmax", dtypes="f32", large=True, rtol=NEAR, reference=softmax_of)
def softmax_large(t, dtype):
    return t.call("jax.nn.softmax", t.randn((1000, 2000), dtype))


@case("jax.nn.softmax", reference="none", core=False)
def softmax_axis_out_of_range(t):
    t.refuses("jax.nn.softmax", t.randn((3, 4), "f32"), axis=2)
