"""tf.function: what it takes and gives, when it traces anew, AutoGraph, variables, errors."""

import collections

from seamark_suites.case import case

FUNCTION = "tf.function"
Pair = collections.namedtuple("Pair", "x y")


# --- AutoGraph


def _steps(np, x, most):
    """The sums of the first numbers that are even, up to a bound; how many; twice what is left."""
    total, count = 0, 0
    for value in x:
        if value % 2 == 1:
            continue
        if total + value > most:
            break
        total, count = total + value, count + 1
    return [total, np.asarray(count), x[count:].sum() * 2 if total > 3 and count else -total]


@case(FUNCTION, dtypes="f32 i32", core=False, reference=lambda np, x, *bounds: [
      leaf for most in bounds for leaf in _steps(np, x, int(most))])  # fmt: skip
def loops_that_break(t, dtype):
    """A `for` over the rows with continue and break, `and`, `not`, a conditional expression, a slice by a counter."""

    def steps(x, most):
        total, count = t.fw.zeros((), x.dtype), 0
        for value in x:
            if value % 2 > 0:
                continue
            if total + value > most:
                break
            total, count = total + value, count + 1
        rest = 2 * t.fw.reduce_sum(x[count:])
        return total, count, rest if total > 3 and not count < 1 else -total

    run, x = t.get(FUNCTION)(steps), t.const([2, 3, 4, 1, 6, 8, 5], dtype)
    bounds = [t.const(most, dtype) for most in (6, 100, 1)]
    return [leaf for most in bounds for leaf in t.call(run, x, most)]


@case(
    FUNCTION, dtypes="f32", core=False, reference=lambda np, x: np.stack([x * i for i in range(4)])
)
def a_list_that_grows(t, dtype):
    """A TensorArray in a loop over a range that is a tensor."""
    tf = t.fw

    def grown(x, n):
        rows = tf.TensorArray(x.dtype, size=0, dynamic_size=True, element_shape=x.shape)
        for i in tf.range(n):
            rows = rows.write(i, x * tf.cast(i, x.dtype))
        return rows.stack()

    run = t.get(FUNCTION)(grown)
    return t.call(lambda x: run(x, 4), t.distinct((4,), dtype))


@case(FUNCTION, dtypes="f32", core=False, reference=lambda np, x: [np.stack([x, 2 * x]), -x, x + 5])
def lists_and_early_returns(t, dtype):
    """A list of Python in a loop of Python's, a return within a branch."""
    tf, function = t.fw, t.get(FUNCTION)

    @function
    def listed(x):
        rows = []
        for i in range(2):
            rows.append(x * (i + 1))
        return tf.stack(rows)

    @function
    def signed(x):
        if tf.reduce_sum(x) > 0:
            return x
        return -x

    x = t.distinct((4,), dtype)
    return [t.call(listed, x), t.call(signed, x), t.call(lambda x: signed(x + 5), x)]


@case(FUNCTION, host_only=True, core=False, reference="none")
def what_no_graph_can_be_made_of(t):
    """A value of one branch alone, branches of two dtypes, a tensor's truth without AutoGraph, a result that is none."""
    tf, function, x = t.fw, t.get(FUNCTION), t.fw.constant(1.0)

    def half(x):
        if x > 0:
            y = x
        return y

    def mixed(x):
        y = x
        if x > 0:
            y = tf.constant(1)
        return y

    def chosen(x):
        return x if x > 0 else -x

    t.raises(ValueError, t.call, function(half), x)
    t.raises(TypeError, t.call, function(mixed), x)
    t.raises(TypeError, t.call, function(chosen, autograph=False), x)
    t.raises(TypeError, t.call, function(lambda x: object()), x)
    kept = []
    t.call(function(lambda x: kept.append(x * 2)), x)
    t.raises(TypeError, lambda: kept[0] + 1.0)


# --- arguments


