"""What a shape claims of itself and of others, as its own tests ask; what tapes keep of their sources."""

from seamark_agent.harness import Skip

from seamark_suites.case import case

SHAPE, TAPE, SCOPE = "tf.TensorShape", "tf.GradientTape", "tf.name_scope"


# --- shapes


@case(SHAPE, host_only=True, core=False, reference="none")
def shape_claims_that_hold(t):
    """What is claimed rightly of a whole shape, of one with an open size and of an unknown one raises nothing, and gives nothing."""
    make, one = t.get(SHAPE), t.fw.compat.v1.Dimension
    for sizes in ([3, 4, 7], [3, None, 7], [one(3), one(4), one(7)]):
        made = t.call(SHAPE, sizes)
        whole = made.is_fully_defined()
        claims = [made.assert_has_rank(3), made.assert_same_rank([6, 3, 7]), made.assert_is_compatible_with([3, 4, 7]),
                  made.assert_is_compatible_with([3, None, 7]), made.assert_is_compatible_with(None), made.assert_same_rank(None)]  # fmt: skip
        t.expect(claims == [None] * 6, "nothing of %s, got %s" % (made, claims))
        t.expect(whole == (None not in sizes), "%s: whole, or not" % made)
        if whole:
            t.expect(made.assert_is_fully_defined() is None, "whole")
        for wrong in (
            lambda made=made: made.assert_has_rank(4),
            lambda made=made: made.assert_same_rank([6, 3]),
            lambda made=made: made.assert_is_compatible_with([3, 4, 8]),
            lambda made=made: made.assert_is_compatible_with([3, 4]),
        ):
            t.raises(ValueError, wrong)
    unknown = make(None)
    claims = unknown.assert_has_rank(3), unknown.assert_same_rank([1]), unknown.assert_is_compatible_with([3, 4])  # fmt: skip
    t.expect(claims == (None, None, None), "of what is unknown all may hold, got %s" % (claims,))
    t.raises(ValueError, unknown.assert_is_fully_defined)


@case(SHAPE, host_only=True, core=False, reference="none")
def shape_of_so_many_axes(t):
    """with_rank of an unknown one gives open sizes; of a known one the same sizes, as the least and the most do."""
    make = t.get(SHAPE)
    unknown, partly = t.call(SHAPE, None), t.call(SHAPE, [2, None, 5])
    for axes in (0, 1, 2, 4):
        got = unknown.with_rank(axes)
        t.expect(got.as_list() == [None] * axes and got.rank == axes, "%d open, got %s" % (axes, got))  # fmt: skip
    for got in (partly.with_rank(3), partly.with_rank_at_least(3), partly.with_rank_at_least(0),
                partly.with_rank_at_most(3), partly.with_rank_at_most(9)):  # fmt: skip
        same = isinstance(got, make) and got.as_list() == [2, None, 5]
        t.expect(same, "the same sizes, got %s" % got)
    for got in (unknown.with_rank_at_least(2), unknown.with_rank_at_most(2)):
        t.expect(isinstance(got, make) and got.rank is None, "still unknown, got %s" % got)
    for wrong in (
        lambda: partly.with_rank(2),
        lambda: partly.with_rank_at_least(4),
        lambda: partly.with_rank_at_most(2),
    ):
        t.raises(ValueError, wrong)


@case(SHAPE, host_only=True, core=False, reference="none")
def shape_parts_of_the_unknown(t):
    """Parts from one place to another are open; steps are refused; the end, the last and each alone."""
    unknown, known = t.call(SHAPE, None), t.call(SHAPE, [0, 1, 2, 3, 4])
    t.raises(ValueError, lambda: unknown[::2])
    t.raises(ValueError, lambda: unknown[1:5:3])
    for got, want in ((unknown[1:4], [None] * 3), (unknown[:2], [None] * 2), (unknown[3:1], []), (known[1:4], [1, 2, 3]),
                      (known[::2], [0, 2, 4]), (known[::-1], [4, 3, 2, 1, 0]), (known[-2:], [3, 4])):  # fmt: skip
        t.expect(got.as_list() == want, "%s, got %s" % (want, got))
    for got in (unknown[:], unknown[2:], unknown[-2:]):
        t.expect(got.rank is None, "unknown, got %s" % got)
    t.expect((known[2], known[-1], unknown[2], unknown[-3]) == (2, 4, None, None), "each alone")
    t.expect(
        t.call(SHAPE, [1, 2, 3]).assert_is_compatible_with(known[1:4]) is None, "the part fits"
    )


