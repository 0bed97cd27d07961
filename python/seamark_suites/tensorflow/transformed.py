"""What TensorFlow's own tests ask of every operation: gradients of gradients, sizes that are not known, batches, NaN, ragged rows."""

from seamark_suites.case import case
from seamark_suites.transformed import each_of, leaves, placed, plain, second, stacked

INF, NAN = float("inf"), float("nan")
ONE, TWO, V1 = [(3, 4)], [(3, 4), (3, 4)], "tf.compat.v1."


def sigmoid(np, x):
    return 1 / (1 + np.exp(-x))


# How an operation is called, what it gives, and the shapes of its inputs. Element by element:
EACH = {
    "tf.math.log": (lambda f, x: f(x), lambda np, x: np.log(x), ONE),
    "tf.math.log1p": (lambda f, x: f(x), lambda np, x: np.log1p(x), ONE),
    "tf.exp": (lambda f, x: f(x), lambda np, x: np.exp(x), ONE),
    "tf.sqrt": (lambda f, x: f(x), lambda np, x: np.sqrt(x), ONE),
    "tf.square": (lambda f, x: f(x), lambda np, x: x * x, ONE),
    "tf.abs": (lambda f, x: f(x - 1), lambda np, x: abs(x - 1), ONE),
    "tf.sigmoid": (lambda f, x: f(x), sigmoid, ONE),
    "tf.clip_by_value": (lambda f, x: f(x, 0.8, 1.5), lambda np, x: np.clip(x, 0.8, 1.5), ONE),
    "tf.cast": (lambda f, x: f(x, x.dtype) * 2, lambda np, x: 2 * x, ONE),
    "tf.maximum": (lambda f, x, y: f(x, y), lambda np, x, y: np.maximum(x, y), TWO),
    "tf.minimum": (lambda f, x, y: f(x, y), lambda np, x, y: np.minimum(x, y), TWO),
    "tf.multiply": (lambda f, x, y: f(x, y), lambda np, x, y: x * y, TWO),
    "tf.pow": (lambda f, x, y: f(x, y), lambda np, x, y: x**y, TWO),
    "tf.add_n": (lambda f, x, y: f([x, y, x]), lambda np, x, y: 2 * x + y, TWO),
}  # fmt: skip
# Of rows and axes:
MORE = {
    "tf.where": (lambda f, x, y: f(x > y, x, y), lambda np, x, y: np.where(x > y, x, y), TWO),
    V1 + "where": (lambda f, x, y: f(x > y, x, y), lambda np, x, y: np.where(x > y, x, y), TWO),
    "tf.matmul": (lambda f, x, y: f(x, y, transpose_b=True), lambda np, x, y: x @ y.T, TWO),
    "tf.einsum": (lambda f, x, y: f("ij,kj->ik", x, y), lambda np, x, y: x @ y.T, TWO),
    "tf.concat": (lambda f, x, y: f([x, y], 1), lambda np, x, y: np.concatenate([x, y], 1), TWO),
    "tf.stack": (lambda f, x, y: f([x, y], 1), lambda np, x, y: np.stack([x, y], 1), TWO),
    "tf.reduce_sum": (lambda f, x: f(x, 1), lambda np, x: x.sum(1), ONE),
    "tf.reduce_mean": (lambda f, x: f(x, 1), lambda np, x: x.mean(1), ONE),
    "tf.reduce_max": (lambda f, x: f(x, 1), lambda np, x: x.max(1), ONE),
    V1 + "reduce_sum": (lambda f, x: f(x, 1), lambda np, x: x.sum(1), ONE),
    V1 + "reduce_mean": (lambda f, x: f(x, 1), lambda np, x: x.mean(1), ONE),
    "tf.cumsum": (lambda f, x: f(x, 1), lambda np, x: x.cumsum(1), ONE),
    "tf.expand_dims": (lambda f, x: f(x, 1), lambda np, x: x[:, None], ONE),
    V1 + "expand_dims": (lambda f, x: f(x, 1), lambda np, x: x[:, None], ONE),
    "tf.squeeze": (lambda f, x: f(x[:, None], 1), lambda np, x: x, ONE),
    V1 + "squeeze": (lambda f, x: f(x[:, None], 1), lambda np, x: x, ONE),
    "tf.transpose": (lambda f, x: f(x), lambda np, x: x.T, ONE),
    V1 + "transpose": (lambda f, x: f(x), lambda np, x: x.T, ONE),
    "tf.reshape": (lambda f, x: f(x, [2, -1]), lambda np, x: x.reshape(2, x.size // 2), ONE),
    "tf.tile": (lambda f, x: f(x, [2, 1]), lambda np, x: np.tile(x, (2, 1)), ONE),
    "tf.broadcast_to": (lambda f, x: f(x[:1], [3, 4]), lambda np, x: np.tile(x[:1], (3, 1)), ONE),
    "tf.split": (lambda f, x: f(x, 2, 1), lambda np, x: np.split(x, 2, 1), ONE),
    "tf.unstack": (lambda f, x: f(x, 4, 1), lambda np, x: list(x.T), ONE),
    "tf.gather": (lambda f, x: f(x, [2, 0, 2], axis=1), lambda np, x: x[:, [2, 0, 2]], ONE),
    "tf.gather_nd": (lambda f, x: f(x, [[1, 3], [0, 0], [1, 3]]), lambda np, x: x[[1, 0, 1], [3, 0, 3]], ONE),
    "tf.slice": (lambda f, x: f(x, [0, 1], [2, -1]), lambda np, x: x[:2, 1:], ONE),
    "tf.pad": (lambda f, x: f(x, [[0, 0], [1, 2]]), lambda np, x: np.pad(x, ((0, 0), (1, 2))), ONE),
    V1 + "pad": (lambda f, x: f(x, [[0, 0], [1, 2]]), lambda np, x: np.pad(x, ((0, 0), (1, 2))), ONE),
    "tf.identity": (lambda f, x: f(x) * 2, lambda np, x: 2 * x, ONE),
    V1 + "to_float": (lambda f, x: f(x) * 2, lambda np, x: 2 * x, ONE),
}  # fmt: skip
# Without a gradient:
PLAIN = {
    "tf.floor": (lambda f, x: f(4 * x), lambda np, x: np.floor(4 * x), ONE),
    "tf.equal": (lambda f, x, y: f(x > 1, y > 1), lambda np, x, y: (x > 1) == (y > 1), TWO),
    "tf.not_equal": (lambda f, x, y: f(x > 1, y > 1), lambda np, x, y: (x > 1) != (y > 1), TWO),
    "tf.greater": (lambda f, x, y: f(x, y), lambda np, x, y: x > y, TWO),
    "tf.less": (lambda f, x, y: f(x, y), lambda np, x, y: x < y, TWO),
    "tf.logical_and": (lambda f, x, y: f(x > 1, y > 1), lambda np, x, y: (x > 1) & (y > 1), TWO),
    "tf.zeros_like": (lambda f, x: f(x) + x, lambda np, x: x, ONE),
    "tf.ones_like": (lambda f, x: f(x) + x, lambda np, x: 1 + x, ONE),
    V1 + "to_int32": (lambda f, x: f(4 * x), lambda np, x: np.trunc(4 * x), ONE),
}  # fmt: skip
ROWS = {
    "tf.argmax": (lambda f, x: f([x, -x], 2), lambda np, x: np.stack([x, -x]).argmax(2), ONE),
    "tf.one_hot": (lambda f, x: f([0, 1], 2, dtype=x.dtype) * x[:2, :2], lambda np, x: np.eye(2) * x[:2, :2], ONE),
    "tf.reduce_any": (lambda f, x: f(x > x[:1], 1), lambda np, x: (x > x[:1]).any(1), ONE),
    "tf.reduce_all": (lambda f, x: f(x >= x[:1], 1), lambda np, x: (x >= x[:1]).all(1), ONE),
    "tf.fill": (lambda f, x: f([3, 4], x[0, 0]) + x[:1], lambda np, x: np.full((3, 4), x[0, 0]) + x[:1], ONE),
    "tf.stop_gradient": (lambda f, x: f(x) * 2, lambda np, x: 2 * x, ONE),
}  # fmt: skip
ALL = {**EACH, **MORE, **PLAIN, **ROWS}
NUMBERS = [[1.5, NAN, 0.25, 2.0], [INF, 3.0, -0.0, 1.0], [-INF, 4.0, 0.5, -2.0]]
# Whose second derivative, or NaN, other cases have, or of which NaN has no defined result.
TWICE = {"tf.math.log", "tf.math.log1p", "tf.exp", "tf.sqrt", "tf.square", "tf.sigmoid", "tf.maximum", "tf.minimum", "tf.reduce_sum",
         "tf.reduce_mean", "tf.reduce_max", V1 + "to_float"}  # fmt: skip
SEEN = {
    "tf.cast",
    V1 + "to_int32",
    "tf.argmax",
    "tf.reduce_any",
    "tf.reduce_all",
    "tf.fill",
    "tf.clip_by_value",
    "tf.cumsum",
}
LENGTHS = [3, 0, 4, 2]  # of ragged rows


each = each_of(ALL)


def called(t, function):
    """The operation of tensors alone; its results in a list."""
    call, f = ALL[function][0], t.get(function)

    def run(*tensors):
        made = call(f, *tensors)
        return list(made) if isinstance(made, (tuple, list)) else [made]

    return run


@each([name for name in {**EACH, **MORE} if name not in TWICE], lambda form: second(form[1]),
      dtypes="f32", rtol={"f32": 1e-4}, atol={"f32": 1e-4})  # fmt: skip
def gradient_of_a_gradient(t, dtype, function):
    """Of the weighted squares of the results: the gradient, and its own along a direction."""
    drawn = [t.distinct(shape, dtype) for shape in ALL[function][2]]
    x, *rest = [placed(number, whole) for number, whole in enumerate(drawn)]
    direction, run, tf = t.randn(tuple(x.shape), dtype), called(t, function), t.fw

    def both(x, direction, *rest):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                total = tf.zeros((), x.dtype)
                for made in run(x, *rest):
                    weights = t.np.linspace(0.5, 1.5, made.shape.num_elements())
                    total += tf.reduce_sum(tf.constant(weights, made.dtype, made.shape) * made**2)
            first = inner.gradient(total, x)
            along = tf.reduce_sum(first * direction)
        return first, outer.gradient(along, x)

    return t.call(both, x, direction, *rest)


@each(ALL, lambda form: lambda np, *drawn: [
      leaves(np, form[1](np, *drawn[i : i + len(form[2])])) for i in range(0, len(drawn), len(form[2]))],
      dtypes="f32", rtol={"f32": 1e-5})  # fmt: skip
def rows_not_known(t, dtype, function):
    """One program of `tf.function` for any number of rows, which are known when it runs."""
    inputs = len(ALL[function][2])
    spec = t.fw.TensorSpec([None, 4], t.dtype(dtype))
    program = t.fw.function(called(t, function), input_signature=[spec] * inputs, autograph=False)
    draws = [[t.uniform((n, 4), dtype, 0.5, 2) for _ in range(inputs)] for n in (2, 5, 3)]
    return [t.call(program, *tensors) for tensors in draws]


@each(ALL, lambda form: stacked(form[1], (0, 0)), dtypes="f32", rtol={"f32": 1e-5})
def over_a_batch(t, dtype, function):
    """vectorized_map, without its way out, a loop."""
    drawn = [t.uniform((3, *shape), dtype, 0.5, 2) for shape in ALL[function][2]]
    run, each_of = called(t, function), t.fw.vectorized_map
    return t.call(
        lambda *x: each_of(lambda one: run(*one), x, fallback_to_while_loop=False), *drawn
    )


@each([name for name in ALL if name not in SEEN and ALL[name][2] is ONE],
      plain, dtypes="f32 bf16", rtol={"f32": 1e-5})  # fmt: skip
def not_a_number(t, dtype, function):
    """NaN, infinities and zeros of either sign, as an overflow leaves them."""
    return t.call(called(t, function), t.const(NUMBERS, dtype))


@each({**EACH, **PLAIN}, lambda form: lambda np, *x: [form[1](np, *x), np.cumsum([0, *LENGTHS])], dtypes="f32",
      rtol={"f32": 1e-5})  # fmt: skip
def ragged_rows(t, dtype, function):
    """Rows of three, no, four and two numbers keep their lengths."""
    flat = [t.uniform((9,), dtype, 0.5, 2) for _ in ALL[function][2]]
    run, ragged = ALL[function][0], t.fw.RaggedTensor.from_row_lengths
    f = t.get(function)

    def within(*flat):
        made = run(f, *(ragged(x, LENGTHS) for x in flat))
        return [made.flat_values, made.row_splits]

    return t.call(within, *flat)


TRUTHS = [1, 0, 1, 0, 0, 0, 0, 1, 1]
PIECES = {
    "tf.reduce_sum": lambda row: row.sum(),
    "tf.reduce_mean": lambda row: row.mean(),
    "tf.reduce_max": lambda row: row.max(),
    "tf.reduce_any": lambda row: row.any(),
    "tf.reduce_all": lambda row: row.all(),
}


def _of_each(name, **header):
    of = PIECES[name]
    return case(name, reference=lambda np, x: [of(row) for row in np.split(x, [3, 7])], core=False, **header)  # fmt: skip


@_of_each("tf.reduce_sum", dtypes="f32", rtol={"f32": 1e-5})
@_of_each("tf.reduce_mean", dtypes="f32", rtol={"f32": 1e-5})
@_of_each("tf.reduce_max", dtypes="f32")
@_of_each("tf.reduce_any", dtypes="bool")
@_of_each("tf.reduce_all", dtypes="bool")
def of_each_ragged_row(t, dtype, function):
    f, ragged = t.get(function), t.fw.RaggedTensor.from_row_lengths
    x = t.const(TRUTHS, dtype) if dtype == "bool" else t.uniform((9,), dtype, 0.5, 2)
    return t.call(lambda x: t.fw.unstack(f(ragged(x, [3, 4, 2]), axis=1), 3), x)
