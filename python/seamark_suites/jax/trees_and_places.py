"""Trees of every kind of node, specs and places, shapes that are asked for, draws: what JAX's own tests of them ask beside the rest."""

import collections
import dataclasses
import functools
import pickle

from seamark_suites.case import case

from . import reference_draws as right
from .draws import NORMAL, plan, some_key, words
from .placed_results import explicit
from .placing import mesh_of, some_devices
from .shardings import NAMED
from .tree_leaves import TREE, of_flatten
from .values_and_kinds import SOFTPLUS

# --- trees

Pair = collections.namedtuple("Pair", "foo bar")
Kept = collections.namedtuple("Kept", "foo bar")  # registered: bar is no leaf


class Sub(Pair):
    """Of a named tuple's class: a node, too."""


class Object:
    def __init__(self, x, y, z):
        self.x, self.y, self.z = x, y, z

    def __eq__(self, other):
        return type(self) is type(other) and vars(self) == vars(other)

    __hash__ = None


class Fixed(tuple):
    """Has no leaves: what it holds is part of the structure."""


@dataclasses.dataclass
class Record:
    x: tuple
    y: int
    z: int


@functools.lru_cache(None)
def registered():
    import jax

    util = jax.tree_util
    util.register_pytree_node(Kept, lambda o: ((o.foo,), o.bar), lambda bar, kids: Kept(*kids, bar))
    util.register_pytree_node(Object, lambda o: ((o.x, o.y), o.z), lambda z, kids: Object(*kids, z))
    util.register_static(Fixed)
    util.register_dataclass(Record, ["x", "y"], ["z"])


def trees():
    """A tree, its leaves, and its structure in print, or None."""
    registered()
    ordered = collections.OrderedDict([("foo", 34), ("baz", 101)])
    return [
        (None, [], "PyTreeDef(None)"), (([()],), [], "PyTreeDef(([()],))"), (((1, "foo"), ["bar", (3, None, 7)]), [1, "foo", "bar", 3, 7],
         "PyTreeDef(((*, *), [*, (*, None, *)]))"), ([3, Pair((3, Pair(3, None)), {"baz": 34})], [3, 3, 3, 34],
         "PyTreeDef([*, CustomNode(namedtuple[Pair], [(*, CustomNode(namedtuple[Pair], [*, None])), {'baz': *}])])"),
        ([Object(3, None, (4, "foo"))], [3], "PyTreeDef([CustomNode(Object[(4, 'foo')], [*, None])])"),
        (Fixed((2, 3)), [], "PyTreeDef(CustomNode(Fixed[(2, 3)], []))"), (Record((1, 2), 3, 4), [1, 2, 3],
         "PyTreeDef(CustomNode(Record[(4,)], [(*, *), *]))"), (Sub("hello", 3.5), ["hello", 3.5], None), (ordered, [34, 101], None),
        ([Kept((1, 2), 5)], [1, 2], None), ({"b": 2, "a": 1, "c": {"b": 4, "a": 3}}, [1, 2, 3, 4], "PyTreeDef({'a': *, 'b': *, 'c': {'a': *, 'b': *}})"),
    ]  # fmt: skip


@of_flatten(reference="none", core=False)
def nodes_of_every_kind(t, function):
    """Named tuples and their subclasses, nodes of one's own, static ones, records: taken apart, printed, kept, put together."""
    for tree, leaves, text in trees():
        found, structure = t.call(function, tree)
        t.expect(found == leaves, "%r of %r, got %r" % (leaves, tree, found))
        again = structure.unflatten(found)
        t.expect(again == tree and type(again) is type(tree), "%r, got %r" % (tree, again))
        t.expect(structure.flatten_up_to(tree) == leaves, "the leaves again")
        t.expect(text in (None, str(structure)), "%s, got %s" % (text, structure))
        kept = pickle.loads(pickle.dumps(structure))
        t.expect(kept == structure and hash(kept) == hash(structure), "the same out of a pickle")
        chosen, outer = t.call(function, tree, is_leaf=lambda one: isinstance(one, tuple))
        t.expect(outer.unflatten(chosen) == tree, "%r of other leaves" % (tree,))
        count = (structure.num_leaves, structure == t.call(function, [tree])[1].children()[0])
        t.expect(count == (len(leaves), True), "the only child of a list, got %s" % (count,))


