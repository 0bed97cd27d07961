"""Rows of several lengths, and batches of which each takes its own: what reductions, products, parts and places give of them."""

from seamark_suites.case import case

from .reference import with_gradient

SUM, ANY, MULTIPLY, MATMUL = "tf.reduce_sum", "tf.reduce_any", "tf.multiply", "tf.matmul"
SPLIT, SQUEEZE, ND = "tf.split", "tf.squeeze", "tf.gather_nd"
LENGTHS = 2, 0, 3, 1
SPLITS = 0, 2, 2, 5, 6


def parts(made):
    """The numbers and the rows of what is ragged."""
    return [made.flat_values, *made.nested_row_splits] if hasattr(made, "flat_values") else [made]


def rows_of(np, x):
    return np.split(x, SPLITS[1:-1])


def columns(np, x, reduce):
    """Of the first, the second, the third in every row that has one."""
    return np.stack(
        [reduce(np.stack([row[n] for row in rows_of(np, x) if len(row) > n]), 0) for n in range(3)]
    )


def _reduced(np, x, reduce):
    each = np.stack([reduce(row, 0) for row in rows_of(np, x)])
    down, whole = columns(np, x, reduce), reduce(x, 0)
    return [down, down[None], each, each[:, None], each, whole, whole[None, None], whole[None, None], x, np.array(SPLITS)]  # fmt: skip


_OVER = [{"axis": 0}, {"axis": 0, "keepdims": True}, {"axis": 1}, {"axis": 1, "keepdims": True}, {"axis": -1}, {"axis": [0, 1]},
         {"axis": [1, 0], "keepdims": True}, {"keepdims": True}, {"axis": []}]  # fmt: skip


@case(SUM, dtypes="f32 i32 c64", core=False, reference=lambda np, x: _reduced(np, x, np.sum))
@case(ANY, dtypes="bool", core=False, reference=lambda np, x: _reduced(np, x, np.any))
def of_ragged_rows_in_every_way(t, dtype, function):
    """Down, across, both, none; axes that stay; a row of none is zero, or false."""
    f, ragged = t.get(function), t.fw.RaggedTensor.from_row_lengths
    x = t.const([0, 1, 0, 0, 1, 0], dtype) if dtype == "bool" else t.randint((6,), dtype, -9, 10)
    t.refuses(function, ragged(x, LENGTHS), axis=2)
    return t.call(lambda x: [one for way in _OVER for one in parts(f(ragged(x, LENGTHS), **way))], x)  # fmt: skip


@case(SUM, dtypes="f32 f64", core=False, reference=lambda np, x: [
      columns(np, x, np.sum), x.sum(1), x.sum(0), np.concatenate([np.arange(1.0, 3), np.arange(1.0, 4), [1.0]])[:, None] * np.ones((6, 2))])  # fmt: skip
def sum_of_ragged_matrices(t, dtype):
    """Rows of pairs; the slope of sums down, by its weights."""
    f, tf = t.get(SUM), t.fw

    def summed(x):
        rows = lambda x: tf.RaggedTensor.from_row_lengths(x, LENGTHS)  # noqa: E731
        with tf.GradientTape() as tape:
            tape.watch(x)
            down = f(rows(x), axis=0)
            loss = tf.reduce_sum(down * tf.constant([[1], [2], [3]], x.dtype))
        return [down, f(rows(x), 2).flat_values, f(f(rows(x), [0, 1]), []), tape.gradient(loss, x)]

    return t.call(summed, t.randint((6, 2), dtype, -9, 10))


@case(MULTIPLY, dtypes="f32 i32 c64", core=False, reference=lambda np, x, *_: [
      x * np.array([10, 10, 30, 30, 30, 40])[:, None], 2 * x, x * 3, x * np.array([1, 10]), x * x])  # fmt: skip
def multiply_ragged_rows(t, dtype):
    """By one number a row, by a number on either side, by what each row of pairs meets, by itself."""
    f, tf, x = t.get(MULTIPLY), t.fw, t.randint((6, 2), dtype, -9, 10)
    other = tf.RaggedTensor.from_row_lengths(t.randint((6, 2), dtype, -9, 10), [1, 1, 3, 1])

    def products(x):
        rows = tf.RaggedTensor.from_row_lengths(x, LENGTHS)
        column, pair = tf.constant([[[10]], [[20]], [[30]], [[40]]], x.dtype), tf.constant([1, 10], x.dtype)  # fmt: skip
        made = f(rows, column), f(2, rows), rows * 3, f(rows, pair), f(rows, rows)
        return [one.flat_values for one in made]

    if not t.compiled:
        t.refuses(MULTIPLY, tf.RaggedTensor.from_row_lengths(x, LENGTHS), other)
    return t.call(products, x)


