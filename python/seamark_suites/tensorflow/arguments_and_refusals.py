"""What many operations have in common at the edges of their arguments: forward mode, strings, ragged and sparse rows, unsigned
integers, ways to name axes, dtypes that are refused."""

from seamark_agent.harness import Skip

from seamark_suites.case import case
from seamark_suites.transformed import each_of, forward, leaves, placed, second

from .transformed import ALL, V1, called, each, gradient_of_a_gradient

BOTH_PADS = ("tf.pad", V1 + "pad")
BOTH_EXPANDS = ("tf.expand_dims", V1 + "expand_dims")
LOG, SQRT, SQUARE, SIGMOID = "tf.math.log", "tf.sqrt", "tf.square", "tf.sigmoid"
SUM, MOST, EVERY = V1 + "reduce_sum", "tf.reduce_max", "tf.reduce_all"
SQUEEZE, TRANSPOSE, TO_FLOAT = V1 + "squeeze", V1 + "transpose", V1 + "to_float"
TO_INT32 = V1 + "to_int32"
CLIP, WHERE, GATHER, TILE, MATMUL = "tf.clip_by_value", "tf.where", "tf.gather", "tf.tile", "tf.matmul"  # fmt: skip
LESS, MAXIMUM, MULTIPLY, POW, UNEQUAL, ADD_N = "tf.less", "tf.maximum", "tf.multiply", "tf.pow", "tf.not_equal", "tf.add_n"  # fmt: skip
ONES, ZEROS_LIKE, IDENTITY, STOP = "tf.ones", "tf.zeros_like", "tf.identity", "tf.stop_gradient"
COND, SIZE, RANK = "tf.cond", "tf.size", "tf.rank"

# --- derivatives

SLOPED = [CLIP, *BOTH_EXPANDS, SUM, SQUEEZE, IDENTITY, LOG, MATMUL, *BOTH_PADS, MOST, SQRT, WHERE, ADD_N, TO_FLOAT, TRANSPOSE,
          GATHER, MAXIMUM, MULTIPLY, POW, SIGMOID, SQUARE, TILE]  # fmt: skip

each([MAXIMUM, MOST, TO_FLOAT], lambda form: second(form[1]), dtypes="f32", rtol={"f32": 1e-4}, atol={"f32": 1e-4})(
    gradient_of_a_gradient)  # fmt: skip


@each(SLOPED, lambda form: forward(form[1]), dtypes="f32 f64", rtol={"f32": 1e-5}, atol={"f32": 1e-5})  # fmt: skip
def in_forward_mode(t, dtype, function):
    """What comes out, and by how much it changes along a direction."""
    shapes, run = ALL[function][2], called(t, function)
    at = [placed(number, t.distinct(shape, dtype)) for number, shape in enumerate(shapes)]
    along = [t.randn(shape, dtype) for shape in shapes]

    def both(*tensors):
        at, along = tensors[: len(shapes)], tensors[len(shapes) :]
        with t.fw.autodiff.ForwardAccumulator(list(at), list(along)) as follower:
            made = run(*at)
        return made, [follower.jvp(one) for one in made]

    return t.call(both, *at, *along)


@case(STOP, dtypes="f32", core=False, reference=lambda np, x, v: [x * x, x * v])
def stops_in_forward_mode(t, dtype):
    """The factor that is stopped is a constant in forward mode, too."""

    def both(x, v):
        with t.fw.autodiff.ForwardAccumulator(x, v) as follower:
            made = x * t.get(STOP)(x)
        return made, follower.jvp(made)

    return list(t.call(both, t.uniform((3, 4), dtype, 0.5, 2), t.uniform((3, 4), dtype, 0.5, 2)))


# --- lists

LISTED = [*BOTH_EXPANDS, SUM, MOST, TRANSPOSE, TILE, GATHER, *BOTH_PADS, TO_FLOAT, MATMUL]


@each(
    LISTED,
    lambda form: lambda np, *x: [*leaves(np, form[1](np, *x)), *leaves(np, form[1](np, *x))],
    dtypes="f32",
    rtol={"f32": 1e-5},
)
def of_lists_and_arrays(t, dtype, function):
    """Lists of Python's numbers and arrays of NumPy are taken as tensors."""
    run = called(t, function)
    drawn = [t.host(t.uniform(shape, dtype, 0.5, 2)) for shape in ALL[function][2]]
    lists, arrays = [x.tolist() for x in drawn], [x.astype("float32") for x in drawn]
    made = [*t.call(lambda: run(*lists)), *t.call(run, *arrays)]
    t.expect(all(one.dtype == t.fw.float32 for one in made), "of 32 bits")
    return made


