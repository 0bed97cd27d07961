"""Blocks within others that wait for what is outside, names within scopes, specs in graphs, structures of tensors packed anew."""

import functools
import typing

from seamark_suites.case import case

AFTER, SCOPE, SPEC = "tf.control_dependencies", "tf.name_scope", "tf.TensorSpec"
PACK, SIZE = "tf.nest.pack_sequence_as", "tf.size"


@case(AFTER, host_only=True, core=False, reference="none")
def blocks_wait_for_what_is_outside(t):
    """In a graph a branch, taken or not, and a loop wait for an update outside that their blocks name; a slope does not
    run what only the loss waits for."""
    tf, v1 = t.fw, t.fw.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        held = v1.get_variable("held", initializer=1.0, use_resource=True)
        w = v1.get_variable("w", initializer=3.0, use_resource=True)
        session.run([held.initializer, w.initializer])
        grown = held.assign_add(1.0)

        def branch():
            with t.call(AFTER, [grown]):
                return tf.constant(5.0)

        def body(i):
            with t.call(AFTER, [grown]):
                return i + 1

        loss = w * w
        with t.call(AFTER, [grown]):
            loss = loss + tf.constant(1.0)
        slope = v1.gradients(loss, [w])[0]
        fed = v1.placeholder(tf.bool, [])
        chosen = tf.cond(fed, branch, lambda: tf.constant(7.0))
        looped = tf.while_loop(lambda i: i < 3, body, [0])
        found = []
        for asked, feed in ((chosen, {fed: True}), (chosen, {fed: False}), (looped, {}), (slope, {}), (loss, {})):  # fmt: skip
            made = session.run(asked, feed)
            found.append((float(t.np.ravel(made)[0]), float(session.run(held))))
    want = [(5.0, 2.0), (7.0, 3.0), (3.0, 4.0), (6.0, 4.0), (10.0, 5.0)]
    t.expect(found == want, "%s, got %s" % (want, found))


def _rounds(t):
    """What three loops give, and what the variables hold then."""
    tf, v1 = t.fw, t.fw.compat.v1
    truth = lambda made: lambda: tf.constant(made)  # noqa: E731
    with tf.Graph().as_default(), v1.Session() as session:
        zero = tf.constant(0)
        held = v1.get_variable("held", initializer=2.0, use_resource=True)
        last = v1.get_variable("last", initializer=1, use_resource=True)
        with t.call(AFTER, [tf.no_op()]):
            going = lambda i: v1.cond(i > 0, truth(True), truth(False))  # noqa: E731
            less = lambda i: v1.cond(i > 0, lambda: i - 1, lambda: i)  # noqa: E731
            looped = v1.while_loop(going, less, [tf.constant(5)])

        def squared():
            return held.assign(tf.square(held.read_value())).read_value()

        def body(i):
            made = v1.cond(tf.constant(True), squared, held.read_value)
            with t.call(AFTER, [made]):
                return i + 1

        def behind():
            told = lambda i: last.assign(i).read_value() + 1  # noqa: E731
            loop = v1.while_loop(lambda i: i < 100, told, [zero])
            with t.call(AFTER, [loop]):
                return tf.constant(6.0)

        rounds = v1.while_loop(lambda i: i < 4, body, [zero])
        chosen = v1.cond(tf.constant(False), truth(1.0), behind)
        session.run([held.initializer, last.initializer])
        made = [int(t.np.ravel(session.run(one))[0]) for one in (looped, rounds, chosen)]
        return (*made, float(session.run(held)), int(session.run(last)))


@case(AFTER, host_only=True, core=False, reference="none")
def blocks_around_and_behind_loops(t):
    """In a graph, as operations of version 1 and as today's: a loop with a choice within a block; each round waits for the
    update that a choice makes; what waits for a whole loop comes behind its last update, within a branch."""
    v1 = t.fw.compat.v1
    today, found = v1.control_flow_v2_enabled(), []
    try:
        for switched in (v1.enable_control_flow_v2, v1.disable_control_flow_v2):
            switched()
            found.append(_rounds(t))
    finally:
        (v1.enable_control_flow_v2 if today else v1.disable_control_flow_v2)()
    want = [(0, 4, 6, 65536.0, 99)] * 2
    t.expect(found == want, "%s, got %s" % (want, found))


