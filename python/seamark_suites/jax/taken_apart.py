"""Text that is an array, objects that say what they are, labels that cannot be compared: what becomes of them."""

import dataclasses

from seamark_agent.harness import Skip

from seamark_suites.case import case, each

from .placing import mesh_of, some_devices
from .values_and_kinds import NP

TEXT = [["abcdefghijklmnopqrstuvwxyz", "b"], ["", "a word of several letters"]]
PUT = {
    NP + "asarray": lambda f, x, where: f(x, device=where),
    "jax.device_put": lambda f, x, where: f(x, where),
}


@each(PUT, core=False, host_only=True, since=("0.5.3", "arrays of text"), reference="none")
def text_of_any_length(t, function):
    """NumPy's StringDType, on a CPU and spread over several; never a number, and no number is text; elsewhere it is refused."""
    jax, np, f, run = t.fw, t.np, t.get(function), PUT[function]
    if not hasattr(np.dtypes, "StringDType"):
        raise Skip("NumPy has no StringDType")
    kind, devices = np.dtypes.StringDType(), some_devices(t)
    x = np.array(TEXT, dtype=kind)
    if devices[0].platform != "cpu":
        t.raises(TypeError, lambda: jax.block_until_ready(run(f, x, devices[0])))
    cpu = jax.devices("cpu")
    mesh = t.get("jax.sharding.Mesh")(np.array(cpu[:2]).reshape(-1, 1), ("x", "y"))
    for where in (cpu[0], t.get("jax.NamedSharding")(mesh, jax.P("x", "y"))):
        made = t.call(lambda where=where: run(f, x, where))
        found = jax.device_get(made)
        t.expect(found.dtype == kind and found.tolist() == TEXT, "the same text, got %r" % found)
        t.expect(made.shape == (2, 2) and len(made.devices()) == len(where.device_set if where != cpu[0] else [0]), "where it was put")  # fmt: skip
    if function.endswith("asarray"):
        made = jax.device_get(f(x, device=cpu[0], dtype=kind))
        t.expect(made.tolist() == TEXT, "its own dtype, got %r" % made)
        t.raises(TypeError, f, x, device=cpu[0], dtype="bfloat16")
        t.raises(TypeError, f, np.arange(2), device=cpu[0], dtype=kind)


class Said:
    """Has a dtype and a shape, and becomes an array."""

    def __init__(self, array):
        self.array, self.dtype, self.shape = array, array.dtype, array.shape

    def __jax_array__(self):
        if self.shape == (0,):
            raise ValueError("no array")
        return self.array


@case(NP + "result_type", host_only=True, core=False, reference="none")
def of_objects_that_say_their_dtype(t):
    """Without their array; beside others, too. One that says nothing is refused."""
    jnp, name = t.fw.numpy, NP + "result_type"
    half, none = Said(jnp.ones(2, "bfloat16")), Said(jnp.zeros(0, "int8"))
    rows = (
        ((half,), "bfloat16"),
        ((half, 2.5), "bfloat16"),
        ((half, jnp.float32(1)), "float32"),
        ((none,), "int8"),
        ((none, half), "bfloat16"),
    )
    for given, want in rows:
        found = str(t.call(name, *given))
        t.expect(found == want, "%s, got %s" % (want, found))
    t.refuses(name, object())


@case(NP + "asarray", core=False, reference=lambda np, x: [x, x, np.arange(4)])
def of_objects_and_of_a_default_device(t):
    """What cannot become an array raises its own error; without a copy where the default device has the memory."""
    jax, f, x = t.fw, t.get(NP + "asarray"), t.randint((3,), "f32", -9, 9)
    t.raises(ValueError, f, Said(jax.numpy.zeros(0)))
    made = [t.call(lambda x: f(Said(x)), x), t.call(lambda x: f(Said(x), copy=True), x)]
    with jax.default_device("cpu"):
        cpu = f(t.np.arange(4), copy=False)
    t.expect(next(iter(cpu.devices())).platform == "cpu", "on the CPU, got %s" % cpu.devices())
    return [*made, t.call(lambda v: v + 0, t.np.asarray(cpu))]


