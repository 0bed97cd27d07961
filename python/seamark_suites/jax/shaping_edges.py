"""Shapes, likenesses, sums and norms, what a strict reader asks beyond: nothing, axes from the end, other kinds, refusals."""

from seamark_suites.case import case

from .products import SUMS, sum_of
from .reference import with_affine_gradient, with_gradient
from .values_and_kinds import INF, NAN, NEAR, NP, own_dtype

NORM, CROSS = NP + "linalg.norm", NP + "cross"


def reshaped(x, *sizes, **options):
    """The method of an array: that of jax.Array itself is abstract."""
    return x.reshape(*sizes, **options)


# --- reshape, squeeze, expand_dims, transpose


@case("jax.Array.reshape", dtypes="f32 bool", core=False, reference=lambda np, x: [
      np.zeros((0, 42, 101)), np.zeros((0, 3)), x.reshape(2, 12), x.reshape(12, 2), x.reshape((4, 6), order="F"),
      x.reshape((8, -1), order="F")])  # fmt: skip
def of_nothing_and_by_numpys_numbers(t, dtype):
    """To other shapes of nothing; sizes of NumPy's; column by column from three axes."""
    x, nothing = t.randn((2, 3, 4), dtype), t.fw.numpy.zeros((7, 0), t.dtype(dtype))
    sizes = t.np.array([2, 12])
    return [t.call(reshaped, nothing, 0, 42, 101), t.call(reshaped, nothing[0], -1, 3), t.call(reshaped, x, *sizes),
            t.call(reshaped, x, tuple(sizes[::-1])), t.call(reshaped, x, 4, 6, order="F"), t.call(reshaped, x, 8, -1, order="F")]  # fmt: skip


@case("jax.Array.reshape", dtypes="f32 c64", grad=True, core=False, reference=with_affine_gradient(
      lambda np, x: x.reshape((6, 2), order="F")))  # fmt: skip
def slope_column_by_column(t, dtype):
    return t.call(lambda x: reshaped(x, 6, -1, order="F"), t.randn((3, 4), dtype))


@case("jax.Array.reshape", core=False, reference="none")
def sizes_that_are_traced(t):
    """A size of a program's, none, text."""
    x = t.randn((4,), "f32")
    t.refuses(t.fw.jit(lambda x, n: reshaped(x, n, -1)), x, 2)
    for sizes in ((), ("a",), (4.0,)):
        t.refuses(lambda x, sizes=sizes: reshaped(x, *sizes), x)


@case(NP + "squeeze", dtypes="f32 i32 bool", core=False, reference=lambda np, x: [
      x[:, :, 0], x[0], x[0, :, 0], x[0, :, 0], x, x[:, :, 0], x[:, :, 0]])  # fmt: skip
def axes_of_one(t, dtype):
    """From the end, several, none, NumPy's number; within a program."""
    x, name = t.randn((1, 40, 1), dtype), NP + "squeeze"
    axes = [-1, 0, (0, 2), [-1, -3], (), t.np.array(2)]
    made = [t.call(name, x, axis=axis) for axis in axes]
    return [*made, t.call(t.fw.jit(lambda x: t.get(name)(x, 2)), x)]


@case(
    NP + "squeeze",
    dtypes="f32",
    grad=True,
    core=False,
    reference=with_affine_gradient(lambda np, x: x[0, :, :, 0]),
)
def slope_of_two_axes(t, dtype):
    return t.call(NP + "squeeze", t.randn((1, 3, 1, 1), dtype), axis=(0, -1))  # fmt: skip


@case(NP + "squeeze", core=False, reference="none")
def squeeze_refuses(t):
    x = t.randn((1, 3, 1), "f32")
    for axis in (3, -4, (0, 0), 1, (0, 1), 0.5):
        t.refuses(NP + "squeeze", x, axis=axis)
    t.refuses(NP + "squeeze", [1.0])


@case(NP + "expand_dims", dtypes="f32 bool", core=False, reference=lambda np, x: [
      x, x[None], x[:, None], x[None, :, None], np.zeros((1, 0, 9))])  # fmt: skip
