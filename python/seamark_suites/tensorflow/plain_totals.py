"""Reductions without an axis: what is called with a tensor alone, long ones, lists of Python, numbers without axes."""

from seamark_suites.case import case

from . import reference_totals as right
from . import totals
from .arithmetic import INF, NAN
from .reference import with_gradient
from .totals import LOGICAL, each

NUMBERS = totals.NUMBERS + " math.reduce_mean"
REDUCTIONS = NUMBERS + " " + LOGICAL
known = right.known


def _of_each(function):
    return lambda np, *xs: [known(function)(np, x) for x in xs]


@each(LOGICAL, _of_each, core=False)
def truths_alone(t, function):
    """All of one kind; another first, within, last; of one, two and five axes."""
    found = []
    for shape in ((70,), (7, 10), (2, 1, 7, 1, 5)):
        for odd in (None, 0, 33, 69):
            truths = t.np.full(70, function.endswith("all"))
            if odd is not None:
                truths[odd] = not truths[odd]
            found.append(t.call(function, t.const(truths.reshape(shape), "bool")))
    return found


@each(LOGICAL, _of_each, core=False)
def truths_of_many_blocks(t, function):
    """A million and 2, of which one at most differs, first, beside the edge of a block, last; of one and three axes."""
    found = []
    for shape in ((-1,), (-1, 3, 2)):
        for odd in (None, 0, 524289, -1):
            truths = t.np.full(2**20 + 2, function.endswith("all"))
            if odd is not None:
                truths[odd] = not truths[odd]
            found.append(t.call(function, t.const(truths.reshape(shape), "bool")))
    return found


@each(LOGICAL, lambda f: lambda np, *xs: [
      known(f)(np, x, axis=axis) for x in xs for axis in (0, 1)], core=False)  # fmt: skip
def truths_of_a_long_axis(t, function):
    """One row and one column of a million and 2, along and across; three of either; the one that differs first, within, last."""
    long, found = 2**20 + 2, []
    for shape in ((1, long), (long, 1), (3, 70001), (70001, 3)):
        for odd in (0, 69999, -1):
            truths = t.np.full(shape, function.endswith("all"))
            truths.flat[odd] = not truths.flat[odd]
            x = t.const(truths, "bool")
            found += [t.call(function, x, axis=axis) for axis in (0, 1)]
    return found


@each(LOGICAL, lambda f: lambda np: [
      *(known(f)(np, np.array(x)) for x in ([True, True], [True, False], [False, False])), known(f)(np, np.eye(2, 3), axis=0), np.array(True)], core=False)  # fmt: skip
def truths_of_python(t, function):
    """Lists, an array of NumPy, a number of Python."""
    lists = [t.call(function, x) for x in ([True, True], [True, False], (False, False))]
    return [*lists, t.call(function, t.np.eye(2, 3) > 0, axis=0), t.call(function, True)]


@each(LOGICAL, lambda f: lambda np: [np.array(f.endswith("all"))] * 4 + [np.full(3, f.endswith("all"))], trivial=True, core=False)  # fmt: skip
def truths_of_empty_lists(t, function):
    """Of Python: over their axis in a list, as a number and by default; a row that has none; each of three that have none."""
    made = [t.call(function, [], *axes) for axes in (([0],), (0,), ())]
    return [*made, t.call(function, [[]], [0, 1]), t.call(function, [[], [], []], [1])]


@each(LOGICAL, lambda f: lambda np, x, y: [x, x, y, y, x, np.array([x])], core=False)
def truths_without_axes(t, function):
    """One alone, over none and over no axis; a vector of one."""
    x, y = t.const(True, "bool"), t.const(False, "bool")
    one = t.fw.reshape(x, [1])
    given = (x, None), (x, []), (y, None), (y, []), (one, 0), (one, [])
    return [t.call(function, value, axis=axis) for value, axis in given]


@each(NUMBERS, _of_each, dtypes="f32 f64 i32", core=False, rtol={"f32": 1e-5})
def numbers_of_many_blocks(t, dtype, function):
    """Whole numbers, whose sums are exact in any order; the greatest is the last, the first."""
    x = t.np.arange(2**20 + 2) * 7 % 19 - 8
    x[-1] = 40
    return [t.call(function, t.const(one, dtype)) for one in (x, x[::-1], x.reshape(-1, 3, 2))]  # fmt: skip


@each(NUMBERS, lambda f: lambda np, x, y, *_: [known(f)(np, one) for one in (x, y, x[0, 0])], dtypes="f32 f64 i64", core=False,
      rtol={"f32": 1e-5})  # fmt: skip