TREES = {"jax.tree.leaves": lambda found: found, "jax.tree_util.tree_flatten": lambda found: found[0],
         "jax.tree_util.tree_structure": lambda found: found}  # fmt: skip


@each(
    TREES, core=False, host_only=True, since=("0.4.36", "fields that are dropped"), reference="none"
)
def labels_and_fields_of_records(t, function):
    """Fields that are dropped are no part; labels that are arrays are compared by themselves alone; what is no pair of children and rest is refused."""
    util, np = t.fw.tree_util, t.np

    @dataclasses.dataclass
    class Kept:
        x: int
        y: int = 42
        z: int = dataclasses.field(default=7, init=False)

    t.raises(ValueError, util.register_dataclass, Kept)
    util.register_dataclass(Kept, data_fields=["x"], meta_fields=[], drop_fields=["y", "z"])
    tree = [Kept(1, 5), (Kept({"a": 2, "b": None}),)]
    found = t.call(function, tree)
    if function.endswith("structure"):
        again = found.unflatten([3, 4])
        t.expect(again == [Kept(3), (Kept({"a": 4, "b": None}),)], "with what is by default, got %s" % again)  # fmt: skip
        t.expect(found == t.call(function, [Kept(8, 9), (Kept({"a": 0, "b": None}),)]), "whatever is dropped")  # fmt: skip
    else:
        t.expect(TREES[function](found) == [1, 2], "its leaves, got %s" % (found,))

    class Labelled:
        def __init__(self, child, label):
            self.child, self.label = child, label

    util.register_pytree_node(Labelled, lambda one: ((one.child,), one.label), lambda label, kids: Labelled(kids[0], label))  # fmt: skip
    first, other = (util.tree_structure(Labelled(1, np.arange(3))) for _ in range(2))
    t.expect(hash(first) == hash(other) and first == first, "one hash, and equal to itself")
    t.raises(ValueError, lambda: first == other)
    found = t.call(function, Labelled(5, np.arange(3)))
    t.expect(function.endswith("structure") or TREES[function](found) == [5], "its leaf, got %s" % (found,))  # fmt: skip
    for wrong in (lambda o: "hello", lambda o: (2, 3, 4), lambda o: (7, 7)):
        kind = type("Bad", (), {})
        util.register_pytree_node(kind, wrong, lambda rest, kids: kind())  # noqa: B023
        t.raises((TypeError, ValueError), t.call, function, {"a": kind()})


@case(
    "jax.P",
    core=False,
    host_only=True,
    since=("0.7.1", "axes that are left unreduced"),
    reference="none",
)
def equal_specs_are_one_object(t):
    """However their entries are written; another for other unreduced axes. As a constraint a list is the tuple of its names."""
    jax, make, mesh = t.fw, t.get("jax.P"), mesh_of(t)
    for one, other in (((None, "x"), ((), "x")), ((("x",),), ("x",)), (("x", "y"), ("x", "y"))):
        t.expect(t.call("jax.P", *one) == make(*other) and hash(make(*one)) == hash(make(*other)), "equal, got %s" % (one,))  # fmt: skip
    t.expect(t.call("jax.P", None, "x", "y") is make((), "x", "y"), "one object")
    t.expect(make("x", unreduced={"y"}) != make("x", reduced={"y"}), "another")
    where = t.get("jax.NamedSharding")(mesh, t.call("jax.P", ["x"]))
    found = jax.jit(lambda v: jax.lax.with_sharding_constraint(v, where))(t.np.arange(8))
    t.expect(found.sharding.is_equivalent_to(t.get("jax.NamedSharding")(mesh, make("x")), 1), "spread, got %s" % found.sharding)  # fmt: skip
    t.expect(t.host(found).tolist() == list(range(8)), "the same numbers")
