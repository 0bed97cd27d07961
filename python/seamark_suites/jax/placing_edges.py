"""Places and meshes, beyond: memory that is shared, trees of places, memories of devices, specs of mapped functions."""

import operator
import pickle

from seamark_suites.case import case

from .placing import mapped, mesh_of, some_devices
from .shardings import NEAR, named, sharding, spec


@case("jax.device_put", core=False, reference="none", since=("0.4.36", "may_alias"),
      cpu_fails="jax 0.10.2: may_alias=False shares NumPy's memory all the same, where that is aligned")  # fmt: skip
def numpys_memory_is_copied(t):
    """What NumPy writes afterwards is not seen: of an array that begins where one could be shared."""
    raw = t.np.zeros(128, "uint8")
    begin = -raw.ctypes.data % 64
    source = raw[begin : begin + 24].view("float32")
    source[:] = range(6)
    made = t.call("jax.device_put", source, t.device, may_alias=False)
    source[:] = -1
    t.expect(t.host(made).tolist() == list(range(6)), "the numbers at the time of the call")


@case("jax.device_put", core=False, reference="none", since=("0.4.36", "may_alias"))
def shared_and_copied(t):
    """What is there already is given back, or a copy of its own where that is asked for."""
    name, x = "jax.device_put", t.fw.device_put(t.np.arange(8.0, dtype="float32"), t.device)
    made = t.call(name, x, t.device, may_alias=False)
    t.expect(t.host(made).tolist() == list(range(8)), "the same numbers, got %s" % made)
    if not t.compiled:
        put = t.get(name)
        t.expect(
            put(x, may_alias=True) is x and put(x, may_alias=False) is not x,
            "itself, or a copy",
        )
        copied = put(x, t.device, may_alias=False)
        copied.delete()
        t.expect(t.host(x).tolist() == list(range(8)), "the first one when its copy is deleted")
    t.raises(ValueError, t.call, name, x, t.device, may_alias=True, donate=True)


@case(
    "jax.device_put",
    core=False,
    reference=lambda np, x: ({"a": [x, x], "b": x}, 2.5, np.array([1.5, 2])),
)
def trees_of_places_and_numbers(t):
    """A place for a part of a tree; numbers of Python stay weak, NumPy's do not; keys."""
    jax, name, x = t.fw, "jax.device_put", t.randn((3,), "f32")
    tree, where = {"a": [x, x], "b": x}, {"a": t.device, "b": some_devices(t)[-1]}
    made = t.call(lambda tree: t.get(name)(tree, where), tree)
    weak, plain = (
        t.call(name, 2.5, t.device),
        t.call(name, t.np.array([1.5, 2], "float32"), t.device),
    )
    t.expect(weak.weak_type and not plain.weak_type, "a weak number, and one that is not")
    key = t.call(name, jax.random.key(3), t.device)
    t.expect(bool(key == jax.random.key(3)), "the same key")
    t.raises(ValueError, t.call, name, tree, {"a": t.device})
    return made, weak, plain


@case(
    "jax.device_put",
    dtypes="f32 i32",
    core=False,
    since=("0.4.31", "a device's memories"),
    reference=lambda np, x: x * 2,
)
def to_each_memory_and_back(t, dtype):
    """Those of the host, too: the numbers stay, and are computed with where the device works."""
    x, make = t.randn((5, 4), dtype), t.fw.sharding.SingleDeviceSharding
    own = t.device.default_memory().kind
    found = x
    for kind in [one.kind for one in t.device.addressable_memories()] if not t.compiled else []:
        found = t.get("jax.device_put")(found, make(t.device, memory_kind=kind))
        t.expect(found.sharding.memory_kind == kind, "in %s, got %s" % (kind, found.sharding))
    found = t.call("jax.device_put", found, make(t.device, memory_kind=own))
    return found * 2


@case(
    "jax.devices",
    host_only=True,
    core=False,
    reference="none",
    since=("0.4.31", "a device's memories"),
)
def memories_of_a_device(t):
    """At least the one that it uses unless another is asked for; what is not there is refused. Devices are keys, with equality."""
    for device in t.call("jax.devices"):
        kinds = [one.kind for one in device.addressable_memories()]
        t.expect(
            device.default_memory().kind in kinds and len(set(kinds)) == len(kinds),
            "its memories, got %s" % kinds,
        )
        make = t.fw.sharding.SingleDeviceSharding
        t.expect(make(device, memory_kind=kinds[0]).memory_kind == kinds[0], "one of them")
        t.raises(ValueError, make, device, memory_kind="nonsense")
        t.expect(
            len({device: 1, t.fw.devices()[0]: 2}) <= 2 and device in set(t.fw.devices()),
            "a key of a dictionary",
        )


