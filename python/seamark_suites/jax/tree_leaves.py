"""Trees taken apart: their leaves, their structure, and both. One body for the two names of a function."""

import collections

from seamark_suites.case import case

TREE = ("0.4.25", "the module jax.tree")

Point = collections.namedtuple("Point", "x y")


def of_leaves(**header):
    """Under both names of what gives the leaves alone."""
    return _under(("jax.tree.leaves", "jax.tree_util.tree_leaves"), header)


def of_flatten(**header):
    """Under both names of what gives leaves and structure."""
    return _under(("jax.tree.flatten", "jax.tree_util.tree_flatten"), header)


def of_all(**header):
    names = ("leaves", "flatten")
    return _under(["jax.tree." + n for n in names] + ["jax.tree_util.tree_" + n for n in names],
                  header)  # fmt: skip


def _under(names, header):
    def declare(body):
        for name in names:
            since = {"since": TREE} if name.startswith("jax.tree.") else {}
            body = case(name, **dict({"host_only": True}, **since), **header)(body)
        return body

    return declare


def leaves_of(t, function, tree, **options):
    """The leaves, whichever of the functions gives them."""
    found = t.call(function, tree, **options)
    return found[0] if function.endswith("flatten") else found


@of_all(
    dtypes="f32 bf16 i32 bool f64",
    core="f32 i32",
    reference=lambda np, w, b, s: [b, s, w],
)
def arrays_in_the_order_of_keys(t, dtype, function):
    tree = {"w": t.randn((3, 20), dtype), "b": (t.randn((2,), dtype), [None, t.randn((), dtype)])}
    found = leaves_of(t, function, tree)
    t.expect(type(found) is list, "a list, got %s" % type(found))
    return found


@of_all(reference="none")
def numbers_in_the_order_of_keys(t, function):
    tree = {"b": 1, "a": [2, (3, None)], "c": {"y": 4, "x": "text"}, "d": [[], {}, ()]}
    found = leaves_of(t, function, tree)
    t.expect(found == [2, 3, 1, "text", 4], "a before b before c, got %r" % (found,))


@of_all(reference="none")
def none_and_chosen_leaves(t, function):
    tree = [None, {"k": (1, None)}, (2, 3)]
    t.expect(leaves_of(t, function, tree) == [1, 2, 3], "None is no leaf")
    found = leaves_of(t, function, tree, is_leaf=lambda x: x is None)
    t.expect(found == [None, 1, None, 2, 3], "None where it is asked for, got %r" % (found,))
    found = leaves_of(t, function, tree, is_leaf=lambda x: isinstance(x, tuple))
    t.expect(found == [(1, None), (2, 3)], "tuples as leaves, got %r" % (found,))


@of_all(reference="none", core=False)
def other_containers(t, function):
    ordered = collections.OrderedDict([("z", 1), ("a", 2)])
    default = collections.defaultdict(int, {"z": 3, "a": 4})
    found = leaves_of(t, function, [ordered, default, Point(5, 6), {7}, "89"])
    t.expect(found == [1, 2, 4, 3, 5, 6, {7}, "89"], "a set and a text as leaves, got %r" % found)


@of_all(reference="none", core=False)
def leaves_alone_and_trees_of_nothing(t, function):
    t.expect(leaves_of(t, function, 5) == [5], "a leaf is a tree")
    for nothing in (None, [], {}, (), [None, ({}, [])]):
        t.expect(leaves_of(t, function, nothing) == [], "no leaf of %r" % (nothing,))


@of_all(reference="none", core=False)
def the_very_same_objects(t, function):
    """Nothing is copied: the array itself is the leaf, as is any object."""
    array, thing = t.randn((3,), "f32"), object()
    found = leaves_of(t, function, {"a": array, "b": (thing,)})
    t.expect(found[0] is array and found[1] is thing, "the given objects")


@of_all(reference="none", core=False)
def keys_that_have_no_order(t, function):
    t.raises((TypeError, ValueError), t.call, function, {1: 2, "a": 3})
    t.raises(TypeError, t.call, function)
    t.raises(KeyError, t.call, function, [1], is_leaf=lambda x: {}["missing"])


@of_all(reference="none", core=False)
def deep_and_wide_trees(t, function):
    deep = 0
    for _ in range(200):
        deep = [deep, {"k": (1,)}]
    t.expect(leaves_of(t, function, deep) == [0] + [1] * 200, "201 leaves of a deep tree")
    wide = {"k%05d" % n: n for n in reversed(range(5000))}
    t.expect(leaves_of(t, function, wide) == list(range(5000)), "5,000 leaves in order")


