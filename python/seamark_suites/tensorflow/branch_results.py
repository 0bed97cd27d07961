"""What branches give: operations, rows of several lengths, optionals; their slopes once they ran, were saved, on two devices."""

from seamark_suites.case import case

COND = "tf.cond"
QUIET = {"host_only": True, "core": False, "reference": "none"}


@case(COND, **QUIET)
def cond_of_operations(t):
    """An operation gives True: of two that a branch gives a session runs the one it asks for, a program both. Branches are
    called once each, none when it runs."""
    tf, v1 = t.fw, t.fw.compat.v1
    assign, called = v1.assign, []

    def one(held):
        called.append(1)
        return [assign(held[0], 1).op, assign(held[1], 2).op]

    def other(held):
        called.append(2)
        return [assign(held[2], 3).op, tf.constant(10).op]

    def last(held, flag):
        return t.get(COND)(flag, lambda: one(held), lambda: other(held))[1]

    held = [tf.Variable(7) for _ in range(3)]
    program = tf.function(lambda flag: last(held, flag), autograph=False)
    got = bool(t.call(program, tf.constant(True))), [int(one) for one in held]
    t.expect(got == (True, [1, 2, 7]), "True, 1, 2 and 7, got %s" % (got,))
    t.call(program, tf.constant(False))
    t.expect([int(one) for one in held] == [1, 2, 3], "1, 2 and 3")
    t.expect(sorted(called) == [1, 2], "once each, got %s" % called)
    with tf.Graph().as_default(), v1.Session() as session:
        held = [tf.Variable(7) for _ in range(3)]
        made = last(held, tf.greater(tf.constant(3), 2))
        alive, count = tf.constant(True), tf.constant(0)
        for _ in range(10):
            alive, count = t.call(
                COND,
                alive,
                lambda count=count: [tf.less(count, 3), count + 1],
                lambda alive=alive, count=count: [alive, count],
            )
        session.run(v1.global_variables_initializer())
        got = session.run(made), session.run(held)
        t.expect(got == (True, [7, 2, 7]), "True, 7, 2 and 7, got %s" % (got,))
        t.expect(session.run(count) == 4, "four of ten, one behind the other")
        t.expect(sorted(called) == [1, 1, 2, 2], "none when it runs, got %s" % called)


@case(COND, **QUIET)
def cond_slopes_after_a_run(t):
    """Once a session ran it a slope that needs what is within is refused, unless all that is within was asked for before."""
    tf, v1 = t.fw, t.fw.compat.v1

    def fourth(x):
        square = x * x
        return square * square

    def outer(x):
        return tf.cond(tf.constant(True), lambda: fourth(x), lambda: x * x)

    def slope(branch):
        with tf.Graph().as_default(), v1.Session() as session:
            x = tf.constant(10.0)
            made = t.call(COND, tf.less(1, 2), lambda: branch(x), lambda: x * x)
            t.expect(session.run(made) == 10000.0, "the fourth power")
            return t.call(session.run, v1.gradients(made, [x])[0])

    t.raises(tf.errors.InvalidArgumentError, slope, fourth)
    v1.experimental.output_all_intermediates(True)
    try:
        got = [float(slope(branch)) for branch in (fourth, outer)]
    finally:
        v1.experimental.output_all_intermediates(None)
    t.expect(got == [4000.0, 4000.0], "4000 twice, got %s" % got)


@case(COND, **QUIET)
def cond_slopes_on_two_devices(t):
    """It is on one, its slope on the other, that slope's slope on the first again. What one branch does not use is zero."""
    tf, v1 = t.fw, t.fw.compat.v1
    with tf.Graph().as_default():
        flag, x, y = v1.placeholder(tf.bool, []), v1.placeholder(tf.float32), v1.placeholder(tf.float32)  # fmt: skip
        with tf.device("/cpu:0"):
            made = t.call(COND, flag, lambda: x * x * y * 2.0, lambda: 2.0)
        with tf.device("/cpu:1"):
            slope = v1.gradients(made, x)[0]
        with tf.device("/cpu:0"):
            twice = v1.gradients(slope, x)[0]
        two = v1.ConfigProto(device_count={"CPU": 2}, allow_soft_placement=True)
        with v1.Session(config=two) as session:
            for truth, want in ((True, [36.0, 24.0, 8.0]), (False, [2.0, 0.0, 0.0])):
                got = t.call(session.run, [made, slope, twice], {flag: truth, x: 3.0, y: 2.0})
                t.expect([float(one) for one in got] == want, "%s, got %s" % (want, got))


