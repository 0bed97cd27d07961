"""Draws and choices over a mesh that is typed or not: where they lie, of which keys, of which examples."""

from seamark_suites.case import case, each

from .mesh_types import typed_mesh
from .placed_results import EXPLICIT
from .placing import mesh_of
from .values_and_kinds import NP


@each("jax.random.normal jax.random.uniform", core=False, since=EXPLICIT, reference="none")
def drawn_on_a_mesh(t, function):
    """By another generator whole on each device; where no mesh is set, beside what lies on it; within shard_map along the other axis: the same numbers."""
    jax, f, mesh = t.fw, t.get(function), typed_mesh(t)
    P, where = jax.P, t.get("jax.NamedSharding")
    place, key = where(mesh, P("x")), jax.random.key(1)
    keys = jax.random.split(key, 2)

    def same(found, want, what):
        found, want = t.host(found), t.np.asarray(want)
        close = t.np.allclose(found, want, rtol=1e-5, atol=1e-6)
        t.expect(found.shape == want.shape and close, "%s: %s, got %s" % (what, want, found))

    rows, other = f(key, (8, 6)), f(jax.random.key(0, impl="rbg"), (8,))
    alone = t.np.concatenate([t.np.asarray(f(one, (1, 4))) for one in keys])
    with jax.set_mesh(mesh):
        found = t.call(lambda: f(jax.random.key(0, impl="rbg"), (8,)))
        t.expect(
            t.compiled or found.sharding == where(mesh, P(None)), "whole, got %s" % found.sharding
        )
        same(found, other, "of the other generator")

        def each_its_own(keys):
            draw = lambda keys: f(keys[0], (1, 4), out_sharding=P(None, "y"))  # noqa: E731
            return jax.shard_map(draw, out_specs=P("x"), axis_names={"x"})(keys)

        spread = t.call(jax.jit(each_its_own), jax.reshard(keys[: mesh.shape["x"]], P("x")))
        t.expect(
            t.compiled or spread.sharding.is_equivalent_to(where(mesh, P("x", "y")), 2),
            "got %s" % spread.sharding,
        )
        same(spread, alone[: mesh.shape["x"]], "of each its own")
    draw = lambda key: f(key, (8, 6), out_sharding=place)  # noqa: E731
    zeros = jax.device_put(t.np.zeros((8, 6), "float32"), place)
    beside = t.call(jax.jit(lambda x, key: x + draw(key)), zeros, key)
    same(beside, rows, "beside what is spread")
    t.expect(
        t.compiled or beside.sharding.is_equivalent_to(place, 2), "spread, got %s" % beside.sharding
    )
    if mesh.size > 1:
        t.raises(ValueError, jax.jit(draw), key)


@case(
    NP + "where",
    core=False,
    since=EXPLICIT,
    reference=lambda np, x, m: [np.where(m, x, 0), np.where(m[:, :1], x, 2 * x)],
)
def examples_and_keys_that_are_spread(t):
    """Under vmap over a typed mesh as the examples lie; keys chosen by a column of truths, however they lie."""
    jax, f, P = t.fw, t.get(NP + "where"), t.fw.P
    mesh, where = typed_mesh(t), t.get("jax.NamedSharding")
    x, m = t.randint((4, 2), "f32", 1, 9), t.const([[1, 0], [0, 1], [1, 1], [0, 0]], "bool")
    with jax.set_mesh(mesh):
        put = [jax.device_put(one, P("x", "y")) for one in (x, m)]
        run = jax.vmap(lambda x, m: f(m, x, 0))
        made = [t.call(jax.jit(run), *put), t.call(jax.vmap(lambda x, m: f(m[:1], x, 2 * x)), x, m)]
        t.expect(
            t.compiled or made[0].sharding.is_equivalent_to(where(mesh, P("x", "y")), 2),
            "got %s" % made[0].sharding,
        )
    rows = where(mesh_of(t), P("x"))
    keys = jax.random.split(jax.random.key(3), (2, 4, 3))
    column = jax.numpy.asarray([[True], [False], [True], [False]])
    chosen = jax.jit(lambda c, x, y: f(c, jax.numpy.asarray(x), y), in_shardings=(rows,) * 3)
    found = t.call(lambda c, x, y: jax.random.key_data(chosen(c, x, y)), column, *keys)
    words = [t.np.asarray(jax.random.key_data(one)) for one in keys]
    want = t.np.where(t.np.asarray(column)[..., None], *words)
    t.expect(t.np.array_equal(t.host(found), want), "keys of each row, got %s" % found)
    return made