def axes_in_other_forms(t, dtype):
    """None, NumPy's number, in a list, within a program, of nothing. What is no axis, or beyond the result, is refused."""
    x, name = t.randn((5, 9), dtype), NP + "expand_dims"
    for wrong in (5, -5, 0.5, "a", (0, 9)):
        t.refuses(name, x, wrong)
    t.refuses(name, [1.0], 0)
    program = t.fw.jit(lambda x: t.get(name)(x, (0, 2)))
    return [t.call(name, x, ()), t.call(name, x, t.np.array(0)), t.call(name, x, [1]), t.call(program, x),
            t.call(name, x[:0], 0)]  # fmt: skip


@case(NP + "transpose", dtypes="f32 i32 bool", core=False, reference=lambda np, x: [
      np.transpose(x), np.transpose(x, (3, 1, 0, 2)), np.transpose(x, (-1, 0, -2, 1)), x[0, 0, 0], x[0, 0].T,
      np.zeros((3, 0))])  # fmt: skip
def orders_of_axes(t, dtype):
    """All of them turned round; any order, counted from either end, in a list; of one axis; of nothing."""
    x, name = t.randn((2, 3, 4, 5), dtype), NP + "transpose"
    ways = [
        (x,),
        (x, (3, 1, 0, 2)),
        (x, [-1, 0, -2, 1]),
        (x[0, 0, 0],),
        (x[0, 0], None),
        (x[0, :0, :3, 0],),
    ]
    return [t.call(name, *way) for way in ways]


@case(NP + "transpose", dtypes="f32 c64", grad=True, core=False, reference=with_affine_gradient(
      lambda np, x: np.transpose(x, (1, 2, 0))))  # fmt: skip
def slope_of_another_order(t, dtype):
    return t.call(NP + "transpose", t.randn((2, 3, 4), dtype), (-2, -1, 0))


@case(NP + "transpose", core=False, reference="none")
def transpose_refuses(t):
    x = t.randn((2, 3, 4), "f32")
    for axes in ((0, 1), (0, 1, 3), (0, 1, 1), (0, 1, 2, 3), (0.5, 1, 2)):
        t.refuses(NP + "transpose", x, axes)
    t.refuses(NP + "transpose", [1.0])


def _reordered(np, x):
    other = x.reshape(6, 5, 4, 3, 2)
    return [x.reshape(8, 90), x.reshape(40, -1, 2), x.reshape(8, -1, order="F"), other.reshape(2, 3, 4, 5, 6, order="F"),
            np.stack([one.reshape((10, 36), order="F") for one in x]), np.zeros((0, 4, 2)), x.reshape(2, 3, 4, 1, 5, 1, 6)]  # fmt: skip


@case("jax.Array.reshape", dtypes="f32 i8 c64", core=False, reference=_reordered)
def axes_merged_and_split(t, dtype):
    """Five of them, across their borders, in either order; for each of a batch; of nothing; with axes of one."""
    x, jax = t.randn((2, 3, 4, 5, 6), dtype), t.fw
    made = [t.call(reshaped, x, 8, 90), t.call(reshaped, x, (40, -1, 2)), t.call(reshaped, x, 8, -1, order="F"),
            t.call(lambda x: reshaped(reshaped(x, 6, 5, 4, 3, 2), (2, 3, 4, 5, 6), order="F"), x),
            t.call(jax.jit(jax.vmap(lambda one: reshaped(one, 10, 36, order="F"))), x), t.call(reshaped, x[:, :0], -1, 4, 2, order="F"),
            t.call(reshaped, x, 2, 3, 4, 1, 5, 1, 6)]  # fmt: skip
    own_dtype(t, made, dtype)
    t.raises(
        (ZeroDivisionError, TypeError, ValueError), lambda: x[:0].reshape(0, -1)
    )  # any size would do
    t.raises((TypeError, ValueError), lambda: x.reshape(720, order="K"))
    return made


