"""What hands a tensor on: identity, and stop_gradient, which hands no gradient back."""

from seamark_agent.harness import Skip

from seamark_suites.case import case

from . import reference_views as right
from .reference import with_gradient
from .views import each

STOP = "tf.stop_gradient"
IDENTITY = "tf.identity"


@case(IDENTITY, dtypes="f32 i64 bf16", core=False, reference=lambda np, x, y: [x, y, x + y])
def identity_of_variable(t, dtype):
    """A tensor of its own: what is assigned later does not show. Whole numbers."""
    held, more = t.fw.Variable(t.randint((3, 4), dtype, -9, 10)), t.randint((3, 4), dtype, -9, 10)
    before = t.call(IDENTITY, held)
    held.assign_add(more)
    return [before, more, held.read_value()]


@each(IDENTITY + " " + STOP, lambda function: lambda np, values: values, dtypes="f32", core=False)
def of_ragged(t, dtype, function):
    """The rows keep their lengths."""
    made = t.fw.RaggedTensor.from_row_lengths(t.randn((4,), dtype), [2, 0, 1, 1])
    made = t.call(function, made)
    t.expect(t.host(made.row_lengths()).tolist() == [2, 0, 1, 1], "rows of before")
    return made.flat_values


@each(
    IDENTITY + " " + STOP,
    lambda function: lambda np: [np.array([[1, 2], [3, 4]]), np.array([0.5])],
    core=False,
)
def of_python(t, function):
    """Lists of Python and arrays of NumPy become tensors."""
    made = [t.call(function, one) for one in ([[1, 2], [3, 4]], t.np.array([0.5]))]
    got = [one.dtype.name for one in made]
    t.expect(got == ["int32", "float64"], "i32 and f64, got %s" % got)
    return made


@each(IDENTITY + " " + STOP, core=False, host_only=True)
def of_strings(t, function):
    made = t.call(function, t.fw.constant(["a", "bc"]))
    t.expect(t.host(made).tolist() == [b"a", b"bc"], "the strings, got %s" % made)


@case(IDENTITY, core=False, host_only=True, reference="none")
def identity_names(t):
    """In a graph it is an operation with a name, to fetch or to feed by."""
    with t.fw.Graph().as_default():
        made = t.call(IDENTITY, t.fw.constant([1.0, 2.0]), name="logits")
    t.expect(made.name == "logits:0" and made.op.type == "Identity", "logits:0, got %s" % made.name)


@each(IDENTITY + " " + STOP, core=False)
def of_no_tensor(t, function):
    t.refuses(function, {"a": 1.0})
    t.refuses(function, [[1, 2], [3]])


@case(STOP, dtypes="f32", shapes="6x5 7", reference=right.plain(STOP))
@case(STOP, dtypes="bf16 i64", shapes="6x5", reference=right.plain(STOP))
@case(
    STOP,
    dtypes="f16 f64 i32 u8 bool c64 f8e4m3fn f8e5m2",
    shapes="6x5",
    core=False,
    reference=right.plain(STOP),
)
@case(
    STOP, dtypes="f32", shapes="scalar 0x3", core=False, trivial=True, reference=right.plain(STOP)
)
def stopped(t, dtype, shape):
    return t.call(STOP, t.randn(shape, dtype))


@case(STOP, dtypes="f32 bf16", reference=lambda np, x: [x * x, x])
def stops_one_factor(t, dtype):
    """The other factor has its gradient; with neither stopped it would be twice that. Whole numbers."""

    def product_and_slope(x):
        with t.fw.GradientTape() as tape:
            tape.watch(x)
            made = x * t.get(STOP)(x)
        return made, tape.gradient(made, x)

    return t.call(product_and_slope, t.randint((4, 5), dtype, -5, 6))


@case(STOP, dtypes="f32 f64", core=False, grad=True, reference=with_gradient(
      lambda np, x: np.round(x), lambda np, w, x: 3 * w))  # fmt: skip
def stops_straight_through(t, dtype):
    """Rounding whose gradient is that of another function. Numbers far from halves."""

    def rounded(x):
        return 3 * x + t.get(STOP)(t.fw.round(x) - 3 * x)

    whole, part = t.np.arange(-6, 6).reshape(3, 4), t.np.array([0.25, -0.25, 0.125, -0.375])
    return t.call(rounded, t.const(whole + part, dtype, grad=True))


@case(STOP, dtypes="f32", core=False, reference=lambda np, x, y: [2 * x * y, 0 * x, 2 * y])
def stops_beside(t, dtype):
    """What is stopped is a constant in the second derivative, too. Whole numbers."""

    def slopes(x, y):
        with t.fw.GradientTape() as outer:
            outer.watch(x)
            with t.fw.GradientTape(persistent=True) as inner:
                inner.watch(x)
                made = t.fw.reduce_sum(x * x * t.get(STOP)(y * x / x))
                none = t.fw.reduce_sum(t.get(STOP)(x * x) * y)
            first = inner.gradient(made, x)
            second = inner.gradient(none, x, unconnected_gradients="zero")
        return first, second, outer.gradient(first, x)

    x = t.randint((3, 4), dtype, 1, 6)
    return t.call(slopes, x, t.randint((3, 4), dtype, 1, 6))


@case(STOP, dtypes="f32", core=False, reference="none")
def stops_all(t, dtype):
    """Where nothing else leads to the input there is no gradient, and zeros where these are asked for."""
    found = []

    def slope(x, unconnected):
        with t.fw.GradientTape() as tape:
            tape.watch(x)
            made = t.fw.reduce_sum(t.get(STOP)(x * 3.0))
        found.append(tape.gradient(made, x, unconnected_gradients=unconnected))
        return made if found[-1] is None else found[-1]

    x = t.const([1.0, 2.0, 4.0], dtype)
    t.expect(float(t.host(t.call(slope, x, "none"))) == 21.0, "a sum of 21")
    t.expect(found[0] is None, "no gradient, got %s" % found[0])
    zeros = t.host(t.call(slope, x, "zero"))
    t.expect(zeros.tolist() == [0.0] * 3, "zeros, got %s" % zeros)