def numbers_alone(t, dtype, function):
    """With the tensor alone: of two axes, of five, of none."""
    x, y = t.randint((5, 7), dtype, 1, 90), t.randint((2, 3, 1, 2, 4), dtype, 1, 90)
    return [t.call(function, one) for one in (x, y, x[0, 0])]


@each(NUMBERS, lambda f: lambda np: [known(f)(np, np.array(x), **o) for x, o in (
      ([[1, 9], [6, 4]], {}), ([[1.5, 2.5], [8.5, 4]], {}), (5, {}), ([[3, 1, 8], [5, 9, 4]], {"axis": 1}))], core=False)  # fmt: skip
def numbers_of_python(t, function):
    """Lists of whole numbers and of others, a number, an array of NumPy."""
    made = [t.call(function, x) for x in ([[1, 9], [6, 4]], [[1.5, 2.5], [8.5, 4.0]], 5)]
    t.expect([one.dtype.name for one in made] == ["int32", "float32", "int32"], "i32 and f32")
    return [*made, t.call(function, t.np.array([[3, 1, 8], [5, 9, 4]]), axis=1)]


@each(REDUCTIONS, lambda f: lambda np, x: [known(f)(np, x), known(f)(np, x, axis=(0, 2, 4, 6, 8))], core=False,
      rtol={"f32": 1e-5})  # fmt: skip
def over_ten_axes(t, function):
    """All, and every other one."""
    shape, truths = (2, 1, 2, 3, 1, 2, 2, 1, 2, 3), function[3:] in LOGICAL.split()
    some = t.np.arange(288).reshape(shape) % 23 == 5
    some = t.const(~some if function.endswith("all") else some, "bool") if truths else t.randint(shape, "f32", 1, 90)  # fmt: skip
    return [t.call(function, some), t.call(function, some, axis=[0, 2, 4, 6, 8])]


@case("tf.argmax", dtypes="f32 i32 i64", core=False, reference=lambda np, x: [
      x.argmax(), x[::-1].argmax(), x[1:].reshape(-1, 3).argmax(0), 2, np.array([1, 0])])  # fmt: skip
def argmax_alone(t, dtype):
    """Without an axis of many numbers, the greatest of which is near the end, or the beginning; lists of Python."""
    x = t.np.arange(2**18) * 7 % 19
    x[-5] = 40
    x = t.const(x, dtype)
    made = [t.call("tf.argmax", one) for one in (x, x[::-1], t.fw.reshape(x[1:], [-1, 3]))]
    return [*made, t.call("tf.argmax", [3, 1, 8]), t.call("tf.argmax", t.np.array([[3, 8], [5, 4]]), 1)]  # fmt: skip


def _nothing(f):
    of_none = -INF if "max" in f else NAN if "mean" in f else int("all" in f)
    return lambda np, *_: [np.zeros((5, 0)), np.full(9938, of_none), np.zeros((0, 1))]


@each("reduce_sum compat.v1.reduce_sum", _nothing, dtypes="c64 c128", core=False, trivial=True)
@each(LOGICAL, _nothing, dtypes="bool", core=False, trivial=True)
@each(NUMBERS, _nothing, dtypes="f16 bf16", core=False, trivial=True)
@each(NUMBERS, _nothing, dtypes="f32 f64", core=False, trivial=True)
def over_nothing(t, dtype, function):
    """Of an empty axis beside, over one of none beside many, over one that stays."""
    given = (t.randn((5, 7, 0), dtype), 1, False), (t.randn((0, 9938), dtype), 0, False), (t.randn((0, 3), dtype), 1, True)  # fmt: skip
    return [t.call(function, x, axis=axis, keepdims=keep) for x, axis, keep in given]


@case("tf.argmax", core=False, trivial=True, reference=lambda np, x: np.zeros(0))
def argmax_over_an_axis_beside_nothing(t):
    made = t.call("tf.argmax", t.randn((4, 0), "f32"), 0)
    t.expect(tuple(made.shape) == (0,), "no place, got the shape %s" % (made.shape,))
    return made


@case("tf.cumsum", dtypes="f32 i64", core=False, rtol={"f32": 1e-5}, reference=lambda np, x: [
      right.running(np, x, axis, exclusive, reverse) for axis in (0, 3, -1) for exclusive, reverse in ((False, False), (True, True))])  # fmt: skip
def cumsum_of_six_axes(t, dtype):
    x = t.randint((2, 1, 3, 4, 2, 3), dtype, 1, 9)
    options = (False, False), (True, True)
    return [t.call("tf.cumsum", x, axis, *one) for axis in (0, 3, -1) for one in options]


