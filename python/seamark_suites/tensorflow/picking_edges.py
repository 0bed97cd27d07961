"""Taking by index at the edges: far along, out of nothing."""

from seamark_suites.case import case

from . import reference_picking as right
from .reference import with_gradient


@case("tf.gather", dtypes="f32 u8 i64", core=False, reference=lambda np, x, i, j: [x[i], x[j], x[i[:7]]])  # fmt: skip
def gather_far_along(t, dtype):
    """More places than 16 bits count, and as many indices, of either kind."""
    x, i, j = t.randint((70001,), dtype, 0, 100), t.randint((70003,), "i32", 0, 70001), t.const([70000, 65536, 0, 65535], "i64")  # fmt: skip
    return [t.call("tf.gather", x, i), t.call("tf.gather", x, j), t.call("tf.gather", x, i[:7])]


@case("tf.gather_nd", dtypes="f32 u8 i64", core=False, reference=lambda np, x, i, j: [
      right.rows_gathered(np, x, i), right.rows_gathered(np, x, j), right.rows_gathered(np, x[:, 0], i[:, :1])])  # fmt: skip
def gather_nd_far_along(t, dtype):
    """More places than 16 bits count, and as many indices."""
    x, rows = t.randint((70001, 2), dtype, 0, 100), t.np.arange(70003) * 31 % 70001
    i = t.const(t.np.stack([rows, rows % 2], 1), "i32")
    j = t.const([[70000, 1], [65536, 0], [0, 1]], "i64")
    return [t.call("tf.gather_nd", *one) for one in ((x, i), (x, j), (x[:, 0], i[:, :1]))]


@case("tf.gather_nd", dtypes="f32", core=False, grad=True, rtol={"f32": 1e-5}, reference=with_gradient(
      lambda np, x, i: right.rows_gathered(np, x, i), lambda np, w, x, i: right.rows_summed(np, w, x, i)))  # fmt: skip
@case("tf.gather", dtypes="f32", core=False, grad=True, rtol={"f32": 1e-5}, reference=with_gradient(
      lambda np, x, i: x[i[:, 0]], lambda np, w, x, i: right.rows_summed(np, w, x, i)))  # fmt: skip
def many_of_few_rows(t, dtype, function):
    """A row's gradient is the sum of a thousand."""
    x, i = t.randn((5, 3), dtype), t.const(t.np.arange(5000)[:, None] * 7 % 5, "i32")
    f = t.get(function)
    nd = function.endswith("nd")
    return t.call(lambda x, i: f(x, i if nd else i[:, 0]), x, i)


@case("tf.gather_nd", dtypes="f32 i64", core=False, trivial=True, reference=lambda np, x, i, y, j: [np.zeros((0, 3)), np.zeros(0)])  # fmt: skip
def gather_nd_out_of_nothing(t, dtype):
    """No place of a tensor without rows, of one without numbers."""
    x, i = t.randn((0, 3), dtype), t.const(t.np.zeros((0, 1)), "i32")
    y, j = t.randn((0, 0), dtype), t.const(t.np.zeros((0, 2)), "i64")
    return [t.call("tf.gather_nd", x, i), t.call("tf.gather_nd", y, j)]


# --- gather, as TensorFlow's own tests go over axes and batches