@case(SCOPE, host_only=True, core=False, reference="none")
def name_scope_of_an_operation(t):
    """As documented: an operation that takes the scope as its name has the scope's, its inputs theirs within, a second one
    a number; variables of a traced function; eagerly a second scope has no number."""
    tf, made = t.fw, []

    def own(a, b):
        with t.call(SCOPE, "MyOp") as scope:
            a, b = (tf.convert_to_tensor(x, name=name) for x, name in ((a, "a"), (b, "b")))
            return tf.add(a, b, name=scope)

    run = tf.function(lambda: own(1.0, 2.0) * own(3.0, 4.0), autograph=False)
    names = [one.name for one in run.get_concrete_function().graph.get_operations()]
    want = ["MyOp/a", "MyOp/b", "MyOp", "MyOp_1/a", "MyOp_1/b", "MyOp_1"]
    t.expect(names[:6] == want and float(run()) == 21.0, "%s, got %s" % (want, names))

    def held():
        with t.call(SCOPE, "foo"), t.call(SCOPE, "in"):
            if not made:
                made.append(tf.Variable(2.0, name="bar"))
        return made[0] + 1.0

    traced = tf.function(held, autograph=False)
    t.expect(float(traced()) == 3.0 and made[0].name == "foo/in/bar:0", "got %s" % made[0].name)
    with tf.Graph().as_default():
        made.clear()
        tf.function(held, autograph=False)()
        t.expect(made[0].name == "foo/in/bar:0", "in a graph, got %s" % made[0].name)
    lifted = []

    def outside():
        with t.call(SCOPE, "inner"), tf.init_scope():
            if not lifted:
                lifted.append(tf.Variable(1.0, name="v"))
        return lifted[0] * 2.0

    t.expect(float(tf.function(outside, autograph=False)()) == 2.0, "2")
    t.expect(lifted[0].name == "inner/v:0", "lifted out of a trace, got %s" % lifted[0].name)
    twice = []
    for _ in range(2):
        with t.call(SCOPE, "same") as scope:
            twice.append((scope, tf.Variable(1.0, name="v").name))
    t.expect(twice == [("same/", "same/v:0")] * 2, "no number, got %s" % twice)


@case(SPEC, host_only=True, core=False, reference="none")
def spec_of_values_in_a_graph(t):
    """Of an array and of a tensor the same spec, which adds no operation; without a name back from its message; from
    another spec, also without a shape; as documented, any number of columns of one row."""
    tf = t.fw
    values, make = t.np.array([1, 2, 3], t.np.int32), t.get(SPEC)
    with tf.Graph().as_default() as graph:
        held = tf.constant(values)
        before = len(graph.get_operations())
        found = [tf.type_spec_from_value(values), tf.type_spec_from_value(held), make.from_tensor(held)]  # fmt: skip
        t.expect(len(graph.get_operations()) == before, "no operation more")
    want = t.call(SPEC, [3], tf.int32)
    got = [(one.shape.as_list(), one.dtype) for one in found]
    t.expect(found[0] == want and got == [([3], tf.int32)] * 3, "%s, got %s" % (want, found))
    for spec in (t.call(SPEC, [1], tf.float32), t.call(SPEC, None, tf.string)):
        back = make.experimental_from_proto(spec.experimental_as_proto())
        t.expect(back == spec and back.name is None, "without a name, got %s" % back)
        t.expect(make.from_spec(spec, "more").name == "more", "named then")
    traces = []

    @tf.function(input_signature=[t.call(SPEC, [1, None])], autograph=False)
    def run(x):
        traces.append(x.shape.as_list())
        return x * 2

    got = [run(tf.constant(row)).numpy().tolist() for row in ([[1.0, 2]], [[1.0, 2, 3, 4]])]
    t.expect(got == [[[2.0, 4.0]], [[2.0, 4.0, 6.0, 8.0]]], "twice, got %s" % got)
    t.expect(traces == [[1, None]], "traced once, got %s" % traces)
    for wrong in (tf.ones([2, 2]), tf.ones([1]), tf.ones([1, 2], tf.int32)):
        t.raises((TypeError, ValueError), run, wrong)


@functools.lru_cache(None)  # one class for every run
def _own(tf):
    class Shop(tf.experimental.ExtensionType):
        name: tf.Tensor
        prices: typing.Mapping[str, tf.Tensor]
        kind: str = "sweets"

    return Shop


@case(PACK, dtypes="f32 i32", core=False, reference=lambda np, x, y: [
      y, np.array([[1, 2]]), np.array([10, 10]), x, np.array([[0, 3], [7, 2]]), 2 * x, x + 1, np.array([0, 2, 2]), np.array([0, 1, 2])])  # fmt: skip
