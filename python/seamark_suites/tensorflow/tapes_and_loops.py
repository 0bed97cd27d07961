"""Gradient tapes over all that programs are made of, and loops: what the other cases of both lack."""

from seamark_suites.case import case

from .reference import with_gradient

TAPE, LOOP = "tf.GradientTape", "tf.while_loop"
# Of a gradient through several rounds.
SLOPES = {
    "dtypes": "f32 f64",
    "core": False,
    "grad": True,
    "rtol": {"f32": 1e-5},
    "atol": {"f32": 1e-5},
}


# --- tapes


@case(TAPE, dtypes="f32 f64", core=False, rtol={"f32": 1e-5}, reference=lambda np, x, y, w: [
      2 * x + 3, 2 * x + 3 * w, np.ones(4), 4 * x * (x * x + y), 2 * (x * x + y), 2 * (x * x + y)])  # fmt: skip
def tape_of_structures(t, dtype):
    """Several targets are added, with weights of their own; a source that is the target; sources on the way, in structures."""
    make, tf = t.get(TAPE), t.fw

    def slopes(x, y, w):
        with make(persistent=True) as tape:
            tape.watch([x, {"y": y}])
            square, more = x * x, [3 * x]
            middle = square + y
            last = middle * middle
        inner = tape.gradient(last, {"m": [middle], "y": (y,)})
        return [
            tape.gradient({"square": square, "more": more}, x),
            tape.gradient([square, *more], x, [tf.ones_like(w), w]),
            tape.gradient(x, x),
            tape.gradient(last, x),
            inner["m"][0],
            inner["y"][0],
        ]

    return t.call(slopes, *(t.uniform((4,), dtype, 1, 2) for _ in range(3)))


def _each_way(np, x):
    return [3 * x * x, 2 * x, np.cos(x), 4 * x**3, np.array([1, 2, 0]) * x, 100 * np.ones(3), np.ones(3)]  # fmt: skip


@case(
    TAPE, dtypes="f32 f64", core=False, rtol={"f32": 1e-5}, atol={"f32": 1e-5}, reference=_each_way
)
def tape_through_programs(t, dtype):
    """A traced function, the branch that is taken, one of several, a loop, map_fn, a gradient of its own, a stop."""
    make, tf = t.get(TAPE), t.fw

    @tf.custom_gradient
    def own(x):
        return 2 * x, lambda slope: 100 * slope

    ways = [
        tf.function(lambda x: x**3, autograph=False),
        lambda x: tf.cond(x[0] > 0, lambda: x * x, lambda: -x),
        lambda x: tf.switch_case(tf.constant(1), [lambda: x, lambda: tf.sin(x), lambda: x * x]),
        lambda x: tf.while_loop(lambda i, _: i < 2, lambda i, y: (i + 1, y * y), (0, x), maximum_iterations=2)[1],
        lambda x: tf.map_fn(lambda one: one[0] * one[1], (x, tf.constant([0.5, 1, 0], x.dtype)), x.dtype) * x,
        own,
        lambda x: x + tf.stop_gradient(x * x),
    ]  # fmt: skip

    def slopes(x):
        found = []
        for way in ways:
            with make() as tape:
                tape.watch(x)
                made = way(x)
            found.append(tape.gradient(made, x))
        return found

    return t.call(slopes, t.uniform((3,), dtype, 1, 2))


@case(TAPE, dtypes="c64 c128", core=False, rtol={"c64": 1e-5}, atol={"c64": 1e-5}, reference=lambda np, z: [
      np.conj(2 * z), 2 * z, np.conj(np.exp(z)), np.ones(3)])  # fmt: skip
def tape_of_complex(t, dtype):
    """The gradient of what is analytic is the conjugate of its slope; of a squared length, twice the number."""
    make, tf = t.get(TAPE), t.fw
    ways = [lambda z: z * z, lambda z: tf.math.real(z * tf.math.conj(z)), tf.exp, tf.math.real]

    def slopes(z):
        found = []
        for way in ways:
            with make() as tape:
                tape.watch(z)
                made = way(z)
            found.append(tape.gradient(made, z))
        return found

    return t.call(slopes, t.uniform((3,), dtype, -1, 1))


@case(TAPE, dtypes="f32 f64", core=False, rtol={"f32": 1e-5}, atol={"f32": 1e-5}, reference=lambda np, x: [
      4 * x**3, 12 * x**2, 24 * x, np.diag(12 * x**2)])  # fmt: skip