@case(SHAPE, host_only=True, core=False, reference="none")
def shape_beneath_another(t):
    """A shape is a subtype of itself and of what leaves more open, of the same number of axes; what two have in common."""
    make = lambda sizes: t.call(SHAPE, sizes)  # noqa: E731
    for first, second in (([2], [2, 3]), ([2, 3], [2]), ([2, 3], [2, 4]), ([None, 3], [2, None]), ([], [1]), (None, [None]), (None, [])):  # fmt: skip
        t.expect(not make(first).is_subtype_of(make(second)), "%s not of %s" % (first, second))
    for first, second in (([2, 3], [2, 3]), ([2, 3], [None, None]), ([2, None], [None, None]), ([2, 3], None), (None, None), ([], []), ([], None),
                          ([1, 2, 3], [1, None, 3])):  # fmt: skip
        t.expect(make(first).is_subtype_of(make(second)), "%s of %s" % (first, second))
    for shapes, want in (([[2, 3]], [2, 3]), ([[2, 3], [2, 4]], [2, None]), ([[None, 3], [1, 3]], [None, 3]), ([[1], [1, 2]], None), ([[1], None], None),
                         ([None, None], None), ([[], []], []), ([[1, 2, 3], [1, 5, 3], [0, 2, 3]], [None, None, 3])):  # fmt: skip
        first, *others = (make(one) for one in shapes)
        got = first.most_specific_common_supertype(others)
        t.expect(got == make(want), "%s of %s, got %s" % (want, shapes, got))
    t.expect(make([1]).most_specific_common_supertype([t.fw.TensorSpec([1])]) is None, "none with what is no shape")  # fmt: skip
    t.expect(not make([1]).is_subtype_of(t.fw.TensorSpec([1])), "nor of it")


@case(SHAPE, host_only=True, core=False, reference="none")
def shape_beside_texts_and_messages(t):
    """No text is a shape; as text; a message of open sizes; what two know together, either way round; as a tensor."""
    make, tf = t.get(SHAPE), t.fw
    made, partly = t.call(SHAPE, [3, 4, 7]), t.call(SHAPE, [32, None, 1, 9])
    t.expect(made != "347" and (made == "a string") is False, "no text")
    for shape, want in ((None, "<unknown>"), ([None], "(None,)"), ([], "()"), ([7], "(7,)"), ([4, 5, 2], "(4, 5, 2)")):  # fmt: skip
        t.expect(str(make(shape)) == want, "%s, got %s" % (want, make(shape)))
    t.expect(str(partly) == "(32, None, 1, 9)", "got %s" % partly)
    message = tf.compat.v1.Dimension(37), make([None, 37, 42]).as_proto()
    again = t.call(SHAPE, message[1])
    t.expect(again.as_list() == [None, 37, 42] and again == [None, 37, 42], "got %s" % again)
    t.expect([one.size for one in message[1].dim] == [-1, 37, 42] and not message[1].unknown_rank, "its message")  # fmt: skip
    one, two = make([3, None, 7]), make([None, 4, 7])
    t.expect(one.merge_with(two).as_list() == two.merge_with(one).as_list() == [3, 4, 7], "merged")
    t.expect(made.merge_with(None).as_list() == [3, 4, 7], "with nothing known")
    t.expect(make(None).merge_with(None).rank is None, "nothing of both")
    t.raises(ValueError, made.merge_with, [6, 3, 7])
    t.raises(ValueError, iter, make(None))
    t.expect(tf.convert_to_tensor(make([1, 2])).numpy().tolist() == [1, 2], "as a tensor")
    t.raises(ValueError, tf.convert_to_tensor, make([1, None]))


# --- tapes


@case(
    TAPE,
    dtypes="f32 f64",
    core=False,
    rtol={"f32": 1e-5},
    reference=lambda np, a, b, c, x, w: _rows_taken(np, x, w),
)
def tape_of_rows_taken_thrice(t, dtype):
    """A product of rows that are taken at three places, some of them twice; taken, and added to the whole; weighted by it."""
    make, tf = t.get(TAPE), t.fw
    places = [t.const(one, "i64") for one in ([0, 1], [2, 3], [1, 3])]

    def slopes(x, w, *places):
        with make(persistent=True) as tape:
            tape.watch(x)
            one, two, three = (tf.nn.embedding_lookup(x, place) for place in places)
            product = one * two * three
            beside = one * tf.reduce_sum(2 * x)
        return [tf.convert_to_tensor(tape.gradient(made, x, w)) for made in (product, beside)]

    return t.call(slopes, t.uniform((4, 2), dtype, 0.5, 2), t.uniform((2, 2), dtype, 0.5, 2), *places)  # fmt: skip


def _rows_taken(np, x, w):
    one, two, three = x[[0, 1]], x[[2, 3]], x[[1, 3]]
    made = np.zeros_like(x)
    np.add.at(made, [0, 1], w * two * three)
    np.add.at(made, [2, 3], w * one * three)
    np.add.at(made, [1, 3], w * one * two)
    beside = np.zeros_like(x) + 2 * (w * one).sum()
    np.add.at(beside, [0, 1], w * 2 * x.sum())
    return [made, beside]


