"""tf.function: parts that are compiled, variables within them, names, graphs of version 1 and their collections."""

from seamark_agent.harness import Skip

from seamark_suites.case import case

FUNCTION = "tf.function"
HOST = {"host_only": True, "core": False, "reference": "none"}


@case(FUNCTION, **HOST)
def what_no_compiler_has(t):
    """Text in a function that is to be compiled is refused, within one that is not, too; the next call is right."""
    tf = t.fw

    def length(x):
        return tf.strings.length(tf.strings.format("{}", x))

    wrong = t.call(FUNCTION, length, jit_compile=True)
    outer = t.call(FUNCTION, lambda x: wrong(x), jit_compile=False)
    x = tf.constant([3.1, 3.2])
    for run in (wrong, outer):
        # `raises` takes an operation that is missing for a failure; here that is what is asked for.
        try:
            got = run(x)
        except tf.errors.InvalidArgumentError:
            continue
        t.expect(False, "a refusal, got %s" % got)
    right = t.call(FUNCTION, length, jit_compile=False)
    t.expect(int(right(tf.constant(12))) == 2, "two letters")
    doubled = t.call(FUNCTION, lambda x: 2.0 * x, jit_compile=True)
    got = t.call(FUNCTION, lambda x: doubled(x) + 1.0, jit_compile=False)(tf.constant([3.0, 4.0]))
    t.expect(got.numpy().tolist() == [7.0, 9.0], "7 and 9, got %s" % got)


@case(FUNCTION, **HOST)
def compiled_text_of_every_stage(t):
    """Of specs as of tensors; bytes where it is serialized; optimized; refused of what is not compiled and of a stage that is none."""
    tf = t.fw
    x, spec = tf.constant([1.0, 2.0, 3.0]), tf.TensorSpec([3])
    run = t.call(FUNCTION, lambda x: x * 2.0 + 1.0, jit_compile=True)
    by_tensor, by_spec = run.experimental_get_compiler_ir(x), run.experimental_get_compiler_ir(spec)
    for stage in ("hlo", "optimized_hlo"):
        text = by_tensor(stage=stage)
        t.expect(isinstance(text, str) and "f32[3]" in text, "%s, got %r" % (stage, text[:99]))
        t.expect(by_spec(stage=stage) == text, "the same of a spec in %s" % stage)
    for stage in ("hlo_serialized", "optimized_hlo_serialized"):
        made = by_tensor(stage=stage)
        t.expect(isinstance(made, bytes) and len(made) > 100, "%s: bytes" % stage)
    other = run.experimental_get_compiler_ir(tf.TensorSpec([5]))("hlo")
    t.expect("f32[5]" in other and "f32[3]" not in other, "of five, got %s" % other[:99])
    t.raises(ValueError, by_tensor, stage="unheard_of")
    plain = t.call(FUNCTION, lambda x: x * 2.0)
    t.raises(ValueError, plain.experimental_get_compiler_ir, x)


def _assigned(np, start, x, y):
    first, second = x * y, x * y + y
    return [x + y, first, second, second * 2, start + x + y, start + x, second]


@case(FUNCTION, dtypes="f32 f64 i32", core=False, reference=_assigned)
def compiled_and_assigned(t, dtype):
    """jit_compile: captured variables are assigned and read, one or two of them, beside results; a second call goes on from there."""
    tf, function = t.fw, t.get(FUNCTION)
    start = t.randint((4,), dtype, -5, 6)
    held, other = tf.Variable(0 * start), tf.Variable(start)

    @function(jit_compile=True)
    def update(x, y):
        held.assign(x * y)
        return x + y, held.read_value()

    @function(jit_compile=True)
    def add(x):
        other.assign_add(x)
        held.assign_add(x)
        return held * 2, other.read_value()

    def every(x, y):
        other.assign(start)
        total, first = update(x, y)
        _, before = add(x)
        update(x, y)
        doubled, after = add(y)
        return [total, first, held.read_value(), doubled, after, before]

    made = t.call(every, t.randint((4,), dtype, -9, 10), t.randint((4,), dtype, -9, 10))
    return [*made, held.read_value()]


@case(FUNCTION, **HOST)
def names_of_variables_in_scopes(t):
    """A variable that is made while it is traced has the names of the scopes within, eagerly and in a graph of version 1."""
    tf, function, v1 = t.fw, t.get(FUNCTION), t.fw.compat.v1

    def traced():
        held = []

        def make():
            if not held:
                with tf.name_scope("foo"):
                    held.append(tf.Variable([1.0, 2.0], name="bar"))
                    with tf.name_scope("deep"):
                        held.append(tf.Variable(3.0, name="bar"))
                held.append(tf.Variable(4.0, name="bar"))
            return held[0] + held[1] * held[2]

        return held, function(make, autograph=False)

    want = ["foo/bar:0", "foo/deep/bar:0", "bar:0"]
    held, run = traced()
    t.expect(t.call(run).numpy().tolist() == [13.0, 14.0], "13 and 14")
    t.expect([one.name for one in held] == want, "got %s" % [one.name for one in held])
    with tf.Graph().as_default():
        held, run = traced()
        made = t.call(run)
        t.expect([one.name for one in held] == want, "got %s" % [one.name for one in held])
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            got = session.run(made).tolist()
            t.expect(got == [13.0, 14.0], "13 and 14 in a session, got %s" % got)


@case(FUNCTION, dtypes="f32 i32", core=False, reference=lambda np, x: [x + 1, x * x + 1, x])
def begun_by_a_placeholder(t, dtype):
    """In a graph of version 1: what a variable of the function begins with is fed to its initialization."""
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    tf, function, v1 = t.fw, t.get(FUNCTION), t.fw.compat.v1
    values = t.host(t.distinct((3,), dtype))
    with tf.Graph().as_default(), tf.device(t.device):
        held = []

        @function(autograph=False)
        def more(square=False):
            if not held:
                held.append(tf.Variable(v1.placeholder(t.dtype(dtype), [3])))
            return held[0] * held[0] + 1 if square else held[0] + 1

        made = [more(), more(True), held[0].read_value()]
        begin = held[0].initializer
        with v1.Session() as session:
            session.run(begin, {begin.inputs[1]: values})
            return t.call(session.run, made)


@case(FUNCTION, **HOST)
def collections_of_its_graph(t):
    """Those of the graph around it are read within; what is added within stays there; those within each other, too."""
    tf, v1 = t.fw, t.fw.compat.v1
    with tf.Graph().as_default():
        v1.add_to_collection("x", 2)
        v1.add_to_collection("y", 5)
        seen = []

        @t.get(FUNCTION)
        def inner():
            seen.append((v1.get_collection("x"), v1.get_collection("z")))
            v1.add_to_collection("z", 9)
            return tf.constant(v1.get_collection("y")[0])

        @t.get(FUNCTION)
        def run():
            v1.add_to_collection("z", 7)
            v1.add_to_collection("x", 3)
            return tf.constant(v1.get_collection("x")[0] + v1.get_collection("y")[0]), inner()

        made = t.call(run)
        t.expect(v1.get_collection("z") == [], "not outside, got %s" % v1.get_collection("z"))
        t.expect(v1.get_collection("x") == [2], "as it was, got %s" % v1.get_collection("x"))
        t.expect(seen == [([2, 3], [7])], "within, got %s" % seen)
        with v1.Session() as session:
            got = [int(one) for one in session.run(made)]
        t.expect(got == [7, 5], "7 and 5, got %s" % got)