@case("jax.Array.reshape", core=False, since=("0.4.30", "jax.export"), reference=lambda np, *given: [
      [x.reshape(-1), x.reshape(2, -1), x.T.reshape(x.shape), x.reshape(len(x), -1, 2), x.T, x.T.reshape(len(x), -1)] for x in given])  # fmt: skip
def sizes_that_are_letters(t):
    """One program for whatever a and b are; in a list, too."""
    jax, export = t.fw, t.fw.export
    rows, columns = export.symbolic_shape("a, 2*b")

    def run(x):
        made = [x.reshape(-1), x.reshape(2, -1), x.T.reshape(x.shape), x.reshape(x.shape[0], -1, 2)]
        return [*made, x.reshape([x.shape[0], -1]).T, x.T.reshape([x.shape[0], -1])]

    struct = jax.ShapeDtypeStruct((rows, columns), "float32")
    made = export.export(jax.jit(run), platforms=("cpu", "cuda", "rocm", "tpu"))(struct)
    return [
        t.call(lambda x: made.call(x), t.randn(shape, "f32")) for shape in ((3, 4), (1, 2), (5, 6))
    ]


ORDERS_OF_SIX = [
    (5, 4, 3, 2, 1, 0),
    (1, 0, 3, 2, 5, 4),
    (0, 2, 4, 1, 3, 5),
    (-1, 0, -2, 1, -3, 2),
    (0, 1, 2, 3, 5, 4),
    (2, 0, 1, 3, 4, 5),
]


@case(NP + "transpose", dtypes="f32 bf16 i8 c64 f64", core=False, reference=lambda np, x: [
      *(np.transpose(x, order) for order in ORDERS_OF_SIX), x[0, 0].transpose(2, 3, 1, 0), x[0, 0].T, np.swapaxes(x, -1, -2)])  # fmt: skip
def orders_of_six_axes(t, dtype):
    """And as methods: the order in a tuple, number by number, none; `.T`, `.mT`."""
    x, name = t.randn((2, 3, 4, 5, 3, 2), dtype), NP + "transpose"
    part = x[0, 0]
    made = [t.call(lambda x, order=order: t.get(name)(x, order), x) for order in ORDERS_OF_SIX]
    made += [
        t.call(lambda x: x.transpose(2, 3, 1, 0), part),
        t.call(lambda x: x.transpose(), part),
        t.call(lambda x: x.mT, x),
    ]
    t.expect(
        part.transpose((2, 3, 1, 0)).shape == made[6].shape and part.T.shape == made[7].shape,
        "as a tuple, and .T",
    )
    own_dtype(t, made, dtype)
    return made


@case(NP + "expand_dims", dtypes="f32 u8", core=False, reference=lambda np, x: [
      x[None], x[..., None], x[None, :, None], x[..., None, None], x[0][None], x[0, 0].reshape(1, 1), x[:, None, :, None]])  # fmt: skip
def axes_of_numpy_and_beyond(t, dtype):
    """NumPy's numbers, alone and in a list; two behind the last; of a vector and a number; mapped."""
    x, name, np = t.randn((3, 4), dtype), NP + "expand_dims", t.np
    for axis in ([1, 1], [3, -1], (0, -4)):
        t.raises(ValueError, t.call, name, x, axis)
    t.refuses(name, x)
    mapped = t.fw.vmap(t.fw.vmap(lambda v: t.get(name)(v, (0,)), 0), 0, 0)
    made = [t.call(name, x, np.array(0)), t.call(name, x, np.array(-1)), t.call(name, x, [np.array(0), np.int64(2)]),
            t.call(name, x, (2, 3)), t.call(name, x[0], 0), t.call(name, x[0, 0], (0, -1)),
            t.call(lambda x: t.get(name)(mapped(x), 1), x)]  # fmt: skip
    own_dtype(t, made, dtype)
    return made


@case(NP + "broadcast_to", dtypes="f32 c64", grad=True, core=False, reference=with_affine_gradient(
      lambda np, x: np.broadcast_to(x, (2, 3, 4, 5))))  # fmt: skip