# --- as TensorFlow's own tests go over axes


@each("reduce_mean compat.v1.reduce_mean", lambda f: lambda np, x: [
      known(f)(np, x[:, 0]), known(f)(np, x, axis=0), known(f)(np, x, axis=1)[::997]], dtypes="u8 i8 u16 i16", core=False)  # fmt: skip
def mean_of_more_than_a_kind_counts(t, dtype, function):
    """As many numbers as the kind has, which count for none in it; near its end, so that a sum goes far beyond."""
    count = 2 ** (int(dtype[1:]) - (dtype[0] == "i"))
    x = t.const(count - 1 - (t.np.arange(7 * count).reshape(count, 7) * [1, 3, 5, 7, 9, 11, 13] % 97), dtype)  # fmt: skip
    whole, columns = t.call(function, x[:, 0]), t.call(function, x, axis=0)
    rows = t.call(function, x, axis=1)
    return [whole, columns, rows[::997]]


SUBSETS = [(), (0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]


def _subsets(f):
    return lambda np, x: [
        known(f)(np, x, axis=a, keepdims=k) for k in (False, True) for a in SUBSETS
    ]


@each(NUMBERS, _subsets, dtypes="f32 bf16 i32", core=False, rtol={"f32": 1e-5})
@each("reduce_any reduce_all", _subsets, dtypes="bool", core=False)
def over_each_choice_of_axes(t, dtype, function):
    """Of three axes each alone, each two, all and none, which go or stay."""
    if dtype == "bool":
        few = t.np.arange(30).reshape(2, 3, 5) * 7 % 30 < 3
        x = t.const(few if function.endswith("any") else ~few, dtype)
    else:
        x = t.const(t.np.arange(30).reshape(2, 3, 5) * 7 % 30 + 1, dtype)
    f, ways = t.get(function), [(list(a), k) for k in (False, True) for a in SUBSETS]
    return t.call(lambda x: [f(x, axis=axes, keepdims=keep) for axes, keep in ways], x)


@each(totals.SUMS, lambda f: with_gradient(lambda np, x: [
      known(f)(np, x, axis=a) for a in ((), (0,), (1,), (2,), (1, 2), (0, 1, 2, 3))]), dtypes="f32 f64", grad=True, core=False,
      rtol={"f32": 1e-5})  # fmt: skip
def slopes_over_each_choice_of_axes(t, dtype, function):
    f = t.get(function)
    axes = [], 0, [1], [2], [1, 2], [0, 1, 2, 3]
    return t.call(lambda x: [f(x, axis=a) for a in axes], t.randint((2, 3, 4, 2), dtype, 1, 50, grad=True))  # fmt: skip


BLOCKS = [(1, 33, 16), (33, 1, 3), (16, 3, 33), (3, 16, 1), (33, 33, 33)]


@each(NUMBERS, lambda f: lambda np, *xs: [
      known(f)(np, x, axis=a) for x in xs for a in ((0, 2), 1)], dtypes="f32 f64", core=False, rtol={"f32": 1e-5})  # fmt: skip
def over_blocks(t, dtype, function):
    """The middle axis and the two around it, of lengths beside those of a register."""
    f, drawn = t.get(function), [t.randint(shape, dtype, 1, 90) for shape in BLOCKS]
    return t.call(lambda *xs: [f(x, axis=a) for x in xs for a in ([0, 2], 1)], *drawn)


@each(REDUCTIONS, core=False)
def reduced_by_no_truth(t, function):
    """To stay or not is one truth."""
    x = t.const([[True, False]], "bool") if function[3:] in LOGICAL.split() else t.const([[1.0, 2.0]], "f32")  # fmt: skip
    t.refuses(function, x, keepdims=t.np.array([63600, 1], "float16"))


@each("reduce_sum compat.v1.reduce_sum", lambda f: lambda np, *xs: (
      np.array([*map(np.sum, xs), sum(map(np.sum, xs))])), dtypes="f32", core=False, rtol={"f32": 1e-5})  # fmt: skip
def long_sums_of_one_number(t, dtype, function):
    """Half a million times the same fraction: added one by one they would lose digits. The sum of four such sums."""
    f, size = t.get(function), (20, 32, 24, 38)
    xs = [t.const(t.np.full(size, value), dtype) for value in (3.14, 2.72, 2.07, 0.58)]

    def sums(*xs):
        a, b, c, d = (f(x) for x in xs)
        return t.fw.stack([a, b, c, d, (a + b) + (c + d)])

    return t.call(sums, *xs)
