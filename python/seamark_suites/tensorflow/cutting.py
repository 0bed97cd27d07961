"""Parts of a tensor, and what stands around it: slice, pad, split, unstack."""

from seamark_suites.case import case

from . import reference_views as right
from .reference import with_gradient
from .views import each

PADS = "tf.pad tf.compat.v1.pad"
SPLIT = "tf.split"
SLICE = "tf.slice"
UNSTACK = "tf.unstack"


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
      dtypes="f32 bf16 i64 bool f64 c64 f16 c128 i8 u8 i32", core=False)  # fmt: skip
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


@each(PADS, lambda function: lambda np, *xs: [
      [np.pad(x, ((0, 0), (1, 2)), mode) for mode in ("constant", "reflect", "symmetric")] for x in xs], dtypes="f32", core=False)  # fmt: skip
def pad_all_unknown(t, dtype, function):
    """Neither the size nor how much stands around is known when it is traced."""
    pad, specs = (
        t.get(function),
        [t.fw.TensorSpec([None, None], t.dtype(dtype)), t.fw.TensorSpec([2, 2], t.fw.int32)],
    )

    def all_modes(x, widths):
        return [pad(x, widths, mode) for mode in ("CONSTANT", "REFLECT", "SYMMETRIC")]

    traced, widths = (
        t.fw.function(all_modes, input_signature=specs, autograph=False),
        t.np.array([[0, 0], [1, 2]]),
    )
    return [
        t.call(traced, t.randn((n, 4), dtype), t.fw.constant(widths, t.fw.int32)) for n in (2, 5)
    ]


@each(PADS, lambda function: lambda np, x, **_: right.places(np, function, x, (((1, 2), (2, 0)), "REFLECT")) ** 2 * 36 * x**3,
      dtypes="f32", core=False)  # fmt: skip
