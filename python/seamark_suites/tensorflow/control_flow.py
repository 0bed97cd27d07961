"""Branches, loops and the order of operations: tf.cond, tf.while_loop, tf.control_dependencies."""

from seamark_agent.harness import Skip

from seamark_suites.case import case

from . import reference_control_flow as right

# -- tf.cond --------------------------------------------------------------------------------------


def _cond(t, x, y, sign):
    choose = t.get("tf.cond")
    return choose(sign > 0, lambda: x * y + x, lambda: x - y)


@case(
    "tf.cond",
    dtypes="f32 bf16 i64 f16 f64 i32 c64",
    core="f32 bf16 i64",
    sign=[2, -2],
    reference=right.product_or_difference,
)
def cond(t, dtype, sign):
    """Whole numbers, which every dtype holds exactly."""
    x, y = (t.randint((4, 6), dtype, low, low + 8) for low in (1, 9))

    def choose(x, y, sign):
        return _cond(t, x, y, sign)

    return t.call(choose, x, y, t.const(sign, "i32"))


@case(
    "tf.cond",
    dtypes="f32 bf16 f64",
    core="f32 bf16",
    sign=[2, -2],
    grad=True,
    reference=right.with_gradient(right.product_or_difference),
)
def cond_gradient(t, dtype, sign):
    """Only the branch that was taken has a gradient."""
    x, y = t.uniform((3, 4), dtype, 1, 2), t.uniform((3, 4), dtype, 3, 4)

    def choose(x, y, sign):
        return _cond(t, x, y, sign)

    return t.call(choose, x, y, t.const(sign, "i32"))


@case("tf.cond", dtypes="f32", core=False, reference=right.chosen_structure)
def cond_structure(t, dtype):
    """Both branches give the same structure: a dictionary of a tensor and a pair."""
    x, y = t.randn((3,), dtype), t.randn((2, 2), dtype)

    def choose(x, y, sign):
        return t.get("tf.cond")(
            sign > 0,
            lambda: {"a": x, "b": (y, x + x)},
            lambda: {"a": -x, "b": (y * y, x * 3.0)},
        )

    return t.call(choose, x, y, t.const(-1, "i32"))


@case("tf.cond", dtypes="f32", core=False, reference=right.nested)
def cond_nested(t, dtype):
    x = t.distinct((5,), dtype)

    def choose(x, a, b):
        pick = t.get("tf.cond")
        return pick(
            a > 0,
            lambda: pick(b > 0, lambda: x + 1.0, lambda: x * 2.0),
            lambda: -x,
        )

    a, b = t.const(1, "i32"), t.const(-1, "i32")
    return t.call(choose, x, a, b)


@case("tf.cond", dtypes="f32 i32", core="f32", reference="none")
def cond_state(t, dtype):
    """A variable changes in the branch that is taken, and not in the other."""
    held, kept = t.fw.Variable(t.const([2, 3], dtype)), t.fw.Variable(t.const([5, 7], dtype))

    def update(x, sign):
        return t.get("tf.cond")(sign > 0, lambda: held.assign_add(x), lambda: kept.assign_sub(x))

    got = t.call(update, t.const([10, 20], dtype), t.const(1, "i32"))
    t.expect(t.host(got).tolist() == [12, 23], "the new value, got %s" % t.host(got))
    t.expect(t.host(held).tolist() == [12, 23], "the variable changed, got %s" % t.host(held))
    t.expect(t.host(kept).tolist() == [5, 7], "the other kept, got %s" % t.host(kept))


@case("tf.cond", dtypes="f32", core=False, reference=right.shapes_by_branch)
def cond_shapes_differ(t, dtype):
    """The branches may give other shapes."""
    x, y = t.randn((2, 3), dtype), t.randn((5,), dtype)

    def choose(x, y, sign):
        return t.get("tf.cond")(sign > 0, lambda: x, lambda: y * 2.0)

    return [t.call(choose, x, y, t.const(sign, "i32")) for sign in (1, -1)]


