"""tf.function as its own tests call it: concrete functions by structure and by part, what is refused, what may not be changed."""

import collections
import functools

from seamark_suites.case import case

FUNCTION = "tf.function"
Pair = collections.namedtuple("Pair", "a b")
HOST = {"host_only": True, "core": False, "reference": "none"}


@case(FUNCTION, **HOST)
def concrete_of_structures(t):
    """Traced by values or by specs, by place or by name; called by structure, by name or by parts; numbers of Python are bound."""
    tf, c = t.fw, t.fw.constant

    @t.get(FUNCTION)
    def both(x, y):
        return x["a"] + x["b"], y[0] + y[1]

    one, two = {"a": c(1000), "b": c(200)}, (c(30), 4)
    specs = {"a": tf.TensorSpec([], tf.int32), "b": tf.TensorSpec([], tf.int32)}, (tf.TensorSpec([], tf.int32), 4)  # fmt: skip
    trace = both.get_concrete_function
    for made in (trace(one, two), trace(one, y=two), trace(y=two, x=one), trace(*specs), trace(specs[0], y=specs[1]), trace(x=specs[0], y=specs[1])):  # fmt: skip
        for got in (made(one, two), made(one, y=two), made(y=two, x=one), made(c(1000), c(200), c(30))):  # fmt: skip
            got = type(got), [int(each) for each in got]
            t.expect(got == (tuple, [1200, 34]), "1200 and 34, got %s" % (got,))
    bound = {"a": 3000, "b": 200, "c": 9000}
    for given, calls, want in (
        ((one, (50, 3)), [(one, (50, 3))], 1253),
        ((bound, two), [(bound, two)], 3234),
        (({"a": 5000, "b": 500}, (50, 5)), [(), ({"a": 5000, "b": 500}, (50, 5))], 5555),
    ):
        made = t.call(trace, *given)
        for args in calls:
            got = sum(int(each) for each in made(*args))
            t.expect(got == want, "%d, got %d" % (want, got))
        got = sum(int(each) for each in made(x=given[0], y=given[1]))
        t.expect(got == want, "%d by names, got %d" % (want, got))
    joined = t.call(FUNCTION, lambda x, y: tf.strings.join([x, y])).get_concrete_function(c("a"), "b")  # fmt: skip
    for got in (joined(c("a")), joined(x=c("a")), joined(c("a"), "b"), joined(x=c("a"), y="b")):
        t.expect(got.numpy() == b"ab", "ab, got %s" % got)


