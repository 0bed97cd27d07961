"""Saved models as they come back: their arguments, slopes through nested functions, graphs that they are loaded into."""

import collections
import functools
import inspect
import os

from seamark_suites.case import case

LOAD = "tf.saved_model.load"
Pair = collections.namedtuple("Pair", ["b", "a"])  # not in the order of the alphabet


def _again(t, model, times=2, **options):
    """Saved and loaded, which is saved and loaded again."""
    for number in range(times):
        folder = os.path.join(t.tmpdir(), "model%d" % number)
        t.fw.saved_model.save(model, folder, **options)
        model = t.get(LOAD)(folder)
    return model


@case(LOAD, host_only=True, core=False, reference="none")
def loads_arguments_as_they_were(t):
    """What was traced can be called so: numbers within structures, texts, None, options, named tuples; and nothing else."""
    tf, model, c = t.fw, t.fw.Module(), t.fw.constant

    def nested(x, training=True):
        _, (a, b) = x
        return 2 * a["a"] + b if training else 7

    model.nested = tf.function(nested, autograph=False)
    model.pairs = tf.function(lambda x, y: [Pair(a=x + y, b=x * y), {"x": 0.5}], autograph=False)
    model.texts = tf.function(lambda x, y: tf.strings.join([x, y]), autograph=False)
    model.typed = tf.function(lambda x, dtype=None: tf.ones(x.shape, dtype or tf.float32), autograph=False)  # fmt: skip
    model.chosen = tf.function(lambda x, training=False, **options: 2 * x if training else 7, autograph=False)  # fmt: skip
    model.whole = tf.function(lambda a: a if isinstance(a, int) else a + 1, autograph=False)
    model.named = tf.function(lambda p: p.a - p.b, autograph=False)
    row, ten, eleven = c([1, 2, 3]), c(10), c(11)
    model.nested([6, ({"a": ten}, eleven)])
    model.pairs(c(2), c(3))
    model.texts("a", c("b")), model.texts("a", "b")
    model.typed(row), model.typed(row, dtype=tf.int32)
    model.chosen(ten, rate=0.5, epochs=3), model.chosen(ten, True)
    model.whole(2), model.whole(c(2))
    model.named(Pair(b=c(1.0), a=c(2.0)))
    loaded = _again(t, model)
    got = t.call(loaded.nested, [6, ({"a": eleven}, ten)])
    t.expect(int(got) == 32, "32 with the number it had")
    made = loaded.pairs(c(2), c(5))
    t.expect(list(made[0]._asdict()) == ["b", "a"], "in its order, got %s" % (made[0],))
    got = [int(made[0].a), int(made[0].b), float(made[1]["x"])]
    t.expect(got == [7, 10, 0.5], "7, 10 and a half, got %s" % got)
    got = [loaded.texts(x, "b").numpy() for x in ("a", "a")] + [loaded.texts("a", c("z")).numpy()]
    t.expect(got == [b"ab", b"ab", b"az"], "texts, got %s" % got)
    got = [one.dtype.name for one in (loaded.typed(row, None), loaded.typed(row, dtype=tf.int32))]
    t.expect(got == ["float32", "int32"], "of both dtypes, got %s" % got)
    t.expect(int(loaded.chosen(c(2), True)) == 4, "4")
    t.expect(int(loaded.chosen(ten, rate=0.5, epochs=3)) == 7, "7 with the same options")
    got = [int(loaded.whole(x)) for x in (2, 3, c(2), c(3))]
    t.expect(got == [2, 4, 3, 4], "the trace of that number alone, got %s" % got)
    t.expect(float(loaded.named(Pair(b=c(5.0), a=c(2.0)))) == -3.0, "by its fields")
    kinds = (ValueError, TypeError)
    for f, given, named in ((loaded.nested, ([7, ({"a": ten}, eleven)],), {}), (loaded.nested, ([6, ({"a": ten}, eleven)], False), {}),
                            (loaded.chosen, (ten,), {"rate": 0.5, "epochs": 4}), (loaded.typed, (c([1.0]),), {}), (loaded.texts, ("c", "d"), {}),
                            (loaded.nested, ([6, ({"a": ten, "b": ten}, eleven)],), {})):  # fmt: skip
        t.raises(kinds, f, *given, **named)
    spec = inspect.getfullargspec(loaded.nested)
    t.expect(spec.args == ["x", "training"] and spec.defaults == (True,), "its arguments, got %s" % (spec,))  # fmt: skip