def own(t):
    """A class registered as a node: its two children, and a label that is no leaf."""

    class Pair:
        def __init__(self, left, right, label):
            self.left, self.right, self.label = left, right, label

    t.fw.tree_util.register_pytree_node(
        Pair, lambda p: ((p.left, p.right), p.label), lambda label, kids: Pair(*kids, label)
    )
    return Pair


@of_all(reference="none", core=False)
def nodes_of_ones_own(t, function):
    pair = own(t)
    found = leaves_of(t, function, {"p": pair(1, [2, 3], "label"), "a": 0})
    t.expect(found == [0, 1, 2, 3], "children without the label, got %r" % (found,))
    hidden = type("Unknown", (), {})()
    t.expect(leaves_of(t, function, [hidden]) == [hidden], "an unknown class is a leaf")


@of_all(dtypes="f32", core=False, reference=lambda np, a, b: {"n": 2, "x": a * 2 + b.sum()},
        rtol={"f32": 1e-5}, atol={"f32": 1e-5})  # fmt: skip
def leaves_while_tracing(t, dtype, function):
    """Tracers are leaves: a norm over all parameters is summed so."""

    def total(tree):
        found = leaves_of(t, function, tree)
        return {"x": found[0] * 2 + found[1].sum(), "n": len(found)}

    return t.get("jax.jit")(total)([t.randn((4,), dtype), (t.randn((2, 3), dtype), None)])


# --- leaves and structure


@of_flatten(reference="none")
def flatten_and_back(t, function):
    tree = {"b": [1, None, (2, {"z": 3, "y": 4})], "a": Point(5, [])}
    leaves, structure = t.call(function, tree)
    t.expect(leaves == [5, 1, 2, 4, 3], "the leaves, got %r" % (leaves,))
    t.expect(structure.num_leaves == 5, "five leaves, got %s" % structure.num_leaves)
    again = t.fw.tree_util.tree_unflatten(structure, [leaf * 10 for leaf in leaves])
    want = {"b": [10, None, (20, {"z": 30, "y": 40})], "a": Point(50, [])}
    t.expect(again == want and isinstance(again["a"], Point), "the tree rebuilt, got %r" % (again,))


@of_flatten(reference="none")
def structures_are_equal_or_not(t, function):
    def structure(tree):
        return t.call(function, tree)[1]

    leaves, first = t.call(function, {"a": 1, "b": (2, None)})
    t.expect(leaves == [1, 2], "its leaves, got %r" % (leaves,))
    t.expect(first == structure({"b": ("x", None), "a": 9}), "the same, whatever the leaves are")
    t.expect(hash(first) == hash(structure({"a": 3, "b": (4, None)})), "and the same hash")
    for other in ({"a": 1, "b": [2, None]}, {"a": 1, "c": (2, None)}, {"a": 1, "b": (2, 3)}):
        t.expect(first != structure(other), "a structure of its own: %r" % (other,))


@of_flatten(dtypes="f32 i32", core="f32",
            reference=lambda np, x, y: {"sum": x + 1, "rest": (y - 1, None)})  # fmt: skip
def arrays_and_back(t, dtype, function):
    tree = {"sum": t.randn((2, 3), dtype), "rest": (t.randn((4,), dtype), None)}
    leaves, structure = t.call(function, tree)
    return structure.unflatten([leaves[0] - 1, leaves[1] + 1])


@of_flatten(reference="none", core=False)
def chosen_leaves_and_back(t, function):
    tree = [(1, 2), {"k": (3, None)}]
    leaves, structure = t.call(function, tree, is_leaf=lambda x: isinstance(x, tuple))
    t.expect(leaves == [(1, 2), (3, None)], "tuples as leaves, got %r" % (leaves,))
    t.expect(structure.unflatten("ab") == ["a", {"k": "b"}], "anything in their places")
    t.raises(ValueError, structure.unflatten, [1])


@of_flatten(reference="none", core=False)
def own_nodes_and_back(t, function):
    pair = own(t)
    leaves, structure = t.call(function, [pair(1, Point(2, 3), "kept")])
    made = structure.unflatten([leaf + 1 for leaf in leaves])[0]
    t.expect((made.left, made.right, made.label) == (2, Point(3, 4), "kept"), "a Pair rebuilt")
    other = t.call(function, [pair(1, Point(2, 3), "another label")])[1]
    t.expect(structure != other, "labels are part of the structure")


