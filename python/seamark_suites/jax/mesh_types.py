"""Where results lie that no one says: over the axes of a mesh that are a part of the types of arrays.

A mesh has two devices where there are two, and one elsewhere: all cases have a meaning on one.
"""

from seamark_suites.case import case

from .placed_results import EXPLICIT, of_this_machine
from .placing import mesh_of, some_devices
from .values_and_kinds import NP

LAX, RESHAPE, SUM = "jax.lax.", "jax.Array.reshape", "jax.Array.sum"
NEAR = {"f32": 1e-5}


def typed_mesh(t, names=("x", "y")):
    """Its axes are a part of types; y has one device."""
    devices = t.np.array(some_devices(t)).reshape((-1,) + (1,) * (len(names) - 1))
    kinds = (t.fw.sharding.AxisType.Explicit,) * len(names)
    return of_this_machine(t, t.get("jax.sharding.Mesh")(devices, names, kinds))


def _to(*sizes, **options):
    return lambda f, x: x.reshape(*sizes, **options), lambda np, x: x.reshape(*sizes)


def _shares(np, x, y):
    """Of the slope of what a maximum gives to two that may be equal."""
    return (x > y) + (x == y) / 2


# FUNCTION: rows of (shapes, their specs, (the call, what is right), the spec of the result, the slopes or None).
# The slopes are those of the sum of squares.
BOTH = ("x", "y")
TYPED = {
    RESHAPE: [
        ([shape], [spec], _to(*to), where, lambda np, x: [2 * x])
        for shape, spec, to, where in (
            ((1, 512), (None, "x"), (1, 4, 128), (None, "x", None)), ((1, 4, 128), (None, "x", None), (1, 512), (None, "x")),
            ((16, 1), ("x", None), (1, 16, 1), (None, "x", None)), ((1, 4, 1, 6, 1), (None, "x", None, None, None), (1, 4, 6), (None, "x", None)),
            ((8, 32), ("x", None), (8, 16, 2, 1, 1), ("x", None, None, None, None)), ((4, 6, 8), ("x", None, "y"), (4, 2, 3, 8), ("x", None, None, "y")),
            ((4, 6, 8), ("x", "y", None), (4, 3, 2, 8), ("x", "y", None, None)), ((10, 1, 1), ("x", None, None), (2, 5, 1, 1), ("x", None, None, None)),
            ((1, 10), (None, "x"), (1, 2, 5), (None, "x", None)), ((4, 2, 3, 8), (None, "x", None, "y"), (4, 6, 8), (None, "x", "y")),
            ((4, 6, 2, 2, 2), ("x", None, None, None, None), (4, 6, 8), ("x", None, None)), ((2, 5, 1), ("x", None, None), (10, 1), ("x", None)),
            ((2, 2, 6, 8), (None, None, "y", "x"), (4, 6, 8), (None, "y", "x")), ((4, 12, 8), (None, BOTH, None), (4, 4, 3, 8), (None, BOTH, None, None)),
            ((8, 4, 4), (None, None, "x"), (-1, 4), (None, "x")), ((8,), (BOTH,), (4, 2), (BOTH, None)), ((4, 2), (BOTH, None), (8,), (BOTH,)),
            ((1, 512), ("y", "x"), (1, 4, 128), ("y", "x", None)), ((1, 4, 128), ("y", "x", None), (1, 512), ("y", "x")),
            ((2, 2), ("x", "y"), (4,), (BOTH,)), ((64, 1), (None, None), (2, 32, 1), (None, None, None)), ((4, 6), (None, "x"), (4, 6), (None, "x")),
        )
    ] + [
        ([(8, 2, 1)], [("x", None, None)], (lambda f, x: x.reshape(1, 16, 1, out_sharding=_spec(None, "x", None)), lambda np, x: x.reshape(1, 16, 1)), (None, "x", None), lambda np, x: [2 * x]),
        ([(16,)], [("x",)], (lambda f, x: x.reshape(-1, 4, order="F", out_sharding=_spec(None, "x")), lambda np, x: x.reshape(4, 4).T),
         (None, "x"), lambda np, x: [2 * x]),
    ],
    NP + "squeeze": [
        ([(4, 4, 1)], [("x", None, None)], (lambda f, x: f(x, 2), lambda np, x: x[:, :, 0]), ("x", None), lambda np, x: [2 * x]),
        ([(1, 4, 1)], [(None, "x", None)], (lambda f, x: f(x), lambda np, x: x[0, :, 0]), ("x",), lambda np, x: [2 * x]),
    ],
    NP + "expand_dims": [
        ([(4, 6)], [BOTH], (lambda f, x, at=at: f(x, at), lambda np, x, at=at: np.expand_dims(x, at)), where, lambda np, x: [2 * x])
        for at, where in ((0, (None, "x", "y")), (1, ("x", None, "y")), (2, ("x", "y", None)), (-1, ("x", "y", None)))
    ] + [([(1,)], [("y",)], (lambda f, x: f(x, -1), lambda np, x: x[:, None]), ("y", None), lambda np, x: [2 * x])],
    SUM: [
        ([(8, 2)], [spec], (lambda f, x, axis=axis: x.sum(axis), lambda np, x, axis=axis: x.sum(axis)), where,
         lambda np, x, axis=axis: [2 * (x.sum(axis, keepdims=True) + 0 * x)])
        for axis, spec, where in ((None, BOTH, ()), (0, BOTH, ("y",)), (1, BOTH, ("x",)), (0, (BOTH, None), (None,)), (1, (BOTH, None), (BOTH,)))
    ] + [([(8, 2)], [BOTH], (lambda f, x: x.sum(1, keepdims=True), lambda np, x: x.sum(1, keepdims=True)), ("x", None), None)],
    NP + "transpose": [([(4, 2, 6)], [("x", "y", None)], (lambda f, x: f(x, (1, 2, 0)), lambda np, x: x.transpose(1, 2, 0)), ("y", None, "x"),
                        lambda np, x: [2 * x])],
    NP + "where": [
        ([(8, 2)], [BOTH], (lambda f, x: f(x > 0, x, 0), lambda np, x: np.maximum(x, 0)), BOTH, lambda np, x: [2 * np.maximum(x, 0)]),
        ([(8, 2), (2,)], [("x", None), (None,)], (lambda f, x, y: f(x > 0, x, y), lambda np, x, y: np.where(x > 0, x, y)), ("x", None),
         lambda np, x, y: [2 * x * (x > 0), 2 * y * (x <= 0).sum(0)]),
    ],
    NP + "maximum": [
        ([(8, 2), (2,)], [("x", None), (None,)], (lambda f, x, y: f(x, y), lambda np, x, y: np.maximum(x, y)), ("x", None),
         lambda np, x, y: [2 * x * _shares(np, x, y), (2 * y * _shares(np, y, x)).sum(0)]),
    ],
    NP + "minimum": [
        ([(8, 2), (2,)], [("x", None), (None,)], (lambda f, x, y: f(x, y), lambda np, x, y: np.minimum(x, y)), ("x", None),
         lambda np, x, y: [2 * x * _shares(np, -x, -y), (2 * y * _shares(np, -y, -x)).sum(0)]),
    ],
    NP + "logical_and": [([(8, 2), (1, 2)], [BOTH, (None, None)], (lambda f, x, y: f(x, y), lambda np, x, y: (x != 0) & (y != 0)), BOTH, None)],
    NP + "abs": [([(8, 2)], [BOTH], (lambda f, x: f(x), lambda np, x: abs(x)), BOTH, lambda np, x: [2 * x])],
    NP + "square": [([(8, 2)], [BOTH], (lambda f, x: f(x), lambda np, x: x * x), BOTH, lambda np, x: [4 * x**3])],
    NP + "clip": [([(8, 2)], [BOTH], (lambda f, x: f(x, -2.5, 2.5), lambda np, x: np.clip(x, -2.5, 2.5)), BOTH, lambda np, x: [2 * x * (abs(x) < 2.5)])],
    "jax.Array.astype": [([(8, 2)], [BOTH], (lambda f, x: x.astype("int32"), lambda np, x: x), BOTH, None),
                         ([(8, 2)], [BOTH], (lambda f, x: _vmap(lambda v: v.astype("bfloat16"))(x), lambda np, x: x), BOTH, None)],
    NP + "broadcast_to": [([(8,)], [("x",)], (lambda f, x: f(x, (3, 8)), lambda np, x: np.stack([x] * 3)), (None, "x"), lambda np, x: [6 * x]),
                          ([(1, 8)], [(None, "x")], (lambda f, x: f(x, (3, 8)), lambda np, x: np.concatenate([x] * 3)), (None, "x"), lambda np, x: [6 * x]),
                          ([(8, 2)], [("x", None)], (lambda f, x: x * f(2, x.shape), lambda np, x: 2 * x), ("x", None), lambda np, x: [8 * x])],
    NP + "linalg.norm": [([(4, 4)], [(None, None)], (lambda f, x: f(x, 2), lambda np, x: np.linalg.norm(x, 2)), (), None)],
    **{
        NP + name: [
            ([(8, 4), (4, 6)], specs, (lambda f, x, y: f(x, y), lambda np, x, y: x @ y), where,
             lambda np, x, y: [2 * (x @ y) @ y.T, 2 * x.T @ (x @ y)])
            for specs, where in (
                ([("x", None), (None, "y")], BOTH), ([("x", None), (None, None)], ("x", None)), ([BOTH, (None, None)], ("x", None)),
                ([("x", None), ("x", None)], ("x", None)), ([(None, "y"), (None, "y")], (None, "y")),
            )
        ]
        for name in ("dot", "matmul")
    },
    NP + "einsum": [
        ([(8, 4), (4, 6)], [("x", None), (None, "x")], (lambda f, x, y: f("xy,yz->xz", x, y, out_sharding=_spec("x", None)), lambda np, x, y: x @ y),
         ("x", None), lambda np, x, y: [2 * (x @ y) @ y.T, 2 * x.T @ (x @ y)]),
        ([(8, 4), (4, 6)], [("x", "y"), ("x", "y")], (lambda f, x, y: f("xy,yz->xz", x, y, out_sharding=_spec("x", None)), lambda np, x, y: x @ y),
         ("x", None), lambda np, x, y: [2 * (x @ y) @ y.T, 2 * x.T @ (x @ y)]),
        ([(8, 4, 2), (2, 4, 6)], [("x", "y", None), (None, "x", "y")],
         (lambda f, x, y: f("btd,dhq->bhtq", x, y, out_sharding=_spec("x", None, "y", None)), lambda np, x, y: np.einsum("btd,dhq->bhtq", x, y)),
         ("x", None, "y", None), lambda np, x, y: [2 * np.einsum("btd,dhq,ehq->bte", x, y, y), 2 * np.einsum("btd,dhq,bte->ehq", x, y, x)]),
        ([(4, 2, 2), (2, 4, 6)], [("x", None, "y"), (None, "x", "y")],
         (lambda f, x, y: _vmap(lambda x, y: f("xy,yz->xz", x, y, out_sharding=_spec(None, "y")), (0, 1), 2)(x, y),
          lambda np, x, y: np.einsum("bxy,ybz->xzb", x, y)), (None, "y", "x"), None),
    ],
    LAX + "dynamic_update_slice": [
        ([(16,), (8,)], [("x",), ("x",)], (lambda f, x, y: f(x, y, (3,)), lambda np, x, y: np.concatenate([x[:3], y, x[11:]])), ("x",),
         lambda np, x, y: [2 * np.concatenate([x[:3], 0 * y, x[11:]]), 2 * y]),
        ([(8,), (4,), (8,)], [(None,), (None,), ("x",)], (lambda f, x, y, z: f(x, y, (1,)) + z, lambda np, x, y, z: _put(np, x, y) + z), ("x",),
         lambda np, x, y, z: [2 * (_put(np, x, y) + z) * _put(np, 1 + 0 * x, 0 * y), 2 * (_put(np, x, y) + z)[1:5], 2 * (_put(np, x, y) + z)]),
    ],
    LAX + "cond": [
        ([(8,), (8,)], [("x",), ("x",)], (lambda f, x, y: 2 * f(True, lambda x, y: x, lambda x, y: y, x, y), lambda np, x, y: 2 * x), ("x",),
         lambda np, x, y: [8 * x, 0 * y]),
    ],
    LAX + "while_loop": [([(8,)], [("x",)], (lambda f, x: f(lambda s: s[1] < 3, lambda s: (s[0] * 2, s[1] + 1), (x, 0))[0], lambda np, x: 8 * x), ("x",), None)],
    LAX + "scan": [
        ([(8,), (4, 8)], [("x",), (None, "x")], (lambda f, x, y: f(lambda c, r: (c + r, c), x, y, unroll=2)[0], lambda np, x, y: x + y.sum(0)), ("x",),
         lambda np, x, y: [2 * (x + y.sum(0)), 2 * (x + y.sum(0)) + 0 * y]),
        ([(8,), (4, 8)], [("x",), (None, "x")], (lambda f, x, y: f(lambda c, r: (c + r, c), x, y)[1], lambda np, x, y: x + np.cumsum(y, 0) - y), (None, "x"), None),
    ],
    "jax.vmap": [
        ([(8, 2)], [BOTH], (lambda f, x: f(lambda v: v * 2 + v.sum())(x), lambda np, x: 2 * x + x.sum(1, keepdims=True)), BOTH, None),
        ([(8, 2)], [BOTH], (lambda f, x: f(lambda v: v * v, 0, 1)(x), lambda np, x: x.T**2), ("y", "x"), lambda np, x: [4 * x**3]),
        ([(8, 2), (3,)], [("x", None), (None,)], (lambda f, x, y: f(lambda v, y: _joined(v, y), (0, None))(x, y),
          lambda np, x, y: np.concatenate([x, np.stack([y] * 8)], 1)), ("x", None), lambda np, x, y: [2 * x, 16 * y]),
    ],
    "jax.jit": [([(8, 2), (1, 2)], [BOTH, (None, None)], (lambda f, x, y: f(lambda x, y: x * y)(x, y), lambda np, x, y: x * y), BOTH,
                 lambda np, x, y: [2 * x * y * y, 2 * (x * x * y).sum(0, keepdims=True)])],
    "jax.grad": [([(8, 2)], [BOTH], (lambda f, x: f(lambda x: (x * 2 * x).sum())(x), lambda np, x: 4 * x), BOTH, lambda np, x: [32 * x]),
                 ([(8,), (8,)], [(None,), ("x",)], (lambda f, x, y: f(lambda x, y: (x * x + y).sum(), 0)(x, y), lambda np, x, y: 2 * x), (None,), None),
                 ([(2,)], [("x",)], (lambda f, x: f(lambda x: (x[:, None] ** 2).sum())(x), lambda np, x: 2 * x), ("x",), None)],
    "jax.value_and_grad": [([(8, 2)], [BOTH], (lambda f, x: f(lambda x: (x * x).sum())(x)[1], lambda np, x: 2 * x), BOTH, None)],
    "jax.random.split": [([(4,)], [(None,)], (lambda f, x: (f(_key(0), 3)[:, :1] < 2.0**32) * x, lambda np, x: np.stack([x] * 3)), (None, None), None)],
    "jax.random.uniform": [([(8,)], [("x",)], (lambda f, x: x + (f(_key(0, "rbg"), (8,)) < 1), lambda np, x: x + 1), ("x",), None)],
}  # fmt: skip


