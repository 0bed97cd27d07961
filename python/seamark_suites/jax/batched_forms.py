"""jax.vmap of everything that JAX's own tests map: axes anywhere, pieces, places, solvers, what all examples have in common."""

from seamark_suites.case import case

from .reference import with_gradient

VMAP = "jax.vmap"
NEAR = {"f32": 1e-5, "f64": 1e-12}
EXACT = {"f32": 0.0}


def pieces(x, y, n, i):
    import jax
    import jax.numpy as jnp
    from jax import lax

    vmap = jax.vmap
    four = x.reshape(4, 2, 3, 5)
    return [
        vmap(lambda v: lax.slice(v, (1,), (3,)))(y), vmap(lambda v: v[:, 2])(four), vmap(lambda v: lax.rev(v, [0]), 1, 1)(y), vmap(lambda v: lax.rev(v, [0]))(y),
        vmap(lambda v: v[:, ::-1], 2, 2)(four), vmap(lambda v: v + v.T)(four[:, :, :2, 0]), vmap(lambda v: v.transpose(1, 2, 0), 2)(four),
        vmap(lambda v, w: v[w], (0, None))(y, 1), vmap(lambda v, w: v[w])(y, n), vmap(lambda v, w: v[w], (None, 0))(y[0], n), vmap(lambda v: v[jnp.array([0, 2])])(y),
        vmap(lambda v, w: v[:, w], (None, 0))(four[0], i), vmap(lambda v, w, u: v.at[w].add(u), (None, 0, None))(y[0], n, 1),
        vmap(lambda v, u, w: lax.dynamic_update_slice(v, u[None], (w,)), (0, 0, None))(y, y[:, 2], 1),
        vmap(lambda v, u, w: lax.dynamic_update_slice(v, u[None], (w,)), (None, 0, 0))(y[0], y[:, 2], n),
        vmap(lambda v, w: lax.dynamic_update_slice(v, y[0, :2], w), (None, 0))(y[0], (n,)), vmap(lambda v: lax.dynamic_update_slice(v, y[0, 0], []))(y[:, 1]),
        vmap(lambda v: lax.dynamic_slice(v, [], []))(y[0]), vmap(lambda *v: jnp.concatenate(v), (0, 1, None))(y, y.T, y[0]),
        vmap(lambda *v: jnp.concatenate(v, 1), (0, None, 2))(four[..., 0], four[0, :, :, 1], four.transpose(1, 2, 0, 3)[..., 2]),
        vmap(lambda v: lax.pad(v, jnp.zeros((), v.dtype), [(1, 2, 1), (0, 1, 0)]))(four[:, :, :, 0]), vmap(lambda v: jnp.array(list(v)))(y),
        vmap(lambda v: 3)(y), *vmap(lambda v, w: (v + 1, w))(y, ())[:1],
    ]  # fmt: skip


def pieces_right(np, x, y, n, i):
    n, i = n.astype(int), i.astype(int)
    four, rows = x.reshape(4, 2, 3, 5), np.arange(4)

    def put(v, u, w):
        v = v.copy()
        v[w : w + len(u)] = u
        return v

    added = np.stack([y[0] + (np.arange(5) == k) for k in n])
    wide = np.zeros((4, 6, 4))
    wide[:, 1:4:2, :3] = four[:, :, :, 0]
    return [
        y[:, 1:3], four[:, :, 2], y[::-1], y[:, ::-1], four[:, ::-1], four[:, :, :2, 0] + four[:, :, :2, 0].swapaxes(1, 2), four.transpose(2, 1, 3, 0),
        y[:, 1], y[rows, n], y[0, n], y[:, [0, 2]], np.stack([four[0][:, k] for k in i]), added, np.stack([put(v, v[2:3], 1) for v in y]),
        np.stack([put(y[0], v[2:3], k) for v, k in zip(y, n)]), np.stack([put(y[0], y[0, :2], min(k, 3)) for k in n]), np.full(4, y[0, 0]), y[0],
        np.concatenate([y, y, np.stack([y[0]] * 4)], 1), np.concatenate([four[..., 0], np.stack([four[0, :, :, 1]] * 4), four[..., 2]], 2), wide, y,
        np.full(4, 3), y + 1,
    ]  # fmt: skip


@case(VMAP, dtypes="f32 i32", core=False, rtol=EXACT, atol=EXACT, reference=pieces_right)
def pieces_of_each_example(t, dtype):
    """Cut, turned round, indexed, written into, put together, padded: from each along its axis, or from one for all; constants, no leaves."""
    given = t.randint((4, 30), dtype, -9, 9), t.randint((4, 5), dtype, -9, 9)
    return t.call(pieces, *given, t.const([4, 0, 2, 1], "i32"), t.const([[0, 1], [2, 0]], "i32"))


