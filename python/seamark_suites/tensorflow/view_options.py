"""A tensor's numbers in another shape or place: what each of these functions has for itself."""

from seamark_agent.harness import Skip

from seamark_suites.case import case

from . import reference_views as right
from .reference import with_gradient
from .reference_arithmetic import folded
from .views import each

TRANSPOSES = "tf.transpose tf.compat.v1.transpose"
PADS = "tf.pad tf.compat.v1.pad"
SQUEEZES = "tf.squeeze tf.compat.v1.squeeze"
EXPANDS = "tf.expand_dims tf.compat.v1.expand_dims"
SPLIT = "tf.split"
SLICE = "tf.slice"
UNSTACK = "tf.unstack"

# Arguments for an input of the shape (1, 4, n).
OLD = {
    "tf.compat.v1.expand_dims": (-2,),
    "tf.compat.v1.transpose": ((2, 0, 1),),
    "tf.compat.v1.squeeze": (0,),
    "tf.compat.v1.pad": (((0, 1), (2, 0), (1, 1)),),
}


@each(" ".join(OLD), lambda function: lambda np, *xs: [
      right.OF[function](np, x, *OLD[function]) for x in xs], dtypes="f32 i64", core=False)  # fmt: skip
def in_session(t, dtype, function):
    """In a graph of TensorFlow 1, of a placeholder whose sizes are not known."""
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    made = []
    for n in (3, 5):
        values = t.host(t.randn((1, 4, n), dtype))
        with t.fw.Graph().as_default(), t.fw.device(t.device):
            fed = t.fw.compat.v1.placeholder(t.dtype(dtype), [None, None, None])
            moved = t.get(function)(fed, *OLD[function])
            with t.fw.compat.v1.Session() as session:
                made.append(t.call(session.run, moved, {fed: values}))
    return made


# --- transpose


@each(TRANSPOSES, lambda function: lambda np, x, conjugate: (
      x.transpose(1, 2, 0).conj() if conjugate else x.transpose(1, 2, 0)),
      dtypes="c64 c128", conjugate=[True, False], core=False)  # fmt: skip
@each(TRANSPOSES, lambda function: with_gradient(lambda np, x, conjugate: (
      x.transpose(1, 2, 0).conj())), dtypes="c64", conjugate=[True], grad=True, core=False,
      name="conjugate_gradient")  # fmt: skip
@each(TRANSPOSES, lambda function: lambda np, x, conjugate: x.transpose(1, 2, 0), dtypes="f32 i64",
      conjugate=[True], core=False)  # fmt: skip
def conjugate_transpose(t, dtype, conjugate, function):
    """Of real numbers it is the plain one."""
    return t.call(function, t.randn((3, 4, 2), dtype), perm=[1, 2, 0], conjugate=conjugate)


_PERMS = [(0, 2, 3, 1), (0, 3, 1, 2), (3, 2, 1, 0), (0, 2, 1, 3), (1, 0, 2, 3)]


@each(
    TRANSPOSES,
    lambda function: lambda np, x, perm: x.transpose(perm),
    dtypes="f32 bf16",
    perm=_PERMS,
    core=False,
)
def transpose_images(t, dtype, perm, function):
    """Channels last and first, heads and rows, all axes turned."""
    return t.call(function, t.randn((2, 5, 4, 3), dtype), perm)


@each(
    TRANSPOSES,
    lambda function: lambda np, x, perm: x.transpose(4, 0, 3, 1, 2, 5),
    dtypes="f32 i64",
    core=False,
)
def transpose_axes_by_tensor(t, dtype, function):
    """Axes that are data, of a tensor of six."""
    x, perm = t.randn((2, 3, 1, 4, 2, 3), dtype), t.const([4, 0, 3, 1, 2, 5], "i32")
    return t.call(function, x, perm)


@each(TRANSPOSES, lambda function: lambda np, x: x.transpose(2, 0, 1), dtypes="f32 i64", core=False)
def transpose_axes_from_the_end(t, dtype, function):
    return t.call(function, t.randn((2, 3, 4), dtype), [-1, 0, -2])


@each(TRANSPOSES, lambda function: lambda np, x, y, *_: [
      x.transpose(7, 5, 3, 1, 6, 4, 2, 0), x.transpose(0, 1, 2, 4, 3, 5, 6, 7), y.transpose(2, 3, 0, 1), y.T, y[0, 0].T], dtypes="f32 bf16",
      core=False)  # fmt: skip
