"""Arrays of which each device has its share of a sum (unreduced axes), and those whose slopes are such (reduced axes)."""

from seamark_suites.case import each

from .mesh_types import typed_mesh
from .placed_results import EXPLICIT, explicit
from .values_and_kinds import NP

SINCE = ("0.10.0", "parts left unreduced")
OTHER = {"unreduced": "reduced", "reduced": "unreduced"}


def _joined(np, x, y):
    return np.concatenate([x, y], 1)


def _whole(x, *entries, **options):
    import jax

    return jax.reshard(x, jax.P(*entries, **options))


# FUNCTION: rows of (which axes, the call, what is right, whose slopes: x's alone, or y's).
KEPT = {
    "jax.Array.astype": [(kind, lambda f, x, y: x.astype("bfloat16"), lambda np, x, y: x, "x") for kind in OTHER],
    NP + "where": [("reduced", lambda f, x, y: f(x > y, x, y), lambda np, x, y: np.maximum(x, y), ""),
                   ("reduced", lambda f, x, y: f(False, x, y), lambda np, x, y: y, "y"), ("unreduced", lambda f, x, y: f(True, x, y), lambda np, x, y: x, "x")],
    NP + "concatenate": [(kind, lambda f, x, y: f([x, y], 1), _joined, "xy") for kind in OTHER],
    NP + "broadcast_to": [(kind, lambda f, x, y: f(x, (2, 4, 2)), lambda np, x, y: np.stack([x, x]), "xx") for kind in OTHER],
    NP + "asarray": [(kind, lambda f, x, y: f(x), lambda np, x, y: x, "x") for kind in OTHER],
    "jax.lax.cond": [(kind, lambda f, x, y: f(True, lambda a, b: a, lambda a, b: b, x, y), lambda np, x, y: x, "x") for kind in OTHER]
    + [("reduced", lambda f, x, y: _looped(f, x, y), lambda np, x, y: y, "y")],
}  # fmt: skip


def _looped(f, x, y):
    """A branch of each step gives y, which stays."""
    import jax

    return jax.lax.fori_loop(0, 3, lambda n, v: f(n == 1, lambda: y, lambda: v), x)


def _kept_right(name):
    def right(np, x, y):
        made = []
        for _, _, value, of in KEPT[name]:
            found = value(np, x, y)
            slopes = [2 * v * of.count(name) for v, name in ((x, "x"), (y, "y"))]
            if not of:
                slopes = [2 * x * (x > y), 2 * y * (x <= y)]
            made += [[found, *slopes]] * 2
        return made

    return right


@each(KEPT, _kept_right, core=False, since=SINCE)
def shares_and_their_slopes(t, function):
    """What comes out is summed later, too, or has slopes that are; in a program as without one."""
    mesh, jax, made = explicit(t), t.fw, []
    f = None if function.startswith("jax.Array.") else t.get(function)
    x, y = t.randint((4, 2), "f32", -4, 5), t.randint((4, 2), "f32", -4, 5)
    with jax.set_mesh(mesh):
        for kind, call, _, _ in KEPT[function]:
            seen, want = [], []

            def run(x, y, kind=kind, call=call, seen=seen):
                x, y = (_whole(one, **{kind: {"x"}}) for one in (x, y))
                value = call(f, x, y)
                slopes = jax.grad(lambda x, y: (_whole(call(f, x, y)).astype("float32") ** 2).sum(), (0, 1))(x, y)  # fmt: skip
                seen[:] = [jax.typeof(one).sharding.spec for one in (value, *slopes)]
                return [_whole(one) for one in (value, *slopes)]

            want = [{kind}, {OTHER[kind]}, {OTHER[kind]}]
            for each_way in (run, jax.jit(run)):
                made.append(
                    t.call(each_way, jax.device_put(x, jax.P()), jax.device_put(y, jax.P()))
                )
                found = [{name for name in OTHER if getattr(one, name) == {"x"}} for one in seen]
                t.expect(found == want, "%s, got %s" % (want, seen))
    return made


def _products(np, x, y, z):
    w = 2 * (x @ y)
    return [[x @ y, w @ y.T, x.T @ w]] * 2 + [z @ y]