def ends(x):
    import jax

    total = [jax.vmap(lambda v: v.sum(), in_axes=axis)(x) for axis in (-3, -2, -1)]
    same = [jax.vmap(lambda v: v, out_axes=axis)(x) for axis in (-3, -2, -1, 2)]
    beside = jax.vmap(lambda *v: v, in_axes=(0, None), out_axes=(0, -1))(x[0, 0], 7)
    return [*total, *same, *beside]


@case(VMAP, dtypes="f32 i32", core=False, reference=lambda np, x: [
      x.sum((1, 2)), x.sum((0, 2)), x.sum((0, 1)), x, x.swapaxes(0, 1), x.transpose(1, 2, 0), x.transpose(1, 2, 0), x[0, 0], np.full(5, 7)])  # fmt: skip
def axes_from_the_end(t, dtype):
    """Of arguments and of results, of what is no batch; beyond the ends they are refused. A weak type stays weak."""
    vmap, jax = t.get(VMAP), t.fw
    x = t.randint((3, 4, 5), dtype, -9, 9)
    for options in ({"in_axes": -4}, {"out_axes": -4}, {"in_axes": 3}, {"out_axes": 3}):
        t.raises(ValueError, t.call, lambda x, options=options: vmap(lambda v: v, **options)(x), x)
    t.raises(ValueError, vmap(lambda *v: v, in_axes=(0, None), out_axes=(0, -2)), x[0, 0], 7)
    weak, seen = jax.numpy.ravel(1), []
    made = vmap(lambda v: seen.append(jax.typeof(v).weak_type) or v)(weak)
    t.expect(weak.weak_type and made.weak_type and seen[-1], "weak within and outside, got %s" % seen)  # fmt: skip
    return t.call(ends, x)


def sorted_each(k, v):
    import jax
    from jax import lax

    vmap, pair = jax.vmap, lambda a, b: lax.sort_key_val(a, b, dimension=0)
    made = [vmap(lambda a, axis=axis: lax.sort(a, dimension=axis), i, o)(k) for axis, i, o in ((0, 0, 0), (-1, 0, 0), (0, 1, 0), (0, 1, 1))]  # fmt: skip
    given = [(k, v, (0, 0), 0), (k, v, (1, 1), 1), (k, v.T, (0, 1), 0), (k.T, v, (1, 0), 0), (k[0], v, (None, 0), 0), (k.T, v[0], (1, None), 0)]  # fmt: skip
    return [*made, *(one for a, b, axes, out in given for one in vmap(pair, axes, out)(a, b))]


def sorted_right(np, k, v):
    made = [np.sort(k, 1)] * 2 + [np.sort(k, 0).T, np.sort(k, 0)]

    def pair(a, b, axis=1):
        a, b = np.broadcast_arrays(a, b)
        order = np.argsort(a, axis)
        return [np.take_along_axis(a, order, axis), np.take_along_axis(b, order, axis)]

    return [
        *made,
        *pair(k, v),
        *pair(k, v, 0),
        *pair(k, v),
        *pair(k, v),
        *pair(k[0], v),
        *pair(k, v[0]),
    ]


@case(VMAP, dtypes="f32 i32", core=False, reference=sorted_right)
def each_in_its_order(t, dtype):
    """Numbers alone and with what belongs to them, along any axis of either, or of one for all."""
    return t.call(sorted_each, t.distinct((3, 4), dtype), t.distinct((3, 4), dtype))


def chosen_each(m, x, y):
    import jax
    from jax.lax import select

    vmap = jax.vmap
    return [vmap(select)(m, x[:, 0], y[:, 0]), vmap(select, (0, None, None))(m, x[0], y[0]), vmap(select, (None, 0, None))(True, x[:, 0], y[0, 0]),
            vmap(select, (0, 0, None))(m, x[:, 0], y[0, 0]), vmap(select, (0, None, 1), 1)(m, x[0], y.T)]  # fmt: skip


@case(VMAP, dtypes="f32 i32", core=False, reference=lambda np, x, y, m: [
      np.where(m, x[:, 0], y[:, 0]), np.where(m[:, None], x[0], y[0]), x[:, 0], np.where(m, x[:, 0], y[0, 0]), np.where(m, x[0][:, None], y.T)])  # fmt: skip
