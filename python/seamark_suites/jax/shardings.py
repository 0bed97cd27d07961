"""How arrays are spread over the axes of a mesh: jax.NamedSharding and jax.P.

A mesh has two devices where there are two, and one elsewhere: all cases have a meaning on one.
"""

import pickle

from seamark_suites.case import case

from . import reference_draws
from .placing import mesh_of, some_devices
from .reference import with_gradient

NAMED = ("0.7.0", "the name jax.NamedSharding")
SPEC = ("0.7.0", "the name jax.P, and what may be asked of it")
NEAR = {"f32": 1e-5, "bf16": 4e-2, "f64": 1e-13}  # sums that may cancel


def sharding(t, *entries, **options):
    """Over the axes x and y of a mesh, of which y has one device."""
    spec = t.get("jax.sharding.PartitionSpec")(*entries)
    return t.get("jax.NamedSharding")(options.get("mesh") or mesh_of(t, ("x", "y")), spec)


def named(**header):
    return case("jax.NamedSharding", **dict({"since": NAMED}, **header))


# --- NamedSharding


def computed(x, mesh, entries):
    import jax

    spread = jax.NamedSharding(mesh, jax.sharding.PartitionSpec(*entries))
    y = jax.device_put(x, spread)
    return y * 2 + 1, y.sum(0)


@named(
    dtypes="f32 bf16 i32",
    entries=[("x",), (None, "x"), (("x", "y"), None)],
    core="f32 bf16 i32",
    rtol=NEAR,
    atol=NEAR,
    reference=lambda np, x, entries: (x * 2 + 1, x.sum(0)),
)
def arrays_that_are_spread(t, dtype, entries):
    x, mesh = t.randn((8, 6), dtype), mesh_of(t, ("x", "y"))
    made, sums = t.call(computed, x, mesh=mesh, entries=entries)
    if not t.compiled:
        t.expect(set(made.devices()) == set(some_devices(t)), "on all devices of the mesh")
        want = sharding(t, *entries, mesh=mesh)
        t.expect(made.sharding.is_equivalent_to(want, 2), "spread alike, got %s" % made.sharding)
    return made, sums


def contracted(x, w, mesh):
    """Each device has a part of the sums."""
    import jax

    P = jax.sharding.PartitionSpec
    x = jax.device_put(x, jax.NamedSharding(mesh, P(None, "x")))
    w = jax.device_put(w, jax.NamedSharding(mesh, P("x", None)))
    return jax.numpy.tanh(x @ w / 4)


def contracted_pull(np, weights, x, w):
    slope = weights * (1 - np.tanh(x @ w / 4) ** 2) / 4
    return slope @ w.T, x.T @ slope


@named(dtypes="f32 bf16", core="f32 bf16", rtol=NEAR, atol=NEAR,
       reference=lambda np, x, w: np.tanh(x @ w / 4), name="product")  # fmt: skip
@named(dtypes="f32", grad=True, core="f32", rtol=NEAR, atol=NEAR,
       reference=with_gradient(lambda np, x, w: np.tanh(x @ w / 4), contracted_pull),
       name="product_gradient")  # fmt: skip
def a_product_of_parts(t, dtype):
    return t.call(contracted, t.randn((5, 8), dtype), t.randn((8, 3), dtype), mesh=mesh_of(t))


def jitted(x, rows, columns, whole):
    import jax

    turned = jax.jit(lambda v: v.T * 2, in_shardings=rows, out_shardings=rows)
    held = jax.jit(lambda v: jax.lax.with_sharding_constraint(v + 1, columns))
    gathered = jax.jit(lambda v: v - 1, out_shardings=whole)
    return turned(jax.device_put(x, rows)), held(x), gathered(x)


@named(dtypes="f32 i32", core="f32", reference=lambda np, x: (2 * x.T, x + 1, x - 1))
def shardings_of_a_program(t, dtype):
    """Of what goes in, of what comes out, and of what is between."""
    mesh, x = mesh_of(t, ("x", "y")), t.randn((8, 6), dtype)
    rows, columns, whole = (sharding(t, *one, mesh=mesh) for one in (("x",), (None, "x"), ()))
    found = t.call(jitted, x, rows=rows, columns=columns, whole=whole)
    if not t.compiled:
        alike = [a.sharding.is_equivalent_to(b, 2) for a, b in zip(found, (rows, columns, whole))]
        t.expect(alike == [True] * 3, "what was asked for, got %s" % [a.sharding for a in found])
    return found


def drawn(key, spread):
    import jax

    draw = jax.jit(lambda k: jax.random.uniform(k, (8, 5)), out_shardings=spread)
    return draw(key)


@named(core=False, reference=reference_draws.uniform)
def numbers_drawn_where_they_are_used(t):
    """However they are spread, a key gives the same numbers."""
    t.const([int(t.fw.config.jax_threefry_partitionable), 32, 23, 8, 5], "i32")
    key = t.randint((2,), "u32", 0, 2**32)
    return t.call(drawn, key, spread=sharding(t, "x"))


