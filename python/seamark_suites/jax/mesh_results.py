"""What typed meshes refuse, where new arrays lie on them, and what is known of results before they are there."""

from seamark_suites.case import case

from .mesh_types import LAX, RESHAPE, TYPED, typed_mesh
from .placed_results import EXPLICIT
from .placing import mesh_of
from .shardings import sharding
from .values_and_kinds import NP

TYPE, VALUE, KIND = "ShardingTypeError", "ValueError", "TypeError"


def _contract(f, x, y):
    return f(x, y)


def _moved(x):
    """Whole on each device, and of that type."""
    import jax

    return jax.sharding.reshard(x, jax.P())


# FUNCTION: rows of (shapes, their specs, the call, the name of its error).
REFUSED = {
    RESHAPE: [
        ([(4, 4)], [(None, "x")], lambda f, x: x.reshape(16), TYPE), ([(4, 4, 1)], [("x", None, None)], lambda f, x: x.reshape(8, 2), TYPE),
        ([(4, 6, 8)], [("x", None, None)], lambda f, x: x.reshape(4, 2, 3, 4, 2), TYPE),
        ([(4, 6, 8)], [("x", None, None)], lambda f, x: x.reshape(4, 4, 2, 6), TYPE),
        ([(4, 8, 9)], [("x", None, None)], lambda f, x: x.reshape(4, 2, 2, 3, 3, 2), TYPE),
        ([(4, 2, 3, 2, 4)], [("x", None, None, None, None)], lambda f, x: x.reshape(4, 6, 8), TYPE),
        ([(4, 2, 6, 8)], [(None, None, "y", "x")], lambda f, x: x.reshape(4, 12, 8), TYPE),
        ([(2, 2, 2)], [("x", None, "y")], lambda f, x: x.reshape(8), TYPE),
    ],
    NP + "where": [([(8, 8), (8, 8)], [("x", None), (None, "x")], lambda f, x, y: f(x > 0, x, y), TYPE)],
    NP + "maximum": [([(8, 8), (8, 8)], [("x", "y"), ("y", "x")], _contract, TYPE), ([(8, 8), (8, 8)], [("x", None), (None, "x")], _contract, TYPE)],
    NP + "minimum": [([(8, 8), (8, 8)], [("x", "y"), (("x", "y"), None)], _contract, TYPE)],
    NP + "logical_and": [([(8, 8), (8, 8)], [("x", None), (None, "x")], _contract, TYPE)],
    NP + "dot": [([(8, 4), (4, 6)], [(None, "x"), ("x", None)], _contract, TYPE), ([(8, 4), (4, 6)], [("x", None), (None, "x")], _contract, TYPE)],
    NP + "matmul": [([(8, 4), (4, 6)], [("x", "y"), ("y", None)], _contract, TYPE), ([(8, 4), (4, 6)], [("x", "y"), ("x", "y")], _contract, TYPE)],
    NP + "einsum": [([(8, 4, 2), (8, 2, 4)], [("x", "y", None), ("y", None, "x")], lambda f, x, y: f("abc,acz->abz", x, y), TYPE),
                    ([(8, 4), (4, 6)], [(None, "y"), ("y", None)], lambda f, x, y: f("ij,jk", x, y), TYPE)],
    LAX + "dynamic_update_slice": [([(16,), (8,)], [("x",), (None,)], lambda f, x, y: f(x, y, (3,)), TYPE)],
    LAX + "scan": [([(8,), (8, 8)], [(None,), ("x", None)], lambda f, x, y: f(lambda c, r: (c + r, None), x, y), VALUE),
                   ([(8,)], [("x",)], lambda f, x: f(lambda c, _: (_moved(c), None), x, None, length=1), KIND)],
    LAX + "cond": [([(8,), (8,)], [("x",), (None,)], lambda f, x, y: f(True, lambda x, y: x, lambda x, y: y, x, y), KIND)],
    LAX + "while_loop": [([(8,)], [("x",)], lambda f, x: f(lambda v: True, _moved, x), KIND)],
    "jax.vmap": [
        ([(4, 2), (4, 2)], [("x", None), (None, None)], lambda f, x, y: f(lambda x, y: (x, y))(x, y), VALUE),
        ([(8, 2), (2, 8)], [("x", None), (None, "y")], lambda f, x, y: f(lambda x, y: x @ y, (0, 1))(x, y), VALUE),
        ([(8, 2)], [("x", None)], lambda f, x: f(lambda x: x * 2, spmd_axis_name="y")(x), VALUE),
        ([(4, 6), (8, 4)], [("x", None), ("x", None)], lambda f, x, y: f(lambda x, y: (x.T * y).sum(), (None, 0))(x, y), VALUE),
    ],
    "jax.jit": [([(8,)], [("x",)], lambda f, x: f(lambda x: x, out_shardings=_open())(x), VALUE)],
}  # fmt: skip


