"""Sums, products, truths and draws: how many terms there may be, which axes in which way, whole tables of numbers."""

import os
import subprocess
import sys

from seamark_agent.harness import Skip

from seamark_suites.case import case

from .reference import with_gradient

ADD_N, TO_INT32, FLOOR, AND = "tf.add_n", "tf.compat.v1.to_int32", "tf.floor", "tf.logical_and"
MATMUL, MULTIPLY, ANY, SUM = "tf.matmul", "tf.multiply", "tf.reduce_any", "tf.reduce_sum"
SIGMOID, UNIFORM = "tf.sigmoid", "tf.random.uniform"


# --- add_n


@case(ADD_N, dtypes="f16 bf16 f64 c64 c128 i8 i16 i64", core=False, reference=lambda np, *xs: [
      sum(xs[:n]) for n in range(1, 19)])  # fmt: skip
def add_one_to_eighteen(t, dtype):
    """Kernels add eight at once: every rest, and two rounds. Whole numbers."""
    add, xs = t.get(ADD_N), [t.randint((2, 3), dtype, 1, 7) for _ in range(18)]
    return t.call(lambda *xs: [add(list(xs[:n])) for n in range(1, 19)], *xs)


@case(ADD_N, dtypes="f32 i32 c128", core=False, reference=lambda np, x, y: [4 * x + y, 4 * y + y, 4 * x[0] + y[0]])  # fmt: skip
def add_of_unknown_shapes(t, dtype):
    """One program for any number of axes."""
    spec, add = t.fw.TensorSpec(None, t.dtype(dtype)), t.get(ADD_N)
    program = t.fw.function(lambda x, y: add([x] * 4 + [y]), input_signature=[spec, spec], autograph=False)  # fmt: skip
    x, y = t.randint((3, 4), dtype, 1, 9), t.randint((3, 4), dtype, 1, 9)
    return [t.call(program, *pair) for pair in ((x, y), (y, y), (x[0], y[0]))]


@case(ADD_N, dtypes="f32", core=False, reference=lambda np, x, y: 9 * x + 2 * y)
def add_lists_of_tensors(t, dtype):
    """Lists of tensors in one are added tensor by tensor."""
    raw, add, sizes = t.fw.raw_ops, t.get(ADD_N), {"element_shape": [4]}

    def added(x, y):
        a, b = (raw.TensorListFromTensor(tensor=one, **sizes) for one in (x, y))
        return raw.TensorListStack(input_handle=add([a] * 9 + [b] * 2), element_dtype=x.dtype, **sizes)  # fmt: skip

    return t.call(added, t.randint((3, 4), dtype, 1, 9), t.randint((3, 4), dtype, 1, 9))


# --- to_int32


@case(TO_INT32, dtypes="f32 f64", core=False, reference=lambda np, x: np.trunc(x))
def to_int32_of_a_thousand(t, dtype):
    """Numbers up to a million of either sign, many below one, and the least that there are."""
    x = t.np.linspace(-1, 1, 2101)
    least = 1e-30 if dtype == "f32" else 1e-300
    x = t.np.concatenate([x**3 * 1e6 + x, x * 3, [least, -least, 1 - 2.0**-24, -1 + 2.0**-24]])
    return t.call(TO_INT32, t.const(x, dtype))


@case(TO_INT32, dtypes="f8e4m3fn f8e5m2", core=False, reference=lambda np, x: np.trunc(x))
def to_int32_of_eight_bits(t, dtype):
    return t.call(TO_INT32, t.const([[1.5, -3.5, 0.75], [-0.25, 128, -224]], dtype))


# --- floor


@case(
    FLOOR,
    dtypes="f16 bf16",
    core=False,
    rtol={"f16": 0.0, "bf16": 0.0},
    atol={"f16": 0.0, "bf16": 0.0},
    reference=lambda np, x: [np.floor(x), np.signbit(np.floor(x))],
)
def floor_of_every_number(t, dtype):
    """Of all numbers of sixteen bits but those that are less than normal."""
    bits = t.np.arange(2**16, dtype="uint16")
    x = bits.view("float16") if dtype == "f16" else (bits.astype("uint32") << 16).view("float32")
    least = 2.0**-14 if dtype == "f16" else 2.0**-126
    x = x[t.np.isfinite(x) & ((abs(x) >= least) | (x == 0))].astype("float64")
    made = t.call(FLOOR, t.const(x, dtype))
    return [made, t.np.signbit(t.host(made))]