def transpose_of_many_axes(t, dtype, function):
    """Eight axes turned round or but two of them; blocks that change places; axes in i64; traced once for any rank."""
    x, y = t.randn((2, 1, 3, 2, 2, 1, 2, 3), dtype), t.randn((2, 3, 4, 5), dtype)
    turn, spec = t.get(function), t.fw.TensorSpec(None, t.dtype(dtype))
    traced = t.fw.function(lambda x: turn(x), input_signature=[spec], autograph=False)
    return [
        t.call(function, x, [7, 5, 3, 1, 6, 4, 2, 0]),
        t.call(function, x, (0, 1, 2, 4, 3, 5, 6, 7)),
        t.call(function, y, t.const([2, 3, 0, 1], "i64")),
        t.call(traced, y),
        t.call(traced, y[0, 0]),
    ]


@each(TRANSPOSES, core=False)
def transpose_refuses(t, function):
    """An axis twice, too few axes, one that is not there."""
    x = t.randn((2, 3, 4), "f32")
    for perm in ([0, 0, 1], [0, 1], [0, 1, 5], [0, 1, -4]):
        t.refuses(function, x, perm)


# --- expand_dims, squeeze


@each(
    EXPANDS,
    lambda function: lambda np, x, *_: [x[:, None], x[..., None], x[None]],
    dtypes="f32",
    core=False,
)
def expand_by_tensor(t, dtype, function):
    """An axis that is data, in a scalar or a list of one; one by keyword."""
    x, one, two = t.randn((3, 4), dtype), t.const(1, "i32"), t.const([-1], "i64")
    return [t.call(function, x, one), t.call(function, x, two), t.call(function, x, axis=0)]


@case("tf.compat.v1.expand_dims", dtypes="f32 i64", core=False, reference=lambda np, x: x[:, None])
def expand_old_keyword(t, dtype):
    return t.call("tf.compat.v1.expand_dims", t.randn((3, 4), dtype), dim=1)


@each(EXPANDS, core=False)
def expand_refuses(t, function):
    """Places that are not there, two axes at once."""
    x = t.randn((2, 3), "f32")
    for axis in (3, -4, [0, 1]):
        t.refuses(function, x, axis)


@case("tf.compat.v1.expand_dims", core=False, reference="none")
def expand_old_refuses(t):
    x = t.randn((2, 3), "f32")
    t.refuses("tf.compat.v1.expand_dims", x)
    t.refuses("tf.compat.v1.expand_dims", x, 1, dim=1)


@case(
    "tf.compat.v1.squeeze",
    dtypes="f32 i64",
    core=False,
    reference=lambda np, x: [x[:, 0], x[..., 0]],
)
def squeeze_old_keyword(t, dtype):
    """squeeze_dims: a list, and a number."""
    x = t.randn((3, 1, 4, 1), dtype)
    squeeze = "tf.compat.v1.squeeze"
    return [t.call(squeeze, x, squeeze_dims=[1]), t.call(squeeze, x, squeeze_dims=-1)]


@each(SQUEEZES, core=False)
def squeeze_refuses(t, function):
    """An axis of another size, one that is not there."""
    x = t.randn((1, 3), "f32")
    for axis in (1, [0, 1], 2, -3):
        t.refuses(function, x, axis)


@case("tf.compat.v1.squeeze", core=False, reference="none")
def squeeze_old_refuses(t):
    t.refuses("tf.compat.v1.squeeze", t.randn((1, 3), "f32"), 0, squeeze_dims=0)


@each(SQUEEZES, lambda function: lambda np, _, *xs: [one for x in xs for one in (x[0, :, :, 0], np.squeeze(x))], dtypes="f32", core=False)  # fmt: skip
def squeeze_unknown_sizes(t, dtype, function):
    """All that have the size one when it runs; of those that are named another size is refused then."""
    drop, spec = t.get(function), t.fw.TensorSpec([None] * 4, t.dtype(dtype))
    named = t.fw.function(lambda x: drop(x, [0, -1]), input_signature=[spec], autograph=False)
    every = t.fw.function(lambda x: drop(x), input_signature=[spec], autograph=False)
    t.refuses(named, t.randn((2, 3, 1, 1), dtype))
    found = []
    for shape in ((1, 3, 2, 1), (1, 1, 4, 1)):
        x = t.randn(shape, dtype)
        found += [t.call(named, x), t.call(every, x)]
    return found


# --- tile, broadcast_to


@case("tf.tile", dtypes="f32 i64", kind=["i32", "i64"], core=False,
      reference=lambda np, x, times, kind: np.tile(x, (2, 3)))  # fmt: skip