# --- strings

WORDS = [["a", "bc", ""], ["d", "e\0f", "\u00fc"]]


def _padded(np, x):
    made = np.full((3, 5), b"", object)
    made[1:, :3] = x
    return made


MOVED = {
    **{name: (lambda f, x: f(x, 1), lambda np, x: x[:, None]) for name in BOTH_EXPANDS},
    **{name: (lambda f, x: f(x, [[1, 0], [0, 2]]), _padded) for name in BOTH_PADS},
    SQUEEZE: (lambda f, x: f(x[:, None], [1]), lambda np, x: x),
    TRANSPOSE: (lambda f, x: f(x), lambda np, x: x.T),
    TILE: (lambda f, x: f(x, [2, 1]), lambda np, x: np.tile(x, (2, 1))),
    GATHER: (lambda f, x: f(x, [2, 0], axis=1), lambda np, x: x[:, [2, 0]]),
}


_moved = each_of(dict.fromkeys(MOVED))


@_moved(MOVED, lambda form: "none", host_only=True)
def words_are_moved(t, function):
    """Texts go where numbers would; around them is the empty one."""
    run, moved = MOVED[function]
    made = t.host(t.call(run, t.get(function), t.fw.constant(WORDS)))
    want = moved(t.np, t.np.array([[w.encode() for w in row] for row in WORDS], object))
    t.expect(made.tolist() == want.tolist(), "%s, got %s" % (want.tolist(), made.tolist()))


# --- ragged and sparse rows

LENGTHS, ENDS = [3, 0, 4, 2], [0, 3, 3, 7, 9]


def _split(np, x):
    return np.split(x, ENDS[1:-1])


def _parts(made):
    return [made.flat_values, *made.nested_row_splits]


def _twice(np, x):
    rows = [np.tile(row, 2) for row in _split(np, x)]
    return [np.concatenate(rows), np.array(ENDS) * 2]


RAGGED = {
    **{name: (lambda tf, f, r: _parts(f(r, 1)) + _parts(f(r, 0)), lambda np, x: [
        x, np.arange(5), np.array(ENDS), x, np.array([0, 4]), np.array(ENDS)]) for name in BOTH_EXPANDS},
    SQUEEZE: (lambda tf, f, r: _parts(f(tf.expand_dims(r, 0), [0])), lambda np, x: [x, np.array(ENDS)]),
    TILE: (lambda tf, f, r: _parts(f(r, [1, 2])), _twice),
    GATHER: (lambda tf, f, r: [*_parts(f(r, [2, 1, 0])), *_parts(f(r[2], tf.ragged.constant([[3], [], [0, 1]])))], lambda np, x: [
        np.concatenate([x[3:7], x[:3]]), np.array([0, 4, 4, 7]), x[[6, 3, 4]], np.array([0, 1, 1, 3])]),
    WHERE: (lambda tf, f, r: _parts(f(r > 1.25, r, r * 2)), lambda np, x: [np.where(x > 1.25, x, 2 * x), np.array(ENDS)]),
    SUM: (lambda tf, f, r: [f(r, 1), f(r, 0), f(r)], lambda np, x: [np.array([x[:3].sum(), 0, x[3:7].sum(), x[7:].sum()]), np.array(
        [x[0] + x[3] + x[7], x[1] + x[4] + x[8], x[2] + x[5], x[6]]), x.sum()]),
    MOST: (lambda tf, f, r: [f(r, 0), f(r), f(r[2:], 1, keepdims=True)], lambda np, x: [np.array(
        [max(x[[0, 3, 7]]), max(x[[1, 4, 8]]), max(x[[2, 5]]), x[6]]), x.max(), np.array([[max(x[3:7])], [max(x[7:])]])]),
}  # fmt: skip


_ragged = each_of(RAGGED)


@_ragged(RAGGED, lambda form: form[1], dtypes="f32", rtol={"f32": 1e-5})
def of_ragged_rows(t, dtype, function):
    """Rows of three, no, four and two numbers."""
    run, f, ragged = RAGGED[function][0], t.get(function), t.fw.RaggedTensor.from_row_lengths
    return t.call(lambda x: run(t.fw, f, ragged(x, LENGTHS)), t.uniform((9,), dtype, 0.5, 2))