@case(FLOOR, dtypes="f32 f64", core=False, reference=lambda np, x: [
      np.floor(x / 4 + 0.125), 3 * (x / 4 + 0.125), np.floor(x / 4 + 0.125)])  # fmt: skip
def floor_beside_derivatives(t, dtype):
    """It adds nothing to them, in forward mode either; x + floor(x) has twice."""
    f, tf = t.get(FLOOR), t.fw

    def moved(x):
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x) * 3) as moving:
            made = f(x)
            both = x * x / 2 + made
        t.expect(moving.jvp(made) is None, "floor does not move")
        return [made, moving.jvp(both), f(made)]

    return t.call(moved, t.distinct((5, 7), dtype) / 4 + 0.125)


# --- logical_and


@case(AND, core=False, reference=lambda np, x, y: [x & y, x.T & y.T, x[::2, ::-1] & y[::2, ::-1], np.zeros((4, 6)), x & y[:, 0, None], x])  # fmt: skip
def and_of_arrays_that_lie_otherwise(t):
    """Of two arrays of NumPy; turned; every other row backwards; a tensor beside an array, a column, and itself."""
    x, y = t.const(t.np.arange(24).reshape(4, 6) % 5 < 3, "bool"), t.const(t.np.arange(24).reshape(4, 6) % 7 < 4, "bool")  # fmt: skip
    a, b = (t.np.array(t.host(one), bool) for one in (x, y))
    pairs = (a, b), (a.T, b.T), (a[::2, ::-1], b[::2, ::-1]), (x, ~a), (b[:, 0, None], x), (x, x)
    return [t.call(AND, *pair) for pair in pairs]


# --- matmul


_SIZES = (1, 1, 1), (1, 5, 3), (3, 1, 5), (5, 3, 1), (3, 5, 3), (5, 5, 5)
_TURNS = ("", "transpose_", "adjoint_")


def _turned(np, x, turn):
    return x if not turn else np.swapaxes(x.conj() if turn[0] == "a" else x, -1, -2)


@case(MATMUL, dtypes="f16 bf16 f32 f64 i32 i64 c64 c128", core=False, reference=lambda np, *xs: [
      x @ y for x, y in zip(xs[::2], xs[1::2]) for _ in range(9)])  # fmt: skip
def matmul_in_every_way(t, dtype):
    """Of six sizes, either one as it is, turned, or turned and conjugate. Whole numbers of both signs."""
    f = t.get(MATMUL)
    xs = [t.randint(shape, dtype, -5, 6) for m, k, n in _SIZES for shape in ((m, k), (k, n))]

    def product(x, y, a, b):
        conjugate = {"transpose_": lambda x: t.fw.transpose(x), "adjoint_": t.fw.linalg.adjoint, "": lambda x: x}  # fmt: skip
        return f(conjugate[a](x), conjugate[b](y), **{turn + side: True for turn, side in ((a, "a"), (b, "b")) if turn})  # fmt: skip

    def every(*xs):
        return [product(x, y, a, b) for x, y in zip(xs[::2], xs[1::2]) for a in _TURNS for b in _TURNS]  # fmt: skip

    return t.call(every, *xs)


@case(MATMUL, dtypes="f32 f64 c64 c128", core=False, grad=True, a=list(_TURNS), b=list(_TURNS), rtol={"f32": 1e-5, "c64": 1e-5},
      atol={"f32": 1e-5, "c64": 1e-5}, reference=with_gradient(lambda np, x, y, a, b: _turned(np, x, a) @ _turned(np, y, b)))  # fmt: skip
