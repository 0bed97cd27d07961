"""Arrays bound to a device, beside those that are bound to another or to none; places of programs that do not fit."""

import warnings

from seamark_suites.case import case, each

from .placing import mesh_of, some_devices
from .values_and_kinds import NP

# FUNCTION: (the call of two arrays, what is right).
BESIDE = {
    NP + "concatenate": (lambda f, x, y: f([x, y]), lambda np, x, y: np.concatenate([x, y])),
    NP + "where": (lambda f, x, y: f(x > 0, x, y), lambda np, x, y: np.where(x > 0, x, y)),
    NP + "dot": (lambda f, x, y: f(x, y), lambda np, x, y: x @ y),
    NP + "matmul": (lambda f, x, y: f(x, y), lambda np, x, y: x @ y),
    "jax.lax.cond": (lambda f, x, y: f(False, lambda a, b: a, lambda a, b: b - a, x, y), lambda np, x, y: y - x),
    "jax.vmap": (lambda f, x, y: f(lambda a, b: a - b)(x, y), lambda np, x, y: x - y),
    "jax.jit": (lambda f, x, y: f(lambda tree: tree["a"] - tree["b"][0])({"a": x, "b": [y]}), lambda np, x, y: x - y),
}  # fmt: skip


@each(BESIDE, lambda name: lambda np, x, y: [BESIDE[name][1](np, x, y)] * 3, core=False)
def bound_to_another_device(t, function):
    """Refused; what is bound to none, and NumPy's, goes where the other is."""
    jax, f, run = t.fw, t.get(function), BESIDE[function][0]
    x, y = t.randint((4, 4), "f32", -4, 5), t.randint((4, 4), "f32", -4, 5)
    first, last = some_devices(t)[0], some_devices(t)[-1]
    here, there = jax.device_put(x, first), jax.device_put(y, last)
    if first != last:
        t.raises(ValueError, run, f, here, there)
    own, free = t.host(x).astype("float32"), jax.numpy.asarray(t.host(y).astype("float32"))
    pairs = [(own, there), (here, free), (here, jax.device_put(y, first))]
    made = [t.call(lambda x, y: run(f, x, y), *pair) for pair in pairs]
    if not t.compiled:
        found = [run(f, *pair).devices() for pair in pairs]
        t.expect(found == [{last}, {first}, {first}], "where the bound one is, got %s" % found)
    return made


def _thrice(x, where, src):
    """Squared on one device, tripled on another."""
    import jax

    moved = jax.device_put(jax.jit(lambda v: v**2)(x), where, src=src)
    return jax.jit(lambda v: v * 3)(moved).sum()


@case("jax.device_put", core=False, reference="none")
def slopes_come_back_to_their_device(t):
    """The value lies where it was put, its slope where the argument is; so of the second derivative, with src= or without."""
    jax, kind = t.fw, t.get("jax.NamedSharding")
    away, home = (kind(t.get("jax.sharding.Mesh")([one], "x"), jax.P("x")) for one in (some_devices(t)[-1], t.device))  # fmt: skip
    x = t.uniform((4,), "f32", 1, 9)
    own, x = t.host(x), jax.device_put(x, home)
    for src in (None, home):
        f = lambda v, src=src: _thrice(v, away, src)  # noqa: E731
        value, slope, twice = f(x), jax.grad(f)(x), jax.hessian(f)(x)
        found = [one.devices() for one in (value, slope, twice)]
        want = [away.device_set, home.device_set, home.device_set]
        t.expect(found == want, "%s, got %s" % (want, found))
        t.expect(slope.sharding.is_equivalent_to(home, 1), "as it lay, got %s" % slope.sharding)
        seen = [t.host(one) for one in (value, slope, twice)]
        right = [3 * (own**2).sum(), 6 * own, 6 * t.np.eye(4)]
        close = [t.np.allclose(a, b, rtol=1e-5, atol=1e-5) for a, b in zip(seen, right)]
        t.expect(all(close), "%s, got %s" % (right, seen))
    again = t.call("jax.device_put", x, home, src=home)
    t.expect(t.host(again).tolist() == own.tolist(), "the same numbers, got %s" % again)


