"""Rows of several lengths: texts in them, what is known of them when a graph is made, open shapes, what is refused."""

from seamark_suites.case import case, each

from . import reference_ragged as right
from .ragged_picking import (
    _BY_ROWS,
    _EXPAND,
    _GATHER,
    _ND,
    EXPANDS,
    GATHER,
    ND,
    SPLIT,
    SQUEEZES,
    STACK,
    WHERES,
    Given,
)

HOT, TILE = "tf.one_hot", "tf.tile"
TWO = ["equal", "not_equal", "greater", "less", "maximum", "minimum", "multiply", "pow"]


def texts_given(tf, ragged):
    """Each kind, of letters."""

    def make(lengths, inner):
        size = (sum(lengths[-1]), *inner) if lengths else inner
        count = 1
        for n in size:
            count *= n
        made = letters = ["%s%d" % (chr(97 + n), n) for n in range(count)]
        for n in reversed(size[1:]):
            made = [made[i : i + n] for i in range(0, len(made), n)]
        if not ragged:
            return right.nested(right.mapped(made, str.encode), lengths)
        made = tf.reshape(tf.constant(letters), size)
        return tf.RaggedTensor.from_nested_row_lengths(made, lengths) if lengths else made

    return Given(make)


_TIMES = [(lambda tf, f, s, n=n: f(s.deep, n), lambda s, n=n: right.tiled(s.deep, n)) for n in ([4, 3, 2], [1, 2, 1])]  # fmt: skip
_SQUEEZED = [(lambda tf, f, s, axes=axes: f(s.six, axes), lambda s, axes=axes: right.opened(s.six, axes)) for axes in ([0, 2, 4], [0])]  # fmt: skip
_STACKED = [
    (lambda tf, f, s, axis=axis: f([s.alike, s.alike, s.alike], axis), lambda s, axis=axis: right.stacked([s.alike] * 3, axis % 3)) for axis in range(-3, 3)] + [
    (lambda tf, f, s: f([s.column.to_tensor(), s.other, s.column.to_tensor()], 1), lambda s: right.stacked([s.column, s.other, s.column], 1))]  # fmt: skip
_PARTS = [(lambda tf, f, s: f(s.each, 2)[1], lambda s: s.each[1:]), (lambda tf, f, s: f(s.thirds, [2, 1])[0], lambda s: s.thirds[:2])]  # fmt: skip
TEXTS = {GATHER: _GATHER, ND: _ND, TILE: _TIMES, STACK: _STACKED, SPLIT: _PARTS, **dict.fromkeys(EXPANDS, _EXPAND),
         **dict.fromkeys(SQUEEZES, _SQUEEZED), WHERES[1]: _BY_ROWS}  # fmt: skip


@each(TEXTS, host_only=True, core=False)
def of_texts_in_ragged_rows(t, function):
    """As of numbers."""
    tf = t.fw
    for number, (form, wanted) in enumerate(TEXTS[function]):
        made = t.call(lambda: form(tf, t.get(function), texts_given(tf, True)))  # noqa: B023
        got = made.to_list() if hasattr(made, "to_list") else made.numpy().tolist()
        want = wanted(texts_given(tf, False))
        t.expect(got == want, "%d: %s, got %s" % (number, want, got))


@each(WHERES, host_only=True, core=False)
def where_of_texts_in_ragged_rows(t, function):
    """Number by number, of rows, rows of rows, pairs."""
    tf, s, plain = t.fw, texts_given(t.fw, True), texts_given(t.fw, False)
    for kind in ("rows", "deep", "pairs", "four"):
        rows = getattr(s, kind)
        count = int(tf.size(rows.flat_values))
        marks = tf.reshape(tf.range(count) % 3 == 0, rows.flat_values.shape)
        made = t.call(function, rows.with_flat_values(marks), rows, tf.strings.upper(rows))
        kept = {b"%c%d" % (97 + n, n) for n in range(0, count, 3)}
        want = right.mapped(getattr(plain, kind), lambda one: one if one in kept else one.upper())  # noqa: B023
        t.expect(made.to_list() == want, "%s, got %s" % (want, made))


@each(EXPANDS, host_only=True, core=False)
def known_of_expanded_ragged_axes(t, function):
    """The sizes: one at the axis, as before around it."""
    tf = t.fw
    pairs = [[[[1, 1], [2, 2]], [[3, 3]]], [], [[], [[4, 4], [5, 5], [6, 6]]]]
    rows, deep = tf.ragged.constant([[1, 2], [3]]), tf.ragged.constant(pairs, ragged_rank=2)
    flat = tf.ragged.constant([[1, 2], [3, 4], [5, 6]], ragged_rank=0)
    for value in (rows, deep, flat):
        for axis in range(value.shape.rank + 1):
            want = value.shape.as_list()
            want.insert(axis, 1)
            made = t.call(function, value, axis)
            t.expect(made.shape.as_list() == want, "%s, got %s" % (want, made.shape))