@case(LOAD, host_only=True, core=False, reference="none")
def loads_functions_of_parts(t):
    """Partial functions, concrete ones by position and name, with a variable as argument; what can be called; names of results."""
    tf, c = t.fw, t.fw.constant

    class Called(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec(None)], autograph=False)
        def __call__(self, x):
            return x * 3.0

    def many(a, b, *rest, **named):
        return a + b + named["tensor"] * named["rate"] + sum(rest)

    model = tf.Module()
    model.called, model.held = Called(), tf.Variable(0, trainable=False, aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA)  # fmt: skip
    model.five = tf.function(functools.partial(lambda x, y: x - y, c(5) + c(7)), autograph=False)
    model.many = tf.function(
        functools.partial(many, 7, 1, 2, rate=3, tensor=c(10)), autograph=False
    )
    model.signed = tf.function(functools.partial(lambda a, b, k=3.0: (a, b, k), 1, k=4), input_signature=[tf.TensorSpec([])], autograph=False)  # fmt: skip
    model.five(1), model.many(c(4))
    product = tf.function(lambda x, y: x * (y + 1.0), autograph=False)
    model.product = product.get_concrete_function(tf.TensorSpec([]), tf.TensorSpec([]))

    @tf.function(autograph=False)
    def counted(v):
        v.assign_add(1)
        model.held.assign_sub(1)

    model.counted = counted.get_concrete_function(tf.Variable(1))
    folder = os.path.join(t.tmpdir(), "model")
    tf.saved_model.save(model, folder, signatures={})
    loaded = t.call(LOAD, folder)
    t.expect(callable(loaded.called) and not callable(loaded), "one part can be called")
    t.expect(float(loaded.called(c(2.0))) == 6.0, "6")
    got = [int(loaded.five(1)), int(loaded.many(c(5)))]
    t.expect(got == [11, 45], "11 and 45, got %s" % got)
    got = [float(one) for one in loaded.signed(3.0)]
    t.expect(got == [1.0, 3.0, 4.0], "1, 3 and 4, got %s" % got)
    got = [float(loaded.product(c(2.0), c(3.0))), float(loaded.product(y=c(2.0), x=c(3.0)))]
    t.expect(got == [8.0, 9.0], "by position and by name, got %s" % got)
    given = tf.Variable(1)
    loaded.counted(given), loaded.counted(v=given)
    got = [int(given), int(loaded.held), int(model.held)]
    t.expect(got == [3, -2, 0], "its own counter, got %s" % got)
    t.expect(loaded.held.aggregation == model.held.aggregation, "%s" % loaded.held.aggregation)
    t.expect(loaded.tensorflow_version == tf.__version__, "got %s" % loaded.tensorflow_version)
    signed = tf.Module()
    signed.f = tf.function(lambda x, y: (tf.concat([x, y], 1), x[0]),
                           input_signature=[tf.TensorSpec([None, 3]), tf.TensorSpec([None, 2])], autograph=False)  # fmt: skip
    tf.saved_model.save(signed, folder + "2")
    run = t.call(LOAD, folder + "2").signatures["serving_default"]
    made = run(x=tf.ones([2, 3]), y=tf.zeros([2, 2]))
    got = {name: one.shape.as_list() for name, one in made.items()}
    t.expect(got == {"output_0": [2, 5], "output_1": [3]}, "numbered results, got %s" % got)
    got = [run.structured_input_signature[1][name].shape.as_list() for name in ("x", "y")]
    t.expect(got == [[None, 3], [None, 2]], "its open sizes, got %s" % got)
    t.raises((TypeError, ValueError, tf.errors.InvalidArgumentError), run, x=tf.ones([2, 3]))


@case(LOAD, dtypes="f32 f64", core=False, rtol={"f32": 1e-5, "f64": 1e-12}, reference=lambda np, w, b, x: [
      w * x + 2 * b, x, 2 + 0 * x, 2 * x * w * w, 6 * x**2 * w])  # fmt: skip
def loads_slopes_through_functions(t, dtype):
    """By variables and inputs: through functions within functions, a concrete one, and twice; loaded three times over."""
    tf, kind = t.fw, t.dtype(dtype)
    w, b, x = (t.uniform((3,), dtype, 0.5, 2) for _ in range(3))
    model, spec = tf.Module(), [tf.TensorSpec([3], kind)]
    model.w, model.b = tf.Variable(w), tf.Variable(b)
    times = tf.function(lambda x, y: x * y, input_signature=spec * 2, autograph=False)
    once = tf.function(lambda x: times(model.w.read_value(), x) + model.b, input_signature=spec, autograph=False)  # fmt: skip
    model.twice = tf.function(lambda x: (once(x) + model.b,), input_signature=spec, autograph=False)

    square = tf.function(lambda x: x**2 * model.w**2, input_signature=spec, autograph=False)
    model.square = square.get_concrete_function()
    cube = tf.function(lambda x: x**2 * model.w**3, input_signature=spec, autograph=False)
    model.cube = cube
    loaded = _again(t, model, 3, signatures={})

    def slope(f, x, by):
        with tf.GradientTape() as tape:
            tape.watch(x)
            made = f(x)
        return tape.gradient(made, by)

    def slopes(x):
        found = [loaded.twice(x)[0], *slope(lambda x: loaded.twice(x)[0], x, [loaded.w, loaded.b])]
        found.append(slope(loaded.square, x, x))
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                made = loaded.cube(x)
            first = inner.gradient(made, loaded.w)
        return [*found, outer.gradient(first, loaded.w)]

    return t.call(slopes, x)


