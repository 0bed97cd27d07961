"""Loops and branches: the order of what they do, what is known of their shapes, slopes through functions, arrays and slices in them."""

from seamark_suites.case import case

COND, LOOP = "tf.cond", "tf.while_loop"
ONES, UNIFORM, NORMAL = "tf.ones", "tf.random.uniform", "tf.random.normal"


def traced(t, f, *specs):
    more = {"input_signature": specs} if specs else {}
    return t.fw.function(f, autograph=False, **more)


def slopes(t, f, *by):
    """What `f` gives, and its gradients."""

    def both(*by):
        with t.fw.GradientTape() as tape:
            tape.watch(by)
            made = f(*by)
        return [made, *tape.gradient(made, by)]

    return t.call(both, *by)


# --- in what order, and how often


@case(COND, host_only=True, core=False, reference="none")
def cond_effects_in_order(t):
    """All that the branch does, fetched or not, within another, too; the other branch does nothing."""
    tf, pick, said = t.fw, t.get(COND), t.fw.Variable("")

    def say(letter):
        said.assign(said + letter)

    def branch():
        say("A")
        say("B")
        say("C")
        return tf.constant(10)

    one = lambda flag: pick(flag, branch, lambda: tf.constant(0))  # noqa: E731
    two = lambda flag: pick(flag, lambda: one(flag), lambda: tf.constant(0))  # noqa: E731
    for f in (one, two):
        for flag, want in ((True, (10, b"ABC")), (False, (0, b""))):
            said.assign("")
            got = int(t.call(traced(t, f), tf.constant(flag))), said.numpy()
            t.expect(got == want, "%s, got %s" % (want, got))
    alone = traced(t, lambda flag: pick(flag, lambda: tf.no_op(), lambda: tf.debugging.Assert(False, ["wrong"])))  # fmt: skip
    t.call(alone, tf.constant(True))
    t.raises(tf.errors.InvalidArgumentError, t.call, alone, tf.constant(False))


@case(LOOP, host_only=True, core=False, reference="none")
def while_loop_effects_in_order(t):
    """What the condition and each round do, fetched or not, within a branch, too."""
    tf, loop, said = t.fw, t.get(LOOP), t.fw.Variable("")

    def say(letter):
        said.assign(said + letter)

    def condition(i, _):
        say("A")
        return i < 2

    def body(i, x):
        for letter in "BCD":
            say(letter)
        return i + 1, x

    run = lambda: loop(condition, body, [tf.constant(0), tf.constant(0)])[0]  # noqa: E731
    within = lambda: tf.cond(said == "", run, lambda: tf.constant(0))  # noqa: E731
    for f in (run, within):
        said.assign("")
        got = int(t.call(traced(t, f))), said.numpy()
        t.expect(got == (2, b"ABCDABCDA"), "two rounds, got %s" % (got,))


@case(COND, host_only=True, core=False, reference="none")
@case(LOOP, host_only=True, core=False, reference="none")
def waits_for_what_is_outside(t, function):
    """In a graph: what a round or a branch, taken or not, waits for outside runs once."""
    tf = t.fw
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        held = tf.Variable(1.0)
        session.run(held.initializer)
        step = held.assign_add(1.0)

        def waiting(i):
            with tf.control_dependencies([step]):
                return i + 1

        if function == LOOP:
            made = tf.nest.flatten(t.call(LOOP, lambda i: i < 3, waiting, [tf.constant(0)]))[0]
            want = 3
        else:
            fed = tf.compat.v1.placeholder_with_default(False, None)
            made, want = t.call(COND, fed, lambda: waiting(tf.constant(0)), lambda: tf.constant(2)), 2  # fmt: skip
        t.expect(session.run(made) == want, "%s" % want)
        t.expect(session.run(held) == 2.0, "once")


@case(LOOP, host_only=True, core=False, reference="none")
def while_loop_into_a_queue(t):
    """Each round puts a number into it; a function of NumPy in each; a traced function as the body."""
    tf, loop = t.fw, t.get(LOOP)
    queue = tf.queue.FIFOQueue(20, tf.int32, shapes=[[]])

    def body(i):
        queue.enqueue(i)
        return i + 1

    made = t.call(
        traced(t, lambda: tf.nest.flatten(loop(lambda i: i < 10, body, [tf.constant(0)]))[0])
    )
    got = [int(queue.dequeue()) for _ in range(10)]
    t.expect(int(made) == 10 and got == list(range(10)), "in order, got %s" % got)
    free = tf.TensorShape(None)
    square = lambda i, x: (i + 1, tf.numpy_function(t.np.square, [x], tf.float32))  # noqa: E731
    run = lambda: loop(lambda i, _: i < 4, square, [tf.constant(0), tf.constant(2.0)], [free, free])[1]  # noqa: E731 # fmt: skip
    t.expect(float(t.call(traced(t, run))) == 65536.0, "2 to the 16th")
    more = traced(t, lambda x: x + 1)
    made = t.call(traced(t, lambda: loop(lambda x: x < 5, more, [tf.constant(0)])))
    t.expect(int(tf.nest.flatten(made)[0]) == 5, "5, got %s" % (made,))