# A tree, another that begins as it does, and what stands in place of its leaves; None where it does not.
PREFIXES = [
    ([(1, 2), None, Pair(3, 7)], [({"foo": 7}, (3, 4)), None, Pair((11, 9), None)], [{"foo": 7}, (3, 4), (11, 9), None]),
    ({"a": 1, "b": (2, 3)}, {"a": [7], "b": ([8], (9,))}, [[7], [8], (9,)]), ((1,), ([7],), [[7]]), (None, None, []),
    ([1, 2], [7], None), ((1,), (7, 8), None), ({"a": 1}, {"a": 7, "b": 8}, None), ({"a": 1}, {"b": 7}, None), ([1], (7,), None),
    ((1,), [7], None), ({"a": 1}, [7], None), ([[1]], [7], None), ([(1,)], [[7]], None), ([Pair(1, 2)], [(1, 2)], None),
    ([Pair(1, 2)], [Kept(1, 2)], None), ([Object(1, 2, (3,))], [(1, 2)], None), ([Object(1, 2, (3,))], [Object(1, 2, (4,))], None), (None, [2], None),
    (Record(1, 2, 3), Record(1, 2, 4), None), (Fixed((1,)), Fixed((2,)), None), (Pair(1, 2), Sub(1, 2), None),
]  # fmt: skip


@of_flatten(reference="none", core=False)
def trees_that_begin_alike(t, function):
    """What of another tree stands in place of each leaf; what does not begin as it does is refused."""
    registered()
    for tree, other, want in PREFIXES:
        leaves, structure = t.call(function, tree)
        t.expect(structure.unflatten(leaves) == tree, "the tree again")
        if want is None:
            t.raises(ValueError, structure.flatten_up_to, other)
        else:
            found = structure.flatten_up_to(other)
            t.expect(found == want, "%r, got %r" % (want, found))


@of_flatten(reference="none", core=False)
def nodes_that_cannot_be_taken_apart(t, function):
    """What a node gives is a pair of children and the rest; its own errors come through; no class twice; a walk over all."""
    util = t.fw.tree_util
    for wrong in (lambda o: "hello", lambda o: (2, 3, 4), lambda o: (7, 7), lambda o: None):
        kind = type("Bad", (), {})
        util.register_pytree_node(kind, wrong, lambda rest, kids: kind())  # noqa: B023
        t.raises((TypeError, ValueError), t.call, function, [kind()])
    kind = type("Failing", (), {})
    util.register_pytree_node(kind, lambda o: {}["missing"], lambda rest, kids: kind())
    t.raises(KeyError, t.call, function, kind())
    t.raises(ValueError, util.register_pytree_node, kind, lambda o: ((), None), lambda *_: kind())
    t.raises(ValueError, util.register_pytree_node, dict, lambda o: ((), None), lambda *_: {})
    leaves, structure = t.call(function, {"b": [1, (2, 3)], "a": 4})
    seen = []
    structure.walk(lambda node, data: seen.append(node), lambda leaf: seen.append(leaf), leaves)
    t.expect([one for one in seen if type(one) is int] == [4, 1, 2, 3], "each leaf once, got %r" % seen)  # fmt: skip


