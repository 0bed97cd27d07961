"""maximum, minimum and logical_and: their methods at every form of places, what they say of themselves, ranks that may not grow."""

import warnings

from seamark_suites.case import case

from .pointwise_edges import UFUNCS
from .reference import with_gradient
from .values_and_kinds import own_dtype

NP = "jax.numpy."

PLACES = ([], [3, 1, 1, 0, 2], [0, 2, 1], [2, 2, 2])


def _reduced_at(np, f, x):
    made = [f.reduceat(x, np.array(places, int), axis) for axis in (0, 1, -1) for places in PLACES]
    made += [f.reduceat(x[0], np.array(places, int)) for places in PLACES]
    return [*made, np.zeros((3, 0))]


@case(NP + "maximum", dtypes="f32 i32", core=False, since=UFUNCS, reference=lambda np, x: _reduced_at(np, np.maximum, x))  # fmt: skip
@case(NP + "minimum", dtypes="f32 i32", core=False, since=UFUNCS, reference=lambda np, x: _reduced_at(np, np.minimum, x))  # fmt: skip
@case(NP + "logical_and", dtypes="bool", core=False, since=UFUNCS, reference=lambda np, x: _reduced_at(np, np.logical_and, x != 0))  # fmt: skip
def parts_in_any_order(t, function, dtype):
    """reduceat: parts that go back, places that stand twice, none; along either axis, in a program, of nothing."""
    f, np, jax = t.get(function), t.np, t.fw
    x = t.const([[1, 1, 0, 1], [1, 1, 1, 1], [1, 0, 1, 1], [1, 1, 1, 0]], dtype) if dtype == "bool" else t.distinct((4, 4), dtype)  # fmt: skip
    made = [t.call(lambda x, axis=axis, places=places: f.reduceat(x, np.array(places, "int32"), axis=axis), x)
            for axis in (0, 1, -1) for places in PLACES]  # fmt: skip
    made += [t.call(jax.jit(f.reduceat), x[0], np.array(places, "int32")) for places in PLACES]
    made.append(t.call(f.reduceat, jax.numpy.zeros((4, 0), x.dtype), np.array([2, 0, 1], "int32")))
    own_dtype(t, made, dtype)
    t.raises((TypeError, ValueError), lambda: f.reduceat(x, np.array([0.5])))
    return made


# Places of rows, and whether there is one value for each of them or a single one.
ROWS = [(-2, None), ([-1, 0], None), ([3, 0], "column"), (2, "row"), ([0, -1, 0], "matrix")]


def _changed_at(np, f, x, y):
    made = []
    for places, kind in ROWS:
        changed, places = x.copy(), np.array(places, int)
        value = {None: y[0, 0], "column": y[:2, :1], "row": y[0], "matrix": y}[kind]
        f.at(changed, places, value)
        made.append(changed)
    row = x[0].copy()
    f.at(row, np.array([-1, 0]), y[0, 0])
    return [*made, row]


@case(NP + "maximum", dtypes="f32 i32", core=False, since=UFUNCS, reference=lambda np, x, y: _changed_at(np, np.maximum, x, y))  # fmt: skip
@case(NP + "minimum", dtypes="f32 i32", core=False, since=UFUNCS, reference=lambda np, x, y: _changed_at(np, np.minimum, x, y))  # fmt: skip
@case(NP + "logical_and", dtypes="bool", core=False, since=UFUNCS, reference=lambda np, x, y: _changed_at(np, np.logical_and, x != 0, y != 0))  # fmt: skip
def rows_at_places(t, function, dtype):
    """at: one place without axes, from the end, one twice; one value, one for each row, one for each number. Never in place."""
    f, np, jax = t.get(function), t.np, t.fw
    if dtype == "bool":
        x = t.const([[1, 1, 0], [1, 1, 1], [1, 0, 1], [1, 1, 1]], dtype)
        y = t.const([[0, 1, 0], [1, 1, 0], [1, 1, 1]], dtype)
    else:
        x, y = t.distinct((4, 3), dtype), t.randint((3, 3), dtype, -5, 5)

    def run(places, kind):
        def change(x, y):
            value = {None: y[0, 0], "column": y[:2, :1], "row": y[0], "matrix": y}[kind]
            return f.at(x, np.array(places, "int32"), value, inplace=False)

        return t.call(jax.jit(change) if kind == "row" else change, x, y)

    made = [run(*one) for one in ROWS]
    t.raises(NotImplementedError, f.at, x, 0, y[0, 0])
    return [*made, t.call(lambda x, y: f.at(x[0], np.array([-1, 0]), y[0, 0], inplace=False), x, y)]


