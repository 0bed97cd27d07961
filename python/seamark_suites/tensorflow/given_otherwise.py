"""Parts of variables that are assigned; constants of kinds, messages, sizes and sequences of one's own; totals of handles."""

from seamark_suites.case import case

ASSIGN, CONSTANT = "tf.compat.v1.assign", "tf.compat.v1.constant"

# --- parts of a variable


def _parts(np):
    """By their names: an index, and what can be put there."""
    s, many = slice, lambda *shape: np.arange(100.0, 100 + np.prod(shape)).reshape(shape)
    return {
        "all": (s(None), many(4, 5)),
        "a block": ((s(1, 2), s(1, 2)), many(1, 1)),
        "of a column": ((s(1, 2), 1), many(1)),
        "of a row": ((1, s(1, 2)), many(1)),
        "a number": ((1, 1), many()),
        "a new axis": ((s(None), None, s(None)), many(4, 1, 5)),
        "two new axes": ((None, None, 0, s(0, 1)), many(1, 1, 1)),
        "backwards": ((s(None, None, 1), s(None, None, -2)), many(4, 3)),
        "all backwards": ((s(None, None, -1), s(None, None, -1)), many(4, 5)),
        "steps": ((s(0, 4, 3), s(1, None, 2)), many(2, 2)),
        "dots": ((..., 2), many(4)),
        "beyond, a number": ((s(8, 10), 0), many(0)),
        "beyond": ((s(8, 10), s(8, 10)), many(0, 0)),
        "a row again and again": ((s(1, 3), s(1, 4)), many(3)),
        "one number again and again": ((s(1, 3), s(1, 4)), many()),
    }


@case(ASSIGN, core=False, host_only=True, reference="none")
def assign_to_parts(t):
    """What an index takes of a variable can be assigned to: of version 1, of resources, and of today without a graph."""
    tf, np, v1 = t.fw, t.np, t.fw.compat.v1
    start = np.arange(20.0).reshape(4, 5)

    def put(index, value):
        want = start.copy()
        want[index] = value
        return want

    for name, (index, value) in _parts(np).items():
        for kind in (tf.float64, tf.int32):
            x = tf.Variable(start.astype(kind.as_numpy_dtype))
            t.call(ASSIGN, x[index], value.astype(kind.as_numpy_dtype))
            same = (x.numpy() == put(index, value)).all()
            t.expect(same, "%s, got %s" % (name, x.numpy()))
    for resource in (False, True):
        with tf.Graph().as_default(), v1.Session() as session:
            x = v1.get_variable("x", initializer=tf.constant(start), use_resource=resource)
            for name, (index, value) in _parts(np).items():
                session.run(x.initializer)
                session.run(t.call(ASSIGN, x[index], value))
                got = session.run(x)
                t.expect((got == put(index, value)).all(), "%s, got %s" % (name, got))
            one = v1.get_variable("one", initializer=1.0, use_resource=resource)
            session.run(one.initializer)
            for at, (index, value) in enumerate((((), 2.0), (..., 3.0), (None, [4.0]))):
                session.run(t.call(ASSIGN, one[index], value))
                t.expect(session.run(one) == at + 2, "%d, got %s" % (at + 2, session.run(one)))