def pad_mirrored_twice(t, dtype, function):
    """The second derivative of what was mirrored. Whole numbers, which f32 adds exactly."""
    pad, tf = t.get(function), t.fw

    def slope(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                total = tf.reduce_sum(pad(x, [[1, 2], [2, 0]], "REFLECT") ** 3)
            penalty = tf.reduce_sum(inner.gradient(total, x) ** 2)
        return outer.gradient(penalty, x)

    return t.call(slope, t.randint((3, 4), dtype, -3, 4))


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


_MIRRORS = [[1, 1], [2, 1]], [[0, 1], [1, 1], [2, 0]]


@each(PADS, lambda function: lambda np, x, y: [
      np.pad(one, widths, mode) for one, widths in zip((x, y), _MIRRORS) for mode in ("reflect", "symmetric")],
      dtypes="f16 f64 c64 c128 i8 i32 u8", core=False)  # fmt: skip
def pad_mirrors_of_each_kind(t, dtype, function):
    """Of two axes and of three."""
    drawn = zip((t.randn((2, 3), dtype), t.randn((2, 3, 3), dtype)), _MIRRORS)
    modes = "REFLECT", "SYMMETRIC"
    return [t.call(function, x, widths, mode) for x, widths in drawn for mode in modes]


@each(PADS, lambda function: lambda np, x, *_, mode, kind: np.pad(x, ((1, 0), (2, 3)), mode.lower()), dtypes="f32",
      mode=["REFLECT", "SYMMETRIC"], kind=["i32", "i64"], core=False)  # fmt: skip
def pad_mirrored_by_tensor(t, dtype, mode, kind, function):
    """As wide as data says."""
    return t.call(function, t.randn((3, 4), dtype), t.const([[1, 0], [2, 3]], kind), mode)


@each(PADS, lambda function: lambda np, x, *_, kind: [x] * 3, dtypes="f32 i32", kind=["i32", "i64"], core=False)  # fmt: skip
def pad_of_a_number(t, dtype, kind, function):
    """Without axes there is nothing around, in each mode."""
    x, widths = t.uniform((), dtype, 2, 9), t.const(t.np.zeros((0, 2)), kind)
    return [t.call(function, x, widths, mode) for mode in ("CONSTANT", "REFLECT", "SYMMETRIC")]


@each(PADS, lambda function: lambda np, *_: [np.zeros((0, 5)), np.zeros((4, 0, 6))], dtypes="f32 i32", trivial=True, core=False)  # fmt: skip
def pad_mirrors_of_nothing(t, dtype, function):
    """With the edge, and an axis of none that stays as it is."""
    given = ((0, 3), [[0, 0], [1, 1]]), ((3, 0, 2), [[1, 0], [0, 0], [2, 2]])
    return [t.call(function, t.randn(shape, dtype), widths, "SYMMETRIC") for shape, widths in given]  # fmt: skip


@each(PADS, lambda function: lambda np, x: np.pad(x, ((1, 2), (0, 3)), constant_values=1234 - 1234j), dtypes="c64 c128",
      core=False)  # fmt: skip
def pad_complex_value(t, dtype, function):
    x = t.randn((3, 4), dtype)
    return t.call(function, x, [[1, 2], [0, 3]], constant_values=1234 - 1234j)


@each(PADS, core=False, host_only=True)
def pad_of_texts(t, function):
    """A word around, and mirrored both ways."""
    x = t.fw.constant([["Hello", "World"], ["Goodnight", "Moon"]])
    got = t.host(t.call(function, x, [[1, 0], [0, 1]], constant_values="PAD")).tolist()
    want = [[b"PAD"] * 3, [b"Hello", b"World", b"PAD"], [b"Goodnight", b"Moon", b"PAD"]]
    t.expect(got == want, "%s, got %s" % (want, got))
    rows = [b"Hello", b"World"], [b"Goodnight", b"Moon"]
    ways = {"REFLECT": ((1, 0, 1), (0, 1, 0)), "SYMMETRIC": ((0, 0, 1), (0, 1, 1))}
    for mode, (down, across) in ways.items():
        got = t.host(t.call(function, x, [[1, 0], [0, 1]], mode)).tolist()
        want = [[rows[i][j] for j in across] for i in down]
        t.expect(got == want, "%s %s, got %s" % (mode, want, got))


@each(PADS, core=False, host_only=True)
def pad_shapes_known_in_part(t, function):
    """In a graph what is known of sizes, of widths and of how many axes there are is known of the result, in each mode."""
    tf, fed = t.fw, t.fw.compat.v1.placeholder
    with tf.Graph().as_default():
        rows, free, fixed = fed(tf.float32, [None, 3]), fed(tf.float32), tf.zeros((4, 3))
        given = (
            (rows, [[1, 1], [2, 1]]),
            (free, [[1, 1], [2, 1]]),
            (free, fed(tf.int32, [2, 2])),
            (rows, fed(tf.int32)),
            (free, fed(tf.int32)),
            (fixed, [[1, 1], [fed(tf.int32, []), 2]]),
            (fixed[None], [[0, 0], [1, fed(tf.int32, [])], [2, 2]]),
        )
        want = [[None, 6], [None, None], [None, None], [None, None], None, [6, None], [1, None, 7]]
        for mode in ("CONSTANT", "REFLECT", "SYMMETRIC"):
            shapes = [t.call(function, x, widths, mode).shape for x, widths in given]
            got = [None if one.rank is None else one.as_list() for one in shapes]
            t.expect(got == want, "%s, got %s" % (want, got))


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


@case(UNSTACK, core=False, reference="none")
def unstack_refuses_any_rank(t):
    """Traced without the number of axes, the number of parts is not known either."""
    spec = t.fw.TensorSpec(None, t.fw.float32)
    for axis in (0, 1, -1):
        traced = t.fw.function(lambda x: t.get(UNSTACK)(x, axis=axis), input_signature=[spec], autograph=False)  # noqa: B023  # fmt: skip
        t.refuses(traced, t.randn((2, 3), "f32"))


# --- many parts, many axes


@case("tf.split", dtypes="f32 i64", core=False, reference=lambda np, x, y: [*np.split(x, 200), *np.split(y, [1, 1, 4], 1)])  # fmt: skip
def split_in_two_hundred(t, dtype):
    """And in parts of sizes, one of none."""
    x, y = t.randn((400, 2), dtype), t.randn((3, 6), dtype)
    return [*t.call("tf.split", x, 200), *t.call("tf.split", y, [1, 0, 3, 2], 1)]


@case("tf.unstack", dtypes="f32 i64", core=False, reference=lambda np, x: list(x.T))
def unstack_two_hundred(t, dtype):
    return t.call("tf.unstack", t.randn((2, 200), dtype), axis=1)


@case("tf.concat", dtypes="f32 i64", core=False, reference=lambda np, *xs: np.concatenate(xs, 1))
@case("tf.stack", dtypes="f32 i64", core=False, reference=lambda np, *xs: np.stack(xs, 1))
def joined_from_two_hundred(t, dtype, function):
    return t.call(function, [t.randn((2, 3), dtype) for _ in range(200)], axis=1)


@case("tf.slice", dtypes="f32 i64 u8", core=False, reference=lambda np, x, y: [x[1:, :, 1:, :1, :, 1:2, 0:1, 1:], y[60000:, 1:], y[65537:65540]])  # fmt: skip
def slice_far_and_of_eight_axes(t, dtype):
    x, y = t.randint((2, 3, 2, 2, 1, 3, 2, 2), dtype, 0, 100), t.randint((70001, 2), dtype, 0, 100)
    return [
        t.call("tf.slice", x, [1, 0, 1, 0, 0, 1, 0, 1], [-1, 3, -1, 1, 1, 1, 1, 1]),
        t.call("tf.slice", y, [60000, 1], [-1, -1]),
        t.call("tf.slice", y, [65537, 0], [3, 2]),
    ]


_SIX = [[0, 0], [0, 0], [1, 2], [0, 0], [0, 0], [3, 0]]


@each(PADS, lambda function: lambda np, x: [np.pad(x, _SIX), np.pad(x, _SIX[::-1]), np.pad(x[0, 0], [[1, 0]] * 4)], dtypes="f32 i64",
      core=False)  # fmt: skip
def pad_of_six_axes(t, dtype, function):
    """Some beside one another that stay as they are."""
    x = t.randn((2, 3, 4, 2, 3, 2), dtype)
    given = (x, _SIX), (x, _SIX[::-1]), (x[0, 0], [[1, 0]] * 4)
    return [t.call(function, *one) for one in given]


@case(
    SLICE,
    dtypes="f32 i64 c64",
    core=False,
    reference=lambda np, x, *_: [x[1:3, :2], x[2:, 1:], x[:0], x[3:4, 2:3]],
)
def slice_of_what_is_known(t, dtype):
    """Traced: what is known of the result where a beginning, or a size, is not; what goes beyond is refused, of constants, too."""
    f, tf, kind, seen = t.get(SLICE), t.fw, t.dtype(dtype), []

    def cut(x, begin, size):
        seen.append([f(x, [begin[0], 0], [-1, 2]).shape.as_list(), f(x, [1, 0], [size[0], 2]).shape.as_list(),
                     f(x, [1, 0], [-1, -1]).shape.as_list(), f(x, begin, size).shape.as_list()])  # fmt: skip
        return f(x, begin, size)

    whole = tf.TensorSpec([2], tf.int64)
    program = tf.function(cut, input_signature=[tf.TensorSpec([4, 3], kind), whole, whole], autograph=False)  # fmt: skip
    x = t.distinct((4, 3), dtype)
    given = ([1, 0], [2, 2]), ([2, 1], [-1, -1]), ([0, 0], [0, 3]), ([3, 2], [1, 1])
    made = [t.call(program, x, *(t.const(one, "i64") for one in pair)) for pair in given]
    t.expect(seen[0] == [[None, 2], [None, 2], [3, 3], [None, None]], "what is known, got %s" % seen[0])  # fmt: skip
    kinds = ValueError, tf.errors.InvalidArgumentError
    for begin, size in (([1, 0], [4, 3]), ([5, 0], [-1, 1]), ([-1, 0], [1, 1])):
        t.raises(kinds, t.call, program, x, *(t.fw.constant(one, tf.int64) for one in (begin, size)))  # fmt: skip
    return made


def _windows(np, w, x):
    total = np.zeros((4, 5))
    for one, (begin, size) in zip(w, WINDOWS):
        total[tuple(slice(b, b + n) for b, n in zip(begin, size))] += one
    return total


WINDOWS = [((1, 1), (2, 2)), ((0, 0), (2, 2)), ((2, 1), (1, 4)), ((0, 3), (4, 2)), ((3, 0), (1, 5))]


@case(SLICE, dtypes="f32 f64 bf16 f16", core=False, grad=True, reference=with_gradient(
      lambda np, x: [x[b : b + n, c : c + m] for (b, c), (n, m) in WINDOWS], _windows))  # fmt: skip
def slice_slopes_of_windows(t, dtype):
    """Each window's slope goes back to where it stood; where they overlap these are added. Rows of five, whose starts lie anywhere."""
    f = t.get(SLICE)
    kinds = [t.fw.int32, t.fw.int64]
    cut = lambda x: [f(x, t.fw.constant(b, kinds[n % 2]), t.fw.constant(s, kinds[n % 2])) for n, (b, s) in enumerate(WINDOWS)]  # noqa: E731 # fmt: skip
    return t.call(cut, t.randint((4, 5), dtype, -9, 10, grad=True))


@case(
    SLICE,
    core=False,
    reference="none",
    cpu_fails="a constant that is known while traced is cut where it ends",
)
def slice_beyond_a_constant(t):
    """Traced, of a constant, too, more than there is behind the beginning is refused."""
    f, tf = t.get(SLICE), t.fw
    for begin, size in (([1], [4]), ([3], [2]), ([0], [5])):
        t.refuses(tf.function(lambda: f(tf.constant([0, 1, 2, 3]), begin, size), autograph=False))  # noqa: B023


def _all(np, x):
    return [x] * 6


@case(SLICE, dtypes="f32 f64 bf16 c64", core=False, grad=True, reference=with_gradient(_all, lambda np, w, *_: sum(w)), name="slice_all_gradient")  # fmt: skip
@case(SLICE, dtypes="f32 i64 bool c128", core=False, reference=_all)
def slice_all(t, dtype):
    """By open sizes, by what there is, by both, by tensors, with open rows: the whole, and so much is known."""
    f, tf, seen, shape = t.get(SLICE), t.fw, [], [3, 4, 2, 5]
    first = [0] * 4

    def known(x):
        made = f(x, first, [-1] * 4)
        seen.append(made.shape.as_list())
        return made

    spec = tf.TensorSpec([None, 4, None, 5], t.dtype(dtype))
    program = tf.function(known, input_signature=[spec], autograph=False)

    def all_ways(x):
        wide = [tf.constant(one, tf.int64) for one in (first, [-1] * 4)]
        made = [f(x, first, size) for size in ([-1] * 4, shape, [-1, 4, -1, 5], tf.constant(shape))]
        made.append(f(x, *wide))
        seen.append([one.shape.as_list() for one in made])
        return [*made, program(x)]

    made = t.call(all_ways, t.randn((3, 4, 2, 5), dtype))
    t.expect([shape] * 5 in seen and [None, 4, None, 5] in seen, "what is known, got %s" % seen)
    return made
