"""Rows of rows of several lengths: reductions over every choice of axes, repetitions along each."""

from seamark_suites.case import case
from seamark_suites.case import each as each_name

from . import reference_ragged as right

SUMS = "tf.reduce_sum", "tf.compat.v1.reduce_sum"
MEANS = "tf.reduce_mean", "tf.compat.v1.reduce_mean"
MOST, ALL, ANY, TILE = "tf.reduce_max", "tf.reduce_all", "tf.reduce_any", "tf.tile"
DEEP = [3, 3, 0, 1], [2, 0, 3, 2, 0, 1, 1]
FULL = [2, 2, 1], [2, 3, 2, 1, 1]
LOWEST = -(2**31)
# The axes, and how many ragged axes are left without those and with them.
OVER = [(None, 0, 0), ([], 2, 2), (0, 1, 2), (1, 1, 2), (2, 1, 1), ([0, 1], 0, 2), ([0, 2], 0, 0), ([1, 2], 0, 0),
        ([0, 1, 2], 0, 0), ([-2, -1], 0, 0), ([-3, -2, -1], 0, 0), (-3, 1, 2)]  # fmt: skip
FEW = [(None, 0, 0), (0, 1, 2), (1, 1, 2), (2, 1, 1), ([0, 1], 0, 2)]


def parts(made):
    """The numbers and the ends of the rows of what is ragged."""
    return [made.flat_values, *made.nested_row_splits] if hasattr(made, "flat_values") else [made]


def _of(lengths, f, over):
    def reference(np, x):
        rows, made = right.nested(x, lengths), []
        for axis, *ranks in over:
            for keepdims, rank in enumerate(ranks):
                made += right.laid(np, right.reduced(np, rows, 3, f, axis, keepdims), rank)
        return made

    return reference


def each(names, f, lengths=DEEP, over=OVER, **header):
    return each_name(names, lambda _: _of(lengths, f, over), core=False, **header)


@each(SUMS, sum, dtypes="f32 i32")
@each([MOST], lambda values: max([LOWEST, *values]), dtypes="i32")
@each([ALL], all, dtypes="bool")
@each([ANY], any, dtypes="bool")
@each(MEANS, lambda values: sum(values) / len(values) if values else float("nan"), dtypes="f32 i32")
def over_each_choice_of_ragged_axes(t, dtype, function):
    """Of rows of rows, some of them empty: one axis, two, all, none; with axes that stay and without. The mean of none is NaN."""
    f, ragged = t.get(function), t.fw.RaggedTensor.from_nested_row_lengths
    x = t.const([1, 0, 1, 1, 0, 1, 1, 0, 1], dtype) if dtype == "bool" else t.randint((9,), dtype, -50, 51)  # fmt: skip

    def every(x):
        rows = ragged(x, DEEP)
        return [part for axis, *_ in OVER for kept in (False, True) for part in parts(f(rows, axis, kept))]  # fmt: skip

    return t.call(every, x)


@each(MEANS, lambda values: sum(values) / len(values), FULL, FEW, dtypes="f32 f64")
def mean_over_full_ragged_axes(t, dtype, function):
    """Of rows of rows of which none is empty."""
    f, ragged = t.get(function), t.fw.RaggedTensor.from_nested_row_lengths

    def every(x):
        rows = ragged(x, FULL)
        return [part for axis, *_ in FEW for kept in (False, True) for part in parts(f(rows, axis, kept))]  # fmt: skip

    return t.call(every, t.uniform((9,), dtype, 0.5, 2))


def _rows(np, x):
    rows = right.nested(x, [[4, 1, 0, 2, 1, 2]])
    down = right.reduced(np, rows, 2, lambda values: sum(values) / len(values), 0, False)
    across = [sum(row) / len(row) if row else np.nan for row in rows]
    return [np.array(down), np.array([down]), np.array(across), x.mean(), x.reshape(2, 5).mean(1)]


@case(MEANS[0], dtypes="f32 i32", core=False, reference=_rows)
@case(MEANS[1], dtypes="f32 i32", core=False, reference=_rows)
def mean_of_ragged_rows_and_none(t, dtype, function):
    """Down, down with that axis, across with NaN of an empty row, of all; whole numbers have a fraction; of a matrix."""
    f, rows = t.get(function), t.fw.RaggedTensor.from_row_lengths
    x = t.randint((10,), dtype, -50, 51)

    def means(x):
        made = rows(x, [4, 1, 0, 2, 1, 2])
        dense = t.fw.cast(t.fw.reshape(x, [2, 5]), t.fw.float32)
        return [f(made, 0), parts(f(made, 0, True))[0], f(made, 1), f(made), f(dense, axis=1)]

    return t.call(means, x)


@case(MOST, dtypes="f32", core=False, reference=lambda np, x: [
      np.array([max(x[:4]), x[4], np.finfo(np.float32).min, max(x[5:])]), np.array([max(x[0], x[4], x[5]), max(x[1], x[6]), x[2], x[3]])])  # fmt: skip
