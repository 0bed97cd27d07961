"""Taking by index: gather and gather_nd."""

from seamark_suites.case import case

from . import reference_picking as right
from .reference import with_gradient

GATHER = "tf.gather"
# The shape of the input and of the indices, and the axis. The first is the core case.
_PLACES = [((7, 8), (4,), 0), ((7, 5), (2, 3), -1), ((3, 7, 2), (4,), 1), ((9,), (2, 2), None)]


@case(
    GATHER,
    dtypes="f32 bf16",
    places=_PLACES[:1],
    grad=True,
    name="gather_gradient",
    reference=with_gradient(lambda np, x, i, places: right.gathered(np, x, i, places[2])),
)
@case(
    GATHER,
    dtypes="f32",
    places=_PLACES[1:],
    grad=True,
    core=False,
    name="gather_gradient",
    reference=with_gradient(lambda np, x, i, places: right.gathered(np, x, i, places[2])),
)
@case(
    GATHER,
    dtypes="f16 f64 c64",
    places=_PLACES[:1],
    grad=True,
    core=False,
    name="gather_gradient",
    reference=with_gradient(lambda np, x, i, places: right.gathered(np, x, i, places[2])),
)
@case(
    GATHER,
    dtypes="bf16 i64 bool",
    places=_PLACES[:1],
    reference=lambda np, x, i, places: right.gathered(np, x, i, places[2]),
)
@case(
    GATHER,
    dtypes="f16 f64 i32 i8 i16 u8 c64 c128 f8e4m3fn f8e5m2",
    places=_PLACES[:1],
    core=False,
    reference=lambda np, x, i, places: right.gathered(np, x, i, places[2]),
)
@case(
    GATHER,
    dtypes="f32",
    places=_PLACES[3:],
    core=False,
    reference=lambda np, x, i, places: right.gathered(np, x, i, places[2]),
)
@case(
    GATHER,
    dtypes="f32",
    places=_PLACES[:3],
    reference=lambda np, x, i, places: right.gathered(np, x, i, places[2]),
)
def gather(t, dtype, places):
    """Places in any order, some of them again."""
    shape, count, axis = places
    x = t.randn(shape, dtype)
    indices = t.randint(count, "i32", 0, shape[0 if axis is None else axis])
    return t.call(GATHER, x, indices, axis=axis)


@case(GATHER, dtypes="f32 i64", kind=["i64", "i16", "i32"], core=False,
      reference=lambda np, x, i, kind: x[i])  # fmt: skip
def gather_index_dtypes(t, dtype, kind):
    return t.call(GATHER, t.randn((6, 4), dtype), t.const([5, 0, 3, 3], kind))


@case(GATHER, dtypes="f32", core=False, reference=lambda np, x, y: [x[2], y[[1, 0, 2, 1]], x[:, 1]])
def gather_python_indices(t, dtype):
    """A number takes the axis away; a list of Python."""
    x, y = t.randn((4, 3), dtype), t.randn((3,), dtype)
    return [
        t.call(GATHER, x, 2),
        t.call(GATHER, y, [1, 0, 2, 1]),
        t.call(GATHER, x, indices=1, axis=1),
    ]


def _batch(np, x, indices, batch):
    return right.gathered(np, x, indices, batch[1], batch[0])


@case(GATHER, dtypes="f32", batch=[(1, 1)], reference=_batch)
@case(GATHER, dtypes="bf16", batch=[(1, 1)], core=False, reference=_batch)
@case(GATHER, dtypes="f32 i64", batch=[(1, 2), (2, 2), (1, None)], core=False, reference=_batch)
@case(
    GATHER,
    dtypes="f32",
    core=False,
    batch=[(1, 1), (1, 2), (2, 2)],
    grad=True,
    name="gather_batch_gradient",
    reference=with_gradient(_batch),
)
def gather_batch(t, dtype, batch):
    """Each entry of the batch has indices of its own."""
    x, count = t.randn((2, 3, 4), dtype), (2, 5) if batch[0] == 1 else (2, 3, 5)
    return t.call(GATHER, x, t.randint(count, "i32", 0, 3), axis=batch[1], batch_dims=batch[0])