@case("jax.tree_util.tree_structure", host_only=True, core=False, reference="none")
def structures_of_every_node(t):
    """In print, counted, with three in place of each leaf, turned inside out, as one child."""
    name, util = "jax.tree_util.tree_structure", t.fw.tree_util
    three = t.call(name, [0, 0, 0])
    for tree, leaves, text in trees():
        made = t.call(name, tree)
        t.expect(text in (None, str(made)) and made.num_leaves == len(leaves), "got %s" % made)
        deep = made.compose(three)
        nodes = made.num_nodes - made.num_leaves + 4 * made.num_leaves
        t.expect((deep.num_leaves, deep.num_nodes) == (3 * len(leaves), nodes), "of three each, got %s" % deep)  # fmt: skip
        t.expect(util.treedef_tuple([made, three]) == t.call(name, (tree, [1, 2, 3])), "of both")
        t.expect(pickle.loads(pickle.dumps(made)) == made, "the same out of a pickle")
        if leaves:
            wide = util.tree_map(lambda x: [x, x, x], tree)
            t.expect(util.tree_transpose(made, three, wide) == [tree] * 3, "three of %r" % (tree,))
            t.expect(t.call(name, wide) == deep, "the structure of three each")
    t.raises((TypeError, ValueError), util.tree_transpose, t.call(name, {"a": 1, "b": 2, "c": 3}), three, {"a": [1, 2, 3], "b": [4, 5, 6]})  # fmt: skip
    t.expect(t.call(name, 3).children() == [] and t.call(name, (3, [4])).children()[1] == t.call(name, [0]), "children")  # fmt: skip


@case("jax.tree.map", host_only=True, since=TREE, core=False, reference="none")
def maps_of_every_node(t):
    """Nodes of each kind stay, with what is no leaf of them; other trees may be deeper; what differs in that is refused."""
    name = "jax.tree.map"
    for tree, leaves, _ in trees():
        made = t.call(name, lambda x: [x], tree)
        t.expect(type(made) is type(tree), "the same kind, got %r" % (made,))
        found = t.fw.tree_util.tree_leaves(made)
        t.expect(found == leaves, "the leaves within lists, got %r" % (made,))
        both = t.call(name, lambda x, y: (x, y)[1], tree, tree)
        t.expect(both == tree, "of itself twice, got %r" % (both,))
    x, y = ((1, 2), [3, 4, 5]), (([3], None), ({"foo": "bar"}, 7, [5, 6]))
    made = t.call(name, lambda *xs: xs, ((1, 2), (3, 4, 5)), y)
    want = (((1, [3]), (2, None)), ((3, {"foo": "bar"}), (4, 7), (5, [5, 6])))
    t.expect(made == want, "parts as they stand, got %r" % (made,))
    made = t.call(name, lambda *xs: xs, x, y, is_leaf=lambda n: isinstance(n, list))
    t.expect(made == (((1, [3]), (2, None)), ([3, 4, 5], y[1])), "a list as a leaf, got %r" % (made,))  # fmt: skip
    record = t.call(name, lambda a, b: a - b, Record((7, 8), 9, 4), Record((1, 2), 3, 4))
    t.expect(record == Record((6, 6), 6, 4), "of records, got %r" % record)
    t.expect(t.call(name, lambda x: None, [1, (2,)]) == [None, (None,)], "None in place of leaves")
    for tree, other, right_ in PREFIXES:
        if right_ is None:
            t.raises(ValueError, t.call, name, lambda a, b: a, tree, other)


# --- specs


@case("jax.P", since=NAMED, core=False, dtypes="f32 i32", reference=lambda np, x: [2 * x] * 5)
def specs_that_spread_nothing(t, dtype):
    """With nothing, None, empty tuples in any number: whole copies in and out of programs."""
    jax, make, mesh = t.fw, t.get("jax.P"), mesh_of(t, ("x", "y"))
    x, made = t.randint((2, 3, 4), dtype, -9, 9), []
    for entries in ((), (None,), ((),), ((), None), (None, None, ())):
        where = t.get("jax.NamedSharding")(mesh, make(*entries))
        run = lambda x, where: jax.jit(lambda v: 2 * v, in_shardings=where, out_shardings=where)(x)  # noqa: E731
        made.append(t.call(run, x, where=where))
        t.expect(where.is_fully_replicated, "whole copies by %r" % (entries,))
    return made


