"""What is put together of parts, in graphs and on the host: specs, variables of version 1, Adam, known values, structures, names."""

import collections
import dataclasses
import threading
from typing import Any

from seamark_agent.harness import Skip

from seamark_suites.case import case

from .reference_variables_v1 import _steps

SPEC, GET, ADAM, ASSIGN = "tf.TensorSpec", "tf.compat.v1.get_variable", "tf.compat.v1.train.AdamOptimizer", "tf.compat.v1.assign"  # fmt: skip
STATIC, PACK, SCOPE = "tf.get_static_value", "tf.nest.pack_sequence_as", "tf.name_scope"


# --- specs


@case(SPEC, host_only=True, core=False, reference="none")
def spec_beside_open_shapes(t):
    """Of no shape, of part of one, of a whole one, of another number of axes, each beside each in a graph."""
    tf, shapes = t.fw, (None, [None, 1], [2, 3], [4, 5, 6])
    with tf.Graph().as_default():
        fed = [tf.compat.v1.placeholder(tf.int64, shape, name="fed") for shape in shapes]
        specs = [t.call(SPEC, shape, tf.int64) for shape in (None, [2, None], [2, 3], [4, 5, 6])]
        found = [[spec.is_compatible_with(one) for one in fed] for spec in specs]
        made = [tf.TensorSpec.from_tensor(one) for one in fed[:2]]
    want = [[True] * 4, [True, True, True, False], [True, False, True, False], [True, False, False, True]]  # fmt: skip
    t.expect(found == want, "%s, got %s" % (want, found))
    got = [(one.shape.rank, one.name) for one in made]
    t.expect(got == [(None, "fed"), (2, "fed_1")], "of the placeholders, got %s" % got)
    t.expect(made[1].shape.as_list() == [None, 1] and made[1].dtype == tf.int64, "%s" % made[1])


@case(SPEC, host_only=True, core=False, reference="none")
def spec_names_and_subtypes(t):
    """Any name is kept; printed exactly; what has a shape, or a name less, is a subtype; of an array; as a message."""
    tf = t.fw
    for name in ("beep", "foo/bar:0", "a-b_c/d", "_", ""):
        t.expect(t.call(SPEC, [1], name=name).name == name, "the name %r" % name)
    text = repr(t.call(SPEC, [1, None], tf.int32, "n"))
    t.expect(text == "TensorSpec(shape=(1, None), dtype=tf.int32, name='n')", "got %s" % text)
    whole = t.call(SPEC, [1, 2, 3])
    for wide in (t.call(SPEC, None), t.call(SPEC, [None] * 3), whole):
        t.expect(whole.is_subtype_of(wide), "a subtype of %s" % wide)
        t.expect(wide.is_subtype_of(whole) == (wide is whole), "%s is one of itself alone" % wide)
    named = t.call(SPEC, [1, 2, 3], name="a")
    t.expect(whole.is_subtype_of(named) and not named.is_subtype_of(whole), "a name less")
    both = whole.most_specific_common_supertype([t.call(SPEC, [1, 5, 3]), t.call(SPEC, [1, 2])])
    t.expect(both.shape.rank is None, "of two numbers of axes no shape, got %s" % both)
    made = tf.type_spec_from_value(t.np.zeros((3, 2), t.np.int32))
    t.expect(made == t.call(SPEC, [3, 2], tf.int32), "of an array, got %s" % made)
    spec = t.call(SPEC, [None, 3], tf.bfloat16, "x")
    back = tf.TensorSpec.experimental_from_proto(spec.experimental_as_proto())
    t.expect(back == spec and back.name == "x", "back from its message, got %s" % back)