def pack_tensors_of_many_parts(t, dtype):
    """Two sparse tensors that change places, with a number of values of their own; ragged rows of rows, by their parts; slices."""
    tf, pack = t.fw, t.get(PACK)

    def packed(x, y):
        sparse, i64 = tf.SparseTensor, tf.int64
        one = sparse([[0, 3], [7, 2]], x, [10, 10])
        two = sparse([[1, 2]], y, [10, 10])
        parts = [two.indices, two.values, two.dense_shape, "bar", one.indices, one.values, one.dense_shape]  # fmt: skip
        made = pack([[one], "foo", {"y": [two]}], parts, expand_composites=True)
        first, second = made[0][0], made[2]["y"][0]
        rows = tf.RaggedTensor.from_nested_row_lengths(x, [[2, 0], [1, 1]])
        again = pack({"r": rows}, [x + 1, *rows.nested_row_splits], True)["r"]
        slices = tf.IndexedSlices(x, tf.constant([0, 2], i64), tf.constant([4], i64))
        doubled = pack([slices], [2 * x, *tf.nest.flatten(slices, True)[1:]], True)[0]
        return [first.values, first.indices, first.dense_shape, second.values, second.indices, doubled.values,
                again.flat_values, *again.nested_row_splits]  # fmt: skip

    return t.call(packed, t.randint((2,), dtype, 1, 90), t.randint((1,), dtype, 1, 90))


@case(PACK, host_only=True, core=False, reference="none")
def pack_by_specs_and_own_types(t):
    """A type of one's own with a mapping in it, within structures; by its spec in place of a value; what is no part of it
    stays; whole it is one leaf."""
    tf, Shop = t.fw, _own(t.fw)
    shop = Shop("Yum", {"gum": [0.5, 0.25], "chocolate": [0.75, 1.0]})
    parts = tf.nest.flatten(shop, expand_composites=True)
    t.expect(len(parts) == 3, "three parts, got %s" % parts)
    new = [tf.constant("Tasty") if one.dtype == tf.string else one * 2 for one in parts]
    spec = tf.type_spec_from_value(shop)
    for like in (shop, spec):
        made = t.call(PACK, like, new, expand_composites=True)
        got = made.name.numpy(), {name: one.numpy().tolist() for name, one in made.prices.items()}
        want = b"Tasty", {"gum": [1.0, 0.5], "chocolate": [1.5, 2.0]}
        t.expect(type(made) is Shop and got == want, "%s, got %s" % (want, got))
        t.expect(made.kind == "sweets", "its kind, got %s" % made.kind)
    deep = t.call(PACK, [{"k": shop}, (0, shop)], [*parts, 7, *new], expand_composites=True)
    t.expect(deep[0]["k"].name.numpy() == b"Yum" and deep[1][0] == 7, "got %s" % (deep,))
    t.expect(deep[1][1].prices["gum"].numpy().tolist() == [1.0, 0.5], "the last, got %s" % (deep,))
    whole = t.call(PACK, [{"k": shop}, (0, shop)], ["A", "B", "C"])
    t.expect(whole == [{"k": "A"}, ("B", "C")], "three leaves, got %s" % (whole,))
    t.raises(ValueError, t.call, PACK, shop, parts[:2], expand_composites=True)
    rows = tf.RaggedTensorSpec([None, None], tf.int32)
    made = t.call(PACK, {"r": rows}, [tf.constant([5, 6, 7]), tf.constant([0, 1, 3], tf.int64)], True)  # fmt: skip
    t.expect(made["r"].to_list() == [[5], [6, 7]], "rows by a spec, got %s" % made)


@case(SIZE, host_only=True, core=False, reference="none")
def size_known_in_a_graph(t):
    """Of known sizes it is a constant, also beyond 32 bits where it may be; of open ones it is not known before it runs."""
    tf, fed = t.fw, t.fw.compat.v1.placeholder
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        known = t.call(SIZE, tf.constant(0.0, shape=[1, 2, 3, 4]))
        t.expect(tf.get_static_value(known) == 24, "24, got %s" % tf.get_static_value(known))
        great = t.call(SIZE, fed(tf.bool, [65536, 65537]), out_type=tf.int64)
        found = tf.get_static_value(great)
        t.expect(found == 65536 * 65537, "more than 32 bits count, got %s" % found)
        rows = fed(tf.float32, [None, 4])
        made = t.call(SIZE, rows)
        t.expect(tf.get_static_value(made) is None and made.shape == [], "not known")
        got = [int(session.run(made, {rows: t.np.zeros((n, 4))})) for n in (0, 3)]
        t.expect(got == [0, 12], "none and 12, got %s" % got)