@case(GATHER, dtypes="f32 bf16", core="f32", reference=right.table_loss)
def gather_table_gradient(t, dtype):
    """A table of embeddings: the gradient has only the rows that were taken, one taken twice twice. Whole numbers."""

    def loss_and_slope(table, indices):
        with t.fw.GradientTape() as tape:
            tape.watch(table)
            loss = t.fw.reduce_sum(t.get(GATHER)(table, indices) ** 2)
        slope = tape.gradient(loss, table)
        if not isinstance(slope, t.fw.IndexedSlices):
            raise TypeError("a gradient of rows was expected, got a %s" % type(slope).__name__)
        return loss, t.fw.convert_to_tensor(slope)

    table = t.randint((6, 3), dtype, -2, 3)
    return t.call(loss_and_slope, table, t.const([[1, 4], [1, 0], [5, 1]], "i32"))


@case(GATHER, dtypes="f32", core=False, reference=right.row_penalty_slope)
def gather_gradient_penalty(t, dtype):
    """Whole numbers, which f32 adds exactly."""

    def slope_of_penalty(x, indices):
        with t.fw.GradientTape() as outer:
            outer.watch(x)
            with t.fw.GradientTape() as inner:
                inner.watch(x)
                total = t.fw.reduce_sum(t.get(GATHER)(x, indices) ** 3)
            slope = t.fw.convert_to_tensor(inner.gradient(total, x))
            penalty = t.fw.reduce_sum(slope**2)
        return t.fw.convert_to_tensor(outer.gradient(penalty, x))

    return t.call(slope_of_penalty, t.randint((5, 4), dtype, -3, 4), t.const([3, 0, 3, 1], "i32"))


@case(GATHER, dtypes="f32 bf16 i64", core=False, reference=lambda np, x, i: x[i])
def gather_of_variable(t, dtype):
    """The rows of a variable are read without the variable."""
    held = t.fw.Variable(t.randn((8, 3), dtype))
    return t.call(GATHER, held, t.const([7, 0, 0, 3], "i32"))


@case(GATHER, dtypes="f32", core=False, reference=lambda np, x, i, j, y, none, k: [
      x[0:0], x[0:0].reshape(0, 2, 3), np.zeros((2, 0)), x[k]])  # fmt: skip
def gather_nothing(t, dtype):
    """No index, of an empty axis beside, one index in a scalar."""
    x, i, j = t.randn((4, 3), dtype), t.randint((0,), "i32", 0, 4), t.randint((0, 2), "i32", 0, 4)
    y, none, k = t.randn((4, 0), dtype), t.const([3, 1], "i32"), t.const(2, "i32")
    return [t.call(GATHER, *args) for args in ((x, i), (x, j), (y, none), (x, k))]


@case(GATHER, dtypes="f32", core=False, reference=lambda np, *xs: [
      x[i] for x, i in zip(xs[::2], xs[1::2])])  # fmt: skip
def gather_three_sizes(t, dtype):
    return [
        t.call(GATHER, t.randn((n, 3), dtype), t.randint((n + 2,), "i32", 0, n)) for n in (3, 5, 8)
    ]


@case(GATHER, dtypes="f32", core=False, reference=lambda np, *xs: [
      x[i] for x, i in zip(xs[::2], xs[1::2])])  # fmt: skip
def gather_unknown_sizes(t, dtype):
    """Traced once for every size of table and indices."""
    table = t.fw.TensorSpec([None, 3], t.dtype(dtype))
    traced = t.fw.function(
        lambda x, i: t.get(GATHER)(x, i),
        input_signature=[table, t.fw.TensorSpec([None], t.fw.int32)],
        autograph=False,
    )
    return [
        t.call(traced, t.randn((n, 3), dtype), t.randint((n + 2,), "i32", 0, n)) for n in (3, 5, 8)
    ]


@case(GATHER, dtypes="f32", core=False, reference=lambda np, x, i: (x[i], np.signbit(x[i])))
def gather_special_values(t, dtype):
    x = t.const([t.np.nan, -0.0, t.np.inf, 0.0, -t.np.inf], dtype)
    made = t.call(GATHER, x, t.const([1, 3, 0, 4, 2, 1], "i32"))
    return made, t.np.signbit(t.host(made))


@case(GATHER, dtypes="f32 i64", core=False, reference="none")
def gather_out_of_bounds(t, dtype):
    """The CPU raises; a GPU gives zero, as TensorFlow documents."""
    x = t.const([1, 2, 3], dtype)
    for place in (3, -1):
        try:
            made = t.call(GATHER, x, t.const([1, place], "i32"))
        except t.fw.errors.InvalidArgumentError:
            continue
        t.expect(t.host(made).tolist() == [2, 0], "an error, or zero; got %s" % t.host(made))