@case("tf.cond", core=False, reference="none", host_only=True, value=[True, False])
def cond_in_graph(t, value):
    """In a graph of TensorFlow 1 the branch is picked when it runs."""
    with t.fw.Graph().as_default():
        x = t.fw.compat.v1.placeholder(t.fw.float32, [2])

        flag = t.fw.compat.v1.placeholder(t.fw.bool, [])
        made = t.get("tf.cond")(flag, lambda: t.fw.sqrt(x), lambda: t.fw.exp(x))
        with t.fw.compat.v1.Session() as session:
            got = t.call(session.run, made, {x: [4.0, 9.0], flag: value})
    want = t.np.sqrt([4.0, 9.0]) if value else t.np.exp([4.0, 9.0])
    t.expect(abs(got - want).max() < 1e-3 * want.max(), "the branch of %s, got %s" % (value, got))


@case("tf.cond", core=False, reference="none", host_only=True)
def cond_bad_branches(t):
    name, x = "tf.cond", t.const([1.0, 2.0], "f32")
    t.raises(TypeError, t.call, name, t.fw.constant(True), x, lambda: x)
    t.raises(TypeError, t.call, name, t.fw.constant(True), lambda: x, None)

    @t.fw.function
    def other_dtype(flag):
        return t.fw.cond(flag, lambda: x, lambda: t.fw.cast(x, t.fw.int32))

    t.raises((TypeError, ValueError), t.call, other_dtype, t.fw.constant(True))


@case("tf.cond", core=False, reference="none")
def cond_of_other_kinds(t):
    """Sparse, ragged and no results."""
    tf, pick = t.fw, t.get("tf.cond")

    def composites(x, flag):
        sparse = tf.SparseTensor([[0], [2]], x, [4])
        ragged = tf.RaggedTensor.from_row_lengths(x, [2, 0])
        other = tf.sparse.map_values(tf.negative, sparse)
        made = pick(flag, lambda: (sparse, ragged, None), lambda: (other, -ragged, None))
        return tf.sparse.to_dense(made[0]), made[1].flat_values, made[1].row_splits, made[2] is None

    traced = tf.function(composites, autograph=False)
    for flag, sign in ((True, 1), (False, -1)):
        made = t.call(traced, t.const([3.0, 5.0], "f32"), tf.constant(flag))
        got = [t.host(one).tolist() for one in made]
        want = [[3.0 * sign, 0.0, 5.0 * sign, 0.0], [3.0 * sign, 5.0 * sign], [0, 2, 2], True]
        t.expect(got == want, "%s, got %s" % (want, got))


@case("tf.cond", dtypes="f32 f64", core=False, reference=lambda np, x, *_: [3 * x * x, 6 * x, np.cos(x), -np.sin(x)],
      rtol={"f32": 1e-5})  # fmt: skip
def cond_second_order(t, dtype):
    """The slope of the slope is that of the branch that was taken."""

    def slopes(x, sign):
        with t.fw.GradientTape() as outer:
            outer.watch(x)
            with t.fw.GradientTape() as inner:
                inner.watch(x)
                made = t.get("tf.cond")(sign > 0, lambda: x * x * x, lambda: t.fw.sin(x))
            first = inner.gradient(made, x)
        return first, outer.gradient(first, x)

    x = t.uniform((4,), dtype, 0.5, 1.2)
    return [one for sign in (1, -1) for one in t.call(slopes, x, t.const(sign, "i32"))]


@case("tf.cond", dtypes="f32", core=False, reference=lambda np, x: np.where(x > 0, 2 * x, x * x))
def cond_over_a_batch(t, dtype):
    """Of each example its own branch, by map_fn within a traced function."""
    pick, tf = t.get("tf.cond"), t.fw

    def run(x):
        return tf.map_fn(lambda one: pick(one > 0, lambda: 2 * one, lambda: one * one), x)

    return t.call(tf.function(run, autograph=False), t.distinct((9,), dtype))


@case("tf.cond", dtypes="f32", large=True, reference=right.product_or_difference)
def cond_large(t, dtype):
    x, y = t.randn((2048, 2048), dtype), t.randn((2048, 2048), dtype)

    def choose(x, y, sign):
        return _cond(t, x, y, sign)

    return t.call(choose, x, y, t.const(2, "i32"))