@case("jax.device_put", core=False, reference=lambda np, x: [x, 2 * x, x, x])
def each_of_a_tree_given_away_or_kept(t):
    """donate= of each; a copy of a copy stays when that is given away; one that cannot be split among devices refuses all."""
    jax, put, mesh = t.fw, t.get("jax.device_put"), mesh_of(t)
    x = t.randint((8,), "f32", -9, 9)
    rows, whole = (t.get("jax.NamedSharding")(mesh, jax.P(*entries)) for entries in (("x",), ()))
    given, kept = put(x * 1, rows), put(2 * x, rows)
    made = list(put((given, kept), whole, donate=(True, False)))
    t.expect(not kept.is_deleted(), "the other one stays")
    t.expect(all(one.sharding.is_equivalent_to(whole, 1) for one in made), "whole copies of both")
    first = put(x, t.device, may_alias=False)
    second = put(first, t.device, may_alias=False)
    tripled = jax.jit(lambda v: v * 3, donate_argnums=0)(first)
    t.expect(not second.is_deleted() and t.np.array_equal(t.host(tripled), 3 * t.host(x)), "its copy stays")  # fmt: skip
    made += [second, t.call(lambda x: put(x, whole), put(x, rows))]
    if mesh.size > 1:
        for wrong in (x[:1], (x[:2], x[:1])):
            t.raises(ValueError, put, wrong, rows)
    return made


@case("jax.jit", core=False, reference=lambda np, x: [2 * x, x @ x.T, x**2, 3 * x, x.T, x + 1, x - 1])  # fmt: skip
def places_said_in_part(t):
    """in_shardings and out_shardings of some alone: None is wherever it lies, and what the compiler finds."""
    jax, mesh, x = t.fw, mesh_of(t, ("x", "y")), t.randint((8, 2), "f32", -4, 5)
    both, rows = (t.get("jax.NamedSharding")(mesh, jax.P(*one)) for one in (("x", "y"), ("x",)))
    own, one, other = t.host(x).astype("float32"), jax.device_put(x, both), jax.device_put(x, rows)
    f = lambda x, y, z, a, b: (x * 2, y @ y.T, z**2, a * 3, b.T)  # noqa: E731
    places = {"in_shardings": (both, None, rows, None, None), "out_shardings": (rows, None, None, both, None)}  # fmt: skip
    made = list(t.call(jax.jit(f, **places), one, own, other, own, one))
    for place, found in ((rows, made[0]), (both, made[3])):
        t.expect(t.compiled or found.sharding.is_equivalent_to(place, 2), "%s, got %s" % (place, found.sharding))  # fmt: skip
    for options in ({"in_shardings": None}, {"in_shardings": None, "out_shardings": None}):
        plain = jax.jit(lambda x: x + 1, **options)
        t.expect(plain(one).sharding.is_equivalent_to(both, 2), "as the argument lies")
        t.expect(len(plain(own).devices()) == 1, "on one device what lies on none")
    return [*made, t.call(plain, one), t.call(jax.jit(lambda x: x - 1, out_shardings=None), other)]


