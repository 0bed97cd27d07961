"""Numbers along every axis, in kinds that are seldom moved, with their slopes."""

from seamark_agent.harness import Skip

from seamark_suites.case import case

from .reference import with_gradient

EXPAND, PAD, SHAPE, WHERE = ("tf.compat.v1." + name for name in ("expand_dims", "pad", "shape", "where"))  # fmt: skip
ND, HOT, IDENTITY, SPLIT = "tf.gather_nd", "tf.one_hot", "tf.identity", "tf.split"
SQUEEZE, UNSTACK, ZEROS = "tf.squeeze", "tf.unstack", "tf.zeros_like"
SMALL = (4,), (2, 3), (4, 3, 2)


# --- expand_dims


@case(EXPAND, dtypes="f32 bool c64", core=False, reference=lambda np, *xs: [
      np.expand_dims(x, axis) for x in xs for axis in range(-x.ndim - 1, x.ndim + 1)])  # fmt: skip
def expand_at_every_place(t, dtype):
    """Of one, two and three axes, from either end."""
    f = t.get(EXPAND)

    def every(*xs):
        return [f(x, axis) for x in xs for axis in range(-x.shape.rank - 1, x.shape.rank + 1)]

    return t.call(every, *(t.randn(shape, dtype) for shape in SMALL))


@case(EXPAND, dtypes="f32 i64", core=False, reference=lambda np, x: [
      x, np.array([0, 3]), np.array([0, 2, 2, 3]), x, np.arange(4), np.array([0, 2, 2, 3]), x[:, None], np.array([0, 2, 2, 3])])  # fmt: skip
def expand_ragged_rows(t, dtype):
    """Before the rows, between them and their numbers, behind the numbers."""
    f, ragged = t.get(EXPAND), t.fw.RaggedTensor.from_row_lengths

    def expanded(x):
        made = [f(ragged(x, [2, 0, 1]), axis) for axis in (0, 1, 2)]
        return [part for one in made for part in (one.flat_values, *one.nested_row_splits)]

    return t.call(expanded, t.randn((3,), dtype))


# --- pad


def pads(right, **header):
    def declare(body):
        for name in ("tf.pad", PAD):
            case(name, core=False, reference=right, **header)(body)
        return body

    return declare


_WIDE = (1, 0), (0, 2), (1, 1), (2, 0), (0, 1)


@pads(with_gradient(lambda np, x, *_, mode: np.pad(x, _WIDE, mode.lower())), dtypes="f32 f64",
      mode=["CONSTANT", "REFLECT", "SYMMETRIC"], grad=True)  # fmt: skip
def pad_slopes_of_five_axes(t, dtype, mode, function):
    """In each mode, with widths of i64."""
    return t.call(function, t.randn((2, 3, 2, 3, 2), dtype), t.const(_WIDE, "i64"), mode)


# --- shape


@case(
    SHAPE,
    core=False,
    dtypes="f32 i64",
    reference=lambda np, x: [np.array([3, 4]), np.array([6, 4]), np.array([24])],
)
def shape_of_a_variable_that_grows(t, dtype):
    """Its rows, and how many axes it has, are another number after an assignment."""
    f, x = t.get(SHAPE), t.randn((3, 4), dtype)
    held = t.fw.Variable(x, shape=t.fw.TensorShape(None))
    made = [t.call(lambda: f(held))]
    for grown in (t.fw.concat([x, x], 0), t.fw.reshape(t.fw.concat([x, x], 0), [-1])):
        held.assign(grown)
        made.append(t.call(lambda: f(held)))
    return made


# --- where


@case(WHERE, core=False, dtypes="f32 i32", reference=lambda np, x, y: [
      np.array([x[0], y[1], x[2]]), np.array([0, 2, 2, 3]), np.array([[0, 0], [2, 0]]), y, np.array([0, 2, 2, 3])])  # fmt: skip