def moved(x, first, second):
    import jax

    y = jax.device_put(x, first)
    z = jax.device_put(y * 2, second)
    return z + 1, (y * z).sum(1)


@named(dtypes="f32 i32", core=False, rtol=NEAR, atol=NEAR,
       reference=lambda np, x: (2 * x + 1, (2 * x * x).sum(1)))  # fmt: skip
def spread_another_way(t, dtype):
    """From rows to columns, and both in one sum."""
    mesh = mesh_of(t, ("x", "y"))
    first, second = sharding(t, "x", mesh=mesh), sharding(t, None, "x", mesh=mesh)
    return t.call(moved, t.randn((8, 6), dtype), first=first, second=second)


@named(dtypes="f32 bf16", core=False, reference=lambda np, x: x * 2)
def made_part_by_part(t, dtype):
    """As arrays come from files: each device asks for its own part."""
    x, spread = t.randn((8, 3), dtype), sharding(t, "x")
    values = t.np.asarray(x)
    made = t.fw.make_array_from_callback((8, 3), spread, lambda index: values[index])
    return t.call(lambda v: v * 2, made)


@named(dtypes="f32", core=False, rtol=NEAR, atol=NEAR, reference=lambda np, x, y, z: [
    (v * 2 + 1, v.sum(0)) for v in (x, y, z)])  # fmt: skip
def sizes_one_after_another(t, dtype):
    mesh, arrays = mesh_of(t, ("x", "y")), [t.randn((n, 3), dtype) for n in (2, 8, 34)]
    return [t.call(computed, x, mesh=mesh, entries=("x",)) for x in arrays]


@named(dtypes="f32", shapes="0x3 2x0 scalar", trivial=True, core=False, reference=lambda np, x: x)
def spread_little(t, dtype, shape):
    spread = sharding(t, "x") if shape else sharding(t)
    return t.call(lambda v, s: t.fw.device_put(v, s), t.randn(shape, dtype), s=spread)


@named(dtypes="f32 bf16", shapes="2048x2050", large=True, rtol={"bf16": 4e-2, "f32": 1e-4},
       atol={"f32": 1e-3, "bf16": 1.0},  # sums of 2048 numbers of size 1
       reference=lambda np, x: (x * 2 + 1, x.sum(0)))  # fmt: skip
def large_and_spread(t, dtype, shape):
    return t.call(computed, t.randn(shape, dtype), mesh=mesh_of(t), entries=("x",))