def slope_of_an_axis_of_one(t, dtype):
    """The sum along new axes and along those of one, which stay."""
    return t.call(NP + "broadcast_to", t.randn((3, 1, 5), dtype), (2, 3, 4, 5))


# --- concatenate, asarray, atleast_2d, what is made like another


@case(NP + "concatenate", dtypes="f32", grad=True, core=False, reference=with_affine_gradient(
      lambda np, x, y, z: np.concatenate([x.ravel(), y.ravel(), z.ravel()])))  # fmt: skip
def slope_of_parts_of_any_shape(t, dtype):
    return t.call(lambda x, y, z: t.fw.numpy.concatenate([x, y, z], axis=None), t.randn((2, 3), dtype), t.randn((), dtype),
                  t.randn((1, 4), dtype))  # fmt: skip


@case(NP + "concatenate", core=False, reference=lambda np, x, n, m: [
      np.array([1, 2.5, *x]), np.trunc(np.concatenate([x, n])), np.concatenate([m, n]), np.concatenate([x, m, n])])  # fmt: skip
def numbers_and_several_kinds(t):
    """Numbers beside arrays; into a narrower dtype; truths, small integers and fractions."""
    x, n, m, name = (
        t.uniform((3,), "f32", -9, 9),
        t.randint((2,), "i8", -9, 9),
        t.const([True, False], "bool"),
        NP + "concatenate",
    )
    made = [t.call(name, [1, 2.5, x], axis=None), t.call(name, [x, n], dtype="int32"), t.call(name, [m, n]),
            t.call(name, [x, m, n])]  # fmt: skip
    for one, kind in zip(made, ("f32", "i32", "i8", "f32")):
        own_dtype(t, [one], kind)
    for wrong in ([x, "text"], [x, None], 2.0):
        t.refuses(name, wrong)
    t.refuses(name, [x, x], axis=(0,))
    return made


@case(NP + "asarray", core=False, reference=lambda np, x: [
      np.zeros(0), np.array([1, 2.0]), np.array([True, False]), np.array([1, 2j]), np.array([[1, x[0]], [x[1], 4]]),
      np.array([3, 2]), np.arange(3), np.array([1.5, 2]), np.array([97, 98])])  # fmt: skip
def kinds_of_lists(t):
    """Of nothing, numbers of several kinds, arrays among them, a range, memory."""
    import array

    x, name, jnp = t.uniform((2,), "f32", 1, 9), NP + "asarray", t.fw.numpy
    given = [[], [1, 2.0], [True, False], [1, 2j], [[1, x[0]], [x[1], 4]], [jnp.int8(3), 2], range(3),
             array.array("f", [1.5, 2]), memoryview(b"ab")]  # fmt: skip
    kinds = "f32 f32 bool c64 f32 i8 i32 f32 u8"
    made = [t.call(name, one) for one in given]
    for one, kind in zip(made, kinds.split()):
        own_dtype(t, [one], kind)
    return made


@case(NP + "asarray", core=False, reference="none")
def wide_numbers_and_devices(t):
    """64 bits become 32, or are refused where they do not fit; a device; text, sets and objects are refused."""
    name, np = NP + "asarray", t.np
    for kind, want in (("float64", "float32"), ("int64", "int32"), ("complex128", "complex64")):
        made = t.call(name, np.arange(3).astype(kind))
        t.expect(
            str(made.dtype) == want and t.host(made).tolist() == [0, 1, 2],
            "%s, got %s" % (want, made),
        )
    edges = t.call(name, [-(2**31), 2**31 - 1])
    t.expect(t.host(edges).tolist() == [-(2**31), 2**31 - 1], "the least and the largest")
    for wrong in (2**31, [2**31], [0, -(2**63) - 1]):
        t.raises(OverflowError, t.call, name, wrong)
    for wrong in (b"text", {1: 2}, {1, 2}, object(), np.array(["a"]), np.array([None])):
        t.refuses(name, wrong)
    program = t.fw.jit(lambda x: t.get(name)([[x, 2], [3, x]], dtype="float32"))
    t.expect(t.host(t.call(program, 5)).tolist() == [[5, 2], [3, 5]], "a list of what is traced")
    if not t.compiled:
        t.expect(
            t.get(name)([1.0], device=t.device).devices() == {t.device}, "on the device asked for"
        )


