"""Gradient tapes and loops in each other: what is stopped, captured, repeated, overridden, and what grows."""

import collections

from seamark_suites.case import case

from .reference import with_gradient

TAPE, LOOP = "tf.GradientTape", "tf.while_loop"
NEAR = {"core": False, "rtol": {"f32": 1e-5}, "atol": {"f32": 1e-5}}


# --- tapes


@case(TAPE, dtypes="f32 f64", core=False, reference=lambda np, x: [
      2 * k * x for k in (2, 3, 5, 7, 11) * 2])  # fmt: skip
def tape_of_what_changes_nothing(t, dtype):
    """A number and four copies that a compiler may take for it: each has the slope of its own uses, traced or not."""
    make, tf = t.get(TAPE), t.fw

    def slopes(x):
        same = [x, tf.identity(x), x + 0, x - 0, x * 1]
        with make() as tape:
            for one in same:
                tape.watch(one)
            loss = tf.add_n([k * one * one for k, one in zip((2, 3, 5, 7, 11), same)])
        return tape.gradient(loss, same)

    both = lambda x: [*slopes(x), *tf.function(slopes, autograph=False)(x)]  # noqa: E731
    return t.call(both, t.distinct((3, 4), dtype))


@case(TAPE, dtypes="f32 f64", core=False, reference=lambda np, x, y, w: [
      3 * x * x, y, y, y, 2 * w, 1 + 0 * x, 2 * y + 1, w * y + 2 * w, 3 * y * y])  # fmt: skip
def tape_of_repeated_names(t, dtype):
    """A source twice, a target twice, targets that are sources, weights of each; a gradient while the tape records."""
    make = t.get(TAPE)

    def slopes(x, y, w):
        with make() as once:
            once.watch(x)
            early = once.gradient(x * x * x, x)
        with make(persistent=True) as tape:
            tape.watch([x, y])
            square, product = y * y, x * y
            within = tape.gradient(product, x)
            cube = square * y
        both = tape.gradient(product, [x, x])
        twice = tape.gradient([y, y], y, [w, w])
        own = tape.gradient([x, y, square], [x, y])
        weighted = tape.gradient([product, x], x, [w, 2 * w])
        return [early, within, *both, twice, *own, weighted, tape.gradient(cube, y)]

    return t.call(slopes, *(t.distinct((4,), dtype) for _ in range(3)))


@case(TAPE, dtypes="f32", core=False, reference=lambda np, x: [
      3 * x * x, 2 * (x + 1), 6 * x, 3 * (x + 2) ** 2, 4 * (x + 2)])  # fmt: skip
def tape_of_what_is_not_trainable(t, dtype):
    """A tape watches what it is told to alone; a reset forgets values and variables; the order is that of use."""
    make, tf = t.get(TAPE), t.fw
    start = t.distinct((3,), dtype)
    one, two = (tf.Variable(start, trainable=False) for _ in range(2))
    three, four = tf.Variable(start), tf.Variable(start)
    seen = []

    def slopes(x):
        for held, more in ((one, 0), (two, 1), (three, 2), (four, 3)):
            held.assign(x + more)
        with make() as blind:
            made = one * x
        with make() as outer:
            outer.watch(one)
            with make() as inner:
                inner.watch([one, two])
                y, z = one * one * one, two * two
            first = inner.gradient([y, z], [one, two])
        second = outer.gradient(first, [one, two])
        with make(persistent=True) as tape:
            loss = four * three
            tape.reset()
            empty = len(tape.watched_variables())
            loss += three * three * three
            more = four * three * three
        seen.append([blind.gradient(made, one) is None, second[1] is None, empty == 0,
                     [held is want for held, want in zip(tape.watched_variables(), (three, four))]])  # fmt: skip
        return [
            *first,
            second[0],
            tape.gradient(loss, three),
            4 * tape.gradient(more, four) / three,
        ]

    made = t.call(slopes, start)
    t.expect(seen[0] == [True, True, True, [True, True]], "none, none, no variable, both; got %s" % seen[0])  # fmt: skip
    return made


@case(TAPE, dtypes="f32 f64", **NEAR, reference=lambda np, x: [
      -4.4 * (x + 1) ** 3, 14.52 * (x + 1) ** 2 - 8.4 * (x + 1) ** 3])  # fmt: skip