# -- tf.while_loop --------------------------------------------------------------------------------


def _powers(t, count, options):
    """The loop x <- x * y + x, `count` times; returns the function of x and y."""
    loop = t.get("tf.while_loop")

    def run(x, y):
        _, found = loop(
            lambda i, x: i < count,
            lambda i, x: (i + 1, x * y + x),
            (t.fw.constant(0), x),
            **options,
        )
        return found

    return run


@case(
    "tf.while_loop",
    dtypes="f32 bf16 i64 f64 i32 c64",
    core="f32 bf16 i64",
    reference=right.looped,
)
def while_loop(t, dtype):
    """Whole numbers, which every dtype holds exactly."""
    x, y = t.randint((3, 5), dtype, 1, 5), t.randint((3, 5), dtype, 1, 3)
    return t.call(_powers(t, 3, {}), x, y)


@case(
    "tf.while_loop",
    dtypes="f32 bf16 f64",
    core="f32 bf16",
    grad=True,
    rtol={"bf16": 4e-2},  # six roundings on the way, and as many back
    reference=right.with_gradient(right.looped),
)
def while_loop_gradient(t, dtype):
    """XLA needs a bound on the number of steps for the gradient."""
    x, y = t.uniform((3, 4), dtype, 1, 2), t.uniform((3, 4), dtype, 0.25, 0.75)
    return t.call(_powers(t, 3, {"maximum_iterations": 3}), x, y)


@case("tf.while_loop", dtypes="f32", reference=right.counted)
def while_loop_until(t, dtype):
    """The values decide when it ends: doubled until the sum is 1000. One call for each start."""
    loop = t.get("tf.while_loop")

    def run(x):
        return loop(
            lambda x, n: t.fw.reduce_sum(x) < 1000.0,
            lambda x, n: (x * 2.0, n + 1),
            (x, t.fw.constant(0)),
        )

    starts = [t.const(values, dtype) for values in ([1, 2, 4], [70, 80, 90], [900, 50, 51])]
    return [t.call(run, start) for start in starts]


@case("tf.while_loop", dtypes="f32 i32", core=False, most=[0, 2, 9], reference=right.at_most)
def while_loop_maximum_iterations(t, dtype, most):
    """The bound ends a loop whose condition would hold longer, and no other: five steps are asked for."""
    x = t.randint((4,), dtype, 1, 9)
    loop = t.get("tf.while_loop")

    def run(x):
        return loop(lambda x, i: i < 5, lambda x, i: (x + x, i + 1), (x, t.fw.constant(0)),
                    maximum_iterations=most)  # fmt: skip

    return t.call(run, x)


@case("tf.while_loop", dtypes="f32", core=False, reference=right.grown)
def while_loop_shape_invariants(t, dtype):
    """A tensor that grows by a row each step."""
    first, row = t.randn((1, 3), dtype), t.randn((1, 3), dtype)
    loop, shape = t.get("tf.while_loop"), t.fw.TensorShape

    def run(first, row):
        _, found = loop(
            lambda i, x: i < 4,
            lambda i, x: (i + 1, t.fw.concat([x, row * t.fw.cast(i, row.dtype)], 0)),
            (t.fw.constant(0), first),
            shape_invariants=(shape([]), shape([None, 3])),
        )
        return found

    return t.call(run, first, row)


@case("tf.while_loop", dtypes="f32", core=False, reference=right.rows_summed)
def while_loop_tensor_array(t, dtype):
    """A running sum, written and stacked."""
    x = t.distinct((5, 3), dtype)
    loop = t.get("tf.while_loop")

    def run(x):
        kept = t.fw.TensorArray(x.dtype, size=5, element_shape=[3])

        def body(i, total, kept):
            total = total + x[i]
            return i + 1, total, kept.write(i, total)

        start = (t.fw.constant(0), t.fw.zeros([3], x.dtype), kept)
        return loop(lambda i, *_: i < 5, body, start)[2].stack()

    return t.call(run, x)