def where_of_ragged_rows(t, dtype):
    """Number by number; the places alone; whole rows by a vector."""
    f, ragged, yes = t.get(WHERE), t.fw.RaggedTensor.from_row_lengths, [True, False, True]

    def chosen(x, y):
        x, y, truth = (ragged(one, [2, 0, 1]) for one in (x, y, t.fw.constant(yes)))
        each, rows = f(truth, x, y), f([False, True, False], x, y)
        return [each.flat_values, each.row_splits, f(truth), rows.flat_values, rows.row_splits]

    return t.call(chosen, t.randint((3,), dtype, 1, 50), t.randint((3,), dtype, 50, 90))


@case(WHERE, core=False, dtypes="f32 bool i32", reference=lambda np, x: [np.argwhere(x), np.argwhere(x[0, 0]), np.argwhere(x[0, 0, 0])])  # fmt: skip
def where_of_eight_axes(t, dtype):
    """As many as there may be, six, five."""
    x = t.const(t.np.arange(288).reshape(2, 1, 2, 3, 2, 2, 3, 2) % 5 == 2, dtype)
    return [t.call(WHERE, x), t.call(WHERE, x[0, 0]), t.call(WHERE, x[0, 0, 0])]


@case(WHERE, core=False, dtypes="u32 u64 bf16", reference=lambda np, x: np.argwhere(x))
def where_places_of_wide_kinds(t, dtype):
    """Unsigned numbers of one high bit, and short floats."""
    far = 2.0**-100 if dtype == "bf16" else 2 ** (int(dtype[1:]) - 1)
    return t.call(WHERE, t.const([[0, far, 0], [1, 0, 0], [0, 0, far]], dtype))


@case(WHERE, core=False, dtypes="f32 i64", reference=lambda np, x: [np.where(x > 0, x * x, -x), np.where(x > 0, x, 0), np.argwhere(x > 0)])  # fmt: skip
def where_of_variables_and_numbers(t, dtype):
    """Expressions of one tensor, a variable among the arguments, arrays of NumPy."""
    x = t.distinct((5, 7), dtype)
    held, zero = t.fw.Variable(x), t.np.zeros((5, 7), x.dtype.as_numpy_dtype)
    f = t.get(WHERE)
    made = t.call(lambda x: f(x > 0, x * x, -x), x)
    return [made, t.call(lambda: f(held > 0, held, zero)), t.call(WHERE, t.host(x) > 0)]


# --- gather_nd


@case(ND, dtypes="f32 f64 c64 bf16", core=False, reference=lambda np, x, i: [
      x[tuple(np.moveaxis(i, -1, 0))], x[tuple(i[0, 0, 0])], x[tuple(i[0, 0, 0, :2])], x[tuple(np.moveaxis(i[..., :3], -1, 0))]])  # fmt: skip
def gather_nd_of_five_axes(t, dtype):
    """Two thousand numbers in a block of three axes, one number, one block, blocks."""
    sizes = 10, 20, 5, 1, 17
    steps = t.np.arange(2000)
    i = t.np.stack([steps * p % n for p, n in zip((7, 3, 11, 1, 5), sizes)], -1)
    x, i = t.randn(sizes, dtype), t.const(i.reshape(10, 10, 20, 5), "i32")
    parts = i, i[0, 0, 0], i[0, 0, 0, :2], i[..., :3]
    return [t.call(ND, x, one) for one in parts]


_DEEP = [[[[[[[0, 0, 0, 0, 0, 1], [0, 0, 1, 0, 0, 0]]]], [[[[0, 0, 0, 0, 0, 0], [0, 0, 1, 0, 0, 1]]]]]]]  # fmt: skip


@case(ND, dtypes="f32 f64", core=False, grad=True, kind=["i32", "i64"], reference=with_gradient(
      lambda np, x, i, **_: x[tuple(np.moveaxis(i, -1, 0))]))  # fmt: skip
def gather_nd_slopes_of_seven_axes(t, dtype, kind):
    """Rows of two numbers, by six numbers each."""
    return t.call(ND, t.randn((1, 1, 2, 1, 1, 2, 2), dtype), t.const(_DEEP, kind))