def _put(np, x, y):
    return np.concatenate([x[:1], y, x[5:]])


def _spec(*entries):
    import jax

    return jax.P(*entries)


def _vmap(*given):
    import jax

    return jax.vmap(*given)


def _joined(*parts):
    import jax

    return jax.numpy.concatenate(parts)


def _key(seed, kind="threefry2x32"):
    import jax

    key = jax.random.key(seed, impl=kind)
    return key if kind == "rbg" else jax.random.key_data(key)


def _right_of(rows):
    count = sum(len(row[0]) for row in rows)

    def right(np, *given):
        found, at = [], 0
        assert len(given) == count
        for shapes, _, (_, value), _, slopes in rows:
            own, at = given[at : at + len(shapes)], at + len(shapes)
            found.append([value(np, *own)] * 2 + (slopes(np, *own) if slopes else []))
        return found

    return right


def typed(body):
    for name, rows in TYPED.items():
        body = case(name, core=False, since=EXPLICIT, rtol=NEAR, reference=_right_of(rows))(body)
    return body


@typed
def lies_as_its_arguments_do(t, function):
    """Alone and in a program; the slopes lie as what they are the slopes of."""
    mesh, jax, found = typed_mesh(t), t.fw, []
    f = None if function.startswith("jax.Array.") else t.get(function)
    where = t.get("jax.NamedSharding")
    for shapes, specs, (call, _), entries, slopes in TYPED[function]:
        given = [t.randint(shape, "f32", -4, 5) for shape in shapes]
        run = lambda *given, call=call: call(f, *given)  # noqa: E731
        with jax.set_mesh(mesh):
            put = [jax.device_put(one, jax.P(*spec)) for one, spec in zip(given, specs)]
            row = [t.call(run, *put), t.call(jax.jit(run), *put)]
            for one in row:
                want = where(mesh, jax.P(*entries))
                t.expect(one.sharding == want, "%s, got %s" % (want, one.sharding))
                seen = jax.typeof(one).sharding.spec
                t.expect(seen == jax.P(*entries), "%s in its type, got %s" % (entries, seen))
            if slopes:
                places = tuple(range(len(given)))
                slope = jax.grad(lambda *given, run=run: (run(*given) ** 2).sum(), places)
                row += t.call(jax.jit(slope), *put)
                for one, spec in zip(row[2:], specs):
                    want = where(mesh, jax.P(*spec))
                    t.expect(one.sharding == want, "a slope %s, got %s" % (want, one.sharding))
        found.append(row)
    return found