@case("tf.broadcast_to", dtypes="f32 i64", kind=["i32", "i64"], core=False,
      reference=lambda np, x, to, kind: np.broadcast_to(x, (2, 3)))  # fmt: skip
def sizes_by_tensor(t, dtype, kind, function):
    """Sizes that are data."""
    return t.call(function, t.distinct((1, 3), dtype), t.const([2, 3], kind))


@case("tf.tile", dtypes="f32", core=False, reference=lambda np, x: [
      np.tile(x, (1, 2, 1, 3, 1)), np.tile(x, (2, 1, 2, 1, 2))])  # fmt: skip
def tile_many_axes(t, dtype):
    x = t.randn((2, 1, 3, 2, 1), dtype)
    return [t.call("tf.tile", x, (1, 2, 1, 3, 1)), t.call("tf.tile", x, (2, 1, 2, 1, 2))]


@case("tf.broadcast_to", dtypes="f32 bf16", core=False, reference=lambda np, x: [
      np.broadcast_to(x, (2, 4, 3, 5, 2)), np.broadcast_to(x[0, :, 0, 0], (6, 4, 2))])  # fmt: skip
def broadcast_many_axes(t, dtype):
    x = t.randn((1, 4, 1, 1, 2), dtype)
    one = t.call("tf.broadcast_to", x, (2, 4, 3, 5, 2))
    return [one, t.call("tf.broadcast_to", x[0, :, 0, 0], (6, 4, 2))]


@case("tf.tile", dtypes="f32 i64", core=False, reference=lambda np, x, *_: [
      np.tile(x, (2, 3)), np.tile(x, (0, 2)), np.tile(x[0], 4), x[0, 0]])  # fmt: skip
def tile_of_unknown_rank(t, dtype):
    """Traced once for tensors of any rank and as many numbers; none at all of one without axes."""
    repeat, spec = t.get("tf.tile"), t.fw.TensorSpec(None, t.dtype(dtype))
    specs = [spec, t.fw.TensorSpec([None], t.fw.int32)]
    traced = t.fw.function(lambda x, n: repeat(x, n), input_signature=specs, autograph=False)
    x = t.distinct((2, 3), dtype)
    given = (x, [2, 3]), (x, [0, 2]), (x[0], [4]), (x[0, 0], [])
    return [t.call(traced, one, t.const(times, "i32")) for one, times in given]


@case(
    "tf.tile",
    dtypes="f32 f64",
    core=False,
    grad=True,
    reference=with_gradient(lambda np, x: np.tile(x, (1, 2, 1, 3, 2))),
)
def tile_slopes_of_many_axes(t, dtype):
    """The copies' slopes are added up, axis by axis."""
    return t.call("tf.tile", t.randn((2, 1, 3, 2, 2), dtype), (1, 2, 1, 3, 2))


@case("tf.tile", core=False, reference="none")
def tile_refuses(t):
    """Too few and too many numbers, a negative one, fractions."""
    x = t.randn((2, 3), "f32")
    for times in ([2], [1, 2, 3], [1, -1], [1.5, 2.0]):
        t.refuses("tf.tile", x, times)


@case("tf.broadcast_to", core=False, reference="none")
def broadcast_refuses(t):
    """Another size, fewer axes."""
    x = t.randn((2, 3), "f32")
    for to in ([2, 4], [3], [4, 3]):
        t.refuses("tf.broadcast_to", x, to)


@case("tf.broadcast_to", core=False, reference="none")
def broadcast_refuses_open_size(t):
    """No size is found for -1."""
    t.refuses("tf.broadcast_to", t.randn((2, 3), "f32"), [-1, 3])


# --- what a reading found missing


@case("tf.transpose", dtypes="f32 u8", core=False, reference=lambda np, x, perm: [
      x.transpose(7, 0, 6, 1, 5, 2, 4, 3), x[0].transpose(1, 2, 3, 4, 5, 6, 0)])  # fmt: skip
def transpose_eight_axes(t, dtype):
    """With axes of one among them; the order by a tensor of i64, or a tuple."""
    x = t.randint((2, 3, 1, 2, 3, 2, 1, 2), dtype, 0, 100)
    one = t.call("tf.transpose", x, t.const([7, 0, 6, 1, 5, 2, 4, 3], "i64"))
    return [one, t.call("tf.transpose", x[0], (1, 2, 3, 4, 5, 6, 0))]