@case(GATHER, core=False, reference="none")
def gather_refuses(t):
    """Fractions, an axis that is not there, more batch axes than indices have."""
    x, i = t.randn((4, 3), "f32"), t.const([0, 1], "i32")
    t.refuses(GATHER, x, t.const([0.0, 1.0], "f32"))
    t.refuses(GATHER, x, i, axis=2)
    t.refuses(GATHER, x, i, batch_dims=2)


@case(GATHER, dtypes="f32 i64", core=False, reference=lambda np, x, i, j, *_: [
      np.stack([x[n][i[n]] for n in (0, 1)]), np.stack([x[n][:, i[n]] for n in (0, 1)]), x[..., j], x[:, j], x[j]])  # fmt: skip
def gather_axes_from_the_end(t, dtype):
    """Batches counted from the end of the indices, an axis that is data, all by name."""
    x, i, j = t.distinct((2, 3, 4), dtype), t.const([[2, 0], [1, 1]], "i32"), t.const([1, 0], "i64")
    return [
        t.call(GATHER, x, i, batch_dims=-1, axis=1),
        t.call(GATHER, x, i, batch_dims=1, axis=-1),
        t.call(GATHER, x, j, axis=-1),
        t.call(GATHER, x, j, axis=t.const(1, "i32")),
        t.call(GATHER, params=x, indices=j, axis=0, batch_dims=0, name="taken"),
    ]


@case(GATHER, dtypes="f32", core=False, rtol={"f32": 1e-5}, reference=lambda np, x, w, i: [
      2 * np.stack([w[n].T @ np.eye(3)[i[n]] for n in range(4)]).transpose(0, 2, 1)])  # fmt: skip
def gather_slopes_of_a_batch(t, dtype):
    """By vectorized_map: of each example the slope goes to the rows that its own indices took, twice where twice."""
    tf, f = t.fw, t.get(GATHER)
    x, w = t.uniform((4, 3, 2), dtype, 0.5, 2), t.uniform((4, 4, 2), dtype, 0.5, 2)
    i = t.const([[0, 0, 2, 1], [1, 1, 1, 1], [2, 0, 2, 0], [2, 1, 0, 2]], "i32")

    def slope(parts):
        x, i, w = parts
        with tf.GradientTape() as tape:
            tape.watch(x)
            total = 2 * tf.reduce_sum(f(x, i) * w)
        return tf.convert_to_tensor(tape.gradient(total, x))

    return [t.call(lambda *parts: tf.vectorized_map(slope, parts), x, i, w)]


@case(GATHER, core=False, reference="none")
def gather_batches_differ(t):
    """Two rows of indices are too few for a batch of four, and too many for a batch of one."""
    indices = t.const([[0], [1]], "i32")
    t.refuses(GATHER, t.randn((4, 3), "f32"), indices, batch_dims=1)
    t.refuses(GATHER, t.randn((1, 3), "f32"), indices, batch_dims=1)


@case(GATHER, dtypes="f32", large=True, reference=lambda np, x, i: x[i])
def gather_many(t, dtype):
    return t.call(GATHER, t.randn((20000, 256), dtype), t.randint((30000,), "i32", 0, 20000))


# --- gather_nd

ND = "tf.gather_nd"
# The shape of the input, of the indices' head, and how many axes an index names. The first is the core case.
_ENTRIES = [((4, 5, 6), (6,), 2), ((4, 5, 3), (6,), 3), ((4, 5), (2, 3), 1)]


def _rows_of(np, x, indices, **_):
    return right.rows_gathered(np, x, indices)


@case(
    ND,
    dtypes="f32 bf16",
    entries=_ENTRIES[:1],
    grad=True,
    name="gather_nd_gradient",
    reference=with_gradient(_rows_of),
)
@case(
    ND,
    dtypes="f64 f16 c64",
    entries=_ENTRIES[:1],
    grad=True,
    core=False,
    name="gather_nd_gradient",
    reference=with_gradient(_rows_of),
)
@case(
    ND,
    dtypes="f32",
    entries=_ENTRIES[1:],
    grad=True,
    core=False,
    name="gather_nd_gradient",
    reference=with_gradient(_rows_of),
)
@case(ND, dtypes="bf16 i64 bool", entries=_ENTRIES[:1], reference=_rows_of)
@case(
    ND,
    dtypes="f16 f64 i32 i8 u8 c64 f8e4m3fn",
    entries=_ENTRIES[:1],
    core=False,
    reference=_rows_of,
)
@case(ND, dtypes="f32", entries=_ENTRIES, reference=_rows_of)
def gather_nd(t, dtype, entries):
    """Rows, numbers, blocks; one row is taken twice."""
    shape, head, axes = entries
    x = t.randn(shape, dtype)
    count = int(t.np.prod(head))
    steps = t.np.arange(count).reshape(head) % (count - 1)
    indices = t.np.stack([(5 - 2 * steps + axis) % n for axis, n in enumerate(shape[:axes])], -1)
    return t.call(ND, x, t.const(indices, "i32"))