@case(LOAD, dtypes="f32 f64", core=False, rtol={"f32": 1e-5, "f64": 1e-12}, reference=lambda np, w, x: [
      w * x.sum(), x.sum() + 0 * w, w.sum() + 0 * x])  # fmt: skip
def loads_slopes_through_a_loop(t, dtype):
    """By what is read in each turn, and by the input."""
    tf, kind = t.fw, t.dtype(dtype)
    w, x = t.uniform((3,), dtype, 0.5, 2), t.uniform((4,), dtype, 0.5, 2)
    model = tf.Module()
    model.w = tf.Variable(w)

    def looped(x):
        start = tf.constant(0), tf.zeros([3], kind)
        return tf.while_loop(lambda i, _: i < 4, lambda i, s: (i + 1, s + model.w * x[i]), start, maximum_iterations=4)[1]  # fmt: skip

    model.looped = tf.function(looped, input_signature=[tf.TensorSpec([4], kind)], autograph=False)
    loaded = _again(t, model, 3)

    def slopes(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            made = loaded.looped(x)
        return [made, *tape.gradient(made, [loaded.w, x])]

    return t.call(slopes, x)


@case(LOAD, host_only=True, core=False, reference="none")
def loads_into_graphs(t):
    """In a graph its variables are begun by a session, and none is among those that are trained; scopes; within a traced function."""
    tf, v1, here = t.fw, t.fw.compat.v1, t.tmpdir()
    with open(os.path.join(here, "words.txt"), "w", encoding="utf-8") as out:
        out.write("b\na\n")
    model, kind = tf.Module(), tf.lookup.TextFileIndex
    model.kept, model.w = tf.Variable(1.0, trainable=False, name="same"), tf.Variable(2.0, name="same")  # fmt: skip
    model.f = tf.function(lambda x: model.w * x, input_signature=[tf.TensorSpec(None)], autograph=False)  # fmt: skip
    words = tf.lookup.TextFileInitializer(os.path.join(here, "words.txt"), tf.string, kind.WHOLE_LINE, tf.int64, kind.LINE_NUMBER)  # fmt: skip
    model.table = tf.lookup.StaticHashTable(words, -1)
    model.find = tf.function(lambda x: model.table.lookup(x), input_signature=[tf.TensorSpec([None], tf.string)], autograph=False)  # fmt: skip
    model.squares = tf.data.Dataset.range(5).map(lambda x: x**2)

    def total(x):
        return x * model.squares.reduce(tf.constant(0, tf.int64), lambda a, b: a + b)

    model.total = tf.function(total, input_signature=[tf.TensorSpec([], tf.int64)], autograph=False)
    folder = os.path.join(here, "model")
    tf.saved_model.save(model, folder)
    with tf.Graph().as_default() as graph, v1.variable_scope("foo"):
        loaded = t.call(LOAD, folder)
        made = loaded.f(tf.constant([2.0, 5.0])), loaded.find(tf.constant(["a", "c", "b"]))
        with v1.Session() as session:
            session.run([v1.global_variables_initializer(), v1.tables_initializer()])
            got = [one.tolist() for one in session.run([*made, loaded.kept, loaded.w])]
        t.expect(got == [[4.0, 10.0], [1, -1, 0], 1.0, 2.0], "in a session, got %s" % got)
        t.expect(loaded.kept.name.startswith("foo/") and loaded.w.trainable, loaded.kept.name)
        every = graph.get_collection(v1.GraphKeys.GLOBAL_VARIABLES)
        t.expect(len(every) == 2 and not v1.trainable_variables(), "two, got %s" % every)
    held = []

    @tf.function(autograph=False)
    def within(x):
        if not held:
            held.append(t.call(LOAD, folder))
        return held[0].f(x)

    t.expect(float(within(tf.constant(2.0))) == 4.0, "4 within a function")
    again = _again(t, model)
    t.expect((again.kept.name, again.w.name) == (model.kept.name, model.w.name), "one name of two")
    got = [float(again.kept), float(again.w), int(again.total(tf.constant(3, tf.int64)))]
    t.expect(got == [1.0, 2.0, 90], "each its own, and of a dataset, got %s" % got)
