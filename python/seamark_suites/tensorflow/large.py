"""Work of 10 to 100 MB for functions whose other cases are small: a time is then the device's, not the overhead's."""

from seamark_suites.case import case


@case("tf.cast", dtypes="f32", large=True, reference=lambda np, x: np.trunc(x))
def large_to_whole_numbers(t, dtype):
    return t.call("tf.cast", t.uniform((2048, 2048), dtype, -100, 100), t.dtype("i32"))


@case("tf.concat", dtypes="f32", large=True, reference=lambda np, x, y: np.concatenate([x, y], 1))
def large_joined(t, dtype):
    return t.call("tf.concat", [t.randn((2048, 1024), dtype), t.randn((2048, 512), dtype)], 1)


@case("tf.logical_not", large=True, reference=lambda np, x: np.logical_not(x))
def large_turned(t):
    return t.call("tf.logical_not", t.randint((4096, 2048), "bool", 0, 2))


@case("tf.logical_or", large=True, reference=lambda np, x, y: np.logical_or(x, y))
def large_either(t):
    x, y = t.randint((4096, 2048), "bool", 0, 2), t.randint((4096, 2048), "bool", 0, 2)
    return t.call("tf.logical_or", x, y)


@case("tf.range", large=True, reference=lambda np: np.arange(3, 8388608, 2))
def large_counted(t):
    return t.call("tf.range", 3, 8388608, 2)


@case("tf.eye", dtypes="f32", large=True, reference=lambda np: np.eye(2048))
def large_diagonal(t, dtype):
    return t.call("tf.eye", 2048, dtype=t.dtype(dtype))


@case(
    "tf.zeros", dtypes="f32", large=True, trivial=True, reference=lambda np: np.zeros((2048, 2048))
)
def large_zeros(t, dtype):
    return t.call("tf.zeros", (2048, 2048), t.dtype(dtype))


@case(
    "tf.fill",
    dtypes="f32",
    large=True,
    trivial=True,
    reference=lambda np, x: np.full((2048, 2048), x),
)
def large_filled(t, dtype):
    return t.call("tf.fill", (2048, 2048), t.const(2.5, dtype))


def _rows_replaced(np, x, rows):
    made = x.copy()
    made[::4] = rows
    return made


@case("tf.tensor_scatter_nd_update", dtypes="f32", large=True, reference=_rows_replaced)
def large_rows_replaced(t, dtype):
    x, rows = t.randn((4096, 1024), dtype), t.randn((1024, 1024), dtype)
    places = t.fw.constant(t.np.arange(0, 4096, 4)[:, None], t.fw.int32)
    return t.call("tf.tensor_scatter_nd_update", x, places, rows)