@case(ND, dtypes="f32", core=False, grad=True, kind=["i32", "i64"], reference=with_gradient(
      lambda np, x, i, **_: x[tuple(np.moveaxis(i, -1, 0))]))  # fmt: skip
def gather_nd_slopes_with_gaps(t, dtype, kind):
    """Single rows of six, and numbers of blocks that are taken out of order: what is not taken has none."""
    return t.call(ND, t.randn((6, 9), dtype), t.const([[2], [0], [5]], kind))


@case(ND, dtypes="f32 i32", core=False, reference=lambda np, x: [
      x[3:5], np.array([0, 0, 2]), x[[4, 0]], x[[0, 1, 3, 4]], np.array([0, 2, 2, 4])])  # fmt: skip
def gather_nd_of_deep_ragged_rows(t, dtype):
    """Of rows of rows: rows, numbers, and rows by places that are ragged themselves."""
    f, ragged = t.get(ND), t.fw.RaggedTensor

    def taken(x):
        rows = ragged.from_nested_row_lengths(x, [[2, 0, 2], [2, 1, 0, 2]])
        made, number = f(rows, [[2, 0], [2, 1]]), f(rows, [[2, 1, 1], [0, 0, 0]])
        places = ragged.from_row_lengths([[0, 0], [2, 0], [2, 1]], [1, 1, 1])
        return [made.flat_values, made.row_splits, number, f(rows, places).flat_values, f(rows, places).nested_row_splits[-1]]  # fmt: skip

    return t.call(taken, t.randint((5,), dtype, 1, 99))


# --- one_hot


@case(HOT, dtypes="c128 i16 u16 u32 u64", core=False, reference=lambda np, i, *_: [
      np.eye(4)[i], np.moveaxis(2 + 3 * np.eye(4)[i], -1, 1)])  # fmt: skip
def one_hot_of_wide_kinds(t, dtype):
    """As zeros and ones, and with values of their own along the middle."""
    i, kind = t.const([[0, 2, 3], [1, 1, 0]], "i64"), t.dtype(dtype)
    on, off = t.const(5, dtype), t.const(2, dtype)
    return [t.call(HOT, i, 4, dtype=kind), t.call(HOT, i, 4, on, off, 1)]


# --- identity


@case(IDENTITY, dtypes="u16 u32 u64", core=False, reference=lambda np, x: x)
def identity_of_unsigned(t, dtype):
    most = {"u16": 2**16, "u32": 2**32, "u64": 2**62}[dtype]
    return t.call(IDENTITY, t.const(most - t.np.array([[7, 1, 5], [3, 8, 2]]), dtype))


@case(
    IDENTITY,
    dtypes="f32 i64",
    core=False,
    reference=lambda np, x: [x, x, x[::-1], np.stack([x, x]), x],
)
def identity_of_handles_and_lists(t, dtype):
    """A variable's handle, a list of tensors in one, an array that is read backwards, tensors in a list of Python, a copy that stays."""
    f, raw, held = t.get(IDENTITY), t.fw.raw_ops, t.fw.Variable(t.randn((3, 4), dtype))
    x = held.read_value()

    def passed(x):
        sizes = {"element_shape": [4]}
        rows = f(raw.TensorListFromTensor(tensor=x, **sizes))
        rows = raw.TensorListStack(input_handle=rows, element_dtype=x.dtype, **sizes)
        return [raw.ReadVariableOp(resource=f(held.handle), dtype=x.dtype), rows]

    array = t.np.array(t.host(x)).astype(x.dtype.as_numpy_dtype)
    made = [*t.call(passed, x), t.call(IDENTITY, array[::-1]), t.call(IDENTITY, [x, x])]
    kept = t.call(IDENTITY, array)
    array[:] = 0
    return [*made, kept]


# --- split


def _parts(np, x, sizes, axis):
    return np.split(x, np.cumsum(sizes)[:-1], axis)


_MANY = [2, 7, 3, 1, 5, 2, 4, 6, 1, 3, 2, 2, 7, 1, 4, 3, 2]


