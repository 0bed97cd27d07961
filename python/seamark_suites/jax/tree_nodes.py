"""Classes of one's own as nodes of trees: jax.tree_util.register_pytree_node. Each call makes a class and registers it."""

import copy
import pickle

from seamark_suites.case import case

NODE = "jax.tree_util.register_pytree_node"


def node(**header):
    return case(NODE, **dict({"host_only": True}, **header))


def registered(flatten=None, unflatten=None):
    """(the class, what registering gave): two children, and a label that is no leaf."""
    import jax

    class Pair:
        def __init__(self, left, right, label="none"):
            self.left, self.right, self.label = left, right, label

    given = jax.tree_util.register_pytree_node(
        Pair,
        flatten or (lambda p: ((p.left, p.right), p.label)),
        unflatten or (lambda label, kids: Pair(*kids, label)),
    )
    return Pair, given


def doubled(x, y):
    import jax

    pair, given = registered()
    made = jax.tree_util.tree_map(lambda leaf: leaf * 2, pair(x, [y], "kept"))
    return made.left, made.right[0], made.label, given is None, type(made) is pair


@node(
    dtypes="f32 bf16 i32",
    core="f32 i32",
    reference=lambda np, x, y: (2 * x, 2 * y, "kept", True, True),
)
def a_node_is_mapped_over(t, dtype):
    return t.call(doubled, t.randn((3, 2), dtype), t.randn((4,), dtype))


def descended(w, b, x):
    import jax

    pair, _ = registered()

    @jax.jit
    def step(params, x):
        def loss(p):
            return ((p.left * x + p.right) ** 2).sum()

        slope = jax.grad(loss)(params)
        return jax.tree_util.tree_map(lambda p, g: p - 0.25 * g, params, slope)

    made = step(pair(w, b), x)
    return made.left, made.right


@node(
    dtypes="f32 f64",
    core="f32",
    rtol={"f32": 1e-5, "f64": 1e-13},  # several roundings, and a difference
    atol={"f32": 1e-5, "f64": 1e-13},
    reference=lambda np, w, b, x: (w - 0.5 * (w * x + b) * x, b - 0.5 * (w * x + b)),
)
def a_node_is_trained(t, dtype):
    """Through jit and grad, as the parameters of a model."""
    return t.call(descended, *[t.randn((6,), dtype) for _ in range(3)])


def batched(x, y):
    import jax

    pair, _ = registered()
    made = jax.vmap(lambda p: pair(p.left.sum(), p.left * p.right))(pair(x, y))
    axes = pair(0, None)
    other = jax.vmap(lambda p: p.left * p.right.sum(), in_axes=(axes,))(pair(x, y))
    return made.left, made.right, other


@node(
    dtypes="f32",
    core=False,
    rtol={"f32": 1e-5},
    atol={"f32": 1e-5},  # sums that may cancel
    reference=lambda np, x, y: (x.sum(1), x * y[:, None], x * y.sum()),
)
def a_node_is_batched(t, dtype):
    """Through vmap, as an argument, as a result, and as its axes."""
    return t.call(batched, t.randn((4, 3), dtype), t.randn((4,), dtype))


def carried(x):
    import jax

    pair, _ = registered()

    def step(state, value):
        state = pair(state.left + value, state.right * 0.5, state.label)
        return state, state.right

    start = pair(jax.numpy.zeros((), x.dtype), jax.numpy.ones((), x.dtype), "state")
    state, halves = jax.lax.scan(step, start, x)
    chosen = jax.lax.cond(x[0] > 0, lambda s: s, lambda s: pair(-s.left, s.right, s.label), state)
    return chosen.left, state.right, halves, state.label


@node(
    dtypes="f32",
    core=False,
    rtol={"f32": 1e-5},  # five sums
    reference=lambda np, x: (x.sum(), 0.5**5, 0.5 ** np.arange(1, 6), "state"),
)
def a_node_is_carried(t, dtype):
    """Through scan and cond."""
    return t.call(carried, t.uniform((5,), dtype, 1, 2))


def counted_traces(x):
    import jax

    pair, _ = registered()
    seen = []

    @jax.jit
    def traced(p):
        seen.append(p.label)
        return p.left + (1 if p.label == "one" else 2)

    found = [traced(pair(x, x, label)) for label in ("one", "two", "one")]
    return found, seen


