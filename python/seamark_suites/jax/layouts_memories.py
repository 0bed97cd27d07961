"""Layouts that programs ask for, and memories of a device: jax.jit and jax.device_put."""

from seamark_agent.harness import Skip

from seamark_suites.case import case

from .placed_results import of_this_machine
from .placing import mesh_of, some_devices
from .shardings import sharding

LAYOUTS = ("0.7.0", "jax.experimental.layout.Format")
SPACES = ("0.8.0", "jax.memory.Space")


def layouts(t):
    from jax.experimental.layout import Format, Layout

    of_this_machine(t, mesh_of(t))
    return Format, Layout


def order_of(x):
    return tuple(x.format.layout.major_to_minor)


@case(
    "jax.jit",
    dtypes="f32 bf16",
    core=False,
    since=LAYOUTS,
    reference=lambda np, x: [x.T, x.T, x.T, 2 * x.T, x + 1, x + 1],
)
def in_the_layouts_it_says(t, dtype):
    """Of results and of arguments, column by column; one that the compiler finds; of NumPy's arrays, and of those that lie anywhere."""
    Format, Layout = layouts(t)
    jax, jit, where = t.fw, t.get("jax.jit"), sharding(t, "x")
    x, made = t.randint((8, 6), dtype, -9, 9), []
    rows = jax.device_put(x, where)
    for order in ((1, 0), (0, 1)):
        made.append(t.call(jit(lambda v: v.T, out_shardings=Format(Layout(order), where)), rows))
        t.expect(t.compiled or order_of(made[-1]) == order, "%s, got %s" % (order, made[-1].format))
    places = {"in_shardings": Format(Layout((0, 1)), where), "out_shardings": Format(Layout.AUTO)}
    made.append(t.call(jit(lambda v: v.T, **places), rows))
    columns = jax.device_put(x, Format(Layout((1, 0)), where))
    made.append(t.call(jit(lambda v: 2 * v.T, in_shardings=Format(Layout((1, 0)), where)), columns))
    single = Format(Layout((1, 0)), jax.sharding.SingleDeviceSharding(t.device))
    plus = jit(lambda v: v + 1, in_shardings=single)
    made += [t.call(plus, t.np.asarray(t.host(x)).astype(x.dtype)), t.call(plus, x)]
    return made


@case("jax.jit", host_only=True, core=False, since=LAYOUTS, reference="none")
def layouts_of_compiled_programs(t):
    """Row by row by default; as it says; what the compiler finds is given to it again. Another layout of a bound argument, and one of other axes, is refused."""
    Format, Layout = layouts(t)
    jax, jit, where = t.fw, t.get("jax.jit"), sharding(t, "x")
    x = t.np.arange(48, dtype="float32").reshape(8, 6)
    rows, struct = jax.device_put(x, where), jax.ShapeDtypeStruct((8, 6), "float32", sharding=where)

    def compiled(given, **places):
        return t.call(lambda: jit(lambda v: v.T, **places).lower(given).compile())

    plain = compiled(struct)
    t.expect(
        plain.input_formats[0][0].layout.major_to_minor == (0, 1),
        "row by row, got %s" % (plain.input_formats,),
    )
    t.expect(
        plain.output_formats.layout.major_to_minor == (0, 1),
        "row by row, got %s" % plain.output_formats,
    )
    for order in ((1, 0), (0, 1)):
        made = compiled(struct, out_shardings=Format(Layout(order), sharding(t, None, "x")))
        t.expect(
            made.output_formats.layout.major_to_minor == order,
            "%s, got %s" % (order, made.output_formats),
        )
    found = compiled(struct, in_shardings=Format(Layout.AUTO), out_shardings=Format(Layout.AUTO))
    own = found.input_formats[0][0]
    made = t.call(found, jax.device_put(x, own))
    t.expect(
        t.host(made).tolist() == x.T.tolist() and made.format == found.output_formats,
        "what it found, got %s" % made.format,
    )
    again = (
        jit(lambda v: v * 2).lower(jax.ShapeDtypeStruct((8, 6), "float32", sharding=own)).compile()
    )
    t.expect(
        again.input_formats[0][0] == own, "that of the struct, got %s" % (again.input_formats,)
    )
    t.raises(ValueError, lambda: jit(lambda v: v.T, in_shardings=Format(Layout.AUTO)).lower(rows))
    t.raises(ValueError, jit(lambda v: v.T, in_shardings=Format(Layout((1, 0)), where)), rows)
    single = jax.sharding.SingleDeviceSharding(t.device)
    t.raises(ValueError, jit(lambda v: v, in_shardings=Format(Layout((0, 1, 2)), single)), x)


