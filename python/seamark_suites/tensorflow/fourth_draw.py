"""What a fourth drawing of functions found missing: of saved_model.load, compat.v1.assign and summary.scalar."""

import os

from seamark_agent.harness import Skip

from seamark_suites.case import case

from .tracing_saving import need_tensorboard, written

LOAD, ASSIGN, SCALAR = "tf.saved_model.load", "tf.compat.v1.assign", "tf.summary.scalar"


def saved(t, module, **options):
    folder = os.path.join(t.tmpdir(), "model")
    t.fw.saved_model.save(module, folder, **options)
    return t.get(LOAD)(folder)


# --- saved_model.load


@case(LOAD, dtypes="f32", core=False, reference=lambda np, x, y: [x * 3, y * 3, x + 2, x - 2])
def its_traces_and_keywords(t, dtype):
    """Several traces of one function, a keyword, a default, a choice that was traced either way; no other is there."""
    tf, x, y = t.fw, t.randn((4,), dtype), t.randn((2, 3), dtype)

    class Model(tf.Module):
        @tf.function(autograph=False)
        def scaled(self, x, factor=3.0):
            return x * factor

        @tf.function(autograph=False)
        def moved(self, x, up=True):
            return x + 2 if up else x - 2

    model = Model()
    for one in (x, y):
        model.scaled(one)
    model.moved(x), model.moved(x, up=False)
    loaded = saved(t, model)
    t.raises((ValueError, TypeError), loaded.scaled, tf.zeros((5, 5, 5), x.dtype))
    return [
        t.call(loaded.scaled, x),
        t.call(loaded.scaled, y),
        t.call(loaded.moved, x),
        t.call(lambda x: loaded.moved(x, up=False), x),
    ]


@case(LOAD, dtypes="f32", core=False, reference=lambda np, a, b, x: [x * a + b, a, b])
def its_parts(t, dtype):
    """Modules within a list and a dictionary; a variable that two names share is one; lists can be added to."""
    tf, a, b, x = t.fw, t.randn((4,), dtype), t.randn((4,), dtype), t.randn((4,), dtype)

    class Part(tf.Module):
        def __init__(self, value):
            super().__init__()
            self.value = tf.Variable(value)

    model = tf.Module()
    model.parts, model.named = [Part(a)], {"b": Part(b)}
    model.again = model.parts[0].value
    model.run = tf.function(
        lambda x: x * model.parts[0].value + model.named["b"].value,
        input_signature=[tf.TensorSpec((4,), x.dtype)], autograph=False,
    )  # fmt: skip
    loaded = saved(t, model)
    t.expect(loaded.again is loaded.parts[0].value, "one variable of two names")
    first = t.call(loaded.run, x)
    held = [tf.identity(loaded.parts[0].value), tf.identity(loaded.named["b"].value)]
    loaded.again.assign(tf.zeros_like(loaded.again))
    same = t.host(loaded.run(x)) == t.host(loaded.named["b"].value)
    t.expect(bool(same.all()), "what is set is seen by its function")
    return [first, *held]


@case(LOAD, dtypes="f32", core=False, reference=lambda np, w, x: [3 * (x * w).sum() * x, x * w])
def its_gradient_and_saved_again(t, dtype):
    """By its variable, through its function; and what was loaded is saved and loaded once more."""
    tf, w, x = t.fw, t.randn((4,), dtype), t.uniform((4,), dtype, 0.5, 1.5)
    model = tf.Module()
    model.w = tf.Variable(w)
    model.run = tf.function(lambda x: x * model.w, input_signature=[tf.TensorSpec((4,), x.dtype)], autograph=False)  # fmt: skip
    loaded = saved(t, model)

    def slope(x):
        with tf.GradientTape() as tape:
            total = 1.5 * tf.reduce_sum(loaded.run(x)) ** 2
        return tape.gradient(total, loaded.w)

    again = saved(t, loaded)
    return [t.call(slope, x), t.call(again.run, x)]


@case(LOAD, host_only=True, core=False, reference="none")
def its_files_and_tables(t):
    """A file that the model needs lies in its folder; a table of words gives its numbers."""
    tf, path = t.fw, os.path.join(t.tmpdir(), "words.txt")
    with open(path, "w", encoding="utf-8") as out:
        out.write("one\ntwo\nthree\n")
    model = tf.Module()
    model.file = tf.saved_model.Asset(path)
    start = tf.lookup.TextFileInitializer(
        model.file,
        tf.string,
        tf.lookup.TextFileIndex.WHOLE_LINE,
        tf.int64,
        tf.lookup.TextFileIndex.LINE_NUMBER,
    )
    model.table = tf.lookup.StaticHashTable(start, -1)
    model.numbers = tf.function(lambda x: model.table.lookup(x), input_signature=[tf.TensorSpec([None], tf.string)], autograph=False)  # fmt: skip
    loaded = t.call(saved, t, model)
    os.remove(path)
    got = loaded.numbers(tf.constant(["two", "four", "one"])).numpy().tolist()
    t.expect(got == [1, -1, 0], "the numbers of the words, got %s" % got)
    kept = loaded.file.asset_path.numpy().decode()
    t.expect(
        kept != path and os.path.basename(kept) == "words.txt", "a file of its own, got %s" % kept
    )