@case(SPEC, host_only=True, core=False, reference="none")
def spec_names_an_argument(t):
    """The names of specs are those of a concrete function's arguments, within structures, too; one that cannot be is left out."""
    tf = t.fw
    less = tf.function(lambda pair, c: pair[0] - pair[1] * c, autograph=False)
    specs = (t.call(SPEC, [], name="first"), t.call(SPEC, [None], name="second")), t.call(SPEC, [])
    run = less.get_concrete_function(*specs)
    got = [one.name for one in run.inputs]
    t.expect(got == ["first:0", "second:0", "c:0"], "their names, got %s" % got)
    two, row = tf.constant(2.0), tf.constant([1.0, 5.0])
    made = run(second=row, c=two, first=two).numpy().tolist()
    t.expect(made == [0.0, -8.0], "by names, got %s" % made)
    t.raises((TypeError, ValueError, tf.errors.InvalidArgumentError), run, (row, row), two)
    odd = less.get_concrete_function((t.call(SPEC, [], name="a b"), t.call(SPEC, [])), two)
    t.expect("a b" not in odd.inputs[0].name, "another name, got %s" % odd.inputs[0].name)


# --- variables of version 1


@case(ASSIGN, dtypes="f32 f64 i32 i64 bf16", resource=[True, False], core=False, reference=lambda np, x, **_: [x, x, x + x[0, 0] * 0])  # fmt: skip
def assigns_each_kind_in_a_session(t, dtype, resource):
    """The new value comes back and stays. Twenty at once leave one of their values, whole."""
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    v1, tf, kind = t.fw.compat.v1, t.fw, t.dtype(dtype)
    values = t.host(t.randint((4, 5), dtype, 1, 90)).astype("int64")
    with tf.Graph().as_default(), tf.device(t.device):
        held, many = (v1.get_variable(name, initializer=tf.zeros(shape, kind), use_resource=resource)
                      for name, shape in (("held", (4, 5)), ("many", (512, 256))))  # fmt: skip
        put, given = t.get(ASSIGN), tf.cast(tf.constant(values), kind)
        once = put(held, given)
        each = [put(many, tf.fill([512, 256], tf.cast(n, kind)), use_locking=True).op for n in range(1, 21)]  # fmt: skip
        open_one = v1.placeholder(kind)
        late = put(held, open_one)
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            made = t.call(session.run, once)
            kept = session.run(held)
            session.run(each)
            left = session.run(tf.cast(many, tf.float32))
            t.expect(left.min() == left.max() and 1 <= left[0, 0] <= 20, "one value, got %s" % left)
            kinds = (ValueError, tf.errors.InvalidArgumentError)
            wrong = t.np.zeros((2, 3)).astype(kind.as_numpy_dtype)
            t.raises(kinds, session.run, late, {open_one: wrong})
            return [made, kept, session.run(held)]


def _inits(t, held):
    with t.fw.compat.v1.Session() as session:
        session.run(t.fw.compat.v1.global_variables_initializer())
        return session.run(held)


@case(GET, host_only=True, core=False, reference="none")
def get_variable_through_getters(t):
    """Getters around one another make several of one; each is told how it is read, added up and whether it is reused."""
    v1, tf, told = t.fw.compat.v1, t.fw, []

    def summed(getter, name, *args, **kwargs):
        return getter(name + "/s0", *args, **kwargs) + getter(name + "/s1", *args, **kwargs)

    def product(getter, name, *args, **kwargs):
        return getter(name + "/p0", *args, **kwargs) * getter(name + "/p1", *args, **kwargs)

    def telling(getter, name, *args, **kwargs):
        told.append((kwargs["synchronization"], kwargs["aggregation"], kwargs["reuse"]))
        return getter(name, *args, **kwargs)

    with tf.Graph().as_default():
        with v1.variable_scope("a", custom_getter=product), v1.variable_scope("b", custom_getter=summed):  # fmt: skip
            made = t.call(GET, "v", [2, 3])
        parts = v1.trainable_variables()
        want = ["a/b/v/s%d/p%d:0" % (i, j) for i in (0, 1) for j in (0, 1)]
        t.expect([one.name for one in parts] == want, "four, got %s" % [one.name for one in parts])
        total, each = _inits(t, [made, parts])
        right = each[0] * each[1] + each[2] * each[3]
        t.expect(abs(total - right).max() < 1e-6, "their sum of products, got %s" % total)
        read, mean = tf.VariableSynchronization.ON_READ, tf.VariableAggregation.MEAN
        with v1.variable_scope("c", custom_getter=telling) as scope:
            first = t.call(GET, "w", [1], synchronization=read, aggregation=mean)
        with v1.variable_scope(scope, reuse=True):
            t.expect(t.call(GET, "w", [1]) is first, "the same one")
        t.expect(told[0][:2] == (read, mean) and not told[0][2] and told[1][2] is True, "%s" % told)

        def renamed(creator, **kwargs):
            return creator(**dict(kwargs, initial_value=lambda: tf.fill([2], 7.0)))

        with tf.variable_creator_scope(renamed):
            made = t.call(GET, "x", [2], use_resource=True)
        t.expect(_inits(t, made).tolist() == [7.0, 7.0], "what a creator makes of it")