def tape_of_slopes_of_their_own(t, dtype):
    """A function tells its slope, -1.1, and that slope its own, -2.1: the second order takes both."""
    make, tf = t.get(TAPE), t.fw

    @tf.custom_gradient
    def slope(x):
        return -1.1 * tf.ones_like(x), lambda weight: -2.1 * weight

    @tf.custom_gradient
    def shifted(x):
        return x + 1, lambda weight: weight * slope(x)

    def slopes(x):
        with make() as outer:
            outer.watch(x)
            with make() as inner:
                inner.watch(x)
                made = shifted(x) ** 4
            first = inner.gradient(made, x)
        return [first, outer.gradient(first, x)]

    return t.call(slopes, t.uniform((5,), dtype, 0.25, 1))


@case(TAPE, dtypes="f32 f64", **NEAR, reference=lambda np, x, y, w: [
      *[np.einsum("kr,cd->kcrd", np.eye(3)[[2, 0]], np.eye(2))] * 2, np.diag(2 * w[0] * x[0]), np.diag(w[0] * w[0]),
      *[np.einsum("bi,ij,ib->bji", 2 * y, np.ones((3, 3)), np.ones((3, 2))) * np.eye(3)] * 4, np.zeros((1, 0, 0))])  # fmt: skip
def tape_jacobians_of_rows(t, dtype):
    """Of rows that are taken, at once and one by one; of two sources; of a batch, traced or not; of nothing."""
    make, tf = t.get(TAPE), t.fw

    def rows(x, at_once):
        with make(persistent=True) as tape:
            tape.watch(x)
            made = tf.gather(x, [2, 0])
        return tape.jacobian(made, x, experimental_use_pfor=at_once, parallel_iterations=2)

    def sources(x, w):
        with make() as tape:
            tape.watch([x, w])
            made = w * w * x
        by_w, by_x = tape.jacobian(made, [w, x])
        return [by_w, by_x]

    def batch(x, at_once):
        with make(persistent=True) as tape:
            tape.watch(x)
            made = x * x
        return tape.batch_jacobian(made, x, experimental_use_pfor=at_once, parallel_iterations=3)

    def all_of_them(x, y, w):
        traced = tf.function(batch, autograph=False)
        batches = [f(y, once) for f in (batch, traced) for once in (True, False)]
        none = batch(tf.zeros((1, 0), x.dtype), True)
        return [rows(x, True), rows(x, False), *sources(x[0], w[0]), *batches, none]

    x, y, w = t.uniform((3, 2), dtype, 1, 2), t.uniform((2, 3), dtype, 1, 2), t.uniform((1, 2), dtype, 1, 2)  # fmt: skip
    return t.call(all_of_them, x, y, w)


@case(TAPE, dtypes="f32", core=False, reference=lambda np, *xs: [one for x in xs for one in (3 * x * x, 0 * x, 2 * x)])  # fmt: skip
def tape_of_any_rank(t, dtype):
    """Traced once for any number of axes; zeros where a function within stops, and of a part that has none."""
    make, tf = t.get(TAPE), t.fw
    square = tf.function(lambda x: x * x, autograph=False)
    stopped = tf.function(lambda x: tf.stop_gradient(square(x)), autograph=False)

    def slopes(x):
        with make(persistent=True) as tape:
            tape.watch(x)
            more = x + 0
            tape.watch(more)
            cube, still, part = x * x * x, stopped(x + 2), square(x)
        zeros = tape.gradient(still, x, unconnected_gradients="zero")
        none = tape.gradient(cube, more, unconnected_gradients=tf.UnconnectedGradients.ZERO)
        return [tape.gradient(cube, x), zeros + none, tape.gradient(part, x)]

    program = tf.function(slopes, input_signature=[tf.TensorSpec(None, t.dtype(dtype))], autograph=False)  # fmt: skip
    made = [t.call(program, t.distinct(shape, dtype)) for shape in ((5,), (2, 3), (2, 1, 4))]
    return [one for part in made for one in part]