@case(FUNCTION, **HOST)
def concrete_by_names(t):
    """Names in any order reach their arguments; the names of specs that are turned about; a name of a part; results in a structure."""
    tf, c = t.fw, t.fw.constant
    letters = {"q": "d", "a": "f", "p": "g", "r": "b", "v": "c", "m": "a", "l": "e"}
    listed = t.call(FUNCTION, lambda **named: tf.strings.join([named[key] for key in sorted(named)], ","), autograph=False)  # fmt: skip
    listed.get_concrete_function(**{key: c("s") for key in letters})
    for keys in ("mrvqlap", "qaprvml", "almpqrv"):
        got = t.call(listed, **{key: c(letters[key]) for key in keys}).numpy()
        t.expect(got == b"f,e,a,g,d,b,c", "by their names, got %s" % got)
    t.expect(listed.experimental_get_tracing_count() == 1, "one trace of any order")
    turned = t.call(FUNCTION, lambda x, y: x * 10 + y, autograph=False)
    made = turned.get_concrete_function(x=tf.TensorSpec(None, tf.int32, name="y"), y=tf.TensorSpec(None, tf.int32, name="x"))  # fmt: skip
    t.expect(int(made(x=c(5), y=c(6))) == 56, "by the arguments' own names")
    first = t.call(FUNCTION, lambda x: x[0] * 3, autograph=False)
    made = first.get_concrete_function([tf.TensorSpec(None, tf.float32, "z"), 2])
    t.expect(float(made(z=c(3.0))) == 9.0, "by a part's name")
    same = t.call(FUNCTION, lambda x: x + 1, autograph=False)
    for spec, name in ((tf.TensorSpec(None, name="y"), "y"), (tf.TensorSpec(None, name="z"), "z")):
        made = same.get_concrete_function(spec)
        t.expect(float(made(**{name: c(3.0)})) == 4.0, "by the name %s" % name)
        t.expect(made.structured_input_signature[0][0].name == name, "as it says")
    square = t.call(FUNCTION, lambda a: (tf.matmul(a, a), {"b": tf.constant(1.0)}), autograph=False)
    made = square.get_concrete_function(tf.TensorSpec([2, 2]))
    t.expect(made.output_shapes == (tf.TensorShape([2, 2]), {"b": tf.TensorShape([])}), "shapes")
    t.expect(made.output_dtypes == (tf.float32, {"b": tf.float32}), "dtypes")
    made = t.call(FUNCTION, lambda a, b: None).get_concrete_function(c(1), c(1))
    t.expect(made.output_dtypes is None and made(c(1), c(1)) is None, "None")  # fmt: skip
    product = t.call(FUNCTION, lambda p: tf.matmul(p.a["a"], p.b["b"]), autograph=False)
    made = product.get_concrete_function(Pair({"a": tf.TensorSpec([2, 2], name="a")}, {"b": tf.TensorSpec([2, 2], name="b")}))  # fmt: skip
    x = c([[1.0, 2.0], [3.0, 4.0]])
    t.expect(made(a=x, b=x).numpy().tolist() == [[7.0, 10.0], [15.0, 22.0]], "parts of a named tuple")  # fmt: skip
    t.expect(product(Pair({"a": x}, {"b": x})).shape == [2, 2], "whole")


@case(FUNCTION, **HOST)
def concrete_refuses(t):
    """Arguments that lack, are too many, have another name, structure, rank of rows, dtype or value than it was traced for."""
    tf, c = t.fw, t.fw.constant

    @t.get(FUNCTION)
    def f(x, y=5, *rest, **named):
        return x

    rows = tf.ragged.constant([[1, 2], [3]])
    for given, named, call, by_name in (
        ((1, c(2)), {}, (1,), {}),
        ((1, 2, c(1.0)), {}, (1, 2), {}),
        ((1, 2), {}, (1, 2, 3), {}),
        ((1, 2), {"c": c(1.0)}, (1, 2), {}),
        ((1, 2), {}, (1, 2), {"c": c(1.0)}),
        ((rows,), {}, ({"a": c([1, 2, 3])}, 5), {}),
        ((rows,), {}, (tf.ragged.constant([[[1]]]), 5), {}),
        ((tf.ragged.constant([[1]]),), {}, (tf.ragged.constant([[1.0]]), 5), {}),
        (({"a": c(1), "b": c(1)},), {}, (c(1), 5), {}),
        (((c(1), c(2)),), {}, (c(1), 5), {}),
        ((c(1),), {}, (c(1.0), 5), {}),
        ((5,), {}, (8, 5), {}),
        ((5,), {}, (c(6), 5), {}),
        ((1, 2), {}, (1, 2), {"x": 3}),
    ):
        made = t.call(f.get_concrete_function, *given, **named)
        kinds = TypeError, tf.errors.InvalidArgumentError, tf.errors.InternalError
        t.raises(kinds, made, *call, **by_name)
    one = t.call(FUNCTION, lambda x: x).get_concrete_function
    t.raises(TypeError, tf.function(lambda x: one(1)(x)), c(1))
    t.raises(TypeError, one(1), 2)
    t.expect(int(one(c(1))(1)) == 1, "a number for a tensor")
    plus = t.call(FUNCTION, lambda x: x + 1.0).get_concrete_function(c([1.0]))
    t.expect(plus(c([1.0, 2.0])).numpy().tolist() == [2.0, 3.0], "eagerly another size is taken")
    t.raises((TypeError, ValueError), tf.function(lambda: plus(c([1.0, 2.0]))))