@case(GET, host_only=True, core=False, reference="none")
def get_variable_parts_again(t):
    """Parts have numbered names and come back whole; another cut is refused; a number is not cut."""
    v1, tf = t.fw.compat.v1, t.fw

    def cut(parts):
        return lambda shape=None, **_: [parts] + [1] * (len(shape) - 1)

    with tf.Graph().as_default():
        with v1.variable_scope("s", partitioner=cut(2)) as scope:
            held, number = t.call(GET, "n", (3, 1, 2)), t.call(GET, "z", ())
            scope.reuse_variables()
            t.expect(t.call(GET, "n", (3, 1, 2)) is held, "the same one")
            t.raises(ValueError, t.call, GET, "new", [2])
        with v1.variable_scope("s", reuse=True):
            t.expect(t.call(GET, "n") is held, "without a cut, too")
        with v1.variable_scope("s", reuse=True, partitioner=cut(3)):
            t.raises(ValueError, t.call, GET, "n", (3, 1, 2))
        got = [one.name for one in v1.global_variables()]
        want = ["s/n/part_0:0", "s/n/part_1:0", "s/z:0"]
        t.expect(got == want and number.shape.rank == 0, "%s, got %s" % (want, got))
        t.expect((held.name, held.as_tensor().name) == ("s/n", "s/n:0"), "one name for all")
        parts, whole = _inits(t, [list(held), held.as_tensor()])
    t.expect([one.shape for one in parts] == [(2, 1, 2), (1, 1, 2)], "two rows and one")
    t.expect((t.np.concatenate(parts) == whole).all(), "one behind the other")


@case(GET, host_only=True, core=False, reference="none")
def get_variable_from_elsewhere(t):
    """A function that says where is told its name and dtype; another thread meets it in its scope, and begins outside of others."""
    v1, tf, told, found = t.fw.compat.v1, t.fw, [], []
    with tf.Graph().as_default() as graph:

        def place(op):
            if op.type in ("VariableV2", "VarHandleOp"):
                told.append((op.name, op.get_attr("dtype").name))
            return "/device:CPU:0"

        with v1.device(place):
            t.call(GET, "x", (10, 20), use_resource=True)
            t.call(GET, "y", dtype=tf.int64, initializer=t.np.arange(7), use_resource=False)
        t.expect(told == [("x", "float32"), ("y", "int64")], "both, got %s" % told)

        def work(scope):
            with graph.as_default(), v1.variable_scope("foo"):
                try:
                    found.append(t.get(GET)("v", [2]).name)
                except ValueError:
                    found.append("refused")
            with graph.as_default(), v1.variable_scope(scope), v1.variable_scope("in"):
                found.append(t.get(GET)("v%d" % len(found), [2]).name)

        with v1.variable_scope("main") as scope:
            for _ in range(2):
                one = threading.Thread(target=work, args=(scope,))
                one.start()
                one.join()
    want = ["foo/v:0", "main/in/v1:0", "refused", "main/in/v3:0"]
    t.expect(found == want, "%s, got %s" % (want, found))