@case(
    NP + "atleast_2d",
    dtypes="c64 bool",
    core=False,
    reference=lambda np, x: [x[:1, 0, :1], x[0], x, np.zeros((1, 0))],
)
def of_ranks_at_once(t, dtype):
    """A number, a matrix, three axes, nothing; no array at all; text is refused."""
    x, name = t.randn((2, 3, 4), dtype), NP + "atleast_2d"
    t.expect(t.call(name) == [], "nothing of nothing")
    t.refuses(name, "text")
    t.refuses(name, x, [1.0])
    return list(t.call(name, x[0, 0, 0], x[0], x, x[0, 0, :0]))  # fmt: skip


@case(NP + "atleast_2d", core=False, reference=lambda np, x, y: [
      *(np.array([[one]]) for one in (2, 2.5, 1j, True, 3.5, 4)), x[None], y[None], np.array([[2.5]])])  # fmt: skip
def numbers_of_each_kind(t):
    """Python's are weak, NumPy's have a dtype; each of several keeps its own; within a program."""
    name, np = NP + "atleast_2d", t.np
    x, y = t.randn((3,), "bf16"), t.randint((4,), "i8", -9, 9)
    made = [
        *t.call(name, 2, 2.5, 1j, True, np.float32(3.5), np.int8(4), x, y),
        t.call(t.fw.jit(t.get(name)), 2.5),
    ]
    weak = [bool(one.weak_type) for one in made]
    t.expect(
        weak == [True] * 3 + [False] * 5 + [True], "weak types of Python's alone, got %s" % weak
    )
    if t.place != "wide":
        kinds = [str(one.dtype) for one in made]
        want = [
            "int32",
            "float32",
            "complex64",
            "bool",
            "float32",
            "int8",
            "bfloat16",
            "int8",
            "float32",
        ]
        t.expect(kinds == want, "%s, got %s" % (want, kinds))
    return made


LIKE = [((), None), (4, None), ((2, 0), None), (None, "f32"), ((3,), "c64"), (None, "bool")]


def _like(number):
    def right(np, x):
        made = [np.full(x.shape if shape is None else shape, number) for shape, _ in LIKE]
        return [*made, np.full((4, 5), number), number, x + number]

    return right


@case(NP + "zeros_like", dtypes="i8 c64 bf16", core=False, reference=_like(0))
@case(NP + "ones_like", dtypes="i8 c64 bf16", core=False, reference=_like(1))
def like_in_another_shape(t, function, dtype):
    """No axes, a size alone, nothing; another dtype; what has a shape alone; a number; beside what it is like."""
    x = t.randint((2, 3), dtype, 1, 9)
    made = [t.call(function, x, shape=shape, dtype=kind and t.dtype(kind)) for shape, kind in LIKE]
    for one, (_, kind) in zip(made, LIKE):
        own_dtype(t, [one], kind or dtype)
    struct = t.fw.ShapeDtypeStruct((4, 5), t.dtype(dtype))
    made += [t.call(function, struct), t.call(function, x[0, 0]), x + t.call(function, x)]
    own_dtype(t, made[-3:], dtype)
    return made


@case(NP + "zeros_like", core=False, reference="none")
@case(NP + "ones_like", core=False, reference="none")
def like_weak_and_placed(t, function):
    """A weak type stays one unless a dtype is asked for; the device of the first, or the one asked for; refusals."""
    weak, x = t.fw.numpy.asarray(2.0), t.randn((2,), "f32")
    t.expect(t.call(function, weak).weak_type, "as weak as the first")
    t.expect(not t.call(function, weak, dtype=float).weak_type, "a dtype that was asked for")
    if not t.compiled:
        t.expect(
            t.get(function)(x, device=t.device).devices() == {t.device}, "on the device asked for"
        )
        t.expect(t.get(function)(x).devices() == x.devices(), "where the first is")
    for options in ({"shape": (-1,)}, {"shape": (1.5,)}, {"dtype": "nonsense"}):
        t.refuses(function, x, **options)
    t.refuses(function, [1.0, 2.0])
    t.refuses(function, None)


