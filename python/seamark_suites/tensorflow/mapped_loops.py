"""By vectorized_map, of each example: loops, branches, traced functions, draws and parsed records, as its own tests ask."""

from seamark_suites.case import case

LOOP, COND, FUNCTION = "tf.while_loop", "tf.cond", "tf.function"
NEAR = {"core": False, "rtol": {"f32": 1e-5}, "atol": {"f32": 1e-5}}


def _rounds(np, x, *_):
    lengths, n = [4, 0, 2], np.arange(3)
    sums = np.array([row[:k].sum() for row, k in zip(x, lengths)])
    start, grown = [], []
    for i in range(3):
        a, b = 0, 1
        for _ in range(i):
            a, b = a + i, b + a
        start.append(a)
        grown.append(b)
    four = np.full(3, 4)
    return [4 + n, four, four, 4 * n, np.array(lengths), sums, n, np.array(start), np.array(grown), n, four * 5,
            np.array([0, 1]) + 4 * n[:, None], np.array([6, 7]) + 0 * n[:, None]]  # fmt: skip


@case(LOOP, dtypes="f32 f64", **NEAR, reference=_rounds)
def while_loop_within_each_example(t, dtype):
    """Outside, of nothing of the example's, after it, added to, as many rounds as each says, with values that pass, of a variable, of known shapes."""
    tf, loop = t.fw, t.get(LOOP)
    held = tf.Variable(5.0)
    x, lengths = t.uniform((3, 5), dtype, 1, 2), t.const([4, 0, 2], "i32")

    def one(row):
        i, x, length = row
        four = lambda: loop(lambda j: j < 4, lambda j: (j + 1,), (0,))[0]  # noqa: E731
        with tf.control_dependencies([i]):
            after = four()
        added = loop(lambda j, _: j < 4, lambda j, y: (j + 1, y + i), (0, 0))[1]
        rounds, total = loop(lambda j, _: j < length, lambda j, y: (j + 1, y + x[j]), (0, tf.zeros((), x.dtype)))  # fmt: skip
        passed = loop(lambda j, *_: j < i, lambda j, a, b, c, d: (j + 1, a + i, b + a, c, d), (0, tf.constant(0), tf.constant(1), i, tf.constant(2)))  # fmt: skip
        stateful = loop(lambda j, _: j < 4, lambda j, y: (j + 1, y + held), (0, 0.0))[1]
        known = loop(lambda j, *_: j < 4, lambda j, a, b: (j + 1, a + i, b + 1), (0, tf.constant([0, 1]), tf.constant([2, 3])),
                     shape_invariants=(tf.TensorShape([]), tf.TensorShape([2]), tf.TensorShape([2])))  # fmt: skip
        return [four() + i, four(), after, added, rounds, total, *passed[:4], stateful, *known[1:]]

    return t.call(lambda *drawn: tf.vectorized_map(one, (tf.range(3), *drawn)), x, lengths)


def _nested(np, x, *_):
    lengths = [4, -1, 2, -2, 2]

    def summed(row, k, f=lambda row, k: row):
        made = row
        for j in range(max(k, 0)):
            made = made + f(row, k)[j]
        return made

    chosen = lambda row, k, f: f(row, k) if k > 0 else row + 1  # noqa: E731
    plain = lambda row, k: row  # noqa: E731
    forms = [
        lambda row, k: chosen(row, k, summed),
        lambda row, k: summed(row, k, lambda row, k: chosen(row, k, plain)),
        lambda row, k: summed(row, k, summed),
        lambda row, k: chosen(row, k, lambda row, k: chosen(row, k, plain)),
    ]
    return [np.stack([form(row, k) for row, k in zip(x, lengths)]) for form in forms]