@case(ND, dtypes="f32", kind=["i64", "i16"], core=False, reference=_rows_of)
def gather_nd_index_dtypes(t, dtype, kind):
    return t.call(ND, t.randn((4, 3), dtype), t.const([[3, 2], [0, 1], [2, 2]], kind))


@case(
    ND,
    dtypes="f32 i64",
    core=False,
    batch=[1, 2],
    reference=lambda np, x, i, batch: right.rows_gathered(np, x, i, batch),
)
@case(
    ND,
    dtypes="f32",
    core=False,
    batch=[1],
    grad=True,
    name="gather_nd_batch_gradient",
    reference=with_gradient(lambda np, x, i, batch: right.rows_gathered(np, x, i, batch)),
)
def gather_nd_batch(t, dtype, batch):
    shape = (2, 4, 1) if batch == 1 else (2, 3, 4, 1)
    x = t.randn((2, 3, 5), dtype)
    return t.call(ND, x, t.randint(shape, "i32", 0, 3), batch_dims=batch)


@case(
    ND,
    dtypes="f32",
    core=False,
    reference=lambda np, x, *_: [x[:0], x[None]],
)
def gather_nd_nothing(t, dtype):
    """No index; an index without numbers takes all."""
    x, i = t.randn((4, 3), dtype), t.const(t.np.zeros((0, 1)), "i32")
    whole = t.const(t.np.zeros((1, 0)), "i32")
    return [t.call(ND, x, i), t.call(ND, x, whole)]


@case(ND, dtypes="f32", core=False, reference=right.row_penalty_slope)
def gather_nd_gradient_penalty(t, dtype):
    """Whole numbers, which f32 adds exactly."""

    def slope_of_penalty(x, indices):
        with t.fw.GradientTape() as outer:
            outer.watch(x)
            with t.fw.GradientTape() as inner:
                inner.watch(x)
                total = t.fw.reduce_sum(t.get(ND)(x, indices) ** 3)
            slope = t.fw.convert_to_tensor(inner.gradient(total, x))
            penalty = t.fw.reduce_sum(slope**2)
        return t.fw.convert_to_tensor(outer.gradient(penalty, x))

    x, indices = t.randint((5, 4), dtype, -3, 4), t.const([[3], [0], [3], [1]], "i32")
    return t.call(slope_of_penalty, x, indices)


@case(ND, dtypes="f32", core=False, reference=lambda np, *xs: [
      right.rows_gathered(np, x, i) for x, i in zip(xs[::2], xs[1::2])])  # fmt: skip
def gather_nd_unknown_sizes(t, dtype):
    """Traced once for every size of the tensor and of the indices."""
    specs = [t.fw.TensorSpec([None, None], t.dtype(dtype)), t.fw.TensorSpec([None, 2], t.fw.int32)]
    traced = t.fw.function(lambda x, i: t.get(ND)(x, i), input_signature=specs, autograph=False)
    return [
        t.call(traced, t.randn((n, n + 1), dtype), t.randint((n + 2, 2), "i32", 0, n))
        for n in (3, 5, 8)
    ]


@case(ND, dtypes="f32", core=False, since=("2.17", "bad_indices_policy"), reference=lambda np, x, i: (
      right.elements_or_zero(np, x, i)))  # fmt: skip
def gather_nd_ignores_bad_indices(t, dtype):
    """Asked for, zero stands for what is not there on every device."""
    x, indices = t.randn((4, 3), dtype), t.const([[1, 2], [4, 0], [0, 1], [0, 3]], "i32")
    return t.call(ND, x, indices, bad_indices_policy="IGNORE")


@case(ND, core=False, since=("2.17", "bad_indices_policy"), reference="none")
def gather_nd_raises_when_asked(t):
    """A policy of ERROR refuses on every device."""
    x, indices = t.randn((4, 3), "f32"), t.const([[1, 2], [4, 0]], "i32")
    t.refuses(ND, x, indices, bad_indices_policy="ERROR")


