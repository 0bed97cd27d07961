"""More of saved_model.load, compat.v1.assign and summary.scalar."""

import os
import pathlib

from seamark_agent.harness import Skip

from seamark_suites.case import case

from .summaries import need_tensorboard, written

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


@case(LOAD, host_only=True, core=False, reference="none")
def its_tags_and_options(t):
    """By a path that is an object, by its tag and by no other; what is trainable stays so; a part that is not of the model."""
    tf, folder = t.fw, pathlib.Path(t.tmpdir()) / "model"
    model = tf.Module()
    model.w, model.step = tf.Variable([1.0, 2.0]), tf.Variable(7, trainable=False, name="step")
    model.run = tf.function(
        lambda x: x * model.w, input_signature=[tf.TensorSpec([2])], autograph=False
    )
    tf.saved_model.save(model, str(folder))
    options = tf.saved_model.LoadOptions(experimental_skip_checkpoint=False)
    for given in ({}, {"tags": "serve"}, {"tags": ["serve"]}, {"options": options}):
        loaded = t.call(LOAD, folder, **given)
        got = loaded.run(tf.constant([3.0, 4.0])).numpy().tolist()
        t.expect(got == [3.0, 8.0] and int(loaded.step) == 7, "as it was saved, got %s" % got)
    t.expect(loaded.w.trainable and not loaded.step.trainable, "one is trained")
    t.expect(loaded.w.name == model.w.name and loaded.w.shape == [2], "its name and size")
    t.raises((ValueError, RuntimeError), t.call, LOAD, str(folder), tags=["train"])
    t.raises(
        (TypeError, ValueError, tf.errors.InvalidArgumentError), loaded.run, tf.constant([3, 4])
    )
    for name in ("saved_model.pb", "variables"):
        t.expect((folder / name).exists(), "%s in its folder" % name)
    (folder / "saved_model.pb").write_bytes(b"\xff\xff")
    t.raises((OSError, ValueError, RuntimeError), t.call, LOAD, str(folder))


@case(LOAD, host_only=True, core=False, reference="none")
def one_of_version_1(t):
    """A model of a session's graph: its signature and its variables; a part of it between two of its tensors."""
    tf, v1, folder = t.fw, t.fw.compat.v1, os.path.join(t.tmpdir(), "model")
    with tf.Graph().as_default(), v1.Session() as session:
        fed = v1.placeholder(tf.float32, [None], name="fed")
        held = v1.get_variable("held", initializer=3.0, use_resource=True)
        made = tf.add(fed * held, 1.0, name="made")
        session.run(held.initializer)
        v1.saved_model.simple_save(session, folder, {"x": fed}, {"y": made})
    loaded = t.call(LOAD, folder)
    got = loaded.signatures["serving_default"](x=tf.constant([1.0, 2.0]))["y"].numpy().tolist()
    t.expect(got == [4.0, 7.0], "4 and 7, got %s" % got)
    t.expect([float(one) for one in loaded.variables] == [3.0], "its variable")
    part = loaded.prune("fed:0", "made:0")
    t.expect(part(tf.constant([0.0, 5.0])).numpy().tolist() == [1.0, 16.0], "1 and 16")


@case(
    LOAD,
    dtypes="f32",
    core=False,
    reference=lambda np, x, y: [{"sum": x + y, "both": [x, y]}, 5 * x, 2 * np.ones_like(x)],
)
def its_structures_and_own_gradient(t, dtype):
    """A dictionary in and out, a constant that it captured, a function in its function, a slope of its own."""
    tf, x, y = t.fw, t.randn((3,), dtype), t.randn((3,), dtype)

    @tf.custom_gradient
    def twice_as_steep(x):
        return x, lambda slope: 2 * slope

    model, five = tf.Module(), tf.constant(5.0, x.dtype)
    spec = tf.TensorSpec([3], x.dtype)
    model.inner = tf.function(lambda x: x * five, input_signature=[spec], autograph=False)
    model.outer = tf.function(lambda held: {"sum": held["x"] + held["y"], "both": [held["x"], held["y"]]},
                              input_signature=[{"x": spec, "y": spec}], autograph=False)  # fmt: skip
    model.through = tf.function(lambda x: model.inner(x), input_signature=[spec], autograph=False)
    model.steep = tf.function(twice_as_steep, input_signature=[spec], autograph=False)
    loaded = saved(t, model, options=tf.saved_model.SaveOptions(experimental_custom_gradients=True))

    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            made = loaded.steep(x)
        return tape.gradient(made, x)

    return [
        t.call(lambda x, y: loaded.outer({"x": x, "y": y}), x, y),
        t.call(loaded.through, x),
        t.call(slope, x),
    ]


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