@each([GATHER], host_only=True, core=False)
def gather_ragged_refused(t, function):
    """Places beyond the last, of either; an unknown rank of them."""
    tf, ragged = t.fw, t.fw.ragged.constant
    bad = tf.errors.InvalidArgumentError
    texts, rows, places = tf.constant(["a", "b", "c"]), ragged([["a", "b"], ["c"]]), ragged([[0, 3]])  # fmt: skip
    with tf.device("/cpu:0"):
        for given in ((texts, places), (rows, [0, 1, 2]), (rows, places)):
            t.raises(bad, t.call, function, *given)
    with tf.Graph().as_default():
        some = tf.compat.v1.placeholder_with_default(tf.constant([0], tf.int64), None)
        t.raises(ValueError, t.call, function, ragged([], ragged_rank=1, dtype=tf.int32), some)


@each([ND], host_only=True, core=False)
def gather_nd_ragged_refused(t, function):
    """A number as places, places of several lengths, those of an unknown rank or number; places to ignore."""
    tf, ragged = t.fw, t.fw.ragged.constant
    bad = ValueError, tf.errors.InvalidArgumentError
    for given in ((tf.constant(["a"]), 0), (ragged([["a"]]), 0), (tf.constant(["a", "b", "c"]), ragged([[0]]))):  # fmt: skip
        t.raises(bad, t.call, function, *given)
    rows = ragged([["a", "b", "c"], ["d"]])
    t.raises((*bad, TypeError), t.call, function, rows, t.np.zeros([1, 3, 0], "int32"), bad_indices_policy="IGNORE")  # fmt: skip
    with tf.Graph().as_default():
        rows = ragged([["a", "b"], ["c", "d"]])
        for shape in (None, [None]):
            t.raises(ValueError, t.call, function, rows, tf.compat.v1.placeholder(tf.int32, shape))


@each(SQUEEZES, host_only=True, core=False)
def squeeze_ragged_refused(t, function):
    """Axes that are ragged or of another size, none named, axes in a tensor; empty rows lose the axis before them."""
    tf, ragged = t.fw, t.fw.ragged.constant
    one, pairs = [[[[12], [11]]]], [[[1], [2]], [[3], [4]]]
    for values, axes in (([[]], [1]), ([[1, 2]], [1]), ([[1], [2]], [0]), (one, [0, 2]), (one, [2]), (pairs, [0]), (pairs, [1]),
                         ([[], []], [1]), ([[[], []], [[], []]], [1])):  # fmt: skip
        t.raises(tf.errors.InvalidArgumentError, t.call, function, ragged(values), axes)
    for values in ([[]], [[1]], [[1, 2]], pairs, one):
        t.raises(ValueError, t.call, function, ragged(values))
    t.raises(TypeError, t.call, function, ragged(one), tf.constant([0, 1, 3]))
    for values in ([[]], [[[[], []], [[], []]]]):
        made = t.call(function, ragged(values), [0])
        made = made.to_list() if hasattr(made, "to_list") else made.numpy().tolist()
        t.expect(made == values[0], "%s, got %s" % (values[0], made))


@each([STACK], host_only=True, core=False)
def stack_ragged_refused(t, function):
    """Nothing, an axis that is no number, one beyond either end. What is known of the sizes."""
    tf, ragged = t.fw, t.fw.ragged.constant
    rows = [ragged([[1, 2], [3]]), ragged([[3, 4], [5]])]
    t.raises(TypeError, t.call, function, rows, "foo")
    for axis in (-4, 3):
        t.raises(ValueError, t.call, function, rows, axis)
    three = [ragged([[1, 2], [], [3]]), ragged([[4], [5, 6], [7]]), ragged([[], [8], [9]])]
    made = t.call(function, three, 1)
    t.expect(made.shape.as_list() == [3, None, None], "three of them, got %s" % made.shape)
    x, y = [[[0, 1], [2, 3], [4, 5]], [], [[6, 7], [8, 9]]], [[[9, 8], [7, 6], [5, 4]], [], [[3, 2], [1, 0]]]  # fmt: skip
    with tf.Graph().as_default():
        made = t.call(function, [ragged(x, ragged_rank=1), ragged(y, ragged_rank=1)], -1)
        t.expect(made.shape.as_list() == [3, None, 2, 2], "pairs of two, got %s" % made.shape)


_OPEN = [((2, None), (2,)), ((2, None), (None,)), ((2, None), None), (None, (2,)), (None, (None,)), (None, None)]  # fmt: skip


@case(SPLIT, dtypes="f32 i32", core=False, reference=lambda np, x, *_: [
      *([x[:3], np.array([0, 3]), x[3:], np.array([0, 1])] * (len(_OPEN) + 2))])  # fmt: skip