UNREDUCED = [  # (kind, how the argument is made, its sizes, the entries of its spec, the sizes of the result, its entries)
    ("unreduced", lambda x, y: _resharded(x, unreduced={"x"}), (None, None), (2, 8), (None, None)),
    ("unreduced", lambda x, y: _product_of_parts(x, y), ("y", None), (4, 2, 4), ("y", None, None)),
    ("reduced", lambda x, y: _resharded(x[:, 1], reduced={"x"}), (None,), (4, 2), (None, None)),
    ("reduced", lambda x, y: _resharded(x, "y", reduced={"x"}), ("y", None), (4, 2, 2), ("y", None, None)),
]  # fmt: skip


def _resharded(x, *entries, **options):
    import jax

    return jax.reshard(x, jax.P(*entries, **options))


def _product_of_parts(x, y):
    import jax

    where = jax.P("y", unreduced={"x"})
    return jax.numpy.dot(_resharded(x, "y", "x"), _resharded(y, "x"), out_sharding=where)


def _reshaped(np, x, y):
    right = []
    for given, (_, _, _, to, _) in zip((x, x @ y, x[:, 1], x), UNREDUCED):
        right += [[given.reshape(to), 2 * given]] * 2
    return right


@case(RESHAPE, core=False, since=EXPLICIT, reference=_reshaped)
def parts_that_are_not_summed_yet(t):
    """They stay parts, and their slope is one that is everywhere the same; the other way round, too. Begun or ended by out_sharding, it is refused."""
    mesh, jax, made, seen = typed_mesh(t), t.fw, [], []
    slopes = {"unreduced": "reduced", "reduced": "unreduced"}
    x, y = t.randint((8, 2), "f32", -4, 5), t.randint((2, 4), "f32", -4, 5)
    with jax.set_mesh(mesh):
        x, y = jax.device_put(x, jax.P()), jax.device_put(y, jax.P())
        for kind, make, own, to, entries in UNREDUCED:
            ends = [jax.P(*entries, **{kind: {"x"}}), jax.P(*own, **{slopes[kind]: {"x"}})]

            def run(x, y, make=make, to=to):
                parts = make(x, y)
                square = lambda v: (_resharded(v.reshape(to)) ** 2).sum()  # noqa: E731
                seen[:] = [parts.reshape(to), jax.grad(square)(parts)]
                return [_resharded(one) for one in seen]

            for call in (run, jax.jit(run)):
                seen.clear()
                made.append(t.call(call, x, y))
                found = [jax.typeof(one).sharding.spec for one in seen]
                t.expect(found == ends, "%s, got %s" % (ends, found))
            if not t.compiled and kind == "unreduced":
                parts = [t.host(one.data) for one in make(x, y).reshape(to).addressable_shards]
                whole = t.host(made[-1][0])
                t.expect(t.np.array_equal(sum(parts), whole), "parts of the sum, got %s" % parts)
        placed = lambda v, where: v.reshape(4, 4, out_sharding=where)  # noqa: E731
        for kind, other in slopes.items():
            begun, ended = jax.P(**{kind: {"x"}}), jax.P(**{other: {"x"}})
            t.raises(ValueError, placed, x, begun)
            for where in (jax.P("x"), ended):
                t.raises(ValueError, placed, _resharded(x, **{kind: {"x"}}), where)
    return made


