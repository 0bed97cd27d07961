"""Tensors and ragged rows in ragged shapes: broadcast to one, broadcast against each other, ones of one."""

from seamark_suites.case import case

from . import reference_ragged as right
from .ragged_picking import each, flat, run

TO, ONES, MULTIPLY, EQUAL = "tf.broadcast_to", "tf.ones", "tf.multiply", "tf.equal"
WHERE = "tf.where"


def _to(np, x):
    a, b, c, d = x[:3].tolist(), x[:6].reshape(2, 3).tolist(), x[:2].tolist(), x[0]
    made = (
        [[one] * n for one, n in zip(a, (3, 0, 2))],
        [[row] * n for row, n in zip(b, (2, 3))],
        [[[c[0]] * n for n in (0, 2)], [[c[1]] * n for n in (1, 2, 0)]],
        [[d] * n for n in (3, 0, 2)],
        [[[a[0]] * 2, [a[1]] * 2], [[a[2]] * 2]],
    )
    depths = 1, 2, 2, 1, 2
    return [np.repeat(x[:3], 2).reshape(3, 2).ravel(), np.array([0, 2, 4, 6]), *(
        leaf for one, rank in zip(made, depths) for leaf in right.laid(np, one, rank))]  # fmt: skip


@case(TO, dtypes="f32 i64", core=False, reference=_to)
def broadcast_to_ragged_shapes(t, dtype):
    """Columns, rows, a number and ragged rows of one each, to rows of several lengths and of none, to rows of these."""
    f, tf = t.get(TO), t.fw
    lengths = tf.experimental.DynamicRaggedShape.from_lengths

    def every(x):
        rows = tf.RaggedTensor.from_row_lengths(x[:3, None], [2, 1])
        made = [f(x[:3, None], lengths([3, 2])), f(x[:3, None], lengths([3, (3, 0, 2)])), f(tf.reshape(x[:6], [2, 1, 3]), lengths([2, (2, 3), 3])),
                f(x[:2, None, None], lengths([2, (2, 3), (0, 2, 1, 2, 0)])), f(x[0], lengths([3, (3, 0, 2)])), f(rows, lengths([2, (2, 1), 2]))]  # fmt: skip
        return [part for one in made for part in flat(tf, one)]

    return t.call(every, t.distinct((6,), dtype))


def _met(np, x, y, f):
    rows = [x[:3], x[3:4]]
    one = np.concatenate([f(x[:3], y[0]), f(x[3:5], y[2])])
    two = np.concatenate([f(x[:3], n) for n in y[:3]])
    three = np.concatenate([f(row[:, None], y[:3]).ravel() for row in rows])
    four = np.concatenate([f(row[:, None], y[:4]).ravel() for row in rows])
    pairs = x[:6].reshape(3, 2)
    five = np.concatenate([f(n, y[s]) for pair, n_rows in ((pairs[:2], (slice(0, 2), slice(2, 3))), (pairs[2:], (slice(3, 5), slice(5, 6))))
                           for two_of in pair for n, s in zip(two_of, n_rows)])  # fmt: skip
    return [one, two, three, four, five]


@case(MULTIPLY, dtypes="f32 i32", core=False, reference=lambda np, x, y: _met(np, x, y, lambda x, y: x * y))  # fmt: skip
@case(EQUAL, dtypes="i32", core=False, reference=lambda np, x, y: _met(np, x, y, lambda x, y: x == y))  # fmt: skip
def of_ragged_axes_of_one(t, dtype, function):
    """Either side is drawn out: a column by rows, one ragged row by a column, two ragged axes from one each, by a matrix, three."""
    f, tf = t.get(function), t.fw

    def every(x, y):
        ragged, deep = tf.RaggedTensor.from_row_lengths, [[2, 1], [2, 2, 2]]
        column = ragged(x[:4, None], [3, 1])
        made = [f(ragged(x[:5], [3, 0, 2]), y[:3, None]), f(ragged(x[:3], [3]), y[:3, None]), f(column, ragged(y[:3], [3])), f(column, y[None, None, :4]),
                f(ragged(tf.reshape(x[:6], [3, 2, 1]), deep[0]), ragged(ragged(y[:6], [2, 1, 2, 1]), [2, 2])[:, None])]  # fmt: skip
        return [tf.reshape(one.flat_values, [-1]) for one in made]

    return t.call(every, t.randint((6,), dtype, -3, 4), t.randint((6,), dtype, -3, 4))