@case(GET, host_only=True, core=False, reference="none")
def get_variable_by_its_scope(t):
    """A scope's constraint, initializer and regularizer, set later, too, or none; local ones; no first value of another dtype."""
    v1, tf, half = t.fw.compat.v1, t.fw, lambda x: x * 0.5
    with tf.Graph().as_default(), v1.variable_scope("s", caching_device="/job:far"):
        with v1.variable_scope("in", caching_device=""):
            near = t.call(GET, "v", [2], use_resource=False).value().device
        t.expect("far" not in near, "kept nowhere else, got %s" % near)
    with tf.Graph().as_default():
        with v1.variable_scope("s", constraint=half) as scope:
            held = t.call(GET, "v", [2])
            scope.set_initializer(v1.constant_initializer(0.25))
            scope.set_regularizer(tf.reduce_sum)
            later = t.call(GET, "w", [2])
            free = t.call(GET, "x", [2], regularizer=v1.no_regularizer)
        t.expect(held.constraint is half and later.constraint is half, "the scope's constraint")
        losses = v1.losses.get_regularization_losses()
        t.expect(len(losses) == 1 and free.name == "s/x:0", "one loss, got %s" % losses)
        local = t.call(GET, "y", [1], collections=[v1.GraphKeys.LOCAL_VARIABLES])
        t.expect(v1.local_variables() == [local] and local not in v1.global_variables(), "local")
        read = tf.VariableSynchronization.ON_READ
        trained = t.call(GET, "r", [1], synchronization=read, trainable=True)
        t.expect(trained.trainable and trained in v1.trainable_variables(), "trained when asked")
        old = t.call(GET, "o", [2], use_resource=False)
        t.expect(t.call(GET, "p", [3], old.dtype).dtype.base_dtype == tf.float32, "of a reference")
        kinds = ["int8", "uint8", "int16", "uint16", "int64", "bool"]
        zeros = [t.call(GET, kind, (3, 4), kind) for kind in kinds]
        for wrong in ({"initializer": tf.constant(1), "dtype": tf.float64}, {"initializer": {}},
                      {"initializer": lambda x: [2]}):  # fmt: skip
            t.raises((ValueError, TypeError), t.call, GET, "wrong", **wrong)
        with v1.Session() as session:
            session.run([one.initializer for one in (later, free, *zeros)])
            got = session.run([later, free, losses[0]])
            t.expect([one.tolist() for one in got] == [[0.25] * 2, [0.25] * 2, 0.5], "got %s" % got)
            made = session.run(zeros)
        got = [(one.dtype.name, one.shape, bool(one.any())) for one in made]
        t.expect(
            got == [(kind, (3, 4), False) for kind in kinds], "zeros of each kind, got %s" % got
        )


def _adam_twice(np, x, g, rate=None, **_):
    """Of the slopes, of these row by row from the end, and the powers of both means behind three steps."""
    rate = 0.001 if rate is None else rate
    made = (_steps(np, x, [lambda _, slope=slope: slope] * 3, rate) for slope in (g, g[::-1]))
    return [*next(made), *next(made), 0.9**4, 0.999**4]


# Its numbers are taken in 32 bits, of which 1 - 0.999 keeps five digits.
@case(ADAM, dtypes="f32 f64", resource=[True, False], rate=[None], core=False, rtol={"f32": 1e-5, "f64": 2e-5}, atol={"f32": 1e-6, "f64": 3e-8},
      reference=_adam_twice)  # fmt: skip