def _open():
    import jax

    return jax.P(jax.P.UNCONSTRAINED)


def refused(body):
    for name in REFUSED:
        shapes, _, (_, value), _, _ = TYPED[name][0]

        def agreed(np, *given, value=value, shapes=shapes):
            return value(np, *given[-len(shapes) :])

        body = case(name, core=False, since=EXPLICIT, rtol={"f32": 1e-5}, reference=agreed)(body)
    return body


@refused
def places_that_do_not_agree(t, function):
    """Alone and in a program; what agrees is taken, and right."""
    mesh, jax = typed_mesh(t), t.fw
    f = None if function.startswith("jax.Array.") else t.get(function)
    for shapes, specs, call, error in REFUSED[function]:
        given = [t.randint(shape, "f32", -4, 5) for shape in shapes]
        run = lambda *given, call=call: call(f, *given)  # noqa: E731
        with jax.set_mesh(mesh):
            put = [jax.device_put(one, jax.P(*spec)) for one, spec in zip(given, specs)]
            for each in (run, jax.jit(run)):
                found = type(t.raises(Exception, each, *put)).__name__
                t.expect(found == error, "%s of %s, got %s" % (error, specs, found))
    first = TYPED[function][0]
    top = 3 if function.endswith("logical_and") else 5  # some are zero, and some not
    given = [t.randint(shape, "f32", 1 - top, top) for shape in first[0]]
    with jax.set_mesh(mesh):
        put = [jax.device_put(one, jax.P(*spec)) for one, spec in zip(given, first[1])]
        return t.call(lambda *given: first[2][0](f, *given), *put)


# --- new arrays


@case(NP + "full", dtypes="f32 i32", core=False, since=EXPLICIT, reference=lambda np, x, n: [
      [np.full((8, 2), n)] * 2, [np.stack([x, x], 1)] * 2, [np.full(8, n)] * 2])  # fmt: skip
def full_where_out_sharding_says(t, dtype):
    """Of a number and of an array; a memory, a device beside it, more entries than axes and another axis are refused."""
    mesh, jax, f = typed_mesh(t), t.fw, t.get(NP + "full")
    P, where, found = jax.P, t.get("jax.NamedSharding"), []
    x, n = t.randint((8,), dtype, -9, 9), t.randint((), dtype, 1, 9)
    rows = (
        (lambda x, n: f((8, 2), n, out_sharding=P("x")), P("x", None)),
        (lambda x, n: f((8, 2), x[:, None], out_sharding=where(mesh, P("x", "y"))), P("x", "y")),
        (lambda x, n: f((8,), n, out_sharding=P("x")), P("x")),
    )
    with jax.set_mesh(mesh):
        x, n = jax.device_put(x, P()), jax.device_put(n, P())
        for run, spec in rows:
            made = [t.call(run, x, n), t.call(jax.jit(run), x, n)]
            for one in made:
                want = where(mesh, spec)
                t.expect(one.sharding == want, "%s, got %s" % (want, one.sharding))
            found.append(made)
        own = f((8,), t.np.arange(8), out_sharding=P("x"))
        t.expect(own.sharding == where(mesh, P("x")), "of NumPy's array, got %s" % own.sharding)
        host = where(mesh.abstract_mesh, P("x"), memory_kind="pinned_host")
        for options in (
            {"out_sharding": host},
            {"out_sharding": P("x"), "device": t.device},
            {"out_sharding": P("z")},
        ):
            t.raises(ValueError, f, (2,), 0, **options)
        t.raises((ValueError, AssertionError), f, (2,), 0, out_sharding=P(None, "x"))
    return found