@case(
    FUNCTION,
    dtypes="f32",
    core=False,
    reference=lambda np, x, y: [x + 2 * y, x - y, {"a": [x * y], "b": (x, y)}, y * 3, x * x],
)
def arguments_of_every_form(t, dtype):
    """By position, by name, by default, a dictionary of a pair, any number of them."""
    function = t.get(FUNCTION)
    x, y = t.randn((3,), dtype), t.randn((3,), dtype)
    scaled = function(lambda x, y, factor=2.0: x + factor * y)
    nested = function(
        lambda held: {"a": [held["p"].x * held["p"].y], "b": (held["p"].x, held["p"].y)}
    )
    many = function(lambda *parts, **named: parts[-1] * named["factor"])
    made = [
        t.call(scaled, x, y),
        t.call(scaled, y=y, x=x, factor=-1.0),
        t.call(nested, {"p": Pair(x, y)}),
        t.call(many, x, x, y, factor=t.fw.constant(3.0, x.dtype)),
    ]

    @function(autograph=False)
    def squared(x, flag=None):
        return x * x if flag is None else x

    t.expect(
        squared.__name__ == "squared" and squared.python_function(3) == 9, "the function of Python"
    )
    return [*made, t.call(squared, x)]


@case(FUNCTION, host_only=True, core=False, reference="none")
def results_of_every_form(t):
    """None, numbers of Python, a named tuple, what is empty; a structure keeps its form."""
    tf, function = t.fw, t.get(FUNCTION)
    x = tf.constant([1.0, 2.0])
    t.expect(t.call(function(lambda x: None), x) is None, "None")
    made = t.call(function(lambda x: {"a": Pair(x, None), "b": [3, "text"], "c": ()}), x)
    t.expect(type(made["a"]) is Pair and made["a"].y is None and made["c"] == (), "%r" % made)
    got = [made["b"][0].numpy(), made["b"][1].numpy(), made["a"].x.numpy().tolist()]
    t.expect(got == [3, b"text", [1.0, 2.0]], "tensors of its leaves, got %s" % got)
    sparse = t.call(function(tf.sparse.from_dense), tf.constant([0.0, 5.0]))
    t.expect(sparse.values.numpy().tolist() == [5.0], "a sparse tensor, got %s" % sparse)
    ragged = t.call(function(lambda r: r * 2.0), tf.ragged.constant([[1.0], [2.0, 3.0]]))
    t.expect(ragged.to_list() == [[2.0], [4.0, 6.0]], "ragged rows, got %s" % ragged)


@case(FUNCTION, host_only=True, core=False, reference="none")
def arguments_that_are_refused(t):
    """Too few, too many, of a signature another rank; no function, no specs, an object that cannot be compared."""
    tf, function = t.fw, t.get(FUNCTION)
    one = function(lambda x: x + 1.0)
    for given in ((), (1.0, 2.0)):
        t.raises(TypeError, t.call, one, *given)
    t.raises(TypeError, t.call, one, y=1.0)
    t.raises(TypeError, t.call, one, [set()])
    rows = function(lambda x: x, input_signature=[tf.TensorSpec([None, 2], tf.float32)])
    made = t.call(rows, [[1.0, 2.0]]).numpy().tolist()
    t.expect(made == [[1.0, 2.0]], "one row, got %s" % made)
    for wrong in (tf.zeros([2]), tf.zeros([2, 3]), tf.zeros([1, 2], tf.int32)):
        t.raises((TypeError, ValueError), t.call, rows, wrong)
    t.raises(TypeError, t.call, FUNCTION, 3)
    t.raises(TypeError, t.call, FUNCTION, lambda x: x, input_signature=[1])
    t.raises(TypeError, t.call, FUNCTION, lambda x: x, input_signature=tf.TensorSpec([]))
    t.raises(TypeError, lambda: function(lambda x, y: x, input_signature=[tf.TensorSpec([])])(1.0))


# --- traces


@case(FUNCTION, host_only=True, core=False, reference="none")
def traces_by_values_of_python(t):
    """Each other number or text of Python traces anew; a size of an array does, unless sizes are to be relaxed."""
    np, seen = t.np, []

    @t.get(FUNCTION)
    def kept(x, what):
        seen.append(what)
        return x * 2.0

    for what in (1, 1, 2, "a", "a", None, (1, 2), (1, 2)):
        made = t.call(kept, 3.0, what)
        t.expect(float(made) == 6.0, "6, got %s" % made)
    t.expect(seen == [1, 2, "a", None, (1, 2)], "five traces, got %s" % seen)
    t.expect(kept.experimental_get_tracing_count() == 5, "as it counts itself")

    def widths(relaxed):
        shapes = []
        run = t.call(
            FUNCTION,
            lambda x: (shapes.append(x.shape.as_list()), x * 2)[1],
            reduce_retracing=relaxed,
        )
        made = [t.call(run, np.full(n, float(n))) for n in (1, 2, 3, 4, 4)]
        want = [[2.0 * n] * n for n in (1, 2, 3, 4, 4)]
        t.expect([one.numpy().tolist() for one in made] == want, "doubled, got %s" % made)
        return shapes

    t.expect(widths(False) == [[1], [2], [3], [4]], "each size once")
    t.expect(widths(True) == [[1], [None]], "the second for all")