@case(FUNCTION, **HOST)
def arguments_are_not_changed(t):
    """A list, a dictionary or what is within, that is changed while it is traced, is refused, as a named argument too."""
    tf, c = t.fw, t.fw.constant
    listed = lambda: [c(0.0), c(1.0)]  # noqa: E731
    mapped = lambda: {"t1": c(0.0), "t2": c(1.0)}  # noqa: E731
    for change in (
        lambda x: x.append(c(0.0)),
        lambda x: x.extend([c(0.0)]),
        lambda x: x.insert(0, c(0.0)),
        lambda x: x.pop(),
        lambda x: x.reverse(),
        lambda x: x.clear(),
        lambda x: x.__setitem__(0, c(5.0)),
    ):
        t.raises(ValueError, t.call(FUNCTION, change, autograph=False), listed())
    for change in (
        lambda x: x.clear(),
        lambda x: x.pop("t1"),
        lambda x: x.popitem(),
        lambda x: x.update({"t1": c(3.0)}),
        lambda x: x.setdefault("t3", c(3.0)),
    ):
        t.raises(ValueError, t.call(FUNCTION, change, autograph=False), mapped())
    t.raises(ValueError, t.call(FUNCTION, lambda **named: named["x"].append(c(0.0)), autograph=False), x=listed())  # fmt: skip
    deep = [{"t1": listed()}, c(2.0)]
    t.raises(ValueError, t.call(FUNCTION, lambda x: x[0]["t1"].append(c(1.0)), autograph=False), deep)  # fmt: skip
    moved = t.call(FUNCTION, lambda x: x[0].append(x[1].pop(0)), autograph=False)
    t.raises(ValueError, moved, [[c(0.0)], [c(1.0), c(2.0)]])
    kept = t.call(FUNCTION, lambda x: tf.add_n([*x, x[0]]), autograph=False)
    t.expect(float(kept([c(1.0), c(3.0)])) == 5.0, "read alone, as often as one likes")


@case(FUNCTION, **HOST)
def arguments_of_methods_that_lack(t):
    """Of a method, a method that is a function already, an object that is called, functions of two layers: one argument lacks, or is twice."""
    function = t.get(FUNCTION)

    def dressed(f):
        @functools.wraps(f)
        def inner(*args, **named):
            return f(*args, **named)

        return inner

    class Held(t.fw.Module):
        def plain(self, x, y):
            return x + y

        @function
        def traced(self, x, y):
            return x + y

        @function
        @dressed
        def outer(self, x, y, z=1):
            return x + y + z

        @dressed
        @function
        def inner(self, x, y):
            return x + y

        @function
        @function
        def twice(self, x, y):
            return x + y

        def __call__(self, x, y):
            return x + y

    held = Held()
    forms = [t.call(FUNCTION, held.plain), held.traced, t.call(FUNCTION, held.traced), held.inner, held.twice, t.call(FUNCTION, held),
             t.call(FUNCTION, lambda x, y: x + y)]  # fmt: skip
    for form in forms:
        t.expect(int(form(2, 3)) == int(form(x=2, y=3)) == int(form(2, y=3)) == 5, "5 of %s" % form)
        for args, named in (((2,), {}), ((), {"y": 2}), ((), {"x": 2}), ((2,), {"x": 3})):
            t.raises(TypeError, form, *args, **named)
    t.expect(int(held.outer(2, 3)) == 6 and int(held.outer(2, 3, z=5)) == 10, "with a default")
    t.raises(TypeError, held.outer, 2)
    three = t.call(FUNCTION, lambda x, y=None: x)
    t.raises(TypeError, three, y=1)
    t.expect(int(three(x=1)) == 1, "one by name")