@case(TAPE, core=False, host_only=True, reference="none")
def tape_refuses_and_goes_on(t):
    """Slopes that are too few or fail, arrays, texts, Jacobians of vectors in a batch or of a tape that is read; then the next."""
    tf, x, np = t.fw, t.const([1.0, 2.0], "f32"), t.np
    words = tf.constant(["a"])

    def of(own):
        with t.call(TAPE) as tape:
            tape.watch(x)
            made = tf.custom_gradient(own)(x)
        return tape, made

    def failing(weight):
        raise KeyError("of the slope")

    tape, made = of(lambda x: (x * 1, lambda weight: []))
    t.raises(ValueError, tape.gradient, made, [x])
    tape, made = of(lambda x: (x * 1, failing))
    t.raises(KeyError, tape.gradient, made, x)
    t.raises(ValueError, t.call(TAPE).watch, np.array([1.0]))
    try:
        with t.call(TAPE) as broken:
            broken.watch(x)
            made = x * x
            raise KeyError("of the body")
    except KeyError:
        pass
    t.expect(broken.gradient(made, x).numpy().tolist() == [2.0, 4.0], "2 and 4, of a body that failed")  # fmt: skip
    with t.call(TAPE) as tape:
        tape.watch([x, words])
        made = x * x
    found = tape.gradient([made, words], [x, words])
    t.expect(found[0].numpy().tolist() == [2.0, 4.0] and found[1] is None, "none of texts, got %s" % found)  # fmt: skip
    rows = t.const([[1.0, 2.0]], "f32")
    for source, target in ((x, rows), (rows, x)):
        with t.call(TAPE, persistent=True) as tape:
            tape.watch(source)
            made = tf.reshape(source, target.shape) * 2
        t.raises(ValueError, tape.batch_jacobian, made, source)
    for whole in (True, False):
        with t.call(TAPE) as tape:
            tape.watch(rows)
            made = rows * rows
        jacobian = tape.jacobian if whole else tape.batch_jacobian
        t.raises(RuntimeError, jacobian, made, rows, experimental_use_pfor=False)
    alike = [tf.constant(3.0), tf.constant(3.0)]
    with t.call(TAPE) as tape:
        tape.watch(alike)
        made = alike[0] + alike[1]
    t.expect([float(one) for one in tape.gradient(made, alike)] == [1.0, 1.0], "1 of each of two threes")  # fmt: skip


@case(TAPE, dtypes="f32", core=False, reference=lambda np, x: [2 * x, 3 * x * x])
def tape_of_sparse_parts(t, dtype):
    """A sparse tensor is watched by its values; what is made of it leads back to these."""
    make, tf = t.get(TAPE), t.fw

    def slopes(x):
        few = tf.SparseTensor([[0, 0], [1, 2], [2, 1]], x, [3, 4])
        with make(persistent=True) as tape:
            tape.watch(few)
            square = few.values * few.values
            twice = tf.SparseTensor(few.indices, square * few.values, few.dense_shape)
        return [tape.gradient(square, few.values), tape.gradient(twice.values, few.values)]

    return t.call(slopes, t.distinct((3,), dtype))


# --- loops


def _loops(np, x, y):
    one = x**4 * y**3
    two = x * y
    for _ in range(3):
        two = two * y + one
    v, w = x, y
    for _ in range(2):
        v, w = v * w, v + w
    return [one, two, v, w]


@case(LOOP, dtypes="f32 f64", grad=True, **NEAR, reference=with_gradient(_loops))
def while_loop_after_a_loop(t, dtype):
    """A loop that goes on from another's result, beside a third whose variables change each other; a captured tensor says how long."""
    tf, loop = t.fw, t.get(LOOP)

    def run(x, y):
        one = loop(lambda i, _: i < 2, lambda i, v: (i + 1, v * v * y), (0, x), maximum_iterations=2)[1]  # fmt: skip
        rounds = tf.cast(tf.reduce_sum(tf.ones_like(y)), tf.int32) - 1
        two = loop(lambda i, _: i < rounds, lambda i, v: (i + 1, v * y + one), (0, x * y), maximum_iterations=4)[1]  # fmt: skip
        _, v, w = loop(lambda i, *_: i < 2, lambda i, v, w: (i + 1, v * w, v + w), (0, x, y), maximum_iterations=2)  # fmt: skip
        return [one, two, v, w]

    return t.call(run, t.uniform((4,), dtype, 0.75, 1.25), t.uniform((4,), dtype, 0.75, 1.25))


@case(LOOP, dtypes="f32 f64", **NEAR, reference=lambda np, x, w: [
      x**4, x**3, x * w * (w + x), w * (w + x), x * (w + x), 6 * x, 6 + 0 * x, x * w**3, w**3, 3 * x * w * w, 8 * x**3])  # fmt: skip
