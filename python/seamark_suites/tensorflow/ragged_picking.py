"""Rows of rows of several lengths, and pairs in them: what is picked, put side by side, cut, and made of one axis more or fewer."""

from seamark_suites.case import case
from seamark_suites.case import each as each_name

from . import reference_ragged as right

GATHER, ND, STACK, SPLIT = "tf.gather", "tf.gather_nd", "tf.stack", "tf.split"
EXPANDS = "tf.expand_dims", "tf.compat.v1.expand_dims"
SQUEEZES = "tf.squeeze", "tf.compat.v1.squeeze"
WHERES = "tf.where", "tf.compat.v1.where"
# Lengths, and the shape of what is within.
KINDS = {
    "vector": ([], (7,)),
    "cube": ([], (2, 1, 1)),
    "rows": ([[2, 3, 1, 0, 1]], ()),
    "alike": ([[2, 0, 3]], ()),
    "other": ([[1, 3, 1]], ()),
    "few": ([[1, 1]], ()),
    "deep": ([[2, 3, 1], [2, 0, 2, 1, 1, 1]], ()),
    "deeper": ([[1, 2], [1, 2, 1]], ()),
    "pairs": ([[2, 0, 1]], (2,)),
    "far": ([[2], [2, 1]], (2,)),
    "four": ([[2, 0, 2], [2, 1, 0, 3]], (2,)),
    "one": ([[1], [2], [1, 1]], ()),
    "column": ([[1, 1, 1]], ()),
    "row": ([[4]], ()),
    "six": ([[2], [1, 1], [2, 2], [1] * 4, [1, 2, 0, 0]], ()),
    "halves": ([[2, 2], [1, 1, 1, 1]], ()),
    "each": ([[1, 3]], ()),
    "thirds": ([[1, 2, 1]], ()),
    "ones": ([[1] * 5], ()),
    "first": ([[4, 0, 0, 0]], ()),
    "three": ([[1, 3]], (3,)),
    "twos": ([[1, 3]], (2,)),
}


class Given:
    """Each kind, by its name, of the first of the values."""

    def __init__(self, make):
        self.make = make

    def __getattr__(self, kind):
        return self.make(*KINDS[kind])


def _count(lengths, inner):
    count = sum(lengths[-1]) if lengths else 1
    for n in inner:
        count *= n
    return count


def given(tf, x):
    def make(lengths, inner):
        size = (sum(lengths[-1]), *inner) if lengths else inner
        flat = tf.reshape(x[: _count(lengths, inner)], size)
        return tf.RaggedTensor.from_nested_row_lengths(flat, lengths) if lengths else flat

    return Given(make)


def given_lists(np, x):
    def make(lengths, inner):
        size = (sum(lengths[-1]), *inner) if lengths else inner
        return right.nested(np.reshape(x[: _count(lengths, inner)], size).tolist(), lengths)

    return Given(make)


def flat(tf, made):
    """The numbers, and the ends of the rows of every axis but the last."""
    if not hasattr(made, "flat_values"):
        if made.shape.rank < 2:
            return [made]
        made = tf.RaggedTensor.from_tensor(made, ragged_rank=made.shape.rank - 1)
    elif made.flat_values.shape.rank > 1:
        within = made.flat_values
        within = tf.RaggedTensor.from_tensor(within, ragged_rank=within.shape.rank - 1)
        made = made.with_flat_values(within)
    return [made.flat_values, *(tf.cast(one, tf.int64) for one in made.nested_row_splits)]


def depth(made):
    return 1 + max(map(depth, made), default=0) if isinstance(made, list) else 0


def right_of(forms):
    def reference(np, x, *_):
        s, found = given_lists(np, x), []
        for _, wanted in forms:
            made = wanted(s)
            found += right.laid(np, made, max(depth(made) - 1, 0))
        return found

    return reference


def each(names, forms, dtypes="f32 i64"):
    return each_name(names, lambda _: right_of(forms), dtypes=dtypes, core=False)


def run(t, function, forms, dtype):
    tf, f = t.fw, t.get(function)
    return t.call(lambda x: [part for form, _ in forms for part in flat(tf, form(tf, f, given(tf, x)))], t.distinct((12,), dtype))  # fmt: skip


# --- gather, gather_nd

