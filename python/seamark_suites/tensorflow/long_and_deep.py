"""More axes and more numbers than most have, lists and arrays: of running products, truths, shapes, diagonals, updates and masks."""

from seamark_suites.case import case

from . import reference as right
from .reference import with_gradient

TEN = (2, 1, 3, 2, 1, 2, 1, 2, 2, 3)

# --- numbers and truths

LOGSUMEXP, CUMPROD, OR, NOT = "tf.math.reduce_logsumexp", "tf.math.cumprod", "tf.logical_or", "tf.logical_not"  # fmt: skip


@case(LOGSUMEXP, dtypes="f32 f64", core=False, rtol={"f32": 1e-5}, reference=lambda np, x, y: [
      *(right.logsumexp(np, one, axis) for one, axis in ((x, None), (x, (1, 3)), (x, ()), (x, (0, 2, 4)), (x[0, 0, 0, 0, 0], None), (y, None))), np.log(
        np.exp([1.0, 2.0, 3.0]).sum())])  # fmt: skip
def logsumexp_of_axes(t, dtype):
    """All of five axes, some, none, of a number alone, of a long row, of a list."""
    x, y = t.uniform((2, 3, 2, 1, 4), dtype, -3, 3), t.uniform((65537,), dtype, 0, 1)
    given = (x, None), (x, [1, -2]), (x, []), (x, (0, 2, 4)), (x[0, 0, 0, 0, 0], None), (y, None)
    made = [t.call(LOGSUMEXP, one, axis=axis) for one, axis in given]
    return [*made, t.call(LOGSUMEXP, [1.0, 2.0, 3.0])]


@case(LOGSUMEXP, dtypes="f32 f64", core=False, grad=True, rtol={"f32": 1e-5}, reference=with_gradient(
      lambda np, x: right.logsumexp(np, x, (0, 2))))  # fmt: skip
def logsumexp_gradient_of_two_axes(t, dtype):
    """Far from zero, where exp alone would overflow."""
    return t.call(LOGSUMEXP, t.uniform((3, 4, 2), dtype, 95, 100), axis=[0, 2])


@case(CUMPROD, dtypes="f32 f64 i32 i64", core=False, reference=lambda np, x, y: [
      right.cumprod(np, x, axis, *options) for axis in (0, 3, -1) for options in ((False, False), (True, True))] + [np.cumprod(y)])  # fmt: skip
def cumprod_of_six_axes(t, dtype):
    """And of a long row of 1 and -1, whose products are exact."""
    x, y = t.randint((2, 1, 3, 4, 2, 3), dtype, 1, 5), t.const(1 - t.np.arange(65539) ** 2 % 7 % 2 * 2, dtype)  # fmt: skip
    made = [
        t.call(CUMPROD, x, axis, *options)
        for axis in (0, 3, -1)
        for options in ((False, False), (True, True))
    ]
    return [*made, t.call(CUMPROD, y)]


@case(OR, core=False, reference=lambda np, *x: [*(a | b for a, b in zip(x[::2], x[1::2])), np.array([1, 1, 0]) > 0, x[0] | (
      x[0] < 0)])  # fmt: skip
def or_of_many_axes(t):
    """Ten, some repeated; long rows; lists; an array of NumPy beside a tensor."""
    shapes = (TEN, TEN), (TEN, (2, 1, 2, 1, 3)), ((65537,), (65537,)), ((257, 1), (1, 129))
    pairs = [[t.randn(shape, "bool") for shape in both] for both in shapes]
    made = [t.call(OR, *both) for both in pairs]
    return [*made, t.call(OR, [True, False, False], [False, True, False]), t.call(OR, pairs[0][0], t.np.zeros(TEN, bool))]  # fmt: skip


@case(NOT, core=False, reference=lambda np, x, y: [~x, ~y, np.array([0, 1]) > 0, ~x])
def not_of_many_axes(t):
    """Ten, a long row, a list, an array of NumPy."""
    x, y = t.randn(TEN, "bool"), t.randn((65537,), "bool")
    return [t.call(NOT, one) for one in (x, y, [True, False], t.host(x).astype(bool))]


# --- shapes

RESHAPE = "tf.reshape"


@case(RESHAPE, dtypes="f32 i64 bool", core=False, reference=lambda np, x: [
      x.reshape(-1), x.reshape(6, -1, 2), x.reshape(1, 1, 4, 1, 72, 1, 1), x.ravel().reshape(TEN[::-1]), x, np.array([[1, 2], [3, 4]])])  # fmt: skip
