"""All digits of wide numbers, every axis of many, special numbers in every order: of numbers, totals, products and choices."""

import functools
import itertools

from seamark_suites.case import case
from seamark_suites.case import each as each_name
from seamark_suites.reference import affine_pull

from . import reference_arithmetic as right
from . import reference_totals as totals
from .arithmetic import INF, NAN
from .reference import with_gradient

ARGMAX, BROADCAST, MEAN, SQUEEZE = "tf.argmax", "tf.broadcast_to", "tf.compat.v1.reduce_mean", "tf.compat.v1.squeeze"  # fmt: skip
CUMSUM, EINSUM, MAXIMUM, MOST, POW = "tf.cumsum", "tf.einsum", "tf.maximum", "tf.reduce_max", "tf.pow"  # fmt: skip
EXP, LOG, SQRT, STACK, WHERE = "tf.exp", "tf.math.log", "tf.sqrt", "tf.stack", "tf.where"
each = functools.partial(each_name, core=False)
DIGITS = {"f64": 1e-13}  # by default 1e-6 is allowed, which a number of 32 bits keeps


# --- all digits

# What is done with two tensors of 4x3x2, and with how many bits: sums and products must stay below 2**53.
WIDE = {
    ARGMAX: (51, lambda f, x, y: [f(x), f(x, 1), f(y, -1)],
             lambda np, x, y: [x.argmax(0), x.argmax(1), y.argmax(-1)]),
    BROADCAST: (52, lambda f, x, y: [f(x, (2, 4, 3, 2)), f(y[:, :, :1], (4, 3, 5))],
                lambda np, x, y: [x + 0 * np.stack([x, y]), y[:, :, :1] + np.zeros((4, 3, 5), y.dtype)]),
    SQUEEZE: (52, lambda f, x, y: [f(x[:, :1], [1]), f(y[:1, :, :1])], lambda np, x, y: [x[:, 0], y[0, :, 0]]),
    CUMSUM: (44, lambda f, x, y: [f(x), f(y, 1, exclusive=True, reverse=True)],
             lambda np, x, y: [x.cumsum(0), totals.running(np, y, 1, True, True)]),
    EINSUM: (22, lambda f, x, y: [f("abc,abd->acd", x, y), f("abc->bc", y), f("abc,dbc->ad", x, y)],
             lambda np, x, y: [np.einsum("abc,abd->acd", x, y), y.sum(0), np.einsum("abc,dbc->ad", x, y)]),
    MAXIMUM: (52, lambda f, x, y: f(x, y), lambda np, x, y: np.maximum(x, y)),
    MOST: (52, lambda f, x, y: [f(x), f(y, 0), f(y, [1, 2], True)],
           lambda np, x, y: [x.max(), y.max(0), y.max((1, 2), keepdims=True)]),
    STACK: (52, lambda f, x, y: f([x, y, x], 1), lambda np, x, y: np.stack([x, y, x], 1)),
    WHERE: (52, lambda f, x, y: f(x > y, x, y), lambda np, x, y: np.where(x > y, x, y)),
}  # fmt: skip


@each(WIDE, lambda f: WIDE[f][2], dtypes="f64 i64", rtol={"f64": 0.0}, atol={"f64": 0.0})
def of_wide_numbers(t, dtype, function):
    """Odd numbers that a float of 32 bits does not have, and that differ in their last bits. They come out exact."""
    bits, call, _ = WIDE[function]
    count = t.np.arange(24)
    x, y = (
        t.const((2**bits + 1 + 2 * (count * step % 29)).reshape(4, 3, 2), dtype) for step in (11, 8)
    )
    return t.call(call, t.get(function), x, y)


@each((EXP, LOG, SQRT), right.one_gradient, dtypes="f64", grad=True, rtol=DIGITS, atol={"f64": 0.0})
def in_all_digits(t, dtype, function):
    """No number and no slope goes through 32 bits."""
    return t.call(function, t.uniform((16, 9), dtype, 2, 40))


@case(POW, dtypes="f64", core=False, grad=True, rtol=DIGITS, atol=DIGITS, reference=right.two_gradient(POW))  # fmt: skip
def power_in_all_digits(t, dtype):
    return t.call(POW, t.uniform((16, 9), dtype, 1.25, 2.5), t.uniform((16, 9), dtype, -1.5, 2))