@case(
    "tf.transpose",
    dtypes="f32",
    core=False,
    reference=lambda np, *xs: [x.transpose(order) for x, order in zip(xs[::2], xs[1::2])],
)
def transpose_by_an_order_of_its_own(t, dtype):
    """One program: the axes are known when it runs."""
    specs = [t.fw.TensorSpec([None] * 3, t.dtype(dtype)), t.fw.TensorSpec([3], t.fw.int32)]
    f = t.get("tf.transpose")
    program = t.fw.function(lambda x, order: f(x, order), input_signature=specs, autograph=False)
    orders = [2, 0, 1], [0, 2, 1], [2, 1, 0]
    return [t.call(program, t.randn((2, 3, n), dtype), t.const(o, "i32")) for n, o in zip((4, 5, 6), orders)]  # fmt: skip


@case("tf.transpose", core=False, reference="none")
def transpose_refuses_orders(t):
    """A number for the order, fractions, too many axes."""
    x = t.randn((2, 3), "f32")
    for perm in (1, [0.0, 1.0], [0, 1, 2], [[1, 0]]):
        t.refuses("tf.transpose", x, perm)


@case(
    "tf.squeeze",
    dtypes="f32",
    core=False,
    reference=lambda np, x: [x[:, :, 0, :, 0], x.squeeze(), x.squeeze()],
)
def squeeze_named_axes(t, dtype):
    """From both ends; no axis in a list is as none named; by a name."""
    x, f = t.randn((1, 3, 1, 2, 1), dtype), "tf.squeeze"
    return [t.call(f, x, [2, -1]), t.call(f, x, []), t.call(f, input=x, axis=None)]


@case(
    "tf.squeeze", dtypes="f32 i64", core=False, reference=lambda np, x: [x, np.array([0, 2, 3, 3])]
)
def squeeze_ragged_rows(t, dtype):
    """Rows of three lengths lose an axis of one within."""

    def squeezed(x):
        rows = t.fw.RaggedTensor.from_row_lengths(x[:, None], [2, 1, 0])
        made = t.get("tf.squeeze")(rows, [2])
        return [made.flat_values, made.row_splits]

    return t.call(squeezed, t.randn((3,), dtype))


@case("tf.broadcast_to", dtypes="f32 i64", core=False, reference=lambda np, x, one: [
      x + np.zeros((3,) * 8), one + np.zeros((2, 3)), one, one + np.zeros((2, 0))])  # fmt: skip
def broadcast_to_named_otherwise(t, dtype):
    """To eight axes; a number, to a shape in an object or an array; to no axis; to nothing."""
    x, one = t.randn((3, 1, 1, 3, 1), dtype), t.randint((), dtype, 3, 9)
    given = (x, [3] * 8), (one, t.fw.TensorShape([2, 3])), (one, []), (one, t.np.array([2, 0]))
    return [t.call("tf.broadcast_to", value, shape) for value, shape in given]


@case("tf.broadcast_to", dtypes="f32 f64 bf16 c64", core=False, grad=True, shape_to=[(2, 3), (4, 2, 3, 5), (3, 2, 1, 5)],
      reference=with_gradient(lambda np, x, shape_to: np.broadcast_to(x, shape_to)))  # fmt: skip
def broadcast_gradient(t, dtype, shape_to):
    """Summed over new axes, over those of one, and over all for a number. Whole numbers."""
    shape = {2: (), 4: (1, 5) if shape_to[0] == 4 else (2, 1, 1)}[len(shape_to)]
    return t.call("tf.broadcast_to", t.randint(shape, dtype, -4, 5, grad=True), shape_to)


@case("tf.broadcast_to", core=False, reference="none")
def broadcast_refuses_shapes(t):
    """Fractions, a matrix of sizes, none where there are numbers, text."""
    x = t.randn((2, 3), "f32")
    for shape in ([2.0, 3.0], [[2, 3]], [0, 3], ["2", "3"], 6):
        t.refuses("tf.broadcast_to", x, shape)


# --- more axes than eight

FAR, FARTHER = [1] * 9 + [2, 15, 3, 2, 2, 2], [1, 1, 1, 2, 5, 3, 2, 2, 2, 3, 3, 3]


@case("tf.broadcast_to", dtypes="f32 i64 u8", core=False, reference=lambda np, x, y: [
      np.broadcast_to(x, FAR), np.broadcast_to(y, FARTHER)])  # fmt: skip