@case(
    "jax.sharding.Mesh",
    host_only=True,
    core=False,
    reference="none",
    since=("0.5.0", "abstract meshes"),
)
def meshes_in_print_and_in_each_other(t):
    """In print; without its devices; inside another, and after an error."""
    devices = t.np.array(some_devices(t))
    mesh = t.call("jax.sharding.Mesh", devices, ("rows",))
    t.expect("rows" in str(mesh) and "rows" in repr(mesh), "its axes in print, got %r" % mesh)
    t.expect(
        mesh.abstract_mesh.shape == mesh.shape == {"rows": len(devices)},
        "the sizes without devices",
    )
    other = t.call("jax.sharding.Mesh", devices.reshape(1, -1), ("x", "rows"))
    spec, x = t.get("jax.sharding.PartitionSpec"), t.np.ones((8, 8), "float32")
    program = lambda: t.fw.jit(lambda v: t.fw.lax.with_sharding_constraint(v, spec("x", None)))(x)  # noqa: E731

    def fails():
        with mesh:
            with other:
                program()
            raise KeyError("as intended")

    t.raises(KeyError, fails)
    t.raises((ValueError, RuntimeError), program)  # no mesh has an axis x any more
    for wrong in (("x", "y", "z"), None, 3):
        t.raises((TypeError, ValueError), t.call, "jax.sharding.Mesh", devices, wrong)  # fmt: skip


@named(host_only=True, core=False, reference="none")
def memory_and_print(t):
    """Its memory, another one, its devices, in print."""
    first = sharding(t, "x")
    made = t.call("jax.NamedSharding", first.mesh, first.spec)
    device = some_devices(t)[0]
    kinds = [one.kind for one in device.addressable_memories()]
    t.expect(made.memory_kind == device.default_memory().kind, "the memory that the device uses")
    other = t.call("jax.NamedSharding", first.mesh, first.spec, memory_kind=kinds[-1])
    t.expect(
        other.memory_kind == kinds[-1] and other == made.with_memory_kind(kinds[-1]),
        "another memory",
    )
    t.expect((other == made) == (kinds[-1] == made.memory_kind), "which is another sharding")
    t.expect("'x'" in repr(made), "its axes in print, got %r" % made)
    t.expect(
        made.addressable_devices == made.device_set and made.is_fully_addressable,
        "all of this process",
    )
    t.expect(made.num_devices == len(some_devices(t)), "as many devices")
    t.raises(
        ValueError, t.call, "jax.NamedSharding", first.mesh, first.spec, memory_kind="nonsense"
    )


def made_where_asked(where, whole):
    import jax

    numpy = jax.numpy
    zeros, ones = numpy.zeros((8, 3), device=where), numpy.ones((8, 3), device=where)
    rows = numpy.arange(8.0, device=whole)
    return zeros + rows[:, None] + ones, jax.device_put(rows, whole).sum()


@named(core=False, reference=lambda np: (np.arange(1.0, 9)[:, None] + np.zeros((8, 3)), 28))
def arrays_made_where_asked(t):
    """By device= of what makes arrays."""
    where, whole = sharding(t, "x"), sharding(t)
    made, total = t.call(made_where_asked, where=where, whole=whole)
    if not t.compiled:
        t.expect(t.fw.numpy.zeros((8, 3), device=where).sharding == where, "spread as asked")
    return made, total


def over_parts(x, w, mesh):
    import jax

    P = jax.P

    def one(rows, w):
        return rows @ w, jax.lax.psum(rows.sum(), "x")

    return mapped(one, mesh, (P("x", None), P()), (P("x"), P()))(x, w)


@spec(
    dtypes="f32",
    core=False,
    host_only=False,
    rtol=NEAR,
    atol=NEAR,
    reference=lambda np, x, w: (x @ w, x.sum()),
)
def specs_of_a_mapped_function(t, dtype):
    """What each device gets and gives: rows, all of it, a sum."""
    return t.call(over_parts, t.randn((8, 5), dtype), t.randn((5, 3), dtype), mesh=mesh_of(t))


@spec(core=False)
def specs_that_are_no_specs(t):
    """A tuple in a tuple, no class of one's own; an empty tuple is None; no tuple, but put behind one."""
    make = t.get("jax.P")
    t.raises(ValueError, t.call, "jax.P", "x", ("y", ("z",)))
    t.raises(TypeError, type, "Own", (make,), {})
    t.expect(t.call("jax.P", (), "x") == make(None, "x"), "an empty tuple is None")
    t.expect((None,) + t.call("jax.P", "x") == make(None, "x"), "behind a tuple")