GATHER = "tf.gather"
# Of numbers, indices, batch axes and an axis.
BATCHES = [
    ([6, 7, 8, 9], [[[3, 1], [2, 0]], [[0, 3], [2, 2]]], 0, None),
    ([[10, 11, 12, 13], [20, 21, 22, 23]], [[2, 1], [0, 3]], -1, None),
    ([[[100, 101], [110, 111]], [[200, 201], [210, 211]]], [[[0, 1], [1, 0]], [[0, 0], [1, 1]]], 2, None),
    ([[10, 11, 12, 13], [20, 21, 22, 23]], [2, 1], 1, None),
    ([[[100, 101, 102, 103], [110, 111, 112, 113]], [[200, 201, 202, 203], [210, 211, 212, 213]]], [[2, 1], [0, 3]], 2, None),
    ([[10, 11, 12, 13], [20, 21, 22, 23]], [[[3, 1], [2, 0]], [[0, 3], [2, 2]]], 1, None),
    ([[[2, 3], [4, 5]], [[6, 7], [8, 9]]], [[[[0, 1], [1, 0]], [[0, 0], [1, 1]]], [[[1, 1], [0, 0]], [[0, 1], [1, 0]]]], 2, None),
    ([[[10, 11, 12], [13, 14, 15]], [[20, 21, 22], [23, 24, 25]]], [[[0, 1, 2, 1, 0]], [[0, 1, 2, 1, 0]]], 1, 2),
    ([[0, 1, 2], [3, 4, 5]], [[[0, 1], [1, 0]]], -3, 1),
]  # fmt: skip


def _by_batch(np, x, i, batch, axis):
    """Entry by entry of the batch."""
    axis = batch if axis is None else axis
    if not batch:
        return np.take(x, i, axis)
    return np.stack([_by_batch(np, one, part, batch - 1, axis - 1) for one, part in zip(x, i)])


def _batches(np, *xs):
    found = []
    for x, (_, i, batch, axis) in zip(xs, BATCHES):
        i = np.array(i)
        found.append(_by_batch(np, x, i, batch if batch >= 0 else batch + i.ndim, axis))
    return found


@case(GATHER, dtypes="f32 f64", core=False, grad=True, reference=with_gradient(_batches))
@case(GATHER, dtypes="i64 bf16 c64", core=False, reference=_batches)
def gather_of_batches(t, dtype):
    """No, one and two batch axes, also from the end; indices of one to four axes; an axis behind the batch."""
    f = t.get(GATHER)
    drawn = [t.const(x, dtype, grad=dtype in ("f32", "f64")) for x, *_ in BATCHES]

    def taken(*xs):
        return [f(x, i, axis=axis, batch_dims=batch) for x, (_, i, batch, axis) in zip(xs, BATCHES)]

    return t.call(taken, *drawn)


@case(GATHER, core=False, host_only=True, reference="none")
def gather_words_of_batches(t):
    for x, i, batch, axis in BATCHES:
        words = t.fw.strings.as_string(t.fw.constant(x))
        got = t.host(t.call(GATHER, words, i, axis=axis, batch_dims=batch))
        want = _by_batch(t.np, t.np.array(x), t.np.array(i), batch if batch >= 0 else batch + t.np.ndim(i), axis)  # fmt: skip
        t.expect(got.astype(int).tolist() == want.tolist(), "%s, got %s" % (want.tolist(), got.tolist()))  # fmt: skip


@case(GATHER, dtypes="f32 i32", core=False, reference=lambda np, x, i: [
      _by_batch(np, x, i % x.shape[axis], 2, axis) for axis in (2, 3, 4, 5)])  # fmt: skip
def gather_in_six_axes(t, dtype):
    """A batch of two axes, indices of three more, along each axis that is left, counted from either end."""
    n = t.np.arange(2 * 3 * 4 * 5 * 6 * 7).reshape(2, 3, 4, 5, 6, 7)
    x, i = t.const(n, dtype), t.const(t.np.arange(540).reshape(2, 3, 3, 5, 6), "i32")
    ways = (2, 2), (-3, 3), (4, 4), (-1, 5)
    return [t.call(GATHER, x, i % x.shape[axis], axis=way, batch_dims=2) for way, axis in ways]


INDICES = (), (0,), (2, 0), (2, 3)


@case(GATHER, dtypes="f32 f64 c64", core=False, grad=True, rtol={"f32": 1e-5}, reference=with_gradient(
      lambda np, x: [np.take(x, np.arange(np.prod(s, dtype=int)).reshape(s) * 5 % n, a) for a, n in enumerate(x.shape) for s in INDICES]))  # fmt: skip
