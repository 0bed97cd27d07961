"""Where results lie: out_sharding= and device= of functions, specs without a mesh, batches that are spread.

A mesh has two devices where there are two, and one elsewhere: all cases have a meaning on one.
"""

import functools
import warnings

from seamark_agent.harness import Skip

from seamark_suites.case import case

from . import reference_draws as right
from .draws import some_key
from .placing import mesh_of, some_devices
from .shardings import SPEC, sharding, spec
from .values_and_kinds import NP

NEAR = {"f32": 1e-5, "bf16": 2e-2}
EXPLICIT = ("0.9.0", "out_sharding")


def known(x, mesh):
    import jax

    if mesh.devices.flat[0] not in jax.devices() + jax.devices("cpu"):
        raise Skip("what is set as the mesh of a context has devices of this machine")
    return x + 0


def of_this_machine(t, mesh):
    """The mesh, unless the call is compiled for devices that are not here."""
    t.call(known, t.fw.numpy.ones(3), mesh=mesh)
    return mesh


def explicit(t):
    """A mesh whose axis is a part of the types of arrays; it must be set outside of any program."""
    kinds = t.fw.sharding.AxisType
    made = t.get("jax.sharding.Mesh")(t.np.array(some_devices(t)), ("x",), (kinds.Explicit,))
    return of_this_machine(t, made)


# Functions of two matrices of 4 x 6 and 6 x 8: (the call, what is right).
PLACED = {
    NP + "dot": (lambda f, x, y, where: f(x, y, out_sharding=where), lambda np, x, y: x @ y),
    NP + "matmul": (lambda f, x, y, where: f(x, y, out_sharding=where), lambda np, x, y: x @ y),
    NP + "einsum": (
        lambda f, x, y, where: f("ij,jk->ki", x, y, out_sharding=where),
        lambda np, x, y: (x @ y).T,
    ),
    "jax.Array.reshape": (
        lambda f, x, y, where: x.reshape(6, 4, out_sharding=where),
        lambda np, x, y: x.reshape(6, 4),
    ),
    NP + "broadcast_to": (
        lambda f, x, y, where: f(y, (2, 6, 8), out_sharding=where),
        lambda np, x, y: np.stack([y, y]),
    ),
    NP + "asarray": (
        lambda f, x, y, where: f(y, "int32", out_sharding=where),
        lambda np, x, y: np.trunc(y),
    ),
    NP + "zeros_like": (
        lambda f, x, y, where: f(x, out_sharding=where) + x,
        lambda np, x, y: x,
    ),
    NP + "ones_like": (
        lambda f, x, y, where: f(y, out_sharding=where) * y,
        lambda np, x, y: y,
    ),
}


def over_all(body):
    """The body under each of these functions."""
    for name in PLACED:
        body = case(name, dtypes="f32", core=False, rtol=NEAR, atol=NEAR, since=EXPLICIT,
                    reference=lambda np, x, y, name=name: [PLACED[name][1](np, x, y)] * 3)(body)  # fmt: skip
    return body


@over_all
def where_out_sharding_says(t, function, dtype):
    """A spec and a sharding of a mesh whose axes are explicit, alone and in a program; other specs are refused."""
    mesh, jax = explicit(t), t.fw
    P, run = jax.P, PLACED[function][0]
    f = None if function.startswith("jax.Array.") else t.get(function)
    given = t.randint((4, 6), dtype, -9, 9), t.randint((6, 8), dtype, -9, 9)
    entries = P("x", *[None] * (2 if function.endswith("broadcast_to") else 1))
    where = t.get("jax.NamedSharding")(mesh, entries)
    t.raises(ValueError, run, f, *given, entries)  # no mesh is set
    with jax.set_mesh(mesh):
        x, y = (jax.device_put(one, P()) for one in given)
        made = [t.call(lambda x, y: run(f, x, y, entries), x, y), t.call(lambda x, y: run(f, x, y, where), x, y),
                t.call(jax.jit(lambda x, y: run(f, x, y, entries)), x, y)]  # fmt: skip
        t.raises(ValueError, run, f, x, y, P("nonsense"))
        t.raises((ValueError, TypeError), run, f, x, y, 3)
    for one in made:
        t.expect(one.sharding.is_equivalent_to(where, one.ndim), "spread, got %s" % one.sharding)
    return made