@case(LOOP, dtypes="f32 i32", core=False, reference=lambda np, x: [
      np.arange(1, 4) * x, 10 * x, 10, 55])  # fmt: skip
def while_loop_writes_to_variables(t, dtype):
    """Place by place; by what another is; until one of them is ten; one that takes the other in."""
    tf, loop, kind = t.fw, t.get(LOOP), t.dtype(dtype)
    rows = tf.Variable(tf.constant([3, 4, 5], kind))
    a, b, c, d = (tf.Variable(0, dtype=one) for one in (kind, tf.int32, tf.int32, tf.int32))

    def run(x):
        for held in (a, b, c, d):
            held.assign(tf.zeros([], held.dtype))

        def write(i):
            rows.scatter_nd_update(tf.reshape(i, [1, 1]), tf.reshape(x, [1]) * tf.cast(i + 1, kind))  # fmt: skip
            return [i + 1]

        def until(i):
            a.assign_add(x)
            b.assign_add(1)
            return [b.read_value()]

        def add(i):
            c.assign_add(1)
            d.assign_add(c)
            return [i + 1]

        loop(lambda i: i < 3, write, [tf.constant(0)])
        loop(lambda _: b < 10, until, [tf.constant(0)])
        loop(lambda i: i < 10, add, [tf.constant(0)])
        return [one.read_value() for one in (rows, a, b, d)]

    return t.call(run, t.randint((), dtype, 10, 90))


# --- what is known, and what is not for another graph


@case(LOOP, host_only=True, core=False, reference="none")
def while_loop_by_specs(t):
    """Shapes that hold in each round, as specs: of tensors, ragged rows, sparse ones whose rank grows; others than these are refused."""
    tf, loop = t.fw, t.get(LOOP)
    count, few = tf.TensorSpec([], tf.int32), lambda i, _: i < 3
    sparse = tf.SparseTensor([[0], [3]], [2.0, 4.0], [10])
    rows = tf.ragged.constant([[1, 2], [3], [4, 5, 6]])

    def wider(i, x):
        more = tf.cast(tf.fill([2, 1], i), tf.int64)
        return i + 1, tf.SparseTensor(tf.concat([x.indices, more], 1), x.values * 2.0, tf.concat([x.dense_shape, [10]], 0))  # fmt: skip

    def run():
        _, one = loop(few, lambda i, x: (i + 1, tf.stack([x, x])), [0, tf.constant([1])], [count, tf.TensorSpec(None, tf.int32)])  # fmt: skip
        _, two = loop(few, lambda i, x: (i + 1, tf.concat([x, x], 0)), [0, rows], [count, tf.RaggedTensorSpec([None, None], tf.int32)])  # fmt: skip
        _, three = loop(few, lambda i, x: (i + 1, tf.concat([x, x], 1)), [0, rows])
        _, four = loop(few, wider, [0, sparse], [tf.TensorShape([]), tf.TensorShape([None])])
        _, five = loop(few, wider, [0, sparse], [tf.TensorShape([]), tf.TensorShape(None)])
        twice = lambda i, x: (i + 1, tf.SparseTensor(x.indices, x.values * 2.0, x.dense_shape))  # noqa: E731 # fmt: skip
        _, six = loop(few, twice, [0, sparse], [count, tf.SparseTensorSpec([None])])
        t.expect(four.shape.rank is None and six.shape.rank == 1, "got %s, %s" % (four.shape, six.shape))  # fmt: skip
        return [one, two, three, four, five, six]

    one, two, three, four, five, six = t.call(traced(t, run))
    t.expect(one.shape == [2, 2, 2, 1], "three axes more, got %s" % one.shape)
    t.expect(two.to_list() == [[1, 2], [3], [4, 5, 6]] * 8, "eight times, got %s" % two)
    t.expect(three.to_list() == [[1, 2] * 8, [3] * 8, [4, 5, 6] * 8], "longer rows, got %s" % three)
    for made in (four, five):
        got = made.indices.numpy().tolist(), made.values.numpy().tolist(), made.dense_shape.numpy().tolist()  # fmt: skip
        t.expect(got == ([[0, 0, 1, 2], [3, 0, 1, 2]], [16, 32], [10] * 4), "got %s" % (got,))
    t.expect(six.values.numpy().tolist() == [16, 32], "eight times, got %s" % six)
    deep = tf.ragged.constant([[[1, 2], [3], [4, 5, 6]], [[], [8, 9, 10]]])
    longer = lambda i, x: (i + 1, tf.concat([x, x[..., i : i + 1]], axis=-1))  # noqa: E731
    made = t.call(traced(t, lambda: loop(few, longer, [0, deep])[1]))
    want = [[[1, 2, 1, 2, 1], [3, 3, 3, 3], [4, 5, 6, 4, 5, 6]], [[], [8, 9, 10, 8, 9, 10]]]
    t.expect(made.to_list() == want, "%s, got %s" % (want, made))
    kinds = TypeError, ValueError
    same = lambda i, x: (i + 1, x)  # noqa: E731
    spec = [count, tf.SparseTensorSpec([None])]
    for given in ([0, tf.constant([1])], [0, rows], [0.0, sparse]):
        t.raises(kinds, t.call, traced(t, lambda given=given: loop(few, same, given, spec)))
    wrong = ([0, tf.constant([1])], ["foo", "bar"]), ([0, sparse], [tf.TensorShape([]), tf.TensorShape([5, 5])])  # fmt: skip
    for given in wrong:
        t.raises(kinds, t.call, traced(t, lambda given=given: loop(few, same, *given)))
    t.raises(kinds, t.call, traced(t, lambda: loop(few, wider, [0, sparse])))
    t.raises(kinds, t.call, traced(t, lambda: loop(few, lambda i, x: (i + 1, tf.concat([x, x], 0)), [0, rows])))  # fmt: skip

    def shapes():
        for shape in (None, [None]):
            made = loop(lambda _: False, lambda _: tf.constant([1]), [tf.constant([1, 2])], [tf.TensorShape(shape)])  # fmt: skip
            got = tf.nest.flatten(made)[0].shape
            t.expect(got.rank is None if shape is None else got.as_list() == shape, "got %s" % got)

    t.call(traced(t, shapes))