@each((MEAN, MOST), totals.gradient_of, dtypes="f64 f32", grad=True, axis=[None, (1, 2), (2,), (0, 3), (1, -1)], rtol={**DIGITS, "f32": 1e-6},
      atol={"f64": 1e-13})  # fmt: skip
def gradient_of_four_axes(t, dtype, axis, function):
    x = t.distinct((2, 3, 4, 2), dtype) if function == MOST else t.uniform((2, 3, 4, 2), dtype, 1, 2)  # fmt: skip
    return t.call(function, x, axis=axis)


# --- every axis


@case(ARGMAX, dtypes="f16 bf16 f32 f64 i16 i32 i64 bool", core=False, reference=lambda np, x: [x.argmax(axis) for axis in range(-7, 7)])  # fmt: skip
def argmax_along_seven_axes(t, dtype):
    """Named from either end; the first of the greatest where many are."""
    x = t.np.arange(15120) * 7919 % 251 % (2 if dtype == "bool" else 251)
    x = t.const(x.reshape(3, 2, 4, 5, 6, 3, 7), dtype)
    made = [t.call(ARGMAX, x, axis) for axis in range(-7, 7)]
    t.expect(all(one.dtype == t.fw.int64 for one in made), "places of 64 bits")
    return made


@case(ARGMAX, dtypes="f32 i32 bool", core=False, trivial=True, reference=lambda np, x, y: [
      0, np.zeros(3), y.argmax(1), np.zeros((1, 0)), 0])  # fmt: skip
def argmax_where_all_are_alike(t, dtype):
    """The first place of two hundred, of each row; as 16 bits; over the axis behind an empty one; of one number."""
    x, y = t.const([0] * 200, dtype), t.const(t.np.eye(60)[[59, 7, 31]], dtype)
    short = t.call(ARGMAX, y, 1, output_type=t.fw.int16)
    t.expect(short.dtype == t.fw.int16, "16 bits, got %s" % short.dtype.name)
    return [t.call(ARGMAX, x, 0), t.call(ARGMAX, t.fw.reshape(x[:198], [3, 66]), 1), t.fw.cast(short, t.fw.int64),
            t.call(ARGMAX, t.fw.zeros([1, 0, 2], x.dtype), -1), t.call(ARGMAX, [1])]  # fmt: skip


@case(BROADCAST, dtypes="i32 f16", core=False, reference=lambda np, *xs: [
      np.broadcast_to(x, (2,) * most) for x in xs for most in range(x.ndim, 6)])  # fmt: skip
def broadcast_of_each_rank(t, dtype):
    """From one to five axes, to each number of axes up to five."""
    shapes = [(2, 1, 2, 1, 2)[5 - n :] for n in range(1, 6)]
    xs = [t.randint(shape, dtype, 0, 100) for shape in shapes]
    return [t.call(BROADCAST, x, [2] * most) for x in xs for most in range(x.shape.rank, 6)]


@case(BROADCAST, dtypes="f32 i32", core=False, reference=lambda np, x, *_: [np.broadcast_to(x, (3, 3))] * 3)  # fmt: skip
def broadcast_knows_its_shape(t, dtype):
    """While it is traced, from sizes of either kind, from a part of them, and of an input whose shape is not known."""
    tf, found, f = t.fw, [], t.get(BROADCAST)

    def run(x, n):
        made = [f(x, tf.constant([3, 3], kind)) for kind in (tf.int32, tf.int64)]
        made.append(f(x, tf.stack([n, 3])))
        found[:] = [one.shape.as_list() for one in made]
        return made

    specs = [tf.TensorSpec(None, t.dtype(dtype)), tf.TensorSpec([], tf.int32)]
    program = tf.function(run, input_signature=specs, autograph=False)
    made = t.call(program, t.randint((3,), dtype, 1, 90), t.const(3, "i32"))
    t.expect(found == [[3, 3], [3, 3], [None, 3]], "known shapes, got %s" % found)
    return made


AXES = [[0], [2, 4], [0, 4, 2], [-1], [-3, -5], [-3, -5, -1], []]


