"""Nodes that keep what they were made of, static ones of every kind and what a program makes of them; trees whose first is a list."""

import dataclasses
import functools

from seamark_suites.case import case

from .tree_leaves import TREE, of_all, of_flatten
from .trees_and_places import Object


class Cache:
    """Its leaves are those of what it holds; the structure of that is its label."""

    def __init__(self, held, *, leaves=None, structure=None):
        import jax

        if structure is None:
            leaves, structure = jax.tree_util.tree_flatten(held)
        self.leaves, self.structure = leaves, structure

    @property
    def held(self):
        return self.structure.unflatten(self.leaves)

    def __eq__(self, other):
        return type(self) is type(other) and self.held == other.held

    __hash__ = None


class Whole(int):
    """Static: what it is, is part of the structure."""


class Words(dict):
    """Static, too, though it has no hash of its own."""

    def __hash__(self):
        return hash(tuple(sorted(self.items())))


@dataclasses.dataclass
class Box:
    """Static, and equal to every other one."""

    value: int

    def __hash__(self):
        return 0

    def __eq__(self, other):
        return isinstance(other, Box)


class Keyed(Object):
    """Is registered with keys."""


@dataclasses.dataclass
class Fixed:
    x: object


@functools.lru_cache(None)
def registered():
    import jax

    util = jax.tree_util

    def rebuilt(structure, kids):
        if not util.all_leaves(kids):
            kids, structure = util.tree_flatten(util.tree_unflatten(structure, kids))
        return Cache(None, leaves=kids, structure=structure)

    util.register_pytree_node(Cache, lambda o: (o.leaves, o.structure), rebuilt)
    for kind in (Whole, Words, Box):
        util.register_static(kind)
    util.register_pytree_with_keys(Keyed, lambda o: ((("x", o.x), ("y", o.y)), o.z), lambda z, kids: Keyed(*kids, z))  # fmt: skip
    util.register_dataclass(Fixed, [], ["x"])
    return jax.numpy.arange(4)


def rows():
    registered()
    return [
        (Cache(None), []), (Cache(1), [1]), (Cache({"a": [1, 2]}), [1, 2]), (Whole(1), []), (Words(foo=4, bar=5), []), (Box(2), []),
        ([Keyed(3, None, (4, "foo"))], [3]), ([Cache({"b": 3, "a": (1, 2)}), Whole(7), {"k": Keyed([5], 6, "z")}], [1, 2, 3, 5, 6]),
    ]  # fmt: skip


@of_all(reference="none", core=False)
def leaves_of_what_is_kept(t, function):
    """Of a node that keeps a structure, of static ones none, of one with keys as of one without."""
    for tree, want in rows():
        found = t.call(function, tree)
        found = found[0] if isinstance(found, tuple) else found
        t.expect(found == want, "%r of %r, got %r" % (want, tree, found))
    util, cached = t.fw.tree_util, Cache({"a": 1, "b": 2})
    turned = util.tree_transpose(util.tree_structure(cached), util.tree_structure([1, 2]), Cache({"a": [3, 4], "b": [5, 6]}))  # fmt: skip
    t.expect(turned == [Cache({"a": 3, "b": 5}), Cache({"a": 4, "b": 6})], "turned inside out, got %r" % turned)  # fmt: skip


@of_flatten(reference="none", core=False)
def what_is_kept_comes_back(t, function):
    """With leaves, with trees in their places, under a tuple as a leaf; static ones as they were, whatever they are."""
    for tree, want in rows():
        leaves, structure = t.call(function, tree)
        again = structure.unflatten(leaves)
        t.expect(again == tree and type(again) is type(tree), "%r, got %r" % (tree, again))
        t.expect(structure == t.call(function, again)[1] and structure.num_leaves == len(want), "its structure")  # fmt: skip
        chosen, outer = t.call(function, tree, is_leaf=lambda one: isinstance(one, tuple))
        t.expect(outer.unflatten(chosen) == tree, "%r of other leaves" % (tree,))
    deep = t.call(function, Cache({"a": 1, "b": 2}))[1].unflatten([[3, 4], 5])
    t.expect(deep.leaves == [3, 4, 5] and deep.held == {"a": [3, 4], "b": 5}, "a deeper one, got %s" % (deep.leaves,))  # fmt: skip
    first, other = (t.call(function, one)[1] for one in (Box(2), Box(1)))
    t.expect(first == other and first.unflatten([]).value == 2, "equal, and each its own")
    t.expect(t.call(function, Whole(1))[1] != t.call(function, Whole(2))[1], "other numbers, other structures")  # fmt: skip