@case("jax.P", since=NAMED, core=False, host_only=True, reference="none")
def specs_that_do_not_fit(t):
    """An axis twice, of a number, more entries than axes, unreduced axes that a mesh has not; tuples in a first tuple."""
    make, mesh = t.get("jax.P"), mesh_of(t, ("x", "y"))
    spread = t.get("jax.NamedSharding")
    for entries in (("x", "x"), (("x", "x"),), ("x", ("y", "x")), ("z",), (("x", "z"),), (3,)):
        t.raises(Exception, spread, mesh, t.call("jax.P", *entries))
    for options in ({"unreduced": {"y", "z"}}, {"reduced": {"z"}}):
        t.raises((ValueError, TypeError), lambda: spread(mesh, t.call("jax.P", "x", **options)))  # noqa: B023
    for shape, entries in (((), ("x",)), ((4,), ("x", "y")), ((4, 2), (None, None, "x"))):
        where = spread(mesh, t.call("jax.P", *entries))
        t.raises(ValueError, t.fw.device_put, t.np.zeros(shape, "float32"), where)
    for wrong in ((("a", "b"), "c"), ("a", (("b",), "c"))):
        t.raises(ValueError, t.call, "jax.P", wrong)
    t.raises(TypeError, t.call, "jax.P", {"x"})
    t.expect(hash(make(None, "x", "y")) == hash(make((), "x", "y")), "one hash")
    t.expect(make("x", "y", "z").index("z") == 2, "where an axis is")
    t.raises(ValueError, make("x").index, "y")


@case("jax.P", since=("0.7.1", "jax.set_mesh"), core=False, dtypes="f32", rtol={"f32": 1e-5}, atol={"f32": 1e-5}, reference=lambda np, x, w: [
      2 * x, x @ w, x.sum(0), x])  # fmt: skip
def specs_in_the_types_of_arrays(t, dtype):
    """Of a mesh with explicit axes: filled up with None, carried through operations, changed by reshard."""
    jax, make, mesh = t.fw, t.get("jax.P"), explicit(t)
    x, w = t.randn((8, 3), dtype), t.randn((3, 5), dtype)
    seen = []

    def run(v, w):
        seen.append(jax.typeof(v).sharding.spec)
        made = [2 * v, v @ w, v.sum(0), jax.sharding.reshard(v, make(None, None))]
        seen.extend(jax.typeof(one).sharding.spec for one in made)
        return made

    with jax.set_mesh(mesh):
        v, w = jax.device_put(x, make("x")), jax.device_put(w, make())
        made = t.call(jax.jit(run), v, w)
    want = [make("x", None), make("x", None), make("x", None), make(None), make(None, None)]
    t.expect(seen[:5] == want, "%s, got %s" % (want, seen[:5]))
    return made


# --- device_put, eval_shape


@case(
    "jax.device_put",
    core=False,
    reference=lambda np, x: [{"a": x, "b": (x, x)}, x, np.array(2), np.array(3), np.array(True), x],
)
def trees_that_begin_with_places(t):
    """One place for a part, None for another; numbers of NumPy with their kinds; an array that is there comes back itself."""
    jax, put, x = t.fw, t.get("jax.device_put"), t.randint((6,), "f32", -9, 9)
    where = jax.sharding.SingleDeviceSharding(t.device)
    made = [t.call(lambda x: put({"a": x, "b": (x, x)}, {"a": where, "b": None}), x), t.call("jax.device_put", x, where)]  # fmt: skip
    numbers = [t.call("jax.device_put", one, t.device) for one in (t.np.float16(2), t.np.int8(3), t.np.bool_(True))]  # fmt: skip
    t.expect([str(one.dtype) for one in numbers] == ["float16", "int8", "bool"], "their kinds")
    if not t.compiled:
        placed = put(x, where)
        for again in (put(placed), put(placed, where), put(placed, where, may_alias=True), put(placed, t.device)):  # fmt: skip
            t.expect(again.unsafe_buffer_pointer() == placed.unsafe_buffer_pointer(), "no copy")
        other = put(placed, where, may_alias=False)
        t.expect(other is not placed and other.unsafe_buffer_pointer() != placed.unsafe_buffer_pointer(), "a copy")  # fmt: skip
    for tree, places in (
        ((x, (x, x)), ((where, where), where)), ((x, x, x), (where, where)), ({"a": x, "b": x}, {"a": where, "b": (where, where)}),
        ({"a": x}, {"b": where}),
    ):  # fmt: skip
        t.raises(ValueError, put, tree, places)
    first = put(x * 1, t.device)
    given = put({"a": first}, {"a": where}, donate=True)
    return [*made, *numbers, t.call(lambda v: v * 1, given["a"])]