@case(COND, **QUIET)
def cond_of_uneven_kinds(t):
    """Ragged rows of another number in each branch; rows with their places beside a tensor are refused; optionals of two
    kinds beside a slope."""
    tf, pick = t.fw, t.get(COND)
    traced = lambda f: tf.function(f, autograph=False)  # noqa: E731
    rows = tf.ragged.constant([[1, 2], [3], [4, 5, 6]])
    ragged = traced(lambda flag: pick(flag, lambda: tf.concat([rows + 2, [[100]]], 0), lambda: rows[:2] - 2))  # fmt: skip
    for flag, want in ((True, [[3, 4], [5], [6, 7, 8], [100]]), (False, [[-1, 0], [1]])):
        got = t.call(ragged, tf.constant(flag)).to_list()
        t.expect(got == want, "%s, got %s" % (want, got))
    one, other = lambda: tf.IndexedSlices(tf.constant([10]), tf.constant([0])), lambda: tf.constant([11])  # fmt: skip
    for branches in ((one, other), (other, one)):
        t.raises((TypeError, ValueError), t.call, traced(lambda branches=branches: pick(tf.constant(True), *branches)))  # fmt: skip
    made = tf.raw_ops.OptionalFromValue

    @traced
    def slope(flag, x):
        first = lambda: (x**2, made(components=[tf.constant(1)]))  # noqa: E731
        y, _ = pick(flag, first, lambda: (x**3, made(components=[tf.constant(1.0)])))
        return tf.gradients(y, x)[0]

    got = [float(t.call(slope, tf.constant(flag), tf.constant(3.0))) for flag in (True, False)]
    t.expect(got == [6.0, 27.0], "6 and 27, got %s" % got)


@case(COND, **QUIET)
def cond_saved_and_loaded(t):
    """A program with functions in its branches is saved and loaded: either has the slopes by its variable, of one branch none."""
    tf, pick, folder = t.fw, t.get(COND), t.tmpdir()
    x, held = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), tf.Module()
    held.v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])

    def product(x, sign):
        one = tf.function(lambda: tf.einsum("ab,bc->ac", x, held.v), autograph=False)
        return pick(sign > 0, one, tf.function(lambda: tf.identity(x), autograph=False))

    specs = [tf.TensorSpec([None, 2]), tf.TensorSpec([])]
    held.call = tf.function(product, input_signature=specs, autograph=False)
    tf.saved_model.save(held, folder)
    for which in (held, tf.saved_model.load(folder)):
        for sign, values, slopes in ((1.0, [[7, 10], [15, 22], [23, 34]], [[9, 9], [12, 12]]),
                                     (-1.0, x.numpy().tolist(), [[0, 0], [0, 0]])):  # fmt: skip
            with tf.GradientTape() as tape:
                made = t.call(which.call, x, tf.constant(sign))
            slope = tape.gradient(made, which.v, unconnected_gradients="zero")
            got = made.numpy().tolist(), slope.numpy().tolist()
            t.expect(got == (values, slopes), "%s and %s, got %s" % (values, slopes, got))