def matmul_slopes_in_every_way(t, dtype, a, b):
    """Of batches that are broadcast, either one as it is, turned, or turned and conjugate."""
    x = t.randn((2, 1, 4, 3) if a else (2, 1, 3, 4), dtype)
    y = t.randn((3, 2, 4) if b else (3, 4, 2), dtype)
    turns = {turn + side: True for turn, side in ((a, "a"), (b, "b")) if turn}
    return t.call(MATMUL, x, y, **turns)


@case(MATMUL, dtypes="f32 bf16", core=False, grad=True, rtol={"f32": 1e-5}, a=["", "transpose_"], b=["", "transpose_"],
      reference=with_gradient(lambda np, x, y, a, b: _turned(np, x, a) @ _turned(np, y, b)))  # fmt: skip
def matmul_slopes_of_sparse(t, dtype, a, b):
    """Both are said to have many zeros."""
    x = t.const(t.np.arange(1, 41).reshape((8, 5) if a else (5, 8)) % 5 % 3, dtype, grad=True)
    y = t.const(t.np.arange(1, 33).reshape((4, 8) if b else (8, 4)) % 7 % 4, dtype, grad=True)
    turns = {turn + side: True for turn, side in ((a, "a"), (b, "b")) if turn}
    return t.call(MATMUL, x, y, a_is_sparse=True, b_is_sparse=True, **turns)


@case(
    MATMUL,
    core=False,
    since=("2.16", "hints of a backward pass"),
    reference=lambda np, x, y, z: [x @ y, x @ y, x @ y, x @ y, z @ z.T],
)
def matmul_of_two_kinds(t):
    """With the hint of zeros f32 beside bf16, either way; hints of a backward pass; bytes into short floats; whole numbers with a hint."""
    x, y = t.randint((4, 6), "f32", -5, 6), t.randint((6, 3), "f32", -5, 6)
    z, tf, short = t.randint((3, 4), "i32", -9, 9), t.fw, t.fw.bfloat16
    made = [
        t.call(MATMUL, tf.cast(x, short), y, a_is_sparse=True),
        t.call(MATMUL, x, tf.cast(y, short), b_is_sparse=True),
        t.call(MATMUL, x, y, grad_a=True, grad_b=True),
        t.call(MATMUL, tf.cast(x, tf.int8), tf.cast(y, short), output_type=short),
        t.call(MATMUL, z, z, transpose_b=True, a_is_sparse=True, b_is_sparse=True),
    ]
    t.expect([one.dtype.name for one in made] == ["float32"] * 3 + ["bfloat16", "int32"], "dtypes")
    return made


# --- multiply