@spec(core=False, since=("0.7.1", "axes that are left unreduced"))
def axes_left_unreduced(t):
    """Axes whose sums are still to be taken: part of a spec, and not among those that spread."""
    make = t.get("jax.P")
    made = t.call("jax.P", "x", None, unreduced={"y"}, reduced={"z"})
    t.expect(set(made.unreduced) == {"y"} and set(made.reduced) == {"z"}, "both, got %r" % made)
    t.expect("unreduced" in repr(made), "in print, got %r" % made)
    t.expect(
        make("x", unreduced={"y"}) == make("x", unreduced={"y"}) != make("x"), "part of equality"
    )
    t.raises(ValueError, t.call, "jax.P", "x", unreduced={"x"})
    mesh = mesh_of(t, ("x", "y"))
    t.raises(ValueError, t.get("jax.NamedSharding"), mesh, t.call("jax.P", "x", unreduced={"a"}))


@spec(core=False)
def lists_as_entries(t):
    """A list is the tuple of its names; a tuple may be put behind a spec."""
    make = t.get("jax.P")
    for given, want in (
        ((["x"],), make("x")),
        ((["x", "y"],), make(("x", "y"))),
        (([], "x"), make(None, "x")),
        ((["x"], None, ["y", "z"]), make("x", None, ("y", "z"))),
    ):
        made = t.call("jax.P", *given)
        t.expect(made == want and hash(made) == hash(want), "%r, got %r" % (want, made))
    made = t.call("jax.P", "x", None, "x")
    t.expect(made.count("x") == 2 and made.index(None) == 1, "counted, found")
    t.expect((made + ("y",)) == make("x", None, "x", "y"), "a tuple put behind it")


@spec(core=False, since=("0.7.1", "axes that are left unreduced"))
def unreduced_axes_put_together(t):
    """Those of both; never with a tuple; names alone, in a set, apart from those that are reduced."""
    make = t.get("jax.P")
    first = t.call("jax.P", "x", unreduced={"z"})
    made = first + t.call("jax.P", "a", unreduced={"b"}, reduced={"c"})
    t.expect(made == make("x", "a", unreduced={"z", "b"}, reduced={"c"}), "both, got %r" % made)
    for kind in ("unreduced", "reduced"):
        one = make("x", **{kind: {"y"}})
        t.raises(TypeError, operator.add, one, (None,))
        t.raises(TypeError, operator.add, (None,), one)
        t.raises(ValueError, t.call, "jax.P", "x", **{kind: {None}})
        t.raises(ValueError, t.call, "jax.P", ("x", "y"), **{kind: {"y"}})
        for wrong in (None, "y", ["y"], ("y",)):
            t.raises(TypeError, t.call, "jax.P", "x", **{kind: wrong})
    t.raises(ValueError, t.call, "jax.P", "x", unreduced={"y"}, reduced={"y"})
    t.expect(pickle.loads(pickle.dumps(made)) == made, "the same out of a pickle")


# --- what a sharding, a mesh and a struct refuse, and what they say of each other


@named(host_only=True, core=False, reference="none", since=("0.5.0", "abstract meshes"))
def shapes_that_it_cannot_part(t):
    """Of too few axes, of none, uneven ones; without devices it has none; of one device it is as a single one."""
    jax, make, P = t.fw, t.get("jax.NamedSharding"), t.get("jax.sharding.PartitionSpec")
    mesh, device = mesh_of(t, ("x", "y")), some_devices(t)[0]
    rows = t.call("jax.NamedSharding", mesh, P("x"))
    t.raises(ValueError, rows.check_compatible_aval, ())
    t.raises(ValueError, make(mesh, P(None, "x", None)).check_compatible_aval, (8, 2))
    rows.check_compatible_aval((3, 1))
    both = rows.addressable_devices_indices_map((8, 4)), rows.devices_indices_map((8, 4))
    t.expect(dict(both[0]) == dict(both[1]), "the parts of this process are all, got %s, %s" % both)
    if mesh.size > 1:
        for call in (rows.shard_shape, rows.devices_indices_map):
            t.raises(ValueError, call, (3,))
    first, same = (t.call("jax.NamedSharding", mesh.abstract_mesh, P("x")) for _ in range(2))
    t.expect(
        first == same and hash(first) == hash(same) and first != rows,
        "equal, and not to one with devices",
    )
    t.expect(
        first.shard_shape((8, 3)) == rows.shard_shape((8, 3)),
        "the same parts, got %s" % (first.shard_shape((8, 3)),),
    )
    t.expect(
        first.is_equivalent_to(make(mesh.abstract_mesh, P("x", None)), 2)
        and first.memory_kind is None,
        "as it is",
    )
    t.raises(ValueError, lambda: first.device_set)
    eight = jax.sharding.AbstractMesh((4, 2), ("x", "y"))
    parts = {
        ("x",): (2, 4),
        ("y",): (4, 4),
        (None, "y"): (8, 2),
        (None, "x"): (8, 1),
        (("x", "y"),): (1, 4),
        ("y", "x"): (4, 1),
        (): (8, 4),
    }
    found = {entries: make(eight, P(*entries)).shard_shape((8, 4)) for entries in parts}
    t.expect(found == parts, "%s of eight devices, got %s" % (parts, found))
    t.raises(ValueError, make(eight, P("x", "y")).shard_shape, (8, 3))
    t.expect(
        [make(eight, P(*entries)).is_fully_replicated for entries in ((), (None, None), ("y",))]
        == [True, True, False],
        "copies",
    )
    alone = make(t.get("jax.sharding.Mesh")([device], ("x",)), P("x"))
    single = jax.sharding.SingleDeviceSharding(device)
    t.expect(alone.is_equivalent_to(single, 2) and single.is_equivalent_to(alone, 2), "one device")
    t.expect(alone.is_fully_replicated and alone.num_devices == 1, "all of it there")