@case("jax.device_put", core=False, reference="none")
def what_was_given_away_or_is_no_array(t):
    """A deleted array, to its own device and to others; what is masked; objects in trees; a class that cannot hold None."""
    jax, np, put = t.fw, t.np, t.get("jax.device_put")
    where = jax.NamedSharding(mesh_of(t), jax.sharding.PartitionSpec("x"))
    for place in (t.device, some_devices(t)[-1], where):
        gone = put(np.arange(8, dtype="float32"), t.device)
        gone.delete()
        t.raises(RuntimeError, lambda: jax.block_until_ready(put(gone, place)))  # noqa: B023
    for wrong in (
        np.ma.array([1, 2], mask=[0, 1]),
        {"a": object()},
        [np.array(["x"])],
        {1, 2},
        lambda: 0,
    ):
        t.raises((TypeError, ValueError), put, wrong, t.device)

    class Box(list):
        pass

    def rebuilt(rest, kids):
        t.expect(kids[0] is not None, "a child, never None")
        return Box(kids)

    jax.tree_util.register_pytree_node(Box, lambda box: (box, None), rebuilt)
    made = put(Box([0.5]), t.device)
    t.expect(type(made) is Box and float(made[0]) == 0.5, "a box again, got %r" % made)
    keys = put(jax.random.split(jax.random.key(3), 8), where)
    t.expect(bool((keys == jax.random.split(jax.random.key(3), 8)).all()), "the same keys, spread")
    t.expect(keys.sharding.is_equivalent_to(where, 1), "spread, got %s" % keys.sharding)
    copies = [t.call("jax.device_put", np.full(3, n, "float32"), t.device) for n in (1, 2)]
    t.expect([t.host(one).tolist() for one in copies] == [[1] * 3, [2] * 3], "two arrays")


@case("jax.eval_shape", host_only=True, core=False, reference="none")
def programs_and_functions_of_nothing(t):
    """Without arguments; traced once for both; where a program puts its result; programs within; of branches; what is no result."""
    jax, jnp, make, name = t.fw, t.fw.numpy, t.get("jax.ShapeDtypeStruct"), "jax.eval_shape"
    x, seen = t.randn((8, 2), "f32"), []
    found = t.call(name, lambda: {"a": jnp.ones((2, 3), "int8"), "b": (1.5, None)})
    t.expect(found["a"].shape == (2, 3) and str(found["a"].dtype) == "int8", "got %s" % found)
    t.expect(found["b"][0].weak_type and found["b"][1] is None, "weak, and None, got %s" % found)

    def once(v):
        seen.append(1)
        return v * 2

    for run in (
        lambda: t.get(name)(once, x),
        lambda: jax.jit(once)(x),
        lambda: t.get(name)(once, x),
    ):
        run()
    t.expect(len(seen) == 1, "one trace, got %d" % len(seen))
    where = jax.sharding.SingleDeviceSharding(t.device)
    placed = t.call(name, jax.jit(lambda v: v.T, out_shardings=where), x)
    t.expect(
        placed.sharding == where and placed.shape == (2, 8), "where it is put, got %s" % placed
    )
    inner = jax.jit(lambda v, n: v[:n], static_argnums=1)
    t.expect(t.call(name, lambda v: inner(v, 3), x).shape == (3, 2), "of a program within")
    branch = t.call(
        name, lambda p, v: jax.lax.cond(p, lambda v: v.sum(0), lambda v: v[0], v), True, x
    )
    t.expect(branch.shape == (2,), "of branches, got %s" % branch)
    bound = functools.partial(jnp.sum, axis=1, keepdims=True)
    t.expect(t.call(name, bound, make((4, 5), "bfloat16")).shape == (4, 1), "of bound options")
    for wrong in (lambda v: (2.0, once), lambda v: {"a": object()}, lambda v: jnp.tanh(jnp.dot(v, v)), lambda v: v.reshape(7)):  # fmt: skip
        t.raises(TypeError, t.call, name, wrong, x)
    t.raises((TypeError, ValueError), make, (2,), None)