@case(LOOP, dtypes="f32 f64", **NEAR, reference=_nested)
@case(COND, dtypes="f32 f64", **NEAR, reference=_nested)
def nested_within_each_example(t, dtype, function):
    """A loop in a branch, a branch in a loop, a loop in a loop, a branch in a branch: each example its own way and rounds."""
    tf, loop, pick = t.fw, t.get(LOOP), t.get(COND)
    same = lambda x, k: x  # noqa: E731

    def choice(f=same):
        return lambda x, k: pick(k > 0, lambda: f(x, k), lambda: x + 1)

    def rounds(f=same):
        return lambda x, k: loop(lambda j, _: j < k, lambda j, y: (j + 1, y + f(x, k)[j]), (0, x))[1]  # fmt: skip

    forms = [choice(rounds()), rounds(choice()), rounds(rounds()), choice(choice())]
    run = lambda x, k: tf.vectorized_map(lambda row: [form(*row) for form in forms], (x, k))  # noqa: E731
    return t.call(run, t.uniform((5, 5), dtype, 1, 2), t.const([4, -1, 2, -2, 2], "i32"))


@case(LOOP, dtypes="f32 f64", **NEAR, reference=lambda np, x, y: [
      (y @ y @ y @ y).T, np.stack([n + np.arange(4) ** 2 for n in range(3)])])  # fmt: skip
def while_loop_of_matrices_for_each_row(t, dtype):
    """Its Jacobian by rows; an array of tensors that each example's loop writes."""
    tf, loop = t.fw, t.get(LOOP)

    def slopes(x, y):
        with tf.GradientTape() as tape:
            tape.watch(x)
            made = loop(lambda i, _: i < 4, lambda i, z: (i + 1, tf.matmul(z, y)), (0, x))[1]
        return tape.jacobian(made, x)[0, :, 0]

    def written(i):
        array = tf.TensorArray(tf.int32, size=4)
        return loop(lambda j, _: j < 4, lambda j, a: (j + 1, a.write(j, i + j * j)), (0, array))[1].stack()  # fmt: skip

    def run(x, y):
        traced = tf.function(slopes, autograph=False)
        return [traced(x, y), tf.vectorized_map(written, tf.range(3))]

    return t.call(run, t.uniform((1, 3), dtype, 0, 1), t.uniform((3, 3), dtype, 0, 1))


@case(COND, dtypes="f32 f64", core=False, reference=lambda np, x, y, *_: [
      np.abs(x - y), np.where(x < y, y, 0), np.where(x < y, 1, y), np.where(x < y, 2, 3), y - x, y + 0 * x, x - y, 0 * x, y - x])  # fmt: skip
def cond_of_each_example_and_of_all(t, dtype):
    """Branches that give the example's own beside what all share; a truth that all share, either way; one branch alone."""
    tf, pick = t.fw, t.get(COND)

    def run(x, y, yes, no):
        def one(x):
            least, none = tf.ones_like(y), tf.zeros_like(y)
            own = pick(x < y, lambda: (y - x, y, least, 2 * least), lambda: (x - y, none, y, 3 * least))  # fmt: skip
            shared = [pick(truth, lambda: (y - x, y), lambda: (x - y, none)) for truth in (yes, no)]
            return [*own, *shared[0], *shared[1], pick(x < 99, lambda: y - x, lambda: x)]

        return tf.vectorized_map(one, x)

    x = t.const([1.0, 2.0, 3.0, 4.0, 5.0], dtype)
    return t.call(run, x, t.const(2.5, dtype), t.const(True, "bool"), t.const(False, "bool"))


@case(FUNCTION, dtypes="f32 f64", core=False, rtol={"f32": 1e-5}, reference=lambda np, x, held: [
      x**2 + 1, (x**2).sum(1) + 2, (x**2 + 1).sum(1) + 2, x**2 + 1, 2 * x, x**2 + held + 1, 2 * x, x**2])  # fmt: skip