@node(dtypes="f32 i32", core="f32", reference=lambda np, x: ([x + 1, x + 2, x + 1], ["one", "two"]))
def labels_are_static(t, dtype):
    """Another label is another program; the same one is traced once."""
    return t.call(counted_traces, t.distinct((7,), dtype))


def pieces():
    import jax

    util = jax.tree_util
    pair, _ = registered()
    one, two = pair(1, (2, None), "x"), pair(3, (4, None), "x")
    leaves, structure = util.tree_flatten({"p": one, "a": 0})
    again = util.tree_unflatten(structure, "abc")["p"]
    same = util.tree_structure(one) == util.tree_structure(two)
    other = util.tree_structure(one) == util.tree_structure(pair(1, (2, None), "y"))
    whole = util.tree_leaves([one], is_leaf=lambda v: isinstance(v, pair))
    return leaves, (again.left, again.right, again.label), same, other, whole[0] is one


@node(reference="none")
def a_node_is_flattened(t):
    found = t.call(pieces)
    want = ([0, 1, 2], ("b", ("c", None), "x"), True, False, True)
    t.expect(found == want, "%r, got %r" % (want, found))


def unregistered():
    """A class that is not registered, and one that inherits from a registered one."""
    import jax

    pair, _ = registered()
    child = type("Child", (pair,), {})
    plain = type("Plain", (), {})()
    given = [child(1, 2), plain]
    return [a is b for a, b in zip(jax.tree_util.tree_leaves(given), given)]


@node(reference="none")
def subclasses_are_no_nodes(t):
    t.expect(t.call(unregistered) == [True, True], "both objects as leaves")


def nested():
    import jax

    outer, _ = registered()
    inner, _ = registered()
    tree = outer(inner(1, None, "in"), {"k": inner(2, 3)}, "out")
    made = jax.tree_util.tree_map(lambda x: x * 10, tree)
    return made.left.left, made.left.right, made.left.label, made.right["k"].right, made.label


@node(reference="none", core=False)
def nodes_within_nodes(t):
    found = t.call(nested)
    t.expect(found == (10, None, "in", 30, "out"), "each class for itself, got %r" % (found,))


def without_children():
    import jax

    class Config:
        def __init__(self, value):
            self.value = value

    jax.tree_util.register_pytree_node(
        Config, lambda c: ((), c.value), lambda value, kids: Config(value)
    )
    scale = jax.jit(lambda config, x: x * config.value)
    return jax.tree_util.tree_leaves(Config(3)), scale(Config(3), 2), scale(Config(5), 2)


@node(reference="none", core=False)
def a_node_without_children(t):
    """Settings alone: all of it is static."""
    leaves, three, five = t.call(without_children)
    t.expect(leaves == [], "no leaf, got %r" % (leaves,))
    t.expect((int(three), int(five)) == (6, 10), "2 x 3 and 2 x 5, got %s, %s" % (three, five))


def twice():
    import jax

    pair, _ = registered()
    jax.tree_util.register_pytree_node(pair, lambda p: ((), None), lambda label, kids: None)


def flattened_wrongly():
    import jax

    pair, _ = registered(flatten=lambda p: 3)
    return jax.tree_util.tree_leaves(pair(1, 2))


def without_functions():
    import jax

    jax.tree_util.register_pytree_node(type("Plain", (), {}), None, None)


def again_a_list():
    import jax

    jax.tree_util.register_pytree_node(list, lambda x: (x, None), lambda label, kids: list(kids))


@node(reference="none", core=False)
def wrong_registrations(t):
    t.raises(ValueError, t.call, twice)
    t.raises(ValueError, t.call, again_a_list)
    t.raises((TypeError, ValueError), t.call, flattened_wrongly)
    t.raises(TypeError, t.call, without_functions)
    t.raises(KeyError, t.call, fails_to_flatten)


def fails_to_flatten():
    """An error of the class's own comes out as it is."""
    import jax

    pair, _ = registered(flatten=lambda p: {}["missing"])
    return jax.tree_util.tree_leaves(pair(1, 2))


