"""Shapes that meet: powers' slopes, choices by any condition, truths; numbers of Python on either side; places in batches."""

from seamark_suites.case import case

from . import reference_arithmetic as right
from . import reference_picking as picked
from .comparing import MEET
from .reference import with_gradient
from .totals import each

WHERE, OLD_WHERE, ND = "tf.where", "tf.compat.v1.where", "tf.gather_nd"
POW, CLIP = "tf.pow", "tf.clip_by_value"


def _ways(xs):
    """Each pair, then the same the other way round."""
    return [both for x, y in zip(xs[::2], xs[1::2]) for both in ((x, y), (y, x))]


def _pow_pull(np, w, *xs, **_):
    found = [0 * x for x in xs]
    for i, ((x, y), one) in enumerate(zip(_ways(xs), w)):
        for place, slope in zip((i % 2, 1 - i % 2), right.TWO[POW][1](np, x, y)):
            at = i // 2 * 2 + place
            found[at] = found[at] + right.folded(np, one * slope, xs[at].shape)
    return tuple(found)


@case(POW, dtypes="f32 f64 c64 c128", core=False, grad=True, rtol={"f32": 1e-5, "c64": 1e-5}, reference=with_gradient(
      lambda np, *xs, **_: [x**y for x, y in _ways(xs)],
      lambda np, w, *xs, **_: [
          one if xs[0].dtype.kind == "f" else np.conj(one) for one in _pow_pull(np, [np.conj(one) for one in w], *xs)]))  # fmt: skip
def pow_slopes_of_shapes_that_meet(t, dtype):
    """Numbers, rows, columns and nothing in three axes, either way round."""
    f = t.get(POW)
    pairs = [t.uniform(shape, dtype, 0.5, 2) for pair in MEET for shape in pair]
    return t.call(lambda *xs: [f(x, y) for x, y in _ways(xs)], *pairs)


@case("tf.logical_and", core=False, reference=lambda np, *xs: [
      np.logical_and(x, y) for x, y in _ways(xs)])  # fmt: skip
def and_of_shapes_that_meet(t):
    """Numbers, rows, columns and nothing in three axes, either way round."""
    f = t.get("tf.logical_and")
    pairs = [
        t.const(t.np.arange(t.np.prod(shape)).reshape(shape) % step != 1, "bool")
        for pair in MEET
        for shape, step in zip(pair, (3, 2))
    ]
    return t.call(lambda *xs: [f(x, y) for x, y in _ways(xs)], *pairs)


# --- choices

_CONDITIONS = [
    True, [True], [[[True]]], [[[True, False]]], [[[True], [False], [True]]], [[[True, False], [False, True], [True, False]]],
]  # fmt: skip
_OTHERS = [(1, 1, 1), (1, 3, 1), (1, 1, 2), (1, 1), (1,), (1, 2), (3, 2), ()]


def _choices(choose, given):
    """By each condition, x and each other, either way round."""
    conditions, (x, *others) = given[: len(_CONDITIONS)], given[len(_CONDITIONS) :]
    return [choose(c, *both) for c in conditions for y in others for both in ((x, y), (y, x))]


def _chosen(np, *given, **_):
    return _choices(lambda c, x, y: np.where(c, x, y), given)