def most_of_an_empty_ragged_row(t, dtype):
    """The lowest finite number."""
    f, rows = t.get(MOST), t.fw.RaggedTensor.from_row_lengths
    return t.call(lambda x: [f(rows(x, [4, 1, 0, 2]), axis) for axis in (1, 0)], t.distinct((7,), dtype))  # fmt: skip


@case(SUMS[0], host_only=True, core=False, reference="none")
@case(SUMS[1], host_only=True, core=False, reference="none")
@case(MEANS[0], host_only=True, core=False, reference="none")
@case(MEANS[1], host_only=True, core=False, reference="none")
@case(MOST, host_only=True, core=False, reference="none")
@case(ALL, host_only=True, core=False, reference="none")
@case(ANY, host_only=True, core=False, reference="none")
def known_of_reduced_ragged_axes(t, function):
    """Pairs stay pairs where an axis before them goes. An axis is a number, and known when a graph is made."""
    tf, truth = t.fw, function in (ALL, ANY)
    pair = [True, True] if truth else [1, 1]
    rows = tf.ragged.constant([[[pair]]], ragged_rank=2)
    t.expect(rows.shape.as_list() == [1, None, None, 2], "two open axes, got %s" % rows.shape)
    made = t.call(function, rows, axis=2)
    t.expect(made.shape.as_list() == [1, None, 2], "one open axis, got %s" % made.shape)
    t.expect(made.to_list() == [[pair]], "of one each, got %s" % made)
    t.raises(TypeError, t.call, function, rows, ["x"])
    with tf.Graph().as_default():
        rows = tf.ragged.constant([[pair[0]], pair])
        fed = tf.compat.v1.placeholder_with_default(tf.constant([0]), None)
        t.raises(ValueError, t.call, function, rows, fed)


# --- tile

FORMS = {
    "rows": ([[2, 1]], (), [(3, 2), (2, 3)]),
    "deep": (([2, 0, 1], [2, 1, 1]), (), [(2, 1, 1), (1, 2, 1), (1, 1, 2), (2, 2, 1), (2, 1, 2), (1, 2, 2), (4, 3, 2)]),
    "pairs": ([[2, 0, 1]], (2,), [(2, 1, 1), (1, 2, 1), (1, 1, 2)]),
    "four": (([2, 1, 1], [2, 1, 0, 1], [1, 1, 1, 2]), (), [
        (2, 1, 1, 1), (1, 2, 1, 1), (1, 1, 2, 1), (1, 1, 1, 2), (5, 4, 3, 2), (0, 1, 1, 1), (1, 0, 1, 1), (1, 1, 0, 1), (1, 1, 1, 0)]),
    "five": (([1], [1], [1], [1]), (), [(6, 5, 4, 3, 2)]),
}  # fmt: skip


def _drawn(form):
    lengths, inner, _ = FORMS[form]
    return (sum(lengths[-1]), *inner)


def _tiled(np, x, *_, form):
    lengths, inner, counts = FORMS[form]
    made = []
    for times in counts:
        rows = right.tiled(right.nested(x.tolist(), lengths), times)
        values, *ends = right.laid(np, rows, len(lengths))
        made += [values.reshape(-1, *(n * times[-1] for n in inner)), *ends]
    return made


@case(TILE, dtypes="f32 i64", form=list(FORMS), core=False, reference=_tiled)
def tile_along_each_ragged_axis(t, dtype, form):
    """Along one, several, all; none of one; what is known of the sizes, and that there are as many ragged axes."""
    lengths, inner, counts = FORMS[form]
    f, ragged, axes = t.get(TILE), t.fw.RaggedTensor.from_nested_row_lengths, len(lengths) + len(inner) + 1  # fmt: skip

    def tiled(x):
        rows, made = ragged(x, lengths), []
        for times in counts:
            more = f(rows, t.fw.constant(times[:axes], t.fw.int64))
            want = [n and n * m for n, m in zip(rows.shape.as_list(), times)]
            t.expect(more.ragged_rank == len(lengths), "as many ragged axes, got %s" % more)
            t.expect(more.shape.is_compatible_with(want), "%s, got %s" % (want, more.shape))
            made += parts(more)
        return made

    return t.call(tiled, t.randn(_drawn(form), dtype))


@case(TILE, dtypes="f32 i64", form=list(FORMS), core=False, reference=_tiled)
def tile_ragged_by_open_counts(t, dtype, form):
    """Traced once: the counts are not known."""
    lengths, _, counts = FORMS[form]
    f, tf = t.get(TILE), t.fw
    x = t.randn(_drawn(form), dtype)
    specs = tf.TensorSpec(x.shape, x.dtype), tf.TensorSpec([len(counts[0])], tf.int64)
    program = tf.function(lambda x, n: parts(f(tf.RaggedTensor.from_nested_row_lengths(x, lengths), n)),
                          input_signature=specs, autograph=False)  # fmt: skip
    return [part for times in counts for part in t.call(program, x, t.const(times, "i64"))]