@case(ASSIGN, core=False, host_only=True, reference="none")
def assign_to_parts_of_kinds(t):
    """Of every kind; another kind, a shape that does not fit and a part of a constant are refused, as is a part of what
    has no value yet."""
    tf, np, v1 = t.fw, t.np, t.fw.compat.v1
    kinds = "int32 int64 int16 int8 uint8 uint16 float16 float32 float64 complex64 complex128 bool bfloat16"
    want = np.array([[2, 1, 2, 1], [0, 1, 0, 1]])
    for resource in (False, True):
        more = " float8_e5m2 float8_e4m3fn" if resource else ""
        with tf.Graph().as_default(), v1.Session() as session:
            for name in (kinds + more).split():
                kind = tf.as_dtype(name)
                rows = tf.cast(tf.constant([[0.0, 1, 0, 1]] * 2), kind)
                x = v1.get_variable(name, initializer=rows, use_resource=resource)
                session.run(x.initializer)
                session.run(t.call(ASSIGN, x[:1, ::2], tf.cast([[2.0, 2]], kind)))
                got = session.run(x).astype(complex)
                right = want.astype(bool) if name == "bool" else want
                t.expect((got == right).all(), "%s, got %s" % (name, got))
            x = v1.get_variable("x", initializer=tf.zeros([4, 5]), use_resource=resource)
            wrong = (tf.errors.FailedPreconditionError, tf.errors.NotFoundError)
            t.raises(wrong, session.run, t.call(ASSIGN, x[1, 1], 2.0))
            session.run(x.initializer)
            t.raises((TypeError, ValueError), t.call, ASSIGN, x[1, 1], tf.constant(3))
            wrong = (tf.errors.InvalidArgumentError, ValueError)
            t.raises(wrong, lambda x: session.run(t.call(ASSIGN, x[1:3, 1:4], np.ones((2, 2)))), x)
    t.raises((AttributeError, TypeError, ValueError), t.call, ASSIGN, tf.zeros([3])[1:2], 9.0)
    t.raises((TypeError, ValueError), t.call, ASSIGN, tf.Variable([1.0, 2])[0], tf.constant(3))


# --- constants


@case(CONSTANT, core=False, host_only=True, reference="none")
def constant_v1_of_short_kinds(t):
    """Arrays of two bytes, of one and of four bits, also without a number; with a kind and without one."""
    tf, np = t.fw, t.np
    for name in ("bfloat16", "float16", "int4", "uint4", "float8_e5m2", "float8_e4m3fn"):
        kind = tf.as_dtype(name)
        for shape in ((), (5,), (2, 3), (2, 0, 5)):
            values = (np.arange(np.prod(shape)).reshape(shape) % 7).astype(kind.as_numpy_dtype)
            for named in ({}, {"dtype": kind}):
                made = t.call(CONSTANT, values, **named)
                same = made.dtype == kind and made.shape == shape
                same = same and (made.numpy().astype(float) == values.astype(float)).all()
                t.expect(same, "%s of %s, got %s" % (name, shape, made))
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            made = t.call(CONSTANT, values[:, :, :0])
            same = made.dtype == kind and session.run(made).shape == (2, 0, 0)
            t.expect(same, "%s in a graph, got %s" % (name, made))


@case(CONSTANT, core=False, host_only=True, reference="none")
def constant_v1_of_great_numbers(t):
    """Whole numbers beside real ones become real, those beyond 64 bits are none; what f64 lacks is rounded; one value
    fills a shape; a text is no kind."""
    tf, np = t.fw, t.np
    graph = tf.Graph()

    def both(*given, **named):
        """What it gives now, and in a graph."""
        made = [t.call(CONSTANT, *given, **named).numpy()]
        with graph.as_default(), tf.compat.v1.Session() as session:
            made.append(session.run(t.call(CONSTANT, *given, **named)))
        return made

    f32 = [1, 2**42, 0.5]
    tries = [
        ((f32,), {}, np.float32(f32)),
        ((f32, tf.float64), {}, np.float64(f32)),
        ((2**54 + 1, tf.float64), {}, np.float64(2**54)),
        ((-(2**54) - 1, tf.float64), {}, -np.float64(2**54)),
        ((2**62,), {"dtype": tf.int64}, np.int64(2**62)),
        (([7],), {"shape": [10]}, np.full(10, 7, np.int32)),
        ((7.5,), {"shape": [2, 3]}, np.full((2, 3), 7.5, np.float32)),
    ]
    for given, named, want in tries:
        for got in both(*given, **named):
            same = got.dtype == want.dtype and got.shape == want.shape and (got == want).all()
            t.expect(same, "%s, got %r" % (want, got))
    for given in ((10**310, tf.float64), ([2**72],), (tf.string, "[,]"), ("a", tf.int32)):
        refused = (ValueError, TypeError, OverflowError)
        t.raises(refused, t.call, CONSTANT, *given)
        with graph.as_default():
            t.raises(refused, t.call, CONSTANT, *given)


