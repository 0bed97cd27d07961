"""tf.function: arguments of classes of its caller's own, types of concrete functions, names and attributes that go along."""

import dataclasses
import threading

from seamark_suites.case import case

from .graphs_and_parts import Masked

FUNCTION = "tf.function"
HOST = {"host_only": True, "core": False, "reference": "none"}


@dataclasses.dataclass
class Twice:
    """Two of them under one more mark."""

    mark: object
    one: Masked
    two: Masked

    def __tf_flatten__(self):
        return (self.mark,), (self.one, self.two)

    @classmethod
    def __tf_unflatten__(cls, metadata, parts):
        return cls(*metadata, *parts)


def _want(condition, what):
    if not condition:
        raise TypeError(what)


@case(FUNCTION, dtypes="f32 i32", core=False, reference=lambda np, x, y: [x, y, x, y, x + y, x * y, 2 * x, 3 * y])  # fmt: skip
def data_classes_of_ones_own(t, dtype):
    """As they are, within each other, made anew, of a list; the class and what is no tensor stay, and are traced once each."""
    function, seen = t.get(FUNCTION), []
    same = function(lambda held: (seen.append(held.mask), held)[1], autograph=False)
    pair = function(lambda held: held, autograph=False)
    anew = function(lambda one, two: (Masked(one.mask, one.value + two.value), Masked("product", one.value * two.value)), autograph=False)  # fmt: skip
    listed = function(lambda held, by: Masked([*held.mask, by], by * held.value), autograph=False)

    def every(x, y):
        del seen[:]
        made = [same(Masked(mask, part)) for mask, part in ((True, x), (True, y), (False, x), (False, y))]  # fmt: skip
        _want([one.mask for one in made] == [True, True, False, False], "masks, got %s" % made)
        _want(all(type(one) is Masked for one in made), "of their class, got %s" % made)
        _want(seen == [True, False], "one trace each, got %s" % seen)
        both = pair(Twice("both", made[0], Masked(3, made[1].value)))
        _want(type(both) is Twice and both.mark == "both", "two of them, got %s" % both)
        _want((both.one.mask, both.two.mask) == (True, 3), "masks within, got %s" % both)
        total, product = anew(Masked(1, x), Masked(2, y))
        _want((total.mask, product.mask) == (1, "product"), "made anew, got %s" % total)
        more = [listed(Masked([1, "a"], x), 2), listed(Masked([1, "a"], y), 3)]
        _want([one.mask for one in more] == [[1, "a", 2], [1, "a", 3]], "lists, got %s" % more)
        return [part.value for part in (both.one, both.two, *made[2:], total, product, *more)]

    return t.call(every, t.randint((4,), dtype, -9, 10), t.randint((4,), dtype, -9, 10))


@case(FUNCTION, **HOST)
def data_classes_of_concrete_functions(t):
    """One concrete function for equal kinds, another for another mark, size or place within."""
    zeros = t.fw.zeros
    trace = t.call(FUNCTION, lambda held: held, autograph=False).get_concrete_function
    first = trace(Masked(True, zeros([1])))
    t.expect(trace(Masked(True, zeros([1]) + 1)) is first, "the same for equal kinds")
    others = [trace(held) for held in (Masked(False, zeros([1])), Masked(True, zeros([2])), Masked(True, Masked(True, zeros([1]))),
                                       Twice(1, Masked(True, zeros([1])), Masked(False, zeros([1]))), Twice(1, Masked(False, zeros([1])), Masked(True, zeros([1]))))]  # fmt: skip
    t.expect(len({id(one) for one in (first, *others)}) == 6, "six of them")
    made = first(Masked(True, t.fw.constant([5.0])))
    t.expect(type(made) is Masked and made.mask is True, "of its class, got %s" % made)
    t.expect(made.value.numpy().tolist() == [5.0], "5, got %s" % made)


@case(FUNCTION, **HOST)
def types_of_concrete_functions(t):
    """function_type: the parameters with their kinds, what is captured by its identity, the result's structure."""
    tf, c = t.fw, t.fw.constant
    spec = tf.TensorSpec([], tf.int32)
    y, rows = c(1), c([1.0, 2.0])
    made = t.call(FUNCTION, lambda x: {"given": x, "captured": y}).get_concrete_function(spec)
    kind = made.function_type
    t.expect(list(kind.parameters) == ["x"], "x alone, got %s" % kind)
    t.expect(kind.parameters["x"].type_constraint == spec, "its spec, got %s" % kind)
    t.expect(not kind.parameters["x"].optional, "no default, got %s" % kind)
    t.expect(list(kind.captures) == [id(y)] and kind.captures[id(y)] == spec, "y, got %s" % kind)
    t.expect(kind.output.flatten() == [spec, spec], "two numbers, got %s" % kind.output)
    got = {key: int(value) for key, value in made(c(2)).items()}
    t.expect(got == {"given": 2, "captured": 1}, "2 and 1, got %s" % got)
    alike = t.call(FUNCTION, lambda x: {"given": x, "captured": x + 1}).get_concrete_function(spec).function_type  # fmt: skip
    t.expect(alike.output == kind.output and not alike.captures, "alike, got %s" % alike)
    other = t.call(FUNCTION, lambda a, b=2.0: (a + int(b), rows)).get_concrete_function(spec).function_type  # fmt: skip
    t.expect(list(other.parameters) == ["a", "b"], "a and b, got %s" % other)
    t.expect(other.output != kind.output, "another structure, got %s" % other)
    t.expect(other.output.flatten() == [spec, tf.TensorSpec([2])], "got %s" % other.output)
    t.expect(other.captures == {id(rows): tf.TensorSpec([2])}, "the rows, got %s" % other)