def reshape_of_ten_axes(t, dtype):
    """To one, three and seven, to ten others; an array of NumPy, a list."""
    x = t.randint(TEN, dtype, 0, 2)
    made = [t.call(RESHAPE, x, to) for to in ([-1], (6, -1, 2), [1, 1, 4, 1, 72, 1, 1], TEN[::-1])]
    array = t.host(x).astype(x.dtype.as_numpy_dtype).ravel()
    return [*made, t.call(RESHAPE, array, TEN), t.call(RESHAPE, [1, 2, 3, 4], t.np.array([2, 2]))]


@case("tf.eye", dtypes="f32 i64", core=False, trivial=True, reference=lambda np, *_: [
      np.broadcast_to(np.eye(3, 2), (2, 1, 4, 3, 2)), np.eye(2, 5), np.zeros((0, 3)), np.eye(1, 70001)])  # fmt: skip
def eye_of_many(t, dtype):
    """A batch of three axes, sizes that are data, no row, a long one."""
    kind = t.dtype(dtype)
    return [
        t.call("tf.eye", 3, 2, batch_shape=[2, 1, 4], dtype=kind),
        t.call("tf.eye", t.const(2, "i32"), t.const(5, "i32"), dtype=kind),
        t.call("tf.eye", 0, 3, dtype=kind),
        t.call("tf.eye", 1, num_columns=70001, dtype=kind),
    ]


# --- diagonals

SET_DIAG = "tf.linalg.set_diag"


def _banded(np, x, band, low, align):
    """Row by row of `band` from the highest diagonal down to `low`; short ones lie on the side that `align` says."""
    x, sides, n = x.copy(), align.split("_"), band.shape[-2]
    for row, above in zip(range(n), range(low + n - 1, low - 1, -1)):
        rows, columns = np.nonzero(np.eye(*x.shape[-2:], k=above))
        part = band[..., row, :]
        short = part.shape[-1] - len(rows)
        left = sides[0 if above >= 0 else 1] == "LEFT"
        x[..., rows, columns] = part[..., : len(rows)] if left else part[..., short:]
    return x


ALIGNED = ["LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT"]


@case(SET_DIAG, dtypes="f32 i64 c64", core=False, align=ALIGNED, reference=lambda np, x, band, align: _banded(np, x, band, -2, align))  # fmt: skip
@case(SET_DIAG, dtypes="f32", core=False, align=ALIGNED, grad=True, name="set_diag_gradient_of_bands",
      reference=with_gradient(lambda np, x, band, align: _banded(np, x, band, -2, align)))  # fmt: skip
def set_diag_of_bands(t, dtype, align):
    """Of a batch, four diagonals, the outer ones shorter."""
    x, band = t.randn((2, 3, 4), dtype), t.randn((2, 4, 3), dtype)
    return t.call(SET_DIAG, x, band, k=(-2, 1), align=align)


@case(SET_DIAG, dtypes="f32 i32", core=False, reference=lambda np, x, *rows: [
      _banded(np, x, row[..., None, :], k, "LEFT_LEFT") for row, k in zip(rows, (2, -1, 0, -2))])  # fmt: skip
def set_diag_beside_the_main_one(t, dtype):
    """One diagonal above or below, named by a number, a tensor, a pair of one."""
    x = t.randn((2, 3, 4), dtype)
    rows = [t.randn((2, n), dtype) for n in (2, 2, 3, 1)]
    places = 2, t.fw.constant(-1), (0, 0), [-2]
    return [t.call(SET_DIAG, x, row, k=k) for row, k in zip(rows, places)]


@case(SET_DIAG, dtypes="f32", core=False, reference=lambda np, x, y, z, w: [right.set_diag(np, x, y), right.set_diag(np, z, w)])  # fmt: skip
def set_diag_of_many(t, dtype):
    """Many small matrices, one long."""
    x, y = t.randn((3000, 4, 5), dtype), t.randn((3000, 4), dtype)
    z, w = t.randn((2, 70001), dtype), t.randn((2,), dtype)
    return [t.call(SET_DIAG, x, y), t.call(SET_DIAG, z, w)]


