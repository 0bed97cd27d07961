"""A tensor's numbers in another shape or place: what all such functions have in common."""

from seamark_suites.case import case, each

from . import reference_views as right
from .reference import with_gradient

MOVES = (
    "tf.expand_dims tf.compat.v1.expand_dims tf.transpose tf.compat.v1.transpose tf.squeeze tf.compat.v1.squeeze "
    "tf.tile tf.broadcast_to tf.identity tf.slice tf.pad tf.compat.v1.pad tf.split tf.unstack"
)
NO_TILE_OR_PAD = " ".join(n for n in MOVES.split() if n.split(".")[-1] not in ("tile", "pad"))

# What each function is asked for: the shape of its input and its arguments. The first is its core case in most dtypes.
_AXES = ("6x5", [(1,), (0,), (-1,), (-3,)])
_ORDERS = ("3x4x5", [((2, 0, 1),), (), ((0, 2, 1),), ((0, 1, 2),)])
_ONES = ("1x6x1x5", [(), (0,), ((-2, 0),), (-2,)])
_PADDINGS = (
    "4x5",
    [(((1, 2), (0, 3)),), (((2, 1), (3, 2)), "REFLECT"), (((4, 1), (0, 5)), "SYMMETRIC")],
)
ASKED = {
    "tf.expand_dims": _AXES,
    "tf.compat.v1.expand_dims": _AXES,
    "tf.transpose": _ORDERS,
    "tf.compat.v1.transpose": _ORDERS,
    "tf.squeeze": _ONES,
    "tf.compat.v1.squeeze": _ONES,
    "tf.tile": ("4x7", [((2, 3),), ((1, 2),), ((3, 1),)]),
    "tf.broadcast_to": ("3x1x5", [((3, 4, 5),), ((2, 3, 1, 5),), ((2, 3, 4, 5),)]),
    "tf.identity": ("6x5", [()]),
    "tf.slice": ("4x6x5", [((1, 2, 0), (2, 3, 5)), ((0, 0, 1), (-1, 3, -1)), ((3, 5, 4), (1, 1, 1))]),
    "tf.pad": _PADDINGS,
    "tf.compat.v1.pad": _PADDINGS,
    "tf.split": ("6x8", [(2,), (4, 1), ((1, 2, 3), 0), ((2, -1, 3), -1)]),
    "tf.unstack": ("3x4x5", [(), (None, 1), (5, -1)]),
}  # fmt: skip
# Work that counts; a new axis or none moves no number.
LARGE = {
    "tf.transpose": ("2048x2048", ()),
    "tf.compat.v1.transpose": ("64x128x512", ((0, 2, 1),)),
    "tf.tile": ("512x1024", ((4, 3),)),
    "tf.broadcast_to": ("1x2048", ((2048, 2048),)),
    "tf.slice": ("2048x4096", ((0, 1000), (-1, 2048))),
    "tf.pad": ("32x224x224x3", (((0, 0), (3, 3), (3, 3), (0, 0)),)),
    "tf.compat.v1.pad": ("16x224x224x3", (((0, 0), (3, 3), (3, 3), (0, 0)), "REFLECT")),
    "tf.split": ("2048x3072", (3, 1)),
    "tf.unstack": ("8192x64x8", (None, 2)),
}  # fmt: skip


ALL, FIRST, REST = slice(None), slice(1), slice(1, None)


def asked(reference, chosen, **header):
    """The header of each function that has some of these arguments, with its shape."""

    def declare(body):
        for function, (shape, args) in ASKED.items():
            some = args[chosen]
            if not some:
                continue
            case(function, shapes=shape, args=some, reference=reference(function), **header)(body)
        return body

    return declare


def large(body):
    for function, (shape, args) in LARGE.items():
        case(
            function,
            dtypes="f32",
            shapes=shape,
            args=[args],
            large=True,
            name="many",
            reference=right.plain(function),
        )(body)
    return body


def sized(function, shape):
    """Arguments that every function takes for a tensor of the shape (1, 4, n), n at least 2."""
    return {
        "expand_dims": (-2,),
        "transpose": ((2, 0, 1),),
        "squeeze": (0,),
        "tile": ((2, 1, 3),),
        "broadcast_to": ((3, 4, shape[-1]),),
        "slice": ((0, 1, 1), (-1, 2, -1)),
        "pad": (((0, 1), (2, 0), (1, 1)),),
        "split": (2, 1),
        "unstack": (None, 1),
    }.get(function.split(".")[-1], ())