# --- structure alone


@case("jax.tree_util.tree_structure", host_only=True, reference="none")
def counts_of_a_structure(t):
    made = t.call("jax.tree_util.tree_structure", {"b": [1, None, (2, 3)], "a": Point(4, {})})
    t.expect(made.num_leaves == 4, "four leaves, got %s" % made.num_leaves)
    t.expect(made.num_nodes == 10, "ten nodes, got %s" % made.num_nodes)
    rebuilt = t.fw.tree_util.tree_unflatten(made, "wxyz")
    want = {"b": ["x", None, ("y", "z")], "a": Point("w", {})}
    t.expect(rebuilt == want, "the tree of other leaves, got %r" % (rebuilt,))


@case("jax.tree_util.tree_structure", host_only=True, reference="none")
def same_structures(t):
    def structure(tree):
        return t.call("jax.tree_util.tree_structure", tree)

    first = structure({"a": 1, "b": (2, None)})
    t.expect(first == structure({"b": (t.np.ones(3), None), "a": "text"}), "whatever the leaves")
    t.expect(len({first, structure({"b": (5, None), "a": 6})}) == 1, "one key of a dictionary")
    for other in (
        {"a": 1, "b": [2, None]},
        {"a": 1, "c": (2, None)},
        {"a": 1, "b": (2, 3)},
        {"a": [1], "b": (2, None)},
        collections.OrderedDict([("a", 1), ("b", (2, None))]),
        [1, (2, None)],
    ):
        t.expect(first != structure(other), "a structure of its own: %r" % (other,))
    t.expect(structure(Point(1, 2)) != structure((1, 2)), "a named tuple is no tuple")


@case("jax.tree_util.tree_structure", dtypes="f32 bf16", core="f32", host_only=True,
      reference=lambda np, w, b: {"w": w * 3, "b": [b * 3]})  # fmt: skip
def structure_of_arrays(t, dtype):
    """Shapes and dtypes are no part of it."""
    made = t.call("jax.tree_util.tree_structure", {"w": 0, "b": ["text"]})
    tree = {"w": t.randint((3, 2), dtype, -9, 9), "b": [t.randint((2,), dtype, -9, 9)]}
    t.expect(t.call("jax.tree_util.tree_structure", tree) == made, "the same structure")
    return made.unflatten([x * 3 for x in t.fw.tree_util.tree_leaves(tree)])


@case("jax.tree_util.tree_structure", host_only=True, reference="none", core=False)
def structure_of_a_leaf_and_of_none(t):
    def structure(tree, **options):
        return t.call("jax.tree_util.tree_structure", tree, **options)

    leaf, none = structure(5), structure(None)
    t.expect((leaf.num_leaves, none.num_leaves) == (1, 0), "one leaf, and none of None")
    t.expect(leaf != none, "two structures")
    kept = structure([None, 1], is_leaf=lambda x: x is None)
    t.expect(kept == structure([1, 2]), "None as a leaf where that is asked for")
    pairs = structure([(1, 2), {"k": (3,)}], is_leaf=lambda x: isinstance(x, tuple))
    t.expect(pairs == structure([1, {"k": 2}]), "tuples as leaves")


@case("jax.tree_util.tree_structure", host_only=True, reference="none", core=False)
def structures_put_together(t):
    def structure(tree):
        return t.call("jax.tree_util.tree_structure", tree)

    pair, made = structure((0, 0)), structure({"a": 0, "b": [0]})
    t.expect(made.children() == [structure(0), structure([0])], "a structure for each child")
    composed = made.compose(pair)
    t.expect(composed == structure({"a": (1, 2), "b": [(3, 4)]}), "a pair in place of each leaf")
    turned = t.fw.tree_util.tree_transpose(made, pair, {"a": (1, 2), "b": [(3, 4)]})
    t.expect(turned == ({"a": 1, "b": [3]}, {"a": 2, "b": [4]}), "transposed, got %r" % (turned,))
    t.expect(made.flatten_up_to({"a": (1, 2), "b": [[3]]}) == [(1, 2), [3]], "subtrees as leaves")