@case("jax.device_put", core=False, since=LAYOUTS, reference=lambda np, x: [x, x])
def layouts_that_say_all(t):
    """None as the layout is any; one that is to be found, or of other axes, is refused; the one of a compiled program."""
    Format, Layout = layouts(t)
    jax, put, x = t.fw, t.get("jax.device_put"), t.randint((8, 6), "f32", -9, 9)
    single = jax.sharding.SingleDeviceSharding(t.device)
    made = t.call(lambda x: put(x, Format(None, single)), x)
    t.expect(t.compiled or made.committed, "bound to its device")
    for wrong in (
        Format(Layout.AUTO, single),
        Format(Layout.AUTO),
        Format(Layout((0, 1, 2)), single),
    ):
        t.raises(ValueError, put, x, wrong)
    t.raises(ValueError, Format, Layout((0, 1)), None)
    program = jax.jit(lambda v: v * 2, out_shardings=Format(Layout.AUTO))
    place = program.lower(jax.device_put(x, sharding(t, "x"))).compile().output_formats
    own = put(t.host(x).astype("float32"), place)
    t.expect(own.format == place, "%s, got %s" % (place, own.format))
    parts = [one.data.format.layout for one in own.addressable_shards]
    t.expect(all(one == own.format.layout for one in parts), "each part, got %s" % parts)
    return [made, t.call(lambda x: put(x, place), x)]


# --- memories


def memories(t):
    """That of the host beside a device's own, or the case has no meaning."""
    device = some_devices(t)[0]
    if not {"device", "pinned_host"} <= {one.kind for one in device.addressable_memories()}:
        raise Skip("a device without the memory pinned_host")
    of_this_machine(t, mesh_of(t))
    return "pinned_host"


@case(
    "jax.device_put",
    dtypes="f32 i32",
    core=False,
    since=SPACES,
    reference=lambda np, x: [x, x, x, x, x],
)
def to_a_space_of_memory(t, dtype):
    """jax.memory.Space: the host's and the device's, back and forth, alone and in a program; the place stays."""
    host = memories(t)
    jax, put, where = t.fw, t.get("jax.device_put"), sharding(t, "x")
    space, x = jax.memory.Space, t.randint((8, 2), dtype, -9, 9)
    rows = jax.device_put(x, where)
    calls = (
        (space.Host, lambda v: put(v, space.Host)), (space.Device, lambda v: put(v, space.Device)), (space.Host, jax.jit(lambda v: put(v, space.Host))),
        (space.Device, lambda v: put(put(v, space.Host), space.Device)), (space.Host, lambda v: put(put(put(v, space.Host), space.Device), space.Host)),
    )  # fmt: skip
    made = [t.call(call, rows) for _, call in calls]
    for (kind, _), one in zip(calls, made):
        want = where.with_memory_kind("device" if kind == space.Device else host)
        t.expect(t.compiled or one.sharding == want, "%s, got %s" % (want, one.sharding))
    if not t.compiled:
        new = put(t.np.arange(8), space.Device)
        t.expect(new.committed and put(new, space.Host).committed, "bound to its device")
        t.expect(put(new, space.Host).sharding.memory_kind == host, "in %s" % host)
    return made


@case("jax.grad", dtypes="f32 bf16", core=False, since=SPACES, reference=lambda np, x: [2 * x] * 3)
def slopes_of_what_comes_from_another_memory(t, dtype):
    """They lie in the memory of what they are the slopes of; with its place said, too."""
    host = memories(t)
    jax, grad, where = t.fw, t.get("jax.grad"), sharding(t, "x")
    away = where.with_memory_kind(host)
    x = jax.device_put(t.randint((8,), dtype, -9, 9), away)
    square = lambda v: (v * v).sum()  # noqa: E731
    programs = (
        grad(lambda v: square(jax.device_put(v, where))), jax.jit(grad(lambda v: square(jax.device_put(v, where)))),
        jax.jit(grad(lambda v: square(jax.device_put(v, where, src=away)))),
    )  # fmt: skip
    made = [t.call(one, x) for one in programs]
    for one in made:
        t.expect(t.compiled or one.sharding == away, "%s, got %s" % (away, one.sharding))
    return [jax.device_put(one, where) for one in made]


@case("jax.device_put", host_only=True, core=False, since=SPACES, reference="none")
def numbers_to_another_memory(t):
    """Python's stay weak there, NumPy's have their kind; beside numbers of another memory they are refused; a copy of one's own."""
    host = memories(t)
    jax, np, put = t.fw, t.np, t.get("jax.device_put")
    where = sharding(t).with_memory_kind(host)
    rows = (3, "int32", True), (2.5, "float32", True), (np.float32(2), "float32", False), (True, "bool", False), (np.int8(4), "int8", False)  # fmt: skip
    for one, kind, weak in rows:
        made = t.call("jax.device_put", one, where)
        found = (str(made.dtype), made.weak_type, made.sharding == where, made.item())
        t.expect(found == (kind, weak, True, one), "%s, got %s" % (kind, found))
    there, here = put(np.ones(3, "float32"), where), put(np.ones(3, "float32"), sharding(t))
    t.raises(ValueError, jax.jit(lambda a, b: a + b), there, here)
    copy = put(there, may_alias=False)
    there.delete()
    t.expect(copy.sharding == where and t.host(copy).tolist() == [1, 1, 1], "a copy, got %s" % copy)
