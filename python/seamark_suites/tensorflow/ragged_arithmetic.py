"""Rows of rows of several lengths, number by number, as matrices, and as places of ones; what is known of them, and refused."""

from seamark_suites.case import case

from . import reference_ragged as right
from .ragged_picking import each, flat, run

ONE = {
    "tf.abs": lambda np, x: np.abs(x),
    "tf.exp": lambda np, x: np.exp(x),
    "tf.floor": lambda np, x: np.floor(x),
    "tf.math.log": lambda np, x: np.log(x),
    "tf.math.log1p": lambda np, x: np.log1p(x),
    "tf.sqrt": lambda np, x: np.sqrt(x),
    "tf.square": lambda np, x: x * x,
    "tf.sigmoid": lambda np, x: 1 / (1 + np.exp(-x)),
    "tf.identity": lambda np, x: x,
    "tf.ones_like": lambda np, x: np.ones_like(x),
    "tf.zeros_like": lambda np, x: np.zeros_like(x),
    "tf.clip_by_value": lambda np, x: np.clip(x, 0.75, 1.5),
}
TWO = {
    "tf.equal": lambda np, x, y: x == y,
    "tf.not_equal": lambda np, x, y: x != y,
    "tf.greater": lambda np, x, y: x > y,
    "tf.less": lambda np, x, y: x < y,
    "tf.maximum": lambda np, x, y: np.maximum(x, y),
    "tf.minimum": lambda np, x, y: np.minimum(x, y),
    "tf.multiply": lambda np, x, y: x * y,
    "tf.pow": lambda np, x, y: x**y,
}
MATMUL, HOT, ADD_N, SIZE, RANK = "tf.matmul", "tf.one_hot", "tf.add_n", "tf.size", "tf.rank"
DEEP = [3, 1, 0], [2, 0, 3, 1]  # two axes of rows, six numbers
OUTER, INNER = [0, 3, 4, 4], [0, 2, 2, 5, 6]
PAIRS = [2, 0, 1]


def _one(function):
    def reference(np, x):
        made = ONE[function](np, x)
        return [made, np.array(OUTER), np.array(INNER), made.reshape(3, 2), np.array([0, 2, 2, 3])]

    return reference


def alone(body):
    for name in ONE:
        trivial = {"trivial": True} if name.endswith("s_like") else {}
        case(name, dtypes="f32", core=False, reference=_one(name), **trivial)(body)  # fmt: skip
    return body


@alone
def of_deep_ragged_rows(t, dtype, function):
    """Rows of rows, and rows of pairs, keep all of their lengths."""
    f, ragged = t.get(function), t.fw.RaggedTensor
    more = (0.75, 1.5) if function.endswith("value") else ()

    def both(x):
        made = f(ragged.from_nested_row_lengths(x, DEEP), *more)
        pairs = f(ragged.from_row_lengths(t.fw.reshape(x, [3, 2]), PAIRS), *more)
        return [made.flat_values, *made.nested_row_splits, pairs.flat_values, pairs.row_splits]

    return t.call(both, t.uniform((6,), dtype, 0.5, 2))


def _two(function):
    def reference(np, x, y, z):
        f, found = TWO[function], []
        rows = np.repeat(z[:4], [2, 0, 3, 1])
        for left, right_side in (
            (x, y),
            (x, rows),
            (x, np.repeat(z[:3], [5, 1, 0])),
            (x, z[0]),
            (z[0], x),
            (z[:6], z[0]),
        ):
            found.append(f(np, left, right_side))
        return [*found, f(np, x.reshape(3, 2), y.reshape(3, 2)), f(np, x.reshape(3, 2), z[:2]), f(np, x, y)]  # fmt: skip

    return reference


def met(body):
    for name in TWO:
        case(name, dtypes="f32 i32" if name != "tf.pow" else "f32", core=False,
             reference=_two(name))(body)  # fmt: skip
    return body


@met
def of_ragged_rows_that_meet(t, dtype, function):
    """Rows of rows with their like, one number a row, one number many rows, one number; flat rows; pairs; by name."""
    f, ragged, tf = t.get(function), t.fw.RaggedTensor, t.fw
    ends = (0.5, 2) if function == "tf.pow" else (-2, 2)
    x, y, z = [t.uniform((6,), dtype, *ends) if dtype == "f32" else t.randint((6,), dtype, -2, 3) for _ in range(3)]  # fmt: skip

    def every(x, y, z):
        deep = lambda x: ragged.from_nested_row_lengths(x, DEEP)  # noqa: E731
        pairs = lambda x: ragged.from_row_lengths(tf.reshape(x, [3, 2]), PAIRS)  # noqa: E731
        column = ragged.from_row_lengths(z[:4, None], DEEP[0])
        made = [f(deep(x), deep(y)), f(deep(x), column), f(deep(x), tf.reshape(z[:3], [3, 1, 1])), f(deep(x), z[0]), f(z[0], deep(x)),
                f(ragged.from_row_lengths(z, [2, 3, 1]), z[None, :1]), f(pairs(x), pairs(y)), f(pairs(x), z[:2]), f(x=deep(x), y=deep(y))]  # fmt: skip
        return [one.flat_values for one in made]

    return t.call(every, x, y, z)


