"""More of means, strategies, abs, slice, nest.flatten, Adam and stack."""

import collections

from seamark_agent.harness import Skip

from seamark_suites.case import case

from . import reference_arithmetic
from .reference import with_gradient

MEAN = "tf.compat.v1.reduce_mean"
STRATEGY = "tf.distribute.get_strategy"
ABS = "tf.abs"
SLICE = "tf.slice"
FLATTEN = "tf.nest.flatten"
ADAM = "tf.compat.v1.train.AdamOptimizer"


@case(MEAN, dtypes="f32", core=False, rtol={"f32": 1e-5},
      reference=lambda np, x, y: [x, y, x.mean((0, 2)), x.mean((0, 1), keepdims=True)])  # fmt: skip
def mean_over_chosen_axes(t, dtype):
    """Over no axis, of a number, over axes from the end, over the first two."""
    x, y = t.uniform((3, 4, 5), dtype, 0.5, 2), t.uniform((), dtype, 0.5, 2)
    return [
        t.call(MEAN, x, axis=[]),
        t.call(MEAN, y),
        t.call(MEAN, x, axis=[-1, 0]),
        t.call(MEAN, x, axis=(0, 1), keepdims=True),
    ]


def _lean(np, x):
    """The mean third power of the distance from the mean of the columns, and its gradient."""
    far = x - x.mean(0)
    return [(far**3).mean(), 3 * (far**2 - (far**2).mean(0)) / x.size]


@case(MEAN, dtypes="f32", core=False, rtol={"f32": 1e-5}, atol={"f32": 1e-5},  # of differences
      reference=lambda np, *xs: [_lean(np, x) for x in xs])  # fmt: skip
def mean_of_unknown_size(t, dtype):
    """Traced once for every batch: what the gradient divides by is no constant."""
    mean = t.get(MEAN)

    def lean(x):
        with t.fw.GradientTape() as tape:
            tape.watch(x)
            made = mean((x - mean(x, axis=0, keepdims=True)) ** 3)
        return [made, tape.gradient(made, x)]

    spec = t.fw.TensorSpec([None, 3], t.dtype(dtype))
    traced = t.fw.function(lean, input_signature=[spec], autograph=False)
    return [t.call(traced, t.uniform((n, 3), dtype, -2, 2)) for n in (3, 5, 8)]


@case(STRATEGY, host_only=True, core=False, reference="none")
def strategy_scopes_nest(t):
    """A scope in its own is fine, in that of another strategy it is refused; an error leaves none behind."""
    default = t.call(STRATEGY)
    one, other = [t.fw.distribute.OneDeviceStrategy("/cpu:0") for _ in range(2)]

    def mixed():
        with one.scope():
            with one.scope():
                t.expect(t.call(STRATEGY) is one, "the same in its own scope")
            t.expect(t.call(STRATEGY) is one, "still the same")
            with other.scope():
                t.expect(False, "no scope in that of another strategy")

    t.raises(RuntimeError, mixed)
    t.expect(t.call(STRATEGY) is default, "the default after an error")


@case(STRATEGY, host_only=True, core=False, reference="none")
def strategy_default_trains(t):
    """Code for any strategy works under the default one: its scope, its data, its replicas."""
    strategy = t.call(STRATEGY)
    with strategy.scope():
        t.expect(t.call(STRATEGY) is strategy, "its scope changes nothing")
        held = t.fw.Variable([1.0, 2.0])
    data = t.fw.data.Dataset.from_tensor_slices([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]).batch(2)
    sums = []
    for rows in strategy.experimental_distribute_dataset(data):
        made = strategy.run(lambda x: held.assign_add(t.fw.reduce_sum(x, axis=0)), args=(rows,))
        sums.append(strategy.experimental_local_results(made)[0].numpy().tolist())
    t.expect(sums == [[5.0, 8.0], [10.0, 14.0]], "both batches added, got %s" % sums)


