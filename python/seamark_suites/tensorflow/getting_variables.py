"""Variables of TensorFlow 1: in branches, of a scope's value, with regularizers, creators, partitioners, eagerly."""

from seamark_suites.case import case

GET = "tf.compat.v1.get_variable"


@case(GET, host_only=True, core=False, use_resource=[True, False], reference="none")
def get_variable_in_both_branches(t, use_resource):
    """Its first value does not wait for the condition, which reads another variable; the branch that is taken does."""
    v1, tf, made = t.fw.compat.v1, t.fw, {}
    bad = tf.errors.FailedPreconditionError

    def branch(name, first):
        start = v1.constant_initializer(first)
        made[name] = t.call(GET, name, [1], initializer=start, use_resource=use_resource)
        return made[name] + held

    with tf.Graph().as_default(), v1.Session() as session:
        held = t.call(GET, "v0", [], initializer=v1.zeros_initializer(), use_resource=use_resource)
        taken = v1.cond(v1.less(held, 10), lambda: branch("v1", 1), lambda: branch("v2", 2))
        for name, want in (("v1", [1]), ("v2", [2])):
            session.run(made[name].initializer)
            got = session.run(made[name]).tolist()
            t.expect(got == want, "%s, got %s" % (want, got))
        t.raises(bad, session.run, held)
        t.raises(bad, session.run, taken)
        session.run(held.initializer)
        got = session.run(taken).tolist()
        t.expect(got == [1], "of the first branch, got %s" % got)
        session.run(v1.assign(held, 20.0))
        got = session.run(taken).tolist()
        t.expect(got == [22], "of the second one, got %s" % got)


@case(GET, host_only=True, core=False, use_resource=[True, False], reference="none")
def get_variable_behind_another(t, use_resource):
    """Made behind a read of another, it starts without it; what adds both fails until that one has a value."""
    v1, tf = t.fw.compat.v1, t.fw
    bad, options = tf.errors.FailedPreconditionError, {"use_resource": use_resource}
    with tf.Graph().as_default(), v1.Session() as session:
        before = t.call(GET, "v0", [1], initializer=v1.zeros_initializer(), **options)
        with tf.control_dependencies([before.value()]):
            held = t.call(GET, "v1", [1], initializer=v1.ones_initializer(), **options)
            both = held + before
        session.run(held.initializer)
        t.expect(session.run(held).tolist() == [1], "one")
        for one in (before, both):
            t.raises(bad, session.run, one)
        session.run(before.initializer)
        t.expect(session.run(both).tolist() == [1], "their sum")


@case(GET, host_only=True, core=False, reference="none")
def get_variable_of_a_value_of_its_scope(t):
    """The initializer of a scope is a tensor: of its shape and dtype. No shape beside it, no other dtype."""
    v1, tf = t.fw.compat.v1, t.fw
    kinds = ValueError, TypeError
    with tf.Graph().as_default(), v1.Session() as session:
        first = tf.constant(0.1)
        with v1.variable_scope("foo", initializer=first):
            held = t.call(GET, "v")
        t.expect(held.name == "foo/v:0" and held.shape == [], "a number, got %s" % held)
        whole = t.call(GET, "t", initializer=tf.constant([1, 2]))
        t.expect(whole.dtype.base_dtype == tf.int32, "i32, got %s" % whole)
        session.run(v1.global_variables_initializer())
        got = session.run([held, whole])
        t.expect(abs(got[0] - 0.1) < 1e-6 and got[1].tolist() == [1, 2], "got %s" % got)
        t.raises(kinds, t.call, GET, "u", [1], initializer=first)
        t.raises(kinds, t.call, GET, "s", dtype=tf.float64, initializer=tf.constant(1))


@case(GET, host_only=True, core=False, reference="none")
def get_variable_regularized_once(t):
    """One that is reused adds no second loss; a regularizer that gives None adds none; scopes take, change and drop theirs."""
    v1, tf = t.fw.compat.v1, t.fw
    start = v1.constant_initializer(0.3)

    def more(by):
        return lambda held: tf.reduce_mean(held) + by

    with tf.Graph().as_default(), v1.Session() as session:
        with v1.variable_scope("tower", regularizer=more(0.1)) as tower:
            with v1.variable_scope("foo", initializer=start):
                held = t.call(GET, "v", [])
            with v1.variable_scope(tower, initializer=start) as scope:
                t.call(GET, "u", [])
                scope.set_regularizer(more(0.2))
                t.call(GET, "w", [])
                t.call(GET, "x", [], regularizer=v1.no_regularizer)
                with v1.variable_scope("baz", regularizer=v1.no_regularizer):
                    t.call(GET, "y", [])
                scope.set_regularizer(v1.no_regularizer)
                t.call(GET, "z", [])
            with v1.variable_scope("foo", reuse=True):
                t.expect(t.call(GET, "v", []) is held, "the same one")
        t.call(GET, "none", [2], regularizer=lambda held: None)
        losses = v1.losses.get_regularization_losses()
        session.run(v1.global_variables_initializer())
        got = session.run(losses)
        t.expect(len(got) == 3 and max(abs(t.np.subtract(got, [0.4, 0.4, 0.5]))) < 1e-6, "three, got %s" % got)  # fmt: skip