@case("tf.while_loop", dtypes="f32", core=False, reference=right.structured)
def while_loop_structure(t, dtype):
    """Loop variables in a dictionary and a list."""
    x, y = t.randn((3,), dtype), t.randn((2,), dtype)
    loop = t.get("tf.while_loop")

    def run(x, y):
        def body(i, held):
            return i + 1, {"a": [held["a"][0] * 2.0], "b": held["b"] - 1.0}

        return loop(lambda i, _: i < 3, body, (t.fw.constant(0), {"a": [x], "b": y}))[1]

    return t.call(run, x, y)


@case("tf.while_loop", dtypes="f32", core=False, reference=right.nested_loops)
def while_loop_nested(t, dtype):
    x = t.uniform((4,), dtype, 1, 2)
    loop = t.get("tf.while_loop")

    def run(x):
        def inner(i, x):
            return loop(lambda j, x: j < i, lambda j, x: (j + 1, x + 1.0), (t.fw.constant(0), x))[1]

        start = (t.fw.constant(0), x)
        return loop(lambda i, _: i < 4, lambda i, x: (i + 1, inner(i, x) * 2.0), start)[1]

    return t.call(run, x)


@case(
    "tf.while_loop",
    dtypes="f32",
    core=False,
    grad=True,
    reference=right.with_gradient(right.looped_matmul),
)
def while_loop_recurrent(t, dtype):
    """A recurrent step: the matrix is captured, and its gradient adds up over the steps."""
    h, w = t.uniform((2, 4), dtype, 0.2, 0.8), t.uniform((4, 4), dtype, 0.1, 0.4)
    loop = t.get("tf.while_loop")

    def run(h, w):
        start = (t.fw.constant(0), h)
        return loop(lambda i, _: i < 3, lambda i, h: (i + 1, t.fw.tanh(t.fw.matmul(h, w))), start,
                    maximum_iterations=3, parallel_iterations=1, swap_memory=True)[1]  # fmt: skip

    return t.call(run, h, w)


@case("tf.while_loop", core=False, reference="none", host_only=True)
def while_loop_refused(t):
    name, x = "tf.while_loop", t.const([1.0, 2.0], "f32")
    t.raises(TypeError, t.call, name, True, lambda x: [x], [x])
    t.raises(TypeError, t.call, name, lambda x: False, None, [x])
    t.raises(ValueError, t.call, name, lambda: False, lambda: [], [])

    def grown(x):
        return t.fw.while_loop(lambda x: t.fw.size(x) < 9, lambda x: [t.fw.concat([x, x], 0)], [x])

    def doubled(x):
        return t.fw.while_loop(lambda x: t.fw.size(x) < 9, lambda x: [x, x], [x])

    for wrong in (grown, doubled):
        t.raises((ValueError, TypeError), t.call, t.fw.function(wrong), x)


@case("tf.while_loop", dtypes="f32", large=True, reference=right.halved)
def while_loop_large(t, dtype):
    x, y = t.randn((1024, 2048), dtype), t.randn((1024, 2048), dtype)
    loop = t.get("tf.while_loop")

    def run(x, y):
        start = (t.fw.constant(0), x)
        return loop(lambda i, _: i < 8, lambda i, x: (i + 1, (x + y) * 0.5), start)[1]

    return t.call(run, x, y)


# -- tf.control_dependencies ----------------------------------------------------------------------


@case(
    "tf.control_dependencies",
    dtypes="f32 bf16 i64 f64 i32",
    core="f32 bf16 i64",
    reference=lambda np, held, x: (held, held + x, 2 * (held + x)),
)
def control_dependencies(t, dtype):
    """The read sees the update that it waits for, and the update waits for the read before it."""
    held = t.fw.Variable(t.randint((3, 4), dtype, -9, 10))
    after = t.get("tf.control_dependencies")

    def step(x):
        first = held.read_value()
        with after([first]):
            grown = held.assign_add(x)
        with after([grown]):
            return first, held.read_value(), held.read_value() * 2

    return t.call(step, t.randint((3, 4), dtype, -9, 10))