@case(SQUEEZE, dtypes="f32 bool i64", core=False, reference=lambda np, x, y: [
      *(np.squeeze(x, tuple(axes)) for axes in AXES[:-1]), x[0, :, 0, :, 0], y[0, 0], y[0, 0, 0], y])  # fmt: skip
def squeeze_by_lists(t, dtype):
    """In any order, from either end, empty for all; down to a number; nothing to drop beside what has no numbers."""
    x, y = t.randn((1, 2, 1, 3, 1), dtype), t.const([[[1]]], dtype)
    made = [t.call(SQUEEZE, x, axes) for axes in AXES]
    return [*made, t.call(SQUEEZE, y, [0, 1]), t.call(SQUEEZE, y, []), t.fw.reshape(t.call(SQUEEZE, y), [1, 1, 1])]  # fmt: skip


@case(SQUEEZE, host_only=True, core=False, reference="none")
def squeeze_while_traced(t):
    """An open size is dropped where it is named; what is not is refused then, and no such axis, too."""
    v1 = t.fw.compat.v1
    with t.fw.Graph().as_default():
        x = v1.placeholder(t.fw.float32, [2, None])
        t.expect(t.call(SQUEEZE, x, [1]).shape.as_list() == [2], "two numbers")
        t.expect(t.call(SQUEEZE, x).shape.rank is None, "an open number of axes")
        for axes in ([0], [100], [0, 1], [-3]):
            t.raises(ValueError, t.call, SQUEEZE, x, axes)
    ones = t.fw.zeros([1, 2, 1])
    for axes in ([-4], [0, -4], [3], [2, 3]):
        t.refuses(SQUEEZE, ones, axes)


SUBSETS = [None, [], [0], [1], [2], [0, 1], [1, 2], [0, 2], [0, 1, 2]]


@each((MEAN, MOST), lambda f: lambda np, x: [totals.known(f)(np, x, axis=None if axes is None else tuple(axes), keepdims=keep)
      for axes in SUBSETS for keep in (False, True)], dtypes="f32 f64 bf16 i64", rtol={"f32": 1e-6})  # fmt: skip
def over_every_subset(t, dtype, function):
    """Of three axes, which go or stay; whole numbers, all below zero."""
    x = t.const(t.np.arange(-31, -1).reshape(2, 3, 5), dtype)
    return [t.call(function, x, axis=axes, keepdims=keep) for axes in SUBSETS for keep in (False, True)]  # fmt: skip


# --- special numbers in every order

TRIPLES = list(itertools.product((-INF, 1.0, NAN, INF), repeat=3))


@each((MEAN, MOST), lambda f: lambda np, x, *_: [totals.known(f)(np, x[:, :n], axis=1) for n in (3, 2, 1)] + [
      totals.known(f)(np, x[8:12]), totals.known(f)(np, x[:, ::2], axis=0)], dtypes="f32 f64 f16")  # fmt: skip
def special_in_every_order(t, dtype, function):
    """Each three of infinities, one and NaN: in rows of three, two, one, alone and over many."""
    x = t.const(TRIPLES, dtype)
    rows = [t.call(function, x[:, :n], axis=1) for n in (3, 2, 1)]
    return [*rows, t.call(function, x[8:12]), t.call(function, x[:, ::2], axis=0)]


PAIRS = list(itertools.product((-INF, -0.5, 0.0, 2.0, INF, NAN), repeat=2))


@case(MAXIMUM, dtypes="f16 bf16 f32 f64", core=False, reference=lambda np, x, y: [np.maximum(x, y), np.maximum(x, 0.25), np.maximum(y, -0.25)])  # fmt: skip
def greater_in_every_pair(t, dtype):
    """Of infinities, NaN and numbers, and each beside a number of Python."""
    x, y = (t.const([pair[i] for pair in PAIRS], dtype) for i in (0, 1))
    return [t.call(MAXIMUM, x, y), t.call(MAXIMUM, x, 0.25), t.call(MAXIMUM, y, -0.25)]


COMPLEX_ENDS = {
    EXP: [-INF, complex(-INF, 1), complex(-1000, 3), complex(1000, 0), complex(0, 100), -30 + 2j, 80 - 1j],
    LOG: [0, complex(INF, 0), complex(-INF, 0), complex(0, INF), complex(1, -INF), 1e18 - 1e18j, -1e-15 + 1e-15j, complex(-0.0, -2)],
    SQRT: [0, complex(INF, 0), complex(0, 1e30), complex(-1e30, 0), complex(-1e30, -0.0), 1e-30j, 1e15 - 1e15j, -1e-12 + 1e-20j],
}  # fmt: skip