@case(SPLIT, dtypes="f32 i8 f64 c64 c128 bf16 f8e5m2", core=False, reference=lambda np, x, y: [
      *_parts(np, x, _MANY, 2), *np.split(y, 12, 3), *np.split(y, 3, 0)])  # fmt: skip
def split_of_five_axes(t, dtype):
    """In seventeen sizes within, named from the end; in twelve alike; along the first axis."""
    f = t.get(SPLIT)
    x, y = t.randn((2, 3, sum(_MANY), 1, 2), dtype), t.randn((6, 2, 1, 36, 3), dtype)
    return t.call(lambda x, y: [*f(x, _MANY, -3), *f(y, 12, -2), *f(y, 3)], x, y)


@case(SPLIT, dtypes="f32 i64", core=False, reference=lambda np, x: [
      part for axis in (0, 1) for sizes in ([0, 4], [4, 0], [1, 3]) for part in _parts(np, x, sizes, axis)])  # fmt: skip
def split_an_open_size(t, dtype):
    """For which nothing is left, before and behind, and something; along both axes."""
    f = t.get(SPLIT)
    sizes = [-1, 4], [4, -1], [-1, 3]
    return t.call(lambda x: [p for axis in (0, 1) for s in sizes for p in f(x, s, axis)], t.randn((4, 4), dtype))  # fmt: skip


@case(SPLIT, dtypes="f32 i64 bool", core=False, trivial=True, reference=lambda np, x: [
      part for axis, n in ((0, 2), (0, 4), (1, 4), (2, 3), (2, 7)) for part in np.split(x, n, axis)])  # fmt: skip
def split_nothing(t, dtype):
    """An axis of none beside, and itself."""
    f, given = t.get(SPLIT), ((0, 2), (0, 4), (1, 4), (2, 3), (2, 7))
    return t.call(lambda x: [p for axis, n in given for p in f(x, n, axis)], t.randn((8, 0, 21), dtype))  # fmt: skip


@case(SPLIT, dtypes="f32 f64 c64 bf16", core=False, grad=True, reference=with_gradient(
      lambda np, x: _parts(np, x, [1, 3, 0, 2], 1), lambda np, w, x: np.concatenate(w, 1)))  # fmt: skip
def split_slopes_of_sizes(t, dtype):
    """One of none among them."""
    return t.call(SPLIT, t.randn((4, 6), dtype), [1, 3, 0, 2], 1)


@case(
    SPLIT,
    dtypes="f32",
    core=False,
    reference=lambda np, x: [*np.split(x, np.cumsum([1, 2] * 200)[:-1], 1)],
)
def split_in_four_hundred(t, dtype):
    """Parts of one and of two."""
    f = t.get(SPLIT)
    return t.call(lambda x: f(x, [1, 2] * 200, 1), t.randn((3, 600), dtype))


@case(SPLIT, dtypes="f32 f64 bf16 c64", core=False, grad=True, reference=with_gradient(
      lambda np, x: [x, x, x, x[0]], lambda np, w, x: sum(w[:3]) + np.outer(np.eye(4)[0], w[3])), name="split_in_one_gradient")  # fmt: skip
@case(SPLIT, dtypes="f32 i64 bool c128", core=False, reference=lambda np, x: [x, x, x, x[0]])
def split_in_one(t, dtype):
    """One size alone, in a list: the whole, along both axes, and of a vector."""
    f = t.get(SPLIT)
    ways = lambda x: [f(x, [4], 0)[0], f(x, [6], 1)[0], f(x, [6], -1)[0], f(x[0], [6])[0]]  # noqa: E731 # fmt: skip
    return t.call(ways, t.randn((4, 6), dtype))


@case(SPLIT, dtypes="f32 i64", core=False, reference=lambda np, x: [x, x, x[0], np.zeros((0, 6)), np.zeros((4, 0))],
      cpu_fails="at once, and not traced, an open size alone is refused")  # fmt: skip