def with_paths():
    import jax

    util = jax.tree_util

    class Named:
        def __init__(self, left, right):
            self.left, self.right = left, right

    def with_keys(p):
        return ((util.GetAttrKey("left"), p.left), (util.GetAttrKey("right"), p.right)), None

    jax.tree_util.register_pytree_node(
        Named, lambda p: ((p.left, p.right), None), lambda _, kids: Named(*kids), with_keys
    )
    plain, _ = registered()
    paths = util.tree_flatten_with_path({"n": Named(1, [2]), "p": plain(3, 4)})[0]
    leaves = util.tree_leaves({"n": Named(1, [2]), "p": plain(3, 4)})
    return [(util.keystr(path), leaf) for path, leaf in paths], leaves


@node(reference="none", core=False, since=("0.4.36", "the argument flatten_with_keys_func"))
def paths_to_children(t):
    """By the names that are given with the children, else by their numbers."""
    paths, leaves = t.call(with_paths)
    want = [
        ("['n'].left", 1),
        ("['n'].right[0]", 2),
        ("['p'][<flat index 0>]", 3),
        ("['p'][<flat index 1>]", 4),
    ]
    t.expect(paths == want and leaves == [1, 2, 3, 4], "%s, got %s" % (want, paths))


def rebuilt_of_anything():
    """JAX rebuilds nodes of placeholders; children may come from any iterable; what is kept may be any object with equality."""
    import jax

    util = jax.tree_util
    pair, _ = registered(flatten=lambda p: (iter([p.left, p.right]), (p.label, frozenset([1]))),
                         unflatten=lambda kept, kids: make(kept, kids))  # fmt: skip
    make = lambda kept, kids: pair(*kids, kept[0])  # noqa: E731
    given = pair(1, [2, None], "kept")
    leaves, structure = util.tree_flatten(given)
    made = util.tree_unflatten(structure, [object(), None])
    whole = util.tree_map(lambda x: None, given)
    axes = jax.vmap(lambda p: p.left * 2, in_axes=(pair(0, None, "kept"),))(
        pair(jax.numpy.arange(3), [5, None], "kept")
    )
    return (
        leaves,
        made.label,
        whole.left is None,
        axes.tolist(),
        util.tree_structure(given) == structure,
    )


@node(reference="none", core=False)
def nodes_of_placeholders(t):
    found = t.call(rebuilt_of_anything)
    t.expect(found == ([1, 2], "kept", True, [0, 2, 4], True), "got %r" % (found,))


def wrong_results(made):
    import jax

    pair, _ = registered(flatten=lambda p: made)
    return jax.tree_util.tree_flatten(pair(1, 2))


def arrays_as_labels():
    import jax

    pair, _ = registered()
    run = jax.jit(lambda p: p.left)
    run(pair(1.0, 2.0, jax.numpy.arange(3)))
    return run(pair(1.0, 2.0, jax.numpy.arange(3)))


@node(reference="none", core=False)
def children_that_are_none(t):
    """What flattens must give two parts, the first of which can be gone through; a label without equality fails in a program."""
    for made in ("hello", (1, 2, 3), (7, None), None):
        t.raises((TypeError, ValueError), t.call, wrong_results, made)
    t.raises((TypeError, ValueError), t.call, arrays_as_labels)


def of_a_named_tuple():
    import collections

    import jax

    point = collections.namedtuple("point", "x y")
    plain = jax.tree_util.tree_leaves(point(1, "text"))
    jax.tree_util.register_pytree_node(
        point, lambda p: ((p.x,), p.y), lambda y, kids: point(*kids, y)
    )
    made = jax.tree_util.tree_map(lambda x: x * 2, point(1, "text"))
    return plain, jax.tree_util.tree_leaves(point(1, "text")), made, type(made) is point


@node(reference="none", core=False)
def a_named_tuple_in_another_way(t):
    """What is registered comes before what named tuples are by themselves."""
    found = t.call(of_a_named_tuple)
    t.expect(found == ([1, "text"], [1], (2, "text"), True), "got %r" % (found,))


def two_that_differ():
    import jax

    pair, _ = registered()
    add = jax.tree.map
    plus = lambda a, b: a + b  # noqa: E731
    return add, plus, pair(1, 2, "kept"), pair


