"""Kinds of numbers, forms of arguments, forward mode and edges that the other cases of the functions called most lack."""

from seamark_suites.case import case
from seamark_suites.transformed import each_of, forward, leaves, placed

from . import reference_arithmetic as right
from .reference import with_gradient
from .transformed import ALL, TWO, V1, called, each

INF, NAN = float("inf"), float("nan")
# The functions of this file; transformed.ALL has others, too.
MOVES = [
    "tf.broadcast_to", "tf.gather_nd", "tf.slice", "tf.split", "tf.squeeze", "tf.stack", "tf.transpose", "tf.unstack", V1 + "where",
]  # fmt: skip
SUMS = ["tf.cumsum", "tf.reduce_sum", "tf.reduce_mean", V1 + "reduce_mean"]
SMOOTH = ["tf.exp", "tf.math.log1p", "tf.abs", "tf.minimum", "tf.einsum"]
EXACT = dict.fromkeys(("f16", "bf16", "f32", "f64"), 0.0)
TRUTHS = ["tf.equal", "tf.greater", "tf.logical_and", "tf.reduce_any"]


# --- kinds of numbers


def _mean(np, x):
    """Of integers it is cut off."""
    return x.sum(1) // 4


# Of integers, numbers that lie beside each other in both inputs.
KINDS = {
    **{name: ALL[name] for name in MOVES + ["tf.minimum"]},
    "tf.equal": (lambda f, x, y: f(x, y), lambda np, x, y: x == y, TWO),
    "tf.greater": (lambda f, x, y: f(x, y), lambda np, x, y: x > y, TWO),
    **{name: ALL[name] for name in SUMS[:2]},
    **{name: (ALL[name][0], _mean, ALL[name][2]) for name in SUMS[2:]},
    V1 + "to_int32": (lambda f, x: f(x), lambda np, x: x, [(3, 4)]),
    "tf.ones_like": (lambda f, x: f(x) + x, lambda np, x: x + 1, [(3, 4)]),
}  # fmt: skip
MOST = {"i16": 2**15, "u16": 2**16, "u32": 2**32, "u64": 2**62}
COMPLEX = ["tf.cumsum", "tf.gather_nd", "tf.stack", "tf.equal", "tf.ones_like", "tf.reduce_sum"]


def _first(form):
    return lambda np, *x: leaves(np, form[1](np, *x[: len(form[2])]))


_of_kinds = each_of(KINDS)