def tape_of_third_order(t, dtype):
    """Three tapes in each other; a persistent one gives slopes while it records; all second slopes, as a matrix."""
    make, tf = t.get(TAPE), t.fw

    def slopes(x):
        with make() as third, make(persistent=True) as second:
            third.watch(x)
            second.watch(x)
            made = tf.reduce_sum(x**4)
            first = second.gradient(made, x)
            along = second.gradient(first, x)
        with make() as outer:
            outer.watch(x)
            with make() as inner:
                inner.watch(x)
                made = tf.reduce_sum(x**4)
            slope = inner.gradient(made, x)
        return [first, along, third.gradient(along, x), outer.jacobian(slope, x)]

    return t.call(slopes, t.uniform((3,), dtype, 0.5, 1.5))


@case(TAPE, dtypes="f32", core=False, rtol={"f32": 1e-5}, reference=lambda np, x, w: [
      w.T, np.zeros((4, 3)), w.T, np.einsum("bi,io->boi", 2 * x, w), np.einsum("bi,io->boi", 2 * x, w)])  # fmt: skip
def tape_jacobians(t, dtype):
    """All rows at once or one by one; of sources that have no part; of a batch in a function of any size."""
    make, tf = t.get(TAPE), t.fw

    def rows(x, w):
        one, free = x[0], tf.zeros((3,), x.dtype)
        with make(persistent=True) as tape:
            tape.watch([one, free])
            made = tf.linalg.matvec(w, one, transpose_a=True)
        both = tape.jacobian(made, [one, free], unconnected_gradients="zero")
        return [*both, tape.jacobian(made, one, parallel_iterations=1, experimental_use_pfor=False)]

    def batch(x, w, at_once=True):
        with make(persistent=not at_once) as tape:
            tape.watch(x)
            made = tf.matmul(x * x, w)
        return tape.batch_jacobian(made, x, experimental_use_pfor=at_once)

    x, w = t.uniform((2, 3), dtype, 1, 2), t.uniform((3, 4), dtype, 1, 2)
    specs = [tf.TensorSpec([None, 3], x.dtype), tf.TensorSpec([3, 4], x.dtype)]
    program = tf.function(batch, input_signature=specs, autograph=False)
    return [*t.call(rows, x, w), t.call(program, x, w), t.call(lambda x, w: batch(x, w, False), x, w)]  # fmt: skip


@case(TAPE, dtypes="f32", core=False, reference=lambda np, start, x: [
      7 * start * start, 3 * start, np.array([[3, 3], [1, 1], [2, 2]]), 2 * x, np.array([0, 2, 3])])  # fmt: skip
def tape_of_changing_variables(t, dtype):
    """Assigned within, it counts with both values; rows that are taken and the whole are added; ragged rows."""
    make, tf = t.get(TAPE), t.fw
    start, x = t.randint((3,), dtype, 1, 5), t.randint((3,), dtype, 1, 5)
    held, table = tf.Variable(start), tf.Variable(tf.ones((3, 2), x.dtype))

    def slopes(start, x):
        held.assign(start)
        with make() as tape:
            square = held * held
            held.assign(3 * start)
            made = held * square
        with make() as other:
            total = tf.reduce_sum(table) + tf.reduce_sum(tf.gather(table, [0, 2, 0]))
        rows = tf.RaggedTensor.from_row_lengths(x, [2, 1])
        with make() as third:
            third.watch(rows)
            squares = rows * rows
        slope = third.gradient(squares, rows)
        found = [
            tape.gradient(made, held),
            held + 0,
            tf.convert_to_tensor(other.gradient(total, table)),
        ]
        return [*found, slope.flat_values, slope.row_splits]

    return t.call(slopes, start, x)


@case(TAPE, dtypes="f32", core=False, reference=lambda np, x: [3 * x * x, 2 * x, x, 1 + 0 * x])
def tape_beside_tapes(t, dtype):
    """Entered again it goes on; two side by side know of what each watches; what is computed outside is a constant."""
    make = t.get(TAPE)

    def slopes(x):
        again, one, two = make(), make(), make()
        with again:
            again.watch(x)
            square = x * x
        with again:
            cube = square * x
        with one, two:
            one.watch(x)
            product = x * x
            two.watch(product)
            more = product * x
        outside = x * x
        with make() as late:
            late.watch(x)
            last = outside + x
        return [
            again.gradient(cube, x),
            one.gradient(product, x),
            two.gradient(more, product),
            late.gradient(last, x),
        ]

    return t.call(slopes, t.distinct((4,), dtype))