def functions_within_each_example(t, dtype):
    """One, one within another, one that is made within; their slopes by a tape in the example; of a variable; a loop of Python."""
    tf, function = t.fw, t.get(FUNCTION)
    x, start = t.distinct((4, 2), dtype), t.distinct((2,), dtype)
    held = tf.Variable(start)
    square = function(tf.square, autograph=False)
    plus = function(lambda x: tf.square(x) + 1, autograph=False)
    outer = function(lambda x: tf.reduce_sum(square(x)) + 2, autograph=False)
    stateful = function(lambda x: tf.square(x) + held + 1, autograph=False)

    @function(autograph=False)
    def making(x):
        return tf.reduce_sum(function(lambda x: tf.square(x) + 1, autograph=False)(x)) + 2

    def sloped(f, x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            made = f(x)
        return [made, tape.gradient(made, x)]

    def one(x):
        for _ in range(3):
            pass
        return [plus(x), outer(x), making(x), *sloped(plus, x), *sloped(stateful, x), tf.square(x)]

    return t.call(lambda x: tf.vectorized_map(one, x), x)


@case("tf.random.uniform", dtypes="i32 i64", core=False, random=True, reference="none")
@case("tf.random.normal", dtypes="f32 f64", core=False, random=True, reference="none")
def draws_within_each_example(t, dtype, function):
    """Each example has its own: integers within their bounds, numbers of a mean, in the example's shape."""
    tf, f = t.fw, t.get(function)
    more = {"maxval": 1000} if function.endswith("uniform") else {"mean": 3.0}
    one = lambda _: [f([40, 3], dtype=t.dtype(dtype), **more), f([], dtype=t.dtype(dtype), **more)]  # noqa: E731
    many, single = t.call(lambda x: tf.vectorized_map(one, x), tf.range(5))
    t.expect(many.shape == [5, 40, 3] and single.shape == [5], "got %s, %s" % (many, single))
    rows = t.host(many).reshape(5, -1)
    for n in range(4):
        t.expect((rows[n] != rows[n + 1]).mean() > 0.9, "each its own")
    if function.endswith("uniform"):
        t.expect(rows.min() >= 0 and rows.max() < 1000, "within the bounds")
        t.expect(abs(rows.mean() - 499.5) < 100, "in the middle, got %s" % rows.mean())
    else:
        t.statistics(many, mean=3.0, std=1.0)
    return many


@case("tf.io.FixedLenFeature", host_only=True, core=False, reference="none")
def fixed_of_each_example(t):
    """Records parsed one by one, with defaults for those that lack, beside lists of every length: the same as all at once."""
    tf, fixed = t.fw, "tf.io.FixedLenFeature"
    train = tf.train

    def record(n):
        ints = train.Feature(int64_list=train.Int64List(value=[n, 2 * n, 4 * n]))
        held = {"list": ints}
        if n % 2:
            held["number"] = train.Feature(int64_list=train.Int64List(value=[n]))
            held["text"] = train.Feature(bytes_list=train.BytesList(value=[b"%d" % n]))
            held["pair"] = train.Feature(float_list=train.FloatList(value=[n, n / 2]))
        return train.Example(features=train.Features(feature=held)).SerializeToString()

    records = tf.constant([record(n) for n in range(6)])
    features = {"number": t.call(fixed, (), tf.int64, -1), "text": t.call(fixed, (), tf.string, ""), "pair": t.call(fixed, (2,), tf.float32, [7.0, 8.0]),
                "list": t.call(fixed, (3,), tf.int64)}  # fmt: skip
    each = tf.vectorized_map(lambda one: tf.io.parse_single_example(one, features), records)
    once = tf.io.parse_example(records, features)
    for name in features:
        t.expect(each[name].numpy().tolist() == once[name].numpy().tolist(), "as at once: %s" % name)  # fmt: skip
    t.expect(each["number"].numpy().tolist() == [-1, 1, -1, 3, -1, 5], "got %s" % each["number"])
    t.expect(each["pair"].numpy().tolist()[:2] == [[7.0, 8.0], [1.0, 0.5]], "got %s" % each["pair"])