@case(
    "jax.random.normal",
    core=False,
    since=EXPLICIT,
    rtol=NEAR,
    reference=lambda np, *given: [right.normal(np, *given)] * 2,
)
@case(
    "jax.random.uniform",
    core=False,
    since=EXPLICIT,
    rtol=NEAR,
    reference=lambda np, *given: [right.uniform(np, *given)] * 2,
)
@case(
    "jax.nn.initializers.normal",
    core=False,
    since=EXPLICIT,
    rtol=NEAR,
    reference=lambda np, *given: [right.normal(np, *given, scale=0.5)] * 2,
)
def drawn_where_out_sharding_says(t, function):
    """The same numbers, however they are spread."""
    mesh, jax = explicit(t), t.fw
    made = t.get(function)
    draw = made(0.5) if function.endswith("initializers.normal") else made
    key = some_key(t, "f32", (8, 5))
    where = t.get("jax.NamedSharding")(mesh, jax.P("x", None))
    with jax.set_mesh(mesh):
        key = jax.device_put(key, jax.P())
        rows = t.call(lambda key: draw(key, (8, 5), out_sharding=jax.P("x", None)), key)
        again = t.call(jax.jit(lambda key: draw(key, (8, 5), out_sharding=where)), key)
        t.raises(ValueError, lambda: draw(key, (8, 5), out_sharding=jax.P("nonsense")))
    for one in (rows, again):
        t.expect(one.sharding.is_equivalent_to(where, 2), "spread, got %s" % one.sharding)
    return [rows, again]


# Functions with device=: (the call, what is right). x is 8 x 3.
ON_DEVICES = {
    NP + "eye": (lambda f, x, where: f(8, 3, k=-1, device=where) * x, lambda np, x: x * np.eye(8, 3, -1)),
    NP + "zeros_like": (lambda f, x, where: f(x, device=where) - x, lambda np, x: -x),
    NP + "ones_like": (
        lambda f, x, where: f(x, "float32", (8, 2), device=where) * x[:, :2],
        lambda np, x: x[:, :2],
    ),
    NP + "asarray": (lambda f, x, where: f(x, device=where) + 1, lambda np, x: x + 1),
    "jax.Array.astype": (
        lambda f, x, where: x.astype("int32", device=where) * 2,
        lambda np, x: np.trunc(x) * 2,
    ),
}  # fmt: skip


def on_devices(body):
    for name in ON_DEVICES:
        body = case(name, core=False, reference=lambda np, x, name=name: [ON_DEVICES[name][1](np, x)] * 3)(body)  # fmt: skip
    return body


@on_devices
def where_device_says(t, function):
    """Spread over a mesh, one copy on each device, and in a program."""
    jax, run = t.fw, ON_DEVICES[function][0]
    f = None if function.startswith("jax.Array.") else t.get(function)
    rows, whole = sharding(t, "x"), sharding(t)
    x = t.uniform((8, 3), "f32", -9, 9)
    x = t.get("jax.device_put")(x, whole) if not t.compiled else x
    call = lambda x, where: run(f, x, where)  # noqa: E731
    made = [t.call(call, x, where=where) for where in (rows, whole)]
    made.append(t.call(lambda x, where: jax.jit(lambda x: run(f, x, where))(x), x, where=rows))
    if not t.compiled:
        plain = {"eye": lambda: f(8, device=rows), "zeros_like": lambda: f(x, device=rows)}
        plain["ones_like"] = plain["zeros_like"]
        plain["asarray"] = lambda: f(t.np.ones((8, 3), "float32"), device=rows)
        plain["astype"] = lambda: x.astype("int32", device=rows)
        one = plain[function.rsplit(".", 1)[1]]()
        t.expect(one.sharding.is_equivalent_to(rows, 2), "spread, got %s" % one.sharding)
    return made