@case(ND, dtypes="f32 i64", core=False, reference="none")
def gather_nd_out_of_bounds(t, dtype):
    """The CPU raises; a GPU gives zero, as TensorFlow documents."""
    x = t.const([[1, 2], [3, 4]], dtype)
    for place in ([2, 0], [0, -1]):
        try:
            made = t.call(ND, x, t.const([[1, 1], place], "i32"))
        except t.fw.errors.InvalidArgumentError:
            continue
        t.expect(t.host(made).tolist() == [4, 0], "an error, or zero; got %s" % t.host(made))


@case(ND, core=False, reference="none")
def gather_nd_refuses(t):
    """Indices of more numbers than there are axes, fractions, a scalar, batches that differ."""
    x = t.randn((4, 3), "f32")
    t.refuses(ND, x, t.const([[0, 0, 0]], "i32"))
    t.refuses(ND, x, t.const([[0.0, 1.0]], "f32"))
    t.refuses(ND, x, t.const(1, "i32"))
    t.refuses(ND, x, t.const([[0], [1], [2]], "i32"), batch_dims=1)


@case(ND, dtypes="f32", large=True, reference=_rows_of)
def gather_nd_many(t, dtype):
    x = t.randn((100, 200, 256), dtype)
    return t.call(ND, x, t.randint((30000, 2), "i32", 0, 100))


# --- what a reading found missing: of gather_nd


@case(
    ND,
    dtypes="f32",
    core=False,
    reference=lambda np, x, i, w: [
        2 * x[i[:, 0]] * w,
        2 * np.array([[0, 0], [0, 0], w[1], w[0] + w[2]]) * x,
    ],
)
def gather_nd_of_variable(t, dtype):
    """The gradient of a variable has the rows that were taken, one of them twice. Whole numbers."""
    held, i = t.fw.Variable(t.randint((4, 2), dtype, 1, 9)), t.const([[3], [2], [3]], "i32")
    w = t.randint((3, 2), dtype, 1, 5)

    def slopes(i, w):
        with t.fw.GradientTape() as tape:
            made = t.get(ND)(held, i)
            loss = t.fw.reduce_sum(w * made * made)
        slope = tape.gradient(loss, held)
        if not isinstance(slope, t.fw.IndexedSlices):
            raise TypeError("a gradient of rows was expected, got a %s" % type(slope).__name__)
        return [2 * made * w, t.fw.convert_to_tensor(slope)]

    return t.call(slopes, i, w)


@case(
    ND,
    dtypes="f32 i32",
    core=False,
    reference=lambda np, x, i: [x[2:4], np.array([0, 1, 2]), x[[3, 1]]],
)
def gather_nd_of_ragged_rows(t, dtype):
    """Rows of several lengths are taken whole, and numbers of them."""

    def taken(x, i):
        rows = t.fw.RaggedTensor.from_row_lengths(x, [2, 0, 1, 1])
        made = t.get(ND)(rows, i[:, :1])
        return [made.flat_values, made.row_splits, t.get(ND)(rows, [[3, 0], [0, 1]])]

    return t.call(taken, t.randint((4,), dtype, 1, 99), t.const([[2, 0], [3, 0]], "i32"))


@case(
    ND,
    dtypes="f32 i64 c128",
    core=False,
    reference=lambda np, x, i: [x[tuple(i.T)], x[tuple(i[:, :5].T)]],
)
def gather_nd_seven_axes(t, dtype):
    """Numbers and blocks."""
    x = t.randn((2, 3, 1, 2, 2, 3, 2), dtype)
    i = t.const([[1, 2, 0, 1, 0, 2, 1], [0, 0, 0, 1, 1, 0, 1], [1, 2, 0, 1, 0, 2, 0]], "i32")
    return [t.call(ND, x, i), t.call(ND, x, i[:, :5])]


@case(ND, core=False, reference="none")
def gather_nd_refuses_more(t):
    """Batches from the end, more batches than axes of indices, truths as indices."""
    x = t.randn((2, 3), "f32")
    t.refuses(ND, x, t.const([[0], [1]], "i32"), batch_dims=-1)
    t.refuses(ND, x, t.const([[0], [1]], "i32"), batch_dims=2)
    t.refuses(ND, x, t.const([[True], [False]], "bool"))