@case(FUNCTION, **HOST)
def signatures_of_none(t):
    """An empty signature leaves all to their defaults; a signature of a method with any number of arguments; one that is too narrow."""
    tf, function, scalar = t.fw, t.get(FUNCTION), t.fw.TensorSpec([], t.fw.float32)

    class Held(tf.Module):
        @function(input_signature=[])
        def none(self):
            return 1

        @function(input_signature=[])
        def two(self, x=3, y=4):
            return x * y

        @function(input_signature=[scalar, scalar])
        def less(self, *args):
            return args[0] - args[1]

    held = Held()
    t.expect(held.none.input_signature == held.two.input_signature == (), "none")
    t.expect((int(held.none()), int(held.two())) == (1, 12), "their defaults")
    t.raises(TypeError, held.two, 5)
    t.expect(float(held.less.get_concrete_function()(-12.0, 3.0)) == -15.0, "of two")
    narrow = t.call(FUNCTION, lambda x: x + 1, input_signature=[tf.TensorSpec([1])])
    wide = t.call(FUNCTION, lambda x: narrow(x), input_signature=[tf.TensorSpec(None)])
    t.expect(wide(tf.constant([1.0])).numpy().tolist() == [2.0], "an unknown shape within a known one")  # fmt: skip
    double = t.call(FUNCTION, lambda x: 2.0 * x, input_signature=[tf.TensorSpec(None)])
    for made in (double.get_concrete_function(), double.get_concrete_function(tf.TensorSpec(None))):
        t.expect(float(made(tf.constant(0.5))) == 1.0, "doubled")
        t.expect(made.structured_input_signature[0] == (tf.TensorSpec(None, name="x"),), "as it says")  # fmt: skip
    one = t.call(FUNCTION, lambda x: x, input_signature=[tf.TensorSpec([2])])
    t.raises(TypeError, one.get_concrete_function, tf.TensorSpec([3]))
    t.raises(TypeError, t.call, FUNCTION, lambda a, b: a, input_signature=[(2, 3), tf.TensorSpec([2, 3])])  # fmt: skip
    t.expect(float(t.call(FUNCTION, lambda _: _ + _)(1.0)) == 2.0, "an argument named by a line")
    t.expect(float(t.call(FUNCTION, lambda x: 1.0)(range(5))) == 1.0, "a range, which is not used")


@case(FUNCTION, **HOST)
def partial_functions(t):
    """Arguments bound by place and by name, tensors among them, defaults that are others, of a function with many."""
    tf, c = t.fw, t.fw.constant
    partial = functools.partial
    plus = lambda x, y: x + y  # noqa: E731
    t.expect(float(t.call(FUNCTION, partial(plus, 1.0))(c(2.0))) == 3.0, "one by place")
    t.expect(t.call(FUNCTION, partial(plus, x=tf.zeros([1]), y=tf.ones([1])))().numpy().tolist() == [1.0], "both by name")  # fmt: skip
    t.expect(int(t.call(FUNCTION, partial(plus, c(1)))(5)) == 6, "a tensor by place")
    seen = []

    def unroll(core, rows, state, length=None, rounds=1, swap=False):
        seen.append((core(1, 2), length, rounds, swap))
        return rows + state

    run = t.call(FUNCTION, partial(unroll, lambda *args: args, swap=True), autograph=False)
    got = run(tf.ones([1, 2, 1]), tf.fill([1, 1], 4.0)).numpy().tolist()
    t.expect(got == [[[5.0], [5.0]]] and seen == [((1, 2), None, 1, True)], "got %s, %s" % (got, seen))  # fmt: skip
    wrapped = t.call(FUNCTION, lambda x, y=2: x + y, input_signature=[tf.TensorSpec((), tf.int32)])
    t.expect(int(wrapped(c(1))) == 3, "a default beside a signature")