@case(
    MULTIPLY,
    dtypes="i8 u8 i16 u16 i32 u32 i64",
    core=False,
    reference=lambda np, x, y: np.multiply(x, y),
)
def multiply_up_to_the_largest(t, dtype):
    """Whole numbers whose product just has room, of either sign."""
    bits = int(dtype[1:]) - (dtype[0] == "i")
    half, most = 2 ** (bits // 2), 2**bits - 1
    x, y = [half - 1, half, most, 1, 0, most // 3], [half, half // 2 if bits % 2 == 0 else half, 1, most, most, 3]  # fmt: skip
    if dtype[0] == "i":
        x, y = x + [-one for one in x] + [-most - 1, half], y + y + [1, -(2 ** (bits - bits // 2))]
    return t.call(MULTIPLY, t.const(x, dtype), t.const(y, dtype))


@case(MULTIPLY, dtypes="f32 f64 c64", core=False, trivial=True, grad=True, reference=with_gradient(
      lambda np, x, y: x * y, lambda np, w, x, y: (np.zeros(x.shape), np.zeros(y.shape))))  # fmt: skip
def multiply_slopes_of_nothing(t, dtype):
    """What meets nothing has the slope zero."""
    return t.call(MULTIPLY, t.randn((1, 3), dtype), t.randn((0, 3), dtype))


_MET = [((1, 3, 2), (1,)), ((1, 3, 2), (2,)), ((1, 3, 2), (3, 2)), ((1, 3, 2), (3, 1)), ((1, 3, 2), (2, 3, 2)), ((1, 3, 2), (2, 1, 1)),
        ((1, 3, 2), (1, 3, 1)), ((2, 1, 5), (2, 3, 1)), ((2, 0, 5), (2, 0, 1)), ((2, 3, 0), (2, 3, 1)), ((2, 1, 3, 1, 2), (3, 1, 4, 1)),
        ((), (2, 3)), ((1, 1, 1, 1, 3, 2), (1, 3, 2)), ((1, 3, 2, 1, 1), (1,)), ((2, 3, 1, 1, 5), (1,)), ((10, 3, 1, 2), (3, 1, 2))]  # fmt: skip


@case(MULTIPLY, dtypes="f16 i64 c64", core=False, reference=lambda np, *xs: [one for x, y in zip(xs[::2], xs[1::2]) for one in (x * y, y * x)])  # fmt: skip
def multiply_what_meets(t, dtype):
    """Sixteen pairs of shapes, either first. Whole numbers."""
    f, xs = t.get(MULTIPLY), [t.randint(shape, dtype, -9, 10) for pair in _MET for shape in pair]

    def every(*xs):
        return [one for x, y in zip(xs[::2], xs[1::2]) for one in (f(x, y), f(y, x))]

    return t.call(every, *xs)


@case(MULTIPLY, dtypes="f32 f64 c128", core=False, grad=True, pair=list(range(len(_MET))), trivial=True, rtol={"f32": 1e-5},
      atol={"f32": 1e-5}, reference=with_gradient(lambda np, x, y, **_: x * y))  # fmt: skip
def multiply_slopes_that_meet(t, dtype, pair):
    """The axes that repeat are summed, first, within and last; a factor that comes second."""
    x, y = (t.randn(shape, dtype) for shape in _MET[pair])
    return t.call(MULTIPLY, x, y)


@case(
    MULTIPLY,
    dtypes="f32 i32 c64",
    core=False,
    reference=lambda np, x, y: [x * y] * 5 + [3 * x, 3 * x, x * y[0, 0], x * y],
)
def multiply_by_its_sign(t, dtype):
    """Between tensors, arrays of NumPy and variables on either side; a number before and behind; in place of a name."""
    x, y = t.randint((3, 4), dtype, -9, 10), t.randint((3, 4), dtype, -9, 10)
    a, b = (t.np.array(t.host(one)).astype(x.dtype.as_numpy_dtype) for one in (x, y))
    held, other = t.fw.Variable(x), t.fw.Variable(y)
    made = [
        t.call(lambda x, y: x * y, x, y),
        t.call(lambda y: a * y, y),
        t.call(lambda x: x * b, x),
    ]
    made += [t.call(lambda: held * b), t.call(lambda: a * other)]
    made += [t.call(lambda x: 3 * x, x), t.call(lambda x: x * 3, x)]
    return [*made, t.call(MULTIPLY, x, y[0, 0]), t.call(MULTIPLY, x=x, y=y, name="product")]


# --- sums and truths over axes


def _axes(rank):
    """Every set of the axes."""
    return [tuple(a for a in range(rank) if number >> a & 1) for number in range(2**rank)]


@case(SUM, dtypes="f32 f16 bf16 i32 c64 c128", core=False, reference=lambda np, *xs: [
      np.sum(x, axis=axes, keepdims=keep) for x in xs for axes in _axes(x.ndim) for keep in (False, True)])  # fmt: skip
@case(ANY, dtypes="bool", core=False, reference=lambda np, *xs: [
      np.any(x, axis=axes, keepdims=keep) for x in xs for axes in _axes(x.ndim) for keep in (False, True)])  # fmt: skip
def over_every_set_of_axes(t, dtype, function):
    """Of one to five axes, which stay or go. Whole numbers; of truths few."""
    f = t.get(function)
    shapes = [(2,) * rank for rank in range(1, 6)]
    if dtype == "bool":
        xs = [t.const(t.np.arange(2 ** len(s)).reshape(s) % 7 == 1, dtype) for s in shapes]
    else:
        xs = [t.randint(shape, dtype, -3, 4) for shape in shapes]

    def every(*xs):
        return [f(x, axes, keep) for x in xs for axes in _axes(x.shape.rank) for keep in (False, True)]  # fmt: skip

    return t.call(every, *xs)


_BLOCKS = [(a, b, c) for a in (1, 3, 33) for b in (1, 16, 33) for c in (1, 3, 16)]


@case(SUM, dtypes="f32 f64 i64", core=False, reference=lambda np, *xs: [one for x in xs for one in (x.sum(1), x.sum((0, 2)), x.sum((0, 1)))])  # fmt: skip
@case(ANY, dtypes="bool", core=False, reference=lambda np, *xs: [one for x in xs for one in (x.any(1), x.any((0, 2)), x.any((0, 1)))])  # fmt: skip
def of_blocks_of_each_size(t, dtype, function):
    """The middle, both sides, and the first two of three axes, of one to thirty-three. Whole numbers."""
    f, make = t.get(function), t.np.arange
    if dtype == "bool":
        xs = [t.const(make(t.np.prod(s)).reshape(s) % 37 == 5, dtype) for s in _BLOCKS]
    else:
        xs = [t.const(make(t.np.prod(s)).reshape(s) * 7 % 19 - 8, dtype) for s in _BLOCKS]
    return t.call(lambda *xs: [one for x in xs for one in (f(x, 1), f(x, [0, 2]), f(x, [0, 1]))], *xs)  # fmt: skip


@case(SUM, dtypes="f32 f64 c64", core=False, grad=True, axis=[None, (), 0, (1,), (2,), (1, 2), (0, 1, 2, 3), (-1, 0)], keep=[False, True],
      rtol={"f32": 1e-5}, atol={"f32": 1e-5}, reference=with_gradient(lambda np, x, axis, keep: np.sum(x, axis=axis, keepdims=keep)))  # fmt: skip
def sum_slopes_over_axes(t, dtype, axis, keep):
    """All, none, one, several, those that stay."""
    given = list(axis) if isinstance(axis, tuple) else axis
    return t.call(SUM, t.randn((2, 3, 4, 2), dtype), given, keep)


@case(SUM, core=False, host_only=True, reference="none")
@case(ANY, core=False, host_only=True, reference="none")
def over_axes_known_in_part(t, function):
    """In a graph: what is known of the result where sizes, axes or their number are fed; axes that are not there, twice, in rows."""
    tf, fed = t.fw, t.fw.compat.v1.placeholder
    kind = tf.float32 if function == SUM else tf.bool
    one = tf.cast([[1, 0], [0, 0]], kind)
    t.raises(tf.errors.InvalidArgumentError, t.call, function, one, tf.constant([0, 0]))
    many = t.np.array([63600, 1], "float16")
    t.raises(ValueError, t.call, function, True if kind == tf.bool else 1, keepdims=many)
    for index in (tf.int32, tf.int64):
        got = t.call(function, one, tf.constant(0, index)).numpy().tolist()
        t.expect(got == [1, 0], "over an axis in a tensor of %s, got %s" % (index, got))
    with tf.Graph().as_default():
        free, rows, axes = fed(kind), fed(kind, [None, None, 3]), fed(tf.int32)
        fixed = tf.cast([[1, 0], [0, 1]], kind)
        late = t.call(function, fixed, axes, name="total")
        t.expect(late.name == "total:0", "its name, got %s" % late.name)
        found = {
            "all": (t.call(function, free), []),
            "no known rank": (t.call(function, free, [1, 2]), None),
            "that stay": (t.call(function, rows, [0, 1], keepdims=True), [1, 1, 3]),
            "that go": (t.call(function, rows, -2), [None, 3]),
            "fed axes": (late, None),
            "fed axes that stay": (t.call(function, fixed, axes, True), [None, None]),
        }
        for name, (made, want) in found.items():
            got = None if made.shape.rank is None else made.shape.as_list()
            t.expect(got == want, "%s: %s, got %s" % (name, want, got))
        for wrong in ([-3], [2], [0, 2], [[0], [1]]):
            t.raises(ValueError, t.call, function, fixed if wrong != [[0], [1]] else free, wrong)
        with tf.compat.v1.Session() as session:
            for given, want in (([0], [1, 1]), ([0, 1], 2 if function == SUM else 1), ([], [[1, 0], [0, 1]])):  # fmt: skip
                got = session.run(late, {axes: given}).tolist()
                t.expect(got == want, "over %s: %s, got %s" % (given, want, got))


# --- sigmoid


@case(SIGMOID, dtypes="f16 bf16", core=False, reference=lambda np, x: 1 / (1 + np.exp(-x)))
def sigmoid_of_every_number(t, dtype):
    """Of all numbers of sixteen bits from -60 to 60 that are no smaller than normal."""
    bits = t.np.arange(2**16, dtype="uint16")
    x = bits.view("float16") if dtype == "f16" else (bits.astype("uint32") << 16).view("float32")
    x = x[(abs(x) <= 60) & (abs(x) >= (2.0**-14 if dtype == "f16" else 2.0**-126))]
    return t.call(SIGMOID, t.const(x.astype("float64"), dtype))


@case(SIGMOID, dtypes="f32 f64", core=False, rtol={"f32": 1e-5, "f64": 1e-12}, atol={"f32": 0.0, "f64": 0.0}, reference=lambda np, x: [
      1 / (1 + np.exp(-x)), 1 / (1 + np.exp(x)) / (1 + np.exp(-x))])  # fmt: skip
def sigmoid_in_relation_to_its_size(t, dtype):
    """Of variables, from where all but a trace is gone to where its slope is."""
    f, tf = t.get(SIGMOID), t.fw
    x = t.const(t.np.linspace(-80, 12, 93), dtype)
    held = tf.Variable(x)

    def sloped():
        with tf.GradientTape() as tape:
            made = f(held)
        return [made, tape.gradient(made, held)]

    made = t.call(sloped)
    return [made[0], tf.where(x < 4, made[1], x * 0 + tf.exp(-x) / (1 + tf.exp(-x)) ** 2)]


@case(
    SIGMOID,
    dtypes="f32",
    core=False,
    rtol={"f32": 1e-5},
    reference=lambda np, *xs: [1 / (1 + np.exp(-x / 3)) for x in xs],
)
def sigmoid_of_any_rank(t, dtype):
    """One program for any number of axes; a list of Python."""
    f, spec = t.get(SIGMOID), t.fw.TensorSpec(None, t.dtype(dtype))
    program = t.fw.function(lambda x: f(x), input_signature=[spec], autograph=False)
    xs = [t.distinct(shape, dtype) / 3 for shape in ((5,), (2, 3, 4), (3, 1))]
    made = [t.call(program, x) for x in xs[:2]]
    return [*made, t.call(SIGMOID, t.host(xs[2]).tolist())]


# --- random.uniform


@case(UNIFORM, dtypes="f32 f64 f16 i32 i64", core=False, random=True)
def uniform_from_seeds(t, dtype):
    """Of both seeds, whatever their size, the same numbers come again, and those of another seed differ."""
    if t.compiled:
        raise Skip("a compiled program draws from other generators")
    tf, seeds = t.fw, (345, 2**100, -(2**100), 346)

    def drawn(own):
        tf.random.set_seed(5)
        return t.call(UNIFORM, [500], 0, 17, t.dtype(dtype), own)

    made = [drawn(own) for own in seeds]
    for own, first in zip(seeds, made):
        t.expect((t.host(drawn(own)) == t.host(first)).all(), "the same of the seed %d" % own)
    for one, other in zip(made, made[1:]):
        alike = (t.host(one) == t.host(other)).mean()
        t.expect(alike < 0.2, "others from another seed, %g alike" % alike)
    whole = dtype[0] == "i"
    for one in made:
        mean = 8.0 if whole else 8.5
        t.statistics(one, mean=mean, std=24**0.5 if whole else 17 / 12**0.5, low=0, high=16 if whole else 17)  # fmt: skip
    return made


@case(UNIFORM, core=False, host_only=True, random=True, reference="none")
def uniform_sequences(t):
    """As the documentation of set_seed tells: what follows on which seed, in calls, in two places of a function, in two functions."""
    tf = t.fw

    def number(**seed):
        return float(t.call(UNIFORM, [], **seed))

    def again(make):
        tf.random.set_seed(1234)
        return make()

    for seed in ({}, {"seed": 1}):
        first = again(lambda: [number(**seed), number(**seed)])  # noqa: B023
        t.expect(first == again(lambda: [number(**seed), number(**seed)]), "the same sequence")  # noqa: B023  # fmt: skip
        t.expect(first[0] != first[1], "of two numbers, got %s" % first)

    def functions():
        f, g = (tf.function(lambda: t.get(UNIFORM)([], seed=1)) for _ in range(2))
        twice = tf.function(lambda: (t.get(UNIFORM)([], seed=1), t.get(UNIFORM)([], seed=1)))
        return [float(f()), float(f()), float(g()), float(g()), *map(float, twice())]

    made = again(functions)
    t.expect(made[:2] == made[2:4], "the same of two functions, got %s" % made)
    t.expect(made[0] != made[1] and made[4] == made[5], "of two places alike, got %s" % made)
    t.expect(made == again(functions), "the same again")


@case(UNIFORM, core=False, host_only=True, reference="none")
def uniform_known_in_part(t):
    """No number of no range is fine; more than memory counts is refused; in a graph, what is known of the shape; two draws are two."""
    tf, fed = t.fw, t.fw.compat.v1.placeholder
    for kind in (tf.int32, tf.int64):
        for low, high in ((0, 0), (5, 2)):
            made = t.call(UNIFORM, [0], low, high, kind)
            t.expect(made.shape == [0] and made.dtype == kind, "no number, got %s" % made)
            t.raises(tf.errors.InvalidArgumentError, t.call, UNIFORM, [1], low, high, kind)
    t.refuses(UNIFORM, [2**40, 2**40])
    with tf.Graph().as_default():
        whole = t.call(UNIFORM, fed(tf.int32, [3]), name="draw")
        t.expect(whole.name.startswith("draw"), "its name, got %s" % whole.name)
        got = [t.call(UNIFORM, [1, 2, 3]).shape.as_list(), whole.shape.as_list()]
        t.expect(got == [[1, 2, 3], [None] * 3], "sizes, got %s" % got)
        t.expect(t.call(UNIFORM, fed(tf.int32)).shape.rank is None, "no known rank")
        for kind in (tf.float16, tf.float32, tf.int32):
            one, other = (t.call(UNIFORM, [2, 3, 4], 0, 17, kind) for _ in range(2))
            with tf.compat.v1.Session() as session:
                a, b = session.run([one, other])
                t.expect((a != b).any(), "two draws of %s, got %s twice" % (kind, a))


@case(
    UNIFORM,
    core=False,
    since=("2.9", "deterministic operations"),
    host_only=True,
    reference="none",
    timeout_s=120,
)
def uniform_that_must_be_the_same(t):
    """In a process whose operations must be deterministic a draw needs a seed, of either kind."""
    source = (
        "import importlib\n"
        "tf = importlib.import_module('tensorflow')\n"
        "tf.config.experimental.enable_op_determinism()\n"
        "def draw(**seed):\n"
        "    try: return float(tf.random.uniform([], **seed)) < 1\n"
        "    except RuntimeError: return 'refused'\n"
        "seen = [draw(), draw(seed=3)]\n"
        "tf.random.set_seed(7)\n"
        "print('seen', seen + [draw()])\n"
    )

    def run():
        t.get(UNIFORM)
        environment = dict(os.environ, CUDA_VISIBLE_DEVICES="-1")
        return subprocess.run(
            [sys.executable, "-c", source], stdout=subprocess.PIPE, env=environment
        )

    done = t.call(run)
    t.expect(b"seen ['refused', True, True]" in done.stdout, "got %s" % done.stdout)