@case("jax.tree_util.tree_structure", host_only=True, reference="none", core=False)
def structure_of_own_nodes(t):
    pair = own(t)

    def structure(tree):
        return t.call("jax.tree_util.tree_structure", tree)

    first = structure(pair(1, 2, "label"))
    t.expect(first == structure(pair(3, "x", "label")), "the same label, the same structure")
    t.expect(first != structure(pair(1, 2, "other")), "another label, another structure")
    t.expect(first != structure(own(t)(1, 2, "label")), "another class, another structure")
    made = first.unflatten([7, 8])
    t.expect(isinstance(made, pair) and (made.left, made.label) == (7, "label"), "a Pair")


@case("jax.tree_util.tree_structure", host_only=True, reference="none", core=False)
def structures_that_fail(t):
    t.raises((TypeError, ValueError), t.call, "jax.tree_util.tree_structure", {1: 2, "a": 3})
    made = t.call("jax.tree_util.tree_structure", [1, (2, 3)])
    t.raises(ValueError, made.unflatten, [1, 2])
    t.raises(ValueError, made.flatten_up_to, [1])
    t.raises(TypeError, t.call, "jax.tree_util.tree_structure")


# --- beyond


@of_all(reference="none", core=False)
def whatever_is_asked_to_be_a_leaf(t, function):
    """Nothing, everything, lists, and in depth; it is asked of the whole first, and of no leaf's parts."""
    tree, seen = [(1, 2), {"k": [3, {"a": (4,)}]}], []
    rows = [(lambda x: False, [1, 2, 3, 4]), (lambda x: True, [tree]), (lambda x: isinstance(x, list), [tree]),
            (lambda x: isinstance(x, dict) and "a" in x, [1, 2, 3, {"a": (4,)}])]  # fmt: skip
    for chosen, want in rows:
        found = leaves_of(t, function, tree, is_leaf=chosen)
        t.expect(found == want, "%r, got %r" % (want, found))
    leaves_of(t, function, tree, is_leaf=lambda x: seen.append(x) or isinstance(x, dict))
    t.expect(
        seen[0] is tree and (1, 2) in seen and 3 not in seen,
        "the whole, not what is in a leaf, got %r" % (seen,),
    )


@of_leaves(reference="none", core=False)
def classes_like_containers(t, function):
    """What inherits from a container is a leaf, unless it is a named tuple or registered; static ones have no leaf."""
    import dataclasses

    util = t.fw.tree_util

    class Words(dict):
        pass

    class Row(list):
        pass

    class Fixed(tuple):
        pass

    class Further(Point):
        pass

    @dataclasses.dataclass
    class Plain:
        left: object

    @util.register_dataclass
    @dataclasses.dataclass
    class Known:
        left: object
        label: str = dataclasses.field(default="", metadata={"static": True})

    @util.register_static
    class Still(int):
        pass

    things = [Words(a=1), Row([1, 2]), Fixed((1, 2)), Plain(3)]
    found = leaves_of(t, function, things)
    t.expect(
        len(found) == 4 and all(a is b for a, b in zip(found, things)),
        "each as it is, got %r" % (found,),
    )
    found = leaves_of(
        t,
        function,
        [Further(1, [2]), Known((3, {"b": 4, "a": 5}), "six"), Still(7), (Still(8), None)],
    )
    t.expect(found == [1, 2, 3, 5, 4], "what is known is taken apart, got %r" % (found,))
    default = collections.defaultdict(list, {"b": [1], "a": [2, 3]})
    t.expect(
        leaves_of(t, function, default) == [2, 3, 1],
        "by their keys, got %r" % (leaves_of(t, function, default),),
    )
    found = t.call(function, (Known(1), [2]), lambda x: isinstance(x, (Known, list)))
    t.expect(found == [Known(1), [2]], "asked for by place, got %r" % (found,))
    t.raises((TypeError, ValueError), t.call, function, {(1, "a"): 1, (1, 2): 2})
    t.raises(TypeError, t.call, function, [1], is_leaf=3)