@node(reference="none", core=False)
def nodes_that_differ(t):
    """Another label, another class, a tuple, a child more: none is mapped over together with the first."""
    add, plus, one, pair = t.call(two_that_differ)
    made = add(plus, one, pair(10, 20, "kept"))
    t.expect((made.left, made.right, made.label) == (11, 22, "kept"), "children of two, added")
    other, _ = registered()
    for wrong in (pair(1, 2, "other"), other(1, 2, "kept"), (1, 2), None, [1, 2]):
        t.raises(ValueError, add, plus, one, wrong)
        t.raises(ValueError, add, plus, [one], [wrong])
    t.raises(ValueError, add, plus, (1, 2), one)
    deeper = add(lambda a, b: (a, b), one, pair(3, (4, 5), "kept"))
    t.expect(
        deeper.right == (2, (4, 5)), "a tree under a leaf goes along, got %r" % (deeper.right,)
    )


def before_and_after(x):
    import jax

    class Late:
        def __init__(self, value):
            self.value = value

    run = jax.jit(lambda late: late.value * 2)
    errors = []
    for program in (run, jax.grad(lambda late: late.value.sum()), jax.vmap(lambda late: late)):
        try:
            program(Late(x))
        except TypeError:
            errors.append(True)
    try:
        jax.jit(lambda v: Late(v))(x)
    except TypeError:
        errors.append(True)
    jax.tree_util.register_pytree_node(
        Late, lambda late: ((late.value,), None), lambda _, kids: Late(*kids)
    )
    slope = jax.grad(lambda late: (late.value * late.value).sum())(Late(x))
    made = jax.jit(lambda v: Late(v + 1))(x)
    return errors, run(Late(x)), slope.value, made.value


@node(
    dtypes="f32 bf16",
    core=False,
    host_only=False,
    reference=lambda np, x: ([True] * 4, 2 * x, 2 * x, x + 1),
)
def an_argument_once_it_is_registered(t, dtype):
    """A program, a slope and vmap refuse an object of a class that is no node, as argument and as result."""
    return t.call(before_and_after, t.randint((4,), dtype, -9, 9))


class Kept:
    """A node that pickle finds again."""

    def __init__(self, value, label):
        self.value, self.label = value, label

    def __repr__(self):
        return "Kept(%r)" % (self.value,)


def kept_and_shown():
    import jax

    util = jax.tree_util
    if "registered" not in vars(Kept):
        Kept.registered = True
        util.register_pytree_node(Kept, lambda k: ((k.value,), k.label), lambda n, v: Kept(*v, n))
    return util.tree_structure([Kept(1, "first"), (2, None)])


@node(reference="none", core=False)
def structures_with_nodes_of_ones_own(t):
    """Out of a pickle and a copy the same one, with its class and its label; both are shown in print."""
    structure = t.call(kept_and_shown)
    again = copy.copy(structure), copy.deepcopy(structure), pickle.loads(pickle.dumps(structure))
    for one in again:
        t.expect(one == structure and hash(one) == hash(structure), "equal, got %r" % (one,))
        made = one.unflatten([5, 6])
        t.expect((made[0].value, made[0].label, made[1]) == (5, "first", (6, None)), "rebuilt")
    words = str(structure)
    t.expect(all(word in words for word in ("Kept", "first", "None")), "in print, got %s" % words)
    t.expect((structure.num_leaves, structure.num_nodes) == (2, 6), "leaves and nodes")
    child, pair = structure.children()
    t.expect(child.node_data() == (Kept, "first"), "its class and label, got %r" % (child,))
    t.expect(pair.num_leaves == 1, "the other child")


def of_one_child_more():
    import jax

    pair, _ = registered()
    structure = jax.tree_util.tree_structure(pair(1, 2))
    return structure, pair


@node(reference="none", core=False)
def leaves_that_do_not_fit(t):
    """As many leaves as a node has; a child that is None is none; unflatten may be given anything."""
    structure, pair = t.call(of_one_child_more)
    for wrong in ([], [1], [1, 2, 3]):
        t.raises(ValueError, structure.unflatten, wrong)
    t.expect(structure.unflatten(iter([7, None])).right is None, "any leaves")
    up_to = structure.flatten_up_to(pair([1, 2], None))
    t.expect(up_to == [[1, 2], None], "what is under its leaves, got %r" % (up_to,))
    t.raises(ValueError, structure.flatten_up_to, pair(1, 2, "other"))
    composed = structure.compose(t.fw.tree_util.tree_structure((0, 0)))
    t.expect(composed.num_leaves == 4, "one in the other, got %s" % composed)