# --- draws


@case("jax.nn.initializers.normal", kind=["bfloat16", "float16"], core=False, rtol=NORMAL, atol={"bf16": 1e-2, "f16": 1e-3}, reference=lambda np, plan, key, kind: [
      right.normal(np, plan, key), right.normal(np, plan, key, 2.0), right.normal(np, plan, key, 2.0)])  # fmt: skip
@case("jax.random.normal", kind=["bfloat16", "float16"], core=False, rtol=NORMAL, atol={"bf16": 1e-2, "f16": 1e-3}, reference=lambda np, plan, key, kind: [
      right.normal(np, plan, key)] * 3)  # fmt: skip
@case("jax.random.uniform", kind=["bfloat16", "float16"], core=False, rtol={"bf16": 0, "f16": 0}, atol={"bf16": 0, "f16": 0}, reference=lambda np, plan, key, kind: [
      right.uniform(np, plan, key), right.uniform(np, plan, key, -1, 1), right.uniform(np, plan, key)])  # fmt: skip
def kinds_by_their_names(t, function, kind):
    """A dtype as text, in a program whose shape and dtype are static; bounds or a deviation; the initializer's own dtype."""
    jax, f = t.fw, t.get(function)
    key = some_key(t, {"bfloat16": "bf16", "float16": "f16"}[kind], (30, 4))
    size = (30, 4)
    if function.endswith("initializers.normal"):
        ways = [lambda k: f(1.0, kind)(k, size), lambda k: f(2.0)(k, size, kind), lambda k: jax.jit(f(stddev=2.0, dtype=kind), static_argnums=1)(k, size)]  # fmt: skip
    else:
        program = jax.jit(f, static_argnames=["shape", "dtype"])
        bounds = {"minval": -1, "maxval": 1} if function.endswith("uniform") else {}
        ways = [lambda k: f(k, size, kind), lambda k: f(k, size, kind, **bounds), lambda k: program(k, shape=size, dtype=kind)]  # fmt: skip
    made = [t.call(way, key) for way in ways]
    t.expect([str(one.dtype) for one in made] == [kind] * 3, "%s, got %s" % (kind, made))
    return made


@case("jax.nn.initializers.normal", dtypes="c128", core=False, rtol={"c128": 1e-12, "f64": 1e-12}, reference=lambda np, *given: right.complex_normal(np, *given, 0.5))  # fmt: skip
@case("jax.random.normal", dtypes="c128", core=False, rtol={"c128": 1e-12, "f64": 1e-12}, reference=right.complex_normal)  # fmt: skip
def complex_numbers_of_64_bits(t, dtype, function):
    plan(t, "f64", (20, 5))
    draw = t.get(function)
    draw = draw(0.5) if function.endswith("initializers.normal") else draw
    return t.call(lambda key: draw(key, (20, 5), t.dtype(dtype)), words(t))