def _chosen_pull(np, w, *given, **_):
    """What was chosen has the weight of each place where it stands."""
    count, found = len(_CONDITIONS), [0 * one for one in given[len(_CONDITIONS) :]]
    for i, one in enumerate(w):
        c, y = given[i // 2 // len(_OTHERS)], 1 + i // 2 % len(_OTHERS)
        first, second = (0, y) if i % 2 == 0 else (y, 0)
        for at, here in ((first, c), (second, ~c)):
            found[at] = found[at] + right.folded(np, one * here, given[count + at].shape)
    return tuple(found)


@case(WHERE, dtypes="f16 i32 i64 c128 bool", core=False, reference=_chosen)
@case(WHERE, dtypes="f32 f64", core=False, grad=True, rtol={"f32": 1e-5}, reference=with_gradient(
      _chosen, _chosen_pull, of=range(len(_CONDITIONS), len(_CONDITIONS) + 1 + len(_OTHERS))))  # fmt: skip
def where_of_shapes_that_meet(t, dtype):
    """A condition, x and the other each of its own shape, which meet in one of three rows of two."""
    f = t.get(WHERE)
    conditions = [t.const(one, "bool") for one in _CONDITIONS]
    shapes = [(1, 3, 2), *_OTHERS]
    if dtype == "bool":
        parts = [t.const(t.np.arange(t.np.prod(n)).reshape(n) % 3 < 1, dtype) for n in shapes]
    else:
        parts = [t.randint(n, dtype, 1, 90) if dtype[0] == "i" else t.uniform(n, dtype, 1, 9) for n in shapes]  # fmt: skip
    return t.call(lambda *given: _choices(f, given), *conditions, *parts)


@case(OLD_WHERE, dtypes="f16 f32 f64", core=False, grad=True, reference=with_gradient(
      lambda np, c, x, y: np.where(c[:, None, None], x, y),
      lambda np, w, c, x, y: (w * c[:, None, None], w * ~c[:, None, None]), of=(1, 2)))  # fmt: skip
@case(OLD_WHERE, dtypes="c128 i64", core=False, reference=lambda np, c, x, y: np.where(c[:, None, None], x, y))  # fmt: skip
def where_blocks_by_truths(t, dtype):
    """One truth a block of two rows of eight; the slopes go to the block that was chosen."""
    shape = (16, 2, 8)
    c = t.const(t.np.arange(16) % 3 != 1, "bool")
    x, y = ([t.randint(shape, dtype, 1, 99) for _ in "xy"] if dtype[0] == "i" else [t.uniform(shape, dtype, 1, 5) for _ in "xy"])  # fmt: skip
    return t.call(OLD_WHERE, c, x, y)


# --- places in batches, as TensorFlow's own table has them

_PLACES = [
    ((2, 2, 2), (2, 1), 1), ((2, 2, 2), (2, 2), 1), ((2, 2, 2), (2, 3), 0), ((2, 2, 2), (3,), 0), ((2, 2, 2), (1,), 0),
    ((2, 2, 3, 2), (2, 3), 1), ((2, 2, 3, 2), (2, 2), 1), ((2, 2, 3, 2), (2, 1), 1), ((2, 2, 3, 2), (2, 1, 3), 1),
    ((2, 2, 3, 2), (2, 2, 2), 1), ((2, 2, 3, 2), (2, 3, 1), 1), ((3, 2, 2, 3, 4), (3, 2, 3), 2), ((3, 2, 2, 3, 4), (3, 2, 2), 2),
    ((3, 2, 2, 3, 4), (3, 2, 1), 2), ((3, 2, 2, 3, 4), (3, 2, 1, 3), 2), ((3, 2, 2, 3, 4), (3, 2, 2, 2), 2), ((3, 2, 2, 3, 4), (3, 2, 3, 1), 2),
]  # fmt: skip


def _by_table(take, given):
    rows = zip(given[::2], given[1::2], _PLACES)
    return [take(x, places, batch) for x, places, (_, _, batch) in rows]


@case(ND, dtypes="f32 i64", kind=["i32", "i64"], core=False, reference=lambda np, *given, **_: _by_table(
      lambda x, i, b: picked.rows_gathered(np, x, i.astype(int), b), given))  # fmt: skip
def gather_nd_by_table(t, dtype, kind):
    """Numbers, rows and blocks, in none, one and two axes that places share with what is taken from."""
    f, given = t.get(ND), []
    for shape, many, batch in _PLACES:
        sizes = shape[batch : batch + many[-1]]
        steps = t.np.arange(t.np.prod(many)).reshape(many) * 5 + 1
        given += [t.distinct(shape, dtype), t.const(steps // 2 % t.np.array(sizes), kind)]
    return t.call(lambda *given: _by_table(lambda x, i, b: f(x, i, batch_dims=b), given), *given)


@case(ND, core=False, host_only=True, reference="none")
def gather_nd_batches_in_any_form(t):
    """The count of shared axes as a number, NumPy's or a tensor's; one of two numbers, below none and beyond the places
    is refused. A variable of version 1 is read."""
    tf, np = t.fw, t.np
    values = np.arange(8).reshape(2, 2, 2)
    places = np.array([[[1], [0]], [[0], [1]]])
    want = [values[places[..., 0]], np.stack([values[i][places[i, :, 0]] for i in (0, 1)])]
    want.append(np.take_along_axis(values, places, 2)[..., 0])
    for batch in (0, 1, 2):
        for form in (batch, np.int64(batch), np.array(batch), tf.constant(batch)):
            got = t.call(ND, values, places, batch_dims=form).numpy()
            same = got.shape == want[batch].shape and (got == want[batch]).all()
            t.expect(same, "%d shared, got %s" % (batch, got))
    t.raises(TypeError, t.call, ND, values, places, batch_dims=tf.constant((0, 1)))
    for wrong in (-1, 3, 4):
        t.raises(ValueError, t.call, ND, values, places, batch_dims=wrong)
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        held = tf.compat.v1.get_variable("held", initializer=tf.constant(values), use_resource=False)  # fmt: skip
        made = [t.call(ND, held, places, batch_dims=batch) for batch in (0, 1, 2)]
        session.run(held.initializer)
        same = [(got == one).all() for got, one in zip(session.run(made), want)]
        t.expect(all(same), "of the variable, got %s" % same)


# --- numbers of Python


def _beside(f, x, one, first):
    return [f(x, one), f(first, x), f(x, [[one]]), f([first] * x.shape[-1], x)]


@each("multiply less greater", lambda f: lambda np, x, one, **_: _beside(
      lambda a, b: right.TWO[f][0](np, np.asarray(a, x.dtype), np.asarray(b, x.dtype)), x, one.item(), one.item()),
      dtypes="f16 f64 bf16 u8 u16 u32 u64 i8 i16 i64", core=False)  # fmt: skip
@each("multiply", lambda f: lambda np, x, one, **_: _beside(np.multiply, x, one.item(), one.item()), dtypes="c64 c128", core=False)  # fmt: skip
def beside_a_plain_number(t, dtype, function):
    """Ten rows of three, by a number of Python, also in lists, on either side: the tensor's kind stays."""
    f, kind = t.get(function), t.dtype(dtype)
    one = 3 if dtype[0] in "iu" else (2.5 + 1j if dtype[0] == "c" else 2.5)
    x = t.np.arange(30).reshape(10, 3) % 7
    given = t.const(x + 1j * x[::-1] if dtype[0] == "c" else x, dtype)
    # In a graph a number that comes first has a kind of its own.
    first = t.fw.constant(one, kind) if t.compiled else one
    made = t.call(lambda x, _: _beside(f, x, one, first), given, t.const([one], dtype))
    kind = kind if function == "tf.multiply" else t.fw.bool
    t.expect(all(part.dtype == kind for part in made), "%s, got %s" % (kind, made))
    return made


@each("equal not_equal", core=False, host_only=True)
def equal_in_other_kinds(t, function):
    """Truths beside literals of Python and lists; quantized numbers, as tensors and as NumPy's arrays."""
    tf, np = t.fw, t.np
    turned = function == "tf.not_equal"
    truths = tf.constant([[True, False], [False, True]])
    pairs = [(truths, True), (True, truths), (truths, False), (truths, [True, True]), ([[False], [True]], truths)]  # fmt: skip
    for a, b in pairs:
        got = t.call(function, a, b).numpy()
        want = np.not_equal(a, b) if turned else np.equal(a, b)
        t.expect((got == want).all(), "%s and %s, got %s" % (a, b, got))
    low = np.array([[0, 1, 2], [3, 4, 5]])
    high = np.array([[0, 7, 2], [8, 4, 1]])
    for name in ("qint8", "quint8", "qint16", "quint16", "qint32"):
        kind = tf.as_dtype(name)
        a, b = low.astype(kind.as_numpy_dtype), high.astype(kind.as_numpy_dtype)
        forms = [
            (a, b),
            (tf.constant(low, kind), tf.constant(high, kind)),
            (tf.constant(low, kind), b),
        ]
        for x, y in forms:
            got = t.call(function, x, y).numpy()
            t.expect((got == ((low != high) == turned)).all(), "%s, got %s" % (name, got))
            alone = t.call(function, x, x).numpy()
            t.expect((alone != turned).all(), "%s beside itself, got %s" % (name, alone))


@case("tf.multiply", core=False, host_only=True, reference="none")
def multiply_to_subnormal(t):
    """On CPU a product too small for a normal number is 0, of one number and of a million."""
    tf = t.fw
    with tf.device("/cpu:0"):
        for kind in (tf.float32, tf.float64):
            tiny = tf.constant(t.np.finfo(kind.as_numpy_dtype).tiny, kind)
            for x in (tf.constant(0.1, kind), tf.fill([1 << 20], tf.constant(0.1, kind))):
                made = t.call("tf.multiply", x, tiny).numpy()
                t.expect((made == 0).all(), "0, got %s" % made.max())
                made = t.call("tf.multiply", x * 10, tiny).numpy()
                t.expect((made == tiny.numpy()).all(), "the least normal, got %s" % made)


@case(CLIP, dtypes="f16 f32 f64 bf16 u8 i64", core=False, reference=lambda np, x, low, high: [
      np.clip(x, 2, 5)] * 5)  # fmt: skip
def clip_by_a_number_and_a_tensor(t, dtype):
    """Bounds as numbers and as tensors, in each mixture; a row of bounds beside a number."""
    f = t.get(CLIP)
    x = t.const([[3, 6, 1, 2, 5], [0, 7, 4, 5, 2]], dtype)
    low, high = t.const(2, dtype), t.const([5] * 5, dtype)
    mixed = lambda x, low, high: [f(x, low, 5), f(x, 2, high), f(x, 2, 5), f(x, low, high), f(x, low, high[0])]  # noqa: E731 # fmt: skip
    return t.call(mixed, x, low, high)