@case("tf.logical_and", core=False, reference=lambda np, x, y: [x & y, x & y[0], x[0] & y, (x & y).reshape(3, 2)])  # fmt: skip
def and_of_deep_ragged_rows(t):
    """Rows of rows, with one truth on either side, pairs; by the operator, too."""
    f, ragged, tf = t.get("tf.logical_and"), t.fw.RaggedTensor, t.fw
    x, y = t.const([1, 1, 0, 1, 0, 1], "bool"), t.const([1, 0, 1, 1, 0, 0], "bool")

    def every(x, y):
        deep = lambda x: ragged.from_nested_row_lengths(x, DEEP)  # noqa: E731
        pairs = lambda x: ragged.from_row_lengths(tf.reshape(x, [3, 2]), PAIRS)  # noqa: E731
        made = [f(deep(x), deep(y)), deep(x) & y[0], x[0] & deep(y), f(pairs(x), pairs(y))]
        return [one.flat_values for one in made]

    return t.call(every, x, y)


@case(ADD_N, dtypes="f32 i32", core=False, reference=lambda np, *xs: [
      sum(xs), np.array([0, 1, 4, 6]), sum(xs), np.array(OUTER), np.array(INNER), sum(xs).reshape(3, 2), sum(xs)])  # fmt: skip
def add_n_of_deep_ragged_rows(t, dtype):
    """Three of rows, of rows of rows, of pairs; by name. Not with what is sparse."""
    f, ragged, tf = t.get(ADD_N), t.fw.RaggedTensor, t.fw

    def every(*xs):
        rows = f([ragged.from_row_lengths(x, [1, 3, 2]) for x in xs])
        deep = f(inputs=[ragged.from_nested_row_lengths(x, DEEP) for x in xs])
        pairs = f([ragged.from_row_lengths(tf.reshape(x, [3, 2]), PAIRS) for x in xs])
        return [*flat(tf, rows), *flat(tf, deep), pairs.flat_values, f(xs)]

    x = t.randint((6,), dtype, -9, 10)
    sparse = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], x[:3], [3, 2])
    t.raises((TypeError, ValueError), t.call, ADD_N, [ragged.from_row_lengths(x, [1, 3, 2]), sparse])  # fmt: skip
    return t.call(every, x, t.randint((6,), dtype, -9, 10), t.randint((6,), dtype, -9, 10))


# --- matmul


def _values(np, shape, start=0):
    return (np.arange(np.prod(shape)) % 7 - 3 + start).reshape(shape)


# The shapes of the matrices in each, of either side; how both are made: "r" ragged, "d" dense, "i" ragged in the outer axis alone; options.
_PRODUCTS = {
    "both ragged": ([(15, 32), (10, 20)], [(32, 19), (20, 13)], "rr", {}),
    "columns alike": ([(15, 4), (10, 2)], [(4, 2), (2, 2)], "ri", {}),
    "by dense": ([(15, 8), (10, 8)], [(8, 12), (8, 12)], "rd", {}),
    "of dense": ([(15, 32), (15, 32)], [(32, 19), (32, 13)], "dr", {}),
    "folded": ([(2, 3), (3, 3)], [(3, 8), (3, 8)], "id", {}),
    "turned": ([(3, 1), (3, 3)], [(3, 4), (3, 4)], "rd", {"transpose_a": True}),
    "both turned": ([(3, 1), (3, 3)], [(4, 3), (4, 3)], "rd", {"transpose_a": True, "transpose_b": True}),
    "by rows": ([(3, 2), (2, 3)], [(5, 2), (5, 3)], "rr", {"transpose_b": True}),
    "by open rows": ([(2, 3), (3, 3)], [(4, 3), (1, 3)], "ii", {"transpose_b": True}),
    "dense by open rows": ([(2, 3), (2, 3)], [(4, 3), (1, 3)], "di", {"transpose_b": True}),
}  # fmt: skip


def _product(np, x, y, turns):
    x = x.T if turns.get("transpose_a") else x
    return (x @ (y.T if turns.get("transpose_b") else y)).ravel()


def _made(tf, np, shapes, how, x, start):
    each = [tf.constant(_values(np, shape, start), x.dtype) * x for shape in shapes]
    if how == "d":
        return tf.stack(each)
    if how == "i":
        return tf.RaggedTensor.from_row_lengths(tf.concat(each, 0), [shape[0] for shape in shapes])
    return tf.ragged.stack(each)