def split_in_one_open_size(t, dtype):
    """An open size alone is the whole, along both axes, of a vector, and of nothing."""
    f = t.get(SPLIT)
    given = lambda x: [(x, 0), (x, 1), (x[0], 0), (x[:0], 0), (x[:, :0], 1)]  # noqa: E731
    return t.call(lambda x: [f(one, [-1], axis)[0] for one, axis in given(x)], t.randn((4, 6), dtype))  # fmt: skip


@case(SPLIT, dtypes="f32 i32 f64", core=False, reference=lambda np, x, sizes: [
      *_parts(np, x, [2, 1, 4], 1), *_parts(np, x.T, [2, 1, 4], 0)])  # fmt: skip
def split_by_small_integers(t, dtype):
    """Sizes in a tensor of eight bits, along the last axis and the first."""
    if t.compiled:
        raise Skip("XLA takes sizes of 32 and 64 bits")
    f = t.get(SPLIT)
    both = lambda x, sizes: [*f(x, sizes, 1), *f(t.fw.transpose(x), sizes)]  # noqa: E731
    return t.call(both, t.randn((3, 7), dtype), t.const([2, 1, 4], "i8"))


_IRREGULAR = [32, 16, 8, 4, 2, 1, 1]


@case(SPLIT, dtypes="f32", core=False, reference=lambda np, x: [*_parts(np, x, [1] * 64, 1), *_parts(np, x, _IRREGULAR, 1)])  # fmt: skip
def split_long_rows(t, dtype):
    """In sixty-four of one, and in sizes that halve, of rows of 32768. Each number tells its place."""
    f, numbers = t.get(SPLIT), t.np.arange(64 * 32768).reshape(1, 64, 32768)
    return t.call(lambda x: [*f(x, [1] * 64, 1), *f(x, _IRREGULAR, 1)], t.const(numbers, dtype))


@case(SPLIT, dtypes="f64 c128 i64", core=False, rtol={"f64": 0.0, "c128": 0.0}, atol={"f64": 0.0, "c128": 0.0}, reference=lambda np, x: [
      *_parts(np, x, [1, 0, 3, 2], 1), *_parts(np, x, [3, 1], 0), *np.split(x, 3, 1)])  # fmt: skip
def split_wide_numbers(t, dtype):
    """By sizes and by number: odd numbers that a float of 32 bits does not have, which differ in their last bits, come out exact."""
    f, x = t.get(SPLIT), (2**52 + 1 + 2 * (t.np.arange(24) * 11 % 29)).reshape(4, 6)
    x = t.const(x - 1j * x[::-1] if dtype == "c128" else x, dtype)
    return t.call(lambda x: [*f(x, [1, 0, -1, 2], 1), *f(x, [3, 1]), *f(x, 3, 1)], x)


@case(SPLIT, core=False, since=("2.16", "kernels of four bits"), reference=lambda np, x: [
      *np.split(x, 4, 1), *_parts(np, x, [1, 5, 2], 1), *np.split(x, 2), *_parts(np, x, [1, 1], 0)])  # fmt: skip
def split_numbers_of_four_bits(t):
    """All sixteen: by number and by sizes, along both axes."""
    f, tf, four = t.get(SPLIT), t.fw, t.fw.dtypes.as_dtype("int4")

    def parts(x):
        x = tf.cast(x, four)
        made = [*f(x, 4, 1), *f(x, [1, 5, 2], 1), *f(x, 2), *f(x, [1, 1])]
        t.expect(all(one.dtype == four for one in made), "four bits each")
        return [tf.cast(one, tf.int32) for one in made]

    return t.call(parts, t.const((t.np.arange(16) * 7 % 16 - 8).reshape(2, 8), "i32"))


@case(SPLIT, core=False, reference="none")
def split_refuses_far_sizes(t):
    """Sizes whose sum 32 bits do not hold; an axis in a tensor of no numbers, for a number and for sizes."""
    x, none = t.randn((4,), "f32"), t.fw.zeros([0], t.fw.int32)
    for sizes in ([2**31 - 1, 1, 4], [2**31 - 1, 2**31 - 1], [4, 2**31 - 1]):
        t.refuses(SPLIT, x, t.fw.constant(sizes, t.fw.int32))
    for parts in (2, [1, 3]):
        t.refuses(SPLIT, x, parts, none)