@large
@asked(right.gradient, FIRST, dtypes="f32 bf16", grad=True, name="gradient")
@asked(right.gradient, REST, dtypes="f32", grad=True, core=False, name="gradient")
@asked(right.gradient, FIRST, dtypes="f16 f64 c64", grad=True, core=False, name="gradient")
@asked(right.plain, FIRST, dtypes="f16 f64 i8 u8 i16 i32 c64 c128", core=False, name="forward")
@asked(right.plain, FIRST, dtypes="bf16 i64 bool", name="forward")
@asked(right.plain, ALL, dtypes="f32", name="forward")
def arranged(t, dtype, shape, args, function):
    return t.call(function, t.randn(shape, dtype), *args)


def _given(t, function, x):
    return t.call(function, x, *sized(function, tuple(x.shape)))


@each(MOVES, right.of_each(sized), dtypes="f32 i64", core=False)
def of_three_sizes(t, dtype, function):
    """One size after another."""
    return [_given(t, function, t.randn((1, 4, n), dtype)) for n in (3, 5, 8)]


@each(NO_TILE_OR_PAD, right.of_each(sized), dtypes="f8e4m3fn f8e5m2", core=False)
def of_eight_bits(t, dtype, function):
    return [_given(t, function, t.randn((1, 4, n), dtype)) for n in (3, 5)]


@each(MOVES, right.of_each(sized), dtypes="f32", core=False)
def of_unknown_size(t, dtype, function):
    """Traced once for every size: the shape is no constant of the graph."""
    given = sized(function, (1, 4, 5))

    def moved(x):
        if function == "tf.broadcast_to":
            return t.get(function)(x, t.fw.stack([3, 4, t.fw.shape(x)[2]]))
        return t.get(function)(x, *given)

    spec = t.fw.TensorSpec([1, 4, None], t.dtype(dtype))
    traced = t.fw.function(moved, input_signature=[spec], autograph=False)
    return [t.call(traced, t.randn((1, 4, n), dtype)) for n in (3, 5, 8)]


@each(MOVES, right.with_signs(sized), dtypes="f32 bf16", core=False)
def of_special_values(t, dtype, function):
    """NaN, infinities and the sign of zero go where the number goes."""
    row = [t.np.nan, -0.0, t.np.inf, 0.0, -t.np.inf, -1.5]
    made = _given(t, function, t.const([[row, row[::-1], row[2:] + row[:2], row]], dtype))
    made = made if isinstance(made, (list, tuple)) else [made]
    return [[one, t.np.signbit(t.host(one))] for one in made]


@each(MOVES, right.penalty_slope(sized), dtypes="f32", core=False)
def of_gradient_penalty(t, dtype, function):
    """The second derivative goes back the same way as the first. Whole numbers, which f32 adds exactly."""

    def slope_of_penalty(x):
        given = sized(function, tuple(x.shape))
        with t.fw.GradientTape() as outer:
            outer.watch(x)
            with t.fw.GradientTape() as inner:
                inner.watch(x)
                made = t.get(function)(x, *given)
                made = made if isinstance(made, (list, tuple)) else [made]
                total = t.fw.add_n([t.fw.reduce_sum(one**3) for one in made])
            penalty = t.fw.reduce_sum(inner.gradient(total, x) ** 2)
        return outer.gradient(penalty, x)

    return t.call(slope_of_penalty, t.randint((1, 4, 6), dtype, -3, 4))


# Inputs of few axes and of none, and the arguments that fit them.
ODD = {
    "tf.expand_dims": [((), (0,)), ((), (-1,)), ((0, 4), (1,)), ((7,), (0,))],
    "tf.transpose": [((), ()), ((5,), ()), ((0, 4), ((1, 0),)), ((2, 1, 3), ((1, 2, 0),))],
    "tf.squeeze": [((), ()), ((1, 1, 1), ()), ((1, 0, 1), ()), ((3, 2), ()), ((1, 3), (0,))],
    "tf.tile": [((5,), ((3,),)), ((0, 4), ((2, 3),)), ((3, 2), ((2, 0),)), ((1,), ((4,),))],
    "tf.broadcast_to": [((), ((2, 3),)), ((3, 2), ((3, 2),)), ((1, 3), ((0, 3),)), ((1,), ((4, 1),))],
    "tf.identity": [((), ()), ((0, 4), ()), ((5,), ())],
    "tf.slice": [((5,), ((1,), (3,))), ((4, 3), ((2, 0), (0, 3))), ((4, 3), ((4, 0), (-1, 2))), ((0, 3), ((0, 1), (0, 2)))],
    "tf.pad": [((5,), (((1, 2),),)), ((0, 2), (((1, 1), (0, 1)),)), ((2, 3), (((0, 0), (0, 0)),))],
    "tf.split": [((4,), (4,)), ((0, 4), (2, 1)), ((4, 3), ((0, 4), 0)), ((3, 2), (1,))],
    "tf.unstack": [((3,), ()), ((0, 4), ()), ((2, 0), ()), ((1, 3), ())],
}  # fmt: skip
ODD.update(
    {"tf.compat.v1." + n: ODD["tf." + n] for n in ["expand_dims", "transpose", "squeeze", "pad"]}
)