@case(TO, host_only=True, core=False, reference="none")
def broadcast_to_ragged_refused(t):
    """A shape that is a number, rows of other lengths than one. Ends of rows of two kinds do not meet; of one they stay that kind."""
    tf = t.fw
    lengths, rows = tf.experimental.DynamicRaggedShape.from_lengths, tf.ragged.constant([[1, 2]])
    kinds = ValueError, TypeError, tf.errors.InvalidArgumentError
    given = tf.RaggedTensor.from_nested_row_lengths([2, 3, 5], [[1, 1], [1, 2]])
    for to in ([1, 2, (2, 1)], [2, 1, (5, 5)], [2, 1, (3, 3)]):
        t.raises(kinds, t.call, TO, given, lengths(to))
    t.raises(kinds, t.call, TO, tf.ones([3, 4, 5]), lengths([4, 5]))
    short, long = rows.with_row_splits_dtype(tf.int32), rows.with_row_splits_dtype(tf.int64)
    for one, other in ((short, long), (long, short)):
        t.raises(ValueError, tf.add, one, other)
    got = [tf.add(one, one).row_splits.dtype for one in (short, long)]
    t.expect(got == [tf.int32, tf.int64], "as they were, got %s" % got)


def _marked(made):
    return right.mapped(made, lambda one: one > 0)


def _all(made, value):
    return right.mapped(made, lambda _: value)


def _number(tf, s, value):
    return tf.constant(value, s.vector.dtype)


_ROWS = [[True], [False], [True], [True], [False]]
_WHERE = [
    (lambda tf, f, s: f(s.rows > 0, s.rows, _number(tf, s, -1)), lambda s: right.chosen(_marked(s.rows), s.rows, _all(s.rows, -1))),
    (lambda tf, f, s: f(s.rows > 0, _number(tf, s, 2), s.rows), lambda s: right.chosen(_marked(s.rows), _all(s.rows, 2), s.rows)),
    (lambda tf, f, s: tf.cast(f(s.rows > 0, 1, 0), s.rows.dtype), lambda s: _marked(s.rows)),
    (lambda tf, f, s: f(True, s.rows, 2 * s.rows), lambda s: s.rows),
    (lambda tf, f, s: f(False, s.rows, 2 * s.rows), lambda s: right.times(s.rows, 2)),
    (lambda tf, f, s: f(_ROWS, s.rows, 2 * s.rows), lambda s: [row if one else right.times(row, 2) for (one,), row in zip(_ROWS, s.rows)]),
    (lambda tf, f, s: f(s.rows > 0, s.rows, s.vector[:5, None]), lambda s: right.chosen(
        _marked(s.rows), s.rows, [[one] * len(row) for one, row in zip(s.vector, s.rows)])),
    (lambda tf, f, s: f(s.vector[:5, None] > 0, s.rows, 2 * s.rows), lambda s: [row if one > 0 else right.times(row, 2) for one, row in zip(s.vector, s.rows)]),
    (lambda tf, f, s: f(s.deep > 0, s.deep, _number(tf, s, 3)), lambda s: right.chosen(_marked(s.deep), s.deep, _all(s.deep, 3))),
    (lambda tf, f, s: f([[[True]], [[False]], [[True]]], s.deep, 2 * s.deep), lambda s: [s.deep[0], right.times(s.deep[1], 2), s.deep[2]]),
]  # fmt: skip


@each([WHERE], _WHERE)
def where_ragged_meets_others(t, dtype, function):
    """A truth of each number beside a number and a column; one truth and a column of truths beside ragged rows, and rows of rows."""
    return run(t, function, _WHERE, dtype)


@case(WHERE, host_only=True, core=False, reference="none")
def where_ragged_as_written(t):
    """Two rows, each way; truths that are as many as the rows and not as the numbers of each are refused."""
    tf = t.fw
    truth, x = tf.ragged.constant([[True, False, True], [False, True]]), tf.ragged.constant([[1, 2, 3], [4, 5]])  # fmt: skip
    for given, want in (
        ((truth, x, -1), [[1, -1, 3], [-1, 5]]),
        ((truth, 1, 0), [[1, 0, 1], [0, 1]]),
        ((True, x, 2 * x), [[1, 2, 3], [4, 5]]),
        (([[True], [False]], x, 2 * x), [[1, 2, 3], [8, 10]]),
        ((truth, x, [[10], [20]]), [[1, 10, 3], [20, 5]]),
    ):
        got = t.call(WHERE, *given)
        t.expect(got.to_list() == want, "%s, got %s" % (want, got))
    kinds = ValueError, tf.errors.InvalidArgumentError
    t.raises(kinds, t.call, WHERE, [True, False], x, 2 * x)