def _whole(np, f, x, m):
    first = f is np.logical_and
    made = [f.reduce(x, axis=axis) for axis in (0, -1, None)] + [f.accumulate(x, axis=0), f.accumulate(x, axis=-2)]  # fmt: skip
    made += [f.reduce(x, axis=axis, initial=start) for axis, start in ((1, True if first else 2), (-2, False if first else -99))]  # fmt: skip
    made += [f.reduce(x, axis=axis, where=m, initial=True if first else 1) for axis in (0, 1, -1)]
    outer = [f.outer(a, b) for a, b in ((x[0, 0], x[1]), (x[:, :1], x[:1]), (x, x[0]), (x[0], x[1, 0]))]  # fmt: skip
    return [*made, *outer, np.zeros((0, 3)), np.zeros(0)]


@case(NP + "maximum", dtypes="f32 i32", core=False, since=UFUNCS, reference=lambda np, x, m: _whole(np, np.maximum, x, m))  # fmt: skip
@case(NP + "minimum", dtypes="f32 i32", core=False, since=UFUNCS, reference=lambda np, x, m: _whole(np, np.minimum, x, m))  # fmt: skip
@case(NP + "logical_and", dtypes="bool", core=False, since=UFUNCS, reference=lambda np, x, m: _whole(np, np.logical_and, x != 0, m))  # fmt: skip
def every_axis_and_first_number(t, function, dtype):
    """reduce, accumulate and outer: axes from either end, first numbers, masks, of every rank, of nothing."""
    f, jax, truths = t.get(function), t.fw, dtype == "bool"
    x = t.const([[1, 1, 0], [1, 1, 1], [1, 0, 1], [1, 1, 1]], dtype) if truths else t.distinct((4, 3), dtype)  # fmt: skip
    m = t.const([[1, 0, 1], [0, 0, 1], [1, 0, 0], [1, 0, 1]], "bool")
    made = [t.call(f.reduce, x, axis=axis) for axis in (0, -1, None)]
    made += [t.call(f.accumulate, x, axis=0), t.call(jax.jit(f.accumulate, static_argnames="axis"), x, axis=-2)]  # fmt: skip
    made += [t.call(f.reduce, x, axis=axis, initial=start) for axis, start in ((1, True if truths else 2), (-2, False if truths else -99))]  # fmt: skip
    made += [t.call(lambda x, m, axis=axis: f.reduce(x, axis=axis, where=m, initial=True if truths else 1), x, m) for axis in (0, 1, -1)]  # fmt: skip
    made += [t.call(f.outer, a, b) for a, b in ((x[0, 0], x[1]), (x[:, :1], x[:1]), (x, x[0]), (x[0], x[1, 0]))]  # fmt: skip
    none = jax.numpy.zeros((0, 3), x.dtype)
    own_dtype(t, made, dtype)
    if not truths:
        for axis in (0, None):
            t.raises(ValueError, f.reduce, none, axis=axis)
    return [*made, t.call(f.accumulate, none, axis=0), t.call(f.reduce, none, axis=1)]


def _hidden(np, x, *masks):
    f, x = np.logical_and, x != 0
    made = [f.reduce(x, axis=axis, where=m) for m in masks for axis in (0, 1, -1, None)]
    return [*made, f.reduce(x, axis=1, where=masks[0]), f.reduce(x, axis=0, where=masks[1][0])]


