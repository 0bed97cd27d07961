"""What shardings and structs say of themselves: copies, sizes, refusals, changes; products that are left unreduced."""

from seamark_suites.case import case

from .mesh_types import typed_mesh
from .placing import mesh_of, some_devices
from .values_and_kinds import NP

NAMED, STRUCT = "jax.NamedSharding", "jax.ShapeDtypeStruct"
SINCE = ("0.8.0", "jax.NamedSharding, jax.P")
UNREDUCED = ("0.9.0", "axes that are left unreduced")

# (the sizes of x, y, z, the entries, whether it is copies, the shape of a part of 8 x 2 x 4).
COPIES = [
    ((1, 1), ("x", "y"), True, (8, 2, 4)), ((4, 2), ("x", "y"), False, (2, 1, 4)), ((2, 1), (), True, (8, 2, 4)), ((2, 1), (None,), True, (8, 2, 4)),
    ((2, 1), (None, None), True, (8, 2, 4)), ((2, 1), ((),), True, (8, 2, 4)), ((2, 1), (("x",), None), False, (4, 2, 4)), ((2, 1), (("x", "y"), None), False, (4, 2, 4)),
    ((2, 1), ("x", (), ()), False, (4, 2, 4)), ((2, 1), ((), (), ()), True, (8, 2, 4)), ((1, 2, 4), ("x", None, None), True, (8, 2, 4)),
    ((1, 1, 4), ("x", "y", None), True, (8, 2, 4)), ((1, 1, 4), (("x", "y"), None), True, (8, 2, 4)), ((2, 1), ("y",), True, (8, 2, 4)), ((2, 2, 2), (None, "y", ("x", "z")), False, (8, 1, 1)),
    ((2, 2, 2), (("x", "z"), None, "y"), False, (2, 2, 2)), ((1, 2, 4), (None, None, "z"), False, (8, 2, 1)), ((2, 2, 2), (("x", "y"), "z"), False, (2, 1, 4)),
    ((4, 2), (("y", "x"),), False, (1, 2, 4)), ((4, 2), (None, "y", "x"), False, (8, 1, 1)),
]  # fmt: skip


@case(NAMED, host_only=True, core=False, since=SINCE, reference="none")
def copies_and_parts_of_every_mesh(t):
    """Axes of one device part nothing; without devices, too. Those left unreduced are no copies."""
    jax, make, P = t.fw, t.get(NAMED), t.fw.P
    kinds = jax.sharding.AxisType
    for sizes, entries, copies, part in COPIES:
        mesh = jax.sharding.AbstractMesh(sizes, ("x", "y", "z")[: len(sizes)])
        made = t.call(NAMED, mesh, P(*entries))
        found = made.is_fully_replicated, made.shard_shape((8, 2, 4))
        t.expect(found == (copies, part), "%s of %s by %s, got %s" % ((copies, part), sizes, entries, found))  # fmt: skip
        again = make(mesh, P(*entries, *[None] * (3 - len(entries))))
        t.expect(made.is_equivalent_to(again, 3) and again.is_equivalent_to(made, 3), "as with every axis said")  # fmt: skip
        same = made.is_equivalent_to(make(mesh, P()), 3)
        t.expect(same is copies, "copies or not, got %s" % same)
    explicit = jax.sharding.AbstractMesh((2, 2), ("x", "y"), axis_types=(kinds.Explicit,) * 2)
    for axes in ({"x", "y"}, {"x"}):
        made = t.call(NAMED, explicit, P(unreduced=axes))
        t.expect(not made.is_fully_replicated and made.shard_shape((8,)) == (8,), "no copies, got %s" % made)  # fmt: skip
    for mesh, spec in ((explicit, P("x", unreduced={"a"})), (jax.sharding.AbstractMesh((2, 2), ("x", "y")), P("x", unreduced={"y"}))):  # fmt: skip
        t.raises(ValueError, t.call, NAMED, mesh, spec)
    t.raises(ValueError, lambda: t.call(NAMED, explicit, P("x", unreduced={"y", None})))
    for memory in ("pinned_host", None):
        t.expect(t.call(NAMED, explicit, P(), memory_kind=memory).memory_kind == memory, "its memory")  # fmt: skip
    t.raises(ValueError, t.call, NAMED, explicit, P(), memory_kind="nonsense")