@case(ASSIGN, dtypes="f16 c64 c128 u8", resource=[True, False], core=False, reference=lambda np, x, y, **_: [x, x, y, y])  # fmt: skip
def assigns_other_kinds_in_a_session(t, dtype, resource):
    """Halves, complex numbers of both parts, bytes beyond a sign: a constant, then what is fed; of twenty at once one, whole."""
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    v1, tf, put, kind = t.fw.compat.v1, t.fw, t.get(ASSIGN), t.dtype(dtype)
    low, high = (0, 256) if dtype == "u8" else (-90, 90)
    draw = t.randint if dtype == "u8" else t.uniform
    x, y = (t.host(draw((4, 5), dtype, low, high)) for _ in range(2))
    with tf.Graph().as_default(), tf.device(t.device):
        held, many = (v1.get_variable(name, initializer=tf.zeros(shape, kind), use_resource=resource)
                      for name, shape in (("held", (4, 5)), ("many", (512, 256))))  # fmt: skip
        fed = v1.placeholder(kind, [4, 5])
        once, late = put(held, tf.constant(x, kind)), put(held, fed)
        each = [put(many, tf.cast(tf.fill([512, 256], n), kind)).op for n in range(1, 21)]
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            made = [t.call(session.run, once), session.run(held)]
            made += [t.call(session.run, late, {fed: y}), session.run(held)]
            session.run(each)
            left = session.run(many)
    t.expect((left == left[0, 0]).all() and left[0, 0] in range(1, 21), "one value, got %s" % left)
    return made


@case(ASSIGN, dtypes="f32 i64", core=False, reference=lambda np, x, y: [one for one in (x, y, x, y, x, y, x, y) for _ in range(2)])  # fmt: skip
def assigns_of_open_shapes(t, dtype):
    """What is known of the result while it is built, and then given and held: references with and without a shape, values with
    and without one, validated or not. What is not validated may have any shape, and only the value's is known."""
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    v1, tf, kind = t.fw.compat.v1, t.fw, t.dtype(dtype)
    x, y = (t.host(t.randint(shape, dtype, 1, 90)) for shape in ((2, 3), (5,)))
    with tf.Graph().as_default(), tf.device(t.device):
        fed, steps, known = [v1.placeholder(kind) for _ in range(2)], [], []
        for given in ([tf.constant(one, kind) for one in (x, y)], fed):
            for shaped in (True, False):
                for value, validated in zip(given, (True, False)):
                    held = v1.Variable(
                        tf.zeros((2, 3), kind), validate_shape=shaped, use_resource=False
                    )
                    assigned = t.get(ASSIGN)(held, value, validate_shape=validated)
                    steps.append((assigned, held))
                    known.append(tuple(assigned.shape) if assigned.shape.rank else None)
        want = [(2, 3), (5,), (2, 3), (5,), (2, 3), None, None, None]
        t.expect(known == want, "%s, got %s" % (want, known))
        made = []
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            for assigned, held in steps:
                made.append(t.call(session.run, assigned, dict(zip(fed, (x, y)))))
                made.append(session.run(held))
    return made


@case(ASSIGN, host_only=True, core=False, reference="none")
def assigns_texts_to_a_reference(t):
    """One text gives way to a row, and that to a table, where the shape is not validated; where it is, to no row."""
    v1, tf = t.fw.compat.v1, t.fw
    with tf.Graph().as_default():
        held, fed = v1.Variable("first", use_resource=False), v1.placeholder(tf.string)
        table = [["", "a\0b"], ["\u00fc", "x" * 300]]
        row, free = (t.call(ASSIGN, held, one, validate_shape=False) for one in (["data"], fed))
        strict = t.call(ASSIGN, held, fed)
        t.raises(ValueError, t.call, ASSIGN, held, ["data"])
        with v1.Session() as session:
            session.run(held.initializer)
            got = [session.run(held)]
            t.raises(tf.errors.InvalidArgumentError, session.run, strict, {fed: ["data"]})
            for step, value in ((strict, "other"), (row, ""), (free, table)):
                got += [session.run(step, {fed: value}), session.run(held)]
    got = [one.tolist() if hasattr(one, "tolist") else one for one in got]
    whole = [[one.encode() for one in line] for line in table]
    want = [b"first", *[b"other"] * 2, *[[b"data"]] * 2, whole, whole]
    t.expect(got == want, "%s, got %s" % (want, got))


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
