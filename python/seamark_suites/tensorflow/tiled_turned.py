"""Tiles and their slopes, axes of one that are turned, products with nothing between, widths and stacks of few kinds."""

import itertools

from seamark_suites.case import case

from .reference import with_gradient

TILE, TRANSPOSE, MATMUL, PAD = "tf.tile", "tf.transpose", "tf.matmul", "tf.pad"
OLD_PAD, OLD_TRANSPOSE = "tf.compat.v1.pad", "tf.compat.v1.transpose"

# --- tiles

_TILES = [
    ((2, 2, 1, 1, 3), (1, 1, 1, 1, 1)),
    ((2, 2, 1, 1, 3), (1, 2, 1, 3, 1)),
    ((2, 3, 1, 1, 3), (3, 1, 1, 2, 2)),
    ((2, 1, 3, 3, 2), (1, 3, 3, 1, 2)),
]


@case(TILE, dtypes="f32 f64 bf16 c64", given=_TILES, core=False, grad=True, rtol={"f32": 1e-5}, reference=with_gradient(
      lambda np, x, given: np.tile(x, given[1]),
      lambda np, w, x, given: w.reshape([n for pair in zip(given[1], given[0]) for n in pair]).sum((0, 2, 4, 6, 8))))  # fmt: skip
def tile_slopes_of_five_axes(t, dtype, given):
    """Every number has the sum of the slopes of its copies."""
    shape, multiples = given
    return t.call(TILE, t.uniform(shape, dtype, 1, 4), list(multiples))


def _copies(np, x, kind):
    rows = np.array([1, 5, 9, 3, 7, 2, 2, 2])
    return [np.tile(x, (3, 4, 2))[rows], 8 * np.bincount(rows % 4, minlength=4).reshape(4, 1, 1)]