@case(GET, host_only=True, core=False, reference="none")
def get_variable_by_creators(t):
    """The creators of scopes are told its name, how it is read and added up, the outer one last."""
    v1, tf, seen = t.fw.compat.v1, t.fw, []
    write, mean = tf.VariableSynchronization.ON_WRITE, tf.VariableAggregation.MEAN

    def creator(number):
        def create(next_creator, **given):
            seen.append((number, given["name"], given["synchronization"], given["aggregation"]))
            return next_creator(**given)

        return create

    outer, inner = (tf.variable_creator_scope(creator(n)) for n in (1, 2))
    with tf.Graph().as_default(), outer, inner:
        t.call(GET, "v", [], synchronization=write, aggregation=mean)
    want = [(2, "v", write, mean), (1, "v", write, mean)]
    t.expect(seen == want, "%s, got %s" % (want, seen))
    del seen[:]
    with tf.variable_creator_scope(creator(3)):
        t.call(GET, "w", [], synchronization=write, aggregation=mean)
    t.expect(seen == [(3, "w", write, mean)], "eagerly, too, got %s" % seen)
    t.expect(v1.executing_eagerly(), "eagerly")


@case(GET, host_only=True, core=False, eager=[False, True], reference="none")
def get_variable_of_functions_without_arguments(t, eager):
    """A function without arguments, or with those that have a default, gives the value; one that wants some needs a shape."""
    v1, tf = t.fw.compat.v1, t.fw

    def made():
        one = t.call(GET, "foo", initializer=lambda x=True: [2])
        two = t.call(GET, "bar", initializer=lambda: [3, 4])
        t.expect((one.name, two.name) == ("foo:0", "bar:0"), "got %s, %s" % (one.name, two.name))
        t.raises(ValueError, t.call, GET, "baz", initializer=lambda x: [2])
        return [one, two]

    if eager:
        got = [one.numpy().tolist() for one in made()]
    else:
        with tf.Graph().as_default(), v1.Session() as session:
            held = made()
            session.run(v1.global_variables_initializer())
            got = [one.tolist() for one in session.run(held)]
    t.expect(got == [[2], [3, 4]], "2, then 3 and 4, got %s" % got)


@case(GET, host_only=True, core=False, eager=[False, True], reference="none")
def get_variable_cut_along_either_axis(t, eager):
    """The whole has its shape, and each part its own; the parts in order are the whole."""
    tf, graph = t.fw, t.fw.Graph()

    def made():
        for axis, name, use_resource in ((0, "a", True), (1, "b", True), *(((0, "c", False), (1, "d", False)) if not eager else ())):  # fmt: skip
            cut = [1 + (axis == n) for n in range(3)]
            held = t.call(GET, name, (2, 2, 2), partitioner=lambda cut=cut, **_: cut, use_resource=use_resource)  # fmt: skip
            part = [2 - (axis == n) for n in range(3)]
            t.expect(held.shape == (2, 2, 2), "the whole, got %s" % held.shape)
            got = [one.shape.as_list() for one in held]
            t.expect(got == [part] * 2, "two of %s, got %s" % (part, got))
            if eager:
                whole = t.np.concatenate([one.numpy() for one in held], axis)
                t.expect((tf.convert_to_tensor(held).numpy() == whole).all(), "the parts in order")

    if eager:
        made()
    else:
        with graph.as_default():
            made()


