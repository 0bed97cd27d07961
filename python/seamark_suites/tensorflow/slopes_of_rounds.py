"""Slopes through loops: of open shapes, through functions that read rows, arrays, slices and branches, of slopes within."""

from seamark_suites.case import case

LOOP = "tf.while_loop"


def slopes(t, f, *by, traced=True):
    """What `f` gives, and its gradients by what it takes."""

    def both(*by):
        with t.fw.GradientTape() as tape:
            tape.watch(by)
            made = f(*by)
        return [made, *tape.gradient(made, by)]

    return t.call(t.fw.function(both, autograph=False) if traced else both, *by)


def times(t, rounds, body, *start):
    """So many rounds, which begin by their number."""
    tf = t.fw
    made = t.get(LOOP)(lambda i, *_: i < rounds, lambda i, *x: (i + 1, *body(i, *x)),
                       (tf.constant(0), *start), maximum_iterations=rounds)  # fmt: skip
    return made[1:]


@case(LOOP, dtypes="f32 f64", core=False, reference=lambda np, *xs: [
      leaf for x in xs for leaf in (2 * x**5, 10 * x**4, 2 * x)])  # fmt: skip
def while_loop_of_open_sizes(t, dtype):
    """One program for any number of numbers: a variable of the loop of no known shape, the slope by what is captured; no round at all."""
    tf, loop, kind = t.fw, t.get(LOOP), t.dtype(dtype)
    start, free = tf.constant([2], kind), [tf.TensorShape([]), tf.TensorShape(None)]

    def run(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            made = loop(lambda i, _: i < 5, lambda i, v: (i + 1, x * v), [tf.constant(0), start], free)[1]  # fmt: skip
            none = loop(lambda _: tf.constant(False), lambda v: (v * x,), (tf.ones_like(x),))[0]
            square = tf.reduce_sum(none) + tf.reduce_sum(x * x)
        return [made, tape.gradient(made, x), tape.gradient(square, x)]

    spec = tf.TensorSpec([None], kind)
    program = tf.function(run, input_signature=[spec], autograph=False)
    return [leaf for n in (2, 3) for leaf in t.call(program, t.uniform((n,), dtype, 0.5, 2))]


@case(LOOP, dtypes="f32 f64", core=False, reference=lambda np, v, w: [
      2 * (v[1] + v[3]), 6 * (v[1] + v[2]), 2 * (v[1] + w[1]), (v[1] + v[3]) ** 3,
      np.array([0, 2, 0, 2]), np.array([0, 6, 6, 0]), np.array([0, 2, 0, 0]), np.array([0, 2]), 3 * (v[1] + v[3]) ** 2 * np.array([0, 1, 0, 1])])  # fmt: skip
def while_loop_of_functions_that_read_rows(t, dtype):
    """In a function, within a function and a loop, in either branch, each round; and of products of them."""
    tf = t.fw
    held, other = tf.Variable(t.randint((4,), dtype, 1, 9)), tf.Variable(t.randint((2,), dtype, 1, 9))  # fmt: skip
    zero = tf.zeros([], t.dtype(dtype))
    traced = lambda f: tf.function(f, autograph=False)  # noqa: E731
    add = traced(lambda x: x + tf.reduce_sum(held.sparse_read([1, 3])))
    outer = traced(lambda x: add(x))
    inner = traced(lambda x: times(t, 3, lambda _, y: [y + tf.reduce_sum(held.sparse_read([1, 2]))], x)[0])  # fmt: skip
    by = [traced(lambda x, v=v: x + v.sparse_read([1])[0]) for v in (held, other)]

    def run():
        with tf.GradientTape(persistent=True) as tape:
            one = times(t, 2, lambda _, x: [outer(x)], zero)[0]
            two = times(t, 2, lambda _, x: [inner(x)], zero)[0]
            three = times(t, 4, lambda i, x: [tf.cond(i % 2 == 0, lambda: by[0](x), lambda: by[1](x))], zero)[0]  # fmt: skip
            four = times(t, 3, lambda _, x: [x * tf.reduce_sum(held.sparse_read([1, 3]))], zero + 1)[0]  # fmt: skip
        found = [tape.gradient(one, held), tape.gradient(two, held), *tape.gradient(three, [held, other]), tape.gradient(four, held)]  # fmt: skip
        return [one, two, three, four, *map(tf.convert_to_tensor, found)]

    return t.call(traced(run))


@case(LOOP, dtypes="f32 f64", core=False, reference=lambda np, v, x: [4 * x + 9 * v * v, np.array(4), 18 * v])  # fmt: skip
def while_loop_within_a_branch_of_a_loop(t, dtype):
    """Each of two rounds adds what a branch has of a loop of three, which reads a variable."""
    tf, held = t.fw, t.fw.Variable(t.uniform((), dtype, 0.5, 2))

    def body(_, y):
        within = lambda: times(t, 3, lambda _, z: [z + held**2], y)[0]  # noqa: E731
        return [y + tf.cond(tf.constant(True), within, lambda: tf.zeros([], y.dtype))]

    def run(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            made = times(t, 2, body, x)[0]
        return [made, *tape.gradient(made, [x, held])]

    return t.call(tf.function(run, autograph=False), t.uniform((), dtype, 0.5, 2))


@case(LOOP, dtypes="f32 i32", core=False, reference=lambda np, x: np.outer(x, np.arange(1, 4)))
def while_loop_of_a_table(t, dtype):
    """Two loops, one in the other, write the places of one array."""
    tf = t.fw

    def table(x):
        array = tf.TensorArray(x.dtype, 9, element_shape=[])

        def row(i, kept):
            within = lambda j, kept: [kept.write(3 * i + j, x[i] * tf.cast(j + 1, x.dtype))]  # noqa: E731 # fmt: skip
            return times(t, 3, within, kept)

        return tf.reshape(times(t, 3, row, array)[0].stack(), [3, 3])

    return t.call(table, t.randint((3,), dtype, 1, 99))


@case(LOOP, dtypes="f32 f64", core=False, reference=lambda np, y, p: [y * p**4, p**4 * np.ones(6), 4 * p**3 * y.sum()])  # fmt: skip
def while_loop_of_a_map(t, dtype):
    """Each of four rounds maps the numbers, by map_fn, times a number outside."""
    tf = t.fw
    run = lambda y, p: times(t, 4, lambda _, y: [tf.map_fn(lambda x: x * p, y)], y)[0]  # noqa: E731
    return slopes(t, run, t.uniform((6,), dtype, 0.5, 2), t.uniform((), dtype, 0.5, 2))


@case(LOOP, dtypes="f32 f64", core=False, reference=lambda np, x: [32 * x, np.full(2, 32.0)] * 2)
def while_loop_slopes_of_slices_and_sparse(t, dtype):
    """Values that double in each round, their places stay."""
    tf = t.fw

    def slices(x):
        one = tf.IndexedSlices(x, tf.constant([0, 3]), tf.constant([10]))
        return times(t, 5, lambda _, s: [tf.IndexedSlices(s.values * 2, s.indices, s.dense_shape)], one)[0].values  # fmt: skip

    def sparse(x):
        one = tf.SparseTensor([[0], [3]], x, [10])
        return times(t, 5, lambda _, s: [tf.SparseTensor(s.indices, s.values * 2, s.dense_shape)], one)[0].values  # fmt: skip

    x = t.uniform((2,), dtype, 0.5, 2)
    return [*slopes(t, slices, x), *slopes(t, sparse, x)]


@case(LOOP, dtypes="f32 f64", core=False, reference=lambda np, p, x: [
      20 * p * x.sum(), 9 * x, 9.0 * x, p**2 + p**7 + 6 * p**6, 2 * p + 7 * p**6])  # fmt: skip
def while_loop_of_slopes_within(t, dtype):
    """The slope of a product in each round; of a loop, in a branch and in a round; what is stopped of a loop's slope has none."""
    tf = t.fw

    def slope(f, by):
        with tf.GradientTape() as tape:
            tape.watch(by)
            made = f()
        return tape.gradient(made, by)

    def run(p, x):
        each = times(t, 10, lambda _, y: [y + slope(lambda: x * p**2, p)], tf.zeros([], x.dtype))[0]
        loop = lambda: times(t, 9, lambda _, n: [n + x * x / 2], x * 0)[0]  # noqa: E731
        branch = tf.cond(p > 0, lambda: slope(loop, x), lambda: x)
        round_ = times(t, 2, lambda _, n: [slope(loop, x)], x)[0]
        with tf.GradientTape() as tape:
            tape.watch(p)
            with tf.GradientTape() as inner:
                inner.watch(p)
                power = times(t, 6, lambda _, y: [y * p], p)[0] - 0 * p
            kept = tf.stop_gradient(inner.gradient(power, p) - p**6)
            made = p**2 + power + kept
        return [each, branch, round_, made, tape.gradient(made, p)]

    return t.call(tf.function(run, autograph=False), t.uniform((), dtype, 0.5, 1.5), t.uniform((3,), dtype, 0.5, 2))  # fmt: skip