@case(STRATEGY, host_only=True, core=False, reference="none")
def strategy_in_mirrored_replica(t):
    """Replicas that run in threads of their own know their strategy."""
    mine, seen = t.fw.distribute.MirroredStrategy(["/cpu:0"]), []
    mine.run(lambda: seen.append(t.call(STRATEGY)))
    t.expect(len(seen) == 1 and seen[0] is mine, "the strategy of the replica, got %s" % seen)
    t.expect(t.call(STRATEGY) is not mine, "the default one outside")


@case(ABS, dtypes="c64 c128", grad=True, core=False,
      reference=reference_arithmetic.one_gradient(ABS))  # fmt: skip
def complex_length_gradient(t, dtype):
    """As of a spectrum: the gradient has the number's direction, and is 0 at 0."""
    x = t.const([[3 - 4j, -2j, 0, -1.5], [1 + 1j, 0.5j, -3 + 4j, 2]], dtype, grad=True)
    return t.call(ABS, x)


@case(ABS, dtypes="f32", core=False, reference=lambda np, values: abs(values))
def abs_of_sparse(t, dtype):
    """Of a sparse tensor the values change and the places stay."""
    values = t.const([-7, 9, -3], dtype)
    places = t.fw.constant([[0, 1], [2, 0], [2, 3]], t.fw.int64)
    made = t.call(ABS, t.fw.SparseTensor(places, values, [3, 4]))
    t.expect(t.host(made.indices).tolist() == [[0, 1], [2, 0], [2, 3]], "the places of before")
    t.expect(t.host(made.dense_shape).tolist() == [3, 4], "the shape of before")
    return made.values


def _window(np, x, i):
    slope = np.zeros_like(x)
    slope[i : i + 3] = 2 * x[i : i + 3]
    return [x[i : i + 3], slope]


@case(SLICE, dtypes="f32", core=False, reference=lambda np, x, *places: [
      _window(np, x, int(i)) for i in places])  # fmt: skip
def slice_window_gradient(t, dtype):
    """The gradient goes to where the window stood; traced once for every start."""

    def slopes(x, i):
        with t.fw.GradientTape() as tape:
            tape.watch(x)
            part = t.get(SLICE)(x, t.fw.stack([i, 0]), [3, 2])
            loss = t.fw.reduce_sum(part * part)
        return [part, tape.gradient(loss, x)]

    specs = [t.fw.TensorSpec([8, 2], t.dtype(dtype)), t.fw.TensorSpec([], t.fw.int32)]
    traced = t.fw.function(slopes, input_signature=specs, autograph=False)
    x = t.randn((8, 2), dtype)
    return [t.call(traced, x, t.const(i, "i32")) for i in (0, 2, 5)]


@case(SLICE, host_only=True, core=False, reference="none")
def slice_strings(t):
    words = t.fw.constant([["a", "bc", ""], ["d", "e\0f", "g"]])
    made = t.host(t.call(SLICE, words, [0, 1], [-1, 2])).tolist()
    t.expect(made == [[b"bc", b""], [b"e\0f", b"g"]], "the last columns, got %s" % made)


@case(FLATTEN, host_only=True, core=False, reference="none")
def flatten_other_dictionaries(t):
    """By sorted keys, too, not as inserted; None among others is a leaf; packed again it is as before."""
    ordered = collections.OrderedDict([("z", 1), ("b", [None, "text"]), ("m", {})])
    held = collections.defaultdict(list, y=[3], x=(4, ordered))
    got = t.call(FLATTEN, held)
    t.expect(got == [4, None, "text", 1, 3], "the leaves in order, got %r" % (got,))
    again = t.fw.nest.pack_sequence_as(held, got)
    t.expect(again == held and list(again["x"][1]) == ["z", "b", "m"], "the same, got %r" % again)


@case(FLATTEN, dtypes="f32", core=False, reference=lambda np, x: [
      x, np.array([0, 2, 2, 5]), np.array([[0, 1], [1, 0]]), x[:2], np.array([2, 3])])  # fmt: skip
def flatten_parts_of_composites(t, dtype):
    """What a ragged tensor and a sparse one are made of."""

    def parts(x):
        rows = t.fw.RaggedTensor.from_row_splits(x, t.fw.constant([0, 2, 2, 5], t.fw.int64))
        few = t.fw.SparseTensor([[0, 1], [1, 0]], x[:2], [2, 3])
        return t.get(FLATTEN)({"a": rows, "b": [few]}, expand_composites=True)

    return t.call(parts, t.distinct((5,), dtype))


