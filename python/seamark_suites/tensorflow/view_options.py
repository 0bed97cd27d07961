"""A tensor's numbers in another shape or place: what each of these functions has for itself."""

from seamark_agent.harness import Skip

from seamark_suites.case import case

from . import reference_views as right
from .reference import with_gradient
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


# --- slice


@case(SLICE, dtypes="f32 bf16 i64", kind=["i32", "i64"], core=False,
      reference=lambda np, x, *_, kind: x[1:3, 2:6])  # fmt: skip
def slice_by_tensor(t, dtype, kind):
    """Where it begins and how much it takes is data."""
    return t.call(SLICE, t.randn((4, 6), dtype), t.const([1, 2], kind), t.const([2, 4], kind))


@case(
    SLICE, dtypes="f32", core=False, reference=lambda np, x, *_: [x[i : i + 3] for i in (0, 2, 5)]
)
def slice_windows(t, dtype):
    """A window that moves: traced once for every start."""
    x = t.randn((8, 2), dtype)
    specs = [t.fw.TensorSpec([8, 2], t.dtype(dtype)), t.fw.TensorSpec([], t.fw.int32)]
    traced = t.fw.function(
        lambda x, i: t.get(SLICE)(x, t.fw.stack([i, 0]), [3, 2]),
        input_signature=specs,
        autograph=False,
    )
    return [t.call(traced, x, t.const(i, "i32")) for i in (0, 2, 5)]


@case(
    SLICE,
    dtypes="f32",
    core=False,
    reference=lambda np, x: [x[1:2, :, 2:4, :, 1:, 0:1], x[..., 3:]],
)
def slice_six_axes(t, dtype):
    x = t.randn((2, 3, 4, 2, 3, 4), dtype)
    one = t.call(SLICE, x, [1, 0, 2, 0, 1, 0], [1, -1, 2, 2, -1, 1])
    return [one, t.call(SLICE, x, [0, 0, 0, 0, 0, 3], [-1] * 6)]


@case(SLICE, core=False, reference="none")
def slice_refuses(t):
    """More than there is, beginnings outside, too few numbers, a size below -1."""
    x = t.randn((4, 3), "f32")
    for begin, size in (
        ([2, 0], [3, 3]),
        ([5, 0], [-1, 1]),
        ([-1, 0], [1, 1]),
        ([0], [1]),
        ([0, 0], [-2, 1]),
    ):
        t.refuses(SLICE, x, begin, size)


# --- pad


@each(PADS, lambda function: lambda np, x, **_: np.pad(x, ((1, 2), (0, 3)), constant_values=x.dtype.type(1.5 if x.dtype.kind in "fc" else 1)),
      dtypes="f32 bf16 i64 bool f64 c64", core=False)  # fmt: skip
def pad_value(t, dtype, function):
    """Another number than zero around."""
    value = 1.5 if dtype[0] in "fc" or dtype == "bf16" else True if dtype == "bool" else 1
    return t.call(function, t.randn((3, 4), dtype), [[1, 2], [0, 3]], constant_values=value)


@each(
    PADS,
    lambda function: lambda np, x, *_: np.pad(x, ((1, 2), (0, 3)), constant_values=-np.inf),
    dtypes="f32",
    core=False,
)
def pad_with_infinity(t, dtype, function):
    """As before a maximum; the value is data."""
    x, value = t.randn((3, 4), dtype), t.const(-t.np.inf, dtype)
    return t.call(function, x, [[1, 2], [0, 3]], constant_values=value)


@each(PADS, lambda function: with_gradient(lambda np, x: np.pad(x, ((1, 2), (0, 3)), constant_values=2.5)),
      dtypes="f32", grad=True, core=False)  # fmt: skip
def pad_value_gradient(t, dtype, function):
    return t.call(function, t.randn((3, 4), dtype), [[1, 2], [0, 3]], constant_values=2.5)


@each(PADS, lambda function: lambda np, x, mode, **_: right.padded(np, x, ((2, 1), (3, 3)), mode),
      dtypes="f32 bf16 i64 bool", mode=["reflect", "SYMMETRIC"], core=False)  # fmt: skip
def pad_mirrored(t, dtype, mode, function):
    """With the edge and without it, as far as there is something to mirror."""
    return t.call(function, t.randn((3, 4), dtype), [[2, 1], [3, 3]], mode=mode)


