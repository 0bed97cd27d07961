"""Totals over every set of axes, of sizes beside powers of two, of infinite pairs and of nothing; the first of the greatest."""

import itertools

from seamark_suites.case import case

from . import reference_totals as right
from .arithmetic import INF
from .reference import with_gradient
from .totals import LOGICAL, NUMBERS, each

ARGMAX = "tf.argmax"


def _sets(rank):
    return [list(s) for n in range(rank + 1) for s in itertools.combinations(range(rank), n)]


def _over(total, xs, sets):
    """Of each input over each set of its axes, with and without them."""
    return [total(x, axes, keep) for x in xs for axes in sets(x.ndim) for keep in (False, True)]


def _called(t, function, xs, sets):
    """Sets are of the rank, which both NumPy's arrays and tensors tell."""
    f = t.get(function)
    total = lambda x, axes, keep: f(x, axes, keepdims=keep)  # noqa: E731
    ranks = [len(x.shape) for x in xs]
    return t.call(
        lambda *xs: [
            total(x, axes, keep)
            for x, rank in zip(xs, ranks)
            for axes in sets(rank)
            for keep in (False, True)
        ],
        *xs,
    )


def _of(sets):
    def reference(function):
        known = right.known(function)
        return lambda np, *xs, **_: _over(lambda x, axes, keep: known(np, x, tuple(axes), keep), xs, sets)  # fmt: skip

    return reference


def _blocks(t, shapes, dtype):
    """Whole numbers from 1 to 3, of which sums are exact."""
    made = []
    for shape in shapes:
        x = 1 + t.np.arange(t.np.prod(shape)).reshape(shape) * 7 % 11 % 3
        made.append(t.const(x - 1j * (x % 2) if dtype[0] == "c" else x, dtype))
    return made


@each("reduce_mean compat.v1.reduce_mean compat.v1.reduce_sum", _of(_sets), dtypes="f64 i32 u8 c64 c128 bf16", core=False)  # fmt: skip
@each("reduce_sum", _of(_sets), dtypes="f64", core=False)
def over_each_set_of_axes(t, dtype, function):
    """Of one to five axes: over none, each, every two and so on to all."""
    shapes = [(3,), (2, 3), (2, 3, 2), (2, 1, 3, 2), (2, 1, 3, 2, 2)]
    return _called(t, function, _blocks(t, shapes, dtype), _sets)


def _by_turns(rank):
    return [[], list(range(rank)), list(range(0, rank, 2)), list(range(1, rank, 2))]


@each(NUMBERS, _of(_by_turns), dtypes="f32 i64", core=False)
def over_axes_by_turns(t, dtype, function):
    """Of four, seven and ten axes: over none, all, the even and the odd ones."""
    return _called(t, function, _blocks(t, [(2,) * n for n in (4, 7, 10)], dtype), _by_turns)


_BESIDE = [(1, 4097), (3, 1025), (17, 263), (65, 131), (131, 65), (263, 17), (1025, 3), (4097, 1), (263, 1025)]  # fmt: skip


def _of_matrix(rank):
    return [[0], [1], [0, 1]]


@each(NUMBERS, _of(_of_matrix), dtypes="f32 f64 i32", core=False)
@each(LOGICAL, _of(_of_matrix), dtypes="bool", core=False)
def over_sizes_beside_powers(t, dtype, function):
    """Rows and columns just beside powers of two, over both and either; of truths few differ from the others."""
    if dtype != "bool":
        return _called(t, function, _blocks(t, _BESIDE, dtype), _of_matrix)
    xs = []
    for shape in _BESIDE:
        few = t.np.zeros(shape, bool)
        few.flat[-1] = few.flat[few.size // 2] = True
        xs.append(t.const(few if function == "tf.reduce_any" else ~few, "bool"))
    return _called(t, function, xs, _of_matrix)


@each(NUMBERS, _of(lambda rank: [[0], [0, 2], [0, 1, 2]]), dtypes="bf16 f16", core=False, trivial="weak")  # fmt: skip
def over_blocks_of_ones(t, dtype, function):
    """Ones, in blocks of one, three and sixteen by each axis: up to 4096, which both kinds hold."""
    xs = [t.const(t.np.ones((n, n, n)), dtype) for n in (1, 3, 16)]
    return _called(t, function, xs, lambda rank: [[0], [0, 2], [0, 1, 2]])


@each(NUMBERS, _of(lambda rank: [[1]]), dtypes="f32 f64 bf16", core=False)
def over_infinite_pairs(t, dtype, function):
    """Each of both infinities and a number beside each: infinities of two signs have no sum, but a greatest."""
    ends = [INF, -INF, 2.0]
    x = [[a, b] for a in ends for b in ends]
    return _called(t, function, [t.const(x, dtype)], lambda rank: [[1]])


def _no_slope(function):
    return with_gradient(right.of(function), lambda np, w, x, **_: 0 * x)


@each(NUMBERS, _no_slope, dtypes="f32 f64", axis=[1], core=False, grad=True, trivial=True)
def slope_of_nothing(t, dtype, axis, function):
    """No row of three numbers: the slope has no row either."""
    x = t.const(t.np.zeros((0, 3)), dtype, grad=True)
    return t.call(function, x, axis=axis)


# --- the first of the greatest


@case(ARGMAX, dtypes="f16 f32 f64 bf16 i32 i64", core=False, trivial="weak", reference=lambda np, *xs: [
      np.argmax(x) for x in xs])  # fmt: skip
def first_of_a_long_row(t, dtype):
    """193681 zeros; the same with two greatest far from each other; numbers of which the greatest comes again and again."""
    count, f = 193681, t.get(ARGMAX)
    zeros = t.np.zeros(count)
    twice, steps = zeros.copy(), t.np.arange(count) * 7919 % 251
    twice[[70001, count - 1]] = 9
    rows = [t.const(x, dtype) for x in (zeros, twice, steps)]
    return t.call(lambda *rows: [f(x, 0) for x in rows], *rows)


@case(ARGMAX, dtypes="f16 f64 bf16 i16 i32 i64 u8", out=["int32", "int64"], core=False, reference=lambda np, x, **_: [
      np.argmax(x, 0), np.argmax(x, 1), np.argmax(x[0])])  # fmt: skip
def first_of_many_the_same(t, dtype, out):
    """Rows of two hundred: all the same, and the greatest at two or more places, over rows and columns."""
    f, kind = t.get(ARGMAX), getattr(t.fw, out)
    x = t.np.full((5, 200), 100)
    x[1] = t.np.arange(200) % 97
    x[2, ::7], x[3, 150:], x[4, [3, 199]] = 101, 120, 125
    made = t.call(
        lambda x: [f(x, 0, kind), f(x, 1, kind), f(x[0], output_type=kind)], t.const(x, dtype)
    )
    t.expect(all(one.dtype == kind for one in made), "%s, got %s" % (out, made))
    return made


@case(ARGMAX, dtypes="f32 i32", core=False, reference="none")
def argmax_over_nothing(t, dtype):
    """No number has no greatest; over three of no row there is no answer at all."""
    t.refuses(ARGMAX, t.const(t.np.zeros(0), dtype), 0)
    t.refuses(ARGMAX, t.const(t.np.zeros((0, 3)), dtype), 0)
    made = t.call(ARGMAX, t.const(t.np.zeros((0, 3)), dtype), 1)
    t.expect(tuple(made.shape) == (0,), "shape (0,)")