@case(FUNCTION, **HOST)
def concrete_of_a_hundred_threads(t):
    """All at once: one and the same concrete function, traced for each dtype once."""
    tf, made, count = t.fw, [], 100
    seen = []
    run = t.call(FUNCTION, lambda x: (seen.append(x.dtype), x + 1)[1], autograph=False)
    kinds = tf.int32, tf.float32
    start = threading.Barrier(count)

    def trace(n):
        start.wait(60)
        kind = kinds[n % 2]
        made.append((kind, run.get_concrete_function(tf.TensorSpec([], kind))))

    before = threading.stack_size(1 << 20)
    try:
        threads = [threading.Thread(target=trace, args=(n,)) for n in range(count)]
        for one in threads:
            one.start()
    finally:
        threading.stack_size(before)
    for one in threads:
        one.join()
    t.expect(len(made) == count, "a hundred, got %d" % len(made))
    for kind in kinds:
        got = {id(one) for its, one in made if its == kind}
        t.expect(len(got) == 1, "one of %s, got %d" % (kind.name, len(got)))
    t.expect(sorted(kind.name for kind in seen) == ["float32", "int32"], "traced, got %s" % seen)
    got = [float(dict(made)[kind](tf.constant(4, kind))) for kind in kinds]
    t.expect(got == [5.0, 5.0], "5, got %s" % got)


@case(FUNCTION, **HOST)
def attributes_that_go_along(t):
    """experimental_implements as text of a name with attributes; experimental_attributes; one that is not known is refused."""
    tf, spec = t.fw, t.fw.TensorSpec([])
    text = 'name: "embedding" attr { key: "size" value { i: 3 } } attr { key: "mode" value { s: "mean" } }'  # fmt: skip
    made = t.call(FUNCTION, lambda x, y: x + y, experimental_implements=text)
    kept = made.get_concrete_function(spec, spec).function_def.attr["_implements"].func
    t.expect(kept.name == "embedding", "its name, got %s" % kept)
    got = sorted(kept.attr), kept.attr["size"].i, kept.attr["mode"].s
    t.expect(got == (["mode", "size"], 3, b"mean"), "its attributes, got %s" % (got,))
    t.expect(float(made(tf.constant(1.0), 2.0)) == 3.0, "3")
    made = t.call(FUNCTION, lambda x: x + 1.0, experimental_attributes={"api_implements": "k"})
    kept = made.get_concrete_function(spec).function_def.attr
    t.expect(kept["api_implements"].s == b"k", "as it says, got %s" % kept)
    t.expect(float(made(tf.constant(1.0))) == 2.0, "2")
    bare = t.call(FUNCTION, lambda x: x).get_concrete_function(spec).function_def.attr
    t.expect("_implements" not in bare and "api_implements" not in bare, "none, got %s" % bare)
    wrong = lambda: tf.function(lambda x: x, experimental_attributes={"unheard_of": "k"})(1.0)  # noqa: E731
    t.raises(ValueError, wrong)


@case(FUNCTION, **HOST)
def tracing_types_of_ones_own(t):
    """__tf_tracing_type__: traced once for equal types, anew for another; relaxed to what two have in common, where that is asked."""
    tf = t.fw

    class Kind(tf.types.experimental.TraceType):
        def __init__(self, name, size):
            self.held = name, size

        def is_subtype_of(self, other):
            return self == other or (isinstance(other, Kind) and other.held == (self.held[0], None))

        def most_specific_common_supertype(self, others):
            alike = all(isinstance(one, Kind) and one.held[0] == self.held[0] for one in others)
            if not alike:
                return None
            return self if all(one == self for one in others) else Kind(self.held[0], None)

        def placeholder_value(self, placeholder_context=None):
            return Named(*self.held)

        def __eq__(self, other):
            return isinstance(other, Kind) and self.held == other.held

        def __hash__(self):
            return hash(self.held)

    class Named:
        def __init__(self, name, size):
            self.name, self.size = name, size

        def __tf_tracing_type__(self, context):
            return Kind(self.name, self.size)

    seen = []

    def scaled(held, x):
        seen.append((held.name, held.size))
        return x * (2.0 if held.name == "a" else 3.0)

    given = [("a", 2), ("a", 2), ("a", 3), ("a", 4), ("b", 2), ("a", 2), ("b", 2)]
    for relaxed, want in (
        (False, [("a", 2), ("a", 3), ("a", 4), ("b", 2)]),
        (True, [("a", 2), ("a", None), ("b", 2)]),
    ):
        del seen[:]
        run = t.call(FUNCTION, scaled, reduce_retracing=relaxed, autograph=False)
        got = [run(Named(*one), tf.constant([1.0, 2.0])).numpy().tolist() for one in given]
        right = [[2.0, 4.0] if name == "a" else [3.0, 6.0] for name, _ in given]
        t.expect(got == right, "twice or three times, got %s" % got)
        t.expect(seen == want, "%s, got %s" % (want, seen))


@case(FUNCTION, dtypes="f32", core=False, reference=lambda np, x: [x, x, 2 * x, x, x * x])
def pairs_by_zip(t, dtype):
    """AutoGraph: zip, strict, of lists of one tensor and of two, beside a branch of the tensor."""
    function = t.get(FUNCTION)

    @function
    def paired(x):
        return list(zip([x], [x], strict=True))

    @function
    def two(x):
        made = []
        for a, b in zip([x, x], [2.0, x], strict=True):
            made.append(a * b if x[0] < a[0] + 1 else a)
        return made

    @function
    def uneven(x):
        return list(zip([x], [x, x], strict=True))

    def every(x):
        ((one, other),) = paired(x)
        return [one, other, two(x)[0], x, two(x)[1]]

    x = t.distinct((4,), dtype)
    t.raises(ValueError, uneven, x)
    return t.call(every, x)