@case(MATMUL, dtypes="f32 i32", form=list(_PRODUCTS), core=False, reference=lambda np, x, y, *_, form: np.concatenate([
      _product(np, _values(np, a) * x, _values(np, b, 1) * y, _PRODUCTS[form][3]) for a, b in zip(*_PRODUCTS[form][:2])]))  # fmt: skip
def matmul_of_two_ragged_matrices(t, dtype, form):
    """Each of two of its own shape, by each of two; ragged, dense or open in their rows alone; turned."""
    first, second, how, turns = _PRODUCTS[form]
    f, tf, np = t.get(MATMUL), t.fw, t.np

    def product(x, y):
        made = f(_made(tf, np, first, how[0], x, 0), _made(tf, np, second, how[1], y, 1), **turns)
        return tf.reshape(made.flat_values, [-1])

    return t.call(product, t.randint((), dtype, 1, 4), t.randint((), dtype, 1, 4))


_BATCHES = [("d", "i1"), ("i1", "d"), ("i2", "d"), ("i3", "d"), ("d", "i2"), ("d", "i3"), ("i1", "i1")]  # fmt: skip


@case(MATMUL, dtypes="f32", core=False, reference=lambda np, x, y: [
      (x @ y).ravel()] * len(_BATCHES) + [np.concatenate([(x.reshape(-1, 5, 7)[n] @ y.reshape(-1, 7, 9)[n]).ravel() for n in range(6)])])  # fmt: skip
def matmul_of_ragged_batches_of_batches(t, dtype):
    """Three of two matrices: dense by ragged in one, two, all three axes and turned about; three, none, one and two of them."""
    f, tf = t.get(MATMUL), t.fw
    make = {"d": lambda x: x, **{"i%d" % n: lambda x, n=n: tf.RaggedTensor.from_tensor(x, ragged_rank=n) for n in (1, 2, 3)}}  # fmt: skip

    def products(x, y):
        made = [f(make[a](x), make[b](y)).flat_values for a, b in _BATCHES]
        rows = [tf.RaggedTensor.from_row_lengths(tf.reshape(one, [6, *one.shape[2:]]), [3, 0, 1, 2]) for one in (x, y)]  # fmt: skip
        return [tf.reshape(one, [-1]) for one in (*made, f(*rows).flat_values)]

    return t.call(products, t.uniform((3, 2, 5, 7), dtype, 0.5, 2), t.uniform((3, 2, 7, 9), dtype, 0.5, 2))  # fmt: skip


@case(MATMUL, core=False, reference="none")
def matmul_of_ragged_refused(t):
    """Rows of several lengths as a matrix, sizes that do not meet, turned twice, other kinds and ranks, other batches; no known rank."""
    tf, ragged = t.fw, t.fw.ragged.constant
    bad, stack = tf.errors.InvalidArgumentError, lambda *shapes: tf.ragged.stack([tf.zeros(one) for one in shapes])  # fmt: skip
    batch = lambda *shape: tf.RaggedTensor.from_tensor(tf.zeros(shape))  # noqa: E731
    for kind, *given_ones in ((bad, ragged([[1, 2, 3], [4, 5]]), ragged([[5], [4], [3]])), (bad, ragged([[1, 2], [4, 5]]), ragged([[5], [4], [3]])),
                              (bad, stack([15, 32], [10, 20]), stack([32, 19], [22, 13])), (bad, batch(3, 2, 5, 7), batch(3, 3, 7, 9)),
                              (ValueError, ragged([[1]]), ragged([[1.0]])), (ValueError, ragged([[1]]), ragged([[[1]]]))):  # fmt: skip
        t.raises(kind, t.call, MATMUL, *given_ones)
    for name in "ab":
        both = {"transpose_" + name: True, "adjoint_" + name: True}
        t.raises(ValueError, t.call, MATMUL, ragged([[1]]), ragged([[1]]), **both)
    made = t.call(MATMUL, ragged([[1, 2, 3], [4, 5, 6]]), ragged([[5], [4], [3]]))
    t.expect(made.numpy().tolist() == [[22], [58]], "22 and 58, got %s" % made)
    some, none = tf.RaggedTensorSpec([None, None], tf.int32, 1), tf.RaggedTensorSpec(None, tf.int32, 1)  # fmt: skip
    x, y = ragged([[1, 2]]), ragged([[3], [4]])
    for specs in ((some, none), (none, some)):
        program = tf.function(t.get(MATMUL), input_signature=specs, autograph=False)
        made = t.call(program, x, y)
        made = made.to_list() if hasattr(made, "to_list") else made.numpy().tolist()
        t.expect(made == [[11]], "11, got %s" % made)
    program = tf.function(t.get(MATMUL), input_signature=(none, none), autograph=False)
    t.raises(ValueError, t.call, program, x, y)