@case(SET_DIAG, core=False, reference="none")
def set_diag_refuses(t):
    """A diagonal that is not there, bounds the wrong way round, another batch, another dtype, a vector."""
    x = t.randn((2, 3, 3), "f32")
    t.refuses(SET_DIAG, x, t.randn((2, 1), "f32"), k=4)
    t.refuses(SET_DIAG, x, t.randn((2, 3, 3), "f32"), k=(1, -1))
    t.refuses(SET_DIAG, x, t.randn((4, 3), "f32"))
    t.refuses(SET_DIAG, x, t.randint((2, 3), "i32", 0, 9))
    t.refuses(SET_DIAG, t.randn((3,), "f32"), t.randn((3,), "f32"))


# --- updates

UPDATE = "tf.tensor_scatter_nd_update"


def _updated(np, x, indices, updates):
    x = x.copy()
    x[tuple(np.moveaxis(indices, -1, 0))] = updates
    return x


@case(UPDATE, dtypes="f32 i64 u8 c64", core=False, reference=lambda np, *given: [
      _updated(np, x, i, new) for i, x, new in zip(given[:3], given[3::2], given[4::2])])  # fmt: skip
def scatter_far_and_deep(t, dtype):
    """Rows beyond 16 bits, numbers of seven axes, blocks by indices of three axes."""
    far = t.const([[70000], [65536], [0], [65535]], "i64")
    deep = t.const([[1, 2, 0, 1, 0, 2, 1], [0, 0, 0, 1, 1, 0, 1], [1, 2, 0, 1, 0, 2, 0]], "i32")
    blocks = t.const([[[1], [4]], [[0], [3]]], "i32")
    shapes = (70001, 2), (2, 3, 1, 2, 2, 3, 2), (5, 2, 3)
    heads = (4, 2), (3,), (2, 2, 2, 3)
    given = [
        (t.randint(shape, dtype, 0, 100), i, t.randint(head, dtype, 0, 100))
        for shape, i, head in zip(shapes, (far, deep, blocks), heads)
    ]
    return [t.call(UPDATE, *one) for one in given]


@case(UPDATE, dtypes="f32 f64", core=False, grad=True, reference=with_gradient(
      lambda np, i, x, updates: _updated(np, x, i, updates)))  # fmt: skip
def scatter_gradient_of_blocks(t, dtype):
    """What was replaced has the gradient zero."""
    i = t.const([[[1], [3]], [[0], [4]]], "i32")
    return t.call(UPDATE, t.randn((5, 2), dtype), i, t.randn((2, 2, 2), dtype))


@case(UPDATE, core=False, reference="none")
def scatter_refuses(t):
    """Fractions as places, updates of another dtype, too many numbers in a place, a scalar."""
    x, i = t.randn((3, 2), "f32"), t.const([[0]], "i32")
    t.refuses(UPDATE, x, t.const([[0.0]], "f32"), t.randn((1, 2), "f32"))
    t.refuses(UPDATE, x, i, t.const([[1, 2]], "i32"))
    t.refuses(UPDATE, x, t.const([[0, 0, 0]], "i32"), t.randn((1,), "f32"))
    t.refuses(UPDATE, x[0, 0], i, t.randn((1,), "f32"))


# --- masks

MASK = "tf.sequence_mask"


@case(MASK, core=False, reference=lambda np, x, y, *_: [
      right.sequence_mask(np, x, 9), right.sequence_mask(np, y, 130), right.sequence_mask(np, np.array([-2, 0, 2]), 3), right.sequence_mask(
        np, np.array([[1, 3], [0, 2]])), np.zeros((0, 4)), right.sequence_mask(np, np.array([1, 3]), 4)])  # fmt: skip
def sequence_mask_of_many(t):
    """Lengths of three axes, many, below zero, in lists and arrays, none; a maxlen that is data."""
    x, y, most = t.randint((2, 3, 4), "i64", 0, 10), t.randint((1031,), "i32", 0, 131), t.const(4, "i32")  # fmt: skip
    return [
        t.call(MASK, x, 9),
        t.call(MASK, y, 130),
        t.call(MASK, t.np.array([-2, 0, 2]), 3),
        t.call(MASK, [[1, 3], [0, 2]], dtype=t.fw.uint8),
        t.call(MASK, t.const(t.np.zeros(0), "i32"), 4),
        t.call(MASK, [1, 3], most, "float16"),
    ]


@case(MASK, core=False, reference="none")
def sequence_mask_refuses(t):
    """Lengths of no shape, a dtype that is none."""
    t.refuses(MASK, [[1], [2, 3]], 3)
    t.refuses(MASK, [1, 2], 3, dtype="float31")
