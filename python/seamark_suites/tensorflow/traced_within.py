"""tf.function within itself, in graphs and in order: recursion, shapes that pass through, what it holds, when it is traced anew."""

from seamark_agent.harness import Skip

from seamark_suites.case import case

FUNCTION = "tf.function"
HOST = {"host_only": True, "core": False, "reference": "none"}


@case(FUNCTION, dtypes="f32", core=False, reference=lambda np, x: [120 * x, 120 + 0 * x, 120 * x, 240 * x, 240 + 0 * x, x, 2 * x])  # fmt: skip
def that_call_themselves(t, dtype):
    """By a number of Python: itself, through Python's own, two that call each other; the slopes through all."""
    tf, function = t.fw, t.get(FUNCTION)

    @function
    def own(n, x):
        return n * own(n - 1, x) if n > 0 else x

    def plain(n, x):
        return n * plain(n - 1, x) if n > 0 else x

    through = function(lambda n, x: plain(n, x), autograph=False)

    @function
    def one(n, x):
        return x if n <= 1 else n * two(n - 1, x)

    @function
    def two(n, x):
        return 2 * x if n <= 1 else n * one(n - 1, x)

    def all_of_them(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            made, other = own(5, x), two(5, x)
        return [made, tape.gradient(made, x), through(5, x), other, tape.gradient(other, x), one(1, x), two(1, x)]  # fmt: skip

    return t.call(all_of_them, t.distinct((3,), dtype))


@case(FUNCTION, **HOST)
def that_never_ends(t):
    """Recursion that nothing known while it is traced stops is refused."""
    tf = t.fw

    def step(n):
        return tf.cond(n > 0, lambda: own(n - 1), lambda: n)

    own = t.get(FUNCTION)(step, autograph=False)
    t.raises(RecursionError, t.call, own, tf.constant(5))


@case(FUNCTION, **HOST)
def shapes_that_pass_through(t):
    """Numbers given to a function within are known there: sizes that are stacked, unstacked, joined, divided; of what is reshaped."""
    tf, function = t.fw, t.get(FUNCTION)
    number, matrix = tf.TensorSpec((), tf.int32), tf.TensorSpec((None, None), tf.int32)
    forms = (
        (lambda x, s: tf.ones(tf.stack([tf.shape(x)[0], s]), tf.int32), (matrix, number)),
        (lambda x, s: tf.ones(tf.stack([tf.unstack(tf.shape(x))[0], s]), tf.int32), (matrix, number)),
        (lambda x, s: tf.ones(tf.concat([tf.shape(x)[:1], [s]], 0), tf.int32), (matrix, number)),
    )  # fmt: skip
    seen = []

    def outer(f, *args):
        made = f(*args)
        seen.append(made.shape.as_list())
        return made

    for form, signature in forms:
        inner = function(form, input_signature=list(signature), autograph=False)
        known = tf.TensorSpec((3, 6), tf.int32)
        run = function(lambda x, inner=inner: outer(inner, x, 5), input_signature=[known], autograph=False)  # fmt: skip
        t.expect(t.call(run, tf.zeros([3, 6], tf.int32)).shape == [3, 5], "3x5")
    joined = function(lambda a, b, c: tf.ones(tf.concat([[a], [b], [c]], -1)), input_signature=[number] * 3, autograph=False)  # fmt: skip
    for inner in (joined, function(joined)):
        t.expect(function(lambda inner=inner: outer(inner, 1, 2, 3))().shape == [1, 2, 3], "1x2x3")
    t.expect(seen == [[3, 5]] * 3 + [[1, 2, 3]] * 2, "known while they are traced, got %s" % seen)

    def symbolic(w, x, y):
        x = tf.transpose(x, [1, 0, 2])
        rows = tf.shape(x)[0]
        return tf.reshape(y * w, [tf.shape(y)[0] // rows, rows, -1])

    made = function(symbolic, autograph=False).get_concrete_function(*[tf.TensorSpec(None)] * 3)
    del seen[:]
    for sizes, want in (((2, 20), [5, 4, 2]), ((3, 40), [10, 4, 3])):
        run = function(lambda n=sizes[0], m=sizes[1]: outer(made, tf.ones([n]), tf.ones([5, 4, n]), tf.ones([m, n])))  # fmt: skip
        t.expect(run().shape == want and seen[-1] == want, "%s, got %s" % (want, seen))
    rows = function(lambda x: tf.reshape(x, [-1, 3]), input_signature=[tf.TensorSpec(None)], autograph=False)  # fmt: skip
    run = function(lambda: outer(rows, tf.zeros([10, 10, 3])))
    t.expect(run().shape == [100, 3] and seen[-1] == [100, 3], "a hundred rows, got %s" % seen[-1])
    for form in (lambda x: tf.zeros([tf.shape(x)[0]]), lambda x: tf.zeros([tf.identity(tf.shape(x)[0])])):  # fmt: skip
        made = function(form, autograph=False).get_concrete_function(tf.TensorSpec([10, None]))
        t.expect(made.output_shapes.as_list() == [10], "ten, got %s" % made.output_shapes)


@case(FUNCTION, **HOST)
def what_it_holds(t):
    """Variables that it reads, each once, those that are trained apart; seen through functions within; a tape's, too; those of a sparse argument's open sizes."""
    tf, function = t.fw, t.get(FUNCTION)
    still, trained, made = tf.Variable(1.0, trainable=False), tf.Variable(1.0), []

    @function(autograph=False)
    def f():
        if not made:
            made.append(tf.Variable(1.0))
        return still + trained + made[0] + trained + 1

    concrete = t.call(f.get_concrete_function)
    held = {id(one) for one in (still, trained, made[0])}
    t.expect({id(one) for one in concrete.variables} == held and len(concrete.variables) == 3, "three")  # fmt: skip
    t.expect({id(one) for one in concrete.trainable_variables} == held - {id(still)}, "two trained")
    t.expect(float(f()) == 5.0, "5")
    inner = function(lambda: trained**2, autograph=False)
    middle = function(lambda: inner(), autograph=False)
    outer = function(lambda: middle(), autograph=False)
    for one in (inner, middle, outer):
        with tf.GradientTape() as tape:
            one()
        t.expect([id(v) for v in tape.watched_variables()] == [id(trained)], "one variable")
    sizes = []

    def look(rows, sparse):
        sizes.append((sparse.indices.shape.as_list()[0], sparse.values.shape.as_list(), rows.flat_values.shape.as_list()))  # fmt: skip
        return rows, sparse

    t.call(function(look, autograph=False), tf.ragged.constant([[1, 2], [3]]), tf.SparseTensor([[0]], [0], [10]))  # fmt: skip
    t.expect(sizes == [(None, [None], [None])], "open sizes, got %s" % sizes)


@case(FUNCTION, **HOST)
def traced_for_each_form(t):
    """Rows of two forms and rows of rows once each; relaxed by shape, not by name; iterators, shapes within, methods, variables of kinds."""
    tf, function = t.fw, t.get(FUNCTION)
    rows = tf.ragged.constant
    seen = []
    same = function(lambda x: (seen.append(1), x)[1], autograph=False)
    for i in range(5):
        for x in ([[1, 2], [i]], [[1, 2], [], [3, 4, 5]], [[[1, 2], [3]], [[4, 5, 6]]]):
            t.call(same, rows(x))
    t.expect(len(seen) == 3, "three, got %d" % len(seen))
    specs = []
    relaxed = function(lambda x: (specs.append(x.element_spec.shape.as_list()), 0)[1], reduce_retracing=True, autograph=False)  # fmt: skip
    for sizes in ([1, 2], [1, 2], [2, 2], [3, 2], [4, 2], [2, 1]):
        relaxed(iter(tf.data.Dataset.from_tensors(tf.zeros(sizes))))
    t.expect(specs == [[1, 2], [None, 2], [None, None]], "of iterators, got %s" % specs)
    shapes = []
    inner = function(lambda x: (shapes.append(x.shape.as_list()), x)[1], reduce_retracing=True, autograph=False)  # fmt: skip
    outer = function(lambda x: inner(tf.shape(x)), reduce_retracing=True, autograph=False)
    for rank in range(1, 6):
        t.expect(outer(tf.ones([1] * rank)).numpy().tolist() == [1] * rank, "of %d axes" % rank)
    t.expect(shapes[0] == [1] and shapes[-1] == [None], "of shapes, got %s" % shapes)

    class Held:
        @function(reduce_retracing=True, autograph=False)
        def more(self, x):
            shapes.append(x.shape.as_list())
            return x + x

    del shapes[:]
    one, other = Held(), Held()
    for n in (0, 1, 2):
        one.more(tf.ones([n]))
    t.expect(shapes == [[0], [None]], "of a method, got %s" % shapes)
    for x in (tf.constant(1), tf.constant("a")):
        other.more(x)
    got = one.more.experimental_get_tracing_count(), other.more.experimental_get_tracing_count()
    t.expect(got == (2, 2), "each object counts its own, got %s" % (got,))
    for relax in (True, False):
        plus = function(lambda a, b: a + b, reduce_retracing=relax, autograph=False)
        for value in (0.0, 1.0, 0, 1):
            plus(tf.Variable(value), tf.Variable(value))
        t.expect(plus.experimental_get_tracing_count() == 2, "of each kind once")
        shared = tf.Variable(2.0)
        t.expect(float(plus(shared, shared)) == 4.0, "one variable twice")
    kinds = function(lambda a, b: a + b, autograph=False)
    for value in ([0.0], [0.0, 1.0], [[0.0, 1.0]], [[1.0, 1.0]]):
        kinds(tf.Variable(value), tf.Variable(value))
    t.expect(kinds.experimental_get_tracing_count() == 3, "of each shape once")


@case(
    FUNCTION,
    dtypes="f32",
    core=False,
    reference=lambda np, x: [x + 3, 1 + 0 * x, x + 6, 1 + 0 * x, 2 * x],
)
def variables_through_functions(t, dtype):
    """Relaxed functions in each other that add to an argument's variable, with its slope; one that is given twice."""
    tf, function = t.fw, t.get(FUNCTION)
    x = t.distinct((4,), dtype)
    held = tf.Variable(0 * x)
    inner = function(lambda v: (v.assign_add([2.0] * 4), v.read_value())[1], reduce_retracing=True, autograph=False)  # fmt: skip
    outer = function(lambda v: (v.assign_add([1.0] * 4), inner(v))[1], reduce_retracing=True, autograph=False)  # fmt: skip
    plus = function(lambda a, b: a + b, autograph=False)

    def run(x):
        held.assign(x)
        found = []
        for _ in range(2):
            with tf.GradientTape() as tape:
                made = outer(held)
            found += [made, tape.gradient(made, held)]
        held.assign(x)
        return [*found, plus(held, held)]

    return t.call(run, x)


@case(FUNCTION, dtypes="f32 i32", core=False, reference=lambda np, x: [2 * x + 2, x + 1, x + 3, 2 * x, 1 + 0 * x])  # fmt: skip
def order_through_functions(t, dtype):
    """Functions within assign in the order of the text; what was read before stays; three in a row, asserted; two variables of one function."""
    tf, function = t.fw, t.get(FUNCTION)
    x = t.distinct((4,), dtype)
    one, two = (tf.Variable(0 * x) for _ in range(2))
    add_one = function(lambda v: v.assign_add(tf.ones_like(v)), autograph=False)
    more = function(lambda: one + 1, autograph=False)
    add = function(lambda by: two.assign_add(by), autograph=False)

    def run(x):
        one.assign(x)
        two.assign(x)
        add_one(one)
        add_one(two)
        total = one + two
        one.assign(x)
        before = more()
        one.assign_add(2 * tf.ones_like(x))
        late = more()
        two.assign(x)
        doubled = add(x)
        tf.debugging.assert_equal(two.read_value(), 2 * x)
        tf.debugging.assert_equal(add_one(two), 2 * x + 1)
        return [total, before, late, doubled, two - 2 * x]

    return t.call(function(run, autograph=False), x)


@case(FUNCTION, dtypes="f32", core=False, reference=lambda np, x: [x * x + 1, 2 * x, x + x, x])
def functions_in_a_session(t, dtype):
    """In a graph of TensorFlow 1: a function in another, one that reads a variable, one that gives what it captured."""
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    tf, function, v1 = t.fw, t.get(FUNCTION), t.fw.compat.v1
    values = t.host(t.distinct((3,), dtype))
    with tf.Graph().as_default(), tf.device(t.device):
        kind = t.dtype(dtype)
        fed = v1.placeholder(kind, [None])
        kept = tf.constant(values, kind)
        held = v1.get_variable("held", initializer=tf.constant(values, kind), use_resource=True)
        square = function(lambda x: x * x, autograph=False)
        outer = function(lambda x: square(x) + 1, autograph=False)
        made = [outer(fed), v1.gradients(square(fed), fed)[0], function(lambda: held * 2, autograph=False)(), function(lambda: kept)()]  # fmt: skip
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            return t.call(session.run, made, {fed: values})


@case(FUNCTION, **HOST)
def what_fails_is_forgotten(t):
    """After a wrong call the next is right; tensors of another trace, of a loop's list and of outside are refused; a weak reference is."""
    import weakref

    tf, function = t.fw, t.get(FUNCTION)

    @function
    def zero(i):
        tf.debugging.Assert(tf.equal(i, 0), ["no zero"])

    for value in (0, 1, 0):
        if value:
            t.raises(tf.errors.InvalidArgumentError, t.call, zero, tf.constant(value))
        else:
            t.call(zero, tf.constant(value))
    kept = []

    @function
    def listed(rows):
        for i in tf.range(3):
            kept.append(rows[i])
        return tf.stack(kept)

    t.raises((TypeError, ValueError), t.call, listed, tf.zeros([3, 2]))

    @function(autograph=False)
    def lifted():
        a = tf.constant(1.0)
        with tf.init_scope():
            return a + a

    t.raises(TypeError, t.call, lifted)
    held = tf.Module()
    t.raises(TypeError, t.call, function(lambda x: x), weakref.ref(held))
    t.expect(float(t.call(function(lambda x: x * 2.0), 2.0)) == 4.0, "4")


@case(FUNCTION, **HOST)
def implements_by_a_name(t):
    """experimental_implements: slopes of variables, specs of unknown shape; the name is kept with the function of the graph alone."""
    tf, v1 = t.fw, t.fw.compat.v1
    plus = t.call(FUNCTION, lambda x, y: x + y**2, experimental_implements="MyFunc")
    x, y = tf.Variable(3.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        made = plus(x, y)
    t.expect([float(one) for one in (made, *tape.gradient(made, [x, y]))] == [7.0, 1.0, 4.0], "7, 1 and 4")  # fmt: skip
    run = t.call(FUNCTION, lambda x, y: x - y, experimental_implements="func").get_concrete_function(*[tf.TensorSpec(None)] * 2)  # fmt: skip
    t.expect(float(run(1.0, 3.0)) == -2.0, "-2")
    with tf.Graph().as_default() as graph:
        a, b = v1.placeholder(tf.float32, ()), v1.placeholder(tf.float32, ())
        v1.gradients(t.call(FUNCTION, lambda x, y: x * y, experimental_implements="func")(a, b), [a, b])  # fmt: skip
        kept = {f.signature.name: f.attr["_implements"].s for f in graph.as_graph_def().library.function if "_implements" in f.attr}  # fmt: skip
    t.expect(len(kept) == 1 and set(kept.values()) == {b"func"}, "one of its name, got %s" % kept)
    t.expect(not any("forward" in name or "backward" in name for name in kept), "got %s" % kept)


@case(FUNCTION, **HOST)
def variables_first_assigned_apart(t):
    """What was assigned outside of the trace is not begun again, within a function in another, too; begun by its own initialization."""
    tf, function = t.fw, t.get(FUNCTION)
    held = []

    @function(autograph=False)
    def add(x):
        if not held:
            held.append(tf.Variable([1.0, 2.0]))
            already = tf.Variable(3.0)
            with tf.init_scope():
                already.assign(10.0)
            held.append(already)
        return held[0] + held[1] + x

    outer = function(lambda x: add(x), autograph=False)
    t.expect(t.call(outer, tf.constant(2.0)).numpy().tolist() == [13.0, 14.0], "13 and 14")
    held[1].assign(11.0)
    t.expect(t.call(outer, tf.constant(2.0)).numpy().tolist() == [14.0, 15.0], "14 and 15")
    made = []

    def begin(x):
        if not made:
            made.append(tf.Variable(2.0))
        return made[0] * x

    run = function(begin, autograph=False)
    start = run.get_initialization_function(tf.constant(1.0))
    t.expect(len(made) == 1, "made by its trace")
    start()
    t.expect(float(made[0]) == 2.0 and float(run(tf.constant(3.0))) == 6.0, "2, and 6")
    root = tf.Module()

    @function(autograph=False)
    def named():
        if not hasattr(root, "v"):
            root.v = tf.Variable(1.0, name="v")
            with tf.name_scope("scope"):
                root.z = tf.Variable(1.0, name="z")
        return root.v + root.z

    t.expect(
        float(named()) == 2.0 and root.v.name == "v:0" and root.z.name.endswith("z:0"), "named"
    )