def gather_along_each_axis(t, dtype):
    """By a number, by nothing, by a table: along each of four axes, named from the front and from the end, with its slopes."""
    f, np = t.get(GATHER), t.np

    def taken(x):
        found = []
        for axis, size in enumerate(x.shape):
            for number, shape in enumerate(INDICES):
                i = t.fw.constant(np.arange(np.prod(shape, dtype=int)).reshape(shape) * 5 % size, t.fw.int64)  # fmt: skip
                found.append(f(x, i, axis=t.fw.constant(axis - 4 * (number % 2))))
        return found

    return t.call(taken, t.randn((2, 1, 3, 2), dtype))


@case(GATHER, dtypes="f32", core=False, reference=lambda np, x, y: [
      np.array([[1, 0, 2], [1, 2, 0]]), np.stack([x[0][[2, 0, 2]], x[1][[1, 1, 0]]]), y[:, [1, 1]], np.array([[0, 2], [0, 2]])])  # fmt: skip
def gather_slopes_of_sizes_not_known(t, dtype):
    """Of a batch of any rank; of a variable along an axis, whose slope is whole; none of indices."""
    f, tf, kind = t.get(GATHER), t.fw, t.dtype(dtype)
    held = tf.Variable(tf.zeros((2, 2), kind))

    def slopes(x, i):
        with tf.GradientTape() as tape:
            tape.watch(x)
            made = f(x, i, batch_dims=1)
        return tape.gradient(made, x), made

    open_ = tf.TensorSpec(None, kind), tf.TensorSpec(None, tf.int32)
    program = tf.function(slopes, input_signature=open_, autograph=False)

    def of_variable(y):
        held.assign(y)
        with tf.GradientTape() as tape:
            made = f(held, [1, 1], axis=1)
        return made, tape.gradient(made, held)

    x, y = t.randn((2, 3), dtype), t.randn((2, 2), dtype)
    i = tf.constant([[2, 0, 2], [1, 1, 0]])
    return [*t.call(program, x, i), *t.call(of_variable, y)]


@case(GATHER, core=False, reference="none")
def gather_refuses_while_traced(t):
    """An axis that is not there, of known and unknown sizes, and far beyond."""
    f, tf = t.get(GATHER), t.fw
    known = tf.function(lambda x, i, axis: f(x, i, axis=axis), autograph=False)
    free = tf.function(lambda x, i, axis: f(x, i, axis=axis), input_signature=[tf.TensorSpec(None, tf.int32)] * 3, autograph=False)  # fmt: skip
    x, i = tf.constant([0, 1, 2]), tf.constant(0)
    got = t.call(free, x, tf.constant(2), tf.constant(0))
    t.expect(int(t.host(got)) == 2, "the third, got %s" % got)
    kinds = ValueError, tf.errors.InvalidArgumentError
    for axis in (1, 2, -2):
        for program in (known, free):
            t.raises(kinds, t.call, program, x, i, tf.constant(axis))
    far = tf.constant(2**63 - 1, tf.int64)
    t.raises(kinds, t.call, GATHER, tf.constant([[0.69]]), [0], axis=far)


@case(GATHER, dtypes="f32 i64 c128 bf16", core=False, trivial=True, reference=lambda np, *_: [
      np.zeros((2, 0, 0)), np.zeros((0, 2, 0)), np.zeros((0, 0, 2))])  # fmt: skip
def gather_of_empty_slices(t, dtype):
    """Slices of nothing, along the first, the middle and the last axis."""
    shapes = (7, 0, 0), (0, 7, 0), (0, 0, 7)
    return [t.call(GATHER, t.randn(shape, dtype), t.const([3, 4], "i16"), axis=axis) for axis, shape in enumerate(shapes)]  # fmt: skip