@case("jax.jit", core=False, host_only=True, reference="none")
def places_that_do_not_fit(t):
    """Not to be split, too few axes, left open, not one for each, no places; beside device= and backend=; bound elsewhere."""
    jax, mesh, ones = t.fw, mesh_of(t), t.np.ones
    named = lambda *entries: t.get("jax.NamedSharding")(mesh, jax.P(*entries))  # noqa: E731
    device, free = t.device, jax.P.UNCONSTRAINED
    rows = [
        (ValueError, {"in_shardings": named(None, "x")}, ones(2)), (ValueError, {"out_shardings": named(None, "x")}, ones(2)),
        (ValueError, {"in_shardings": named(free, "x")}, ones((2, 2))), (ValueError, {"out_shardings": named(free)}, ones((2, 2))),
        (ValueError, {"in_shardings": (None, None, None)}, ones(2)), (ValueError, {"out_shardings": [None, None]}, ones(2)),
        (TypeError, {"in_shardings": "x"}, ones(2)), (TypeError, {"out_shardings": 3}, ones(2)),
        (ValueError, {"in_shardings": named("x"), "device": device}, ones(2)), (ValueError, {"out_shardings": named("x"), "backend": device.platform}, ones(2)),
        (ValueError, {"device": device, "backend": device.platform}, ones(2)),
    ]  # fmt: skip
    if mesh.size > 1:
        rows += [(ValueError, {"in_shardings": named("x")}, ones((3, 2))), (ValueError, {"out_shardings": named("x")}, ones((3, 2)))]  # fmt: skip
        rows.append((ValueError, {"in_shardings": named("x")}, jax.device_put(ones(2), device)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for kind, options, given in rows:
            t.raises(kind, lambda: jax.jit(lambda v: v, **options)(given))  # noqa: B023
    within = jax.jit(lambda v: jax.lax.with_sharding_constraint(v, named("x")))
    t.expect(t.host(t.call(within, ones(2, "float32"))).tolist() == [1, 1], "bound to none it is moved")  # fmt: skip
    if mesh.size > 1:
        t.raises(ValueError, within, jax.device_put(ones(2), device))
        t.raises(ValueError, jax.jit(lambda v: jax.jit(lambda w: w, in_shardings=named("x"))(v)), jax.device_put(ones(2), device))  # fmt: skip


# FUNCTION: (calls of an array of 3 numbers, each of which makes a new one, what is right).
MADE = {
    NP + "full": ([lambda f, x, at: f((2, 3), 1, "int32", device=at), lambda f, x, at: f((2, 3), x, device=at), lambda f, x, at: f((4, 3), x[:1], "int32", device=at)],
                  lambda np, x: [np.ones((2, 3)), np.stack([x, x]), np.full((4, 3), x[0])]),
    NP + "zeros": ([lambda f, x, at: f((2, 3), device=at) + x, lambda f, x, at: f(3, "int32", device=at) - 2], lambda np, x: [np.stack([x, x]), np.full(3, -2)]),
    NP + "ones": ([lambda f, x, at: f((2, 3), device=at) * x, lambda f, x, at: f(3, "int32", device=at) - 2], lambda np, x: [np.stack([x, x]), np.full(3, -1)]),
    NP + "zeros_like": ([lambda f, x, at: f(x, device=at) + x, lambda f, x, at: f(x, "int32", (2, 2), device=at) + 5], lambda np, x: [x, np.full((2, 2), 5)]),
    NP + "ones_like": ([lambda f, x, at: f(x, device=at) * x, lambda f, x, at: f(x, "int32", (2, 2), device=at) + 5], lambda np, x: [x, np.full((2, 2), 6)]),
    NP + "eye": ([lambda f, x, at: f(3, device=at) * x, lambda f, x, at: f(3, 5, 1, "int32", device=at)], lambda np, x: [np.diag(x), np.eye(3, 5, 1)]),
    NP + "arange": ([lambda f, x, at: f(3.0, device=at) * x, lambda f, x, at: f(2, 9, 3, "int32", device=at)], lambda np, x: [np.arange(3) * x, np.array([2, 5, 8])]),
}  # fmt: skip


@each(MADE, lambda name: lambda np, x: MADE[name][1](np, x) * 2, core=False)
def made_on_another_device(t, function):
    """device= that is not the default one, as a device and as its sharding: the array is bound to it."""
    f, (calls, _), last = t.get(function), MADE[function], some_devices(t)[-1]
    where, x = t.get("jax.sharding.SingleDeviceSharding")(last), t.randint((3,), "f32", 1, 9)
    made = []
    for at in (last, where):
        for call in calls:
            made.append(t.call(lambda x, call=call, at=at: call(f, x, at), x))
            if not t.compiled:
                one = call(f, t.host(x).astype("float32"), at)
                seen = one.devices(), one.sharding
                t.expect(seen == ({last}, where) and one.committed, "on %s, got %s" % (last, seen))
    return made