@case("jax.tree_util.tree_structure", host_only=True, core=False, reference="none")
def structures_written_down(t):
    """As bytes of a protocol buffer, of containers alone; out of them the same one."""
    util, name = t.fw.tree_util, "jax.tree_util.tree_structure"
    for tree in ([1, [2], (3,), {"a": 4, "b": 5}], None, 3, ((), [None]), {"x": {"y": (1, None)}}):
        made = t.call(name, tree)
        kept = made.serialize_using_proto()
        again = util.PyTreeDef.deserialize_using_proto(util.default_registry, kept)
        t.expect(again == made and isinstance(kept, bytes), "%s, got %s" % (made, again))
    t.raises(ValueError, t.call(name, rows()[6][0]).serialize_using_proto)


@case("jax.tree.map", host_only=True, since=TREE, core=False, reference="none")
def lists_beside_none(t):
    """Where None is a leaf: a list in the first tree does not fit None in the second; None in the first stands for all of it."""
    name, none = "jax.tree.map", lambda x: x is None
    both = lambda x, y: (x, y)  # noqa: E731
    error = t.raises(ValueError, t.call, name, both, [1, [2]], [1, None], is_leaf=none)
    t.expect("[1]" in str(error), "the place, got %s" % error)
    t.raises(ValueError, t.call, name, both, {"a": {"b": 1}}, {"a": None}, is_leaf=none)
    t.raises(ValueError, t.call, name, both, [1, (2,)], [1, None], is_leaf=none)
    found = t.call(name, both, [1, None], [1, [2]], is_leaf=none)
    t.expect(found == [(1, 1), (None, [2])], "None for a list, got %r" % (found,))
    found = t.call(name, both, [1, None], [None, None], is_leaf=none)
    t.expect(found == [(1, None), (None, None)], "None for a number, got %r" % (found,))
    for tree, _ in rows()[1:2] + rows()[3:]:
        made = t.call(name, lambda x: x, tree)
        t.expect(made == tree and type(made) is type(tree), "%r, got %r" % (tree, made))


@case("jax.jit", core=False, reference="none")
def static_nodes_as_arguments(t):
    """Traced once for what is equal, though it were another; again for another. Labels that are arrays fail at the second call."""
    jax, jit, seen = t.fw, t.get("jax.jit"), []
    numbers = registered()  # one array, as what is kept of an earlier call is compared with it

    def traced(x, node):
        seen.append(node)
        value = node.value if isinstance(node, Box) else node["foo"] if isinstance(node, Words) else int(node)  # fmt: skip
        return x + value

    for nodes, count, want in (
        ((Whole(2), Whole(2)), 1, [3, 5]), ((Whole(2), Whole(4)), 2, [3, 7]), ((Words(foo=2), Words(foo=2)), 1, [3, 5]),
        ((Words(foo=2), Words(foo=4)), 2, [3, 7]), ((Box(2), Box(1)), 1, [3, 5]),
    ):  # fmt: skip
        program = jit(lambda x, node: traced(x, node))
        seen.clear()
        found = [int(t.call(program, x, node)) for x, node in zip((1, 3), nodes)]
        t.expect(found == want, "%s, got %s" % (want, found))
        t.expect(t.compiled or len(seen) == count, "traced %d times, got %d" % (count, len(seen)))
    program = jit(lambda node: 1)
    t.expect(int(program(Fixed(numbers))) == 1 and int(program(Fixed(numbers))) == 1, "itself twice")  # fmt: skip
    t.raises(ValueError, program, Fixed(jax.numpy.arange(4)))
    held = jit(lambda node: jax.tree_util.tree_map(lambda x: 2 * x, node))(Cache({"a": 1, "b": [2]}))  # fmt: skip
    t.expect(
        [int(one) for one in held.leaves] == [2, 4], "what a node keeps, got %s" % (held.leaves,)
    )