@case(TILE, dtypes="f32 f64", kind=["int32", "int64"], core=False, reference=_copies)
def tile_slope_by_rows_taken(t, dtype, kind):
    """Rows taken of the tiles, some again, tell the slope as rows: 0, 24, 24 and 16."""
    tf = t.fw
    rows = tf.constant([1, 5, 9, 3, 7, 2, 2, 2], getattr(tf, kind))

    def taken(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            made = tf.gather(tf.tile(x, tf.constant([3, 4, 2], rows.dtype)), rows)
            total = tf.reduce_sum(made)
        return [made, tape.gradient(total, x)]

    return t.call(taken, t.const([[[1]], [[2]], [[3]], [[4]]], dtype))


@case(TILE, core=False, host_only=True, reference="none")
def tile_of_a_list_of_tensors(t):
    """Two of a handle are two lists: each keeps what it had when a later one grows."""
    tf, ops = t.fw, t.fw.raw_ops
    shape = tf.constant([], tf.int32)
    lists = ops.EmptyTensorList(element_shape=shape, max_num_elements=-1, element_dtype=tf.float32)
    for number in (1.0, 2.0):
        lists = ops.TensorListPushBack(input_handle=lists, tensor=tf.constant(number))
    two = t.call(TILE, tf.reshape(lists, [1]), [2])
    t.expect(two.shape == [2] and two.dtype == tf.variant, "two handles, got %s" % two.shape)

    def stacked(one):
        return ops.TensorListStack(input_handle=one, element_shape=shape, element_dtype=tf.float32, num_elements=-1).numpy().tolist()  # fmt: skip

    longer = ops.TensorListPushBack(input_handle=two[0], tensor=tf.constant(3.0))
    got = [stacked(one) for one in (two[0], two[1], longer)]
    t.expect(got == [[1, 2], [1, 2], [1, 2, 3]], "two the same and a longer one, got %s" % got)


# --- turned

_ONES = [(2, 1, 2), (2, 1, 2, 1, 1, 2), (1, 2, 2, 1, 1, 1), (1, 1, 1, 2, 2, 2), (2, 2, 1, 1, 1)]


def _orders(rank):
    """All of few axes; of more every seventh."""
    made = list(itertools.permutations(range(rank)))
    return made if rank < 4 else made[3::37]


def _turned_back(np, w, x, sizes):
    found = [np.transpose(one, np.argsort(order)) for one, order in zip(w, _orders(x.ndim))]
    return np.sum(found, 0)


@case(TRANSPOSE, dtypes="f32 f64 c64", sizes=_ONES, core=False, grad=True, rtol={"f32": 1e-5, "c64": 1e-5}, reference=with_gradient(
      lambda np, x, sizes: [np.transpose(x, order) for order in _orders(x.ndim)], _turned_back))  # fmt: skip
@case(OLD_TRANSPOSE, dtypes="f32", sizes=_ONES[:2], core=False, grad=True, rtol={"f32": 1e-5}, reference=with_gradient(
      lambda np, x, sizes: [np.transpose(x, order) for order in _orders(x.ndim)], _turned_back))  # fmt: skip
@case(TRANSPOSE, dtypes="i32 i64 bool", sizes=_ONES, core=False, reference=lambda np, x, sizes: [
      np.transpose(x, order) for order in _orders(x.ndim)])  # fmt: skip
def turned_with_axes_of_one(t, dtype, sizes, function):
    """Axes of one, which only seem to move, among such of two."""
    f, orders = t.get(function), _orders(len(sizes))
    if dtype == "bool":
        x = t.const(t.np.arange(t.np.prod(sizes)).reshape(sizes) % 3 == 1, dtype)
    else:
        x = t.randint(sizes, dtype, 1, 99) if dtype[0] == "i" else t.uniform(sizes, dtype, 1, 5)
    return t.call(lambda x: [f(x, list(order)) for order in orders], x)


# --- nothing between


@case(MATMUL, dtypes="f32 f64 c64 c128 i32", core=False, trivial=True, reference=lambda np, x, y: [
      np.zeros((2, 0)), np.zeros((0, 2)), np.zeros((3, 2)), np.zeros((2, 3))])  # fmt: skip
def matmul_turned_with_nothing(t, dtype):
    """A turned matrix by one without columns, and the other way round; of no numbers a product is 0."""
    f = t.get(MATMUL)
    x = t.const(t.np.arange(6).reshape(3, 2), dtype)
    y = t.const(t.np.zeros((3, 0)), dtype)
    turn = {"adjoint_a": True} if dtype[0] == "c" else {"transpose_a": True}

    def products(x, y):
        empty = y[:2]
        return [f(x, y, **turn), f(y, x, **turn), f(y, empty, transpose_b=True), f(empty, y, transpose_b=True)]  # fmt: skip

    return t.call(products, x, y)


# --- widths


def _padded(np, x, *_, **__):
    widths = [[[0, 0], [0, 0], [0, 0], [0, 1]], [[0, 0], [2, 3], [0, 0], [0, 0]], [[0, 0]] * 4, [[1, 0], [0, 0], [0, 0], [0, 2]]]  # fmt: skip
    return [np.pad(x, one, mode) for one in widths for mode in ("constant", "symmetric")]


@case(PAD, dtypes="f32 i32 bf16", core=False, reference=_padded)
@case(OLD_PAD, dtypes="f32", core=False, reference=_padded)
def pad_of_images(t, dtype, function):
    """Eight of 28 by 28: behind the last axis, around the second, nowhere, at both ends; also with mirrored numbers."""
    f = t.get(function)
    x = (
        t.randint((8, 28, 28, 3), "i32", 1, 99)
        if dtype == "i32"
        else t.randn((8, 28, 28, 3), dtype)
    )
    widths = [[[0, 0], [0, 0], [0, 0], [0, 1]], [[0, 0], [2, 3], [0, 0], [0, 0]], [[0, 0]] * 4, [[1, 0], [0, 0], [0, 0], [0, 2]]]  # fmt: skip
    return t.call(lambda x: [f(x, one, mode) for one in widths for mode in ("constant", "symmetric")], x)  # fmt: skip


@case(PAD, core=False, host_only=True, reference="none")
@case(OLD_PAD, core=False, host_only=True, reference="none")
def pad_by_no_widths(t, function):
    """No width and another value than zero: the numbers stay, quantized ones too. Widths that are no pairs, of more axes
    or of fewer are refused; modes may be written small."""
    tf, np = t.fw, t.np
    x = np.arange(24).reshape(4, 2, 1, 3) - 9
    for kind, fill in (
        (tf.int32, -123),
        (tf.float32, -123),
        (tf.qint32, 123),
        (tf.qint8, 123),
        (tf.quint8, 123),
    ):
        given = tf.constant(x if kind != tf.quint8 else x + 9, kind)
        for widths in (np.zeros((4, 2), np.int32), tf.zeros([4, 2], tf.int64)):
            value = tf.constant(fill, kind)
            made = t.call(function, given, widths, constant_values=value)
            same = (made.numpy() == given.numpy()).all() and made.dtype == kind
            t.expect(same, "as it was, got %s" % made)
    for wrong in ([1, 2], [[1], [2]], [[1, 2], [3, 4], [5, 6]], [[1, 2]]):
        t.refuses(function, tf.constant([[1, 2], [3, 4]]), wrong)
    t.refuses(function, tf.zeros([1] * 6), [[0, 1]])
    rows = np.array([[1, 2, 3], [4, 5, 6]])
    for mode in ("symmetric", "Symmetric", "reflect", "constant", "Constant"):
        made = t.call(function, rows, [[1, 0], [0, 1]], mode).numpy()
        want = np.pad(rows, [[1, 0], [0, 1]], mode.lower())
        t.expect((made == want).all(), "%s, got %s" % (mode, made))


# --- stacks


_NONE = [(2, 0), (0,), (2, 3, 0), (2, 0, 3)]


@case("tf.stack", dtypes="f32 i64 bool c64", core=False, trivial=True, axis=[0, 1, -1], reference=lambda np, *xs, axis: [
      np.stack(xs[i : i + 3], axis) for i in (0, 3, 6, 9)])  # fmt: skip
def stack_of_nothing(t, dtype, axis):
    """Three of a shape without a number: rows of none, no row of three."""
    f = t.get("tf.stack")
    parts = [t.const(t.np.zeros(shape), dtype) for shape in _NONE for _ in range(3)]
    return t.call(lambda *xs: [f(xs[i : i + 3], axis) for i in (0, 3, 6, 9)], *parts)


@case("tf.stack", core=False, host_only=True, reference="none")
def stack_of_plain_values_is_constant(t):
    """In a graph: of lists, tuples and numbers one constant, not a stack of constants; beside a tensor they are stacked."""
    tf, np = t.fw, t.np
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        plain = [[[1.5, 2], [3, 4]], [[[1, 2]], [[3, 4]], [[5, 6]]], [1, 2, 3], ((1, 2), (3, 4))]
        for values in plain:
            made = t.call("tf.stack", values)
            t.expect(made.op.type == "Const", "a constant, got %s" % made.op.type)
            got = session.run(made)
            t.expect((got == np.array(values)).all(), "the values, got %s" % got)
        mixed = t.call("tf.stack", [tf.constant([1, 2]), [3, 4], np.array([5, 6], np.int32)])
        t.expect(mixed.op.type == "Pack", "stacked, got %s" % mixed.op.type)
        got = session.run(mixed).tolist()
        t.expect(got == [[1, 2], [3, 4], [5, 6]], "three rows, got %s" % got)