@case(
    "tf.control_dependencies",
    dtypes="f32 bf16",
    grad=True,
    reference=right.with_gradient(lambda np, x, y: x * y),
)
def control_dependencies_gradient(t, dtype):
    """The gradient is that of the operation alone: what it waits for has no part in it."""
    after = t.get("tf.control_dependencies")

    def step(x, y):
        other = t.fw.exp(x)
        with after([other, t.fw.sqrt(y)]):
            return x * y

    return t.call(step, t.uniform((3, 4), dtype, 1, 2), t.uniform((3, 4), dtype, 1, 2))


@case("tf.control_dependencies", dtypes="f32 i32", core="f32", reference=right.session_counted)
def control_dependencies_in_session(t, dtype):
    """Each run makes the update that nobody fetched, as the fetched tensor waits for it."""
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    v1, start, step = t.fw.compat.v1, t.randint((3,), dtype, 1, 9), t.randint((3,), dtype, 1, 9)
    with t.fw.Graph().as_default(), t.fw.device(t.device):
        first = t.fw.constant(t.host(start), t.dtype(dtype))
        held = v1.get_variable("held", initializer=first, use_resource=True)
        fed = v1.placeholder(t.dtype(dtype), [3])
        grow = v1.assign_add(held, fed)
        with t.get("tf.control_dependencies")([grow]):
            seen = t.fw.identity(fed)
        with v1.Session() as session:
            session.run(held.initializer)
            session.run(seen, {fed: t.host(step)})
            got = t.call(session.run, seen, {fed: t.host(step)})
            return got, session.run(held)


@case("tf.control_dependencies", core=False, reference="none", host_only=True)
def control_dependencies_edges(t):
    """In a graph: operations and tensors, nested ones add up, None lifts them, and a block leaves no trace."""
    with t.fw.Graph().as_default():
        one, two = t.fw.constant(1.0), t.fw.no_op(name="two")
        inputs = {}

        def build():
            after = t.get("tf.control_dependencies")
            with after([one]):
                inputs["outer"] = t.fw.no_op().control_inputs
                with after([two]):
                    inputs["inner"] = t.fw.no_op().control_inputs
                with after(None):
                    inputs["none"] = t.fw.no_op().control_inputs
            inputs["behind"] = t.fw.no_op().control_inputs
            with after([]):
                inputs["empty"] = t.fw.no_op().control_inputs
            return len(inputs)

        t.expect(t.call(build) == 5, "five operations")
    got = {key: sorted(op.name for op in ops) for key, ops in inputs.items()}
    want = {"outer": ["Const"], "inner": ["Const", "two"], "none": [], "behind": [], "empty": []}
    t.expect(got == want, "%s, got %s" % (want, got))


@case("tf.control_dependencies", core=False, reference="none", host_only=True)
def control_dependencies_refused(t):
    """In a graph only operations and tensors of that graph; eagerly a function is called."""
    with t.fw.Graph().as_default():
        stranger = t.fw.constant(1.0)
    with t.fw.Graph().as_default():
        t.raises((TypeError, ValueError), t.call, "tf.control_dependencies", [object()])
        t.raises((TypeError, ValueError), t.call, "tf.control_dependencies", [stranger])


@case("tf.control_dependencies", core=False, reference="none", host_only=True)
def control_dependencies_in_function(t):
    """In a tf.function an assertion that is waited for stops what waits."""
    held = t.fw.Variable(1.0)

    @t.fw.function
    def step(x):
        with t.fw.control_dependencies([t.fw.debugging.assert_positive(x)]):
            return held.assign_add(x)

    got = t.call(step, t.const(2.0, "f32"))
    t.expect(float(t.host(got)) == 3.0, "3, got %s" % t.host(got))
    t.raises(t.fw.errors.InvalidArgumentError, t.call, step, t.const(-5.0, "f32"))
    t.expect(float(t.host(held)) == 3.0, "the variable as it was, got %s" % t.host(held))