def while_loop_of_stops(t, dtype):
    """A factor that is stopped in each round, a variable of the loop that is, one that counts, one outside, a slope of its own."""
    tf, loop, make = t.fw, t.get(LOOP), t.get(TAPE)
    held = tf.Variable(tf.zeros((3,), t.dtype(dtype)))
    apart = tf.Variable(tf.ones((3,), t.dtype(dtype)))

    @tf.custom_gradient
    def own(v):
        return v * v, lambda weight: 2 * weight * v * 2

    def rounds(n, body, *start):
        return loop(lambda i, *_: i < n, lambda i, *v: (i + 1, *body(i, *v)), (tf.constant(0), *start), maximum_iterations=n)[1:]  # fmt: skip

    def run(x, w):
        held.assign(w)
        with make(persistent=True) as tape:
            tape.watch([x, w])
            (fourth,) = rounds(2, lambda i, v: [v * tf.stop_gradient(v)], x)
            mixed, _ = rounds(2, lambda i, v, u: [v * u, tf.stop_gradient(u + v)], x, w)
            counted, _ = rounds(3, lambda i, v, n: [v * tf.cast(n, v.dtype), n + 1], x, tf.constant(1))  # fmt: skip
            (by_held,) = rounds(3, lambda i, v: [v * held], x)
            (squared,) = rounds(2, lambda i, v: [own(v)], x)
        if tape.gradient(by_held, apart) is not None:
            raise ValueError("no gradient of what has no part")
        mix = tape.gradient(mixed, [x, w])
        found = [
            mixed,
            *mix,
            counted,
            tape.gradient(counted, x),
            by_held,
            tape.gradient(by_held, x),
        ]
        return [fourth, tape.gradient(fourth, x), *found, tape.gradient(by_held, held), tape.gradient(squared, x) / 2]  # fmt: skip

    return t.call(run, t.uniform((3,), dtype, 0.5, 1.5), t.uniform((3,), dtype, 0.5, 1.5))


def _taken(np, x, w):
    total = np.zeros(2, x.dtype)
    for i in (2, 0, 2, 3):
        total = total * w + x[i] ** 2
    return total


@case(LOOP, dtypes="f32 f64", grad=True, **NEAR, reference=with_gradient(_taken))
def while_loop_over_rows(t, dtype):
    """Each round takes a row, one of them twice: the table's gradient is that of its rows."""
    tf, loop = t.fw, t.get(LOOP)

    def run(x, w):
        order = tf.constant([2, 0, 2, 3])
        body = lambda i, total: (i + 1, total * w + tf.gather(x, order[i]) ** 2)  # noqa: E731
        return loop(lambda i, _: i < 4, body, (0, tf.zeros((2,), x.dtype)), maximum_iterations=4)[1]

    return t.call(run, t.uniform((4, 2), dtype, 0.5, 1.5), t.uniform((2,), dtype, 0.5, 1.5))


@case(LOOP, dtypes="f32 i32", core=False, reference=lambda np, x: [
      np.concatenate([x * 2**k for k in range(4)]), np.arange(0, 13, 3), np.tile(x, 4), np.tile(np.arange(3), 4),
      np.tile(x, (4, 1)) * [[1], [1], [2], [6]], 8 * x])  # fmt: skip
def while_loop_of_what_grows(t, dtype):
    """Traced: ragged rows, slices and tensors of no known shape or rank that gain rows; the shape asked for stays."""
    tf, loop = t.fw, t.get(LOOP)

    def run(x):
        kind, start = x.dtype, tf.constant(0)
        count = tf.TensorShape([])
        rows = tf.RaggedTensor.from_row_splits(x, tf.constant([0, 3]))
        _, rows = loop(
            lambda i, _: i < 3,
            lambda i, r: (i + 1, tf.concat([r, r[-1:] * 2], 0)),
            (start, rows),
            shape_invariants=(count, tf.TensorShape([None, None])),
        )
        places = tf.IndexedSlices(x, tf.range(3), tf.constant([3]))
        more = lambda i, s: (i + 1, tf.IndexedSlices(tf.concat([s.values, x], 0), tf.concat([s.indices, tf.range(3)], 0), s.dense_shape))  # noqa: E731 # fmt: skip
        _, places = loop(lambda i, _: i < 3, more, (start, places), shape_invariants=(count, tf.TensorShape([None])))  # fmt: skip
        _, free = loop(
            lambda i, _: i < 4,
            lambda i, y: (
                i + 1,
                tf.concat([y, y[-1:] * tf.cast(i, kind)], 0) if y.shape.rank else y,
            ),
            (tf.constant(1), x[None]),
            shape_invariants=(count, tf.TensorShape([None, 3])),
        )
        _, any_rank = loop(
            lambda i, _: i < 3,
            lambda i, y: (i + 1, tf.reshape(y, [-1]) * 2),
            (start, x[:, None]),
            shape_invariants=(count, tf.TensorShape(None)),
        )
        if free.shape.as_list() != [None, 3] or any_rank.shape.rank is not None:
            raise ValueError("got the shapes %s and %s" % (free.shape, any_rank.shape))
        return [rows.flat_values, rows.row_splits, places.values, places.indices, free, any_rank]

    return t.call(tf.function(run, autograph=False), t.randint((3,), dtype, 1, 9))