@each(
    COMPLEX_ENDS,
    right.of_one,
    dtypes="c64 c128",
    atol={"c64": 0.0, "c128": 0.0},
    rtol={"c64": 2e-6},
)
def complex_ends(t, dtype, function):
    """Infinite, great and tiny parts, right in relation to their size."""
    return t.call(function, t.const(COMPLEX_ENDS[function], dtype))


@case(LOG, dtypes="c64 c128", core=False, reference=right.of_one(LOG), cpu_fails={
      "c64": "the square of the size leaves 32 bits, so that the result is no number or infinite"})  # fmt: skip
def log_of_great_and_tiny_complex(t, dtype):
    """Numbers whose squares leave 32 bits."""
    return t.call(LOG, t.const([-1e30, 1e-30j, 3e25 - 2e25j, -1e-25 - 1e-25j], dtype))


# --- powers

SHAPES = [((1, 3, 2), other) for other in ((1,), (2,), (3, 2), (3, 1), (2, 3, 1), (1, 3, 1))] + [((2, 0, 5), (2, 0, 1)), ((10, 3, 1, 2), (3, 1, 2))]  # fmt: skip


@case(POW, dtypes="f16 f64 i64 i8 c64 c128", core=False, rtol={"c64": 3e-6}, reference=lambda np, *xs: [
      one for x, y in zip(xs[::2], xs[1::2]) for one in (x**y, y**x)])  # fmt: skip
def power_either_way_round(t, dtype):
    """Shapes that meet in every way, each tensor once as base and once as exponent."""
    made = []
    for shapes in SHAPES:
        x, y = (
            t.randint(shape, dtype, 1, 4) if dtype[0] == "i" else t.uniform(shape, dtype, 1, 2)
            for shape in shapes
        )
        made += [t.call(POW, x, y), t.call(POW, y, x)]
    return made


@case(POW, dtypes="i8 i16 i32 i64", core=False, reference=lambda np, x, y, _: [x**y, x**2, 2**y])
def power_of_each_integer(t, dtype):
    """And squares, by a number of Python, and powers of one number."""
    x, y = t.randint((5, 3), dtype, -3, 4), t.randint((5, 3), dtype, 0, 5)
    return [t.call(POW, x, y), t.call(POW, x, 2), t.call(POW, t.const(2, dtype), y)]


@case(POW, dtypes="i8 i16 i32 i64", core=False, reference="none")
def power_refuses_negative_exponents(t, dtype):
    """The first, the last, a number alone, one that meets a row of bases."""
    x, two = t.const([5, 2], dtype), t.const([[2], [-3]], dtype)
    for y in (t.const([-2, 3], dtype), t.const([2, -3], dtype), -3, two):
        t.refuses(POW, x, y)


@case(POW, dtypes="f32 f64 c64 c128", core=False, rtol={"c64": 3e-6}, atol={"c64": 3e-6}, reference=lambda np, x, y: [
      np.array([0, 4, 4, 0.25, -8, 1]), np.array([0, 4 * np.log(2), 4 * np.log(-2.0 + 0j) if x.dtype.kind == "c" else 0,
      0.25 * np.log(0.5), -8 * np.log(-2.0 + 0j) if x.dtype.kind == "c" else 0, 0]).conj()])  # fmt: skip
def slope_by_the_exponent(t, dtype):
    """None at a base of zero; of a negative base that of the complex logarithm, and none where there is no such number."""
    x = t.const([0, 2, -2, 0.5, -2, 1], dtype)

    def slope(x, y):
        with t.fw.GradientTape() as tape:
            tape.watch(y)
            made = t.get(POW)(x, y)
        return made, tape.gradient(made, y)

    return list(t.call(slope, x, t.const([2, 2, 2, 2, 3, 0], dtype)))


EXPONENTS = [0.0, 0.5, 1.0, -1.0, 2.0, -2.0, 3.0, -0.5, 10.0, -10.0, 1 / 3]


