"""Classes of one's own as nodes of trees: jax.tree_util.register_pytree_node. Each call makes a class and registers it."""

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