@case(COND, **QUIET)
def cond_of_rows_within_a_loop(t):
    """Each round adds a row of a table, but the fourth squares: the row's slope counts what came before and after; of either
    kind of variable."""
    tf, v1 = t.fw, t.fw.compat.v1
    for resource in (False, True):
        with tf.Graph().as_default(), v1.Session() as session:
            start = tf.reshape(tf.range(1.0, 11.0), [5, 2])
            table = v1.get_variable("table", initializer=start, use_resource=resource)

            def body(i, total, table=table):
                row = tf.nn.embedding_lookup(table, [0])
                return i + 1, t.get(COND)(tf.equal(i, 3), lambda: tf.square(total), lambda: total + tf.reduce_sum(row))  # fmt: skip

            _, made = tf.while_loop(lambda i, _: i < 5, body, [tf.constant(0), tf.constant(0.0)])  # fmt: skip
            slope = tf.convert_to_tensor(v1.gradients(made, table)[0])
            session.run(v1.global_variables_initializer())
            total, got = t.call(session.run, [made, slope])
            want = [[55.0, 55.0]] + [[0.0, 0.0]] * 4
            t.expect(total == 84 and got.tolist() == want, "84 and %s, got %s, %s" % (want, total, got))  # fmt: skip


@case(COND, **QUIET)
def cond_leaves_out_what_nothing_needs(t):
    """Of three effects in a branch a session, and what wrap_function made, run the one that the result waits for; a traced
    function runs all. Within another branch, too."""
    tf, v1 = t.fw, t.fw.compat.v1

    def branch(held):
        held[0].assign_add(1)
        held[1].assign_add(1)
        with tf.control_dependencies([held[2].assign_add(1)]):
            return tf.constant(10)

    def one(held):
        return t.get(COND)(tf.constant(True), lambda: branch(held), lambda: tf.constant(0))

    def two(held):
        return t.get(COND)(tf.constant(True), lambda: one(held), lambda: tf.constant(0))

    for build in (one, two):
        with tf.Graph().as_default(), v1.Session() as session:
            held = [tf.Variable(0) for _ in range(3)]
            made = t.call(build, held)
            session.run(v1.global_variables_initializer())
            got = session.run(made), session.run(held)
            t.expect(got == (10, [0, 0, 1]), "the last of three, got %s" % (got,))
        for wrap, want in ((lambda f: v1.wrap_function(f, []), [0, 0, 1]), (lambda f: tf.function(f, autograph=False), [1, 1, 1])):  # fmt: skip
            held = [tf.Variable(0) for _ in range(3)]
            got = int(t.call(wrap(lambda build=build, held=held: build(held))))
            got = got, [int(one) for one in held]
            t.expect(got == (10, want), "%s, got %s" % (want, got))


@case(COND, **QUIET)
def cond_slopes_stay_rows(t):
    """Where a branch takes rows of a variable or of a tensor, the slope is rows with their places; of a whole one, a tensor."""
    tf, pick = t.fw, t.get(COND)
    held, x = tf.Variable(tf.ones([4, 2])), tf.ones([3, 3])

    def both(flag, y):
        first = lambda: (held.sparse_read([1, 2]), tf.gather(x, [2]) * y, y * tf.ones([3]))  # noqa: E731
        made = pick(flag, first, lambda: (tf.zeros([2, 2]), tf.gather(x, [2]) * y, tf.gather(x, 2)))
        return tf.gradients(made, [held.handle, x, y])

    program = tf.function(both, autograph=False)
    for flag in (True, False):
        rows, taken, number = t.call(program, tf.constant(flag), tf.constant(2.0))
        t.expect(all(isinstance(one, tf.IndexedSlices) for one in (rows, taken)), "rows, got %s, %s" % (rows, taken))  # fmt: skip
        t.expect(tf.is_tensor(number) and number.shape == [], "a number, got %s" % number)
        got = [tf.convert_to_tensor(one).numpy().tolist() for one in (rows, taken, number)]
        want = [[[0.0] * 2, [float(flag)] * 2, [float(flag)] * 2, [0.0] * 2], [[0.0] * 3] * 2 + [[2.0 if flag else 3.0] * 3], 6.0 if flag else 3.0]  # fmt: skip
        t.expect(got == want, "%s, got %s" % (want, got))