_PLACES = [[2, 1], [1, 2, 0], [3]], [[3, 1, 2], [1], [], [0]]
_FAR = [[[[3, 4], [0, 6]], []], [[[2, 1], [1, 0]], [[2, 5]], [[2, 3]]], [[[1, 0]]]]
_GATHER = [
    (lambda tf, f, s: f(s.rows, [2, 0, 2, 1]), lambda s: right.taken(s.rows, [2, 0, 2, 1])),
    *((lambda tf, f, s, i=i: f(s.vector, tf.ragged.constant(i)), lambda s, i=i: right.taken(s.vector, i)) for i in _PLACES),
    *((lambda tf, f, s, i=i: f(s.rows, tf.ragged.constant(i)), lambda s, i=i: right.taken(s.rows, i)) for i in _PLACES),
    (lambda tf, f, s: f(s.rows, 1), lambda s: s.rows[1]),
    (lambda tf, f, s: f(s.deep, [[1, 2], [0, 1], [2, 2]]), lambda s: right.taken(s.deep, [[1, 2], [0, 1], [2, 2]])),
    (lambda tf, f, s: f(s.vector, tf.ragged.constant(_FAR, ragged_rank=2, inner_shape=(2,))), lambda s: right.taken(s.vector, _FAR)),
]  # fmt: skip


@each([GATHER], _GATHER)
def gather_ragged_of_any_depth(t, dtype, function):
    """Rows and rows of rows by a number, vectors, matrices and ragged places; places of pairs three axes deep."""
    return run(t, function, _GATHER, dtype)


_NONE = [[[], []], [[]]]
_ND = [
    *((lambda tf, f, s, i=i: f(s.deep, i), lambda s, i=i: right.found(s.deep, i)) for i in (
        [[2], [0]], [[2, 0], [0, 0]], [[0, 0, 1], [1, 2, 0]], [[1], [1]], [[1, 0], [0, 1], [0, 0]], [[[1, 0], [0, 1], [0, 0]]])),
    *((lambda tf, f, s, i=i: f(s.pairs, i), lambda s, i=i: right.found(s.pairs, i)) for i in (
        [[[2, 0], [0, 1], [0, 0]]], [[[[2, 0], [0, 1], [0, 0]]]], [[2, 0, 1], [0, 0, 0], [0, 1, 1]])),
    (lambda tf, f, s: f(s.rows, tf.zeros([0], tf.int32)), lambda s: s.rows),
    (lambda tf, f, s: f(s.rows, tf.zeros([3, 0], tf.int32)), lambda s: [s.rows] * 3),
    (lambda tf, f, s: f(s.rows, tf.zeros([1, 3, 0], tf.int32)), lambda s: [[s.rows] * 3]),
    (lambda tf, f, s: f(s.vector, tf.ragged.constant(_NONE, ragged_rank=1, inner_shape=(0,), dtype=tf.int32)), lambda s: [[s.vector] * 2, [s.vector]]),
    (lambda tf, f, s: f(s.rows, [[1], [0]]), lambda s: [s.rows[1], s.rows[0]]),
    (lambda tf, f, s: f(s.cube, tf.ragged.constant([[[0]]], ragged_rank=1)), lambda s: [[s.cube[0]]]),
    (lambda tf, f, s: f(s.rows, [[1, 0], [0, 0], [0, 1]]), lambda s: [s.rows[1][0], *s.rows[0]]),
    (lambda tf, f, s: f(s.deep, tf.ragged.constant([[[1, 0], [0, 1]], [[0, 0]]], ragged_rank=1)), lambda s: [
        [s.deep[1][0], s.deep[0][1]], [s.deep[0][0]]]),
    (lambda tf, f, s: f(s.far, [[0, 0, 1], [0, 0, 0], [0, 1, 0]]), lambda s: [*reversed(s.far[0][0]), s.far[0][1][0]]),
]  # fmt: skip


@each([ND], _ND)
def gather_nd_ragged_of_any_depth(t, dtype, function):
    """Places of none, one, two, three axes, in vectors, matrices, more, and in ragged rows; of rows, rows of rows, pairs."""
    return run(t, function, _ND, dtype)


# --- expand_dims, squeeze

