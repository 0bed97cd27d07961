"""By vectorized_map, of each example: what arrays and their parts give, beside what all examples share, as its own tests ask."""

from seamark_suites.case import case

from .reference_picking import gathered, hot, rows_gathered

V1 = "tf.compat.v1."
ROWS, AXES = 3, (0, 2, -1)


def _gather(f, tf, i, x, shared):
    wide, made = tf.cast(i, tf.int64), []
    for y in (shared, x):
        for axis in AXES:
            places = 2, tf.constant(2, tf.int64), wide, [i], [i, 2], [[2, i], [i, 1]]
            made += [f(y, place, axis=axis) for place in places]
            made.append(f(y, 2, axis=tf.constant(axis, tf.int64)))
        made.append(f(y, [0, 1, 2], axis=1, batch_dims=1))
        made.append(f(y, [i, 1, 2], axis=2, batch_dims=1))
        made.append(f(y, [[2, i], [i, 1], [2, 1]], axis=-1, batch_dims=1))
    return made


def _gathered(np, i, x, shared):
    made = []
    for y in (shared, x):
        for axis in AXES:
            places = 2, 2, i, [i], [i, 2], [[2, i], [i, 1]], 2
            made += [np.take(y, place, axis) for place in places]
        made.append(gathered(np, y, [0, 1, 2], 1, 1))
        made.append(gathered(np, y, [i, 1, 2], 2, 1))
        made.append(gathered(np, y, [[2, i], [i, 1], [2, 1]], -1, 1))
    return made


def _points(f, tf, i, x):
    given = ([0], 0), ([i], 0), ([i, 1], 0), ([[i], [i], [i]], 1)
    return [f(x, places, batch_dims=n) for places, n in given]


def _points_right(np, i, x):
    given = ([0], 0), ([i], 0), ([i, 1], 0), ([[i], [i], [i]], 1)
    return [rows_gathered(np, x, np.array(places), n) for places, n in given]


def _asked(f, tf, i, x):
    """A shape or a size in both widths, beside a number of the example."""
    return [f(x), f(x, out_type=tf.int64), x[0, 0] * tf.cast(f(x), x.dtype)]