# --- sums


@case("jax.Array.sum", core=False, reference=lambda np, x, n, h, m, w: [
      x, x.sum(-1), x.sum((-1, 0)), np.trunc(x).sum(0), -(2**31), 4000, m.sum(0), np.array([np.nan, np.inf, np.nan, 3])],
      rtol=NEAR)  # fmt: skip
def sums_at_the_edges(t):
    """Along no axis, from the end, two; of fractions as integers; wrapping; of thousands of halves; of truths; of no numbers."""
    x, n = t.uniform((3, 4), "f32", 1, 9), t.const([2**31 - 1, 1], "i32")
    h, m = t.const([1.0] * 4000, "f16"), t.const([[True, False, True], [True, False, True]], "bool")
    w = t.const([[NAN, 1], [INF, 1], [INF, -INF], [1, 2]], "f32")
    made = [t.call(sum_of, x, axis=()), t.call(sum_of, x, axis=-1), t.call(sum_of, x, axis=(-1, 0)),
            t.call(sum_of, x, axis=0, dtype=t.dtype("i32")), t.call(sum_of, n), t.call(sum_of, h), t.call(sum_of, m, axis=0),
            t.call(sum_of, w, axis=1)]  # fmt: skip
    own_dtype(t, made[3:5], "i32")
    own_dtype(t, made[5:6], "f16")
    return made


@case("jax.Array.sum", dtypes="f32 c64", grad=True, core=False, rtol=SUMS, atol={"f32": 1e-5, "c64": 1e-5},
      reference=with_gradient(lambda np, m, x: (x * m).sum(1, keepdims=True),
                              lambda np, w, m, x: (w * m,), of=(1,)))  # fmt: skip
def slope_of_what_a_mask_chooses(t, dtype):
    m = t.const([[1, 0, 1], [0, 0, 0], [1, 1, 1]], "bool")
    return t.call(lambda x, m: sum_of(x, axis=1, keepdims=True, where=m), t.randn((3, 3), dtype), m)


@case("jax.Array.sum", core=False, reference="none")
def sum_refuses(t):
    """Somewhere to put it, an axis twice, a fraction of an axis, a mask of numbers, text as a dtype."""
    x = t.randn((3, 4), "f32")
    t.raises(NotImplementedError, t.call, sum_of, x, out=x)
    for options in ({"axis": (0, 0)}, {"axis": 0.5}, {"axis": -3}, {"dtype": "nonsense"}):
        t.refuses(sum_of, x, **options)


# --- norm, cross


ORDERS = [("fro", (0, 2)), ("nuc", (2, 0)), (2, (0, 1)), (-2, (1, 2)), (1, (0, 2)), (-1, (2, 1)), (INF, (1, 0)), (-INF, (-1, 0)),
          (3, 1), (-3, (1,)), (0, -1), (None, None), (None, (1,))]  # fmt: skip


@case(NORM, dtypes="f32 c64", keep=[False, True], core=False, rtol={"f32": 1e-4, "c64": 1e-4},
      reference=lambda np, x, keep: [np.linalg.norm(x, ord, axis, keep) for ord, axis in ORDERS])  # fmt: skip
def of_many_matrices_and_vectors(t, dtype, keep):
    """Each order over each pair of axes, of vectors along one, of all numbers."""
    x = t.uniform((3, 4, 5), dtype, -3, -1)
    return [t.call(NORM, x, ord, axis, keep) for ord, axis in ORDERS]


def _unit(np, x):
    return x / np.sqrt((abs(x) ** 2).sum(1, keepdims=True))