@each("dot matmul", lambda name: _products, prefix=NP, dtypes="f32 f16", core=False, since=SINCE)
def products_of_which_each_has_a_share(t, function, dtype):
    """out_sharding= leaves the sum over a spread axis to later; the shares sum up to the product. Not said, it is refused."""
    mesh, jax, f = explicit(t), t.fw, t.get(function)
    x, y, z = (
        t.randint((4, 6), dtype, -4, 5),
        t.randint((6, 2), dtype, -4, 5),
        t.randint((1, 4, 6), dtype, -4, 5),
    )
    P, seen, made = jax.P, [], []

    def run(x, y):
        product = lambda x, y: f(x, y, out_sharding=P(unreduced={"x"}))  # noqa: E731
        shares = product(x, y)
        slopes = jax.grad(lambda x, y: (_whole(product(x, y)) ** 2).sum(), (0, 1))(x, y)
        seen[:] = [jax.typeof(one).sharding.spec for one in (shares, *slopes)]
        return [_whole(one) for one in (shares, *slopes)]

    with jax.set_mesh(mesh):
        x, y = jax.device_put(x, P(None, "x")), jax.device_put(y, P("x", None))
        z = jax.device_put(z, P(None, None, "x"))
        for each_way in (run, jax.jit(run)):
            made.append(t.call(each_way, x, y))
            want = [P(None, None, unreduced={"x"}), P(None, "x"), P("x", None)]
            t.expect(seen == want, "%s, got %s" % (want, seen))
        batched = y[None] if function.endswith("matmul") else y
        made.append(
            t.call(lambda z, y: _whole(f(z, y, out_sharding=P(unreduced={"x"}))), z, batched)
        )
        if mesh.size > 1:
            found = type(t.raises(Exception, f, x, y)).__name__
            t.expect(found == "ShardingTypeError", "refused where nothing is said, got %s" % found)
        if not t.compiled:
            shares = [
                t.host(one.data)
                for one in f(x, y, out_sharding=P(unreduced={"x"})).addressable_shards
            ]
            t.expect(
                t.np.array_equal(sum(shares), t.host(made[0][0])), "shares of it, got %s" % shares
            )
    return made


MAKES = {
    "jax.device_put": lambda f, x, where: f(x, where),
    "jax.jit": lambda f, x, where: f(lambda v: v, out_shardings=where)(x),
    NP + "asarray": lambda f, x, where: f(x, out_sharding=where),
}


@each(MAKES, lambda name: lambda np, x: [x] * 4, core=False, since=SINCE)
def shares_of_what_is_whole(t, function):
    """The first device has all of it and the others zeros; of what is spread each has its own. Where slopes are summed each has all."""
    mesh, jax, f, made = explicit(t), t.fw, t.get(function), []
    x = t.randint((6,), "f32", 1, 9)
    with jax.set_mesh(mesh):
        given = [jax.device_put(x, jax.P()), jax.device_put(x, jax.P("x"))]
        for kind in OTHER:
            for which, one in enumerate(given):
                run = lambda v, kind=kind: MAKES[function](f, v, jax.P(**{kind: {"x"}}))  # noqa: E731
                made.append(t.call(lambda v, run=run: _whole(run(v)), one))
                if t.compiled:
                    continue
                found, size = run(one), 6 // mesh.size
                t.expect(
                    getattr(found.sharding.spec, kind) == {"x"},
                    "%s, got %s" % (kind, found.sharding),
                )
                for at, part in enumerate(found.addressable_shards):
                    keep = t.np.arange(6) // size == at if which else at == 0
                    want = t.host(x) * (keep if kind == "unreduced" else 1)
                    t.expect(
                        t.np.array_equal(t.host(part.data), want), "%s, got %s" % (want, part.data)
                    )
    return made


def _products_and_slopes(np, x, y):
    w = 2 * (x @ y)
    return [[x @ y, w @ y.T, x.T @ w]] * 6


@each("dot matmul", lambda name: _products_and_slopes, prefix=NP, core=False, since=EXPLICIT)
def products_summed_over_a_spread_axis(t, function):
    """Both contracted axes are spread, over one axis of the mesh or over two; the sum is made where out_sharding= says the result lies."""
    mesh, jax, f, made = typed_mesh(t), t.fw, t.get(function), []
    x, y = t.randint((8, 4), "f32", -4, 5), t.randint((4, 6), "f32", -4, 5)
    P, where = jax.P, t.get("jax.NamedSharding")
    rows = [(P("x", "y"), P("x", "y"), P("x", None)), (P(None, "x"), P("x", None), P("x", None)), (P("y", "x"), P("x", "y"), P(None, "x"))]  # fmt: skip
    with jax.set_mesh(mesh):
        for left, right, result in rows:
            product = lambda x, y, result=result: f(x, y, out_sharding=result)  # noqa: E731
            slope = jax.grad(lambda x, y, product=product: (product(x, y) ** 2).sum(), (0, 1))
            run = lambda x, y, product=product, slope=slope: [product(x, y), *slope(x, y)]  # noqa: E731
            for each_way in (run, jax.jit(run)):
                made.append(t.call(each_way, jax.device_put(x, left), jax.device_put(y, right)))
                for one, spec in zip(made[-1], (result, left, right)):
                    want, seen = where(mesh, spec), jax.typeof(one).sharding.spec
                    t.expect(one.sharding == want, "%s, got %s" % (want, one.sharding))
                    t.expect(seen == spec, "%s in its type, got %s" % (spec, seen))
    return made
