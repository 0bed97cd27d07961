"""Running sums of every kind each way; powers at zero and of nothing; means of many; parts known before a graph runs."""

from seamark_suites.case import case

from . import reference_totals as totals
from .known_before_it_runs import expect_known
from .reference import with_gradient
from .totals import each

CUMSUM, POW, ND, SPLIT = "tf.cumsum", "tf.pow", "tf.gather_nd", "tf.split"

_WAYS = [(exclusive, reverse) for exclusive in (True, False) for reverse in (True, False)]


def _each_way(run, xs, ranks):
    return [run(x, at, *way) for x, n in zip(xs, ranks) for at in range(-n, n) for way in _WAYS]


@case(CUMSUM, dtypes="f16 f64 c64 c128 i64", core=False, reference=lambda np, *xs: _each_way(
      lambda x, axis, *way: totals.running(np, x, axis, *way), xs, [x.ndim for x in xs]))  # fmt: skip
def cumsum_of_kinds_each_way(t, dtype):
    """Of one to three axes, over each by both of its names: with and without itself, forwards and backwards; of nothing."""
    f, shapes = t.get(CUMSUM), [(5,), (2, 5), (2, 2, 5), (0,)]
    xs = [
        t.const(x - 2j * x[::-1] if dtype[0] == "c" else x, dtype)
        for x in (t.np.arange(1, 1 + t.np.prod(n)).reshape(n) for n in shapes)
    ]
    return t.call(lambda *xs: _each_way(f, xs, [len(n) for n in shapes]), *xs)


@case(CUMSUM, dtypes="f64", exclusive=[True, False], reverse=[True, False], core=False, grad=True, reference=with_gradient(
      lambda np, x, y, exclusive, reverse: [totals.running(np, x, 0, exclusive, reverse)]
      + [totals.running(np, y, axis, exclusive, reverse) for axis in (-1, 0, 1)],
      lambda np, w, x, y, exclusive, reverse: (
          totals.running(np, w[0], 0, exclusive, not reverse),
          sum(totals.running(np, one, axis, exclusive, not reverse) for one, axis in zip(w[1:], (-1, 0, 1))))))  # fmt: skip
def cumsum_slopes_of_two_shapes(t, dtype, exclusive, reverse):
    """Fifty numbers in a row, and five rows of ten over each axis."""
    f, way = t.get(CUMSUM), (exclusive, reverse)
    x, y = t.uniform((50,), dtype, 1, 9), t.uniform((5, 10), dtype, 1, 9)
    return t.call(lambda x, y: [f(x, 0, *way)] + [f(y, at, *way) for at in (-1, 0, 1)], x, y)


@case(CUMSUM, dtypes="f32", core=False, reference="none")
def cumsum_over_no_axis(t, dtype):
    """Axes that are not there; an axis in a list, even alone."""
    x = t.const(t.np.arange(10).reshape(2, 5), dtype)
    for axis in (-3, 2, [0], [[1]]):
        t.refuses(CUMSUM, x, axis)


@case(POW, dtypes="f16 bf16 f32 f64", core=False, grad=True, reference=with_gradient(
      lambda np, x, y: x**y, lambda np, w, x, y: (w * y * np.power(x, np.maximum(y - 1, 0)), w * x**y * np.log(np.where(x > 0, x, 1)))))  # fmt: skip
def pow_slopes_at_zero_of_short_kinds(t, dtype):
    """By the exponent there is none at zero, and by zero one only where the exponent is 1."""
    x = t.const([0.0, 0.0, 0.0, 2.0, 4.0], dtype, grad=True)
    return t.call(POW, x, t.const([1.0, 2.0, 3.0, 2.0, 1.0], dtype, grad=True))


@case(POW, dtypes="i32 i64", core=False, reference=lambda np, x, y, *_: [
      x**y, y[:, :1] ** x, np.zeros((0, 2)), np.zeros((0, 2))])  # fmt: skip