@case(POW, dtypes="f32 f64", core=False, rtol={"f32": 2e-6, "f64": 1e-13}, atol={"f32": 0.0, "f64": 0.0}, reference=lambda np, x, *_: [
      *(x**y for y in EXPONENTS), np.array([INF, 0, INF, 0, 2.0**-120, 2.0**120])])  # fmt: skip
def power_of_one_exponent(t, dtype):
    """A number of Python, as in x**2 and x**0.5, for which there are ways of their own; results beyond the ends."""
    x, great = t.uniform((33,), dtype, 0.25, 4), 1e30 if dtype == "f32" else 1e200
    y = t.const([great, 1 / great, 1 / great, great, 2.0**-60, 2.0**-60], dtype)
    ends = t.call(POW, y, t.const([2, 2, -2, -2, 2, -2], dtype))
    return [*(t.call(POW, x, one) for one in EXPONENTS), ends]


# --- running sums

OPTIONS = list(itertools.product((False, True), repeat=2))


@case(CUMSUM, dtypes="f32 f64 c64 i32", core=False, reference=lambda np, x: [totals.running(np, x, 0, *options) for options in OPTIONS])  # fmt: skip
def cumsum_of_a_million(t, dtype):
    """In every way; each sum is a whole number of 1024ths, which every kind holds exactly."""
    x = (t.np.arange(10**6) * 7919 % 13 - 6) / (1 if dtype == "i32" else 1024)
    x = t.const(x, dtype)
    return [t.call(CUMSUM, x, 0, *options) for options in OPTIONS]


@case(CUMSUM, dtypes="f64 f32", core=False, grad=True, axis=[0, -1], exclusive=[True, False], reverse=[True, False],
      rtol={**DIGITS, "f32": 3e-6}, atol={"f64": 1e-13, "f32": 1e-5},
      reference=with_gradient(totals.running, totals.running_pull))  # fmt: skip
def cumsum_gradient_of_each_way(t, dtype, axis, exclusive, reverse):
    x = t.uniform((5, 10), dtype, 0.5, 2)
    return t.call(CUMSUM, x, axis=axis, exclusive=exclusive, reverse=reverse)


@case(CUMSUM, dtypes="f16 bf16 f64 c64", core=False, reference=lambda np, x: [
      one for row in x for one in (row.cumsum(), np.concatenate([[0], row.cumsum()[:-1]]), row[::-1].cumsum()[::-1])])  # fmt: skip
def cumsum_beside_nan_at_each_place(t, dtype):
    """In a row of five, from the first on, with and without the own term, and from the last on."""
    x = t.np.tile(t.np.arange(1.0, 6.0), (5, 1))
    x[range(5), range(5)] = NAN
    x = t.const(x, dtype)
    options = (False, False), (True, False), (False, True)
    return [t.call(CUMSUM, x[i], 0, *one) for i in range(5) for one in options]


@case(
    CUMSUM,
    dtypes="i32 f16 bf16 c128",
    core=False,
    trivial=True,
    reference=lambda np, *_: [np.zeros(0)] * 8,
)
def cumsum_of_an_empty_row(t, dtype):
    x = t.randn((0,), dtype)
    return [t.call(CUMSUM, x, axis, *options) for axis in (0, -1) for options in OPTIONS]


# --- products