Pair = collections.namedtuple("Pair", "total parts")


@case(
    LOOP, dtypes="f32", core=False, reference=lambda np, x: [8 * x, x + 3, x - 3, 16 * x, 5, x * 3]
)
def while_loop_of_named_parts(t, dtype):
    """A named tuple with a dictionary within, one tensor in a list, truths that end it, nothing beside; all stay what they are."""
    tf, loop = t.fw, t.get(LOOP)

    def run(x):
        pair = Pair(x, {"up": x, "down": (x,)})
        step = lambda i, p: (i + 1, Pair(p.total * 2, {"up": p.parts["up"] + 1, "down": (p.parts["down"][0] - 1,)}))  # noqa: E731 # fmt: skip
        _, pair = loop(lambda i, _: i < 3, step, (0, pair), name="pairs")
        alone = loop(
            lambda x: tf.reduce_sum(x) < 40.0, lambda x: [x * 2], [x], parallel_iterations=1
        )
        _, count = loop(lambda more, _: more, lambda _, n: (n < 4, n + 1), (tf.constant(True), 0))
        _, kept, none = loop(lambda i, *_: i < 2, lambda i, y, n: (i + 1, y + x, n), (0, x, ()))
        kinds = isinstance(pair, Pair), isinstance(alone, list), len(alone), none
        if kinds != (True, True, 1, ()):
            raise TypeError("a pair, a list of one and nothing, got %r" % (kinds,))
        return [pair.total, pair.parts["up"], pair.parts["down"][0], alone[0], count, kept]

    return t.call(run, t.const([0.5, 1.0, 1.5], dtype))


@case(LOOP, core=False, host_only=True, reference="none")
def while_loop_over_texts(t):
    """Texts grow; eager rounds give tensors, and see each value; an error of a round is the loop's."""
    tf, seen = t.fw, []
    body = lambda i, s: (i + 1, tf.strings.join([s, "b"]))  # noqa: E731
    for call in (t.get(LOOP), tf.function(lambda *a: tf.while_loop(*a), autograph=False)):
        _, made = t.call(lambda call=call: call(lambda i, _: i < 3, body, (tf.constant(0), tf.constant(["a", "\u00fc"]))))  # fmt: skip
        want = [b"abbb", b"\xc3\xbcbbb"]
        t.expect(made.numpy().tolist() == want, "%s, got %s" % (want, made))
    (last,) = t.call(LOOP, lambda i: i < 3, lambda i: (seen.append(int(i)), [i + 1])[1], [tf.constant(0)])  # fmt: skip
    t.expect(seen == [0, 1, 2] and int(last) == 3, "0, 1, 2 and then 3, got %s and %s" % (seen, last))  # fmt: skip

    def failing(i):
        with tf.control_dependencies([tf.debugging.assert_less(i, 2)]):
            return [i + 1]

    program = tf.function(lambda i: tf.while_loop(lambda i: i < 9, failing, [i]), autograph=False)
    t.raises(tf.errors.InvalidArgumentError, t.call, program, tf.constant(0))


def _descended(np, x, w):
    for _ in range(3):
        x = x - w * x * x
    return x * x


@case(TAPE, dtypes="f32 f64", grad=True, **NEAR, reference=with_gradient(_descended))
@case(LOOP, dtypes="f32 f64", grad=True, **NEAR, reference=with_gradient(_descended))
def steps_down_a_slope(t, dtype):
    """Each round of a loop has a tape of its own, and goes down the slope of a cube; the gradient of the last by the first."""
    tf, loop, make = t.fw, t.get(LOOP), t.get(TAPE)

    def step(i, x, w):
        with make() as tape:
            tape.watch(x)
            made = x * x * x / 3
        return i + 1, x - w * tape.gradient(made, x), w

    def run(x, w):
        _, last, _ = loop(lambda i, *_: i < 3, step, (tf.constant(0), x, w), maximum_iterations=3)
        return last * last

    return t.call(run, t.uniform((4,), dtype, 0.5, 1), t.uniform((4,), dtype, 0.1, 0.3))