@case(ONES, host_only=True, core=False, reference="none")
@case(UNIFORM, host_only=True, core=False, reference="none")
@case(NORMAL, host_only=True, core=False, reference="none")
def known_within_a_round(t, function):
    """In a graph: of sizes put together from a constant outside, all are known in the round."""
    tf, seen = t.fw, []
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        outside = tf.constant([3, 4])

        def body(i, u):
            made = t.call(function, tf.concat([[5], outside], 0))
            seen.append(made.shape)
            return i + 1, made

        made = tf.while_loop(lambda i, _: i < 3, body, [0, tf.zeros([5, 3, 4])])[1]
        t.expect(seen and all(one == [5, 3, 4] for one in seen), "known, got %s" % seen)
        t.expect(session.run(made).shape == (5, 3, 4), "of that shape")


@case(LOOP, host_only=True, core=False, reference="none")
@case(COND, host_only=True, core=False, reference="none")
def names_and_places_within(t, function):
    """Scopes of names and devices around it hold in it; a device and a scope of its own too; its name is counted."""
    tf, f, seen = t.fw, t.get(function), []

    def note(x, scope):
        with tf.name_scope(scope):
            seen.append(tf.identity(x, name="z").name)
        with tf.device("CPU:11"):
            seen.append((tf.identity(x).device, tf.cos(x).device))
        seen.append(tf.cos(x).device)
        return x

    def run(x):
        with tf.name_scope("foo"), tf.device("CPU:10"):
            for _ in range(2):
                if function == LOOP:
                    f(lambda x: note(x, "cond") < 0, lambda x: note(x, "body"), [x])
                else:
                    f(x > 0, lambda: note(x, "then"), lambda: note(x, "else"))

    t.call(traced(t, run).get_concrete_function, tf.constant(1.0))
    kinds, name = ("cond", "body") if function == LOOP else ("then", "else"), "while" if function == LOOP else "cond"  # fmt: skip
    for kind in kinds:
        for count in ("", "_1"):
            want = "foo/%s%s/%s/z:0" % (name, count, kind)
            t.expect(want in seen, "%s, got %s" % (want, seen))
    places = [one for one in seen if not isinstance(one, str)]
    t.expect(all("CPU:11" in one for pair in places for one in pair), "got %s" % places)
    plain = [one for one in seen if isinstance(one, str) and not one.endswith(":0")]
    t.expect(plain and all("CPU:10" in one for one in plain), "got %s" % plain)