@of_all(reference="none", core=False)
def keys_and_things_of_other_kinds(t, function):
    """Numbers and tuples as keys, by their order; bound arguments; iterators, sets, text, NumPy's arrays are leaves."""
    jax, row = t.fw, t.np.arange(3)
    t.expect(
        leaves_of(t, function, {10: "a", 2: "b", 1: "c"}) == ["c", "b", "a"],
        "by the size of numbers",
    )
    t.expect(leaves_of(t, function, {(2, 1): 1, (1, 5): 2}) == [2, 1], "tuples by their first")
    bound = jax.tree_util.Partial(max, 1, [2, 3], key=4)
    t.expect(leaves_of(t, function, {"f": bound}) == [1, 2, 3, 4], "what is bound")
    things = [iter([1]), {1, 2}, "text", row, 2j, b"b", range(3), object(), lambda: 0]
    found = leaves_of(t, function, tuple(things))
    t.expect(
        len(found) == len(things) and all(a is b for a, b in zip(found, things)),
        "each as it is, got %r" % (found,),
    )
    empty = collections.namedtuple("Empty", "")()
    t.expect(
        leaves_of(t, function, [empty, Point((), [None])]) == [], "no leaf of nothing with a name"
    )


@of_flatten(reference="none", core=False)
def structures_in_print_and_kept(t, function):
    """As a tree of stars; in a pickle; dictionaries come back with sorted keys, unless they have an order of their own."""
    import pickle

    tree = {"b": [2, None], "a": (1,), "c": collections.defaultdict(list, {"z": 3, "y": 4})}
    leaves, structure = t.call(function, tree)
    t.expect(leaves == [1, 2, 4, 3], "the leaves, got %r" % (leaves,))
    t.expect("'a': (*,), 'b': [*, None]" in str(structure), "stars for leaves, got %s" % structure)
    t.expect(str(t.call(function, {})[1]) == "PyTreeDef({})", "nothing")
    again = pickle.loads(pickle.dumps(structure))
    t.expect(again == structure and again.unflatten(leaves) == tree, "the same out of a pickle")
    made = structure.unflatten(leaves)
    t.expect(
        list(made) == ["a", "b", "c"] and made["c"].default_factory is list,
        "sorted keys, got %r" % (made,),
    )
    ordered = t.call(function, collections.OrderedDict([("z", 1), ("a", 2)]))[1].unflatten([3, 4])
    t.expect(list(ordered.items()) == [("z", 3), ("a", 4)], "in its own order, got %r" % (ordered,))
    for wrong in ([1, 2], [1, 2, 3, 4, 5]):
        t.raises(ValueError, structure.unflatten, wrong)


@of_flatten(reference="none", core=False)
def structures_as_static_arguments(t, function):
    """A program is made once for each structure; leaves of any kind go through it by themselves."""
    jax, seen = t.fw, []
    program = jax.jit(
        lambda leaves, structure: seen.append(1) or structure.unflatten([2 * x for x in leaves]),
        static_argnums=1,
    )
    found = []
    for tree in (
        {"a": t.const([1, 2], "i32"), "b": 3},
        {"b": 5, "a": t.const([7, 8], "i32")},
        (4, [6]),
    ):
        leaves, structure = t.call(function, tree)
        made = program(leaves, structure)
        found.append([t.host(one).tolist() for one in jax.tree_util.tree_leaves(made)])
    t.expect(
        found == [[[2, 4], 6], [[14, 16], 10], [8, 12]] and len(seen) == 2,
        "two programs, got %s, %s" % (found, seen),
    )


@case("jax.tree_util.tree_structure", host_only=True, reference="none", core=False)
def structures_kept_and_walked(t):
    """In a pickle, in print, of parts put together; whatever is asked to be a leaf."""
    import pickle

    name, util = "jax.tree_util.tree_structure", t.fw.tree_util
    made = t.call(name, {"a": (1, 2), "b": [None, 3]})
    t.expect(pickle.loads(pickle.dumps(made)) == made, "the same out of a pickle")
    t.expect(
        str(made) == "PyTreeDef({'a': (*, *), 'b': [None, *]})", "stars for leaves, got %s" % made
    )
    t.expect(
        util.treedef_tuple((made, t.call(name, 1)))
        == t.call(name, ({"a": (1, 2), "b": [None, 3]}, 1)),
        "a tuple of both",
    )
    t.expect(
        util.treedef_is_leaf(t.call(name, 5)) and not util.treedef_is_leaf(made),
        "whether it is a leaf",
    )
    tree = [(1, 2), (3, 4)]
    for chosen, count in (
        (lambda x: False, 4),
        (lambda x: isinstance(x, tuple), 2),
        (lambda x: True, 1),
    ):
        t.expect(t.call(name, tree, is_leaf=chosen).num_leaves == count, "%d leaves" % count)
    deep = made.compose(t.call(name, [0, 0]))
    t.expect((deep.num_leaves, deep.num_nodes) == (6, 13), "six leaves of 13 nodes, got %s" % deep)