@case(NP + "logical_and", dtypes="bool f32", core=False, since=UFUNCS, reference=_hidden)
def of_what_a_mask_leaves(t, dtype):
    """reduce with where= and no first value: what is hidden counts as true, and so a row that is hidden whole; in a program, too."""
    f, jax = t.get(NP + "logical_and"), t.fw
    x = t.const([[1, 0, 1, 1], [1, 1, 0, 0], [0, 0, 0, 0], [1, 1, 1, 1], [1, 0, 1, 1]], dtype)
    some = [[1, 0, 1, 1], [1, 1, 0, 1], [0, 0, 0, 0], [1, 0, 0, 1], [1, 1, 1, 0]]
    masks = t.const(some, "bool"), t.const([[1, 0, 0, 1], [1, 1, 0, 0], [0] * 4, [1] * 4, [0, 0, 1, 1]], "bool")  # fmt: skip
    made = [t.call(lambda x, m, axis=axis: f.reduce(x, axis=axis, where=m), x, m) for m in masks for axis in (0, 1, -1, None)]  # fmt: skip
    made.append(t.call(jax.jit(lambda x, m: f.reduce(x, axis=1, where=m)), x, masks[0]))
    made.append(t.call(lambda x, m: f.reduce(x, axis=0, where=m[0]), x, masks[1]))
    own_dtype(t, made, "bool")
    return made


def _at_once(np, f, x, m):
    firsts = (True, False) if f is np.logical_and else (2, -99, 99)
    return [f.reduce(x, axis=None, initial=first, **mask) for first in firsts for mask in ({}, {"where": m}, {"where": m[:1]})]  # fmt: skip


@case(NP + "maximum", dtypes="f32 i32", core=False, since=UFUNCS, reference=lambda np, x, m: _at_once(np, np.maximum, x, m))  # fmt: skip
@case(NP + "minimum", dtypes="f32 i32", core=False, since=UFUNCS, reference=lambda np, x, m: _at_once(np, np.minimum, x, m))  # fmt: skip
@case(NP + "logical_and", dtypes="bool", core=False, since=UFUNCS, reference=lambda np, x, m: _at_once(np, np.logical_and, x != 0, m))  # fmt: skip
def every_axis_at_once(t, function, dtype):
    """reduce with axis=None and a first value, with a mask and without one."""
    f, truths = t.get(function), dtype == "bool"
    x = t.const([[1, 1, 0], [1, 1, 1], [1, 0, 1]], dtype) if truths else t.distinct((3, 3), dtype)
    m = t.const([[1, 1, 0], [0, 1, 1], [1, 0, 0]], "bool")
    made = []
    for first in (True, False) if truths else (2, -99, 99):
        made.append(t.call(lambda x, first=first: f.reduce(x, axis=None, initial=first), x))
        for mask in (m, m[:1]):
            made.append(t.call(lambda x, m, first=first: f.reduce(x, axis=None, initial=first, where=m), x, mask))  # fmt: skip
    own_dtype(t, made, dtype)
    return made


@case(NP + "maximum", host_only=True, core=False, since=UFUNCS, reference="none")
@case(NP + "minimum", host_only=True, core=False, since=UFUNCS, reference="none")
@case(NP + "logical_and", host_only=True, core=False, since=UFUNCS, reference="none")
def what_it_says_cannot_be_changed(t, function):
    """How many it takes and gives, and of what number it begins: as NumPy's, and for reading alone."""
    f = t.get(function)
    own = getattr(t.np, function.rsplit(".", 1)[1])
    want = (own.nin, own.nout, own.nargs - 1, own.identity)
    t.expect((f.nin, f.nout, f.nargs, f.identity) == want, "%s, got %s" % (want, (f.nin, f.nout, f.nargs, f.identity)))  # fmt: skip
    for name in ("nin", "nout", "nargs", "identity"):
        t.raises(AttributeError, setattr, f, name, None)
    t.expect((f.nin, f.nout, f.nargs, f.identity) == want, "as it was")
    again = t.fw.numpy.frompyfunc(f, nin=2, nout=1, identity=own.identity)
    other = t.fw.numpy.frompyfunc(f, nin=2, nout=1, identity=own.identity)
    t.expect(again == other and hash(again) == hash(other) and again != f, "equal where made alike")
    found = t.call(f, 3, 0)
    t.expect(float(found) == float(own(3, 0)), "of two numbers, got %s" % found)