def each_chosen_by_a_truth(t, dtype):
    """Of its own or of all, as are the values."""
    x, y = t.randint((3, 2), dtype, 0, 9), t.randint((3, 2), dtype, -9, 0)
    return t.call(chosen_each, t.const([True, False, True], "bool"), x, y)


def products(x, y, w):
    import jax
    import jax.numpy as jnp
    from jax import lax

    vmap, dot = jax.vmap, jnp.dot
    general = lambda a, b: lax.dot_general(a, b, [((2,), (1,)), ((0,), (0,))], precision="highest")  # noqa: E731
    vector = lambda a, b: lax.dot_general(a, b, [((0,), (0,)), ((), ())], precision="highest")  # noqa: E731
    matmat = vmap(vmap(jnp.vdot, (0, None)), (None, 1), 1)
    return [
        vmap(general)(x, y), vmap(general, (2, 1))(x.transpose(1, 2, 0, 3), y.transpose(1, 0, 2, 3)), vmap(general, (3, None))(x.transpose(1, 2, 3, 0), y[0]),
        vmap(general, (None, 2))(x[0], y.transpose(1, 2, 0, 3)), vmap(vector, (None, 1))(w[0], w.T), vmap(dot)(w, 2 * w), vmap(dot, (1, None))(x[0].transpose(1, 0, 2), y[0, 0]),
        vmap(dot, (1, None))(w.T, w[0]), matmat(w, x[0, 0].T), vmap(vmap(dot, (0, None)), (0, None))(x[0], w[0]),
        vmap(lambda a, b: jnp.einsum("ij,j->i", a, b), (None, 0))(w, x[0, 0]), vmap(jnp.cross, (0, None))(x[0, :, :, :3], x[0, 0, 0, :3]),
    ]  # fmt: skip


def products_right(np, x, y, w):
    both = np.einsum("nbij,bjk->nbik", x, y[0])
    return [
        x @ y, x @ y, both, np.einsum("bij,nbjk->nbik", x[0], y), w @ w[0], 2 * (w * w).sum(1), x[0] @ y[0, 0], w @ w[0],
        w @ x[0, 0].T, x[0] @ w[0], x[0, 0] @ w.T, np.cross(x[0, :, :, :3], x[0, 0, 0, :3]),
    ]  # fmt: skip


@case(VMAP, dtypes="f32 f64", core=False, rtol=NEAR, atol=NEAR, reference=products_right)
def products_along_any_axis(t, dtype):
    """Contracted and batched within; examples in the middle, at the end, of one side alone; mapped twice."""
    x, y = t.uniform((3, 2, 3, 4), dtype, -2, 2), t.uniform((3, 2, 4, 5), dtype, -2, 2)
    return t.call(products, x, y, t.uniform((3, 4), dtype, -2, 2))


def solved(a, b, d):
    import jax
    from jax.lax import linalg

    vmap, lower = jax.vmap, jax.numpy.tril(a)
    solve = lambda m, v: linalg.triangular_solve(m, v, lower=True)  # noqa: E731
    tri = linalg.tridiagonal_solve
    turned = lower.transpose(1, 0, 2), b.transpose(2, 1, 0)
    return [
        vmap(linalg.cholesky)(a), vmap(linalg.cholesky, 1)(a.transpose(1, 0, 2)), vmap(solve, (1, 2))(turned[0], turned[1]), vmap(solve, (None, 2))(lower[0], turned[1]),
        vmap(solve, (1, None))(turned[0], b[0].T), vmap(tri, (1, 1, 1, 2))(*(v.T for v in d), b.transpose(1, 2, 0)), vmap(tri, (None, None, None, 2))(*d[:, 0], b.transpose(1, 2, 0)),
        vmap(tri, (1, 1, 1, None))(*(v.T for v in d), b[0]),
    ]  # fmt: skip


def solved_right(np, d, a, b):
    lower, d = np.tril(a), d * np.array([[[1.0]], [[4.0]], [[1.0]]])

    def solve(m, v):  # x m = v
        return np.linalg.solve(m.T, v.T).T

    full = np.stack([np.diag(m) + np.diag(below[1:], -1) + np.diag(above[:-1], 1) for below, m, above in d.swapaxes(0, 1)])  # fmt: skip
    return [
        np.linalg.cholesky(a), np.linalg.cholesky(a), np.stack([solve(m, v.T) for m, v in zip(lower, b)]), np.stack([solve(lower[0], v.T) for v in b]),
        np.stack([solve(m, b[0].T) for m in lower]), np.linalg.solve(full, b), np.linalg.solve(full[0], b), np.linalg.solve(full, b[0]),
    ]  # fmt: skip