@case(TAPE, host_only=True, core=False, reference="none")
def tape_refuses_more(t):
    """Entered while it records, stopped while it does not; another word for unconnected; weights of another size."""
    tf, x = t.fw, t.const([1.0, 2.0], "f32")
    with t.call(TAPE) as tape:
        t.raises(ValueError, tape.__enter__)
    t.raises(RuntimeError, t.call(TAPE).stop_recording().__enter__)
    with t.call(TAPE, persistent=True) as tape:
        tape.watch(x)
        made, rows = x * x, x[:1] * 2
    refusals = ValueError, TypeError, tf.errors.InvalidArgumentError
    t.raises(refusals, tape.gradient, made, x, unconnected_gradients="nonsense")
    t.raises(refusals, tape.gradient, made, "x")
    t.raises(refusals, tape.gradient, made, x, output_gradients=tf.constant([1.0, 2.0, 3.0]))
    t.raises(refusals, tape.batch_jacobian, rows, x)
    watched = t.call(TAPE)
    with watched:
        watched.watch(x)
        y = tf.Variable(3.0) * x
    t.expect(len(watched.watched_variables()) == 1, "one variable, not the tensor")
    t.expect(watched.gradient(y, x).numpy().tolist() == [3.0, 3.0], "3 twice")


# --- loops


def _second(np, x):
    """Of the sum of x**8: its slope, and the slope of the sum of the slope's squares."""
    return [x**8, 8 * x**7, 2 * 8 * x**7 * 56 * x**6]