def pow_of_integers_that_meet(t, dtype):
    """A column by a row with an exponent of zero; of nothing an exponent below zero is none to refuse."""
    f = t.get(POW)
    x, y = t.const([[2], [3]], dtype), t.const([[0, 2]], dtype)
    none, low = t.const(t.np.zeros((0, 1)), dtype), t.const([[1, -1]], dtype)
    return t.call(lambda x, y, none, low: [f(x, y), f(y[:, :1], x), f(none, low), f(low, none)], x, y, none, low)  # fmt: skip


@each("reduce_mean compat.v1.reduce_mean", lambda f: lambda np, x: [x.mean(0), x.mean(1), x.mean()], dtypes="bf16", core=False)  # fmt: skip
def mean_of_many_in_bf16(t, dtype, function):
    """Over 1025 rows and columns, of which bf16 could not hold the sums one by one."""
    f = t.get(function)
    x = t.np.arange(1025)[:, None] % 3 + t.np.arange(1025) % 5
    return t.call(lambda x: [f(x, 0), f(x, 1), f(x)], t.const(x, dtype))


@case(ND, core=False, host_only=True, reference="none")
def gather_nd_slope_as_rows(t):
    """By places of one number the slope of a tensor or a variable comes as rows, one for each that was taken; by more
    numbers it is whole."""
    tf = t.fw
    for kind in (tf.int32, tf.int64):
        for x in (tf.constant([[1.0, 2], [3, 4], [5, 6]]), tf.Variable([[1.0, 2], [3, 4], [5, 6]])):
            with tf.GradientTape(persistent=True) as tape:
                tape.watch(x)
                rows = t.call(ND, x, tf.constant([[2], [0], [2]], kind))
                numbers = t.call(ND, x, tf.constant([[2, 1], [0, 0], [2, 1]], kind))
            slope = tape.gradient(rows, x, output_gradients=tf.constant([[1.0, 2], [3, 4], [5, 6]]))
            t.expect(isinstance(slope, tf.IndexedSlices), "rows, got %s" % slope)
            t.expect(slope.indices.numpy().tolist() == [2, 0, 2], "2, 0, 2, got %s" % slope.indices)
            whole = tf.convert_to_tensor(slope).numpy().tolist()
            t.expect(whole == [[3, 4], [0, 0], [6, 8]], "each row's sum, got %s" % whole)
            slope = tape.gradient(numbers, x)
            t.expect(tf.is_tensor(slope) and not isinstance(slope, tf.IndexedSlices), "whole")
            t.expect(slope.numpy().tolist() == [[1, 0], [0, 0], [0, 2]], "counts, got %s" % slope)


@case(SPLIT, core=False, host_only=True, reference="none")
def split_known_by_its_axis(t):
    """In a graph: a fed axis leaves the sizes open, or all, where the input's are; parts by sizes of 64 bits."""
    tf, fed = t.fw, t.fw.compat.v1.placeholder
    with tf.Graph().as_default():
        free, rows, axis = fed(tf.float32), fed(tf.float32, [None, 6]), fed(tf.int32, [])
        parts = t.call(SPLIT, free, 2, axis)
        by_sizes = t.call(SPLIT, free, tf.constant([1, 2], tf.int64), axis)
        found = {
            "unknown, of two": (parts, [None, None]),
            "unknown, by sizes": (by_sizes, [None, None]),
            "of three": (t.call(SPLIT, rows, 3, 1), [[None, 2]] * 3),
            "a fed axis": (t.call(SPLIT, rows, 2, axis), [[None, None]] * 2),
        }
        expect_known(t, found)
        values = t.np.arange(18.0).reshape(3, 6)
        with tf.compat.v1.Session() as session:
            got = session.run(parts, {free: values, axis: 1})
            same = all((a == b).all() for a, b in zip(got, t.np.split(values, 2, 1)))
            t.expect(same, "halves, got %s" % got)
            got = session.run(by_sizes, {free: values, axis: 0})
            same = [one.tolist() for one in got] == [values[:1].tolist(), values[1:].tolist()]
            t.expect(same, "one row and two, got %s" % got)
            wrong = tf.errors.InvalidArgumentError
            t.raises(wrong, session.run, parts, {free: values, axis: 0})
            t.raises(wrong, session.run, by_sizes, {free: values, axis: 1})