@case(VMAP, dtypes="f32 f64", core=False, rtol={"f32": 1e-4, "f64": 1e-11}, atol={"f32": 1e-4, "f64": 1e-11}, reference=solved_right)  # fmt: skip
def solvers_along_any_axis(t, dtype):
    """Cholesky's, of triangles, of three diagonals: matrices in the middle, sides at the end, one of them for all."""
    d = t.uniform((3, 5, 4), dtype, 0.5, 1)
    a, b = t.spd(4, dtype, batch=(5,)), t.uniform((5, 4, 3), dtype, -1, 1)
    scaled = d * t.fw.numpy.array([[[1.0]], [[4.0]], [[1.0]]], d.dtype)
    return t.call(lambda a, b, d: solved(a, b, d), a, b, scaled)


def gathered(x, n, w):
    import jax

    pick = lambda v, k: v[k]  # noqa: E731
    slope = jax.grad(lambda v, k: (v[k] ** 2).sum())
    columns = lambda v, k: v[:, k]  # noqa: E731
    ways = [((0, None), x, n[0]), ((1, None), x, n[0]), ((None, 0), x[0], n), ((None, 1), x[0], n.T), ((0, 0), x, n), ((1, 1), x[:, :3], n.T)]  # fmt: skip
    made = [jax.vmap(f, axes)(v, k) for axes, v, k in ways for f in (pick, slope)]
    return [*made, jax.vmap(columns, (2, None))(w, n[0]), jax.vmap(columns, (None, 0))(w[..., 0], n), jax.vmap(columns, (2, 0))(w, n)]  # fmt: skip


def gathered_right(np, n, x, w):
    n = n.astype(int)

    def slope(v, k):
        made = np.zeros(v.shape)
        np.add.at(made, k, 2 * v[k])
        return made

    ways = [(v, n[0]) for v in x], [(v, n[0]) for v in x.T], [(x[0], k) for k in n], [(x[0], k) for k in n], list(zip(x, n)), list(zip(x[:, :3].T, n))  # fmt: skip
    made = [np.stack([f(v, k) for v, k in way]) for way in ways for f in (lambda v, k: v[k], slope)]
    columns = w.transpose(2, 0, 1)
    return [*made, columns[:, :, n[0]], np.stack([w[:, k, 0] for k in n]), np.stack([v[:, k] for v, k in zip(columns, n)])]  # fmt: skip


@case(VMAP, dtypes="f32 f64", core=False, rtol=NEAR, reference=gathered_right)
def gathered_and_their_slopes(t, dtype):
    """From each, from one for all, at each one's places or at those of all, along either axis; a place twice."""
    n = t.const([[0, 2, 2, 1], [1, 0, 2, 0], [2, 2, 0, 1]], "i32")
    return t.call(gathered, t.uniform((3, 4), dtype, 1, 3), n, t.uniform((2, 4, 3), dtype, 1, 3))


def in_common(x):
    import jax
    from jax import lax

    vmap = jax.vmap

    def over(f, names):
        for axis, name in enumerate("ijk"):
            f = vmap(f, axis_name=name, in_axes=axis, out_axes=axis)
        return f(x)

    made = [over(lambda v, names=names, f=f: v - f(v, names), names) for f in (lax.psum, lax.pmax, lax.pmin) for names in ("i", ("k", "i"), ("j", "k", "i"))]  # fmt: skip
    one = x[0]
    all_of = lambda v: lax.all_gather(v, "i")  # noqa: E731
    slope = vmap(jax.grad(lambda v: -lax.psum(v, "i")), out_axes=None, axis_name="i")(x[:, 0, 0])
    back = vmap(lambda v, c: jax.vjp(all_of, v)[1](c)[0], axis_name="i")(one, x[:, :, :2].transpose(2, 0, 1) if x.shape[2] == 2 else x.swapaxes(0, 1))  # fmt: skip
    return [
        *made, vmap(all_of, axis_name="i", in_axes=1, out_axes=None)(one), vmap(vmap(all_of, axis_name="i", out_axes=None), axis_name="j")(one),
        vmap(vmap(all_of, axis_name="j"), axis_name="i", out_axes=None)(one), vmap(lambda v: lax.all_gather(v, "i", tiled=True), axis_name="i", in_axes=1, out_axes=None)(x),
        vmap(lambda v: lax.all_gather(v * 0 + 1, "i"), axis_name="i", in_axes=1, out_axes=None)(one), vmap(lambda v: lax.all_gather(1, "i"), axis_name="i", out_axes=None)(one),
        vmap(lambda v: lax.psum_scatter(v, "i"), axis_name="i")(x[:, :2]), vmap(lambda v: lax.all_to_all(v, "i", 1, 0), axis_name="i", in_axes=1)(x.transpose(1, 0, 2)),
        slope, back, vmap(jax.grad(lambda v: lax.ppermute(v, "i", [(0, 1), (1, 0)])), axis_name="i")(x[:, 0, 0]), vmap(lambda v: v - lax.axis_index("i"), axis_name="i")(x[0, 0]),
    ]  # fmt: skip