def left_open(x, words, where, whole):
    import jax

    held = jax.jit(lambda v: jax.lax.with_sharding_constraint(v * 2, where))(x)
    keys = jax.jit(
        lambda w: jax.lax.with_sharding_constraint(jax.random.wrap_key_data(w), whole).T
    )(words)
    return held, held.sum(1), jax.random.key_data(keys)


@named(
    dtypes="f32 i32",
    core=False,
    rtol=NEAR,
    reference=lambda np, x, words: (2 * x, 2 * x.sum(1), words),
)
def axes_left_to_the_compiler(t, dtype):
    """UNCONSTRAINED says nothing of an axis, and is no place for an array; keys lie where they are asked to."""
    P, mesh = t.get("jax.sharding.PartitionSpec"), mesh_of(t, ("x", "y"))
    where, whole = (
        t.get("jax.NamedSharding")(mesh, one) for one in (P("x", P.UNCONSTRAINED), P("x"))
    )
    x = t.randn((8, 6), dtype)
    made = t.call(left_open, x, t.randint((4, 2), "u32", 0, 2**32), where=where, whole=whole)
    t.raises((KeyError, TypeError, ValueError), t.fw.device_put, x, where)
    if not t.compiled:
        rows = sharding(t, "x", mesh=mesh).shard_shape((8, 6))
        t.expect(
            made[0].sharding.shard_shape((8, 6))[0] == rows[0], "by rows, got %s" % made[0].sharding
        )
    return made


@case(
    "jax.sharding.Mesh",
    host_only=True,
    core=False,
    reference="none",
    since=("0.7.0", "kinds of axes"),
)
def names_sizes_and_kinds(t):
    """By kind of axis; the very same one again; another kind, another mesh; of no device; by jax.make_mesh."""
    jax, np, kinds = t.fw, t.np, t.fw.sharding.AxisType
    name, devices = "jax.sharding.Mesh", t.np.array(some_devices(t)).reshape(-1, 1)
    n, types = len(devices), (kinds.Explicit, kinds.Auto)
    made = t.call(name, devices, ("x", "y"), axis_types=types)
    t.expect(
        made.axis_sizes == (n, 1) and made.shape_tuple == (("x", n), ("y", 1)),
        "sizes, got %s" % (made.shape_tuple,),
    )
    t.expect(
        (made.explicit_axes, made.auto_axes, made.manual_axes) == (("x",), ("y",), ()),
        "axes by kind",
    )
    plain = t.call(name, devices, ("x", "y"))
    t.expect(plain is t.call(name, devices, ("x", "y")), "the same one again")
    t.expect(
        made.update(axis_types=(kinds.Auto,) * 2) == plain and hash(made) != hash(plain),
        "another kind",
    )
    t.expect(
        jax.make_mesh((n, 1), ("x", "y"), types, devices=devices.ravel().tolist()) == made,
        "as of make_mesh",
    )
    one = t.call(name, devices.ravel(), "x", axis_types=kinds.Explicit)
    t.expect(
        one.axis_types == (kinds.Explicit,) and plain.local_mesh == plain, "a name and a kind alone"
    )
    empty = t.call(name, np.empty((), dtype=object), [])
    t.expect(empty.empty and empty.size == 0 and empty.abstract_mesh.empty, "empty, got %r" % empty)
    for wrong, error in (
        (kinds.Auto, ValueError),
        ("explicit", TypeError),
        (("explicit", kinds.Auto), TypeError),
        (types * 2, ValueError),
    ):
        t.raises(error, t.call, name, devices, ("x", "y"), axis_types=wrong)