def broadcast_to_fifteen_axes(t, dtype):
    x, y = t.randn((2, 1, 3, 2, 2, 2), dtype), t.randn((2, 1, 3, 2, 2, 2, 1, 1, 1), dtype)
    return [t.call("tf.broadcast_to", x, FAR), t.call("tf.broadcast_to", y, FARTHER)]


@case("tf.broadcast_to", dtypes="f32 f64", core=False, grad=True, rtol={"f32": 1e-5}, reference=with_gradient(
      lambda np, x: np.broadcast_to(x, FARTHER), lambda np, w, x: folded(np, w, x.shape)))  # fmt: skip
def broadcast_gradient_of_twelve_axes(t, dtype):
    return t.call("tf.broadcast_to", t.randn((2, 1, 3, 2, 2, 2, 1, 1, 1), dtype), FARTHER)


@case("tf.broadcast_to", core=False, reference="none")
def broadcast_refuses_what_overflows(t):
    """More numbers than 64 bits count, where the sizes fit and where they do not."""
    shape = [110, 53, 104, 147, 157, 123, 5, 24, 188, 40, 5, 2]
    for x in (t.const([1, 2, 3], "f32"), t.const([1, 2], "f32"), t.randn((1, 2, 1), "f32")):
        t.refuses("tf.broadcast_to", x, shape)


DEEP = (2, 1, 2, 1, 3, 1, 2, 1, 2, 3)
TEN = [2, 3, 1, 2, 1, 2, 1, 1, 2, 1]


@case("tf.tile", dtypes="f32 i64", core=False, reference=lambda np, x: np.tile(x, TEN))
@case("tf.transpose", dtypes="f32 i64", core=False, reference=lambda np, x: x.transpose(*range(9, -1, -1)))  # fmt: skip
@case("tf.compat.v1.transpose", dtypes="f32 i64", core=False, reference=lambda np, x: x.transpose(*range(9, -1, -1)))  # fmt: skip
@case("tf.squeeze", dtypes="f32 i64", core=False, reference=lambda np, x: x.squeeze())
@case("tf.expand_dims", dtypes="f32 i64", core=False, reference=lambda np, x: x[:, :, :, :, None])
@case("tf.unstack", dtypes="f32 i64", core=False, reference=lambda np, x: list(x))
@case("tf.split", dtypes="f32 i64", core=False, reference=lambda np, x: np.split(x, 2))
@case("tf.stack", dtypes="f32 i64", core=False, reference=lambda np, x: np.stack([x, x]))
@case("tf.concat", dtypes="f32 i64", core=False, reference=lambda np, x: np.concatenate([x, x], 4))
@case("tf.gather", dtypes="f32 i64", core=False, reference=lambda np, x: x[:, :, :, :, [2, 0]])
def of_ten_axes(t, dtype, function):
    x, f = t.randn(DEEP, dtype), function.rsplit(".", 1)[1]
    given = {"tile": (x, TEN), "expand_dims": (x, 4), "split": (x, 2), "stack": ([x, x],), "concat": ([x, x], 4), "gather": (x, [2, 0], None, 4)}  # fmt: skip
    return t.call(function, *given.get(f, (x,)))


# --- sizes beyond a block


@case("tf.tile", dtypes="f32 i64 u8", core=False, reference=lambda np, x: [np.tile(x[0], 70001), np.tile(x, (70001, 1)), np.tile(x, (1, 70001))])  # fmt: skip
def tile_many_times(t, dtype):
    """A few numbers more often than 16 bits count, whole and by row."""
    x = t.randint((2, 3), dtype, 0, 100)
    given = (x[0], [70001]), (x, [70001, 1]), (x, [1, 70001])
    return [t.call("tf.tile", *one) for one in given]


@case("tf.pad", dtypes="f32 i64 u8", core=False, reference=lambda np, x: [
      np.pad(x, (70000, 65537)), np.pad(x, (2, 2), "reflect"), np.pad(x[:3, None], ((0, 0), (0, 65537)))])  # fmt: skip
@case("tf.compat.v1.pad", dtypes="f32 i64 u8", core=False, reference=lambda np, x: [
      np.pad(x, (70000, 65537)), np.pad(x, (2, 2), "reflect"), np.pad(x[:3, None], ((0, 0), (0, 65537)))])  # fmt: skip
def pad_far(t, dtype, function):
    """A long row, widely; mirrored at its ends; a column."""
    x = t.randint((70001,), dtype, 1, 100)
    given = (x, [[70000, 65537]]), (x, [[2, 2]], "REFLECT"), (x[:3, None], [[0, 0], [0, 65537]])
    return [t.call(function, *one) for one in given]