@case(FUNCTION, host_only=True, core=False, reference="none")
def a_concrete_one(t):
    """Its inputs, its results, the variables that it captured, its graph; values of Python are bound; called by name."""
    tf, held = t.fw, t.fw.Variable([1.0, 2.0])

    @t.get(FUNCTION)
    def moved(x, scale=2.0):
        return {"sum": x * scale + held, "n": tf.size(x)}

    made = t.call(moved.get_concrete_function, tf.TensorSpec([None], tf.float32), scale=3.0)
    got = made(tf.constant([1.0, 5.0]))
    t.expect(got["sum"].numpy().tolist() == [4.0, 17.0] and int(got["n"]) == 2, "got %s" % got)
    t.expect(made(x=tf.constant([0.0, 1.0]))["sum"].numpy().tolist() == [1.0, 5.0], "by name")
    t.expect(
        made.structured_outputs["n"].dtype == tf.int32 and list(made.variables) == [held], "i32"
    )
    (spec, scale), _ = made.structured_input_signature
    t.expect(
        spec.shape.as_list() == [None] and spec.dtype == tf.float32 and scale == 3.0, "%s" % spec
    )
    t.expect("Mul" in {op.type for op in made.graph.get_operations()}, "a product in its graph")
    t.raises((TypeError, ValueError, tf.errors.InvalidArgumentError), made, tf.constant([1, 2]))
    t.raises(TypeError, made)


# --- state, gradients, compilers


@case(FUNCTION, dtypes="f32", core=False, reference=lambda np, start, x: [
      start + x, 3 * (start + x), 3 * (start + x), 3 * start + 4 * x])  # fmt: skip
def effects_in_the_order_of_the_text(t, dtype):
    """Reads see the writes before them and not those behind, without a dependency that is named."""
    held = t.fw.Variable(t.randint((4,), dtype, 1, 9))

    def step(x):
        held.assign_add(x)
        first = held.read_value()
        held.assign(held * 3)
        second, third = held.read_value(), t.fw.identity(held)
        held.assign_add(x)
        return first, second, third

    return [*t.call(t.get(FUNCTION)(step), t.randint((4,), dtype, 10, 90)), held.read_value()]


@case(FUNCTION, host_only=True, core=False, reference="none")
def variables_of_an_object(t):
    """A method makes its variable at its first call, each object its own; what Python holds is read while it is traced."""
    tf, function = t.fw, t.get(FUNCTION)

    class Scaled:
        def __init__(self, factor):
            self.held, self.factor = None, factor

        @function
        def __call__(self, x):
            if self.held is None:
                self.held = tf.Variable(3.0)
            return self.held.assign_add(x) * self.factor

    one, other = Scaled(2.0), Scaled(10.0)
    got = [float(t.call(scaled, tf.constant(1.0))) for scaled in (one, other, one)]
    t.expect(got == [8.0, 40.0, 10.0], "8, 40 and 10, got %s" % got)
    one.factor = 100.0
    t.expect(float(one(tf.constant(1.0))) == 12.0, "the factor of the trace")
    t.expect(one.held is not other.held and float(other.held) == 4.0, "two variables")


@case(FUNCTION, dtypes="f32 f64", core=False, rtol={"f32": 1e-5}, reference=lambda np, w, x, v: [
      3 * w * w * x * x, 6 * w * x * x, (6 * w * w * x), 2 * (w**3) * x * v, np.cos(x) * v])  # fmt: skip
def derivatives_through_it(t, dtype):
    """By a captured variable, twice, by an argument after it, forward; a tape within and without; a function in another."""
    tf, function, held = t.fw, t.get(FUNCTION), t.fw.Variable(t.uniform((3,), dtype, 0.5, 2))
    x, v = t.uniform((3,), dtype, 0.5, 1), t.uniform((3,), dtype, 0.5, 2)
    inner = function(lambda x: held**3 * x**2)
    outer = function(lambda x: inner(x) + tf.stop_gradient(x))

    def slopes(x, v):
        with tf.GradientTape(persistent=True) as second:
            second.watch(x)
            with tf.GradientTape() as first:
                made = outer(x)
            by_held = first.gradient(made, held)
        with tf.autodiff.ForwardAccumulator(x, v) as follower:
            made = inner(x), tf.sin(x)
        return (
            by_held,
            second.gradient(by_held, held),
            second.gradient(by_held, x),
            follower.jvp(made),
        )

    made = t.call(slopes, x, v)
    return [*made[:3], *made[3]]


