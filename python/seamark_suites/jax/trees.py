"""Trees, Partial, scalars and files, beyond the usual: nodes of one's own, under jit, wrong calls."""

import collections

from seamark_suites.case import case

Point = collections.namedtuple("Point", "x y")


def own_node(t):
    """A class registered as a node: its two leaves, and a label that is no leaf."""

    class Pair:
        def __init__(self, left, right, label):
            self.left, self.right, self.label = left, right, label

    t.fw.tree_util.register_pytree_node(
        Pair, lambda p: ((p.left, p.right), p.label), lambda label, kids: Pair(*kids, label)
    )
    return Pair


@case("jax.tree_util.tree_map", core=False, host_only=True, reference="none")
def tree_map_over_own_nodes(t):
    pair = own_node(t)
    made = t.call("jax.tree_util.tree_map", lambda x: x * 2, {"p": pair(1, [2, 3], "kept")})["p"]
    t.expect(isinstance(made, pair) and made.label == "kept", "a Pair with its label")
    t.expect((made.left, made.right) == (2, [4, 6]), "doubled leaves")
    point = t.call("jax.tree_util.tree_map", lambda x: x + 1, Point(1, (2,)))
    t.expect(point == Point(2, (3,)) and isinstance(point, Point), "a named tuple stays one")


@case("jax.tree_util.tree_map", core=False, host_only=True, reference="none")
def tree_map_over_none_and_prefixes(t):
    empty = t.call("jax.tree_util.tree_map", lambda x: x + 1, {"a": None, "b": [], "c": 1})
    t.expect(empty == {"a": None, "b": [], "c": 2}, "None and empty lists as they are")
    rest = t.call("jax.tree_util.tree_map", lambda x, y: (x, y), {"a": 1}, {"a": [2, 3]})
    t.expect(rest == {"a": (1, [2, 3])}, "a subtree of the second tree as one argument")
    t.raises(ValueError, t.call, "jax.tree_util.tree_map", lambda x, y: x, [1, 2], [1])
    ordered = t.call("jax.tree_util.tree_map", lambda x: x, {"b": 1, "a": 2})
    t.expect(list(ordered) == ["a", "b"] and ordered["b"] == 1, "keys in their order")


def stepped(tree, x):
    import jax

    slope = jax.grad(lambda p: ((p["w"] * x + p["b"][0]) ** 2).sum())(tree)
    return jax.tree_util.tree_map(lambda p, g: p - 0.1 * g, tree, slope)


@case("jax.tree_util.tree_map", core=False, host_only=True, reference="none")
def tree_map_under_jit(t):
    tree = {"w": t.const([1.0, 2.0], "f32"), "b": (t.const([0.5, -1.0], "f32"),)}
    x = t.const([2.0, 1.0], "f32")
    found = t.call(t.fw.jit(stepped), tree, x)
    want = {"w": [0.0, 1.8], "b": ([0.0, -1.2],)}
    t.expect(bool(t.np.allclose(t.host(found["w"]), want["w"], atol=1e-6)), "w after a step")
    t.expect(bool(t.np.allclose(t.host(found["b"][0]), want["b"][0], atol=1e-6)), "b after a step")


@case("jax.tree_util.tree_unflatten", core=False, host_only=True, reference="none")
def tree_unflatten_own_nodes(t):
    pair = own_node(t)
    leaves, shape = t.fw.tree_util.tree_flatten([pair(1, Point(2, 3), "kept"), None])
    made = t.call("jax.tree_util.tree_unflatten", shape, [leaf * 10 for leaf in leaves])
    t.expect(made[0].label == "kept" and made[0].right == Point(20, 30), "the Pair rebuilt")
    t.expect(made[1] is None, "None, which is no leaf")