@case(EVERY, core=False, reference=lambda np, x: [np.array([False, True, True]), np.array(False)])
def of_ragged_columns(t):
    """Over the rows, where columns of few have those alone; over all."""
    f, ragged = t.get(EVERY), t.fw.RaggedTensor.from_row_lengths
    x = t.const([1, 1, 1, 0, 1], "bool")
    return t.call(lambda x: [f(ragged(x, [3, 0, 2]), 0), f(ragged(x, [3, 0, 2]))], x)


@case(MATMUL, dtypes="f32", core=False, rtol={"f32": 1e-5}, reference=lambda np, x, y: [
      np.concatenate([x[:2] @ y[0], x[2:] @ y[1]]), np.array([0, 2, 5])])  # fmt: skip
def of_ragged_matrices(t, dtype):
    """Two rows and three, each times a matrix of its own."""

    def product(x, y):
        made = t.get(MATMUL)(t.fw.RaggedTensor.from_row_lengths(x, [2, 3]), y)
        return [made.flat_values, made.row_splits]

    return t.call(product, t.uniform((5, 2), dtype, 0.5, 2), t.uniform((2, 2, 3), dtype, 0.5, 2))


@case(SQRT, dtypes="f32 f64", core=False, reference=lambda np, x: np.sqrt(x))
@case(SQUARE, dtypes="f32 f64 f16 i32 i64 c64 c128", core=False, reference=lambda np, x: x * x)
@case(IDENTITY, dtypes="f32 i64", core=False, reference=lambda np, x: x)
@case(STOP, dtypes="f32 i64", core=False, reference=lambda np, x: x)
def of_sparse_places(t, dtype, function):
    """The values of a sparse tensor; places and shape stay."""
    places = t.fw.constant([[0, 1], [2, 0], [2, 3]], t.fw.int64)
    made = t.call(function, t.fw.SparseTensor(places, t.randint((3,), dtype, 2, 40), [3, 4]))
    t.expect(t.host(made.indices).tolist() == [[0, 1], [2, 0], [2, 3]], "the places of before")
    t.expect(t.host(made.dense_shape).tolist() == [3, 4], "the shape of before")
    return made.values


@case(TO_FLOAT, dtypes="i64 f64", core=False, reference=lambda np, x, _: x)
@case(TO_INT32, dtypes="i64 f64", core=False, reference=lambda np, x, _: x)
@case(IDENTITY, dtypes="f32", core=False, reference=lambda np, x, _: x)
@case(STOP, dtypes="f32", core=False, reference=lambda np, x, _: x)
def of_slices(t, dtype, function):
    """Rows with their places and the table's shape, as a gradient of a table is: these stay."""
    values, places = t.randint((2, 3), dtype, -40, 40), t.const([3, 1], "i64")
    made = t.call(function, t.fw.IndexedSlices(values, places, t.fw.constant([4, 3])))
    t.expect(isinstance(made, t.fw.IndexedSlices), "slices, got a %s" % type(made).__name__)
    t.expect(t.host(made.indices).tolist() == [3, 1], "the places of before")
    t.expect(t.host(made.dense_shape).tolist() == [4, 3], "the shape of before")
    return made.values


@case(ADD_N, dtypes="f32", core=False, rtol={"f32": 1e-5}, reference=lambda np, x, y: [
      y + np.stack([0 * x[0], x[1], 0 * x[0], x[0] + x[2]]), 6 * x, 2 * x])  # fmt: skip
def added_slices_and_others(t, dtype):
    """Slices among tensors, a row twice; what is no list: a generator, a tuple of variables."""
    x, y = t.uniform((3, 2), dtype, 0.5, 2), t.uniform((4, 2), dtype, 0.5, 2)
    add, held = t.get(ADD_N), t.fw.Variable(x)

    def mixed(x, y):
        return add([t.fw.IndexedSlices(x, t.fw.constant([3, 1, 3]), t.fw.constant([4, 2])), y])

    return [
        t.call(mixed, x, y),
        t.call(lambda x: add(number * x for number in (1.0, 2.0, 3.0)), x),
        t.call(lambda: add((held, held))),
    ]


def _rows_laid(np, x):
    return np.stack([0 * x[0], x[0], 0 * x[0], x[1]])


@case(ADD_N, dtypes="f32 i32", core=False, reference=lambda np, x: [
      _rows_laid(np, x), 2 * _rows_laid(np, x), np.stack([x[0] + x[1], 0 * x[0]])])  # fmt: skip