class _NoLength(list):
    """A list that is shorter than nothing."""

    def __len__(self):
        return -1


class _ByIterating:
    """A sequence that cannot be asked for a place."""

    def __getitem__(self, key):
        raise KeyError(key)

    def __len__(self):
        return 3

    def __iter__(self):
        return iter([3, 1, 2])


@case(CONSTANT, core=False, host_only=True, reference="none")
def constant_v1_of_sizes_and_sequences(t):
    """Sizes that are known, alone and as dimensions in lists; sequences of one's own. Unknown sizes and lists of a wrong
    length are refused, however deep they lie."""
    tf, v1 = t.fw, t.fw.compat.v1
    size, shape = v1.Dimension, tf.TensorShape
    found = [
        (shape([1, 2, 3, 4]), {}, [1, 2, 3, 4], tf.int32),
        (shape([4]), {"dtype": tf.int64}, [4], tf.int64),
        (shape([4]), {"dtype": tf.float32}, [4], tf.float32),
        ([size(37), 2], {}, [37, 2], tf.int32),
        ((size(3), size(2)), {}, [3, 2], tf.int32),
        ([[size(3)], [size(5)]], {"dtype": tf.int64}, [[3], [5]], tf.int64),
        (size(3), {}, 3, tf.int32),
        (_ByIterating(), {}, [3, 1, 2], tf.int32),
    ]
    for given, named, want, kind in found:
        made = t.call(CONSTANT, given, **named)
        same = made.numpy().tolist() == want and made.dtype == kind
        t.expect(same, "%s, got %s" % (want, made))
    wrong = [_NoLength([1, 2]), [1, 2, _NoLength([3])], [_NoLength([1])], (1, _NoLength([3])), [[1, _NoLength([3])]]]  # fmt: skip
    wrong += [shape([1, None]), shape(None)]
    for given in wrong:
        t.raises((ValueError, TypeError), t.call, CONSTANT, given)
    with tf.Graph().as_default():
        for given in wrong:
            t.raises((ValueError, TypeError), t.call, CONSTANT, given)


# --- handles of numbers, as messages


def _handle(tf, number):
    """A message that holds one whole number as a value of its own kind."""
    from tensorflow.core.framework import tensor_pb2

    message = tensor_pb2.TensorProto(dtype=tf.variant.as_datatype_enum)
    message.tensor_shape.SetInParent()
    held = message.variant_val.add()
    held.type_name, held.metadata = "int", number.to_bytes(4, "little", signed=True)
    return message


@case(CONSTANT, core=False, host_only=True, reference="none")
def constant_v1_of_a_message(t):
    """A message of numbers, of texts or of a handle is a constant; the handle's message stays in the graph as it was."""
    tf = t.fw
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        for number in (3, -7):
            message = _handle(tf, number)
            made = t.call(CONSTANT, message)
            same = made.dtype == tf.variant and made.op.get_attr("value") == message
            t.expect(same and made.shape == [], "the message, got %s" % made)
            got = session.run([made.op, tf.strings.as_string(made)])[1]
            t.expect(str(number).encode() in got, "%d, got %s" % (number, got))
        for values in ([[1.5, 2], [3, 4]], [b"one", b"two"], [[True], [False]]):
            message = tf.make_tensor_proto(values)
            made = t.call(CONSTANT, message)
            t.expect(made.op.get_attr("value") == message, "the message, got %s" % made)
            got = session.run(made).tolist()
            t.expect(got == values, "%s, got %s" % (values, got))


@case("tf.add_n", core=False, host_only=True, reference="none")
def add_n_of_handles(t):
    """Handles of whole numbers have a sum, of one to twenty-eight of them."""
    tf = t.fw
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        for count in (1, 2, 3, 8, 9, 16, 28):
            numbers = [7 * i % 11 - 4 for i in range(count)]
            made = t.call("tf.add_n", [tf.compat.v1.constant(_handle(tf, n)) for n in numbers])  # fmt: skip
            got = session.run(tf.strings.as_string(made)).decode()
            want = "value: %d>" % sum(numbers)
            t.expect(made.dtype == tf.variant and want in got, "%s, got %s" % (want, got))