# The shapes of each form's factors.
FORMS = {
    "a": ((3,),), "ab->ab": ((3, 3),), "abc->ca": ((3, 4, 5),), "abc->cab": ((3, 4, 5),),
    "aa->": ((3, 3),), "aaa->": ((3, 3, 3),), "aab->a": ((3, 3, 4),), "aabcc->a": ((3, 3, 5, 4, 4),), "aabcc->ac": ((3, 3, 5, 4, 4),),
    "...->": ((),), "->...": ((),), "...ijk->...ki": ((2, 2, 3, 4, 5),), "...ij->...": ((5, 2, 3),),
    "i...ii->...i": ((3, 2, 3, 3),), "i...i->": ((2, 2),), "i...i->...": ((2, 5, 1, 2),), "i...i->i...": ((2, 3, 4, 5, 2),),
    "a,a->a": ((3,), (3,)), "ab,b->a": ((3, 4), (4,)), "nij,jk->nik": ((5, 2, 3), (3, 4)), "abc,bad->abcd": ((1, 2, 3), (2, 1, 4)),
    "sa,shb->shab": ((2, 1), (2, 3, 4)), "cab,b": ((2, 3, 4), (4,)), "aab,bcc->ac": ((2, 2, 3), (3, 4, 4)),
    "...ija,aijb...->ba...ij": ((1, 2, 2, 3, 1), (1, 2, 3, 4, 1, 2)), "...mk,...kn->mn": ((2, 3), (3, 4)), "mk,...kn->mn": ((2, 3), (3, 4)),
    "...,...->...": ((2, 3), (2, 3)), "...i,...j->...ij": ((5, 2), (5, 3)), "...ij,...jk->...ik": ((3, 1, 2, 3), (1, 1, 7, 3, 5)),
    "i...j,j...k->...ik": ((2, 1, 3, 1, 3), (3, 1, 7, 5)), "ij,jk...k->i...": ((3, 2), (2, 4, 1, 4)), "ijj,jk...k->i...": ((3, 2, 2), (2, 4, 1, 4)),
    "...abc,...abcd->...d": ((1, 1, 2, 3, 4), (5, 2, 3, 4, 6)), "ab...,b->ab...": ((2, 3, 1, 1, 5), (3,)),
    "ji,kj->ki": ((2, 3), (4, 2)), "ijk,ijl,ikl->i": ((2, 2, 3), (2, 2, 4), (2, 3, 4)), "i,ijk,j->k": ((3,), (3, 2, 4), (2,)),
    "ij,ij,jk,kl->il": ((2, 2), (2, 2), (2, 3), (3, 4)), "ab,ab,c->c": ((5, 6), (5, 6), (2,)),
    "efc,dbc,acf,fd->abe": ((2, 3, 2), (2, 3, 2), (3, 2, 3), (3, 2)), "abhe,hidj,jgba,hiab,gab->ed": ((2, 2, 3, 2), (3, 2, 2, 3), (3, 2, 2, 2), (3, 2, 2, 2), (2, 2, 2)),
    "fdf,cdd,ccd,afe->ae": ((3, 2, 3), (2, 2, 2), (2, 2, 2), (2, 3, 2)), "fff,fae,bef,def->abd": ((3, 3, 3), (3, 2, 2), (2, 2, 3), (3, 2, 3)),
}  # fmt: skip
HALVES = {"first": list(FORMS)[:23], "second": list(FORMS)[23:]}


def _products(np, *parts, half):
    left, made = list(parts), []
    for form in HALVES[half]:
        made.append(np.einsum(form, *(left.pop(0) for _ in FORMS[form])))
    return made


def _products_pull(np, w, *parts, half):
    left, found = list(parts), []
    for form, weights in zip(HALVES[half], w):
        given = [left.pop(0) for _ in FORMS[form]]
        found += affine_pull(lambda np, *x, form=form: np.einsum(form, *x))(np, weights, *given)
    return found


@case(EINSUM, dtypes="f64 c64", half=list(HALVES), core=False, grad=True, rtol={"f64": 1e-12, "c64": 1e-5}, atol={"f64": 1e-12, "c64": 1e-4},
      reference=with_gradient(_products, _products_pull))  # fmt: skip
@case(EINSUM, dtypes="f32", half=list(HALVES), core=False, rtol={"f32": 1e-5}, reference=_products)
def einsum_of_many_forms(t, dtype, half):
    """Numbers, traces, diagonals, sums within a factor, ellipses that broadcast, up to five factors; and their gradients."""
    drawn = [t.uniform(shape, dtype, 0.5, 1.5) for form in HALVES[half] for shape in FORMS[form]]
    f = t.get(EINSUM)

    def products(*parts):
        left = list(parts)
        return [f(form, *(left.pop(0) for _ in FORMS[form])) for form in HALVES[half]]

    return t.call(products, *drawn)


@case(EINSUM, dtypes="f32 f64", core=False, rtol={"f32": 1e-5, "f64": 1e-12}, reference=lambda np, *xs: [
      np.einsum(form, *xs[2 * i : 2 * i + 2]) for i, form in enumerate(("bijl,bjkm->bik", "...ij,...->...i", "...ij,...jk->...ik"))])  # fmt: skip