@case("jax.devices", host_only=True, core=False, reference="none")
def devices_of_a_process(t):
    """All of this one; of a client; counted; other processes and backends are refused."""
    jax, found = t.fw, t.call("jax.devices")
    client = found[0].client
    t.expect(t.call("jax.devices", client) == found, "those of their client")
    t.expect(
        jax.local_devices(0) == found == jax.local_devices(backend=client.platform), "of process 0"
    )
    t.expect(
        jax.process_count() == 1 and jax.local_device_count() == len(found) == jax.device_count(),
        "counted",
    )
    t.expect(
        [one.local_hardware_id for one in found] == list(range(len(found)))
        or found[0].platform != "cpu",
        "by number",
    )
    t.raises(ValueError, jax.local_devices, 100)
    t.raises(RuntimeError, jax.local_devices, backend="nonsense")
    t.raises(RuntimeError, jax.device_count, "nonsense")
    with jax.default_device(found[-1]):
        t.expect(t.call("jax.devices") == found, "the same ones, whichever is the default")


STRUCT = "jax.ShapeDtypeStruct"


@case(
    STRUCT, host_only=True, core=False, reference="none", since=("0.10.0", "ShapeDtypeStruct.like")
)
def like_an_array(t):
    """Weak as it is; where it lies only if it was put there; of NumPy's, of tracers, and of what is no array."""
    jax, jnp, np = t.fw, t.fw.numpy, t.np
    like, where = t.get(STRUCT).like, sharding(t, "x")
    weak, plain = t.call(like, jnp.array(1.0)), t.call(like, np.array([1.0, 2.0], "float32"))
    t.expect(
        weak.weak_type and weak.shape == () and weak.sharding is None,
        "weak, of no place, got %s" % weak,
    )
    t.expect(
        not plain.weak_type and plain.shape == (2,) and plain.dtype == "float32",
        "of NumPy's, got %s" % plain,
    )
    spread = t.call(like, jax.device_put(jnp.arange(8, dtype="int32"), where))
    t.expect(
        spread.sharding == where and spread.dtype == "int32", "where it was put, got %s" % spread
    )
    single = jax.sharding.SingleDeviceSharding(t.device)
    t.expect(
        t.call(like, jax.device_put(jnp.arange(8), single)).sharding == single, "on its device"
    )
    seen = []
    jax.jit(lambda v: seen.append(like(v)) or v)(jnp.ones((2, 3), "bfloat16"))
    t.expect(
        (seen[0].shape, str(seen[0].dtype)) == ((2, 3), "bfloat16"), "of a tracer, got %s" % seen
    )
    for wrong in ("text", [1, 2], None):
        t.raises((AttributeError, TypeError, ValueError), like, wrong)


@case(
    STRUCT, host_only=True, core=False, reference="none", since=("0.10.0", "a spec as the sharding")
)
def a_spec_and_its_mesh(t):
    """A spec alone means the mesh of the context; more entries than axes, no mesh and other axes are refused. Any dtype is kept."""
    jax, P, mesh = t.fw, t.get("jax.sharding.PartitionSpec"), mesh_of(t)
    made = t.call(STRUCT, (4, 2), "float32", sharding=P("x"))
    with jax.set_mesh(mesh):
        t.expect(
            made.sharding == t.get("jax.NamedSharding")(mesh, P("x")),
            "of the context, got %s" % made.sharding,
        )
        compiled = jax.jit(lambda v: v * 2).lower(made).compile()
    t.expect(
        compiled.input_shardings[0][0].is_equivalent_to(sharding(t, "x"), 2),
        "that of a program's input",
    )
    t.raises(TypeError, lambda: made.sharding)
    with jax.set_mesh(mesh_of(t, ("other",))):
        t.raises(ValueError, lambda: made.sharding)
    for where in (P(None, "x", None), t.get("jax.NamedSharding")(mesh, P(None, "x", None))):
        t.raises(ValueError, t.call, STRUCT, (4, 2), "float32", sharding=where)
    for kind in (t.np.bytes_, t.np.object_):
        t.expect(t.call(STRUCT, (), kind).dtype == t.np.dtype(kind), "%s" % kind)
    t.raises(TypeError, jax.jit(lambda: jax.numpy.ones(3) + t.get(STRUCT)((3,), "float32")))
    t.raises(TypeError, jax.jit(lambda v: v), t.get(STRUCT)((3,), "float32"))