def added_slices_alone(t, dtype):
    """Slices, one or two times, are a tensor; a row that is named twice is added."""
    tf, add = t.fw, t.get(ADD_N)

    def every(x):
        one = tf.IndexedSlices(x, tf.constant([1, 3]), tf.constant([4, 2]))
        twice = tf.IndexedSlices(x, tf.constant([0, 0]), tf.constant([2, 2]))
        made = [add([one]), add([one, one]), add([twice])]
        if any(isinstance(each, tf.IndexedSlices) for each in made):
            raise TypeError("tensors were expected, got %s" % made)
        return made

    return t.call(every, t.randint((2, 2), dtype, 1, 99))


def _hundred(np, x):
    return [np.asarray(100), 100 * x, 97 * x, x, x, 2 * x]


def _hundred_parts(tf, add, x):
    """Many of one term each and one of two, added; what went through one term is read afterwards."""
    ones = [add([tf.constant(1)]) for _ in range(98)] + [add([tf.constant(1), tf.constant(1)])]
    parts = [add([x]) for _ in range(98)] + [add([x, x])]
    return [add(ones) + tf.constant(0), add(parts), add(parts[:97]), x, parts[97], parts[98]]


@case(ADD_N, dtypes="f32 i32", core=False, reference=_hundred)
def added_of_a_hundred_parts(t, dtype):
    """While it is traced: no sum writes over its terms."""
    tf, add = t.fw, t.get(ADD_N)
    run = tf.function(lambda x: _hundred_parts(tf, add, x), autograph=False)
    return t.call(run, t.randint((3, 4), dtype, -99, 100))


@case(ADD_N, dtypes="f32 i32", core=False, reference=_hundred)
def added_in_a_session(t, dtype):
    """In a graph of version 1, which joins sums as it likes: no sum writes over its terms."""
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    tf, v1, add = t.fw, t.fw.compat.v1, t.get(ADD_N)
    values = t.host(t.randint((3, 4), dtype, -99, 100))
    with tf.Graph().as_default(), tf.device(t.device):
        fed = v1.placeholder(t.dtype(dtype), [3, 4])
        made = _hundred_parts(tf, add, fed)
        with v1.Session() as session:
            return t.call(session.run, made, {fed: values})


# --- unsigned integers