# --- one_hot

_ROWS = [[0, 2, -1], [3]]
_HOT = [
    *((lambda tf, f, s, more=more: f(tf.ragged.constant(_ROWS), 4, dtype=tf.int64, **more),
       lambda s: right.mapped(_ROWS, lambda n: [int(n == k) for k in range(4)])) for more in ({}, {"axis": -1}, {"axis": 2})),
    (lambda tf, f, s: f(tf.ragged.constant(_ROWS), 4, tf.cast(s.vector[0], tf.int64), tf.cast(s.vector[1], tf.int64)), lambda s: right.mapped(
        _ROWS, lambda n: [s.vector[0] if n == k else s.vector[1] for k in range(4)])),
    (lambda tf, f, s: f(tf.ragged.constant([[[0, 2, -1], [3]], [[2, 8]]]), 4, dtype=tf.int64), lambda s: right.mapped(
        [[[0, 2, -1], [3]], [[2, 8]]], lambda n: [int(n == k) for k in range(4)])),
    (lambda tf, f, s: f(tf.ragged.constant([[[0, 2], [-1, 3]], [[2, 8]]], ragged_rank=1), 4, dtype=tf.int64), lambda s: right.mapped(
        [[[0, 2], [-1, 3]], [[2, 8]]], lambda n: [int(n == k) for k in range(4)])),
    (lambda tf, f, s: f(tf.ragged.constant([[[0, 2], [-1, 3]], [[2, 8]]], ragged_rank=1), 4, axis=2, dtype=tf.int64), lambda s: [
        [[[int(n == k) for n in pair] for k in range(4)] for pair in row] for row in [[[0, 2], [-1, 3]], [[2, 8]]]]),
]  # fmt: skip


@each([HOT], _HOT, dtypes="i64")
def one_hot_of_ragged_of_any_depth(t, dtype, function):
    """Behind rows and rows of rows; of pairs behind and between; values of its own; places from beyond either end."""
    return run(t, function, _HOT, dtype)


_SIZES = ([5, 7], [-1, 2]), ([5, 2, 7], [-1, 3, 2]), ([5, 2, 7, 4], [-1, 4, 3, 2])


@case(HOT, dtypes="f32", core=False, reference=lambda np, i: [
      np.moveaxis(np.eye(6)[i.ravel()[: np.prod(shape)].reshape(shape)], -1, axis).ravel()
      for shape, axes in _SIZES for axis in axes for rank in range(1, len(shape)) if not 0 <= axis <= rank])  # fmt: skip
def one_hot_of_tensors_made_ragged(t, dtype):
    """As of what is not, in any number of ragged axes and along any behind those."""
    tf, f = t.fw, t.get(HOT)

    def every(i):
        made = []
        for shape, axes in _SIZES:
            whole = tf.reshape(i[: int(t.np.prod(shape))], shape)
            for axis in axes:
                for rank in range(1, len(shape)):
                    if not 0 <= axis <= rank:
                        rows = tf.RaggedTensor.from_tensor(whole, ragged_rank=rank)
                        one = f(rows, 6, axis=axis, dtype=t.dtype(dtype))
                        t.expect(one.ragged_rank == rank, "%d ragged axes, got %s" % (rank, one))
                        made.append(tf.reshape(one.flat_values, [-1]))
        return made

    return t.call(every, t.randint((280,), "i32", 0, 6))


# --- size, rank

_KNOWN = [(1, None, 1, 0), ([], None, 0, 1), ([], 1, 0, 2), ([1, 1, 1], None, 3, 1), ([[1], [2], [3]], None, 3, 2), ([[1, 1], [1]], None, 3, 2),
          ([[[1, 1, 1], [1]], [[1]]], None, 5, 3), ([[[1, 1], [1, 1]], [[1, 1]]], 1, 6, 3), ([[[1], [2, 3], [10, 20]], [[4], [5, 6, 7]]], 2, 9, 3),
          ([[[[1], [2]]], [[[3, 4], [5, 6]], [[7, 8], [9, 10]]]], None, 10, 4), ([[[[1, 2]]], [[[5, 6], [7, 8]], [[9, 10], [11, 12]]]], 2, 10, 4)]  # fmt: skip


@case(SIZE, core=False, reference=lambda np: [size for *_, size, _ in _KNOWN])
@case(RANK, core=False, reference=lambda np: [rank for *_, rank in _KNOWN])
def known_of_ragged_constants(t, function):
    """Of a number, of nothing, of a vector, of up to four axes of which one, two, three are ragged."""
    made = [t.fw.ragged.constant(values, ragged_rank=rank) for values, rank, *_ in _KNOWN]
    return [t.fw.cast(t.call(function, one), t.fw.int32) for one in made]