def split_ragged_of_open_shapes(t, dtype):
    """Traced once, where the rows, and the sizes, have a known shape, a known rank or none; in two, and by sizes."""
    tf, f, x, sizes = t.fw, t.get(SPLIT), t.randint((4,), dtype, -9, 10), t.const([1, 1], "i32")
    kind, found = t.dtype(dtype), []

    def made(program, *more):
        parts = t.call(lambda x, *more: [one for part in program(tf.RaggedTensor.from_row_lengths(x, [3, 1]), *more) for one in (
            part.flat_values, part.row_splits)], x, *more)  # fmt: skip
        return list(parts)

    for shape in ((2, None), None):
        spec = tf.RaggedTensorSpec(shape, kind, 1)
        found += made(tf.function(lambda r: f(r, 2), input_signature=[spec], autograph=False))
    for shape, lengths in _OPEN:
        specs = tf.RaggedTensorSpec(shape, kind, 1), tf.TensorSpec(lengths, tf.int32)
        found += made(tf.function(lambda r, n: f(r, n, num=2), input_signature=specs, autograph=False), sizes)  # fmt: skip
    return found


@each([SPLIT], host_only=True, core=False)
def split_ragged_refused(t, function):
    """Too many parts, none, a ragged axis, sizes that are no list, do not fit, are not as many, are negative or fractions; open ones."""
    tf = t.fw
    bad, rows = tf.errors.InvalidArgumentError, tf.RaggedTensor.from_row_lengths([1, 2, 3, 4], [1, 3])  # fmt: skip
    for kind, cut, more in ((bad, 7, {}), (ValueError, 2, {"axis": 1}), (ValueError, 0, {}), (TypeError, [[1, 1]], {}), (ValueError, [1, 1], {"axis": 1}),
                            (bad, [1, 2], {}), (ValueError, [1, 1], {"num": 3}), (bad, [1, -1, 2], {"num": 3}), (TypeError, [1.0, 2.0], {"num": 2})):  # fmt: skip
        t.raises(kind, t.call, function, rows, cut, **more)
    rows = tf.RaggedTensor.from_row_lengths([1.0, 2.0, 3.0, 4.0], [3, 1])
    for shape, lengths, sizes, axis, num in ((None, (None,), [1, 1, 0], 0, 2), (None, None, [1, 1, 0], 0, 2), (None, None, [1, 1], -2, 2),
                                             (None, None, [1, 1], 0, None), (None, None, [[1, 1]], 0, 2)):  # fmt: skip
        specs = tf.RaggedTensorSpec(shape, tf.float32, 1), tf.TensorSpec(lengths, tf.int32)
        program = tf.function(lambda r, n: t.get(function)(r, n, axis=axis, num=num), input_signature=specs, autograph=False)  # fmt: skip # noqa: B023
        t.raises((ValueError, bad), t.call, program, rows, tf.constant(sizes))


@each(WHERES, host_only=True, core=False)
def where_ragged_refused(t, function):
    """One choice alone; a matrix beside rows of other lengths."""
    tf, ragged = t.fw, t.fw.ragged.constant
    kinds = ValueError, tf.errors.InvalidArgumentError
    truth, x = ragged([[True, False, True], [False, True]]), ragged([[1, 2, 3], [4, 5]])
    t.raises(kinds, t.call, function, truth, x)
    t.raises(kinds, t.call, function, truth, x, tf.constant([[1, 2], [4, 5]]))


@each([HOT], host_only=True, core=False)
def one_hot_ragged_refused(t, function):
    """An axis before the ragged one or at it, one from before the last. None of a depth of none."""
    tf, ragged = t.fw, t.fw.ragged.constant
    for axis in (0, 1, -2):
        t.raises((ValueError, tf.errors.InvalidArgumentError), t.call, function, ragged([[1]]), 4, axis=axis)  # fmt: skip
    made = t.call(function, ragged([[0, 2, -1], [3]]), 0)
    t.expect(made.to_list() == [[[], [], []], [[]]], "no numbers, got %s" % made)
    made = t.call(function, ragged([[1, 0], [1]]), 2, True, False)
    t.expect(made.to_list() == [[[False, True], [True, False]], [[False, True]]], "truths, got %s" % made)  # fmt: skip


@each(["tf." + name for name in TWO], host_only=True, core=False)
def of_ragged_that_do_not_meet(t, function):
    """Rows of other lengths, what is sparse, and in a graph numbers of an unknown rank."""
    tf, ragged = t.fw, t.fw.ragged.constant
    x, y = ragged([[1, 2, 3], [4, 5]]), ragged([[1, 2, 3], [4, 5, 6]])
    t.raises(tf.errors.InvalidArgumentError, t.call, function, x, y)
    sparse = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 2, 3], [3, 2])
    t.raises((TypeError, ValueError), t.call, function, x, sparse)
    with tf.Graph().as_default():
        x = ragged([[1, 2], [3]])
        some = tf.compat.v1.placeholder_with_default(tf.constant([1, 2, 3]), None)
        y = tf.RaggedTensor.from_row_splits(some, x.row_splits, validate=False)
        t.raises(ValueError, t.call, function, x, y)
