"""Branches, traced and saved functions: what goes in and out of them, through which derivatives, from which threads."""

import functools
import os
import pickle
import threading
import weakref

from seamark_suites.case import case

COND, FUNCTION, LOAD = "tf.cond", "tf.function", "tf.saved_model.load"


# --- branches


@case(COND, dtypes="f32 f64", core=False, reference=lambda np, x, y, *_: [
      one for first in (1, 0) for second in (1, 0) for one in (
        (2 + 0 * x, 0 * x, 0 * y) if first else (2 * x * y, 2 * y, 2 * x) if second else (5 * x, 5 + 0 * x, 0 * y))])  # fmt: skip
def cond_gradient_of_nested(t, dtype):
    """Of a branch within a branch; the slope by what the taken one did not use, and of a constant, is zero."""
    tf, pick = t.fw, t.get(COND)

    @tf.function(autograph=False)
    def inner(first, second, x, y):
        return pick(first, lambda: tf.fill(tf.shape(x), tf.cast(2, x.dtype)),
                    lambda: pick(second, lambda: x * y * 2, lambda: x * 5))  # fmt: skip

    def slopes(x, y, first, second):
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            made = inner(first > 0, second > 0, x, y)
        return [made, *tape.gradient(made, [x, y])]

    x, y = t.randn((4,), dtype), t.randn((4,), dtype)
    flags = [t.const(flag, "i32") for flag in (1, 0)]
    return [leaf for one in flags for two in flags for leaf in t.call(slopes, x, y, one, two)]


@case(COND, dtypes="f32", core=False, reference=lambda np, x, w, *_: [
      *(leaf for sign in (1, -1) for leaf in ((x * w, x) if sign > 0 else (x - w, -np.ones(4)))), np.where(x > 0, x * x, x), np.where(x > 0, 2 * x, 1)])  # fmt: skip
def cond_of_functions_and_arrays(t, dtype):
    """Functions in the branches that read a variable, and their slope by it; an array that each branch writes, in a loop."""
    tf, pick = t.fw, t.get(COND)
    x, held = t.distinct((4,), dtype), t.fw.Variable(t.randn((4,), dtype))
    times, less = (tf.function(one, autograph=False) for one in (lambda x: x * held, lambda x: x - held))  # fmt: skip
    branch = tf.function(lambda flag, x: pick(flag, lambda: times(x), lambda: less(x)), autograph=False)  # fmt: skip

    def by_held(x, sign):
        with tf.GradientTape() as tape:
            made = branch(sign > 0, x)
        return made, tape.gradient(made, held)

    @tf.function(autograph=False)
    def rows(x):
        def body(i, kept):
            return i + 1, pick(x[i] > 0, lambda: kept.write(i, x[i] ** 2), lambda: kept.write(i, x[i]))  # fmt: skip

        start = tf.constant(0), tf.TensorArray(x.dtype, 4, element_shape=[])
        return tf.while_loop(lambda i, _: i < 4, body, start, maximum_iterations=4)[1].stack()

    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            made = rows(x)
        return made, tape.gradient(made, x)

    made = [leaf for sign in (1, -1) for leaf in t.call(by_held, x, t.const(sign, "i32"))]
    return [*made, *t.call(slope, x)]


@case(COND, dtypes="f32 f64", core=False, reference=lambda np, x, v, *_: [
      x * x, 2 * x * v, 3 * x, 3 * v, np.where(x > 0, 2 * x, x * x), np.where(x > 0, 2, 2 * x)])  # fmt: skip