@case(ADAM, dtypes="f16 f32 f64", resource=[True, False], rate=[0.25], core=False, rtol={"f32": 1e-5, "f64": 2e-5, "f16": 2e-3},
      atol={"f32": 1e-6, "f64": 3e-8, "f16": 2e-3}, reference=_adam_twice)  # fmt: skip
def adam_of_either_kind(t, dtype, resource, rate):
    """Three steps with the numbers it has by default, locked; a dense slope and one by rows of 64-bit places; its powers."""
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    v1, tf, kind = t.fw.compat.v1, t.fw, t.dtype(dtype)
    x, g = (t.uniform((4, 3), dtype, low, low + 1) for low in (1, 0.5))
    start, slope = t.host(x), t.host(g)
    with tf.Graph().as_default(), tf.device(t.device):
        held = [v1.get_variable(name, initializer=tf.constant(start, kind), use_resource=resource) for name in "ab"]  # fmt: skip
        rows = tf.IndexedSlices(tf.constant(slope, kind), tf.constant([3, 2, 1, 0], tf.int64), tf.constant([4, 3]))  # fmt: skip
        made = t.get(ADAM)(*[rate] * (rate is not None), use_locking=True)
        step = made.apply_gradients([(tf.constant(slope, kind), held[0]), (rows, held[1])])
        powers = [one for one in made.variables() if "power" in one.name]
        slots = [[one, made.get_slot(one, "m"), made.get_slot(one, "v")] for one in held]
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            for _ in range(3):
                t.call(session.run, step)
            found, last = session.run([slots, sorted(powers, key=lambda one: one.name)])
            return [*found[0], *found[1], *last]


@case(ADAM, host_only=True, core=False, reference="none")
def adam_of_several_graphs(t):
    """One optimizer eagerly and in two graphs keeps the state of each apart; gates, of which there are three."""
    v1, tf = t.fw.compat.v1, t.fw
    made = t.call(ADAM, 0.5)
    one, two = tf.Variable(1.0, name="v"), tf.Variable(2.0, name="w")
    made.minimize(lambda: one * 3.0 + two, var_list=[one, two])
    t.expect(len({id(held) for held in made.variables()}) == 6, "two powers and four slots")
    t.expect(abs(float(one) - 0.5) < 1e-5, "one step of the rate, got %s" % float(one))
    for gate in (v1.train.Optimizer.GATE_NONE, v1.train.Optimizer.GATE_OP, v1.train.Optimizer.GATE_GRAPH):  # fmt: skip
        with tf.Graph().as_default(), v1.Session() as session:
            t.expect(made.variables() == [], "no state of another graph")
            held = [v1.get_variable(name, initializer=[3.0, 3.0]) for name in "vw"]
            loss = tf.reduce_sum(held[0] * held[1])
            step = made.minimize(loss, gate_gradients=gate, colocate_gradients_with_ops=True)
            session.run(v1.global_variables_initializer())
            for _ in range(2):
                session.run(step)
            got = session.run(held)
            t.expect(len(made.variables()) == 6, "six in this graph")
            t.expect(t.np.allclose(got, 2.0, atol=1e-2), "two steps, got %s" % got)
    t.expect(len(made.variables()) == 6 and abs(float(one) - 0.5) < 1e-5, "as it was")
    with tf.Graph().as_default():
        held = v1.get_variable("v", initializer=[3.0])
        t.raises(ValueError, made.minimize, held * held, gate_gradients=7)


# --- what is known, packed and named


