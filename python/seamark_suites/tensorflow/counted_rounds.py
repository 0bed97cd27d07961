"""Loops: slopes of slopes of slopes, slopes that do not go back, what a round knows of its sizes, rounds in a session."""

from seamark_suites.case import case

from .slopes_of_rounds import times

LOOP, STOP = "tf.while_loop", "tf.stop_gradient"
NEAR = {"core": False, "rtol": {"f32": 1e-5}}


def _thrice(np, x, w):
    """Powers of powers; then three loops one in another, each with the sum of what it began its rounds with."""

    def wrapped(f):
        def run(v, d):
            total, slope = 0 * v, 0 * d
            for _ in range(2):
                total, slope = total + v, slope + d
                v, d = f(v, d)
            return v + total, d + slope

        return run

    deep = wrapped(wrapped(wrapped(lambda v, d: (v * v / 4, v * d / 2))))(w, np.ones_like(w))
    powers = [x**4, 4 * x**3, 12 * x**2, 24 * x]
    kept = [x**4 + x**2 + x, 4 * x**3 + 2 * x + 1, 12 * x**2 + 2, 24 * x]
    return [*powers, *kept, *deep]


@case(LOOP, dtypes="f32 f64", reference=_thrice, **NEAR)
def while_loop_of_third_slopes(t, dtype):
    """Of a loop, and of one that writes an array; the slope of three loops one in another, each with an array."""
    tf = t.fw

    def slopes(f, x, order):
        if not order:
            return [f(x)]
        with tf.GradientTape() as tape:
            tape.watch(x)
            made = slopes(f, x, order - 1)
        return [*made, tape.gradient(made[-1], x)]

    def with_array(f):
        def run(x):
            start = x, tf.TensorArray(x.dtype, 2, element_shape=x.shape)
            last, kept = times(t, 2, lambda i, y, kept: [f(y), kept.write(i, y)], *start)
            return last + tf.reduce_sum(kept.stack(), 0)

        return run

    def run(x, w):
        plain = lambda x: times(t, 2, lambda _, y: [y * y], x)[0]  # noqa: E731
        deep = with_array(with_array(with_array(lambda y: y * y / 4)))
        kept = with_array(lambda y: y * y)
        return [*slopes(plain, x, 3), *slopes(kept, x, 3), *slopes(deep, w, 1)]

    program = tf.function(run, autograph=False)
    return t.call(program, t.uniform((3,), dtype, 0.5, 1.5), t.uniform((4,), dtype, 0.5, 1))


