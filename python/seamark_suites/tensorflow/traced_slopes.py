"""tf.function: slopes through it, of rows that are picked, beside results that are none, of the third order."""

from seamark_suites.case import case

FUNCTION = "tf.function"


def _want(condition, what):
    if not condition:
        raise TypeError(what)


@case(FUNCTION, dtypes="f32 f64", core=False, reference=lambda np, x, w: [
      np.ones(2), np.array([1, 2]), np.array([3]), w, np.array([2, 0, 2]), np.array([3, 2]), 2 * w * x[[2, 0, 2]]])  # fmt: skip
def slopes_that_are_slices(t, dtype):
    """Of rows picked within, by a tape outside: of a vector, of weighted rows, a row twice, of squares."""
    tf, function = t.fw, t.get(FUNCTION)
    x, w = t.uniform((3, 2), dtype, 0.5, 2), t.uniform((3, 2), dtype, 0.5, 2)
    rows, vector = tf.Variable(x), tf.Variable(x[:, 0])
    kind = x.dtype
    forms = [
        (lambda w: tf.reduce_sum(tf.gather(vector, [1, 2])), vector),
        (lambda w: tf.reduce_sum(tf.gather(rows, [2, 0, 2]) * w), rows),
        (lambda w: tf.reduce_sum(tf.gather(rows, [2, 0, 2]) ** 2 * w), rows),
    ]

    def slopes(w):
        made = []
        for form, of in forms:
            run = function(form, autograph=False)
            with tf.GradientTape() as tape:
                total = run(w)
            got = tape.gradient(total, of)
            _want(isinstance(got, tf.IndexedSlices), "slices, got a %s" % type(got).__name__)
            _want(got.values.dtype == kind, "of its dtype, got %s" % got.values.dtype)
            made.append([got.values, got.indices, got.dense_shape])
        one, two, three = made
        return [*one, *two, three[0]]

    return t.call(slopes, w)


@case(FUNCTION, dtypes="f32 f64", core=False, reference=lambda np, x, w: [w, np.array([2, 0, 2])] * 4)  # fmt: skip
def slopes_that_are_slices_by_place(t, dtype):
    """Of gather_nd and gather of a tensor: by a tape outside, and by `gradients` in a graph."""
    tf, function = t.fw, t.get(FUNCTION)
    picks = (lambda x: tf.gather_nd(x, [[2], [0], [2]])), (lambda x: tf.gather(x, [2, 0, 2]))

    def slopes(x, w):
        made = []
        for pick in picks:
            run = function(pick, autograph=False)
            with tf.GradientTape() as tape:
                tape.watch(x)
                total = tf.reduce_sum(run(x) * w)
            by_tape = tape.gradient(total, x)
            by_graph = function(lambda x, w, run=run: tf.gradients(run(x), x, w)[0], autograph=False)  # fmt: skip
            for got in (by_tape, by_graph(x, w)):
                _want(isinstance(got, tf.IndexedSlices), "slices, got a %s" % type(got).__name__)
                made += [got.values, got.indices]
        return made

    return t.call(slopes, t.uniform((3, 2), dtype, 0.5, 2), t.uniform((3, 2), dtype, 0.5, 2))


@case(FUNCTION, dtypes="f32 bf16", core=False, reference=lambda np, a: [a * a, 2 * a, a * (a + 1), 2 * a + 1, 2 * a, 2 + 0 * a, 2 * a + 3])  # fmt: skip
def slopes_beside_none(t, dtype):
    """None among the results stays None: of one function, of one within another, by each of its results, by both at once."""
    tf, function = t.fw, t.get(FUNCTION)
    one = function(lambda a: (None, a * a), autograph=False)
    inner = function(lambda a: (None, a * (a + 1), None, 2 * a), autograph=False)
    outer = function(lambda a: inner(a), autograph=False)

    def slopes(a):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(a)
            nothing, square = one(a)
            made = outer(a)
        _want(nothing is None, "None, got %s" % (nothing,))
        _want([part is None for part in made] == [True, False, True, False], "got %s" % (made,))
        _, first, _, second = made
        by_each = [tape.gradient(part, a) for part in (square, first, second)]
        return [square, by_each[0], first, by_each[1], second, by_each[2], tape.gradient([first, second], a)]  # fmt: skip

    return t.call(slopes, t.const([-3, -1, 0, 2, 5], dtype))


@case(FUNCTION, dtypes="f32 f64", core=False, reference=lambda np, h, x: [
      4 * x**3 + 3 * h * x * x, 12 * x * x + 6 * h * x, 24 * x + 6 * h, 6 * x, 24 + 0 * x])  # fmt: skip
def of_the_third_order(t, dtype):
    """A function in another, three tapes around: each order, the second by a variable, the fourth."""
    tf, function = t.fw, t.get(FUNCTION)
    held = tf.Variable(t.uniform((3,), dtype, 0.5, 2))
    inner = function(lambda x: x**3 + held * x * x, autograph=False)
    outer = function(lambda x: inner(x) * x, autograph=False)

    def slopes(x):
        with tf.GradientTape() as fourth:
            fourth.watch(x)
            with tf.GradientTape(persistent=True) as third:
                third.watch(x)
                with tf.GradientTape() as second:
                    second.watch(x)
                    with tf.GradientTape() as first:
                        first.watch(x)
                        made = outer(x)
                    one = first.gradient(made, x)
                two = second.gradient(one, x)
            three = third.gradient(two, x)
        return [one, two, three, third.gradient(two, held), fourth.gradient(three, x)]

    return t.call(slopes, t.uniform((3,), dtype, 0.5, 2))


@case(FUNCTION, dtypes="f32 i32", core=False, reference=lambda np, x: [2 * x, np.array([3, 1]), x, x + 1, np.array([4, 2])])  # fmt: skip
def slices_of_no_known_shape(t, dtype):
    """Rows and their places without a dense shape, and with one, as argument and result; each is traced once."""
    tf, function, seen = t.fw, t.get(FUNCTION), []

    def form(s):
        seen.append(s.dense_shape is None)
        return tf.IndexedSlices(2 * s.values, s.indices, s.dense_shape), s

    run = function(form, autograph=False)

    def every(x):
        del seen[:]
        places = tf.constant([3, 1])
        made, same = run(tf.IndexedSlices(x, places))
        _want(made.dense_shape is None and same.dense_shape is None, "no shape, got %s" % made)
        _, again = run(tf.IndexedSlices(x + 1, places))
        _, known = run(tf.IndexedSlices(x, places, tf.constant([4, 2])))
        _want(seen == [True, False], "two traces, got %s" % seen)
        return [made.values, made.indices, same.values, again.values, known.dense_shape]

    return t.call(every, t.randint((2, 2), dtype, -9, 10))
