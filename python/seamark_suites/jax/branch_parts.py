"""jax.lax.cond: branches that call back, that vary over a mesh, that are computed anew for their slopes."""

from seamark_suites.case import case

from .placing import mesh_of

COND = "jax.lax.cond"


def _calling_back(which, x, back):
    import jax

    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return jax.lax.cond(which, lambda v: back(_more, shape, v), lambda v: back(_less, shape, v), x)


def _more(x):
    return (x + 1).astype(x.dtype)


def _less(x):
    return (x - 1).astype(x.dtype)


@case(
    COND,
    dtypes="f32 i32",
    shapes="scalar 3x2",
    core=False,
    reference=lambda np, x: [x + 1, x - 1] * 3,
)
def branches_that_call_back(t, dtype, shape):
    """jax.pure_callback and io_callback, in order, too: that of the branch taken alone."""
    jax, x = t.fw, t.randint(shape, dtype, -9, 9)
    from jax.experimental import io_callback

    made = []
    for back in (
        jax.pure_callback,
        io_callback,
        lambda f, shape, v: io_callback(f, shape, v, ordered=True),
    ):
        for which in (True, False):
            run = jax.jit(lambda which, x, back=back: _calling_back(which, x, back))
            made.append(t.call(run, which, x))
    jax.effects_barrier()
    return made


@case(
    COND,
    core=False,
    since=("0.8.0", "jax.shard_map"),
    reference=lambda np, x: [x, 2 * x, x, np.sign(abs(x)), x + 1],
)
def branches_that_vary_over_a_mesh(t):
    """Along the axes of both and of the predicate; a result that is said to be the same everywhere is refused."""
    jax, cond, P = t.fw, t.get(COND), t.fw.P
    mesh = mesh_of(t, ("x", "y"))
    x, pcast = t.randint((8,), "f32", -4, 5), jax.lax.pcast

    rows = P("x")

    def mapped(f, ends, begins=rows):
        return jax.shard_map(f, mesh=mesh, in_specs=begins, out_specs=ends)

    def both(x, y):
        one, other = (
            lambda a, b: pcast(a, "y", to="varying"),
            lambda a, b: pcast(b, "x", to="varying"),
        )
        return cond(True, one, other, x, y)

    same = lambda x: cond(True, lambda v: v, lambda v: v + 1, x)  # noqa: E731
    by_value = lambda x: cond((x > -9).any(), lambda v: 2 * v, lambda v: v, x)  # noqa: E731
    one = lambda x: cond((x != 0).any(), lambda: 1.0, lambda: 0.0).reshape(x.shape)  # noqa: E731
    whole = lambda x, y: cond((y > -9).any(), lambda v: v + 1, lambda v: v, x)  # noqa: E731
    n = 8 // mesh.shape["x"]
    made = [t.call(mapped(same, P("x")), x), t.call(mapped(by_value, P("x")), x),
            t.call(mapped(both, P(("x", "y")), (P("x"), P("y"))), x, x[:n])]  # fmt: skip
    parts = [t.call(mapped(one, P("x")), x[at : at + mesh.shape["x"]]) for at in range(0, 8, mesh.shape["x"])]  # fmt: skip
    made += [jax.numpy.concatenate(parts), t.call(mapped(whole, P("x"), (P("x"), P())), x, x)]
    for f, ends, begins in (
        (same, P(), P("x")),
        (by_value, P(), P("x")),
        (both, P("x"), (P("x"), P("y"))),
    ):
        t.raises(ValueError, mapped(f, ends, begins), *[x, x[:n]][: 1 + (f is both)])
    return made


@case(COND, dtypes="f32 f64", taken=[True, False], core=False, reference=lambda np, x, taken: [
      (np.cos(x), np.cos(np.sin(x)) * np.cos(x), np.cos(x)) if taken else (1.0, 1.0, 1.0),
      (-np.sin(x), -np.sin(np.sin(x)) * np.cos(x) ** 2 - np.cos(np.sin(x)) * np.sin(x), -np.sin(x)) if taken else (0.0, 0.0, 0.0)])  # fmt: skip
def computed_anew_for_their_slopes(t, dtype, taken):
    """jax.remat of branches: what is kept by its rule is not computed again; slopes, and theirs."""
    jax, jnp, cond = t.fw, t.fw.numpy, t.get(COND)
    one = lambda x: cond(x > 0, jnp.sin, lambda v: v, x)  # noqa: E731
    two = lambda x: cond(x > 0, lambda v: jnp.sin(jnp.sin(v)), lambda v: v, x)  # noqa: E731
    keeps = lambda prim, *_, **__: str(prim) == "cos"  # noqa: E731
    fs = [jax.remat(one), jax.remat(two), jax.remat(one, policy=keeps)]
    names = []
    for f in fs:
        text = str(jax.make_jaxpr(jax.linearize(f, 4.0)[1])(1.0))
        names.append((" sin " in text, " cos " in text))
    t.expect(names == [(False, True), (True, True), (False, False)], "got %s" % names)
    x = t.uniform((), dtype, 1, 2) if taken else t.uniform((), dtype, -2, -1)
    return t.call(
        lambda x: [tuple(jax.grad(f)(x) for f in fs), tuple(jax.grad(jax.grad(f))(x) for f in fs)],
        x,
    )