@case(STOP, dtypes="f32", core=False, reference=lambda np, *xs: [x * 2 for x in xs])
def stops_unknown_size(t, dtype):
    """Traced once for every size; the doubled input is compared, and its gradient is none of this."""
    spec = t.fw.TensorSpec([None, 2], t.dtype(dtype))
    traced = t.fw.function(lambda x: t.get(STOP)(x) * 2, input_signature=[spec], autograph=False)
    return [t.call(traced, t.randn((n, 2), dtype)) for n in (3, 5, 8)]


@case(STOP, dtypes="f32 bf16", core=False, reference=lambda np, x: (x, np.signbit(x)))
def stops_special_values(t, dtype):
    made = t.call(STOP, t.const([t.np.nan, -0.0, t.np.inf, 0.0, -t.np.inf, 2.5], dtype))
    return made, t.np.signbit(t.host(made))


@case(STOP, dtypes="f32 f64", core=False, reference=lambda np, x, w: [
      x * (x - 1), 0 * x, 2 * x, -w / (w + x) ** 2 * x, np.log(w + x) + x / (w + x)])  # fmt: skip
def stops_as_documented(t, dtype):
    """A fixed share in a sum, a target of a loss, twice, a rounded part; of what is beside it the slope is whole."""
    tf, stop = t.fw, t.get(STOP)

    def slopes(x, w):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            difference = x * x - stop(x)
            loss = stop(stop(x * 2)) * w
            square = (x - stop(x - 2 * x)) ** 2 / 2
            shared = stop(x) * w / (w + x)
            whole = x * tf.math.log(w + x)
        none = tape.gradient(loss, x, unconnected_gradients="zero")
        found = [tape.gradient(one, x) for one in (square, shared, whole)]
        return [difference, none, *found]

    return t.call(slopes, t.uniform((3, 4), dtype, 1, 3), t.uniform((3, 4), dtype, 1, 3))


@case(STOP, dtypes="f32", core=False, reference=lambda np, x: [3 * x * x, x * x])
def stops_in_a_graph(t, dtype):
    """Of TensorFlow 1: gradients has none through it, and whole ones beside it; through a function, too."""
    v1, f, tf = t.fw.compat.v1, t.get(STOP), t.fw
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    values = t.distinct((5,), dtype)
    fed_values = t.host(values)
    with tf.Graph().as_default(), tf.device(t.device):
        fed = v1.placeholder(t.dtype(dtype), [None])
        square = fed * fed
        alone = v1.gradients(f(square), fed)[0]
        both = v1.gradients(fed * fed * fed, fed)[0]
        beside = v1.gradients(tf.function(lambda x: x * f(x * x), autograph=False)(fed), fed)[0]
        t.expect(alone is None and f(square).shape.as_list() == [None], "none, got %s" % alone)
        with v1.Session() as session:
            return t.call(session.run, [both, beside], {fed: fed_values})


# --- to_float

TO_FLOAT = "tf.compat.v1.to_float"


@case(
    TO_FLOAT,
    dtypes="i32 i64 bf16",
    core=False,
    reference=lambda np, x: [x, np.array([2, 0, 1]), x, x],
)
def to_float_of_each_form(t, dtype):
    """A variable, ragged rows, any number of axes in one traced program; no gradient of whole numbers; with a name."""
    f, tf = t.get(TO_FLOAT), t.fw
    x = t.randint((3,), dtype, -99, 100)
    held = tf.Variable(x)
    program = tf.function(lambda x: f(x, name="real"), input_signature=[tf.TensorSpec(None, x.dtype)], autograph=False)  # fmt: skip

    def forms(x):
        rows = f(tf.RaggedTensor.from_row_lengths(x, [2, 0, 1]))
        return [rows.flat_values, rows.row_lengths(), f(held)]

    with tf.GradientTape() as tape:
        tape.watch(x)
        made = t.call(TO_FLOAT, x)
    t.expect(dtype == "bf16" or tape.gradient(made, x) is None, "no gradient")
    made = [*t.call(forms, x), t.call(program, x)]
    t.expect(all(made[n].dtype == tf.float32 for n in (0, 2, 3)), "f32 of each")
    return made


@case(TO_FLOAT, dtypes="f64 u32 u64 f8e4m3fn", core=False, rtol={"f32": 0.0}, atol={"f32": 0.0}, reference=lambda np, x: x.astype(np.float32))  # fmt: skip
def to_float_at_the_ends(t, dtype):
    """Beside the greatest number of f32, halfway between two, the greatest of a kind: to the nearest, ties to even."""
    if dtype == "f64":
        most = (2 - 2.0**-23) * 2.0**127
        x = [most, most * (1 + 2.0**-26), most * (1 + 2.0**-24), -most, 1 + 2.0**-24, 1 + 3 * 2.0**-24, 1 + 2.0**-24 + 2.0**-50, 2.0**-126, 0.1]  # fmt: skip
    elif dtype[0] == "u":
        most = 2 ** int(dtype[1:]) - 1
        x = [most, most - 127, most // 4, 16777217, 16777219, 2**31 + 128, 0, 1]
    else:
        x = [448.0, -448.0, 2.0**-9, -(2.0**-6), 1.125, 0.0, 240.0, 3.5]
    return t.call(TO_FLOAT, t.const(x, dtype))