def rotated(f, name, *carry):
    """Three states that change places four times."""
    if name == LAX + "scan":
        return f(lambda c, _: ((*c[1:], c[0] + 1), None), carry, None, length=4)[0]
    return f(lambda s: s[0] < 4, lambda s: (s[0] + 1, *s[2:], s[1] + 1), (0, *carry))[1:]


def _rotated(np, x, z, y):
    """y is the same everywhere: as often in the result as there are devices."""
    many = np.tile(y, len(x) // len(y))
    return [(many + 1, z + 1, x + 2)] * 2 + [(x + 2, many + 2)] * 2 + [(4 * x, 4 * y, 4 * z)] * 2


@case(LAX + "while_loop", core=False, since=EXPLICIT, reference=_rotated)
@case(LAX + "scan", core=False, since=EXPLICIT, reference=_rotated)
def states_that_vary_within_shard_map(t, function):
    """Those that change places vary along the same axes of the mesh, or are refused until jax.lax.pcast says so; so is a result that is said to be the same everywhere."""
    jax, f, P = t.fw, t.get(function), t.fw.P
    mesh = of_this_machine(t, mesh_of(t, ("i", "j")))
    x, z = t.randint((8,), "f32", -4, 5), t.randint((8,), "f32", -4, 5)
    y, pcast = t.randint((8 // mesh.shape["i"],), "f32", -4, 5), jax.lax.pcast
    both, whole = P(("i", "j")), (P("i"), P(), P(("i", "j")))

    def mapped(run, ends=both, begins=whole):
        return jax.shard_map(run, mesh=mesh, in_specs=begins, out_specs=ends)

    def told(x, y, z):
        return rotated(
            f, function, pcast(x, "j", to="varying"), pcast(y, ("i", "j"), to="varying"), z
        )

    def kept(x, y, z):
        if function == LAX + "scan":
            return f(lambda c, _: (tuple(2 * v for v in c), None), (x, y, z), None, length=2)[0]
        return f(
            lambda s: s[0] < 2, lambda s: (s[0] + 1, tuple(2 * v for v in s[1])), (0, (x, y, z))
        )[1]

    pairs = {"begins": whole[:2], "ends": P("i")}

    def swapped(x, y):
        return rotated(f, function, x, pcast(y, "i", to="varying"))

    alone = lambda *given: rotated(f, function, *given)  # noqa: E731
    half = lambda x, y, z: alone(pcast(x, "j", to="varying"), y, z)  # noqa: E731
    t.raises(TypeError, mapped(alone, **pairs), x, y)
    for wrong in (alone, half):
        t.raises(TypeError, mapped(wrong), x, y, z)
    for ends in (P("i"), P("j"), P()):
        t.raises(ValueError, mapped(told, ends), x, y, z)
    t.raises(ValueError, mapped(kept, (P(), P(), both)), x, y, z)
    made = []
    for run, given in (
        (mapped(told), (x, y, z)),
        (mapped(swapped, **pairs), (x, y)),
        (mapped(kept, whole), (x, y, z)),
    ):
        made += [t.call(run, *given), t.call(jax.jit(run), *given)]
    return made