def einsum_of_open_shapes(t, dtype):
    """Traced for sizes, and for numbers of axes, that are not known."""
    tf, f, kind = t.fw, t.get(EINSUM), t.dtype(dtype)
    forms = {
        "bijl,bjkm->bik": (((9, 2, 3, 5), (None, None, None, 5)), ((9, 3, 4, 7), (None, None, 4, None))),
        "...ij,...->...i": (((4, 3, 1, 2), (None, 3, None, 2)), ((4, 3), (None, 3))),
        "...ij,...jk->...ik": (((3, 1, 2, 3), None), ((1, 7, 3, 4), None)),
    }  # fmt: skip
    made = []
    for form, both in forms.items():
        specs = [tf.TensorSpec(to, kind) for _, to in both]
        program = tf.function(lambda x, y, form=form: f(form, x, y), specs, autograph=False)
        made.append(t.call(program, *(t.uniform(shape, dtype, 0.5, 1.5) for shape, _ in both)))
    return made


@case(EINSUM, dtypes="f32 f64", core=False, trivial=True, grad=True, reference=with_gradient(
      lambda np, *x: [np.zeros((0, 10)), np.zeros(4), np.zeros((1, 4))], lambda np, w, *x: tuple(np.zeros(one.shape) for one in x)))  # fmt: skip
def einsum_traces_of_nothing(t, dtype):
    """A diagonal of no rows, of three axes, beside an empty sum."""
    forms = {"aab,bc->ac": ((0, 0, 10), (10, 10)), "aaab,bc->c": ((0, 0, 0, 3), (3, 4)), "aab,bd->ad": ((1, 1, 0), (0, 4))}  # fmt: skip
    drawn, f = [t.randn(shape, dtype) for both in forms.values() for shape in both], t.get(EINSUM)
    return t.call(lambda *x: [f(form, *x[2 * i : 2 * i + 2]) for i, form in enumerate(forms)], *drawn)  # fmt: skip


# --- choices and what is put together


@case(WHERE, dtypes="u8 i16 f64 c64", core=False, reference=lambda np, x: np.argwhere(x))
def where_many_numbers(t, dtype):
    """Places of what is not zero among 127x33x53 numbers, some of which have only an imaginary or a fractional part."""
    x = t.np.arange(127 * 33 * 53) * 7919 % 11
    small = {"c": 1j, "f": 1e-300}.get(dtype[0], 1)
    return t.call(WHERE, t.const(t.np.where(x < 3, small * x, 0).reshape(127, 33, 53), dtype))


@case(WHERE, dtypes="f32 f64 i32 bf16", core=False, reference=lambda np, c, x, y: [
      np.where(c, x, y), np.where(c, 0 * y + x[:1], y), np.where([[1], [0], [3], [0], [0], [7], [0]], x, y)])  # fmt: skip
def where_over_more_axes(t, dtype):
    """A condition of four axes chooses of two; one row beside a matrix; an array of NumPy's integers is as good as truths."""
    c, x, y = t.randn((3, 5, 1, 1), "bool"), t.randn((7, 11), dtype), t.randn((7, 11), dtype)
    integers = t.np.array([[1], [0], [3], [0], [0], [7], [0]])
    return [t.call(WHERE, c, x, y), t.call(WHERE, c, x[:1], y), t.call(WHERE, integers, x, y)]


STACKED = (3,), (4, 1, 2, 2), (8, 2, 10)


@case(
    STACK,
    dtypes="f32 bool i64 c64",
    core=False,
    reference=lambda np, *xs: [x for x in xs for _ in range(2 * x.ndim)],
)
def stack_along_every_axis(t, dtype):
    """Taken apart and put together along each axis, named from either end."""
    made, tf = [], t.fw
    for x in (t.randn(shape, dtype) for shape in STACKED):
        for axis in range(-x.shape.rank, x.shape.rank):
            made.append(t.call(STACK, tf.unstack(x, axis=axis), axis=axis))
    return made