@case(NP + "maximum", core=False, since=EXPLICIT, reference=lambda np, x: [x > 0] * 2)
@case(NP + "minimum", core=False, since=EXPLICIT, reference=lambda np, x: [x < 0] * 2)
def slopes_beside_a_number_over_a_mesh(t, function):
    """Of each example of a batch that is spread."""
    mesh, jax, f = typed_mesh(t), t.fw, t.get(function)
    run = jax.vmap(jax.grad(lambda x: f(0.0, x)))
    with jax.set_mesh(mesh):
        x = jax.device_put(t.distinct((6,), "f32"), jax.P("x"))
        made = [t.call(run, x), t.call(jax.jit(run), x)]
        one = run(jax.device_put(jax.numpy.ones(2), jax.P("x")))
    t.expect(
        t.host(one).tolist() == ([1.0, 1.0] if function.endswith("maximum") else [0.0, 0.0]),
        "got %s" % one,
    )
    for one in made:
        want = t.get("jax.NamedSharding")(mesh, jax.P("x"))
        t.expect(one.sharding == want, "%s, got %s" % (want, one.sharding))
    return made


@case("jax.vmap", core=False, since=EXPLICIT, rtol={"f32": 1e-5}, reference=lambda np, x, w, n, one: [
      np.broadcast_to(w.sum(2)[:, None], (2, 4, 3)), np.broadcast_to(x.sum(0)[None, :, None], (2, 3, 5)), np.where(n > 2, one, 5 * n)])  # fmt: skip
def slopes_and_branches_of_a_batch_over_a_mesh(t):
    """Halves that become f32 on the way, shared by examples that are whole; a branch by each example that is spread."""
    mesh, jax, vmap = typed_mesh(t), t.fw, t.get("jax.vmap")
    P, where = jax.P, t.get("jax.NamedSharding")
    x, w, n = (
        t.randint((4, 3), "bf16", -4, 5),
        t.randint((2, 3, 5), "f32", -4, 5),
        t.randint((6,), "f32", 0, 6),
    )
    one = t.randint((), "f32", 1, 9)
    slopes = vmap(jax.grad(lambda x, w: (x.astype("float32") @ w).sum(), (0, 1)), (None, 0))
    branch = vmap(lambda n, one: jax.lax.cond(n > 2, lambda: one, lambda: 5 * n), (0, None))
    with jax.set_mesh(mesh):
        x, w, n = jax.device_put(x, P("x", None)), jax.device_put(w, P()), jax.device_put(n, P("x"))
        made = [*t.call(slopes, x, w), t.call(branch, n, jax.device_put(one, P()))]
    for one, spec in zip(made, (P(None, "x", None), P(None, None, None), P("x"))):
        t.expect(
            one.sharding.is_equivalent_to(where(mesh, spec), one.ndim),
            "%s, got %s" % (spec, one.sharding),
        )
    return made


@case(NP + "zeros_like", core=False, host_only=True, since=EXPLICIT, reference="none")
@case(NP + "ones_like", core=False, host_only=True, since=EXPLICIT, reference="none")
def like_a_struct_of_a_mesh_without_devices(t, function):
    """Its place is that of the program's result; so is that of a struct on a mesh of this machine."""
    jax, f, mesh = t.fw, t.get(function), mesh_of(t)
    kinds, where = jax.sharding.AxisType, t.get("jax.NamedSharding")
    bare = jax.sharding.AbstractMesh((2,), ("x",), axis_types=(kinds.Explicit,))
    with jax.sharding.use_abstract_mesh(bare):
        struct = jax.ShapeDtypeStruct((8, 2), "float32", sharding=where(bare, jax.P("x")))
        made = t.call(lambda: jax.jit(lambda: f(struct)).trace().out_info)
    t.expect(made.sharding == where(bare, jax.P("x", None)), "got %s" % made.sharding)
    struct = jax.ShapeDtypeStruct((8, 2), "float32", sharding=where(mesh, jax.P("x")))
    found = f(struct)
    t.expect(found.sharding.is_equivalent_to(struct.sharding, 2), "got %s" % found.sharding)


# --- what is known before