@each(MOVES, right.of_pairs(ODD), dtypes="f32 i64", core=False)
def of_odd_input(t, dtype, function):
    """Scalars, vectors, nothing, and what stays as it is."""
    return [t.call(function, t.randn(shape, dtype), *args) for shape, args in ODD[function]]


# --- what TensorFlow's own tests move


BOTH_TRANSPOSES = "tf.transpose tf.compat.v1.transpose"
BOTH_EXPANDS = "tf.expand_dims tf.compat.v1.expand_dims"
# Lengths beside those of a tile, and an order that moves each axis.
TILED = [
    ((4, 1000, 3), (0, 2, 1)), ((4, 1000, 13), (2, 1, 0)), ((4, 8, 1000), (1, 2, 0)), ((4, 13, 1000), (2, 0, 1)),
    ((4, 17, 17, 19), (0, 3, 1, 2)), ((4, 8, 8, 38), (2, 3, 0, 1)), ((4, 10, 10, 10, 13), (4, 1, 2, 3, 0)),
]  # fmt: skip


@each(BOTH_TRANSPOSES, lambda function: lambda np, *xs: [
      x.transpose(perm) for x, (_, perm) in zip(xs, TILED)], dtypes="i8 f16 f32 f64 c128", core=False)  # fmt: skip
def transpose_of_tiles(t, dtype, function):
    """Few long rows and many short ones, images, blocks: what kernels cut into tiles. Each number tells its place."""
    f, perms = t.get(function), [perm for _, perm in TILED]
    numbers = [t.np.arange(t.np.prod(shape)).reshape(shape) for shape, _ in TILED]
    blocks = [t.const(n % 127 if dtype == "i8" else n % 2039, dtype) for n in numbers]
    return t.call(lambda *xs: [f(x, perm) for x, perm in zip(xs, perms)], *blocks)


@each(BOTH_TRANSPOSES, lambda function: lambda np, x, y: [
      x.T, x.transpose(2, 0, 1), y.transpose(2, 1, 0), np.zeros((1, 0, 4)), y.transpose(0, 2, 1)], dtypes="f32 c64 bool", core=False)  # fmt: skip
def transpose_by_orders_not_known(t, dtype, function):
    """Axes that are known when it runs, of known sizes and of none; what is known of the result; nothing in an axis."""
    f, tf, kind = t.get(function), t.fw, t.dtype(dtype)
    x, y = t.randn((2, 3, 4), dtype), t.randn((3, 1, 5), dtype)
    seen = []

    def turned(x, perm):
        seen.append((f(x).shape, f(x, [2, 0, 1]).shape, f(x, perm).shape.rank))
        return f(x, perm)

    program = tf.function(turned, input_signature=[tf.TensorSpec([None, None, 4], kind), tf.TensorSpec([None], tf.int32)], autograph=False)  # fmt: skip
    free = tf.function(lambda x, perm: f(x, perm), input_signature=[tf.TensorSpec(None, kind), tf.TensorSpec(None, tf.int64)], autograph=False)  # fmt: skip
    order = lambda perm, of="i32": t.fw.constant(perm, t.dtype(of))  # noqa: E731
    made = [
        t.call(program, x, order([2, 1, 0])),
        t.call(program, x, order([2, 0, 1])),
        t.call(free, y, order([2, 1, 0], "i64")),
        t.call(function, tf.zeros((1, 4, 0), kind), [0, 2, 1]),
        t.call(free, y, order([0, 2, 1], "i64")),
    ]
    known = [shape.as_list() for shape in seen[0][:2]]
    t.expect(known == [[4, None, None], [4, None, None]] and seen[0][2] == 3, "what is known, got %s" % (seen[0],))  # fmt: skip
    t.refuses(function, x, [[0, 1], [2, 0]])
    t.raises((ValueError, tf.errors.InvalidArgumentError), t.call, program, x, order([0, 1, 1]))
    return made


@each(BOTH_EXPANDS, lambda function: lambda np, *xs: [
      np.expand_dims(x, axis) for x in xs for axis in range(-1 - x.ndim, 1 + x.ndim)], dtypes="f32 bool i64", core=False)  # fmt: skip
def expand_at_each_place(t, dtype, function):
    """From both ends, of a number and of one to three axes."""
    f, shapes = t.get(function), [(), (2,), (2, 3), (2, 3, 5)]
    places = [range(-1 - len(shape), 1 + len(shape)) for shape in shapes]
    drawn = [t.randn(shape, dtype) for shape in shapes]
    return t.call(lambda *xs: [f(x, at) for x, some in zip(xs, places) for at in some], *drawn)