MOST_OF = {"u16": 65535, "u32": 4294967295, "u64": 2**62}
WIDE = {
    CLIP: (lambda f, x, y: f(x, y[0, 3], y[0, 1]), lambda np, x, y: np.clip(x, y[0, 3], y[0, 1])),
    MAXIMUM: (lambda f, x, y: f(x, y), lambda np, x, y: np.maximum(x, y)),
    LESS: (lambda f, x, y: f(x, y), lambda np, x, y: x < y),
    UNEQUAL: (lambda f, x, y: f(x, y), lambda np, x, y: x != y),
    MULTIPLY: (lambda f, x, y: f(x // x, y), lambda np, x, y: y),
    MOST: (lambda f, x, y: f([x, y], 2), lambda np, x, y: np.stack([x, y]).max(2)),
    SUM: (lambda f, x, y: f(x[:, :1], 1), lambda np, x, y: x[:, 0]),
    **{name: (lambda f, x, y: f(x, [[0, 1], [2, 0]]), lambda np, x, y: np.pad(x, ((0, 1), (2, 0)))) for name in BOTH_PADS},
    WHERE: (lambda f, x, y: f([[True], [False]], x, y), lambda np, x, y: np.where([[True], [False]], x, y)),
    GATHER: (lambda f, x, y: f(x, [1, 0, 1]), lambda np, x, y: x[[1, 0, 1]]),
    TRANSPOSE: (lambda f, x, y: f(x), lambda np, x, y: x.T),
    ADD_N: (lambda f, x, y: f([x // 2, y // 2]), lambda np, x, y: x // 2 + y // 2),
    ZEROS_LIKE: (lambda f, x, y: x - f(y), lambda np, x, y: x),
    SQUARE: (lambda f, x, y: f(y % 251), lambda np, x, y: (y % 251) ** 2),
}  # fmt: skip


_wide = each_of(WIDE)


@_wide(WIDE, lambda form: form[1], dtypes="u16 u32 u64")
def of_unsigned(t, dtype, function):
    """Numbers that are negative where a sign is read into them, and of more digits than a float has."""
    most, run, f = MOST_OF[dtype], WIDE[function][0], t.get(function)
    x = most - t.np.array([[7, 0, 5, 2], [3, 8, 1, 6]])
    y = most - t.np.array([[4, 1, 5, 9], [3, 2, 6, 8]])
    return t.call(lambda x, y: run(f, x, y), t.const(x, dtype), t.const(y, dtype))


# --- axes

_TRUTHS = [[[[1, 1], [1, 0]], [[1, 1], [1, 1]], [[1, 1], [1, 1]]], [[[1, 1], [1, 1]]] * 3]
REDUCED = {
    SUM: lambda np, x, **options: np.sum(x, **options),
    MOST: lambda np, x, **options: np.max(x, **options),
    EVERY: lambda np, x, **options: np.all(x, **options),
}
_axes = each_of(REDUCED)


def _whole(t, function):
    """Whole numbers of four axes, none alike; of truths one is not."""
    return t.const(_TRUTHS, "bool") if function == EVERY else t.distinct((2, 3, 2, 2), "f32")


@_axes(REDUCED, lambda form: lambda np, x, *_: [form(np, x, axis=0), form(np, x, axis=(0, 3)), form(np, x, axis=2), form(
       np, x, axis=(0, 3)), x, form(np, x, keepdims=True), form(np, x, axis=(1, 2), keepdims=True)])  # fmt: skip
def axes_in_every_form(t, function):
    """A tuple, a list from the end, an array of NumPy, a tensor of i64, none, all that stay, a range."""
    x, axes = _whole(t, function), t.const([0, -1], "i64")
    forms = (
        {"axis": (0,)},
        {"axis": [-1, 0]},
        {"axis": t.np.array([2])},
        {"axis": axes},
        {"axis": []},
        {"keepdims": True},
        {"axis": range(1, 3), "keepdims": True},
    )
    return [t.call(function, x, **form) for form in forms]


@_axes(REDUCED, lambda form: lambda np, x, *_: [form(np, x, axis=(0, 2)), form(np, x[0], axis=1), form(np, x[0, 0, 0])])  # fmt: skip
def axes_of_unknown_rank(t, function):
    """Traced once for any number of axes, of which some are named when it runs."""
    x, f = _whole(t, function), t.get(function)
    specs = [t.fw.TensorSpec(None, x.dtype), t.fw.TensorSpec([None], t.fw.int32)]
    program = t.fw.function(lambda x, axes: f(x, axes), input_signature=specs, autograph=False)
    given = (x, [0, 2]), (x[0], [1]), (x[0, 0, 0], [0])
    return [t.call(program, one, t.const(axes, "i32")) for one, axes in given]


@_axes(REDUCED, lambda form: lambda np, x: form(np, x, axis=(0, 2, 4, 6)))
def axes_of_eight(t, function):
    shape = (2, 1, 3, 2, 1, 2, 2, 3)
    if function == EVERY:
        x = t.const(t.np.arange(144).reshape(shape) % 23 > 0, "bool")
    else:
        x = t.randint(shape, "f32", 0, 1000)
    return t.call(function, x, axis=[0, 2, 4, 6])


@_axes(REDUCED, lambda form: "none")
def refuses_axes(t, function):
    """An axis twice, by either name; places that are not there; fractions."""
    x = _whole(t, function)
    for axis in ([0, 0], [1, -3], -5, [0, 4], 1.0, "1"):
        t.refuses(function, x, axis=axis)


@case(MOST, dtypes="f16 bf16 f32 f64 i8 i16 i32 i64", core=False, reference=lambda np, x: x.max(1))
def of_the_least(t, dtype):
    """Rows of the least number there is, and of that beside its neighbour."""
    least = -(2 ** (int(dtype[1:]) - 1)) if dtype[0] == "i" else -t.np.inf
    return t.call(MOST, t.const([[least, least], [least, least + 1], [-3, least], [-5, -7]], dtype), 1)  # fmt: skip


# --- what is refused


def _bad(t):
    """By function, the arguments that it refuses."""
    tf, np, const = t.fw, t.np, t.const
    truth, word = const([True, False], "bool"), tf.constant(["a", "b"])
    z, x, n = const([1j, 2], "c64"), const([1.0, 2.0], "f32"), const([1, 2], "i32")
    byte, matrix = const([1, 2], "u8"), const([[1.0, 2.0], [3.0, 4.0]], "f32")
    pairs = [(truth, truth), (word, word)]
    expands = [(x, 0.5), (x, None), (x, []), (x, "0")]
    pads = [(x, [[1.0, 1.0]]), (x, [1, 1]), (x, [[1, 1, 1]]), (x, None)]
    return {
        CLIP: [(truth, False, True), (z, 0, 1), (word, "a", "b"), (n, 0.5, 1.5), (n, x, x)],
        LESS: [*pairs, (z, z), (n, 1.5)],
        MAXIMUM: [*pairs, (z, z), (n, 1.5)],
        MULTIPLY: [*pairs, (n, 1.5), (n, const([1, 2], "i64"))],
        POW: [*pairs, (byte, byte), (n, 1.5)],
        UNEQUAL: [(x, word), (n, 1.5)],
        ADD_N: [([truth, truth],), ([x, n],), (None,), ([word, word],), ([x, None],)],
        MOST: [(truth,), (z,)],
        SUM: [(truth,), (None,)],
        EVERY: [(n,), (x,), (None,)],
        WHERE: [(n, x, x), (truth, n, 2.5), (None, x, x), (word,)],
        MATMUL: [(const([[True]], "bool"),) * 2, (matrix, word), (x, x), (matrix, const(2.0, "f32")), (matrix, None)],
        SQUARE: [(truth,), (None,)],
        SQRT: [(truth,), (None,)],
        LOG: [(truth,), (None,)],
        SIGMOID: [(truth,), (None,)],
        TO_FLOAT: [(None,), ({"a": 1},), ([[1], [2, 3]],)],
        TILE: [(x, 2), (x, [[2]]), (x, const([2], "i16")), (x, None)],
        GATHER: [(x[0], 0), (x, const([0], "i8")), (x, truth), (x, word), (matrix, [0], None, -3), (matrix, [0], None, 1.0)],
        TRANSPOSE: [(matrix, [1.0, 0.0]), (matrix, [[1, 0]]), (matrix, 0)],
        **dict.fromkeys(BOTH_EXPANDS, expands),
        **dict.fromkeys(BOTH_PADS, pads),
        SQUEEZE: [(matrix[None], "0"), (matrix[None], {"a": 0})],
        COND: [(truth, lambda: x, lambda: x), (None, lambda: x, lambda: x), (truth[0], lambda: x)],
        SIZE: [(None,), ([[1], [2, 3]],), (object(),)],
        RANK: [(None,), ([[1], [2, 3]],), (object(),)],
        ONES: [(None,), (tf.TensorShape([None, 2]),), ([[2, 3]],), ([2], "float31"), (["a"],), ([2, None],)],
        ZEROS_LIKE: [(None,), ([[1], [2, 3]],), (x, "float31"), (np.array([object()]),)],
    }  # fmt: skip


NAMES = [CLIP, LESS, MAXIMUM, MULTIPLY, POW, UNEQUAL, ADD_N, MOST, SUM, EVERY, WHERE, MATMUL, SQUARE, SQRT, LOG, SIGMOID, TO_FLOAT,
         TILE, GATHER, TRANSPOSE, *BOTH_EXPANDS, *BOTH_PADS, SQUEEZE, COND, SIZE, RANK, ONES, ZEROS_LIKE]  # fmt: skip
_named = each_of(dict.fromkeys(NAMES))


@_named(NAMES, lambda form: "none")
def refuses_other_arguments(t, function):
    """Dtypes that the documentation does not list, sizes that are none, None."""
    for given in _bad(t)[function]:
        t.refuses(function, *given)


_pads = each_of(dict.fromkeys(BOTH_PADS))


@_pads(BOTH_PADS, lambda form: "none")
def pad_refuses_values(t, function):
    """Around are numbers of the same dtype, and one alone."""
    x, n = t.const([1.0, 2.0], "f32"), t.const([1, 2], "i32")
    for one, value in ((x, n[0]), (x, x), (n, 1.5), (n, "a")):
        t.refuses(function, one, [[1, 1]], constant_values=value)


@case(TO_FLOAT, core=False, reference="none")
@case(TO_INT32, core=False, reference="none")
def casts_refuse(t, function):
    """What is no tensor."""
    for value in (None, {"a": 1}, [[1], [2, 3]], object()):
        t.refuses(function, value)


@case(TO_FLOAT, core=False, host_only=True, reference="none")
@case(TO_INT32, core=False, host_only=True, reference="none")
def casts_refuse_texts(t, function):
    """Of which a tensor is made, but there is no cast."""
    for text in ("1", t.fw.constant(["1.5", "2"])):
        t.raises(t.fw.errors.UnimplementedError, t.call, function, text)