# --- squeeze


_ONES = {(2,): [()], (2, 1, 2): [(), (1,), (-2,)], (1, 2, 1, 3, 1): [(), (0,), (2, 4), (0, 4, 2), (-1,), (-3, -5), (-3, -5, -1)],
         (1, 1, 3): [(), (0,), (1,)], (1, 1, 1): [(), (0, 2)]}  # fmt: skip


@case(SQUEEZE, dtypes="f32 bool c128", core=False, reference=lambda np, *xs: [
      x.squeeze(axes or None) for x, given in zip(xs, _ONES.values()) for axes in given])  # fmt: skip
def squeeze_in_every_way(t, dtype):
    """All, within, at both ends, from either end, in any order, to a number."""
    f = t.get(SQUEEZE)

    def every(*xs):
        return [f(x, list(axes)) for x, given in zip(xs, _ONES.values()) for axes in given]

    return t.call(every, *(t.randn(shape, dtype) for shape in _ONES))


# --- unstack


_STACKED = (2,), (3, 2), (4, 3, 2), (2, 1, 3, 4), (3, 2, 1, 5, 4)


@case(UNSTACK, dtypes="f32 bool f64 c64 u8", core=False, reference=lambda np, *xs: [
      part for x in xs for axis in range(-x.ndim, x.ndim) for part in np.moveaxis(x, axis, 0)])  # fmt: skip
def unstack_along_every_axis(t, dtype):
    """Of one to five axes, from either end."""
    f = t.get(UNSTACK)

    def every(*xs):
        axes = [(x, axis) for x in xs for axis in range(-x.shape.rank, x.shape.rank)]
        return [part for x, axis in axes for part in f(x, axis=axis)]

    return t.call(every, *(t.randn(shape, dtype) for shape in _STACKED))


@case(UNSTACK, dtypes="f32 f64", core=False, grad=True, axis=[0, 1, 2, -1, -2, -3], reference=with_gradient(
      lambda np, x, axis: list(np.moveaxis(x, axis, 0)), lambda np, w, x, axis: np.stack(w, axis)))  # fmt: skip
def unstack_slopes_along_each_axis(t, dtype, axis):
    return t.call(UNSTACK, t.randn((4, 3, 2), dtype), axis=axis)


# --- zeros_like


@case(ZEROS, dtypes="f32 i32 c128 u16", core=False, reference=lambda np, x: [x, 0 * x, x, x])
def zeros_like_of_lists_of_tensors(t, dtype):
    """Beside a list of tensors in one, which keeps its length; by every argument; in a branch and a loop."""
    f, tf, raw = t.get(ZEROS), t.fw, t.fw.raw_ops

    def added(x):
        sizes = {"element_shape": [4]}
        rows = f(raw.TensorListFromTensor(tensor=x, **sizes))
        rows = raw.TensorListStack(input_handle=rows, element_dtype=x.dtype, **sizes)
        looped = tf.while_loop(lambda i, _: i < 2, lambda i, y: (i + 1, f(y)), (0, x))[1]
        chosen = tf.cond(tf.size(x) > 1, lambda: f(x), lambda: x)
        return [x + rows, f(input=x, dtype=x.dtype, name="none", layout=None), x + looped, x + chosen]  # fmt: skip

    return t.call(added, t.randint((3, 4), dtype, 1, 9))


@case(
    ZEROS,
    dtypes="c64 c128 i8 u8",
    core=False,
    trivial=True,
    reference=lambda np, x: [np.zeros((3, 5))] * 5,
)
def zeros_like_between_kinds(t, dtype):
    """Also where there is no cast."""
    kinds, x = ("float32", "complex64", "bool", "int64", "bfloat16"), t.randn((3, 5), dtype)
    made = [t.call(ZEROS, x, dtype=t.fw.dtypes.as_dtype(kind)) for kind in kinds]
    t.expect([one.dtype.name for one in made] == list(kinds), "the dtypes asked for, got %s" % made)
    return made
