"""A tensor's numbers in another shape or place: what all such functions have in common."""

from seamark_suites.case import case

from . import reference_views as right

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


def each(names, reference=None, **header):
    """The same header for several functions, with the reference that reference(function) gives."""

    def declare(body):
        for function in names.split():
            made = "none" if reference is None else reference(function)
            case(function, reference=made, **header)(body)
        return body

    return declare


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