@case(
    FUNCTION,
    dtypes="f32 i32",
    core=False,
    reference=lambda np, x, y: [x * y + x, np.where(x > y, x, y)],
)
def compiled_when_asked(t, dtype):
    """jit_compile: the same numbers; what the compiler made can be read."""
    tf, x, y = t.fw, t.randint((4, 5), dtype, -9, 10), t.randint((4, 5), dtype, -9, 10)
    run = t.get(FUNCTION)(lambda x, y: (x * y + x, tf.where(x > y, x, y)), jit_compile=True)
    return list(t.call(run, x, y))


@case(FUNCTION, host_only=True, core=False, reference="none")
def compiled_text(t):
    """HLO by a call's arguments."""
    tf = t.fw
    run = t.call(FUNCTION, lambda x: x * 2.0 + 1.0, jit_compile=True)
    text = run.experimental_get_compiler_ir(tf.constant([1.0, 2.0, 3.0]))("hlo")
    t.expect("f32[3]" in text and "multiply" in text and "add" in text, "HLO, got %s" % text[:200])
    made = t.call(run, tf.constant([1.0, 2.0])).numpy().tolist()
    t.expect(made == [3.0, 5.0], "3 and 5, got %s" % made)


@case(FUNCTION, host_only=True, core=False, reference="none")
def errors_come_through(t):
    """Of the trace with their own class, of the run with the framework's; the next call is as if there had been none."""
    tf = t.fw

    @t.get(FUNCTION)
    def root(x, wrong=None):
        if wrong is not None:
            raise wrong("mine")
        tf.debugging.assert_non_negative(x, message="below zero")
        return tf.sqrt(x)

    error = t.raises(KeyError, t.call, root, tf.constant(4.0), KeyError)
    t.expect("mine" in str(error), "its text, got %s" % error)
    error = t.raises(tf.errors.InvalidArgumentError, t.call, root, tf.constant(-4.0))
    t.expect("below zero" in str(error), "its text, got %s" % str(error)[:300])
    t.expect(float(t.call(root, tf.constant(4.0))) == 2.0, "2")


@case(FUNCTION, host_only=True, core=False, reference="none")
def run_as_python(t):
    """run_functions_eagerly: Python runs at each call, with tensors that have values."""
    tf, seen = t.fw, []
    run = t.get(FUNCTION)(lambda x: seen.append(float(x)))
    before = tf.config.functions_run_eagerly()
    tf.config.run_functions_eagerly(True)
    try:
        for value in (1.0, 1.0, 2.0):
            t.call(run, tf.constant(value))
    finally:
        tf.config.run_functions_eagerly(before)
    t.expect(seen == [1.0, 1.0, 2.0], "each value, got %s" % seen)


@case(FUNCTION, dtypes="f32", core=False, trivial=True, reference=lambda np, x, y: [2 * x, 2 * y])
def of_nothing_and_of_a_number(t, dtype):
    made = t.get(FUNCTION)(lambda x: x + x)
    return [t.call(made, t.randn((0, 3), dtype)), t.call(made, t.randn((), dtype))]


@case(
    FUNCTION,
    dtypes="f32",
    core=False,
    reference=lambda np, x, flat, places: [2 * x.sum(), flat.sum(), x[places]],
)
def of_a_nested_signature(t, dtype):
    """A dictionary of an open size and of ragged rows; places of an open number."""
    tf, kind = t.fw, t.dtype(dtype)
    spec = {"x": tf.TensorSpec([None, 2], kind), "r": tf.RaggedTensorSpec([None, None], kind)}

    def total(held, places):
        return 2 * tf.reduce_sum(held["x"]), tf.reduce_sum(held["r"]), tf.gather(held["x"], places)

    run = t.get(FUNCTION)(
        total, input_signature=[spec, tf.TensorSpec([None], tf.int32)], autograph=False
    )
    x, flat = t.distinct((3, 2), dtype), t.distinct((5,), dtype)
    rows, places = tf.RaggedTensor.from_row_lengths(flat, [2, 0, 3]), t.const([2, 0], "i32")
    return list(t.call(lambda: run({"x": x, "r": rows}, places)))