@_of_kinds(KINDS, _first, dtypes="i16 u16 u32 u64")
@_of_kinds(COMPLEX, _first, dtypes="c128")
def of_wide_kinds(t, dtype, function):
    """Numbers up to the largest of the kind, sums just below it; of two inputs neighbours, and some alike."""
    call, _, shapes = KINDS[function]
    most = MOST.get(dtype, 0) // (4 if function in SUMS else 1)
    most = min(most, 2**31) if function == V1 + "to_int32" else most
    x = t.randint(shapes[0], dtype, most // 2, most - 2) if most else t.randn(shapes[0], dtype)
    drawn = [x, t.const(t.host(x) + (t.np.arange(12).reshape(3, 4) % 3 - 1), dtype)]
    f = t.get(function)

    def run(*tensors):
        made = call(f, *tensors)
        return list(made) if isinstance(made, (tuple, list)) else [made]

    return t.call(run, *drawn[: len(shapes)])


WORDS = [[b"a", b"", b"c\0d"], [b"\xc3\xbc", b"e", b"f"]]
ON, OFF = b"on", b"off"
OF_WORDS = {
    "tf.broadcast_to": (lambda f, x: f(x[:, :1], [2, 2]), [[b"a", b"a"], [b"\xc3\xbc"] * 2]),
    "tf.split": (lambda f, x: f(x, [1, 2], 1)[1], [[b"", b"c\0d"], [b"e", b"f"]]),
    "tf.squeeze": (lambda f, x: f(x[None, :, None]), WORDS),
    "tf.transpose": (lambda f, x: f(x), [list(row) for row in zip(*WORDS)]),
    "tf.unstack": (lambda f, x: f(x, axis=1)[2], [b"c\0d", b"f"]),
    "tf.gather_nd": (lambda f, x: f(x, [[1, 0], [0, 2], [1, 0]]), [b"\xc3\xbc", b"c\0d", b"\xc3\xbc"]),
    "tf.one_hot": (lambda f, x: f([1, 0], 3, on_value=ON, off_value=OFF), [[OFF, ON, OFF], [ON, OFF, OFF]]),
}  # fmt: skip


def _of_words(body):
    for name in OF_WORDS:
        case(name, core=False, host_only=True, reference="none")(body)
    return body


@_of_words
def words(t, function):
    """Text of several lengths, with a zero byte and with nothing."""
    call, want = OF_WORDS[function]
    made = t.call(lambda x: call(t.get(function), x), t.fw.constant(WORDS))
    t.expect(t.host(made).tolist() == want, "%s, got %s" % (want, made))


# --- any number of axes


FLAT, DEEP = [(4,), (2, 3, 4)], [(3, 4), (2, 3, 4)]
# What is called, what it gives, and the shapes that it is called with.
RANKS = {
    "tf.abs": (lambda f, x: f(x), lambda np, x: abs(x), FLAT),
    "tf.exp": (lambda f, x: f(x), lambda np, x: np.exp(x), FLAT),
    "tf.floor": (lambda f, x: f(4 * x), lambda np, x: np.floor(4 * x), FLAT),
    "tf.math.log1p": (lambda f, x: f(x * x), lambda np, x: np.log1p(x * x), FLAT),
    "tf.minimum": (lambda f, x: f(x, 0.25), lambda np, x: np.minimum(x, 0.25), FLAT),
    "tf.equal": (lambda f, x: f(x > 0, x > 1), lambda np, x: (x > 0) == (x > 1), FLAT),
    "tf.greater": (lambda f, x: f(x, 0.25), lambda np, x: x > 0.25, FLAT),
    "tf.logical_and": (lambda f, x: f(x > -1, x < 1), lambda np, x: abs(x) < 1, FLAT),
    "tf.ones_like": (lambda f, x: f(x) + x, lambda np, x: x + 1, FLAT),
    "tf.cumsum": (lambda f, x: f(x, -1, exclusive=True), lambda np, x: np.cumsum(x, -1) - x, FLAT),
    "tf.reduce_sum": (lambda f, x: [f(x, -1), f(x)], lambda np, x: [x.sum(-1), x.sum()], FLAT),
    "tf.reduce_mean": (lambda f, x: [f(x, -1), f(x)], lambda np, x: [x.mean(-1), x.mean()], FLAT),
    V1 + "reduce_mean": (lambda f, x: [f(x, -1), f(x)], lambda np, x: [x.mean(-1), x.mean()], FLAT),
    "tf.reduce_any": (lambda f, x: f(x > 2, -1), lambda np, x: (x > 2).any(-1), [(40, 2), (2, 20, 2)]),
    "tf.argmax": (lambda f, x: f(x, -1), lambda np, x: x.argmax(-1), DEEP),
    "tf.one_hot": (lambda f, x: f([0, 2], 3) * x[..., :2, :3], lambda np, x: np.eye(3)[[0, 2]] * x[..., :2, :3], DEEP),
    "tf.transpose": (lambda f, x: f(x), lambda np, x: x.T, FLAT),
    "tf.squeeze": (lambda f, x: f(x), lambda np, x: x.squeeze(), [(1, 4), (2, 1, 3, 1)]),
    "tf.split": (lambda f, x: f(x, 2), lambda np, x: np.split(x, 2), [(4,), (2, 3, 4)]),
    "tf.stack": (lambda f, x: f([x, -x]), lambda np, x: np.stack([x, -x]), FLAT),
    "tf.unstack": (lambda f, x: f(x, num=2), lambda np, x: list(x), [(2,), (2, 3, 4)]),
    "tf.broadcast_to": (lambda f, x: f(x, [2, 3, 4]), lambda np, x: x + np.zeros((2, 3, 4)), [(4,), (3, 1), (2, 3, 4)]),
    "tf.gather_nd": (lambda f, x: f(x, [[1], [0], [1]]), lambda np, x: x[[1, 0, 1]], FLAT),
    V1 + "where": (lambda f, x: f(x > 0, x, -x), lambda np, x: abs(x), FLAT),
    V1 + "to_int32": (lambda f, x: f(4 * x), lambda np, x: np.trunc(4 * x), FLAT),
    "tf.einsum": (lambda f, x: f("...ij,...kj->...ik", x, x), lambda np, x: x @ np.swapaxes(x, -1, -2), DEEP),
}  # fmt: skip


def _halved(x):
    return x / 4 + 0.125


def _of_ranks(body):
    for name, form in RANKS.items():
        case(name, dtypes="f32", core=False, rtol={"f32": 1e-5}, atol={"f32": 1e-5},
             reference=lambda np, *xs, form=form: [leaves(np, form[1](np, _halved(x))) for x in xs])(body)  # fmt: skip
    return body


@_of_ranks
def axes_not_known(t, dtype, function):
    """One program for tensors of any number of axes."""
    call, _, shapes = RANKS[function]
    f = t.get(function)

    def run(x):
        made = call(f, x)
        return list(made) if isinstance(made, (tuple, list)) else [made]

    spec = t.fw.TensorSpec(None, t.dtype(dtype))
    program = t.fw.function(run, input_signature=[spec], autograph=False)
    return [t.call(program, _halved(t.distinct(shape, dtype))) for shape in shapes]


# --- derivatives


FORWARD = [*MOVES, *SUMS, *SMOOTH]


@each(FORWARD, lambda form: forward(form[1]), dtypes="f32", rtol={"f32": 1e-5}, atol={"f32": 1e-5})
def forward_mode(t, dtype, function):
    """The result, and by how much it changes along a direction."""
    shapes = ALL[function][2]
    at = [placed(number, t.distinct(shape, dtype)) for number, shape in enumerate(shapes)]
    along, run = [t.randn(shape, dtype) for shape in shapes], called(t, function)

    def both(*given):
        at, along = given[: len(shapes)], given[len(shapes) :]
        with t.fw.autodiff.ForwardAccumulator(list(at), list(along)) as moving:
            made = run(*at)
        return made, [moving.jvp(one) for one in made]

    return t.call(both, *at, *along)


# What no gradient goes through.
STEPS = {
    "tf.equal": (lambda f, x: f(x, 2.0), lambda np, x: x == 2),
    "tf.greater": (lambda f, x: f(x, 1.5), lambda np, x: x > 1.5),
    "tf.logical_and": (lambda f, x: f(x > 1, x < 3), lambda np, x: (x > 1) & (x < 3)),
    "tf.reduce_any": (lambda f, x: f(x > 4, 1), lambda np, x: (x > 4).any(1)),
    "tf.reduce_all": (lambda f, x: f(x > -4, 1), lambda np, x: (x > -4).all(1)),
    V1 + "to_int32": (lambda f, x: f(x), lambda np, x: np.trunc(x)),
    "tf.ones_like": (lambda f, x: f(x), lambda np, x: np.ones(x.shape)),
}  # fmt: skip


def _of_steps(body):
    for name, form in STEPS.items():
        case(name, dtypes="f32", core=False, reference=lambda np, x, form=form: [form[1](np, x), 2 * x])(body)  # fmt: skip
    return body


@_of_steps
def no_gradient_goes_through(t, dtype, function):
    """Alone it has none; beside a square the square's is whole."""
    call, f, tf = STEPS[function][0], t.get(function), t.fw

    def slopes(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            made = call(f, x)
            number = tf.cast(made, x.dtype)
            loss = tf.reduce_sum(x * x) + tf.reduce_sum(number)
        t.expect(tape.gradient(number, x) is None, "no gradient")
        return [made, tape.gradient(loss, x)]

    return t.call(slopes, t.distinct((4, 3), dtype))


# --- numbers and lists of Python, variables


X, Y = [[1.5, -2.0, 0.25], [3.0, 0.5, -4.0]], [[1.5, 2.0, -0.25], [-3.0, 0.5, 4.0]]
YES, NO = [[True, False], [False, False]], [True, False]
# Arguments of Python, and what NumPy makes of the arrays of the first ones.
LISTS = {
    "tf.exp": ((X,), lambda np, x: np.exp(x)),
    "tf.math.log1p": (([0.5, 3.0, -0.25],), lambda np, x: np.log1p(x)),
    "tf.floor": ((X,), lambda np, x: np.floor(x)),
    "tf.abs": ((X,), lambda np, x: abs(x)),
    "tf.equal": ((X, Y), lambda np, x: x == np.array(Y)),
    "tf.greater": ((0.5, X), lambda np, _: np.array(X) < 0.5),
    "tf.minimum": ((0.5, X), lambda np, _: np.minimum(0.5, X)),
    "tf.logical_and": ((YES, NO), lambda np, x: x & np.array(NO)),
    "tf.reduce_any": ((YES, [0]), lambda np, x: x.any(0)),
    "tf.reduce_sum": ((X, -1), lambda np, x: x.sum(-1)),
    "tf.reduce_mean": ((X, -1), lambda np, x: x.mean(-1)),
    V1 + "reduce_mean": ((X, -1), lambda np, x: x.mean(-1)),
    "tf.cumsum": ((X, -1, True, True), lambda np, x: np.array([[-1.75, 0.25, 0], [-3.5, -4, 0]])),
    "tf.argmax": ((X, 0), lambda np, x: x.argmax(0)),
    "tf.transpose": ((X, (1, 0)), lambda np, x: x.T),
    "tf.split": ((X, 3, -1), lambda np, x: np.split(x, 3, 1)),
    "tf.squeeze": (([X], 0), lambda np, x: x[0]),
    "tf.unstack": ((X, 2), lambda np, x: list(x)),
    "tf.slice": ((X, (0, 1), (2, -1)), lambda np, x: x[:, 1:]),
    "tf.gather_nd": ((X, [[1, 2], [0, 0]]), lambda np, x: x[[1, 0], [2, 0]]),
    "tf.broadcast_to": ((X[0], (2, 3)), lambda np, x: np.stack([x, x])),
    V1 + "where": ((YES, [[1, 2], [3, 4]], [[5, 6], [7, 8]]), lambda np, _: np.array([[1, 6], [7, 8]])),
    V1 + "to_int32": ((X,), lambda np, x: np.trunc(x)),
    "tf.ones_like": ((X,), lambda np, x: np.ones(x.shape)),
    "tf.one_hot": (([[2, 0]], 3, 5, -1), lambda np, _: np.array([[[-1, -1, 5], [5, -1, -1]]])),
}  # fmt: skip


def _of_lists(body):
    for name, (given, want) in LISTS.items():
        case(name, core=False, trivial=name == "tf.ones_like", rtol={"f32": 1e-5}, reference=lambda np, given=given, want=want: leaves(
             np, want(np, np.array(given[0]))))(body)  # fmt: skip
    return body


@_of_lists
def of_python(t, function):
    """Numbers and nested lists; a number may come first."""
    made = t.call(function, *LISTS[function][0])
    made = list(made) if isinstance(made, (tuple, list)) else [made]
    t.expect(all(t.fw.is_tensor(one) for one in made), "tensors")
    return made


@each([name for name in {**KINDS, **RANKS} if name in ALL], lambda form: lambda np, *x: leaves(np, form[1](np, *x)),
      dtypes="f32", rtol={"f32": 1e-5}, trivial=True)  # fmt: skip
def of_variables(t, dtype, function):
    """A variable stands for its tensor, and keeps its own numbers."""
    held = [t.fw.Variable(t.uniform(shape, dtype, 0.5, 2)) for shape in ALL[function][2]]
    before = [t.host(one) for one in held]
    made = t.call(called(t, function), *held)
    after = [t.host(one) for one in held]
    t.expect(all((a == b).all() for a, b in zip(before, after)), "the variables as they were")
    return made


# --- exact over the whole range


ENDS = {"f16": (-9.0, 11.0, 11.125), "f32": (-87.0, 88.5, 89.0), "f64": (-708.0, 709.5, 710.0)}


@case("tf.exp", dtypes="f16 f32 f64", core=False, reference="none")
def exp_from_end_to_end(t, dtype):
    """Right in relation to its size from the least normal number to the greatest; then it is infinite, or zero."""
    np, (low, high, over) = t.np, ENDS[dtype]
    x = t.const(np.linspace(low, high, 257), dtype)
    off = abs(t.host(t.call("tf.exp", x)) / np.exp(t.host(x)) - 1).max()
    allowed = {"f16": 2e-3, "f32": 1e-6, "f64": 1e-12}[dtype]
    t.expect(off <= allowed, "an error of at most %g, got %g" % (allowed, off))
    ends = t.host(t.call("tf.exp", t.const([over, 20 * over, -20 * over], dtype)))
    t.expect(ends.tolist() == [INF, INF, 0], "infinity and zero, got %s" % ends)


@case("tf.math.log1p", dtypes="f32 f64", core=False, reference="none")
def log1p_from_end_to_end(t, dtype):
    """Right in relation to its size, beside -1, beside 0 on both sides, and far away."""
    np, near = t.np, {"f32": 2.0**-24, "f64": 2.0**-53}[dtype]
    small = np.geomspace(1e-30, 0.5, 120)
    x = t.const(np.concatenate([small, -small, [near - 1], np.geomspace(1, 1e38, 60)]), dtype)
    off = abs(t.host(t.call("tf.math.log1p", x)) / np.log1p(t.host(x)) - 1).max()
    allowed = {"f32": 1e-6, "f64": 1e-13}[dtype]
    t.expect(off <= allowed, "an error of at most %g, got %g" % (allowed, off))


@case("tf.math.log1p", dtypes="c64 c128", core=False, grad=True, rtol={"c64": 1e-5}, atol={"c64": 1e-5},
      reference=with_gradient(lambda np, x: np.log(1 + x)))  # fmt: skip
def log1p_of_complex(t, dtype):
    """In all four quarters, with its gradient."""
    x = [[0.5 + 1j, -0.5 + 2j, 1 - 1j], [-3 + 0.5j, -3 - 0.5j, 2]]
    return t.call("tf.math.log1p", t.const(x, dtype, grad=True))


@case(
    "tf.exp", dtypes="c64 c128", core=False, rtol={"c64": 1e-5}, reference=lambda np, x: np.exp(x)
)
def exp_turns(t, dtype):
    """Around the circle, and to nothing."""
    turns = [3.14159265j, -1.5707963j, 6.2831853j, -800 + 1j, 3 - 4j, 1.25]
    return t.call("tf.exp", t.const(turns, dtype))


@case(
    "tf.floor",
    dtypes="f32 f64 f16 bf16",
    core=False,
    rtol=EXACT,
    atol=EXACT,
    reference=lambda np, x: [np.floor(x), np.signbit(np.floor(x))],
)
def floor_beside_whole_numbers(t, dtype):
    """Just below and above whole numbers, where there are no fractions, and zeros with their signs."""
    step = {"f16": 2.0**-9, "bf16": 2.0**-6, "f32": 2.0**-22, "f64": 2.0**-51}[dtype]
    one = [1 - step, 1 + step, -1 - step, -1 + step, 3 - 2 * step, -3 - 2 * step]
    x = t.const(
        [*one, step / 8, -step / 8, 0.0, -0.0, 1024.0, -1024.0, 0.5 / step, -0.5 / step], dtype
    )
    made = t.call("tf.floor", x)
    return [made, t.np.signbit(t.host(made))]


@case("tf.floor", dtypes="f32 f64", core=False, rtol=EXACT, atol=EXACT, reference=lambda np, x: np.floor(x))  # fmt: skip
def floor_of_far_fractions(t, dtype):
    """Of each size up to where there are none: the last fractions below, within and above a whole number, of either sign."""
    bits = t.np.arange(1, 24 if dtype == "f32" else 53)
    whole, step = 2.0**bits, 2.0 ** (bits - (23 if dtype == "f32" else 52))
    x = t.np.concatenate([whole + n * step for n in (0, 1, 2, 3)] + [whole - step / 2, whole * 1.5 - step, whole * 1.5 + step])  # fmt: skip
    return t.call("tf.floor", t.const(t.np.concatenate([x, -x]), dtype))


@case("tf.abs", dtypes="c64 c128", core=False, reference="none")
def length_of_far_complex_numbers(t, dtype):
    """Its square would overflow, or vanish; infinite parts have an infinite length."""
    far = 1e30 if dtype == "c64" else 1e200
    x = t.const(
        [3 * far + 4j * far, 3 / far - 4j / far, complex(INF, NAN), complex(-1, INF)], dtype
    )
    made = t.host(t.call("tf.abs", x))
    off = abs(made[:2] / t.np.array([5 * far, 5 / far]) - 1)
    t.expect(
        bool((off < 1e-5).all()) and made[2] == made[3] == INF, "5, 5 and infinity, got %s" % made
    )


# --- constants of version 1


CONSTANT = V1 + "constant"


@case(
    CONSTANT,
    dtypes="i16 u16 u32 u64 c64",
    core=False,
    reference=lambda np, x: [x, x.T, x[::-1, ::-2], x[1:, :0], np.full((2, 3), x[0, 0])],
)
def constant_of_arrays(t, dtype):
    """Of arrays of NumPy in any order of their axes, with steps, of nothing, one number that fills a shape."""
    kind = t.dtype(dtype)
    x = t.host(t.randint((3, 4), dtype, 1, 2**15)).astype(kind.as_numpy_dtype)
    given = x, x.T, x[::-1, ::-2], x[1:, :0]
    made = [t.call(CONSTANT, one) for one in given]
    t.expect(all(one.dtype == kind for one in made), "the dtype of the array")
    return [*made, t.call(CONSTANT, x[0, 0], shape=(2, 3))]


@case(CONSTANT, core=False, reference=lambda np: [
      np.array([2**62 + 1, -(2**63)]), 2**40, np.array([[1, 2], [3, 4]]), np.array([1, 2.5]), np.arange(3), np.array(0.1), 3.5, np.array([1, 1])])  # fmt: skip
def constant_of_python(t):
    """The ends of i64, a number beyond 32 bits, tuples, whole numbers beside fractions and a number of NumPy, dtypes by name."""
    i64 = t.fw.int64
    made = [
        t.call(CONSTANT, [2**62 + 1, -(2**63)], i64),
        t.call(CONSTANT, 2**40),
        t.call(CONSTANT, ((1, 2), (3, 4))),
        t.call(CONSTANT, [1, 2.5]),
        t.call(CONSTANT, [t.np.float64(0), 1, 2]),
        t.call(CONSTANT, t.np.array(0.1), "float32"),
        t.call(CONSTANT, 3.5, name="x"),
        t.call(CONSTANT, 1, "uint8", [2]),
    ]
    got = " ".join(one.dtype.name for one in made)
    want = "int64 int64 int32 float32 float64 float32 float32 uint8"
    t.expect(got == want, "%s, got %s" % (want, got))
    return made


@case(CONSTANT, core=False, host_only=True, reference="none")
def constant_of_texts(t):
    """Arrays of texts; of bytes in axes; as many as a shape wants."""
    found = t.call(CONSTANT, t.np.array([["a"], ["bc"]])), t.call(CONSTANT, b"x\0y", shape=[1, 2])
    got = [t.host(one).tolist() for one in found]
    t.expect(got == [[[b"a"], [b"bc"]], [[b"x\0y"] * 2]], "the bytes, got %s" % got)


@case(CONSTANT, core=False, host_only=True, reference="none")
def constant_refuses_more(t):
    """None, objects, text for numbers, fractions for truths, complex for real numbers, texts among numbers, too many."""
    f32 = t.fw.float32
    for wrong in (
        (None,),
        (object(),),
        ("1", f32),
        (1.0, t.fw.bool),
        (1j, f32),
        ([1, "a"],),
        ([[1], 2],),
        ([1, 2, 3], None, [2]),
    ):
        t.refuses(CONSTANT, *wrong)
    with t.fw.Graph().as_default():
        kinds = ValueError, TypeError
        for wrong in (
            ([1, 2, 3], None, [2]),
            ([1, 2, 3], None, [2, 3], "x", True),
            (None,),
            (1.5, t.fw.int32),
        ):
            t.raises(kinds, t.call, CONSTANT, *wrong)
        made = t.call(CONSTANT, [1, 2, 3], shape=[3], verify_shape=True)
        t.expect(made.shape.as_list() == [3] and made.op.type == "Const", "of the shape asked for")


# --- powers


POW = "tf.pow"
_power = right.two_complex_gradient(POW)
BASES = [1 - 2j, 4 + 3j, 2 - 3j, 3, 2j, 1, 4, -2 - 1j, -1 + 2j, -2 - 1j, -3j, -1 + 2j]
EXPONENTS = [2, 3j, 3 + 4j, 2 + 3j, 3 - 2j, 2, 3 + 3j, 1 - 2j, -2 + 1j, 0, 0, -1.5]


@case(POW, dtypes="c64 c128", core=False, grad=True, rtol={"c64": 1e-5, "c128": 1e-12}, atol={"c64": 1e-5, "c128": 1e-12}, reference=lambda np, x, y, one: [
      _power(np, x, y), _power(np, x, one), _power(np, one, y)])  # fmt: skip
def power_in_every_quarter(t, dtype):
    """Bases and exponents with parts of either sign, or without one; to the power of nothing; one number on either side."""
    x, y, one = (t.const(given, dtype, grad=True) for given in (BASES, EXPONENTS, 2 + 2j))
    return [t.call(POW, x, y), t.call(POW, x, one), t.call(POW, one, y)]


@case(POW, dtypes="i8 i16 i32 i64 f16 bf16 f32 f64 c64 c128", core=False, rtol={"f32": 1e-5, "f64": 1e-12, "c64": 1e-5, "c128": 1e-12}, atol={"f64": 1e-12, "c128": 1e-12},
      reference=lambda np, x, y: [x**3, x**3, 10**y])  # fmt: skip
def power_as_an_operator(t, dtype):
    """The sign of Python, with a number on either side."""
    x, y = [-2, -1, 0, 1, 3], [0, 1, 2, 1, 2]
    if dtype[0] in "bf":
        y = [0, -1, 2, 0.5, -1.75]
    if dtype[0] == "c":
        x, y = [-2 - 1j, -1 + 2j, 3 - 0.5j, 2j, -3], [1j, -1 - 2j, 2, 0.5 + 1j, -1.75]
    x, y = t.const(x, dtype), t.const(y, dtype)
    made = [t.call(POW, x, 3), t.call(lambda x: x**3, x), t.call(lambda y: 10**y, y)]
    t.expect(all(one.dtype == x.dtype for one in made), "the dtype of the tensor")
    return made