def slopes_of_two(t, step, held):
    """A traced function of x: what two rounds make of it, and the slopes of that by x and by a variable."""
    tf = t.fw

    def run(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            made = times(t, 2, step, x)[0]
        return [made, *tape.gradient(made, [x, held])]

    return tf.function(run, autograph=False)


@case(LOOP, dtypes="f32 f64", reference=lambda np, v, x: [
      256 * v**12 * x**9, 2304 * v**12 * x**8, 3072 * (v**11 * x**9).sum()], **NEAR)  # fmt: skip
def while_loop_through_slopes_of_loops(t, dtype):
    """The slope of a loop of which each round is the slope of another loop, by what began it and by a variable in both."""
    tf, held = t.fw, t.fw.Variable(t.uniform((), dtype, 0.75, 1))

    def inner(a):
        with tf.GradientTape() as tape:
            tape.watch(a)
            made = times(t, 2, lambda _, y: [held * y * y], a)[0]
        return tape.gradient(made, a)

    return t.call(slopes_of_two(t, lambda _, y: [inner(y)], held), t.uniform((3,), dtype, 0.75, 1))


@case(LOOP, dtypes="f32 f64", reference=lambda np, m, x: [
      (x**2 * m) ** 2 * m, 36 * x**3 * m, (3 * x**2 * m + 18 * x**3 * m).sum()], **NEAR)  # fmt: skip
def while_loop_of_slopes_of_ones_own(t, dtype):
    """A function with a gradient of its own, also by the variable that it reads."""
    tf, held = t.fw, t.fw.Variable(t.uniform((), dtype, 0.5, 2))

    @tf.custom_gradient
    def own(v):
        def slope(weight, variables=None):
            return 6 * weight * v, [tf.reduce_sum(3 * weight * v)]

        return v * v * held, slope

    return t.call(slopes_of_two(t, lambda _, v: [own(v)], held), t.uniform((3,), dtype, 0.5, 1))


@case(LOOP, dtypes="f32 f64", reference=lambda np, x: [x**4, 3 + 0 * x], **NEAR)
def while_loop_without_the_way_back(t, dtype):
    """What `back_prop=False` makes is a constant for a slope, where it is traced."""
    tf, loop = t.fw, t.get(LOOP)

    def run(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            given = {"back_prop": False, "maximum_iterations": 2}
            _, made = loop(lambda i, _: i < 2, lambda i, v: (i + 1, v * v), (0, x), **given)
            beside = made + 3 * x
        return [made, tape.gradient(beside, x)]

    return t.call(tf.function(run, autograph=False), t.uniform((4,), dtype, 0.5, 2))


def _turns(np, x, y):
    """Of each loop the values, and the slopes by x and y of their sum."""
    one = x + y
    first, last = x * one, one + x * one
    by_x, by_y = 2 * x + y, x
    ones = np.ones_like(x)
    second = first * last
    return [second, last, by_x * last + first * (1 + by_x) + 1 + by_x, by_y * last + first * (1 + by_y) + 1 + by_y,
            y, 0 * x, ones, y, ones, 0 * x, x + y, ones, ones,
            x[:1], 3 * np.eye(len(x))[0], 2 * x**2, 4 * x, x**2 + y, 2 * x, ones]  # fmt: skip


@case(LOOP, dtypes="f32 f64", reference=_turns, **NEAR)
def while_loop_slopes_by_turns(t, dtype):
    """Numbers that need each other; one that is replaced, one that is passed on twice, one that waits for another; a row of itself; a result used twice; after the loop."""
    tf = t.fw

    def slopes(f, x, y):
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            made = f(x, y)
        zero = tf.UnconnectedGradients.ZERO
        return [*made, *tape.gradient(made, [x, y], unconnected_gradients=zero)]

    def pairs(x, y):
        return times(t, 2, lambda _, x, y: [x * (x + y), x + y], x, y)

    def replaced(x, y):
        return times(t, 1, lambda *_: [y], x)

    def passed(x, y):
        return times(t, 3, lambda _, x, other: [x, x], y, y)[1:]

    def waits(x, y):
        same, total = times(t, 1, lambda _, x, y: [tf.identity(x), x + y], x, y)
        with tf.control_dependencies([same]):
            return [tf.identity(total)]

    def row(x, y):
        return times(t, 3, lambda _, x: [tf.gather(x, [0])], x[:1])

    def twice(x, y):
        made = times(t, 1, lambda _, x: [x * x], x)[0]
        return [made + made]

    def run(x, y):
        made = [*slopes(pairs, x, y), *slopes(replaced, x, y)]
        value, by_x, by_y = slopes(passed, x, y)
        made += [value, by_y, by_x, *slopes(waits, x, y)]
        value, by_x, _ = slopes(row, x, y)
        made += [value, 3 * by_x, *slopes(twice, x, y)[:2]]
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            last = times(t, 1, lambda _, x, y: [x * x + y, y], x, y)[0]
        with tf.control_dependencies([last]):
            after = tape.gradient(last, [x, y])
        return [*made, last, *after]

    program = tf.function(run, autograph=False)
    return t.call(program, t.uniform((3,), dtype, 0.5, 1.5), t.uniform((3,), dtype, 0.5, 1.5))


def _stops(np, x, y):
    inner = x**2 + y**2
    values = inner**2 + y**4, y**4
    by_y = 4 * y * inner + 4 * y**3, 4 * y**3
    both = by_y[0] + by_y[1]
    outside = [*values, *by_y, both, by_y[0], by_y[1]]
    return [
        *outside,
        values[0],
        4 * x * inner,
        0 * y,
        2 * y + 2 * x * y,
        5 * x**4,
        8 * x**3,
        5 * y**4,
        8 * y**3,
    ]


@case(STOP, dtypes="f32 f64", reference=_stops, **NEAR)
@case(LOOP, dtypes="f32 f64", reference=_stops, **NEAR)
def stops_around_rounds(t, dtype, function):
    """Of what two rounds give one part, the other or none goes back; a square that is stopped within; a slope that is; sizes that are not known."""
    tf, stop = t.fw, t.get(STOP)

    def squares(within):
        body = lambda _, x, y: [x * x + within(y * y), within(y * y)]  # noqa: E731
        return lambda x, y: times(t, 2, body, x, y)

    def run(x, y):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([x, y])
            one, two = squares(tf.identity)(x, y)
            held, _ = squares(stop)(x, y)
            sums = one + two, one + stop(two), stop(one) + two
            none = stop(one), stop(two), stop(tf.square(one)), stop(one + two)
            with tf.GradientTape() as within:
                within.watch(y)
                power = times(t, 2, lambda _, v: [v * y], x)[0]
            slope = stop(within.gradient(power, y))
            beside = y * y + power + slope
        found = [tape.gradient(each, y) for each in none]
        if found != [None] * 4:
            raise ValueError("no slope of what is stopped, got %s" % found)
        outside = [one, two, *(tape.gradient(each, y) for each in (one, two, *sums))]
        held_by = tape.gradient(held, [x, y], unconnected_gradients="zero")
        return [*outside, held, *held_by, tape.gradient(beside, y)]

    def of_any_size(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            made = squares(stop)(x, x)[0]
        return [made, tape.gradient(made, x)]

    program, spec = tf.function(run, autograph=False), tf.TensorSpec(None, t.dtype(dtype))
    free = tf.function(of_any_size, input_signature=[spec], autograph=False)
    x, y = t.uniform((3,), dtype, 0.5, 1), t.uniform((3,), dtype, 0.5, 1)
    return [*t.call(program, x, y), *t.call(free, x), *t.call(free, y)]


@case(
    LOOP, dtypes="f32 i32", core=False, reference=lambda np, x: [x * 32, np.array([7]), 500, 45 * x]
)
def while_loop_by_one_number_in_a_list(t, dtype):
    """A condition with axes, of one number; an array of NumPy and a number of Python that go round; a hundred rounds at a time."""
    tf, loop, np = t.fw, t.get(LOOP), t.np

    def run(x):
        _, doubled = loop(lambda i, _: i < [[5]], lambda i, x: (i + 1, x + x), (np.array([[0]]), x))
        (vector,) = loop(lambda i: i[0] < 7, lambda i: [tf.stack([i[0] + 1])], [np.array([0], "int32")])  # fmt: skip
        (many,) = loop(lambda i: i < 500, lambda i: (i + 1,), (0,), parallel_iterations=100)
        step = lambda i, total: (i + 1, total + x * tf.cast(i, x.dtype))  # noqa: E731
        _, total = loop(lambda i, _: i < 10, step, [0, tf.zeros_like(x)], None, 1)
        return [doubled, vector, many, total]

    return t.call(tf.function(run, autograph=False), t.randint((3,), dtype, 1, 9))


@case(LOOP, core=False, host_only=True, reference="none")
def while_loop_knows_sizes_within(t):
    """Sizes from a constant that is outside are known in a round: of what is filled, drawn and laid out anew; and of slices after the loop."""
    tf, seen = t.fw, {}
    outside, kind = tf.constant([3, 4]), tf.float32

    def body(i, x):
        sizes = tf.concat([[5], outside], axis=0)
        flat = tf.reshape(x, [-1])
        rows = {"flat": flat, "again": tf.reshape(flat, sizes), "zeros": tf.zeros(sizes), "ones": tf.ones(sizes), "filled": tf.fill(sizes, 1.0),
                "uniform": tf.random.uniform(sizes), "normal": tf.random.normal(sizes), "near": tf.random.truncated_normal(sizes),
                "gamma": tf.random.gamma(sizes, 1.0), "gammas": tf.random.gamma(sizes, [1.0, 2.0], [3.0, 4.0]),
                "poisson": tf.random.poisson(sizes, 1.0), "poissons": tf.random.poisson(sizes, [12.0, 3.0])}  # fmt: skip
        seen.update({name: one.shape.as_list() for name, one in rows.items()})
        return i + 1, rows["again"] + 1

    run = tf.function(lambda x: t.get(LOOP)(lambda i, _: i < 3, body, (0, x))[1], autograph=False)
    made = t.call(run, tf.zeros([5, 3, 4]))
    t.expect((made.numpy() == 3).all() and made.shape == [5, 3, 4], "threes, got %s" % made)
    want = {name: [5, 3, 4] for name in seen}
    want.update(flat=[60], gammas=[5, 3, 4, 2], poissons=[5, 3, 4, 2])
    t.expect(len(seen) == 12 and seen == want, "%s, got %s" % (want, seen))
    few = lambda i, _: i < 2  # noqa: E731
    double = lambda i, x: (i + 1, tf.IndexedSlices(x.values * 2, x.indices, x.dense_shape))  # noqa: E731
    found = []

    def slices(values):
        for more in ({}, {"shape_invariants": (tf.TensorShape([]), tf.TensorShape([None, 2]))}):
            start = 0, tf.IndexedSlices(values, tf.constant([0, 3]), tf.constant([10, 2]))
            made = t.get(LOOP)(few, double, start, **more)[1]
            found.append([made.values.shape.as_list(), made.dense_shape.shape.as_list()])
        return made.values

    made = t.call(tf.function(slices, autograph=False), tf.constant([[2.0, 4.0], [3.0, 5.0]], kind))
    t.expect(found == [[[2, 2], [2]], [[None, 2], [2]]], "what is known, got %s" % found)
    t.expect(made.numpy().tolist() == [[8.0, 16.0], [12.0, 20.0]], "four times, got %s" % made)


@case(LOOP, core=False, host_only=True, reference="none")
def while_loop_slopes_after_a_run(t):
    """In a session whose loops keep what they pass through: slopes that are asked for once it has run."""
    tf, v1, loop = t.fw, t.fw.compat.v1, t.get(LOOP)
    always, keep = lambda *_: True, v1.experimental.output_all_intermediates

    def inner(v):
        return loop(always, lambda x: [x * v], [tf.constant(1.0)], maximum_iterations=2)

    keep(True)
    try:
        with tf.Graph().as_default(), v1.Session() as session:
            two = tf.constant(2.0)
            for body in (lambda v: [v * v], inner):
                made = loop(always, body, [two], maximum_iterations=3)[0]
                got = t.call(session.run, made), *session.run(v1.gradients(made, two))
                t.expect(got == (256.0, 1024.0), "a power and its slope, got %s" % (got,))
    finally:
        keep(None)


@case(LOOP, core=False, host_only=True, reference="none")
def while_loop_in_a_session(t):
    """Slopes of fed numbers of no known size, in either branch; what a round does not need is not run; kinds of executors."""
    tf, v1, loop = t.fw, t.fw.compat.v1, t.get(LOOP)
    with tf.Graph().as_default():
        flag, free, two = v1.placeholder(tf.bool, []), v1.placeholder(tf.float32), tf.constant(2.0)
        picked = tf.cond(flag, lambda: tf.nest.flatten(loop(lambda x: x < 10.0, lambda x: x + 1.0, [two]))[0], lambda: two * 3.0)  # fmt: skip
        rooted = loop(lambda x: x < 100.0, lambda x: tf.cond(tf.constant(True), lambda: x * x, lambda: x - 1), [free])  # fmt: skip
        rows = v1.get_variable("rows", initializer=[[1.0, 2.0]])
        grown = loop(lambda i, _: i < 2, lambda i, h: (i + 1, tf.concat([h, rows], 0)), [tf.constant(0), tf.zeros([0, 2])],
                     [tf.TensorShape([]), tf.TensorShape([None, 2])])[1]  # fmt: skip
        counted = loop(lambda x: x < 1000, lambda x: x + 1, [tf.constant(0)])
        held = tf.Variable(0)

        def adding(i):
            held.assign_add(1)
            with tf.control_dependencies([held.assign_add(10)]):
                return i + 1

        pruned = loop(lambda i: i < 2, adding, [tf.constant(0)])
        asked = [picked, *v1.gradients(picked, two)]
        by_fed, by_rows = v1.gradients(rooted, free), v1.gradients(grown, rows)
        with v1.Session() as session:
            run = lambda what, fed=None: session.run(tf.nest.flatten(what), fed)  # noqa: E731
            session.run(v1.global_variables_initializer())
            got = [t.call(run, asked, {flag: one}) for one in (True, False)]
            t.expect(got == [[10.0, 1.0], [6.0, 3.0]], "of either branch, got %s" % got)
            got = t.call(run, by_fed, {free: 2.0})
            t.expect(got == [1024.0], "of what is fed, got %s" % got)
            got = t.call(run, by_rows)[0].tolist()
            t.expect(got == [[2.0, 2.0]], "of what grew, got %s" % got)
            t.expect(t.call(run, pruned) == [2] and run(held) == [20], "what is waited for alone")
        alone, inline = v1.ConfigProto(), v1.ConfigProto(inter_op_parallelism_threads=-1)
        alone.experimental.executor_type = "SINGLE_THREADED_EXECUTOR"
        for config in (alone, inline):
            with v1.Session(config=config) as session:
                got = session.run(tf.nest.flatten(counted))
                t.expect(got == [1000], "a thousand, got %s" % got)