@case("jax.eval_shape", core=False, host_only=True, since=EXPLICIT, reference="none")
def places_on_a_typed_mesh(t):
    """Where a function's result would lie: of arrays, of structs, with a program's own place; a length that it does not divide."""
    mesh, jax, name = typed_mesh(t), t.fw, "jax.eval_shape"
    P, where, make = jax.P, t.get("jax.NamedSharding"), jax.ShapeDtypeStruct
    with jax.set_mesh(mesh):
        x = jax.device_put(t.randn((8, 2), "f32"), P("x", None))
        struct = make((8, 2), "float32", sharding=where(mesh, P("x", None)))
        for given in (x, struct, make((8, 2), "float32", sharding=P("x", None))):
            for f in (lambda x: x * 2, jax.jit(lambda x: x * 2)):
                made = t.call(name, f, given)
                t.expect(isinstance(made, make), "a struct, got %r" % (made,))
                t.expect(
                    made.sharding == where(mesh.abstract_mesh, P("x", None)),
                    "got %s" % made.sharding,
                )
        made = t.call(name, lambda x: x.T, x)
        t.expect(made.sharding == where(mesh.abstract_mesh, P(None, "x")), "got %s" % made.sharding)
        for place in (P("x", "y"), where(mesh, P("x", "y"))):
            f = jax.jit(lambda x: x * 2, out_shardings=place)
            for made in (t.call(name, f, x), f.eval_shape(x)):
                t.expect(
                    made.sharding.is_equivalent_to(where(mesh, P("x", "y")), 2),
                    "got %s" % made.sharding,
                )
    kinds = (jax.sharding.AxisType.Explicit,)
    bare = jax.sharding.AbstractMesh((2,), ("x",), axis_types=kinds)
    with jax.sharding.use_abstract_mesh(bare):
        made = t.call(name, lambda x: x * 2, make((8, 2), "float32", sharding=where(bare, P("x"))))
        t.expect(made.sharding == where(bare, P("x", None)), "got %s" % made.sharding)
    t.raises(
        ValueError,
        lambda: t.call(name, lambda x: x, make((5, 2), "float32", sharding=where(bare, P("x")))),
    )


@case(
    "jax.eval_shape",
    core=False,
    host_only=True,
    since=("0.10.0", "layouts of structs"),
    reference="none",
)
def layouts_and_own_derivatives(t):
    """The layout and the place that a program gives; a function with a derivative of its own, and its slope; in shard_map."""
    from jax.experimental.layout import Format, Layout

    jax, name, make = t.fw, "jax.eval_shape", t.fw.ShapeDtypeStruct
    for order in ((1, 0), (0, 1)):
        place = Format(Layout(order), sharding(t, "x", None))
        x = jax.device_put(t.randn((8, 2), "f32"), place)
        made = t.call(name, jax.jit(lambda v: v * v, in_shardings=place, out_shardings=place), x)
        t.expect(
            made.format == place and made.sharding == place.sharding, "%s, got %s" % (place, made)
        )

    @jax.custom_jvp
    def logistic(x):
        return 1 / (1 + jax.numpy.exp(-x))

    @logistic.defjvp
    def slope(given, along):
        made = logistic(*given)
        return made, along[0] * made * (1 - made)

    for f in (logistic, jax.grad(lambda x: logistic(x).sum())):
        for given in (t.randn((2, 3), "f32"), make((2, 3), "float32")):
            made = t.call(name, f, given)
            t.expect(
                made.shape == (2, 3) and str(made.dtype) == "float32", "2 x 3, got %s" % (made,)
            )


def _contracted(p, x):
    return p @ x


def _varies(x):
    import jax

    kind = jax.typeof(x)
    return set(kind.vma if hasattr(kind, "vma") else kind.manual_axis_type.varying)


@case("jax.eval_shape", core=False, since=("0.10.0", "what varies, of a struct"), rtol={"f32": 1e-5},
      reference=lambda np, p, x: [[x.sum(0), 0 * x + p]] * 2)  # fmt: skip
def what_varies_over_a_mesh(t):
    """Within shard_map the struct says over which axes its numbers differ: ones like it are a cotangent."""
    mesh, jax, f = typed_mesh(t), t.fw, t.get("jax.eval_shape")
    P, seen = jax.P, []

    def slopes(p, x):
        _, back = jax.vjp(_contracted, p, x)
        made = f(_contracted, p, x)
        ones = jax.lax.full_like(made, 1)
        seen.extend(_varies(one) for one in (made, ones))
        return back(ones)

    def of_rows(p, x):
        of_p, of_x = jax.lax.map(lambda row: slopes(p, row), x)
        return of_p.sum(0), of_x  # that of p is summed over the mesh: it is the same everywhere

    run = jax.shard_map(of_rows, in_specs=(P(), P("x", None)), out_specs=(P(), P("x")))
    p, x = t.randint((5,), "f32", -9, 9), t.randint((4, 5), "f32", -9, 9)
    with jax.set_mesh(mesh):
        p, x = jax.device_put(p, P()), jax.device_put(x, P("x", None))
        made = [t.call(run, p, x), t.call(jax.jit(run), p, x)]
    for pair in made:
        for one, spec in zip(pair, (P(None), P("x", None))):
            want = t.get("jax.NamedSharding")(mesh, spec)
            alike = one.sharding.is_equivalent_to(want, one.ndim)
            t.expect(alike, "%s, got %s" % (want, one.sharding))
    t.expect(all(one == {"x"} for one in seen) and seen, "over x, got %s" % seen)
    return [list(pair) for pair in made]