@case(MATMUL, dtypes="f32 c64 i32", core=False, reference=lambda np, x, y: [
      np.concatenate([(x[:2] @ x[:2].T).ravel(), (x[2:] @ x[2:].T).ravel()]), np.stack([x[:2].T @ x[:2], x[2:].T @ x[2:]]).reshape(-1, 2),
      np.concatenate([x[:2] @ y[0], x[2:] @ y[1]]), np.concatenate([(y[n].T @ part.T).ravel() for n, part in enumerate((x[:2], x[2:]))])])  # fmt: skip
def matmul_of_ragged_batches(t, dtype):
    """Of two rows and three: by themselves turned, either way; by dense matrices behind and before."""
    f, tf = t.get(MATMUL), t.fw

    def products(x, y):
        rows = tf.RaggedTensor.from_row_lengths(x, [2, 3])
        made = [
            f(rows, rows, transpose_b=True),
            f(rows, rows, transpose_a=True),
            f(rows, y),
            f(y, rows, transpose_a=True, transpose_b=True),
        ]
        return [one.flat_values if hasattr(one, "flat_values") else tf.reshape(one, [-1, 2]) for one in made]  # fmt: skip

    return t.call(products, t.randint((5, 2), dtype, -5, 6), t.randint((2, 2, 3), dtype, -5, 6))


_MET = [((1, 2, 3), (1, 3, 1)), ((7, 1, 3), (7, 3, 5)), ((10, 64, 75), (10, 75, 30)), ((5, 7, 2, 3), (5, 7, 3, 5)), ((2, 3), (1, 3, 5)),
        ((5, 1, 2, 3), (1, 7, 3, 5)), ((5, 2, 2, 3), (3, 5)), ((2, 3), (5, 2, 3, 5)), ((4, 5, 1, 2, 3), (1, 1, 3, 5)),
        ((1, 2, 1, 4, 2, 1, 3, 4), (3, 2, 1, 1, 1, 2, 4, 2)), ((3, 1, 8, 5, 5), (3, 8, 1, 5, 7)), ((0, 3, 2), (0, 2, 4)), ((3, 0, 2), (3, 2, 5)),
        ((3, 3, 2), (3, 2, 0))]  # fmt: skip
_SLOPED = [((1, 5, 2, 3), (7, 1, 3, 2)), ((2, 3), (1, 3, 5)), ((5, 2, 5), (5, 3)), ((5, 2, 2, 3), (3, 5)), ((4, 5, 1, 2, 3), (1, 1, 3, 5)),
           ((1, 2, 1, 4, 2, 1, 3, 4), (3, 2, 1, 1, 1, 2, 4, 2))]  # fmt: skip


def adjoint(np, x, turned):
    return np.swapaxes(x.conj(), -1, -2) if turned else x


def turned_shape(shape, turned):
    return (*shape[:-2], shape[-1], shape[-2]) if turned else shape


@case(MATMUL, dtypes="f16 bf16 f32 f64 i32 c64 c128", a=[False, True], b=[False, True], core=False, reference=lambda np, *xs, a, b: [
      adjoint(np, x, a) @ adjoint(np, y, b) for x, y in zip(xs[::2], xs[1::2])])  # fmt: skip
def matmul_of_batches_that_meet(t, dtype, a, b):
    """Alike, broadcast on either side, of up to eight axes, of nothing. Whole numbers of both signs."""
    f, xs = t.get(MATMUL), []
    for x, y in _MET:
        xs += [t.randint(turned_shape(x, a), dtype, -3, 4), t.randint(turned_shape(y, b), dtype, -3, 4)]  # fmt: skip

    def every(*xs):
        return [f(x, y, adjoint_a=a, adjoint_b=b) for x, y in zip(xs[::2], xs[1::2])]

    return t.call(every, *xs)


@case(MATMUL, dtypes="f32 f64 c64", pair=list(range(len(_SLOPED))), turned=[False, True], core=False, grad=True, rtol={"f32": 1e-5, "c64": 1e-5},
      atol={"f32": 1e-5, "c64": 1e-5}, reference=with_gradient(lambda np, x, y, turned, **_: adjoint(np, x, turned) @ adjoint(np, y, turned)))  # fmt: skip