@case(STATIC, host_only=True, core=False, reference="none")
def static_value_of_parts(t):
    """Of three axes; of stacks and what they come apart to, in part; of an open axis, along another axis, and of more it is not known."""
    fw, np = t.fw, t.np
    with fw.Graph().as_default():
        fed, open_axis = fw.compat.v1.placeholder(fw.float32, [2, 3]), fw.compat.v1.placeholder(fw.int32, [])  # fmt: skip
        array = np.arange(6, dtype="float32").reshape(2, 3)
        one, deep = fw.constant(array), np.random.RandomState(0).rand(3, 4, 7).astype("float32")
        got = t.call(STATIC, fw.constant(deep))
        t.expect(got.shape == (3, 4, 7) and (got == deep).all(), "the values of three axes")
        packed = fw.stack([one, fed])
        for tensor, some in ((fw.concat([one, one], open_axis), True), (fw.stack([one, fed], axis=1), True),
                             (fw.concat([one, fed], 1), True), (packed, False), (fed + 1, True)):  # fmt: skip
            t.expect(t.call(STATIC, tensor, partial=some) is None, "not known: %s" % tensor)
        parts = [t.call(STATIC, part, partial=True) for part in fw.unstack(packed)]
        t.expect((parts[0] == array).all() and parts[1] is None, "the first alone, got %s" % parts)
        parts = [t.call(STATIC, part, partial=True) for part in fw.split(packed, 2)]
        t.expect(
            (parts[0][0] == array).all() and parts[1][0] is None, "so of a split, got %s" % parts
        )
        joined = t.call(STATIC, fw.concat([one, one], 1))
        t.expect((joined == np.concatenate([array, array], 1)).all(), "joined, got %s" % joined)
        size, rank = t.call(STATIC, fw.size(fw.constant(0.0))), t.call(STATIC, fw.rank(one))
        t.expect(
            (size, rank) == (1, 2) and rank.shape == () and rank.dtype == np.int32, "%s" % rank
        )
        wide = t.call(STATIC, fw.cast(fw.zeros([3, 0, 7]), fw.float64))
        t.expect(wide.shape == (3, 0, 7) and wide.dtype == np.float64, "nothing, of 64 bits")
        same = t.call(STATIC, fw.equal(fw.constant([[0, 1]]), fw.constant([[0], [1]])))
        t.expect(same.tolist() == [[True, False], [False, True]], "broadcast, got %s" % same)
        filled = t.call(STATIC, fw.fill([3], fw.constant(-1.0)))
        t.expect(filled.tolist() == [-1.0] * 3 and filled.dtype == np.float32, "got %s" % filled)


@case("tf.is_tensor", host_only=True, core=False, reference="none")
def is_tensor_of_values(t):
    """What a session gives for sparse and ragged tensors and slices is none, nor is a type of one's own with a tensor in it."""
    tf, v1 = t.fw, t.fw.compat.v1

    class Pair(tf.experimental.ExtensionType):
        one: tf.Tensor

    with tf.Graph().as_default(), v1.Session() as session:
        made = [tf.SparseTensor([[0]], [5.0], [2]), tf.ragged.constant([[1], [2, 3]]), tf.IndexedSlices(tf.constant([1.0]), tf.constant([0])),
                v1.get_variable("v", [2], use_resource=False), v1.get_variable("w", [2], use_resource=True)]  # fmt: skip
        t.expect(all(t.call("tf.is_tensor", one) for one in made), "tensors of a graph")
        t.expect(not t.call("tf.is_tensor", made[0].op), "an operation is none")
        values = session.run(made[:2])
    for value in (*values, Pair(tf.constant(1.0)), tf.constant(1).shape, tf.constant(1.0).numpy(), iter([tf.constant(1)])):  # fmt: skip
        t.expect(not t.call("tf.is_tensor", value), "no tensor: %r" % (value,))


class Mapping(collections.abc.Mapping):
    def __init__(self, *args):
        self.kept = dict(*args)

    def __getitem__(self, key):
        return self.kept[key]

    def __iter__(self):
        return iter(self.kept)

    def __len__(self):
        return len(self.kept)


Named, Empty = collections.namedtuple("Named", ("b", "c")), collections.namedtuple("Empty", "")


@dataclasses.dataclass
class Masked:
    """What says itself which of its parts are leaves."""

    mask: Any
    value: Any

    def __tf_flatten__(self):
        return (self.mask,), (self.value,)

    @classmethod
    def __tf_unflatten__(cls, metadata, components):
        return cls(metadata[0], components[0])