@case(TAPE, host_only=True, core=False, reference="none")
def tape_and_its_variables(t):
    """Python's own max takes one; recording stops and goes on; zeros of a variable; which are watched, before and after it is read."""
    tf = t.fw
    held = [tf.Variable(value) for value in (2.0, 3.0, 5.0)]
    with t.call(TAPE) as tape:
        greatest = max(held)
    found = tape.gradient(greatest, held)
    t.expect(found[:2] == [None, None] and float(found[2]) == 1, "of the third alone, got %s" % found)  # fmt: skip
    with t.call(TAPE, persistent=True) as tape:
        twice = held[0] * 2
        with tape.stop_recording():
            aside = twice * twice
        going = twice * twice
    t.expect(tape.gradient(aside, twice) is None, "none of what was not recorded")
    t.expect(float(tape.gradient(going, twice)) == 8 and float(tape.gradient(going, held[0])) == 16, "8 and 16")  # fmt: skip
    with t.call(TAPE) as tape:
        one = tf.Variable([3.0])
    t.expect(tape.gradient(one, held[0]) is None, "none of a variable by another")
    matrix = tf.Variable(tf.ones([2, 2]))
    with t.call(TAPE) as tape:
        tape.watch([matrix, held[1]])
        made = held[1] * 2
    zeros = tape.gradient(made, matrix, unconnected_gradients="zero")
    t.expect(zeros.numpy().tolist() == [[0.0, 0.0], [0.0, 0.0]], "zeros, got %s" % zeros)
    with t.call(TAPE, watch_accessed_variables=False) as tape:
        tape.watch(held[2])
        square, cube = held[1] ** 2, held[2] ** 3
    t.expect([one is held[2] for one in tape.watched_variables()] == [True], "the one told")
    found = tape.gradient([square, cube], held[1:])
    t.expect(found[0] is None and float(found[1]) == 75, "none and 75, got %s" % found)
    with t.call(TAPE) as first:
        t.expect(first.watched_variables() == (), "none yet")
        first.watch(held[0])
    with t.call(TAPE) as second:
        second.watch(held[1])
        t.expect([one is held[1] for one in second.watched_variables()] == [True], "one")
        second.reset()
        t.expect(second.watched_variables() == (), "none after a reset")
        second.watch(held[2])
        read = held[2].read_value()
    t.expect(float(second.gradient([held[2], read], held[2])) == 2, "1 and 1")
    for tape, own in ((first, held[0]), (second, held[2])):
        t.expect([one is own for one in tape.watched_variables()] == [True], "still its own alone")


@case(
    TAPE,
    dtypes="f32 f64",
    core=False,
    reference=lambda np, x, *_: [x**3, 3 * x * x, x * x + x, 2 * x + 1],
)
def tape_in_a_session(t, dtype):
    """In a graph of TensorFlow 1: of a placeholder of which nothing is known; where the tape is within the body of a loop."""
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    tf, make, kind = t.fw, t.get(TAPE), t.dtype(dtype)
    x = t.distinct((4,), dtype)
    with tf.Graph().as_default(), tf.device(t.device):
        fed = tf.compat.v1.placeholder(kind, None)
        with make() as tape:
            tape.watch(fed)
            cube = fed**3
        slope = tape.gradient(cube, fed)

        def body(i, made, slope):
            with make() as within:
                within.watch(fed)
                square = fed * fed + fed
            return i + 1, square, within.gradient(square, fed)

        open_shape = tf.TensorShape(None)
        looped = tf.while_loop(lambda i, *_: i < 2, body, (0, fed, fed), shape_invariants=(tf.TensorShape([]), open_shape, open_shape))  # fmt: skip
        with tf.compat.v1.Session() as session:
            return t.call(session.run, [cube, slope, *looped[1:]], {fed: t.host(x).astype(kind.as_numpy_dtype)})  # fmt: skip


@case(TAPE, dtypes="f32 f64", core=False, rtol={"f32": 1e-5}, reference=lambda np, x: [
      np.stack([np.diag(6 * row) for row in x]), np.einsum("ab,ac,bc->abc", 6 * x, np.ones((3, 2)), np.eye(2))])  # fmt: skip
def tape_jacobian_of_a_jacobian(t, dtype):
    """The second slopes of a sum of third powers, of each row by a batch, eagerly and within a program."""
    tf, make = t.fw, t.get(TAPE)

    def slopes(x):
        with make() as outer:
            outer.watch(x)
            with make() as inner:
                inner.watch(x)
                total = tf.reduce_sum(x**3)
            first = inner.jacobian(total, x)
        return outer.batch_jacobian(first, x)

    program = tf.function(slopes, autograph=False)
    return t.call(lambda x: [slopes(x), program(x)], t.uniform((3, 2), dtype, 1, 2))


@case(SCOPE, host_only=True, core=False, reference="none")
def name_scope_of_the_slopes(t):
    """The operations of a slope are named after the scope of what was differentiated, within gradient_tape."""
    tf, make = t.fw, t.get(SCOPE)

    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            with make("outer"), make("inner"):
                made = tf.cos(x) + tf.cos(2 * x)
        return tape.gradient(made, x)

    run = tf.function(slope, autograph=False).get_concrete_function(tf.constant(1.0))
    names = [one.name for one in run.graph.get_operations() if one.type == "Sin"]
    t.expect(len(names) == 2, "two sines, got %s" % names)
    t.expect(all(name.startswith("gradient_tape/outer/inner/") for name in names), "got %s" % names)
    made = t.call(run, tf.constant(0.5)).numpy()
    t.expect(abs(made + t.np.sin(0.5) + 2 * t.np.sin(1.0)) < 1e-6, "its number, got %s" % made)