@case(
    NAMED,
    dtypes="f32 i32",
    core=False,
    since=SINCE,
    reference=lambda np, x: [x + 1, x.sum(), x, 2 * x],
)
def kept_by_what_is_computed(t, dtype):
    """One by one, without a program: a sum of numbers keeps the place, a number has its own; an array names its sharding as its device, and goes there by to_device."""
    jax, x = t.fw, t.randint((1, 8, 1), dtype, -9, 9)
    devices = t.np.array(some_devices(t)).reshape((1, -1, 1))
    where = t.call(
        NAMED, t.get("jax.sharding.Mesh")(devices, ("x", "y", "z")), jax.P("x", "y", "z")
    )
    put = x if t.compiled else jax.device_put(x, where)
    made = [t.call(lambda v: v + 1, put), t.call(lambda v: v.sum(), put), t.call(lambda v: v, put)]
    if not t.compiled:
        t.expect((put + 1).sharding == where, "kept, got %s" % (put + 1).sharding)
        t.expect(put.sum().sharding != where, "its own, got %s" % put.sum().sharding)
        moved = jax.numpy.array(x).to_device(where)
        t.expect(moved.device == where == put.device, "its sharding, got %s" % (moved.device,))
        single = jax.device_put(x, t.device)
        t.expect(single.device == t.device, "its device, got %s" % (single.device,))
    return [*made, t.call(lambda v: jax.jit(lambda v: 2 * v)(v), put)]


@case(NAMED, host_only=True, core=False, since=SINCE, reference="none")
def parts_in_the_order_of_the_mesh(t):
    """Which part each device has, by either axis; with the device's own memory said, too, it is the same."""
    P, mesh, n = t.fw.P, mesh_of(t, ("x", "y")), len(some_devices(t))
    usual = some_devices(t)[0].default_memory().kind
    said = t.call(NAMED, mesh, P("x"), memory_kind=usual)
    t.expect(
        said == t.get(NAMED)(mesh, P("x")) and said.memory_kind == usual, "equal, got %s" % said
    )
    for axis, spec in enumerate((P("x"), P("y", "x"))):
        parts = t.call(NAMED, mesh, spec).devices_indices_map((8, 4))
        size = (8, 4)[axis] // n
        for i, device in enumerate(mesh.devices.flat):
            want = slice(i * size, (i + 1) * size).indices((8, 4)[axis])
            found = parts[device][axis].indices((8, 4)[axis])
            t.expect(found == want, "%s on %s, got %s" % (want, device, found))
            whole = parts[device][1 - axis].indices((4, 8)[axis])
            t.expect(whole == (0, (4, 8)[axis], 1), "all of the other axis, got %s" % (whole,))


# --- structs


@case(STRUCT, core=False, since=("0.9.0", "is_ref"), reference=lambda np, x: [2 * x, 3 * x, x + 1])
def programs_for_structs_of_all_kinds(t):
    """One with a place beside one without; a state that is changed in place; a result that is asked for without values. A struct is no constant of a program, nor its result."""
    jax, make, P = t.fw, t.get(STRUCT), t.fw.P
    x, mesh = t.randint((8,), "f32", -9, 9), mesh_of(t)
    where = t.get(NAMED)(mesh, P("x"))
    one, plain = make((8,), "float32", sharding=where), t.call(STRUCT, (8,), "float32")
    for wrong in (lambda v: (v, plain), lambda v: plain, lambda v: v + plain):
        t.raises(TypeError, jax.jit(wrong), x)
    both = jax.jit(lambda a, b: (2 * a, 3 * b)).lower(one, plain).compile()
    made = list(both(jax.device_put(x, where), t.host(x)))
    state = make((8,), "float32", sharding=where, is_ref=True)
    t.expect(state.is_ref and not one.is_ref and state != one, "a state, got %r" % state)

    def change(v):
        v[...] += 1

    changed = jax.new_ref(jax.device_put(x, where))
    jax.jit(change).lower(state).compile()(changed)
    made.append(changed[...])
    shaped = jax.eval_shape(jax.vmap(lambda v: jax.lax.with_sharding_constraint(v, t.get(NAMED)(mesh.abstract_mesh, P())) * 2), one)  # fmt: skip
    t.expect((shaped.shape, str(shaped.dtype)) == ((8,), "float32"), "got %s" % (shaped,))
    nested = jax.eval_shape(jax.jit(lambda v: jax.jit(lambda w: w[:3] * 1j)(v)), plain)
    t.expect((nested.shape, str(nested.dtype)) == ((3,), "complex64"), "got %s" % (nested,))
    full = t.call(lambda: jax.numpy.full_like(plain, 3))
    t.expect(t.host(full).tolist() == [3] * 8, "threes, got %s" % full)
    return made


@case(STRUCT, core=False, since=("0.10.0", "ShapeDtypeStruct.like"), reference=lambda np, x: [x])  # fmt: skip
def like_a_tracer_on_a_typed_mesh(t):
    """It has the place that is a part of its type, by which others are made."""
    jax, seen = t.fw, []
    mesh = typed_mesh(t, ("x",))

    def ones(v):
        struct = t.get(STRUCT).like(v)
        seen.append(struct)
        return v * jax.numpy.ones(struct.shape, struct.dtype, out_sharding=struct.sharding)

    x = t.randint((8,), "f32", 1, 9)
    with jax.set_mesh(mesh):
        made = t.call(jax.jit(ones), jax.device_put(x, jax.P("x")))
    t.expect(seen[-1].sharding.spec == jax.P("x"), "its place, got %s" % seen[-1])
    return [made]


# --- products that are left unreduced