TWICE = {"dtypes": "f32 i32", "core": False, "since": EXPLICIT, "reference": lambda np, x: [x, x]}
SAME = {"full": lambda f, x, **at: f(x.shape, x, **at), "asarray": lambda f, x, **at: f(x, **at),
        "ones_like": lambda f, x, **at: f(x, **at) * x, "zeros_like": lambda f, x, **at: f(x, **at) + x}  # fmt: skip


@case(NP + "ones_like", **TWICE)
@case(NP + "zeros_like", **TWICE)
@case(NP + "full", **TWICE)
@case(NP + "asarray", **TWICE)
def one_place_of_two_options(t, function, dtype):
    """device= or out_sharding=; both are refused, equal or not."""
    mesh, f = explicit(t), t.get(function)
    where = t.get("jax.NamedSharding")(mesh, t.fw.P("x"))
    x = t.randint((8, 3), dtype, 1, 9)
    run = functools.partial(SAME[function.removeprefix(NP)], f)
    for one in (where, some_devices(t)[0]):
        t.raises(ValueError, run, x, device=one, out_sharding=where)
    made = []
    with t.fw.set_mesh(mesh):
        for option in ("device", "out_sharding"):
            made.append(t.call(lambda x, option=option: run(x, **{option: where}), x))
            found = made[-1].sharding
            t.expect(t.compiled or found.is_equivalent_to(where, 2), "spread, got %s" % found)
    return made


# --- P


@spec(dtypes="f32 i32", core=False, host_only=False, since=("0.7.1", "jax.set_mesh"), reference=lambda np, x: [
      2 * x, x + 1, x, 3 * x])  # fmt: skip
def specs_alone_where_a_mesh_is_set(t, dtype):
    """As shardings of a program and of device_put; refused where no mesh is set."""
    jax, P, x = t.fw, t.get("jax.P"), t.randint((8, 6), dtype, -9, 9)
    t.raises(ValueError, jax.device_put, x, P("x"))
    t.raises(RuntimeError, jax.jit(lambda v: v, in_shardings=P("x")), x)
    whole = jax.jit(lambda v: v * 2, in_shardings=P("x"), out_shardings=P())
    columns = jax.jit(lambda v: v + 1, out_shardings=P(None, "x"))
    places = {"in_shardings": ({"x": P("x")}, P()), "out_shardings": P("x")}
    both = jax.jit(lambda a, b: a["x"] + b, **places)
    mesh = of_this_machine(t, mesh_of(t))
    with jax.set_mesh(mesh):
        rows = t.call(lambda v: jax.device_put(v, P("x")), x)
        found = [t.call(whole, rows), t.call(columns, rows), rows]
        found.append(t.call(both, {"x": rows}, found[0]))
    for one, entries in zip(found, (P(), P(None, "x"), P("x"), P("x"))):
        want = t.get("jax.NamedSharding")(mesh, entries)
        t.expect(one.sharding.is_equivalent_to(want, 2), "%s, got %s" % (want, one.sharding))
    return found


# --- vmap


def spread_batches(x, w, mesh):
    import jax

    def one(v):
        rows = jax.NamedSharding(mesh, jax.P(None))
        return jax.lax.with_sharding_constraint(v @ w, rows) + v.sum()

    return jax.vmap(one, spmd_axis_name="x")(x), jax.jit(
        jax.vmap(jax.vmap(one), spmd_axis_name="x")
    )(x[:, None])[:, 0]


@case("jax.vmap", dtypes="f32", core=False, rtol=NEAR, atol=NEAR, since=SPEC, reference=lambda np, x, w: [
      x @ w + x.sum(1, keepdims=True)] * 2)  # fmt: skip
def a_batch_over_a_mesh(t, dtype):
    """spmd_axis_name: what is constrained for one example is spread over the batch."""
    mesh = mesh_of(t)
    made = t.call(spread_batches, t.randint((8, 5), dtype, -9, 9), t.randint((5, 4), dtype, -9, 9), mesh=mesh)  # fmt: skip
    if not t.compiled:
        where = t.get("jax.NamedSharding")(mesh, t.fw.P("x"))
        t.expect(made[0].sharding.is_equivalent_to(where, 2), "rows, got %s" % made[0].sharding)
    return list(made)