@each(
    BOTH_EXPANDS,
    lambda function: lambda np, x: [x[:, None], x[..., None], x[0][None], x[None]],
    dtypes="f32",
    core=False,
)
def expand_while_traced(t, dtype, function):
    """Of any number of axes, at a place that is known when it runs, and of known ones; what is known; what is refused."""
    f, tf, seen = t.get(function), t.fw, []
    open_ = tf.TensorSpec(None, t.dtype(dtype)), tf.TensorSpec([], tf.int32)
    program = tf.function(lambda x, at: f(x, at), input_signature=open_, autograph=False)

    def first(x):
        seen.append(f(x, 1).shape.as_list())
        return f(x, 0, name="first")

    known = tf.function(first, input_signature=[tf.TensorSpec([None, 3], t.dtype(dtype))], autograph=False)  # fmt: skip
    x, at = t.randn((2, 3), dtype), lambda n: tf.constant(n)
    made = [t.call(program, x, at(1)), t.call(program, x, at(-1)), t.call(program, x[0], at(0)), t.call(known, x)]  # fmt: skip
    t.expect(seen == [[None, 1, 3]], "what is known, got %s" % seen)
    for place in (3, -4):
        t.raises((ValueError, tf.errors.InvalidArgumentError), t.call, program, x, at(place))
    t.refuses(function, [False, True, True], -5)
    t.refuses(function, tf.zeros((2, 3, 5)), 4)
    return made


TILE = "tf.tile"


@case(
    TILE,
    dtypes="u32 u64 i64",
    core=False,
    reference=lambda np, x: [np.tile(x, (1, 4)), np.tile(x, (3, 2)), x],
)
def tile_of_wide_kinds(t, dtype):
    """A column four times, both ways, and as it is."""
    x = t.const(t.np.arange(1, 5).reshape(4, 1) * 2**14 - 1, dtype)
    return [t.call(TILE, x, times) for times in ([1, 4], [3, 2], [1, 1])]


def _taken(np, w, x):
    found = np.zeros(12)
    np.add.at(found, [1, 5, 9, 3, 7, 2, 2, 2], w)
    return found.reshape(3, 4).sum(0)


@case(TILE, dtypes="f32 f64", core=False, grad=True, reference=with_gradient(
      lambda np, x: [np.tile(x, 3)[[1, 5, 9, 3, 7, 2, 2, 2]], x[0]], lambda np, w, x: _taken(np, w[0], x) + w[1] * np.eye(4)[0]))  # fmt: skip
def tile_slopes_of_rows(t, dtype):
    """Back from rows that are taken of the copies, one of them three times; a number without axes."""
    f = t.get(TILE)
    taken = lambda x: [t.fw.gather(f(x, t.fw.constant([3], t.fw.int64)), [1, 5, 9, 3, 7, 2, 2, 2]), f(x[0], [])]  # noqa: E731 # fmt: skip
    return t.call(taken, t.randn((4,), dtype))


@case(
    TILE, dtypes="f32", core=False, reference=lambda np, x: [np.tile(x, (2, 7)), np.tile(x, (1, 7))]
)
def tile_while_traced(t, dtype):
    """What is known of the sizes; counts of another length, and more numbers than there can be, are refused."""
    f, tf, seen, kind = t.get(TILE), t.fw, [], t.dtype(dtype)

    def copied(x, n):
        seen.append([f(x, tf.stack([n, 7])).shape.as_list(), f(x, tf.stack([n, n])).shape.as_list(), f(x, [2, 3]).shape.as_list()])  # fmt: skip
        return f(x, tf.stack([n, 7]))

    program = tf.function(copied, input_signature=[tf.TensorSpec([1, 3], kind), tf.TensorSpec([], tf.int32)], autograph=False)  # fmt: skip
    x = t.const([[2.5, 1.0, -3.0]], dtype)
    made = [t.call(program, x, tf.constant(n)) for n in (2, 1)]
    t.expect(seen[0] == [[None, 21], [None, None], [2, 9]], "what is known, got %s" % seen[0])
    pair = tf.function(lambda x, n: f(x, n), input_signature=[tf.TensorSpec([None, None], kind), tf.TensorSpec([3], tf.int32)], autograph=False)  # fmt: skip
    t.raises((ValueError, TypeError), t.call, pair, x, tf.constant([1, 2, 3]))
    t.refuses(TILE, x, [[2, 3], [3, 4]])
    t.refuses(TILE, tf.ones((1, 1, 1)), [100000000] * 3)
    return made