def cond_forward_and_for_each(t, dtype):
    """In forward mode, the branch that was taken; by vectorized_map each example takes its own, and has its slope."""
    tf, pick = t.fw, t.get(COND)
    branch = tf.function(lambda x, sign: pick(sign > 0, lambda: x * x, lambda: 3 * x), autograph=False)  # fmt: skip

    def forward(x, v, sign):
        with tf.autodiff.ForwardAccumulator(x, v) as follower:
            made = branch(x, sign)
        return made, follower.jvp(made)

    def of_each(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            made = tf.vectorized_map(lambda one: pick(one > 0, lambda: 2 * one, lambda: one * one), x,
                                     fallback_to_while_loop=False)  # fmt: skip
        return made, tf.convert_to_tensor(tape.gradient(made, x))

    x, v = t.distinct((9,), dtype), t.randn((9,), dtype)
    made = [leaf for sign in (1, -1) for leaf in t.call(forward, x, v, t.const(sign, "i32"))]
    return [*made, *t.call(of_each, x)]


@case(COND, dtypes="f32 f64", core=False, reference=lambda np, w, *_: [
      w[[0, 2, 2]].sum() * 2, np.array([[2], [0], [4], [0]]) + 0 * w, (w[1:] ** 2).sum(), np.array([[0], [2], [2], [2]]) * w])  # fmt: skip
def cond_of_gathered_rows(t, dtype):
    """A variable of which one branch takes rows, one of them twice, and the other all but one: the slope has all."""
    tf, pick, held = t.fw, t.get(COND), t.fw.Variable(t.randint((4, 3), dtype, 1, 9))

    @tf.function(autograph=False)
    def loss(flag, places):
        rows = pick(flag, lambda: tf.gather(held, places) * 2, lambda: held[1:] ** 2)
        return tf.reduce_sum(rows)

    def slope(places, sign):
        with tf.GradientTape() as tape:
            made = loss(sign > 0, places)
        return made, tf.convert_to_tensor(tape.gradient(made, held))

    places = t.const([0, 2, 2], "i32")
    return [leaf for sign in (1, -1) for leaf in t.call(slope, places, t.const(sign, "i32"))]


@case(COND, host_only=True, core=False, reference="none")
def cond_in_its_graph(t):
    """Names, slices and None, a truth in a list of one; effects before it; structures, predicates and branches that are refused."""
    tf, pick = t.fw, t.get(COND)
    names, traced = [], lambda f: tf.function(f, autograph=False)

    def named(flag):
        with tf.name_scope("foo"):

            def branch():
                names.append(tf.zeros([], name="z").name)
                return tf.IndexedSlices(tf.constant([5.0]), tf.constant([1])), None

            return pick(flag, branch, branch, name="mine")

    made = t.call(traced(named), tf.constant(True))
    t.expect(
        made[1] is None and made[0].indices.numpy().tolist() == [1], "slices, got %s" % (made,)
    )
    t.expect(names[0].startswith("foo/mine/"), "in its scope, got %s" % names)
    one = traced(lambda flag: pick(flag, lambda: 1, lambda: 2))
    t.expect(int(t.call(one, tf.constant([False]))) == 2, "the second for a list of one truth")
    kinds = (TypeError, ValueError, tf.errors.InvalidArgumentError)
    for wrong in (tf.constant([True, False]), tf.constant(3), tf.constant("a")):
        t.raises(kinds, t.call, one, wrong)
    x = tf.constant(1.0)
    for left, right in ((lambda: (x, x), lambda: ((x,), x)), (lambda: x, lambda: None), (lambda: {"a": x}, lambda: {"b": x})):  # fmt: skip
        t.raises(kinds, t.call, traced(lambda flag, left=left, right=right: pick(flag, left, right)), tf.constant(True))  # fmt: skip
    held = tf.Variable(1.0)

    @traced
    def grown(flag):
        held.assign_add(1.0)
        return pick(flag, lambda: held.assign_add(10.0), lambda: held + 0.0)

    got = [float(t.call(grown, tf.constant(flag))) for flag in (False, True)]
    t.expect(got == [2.0, 13.0] and float(held) == 13.0, "2 and 13, got %s" % got)


# --- traced functions


@case(
    FUNCTION,
    dtypes="f32",
    core=False,
    reference=lambda np, x, v: [x + v, 2 * (x + v), x * 3, x * 7, np.ones(3), 4 * (x + v)],
)
def variables_as_arguments(t, dtype):
    """Read, changed, and twice the same one; their slope; a method, a partial function; what it captured stays the newest."""
    tf, function, x = t.fw, t.get(FUNCTION), t.randn((3,), dtype)
    held = tf.Variable(t.randn((3,), dtype))

    @function(autograph=False)
    def grown(held, by):
        held.assign_add(by)
        return held + 0

    first = t.call(lambda x: grown(held, x), x)
    both = function(lambda a, b: a + b, autograph=False)
    twice = t.call(lambda: both(held, held))

    class Scaled:
        @function(autograph=False)
        def times(self, x, factor=3.0):
            return x * factor

    scaled = Scaled().times
    seven = function(functools.partial(lambda x, factor: x * factor, factor=7.0), autograph=False)

    def slope():
        with tf.GradientTape() as tape:
            made = both(held, x)
        return tape.gradient(made, held)

    made = [first, twice, t.call(scaled, x), t.call(seven, x), t.call(slope)]
    held.assign(held * 2)
    return [*made, t.call(lambda: both(held, held))]


@case(FUNCTION, host_only=True, core=False, reference="none")
def composites_and_signatures(t):
    """Slices, sparse and ragged tensors, datasets in and out; a signature with a default; no variable's spec; texts."""
    tf, function = t.fw, t.get(FUNCTION)
    ragged = tf.RaggedTensor.from_nested_row_lengths([1, 2, 3], [[1, 2], [2, 0, 1]])
    sparse = tf.SparseTensor([[0], [8], [10]], [1, 2, 3], [20])
    slices = tf.IndexedSlices(tf.constant([1, 2]), tf.constant([0, 1]), tf.constant([2]))
    same = function(lambda x: x, autograph=False)
    for value in (ragged, sparse, slices):
        made = t.call(same, value)
        parts = [[one.numpy().tolist() for one in tf.nest.flatten(each, expand_composites=True)] for each in (made, value)]  # fmt: skip
        t.expect(type(made) is type(value) and parts[0] == parts[1], "the same, got %s" % made)

    @function(input_signature=[tf.TensorSpec([], tf.float32), tf.TensorSpec([], tf.bool)])
    def signed(x, plus=True):
        return x if plus else -x

    got = [float(t.call(signed, *args, **named)) for args, named in (((2.0,), {}), ((2.0, False), {}), ((2.0,), {"plus": False}))]  # fmt: skip
    t.expect(got == [2.0, -2.0, -2.0], "2, -2, -2, got %s" % got)
    total = function(lambda rows: rows.reduce(tf.constant(0, tf.int64), lambda a, b: a + b))
    t.expect(int(t.call(total, tf.data.Dataset.range(5))) == 10, "the sum of a dataset")
    joined = function(lambda x, y: tf.strings.join([x, y], "-"), autograph=False)
    t.expect(t.call(joined, "a", tf.constant("b")).numpy() == b"a-b", "texts")
    shapes = []
    relaxed = t.call(FUNCTION, lambda r: (shapes.append(r.shape.as_list()), r.flat_values)[1], reduce_retracing=True, autograph=False)  # fmt: skip
    for rows in ([[1], [2, 3]], [[1], [2], [3]], [[4]], [[1, 2], [3, 4], [5], [6]]):
        relaxed(tf.ragged.constant(rows))
    t.expect(shapes == [[2, None], [None, None]], "the second for all, got %s" % shapes)


@case(FUNCTION, host_only=True, core=False, reference="none")
def called_from_threads(t):
    """A hundred calls at once give each its own; it is traced once; what Python does happens while it is traced alone."""
    tf, seen = t.fw, []
    twice = t.call(FUNCTION, lambda x: (seen.append(1), x * 2.0)[1], autograph=False)
    made, held = [None] * 100, tf.Variable(0.0)
    counted = tf.function(lambda: held.assign_add(1.0), autograph=False)
    counted()

    def work(first):
        for n in range(first, 100, 4):
            made[n] = float(twice(tf.constant(float(n))))
            counted()

    threads = [threading.Thread(target=work, args=(first,)) for first in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    t.expect(made == [2.0 * n for n in range(100)], "twice each, got %s" % made)
    t.expect(1 <= len(seen) <= 4 and float(held) == 101.0, "%d traces, %s" % (len(seen), held))
    before = len(seen)
    twice(tf.constant(3.0))
    t.expect(len(seen) == before, "not traced again")
    twice.python_function(3.0)
    t.expect(len(seen) == before + 1, "Python alone")
    t.expect(twice.pretty_printed_concrete_signatures().count("float32") >= 2, "its signature")


@case(FUNCTION, host_only=True, core=False, reference="none")
def variables_made_while_traced(t):
    """Made once, of functions and of arguments, each object its own; begun apart; in a graph of version 1; never one more."""
    tf, v1, function = t.fw, t.fw.compat.v1, t.get(FUNCTION)

    def maker(first):
        held = []

        @function(autograph=False)
        def f(x):
            if not held:
                held.append(tf.Variable(first(x)))
                held.append(tf.Variable(lambda: 5.0))
            return held[0] * x, held[1] * x

        return f, held

    f, held = maker(lambda x: 2.0 * x)
    got = [[float(one) for one in t.call(f, tf.constant(x))] for x in (1.0, 3.0)]
    t.expect(got == [[2.0, 5.0], [6.0, 15.0]], "of the first argument, got %s" % got)
    held[0].assign(10.0)
    t.expect(float(t.call(f, tf.constant(1.0))[0]) == 10.0 and len(held) == 2, "as it was set")
    f, held = maker(lambda x: 2.0)
    begin = f.experimental_get_tracing_count() + len(held)
    t.expect(begin == 0, "nothing before the first call")
    f.get_concrete_function(tf.TensorSpec([]))
    t.expect([float(one) for one in held] == [2.0, 5.0], "begun by its first trace")
    with tf.Graph().as_default(), v1.Session() as session:
        f, held = maker(lambda x: tf.sqrt(tf.constant(4.0)) + 4.0)
        made = f(tf.constant(3.0))
        session.run(v1.global_variables_initializer())
        got = [float(one) for one in session.run([*made, held[0]])]
        t.expect(got == [18.0, 15.0, 6.0], "in a session, got %s" % got)
        f, _ = maker(lambda x: 2.0 * x)
        error = t.raises(Exception, f, tf.constant(3.0))
        t.expect("lift" in str(error), "no first value of an argument, got %s" % error)
    one, two, other = tf.Variable(1.0), tf.Variable(2.0), tf.Variable(4)
    count = []
    double = function(lambda x: (count.append(1), x.assign_add(x.read_value()))[1], autograph=False)
    for held in (one, two, other, one):
        t.call(double, held)
    got = [float(one), float(two), int(other), len(count)]
    t.expect(got == [4.0, 4.0, 8, 2], "each its own, two traces, got %s" % got)
    seen = []

    def watching(creator, **named):
        seen.append(creator(**named))
        return seen[-1]

    f, held = maker(lambda x: 2.0)
    with tf.variable_creator_scope(watching):
        f(tf.constant(1.0))
    t.expect([id(one) for one in seen] == [id(one) for one in held], "told to a creator")


def tripled(x):
    return x * 3.0


@case(FUNCTION, host_only=True, core=False, reference="none")
def signatures_with_more_arguments(t):
    """Arguments that a signature leaves to their defaults, or lacks; partial functions; names of parts; types of one's own; a pickle."""
    tf, c, function = t.fw, t.fw.constant, t.get(FUNCTION)
    one = (tf.TensorSpec([], tf.int32),)
    for f in (lambda a, k=4, **named: a + k, functools.partial(lambda a, b, d, k=9: a + b + d + k, 1, -4, k=7)):  # fmt: skip
        got = int(t.call(function(f, input_signature=one, autograph=False), 1))
        t.expect(got == 5, "5, got %s" % got)
    lacking = (lambda a, b, d: a, lambda a, b, **named: a, lambda a, b, *rest: a, functools.partial(lambda a, b, d, k=4: a, 1))  # fmt: skip
    for f in lacking:
        t.raises(TypeError, lambda f=f: function(f, input_signature=one, autograph=False)(1, 2, 3))
    plus = function(functools.partial(lambda x=3, y=7: c(x + y), y=6), autograph=False)
    got = [int(t.call(plus)), int(t.call(plus, y=8)), int(t.call(plus, 1))]
    t.expect(got == [9, 11, 7], "9, 11 and 7, got %s" % got)
    spec = tf.TensorSpec(None)
    parts = function(lambda x, **named: x[0] - x[1] * x[2] + named["d"], autograph=False)
    run = parts.get_concrete_function((spec, spec, spec), d=spec)
    got = float(t.call(run, x=c(1.0), x_1=c(2.0), x_2=c(3.0), d=c(4.0)))
    t.expect(got == -1.0, "by the names of its parts, got %s" % got)
    rows = function(lambda x: 2 * x, autograph=False)
    same = [rows.get_concrete_function(tf.TensorSpec([None], tf.int32)) for _ in range(2)]
    t.expect(same[0] is same[1], "one trace for one signature")
    t.raises(ValueError, lambda: function(lambda **n: n["a_b"] + n["a/b"])(**{"a_b": 1, "a/b": 2}))

    class Chosen(tf.experimental.ExtensionType):
        values: tf.Tensor
        mask: tf.Tensor

        @tf.function(autograph=False)
        def filled(self, value):
            return tf.where(self.mask, self.values, value)

    made = Chosen([1, 2, 3], [True, False, True])
    t.expect(made.filled(-1).numpy().tolist() == [1, -1, 3], "a method of a type of its own")
    back = t.call(function(lambda x: Chosen(x.values * 2, x.mask), autograph=False), made)
    t.expect(type(back) is Chosen and back.values.numpy().tolist() == [2, 4, 6], "got %s" % back)
    again = pickle.loads(pickle.dumps(function(tripled, input_signature=[spec], reduce_retracing=True)))  # fmt: skip
    t.expect(float(t.call(again, c(2.0))) == 6.0, "6 of one from a pickle")
    f = function(lambda x: x * 2.0, autograph=False)
    f(c(1.0))
    gone = weakref.ref(f)
    del f
    t.expect(gone() is None, "nothing holds it")
    kept = []
    function(lambda x: kept.append(x), autograph=False)(c(1.0))
    t.raises((TypeError, ValueError), function(lambda x: x + kept[0], autograph=False), c(1.0))


# --- what was saved


@case(LOAD, dtypes="f32", core=False, rtol={"f32": 1e-5}, reference=lambda np, x, flat, *_: [
      8 * x, 8 + 0 * x, -x, flat * 3, np.array([0, 2, 2, 5]), [x + 1, x * x], np.array([7.0])])  # fmt: skip
def loads_loops_and_composites(t, dtype):
    """A loop and a choice that AutoGraph made, and the slope through them; ragged rows in and out; functions in a list; none taken."""
    tf, kind = t.fw, t.dtype(dtype)
    x, flat = t.uniform((4,), dtype, 1, 2), t.uniform((5,), dtype, 1, 2)
    model = tf.Module()

    def grown(x, n):
        if n < 0:
            x = -x
        while n > 0:
            tf.autograph.experimental.set_loop_options(maximum_iterations=9)
            x, n = tf.multiply(x, 2), n - 1
        return x

    specs = [tf.TensorSpec([None], kind), tf.TensorSpec([], tf.int32)]
    model.grown = tf.function(grown, input_signature=specs)
    model.rows = tf.function(lambda r: r * 3, input_signature=[tf.RaggedTensorSpec([None, None], kind)], autograph=False)  # fmt: skip
    more, square = (tf.function(f, input_signature=specs[:1], autograph=False) for f in (lambda x: x + 1, lambda x: x * x))  # fmt: skip
    model.listed = [more, square]
    model.seven = tf.function(lambda: tf.constant([7.0], kind), input_signature=[], autograph=False)
    folder = os.path.join(t.tmpdir(), "model")
    tf.saved_model.save(model, folder)
    loaded = t.get(LOAD)(folder)

    def slope(x, n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            made = loaded.grown(x, n)
        return made, tape.gradient(made, x)

    def rows(flat):
        made = loaded.rows(tf.RaggedTensor.from_row_lengths(flat, [2, 0, 3]))
        return made.flat_values, made.row_splits

    made = [*t.call(slope, x, t.const(3, "i32")), t.call(loaded.grown, x, t.const(-1, "i32"))]
    made += t.call(rows, flat)
    concrete = loaded.grown.get_concrete_function()
    t.expect(concrete.structured_input_signature[0][0].shape.as_list() == [None], "its signature")
    t.raises((TypeError, ValueError), loaded.grown, x)
    return [*made, [t.call(one, x) for one in loaded.listed], t.call(loaded.seven)]


@case(LOAD, host_only=True, core=False, reference="none")
def loads_files_that_moved(t):
    """The folder may move and the files it came from may go; one file of two names is one; a function gives its path."""
    tf, here = t.fw, t.tmpdir()
    paths = [os.path.join(here, name) for name in ("one.txt", "two.txt")]
    for path in paths:
        with open(path, "w", encoding="utf-8") as out:
            out.write("of " + path)
    model = tf.Module()
    model.one, model.two, model.same = (tf.saved_model.Asset(path) for path in (*paths, paths[0]))
    model.where = tf.function(lambda: model.one.asset_path, input_signature=[], autograph=False)
    tf.saved_model.save(model, os.path.join(here, "made"))
    for path in paths:
        os.remove(path)
    os.rename(os.path.join(here, "made"), os.path.join(here, "moved"))
    loaded = t.call(LOAD, os.path.join(here, "moved"))
    found = [one.numpy().decode() for one in (loaded.one.asset_path, loaded.two.asset_path, loaded.same.asset_path, loaded.where())]  # fmt: skip
    t.expect(found[0] == found[2] == found[3] != found[1], "two files, got %s" % found)
    for path, want in zip(found, paths):
        with open(path, encoding="utf-8") as held:
            t.expect(held.read() == "of " + want and "moved" in path, "the text of %s" % path)


@case(LOAD, host_only=True, core=False, reference="none")
def loads_every_kind_of_variable(t):
    """Each bit of numbers of each kind, words; of an open shape; on a device of the host; part of what was saved when asked."""
    tf, np, folder = t.fw, t.np, os.path.join(t.tmpdir(), "model")
    model = tf.Module()
    floats, wholes = ["float16", "bfloat16", "float64", "complex64"], ["int8", "uint8", "int16", "uint16", "int64", "uint64"]  # fmt: skip
    kinds = [*floats, *wholes, "bool"]
    bits = np.arange(1, 25, dtype="uint64") * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(2)
    for name in kinds:
        kind = tf.dtypes.as_dtype(name).as_numpy_dtype
        values = bits % 2 > 0 if name == "bool" else bits.view(kind) if name != "bfloat16" else bits.view("uint16").astype("float32").astype(kind)  # fmt: skip
        setattr(model, name, tf.Variable(np.nan_to_num(values) if name in floats else values))
    model.words = tf.Variable([b"a\0", b""])
    model.open = tf.Variable([1.0, 2.0], shape=tf.TensorShape([None]))
    model.kept = [tf.Variable(3), {"deep": tf.Variable(4, trainable=False)}]
    model.grow = tf.function(lambda: model.kept[0].assign_add(1), input_signature=[], autograph=False)  # fmt: skip
    tf.saved_model.save(model, folder)
    here = tf.saved_model.LoadOptions(experimental_io_device="/job:localhost")
    part = tf.saved_model.LoadOptions(allow_partial_checkpoint=True)
    for options in ({}, {"options": here}, {"options": part}):
        loaded = t.call(LOAD, folder, **options)
        for name in kinds:
            one, other = getattr(loaded, name).numpy(), getattr(model, name).numpy()
            t.expect(one.dtype == other.dtype and one.tobytes() == other.tobytes(), "each bit of " + name)  # fmt: skip
        t.expect(loaded.words.numpy().tolist() == [b"a\0", b""], "words")
        loaded.open.assign([5.0, 6.0, 7.0])
        t.expect(loaded.open.numpy().tolist() == [5.0, 6.0, 7.0], "of another size")
        held = loaded.kept[0], loaded.kept[1]["deep"]
        t.expect([int(one) for one in held] == [3, 4] and not held[1].trainable, "in their list")
        t.expect(int(loaded.grow()) == 4 and int(held[0]) == 4, "its function changes its own")
    t.expect(int(model.kept[0]) == 3, "and not that of the model")