@case(LOOP, dtypes="f32 f64", core=False, rtol={"f32": 1e-5}, atol={"f32": 1e-5}, reference=_second)
def while_loop_second_order(t, dtype):
    """The slope of a penalty on the slope, through a loop."""
    tf, loop = t.fw, t.get(LOOP)

    def slopes(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                made = loop(
                    lambda i, _: i < 3, lambda i, y: (i + 1, y * y), (0, x), maximum_iterations=3
                )[1]
            slope = inner.gradient(made, x)
            penalty = tf.reduce_sum(slope * slope)
        return [made, slope, outer.gradient(penalty, x)]

    return t.call(slopes, t.uniform((4,), dtype, 0.75, 1.25))


def _written(np, x, w):
    h, found = np.zeros(3), []
    for row in x:
        h = w * h + row * row
        found.append(h)
    return np.stack(found)


@case(LOOP, **SLOPES, reference=with_gradient(_written))
def while_loop_array_gradient(t, dtype):
    """Back through what is read from one TensorArray and written to another; the weights are captured."""
    tf, loop = t.fw, t.get(LOOP)

    def run(x, w):
        given = tf.TensorArray(x.dtype, 4, element_shape=[3]).unstack(x)
        kept = tf.TensorArray(x.dtype, 4, element_shape=[3])

        def body(i, h, kept):
            h = w * h + given.read(i) ** 2
            return i + 1, h, kept.write(i, h)

        start = tf.constant(0), tf.zeros([3], x.dtype), kept
        return loop(lambda i, *_: i < 4, body, start, maximum_iterations=4)[2].stack()

    return t.call(run, t.uniform((4, 3), dtype, 0.5, 1.5), t.uniform((3,), dtype, 0.5, 1.5))


def _inner(np, x, y):
    for i in range(3):
        for _ in range(i):
            x = x * y
        x = x + y if i % 2 else x - y
    return x


@case(LOOP, **SLOPES, reference=with_gradient(_inner))
def while_loop_nested_gradient(t, dtype):
    """A loop of another length within each round, and a branch."""
    tf, loop = t.fw, t.get(LOOP)

    def run(x, y):
        def body(i, x):
            x = loop(lambda j, _: j < i, lambda j, x: (j + 1, x * y), (0, x), maximum_iterations=3)[
                1
            ]
            return i + 1, tf.cond(tf.equal(i % 2, 1), lambda: x + y, lambda: x - y)

        return loop(lambda i, _: i < 3, body, (tf.constant(0), x), maximum_iterations=3)[1]

    return t.call(run, t.uniform((4,), dtype, 1, 2), t.uniform((4,), dtype, 1, 2))


@case(LOOP, dtypes="f32", core=False, reference=lambda np, x, y, *_: [
      [x * 2**k, 2.0**k + 0 * x, y, np.ones(3)] for k in (0, 2, 5)])  # fmt: skip
def while_loop_of_no_rounds(t, dtype):
    """Of none, two and five rounds, as data says: the values, their slopes, and those of what each round hands on."""
    tf, loop = t.fw, t.get(LOOP)

    def run(x, y, rounds):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([x, y])
            _, made, same = loop(
                lambda i, *_: i < rounds,
                lambda i, x, y: (i + 1, x * 2, y),
                (tf.constant(0), x, y),
                maximum_iterations=5,
            )
        return [made, tape.gradient(made, x), same, tape.gradient(same, y)]

    x, y = t.uniform((3,), dtype, 1, 9), t.uniform((3,), dtype, 1, 9)
    spec = tf.TensorSpec([3], x.dtype)
    program = tf.function(
        run, input_signature=[spec, spec, tf.TensorSpec([], tf.int32)], autograph=False
    )
    return [t.call(program, x, y, t.const(k, "i32")) for k in (0, 2, 5)]


@case(LOOP, dtypes="f32 i32", core=False, reference=lambda np, x, _: [
      4 * x, 3, np.array([0, 2, 2, 3]), x * 4, np.array([[0, 1], [2, 0], [2, 3]]), x[:2] + 6])  # fmt: skip
def while_loop_of_other_kinds(t, dtype):
    """A number of Python counts; ragged and sparse tensors go round; a bound that is data; a condition of several."""
    tf, loop = t.fw, t.get(LOOP)

    def run(x, bound):
        i, made = loop(
            lambda i, _: i < 9, lambda i, y: [i + 1, y + x], [0, x], maximum_iterations=bound
        )
        rows = tf.RaggedTensor.from_row_lengths(x, [2, 0, 1])
        (rows,) = loop(
            lambda rows: tf.reduce_all(rows.flat_values < 4 * x), lambda rows: (rows * 2,), (rows,)
        )
        few = tf.SparseTensor([[0, 1], [2, 0], [2, 3]], x, [3, 4])
        _, few = loop(
            lambda i, _: i < 2,
            lambda i, one: (i + 1, tf.SparseTensor(one.indices, one.values + x, one.dense_shape)),
            (0, few),
        )
        _, part = loop(
            lambda i, y: tf.logical_and(i < 5, y[0] < x[0] + 6),
            lambda i, y: (i + 1, y + 2),
            (0, x[:2]),
        )
        return [made, i, rows.row_splits, rows.flat_values, few.indices, part]

    return t.call(run, t.randint((3,), dtype, 1, 9), t.const(3, "i32"))


@case(LOOP, dtypes="f32", core=False, reference=lambda np, x: [x + 6, 8 * x])
def while_loop_of_variables(t, dtype):
    """What each round assigns and adds to a variable, in order."""
    tf, loop, nothing = t.fw, t.get(LOOP), t.fw.zeros((3,), t.dtype(dtype))
    total, last = tf.Variable(nothing), tf.Variable(nothing)

    def run(x):
        total.assign(x)

        def body(i, y):
            total.assign_add(tf.cast(tf.fill([3], i), y.dtype))
            last.assign(2 * y)
            return i + 1, last.read_value()

        loop(lambda i, _: i < 3, body, (tf.constant(0), x))
        return [total + 3, last + 0]

    return t.call(run, t.uniform((3,), dtype, 1, 9))


@case(LOOP, dtypes="f32 i32", core=False, reference=lambda np, x: np.stack([2 * x, 3 * x, 4 * x]))
def while_loop_of_each_example(t, dtype):
    """Over a batch, where each example has rounds of its own."""
    tf, loop = t.fw, t.get(LOOP)

    def rounds(x):
        one = lambda k: loop(lambda i, _: i < k, lambda i, y: (i + 1, y + x), (0, x))[1]  # noqa: E731
        return tf.vectorized_map(one, tf.constant([1, 2, 3]))

    return t.call(rounds, t.uniform((3,), dtype, 1, 99))


@case(LOOP, core=False, host_only=True, reference="none")
def while_loop_refuses_more(t):
    """A body that gives fewer, others or of another dtype; a condition of several truths; invariants that do not hold."""
    tf, x = t.fw, t.const([1.0, 2.0], "f32")
    wrong = (
        lambda x: tf.while_loop(lambda i, y: i < 3, lambda i, y: i + 1, (0, x)),
        lambda x: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, {"y": y}), (0, x)),
        lambda x: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.cast(y, tf.int32)), (0, x)),
        lambda x: tf.while_loop(lambda y: y < 9, lambda y: (y * 2,), (x,)),
        lambda x: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.concat([y, y], 0)), (0, x), shape_invariants=(tf.TensorShape([]), tf.TensorShape([2]))),
        lambda x: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y), (0, x), shape_invariants=(tf.TensorShape([]),)),
        lambda x: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y), (0, x), parallel_iterations=0),
    )  # fmt: skip
    kinds = ValueError, TypeError, tf.errors.InvalidArgumentError
    for one in wrong:
        t.raises(kinds, t.call, tf.function(one, autograph=False), x)