@case(GET, host_only=True, core=False, reference="none")
def get_variable_eagerly(t):
    """Always a resource, in no collection, of a new one each time, parts too; a scope names it; functions take it."""
    v1, tf = t.fw.compat.v1, t.fw
    one = t.call(GET, "v", [2], use_resource=False)
    t.expect(one.dtype.name == "float32" and one.shape == [2], "a resource, got %s" % one)
    one.assign([1.0, 2.0])
    made = t.call(tf.function(lambda: one * 2, autograph=False))
    t.expect(made.numpy().tolist() == [2, 4], "read in a function, got %s" % made)
    t.call(GET, "w", [], trainable=False)
    for key in (v1.GraphKeys.GLOBAL_VARIABLES, v1.GraphKeys.TRAINABLE_VARIABLES):
        t.expect(not v1.get_collection(key), "none in %s" % key)
    with v1.variable_scope("scope", partitioner=lambda **_: [2, 1]):
        parts = [t.call(GET, "name", (3, 1)) for _ in range(2)]
    t.expect(parts[0] is not parts[1], "another one each time")
    half = v1.constant_initializer(0.5)
    with v1.variable_scope("tower", initializer=half) as tower, v1.variable_scope(tower, dtype="float16"):  # fmt: skip
        half = t.call(GET, "half", [])
    t.expect(half.dtype == tf.float16 and half.numpy() == 0.5, "f16, got %s" % half)
    t.raises(ValueError, t.call, GET, "x", initializer={})


@case(GET, host_only=True, core=False, reference="none")
def get_variable_by_names_of_scopes(t):
    """Names count on where a scope has only a default one; a scope in its own, again, without a name of its own, and by threads."""
    v1, tf = t.fw.compat.v1, t.fw
    with tf.Graph().as_default():
        got = []
        for default in ("a1", "a1", "a", "a1"):
            with v1.variable_scope(None, default), v1.variable_scope(None, "layer"):
                got.append(t.call(GET, "w", []).name)
        want = ["a1/layer/w:0", "a1_1/layer/w:0", "a/layer/w:0", "a1_2/layer/w:0"]
        t.expect(got == want, "%s, got %s" % (want, got))
        with v1.variable_scope("outer") as outer:
            with v1.variable_scope("tower", "default"):
                held = t.call(GET, "w", [])
            with v1.variable_scope(outer), tf.name_scope("scope2") as inner:
                own = t.call(GET, "v", [])
        t.expect((held.name, own.name, inner) == ("outer/tower/w:0", "outer/v:0", "outer/outer/scope2/"),
                 "got %s, %s, %s" % (held.name, own.name, inner))  # fmt: skip
        with v1.variable_scope(outer, reuse=True):
            with v1.variable_scope("tower", "default"):
                t.expect(t.call(GET, "w", []) is held, "the same one")
            t.raises(ValueError, t.call, GET, "u", [1])
        with v1.variable_scope("flat", auxiliary_name_scope=False):
            held, other = t.call(GET, "w", []), tf.constant([1.0], name="c")
        t.expect((held.name, other.name) == ("flat/w:0", "c:0"), "got %s, %s" % (held.name, other.name))  # fmt: skip
        with v1.variable_scope("scope", reuse=v1.AUTO_REUSE):
            one = t.call(GET, "v", [1])
        with v1.variable_scope("scope", reuse=v1.AUTO_REUSE):
            t.expect(t.call(GET, "v", [1]) is one, "made once")
        for wrong in ({"shape": [2]}, {"shape": [1], "dtype": tf.int32}):
            with v1.variable_scope("scope", reuse=True):
                t.raises(ValueError, t.call, GET, "v", **wrong)
        names = [one.name for one in v1.get_collection(v1.GraphKeys.GLOBAL_VARIABLES, "scope")]
        t.expect(names == ["scope/v:0"], "one of the scope, got %s" % names)


@case(GET, host_only=True, core=False, reference="none")
def get_variable_text_of_none(t):
    """A text without a first value is the empty one; one of a scope's dtype; a scope's getter that is none is refused."""
    v1, tf = t.fw.compat.v1, t.fw
    with tf.Graph().as_default(), v1.Session() as session:
        text = t.call(GET, "text", [], tf.string)
        with v1.variable_scope("halves", dtype=tf.float16):
            half = t.call(GET, "v", [])
        session.run(v1.global_variables_initializer())
        t.expect(session.run(text) == b"" and half.dtype.base_dtype == tf.float16, "got %s" % text)
        with v1.variable_scope("bar"):
            v1.get_variable_scope().set_initializer(v1.constant_initializer(0.25))
            later = t.call(GET, "v", [])
            v1.get_variable_scope().reuse_variables()
            t.raises(ValueError, t.call, GET, "w", [1])
        session.run(later.initializer)
        t.expect(session.run(later) == 0.25, "set in the scope")
        t.expect(v1.get_variable_scope().initializer is None, "and gone behind it")

        def wrong():
            with v1.variable_scope("scope", custom_getter=3):
                t.call(GET, "v", [1])

        t.raises(ValueError, wrong)