def _ranked(np, x, y):
    return [np.maximum(x[:1], y), np.maximum(x, 3.0)]


@case(NP + "maximum", core=False, reference=_ranked)
@case(NP + "minimum", core=False, reference=lambda np, x, y: [np.minimum(x[:1], y), np.minimum(x, 3.0)])  # fmt: skip
@case(NP + "logical_and", core=False, reference=lambda np, x, y: [(x[:1] != 0) & (y != 0), x != 0])
@case(NP + "clip", core=False, reference=lambda np, x, y: [np.clip(x[:1], y, 9), np.clip(x, 3.0, 9)])  # fmt: skip
def ranks_that_may_not_grow(t, function):
    """jax.numpy_rank_promotion: arrays of fewer axes are refused, or told of; numbers and axes of one never are."""
    jax, x, y = t.fw, t.randint((2, 3), "f32", -1, 2), t.randint((2, 3), "f32", -1, 2)
    f = t.get(function)
    run = (lambda x, y: f(x, y, 9)) if function.endswith("clip") else f
    with jax.numpy_rank_promotion("raise"):
        made = [t.call(run, x[:1], y), t.call(run, x, 3.0)]
        t.raises(ValueError, run, x, y[0])
        t.raises(ValueError, jax.jit(run), x, y[0])
    with jax.numpy_rank_promotion("warn"), warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with jax.disable_jit():  # a program that is kept tells nothing
            run(x, y[0])
            count = len(told)
            run(x, y), run(x, 3.0)
    words = [str(one.message) for one in told]
    t.expect(count and len(told) == count and "rank promotion" in words[0], "told once, got %s" % words)  # fmt: skip
    with jax.numpy_rank_promotion("allow"):
        t.expect(run(x, y[0]).shape == (2, 3), "and else allowed")
    return made


@case(NP + "maximum", dtypes="f32 f64", core=False, reference=lambda np, x: [
      np.diag(np.where(x == 0, 0.5, 2.0 * (x > 0))), 2 * np.maximum(x, 0), np.diag(np.where(x == 0, 0.5, 2.0 * (x > 0)))])  # fmt: skip
@case(NP + "minimum", dtypes="f32 f64", core=False, reference=lambda np, x: [
      np.diag(np.where(x == 0, 0.5, 2.0 * (x < 0))), 2 * np.minimum(x, 0), np.diag(np.where(x == 0, 0.5, 2.0 * (x < 0)))])  # fmt: skip
def second_slope_where_it_bends(t, function, dtype):
    """Of the square: at the bend a half of a half of two, elsewhere two or none; in each order of the two ways."""
    jax, f = t.fw, t.get(function)
    square = lambda x: (f(x, 0.0) ** 2).sum()  # noqa: E731
    x = t.const([-1.0, -0.5, 0.0, 0.5, 1.0, 3.0], dtype)
    return [t.call(jax.hessian(square), x), t.call(jax.grad(square), x), t.call(jax.jacrev(jax.grad(square)), x)]  # fmt: skip


@case(NP + "maximum", dtypes="f32", core=False, grad=True, rtol={"f32": 1e-5}, atol={"f32": 1e-5}, reference=with_gradient(
      lambda np, x, w: np.maximum(x @ w, 0) ** 2))  # fmt: skip
def slope_of_each_example(t, dtype):
    """Of weights, through a square of what is above zero, for each of a batch."""
    f, vmap = t.get(NP + "maximum"), t.fw.vmap
    return t.call(lambda x, w: vmap(lambda v: f(v @ w, 0.0) ** 2)(x), t.uniform((5, 4), dtype, -2, 2), t.uniform((4, 3), dtype, -2, 2))  # fmt: skip