def _adam(np, x, slope, rates):
    """After one step of each rate: section 2 of the paper, with its usual numbers."""
    m, v = np.zeros_like(x), np.zeros_like(x)
    for n, rate in enumerate(rates, 1):
        g = slope(x, n)
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        x = x - rate * np.sqrt(1 - 0.999**n) / (1 - 0.9**n) * m / (np.sqrt(v) + 1e-8)
    return x


_RATES = (0.5, 0.25, 0.125)


@case(ADAM, dtypes="f32 f16", core=False, rtol={"f32": 1e-5}, atol={"f32": 1e-5},  # of differences
      reference=lambda np, x, g: _adam(np, x, lambda _, n: -g if n == 2 else g, _RATES))  # fmt: skip
def adam_fed_rate(t, dtype):
    """A rate that falls from step to step."""
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    v1 = t.fw.compat.v1
    values, slope = [t.host(t.uniform((3, 4), dtype, *ends)) for ends in ((2, 4), (0.5, 2))]
    with t.fw.Graph().as_default(), t.fw.device(t.device):
        held = t.fw.Variable(t.fw.constant(values, t.dtype(dtype)))
        rate, fed = v1.placeholder(t.dtype(dtype), []), v1.placeholder(t.dtype(dtype), [3, 4])
        train = t.get(ADAM)(rate).apply_gradients([(fed, held)])
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            for now, sign in zip(_RATES, (1, -1, 1)):
                t.call(session.run, train, {fed: sign * slope, rate: now})
            return session.run(held)


def _second_step(t, held, loss, *inputs):
    """The first step makes the slots; the second is the call, compiled where calls are."""
    optimizer = t.get(ADAM)(0.5)

    def step(*inputs):
        with t.fw.GradientTape() as tape:
            made = loss(*inputs)
        optimizer.apply_gradients(zip(tape.gradient(made, held), held))
        return [one.read_value() for one in held]

    step(*inputs)
    return t.call(step, *inputs)


@case(ADAM, dtypes="f32", core=False, rtol={"f32": 1e-5}, atol={"f32": 1e-5},  # of differences
      reference=lambda np, x, y, scale: [
          _adam(np, one, lambda one, _: 2 * scale * one, [0.5] * 2) for one in (x, y)])  # fmt: skip
def adam_within_function(t, dtype):
    """Two variables, which share what counts the steps."""
    held = [t.fw.Variable(t.uniform((5,), dtype, *ends)) for ends in ((2, 4), (-4, -2))]
    scale = t.uniform((5,), dtype, 1, 2)
    return _second_step(
        t, held, lambda scale: t.fw.reduce_sum(scale * (held[0] ** 2 + held[1] ** 2)), scale
    )


def _slope_of_rows(np, rows):
    share = np.stack([0 * rows[0], rows[0] + rows[2], 0 * rows[0], rows[1]])
    return lambda x, _: 2 * share * x


@case(ADAM, dtypes="f32", core=False, rtol={"f32": 1e-5}, atol={"f32": 1e-5},  # of differences
      reference=lambda np, x, rows: [_adam(np, x, _slope_of_rows(np, rows), [0.5] * 2)])  # fmt: skip
def adam_repeated_rows(t, dtype):
    """A row that is taken twice has the sum of both gradients, as a table of words that come again."""
    held, rows = t.fw.Variable(t.uniform((4, 3), dtype, 2, 4)), t.uniform((3, 3), dtype, 0.5, 2)
    return _second_step(
        t, [held], lambda rows: t.fw.reduce_sum(rows * t.fw.gather(held, [1, 3, 1]) ** 2), rows
    )


@case("tf.stack", dtypes="f32", axis=[0, 1], grad=True, core=False,
      reference=with_gradient(lambda np, *xs, axis: np.stack(xs, axis)))  # fmt: skip
def stack_forty(t, dtype, axis):
    """As the outputs of so many steps."""
    return t.call("tf.stack", [t.randn((3, 2), dtype) for _ in range(40)], axis=axis)