def in_common_right(np, x):
    axes = {"i": (0,), "ki": (0, 2), "jki": (0, 1, 2)}
    made = [
        x - f(x, axis, keepdims=True) for f in (np.sum, np.max, np.min) for axis in axes.values()
    ]
    one = x[0]
    back = x[:, :, :2].transpose(2, 0, 1) if x.shape[2] == 2 else x.swapaxes(0, 1)
    return [
        *made, one.T, one, one.T, x.swapaxes(0, 1).reshape(-1, x.shape[2]), np.ones(one.T.shape), np.ones(len(one)), x[:, :2].sum(0), _all_to_all(np, x.transpose(1, 0, 2)), -2.0, back.sum(0), np.ones(2), x[0, 0] - np.arange(x.shape[2]),
    ]  # fmt: skip


def _all_to_all(np, x):
    return np.moveaxis(x, (1, 2), (1, 0))


@case(VMAP, dtypes="f32", core=False, rtol=NEAR, atol=NEAR, reference=in_common_right)
def names_of_three_axes(t, dtype):
    """Sums and ends over any of them in any order; gathered to no batch, tiled, of constants; scattered, exchanged; slopes."""
    return t.call(in_common, t.randint((2, 2, 2), dtype, -9, 9))


WELL = [[4.0, 1, 0, 1], [1, 5, 2, 0], [0, 2, 6, 1], [1, 0, 1, 3]]


def scaled_right(np, x, v):
    def f(s):
        return -0.5 * ((np.linalg.cholesky(s[0] * np.array(WELL)) @ v) ** 2).sum()

    return np.array([f(s) for s in x])


@case(VMAP, dtypes="f64", core=False, rtol={"f64": 1e-8}, atol={"f64": 1e-8}, grad=True, reference=with_gradient(scaled_right))  # the reference takes differences  # fmt: skip
def slope_through_a_solver(t, dtype):
    """Of a scale for each example, by what all of them share."""
    jax, jnp = t.fw, t.fw.numpy

    def one(s, v):
        factor = jnp.linalg.cholesky(s[None] * jnp.array(WELL, v.dtype))
        return -0.5 * (jnp.einsum("ij,j->i", factor, v) ** 2).sum()

    run = lambda x, v: jax.vmap(one, (0, None))(x, v)  # noqa: E731
    return t.call(run, t.uniform((5, 1), dtype, 0.5, 1), t.uniform((4,), dtype, 1, 2))


@case(VMAP, dtypes="f32", core=False, rtol=NEAR, atol=NEAR, reference=lambda np, w, x: [
      (1 - np.tanh(w @ x) ** 2)[:, None] * w] * 2 + [2 * x, np.ones(3) * 4])  # fmt: skip
def jacobians_by_hand(t, dtype):
    """Forwards and backwards along a basis, with results where the axis is asked for; a jitted function is traced once."""
    jax, np = t.fw, t.np
    seen = []

    def jacobians(w, x):
        f = lambda x: jax.numpy.tanh(w @ x)  # noqa: E731
        _, forwards = jax.vmap(lambda v: jax.jvp(f, (x,), (v,)), out_axes=(None, 1))(jax.numpy.eye(3, dtype=x.dtype))  # fmt: skip
        value, pull = jax.vjp(f, x)
        (backwards,) = jax.vmap(pull)(jax.numpy.eye(len(value), dtype=x.dtype))
        twice = jax.vmap(jax.jit(lambda v: v + v))(x)
        some = jax.vmap(lambda v: jax.scipy.special.betainc(jax.numpy.ones(3), 1.0, v).sum())(jax.numpy.ones((3, 3)))  # fmt: skip
        return [forwards, backwards, twice, some + 1]

    program = jax.jit(jax.vmap(jax.jit(lambda v: seen.append(1) or v + v)))
    found = [np.asarray(program(np.full(2, k, "float32"))).tolist() for k in (1, 2)]
    t.expect(found == [[2, 2], [4, 4]] and len(seen) == 1, "traced once, got %s, %s" % (found, seen))  # fmt: skip
    return t.call(jacobians, t.uniform((4, 3), dtype, -1, 1), t.uniform((3,), dtype, -1, 1))