PADS = [[1, 2], [3, 4]]
IMAGE = (2, 3, 4)
SQUARE = (3, 3, 3)
# How it is called within an example, what it gives, the shape of an example, and of what all share.
FORMS = {
    "tf.gather": (_gather, _gathered, SQUARE, SQUARE),
    "tf.gather_nd": (_points, _points_right, (3, 3)),
    "tf.shape": (_asked, lambda np, i, x: [np.array([2, 3])] * 2 + [x[0, 0] * np.array([2, 3])], (2, 3)),
    V1 + "shape": (_asked, lambda np, i, x: [np.array([2, 3])] * 2 + [x[0, 0] * np.array([2, 3])], (2, 3)),
    "tf.size": (_asked, lambda np, i, x: [6, 6, 6 * x[0, 0]], (2, 3)),
    "tf.rank": (lambda f, tf, i, x: [f(x), x[0, 0] * tf.cast(f(x), x.dtype)], lambda np, i, x: [2, 2 * x[0, 0]], (2, 3)),
    "tf.broadcast_to": (lambda f, tf, i, x: [f(x, [2, 2, 3]), f(x, [1, 2, 1, 3])], lambda np, i, x: [np.tile(x, (1, 2, 1)), x[None]], (2, 1, 3)),
    "tf.expand_dims": (lambda f, tf, i, x: [f(x, axis=-1), f(x, axis=1)], lambda np, i, x: [x[..., None], x[:, None]], (2, 3)),
    V1 + "expand_dims": (lambda f, tf, i, x: [f(x, axis=-1), f(x, axis=1)], lambda np, i, x: [x[..., None], x[:, None]], (2, 3)),
    "tf.slice": (lambda f, tf, i, x: [f(x, (0, 1), (2, 1)), f(x, (1, 0), (-1, 3))], lambda np, i, x: [x[:2, 1:2], x[1:]], (2, 3)),
    "tf.tile": (lambda f, tf, i, x: [f(x, [2, 1]), f(x, [1, 3])], lambda np, i, x: [np.tile(x, (2, 1)), np.tile(x, (1, 3))], (2, 3)),
    "tf.stack": (lambda f, tf, i, x, y: [f([x, y], -1), f([y, x, y]), f([x, x], 1)], lambda np, i, x, y: [np.stack([x, y], -1), np.stack([y, x, y]), np.stack([x, x], 1)], (2, 3), (2, 3)),
    "tf.unstack": (lambda f, tf, i, x: [*f(x, 4, -1), *f(x, 3, 1), *f(x)], lambda np, i, x: [*np.moveaxis(x, 2, 0), *np.moveaxis(x, 1, 0), *x], IMAGE),
    "tf.pad": (lambda f, tf, i, x: [f(x, tf.constant(PADS)), f(x, PADS, "CONSTANT")], lambda np, i, x: [np.pad(x, PADS)] * 2, (2, 3)),
    V1 + "pad": (lambda f, tf, i, x: [f(x, tf.constant(PADS), mode="CONSTANT")], lambda np, i, x: [np.pad(x, PADS)], (2, 3)),
    "tf.split": (lambda f, tf, i, x: [*f(x, 2, 0), *f(x, 3, -1), *f(x, [2, 1, 3], 0), *f(x, [3], -1)],
                 lambda np, i, x: [*np.split(x, 2), *np.split(x, 3, 1), x[:2], x[2:3], x[3:], x], (6, 3)),
    "tf.squeeze": (lambda f, tf, i, x: [f(x, 0), f(x, -1), f(x)], lambda np, i, x: [x[0], x[..., 0], x[0, :, 0]], (1, 2, 1)),
    V1 + "squeeze": (lambda f, tf, i, x: [f(x, 0), f(x, -1), f(x)], lambda np, i, x: [x[0], x[..., 0], x[0, :, 0]], (1, 2, 1)),
    "tf.transpose": (lambda f, tf, i, x: [f(x, [2, 1, 0]), f(x, [1, 2, 0], conjugate=True), f(x)], lambda np, i, x: [x.T, x.transpose(1, 2, 0).conj(), x.T], IMAGE),
    V1 + "transpose": (lambda f, tf, i, x: [f(x, [2, 1, 0]), f(x, [1, 2, 0], conjugate=True), f(x)], lambda np, i, x: [x.T, x.transpose(1, 2, 0).conj(), x.T], IMAGE),
    "tf.zeros_like": (lambda f, tf, i, x: [f(x), f(x) + x, f(x, tf.int32)], lambda np, i, x: [0 * x, x, 0 * x], (2, 3)),
    "tf.ones_like": (lambda f, tf, i, x: [f(x), f(x) + x, f(x, tf.int32)], lambda np, i, x: [1 + 0 * x, 1 + x, 1 + 0 * x], (2, 3)),
    "tf.identity": (lambda f, tf, i, x, y: [f(y), f(x) + x, f(i)], lambda np, i, x, y: [y, 2 * x, i], (5,), (5,)),
    "tf.stop_gradient": (lambda f, tf, i, x, y: [f(y), f(x) + x, f(i)], lambda np, i, x, y: [y, 2 * x, i], (5,), (5,)),
    "tf.add_n": (lambda f, tf, i, x, y: [f([x, y, y]), f([x, x])], lambda np, i, x, y: [x + 2 * y, 2 * x], (3, 5), (3, 5)),
    "tf.clip_by_value": (lambda f, tf, i, x, y: [f(x, -3, 4), f(x, y[0], y[0] + 4), f(y, x, 9)],
                         lambda np, i, x, y: [np.clip(x, -3, 4), np.clip(x, y[0], y[0] + 4), np.clip(y, x, 9)], (3, 4), (3, 4)),
}  # fmt: skip
COMPLEX = "tf.transpose", V1 + "transpose", "tf.identity", "tf.add_n"


def _of(function):
    right = FORMS[function][1]

    def reference(np, x, *shared):
        made = [right(np, i, row, *shared) for i, row in enumerate(x)]
        return [np.stack(each) for each in zip(*made)]

    kinds = "f32 c64" if function in COMPLEX else "f32 i64"
    return case(function, dtypes=kinds, core=False, reference=reference)


