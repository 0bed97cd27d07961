"""tf.experimental.numpy."""

from seamark_suites.case import case

from .reference import with_gradient


@case(
    "tf.experimental.numpy.clip",
    dtypes="f32 f16 bf16 f64 i32 i64",
    core="f32 i64",
    reference=lambda np, x, **_: np.clip(x, -1, 1),
)
def clip(t, dtype):
    return t.call("tf.experimental.numpy.clip", t.randn((6, 7), dtype), -1, 1)


@case(
    "tf.experimental.numpy.clip",
    dtypes="f32",
    reference=lambda np, x, low, **_: np.clip(x, low, None),
)
def clip_below(t, dtype):
    x, low = t.randn((6, 7), dtype), t.uniform((7,), dtype, -1, 0)
    return t.call("tf.experimental.numpy.clip", x, low, None)


@case(
    "tf.experimental.numpy.clip",
    dtypes="f32",
    grad=True,
    reference=with_gradient(
        lambda np, x: np.clip(x, -0.5, 0.5), lambda np, w, x: w * (abs(x) < 0.5)
    ),
)
def clip_gradient(t, dtype):
    return t.call("tf.experimental.numpy.clip", t.randn((5, 5), dtype), -0.5, 0.5)


@case("tf.experimental.numpy.clip", dtypes="f32", reference="none", core=False)
def clip_nothing(t, dtype):
    t.refuses("tf.experimental.numpy.clip", t.randn((3,), dtype), None, None)


@case(
    "tf.experimental.numpy.diagflat",
    dtypes="f32 bf16 f64 i32 i64 bool c64",
    k=[0, 2, -1],
    core="f32 i64",
    reference=lambda np, x, k: np.diagflat(x, k),
)
def diagflat(t, dtype, k):
    return t.call("tf.experimental.numpy.diagflat", t.randn((4, 6), dtype), k)


@case(
    "tf.experimental.numpy.diagflat",
    dtypes="f32",
    grad=True,
    reference=with_gradient(lambda np, x: np.diagflat(x, 1)),
)
def diagflat_gradient(t, dtype):
    return t.call("tf.experimental.numpy.diagflat", t.randn((4,), dtype), 1)


@case(
    "tf.experimental.numpy.diagflat",
    dtypes="f32",
    trivial=True,
    core=False,
    reference=lambda np, x: np.diagflat(x),
)
def diagflat_empty(t, dtype):
    return t.call("tf.experimental.numpy.diagflat", t.randn((0,), dtype))


@case(
    "tf.experimental.numpy.rad2deg",
    dtypes="f32 f16 bf16 f64",
    shapes="100 4x5 scalar",
    core="f32 bf16",
    reference="numpy",
)
def rad2deg(t, dtype, shape):
    return t.call("tf.experimental.numpy.rad2deg", t.randn(shape, dtype))


@case(
    "tf.experimental.numpy.rad2deg",
    dtypes="f32",
    grad=True,
    reference=with_gradient(lambda np, x: np.rad2deg(x)),
)
def rad2deg_gradient(t, dtype):
    return t.call("tf.experimental.numpy.rad2deg", t.randn((8,), dtype))


@case("tf.experimental.numpy.rad2deg", dtypes="f32", trivial=True, core=False, reference="numpy")
def rad2deg_empty(t, dtype):
    return t.call("tf.experimental.numpy.rad2deg", t.randn((0, 3), dtype))


@case(
    "tf.experimental.numpy.true_divide",
    dtypes="f32 f16 bf16 f64 c64",
    shapes="100 4x5",
    core="f32 bf16",
    reference="numpy",
)
def true_divide(t, dtype, shape):
    return t.call(
        "tf.experimental.numpy.true_divide", t.randn(shape, dtype), t.uniform(shape, dtype, 1, 2)
    )


@case(
    "tf.experimental.numpy.true_divide",
    dtypes="i32 i64 bool u8",
    reference=lambda np, x, y: x / y,
    core="i32",
)
def true_divide_integer(t, dtype):
    """7 / 2 is 3.5, in NumPy's result type."""
    numerator = t.randint((30,), dtype, 0, 2 if dtype == "bool" else 20)
    return t.call(
        "tf.experimental.numpy.true_divide",
        numerator,
        t.randint((30,), dtype, 1, 2 if dtype == "bool" else 9),
    )


@case("tf.experimental.numpy.true_divide", dtypes="f32", reference=lambda np, x, y: x / y)
def true_divide_broadcast(t, dtype):
    return t.call(
        "tf.experimental.numpy.true_divide", t.randn((4, 1), dtype), t.uniform((3,), dtype, 1, 2)
    )


@case(
    "tf.experimental.numpy.true_divide",
    dtypes="f32",
    grad=True,
    reference=with_gradient(lambda np, x, y: x / y),
)
def true_divide_gradient(t, dtype):
    return t.call(
        "tf.experimental.numpy.true_divide", t.randn((4, 1), dtype), t.uniform((3,), dtype, 1, 2)
    )


@case("tf.experimental.numpy.true_divide", dtypes="f32", reference="none", core=False)
def true_divide_by_zero(t, dtype):
    x, y = t.const([1.0, -1.0, 0.0], dtype), t.const([0.0, 0.0, 0.0], dtype)
    result = t.host(t.call("tf.experimental.numpy.true_divide", x, y))
    right = result[0] == t.np.inf and result[1] == -t.np.inf and t.np.isnan(result[2])
    t.expect(right, "inf, -inf and NaN, got %s" % result)


@case("tf.experimental.numpy.random.standard_normal", size=[4000, (50, 80)], random=True)
def standard_normal(t, size):
    result = t.call("tf.experimental.numpy.random.standard_normal", size)
    t.expect(
        tuple(result.shape) == (size if isinstance(size, tuple) else (size,)), "the size asked for"
    )
    t.statistics(result, mean=0.0, std=1.0)
    return result


@case("tf.experimental.numpy.random.standard_normal", reference="none", core=False)
def standard_normal_seeded(t):
    """The same seed gives the same draws, the next draw differs."""

    def twice():
        draw = t.get("tf.experimental.numpy.random.standard_normal")
        return draw((64,)), draw((64,))

    seed = t.get("tf.experimental.numpy.random.seed")
    seed(11)
    first, second = (t.host(drawn) for drawn in t.call(twice))
    t.expect(not (first == second).all(), "two draws that differ")
    seed(11)
    again, _ = t.call(twice)
    t.expect((first == t.host(again)).all(), "the same draw after the same seed")