def matmul_slopes_of_batches_that_meet(t, dtype, pair, turned):
    """The batches that repeat are summed."""
    x, y = (t.randn(turned_shape(shape, turned), dtype) for shape in _SLOPED[pair])
    return t.call(MATMUL, x, y, adjoint_a=turned, adjoint_b=turned)


@case(SPLIT, dtypes="f32 i64", core=False, reference=lambda np, x: [
      x[:2], np.array([0, 2]), x[2:], np.array([0, 0, 3, 4]), x[:, :1], np.array(SPLITS), x[:, 1:], np.array(SPLITS)])  # fmt: skip
def split_ragged_pairs(t, dtype):
    """By sizes in a tensor, and along the axis of pairs; not along the ragged one, no size that is open."""
    f, tf = t.get(SPLIT), t.fw

    def cut(x):
        rows = tf.RaggedTensor.from_row_lengths(x, LENGTHS)
        made = [*f(rows, tf.constant([1, 3])), *f(rows, 2, -1)]
        return [part for one in made for part in parts(one)]

    x = t.randn((6, 2), dtype)
    rows = tf.RaggedTensor.from_row_lengths(x, LENGTHS)
    if not t.compiled:
        for wrong in ((2, 1), ([1, 1], 1), (3, 0), ([-1, 2], 0)):
            t.refuses(SPLIT, rows, *wrong)
    return t.call(cut, x)


@case(SQUEEZE, dtypes="f32 i64", core=False, reference=lambda np, x: [
      x[:, None], np.array(SPLITS), x, np.array(SPLITS), x, np.array([0, 4]), np.array(SPLITS)])  # fmt: skip
def squeeze_around_ragged_rows(t, dtype):
    """The axis before, both outer ones, the last alone; not the ragged one, nor those that are not named."""
    f, tf = t.get(SQUEEZE), t.fw

    def around(x):
        return tf.expand_dims(tf.RaggedTensor.from_row_lengths(x[:, None], LENGTHS), 0)

    x = t.randn((6,), dtype)
    if not t.compiled:
        for wrong in ([1], [2], None, [9]):
            t.refuses(SQUEEZE, around(x), wrong)
    return t.call(lambda x: [part for axes in ([0], [0, 3], [-1]) for part in parts(f(around(x), axes))], x)  # fmt: skip


def _batches(np, x, i, j, k):
    """What each of a batch takes by its own places."""
    first = np.stack([x[b][tuple(np.moveaxis(i[b], -1, 0))] for b in range(2)])
    second = np.stack([np.stack([x[b, c][j[b, c, :, 0]] for c in range(3)]) for b in range(2)])
    third = np.stack([x[b][tuple(k[b])] for b in range(2)])
    return [first, second, third]


@case(
    ND,
    dtypes="f32 f64 c64",
    core=False,
    grad=True,
    rtol={"f32": 1e-5},
    reference=with_gradient(_batches),
)
def gather_nd_in_batches(t, dtype):
    """Two places each; one place of a batch within; one number each, where the number of axes of a batch is a tensor."""
    f, sizes, order = t.get(ND), (3, 4), t.np.arange(16).reshape(2, 4, 2)
    x = t.randn((2, 3, 4, 5), dtype)
    i = t.const(t.np.stack([order[..., 0] * 5 % sizes[0], order[..., 1] * 3 % sizes[1]], -1), "i32")
    j = t.const((t.np.arange(36) * 7 % 4).reshape(2, 3, 6, 1), "i64")
    k = t.const([[2, 3, 1], [0, 1, 4]], "i32")
    one = t.fw.constant(1)

    def taken(x, i, j, k):
        return [f(x, i, batch_dims=1), f(x, j, batch_dims=2), f(x, k, batch_dims=one)]

    return t.call(taken, x, i, j, k)


@case(ND, dtypes="f32 i64", core=False, reference=lambda np, *xs: [
      np.stack([x[b, i[b, 0], i[b, 1]] for b in range(len(x))]) for x, i in zip(xs[::2], xs[1::2])])  # fmt: skip
def gather_nd_in_batches_of_any_size(t, dtype):
    """Traced once."""
    tf, f = t.fw, t.get(ND)
    specs = tf.TensorSpec([None] * 3, t.dtype(dtype)), tf.TensorSpec([None, 2], tf.int32)
    program = tf.function(lambda x, i: f(x, i, batch_dims=1), input_signature=specs, autograph=False)  # fmt: skip
    given = [(t.randn((n, 3, n + 1), dtype), t.randint((n, 2), "i32", 0, 3)) for n in (2, 5, 3)]
    return [t.call(program, *one) for one in given]