@case(
    NP + "concatenate",
    core=False,
    since=EXPLICIT,
    reference=lambda np, x, y, z: [
        np.concatenate(
            [np.broadcast_to(x[:, None], (4, 3, 5, 2)), np.broadcast_to(y[None], (4, 3, 5, 3))], 3
        ),
        np.concatenate([z[:7], z[7:]]),
    ],
)
def examples_that_are_spread_and_odd_parts(t):
    """Each of two levels of vmap with one for all; parts whose sizes the devices do not divide."""
    jax, f, P = t.fw, t.get(NP + "concatenate"), t.fw.P
    mesh = mesh_of(t)
    x, y, z = (
        t.randint((4, 5, 2), "f32", -9, 9),
        t.randint((3, 5, 3), "f32", -9, 9),
        t.randint((12,), "f32", -9, 9),
    )
    rows, whole = (t.get("jax.NamedSharding")(mesh, P(*one)) for one in (("x",), ()))
    pair = lambda a, b: f([a, b], -1)  # noqa: E731
    levels = jax.vmap(jax.vmap(pair, (None, 0)), (0, None))
    bound = lambda v: jax.lax.with_sharding_constraint(v, rows)  # noqa: E731
    odd = jax.jit(lambda z: bound(f([bound(z[:7]), bound(z[7:])])))
    given = jax.device_put(x, rows), jax.device_put(y, whole)
    return [t.call(jax.jit(levels), *given), t.call(odd, jax.device_put(z, whole))]


NOWHERE = {
    NP + "dot": (lambda f, x, y: f(x, y), lambda np, x, y: x @ y, lambda np, x, y: [np.ones((4, 4)) @ y.T, x.T @ np.ones((4, 4))]),
    NP + "matmul": (lambda f, x, y: f(x, y), lambda np, x, y: x @ y, lambda np, x, y: [np.ones((4, 4)) @ y.T, x.T @ np.ones((4, 4))]),
}  # fmt: skip


def _beside(name):
    _, value, slopes = NOWHERE[name]
    return lambda np, x, y: [
        [value(np, x, y), *slopes(np, x, y)],
        [value(np, y, x), *slopes(np, y, x)],
    ]


@each(NOWHERE, _beside, core=False, since=EXPLICIT)
def beside_an_array_of_no_mesh(t, function):
    """NumPy's array is whole on the mesh that is set: rows of a result are spread where the left side's are; slopes too."""
    jax, f, run = t.fw, t.get(function), NOWHERE[function][0]
    mesh, P = typed_mesh(t), t.fw.P
    x, y = t.randint((4, 4), "f32", -4, 5), t.randint((4, 4), "f32", -4, 5)
    own, where, made = t.host(x).astype("float32"), t.get("jax.NamedSharding"), []
    whole = jax.jit(
        lambda x, y: [run(f, x, y), *jax.grad(lambda x, y: run(f, x, y).sum(), (0, 1))(x, y)]
    )
    with jax.set_mesh(mesh):
        rows = jax.device_put(y, P("x", None))
        for given, specs in (
            ((own, rows), (P(None, None), P(None, None), P("x", None))),
            ((rows, own), (P("x", None), P("x", None), P(None, None))),
        ):
            made.append(t.call(whole, *given))
            for one, spec in zip(made[-1], specs):
                t.expect(
                    t.compiled or one.sharding.is_equivalent_to(where(mesh, spec), 2),
                    "%s, got %s" % (spec, one.sharding),
                )
    return made