@case(PACK, host_only=True, core=False, reference="none")
def pack_all_within_one(t):
    """Named tuples, mappings of one's own, ordered and plain dictionaries, lists and leaves; its own classes; none with no leaf."""
    ordered = collections.OrderedDict([("b", 9), ("a", 8)])
    like = [14, Named("a", True), {"d": Mapping({41: 42}), "c": [0, ordered], "b": 3}, "hi"]
    got = t.call(PACK, like, ["z", 3, 4, 5, 1, 2, 3, 4, 17])
    t.expect(got[:2] == ["z", Named(3, 4)] and got[3] == 17 and got[2]["b"] == 5, "got %r" % (got,))
    inner = got[2]["c"]
    t.expect(inner[0] == 1 and list(inner[1].items()) == [("b", 3), ("a", 2)], "got %r" % (inner,))
    t.expect(type(got[2]["d"]) is Mapping and dict(got[2]["d"]) == {41: 4}, "a mapping")
    held = Masked(True, [1, (2,)])
    got = t.call(PACK, {"z": held, "a": 0}, [7, 8, 9])
    t.expect(got == {"z": Masked(True, [8, (9,)]), "a": 7}, "by its own leaves, got %r" % (got,))
    for none in ([], (), {}, Empty()):
        got = t.call(PACK, none, [])
        t.expect(got == none and type(got) is type(none), "%r, got %r" % (none, got))
        t.raises(ValueError, t.call, PACK, none, [1])
    t.raises(ValueError, t.call, PACK, held, [1, 2, 3])
    t.raises(ValueError, t.call, PACK, "scalar", [4, 5])
    t.raises(TypeError, t.call, PACK, [4, 5], "bad")


@case(SCOPE, host_only=True, core=False, reference="none")
def name_scope_objects(t):
    """Entered twice, within itself and again; an underscore within another alone; of a graph that is current; threads begin outside."""
    tf, names = t.fw, []
    with tf.Graph().as_default() as graph:
        made = t.call(SCOPE, "q")
        with made as first, made as second:
            names += [first, second, graph.get_name_scope()]
        with made as third, t.call(SCOPE, "_y") as fourth:
            names += [third, fourth, tf.add(1, 2, name="sum").name, tf.constant(1).name]
            names += [tf.add(1, 2, name="sum").name, graph.get_name_scope()]
        t.raises(ValueError, t.call(SCOPE, "_y").__enter__)
        with t.call(SCOPE, "a/b.c-d"):
            names.append(tf.constant(1, name="k").name)
        with t.call(SCOPE, "Q") as other:
            names.append(other)
        with t.call(SCOPE, "out"):
            with tf.Graph().as_default(), t.call(SCOPE, "in") as apart:
                names.append(apart)
            with tf.control_dependencies(None), tf.device(None):
                names.append(tf.constant(1, name="k").name)
    want = ["q/", "q/q/", "q/q", "q_1/", "q_1/_y/", "q_1/_y/sum:0", "q_1/_y/Const:0", "q_1/_y/sum_1:0", "q_1/_y",
            "a/b.c-d/k:0", "Q_2/", "in/", "out/k:0"]  # fmt: skip
    t.expect(names == want, "%s, got %s" % (want, names))
    found = []
    with t.call(SCOPE, "mine"):
        other = threading.Thread(target=lambda: found.append(tf.Variable(1.0, name="v").name))
        other.start()
        other.join()
    t.expect(found == ["v:0"], "no scope of another thread, got %s" % found)

    class Layer(tf.Module):
        @tf.Module.with_name_scope
        def build(self):
            return tf.Variable(1.0, name="w").name

    with t.call(SCOPE, "outer"):
        layer = Layer(name="dense")
    t.expect(layer.build() == "outer/dense/w:0", "that of its module, got %s" % layer.build())