# --- jit


def placed_by_jit(x, device):
    import jax

    f = jax.jit(lambda v: v * 2 - 1, device=device)
    return f(x), jax.jit(f)(x + 1), jax.vmap(f)(x)


@case("jax.jit", dtypes="f32 i32", core=False, reference=lambda np, x: [2 * x - 1, 2 * x + 1, 2 * x - 1, 5, 4, 2 * x])  # fmt: skip
def on_the_device_it_names(t, dtype):
    """device= and backend=, deprecated: the result lies there. Both at once, what is no backend, a program on one device within one on another raise."""
    jax, x = t.fw, t.randint((5, 4), dtype, -9, 9)
    first, last = some_devices(t)[0], some_devices(t)[-1]
    x = t.call(known, x, mesh=mesh_of(t))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = list(t.call(placed_by_jit, x, device=last))
        made.append(t.call(jax.jit(lambda v: v * 2 - 1, device=last), 3))
        by_name = jax.jit(lambda v: v + 1, backend=last.platform)
        made += [t.call(by_name, 3), t.call(jax.jit(lambda v: v * 2, backend=last.platform), x)]
        t.raises(ValueError, lambda: jax.jit(lambda v: v, device=last, backend=last.platform)(x))
        t.raises(RuntimeError, lambda: jax.jit(lambda v: v, backend="nonsense")(x))
        others = [one for one in (first, *jax.devices("cpu")) if one != last]
        if others:
            inner = jax.jit(lambda v: v - 1, device=others[0])
            t.raises(ValueError, lambda: jax.jit(lambda v: inner(v) + 1, device=last)(x))
    if not t.compiled:
        found = [one.devices() for one in made[:4]]
        t.expect(found == [{last}] * 4, "on %s, got %s" % (last, found))
        found = {one.platform for each in made[4:] for one in each.devices()}
        t.expect(found == {last.platform}, "of that backend, got %s" % found)
    return made


@case("jax.jit", core=False, reference=lambda np, x: [7, 2 * x + 1] * 3)
def where_a_default_is_set(t):
    """Numbers of Python and arrays of NumPy go to the default device, of contexts the inner one; what is bound stays."""
    jax, devices, x = t.fw, some_devices(t), t.randint((5, 4), "f32", -9, 9)
    own, made, program = t.host(x), [], jax.jit(lambda v: v * 2 + 1)
    bound = jax.device_put(own, devices[0])
    for device, last in ((devices[-1], own), (devices[0], own), (devices[-1], bound)):
        with jax.default_device(devices[0]), jax.default_device(device):
            found = [t.call(program, 3), t.call(program, last)]
        where = [one.devices() for one in found]
        want = [{device}, {devices[0] if last is bound else device}]
        t.expect(t.compiled or where == want, "on %s, got %s" % (want, where))
        made += found
    return made


@case("jax.jit", core=False, since=("0.4.36", "a platform as the default device"), reference=lambda np, x: [7, 2 * x + 1])  # fmt: skip
def where_a_platform_is_the_default(t):
    """By its name: the first device of it; the CPU beside others, too; after that as before."""
    jax, x, program = t.fw, t.randint((5, 4), "f32", -9, 9), t.fw.jit(lambda v: v * 2 + 1)
    own, made = t.host(x), []
    before = program(3).devices()
    with jax.default_device(t.device.platform):
        made += [t.call(program, 3), t.call(program, own)]
    with jax.default_device("cpu"):
        there = [program(3), program(own)]
    t.expect(t.host(there[1]).tolist() == (2 * own + 1).tolist(), "the same numbers on the CPU")
    for platform, found in (("cpu", there), (t.device.platform, made)):
        want, where = {jax.local_devices(backend=platform)[0]}, [one.devices() for one in found]
        t.expect(t.compiled or where == [want] * len(found), "on %s, got %s" % (want, where))
    t.expect(program(3).devices() == before, "as before")
    return made


# --- asarray