def _within_each_example(t, dtype, function):
    """Arguments, places and axes as TensorFlow's own tests have them; without the way out, a loop."""
    call, _, *shapes = FORMS[function]
    f, tf = t.get(function), t.fw
    draw = t.randn if dtype == "c64" else lambda shape, dtype: t.randint(shape, dtype, -9, 10)

    def run(x, *shared):
        one = lambda row: call(f, tf, *row, *shared)  # noqa: E731
        return tf.vectorized_map(one, (tf.range(ROWS), x), fallback_to_while_loop=False)

    return t.call(run, draw((ROWS, *shapes[0]), dtype), *[draw(shape, dtype) for shape in shapes[1:]])  # fmt: skip


_within_each_example.__name__ = "within_each_example"
for _name in FORMS:
    _of(_name)(_within_each_example)


@case("tf.one_hot", dtypes="i32 i64 u8", core=False, reference=lambda np, x: [
      hot(np, x, 4, 2.0, -2.0), np.stack([hot(np, one, 4, axis=1) for one in x]), hot(np, x, 4, 9, 3), hot(np, x[:, 0, 0], 4)])  # fmt: skip
def hot_within_each_example(t, dtype):
    """By a value on and off, along an axis, of a dtype; of a number."""
    f, tf = t.get("tf.one_hot"), t.fw

    def one(x):
        whole = f(x, 4, on_value=9, off_value=3, dtype=tf.int32)
        return [f(x, depth=4, on_value=2.0, off_value=-2.0), f(x, depth=4, axis=1), whole, f(x[0, 0], 4)]  # fmt: skip

    x = t.randint((3, 2, 3), dtype, 0, 5)
    return t.call(lambda x: tf.vectorized_map(one, x, fallback_to_while_loop=False), x)


@case("tf.pad", dtypes="f32 i64", core=False, reference=lambda np, x: np.pad(x, [(0, 0), *PADS], constant_values=7),
      cpu_fails="TensorFlow 2.21 pads with zeros: the vectorized form leaves out the value")  # fmt: skip
def pad_by_a_value_within_each_example(t, dtype):
    f, tf = t.get("tf.pad"), t.fw
    one = lambda x: f(x, PADS, constant_values=7)  # noqa: E731
    return t.call(lambda x: tf.vectorized_map(one, x, fallback_to_while_loop=False), t.randint((3, 2, 3), dtype, -9, 10))  # fmt: skip


@case("tf.tile", dtypes="f32 i64", core=False, reference=lambda np, x, _: np.tile(x, (1, 2, 1)))
def tile_as_often_as_each_says(t, dtype):
    """A number that is the example's own is refused without the loop; with it the numbers must be the same in the end."""
    f, tf = t.get("tf.tile"), t.fw
    x, times = t.randint((3, 2, 3), dtype, -9, 10), t.const([2, 2, 2], "i32")

    def run(x, times, loop):
        one = lambda row: f(row[0], [row[1], 1])  # noqa: E731
        return tf.vectorized_map(one, (x, times), fallback_to_while_loop=loop)

    t.raises(ValueError, run, x, times, False)
    return t.call(lambda x, times: run(x, times, True), x, times)


@case("tf.slice", dtypes="f32 i64", core=False, reference=lambda np, x: np.stack([x[0, :2], x[1, 1:3], x[2, 2:]]))  # fmt: skip
def slice_where_each_begins(t, dtype):
    """A begin that is the example's own, by the loop."""
    f, tf = t.get("tf.slice"), t.fw

    def run(x):
        one = lambda row: f(row[1], [row[0], 0], [2, 3])  # noqa: E731
        return tf.vectorized_map(one, (tf.range(3), x), fallback_to_while_loop=True)

    return t.call(run, t.randint((3, 4, 3), dtype, -9, 10))


BINARY = {
    "tf.maximum": lambda np, x, y: np.maximum(x, y),
    "tf.minimum": lambda np, x, y: np.minimum(x, y),
    "tf.multiply": lambda np, x, y: x * y,
    "tf.pow": lambda np, x, y: x**y,
    "tf.equal": lambda np, x, y: x == y,
    "tf.not_equal": lambda np, x, y: x != y,
    "tf.greater": lambda np, x, y: x > y,
    "tf.less": lambda np, x, y: x < y,
    "tf.logical_and": lambda np, x, y: x & y,
}


def _of_two(function):
    op = BINARY[function]

    def reference(np, x, y):
        made = [
            [op(np, x, y), op(np, a, y), op(np, x, b), op(np, a, b), op(np, a, a), op(np, y, a)]
            for a, b in zip(x, y)
        ]
        return [np.stack(each) for each in zip(*made)]

    kinds = "bool" if function == "tf.logical_and" else "f32 i32"
    return case(function, dtypes=kinds, core=False, reference=reference)