@case("jax.tree_util.tree_unflatten", core=False, host_only=True, reference="none")
def leaves_of_any_kind(t):
    shape = t.fw.tree_util.tree_structure({"a": 1, "b": [2]})
    made = t.call("jax.tree_util.tree_unflatten", shape, iter(["text", (1, 2)]))
    t.expect(made == {"a": "text", "b": [(1, 2)]}, "any object as a leaf, got %r" % made)
    t.raises(ValueError, t.call, "jax.tree_util.tree_unflatten", shape, [1, 2, 3])


@case("jax.tree_util.tree_unflatten", core=False, host_only=True, reference="none")
def tree_unflatten_while_tracing(t):
    tree = {"w": t.const([1.0, 2.0], "f32"), "b": [t.const([3.0], "f32"), None]}
    leaves, shape = t.fw.tree_util.tree_flatten(tree)
    doubled = t.fw.jit(lambda given: t.fw.tree_util.tree_unflatten(shape, [2 * x for x in given]))
    found = t.call(doubled, leaves)
    t.expect(t.host(found["w"]).tolist() == [2.0, 4.0], "doubled leaves in the same tree")
    t.expect(t.host(found["b"][0]).tolist() == [6.0] and found["b"][1] is None, "and None")


@case("jax.tree_util.Partial", core=False, host_only=True, reference="none")
def partial_with_keywords(t):
    jax, scale = t.fw, t.const([2.0, 3.0], "f32")
    made = t.call("jax.tree_util.Partial", lambda x, scale, shift: x * scale + shift, scale=scale)
    t.expect(len(jax.tree_util.tree_leaves(made)) == 1, "the keyword as its leaf")
    found = made(scale, shift=1.0)
    t.expect(t.host(found).tolist() == [5.0, 10.0], "2 x 2 + 1 and 3 x 3 + 1")
    again = t.call("jax.tree_util.Partial", made, shift=1.0)
    t.expect(t.host(again(scale)).tolist() == [5.0, 10.0], "a Partial of a Partial")


@case("jax.tree_util.Partial", core=False, host_only=True, reference="none")
def partial_under_transformations(t):
    jax = t.fw
    made = t.call("jax.tree_util.Partial", lambda w, x: (w * x).sum(), t.const([1.0, 2.0], "f32"))
    x = t.const([3.0, 4.0], "f32")
    slope = jax.jit(jax.grad(lambda f, v: f(v)))(made, x)
    t.expect(t.host(slope.args[0]).tolist() == [3.0, 4.0], "a derivative by the bound argument")
    rows = jax.vmap(lambda f, v: f(v), in_axes=(None, 0))(
        made, t.const([[1.0, 0], [0, 1.0]], "f32")
    )
    t.expect(t.host(rows).tolist() == [1.0, 2.0], "one value per row")


@case("jax.tree_util.Partial", core=False, host_only=True, reference="none")
def partial_of_no_function(t):
    t.raises(TypeError, t.call, "jax.tree_util.Partial", 3)


@case("jax.numpy.isscalar", core=False, host_only=True, reference="none")
def scalars_of_other_kinds(t):
    wanted = [
        (1j, True),
        (True, True),
        (t.np.float32(1), True),
        (t.np.zeros(()), True),
        (t.np.zeros((1,)), False),
        ((), False),
        ({}, False),
    ]
    for value, want in wanted:
        t.expect(bool(t.call("jax.numpy.isscalar", value)) is want, "%r: %s" % (value, want))


@case("jax.numpy.isscalar", core=False, host_only=True, reference="none")
def isscalar_while_tracing(t):
    jax, seen = t.fw, []
    traced = jax.make_jaxpr(
        lambda x, y: seen.extend([jax.numpy.isscalar(x), jax.numpy.isscalar(y)]) or x
    )
    t.call(traced, t.randn((), "f32"), t.randn((2,), "f32"))
    t.expect([bool(one) for one in seen] == [True, False], "by the tracer's shape, got %s" % seen)