@case(STACK, host_only=True, core=False, reference="none")
def stack_of_quantized(t):
    """Numbers of each quantized kind; a shape that is put together so is known while a graph is made."""
    tf, f = t.fw, t.get(STACK)
    plain = {tf.quint8: tf.uint8, tf.quint16: tf.uint16, tf.qint8: tf.int8, tf.qint16: tf.int16, tf.qint32: tf.int32}  # fmt: skip
    for kind, bits in plain.items():
        made = t.call(STACK, [tf.constant(value, kind) for value in (7, 100, 0)])
        got = tf.bitcast(made, bits).numpy().tolist()
        t.expect(made.dtype == kind and got == [7, 100, 0], "7, 100, 0 of %s, got %s" % (kind, got))
    with tf.Graph().as_default():
        made = tf.reshape(tf.zeros([6]), t.call(STACK, [2, 3]))
        t.expect(made.shape.as_list() == [2, 3], "2x3 known, got %s" % made.shape)
        fed = tf.compat.v1.placeholder(tf.float32, [None, 4])
        known = [t.call(STACK, [fed, tf.zeros([5, 4])], axis=axis).shape for axis in (0, -1)]
        got = [one.as_list() for one in known]
        t.expect(got == [[2, 5, 4], [5, 4, 2]], "sizes, got %s" % got)
        t.expect(f([fed, fed], axis=1).shape.as_list() == [None, 2, 4], "an open number of rows")


@case("tf.ones", core=False, trivial=True, reference=lambda np, *_: [1, np.ones((4, 16)), np.ones((2, 3)), np.ones((2, 3)), np.ones((3, 0))])  # fmt: skip
def ones_of_sizes_put_together(t):
    """Of no sizes in a tensor, of two numbers that are tensors; quantized ones; of the shape of what is empty."""
    tf, f = t.fw, t.get("tf.ones")
    sizes = t.const(4, "i32"), t.const(16, "i32")
    put = tf.function(lambda h, w: f([h, w]), autograph=False)
    none = t.call("tf.ones", tf.constant([], tf.int32))
    made = [tf.cast(t.call("tf.ones", [2, 3], kind), tf.int32) for kind in (tf.quint8, tf.qint32)]
    return [none, t.call(put, *sizes), *made, t.call("tf.ones", tf.shape(tf.zeros([3, 0])))]


@case("tf.size", core=False, reference=lambda np, *_: [30030, 30030, 2, 7, 30030])
@case("tf.rank", core=False, reference=lambda np, *_: [6, 6, 3, 3, 6])
def known_of_six_axes(t, function):
    """Of numbers, truths, nested ragged rows, and of what is sparse, whose numbers do not count."""
    tf, shape = t.fw, (2, 3, 5, 7, 11, 13)
    deep = tf.ragged.constant([[[1], []], [[2]]]), tf.RaggedTensor.from_nested_row_lengths(tf.range(7), [[2, 1], [3, 0, 4]])  # fmt: skip
    places = tf.constant([[0] * 6, [1] * 6, [1, 2, 4, 6, 10, 12]], tf.int64)
    sparse = tf.SparseTensor(places, t.const([1, 2, 3], "f32"), shape)
    given = t.randn(shape, "f32"), t.randn(shape, "bool"), *deep, sparse
    return [tf.cast(t.call(function, one), tf.int32) for one in given]


@case(SQRT, dtypes="f16 c64", core=False, reference=lambda np, x: np.sqrt(x))
def root_of_sparse_values(t, dtype):
    """Of ten of 48 places; they and the shape stay."""
    places = t.fw.constant([[n // 8, n % 8] for n in range(0, 48, 5)], t.fw.int64)
    x = t.uniform((10,), dtype, 0.5, 40)
    made = t.call(SQRT, t.fw.SparseTensor(places, x, [6, 8]))
    t.expect((t.host(made.indices) == t.host(places)).all(), "the places of before")
    t.expect(t.host(made.dense_shape).tolist() == [6, 8], "the shape of before")
    return made.values


@case(LOG, dtypes="f16 bf16 f32 f64", core=False, rtol={"f32": 1e-6, "f64": 1e-14}, atol={"f32": 0.0, "f64": 0.0}, reference=right.of_one(LOG))  # fmt: skip
def log_from_end_to_end(t, dtype):
    """Of powers of two from the least normal number on, and of numbers beside them, none near one."""
    low, high = {"f16": (-14, 15), "f64": (-1022, 1023)}.get(dtype, (-126, 127))
    powers = 2.0 ** t.np.linspace(low, high, 59).round()
    return t.call(LOG, t.const(t.np.where(abs(t.np.log(powers)) < 0.5, 3, powers) * 1.25, dtype))