@case("tf.zeros_like", core=False, host_only=True, reference="none")
def zeros_like_of_a_handle(t):
    """Of a whole number's handle that of 0."""
    tf = t.fw
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        made = t.call("tf.zeros_like", tf.compat.v1.constant(_handle(tf, 5)))
        got = session.run(tf.strings.as_string(made)).decode()
        t.expect(made.dtype == tf.variant and made.shape == [], "a handle, got %s" % made)
        t.expect("value: 0>" in got, "value: 0, got %s" % got)


# --- texts, ragged rows and variables that pass


@case("tf.expand_dims", core=False, host_only=True, reference="none")
@case("tf.compat.v1.expand_dims", core=False, host_only=True, reference="none")
@case("tf.squeeze", core=False, host_only=True, reference="none")
@case("tf.compat.v1.squeeze", core=False, host_only=True, reference="none")
def of_a_plain_text(t, function):
    """A text of Python gets an axis; without any it stays alone; rows of texts lose theirs."""
    more = function.endswith("expand_dims")
    tries = [
        ("hello", [0], [b"hello"]),
        ("hello", -1, [b"hello"]),
        (["a", "b"], 1, [[b"a"], [b"b"]]),
    ]
    if not more:
        tries = [("hello", (), b"hello"), ([["a"], ["b"]], 1, [b"a", b"b"]), ([["a"]], (), b"a")]
    for given, axis, want in tries:
        made = t.call(function, given, axis)
        got = made.numpy()
        got = got.tolist() if hasattr(got, "tolist") else got
        t.expect(got == want, "%s, got %s" % (want, got))


@case("tf.stop_gradient", core=False, host_only=True, reference="none")
def stopped_rows_and_variables(t):
    """Ragged rows have no slope behind it and stay ragged; of a variable it is a tensor, now and in a function."""
    tf = t.fw
    x = tf.ragged.constant([[1.0, 2.0], [], [3.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        stopped = t.call("tf.stop_gradient", x)
        kept = tf.identity(x)
    none, slope = tape.gradient(stopped, x), tape.gradient(kept, x)
    t.expect(isinstance(stopped, tf.RaggedTensor) and none is None, "no slope, got %s" % none)
    t.expect(stopped.to_list() == [[1, 2], [], [3]], "the rows, got %s" % stopped)
    t.expect(slope.to_list() == [[1, 1], [], [1]], "ones beside it, got %s" % slope)
    held, seen = tf.Variable([1.0, 2.0]), []

    @tf.function
    def run():
        with tf.GradientTape() as tape:
            made = t.call("tf.stop_gradient", held)
            total = tf.reduce_sum(made * held)
        seen.append(tf.is_tensor(made) and not isinstance(made, tf.Variable))
        return tape.gradient(total, held)

    t.expect(run().numpy().tolist() == [1, 2] and all(seen), "a tensor, of which no slope comes")
    made = t.call("tf.stop_gradient", held)
    t.expect(tf.is_tensor(made) and not isinstance(made, tf.Variable), "a tensor, got %s" % made)


@case("tf.control_dependencies", core=False, host_only=True, reference="none")
def constant_behind_what_is_fed(t):
    """A constant that waits for what is fed is there once that is; without it nothing runs."""
    tf, v1 = t.fw, t.fw.compat.v1
    with tf.Graph().as_default() as graph, v1.Session() as session:
        fed = v1.placeholder(tf.int32, [])
        with t.call("tf.control_dependencies", [fed]):
            five = tf.constant(5)
            six = v1.constant([[6]])
        for one in (five, six):
            t.expect([x.name for x in one.op.control_inputs] == [fed.op.name], "it waits for one")
        made = tf.multiply(fed, five)
        got = session.run([made, six], {fed: 2})
        t.expect(got[0] == 10 and got[1].tolist() == [[6]], "10 and 6, got %s" % (got,))
        t.raises(tf.errors.InvalidArgumentError, session.run, five)
        t.expect(graph is made.graph, "one graph")