@case(NP + "asarray", dtypes="f32 i32", core=False, reference=lambda np, x: [x, 2 * x, x + 1, x])
def without_a_copy_where_it_is_placed(t, dtype):
    """copy=False: NumPy's memory on the CPU, as a default device or as the sharding of one, and else refused; an array where it lies is itself."""
    jax, np, name = t.fw, t.np, NP + "asarray"
    x, f = t.randint((64,), dtype, -9, 9), t.get(name)
    own = np.array(t.host(x)).astype({"f32": "float32", "i32": "int32"}[dtype])
    for device in () if t.compiled else {t.device, jax.devices("cpu")[0]}:
        where = jax.sharding.SingleDeviceSharding(device)
        for context, options in (
            (device, {}),
            (None, {"device": where}),
            (device, {"device": device}),
        ):
            with jax.default_device(context):
                try:
                    found = f(own, copy=False, **options)
                except ValueError:
                    t.expect(device.platform != "cpu", "NumPy's memory on the CPU")
                    continue
            t.expect(found.devices() == {device}, "on %s, got %s" % (device, found.devices()))
            t.expect(np.array_equal(t.host(found), own), "as it is, got %s" % found)
    where = jax.sharding.SingleDeviceSharding(t.device)
    made = t.call(lambda x, where: f(x, copy=False, device=where), x, where=where)
    if not t.compiled:
        there = jax.device_put(x, where)
        found = f(there, copy=False, device=where)
        t.expect(found.unsafe_buffer_pointer() == there.unsafe_buffer_pointer(), "the same memory")
    with jax.default_device(t.device):
        made = [
            made,
            t.call(lambda x: f(x, copy=False) * 2, x),
            t.call(lambda x: f(x, copy=True) + 1, x),
        ]
        return [*made, t.call(name, own, copy=None)]


# --- device_put


@case("jax.device_put", dtypes="f32 i32", core=False, since=("0.7.1", "jax.set_mesh"), reference=lambda np, x: [
      x, {"a": x, "b": [x]}, x + 1])  # fmt: skip
def by_a_spec_alone(t, dtype):
    """Of the mesh that is set; a spec for each part of a tree; without a mesh it is refused."""
    jax, name, x = t.fw, "jax.device_put", t.randint((8, 6), dtype, -9, 9)
    t.raises(ValueError, t.call, name, x, jax.P("x"))
    mesh = of_this_machine(t, mesh_of(t))
    with jax.set_mesh(mesh):
        rows = t.call(lambda x: t.get(name)(x, jax.P("x")), x)
        tree = t.get(name)({"a": x, "b": [x]}, {"a": jax.P(None, "x"), "b": jax.P()})
        inside = t.call(jax.jit(lambda x: t.get(name)(x + 1, jax.P("x"))), rows)
        t.raises(ValueError, t.get(name), x, jax.P("nonsense"))
        t.raises(ValueError, t.get(name), x[0, 0], jax.P("x"))
    wants = (rows, jax.P("x")), (tree["a"], jax.P(None, "x")), (tree["b"][0], jax.P())
    for one, entries in wants:
        where = t.get("jax.NamedSharding")(mesh, entries)
        t.expect(one.sharding.is_equivalent_to(where, 2), "%s, got %s" % (entries, one.sharding))
    return [rows, tree, inside]


@case("jax.device_put", dtypes="f32", core=False, reference=lambda np, x: [x, x.T, x, x])
def places_in_other_forms(t, dtype):
    """By keyword; a layout of the axes; where it is already; None; the sharding of another array; lengths that do not fit."""
    jax, name, x = t.fw, "jax.device_put", t.randn((7, 6), dtype)
    put = t.get(name)
    made = [t.call(name, x, device=t.device), t.call(lambda x, where: put(x, where).T, x, where=t.device)]  # fmt: skip
    made += [t.call(name, x, None), t.call(name, put(x), x.sharding)]
    if not t.compiled:
        t.expect(made[0].committed and not jax.numpy.zeros(3).committed, "bound to its device")
        same = put(made[0], made[0].sharding)
        t.expect(same.unsafe_buffer_pointer() == made[0].unsafe_buffer_pointer(), "no copy")
        if len(some_devices(t)) > 1:
            t.raises(ValueError, put, x[:7], sharding(t, "x"))
    t.raises(ValueError, put, x[0], sharding(t, None, "x"))
    return made