@named(host_only=True, reference="none")
def what_a_sharding_says(t):
    mesh = mesh_of(t, ("x", "y"))
    n, P = mesh.size, t.get("jax.sharding.PartitionSpec")
    rows = t.call("jax.NamedSharding", mesh, P("x"))
    whole = t.call("jax.NamedSharding", mesh, P())
    t.expect(rows.mesh == mesh and rows.spec == P("x"), "its mesh and its spec")
    t.expect(rows.shard_shape((8, 3)) == (8 // n, 3), "the shape of a part")
    t.expect(whole.shard_shape((8, 3)) == (8, 3), "all of it")
    t.expect(whole.is_fully_replicated and rows.is_fully_replicated == (n == 1), "copies or parts")
    t.expect(rows.device_set == set(some_devices(t)), "the devices of the mesh")
    where = rows.devices_indices_map((8, 3))
    parts = sorted(index[0].indices(8)[:2] for index in where.values())
    t.expect(parts == [(i * 8 // n, (i + 1) * 8 // n) for i in range(n)], "rows, got %s" % parts)


@named(host_only=True, reference="none")
def shardings_that_are_equal(t):
    def made(*entries, **options):
        spec = t.get("jax.sharding.PartitionSpec")(*entries)
        return t.call("jax.NamedSharding", options.get("mesh") or mesh_of(t, ("x", "y")), spec)

    first = made("x")
    t.expect(first == made("x") and hash(first) == hash(made("x")), "equal, with one hash")
    for other in (made(), made("y"), made(None, "x"), made("x", mesh=mesh_of(t))):
        t.expect(first != other, "another one: %s" % other)
    t.expect(first.is_equivalent_to(made("x", None), 2), "the same parts of a matrix")
    t.expect(made().is_equivalent_to(made(None, None), 2), "the same copies")
    t.expect(pickled(made("x").spec) == first.spec, "a spec out of a pickle")


def pickled(thing):
    return pickle.loads(pickle.dumps(thing))


@named(core=False, reference="none")
def shardings_that_cannot_be(t):
    mesh, P = mesh_of(t, ("x", "y")), t.get("jax.sharding.PartitionSpec")

    def refused(kinds, *given):
        t.raises(kinds, t.call, "jax.NamedSharding", *given)

    refused(ValueError, mesh, P("z"))
    refused(Exception, mesh, P("x", "x"))
    refused((AttributeError, TypeError), mesh, ("x",))
    refused((AttributeError, TypeError), 3, P("x"))
    t.raises(ValueError, t.call, t.fw.device_put, t.randn((4,), "f32"), sharding(t, None, "x"))
    if mesh.size > 1:
        t.raises(ValueError, t.call, t.fw.device_put, t.randn((3,), "f32"), sharding(t, "x"))


# --- P


def spec(**header):
    return case("jax.P", **dict({"since": SPEC, "host_only": True, "reference": "none"}, **header))


@spec()
def entries_of_a_spec(t):
    made = t.call("jax.P", "x", None, ("y", "z"))
    t.expect(len(made) == 3 and list(made) == ["x", None, ("y", "z")], "its entries, got %s" % made)
    t.expect(made[0] == "x" and made[-1] == ("y", "z"), "by number")
    t.expect(tuple(made[1:]) == (None, ("y", "z")), "a slice, got %r" % (made[1:],))
    t.expect(made.index("x") == 0, "where an axis is")
    t.expect(list(t.call("jax.P")) == [], "no entries")


@spec()
def specs_that_are_equal(t):
    def made(*entries):
        return t.call("jax.P", *entries)

    first = made("x", None)
    t.expect(first == made("x", None) and hash(first) == hash(made("x", None)), "equal, one hash")
    t.expect(len({first, made("x", None), made(None, "x")}) == 2, "two keys of a dictionary")
    for other in (made("x"), made(None, "x"), made("y", None), made(("x", "y"), None), made()):
        t.expect(first != other, "another spec: %s" % other)
    t.expect(made(("x",), None) == first, "a tuple of one name is that name")
    t.expect(t.get("jax.P") is t.fw.sharding.PartitionSpec, "the same class as its longer name")


@spec()
def parts_by_a_spec(t):
    """What each device has of an array."""
    mesh = mesh_of(t, ("x", "y"))
    n, x = mesh.size, t.np.arange(48).reshape(8, 6)
    for entries, part in (
        (("x",), (8 // n, 6)),
        ((None, "x"), (8, 6 // n)),
        ((("x", "y"), None), (8 // n, 6)),
        (("y", "x"), (8, 6 // n)),
        ((), (8, 6)),
    ):
        made = t.get("jax.NamedSharding")(mesh, t.call("jax.P", *entries))
        t.expect(made.shard_shape(x.shape) == part, "%s of %s" % (part, entries))
        parts = [x[index] for index in made.devices_indices_map(x.shape).values()]
        t.expect(all(one.shape == part for one in parts), "such parts on each device")
        covered = t.np.unique(t.np.concatenate([one.ravel() for one in parts]))
        t.expect(covered.tolist() == list(range(48)), "all numbers among them")


def turned(x, mesh, first, second):
    import jax

    @jax.jit
    def program(v):
        v = jax.lax.with_sharding_constraint(v * 2, jax.NamedSharding(mesh, first))
        return jax.lax.with_sharding_constraint(v.T + 1, jax.NamedSharding(mesh, second))

    return program(x)


@spec(dtypes="f32 i32", core="f32", host_only=False, reference=lambda np, x: 2 * x.T + 1)
def specs_inside_a_program(t, dtype):
    make, mesh = t.get("jax.P"), mesh_of(t, ("x", "y"))
    x = t.randn((8, 6), dtype)
    found = t.call(turned, x, mesh=mesh, first=make("x"), second=make(None, ("x", "y")))
    if not t.compiled:
        want = t.get("jax.NamedSharding")(mesh, make(None, "x"))
        t.expect(found.sharding.is_equivalent_to(want, 2), "columns, got %s" % found.sharding)
    return found


@spec(core=False)
def specs_that_leave_something_open(t):
    make = t.get("jax.P")
    made = t.call("jax.P", make.UNCONSTRAINED, "x")
    t.expect(made[0] is make.UNCONSTRAINED and made[1] == "x", "an axis left to the compiler")
    t.expect(made != t.call("jax.P", None, "x"), "which is not None")
    joined = t.call("jax.P", "x") + t.call("jax.P", None)
    t.expect(joined == t.call("jax.P", "x", None), "two put together, got %s" % joined)


@spec(core=False)
def specs_are_kept(t):
    """Copied by pickle, printed, and a leaf of a tree."""
    made = t.call("jax.P", "x", ("y", "z"), None)
    t.expect(pickled(made) == made, "the same out of a pickle")
    t.expect("'x'" in repr(made) and "'z'" in repr(made), "its axes in print, got %r" % made)
    leaves = t.fw.tree_util.tree_leaves({"w": made, "b": t.call("jax.P")})
    t.expect(leaves == [t.call("jax.P"), made], "leaves of a tree, got %r" % (leaves,))


@spec(core=False)
def specs_that_cannot_be(t):
    mesh = mesh_of(t, ("x", "y"))
    t.raises(TypeError, lambda: t.call("jax.P", axis="x"))
    t.raises(ValueError, t.get("jax.NamedSharding"), mesh, t.call("jax.P", "nonsense"))
    t.raises(IndexError, lambda: t.call("jax.P", "x")[1])