@case("jax.numpy.save", core=False, host_only=True, reference="none")
def save_bfloat16(t):
    values, path = t.randn((5, 4), "bf16"), t.tmpdir() + "/saved.npy"
    t.call("jax.numpy.save", path, values)
    again = t.fw.numpy.load(path)
    t.expect(str(again.dtype) == "bfloat16", "bfloat16 kept, got %s" % again.dtype)
    t.expect(bool((t.host(again) == t.host(values)).all()), "the values kept")


@case("jax.numpy.save", core=False, host_only=True, reference="none")
def save_to_other_places(t):
    """A suffix is added, an open file is written to, and NumPy reads it."""
    values, folder = t.randn((515, 33), "f32"), t.tmpdir()
    t.call("jax.numpy.save", folder + "/plain", values)
    t.expect(bool((t.np.load(folder + "/plain.npy") == t.host(values)).all()), "plain.npy")
    with open(folder + "/open.npy", "wb") as stream:
        t.call("jax.numpy.save", stream, values)
    t.expect(bool((t.np.load(folder + "/open.npy") == t.host(values)).all()), "an open file")


@case("jax.numpy.save", core=False, host_only=True, reference="none")
def what_cannot_be_saved(t):
    jax, folder = t.fw, t.tmpdir()
    t.raises(TypeError, t.call, "jax.numpy.save", folder + "/key.npy", jax.random.key(1))
    t.raises(OSError, t.call, "jax.numpy.save", folder + "/nowhere/x.npy", t.randn((3,), "f32"))
    save = jax.jit(lambda x: jax.numpy.save(folder + "/traced.npy", x))
    t.raises(jax.errors.TracerArrayConversionError, save, t.randn((3,), "f32"))


# --- register_pytree_node: what a node is rebuilt of


def rebuilt_in_programs(x, y):
    import jax

    seen = []

    class Row(list):
        pass

    def rebuild(label, children):
        children = list(children)
        seen.append((label, len(children), None in children))
        return Row(children)

    jax.tree_util.register_pytree_node(Row, lambda row: (tuple(row), "label"), rebuild)
    total = lambda row: (row[0] * row[1]).sum()  # noqa: E731
    slope = jax.grad(total)(Row([x, y]))
    value, moved = jax.jvp(total, (Row([x, y]),), (Row([y, x]),))
    (pulled,) = jax.vjp(total, Row([x, y]))[1](x[0] * 0 + 2)
    row = jax.vmap(lambda row: Row([row[1], row[0] * 2]))(Row([x, y]))
    last, _ = jax.lax.scan(lambda row, v: (Row([row[1], row[0] + v]), None), Row([x, y]), y)
    aux, told = jax.grad(lambda row: (total(row), Row([row[0] + 1])), has_aux=True)(Row([x, y]))
    kinds = [type(one) is Row for one in (slope, pulled, row, last, aux, told)]
    return [*slope, value, moved, *pulled, *row, *last, *told], kinds, seen


def _rebuilt_right(np, x, y):
    left, right = x, y
    for v in y:
        left, right = right, left + v
    return [y, x, (x * y).sum(), (y * y + x * x).sum(), 2 * y, 2 * x, y, 2 * x, left, right, x + 1]


@case(
    "jax.tree_util.register_pytree_node",
    dtypes="f32",
    core=False,
    rtol={"f32": 1e-5},
    atol={"f32": 1e-5},
    reference=_rebuilt_right,
)
def what_a_list_is_rebuilt_of(t, dtype):
    """One that inherits from list, by slopes, batches and loops: never of None, always with its label."""
    kept = []

    def run(x, y):
        made, kinds, seen = rebuilt_in_programs(x, y)
        kept[:] = [kinds, seen]
        return made

    made = t.call(run, t.uniform((4,), dtype, 0.5, 2), t.uniform((4,), dtype, 0.5, 2))
    kinds, seen = kept
    t.expect(all(kinds), "rows again, got %s" % kinds)
    t.expect(
        {one[0] for one in seen} == {"label"} and not any(one[2] for one in seen),
        "got %s" % seen[:5],
    )
    return made