@case("jax.random.normal", core=False, reference="none", since=("0.4.26", "jax.debug_key_reuse"))
@case("jax.random.uniform", core=False, reference="none", since=("0.4.26", "jax.debug_key_reuse"))
def keys_that_may_not_be_used(t, function):
    """A key twice where that is watched; keys of words where these are refused or warn; other generators give other numbers."""
    import warnings

    jax, f = t.fw, t.get(function)
    with jax.debug_key_reuse(True):
        key = jax.random.key(7)
        first = f(key, (3,))
        t.raises(jax.errors.KeyReuseError, f, key, (3,))
        one, other = jax.random.split(jax.random.key(8))
        f(one), f(other)
    again = t.call(f, jax.random.key(7), (3,))
    t.expect(t.host(again).tolist() == t.host(first).tolist(), "the same of the same key")
    plain = t.fw.numpy.zeros(2, "uint32")
    with jax.legacy_prng_key("error"):
        t.raises(ValueError, f, plain, (3,))
        f(jax.random.key(0), (3,))
    with jax.legacy_prng_key("warn"), warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        f(plain, (3,))
        t.expect(any("Legacy" in str(w.message) for w in seen), "a warning, got %s" % seen)
    for kind in ("rbg", "unsafe_rbg"):
        keys = jax.random.split(jax.random.key(3, impl=kind), 4)
        made = t.call(lambda keys: jax.vmap(lambda key: f(key, (4000,)))(keys), keys)
        mean, deviation = (0.5, 12**-0.5) if function.endswith("uniform") else (0.0, 1.0)
        t.statistics(made, mean=mean, std=deviation)
        one = f(jax.random.key(3, impl=kind), (4000,))
        t.expect(t.host(one).tolist() == t.host(f(jax.random.key(3, impl=kind), (4000,))).tolist(), "again")  # fmt: skip


# --- softplus

WHOLE = "int8 uint8 int16 uint16 int32 uint32 float16 bfloat16 float32 bool".split()  # noqa: SIM905


@case(SOFTPLUS, core=False, rtol={"f16": 4e-3, "bf16": 1e-2, "f32": 1e-5}, reference=lambda np, x: [
      np.logaddexp(np.minimum(x, 1) if kind == "bool" else x, 0) for kind in WHOLE])  # fmt: skip
def of_every_kind(t):
    """The logarithm of two at zero, of each kind; whole numbers give f32, halves stay."""
    f = t.get(SOFTPLUS)
    made = t.call(lambda x: [f(x.astype(kind)) for kind in WHOLE], t.const([0, 1, 2, 7, 50], "i32"))
    kinds = [kind if "float" in kind else "float32" for kind in WHOLE]
    t.expect([str(one.dtype) for one in made] == kinds, "%s, got %s" % (kinds, made))
    return made


def _forwards(np, x, z):
    s = 1 / (1 + np.exp(-x))
    one = s * (1 - s)
    slope = 1 / (1 + np.exp(-z))
    return [s, one, one * (1 - 2 * s), one * (1 - 6 * one), slope, slope]


@case(SOFTPLUS, dtypes="f32 f64", core=False, rtol={"f32": 2e-5, "f64": 1e-11, "c64": 1e-5, "c128": 1e-11}, atol={"f32": 1e-6, "f64": 1e-12}, reference=_forwards)  # fmt: skip
def four_derivatives_forwards(t, dtype):
    """At zero and beside it; along both parts of a complex number."""
    jax, f, found = t.fw, t.get(SOFTPLUS), []
    for _ in range(4):
        f = lambda v, f=f: jax.jvp(f, (v,), (jax.numpy.ones_like(v),))[1]  # noqa: E731
        found.append(f)
    x = t.const([0.0, 1e-8, -1e-8, -1.5, 0.75, 3.0], dtype)
    z = t.uniform((5,), "c64" if dtype == "f32" else "c128", 0.25, 1.5)
    own = t.get(SOFTPLUS)

    def run(x, z):
        along = jax.jvp(own, (z,), (jax.numpy.ones_like(z),))[1]
        return [*(one(x) for one in found), along, jax.vmap(jax.grad(own, holomorphic=True))(z)]

    return t.call(run, x, z)