_EXPAND = [(lambda tf, f, s, axis=axis: f(s.four, axis), lambda s, axis=axis: right.wrapped(s.four, axis)) for axis in range(5)] + [
    (lambda tf, f, s: f(s.rows, -1), lambda s: right.wrapped(s.rows, 2))]  # fmt: skip


@each(EXPANDS, _EXPAND)
def expand_ragged_at_every_axis(t, dtype, function):
    """Before, between and behind two ragged axes and that of pairs."""
    return run(t, function, _EXPAND, dtype)


_OPEN = [("one", axes) for axes in ([0], [1], [3], [0, 3], [0, 1], [1, 3], [0, 1, 3])] + [
    ("row", [0]), ("column", [1]), ("column", [-1]), ("halves", [2]), ("six", [0, 2, 4]), ("six", [0])]  # fmt: skip
_SQUEEZE = [
    (lambda tf, f, s, kind=kind, axes=axes: f(getattr(s, kind), axes),
     lambda s, kind=kind, axes=axes: right.opened(getattr(s, kind), [one % depth(getattr(s, kind)) for one in axes]))
    for kind, axes in _OPEN
] + [
    (lambda tf, f, s, kind=kind, axes=axes: f(tf.RaggedTensor.from_tensor(getattr(s, kind).to_tensor()), axes),
     lambda s, kind=kind, axes=axes: right.opened(getattr(s, kind), [one % depth(getattr(s, kind)) for one in axes]))
    for kind, axes in _OPEN[:9]
]  # fmt: skip


@each(SQUEEZES, _SQUEEZE)
def squeeze_ragged_axes_of_one(t, dtype, function):
    """One axis, two, three, of what is ragged in name alone, and of what has rows of several lengths and of none."""
    return run(t, function, _SQUEEZE, dtype)


# --- stack, split

_SAME = [(kind, axis) for kind, axes in (("alike", 3), ("deep", 4), ("pairs", 3)) for axis in range(-axes, axes)]  # fmt: skip
_STACK = [
    (lambda tf, f, s, kind=kind, axis=axis, n=n: f([getattr(s, kind) * k for k in range(1, n + 1)], axis),
     lambda s, kind=kind, axis=axis, n=n: right.stacked([right.times(getattr(s, kind), k) for k in range(1, n + 1)], axis % (depth(getattr(s, kind)) + 1)))
    for n in (1, 2, 3) for kind, axis in _SAME if not (n == 2 and axis < 0) and not (kind == "pairs" and axis % 3 < 1)
] + [
    (lambda tf, f, s: f([s.alike, s.few]), lambda s: [s.alike, s.few]),
    (lambda tf, f, s: f([s.alike, s.few, s.other], axis=-3), lambda s: [s.alike, s.few, s.other]),
    (lambda tf, f, s: f([s.alike, s.other, s.alike], 1), lambda s: right.stacked([s.alike, s.other, s.alike], 1)),
    (lambda tf, f, s: f([s.alike, s.other], -2), lambda s: right.stacked([s.alike, s.other], 1)),
    (lambda tf, f, s: f([s.deep, s.deeper]), lambda s: [s.deep, s.deeper]),
    (lambda tf, f, s: f([s.column.to_tensor(), s.other, 2 * s.column.to_tensor()], 1), lambda s: right.stacked(
        [s.column, s.other, right.times(s.column, 2)], 1)),
    (lambda tf, f, s: f([s.few.to_tensor(), s.alike]), lambda s: [s.few, s.alike]),
    (lambda tf, f, s: f([tf.stack([s.few.to_tensor()] * 2), s.deeper]), lambda s: [[s.few] * 2, s.deeper]),
    (lambda tf, f, s: f([s.alike, tf.constant([[5, 6]], s.alike.dtype)]), lambda s: [s.alike, [[5, 6]]]),
]  # fmt: skip


@each([STACK], _STACK)
def stack_ragged_along_every_axis(t, dtype, function):
    """One, two, three of a kind, from either end; other rows beside them, and matrices."""
    return run(t, function, _STACK, dtype)


def _pieces(tf, f, x, *cut, **options):
    """The parts behind one another, each with its ends."""
    return [part for one in f(x, *cut, **options) for part in flat(tf, one)]


_CUTS = [("each", 2), ("thirds", 3), ("ones", 5), ("first", 2), ("each", 1), ("twos", 2), ("each", [1, 1]), ("thirds", [1, 2]),
         ("ones", [1, 2, 2, 0]), ("first", [3, 1]), ("each", [2]), ("twos", [1, 1]), ("thirds", [2, 1])]  # fmt: skip