# --- compat.v1.assign


@case(
    ASSIGN,
    dtypes="f32 i32",
    core=False,
    reference=lambda np: [np.arange(6).reshape(3, 2), 7, np.zeros((0, 3))],
)
def assigns_other_shapes(t, dtype):
    """In a session: validate_shape=False gives a variable of references another shape; a number; nothing."""
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    v1, kind = t.fw.compat.v1, t.dtype(dtype)
    with t.fw.Graph().as_default(), t.fw.device(t.device):
        held = v1.get_variable(
            "held", initializer=t.fw.zeros((2, 2), kind), use_resource=False, validate_shape=False
        )
        number = v1.get_variable("number", initializer=t.fw.zeros((), kind), use_resource=True)
        nothing = v1.get_variable("nothing", initializer=t.fw.ones((0, 3), kind), use_resource=True)
        values = t.fw.constant(t.np.arange(6).reshape(3, 2), kind)
        put = t.get(ASSIGN)
        steps = [put(held, values, validate_shape=False), put(number, t.fw.constant(7, kind)),
                 put(nothing, t.fw.zeros((0, 3), kind))]  # fmt: skip
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            t.call(session.run, steps)
            return [session.run(one) for one in (held, number, nothing)]


@case(ASSIGN, dtypes="f32", core=False, reference=lambda np: [3.0, 12.0])
def assigns_in_an_order(t, dtype):
    """What depends on one sees it; a variable that was not begun can be assigned, and not added to."""
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    v1, tf = t.fw.compat.v1, t.fw
    with tf.Graph().as_default(), tf.device(t.device):
        held = v1.get_variable("held", (), t.dtype(dtype), use_resource=True)
        first = t.get(ASSIGN)(held, tf.constant(3.0, t.dtype(dtype)))
        with tf.control_dependencies([first]):
            second = t.get(ASSIGN)(held, held.read_value() * 4)
        with v1.Session() as session:
            t.raises(
                (tf.errors.FailedPreconditionError, tf.errors.NotFoundError),
                session.run,
                v1.assign_add(held, 1.0),
            )
            t.call(session.run, first)
            begun = session.run(held)
            session.run(second)
            return [begun, session.run(held)]


@case(
    ASSIGN,
    dtypes="f16 f32",
    core=False,
    reference=lambda np, x: [x, x],
)
def assigns_no_numbers(t, dtype):
    values = t.const([float("nan"), float("inf"), float("-inf"), -0.0], dtype)
    held = t.fw.Variable(t.fw.ones_like(values))
    put = t.get(ASSIGN)
    given = t.call(lambda values: t.fw.identity(put(held, values)), values)
    return [given, t.fw.identity(held)]


# --- summary.scalar


@case(SCALAR, host_only=True, core=False, reference="none")
def where_it_is_recorded(t):
    """record_if, a step by default, none at all; other dtypes; scopes; two writers."""
    need_tensorboard()
    tf, folder, other = t.fw, t.tmpdir(), t.tmpdir()
    summary = tf.summary
    with summary.create_file_writer(folder).as_default() as writer:
        t.raises(ValueError, t.call, SCALAR, "loss", 1.0)
        summary.experimental.set_step(5)
        try:
            t.call(SCALAR, "loss", 0.5)
            with summary.record_if(False):
                t.expect(not bool(t.call(SCALAR, "hidden", 1.0)), "False where it is not recorded")
            with summary.record_if(lambda: tf.equal(summary.experimental.get_step() % 2, 1)):
                t.call(SCALAR, "odd", tf.constant(3, tf.int64))
            with summary.create_file_writer(other).as_default() as second:
                t.call(SCALAR, "elsewhere", True)
                second.flush()
        finally:
            summary.experimental.set_step(None)
        writer.flush()
    found = written(t, folder)
    t.expect(found == [(5, "loss", 0.5), (5, "odd", 3.0)], "got %s" % found)
    t.expect(written(t, other) == [(5, "elsewhere", 1.0)], "got %s" % written(t, other))


@case(SCALAR, host_only=True, core=False, reference="none")
def within_a_function(t):
    """In a program: each run writes with the step that it is given."""
    need_tensorboard()
    tf, folder = t.fw, t.tmpdir()
    writer = tf.summary.create_file_writer(folder)

    @tf.function(autograph=False)
    def step(x, number):
        with writer.as_default():
            t.get(SCALAR)("twice", 2 * x, step=number)

    for number in (1, 2, 3):
        t.call(step, tf.constant(float(number)), tf.constant(number, tf.int64))
    writer.flush()
    found = written(t, folder)
    t.expect(found == [(1, "twice", 2.0), (2, "twice", 4.0), (3, "twice", 6.0)], "got %s" % found)
