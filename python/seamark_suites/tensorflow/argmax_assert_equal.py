"""More of argmax and assert_equal."""

from seamark_agent.harness import Skip

from seamark_suites.case import case

ARGMAX, EQUAL = "tf.argmax", "tf.assert_equal"


# --- argmax


@case(ARGMAX, dtypes="bool i16 u16 u32 u64", core=False, trivial=True,
      reference=lambda np, x: [x.argmax(1), x.argmax(0)])  # fmt: skip
def of_any_kind(t, dtype):
    x = t.const([[0, 1, 1], [1, 0, 1], [0, 0, 1]], dtype)
    return [t.call(ARGMAX, x, 1), t.call(ARGMAX, x, t.fw.constant(0, t.fw.int64))]


@case(ARGMAX, dtypes="f32 f64", core=False, reference=lambda np, x: x.argmax(1))
def of_infinities_and_the_least(t, dtype):
    inf = float("inf")
    return t.call(ARGMAX, t.const([[0, -inf, inf], [-inf, -1, -2], [1, inf, inf]], dtype), axis=1)


@case(ARGMAX, dtypes="i32 i64", core=False, reference=lambda np, x: x.argmax(1))
def of_the_least_integers(t, dtype):
    least = -(2 ** (31 if dtype == "i32" else 63))
    return t.call(ARGMAX, t.const([[least, least + 1], [least + 1, least], [0, -1]], dtype), 1)


@case(ARGMAX, dtypes="f32", core=False, reference=lambda np, x: x.argmax(1))
def it_has_no_gradient(t, dtype):
    x = t.distinct((9, 4), dtype)
    with t.fw.GradientTape() as tape:
        tape.watch(x)
        place = t.call(ARGMAX, x, axis=1)
        chosen = t.fw.cast(place, t.dtype(dtype))
    t.expect(tape.gradient(chosen, x) is None, "none")
    return place


# --- assert_equal


@case(EQUAL, dtypes="f16 f64 i32 u8 c64", core=False, reference=lambda np, x: x)
def equal_of_other_kinds_goes_on(t, dtype):
    tf = t.fw

    def checked(x):
        tf.assert_equal(x, tf.identity(x))
        return tf.identity(x)

    return t.call(checked, t.randn((4, 5), dtype))


@case(EQUAL, dtypes="f32", core=False, reference="none")
def differs_within_a_function(t, dtype):
    """In a traced function it raises when it runs, though nothing takes its result."""
    if t.compiled:
        raise Skip("a compiled program leaves assertions out")
    tf = t.fw

    @tf.function(autograph=False)
    def step(x, y):
        t.get(EQUAL)(x, y, message="not so", summarize=1)
        return x

    x = t.const([1.0, 2.0, 3.0], dtype)
    t.call(step, x, x)
    error = t.raises(tf.errors.InvalidArgumentError, t.call, step, x, x + 1)
    t.expect("not so" in str(error), "the message, got %s" % error)


@case(EQUAL, dtypes="f32", core=False, reference="none")
def differs_while_it_is_traced(t, dtype):
    """What is known while a function is traced raises then; dtypes that differ are refused."""
    if t.compiled:
        raise Skip("a compiled program leaves assertions out")
    tf = t.fw

    @tf.function(autograph=False)
    def known():
        t.get(EQUAL)(tf.constant([1, 2]), tf.constant([1, 3]), message="not so")
        return tf.zeros(())

    error = t.raises(tf.errors.InvalidArgumentError, known.get_concrete_function)
    t.expect("not so" in str(error), "the message, got %s" % error)
    t.refuses(EQUAL, t.const([1.0], dtype), t.const([1], "i64"))


@case(EQUAL, host_only=True, core=False, reference="none")
def equal_in_other_places(t):
    """In a session what waits for it stops; ragged rows; a number against none; no more values are told than was asked for."""
    tf = t.fw
    with tf.Graph().as_default():
        fed = tf.compat.v1.placeholder(tf.float32, [None])
        held = t.call(EQUAL, fed, [1.0, 2.0], message="not so")
        with tf.control_dependencies([held]):
            made = fed * 2.0
        with tf.compat.v1.Session() as session:
            got = session.run(made, {fed: [1.0, 2.0]}).tolist()
            t.expect(got == [2.0, 4.0], "goes on, got %s" % got)
            error = t.raises(tf.errors.InvalidArgumentError, session.run, made, {fed: [1.0, 3.0]})
            t.expect("not so" in str(error), "the message, got %s" % str(error)[:200])
    t.expect(t.call(EQUAL, tf.zeros([0]), 1.0) is None, "nothing differs")
    rows = tf.ragged.constant([[1], [2, 3]])
    t.expect(t.call(EQUAL, rows, rows) is None, "ragged rows are equal to themselves")
    error = t.raises(
        tf.errors.InvalidArgumentError,
        t.call,
        EQUAL,
        tf.range(100, 110),
        tf.range(200, 210),
        summarize=2,
    )
    t.expect("101" in str(error) and "109" not in str(error), "two values, got %s" % error)
    error = t.raises(tf.errors.InvalidArgumentError, t.call, EQUAL, [1, 2, 3], [1, 5, 3])
    t.expect("[[1]]" in str(error), "the place, got %s" % error)