@case(LOOP, host_only=True, core=False, reference="none")
@case(COND, host_only=True, core=False, reference="none")
def what_is_within_stays_within(t, function):
    """A tensor of a round or a branch is none of another, nor of what is outside."""
    tf, f, kept = t.fw, t.get(function), {}
    kinds = ValueError, TypeError

    def within():
        if function == LOOP:

            def body(i):
                kept["x"] = tf.identity(i)
                return i + 1

            return tf.nest.flatten(f(lambda i: i < 3, body, [tf.constant(0)]))[0]

        def branch():
            kept["x"] = tf.identity(tf.constant(1))
            return kept["x"]

        return f(tf.constant(True), branch, lambda: tf.constant(0))

    def outside():
        within()
        return kept["x"] + 1

    def in_another():
        within()
        return f(lambda i: i < 3, lambda i: i + kept["x"], [tf.constant(0)]) if function == LOOP else f(
            tf.constant(True), lambda: tf.constant(0), lambda: kept["x"] + 1)  # fmt: skip

    def in_the_other():
        inputs = {"c": tf.constant(1.0)}

        def first():
            inputs["c"] = tf.identity(inputs["c"])
            return inputs["c"]

        return tf.cond(tf.constant(True), first, lambda: tf.identity(inputs["c"]))

    for wrong in (outside, in_another, in_the_other):
        t.raises(kinds, t.call, traced(t, wrong))
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        made = t.call(within)
        t.expect(session.run(made) == (3 if function == LOOP else 1), "as a whole it runs")
        t.raises((*kinds, KeyError), session.run, kept["x"])


# --- branches