@case("jax.jit", core=False, since=EXPLICIT, reference=lambda np, x: [2 * x, 2 * x, 2 * x])
def types_of_what_goes_in_and_out(t):
    """Those that its places say, of the lowered program, of the compiled one and of the results; else as the arguments lie."""
    mesh, jax, jit = typed_mesh(t), t.fw, t.get("jax.jit")
    P, where = jax.P, t.get("jax.NamedSharding")
    x = t.randint((8, 2), "f32", -9, 9)
    with jax.set_mesh(mesh):
        rows = jax.device_put(x, P("x", None))
        programs = (
            jit(lambda v: v * 2, out_shardings=P("x", "y")),
            jit(lambda v: v * 2),
            jit(lambda v: v * 2, in_shardings=P("x"), out_shardings=P("x")),
        )
        made = [t.call(one, rows) for one in programs]
        lowered = programs[2].lower(t.np.ones((8, 2), "float32"))
        for one in (lowered, lowered.compile()):
            found = one.in_avals[0][0].sharding
            t.expect(
                found == where(mesh.abstract_mesh, P("x", None)), "what goes in, got %s" % found
            )
        t.expect(
            lowered.out_info.sharding.is_equivalent_to(where(mesh, P("x")), 2), "what comes out"
        )
    for one, spec in zip(made, (P("x", "y"), P("x", None), P("x", None))):
        t.expect(
            one.sharding.is_equivalent_to(where(mesh, spec), 2), "%s, got %s" % (spec, one.sharding)
        )
        found = jax.typeof(one).sharding
        right = found == where(mesh.abstract_mesh, spec)
        t.expect(t.compiled or right, "its type, got %s" % found)
    return made


@case("jax.jit", core=False, host_only=True, since=EXPLICIT, reference="none")
def lowered_for_a_mesh_without_devices(t):
    """For as many parts as it has, whatever devices there are; a struct of another mesh is refused."""
    jax, kinds = t.fw, (t.fw.sharding.AxisType.Explicit,)
    two, one = (jax.sharding.AbstractMesh((n,), ("x",), axis_types=kinds) for n in (2, 1))
    place = lambda mesh: t.get("jax.NamedSharding")(mesh, jax.P("x"))  # noqa: E731
    program, make = t.get("jax.jit")(lambda v: v * 2), jax.ShapeDtypeStruct
    structs = [make((8, 2), "float32"), make((8, 2), "float32", sharding=place(two))]
    with jax.sharding.use_abstract_mesh(two):
        for given in structs:
            lowered = t.call(
                lambda given=given: program.trace(given).lower(lowering_platforms=("tpu",))
            )
            t.expect(
                "num_partitions = 2" in lowered.as_text(),
                "two parts, got %s" % lowered.as_text()[:200],
            )
        for mesh in (one, mesh_of(t)):
            wrong = make((8, 2), "float32", sharding=place(mesh))
            if mesh is one:
                t.raises(
                    ValueError,
                    lambda wrong=wrong: program.trace(wrong).lower(lowering_platforms=("tpu",)),
                )


@case("jax.device_put", core=False, since=EXPLICIT, reference=lambda np, x: [x, x])
def types_of_what_is_put(t):
    """On a typed mesh that is set an array has a spec; on a single device it has no mesh."""
    mesh, jax, put = typed_mesh(t), t.fw, t.get("jax.device_put")
    x, single = t.randn((8,), "f32"), jax.sharding.SingleDeviceSharding(some_device(t))
    with jax.set_mesh(mesh):
        rows = t.call(lambda x: put(x, jax.P("x")), x)
        alone = t.call(lambda x: put(x, single), x) if not t.compiled else x
        t.expect(jax.typeof(rows).sharding.spec == jax.P("x"), "got %s" % jax.typeof(rows).sharding)
        new = jax.typeof(jax.numpy.zeros(8)).sharding
        t.expect(new.mesh == mesh.abstract_mesh and new.spec == jax.P(None), "whole, got %s" % new)
        found = jax.typeof(put(x, single)).sharding
        t.expect(found.mesh.empty, "no mesh, got %s" % found)
    return [rows, alone]


def some_device(t):
    return mesh_of(t).devices.flat[0]