def _cut(rows, sizes):
    if isinstance(sizes, int):
        sizes = [len(rows) // sizes] * sizes
    ends = [sum(sizes[:n]) for n in range(len(sizes) + 1)]
    return [rows[start:end] for start, end in zip(ends, ends[1:])]


def _split(np, x, *_):
    s, made = given_lists(np, x), []
    for kind, sizes in _CUTS:
        rows = getattr(s, kind)
        made += [part for one in _cut(rows, sizes) for part in right.laid(np, one, depth(rows) - 1)]
    made += right.laid(np, s.each, 1)
    for kind, ends in (("twos", (0, 1, 2)), ("three", (0, 2, 3)), ("three", (0, 2, 3))):
        for start, end in zip(ends, ends[1:]):
            made += right.laid(np, [[pair[start:end] for pair in row] for row in getattr(s, kind)], 2)  # fmt: skip
    for sizes in ([1, 1], [1, 1], [1, 1], [2, 1]):
        made += [part for one in _cut(s.each if sizes[0] == 1 else s.thirds, sizes) for part in right.laid(np, one, 1)]  # fmt: skip
    return made


@case(SPLIT, dtypes="f32 i64", core=False, reference=_split)
def split_ragged_in_every_way(t, dtype):
    """In as many parts, in parts of sizes, of no rows, too; along the axis of pairs and triples; sizes of either kind, a number of them."""
    tf, f = t.fw, t.get(SPLIT)

    def cut(x):
        s, made = given(tf, x), []
        for kind, sizes in _CUTS:
            made += _pieces(tf, f, getattr(s, kind), sizes)
        made += _pieces(tf, f, s.each, 1, 1)
        for kind, sizes, axis in (("twos", 2, 2), ("three", [2, 1], 2), ("three", [2, 1], -1)):
            made += _pieces(tf, f, getattr(s, kind), sizes, axis)
        for sizes in (tf.constant([1, 1]), tf.constant([1, 1], tf.int64)):
            made += _pieces(tf, f, s.each, sizes)
        made += _pieces(tf, f, s.each, [1, 1], -2)
        return made + _pieces(tf, f, s.thirds, [2, 1], num=2, name="parts")

    return t.call(cut, t.distinct((15,), dtype))


# --- where

_MODES = [("rows", ()), ("deep", ()), ("pairs", (2,)), ("four", (2,))]


def _marked(s, kind):
    return right.mapped(getattr(s, kind), lambda one: one > 0)


_WHERE = [(lambda tf, f, s, kind=kind: f(getattr(s, kind) > 0), lambda s, kind=kind: right.places(_marked(s, kind))) for kind, _ in _MODES] + [
    (lambda tf, f, s, kind=kind: f(getattr(s, kind) > 0, getattr(s, kind), getattr(s, kind) * -3),
     lambda s, kind=kind: right.chosen(_marked(s, kind), getattr(s, kind), right.times(getattr(s, kind), -3))) for kind, _ in _MODES]  # fmt: skip


@each(WHERES, _WHERE)
def where_of_ragged_of_any_depth(t, dtype, function):
    """The places, and number by number, of rows, rows of rows, pairs in rows, pairs in rows of rows."""
    return run(t, function, _WHERE, dtype)


_BY_ROWS = [
    (lambda tf, f, s: f([True, False, True], s.alike, s.other), lambda s: [s.alike[0], s.other[1], s.alike[2]]),
    (lambda tf, f, s: f([True, False, True], tf.reshape(s.vector[:6], [3, 2]), s.other), lambda s: [s.vector[:2], s.other[1], s.vector[4:6]]),
    (lambda tf, f, s: f(tf.constant([False, True, False]), s.deep, s.alike[:, :, None]), lambda s: [
        right.wrapped(s.alike, 2)[0], s.deep[1], right.wrapped(s.alike, 2)[2]]),
]  # fmt: skip


@each(WHERES[1:], _BY_ROWS)
def where_of_whole_ragged_rows(t, dtype, function):
    """By a vector of truths: of rows of other lengths, of a matrix's rows, of rows of rows."""
    return run(t, function, _BY_ROWS, dtype)