@case(COND, host_only=True, core=False, reference="none")
def cond_of_variables_themselves(t):
    """A variable is the truth, and another after; variables are what the branches give, and have a slope of their shape, or of none."""
    tf, pick = t.fw, t.get(COND)
    truth, one, two = tf.Variable(True), tf.Variable([1.0, 2.0]), tf.Variable([3.0, 4.0])

    def turned():
        truth.assign(False)
        return tf.constant(1.0)

    run = traced(t, lambda: pick(truth, turned, lambda: tf.constant(2.0)))
    got = [float(t.call(run)) for _ in range(2)]
    t.expect(got == [1.0, 2.0], "first one branch, then the other, got %s" % got)

    def by_both(flag):
        with tf.GradientTape() as tape:
            made = pick(flag, lambda: one, lambda: two)
        return made, tape.gradient(made, [one, two])

    for flag in (True, False):
        made, (first, second) = t.call(traced(t, by_both), tf.constant(flag))
        got = made.numpy().tolist(), first.numpy().tolist(), second.numpy().tolist()
        want = ([1, 2], [1, 1], [0, 0]) if flag else ([3, 4], [0, 0], [1, 1])
        t.expect(got == want, "%s, got %s" % (want, got))

    def whole(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            made = pick(x > 2, lambda: x + 1, lambda: x - 1)
        return made, tape.gradient(made, x)

    made, slope = t.call(traced(t, whole), tf.constant(10))
    t.expect(int(made) == 11 and slope is None, "no slope of whole numbers, got %s" % slope)
    pair = traced(t, lambda: (tf.constant("foo"), tf.constant(True)))
    made = t.call(traced(t, lambda: pick(pair()[1], lambda: 1.0, lambda: 2.0)))
    t.expect(float(made) == 1.0, "by the second of a function's results")

    def shapes(flag):
        x = tf.SparseTensor([[0], [3]], [2.0, 4.0], [10])
        number = pick(flag, lambda: x.values[0] ** 2, lambda: x.values[0] - 1.0)
        few = pick(flag, lambda: tf.SparseTensor(x.indices + 1, x.values + 1, [10]), lambda: x)
        places = [tf.constant([0]), tf.constant([0], tf.int64)]
        part = pick(flag, *(lambda i=i: tf.IndexedSlices(tf.constant([7 + i.dtype.size]), i) for i in places))  # fmt: skip
        t.expect(number.shape == [] and few.values.shape == [2], "got %s, %s" % (number, few))
        return few, part

    for flag in (True, False):
        few, part = t.call(traced(t, shapes), tf.constant(flag))
        got = few.indices.numpy().tolist(), few.values.numpy().tolist(), part.indices.dtype.name, part.values.numpy().tolist()  # fmt: skip
        want = ([[1], [4]], [3, 5], "int64", [11]) if flag else ([[0], [3]], [2, 4], "int64", [15])
        t.expect(got == want, "%s, got %s" % (want, got))


@case(COND, dtypes="f32 f64", core=False, reference=lambda np, held, x, y, *_: [
      leaf for flag in (1, 0) for leaf in (
          held[[1, 2]] * flag, x[[2]] * y, np.full(3, y) if flag else x[2],
          np.array([[0], [1], [1], [0]]) * flag * np.ones((4, 2)), np.array([[0], [0], [1]]) * (y + 1 - flag) * np.ones((3, 3)), x[2].sum() + 3 * flag)])  # fmt: skip
def cond_of_rows_of_several(t, dtype):
    """Rows of a variable, of a tensor in both branches, a number: each has its slope."""
    tf, pick = t.fw, t.get(COND)
    held = tf.Variable(t.randint((4, 2), dtype, 1, 9))

    def both(x, y, sign):
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            rows = lambda: tf.gather(x, [2]) * y  # noqa: E731
            first = lambda: (held.sparse_read([1, 2]), rows(), y * tf.ones([3], x.dtype))  # noqa: E731
            made = pick(sign > 0, first, lambda: (tf.zeros([2, 2], x.dtype), rows(), x[2]))
        return [*made, *map(tf.convert_to_tensor, tape.gradient(made, [held, x, y]))]

    x, y = t.randint((3, 3), dtype, 1, 9), t.randint((), dtype, 1, 9)
    run = traced(t, both)
    return [leaf for sign in (1, -1) for leaf in t.call(run, x, y, t.const(sign, "i32"))]


@case(COND, host_only=True, core=False, reference="none")
def cond_in_a_session(t):
    """A constant truth may be fed; what was exported goes on with its slopes; collections are read and written in a branch."""
    tf, v1 = t.fw, t.fw.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        value = tf.constant(37.0)
        for truth in (tf.constant(True), v1.placeholder_with_default(tf.constant(True), [])):
            made = tf.identity(t.call(COND, truth, lambda: tf.constant(0.0), lambda: value))
            got = [session.run(made, {truth: flag}) for flag in (False, True)] + [session.run(made)]
            t.expect(got == [37, 0, 0], "37, 0 and 0, got %s" % got)
        v1.add_to_collection("x", tf.constant(2))
        v1.add_to_collection("y", 5)

        def branch():
            v1.add_to_collection("z", 7)
            return v1.get_collection("x")[0] + v1.get_collection("y")[0]

        made = t.call(COND, tf.constant(True), branch, branch)
        t.expect(session.run(made) == 7, "their sum")
        t.expect(set(v1.get_collection("z")) == {7}, "written, got %s" % v1.get_collection("z"))
    with tf.Graph().as_default():
        truth, x = v1.placeholder(tf.bool, []), tf.constant(3.0)
        made = t.call(COND, truth, lambda: x**3, lambda: x)
        for name, one in (("truth", truth), ("base", x), ("made", made)):
            v1.add_to_collection(name, one)
        exported = v1.train.export_meta_graph()
    with tf.Graph().as_default(), v1.Session() as session:
        v1.train.import_meta_graph(exported)
        truth, x, made = (v1.get_collection(name)[0] for name in ("truth", "base", "made"))
        slope = v1.gradients(made, x)[0]
        twice = v1.gradients(slope, x)[0]
        got = [session.run([slope, twice], {truth: flag}) for flag in (True, False)]
        t.expect(got == [[27, 18], [1, 0]], "27 and 18, 1 and 0, got %s" % got)


@case(COND, dtypes="f32", core=False, reference=lambda np, held, *given: [
      np.broadcast_to(given[n].sum(0)[:, None], (2, 2)) for n in (0, 2)])  # fmt: skip
def cond_compiled_of_open_rows(t, dtype):
    """Compiled by XLA for any number of rows: the slope of the branch, which is a function, by a variable."""
    tf, pick, held = t.fw, t.get(COND), t.fw.Variable(t.randn((2, 2), dtype))

    @tf.function(jit_compile=True, autograph=False, input_signature=[tf.TensorSpec([None, 2], t.dtype(dtype)), tf.TensorSpec([], tf.int32)])  # fmt: skip
    def product(x, sign):
        first = traced(t, lambda: tf.einsum("ab,bc->ac", x, held))
        return pick(sign > 0, first, traced(t, lambda: x))

    def slope(x, sign):
        with tf.GradientTape() as tape:
            made = product(x, sign)
        return tape.gradient(made, held)

    return [t.call(slope, t.randn((n, 2), dtype), t.const(1, "i32")) for n in (2, 3)]