@case(EQUAL, host_only=True, core=False, reference="none")
def equal_of_mixed_kinds_is_refused(t):
    """A whole number and a fraction, truth and a number, sizes that do not meet."""
    tf = t.fw
    for pair in (
        (1, 1.0),
        (True, 1),
        (tf.constant(1), tf.constant(1, tf.int64)),
        ([1, 2], [1, 2, 3]),
    ):
        t.refuses(EQUAL, *pair)


@case(EQUAL, host_only=True, core=False, reference="none")
def equal_tells_what_differs(t):
    """Where, which values, and the first of all; three by default, as many as asked for, all; beside one row."""
    x, y, error = [[1, 2], [3, 4], [5, 6]], [[1, 0], [3, 4], [0, 0]], t.fw.errors.InvalidArgumentError  # fmt: skip
    for asked, lines in (
        ({}, ["first 3", "[[0 1]", "[2 0]", "[2 1]]", "[2 5 6]", "[0 0 0]", "First 3", "[1 2 3]", "First 3", "[1 0 3]"]),
        ({"summarize": 2}, ["first 2", "[[0 1]", "[2 0]]", "[2 5]", "[0 0]", "First 2", "[1 2]", "First 2", "[1 0]"]),
        ({"summarize": -1}, ["first 3", "[2 1]]", "[2 5 6]", "[0 0 0]", "First 6", "[1 2 3 4 5 6]", "First 6", "[1 0 3 4 0 0]"]),
    ):  # fmt: skip
        told = str(t.raises(error, t.call, EQUAL, x, y, message="fail", **asked))
        at = [told.find("fail"), told.find("Condition x == y did not hold.")]
        for line in lines:
            at.append(told.find(line, at[-1] + 1))
        t.expect(-1 not in at and at == sorted(at), "%s in order, got %s" % (lines, told))
    told = str(t.raises(error, t.call, EQUAL, [[1, 2], [1, 3]], [1, 2], summarize=4))
    t.expect("[1 2 1 3]" in told and "[1 2]" in told, "beside one row, got %s" % told)
    held = t.fw.Variable([1.0, 2.0])
    t.expect(t.call(EQUAL, held, [1.0, 2.0]) is None, "a variable, and nothing comes back")
    held.assign_add([0.0, 1.0])
    t.raises(error, t.call, EQUAL, held, [1.0, 2.0])


@case(EQUAL, host_only=True, core=False, reference="none")
def equal_in_a_graph(t):
    """What is known differs while it is built, with the names; sizes that are known, and that are fed; an operation comes back."""
    tf, error, fed = t.fw, t.fw.errors.InvalidArgumentError, t.fw.compat.v1.placeholder
    with tf.Graph().as_default():
        small, big = tf.constant([1, 2], name="small"), tf.constant([3, 4], name="big")
        for x, y in ((small, big), (big, small)):
            told = str(t.raises(error, t.call, EQUAL, x, y, message="fail"))
            at = [told.find(part) for part in ("fail", x.op.name, y.op.name)]
            t.expect(-1 not in at and at == sorted(at), "both names, got %s" % told)
        t.raises(ValueError, t.call, EQUAL, tf.constant([1, 1, 1]), tf.constant([1, 1]))
        same, none = t.call(EQUAL, small, small), t.call(EQUAL, tf.constant([]), tf.constant([]))
        t.expect(isinstance(same, tf.Operation) and isinstance(none, tf.Operation), "operations")
        x, y = fed(tf.int32, [None]), fed(tf.int32, [None])
        late = t.call(EQUAL, x, y, message="late", name="check")
        with tf.control_dependencies([same, none, late]):
            made = x + 0
        with tf.compat.v1.Session() as session:
            got = session.run(made, {x: [1, 2], y: [1, 2]}).tolist()
            t.expect(got == [1, 2], "goes on, got %s" % got)
            session.run(made, {x: [7, 7, 7], y: [7]})
            told = str(t.raises(error, session.run, made, {x: [1, 2], y: [1, 5]}))
            t.expect("late" in told, "the message, got %s" % told[:300])
            t.raises(error, session.run, made, {x: [1, 2], y: [1, 2, 3]})