# (letters, shapes, entries of each, entries of the result, its unreduced axes).
LEFT = [
    ("ab,bc->ac", [(2, 4), (4, 2)], [(None, "x"), ("x", None)], (None, None), {"x"}), ("xy,yz->xz", [(8, 4), (4, 8)], [("y", "x"), ("x", None)], ("y", None), {"x"}),
    ("ij,i->j", [(8, 2), (8,)], [(("x", "y"), None), (("x", "y"),)], (None,), {"x", "y"}), ("bxyz,bxyz->b", [(4, 4, 2, 2)] * 2, [(None, "x", None, "y")] * 2, (None,), {"x", "y"}),
    ("heb,eba->hea", [(6, 4, 8), (4, 8, 10)], [(None, "y", "x"), ("y", "x", None)], (None, "y", None), {"x"}), ("d,dh,d->h", [(4,), (4, 2), (4,)], [("x",), ("x", "y"), ("x",)], ("y",), {"x"}),
]  # fmt: skip


def _left(np, *given):
    given, made = list(given), []
    for letters, shapes, *_ in LEFT:
        right = np.einsum(letters, *[given.pop(0) for _ in shapes])
        made += [right, right, 2 * right]
    return made


@case(NP + "einsum", core=False, since=UNREDUCED, reference=_left)
def sums_that_are_not_added_yet(t):
    """out_sharding with unreduced axes: those of the letters that go, of two and of three arrays; what is added later, also to itself, is the product. Other axes are refused."""
    jax, f, P, mesh, made = t.fw, t.get(NP + "einsum"), t.fw.P, typed_mesh(t), []
    with jax.set_mesh(mesh):
        for letters, shapes, entries, ends, axes in LEFT:
            where, whole, seen = P(*ends, unreduced=axes), P(*ends), []
            given = [jax.device_put(t.randint(shape, "f32", -4, 5), P(*one)) for shape, one in zip(shapes, entries)]  # fmt: skip

            def run(*given, letters=letters, where=where, whole=whole, seen=seen):
                parts = f(letters, *given, out_sharding=where)
                seen.append(parts)
                return [jax.sharding.reshard(one, whole) for one in (parts, parts + parts)]

            once = lambda *given, run=run: run(*given)[0]  # noqa: E731
            made += [t.call(once, *given), *t.call(jax.jit(run), *given)]
            found = {jax.typeof(one).sharding.spec for one in seen}
            t.expect(found == {where}, "%s, got %s" % (where, found))
            if not t.compiled:
                parts = [t.host(one.data) for one in f(letters, *given, out_sharding=where).addressable_shards]  # fmt: skip
                if ends == (None,) * len(ends):
                    t.expect(t.np.array_equal(sum(parts), t.host(made[-2])), "parts of the sum, got %s" % parts)  # fmt: skip
        x = jax.device_put(t.randint((8, 4), "f32", -4, 5), P("y", "x"))
        y, z = jax.device_put(x.T, P("x", None)), jax.device_put(x.T, P(None, None))
        product = lambda x, y, axes: f("xy,yz->xz", x, y, out_sharding=P("y", unreduced=axes))  # noqa: E731  # fmt: skip
        for one, other, axes in ((x, y, {"y"}), (x, z, {"x"}), (jax.device_put(x, P("y", None)), z, {"x"})):  # fmt: skip
            t.raises(Exception, jax.jit(product, static_argnums=2), one, other, frozenset(axes))
        t.raises(Exception, jax.jit(lambda x, y: f("xy,yz->xz", product(x, y, {"x"}), x)), x, y)
    for call in (product, lambda x, y, _: f("xy,yz->xz", x, y, out_sharding=P("y", "x"))):
        t.raises(ValueError, call, x, y, {"x"})  # no mesh is set
    return made


@case(
    NP + "einsum",
    core=False,
    since=UNREDUCED,
    reference=lambda np, x, y, z: [np.einsum("bthD,bthi,bthj->ijD", x, y, z)] * 6,
)
def three_arrays_that_are_spread(t):
    """The place of the result is that asked for, whatever lies between, entries that are left out, too."""
    jax, f, P, made = t.fw, t.get(NP + "einsum"), t.fw.P, []
    given = [t.randint(shape, "f32", -2, 3) for shape in ((4, 6, 1, 8), (4, 6, 1, 2), (4, 6, 1, 2))]
    with jax.set_mesh(typed_mesh(t)):
        for first in (P("x"), P(None, None, None, "x")):
            for where in (P("x", None, None), P("x"), P(None, None, "x")):
                put = [
                    jax.device_put(one, spec) for one, spec in zip(given, (first, P("x"), P("x")))
                ]
                run = lambda *given, where=where: f("bthD, bthi, bthj->ijD", *given, out_sharding=where)  # noqa: E731  # fmt: skip
                made.append(t.call(jax.jit(run), *put))
                want = P(*where, *[None] * (3 - len(where)))
                found = jax.typeof(made[-1]).sharding.spec
                t.expect(t.compiled or found == want, "%s, got %s" % (want, found))
    return made