@each(PADS, lambda function: lambda np, x, *_, kind: np.pad(x, ((1, 0), (2, 3))), dtypes="f32 i64",
      kind=["i32", "i64"], core=False)  # fmt: skip
def pad_by_tensor(t, dtype, kind, function):
    """Widths that are data."""
    return t.call(function, t.randn((3, 4), dtype), t.const([[1, 0], [2, 3]], kind))


@each(PADS, core=False)
def pad_refuses(t, function):
    """Widths for another number of axes, negative ones, a mode that there is not."""
    x = t.randn((2, 3), "f32")
    t.refuses(function, x, [[1, 1]])
    t.refuses(function, x, [[1, -1], [0, 0]])
    t.refuses(function, x, [[1, 1], [0, 0]], "EDGE")


@each(PADS, core=False)
def pad_refuses_far_mirrors(t, function):
    """More to mirror than there is."""
    x = t.randn((2, 3), "f32")
    t.refuses(function, x, [[2, 0], [0, 0]], "REFLECT")
    t.refuses(function, x, [[3, 0], [0, 0]], "SYMMETRIC")


# --- split, unstack


@case(SPLIT, dtypes="f32 bf16 i64", core=False, reference=lambda np, x, *_: np.split(x, [1, 4], 1))
def split_by_tensor(t, dtype):
    """Sizes that are data; how many there are is said."""
    return t.call(SPLIT, t.randn((2, 6), dtype), t.const([1, 3, 2], "i32"), axis=1, num=3)


@case(SPLIT, dtypes="f32", core=False, reference=lambda np, *xs: [np.split(x, 3, 1) for x in xs])
def split_unknown_size(t, dtype):
    """Queries, keys and values of a batch of any size."""
    spec = t.fw.TensorSpec([None, None], t.dtype(dtype))
    traced = t.fw.function(
        lambda x: t.get(SPLIT)(x, 3, axis=1), input_signature=[spec], autograph=False
    )
    return [t.call(traced, t.randn((n, 3 * n), dtype)) for n in (2, 3, 5)]


@case(
    SPLIT,
    dtypes="f32",
    core=False,
    grad=True,
    reference=with_gradient(lambda np, x: np.split(x, 3, 1)[1]),
)
def split_one_part_gradient(t, dtype):
    """The parts that are not used have the gradient zero."""
    return t.call(lambda x: t.get(SPLIT)(x, 3, axis=1)[1], t.randn((4, 6), dtype))


@case(SPLIT, core=False, reference="none")
def split_refuses(t):
    """Parts that do not divide, sizes that do not add up, two that are open, an axis that is not there."""
    x = t.randn((6, 4), "f32")
    for sizes, axis in ((4, 0), ([2, 3], 0), ([-1, -1], 0), (2, 2), (0, 0), ([7, -1], 0)):
        t.refuses(SPLIT, x, sizes, axis)


@case(UNSTACK, dtypes="f32", core=False, grad=True, reference=with_gradient(lambda np, x: x[:, 1]))
def unstack_one_gradient(t, dtype):
    """The tensors that are not used have the gradient zero."""
    return t.call(lambda x: t.get(UNSTACK)(x, axis=1)[1], t.randn((4, 3), dtype))


@case(UNSTACK, dtypes="f32", core=False, reference=lambda np, x: [x[0], x[1], x[2]])
def unstack_of_number(t, dtype):
    """Of an axis of unknown size the number is said."""
    spec = t.fw.TensorSpec([None, 2], t.dtype(dtype))
    traced = t.fw.function(
        lambda x: t.get(UNSTACK)(x, num=3), input_signature=[spec], autograph=False
    )
    return t.call(traced, t.randn((3, 2), dtype))


@case(UNSTACK, core=False, reference="none")
def unstack_refuses(t):
    """Another number, an axis that is not there, a scalar, an unknown number."""
    x = t.randn((2, 3), "f32")
    t.refuses(UNSTACK, x, num=3)
    t.refuses(UNSTACK, x, axis=2)
    t.refuses(UNSTACK, t.const(1.0, "f32"))
    spec = t.fw.TensorSpec([None, 3], t.fw.float32)
    traced = t.fw.function(lambda x: t.get(UNSTACK)(x), input_signature=[spec], autograph=False)
    t.refuses(traced, x)