@case(NORM, dtypes="c64", grad=True, core=False, rtol=SUMS, atol={"f32": 1e-5, "c64": 1e-5}, reference=with_gradient(
      lambda np, x: np.sqrt((abs(x) ** 2).sum(1)), lambda np, w, x: w[:, None] * _unit(np, x)))  # fmt: skip
def slope_of_complex_numbers(t, dtype):
    return t.call(NORM, t.randn((3, 4), dtype), axis=1)


def _bent(np, x, v):
    n, u = np.sqrt((x**2).sum(1, keepdims=True)), _unit(np, x)
    return [u, (v - u * (u * v).sum(1, keepdims=True)) / n]


@case(
    NORM,
    dtypes="f32 f64",
    core=False,
    rtol={"f32": 1e-4, "f64": 1e-11},
    atol={"f32": 1e-5, "f64": 1e-12},
    reference=_bent,
)
def slope_of_the_slope(t, dtype):
    """The gradient of the lengths of rows, and how it changes along a direction."""
    jax = t.fw

    def run(x, v):
        return list(jax.jvp(jax.grad(lambda x: t.get(NORM)(x, axis=1).sum()), (x,), (v,)))

    return t.call(run, t.uniform((3, 4), dtype, 0.5, 2), t.randn((3, 4), dtype))  # fmt: skip


@case(NORM, core=False, rtol=NEAR, reference=lambda np, x, n: [
      np.array([np.nan, np.inf, 5]), 0.0, 0.0, np.abs(n).sum(0).max(), np.zeros(0)])  # fmt: skip
def norms_of_no_numbers_and_of_none(t):
    """NaN and infinities in rows of their own; of nothing; integers. Orders that are not there and axes are refused."""
    x, n, zeros = (
        t.const([[NAN, 1], [INF, 1], [3, 4]], "f32"),
        t.randint((3, 4), "i32", -9, 9),
        t.fw.numpy.zeros,
    )
    for given, options in (((x, 3), {}), ((x, "inf"), {}), ((x[0], "nuc"), {}), ((x,), {"axis": 2}), ((x,), {"axis": (0, 0)}),
                           ((x, 2), {"axis": (0, 1, 2)}), (([1.0, 2.0],), {})):  # fmt: skip
        t.refuses(NORM, *given, **options)
    return [t.call(NORM, x, axis=1), t.call(NORM, zeros((0, 3)), "nuc"), t.call(NORM, zeros((2, 0)), "fro"), t.call(NORM, n, 1),
            t.call(NORM, zeros((0, 3)), axis=1)]  # fmt: skip


@case(CROSS, dtypes="i8 f32", core=False, reference=lambda np, x, y: [
      np.stack([x[:, 1] * y[2] - x[:, 2] * y[1], x[:, 2] * y[0] - x[:, 0] * y[2], x[:, 0] * y[1] - x[:, 1] * y[0]], 1),
      np.zeros((0, 3))])  # fmt: skip
def of_none_and_small_integers(t, dtype):
    """Many beside one; of nothing. Lengths, axes and shapes that do not fit, numbers and lists are refused."""
    x, y = t.randint((6, 3), dtype, -7, 8), t.const([1, -5, 3], dtype)
    wrong = [(x, y[:1]), (x, x[:5]), (2.0, 3.0), ([1.0, 2.0, 3.0], y), (x, "text")]
    for given in wrong:
        t.refuses(CROSS, *given)
    t.refuses(CROSS, x, x, axis=2)
    made = [t.call(CROSS, x, y), t.call(CROSS, x[:0], x[:0])]
    own_dtype(t, made, dtype)
    return made


@case(CROSS, dtypes="f32 c64", grad=True, core=False, atol={"f32": 1e-5, "c64": 1e-5}, reference=with_affine_gradient(
      lambda np, x, y: np.cross(x, y)))  # fmt: skip
def slope_of_many_beside_one(t, dtype):
    return t.call(CROSS, t.randn((4, 3), dtype), t.randn((3,), dtype))