def _of_an_example_and_all(t, dtype, function):
    """Each with the whole other batch, with its own, with itself; of three axes, two and one, that meet."""
    f, tf = t.get(function), t.fw

    def run(x, y):
        def one(i):
            a, b = tf.gather(x, i), tf.gather(y, i)
            return [f(x, y), f(a, y), f(x, b), f(a, b), f(a, a), f(y, a)]

        return tf.vectorized_map(one, tf.range(3), fallback_to_while_loop=False)

    draw = (lambda shape: t.randint(shape, "i32", 0, 2) > 0) if dtype == "bool" else lambda shape: t.randint(shape, dtype, 0, 4)  # fmt: skip
    return t.call(run, draw((4, 3, 5)), draw((3, 5)))


_of_an_example_and_all.__name__ = "of_an_example_and_all"
for _name in BINARY:
    _of_two(_name)(_of_an_example_and_all)


UNARY = {
    "tf.abs": (abs, lambda np, x: np.sign(x)),
    "tf.exp": (lambda x: 2.718281828459045**x, lambda np, x: np.exp(x)),
    "tf.math.log": (None, lambda np, x: 1 / x),
    "tf.math.log1p": (None, lambda np, x: 1 / (1 + x)),
    "tf.sigmoid": (lambda x: 1 / (1 + 2.718281828459045**-x), lambda np, x: np.exp(-x) / (1 + np.exp(-x)) ** 2),
    "tf.sqrt": (lambda x: x**0.5, lambda np, x: 0.5 / np.sqrt(x)),
    "tf.square": (lambda x: x * x, lambda np, x: 2 * x),
    "tf.identity": (lambda x: x, lambda np, x: np.ones_like(x)),
}  # fmt: skip


def _sloped(function):
    made, slope = UNARY[function]

    def reference(np, x):
        op = made or {"tf.math.log": np.log, "tf.math.log1p": np.log1p}[function]
        y, i = op(x), np.arange(3.0)[:, None]
        return [y, slope(np, x), y * i * slope(np, x), op(x[0]) * slope(np, x)]

    return case(function, dtypes="f32 f64", core=False, rtol={"f32": 1e-5}, reference=reference)


def _slopes_within_each_example(t, dtype, function):
    """A tape in each example: the slope, by weights of the example's own, by those that all share."""
    f, tf = t.get(function), t.fw

    def run(x):
        shared = f(x[0])

        def one(i):
            with tf.GradientTape(persistent=True) as tape:
                row = tf.gather(x, i)
                tape.watch(row)
                y = f(row)
            weighted = tape.gradient(y, row, output_gradients=y * tf.cast(i, x.dtype))
            return [y, tape.gradient(y, row), weighted, tape.gradient(y, row, output_gradients=shared)]  # fmt: skip

        return tf.vectorized_map(one, tf.range(3), fallback_to_while_loop=False)

    return t.call(run, t.uniform((3, 5), dtype, 0.5, 2))


_slopes_within_each_example.__name__ = "slopes_within_each_example"
for _name in UNARY:
    _sloped(_name)(_slopes_within_each_example)


@case("tf.abs", dtypes="c64 c128", core=False, rtol={"c64": 1e-5}, reference=lambda np, x: [abs(x), np.stack([abs(x)] * 3), abs(x) + x.real])  # fmt: skip
def abs_of_complex_within_each_example(t, dtype):
    f, tf = t.get("tf.abs"), t.fw

    def run(x):
        one = lambda row: [f(row), f(x), f(row) + tf.math.real(row)]  # noqa: E731
        return tf.vectorized_map(one, x, fallback_to_while_loop=False)

    return t.call(run, t.randn((3, 5), dtype))


@case("tf.floor", dtypes="f32 f64", core=False, reference=lambda np, x: [np.floor(x), np.stack([np.floor(x)] * 3)])  # fmt: skip
def floor_within_each_example(t, dtype):
    f, tf = t.get("tf.floor"), t.fw
    run = lambda x: tf.vectorized_map(lambda row: [f(row), f(x)], x, fallback_to_while_loop=False)  # noqa: E731
    return t.call(run, t.uniform((3, 5), dtype, -9, 9))