@case("jax.device_put", dtypes="f32 bf16", core=False, since=("0.7.0", "jax.experimental.layout.Format"),
      reference=lambda np, x: [x, 2 * x.T, x])  # fmt: skip
def by_a_layout_of_axes(t, dtype):
    """Column by column: another order in memory, the same numbers; back again."""
    from jax.experimental import layout

    jax, x = t.fw, t.randint((6, 4), dtype, -9, 9)
    of_this_machine(t, mesh_of(t))
    put = t.get("jax.device_put")
    where = jax.sharding.SingleDeviceSharding(t.device)
    ways = [layout.Format(layout.Layout(order), where) for order in ((1, 0), (0, 1))]
    columns = t.call(lambda x: put(x, ways[0]), x)
    t.expect(columns.format.layout.major_to_minor == (1, 0), "got %s" % (columns.format,))
    back = t.call(lambda x: put(x, ways[1]), columns)
    t.expect(back.format.layout.major_to_minor == (0, 1), "got %s" % (back.format,))
    return [columns, t.call(lambda v: 2 * v.T, columns), back]


@case(
    NP + "zeros_like",
    core=False,
    trivial=True,
    reference=lambda np, x: [np.zeros((8, 3))] * 3 + [np.zeros(4), 0, 0, 0],
)
def like_what_is_placed_and_numpys(t):
    """Where a spread array lies, or a struct is said to; like NumPy's arrays and numbers, and Python's."""
    jax, name, np = t.fw, NP + "zeros_like", t.np
    where, f, x = sharding(t, "x"), t.get(name), t.randn((8, 3), "f32")
    made = [t.call(name, x), t.call(lambda x: f(jax.lax.with_sharding_constraint(x, where)), x), t.call(jax.jit(f), x),
            t.call(name, np.arange(4, dtype="int16")), t.call(name, 2.5), t.call(name, 1j), t.call(name, True)]  # fmt: skip
    kinds = [str(one.dtype) for one in made[3:]]
    t.expect(
        t.place == "wide" or kinds == ["int16", "float32", "complex64", "bool"],
        "their kinds, got %s" % kinds,
    )
    if not t.compiled:
        spread = jax.device_put(x, where)
        struct = jax.ShapeDtypeStruct((8, 3), "float32", sharding=where)
        for one in (f(spread), f(struct), f(x, device=where)):
            t.expect(one.sharding.is_equivalent_to(where, 2), "as the first, got %s" % one.sharding)
    return made


@case(
    "jax.ShapeDtypeStruct",
    host_only=True,
    core=False,
    reference="none",
    since=("0.10.0", "a layout as the sharding"),
)
def with_a_layout(t):
    """Column by column: it is kept, another takes its place, a sharding alone does not; a program takes arrays that lie so."""
    from jax.experimental.layout import Format, Layout

    jax, where = t.fw, t.fw.sharding.SingleDeviceSharding(t.device)
    columns, rows = (Format(Layout(order), where) for order in ((1, 0), (0, 1)))
    made = t.call("jax.ShapeDtypeStruct", (2, 3), "float32", sharding=columns)
    t.expect(
        made.sharding == where and made.format.layout.major_to_minor == (1, 0),
        "both, got %s" % (made.format,),
    )
    t.expect(made.update(sharding=rows).format.layout.major_to_minor == (0, 1), "another layout")
    t.expect(made.update(shape=(4, 3)).format.layout.major_to_minor == (1, 0), "the layout stays")
    t.raises(ValueError, made.update, sharding=where)
    t.raises(
        TypeError, t.call, "jax.ShapeDtypeStruct", (2, 3), "float32", sharding=Format(Layout.AUTO)
    )
    compiled = jax.jit(lambda v: v * 2).lower(made).compile()
    x = t.np.arange(6, dtype="float32").reshape(2, 3)
    found = t.host(compiled(jax.device_put(x, columns)))
    t.expect(found.tolist() == (2 * x).tolist(), "twice the numbers, got %s" % found)
    t.raises(ValueError, compiled, jax.device_put(x, rows))
